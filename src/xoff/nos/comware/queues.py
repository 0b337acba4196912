"""Comware: the egress queues of a port: WRED and ECN, scheduling, shares of the buffer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Origin
from xoff.model.qos import Colour, Curve, Queue, QueueId, QueueKind, Scheduler, SchedulerKind, Static
from xoff.model.quantity import Fact, Quantity, Unit, Unknown, quantity
from xoff.nos.comware import words
from xoff.nos.comware.globals import Globals
from xoff.nos.comware.statements import wred_queues
from xoff.nos.registry import Nos
from xoff.nos.settings import Settings

TWO_FORMS = Unknown(
    "a WRED table is applied and the interface has WRED lines of its own: which holds is not confirmed", Fact.DEFAULT
)
NO_LIMITS = Unknown("no limits are stated for the queue, and Comware's own differ from model to model", Fact.DEFAULT)
NO_SCHEDULER = Unknown("no scheduling is stated, and Comware's own depends on the model", Fact.DEFAULT)
TWO_MODES = Unknown("wrr and wfq lines without a mode line: which of them holds is not known", Fact.DEFAULT)
_KINDS = {"wrr": SchedulerKind.WRR, "wfq": SchedulerKind.DWRR, "sp": SchedulerKind.STRICT}


def queues(
    said: Settings, tables: Mapping[str, Settings], shared: Globals, nos: Nos, origins: dict[str, Origin]
) -> dict[QueueId, Queue]:
    """The queues of which something is known, with the origins of each value."""
    curves = _curves(said, tables, nos, origins)
    mode = _mode(said)
    applied = bool(shared.settings.value("buffer.apply")) and not shared.settings.value("burst")
    ids = set(curves) | {int(n.rpartition(".")[2]) for n in said.said if n.startswith(("guarantee.", "cap."))}
    if mode is not None:
        ids |= set(range(8))
    if applied:
        ids |= {q for q, _ in shared.buffers}
    out: dict[QueueId, Queue] = {}
    for number in sorted(ids):
        path = f"queue.unicast.{number}"
        values: dict[str, Any] = {}
        if applied:
            for what, name in (("shared", "limit"), ("guaranteed", "reserved")):
                found = shared.buffers.get((number, what))
                if found is not None:
                    values[name] = Static(found.value) if name == "limit" else found.value
                    origins[f"{path}.{name}"] = found.origin
        qid = QueueId(QueueKind.UNICAST, number)
        table = said.value("wred")
        out[qid] = Queue(
            qid,
            FrozenMap(curves.get(number, {})),
            scheduler=_scheduler(number, path, mode, said, origins),
            curve_profile=table if table and number in curves else None,
            **values,
        )
    return out


# --- WRED -------------------------------------------------------------------------------------------------------------


def _curves(
    said: Settings, tables: Mapping[str, Settings], nos: Nos, origins: dict[str, Origin]
) -> dict[int, dict[Colour, Curve]]:
    table = said.value("wred")
    own = wred_queues(said)
    if table is None:
        return {q: _curve_of(q, said, nos, origins) for q in sorted(own)}
    if own:
        for q in own:
            _origins(q, next(s.origin for n, s in said.said.items() if n.split(".")[1:2] == [str(q)]), origins)
        doubtful = {Colour.GREEN: Curve(TWO_FORMS, TWO_FORMS, TWO_FORMS, TWO_FORMS, TWO_FORMS)}
        return dict.fromkeys(sorted(own | (wred_queues(tables[table]) if table in tables else set())), doubtful)
    if table == "":
        # The default table: it drops early in every queue and marks in none.
        where = said.origin("wred")
        if where is not None:
            for q in range(8):
                _origins(q, where, origins)
        early = Curve(NO_LIMITS, NO_LIMITS, NO_LIMITS, marks=False, drops=True)
        return {q: {Colour.GREEN: early} for q in range(8)}
    if table not in tables:
        return {}
    return {q: _curve_of(q, tables[table], nos, origins) for q in sorted(wred_queues(tables[table]))}


def _origins(queue: int, where: Origin, origins: dict[str, Origin]) -> None:
    for part in ("", ".kmin", ".kmax", ".pmax", ".weight", ".marks", ".drops"):
        origins[f"queue.unicast.{queue}{part}"] = where


def _curve_of(q: int, said: Settings, nos: Nos, origins: dict[str, Origin]) -> dict[Colour, Curve]:
    path = f"queue.unicast.{q}"
    marks = said.value(f"ecn.{q}") is True
    lines = {c: s for c in words.COLOURS if (s := said.said.get(f"wred.{q}.{c}")) is not None and s.value is not None}
    ecn = said.origin(f"ecn.{q}") if marks else None
    weight = said.value(f"weight.{q}")
    weigh = said.origin(f"weight.{q}")
    if weight is None:
        entry = nos.default("queue.weight")
        weight, weigh = (entry.value, entry.origin("no weighting-constant is stated")) if entry else (None, None)
    out: dict[Colour, Curve] = {}
    for colour, setting in lines.items():
        low, high, pmax = setting.value
        at = setting.origin
        if colour is next(iter(lines)):
            for part in ("", ".kmin", ".kmax", ".pmax", ".drops"):
                origins[path + part] = at
            origins[f"{path}.marks"] = ecn or at
        if pmax is None:
            entry = nos.default("queue.pmax")
            if entry is None:
                pmax = Unknown("the probability where none is stated is not known", Fact.DEFAULT)
            else:
                pmax = quantity(entry.value, Unit.PERCENT)
                origins[f"{path}.pmax"] = entry.origin("no discard-probability is stated")
        out[colour] = Curve(low, high, pmax, marks=marks, drops=not marks, weight=weight)
    if not out:
        out[Colour.GREEN] = Curve(NO_LIMITS, NO_LIMITS, NO_LIMITS, marks=marks, drops=not marks, weight=weight)
        where = ecn or said.origin(f"weight.{q}")
        if where is not None:
            _origins(q, where, origins)
    if weigh is not None:
        origins[f"{path}.weight"] = weigh
    return out


# --- scheduling -------------------------------------------------------------------------------------------------------


def _mode(said: Settings) -> str | Unknown | None:
    """`sp`, `wrr` or `wfq`: as a mode line says, else as the lines of single queues do."""
    found: str | None = said.value("scheduler")
    if found is not None:
        return found
    used = {n.split(".")[1] for n, s in said.said.items() if n.startswith("scheduler.") and s.value is not None}
    return TWO_MODES if len(used) > 1 else next(iter(used), None)


def _scheduler(
    number: int, path: str, mode: str | Unknown | None, said: Settings, origins: dict[str, Origin]
) -> Scheduler | Unknown:
    if mode is None:
        return NO_SCHEDULER
    if isinstance(mode, Unknown):
        return mode
    name = f"scheduler.{mode}.{number}"
    value: Quantity | SchedulerKind | None = said.value(name)
    where = said.origin(name) or said.origin("scheduler")
    if where is not None:
        origins[f"{path}.scheduler"] = where
        if isinstance(value, Quantity):
            origins[f"{path}.share"] = where
    kind = SchedulerKind.STRICT if value is SchedulerKind.STRICT else _KINDS[mode]
    for what in ("guarantee", "cap"):
        at = said.origin(f"{what}.{number}")
        if at is not None:
            origins[f"{path}.{what}"] = at
    return Scheduler(
        kind,
        share=value if isinstance(value, Quantity) else None,
        guarantee=said.value(f"guarantee.{number}"),
        cap=said.value(f"cap.{number}"),
    )
