"""The expanded intent: every device, port and link by name, before any NOS or number comes in.

`intent.expand` builds it; `derive` turns one planned device into a SwitchModel.
Speeds in Mb/s, cables in metres, MTUs in bytes, bandwidth in percent of the port.
"""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction

from xoff.model.fabric import ClassKind, End, Host, Link
from xoff.model.frozen import FrozenMap
from xoff.model.origin import FileLine
from xoff.model.qos import WatchdogAction
from xoff.model.quantity import Quantity
from xoff.model.record import dataclass


@dataclass(frozen=True, slots=True)
class EcnWish:
    """Thresholds the user fixed for a class; None leaves it to sizing. `pmax` percent."""

    kmin: Quantity | None = None
    kmax: Quantity | None = None
    pmax: int | None = None


@dataclass(frozen=True, slots=True)
class TrafficClass:
    """One class of the intent. `priority` is traffic class, 802.1p priority and PFC priority alike.

    `bandwidth`: percent, None = what is left (`rest`); `strict`: served first. `ecn`: True mark, False never.
    """

    name: str
    kind: ClassKind
    dscp: frozenset[int]
    priority: int
    lossless: bool
    strict: bool = False
    bandwidth: Fraction | None = None
    ecn: bool = False
    ecn_wish: EcnWish = EcnWish()
    at: FileLine | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class WatchdogWish:
    """`auto` leaves None fields to sizing; `off` disables. Times in milliseconds."""

    enabled: bool = True
    detect_ms: int | None = None
    restore_ms: int | None = None
    poll_ms: int | None = None
    action: WatchdogAction | None = None


@dataclass(frozen=True, slots=True)
class PlannedPort:
    """One port in use. `carries`: names of all classes on it (default and control always).

    A lossless class that is not in it is lossy here.
    `routed`: leaf-spine links are routed; host ports too unless the intent says `switched`.
    `headroom`: bytes fixed by an override, else None. `at`: where the intent says so.
    """

    name: str
    peer: End | None
    peer_model: str | None
    speed: int
    cable_m: int
    mtu: int
    carries: frozenset[str]
    routed: bool = True
    admin: bool = True
    description: str = ""
    headroom: int | None = None
    lanes: int | None = None
    at: FileLine | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class AsicFacts:
    """ASIC facts given by hand for a platform that platforms/ does not hold. Bytes and nanoseconds."""

    cell: int | None = None
    buffer: int | None = None
    response_ns: int | None = None
    domains: int | None = None


@dataclass(frozen=True, slots=True)
class PlannedDevice:
    """One switch. `model`: vendor model or SONiC hwsku as platforms/ knows it."""

    name: str
    role: str
    nos: str
    model: str
    ports: FrozenMap[str, PlannedPort]
    release: str | None = None
    asic: str | None = None
    asic_facts: AsicFacts | None = None
    watchdog: WatchdogWish = WatchdogWish()
    preset: str = "strict"
    roce_mtu: int = 4096
    options: FrozenMap[str, str] = field(default_factory=FrozenMap)
    at: FileLine | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class PlannedFabric:
    """The whole plan. `congestion_control`: `dcqcn` (marking asked for) or `none` (a policy, not a fault)."""

    name: str
    workload: str
    classes: tuple[TrafficClass, ...]
    devices: FrozenMap[str, PlannedDevice]
    links: tuple[Link, ...]
    hosts: tuple[Host, ...]
    congestion_control: str
    mtu: int
    roce_mtu: int
    valley_free: bool | None = None
    file: str = ""

    def class_named(self, name: str) -> TrafficClass:
        """The class of that name. Raises KeyError."""
        for c in self.classes:
            if c.name == name:
                return c
        raise KeyError(name)

    def carried(self, port: PlannedPort) -> tuple[TrafficClass, ...]:
        """Classes on a port, in the intent's order."""
        return tuple(c for c in self.classes if c.name in port.carries)
