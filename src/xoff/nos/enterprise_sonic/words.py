"""Enterprise SONiC: numbers and words of single statements, and the kinds of map there are."""

from __future__ import annotations

from fractions import Fraction

from xoff.model.qos import Alpha, Colour, SchedulerKind, WatchdogAction
from xoff.model.quantity import Quantity, Unit
from xoff.model.record import dataclass
from xoff.nos.numbers import whole
from xoff.nos.sonic.maps import alpha

#: Largest exponent range of alpha that the CLI takes (ANS qos_buffer).
ALPHA_LOW, ALPHA_HIGH = -6, 3
#: Smallest and largest headroom of a buffer profile in bytes (ANS qos_buffer pause_threshold).
PAUSE_LOW, PAUSE_HIGH = 46080, 8388608
#: Largest WRED threshold in KB (12,480,000 bytes).
WRED_HIGH = 12480
#: Cable lengths in metres that `cable-length` takes.
CABLES = (5, 40, 300)
ACTIONS = {a.value: a for a in (WatchdogAction.DROP, WatchdogAction.FORWARD, WatchdogAction.ALERT)}
TYPES = {"strict": SchedulerKind.STRICT, "dwrr": SchedulerKind.DWRR, "wrr": SchedulerKind.WRR}
#: Colours that `ecn X` marks.
MARKS = {
    "none": frozenset[Colour](),
    "green": frozenset({Colour.GREEN}),
    "yellow": frozenset({Colour.YELLOW}),
    "red": frozenset({Colour.RED}),
    "all": frozenset(Colour),
}


@dataclass(frozen=True, slots=True)
class MapKind:
    """A kind of map: `qos map <name>` and `qos-map <name>` of ports. `path`: field path of what it fills."""

    name: str
    keys: int
    targets: int
    key: str
    target: str
    path: str


MAPS = {
    k.name: k
    for k in (
        MapKind("dscp-tc", 63, 7, "DSCP", "traffic class", "classify.dscp"),
        MapKind("dot1p-tc", 7, 7, "dot1p", "traffic class", "classify.pcp"),
        MapKind("tc-queue", 7, 7, "traffic class", "queue", "tc_to_queue"),
        MapKind("tc-pg", 7, 7, "traffic class", "priority group", "tc_to_group"),
        MapKind("tc-dscp", 7, 63, "traffic class", "DSCP", "rewrite.dscp"),
        MapKind("tc-dot1p", 7, 7, "traffic class", "dot1p", "rewrite.pcp"),
        MapKind("pfc-priority-queue", 7, 7, "PFC priority", "queue", "pfc.obey"),
        MapKind("pfc-priority-pg", 7, 7, "PFC priority", "priority group", "pfc.send"),
    )
}


def kilobytes(text: str) -> Quantity | None:
    """A WRED threshold in KB of 1,000 bytes."""
    n = whole(text, 0, WRED_HIGH)
    return None if n is None else Quantity(Fraction(n), Unit.KB)


def size(text: str) -> Quantity | None:
    """A buffer size in bytes."""
    n = whole(text, 0, 2**32 - 1)
    return None if n is None else Quantity(Fraction(n), Unit.BYTES)


def percent(text: str) -> Quantity | None:
    n = whole(text, 0, 100)
    return None if n is None else Quantity(Fraction(n), Unit.PERCENT)


def exponent(text: str) -> Alpha | None:
    """`-2` as alpha = 2^-2, -6 to 3."""
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    n = whole(digits, 0, 9)
    return None if n is None or not ALPHA_LOW <= sign * n <= ALPHA_HIGH else alpha(sign * n)


def milliseconds(text: str, low: int, high: int) -> Quantity | None:
    n = whole(text, low, high)
    return None if n is None else Quantity(Fraction(n), Unit.MILLISECONDS)
