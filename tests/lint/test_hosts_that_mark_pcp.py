"""A host of the intent that marks the 802.1p priority: its port reads that by design, which is no fault (MAP005, CNP001)."""

from __future__ import annotations

from pathlib import Path

import pytest

from xoff.derive import derive_all
from xoff.intent import loads
from xoff.intent.expand import expand
from xoff.lint.engine import lint
from xoff.lint.result import FabricInput, LintRequest
from xoff.nos import registry
from xoff.nos.inputs import gather
from xoff.nos.renderer import render

INTENT = """\
version: 1
fabric: {{name: f, workload: training}}
classes:
  roce: {{dscp: [26], priority: 3, lossless: true, bandwidth: 50%}}
  cnp:  {{dscp: [48], priority: 6, scheduler: strict}}
switches:
  leaf1:  {{role: leaf, {leaf}}}
  spine1: {{role: spine, nos: eos, model: DCS-7060X6-64PE}}
hosts: {{name: gpu1, nics: 1, nic: cx7, marking: {marking}}}
links:
  - {{from: leaf1, to: spine1, ports: {{from: "{up}", to: "Ethernet1/1"}}, speed: 400G, cable: 30m}}
  - {{from: leaf1, to: hosts, ports: {{from: "{down}"}}, speed: 400G, cable: 3m, carries: [roce, cnp]}}
"""
LEAVES = {
    "sonic": ("nos: sonic, model: DellEMC-Z9332f-O32", "Ethernet192", "Ethernet0"),
    "eos": ("nos: eos, model: DCS-7060X6-64PE", "Ethernet33/1", "Ethernet1/1"),
}


def _codes(folder: Path, nos: str, written: str, judged: str) -> set[str]:
    """Codes of errors and warnings where hosts were rendered as marking one field and are judged as marking another."""
    leaf, up, down = LEAVES[nos]
    plans = [expand(loads(INTENT.format(leaf=leaf, up=up, down=down, marking=m))) for m in (written, judged)]
    for derived in derive_all(plans[0]).values():
        for name, text in render(derived.model, registry.load(derived.model.nos)).files.items():
            (folder / name).write_text(text, encoding="utf-8")
    read = gather([str(folder)], plan=plans[1]).fabrics[0]
    given = FabricInput(read.name, read.devices, read.links)
    found = lint(LintRequest((given,), plan=plans[1])).findings
    return {f.code for f in found if f.severity.rank < 2}


@pytest.mark.parametrize("nos", LEAVES)
def test_reading_the_priority_of_such_a_host_is_no_fault(tmp_path: Path, nos: str) -> None:
    assert not _codes(tmp_path, nos, "pcp", "pcp") & {"MAP001", "MAP005", "CNP001", "PFC001", "ECN001"}


@pytest.mark.parametrize("nos", LEAVES)
def test_reading_the_priority_of_a_host_that_marks_dscp_is_one(tmp_path: Path, nos: str) -> None:
    assert "MAP005" in _codes(tmp_path, nos, "pcp", "dscp")
