"""Shared fixtures. Reference material (corpus, cases, oracles) lies beside the checkout and may be absent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[1]
SHARED = REPO.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """Path below the reference material; skips the test where that is not there."""

    def find(relative: str) -> Path:
        found = SHARED / relative
        if not found.exists():
            pytest.skip(f"reference material {relative!r} is not beside this checkout (../shared)")
        return found

    return find


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write golden files anew; read the diff")


@pytest.fixture(scope="session")
def update_goldens(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written anew."""
    return bool(request.config.getoption("--update-goldens"))
