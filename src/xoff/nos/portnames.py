"""Interface names with ranges, for NOSes that write them as one word and a number: `Ethernet1/1-3,5`."""

from __future__ import annotations

import re
from collections.abc import Callable

_PIECE = re.compile(r"(?:([A-Za-z][A-Za-z-]*?)\s*)?(\d[\d/.]*)\s*(?:-\s*(\d[\d/.]*))?\Z")
#: A range that gives more than this is not expanded: no switch has so many ports.
MOST = 4096


def expand(text: str, kind: Callable[[str], str]) -> tuple[str, ...]:
    """Full names of what stands behind `interface`, in the order in which they are said.

    Pieces are separated by commas; a piece without a word or without a card goes on from the piece before it
    (`Et1/1-3,5` is ports 1, 2, 3, 5 of card 1). kind: the full form of the word that a name begins with.
    A name that is none of these comes back as it is.
    """
    whole = text.strip()
    out: list[str] = []
    word, base = "", ""
    for piece in whole.split(","):
        found = _PIECE.match(piece.strip())
        if found is None or not (found[1] or word):
            return (whole,)
        word = kind(found[1]) if found[1] else word
        first, last = found[2], found[3]
        if "/" not in first and not found[1]:
            first = base + first
        base = first[: first.rfind("/") + 1]
        head, start = _last(first)
        end = (last or "").rsplit("/", 1)[-1]
        if last is None or start is None or not end.isdecimal() or not 0 <= int(end) - start < MOST:
            out.append(word + (first if last is None else f"{first}-{last}"))
        else:
            out += [f"{word}{head}{n}" for n in range(start, int(end) + 1)]
        if len(out) > MOST:
            return (whole,)
    return tuple(dict.fromkeys(out))


def _last(text: str) -> tuple[str, int | None]:
    head, sep, tail = text.rpartition("/") if "/" in text else text.rpartition(".")
    return head + sep, int(tail) if tail.isdecimal() and len(tail) <= 9 else None
