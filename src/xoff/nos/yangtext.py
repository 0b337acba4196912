"""Configurations that are a YANG tree (SR Linux), in each form in which they are shown, as one tree with one leaf per line.

Braces without semicolons (`info`), `set / …` lines (`info flat`), paths with keys in brackets and a value (gNMI), and JSON
(`info | as json`, startup files) are first brought to the same statements: the words from the root to a value, the first key of
a list entry bare, further keys behind their names. Then they are placed by the block paths of nos.yaml, as Junos's are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

from xoff.model.record import dataclass
from xoff.nos import jsontext
from xoff.nos.junosscan import Statement, Words, bare
from xoff.nos.junostext import Grammar, plant
from xoff.nos.splitter import Comment, Node, Opaque, Span, Tree

#: Words of one statement with all above it; what is deeper is cut (the deepest path of SR Linux has some forty).
_DEEPEST = 128
_JSON = re.compile(r'\s*[{\[]|(?s:.*?)"srl_nokia-[\w-]+:[\w-]+"\s*:')
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s{}\[\]"]+|\S')
_QUOTE = re.compile(r'(?<!\\)"')
#: Lines that one text in quotes may run over; a quote without an end so near is an ordinary character.
_TEXT = 200
_STEP = re.compile(r"(?P<name>[\w.:-]+)(?P<keys>(?:\[[^\[\]=]+=[^\]]*\])*)(?:/|\Z)")
_KEY = re.compile(r"\[([^\[\]=]+)=([^\]]*)\]")
#: A path with keys in brackets, or with slashes between its words (`/qos/queues/queue[name=x]/queue-index`).
_PATH = re.compile(r"/?[\w.:-]+(?:/|\[[\w-]+=)\S*(?=\s|\Z)")
#: Keys of lists with several, or whose first leaf of a common name is no key (YANG, v25.3.1).
_KEYS = {"wred-slope": ("traffic-type", "drop-probability", "enable-ecn"), "subinterface": ("index",), "input": ("id",)}
#: Names of single keys, the one that tells an entry apart before what it may hold beside it.
_ONE_KEY = ("name", "interface-id", "pfc-queue-name", "queue-name", "value", "index", "slot", "sequence", "id")


@dataclass(slots=True)
class _Scan:
    statements: list[Statement] = field(default_factory=list)
    deleted: list[tuple[Words, int]] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)


def split(text: str, grammar: Grammar, opaque: Sequence[Opaque] = ()) -> Tree:
    """The tree of a text, in whichever form. `opaque`: lines that are no configuration (prompts).

    Raises InputError for JSON that is cut off or no JSON.
    """
    found = _json(text) if _JSON.match(text) else _Lines(text.split("\n"), opaque).out
    root = Node(0, "")
    plant(root, _in_force(found), grammar, {}, set())
    return Tree(root, found.comments, found.spans, text.count("\n") + 1)


def _in_force(found: _Scan) -> Iterator[Statement]:
    """Statements that no later `delete` takes away."""
    if not found.deleted:
        yield from found.statements
        return
    last: dict[Words, int] = {}
    for words, at in found.deleted:
        last[words] = at
    for n, s in enumerate(found.statements):
        if any(last.get(s.words[:i], -1) > n for i in range(len(s.words) + 1)):
            found.spans.append(Span(s.line, s.line, "deleted"))
        else:
            yield s


# --- lines: braces, `set /`, paths --------------------------------------------------------------------------------------


class _Lines:
    """Reads lines one after the other. A statement ends with its line, except inside brackets."""

    def __init__(self, rows: Sequence[str], opaque: Sequence[Opaque]) -> None:
        self.out = _Scan()
        self._open: list[tuple[Words, tuple[tuple[int, int], ...], int]] = []
        self._filled: list[bool] = []
        self._words: list[str] = []
        self._values: list[tuple[str, int]] | None = None
        self._in_list = False
        quoted_to = 0
        for number, row in enumerate(rows, 1):
            text = row.strip()
            if not text or number <= quoted_to:
                continue
            if '"' in text and len(_QUOTE.findall(text)) % 2:
                # A text over several lines (a banner): its first line is kept, the rest is none of ours.
                ends = (
                    n for n in range(number + 1, min(len(rows), number + _TEXT) + 1) if len(_QUOTE.findall(rows[n - 1])) % 2
                )
                quoted_to = next(ends, 0)
                if quoted_to:
                    self.out.spans.append(Span(number + 1, quoted_to, "text in quotes"))
                    text = text.partition('"')[0].rstrip()
            kind = next((o for o in opaque if o.start.match(text)), None)
            if kind is not None:
                self.out.spans.append(Span(number, number, kind.what))
            elif text.startswith(("#", "!!!")):
                self.out.comments.append(Comment(number, text))
            elif not self._open and not self._in_list and self._command(text, number):
                continue
            else:
                self._feed(text, number)
                if not self._in_list:
                    self._end(number)
        self._in_list = False
        self._end(len(rows))
        while self._open:
            self._close()

    def _command(self, text: str, number: int) -> bool:
        """Whether the line is a whole statement by itself: `set / …`, `delete / …`, a path."""
        verb, _, rest = text.partition(" ")
        rest = rest.strip()
        if verb in ("set", "delete") and rest.startswith("/"):
            words, values = self._whole(rest)
        elif _PATH.match(text) and "/" in text and text.startswith("/"):
            verb = "set"
            words, values = self._whole(text)
        else:
            return False
        for value in values or [""]:
            full = (*words, value)[:_DEEPEST] if value else words[:_DEEPEST]
            if verb == "set":
                self.out.statements.append(Statement(full, number))
            else:
                self.out.deleted.append((full, len(self.out.statements)))
                self.out.spans.append(Span(number, number, verb))
        return True

    def _whole(self, text: str) -> tuple[Words, list[str]]:
        """Words of a line that begins at the root, and the values of a list at its end."""
        path = _PATH.match(text)
        start: Words = ()
        if path is not None and (text[1:2].strip() or not text.startswith("/")):
            steps = list(_steps(path[0].removeprefix("/").removesuffix(":")))
            start, text = tuple(w for step in steps for w in step), text[path.end() :]
        else:
            text = text.removeprefix("/")
        words: list[str] = []
        values: list[str] = []
        listed = False
        for token in _TOKEN.findall(text):
            if token == "[":
                listed = True
            elif token == "]":
                listed = False
            else:
                (values if listed else words).append(bare(token))
        return (*start, *words), values

    def _feed(self, text: str, number: int) -> None:
        for token in _TOKEN.findall(text):
            if token == "[":
                self._in_list, self._values = True, self._values or []
            elif token == "]":
                self._in_list = False
            elif token == "{":
                self._in_list = False
                above = self._open[-1] if self._open else ((), (), 0)
                words = (*above[0], *self._words)[:_DEEPEST]
                heads = (*above[1], (len(words), number)) if self._words else above[1]
                self._touch()
                self._open.append((words, heads[-_DEEPEST:], number))
                self._filled.append(False)
                self._words, self._values = [], None
            elif token == "}":
                self._in_list = False
                self._end(number)
                if self._open:
                    self._close()
            elif self._in_list and self._values is not None:
                self._values.append((bare(token), number))
            else:
                self._words.append(bare(token))

    def _touch(self) -> None:
        if self._filled:
            self._filled[-1] = True

    def _end(self, number: int) -> None:
        if self._words or self._values is not None:
            above = self._open[-1] if self._open else ((), (), 0)
            words = (*above[0], *self._words)[:_DEEPEST]
            self._touch()
            for value, line in self._values or ():
                self.out.statements.append(Statement((*words, value), line, above[1]))
            if not self._values:
                self.out.statements.append(Statement(words, number, above[1]))
        self._words, self._values = [], None

    def _close(self) -> None:
        words, heads, line = self._open.pop()
        if not self._filled.pop() and words:
            self.out.statements.append(Statement(words, line, heads))


def _steps(path: str) -> Iterator[Words]:
    """`queue[name=x]/queue-index` as (`queue`, `x`), (`queue-index`,); a name of a module in front is dropped."""
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None or step.end() == at:
            yield (path[at:],)
            return
        at = step.end()
        keys = _KEY.findall(step["keys"])
        more = tuple(w for name, value in keys[1:] for w in (name, value))
        yield (step["name"].rpartition(":")[2], *(value for _, value in keys[:1]), *more)


# --- JSON ---------------------------------------------------------------------------------------------------------------


def _json(text: str) -> _Scan:
    document = jsontext.read("", text)
    out = _Scan()
    stack: list[tuple[Any, Words, tuple[jsontext.Step, ...], tuple[tuple[int, int], ...]]] = [(document.data, (), (), ())]
    while stack:
        node, words, path, heads = stack.pop()
        line = document.line(path)
        below: list[tuple[Any, Words, tuple[jsontext.Step, ...], tuple[tuple[int, int], ...]]] = []
        if isinstance(node, dict) and len(words) < _DEEPEST:
            for key, value in node.items():
                if not key.startswith("_"):  # _annotate, _preamble: remarks
                    below += _entries(str(key).rpartition(":")[2], value, words, (*path, key), heads, line)
        elif isinstance(node, list) and not words:  # a list of trees, as some collectors write it
            below = [(item, (), (*path, n), ()) for n, item in enumerate(node)]
        elif words:
            out.statements.append(Statement((*words, _word(node))[:_DEEPEST], line, heads))
        if isinstance(node, dict) and not below and words:
            out.statements.append(Statement(words, line, heads))
        stack += reversed(below)
    return out


def _entries(
    name: str, value: Any, words: Words, path: tuple[jsontext.Step, ...], heads: tuple[tuple[int, int], ...], line: int
) -> list[tuple[Any, Words, tuple[jsontext.Step, ...], tuple[tuple[int, int], ...]]]:
    """What one key of an object holds: a container, the entries of a list, the values of a leaf."""
    own = (*words, name)
    above = (*heads, (len(words), line)) if words else ()
    if not isinstance(value, list):
        return [(value, own, path, above)]
    out: list[tuple[Any, Words, tuple[jsontext.Step, ...], tuple[tuple[int, int], ...]]] = []
    for n, item in enumerate(value):
        if not isinstance(item, dict):
            out.append((item, own, (*path, n), above))
            continue
        keys = [k for k in _KEYS.get(name, ()) if k in item] or [k for k in _ONE_KEY if k in item][:1]
        keys = keys or [k for k, v in item.items() if not isinstance(v, (dict, list)) and not k.startswith("_")][:1]
        said = tuple(w for i, k in enumerate(keys) for w in ((_word(item[k]),) if not i else (k, _word(item[k]))))
        rest = {k: v for k, v in item.items() if k not in keys}
        out.append((rest, (*own, *said), (*path, n), above))
    return out


def _word(value: Any) -> str:
    """A value as the command line writes it: true and false, texts with blanks in quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = "" if value is None else str(value)
    return '"' + " ".join(text.split()) + '"' if not text or any(c.isspace() for c in text) else text
