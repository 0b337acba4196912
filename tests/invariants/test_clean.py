"""Invariant 2: what we render is clean, with its intent and without; invariant 4: the same input gives the same report."""

from __future__ import annotations

import pytest

from tests.invariants.fabrics import NAMES, fabric
from xoff.model.finding import Severity
from xoff.report import json, text

#: What a policy costs when nobody tells the linter of it: the rule asks for the line that would.
BY_POLICY = {"no-congestion-control": {("ECN001", "nothing in the input marks class")}}


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_found_with_the_intent(name: str) -> None:
    result = fabric(name).lint(intent=True)
    assert [(f.code, f.device, f.message) for f in result.findings] == []
    assert result.fabrics[0].coverage["DRF001"].assessed == len(fabric(name).plan.devices)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_above_a_note_without_it(name: str) -> None:
    found = [f for f in fabric(name).lint(intent=False).findings if f.severity is not Severity.NOTE]
    expected = BY_POLICY.get(name, set())
    assert {f.code for f in found} == {code for code, _ in expected}
    for f in found:
        assert f.severity is Severity.WARNING
        assert any(f.code == code and words in f.message for code, words in expected), f.message
        assert "congestion_control: none" in f.message  # the way to say so


@pytest.mark.parametrize("name", NAMES)
def test_the_classes_of_the_intent_are_found_again(name: str) -> None:
    """Without the intent the fabric's own lines give the same lossless DSCPs and priorities."""
    plan = fabric(name).plan
    found = {(c.dscp, c.priority) for c in fabric(name).lint(intent=False).fabrics[0].classes if c.lossless}
    assert found == {(c.dscp, c.priority) for c in plan.classes if c.lossless}


@pytest.mark.parametrize("name", NAMES)
def test_the_same_input_gives_the_same_report(name: str) -> None:
    for intent in (True, False):
        one, other = fabric(name).lint(intent), fabric(name).lint(intent)
        assert text.text(one) == text.text(other)
        assert json.text(one, 0) == json.text(other, 0)
