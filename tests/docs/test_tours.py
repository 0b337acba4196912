"""Every `console` block of the README and docs/ is run, and its output must be what stands there.

`pytest tests/docs --update-goldens` writes the output anew; read the difference before committing it. The blocks of one file
run in one folder, in order, so a tour can build on what it did before.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
PAGES = sorted(p for p in (REPO / "README.md", *(REPO / "docs").rglob("*.md")) if "```console" in p.read_text(encoding="utf-8"))
_BLOCK = re.compile(r"```console\n(.*?)```", re.S)


def _run(command: str, folder: Path) -> str:
    """Output of one command line as a user would see it, both streams; colours off."""
    bin_dir = folder / ".bin"
    if not bin_dir.exists():
        bin_dir.mkdir()
        script = bin_dir / "xoff"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m xoff "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    env = {**os.environ, "PATH": f"{bin_dir}:{os.environ['PATH']}", "NO_COLOR": "1", "COLUMNS": "120"}
    env["PYTHONPATH"] = str(REPO / "src")
    done = subprocess.run(
        command, shell=True, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return done.stdout.rstrip("\n")


def _played(block: str, folder: Path) -> str:
    """The block with the output of each of its commands behind it."""
    out: list[str] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            out.append(line)
            said = _run(line[2:], folder)
            if said:
                out.append(said)
    return "\n".join(out) + "\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(REPO)))
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if shutil.which("sed") is None:
        pytest.skip("the tours use sed, which is not on this machine")
    shutil.copytree(REPO / "examples", tmp_path / "examples")
    text = page.read_text(encoding="utf-8")
    played = _BLOCK.sub(lambda m: f"```console\n{_played(m.group(1), tmp_path)}```", text)
    if request.config.getoption("--update-goldens"):
        page.write_text(played, encoding="utf-8")
        return
    assert played == text, f"{page.name} shows other output than the commands print; --update-goldens writes it anew"
