"""Generates schemas/ from the types of the contracts: `python -m xoff.report.schema [findings | headroom]` prints one."""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import Any, get_type_hints


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the contract findings/1."""
    from xoff.report import contract

    return _schema(contract.Document, contract, "findings", "xoff findings/1")


def headroom_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the contracts headroom/1 and headroom-sweep/1."""
    from xoff.report import headroom_contract as contract

    return _schema(contract.HeadroomOut | contract.SweepOut, contract, "headroom", "xoff headroom/1, headroom-sweep/1")


def _schema(kind: Any, module: ModuleType, name: str, title: str) -> dict[str, Any]:
    """The schema of a type, descriptions included. Unknown keys are allowed: the contracts grow."""
    from pydantic import TypeAdapter

    out: dict[str, Any] = TypeAdapter(kind).json_schema(mode="serialization")
    if "properties" in out:
        _describe(out, kind, module)
    for part, body in out.get("$defs", {}).items():
        _describe(body, getattr(module, part), module)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{name}.schema.json",
        **out,
        "title": title,
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


def text(which: str = "findings") -> str:
    """The file as it lies in schemas/: `findings` or `headroom`."""
    body = headroom_schema() if which == "headroom" else schema()
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text(*sys.argv[1:2]))
