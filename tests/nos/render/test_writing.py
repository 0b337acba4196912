"""Files are written all or none, inside the folder, and never half."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from xoff.errors import OutputError
from xoff.nos.writing import write_files


def test_writes_and_replaces_and_leaves_others_alone(tmp_path: Path) -> None:
    (tmp_path / "leaf1.cfg").write_text("old")
    (tmp_path / "notes.txt").write_text("mine")
    out = write_files(tmp_path, {"leaf1.cfg": "new\n", "leaf2.json": "{}\n"})
    assert [p.name for p in out] == ["leaf1.cfg", "leaf2.json"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["leaf1.cfg", "leaf2.json", "notes.txt"]
    assert (tmp_path / "leaf1.cfg").read_bytes() == b"new\n"
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    "name", ["../x", "a/b", "/etc/x", "..", ".", "", ".hidden", "a\nb", "a\0b", "-rf", "a\\b", "é", "a..b", "x" * 300, "a b"]
)
def test_names_that_could_leave_the_folder_are_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "out"
    with pytest.raises(OutputError):
        write_files(folder, {"fine.cfg": "x", name: "x"})
    assert not folder.exists()


def test_a_link_in_the_way_is_replaced_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "leaf1.cfg").symlink_to(victim)
    write_files(folder, {"leaf1.cfg": "new"})
    assert victim.read_text() == "precious"
    assert not (folder / "leaf1.cfg").is_symlink()


def test_failure_half_way_brings_everything_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.cfg").write_text("old a")
    (tmp_path / "c.cfg").write_text("old c")
    real = os.replace

    def failing(src: object, dst: object) -> None:
        if str(dst).endswith("c.cfg") and "new" in str(src):
            raise OSError(28, "No space left on device")
        real(src, dst)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OutputError, match="No space left on device; nothing was written"):
        write_files(tmp_path, {"a.cfg": "new", "b.cfg": "new", "c.cfg": "new"})
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a.cfg": "old a", "c.cfg": "old c"}


def test_a_folder_in_the_way_is_refused_and_nothing_written(tmp_path: Path) -> None:
    (tmp_path / "b.cfg").mkdir()
    with pytest.raises(OutputError, match="is a folder"):
        write_files(tmp_path, {"a.cfg": "x", "b.cfg": "x"})
    assert [p.name for p in tmp_path.iterdir()] == ["b.cfg"]


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(OutputError, match="is a file, not a folder"):
        write_files(tmp_path / "out", {"a.cfg": "x"})
    with pytest.raises(OutputError):
        write_files(tmp_path / "out" / "deeper", {"a.cfg": "x"})


def test_names_that_differ_in_case_only_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="differ in case only"):
        write_files(tmp_path / "out", {"Leaf1.cfg": "x", "leaf1.cfg": "y"})


def test_a_folder_made_for_nothing_is_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(src: object, dst: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OutputError):
        write_files(tmp_path / "x" / "y", {"a.cfg": "x"})
    assert not (tmp_path / "x").exists()
