"""What is rendered for Comware is clean, with its intent and without, and one changed line in it is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from xoff.derive import derive_all
from xoff.fabric.planned import PlannedFabric
from xoff.intent.expand import plan
from xoff.lint.engine import lint
from xoff.lint.result import FabricInput, LintRequest, LintResult
from xoff.model.finding import Severity
from xoff.nos import registry
from xoff.nos.inputs import gather
from xoff.nos.renderer import render

INTENT = Path(__file__).parent / "goldens" / "leaf" / "intent.yaml"


@pytest.fixture(scope="module")
def planned() -> PlannedFabric:
    return plan(INTENT)


@pytest.fixture(scope="module")
def files(planned: PlannedFabric) -> dict[str, str]:
    out: dict[str, str] = {}
    for made in derive_all(planned).values():
        out |= render(made.model, registry.load("comware")).files
    return out


def judged(folder: Path, files: dict[str, str], planned: PlannedFabric | None) -> LintResult:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (b,) = gather([str(folder)], plan=planned).fabrics
    given = FabricInput(b.name, b.devices, b.links, b.conflicts, b.problems, b.skipped, b.host_classes)
    return lint(LintRequest((given,), plan=planned))


def test_nothing_is_found_with_the_intent(tmp_path: Path, files: dict[str, str], planned: PlannedFabric) -> None:
    result = judged(tmp_path, files, planned)
    assert [(f.code, f.device, f.message) for f in result.findings] == []
    assert result.fabrics[0].coverage["DRF001"].assessed == len(planned.devices)


def test_nothing_above_a_note_without_it(tmp_path: Path, files: dict[str, str]) -> None:
    result = judged(tmp_path, files, None)
    assert [(f.code, f.message) for f in result.findings if f.severity is not Severity.NOTE] == []
    assert [(c.dscp, c.priority) for c in result.fabrics[0].classes if c.lossless] == [(frozenset({26}), 3)]


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (" import 26 export 3\n", " import 26 export 4\n", "MAP001"),
        (" qos trust dscp\n", " qos trust dot1p\n", "MAP005"),
        (" qos trust dscp\n", "", "MAP005"),
        (" priority-flow-control enable\n", "", "PFC001"),
        (" priority-flow-control no-drop dot1p 3\n", " priority-flow-control no-drop dot1p 4\n", "MAP001"),
        (" priority-flow-control dot1p 3 headroom 895\n", " priority-flow-control dot1p 3 headroom 100\n", "HDR001"),
        (" priority-flow-control dot1p 3 headroom 895\n", " priority-flow-control dot1p 3 headroom 0\n", "HDR002"),
        (" queue 3 ecn\n", "", "ECN004"),
        (" queue 3 low-limit 512 high-limit 1024", " queue 3 low-limit 2048 high-limit 1024", "ECN002"),
        (" qos wred apply XOFF\n", "", "ECN001"),
        (" qos wred apply XOFF\n", " qos wred apply XOF\n", "CFG001"),
        (" priority-flow-control deadlock enable\n", "", "WDG001"),
        ("priority-flow-control deadlock cos 3 interval 10\n", "priority-flow-control deadlock cos 4 interval 10\n", "WDG001"),
        (" priority-flow-control deadlock enable\n", " priority-flow-control deadlock enable\n"
         " priority-flow-control deadlock recover-mode manual\n", "WDG007"),
        (" priority-flow-control enable\n", " priority-flow-contrl enable\n", "CFG003"),
        (" priority-flow-control no-drop dot1p 3\n", " priority-flow-control no-drop dot1p 3 4\n", "CFG004"),
    ],
)  # fmt: skip
def test_one_changed_line_is_found(
    tmp_path: Path, files: dict[str, str], planned: PlannedFabric, before: str, after: str, code: str
) -> None:
    text = files["leaf1.cfg"]
    assert before in text
    result = judged(tmp_path, {**files, "leaf1.cfg": text.replace(before, after)}, planned)
    assert code in {f.code for f in result.findings}
