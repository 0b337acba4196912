"""Where templates/, schemas/, lint_rules/ and platforms/ lie: inside the wheel as `_data`, or beside `src/` in a checkout."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent
ROOT = _HERE / "_data" if (_HERE / "_data").is_dir() else _HERE.parents[1]
TEMPLATES = ROOT / "templates"
SCHEMAS = ROOT / "schemas"
LINT_RULES = ROOT / "lint_rules"
PLATFORMS = ROOT / "platforms"
