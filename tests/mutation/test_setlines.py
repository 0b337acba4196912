"""Mutants of set lines: every kind is made, bits stay bits, ports are swapped by name."""

from __future__ import annotations

from pathlib import Path

from tests.mutation.setlines import mutants, rows

FILE = Path(__file__).resolve().parents[1] / "nos" / "junos" / "goldens" / "leaf-qfx5240" / "files" / "leaf1.set"
TEXT = FILE.read_text(encoding="utf-8")


def test_every_kind_is_made_and_each_changes_the_text() -> None:
    found = list(mutants(TEXT, lambda _where, _before, _word: None))
    assert {m.what for m in found} == {"delete", "+1", "x10", "0", "misspell", "direction", "swap"}
    assert all(m.text != TEXT for m in found)
    assert not any("host-name" in m.said for m in found)


def test_code_points_stay_six_bits() -> None:
    for m in mutants(TEXT, lambda _where, _before, _word: None):
        if m.what in ("+1", "0") and "code-points" in m.said:
            code = m.text.split("\n")[m.line - 1].split()[-1]
            assert len(code) == 6
            assert set(code) <= {"0", "1"}


def test_deleting_a_line_removes_just_that() -> None:
    count = len(rows(TEXT))
    for m in mutants(TEXT, lambda _where, _before, _word: None):
        assert len(rows(m.text)) == count - (m.what == "delete")


def test_a_swap_leaves_every_line_and_renames_the_ports() -> None:
    for m in mutants(TEXT, lambda _where, _before, _word: None):
        if m.what == "swap":
            assert sorted(r.port for r in rows(m.text)) == sorted(r.port for r in rows(TEXT))
