"""JSON as configuration text: plain data fast, places only when somebody asks.

`read` uses the standard library's C scanner. Two things it does not tell are added: keys that occur twice in one object (a
reader keeps the last and drops the first without a word) and the line of every key, found in one linear pass when needed.
Numbers stay text as written, since configuration values are text and must not be rounded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from xoff.errors import InputError
from xoff.model.origin import FileLine
from xoff.model.record import dataclass

Step: TypeAlias = str | int
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[{}\[\]]|[^\s",:{}\[\]]+', re.DOTALL)
_START = re.compile(r"^[ \t]*[\[{]", re.MULTILINE)
#: A shell or CLI prompt that a captured output may end with.
_PROMPT = re.compile(r"\s*[\w.@:~/ -]{1,80}[#$>][ \t]*[\w ./-]*\s*")


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A key said twice in one object. `path` leads to it; `lost` is what the earlier occurrence said and no reader sees."""

    path: tuple[Step, ...]
    first: FileLine
    second: FileLine
    lost: Any


class _Node:
    """Line of a key, and its children."""

    __slots__ = ("children", "line")

    def __init__(self, line: int) -> None:
        self.line = line
        self.children: dict[Step, _Node] = {}


class Document:
    """One parsed JSON text. `data` is plain data: dict, list, str, bool, None; the last of two equal keys holds."""

    __slots__ = ("_lost", "_root", "_start", "_text", "data", "file")

    def __init__(self, file: str, text: str, data: Any, lost: Sequence[tuple[int, str, Any]], start: int) -> None:
        self.file, self.data = file, data
        self._text, self._lost, self._start = text, lost, start
        self._root: _Node | None = None

    def line(self, path: Sequence[Step]) -> int:
        """Line of the key at the end of `path` (counted from 1), or of the closest parent that is there."""
        node = self._root if self._root is not None else self._scan()[0]
        for step in path:
            child = node.children.get(step)
            if child is None:
                break
            node = child
        return node.line

    def at(self, path: tuple[Step, ...]) -> FileLine:
        """The place of a key; its line is looked up when it is first read."""
        return LateLine(self, path)

    def duplicates(self) -> list[Duplicate]:
        """Every key that occurs twice in one object, in the order of the objects' ends."""
        if not self._lost:
            return []
        places = self._scan()[1]
        lost: dict[tuple[int, str], list[Any]] = {}
        for number, key, value in self._lost:
            lost.setdefault((number, key), []).append(value)
        out = []
        for number, key, path, first, second in sorted(places, key=lambda p: p[0]):
            values = lost.get((number, key))
            if values:
                out.append(Duplicate(path, FileLine(self.file, first), FileLine(self.file, second), values.pop(0)))
        return out

    def _scan(self) -> tuple[_Node, list[tuple[int, str, tuple[Step, ...], int, int]]]:
        """One pass over the text: the tree of lines, and repeated keys with the number of their object (by its end)."""
        text = self._text
        count = text.count
        root = _Node(count("\n", 0, self._start) + 1)
        repeated: list[tuple[int, str, tuple[Step, ...], int, int]] = []
        # One frame per open bracket: node, index of the next element (None in an object), step that led here, own repeats.
        stack: list[tuple[_Node, list[int] | None, Step | None, list[tuple[str, int, int]]]] = []
        node, index, own = root, None, []
        pending: tuple[_Node, Step | None] | None = (root, None)
        line, last, closed = root.line, self._start, 0
        for m in _TOKEN.finditer(text, self._start):
            at = m.start()
            line += count("\n", last, at)
            last = at
            ch = text[at]
            if ch == '"' and m.group(2) is not None and index is None and stack:
                key = m.group(1)
                if "\\" in key:
                    key = json.loads(f'"{key}"', strict=False)
                child = _Node(line)
                if key in node.children:
                    own.append((key, node.children[key].line, line))
                node.children[key] = child
                pending = (child, key)
                continue
            if ch in "{[":
                if pending is None:
                    child = _Node(line)
                    if index is not None:
                        node.children[index[0]] = child
                        pending = (child, index[0])
                        index[0] += 1
                    else:
                        pending = (child, None)
                stack.append((node, index, pending[1], own))
                node, own = pending[0], []
                index = None if ch == "{" else [0]
                pending = None
                continue
            if ch in "}]":
                if not stack:
                    break
                if ch == "}":
                    if own:
                        path = tuple(s for _, _, s, _ in stack if s is not None)
                        repeated += [(closed, k, (*path, k), a, b) for k, a, b in own]
                    closed += 1
                node, index, _, own = stack.pop()
                if not stack:
                    break
                continue
            if pending is not None:
                pending = None
            elif index is not None:
                node.children[index[0]] = _Node(line)
                index[0] += 1
        self._root = root
        return root, repeated


class LateLine(FileLine):
    """A FileLine whose number is looked up when it is read, so that a file nobody asks about is never scanned.

    Equal to, and hashed like, the FileLine it stands for; pickles as one.
    """

    __slots__ = ("_doc", "_path")
    _doc: Document
    _path: tuple[Step, ...]

    def __init__(self, doc: Document, path: tuple[Step, ...]) -> None:
        object.__setattr__(self, "file", doc.file)
        object.__setattr__(self, "_doc", doc)
        object.__setattr__(self, "_path", path)

    @property
    def line(self) -> int:
        return self._doc.line(self._path)

    @property
    def end_line(self) -> int | None:
        return None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FileLine):
            return NotImplemented
        return (self.file, self.line, self.end_line) == (other.file, other.line, other.end_line)

    def __hash__(self) -> int:
        return hash((self.file, self.line, self.end_line))

    def __repr__(self) -> str:
        return f"FileLine(file={self.file!r}, line={self.line!r}, end_line=None)"

    def __reduce__(self) -> tuple[Any, ...]:
        return FileLine, (self.file, self.line, self.end_line)


def looks_like_json(text: str) -> bool:
    """Whether the first thing that is not blank or preamble opens an object or array."""
    return _START.search(text) is not None


def read(file: str, text: str) -> Document:
    """Parse a JSON text that may have capture lines before it and a prompt after it.

    Raises InputError with the line: cut off, not JSON, something else after the end, nested too deep.
    """
    first = _START.search(text)
    if first is None:
        raise InputError(file, 1, "no JSON here: nothing in the file begins an object or an array")
    start = first.end() - 1
    lost: list[tuple[int, str, Any]] = []
    number = 0

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal number
        out = dict(items)
        if len(out) != len(items):
            last = {k: i for i, (k, _) in enumerate(items)}
            lost.extend((number, k, v) for i, (k, v) in enumerate(items) if last[k] != i)
        number += 1
        return out

    decoder = json.JSONDecoder(object_pairs_hook=pairs, parse_int=str, parse_float=str, parse_constant=str, strict=False)
    try:
        data, end = decoder.raw_decode(text, start)
    except json.JSONDecodeError as e:
        line = text.rstrip().count("\n") + 1 if e.pos >= len(text.rstrip()) else e.lineno
        raise InputError(file, line, _why(text, e)) from None
    except RecursionError:
        raise InputError(file, 1, "nested deeper than any configuration is; not read") from None
    rest = text[end:]
    if rest.strip() and not _PROMPT.fullmatch(rest):
        line = text.count("\n", 0, end + len(rest) - len(rest.lstrip())) + 1
        raise InputError(file, line, "the JSON ends before this line, and something else follows; one JSON document per file")
    return Document(file, text, data, lost, start)


def _why(text: str, e: json.JSONDecodeError) -> str:
    if e.pos >= len(text.rstrip()) or e.msg.startswith("Unterminated string"):
        return f"the JSON stops in the middle (column {e.colno}): the file is cut off, nothing in it is judged; copy it whole"
    before = text[: e.pos].rstrip()[-1:]
    hint = ""
    if before == "," and text[e.pos : e.pos + 1] in "}]":
        hint = " (a comma before a closing bracket)"
    elif "delimiter" in e.msg:
        hint = " (a comma or a colon is missing)"
    elif "property name" in e.msg and before == ",":
        hint = " (a comma too many before this)"
    return f"not valid JSON at column {e.colno}: {e.msg[0].lower()}{e.msg[1:]}{hint}"
