"""How far a broken reference or value explains other findings, and references whose form no release is known for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.case import BASES, run
from xoff.lint.effects import effects
from xoff.lint.engine import lint
from xoff.lint.result import FabricInput, LintRequest
from xoff.model.frozen import FrozenMap
from xoff.model.origin import FileLine, Line
from xoff.model.qos import PortQos
from xoff.model.quantity import Fact
from xoff.model.switch import Port, PortKind, Reference, RefProblem, SwitchModel


def test_effects_are_those_of_the_fields() -> None:
    assert effects(("queue",)) == ("ECN", "BUF", "DRF001")
    assert effects(("pfc.obey",)) == ("PFC001", "PFC002", "PFC003", "PFC004", "MAP002", "MAP003", "DRF001")
    assert effects(()) is None
    assert effects(("queue", "something new")) is None


@pytest.mark.parametrize("problem", RefProblem)
def test_a_form_whose_release_is_not_known_is_not_assessed(problem: RefProblem) -> None:
    at = Line(("QUEUE", "*|3"), 'wred_profile: "*"', FileLine("leaf1.json", 9))
    reference = Reference("WRED_PROFILE", "ROCE", at, None, problem, ports=("Ethernet0",))
    port = Port("Ethernet0", PortKind.FRONT, PortQos())
    device = SwitchModel("leaf1", "sonic", FrozenMap({port.name: port}), references=(reference,), files=("leaf1.json",))
    result = lint(LintRequest((FabricInput("f", (device,)),), select=("CFG002",)))
    assert result.findings == ()
    (why, fact), *_ = result.fabrics[0].coverage["CFG002"].not_assessed
    assert problem.value in why
    assert fact is Fact.RELEASE


PROJECT = """\
[classes]
roce = {dscp = [26], priority = 3, lossless = true}
"""


def test_a_missing_ecn_profile_explains_no_map(tmp_path: Path) -> None:
    """Two faults on one port: the dangling profile stands over what it would have marked, never over the wrong map line."""
    text = BASES["sonic"].read_text(encoding="utf-8")
    for old, new in (('"Ethernet4|3": {"scheduler": "roce", "wred_profile": "ROCE_ECN"}',
                      '"Ethernet4|3": {"scheduler": "roce", "wred_profile": "GONE"}'), ('"26": "3"', '"26": "1"')):  # fmt: skip
        assert old in text
        text = text.replace(old, new)
    found = {f.code: f for f in run(tmp_path, {"config_db.json": text}, project=PROJECT).findings}
    assert found["CFG001"].implied_by is None
    assert found["MAP001"].implied_by is None
