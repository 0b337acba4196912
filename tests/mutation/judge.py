"""Judges mutants: each example is rendered and read once; of a mutant only its own device is read anew."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from tests.mutation import indented, jsontables, jsontree, nvlines, setlines
from tests.mutation.mutant import Mutant
from xoff.derive import derive_all
from xoff.errors import XoffError
from xoff.fabric.links import find_links
from xoff.fabric.planned import PlannedFabric
from xoff.intent.expand import plan as load_plan
from xoff.lint import engine
from xoff.lint.result import FabricInput, LintRequest, LintResult
from xoff.model.finding import Finding
from xoff.model.switch import Form, SwitchModel
from xoff.nos import registry, renderer
from xoff.nos.inputs import FabricRead, gather

REPO = Path(__file__).resolve().parents[2]
#: The pod of the README first: of equal mutants its own are judged. The generated fabric, the largest, comes last.
_ORDER = ("mixed-leaf-spine", "explicit-cabling", "eos-leaf-spine", "sonic-two-lossless", "no-congestion-control")
EXAMPLES = {
    p.stem: p
    for p in sorted(
        (REPO / "examples").glob("*.yaml"), key=lambda p: (_ORDER.index(p.stem) if p.stem in _ORDER else len(_ORDER), p.stem)
    )
}
FAMILIES = {
    "indented": indented.mutants,
    "json": jsontables.mutants,
    "junos": setlines.mutants,
    "nvue": nvlines.mutants,
    "yang": jsontree.mutants,
}
#: Steps of numbers whose unit is finer than one, or whose scale is a list: (word in the line) -> field of nos.yaml `can`.
_STEPS = {
    "eos": (
        ("timeout", "watchdog.detect"),
        ("recovery-time", "watchdog.restore"),
        ("polling-interval", "watchdog.poll"),
        ("threshold", "group.threshold"),
    ),
}
_DERIVE = engine._expected


@dataclass(frozen=True, slots=True)
class File:
    """A rendered configuration of one device of an example."""

    example: str
    device: str
    nos: str
    role: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the linter says of a mutant. `findings`: those that nothing implies, worst first."""

    file: File
    mutant: Mutant
    intent: bool
    findings: tuple[Finding, ...]
    codes: frozenset[str] = frozenset()
    unread: bool = False

    @property
    def killed(self) -> bool:
        return bool(self.findings) or self.unread

    @property
    def names_line(self) -> bool:
        """Whether the first finding names the changed line, or what holds it."""
        if not self.findings:
            return self.unread
        return named(self.findings[0], self.mutant)


def named(finding: Finding, mutant: Mutant) -> bool:
    """Whether the finding's place or one of its related places is the mutant's."""
    places = ([finding.location] if finding.location else []) + list(finding.related)
    wanted = {mutant.line, *mutant.places}
    return any(p.at.line in wanted for p in places) or (mutant.line == 0 and not places)


@dataclass(slots=True)
class Fabric:
    """One example, rendered and read, with and without its intent."""

    name: str
    plan: PlannedFabric
    files: tuple[File, ...]
    folder: Path
    base: Mapping[bool, FabricRead]
    _kept: object = field(repr=False, default=None)
    _made: dict[tuple[str, Form], SwitchModel | None] = field(repr=False, default_factory=dict)
    _before: dict[bool, frozenset[str]] = field(repr=False, default_factory=dict)

    def judge(self, file: File, mutant: Mutant, intent: bool) -> Outcome:
        """Lint the whole fabric with this file in the place of the rendered one."""
        result, unread = self.lint_with(file, mutant.text, intent)
        alone = [f for f in result.findings if f.implied_by is None and f.fingerprint not in self.before(intent)]
        alone.sort(key=lambda f: f.severity.rank)
        return Outcome(file, mutant, intent, tuple(alone), frozenset(f.code for f in result.findings), unread)

    def lint_with(self, file: File, text: str, intent: bool) -> tuple[LintResult, bool]:
        path = self.folder / str(os.getpid()) / file.name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.environ["XOFF_DEBUG"] = "1"  # a crash is no answer
        plan = self.plan if intent else None
        base = self.base[intent]
        read: tuple[SwitchModel, ...] = ()
        problems = base.problems
        try:
            inputs = gather([str(path)], plan=plan)
            read, problems = inputs.fabrics[0].devices, (*problems, *inputs.fabrics[0].problems)
        except XoffError:
            return LintResult(()), True
        devices = (*(d for d in base.devices if d.hostname != file.device), *read)
        links, conflicts = find_links({d.hostname: d for d in devices}, self.plan.links if intent else ())
        given = FabricInput(base.name, devices, links, conflicts, problems, base.skipped, base.host_classes)
        # What the intent makes of a device is the same for every mutant.
        with patch.object(engine, "_expected", self._expected):
            return engine.lint(LintRequest((given,), plan=plan), inputs.line), False

    def _expected(self, plan: PlannedFabric, model: SwitchModel) -> SwitchModel | None:
        key = (model.hostname, model.form)
        if key not in self._made:
            self._made[key] = _DERIVE(plan, model)
        return self._made[key]

    def before(self, intent: bool) -> frozenset[str]:
        """Fingerprints of what the rendered fabric itself raises: no mutant's merit."""
        if intent not in self._before:
            self._before[intent] = frozenset(f.fingerprint for f in self.lint(intent).findings)
        return self._before[intent]

    def lint(self, intent: bool) -> LintResult:
        """The rendered fabric as it is."""
        b = self.base[intent]
        given = FabricInput(b.name, b.devices, b.links, b.conflicts, b.problems, b.skipped, b.host_classes)
        return engine.lint(LintRequest((given,), plan=self.plan if intent else None))


@cache
def fabric(example: str) -> Fabric:
    """An example, rendered into a folder of its own and read as anybody's files."""
    plan = load_plan(EXAMPLES[example])
    kept = TemporaryDirectory(prefix=f"xoff-{example}-")
    folder = Path(kept.name)
    files: list[File] = []
    for device, made in derive_all(plan).items():
        planned = plan.devices[device]
        for name, text in renderer.render(made.model, registry.load(planned.nos)).files.items():
            (folder / name).write_text(text, encoding="utf-8")
            if not name.endswith(".txt"):
                files.append(File(example, device, planned.nos, planned.role, name, text))
    base = {intent: gather([str(folder)], plan=plan if intent else None).fabrics[0] for intent in (True, False)}
    own = TemporaryDirectory(prefix=f"xoff-{example}-mutant-")
    return Fabric(example, plan, tuple(files), Path(own.name), base, (kept, own))


def mutants(example: str, seen: set[tuple[object, ...]] | None = None) -> Iterator[tuple[File, Mutant]]:
    """Every mutant of an example; equal lines of devices of one role and NOS are one.

    seen: keys of mutants made before, of other examples too; lines are equal only under the same classes.
    """
    seen = set() if seen is None else seen
    plan = fabric(example).plan
    classes = tuple((c.dscp, c.priority, c.lossless, c.ecn) for c in plan.classes)
    for file in fabric(example).files:
        nos = registry.load(file.nos)
        family = FAMILIES[nos.syntax]
        for mutant in family(file.text, lambda where, before, word, nos=nos.name: step(nos, where, before, word)):
            key = (classes, file.nos, file.role, *mutant.key)
            if key not in seen and mutant.text != file.text:
                seen.add(key)
                yield file, mutant


def step(nos: str, where: tuple[str, ...], before: str, word: str) -> str | None:
    """The number one step up in the granularity that nos.yaml states for its field; None where that is one."""
    name = next((f for word_, f in _STEPS.get(nos, ()) if before.split()[-1:] == [word_]), None)
    entry = registry.load(nos).can.get(name) if name else None
    if entry is None or entry.granularity in (None, 1):
        return None
    from fractions import Fraction

    from tests.mutation.mutant import decimal

    scale = str(entry.granularity).split()
    if len(scale) > 1:
        later = scale[scale.index(word) + 1 :] if word in scale else []
        return later[0] if later else None
    return decimal(Fraction(word) + Fraction(scale[0]))
