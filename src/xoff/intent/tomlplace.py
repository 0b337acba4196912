"""Where a key stands in a TOML file: tomllib gives values only, so the places are searched in the text."""

from __future__ import annotations

import re

_HEADER = re.compile(r"\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=""")
_WORD = re.compile(r""""([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+)""")


class Places:
    """Line and column (from 1) of paths such as `("devices", 0, "nos")`."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self._at: dict[tuple[str | int, ...], tuple[int, int]] = {}
        self._scan()

    def _scan(self) -> None:
        table: tuple[str | int, ...] = ()
        counts: dict[tuple[str | int, ...], int] = {}
        multiline = ""
        for number, line in enumerate(self.lines, 1):
            if multiline:
                multiline = "" if multiline in line else multiline
                continue
            for quote in ('"""', "'''"):
                if line.count(quote) == 1:
                    multiline = quote
            if m := _HEADER.match(line):
                table = self._resolve(_words(m[2]), counts)
                if m[1] == "[[":
                    counts[table] = counts.get(table, -1) + 1
                    table = (*table, counts[table])
                self._at.setdefault(table, (number, m.start(2) + 1))
            elif m := _KEY.match(line):
                words = _words(m[1])
                for depth in range(1, len(words) + 1):
                    self._at.setdefault((*table, *words[:depth]), (number, m.start(1) + 1))

    def _resolve(self, words: tuple[str, ...], counts: dict[tuple[str | int, ...], int]) -> tuple[str | int, ...]:
        """A header's path, with the number of the entry after each array of tables around it."""
        out: tuple[str | int, ...] = ()
        for i, word in enumerate(words):
            out = (*out, word)
            if out in counts and i < len(words) - 1:
                out = (*out, counts[out])
        return out

    def find(self, path: tuple[str | int, ...]) -> tuple[int, int]:
        """The place of `path`; of the word in its parent's value where it stands inline; else of what is around it."""
        for depth in range(len(path), 0, -1):
            found = self._at.get(path[:depth])
            if found is None:
                continue
            line, column = found
            for word in path[depth:]:
                line, column = self._inside(line, column, str(word)) or (line, column)
            return line, column
        return 1, 1

    def _inside(self, line: int, column: int, word: str) -> tuple[int, int] | None:
        """The word after a place, on its line or on those that continue its value."""
        pattern = re.compile(rf"(?<![A-Za-z0-9_-]){re.escape(word)}(?![A-Za-z0-9_-])")
        for number in range(line, min(line + 200, len(self.lines)) + 1):
            text = self.lines[number - 1]
            if number > line and (_HEADER.match(text) and not text.lstrip().startswith("[[") and "," not in text):
                return None
            if m := pattern.search(text, column if number == line else 0):
                return number, m.start() + 1
        return None


def _words(text: str) -> tuple[str, ...]:
    return tuple(m[1] if m[1] is not None else m[2] if m[2] is not None else m[3] for m in _WORD.finditer(text))
