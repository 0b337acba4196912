"""Every rendered SONiC file is valid by SONiC's own YANG modules, where yanglint and the modules are there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from xoff.derive import derive
from xoff.intent.expand import plan
from xoff.nos import registry
from xoff.nos.registry import Nos
from xoff.nos.renderer import render

from . import models
from .yang import yanglint

REPO = Path(__file__).resolve().parents[3]
EXAMPLES = sorted(p for p in (REPO / "examples").glob("*.yaml") if "nos: sonic" in p.read_text(encoding="utf-8"))
CASES = sorted((REPO / "tests" / "nos" / "sonic" / "goldens").iterdir())
pytestmark = pytest.mark.skipif(shutil.which("yanglint") is None, reason="yanglint (Debian: libyang2-tools) is not installed")


def tables(nos: Callable[[str], Nos], dynamic: bool, form: str) -> Any:
    return json.loads(render(models.sonic(dynamic=dynamic), nos("sonic"), form=form).files["leaf01.json"])


@pytest.mark.parametrize(("dynamic", "form"), [(False, "running"), (False, "golden"), (True, "running")])
def test_hand_built_leaf_is_valid(
    nos: Callable[[str], Nos], shared: Callable[[str], Path], tmp_path: Path, dynamic: bool, form: str
) -> None:
    assert yanglint(tables(nos, dynamic, form), shared("yang/sonic"), tmp_path) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_every_example_is_valid(shared: Callable[[str], Path], tmp_path: Path, real_platforms: None, path: Path) -> None:
    fabric = plan(path)
    for name, device in fabric.devices.items():
        if device.nos == "sonic":
            files = render(derive(fabric, name).model, registry.load("sonic")).files
            assert yanglint(json.loads(files[f"{name}.json"]), shared("yang/sonic"), tmp_path) == [], name


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.name)
def test_every_golden_file_is_valid(shared: Callable[[str], Path], tmp_path: Path, case: Path) -> None:
    (file,) = (case / "files").glob("*.json")
    assert yanglint(json.loads(file.read_text(encoding="utf-8")), shared("yang/sonic"), tmp_path) == []


def test_yanglint_does_look(nos: Callable[[str], Nos], shared: Callable[[str], Path], tmp_path: Path) -> None:
    """A reference to nothing has to be found, or the test above proves nothing."""
    broken = tables(nos, False, "running")
    broken["QUEUE"]["Ethernet0|3"]["wred_profile"] = "NOT_THERE"
    assert yanglint(broken, shared("yang/sonic"), tmp_path)
