"""A rule is three files of one shape; RULES.md is the catalogue that fixes codes, names, severities and scopes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rules.case import case_files
from xoff.lint.load import load_rule, rule_files
from xoff.lint.rules import Rule

HEADINGS = ("What", "Why it matters", "Wrong", "Right", "How to fix", "What it needs to know", "Sources")
_ROW = re.compile(r"^\| ([A-Z]{3}\d{3}) \| ([a-z0-9-]+) \| (\w+) \| (\w+) \| (\w+) \|", re.M)

#: Uppermost first; a finding may explain only what stands below it (DESIGN 8).
_STEPS: tuple[tuple[str, ...], ...] = (
    ("PFC009", "CFG001", "CFG002", "CFG004", "CFG005"),
    ("ATT",),
    ("MAP005",),
    ("MAP001", "PFC001"),
    ("MAP002", "MAP003", "MAP004"),
    ("PFC002", "PFC003", "PFC004", "HDR", "BUF", "ECN", "CNP", "WDG", "HST001"),
    ("DRF001",),
)


def _step(code: str) -> int | None:
    """The step a code stands on; the longest prefix decides, None: no part of the chain."""
    found = max(((len(p), i) for i, codes in enumerate(_STEPS) for p in codes if code.startswith(p)), default=None)
    return None if found is None else found[1]


@pytest.fixture(scope="module")
def catalogue(shared: Callable[[str], Path]) -> dict[str, tuple[str, str, str, str]]:
    rows = _ROW.findall(shared("RULES.md").read_text(encoding="utf-8"))
    return {code: (name, severity, impact, scope) for code, name, severity, impact, scope in rows}


@pytest.mark.parametrize("code", sorted(rule_files()))
def test_three_files(code: str) -> None:
    path = rule_files()[code]
    assert path.parent.name == code[:3].lower()
    assert path.with_suffix(".md").is_file(), f"{path.stem}.md is missing"
    assert code in case_files(), f"tests/rules/{code}.yml is missing"


@pytest.mark.parametrize("code", sorted(rule_files()))
def test_headings_of_the_page(code: str) -> None:
    path = rule_files()[code].with_suffix(".md")
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    name = load_rule(rule_files()[code]).name
    assert re.findall(r"^# (.+)$", text, re.M) == [f"{code} {name}"]
    assert tuple(re.findall(r"^## (.+)$", text, re.M)) == HEADINGS


@pytest.mark.parametrize("code", sorted(rule_files()))
def test_as_in_the_catalogue(code: str, catalogue: dict[str, tuple[str, str, str, str]]) -> None:
    rule = load_rule(rule_files()[code])
    assert (rule.name, str(rule.severity), str(rule.impact), str(rule.scope)) == catalogue[code]
    assert rule_files()[code].stem == f"{code}_{rule.name.replace('-', '_')}"


@pytest.mark.parametrize("code", sorted(rule_files()))
def test_one_hook(code: str) -> None:
    rule = load_rule(rule_files()[code])
    hooks = [h for h in dir(Rule) if h.startswith("check_") and getattr(rule, h) is not getattr(Rule, h)]
    assert len(hooks) == 1, hooks


@pytest.mark.parametrize("code", sorted(rule_files()))
def test_causes_explain_downwards_only(code: str) -> None:
    """A finding may explain what stands below it, or beside it in its own family, never what stands above."""
    rule = load_rule(rule_files()[code])
    own = _step(code)
    for effect in _effects(code):
        below = _step(effect)
        if effect == "DRF001" and own is None:
            continue
        assert own is not None, f"{code} has no place in the chain, so it explains nothing"
        assert below is not None, f"{code} explains {effect}, which has no place in the chain"
        assert below >= own, f"{code} (step {own}) explains {effect} (step {below})"
    if code in ("CFG003", "DRF001"):
        assert rule.explains == ()


def test_the_relation_has_no_cycle() -> None:
    """Were two findings to explain each other, both would be hidden."""
    left = {code: set(_effects(code)) for code in rule_files()}
    while True:
        ends = [code for code, effects in left.items() if not effects & left.keys()]
        if not ends:
            break
        for code in ends:
            del left[code]
    assert left == {}


def _effects(code: str) -> list[str]:
    rule = load_rule(rule_files()[code])
    return [c for c in rule_files() if c != code and any(c.startswith(p) for p in rule.explains)]
