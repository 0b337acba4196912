"""The round trip over what an intent may say: each variation on each kind of platform comes back as it went."""

from __future__ import annotations

from pathlib import Path

import pytest

from xoff.derive import derive
from xoff.errors import CannotExpress
from xoff.intent.expand import plan
from xoff.model.fields import same
from xoff.nos import registry
from xoff.nos.renderer import Rendered, render

from .test_goldens import fields, read_back

INTENT = """\
version: 1
fabric: {{name: v, workload: {workload}}}
congestion_control: {control}
classes:
  roce: {{dscp: [26], priority: 3, lossless: true, bandwidth: 50%, ecn: {ecn}}}
  cnp:  {{dscp: [48], priority: 6, scheduler: strict}}
{classes}
defaults: {{mtu: 9100, watchdog: {watchdog}, headroom: {{preset: {preset}}}}}
switches:
  leaf1: {{role: leaf, nos: {nos}, model: {model}, ports: {{{up}: {{{port}}}}}}}
  leaf2: {{role: leaf, nos: {nos}, model: {model}}}
hosts: {{name: "gpu[1-2]", nics: 1}}
links:
  - {{from: leaf1, to: leaf2, ports: {{from: "{up}", to: "{up}"}}, speed: 400G, cable: 30m}}
  - {{from: leaf1, to: hosts, ports: {{from: "{down}"}}, speed: {speed}, cable: 3m, carries: [{carries}]}}
"""
PLAIN = {
    "workload": "training",
    "control": "dcqcn",
    "ecn": "auto",
    "classes": "",
    "watchdog": "auto",
    "preset": "strict",
    "port": "",
    "speed": "400G",
    "carries": "roce, cnp",
}
VARIATIONS = [
    {},
    {"watchdog": "off"},
    {"watchdog": "{detect: 300ms, restore: 600ms, poll: 100ms, action: drop}"},
    {"watchdog": "{action: alert}"},
    {"control": "none", "ecn": "off"},
    {"ecn": "{kmin: 200KB, kmax: 2MB, pmax: 20%}"},
    {"classes": "  nvme: {dscp: [28], priority: 4, lossless: true, bandwidth: 20%}"},
    {"classes": "  bulk: {dscp: [8, 10], priority: 1, bandwidth: 10%}"},
    {"carries": "cnp"},
    {"workload": "storage", "speed": "100G"},
    {"preset": "floor"},
    {"port": 'admin: false, description: "spare, do not use"'},
    {"port": "switched: true"},
    {"port": "headroom: 900KB"},
    {"port": "mtu: 4200"},
]
PLATFORMS = [
    ("eos", "DCS-7060X6-64PE", "Ethernet33/1", "Ethernet[1-2]/1"),
    ("eos", "jericho2", "Ethernet33/1", "Ethernet[1-2]/1"),
    ("sonic", "DellEMC-Z9332f-O32", "Ethernet192", "Ethernet[0-8:8]"),
    ("sonic", "ACS-MSN4700", "Ethernet192", "Ethernet[0-8:8]"),
    ("os10", "Z9332F-ON", "ethernet1/1/31", "ethernet1/1/[1-2]"),
]


def intent(folder: Path, nos: str, model: str, up: str, down: str, **changes: str) -> Path:
    file = folder / "intent.yaml"
    file.write_text(INTENT.format(nos=nos, model=model, up=up, down=down, **(PLAIN | changes)), encoding="utf-8")
    return file


@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda p: p[1])
@pytest.mark.parametrize("changes", VARIATIONS, ids=lambda v: "-".join(v) or "plain")
def test_comes_back_as_it_went(tmp_path: Path, platform: tuple[str, str, str, str], changes: dict[str, str]) -> None:
    fabric = plan(intent(tmp_path, *platform, **changes))
    for device in fabric.devices:
        model = derive(fabric, device).model
        files = render(model, registry.load(model.nos)).files
        assert same(model, read_back(model, files), fields(model, "running")) == []


@pytest.mark.parametrize("platform", PLATFORMS[:2], ids=lambda p: p[1])
def test_what_eos_has_no_word_for_is_refused(tmp_path: Path, platform: tuple[str, str, str, str]) -> None:
    """EOS has drop, errdisable and notify-only, no forward; nothing may be written that drops it silently."""
    fabric = plan(intent(tmp_path, *platform, watchdog="{action: forward}"))

    def rendered() -> Rendered:
        model = derive(fabric, "leaf1").model
        return render(model, registry.load(model.nos))

    with pytest.raises(CannotExpress, match="forward"):
        rendered()
