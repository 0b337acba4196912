"""HDR001 over every row of the headroom tables that vendors ship: the errors are a golden list, each with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.rules.case import run
from tests.rules.shipped_tables import Row, config, tables
from xoff.model.finding import Finding, Severity

GOLDEN = Path(__file__).with_name("hdr001_shipped.yml")


@pytest.fixture(scope="module")
def judged(
    shared: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[tuple[Row, Finding | None]]]:
    """Every row of every table with what HDR001 says of it."""
    out: dict[str, list[tuple[Row, Finding | None]]] = {}
    for i, (name, hwsku, rows) in enumerate(tables(shared)):
        text = config(hwsku, rows)
        got = run(tmp_path_factory.mktemp(f"table{i}"), {"config_db.json": text}, select=("HDR001",))
        assert got.problems == ()
        by_port = {port: f for f in got.findings for port in f.ports}
        out[name] = [(row, by_port.get(f"Ethernet{4 * k}")) for k, row in enumerate(rows)]
    return out


def test_errors_are_the_golden_list(judged: dict[str, list[tuple[Row, Finding | None]]]) -> None:
    golden: dict[str, list[dict[str, Any]]] = yaml.safe_load(GOLDEN.read_text(encoding="utf-8"))
    listed = {(name, row) for name, entries in golden.items() for e in entries for row in e["rows"]}
    found = {
        (name, str(row)) for name, rows in judged.items() for row, f in rows if f is not None and f.severity is Severity.ERROR
    }
    assert sorted(found - listed) == [], "below the floor: a false alarm, or a reason to write"
    assert sorted(listed - found) == [], "listed and no longer raised"
    assert all(len(e["reason"].split()) >= 8 for entries in golden.values() for e in entries)


def test_no_vendor_is_warned_of_its_own_table(judged: dict[str, list[tuple[Row, Finding | None]]]) -> None:
    """A row that is shipped is not below the lowest number shipped: at most below `strict`, a note."""
    counts = Counter(f.severity if f else None for rows in judged.values() for _, f in rows)
    assert counts[Severity.WARNING] == 0
    assert counts[Severity.NOTE] > 400
    assert counts[None] > 100
    assert sum(counts.values()) > 700
