"""Junos configurations, in braces and as `set` lines, as statements: lists of words from the top down, with their lines.

Both forms may be in one text, and `[edit …]` banners above relative statements. Nothing is lost: every line that is not blank
is a statement's, a comment or part of a span, or holds nothing but brackets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field

from xoff.model.record import dataclass
from xoff.nos.splitter import Comment, Opaque, Span

#: Words that one statement may hold with all the headers above it; what is deeper is cut (no configuration comes near).
_DEEPEST = 128

_COMMAND = re.compile(
    r"(?:set|delete|deactivate|activate|annotate|edit|top|up|exit|insert|rename|copy|protect|unprotect|wildcard)(?:\s|$)"
)
#: The banner of configuration mode above statements that are relative to it.
_BANNER = re.compile(r"\[edit(?: ([^\[\]]*))?\]\Z")
_TOKEN = re.compile(r'/\*|#.*|"(?:[^"\\]|\\.)*"|[{};\[\]]|[^\s{};\[\]"#][^\s{};\[\]"]*|\S')
#: Marks in front of a statement or block. `inactive:` and `delete:` (in files to be loaded) take it away.
_MARKS = frozenset({"inactive:", "protect:", "replace:", "delete:", "merge:"})
_AWAY = {"inactive:": "inactive", "delete:": "deleted"}
#: Commands that change what stands already in a way that is not followed; they stay lines of their own.
_UNFOLLOWED = frozenset({"insert", "rename", "copy", "protect", "unprotect", "wildcard"})

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement with the words of all headers above it. `heads`: (number of words up to its end, line) of each header."""

    words: Words
    line: int
    heads: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class Scan:
    """A text as statements. `commands`: (word, words, place in `statements`) of what takes statements away, in file order.

    `headers`: lines that open a block.
    """

    statements: list[Statement] = field(default_factory=list)
    commands: list[tuple[str, Words, int]] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    raw: list[tuple[str, int]] = field(default_factory=list)
    headers: set[int] = field(default_factory=set)


@dataclass(slots=True)
class _Open:
    """A block that is open: words before it, its headers, where it begins, whether a statement was found in it, and why it is
    taken away."""

    words: Words
    heads: tuple[tuple[int, int], ...]
    line: int
    empty: bool = True
    away: str = ""


class _Scanner:
    """Reads lines one after the other; the state between lines is the open blocks and the words of a statement begun."""

    def __init__(self, rows: Sequence[str]) -> None:
        self.out = Scan()
        self._rows = rows
        self._open: list[_Open] = []
        self._words: list[str] = []
        self._values: list[tuple[str, int]] | None = None
        self._in_list = False
        self._mark = ""
        self._begun = 0
        self._comment = 0
        self._string = 0
        self._context: list[Words] = []
        self._last_close = max((n for n, r in enumerate(rows, 1) if "*/" in r), default=0)

    def run(self, opaque: Sequence[Opaque]) -> Scan:
        for number, row in enumerate(self._rows, 1):
            text = row.strip()
            if self._comment or self._string:
                self._inside(row, number)
                continue
            if not text:
                continue
            kind = next((o for o in opaque if o.start.match(text)), None)
            if kind is not None:
                self.out.spans.append(Span(number, number, kind.what))
            elif not self._open and not self._in_list and (banner := _BANNER.match(text)):
                self._end(number)
                self._context = [tuple(banner[1].split())[:_DEEPEST]] if banner[1] else []
                self.out.spans.append(Span(number, number, "edit"))
            elif not self._open and not self._in_list and _COMMAND.match(text):
                self._end(number)
                self._command(text, number)
            else:
                self._feed(text, number)
                if not self._open and not self._in_list:
                    self._end(number)
        self._end(len(self._rows))
        while self._open:
            self._close(len(self._rows))
        return self.out

    # --- braces ---

    def _inside(self, row: str, number: int) -> None:
        """A line of a comment or string that began on an earlier one."""
        start = self._comment or self._string
        mark = "*/" if self._comment else '"'
        end = row.find(mark)
        if end < 0:
            return
        if self._comment:
            self.out.comments += [Comment(n, self._rows[n - 1].strip()) for n in range(start, number + 1)]
        else:
            self.out.spans.append(Span(start, number, "text in quotes"))
        self._comment = self._string = 0
        self._feed(row[end + len(mark) :].strip(), number)

    def _feed(self, text: str, number: int) -> None:
        for found in _TOKEN.finditer(text):
            token = found[0]
            if token == "/*":
                end = text.find("*/", found.end())
                if end >= 0:
                    self.out.comments.append(Comment(number, text[found.start() : end + 2]))
                    self._feed(text[end + 2 :], number)
                    return
                if number < self._last_close:
                    self._comment = number
                    return
                self._word("/*", number)  # it never ends, so it is none
            elif token[0] == "#":
                self.out.comments.append(Comment(number, token))
            elif token == '"' and text.startswith("-----BEGIN", found.end()):
                self._word('"-----BEGIN"', number)
                self._string = number
                return
            elif token in "{};[]":
                self._bracket(token, number)
            else:
                self._word(bare(token), number)

    def _word(self, word: str, number: int) -> None:
        if self._in_list and self._values is not None:
            self._values.append((word, number))
            return
        self._begun = self._begun or number
        if number != self._begun:
            self.out.spans.append(Span(number, number, "rest of a statement"))
        if not self._words and word in _MARKS:
            self._mark = self._mark or _AWAY.get(word, "")
            return
        self._words.append(word)

    def _bracket(self, token: str, number: int) -> None:
        if token == "[":
            self._in_list = True
            self._values = self._values or []
            self._begun = self._begun or number
        elif token == "]":
            self._in_list = False
        elif token == "{":
            if self._values is not None:
                self._end(number)  # a list is the end of a statement, no header
            above = self._open[-1] if self._open else None
            if above is not None:
                above.empty = False
            words = (above.words if above else self._here()) + tuple(self._words)
            heads = (above.heads if above else ()) + (((len(words), self._begun or number),) if self._words else ())
            away = (above.away if above else "") or self._mark
            if self._words:
                self.out.headers.add(self._begun or number)
            self._open.append(_Open(words[:_DEEPEST], heads[-_DEEPEST:], self._begun or number, away=away))
            self._clear()
        else:
            self._in_list = False
            self._end(number)
            if token == "}" and self._open:
                self._close(number)

    def _end(self, number: int) -> None:
        """The statement begun ends here."""
        if not self._words and not self._values:
            if self._begun:  # a mark, or an empty list, in front of nothing
                self.out.spans.append(Span(self._begun, max(number, self._begun), "nothing"))
            self._clear()
            return
        above = self._open[-1] if self._open else None
        if above is not None:
            above.empty = False
        away = (above.away if above else "") or self._mark
        if away:
            if above is None or not above.away:
                self.out.spans.append(Span(self._begun, max(number, self._begun), away))
        else:
            words = ((above.words if above else self._here()) + tuple(self._words))[:_DEEPEST]
            heads = above.heads if above else ()
            if self._values is None:
                self.out.statements.append(Statement(words, self._begun, heads))
            if self._values:
                self.out.headers.add(self._begun)  # its values may stand on lines of their own
            for value, line in self._values or ():
                self.out.statements.append(Statement((*words, value), line, heads))
            if self._values == []:
                self.out.statements.append(Statement(words, self._begun, heads))
        self._clear()

    def _close(self, number: int) -> None:
        done = self._open.pop()
        above = self._open[-1] if self._open else None
        if done.away:
            if above is None or not above.away:
                self.out.spans.append(Span(done.line, number, done.away))
        elif done.empty and done.words:
            self.out.statements.append(Statement(done.words, done.line, done.heads))

    def _here(self) -> Words:
        """The level that statements are relative to: after `edit …`, or below its banner."""
        return self._context[-1] if self._context else ()

    def _clear(self) -> None:
        self._words = []
        self._values = None
        self._in_list = False
        self._mark = ""
        self._begun = 0

    # --- commands ---

    def _command(self, text: str, number: int) -> None:
        verb, _, rest = text.partition(" ")
        if verb in _UNFOLLOWED:
            self.out.raw.append((" ".join(text.split()), number))
            return
        if verb == "annotate":
            self.out.comments.append(Comment(number, text))
            return
        words, values = self._line(rest, number)
        full = (self._here() + words)[:_DEEPEST]
        if verb == "set":
            if not full and not values:
                self.out.spans.append(Span(number, number, "set"))
                return
            for value in values or [""]:
                self.out.statements.append(Statement((*full, value) if value else full, number))
            return
        self.out.spans.append(Span(number, number, verb))
        if verb == "edit":
            self._context.append(full)
        elif verb == "top":
            self._context.clear()
            if words[:1] in (("edit",), ("set",)):  # `top set …`
                self.out.spans.pop()
                self._command(rest, number)
        elif verb in ("up", "exit"):
            if self._context:
                self._context.pop()
        else:
            self.out.commands += [
                (verb, (*full, value) if value else full, len(self.out.statements)) for value in values or [""]
            ]

    def _line(self, text: str, number: int) -> tuple[Words, list[str]]:
        """Words of a command, and the values of a list at its end."""
        words: list[str] = []
        values: list[str] = []
        listed = False
        for found in _TOKEN.finditer(text):
            token = found[0]
            if token[0] == "#" or token == "/*":
                self.out.comments.append(Comment(number, text[found.start() :]))
                break
            if token == "[":
                listed = True
            elif token == "]":
                listed = False
            elif token != ";":
                (values if listed else words).append(bare(token))
        return tuple(words), values


def scan(text: str, opaque: Sequence[Opaque] = ()) -> Scan:
    """A text as statements, whichever of the two forms it has, or both. Never raises; the cost is linear in its length."""
    return _Scanner(text.split("\n")).run(opaque)


def bare(token: str) -> str:
    """A word without the quotes that it does not need; a text with blanks keeps them and stays one word."""
    if len(token) > 2 and token[0] == token[-1] == '"' and not any(c.isspace() for c in token):
        return token[1:-1]
    return token
