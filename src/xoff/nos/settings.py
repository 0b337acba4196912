"""Statements as settings by name: a value with the line it stands on, for NOSes whose ports are blocks of lines.

The value None means: taken back (`no`, `default`, `undo`), so the device's own default holds. Origins of a port's own lines
are places inside its body, so that equal bodies have equal settings.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from xoff.model.origin import Origin
from xoff.model.record import dataclass
from xoff.nos.reader import Block


@dataclass(frozen=True, slots=True)
class Setting:
    value: Any
    origin: Origin


@dataclass(frozen=True, slots=True)
class Wrong:
    """A value that the NOS cannot mean. `place`: number of the block (0 its own lines, 1 its first child …) and index in it."""

    place: tuple[int, int]
    message: str
    expected: str


@dataclass(frozen=True, slots=True)
class Bad:
    """What a reader of statements gives in place of a value that the NOS cannot mean."""

    message: str
    expected: str


@dataclass(slots=True)
class Settings:
    """Settings by name. Names: `trust`, `pfc.mode`, `pfc.priority.3`, `watchdog.detect`, `queue.unicast.3.ecn` …"""

    said: dict[str, Setting] = field(default_factory=dict)
    wrong: list[Wrong] = field(default_factory=list)

    def value(self, name: str, default: Any = None) -> Any:
        found = self.said.get(name)
        return default if found is None or found.value is None else found.value

    def origin(self, name: str) -> Origin | None:
        found = self.said.get(name)
        return None if found is None else found.origin


def offsets(block: Block) -> list[int]:
    """Where the lines of the block and of its children start in the list that `PortLines` holds (headers before children)."""
    out, at = [0], len(block.lines)
    for child in block.children:
        out.append(at + 1)
        at += 1 + len(child.lines)
    return out


def flat(block: Block) -> tuple[int, ...]:
    """File lines in the order of body keys: the block's own, then each child's header and lines."""
    if not block.children:
        return block.lines
    out = list(block.lines)
    for child in block.children:
        out.append(child.line)
        out += child.lines
    return tuple(out)
