"""--require: a rule that could not be judged is an error, whatever --select says."""

from __future__ import annotations

from xoff.lint.engine import lint
from xoff.lint.result import FabricInput, LintRequest, LintResult
from xoff.model.finding import Severity
from xoff.model.frozen import FrozenMap
from xoff.model.origin import FileLine, Line
from xoff.model.qos import PortQos
from xoff.model.quantity import Fact
from xoff.model.switch import Port, PortKind, Reference, SwitchModel

_AT = Line(("PORT_QOS_MAP", "*"), 'dscp_to_tc_map: "ROCE"', FileLine("leaf1.json", 7))


def _run(resolves: bool | None, **options: tuple[str, ...]) -> LintResult:
    port = Port("Ethernet0", PortKind.FRONT, PortQos())
    reference = Reference("DSCP_TO_TC_MAP", "ROCE", _AT, resolves, ports=("Ethernet0",))
    device = SwitchModel("leaf1", "sonic", FrozenMap({"Ethernet0": port}), references=(reference,), files=("leaf1.json",))
    return lint(LintRequest((FabricInput("f", (device,)),), **options))


def test_open_check_of_a_required_rule_is_an_error() -> None:
    result = _run(None, select=("CFG001",), require=("cfg001",))
    (found,) = result.findings
    assert (found.code, found.severity) == ("COV001", Severity.ERROR)
    assert "CFG001" in found.message
    assert Fact.CONFIG.value in found.message
    assert "DSCP_TO_TC_MAP" in found.message


def test_judged_rule_is_no_finding_of_coverage() -> None:
    assert [f.code for f in _run(False, select=("CFG001",), require=("CFG001",)).findings] == ["CFG001"]
    assert _run(True, select=("CFG001",), require=("CFG001",)).findings == ()


def test_deselected_rule_did_not_run() -> None:
    (found,) = _run(True, select=("CFG002",), require=("CFG001",)).findings
    assert found.code == "COV001"
    assert "did not run" in found.message


def test_nothing_required_nothing_said() -> None:
    assert _run(None, select=("CFG001", "COV001")).findings == ()


def test_not_applicable_is_no_gap() -> None:
    assert _run(True, select=("DRF001",), require=("DRF001",)).findings == ()


def test_each_reason_is_its_own_finding_with_a_stable_fingerprint() -> None:
    first, second = (_run(None, select=("CFG001",), require=("CFG001",)).findings for _ in range(2))
    assert [f.fingerprint for f in first] == [f.fingerprint for f in second]
