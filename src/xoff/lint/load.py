"""Finds rule files: lint_rules/<family>/CODE_slug.py, each with one Rule subclass. No registry."""

from __future__ import annotations

import importlib.util
import re
import sys
from functools import cache
from pathlib import Path

from xoff.data import LINT_RULES
from xoff.lint.rules import Rule

_NAME = re.compile(r"^([A-Z]{3}\d{3})_[a-z0-9_]+\.py$")


@cache
def rule_files(folder: Path = LINT_RULES) -> dict[str, Path]:
    """Code -> file, sorted by code. Raises ValueError where two files claim one code."""
    found: dict[str, Path] = {}
    for path in sorted(folder.glob("*/*.py")):
        match = _NAME.match(path.name)
        if match:
            code = match.group(1)
            if code in found:
                raise ValueError(f"{path} and {found[code]} both claim {code}")
            found[code] = path
    return dict(sorted(found.items()))


@cache
def load_rule(path: Path) -> type[Rule]:
    """The Rule subclass of one file. Raises ValueError where there is not exactly one, or its code is not the file's."""
    name = f"xoff_lint_rules.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    rules = [v for v in vars(module).values() if isinstance(v, type) and issubclass(v, Rule) and v.__module__ == name]
    if len(rules) != 1 or rules[0].code != path.stem[:6]:
        raise ValueError(f"{path} must hold exactly one Rule, of code {path.stem[:6]}")
    return rules[0]


def rules(select: tuple[str, ...] = (), ignore: tuple[str, ...] = ()) -> tuple[Rule, ...]:
    """Instances of the selected rules, by code. The longest matching prefix of code or whole name wins; `ALL` is every rule."""
    return tuple(
        load_rule(path)() for code, path in rule_files().items() if selected(code, load_rule(path).name, select, ignore)
    )


def selected(code: str, name: str, select: tuple[str, ...], ignore: tuple[str, ...]) -> bool:
    """Whether a rule runs under these options; at equal length ignore wins."""

    def length(items: tuple[str, ...]) -> int:
        hits = [6 if s == name else len(s) if code.startswith(s.upper()) else 0 if s.upper() == "ALL" else -1 for s in items]
        return max(hits, default=-1)

    chosen = length(select) if select else 0
    return chosen >= 0 and chosen > length(ignore)


def page(code: str) -> str | None:
    """The rule's page (markdown), None where the code is not known."""
    path = rule_files().get(code.upper())
    if path is None:
        return None
    text = path.with_suffix(".md")
    return text.read_text(encoding="utf-8") if text.exists() else ""
