"""One input file as text: decoding, line ends, and what is refused before anything is parsed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from xoff.errors import InputError
from xoff.model.record import dataclass

#: Larger files are refused: a switch configuration of 64 MiB is a mistake (a core dump, an archive).
MAX_BYTES = 64 * 1024 * 1024

_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Source:
    """A file's path as the user gave it and its text, lines separated by `\\n` alone."""

    path: str
    text: str


def read_source(path: str | Path) -> Source:
    """Read one file.

    A byte order mark is honoured, line ends become `\\n`, bytes that are no UTF-8 are read as Latin-1 (every byte is a
    character there, so line numbers stay right). Raises InputError for what cannot be read, is no regular file, is binary
    or larger than MAX_BYTES.
    """
    name = str(path)
    try:
        # Non-blocking, so that a FIFO put in the tree cannot hang the run; then the open file itself is looked at.
        fd = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except OSError as err:
        raise InputError(name, 0, f"cannot be read: {_reason(err)}") from err
    except ValueError as err:  # a NUL in the path
        raise InputError(name, 0, "cannot be read: the path contains a NUL character") from err
    try:
        info = os.fstat(fd)
        if stat.S_ISDIR(info.st_mode):
            raise InputError(name, 0, "is a directory, not a file")
        if not stat.S_ISREG(info.st_mode):
            raise InputError(name, 0, "is not a regular file (a device, socket or FIFO); copy its content into a file")
        if info.st_size > MAX_BYTES:
            raise InputError(name, 0, f"is larger than {MAX_BYTES // 2**20} MiB, which no switch configuration is")
        with os.fdopen(fd, "rb", closefd=False) as handle:
            data = handle.read(MAX_BYTES + 1)
    except OSError as err:
        raise InputError(name, 0, f"cannot be read: {_reason(err)}") from err
    finally:
        os.close(fd)
    if len(data) > MAX_BYTES:
        raise InputError(name, 0, f"is larger than {MAX_BYTES // 2**20} MiB, which no switch configuration is")
    return Source(name, decode(data, name))


def decode(data: bytes, name: str = "input") -> str:
    """Bytes to text with `\\n` line ends. Raises InputError for binary content (a NUL outside UTF-16)."""
    encoding = "utf-8"
    for mark, found in _BOMS:
        if data.startswith(mark):
            data, encoding = data[len(mark) :], found
            break
    if encoding == "utf-8" and b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise InputError(name, line, "is binary (it contains a NUL byte), not a configuration")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _reason(err: OSError) -> str:
    return err.strerror or type(err).__name__
