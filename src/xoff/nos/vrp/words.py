"""VRP: numbers and units of single statements. Each function gives a value of the model, or None where VRP cannot mean it."""

from __future__ import annotations

import re
from fractions import Fraction

from xoff.model.quantity import Quantity, Unit

UNITS = {
    "bytes": Unit.BYTES,
    "kbytes": Unit.KBYTES,
    "mbytes": Unit.MBYTES,
    "cells": Unit.CELLS,
    "percent": Unit.PERCENT_OF_LIMIT,
}
#: Service classes in the order of their queues (MANUAL priority mapping).
PHBS = ("be", "af1", "af2", "af3", "af4", "ef", "cs6", "cs7")
QUEUES = 8


def whole(text: str, low: int, high: int) -> int | None:
    """A whole number from `low` to `high`."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 12 and low <= int(text) <= high else None


def numbers(text: str, high: int) -> tuple[int, ...] | None:
    """A list such as `3 4`, `6 to 7`, `0 to 2 4 to 6`, values 0 to `high`."""
    words = text.split()
    out: list[int] = []
    at = 0
    while at < len(words):
        first = whole(words[at], 0, high)
        last = first
        if at + 2 < len(words) and words[at + 1] == "to":
            last = whole(words[at + 2], 0, high)
            at += 2
        if first is None or last is None or last < first:
            return None
        out += range(first, last + 1)
        at += 1
    return tuple(dict.fromkeys(out)) or None


def size(amount: str, unit: str, low: int, high: int) -> Quantity | None:
    """So many of a unit; `low` and `high` bound the amount."""
    n = whole(amount, low, high)
    return None if n is None else Quantity(Fraction(n), UNITS[unit])


def milliseconds(n: int) -> Quantity:
    return Quantity(Fraction(n), Unit.MILLISECONDS)


_MODE = re.compile(r"(\d+)G\Z", re.I)


def speed(text: str) -> int | None:
    """Mb/s of `10G`; None for anything else."""
    found = _MODE.match(text)
    return int(found[1]) * 1000 if found and len(found[1]) < 5 else None
