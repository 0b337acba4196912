"""Facts about switch chips and the switches that use them, each with its source and evidence.

A fact that is only recalled is Unknown here; the recalled text stays in the file for whoever wants to confirm it,
and nothing reads it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction
from typing import Any, Generic, TypeVar

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Evidence
from xoff.model.quantity import Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Architecture

T = TypeVar("T")
_RANGE = re.compile(r"([A-Za-z]+)\[(\d+)-(\d+):(\d+)\]")


@dataclass(frozen=True, slots=True)
class Sourced(Generic[T]):
    """A fact with where it was read. `value` is Unknown where no source settles it; `note` says what is in doubt.

    `applies` False: the chip cannot have such a fact (a segment of EOS on a chip that no EOS switch uses), so none is missing.
    """

    value: T | Unknown
    source: str = ""
    evidence: Evidence = Evidence.RECALLED
    note: str = ""
    applies: bool = True

    @property
    def known(self) -> bool:
        return not isinstance(self.value, Unknown)


@dataclass(frozen=True, slots=True)
class ShippedRow:
    """One row of a vendor's headroom table (SONiC pg_profile_lookup.ini): Mb/s, metres, bytes.

    `threshold` is the exponent of alpha, or bytes where the pool is static.
    """

    table: str
    speed: int
    cable_m: int
    size: int
    xon: int
    xoff: int
    threshold: str
    xon_offset: int | None
    source: str


@dataclass(frozen=True, slots=True)
class ShippedRange:
    """Lowest and highest shipped headroom for one speed and cable on an ASIC, and how many tables have the row."""

    speed: int
    cable_m: int
    low: ShippedRow
    high: ShippedRow
    tables: int


@dataclass(frozen=True, slots=True)
class ShippedBuffers:
    """Pools and profiles that a vendor ships with SONiC: field -> text as in BUFFER_POOL and BUFFER_PROFILE."""

    name: str
    pools: FrozenMap[str, FrozenMap[str, str]]
    profiles: FrozenMap[str, FrozenMap[str, str]]
    source: str


@dataclass(frozen=True, slots=True)
class PortGroup:
    """Front-panel ports of one highest speed (Mb/s), as the hwsku's own port_config.ini names them."""

    names: tuple[str, ...]
    speed: int


def _unknown(what: str) -> Any:
    return field(default_factory=lambda: Sourced(Unknown(f"{what} of this ASIC is not sourced")))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Asic:
    """One switch chip; one object per chip, equal by identity. Bytes, nanoseconds; every fact is a `Sourced`.

    `domains`: memory domains that share no buffer. `port_domain`: how ports map to them (table | even | unknown).
    `cell_factor`: buffer bytes per wire byte in the worst packet size, where a shipped table proves it.
    `pool_size_includes_headroom`: whether a pool's `size` also holds its `xoff`. `static_threshold_scale`: chip | domain.
    `egress_lossless_convention`: static_pool | alpha | infinite. `ecn_granularity`: bytes to which the chip rounds thresholds.
    `eos_queue`: tx-queue | uc-tx-queue. `eos_mmu`: whether EOS has MMU profiles here.
    """

    name: str
    title: str
    vendor: str
    family: str
    architecture: Sourced[Architecture] = _unknown("architecture")
    cell: Sourced[int] = _unknown("cell size")
    segment: Sourced[int] = _unknown("segment size")
    buffer: Sourced[int] = _unknown("total buffer")
    domains: Sourced[int] = _unknown("number of memory domains")
    port_domain: Sourced[str] = _unknown("map of ports to memory domains")
    lossless_classes: Sourced[int] = _unknown("number of lossless classes")
    response_ns: Sourced[int] = _unknown("pause response time")
    cell_factor: Sourced[Fraction] = _unknown("cell factor")
    pool_size_includes_headroom: Sourced[bool] = _unknown("whether a pool's size includes its headroom")
    static_threshold_scale: Sourced[str] = _unknown("scale of static thresholds")
    egress_lossless_convention: Sourced[str] = _unknown("egress convention for lossless traffic")
    shipped_oversubscription: Sourced[Fraction] = _unknown("shipped over-subscription")
    ecn_granularity: Sourced[int] = _unknown("granularity of ECN thresholds")
    watchdog: Sourced[bool] = _unknown("PFC watchdog support")
    eos_queue: Sourced[str] = _unknown("EOS queue stanza")
    eos_mmu: Sourced[bool] = _unknown("EOS MMU profile support")
    sonic_dynamic: Sourced[bool] = _unknown("SONiC dynamic buffer model support")
    pfc_to_pg_map: Sourced[bool] = _unknown("whether SONiC writes a priority to priority-group map")
    pipeline_latency: Sourced[int] = _unknown("pipeline latency")
    mac_phy_delay: Sourced[Fraction] = _unknown("MAC and PHY delay")
    peer_response: Sourced[Fraction] = _unknown("peer response")
    tile_ns: Sourced[int] = _unknown("tile delay")
    gearbox_ns: Mapping[str, Sourced[int]] = field(default_factory=FrozenMap)
    shipped: tuple[ShippedRow, ...] = ()
    buffers: Mapping[str, ShippedBuffers] = field(default_factory=FrozenMap)

    def shipped_range(self, speed: int, cable_m: int) -> ShippedRange | None:
        """Lowest and highest shipped xoff for exactly this speed (Mb/s) and cable (m); None where no table has it."""
        rows = [r for r in self.shipped if r.speed == speed and r.cable_m == cable_m]
        if not rows:
            return None
        return ShippedRange(speed, cable_m, min(rows, key=lambda r: r.xoff), max(rows, key=lambda r: r.xoff), len(rows))

    def table(self, name: str) -> tuple[ShippedRow, ...]:
        """The rows of one shipped table."""
        return tuple(r for r in self.shipped if r.table == name)

    def facts(self) -> dict[str, Sourced[Any]]:
        """Every fact by name, for display."""
        from dataclasses import fields

        return {f.name: v for f in fields(self) if isinstance(v := getattr(self, f.name), Sourced)}


@dataclass(frozen=True, slots=True)
class Platform:
    """A switch model (vendor model or SONiC hwsku) with its ASIC. `model` None: an ASIC was asked for by name.

    `headroom_table`: the shipped table it uses, if known; `buffers_leaf`, `buffers_spine`: the shipped pools by role.
    `ports`: names of the front panel, compressed; `front_panel` spells them out.
    """

    asic: Asic
    model: str | None
    source: str = ""
    evidence: Evidence = Evidence.READ
    headroom_table: str = ""
    buffers_leaf: str = ""
    buffers_spine: str = ""
    ports: str = ""

    def front_panel(self) -> tuple[PortGroup, ...]:
        """The ports of a SONiC hwsku, fastest first; empty where they are not sourced (vendor models, other NOSes)."""
        out: dict[int, list[str]] = {}
        for part in self.ports.split():
            text, _, speed = part.partition("@")
            found = _RANGE.fullmatch(text)
            names = [text]
            if found:
                low, high, step = (int(n) for n in found.group(2, 3, 4))
                names = [f"{found[1]}{n}" for n in range(low, high + 1, step)]
            out.setdefault(int(speed), []).extend(names)
        return tuple(PortGroup(tuple(names), speed) for speed, names in out.items())

    def shipped_row(self, speed: int, cable_m: int) -> ShippedRow | None:
        """The row of this model's own table, as SONiC's buffer manager looks it up: exact match or nothing."""
        for r in self.asic.shipped:
            if r.table == self.headroom_table and r.speed == speed and r.cable_m == cable_m:
                return r
        return None

    def buffers(self, leaf: bool) -> ShippedBuffers | None:
        """The pools and profiles that the vendor ships for this model as a leaf (server-facing) or above it."""
        name = (self.buffers_leaf or self.buffers_spine) if leaf else (self.buffers_spine or self.buffers_leaf)
        return self.asic.buffers.get(name) if name else None
