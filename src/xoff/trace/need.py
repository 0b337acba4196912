"""What headroom the link behind a port needs: the floor that nobody disputes and the strict number, where they can be known."""

from __future__ import annotations

from functools import lru_cache

from xoff.model.quantity import Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Port, SwitchModel


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes for one link and priority. `strict` Unknown where the chip is not known; `cable_m` None: taken as 0 m."""

    floor: int
    strict: int | Unknown
    cable_m: int | None


def need_of(model: SwitchModel, port: Port) -> Need | None:
    """The need of a port's link with its own MTU and cable; None where no speed is known."""
    if not isinstance(port.speed, int):
        return None
    asic = model.asic if isinstance(model.asic, str) else None
    mtu = port.mtu if isinstance(port.mtu, int) else None
    cable = port.cable_m if isinstance(port.cable_m, int) else None
    return _need(asic, port.speed, cable, mtu)


@lru_cache(maxsize=512)
def _need(asic: str | None, speed: int, cable: int | None, mtu: int | None) -> Need:
    from xoff.platforms import find
    from xoff.sizing.limits import limits
    from xoff.sizing.link import ROCE_MTU, LinkInput, frame_of_mtu, frame_of_roce

    own = frame_of_mtu(mtu) if mtu is not None else frame_of_roce(ROCE_MTU)
    link = LinkInput(speed, cable or 0, own, min(frame_of_roce(ROCE_MTU), own), port_mtu=mtu)
    platform = find(asic) if asic is not None else None
    found = limits(platform.asic if platform else None, link)
    strict = found.strict
    return Need(found.floor.value, strict if isinstance(strict, Unknown) else strict.value, cable)
