"""The JSON contract: valid against its schema, complete, deterministic, harmless."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from xoff.data import SCHEMAS
from xoff.lint.result import LintResult
from xoff.report import json as report
from xoff.report import schema

WANTED = (
    *("code", "name", "severity", "confidence", "impact", "message", "device", "ports", "priority", "class", "location"),
    *("related", "observed", "expected", "unit", "why", "basis", "fix", "implied_by", "fingerprint", "suppressed", "help"),
)
HOSTILE = "x\x1b[2J\x07\u202e\u2028\r\n<script>::error::\x85\ud800"


def load(result: LintResult) -> dict[str, Any]:
    out: dict[str, Any] = json.loads(report.text(result, 1))
    return out


def test_the_schema_file_is_what_the_types_say() -> None:
    assert (SCHEMAS / "findings.schema.json").read_text(encoding="utf-8") == schema.text(), "stale: run `make schemas`"


def test_every_field_is_described() -> None:
    for name, body in schema.schema()["$defs"].items():
        missing = [k for k, v in body["properties"].items() if "description" not in v and "$ref" not in v]
        assert missing in ([], ["errors", "warnings", "notes"]), name


def test_document_is_valid(result: LintResult) -> None:
    jsonschema.Draft202012Validator(json.loads(schema.text())).validate(load(result))


def test_the_schema_refuses_what_it_should(result: LintResult) -> None:
    check = jsonschema.Draft202012Validator(json.loads(schema.text()))
    for breakage in ({"severity": "fatal"}, {"ports": "Ethernet1"}, {"message": None}):
        doc = load(result)
        doc["findings"][0].update(breakage)
        assert not check.is_valid(doc), breakage
    doc = load(result)
    del doc["findings"][0]["fingerprint"]
    assert not check.is_valid(doc)


def test_contract_keys(result: LintResult) -> None:
    doc = load(result)
    assert list(doc) == ["version", "tool", "fabric", "classes", "findings", "coverage", "facts_missing", "summary"]
    assert doc["version"] == "findings/1"
    assert set(WANTED) <= set(doc["findings"][0])
    assert {"file", "line", "end_line"} <= set(doc["findings"][0]["location"])
    assert set(doc["findings"][0]["fix"]) == {"lines", "cost"}


def test_ports_are_never_folded_and_in_natural_order(result: LintResult) -> None:
    ports = load(result)["findings"][0]["ports"]
    assert ports[:2] == ["Ethernet1/1", "Ethernet2/1"]
    assert len(ports) == 32


def test_coverage_adds_up(result: LintResult) -> None:
    doc = load(result)
    assert doc["coverage"]["rules"]["HDR001"]["not_assessed"] == {
        "the ASIC is not known": 40,
        "the cable's length is not known": 26,
    }
    assert doc["coverage"]["total"] == 66 + 66 + 66
    assert doc["summary"]["line"].endswith("assessed 132 of 198 checks; missing: ASIC 40, cable 26")
    assert {k: v for k, v in doc["coverage"]["skipped"][1].items() if k != "reason"} == {
        "file": "configs/core.cfg",
        "problem": True,
    }


def test_implied_and_suppressed_do_not_count(result: LintResult) -> None:
    summary = load(result)["summary"]
    assert (summary["errors"], summary["warnings"], summary["implied"], summary["suppressed"]) == (3, 1, 2, 1)


def test_a_cause_counts_with_the_worst_it_explains(result: LintResult) -> None:
    fabric = result.fabrics[0]
    from xoff.model.finding import Severity

    milder = tuple(replace(f, severity=Severity.WARNING) if f.code == "MAP001" else f for f in fabric.findings)
    summary = load(LintResult((replace(fabric, findings=milder),)))["summary"]
    assert (summary["errors"], summary["warnings"]) == (3, 1)


def test_what_a_suppressed_cause_implied_stands_in_its_own_right(result: LintResult) -> None:
    from xoff.model.finding import Suppressed

    fabric = result.fabrics[0]
    muted = tuple(replace(f, suppressed=Suppressed("x", "y")) if f.code == "MAP001" else f for f in fabric.findings)
    summary = load(LintResult((replace(fabric, findings=muted),)))["summary"]
    assert (summary["errors"], summary["implied"], summary["suppressed"]) == (3, 0, 3)


def test_same_input_same_bytes(result: LintResult) -> None:
    assert report.text(result, 1) == report.text(result, 1)


@pytest.mark.parametrize("field", ["message", "observed", "why", "device"])
def test_control_characters_become_visible(result: LintResult, field: str) -> None:
    fabric = result.fabrics[0]
    bad = replace(fabric, findings=(replace(fabric.findings[0], **{field: HOSTILE}),), name=HOSTILE)
    raw = report.text(LintResult((bad,)), 1)
    assert not set("\x1b\x07\u202e\u2028\r\x85") & set(raw)
    raw.encode("utf-8")  # no lone surrogate got through
    found = json.loads(raw)["findings"][0][field]
    assert found == "x\\x1b[2J\\x07\\u202e\\u2028\\x0d\\x0a<script>::error::\\x85\\ud800"


def test_secrets_in_quoted_lines_are_masked(result: LintResult) -> None:
    from xoff.model.finding import Place
    from xoff.model.origin import FileLine

    fabric = result.fabrics[0]
    place = Place(FileLine("a.cfg", 1), "username admin secret sha512 $6$abc priority-flow")
    bad = replace(fabric, findings=(replace(fabric.findings[0], location=place),))
    doc = load(LintResult((bad,)))
    assert doc["findings"][0]["location"]["text"] == "username admin secret sha512 *** priority-flow"
