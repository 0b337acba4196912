"""NVUE's tree as YAML: nodes for the template, words quoted where YAML would read them as something else; port ranges."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field

from xoff.model.record import dataclass
from xoff.nos.renderer import one_line

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")
#: Plain words that YAML 1.1 reads as true, false or null.
_NOT_TEXT = frozenset({"on", "off", "yes", "no", "y", "n", "true", "false", "null"})
_NUMBER = re.compile(r"(0|[1-9][0-9]*)\Z")
_LIST = re.compile(r"[0-9]+(,[0-9]+)+\Z")
_SETS = frozenset({"switch-priority"})
#: Below these a `switch-priority` is a value, not a set.
_ROWS = frozenset({"dscp", "pcp"})


@dataclass(slots=True)
class Node:
    """A key with a value, with nodes below it, or with neither (`{}`)."""

    key: str
    value: str | None = None
    children: list[Node] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the document. `open`: more follows below it."""

    indent: str
    key: str
    value: str | None
    open: bool


def document(statements: Iterable[tuple[tuple[str, ...], str | None]]) -> list[Row]:
    """The statements as lines of a tree.

    A member of a set (`switch-priority 3` of a pool or PFC profile) is a key, as NVUE has it.
    A list of numbers (`dscp 10,21`) becomes one node each.
    """
    root = Node("")
    index: dict[tuple[str, ...], Node] = {(): root}
    for words, value in statements:
        member = value is not None and words[-1] in _SETS and words[-3] not in _ROWS
        for path in _each((*words, value) if member and value is not None else words):
            for depth in range(1, len(path) + 1):
                if path[:depth] not in index:
                    node = index[path[:depth]] = Node(quoted(path[depth - 1], key=True))
                    index[path[: depth - 1]].children.append(node)
            if value is not None and not member:
                index[path].value = quoted(value)
    return list(_rows(root.children, ""))


def _rows(nodes: list[Node], indent: str) -> Iterable[Row]:
    for node in nodes:
        yield Row(indent, node.key, node.value, bool(node.children))
        yield from _rows(node.children, indent + "  ")


def _each(words: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    """The path once for each number of a list in it."""
    at = next((i for i, w in enumerate(words) if _LIST.match(w)), None)
    return [words] if at is None else [(*words[:at], n, *words[at + 1 :]) for n in words[at].split(",")]


def quoted(text: str, key: bool = False) -> str:
    """A scalar that every YAML reader takes for this text; numbers stand bare as values only."""
    one_line(text, "value")
    if _PLAIN.match(text) and text.lower() not in _NOT_TEXT:
        return text
    if _NUMBER.match(text) and not key:
        return text
    return "'" + text.replace("'", "''") + "'"


def compressed(names: list[str]) -> str:
    """`swp1-4,swp6`, `swp1s0-1,swp2s0`: runs of numbers behind one stem as ranges."""
    runs: list[tuple[str, int, int]] = []
    for name in names:
        found = re.fullmatch(r"(.*?)(0|[1-9][0-9]*)", name)
        if found is None:
            runs.append((name, -1, -1))
        elif runs and runs[-1][0] == found[1] and runs[-1][2] == int(found[2]) - 1:
            runs[-1] = (found[1], runs[-1][1], int(found[2]))
        else:
            runs.append((found[1], int(found[2]), int(found[2])))
    return ",".join(s if low < 0 else f"{s}{low}" if low == high else f"{s}{low}-{high}" for s, low, high in runs)
