"""Terminal sessions of VRP and Comware: the view stands in the prompt, and each line is given the blanks of its view.

`[leaf1-HundredGigE1/0/1]qos trust dscp` is a line of that interface; `[leaf1]` is the system view, `<leaf1>` the user view.
Places in the file stay right, since each line stays where it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

#: `[~HUAWEI-1-25GE2/0/19]undo flow-control`, `<HUAWEI> system-view`.
PROMPT = re.compile(r"\s*(?:\[[~*]?(?P<view>[^\[\]<>\s]+)\]|<[^<>\s]+>)\s*(?P<said>.*)\Z")
#: What moves between views, applies or shows, and configures nothing.
MOVES = re.compile(r"(?:system-view|commit|quit|return|save|dis(?:play)?(?: .*)?)\Z")


def matches(rows: Sequence[str]) -> list[re.Match[str] | None]:
    """For each line its prompt, where it has one."""
    return [PROMPT.match(row) for row in rows]


def is_session(prompts: Sequence[re.Match[str] | None]) -> bool:
    """Whether some line was entered in the system view or below it."""
    return any(p is not None and p["view"] for p in prompts)


def by_view(rows: Sequence[str], prompts: Sequence[re.Match[str] | None]) -> list[str]:
    """Each line as deep as its view is below the system view, whose name all views of the device begin with."""
    views = {p["view"] for p in prompts if p is not None and p["view"]}
    depth = {v: sum(1 for other in views if v.startswith(other + "-")) for v in views}
    out: list[str] = []
    for row, p in zip(rows, prompts, strict=True):
        if p is None:
            out.append(row)
            continue
        said = p["said"].strip()
        out.append("" if p["view"] is None or MOVES.match(said) else " " * depth[p["view"]] + said)
    return out
