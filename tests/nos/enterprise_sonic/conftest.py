"""A complete small configuration (after the reference leaf and the guide's Z9664F), and a way to read text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from xoff.model.switch import SwitchModel
from xoff.nos import enterprise_sonic, registry
from xoff.nos.facts import Facts
from xoff.nos.source import Source

Read = Callable[..., SwitchModel]
BASE = (Path(__file__).resolve().parents[2] / "rules" / "base" / "enterprise_sonic.cfg").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def base() -> str:
    return BASE


@pytest.fixture(scope="session")
def read() -> Read:
    def model(text: str, path: str = "leaf1.cfg", facts: Facts | None = None) -> SwitchModel:
        (found,) = enterprise_sonic.parse([Source(path, text)], registry.load("enterprise_sonic"), facts or Facts())
        return found

    return model
