"""Writing a set of files into one folder: all of them or none, never outside it, never half of one.

Every file is first written in full to a staging folder inside the target (same file system, so that renaming is atomic),
then moved into place. If one move fails, those already made are undone and the old files stand again.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from xoff.errors import OutputError

#: What one file may be called: a single path component that begins with a letter or digit.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}")


def file_name(name: str) -> str:
    """`name` if it can safely be a file's name in the output folder. Raises OutputError otherwise.

    Refused: separators, `..`, leading dots, control characters, anything beyond letters, digits, `.`, `_`, `-`.
    """
    if not _NAME.fullmatch(name) or ".." in name:
        raise OutputError(
            f"{name!r} cannot be the name of an output file: letters, digits, '.', '_' and '-' are allowed, "
            "beginning with a letter or digit; rename the switch in the intent"
        )
    return name


def write_files(folder: Path, files: Mapping[str, str]) -> tuple[Path, ...]:
    """Write every file (name -> text, UTF-8, `\\n` line ends) into `folder`, which is made if it is not there.

    All or nothing: on any failure every old file is back in place and no new one is left. Files of other names are not
    touched; a symbolic link in a file's place is replaced, not followed. Two names that a case-blind file system would take
    for one are refused. Returns the paths in the order of `files`. Raises OutputError, with the reason and what to do.
    """
    names = [file_name(n) for n in files]
    if len({n.casefold() for n in names}) != len(names):
        raise OutputError(
            f"two output files differ in case only: {', '.join(sorted(names, key=str.casefold))}; rename a switch"
        )
    made = _make_folder(folder)
    staging: Path | None = None
    try:
        staging = Path(tempfile.mkdtemp(prefix=".xoff-", dir=folder))
        new, old = staging / "new", staging / "old"
        new.mkdir()
        old.mkdir()
        for name in names:
            if (folder / name).is_dir() and not (folder / name).is_symlink():
                raise OutputError(f"{folder / name} is a folder; move it away or choose another -o folder")
            (new / name).write_text(files[name], encoding="utf-8", newline="\n")
        _move_all(folder, new, old, names)
    except BaseException as e:
        _discard(staging)
        for d in made:  # only empty folders go, so nothing of anybody else's
            with contextlib.suppress(OSError):
                d.rmdir()
        if isinstance(e, OSError):
            raise OutputError(f"cannot write into {folder}: {e.strerror or e}; nothing was written") from e
        raise
    _discard(staging)
    return tuple(folder / n for n in names)


def _discard(staging: Path | None) -> None:
    if staging is not None:
        shutil.rmtree(staging, ignore_errors=True)


def _keep(target: Path, kept: Path) -> None:
    """A second name (or, where the file system has no hard links, a copy) of the old file, so that it can come back."""
    try:
        os.link(target, kept, follow_symlinks=False)
    except OSError:
        shutil.copy2(target, kept, follow_symlinks=False)


def _make_folder(folder: Path) -> list[Path]:
    """Make the folder and say which parts of its path were new, innermost first."""
    missing = []
    at = folder
    while not at.exists() and at != at.parent:
        missing.append(at)
        at = at.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as e:
        raise OutputError(f"{folder} is a file, not a folder; choose another -o folder") from e
    except OSError as e:
        raise OutputError(f"cannot make the folder {folder}: {e.strerror or e}; nothing was written") from e
    return missing


def _move_all(folder: Path, new: Path, old: Path, names: list[str]) -> None:
    """Move staged files into place; on failure undo what was done, newest first, and raise."""
    done: list[tuple[str, bool]] = []
    try:
        for name in names:
            target = folder / name
            had = os.path.lexists(target)
            if had:
                _keep(target, old / name)
            done.append((name, had))
            os.replace(new / name, target)
    except BaseException:
        for name, had in reversed(done):
            if had:
                os.replace(old / name, folder / name)
            elif os.path.lexists(folder / name):
                os.unlink(folder / name)
        raise
