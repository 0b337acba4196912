"""Platform facts from platforms/: cells, memory domains, buffers, response times, and which switch models have which ASIC.

`models.csv` is the index by name; one YAML file per ASIC holds its facts, `shipped/` the tables that vendors ship with SONiC.
An ASIC is loaded when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from xoff import data
from xoff.errors import UnknownPlatform
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Evidence
from xoff.model.quantity import Context, Fact, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Architecture
from xoff.platforms.facts import Asic, Platform, PortGroup, ShippedBuffers, ShippedRange, ShippedRow, Sourced

__all__ = [
    "Asic",
    "Model",
    "Platform",
    "PortGroup",
    "ShippedBuffers",
    "ShippedRange",
    "ShippedRow",
    "Sourced",
    "asics",
    "context",
    "find",
    "get",
    "load",
    "models",
    "names",
    "not_held",
    "suggestions",
]


_BY_HAND = "asic_facts: cell, buffer, response_ns, domains"


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    kind: str
    asic: str
    evidence: Evidence
    table: str = ""
    leaf: str = ""
    spine: str = ""
    ports: str = ""
    source: str = ""


@lru_cache(maxsize=1)
def _index() -> dict[str, str]:
    """Lines of models.csv by case-folded name, and the ASICs themselves by file stem. Kept as text: few are ever asked for."""
    out: dict[str, str] = {}
    for line in (data.PLATFORMS / "models.csv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", "name,")):
            out[line.partition(",")[0].casefold()] = line
    for file in sorted(data.PLATFORMS.glob("*.yaml")):
        out.setdefault(file.stem, f"{file.stem},asic,{file.stem},read,,,,,")
    return out


def _parse(line: str) -> _Entry:
    name, kind, asic, evidence, table, leaf, spine, ports, source = line.split(",", 8)
    return _Entry(name, kind, asic, Evidence(evidence), table, leaf, spine, ports, source)


def names() -> tuple[str, ...]:
    """Every name that `find` knows: vendor models, hwskus, ASICs, sorted."""
    entries = map(_parse, _index().values())
    return tuple(sorted(e.name for e in entries if e.evidence is not Evidence.RECALLED))


def find(name: str) -> Platform | None:
    """The platform of a vendor model, SONiC hwsku or ASIC name, whatever its case; None where platforms/ does not hold it.

    A name whose ASIC is only inferred is not held. `Spectrum-4` and `Tomahawk 5` are found as `spectrum4`, `tomahawk5`.
    """
    entry = _entry(name)
    if entry is None or entry.evidence is Evidence.RECALLED:
        return None
    asic = load(entry.asic)
    if asic is None:
        return None
    model = None if entry.kind == "asic" else entry.name
    return Platform(asic, model, entry.source, entry.evidence, entry.table, entry.leaf, entry.spine, entry.ports)


def _entry(name: str) -> _Entry | None:
    index = _index()
    for candidate in _spellings(name.strip().casefold()):
        found = index.get(candidate)
        if found is not None:
            return _parse(found)
    return None


def _spellings(key: str) -> Iterator[str]:
    """A name as written, then as its maker writes it elsewhere: with or without airflow, DCS-, -ON, and M before an SN."""
    yield key
    yield key.partition("/")[0]
    yield key.replace("-", "").replace(" ", "").replace("+", "plus")
    bare = key[:-2] if key.endswith(("-f", "-r")) else key  # `show version` of EOS adds the airflow
    yield bare
    yield f"dcs-{bare}"
    yield f"{key}-on"
    if key.startswith("sn"):
        yield f"m{key}"


@dataclass(frozen=True, slots=True)
class Model:
    """A vendor model or SONiC hwsku and how sure its chip is; `evidence` recalled: listed, but not held (see `find`)."""

    name: str
    kind: str
    evidence: Evidence
    source: str


def asics() -> tuple[str, ...]:
    """Names of the chips that platforms/ holds, sorted."""
    return tuple(sorted(f.stem for f in data.PLATFORMS.glob("*.yaml")))


def models(asic: str) -> tuple[Model, ...]:
    """Every vendor model and hwsku that models.csv gives a chip, models first, by name; those not confirmed too."""
    found = (_parse(line) for line in _index().values())
    listed = [Model(e.name, e.kind, e.evidence, e.source) for e in found if e.asic == asic and e.kind != "asic"]
    return tuple(sorted(listed, key=lambda m: (m.kind != "model", m.name)))


def not_held() -> tuple[tuple[str, str, str], ...]:
    """Chips that are known by name only: name, vendor, and why platforms/ does not hold them."""
    lines = (data.PLATFORMS / "not-held.csv").read_text(encoding="utf-8").splitlines()
    rows = (line.split(",", 2) for line in lines if line and not line.startswith(("#", "name,")))
    return tuple((n, v, why) for n, v, why in rows)


def _squeezed(name: str) -> str:
    return name.casefold().replace("-", "").replace(" ", "")


def get(name: str) -> Platform:
    """Like `find`, but raises UnknownPlatform that says what is near and what to do."""
    found = find(name)
    if found is not None:
        return found
    entry = _entry(name)
    if entry is not None and entry.evidence is Evidence.RECALLED:
        raise UnknownPlatform(
            f"{name!r} is listed in platforms/models.csv, but that it uses {entry.asic} is not confirmed ({entry.source}). "
            f"If you know it, name the ASIC for this switch: `asic: {entry.asic}`"
        )
    for title, _, why in not_held():
        if _squeezed(title) in _squeezed(name):
            raise UnknownPlatform(
                f"{name!r} is not in platforms/: {why}. If you know better, give its facts by hand ({_BY_HAND})"
            )
    near = suggestions(name)
    hint = f"; near: {', '.join(near)}" if near else ""
    raise UnknownPlatform(
        f"switch model {name!r} is not in platforms/{hint}. Use a model, SONiC hwsku or ASIC that is there, "
        f"or give its facts by hand ({_BY_HAND})"
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
    return _read(path) if path.is_file() else None


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
        cannot = raw.get("inapplicable")
        why = cannot or raw.get("unknown") or f"{name.replace('_', ' ')} of this ASIC is not sourced"
        return Sourced(Unknown(str(why), Fact.ASIC), source, evidence, note, applies=not cannot)
    kind = _KINDS.get(name)
    value = raw["value"]
    return Sourced(kind(str(value)) if kind else value, source, evidence, note)


def _yaml(text: str) -> Any:
    import yaml

    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _read(path: Path) -> Asic:
    raw = data.parsed(path, _yaml)
    facts = {k: _sourced(k, v) for k, v in raw.get("facts", {}).items()}
    gearbox = {k.casefold(): _sourced("gearbox_ns", v) for k, v in raw.get("gearbox_ns", {}).items()}
    return Asic(
        name=path.stem,
        title=raw["title"],
        vendor=raw["vendor"],
        family=raw["family"],
        gearbox_ns=FrozenMap(gearbox),
        shipped=_shipped(path.parent / "shipped" / f"{path.stem}.csv"),
        buffers=FrozenMap(_buffers(path.parent / "shipped" / f"{path.stem}.json")),
        **facts,
    )


def _shipped(path: Path) -> tuple[ShippedRow, ...]:
    if not path.is_file():
        return ()
    out = []
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        table, speed, cable, size, xon, xoff, threshold, offset, source = line.split(",", 8)
        ints = (int(speed), int(cable), int(size), int(xon), int(xoff))
        out.append(ShippedRow(table, *ints, threshold, int(offset) if offset else None, source))
    return tuple(out)


def _buffers(path: Path) -> dict[str, ShippedBuffers]:
    if not path.is_file():
        return {}
    import json

    def frozen(tables: Mapping[str, Mapping[str, str]]) -> FrozenMap[str, FrozenMap[str, str]]:
        return FrozenMap((name, FrozenMap(fields)) for name, fields in tables.items())

    raw = json.loads(path.read_text(encoding="utf-8"))
    return {n: ShippedBuffers(n, frozen(b["pools"]), frozen(b["profiles"]), b["source"]) for n, b in raw.items()}
