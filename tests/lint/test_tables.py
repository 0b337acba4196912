"""Lookup tables as objects of their own: read alone or beside configurations, judged once each, reported with their file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.rules.case import run
from xoff.lint.engine import build
from xoff.lint.load import load_rule, rule_files
from xoff.lint.objects import TableView
from xoff.lint.result import FabricInput, LintRequest
from xoff.model.headroom_table import HeadroomRow, LookupTable
from xoff.model.origin import FileLine
from xoff.nos.inputs import gather
from xoff.report import json as json_report
from xoff.report import text as text_report

BAD = "100000 5m 1248 1248 96928 -3 2496\n100000 40m 1248 1248 59696 -3 2496\n"
GOOD = BAD.replace("96928", "54080")
CONFIG = {
    "DEVICE_METADATA": {"localhost": {"hostname": "leaf1"}},
    "PORT": {"Ethernet0": {"speed": "100000", "mtu": "9100", "admin_status": "up"}},
    "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3"}},
}


def test_a_table_alone_is_judged_and_has_no_device(tmp_path: Path) -> None:
    got = run(tmp_path, {"pg_profile_lookup.ini": BAD})
    assert [(f.code, f.device, f.ports) for f in got.findings] == [("HDR004", None, ())]
    fabric = got.result.fabrics[0]
    assert fabric.devices == ()
    assert fabric.skipped == ()
    assert got.problems == ()


def test_a_table_beside_a_configuration_is_that_switchs(tmp_path: Path) -> None:
    got = run(tmp_path, {"config_db.json": json.dumps(CONFIG, indent=1), "pg_profile_lookup.ini": BAD}, select=("HDR004",))
    assert [f.device for f in got.findings] == ["leaf1"]
    assert got.result.fabrics[0].tables[0].devices == ("leaf1",)


def test_a_table_that_may_be_of_several_switches_is_judged_for_itself(tmp_path: Path) -> None:
    other = json.dumps(CONFIG, indent=1).replace("leaf1", "leaf2")
    files = {"leaf1.json": json.dumps(CONFIG, indent=1), "leaf2.json": other, "pg_profile_lookup.ini": BAD}
    got = run(tmp_path, files, select=("HDR004",))
    assert [f.device for f in got.findings] == [None]
    assert any("is not clear" in why for _, why in got.result.fabrics[0].skipped)


def test_equal_faults_of_two_tables_are_two_findings(tmp_path: Path) -> None:
    got = run(tmp_path, {"a/pg_profile_lookup.ini": BAD, "b/pg_profile_lookup.ini": BAD}, select=("HDR004",))
    assert len(got.findings) == 2
    assert len({f.fingerprint for f in got.findings}) == 2


def test_the_fingerprint_depends_neither_on_where_the_folder_lies_nor_on_other_rows(tmp_path: Path) -> None:
    more = "50000 5m 1248 1248 50000 -3 2496\n" + BAD
    one, two = (
        run(tmp_path / place, {"sku/pg_profile_lookup.ini": text}, select=("HDR004",)).findings[0]
        for place, text in (("here", BAD), ("there", more))
    )
    assert one.fingerprint == two.fingerprint
    assert one.location is not None
    assert two.location is not None
    assert one.location.at.line != two.location.at.line


def test_nothing_else_is_asked_of_a_table(tmp_path: Path) -> None:
    got = run(tmp_path, {"pg_profile_lookup.ini": GOOD})
    assert got.findings == ()
    coverage = got.result.fabrics[0].coverage
    assert coverage["HDR004"].assessed == 1
    assert coverage["HDR001"].assessed == 0


def test_reports_show_the_table(tmp_path: Path) -> None:
    got = run(tmp_path, {"pg_profile_lookup.ini": BAD})
    text = text_report.text(got.result)
    assert "1 headroom table, no switch" in text
    assert "0 switches" not in text
    assert "pg_profile_lookup.ini\n  warning HDR004" in text
    document = json_report.document(got.result, 0)
    (entry,) = document["fabric"]["sets"][0]["tables"]
    assert entry["rows"] == 2
    assert entry["devices"] == []
    finding = document["findings"][0]
    assert finding["device"] is None
    assert finding["location"] is not None
    assert finding["location"]["line"] == 1


def test_a_line_that_is_no_row_keeps_its_place_and_the_rest_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "pg_profile_lookup.ini"
    path.write_text(BAD + "5m 100000 1 2 3 4\n")
    (table,) = gather([str(path)]).fabrics[0].tables
    assert len(table.rows) == 2
    assert [(n.at.line, n.why) for n in table.no_rows] == [
        (3, "speed '5m' is not Mb/s; speed and cable are swapped: the speed comes first")
    ]


def judge(numbers: Sequence[tuple[int, ...]]) -> list[Any]:
    """HDR004 on rows of (speed, cable, size, xon, xoff)."""
    rows = tuple(
        HeadroomRow(s, c, size, xon, xoff, 0, None, FileLine("t", i)) for i, (s, c, size, xon, xoff) in enumerate(numbers, 1)
    )
    table = LookupTable("t", "t", "sonic", rows)
    view = build(LintRequest(()), FabricInput("f", (), tables=(table,)))
    return list(load_rule(rule_files()["HDR004"])().check_table(TableView(table, view)))


_SPEEDS = st.sampled_from([0, 1_000, 10_000, 100_000, 400_000, 10**9])
_ROWS = st.lists(
    st.tuples(_SPEEDS, st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**5), st.integers(0, 10**7)),
    min_size=1,
    max_size=12,
)


@given(_ROWS)
def test_any_table_is_judged(numbers: list[tuple[int, ...]]) -> None:
    for hit in judge(numbers):
        assert hit.at is not None
        assert hit.observed != hit.expected


@given(_ROWS, st.randoms(use_true_random=False))
def test_a_table_in_order_raises_nothing_in_whatever_order_its_rows_stand(numbers: list[tuple[int, ...]], rnd: Any) -> None:
    # Headroom that grows with both, a small size, one xon: what a table should be.
    rows = list({(s, c): (s, c, 1, 2, 10 + s + 3 * c) for s, c, *_ in numbers}.values())
    rnd.shuffle(rows)
    assert [h.message for h in judge(rows)] == []


@given(_ROWS)
def test_what_is_left_without_the_rows_named_is_in_order(numbers: list[tuple[int, ...]]) -> None:
    rows = list({(s, c): (s, c, 1, 2, x) for s, c, _, _, x in numbers}.values())
    named = {h.at.at.line for h in judge(rows) if "of headroom" in h.message}
    left = [r for i, r in enumerate(rows, 1) if i not in named]
    for a in left:
        for b in left:
            if (a[0] == b[0] and a[1] <= b[1]) or (a[1] == b[1] and a[0] <= b[0]):
                assert a[4] <= b[4]
