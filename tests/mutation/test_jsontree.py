"""Mutants of a JSON tree: every kind is made, each is a whole configuration, and the place is the changed line."""

from __future__ import annotations

import json
from pathlib import Path

from tests.mutation.jsontree import IDENTITY, mutants

FILE = Path(__file__).resolve().parents[1] / "nos" / "srlinux" / "goldens" / "leaf" / "files" / "leaf1.json"
TEXT = FILE.read_text(encoding="utf-8")
FOUND = list(mutants(TEXT, lambda _where, _before, _word: None))


def test_every_kind_is_made_and_each_changes_the_tree() -> None:
    assert {m.what for m in FOUND} == {"delete", "+1", "x10", "0", "direction", "misspell"}
    assert all(json.loads(m.text) != json.loads(TEXT) for m in FOUND)
    assert len({m.key for m in FOUND}) == len(FOUND)
    assert not any(m.said.split()[0] in IDENTITY and m.what != "delete" for m in FOUND)


def test_the_place_is_the_changed_line() -> None:
    before = TEXT.split("\n")
    for m in FOUND:
        if m.what != "delete":
            lines = m.text.split("\n")
            assert [i for i, (a, b) in enumerate(zip(before, lines, strict=True), 1) if a != b] == [m.line]
