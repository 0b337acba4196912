"""Drift on files rendered on the spot: what is rendered does not differ, every change of it does, for both NOSes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.rules.case import run
from xoff.derive import derive_all
from xoff.intent.expand import plan as load_plan
from xoff.model.finding import Finding, Severity
from xoff.nos import registry, renderer

INTENT = """\
version: 1
fabric: {{name: pod, workload: training}}
classes:
  roce: {{dscp: [26], priority: 3, lossless: true, bandwidth: 60%}}
  cnp: {{dscp: [48], priority: 6, scheduler: strict}}
defaults: {{mtu: 9100, roce_mtu: 4096}}
switches:
  leaf1: {{role: leaf, nos: {nos}, model: {model}}}
hosts: {{name: "gpu[1-2]", nics: 1}}
links:
  - {{from: leaf1, to: hosts, ports: {{from: "{ports}"}}, speed: 400G, cable: 5m, carries: [roce, cnp]}}
"""
SWITCHES = {
    "eos": ("DCS-7060X6-64PE", "Ethernet[1-2]/1", "leaf1.cfg"),
    "sonic": ("DellEMC-Z9332f-O32", "Ethernet[0-8:8]", "config_db.json"),
}


@cache
def rendered(nos: str, folder: Path) -> tuple[str, str]:
    """The intent of one leaf and its configuration."""
    model, ports, _ = SWITCHES[nos]
    intent = INTENT.format(nos=nos, model=model, ports=ports)
    (folder / "intent.yaml").write_text(intent, encoding="utf-8")
    made = derive_all(load_plan(folder / "intent.yaml"))["leaf1"]
    files = renderer.render(made.model, registry.load(nos)).files
    return intent, next(text for name, text in files.items() if not name.endswith(".txt"))


def drift(nos: str, folder: Path, old: str = "", new: str = "") -> list[Finding]:
    intent, text = rendered(nos, folder)
    assert old in text
    got = run(folder, {SWITCHES[nos][2]: text.replace(old, new) if old else text}, intent=intent)
    return [f for f in got.findings if f.code == "DRF001"]


@pytest.mark.parametrize("nos", sorted(SWITCHES))
def test_what_is_rendered_is_what_is_meant(nos: str, tmp_path: Path) -> None:
    intent, text = rendered(nos, tmp_path)
    got = run(tmp_path, {SWITCHES[nos][2]: text}, intent=intent)
    assert [f.message for f in got.findings] == []
    assert got.result.fabrics[0].coverage["DRF001"].assessed == 1


@pytest.mark.parametrize(
    ("nos", "old", "new", "severity", "message"),
    [
        ("sonic", '"26": "3"', '"26": "1"', Severity.ERROR, "DSCP 26: traffic class: 1; the intent makes it 3"),
        ("sonic", '"48": "6"', '"48": "5"', Severity.WARNING, "DSCP 48: traffic class: 5; the intent makes it 6"),
        ("sonic", '"20": "0"', '"20": "1"', Severity.NOTE, "DSCP 20: traffic class: 1; the intent makes it 0"),
        ("sonic", '"20": "0"', '"20": "3"', Severity.ERROR, "DSCP 20: traffic class: 3; the intent makes it 0"),
        ("sonic", '"pfc_enable": "3"', '"pfc_enable": "4"', Severity.ERROR, "no-drop priorities 4 (intent: 3)"),
        (
            "sonic",
            '"action": "drop"',
            '"action": "forward"',
            Severity.ERROR,
            "watchdog action: forward; the intent makes it drop",
        ),
        ("sonic", '"ecn": "ecn_all"', '"ecn": "ecn_none"', Severity.ERROR, "ECN marking no (intent: yes)"),
        ("eos", "no-drop", "drop", Severity.ERROR, "no-drop priorities none (intent: 3)"),
        ("eos", "   priority-flow-control on\n", "", Severity.ERROR, "PFC: off by default; the intent makes it on"),
        ("eos", "hostname leaf1\n", "hostname leaf1\n!\npriority-flow-control all off\n", Severity.ERROR, "PFC switched off"),
        ("eos", "mtu 9100", "mtu 1500", Severity.WARNING, "MTU: 1500 bytes; the intent makes it 9100 bytes"),
    ],
)
def test_a_change(nos: str, old: str, new: str, severity: Severity, message: str, tmp_path: Path) -> None:
    found = [f for f in drift(nos, tmp_path, old, new) if message in f.message]
    assert [f.severity for f in found] == [severity], [f.message for f in drift(nos, tmp_path, old, new)]


def test_all_ports_of_a_change_are_one_finding(tmp_path: Path) -> None:
    found = [f for f in drift("sonic", tmp_path, '"26": "3"', '"26": "1"') if "DSCP" in f.message]
    assert [(f.ports, f.device) for f in found] == [(("Ethernet0", "Ethernet8"), "leaf1")]


def test_an_unlisted_dscp_is_a_line_left_out(tmp_path: Path) -> None:
    """What SONiC does with a value that the map does not list is not confirmed; that the intent lists it is certain."""
    (found,) = drift("sonic", tmp_path, '"26": "3",', "")
    assert found.severity is Severity.WARNING
    assert "DSCP 26" in found.message


def test_the_fingerprint_stays_when_lines_move(tmp_path: Path) -> None:
    first = drift("eos", tmp_path, "mtu 9100", "mtu 1500")
    second = drift("eos", tmp_path, "mtu 9100", "description x\n   mtu 1500")
    assert {f.fingerprint for f in first} == {f.fingerprint for f in second}
