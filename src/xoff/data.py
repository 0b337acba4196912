"""Where templates/, schemas/, lint_rules/ and platforms/ lie: inside the wheel as `_data`, or beside `src/` in a checkout.

Parsed YAML of these folders is remembered in the user's cache: parsing it, and importing the parser, is a quarter of the cold
start of `xoff lint`.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent
ROOT = _HERE / "_data" if (_HERE / "_data").is_dir() else _HERE.parents[1]
TEMPLATES = ROOT / "templates"
SCHEMAS = ROOT / "schemas"
LINT_RULES = ROOT / "lint_rules"
PLATFORMS = ROOT / "platforms"

#: Raise it when a parser of data files gives something else for the same text.
_FORM = 1


def parsed(file: Path, parse: Callable[[str], Any], part: str = "") -> Any:
    """`parse(text of file)` for a data file of xoff's own: plain lists, mappings with text keys, text, numbers, None.

    part: names what `parse` takes out, where a file is read in several ways.

    The result is kept as JSON beside the text that it was made from, and used again only while the file holds that very text.
    What JSON would not give back equal is never kept, nor is anything where no folder is this user's alone.
    """
    text = file.read_text(encoding="utf-8")
    folder = cache_folder("data") if ROOT in file.parents else None
    if folder is None:
        return parse(text)
    kept = os.path.join(folder, "-".join((*file.relative_to(ROOT).parts, *([part] if part else ()))) + ".json")
    try:
        with open(kept, encoding="utf-8") as f:
            found = json.load(f)
        if found["form"] == _FORM and found["text"] == text:
            return found["data"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # not there, cut off or not ours: made again below
    made = parse(text)
    _keep(kept, {"form": _FORM, "text": text, "data": made})
    return made


def _keep(path: str, what: dict[str, Any]) -> None:
    try:
        out = json.dumps(what)
        if json.loads(out) != what:
            return
        new = f"{path}.{os.getpid()}"
        with open(new, "w", encoding="utf-8") as f:
            f.write(out)
        os.replace(new, path)
    except (OSError, TypeError, ValueError):
        pass  # a full disk or a value that JSON has not: nothing is kept, nothing is lost


@cache
def cache_folder(name: str) -> str | None:
    """A folder for derived files below the user's cache; None where there is none that this user alone can write."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(base, "xoff", name)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        info = os.lstat(folder)
    except OSError:
        return None
    ours = not hasattr(os, "getuid") or info.st_uid == os.getuid()
    usable = stat.S_ISDIR(info.st_mode) and ours and not info.st_mode & 0o022 and os.access(folder, os.W_OK)
    return folder if usable else None
