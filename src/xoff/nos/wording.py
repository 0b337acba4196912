"""Words of a line: QoS or not, shape, and what template output looks like that was never filled in."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BRACES = re.compile(r"\{\{|\}\}|\{%|%\}|<%|%>")
_EMPTY = re.compile(r"(?<![\w.\-/])(?:None|undefined|Undefined|null|NaN|nan)(?![\w.\-/])")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_DIGITS = re.compile(r"\d+")
_NAME = re.compile(r"(?<!\S)(?=\S*[A-Z_*])\S{2,}(?!\S)")


def unfilled(text: str) -> bool:
    """Whether the line holds a template's own marks (`{{ x }}`, `{% if %}`): no NOS's syntax."""
    return ("{" in text or "%" in text) and _BRACES.search(text) is not None


def empty_word(text: str) -> bool:
    """Whether the line holds what a program prints for a value that it has not: None, undefined, null."""
    return _EMPTY.search(text) is not None


def shape(text: str) -> str:
    """The line with digits as `#` and names (quoted, or with capitals, digits or underscores) as `*`."""
    return _DIGITS.sub("#", _NAME.sub("*", _QUOTED.sub("*", text)))


class QosWords:
    """The words (or phrases) by which a line is about QoS, and whether a line's beginning is one or nearly one.

    Nearly: one letter more, less, other or swapped with its neighbour, in words of three letters or more.
    """

    def __init__(self, phrases: Sequence[str]) -> None:
        self._phrases = [tuple(p.split()) for p in phrases]
        self._exact: dict[str, list[tuple[str, ...]]] = {}
        for phrase in self._phrases:
            self._exact.setdefault(phrase[0], []).append(phrase)
        self._near: dict[tuple[str, str], bool] = {}
        self._seen: dict[str, bool] = {}

    def exact(self, text: str) -> bool:
        """Whether `text` (without `no`) begins with one of the phrases."""
        words = text.split(None, 4)
        if not words:
            return False
        return any(tuple(words[: len(p)]) == p for p in self._exact.get(words[0], ()))

    def near(self, text: str) -> bool:
        """Whether `text` begins with one of the phrases, or would with one letter changed."""
        words = text.split(None, 4)
        if not words:
            return False
        start = " ".join(words[:4])
        found = self._seen.get(start)
        if found is None:
            if len(self._seen) > 65536:
                self._seen.clear()
            found = self._seen[start] = self.exact(text) or any(self._nearly(words, p) for p in self._phrases)
        return found

    def _nearly(self, words: Sequence[str], phrase: tuple[str, ...]) -> bool:
        if len(words) < len(phrase):
            return False
        wrong = [(w, p) for w, p in zip(words, phrase, strict=False) if w != p]
        return len(wrong) == 1 and len(wrong[0][1]) >= 3 and one_edit(*wrong[0])


def one_edit(a: str, b: str) -> bool:
    """Whether `a` becomes `b` by exactly one insertion, deletion, substitution or swap of neighbours."""
    if a == b or abs(len(a) - len(b)) > 1:
        return False
    at = 0
    while at < min(len(a), len(b)) and a[at] == b[at]:
        at += 1
    if len(a) == len(b):
        swapped = a[at : at + 2] == b[at : at + 2][::-1] and a[at + 2 :] == b[at + 2 :]
        return swapped or a[at + 1 :] == b[at + 1 :]
    return a[at + 1 :] == b[at:] if len(a) > len(b) else a[at:] == b[at + 1 :]
