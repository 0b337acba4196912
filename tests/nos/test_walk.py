"""Which files a run looks at: hidden, foreign, circular and special ones are no trap."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from xoff.nos.walk import walk


def names(tree: Path, *paths: str) -> list[str]:
    return [os.path.relpath(f.path, tree) for f in walk([str(tree / p) for p in paths or ("",)]).files]


def make(tree: Path, *files: str) -> None:
    for f in files:
        (tree / f).parent.mkdir(parents=True, exist_ok=True)
        (tree / f).write_text(f)


def test_natural_order_hidden_and_own_files_left_out(tmp_path: Path) -> None:
    make(tmp_path, "leaf10.cfg", "leaf2.cfg", ".git/config", ".leaf3.cfg", "b/x.cfg", "xoff.toml", "__pycache__/a.pyc")
    assert names(tmp_path) == ["b/x.cfg", "leaf2.cfg", "leaf10.cfg"]


def test_a_hidden_file_named_on_the_command_line_is_read(tmp_path: Path) -> None:
    make(tmp_path, ".leaf3.cfg")
    found = walk([str(tmp_path / ".leaf3.cfg")]).files
    assert [f.named for f in found] == [True]


def test_each_file_once(tmp_path: Path) -> None:
    make(tmp_path, "a/leaf1.cfg")
    assert names(tmp_path, "a/leaf1.cfg", "a", "a/../a/leaf1.cfg", "") == ["a/leaf1.cfg"]


def test_links_stay_in_the_tree_and_circles_end(tmp_path: Path) -> None:
    tree, outside = tmp_path / "tree", tmp_path / "outside"
    make(tree, "a/leaf1.cfg")
    make(outside, "secret.cfg")
    (tree / "out").symlink_to(outside)
    (tree / "out.cfg").symlink_to(outside / "secret.cfg")
    (tree / "a" / "up").symlink_to(tree)
    (tree / "again.cfg").symlink_to(tree / "a" / "leaf1.cfg")
    (tree / "dangling.cfg").symlink_to(tree / "nowhere")
    found = walk([str(tree)])
    assert [os.path.relpath(f.path, tree) for f in found.files] == ["a/leaf1.cfg"]
    reasons = {os.path.relpath(p, tree): why for p, why in found.skipped}
    assert "leads out" in reasons["out"]
    assert "leads out" in reasons["out.cfg"]
    assert "lies in" in reasons["a/up"]
    assert "same file" in reasons["again.cfg"]
    assert "leads nowhere" in reasons["dangling.cfg"]


def test_special_files_are_skipped_in_a_folder_and_a_problem_by_name(tmp_path: Path) -> None:
    make(tmp_path, "leaf1.cfg")
    os.mkfifo(tmp_path / "pipe.cfg")
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(str(tmp_path / "sock.cfg"))
    try:
        found = walk([str(tmp_path)])
        assert [f.path for f in found.files] == [str(tmp_path / "leaf1.cfg")]
        assert [why for _, why in found.skipped] == ["is a FIFO", "is a socket"]
        assert [p.message for p in walk([str(tmp_path / "pipe.cfg")]).problems] == ["is a FIFO, not a file"]
    finally:
        sock.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_is_a_problem_even_in_a_folder(tmp_path: Path) -> None:
    make(tmp_path, "leaf1.cfg", "shut/leaf2.cfg")
    (tmp_path / "leaf1.cfg").chmod(0)
    (tmp_path / "shut").chmod(0)
    try:
        assert sorted(os.path.relpath(p.file, tmp_path) for p in walk([str(tmp_path)]).problems) == ["leaf1.cfg", "shut"]
    finally:
        (tmp_path / "shut").chmod(0o700)


@pytest.mark.parametrize("path", ["nowhere", "nul\0byte", "x" * 5000])
def test_a_path_that_is_not_there_is_a_problem_with_a_reason(tmp_path: Path, path: str) -> None:
    problems = walk([f"{tmp_path}/{path}"]).problems
    assert len(problems) == 1
    assert problems[0].message.startswith("cannot be read: ")


def test_top_is_the_sub_folder_of_the_path(tmp_path: Path) -> None:
    make(tmp_path, "pod1/a/leaf1.cfg", "pod2/leaf1.cfg", "core.cfg")
    assert sorted(f.top for f in walk([str(tmp_path)]).files) == ["", "pod1", "pod2"]
    assert {os.path.basename(f.path): f.top for f in walk([str(tmp_path / "pod1")]).files} == {"leaf1.cfg": "a"}
