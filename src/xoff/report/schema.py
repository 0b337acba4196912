"""Generates `schemas/findings.schema.json` from the types in `contract`: `python -m xoff.report.schema` prints it."""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import Any, get_type_hints


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the contract, descriptions included. Unknown keys are allowed: the contract grows."""
    from pydantic import TypeAdapter

    from xoff.report import contract

    out: dict[str, Any] = TypeAdapter(contract.Document).json_schema(mode="serialization")
    _describe(out, contract.Document, contract)
    for name, body in out.get("$defs", {}).items():
        _describe(body, getattr(contract, name), contract)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "findings.schema.json",
        **out,
        "title": "xoff findings/1",
    }


def _describe(body: dict[str, Any], kind: Any, module: ModuleType) -> None:
    """Lay the contract's own words beside each property."""
    hints = get_type_hints(kind, vars(module), include_extras=True)
    for name, hint in hints.items():
        words = [m for m in getattr(hint, "__metadata__", ()) if isinstance(m, str)]
        if words:
            body["properties"][name]["description"] = words[0]
    for prop in body["properties"].values():
        prop.pop("title", None)


def text() -> str:
    """The file as it lies in schemas/."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text())
