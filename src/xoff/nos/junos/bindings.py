"""Junos: what `class-of-service interfaces` binds to a port: its own entry, its units', and the wildcards that mean it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xoff.model.origin import BodyLine, Line, Origin
from xoff.model.quantity import Fact, Unknown
from xoff.nos.junos import names
from xoff.nos.reader import Block, Reading
from xoff.nos.settings import Setting, Settings

BESIDE = Unknown(
    "a wildcard entry says it and the interface has an entry of its own; whether the wildcard still holds is not confirmed",
    Fact.DEFAULT,
)
UNITS = Unknown("units of the interface are bound to different objects", Fact.CONFIG)
LEVELS = Unknown("the interface and its unit are bound to different objects, and which wins is not confirmed", Fact.DEFAULT)
COS = ("class-of-service", "interfaces", "*")


class Entries:
    """All entries of `class-of-service interfaces`, by name and as wildcards."""

    def __init__(self, reading: Reading, block: Block | None) -> None:
        self.reading = reading
        self.own: dict[str, Block] = {}
        self.wild: dict[str, Block] = {}
        for child in block.children if block is not None else ():
            (self.wild if names.is_wildcard(child.name) else self.own)[child.name] = child
        self._absolute: dict[str, Settings] = {}

    def meaning(self, name: str) -> tuple[Block | None, tuple[Block, ...]]:
        """(the interface's own entry, the wildcards that mean it)."""
        return self.own.get(name), tuple(b for pattern, b in self.wild.items() if names.means(pattern, name))

    def key(self, name: str) -> object:
        """Equal for interfaces whose entries say the same, on the same wildcards."""
        own, wild = self.meaning(name)
        mine = None if own is None else tuple((part.cause, id(part.body)) for part in _parts(own))
        return mine, tuple(b.name for b in wild)

    def settings(self, name: str, units: frozenset[str]) -> Settings:
        """What is bound: `map`, `cnp`, `class`, `control`, `classifier.dscp`, `rewrite.dscp` …; None values do not occur.

        `units`: the units that the interface has (empty: not known, so every unit counts).
        """
        own, wild = self.meaning(name)
        out = Settings()
        for block in wild:
            for what, setting in _of(block, units, self._lines(block)).said.items():
                out.said[what] = _both(out.said.get(what), setting, UNITS)
        if own is None:
            return out
        mine = _of(own, units, _body(own))
        for what, setting in out.said.items():
            if what not in mine.said:
                mine.said[what] = Setting(BESIDE, setting.origin)
        return mine

    def _lines(self, block: Block) -> dict[tuple[int, int], Origin]:
        out: dict[tuple[int, int], Origin] = {}
        for number, part in enumerate(_parts(block)):
            for index in range(len(part.body.texts)):
                out[number, index] = Line(part.cause, part.body.texts[index], self.reading.at(part.lines[index]))
        return out


def lines_of(block: Block) -> tuple[int, ...]:
    """File lines in the order of body keys: of each part its header, then its lines."""
    out: list[int] = []
    for part in _parts(block):
        out.append(part.line)
        out += part.lines
    return tuple(out)


def _body(block: Block) -> dict[tuple[int, int], Origin]:
    """Origins inside the interface's own entry: places in `lines_of`."""
    out: dict[tuple[int, int], Origin] = {}
    at = 0
    for number, part in enumerate(_parts(block)):
        for index, text in enumerate(part.body.texts):
            out[number, index] = BodyLine(part.cause, text, at + 1 + index)
        at += 1 + len(part.lines)
    return out


def _parts(block: Block) -> Iterator[Block]:
    yield block
    for child in block.children:
        yield from _parts(child)


def _of(block: Block, units: frozenset[str], origins: dict[tuple[int, int], Origin]) -> Settings:
    """Settings of one entry: the interface's own level, then its units where they say more."""
    out = Settings()
    by_unit: dict[str, Setting] = {}
    unit: str | None = None
    for number, part in enumerate(_parts(block)):
        kind = part.spec.path[-1].split()[0]
        if len(part.spec.path) == len(block.spec.path):
            unit = None
        elif kind == "unit":
            unit = part.values["unit"]
        elif len(part.spec.path) == len(block.spec.path) + 1:
            unit = None
        if unit is not None and unit != "*" and units and unit not in units:
            continue
        for said in part.body.said:
            what, value = _meaning(kind, said.group, said.values)
            if what is None:
                continue
            setting = Setting(value, origins[number, said.index])
            if unit is None:
                out.said[what] = setting
            else:
                by_unit[what] = _both(by_unit.get(what), setting, UNITS)
    for what, setting in by_unit.items():
        out.said[what] = _both(out.said.get(what), setting, LEVELS)
    return out


def _meaning(kind: str, group: str, values: object) -> tuple[str | None, str]:
    found = dict(values)  # type: ignore[call-overload]
    if group == "bound":
        return f"{'classifier' if kind == 'classifiers' else 'rewrite'}.{found['type']}", found["name"]
    simple = {"map": "map", "cnp": "cnp", "class": "fc", "ets": "profile"}
    if group in simple:
        return {"ets": "control"}.get(group, group), found[simple[group]]
    return ("no_default", "on") if group == "none" else (None, "")


def _both(before: Setting | None, now: Setting, why: Unknown) -> Setting:
    return now if before is None or before.value == now.value else Setting(why, now.origin)


def used_names(blocks: Sequence[Block]) -> Iterator[tuple[Block, Block, str, str, int]]:
    """(entry, part, what is bound, name, index in the part) of every binding, for references."""
    for block in blocks:
        for part in _parts(block):
            kind = part.spec.path[-1].split()[0]
            for said in part.body.said:
                what, value = _meaning(kind, said.group, said.values)
                if what is not None and what != "no_default":
                    yield block, part, what, value, said.index
