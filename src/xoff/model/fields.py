"""The model's fields by name: what `can` in nos.yaml, round trip, drift and golden models speak of.

Each field is read from one port or from the device. `same` compares only fields that the NOS can express.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from xoff.model.qos import Colour, MatchKind, PortQos, Queue, Scheduler
from xoff.model.quantity import Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Port, SwitchModel


@dataclass(frozen=True, slots=True)
class Difference:
    """One field that differs. `port` None: device level."""

    device: str
    port: str | None
    field: str
    key: str
    ours: Any
    theirs: Any


def _matches(q: PortQos, kind: MatchKind) -> dict[int, Any]:
    """First match wins, so the map is by value; the order of lists with the same outcome is no difference."""
    out: dict[int, Any] = {}
    for m in q.classify.matches:
        if m.kind is kind:
            for v in sorted(m.values):
                out.setdefault(v, (m.tc, m.colour) if m.colour is not Colour.GREEN else m.tc)
    return out


def _trust(q: PortQos) -> dict[str, Any]:
    c = q.classify
    return {"tagged_ip": c.tagged_ip, "untagged_ip": c.untagged_ip, "non_ip": c.non_ip}


def _group(attr: str) -> Callable[[Port], dict[Any, Any]]:
    def read(p: Port) -> dict[Any, Any]:
        return {g.id: getattr(g, attr) for g in p.qos.groups.values() if getattr(g, attr) is not None}

    return read


def _queue(get: Callable[[Queue], Any]) -> Callable[[Port], dict[Any, Any]]:
    def read(p: Port) -> dict[Any, Any]:
        return {str(q.id): v for q in p.qos.queues.values() if (v := get(q)) is not None}

    return read


def _curve(attr: str) -> Callable[[Port], dict[Any, Any]]:
    """By queue, the green ramp; the others as `unicast.3.yellow`."""

    def read(p: Port) -> dict[Any, Any]:
        out: dict[Any, Any] = {}
        for q in p.qos.queues.values():
            for colour, curve in q.curves.items():
                value = getattr(curve, attr)
                if value is not None:
                    out[str(q.id) if colour is Colour.GREEN else f"{q.id}.{colour.value}"] = value
        return out

    return read


def _scheduler(attr: str) -> Callable[[Queue], Any]:
    def get(q: Queue) -> Any:
        s = q.scheduler
        return getattr(s, attr) if isinstance(s, Scheduler) else s

    return get


def _watchdog(attr: str) -> Callable[[Port], dict[Any, Any]]:
    def read(p: Port) -> dict[Any, Any]:
        v = getattr(p.qos.watchdog, attr)
        return {} if v is None else {"": v}

    return read


def _port(attr: str) -> Callable[[Port], dict[Any, Any]]:
    def read(p: Port) -> dict[Any, Any]:
        v = getattr(p, attr)
        return {} if v is None else {"": v}

    return read


_WEIGHT = _curve("weight")

PORT_FIELDS: Mapping[str, Callable[[Port], dict[Any, Any]]] = {
    "classify.dscp": lambda p: _matches(p.qos, MatchKind.DSCP),
    "classify.pcp": lambda p: _matches(p.qos, MatchKind.PCP),
    "classify.trust": lambda p: _trust(p.qos),
    "tc_to_queue": lambda p: dict(p.qos.tc_to_queue),
    "tc_to_group": lambda p: dict(p.qos.tc_to_group),
    "rewrite.dscp": lambda p: dict(p.qos.rewrite_dscp),
    "pfc.mode": lambda p: {"": p.qos.pfc.mode},
    "pfc.no_drop": lambda p: {"": p.qos.pfc.no_drop},
    "pfc.send": lambda p: dict(p.qos.pfc.send),
    "pfc.obey": lambda p: dict(p.qos.pfc.obey),
    "group.lossless": _group("lossless"),
    "group.reserved": _group("reserved"),
    "group.headroom": _group("headroom"),
    "group.threshold": _group("threshold"),
    "group.xon": _group("xon"),
    "group.xon_offset": _group("xon_offset"),
    "group.pool": _group("pool"),
    "queue.kmin": _curve("kmin"),
    "queue.kmax": _curve("kmax"),
    "queue.pmax": _curve("pmax"),
    # Weight 0, no averaging, is what stands where nothing is said.
    "queue.weight": lambda p: {k: v for k, v in _WEIGHT(p).items() if v},
    "queue.marks": _curve("marks"),
    "queue.drops": _curve("drops"),
    "queue.scheduler": _queue(_scheduler("kind")),
    "queue.share": _queue(_scheduler("share")),
    "queue.limit": _queue(lambda q: q.limit),
    "queue.reserved": _queue(lambda q: q.reserved),
    "queue.lossless": _queue(lambda q: q.lossless),
    "queue.pool": _queue(lambda q: q.pool),
    "watchdog.enabled": _watchdog("enabled"),
    "watchdog.priorities": _watchdog("priorities"),
    "watchdog.detect": _watchdog("detect"),
    "watchdog.restore": _watchdog("restore"),
    "watchdog.poll": _watchdog("poll"),
    "watchdog.action": _watchdog("action"),
    "port.speed": _port("speed"),
    "port.mtu": _port("mtu"),
    "port.cable": _port("cable_m"),
    "port.admin": _port("admin"),
    "port.routed": _port("routed"),
}

DEVICE_FIELDS: Mapping[str, Callable[[SwitchModel], dict[Any, Any]]] = {
    "device.pfc_off": lambda m: {"": m.pfc_off},
    "device.pools": lambda m: {p.name: (p.direction, p.kind, p.mode, p.size, p.over_subscription) for p in m.pools},
    "device.lossless_mtu": lambda m: {} if m.lossless_mtu is None else {"": m.lossless_mtu},
}

ALL_FIELDS = frozenset(PORT_FIELDS) | frozenset(DEVICE_FIELDS)


def same(ours: SwitchModel, theirs: SwitchModel, can: Iterable[str]) -> list[Difference]:
    """Differences in the fields named by `can`; empty means equal. Unknown equals Unknown of the same reason.

    Ports only one side has are reported once, with field `port`. Bodies are shared by equal ports, so each pair of bodies
    is compared once.
    """
    fields = list(can)
    body = [f for f in fields if f in PORT_FIELDS and not f.startswith("port.")]
    own = [f for f in fields if f in PORT_FIELDS and f.startswith("port.")]
    bodies: dict[tuple[int, int], list[Difference]] = {}
    out: list[Difference] = []
    for name in fields:
        if name in DEVICE_FIELDS:
            out += _diff(ours.hostname, None, name, DEVICE_FIELDS[name](ours), DEVICE_FIELDS[name](theirs))
    for pname in sorted(set(ours.ports) | set(theirs.ports)):
        a, b = ours.ports.get(pname), theirs.ports.get(pname)
        if a is None or b is None:
            out.append(Difference(ours.hostname, pname, "port", "", a is not None, b is not None))
            continue
        pair = (id(a.qos), id(b.qos))
        if pair not in bodies:
            bodies[pair] = [d for n in body for d in _diff(ours.hostname, pname, n, PORT_FIELDS[n](a), PORT_FIELDS[n](b))]
        out += [replace(d, port=pname) for d in bodies[pair]]
        for name in own:
            out += _diff(ours.hostname, pname, name, PORT_FIELDS[name](a), PORT_FIELDS[name](b))
    return out


def _diff(device: str, port: str | None, name: str, a: dict[Any, Any], b: dict[Any, Any]) -> list[Difference]:
    if a == b:
        return []
    keys = sorted(set(a) | set(b), key=str)
    return [Difference(device, port, name, str(k), a.get(k), b.get(k)) for k in keys if a.get(k) != b.get(k)]


def plain(value: Any) -> Any:
    """A value of the model as plain data for golden files and JSON: dataclasses to dicts, quantities to text."""
    from dataclasses import fields as dc_fields
    from dataclasses import is_dataclass
    from enum import Enum

    from xoff.model.quantity import Quantity

    if isinstance(value, (Quantity, Unknown)):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(plain(k)): plain(v) for k, v in value.items()}
    if isinstance(value, (frozenset, set)):
        return [plain(v) for v in sorted(value, key=str)]
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dc_fields(value) if f.compare}
    return value
