"""Junos: the named objects of `class-of-service`, as they are defined once for the switch."""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction

from xoff.model.origin import Line
from xoff.model.qos import Alpha, Colour, Curve, HeaderField, WatchdogAction
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.record import dataclass

CLASSIFIER, CLASS, DROP, SCHEDULER = "classifier", "forwarding-class", "drop-profile", "scheduler"
MAP, CNP, REWRITE, CONTROL = "scheduler-map", "congestion-notification-profile", "rewrite-rule", "traffic-control-profile"
GROUP = "group"
#: Queues of a port; from this number on they carry multidestination traffic ([D-def]).
QUEUES, MULTICAST = 12, 8


@dataclass(slots=True)
class Class:
    """A forwarding class. `queue` None: defined without one."""

    name: str
    at: Line
    queue: int | None = None
    lossless: bool = False
    pfc: int | None = None
    lines: dict[str, Line] = field(default_factory=dict)


@dataclass(slots=True)
class Rows:
    """A classifier or rewrite rule. `rows`: for a classifier value -> (class, colour), for a rewrite class -> value.

    `imports`: name of what it starts from.
    """

    kind: str
    name: str
    at: Line
    rows: dict[int, tuple[str, Colour, Line]] = field(default_factory=dict)
    written: dict[str, tuple[int, Line]] = field(default_factory=dict)
    imports: tuple[str, Line] | None = None


@dataclass(slots=True)
class Drop:
    """A drop profile: points (fill level, probability) in percent; None: what it says is no ramp. `at`: lines of the ends."""

    name: str
    at: Line
    points: tuple[tuple[int, int], ...] | None = None
    steps: bool = False
    low: Line | None = None
    high: Line | None = None

    def curve(self, marks: bool) -> Curve:
        """The ramp that the points make, in percent of the queue's limit."""
        if not self.points:
            bad = Unknown(f"drop profile {self.name} says no ramp")
            return Curve(bad, bad, bad, marks=marks, drops=not marks)
        fills, top = [f for f, _ in self.points], max(p for _, p in self.points)
        if self.steps:
            low = next((f for f, p in self.points if p), fills[-1])
            high = next(f for f, p in self.points if p == top)
        else:
            low = max((f for f, p in self.points if not p and all(q == 0 for g, q in self.points if g < f)), default=fills[0])
            high = next(f for f, p in self.points if p == top)
        pmax: Quantity | Unknown = Quantity(Fraction(top), Unit.PERCENT)
        kmin: Quantity | Unknown = _fill(low)
        if not self.steps and self.points[0][1]:
            kmin = Unknown(
                f"drop profile {self.name} begins above 0 %, and what holds below its first fill level is not confirmed"
            )
        inner = [(f, p) for f, p in self.points if low < f < high]
        if any(Fraction(p) != Fraction(top * (f - low), high - low) for f, p in inner):
            pmax = Unknown(f"drop profile {self.name} is a ramp of several slopes, which two thresholds do not hold")
        return Curve(kmin, _fill(high), pmax, marks=marks, drops=not marks)


def _fill(percent: int) -> Quantity:
    return Quantity(Fraction(percent), Unit.PERCENT_OF_LIMIT)


@dataclass(slots=True)
class Schedule:
    """A scheduler. `profiles`: (loss priority, protocol, drop profile, line)."""

    name: str
    at: Line
    values: dict[str, tuple[object, Line]] = field(default_factory=dict)
    profiles: list[tuple[str, str, str, Line]] = field(default_factory=list)


@dataclass(slots=True)
class Point:
    """An input code point. `pfc` None: PFC is not said for it."""

    value: int
    at: Line
    pfc: Line | None = None
    mru: tuple[int, Line] | None = None
    xon: tuple[Quantity, Line] | None = None


@dataclass(slots=True)
class Pausing:
    """A congestion-notification-profile. `kind`: the field of its input code points, None without input.

    `output` None: no output stanza.
    """

    name: str
    at: Line
    kind: HeaderField | None = None
    points: dict[int, Point] = field(default_factory=dict)
    output: dict[int, tuple[frozenset[int], Line]] | None = None
    cable: tuple[int, Line] | None = None
    watchdog: Line | None = None
    times: dict[str, tuple[Quantity | int | WatchdogAction, Line]] = field(default_factory=dict)
    mixed: bool = False


@dataclass(slots=True)
class Objects:
    """All of them. `parts`: (direction, partition) -> values; `used`: (kind, name, line) of references between objects."""

    classes: dict[str, Class] = field(default_factory=dict)
    classifiers: dict[tuple[str, str], Rows] = field(default_factory=dict)
    rewrites: dict[tuple[str, str], Rows] = field(default_factory=dict)
    drops: dict[str, Drop] = field(default_factory=dict)
    schedulers: dict[str, Schedule] = field(default_factory=dict)
    maps: dict[str, dict[str, tuple[str, Line]]] = field(default_factory=dict)
    map_at: dict[str, Line] = field(default_factory=dict)
    pausing: dict[str, Pausing] = field(default_factory=dict)
    controls: dict[str, tuple[str | None, Line]] = field(default_factory=dict)
    parts: dict[tuple[str, str], tuple[int, Line]] = field(default_factory=dict)
    thresholds: dict[tuple[str, str], tuple[Alpha, Line]] = field(default_factory=dict)
    shared: bool = False
    accounts: bool = False
    used: list[tuple[str, str, Line]] = field(default_factory=list)
    sections: set[str] = field(default_factory=set)
