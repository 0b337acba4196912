"""Platform facts as text, JSON and page: nothing made up, nothing lost, the page up to date."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from xoff import platforms
from xoff.model.origin import Evidence
from xoff.platforms.needs import NEEDS, completeness, missing, relevant
from xoff.report import platforms as report
from xoff.report.platforms_page import page

REPO = Path(__file__).resolve().parents[2]


def test_the_page_is_what_the_data_gives() -> None:
    assert (REPO / "docs" / "platforms.md").read_text(encoding="utf-8") == page(), "run `make docs` and read the diff"


def test_the_list_has_every_chip_once_and_aligned() -> None:
    lines = report.list_text().splitlines()
    assert [x.split()[0] for x in lines[1:]] == [a.name for a in report.chips()]
    assert sorted(a.name for a in report.chips()) == list(platforms.asics())
    at = lines[0].index("FACTS") + len("FACTS")
    assert all(len(x) == at for x in lines)
    assert max(map(len, lines)) <= 100
    th = next(x for x in lines if x.startswith("tomahawk2 "))
    assert re.split(r"\s{2,}", th)[:6] == ["tomahawk2", "Broadcom", "split", "208 B", "42.2 MiB", "4"]


def test_what_is_not_sourced_and_what_is_indirect_are_marked() -> None:
    lines = {x.split()[0]: x for x in report.list_text().splitlines()}
    assert re.split(r"\s{2,}", lines["xpliant"])[2:6] == ["shared~", "256 B~", "24.0 MiB~", "1~"]
    assert re.split(r"\s{2,}", lines["silicononeg200"])[2:6] == ["?", "512 B", "?", "?"]


def test_the_list_as_json() -> None:
    data = json.loads(report.list_json())
    assert data["version"] == "platforms/1"
    by_name = {a["name"]: a for a in data["asics"]}
    assert by_name["spectrum4"]["buffer_bytes"] is None
    assert by_name["tomahawk3"]["buffer_bytes"] == 64 * 2**20
    assert all(a["facts_known"] <= a["facts_possible"] for a in data["asics"])


@pytest.mark.parametrize("name", platforms.asics())
def test_one_chip_shows_every_value_with_its_source_and_every_gap_with_what_it_costs(name: str) -> None:
    found = platforms.get(name)
    shown, data = report.one_text(found), json.loads(report.one_json(found))
    flat = re.sub(r"\s+", " ", shown)
    facts = found.asic.facts()
    for key, fact in facts.items():
        if fact.known:
            assert NEEDS[key].label in shown
            assert re.sub(r"\s+", " ", fact.source) in flat, (name, key)
            assert data["facts"][key]["source"] == fact.source
            assert data["facts"][key]["evidence"] == fact.evidence.value
    gaps = missing(found.asic)
    assert [m["fact"] for m in data["missing"]] == list(gaps)
    for key in gaps:
        assert re.sub(r"\s+", " ", f"so: {NEEDS[key].without}") in flat, (name, key)
    assert max(map(len, shown.splitlines())) < 160


def test_a_model_says_how_sure_its_chip_is_and_shows_its_own_table_and_panel() -> None:
    shown = report.one_text(platforms.get("Arista-7260CX3-C64"))
    assert "Arista-7260CX3-C64 has this chip (read)" in shown
    assert "headroom table " in shown
    assert "front panel: " in shown
    juniper = report.one_text(platforms.get("QFX5220-32CD"))
    assert "(secondary)" in juniper
    data = json.loads(report.one_json(platforms.get("Arista-7260CX3-C64")))
    assert sum(len(g["ports"]) for g in data["front_panel"]) == 66


def test_a_conflict_is_told_beside_the_models() -> None:
    assert "not held: QFX5130: conflict: QFX5130-32CD" in report.one_text(platforms.get("QFX5700"))


def test_names_from_the_data_cannot_write_control_characters() -> None:
    for name in platforms.asics():
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", report.one_text(platforms.get(name)))


def test_completeness_counts_what_the_chip_could_have() -> None:
    for name in platforms.asics():
        asic = platforms.load(name)
        assert asic is not None
        known, could = completeness(asic)
        assert could == sum(relevant(asic, n) for n in NEEDS)
        assert known == could - len(missing(asic))
        assert set(NEEDS) == set(asic.facts())


def test_models_count_only_those_that_are_held() -> None:
    rows = {a["name"]: a for a in json.loads(report.list_json())["asics"]}
    for name in platforms.asics():
        held = [m for m in platforms.models(name) if m.evidence is not Evidence.RECALLED]
        assert rows[name]["models"] == len(held)
        assert all(platforms.find(m.name) is not None for m in held)
