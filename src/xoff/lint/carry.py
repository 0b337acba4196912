"""Which ports carry which classes, and why (DESIGN 8 "Which ports carry a class").

Order: intent; the other end of a known link; a statement of the port's own; at least half of the device's front ports of that
speed. Otherwise the port's role is unknown. Sub-interfaces, SVIs, management and loopback never carry.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from xoff.fabric.planned import PlannedDevice
from xoff.lint.bundles import judged_at_members
from xoff.lint.classes import states_no_drop
from xoff.lint.objects import front_ports
from xoff.model.fabric import ClassInForce, Link
from xoff.model.qos import PfcMode
from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import Port, PortKind, SwitchModel

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
    nothing: frozenset[str] = frozenset()
    share: dict[object, bool] = {}
    for speed in {_speed(p) for p in front_ports(device)}:
        alike = [p for p in front_ports(device) if _speed(p) == speed]
        share[speed] = sum(states_lossless(p) for p in alike) * 2 >= len(alike)
    stating = any(states_lossless(p) for p in device.ports.values())

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
            return names, "its own no-drop, PFC or lossless-buffer statement", None
        if port.kind is PortKind.BUNDLE:
            return Unknown("role of the bundle unknown", Fact.ROLE), "role unknown", None
        if stating and share.get(_speed(port), False):
            return names, "at least half of the front ports of its speed do", None
        if not stating:
            return (
                nothing if not lossless else Unknown("role of the port unknown: nothing on this device is no-drop", Fact.ROLE),
                ("nothing on this device is no-drop"),
                None,
            )
        return Unknown("role of the port unknown", Fact.ROLE), "role unknown", None

    return carried


def _speed(port: Port) -> object:
    return port.speed if isinstance(port.speed, int) else None
