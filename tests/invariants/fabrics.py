"""Every example intent, derived, rendered and read once."""

from __future__ import annotations

from tests.mutation.judge import EXAMPLES, Fabric, File, fabric
from xoff.model.switch import SwitchModel
from xoff.nos import facts, registry
from xoff.nos.source import Source

NAMES = sorted(EXAMPLES)

__all__ = ["NAMES", "Fabric", "File", "fabric", "one_of_each", "read"]


def read(nos_name: str, name: str, text: str) -> SwitchModel:
    """The model of one file that is read by itself, with no facts from outside."""
    nos = registry.load(nos_name)
    found: list[SwitchModel] = registry.module(nos).parse([Source(name, text)], nos, facts.NONE)
    (model,) = found
    return model


def one_of_each(example: str) -> list[File]:
    """One file of every NOS and role of an example."""
    first: dict[tuple[str, str], File] = {}
    for file in fabric(example).files:
        first.setdefault((file.nos, file.role), file)
    return list(first.values())
