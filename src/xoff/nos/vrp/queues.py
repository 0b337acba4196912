"""VRP: egress queues: PQ, DRR and ETS, and the ramps of drop profiles with and without ECN."""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction

from xoff.model.origin import Line, Origin
from xoff.model.qos import Colour, Curve, Scheduler, SchedulerKind
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.nos.registry import Nos
from xoff.nos.settings import Settings
from xoff.nos.vrp.family import Family, Found
from xoff.nos.vrp.globals import Ets, Globals, Ramp

NOT_ECT = Unknown("what VRP does with packets without ECT in a marking queue is not confirmed", Fact.DEFAULT)
AI = Unknown("AI ECN sets the thresholds of this queue by itself while it runs")
LPQ = Unknown("the queue is served after all others (lpq), which the model has no word for")
BOTH = Unknown("VRP takes either an ETS profile or `qos pq / drr` on a port; both stand here", Fact.CONFIG)
NO_PROFILE = Unknown("`qos queue N ecn` needs a drop profile on the queue, and none is applied", Fact.CONFIG)
COLOURS_ONLY = Unknown("the drop profile has no `ecn` line; whether its colour thresholds mark is documented for V200 at most")


@dataclass(slots=True)
class Context:
    nos: Nos
    shared: Globals
    family: Found
    rests_on: set[str] = field(default_factory=set)


# --- who is served when ------------------------------------------------------------------------------------------------


def schedulers(c: Context, said: Settings, origins: dict[str, Origin]) -> dict[int, Scheduler | Unknown]:
    """The scheduler of each queue: by its own lines, by the ETS profile of the port, else strict."""
    stated = [n for n in range(8) if said.value(f"queue.{n}.how") is not None]
    ets = said.value("ets")
    where = said.origin("ets")
    if ets is not None and where is not None:
        if stated:
            for n in range(8):
                origins[f"queue.unicast.{n}.scheduler"] = where
            return dict.fromkeys(range(8), BOTH)
        return _by_ets(c, ets, where, origins)
    return {n: _own(c, said, n, origins) for n in range(8)}


def _own(c: Context, said: Settings, n: int, origins: dict[str, Origin]) -> Scheduler | Unknown:
    path = f"queue.unicast.{n}"
    how = said.value(f"queue.{n}.how")
    where = said.origin(f"queue.{n}.how")
    if how is None or where is None:
        entry = c.nos.default("queue.scheduler")
        if entry is None:
            return Unknown("VRP's default scheduling is not known", Fact.DEFAULT)
        origins[f"{path}.scheduler"] = entry.origin("a queue is served by strict priority unless `qos drr` names it")
        return Scheduler(SchedulerKind(entry.value))
    origins[f"{path}.scheduler"] = where
    if how == "lpq":
        return LPQ
    if how == "pq":
        return Scheduler(SchedulerKind.STRICT)
    weight = said.value(f"queue.{n}.weight")
    placed = said.origin(f"queue.{n}.weight")
    if weight is None or placed is None:
        entry = c.nos.default("queue.share")
        if entry is None:
            return Unknown("VRP's default weight is not known", Fact.DEFAULT)
        weight, placed = entry.value, entry.origin("no `drr weight` of the queue")
    origins[f"{path}.share"] = placed
    return Scheduler(SchedulerKind.DWRR, Quantity(Fraction(weight), Unit.WEIGHT))


def _by_ets(c: Context, name: str, where: Origin, origins: dict[str, Origin]) -> dict[int, Scheduler | Unknown]:
    """Queues by the priority groups of an ETS profile: group 15 strict, the others share by weight.

    A queue that shares its group has no weight of its own.
    """
    profile = c.shared.ets.get(name)
    entry = c.nos.default("ets.group")
    if (profile is None and name != "default") or entry is None:
        for n in range(8):
            origins[f"queue.unicast.{n}.scheduler"] = where
        return dict.fromkeys(range(8), Unknown(f"ETS profile {name} is not defined", Fact.CONFIG))
    groups = {n: _ets_group(profile, n, entry.value[n]) for n in range(8)}
    out: dict[int, Scheduler | Unknown] = {}
    for n, (group, line) in groups.items():
        path = f"queue.unicast.{n}"
        origins[f"{path}.scheduler"] = line or entry.origin(
            f"queue {n} is in priority group {group} unless the profile moves it"
        )
        if group == 15:
            out[n] = Scheduler(SchedulerKind.STRICT, name="priority-group 15")
            continue
        alone = sum(1 for g, _ in groups.values() if g == group) == 1
        weight = profile.weights.get(group) if profile is not None else None
        share = None
        if alone:
            share = Quantity(Fraction(weight[0] if weight else 50), Unit.WEIGHT)
            origins[f"{path}.share"] = weight[1] if weight else entry.origin("groups 0 and 1 share 50 to 50")
        out[n] = Scheduler(SchedulerKind.DWRR, share, name=f"priority-group {group}")
    return out


def _ets_group(profile: Ets | None, queue: int, default: int) -> tuple[int, Line | None]:
    found = profile.groups.get(queue) if profile is not None else None
    return found if found is not None else (default, None)


# --- ramps -------------------------------------------------------------------------------------------------------------


def curves(
    c: Context, said: Settings, n: int, lossless: bool, origins: dict[str, Origin]
) -> tuple[dict[Colour, Curve], str | None]:
    """The ramps of a queue by colour and the drop profile they come from."""
    path = f"queue.unicast.{n}"
    name: str | None = said.value(f"queue.{n}.profile")
    applied = said.origin(f"queue.{n}.profile")
    marks, where = _marks(c, said, n)
    if name is not None and applied is not None:
        origins[f"{path}.curve_profile"] = applied
    ai = c.shared.ai_ecn.get(n)
    if ai is not None and lossless:
        for part in ("kmin", "kmax", "pmax", "marks"):
            origins[f"{path}.{part}"] = ai
        return {Colour.GREEN: Curve(AI, AI, AI, marks=True)}, name
    if name is None or applied is None:
        if where is None:
            return {}, None
        origins[f"{path}.marks"] = where
        return {Colour.GREEN: Curve(None, None, None, marks=NO_PROFILE)}, None
    profile = c.shared.drops.get(name)
    if profile is None and name != "default":
        gone = Unknown(f"drop profile {name} is not defined", Fact.CONFIG)
        for part in ("kmin", "kmax", "pmax", "marks", "drops"):
            origins[f"{path}.{part}"] = applied
        return {Colour.GREEN: Curve(gone, gone, gone, marks=gone if where is not None else False, drops=gone)}, name
    if where is not None:
        origins[f"{path}.marks"] = where
        return _marking(c, profile.ecn if profile else None, profile.colours if profile else {}, marks, path, origins), name
    return _dropping(c, profile.colours if profile else {}, path, applied, origins), name


def _marks(c: Context, said: Settings, n: int) -> tuple[bool | Unknown, Origin | None]:
    """Whether ECN is in force in the queue, and the line that asks for it; (False, None) where none does."""
    where = said.origin(f"queue.{n}.ecn")
    if not said.value(f"queue.{n}.ecn") or where is None:
        return False, None
    if c.shared.settings.value("ecn_enable"):
        return True, where
    family = c.family.known
    entry = c.nos.default("queue.marks.global", family=family.value if family else None)
    if entry is not None:
        return bool(entry.value), where
    why = c.family.family.reason if isinstance(c.family.family, Unknown) else "its family is not known"
    return Unknown(f"family B marks only with `qos ecn enable`, which is not here: {why}", Fact.ASIC), where


def _marking(
    c: Context,
    ecn: Ramp | None,
    colours: dict[Colour, Ramp],
    marks: bool | Unknown,
    path: str,
    origins: dict[str, Origin],
) -> dict[Colour, Curve]:
    """Ramps of a queue with ECN: marking takes the place of early drop (MANUAL Configuring ECN)."""
    if ecn is not None:
        _place(path, ecn, origins)
        return {Colour.GREEN: Curve(ecn.low, ecn.high, ecn.pmax, marks)}
    if not colours:
        return {Colour.GREEN: Curve(None, None, None, marks=COLOURS_ONLY)}
    if c.family.known is Family.C and c.nos.relies_on("color-marks"):
        c.rests_on.add("color-marks")
    else:
        marks = COLOURS_ONLY if marks is not False else marks
    for colour in sorted(colours, key=lambda x: x is Colour.GREEN):
        _place(path, colours[colour], origins)
    return {colour: Curve(r.low, r.high, r.pmax, marks) for colour, r in colours.items()}


def _dropping(
    c: Context, colours: dict[Colour, Ramp], path: str, applied: Origin, origins: dict[str, Origin]
) -> dict[Colour, Curve]:
    """Ramps of a queue without ECN: each colour is dropped early by its thresholds; without any, at the end of the queue."""
    for colour in sorted(colours, key=lambda x: x is Colour.GREEN):
        _place(path, colours[colour], origins)
    if colours:
        origins[f"{path}.drops"] = applied
        entry = c.nos.default("queue.marks")
        if entry is not None:
            origins[f"{path}.marks"] = entry.origin("no `qos queue N ecn`")
    return {colour: Curve(r.low, r.high, r.pmax, marks=False, drops=True) for colour, r in colours.items()}


def _place(path: str, ramp: Ramp, origins: dict[str, Origin]) -> None:
    for part in ("kmin", "kmax", "pmax"):
        origins[f"{path}.{part}"] = ramp.at
