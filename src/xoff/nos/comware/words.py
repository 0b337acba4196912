"""Comware: numbers, lists and scales of single statements. None where Comware cannot mean it."""

from __future__ import annotations

import re
from fractions import Fraction

from xoff.model.qos import Colour, WatchdogAction
from xoff.model.quantity import Quantity, Unit
from xoff.sizing.partitions import comware_alpha

#: Names of the eight queues, 0 to 7, as a running configuration prints them.
QUEUES = ("be", "af1", "af2", "af3", "af4", "ef", "cs6", "cs7")
COLOURS = (Colour.GREEN, Colour.YELLOW, Colour.RED)
ACTIONS = {"forwarding": WatchdogAction.FORWARD, "discard": WatchdogAction.DROP}
#: Code points with names (RFC 2474, 2597, 3246).
_DSCP = (
    {"be": 0, "default": 0, "ef": 46}
    | {f"cs{n}": 8 * n for n in range(8)}
    | {f"af{c}{d}": 8 * c + 2 * d for c in range(1, 5) for d in range(1, 4)}
)


def whole(text: str, low: int, high: int) -> int | None:
    """A whole number from `low` to `high`."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 12 and low <= int(text) <= high else None


def queue(text: str) -> int | None:
    """A queue by number or by name."""
    return QUEUES.index(text) if text in QUEUES else whole(text, 0, 7)


def priorities(text: str) -> frozenset[int] | None:
    """`1,3-5`: commas and hyphens, no blanks, at most 16 characters."""
    return None if len(text) > 16 else numbers(text, 7) if re.fullmatch(r"[\d,-]+", text, re.ASCII) else None


def numbers(text: str, high: int, names: bool = False) -> frozenset[int] | None:
    """A list such as `24 25 26`, `24 to 31`, `24,26`, `24-31`, values 0 to `high`."""
    out: set[int] = set()
    for token in re.split(r"[\s,]+", re.sub(r"\s+to\s+", "-", text.strip()).strip(",")):
        if names and token.lower() in _DSCP:
            out.add(_DSCP[token.lower()])
            continue
        first, dash, last = token.partition("-")
        a = whole(first, 0, high)
        b = whole(last, 0, high) if dash else a
        if a is None or b is None or b < a:
            return None
        out.update(range(a, b + 1))
    return frozenset(out)


def cells(text: str) -> Quantity | None:
    n = whole(text, 0, 2**32 - 1)
    return None if n is None else Quantity(Fraction(n), Unit.CELLS)


def percent(text: str, low: int = 0) -> Quantity | None:
    n = whole(text, low, 100)
    return None if n is None else Quantity(Fraction(n), Unit.PERCENT)


def share_of_pool(text: str) -> Quantity | None:
    n = whole(text, 0, 100)
    return None if n is None else Quantity(Fraction(n), Unit.PERCENT_OF_POOL)


def alpha(text: str) -> Quantity | None:
    """The alpha that a percent of `ingress-buffer dynamic` stands for."""
    n = whole(text, 0, 100)
    return None if n is None else Quantity(comware_alpha(n), Unit.ALPHA)


def ratio(of: Quantity) -> int | None:
    """The least percent that stands for an alpha; None where Comware has none for it."""
    return next((n for n in range(101) if of.unit is Unit.ALPHA and comware_alpha(n) == of.amount), None)


def weight(text: str) -> Quantity | None:
    n = whole(text, 0, 2**31 - 1)
    return None if n is None else Quantity(Fraction(n), Unit.WEIGHT)


def rate(text: str) -> Quantity | None:
    n = whole(text, 0, 10**12 - 1)
    return None if n is None else Quantity(Fraction(n), Unit.KBPS)
