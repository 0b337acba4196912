"""Where the lines of a port's body stand in the file: built per port, without an object per line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xoff.model.origin import FileLine


class PortLines(Mapping[int | str, FileLine]):
    """Key -> place.

    Numbers are places in the body (own lines, then each child's header and lines), names are identity lines.
    """

    __slots__ = ("_file", "_lines", "_named")

    def __init__(self, file: str, lines: tuple[int, ...], named: Mapping[str, int] | None = None) -> None:
        self._file = file
        self._lines = lines
        self._named = named or {}

    def __getitem__(self, key: int | str) -> FileLine:
        if isinstance(key, int):
            if 0 <= key < len(self._lines):
                return FileLine(self._file, self._lines[key])
            raise KeyError(key)
        return FileLine(self._file, self._named[key])

    def __iter__(self) -> Iterator[int | str]:
        yield from range(len(self._lines))
        yield from self._named

    def __len__(self) -> int:
        return len(self._lines) + len(self._named)
