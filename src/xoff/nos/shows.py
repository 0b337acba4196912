"""`show version` outputs that lie beside configurations: which model it is and what it runs.

templates/<nos>/show/version.ttp reads them. An output belongs to the device whose prompt it carries, else to the one whose file
stem its own name begins with, else to the only device of its folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from xoff.data import TEMPLATES
from xoff.model.origin import FileLine
from xoff.model.record import dataclass
from xoff.nos.linetemplate import load_template
from xoff.nos.source import Source

if TYPE_CHECKING:
    from xoff.nos.portshows import PortShow

#: Larger texts are no `show version`.
_MOST = 64 * 1024
#: `leaf1#show version`, `leaf1(config)#`, `admin@leaf1:~$ show version`, `leaf1> show version`, `<leaf1>display version`.
_PROMPT = re.compile(
    r"^[<\[]?(?:[\w.-]+@)?([A-Za-z0-9][\w.-]*?)(?:\([\w-]+\))?(?::[^\s#$]*)?[#$>\]]\s*(?:sh(?:ow?)?|dis(?:play)?)\s+ver\w*",
    re.M,
)
_CHEAP = re.compile(r"(?im)^[^\n]{0,80}\bversion\b")


@dataclass(frozen=True, slots=True)
class Version:
    """What one output says: values with their lines. `prompt`: the hostname in it, where it has one."""

    path: str
    nos: str
    prompt: str | None
    model: tuple[str, int] | None
    release: tuple[str, int]

    def facts(self) -> list[tuple[str, str, FileLine]]:
        """(`model` or `release`, value, place)."""
        said = [("release", self.release)] + ([("model", self.model)] if self.model else [])
        return [(name, value, FileLine(self.path, line)) for name, (value, line) in said]


def read_version(source: Source) -> Version | None:
    """The model and release in a `show version` output; None for anything else."""
    if len(source.text) > _MOST or not _CHEAP.search(source.text):
        return None
    for nos in _known():
        found = _parse(nos, source.text)
        if "release" in found:
            prompt = _PROMPT.search(source.text)
            return Version(source.path, nos, prompt[1] if prompt else None, found.get("model"), found["release"])
    return None


def belongs_to(version: Version | PortShow, stems: Mapping[str, Iterable[str]]) -> str | None:
    """The device of an output. stems: device name -> paths of its files."""
    if version.prompt is not None:
        for name in stems:
            if name.casefold() == version.prompt.casefold() or name.partition(".")[0].casefold() == version.prompt.casefold():
                return name
        return None
    own = os.path.basename(version.path).casefold()
    best: tuple[int, str] | None = None
    for name, paths in stems.items():
        for stem in (name, *(os.path.splitext(os.path.basename(p))[0] for p in paths)):
            key = stem.casefold()
            # `leaf1` must not claim `leaf10-version.txt`.
            if key and own.startswith(key) and not own[len(key) : len(key) + 1].isalnum():
                best = max(best or (0, ""), (len(key), name))
    if best is not None:
        return best[1]
    folder = os.path.dirname(version.path)
    here = [name for name, paths in stems.items() if any(os.path.dirname(p) == folder for p in paths)]
    return here[0] if len(here) == 1 else None


@cache
def _known() -> tuple[str, ...]:
    return tuple(sorted(f.parent.parent.name for f in TEMPLATES.glob("*/show/version.ttp")))


def _parse(nos: str, text: str) -> dict[str, tuple[str, int]]:
    """Value and line of `model` and `release`, the first of each."""
    template = load_template(TEMPLATES / nos / "show" / "version.ttp")
    lines = [line.strip() for line in text.split("\n")]
    out: dict[str, tuple[str, int]] = {}
    for number, said in enumerate(template.claim(lines), 1):
        for one in said:
            for name, value in one.values.items():
                out.setdefault(name, (value, number))
    return out
