"""The typed tables: what passes, what does not, one near miss beside each."""

from __future__ import annotations

from typing import Any

import pytest

from xoff.nos.sonic.schema import TABLES
from xoff.nos.sonic.typed_tables import bare, problems, residue


def test_the_whole_configuration_passes(base: dict[str, Any]) -> None:
    assert list(problems(base)) == []


#: (table, key, field, value, what the message names); None: passes. Ranges and words: YANG modules of sonic-buildimage.
VALUES = [
    ("WRED_PROFILE", "W", "green_min_threshold", " 250000", "number of bytes"),
    ("WRED_PROFILE", "W", "green_min_threshold", "250000.0", "number of bytes"),
    ("WRED_PROFILE", "W", "green_min_threshold", "1048576", None),
    ("WRED_PROFILE", "W", "green_min_threshold", "1048577", "below the minimum"),
    ("WRED_PROFILE", "W", "green_drop_probability", "100", None),
    ("WRED_PROFILE", "W", "green_drop_probability", "101", "0-100"),
    ("WRED_PROFILE", "W", "ecn", "ecn_green_yellow", None),
    ("WRED_PROFILE", "W", "ecn", "ecn_on", "ecn_all"),
    ("WRED_PROFILE", "W", "wred_green_enable", "True", "true, false"),
    ("SCHEDULER", "s", "type", "PRIORITY", "DWRR, WRR, STRICT"),
    ("SCHEDULER", "s", "weight", "100", None),
    ("SCHEDULER", "s", "weight", "0", "1-100"),
    ("SCHEDULER", "s", "pir", "5", "cir"),
    ("BUFFER_PROFILE", "ingress_lossy_profile", "dynamic_th", "7", None),
    ("BUFFER_PROFILE", "ingress_lossy_profile", "dynamic_th", "-8", None),
    ("BUFFER_PROFILE", "ingress_lossy_profile", "dynamic_th", "8", "-8 to 7"),
    ("BUFFER_PROFILE", "ingress_lossy_profile", "dynamic_th", "9497600", "-8 to 7"),
    ("BUFFER_PROFILE", "ingress_lossy_profile", "static_th", "5", "exclude each other"),
    ("BUFFER_PROFILE", "ingress_lossy_profile", "pool", "none", "does not define"),
    ("BUFFER_PROFILE", "ingress_lossy_profile", "mode", "static", "no such field"),
    ("BUFFER_PG", "Ethernet0|3", "profile", "NULL", None),
    ("BUFFER_QUEUE", "Ethernet0|3-4", "profile", "NULL", "does not define"),
    ("BUFFER_PG", "Ethernet0|3", "profile", "[BUFFER_PROFILE|ingress_lossy_profile]", "does not define"),
    ("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "", None),
    ("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "3,4", None),
    ("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "3-4", "joined by commas"),
    ("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "8", "joined by commas"),
    ("PORT_QOS_MAP", "Ethernet0", "tc_to_pg_map", "r", "does not define"),
    ("DSCP_TO_TC_MAP", "R", "63", "15", None),
    ("DSCP_TO_TC_MAP", "R", "64", "0", "0-63"),
    ("DSCP_TO_TC_MAP", "R", "26", "16", "0-15"),
    ("CABLE_LENGTH", "AZURE", "Ethernet0", "5", "metres"),
    ("CABLE_LENGTH", "AZURE", "Ethernet0", "0m", None),
    ("PFC_WD", "Ethernet0", "detection_time", "5000", None),
    ("PFC_WD", "Ethernet0", "detection_time", "5001", "100-5000"),
    ("PFC_WD", "Ethernet0", "detection_time", "100", "shorter than the polling interval"),
    ("PFC_WD", "GLOBAL", "POLL_INTERVAL", "99", "100-1000"),
    ("PFC_WD", "Ethernet0", "action", "discard", "drop, forward, alert"),
    ("PORT", "Ethernet0", "speed", "100G", "Mb/s"),
    ("PORT", "Ethernet0", "autoneg", "on", None),
]


@pytest.mark.parametrize(("table", "key", "field", "value", "words"), VALUES)
def test_values(base: dict[str, Any], table: str, key: str, field: str, value: str, words: str | None) -> None:
    base[table][key][field] = value
    found = [str(p) for p in problems(base)]
    if words is None:
        assert found == []
    else:
        assert len(found) == 1
        assert words in found[0]
        assert f"{table}|{key}" in found[0]


@pytest.mark.parametrize(
    ("table", "key", "words"),
    [
        ("BUFFER_PG", "Ethernet0|3,4", "one priority group or a range"),
        ("BUFFER_PG", "Ethernet0|8", "one priority group or a range"),
        ("BUFFER_QUEUE", "Ethernet0|16", "one queue or a range"),
        ("BUFFER_QUEUE", "Ethernet0", "port|queues"),
        ("BUFFER_QUEUE", "lc1|asic0|Ethernet0|3-4", None),
        ("BUFFER_QUEUE", "asic0|Ethernet0|3-4", "port|queues"),
    ],
)
def test_keys(base: dict[str, Any], table: str, key: str, words: str | None) -> None:
    row = next(iter(base[table].values()))
    base[table][key] = dict(row)
    found = [str(p) for p in problems(base)]
    assert (found == []) if words is None else (len(found) == 1 and words in found[0])


def test_what_a_row_needs(base: dict[str, Any]) -> None:
    del base["BUFFER_POOL"]["egress_lossless_pool"]["mode"]
    del base["BUFFER_PROFILE"]["ingress_lossy_profile"]["pool"]
    assert [p.field for p in problems(base)] == ["mode", "pool"]


def test_unknown_tables_and_values_that_are_no_strings(base: dict[str, Any]) -> None:
    base["SCHEDULAR"] = {}
    base["SCHEDULER"]["s"]["weight"] = 5
    assert [(p.table, "string" in p.message) for p in problems({**base, "SCHEDULAR": {"x": {}}})] == [
        ("SCHEDULER", True),
        ("SCHEDULAR", False),
    ]


def test_references_into_tables_that_are_not_there_are_not_judged(base: dict[str, Any]) -> None:
    assert list(problems({"PORT_QOS_MAP": base["PORT_QOS_MAP"]})) == []


def test_every_reference_leads_to_a_known_table() -> None:
    for table in TABLES.values():
        for field in table.fields.values():
            assert set(field.ref) <= set(TABLES), table.name


@pytest.mark.parametrize(
    ("text", "table", "name"),
    [
        ("[BUFFER_POOL|p]", "BUFFER_POOL", "p"),
        ("[BUFFER_PROFILE:p]", "BUFFER_PROFILE", "p"),
        ("p", None, "p"),
        ("[p]", None, "[p]"),
        ("[BUFFER_POOL|p", None, "[BUFFER_POOL|p"),
    ],
)
def test_bracket_form(text: str, table: str | None, name: str) -> None:
    assert bare(text) == (table, name)


def test_residue_and_what_only_resembles_it() -> None:
    assert all(residue(t) for t in ("{{ xoff }}", "{% if x %}", "None", "undefined", "null"))
    assert not any(residue(t) for t in ("none_profile", "3", "", "NULLIFY", "a%b"))
