"""Numbers for rules: the headroom that is there, and what the same link needs under another assumption. All from sizing/."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from xoff.lint.objects import DeviceView
from xoff.lint.ports import PortView
from xoff.lint.sizes import LinkNeed, row_line, table_row, xoff_of
from xoff.lint.view import NotAssessed, known
from xoff.model.origin import Derived, Evidence, Line, Origin
from xoff.model.qos import PriorityGroup
from xoff.model.quantity import Fact, Quantity, Unknown
from xoff.model.switch import Form, PoolKind

if TYPE_CHECKING:
    from xoff.platforms import Asic, Sourced
    from xoff.sizing.number import Number
    from xoff.sizing.thresholds import XoffPoint

#: A speed in a model's name: `36x400G`.
_NAMED_SPEED = re.compile(r"(?<=\dx)(\d+)(?=G(?![A-Za-z0-9]))", re.ASCII)


def group_headroom(port: PortView, g: int) -> int:
    """Bytes of headroom of one group; 0 where there is none (HDR002). Raises NotAssessed where it is no number here."""
    group = port.maybe.qos.groups.get(g)
    if group is None:
        if port.device.maybe.form is Form.FRAGMENT:
            raise NotAssessed("the buffers of this group are not in the input", Fact.CONFIG)
        return 0
    said = known(group.headroom)
    if not isinstance(said, Quantity):
        return 0
    return int(known(said.bytes(port.device.context(port))))


def headroom_line(port: PortView, need: LinkNeed, g: int) -> Origin | None:
    """The line that says a group's headroom: of the profile, or the row of the lookup table from which the device takes it."""
    at = port.origin(f"group.{g}.headroom")
    if isinstance(at, Derived) and need.cable_m is not None:
        row = table_row(port.device, need.speed, need.cable_m, exact=True)
        return (row_line(row) if row is not None else None) or at
    return at


@dataclass(frozen=True, slots=True)
class PeerNeed:
    """The floor of a link with the peer's own time to stop. `chip`: the peer's; `fact`: nanoseconds, with source.

    `no_slower`: this switch's own chip is sourced to take as long, so that numbers for its own kind serve this peer too.
    """

    floor: Number
    chip: str
    fact: Sourced[int]
    no_slower: bool

    @property
    def read(self) -> bool:
        """Whether the time was read (or given by hand), not concluded from a table of the chip."""
        return self.fact.evidence is Evidence.READ


def need_with_peer(need: LinkNeed, own: DeviceView, peer: DeviceView) -> PeerNeed:
    """The floor of the link where the switch at its other end takes its own sourced time to stop.

    Raises NotAssessed where the peer's chip or its time is not known.
    """
    from xoff.errors import UsageError
    from xoff.sizing.headroom import floor_headroom

    chip, fact = _reaction(peer)
    if isinstance(fact.value, Unknown):
        raise NotAssessed(f"how long {chip} at the other end takes to stop is not sourced")
    try:
        floor = floor_headroom(replace(need.link, response_ns=fact.value))
    except UsageError as why:
        raise NotAssessed(str(why)) from why
    mine = own.asic_facts.response_ns.value if own.asic_facts else None
    return PeerNeed(floor, chip, fact, isinstance(mine, int) and mine >= fact.value)


def _reaction(peer: DeviceView) -> tuple[str, Sourced[int]]:
    """What the peer's chip is called and the time in which it stops: by the intent's own word, else by platforms/."""
    by_hand = peer.planned.asic_facts.response_ns if peer.planned and peer.planned.asic_facts else None
    if by_hand is not None:
        from xoff.platforms import Sourced

        return f"the {peer.asic_facts.title if peer.asic_facts else 'chip'}", Sourced(by_hand, "the intent", Evidence.READ)
    if peer.asic_facts is None:
        reason = peer.maybe.asic.reason if isinstance(peer.maybe.asic, Unknown) else "its ASIC is not in platforms/"
        raise NotAssessed(f"the switch at the other end: {reason}", Fact.ASIC)
    return f"the {peer.asic_facts.title}", peer.asic_facts.response_ns


def script_headroom(port: PortView, need: LinkNeed, lossless_mtu: int) -> Number | Unknown:
    """What the switch's own headroom script computes for this link with lossless frames of this size (bytes).

    Unknown for chips that have no such script.
    """
    from xoff.errors import UsageError
    from xoff.sizing.nvidia import default_small_packets, nvidia_headroom, version_of

    device = port.device
    if device.asic_facts is None:
        found = device.maybe.asic
        return found if isinstance(found, Unknown) else Unknown(f"no facts on ASIC {found} in platforms/", Fact.ASIC)
    release = device.maybe.release if isinstance(device.maybe.release, str) else None
    small = small_packets(device)
    link = replace(need.link, small_packets=default_small_packets(release) if small is None else small)
    pooled = any(p.kind is PoolKind.HEADROOM for p in device.maybe.pools)
    try:
        return nvidia_headroom(
            link, device.asic_facts, version_of(device.asic_facts, release), lossless_mtu, _gearbox(device), pooled
        )
    except UsageError as why:
        return Unknown(str(why))


def small_packets(device: DeviceView) -> int | None:
    """Percent of small packets that the switch is told to reckon with; None where it is not told."""
    found = device.maybe.facts.get("small_packet_percentage")
    return int(found.value) if found is not None and found.value.isdecimal() and int(found.value) <= 100 else None


def _gearbox(device: DeviceView) -> int:
    asic: Asic | None = device.asic_facts
    model = device.maybe.platform
    found = asic.gearbox_ns.get(model.casefold()) if asic is not None and isinstance(model, str) else None
    return found.value if found is not None and isinstance(found.value, int) else 0


@dataclass(frozen=True, slots=True)
class Resume:
    """Where a group pauses and where it resumes (bytes), with one group congested; `xoff` an upper bound where not certain."""

    xoff: XoffPoint
    level: int


def resume_of(device: DeviceView, group: PriorityGroup, xon: int, offset: int | None) -> Resume:
    """The resume level of a group at its highest XOFF point. Raises NotAssessed where the XOFF point is not known."""
    from xoff.sizing.resume import resume_level

    point = xoff_of(device, group)
    if point.high.value < 0:
        raise NotAssessed("the pool is smaller than what is kept of it for headroom, so there is no level to pause at")
    return Resume(point, resume_level(point.high.value, xon, offset).value)


def model_for_speed(device: DeviceView, speed: int) -> tuple[str, int, Line] | None:
    """The model (hwsku) that the vendor has for ports of this speed, where this one is named for another.

    (its name, the speed in this model's own name in Mb/s, where the model is said); None where the name says no other speed or
    the vendor has no such model.
    """
    model, said = device.maybe.platform, device.maybe.facts.get("model")
    if not isinstance(model, str) or said is None or said.at is None or device.asic_facts is None:
        return None
    found = _NAMED_SPEED.search(model)
    if found is None or int(found[1]) * 1000 == speed or speed % 1000:
        return None
    from xoff import platforms

    other = f"{model[: found.start()]}{speed // 1000}{model[found.end() :]}".partition("/")[0]
    known_names = {m.name.partition("/")[0].casefold() for m in platforms.models(device.asic_facts.name)}
    if other.casefold() not in known_names:
        return None
    return other, int(found[1]) * 1000, Line((), "the switch's model", said.at)


@dataclass(frozen=True, slots=True)
class FarEnd:
    """What the switch at the other end of a cable is told of its length (metres), and where."""

    device: str
    port: str
    cable_m: int
    at: Origin | None
    view: PortView


def cable_at_far_end(port: PortView, name: str) -> FarEnd | None:
    """The length that the other end of port `name`'s link states; None where no link is known or it states none."""
    fabric = port.device.fabric
    key = ("far ends",)
    if key not in fabric.memo:
        ends = ((link.a, link.b) for link in fabric.maybe.links)
        views = {(d.name, n): p for d in fabric.devices for p in d.ports for n in p.names}
        fabric.memo[key] = {
            (a.device, a.port): (b, views.get((b.device, b.port))) for x, y in ends for a, b in ((x, y), (y, x))
        }
    end, view = fabric.memo[key].get((port.device.name, name), (None, None))
    if view is None or not view.said("cable_m") or not isinstance(view.maybe.cable_m, int):
        return None
    return FarEnd(end.device, end.port, view.maybe.cable_m, view.origin("cable_m"), view)


def sharing(port: PortView, g: int) -> list[PortView]:
    """The switch's other ports whose headroom stands on the same line as that of group `g` here."""
    at = port.origin(f"group.{g}.headroom")
    if not isinstance(at, Line):
        return []
    key = ("headroom lines", port.device.name)
    memo = port.device.fabric.memo
    if key not in memo:
        memo[key] = {}
        for view in port.device.ports:
            for line in {o for p, o in view.maybe.origins.items() if p.endswith(".headroom") and isinstance(o, Line)}:
                memo[key].setdefault(line, []).append(view)
    return [v for v in memo[key].get(at, ()) if v is not port and v.maybe.admin is not False]


__all__ = [
    "FarEnd", "PeerNeed", "Resume", "cable_at_far_end", "group_headroom", "headroom_line", "model_for_speed", "need_with_peer",
    "resume_of", "script_headroom", "sharing", "small_packets",
]  # fmt: skip
