"""The limits by which a configured headroom is judged: floor, strict, and what vendors ship for the chip, speed and cable."""

from __future__ import annotations

from xoff.model.quantity import Fact, Unknown
from xoff.model.record import dataclass
from xoff.platforms.facts import Asic, ShippedRange
from xoff.sizing.headroom import LinkInput, floor_headroom, strict_headroom
from xoff.sizing.number import Number


@dataclass(frozen=True, slots=True)
class HeadroomLimits:
    """`shipped` is for `shipped_cable_m`, the longest listed cable that is not longer than the link's (else None)."""

    floor: Number
    strict: Number | Unknown
    shipped: ShippedRange | None
    shipped_cable_m: int | None

    @property
    def lowest_shipped(self) -> int | None:
        return self.shipped.low.xoff if self.shipped else None


def limits(asic: Asic | None, link: LinkInput) -> HeadroomLimits:
    """All limits for one link and priority; without an ASIC only the floor. Raises UsageError for impossible inputs."""
    floor = floor_headroom(link, asic)
    if asic is None:
        return HeadroomLimits(floor, Unknown("ASIC not known", Fact.ASIC), None, None)
    shipped = shipped_for(asic, link.speed, link.cable_m)
    return HeadroomLimits(floor, strict_headroom(link.all_lossless(), asic), shipped, shipped.cable_m if shipped else None)


def shipped_for(asic: Asic, speed: int, cable_m: int) -> ShippedRange | None:
    """Lowest and highest shipped headroom for the longest listed cable that is not longer; None where there is none."""
    cable = max((r.cable_m for r in asic.shipped if r.speed == speed and r.cable_m <= cable_m), default=None)
    return None if cable is None else asic.shipped_range(speed, cable)
