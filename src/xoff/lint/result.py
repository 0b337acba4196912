"""What goes into a lint run and what comes out; the writers in report/ read only this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from xoff.errors import InputError
from xoff.model.fabric import ClassInForce, Link, LinkConflict
from xoff.model.finding import Finding, Severity
from xoff.model.headroom_table import LookupTable
from xoff.model.quantity import Fact
from xoff.model.record import dataclass
from xoff.model.switch import SwitchModel

if TYPE_CHECKING:
    from xoff.fabric.planned import PlannedFabric


@dataclass(frozen=True, slots=True)
class FabricInput:
    """One fabric as read: devices, links, what could not be read or was skipped (path, reason).

    `host_classes`: classes that host facts among the fabric's files state. `tables`: headroom lookup tables among them.
    """

    name: str
    devices: tuple[SwitchModel, ...]
    links: tuple[Link, ...] = ()
    conflicts: tuple[LinkConflict, ...] = ()
    problems: tuple[InputError, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    host_classes: tuple[ClassInForce, ...] = ()
    tables: tuple[LookupTable, ...] = ()


@dataclass(frozen=True, slots=True)
class LintRequest:
    """Everything a run needs."""

    fabrics: tuple[FabricInput, ...]
    plan: PlannedFabric | None = None
    project_classes: tuple[ClassInForce, ...] = ()
    assume: str = "nvidia"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    require: tuple[str, ...] = ()


@dataclass(slots=True)
class RuleCoverage:
    """How often one rule was judged, in objects (a port counts as one). `not_assessed` and `not_applicable` by reason."""

    assessed: int = 0
    not_applicable: dict[str, int] = field(default_factory=dict)
    not_assessed: dict[tuple[str, Fact | None], int] = field(default_factory=dict)

    @property
    def open(self) -> int:
        return sum(self.not_assessed.values())


@dataclass(frozen=True, slots=True)
class MissingFact:
    """A fact whose absence stopped `checks` checks on `objects`, and the line that would supply it."""

    fact: Fact
    checks: int
    devices: tuple[str, ...]
    add: str


@dataclass(frozen=True, slots=True)
class FabricResult:
    """One fabric, judged. `structure`: the assumptions about a NOS that the report rests on, each once."""

    name: str
    devices: tuple[SwitchModel, ...]
    classes: tuple[ClassInForce, ...]
    classes_note: str
    findings: tuple[Finding, ...]
    coverage: Mapping[str, RuleCoverage]
    facts_missing: tuple[MissingFact, ...]
    links: tuple[Link, ...] = ()
    conflicts: tuple[LinkConflict, ...] = ()
    problems: tuple[InputError, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    structure: tuple[str, ...] = ()
    tables: tuple[LookupTable, ...] = ()


@dataclass(frozen=True, slots=True)
class LintResult:
    """All fabrics of a run."""

    fabrics: tuple[FabricResult, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(f for r in self.fabrics for f in r.findings)

    @property
    def assessed(self) -> int:
        """Checks made."""
        return sum(c.assessed for r in self.fabrics for c in r.coverage.values())

    @property
    def checks(self) -> int:
        """Checks made and checks that could not be made; what is not applicable is no check."""
        return sum(c.assessed + c.open for r in self.fabrics for c in r.coverage.values())

    def fails(self, at: Severity) -> bool:
        """Whether an unsuppressed, unimplied finding stands at or above `at`, or implies one that does.

        A cause counts with the highest severity among itself and what it implies.
        """
        return any(f.severity.rank <= at.rank and f.suppressed is None for f in self.findings)
