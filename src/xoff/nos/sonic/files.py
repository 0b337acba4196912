"""Which SONiC files make one device.

A device may be one config_db.json, or a folder of parts (qos.json, buffers.json, ports.json, pg_profile_lookup.ini), or files
of one stem (`leaf1-qos.json`, `leaf1-buffers.json`), or one config_db<N>.json per ASIC. A file that says its hostname belongs
to that device. Whether the parts contradict each other is decided by the tables in them, not by their names.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence

from xoff.model.record import dataclass
from xoff.nos.source import Source

#: Words in a file's name that say which part it is; what remains names the device.
_PART = re.compile(
    r"(?i)(?<![a-z0-9])(?:config[-_]?db\d*|config[-_]qos|running[-_]?config|pg[-_]profile[-_]lookup|minigraph"
    r"|qos|buffers?|ports?|cables?|cable[-_]length|pfcwd?|wred|device[-_]metadata|table|asic\d+)(?![a-z0-9])"
)
_HOSTNAME = re.compile(r'"hostname"\s*:\s*"([^"\\]+)"')
#: What a switch is called before anybody names it; it tells no two devices apart.
_FACTORY = frozenset({"sonic", "localhost"})
_METADATA = re.compile(r'"DEVICE_METADATA(?:\|localhost)?"\s*:')
_ASIC = re.compile(r'"asic_name"\s*:\s*"([^"\\]+)"')
_ASIC_FILE = re.compile(r"(?i)(?:config[-_]?db|asic)[-_]?(\d+)\.json$")
_ASIC_FOLDER = re.compile(r"(?i)asic(\d+)$")


@dataclass(frozen=True, slots=True)
class Group:
    """The files of one device. `said`: the hostname stands in one of them; else `name` is made from the file names."""

    name: str
    said: bool
    sources: tuple[Source, ...]


def hostname(text: str) -> str | None:
    """The hostname of DEVICE_METADATA, found without parsing the file; None where it is the factory's."""
    at = _METADATA.search(text)
    found = _HOSTNAME.search(text, at.end()) if at else None
    return found[1] if found and found[1] not in _FACTORY else None


def namespace(source: Source) -> str:
    """`asic0` … for one ASIC's part of a multi-ASIC switch, else ""."""
    by_name = _ASIC_FILE.search(os.path.basename(source.path)) or _ASIC_FOLDER.search(os.path.dirname(source.path))
    if by_name:
        return f"asic{by_name[1]}"
    at = _METADATA.search(source.text)
    found = _ASIC.search(source.text, at.end()) if at else None
    return found[1].lower() if found else ""


def home(path: str) -> str:
    """The folder whose files may make one device: the file's own, or the one above a folder `asic<N>`."""
    folder = os.path.dirname(path)
    return os.path.dirname(folder) if _ASIC_FOLDER.search(folder) else folder


def rest_of_stem(path: str) -> str:
    """What a file's stem says besides which part it is: `leaf1-qos.json` -> `leaf1`, `qos.json` -> ""."""
    stem = os.path.splitext(os.path.basename(path))[0]
    return re.sub(r"[-_. ]{2,}", "-", _PART.sub("", stem)).strip("-_. ")


def group(sources: Sequence[Source]) -> tuple[list[Group], list[tuple[str, str]]]:
    """Groups in order of their first file, and files that could belong to several devices: (path, reason)."""
    named: dict[str, list[Source]] = {}
    homes: dict[str, set[str]] = {}
    stems: dict[tuple[str, str], set[str]] = {}
    nameless: list[Source] = []
    for s in sources:
        name = hostname(s.text) if _is_json(s) else None
        if name is None:
            nameless.append(s)
            continue
        folder = home(s.path)
        named.setdefault(name, []).append(s)
        homes.setdefault(folder, set()).add(name)
        stems.setdefault((folder, rest_of_stem(s.path)), set()).add(name)
    parts: dict[tuple[str, str], list[Source]] = {}
    unclear: list[tuple[str, str]] = []
    for s in nameless:
        folder, rest = home(s.path), rest_of_stem(s.path)
        owners = homes.get(folder, set())
        same_stem = stems.get((folder, rest), set())
        if rest in owners:
            named[rest].append(s)
        elif len(same_stem) == 1:
            named[next(iter(same_stem))].append(s)
        elif not rest and len(owners) == 1:
            named[next(iter(owners))].append(s)
        elif not rest and owners and not _is_json(s):
            # A lookup table alone is no device; a nameless config_db part is judged for itself.
            unclear.append(
                (s.path, f"which of {', '.join(sorted(owners))} it belongs to is not clear; put the device's name in front")
            )
        else:
            parts.setdefault((folder, rest), []).append(s)
    groups = [Group(name, True, tuple(ss)) for name, ss in named.items()]
    for (folder, rest), ss in parts.items():
        name = rest or os.path.basename(os.path.abspath(folder)) or "sonic"
        if _contradict(ss) is not None:
            # Not parts of one device after all (say, qos.json of three platforms): each stands for itself.
            groups += [Group(_stem(s.path), False, (s,)) for s in ss]
        else:
            groups.append(Group(name if rest or len(ss) > 1 else _stem(ss[0].path), False, tuple(ss)))
    order = {s.path: i for i, s in enumerate(sources)}
    return sorted(groups, key=lambda g: min(order[s.path] for s in g.sources)), unclear


def contradiction(group_: Group) -> tuple[str, str] | None:
    """Two files of one device that say the same table row twice; None where they are fragments that do not overlap."""
    return _contradict(group_.sources)


def _contradict(sources: Sequence[Source]) -> tuple[str, str] | None:
    if len(sources) < 2:
        return None
    said: dict[tuple[str, str, str], str] = {}
    for s in sources:
        space = namespace(s)
        for table, key in rows(s.text):
            if table == "DEVICE_METADATA":
                continue
            other = said.setdefault((space, table, key), s.path)
            if other != s.path:
                return other, s.path
    return None


def rows(text: str) -> list[tuple[str, str]]:
    """(table, key) of every row, in the nested and in the flat `TABLE|key` form; nothing for what is no config_db."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(data, dict):
        return []
    out: list[tuple[str, str]] = []
    for name, body in data.items():
        table, bar, key = name.partition("|")
        if bar:
            out.append((table, key))
        elif isinstance(body, dict):
            out += [(table, k) for k in body]
    return out


def _is_json(source: Source) -> bool:
    return source.text.lstrip()[:1] == "{"


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]
