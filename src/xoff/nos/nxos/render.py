"""NX-OS: from the model to what templates/nxos/render/config.j2 prints.

Classification is a type qos policy per distinct one, bound on the ports; no-drop classes and MTUs stand once, in the
network-qos policy under `system qos`; queues in an output queuing policy, that of most ports under `system qos` and any other
on its ports; `pause buffer-size` in an input queuing policy on the ports that need one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from xoff.errors import CannotExpress
from xoff.model.qos import (
    Colour,
    HeaderField,
    MatchKind,
    PfcMode,
    PortQos,
    PriorityGroup,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    Static,
    WatchdogAction,
)
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Port, SwitchModel
from xoff.nos.natural import natural
from xoff.nos.renderer import NoteKind, Notes, environment, header, one_line, trusted

if TYPE_CHECKING:
    from xoff.nos.registry import Nos

T = TypeVar("T")
NAME = "XOFF"
#: Units of thresholds (CLI93).
_UNITS = {Unit.PACKETS: "packets", Unit.BYTES: "bytes", Unit.KBYTES: "kbytes", Unit.MBYTES: "mbytes"}
#: Range of a pause buffer (terraform-provider-nxos network_qos.yaml, buffer size).
_BUFFER = (5000, 268_435_456)


@dataclass(frozen=True, slots=True)
class ClassMap:
    """Packets of one qos-group. `field`: dscp or cos; `values` as `24,26` or `24-31`."""

    group: int
    field: str
    values: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Policy:
    name: str
    classes: tuple[ClassMap, ...]
    default: int


@dataclass(frozen=True, slots=True)
class NetworkClass:
    name: str
    mtu: int | None
    cos: str | None


@dataclass(frozen=True, slots=True)
class Network:
    name: str
    classes: tuple[NetworkClass, ...]


@dataclass(frozen=True, slots=True)
class Ramp:
    low: str
    high: str
    probability: str
    weight: int
    marks: bool


@dataclass(frozen=True, slots=True)
class QueueLines:
    name: str
    level: int | None
    guarantee: str | None
    remaining: str | None
    ramp: Ramp | None


@dataclass(frozen=True, slots=True)
class Queuing:
    name: str
    queues: tuple[QueueLines, ...]


@dataclass(frozen=True, slots=True)
class BufferLines:
    name: str
    size: str
    xoff: str
    xon: str


@dataclass(frozen=True, slots=True)
class Buffers:
    name: str
    groups: tuple[BufferLines, ...]


@dataclass(frozen=True, slots=True)
class Interface:
    name: str
    description: str | None
    routed: bool | None
    mtu: int | None
    pfc: str
    watchdog: str | None
    qos: str | None
    buffer: str | None
    queuing: str | None
    addresses: tuple[str, ...]
    shutdown: bool


def build(model: SwitchModel, nos: Nos, form: str, notes: Notes) -> dict[str, str]:
    """The one file of an NX-OS switch. Raises CannotExpress, naming port and field."""
    if form != "running":
        notes.add(NoteKind.CANNOT, f"form {form}", "NX-OS has one form, its running configuration; that is written")
    if model.pfc_off is not False:
        raise CannotExpress(f"{model.hostname}: a model with PFC off switch-wide is not rendered as a lossless configuration")
    ports = sorted(model.ports.values(), key=lambda p: natural(p.name))
    first = _one_per_body(ports)
    _unverified(nos, first, notes)
    for p in first:
        for g in p.qos.groups.values():
            if isinstance(g.headroom, Unknown):
                notes.add(NoteKind.DEVICE, "headroom", g.headroom.reason)
    qos = {id(p.qos): _classes(p) for p in first}
    queues = {id(p.qos): _queues(p) for p in first}
    buffers = {id(p.qos): _buffers(p) for p in first}
    names = _class_names(c for classes, _ in qos.values() for c in classes)
    policies = _named(f"{NAME}-IN", (qos[id(p.qos)] for p in ports))
    out = _named(f"{NAME}-OUT", (queues[id(p.qos)] for p in ports if queues[id(p.qos)]))
    kept = _named(f"{NAME}-BUFFERS", (buffers[id(p.qos)] for p in ports if buffers[id(p.qos)]))
    common = next(iter(out.values()), None)
    dog = any(p.qos.watchdog.enabled is True for p in ports)
    view = {
        "head": header(nos, f"Form: running configuration, QoS part, {nos.title}.", notes),
        "model_line": None if isinstance(model.platform, Unknown) else one_line(model.platform, "platform"),
        "hostname": model.hostname,
        "watchdog": dog,
        "classes": sorted(_with_names(names, names), key=lambda c: (c.group, c.field, natural(c.name))),
        "policies": [Policy(n, _with_names(classes, names), default) for (classes, default), n in policies.items() if classes],
        "network": _network(model, first),
        "queuing": [Queuing(n, lines) for lines, n in out.items()],
        "buffers": [Buffers(n, lines) for lines, n in kept.items()],
        "common": common,
        "interfaces": [
            _interface(p, policies[qos[id(p.qos)]] if qos[id(p.qos)][0] else None, kept.get(buffers[id(p.qos)]),
                       _own(out.get(queues[id(p.qos)]), common), dog)
            for p in ports
        ],
    }  # fmt: skip
    return {f"{model.hostname}.cfg": environment(nos.name).get_template("config.j2").render(view)}


def _one_per_body(ports: Iterable[Port]) -> list[Port]:
    seen: dict[int, Port] = {}
    for p in ports:
        seen.setdefault(id(p.qos), p)
    return list(seen.values())


def _unverified(nos: Nos, ports: list[Port], notes: Notes) -> None:
    drops = nos.can["queue.drops"]
    used = any(c.drops is True for p in ports for q in p.qos.queues.values() for c in q.curves.values())
    if used and not trusted(drops.evidence):
        notes.unverified("random-detect without ecn", f"by a {drops.evidence} source: {drops.source}")


def _own(mine: str | None, common: str | None) -> str | None:
    return None if mine == common else mine


def _named(base: str, bodies: Iterable[T]) -> dict[T, str]:
    """A name for each distinct body, the most frequent (of equals the first met) first; numbered where there are several."""
    counts = Counter(bodies)
    ordered = sorted(counts, key=lambda b: -counts[b])
    return {b: base if len(ordered) == 1 else f"{base}-{i}" for i, b in enumerate(ordered, 1)}


# --- classification ---------------------------------------------------------------------------------------------------


def _classes(p: Port) -> tuple[tuple[ClassMap, ...], int]:
    """Classes of the policy in order, and where all else goes."""
    c, what = p.qos.classify, p.name
    if p.qos.unread is not None:
        raise CannotExpress(f"{what}: {p.qos.unread.reason}")
    fields = (c.tagged_ip, c.untagged_ip)
    kinds = {
        (HeaderField.DSCP, HeaderField.DSCP): MatchKind.DSCP,
        (HeaderField.PCP, HeaderField.PORT): MatchKind.PCP,
        (HeaderField.PORT, HeaderField.PORT): None,
    }
    if fields not in kinds:
        raise CannotExpress(f"{what}: NX-OS cannot read {fields[0]} of tagged and {fields[1]} of untagged packets at once")
    kind = kinds[fields]
    if not isinstance(c.default_tc, int):
        raise CannotExpress(f"{what}: where unclassified packets go is {c.default_tc}")
    if kind is None:
        return (), c.default_tc
    of: dict[int, int] = {}
    for m in c.matches:
        if m.kind in (MatchKind.OPAQUE, MatchKind.DEFAULT):
            raise CannotExpress(f"{what}: a classification step of kind {m.kind} is not rendered in NX-OS")
        if m.kind is not kind:
            continue
        if not isinstance(m.tc, int) or m.colour is not Colour.GREEN:
            raise CannotExpress(f"{what}: {kind} {sorted(m.values)}: class {m.tc}, colour {m.colour} is not rendered in NX-OS")
        for v in m.values:
            of.setdefault(v, m.tc)
    groups = sorted(set(of.values()) - {c.default_tc})
    field = "dscp" if kind is MatchKind.DSCP else "cos"
    return tuple(ClassMap(g, field, _ranges(v for v, tc in of.items() if tc == g)) for g in groups), c.default_tc


def _ranges(values: Iterable[int]) -> str:
    """`24,26-31`."""
    out: list[list[int]] = []
    for v in sorted(values):
        if out and v == out[-1][1] + 1:
            out[-1][1] = v
        else:
            out.append([v, v])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in out)


def _class_names(classes: Iterable[ClassMap]) -> dict[ClassMap, str]:
    """`XOFF-GROUP3`; `XOFF-GROUP3-COS` for packets told apart by CoS; numbered where one group has several."""
    found = dict.fromkeys(classes)
    base = {c: f"{NAME}-GROUP{c.group}" + ("-COS" if c.field == "cos" else "") for c in found}
    same = Counter(base.values())
    seen: Counter[str] = Counter()
    out: dict[ClassMap, str] = {}
    for c, name in base.items():
        seen[name] += 1
        out[c] = name if same[name] == 1 else f"{name}-{seen[name]}"
    return out


def _with_names(classes: Iterable[ClassMap], names: dict[ClassMap, str]) -> tuple[ClassMap, ...]:
    return tuple(ClassMap(c.group, c.field, c.values, names[c]) for c in classes)


# --- no-drop classes --------------------------------------------------------------------------------------------------


def _network(model: SwitchModel, ports: list[Port]) -> Network | None:
    """The no-drop classes, which all ports share, and the MTU of each class."""
    sent: dict[int, frozenset[int]] | None = None
    for p in ports:
        q = p.qos
        found = {g: cos for g, cos in q.pfc.send.items() if cos}
        obeyed = {c: queues for c, queues in q.pfc.obey.items() if queues}
        if obeyed != {c: frozenset(g for g in found if c in found[g]) for cos in found.values() for c in cos}:
            raise CannotExpress(f"{p.name}: pauses are sent and obeyed for different queues; NX-OS turns both on together")
        if q.pfc.asymmetric is True:
            raise CannotExpress(f"{p.name}: asymmetric PFC has no line in NX-OS")
        _identity(p.name, q)
        if sent is None:
            sent = found
        elif sent != found:
            raise CannotExpress(
                f"{p.name}: no-drop groups {sorted(found)}, elsewhere {sorted(sent)}; NX-OS says them once for the switch"
            )
    mtus = dict(model.class_mtus)
    for group in sent or {}:
        if model.lossless_mtu is not None:
            mtus.setdefault(group, model.lossless_mtu)
    groups = sorted({*(sent or {}), *mtus}, reverse=True)
    if not groups:
        return None
    return Network(f"{NAME}-NETWORK", tuple(_network_class(g, mtus.get(g), (sent or {}).get(g)) for g in groups))


def _network_class(group: int, mtu: int | Unknown | None, cos: frozenset[int] | None) -> NetworkClass:
    if isinstance(mtu, Unknown) or (mtu is not None and not 576 <= mtu <= 9216):
        raise CannotExpress(f"MTU of qos-group {group} is {mtu}; NX-OS takes 576 to 9216")
    return NetworkClass(_system("c-8q-nq", group), mtu, None if not cos else ",".join(map(str, sorted(cos))))


def _identity(what: str, q: PortQos) -> None:
    for name, of in (("queue", q.tc_to_queue), ("group", q.tc_to_group)):
        for tc, to in of.items():
            if to != tc:
                raise CannotExpress(
                    f"{what}: traffic class {tc} goes to {name} {to}; in NX-OS they are one number, the qos-group"
                )


def _system(prefix: str, group: int) -> str:
    return f"{prefix}{group}" if group else f"{prefix}-default"


# --- queues -----------------------------------------------------------------------------------------------------------


def _queues(p: Port) -> tuple[QueueLines, ...]:
    """Lines of all queues, the highest first; strict ones get their level in that order."""
    out: list[QueueLines] = []
    level = 0
    for q in sorted(p.qos.queues.values(), key=lambda q: -q.id.id):
        what = f"{p.name} queue {q.id.id}"
        if q.id.kind is not QueueKind.UNICAST:
            raise CannotExpress(f"{what}: NX-OS has no queue of kind {q.id.kind}")
        s = q.scheduler
        if not isinstance(s, Scheduler) or isinstance(s.kind, Unknown):
            raise CannotExpress(f"{what}: scheduler is {s}")
        strict = s.kind is SchedulerKind.STRICT
        level += strict
        if s.cap is not None:
            raise CannotExpress(f"{what}: a shaper is not rendered in NX-OS")
        out.append(
            QueueLines(
                _system("c-out-8q-q", q.id.id),
                level if strict else None,
                None if strict else _percent(s.guarantee, f"{what}: guaranteed bandwidth"),
                None if strict else _percent(s.share, f"{what}: bandwidth"),
                _ramp(q, what),
            )
        )
    return tuple(out)


def _percent(q: Quantity | None, what: str) -> str | None:
    return None if q is None else _whole(q, Unit.PERCENT, what, 0, 100)


def _whole(q: object, unit: Unit, what: str, low: int, high: int) -> str:
    if not isinstance(q, Quantity) or q.unit is not unit or q.amount.denominator != 1 or not low <= q.amount <= high:
        raise CannotExpress(f"{what}: {q} cannot be said; NX-OS takes a whole number of {unit} from {low} to {high}")
    return q.plain


def _ramp(q: Queue, what: str) -> Ramp | None:
    for colour in q.curves:
        if colour is not Colour.GREEN:
            raise CannotExpress(f"{what}: a marking ramp for {colour} packets alone has no line in NX-OS")
    curve = q.curves.get(Colour.GREEN)
    if curve is None or (curve.marks is False and curve.drops is False):
        return None
    if isinstance(curve.marks, Unknown) or isinstance(curve.drops, Unknown) or curve.marks is curve.drops:
        raise CannotExpress(f"{what}: NX-OS either marks or drops early in a queue, not both")
    return Ramp(
        _threshold(curve.kmin, f"{what}: minimum threshold"),
        _threshold(curve.kmax, f"{what}: maximum threshold"),
        _whole(curve.pmax, Unit.PERCENT, f"{what}: probability", 0, 100),
        curve.weight or 0,
        curve.marks is True,
    )


def _threshold(q: object, what: str) -> str:
    if not isinstance(q, Quantity) or q.unit not in _UNITS or q.amount.denominator != 1 or q.amount < 0:
        raise CannotExpress(f"{what}: {q} cannot be said; NX-OS takes whole {', '.join(_UNITS.values())}")
    return f"{q.plain} {_UNITS[q.unit]}"


# --- buffers ----------------------------------------------------------------------------------------------------------


def _buffers(p: Port) -> tuple[BufferLines, ...]:
    groups = sorted((g for g in p.qos.groups.values() if isinstance(g.headroom, Quantity)), key=lambda g: -g.id)
    return tuple(_buffer(p.name, g) for g in groups)


def _buffer(port: str, g: PriorityGroup) -> BufferLines:
    what = f"{port} group {g.id}"
    if not isinstance(g.threshold, Static) or g.threshold.limit is None:
        raise CannotExpress(f"{what}: NX-OS needs a pause threshold in bytes beside the headroom, not {g.threshold}")
    low, high = _BUFFER
    xoff = _whole(g.threshold.limit, Unit.BYTES, f"{what}: pause threshold", 0, high)
    headroom = _whole(g.headroom, Unit.BYTES, f"{what}: headroom", 1, high)
    size = int(xoff) + int(headroom)
    if not low <= size <= high:
        raise CannotExpress(f"{what}: a pause buffer of {size} bytes; NX-OS takes {low} to {high}")
    return BufferLines(
        _system("c-in-q", g.id), str(size), xoff, _whole(g.xon, Unit.BYTES, f"{what}: resume threshold", 0, int(xoff))
    )


# --- ports ------------------------------------------------------------------------------------------------------------


def _interface(p: Port, qos: str | None, buffer: str | None, queuing: str | None, dog: bool) -> Interface:
    if isinstance(p.admin, Unknown) or isinstance(p.routed, Unknown):
        raise CannotExpress(f"{p.name}: whether the port is up and routed is not known")
    if p.mtu is not None and not isinstance(p.mtu, int):
        raise CannotExpress(f"{p.name}: MTU is {p.mtu}")
    mode, w = p.qos.pfc.mode, p.qos.watchdog
    if not isinstance(mode, PfcMode):
        raise CannotExpress(f"{p.name}: PFC mode is {mode}")
    if isinstance(w.enabled, Unknown):
        raise CannotExpress(f"{p.name}: whether the watchdog runs is {w.enabled}")
    if w.enabled and w.action is not None and w.action is not WatchdogAction.DROP:
        raise CannotExpress(f"{p.name}: watchdog action {w.action}: NX-OS drops the packets of the stuck queue")
    state = "on" if w.enabled else "off" if dog and mode is not PfcMode.OFF else None
    return Interface(
        p.name,
        one_line(p.description, f"{p.name}: description") if p.description else None,
        p.routed,
        p.mtu,
        mode.value,
        state,
        qos,
        buffer,
        queuing,
        tuple(one_line(a, f"{p.name}: address") for a in p.addresses),
        not p.admin,
    )
