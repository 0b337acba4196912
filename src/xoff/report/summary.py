"""Counts and the last line of every report: `N errors, M warnings; assessed X of Y checks; missing: ASIC 40, cable 200`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xoff.lint.result import FabricResult, LintResult
from xoff.model.finding import Finding, Severity
from xoff.model.quantity import Fact
from xoff.model.record import dataclass

#: Facts are named by their word; an abbreviation is written as one.
FACT_WORDS: Mapping[Fact, str] = {Fact.ASIC: "ASIC"}
#: A report names this many missing facts, those that blocked most.
MISSING_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over all fabrics: what is neither implied nor suppressed, by effective severity."""

    errors: int
    warnings: int
    notes: int
    implied: int
    suppressed: int
    assessed: int
    checks: int
    missing: tuple[tuple[Fact, int], ...]

    @property
    def line(self) -> str:
        missing = ", ".join(f"{FACT_WORDS.get(f, f.value)} {n}" for f, n in self.missing[:MISSING_SHOWN]) or "nothing"
        return (
            f"{self.errors} errors, {self.warnings} warnings; "
            f"assessed {self.assessed} of {self.checks} checks; missing: {missing}"
        )


def explained(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Fingerprint of a cause that counts -> the findings it explains. A suppressed cause explains nothing."""
    findings = list(findings)
    causes = {f.fingerprint for f in findings if f.suppressed is None}
    out: dict[str, list[Finding]] = {}
    for f in findings:
        if f.implied_by is not None and f.implied_by in causes:
            out.setdefault(f.implied_by, []).append(f)
    return out


def effective(finding: Finding, effects: Mapping[str, list[Finding]]) -> Severity:
    """A cause counts with the worst severity among itself and what it implies."""
    group = [finding, *effects.get(finding.fingerprint, [])]
    return min((f.severity for f in group), key=_rank)


def top_findings(result: FabricResult) -> list[Finding]:
    """Findings of one fabric that stand in their own right, suppressed ones left out."""
    hidden = {id(f) for group in explained(result.findings).values() for f in group}
    return [f for f in result.findings if id(f) not in hidden and f.suppressed is None]


def summarise(result: LintResult) -> Summary:
    """Add up all fabrics."""
    counts = dict.fromkeys(Severity, 0)
    implied = suppressed = 0
    missing: dict[Fact, int] = {}
    for fabric in result.fabrics:
        effects = explained(fabric.findings)
        for f in top_findings(fabric):
            counts[effective(f, effects)] += 1
        implied += sum(len(group) for group in effects.values())
        suppressed += sum(f.suppressed is not None for f in fabric.findings)
        for m in fabric.facts_missing:
            missing[m.fact] = missing.get(m.fact, 0) + m.checks
    return Summary(
        errors=counts[Severity.ERROR],
        warnings=counts[Severity.WARNING],
        notes=counts[Severity.NOTE],
        implied=implied,
        suppressed=suppressed,
        assessed=result.assessed,
        checks=result.checks,
        missing=tuple(sorted(missing.items(), key=lambda m: (-m[1], m[0]))),
    )


def _rank(severity: Severity) -> int:
    return severity.rank
