"""Runs the harness over all examples, in several processes, and sums up what came out."""

from __future__ import annotations

import os
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from statistics import median

from tests.mutation.judge import EXAMPLES, File, fabric, mutants
from tests.mutation.mutant import Mutant

WARNING = 1


@dataclass(frozen=True, slots=True)
class Record:
    """One mutant judged once. `first`: code of the first unimplied finding; `codes`: of all findings; `severity`: rank of the
    worst (0 error, 1 warning, 2 note, 3 none)."""

    nos: str
    intent: bool
    what: str
    shape: str
    place: str
    count: int
    killed: bool
    names_line: bool
    first: str
    alone: tuple[str, ...]
    codes: frozenset[str]
    severity: int


def spread(every: int | Mapping[str, int]) -> list[tuple[str, int]]:
    """Examples and places of their mutants: all, or one of `every` of each NOS, shape and change.

    every: one number, or one by NOS (`""` for the others).
    """
    return [(example, i) for example, i, _, _ in _chosen(every)]


def _chosen(every: int | Mapping[str, int]) -> Iterator[tuple[str, int, File, Mutant]]:
    seen: set[tuple[object, ...]] = set()
    kinds: Counter[tuple[str, str, str]] = Counter()
    for example in EXAMPLES:
        for i, (file, mutant) in enumerate(mutants(example, seen)):
            kind = (file.nos, mutant.what, mutant.shape)
            kinds[kind] += 1
            each = every if isinstance(every, int) else every.get(file.nos, every[""])
            if each == 1 or (zlib.crc32("\0".join(kind).encode()) + kinds[kind]) % each == 0:
                yield example, i, file, mutant


def judge_spread(every: Mapping[str, int], part: int, parts: int) -> list[Record]:
    """Judge one part of a spread, each mutant with and without the intent."""
    chosen = [(e, f, m) for n, (e, _, f, m) in enumerate(_chosen(every)) if n % parts == part]
    return [record(example, file, mutant, intent) for example, file, mutant in chosen for intent in (True, False)]


def judge(chosen: list[tuple[str, int]]) -> list[Record]:
    """Judge the chosen mutants, each with and without the intent."""
    wanted: dict[str, set[int]] = {}
    for example, i in chosen:
        wanted.setdefault(example, set()).add(i)
    out: list[Record] = []
    seen: set[tuple[object, ...]] = set()
    for example in EXAMPLES:
        for i, (file, mutant) in enumerate(mutants(example, seen)):
            if i in wanted.get(example, ()):
                out += (record(example, file, mutant, intent) for intent in (True, False))
    return out


def record(example: str, file: File, mutant: Mutant, intent: bool) -> Record:
    """Judge one mutant once."""
    o = fabric(example).judge(file, mutant, intent)
    return Record(
        file.nos, intent, mutant.what, mutant.shape,
        f"{mutant.what} {example} {file.device}:{mutant.line} {mutant.detail} | {mutant.said}",
        len(o.findings), o.killed, o.names_line, o.findings[0].code if o.findings else "",
        tuple(f.code for f in o.findings), o.codes,
        min((f.severity.rank for f in o.findings), default=3),
    )  # fmt: skip


def all_records(every: int = 1, workers: int | None = None) -> list[Record]:
    """Records of all chosen mutants, in a fixed order whatever the number of processes."""
    chosen = spread(every)
    n = workers if workers is not None else os.cpu_count() or 1
    if n <= 1:
        return judge(chosen)
    parts = [chosen[k :: n * 4] for k in range(n * 4)]
    with ProcessPoolExecutor(n) as pool:
        found = [r for part in pool.map(judge, parts) for r in part]
    return sorted(found, key=lambda r: (r.nos, not r.intent, r.shape, r.what, r.place))


def of(records: Iterable[Record], nos: str, intent: bool) -> list[Record]:
    return [r for r in records if r.nos == nos and r.intent is intent]


def survivors(records: Iterable[Record]) -> Counter[tuple[str, str]]:
    """Survivors by (shape, change)."""
    return Counter((r.shape, r.what) for r in records if not r.killed)


@dataclass(frozen=True, slots=True)
class Summary:
    """How good the answers are. `named`: share of killed mutants whose first finding names the changed line or its parent."""

    mutants: int
    killed: int
    median: float
    worst: int
    named: float
    grave: int = 0
    grave_killed: int = 0

    @property
    def grave_rate(self) -> float:
        """Of the mutants that are a warning or an error with the intent, those found here."""
        return self.grave_killed / self.grave if self.grave else 1.0

    @property
    def rate(self) -> float:
        return self.killed / self.mutants if self.mutants else 1.0


def summary(records: Iterable[Record], of_weight: frozenset[str] = frozenset()) -> Summary:
    """of_weight: places of the mutants that are a warning or an error with the intent."""
    records = list(records)
    grave = [r for r in records if r.place in of_weight]
    killed = [r for r in records if r.killed]
    counts = [r.count for r in killed]
    return Summary(
        len(records),
        len(killed),
        median(counts) if counts else 0,
        max(counts, default=0),
        sum(r.names_line for r in killed) / len(killed) if killed else 0.0,
        len(grave),
        sum(r.killed for r in grave),
    )


def grave(records: Iterable[Record], nos: str) -> frozenset[str]:
    """Places of the mutants of a NOS that are a warning or an error with the intent."""
    return frozenset(r.place for r in of(records, nos, True) if r.severity <= WARNING)


def report(records: list[Record]) -> Iterator[str]:
    """Kill rates by NOS and by rule, and the worst answers, as text."""
    for nos in sorted({r.nos for r in records}):
        for intent in (True, False):
            mine = of(records, nos, intent)
            s = summary(mine, grave(records, nos))
            said = "with the intent" if intent else "without"
            yield (
                f"{nos:6} {said:16} {s.killed} of {s.mutants} mutants ({s.rate:.1%}); unimplied findings: median {s.median:g}, "
                f"worst {s.worst}; the first names the line for {s.named:.1%}; of those that are at least a warning with the "
                f"intent {s.grave_rate:.1%}"
            )
    raised = Counter(c for r in records for c in r.codes)
    alone = Counter(c for r in records for c in set(r.alone))
    first = Counter(r.first for r in records if r.first)
    yield "rule    raised  unimplied  first"
    for code in sorted(raised):
        yield f"{code}  {raised[code]:6}  {alone[code]:9}  {first[code]:5}"
    from xoff.lint.load import rule_files

    yield "never raised here: " + (", ".join(sorted(set(rule_files()) - set(raised))) or "none")
