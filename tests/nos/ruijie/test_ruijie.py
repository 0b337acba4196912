"""Ruijie RGOS: what is read, that nothing about PFC is ever taken for known, and that it is not rendered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xoff.errors import UsageError
from xoff.lint.engine import lint
from xoff.lint.result import FabricInput, LintRequest
from xoff.model.path import path
from xoff.model.quantity import Unknown
from xoff.model.switch import PortKind, SwitchModel
from xoff.nos import registry, ruijie, yaml12
from xoff.nos.renderer import render
from xoff.nos.source import Source, read_source

GOLDEN: dict[str, list[dict[str, Any]]] = yaml12.load((Path(__file__).parent / "unclaimed.yml").read_text(encoding="utf-8"))
LEAF = """\
version S6500_RGOS 12.5(1)B0401S1
hostname leaf1
!
class-map RoCE
 match ip dscp 26
!
policy-map IN
 class RoCE
  set cos 3 priority
!
qos-queue compatible enable
mls qos scheduler drr
drr-queue bandwidth 1 1 1 50 1 1 1 0
queueing wred
!
interface TFGigabitEthernet 0/1
 description to gpu1
 service-policy input IN
 qos queue 3 ecn
!
interface TFGigabitEthernet 0/2
 port-group 1
!
interface AggregatePort 1
!
end
"""


def read(text: str) -> SwitchModel:
    (model,) = ruijie.parse([Source("leaf1.cfg", text)], registry.load("ruijie"))
    return model


def test_ports_policies_and_release() -> None:
    model = read(LEAF)
    assert (model.hostname, model.release, model.remarks) == ("leaf1", "12.5(1)B0401S1", ())
    assert {n: (p.kind, p.bundle) for n, p in model.ports.items()} == {
        "TFGigabitEthernet 0/1": (PortKind.FRONT, None),
        "TFGigabitEthernet 0/2": (PortKind.MEMBER, "AggregatePort 1"),
        "AggregatePort 1": (PortKind.BUNDLE, None),
    }
    assert [(r.kind, r.name, r.resolves) for r in model.references] == [("class-map", "RoCE", True), ("policy-map", "IN", True)]


@pytest.mark.parametrize("line", ["", " qos queue 3 ecn\n", " priority-flow-control enable\n", " mtu 9216\n"])
def test_what_no_source_confirms_is_unknown_and_no_finding_rests_on_it(line: str) -> None:
    """Neither a line nor its absence: a missing PFC line is never taken for PFC that is off."""
    model = read(LEAF.replace(" qos queue 3 ecn\n", line))
    qos = model.ports["TFGigabitEthernet 0/1"].qos
    way = path(qos, dscp=26)
    for value in (way.field, way.tc, way.protected, way.marks, qos.pfc.mode, qos.watchdog.enabled, model.pfc_off):
        assert isinstance(value, Unknown)
    findings = lint(LintRequest((FabricInput("f", (model,)),))).findings
    assert {f.code for f in findings if f.severity.rank == 0} == set()


def test_a_line_about_pfc_is_never_lost_in_silence() -> None:
    for line in ("priority-flow-control enable", "mmu queue-threshold 3", "qos queue 3 wred 10 20", "pfc watch-dog enable"):
        found = read(LEAF.replace(" qos queue 3 ecn\n", f" {line}\n")).remarks
        assert [(r.kind.value, r.origin.at.line) for r in found] == [("unclaimed", 19)], line


def test_the_release_of_a_header_comment() -> None:
    model = read(
        "! System description : Test Switch(S1234) By Ruijie Networks\n! System software version : S_RGOS 11.0(1)\nvlan 1\n"
    )
    assert model.release == "11.0(1)"


def test_it_is_not_rendered() -> None:
    with pytest.raises(UsageError, match="reads ruijie but does not render it"):
        render(read("hostname leaf1\n"), registry.load("ruijie"))


@pytest.mark.parametrize("name", GOLDEN)
def test_remarks_are_the_listed_ones(shared: Callable[[str], Path], name: str) -> None:
    file = shared(f"corpus/ruijie/{name}")
    source = read_source(file)
    found = registry.detect(name, source.text)
    assert found is not None
    assert found.nos == "ruijie"
    (model,) = ruijie.parse([source], registry.load("ruijie"))
    rows = [{"line": r.origin.at.line, "kind": r.kind.value, "shape": r.shape} for r in model.remarks]
    assert rows == [{k: v for k, v in entry.items() if k != "why"} for entry in GOLDEN[name]]


def test_an_unused_policy_is_told(shared: Callable[[str], Path]) -> None:
    """The public document binds its policy to no port."""
    (model,) = ruijie.parse([read_source(shared("corpus/ruijie/real_neonsan_roce_qos.cfg"))], registry.load("ruijie"))
    assert {d.name for d in model.definitions} == {"CNP", "RoCE", "QOS"}
    assert not [r for r in model.references if r.kind == "policy-map"]


WORDS = st.sampled_from(
    ["interface", "TFGigabitEthernet", "0/1", "0/*", "policy-map", "class", "class-map", "match", "ip", "dscp", "26", "qos",
     "queue", "9", "ecn", "service-policy", "input", "no", "port-group", "version", "{{", "\xa0", "banner"]
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.lists(WORDS, min_size=1, max_size=6)), max_size=20))
def test_any_mixture_of_words_is_read(rows: list[tuple[int, list[str]]]) -> None:
    read("\n".join(" " * depth + " ".join(words) for depth, words in rows))
