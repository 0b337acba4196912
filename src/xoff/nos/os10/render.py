"""OS10: from the model to what templates/os10/render/config.j2 prints.

Maps, profiles and policies have names, and ports name them: equal ones are said once. Classes are told by qos-group, groups of
a network-qos policy by the lowest qos-group of their class.
"""

from __future__ import annotations

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
)
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Port, SwitchModel
from xoff.nos.natural import natural
from xoff.nos.numbers import ranges
from xoff.nos.os10.words import WRED_HIGH, WRED_LOW
from xoff.nos.renderer import NoteKind, Notes, environment, header, one_line

if TYPE_CHECKING:
    from xoff.nos.registry import Nos

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row:
    """`number` and the list of values that go to it."""

    number: int
    values: str


@dataclass(frozen=True, slots=True)
class NetworkClass:
    """A class of a network-qos policy: its qos-groups, its priorities, its sizes in KB."""

    groups: str
    cos: str
    buffer: str | None = None
    xoff: str | None = None
    xon: str | None = None


@dataclass(frozen=True, slots=True)
class Wred:
    kmin: str
    kmax: str
    probability: str
    ecn: bool


@dataclass(frozen=True, slots=True)
class QueuingClass:
    queue: int
    strict: bool
    percent: str | None
    wred: Wred | None


@dataclass(frozen=True, slots=True)
class Interface:
    name: str
    description: str | None
    mtu: int | None
    routed: bool
    addresses: tuple[str, ...]
    shutdown: bool
    pfc: bool
    trusts: tuple[tuple[str, str], ...]
    queue_map: str
    network: str | None
    queuing: str | None


@dataclass(frozen=True, slots=True)
class Body:
    """What ports with equal QoS say."""

    pfc: bool
    dscp: tuple[Row, ...]
    dot1p: tuple[Row, ...]
    queue_map: tuple[Row, ...]
    network: tuple[NetworkClass, ...]
    queuing: tuple[QueuingClass, ...]


def build(model: SwitchModel, nos: Nos, form: str, notes: Notes) -> dict[str, str]:
    """The one file of an OS10 switch. Raises CannotExpress, naming port and field."""
    if form != "running":
        notes.add(NoteKind.CANNOT, f"form {form}", "OS10 has one form, its running configuration; that is written")
    if model.pfc_off is True:
        raise CannotExpress(f"{model.hostname}: a model with PFC off switch-wide is not rendered as a lossless configuration")
    ports = sorted(model.ports.values(), key=lambda p: natural(p.name))
    first: dict[int, Port] = {}
    for p in ports:
        first.setdefault(id(p.qos), p)
    bodies = {key: _body(p) for key, p in first.items()}
    every = list(bodies.values())
    dscp = _named("XOFF-DSCP", (b.dscp for b in every if b.dscp))
    dot1p = _named("XOFF-DOT1P", (b.dot1p for b in every if b.dot1p))
    queue_maps = _named("XOFF-QUEUES", (b.queue_map for b in every))
    network = _named("XOFF-PFC", (b.network for b in every if b.network))
    queuing = _named("XOFF-OUT", (b.queuing for b in every if b.queuing))
    wreds = _named("XOFF-ECN", (q.wred for b in every for q in b.queuing if q.wred))
    if dscp:
        notes.unverified(
            "trust dscp-map", "the header of a DSCP map is by the form of `trust dot1p-map`; its attachment is sourced"
        )
    view = {
        "device_line": None if isinstance(model.release, Unknown) else one_line(f"Version {model.release}", "release"),
        "hostname": model.hostname,
        "head": header(nos, f"Form: running configuration, QoS part, {nos.title}.", notes),
        "wreds": wreds,
        "groups": sorted({c.groups for p in network for c in p}, key=natural),
        "queues": sorted({q.queue for b in every for q in b.queuing}),
        "dscp": dscp,
        "dot1p": dot1p,
        "queue_maps": queue_maps,
        "network": network,
        "queuing": queuing,
        "interfaces": [
            _interface(p, bodies[id(p.qos)], (dscp, dot1p, queue_maps, network, queuing)) for p in ports
        ],
    }  # fmt: skip
    return {f"{model.hostname}.cfg": environment(nos.name).get_template("config.j2").render(view)}


def _named(stem: str, found: Iterable[T]) -> dict[T, str]:
    """A name for each different one: the stem alone where there is one, else numbered as met."""
    several = list(dict.fromkeys(found))
    return {x: stem if len(several) == 1 else f"{stem}-{i}" for i, x in enumerate(several, start=1)}


def _interface(
    p: Port,
    b: Body,
    names: tuple[dict[tuple[Row, ...], str], dict[tuple[Row, ...], str], dict[tuple[Row, ...], str],
                 dict[tuple[NetworkClass, ...], str], dict[tuple[QueuingClass, ...], str]],
) -> Interface:  # fmt: skip
    if isinstance(p.admin, Unknown) or isinstance(p.routed, Unknown):
        raise CannotExpress(f"{p.name}: whether the port is up and routed is not known")
    if p.mtu is not None and not isinstance(p.mtu, int):
        raise CannotExpress(f"{p.name}: MTU is {p.mtu}")
    dscp, dot1p, queue_maps, network, queuing = names
    trusts = (("dscp", dscp[b.dscp]),) if b.dscp else (("dot1p", dot1p[b.dot1p]),) if b.dot1p else ()
    return Interface(
        p.name,
        one_line(p.description, f"{p.name}: description") if p.description else None,
        p.mtu,
        p.routed is True,
        tuple(one_line(a, f"{p.name}: address") for a in p.addresses),
        not p.admin,
        b.pfc,
        trusts,
        queue_maps[b.queue_map],
        network.get(b.network),
        queuing.get(b.queuing),
    )


def _body(p: Port) -> Body:
    q, what = p.qos, p.name
    if q.unread is not None:
        raise CannotExpress(f"{what}: {q.unread.reason}")
    if q.pfc.mode not in (PfcMode.ON, PfcMode.OFF):
        raise CannotExpress(f"{what}: PFC mode {q.pfc.mode} has no line in OS10; use on or off")
    if q.pfc.asymmetric is True:
        raise CannotExpress(f"{what}: asymmetric PFC has no line in OS10")
    if q.rewrite_dscp or q.rewrite_pcp:
        raise CannotExpress(f"{what}: rewriting at egress has no sourced line in OS10")
    if q.watchdog.enabled is True:
        raise CannotExpress(f"{what}: no command of OS10 names a PFC watchdog; turn it off for this switch")
    dscp, dot1p = _trust(q, what)
    queue_of = _queue_map(q, what)
    return Body(
        q.pfc.mode is PfcMode.ON,
        dscp,
        dot1p,
        tuple(_rows(queue_of)),
        _network(q, queue_of, what),
        tuple(_queue(x, f"{what} queue {x.id.id}") for x in sorted(q.queues.values(), key=lambda x: x.id.id)),
    )


def _rows(of: dict[int, int]) -> list[Row]:
    by: dict[int, set[int]] = {}
    for value, target in of.items():
        by.setdefault(target, set()).add(value)
    return [Row(n, ranges(by[n])) for n in sorted(by)]


def _trust(q: PortQos, what: str) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """(rows of the DSCP map, rows of the dot1p map): of the one that the port reads; both empty where it reads none."""
    c = q.classify
    fields = (c.tagged_ip, c.untagged_ip)
    known: dict[tuple[HeaderField | Unknown, HeaderField | Unknown], MatchKind | None] = {
        (HeaderField.DSCP, HeaderField.DSCP): MatchKind.DSCP,
        (HeaderField.PCP, HeaderField.PORT): MatchKind.PCP,
        (HeaderField.PORT, HeaderField.PORT): None,
    }
    kind = known.get(fields)
    if fields not in known:
        raise CannotExpress(f"{what}: OS10 cannot read {fields[0]} of tagged and {fields[1]} of untagged packets at once")
    if c.default_tc != 0:
        raise CannotExpress(f"{what}: packets that nothing classifies go to class {c.default_tc}; in OS10 that is class 0")
    of: dict[int, int] = {}
    for m in c.matches:
        if m.kind in (MatchKind.OPAQUE, MatchKind.DEFAULT):
            raise CannotExpress(f"{what}: a classification step of kind {m.kind} is not rendered in OS10")
        if isinstance(m.tc, Unknown) or m.colour is not Colour.GREEN:
            raise CannotExpress(f"{what}: {m.kind} {sorted(m.values)}: class {m.tc}, colour {m.colour} is not rendered in OS10")
        if m.kind is kind:
            for v in m.values:
                of.setdefault(v, m.tc)
    rows = tuple(_rows(of))
    if kind is not None and not rows:
        raise CannotExpress(f"{what}: the port reads {fields[0]}, but no map says what it means")
    return (rows, ()) if kind is MatchKind.DSCP else ((), rows) if kind is MatchKind.PCP else ((), ())


def _queue_map(q: PortQos, what: str) -> dict[int, int]:
    out: dict[int, int] = {}
    for tc in range(8):
        queue = q.tc_to_queue.get(tc, tc)
        if isinstance(queue, Unknown):
            raise CannotExpress(f"{what}: queue of qos-group {tc} is {queue}")
        out[tc] = queue
    return out


def _network(q: PortQos, queue_of: dict[int, int], what: str) -> tuple[NetworkClass, ...]:
    lossless = {n: g for n, g in q.groups.items() if g.lossless is True}
    others = {g for g in q.tc_to_group.values() if g not in lossless}
    if len(others) > 1:
        raise CannotExpress(f"{what}: lossy traffic is in groups {sorted(map(str, others))}; OS10 has one default group for it")
    out: list[NetworkClass] = []
    for n in sorted(lossless):
        members = sorted(tc for tc, g in q.tc_to_group.items() if g == n)
        if not members or members[0] != n:
            raise CannotExpress(f"{what}: group {n} holds qos-groups {members}; OS10 knows a group by the lowest of them")
        sent = q.pfc.send.get(n, frozenset())
        if not sent:
            raise CannotExpress(f"{what}: group {n} is lossless and pauses nobody; OS10 needs pfc-cos")
        for p in sorted(sent):
            if q.pfc.obey.get(p) != frozenset({queue_of[p]}):
                stops = sorted(q.pfc.obey.get(p, ()))
                raise CannotExpress(f"{what}: pause of {p} stops queues {stops}; in OS10 it stops the queue of qos-group {p}")
        out.append(NetworkClass(ranges(set(members)), ranges(sent), *_sizes(lossless[n], f"{what} group {n}")))
    return tuple(out)


def _sizes(g: PriorityGroup, what: str) -> tuple[str | None, str | None, str | None]:
    """(buffer-size, pause-threshold, resume-threshold) in KB; all None where OS10's own hold."""
    if g.headroom is None or isinstance(g.headroom, Unknown):
        if isinstance(g.threshold, Static):
            raise CannotExpress(f"{what}: a threshold without headroom; OS10 says both in one line")
        return None, None, None
    if not isinstance(g.threshold, Static) or g.threshold.limit is None or g.xon is None:
        raise CannotExpress(f"{what}: headroom without a static XOFF and an XON level; OS10 says all three in one line")
    headroom = _kilobytes(g.headroom, f"{what}: headroom", 0, 2**31)
    xoff = _kilobytes(g.threshold.limit, f"{what}: XOFF threshold", 0, 2**31)
    return str(headroom + xoff), str(xoff), str(_kilobytes(g.xon, f"{what}: XON level", 0, 2**31))


def _queue(q: Queue, what: str) -> QueuingClass:
    if q.id.kind is not QueueKind.UNICAST:
        raise CannotExpress(f"{what}: a {q.id.kind} queue has no class in OS10")
    s = q.scheduler
    if not isinstance(s, Scheduler) or isinstance(s.kind, Unknown):
        raise CannotExpress(f"{what}: scheduler is {s if not isinstance(s, Scheduler) else s.kind}")
    if s.guarantee is not None or s.cap is not None:
        raise CannotExpress(f"{what}: guarantees and shapers have no sourced line in OS10")
    strict = s.kind is SchedulerKind.STRICT
    percent = None
    if not strict and s.share is not None:
        if s.share.unit is not Unit.PERCENT or s.share.amount.denominator != 1 or not 1 <= s.share.amount <= 100:
            raise CannotExpress(f"{what}: share {s.share} cannot be said; OS10 takes whole percent from 1 to 100")
        percent = s.share.plain
    return QueuingClass(q.id.id, strict, percent, _wred(q, what))


def _wred(q: Queue, what: str) -> Wred | None:
    for colour in q.curves:
        if colour is not Colour.GREEN:
            raise CannotExpress(f"{what}: a ramp for {colour} packets is not rendered; all traffic is green here")
    curve = q.curves.get(Colour.GREEN)
    if curve is None or (curve.marks is False and curve.drops is False):
        return None
    if curve.weight:
        raise CannotExpress(f"{what}: a weight of the average has no sourced line in OS10's wred profiles")
    if not isinstance(curve.marks, bool) or not isinstance(curve.drops, bool) or curve.marks is curve.drops:
        raise CannotExpress(f"{what}: a wred profile of OS10 either marks or drops")
    if not isinstance(curve.pmax, Quantity) or curve.pmax.unit is not Unit.PERCENT or curve.pmax.amount.denominator != 1:
        raise CannotExpress(f"{what}: probability {curve.pmax} cannot be said; OS10 takes whole percent")
    low, high = (
        _kilobytes(v, f"{what}: {n} threshold", WRED_LOW, WRED_HIGH)
        for v, n in ((curve.kmin, "minimum"), (curve.kmax, "maximum"))
    )
    return Wred(str(low), str(high), curve.pmax.plain, curve.marks)


def _kilobytes(q: Quantity | Unknown | None, what: str, low: int, high: int) -> int:
    """A whole number of OS10's KB."""
    if not isinstance(q, Quantity) or q.unit is not Unit.KBYTES or q.amount.denominator != 1 or not low <= q.amount <= high:
        raise CannotExpress(f"{what}: {q} cannot be said; OS10 takes {low} to {high} KB")
    return int(q.amount)
