"""Headroom pools: what the lossless groups of a switch need of one, per memory domain, and what a shared pool promises."""

from __future__ import annotations

from fractions import Fraction

from xoff.model.path import protected_groups
from xoff.model.qos import PriorityGroup
from xoff.model.quantity import Context, Fact, Quantity, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Port, SwitchModel
from xoff.platforms.facts import Asic
from xoff.sizing.number import Number, ceil, number, term


@dataclass(frozen=True, slots=True)
class Claim:
    """One lossless (port, group) and its headroom in bytes."""

    port: str
    group: int
    headroom: int
    domain: int | None


@dataclass(frozen=True, slots=True)
class PoolNeed:
    """What the headroom of one memory domain adds up to. Bytes.

    `even`: the map of ports to domains is not known, so the sum is an even split: a necessary condition only.
    `unknown`: lossless groups whose headroom is not a number here.
    """

    domain: int | None
    total: Number
    largest: Claim | None
    claims: int
    even: bool
    unknown: tuple[str, ...]

    def ratio(self, pool: int) -> Fraction | None:
        """Headroom promised per byte kept, for a pool of so many bytes in this domain; None for an empty pool."""
        return Fraction(self.total.value, pool) if pool > 0 else None

    def at_once(self, pool: int) -> int:
        """How many of the largest claims fit the pool at the same time."""
        return pool // self.largest.headroom if self.largest and self.largest.headroom else 0


def claims(model: SwitchModel, asic: Asic | None) -> tuple[list[Claim], list[str]]:
    """Every protected (port, group) with its headroom, and those whose headroom is not known, by name."""
    cell = None if asic is None or isinstance(asic.cell.value, Unknown) else asic.cell.value
    ctx = Context(cell=cell, kilo=model.kilo)
    found: list[Claim] = []
    missing: list[str] = []
    for port in model.ports.values():
        if port.admin is False:
            continue
        groups = protected_groups(port.qos)
        if isinstance(groups, Unknown):
            missing.append(port.name)
            continue
        for g in sorted(groups):
            _claim(port, port.qos.groups.get(g), g, ctx, found, missing)
    return found, missing


def _claim(port: Port, group: PriorityGroup | None, number_: int, ctx: Context, found: list[Claim], missing: list[str]) -> None:
    said = None if group is None else group.headroom
    value = said.bytes(ctx) if isinstance(said, Quantity) else None
    if isinstance(value, int):
        found.append(Claim(port.name, number_, value, port.domain if isinstance(port.domain, int) else None))
    else:
        missing.append(f"{port.name} group {number_}")


def headroom_pool_need(model: SwitchModel, asic: Asic | None) -> list[PoolNeed]:
    """What a headroom pool has to hold, per memory domain; one entry for the chip where the number of domains is not known.

    Where no source maps ports to domains, each domain gets an even share, and the entry says so (`even`).
    """
    found, missing = claims(model, asic)
    domains = 1 if asic is None or isinstance(asic.domains.value, Unknown) else asic.domains.value
    mapped = all(c.domain is not None for c in found) and found != []
    out = []
    for d in range(domains):
        here = [c for c in found if c.domain == d] if mapped and domains > 1 else found
        split = domains if domains > 1 and not mapped else 1
        total = ceil(Fraction(sum(c.headroom for c in here), split))
        terms = (
            term("lossless (port, group) pairs", len(here), "each with its own headroom", "the configuration", unit=""),
            term("sum of headroom", sum(c.headroom for c in here), "all of them", "the configuration"),
            *(
                (term("memory domains", split, "even split; no source maps ports", asic.domains.source, unit=""),)
                if split > 1 and asic
                else ()
            ),
        )
        out.append(
            PoolNeed(
                d if domains > 1 else None,
                number(total, "sum of headroom / domains" if split > 1 else "sum of headroom", terms),
                max(here, key=lambda c: c.headroom, default=None),
                len(here),
                split > 1,
                tuple(missing),
            )
        )
    return out


def shared_headroom_pool(xoffs: list[int], ports: int, ratio: Fraction, private: int = 10 * 1024) -> int:
    """Size of an NVIDIA shared headroom pool: (sum of xoff - private part of each port) / over-subscription ratio. Bytes.

    Source: sonic-swss@e6b0c5b5 cfgmgr/buffer_pool_mellanox.lua.
    """
    return max(0, ceil((sum(xoffs) - private * ports) / Fraction(ratio)))


def cells_per_domain(pool: int, domains: int, cell: int) -> int:
    """Whole cells of a headroom pool in one memory domain: floor(pool / domains / cell)."""
    return pool // domains // cell


PRIVATE = 10 * 1024
#: Where the chip's reserved bytes of a group can hold its headroom (NVIDIA), the SDK keeps it there unless a pool is given.
PRIVATE_FAMILY = "Spectrum"


def pool_for_ratio(need: PoolNeed, ratio: Fraction, asic: Asic | None) -> int:
    """Least size of a headroom pool (bytes, one domain) in which so many bytes of headroom are promised per byte kept.

    On NVIDIA chips every lossless port has a private part besides (10 KiB), of which one is taken off per group: a lower bound.
    """
    private = PRIVATE if asic is not None and asic.family == PRIVATE_FAMILY else 0
    return max(0, ceil((need.total.value - private * need.claims) / Fraction(ratio)))


def private_headroom(group: PriorityGroup, asic: Asic | None, ctx: Context) -> bool | Unknown:
    """Whether the group's reserved bytes hold its headroom, so that no headroom pool is needed for it.

    NVIDIA: reserved = xon + headroom where it is private, = xon where a shared pool keeps it. Unknown for other chips, whose
    headroom is taken from a pool by other rules, and where a size is not known.
    Source: sonic-net/sonic-swss@e6b0c5b5 cfgmgr/buffer_headroom_mellanox.lua, buffer_check_headroom_mellanox.lua.
    """
    if asic is None:
        return Unknown("ASIC not known, so neither is where its headroom is kept", Fact.ASIC)
    if asic.family != PRIVATE_FAMILY:
        return Unknown(f"whether {asic.title} can keep headroom outside a pool is not sourced")
    sizes = []
    for what, said in (("reserved size", group.reserved), ("headroom", group.headroom), ("xon", group.xon)):
        found = said.bytes(ctx) if isinstance(said, Quantity) else said
        if not isinstance(found, int):
            return found if isinstance(found, Unknown) else Unknown(f"the group's {what} is not said")
        sizes.append(found)
    reserved, headroom, xon = sizes
    if reserved >= xon + headroom:
        return True
    return False if reserved == xon else Unknown("reserved is neither xon nor xon + headroom, so it holds a part only")
