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


_LAST = re.compile(r"^(.*?)(\d+)(\D*)$", re.DOTALL)


def compress(names: Iterable[str]) -> str:
    """Names as short text for people: `Ethernet[0-12:4], Ethernet20`. `expand` of each item gives the names back, in order."""
    runs: list[tuple[str, str, list[str]]] = []
    for name in names:
        m = _LAST.match(name)
        if m is None or len(m[2]) > 9:
            runs.append((name, "", []))
            continue
        head, number, tail = m[1], m[2], m[3]
        if runs and runs[-1][2] and runs[-1][0] == head and runs[-1][1] == tail and _continues(runs[-1][2], number):
            runs[-1][2].append(number)
        else:
            runs.append((head, tail, [number]))
    return ", ".join(_run(*r) for r in runs)


def _continues(run: list[str], number: str) -> bool:
    step = int(number) - int(run[-1])
    if step < 1 or not _same_width(run[0], number):
        return False
    return len(run) == 1 or step == int(run[1]) - int(run[0])


def _same_width(first: str, number: str) -> bool:
    """Whether a range that starts at `first` would write `number` like this."""
    return number == f"{int(number):0{len(first) if first[0] == '0' else 1}d}"


def _run(head: str, tail: str, numbers: list[str]) -> str:
    if len(numbers) < 3:
        return ", ".join(f"{head}{n}{tail}" for n in numbers) if numbers else head + tail
    step = int(numbers[1]) - int(numbers[0])
    return f"{head}[{numbers[0]}-{numbers[-1]}{f':{step}' if step > 1 else ''}]{tail}"
