"""Reading a file: encodings, line ends, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from xoff.errors import InputError
from xoff.nos import source
from xoff.nos.source import read_source


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\r\nb\r\n", "a\nb\n"),
        (b"a\rb", "a\nb"),
        (b"\xef\xbb\xbfhostname x\n", "hostname x\n"),
        ("hostname x\n".encode("utf-16"), "hostname x\n"),
        ("description Müller\n".encode(), "description Müller\n"),
        ("description Müller\n".encode("latin-1"), "description Müller\n"),
        (b"", ""),
    ],
)
def test_text(tmp_path: Path, data: bytes, text: str) -> None:
    file = tmp_path / "leaf1.cfg"
    file.write_bytes(data)
    assert read_source(file).text == text
    assert read_source(str(file)).path == str(file)


def test_binary_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "image"
    file.write_bytes(b"one\ntwo\n\x7fELF\x00\x01")
    with pytest.raises(InputError, match=r"image:3: is binary"):
        read_source(file)


def test_missing_folder_and_odd_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_source(tmp_path / "nothing.cfg")
    with pytest.raises(InputError, match="directory"):
        read_source(tmp_path)
    with pytest.raises(InputError, match="NUL"):
        read_source("a\0b")


def test_a_fifo_is_refused_and_does_not_hang(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe.cfg"
    os.mkfifo(fifo)
    with pytest.raises(InputError, match="not a regular file"):
        read_source(fifo)


def test_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_BYTES", 4)
    file = tmp_path / "big.cfg"
    file.write_bytes(b"12345")
    with pytest.raises(InputError, match="larger than"):
        read_source(file)
