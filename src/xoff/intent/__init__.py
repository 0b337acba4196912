"""The intent: one file that says what a fabric should do. `plan(path)` reads, checks and expands it.

Names are imported when first used: the project file lives here too, and a lint run without an intent must not pay for pydantic.
`load` and `expand` share their names with modules; import them from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xoff.intent.expand import plan
    from xoff.intent.load import Intent, loads
    from xoff.intent.schema import schema_json

__all__ = ["Intent", "loads", "plan", "schema_json"]

_WHERE = {"plan": "expand", "Intent": "load", "loads": "load", "schema_json": "schema"}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"xoff.intent.{_WHERE[name]}"), name)
