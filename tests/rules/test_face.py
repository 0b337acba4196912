"""Rule files see the linter through one face: they import `xoff.lint.rules` and the standard library, nothing else."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

from xoff.data import LINT_RULES

FILES = sorted(LINT_RULES.glob("*/*.py"))
#: Standard library that reaches outside: a rule judges what it is given.
OUTSIDE = frozenset({"os", "sys", "subprocess", "socket", "pathlib", "io", "shutil", "tempfile", "importlib", "pickle", "time"})


def foreign(source: str) -> list[str]:
    """What a rule file imports and may not."""
    out = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ["." * node.level + (node.module or "")]
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("__import__", "eval", "exec", "open")
        ):
            names = [node.func.id]
        else:
            continue
        for name in names:
            top = name.partition(".")[0]
            if name != "xoff.lint.rules" and (top not in sys.stdlib_module_names or top in OUTSIDE):
                out.append(name)
    return out


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_rule_imports_the_face_alone(file: Path) -> None:
    assert foreign(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from xoff.lint.rules import Rule\nimport re\nfrom collections.abc import Iterator", []),
        ("from xoff.model.qos import Pfc", ["xoff.model.qos"]),
        ("import xoff.lint.engine", ["xoff.lint.engine"]),
        ("from . import helper", ["."]),
        ("import os.path", ["os.path"]),
        ("def f():\n    import numpy", ["numpy"]),
        ("open('/etc/passwd')", ["open"]),
        ("__import__('os')", ["__import__"]),
    ],
)
def test_the_check_itself(source: str, found: list[str]) -> None:
    assert foreign(source) == found


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_no_class_is_named_by_its_number(file: Path) -> None:
    """Classes come from `fabric.classes`; the values of conventions have no place in a rule."""
    numbers = [n.value for n in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(n, ast.Constant)]
    assert not {24, 26, 48} & {n for n in numbers if isinstance(n, int) and not isinstance(n, bool)}


def test_every_file_in_the_folder_is_a_rule() -> None:
    strange = [f.name for f in FILES if not re.fullmatch(r"[A-Z]{3}\d{3}_[a-z0-9_]+\.py", f.name)]
    assert strange == []


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_rule_lies_in_its_family_and_has_a_page(file: Path) -> None:
    assert file.parent.name == file.name[:3].lower()
    page = file.with_suffix(".md")
    assert page.exists(), f"{file.stem} has no page"
    assert file.stem[:6] in page.read_text(encoding="utf-8").split("\n", 1)[0]
