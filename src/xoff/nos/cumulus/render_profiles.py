"""The kinds of profile that NVUE binds to ports: what each says of a port, as a value that equal ports share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xoff.errors import CannotExpress
from xoff.model.qos import Colour, Match, MatchKind, PfcMode, QueueKind, Scheduler, SchedulerKind, Static
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Port, SwitchModel
from xoff.nos.cumulus.body import READS

#: What a profile says: hashable, equal for equal ports. None: nothing has to be said.
Body = Any
Statement = tuple[tuple[str, ...], str | None]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of profile. `skip_alone`: without a common body none is written (nothing to turn off)."""

    word: str
    body: Callable[[Port, SwitchModel], Body]
    statements: Callable[[Body], list[Statement]]
    name: Callable[[Body], str]
    may_be_global: Callable[[Body], bool]
    skip_alone: bool = False


def whole(q: object, unit: Unit, what: str) -> int:
    """A whole number in the one unit that NVUE takes here."""
    if not isinstance(q, Quantity) or q.unit is not unit or q.amount.denominator != 1 or q.amount < 0:
        raise CannotExpress(f"{what}: {q} cannot be said; NVUE takes a whole number of {unit}")
    return int(q.amount)


def milliseconds(q: object, what: str) -> int:
    """A time above zero in whole milliseconds."""
    found = whole(q, Unit.MILLISECONDS, what)
    if found < 1:
        raise CannotExpress(f"{what}: {q} is no time")
    return found


# --- mapping -----------------------------------------------------------------------------------------------------------


def _mapping(p: Port, _: SwitchModel) -> Body:
    c = p.qos.classify
    fields = (c.tagged_ip, c.untagged_ip, c.non_ip)
    trust = next((word for word, found in READS.items() if found == fields), None)
    if trust is None:
        raise CannotExpress(
            f"{p.name}: NVUE cannot read {', '.join(map(str, fields))} of tagged, untagged and other frames at once"
        )
    if isinstance(c.default_tc, Unknown):
        raise CannotExpress(f"{p.name}: the default switch priority is {c.default_tc}")
    rows = []
    for kind in (MatchKind.DSCP, MatchKind.PCP):
        of: dict[int, int] = {}
        for m in c.matches:
            if m.kind not in (MatchKind.DSCP, MatchKind.PCP) or m.colour is not Colour.GREEN or isinstance(m.tc, Unknown):
                raise CannotExpress(f"{p.name}: NVUE has no line for {_shown(m)}")
            if m.kind is kind:
                for v in m.values:
                    of.setdefault(v, m.tc)
        rows.append(tuple(sorted(of.items())))
    return trust, c.default_tc, rows[0], rows[1]


def _shown(m: Match) -> str:
    return f"a {m.kind} step" if isinstance(m.tc, Unknown) else f"a {m.kind} step of colour {m.colour}"


def _mapping_said(body: Body) -> list[Statement]:
    trust, default, dscp, pcp = body
    out: list[Statement] = [(("trust",), trust)]
    if default:
        out.append((("port-default-sp",), str(default)))
    for word, rows in (("dscp", dscp), ("pcp", pcp)):
        for priority in sorted({p for _, p in rows}):
            out.append(((word, ",".join(str(v) for v, p in rows if p == priority), "switch-priority"), str(priority)))
    return out


def _mapping_name(body: Body) -> str:
    return f"trust-{body[0]}"


# --- PFC ---------------------------------------------------------------------------------------------------------------


def _pfc(p: Port, model: SwitchModel) -> Body:
    f = p.qos.pfc
    if f.link_pause_rx or f.link_pause_tx:
        raise CannotExpress(f"{p.name}: link pause is not written; it and PFC exclude one another on a port")
    if f.mode not in (PfcMode.ON, PfcMode.OFF):
        raise CannotExpress(f"{p.name}: PFC mode {f.mode} has no line in NVUE; use on or off")
    if f.mode is PfcMode.OFF or not f.no_drop:
        wanted = frozenset(n for other in model.ports.values() for n in other.qos.pfc.no_drop)
        return ("off", tuple(sorted(wanted)))
    for group, sent in f.send.items():
        if sent != {group}:
            raise CannotExpress(f"{p.name}: group {group} pauses {sorted(sent)}; a switch priority pauses under its own number")
    for priority, queues in f.obey.items():
        if queues != {p.qos.tc_to_queue.get(priority)}:
            raise CannotExpress(
                f"{p.name}: pause of {priority} stops queues {sorted(queues)}; it stops the queue it is mapped to"
            )
    for what, ways in (("sent", f.send), ("obeyed", f.obey)):
        if ways and set(ways) != f.no_drop:
            raise CannotExpress(
                f"{p.name}: PFC is {what} for {sorted(ways)} of {sorted(f.no_drop)}; NVUE has one switch for all"
            )
    if isinstance(p.cable_m, Unknown):
        raise CannotExpress(f"{p.name}: cable length is {p.cable_m}")
    return "on", tuple(sorted(f.no_drop)), bool(f.send), bool(f.obey), p.cable_m, _fixed(p)


def _fixed(p: Port) -> tuple[int, int, int | None] | None:
    """(port-buffer, xoff-threshold, xon-threshold) where the port's group has numbers of its own."""
    groups = [p.qos.groups[n] for n in p.qos.pfc.send if n in p.qos.groups]
    numbers = [g for g in groups if not g.headroom_by_device and g.headroom is not None]
    if not numbers:
        return None
    g = numbers[0]
    if len(groups) > 1 or not isinstance(g.threshold, Static) or g.threshold.limit is None:
        raise CannotExpress(
            f"{p.name}: headroom of {g.headroom} can only be said for one lossless priority with a fixed XOFF (port-buffer and "
            "xoff-threshold); leave it to the switch"
        )
    xoff = whole(g.threshold.limit, Unit.BYTES, f"{p.name}: XOFF")
    size = xoff + whole(g.headroom, Unit.BYTES, f"{p.name}: headroom")
    return size, xoff, None if g.xon_offset is None else whole(g.xon_offset, Unit.BYTES, f"{p.name}: XON offset")


def _pfc_said(body: Body) -> list[Statement]:
    out: list[Statement] = [(("switch-priority",), ",".join(map(str, body[1])))]
    if body[0] == "off":
        return [*out, (("tx",), "disable"), (("rx",), "disable")]
    _, _, tx, rx, cable, fixed = body
    out += [(("tx",), "enable" if tx else "disable"), (("rx",), "enable" if rx else "disable")]
    if cable is not None:
        out.append((("cable-length",), str(cable)))
    if fixed is not None:
        for word, value in zip(("port-buffer", "xoff-threshold", "xon-threshold"), fixed, strict=True):
            if value is not None:
                out.append(((word,), str(value)))
    return out


def _pfc_name(body: Body) -> str:
    return "no-pfc" if body[0] == "off" else f"pfc-{body[4]}m" if body[4] is not None else "pfc"


# --- ECN ---------------------------------------------------------------------------------------------------------------


def _ecn(p: Port, _: SwitchModel) -> Body:
    out = []
    for qid, q in sorted(p.qos.queues.items(), key=lambda x: x[0].id):
        what = f"{p.name} queue {qid.id}"
        if qid.kind is not QueueKind.UNICAST:
            raise CannotExpress(f"{what}: NVUE has no {qid.kind} queues of its own")
        if set(q.curves) - {Colour.GREEN}:
            raise CannotExpress(f"{what}: NVUE has one ramp for all colours")
        curve = q.curves.get(Colour.GREEN)
        if curve is None or (curve.marks is False and curve.drops is False):
            out.append((qid.id, None))
            continue
        if isinstance(curve.marks, Unknown) or isinstance(curve.drops, Unknown):
            raise CannotExpress(
                f"{what}: whether it marks is {curve.marks if isinstance(curve.marks, Unknown) else curve.drops}"
            )
        low = whole(curve.kmin, Unit.BYTES, f"{what}: minimum threshold")
        high = whole(curve.kmax, Unit.BYTES, f"{what}: maximum threshold")
        top = whole(curve.pmax, Unit.PERCENT, f"{what}: marking probability")
        out.append((qid.id, (curve.marks, curve.drops, low, high, top)))  # type: ignore[arg-type]
    return tuple(out)


def _ecn_said(body: Body) -> list[Statement]:
    out: list[Statement] = []
    for tc, ramp in body:
        path = ("traffic-class", str(tc))
        if ramp is None:
            out.append(((*path, "ecn"), "disable"))
            continue
        marks, drops, low, high, top = ramp
        out += [
            ((*path, "ecn"), "enable" if marks else "disable"),
            ((*path, "red"), "enable" if drops else "disable"),
            ((*path, "min-threshold"), str(low)),
            ((*path, "max-threshold"), str(high)),
            ((*path, "probability"), str(top)),
        ]
    return out


def _ecn_name(body: Body) -> str:
    marking = [str(tc) for tc, ramp in body if ramp is not None]
    return "ecn-" + "-".join(marking) if marking else "no-ecn"


# --- scheduler ---------------------------------------------------------------------------------------------------------


def _scheduler(p: Port, _: SwitchModel) -> Body:
    out = []
    for qid, q in sorted(p.qos.queues.items(), key=lambda x: x[0].id):
        s, what = q.scheduler, f"{p.name} queue {qid.id}"
        if not isinstance(s, Scheduler) or s.kind not in (SchedulerKind.STRICT, SchedulerKind.DWRR):
            raise CannotExpress(f"{what}: scheduler {s} has no word in NVUE (strict, dwrr)")
        if s.cap is not None or s.guarantee is not None:
            raise CannotExpress(f"{what}: shaping is not written")
        share = (
            None if s.kind is SchedulerKind.STRICT or s.share is None else whole(s.share, Unit.PERCENT, f"{what}: bandwidth")
        )
        out.append((qid.id, s.kind.value, share))
    return tuple(out)


def _scheduler_said(body: Body) -> list[Statement]:
    out: list[Statement] = []
    for tc, kind, share in body:
        out.append((("traffic-class", str(tc), "mode"), kind))
        if share:
            out.append((("traffic-class", str(tc), "bw-percent"), str(share)))
    return out


# --- remark ------------------------------------------------------------------------------------------------------------


def _remark(p: Port, _: SwitchModel) -> Body:
    if not p.qos.rewrite_dscp and not p.qos.rewrite_pcp:
        return None
    return tuple(sorted(p.qos.rewrite_dscp.items())), tuple(sorted(p.qos.rewrite_pcp.items()))


def _remark_said(body: Body) -> list[Statement]:
    out: list[Statement] = []
    for layer, word, rows in (("l3", "dscp", body[0]), ("l2", "pcp", body[1])):
        if rows:
            out.append((("rewrite",), layer))
            out += [(("switch-priority", str(p), word), str(v)) for p, v in rows]
    return out


KINDS = (
    Kind("mapping", _mapping, _mapping_said, _mapping_name, lambda body: True),
    Kind("pfc", _pfc, _pfc_said, _pfc_name, lambda body: body[0] == "on", skip_alone=True),
    Kind("congestion-control", _ecn, _ecn_said, _ecn_name, lambda body: True),
    Kind("egress-scheduler", _scheduler, _scheduler_said, lambda body: "shares", lambda body: True),
    Kind("remark", _remark, _remark_said, lambda body: "rewrite", lambda body: False),
)
