"""What is rendered is clean, with its intent and without; what OS10 has no word for is refused by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.rules.case import run
from xoff.derive import derive, derive_all
from xoff.errors import CannotExpress
from xoff.fabric.planned import PlannedFabric
from xoff.intent.expand import plan
from xoff.model.finding import Severity
from xoff.model.frozen import FrozenMap
from xoff.model.qos import PfcMode, PortQos, Static
from xoff.model.quantity import Unit, quantity
from xoff.model.switch import SwitchModel
from xoff.nos import registry
from xoff.nos.renderer import Rendered, render

INTENT = """\
version: 1
fabric: {{name: pod, workload: training}}
classes:
  roce: {{dscp: [26], priority: 3, lossless: true, bandwidth: 60%}}
  cnp:  {{dscp: [48], priority: 6, scheduler: strict}}
defaults: {{mtu: 9216, roce_mtu: 4096}}
switches:
  leaf[1-2]:  {{role: leaf, nos: os10, model: Z9332F-ON{options}}}
  spine[1-2]: {{role: spine, nos: os10, model: Z9332F-ON{options}}}
hosts: {{name: "gpu[1-8]", nics: 1, nic: cx7}}
links:
  - from: "leaf[1-2]"
    to: "spine[1-2]"
    ports: {{from: "ethernet1/1/[31-32]", to: "ethernet1/1/[1-2]"}}
    speed: 400G
    cable: 30m
  - {{from: "leaf[1-2]", to: hosts, ports: {{from: "ethernet1/1/[1-4]"}}, speed: 400G, cable: 3m, carries: [roce, cnp]}}
"""
STATED = ', options: {pause_threshold: "600000"}'


def fabric(folder: Path, options: str = "") -> PlannedFabric:
    file = folder / "intent.yaml"
    file.write_text(INTENT.format(options=options), encoding="utf-8")
    return plan(file)


def written(model: SwitchModel) -> Rendered:
    return render(model, registry.load("os10"))


@pytest.mark.parametrize("options", ["", STATED], ids=["own-sizes", "stated-sizes"])
def test_clean_with_the_intent_and_without(tmp_path: Path, options: str) -> None:
    planned = fabric(tmp_path, options)
    files = {n: t for made in derive_all(planned).values() for n, t in written(made.model).files.items()}
    with_intent = run(tmp_path / "a", files, intent=(tmp_path / "intent.yaml").read_text(encoding="utf-8"))
    assert [(f.code, f.message) for f in with_intent.findings] == []
    without = run(tmp_path / "b", files)
    assert [(f.code, f.message) for f in without.findings if f.severity is not Severity.NOTE] == []


def test_stated_sizes_hold_the_need_of_the_longest_link(tmp_path: Path) -> None:
    made = derive(fabric(tmp_path, STATED), "leaf1")
    groups = {p.qos.groups[3] for p in made.model.ports.values()}
    (group,) = groups  # one policy for all PFC ports
    needs = [n.chosen.value for n in made.numbers.values() if n.chosen is not None]
    assert group.headroom is not None
    assert group.headroom.amount * 1000 >= max(needs)  # type: ignore[union-attr]
    assert group.headroom.amount * 1000 - max(needs) < 1000  # type: ignore[union-attr]
    assert isinstance(group.threshold, Static)
    assert str(group.threshold.limit) == "600 kbytes"
    assert group.xon.amount < 600  # type: ignore[union-attr]
    assert "pause buffer-size" in next(iter(written(made.model).files.values()))


def test_a_threshold_below_what_the_links_need_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotExpress, match="pause_threshold is '9000'"):
        derive(fabric(tmp_path, STATED.replace("600000", "9000")), "leaf1")


def test_what_is_left_to_the_switch_is_said(tmp_path: Path) -> None:
    made = derive(fabric(tmp_path), "leaf1")
    said = {n.what: n.why for n in made.notes}
    assert "no source gives them" in said["headroom and XOFF thresholds"]
    assert "names one" in said["PFC watchdog"]
    notes = {n.what for n in written(made.model).notes}
    assert {"trust dscp-map", "port.speed", "port.cable"} <= notes


def _changed(model: SwitchModel, **changes: Any) -> SwitchModel:
    return replace(model, ports=FrozenMap({n: replace(p, qos=replace(p.qos, **changes)) for n, p in model.ports.items()}))


REFUSED = {
    "PFC mode auto": lambda q: {"pfc": replace(q.pfc, mode=PfcMode.AUTO)},
    "holds qos-groups": lambda q: {"tc_to_group": FrozenMap({**q.tc_to_group, 1: 3})},
    "pauses nobody": lambda q: {"pfc": replace(q.pfc, send=FrozenMap())},
    "stops queues": lambda q: {"pfc": replace(q.pfc, obey=FrozenMap({3: frozenset({4})}))},
    "go to class 1": lambda q: {"classify": replace(q.classify, default_tc=1)},
    "whole percent": lambda q: {"queues": _shares(q)},
    "headroom without a static": lambda q: {
        "groups": FrozenMap({3: replace(q.groups[3], headroom=quantity(9, Unit.KBYTES), threshold=None)})
    },
    "rewriting": lambda q: {"rewrite_dscp": FrozenMap({3: 26})},
}


def _shares(q: PortQos) -> FrozenMap[Any, Any]:
    return FrozenMap(
        {
            k: replace(x, scheduler=replace(x.scheduler, share=quantity(5, Unit.WEIGHT))) if x.scheduler.share else x  # type: ignore[union-attr, arg-type, type-var]
            for k, x in q.queues.items()
        }
    )


@pytest.mark.parametrize("words", sorted(REFUSED))
def test_what_has_no_words_is_refused(tmp_path: Path, words: str) -> None:
    model = derive(fabric(tmp_path), "leaf1").model
    qos = next(iter(model.ports.values())).qos
    with pytest.raises(CannotExpress, match=words):
        written(_changed(model, **REFUSED[words](qos)))
