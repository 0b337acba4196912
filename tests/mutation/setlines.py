"""Mutants of set lines (Junos): every line deleted, every number changed, names misspelt, two ports swapped.

A line has no block around it; what holds it are the lines that begin with the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from tests.mutation.mutant import Mutant, Step, changed, misspelt, number, of_runs, representatives

#: Lines that say who the device is, not what it does to a packet.
IDENTITY = re.compile(r"set (?:system host-name|interfaces \S+ (?:unit \d+ )?description) ")
_PORT = re.compile(r"set (?:class-of-service )?interfaces (\S+) ")
_DIRECTION = {"ingress": "egress", "egress": "ingress", "input": "output", "output": "input"}
#: Words before a code point in bits, which is a number of base two.
_BITS = frozenset({"code-point", "code-points"})
#: Words before a name of the file's own.
_NAMING = frozenset(
    {"class", "dscp", "ieee-802.1", "forwarding-class", "drop-profiles", "drop-profile", "schedulers", "scheduler",
     "scheduler-maps", "scheduler-map", "congestion-notification-profile"}
)  # fmt: skip
#: Words above which the lines are not of one kind any more.
_DEEP = 4


@dataclass(frozen=True, slots=True)
class Row:
    """A set line. `index` from 0; `port`: the interface that it is about."""

    index: int
    words: tuple[str, ...]
    port: str


def rows(text: str) -> list[Row]:
    """Every set line of a file."""
    out = []
    for i, line in enumerate(text.split("\n")):
        if line.startswith("set "):
            found = _PORT.match(line)
            out.append(Row(i, tuple(line.split()), found[1] if found else ""))
    return out


def mutants(text: str, step: Step) -> Iterator[Mutant]:
    """All mutants of one file."""
    lines = text.split("\n")
    all_ = rows(text)
    bodies: dict[str, list[str]] = {}
    for row in all_:
        if row.port:
            bodies.setdefault(row.port, []).append(
                "" if IDENTITY.match(lines[row.index]) else _star(lines[row.index], row.port)
            )
    chosen, first_of = representatives((port, tuple(b)) for port, b in bodies.items())
    names = {
        w for r in all_ for before, w in zip(r.words, r.words[1:], strict=False) if before in _NAMING and number(w) is None
    }
    listed = of_runs([(str(int(r.words[-1], 2)) if _code(r) else f"-{i}", r.words[:-1]) for i, r in enumerate(all_)])
    for n, row in enumerate(all_):
        if IDENTITY.match(lines[row.index]) or (row.port and row.port not in chosen) or (_code(row) and n not in listed):
            continue
        yield _deleted(lines, all_, row)
        yield from _values(lines, row, step)
        yield from _words(lines, row, names)
    yield from _swapped(lines, all_, first_of)


def _star(line: str, port: str) -> str:
    return line.replace(f" {port} ", " * ") if port else line


def _code(row: Row) -> bool:
    return len(row.words) > 2 and row.words[-2] in _BITS and re.fullmatch(r"[01]{3}|[01]{6}", row.words[-1]) is not None


def _where(row: Row) -> tuple[str, ...]:
    return tuple("*" if w == row.port else w for w in row.words[1:3])


def _kin(all_: Sequence[Row], row: Row) -> tuple[int, ...]:
    """Lines (from 1) that begin as the row does, or name what it names last."""
    head = row.words[: min(_DEEP, len(row.words) - 1)]
    name = row.words[3] if len(row.words) > 3 else ""

    def near(r: Row) -> bool:
        return r.words[: len(head)] == head or bool(row.port and r.port == row.port) or bool(name and name in r.words)

    return tuple(r.index + 1 for r in all_ if r is not row and near(r))


def _deleted(lines: list[str], all_: Sequence[Row], row: Row) -> Mutant:
    left = lines[: row.index] + lines[row.index + 1 :]
    places = tuple(n if n <= row.index else n - 1 for n in _kin(all_, row))
    return Mutant("delete", _where(row), _star(lines[row.index], row.port), "\n".join(left), 0, places, detail=row.port)


def _values(lines: list[str], row: Row, step: Step) -> Iterator[Mutant]:
    text = lines[row.index]
    for word in re.finditer(r"(?<= )\d+(?= |$)", text):
        before = text[: word.start()].split()[-1]
        if before in _BITS or before == "unit":
            if before in _BITS:
                size = len(word[0])
                up = (int(word[0], 2) + 1) % 2**size
                for what, new in (("+1", up), ("0", 0)) if up else (("0", 0),):
                    yield from _with(lines, row, word.span(), format(new, f"0{size}b"), what)
            continue
        for what, new_word in changed(word[0], step(row.words[1:-1], text[: word.start()].strip(), word[0])):
            yield from _with(lines, row, word.span(), new_word, what)


def _words(lines: list[str], row: Row, names: set[str]) -> Iterator[Mutant]:
    for word in re.finditer(r"(?<= )\S+", lines[row.index]):
        if word[0] in names and word.end() == len(lines[row.index]):
            yield from _with(lines, row, word.span(), misspelt(word[0]), "misspell")
        elif word[0] in _DIRECTION:
            yield from _with(lines, row, word.span(), _DIRECTION[word[0]], "direction")


def _with(lines: list[str], row: Row, span: tuple[int, int], new: str, what: str) -> Iterator[Mutant]:
    old = lines[row.index]
    line = old[: span[0]] + new + old[span[1] :]
    if line != old:
        text = "\n".join([*lines[: row.index], line, *lines[row.index + 1 :]])
        yield Mutant(what, _where(row), _star(old, row.port), text, row.index + 1, (), f"{row.port} {span[0]}")


def _swapped(lines: list[str], all_: Sequence[Row], first_of: dict[object, str]) -> Iterator[Mutant]:
    """Two unlike ports change names on every line."""
    for one, other in combinations([p for body, p in first_of.items() if body], 2):
        names = {one: other, other: one}
        changed_ = list(lines)
        for r in all_:
            if r.port in names:
                changed_[r.index] = lines[r.index].replace(f" {r.port} ", f" {names[r.port]} ")
        mine = tuple(r.index + 1 for r in all_ if r.port in names)
        yield Mutant("swap", (), "set interfaces *", "\n".join(changed_), mine[0], mine[1:], f"{one}, {other}")
