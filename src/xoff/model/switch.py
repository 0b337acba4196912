"""A switch: its ports, pools, tunnels, the objects its file defines and refers to, and what could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from xoff.model.frozen import FrozenMap
from xoff.model.headroom_table import HeadroomRow
from xoff.model.origin import FileLine, Line, Origin, Origins
from xoff.model.qos import PortQos, Threshold
from xoff.model.quantity import Quantity, Unknown
from xoff.model.record import dataclass


class Architecture(StrEnum):
    SHARED = "shared"
    SPLIT = "split"
    VOQ = "voq"


class Form(StrEnum):
    """GOLDEN: as kept in git, before the device adds its run-time part. RUNNING: everything is there.

    FRAGMENT: part of a configuration; what is absent is unknown, never missing.
    """

    GOLDEN = "golden"
    RUNNING = "running"
    FRAGMENT = "fragment"


class Direction(StrEnum):
    INGRESS = "ingress"
    EGRESS = "egress"
    BOTH = "both"


class PoolKind(StrEnum):
    SHARED = "shared"
    HEADROOM = "headroom"


class PoolMode(StrEnum):
    STATIC = "static"
    DYNAMIC = "dynamic"


@dataclass(frozen=True, slots=True)
class Pool:
    """A buffer pool. `size` None: absent (computed by the device). `includes_headroom`: whether `size` holds the headroom too.

    `domain` None: the figure is for all memory domains together. `over_subscription`: headroom sold per byte kept.
    """

    name: str
    direction: Direction
    kind: PoolKind
    mode: PoolMode | Unknown
    size: Quantity | Unknown | None
    domain: int | None = None
    includes_headroom: bool | Unknown = Unknown("not sourced for this ASIC")
    over_subscription: Quantity | Unknown | None = None
    private_headroom: Quantity | Unknown | None = None
    origins: Origins = field(default_factory=Origins, compare=False)


class BufferUse(StrEnum):
    GROUP = "priority group"
    QUEUE = "queue"
    PORT_INGRESS = "port ingress"
    PORT_EGRESS = "port egress"


@dataclass(frozen=True, slots=True)
class BufferProfile:
    """A named buffer profile as defined, whether or not a port uses it (SONiC BUFFER_PROFILE, EOS MMU profile).

    `threshold`: as it is written, sound or not. An alpha whose unit is bytes is a number of bytes that stands where an alpha
    belongs; nothing computes with it (a group or queue of this profile has an Unknown threshold then).
    """

    name: str
    pool: str | Unknown | None
    direction: Direction | Unknown
    values: FrozenMap[str, str]
    used_as: frozenset[BufferUse] = frozenset()
    origins: Origins = field(default_factory=Origins, compare=False)
    threshold: Threshold | Unknown | None = field(default=None, compare=False)


class PortKind(StrEnum):
    FRONT = "front"
    BREAKOUT = "breakout child"
    MEMBER = "bundle member"
    BUNDLE = "bundle"
    SUBINTERFACE = "sub-interface"
    SVI = "SVI"
    PEER_LINK = "peer link"
    BACKPLANE = "backplane"
    MANAGEMENT = "management"
    INTERNAL = "internal"
    LOOPBACK = "loopback"


#: Kinds of port that can carry a class (DESIGN 8); all others never do.
CARRYING = frozenset(
    {PortKind.FRONT, PortKind.BREAKOUT, PortKind.MEMBER, PortKind.BUNDLE, PortKind.PEER_LINK, PortKind.BACKPLANE}
)


@dataclass(frozen=True, slots=True)
class Port:
    """One interface. `speed` Mb/s, `mtu` bytes as the NOS counts it, `cable_m` metres.

    None = not said and no sourced default; Unknown = cannot be known from the input. `qos` and `origins` are shared between
    ports with equal bodies; `lines` gives the file line of a `BodyLine` key and is not part of the value.
    `routed`: True routed, False switched. `own` holds origins of the port's own values (`speed`, `mtu`, `cable_m`, `admin` …).
    """

    name: str
    kind: PortKind
    qos: PortQos
    speed: int | Unknown | None = None
    mtu: int | Unknown | None = None
    admin: bool | Unknown = True
    routed: bool | Unknown | None = None
    vrf: str | None = None
    bundle: str | None = None
    breakout_parent: str | None = None
    domain: int | Unknown | None = None
    cable_m: int | Unknown | None = None
    description: str | None = None
    addresses: tuple[str, ...] = ()
    peer: tuple[str, str] | None = None
    at: FileLine | None = field(default=None, compare=False)
    origins: Origins = field(default_factory=Origins, compare=False)
    own: Origins = field(default_factory=Origins, compare=False)
    lines: Mapping[int | str, FileLine] = field(default_factory=dict, compare=False, repr=False)

    @property
    def carrying_kind(self) -> bool:
        return self.kind in CARRYING

    def place(self, origin: Origin | None) -> FileLine | None:
        """The file line of an origin, resolved through this port; the port's own header when nothing better is known."""
        if isinstance(origin, Line):
            return origin.at
        if origin is not None and hasattr(origin, "key"):
            found = self.lines.get(origin.key)
            if found is not None:
                return found
        return self.at


@dataclass(frozen=True, slots=True)
class Bundle:
    name: str
    members: tuple[str, ...]
    at: FileLine | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Tunnel:
    """An encapsulation. `*_dscp_mode`: uniform | pipe; `ecn`: the NOS's own word, None where nothing is said."""

    name: str
    encap_dscp_mode: str | Unknown | None = None
    decap_dscp_mode: str | Unknown | None = None
    encap_ecn: str | Unknown | None = None
    decap_ecn: str | Unknown | None = None
    maps: FrozenMap[str, str] = field(default_factory=FrozenMap)
    origins: Origins = field(default_factory=Origins, compare=False)


@dataclass(frozen=True, slots=True)
class Definition:
    """A named QoS object that the file defines. `kind`: the NOS's own word (`qos profile`, `WRED_PROFILE`).

    `lossless`: it carries a no-drop or headroom statement, so leaving it unused means loss (ATT001), not mere litter (CFG006).
    `marks`: it asks for ECN marking, so leaving it unused means that nothing marks (ECN001).
    `applied`: False where the object needs an apply step of its own that is missing; None where there is no such step.
    """

    kind: str
    name: str
    at: Line
    lossless: bool = False
    applied: bool | None = None
    how_applied: str = ""
    marks: bool = False


class RefProblem(StrEnum):
    """Why a reference does not resolve (CFG002); None of these: it names something nowhere defined (CFG001)."""

    BRACKET = "old bracket form"
    CASE = "differs in case"
    JOINED = "joined keys"
    TABLE = "wrong table name"


@dataclass(frozen=True, slots=True)
class Reference:
    """A use of a named object. `resolves`: the definition is in the input (None: its table is not, so unknown).

    `ports`: the ports whose body holds the reference (empty: the device's own).
    `fills`: beginnings of the field paths that the object would have filled (`classify`, `queue`, `group`, `pfc`); empty: any.
    `idle`: why it does nothing where it stands (its direction, its place), in words; empty: it is in force.
    """

    kind: str
    name: str
    origin: Line
    resolves: bool | None
    problem: RefProblem | None = None
    detail: str = ""
    ports: tuple[str, ...] = ()
    fills: tuple[str, ...] = ()
    idle: str = ""


class RemarkKind(StrEnum):
    UNCLAIMED = "unclaimed"  # CFG003
    INVALID = "invalid"  # CFG004
    RESIDUE = "residue"  # CFG005
    UNREAD = "unread"  # CFG007


@dataclass(frozen=True, slots=True)
class Remark:
    """Something in the file that is not a value of the model: a line nobody claims, an impossible value, template residue.

    `shape`: the line with digits and names folded, by which equal remarks are one. `reached`: an interface or class in force
    reaches the block (CFG003 is a warning there, else a note). `expected`: what the NOS can mean, in words.
    `more`: the other places of the same remark, in file order. `fills`: as in `Reference`, what the value would have filled.
    """

    kind: RemarkKind
    origin: Line
    shape: str
    message: str = ""
    expected: str = ""
    reached: bool = True
    ports: tuple[str, ...] = ()
    more: tuple[FileLine, ...] = ()
    fills: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Named:
    """A fact about the device with its origin: model, ASIC, release …"""

    value: str
    origin: str
    at: FileLine | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Routing:
    """What a parsed file says of routing; enough for valley and flooding questions. Filled by readers, empty where not said."""

    asn: int | None = None
    peers: FrozenMap[str, int] = field(default_factory=FrozenMap)
    mac_aging_s: int | Unknown | None = None
    arp_timeout_s: int | Unknown | None = None


@dataclass(frozen=True, slots=True)
class SwitchModel:
    """One switch (or one ASIC namespace of a multi-ASIC switch).

    `asic`: name of a platforms/ entry, Unknown where no fact tells. `pfc_off`: a switch-wide statement turns PFC off.
    `kilo`: bytes in the NOS's own K (None: not confirmed). `origins`: device-level values (`pfc_off`, `form` …).
    `tables`: the parts of the configuration that were present (SONiC: table names), so that absent and unread differ.
    `structure`: the assumptions of nos.yaml that the reading rests on, in words.
    `class_mtus`: MTU (bytes) by traffic class, where the NOS says it per class beside that of the port (NX-OS network-qos).
    `headroom_table`: rows of the device's own lookup table, where it is in the input (SONiC pg_profile_lookup.ini).
    `without`: parts that are not there although the rest shows that the input is a whole configuration (`buffers`).
    """

    hostname: str
    nos: str
    ports: FrozenMap[str, Port]
    form: Form = Form.RUNNING
    role: str | None = None
    release: str | Unknown = Unknown("release not stated", None)
    platform: str | Unknown = Unknown("model not stated", None)
    asic: str | Unknown = Unknown("ASIC not stated", None)
    architecture: Architecture | Unknown = Unknown("ASIC not stated", None)
    bundles: FrozenMap[str, Bundle] = field(default_factory=FrozenMap)
    pools: tuple[Pool, ...] = ()
    profiles: FrozenMap[str, BufferProfile] = field(default_factory=FrozenMap)
    tunnels: tuple[Tunnel, ...] = ()
    pfc_off: bool | Unknown = False
    kilo: int | None = None
    lossless_mtu: int | Unknown | None = None
    routing: Routing = Routing()
    definitions: tuple[Definition, ...] = field(default=(), compare=False)
    references: tuple[Reference, ...] = field(default=(), compare=False)
    remarks: tuple[Remark, ...] = field(default=(), compare=False)
    facts: FrozenMap[str, Named] = field(default_factory=FrozenMap, compare=False)
    tables: frozenset[str] = field(default=frozenset(), compare=False)
    structure: tuple[str, ...] = field(default=(), compare=False)
    other_lines: int = field(default=0, compare=False)
    files: tuple[str, ...] = field(default=(), compare=False)
    origins: Origins = field(default_factory=Origins, compare=False)
    neighbours: FrozenMap[str, tuple[str, str | None]] = field(default_factory=FrozenMap, compare=False)
    headroom_table: tuple[HeadroomRow, ...] = field(default=(), compare=False)
    without: frozenset[str] = field(default=frozenset(), compare=False)
    class_mtus: FrozenMap[int, int | Unknown] = field(default_factory=FrozenMap)


class Interner:
    """Gives one object for equal (values, origins) pairs, so that equal ports share memory and are judged once."""

    def __init__(self) -> None:
        self._seen: dict[tuple[PortQos, Origins], tuple[PortQos, Origins]] = {}

    def __call__(self, qos: PortQos, origins: Origins) -> tuple[PortQos, Origins]:
        return self._seen.setdefault((qos, origins), (qos, origins))
