"""Junos: code points, numbers and rates of single statements. Each gives a value, or None where Junos cannot mean it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from xoff.model.qos import Alpha, Colour, WatchdogAction
from xoff.model.quantity import Quantity, Unit
from xoff.sizing.partitions import junos_alpha

#: Code points with names of their own (Juniper: code-point aliases; RFC 2474, 2597, 3246).
DSCP = (
    {"be": 0, "ef": 46, "nc1": 48, "nc2": 56}
    | {f"cs{n}": 8 * n for n in range(1, 8)}
    | {f"af{c}{d}": 8 * c + 2 * d for c in range(1, 5) for d in range(1, 4)}
)
IEEE = {"be": 0, "be1": 1, "ef": 2, "ef1": 3, "af11": 4, "af12": 5, "nc1": 6, "cs6": 6, "nc2": 7, "cs7": 7}
COLOURS = {"low": Colour.GREEN, "medium-low": Colour.YELLOW, "medium-high": Colour.YELLOW, "high": Colour.RED}
ACTIONS = {"drop": WatchdogAction.DROP, "forward": WatchdogAction.FORWARD}
_SCALE = {"": Fraction(1, 1000), "k": Fraction(1), "m": Fraction(1000), "g": Fraction(10**6)}


def whole(text: str, low: int, high: int) -> int | None:
    """A whole number from `low` to `high`."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 12 and low <= int(text) <= high else None


def code_point(text: str, bits: int, aliases: Mapping[str, int]) -> int | None:
    """A code point in bits (`011010`), by an alias of the file or by one that Junos has."""
    if re.fullmatch(rf"[01]{{{bits}}}", text):
        return int(text, 2)
    if text in aliases:
        return aliases[text]
    return (DSCP if bits == 6 else IEEE).get(text)


def percent(text: str) -> Quantity | None:
    n = whole(text, 0, 100)
    return None if n is None else Quantity(Fraction(n), Unit.PERCENT)


def rate(text: str) -> Quantity | None:
    """`16g`, `200m`, bits per second."""
    found = re.fullmatch(r"(\d{1,15}(?:\.\d{1,6})?)([kmg]?)", text.lower())
    return None if found is None else Quantity(Fraction(found[1]) * _SCALE[found[2]], Unit.KBPS)


def alpha(text: str) -> Alpha | None:
    """A dynamic threshold 0 to 10 as the alpha that it means."""
    n = whole(text, 0, 10)
    return None if n is None else alpha_of(n)


def alpha_of(n: int) -> Alpha:
    return Alpha(Quantity(junos_alpha(n), Unit.ALPHA))


def milliseconds(text: str, low: int = 1) -> Quantity | None:
    n = whole(text, low, 2**32 - 1)
    return None if n is None else Quantity(Fraction(n), Unit.MILLISECONDS)


def speed(text: str) -> int | None:
    """Mb/s of `400g`, `1.6t`; None for `auto` and what is no speed."""
    found = re.fullmatch(r"(\d{1,6}(?:\.\d)?)([tgm])", text.lower())
    if found is None:
        return None
    value = Fraction(found[1]) * {"t": 10**6, "g": 1000, "m": 1}[found[2]]
    return int(value) if value.denominator == 1 else None
