"""HDR004 over every headroom table that vendors ship: the warnings are a golden list, each with its reason."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.rules.case import run
from xoff.model.finding import Finding

GOLDEN = Path(__file__).with_name("hdr004_shipped.yml")
_COLUMNS = ("speed_mbps", "cable_m", "size_bytes", "xon_bytes", "xoff_bytes", "threshold", "xon_offset_bytes")


@pytest.fixture(scope="module")
def found(shared: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Finding]:
    """Findings by (table, speed and cable of the row). Each table is linted for itself, as the file that it was."""
    texts: dict[str, list[str]] = {}
    with shared("knowledge/pg_profile_lookup.csv").open(encoding="utf-8", newline="") as file:
        for r in csv.DictReader(file):
            speed, cable, *rest = (r[c] for c in _COLUMNS)
            texts.setdefault(r["hwsku"] + "@" + r["platform"], []).append(f"{speed} {cable}m {' '.join(rest)}\n")
    assert len(texts) == 78
    out: dict[tuple[str, str], Finding] = {}
    for i, (name, lines) in enumerate(texts.items()):
        got = run(tmp_path_factory.mktemp(f"t{i}"), {"pg_profile_lookup.ini": "".join(lines)}, select=("HDR004",))
        assert got.problems == ()
        assert got.result.fabrics[0].coverage["HDR004"].assessed == 1
        for f in got.findings:
            assert f.location is not None
            out[name.partition("@")[0], " ".join(f.location.text.split()[:2])] = f
    return out


def test_warnings_are_the_golden_list(found: dict[tuple[str, str], Finding]) -> None:
    golden: dict[str, list[dict[str, Any]]] = yaml.safe_load(GOLDEN.read_text(encoding="utf-8"))
    listed = {(name, row): e for name, entries in golden.items() for e in entries for row in e["rows"]}
    assert {k: f.message for k, f in found.items() if k not in listed} == {}, "a false alarm, or a reason to write"
    assert sorted(listed.keys() - found.keys()) == [], "listed and no longer raised"
    for key, entry in listed.items():
        assert entry["message"] in found[key].message
        assert len(entry["reason"].split()) >= 8
