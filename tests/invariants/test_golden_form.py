"""The golden form of SONiC (what git keeps) is as clean against its intent as the running one."""

from __future__ import annotations

from pathlib import Path

import pytest

from xoff.derive import derive_all
from xoff.intent.expand import plan
from xoff.lint.engine import lint
from xoff.lint.result import FabricInput, LintRequest
from xoff.model.switch import Form
from xoff.nos import registry
from xoff.nos.inputs import gather
from xoff.nos.renderer import render

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("name", ["mixed-leaf-spine", "sonic-two-lossless", "explicit-cabling"])
def test_golden_files_of_an_intent_raise_nothing_above_a_note(name: str, tmp_path: Path) -> None:
    asked = plan(str(EXAMPLES / f"{name}.yaml"))
    golden = 0
    for derived in derive_all(asked, Form.GOLDEN).values():
        model = derived.model
        golden += model.form is Form.GOLDEN
        for file, text in render(model, registry.load(model.nos), form=model.form.value).files.items():
            (tmp_path / file).write_text(text, encoding="utf-8")
    assert golden
    read = gather([str(tmp_path)], plan=asked).fabrics[0]
    found = lint(LintRequest((FabricInput(read.name, read.devices, read.links),), plan=asked)).findings
    assert [f.message for f in found if f.severity.rank < 2] == []
