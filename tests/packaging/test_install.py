"""`pip install .` in a clean environment, away from the checkout, gives a working xoff. Slow: `make slow`, and CI."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds `venv` (with xoff), and nothing of the checkout."""
    home = tmp_path_factory.mktemp("away")
    source = home / "source"
    # Build from a copy: what git does not track must not get in, what it tracks must be enough.
    files = subprocess.run(["git", "ls-files", "-z"], cwd=REPO, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, files):
        if (REPO / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPO / name, source / name)
    venv.create(home / "venv", with_pip=True)
    subprocess.run([home / "venv/bin/python", "-m", "pip", "install", "--quiet", str(source)], check=True, cwd=home)
    shutil.rmtree(source)
    return home


def xoff(home: Path, *args: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run([home / "venv/bin/xoff", *args], cwd=home, env=env, capture_output=True, text=True, check=False)


def test_it_runs_from_its_own_files(installed: Path) -> None:
    where = subprocess.run(
        [installed / "venv/bin/python", "-c", "import xoff.data; print(xoff.data.ROOT)"],
        cwd=installed,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert where.endswith("site-packages/xoff/_data")
    assert sorted(p.name for p in Path(where).iterdir()) == ["lint_rules", "platforms", "schemas", "templates"]
    assert not str(where).startswith(str(REPO))


def test_rules_and_pages_are_inside(installed: Path) -> None:
    inside = xoff(installed, "rules", "--format", "json")
    here = subprocess.run(
        [sys.executable, "-m", "xoff", "rules", "--format", "json"], capture_output=True, text=True, check=True
    )
    assert inside.stdout == here.stdout
    assert xoff(installed, "explain", "MAP001").stdout.startswith("# MAP001")


def test_it_lints(installed: Path) -> None:
    shutil.copytree(REPO / "examples/broken", installed / "broken", dirs_exist_ok=True)
    found = xoff(installed, "lint", "broken")
    assert found.returncode == 1, found.stderr
    assert "MAP001" in found.stdout


def test_it_renders_and_what_it_renders_is_clean(installed: Path) -> None:
    for f in (REPO / "examples").glob("*.*"):
        shutil.copy2(f, installed)
    assert xoff(installed, "render", "mixed-leaf-spine.yaml", "-o", "out").returncode == 0
    found = xoff(installed, "lint", "out", "--intent", "mixed-leaf-spine.yaml")
    assert found.returncode == 0, found.stdout


def test_py_typed_is_shipped(installed: Path) -> None:
    assert list(installed.glob("venv/lib/python*/site-packages/xoff/py.typed"))
