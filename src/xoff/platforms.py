"""Platform facts from platforms/: cells, memory domains, buffers, response times, and which switch models have which ASIC.

Every fact carries its source and evidence. A fact that is only recalled is Unknown here; the recalled text stays in the file
for whoever wants to confirm it, and nothing reads it. One YAML file per ASIC is loaded on demand; `models.csv` is the index.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from xoff import data
from xoff.errors import UnknownPlatform
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Evidence
from xoff.model.quantity import Context, Fact, Unknown
from xoff.model.switch import Architecture

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sourced(Generic[T]):
    """A fact with where it was read. `value` is Unknown where no source settles it; `note` says what is in doubt."""

    value: T | Unknown
    source: str = ""
    evidence: Evidence = Evidence.RECALLED
    note: str = ""

    @property
    def known(self) -> bool:
        return not isinstance(self.value, Unknown)


@dataclass(frozen=True, slots=True)
class ShippedRow:
    """One row of a vendor's headroom table (SONiC pg_profile_lookup.ini). Mb/s, metres, bytes; `threshold` is the exponent of alpha."""

    hwsku: str
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
    """Pools and profiles that the vendor ships for a SONiC hwsku: field -> text as in BUFFER_POOL / BUFFER_PROFILE."""

    hwsku: str
    pools: FrozenMap[str, FrozenMap[str, str]]
    profiles: FrozenMap[str, FrozenMap[str, str]]
    source: str
    evidence: Evidence
    note: str = ""


@dataclass(frozen=True, slots=True)
class PortGroup:
    """Front-panel ports of a model. `names`: range text as the NOS writes it; `speed` Mb/s, the highest."""

    nos: str
    names: str
    speed: int
    source: str
    evidence: Evidence


def _unknown(what: str) -> Any:
    return field(default_factory=lambda: Sourced(Unknown(f"{what} of this ASIC is not sourced", Fact.ASIC)))


@dataclass(frozen=True, slots=True)
class Asic:
    """One switch chip. Bytes, nanoseconds; every fact is a `Sourced`.

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
    buffers: Mapping[str, ShippedBuffers] = field(default_factory=FrozenMap)
    ports: Mapping[str, tuple[PortGroup, ...]] = field(default_factory=FrozenMap)

    def shipped(self) -> tuple[ShippedRow, ...]:
        """All shipped headroom rows of this ASIC, by speed, cable, table."""
        return _shipped(self.name)

    def shipped_range(self, speed: int, cable_m: int) -> ShippedRange | None:
        """Lowest and highest shipped xoff for exactly this speed (Mb/s) and cable (m); None where no table has it."""
        rows = [r for r in self.shipped() if r.speed == speed and r.cable_m == cable_m]
        if not rows:
            return None
        return ShippedRange(speed, cable_m, min(rows, key=lambda r: r.xoff), max(rows, key=lambda r: r.xoff), len(rows))

    def shipped_row(self, hwsku: str, speed: int, cable_m: int) -> ShippedRow | None:
        """The row of this hwsku's own table, as the buffer manager would look it up: exact match or nothing."""
        want = hwsku.casefold()
        for r in self.shipped():
            if r.hwsku.casefold() == want and r.speed == speed and r.cable_m == cable_m:
                return r
        return None

    def facts(self) -> dict[str, Sourced[Any]]:
        """Every fact by name, for display."""
        from dataclasses import fields

        return {f.name: v for f in fields(self) if isinstance(v := getattr(self, f.name), Sourced)}


@dataclass(frozen=True, slots=True)
class Platform:
    """A switch model (vendor model or SONiC hwsku) with its ASIC. `model` None: an ASIC was asked for by name."""

    asic: Asic
    model: str | None
    source: str = ""
    evidence: Evidence = Evidence.READ


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    kind: str
    asic: str
    evidence: Evidence
    source: str


@lru_cache(maxsize=1)
def _index() -> dict[str, _Entry]:
    """models.csv by case-folded name, and the ASICs themselves by file stem."""
    out: dict[str, _Entry] = {}
    path = data.PLATFORMS / "models.csv"
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            if not line or line.startswith("#"):
                continue
            name, kind, asic, evidence, source = line.split(",", 4)
            out[name.casefold()] = _Entry(name, kind, asic, Evidence(evidence), source.strip('"'))
    for file in sorted(data.PLATFORMS.glob("*.yaml")):
        out.setdefault(file.stem, _Entry(file.stem, "asic", file.stem, Evidence.READ, ""))
    return out


def names() -> tuple[str, ...]:
    """Every name that `find` knows: vendor models, hwskus, ASICs, sorted."""
    return tuple(sorted(e.name for e in _index().values() if e.evidence is not Evidence.RECALLED))


def find(name: str) -> Platform | None:
    """The platform of a vendor model, SONiC hwsku or ASIC name, whatever its case; None where platforms/ does not hold it.

    A SONiC sub-variant (`Arista-7060X6-64PE-256x200G/BALANCED`) is found by the part before the slash too.
    """
    entry = _entry(name)
    if entry is None or entry.evidence is Evidence.RECALLED:
        return None
    asic = load(entry.asic)
    if asic is None:
        return None
    return Platform(asic, None if entry.kind == "asic" else entry.name, entry.source, entry.evidence)


def _entry(name: str) -> _Entry | None:
    index = _index()
    key = name.strip().casefold()
    for candidate in (key, key.partition("/")[0], key.replace("-", "").replace(" ", "")):
        found = index.get(candidate)
        if found is not None:
            return found
    return None


def get(name: str) -> Platform:
    """Like `find`, but raises UnknownPlatform that says what is near and what to do."""
    found = find(name)
    if found is not None:
        return found
    from difflib import get_close_matches

    entry = _entry(name)
    if entry is not None and entry.evidence is Evidence.RECALLED:
        raise UnknownPlatform(
            f"{name!r} is listed, but that it uses {entry.asic} is only inferred ({entry.source}); "
            f"name the ASIC in the intent (`asic: {entry.asic}`) if you know it"
        )
    known = {n.casefold(): n for n in names()}
    near = [known[n] for n in get_close_matches(name.casefold(), list(known), n=3)]
    hint = f"; near: {', '.join(near)}" if near else ""
    raise UnknownPlatform(
        f"{name!r} is not in platforms/{hint}. Name a model, hwsku or ASIC that is there, or give the facts in the intent "
        "(cell, buffer, response_ns, domains)"
    )


def suggestions(name: str) -> tuple[str, ...]:
    """Names close to a misspelt one, best first."""
    from difflib import get_close_matches

    known = {n.casefold(): n for n in names()}
    return tuple(known[n] for n in get_close_matches(name.casefold(), list(known), n=3))


@lru_cache(maxsize=64)
def load(asic: str) -> Asic | None:
    """The ASIC of platforms/<asic>.yaml; None where there is no such file."""
    path = data.PLATFORMS / f"{asic}.yaml"
    return _read(path) if path.exists() else None


def context(asic: Asic | None, kilo: int | None, speed: int | None) -> Context:
    """What turns quantities into bytes on this ASIC. `kilo`: the NOS's K (1000, 1024, None); `speed` Mb/s."""
    if asic is None:
        return Context(kilo=kilo, speed_mbps=speed)
    return Context(cell=_int(asic.cell), segment=_int(asic.segment), kilo=kilo, speed_mbps=speed)


def _int(fact: Sourced[int]) -> int | None:
    return None if isinstance(fact.value, Unknown) else fact.value


_KINDS: dict[str, Any] = {
    "architecture": Architecture,
    "cell_factor": Fraction,
    "shipped_oversubscription": Fraction,
    "mac_phy_delay": Fraction,
    "peer_response": Fraction,
}


def _sourced(name: str, raw: Mapping[str, Any]) -> Sourced[Any]:
    evidence = Evidence(raw.get("evidence", "recalled"))
    source, note = str(raw.get("source", "")), str(raw.get("note", ""))
    if "value" not in raw or evidence is Evidence.RECALLED:
        why = raw.get("unknown") or f"{name.replace('_', ' ')} of this ASIC is not sourced"
        return Sourced(Unknown(str(why), Fact.ASIC), source, evidence, note)
    kind = _KINDS.get(name)
    value = raw["value"]
    return Sourced(kind(str(value)) if kind else value, source, evidence, note)


def _read(path: Path) -> Asic:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    raw = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
    facts = {k: _sourced(k, v) for k, v in raw.get("facts", {}).items()}
    buffers = {
        hwsku.casefold(): ShippedBuffers(
            hwsku,
            FrozenMap((n, FrozenMap((k, str(x)) for k, x in p.items())) for n, p in b["pools"].items()),
            FrozenMap((n, FrozenMap((k, str(x)) for k, x in p.items())) for n, p in b["profiles"].items()),
            b["source"],
            Evidence(b["evidence"]),
            b.get("note", ""),
        )
        for hwsku, b in raw.get("sonic_buffers", {}).items()
    }
    ports = {
        model.casefold(): tuple(
            PortGroup(p["nos"], p["names"], p["speed"], p["source"], Evidence(p["evidence"])) for p in groups
        )
        for model, groups in raw.get("ports", {}).items()
    }
    gearbox = {k.casefold(): _sourced("gearbox_ns", v) for k, v in raw.get("gearbox_ns", {}).items()}
    return Asic(
        name=path.stem,
        title=raw["title"],
        vendor=raw["vendor"],
        family=raw["family"],
        gearbox_ns=FrozenMap(gearbox),
        buffers=FrozenMap(buffers),
        ports=FrozenMap(ports),
        **facts,
    )


@lru_cache(maxsize=64)
def _shipped(asic: str) -> tuple[ShippedRow, ...]:
    import csv

    path = data.PLATFORMS / "shipped" / f"{asic}.csv"
    if not path.exists():
        return ()
    with path.open(encoding="utf-8", newline="") as f:
        return tuple(
            ShippedRow(
                r["hwsku"],
                int(r["speed_mbps"]),
                int(r["cable_m"]),
                int(r["size_bytes"]),
                int(r["xon_bytes"]),
                int(r["xoff_bytes"]),
                r["threshold"],
                int(r["xon_offset_bytes"]) if r["xon_offset_bytes"] else None,
                r["source"],
            )
            for r in csv.DictReader(f)
        )
