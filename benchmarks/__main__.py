"""`make bench` / `python -m benchmarks`: the speed targets, measured. Exit code 1 where one is missed.

--tiny runs the whole of it on small inputs and few rounds, to see that it works; its figures mean nothing.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Iterator
from dataclasses import replace

from benchmarks import cold, every_nos, warm
from benchmarks.measure import Line, Machine


def _all(machine: Machine, rounds: int, tiny: bool) -> Iterator[Line]:
    ports, leaves, sizes = (8, 2, (2, 3, 4)) if tiny else (80, 50, (10, 50, 200))
    yield from cold.start(machine, rounds, ports)
    yield from warm.lines(machine, rounds, ports)
    yield from every_nos.lines(machine, rounds)
    yield from cold.fabrics(machine, max(1, rounds // 3), leaves, ports)
    yield from cold.growth(machine, max(1, rounds // 3), sizes, ports)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="pairs of runs per ratio (default 15)")
    parser.add_argument("--tiny", action="store_true", help="small inputs, no verdict")
    given = parser.parse_args()
    rounds = 1 if given.tiny else max(3, given.rounds)
    print(f"Python {platform.python_version()}, {rounds} rounds; processor time decides; byte code is allowed and warm")
    missed = 0
    machine = Machine()
    try:
        for line in _all(machine, rounds, given.tiny):
            line = replace(line, target=None) if given.tiny else line
            print(line, flush=True)
            missed += line.missed
    finally:
        machine.close()
    if missed:
        print(f"{missed} target{'s' if missed > 1 else ''} missed", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
