"""pg_profile_lookup.ini: the table by which SONiC's buffer manager sizes lossless priority groups (traditional buffer model).

Columns, by blanks: speed (Mb/s), cable (`5m`), size, xon, xoff (bytes), threshold (exponent of alpha; bytes where the pool is
static), and xon_offset (bytes) where the table has it. `#` begins a comment at column 0 only.
Source: sonic-net/sonic-swss@e6b0c5b5, cfgmgr/buffermgr.cpp.
"""

from __future__ import annotations

import re

from xoff.errors import Problem
from xoff.model.headroom_table import HeadroomRow, NoRow
from xoff.model.origin import FileLine
from xoff.model.record import dataclass
from xoff.nos.source import Source

_CABLE = re.compile(r"[0-9]{1,9}m", re.ASCII)
_COUNT = re.compile(r"[0-9]{1,18}", re.ASCII)
_SIGNED = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_COLUMNS = ("speed", "cable", "size", "xon", "xoff", "threshold", "xon_offset")
_ROW = re.compile(r"^\s*[0-9]+\s+[0-9]+m\s+[0-9]+\s", re.MULTILINE)
_NAME = re.compile(r"(?i)pg[-_]profile[-_]lookup[^/\\]*$")


@dataclass(frozen=True, slots=True)
class HeadroomTable:
    """The rows of one file in its order, and what in it is no row."""

    file: str
    rows: tuple[HeadroomRow, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def no_rows(self) -> tuple[NoRow, ...]:
        """The problems as the model knows them."""
        return tuple(
            NoRow(
                FileLine(p.file, p.line),
                p.source_line.strip(),
                p.message + (f"; {p.hint}" if p.hint else ""),
                re.sub(r"'.*?'|^[0-9]+", "*", p.message),
            )
            for p in self.problems
        )

    def row(self, speed: int, cable_m: int) -> HeadroomRow | None:
        """The row that the device takes: exactly this speed (Mb/s) and cable (m), the last one if a row is repeated."""
        for r in reversed(self.rows):
            if r.speed == speed and r.cable_m == cable_m:
                return r
        return None


def looks_like_table(text: str, path: str = "") -> bool:
    """Whether a text has a row of such a table, or its file bears the table's name; JSON is to be ruled out before."""
    return _ROW.search(text) is not None or _NAME.search(path) is not None


def read_table(source: Source) -> HeadroomTable:
    """Read a lookup table; a line that is no row becomes a problem with its line, and the others are kept."""
    rows: list[HeadroomRow] = []
    problems: list[Problem] = []
    for number, line in enumerate(source.text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split()
        why = _wrong(cells)
        if why is not None:
            starts = [m.start() for m in re.finditer(r"\S+", line)]
            column = (starts[why[0]] if why[0] < len(starts) else len(line.rstrip())) + 1
            hint = _hint(cells)
            problems.append(Problem(source.path, number, column, why[1], line, hint))
            continue
        rows.append(
            HeadroomRow(
                speed=int(cells[0]),
                cable_m=int(cells[1][:-1]),
                size=int(cells[2]),
                xon=int(cells[3]),
                xoff=int(cells[4]),
                threshold=int(cells[5]),
                xon_offset=int(cells[6]) if len(cells) == 7 else None,
                at=FileLine(source.path, number),
            )
        )
    return HeadroomTable(source.path, tuple(rows), tuple(problems))


def _hint(cells: list[str]) -> str:
    if cells[0].startswith("#"):
        return "a comment begins at the first column"
    if len(cells) > 1 and _CABLE.fullmatch(cells[0]) and _COUNT.fullmatch(cells[1]):
        return "speed and cable are swapped: the speed comes first"
    return ""


def _wrong(cells: list[str]) -> tuple[int, str] | None:
    """(column, what is wrong) of the first cell that cannot stand there; None for a good row."""
    for i, (name, cell) in enumerate(zip(_COLUMNS, cells, strict=False)):
        pattern = _CABLE if name == "cable" else _SIGNED if name == "threshold" else _COUNT
        if pattern.fullmatch(cell) is None:
            words = {"cable": "whole metres with an m (5m)", "threshold": "a whole number"}.get(name, "a whole number of bytes")
            return i, f"{name} {cell!r} is not {'Mb/s' if name == 'speed' else words}"
    if len(cells) < 6:
        return len(cells), f"{len(cells)} columns; a row has speed, cable, size, xon, xoff, threshold and may have xon_offset"
    if len(cells) > 7:
        return 7, f"{len(cells)} columns; xon_offset is the last"
    return None
