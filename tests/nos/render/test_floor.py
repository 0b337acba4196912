"""What nos.yaml promises: every field of the model is either expressible or not, with evidence and source; the floor holds."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from xoff.model.fields import ALL_FIELDS
from xoff.model.finding import Cost
from xoff.model.origin import Evidence
from xoff.nos import registry

FLOOR = yaml.safe_load((Path(__file__).parents[1] / "floor.yaml").read_text(encoding="utf-8"))
SCOPES = {"queue", "group", "port", "profile", "device"}


RENDERED = sorted(n for n in registry.names() if registry.load(n).can)


@pytest.fixture(params=RENDERED)
def nos(request: pytest.FixtureRequest) -> registry.Nos:
    return registry.load(request.param)


def test_floor(nos: registry.Nos) -> None:
    assert set(FLOOR) <= ALL_FIELDS
    for name in FLOOR:
        assert name in nos.can or nos.cannot[name].source, (
            f"{nos.name}: {name} is neither in `can` nor in `cannot` with a source"
        )


def test_every_field_is_decided_once(nos: registry.Nos) -> None:
    assert set(nos.can) | set(nos.cannot) == ALL_FIELDS
    assert not set(nos.can) & set(nos.cannot)


def test_every_promise_has_scope_evidence_and_source(nos: registry.Nos) -> None:
    for name, can in nos.can.items():
        assert can.scope in SCOPES, name
        assert can.evidence is not Evidence.RECALLED, name
        assert can.source, name
    assert all(c.why and c.source for c in nos.cannot.values())


def test_entry_says_how_and_at_what_cost(nos: registry.Nos) -> None:
    assert isinstance(nos.entry["whole"], bool)
    assert nos.entry["cost"] in set(Cost)
    assert all(nos.entry[k] for k in ("order", "how", "source"))
    assert nos.entry["cost"] != Cost.UNKNOWN or nos.entry["why"]
