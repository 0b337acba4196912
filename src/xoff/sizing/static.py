"""Static thresholds: whether a limit in bytes is meant for the whole chip or for one memory domain, and in what unit."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

from xoff.model.origin import Evidence
from xoff.model.quantity import Fact, Unknown
from xoff.model.record import dataclass
from xoff.platforms.facts import Asic, ShippedBuffers

#: Two sizes count as the same from here on: a few reserved cells are taken off one of them and not off the other.
ALIKE = Fraction(95, 100)
#: A limit that is the pool's size in another unit misses it by rounding only.
ROUNDING = Fraction(1, 100)


class Scale(StrEnum):
    CHIP = "chip"
    DOMAIN = "domain"


@dataclass(frozen=True, slots=True)
class StaticScale:
    """What a static threshold of this chip and SDK counts, and whence that is known."""

    scale: Scale
    source: str
    evidence: Evidence


def static_scale(asic: Asic | None, shipped: ShippedBuffers | None = None) -> StaticScale | Unknown:
    """The scale of static thresholds: the chip's where that is sourced, else that of the vendor's buffers for this switch.

    `shipped`: pools and profiles that the vendor ships for the switch model; a lossless egress limit there that is the whole
    pool means the chip, one that is the pool over the number of domains means a domain (the SDK changed it: Tomahawk5 with
    SAI 14, sonic-buildimage pulls 25451, 25559, 25560).
    """
    if asic is None:
        return Unknown("ASIC not known, so neither is the scale of its static thresholds", Fact.ASIC)
    domains, fact = asic.domains.value, asic.static_threshold_scale
    if domains == 1:
        return StaticScale(Scale.CHIP, asic.domains.source, asic.domains.evidence)
    if not isinstance(fact.value, Unknown):
        return StaticScale(Scale(fact.value), fact.source, fact.evidence)
    found = None if shipped is None or isinstance(domains, Unknown) else _of_shipped(shipped, domains)
    if found is None:
        return Unknown(f"whether a static threshold of {asic.title} is for the chip or one domain is not sourced")
    assert shipped is not None
    return StaticScale(found, f"{shipped.source}: buffers shipped for {shipped.name}", Evidence.READ)


def _of_shipped(shipped: ShippedBuffers, domains: int) -> Scale | None:
    seen = set()
    for name, profile in shipped.profiles.items():
        limit, size = profile.get("static_th", ""), _pool_size(shipped, profile.get("pool", ""))
        if "egress" not in name or "lossless" not in name or not limit.isdigit() or size is None:
            continue
        if int(limit) >= ALIKE * size:
            seen.add(Scale.CHIP)
        elif int(limit) * domains >= ALIKE * size:
            seen.add(Scale.DOMAIN)
    return seen.pop() if len(seen) == 1 else None


def _pool_size(shipped: ShippedBuffers, reference: str) -> int | None:
    pool = shipped.pools.get(reference.strip("[]").rpartition("|")[2])
    text = "" if pool is None else pool.get("size", "")
    return int(text) if text.isdigit() else None


@dataclass(frozen=True, slots=True)
class OffScale:
    """A static threshold on another scale than this chip's. `meant`: bytes (or cells) that would be on it."""

    what: str
    meant: int


def off_scale(limit: int, pool: int, asic: Asic, scale: Scale) -> OffScale | None:
    """Whether a limit of so many bytes, in a pool of so many, is the pool's size on another scale; None where it is not.

    Chip scale: the limit is the pool over the number of domains. Domain scale: it is more than one domain has of memory.
    Either: it is the pool (or the domain's part) counted in cells.
    """
    domains, cell, memory = asic.domains.value, asic.cell.value, asic.buffer.value
    if limit <= 0 or pool <= 0:
        return None
    parts = domains if isinstance(domains, int) else 1
    whole = pool if scale is Scale.CHIP else pool // parts
    if isinstance(cell, int) and any(_near(limit * cell, of) for of in {pool, pool // parts}):
        return OffScale(f"the size of the pool counted in cells of {cell} B", whole)
    if parts == 1:
        return None
    if scale is Scale.CHIP and _near(limit * parts, pool):
        return OffScale(f"one of {parts} memory domains' part of the pool, where this chip takes the sum of all", pool)
    if scale is Scale.DOMAIN and isinstance(memory, int) and limit > memory // parts:
        return OffScale(
            f"more than one of the {parts} memory domains has ({memory // parts:,} B), and counted per domain", whole
        )
    return None


def _near(a: int, b: int) -> bool:
    return abs(a - b) <= ROUNDING * b
