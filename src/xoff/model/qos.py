"""What one port does to a packet: classification, PFC, groups, queues, watchdog.

One frozen `PortQos` is shared by all ports with the same body. Three things are kept apart everywhere:
None = absent (not said, and no default is known to stand for it), an empty set or zero = said so, Unknown = cannot be known.
Priorities, traffic classes, groups and queues are 0-7 unless the platform has more queues.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TypeAlias

from xoff.model.frozen import FrozenMap
from xoff.model.quantity import Quantity, Unknown
from xoff.model.record import dataclass


class HeaderField(StrEnum):
    """What of an arriving packet is read to classify it."""

    DSCP = "dscp"
    PCP = "pcp"
    PORT = "port"  # nothing: the port's own default priority


class Colour(StrEnum):
    GREEN = "green"
    YELLOW = "yellow"
    RED = "red"


class MatchKind(StrEnum):
    DSCP = "dscp"
    PCP = "pcp"
    OPAQUE = "opaque"  # an access list or the like, whose meaning is not modelled
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Match:
    """One step of classification. `values`: DSCP 0-63 or PCP 0-7; empty for opaque and default.

    `own_field`: the step looks at its field itself, whatever the port reads (a policy of classes that match CoS and DSCP).
    """

    kind: MatchKind
    values: frozenset[int]
    tc: int | Unknown
    colour: Colour = Colour.GREEN
    name: str = ""
    own_field: bool = False


@dataclass(frozen=True, slots=True)
class Classify:
    """Ordered classification; the first match that applies wins.

    `tagged_ip`, `untagged_ip`, `non_ip`: the field read for such a frame (the port's trust), Unknown if undetermined.
    DSCP matches count only for frames whose field is DSCP, PCP matches likewise; opaque ones (policy maps) always.
    `default_tc`: where a frame goes that nothing classifies (port default priority).
    `set_dscp` rewriting at ingress is kept by tc in `PortQos.rewrite_dscp`.
    """

    matches: tuple[Match, ...] = ()
    tagged_ip: HeaderField | Unknown = Unknown("trust mode not read")
    untagged_ip: HeaderField | Unknown = Unknown("trust mode not read")
    non_ip: HeaderField | Unknown = Unknown("trust mode not read")
    default_tc: int | Unknown = Unknown("port default priority not read")


class PfcMode(StrEnum):
    ON = "on"
    AUTO = "auto"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Pfc:
    """Priority flow control of the port.

    `mode`: on | auto (negotiated) | off, after every interface-level statement (a switch-wide kill is `SwitchModel.pfc_off`).
    `no_drop`: priorities that the NOS's own statement on this port calls no-drop, whatever the mode is.
    `send`: group -> priorities written into the pause frames that this group causes.
    `obey`: priority received -> queues that it stops.
    `counts_by`: what makes an arriving frame count against a lossless group, where it is not the traffic class.
    """

    mode: PfcMode | Unknown = PfcMode.OFF
    no_drop: frozenset[int] = frozenset()
    send: FrozenMap[int, frozenset[int]] = field(default_factory=FrozenMap)
    obey: FrozenMap[int, frozenset[int]] = field(default_factory=FrozenMap)
    counts_by: HeaderField | Unknown | None = None
    link_pause_rx: bool | Unknown | None = None
    link_pause_tx: bool | Unknown | None = None
    asymmetric: bool | Unknown | None = None


@dataclass(frozen=True, slots=True)
class Alpha:
    """A dynamic threshold: the group or queue may hold alpha x the free part of its pool."""

    alpha: Quantity


@dataclass(frozen=True, slots=True)
class Static:
    """A fixed threshold. `unlimited`: the NOS's word for none (inf)."""

    limit: Quantity | None
    unlimited: bool = False


Threshold: TypeAlias = Alpha | Static


@dataclass(frozen=True, slots=True)
class PriorityGroup:
    """An ingress group. Sizes as said; None = absent; zero is zero.

    `lossless`: whether the device's own buffer statement makes it lossless (a headroom field, a no-drop profile);
    whether it sends pauses is `Pfc.send`. `headroom`: bytes kept for what arrives after XOFF.
    `headroom_by_device`: the device computes it by itself at run time (dynamic model, golden form), so no number stands here.
    `headroom_for_m`: metres of cable up to which the device's own headroom holds, where it does not know the cable.
    """

    id: int
    lossless: bool | Unknown
    reserved: Quantity | Unknown | None = None
    headroom: Quantity | Unknown | None = None
    threshold: Threshold | Unknown | None = None
    xon: Quantity | Unknown | None = None
    xon_offset: Quantity | Unknown | None = None
    pool: str | Unknown | None = None
    profile: str | None = None
    headroom_by_device: bool = False
    headroom_for_m: int | None = None


class QueueKind(StrEnum):
    UNICAST = "unicast"
    MULTICAST = "multicast"
    VOQ = "voq"


@dataclass(frozen=True, slots=True)
class Curve:
    """One marking / dropping ramp: from Kmin (probability 0) to Kmax (Pmax, percent).

    `marks`: ECT packets are marked. `drops`: packets are dropped by this ramp (WRED without ECN).
    """

    kmin: Quantity | Unknown | None
    kmax: Quantity | Unknown | None
    pmax: Quantity | Unknown | None
    marks: bool | Unknown
    drops: bool | Unknown = False
    weight: int | None = None


class NotEct(StrEnum):
    """What becomes of a packet without ECT in a marking queue above Kmin."""

    DROP = "drop"
    FORWARD = "forward"


class SchedulerKind(StrEnum):
    STRICT = "strict"
    DWRR = "dwrr"
    WRR = "wrr"


@dataclass(frozen=True, slots=True)
class Scheduler:
    """How the queue is served. `share`: percent or weight; `guarantee`, `cap`: rates or percent."""

    kind: SchedulerKind | Unknown
    share: Quantity | None = None
    guarantee: Quantity | None = None
    cap: Quantity | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class QueueId:
    kind: QueueKind
    id: int

    def __str__(self) -> str:
        return f"{self.kind}.{self.id}"


@dataclass(frozen=True, slots=True)
class Queue:
    """An egress queue. `curves` by colour (one entry GREEN where the NOS has no colours); empty: no marking, no early drop.

    `lossless`: the device's own statement that it never drops here (no-drop queue, lossless egress profile).
    """

    id: QueueId
    curves: FrozenMap[Colour, Curve] = field(default_factory=FrozenMap)
    not_ect: NotEct | Unknown = Unknown("what this NOS does with packets without ECT is not confirmed")
    scheduler: Scheduler | Unknown | None = None
    limit: Threshold | Unknown | None = None
    reserved: Quantity | Unknown | None = None
    pool: str | Unknown | None = None
    lossless: bool | Unknown | None = None
    profile: str | None = None
    curve_profile: str | None = None
    counts_marks: bool | Unknown | None = None


class WatchdogAction(StrEnum):
    DROP = "drop"
    FORWARD = "forward"
    ALERT = "alert"
    ERRDISABLE = "errdisable"


@dataclass(frozen=True, slots=True)
class Watchdog:
    """PFC watchdog of the port. `available`: the NOS and platform have one.

    `enabled`: it would act on `priorities`. Times as said; Unknown where the NOS default is not confirmed.
    `latch`: the action outlasts the storm until someone resets it.
    `by_device`: the device starts it by itself (SONiC default_pfcwd_status), nothing stands in the file.
    """

    available: bool | Unknown
    enabled: bool | Unknown = False
    priorities: frozenset[int] | Unknown = frozenset()
    detect: Quantity | Unknown | None = None
    restore: Quantity | Unknown | None = None
    poll: Quantity | Unknown | None = None
    action: WatchdogAction | Unknown | None = None
    latch: bool | Unknown = False
    by_device: bool = False


@dataclass(frozen=True, slots=True)
class PortQos:
    """All of the above for one port body. Maps are total where the NOS has a known default (identity is written out)."""

    classify: Classify = Classify()
    tc_to_queue: FrozenMap[int, int | Unknown] = field(default_factory=FrozenMap)
    tc_to_group: FrozenMap[int, int | Unknown] = field(default_factory=FrozenMap)
    rewrite_dscp: FrozenMap[int, int] = field(default_factory=FrozenMap)
    rewrite_pcp: FrozenMap[int, int] = field(default_factory=FrozenMap)
    pfc: Pfc = Pfc()
    groups: FrozenMap[int, PriorityGroup] = field(default_factory=FrozenMap)
    queues: FrozenMap[QueueId, Queue] = field(default_factory=FrozenMap)
    watchdog: Watchdog = Watchdog(available=Unknown("not read"))
    unread: Unknown | None = None  # set: this body could not be read (an opaque policy decides it)
    _hash: int = field(default=0, compare=False, repr=False)

    def __hash__(self) -> int:
        if not self._hash:
            object.__setattr__(self, "_hash", hash((self.classify, self.tc_to_queue, self.pfc, self.groups, self.queues)))
        return self._hash
