"""Which ports carry which classes, and why (DESIGN 8 "Which ports carry a class").

Order: intent; the other end of a known link; a statement of the port's own; at least half of the device's front ports of that
speed. Otherwise the port's role is unknown. Sub-interfaces, SVIs, management and loopback never carry.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from xoff.lint.bundles import judged_at_members
from xoff.lint.classes import states_no_drop
from xoff.lint.ports import front_ports
from xoff.model.fabric import Basis, ClassInForce, Link
from xoff.model.qos import PfcMode
from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import Port, PortKind, SwitchModel

if TYPE_CHECKING:
    from xoff.fabric.planned import PlannedDevice

#: From this share of a switch's ports of one speed on, a port without any statement is taken to carry the classes too.
HALF = Fraction(1, 2)
#: From this share on, a port that names other priorities only is taken to lack one by mistake. Below it, and where no one has
#: stated the classes, its own list is a statement of what it carries (server and fabric ports of a dual-ToR pair differ so).
NEARLY_ALL = Fraction(9, 10)

PHYSICAL = frozenset({PortKind.FRONT, PortKind.BREAKOUT, PortKind.MEMBER})

Carried = tuple[frozenset[str] | Unknown, str, str | None]


def states_lossless(port: Port) -> bool:
    """A no-drop, PFC or lossless-buffer statement of the port's own, on a line of the input."""
    if states_no_drop(port) or (port.qos.pfc.mode in (PfcMode.ON, PfcMode.AUTO) and port.origins.said("pfc.mode")):
        return True
    return any(
        g.lossless is True and (port.origins.said(f"group.{g.id}.profile") or port.origins.said(f"group.{g.id}.headroom"))
        and _in_block(port, g.id)
        for g in port.qos.groups.values()
    )  # fmt: skip


def _link_pause(port: Port) -> bool:
    """Whether a line of the port's own has 802.3x pause on where PFC is off: of the two a port has one (IEEE 802.1Qbb)."""
    pfc = port.qos.pfc
    on = (pfc.link_pause_rx is True and port.origins.said("pfc.link_pause.rx")) or (
        pfc.link_pause_tx is True and port.origins.said("pfc.link_pause.tx")
    )
    return on and pfc.mode is PfcMode.OFF


def turned_off(port: Port, nos: str) -> bool:
    """Whether a line of the port turns PFC off where its NOS would not leave it off, and nothing there speaks for it.

    On such a NOS that is how one says that a port carries nothing lossless; a watchdog on the same port says the contrary.
    """
    from xoff.model.origin import BodyLine

    if port.qos.pfc.mode is not PfcMode.OFF or not isinstance(port.origins.get("pfc.mode"), BodyLine):
        return False
    return not states_no_drop(port) and not port.origins.said("watchdog.enabled") and _pfc_by_default(nos) not in (None, "off")


@lru_cache(maxsize=64)
def _pfc_by_default(nos: str) -> str | None:
    from xoff.errors import UsageError
    from xoff.nos import registry

    try:
        entry = registry.load(nos).default("pfc.mode")
    except UsageError:
        return None
    return None if entry is None else str(entry.value)


def _in_block(port: Port, group: int) -> bool:
    """Whether the group's statement stands in the port's own block; a device-wide profile says nothing about this port."""
    from xoff.model.origin import BodyLine

    return any(isinstance(port.origins.get(f"group.{group}.{f}"), BodyLine) for f in ("profile", "headroom"))


def carrier(
    device: SwitchModel,
    classes: tuple[ClassInForce, ...],
    planned: PlannedDevice | None,
    by_plan: bool,
    links: Mapping[tuple[str, str], Link],
    devices: Mapping[str, SwitchModel],
    switches: Collection[str] = (),
) -> Callable[[Port], Carried]:
    """A function that says, for a port of this device, which classes it carries, on what ground, and its role.

    switches: names of the intent's switches, whether or not they are in the input (what else a port leads to is a host).
    """
    names = frozenset(c.name for c in classes)
    lossless = frozenset(c.name for c in classes if c.lossless)
    by_tag = frozenset(c.name for c in classes if c.lossless and c.pcp and not c.dscp)
    nothing: frozenset[str] = frozenset()
    share: dict[int | None, Fraction] = {}
    common: dict[int | None, frozenset[str]] = {}
    by_role: dict[int | None, Fraction] = {}
    for speed in {_speed(p) for p in front_ports(device) if not isinstance(p.speed, Unknown)}:
        alike = [p for p in front_ports(device) if not isinstance(p.speed, Unknown) and _speed(p) == speed]
        share[speed] = Fraction(sum(states_lossless(p) for p in alike), len(alike))
        common[speed] = frozenset(
            c.name for c in classes if c.lossless and sum(_states(p, c) for p in alike) >= NEARLY_ALL * len(alike)
        )
    stating = states_anything(device)

    def own(port: Port) -> tuple[frozenset[str], str]:
        """Classes of a port with a statement of its own. Where the classes are only inferred, its statement names them."""
        said = "its own no-drop, PFC or lossless-buffer statement"
        open_ones = frozenset(
            c.name for c in classes if c.lossless and c.basis in (Basis.FABRIC, Basis.CONVENTION) and not _states(port, c)
        )
        if not open_ones or not any(_states(port, c) for c in classes if c.lossless):
            return names, said
        missing = open_ones if isinstance(port.speed, Unknown) else open_ones - common.get(_speed(port), nothing)
        return names - missing, f"{said}, which names other priorities" if missing else said

    def carried(port: Port) -> Carried:
        if not port.carrying_kind:
            return nothing, f"{port.kind} ports carry no class", None
        if port.admin is False:
            return nothing, "administratively down", None
        if judged_at_members(device, port):
            return nothing, "a bundle, judged at its members", None
        if by_plan:
            if planned is None:
                return Unknown("the device is not in the intent", Fact.ROLE), "not in the intent", None
            mine = planned.ports.get(port.name)
            if mine is None:
                return nothing, "not in the intent, so nothing lossless runs over it", "unused"
            known = mine.peer is not None and (mine.peer.device in switches or mine.peer.device in devices)
            peer = "fabric" if known else "host"
            return mine.carries & names, "intent", peer
        link = links.get((device.hostname, port.name))
        if link is not None:
            far = link.b if (link.a.device, link.a.port) == (device.hostname, port.name) else link.a
            other = devices.get(far.device)
            other_port = other.ports.get(far.port) if other else None
            if other_port is not None and states_lossless(other_port):
                return names, f"the other end of the link ({far.device} {far.port}) carries it", None
        if states_lossless(port):
            return *own(port), None
        if turned_off(port, device.nos):
            why = "a line turns PFC off here, where the NOS would negotiate it; whether that is meant only an intent says"
            return Unknown(f"role of the port unknown: {why}", Fact.ROLE), why, None
        if port.kind in (PortKind.BUNDLE, PortKind.PEER_LINK):
            return Unknown(f"role of the {port.kind} unknown", Fact.ROLE), "role unknown", None
        if lossless and _link_pause(port):
            return names - lossless, "its own line turns link-level pause on, which excludes PFC on a port", None
        if stating and isinstance(port.speed, Unknown):
            return Unknown(f"role of the port unknown: {port.speed.reason}", port.speed.fact), "role unknown", None
        if stating and share.get(_speed(port), Fraction(0)) >= HALF:
            untold = by_tag if port.routed is True else nothing
            why = "; but frames of a routed port carry no tag, and some class is told apart by 802.1p" if untold else ""
            return names - untold, f"at least half of the front ports of its speed do{why}", None
        if not stating and not lossless:
            return nothing, "nothing in the fabric is to be lossless", None
        if not stating:
            speed = _speed(port)
            if speed not in by_role:
                by_role[speed] = _share_of_role(device, speed, devices)
            if by_role[speed] >= HALF and not isinstance(port.speed, Unknown) and port.kind in PHYSICAL:
                return names, f"at least half of the front ports of its speed on switches of role {device.role} do", None
            why = "role of the port unknown: nothing on this device is no-drop"
            return Unknown(why, Fact.ROLE), "nothing on this device is no-drop", None
        return Unknown("role of the port unknown", Fact.ROLE), "role unknown", None

    return carried


def states_anything(device: SwitchModel) -> bool:
    """Whether some port of the switch has a statement of its own."""
    return any(states_lossless(p) for p in device.ports.values())


def _share_of_role(device: SwitchModel, speed: int | None, devices: Mapping[str, SwitchModel]) -> Fraction:
    """For a switch that says nothing at all: the share of front ports of this speed that do, on the others of its role."""
    if device.role is None:
        return Fraction(0)
    others = (d for d in devices.values() if d.role == device.role and d.hostname != device.hostname)
    alike = [p for d in others for p in front_ports(d) if p.speed == speed]
    return Fraction(sum(states_lossless(p) for p in alike), len(alike)) if alike else Fraction(0)


def _speed(port: Port) -> int | None:
    return port.speed if isinstance(port.speed, int) else None


def _states(port: Port, cls: ClassInForce) -> bool:
    """Whether the port's no-drop or buffer statement names the class's priority."""
    priority = cls.priority
    if not isinstance(priority, int):
        return states_lossless(port)
    group = port.qos.groups.get(priority)
    return priority in port.qos.pfc.no_drop or (group is not None and group.lossless is True and _in_block(port, priority))
