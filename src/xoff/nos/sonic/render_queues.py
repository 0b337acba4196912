"""SONiC: how queues are served and marked: SCHEDULER, WRED_PROFILE, and the QUEUE rows that name them; equals are shared."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field

from xoff.errors import CannotExpress
from xoff.model.qos import Colour, Curve, Queue, Scheduler, SchedulerKind
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Port

Tables = dict[str, dict[str, dict[str, str]]]
#: The name of everything xoff defines begins so.
PREFIX = "XOFF"
_TYPES = {SchedulerKind.STRICT: "STRICT", SchedulerKind.DWRR: "DWRR", SchedulerKind.WRR: "WRR"}
_LEVELS = (Colour.GREEN, Colour.YELLOW, Colour.RED)


@dataclass(slots=True)
class Names:
    """Gives one name per distinct content: the wished one, with `_2`, `_3` … where another content has it already."""

    known: dict[tuple[str, Hashable], str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def of(self, wish: str, content: Hashable) -> str:
        key = (wish, content)
        if key not in self.known:
            name, n = wish, 1
            while name in self.used:
                n += 1
                name = f"{wish}_{n}"
            self.used.add(name)
            self.known[key] = name
        return self.known[key]


def build(tables: Tables, ports: list[Port]) -> None:
    """Add SCHEDULER, WRED_PROFILE and QUEUE. Raises CannotExpress, naming port and queue."""
    names, wred_names = Names(), Names()
    rows: dict[str, dict[str, str]] = {}
    bodies: dict[int, list[_QueueRow]] = {}
    speeds: dict[Hashable, set[int]] = {}  # by marking profile, Mb/s; 0 where a port's speed is not known
    for p in ports:
        if id(p.qos) not in bodies:
            bodies[id(p.qos)] = [
                _queue_row(q, f"{p.name} queue {q.id.id}") for q in sorted(p.qos.queues.values(), key=lambda q: q.id.id)
            ]
        for q in bodies[id(p.qos)]:
            if q.ramp:
                speeds.setdefault(tuple(q.ramp.items()), set()).add(p.speed if isinstance(p.speed, int) else 0)
    for p in ports:
        for q in bodies[id(p.qos)]:
            if q.row is None:
                q.row = {}
                if q.scheduler is not None:
                    wish, content = q.scheduler
                    q.row["scheduler"] = names.of(wish, tuple(content.items()))
                    tables.setdefault("SCHEDULER", {})[q.row["scheduler"]] = content
                if q.ramp:
                    same = speeds[tuple(q.ramp.items())]
                    wish = f"{PREFIX}_{next(iter(same)) // 1000}G" if len(same) == 1 and 0 not in same else PREFIX
                    q.row["wred_profile"] = wred_names.of(wish, tuple(q.ramp.items()))
                    tables.setdefault("WRED_PROFILE", {})[q.row["wred_profile"]] = q.ramp
            if q.row:
                rows[f"{p.name}|{q.id}"] = q.row
    tables["QUEUE"] = rows


@dataclass(slots=True)
class _QueueRow:
    """One queue of a body: scheduler (wished name, fields), WRED fields, and the QUEUE row once names are given."""

    id: int
    scheduler: tuple[str, dict[str, str]] | None
    ramp: dict[str, str]
    row: dict[str, str] | None = None


def _queue_row(q: Queue, what: str) -> _QueueRow:
    return _QueueRow(q.id.id, None if q.scheduler is None else _scheduler(q.scheduler, what), _wred(q, what))


def _scheduler(s: Scheduler | Unknown, what: str) -> tuple[str, dict[str, str]]:
    if isinstance(s, Unknown) or isinstance(s.kind, Unknown):
        raise CannotExpress(f"{what}: scheduler is {s if isinstance(s, Unknown) else s.kind}")
    if s.guarantee is not None or s.cap is not None:
        raise CannotExpress(f"{what}: guaranteed or capped rates of a queue are not rendered for SONiC")
    kind = _TYPES[s.kind]
    if s.kind is SchedulerKind.STRICT:
        return f"{PREFIX}_STRICT", {"type": kind}
    share = s.share
    if (
        share is None
        or share.amount.denominator != 1
        or not 1 <= share.amount <= 100
        or share.unit not in (Unit.PERCENT, Unit.WEIGHT)
    ):
        raise CannotExpress(f"{what}: a share of {share} cannot be said; SONiC takes a weight from 1 to 100")
    return f"{PREFIX}_{kind}_{share.plain}", {"type": kind, "weight": share.plain}


def _wred(q: Queue, what: str) -> dict[str, str]:
    """One WRED_PROFILE row. A queue with one ramp gives it to all colours, as the shipped profiles do."""
    curves = {c: k for c, k in q.curves.items() if k.marks is not False or k.drops is not False}
    if not curves:
        return {}
    if set(curves) == {Colour.GREEN}:
        curves = dict.fromkeys(_LEVELS, curves[Colour.GREEN])
    marks = {c for c, k in curves.items() if k.marks is True}
    ecn = {
        frozenset(): "ecn_none",
        frozenset(_LEVELS): "ecn_all",
        frozenset({Colour.GREEN, Colour.YELLOW}): "ecn_green_yellow",
        frozenset({Colour.GREEN, Colour.RED}): "ecn_green_red",
        frozenset({Colour.YELLOW, Colour.RED}): "ecn_yellow_red",
    }.get(frozenset(marks)) or f"ecn_{next(iter(marks))}"
    row = {"ecn": ecn}
    for colour in _LEVELS:
        curve = curves.get(colour)
        if curve is None:
            continue
        row |= _ramp(colour, curve, what)
    return row


def _ramp(colour: Colour, curve: Curve, what: str) -> dict[str, str]:
    if isinstance(curve.marks, Unknown) or isinstance(curve.drops, Unknown):
        raise CannotExpress(f"{what}: whether {colour} packets are marked is not known")
    return {
        f"wred_{colour}_enable": "true",
        f"{colour}_min_threshold": whole_bytes(curve.kmin, f"{what}: {colour} minimum threshold"),
        f"{colour}_max_threshold": whole_bytes(curve.kmax, f"{what}: {colour} maximum threshold"),
        f"{colour}_drop_probability": _percent(curve.pmax, f"{what}: {colour} probability"),
    }


def whole_bytes(q: Quantity | Unknown | None, what: str) -> str:
    """A number of bytes as config_db writes it. Raises CannotExpress for anything else."""
    if not isinstance(q, Quantity) or q.unit is not Unit.BYTES or q.amount.denominator != 1 or q.amount < 0:
        raise CannotExpress(f"{what}: {q} cannot be said; SONiC takes whole bytes")
    return q.plain


def _percent(q: Quantity | Unknown | None, what: str) -> str:
    if not isinstance(q, Quantity) or q.unit is not Unit.PERCENT or q.amount.denominator != 1 or not 0 <= q.amount <= 100:
        raise CannotExpress(f"{what}: {q} cannot be said; SONiC takes whole percent")
    return q.plain
