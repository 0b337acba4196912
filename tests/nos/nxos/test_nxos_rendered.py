"""What we render for NX-OS: it comes back as it went, is clean with its intent and without, and says what it cannot say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from xoff.derive import derive, derive_all
from xoff.errors import CannotExpress
from xoff.fabric.planned import PlannedFabric
from xoff.intent.expand import expand, plan
from xoff.intent.load import loads
from xoff.lint.engine import lint
from xoff.lint.result import LintRequest, LintResult
from xoff.model.fields import same
from xoff.model.finding import Severity
from xoff.model.qos import PfcMode, Static
from xoff.model.quantity import Quantity, Unknown
from xoff.nos import facts, nxos, registry
from xoff.nos.inputs import gather
from xoff.nos.renderer import render
from xoff.nos.source import Source

GOLDENS = Path(__file__).parent / "goldens"
NOS = registry.load("nxos")
#: Intents of the repository, written for other systems; each is told once more with Nexus switches.
EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def as_nexus(text: str) -> str:
    """An example with every switch a Nexus: models, port names and options of other systems are taken out."""
    text = re.sub(r"nos: \w+, model: [\w/-]+", "nos: nxos, model: N9K-C9336C-FX2", text)
    text = re.sub(r"Ethernet\[(\d+)-(\d+)(?::\d+)?\](?:/1)?", lambda m: f"Ethernet1/[{int(m[1]) + 1}-{int(m[2]) + 1}]", text)
    return re.sub(r"Ethernet(\d+)(?:/1)?(?=[\":])", lambda m: f"Ethernet1/{int(m[1]) + 1}", text)


def intents() -> dict[str, PlannedFabric]:
    return {p.name: plan(p / "intent.yaml") for p in sorted(GOLDENS.iterdir())}


INTENTS = intents()


@cache
def files(name: str) -> Mapping[str, str]:
    out: dict[str, str] = {}
    for made in derive_all(INTENTS[name]).values():
        out |= render(made.model, NOS).files
    return out


def linted(folder: Path, texts: Mapping[str, str], fabric: PlannedFabric | None) -> LintResult:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    found = gather([str(folder)], plan=fabric)
    return lint(LintRequest(found.fabrics, plan=fabric), found.line)


@pytest.mark.parametrize("name", INTENTS)
def test_what_is_rendered_comes_back(name: str) -> None:
    for device, made in derive_all(INTENTS[name]).items():
        (text,) = render(made.model, NOS).files.values()
        (found,) = nxos.parse([Source(f"{device}.cfg", text)], NOS, facts.NONE)
        assert same(made.model, found, NOS.can) == []
        assert found.remarks == ()
        assert dict(found.class_mtus) == dict(made.model.class_mtus)
        assert [r.name for r in found.references if r.resolves is not True] == []


@pytest.mark.parametrize("name", INTENTS)
def test_it_is_clean_with_its_intent_and_without(name: str, tmp_path: Path) -> None:
    (tmp_path / "with").mkdir()
    (tmp_path / "without").mkdir()
    result = linted(tmp_path / "with", files(name), INTENTS[name])
    assert [(f.code, f.device, f.message) for f in result.findings] == []
    assert result.fabrics[0].coverage["DRF001"].assessed == len(INTENTS[name].devices)
    loud = [f for f in linted(tmp_path / "without", files(name), None).findings if f.severity is not Severity.NOTE]
    assert [(f.code, f.device, f.message) for f in loud] == []


@pytest.mark.parametrize("name", INTENTS)
def test_the_classes_are_found_again_without_the_intent(name: str, tmp_path: Path) -> None:
    classes = linted(tmp_path, files(name), None).fabrics[0].classes
    found = {(c.dscp, c.priority) for c in classes if c.lossless}
    assert found == {(c.dscp, c.priority) for c in INTENTS[name].classes if c.lossless}


def test_long_cables_get_a_buffer_and_short_ones_are_left_alone() -> None:
    model = derive(INTENTS["border-long"], "spine1").model
    group = model.ports["Ethernet1/49"].qos.groups[3]
    assert isinstance(group.headroom, Quantity)
    assert isinstance(group.threshold, Static)
    assert isinstance(group.xon, Quantity)
    assert group.threshold.limit is not None
    # 800 m at 100G: 8,000 ns on the way and back are 100,000 B that come after the pause, and as many that are given away.
    assert group.headroom.amount > 100_000
    assert group.threshold.limit.amount > group.xon.amount > 100_000
    short = derive(INTENTS["border-long"], "leaf1").model.ports["Ethernet1/1"].qos.groups[3]
    assert (short.headroom_by_device, short.headroom_for_m) == (True, 100)
    assert isinstance(short.headroom, Unknown)
    off = model.ports["Ethernet1/50"].qos
    assert (off.pfc.mode, off.groups[3].lossless) == (PfcMode.OFF, False)


FLOOR = "defaults: {headroom: {preset: floor}}\n"
SMALL = """version: 1
fabric: {{name: t, workload: training}}
classes:
  roce: {{dscp: [26], priority: 3, lossless: true, bandwidth: 60%, ecn: auto}}
switches:
  leaf1: {{role: leaf, nos: nxos, model: N9K-C9336C-FX2{more}}}
hosts: {{name: gpu1, nics: 1, attach: rail{marking}}}
{top}links:
  - {{from: leaf1, to: hosts, ports: {{from: "Ethernet1/1"}}, speed: 100G, cable: {cable}, carries: [roce]}}
"""


def small(more: str = "", top: str = "", cable: str = "3m", marking: str = "") -> PlannedFabric:
    return expand(loads(SMALL.format(more=more, top=top, cable=cable, marking=marking), "t.yaml"))


def text_of(fabric: PlannedFabric) -> str:
    made = derive(fabric, "leaf1")
    (text,) = render(made.model, NOS).files.values()
    (found,) = nxos.parse([Source("leaf1.cfg", text)], NOS, facts.NONE)
    assert same(made.model, found, NOS.can) == []
    return text


def test_a_host_that_marks_the_802_1p_priority_gets_a_cos_class() -> None:
    text = text_of(small(marking=", marking: pcp"))
    assert "class-map type qos match-any XOFF-GROUP3-COS\n  match cos 3\n" in text
    assert "match dscp" not in text


@pytest.mark.parametrize(
    ("fabric", "says"),
    [
        (lambda: small(top="defaults: {mtu: 9300}\n"), "MTU 9300: a network-qos class takes 576 to 9216"),
        (lambda: small(top="defaults: {watchdog: {action: errdisable}}\n"), "NX-OS drops the packets of the stuck queue"),
        (lambda: small(cable="300m"), "headroom preset 'strict' gives no number"),
        (lambda: small(more=', options: {pause_threshold: "9"}', top=FLOOR, cable="300m"), "option pause_threshold is '9'"),
    ],
)  # fmt: skip
def test_what_cannot_be_said_is_refused_by_name(fabric: object, says: str) -> None:
    with pytest.raises(CannotExpress, match=re.escape(says)):
        derive(fabric(), "leaf1")  # type: ignore[operator]


def test_an_own_pause_threshold_is_taken() -> None:
    text = text_of(small(more=', options: {pause_threshold: "200000"}', top=FLOOR, cable="300m"))
    assert " pause-threshold 200000 " in text


def test_watchdog_times_of_the_intent_are_named_as_left_out() -> None:
    made = derive(small(top="defaults: {watchdog: {detect: 400ms, restore: 800ms}}\n"), "leaf1")
    assert {n.what for n in made.notes} >= {"watchdog detect", "watchdog restore"}
    notes = [str(n) for n in render(made.model, NOS).notes]
    assert any("watchdog.detect" in n for n in notes)


def test_same_model_same_bytes() -> None:
    for fabric in INTENTS.values():
        for device in fabric.devices:
            assert render(derive(fabric, device).model, NOS) == render(derive(fabric, device).model, NOS)
