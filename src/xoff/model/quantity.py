"""Quantities as a configuration says them, and the one way to bytes.

Equality, round trip and drift use what was said (amount and unit); arithmetic uses bytes.
`Unknown` appears only in arithmetic or where a value cannot be known; it is never a number.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

from xoff.model.record import dataclass


class Fact(StrEnum):
    """A fact whose absence stops checks; reports count them and say which line to add."""

    ASIC = "asic"
    CABLE = "cable"
    SPEED = "speed"
    PEER = "peer"
    ROLE = "role"
    RELEASE = "release"
    CLASSES = "classes"
    TABLE = "headroom table"
    DEFAULT = "NOS default"
    CONFIG = "rest of the configuration"


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that cannot be known, and why. Equal by reason; raises nothing by itself.

    `fact` names the missing input, where one input would settle it.
    """

    reason: str
    fact: Fact | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"unknown: {self.reason}"


class Unit(StrEnum):
    """Units in the field's own words. `kbytes` / `mbytes`: the NOS's K, decimal or binary by `Context.kilo`."""

    BYTES = "bytes"
    KBYTES = "kbytes"
    MBYTES = "mbytes"
    KB = "KB"  # 1,000 bytes, stated so by a source
    KIB = "KiB"  # 1,024 bytes, stated so by a source
    MB = "MB"
    MIB = "MiB"
    CELLS = "cells"
    SEGMENTS = "segments"
    PACKETS = "packets"
    PERCENT_OF_LIMIT = "% of limit"
    PERCENT_OF_POOL = "% of pool"
    PERCENT = "%"  # of bandwidth or probability
    WEIGHT = "weight"
    ALPHA = "alpha"
    SECONDS = "s"
    MILLISECONDS = "ms"
    MICROSECONDS = "us"
    NANOSECONDS = "ns"
    KBPS = "kbps"
    BYTES_PER_SECOND = "B/s"
    PPS = "pps"


_NS = {Unit.SECONDS: 10**9, Unit.MILLISECONDS: 10**6, Unit.MICROSECONDS: 10**3, Unit.NANOSECONDS: 1}
_FIXED = {Unit.BYTES: 1, Unit.KB: 1000, Unit.KIB: 1024, Unit.MB: 1000**2, Unit.MIB: 1024**2}


@dataclass(frozen=True, slots=True)
class Context:
    """What turns a said quantity into bytes: the part's cell, the NOS's K, the speed for times, the limits for percents.

    Every field may be None (not known here). Bytes, except `speed_mbps` (Mb/s).
    """

    cell: int | None = None
    segment: int | None = None
    kilo: int | None = None
    speed_mbps: int | None = None
    limit: int | None = None
    pool: int | None = None


@dataclass(frozen=True, slots=True)
class Quantity:
    """Amount and unit as said. Amounts are exact (int or Fraction), never float."""

    amount: Fraction
    unit: Unit

    def __str__(self) -> str:
        return f"{self.plain} {self.unit}" if self.unit is not Unit.PERCENT else f"{self.plain} %"

    @property
    def plain(self) -> str:
        """The amount as people write it: `150`, `0.2`, `1/8` for an alpha."""
        if self.amount.denominator == 1:
            return str(self.amount.numerator)
        if self.unit is Unit.ALPHA:
            return f"{self.amount.numerator}/{self.amount.denominator}"
        text = f"{float(self.amount):.6f}".rstrip("0").rstrip(".")
        return text or "0"

    def bytes_range(self, ctx: Context) -> tuple[int, int] | Unknown:
        """Lowest and highest number of bytes that this can mean (they differ where K may be 1,000 or 1,024)."""
        unit, amount = self.unit, self.amount
        if unit in _FIXED:
            n = int(amount * _FIXED[unit])
            return n, n
        if unit in (Unit.KBYTES, Unit.MBYTES):
            power = 1 if unit is Unit.KBYTES else 2
            kilos = (ctx.kilo, ctx.kilo) if ctx.kilo else (1000, 1024)
            return int(amount * kilos[0] ** power), int(amount * kilos[1] ** power)
        if unit is Unit.CELLS:
            return _times(amount, ctx.cell, Unknown("cell size of this ASIC is not known", Fact.ASIC))
        if unit is Unit.SEGMENTS:
            return _times(amount, ctx.segment, Unknown("segment size of this ASIC is not known", Fact.ASIC))
        if unit is Unit.PERCENT_OF_LIMIT:
            return _times(amount / 100, ctx.limit, Unknown("the queue's limit is not known"))
        if unit is Unit.PERCENT_OF_POOL:
            return _times(amount / 100, ctx.pool, Unknown("the pool's size is not known"))
        if unit in _NS:
            if ctx.speed_mbps is None:
                return Unknown("the port's speed is not known, so a time is no number of bytes", Fact.SPEED)
            n = int(amount * _NS[unit] * ctx.speed_mbps / 8000)
            return n, n
        return Unknown(f"{unit} is not an amount of buffer")

    def bytes(self, ctx: Context) -> int | Unknown:
        """Bytes, where the quantity means one number in this context; else Unknown with the reason."""
        found = self.bytes_range(ctx)
        if isinstance(found, Unknown):
            return found
        low, high = found
        return low if low == high else Unknown("the NOS does not say whether its K is 1,000 or 1,024")

    def ns(self) -> int | Unknown:
        """Nanoseconds, for a time; else Unknown."""
        return int(self.amount * _NS[self.unit]) if self.unit in _NS else Unknown(f"{self.unit} is not a time")


def _times(amount: Fraction, size: int | None, why: Unknown) -> tuple[int, int] | Unknown:
    if size is None:
        return why
    n = int(amount * size)
    return n, n


def quantity(amount: int | str | Fraction, unit: Unit) -> Quantity:
    """Build a Quantity from an int, a decimal string (`0.2`), a ratio (`1/8`) or a Fraction.

    Raises ValueError for text that is no number.
    """
    return Quantity(Fraction(amount), unit)


Bytes: TypeAlias = Quantity
