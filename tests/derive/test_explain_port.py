"""explain-port: every number with formula, terms, source and the presets beside it; clear errors for unknown names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from xoff.cli.explain_port import command
from xoff.derive import derive
from xoff.derive.explain import explain_port
from xoff.errors import UsageError

from .plans import pair

INTENT = """version: 1
fabric: {name: t, workload: training}
classes:
  roce: {dscp: [26], priority: 3, lossless: true, bandwidth: 60%, ecn: auto}
  cnp:  {dscp: [48], priority: 6, scheduler: strict}
switches:
  leaf1: {role: leaf, nos: sonic, model: MSN4700, options: {buffer_model: traditional}}
  spine1: {role: spine, nos: eos, model: DCS-7260CX3-64}
links:
  - {from: leaf1, to: spine1, ports: {from: Ethernet0, to: Ethernet1/1}, speed: 100G, cable: 40m}
"""


@pytest.fixture
def intent(tmp_path: Path) -> str:
    file = tmp_path / "pod.yaml"
    file.write_text(INTENT, encoding="utf-8")
    return str(file)


def test_json_holds_every_number_with_its_terms(intent: str) -> None:
    result = CliRunner().invoke(command, [intent, "leaf1", "Ethernet0", "--format", "json"])
    assert result.exit_code == 0, result.output
    out = json.loads(result.output)
    assert (out["device"], out["port"], out["speed_mbps"], out["cable_m"]) == ("leaf1", "Ethernet0", 100_000, 40)
    fields = {v["field"]: v for v in out["values"]}
    headroom = fields["group.3.headroom"]
    assert headroom["terms"]
    assert headroom["sources"]
    assert headroom["value"].endswith(" bytes")
    for wanted in ("queue.unicast.3.kmin", "queue.unicast.3.kmax", "watchdog.detect", "group.3.threshold", "classify.dscp.26"):
        assert wanted in fields
    assert set(out["presets"]) == {"floor", "strict", "nvidia", "ieee", "table"}
    assert out["presets"]["floor"] < out["presets"]["nvidia"]
    assert out["shipped"]["lowest"]["xoff"] <= out["shipped"]["highest"]["xoff"]
    assert out["shipped"]["own"]["table"]
    assert {p["field"] for p in out["pools"]} >= {"pool ingress_lossless_pool"}


def test_presets_beside_are_the_ones_that_derive_uses(intent: str) -> None:
    plan = pair()
    d = derive(plan, "leaf1")
    e = explain_port(plan, "leaf1", "Ethernet64")
    chosen = d.numbers["Ethernet64"].chosen
    assert chosen is not None
    assert e.presets["strict"] == chosen.value
    assert str(e.presets["nvidia"]).startswith("not available")


def test_text_shows_formula_terms_and_resolves_sources(intent: str) -> None:
    result = CliRunner().invoke(command, [intent, "spine1", "Ethernet1/1"])
    assert result.exit_code == 0, result.output
    text = result.output
    assert "group.3.headroom = " in text
    assert "cable, both ways" in text
    assert "headroom of this link under each preset" in text
    numbers = {int(x.split("]")[0]) for x in text.split("[")[1:] if x.split("]")[0].isdigit()}
    listed = text.partition("\nsources\n")[2]
    assert numbers == {int(line.split("]")[0].strip().lstrip("[")) for line in listed.splitlines() if line.strip()}


def test_unknown_names_say_what_is_near() -> None:
    with pytest.raises(UsageError, match="did you mean leaf2 or leaf1"):
        explain_port(pair(), "leaf3", "Ethernet0")
    with pytest.raises(UsageError, match="leaf1 has no port 'Ethernet1'"):
        explain_port(pair(), "leaf1", "Ethernet1")


def test_a_wrong_intent_is_exit_2_with_its_place(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text(INTENT.replace("speed: 100G", "speed: fast"), encoding="utf-8")
    result = CliRunner().invoke(command, [str(bad), "leaf1", "Ethernet0"])
    assert result.exit_code == 2
    assert "bad.yaml:10" in result.output
