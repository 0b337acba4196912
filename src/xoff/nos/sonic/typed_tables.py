"""Keys, references and values of config_db tables, judged by the typed tables of `schema`.

Reading checks every value by them, rendering refuses to write what does not pass (`problems`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from xoff.model.record import dataclass
from xoff.nos.sonic.schema import NUMBER, PG_RANGE, QUEUE_RANGE, TABLES, Kind, Table

#: What an unfilled template leaves behind where a value belongs.
_RESIDUE = re.compile(r"\{\{|\}\}|\{%|%\}|\$\{|<%")
_RESIDUE_WORDS = frozenset({"none", "undefined", "null", "nan", "jinja2.undefined", "todo", "changeme"})
_BRACKET = re.compile(r"\[([A-Z0-9_]+)[|:]([^\]]*)\]")


#: Names that db_migrator gave up, and today's.
OLD_NAMES: Mapping[str, str] = {"PFC_WD_TABLE": "PFC_WD"}
_RANGES = {"groups": PG_RANGE, "queues": QUEUE_RANGE}
#: Row keys that stand for the switch, not for a port.
NOT_A_PORT = frozenset({"global", "GLOBAL", "CPU"})


def residue(text: str) -> bool:
    """Whether this is what a template leaves that was not filled in."""
    return bool(_RESIDUE.search(text)) or text.strip().lower() in _RESIDUE_WORDS


def headroom_pool_name(pool: str) -> str:
    """Name in the model of the shared headroom pool that BUFFER_POOL.xoff keeps beside `pool`."""
    return f"{pool}.xoff"


def bare(text: str) -> tuple[str | None, str]:
    """A reference without its brackets: (table it names, name). The table is None in the bare form of 202111 and later."""
    m = _BRACKET.fullmatch(text)
    return (None, text) if m is None else (m.group(1), m.group(2))


@dataclass(frozen=True, slots=True)
class TableProblem:
    """Why SONiC would refuse this, or take it for something else."""

    table: str
    key: str
    field: str
    message: str

    def __str__(self) -> str:
        where = f"{self.table}|{self.key}" + (f" {self.field}" if self.field else "")
        return f"{where}: {self.message}"


def problems(tables: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[TableProblem]:
    """Everything wrong in tables that are to be written: fields, values, keys, references (bare), values that contradict.

    References into tables that are not among `tables` are not judged, nor are ports, which a rendered file need not define.
    """
    for name, rows in tables.items():
        table = TABLES.get(name)
        if table is None:
            yield TableProblem(name, "*", "", "no table of QoS has this name")
            continue
        for key, row in rows.items():
            yield from _key_problems(table, key)
            for missing in table.required:
                if missing not in row:
                    yield TableProblem(name, key, missing, "is missing, and the row is refused without it")
            for fname, value in row.items():
                yield from _value_problems(tables, table, key, fname, value)
            yield from _contradictions(tables, name, key, row)


def split_key(table: Table, key: str) -> tuple[str, ...] | None:
    """A row's key in its parts: the table's own, or host, ASIC and these on a VOQ chassis. None: neither."""
    parts = tuple(key.split("|")) if len(table.key) > 1 else (key,)
    if len(parts) == len(table.key) or (len(table.key) == 2 and len(parts) == 4):
        return parts
    return None


def range_kind(table: Table) -> Kind | None:
    """What the last part of the key must be, where it counts groups or queues."""
    return _RANGES.get(table.key[-1])


def _key_problems(table: Table, key: str) -> Iterator[TableProblem]:
    parts = split_key(table, key)
    if parts is None:
        yield TableProblem(table.name, key, "", f"the key has to be {'|'.join(table.key)}")
        return
    kind = range_kind(table) or (table.name_kind if table.key == ("name",) else None)
    if kind is not None and not kind.holds(parts[-1]):
        yield TableProblem(table.name, key, "", f"{parts[-1]!r} is not {kind.expected}")


def _value_problems(
    tables: Mapping[str, Mapping[str, Mapping[str, Any]]], table: Table, key: str, fname: str, value: Any
) -> Iterator[TableProblem]:
    if not isinstance(value, str):
        yield TableProblem(table.name, key, fname, f"{value!r} is no string; every value of config_db is one")
        return
    if table.entries is not None:
        for kind, text in zip(table.entries, (fname, value), strict=True):
            if not kind.holds(text):
                yield TableProblem(table.name, key, fname, f"{text!r} is not {kind.expected}")
        return
    spec = table.fields.get(fname)
    if spec is None:
        if table.closed:
            yield TableProblem(table.name, key, fname, "no such field")
        return
    if not spec.kind.holds(value):
        yield TableProblem(table.name, key, fname, f"{value!r} is not {spec.kind.expected}")
    if spec.ref and value not in spec.words:
        for item in value.split(",") if spec.many else (value,):
            there = [tables[t] for t in spec.ref if t in tables]
            if there and not any(item in rows for rows in there):
                yield TableProblem(table.name, key, fname, f"refers to {item!r}, which {' / '.join(spec.ref)} does not define")


def _contradictions(
    tables: Mapping[str, Mapping[str, Mapping[str, Any]]], name: str, key: str, row: Mapping[str, Any]
) -> Iterator[TableProblem]:
    """The `must` statements of the YANG modules."""

    def num(values: Mapping[str, Any], fname: str) -> int | None:
        text = values.get(fname)
        return int(text) if isinstance(text, str) and NUMBER.fullmatch(text) else None

    if name == "WRED_PROFILE":
        for colour in ("green", "yellow", "red"):
            low, high = num(row, f"{colour}_min_threshold"), num(row, f"{colour}_max_threshold")
            if low is not None and high is not None and high < low:
                yield TableProblem(name, key, f"{colour}_max_threshold", f"{high} is below the minimum threshold {low}")
    elif name == "PFC_WD" and key != "GLOBAL":
        poll = num(tables["PFC_WD"].get("GLOBAL", {}), "POLL_INTERVAL")
        for fname in ("detection_time", "restoration_time"):
            value = num(row, fname)
            if poll is not None and value is not None and value < poll:
                yield TableProblem(name, key, fname, f"{value} ms is shorter than the polling interval, {poll} ms")
    elif name == "SCHEDULER":
        cir, pir = num(row, "cir"), num(row, "pir")
        if pir is not None and (not cir or pir < cir):
            yield TableProblem(name, key, "pir", f"needs a cir above 0 and not above {pir}")
    elif name == "BUFFER_POOL" and "percentage" in row and "size" in row:
        yield TableProblem(name, key, "percentage", "and size exclude each other")
    elif name == "BUFFER_PROFILE" and "static_th" in row and "dynamic_th" in row:
        yield TableProblem(name, key, "dynamic_th", "and static_th exclude each other")
