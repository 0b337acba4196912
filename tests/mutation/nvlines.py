"""Mutants of NVUE commands (Cumulus Linux): lines deleted, numbers changed, switches turned, names misspelt, ports swapped.

The list is flat: `nv set qos KIND PROFILE …`, and `nv set interface PORTS …`, where PORTS may be ranges (`swp1-2,swp31-32`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from tests.mutation.mutant import Mutant, Step, changed, kept_numbers, misspelt, one_of_runs, representatives

#: Lines that say who the device is, not what it does to a packet.
IDENTITY = re.compile(r"nv set (?:system hostname|interface \S+ description) ")
_TURNED = {"enable": "disable", "disable": "enable", "on": "off", "off": "on", "up": "down", "down": "up"}
#: Profiles that are there without a line.
_BUILT_IN = ("default-global",)
_RANGE = re.compile(r"(swp|bond)(\d+)(?:-(\d+))?\Z")


@dataclass(frozen=True, slots=True)
class Row:
    """A command. `index` from 0; `words` after `nv set`; `ports`: the interfaces that it is about, one by one."""

    index: int
    words: tuple[str, ...]
    ports: tuple[str, ...]

    @property
    def owner(self) -> tuple[str, ...]:
        """The words that hold the line: kind and profile, or the ports."""
        return self.words[:3] if self.words[0] == "qos" else self.words[:2]


def rows(text: str) -> list[Row]:
    """Every `nv set` line of a file."""
    out = []
    for i, line in enumerate(text.split("\n")):
        if line.startswith("nv set "):
            words = tuple(line.split()[2:])
            out.append(Row(i, words, tuple(ports(words[1])) if words[0] == "interface" else ()))
    return out


def ports(word: str) -> Iterator[str]:
    """The ports of a list of ranges; a form that is none of these is a port by itself."""
    for part in word.split(","):
        found = _RANGE.match(part)
        if found is None:
            yield part
            continue
        for n in range(int(found[2]), int(found[3] or found[2]) + 1):
            yield f"{found[1]}{n}"


def mutants(text: str, step: Step) -> Iterator[Mutant]:
    """All mutants of one file."""
    lines = text.split("\n")
    all_ = rows(text)
    names = {r.words[2] for r in all_ if r.words[0] == "qos" and len(r.words) > 3} - {*_BUILT_IN}
    kept = one_of_runs([(r.owner, lines[r.index]) for r in all_])
    for n, row in enumerate(all_):
        if IDENTITY.match(lines[row.index]) or n not in kept:
            continue
        yield _deleted(lines, all_, row)
        yield from _numbers(lines, row, step)
        yield from _words(lines, row, names)
    yield from _swapped(lines, all_)


def _said(row: Row) -> str:
    words = ("interface", "*", *row.words[2:]) if row.ports else row.words
    return "nv set " + " ".join(words)


def _deleted(lines: list[str], all_: Sequence[Row], row: Row) -> Mutant:
    """What held the line are the lines of its profile or ports, and those that name the profile."""
    name = row.words[2] if row.words[0] == "qos" and len(row.words) > 3 else ""
    near = (r for r in all_ if r is not row)
    kin = {
        r.index
        for r in near
        if r.owner == row.owner or set(r.ports) & set(row.ports) or (name and name in r.words) or r.words[:2] == row.words[:2]
    }
    places = tuple(sorted(i + 1 if i < row.index else i for i in kin))
    left = lines[: row.index] + lines[row.index + 1 :]
    return Mutant("delete", (), _said(row), "\n".join(left), 0, places, ",".join(row.ports))


def _numbers(lines: list[str], row: Row, step: Step) -> Iterator[Mutant]:
    line = lines[row.index]
    first = len("nv set " + " ".join(row.owner))
    for word in re.finditer(r"(?<=\s)\d+(?:\.\d+)?(?=\s|$)", line):
        if word.start() > first:
            for what, new in changed(word[0], step(row.words, line[: word.start()].strip(), word[0])):
                yield _with(lines, row, word.span(), new, what)
    for start, number in kept_numbers(line):
        if start > first:
            yield _with(lines, row, (start, start + len(number)), str(int(number) + 1), "+1")


def _words(lines: list[str], row: Row, names: set[str]) -> Iterator[Mutant]:
    line = lines[row.index]
    last = line.rsplit(" ", 1)[-1]
    span = (len(line) - len(last), len(line))
    if last in names:
        yield _with(lines, row, span, misspelt(last), "misspell")
    elif last in _TURNED:
        yield _with(lines, row, span, _TURNED[last], "direction")


def _with(lines: list[str], row: Row, span: tuple[int, int], new: str, what: str) -> Mutant:
    line = lines[row.index][: span[0]] + new + lines[row.index][span[1] :]
    text = "\n".join([*lines[: row.index], line, *lines[row.index + 1 :]])
    return Mutant(what, (), _said(row), text, row.index + 1, (), f"{','.join(row.ports)} {span[0]}")


def _swapped(lines: list[str], all_: Sequence[Row]) -> Iterator[Mutant]:
    """Two unlike ports change names; ranges are written out on every line that holds just one of the two."""
    every = dict.fromkeys(p for r in all_ for p in r.ports)
    mine = {p: tuple(_said(r) for r in all_ if p in r.ports and not IDENTITY.match(lines[r.index])) for p in every}
    _, first_of = representatives(mine.items())
    for one, other in combinations([p for body, p in first_of.items() if body], 2):
        names = {one: other, other: one}
        new = list(lines)
        places = []
        for r in all_:
            if len({one, other} & set(r.ports)) == 1:
                listed = ",".join(names.get(p, p) for p in r.ports)
                new[r.index] = " ".join(("nv set interface", listed, *r.words[2:]))
                places.append(r.index + 1)
        if places:
            yield Mutant("swap", (), "nv set interface *", "\n".join(new), places[0], tuple(places[1:]), f"{one}, {other}")
