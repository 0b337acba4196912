"""Parts of a port body that all NOSes share: queues of the classes, the watchdog's times, the port around the body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from xoff import platforms
from xoff.derive.setting import Setting, as_intended, curve, curve_origins, share_origin, shares, thresholds
from xoff.errors import CannotExpress
from xoff.fabric.planned import PlannedPort, TrafficClass
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Derived, Evidence, Origin, Origins
from xoff.model.qos import Colour, NotEct, Queue, QueueId, QueueKind, Scheduler, SchedulerKind, Watchdog, WatchdogAction
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.switch import Port, PortKind
from xoff.platforms import Asic
from xoff.platforms.watchdog import WatchdogLimits
from xoff.platforms.watchdog import of as watchdog_limits
from xoff.sizing.ecn import EcnThresholds
from xoff.sizing.number import Number, number, term
from xoff.sizing.thresholds import XoffPoint
from xoff.sizing.watchdog import WatchdogTimes, watchdog_times

#: XOFF point of a class on a port, for the cap of its marking thresholds.
PointOf = Callable[[PlannedPort, TrafficClass], "XoffPoint | Unknown"]


def marking_of(s: Setting, ports: list[PlannedPort], point: PointOf) -> dict[str, dict[str, EcnThresholds]]:
    """Marking thresholds by port name and class. Where the NOS holds one value for all ports, the smallest decides."""
    out: dict[str, dict[str, EcnThresholds]] = {}
    cache: dict[tuple[object, ...], EcnThresholds] = {}
    for p in ports:
        out[p.name] = {}
        for c in s.marking(p):
            key = (p.speed, p.cable_m, p.mtu, p.carries, p.headroom, c.name)
            if key not in cache:
                cache[key] = thresholds(s, c, p.speed, point(p, c), f"{s.device.name} {p.name}")
            out[p.name][c.name] = cache[key]
    return _smallest(out) if s.scope("queue.kmin", "queue") == "device" else out


def _smallest(of: dict[str, dict[str, EcnThresholds]]) -> dict[str, dict[str, EcnThresholds]]:
    best: dict[str, EcnThresholds] = {}
    for name in {n for found in of.values() for n in found}:
        low_port = min((p for p in of if name in of[p]), key=lambda p: of[p][name].kmin.value)
        high_port = min((p for p in of if name in of[p]), key=lambda p: of[p][name].kmax.value)
        low, high = of[low_port][name], of[high_port][name]
        best[name] = replace(low, kmin=_decided(low.kmin, low_port), kmax=_decided(high.kmax, high_port))
    return {port: {name: best[name] for name in found} for port, found in of.items()}


def _decided(n: Number, port: str) -> Number:
    why = f"one value for the switch: the smallest decides, that of {port}"
    o = n.origin
    terms = (*o.terms, term("deciding port", port, why, "computed", Evidence.COMPUTED, ""))
    return Number(n.value, Derived(f"min over the ports: {o.formula}", terms, o.preset, o.sources, o.intent_at), n.unit)


def queues(
    s: Setting,
    carried: frozenset[str],
    marks: dict[str, EcnThresholds],
    unit: Unit,
    colours: tuple[Colour, ...],
    kind: QueueKind,
) -> tuple[dict[QueueId, Queue], dict[str, Origin]]:
    """One queue per class, numbered as its priority: scheduler of every class, marking of those in `marks`."""
    out: dict[QueueId, Queue] = {}
    origins: dict[str, Origin] = {}
    of = shares(s.plan.classes)
    for c in sorted(s.plan.classes, key=lambda c: c.priority):
        qid = QueueId(kind, c.priority)
        path = f"queue.{qid}"
        how, percent = of[c.name]
        scheduler = Scheduler(how, None if percent is None else Quantity(Fraction(percent), unit))
        origins[f"{path}.scheduler"] = origins[path] = share_origin(c, percent)
        if how is not SchedulerKind.STRICT:
            origins[f"{path}.share"] = share_origin(c, percent)
        queue = Queue(qid, scheduler=scheduler, not_ect=Unknown("the queue does not mark"))
        found = marks.get(c.name)
        if found is not None and c.name in carried:
            ramp = curve(found)
            queue = replace(queue, curves=FrozenMap(dict.fromkeys(colours, ramp)), not_ect=NotEct.DROP)
            curve_origins(path, c, found, origins)
        out[qid] = queue
    return out, origins


def identity(s: Setting, path: str, origins: dict[str, Origin]) -> FrozenMap[int, int | Unknown]:
    """Traffic class n to number n, all eight."""
    origins[path] = as_intended("traffic class, queue and priority of a class are one number")
    return FrozenMap({n: n for n in range(8)})


# --- watchdog ---------------------------------------------------------------------------------------------------------


def times(s: Setting, limits: WatchdogLimits | None = None) -> WatchdogTimes:
    """The switch's watchdog times: as the intent fixes, else by NOS, ports and memory. Raises CannotExpress out of range.

    limits: those of this switch, where models of one NOS differ.
    """
    wish = s.device.watchdog
    speeds = [p.speed for p in s.device.ports.values() if s.lossless(p)]
    limits = limits or watchdog_limits(s.nos.name, s.nos.watchdog)
    auto = watchdog_times(limits, s.port_count, s.asic, min(speeds, default=100_000), peers(s))
    for what in auto.short if wish.enabled else ():
        s.note("watchdog", what)
    detect = _given("detection", wish.detect_ms) or auto.detect
    restore = _given("restoration", wish.restore_ms) or _not_below(auto.restore, detect.value, "detection")
    poll = _given("polling", wish.poll_ms) or _not_above(auto.poll, min(detect.value, restore.value) // limits.polls)
    for what, n, limit in (
        ("detect", detect, limits.detect),
        ("restore", restore, limits.restore),
        ("poll", poll, limits.poll),
    ):
        low, high = limit.low or 1, limit.high or 10**9
        if not limit.polls and not low <= n.value <= high:
            raise CannotExpress(
                f"{s.device.name}: watchdog {what} of {n.value} ms: {s.nos.title} takes {low} to {high} ms; "
                "change the intent's watchdog"
            )
    return WatchdogTimes(detect, restore, poll)


def peers(s: Setting) -> tuple[Asic, ...]:
    """Chips of the switches at the other ends of lossless ports: theirs is the memory that a pause waits for."""
    names: dict[str, None] = {}
    for p in s.device.ports.values():
        other = s.plan.devices.get(p.peer.device) if p.peer is not None and s.lossless(p) else None
        if other is not None:
            names[other.asic or other.model] = None
    found = (platforms.find(n) for n in names)
    return tuple(dict.fromkeys(p.asic for p in found if p is not None))


def _given(name: str, ms: int | None) -> Number | None:
    if ms is None:
        return None
    return number(ms, "as the intent says", (term(name, ms, "fixed by the intent", "the intent", unit="ms"),), "intent", "ms")


def _not_below(n: Number, low: int, what: str) -> Number:
    return n.rounded(max(n.value, low), f"not below {what}")


def _not_above(n: Number, high: int) -> Number:
    return n.rounded(min(n.value, high), "polling keeps up with the other times")


def watchdog(
    s: Setting, lossless: tuple[TrafficClass, ...], t: WatchdogTimes, unit: Unit, origins: dict[str, Origin]
) -> Watchdog:
    """The watchdog of a port: on for its lossless priorities, off where there are none or the intent says so."""
    if not lossless or not s.device.watchdog.enabled:
        why = "the intent turns the watchdog off" if lossless else "the port carries no lossless class"
        origins["watchdog.enabled"] = as_intended(why)
        return Watchdog(available=True, enabled=False)
    action = s.device.watchdog.action or WatchdogAction.DROP
    origins["watchdog.enabled"] = origins["watchdog.priorities"] = as_intended("every lossless priority is guarded")
    origins["watchdog.action"] = as_intended(
        "as the intent says" if s.device.watchdog.action else "drop: the storm costs its own queue, not the port"
    )
    for path, n in (("detect", t.detect), ("restore", t.restore), ("poll", t.poll)):
        origins[f"watchdog.{path}"] = n.origin
    return Watchdog(
        available=True,
        enabled=True,
        priorities=frozenset(c.priority for c in lossless),
        detect=in_time(t.detect, unit),
        restore=in_time(t.restore, unit),
        poll=in_time(t.poll, unit),
        action=action,
    )


def in_time(n: Number, unit: Unit) -> Quantity:
    """A number of milliseconds in the NOS's own unit."""
    return Quantity(Fraction(n.value, 1000) if unit is Unit.SECONDS else Fraction(n.value), unit)


# --- the port ---------------------------------------------------------------------------------------------------------


def port(p: PlannedPort, qos: object, origins: Origins, own: Origins) -> Port:
    """The port around a body."""
    return Port(
        name=p.name,
        kind=PortKind.FRONT,
        qos=qos,  # type: ignore[arg-type]
        speed=p.speed,
        mtu=p.mtu,
        admin=p.admin,
        routed=p.routed,
        cable_m=p.cable_m,
        description=p.description or None,
        peer=None if p.peer is None else (p.peer.device, p.peer.port),
        at=p.at,
        origins=origins,
        own=own,
    )


def own_origins(p: PlannedPort) -> Origins:
    """Origins of the port's own values: the intent."""
    why = as_intended("as the intent says", p.at)
    return Origins(dict.fromkeys(("speed", "mtu", "cable_m", "admin", "routed", "description"), why))
