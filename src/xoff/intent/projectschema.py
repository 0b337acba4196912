"""The JSON Schema of xoff.toml, from the same names and limits that `project` checks by."""

from __future__ import annotations

import json
from typing import Any

from xoff.model.fabric import ClassKind
from xoff.model.finding import Severity

_TEXT = {"type": "string", "pattern": "^[ -~]+$"}
_CODES = {"type": "array", "items": {"type": "string", "pattern": "^[A-Z]{3}[0-9]{3}$"}}
_CODES_OR_FAMILIES = {"type": "array", "items": {"type": "string", "pattern": "^[A-Z]{3}([0-9]{3})?$"}}


def _values(top: int, names: bool) -> dict[str, Any]:
    one: list[dict[str, Any]] = [{"type": "integer", "minimum": 0, "maximum": top}]
    if names:
        one.append({"type": "string"})
    return {"anyOf": [*one, {"type": "array", "items": {"anyOf": one}}]}


def project_schema_json() -> str:
    """The schema as text with a final newline; deterministic. In pyproject.toml it describes [tool.xoff]."""
    device = dict.fromkeys(("match", "nos", "release", "model", "asic", "role", "site"), _TEXT)
    device |= {
        "cable": {"type": "string", "pattern": r"^[0-9.]+\s*(cm|m|km)$"},
        "speed": {"type": "string", "pattern": r"^[0-9.]+\s*[GT]"},
    }
    klass = {
        "kind": {"enum": sorted(k.value for k in ClassKind)},
        "dscp": {**_values(63, True), "description": "DSCPs 0-63, names such as cs3, ranges such as 8-15"},
        "pcp": _values(7, False),
        "priority": {"type": "integer", "minimum": 0, "maximum": 7},
        "lossless": {"type": "boolean", "default": False},
        "ecn": {"type": "boolean", "description": "true: marking is asked for; false: ruled out"},
    }
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "xoff project file",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "classes": {
                "type": "object",
                "description": "What the fabric is meant to carry, by name",
                "additionalProperties": {"type": "object", "additionalProperties": False, "properties": klass},
            },
            "devices": {
                "type": "array",
                "description": "Facts that configurations do not say; the later of two matching entries wins",
                "items": {"type": "object", "additionalProperties": False, "required": ["match"], "properties": device},
            },
            "fabrics": {
                "type": "object",
                "description": "Files that make one fabric: name -> globs below the folder of this file",
                "additionalProperties": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            },
            "require": {**_CODES, "description": "Rules that must be assessable, else COV001"},
            "fail_on": {"enum": [s.value for s in Severity]},
            "select": _CODES_OR_FAMILIES,
            "ignore": _CODES_OR_FAMILIES,
        },
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
