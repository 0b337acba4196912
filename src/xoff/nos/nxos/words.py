"""NX-OS: numbers and units of single statements. Each gives a value of the model, or None where NX-OS cannot mean it."""

from __future__ import annotations

import re
from fractions import Fraction

from xoff.model.quantity import Quantity, Unit

UNITS = {"packets": Unit.PACKETS, "bytes": Unit.BYTES, "kbytes": Unit.KBYTES, "mbytes": Unit.MBYTES}
TIMES = {"ms": Unit.MILLISECONDS, "us": Unit.MICROSECONDS}
#: Code points with names (RFC 2474, 2597, 3246).
DSCP_NAMES = (
    {"default": 0, "ef": 46}
    | {f"cs{n}": 8 * n for n in range(1, 8)}
    | {f"af{c}{d}": 8 * c + 2 * d for c in range(1, 5) for d in range(1, 4)}
)
#: Names of IP precedences, in the order of their values (RFC 791).
PRECEDENCE_NAMES = dict(
    zip(
        ("routine", "priority", "immediate", "flash", "flash-override", "critical", "internet", "network"),
        range(8),
        strict=True,
    )
)
_SYSTEM = re.compile(r"c-(?:8q-nq|nq|out-8q-q|out-q|in-8q-q|in-q)([1-7]|-default)\Z")


def whole(text: str, low: int, high: int) -> int | None:
    """A whole number from `low` to `high`."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 12 and low <= int(text) <= high else None


def numbers(text: str, high: int, names: dict[str, int] | None = None) -> frozenset[int] | None:
    """A list such as `24,26`, `24-31`, `af31, cs4`: values 0 to `high`."""
    out: set[int] = set()
    for token in re.split(r"[\s,]+", text.strip().strip(",")):
        if names and token.lower() in names:
            out.add(names[token.lower()])
            continue
        first, dash, last = token.partition("-")
        a = whole(first, 0, high)
        b = whole(last, 0, high) if dash else a
        if a is None or b is None or b < a:
            return None
        out.update(range(a, b + 1))
    return frozenset(out)


def system_class(name: str) -> int | None:
    """The qos-group of a system-defined class by its name; None for a name that people gave. `class-default` is group 0."""
    if name == "class-default":
        return 0
    found = _SYSTEM.match(name)
    return None if found is None else 0 if found[1] == "-default" else int(found[1])


def eight_queues(name: str) -> bool | None:
    """Whether a class name is one of systems with eight queues (True), of those with four (False), or tells nothing."""
    if re.match(r"c-(?:8q-nq|out-8q-q|in-8q-q)|c-(?:in-q|out-q|nq)[4-7]\Z", name):
        return True
    return False if re.match(r"c-(?:out-q|nq)(?:[1-3]|-default)\Z", name) else None


def threshold(amount: str, unit: str) -> Quantity | None:
    """A marking or dropping threshold."""
    n = whole(amount, 0, 2**32 - 1)
    return None if n is None or unit not in UNITS else Quantity(Fraction(n), UNITS[unit])


def size(amount: str, unit: str = "bytes") -> Quantity | None:
    """A size; bytes where no unit is said."""
    n = whole(amount, 0, 2**32 - 1)
    known = UNITS | TIMES
    return None if n is None or unit not in known else Quantity(Fraction(n), known[unit])


def percent(text: str) -> Quantity | None:
    n = whole(text, 0, 100)
    return None if n is None else Quantity(Fraction(n), Unit.PERCENT)


def speed(text: str) -> int | None:
    """Mb/s of `100000`; None for `auto` and what is no speed."""
    return whole(text, 1, 1_600_000)
