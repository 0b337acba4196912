"""Comware: what one interface says of QoS, and the ramps of its WRED table."""

from __future__ import annotations

import ipaddress

from xoff.errors import CannotExpress
from xoff.model.qos import (
    Alpha,
    Colour,
    Curve,
    HeaderField,
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
from xoff.model.switch import Port
from xoff.nos.comware import words

_ACTIONS = {action: word for word, action in words.ACTIONS.items()}
_MODES = {SchedulerKind.DWRR: "wfq", SchedulerKind.WRR: "wrr"}
_TRUST = {
    (HeaderField.DSCP, HeaderField.DSCP): "dscp",
    (HeaderField.PCP, HeaderField.PORT): "dot1p",
    (HeaderField.PORT, HeaderField.PORT): "none",
}
_PFC = {PfcMode.ON: "enable", PfcMode.AUTO: "auto", PfcMode.OFF: None}


@dataclass(frozen=True, slots=True)
class Group:
    """Buffer lines of one priority; `threshold` with its kind (`dynamic 6`, `static 13000`)."""

    id: int
    headroom: str | None
    reserved: str | None
    threshold: str | None
    offset: str | None


@dataclass(frozen=True, slots=True)
class QueueLine:
    line: str


@dataclass(frozen=True, slots=True)
class Body:
    """QoS lines of an interface, its WRED table apart."""

    trust: str
    pfc: str | None
    no_drop: str | None
    groups: tuple[Group, ...]
    deadlock: bool
    mode: str | None
    queues: tuple[QueueLine, ...]


@dataclass(frozen=True, slots=True)
class Ramp:
    """`level` None: all drop levels."""

    level: int | None
    low: str
    high: str
    probability: str


@dataclass(frozen=True, slots=True)
class Ramps:
    """One queue of a WRED table."""

    id: int
    ramps: tuple[Ramp, ...]
    weight: int
    ecn: bool


def body(p: Port, queue_map: dict[int, int]) -> Body:
    """Lines of the interface. Raises CannotExpress, naming port and field."""
    q, what = p.qos, p.name
    if q.unread is not None:
        raise CannotExpress(f"{what}: {q.unread.reason}")
    _pause(q, what, queue_map)
    mode, queues = _scheduling(q, what)
    watching = q.watchdog.enabled
    if isinstance(watching, Unknown):
        raise CannotExpress(f"{what}: whether the watchdog runs is {watching}")
    if watching and q.watchdog.latch is True:
        raise CannotExpress(f"{what}: a watchdog that stays until someone resets it is not rendered in Comware")
    return Body(
        _trust(q, what),
        _pfc(q, what),
        listed(q.pfc.no_drop) if q.pfc.no_drop else None,
        tuple(g for x in sorted(q.groups.values(), key=lambda x: x.id) if (g := _group(x, what)) is not None),
        watching,
        mode,
        queues,
    )


def listed(numbers: frozenset[int]) -> str:
    """`1,3-5`."""
    out: list[list[int]] = []
    for n in sorted(numbers):
        if out and n == out[-1][-1] + 1:
            out[-1].append(n)
        else:
            out.append([n])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in out)


def _trust(q: PortQos, what: str) -> str:
    tagged, untagged = q.classify.tagged_ip, q.classify.untagged_ip
    found = None
    if not isinstance(tagged, Unknown) and not isinstance(untagged, Unknown):
        found = _TRUST.get((tagged, untagged))
    if found is None:
        raise CannotExpress(f"{what}: Comware cannot read {tagged} of tagged and {untagged} of untagged packets at once")
    return found


def _pfc(q: PortQos, what: str) -> str | None:
    if isinstance(q.pfc.mode, Unknown):
        raise CannotExpress(f"{what}: PFC mode is {q.pfc.mode}")
    return _PFC[q.pfc.mode]


def _pause(q: PortQos, what: str, queue_map: dict[int, int]) -> None:
    """A pause is sent and obeyed under the priority of the group; refuses anything else by name."""
    for group, sent in q.pfc.send.items():
        if sent and sent != {group}:
            raise CannotExpress(f"{what}: group {group} pauses {sorted(sent)}; in Comware they are one number, the dot1p")
    for priority, queues in q.pfc.obey.items():
        if queues and queues != {queue_map.get(priority)}:
            raise CannotExpress(
                f"{what}: pause of {priority} stops queues {sorted(queues)}; in Comware it stops that of dot1p-lp, "
                f"{queue_map.get(priority)}"
            )
    if q.pfc.asymmetric is True:
        raise CannotExpress(f"{what}: asymmetric PFC has no line in Comware")


def cells(q: object, what: str) -> str | None:
    """A whole number of cells; None where nothing is said or the device decides."""
    if q is None or isinstance(q, Unknown):
        return None
    if not isinstance(q, Quantity) or q.unit is not Unit.CELLS or q.amount.denominator != 1 or q.amount < 0:
        raise CannotExpress(f"{what}: {q} cannot be said; Comware takes whole cells")
    return q.plain


def _group(g: PriorityGroup, what: str) -> Group | None:
    where = f"{what} priority {g.id}"
    threshold = None
    if isinstance(g.threshold, Alpha):
        ratio = words.ratio(g.threshold.alpha)
        if ratio is None:
            raise CannotExpress(f"{where}: {g.threshold.alpha} cannot be said; Comware takes an alpha of 1/128 to 8")
        threshold = f"dynamic {ratio}"
    elif isinstance(g.threshold, Static):
        threshold = f"static {cells(g.threshold.limit, f'{where} threshold')}"
        if g.threshold.limit is None:
            raise CannotExpress(f"{where}: a threshold without limit has no line in Comware")
    elif isinstance(g.threshold, Unknown):
        raise CannotExpress(f"{where}: threshold is {g.threshold}")
    out = Group(
        g.id,
        cells(g.headroom, f"{where} headroom"),
        cells(g.reserved, f"{where} reserved"),
        threshold,
        cells(g.xon_offset, f"{where} XON offset"),
    )
    return out if any((out.headroom, out.reserved, out.threshold, out.offset)) else None


def action(found: WatchdogAction | None, what: str) -> str:
    """The word of an action; Comware's default where none is said."""
    if found is None:
        return "forwarding"
    if found not in _ACTIONS:
        raise CannotExpress(f"{what}: watchdog action {found} has no word in Comware ({', '.join(words.ACTIONS)})")
    return _ACTIONS[found]


# --- scheduling -------------------------------------------------------------------------------------------------------


def _scheduling(q: PortQos, what: str) -> tuple[str | None, tuple[QueueLine, ...]]:
    """The mode line and the lines of single queues."""
    of: dict[int, Scheduler] = {}
    for queue in q.queues.values():
        where = f"{what} queue {queue.id.id}"
        if queue.id.kind is not QueueKind.UNICAST:
            raise CannotExpress(f"{where}: Comware has eight queues, none for {queue.id.kind} alone")
        if isinstance(queue.scheduler, Unknown) or (queue.scheduler and isinstance(queue.scheduler.kind, Unknown)):
            raise CannotExpress(f"{where}: scheduler is {queue.scheduler}")
        if queue.scheduler is not None:
            of[queue.id.id] = queue.scheduler
    kinds = {s.kind for s in of.values()} - {SchedulerKind.STRICT}
    if len(kinds) > 1:
        raise CannotExpress(f"{what}: {' and '.join(sorted(str(k) for k in kinds))} in one port; Comware has one mode per port")
    if not of:
        return None, ()
    if not kinds:
        mode = "sp"
    else:
        word = _MODES[next(k for k in kinds if not isinstance(k, Unknown))]
        mode = word
    lines: list[str] = []
    for number, s in sorted(of.items()):
        name = words.QUEUES[number]
        if mode != "sp" and s.kind is SchedulerKind.STRICT:
            lines.append(f"{mode} {name} group sp")
        elif s.share is not None and mode != "sp":
            lines.append(f"{mode} {name} group 1 byte-count {_share(s.share, f'{what} queue {number}')}")
    for number, s in sorted(of.items()):
        for value, text in ((s.guarantee, "bandwidth queue {} min {}"), (s.cap, "gts queue {} cir {}")):
            if value is not None:
                lines.append(text.format(words.QUEUES[number], _rate(value, f"{what} queue {number}")))
    return mode if mode == "sp" else f"{mode} byte-count", tuple(QueueLine(x) for x in lines)


def _share(q: Quantity, what: str) -> str:
    if q.unit is not Unit.WEIGHT or q.amount.denominator != 1 or q.amount < 1:
        raise CannotExpress(f"{what}: a share of {q} cannot be said; Comware takes whole weights")
    return q.plain


def _rate(q: Quantity, what: str) -> str:
    if q.unit is not Unit.KBPS or q.amount.denominator != 1:
        raise CannotExpress(f"{what}: a rate of {q} cannot be said; Comware takes kbps")
    return q.plain


# --- WRED -------------------------------------------------------------------------------------------------------------


def ramps(p: Port) -> tuple[Ramps, ...]:
    """The queues of the port's WRED table; empty where it needs none."""
    out = [_ramps(q, f"{p.name} queue {q.id.id}") for q in sorted(p.qos.queues.values(), key=lambda q: q.id.id) if q.curves]
    return tuple(out)


def _ramps(q: Queue, what: str) -> Ramps:
    marks = {c.marks for c in q.curves.values()}
    weights = {c.weight or 0 for c in q.curves.values()}
    if len(marks) > 1 or len(weights) > 1:
        raise CannotExpress(f"{what}: Comware marks all drop levels of a queue, or none, and averages them alike")
    mark = next(iter(marks))
    if isinstance(mark, Unknown) or any(isinstance(c.drops, Unknown) or c.drops is mark for c in q.curves.values()):
        raise CannotExpress(f"{what}: Comware either marks or drops early in a queue; asked is {mark}")
    levels = {c: i for i, c in enumerate(words.COLOURS)}
    found = [(levels[c], curve) for c, curve in sorted(q.curves.items(), key=lambda x: levels[x[0]])]
    lines = [_ramp(level, curve, what) for level, curve in found]
    if len(lines) == len(Colour) and len({(r.low, r.high, r.probability) for r in lines}) == 1:
        lines = [Ramp(None, lines[0].low, lines[0].high, lines[0].probability)]
    return Ramps(q.id.id, tuple(lines), next(iter(weights)), bool(mark))


def _ramp(level: int, c: Curve, what: str) -> Ramp:
    low, high = cells(c.kmin, f"{what}: low limit"), cells(c.kmax, f"{what}: high limit")
    pmax = c.pmax
    if low is None or high is None or not isinstance(pmax, Quantity):
        raise CannotExpress(f"{what}: thresholds {c.kmin} to {c.kmax}, {pmax} are not known")
    if pmax.unit is not Unit.PERCENT or pmax.amount.denominator != 1 or not 0 <= pmax.amount <= 100:
        raise CannotExpress(f"{what}: probability {pmax} cannot be said; Comware takes whole percents")
    return Ramp(level, low, high, pmax.plain)


def address(text: str, what: str) -> str:
    """`ip address 10.0.0.1 255.255.255.254` of `10.0.0.1/31`."""
    try:
        found = ipaddress.ip_interface(text)
    except ValueError:
        raise CannotExpress(f"{what}: {text!r} is no address") from None
    if found.version == 4:
        return f"ip address {found.ip} {found.netmask}"
    return f"ipv6 address {found.ip}/{found.network.prefixlen}"
