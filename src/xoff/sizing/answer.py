"""Everything that can be said about the headroom of one link: the chosen preset, the others beside it, what vendors ship."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from xoff.model.headroom_table import HeadroomRow
from xoff.model.origin import Evidence
from xoff.model.quantity import Unknown
from xoff.model.record import dataclass
from xoff.platforms.facts import Asic, ShippedRange, Sourced
from xoff.sizing.limits import shipped_for
from xoff.sizing.link import BY_HAND, LinkInput
from xoff.sizing.number import Number
from xoff.sizing.nvidia import nvidia_xon, version_of
from xoff.sizing.presets import all_presets


@dataclass(frozen=True, slots=True)
class Switch:
    """The switch whose buffer is sized.

    `asic` None: not said. `rows`: its headroom table. `release`: SONiC's (None: the newest).
    """

    asic: Asic | None = None
    rows: tuple[HeadroomRow, ...] = ()
    release: str | None = None
    shared_pool: bool = False


@dataclass(frozen=True, slots=True)
class Script:
    """SONiC's script on this chip: its version, and the resume level (xon) that it sets. Bytes."""

    version: str
    xon: Number


@dataclass(frozen=True, slots=True)
class Answer:
    """`presets`: bytes or why not, by preset. `shipped`: for the longest listed cable that is not longer than the link's."""

    link: LinkInput
    switch: Switch
    preset: str
    presets: dict[str, Number | Unknown]
    shipped: ShippedRange | None
    script: Script | None

    @property
    def chosen(self) -> Number | Unknown:
        return self.presets[self.preset]


def answer(link: LinkInput, switch: Switch, preset: str) -> Answer:
    """All presets for one link. Raises UsageError for impossible inputs."""
    presets = all_presets(link, switch.asic, rows=switch.rows, release=switch.release, shared_pool=switch.shared_pool)
    shipped = shipped_for(switch.asic, link.speed, link.cable_m) if switch.asic else None
    return Answer(link, switch, preset, presets, shipped, _script(link, switch))


def _script(link: LinkInput, switch: Switch) -> Script | None:
    if switch.asic is None:
        return None
    version = version_of(switch.asic, switch.release)
    xon = version if isinstance(version, Unknown) else nvidia_xon(switch.asic, link.lanes, version)
    return None if isinstance(version, Unknown) or isinstance(xon, Unknown) else Script(version.name, xon)


def reasons(answers: Sequence[Answer]) -> dict[str, str]:
    """Why a preset has no number, by preset; of several links the first reason."""
    out: dict[str, str] = {}
    for a in answers:
        for name, n in a.presets.items():
            if isinstance(n, Unknown):
                out.setdefault(name, n.reason)
    return out


def by_hand(base: Asic | None, cell: int | None, factor: Fraction | None) -> Asic | None:
    """A chip with a cell (bytes) or cell factor given by hand laid over it; None where there is neither chip nor number."""
    facts = {"cell": cell, "cell_factor": factor}
    given = {k: Sourced(v, BY_HAND, Evidence.READ) for k, v in facts.items() if v is not None}
    if not given:
        return base
    return replace(base or Asic("by-hand", "a chip given by hand", "", ""), **given)  # type: ignore[arg-type]
