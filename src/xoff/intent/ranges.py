"""Ranges in names: `leaf[01-32]`, `Ethernet[0-124:4]`, `Ethernet[1-4]/[1-2]`, `gpu[1,3,7-9]`.

`[a-b:step]`; several brackets count like digits, the last one fastest. A leading zero in `a` fixes the width.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import product

#: Names one pattern may stand for: more than the largest fabric anyone builds from one line.
MAX_NAMES = 200_000

_PART = re.compile(r"(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?\Z")
_SPLIT = re.compile(r"\[([^\[\]]*)\]")


@lru_cache(maxsize=4096)
def expand(pattern: str) -> tuple[str, ...]:
    """All names of a pattern, in order; a name without brackets is itself. Raises ValueError that says what is wrong."""
    pieces = _SPLIT.split(pattern)
    if any("[" in p or "]" in p for p in pieces[::2]):
        raise ValueError(f"{pattern!a} has a bracket without its partner")
    axes = [_numbers(body, pattern) for body in pieces[1::2]]
    total = 1
    for axis in axes:
        total *= len(axis)
    if total > MAX_NAMES:
        raise ValueError(f"{pattern!a} stands for {total:,} names; at most {MAX_NAMES:,} are taken")
    out = []
    for combo in product(*axes):
        name = pieces[0]
        for number, text in zip(combo, pieces[2::2], strict=True):
            name += number + text
        out.append(name)
    if len(set(out)) != len(out):
        raise ValueError(f"{pattern!a} names {next(n for n in out if out.count(n) > 1)!a} twice")
    return tuple(out)


def _numbers(body: str, pattern: str) -> list[str]:
    out: list[str] = []
    for part in body.split(","):
        m = _PART.match(part.strip())
        if m is None:
            raise ValueError(f"{pattern!a}: expected [a-b] or [a-b:step], not [{body}]")
        first, last, step = m[1], m[2] or m[1], int(m[3] or 1)
        if step == 0:
            raise ValueError(f"{pattern!a}: the step of a range is 1 or more")
        low, high = int(first), int(last)
        if low > high:
            raise ValueError(f"{pattern!a}: {first} is after {last}; write the smaller number first")
        if len(last) > 1 and last[0] == "0" and len(first) != len(last):
            raise ValueError(f"{pattern!a}: {first} and {last} have different widths")
        width = len(first) if first[0] == "0" else 1
        if (high - low) // step >= MAX_NAMES:
            raise ValueError(f"{pattern!a} stands for more than {MAX_NAMES:,} names")
        out += [f"{n:0{width}d}" for n in range(low, high + 1, step)]
    return out


_NUMBERS = re.compile(r"(\d+)")


def compress(names: Iterable[str]) -> str:
    """Names as short text for people: `Ethernet[0-12:4], Ethernet[1-8]/1`. Expanding each item gives them back, in order."""
    runs: list[_Run] = []
    for name in names:
        pieces = _NUMBERS.split(name)
        if not runs or not runs[-1].takes(pieces):
            runs.append(_Run(pieces))
    return ", ".join(str(r) for r in runs)


class _Run:
    """Names that differ in one number only, which grows by equal steps. Odd pieces are the numbers."""

    def __init__(self, pieces: list[str]) -> None:
        self.names = [pieces]
        self.axis = -1
        self.step = 0

    def takes(self, pieces: list[str]) -> bool:
        """Adds the name if it continues the run."""
        last = self.names[-1]
        if len(pieces) != len(last):
            return False
        differ = [i for i, (a, b) in enumerate(zip(last, pieces, strict=True)) if a != b]
        if len(differ) != 1 or differ[0] % 2 == 0:
            return False
        axis = differ[0]
        first, number = self.names[0][axis], pieces[axis]
        if len(first) > 9 or len(number) > 9 or not _same_width(first, number):
            return False
        step = int(number) - int(last[axis])
        if step < 1 or (len(self.names) > 1 and (axis, step) != (self.axis, self.step)):
            return False
        self.axis, self.step = axis, step
        self.names.append(pieces)
        return True

    def __str__(self) -> str:
        if len(self.names) < 3:
            return ", ".join("".join(n) for n in self.names)
        head, tail = "".join(self.names[0][: self.axis]), "".join(self.names[0][self.axis + 1 :])
        step = f":{self.step}" if self.step > 1 else ""
        return f"{head}[{self.names[0][self.axis]}-{self.names[-1][self.axis]}{step}]{tail}"


def _same_width(first: str, number: str) -> bool:
    """Whether a range that starts at `first` would write `number` like this."""
    return number == f"{int(number):0{len(first) if first[0] == '0' else 1}d}"
