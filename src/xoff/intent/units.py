"""Numbers with units as people write them in an intent: `400G`, `30m`, `150KB`, `200ms`, `60%`, `cs3`.

Every parser takes the plain YAML value and returns an exact number, or raises ValueError that says what was expected.
Bare numbers are refused where a unit could be meant in two ways.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Any

from xoff.model.quantity import Quantity, Unit

_NUMBER = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([^\s0-9.].*?)?\s*\Z")

#: Ethernet rates in Mb/s.
SPEEDS = (1_000, 10_000, 25_000, 40_000, 50_000, 100_000, 200_000, 400_000, 800_000, 1_600_000)
_SPEED_UNITS = {"M": Fraction(1), "G": Fraction(1_000), "T": Fraction(1_000_000)}
_SPEED_TAIL = re.compile(r"(?:b/s|bps|bit/s|be)?\Z", re.IGNORECASE)
_LENGTHS = {"cm": Fraction(1, 100), "m": Fraction(1), "km": Fraction(1000)}
#: Hard limit of a cable in metres: 40 km, the reach of the longest common Ethernet optics (ER).
MAX_CABLE_M = 40_000
_SIZES = {
    "B": (Unit.BYTES, 1),
    "kB": (Unit.KB, 1000),
    "KB": (Unit.KB, 1000),
    "KiB": (Unit.KIB, 1024),
    "MB": (Unit.MB, 1000**2),
    "MiB": (Unit.MIB, 1024**2),
}
_TIMES = {"s": Fraction(1000), "ms": Fraction(1), "us": Fraction(1, 1000), "ns": Fraction(1, 1_000_000)}

#: Per-hop behaviours by name (RFC 2474, 2597, 3246, 5865, 8622).
PHB = {f"cs{n}": 8 * n for n in range(8)} | {f"af{c}{d}": 8 * c + 2 * d for c in range(1, 5) for d in range(1, 4)}
PHB |= {"ef": 46, "voice-admit": 44, "le": 1}


def show(value: Any) -> str:
    """A value for a message: quoted, control characters escaped, never longer than 60 characters."""
    text = "null" if value is None else str(value).lower() if isinstance(value, bool) else ascii(value)
    if isinstance(value, dict):
        text = "a mapping"
    elif isinstance(value, list):
        text = "a list"
    return text if len(text) <= 60 else text[:57] + "..."


def _split(value: Any, what: str, example: str) -> tuple[Fraction, str]:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise ValueError(f"expected {what} such as {example}, not {show(value)}")
    m = _NUMBER.match(str(value)) if len(str(value)) <= 40 else None
    if m is None:
        raise ValueError(f"expected {what} such as {example}, not {show(value)}")
    if not m[2]:
        raise ValueError(f"{what} needs its unit: {example}, not {show(value)}")
    return Fraction(m[1]), m[2]


@lru_cache(maxsize=4096)
def speed(value: Any) -> int:
    """Mb/s of `400G` (also 400Gb/s, 1.6T). Raises ValueError."""
    number, unit = _split(value, "a speed", "400G")
    factor = _SPEED_UNITS.get(unit[:1])
    if factor is None or not _SPEED_TAIL.match(unit[1:]):
        raise ValueError(f"{show(unit)} is no unit of speed; write G (Gb/s) or T, such as 400G")
    mbps = number * factor
    if mbps not in SPEEDS:
        known = ", ".join(speed_text(s) for s in SPEEDS)
        raise ValueError(f"{show(value)} is no Ethernet speed; known are {known}")
    return int(mbps)


def speed_text(mbps: int) -> str:
    """`400G`, `1.6T`."""
    return f"{mbps / 1_000_000:g}T" if mbps >= 1_000_000 else f"{mbps / 1_000:g}G"


@lru_cache(maxsize=4096)
def cable(value: Any, most: int = MAX_CABLE_M) -> int:
    """Whole metres of `30m`, `0.5m`, `2km`, rounded up, since headroom grows with length; at most `most` metres.

    Raises ValueError.
    """
    number, unit = _split(value, "a cable length", "30m")
    factor = _LENGTHS.get(unit)
    if factor is None:
        raise ValueError(f"{show(unit)} is no unit of length; write m, km or cm, such as 30m")
    metres = number * factor
    if not 0 < metres <= most:
        raise ValueError(f"a cable is longer than 0 m and at most {most // 1000} km, not {show(value)}")
    return -(-metres.numerator // metres.denominator)


@lru_cache(maxsize=1024)
def size(value: Any) -> Quantity:
    """A buffer size as said: `150KB` (1,000 bytes), `128KiB` (1,024 bytes), `2MB`, `512B`. Raises ValueError."""
    number, unit = _split(value, "a size", "150KB")
    found = _SIZES.get(unit)
    if found is None:
        raise ValueError(f"{show(unit)} is no unit of size; write B, KB (1,000), KiB (1,024), MB or MiB, such as 150KB")
    if (number * found[1]).denominator != 1:
        raise ValueError(f"{show(value)} is no whole number of bytes")
    if number * found[1] > 2**40:
        raise ValueError(f"{show(value)} is more than any switch has")
    return Quantity(number, found[0])


def size_bytes(value: Any) -> int:
    """Bytes of a size. Raises ValueError."""
    found = size(value)
    return int(found.amount * next(f for u, f in _SIZES.values() if u is found.unit))


@lru_cache(maxsize=1024)
def milliseconds(value: Any) -> int:
    """Whole milliseconds of `200ms`, `0.2s`. Raises ValueError."""
    number, unit = _split(value, "a time", "200ms")
    factor = _TIMES.get(unit)
    if factor is None:
        raise ValueError(f"{show(unit)} is no unit of time here; write ms or s, such as 200ms")
    ms = number * factor
    if ms.denominator != 1 or not 1 <= ms <= 600_000:
        raise ValueError(f"expected whole milliseconds between 1ms and 600s, not {show(value)}")
    return int(ms)


@lru_cache(maxsize=1024)
def nanoseconds(value: Any) -> int:
    """Whole nanoseconds of `1100ns`, `2.1us`. Raises ValueError."""
    number, unit = _split(value, "a time", "1100ns")
    factor = _TIMES.get(unit)
    if factor is None:
        raise ValueError(f"{show(unit)} is no unit of time here; write ns or us, such as 1100ns")
    ns = number * factor * 1_000_000
    if ns.denominator != 1 or not 1 <= ns <= 1_000_000_000:
        raise ValueError(f"expected whole nanoseconds between 1ns and 1s, not {show(value)}")
    return int(ns)


@lru_cache(maxsize=1024)
def percent(value: Any) -> Fraction:
    """Percent of `60%`: more than 0, at most 100. Raises ValueError."""
    number, unit = _split(value, "a share", "60%")
    if unit != "%":
        raise ValueError(f"{show(unit)} is not %; write a share such as 60%")
    if not 0 < number <= 100:
        raise ValueError(f"a share is more than 0% and at most 100%, not {show(value)}")
    return number


def whole_percent(value: Any) -> int:
    """Percent without decimals, as marking probabilities are configured. Raises ValueError."""
    found = percent(value)
    if found.denominator != 1:
        raise ValueError(f"expected a whole percentage, not {show(value)}")
    return int(found)


def dscp(value: Any) -> tuple[int, ...]:
    """DSCPs of one list item: `26`, `cs3`, `8-15`. Raises ValueError."""
    if isinstance(value, int) and not isinstance(value, bool):
        low = high = value
    elif isinstance(value, str) and value.lower() in PHB:
        low = high = PHB[value.lower()]
    elif isinstance(value, str) and (m := re.fullmatch(r"(\d{1,2})-(\d{1,2})", value)):
        low, high = int(m[1]), int(m[2])
    else:
        raise ValueError(f"expected a DSCP (0-63), a name such as cs3, or a range such as 8-15, not {show(value)}")
    if not 0 <= low <= high <= 63:
        raise ValueError(f"a DSCP lies between 0 and 63, not {show(value)}")
    return tuple(range(low, high + 1))
