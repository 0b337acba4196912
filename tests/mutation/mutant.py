"""What a mutant is, and the choices that all syntax families share. Pure: text in, mutants out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

#: Step of a number, by the words around it: gives the value one step up. Where it returns None, one more than it is.
Step = Callable[[tuple[str, ...], str, str], str | None]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one file.

    what: kind of change (`delete`, `+1`, `x10`, `0`, `swap`, `misspell`, `direction`).
    where: headers around the place, names of ports as `*`. said: the line or field before the change. line: the place in the
    mutated text (for what is deleted that of its parent; 0: the file as a whole). places: other lines that name the change as
    well (a row's opening and its value; both ends of a swap).
    """

    what: str
    where: tuple[str, ...]
    said: str
    text: str
    line: int
    places: tuple[int, ...] = ()
    detail: str = ""

    @property
    def shape(self) -> str:
        """By which survivors are grouped: the place and line with numbers and own names folded, and the change."""
        return " > ".join((*(fold(w) for w in self.where), fold(self.said)))

    @property
    def key(self) -> tuple[object, ...]:
        """Mutants of equal key on equal ports are one."""
        return (self.what, self.where, self.said, self.detail)


def fold(text: str) -> str:
    """Numbers as `N`, lists of them as one, so that lines of one kind are one shape."""
    out: list[str] = []
    for word in text.split():
        bare = word.strip('",:{}')
        if number(bare) is not None:
            word = word.replace(bare, "N")
            if out and out[-1] == word == "N":
                continue
        out.append(word)
    return " ".join(out)


def number(word: str) -> Fraction | None:
    """The value of a plain decimal number, None for anything else."""
    body = word[1:] if word[:1] == "-" else word
    whole, dot, rest = body.partition(".")
    if not (whole.isascii() and whole.isdigit()) or (dot and not (rest.isascii() and rest.isdigit())):
        return None
    return Fraction(word)


def decimal(value: Fraction) -> str:
    """A number in the shortest decimal writing."""
    if value.denominator == 1:
        return str(value.numerator)
    digits = len(str(value.denominator))
    return f"{float(value):.{digits}f}".rstrip("0")


def changed(word: str, up: str | None = None) -> Iterator[tuple[str, str]]:
    """(kind, new word) for a number: one step up, ten times, nothing. Those that change nothing are left out.

    up: the value one step up where the unit's granularity is not one.
    """
    value = number(word)
    if value is None:
        return
    seen = {word}
    for what, new in (("+1", up or decimal(value + 1)), ("x10", decimal(value * 10)), ("0", "0")):
        if new not in seen:
            seen.add(new)
            yield what, new


def representatives(bodies: Iterable[tuple[str, object]]) -> tuple[set[str], dict[object, str]]:
    """Of the ports of each equal body the first and a middle one, and the first of each body.

    bodies: (port, body) in file order.
    """
    by_body: dict[object, list[str]] = {}
    for port, body in bodies:
        by_body.setdefault(body, []).append(port)
    chosen = {p for ports in by_body.values() for p in (ports[0], ports[len(ports) // 2])}
    return chosen, {body: ports[0] for body, ports in by_body.items()}


def of_runs(values: Sequence[tuple[str, object]]) -> set[int]:
    """Of each run of consecutive numbers with equal content: indices of the first, a middle and the last one.

    The values that no class names stand in such runs (DSCP 27 to 47, all to the default class); one is as good as another.
    """
    runs: list[list[int]] = []
    for i, (word, content) in enumerate(values):
        value = number(word)
        last = values[i - 1] if i else None
        follows = last is not None and value is not None and number(last[0]) == value - 1 and last[1] == content
        if follows:
            runs[-1].append(i)
        else:
            runs.append([i])
    return {i for run in runs for i in (run[0], run[len(run) // 2], run[-1])}


def one_of_runs(items: Sequence[tuple[object, str]]) -> set[int]:
    """Of sibling lines that differ in their first number alone, which counts up (`import 27 export 0`): those of `of_runs`.

    items: (what holds the line, line) in file order; a line without a number stands for itself.
    """
    values: list[tuple[str, object]] = []
    for i, (owner, line) in enumerate(items):
        found = re.search(r"(?<=\s)\d+(?=\s|$)", line)
        values.append((found[0], (owner, line[: found.start()], line[found.end() :])) if found else (f"-{i}", i))
    return of_runs(values)


def kept_numbers(line: str) -> Iterator[tuple[int, str]]:
    """(start, number) of the numbers in words that are a list or a range (`0-25,27`); of long runs the ends and a middle."""
    for word in re.finditer(r"(?<=\s)\d+(?:[-,]\d+)+(?=\s|$)", line):
        found = list(re.finditer(r"\d+", word[0]))
        joined = [word[0][b.start() - 1] == "," for b in found[1:]]
        # Both ends of a range are kept, only `0,1,2,3` is a run.
        at_end = {i for i, (a, b) in enumerate(pairwise([True, *joined, True])) if not (a and b)}
        kept = of_runs([(f[0], i if i in at_end else "") for i, f in enumerate(found)])
        yield from ((word.start() + f.start(), f[0]) for i, f in enumerate(found) if i in kept)


def misspelt(name: str) -> str:
    """The name as a slip of the finger leaves it: the last two characters change places, or one too many."""
    if len(name) > 2 and name[-1] != name[-2]:
        return name[:-2] + name[-1] + name[-2]
    return name + "x"
