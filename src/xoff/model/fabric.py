"""The fabric around the switches: links, hosts, classes in force."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from xoff.model.finding import Confidence
from xoff.model.frozen import FrozenMap
from xoff.model.origin import FileLine
from xoff.model.quantity import Unknown
from xoff.model.record import dataclass
from xoff.model.switch import SwitchModel


class LinkEvidence(StrEnum):
    """Where a link is known from, strongest first."""

    INTENT = "intent"
    CABLING = "cabling file"
    LLDP = "LLDP"
    NEIGHBOUR = "DEVICE_NEIGHBOR"
    DESCRIPTION = "description"
    ADDRESSES = "address pair"


#: Evidence that makes a finding on the link `certain`; on the others it is `inferred`.
CERTAIN_LINKS = frozenset({LinkEvidence.INTENT, LinkEvidence.CABLING})


@dataclass(frozen=True, slots=True)
class End:
    device: str
    port: str


@dataclass(frozen=True, slots=True)
class Link:
    """One cable. `b` may be a host's NIC. `carries`: class names that run over it (None: not stated)."""

    a: End
    b: End
    evidence: LinkEvidence
    speed: int | None = None
    cable_m: int | None = None
    carries: frozenset[str] | None = None
    at: FileLine | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class LinkConflict:
    """Two sources name different ends for one port; the link is reported and not used."""

    port: End
    claims: tuple[tuple[LinkEvidence, End], ...]


@dataclass(frozen=True, slots=True)
class Host:
    """A server as the intent knows it."""

    name: str
    nics: tuple[str, ...]
    nic_model: str | None = None
    marking: str = "dscp"


class Basis(StrEnum):
    """What a class in force rests on, strongest first (DESIGN 8)."""

    INTENT = "intent"
    PROJECT = "project file"
    HOST = "host facts"
    FABRIC = "the fabric's own lines"
    CONVENTION = "convention"


class ClassKind(StrEnum):
    DATA = "data"  # told apart by DSCP or PCP, and here to be lossless (or not)
    CNP = "cnp"
    CONTROL = "control"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class ClassInForce:
    """A class that rules judge against. `dscp` or `pcp` tells its packets apart; `priority` is its PFC / 802.1p priority.

    `ecn`: True asked for, False ruled out (congestion_control: none), None not stated.
    """

    name: str
    kind: ClassKind
    lossless: bool
    dscp: frozenset[int]
    pcp: frozenset[int]
    priority: int | Unknown
    basis: Basis
    confidence: Confidence
    said: str
    ecn: bool | None = None
    at: FileLine | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Fabric:
    """Switches and what joins them. `name` is the set's name in the project file or the folder's."""

    name: str
    devices: FrozenMap[str, SwitchModel]
    links: tuple[Link, ...] = ()
    conflicts: tuple[LinkConflict, ...] = ()
    hosts: tuple[Host, ...] = ()
