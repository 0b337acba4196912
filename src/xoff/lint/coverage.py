"""What could and what could not be judged: counted per rule, and the three facts whose absence blocked most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from xoff.lint.result import MissingFact, RuleCoverage
from xoff.lint.view import NotApplicable, NotAssessed
from xoff.model.quantity import Fact
from xoff.model.record import dataclass

#: The line that supplies a fact, for people to copy.
_ADD: Mapping[Fact, str] = {
    Fact.ASIC: '[[devices]] match = "{device}" model = "…"   # xoff.toml; `xoff platforms` lists the models',
    Fact.CABLE: '[[devices]] match = "{device}" cable = "40m"   # xoff.toml, or --intent / a cabling file',
    Fact.SPEED: '[[devices]] match = "{device}" speed = "400G"   # xoff.toml, or `show interfaces status` beside the config',
    Fact.PEER: "--intent FILE, or a cabling file: who is at the other end",
    Fact.ROLE: "--intent FILE: which ports carry which class",
    Fact.RELEASE: '[[devices]] match = "{device}" release = "…"   # xoff.toml, or `show version` beside the config',
    Fact.CLASSES: "[classes] in xoff.toml, or --intent FILE",
    Fact.TABLE: "put the switch's pg_profile_lookup.ini beside its config_db.json",
    Fact.DEFAULT: "state the value in the configuration: what the NOS does without the line is not confirmed",
    Fact.CONFIG: "give the rest of the configuration: this file is a fragment",
}


@dataclass(slots=True)
class Coverage:
    """Counts for one fabric."""

    rules: dict[str, RuleCoverage] = field(default_factory=dict)
    _facts: dict[Fact, dict[str, int]] = field(default_factory=dict)

    def rule(self, code: str) -> RuleCoverage:
        return self.rules.setdefault(code, RuleCoverage())

    def judged(self, code: str, weight: int) -> None:
        """A check was made on `weight` objects (a port view counts its ports)."""
        self.rule(code).assessed += weight

    def stopped(self, code: str, why: NotAssessed | NotApplicable, weight: int, device: str) -> None:
        """A check could not be made, or cannot apply."""
        entry = self.rule(code)
        if isinstance(why, NotApplicable):
            entry.not_applicable[why.reason] = entry.not_applicable.get(why.reason, 0) + weight
            return
        key = (why.reason, why.fact)
        entry.not_assessed[key] = entry.not_assessed.get(key, 0) + weight
        if why.fact is not None:
            per_device = self._facts.setdefault(why.fact, {})
            per_device[device] = per_device.get(device, 0) + weight

    def missing(self) -> tuple[MissingFact, ...]:
        """Facts by the number of checks they blocked, most first."""
        found = [
            MissingFact(fact, sum(by.values()), tuple(sorted(by)), _ADD[fact].format(device=_pattern(by)))
            for fact, by in self._facts.items()
        ]
        return tuple(sorted(found, key=lambda m: (-m.checks, m.fact)))


def _pattern(devices: Iterable[str]) -> str:
    """A glob that fits the devices: their common beginning, or the one name."""
    names = sorted(devices)
    if len(names) == 1:
        return names[0]
    first, last = names[0], names[-1]
    n = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return f"{first[:n]}*"
