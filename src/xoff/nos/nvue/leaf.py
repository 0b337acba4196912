"""What one line of an NVUE configuration says, in whichever form it stands."""

from __future__ import annotations

from dataclasses import field

from xoff.model.record import dataclass


@dataclass(frozen=True, slots=True)
class Leaf:
    """One statement: the words from the root of the tree to its value (`qos pfc default-global switch-priority 3,4`).

    `verb`: `set` or `unset` (NVUE), `add` or `del` (NCLU). `line` counts from 1; `end_line` where a quoted value runs on.
    An empty mapping or a command without a value gives the words down to it. `spaced`: a quoted word holds blanks (a
    description, a banner), so the words cannot be told from their text alone.
    """

    words: tuple[str, ...]
    line: int
    verb: str = "set"
    end_line: int | None = None
    spaced: bool = False

    @property
    def text(self) -> str:
        return " ".join(self.words)


@dataclass(slots=True)
class Leaves:
    """A file as leaves, in file order.

    `header`: leaves of the document's `header` section. `comments`: (line, text). `strange`: (line, text) of lines that are
    no command. `other`: lines that say nothing of the configuration (`nv config apply`, prompts), counted.
    """

    found: list[Leaf] = field(default_factory=list)
    header: list[Leaf] = field(default_factory=list)
    comments: list[tuple[int, str]] = field(default_factory=list)
    strange: list[tuple[int, str]] = field(default_factory=list)
    other: int = 0
