"""platforms/: every fact sourced, nothing recalled ever used, every name leads to a chip, shipped tables as published."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
import yaml

from xoff import data, platforms
from xoff.errors import UnknownPlatform
from xoff.model.origin import Evidence
from xoff.model.quantity import Unit, Unknown, quantity
from xoff.model.switch import Architecture

STEMS = sorted(f.stem for f in data.PLATFORMS.glob("*.yaml"))
NEEDED = ("trident3", "tomahawk", "tomahawk2", "tomahawk3", "tomahawk4", "tomahawk5", "spectrum1", "spectrum4", "jericho2")


def raw(stem: str) -> dict[str, object]:
    found: dict[str, object] = yaml.safe_load((data.PLATFORMS / f"{stem}.yaml").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("stem", STEMS)
def test_every_fact_has_source_and_evidence_or_says_why_it_is_unknown(stem: str) -> None:
    asic = platforms.load(stem)
    assert asic is not None
    facts = asic.facts()
    assert set(raw(stem)["facts"]) <= set(facts)  # type: ignore[call-overload]
    for name, fact in facts.items():
        if fact.known:
            assert fact.source, (stem, name)
            assert fact.evidence is not Evidence.RECALLED, (stem, name)
        else:
            assert isinstance(fact.value, Unknown)
            assert fact.value.reason, (stem, name)


@pytest.mark.parametrize("stem", STEMS)
def test_a_recalled_text_is_never_a_value(stem: str) -> None:
    for name, fact in raw(stem)["facts"].items():  # type: ignore[attr-defined]
        if "recalled" in fact:
            assert "value" not in fact, (stem, name)
            assert not platforms.load(stem).facts()[name].known  # type: ignore[union-attr]


def test_the_chips_that_the_foundation_needs_are_there() -> None:
    assert set(NEEDED) <= set(STEMS)
    jericho = platforms.load("jericho2")
    assert jericho is not None
    assert jericho.architecture.value is Architecture.VOQ


@pytest.mark.parametrize(
    ("name", "asic", "model"),
    [
        ("DCS-7060X6-64PE", "tomahawk5", "DCS-7060X6-64PE"),
        ("dcs-7260cx3-64", "tomahawk2", "DCS-7260CX3-64"),
        ("DellEMC-Z9332f-O32", "tomahawk3", "DellEMC-Z9332f-O32"),
        ("ACS-MSN2700", "spectrum1", "ACS-MSN2700"),
        ("Arista-7060X6-64PE-256x200G/BALANCED", "tomahawk5", "Arista-7060X6-64PE-256x200G"),
        ("Spectrum-4", "spectrum4", None),
        ("Tomahawk 5", "tomahawk5", None),
        ("Jericho2c+", "jericho2cplus", None),
        ("DCS-7260CX3-64-F", "tomahawk2", "DCS-7260CX3-64"),
        ("7060CX-32S", "tomahawk", "DCS-7060CX-32S"),
        ("7060CX-32S-R", "tomahawk", "DCS-7060CX-32S"),
        ("Z9332F", "tomahawk3", "Z9332F-ON"),
        ("SN4700", "spectrum3", "MSN4700"),
        ("SN5600", "spectrum4", "SN5600"),
        ("NH-4010-F", "tomahawk5", "NH-4010-F"),
    ],
)
def test_find(name: str, asic: str, model: str | None) -> None:
    found = platforms.find(name)
    assert found is not None
    assert (found.asic.name, found.model) == (asic, model)


def test_a_name_whose_chip_is_only_inferred_is_not_held() -> None:
    assert platforms.find("Nokia-IXR7220-H5-32D") is None
    with pytest.raises(UnknownPlatform, match=r"not confirmed.*asic: tomahawk5"):
        platforms.get("Nokia-IXR7220-H5-32D")


def test_a_misspelt_model_names_what_is_near() -> None:
    assert platforms.find("DCS-7060X6-64PX") is None
    with pytest.raises(UnknownPlatform, match="DCS-7060X6-64PE"):
        platforms.get("DCS-7060X6-64PX")


def test_every_name_resolves_and_its_tables_exist() -> None:
    assert len(platforms.names()) > 200
    for name in platforms.names():
        p = platforms.find(name)
        assert p is not None, name
        tables = {r.table for r in p.asic.shipped}
        assert not p.headroom_table or p.headroom_table in tables, name
        for leaf in (True, False):
            assert not (p.buffers_leaf or p.buffers_spine) or p.buffers(leaf) is not None, name


def test_names_are_unique_whatever_their_case() -> None:
    lines = (data.PLATFORMS / "models.csv").read_text(encoding="utf-8").splitlines()
    names = Counter(x.partition(",")[0].casefold() for x in lines if x and not x.startswith(("#", "name,")))
    assert [n for n, k in names.items() if k > 1] == []


def test_shipped_rows_are_the_published_ones(shared: Callable[[str], Path]) -> None:
    """Every row of the reference table whose hwsku we hold stands in that hwsku's own table."""
    checked = 0
    with shared("knowledge/pg_profile_lookup.csv").open(newline="") as f:
        for r in csv.DictReader(f):
            p = platforms.find(r["hwsku"])
            if p is None or p.model != r["hwsku"] or not p.headroom_table or r["platform"].startswith("common/"):
                continue  # not held, or a variant's folder below the hwsku that is held
            row = p.shipped_row(int(r["speed_mbps"]), int(r["cable_m"]))
            assert row is not None, r
            assert row.xoff == int(r["xoff_bytes"]), r
            assert (row.size, row.xon, row.threshold) == (int(r["size_bytes"]), int(r["xon_bytes"]), r["threshold"])
            checked += 1
    assert checked > 600


def test_shipped_range_spans_all_tables_of_a_chip() -> None:
    asic = platforms.load("tomahawk5")
    assert asic is not None
    found = asic.shipped_range(400_000, 40)
    assert found is not None
    assert found.low.xoff < found.high.xoff
    assert found.tables > 3
    assert asic.shipped_range(400_000, 41) is None


def test_context_converts_cells_and_ks() -> None:
    th2 = platforms.load("tomahawk2")
    ctx = platforms.context(th2, None, 100_000)
    assert quantity(10, Unit.CELLS).bytes(ctx) == 2080
    assert isinstance(quantity(10, Unit.SEGMENTS).bytes(ctx), Unknown)  # segments are not confirmed to be cells
    assert isinstance(quantity(1, Unit.KBYTES).bytes(ctx), Unknown)
    assert quantity(1, Unit.KBYTES).bytes(platforms.context(th2, 1024, None)) == 1024
    assert isinstance(quantity(1, Unit.CELLS).bytes(platforms.context(None, None, None)), Unknown)


def test_fractions_stay_exact() -> None:
    th3, spc = platforms.load("tomahawk3"), platforms.load("spectrum1")
    assert th3 is not None
    assert spc is not None
    assert th3.cell_factor.value == Fraction(254, 192)
    assert spc.mac_phy_delay.value == Fraction(4096, 5)


def test_looking_up_a_model_loads_one_file_and_importing_loads_none() -> None:
    code = (
        "import sys, xoff.platforms as p; assert 'yaml' not in sys.modules; p.names(); assert 'yaml' not in sys.modules; "
        "p.find('ACS-MSN2700'); print(p.load.cache_info().currsize)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": _src()})
    assert out.stdout.strip() == "1"


def _src() -> str:
    return str(Path(platforms.__file__).resolve().parents[2])


def test_front_panel_of_a_hwsku() -> None:
    p = platforms.find("DellEMC-Z9332f-O32")
    assert p is not None
    (fast, *slow) = p.front_panel()
    assert (len(fast.names), fast.speed, fast.names[:2]) == (32, 400_000, ("Ethernet0", "Ethernet8"))
    assert sum(len(g.names) for g in slow) == 2
    vendor = platforms.find("Z9332F-ON")
    assert vendor is not None
    assert vendor.front_panel() == ()


def test_every_front_panel_is_well_formed() -> None:
    for name in platforms.names():
        p = platforms.find(name)
        assert p is not None
        names = [n for g in p.front_panel() for n in g.names]
        assert len(names) == len(set(names)), name
        assert all(g.speed % 1000 == 0 and g.speed >= 1000 for g in p.front_panel()), name
