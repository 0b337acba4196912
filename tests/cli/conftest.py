"""Runs the command line in a process of its own, as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def xoff(tmp_path: Path) -> Run:
    """`xoff("lint", "a.cfg")` in an empty folder; keyword arguments are environment variables."""

    def run(*args: str, cwd: Path = tmp_path, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "xoff", *args],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(SRC), **env},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run
