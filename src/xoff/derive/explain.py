"""The derivation of one port, value by value, as plain data: what `explain-port` prints."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from xoff.derive import derive
from xoff.derive.headroom import by_preset
from xoff.derive.notes import Derivation, PortNumbers
from xoff.derive.setting import Setting, setting
from xoff.errors import UsageError
from xoff.fabric.planned import PlannedFabric
from xoff.model.fields import plain
from xoff.model.origin import Default, Derived, Term
from xoff.model.qos import Alpha, PortQos, Static
from xoff.model.quantity import Quantity, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Port
from xoff.platforms import ShippedRow
from xoff.sizing.presets import PRESETS


@dataclass(frozen=True, slots=True)
class Value:
    """One value of the port with its derivation. `field` is the field path of its origin."""

    field: str
    value: str
    formula: str
    preset: str | None
    terms: tuple[Term, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything behind one port. `presets`: the same link under each preset, bytes or why not; `shipped`: vendor rows."""

    device: str
    port: str
    head: dict[str, Any]
    values: tuple[Value, ...]
    presets: dict[str, int | str]
    shipped: dict[str, Any]
    pools: tuple[Value, ...]
    notes: tuple[str, ...]


def explain_port(plan: PlannedFabric, device: str, port: str) -> Explanation:
    """Derive the device and collect what stands behind the port. Raises UsageError, with what is near, for unknown names."""
    planned = plan.devices.get(_known(device, plan.devices, "switch", "the intent"))
    assert planned is not None
    p = planned.ports[_known(port, planned.ports, "port", device)]
    d = derive(plan, planned)
    model_port = d.model.ports[p.name]
    asic = d.asic
    head = {
        "nos": d.model.nos,
        "model": planned.model,
        "asic": None if asic is None else asic.title,
        "speed_mbps": p.speed,
        "cable_m": p.cable_m,
        "mtu": p.mtu,
        "roce_mtu": planned.roce_mtu,
        "peer": None if p.peer is None else f"{p.peer.device}:{p.peer.port}",
        "carries": [c.name for c in plan.carried(p)],
        "preset": planned.preset,
        "intent": None if p.at is None else str(p.at),
    }
    numbers = d.numbers.get(p.name)
    return Explanation(
        device,
        p.name,
        head,
        tuple(_values(model_port)),
        _presets(setting(plan, planned, d.model.form), numbers),
        _shipped(numbers),
        tuple(_pools(d)),
        tuple(str(n) for n in d.notes),
    )


def _known(name: str, names: Iterable[str], kind: str, where: str) -> str:
    from difflib import get_close_matches

    known = list(names)
    if name in known:
        return name
    near = get_close_matches(name, known, 3)
    hint = f"; did you mean {' or '.join(near)}?" if near else f"; there are: {', '.join(known[:8])}"
    raise UsageError(f"{where} has no {kind} {name!r}{hint}")


def _values(port: Port) -> Iterable[Value]:
    """Values in the order in which a packet meets them; maps in one line each."""
    order = ("classify", "tc_to_queue", "tc_to_group", "pfc", "group", "queue", "watchdog")
    paths = sorted(port.origins, key=lambda k: (order.index(k.partition(".")[0]), _natural(k)))
    for path in paths:
        origin = port.origins[path]
        value = value_at(port.qos, path)
        if value is None:
            continue
        if isinstance(origin, Derived):
            yield Value(path, value, origin.formula, origin.preset, origin.terms, origin.sources)
        elif isinstance(origin, Default):
            yield Value(path, value, origin.note, None, (), (origin.source,))


def _natural(path: str) -> tuple[tuple[int, int, str], ...]:
    return tuple((0, int(x), "") if x.isdigit() else (1, 0, x) for x in path.split("."))


def value_at(qos: PortQos, path: str) -> str | None:
    """The value that an origin path speaks of, as text; None for paths that stand for a whole part."""
    parts = path.split(".")
    head = parts[0]
    if head == "classify" and len(parts) == 3:
        for m in qos.classify.matches:
            if m.kind.value == parts[1] and int(parts[2]) in m.values:
                return f"traffic class {m.tc}"
        return None
    if path == "classify.dscp":
        return "all other DSCPs"
    if path == "classify.pcp":
        return "all other 802.1p priorities"
    if path == "classify.trust":
        return str(qos.classify.untagged_ip)
    if head in ("tc_to_queue", "tc_to_group"):
        return ", ".join(f"{k}->{v}" for k, v in getattr(qos, head).items())
    if path == "pfc.mode":
        return str(qos.pfc.mode)
    if head == "pfc" and len(parts) == 3:
        n = int(parts[2])
        return {"no_drop": "no-drop", "send": _set(qos.pfc.send.get(n)), "obey": _set(qos.pfc.obey.get(n))}.get(parts[1])
    if head == "group" and len(parts) == 3:
        return _text(getattr(qos.groups.get(int(parts[1])), parts[2], None))
    if head == "queue" and len(parts) == 4:
        return _queue_value(qos, int(parts[2]), parts[3])
    if head == "watchdog":
        return _text(getattr(qos.watchdog, parts[1]))
    return None


def _queue_value(qos: PortQos, number: int, part: str) -> str | None:
    queue = next((q for q in qos.queues.values() if q.id.id == number), None)
    if queue is None:
        return None
    if part in ("kmin", "kmax", "pmax", "marks"):
        curve = next(iter(queue.curves.values()), None)
        return None if curve is None else _text(getattr(curve, part))
    if part in ("scheduler", "share"):
        s = queue.scheduler
        return None if s is None or isinstance(s, Unknown) else _text(s.kind if part == "scheduler" else s.share)
    return _text(getattr(queue, part, None))


def _set(values: Iterable[int] | None) -> str:
    return ", ".join(map(str, sorted(values or ()))) or "none"


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, Alpha):
        return f"alpha {value.alpha.plain}"
    if isinstance(value, Static):
        return "unlimited" if value.unlimited else _text(value.limit)
    if isinstance(value, Quantity):
        return f"{value.amount.numerator:,} bytes" if value.unit == "bytes" and value.amount.denominator == 1 else str(value)
    if isinstance(value, frozenset):
        return _set(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(plain(value))


def _presets(s: Setting, numbers: PortNumbers | None) -> dict[str, int | str]:
    """The link under each preset, in the same units, whatever the switch was told."""
    if numbers is None:
        return {}
    out: dict[str, int | str] = {}
    for name in PRESETS:
        n = by_preset(name, numbers.link, s)
        out[name] = f"not available: {n.reason}" if isinstance(n, Unknown) else n.value
    return out


def _row(r: ShippedRow) -> dict[str, Any]:
    return {"table": r.table, "speed_mbps": r.speed, "cable_m": r.cable_m, "xoff": r.xoff, "source": r.source}


def _shipped(numbers: PortNumbers | None) -> dict[str, Any]:
    """What vendors ship for the chip, speed and the longest listed cable that is not longer; and the device's own row."""
    out: dict[str, Any] = {}
    if numbers is None:
        return out
    if numbers.shipped is not None:
        out["lowest"] = _row(numbers.shipped.low)
        out["highest"] = _row(numbers.shipped.high)
        out["rows"] = numbers.shipped.tables
    if numbers.own_row is not None:
        out["own"] = _row(numbers.own_row)
    return out


def _pools(d: Derivation) -> Iterable[Value]:
    for pool in d.model.pools:
        origin = pool.origins.get("size")
        value = _text(pool.size)
        if isinstance(origin, Derived) and value is not None:
            yield Value(f"pool {pool.name}", value, origin.formula, origin.preset, origin.terms, origin.sources)


def term_value(t: Term) -> str:
    """A term's amount as people read it."""
    if isinstance(t.value, int):
        return f"{t.value:,}"
    head, slash, tail = t.value.partition("/")
    if slash and head.lstrip("-").isdigit() and tail.isdigit():
        return f"{float(Fraction(t.value)):,.2f}"
    return t.value
