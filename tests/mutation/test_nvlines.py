"""Mutants of NVUE commands: every kind is made, names and built-in profiles stay, ports are swapped one by one."""

from __future__ import annotations

from tests.mutation.mutant import kept_numbers, one_of_runs
from tests.mutation.nvlines import mutants, ports, rows

TEXT = """\
# a comment
nv set system hostname leaf1
nv set qos mapping default-global dscp 0,1,2,3,4,5,7 switch-priority 0
nv set qos mapping default-global dscp 26 switch-priority 3
nv set qos pfc pfc-40m switch-priority 3
nv set qos pfc pfc-40m tx enable
nv set interface swp1-2,swp31-32 link mtu 9100
nv set interface swp31-32 qos pfc profile pfc-40m
"""
FOUND = list(mutants(TEXT, lambda _where, _before, _word: None))


def said(what: str) -> set[str]:
    return {m.text.split("\n")[m.line - 1] for m in FOUND if m.what == what}


def test_every_kind_is_made_and_each_changes_the_text() -> None:
    assert {m.what for m in FOUND} == {"delete", "+1", "x10", "0", "misspell", "direction", "swap"}
    assert all(m.text != TEXT for m in FOUND)
    assert len({m.text for m in FOUND}) == len(FOUND)
    assert not any("hostname" in m.said for m in FOUND)


def test_deleting_a_line_removes_just_that() -> None:
    for m in FOUND:
        assert len(rows(m.text)) == len(rows(TEXT)) - (m.what == "delete")
    gone = next(m for m in FOUND if m.what == "delete" and m.said.endswith("tx enable"))
    assert {m.text.split("\n")[n - 1] for m in [gone] for n in m.places} == {
        "nv set qos pfc pfc-40m switch-priority 3",
        "nv set interface swp31-32 qos pfc profile pfc-40m",
    }


def test_numbers_of_values_and_lists_change_and_those_of_names_do_not() -> None:
    up = said("+1")
    assert "nv set qos pfc pfc-40m switch-priority 4" in up
    # Of the run 0 to 5 its ends and a middle; 7 stands for itself.
    lists = {
        line.split()[6] for line in up if " default-global dscp " in line and not line.endswith(("26 switch-priority 3", "1"))
    }
    assert {"1,1,2,3,4,5,7", "0,1,2,4,4,5,7", "0,1,2,3,4,6,7", "0,1,2,3,4,5,8"} <= lists
    assert not any("swp2" in line or "pfc-41m" in line for line in up)


def test_switches_turn_and_references_are_misspelt() -> None:
    assert said("direction") == {"nv set qos pfc pfc-40m tx disable"}
    assert said("misspell") == {"nv set interface swp31-32 qos pfc profile pfc-4m0"}


def test_unlike_ports_change_places() -> None:
    (swap,) = [m for m in FOUND if m.what == "swap"]
    new = {r.words[2:]: set(r.ports) for r in rows(swap.text) if r.ports}
    assert new[("qos", "pfc", "profile", "pfc-40m")] == {"swp1", "swp32"}
    assert new[("link", "mtu", "9100")] == {"swp1", "swp2", "swp31", "swp32"}


def test_ranges() -> None:
    assert list(ports("swp1-2,bond4,eth0")) == ["swp1", "swp2", "bond4", "eth0"]
    assert [n for _, n in kept_numbers("dscp 0-25,27 to 3")] == ["0", "25", "27"]
    assert [n for _, n in kept_numbers("dscp 0,1,2,3,4,9")] == ["0", "2", "4", "9"]
    assert list(kept_numbers("mtu 9100")) == []


def test_sibling_lines_that_count_up_are_one_run() -> None:
    lines = [("a", f"import {n} export 0") for n in range(10)] + [
        ("a", "import 10 export 3"),
        ("b", "import 11 export 3"),
        ("b", "x"),
    ]
    assert one_of_runs(lines) == {0, 5, 9, 10, 11, 12}
