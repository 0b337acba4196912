"""Lookup tables as objects of their own: read alone or beside configurations, judged once each, reported with their file."""

from __future__ import annotations

import json
from pathlib import Path

from tests.rules.case import run
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
