"""OS9: one port body, from its lines and the DCB map that it names.

A packet's class is its 802.1p priority. A DCB map (or `pfc priority`) says which priorities pause; the queue of a priority
differs by model, and where the model is not known, neither is the queue.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Default, Evidence, Line, Origin, Origins
from xoff.model.qos import (
    Classify,
    HeaderField,
    Match,
    MatchKind,
    Pfc,
    PfcMode,
    PortQos,
    PriorityGroup,
    Queue,
    QueueId,
    QueueKind,
    Watchdog,
)
from xoff.model.quantity import Fact, Unknown
from xoff.model.record import dataclass
from xoff.nos.registry import Nos
from xoff.nos.settings import Settings

ALL = range(8)
NO_TRUST = Unknown(
    "nothing says `service-class dynamic dot1p`, and whether DCB alone makes the port read the tag is not sourced"
)
NO_QUEUES = Unknown(
    "the queue of a priority differs by model (four or eight data queues), and the model is not known", Fact.ASIC
)
OPAQUE = Unknown("an input policy decides, and its classes are not read")
BY_DEVICE = Unknown("buffers of lossless queues are the switch's own, and their sizes by model are not read", Fact.DEFAULT)
WATCHDOG = Unknown("storm control of PFC (OS9 9.10) is not read")


@dataclass(slots=True)
class DcbMap:
    """A DCB map: priority -> the line that pauses it; what it says of priorities that do not pause is not kept."""

    at: Line
    pauses: dict[int, Line] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shared:
    """What holds for the switch. `queues`: queue by priority, None where the model is not known."""

    dcb: bool
    dcb_at: Origin | None
    trust: Origin | None
    maps: Mapping[str, DcbMap]
    queues: tuple[int, ...] | None
    queues_from: Origin | None


def build(said: Settings, shared: Shared, nos: Nos) -> tuple[PortQos, Origins]:
    """The body of a port with these settings."""
    origins: dict[str, Origin] = {}
    pauses = _pauses(said, shared, origins)
    queue_of: dict[int, int | Unknown] = {n: NO_QUEUES if shared.queues is None else shared.queues[n] for n in ALL}
    if shared.queues_from is not None:
        origins["tc_to_queue"] = shared.queues_from
    pfc = _pfc(said, shared, pauses, queue_of, nos, origins)
    groups = {p: PriorityGroup(p, True, headroom=BY_DEVICE, threshold=BY_DEVICE, xon=BY_DEVICE, headroom_by_device=True)
              for p in pauses}  # fmt: skip
    for p, line in pauses.items():
        origins[f"group.{p}"] = origins[f"group.{p}.headroom"] = line
    no_drop: frozenset[int] = said.value("no_drop", frozenset())
    where = said.origin("no_drop")
    for n in no_drop:
        if where is not None:
            origins[f"queue.unicast.{n}"] = where
    qos = PortQos(
        classify=_classify(said, shared, nos, origins),
        tc_to_queue=FrozenMap(queue_of),
        tc_to_group=FrozenMap({n: n for n in ALL}),
        pfc=pfc,
        groups=FrozenMap(groups),
        queues=FrozenMap(
            {q: Queue(q, lossless=True) for q in (QueueId(QueueKind.UNICAST, n) for n in sorted(no_drop))}
        ),
        watchdog=Watchdog(available=WATCHDOG, enabled=False),
    )  # fmt: skip
    return qos, Origins(origins)


def _pauses(said: Settings, shared: Shared, origins: dict[str, Origin]) -> dict[int, Origin]:
    """Priorities that pause, with the line of each: of the DCB map, else of `pfc priority`."""
    name = said.value("dcb_map")
    found: dict[int, Origin] = {}
    if isinstance(name, str) and name in shared.maps:
        found |= shared.maps[name].pauses
    own, where = said.value("pfc.priority", frozenset()), said.origin("pfc.priority")
    if where is not None:
        found |= dict.fromkeys(sorted(own), where)
    for p, line in found.items():
        origins[f"pfc.no_drop.{p}"] = origins[f"pfc.send.{p}"] = origins[f"pfc.obey.{p}"] = line
        # The line says by 802.1p priority what pauses, so it tells the class too.
        origins[f"classify.pcp.{p}"] = line
    return found


def _pfc(
    said: Settings,
    shared: Shared,
    pauses: Mapping[int, Origin],
    queue_of: Mapping[int, int | Unknown],
    nos: Nos,
    origins: dict[str, Origin],
) -> Pfc:
    mode: PfcMode = PfcMode.OFF
    negotiated = nos.default("pfc.negotiated")
    where = said.origin("pfc.mode") or said.origin("dcb_map") or said.origin("pfc.priority")
    if not shared.dcb and shared.dcb_at is not None:
        origins["pfc.mode"] = shared.dcb_at
    elif said.value("pfc.mode") is False:
        origins["pfc.mode"] = said.origin("pfc.mode") or _off(nos)
    elif pauses and negotiated is not None:
        # A line asks for it, and DCBX has the last word.
        mode = PfcMode(negotiated.value)
        origins["pfc.mode"] = where or negotiated.origin("DCBX decides whether it is applied")
    else:
        origins["pfc.mode"] = _off(nos)
    pauses_said: dict[str, bool | None] = {}
    pause = nos.default("pfc.link_pause")
    for way in ("rx", "tx"):
        pauses_said[way] = said.value(f"pause.{way}")
        line = said.origin(f"pause.{way}")
        if line is not None and pauses_said[way] is not None:
            origins[f"pfc.link_pause.{way}"] = line
        elif pause is not None:
            pauses_said[way] = bool(pause.value)
            origins[f"pfc.link_pause.{way}"] = pause.origin("no flowcontrol line")
    send = FrozenMap({p: frozenset({p}) for p in sorted(pauses)})
    obey = {p: frozenset({q}) if isinstance(q := queue_of[p], int) else frozenset() for p in sorted(pauses)}
    return Pfc(mode, frozenset(pauses), send, FrozenMap(obey), None, pauses_said["rx"], pauses_said["tx"])


def _off(nos: Nos) -> Origin:
    entry = nos.default("pfc.mode")
    return entry.origin("no priority of the port has PFC") if entry else Default("nothing is said", Evidence.RECALLED, "")


def _classify(said: Settings, shared: Shared, nos: Nos, origins: dict[str, Origin]) -> Classify:
    policy = said.value("policy")
    matches = [Match(MatchKind.PCP, frozenset({p}), p) for p in ALL]
    if isinstance(policy, str):
        matches.insert(0, Match(MatchKind.OPAQUE, frozenset(), OPAQUE, name=policy))
        attached = said.origin("policy")
        if attached is not None:
            origins["classify"] = attached
    where = said.origin("trust") if said.value("trust") else shared.trust
    default = nos.default("classify.default")
    if default is not None:
        origins["classify.default"] = default.origin("untagged packets have dot1p priority 0")
    if where is None:
        return Classify(tuple(matches), NO_TRUST, HeaderField.PORT, NO_TRUST, 0)
    origins["classify.trust"] = where
    return Classify(tuple(matches), HeaderField.PCP, HeaderField.PORT, HeaderField.PCP, 0)
