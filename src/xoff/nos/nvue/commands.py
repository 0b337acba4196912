"""`nv set` and `net add` lists (NVUE commands, the older NCLU) as leaves.

Quoted values may hold blanks, `#` and line ends, as a shell reads them. A quote that is never closed is an ordinary character,
so that one stray quote cannot swallow the rest of the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xoff.nos.nvue.leaf import Leaf, Leaves

#: `cumulus@leaf01:mgmt:~$ nv set …`; sudo in front of a command.
_PROMPT = re.compile(r"(?:[\w.-]+@[\w.-]+:[^\s$#]*[$#][ \t]*)?(?:sudo[ \t]+)?(?=(?:nv|net)[ \t])")
_COMMAND = re.compile(r"(nv|net)[ \t]+(\w+)(?:[ \t]+|$)")
_VERBS = {"nv": frozenset({"set", "unset"}), "net": frozenset({"add", "del"})}
#: A quoted value runs on for so many lines at most (a banner), with so many quotes on line ends; else it is read as no quote.
_MOST_LINES, _MOST_QUOTES = 400, 20


def read_commands(text: str) -> Leaves:
    """Every command of a list. An unclosed quote looks ahead a bounded way."""
    out = Leaves()
    rows = text.split("\n")
    at = 0
    while at < len(rows):
        number, row = at + 1, rows[at].strip(" \t\r")
        at += 1
        if not row:
            continue
        if row.startswith("#"):
            out.comments.append((number, row))
            continue
        bare = row[_length(_PROMPT.match(row)) :]
        command = _COMMAND.match(bare)
        if command is None:
            out.strange.append((number, row))
            continue
        if command[2] not in _VERBS[command[1]]:
            out.other += 1
            continue
        words, used = _words(bare[command.end() :], rows, at)
        at += used
        if words:
            head = ("net",) if command[1] == "net" else ()
            spaced = used > 0 or (("'" in row or '"' in row) and any(" " in w or "\t" in w for w in words))
            out.found.append(Leaf((*head, *words), number, command[2], number + used if used else None, spaced))
        else:
            out.strange.append((number, row))
    return out


def _length(found: re.Match[str] | None) -> int:
    return found.end() if found else 0


def _words(rest: str, rows: Sequence[str], following: int) -> tuple[tuple[str, ...], int]:
    """The words of a command and how many more rows its quoted values take."""
    if '"' not in rest and "'" not in rest:
        return tuple(rest.partition(" #")[0].split()), 0
    used = 0
    for _ in range(_MOST_QUOTES):
        words, quote = _split(rest)
        if not quote:
            return tuple(words), used
        closing = next((n for n in range(used, min(_MOST_LINES, len(rows) - following)) if quote in rows[following + n]), None)
        if closing is None:
            break
        rest = "\n".join([rest, *rows[following + used : following + closing + 1]])
        used = closing + 1
    return tuple(rest.split("\n", 1)[0].split()), 0


def _split(text: str) -> tuple[list[str], str]:
    """Words as a shell sees them, and the quote that is open at the end (else "")."""
    out: list[str] = []
    word, inside, quote = "", False, ""
    for c in text:
        if quote:
            if c == quote:
                quote = ""
            else:
                word += c
        elif c in "\"'":
            quote, inside = c, True
        elif c in " \t\n":
            if inside:
                out.append(word)
            word, inside = "", False
        elif c == "#" and not inside:
            break
        else:
            word, inside = word + c, True
    if inside:
        out.append(word)
    return out, quote
