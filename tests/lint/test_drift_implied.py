"""A difference from the intent is implied by whatever is reported on the same line, and by nothing of CFG003's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest

from xoff.lint.fold import Raw, findings
from xoff.lint.objects import DeviceView, FabricView
from xoff.lint.ports import PortView
from xoff.lint.rules import FileLine, Hit, Impact, Line, Rule, Scope, Severity
from xoff.model.fabric import Fabric
from xoff.model.finding import Finding
from xoff.model.frozen import FrozenMap
from xoff.model.qos import PortQos
from xoff.model.switch import Port, PortKind, SwitchModel

MAP = Line((), "qos map dscp 26 to traffic-class 1", FileLine("leaf1.cfg", 3))
OTHER = Line((), "priority-flow-control all off", FileLine("leaf1.cfg", 9))


def _rule(code_: str, explains_: tuple[str, ...] = ()) -> Rule:
    class Made(Rule):
        code = code_
        name = "made"
        severity = Severity.ERROR
        impact = Impact.LOSS
        scope = Scope.PORT
        explains: ClassVar[tuple[str, ...]] = explains_

        def check_device(self, device: DeviceView) -> Iterator[Hit]:
            yield from ()

    return Made()


def _view() -> PortView:
    port = Port("Ethernet1", PortKind.FRONT, PortQos())
    model = SwitchModel("leaf1", "eos", FrozenMap({port.name: port}), files=("leaf1.cfg",))
    fabric = FabricView(Fabric("f", FrozenMap({"leaf1": model})), (), "")
    return PortView(DeviceView(model, fabric), (port,), frozenset(), "")


def _findings(*said: tuple[Rule, Line]) -> dict[str, Finding]:
    view = _view()
    raws = [Raw(rule, rule.hit("x", at=at, port=view)) for rule, at in said]
    return {f.code: f for f in findings(raws, lambda at: "")}


@pytest.mark.parametrize("code", ["MAP001", "HDR001", "CFG004"])
def test_same_line(code: str) -> None:
    found = _findings((_rule(code), MAP), (_rule("DRF001"), MAP))
    assert found["DRF001"].implied_by == found[code].fingerprint
    assert found[code].implied_by is None


def test_other_line_stands_alone() -> None:
    assert _findings((_rule("MAP001"), OTHER), (_rule("DRF001"), MAP))["DRF001"].implied_by is None


def test_same_ports_where_the_rule_says_so() -> None:
    found = _findings((_rule("MAP001", ("DRF001",)), OTHER), (_rule("DRF001"), MAP))
    assert found["DRF001"].implied_by == found["MAP001"].fingerprint


def test_unknown_line_explains_nothing() -> None:
    assert _findings((_rule("CFG003"), MAP), (_rule("DRF001"), MAP))["DRF001"].implied_by is None


def test_uppermost_cause_is_named() -> None:
    found = _findings((_rule("CFG001", ("MAP",)), OTHER), (_rule("MAP001"), MAP), (_rule("DRF001"), MAP))
    assert found["DRF001"].implied_by == found["MAP001"].implied_by == found["CFG001"].fingerprint
