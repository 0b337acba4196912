"""What a trace says: hops, what is wrong at them, and the first wrong one."""

from __future__ import annotations

from xoff.model.fabric import ClassInForce
from xoff.model.origin import FileLine
from xoff.model.qos import Curve, HeaderField, Scheduler
from xoff.model.quantity import Quantity, Unknown
from xoff.model.record import dataclass
from xoff.trace.need import Need


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that is wrong at a hop: what, and the line to blame. `certain` False: it cannot be known."""

    what: str
    at: FileLine | None
    certain: bool = True


@dataclass(frozen=True, slots=True)
class TunnelView:
    """What a tunnel of the switch would do to the packet: its outer DSCP, its ECN mode; None where nothing is said."""

    name: str
    outer_dscp: int | Unknown | None
    ecn: str | Unknown | None


@dataclass(frozen=True, slots=True)
class Hop:
    """One switch, for all pairs of ports that treat the packet alike.

    `distance`: switches before it. `ins`, `outs`: ports; empty where the way begins or ends there. `peers`: who sends into it.
    `obeys`: priorities whose pause stops the packet's queue. `dscp_out`: the DSCP that leaves.
    """

    device: str
    nos: str
    distance: int
    ins: tuple[str, ...]
    outs: tuple[str, ...]
    peers: tuple[str, ...]
    field: HeaderField | Unknown
    tc: int | Unknown
    group: int | Unknown
    lossless: bool | Unknown
    pause_sent_as: frozenset[int] | Unknown
    headroom: Quantity | Unknown | None
    need: Need | None
    queue: int | Unknown
    scheduler: Scheduler | Unknown | None
    marks: bool | Unknown
    curve: Curve | None
    obeys: frozenset[int] | Unknown
    dscp_in: int
    dscp_out: int
    tunnels: tuple[TunnelView, ...]
    wrong: tuple[Wrong, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """The whole way. `paths` 0: no way was asked for, and every switch is shown by itself."""

    dscp: int
    cls: ClassInForce | None
    start: str | None
    end: str | None
    paths: int
    hops: tuple[Hop, ...]

    @property
    def first_wrong(self) -> tuple[Hop, Wrong] | None:
        """The first thing that is certainly wrong, nearest to the sender."""
        return next(((h, w) for h in self.hops for w in h.wrong if w.certain), None)

    @property
    def open(self) -> int:
        """Things that could not be judged."""
        return sum(not w.certain for h in self.hops for w in h.wrong)
