"""What may stand in a file of platforms/. A test runs it over every file, not the program: a slip must not cost every start."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

from xoff.model.origin import Evidence
from xoff.model.switch import Architecture
from xoff.platforms.facts import Asic

_TOP = {"title", "vendor", "family", "facts", "gearbox_ns"}
_KNOWN = {"value", "evidence", "source", "note"}
_UNKNOWN = {"unknown", "inapplicable", "recalled"}
_USED = {e.value for e in Evidence} - {Evidence.RECALLED.value}
_WORDS: Mapping[str, frozenset[str]] = {
    "architecture": frozenset(a.value for a in Architecture),
    "port_domain": frozenset({"table", "even", "unknown"}),
    "static_threshold_scale": frozenset({"chip", "domain"}),
    "egress_lossless_convention": frozenset({"static_pool", "alpha", "infinite"}),
    "eos_queue": frozenset({"tx-queue", "uc-tx-queue"}),
}
_FLAGS = {"pool_size_includes_headroom", "watchdog", "eos_mmu", "sonic_dynamic", "pfc_to_pg_map"}
_FRACTIONS = {"cell_factor", "shipped_oversubscription", "mac_phy_delay", "peer_response"}
#: Plausible range of each whole number: a slip of a unit (KiB, cells, us) falls outside.
_RANGES: Mapping[str, tuple[int, int]] = {
    "cell": (32, 8_192),
    "segment": (32, 8_192),
    "buffer": (1_000_000, 64 * 2**30),
    "domains": (1, 64),
    "lossless_classes": (1, 8),
    "response_ns": (100, 50_000),
    "pipeline_latency": (1_024, 2**20),
    "tile_ns": (0, 10_000),
    "ecn_granularity": (1, 2**20),
    "gearbox_ns": (1, 100_000),
}
#: Facts that hold of a model or of the shipped files, and are no entry under `facts`.
_ELSEWHERE = {"name", "title", "vendor", "family", "gearbox_ns", "shipped", "buffers"}
FACTS = frozenset(f.name for f in fields(Asic)) - _ELSEWHERE
_COLUMNS = ("name", "kind", "asic", "evidence", "headroom_table", "buffers_leaf", "buffers_spine", "ports", "source")


def problems(file: Path) -> list[str]:
    """Everything wrong with the YAML file of one chip, in words; empty when it is right."""
    import yaml

    data = yaml.safe_load(file.read_text(encoding="utf-8"))
    if not isinstance(data, dict):
        return [f"{file.name} is no mapping"]
    return list(_problems(data))


def _problems(data: Mapping[str, Any]) -> Iterator[str]:
    for key in sorted(set(data) - _TOP):
        yield f"unknown key {key!r}"
    for key in ("title", "vendor", "family", "facts"):
        if not data.get(key):
            yield f"{key} is missing"
    facts = data.get("facts") or {}
    for name in sorted(set(facts) - FACTS):
        yield f"no such fact: {name!r}"
    for name, fact in facts.items():
        yield from _fact(name, name, fact)
    for model, fact in (data.get("gearbox_ns") or {}).items():
        yield from _fact(f"gearbox_ns {model}", "gearbox_ns", fact)
    if not any(isinstance(f, dict) and "value" in f for f in facts.values()):
        yield "no fact has a value: such a chip helps nobody"


def _fact(label: str, name: str, fact: Any) -> Iterator[str]:
    if not isinstance(fact, dict):
        yield f"{label} is no mapping"
        return
    if "value" not in fact:
        for key in sorted(set(fact) - _UNKNOWN):
            yield f"{label}: {key!r} has no place beside `unknown`"
        if bool(fact.get("unknown")) == bool(fact.get("inapplicable")):
            yield f"{label}: neither a value nor the reason why it is unknown (or, apart from that, inapplicable)"
        return
    for key in sorted(set(fact) - _KNOWN):
        yield f"{label}: {key!r} has no place beside a value"
    if not fact.get("source"):
        yield f"{label}: source is missing"
    if fact.get("evidence") not in _USED:
        yield f"{label}: evidence {fact.get('evidence')!r} is none of {', '.join(sorted(_USED))}; what is recalled is no value"
    yield from _value(label, name, fact["value"])


def _value(label: str, name: str, value: Any) -> Iterator[str]:
    if name in _WORDS:
        if value not in _WORDS[name]:
            yield f"{label}: {value!r} is none of {', '.join(sorted(_WORDS[name]))}"
    elif name in _FLAGS:
        if not isinstance(value, bool):
            yield f"{label}: {value!r} is neither true nor false"
    elif name in _FRACTIONS:
        try:
            if Fraction(str(value)) <= 0:
                yield f"{label}: {value!r} is not above 0"
        except (ValueError, ZeroDivisionError):
            yield f"{label}: {value!r} is no fraction"
    elif name in _RANGES:
        low, high = _RANGES[name]
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            yield f"{label}: {value!r} is no whole number of {low} to {high}"


_WATCHDOG = {"available", "source", "actions", "polls", "ports_per_step", "poll", "detect", "restore", "families"}
_TIME = {"low", "high", "default", "polls", "choices", "evidence", "source", "recalled"}


def watchdog_problems(raw: Mapping[str, Any]) -> list[str]:
    """Everything wrong with the `watchdog` section of a NOS: of its nos.yaml, or an entry of platforms/nos/watchdog.yaml."""
    out = [f"unknown key {k!r}" for k in sorted(set(raw) - _WATCHDOG)]
    available = raw.get("available")
    if not isinstance(available, bool) and not (isinstance(available, dict) and set(available) == {"unknown"}):
        out.append("available is true, false or {unknown: why}")
    if available is True and not raw.get("source"):
        out.append("source is missing")
    for what in ("poll", "detect", "restore"):
        if what in raw:
            out += _time(what, raw[what])
    for family, own in (raw.get("families") or {}).items():
        out += [f"family {family}: {p}" for p in watchdog_problems(own)]
    return out


def _time(what: str, raw: Any) -> Iterator[str]:
    if not isinstance(raw, dict):
        yield f"{what} is no mapping"
        return
    for key in sorted(set(raw) - _TIME):
        yield f"{what}: unknown key {key!r}"
    numbers = {"low", "high", "default", "choices"} & set(raw)
    if raw.get("evidence") == Evidence.RECALLED.value:
        if numbers:
            yield f"{what}: {', '.join(sorted(numbers))} beside evidence `recalled`: what is recalled is no value"
        return
    if raw.get("evidence") not in _USED:
        yield f"{what}: evidence {raw.get('evidence')!r} is none of {', '.join(sorted(_USED))}"
    if not raw.get("source"):
        yield f"{what}: source is missing"
    if not numbers:
        yield f"{what}: neither a range nor a default"
    order = [n for n in (raw.get("low"), raw.get("default"), raw.get("high")) if n is not None]
    if order != sorted(order):
        yield f"{what}: low <= default <= high does not hold"
    if raw.get("choices") and raw.get("default") not in (None, *raw["choices"]):
        yield f"{what}: the default is none of the choices"


def index_problems(file: Path, asics: frozenset[str]) -> list[str]:
    """Everything wrong with models.csv: columns, evidence, chips that do not exist, names that stand twice."""
    out: list[str] = []
    seen: set[str] = set()
    for n, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        row = next(csv.reader([line], quoting=csv.QUOTE_NONE))
        if row[0] == "name":
            if tuple(row) != _COLUMNS:
                out.append(f"line {n}: columns are not {','.join(_COLUMNS)}")
            continue
        if len(row) < len(_COLUMNS):
            out.append(f"line {n}: {len(row)} columns, not {len(_COLUMNS)}")
            continue
        name, kind, asic, evidence = row[:4]
        if kind not in ("model", "hwsku"):
            out.append(f"line {n}: kind {kind!r} is neither model nor hwsku")
        if asic not in asics:
            out.append(f"line {n}: there is no {asic}.yaml")
        if evidence not in {e.value for e in Evidence}:
            out.append(f"line {n}: evidence {evidence!r}")
        if not ",".join(row[8:]).strip():
            out.append(f"line {n}: source is missing")
        if name.casefold() in seen:
            out.append(f"line {n}: {name} stands twice")
        seen.add(name.casefold())
    return out
