"""pg_profile_lookup.ini: rows with their lines, and lines that are no rows."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

from xoff.model.headroom_table import HeadroomRow
from xoff.nos.sonic.lookup import looks_like_table, read_table
from xoff.nos.source import Source

GOOD = """# PG lossless profiles.
# speed cable size xon xoff threshold xon_offset
 40000  5m   55120  18432  56368  -3  2496
100000 300m  55120  18432  56368  -3
"""


def test_rows_and_their_lines() -> None:
    table = read_table(Source("t.ini", GOOD))
    assert table.problems == ()
    assert table.rows == (
        HeadroomRow(40000, 5, 55120, 18432, 56368, -3, 2496),
        HeadroomRow(100000, 300, 55120, 18432, 56368, -3, None),
    )
    assert [r.at.line for r in table.rows if r.at] == [3, 4]


def test_the_device_takes_only_the_exact_row_and_the_last_of_equal_ones() -> None:
    table = read_table(Source("t.ini", GOOD + "40000 5m 1 2 3 0\n"))
    assert table.row(40000, 5) == HeadroomRow(40000, 5, 1, 2, 3, 0, None)
    assert table.row(40000, 6) is None
    assert table.row(25000, 5) is None


def test_lines_that_are_no_rows_are_told_with_line_and_column() -> None:
    text = "40000 5 1 2 3 0\n40000 5m 1 2\n  # late comment\n40000 5m 1 2 3 0 4 5\n40000 5m 1 2 x 0\n40000 7m 1 2 3 0\n"
    table = read_table(Source("t.ini", text))
    assert [r.cable_m for r in table.rows] == [7]
    assert [(p.line, p.column) for p in table.problems] == [(1, 7), (2, 13), (3, 3), (4, 20), (5, 14)]
    assert "whole metres" in table.problems[0].message
    assert "4 columns" in table.problems[1].message
    assert "first column" in table.problems[2].hint


def test_json_is_no_table() -> None:
    assert looks_like_table(GOOD)
    assert not looks_like_table('{"a": "100000 5m"}')
    assert not looks_like_table("# speed cable size\n")


def test_every_shipped_row_reads_back(shared: Callable[[str], Path]) -> None:
    """1,191 rows of the vendors' own tables, written as an ini and read again."""
    with shared("knowledge/pg_profile_lookup.csv").open(encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    columns = ("speed_mbps", "cable_m", "size_bytes", "xon_bytes", "xoff_bytes", "threshold", "xon_offset_bytes")
    lines = [" ".join(r[c] + ("m" if c == "cable_m" else "") for c in columns if r[c]) for r in rows]
    table = read_table(Source("all.ini", "\n".join(lines)))
    assert table.problems == ()
    assert len(table.rows) == len(rows) > 1000
    assert [(r.size, r.xoff, r.threshold) for r in table.rows] == [
        (int(r["size_bytes"]), int(r["xoff_bytes"]), int(r["threshold"])) for r in rows
    ]
