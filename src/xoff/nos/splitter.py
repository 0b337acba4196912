"""Indented configurations (EOS, NX-OS, OS10, Enterprise SONiC, VRP, Comware) as a tree of lines.

Depth is relative: a line belongs to the nearest line above it that is indented less; columns have no meaning of their own.
Nothing is lost: every line that is not blank is a node, a comment, or part of an opaque span, once, with its number.
The cost is linear in the length of the text, whatever it holds.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field

from xoff.model.record import dataclass

#: Distinct span ends that may be searched in vain before openers are read as ordinary lines (keeps hostile input linear).
_FAILED_ENDS = 64


class Node:
    """One line and the lines under it. `line` counts from 1; the root is line 0. `text` has no indentation."""

    __slots__ = ("children", "line", "text")

    def __init__(self, line: int, text: str) -> None:
        self.line = line
        self.text = text
        self.children: list[Node] = []

    def __repr__(self) -> str:
        return f"Node({self.line}, {self.text!r}, {len(self.children)} below)"


@dataclass(frozen=True, slots=True)
class Span:
    """Lines `first` to `last` that are kept and counted but never parsed. `what`: banner, certificate, prompt …"""

    first: int
    last: int
    what: str


@dataclass(frozen=True, slots=True)
class Comment:
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """How an opaque span looks: it opens with a line that `start` matches and closes with one that `end` matches.

    No `end`: one line. In `end` the text `{delim}` stands for what the group `delim` of `start` matched.
    """

    start: re.Pattern[str]
    end: str | None
    what: str


@dataclass(slots=True)
class Tree:
    """A configuration, split. `root.children` are the lines at depth 0."""

    root: Node
    comments: list[Comment] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    total: int = 0

    def lines(self) -> Iterator[Node]:
        """All nodes below the root, in file order."""
        return below(self.root)


def below(node: Node) -> Iterator[Node]:
    """All nodes under `node`, depth first in file order, without recursion (a hostile file may be deep)."""
    stack = node.children[::-1]
    while stack:
        found = stack.pop()
        yield found
        if found.children:
            stack.extend(found.children[::-1])


def split(text: str, comments: Sequence[str] = ("!",), opaque: Sequence[Opaque] = (), separator: str | None = None) -> Tree:
    """Split `text` into a tree.

    `comments`: what a comment line starts with. `opaque`: spans that are not configuration. A span that never ends is no
    span: its first line is an ordinary line, so a stray `banner` cannot swallow the rest of the file.
    `separator`: a line of nothing else closes every block that is not indented less than it, so that in VRP and Comware an
    indented line of the system view behind `#` is no child of the view before it.
    """
    rows = text.split("\n")
    root = Node(0, "")
    tree = Tree(root, total=len(rows))
    marks = tuple(comments)
    finder = _SpanFinder(rows, opaque) if opaque else None
    may_open = finder.opens.match if finder is not None else None
    depths = [-1]
    nodes = [root]
    skip_to = 0
    for number, row in enumerate(rows, 1):
        if number <= skip_to:
            continue
        body = row.lstrip(" \t")
        stripped = body.strip(" \t\r")
        if not stripped:
            continue
        if stripped == separator:
            depth = _depth(row, body)
            while depths[-1] >= depth:
                depths.pop()
                nodes.pop()
            tree.comments.append(Comment(number, stripped))
            continue
        if marks and stripped.startswith(marks):
            tree.comments.append(Comment(number, stripped))
            continue
        if may_open is not None and finder is not None and may_open(stripped):
            span = finder.at(number, stripped)
            if span is not None:
                tree.spans.append(span)
                skip_to = span.last
                continue
        depth = _depth(row, body)
        while depths[-1] >= depth:
            depths.pop()
            nodes.pop()
        node = Node(number, stripped)
        nodes[-1].children.append(node)
        depths.append(depth)
        nodes.append(node)
    return tree


def _depth(row: str, body: str) -> int:
    """Columns of the indentation; a tab leads to the next column that eight divides."""
    depth = len(row) - len(body)
    if "\t" in row and "\t" in row[:depth]:
        return len(row[:depth].expandtabs(8))
    return depth


@functools.lru_cache(maxsize=64)
def _opens(opaque: tuple[Opaque, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{re.sub(r'[(][?]P<[^>]+>', '(?:', o.start.pattern)})" for o in opaque))


class _SpanFinder:
    """Finds the end of opaque spans. One pass over the text in all: a search that fails is never repeated."""

    def __init__(self, rows: list[str], opaque: Sequence[Opaque]) -> None:
        self._rows = rows
        self._opaque = opaque
        #: Matches where one of the spans may open.
        self.opens = _opens(tuple(opaque))
        self._absent: set[str] = set()

    def at(self, number: int, text: str) -> Span | None:
        for kind in self._opaque:
            opened = kind.start.match(text)
            if opened is None:
                continue
            if kind.end is None:
                return Span(number, number, kind.what)
            groups = opened.groupdict()
            end = kind.end.replace("{delim}", re.escape(groups["delim"] or "")) if "delim" in groups else kind.end
            last = self._search(end, number)
            if last is not None:
                return Span(number, last, kind.what)
        return None

    def _search(self, end: str, number: int) -> int | None:
        if end in self._absent or len(self._absent) >= _FAILED_ENDS:
            return None
        pattern = re.compile(end)
        for at in range(number, len(self._rows)):
            if pattern.search(self._rows[at].strip(" \t\r")):
                return at + 1
        self._absent.add(end)
        return None


def merge(nodes: Sequence[Node], key: Callable[[Node], str]) -> list[tuple[str, list[Node]]]:
    """Nodes with one key, gathered at the place of the first: `[(key, nodes in file order), …]`.

    All lines are kept; whoever takes values in file order lets the later line win.
    """
    found: dict[str, list[Node]] = {}
    for node in nodes:
        found.setdefault(key(node), []).append(node)
    return list(found.items())
