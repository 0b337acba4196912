"""Every open real case of EOS and SONiC, and the clean bases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.cases.real import FORMS, RealCase, _headers, differing, judge, open_cases
from tests.conftest import SHARED
from tests.rules.case import run
from xoff.model.finding import Severity

_FOLDER = SHARED / "cases"
_OPEN, _NOT_RUN = open_cases(_FOLDER) if (_FOLDER / "cases.yaml").is_file() else ([], [])
#: Findings above a note on the clean bases, each with the reason why it is right.
_ON_BASES = Path(__file__).resolve().parents[1] / "rules" / "bases.yml"


@pytest.mark.parametrize("case", _OPEN, ids=lambda c: c.id)
def test_case_counts(case: RealCase, tmp_path: Path) -> None:
    found = judge(case, _FOLDER, tmp_path)
    beside = "\n".join(f"beside: {f.code} {f.message}" for f in found.beside)
    assert found.counted, "\n".join([f"none of {', '.join(case.expect)} counts", *found.short, beside])


def test_there_are_cases(shared: Callable[[str], Path]) -> None:
    shared("cases/cases.yaml")
    assert len(_OPEN) >= 20
    # The collection has a base of Junos and no case on it.
    assert {c.nos for c in _OPEN} == {nos for nos, _, _ in FORMS.values()} - {"Junos"}


@pytest.mark.parametrize("form", sorted(FORMS))
def test_base_is_clean(form: str, shared: Callable[[str], Path], tmp_path: Path) -> None:
    _, base, name = FORMS[form]
    got = run(tmp_path, {name: shared(f"cases/files/{base}").read_text(encoding="utf-8")})
    assert got.problems == ()
    allowed = {(e["code"], e["text"]): e for e in yaml.safe_load(_ON_BASES.read_text(encoding="utf-8")).get(base) or ()}
    assert all(e["reason"] for e in allowed.values())
    loud = {(f.code, f.location.text.strip() if f.location else ""): f for f in got.findings if f.severity is not Severity.NOTE}
    assert {k: f.message for k, f in loud.items() if k not in allowed} == {}
    assert [k for k in allowed if k not in loud] == [], "listed in bases.yml and not raised any more"


def test_what_differs() -> None:
    base = "a\ninterface X\n   one\n   two\nb\n"
    assert differing("a\ninterface X\n   one\n   2\nb\n", base)[0] == {4}
    changed, parents = differing("a\ninterface X\n   one\nb\n", base)
    assert (changed, parents) == (set(), {2})
    assert differing(base, base) == (set(), set())


def test_a_line_under_a_changed_header_is_another_objects() -> None:
    lines = ["#", "interface Y", " one", "  deep", "#", "interface X", " one"]
    assert [list(_headers(lines, n)) for n in (2, 3, 4, 7)] == [[], [2], [3, 2], [6]]
