"""What is remembered of data files is right as long as the file is the same, private, and never needed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from xoff import data


class Parse:
    """Counts its calls; `value` is what it makes of any text."""

    def __init__(self, value: Any = None) -> None:
        self.calls = 0
        self.value = value

    def __call__(self, text: str) -> Any:
        self.calls += 1
        return {"text": text, "n": [1, 2.5, True, None]} if self.value is None else self.value


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(data, "ROOT", tmp_path / "root")
    data.cache_folder.cache_clear()
    (tmp_path / "root" / "templates").mkdir(parents=True)
    found = tmp_path / "root" / "templates" / "x.yaml"
    found.write_text("a: 1\n", encoding="utf-8")
    yield found
    data.cache_folder.cache_clear()


def kept(file: Path) -> list[Path]:
    return sorted((file.parents[2] / "cache").rglob("*.json"))


def test_parsed_once_while_the_text_is_the_same(file: Path) -> None:
    parse = Parse()
    first = data.parsed(file, parse)
    assert data.parsed(file, parse) == first == {"text": "a: 1\n", "n": [1, 2.5, True, None]}
    assert parse.calls == 1
    before = file.stat()
    file.write_text("a: 2\n", encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))  # same size, same time: the text counts
    assert data.parsed(file, parse)["text"] == "a: 2\n"
    assert parse.calls == 2


def test_parts_of_one_file_are_kept_apart(file: Path) -> None:
    assert data.parsed(file, Parse("whole")) == "whole"
    assert data.parsed(file, Parse("head"), "head") == "head"
    assert data.parsed(file, Parse(), "head") == "head"


@pytest.mark.parametrize("left", ["", "{", "[]", '{"form": 1}', '{"form": 1, "text": "other", "data": "stale"}', "\x80"])
def test_a_damaged_or_foreign_file_is_made_again(file: Path, left: str) -> None:
    data.parsed(file, Parse())
    kept(file)[0].write_bytes(left.encode("latin-1"))
    parse = Parse()
    assert data.parsed(file, parse)["text"] == "a: 1\n"
    assert data.parsed(file, parse)["text"] == "a: 1\n"
    assert parse.calls == 1


@pytest.mark.parametrize("value", [{3: "integer keys"}, {"t": (1, 2)}, {"d": Path("x")}])
def test_what_json_cannot_give_back_is_never_kept(file: Path, value: Any) -> None:
    assert data.parsed(file, Parse(value)) == value
    assert kept(file) == []


def test_files_that_are_not_ours_are_never_kept(file: Path, tmp_path: Path) -> None:
    (tmp_path / "y.yaml").write_text("a: 1\n", encoding="utf-8")
    assert data.parsed(tmp_path / "y.yaml", Parse()) is not None
    assert kept(file) == []


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="modes of folders mean nothing here")
def test_a_folder_that_others_can_write_is_not_used(file: Path) -> None:
    folder = file.parents[2] / "cache" / "xoff" / "data"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    parse = Parse()
    data.parsed(file, parse)
    data.parsed(file, parse)
    assert parse.calls == 2
    assert kept(file) == []


def test_no_cache_folder_at_all(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain").write_text("a file", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "plain"))
    data.cache_folder.cache_clear()
    assert data.parsed(file, Parse())["text"] == "a: 1\n"
