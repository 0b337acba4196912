"""ECN007: marking thresholds do not fit the port's speed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xoff.lint.rules import (
    Colour,
    DeviceView,
    FabricView,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    Origin,
    PortView,
    Published,
    Queue,
    Rule,
    Scope,
    Severity,
    Unknown,
    planned_curve,
    published_for,
    scaled_for,
    size_range,
    unicast_queue,
    xoff_of,
)

#: From this ratio of port speeds on one ramp for all of them is one too few.
VERY_DIFFERENT = 8
#: Thresholds from here on (percent of the XOFF point) are as high as memory lets them be: they are not scaled by speed.
AT_THE_LIMIT = 75
_SLOW = (
    "A queue of so many bytes is a fraction of the time at a higher speed: senders are marked for bursts that the fast port "
    "sends "
    "out at once, and throughput is lost; or CNPs become so many that congestion control is switched off."
)
_ONE = (
    "One ramp is many times longer on the slow ports than on the fast ones, counted in time: it marks too late here or too "
    "early "
    "there."
)


@dataclass(slots=True)
class _Ramp:
    """Thresholds (bytes) of a marking queue of some ports of one speed (Mb/s)."""

    port: PortView
    queue: Queue
    kmin: int
    kmax: int
    speed: int
    pool: int | None

    @property
    def at(self) -> Origin | None:
        path = f"queue.{self.queue.id}"
        return self.port.origin(f"{path}.kmin", f"{path}.curve_profile", path)


class EcnNotScaled(Rule):
    code = "ECN007"
    name = "ecn-not-scaled"
    severity = Severity.WARNING
    impact = Impact.THROUGHPUT
    scope = Scope.FABRIC
    explains = ("DRF001",)

    def check_fabric(self, fabric: FabricView) -> Iterator[Hit]:
        stopped: list[NotAssessed] = []
        ramps = [r for device in fabric.devices for r in _ramps(device, stopped)]
        if not ramps and not stopped:
            raise NotApplicable("no queue of a lossless class marks")
        by_values: dict[tuple[int, int], list[_Ramp]] = {}
        for r in ramps:
            by_values.setdefault((r.kmin, r.kmax), []).append(r)
        for (kmin, kmax), members in by_values.items():
            fixed = published_for(kmin, kmax)
            if any(p.speeds is None for p in fixed):
                continue  # published for any speed
            copied = [r for r in members if _for_slower(r, fixed) is not None]
            for r in copied:
                yield self._copied(r, fixed)
            if not copied and not fixed:
                yield from self._one_for_all([r for r in members if not _at_the_limit(r)])
        if stopped:
            raise stopped[0]

    def _copied(self, r: _Ramp, fixed: tuple[Published, ...]) -> Hit:
        row, speed = _for_slower(r, fixed) or (None, 0)
        assert row is not None
        right = f"{row.at(r.speed)[0]:,} B to {row.at(r.speed)[1]:,} B" if row.per is not None else "thresholds for this speed"
        return self.hit(
            f"queue {r.queue.id.id} of a port of {r.speed / 1000:g}G marks from {r.kmin:,} B to {r.kmax:,} B, which is "
            f"published for "
            f"{speed / 1000:g}G ({row.what})",
            at=r.at,
            port=r.port,
            observed=f"{r.kmin:,} B to {r.kmax:,} B",
            expected=right,
            unit="bytes",
            why=_SLOW,
            basis=(f"{row.what}: {row.source}",),
            object=f"queue {r.queue.id.id}",
        )

    def _one_for_all(self, members: list[_Ramp]) -> Iterator[Hit]:
        if not members:
            return
        slow, fast = min(members, key=lambda r: r.speed), max(members, key=lambda r: r.speed)
        if fast.speed < VERY_DIFFERENT * slow.speed:
            return
        yield self.hit(
            f"one ramp, {fast.kmin:,} B to {fast.kmax:,} B, serves ports of {slow.speed / 1000:g}G and of "
            f"{fast.speed / 1000:g}G: "
            f"Kmin is {_us(slow):.0f} us of the slow and {_us(fast):.0f} us of the fast",
            at=fast.at,
            port=fast.port,
            observed=f"{fast.kmin:,} B to {fast.kmax:,} B",
            expected="thresholds by speed",
            unit="bytes",
            why=_ONE,
            related=((slow.port, slow.at, f"the same at {slow.speed / 1000:g}G"),),
            object=f"queue {fast.queue.id.id}, speeds",
        )


def _us(r: _Ramp) -> float:
    return r.kmin * 8 / r.speed


def _for_slower(r: _Ramp, fixed: tuple[Published, ...]) -> tuple[Published, int] | None:
    """The published ramp that these thresholds are, where it is one for a slower port (with that speed); else None."""
    scaled = scaled_for(r.kmin, r.kmax)
    if any(speed >= r.speed for _, speed in scaled) or any(p.speeds is None or p.speeds[1] >= r.speed for p in fixed):
        return None
    found = [(p, p.speeds[1]) for p in fixed if p.speeds is not None] + list(scaled)
    return max(found, key=lambda f: f[1], default=None)


def _at_the_limit(r: _Ramp) -> bool:
    return r.pool is not None and r.kmax * 100 >= r.pool * AT_THE_LIMIT


def _ramps(device: DeviceView, stopped: list[NotAssessed]) -> Iterator[_Ramp]:
    """Marking ramps of queues of lossless classes, in bytes; not those that the intent's own calculation gives."""
    for port in device.carrying:
        if port.maybe.admin is False:
            continue
        for cls in device.fabric.lossless:
            if isinstance(port.carried, Unknown) or cls.name not in port.carried:
                continue
            try:
                yield from _of_class(port, {(p.queue, p.group) for _, p in port.class_paths(cls) if p.protected})
            except NotAssessed as why:
                stopped.append(why)


def _of_class(port: PortView, pairs: set[tuple[int, int]]) -> Iterator[_Ramp]:
    for number, group in sorted(pairs):
        queue = unicast_queue(port.maybe.qos, number)
        curve = None if queue is None else queue.curves.get(Colour.GREEN)
        if queue is None or curve is None or curve.marks is not True or planned_curve(port, queue):
            continue
        low, high = size_range(curve.kmin, port.device.context(port)), size_range(curve.kmax, port.device.context(port))
        if low[0] != low[1] or high[0] != high[1]:
            raise NotAssessed("the NOS does not say whether its K is 1,000 or 1,024")
        yield _Ramp(port, queue, low[0], high[0], port.speed, _pause_point(port, group))


def _pause_point(port: PortView, number: int) -> int | None:
    group = port.maybe.qos.groups.get(number)
    try:
        point = None if group is None else xoff_of(port.device, group)
    except NotAssessed:
        return None
    return None if point is None else point.high.value
