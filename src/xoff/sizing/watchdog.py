"""PFC watchdog times: how long a pause must last to count as a storm, from the NOS's limits and the memory behind the pause.

A port is paused by its peer for as long as the peer needs to drain what it holds. So detection must outlast ten times the
drain time of the largest memory domain at either end, and two polls, or a healthy incast is taken for a storm.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from xoff.errors import UsageError
from xoff.model.origin import Evidence, Term
from xoff.model.quantity import Fact, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Architecture
from xoff.platforms.facts import Asic
from xoff.platforms.watchdog import TimeLimit, WatchdogLimits
from xoff.sizing.number import MAX_SPEED, MIN_SPEED, Number, ceil, number, term

BASE_MS = 200
DEEP_MS = 400
DRAINS = 10
POLLS = 2
STEP_MS = 10
QUANTUM_BITS, MAX_QUANTA = 512, 65_535

BASE_SOURCE = "200 ms is the default of SONiC (pfcwd/main.py start_default) and of Junos (cos-pfc-watchdog-configure)"
DEEP_SOURCE = "8 GB of HBM (Jericho2) drain at 400G in 160 ms"
RULE = "ten drain times and two polls: a pause of a healthy incast ends before"


@dataclass(frozen=True, slots=True)
class WatchdogTimes:
    """Milliseconds. `short`: what the NOS's ranges did not allow, in words; empty where the times are as they should be."""

    detect: Number
    restore: Number
    poll: Number
    short: tuple[str, ...] = ()


def longest_pause_us(speed: int) -> Fraction:
    """How long one PFC frame stops a port of `speed` Mb/s at most: 65,535 quanta of 512 bit times. Microseconds, exact.

    A storm repeats the frame within this time; a watchdog sees many of them. Raises UsageError for speeds out of range.
    """
    _check_speed(speed)
    return Fraction(MAX_QUANTA * QUANTUM_BITS, speed)


def drain_ms(asic: Asic | None, speed: int) -> tuple[int, Term] | Unknown:
    """Longest legitimate pause: the time a port at `speed` Mb/s needs to empty one memory domain. Milliseconds, rounded up.

    Where the number of domains is unknown the whole memory counts: no pause lasts longer than that. Unknown without a sourced
    buffer.
    """
    _check_speed(speed)
    if asic is None:
        return Unknown("the ASIC is not known", Fact.ASIC)
    buffer, domains = asic.buffer.value, asic.domains.value
    if isinstance(buffer, Unknown):
        return Unknown(f"the buffer of {asic.title} is not sourced")
    split = 1 if isinstance(domains, Unknown) else domains
    ms = ceil(Fraction(buffer * 8, split * speed * 1000))
    part = "one memory domain" if split > 1 else "the memory"
    what = f"{buffer // split:,} B, {part} of {asic.title}, at {speed / 1000:g}G"
    return ms, term("drain time", ms, what, asic.buffer.source, asic.buffer.evidence, "ms")


def default_times(limits: WatchdogLimits, ports: int) -> WatchdogTimes | Unknown:
    """What the NOS itself starts with on a switch of so many ports. Unknown where a default is not sourced."""
    found = [_default(limits, what, ports) for what in ("detect", "restore", "poll")]
    detect, restore, poll = found
    if detect is None or restore is None or poll is None:
        what = next(w for w, n in zip(("detection", "restoration", "polling"), found, strict=True) if n is None)
        return Unknown(f"the default {what} time of {limits.nos} is not sourced")
    return WatchdogTimes(detect, restore, poll)


def watchdog_times(
    limits: WatchdogLimits, ports: int, asic: Asic | None, slowest: int, peers: Iterable[Asic] = ()
) -> WatchdogTimes:
    """Times for a switch of so many ports; `slowest`: Mb/s of its slowest lossless port, `peers`: chips at the other ends.

    Detection: the NOS's own default (else 200 ms), at least ten drain times, at least 400 ms where a deep-buffer chip may pause
    for long, and two polls. Polling: the NOS's default, at most half of detection. Restoration: the NOS's default (else twice
    detection), not below detection. All within the NOS's ranges; `short` says what these did not allow.
    """
    detect, terms = _needed(limits, ports, asic, slowest, peers)
    poll = _default(limits, "poll", ports)
    ticks = detect // POLLS if poll is None else min(poll.value, detect // POLLS)
    interval = _within(limits.poll, ticks)
    poll_terms = (*(poll.terms if poll else ()), term("detection", detect, "polling at most half of it", RULE, unit="ms"))
    if POLLS * interval > detect:
        terms = (
            *terms,
            term("two polls", POLLS * interval, f"{limits.nos} polls no faster than {interval} ms", RULE, unit="ms"),
        )
        detect = POLLS * interval
    short: list[str] = []
    wanted, detect = detect, _fit(limits.detect, detect, interval)
    if detect < wanted:
        short.append(f"detection should be {wanted} ms, {limits.nos} takes at most {detect} ms")
    given = _default(limits, "restore", ports)
    wish = max(detect, given.value) if given else 2 * detect
    restore = _fit(limits.restore, wish, interval)
    if restore < detect:
        short.append(f"restoration should not be below detection ({detect} ms), {limits.nos} takes at most {restore} ms")
    back = (*(given.terms if given else ()), term("detection", detect, "restoration not below it", RULE, unit="ms"))
    return WatchdogTimes(
        number(detect, "max(default, 10 x drain time, 2 x polling)", terms, unit="ms"),
        number(restore, "max(default, detection)" if given else "2 x detection", back, unit="ms"),
        number(interval, "min(default, detection / 2)" if poll else "detection / 2", poll_terms, unit="ms"),
        tuple(short),
    )


def _needed(
    limits: WatchdogLimits, ports: int, asic: Asic | None, slowest: int, peers: Iterable[Asic]
) -> tuple[int, tuple[Term, ...]]:
    """The detection time before polling and ranges, and its terms."""
    own = _default(limits, "detect", ports)
    base = own.value if own else BASE_MS
    terms = [*(own.terms if own else (term("base", BASE_MS, f"{limits.nos} has no sourced default", BASE_SOURCE, unit="ms"),))]
    chips = tuple(dict.fromkeys((*((asic,) if asic else ()), *peers)))
    drains = [d for c in chips if not isinstance(d := drain_ms(c, slowest), Unknown)]
    need = base
    if drains:
        ms, why = max(drains, key=lambda d: d[0])
        terms.append(why)
        need = max(need, DRAINS * ms)
    deep = next((c for c in chips if c.architecture.value is Architecture.VOQ), None)
    if deep is not None:
        what = f"{deep.title} is a deep-buffer chip and pauses longer"
        terms.append(term("deep buffer", DEEP_MS, what, DEEP_SOURCE, Evidence.COMPUTED, "ms"))
        need = max(need, DEEP_MS)
    return -(-need // STEP_MS) * STEP_MS, tuple(terms)


def _default(limits: WatchdogLimits, what: str, ports: int) -> Number | None:
    """A default of the NOS in milliseconds, grown by ports where the NOS does so, within its range."""
    limit: TimeLimit = getattr(limits, what)
    if limit.default is None:
        return None
    ms = limit.default
    terms = [term("default", ms, f"of {limits.nos}", limit.source, limit.evidence, "polls" if limit.polls else "ms")]
    formula = "the NOS's default"
    if limit.polls:
        if limits.poll.default is None:
            return None
        ms *= limits.poll.default
        terms.append(term("polling", limits.poll.default, "default interval", limits.poll.source, limits.poll.evidence, "ms"))
        formula = "default polls x default interval"
    elif limits.ports_per_step:
        steps = max(1, (ports - 1) // limits.ports_per_step + 1)
        ms *= steps
        terms.append(term("ports", ports, f"{steps} x {limits.ports_per_step}", "the plan", unit=""))
        formula = f"{limit.default} ms x ((ports - 1) // {limits.ports_per_step} + 1)"
    if not limit.polls and limit.high is not None and ms > limit.high:
        ms, formula = limit.high, f"{formula}, at most {limit.high:,} ms"
    return number(ms, formula, tuple(terms), unit="ms")


def _within(limit: TimeLimit, ms: int) -> int:
    """The largest interval that the NOS takes and that is not above `ms`; its smallest where all are."""
    if limit.choices:
        return max((c for c in limit.choices if c <= ms), default=min(limit.choices))
    return max(1, limit.low or 1, min(ms, limit.high or ms))


def _fit(limit: TimeLimit, ms: int, interval: int) -> int:
    """`ms` rounded up to what the NOS can say (whole polls where it counts polls), within its range."""
    unit = interval if limit.polls else 1
    count = -(-ms // unit)
    count = max(limit.low or 0, min(count, limit.high or count))
    return count * unit


def _check_speed(speed: int) -> None:
    if not MIN_SPEED <= speed <= MAX_SPEED:
        raise UsageError(f"speed {speed} Mb/s is out of range: {MIN_SPEED} to {MAX_SPEED} Mb/s (100M to 1600G)")
