"""VRP text that was not printed by a switch: sessions with prompts, scripts with `quit`, pages of a manual with remarks.

A printed configuration has its depth in blanks. In a session the view stands in the prompt, in a script `quit` leaves it; both
are given their blanks here, line by line, so that places in the file stay right.
"""

from __future__ import annotations

import re

from xoff.nos.prompts import MOVES, by_view, is_session, matches

#: A remark as the manual adds it to a line of an example.
_REMARK = re.compile(r"\s+//.*\Z")
#: Lines of the system view that open a view of their own.
_OPENS = re.compile(
    r"(?:dcb pfc|dcb pfc (?!enable\Z|buffer\Z)[^\s]+|dcb pfc uplink group \S+|dcb (?:ets|app)-profile \S+|drop-profile \S+"
    r"|diffserv domain \S+|interface \S.*|port-group \S+|vlan \d+|ai-service|bgp \d+|ospf \d+|aaa"
    r"|traffic (?:classifier \S.*|behavior \S+|policy \S+))\Z"
)

#: Commands that show a part of the configuration.
_EXCERPT = re.compile(r"^\s*(?:[\[<]\S+[\]>]\s*)?(?:display this|display current-configuration \S.*)$", re.M)


def excerpt(text: str) -> bool:
    """Whether the text says itself that it is a part of a configuration: what is not in it may well be elsewhere."""
    return _EXCERPT.search(text) is not None


def plain(text: str) -> str:
    """The same lines as a switch would print them; text that it printed comes back as it is."""
    rows = text.split("\n")
    if "//" in text:
        rows = [_REMARK.sub("", row) for row in rows]
    prompts = matches(rows)
    if is_session(prompts):
        return "\n".join(by_view(rows, prompts))
    rows = [row if p is None else "" for row, p in zip(rows, prompts, strict=True)]
    if any(row.strip() == "quit" for row in rows):
        rows = _by_quit(rows)
    return "\n".join(rows)


def _by_quit(rows: list[str]) -> list[str]:
    """Lines behind one that opens a view belong to it, up to `quit` or the next that opens one; printed blanks are kept."""
    out: list[str] = []
    inside = False
    for row in rows:
        said = row.strip()
        if not said or row[0] in " \t":
            out.append(row)
        elif said in ("quit", "return"):
            inside = False
            out.append("")
        elif MOVES.match(said):
            out.append("")
        elif _OPENS.match(said):
            inside = True
            out.append(said)
        else:
            out.append(" " + said if inside and not said.startswith("#") else said)
    return out
