"""The cabling file: CSV with the columns a, a_port, b, b_port, speed, cable_m, one link a line."""

from __future__ import annotations

import csv
import io

from xoff.errors import Problem
from xoff.intent import units
from xoff.intent.load import Intent
from xoff.intent.suggest import did_you_mean
from xoff.model.fabric import End
from xoff.model.origin import FileLine
from xoff.model.record import dataclass

COLUMNS = ("a", "a_port", "b", "b_port", "speed", "cable_m")
_MAX_BYTES = 256 * 2**20


@dataclass(frozen=True, slots=True)
class Row:
    """One cable. Mb/s, metres."""

    a: End
    b: End
    speed: int
    cable_m: int
    at: FileLine
    text: str


def read_cabling(intent: Intent) -> tuple[Row, ...]:
    """The rows of the intent's cabling file; empty without one. What is wrong goes to the intent's problems."""
    name = intent.part.cabling
    if name is None:
        return ()
    problems = intent.problems
    if intent.folder is None:
        problems.add(("cabling",), "an intent that is no file has no folder to look for the cabling file in")
        return ()
    folder = intent.folder.resolve()
    path = (folder / name).resolve()
    if not path.is_relative_to(folder):
        problems.add(("cabling",), f"{units.show(name)} lies outside the intent's folder", "move the file beside the intent")
        return ()
    try:
        if path.stat().st_size > _MAX_BYTES:
            problems.add(("cabling",), f"{units.show(name)} is larger than {_MAX_BYTES // 2**20} MiB")
            return ()
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        problems.add(("cabling",), f"{units.show(name)} is no UTF-8 text")
        return ()
    except OSError as e:
        problems.add(("cabling",), f"{units.show(name)} cannot be read: {e.strerror or e}")
        return ()
    return _rows(intent, text, str(intent.folder / name))


def _rows(intent: Intent, text: str, file: str) -> tuple[Row, ...]:
    lines = text.splitlines()
    reader = csv.reader(io.StringIO(text))
    out: list[Row] = []
    columns: list[str] | None = None
    before = 0
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as e:
            intent.problems.add_problem(Problem(file, reader.line_num, 1, f"this is no CSV: {e}"))
            break
        number, before = before + 1, reader.line_num
        raw = lines[number - 1] if number <= len(lines) else ""
        if not cells or not "".join(cells).strip() or cells[0].lstrip().startswith("#"):
            continue
        if columns is None:
            columns = [c.strip() for c in cells]
            if not _header(intent, columns, file, number, raw):
                return ()
            continue
        row = _row(intent, dict(zip(columns, (c.strip() for c in cells), strict=False)), len(cells), columns, file, number, raw)
        if row is not None:
            out.append(row)
    if columns is None:
        intent.problems.add_problem(
            Problem(file, 1, 1, f"the file is empty; its first line names the columns: {','.join(COLUMNS)}")
        )
    return tuple(out)


def _offset(raw: str, index: int) -> int:
    """Where the cell begins in the line, from 1; the line's begin where quotes make that less than plain."""
    cells = raw.split(",")
    if '"' in raw or index >= len(cells):
        return 1
    return sum(len(c) + 1 for c in cells[:index]) + len(cells[index]) - len(cells[index].lstrip()) + 1


def _problem(file: str, number: int, raw: str, column: int, message: str, hint: str = "") -> Problem:
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in raw)[:200]
    return Problem(file, number, column if column <= len(shown) else 1, message, shown, hint)


def _header(intent: Intent, columns: list[str], file: str, number: int, raw: str) -> bool:
    good = True
    for i, name in enumerate(columns):
        if name not in COLUMNS:
            hint = did_you_mean(name, COLUMNS)
            intent.problems.add_problem(
                _problem(file, number, raw, _offset(raw, i), f"unknown column {units.show(name)}", hint)
            )
            good = False
    for name in COLUMNS:
        if name not in columns:
            intent.problems.add_problem(_problem(file, number, raw, 1, f"the column {name} is missing"))
            good = False
    return good


def _row(intent: Intent, cells: dict[str, str], count: int, columns: list[str], file: str, number: int, raw: str) -> Row | None:
    if count != len(columns):
        message = f"the line has {count} cells, the first line names {len(columns)} columns"
        intent.problems.add_problem(_problem(file, number, raw, 1, message))
        return None
    good = True

    def fail(column: str, message: str) -> None:
        nonlocal good
        good = False
        start = _offset(raw, columns.index(column))
        intent.problems.add_problem(_problem(file, number, raw, start, f"{column}: {message}"))

    for column in ("a", "a_port", "b", "b_port"):
        if not cells[column]:
            fail(column, "is empty")
        elif not (cells[column].isascii() and cells[column].isprintable()):
            fail(column, f"{units.show(cells[column])} holds more than printable ASCII")
    speed = cable = 0
    try:
        text = cells["speed"]
        speed = int(text) if text.isdigit() and int(text) in units.SPEEDS else units.speed(text)
    except ValueError as e:
        fail("speed", str(e))
    try:
        cable = units.cable(f"{cells['cable_m'].removesuffix('m')}m")
    except ValueError as e:
        fail("cable_m", str(e))
    if not good:
        return None
    ends = End(cells["a"], cells["a_port"]), End(cells["b"], cells["b_port"])
    return Row(*ends, speed, cable, FileLine(file, number), raw)
