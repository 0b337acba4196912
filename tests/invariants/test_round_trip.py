"""Invariant 1: what is rendered and read again is what it was, as far as the NOS can say it; invariant 4: the same bytes."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.invariants.fabrics import NAMES, fabric, read
from tests.mutation.judge import EXAMPLES
from xoff.derive import derive, derive_all
from xoff.intent.expand import plan
from xoff.model.fields import same
from xoff.nos import registry
from xoff.nos.renderer import render


@pytest.mark.parametrize("name", NAMES)
def test_examples_come_back_as_they_went(name: str) -> None:
    made = derive_all(fabric(name).plan)
    for file in fabric(name).files:
        expected = made[file.device].model
        assert same(expected, read(file.nos, file.name, file.text), registry.load(file.nos).can) == []


@pytest.mark.parametrize("name", NAMES)
def test_same_intent_same_bytes(name: str) -> None:
    again = plan(EXAMPLES[name])
    for file in fabric(name).files[:2]:
        model = derive(again, file.device).model
        assert render(model, registry.load(model.nos)).files[file.name] == file.text


GOLDENS = Path(__file__).resolve().parents[1] / "nos"


def test_every_nos_that_renders_has_an_example() -> None:
    rendered = {f.nos for name in NAMES for f in fabric(name).files}
    renders = {n for n in registry.names() if registry.load(n).kind == "nos" and derived(n) and written(n)}
    assert rendered <= renders
    for nos in renders - rendered:
        # What is still a preview is no example to follow; its own goldens go both ways all the same.
        assert registry.load(nos).maturity != "stable", f"add an intent to examples/ for {nos}: it is derived and rendered"
        assert list((GOLDENS / nos / "goldens").glob("*/intent.yaml")), f"{nos} is rendered and has neither example nor golden"


def derived(nos: str) -> bool:
    return importlib.util.find_spec(f"xoff.derive.{nos.replace('-', '_')}") is not None


def written(nos: str) -> bool:
    package = f"xoff.nos.{nos.replace('-', '_')}"
    return importlib.util.find_spec(package) is not None and importlib.util.find_spec(f"{package}.render") is not None
