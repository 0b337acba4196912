"""Where a value comes from, kept beside the values so that equal bodies stay one object.

A port's values (`PortQos`) and their `Origins` are parallel frozen objects. An origin inside a port's own block
names the line by its index *inside the block*; the port knows which file line that index is (`Port.lines`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from xoff.model.frozen import FrozenMap
from xoff.model.record import dataclass


class Evidence(StrEnum):
    """How sure a fact is. read / computed: used freely. secondary: confidence `inferred`. recalled: unknown."""

    READ = "read"
    COMPUTED = "computed"
    SECONDARY = "secondary"
    RECALLED = "recalled"


@dataclass(frozen=True, slots=True)
class FileLine:
    """A place in the input: file as given, line counted from 1 (0: the file as a whole)."""

    file: str
    line: int
    end_line: int | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Line:
    """A line said once for all that use it (global line, profile, table row): absolute place.

    `path`: headers of the blocks around it, names as `*`. `text`: the line, identity (names, addresses) as `*`.
    """

    path: tuple[str, ...]
    text: str
    at: FileLine


@dataclass(frozen=True, slots=True)
class BodyLine:
    """A line inside the port's own block(s). `key` is its index or name there; `Port.lines[key]` is the place."""

    path: tuple[str, ...]
    text: str
    key: int | str


@dataclass(frozen=True, slots=True)
class Default:
    """Nothing was said; the NOS's (or form's) own default holds. `note` says which, in words."""

    note: str
    evidence: Evidence
    source: str


@dataclass(frozen=True, slots=True)
class Term:
    """One summand or input of a derived number. `value` in bytes unless `unit` says otherwise."""

    name: str
    value: int | str
    unit: str
    why: str
    source: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Derived:
    """A computed value: the formula in words, its terms, the preset or rule that made it, the sources."""

    formula: str
    terms: tuple[Term, ...] = ()
    preset: str | None = None
    sources: tuple[str, ...] = ()
    intent_at: FileLine | None = None


Origin: TypeAlias = Line | BodyLine | Default | Derived


class Origins(FrozenMap[str, Origin]):
    """Origins by field path: `pfc.no_drop.3`, `queue.unicast.3.kmin`, `classify.dscp.26`, `group.3.headroom` …

    The empty path is the block itself. `of` falls back to the nearest said parent.
    """

    __slots__ = ()

    def of(self, path: str) -> Origin | None:
        """The origin of `path`, or of the closest parent path that has one, the block itself excepted."""
        while path:
            found = self.get(path)
            if found is not None:
                return found
            path = path.rpartition(".")[0]
        return None

    def said(self, path: str) -> bool:
        """Whether a line of the input says exactly this (no default, no formula, no parent)."""
        return isinstance(self.get(path), (Line, BodyLine))
