"""What a terminal does to a running configuration: lines wrapped at its width, an end that was cut off."""

from __future__ import annotations

import re

#: The width of a terminal that nobody set (`terminal width` unset).
WIDTH = 80
_CUT = re.compile(r"^\s*(?:\.\.\. ?)?\((?:truncated|cut|output omitted)\)\s*$|^\s*\.\.\.\s*$", re.M | re.I)
#: What can be the rest of a line: at the left edge, or behind the one blank that the line was broken before.
_REST = re.compile(r" ?\S")
#: Beginnings of lines at the left edge: what stands behind a full line and begins so is a line of its own.
_STARTS = re.compile(
    r"(?:no |!|aaa|banner|boot|class-map|clock|copp|errdisable|feature|hardware|hostname|interface|ip|ipv6|line|lldp|logging|"
    r"mac|ntp|policy-map|priority-flow-control|rmon|route-map|router|service|snmp-server|spanning-tree|switchname|system|username|"
    r"vdc|version|vlan|vpc|vrf)\b"
)


def unwrapped(text: str) -> str:
    """The text with wrapped lines joined; every other line keeps its number, an empty one stands where a rest was.

    Only in a text of which no line is longer than the terminal: a line that fills it, followed by one at the left edge that
    begins like no line of NX-OS, was one line.
    """
    rows = text.split("\n")
    if max(map(len, rows)) != WIDTH:
        return text
    out: list[str] = []
    begun, full = 0, False
    for row in rows:
        if full and _REST.match(row) and not _STARTS.match(row):
            out[begun] += row
            out.append("")
        else:
            begun = len(out)
            out.append(row)
        full = len(row) == WIDTH and not out[begun].lstrip().startswith("!")
    return "\n".join(out)


def cut_off(text: str) -> bool:
    """Whether the text says itself that something is missing."""
    return _CUT.search(text) is not None
