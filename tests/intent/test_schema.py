"""The editor schemas: current, valid, and in agreement with what is read."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from tests.intent.strategies import Drawn, intents
from xoff.data import SCHEMAS
from xoff.intent.document import Document
from xoff.intent.projectschema import project_schema_json
from xoff.intent.schema import schema_json
from xoff.intent.starter import starter

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ERRORS = Path(__file__).parent / "errors"
INTENT = jsonschema.Draft202012Validator(json.loads(schema_json()))


@pytest.mark.parametrize(("file", "text"), [("intent", schema_json()), ("project", project_schema_json())])
def test_the_kept_schema_is_current(file: str, text: str) -> None:
    """`python -m xoff.intent` writes both anew."""
    assert (SCHEMAS / f"{file}.schema.json").read_text(encoding="utf-8") == text


@pytest.mark.parametrize("text", [schema_json(), project_schema_json()])
def test_it_is_a_schema(text: str) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(text))


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.yaml")), ids=lambda p: p.stem)
def test_examples_follow_it(example: Path) -> None:
    INTENT.validate(Document(example.read_text(encoding="utf-8"), example.name).data)


def test_the_starter_follows_it() -> None:
    INTENT.validate(Document(starter(), "intent.yaml").data)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(intents())
def test_random_intents_follow_it(drawn: Drawn) -> None:
    INTENT.validate(yaml.safe_load(drawn.text))


@pytest.mark.parametrize(
    "case",
    ["unit-wrong", "unit-missing", "unit-size-and-time", "cable-missing-unit", "key-misspelt", "wrong-kind", "yes-is-text",
     "newline-in-name", "not-ascii", "version-unknown", "version-and-name-missing", "value-empty"],
)  # fmt: skip
def test_an_editor_sees_these_faults_too(case: str) -> None:
    texts = {"cable-missing-unit": "version: 1\nfabric: {name: a}\nclasses: {}\nlinks: [{cable: 3}]\n"}
    text = texts.get(case) or (ERRORS / f"{case}.yaml").read_text(encoding="utf-8")
    assert list(INTENT.iter_errors(Document(text, case).data))


@pytest.mark.parametrize(
    ("text", "good"),
    [
        (
            '[classes]\nroce = {dscp = [26, "cs3"], priority = 3, lossless = true}\n[[devices]]\nmatch = "leaf*"\n',
            True,
        ),
        ('fail_on = "warning"\nselect = ["PFC", "HDR001"]\nrequire = ["HDR001"]\n[fabrics]\na = ["pod1/*.cfg"]\n', True),
        ("[classes]\nroce = {dscpp = [26]}\n", False),
        ('[[devices]]\nnos = "eos"\n', False),
        ('require = ["HDR"]\n', False),
    ],
)
def test_project_schema(text: str, good: bool) -> None:
    data: dict[str, Any] = tomllib.loads(text)
    assert jsonschema.Draft202012Validator(json.loads(project_schema_json())).is_valid(data) is good
