"""Port and device names folded to ranges, for people. Machine outputs list every name.

`Ethernet1-12,20`; with a step `Ethernet0-124:4`; a number that is not the last in brackets: `Ethernet[1-32]/1-4`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from xoff.model.record import dataclass

_PARTS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class _Name:
    """A name cut into texts and numbers; `numbers[i]` stands after `texts[i]`. A folded number is a range already."""

    texts: tuple[str, ...]
    numbers: tuple[str, ...]

    def __str__(self) -> str:
        out = [self.texts[0]]
        for i, number in enumerate(self.numbers):
            last = i == len(self.numbers) - 1 and not self.texts[i + 1]
            out.append(number if last or number.isdigit() else f"[{number}]")
            out.append(self.texts[i + 1])
        return "".join(out)


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sorting key in which `Ethernet4` comes before `Ethernet12`."""
    return tuple((1, int(p), p) if p.isdigit() else (0, 0, p) for p in _PARTS.split(name) if p)


def fold(names: Iterable[str]) -> str:
    """All names in natural order, runs folded. The same names always give the same text."""
    parsed = []
    for name in sorted(set(names), key=natural):
        parts = _PARTS.split(name)
        parsed.append(_Name(tuple(parts[::2]), tuple(parts[1::2])))
    for position in range(max((len(n.numbers) for n in parsed), default=0)):
        parsed = _fold_at(parsed, -1 - position)
    return _join(parsed)


def _fold_at(names: Sequence[_Name], position: int) -> list[_Name]:
    """Fold the number at `position` (from the end) of names that agree in everything else."""
    groups: dict[tuple[object, ...], list[_Name]] = {}
    for name in names:
        if len(name.numbers) < -position:
            groups[(name,)] = [name]
            continue
        at = len(name.numbers) + position
        groups.setdefault((name.texts, at, name.numbers[:at], name.numbers[at + 1 :]), []).append(name)
    out: list[_Name] = []
    for members in groups.values():
        if len(members) == 1:
            out += members
            continue
        first, at = members[0], len(members[0].numbers) + position
        text = _runs([m.numbers[at] for m in members])
        out.append(_Name(first.texts, (*first.numbers[:at], text, *first.numbers[at + 1 :])))
    return out


def _runs(numbers: Sequence[str]) -> str:
    """`1,2,3,7` -> `1-3,7`; `0,4,8` -> `0-8:4`. Runs need three members; leading zeros are kept and never folded over."""
    out: list[str] = []
    i = 0
    while i < len(numbers):
        j = i
        if i + 1 < len(numbers) and _plain(numbers[i]) and _plain(numbers[i + 1]):
            step = int(numbers[i + 1]) - int(numbers[i])
            while (
                step > 0 and j + 1 < len(numbers) and _plain(numbers[j + 1]) and int(numbers[j + 1]) - int(numbers[j]) == step
            ):
                j += 1
            if j - i >= 2:
                out.append(f"{numbers[i]}-{numbers[j]}" + (f":{step}" if step > 1 else ""))
                i = j + 1
                continue
        out.append(numbers[i])
        i += 1
    return ",".join(out)


def _plain(number: str) -> bool:
    return number == "0" or not number.startswith("0")


def _join(names: Sequence[_Name]) -> str:
    return ", ".join(str(n) for n in names)
