"""Which chip a device has, by the facts about it."""

from __future__ import annotations

from collections.abc import MutableMapping

from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import Architecture, Named

NO_ASIC = Unknown("ASIC not stated", Fact.ASIC)


def of_facts(facts: MutableMapping[str, Named]) -> tuple[str | Unknown, Architecture | Unknown, str | Unknown]:
    """(chip, its architecture, the model). A chip found by the model is put among the facts, with its origin."""
    model, asic = facts.get("model"), facts.get("asic")
    platform: str | Unknown = model.value if model else Unknown("model not stated", Fact.ASIC)
    if asic is None and model is None:
        return NO_ASIC, NO_ASIC, platform
    from xoff import platforms  # a quarter of a reader's import, and most files name no model

    found = platforms.find(asic.value) if asic else None
    if found is None and model:
        found = platforms.find(model.value)
    if found is None:
        named = asic or model
        said = Unknown(f"{named.value if named else ''} is not in platforms/", Fact.ASIC)
        return said, said, platform
    if not asic and model:
        facts["asic"] = Named(found.asic.name, f"model {model.value}", model.at)
    return found.asic.name, found.asic.architecture.value, platform
