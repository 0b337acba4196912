"""VRP: what stands once for the switch and is used by name: DiffServ domains, drop profiles, PFC profiles, deadlock times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from xoff.errors import CannotExpress
from xoff.model.qos import Colour, Curve, MatchKind, PfcMode, PortQos, Watchdog
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Port
from xoff.nos.renderer import Notes
from xoff.nos.vrp.deadlock import WINDOW_MS
from xoff.nos.vrp.family import Family
from xoff.nos.vrp.globals import DEFAULT, PRECISIONS
from xoff.nos.vrp.words import PHBS

if TYPE_CHECKING:
    from xoff.nos.registry import Nos

NAME = "XOFF"
#: Objects that the device holds beside its default ones (MANUAL Configuring ECN, display diffserv domain).
DROPS = {Family.A: 62, Family.B: 15}
DOMAINS = 7
_MS = {Unit.MILLISECONDS: Fraction(1), Unit.SECONDS: Fraction(1000)}
_UNITS = {Unit.BYTES: "buffer-size ", Unit.CELLS: "buffer-size cell ", Unit.PERCENT_OF_LIMIT: ""}


@dataclass(frozen=True, slots=True)
class MapLine:
    value: int
    phb: str
    colour: str


@dataclass(frozen=True, slots=True)
class DomainLines:
    """Lines of a DiffServ domain; no line: the map that every domain begins with is meant."""

    dscp: tuple[MapLine, ...]
    pcp: tuple[MapLine, ...]
    out: tuple[MapLine, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class DropLines:
    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PfcTimes:
    """Counts of one priority; None: not said there."""

    priority: int
    detect: int | None
    restore: int | None
    turn_off: int | None


@dataclass(frozen=True, slots=True)
class PfcLines:
    name: str
    priorities: str
    without_three: bool
    times: tuple[PfcTimes, ...]


# --- classification ----------------------------------------------------------------------------------------------------


def domain(q: PortQos, nos: Nos, what: str) -> DomainLines:
    """The lines of a port's classification and rewriting."""
    begins = _begins(nos, "classify.pcp")
    said: dict[MatchKind, dict[int, tuple[int, Colour]]] = {MatchKind.DSCP: {}, MatchKind.PCP: {}}
    for m in q.classify.matches:
        if m.kind not in said or isinstance(m.tc, Unknown) or not 0 <= m.tc < len(PHBS):
            raise CannotExpress(f"{what}: a classification step of kind {m.kind} to class {m.tc} is not rendered in VRP")
        for v in m.values:
            said[m.kind].setdefault(v, (m.tc, m.colour))
    # The DSCP map in full: what a default says is no statement of anybody's. The 802.1p map where it is not the domain's own.
    lines = {
        kind: tuple(MapLine(v, PHBS[tc], colour.value) for v, (tc, colour) in sorted(of.items()))
        for kind, of in said.items()
        if kind is MatchKind.DSCP or of != begins
    }
    entry = nos.default("rewrite.dscp")
    before = dict(enumerate(entry.value)) if entry is not None else {}
    missing = set(range(8)) - set(q.rewrite_dscp)
    if q.rewrite_dscp and any(before.get(tc) is not None for tc in missing):
        raise CannotExpress(f"{what}: VRP rewrites the DSCP of all classes or of none; class {min(missing)} has no value")
    out = tuple(MapLine(v, PHBS[tc], Colour.GREEN.value) for tc, v in sorted(q.rewrite_dscp.items()) if before.get(tc) != v)
    return DomainLines(lines.get(MatchKind.DSCP, ()), lines.get(MatchKind.PCP, ()), out)


def _begins(nos: Nos, key: str) -> dict[int, tuple[int, Colour]]:
    """The 802.1p map of a new domain, all green."""
    entry = nos.default(key)
    return {v: (tc, Colour.GREEN) for first, last, tc in (entry.value if entry else ()) for v in range(first, last + 1)}


def named(found: Iterable[DomainLines], device: str) -> dict[DomainLines, str]:
    """Names of the domains, in the order met."""
    wanted = list(dict.fromkeys(d for d in found if d.dscp or d.pcp or d.out))
    if len(wanted) > DOMAINS:
        raise CannotExpress(f"{device}: its ports want {len(wanted)} maps of DSCP; VRP holds {DOMAINS} DiffServ domains")
    return {d: NAME if i == 1 else f"{NAME}-{i}" for i, d in enumerate(wanted, start=1)}


# --- marking and early drop --------------------------------------------------------------------------------------------


def ramp_lines(curves: Mapping[Colour, Curve], what: str) -> tuple[tuple[str, ...], bool]:
    """(lines of the drop profile, whether the queue marks); no lines where it neither marks nor drops early."""
    marking = {c: r for c, r in curves.items() if r.marks is not False}
    dropping = {c: r for c, r in curves.items() if r.drops is not False}
    if marking and dropping:
        raise CannotExpress(f"{what}: VRP marks or drops early in a queue, not both")
    if marking:
        green = marking.get(Colour.GREEN)
        if green is None or len(marking) > 1 or green.marks is not True:
            raise CannotExpress(f"{what}: VRP has one ramp of marking for all colours")
        return (f"ecn {_ramp(green, what)}",), True
    return tuple(f"color {c.value} {_ramp(dropping[c], what)}" for c in Colour if c in dropping), False


def _ramp(curve: Curve, what: str) -> str:
    low, high, pmax = curve.kmin, curve.kmax, curve.pmax
    for q in (low, high):
        if not isinstance(q, Quantity) or q.unit not in _UNITS or q.amount.denominator != 1 or q.amount < 0:
            raise CannotExpress(f"{what}: threshold {q} cannot be said; VRP takes whole bytes, cells or percent")
    assert isinstance(low, Quantity)
    assert isinstance(high, Quantity)
    if low.unit is not high.unit:
        raise CannotExpress(f"{what}: thresholds {low} and {high} are of two units")
    if (
        not isinstance(pmax, Quantity)
        or pmax.unit is not Unit.PERCENT
        or pmax.amount.denominator != 1
        or not 1 <= pmax.amount <= 100
    ):
        raise CannotExpress(f"{what}: marking probability {pmax} cannot be said; VRP takes 1 to 100 percent")
    return f"{_UNITS[low.unit]}low-limit {low.plain} high-limit {high.plain} discard-percentage {pmax.plain}"


def drop_names(users: Mapping[tuple[str, ...], set[int]], family: Family, device: str) -> dict[tuple[str, ...], str]:
    """Names of drop profiles: by the speed of their ports where all have one. users: lines -> speeds in Mb/s."""
    if len(users) > DROPS[family]:
        raise CannotExpress(f"{device}: its queues want {len(users)} drop profiles; this model holds {DROPS[family]}")
    wanted: dict[str, list[tuple[str, ...]]] = {}
    for lines, speeds in users.items():
        base = f"{NAME}-{next(iter(speeds)) // 1000}G" if len(speeds) == 1 else NAME
        wanted.setdefault(base, []).append(lines)
    return {
        lines: base if len(same) == 1 else f"{base}-{i}" for base, same in wanted.items() for i, lines in enumerate(same, 1)
    }


# --- PFC profiles and deadlock times -----------------------------------------------------------------------------------


def milliseconds(q: Quantity | Unknown | None, what: str) -> int:
    if not isinstance(q, Quantity) or q.unit not in _MS or (q.amount * _MS[q.unit]).denominator != 1:
        raise CannotExpress(f"{what}: {q} is no time that VRP can be told")
    return int(q.amount * _MS[q.unit])


def times(ports: Iterable[Port], device: str) -> tuple[int, int] | None:
    """The one pair of deadlock times (ms) of the switch. Raises CannotExpress where ports differ."""
    found: dict[tuple[int, int], str] = {}
    for p in ports:
        w = p.qos.watchdog
        if w.enabled is True:
            pair = milliseconds(w.detect, f"{p.name}: detection"), milliseconds(w.restore, f"{p.name}: recovery")
            found.setdefault(pair, p.name)
    if len(found) > 1:
        (a, one), (b, other), *_ = found.items()
        raise CannotExpress(
            f"{device}: deadlock times {a[0]} / {a[1]} ms on {one}, {b[0]} / {b[1]} ms on {other}; xoff writes "
            "one pair per switch"
        )
    return next(iter(found), None)


def precision(pair: tuple[int, int], device: str) -> int:
    """The finest precision in which both times can be counted (family A)."""
    detect, restore = pair
    for step in PRECISIONS:
        if not detect % step and not restore % step and 1 <= detect // step <= 15 and restore // step <= 31:
            return step
    raise CannotExpress(
        f"{device}: deadlock times of {detect} and {restore} ms: VRP takes 1 to 15 and 0 to 31 units of "
        f"{', '.join(map(str, PRECISIONS))} ms"
    )


def turn_off(w: Watchdog, pair: tuple[int, int], default: int) -> int | None:
    """The threshold that keeps PFC from going off for good; None where the default cannot be reached either."""
    most = Fraction(WINDOW_MS, sum(pair))
    if w.latch is not False or most < default:
        return None
    return 300


def profiles(
    ports: Iterable[Port], pair: tuple[int, int] | None, step: int | None, default: int, notes: Notes, device: str
) -> tuple[tuple[PfcLines, ...], dict[frozenset[int], str]]:
    """PFC profiles and their names by no-drop set; the set of most ports is the default profile's."""
    count: dict[frozenset[int], int] = {}
    watch: dict[frozenset[int], Watchdog] = {}
    for p in ports:
        if p.qos.pfc.mode is not PfcMode.OFF and p.qos.pfc.no_drop:
            count[p.qos.pfc.no_drop] = count.get(p.qos.pfc.no_drop, 0) + 1
            watch.setdefault(p.qos.pfc.no_drop, p.qos.watchdog)
    order = sorted(count, key=lambda s: (-count[s], sorted(s)))
    if len(order) > 2:
        raise CannotExpress(f"{device}: ports have {len(order)} sets of no-drop priorities; VRP holds two PFC profiles")
    names = {s: DEFAULT if i == 0 else NAME for i, s in enumerate(order)}
    out: list[PfcLines] = []
    for s in order:
        detect, restore = (None, None) if pair is None or step is None else (pair[0] // step, pair[1] // step)
        off = None if pair is None else turn_off(watch[s], pair, default)
        lines = tuple(PfcTimes(n, detect, restore, off) for n in sorted(s))
        if 3 not in s:
            notes.unverified("undo priority 3", "that a PFC profile begins with priority 3 and loses it so: one operator guide")
        out.append(PfcLines(names[s], " ".join(map(str, sorted(s))), 3 not in s, lines))
    return tuple(out), names
