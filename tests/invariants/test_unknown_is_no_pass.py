"""Invariant 5: a value that cannot be known is never taken for a good one; the coverage or a finding says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.invariants.fabrics import NAMES, fabric
from xoff.lint.engine import lint
from xoff.lint.load import rule_files
from xoff.lint.result import FabricInput, LintRequest, LintResult
from xoff.model.frozen import FrozenMap
from xoff.model.qos import Match, PortQos
from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import Port, SwitchModel

HOLE = Unknown("taken out by this test", Fact.CONFIG)

Change = Callable[[PortQos], PortQos]


def _maps(q: PortQos, name: str) -> PortQos:
    return replace(q, **{name: FrozenMap(dict.fromkeys(getattr(q, name), HOLE))}, _hash=0)


def _groups(q: PortQos, **values: Any) -> PortQos:
    return replace(q, groups=FrozenMap({n: replace(g, **values) for n, g in q.groups.items()}), _hash=0)


def _curves(q: PortQos, **values: Any) -> PortQos:
    queues = {
        k: replace(x, curves=FrozenMap({c: replace(r, **values) for c, r in x.curves.items()})) for k, x in q.queues.items()
    }
    return replace(q, queues=FrozenMap(queues), _hash=0)


def _queues(q: PortQos, **values: Any) -> PortQos:
    return replace(q, queues=FrozenMap({k: replace(x, **values) for k, x in q.queues.items()}), _hash=0)


CHANGES: dict[str, Change] = {
    "trust": lambda q: replace(q, classify=replace(q.classify, untagged_ip=HOLE, tagged_ip=HOLE), _hash=0),
    "dscp map": lambda q: replace(
        q, classify=replace(q.classify, matches=tuple(Match(m.kind, m.values, HOLE) for m in q.classify.matches)), _hash=0
    ),
    "tc_to_queue": lambda q: _maps(q, "tc_to_queue"),
    "tc_to_group": lambda q: _maps(q, "tc_to_group"),
    "pfc mode": lambda q: replace(q, pfc=replace(q.pfc, mode=HOLE), _hash=0),
    "lossless": lambda q: _groups(q, lossless=HOLE),
    "headroom": lambda q: _groups(q, headroom=HOLE),
    "threshold": lambda q: _groups(q, threshold=HOLE),
    "marks": lambda q: _curves(q, marks=HOLE, drops=HOLE),
    "kmin": lambda q: _curves(q, kmin=HOLE),
    "kmax": lambda q: _curves(q, kmax=HOLE),
    "scheduler": lambda q: _queues(q, scheduler=HOLE),
    "watchdog": lambda q: replace(q, watchdog=replace(q.watchdog, enabled=HOLE, priorities=HOLE), _hash=0),
    "watchdog action": lambda q: replace(q, watchdog=replace(q.watchdog, action=HOLE), _hash=0),
    "watchdog time": lambda q: replace(q, watchdog=replace(q.watchdog, detect=HOLE, restore=HOLE), _hash=0),
}


def _lint(name: str, intent: bool, change: Change) -> LintResult:
    """The rendered fabric with the change made to every port that says anything of the field."""
    base = fabric(name).base[intent]
    devices = tuple(replace(d, ports=FrozenMap(_ports(d, change))) for d in base.devices)
    given = FabricInput(base.name, devices, base.links, base.conflicts, base.problems, base.skipped, base.host_classes)
    return lint(LintRequest((given,), plan=fabric(name).plan if intent else None))


def _ports(device: SwitchModel, change: Change) -> Iterator[tuple[str, Port]]:
    done: dict[int, PortQos] = {}
    for name, port in device.ports.items():
        yield name, replace(port, qos=done.setdefault(id(port.qos), change(port.qos)))


def _open(result: LintResult) -> int:
    return sum(c.open for r in result.fabrics for c in r.coverage.values())


@pytest.mark.parametrize("what", sorted(CHANGES))
@pytest.mark.parametrize("name", ["mixed-leaf-spine", "eos-leaf-spine", "sonic-two-lossless"])
def test_what_is_not_known_is_said(name: str, what: str) -> None:
    """With the intent every field matters to a rule at least; so fewer checks are judged, and more are open."""
    before = fabric(name).lint(intent=True)
    after = _lint(name, True, CHANGES[what])
    if not any(a.qos != b.qos for d in fabric(name).base[True].devices for a, (_, b) in
               zip(d.ports.values(), _ports(d, CHANGES[what]), strict=True)):  # fmt: skip
        pytest.skip("no port of this fabric says anything of it")
    assert _open(after) > _open(before), "an unknown value was taken for a good one"
    drift = after.fabrics[0].coverage["DRF001"]
    assert drift.open > 0, "the difference from the intent cannot be judged, and nobody says so"
    reasons = {reason for r in after.fabrics for c in r.coverage.values() for reason, _ in c.not_assessed}
    assert any(HOLE.reason in r for r in reasons), "the reason is lost on the way"


@pytest.mark.parametrize("what", sorted(CHANGES))
@pytest.mark.parametrize("intent", [True, False])
def test_what_is_not_known_is_no_fault_either(what: str, intent: bool) -> None:
    """No error from a value that is not there to be wrong."""
    for name in ("mixed-leaf-spine", "sonic-two-lossless"):
        before = {f.fingerprint for f in fabric(name).lint(intent).findings}
        found = [f for f in _lint(name, intent, CHANGES[what]).findings if f.fingerprint not in before]
        assert [(f.code, f.message) for f in found if f.severity.rank == 0] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_gives_account(name: str) -> None:
    """Each rule is assessed, not applicable with a reason, or not assessed with a reason; none is just absent."""
    for intent in (True, False):
        coverage = fabric(name).lint(intent).fabrics[0].coverage
        assert set(coverage) == set(rule_files())
        for code, entry in coverage.items():
            reasons = [*entry.not_applicable, *(reason for reason, _ in entry.not_assessed)]
            assert entry.assessed or reasons or code == "COV001", f"{code} says nothing of what it did"
            assert all(reasons)
