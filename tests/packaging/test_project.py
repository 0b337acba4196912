"""What the packaging promises: declared dependencies, the doors, targets that the README names, data inside the wheel."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REPO = Path(__file__).resolve().parents[2]
#: Import name -> distribution, where they differ.
NAMES = {"yaml": "pyyaml", "typing_extensions": "typing-extensions", "ruamel": "ruamel.yaml"}


@pytest.fixture(scope="module")
def pyproject() -> dict[str, Any]:
    return tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))


def imports(file: Path) -> Iterator[str]:
    """Top names of absolute imports, those inside functions too."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        yield from imported_by(node)


def imported_by(node: ast.AST) -> Iterator[str]:
    """Top names of what this statement itself imports."""
    if isinstance(node, ast.Import):
        yield from (a.name.partition(".")[0] for a in node.names)
    elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
        yield node.module.partition(".")[0]


def requirements(entries: list[str]) -> set[str]:
    return {re.split(r"[<>=!~\[ ;]", e, maxsplit=1)[0].lower() for e in entries}


def test_what_is_imported_is_declared(pyproject: dict[str, Any]) -> None:
    declared = requirements(pyproject["project"]["dependencies"])
    extras = set().union(
        *(requirements(e) for name, e in pyproject["project"]["optional-dependencies"].items() if name != "dev")
    )
    files = [*(REPO / "src").rglob("*.py")]
    used = {n for f in files for n in imports(f)} - set(sys.stdlib_module_names) - {"xoff"}
    assert {NAMES.get(n, n) for n in used} - declared - extras == set()
    # what an extra brings is imported by the function that needs it, which says so where it is missing
    first = {n for f in files for node in ast.parse(f.read_text(encoding="utf-8")).body for n in imported_by(node)}
    assert {NAMES.get(n, n) for n in first} & extras == set()


def test_every_release_of_python_from_3_11_may_be_used(pyproject: dict[str, Any]) -> None:
    assert pyproject["project"]["requires-python"] == ">=3.11"
    assert pyproject["tool"]["ruff"]["target-version"] == "py311"


def test_all_data_folders_go_into_the_wheel(pyproject: dict[str, Any]) -> None:
    included = pyproject["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included == {d: f"xoff/_data/{d}" for d in ("templates", "schemas", "lint_rules", "platforms")}
    used = set(re.findall(r'ROOT / "(\w+)"', (REPO / "src/xoff/data.py").read_text(encoding="utf-8")))
    assert used == set(included)


def test_every_room_has_its_place_in_the_contract(pyproject: dict[str, Any]) -> None:
    layers = pyproject["tool"]["importlinter"]["contracts"][0]["layers"]
    rooms = {r.strip(" ()") for layer in layers for r in layer.split("|")}
    found = {p.stem for p in (REPO / "src/xoff").iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    assert found - rooms == {"__init__", "__main__", "data", "errors"}


def test_readme_names_targets_that_exist() -> None:
    makefile = (REPO / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.M))
    for page in ("README.md", "CONTRIBUTING.md", ".ci/run"):
        named = set(re.findall(r"(?:^|`|\n)\s*make ([a-z]+)", (REPO / page).read_text(encoding="utf-8")))
        assert named, page
        assert named <= targets, page


def test_ci_runs_the_readmes_test_command() -> None:
    assert re.search(r"^make test$", (REPO / ".ci/run").read_text(encoding="utf-8"), re.M)
    assert (REPO / ".ci/run").stat().st_mode & 0o111


def test_pre_commit_hook_calls_a_command_that_exists() -> None:
    import yaml

    hooks = yaml.safe_load((REPO / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    for hook in hooks:
        tool, command = hook["entry"].split()[:2]
        assert tool == "xoff"
        assert (REPO / f"src/xoff/cli/{command}.py").exists()
        assert re.search(hook["files"], "configs/leaf1.cfg")
