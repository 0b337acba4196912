"""Reads what a command line names into fabrics of switches.

One bad file never hides the others: what cannot be read or parsed becomes a problem of its fabric (exit code 3), what is
nobody's configuration is listed as skipped. Only what makes the whole run meaningless is raised: nothing recognised, one name
twice.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from xoff.errors import InputError, UsageError
from xoff.fabric.links import find_links
from xoff.hosts import facts as host_facts
from xoff.model.fabric import ClassInForce, End, Link, LinkConflict, LinkEvidence
from xoff.model.headroom_table import LookupTable
from xoff.model.origin import FileLine
from xoff.model.record import dataclass
from xoff.model.switch import SwitchModel
from xoff.nos import grouping, registry
from xoff.nos.grouping import Device, Recognised, Set
from xoff.nos.known import complete, known_facts, with_speeds
from xoff.nos.source import Source, read_source
from xoff.nos.walk import Found, Walk, walk

if TYPE_CHECKING:
    from xoff.fabric.planned import PlannedFabric
    from xoff.intent.project import Project
    from xoff.nos.portshows import PortShow
    from xoff.nos.shows import Version


@dataclass(frozen=True, slots=True)
class FabricRead:
    """One fabric as read. `problems`: files that should have been read; `skipped`: (path, reason)."""

    name: str
    devices: tuple[SwitchModel, ...]
    links: tuple[Link, ...] = ()
    conflicts: tuple[LinkConflict, ...] = ()
    problems: tuple[InputError, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    host_classes: tuple[ClassInForce, ...] = ()
    tables: tuple[LookupTable, ...] = ()


@dataclass(frozen=True, slots=True)
class Inputs:
    """All fabrics of a run, and the text of every file for quoting."""

    fabrics: tuple[FabricRead, ...]
    sources: Mapping[str, Source]

    def line(self, at: FileLine) -> str:
        """The text of a line; "" where it is not at hand."""
        source = self.sources.get(at.file)
        if source is None or at.line < 1:
            return ""
        lines = _lines(source.text)
        return lines[at.line - 1] if at.line <= len(lines) else ""

    @property
    def incomplete(self) -> bool:
        """Whether some input could not be read or parsed: exit code 3."""
        return any(f.problems for f in self.fabrics)


#: What `xoff render` writes beside a file that has no comments; it is no input and no surprise.
_OWN_NOTE = "Rendered by xoff"


@dataclass(slots=True)
class _Sorted:
    """Files by what they are."""

    configs: list[Recognised]
    hosts: list[tuple[Found, Source]]
    versions: list[tuple[Found, Version]]
    port_shows: list[tuple[Found, PortShow]]
    sources: dict[str, Source]


def gather(paths: Sequence[str], *, plan: PlannedFabric | None = None, project: Project | None = None) -> Inputs:
    """Read every file of the paths.

    plan: the expanded intent; its devices, links and facts come first, and all input is its one fabric.
    project: the project file's facts and fabrics.
    Raises UsageError where nothing is recognised, or two files say that they are one device.
    """
    if not paths:
        raise UsageError("nothing to read: name configuration files or folders that hold them")
    found = walk(paths)
    files = _sort(found, project)
    sets = grouping.fabrics(files.configs, plan.name if plan is not None else None, _project_sets(project))
    if not files.configs:
        raise UsageError(_nothing(found))
    out = [_read(s, files, plan, project) for s in sets]
    out[0] = _with_rest(out[0], found)
    return Inputs(tuple(out), files.sources)


# ---- what a file is


def _sort(found: Walk, project: Project | None) -> _Sorted:
    out = _Sorted([], [], [], [], {})
    for f in found.files:
        try:
            source = read_source(f.path)
        except InputError as e:
            (found.problems.append(e) if f.named else found.skipped.append((f.path, e.message)))
            continue
        out.sources[f.path] = source
        nos = _override(f.path, project)
        detection = registry.detect(f.path, source.text) if nos is None else None
        if nos is not None:
            out.configs.append(Recognised(f, source, registry.load(nos[0]).name, nos[1]))
        elif detection is not None and detection.supported:
            out.configs.append(Recognised(f, source, detection.nos, detection.why))
        else:
            _other(f, source, detection, found, out)
    return out


def _override(path: str, project: Project | None) -> tuple[str, str] | None:
    """The NOS that the project file gives for files of this name, and where it says so."""
    if project is None:
        return None
    said = project.facts(os.path.splitext(os.path.basename(path))[0]).get("nos")
    return (str(said.value), f"said at {said.at}") if said is not None else None


def _other(f: Found, source: Source, detection: registry.Detection | None, found: Walk, out: _Sorted) -> None:
    """A file that is no configuration we can read: a host's sheet, a show output, or nothing of ours."""
    if f.path.endswith(".README.txt") and _OWN_NOTE in source.text[:400] and not f.named:
        return
    sheet = host_facts.read(f.path, source.text)
    if sheet.tos or sheet.pfc or sheet.cnp_dscp:
        out.hosts.append((f, source))
        return
    from xoff.nos.shows import read_version

    version = read_version(source)
    if version is not None:
        out.versions.append((f, version))
        return
    from xoff.nos.portshows import read_port_show

    shown = read_port_show(source)
    if shown is not None:
        out.port_shows.append((f, shown))
        return
    if detection is not None:
        reason = f"is {grouping.detected_as(detection)}, which xoff cannot read yet"
    elif not source.text.strip():
        reason = "is empty"
    else:
        reason = "no known network operating system is recognised in it"
    if f.named:
        found.problems.append(InputError(f.path, 0, reason))
    else:
        found.skipped.append((f.path, reason))


def _nothing(found: Walk) -> str:
    rows = [str(p) for p in found.problems] + [f"{p}: {why}" for p, why in found.skipped]
    more = [f"... and {len(rows) - 10} more"] if len(rows) > 10 else []
    head = "no switch configuration found" if rows else "no switch configuration found: the folders hold no files"
    return "\n  ".join([head, *rows[:10], *more])


# ---- reading one fabric


def _read(s: Set, files: _Sorted, plan: PlannedFabric | None, project: Project | None) -> FabricRead:
    skipped = list(s.unclear)
    versions = _versions(s, files, skipped)
    models: dict[str, SwitchModel] = {}
    problems: list[InputError] = []
    tables: list[LookupTable] = []
    for device in s.devices:
        try:
            found = _parse(device, versions.get(device.name, ()), plan, project)
        except InputError as e:
            problems.append(e)
            tables += _tables(device, ())
            continue
        except Exception as e:  # one device's bad luck must not end the run
            if isinstance(e, UsageError) or os.environ.get("XOFF_DEBUG"):
                raise
            message = f"internal error while reading it ({type(e).__name__}: {e}); please report this"
            problems.append(InputError(device.paths[0], 0, message))
            continue
        own = _tables(device, found)
        tables += own
        if not found:
            read = {t.file for t in own}
            skipped += [
                (p, f"belongs to no device: nothing in it says what {device.name} does") for p in device.paths if p not in read
            ]
        for m in found:
            if m.hostname in models:
                raise grouping.twice(m.hostname, models[m.hostname].files[0], m.files[0])
            models[m.hostname] = m
    for r in files.configs:
        if any(r.source.path == path for path, _ in s.unclear):
            # Which device reads it is open; what is wrong in itself is not.
            tables += _tables(Device("", False, r.nos, (r,)), ())
    shows = _port_shows(s, files, skipped)
    models = {name: with_speeds(m, shows.get(name, ())) for name, m in models.items()}
    told = (*(plan.links if plan is not None else ()), *_lldp(shows))
    links, conflicts = find_links(models, told)
    sheets = [host_facts.read(source.path, source.text) for found, source in files.hosts if s.covers(found)]
    return FabricRead(
        s.name, tuple(models.values()), links, conflicts, tuple(problems), tuple(skipped), host_facts.classes(sheets),
        tuple(tables),
    )  # fmt: skip


def _versions(s: Set, files: _Sorted, skipped: list[tuple[str, str]]) -> dict[str, list[Version]]:
    """`show version` outputs by device."""
    if not files.versions:
        return {}
    from xoff.nos.shows import belongs_to

    out: dict[str, list[Version]] = {}
    stems = {d.name: d.paths for d in s.devices}
    for found, version in files.versions:
        if not s.covers(found):
            continue
        owner = belongs_to(version, stems)
        if owner is not None:
            out.setdefault(owner, []).append(version)
        else:
            skipped.append(
                (version.path, "is a `show version` output, but of which device is not clear from prompt or file name")
            )
    return out


def _port_shows(s: Set, files: _Sorted, skipped: list[tuple[str, str]]) -> dict[str, list[PortShow]]:
    """LLDP and interface outputs by device."""
    if not files.port_shows:
        return {}
    from xoff.nos.shows import belongs_to

    out: dict[str, list[PortShow]] = {}
    stems = {d.name: d.paths for d in s.devices}
    for found, shown in files.port_shows:
        if not s.covers(found):
            continue
        owner = belongs_to(shown, stems)
        if owner is not None:
            out.setdefault(owner, []).append(shown)
        else:
            what = "an LLDP output" if shown.kind == "lldp" else "an output on interfaces"
            skipped.append((shown.path, f"is {what}, but of which device is not clear from prompt or file name"))
    return out


def _lldp(shows: Mapping[str, Sequence[PortShow]]) -> list[Link]:
    """Links that LLDP tells of."""
    return [
        Link(End(device, e.port), End(e.peer, e.peer_port or ""), LinkEvidence.LLDP, at=e.at)
        for device, outputs in shows.items()
        for shown in outputs
        for e in shown.entries
        if e.peer is not None
    ]


def _parse(
    device: Device, versions: Sequence[Version], plan: PlannedFabric | None, project: Project | None
) -> list[SwitchModel]:
    nos = registry.load(device.nos)
    facts = known_facts(device, versions, plan, project)
    found: list[SwitchModel] = registry.module(nos).parse(device.sources, nos, facts)
    planned = plan.devices.get(device.name) if plan is not None else None
    return [complete(_named(m, device), planned) for m in found]


def _tables(device: Device, models: Sequence[SwitchModel]) -> list[LookupTable]:
    """The lookup tables among a device's files. `models`: what its files were read as."""
    reader = getattr(registry.module(device.nos), "tables", None)
    out: list[LookupTable] = []
    for found in reader(device.sources) if reader is not None else ():
        users = tuple(m.hostname for m in models if found.file in m.files)
        path = os.path.abspath(found.file).replace(os.sep, "/")
        name = users[0] if len(users) == 1 else "/".join(path.split("/")[-2:])
        out.append(LookupTable(name, found.file, device.nos, found.rows, users, found.no_rows))
    return out


def _named(model: SwitchModel, device: Device) -> SwitchModel:
    """A model that its own files do not name gets the name made from theirs."""
    stems = {os.path.splitext(os.path.basename(p))[0] for p in device.paths}
    base, dash, namespace = model.hostname.partition("-asic")
    if device.said or base not in (*stems, "", "sonic", "localhost"):
        return model
    return replace(model, hostname=device.name + dash + namespace)


def _with_rest(first: FabricRead, found: Walk) -> FabricRead:
    """What belongs to no fabric is told with the first one."""
    return replace(first, problems=(*found.problems, *first.problems), skipped=(*found.skipped, *first.skipped))


def _project_sets(project: Project | None) -> Callable[[str], str | None]:
    if project is None or not project.fabrics:
        return lambda path: None
    folder, sets = str(project.folder), project.fabrics
    return lambda path: grouping.in_globs(path, folder, sets)


@lru_cache(maxsize=256)
def _lines(text: str) -> list[str]:
    return text.split("\n")
