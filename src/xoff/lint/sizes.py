"""Numbers for rules: what a link needs of headroom, where a group pauses, what a pool has to hold. All of them from sizing/.

Everything is imported when it is first asked for, so that a run whose rules need no number does not load them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from xoff.lint.objects import DeviceView
from xoff.lint.ports import PortView
from xoff.lint.view import NotAssessed
from xoff.model.headroom_table import HeadroomRow
from xoff.model.origin import Default, Evidence, Line, Origin
from xoff.model.qos import PriorityGroup, Queue, Static
from xoff.model.quantity import Context, Fact, Quantity, Unknown
from xoff.model.switch import Pool, PoolKind, Port

if TYPE_CHECKING:
    from xoff.derive.setting import Setting
    from xoff.errors import XoffError
    from xoff.platforms import Asic
    from xoff.sizing.headroom import LinkInput
    from xoff.sizing.limits import HeadroomLimits
    from xoff.sizing.number import Number
    from xoff.sizing.pools import PoolNeed
    from xoff.sizing.thresholds import EgressVerdict, XoffPoint

#: Largest untagged-or-tagged frame of plain Ethernet (bytes): what a port carries at least, whatever its MTU is.
LEAST_FRAME = 1522
#: Largest RDMA MTU of RoCEv2 (bytes of payload): what is sent where the port's MTU lets it and nothing says less.
ROCE_MTU = 4096


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the intent asks for: a preset's number, or the number that it fixes. Bytes."""

    name: str
    number: Number


@dataclass(frozen=True, slots=True)
class LinkNeed:
    """What the headroom of some ports of a view is judged by. Bytes, metres, Mb/s.

    `cable_m` None: not known, and the floor is that of no cable at all. `wanted`: what the intent names, Unknown where that
    gives no number, None without an intent for the port. `row`: the row of the headroom table in the input for this speed and
    the longest listed cable that is not longer. `frames`: in words, what frames were taken and why. `mtu_at`: the default that
    the frames rest on, where one decides; `least`: the floor without it. `link`: what the limits were computed from.
    `known_m`: the length that an intent or cabling file gives, whatever the switch is told.
    """

    ports: tuple[str, ...]
    speed: int
    cable_m: int | None
    limits: HeadroomLimits
    wanted: Wanted | Unknown | None
    row: HeadroomRow | None
    frames: str
    mtu_at: Origin | None
    least: int
    link: LinkInput
    known_m: int | None = None


def link_needs(view: PortView) -> list[LinkNeed]:
    """The needs of the view's ports, one entry for all that have the same link. Raises NotAssessed where no speed is known.

    Computed once a run for each view.
    """
    key = ("needs", id(view))
    memo = view.device.fabric.memo
    if key not in memo:
        memo[key] = (view, _needs(view))  # the view itself keeps its id from being given to another
    found: list[LinkNeed] = memo[key][1]
    return found


def _needs(view: PortView) -> list[LinkNeed]:
    grouped: dict[tuple[object, ...], list[str]] = {}
    for port in view.ports:
        grouped.setdefault(_link_key(view.device, port), []).append(port.name)
    return [_need(view, tuple(names)) for names in grouped.values()]


def cable_lengths(view: PortView) -> dict[int | None, tuple[str, ...]]:
    """Ports of the view by the length of their cables (metres): as an intent or cabling file says, else as the switch is told.

    None: not known. No speed is needed, unlike for `link_needs`.
    """
    found: dict[int | None, list[str]] = {}
    for port in view.ports:
        planned = view.device.planned.ports.get(port.name) if view.device.planned else None
        known = planned.cable_m if planned is not None else _cabling(view.device, port.name)
        told = port.cable_m if isinstance(port.cable_m, int) else None
        found.setdefault(known if known is not None else told, []).append(port.name)
    return {m: tuple(names) for m, names in found.items()}


def _link_key(device: DeviceView, port: Port) -> tuple[object, ...]:
    """What of the link is known from elsewhere than the port's own configuration."""
    planned = device.planned.ports.get(port.name) if device.planned else None
    if planned is None:
        return (_cabling(device, port.name),)
    from xoff.derive.headroom import peer_chip
    from xoff.derive.setting import Setting

    s = _setting(device)
    peer = id(peer_chip(s, planned)) if isinstance(s, Setting) else 0  # chips are loaded once
    return (planned.speed, planned.cable_m, planned.mtu, planned.headroom, planned.lanes, peer)


def _cabling(device: DeviceView, port: str) -> int | None:
    """Length of the port's cable by a link that says it (a cabling file)."""
    memo = device.fabric.memo
    if ("cables",) not in memo:
        links = [k for k in device.fabric.maybe.links if k.cable_m is not None]
        memo["cables",] = {(end.device, end.port): k.cable_m for k in links for end in (k.a, k.b)}
    found: int | None = memo["cables",].get((device.name, port))
    return found


def _need(view: PortView, names: tuple[str, ...]) -> LinkNeed:
    from xoff.sizing.headroom import LinkInput, frame_of_mtu, frame_of_roce

    device, port = view.device, next(p for p in view.ports if p.name == names[0])
    planned = device.planned.ports.get(port.name) if device.planned else None
    speed = port.speed if isinstance(port.speed, int) else planned.speed if planned else None
    if speed is None:
        reason = port.speed.reason if isinstance(port.speed, Unknown) else "the port's speed is not known"
        raise NotAssessed(reason, Fact.SPEED)
    known_m = planned.cable_m if planned else _cabling(device, port.name)
    cable = port.cable_m if known_m is None and isinstance(port.cable_m, int) else known_m
    mtu = port.mtu if isinstance(port.mtu, int) else planned.mtu if planned else None
    own = LEAST_FRAME if mtu is None else frame_of_mtu(mtu)
    if planned is not None and device.planned is not None:
        roce, said = device.planned.roce_mtu, "of the intent"
    else:
        roce, said = ROCE_MTU, "the largest of RoCEv2; an intent can say less"
    lossless = min(frame_of_roce(roce), max(own, LEAST_FRAME))
    whose = "its MTU is not known: plain Ethernet" if mtu is None else f"MTU {mtu}"
    frames = f"frames: largest {own} B ({whose}), lossless {lossless} B (RoCE MTU {roce}, {said})"
    asic = device.asic_facts
    mtu_at = port.own.get("mtu")
    link = LinkInput(speed, cable or 0, own, lossless, port_mtu=mtu)
    return LinkNeed(
        names,
        speed,
        cable,
        _limits(asic, link),
        _wanted(device, port.name, speed),
        table_row(device, speed, cable) if cable is not None else None,
        frames,
        mtu_at if isinstance(mtu_at, Default) else None,
        _limits(asic, replace(link, max_frame=min(own, LEAST_FRAME), lossless_frame=min(lossless, LEAST_FRAME))).floor.value,
        link,
        known_m,
    )


def _limits(asic: Asic | None, link: LinkInput) -> HeadroomLimits:
    return _limits_of(asic.name if asic else "", link)


@lru_cache(maxsize=4096)
def _limits_of(asic: str, link: LinkInput) -> HeadroomLimits:
    from xoff import platforms
    from xoff.errors import UsageError
    from xoff.sizing.limits import limits

    try:
        return limits(platforms.load(asic) if asic else None, link)
    except UsageError as why:
        raise NotAssessed(str(why)) from why


def _wanted(device: DeviceView, port: str, speed: int) -> Wanted | Unknown | None:
    """What the intent asks of this port: the number that it fixes, else that of its preset for the planned link."""
    if device.planned is None or device.fabric.plan is None or port not in device.planned.ports:
        return None
    from xoff.derive.headroom import by_preset, link_of
    from xoff.errors import XoffError
    from xoff.sizing.number import number, term

    planned = device.planned.ports[port]
    if planned.headroom is not None:
        fixed = term("headroom", planned.headroom, "fixed by the intent", "the intent")
        return Wanted("the intent's own number", number(planned.headroom, "as the intent says", (fixed,), "intent"))
    preset = device.planned.preset
    s = _setting(device)
    if s is None or isinstance(s, XoffError):
        return None if s is None else Unknown(str(s))
    try:
        found = by_preset(preset, replace(link_of(s, planned), speed=speed), s)
    except XoffError as why:
        return Unknown(str(why))
    return found if isinstance(found, Unknown) else Wanted(f"preset {preset}", found)


def _setting(device: DeviceView) -> Setting | XoffError | None:
    """The intent's surroundings of this device, looked up once; the error where its platform is not known."""
    memo, key = device.fabric.memo, ("setting", device.name)
    if key not in memo:
        from xoff.derive.setting import setting
        from xoff.errors import XoffError

        try:
            memo[key] = (
                None
                if device.planned is None or device.fabric.plan is None
                else setting(device.fabric.plan, device.planned, device.maybe.form)
            )
        except XoffError as why:
            memo[key] = why
    found: Setting | XoffError | None = memo[key]
    return found


def table_row(device: DeviceView, speed: int, cable_m: int, exact: bool = False) -> HeadroomRow | None:
    """The row of the headroom table in the input for this speed and cable; else (not `exact`) for the next shorter cable.

    A device looks up exactly and takes the last of two equal rows.
    """
    rows = [r for r in device.maybe.headroom_table if r.speed == speed and r.cable_m <= cable_m]
    if exact:
        rows = [r for r in rows if r.cable_m == cable_m]
    longest = max((r.cable_m for r in rows), default=None)
    return next((r for r in reversed(rows) if r.cable_m == longest), None)


def row_line(row: HeadroomRow) -> Line | None:
    """The row as a line of its table, a place for findings."""
    if row.at is None:
        return None
    text = f"{row.speed} {row.cable_m}m {row.size} {row.xon} {row.xoff}"
    return Line((row.at.file.replace("\\", "/").rpartition("/")[2],), text, row.at)


def row_floor(row: HeadroomRow) -> int | None:
    """The least headroom (bytes) of a link of the row's speed and cable, by which rows of one table are compared.

    None where there is no such link (a speed of 0, a cable around the world).
    """
    from xoff.errors import UsageError
    from xoff.sizing.headroom import LinkInput, floor_headroom

    try:
        return floor_headroom(LinkInput(row.speed, row.cable_m)).value
    except UsageError:
        return None


def headroom_pools(device: DeviceView) -> Iterator[Pool]:
    """Pools that keep headroom."""
    for pool in device.maybe.pools:
        if pool.kind is PoolKind.HEADROOM:
            yield pool


def pool_needs(device: DeviceView) -> list[PoolNeed]:
    """What a headroom pool has to hold, per memory domain (see `sizing.pools`)."""
    from xoff.sizing.pools import headroom_pool_need

    key = ("pools", device.name)
    if key not in device.fabric.memo:
        device.fabric.memo[key] = headroom_pool_need(device.maybe, device.asic_facts)
    found: list[PoolNeed] = device.fabric.memo[key]
    return found


def pool_bytes(device: DeviceView, size: Quantity | Unknown | None) -> int:
    """A size in bytes. Raises NotAssessed where it is not a number here."""
    if size is None:
        raise NotAssessed("the pool's size is not in the input: the device computes it")
    found = size if isinstance(size, Unknown) else size.bytes(device.context())
    if isinstance(found, Unknown):
        raise NotAssessed(found.reason, found.fact)
    return found


def ships_pool(device: DeviceView, size: int) -> str | None:
    """The hwsku for which the vendor of this ASIC ships a headroom pool of just this size (bytes)."""
    if device.asic_facts is None:
        return None
    for name, shipped in device.asic_facts.buffers.items():
        if any(pool.get("xoff", "").strip() == str(size) for pool in shipped.pools.values()):
            return name.rpartition(".")[0] or name
    return None


def stated_pool(device: DeviceView, need: PoolNeed, ratio: Fraction) -> int:
    """Bytes that a headroom pool has to have in one domain for a ratio that the configuration states (see `sizing.pools`)."""
    from xoff.sizing.pools import pool_for_ratio

    return pool_for_ratio(need, ratio, device.asic_facts)


def keeps_private_headroom(device: DeviceView, group: PriorityGroup) -> bool | Unknown:
    """Whether the group's own reserved bytes hold its headroom, so that it needs no pool (see `sizing.pools`)."""
    from xoff.sizing.pools import private_headroom

    return private_headroom(group, device.asic_facts, device.context())


def xoff_of(device: DeviceView, group: PriorityGroup, n: int = 1) -> XoffPoint:
    """Where a group pauses its sender with n groups congested (n = 1: an upper bound where the NOS names no pools).

    Raises NotAssessed.
    """
    from xoff.sizing.thresholds import xoff_from_above, xoff_point

    if group.pool is None and group.threshold is not None and not isinstance(group.threshold, Static) and n == 1:
        found = xoff_from_above(group, device.maybe.pools, device.asic_facts, device.maybe.kilo)
    else:
        found = xoff_point(group, device.maybe.pools, device.asic_facts, n, device.maybe.kilo)
    if isinstance(found, Unknown):
        raise NotAssessed(found.reason, found.fact)
    return found


def egress_verdict(device: DeviceView, queue: Queue, group: PriorityGroup, headroom: int, up_to: int) -> EgressVerdict:
    """Whether a queue can fill before ingress pauses (see `sizing.thresholds`). Raises NotAssessed."""
    from xoff.sizing.thresholds import egress_never_drops

    found = egress_never_drops(
        queue, group, device.maybe.pools, device.asic_facts, headroom, up_to, device.maybe.kilo
    )  # fmt: skip
    if isinstance(found, Unknown):
        raise NotAssessed(found.reason, found.fact)
    return found


def marked_at(kmin: int, kmax: int, pmax: Fraction, at: int) -> Fraction:
    """Percent of packets marked with `at` bytes in the queue."""
    from xoff.sizing.ecn import marking_probability

    return marking_probability(kmin, kmax, pmax, at)


def terms(number: Number, *more: str) -> tuple[str, ...]:
    """The terms of a number, as the basis of a finding."""
    parts = " + ".join(f"{t.name} {_plain(t.value)}{' ' + t.unit if t.unit else ''}" for t in number.terms)
    return (f"{number.origin.preset or number.origin.formula}: {parts}", *more)


def _plain(value: int | str) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    try:
        return f"{float(Fraction(value)):,.1f}"
    except (ValueError, ZeroDivisionError):
        return value


def secondary(*numbers: Number | None) -> bool:
    """Whether a term of one of the numbers has secondary evidence only."""
    return any(t.evidence is Evidence.SECONDARY for n in numbers if n is not None for t in n.terms)


def size_range(q: Quantity | Unknown | None, ctx: Context) -> tuple[int, int]:
    """Lowest and highest number of bytes that a size can mean. Raises NotAssessed; a time is no size of a queue."""
    if q is None:
        raise NotAssessed("the threshold is not said, and the default is not confirmed", Fact.DEFAULT)
    if isinstance(q, Unknown):
        raise NotAssessed(q.reason, q.fact)
    if not isinstance(q.ns(), Unknown):
        raise NotAssessed("the threshold is a time (latency), which no number of bytes in a group compares with")
    found = q.bytes_range(ctx)
    if isinstance(found, Unknown):
        raise NotAssessed(found.reason, found.fact)
    return found


__all__ = [
    "LinkNeed", "Wanted", "cable_lengths", "egress_verdict", "headroom_pools", "keeps_private_headroom", "link_needs",
    "marked_at", "pool_bytes", "pool_needs", "row_floor", "row_line", "secondary", "ships_pool", "size_range", "stated_pool",
    "table_row", "terms", "xoff_of",
]  # fmt: skip
