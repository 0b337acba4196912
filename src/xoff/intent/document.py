"""A YAML file as plain data that knows where each value stands.

YAML 1.2 rules: `on`, `off`, `yes`, `no` are text, only true / false are booleans; numbers with a point stay text, since nothing
here is a bare decimal. Duplicate keys, tags, several documents, and anchors that multiply beyond reason are errors.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import yaml

from xoff.errors import IntentError, Problem
from xoff.intent.units import show
from xoff.model.origin import FileLine

Path: TypeAlias = tuple[str | int, ...]

#: Nodes that anchors and merges may add to what stands in the file.
MAX_ALIASED = 200_000
MAX_BYTES = 64 * 2**20
MAX_DEPTH = 40

_PLAIN = "plain"
_TEXT = "tag:yaml.org,2002:str"
_SEQ = "tag:yaml.org,2002:seq"
_MAP = "tag:yaml.org,2002:map"
_INT = re.compile(r"[-+]?[0-9]{1,18}\Z")
_HEX = re.compile(r"0(?:x[0-9a-fA-F]{1,15}|o[0-7]{1,20})\Z")
_WORDS: dict[str, Any] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
_WORDS |= {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}

#: What libyaml says -> what to do about it.
_HINTS = {
    "alias": "a name with * in front needs quotes",
    "mapping values are not allowed": "a value that holds ': ' needs quotes; or the indentation is off",
    "expected a single document": "one file is one intent: take the --- out",
}

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    """Parses to nodes only; scalars keep their text, and whether they were quoted."""

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> str:
        if kind is yaml.ScalarNode:
            return _PLAIN if implicit[0] else _TEXT
        return _SEQ if kind is yaml.SequenceNode else _MAP


@contextmanager
def no_collection() -> Iterator[None]:
    """Holds back the cyclic garbage collector while many small, long-lived objects are made: it costs 3x the work itself."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class Document:
    """The file: `data` (dicts, lists, str, int, bool, None; keys are text) and the place of every value."""

    def __init__(self, text: str, file: str) -> None:
        """Raises IntentError where the file is no usable YAML."""
        self.file = file
        self.lines = text.split("\n")
        self.problems: list[Problem] = []
        self._index: dict[int, dict[str, tuple[yaml.Node, yaml.Node]]] = {}
        self._aliased = 0
        if len(text) > MAX_BYTES:
            raise IntentError([Problem(file, 1, 1, f"the file is larger than {MAX_BYTES // 2**20} MiB")])
        self._seen: set[int] | None = set() if "&" in text else None
        with no_collection():
            self._root = self._compose(text)
            self.data: Any = None if self._root is None else self._build(self._root, 0)
        self._seen = None

    def _compose(self, text: str) -> yaml.Node | None:
        try:
            loader = _Loader(text)
            try:
                return loader.get_single_node()  # type: ignore[no-any-return]
            finally:
                loader.dispose()
        except yaml.MarkedYAMLError as e:
            mark = e.problem_mark or e.context_mark
            line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
            said = " ".join(part for part in (e.context, e.problem) if part)
            raise IntentError(
                [self.problem_at(line, column, f"this is no YAML: {said}", self._yaml_hint(said, line))]
            ) from None
        except yaml.reader.ReaderError as e:
            line = text.count("\n", 0, max(int(e.position), 0)) + 1
            what = f"character {ascii(chr(e.character)) if isinstance(e.character, int) else ascii(e.character)}"
            raise IntentError([self.problem_at(line, 1, f"this is no YAML: {what} is not allowed ({e.reason})")]) from None
        except (yaml.YAMLError, RecursionError, ValueError) as e:
            raise IntentError(
                [self.problem_at(1, 1, f"this is no YAML: {str(e).splitlines()[0] if str(e) else 'nests too deep'}")]
            ) from None

    def _build(self, node: yaml.Node, depth: int) -> Any:
        if self._seen is not None:
            self._count(node)
        tag = node.tag
        if tag is _PLAIN or tag == _PLAIN:
            return _scalar(node.value)
        if tag == _TEXT and isinstance(node, yaml.ScalarNode):
            return node.value
        if depth > MAX_DEPTH:
            raise IntentError([self._at(node, "this nests deeper than any intent needs")])
        if tag == _MAP and isinstance(node, yaml.MappingNode):
            table = self._index.get(id(node))
            if table is None:
                table = self._index[id(node)] = self._table(node)
            return {key: self._build(value, depth + 1) for key, (_, value) in table.items()}
        if tag == _SEQ and isinstance(node, yaml.SequenceNode):
            return [self._build(item, depth + 1) for item in node.value]
        self.problems.append(self._at(node, f"YAML tags such as {show(tag)} mean nothing here; write the plain value"))
        return node.value if isinstance(node, yaml.ScalarNode) else None

    def _count(self, node: yaml.Node) -> None:
        """Every visit beyond the first is an alias at work; their number is bounded (nested anchors multiply)."""
        assert self._seen is not None
        if id(node) in self._seen:
            self._aliased += 1
            if self._aliased > MAX_ALIASED:
                raise IntentError(
                    [self._at(node, f"anchors multiply to more than {MAX_ALIASED:,} values; write it with ranges")]
                )
        self._seen.add(id(node))

    def _table(self, node: yaml.MappingNode) -> dict[str, tuple[yaml.Node, yaml.Node]]:
        out: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        merges: list[yaml.Node] = []
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self.problems.append(self._at(key, "a key is a word, not a list or mapping"))
                continue
            if key.value == "<<" and key.tag == _PLAIN:
                merges += value.value if isinstance(value, yaml.SequenceNode) else [value]
                continue
            if key.value in out:
                first = out[key.value][0].start_mark.line + 1
                self.problems.append(
                    self._at(key, f"the key {show(key.value)} stands here twice; the first is on line {first}")
                )
                continue
            out[key.value] = (key, value)
        for source in merges:
            if not isinstance(source, yaml.MappingNode) or source is node:
                self.problems.append(self._at(source, "<< merges mappings only"))
                continue
            if self._seen is not None:
                self._aliased += len(source.value)
            # An anchor's own table may be unfinished where it merges itself; taking a fresh one is bounded by MAX_DEPTH.
            inner = self._index.get(id(source)) or self._merge_source(source)
            for name, pair in inner.items():
                out.setdefault(name, pair)
        return out

    def _merge_source(self, node: yaml.MappingNode) -> dict[str, tuple[yaml.Node, yaml.Node]]:
        self._index[id(node)] = {}
        self._index[id(node)] = self._table(node)
        return self._index[id(node)]

    def _at(self, node: yaml.Node, message: str, hint: str = "") -> Problem:
        return self.problem_at(node.start_mark.line + 1, node.start_mark.column + 1, message, hint)

    def problem_at(self, line: int, column: int, message: str, hint: str = "") -> Problem:
        """A problem at a place of this file, with the source line, made harmless for terminals, where it is short enough."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text.rstrip("\r"))
        if len(text) > 200:
            text = text[:197] + "..." if column < 190 else ""
        return Problem(self.file, line, column, message, text, hint)

    def _yaml_hint(self, said: str, line: int) -> str:
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        if "\t" in text[: len(text) - len(text.lstrip())]:
            return "indent with spaces, not tabs"
        for sign, hint in _HINTS.items():
            if sign in said:
                return hint
        return ""

    def where(self, path: Path, *, key: bool = False) -> tuple[int, int]:
        """Line and column (from 1) of the value at `path`, or of its key; of the nearest enclosing one where it is absent."""
        node = self._root
        if node is None:
            return 1, 1
        named: yaml.Node = node
        last_key: yaml.Node | None = None
        for i, part in enumerate(path):
            if isinstance(node, yaml.MappingNode):
                pair = self._index.get(id(node), {}).get(str(part))
                if pair is None:
                    return _mark(last_key or named)
                last_key, node = pair
                named = last_key if key and i == len(path) - 1 else node
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                node = node.value[part]
                named, last_key = node, None
            else:
                return _mark(named)
        return _mark(named)

    def line(self, path: Path) -> FileLine:
        """File and line of the key (or list item) at `path`."""
        return FileLine(self.file, self.where(path, key=True)[0])


def _mark(node: yaml.Node) -> tuple[int, int]:
    return node.start_mark.line + 1, node.start_mark.column + 1


def _scalar(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if first.isdigit() or first in "+-":
        if _INT.match(text):
            return int(text)
        if _HEX.match(text):
            return int(text, 0)
    return text


class Problems:
    """Collects everything wrong, each once, and raises it together."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.items: list[Problem] = list(document.problems)
        self._poisoned: set[Path] = set()

    def add(self, path: Path, message: str, hint: str = "", *, key: bool = False) -> None:
        """Something wrong at `path` (its key with `key`)."""
        line, column = self.document.where(path, key=key)
        self.items.append(self.document.problem_at(line, column, message, hint))

    def add_problem(self, problem: Problem) -> None:
        """Something wrong elsewhere (the cabling file)."""
        self.items.append(problem)

    def poison(self, path: Path) -> None:
        """`path` was wrong and has been left out: what follows from its absence is not reported again."""
        self._poisoned.add(path)

    def poisoned(self, path: Path) -> bool:
        """Whether `path` or something around it was left out."""
        return any(path[: len(p)] == p for p in self._poisoned)

    def poisoned_below(self, *prefix: str | int) -> bool:
        """Whether a whole entry directly below `prefix` (or it) was left out."""
        return any(p[: len(prefix)] == prefix and len(p) <= len(prefix) + 1 for p in self._poisoned) or self.poisoned(prefix)

    def raise_any(self) -> None:
        """Raises IntentError with all problems in the order of the file; does nothing where there is none."""
        if self.items:
            main = self.document.file
            unique = dict.fromkeys(self.items)
            raise IntentError(sorted(unique, key=lambda p: (p.file != main, p.file, p.line, p.column)))
