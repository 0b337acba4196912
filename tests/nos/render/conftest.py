"""Rendering is tested with the real nos.yaml and a platform that needs no file of platforms/."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from xoff import platforms
from xoff.model.origin import Evidence
from xoff.nos import registry
from xoff.nos.registry import Nos
from xoff.platforms import Asic, Sourced


@pytest.fixture
def nos() -> Callable[[str], Nos]:
    return registry.load


@pytest.fixture
def asic(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make every ASIC name stand for one with these facts (`eos_mmu=True` …)."""

    def use(evidence: Evidence = Evidence.READ, **facts: Any) -> None:
        given = {k: Sourced(v, "test", evidence) for k, v in facts.items()}
        monkeypatch.setattr(platforms, "load", lambda name: Asic(name, name, "test", "test", **given))  # type: ignore[arg-type]

    return use


@pytest.fixture
def real_platforms() -> None:
    """Ask for this where platforms/ itself is wanted."""


@pytest.fixture(autouse=True)
def _plain_asic(request: pytest.FixtureRequest, asic: Callable[..., None]) -> None:
    if "real_platforms" not in request.fixturenames:
        asic(eos_mmu=True)
