"""Every case of every rule: what it raises, where, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.case import BASES, Case, case_files, cases, file_name, misses, run
from xoff.lint.load import rule_files
from xoff.model.finding import Severity

_ALL = [c for path in case_files().values() for c in cases(path)]


@pytest.mark.parametrize("case", _ALL, ids=str)
def test_case(case: Case, tmp_path: Path) -> None:
    select = () if case.only or any("implied" in e for e in case.expect) else (case.rule,)
    got = run(
        tmp_path, case.files, select=select, intent=case.intent, project=case.project, assume=case.assume, require=case.require
    )  # fmt: skip
    assert not got.problems or case.rule == "CFG008", got.problems
    assert misses(case, got) == []


@pytest.mark.parametrize("code", sorted(set(case_files()) & set(rule_files())))
def test_a_rule_has_cases_of_every_kind(code: str) -> None:
    """A fault, its repair, two near misses and something that cannot be judged; on both NOSes, but for rules of one only."""
    found = cases(case_files()[code])
    kinds = [c.kind for c in found]
    assert kinds.count("fail") >= 1
    assert kinds.count("pass") + kinds.count("fix") >= 1
    assert kinds.count("near-miss") >= 2, "a near miss is what shows that the rule looks at the value and not at the word"


@pytest.mark.parametrize("nos", sorted(BASES))
def test_the_bases_are_clean(nos: str, tmp_path: Path) -> None:
    got = run(tmp_path, {file_name(nos): BASES[nos].read_text(encoding="utf-8")})
    loud = [f"{f.code} {f.message}" for f in got.findings if f.severity is not Severity.NOTE]
    assert loud == []
