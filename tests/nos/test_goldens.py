"""Both ways: intent -> model -> files, and files -> model, against golden files (over every example: tests/invariants).

tests/nos/<nos>/goldens/<case>/: `intent.yaml`, `device` (a name in it), `form` (absent: running), `model.yaml`, and `files/`.
`pytest --update-goldens` writes model and files anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import pytest
import yaml

from xoff.derive import derive
from xoff.fabric.planned import PlannedFabric
from xoff.intent.expand import plan
from xoff.model.fields import plain, same
from xoff.model.switch import Form, SwitchModel
from xoff.nos import facts, registry
from xoff.nos.renderer import Rendered, render
from xoff.nos.source import Source

REPO = Path(__file__).resolve().parents[2]
CASES = sorted(p for p in (REPO / "tests" / "nos").glob("*/goldens/*") if p.is_dir())
#: What the device computes by itself in SONiC's dynamic buffer model, and in a golden file, and so no file holds.
BY_DEVICE = frozenset({"group.headroom", "group.reserved", "group.xon", "group.xon_offset"})


@lru_cache(maxsize=8)
def fabric(path: Path) -> PlannedFabric:
    return plan(path)


def both(path: Path, device: str, form: str = "running") -> tuple[SwitchModel, Rendered]:
    model = derive(fabric(path), device, Form(form)).model
    return model, render(model, registry.load(model.nos), form=form)


def read_back(model: SwitchModel, files: Mapping[str, str]) -> SwitchModel:
    """The model that the rendered files give when they are read like anybody's."""
    nos = registry.load(model.nos)
    sources = [Source(name, text) for name, text in files.items() if not name.endswith(".txt")]
    (found,) = registry.module(nos).parse(sources, nos, facts.NONE)
    assert isinstance(found, SwitchModel)
    return found


def fields(model: SwitchModel, form: str) -> list[str]:
    can = registry.load(model.nos).can
    dynamic = any(g.headroom_by_device for p in model.ports.values() for g in p.qos.groups.values())
    return [f for f in can if not (f in BY_DEVICE and (dynamic or form == "golden"))]


@pytest.mark.parametrize("case", CASES, ids=lambda p: f"{p.parents[1].name}-{p.name}")
def test_golden(case: Path, update_goldens: bool) -> None:
    device = (case / "device").read_text(encoding="utf-8").strip()
    form = (case / "form").read_text(encoding="utf-8").strip() if (case / "form").exists() else "running"
    model, rendered = both(case / "intent.yaml", device, form)
    shown = yaml.safe_dump(plain(model), sort_keys=False, allow_unicode=True, width=120)
    files = case / "files"
    if update_goldens:
        (case / "model.yaml").write_text(shown, encoding="utf-8")
        files.mkdir(exist_ok=True)
        for old in files.iterdir():
            old.unlink()
        for name, text in rendered.files.items():
            (files / name).write_text(text, encoding="utf-8")
    assert (case / "model.yaml").read_text(encoding="utf-8") == shown
    golden = {f.name: f.read_text(encoding="utf-8") for f in files.iterdir()}
    assert dict(rendered.files) == golden
    assert same(model, read_back(model, golden), fields(model, form)) == []
