"""Enterprise SONiC: what one port body says, and the named objects that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction

from xoff.errors import CannotExpress
from xoff.model.qos import (
    Alpha,
    Colour,
    HeaderField,
    MatchKind,
    PfcMode,
    PortQos,
    PriorityGroup,
    Queue,
    QueueKind,
    Scheduler,
    Watchdog,
)
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Port
from xoff.nos.enterprise_sonic import words
from xoff.nos.numbers import ranges

LOSSLESS = (3, 4)
CABLES = words.CABLES
BASE = "XOFF"
_BYTES = {Unit.BYTES: 1, Unit.KB: 1000, Unit.KIB: 1024}
_MS = {Unit.SECONDS: Fraction(1000), Unit.MILLISECONDS: Fraction(1), Unit.MICROSECONDS: Fraction(1, 1000)}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a map: `values` go to `target`."""

    values: str
    target: int


@dataclass(frozen=True, slots=True)
class MapLines:
    kind: str
    key: str
    target: str
    name: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Wred:
    low: str
    high: str
    probability: str
    ecn: str


@dataclass(frozen=True, slots=True)
class QueueLines:
    id: int
    type: str
    weight: str | None


@dataclass(frozen=True, slots=True)
class Named:
    """A WRED or scheduler policy under its name."""

    name: str
    lines: Wred | tuple[QueueLines, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """A buffer profile of the lossless ingress pool; sizes in bytes."""

    name: str
    reserved: str
    exponent: int
    headroom: str
    xon: str | None
    offset: str | None


@dataclass(frozen=True, slots=True)
class Timer:
    detect: str
    restore: str | None
    action: str | None


@dataclass(frozen=True, slots=True)
class Body:
    """The QoS lines of an interface. `watchdog` False: switched off by a line; None: nothing is said."""

    wreds: tuple[tuple[int, str], ...]
    scheduler: str | None
    maps: tuple[tuple[str, str], ...]
    groups: tuple[tuple[int, str], ...]
    priorities: tuple[int, ...]
    asymmetric: bool
    timer: Timer | None
    watchdog: bool | None


#: Words of map lines, in the order in which a running configuration prints the kinds.
_WORDS = {
    "dscp-tc": ("dscp", "traffic-class"),
    "dot1p-tc": ("dot1p", "traffic-class"),
    "tc-queue": ("traffic-class", "queue"),
    "tc-pg": ("traffic-class", "priority-group"),
    "tc-dscp": ("traffic-class", "dscp"),
    "pfc-priority-queue": ("pfc-priority", "queue"),
}


@dataclass(slots=True)
class Objects:
    """The named objects of a switch: equal ones are one, in the order first met."""

    maps: dict[str, dict[tuple[Row, ...], str]] = field(default_factory=dict)
    wreds: dict[Wred, str] = field(default_factory=dict)
    policies: dict[tuple[QueueLines, ...], str] = field(default_factory=dict)
    profiles: dict[str, Profile] = field(default_factory=dict)

    def map(self, kind: str, table: Mapping[int, int]) -> str:
        """The name of the map with these values."""
        by: dict[int, set[int]] = {}
        for value, target in table.items():
            by.setdefault(target, set()).add(value)
        if kind in ("dscp-tc", "dot1p-tc", "tc-pg"):
            rows = tuple(Row(ranges(by[t]), t) for t in sorted(by))
        else:
            rows = tuple(Row(str(value), table[value]) for value in sorted(table))
        known = self.maps.setdefault(kind, {})
        return known.setdefault(rows, _numbered(BASE, len(known)))

    def wred(self, wred: Wred) -> str:
        return self.wreds.setdefault(wred, _numbered(BASE, len(self.wreds)))

    def policy(self, queues: tuple[QueueLines, ...]) -> str:
        return self.policies.setdefault(queues, _numbered(BASE, len(self.policies)))

    def all_maps(self) -> list[MapLines]:
        return [MapLines(kind, *_WORDS[kind], name, rows) for kind in _WORDS for rows, name in self.maps.get(kind, {}).items()]

    def all_wreds(self) -> list[Named]:
        return [Named(name, lines) for lines, name in self.wreds.items()]

    def all_policies(self) -> list[Named]:
        return [Named(name, lines) for lines, name in self.policies.items()]


def _numbered(base: str, taken: int) -> str:
    return base if not taken else f"{base}_{taken + 1}"


# --- the body ---------------------------------------------------------------------------------------------------------


def body(p: Port, objects: Objects) -> Body:
    """The lines of a port. Raises CannotExpress, naming port and field."""
    q, what = p.qos, p.name
    if q.unread is not None:
        raise CannotExpress(f"{what}: {q.unread.reason}")
    if q.pfc.mode not in (PfcMode.ON, PfcMode.OFF):
        raise CannotExpress(f"{what}: PFC mode {q.pfc.mode} has no line; use on or off")
    on = q.pfc.mode is PfcMode.ON
    if len(q.pfc.no_drop) > 2:
        raise CannotExpress(f"{what}: PFC for priorities {sorted(q.pfc.no_drop)}; two at most are taken (HLD 1.1.1)")
    for group, sent in q.pfc.send.items() if on else ():
        if sent != {group}:
            raise CannotExpress(
                f"{what}: group {group} pauses {sorted(sent)}; only few models have a map for that (pfc-priority-pg), it is "
                "not written"
            )
    maps = _classification(q, what, objects)
    maps.append(("tc-queue", objects.map("tc-queue", _plain(q.tc_to_queue, f"{what}: queue of traffic class"))))
    maps.append(("tc-pg", objects.map("tc-pg", _plain(q.tc_to_group, f"{what}: group of traffic class"))))
    if q.rewrite_pcp:
        raise CannotExpress(f"{what}: rewriting of 802.1p is not rendered")
    if q.rewrite_dscp:
        maps.append(("tc-dscp", objects.map("tc-dscp", q.rewrite_dscp)))
    if on:
        maps.append(("pfc-priority-queue", objects.map("pfc-priority-queue", _obey(q, what))))
    queues = [x for x in q.queues.values() if x.id.kind is QueueKind.UNICAST]
    if len(queues) != len(q.queues):
        raise CannotExpress(f"{what}: only unicast queues are rendered")
    wreds = [(x.id.id, w) for x in queues if (w := _wred(x, f"{what} queue {x.id.id}")) is not None]
    scheduled = tuple(
        sorted((y for x in queues if (y := _scheduler(x, f"{what} queue {x.id.id}")) is not None), key=lambda y: y.id)
    )
    timer, watchdog = _watchdog(q.watchdog, on, what)
    return Body(
        tuple((n, objects.wred(w)) for n, w in sorted(wreds, key=lambda x: x[0])),
        objects.policy(scheduled) if scheduled else None,
        tuple(maps),
        tuple((g.id, _profile(g, f"{what} group {g.id}", objects)) for g in q.groups.values() if _explicit(g)),
        tuple(sorted(q.pfc.no_drop)) if on else (),
        q.pfc.asymmetric is True,
        timer,
        watchdog,
    )


def _classification(q: PortQos, what: str, objects: Objects) -> list[tuple[str, str]]:
    c = q.classify
    tables: dict[MatchKind, dict[int, int]] = {MatchKind.DSCP: {}, MatchKind.PCP: {}}
    for m in c.matches:
        if m.kind not in tables or isinstance(m.tc, Unknown) or m.colour is not Colour.GREEN or m.own_field:
            raise CannotExpress(f"{what}: a classification step of kind {m.kind} to {m.tc}, {m.colour} is not rendered")
        for value in m.values:
            tables[m.kind].setdefault(value, m.tc)
    fields = (c.tagged_ip, c.untagged_ip)
    if fields == (HeaderField.DSCP, HeaderField.DSCP):
        read = [("dscp-tc", MatchKind.DSCP)] + ([("dot1p-tc", MatchKind.PCP)] if c.non_ip is HeaderField.PCP else [])
    elif fields == (HeaderField.PCP, HeaderField.PORT):
        read = [("dot1p-tc", MatchKind.PCP)]
    else:
        raise CannotExpress(f"{what}: reading {fields[0]} of tagged and {fields[1]} of untagged packets cannot be said")
    if c.default_tc != 0:
        raise CannotExpress(f"{what}: port default traffic class {c.default_tc}; there is no line for any but 0")
    return [(kind, objects.map(kind, tables[match])) for kind, match in read]


def _plain(table: Mapping[int, int | Unknown], what: str) -> dict[int, int]:
    out: dict[int, int] = {}
    for key, value in table.items():
        if isinstance(value, Unknown):
            raise CannotExpress(f"{what} {key} is {value}")
        out[key] = value
    return out


def _obey(q: PortQos, what: str) -> dict[int, int]:
    """Priority -> queue, all eight; priorities without PFC keep their own number."""
    out = {n: n for n in range(8)}
    for priority, queues in q.pfc.obey.items():
        if len(queues) != 1:
            raise CannotExpress(f"{what}: pause of {priority} stops queues {sorted(queues)}; the map gives each priority one")
        out[priority] = next(iter(queues))
    return out


# --- queues -----------------------------------------------------------------------------------------------------------


def _wred(q: Queue, what: str) -> Wred | None:
    for colour in q.curves:
        if colour is not Colour.GREEN:
            raise CannotExpress(f"{what}: a ramp for {colour} packets is not rendered; the CLI's own word is not confirmed")
    curve = q.curves.get(Colour.GREEN)
    if curve is None or (curve.marks is False and curve.drops is False):
        return None
    if isinstance(curve.marks, Unknown) or isinstance(curve.drops, Unknown) or curve.marks == curve.drops:
        raise CannotExpress(f"{what}: a WRED policy either marks or drops; here marks is {curve.marks}, drops {curve.drops}")
    if curve.weight:
        raise CannotExpress(f"{what}: a WRED policy has no weight of the average ({curve.weight})")
    return Wred(
        _kilobytes(curve.kmin, f"{what}: minimum threshold"),
        _kilobytes(curve.kmax, f"{what}: maximum threshold"),
        _whole(curve.pmax, Unit.PERCENT, f"{what}: probability", 0, 100),
        "green" if curve.marks else "none",
    )


def _kilobytes(q: Quantity | Unknown | None, what: str) -> str:
    """A threshold in the CLI's KB; refused where it is none."""
    if isinstance(q, Quantity) and q.unit in _BYTES:
        kb = q.amount * _BYTES[q.unit] / 1000
        if kb.denominator == 1 and 1 <= kb <= words.WRED_HIGH:
            return str(kb.numerator)
    raise CannotExpress(f"{what}: {q} cannot be said; whole KB of 1,000 bytes from 1 to {words.WRED_HIGH} are taken")


def _whole(q: Quantity | Unknown | None, unit: Unit, what: str, low: int, high: int) -> str:
    if not isinstance(q, Quantity) or q.unit is not unit or q.amount.denominator != 1 or not low <= q.amount <= high:
        raise CannotExpress(f"{what}: {q} cannot be said; a whole number of {unit} from {low} to {high} is taken")
    return q.plain


def _scheduler(q: Queue, what: str) -> QueueLines | None:
    s = q.scheduler
    if s is None:
        return None
    if not isinstance(s, Scheduler) or isinstance(s.kind, Unknown):
        raise CannotExpress(f"{what}: scheduler is {s if isinstance(s, Unknown) else s.kind}")
    if s.guarantee is not None or s.cap is not None:
        raise CannotExpress(f"{what}: guaranteed and maximum rates are not rendered")
    weight = None if s.share is None else _whole(s.share, Unit.WEIGHT, f"{what}: weight", 1, 100)
    return QueueLines(q.id.id, s.kind.value, weight)


# --- groups and watchdog ----------------------------------------------------------------------------------------------


def _explicit(g: PriorityGroup) -> bool:
    return g.lossless is True and not g.headroom_by_device


def size(q: Quantity | Unknown | None, what: str) -> str:
    """A size in bytes."""
    return _whole(q, Unit.BYTES, what, 0, 2**32 - 1)


def _profile(g: PriorityGroup, what: str, objects: Objects) -> str:
    t = g.threshold
    amount = t.alpha.amount if isinstance(t, Alpha) else None
    exponents = {Fraction(2) ** n: n for n in range(words.ALPHA_LOW, words.ALPHA_HIGH + 1)}
    if amount not in exponents:
        raise CannotExpress(f"{what}: threshold {t}; a lossless profile takes alphas of 2^-6 to 2^3")
    found = Profile(
        g.profile or BASE,
        size(g.reserved, f"{what}: reserved size"),
        exponents[amount],
        _whole(g.headroom, Unit.BYTES, f"{what}: headroom", words.PAUSE_LOW, words.PAUSE_HIGH),
        None if g.xon is None else size(g.xon, f"{what}: resume-threshold"),
        None if g.xon_offset is None else size(g.xon_offset, f"{what}: resume-offset-threshold"),
    )
    was = objects.profiles.setdefault(found.name, found)
    if was != found:
        raise CannotExpress(f"{what}: buffer profile {found.name} has two contents; ports of one profile share one headroom")
    return found.name


def milliseconds(q: Quantity | Unknown | None, what: str, low: int, high: int) -> str:
    """A watchdog time in whole milliseconds."""
    if isinstance(q, Quantity) and q.unit in _MS:
        ms = q.amount * _MS[q.unit]
        if ms.denominator == 1 and low <= ms <= high:
            return str(ms.numerator)
    raise CannotExpress(f"{what}: {q} cannot be said; whole milliseconds from {low} to {high} are taken")


def _watchdog(w: Watchdog, on: bool, what: str) -> tuple[Timer | None, bool | None]:
    if isinstance(w.enabled, Unknown):
        raise CannotExpress(f"{what}: whether the watchdog runs is {w.enabled}")
    if not on:
        return None, None
    if not w.enabled:
        return None, False
    action = w.action
    if action is not None and (isinstance(action, Unknown) or action.value not in words.ACTIONS):
        raise CannotExpress(f"{what}: watchdog action {action} has no word ({', '.join(words.ACTIONS)})")
    restore = None if w.restore is None else milliseconds(w.restore, f"{what}: watchdog restoration", 100, 60000)
    return Timer(
        milliseconds(w.detect, f"{what}: watchdog detection", 100, 5000), restore, None if action is None else action.value
    ), True
