"""What links join: hosts and how they are attached, one wire, a group of wires."""

from __future__ import annotations

import re

from xoff.fabric.planned import TrafficClass
from xoff.intent import ranges
from xoff.intent.document import Path
from xoff.intent.load import Intent
from xoff.intent.schema import HostsPart
from xoff.intent.units import show
from xoff.intent.written import HOSTNAME, HOSTNAME_RULE
from xoff.model.fabric import ClassKind, End, Host, LinkEvidence
from xoff.model.origin import FileLine
from xoff.model.record import dataclass

#: `hosts` as the far side of a link group: all of them.
ALL_HOSTS = "hosts"


@dataclass(frozen=True, slots=True)
class Wire:
    """One cable as the intent says it; `a` is a switch port. None: left to an override of the port.

    `path`: where it stands in the intent (None: in the cabling file, at `at`).
    """

    a: End
    b: End
    speed: int | None
    cable_m: int | None
    carries: frozenset[str] | None
    evidence: LinkEvidence
    at: FileLine
    path: Path | None
    switched: bool | None = None
    lanes: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A link group, from the file or a generator. Ports in order; `path` and `ports_path` are where problems point."""

    from_: tuple[str, ...]
    to: tuple[str, ...]
    from_ports: tuple[str, ...]
    to_ports: tuple[str, ...]
    count: int
    speed: int | None
    cable_m: int | None
    carries: frozenset[str] | None
    path: Path
    from_path: Path
    to_path: Path
    switched: bool | None = None
    lanes: int | None = None
    exact: bool = True


class Hosts:
    """The hosts by name and how each is attached."""

    def __init__(self, intent: Intent) -> None:
        self.by_name: dict[str, Host] = {}
        self.attach: dict[str, str] = {}
        part = intent.part.hosts
        many = isinstance(part, list)
        for i, group in enumerate(part if isinstance(part, list) else [part] if part is not None else []):
            self._take(intent, group, ("hosts", i) if many else ("hosts",))

    def _take(self, intent: Intent, group: HostsPart, path: Path) -> None:
        if group.name is None:
            if not intent.problems.poisoned((*path, "name")):
                intent.problems.add(path, "hosts without a name", 'for example name: "gpu[001-128]"', key=True)
            return
        nics = tuple(f"nic{n}" for n in range(group.nics))
        for name in ranges.expand(group.name):
            if not re.fullmatch(HOSTNAME, name):
                intent.problems.add((*path, "name"), f"{show(name)} is no name for a host: {HOSTNAME_RULE}")
                return
            if name in self.by_name:
                intent.problems.add((*path, "name"), f"host {name} stands here twice")
                return
            self.by_name[name] = Host(name, nics, group.nic, group.marking)
            self.attach[name] = group.attach


def always(classes: tuple[TrafficClass, ...]) -> frozenset[str]:
    """Classes that are on every port: control and default."""
    return frozenset(c.name for c in classes if c.kind in (ClassKind.CONTROL, ClassKind.DEFAULT))
