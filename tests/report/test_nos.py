"""`xoff nos` and the NOS pages: all of nos.yaml, nothing else, and up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from xoff.model.origin import Evidence
from xoff.nos import registry
from xoff.report import nos as report

DOCS = Path(__file__).resolve().parents[2] / "docs" / "nos"


@pytest.mark.parametrize("name", registry.names())
def test_the_page_is_what_the_data_gives(name: str) -> None:
    assert (DOCS / f"{name}.md").read_text(encoding="utf-8") == report.page(registry.load(name)), "run `make docs`"


def test_the_index_is_what_the_data_gives() -> None:
    assert (DOCS / "README.md").read_text(encoding="utf-8") == report.index(), "run `make docs`"
    assert {p.stem for p in DOCS.glob("*.md")} == {"README", *registry.names()}


def test_every_nos_is_listed_with_its_maturity() -> None:
    lines = report.list_text().splitlines()[1:]
    assert [x.split()[0] for x in lines] == list(registry.names())
    assert all(any(m in x for m in ("stable", "preview", "experimental")) for x in lines)


@pytest.mark.parametrize("name", registry.names())
def test_what_is_not_confirmed_is_named_and_nothing_else(name: str) -> None:
    nos = registry.load(name)
    found = {e for _, e, _ in report.unconfirmed(nos)}
    assert found <= {Evidence.SECONDARY.value, Evidence.RECALLED.value}
    weak = [c for c in nos.can.values() if c.evidence in (Evidence.SECONDARY, Evidence.RECALLED)]
    assert sum(w.startswith("can say ") for w, _, _ in report.unconfirmed(nos)) == len(weak)
    text = report.one_text(nos)
    assert all(field in text for field in (*nos.can, *nos.cannot))
