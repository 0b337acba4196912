"""Runs what is measured, and a floor or peer beside it, in turn.

A single time says little on a machine that does other work too. So each round runs both sides one after the other, the order
changing from round to round, each round gives one ratio, and the median of the ratios is what counts. Processor time (user +
system) decides; wall time is shown beside it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of one run."""

    cpu: float
    wall: float


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the result. `value` is in `unit`; a target is met where value <= target. `detail`: how it came about."""

    what: str
    value: float
    unit: str
    target: float | None = None
    detail: str = ""

    @property
    def missed(self) -> bool:
        return self.target is not None and self.value > self.target

    def __str__(self) -> str:
        verdict = "" if self.target is None else f"target {self.target:g}{self.unit}: {'MISSED' if self.missed else 'ok'}"
        return f"{self.what:<58} {self.value:>7.2f}{self.unit:<3} {verdict:<22} {self.detail}".rstrip()


class Machine:
    """Where child processes run: their own folder for byte code and caches, so that nothing of the user's counts or is touched.

    Byte code is allowed whatever the environment says: an installed xoff has it, a checkout with PYTHONDONTWRITEBYTECODE
    would measure the compiler instead.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="xoff-bench-")
        self.folder = Path(self._folder.name)
        dropped = {"PYTHONDONTWRITEBYTECODE", "PYTHONPROFILEIMPORTTIME", "PYTHONDEVMODE", "XOFF_DEBUG"}
        self._env = {k: v for k, v in os.environ.items() if k not in dropped} | {
            "PYTHONPYCACHEPREFIX": str(self.folder / "pyc"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
        }

    def close(self) -> None:
        self._folder.cleanup()

    def run(self, arguments: Sequence[str], ok: tuple[int, ...] = (0,), extra: Mapping[str, str] | None = None) -> Cost:
        """One run of this interpreter with `arguments`; output is thrown away. Raises RuntimeError on another exit code."""
        began = time.perf_counter()
        # Not Popen.wait: only wait4 gives the processor time of this one child.
        child = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=self.folder,
            env={**self._env, **(extra or {})},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - began
        child.returncode = code = os.waitstatus_to_exitcode(status)
        if code not in ok:
            raise RuntimeError(f"{' '.join(arguments)} ended with {code}, expected {ok}")
        return Cost(usage.ru_utime + usage.ru_stime, wall)

    def output(self, arguments: Sequence[str]) -> tuple[str, str]:
        """(stdout, stderr) of one run."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=self._env,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout, done.stderr


Side = Callable[[], Cost]


def paired(one: Side, other: Side, rounds: int) -> tuple[float, float, Cost, Cost]:
    """(median ratio of processor time, of wall time, median cost of `one`, of `other`), after one warm-up run of each."""
    one(), other()
    mine: list[Cost] = []
    theirs: list[Cost] = []
    for number in range(rounds):
        if number % 2:
            theirs.append(other())
            mine.append(one())
        else:
            mine.append(one())
            theirs.append(other())
    pairs = list(zip(mine, theirs, strict=True))
    return (
        median(a.cpu / max(b.cpu, 1e-6) for a, b in pairs),
        median(a.wall / max(b.wall, 1e-6) for a, b in pairs),
        middle(mine),
        middle(theirs),
    )


def middle(costs: Sequence[Cost]) -> Cost:
    return Cost(median(c.cpu for c in costs), median(c.wall for c in costs))


def timed(job: Callable[[], object]) -> Cost:
    """The cost of a call in this process."""
    cpu, wall = time.process_time(), time.perf_counter()
    job()
    return Cost(time.process_time() - cpu, time.perf_counter() - wall)
