"""What we render is, by our own rules of sizes, sound: for every platform that can be rendered, with the intent and without."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.case import run
from xoff.derive import derive
from xoff.intent.expand import plan as load_plan
from xoff.model.finding import Severity
from xoff.nos.registry import load as load_nos
from xoff.nos.renderer import render

RULES = ("HDR", "BUF", "ECN003", "ECN006", "ECN007", "ECN008", "ECN009")
MODELS = (
    ("sonic", "Arista-7050CX3-32S-C32", "100G"),
    ("sonic", "DCS-7060CX-32S", "100G"),
    ("sonic", "Arista-7260CX3-C64", "100G"),
    ("sonic", "DellEMC-Z9332f-O32", "400G"),
    ("sonic", "Arista-7060X6-64PE-256x200G", "200G"),
    ("sonic", "DCS-7060X6-64PE", "800G"),
    ("sonic", "Z9664F-ON", "400G"),
    ("sonic", "7220 IXR-D4", "100G"),
    ("sonic", "ACS-MSN2700", "100G"),
    ("sonic", "MSN4700", "400G"),
    ("sonic", "SN5600", "400G"),
    ("eos", "DCS-7260CX3-64", "100G"),
    ("eos", "DCS-7060CX-32S", "100G"),
    ("eos", "DCS-7050CX3-32S", "100G"),
    ("eos", "DCS-7060X6-64PE", "400G"),
    ("eos", "7800R3-48CQ2-LC", "100G"),
)
PORTS = {
    "sonic": ("Ethernet64", "Ethernet[0-4:4]", "Ethernet[0-12:4]"),
    "eos": ("Ethernet17/1", "Ethernet[1-2]/1", "Ethernet[1-4]/1"),
}


def intent(nos: str, model: str, speed: str, preset: str) -> str:
    up, down, hosts = PORTS[nos]
    return f"""version: 1
fabric: {{name: pod, workload: training}}
classes:
  roce: {{dscp: [26], priority: 3, lossless: true, bandwidth: 60%, ecn: auto}}
  cnp: {{dscp: [48], priority: 6, scheduler: strict}}
  default: {{priority: 0, bandwidth: rest}}
defaults: {{mtu: 9100, headroom: {{preset: {preset}}}}}
switches:
  leaf[1-2]: {{role: leaf, nos: {nos}, model: {model}}}
  spine1: {{role: spine, nos: {nos}, model: {model}}}
hosts: {{name: "gpu[1-8]", nics: 1, attach: rail}}
links:
  - {{from: "leaf[1-2]", to: spine1, ports: {{from: "{up}", to: "{down}"}}, speed: {speed}, cable: 300m}}
  - {{from: "leaf[1-2]", to: hosts, ports: {{from: "{hosts}"}}, speed: {speed}, cable: 3m}}
"""


@pytest.mark.parametrize("preset", ["strict", "floor"])
@pytest.mark.parametrize(("nos", "model", "speed"), MODELS, ids=[f"{n}-{m}" for n, m, _ in MODELS])
def test_rendered_sizes_are_sound(nos: str, model: str, speed: str, preset: str, tmp_path: Path) -> None:
    text = intent(nos, model, speed, preset)
    (tmp_path / "i.yaml").write_text(text, encoding="utf-8")
    plan = load_plan(tmp_path / "i.yaml")
    files: dict[str, str] = {}
    for name in plan.devices:
        made = derive(plan, name).model
        files |= {k: v for k, v in render(made, load_nos(made.nos)).files.items() if not k.endswith(".md")}
    for folder in ("with", "without"):
        (tmp_path / folder).mkdir()
    got = run(tmp_path / "with", files, select=RULES, intent=text)
    assert [f"{f.code} {f.severity} {f.message}" for f in got.findings] == []
    assert got.result.fabrics[0].coverage["HDR002"].assessed > 0
    alone = run(tmp_path / "without", files, select=RULES)
    assert [f"{f.code} {f.message}" for f in alone.findings if f.severity is not Severity.NOTE] == []
