"""EOS: numbers and units of single statements. Each function gives a value of the model, or None where EOS cannot mean it."""

from __future__ import annotations

import re
from fractions import Fraction

from xoff.model.qos import Colour, WatchdogAction
from xoff.model.quantity import Quantity, Unit

UNITS = {
    "segments": Unit.SEGMENTS,
    "bytes": Unit.BYTES,
    "kbytes": Unit.KBYTES,
    "mbytes": Unit.MBYTES,
    "milliseconds": Unit.MILLISECONDS,
    "microseconds": Unit.MICROSECONDS,
    "cells": Unit.CELLS,
}
ECN_UNITS = "segments, bytes, kbytes, mbytes, milliseconds, microseconds"
ACTIONS = {"drop": WatchdogAction.DROP, "errdisable": WatchdogAction.ERRDISABLE, "notify-only": WatchdogAction.ALERT}
PORT_ACTIONS = frozenset({"drop", "notify-only"})
COLOURS = {0: Colour.GREEN, 1: Colour.YELLOW, 2: Colour.RED}
#: The alphas that EOS has words for (AVD 6.4 schema).
ALPHAS = ("1/128", "1/64", "1/32", "1/16", "1/8", "1/4", "1/2", "1", "2", "4", "8")
#: Code points with names (RFC 2474, 2597, 3246, 8622).
DSCP_NAMES = (
    {"be": 0, "default": 0, "ef": 46, "le": 1}
    | {f"cs{n}": 8 * n for n in range(8)}
    | {f"af{c}{d}": 8 * c + 2 * d for c in range(1, 5) for d in range(1, 4)}
)
_SPEED = re.compile(r"(\d+)(g?)(?:full|half|-\d+)?\Z")


def whole(text: str, low: int, high: int) -> int | None:
    """A whole number from `low` to `high`."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 12 and low <= int(text) <= high else None


def numbers(text: str, high: int, names: bool = False) -> frozenset[int] | None:
    """A list such as `24 25 26`, `24,26`, `24-31`, values 0 to `high`."""
    out: set[int] = set()
    for token in re.split(r"[\s,]+", text.strip().strip(",")):
        if names and token.lower() in DSCP_NAMES:
            out.add(DSCP_NAMES[token.lower()])
            continue
        first, dash, last = token.partition("-")
        a = whole(first, 0, high)
        b = whole(last, 0, high) if dash else a
        if a is None or b is None or b < a:
            return None
        out.update(range(a, b + 1))
    return frozenset(out)


def threshold(amount: str, unit: str) -> Quantity | None:
    """An ECN or WRED threshold: 1 or more of one of the six units."""
    n = whole(amount, 1, 2**32 - 2)
    return None if n is None or unit not in UNITS or unit == "cells" else Quantity(Fraction(n), UNITS[unit])


def size(amount: str, unit: str | None) -> Quantity | None:
    """A buffer size in bytes (the default) or cells."""
    n = whole(amount, 0, 2**32 - 1)
    return None if n is None or unit not in (None, "bytes", "cells") else Quantity(Fraction(n), UNITS[unit or "bytes"])


def alpha(text: str) -> Quantity | None:
    return Quantity(Fraction(text), Unit.ALPHA) if text in ALPHAS else None


def percent(text: str, low: int = 0) -> Quantity | None:
    n = whole(text, low, 100)
    return None if n is None else Quantity(Fraction(n), Unit.PERCENT)


def rate(amount: str, unit: str | None) -> Quantity | None:
    """`shape rate 40 percent`, `200000 kbps`, a bare number (kbps)."""
    if unit == "percent":
        return percent(amount, 1)
    n = whole(amount, 0, 10**12 - 1)
    return None if n is None else Quantity(Fraction(n), Unit.PPS if unit == "pps" else Unit.KBPS)


def seconds(text: str, decimals: int) -> Quantity | None:
    """A watchdog time: more than 0 seconds with so many decimals at most (YANG fraction-digits)."""
    if not re.fullmatch(rf"\d{{1,6}}(?:\.\d{{1,{decimals}}})?", text, re.A):
        return None
    value = Fraction(text)
    return Quantity(value, Unit.SECONDS) if value > 0 else None


def speed(text: str) -> int | None:
    """Mb/s of `200g-4`, `100gfull`, `10000full`; None for `auto` and what is no speed."""
    found = _SPEED.match(text.lower())
    if found is None or len(found[1]) > 7:
        return None
    return int(found[1]) * (1000 if found[2] else 1)
