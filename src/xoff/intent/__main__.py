"""`python -m xoff.intent`: write schemas/intent.schema.json and schemas/project.schema.json anew."""

from __future__ import annotations

from xoff.data import SCHEMAS
from xoff.intent.projectschema import project_schema_json
from xoff.intent.schema import schema_json

if __name__ == "__main__":
    (SCHEMAS / "intent.schema.json").write_text(schema_json(), encoding="utf-8")
    (SCHEMAS / "project.schema.json").write_text(project_schema_json(), encoding="utf-8")
