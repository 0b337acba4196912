"""Whole numbers and lists of them, as configurations of lines write them."""

from __future__ import annotations

import re


def whole(text: str, low: int, high: int) -> int | None:
    """A whole number from `low` to `high`; None for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 12 and low <= int(text) <= high else None


def listed(text: str, high: int) -> frozenset[int] | None:
    """A list such as `0-2,4, 6-7` or `24 26`: values from 0 to `high`; None where it is none."""
    out: set[int] = set()
    for token in re.split(r"[\s,]+", text.strip().strip(",")):
        first, dash, last = token.partition("-")
        a = whole(first, 0, high)
        b = whole(last, 0, high) if dash else a
        if a is None or b is None or b < a:
            return None
        out.update(range(a, b + 1))
    return frozenset(out)


def ranges(values: frozenset[int] | set[int]) -> str:
    """`0-2,4,6-7`: a list as short as it can be; pairs are ranges too. Empty text for no value."""
    out: list[list[int]] = []
    for v in sorted(values):
        if out and v == out[-1][1] + 1:
            out[-1][1] = v
        else:
            out.append([v, v])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in out)
