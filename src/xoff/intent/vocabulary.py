"""What the intent must know of each NOS: its name, aliases, and what a name on it may look like (templates/<nos>/nos.yaml).

Only these keys are cut out of the file and read: the rest belongs to the readers and writers of that NOS.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import yaml

from xoff import data
from xoff.model.frozen import FrozenMap
from xoff.model.record import dataclass

_KEYS = frozenset({"kind", "name", "aliases", "name_pattern"})
_TOP = re.compile(r"^([A-Za-z_]+):", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class NosName:
    """A NOS that can be named. `patterns`: kind of name (`port`, `class`, `hostname` …) -> regular expression; `` for all."""

    name: str
    aliases: tuple[str, ...]
    patterns: FrozenMap[str, str]

    def refuses(self, kind: str, name: str) -> str | None:
        """The pattern that `name` breaks; None where it fits, or the NOS states none for this kind."""
        pattern = self.patterns.get(kind) or self.patterns.get("")
        return pattern if pattern is not None and not re.fullmatch(pattern, name) else None


@lru_cache(maxsize=1)
def known() -> FrozenMap[str, NosName]:
    """Every NOS by name and alias, folded to lower case."""
    out: dict[str, NosName] = {}
    for file in sorted(data.TEMPLATES.glob("*/nos.yaml")):
        head = _head(file.read_text(encoding="utf-8"))
        if head.get("kind", "nos") != "nos":
            continue
        pattern = head.get("name_pattern")
        patterns = pattern if isinstance(pattern, dict) else {"": pattern} if isinstance(pattern, str) else {}
        nos = NosName(
            str(head.get("name", file.parent.name)),
            tuple(str(a) for a in head.get("aliases") or ()),
            FrozenMap({str(k): str(v) for k, v in patterns.items()}),
        )
        for name in (nos.name, *nos.aliases):
            out.setdefault(name.lower(), nos)
    return FrozenMap(out)


def _head(text: str) -> dict[str, Any]:
    """The wanted top-level keys; block YAML can be cut at lines that begin in the first column."""
    marks = [*_TOP.finditer(text)]
    ends = [m.start() for m in marks[1:]] + [len(text)]
    wanted = "".join(text[m.start() : end] for m, end in zip(marks, ends, strict=True) if m[1] in _KEYS)
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found = yaml.load(wanted, Loader=loader)
    return found if isinstance(found, dict) else {}
