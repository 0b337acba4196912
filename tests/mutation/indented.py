"""Mutants of indented text (EOS, NX-OS, OS10, VRP, Comware and others).

Every line is deleted, every number changed, references are misspelt, two ports swapped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

from tests.mutation.mutant import (
    Mutant,
    Step,
    changed,
    kept_numbers,
    misspelt,
    number,
    of_runs,
    one_of_runs,
    representatives,
)

#: Lines that say who the device is, not what it does to a packet.
IDENTITY = ("hostname ", "sysname ", "description ")
#: What ends a file and does nothing else.
ENDS = ("return", "end")
_DIRECTION = {"ingress": "egress", "egress": "ingress", "input": "output", "output": "input"}
PORT = "interface "


@dataclass(frozen=True, slots=True)
class Row:
    """A line with its place in the tree. `end`: index of the first line after its block."""

    index: int
    text: str
    indent: int
    parents: tuple[int, ...]
    end: int


def rows(text: str) -> list[Row]:
    """Every line that is no comment, with the headers around it."""
    lines = text.split("\n")
    kept = [(i, line) for i, line in enumerate(lines) if line.strip() and not line.strip().startswith(("!", "#"))]
    out: list[Row] = []
    open_: list[tuple[int, int]] = []
    for n, (i, line) in enumerate(kept):
        indent = len(line) - len(line.lstrip())
        while open_ and open_[-1][1] >= indent:
            open_.pop()
        end = i + 1
        for j, later in kept[n + 1 :]:
            if len(later) - len(later.lstrip()) <= indent:
                break
            end = j + 1
        out.append(Row(i, line.strip(), indent, tuple(p for p, _ in open_), end))
        open_.append((i, indent))
    return out


def mutants(text: str, step: Step) -> Iterator[Mutant]:
    """All mutants of one file."""
    lines = text.split("\n")
    all_ = rows(text)
    by_index = {r.index: r for r in all_}
    bodies = [(r.text, _body(lines, r)) for r in all_ if not r.indent and r.text.startswith(PORT)]
    chosen, first_of = representatives(bodies)
    names = {r.text.split()[-1] for r in all_ if r.end > r.index + 1 and not r.text.startswith(PORT)}
    # Words of the NOS stand at the end of a header as well (`system qos`); the names of rendered files are in capitals.
    names = {n for n in names if number(n) is None and n.upper() == n}
    # Objects of one line (`buffer profile xoff_100000_5m …`) have names that begin with ours.
    names |= {w for r in all_ for w in r.text.split() if w.startswith("xoff_")}
    kept = one_of_runs([(r.parents, r.text if r.end == r.index + 1 else "") for r in all_])
    tops = tuple(r.index + 1 for r in all_ if not r.indent and r.end > r.index + 1)
    for n, row in enumerate(all_):
        headers = [by_index[p].text for p in row.parents]
        top = headers[0] if headers else row.text
        if row.text in ENDS or row.text.startswith(IDENTITY) or (top.startswith(PORT) and top not in chosen) or n not in kept:
            continue
        where = tuple(PORT + "*" if h.startswith(PORT) else h for h in headers)
        port = top if top.startswith(PORT) else ""
        yield from _deleted(lines, row, where, port, tops)
        if not row.text.startswith(PORT):
            yield from _numbers(lines, row, where, port, step)
            yield from _words(lines, row, where, port, names)
    yield from _swapped(lines, {r.text: r for r in all_}, first_of)


def _body(lines: list[str], row: Row) -> tuple[str, ...]:
    return tuple(x for x in lines[row.index + 1 : row.end] if not x.strip().startswith(IDENTITY))


def _said(row: Row) -> str:
    return PORT + "*" if row.text.startswith(PORT) else row.text


def _deleted(lines: list[str], row: Row, where: tuple[str, ...], port: str, tops: tuple[int, ...]) -> Iterator[Mutant]:
    """The line goes, and with it the block that it opens. A line of the root has the blocks that it served for parents."""
    left = lines[: row.index] + lines[row.end :]
    parent = row.parents[-1] + 1 if row.parents else 0
    name = row.text.split()[-1]
    if row.end > row.index + 1:  # what refers to an object that is gone names it
        tops += tuple(i + 1 for i, x in enumerate(lines) if i != row.index and f" {name}" in x)
    moved = tuple(n if n <= row.index else n - (row.end - row.index) for n in tops if not row.index < n <= row.end)
    yield Mutant("delete", where, _said(row), "\n".join(left), parent, () if row.parents else moved, detail=port)


def _numbers(lines: list[str], row: Row, where: tuple[str, ...], port: str, step: Step) -> Iterator[Mutant]:
    words = list(re.finditer(r"(?<=\s)-?\d+(?:\.\d+)?(?=\s|$)", lines[row.index]))
    # Numbers side by side are a list; elsewhere each stands for itself.
    listed = [w.start() - 1 == before.end() for before, w in pairwise(words)]
    kept = of_runs([(w[0], "" if joined else i) for i, (w, joined) in enumerate(zip(words, [False, *listed], strict=False))])
    for i, word in enumerate(words):
        if i not in kept:
            continue
        for what, new in changed(word[0], step((*where, row.text), lines[row.index][: word.start()].strip(), word[0])):
            line = lines[row.index][: word.start()] + new + lines[row.index][word.end() :]
            yield _with(lines, row, line, what, where, f"{port} {word.start()}")
    for start, digits in kept_numbers(lines[row.index]):
        line = f"{lines[row.index][:start]}{int(digits) + 1}{lines[row.index][start + len(digits) :]}"
        yield _with(lines, row, line, "+1", where, f"{port} {start}")


def _words(lines: list[str], row: Row, where: tuple[str, ...], port: str, names: set[str]) -> Iterator[Mutant]:
    for word in re.finditer(r"(?<=\s)\S+", lines[row.index]):
        defines = row.end > row.index + 1 or (not row.indent and word[0].islower())
        if word[0] in names and not defines:
            new, what = misspelt(word[0]), "misspell"
        elif word[0] in _DIRECTION:
            new, what = _DIRECTION[word[0]], "direction"
        else:
            continue
        line = lines[row.index][: word.start()] + new + lines[row.index][word.end() :]
        yield _with(lines, row, line, what, where, f"{port} {word.start()}")


def _with(lines: list[str], row: Row, line: str, what: str, where: tuple[str, ...], detail: str) -> Mutant:
    text = "\n".join([*lines[: row.index], line, *lines[row.index + 1 :]])
    return Mutant(what, where, _said(row), text, row.index + 1, tuple(range(row.index + 2, row.end + 1)), detail=detail)


def _swapped(lines: list[str], headers: dict[str, Row], first_of: dict[object, str]) -> Iterator[Mutant]:
    """The bodies of two unlike ports change places."""
    for one, other in combinations([p for body, p in first_of.items() if body], 2):
        a, b = sorted((headers[one], headers[other]), key=lambda r: r.index)
        text = [*lines[: a.index + 1], *lines[b.index + 1 : b.end], *lines[a.end : b.index + 1], *lines[a.index + 1 : a.end],
                *lines[b.end :]]  # fmt: skip
        grown = (b.end - b.index) - (a.end - a.index)
        first = range(a.index + 1, a.index + 1 + b.end - b.index)
        second = range(b.index + grown + 1, b.index + grown + 1 + a.end - a.index)
        yield Mutant("swap", (), PORT + "*", "\n".join(text), a.index + 1, (*first, *second), f"{one}, {other}")
