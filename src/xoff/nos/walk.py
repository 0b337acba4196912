"""Finds the files below the PATHs of a command line: sorted, no hidden ones, never outside the tree, never in a circle."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import field

from xoff.errors import InputError
from xoff.model.record import dataclass
from xoff.nos.natural import natural

#: xoff's own files lie beside configurations and are none.
_OWN = frozenset({"xoff.toml", "xoff-exceptions.yaml", "pyproject.toml"})


@dataclass(frozen=True, slots=True)
class Found:
    """A regular file. `named`: it stands on the command line itself. `root`: the PATH it was found below."""

    path: str
    root: str
    named: bool

    @property
    def folder(self) -> str:
        return os.path.dirname(self.path)

    @property
    def top(self) -> str:
        """The sub-folder of `root` that holds it; "" directly in `root`, or for a named file."""
        if self.named:
            return ""
        first, _, rest = os.path.relpath(self.path, self.root).replace(os.sep, "/").partition("/")
        return first if rest else ""


@dataclass(slots=True)
class Walk:
    """What was found. `problems`: what should have been read and could not. `skipped`: (path, reason)."""

    files: list[Found] = field(default_factory=list)
    problems: list[InputError] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)


def walk(paths: Sequence[str]) -> Walk:
    """All files of the paths, each once, in natural order of the paths as given. Opens nothing."""
    out = Walk()
    seen: dict[str, str] = {}
    for path in paths:
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as e:
            out.problems.append(InputError(path, 0, f"cannot be read: {_reason(e)}"))
            continue
        if stat.S_ISDIR(mode):
            _folder(path, path, os.path.realpath(path), out, seen, frozenset())
        elif stat.S_ISREG(mode):
            _file(Found(path, path, named=True), out, seen)
        else:
            out.problems.append(InputError(path, 0, f"is {_kind(mode)}, not a file"))
    return out


def _folder(path: str, root: str, real_root: str, out: Walk, seen: dict[str, str], above: frozenset[str]) -> None:
    real = os.path.realpath(path)
    if real in above:
        out.skipped.append((path, "symbolic link to a folder that it lies in"))
        return
    try:
        entries = sorted(_entries(path), key=lambda e: natural(e.name))
    except OSError as e:
        out.problems.append(InputError(path, 0, f"cannot be read: {_reason(e)}"))
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name in _OWN or entry.name == "__pycache__":
            continue
        if entry.is_symlink() and not _within(os.path.realpath(entry.path), real_root):
            out.skipped.append((entry.path, "symbolic link that leads out of the folder given"))
            continue
        try:
            mode = entry.stat().st_mode
        except OSError as e:
            out.skipped.append((entry.path, f"leads nowhere: {_reason(e)}"))
            continue
        if stat.S_ISDIR(mode):
            _folder(entry.path, root, real_root, out, seen, above | {real})
        elif stat.S_ISREG(mode):
            _file(Found(entry.path, root, named=False), out, seen)
        else:
            out.skipped.append((entry.path, f"is {_kind(mode)}"))


def _entries(path: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(path) as entries:
        yield from entries


def _file(found: Found, out: Walk, seen: dict[str, str]) -> None:
    real = os.path.realpath(found.path)
    if real in seen:
        if os.path.normpath(seen[real]) != os.path.normpath(found.path):
            out.skipped.append((found.path, f"is the same file as {seen[real]}"))
        return
    seen[real] = found.path
    if not os.access(found.path, os.R_OK):
        out.problems.append(InputError(found.path, 0, "cannot be read: Permission denied"))
        return
    out.files.append(found)


def _within(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _kind(mode: int) -> str:
    for test, name in (
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    ):
        if test(mode):
            return name
    return "no regular file"


def _reason(e: Exception) -> str:
    return (e.strerror if isinstance(e, OSError) else None) or "not a valid path"
