"""The intent: one file that says what a fabric should do. `plan(path)` reads, checks and expands it."""

from __future__ import annotations

from xoff.intent.expand import expand, plan
from xoff.intent.load import Intent, load, loads
from xoff.intent.schema import schema_json

__all__ = ["Intent", "expand", "load", "loads", "plan", "schema_json"]
