"""The intent file as types: what may be written, with units and ranges. What must be there, and what must fit together, is
checked in `classes`, `switches` and `expand`, so that every error is found at once.

`schema_json` gives the JSON Schema that makes editors complete the file.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from xoff.intent import units
from xoff.intent.written import (
    Bandwidth,
    Cable,
    Carries,
    ClassName,
    Dscps,
    FabricName,
    Millis,
    Mtu,
    Nanos,
    Option,
    Pattern,
    Patterns,
    Percent,
    RoceMtu,
    Size,
    SizeBytes,
    Speed,
    Text,
)
from xoff.model.qos import WatchdogAction


def _kind(value: Any) -> str:
    return "(mapping)" if isinstance(value, (dict, BaseModel)) else "(list)" if isinstance(value, list) else "(word)"


class Part(BaseModel):
    """Every mapping of the file: unknown keys are errors, numbers are not guessed from text."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)


class FabricPart(Part):
    """The fabric as a whole."""

    name: FabricName | None = None
    workload: Literal["training", "inference", "storage"] = "training"
    """Sets the ECN and scheduler defaults; each can be overridden."""


class EcnPart(Part):
    """Marking thresholds, fixed by hand. What is left out is sized."""

    kmin: Size | None = None
    """No mark below this queue depth."""
    kmax: Size | None = None
    """From this queue depth on every packet is marked with `pmax` reached."""
    pmax: Percent | None = None
    """Marking probability at kmax."""


Ecn = Annotated[
    Annotated[Literal["auto", "off"], Tag("(word)")] | Annotated[EcnPart, Tag("(mapping)")],
    Discriminator(lambda v: "(mapping)" if _kind(v) == "(mapping)" else "(word)"),
]


class ClassPart(Part):
    """One traffic class: DSCPs in, one priority (traffic class, 802.1p and PFC priority alike) out."""

    kind: Literal["data", "cnp", "control", "default"] | None = None
    """What it is for; taken from the name where that is cnp, control or default."""
    dscp: Dscps | None = None
    """DSCPs of the class's packets."""
    priority: Annotated[int, Field(ge=0, le=7)] | None = None
    """Priority 0-7, one class each."""
    lossless: bool = False
    """Protected by PFC wherever a link carries it."""
    bandwidth: Bandwidth | None = None
    """Share of the port, or `rest`: what the others leave."""
    scheduler: Literal["strict", "weighted"] | None = None
    """`strict`: served before the others."""
    ecn: Ecn | None = None
    """`auto` (default for lossless classes): thresholds are sized; `off`; or thresholds."""


class WatchdogPart(Part):
    """PFC watchdog. Times left out are sized."""

    detect: Millis | None = None
    """How long a queue may stand paused."""
    restore: Millis | None = None
    """How long without pauses until the queue comes back."""
    poll: Millis | None = None
    action: Annotated[WatchdogAction, BeforeValidator(lambda v: _action(v))] | None = None
    """What happens to the stuck queue: drop | forward | alert | errdisable."""


def _action(value: Any) -> Any:
    if isinstance(value, str) and value in {a.value for a in WatchdogAction}:
        return WatchdogAction(value)
    raise ValueError(f"expected one of {', '.join(a.value for a in WatchdogAction)}, not {units.show(value)}")


Watchdog = Annotated[
    Annotated[Literal["auto", "off"], Tag("(word)")] | Annotated[WatchdogPart, Tag("(mapping)")],
    Discriminator(lambda v: "(mapping)" if _kind(v) == "(mapping)" else "(word)"),
]


class HeadroomPart(Part):
    """How much room a lossless group gets for what arrives after it said stop."""

    preset: Literal["strict", "floor", "nvidia", "ieee", "table"] | None = None
    """strict: worst case; nvidia: SONiC's script; ieee: the standard's budget; table: the model's own row; floor: the least."""


class DefaultsPart(Part):
    """What holds for every switch unless it says otherwise."""

    mtu: Mtu = 9100
    roce_mtu: RoceMtu = 4096
    watchdog: Watchdog | None = None
    headroom: HeadroomPart | None = None


class AsicPart(Part):
    """ASIC facts by hand, for a switch that platforms/ does not hold."""

    name: Text | None = None
    cell: SizeBytes | None = None
    """Size of a buffer cell."""
    buffer: SizeBytes | None = None
    """Packet buffer of the chip."""
    response: Nanos | None = None
    """Time from a pause frame's arrival until the transmitter stands still."""
    domains: Annotated[int, Field(ge=1, le=64)] | None = None
    """Memory domains that share no buffer."""
    lossless: Annotated[int, Field(ge=1, le=8)] | None = None
    """How many lossless classes you vouch for, where the sourced number is a recommendation."""


Asic = Annotated[
    Annotated[Text, Tag("(word)")] | Annotated[AsicPart, Tag("(mapping)")],
    Discriminator(lambda v: "(mapping)" if _kind(v) == "(mapping)" else "(word)"),
]


class PortPart(Part):
    """What one port (or a range of ports) has of its own. speed, cable and carries belong to the link and hold at both ends."""

    speed: Speed | None = None
    cable: Cable | None = None
    carries: Carries | None = None
    mtu: Mtu | None = None
    headroom: SizeBytes | None = None
    """Headroom of each lossless group, instead of the computed one."""
    description: Text | None = None
    admin: bool | None = None
    """false: shut down."""
    switched: bool | None = None
    """true: a layer 2 port."""
    lanes: Annotated[int, Field(ge=1, le=16)] | None = None
    """Serdes lanes, where headroom depends on them."""
    peer: Text | None = None
    """What is at the other end of a port in no link, as device:port."""


class SwitchPart(Part):
    """Switches of one kind, or an override for some of them: a later entry for names that an earlier one defined."""

    role: Text | None = None
    nos: Text | None = None
    model: Text | None = None
    """Vendor model, or SONiC hwsku."""
    release: Text | None = None
    asic: Asic | None = None
    """Name of an ASIC, or its facts by hand."""
    mtu: Mtu | None = None
    roce_mtu: RoceMtu | None = None
    watchdog: Watchdog | None = None
    headroom: HeadroomPart | None = None
    options: dict[Text, Option] | None = None
    """Options of the NOS's own."""
    ports: dict[Pattern, PortPart] | None = None


class HostsPart(Part):
    """Servers. NICs are nic0, nic1, …"""

    name: Pattern | None = None
    nics: Annotated[int, Field(ge=1, le=64)] = 1
    nic: Text | None = None
    """Model of the NIC, such as cx7."""
    attach: Literal["rail", "tor"] = "rail"
    """rail: NIC r of a block of hosts sits on the block's r-th leaf; tor: all NICs of a host on one leaf."""
    marking: Literal["dscp", "pcp"] = "dscp"


class GroupPorts(Part):
    """Ports of a link group, in order, on every switch of that side."""

    from_: Annotated[Patterns | None, Field(alias="from")] = None
    to: Patterns | None = None


class LinkPart(Part):
    """A group of links (`from`, `to`, `ports`) or one link (`a`, `b`)."""

    from_: Annotated[Patterns | None, Field(alias="from")] = None
    to: Patterns | None = None
    """Switches, hosts by name, or `hosts` for all of them."""
    ports: GroupPorts | None = None
    count: Annotated[int, Field(ge=1, le=256)] | None = None
    """Parallel links between each pair."""
    a: Text | None = None
    """One end of a single link, as device:port."""
    b: Text | None = None
    speed: Speed | None = None
    cable: Cable | None = None
    carries: Carries | None = None
    switched: bool | None = None
    """true: the switch ports are layer 2 ports."""
    lanes: Annotated[int, Field(ge=1, le=16)] | None = None


class Pair(Part):
    """One value for links between switches, one for links to hosts."""


class SpeedPair(Pair):
    fabric: Speed | None = None
    host: Speed | None = None


class CablePair(Pair):
    fabric: Cable | None = None
    host: Cable | None = None


class CarriesPair(Pair):
    fabric: Carries | None = None
    host: Carries | None = None


class TierPart(SwitchPart):
    """The switches of one tier of a generated fabric."""

    up: Patterns | None = None
    """Ports towards the next tier up, in order; the first ones needed are used."""
    down: Patterns | None = None
    """Ports towards the tier or the hosts below, in order; the first ones needed are used."""


def _topology(value: Any) -> Any:
    kind = value.get("kind") if isinstance(value, dict) else None
    if kind in ("fat-tree", "rail-optimized"):
        raise ValueError(f"the generator {kind} is not built yet; leaf-spine is, and link groups can express any fabric")
    return value


class TopologyPart(Part):
    """A generated fabric: every leaf to every spine. Names are leaf01…, spine01…; override them under `switches`."""

    kind: Literal["leaf-spine"] | None = None
    leaves: Annotated[int, Field(ge=1, le=2048)] | None = None
    spines: Annotated[int, Field(ge=1, le=512)] | None = None
    count: Annotated[int, Field(ge=1, le=256)] = 1
    """Parallel links between each pair."""
    leaf: TierPart | None = None
    spine: TierPart | None = None
    speed: (
        Annotated[
            Annotated[Speed, Tag("(word)")] | Annotated[SpeedPair, Tag("(mapping)")],
            Discriminator(lambda v: "(mapping)" if _kind(v) == "(mapping)" else "(word)"),
        ]
        | None
    ) = None
    cables: CablePair | None = None
    carries: CarriesPair | None = None


class RoutingPart(Part):
    """How packets find their way; what deadlock freedom is judged by."""

    protocol: Literal["ebgp", "ibgp", "ospf", "isis", "static"] | None = None
    valley_free: bool | None = None
    """true: routes never go down and up again."""


class IntentPart(Part):
    """The whole file."""

    version: int | None = None
    fabric: FabricPart | None = None
    classes: dict[ClassName, ClassPart] | None = None
    congestion_control: Literal["dcqcn", "none"] = "dcqcn"
    """none: nothing is marked, and that is meant so."""
    defaults: DefaultsPart = DefaultsPart()
    switches: dict[Pattern, SwitchPart] | None = None
    hosts: (
        Annotated[
            Annotated[HostsPart, Tag("(mapping)")] | Annotated[list[HostsPart], Tag("(list)")],
            Discriminator(lambda v: "(list)" if _kind(v) == "(list)" else "(mapping)"),
        ]
        | None
    ) = None
    links: list[LinkPart] | None = None
    cabling: Text | None = None
    """CSV file beside or below the intent: a,a_port,b,b_port,speed,cable_m."""
    topology: Annotated[TopologyPart, BeforeValidator(_topology)] | None = None
    routing: RoutingPart | None = None


_REQUIRED = {
    "IntentPart": ["version", "fabric", "classes"],
    "FabricPart": ["name"],
    "ClassPart": [],
    "HostsPart": ["name"],
    "TopologyPart": ["kind", "leaves", "spines", "leaf", "spine"],
}


def schema_json() -> str:
    """The JSON Schema of the intent file, as text with a final newline; deterministic."""
    import json

    schema = IntentPart.model_json_schema(by_alias=True)
    for name, definition in (*schema["$defs"].items(), ("IntentPart", schema)):
        if _REQUIRED.get(name):
            definition["required"] = _REQUIRED[name]
    schema["properties"]["defaults"].pop("default")
    schema["properties"]["version"] = {"const": 1, "description": "Version of this format"}
    _drop_null(schema)
    out = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "xoff intent",
    }
    return json.dumps(out, indent=2, ensure_ascii=False) + "\n"


def _drop_null(node: Any) -> None:
    """`None` means "not written" here; an explicit null is an error, so the schema must not offer it."""
    if isinstance(node, dict):
        options = node.get("anyOf")
        if isinstance(options, list) and {"type": "null"} in options:
            rest = [o for o in options if o != {"type": "null"}]
            if len(rest) == 1:
                del node["anyOf"]
                node.update({**rest[0], **node})
            else:
                node["anyOf"] = rest
            node.pop("default", None) if node.get("default", 0) is None else None
        if "patternProperties" in node:
            node["additionalProperties"] = False
        if node.get("title") and "properties" not in node:
            node.pop("title") if isinstance(node["title"], str) else None
        for value in list(node.values()):
            _drop_null(value)
    elif isinstance(node, list):
        for value in node:
            _drop_null(value)
