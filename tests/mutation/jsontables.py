"""Mutants of JSON tables (SONiC): every row and field deleted, every number changed, references misspelt, two ports swapped.

The text is table > row > field, one to a line as `json.dumps(indent=4)` writes it; that is checked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from tests.mutation.mutant import Mutant, Step, changed, misspelt, of_runs, representatives

Tables = dict[str, dict[str, Any]]
#: Fields and tables that say who the device is, not what it does to a packet.
IDENTITY = (("DEVICE_METADATA", "localhost", "hostname"),)
_PORT = re.compile(r"Ethernet\d+")
_DIRECTION = {"ingress": "egress", "egress": "ingress"}


def tables(text: str) -> Tables:
    """The tables, if the text is laid out as the mutants need it. Raises ValueError otherwise."""
    data: Tables = json.loads(text)
    if _dump(data) != text.rstrip("\n"):
        raise ValueError("the text is not laid out as json.dumps(indent=4) does it")
    return data


def _dump(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=4, ensure_ascii=False)


def lines_of(data: Tables) -> dict[tuple[str, ...], int]:
    """The line (from 1) of each table, row and field."""
    out: dict[tuple[str, ...], int] = {}
    line = 1

    def walk(value: Any, path: tuple[str, ...]) -> None:
        nonlocal line
        for key, inner in value.items():
            line += 1
            out[(*path, key)] = line
            if isinstance(inner, dict) and inner:
                walk(inner, (*path, key))
                line += 1

    walk(data, ())
    return out


def mutants(text: str, step: Step) -> Iterator[Mutant]:
    """All mutants of one file."""
    data = tables(text)
    at = lines_of(data)
    lines = text.split("\n")
    ports = list(dict.fromkeys(p for t in data.values() for row in _rows(t) for p in _PORT.findall(row)))
    chosen, first_of = representatives((p, _body(data, p)) for p in ports)
    names = {row for t in data.values() for row in t if not _PORT.search(row)}
    for table, content in data.items():
        for row, fields in content.items():
            if (mine := _PORT.findall(row)) and not chosen & set(mine):
                continue
            spot = (table, _star(row))
            if _PORT.fullmatch(row) is None:
                yield from _renumbered(lines, at[(table, row)], (table,), row, "row", step)
            if (table, row) != IDENTITY[0][:2]:
                yield _without(data, (table, row), (table,), f'"{_star(row)}"', row)
            items = list(fields.items()) if isinstance(fields, dict) else []
            kept = of_runs([(name, value) for name, value in items])
            for i, (name, value) in enumerate(items):
                if i not in kept:
                    continue
                path = (table, row, name)
                if path in IDENTITY or (_PORT.fullmatch(name) and name not in chosen):
                    continue
                said = f'"{_star(name)}": "{value}"'
                yield _without(data, path, spot, said, f"{row} {name}")
                line = at[path]
                if _PORT.fullmatch(name) is None:
                    yield from _renumbered(lines, line, spot, name, said, step, row)
                yield from _values(lines, line, spot, said, str(value), step, f"{row} {name}", names)
    yield from _swapped(data, first_of)


def _rows(table: Mapping[str, Any]) -> Iterator[str]:
    for row, fields in table.items():
        yield row
        if isinstance(fields, dict):
            yield from fields


def _star(name: str) -> str:
    return _PORT.sub("*", name)


def _body(data: Tables, port: str) -> str:
    """All that stands under the port's name, without it."""
    mine: list[Any] = []
    for table, content in data.items():
        for row, fields in content.items():
            if row.partition("|")[0] == port:
                mine.append((table, row.partition("|")[2], fields))
            elif isinstance(fields, dict) and port in fields:
                mine.append((table, row, fields[port]))
    return json.dumps(mine, sort_keys=True)


def _without(data: Tables, path: tuple[str, ...], where: tuple[str, ...], said: str, detail: str) -> Mutant:
    """The row or field goes; its parent is the place."""
    copy: Tables = {t: {r: dict(f) if isinstance(f, dict) else f for r, f in c.items()} for t, c in data.items()}
    holder: Any = copy
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    at = lines_of(copy)
    # A port's row stands beside its other rows: a finding on one of them names the port's configuration as its parent.
    port = _PORT.match(path[-1]) if len(path) == 2 else None
    beside = () if port is None else tuple(n for p, n in at.items() if _beside(p, path[-1]))
    text = _dump(copy)
    users = tuple(n for n, x in enumerate(text.split("\n"), 1) if x.endswith((f': "{path[-1]}"', f': "{path[-1]}",')))
    beside += users if len(path) == 2 else ()  # what refers to a row that is gone names it
    return Mutant("delete", where, said, text, at[path[:-1]], (at[path[:1]], *beside), detail=_detail(detail, where))


def _beside(path: tuple[str, ...], row: str) -> bool:
    """Whether a row or field stands for the same port as the row: any of its rows, or a field of the same queue or group."""
    port, _, number = row.partition("|")
    there, _, other = path[1].partition("|") if len(path) > 1 else ("", "", "")
    return there == port and (len(path) == 2 or other == number)


def _detail(detail: str, where: tuple[str, ...]) -> str:
    """Ports that stand for others are kept apart, all else is said by place and line."""
    return detail if "*" in "".join(where) or _PORT.search(detail) else ""


def _renumbered(
    lines: list[str], line: int, where: tuple[str, ...], key: str, said: str, step: Step, row: str = ""
) -> Iterator[Mutant]:
    """The number of a key (a DSCP, a queue behind the port's name) changes; two rows of one key may come of it."""
    head, bar, tail = key.rpartition("|")
    shown = f'"{_star(key)}"' if said == "row" else said
    inside = tuple(range(line + 1, line + 4)) if lines[line - 1].endswith("{") else ()
    inside = tuple(n for n in inside if all("}" not in x for x in lines[line:n]))
    for what, new in changed(tail, step((*where, "key"), key, tail)):
        text = lines[line - 1].replace(f'"{key}"', f'"{head}{bar}{new}"', 1)
        twins = tuple(n for n, other in enumerate(lines, 1) if n != line and other.lstrip().startswith(f'"{head}{bar}{new}": '))
        yield _with(lines, line, text, f"key {what}", where, shown, f"{row} {key}", (*twins, *inside))


def _values(
    lines: list[str], line: int, where: tuple[str, ...], said: str, value: str, step: Step, detail: str, names: set[str]
) -> Iterator[Mutant]:
    for part in re.finditer(r"-?\d+(?:\.\d+)?", value):
        if re.fullmatch(r"(?:-?\d+(?:\.\d+)?,?)+|\d+m", value) is None:
            continue
        for what, new in changed(part[0], step((*where, said), detail.split()[-1], part[0])):
            yield _said(lines, line, value, value[: part.start()] + new + value[part.end() :], what, where, said,
                        f"{detail} {part.start()}")  # fmt: skip
    if value in names and where[0] != "DEVICE_METADATA":
        yield _said(lines, line, value, misspelt(value), "misspell", where, said, detail)
    turned = re.sub("ingress|egress", lambda m: _DIRECTION[m[0]], value)
    if turned != value and (value == "ingress" or value == "egress" or turned in names):
        yield _said(lines, line, value, turned, "direction", where, said, detail)


def _said(lines: list[str], line: int, old: str, new: str, what: str, where: tuple[str, ...], said: str, detail: str) -> Mutant:
    head, _, tail = lines[line - 1].rpartition(f'"{old}"')
    return _with(lines, line, f'{head}"{new}"{tail}', what, where, said, detail)


def _with(
    lines: list[str],
    line: int,
    new: str,
    what: str,
    where: tuple[str, ...],
    said: str,
    detail: str,
    twins: tuple[int, ...] = (),
) -> Mutant:
    text = "\n".join([*lines[: line - 1], new, *lines[line:]])
    return Mutant(what, where, said, text, line, twins, detail=_detail(detail, where) or detail.split()[-1])


def _swapped(data: Tables, first_of: Mapping[object, str]) -> Iterator[Mutant]:
    """All rows of two unlike ports change their names."""
    for one, other in combinations(first_of.values(), 2):
        swap = {one: other, other: one}

        def renamed(name: str, swap: Mapping[str, str] = swap) -> str:
            head, bar, tail = name.partition("|")
            return swap.get(head, head) + bar + tail

        copy: Tables = {
            t: {renamed(r): {renamed(k): v for k, v in f.items()} if isinstance(f, dict) else f for r, f in c.items()}
            for t, c in data.items()
        }
        at = lines_of(copy)
        places = tuple(n for path, n in at.items() if any(p.partition("|")[0] in swap for p in path[1:]))
        yield Mutant("swap", (), "*", _dump(copy), places[0], places, f"{one}, {other}")
