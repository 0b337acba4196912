"""A lint result built by hand, with everything a report has to show in it."""

from __future__ import annotations

from typing import Any

import pytest

from xoff.errors import InputError
from xoff.lint.result import FabricResult, LintResult, MissingFact, RuleCoverage
from xoff.model.fabric import Basis, ClassInForce, ClassKind, End, Link, LinkConflict, LinkEvidence
from xoff.model.finding import Cause, Confidence, Cost, Finding, Fix, Impact, Place, Severity, Suppressed
from xoff.model.frozen import FrozenMap
from xoff.model.origin import FileLine
from xoff.model.qos import PortQos
from xoff.model.quantity import Fact
from xoff.model.switch import Form, Port, PortKind, SwitchModel

MAP_LINE = "qos map dscp 26 to traffic-class 1"


def finding(code: str, name: str, device: str | None, **more: Any) -> Finding:
    file = more.pop("file", f"configs/{device}.cfg")
    line = more.pop("line", 4)
    text = more.pop("text", MAP_LINE)
    values: dict[str, Any] = {
        "severity": Severity.ERROR,
        "confidence": Confidence.CERTAIN,
        "impact": Impact.LOSS,
        "message": "a message",
        "ports": (),
        "cause": Cause((), text),
        "location": Place(FileLine(file, line), text),
        "fingerprint": f"{code}-{device}-{line}",
    }
    return Finding(code=code, name=name, device=device, **(values | more))


def switch(name: str, nos: str, role: str | None, *ports: str, form: Form = Form.RUNNING) -> SwitchModel:
    return SwitchModel(
        name,
        nos,
        FrozenMap({p: Port(p, PortKind.FRONT, PortQos()) for p in ports}),
        role=role,
        form=form,
        files=(f"configs/{name}.cfg",),
    )


def roce(basis: Basis = Basis.INTENT) -> ClassInForce:
    return ClassInForce(
        "roce",
        ClassKind.DATA,
        True,
        frozenset({26}),
        frozenset(),
        3,
        basis,
        Confidence.CERTAIN if basis is Basis.INTENT else Confidence.INFERRED,
        "classes.roce",
        ecn=True,
        at=FileLine("pod1.yaml", 4),
    )


@pytest.fixture
def result() -> LintResult:
    leaf_ports = tuple(f"Ethernet{n}/1" for n in range(1, 33))
    map_error = {
        "message": "DSCP 26 (class roce) reaches traffic class 1, which is lossy",
        "ports": leaf_ports,
        "priority": 3,
        "class_": "roce",
        "observed": "1",
        "expected": "3",
        "why": "The sender is never paused for this traffic, so every burst that overruns the buffer is lost, and "
        "RoCE resends whole windows.",
        "fix": Fix(("qos map dscp 26 to traffic-class 3",), Cost.NOTHING),
    }
    findings = (
        finding("MAP001", "roce-dscp-lossy", "leaf1", **map_error),
        finding("MAP001", "roce-dscp-lossy", "leaf2", **map_error),
        finding(
            "MAP002",
            "class-path-broken",
            "leaf1",
            ports=leaf_ports[:2],
            message="queue 1 and priority 3 do not meet",
            implied_by="MAP001-leaf1-4",
        ),
        finding(
            "MAP002",
            "class-path-broken",
            "leaf2",
            ports=leaf_ports[:2],
            message="queue 1 and priority 3 do not meet",
            implied_by="MAP001-leaf2-4",
        ),
        finding(
            "ECN001",
            "kmin-above-kmax",
            "spine1",
            severity=Severity.WARNING,
            confidence=Confidence.INFERRED,
            impact=Impact.THROUGHPUT,
            message="Kmin 1500 kbytes is above Kmax 150 kbytes",
            ports=("Ethernet1/1", "Ethernet2/1"),
            line=120,
            text="      random-detect ecn minimum-threshold 1500 kbytes maximum-threshold 150 kbytes",
            related=(
                Place(FileLine("configs/spine1.cfg", 90), "interface Ethernet2/1", "same on another port"),
                Place(FileLine("configs/leaf1.cfg", 8), "interface Ethernet49/1", "the other end"),
            ),
            related_more=2,
        ),
        finding(
            "WDG001",
            "watchdog-missing",
            "spine1",
            severity=Severity.WARNING,
            line=7,
            suppressed=Suppressed("xoff-exceptions.yaml", "lab", "2027-01-01"),
        ),
        finding(
            "PFC004",
            "pfc-priorities-differ",
            None,
            message="leaf1 and spine1 pause different priorities",
            location=None,
            related=(Place(FileLine("configs/leaf1.cfg", 30), "priority-flow-control priority 3 no-drop", "leaf1"),),
        ),
    )
    coverage = {
        "ECN001": RuleCoverage(assessed=66),
        "HDR001": RuleCoverage(
            not_assessed={("the ASIC is not known", Fact.ASIC): 40, ("the cable's length is not known", Fact.CABLE): 26}
        ),
        "MAP001": RuleCoverage(assessed=66, not_applicable={"carries nothing lossless": 2}),
    }
    fabric = FabricResult(
        name="pod1",
        devices=(
            switch("leaf1", "eos", "leaf", *leaf_ports),
            switch("leaf2", "eos", "leaf", *leaf_ports),
            switch("spine1", "eos", "spine", "Ethernet1/1", "Ethernet2/1"),
        ),
        classes=(roce(),),
        classes_note="CNP: not assessed, nothing says which DSCP it uses",
        findings=findings,
        coverage=coverage,
        facts_missing=(
            MissingFact(Fact.ASIC, 40, ("leaf1", "leaf2"), '[[devices]] match = "leaf*" model = "…"   # xoff.toml'),
            MissingFact(Fact.CABLE, 26, ("leaf1",), '[[devices]] match = "leaf1" cable = "40m"   # xoff.toml'),
        ),
        links=(Link(End("leaf1", "Ethernet49/1"), End("spine1", "Ethernet1/1"), LinkEvidence.INTENT),),
        conflicts=(
            LinkConflict(
                End("leaf2", "Ethernet49/1"),
                ((LinkEvidence.INTENT, End("spine1", "Ethernet2/1")), (LinkEvidence.ADDRESSES, End("spine2", "Ethernet2/1"))),
            ),
        ),
        problems=(InputError("configs/core.cfg", 12, "is binary (it contains a NUL byte), not a configuration"),),
        skipped=(("configs/README.md", "no NOS is recognised in it"),),
        structure=("EOS: traffic class n is PFC priority n (read, EOS manual)",),
    )
    return LintResult((fabric,))
