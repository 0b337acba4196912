"""The way from data or text to models."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from xoff.model.switch import SwitchModel
from xoff.nos import registry, sonic
from xoff.nos.facts import NONE, Facts
from xoff.nos.source import Source

from .conftest_data import tables


@pytest.fixture
def base() -> dict[str, Any]:
    return copy.deepcopy(tables())


@pytest.fixture(scope="session")
def parse() -> Callable[..., list[SwitchModel]]:
    """Models from data or text, one argument per file; `paths` names the files."""
    nos = registry.load("sonic")

    def run(*contents: Any, paths: tuple[str, ...] = (), facts: Facts = NONE) -> list[SwitchModel]:
        sources = []
        for i, content in enumerate(contents):
            text = content if isinstance(content, str) else json.dumps(content, indent=2)
            sources.append(Source(paths[i] if i < len(paths) else f"config{i or ''}.json", text))
        return sonic.parse(sources, nos, facts)

    return run


@pytest.fixture(scope="session")
def one(parse: Callable[..., list[SwitchModel]]) -> Callable[..., SwitchModel]:
    """The one model that the files give."""

    def run(*contents: Any, **kwargs: Any) -> SwitchModel:
        (model,) = parse(*contents, **kwargs)
        return model

    return run
