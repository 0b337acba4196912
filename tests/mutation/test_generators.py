"""The generators make what they say: each mutant is one change, at the line that it names."""

from __future__ import annotations

import json

import pytest

from tests.mutation import indented, jsontables
from tests.mutation.judge import EXAMPLES, step
from tests.mutation.judge import mutants as of_example
from tests.mutation.mutant import Mutant, changed, fold, misspelt, of_runs

EOS = """\
hostname leaf1
!
qos profile LOSSLESS
   priority-flow-control priority 3 no-drop
   !
   uc-tx-queue 3
      bandwidth percent 60
!
interface Ethernet1/1
   mtu 9214
   service-profile LOSSLESS
!
interface Ethernet2/1
   mtu 9214
   service-profile LOSSLESS
!
interface Ethernet3/1
   mtu 1500
!
qos map dscp 24 26 to traffic-class 3
platform trident mmu queue profile BUF
   ingress headroom bytes 100
!
"""
SONIC = {
    "BUFFER_PROFILE": {"ingress_lossy_profile": {"pool": "ingress_pool", "size": "0"}},
    "BUFFER_POOL": {"ingress_pool": {"type": "ingress"}},
    "DEVICE_METADATA": {"localhost": {"hostname": "leaf1"}},
    "DSCP_TO_TC_MAP": {"M": {"25": "0", "26": "3", "27": "0", "28": "0", "29": "0", "30": "0"}},
    "PORT_QOS_MAP": {
        "Ethernet0": {"dscp_to_tc_map": "M", "pfc_enable": "3,4"},
        "Ethernet4": {"dscp_to_tc_map": "M", "pfc_enable": "3,4"},
        "Ethernet8": {"dscp_to_tc_map": "M"},
    },
}


def eos(text: str = EOS) -> list[Mutant]:
    return list(indented.mutants(text, lambda where, before, word: step("eos", where, before, word)))


def sonic() -> list[Mutant]:
    return list(jsontables.mutants(json.dumps(SONIC, indent=4), lambda where, before, word: None))


def said(found: list[Mutant], what: str) -> set[tuple[str, str]]:
    return {(m.said, m.text.split("\n")[m.line - 1].strip()) for m in found if m.what == what}


def test_eos_deletes_each_line_with_what_it_opens() -> None:
    gone = [m for m in eos() if m.what == "delete"]
    assert "   uc-tx-queue 3\n" not in next(m.text for m in gone if m.said == "uc-tx-queue 3")
    assert "bandwidth" not in next(m.text for m in gone if m.said == "uc-tx-queue 3")
    assert next(m.line for m in gone if m.said == "bandwidth percent 60") == 6  # its parent
    assert not any("hostname" in m.said for m in gone)
    # Ethernet1/1 and Ethernet2/1 are equal: the first and a middle one (here the second), and the unlike third.
    assert {m.detail for m in gone if m.said == "mtu 9214"} == {"interface Ethernet1/1", "interface Ethernet2/1"}


def test_eos_changes_each_number() -> None:
    found = eos()
    assert ("bandwidth percent 60", "bandwidth percent 61") in said(found, "+1")
    assert ("bandwidth percent 60", "bandwidth percent 600") in said(found, "x10")
    assert ("bandwidth percent 60", "bandwidth percent 0") in said(found, "0")
    line = "qos map dscp 24 26 to traffic-class 3"
    assert {new for old, new in said(found, "+1") if old == line} == {
        "qos map dscp 25 26 to traffic-class 3",
        "qos map dscp 24 27 to traffic-class 3",
        "qos map dscp 24 26 to traffic-class 4",
    }


def test_eos_steps_are_those_of_the_unit() -> None:
    assert step("eos", (), "priority-flow-control pause watchdog default timeout", "0.2") == "0.21"
    assert step("eos", (), "priority-flow-control pause watchdog default polling-interval", "0.1") == "0.101"
    assert step("eos", (), "ingress priority-group 3 threshold", "1/4") == "1/2"
    assert step("eos", (), "bandwidth percent", "60") is None


def test_eos_misspells_references_and_turns_directions() -> None:
    found = eos()
    assert said(found, "misspell") == {("service-profile LOSSLESS", "service-profile LOSSLESSx")}
    assert ("ingress headroom bytes 100", "egress headroom bytes 100") in said(found, "direction")


def test_eos_swaps_unlike_ports() -> None:
    (swap,) = [m for m in eos() if m.what == "swap"]
    rows = {r.text: swap.text.split("\n")[r.index + 1 : r.end] for r in indented.rows(swap.text)}
    assert rows["interface Ethernet1/1"] == ["   mtu 1500"]
    assert rows["interface Ethernet3/1"] == ["   mtu 9214", "   service-profile LOSSLESS"]
    assert rows["interface Ethernet2/1"] == ["   mtu 9214", "   service-profile LOSSLESS"]


def test_sonic_mutants_stay_json_and_name_their_line() -> None:
    for m in sonic():
        json.loads(m.text)
        lines = m.text.split("\n")
        assert 1 <= m.line <= len(lines)


def test_sonic_deletes_rows_and_fields() -> None:
    gone = {(m.where, m.said) for m in sonic() if m.what == "delete"}
    assert (("PORT_QOS_MAP",), '"*"') in gone
    assert (("PORT_QOS_MAP", "*"), '"pfc_enable": "3,4"') in gone
    assert (("DEVICE_METADATA", "localhost"), '"hostname": "leaf1"') not in gone
    assert (("DEVICE_METADATA",), '"localhost"') not in gone


def test_sonic_changes_values_keys_and_references() -> None:
    found = sonic()
    assert ('"pfc_enable": "3,4"', '"pfc_enable": "4,4"') in said(found, "+1")
    assert ('"26": "3"', '"27": "3",') in said(found, "key +1")
    assert ('"type": "ingress"', '"type": "egress"') in said(found, "direction")
    assert ('"pool": "ingress_pool"', '"pool": "ingress_polo",') in said(found, "misspell")
    # A run of DSCPs in one class: its ends and a middle one.
    assert {old for old, _ in said(found, "+1") if old.startswith(('"2', '"30'))} == {
        '"25": "0"', '"26": "3"', '"27": "0"', '"29": "0"', '"30": "0"',
    }  # fmt: skip


def test_sonic_swaps_all_rows_of_two_ports() -> None:
    (swap,) = [m for m in sonic() if m.what == "swap"]
    rows = json.loads(swap.text)["PORT_QOS_MAP"]
    assert rows["Ethernet0"] == {"dscp_to_tc_map": "M"}
    assert rows["Ethernet8"] == {"dscp_to_tc_map": "M", "pfc_enable": "3,4"}
    assert rows["Ethernet4"] == {"dscp_to_tc_map": "M", "pfc_enable": "3,4"}


@pytest.mark.parametrize(
    ("word", "new"),
    [("3", ["4", "30", "0"]), ("0", ["1"]), ("-2", ["-1", "-20", "0"]), ("0.2", ["1.2", "2", "0"]), ("1/4", []), ("x", [])],
)
def test_numbers(word: str, new: list[str]) -> None:
    assert [w for _, w in changed(word)] == new


def test_small_things() -> None:
    assert fold("qos map dscp 0 1 2 to traffic-class 0") == "qos map dscp N to traffic-class N"
    assert fold('"26": "3"') == '"N": "N"'
    assert fold("XOFF-400G-P3") == "XOFF-400G-P3"
    assert misspelt("LOSSLESS") == "LOSSLESSx"
    assert misspelt("ROCE") == "ROEC"
    assert of_runs([("1", ""), ("2", ""), ("3", ""), ("5", ""), ("6", "x")]) == {0, 1, 2, 3, 4}


def test_a_layout_that_lines_cannot_be_counted_in_is_refused() -> None:
    with pytest.raises(ValueError, match="laid out"):
        jsontables.tables(json.dumps(SONIC))


@pytest.mark.parametrize("example", sorted(EXAMPLES))
def test_no_two_mutants_of_an_example_are_one(example: str) -> None:
    found = list(of_example(example))
    assert len(found) > 100
    assert len({(f.name, m.text) for f, m in found}) == len(found)
    assert all(m.text != f.text for f, m in found)
