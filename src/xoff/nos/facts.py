"""What is known of a device besides its configuration: model, release, ASIC, role, site, cable, speed, each with its origin.

Strongest first: intent, project file, header comments of the configuration, `show version` beside it. What is said by a
stronger source is never replaced by a weaker one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from pathlib import PurePath

from xoff.model.origin import FileLine
from xoff.model.record import dataclass
from xoff.model.switch import Named
from xoff.nos.splitter import Comment

#: Facts that may be given, as they are called in the project file.
NAMES = frozenset({"nos", "release", "model", "asic", "role", "site", "cable", "speed"})

#: EOS: `! device: leaf1 (DCS-7060X6-64PE, EOS-4.34.2F)`, as the device prints it above its configuration; with `#` where we
#: write it for a NOS whose comments begin so.
_DEVICE = re.compile(r"[!#]+\s*device:\s*(?P<name>\S+)\s*\((?P<model>[^,()\s]+)(?:,\s*(?P<release>[^()]+?))?\s*\)\s*$")
#: NX-OS and OS10: `!Version 10.3(4a)`, `! Version 10.5.4.4`.
_VERSION = re.compile(r"!\s*Version:?\s+(?P<release>\d\S*)\s*$")
#: Oxidized and RANCID: `! Software image version: 4.28.1F`, `!Image: Software: …`, `! Model: DCS-…`.
_COLLECTED = (
    ("release", re.compile(r"!\s*(?:Software image version|Image: Software|Image: Version):?\s*(?P<value>\S+)")),
    ("model", re.compile(r"!\s*(?:Model|Chassis type|Hardware model|Chassis):\s*(?:Arista\s+)?(?P<value>[A-Z][\w-]*\d[\w-]*)")),
)


@dataclass(frozen=True, slots=True)
class Given:
    """Facts from outside for the devices that `match` names (a glob over hostname or file stem; empty: every device).

    `origin`: in words where they are from (`intent`, `xoff.toml [[devices]]`). `values`: some of NAMES.
    """

    match: str
    origin: str
    values: Mapping[str, str]
    at: FileLine | None = None
    lines: Mapping[str, FileLine] = field(default_factory=dict)

    def __post_init__(self) -> None:
        unknown = set(self.values) - NAMES
        if unknown:
            raise ValueError(f"{self.origin}: no such fact: {', '.join(sorted(unknown))}; known: {', '.join(sorted(NAMES))}")


class Facts:
    """Looks facts up by device. Built once per run from what is given, strongest first."""

    def __init__(self, given: Iterable[Given] = ()) -> None:
        self._given = tuple(given)

    def about(self, hostname: str, file: str = "", *weaker: Mapping[str, Named]) -> dict[str, Named]:
        """All facts of one device by name. `weaker`: what the input itself says, strongest first."""
        out: dict[str, Named] = {}
        stem = PurePath(file).stem if file else ""
        for entry in self._given:
            if entry.match and not (fnmatchcase(hostname, entry.match) or (stem and fnmatchcase(stem, entry.match))):
                continue
            for name, value in entry.values.items():
                out.setdefault(name, Named(value, entry.origin, entry.lines.get(name, entry.at)))
        for source in weaker:
            for name, named in source.items():
                out.setdefault(name, named)
        return out


#: No facts from outside.
NONE = Facts()


def from_comments(path: str, comments: Iterable[Comment]) -> dict[str, Named]:
    """Facts that a device or a collector wrote as comments into the file; also `hostname` where the comment names it."""
    out: dict[str, Named] = {}

    def say(name: str, value: str, what: str, line: int) -> None:
        out.setdefault(name, Named(value.strip(), what, FileLine(path, line)))

    for comment in comments:
        text = comment.text
        device = _DEVICE.match(text)
        if device:
            say("hostname", device["name"], "device's header comment", comment.line)
            say("model", device["model"], "device's header comment", comment.line)
            if device["release"]:
                say("release", _release(device["release"]), "device's header comment", comment.line)
            continue
        version = _VERSION.match(text)
        if version:
            say("release", version["release"], "device's header comment", comment.line)
            continue
        for name, pattern in _COLLECTED:
            found = pattern.match(text)
            if found:
                say(name, found["value"], "collector's header comment", comment.line)
    return out


def _release(text: str) -> str:
    """`EOS-4.34.2F` -> `4.34.2F`; other texts as they are."""
    return text.strip().removeprefix("EOS-")


_SPEED = re.compile(r"(\d+(?:\.\d+)?)\s*([TGM]?)(?:b(?:it)?(?:/s|ps)?)?\Z", re.I)


def speed_mbps(text: str) -> int | None:
    """Mb/s of `400G`, `1.6T`, `100000`; None for anything else."""
    found = _SPEED.match(text.strip())
    if found is None:
        return None
    scale = {"T": 1_000_000, "G": 1000, "M": 1, "": 1}[found[2].upper()]
    value = float(found[1]) * scale
    return int(value) if value == int(value) and value > 0 else None


def metres(text: str) -> int | None:
    """Metres of `30m`, `30`; None for anything else."""
    found = re.match(r"(\d+)\s*(?:m|metres?|meters?)?\Z", text.strip())
    return int(found[1]) if found else None
