"""From recognised files to devices, and from devices to fabrics.

A fabric is a set that the project file names; else: files given by name form one, and of a folder given the sub-folders that
hold devices are fabrics if there are two or more, else the folder is one. A sub-folder that holds one device of its own name is
that device's folder, not a fabric: `configs/leaf1/config_db.json` beside `configs/leaf2/config_db.json` is one fabric.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from fnmatch import fnmatchcase
from typing import Any

from xoff.errors import UsageError
from xoff.model.record import dataclass
from xoff.nos.registry import Detection
from xoff.nos.source import Source
from xoff.nos.walk import Found

#: How text configurations say their hostname.
_HOSTNAME = re.compile(
    r"^[ \t]*(?:hostname|switchname|sysname|host-name|set system host-name|nv set system hostname)[ \t]+[\"']?([^\s\"';]+)",
    re.M,
)


@dataclass(frozen=True, slots=True)
class Recognised:
    """A configuration file whose NOS is known. `why`: what it was recognised by."""

    found: Found
    source: Source
    nos: str
    why: str


@dataclass(frozen=True, slots=True)
class Device:
    """The files of one device, parsed together. `said`: its name stands in a file, else it is made from the file's name."""

    name: str
    said: bool
    nos: str
    files: tuple[Recognised, ...]

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(f.source for f in self.files)

    @property
    def paths(self) -> list[str]:
        return [f.source.path for f in self.files]


@dataclass(slots=True)
class Set:
    """The devices of one fabric, with the parts of the input (root, top folder) that it covers."""

    name: str
    devices: list[Device]
    parts: set[tuple[str, str]] = field(default_factory=set)
    unclear: list[tuple[str, str]] = field(default_factory=list)
    by_name: bool = False

    def covers(self, found: Found) -> bool:
        """Whether a file that is no configuration (a host's sheet, a show output) speaks of this fabric.

        One that lies in the folder given itself speaks of all fabrics below it, one named of the fabric of the named files.
        """
        if found.named:
            return self.by_name
        return (found.root, found.top) in self.parts or (not found.top and any(root == found.root for root, _ in self.parts))


def hostname(source: Source) -> str | None:
    """The hostname that a text configuration says, the last one if it says several."""
    found = _HOSTNAME.findall(source.text)
    return str(found[-1]) if found else None


def detected_as(detection: Detection) -> str:
    """For people: what a file was recognised as and why."""
    return f"{detection.title} ({detection.why})"


# ---- devices


def devices(files: Sequence[Recognised]) -> tuple[list[Device], list[tuple[str, str]]]:
    """The devices of a set of files, and files that belong to none for sure: (path, reason).

    How several files make one device is the business of `xoff.nos.<nos>.files`, where there is one; else each file is a device.
    Raises UsageError where two files say that they are one device and cannot both be.
    """
    out: list[Device] = []
    unclear: list[tuple[str, str]] = []
    by_nos: dict[str, list[Recognised]] = {}
    for f in files:
        by_nos.setdefault(f.nos, []).append(f)
    for nos, own in by_nos.items():
        grouping = _grouping(nos)
        if grouping is None:
            for f in own:
                said = hostname(f.source)
                out.append(Device(said or _stem(f.source.path), said is not None, nos, (f,)))
            continue
        by_path = {f.source.path: f for f in own}
        groups, lost = grouping.group([f.source for f in own])
        unclear += lost
        for g in groups:
            clash = grouping.contradiction(g) if g.said else None
            if clash is not None:
                raise twice(g.name, *clash)
            out.append(Device(g.name, g.said, nos, tuple(by_path[s.path] for s in g.sources)))
    order = {f.source.path: i for i, f in enumerate(files)}
    out.sort(key=lambda d: min(order[p] for p in d.paths))
    return _distinct(out), unclear


def _grouping(nos: str) -> Any:
    name = f"xoff.nos.{nos}.files"
    return importlib.import_module(name) if importlib.util.find_spec(name) is not None else None


def _distinct(found: list[Device]) -> list[Device]:
    """One name, one device: a name that files say twice is refused, a name made from file names is made longer."""
    said: dict[str, Device] = {}
    for d in found:
        if d.said and d.name in said:
            raise twice(d.name, said[d.name].paths[0], d.paths[0])
        if d.said:
            said[d.name] = d
    made: dict[str, list[Device]] = {}
    for d in found:
        if not d.said:
            made.setdefault(d.name, []).append(d)
    renamed: dict[int, Device] = {}
    for name, same in made.items():
        if len(same) > 1 or name in said:
            for d in same:
                longer = os.path.splitext(os.path.normpath(d.paths[0]))[0].replace(os.sep, "/")
                renamed[id(d)] = Device(longer, False, d.nos, d.files)
    return [renamed.get(id(d), d) for d in found]


def twice(name: str, a: str, b: str) -> UsageError:
    """The error for two files that say that they are one device."""
    return UsageError(
        f"{a} and {b} both say that they are {name}; two devices of one name cannot be judged together. "
        "Lint them apart, put them into folders of their own, or name the sets in [fabrics] of xoff.toml"
    )


# ---- fabrics


def fabrics(files: Sequence[Recognised], one: str | None, named: Callable[[str], str | None]) -> list[Set]:
    """Sets of devices, in order of the input.

    one: name of the single fabric where an intent says so. named: the project file's fabric of a path.
    Raises UsageError as `devices` does.
    """
    if one is not None:
        return [_set(one, files)]
    by_project: dict[str, list[Recognised]] = {}
    by_name: list[Recognised] = []
    by_root: dict[str, dict[str, list[Recognised]]] = {}
    for f in files:
        project = named(f.source.path)
        if project is not None:
            by_project.setdefault(project, []).append(f)
        elif f.found.named:
            by_name.append(f)
        else:
            by_root.setdefault(f.found.root, {}).setdefault(f.found.top, []).append(f)
    out = [_set(name, own) for name, own in by_project.items()]
    if by_name:
        out.append(_set(_name_of_files(by_name), by_name))
    for root, tops in by_root.items():
        base = os.path.basename(os.path.abspath(root)) or root
        below = {top: own for top, own in tops.items() if top}
        if len(below) < 2 or _device_folders(below):
            out.append(_set(base, [f for own in tops.values() for f in own]))
            out[-1].parts |= {(root, top) for top in tops}
            continue
        out += [_set(top or base, own) for top, own in tops.items()]
    return _distinct_sets(out)


def _set(name: str, files: Sequence[Recognised]) -> Set:
    found, unclear = devices(files)
    parts = {(f.found.root, f.found.top) for f in files}
    return Set(name, found, parts, unclear, by_name=any(f.found.named for f in files))


def _device_folders(tops: Mapping[str, list[Recognised]]) -> bool:
    """Whether every sub-folder holds exactly one device, and that of the folder's name."""
    for top, files in tops.items():
        try:
            found, _ = devices(files)
        except UsageError:
            return False
        if len(found) != 1:
            return False
        name = found[0].name
        if found[0].said and top.casefold() not in (name.casefold(), name.partition(".")[0].casefold()):
            return False
    names = [devices(files)[0][0].name if devices(files)[0][0].said else top for top, files in tops.items()]
    return len(set(names)) == len(names)


def _name_of_files(files: Sequence[Recognised]) -> str:
    if len(files) == 1:
        return _stem(files[0].source.path)
    folders = {os.path.dirname(os.path.abspath(f.source.path)) for f in files}
    return os.path.basename(os.path.commonpath(folders)) or "files"


def _distinct_sets(sets: list[Set]) -> list[Set]:
    """Fabrics of one name are told apart by their folders."""
    names = [s.name for s in sets]
    for s in sets:
        if names.count(s.name) > 1 and s.parts:
            root, top = min(s.parts)
            s.name = os.path.normpath(os.path.join(root, top)).replace(os.sep, "/")
    return sets


def in_globs(path: str, folder: str, sets: Mapping[str, Sequence[str]]) -> str | None:
    """The set whose globs (relative to `folder`) match `path`; a glob that names a folder takes all below it.

    Raises UsageError where two sets claim the file.
    """
    relative = os.path.relpath(os.path.realpath(path), os.path.realpath(folder)).replace(os.sep, "/")
    found = [
        name
        for name, globs in sets.items()
        if any(fnmatchcase(relative, g.rstrip("/")) or fnmatchcase(relative, f"{g.rstrip('/')}/*") for g in globs)
    ]
    if len(found) > 1:
        raise UsageError(f"[fabrics] puts {path} into {' and '.join(found)}; a file belongs to one fabric")
    return found[0] if found else None


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]
