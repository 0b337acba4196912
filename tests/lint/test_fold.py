"""Folding, causes, severities, fingerprints and coverage, on rules made for the purpose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import pytest

from tests.lint.build import STANZA, ports, qos, switch
from xoff.lint import engine, fold
from xoff.lint.coverage import Coverage
from xoff.lint.objects import FabricView
from xoff.lint.ports import PortView
from xoff.lint.result import FabricInput, LintRequest
from xoff.lint.rules import Absent, Fact, Hit, Impact, NotApplicable, NotAssessed, Rule, Scope, Severity
from xoff.model.fabric import Basis
from xoff.model.finding import Confidence, Finding
from xoff.model.origin import BodyLine, Default, Evidence, FileLine, Line

LINE = Line((), "qos map dscp 26 to traffic-class 1", FileLine("leaf1.cfg", 3))


def _rule(code: str, *explains_: str, severity: Severity = Severity.ERROR) -> Rule:
    made = type(code, (Rule,), {})
    made.code, made.name, made.severity = code, code.lower(), severity  # type: ignore[attr-defined]
    made.impact, made.scope, made.explains = Impact.LOSS, Scope.PORT, explains_  # type: ignore[attr-defined]
    return made()  # type: ignore[no-any-return]


TOP, MID, LOW = _rule("MAP001", "MAP002", "PFC"), _rule("MAP002", "PFC"), _rule("PFC004")


@pytest.fixture
def fabric() -> FabricView:
    bodies = [*ports(8, qos({26: 3}, [3])), *ports(2, qos({26: 1}, [3]), first=9)]
    given = FabricInput("pod", (switch("leaf1", bodies), switch("leaf2", bodies)))
    return engine.build(LintRequest((given,)), given)


def _find(*raws: tuple[Rule, Hit]) -> tuple[Finding, ...]:
    return fold.findings([fold.Raw(r, h) for r, h in raws], lambda at: f"text of {at.line}")


def _view(fabric: FabricView, body: int = 0, device: int = 0) -> PortView:
    return fabric.devices[device].ports[body]


def test_one_line_is_one_finding_for_all_ports(fabric: FabricView) -> None:
    a, b = _view(fabric, 0), _view(fabric, 1)
    (found,) = _find((TOP, TOP.hit("m", at=LINE, port=a)), (TOP, TOP.hit("m", at=LINE, port=b)))
    assert len(found.ports) == 10
    assert found.location is not None
    assert (found.location.at.line, found.location.text) == (3, "text of 3")
    assert found.related == ()


def test_a_line_of_the_ports_own_is_one_finding_with_further_places(fabric: FabricView) -> None:
    at = BodyLine(STANZA, "priority-flow-control priority 4 no-drop", 3)
    (found,) = _find((TOP, TOP.hit("m", at=at, port=_view(fabric))))
    assert found.location is not None
    assert found.location.at.line == 113
    assert [p.at.line for p in found.related] == [123, 133, 143, 153, 163]
    assert found.related_more == 2


def test_what_is_missing_stands_at_the_header(fabric: FabricView) -> None:
    (found,) = _find((TOP, TOP.hit("m", at=Absent("PFC"), port=_view(fabric))))
    assert found.location is not None
    assert found.location.at.line == 110
    assert str(found.cause) == "interface * > absent: PFC"


@pytest.mark.parametrize("changed", ["observed", "expected", "severity", "object", "priority"])
def test_other_values_are_other_findings(fabric: FabricView, changed: str) -> None:
    value = {"severity": Severity.NOTE, "priority": 5}.get(changed, "other")
    one = TOP.hit("m", at=LINE, port=_view(fabric))
    assert len(_find((TOP, one), (TOP, replace(one, port=_view(fabric, 1), **{changed: value})))) == 2  # type: ignore[arg-type]


def test_devices_are_never_folded_together(fabric: FabricView) -> None:
    hits = [(TOP, TOP.hit("m", at=LINE, port=_view(fabric, 0, d))) for d in (0, 1)]
    assert [f.device for f in _find(*hits)] == ["leaf1", "leaf2"]


def test_fingerprints_outlive_line_numbers_ports_and_wording(fabric: FabricView) -> None:
    (before,) = _find((TOP, TOP.hit("m", at=LINE, port=_view(fabric))))
    moved = replace(LINE, at=FileLine("leaf1.cfg", 300))
    (after,) = _find((TOP, TOP.hit("other words", at=moved, port=_view(fabric, 1), observed="x")))
    assert before.fingerprint == after.fingerprint
    text = replace(LINE, text="qos map dscp 26 to traffic-class 2")
    (other,) = _find((TOP, TOP.hit("m", at=text, port=_view(fabric))))
    assert before.fingerprint != other.fingerprint
    assert len({f.fingerprint for d in (0, 1) for f in _find((TOP, TOP.hit("m", at=LINE, port=_view(fabric, 0, d))))}) == 2


def test_the_uppermost_cause_explains(fabric: FabricView) -> None:
    a = _view(fabric)
    low, mid, top = LOW.hit("l", at=Absent("x"), port=a), MID.hit("m", at=Absent("y"), port=a), TOP.hit("t", at=LINE, port=a)
    by = {f.code: f for f in _find((LOW, low), (MID, mid), (TOP, top))}
    assert by["MAP001"].implied_by is None
    assert by["MAP002"].implied_by == by["PFC004"].implied_by == by["MAP001"].fingerprint


def test_a_cause_explains_only_within_its_ports(fabric: FabricView) -> None:
    a, b = _view(fabric, 0), _view(fabric, 1)
    found = _find((TOP, TOP.hit("t", at=Absent("x"), port=b)), (LOW, LOW.hit("l", at=Absent("y"), port=a)))
    assert [f.implied_by for f in found] == [None, None]
    other = _find((TOP, TOP.hit("t", at=LINE, port=_view(fabric, 0, 1))), (LOW, LOW.hit("l", at=Absent("y"), port=a)))
    assert [f.implied_by for f in other] == [None, None]


def test_a_cause_of_one_class_leaves_another_alone(fabric: FabricView) -> None:
    a, cls = _view(fabric), fabric.lossless[0]
    other = replace(cls, name="other")
    found = _find((TOP, TOP.hit("t", at=LINE, port=a, cls=cls)), (LOW, LOW.hit("l", at=Absent("y"), port=a, cls=other)))
    assert [f.implied_by for f in found] == [None, None]


def test_what_befalls_the_cnps_is_an_effect_too(fabric: FabricView) -> None:
    a, cls = _view(fabric), fabric.lossless[0]
    cnp = _rule("CNP001")
    cause = _rule("MAP001", "CNP")
    other = replace(cls, name="cnp")
    found = _find((cause, cause.hit("t", at=LINE, port=a, cls=cls)), (cnp, cnp.hit("l", at=Absent("y"), port=a, cls=other)))
    assert {f.code: f.implied_by is not None for f in found} == {"MAP001": False, "CNP001": True}


def test_a_hit_may_narrow_what_it_explains(fabric: FabricView) -> None:
    a = _view(fabric)
    found = _find((TOP, TOP.hit("t", at=LINE, port=a, explains=())), (LOW, LOW.hit("l", at=Absent("y"), port=a)))
    assert [f.implied_by for f in found] == [None, None]


def test_a_secondary_default_lowers_by_one_and_infers(fabric: FabricView) -> None:
    read, secondary = (Default("trust", e, "s") for e in (Evidence.READ, Evidence.SECONDARY))
    (sure,) = _find((TOP, TOP.hit("m", at=read, port=_view(fabric))))
    (unsure,) = _find((TOP, TOP.hit("m", at=secondary, port=_view(fabric))))
    assert (sure.severity, sure.confidence) == (Severity.ERROR, Confidence.CERTAIN)
    assert (unsure.severity, unsure.confidence) == (Severity.WARNING, Confidence.INFERRED)
    (beside,) = _find((TOP, TOP.hit("m", at=LINE, port=_view(fabric), rests_on=(secondary,))))
    assert beside.severity is Severity.WARNING
    assert any("trust" in b for b in beside.basis)


def test_no_error_rests_on_a_convention_alone(fabric: FabricView) -> None:
    cls = replace(fabric.lossless[0], basis=Basis.CONVENTION)
    (alone,) = _find((TOP, TOP.hit("m", at=LINE, port=_view(fabric), cls=cls)))
    assert (alone.severity, alone.confidence) == (Severity.WARNING, Confidence.INFERRED)
    (contradiction,) = _find((TOP, TOP.hit("m", at=LINE, port=_view(fabric), cls=cls, own_contradiction=True)))
    assert contradiction.severity is Severity.ERROR


class _Picky(Rule):
    """Judges the first body, cannot judge the second of leaf1, and does not apply to the second of leaf2."""

    code: ClassVar[str] = "MAP001"
    name: ClassVar[str] = "picky"
    severity: ClassVar[Severity] = Severity.ERROR
    impact: ClassVar[Impact] = Impact.LOSS
    scope: ClassVar[Scope] = Scope.PORT

    def check_port(self, port: PortView) -> Iterator[Hit]:
        if len(port.names) == 8:
            yield self.hit("m", at=LINE, port=port)
        elif port.device.name == "leaf1":
            raise NotAssessed("cable not known", Fact.CABLE)
        else:
            raise NotApplicable("no such queue")


def test_coverage_counts_ports_and_one_stop_silences_nothing_else(fabric: FabricView) -> None:
    coverage = Coverage()
    raws = engine._run(_Picky(), fabric, coverage)
    assert len(raws) == 2
    entry = coverage.rules["MAP001"]
    assert (entry.assessed, entry.open) == (16, 2)
    assert entry.not_assessed == {("cable not known", Fact.CABLE): 2}
    assert entry.not_applicable == {"no such queue": 2}
    (missing,) = coverage.missing()
    assert (missing.fact, missing.checks, missing.devices) == (Fact.CABLE, 2, ("leaf1",))
    assert 'match = "leaf1"' in missing.add


def test_views_write_themselves_short() -> None:
    """A view leads to its device, the fabric and back; written out in a failure's report it must not unroll all of that."""
    from xoff.lint.engine import build
    from xoff.lint.result import FabricInput, LintRequest

    models = tuple(switch(f"leaf{n}", ports(8, qos({26: 3}, [3]))) for n in range(3))
    given = FabricInput("f", models)
    view = build(LintRequest((given,)), given)
    for thing in (view, *view.devices, *view.all_ports()):
        assert len(repr(thing)) < 200
