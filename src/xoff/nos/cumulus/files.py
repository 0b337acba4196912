"""Which files of Cumulus Linux make one device.

An NVUE document or list of commands is a device. The flat files (qos_features.conf, qos_infra.conf, switchd.conf, traffic.conf)
are parts of one: those of a folder, or of one stem (`leaf1-qos_features.conf`), together, with the NVUE file of that name or
the only one of the folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from xoff.model.record import dataclass
from xoff.nos.cumulus.flat import kind_of
from xoff.nos.nvue import is_document
from xoff.nos.source import Source

_PART = re.compile(r"(?:qos[-_]features|qos[-_]infra|switchd|traffic|datapath)(?:\.conf)?|\.(?:conf|txt)\Z")
_COMMANDS = re.compile(r"(?m)^[ \t]*(?:\S+[$#][ \t]*)?(?:sudo[ \t]+)?(?:nv|net)[ \t]+(?:set|unset|add|del|config)\b")
_HOSTNAME = (
    re.compile(r"(?m)^[ \t]*(?:\S+[$#][ \t]*)?nv set system hostname[ \t]+[\"']?([\w.-]+)"),
    re.compile(r"(?m)^[ \t]*net add hostname[ \t]+([\w.-]+)"),
    re.compile(r"(?m)^[ \t]+hostname:[ \t]*[\"']?([\w.-]+)"),
    re.compile(r"\"hostname\"[ \t]*:[ \t]*\"([\w.-]+)\""),
    re.compile(r"(?m)^#[ \t]*device:[ \t]*([\w.-]+)[ \t]*\("),
)


@dataclass(frozen=True, slots=True)
class Group:
    """The files of one device. `said`: the hostname stands in one of them; else `name` is made from the file names."""

    name: str
    said: bool
    sources: tuple[Source, ...]


def is_flat(source: Source) -> bool:
    """Whether it is one of the flat files."""
    return not is_document(source.text) and _COMMANDS.search(source.text) is None


def hostname(text: str) -> str | None:
    """The hostname that the file sets, the last one if it sets several."""
    for pattern in _HOSTNAME:
        found = pattern.findall(text)
        if found:
            return str(found[-1])
    return None


def group(sources: Sequence[Source]) -> tuple[list[Group], list[tuple[str, str]]]:
    """Groups in order of their first file; no file is unclear."""
    whole = [s for s in sources if not is_flat(s)]
    parts: dict[tuple[str, str], list[Source]] = {}
    for s in sources:
        if is_flat(s):
            parts.setdefault((os.path.dirname(s.path), _rest(s.path)), []).append(s)
    made: list[tuple[str, bool, list[Source]]] = []
    homes: dict[str, list[tuple[str, bool, list[Source]]]] = {}
    for s in whole:
        said = hostname(s.text)
        entry = (said or _stem(s.path), said is not None, [s])
        made.append(entry)
        homes.setdefault(os.path.dirname(s.path), []).append(entry)
    for (folder, rest), found in parts.items():
        owners = [e for e in homes.get(folder, ()) if rest and rest in (e[0], _stem(e[2][0].path))]
        if not rest and len(homes.get(folder, ())) == 1:
            owners = homes[folder]
        kinds = [kind_of(s.path, s.text) for s in found]
        if len(owners) == 1 and len(set(kinds)) == len(kinds):
            owners[0][2].extend(found)
        elif len(set(kinds)) == len(kinds):
            name = rest or (os.path.basename(os.path.abspath(folder)) if len(found) > 1 else _stem(found[0].path))
            made.append((name, False, found))
        else:
            # Two files of one kind: not parts of one device after all.
            made += [(_stem(s.path), False, [s]) for s in found]
    order = {s.path: i for i, s in enumerate(sources)}
    groups = [Group(name, said, tuple(files)) for name, said, files in made]
    return sorted(groups, key=lambda g: min(order[s.path] for s in g.sources)), []


def contradiction(_: Group) -> tuple[str, str] | None:
    """No two files of a group speak of the same: each is of a kind of its own."""
    return None


def _rest(path: str) -> str:
    """What a flat file's name says besides which one it is."""
    return re.sub(r"[-_. ]{2,}", "-", _PART.sub("", os.path.basename(path))).strip("-_. ")


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]
