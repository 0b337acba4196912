"""VRP: the QoS lines of one interface."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xoff.errors import CannotExpress
from xoff.model.qos import (
    Alpha,
    HeaderField,
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
from xoff.model.switch import Port
from xoff.nos.renderer import NoteKind, Notes
from xoff.nos.vrp.family import Family
from xoff.nos.vrp.globals import DEFAULT
from xoff.nos.vrp.render_classes import ramp_lines

SIZES = {Unit.KBYTES: "kbytes", Unit.MBYTES: "mbytes"}
#: Largest XOFF and XON threshold in kbytes (MANUAL dcb pfc buffer).
MOST = {Family.A: 30_720, Family.B: 6_144}


def lines(
    p: Port,
    family: Family,
    domain: str | None,
    drops: Mapping[tuple[str, ...], str],
    pfc_names: Mapping[frozenset[int], str],
    notes: Notes,
) -> tuple[str, ...]:
    """All lines of the port below its address, in the order in which VRP takes them."""
    q = p.qos
    if q.unread is not None:
        raise CannotExpress(f"{p.name}: {q.unread.reason}")
    _identity(q, p.name)
    return (
        *_trust(p, domain),
        *_schedule(q, p.name),
        *(line for x in _in_order(q) for line in _queue(x, drops, f"{p.name} queue {x.id.id}")),
        *_pfc(q, pfc_names, p.name),
        *(line for n in sorted(q.groups) for line in _group(q.groups[n], family, notes, f"{p.name} group {n}")),
    )


def _identity(q: PortQos, what: str) -> None:
    """Internal priority, queue, group and PFC priority are one number in VRP."""
    for of, kind in ((q.tc_to_queue, "queue"), (q.tc_to_group, "group")):
        for tc, n in of.items():
            if n != tc:
                raise CannotExpress(f"{what}: class {tc} goes to {kind} {n}; in VRP they are one number")
    if q.pfc.mode is PfcMode.OFF:
        return
    for of_group, said in ((q.pfc.send, "pauses"), (q.pfc.obey, "is stopped by")):
        for n, others in of_group.items():
            if others and others != {n}:
                raise CannotExpress(f"{what}: priority {n} {said} {sorted(others)}; in VRP they are one number")
    if set(q.pfc.send) != set(q.pfc.no_drop) or q.pfc.asymmetric is True:
        raise CannotExpress(f"{what}: VRP sends and obeys pauses for the same priorities")


def _trust(p: Port, domain: str | None) -> list[str]:
    c = p.qos.classify
    fields = (c.tagged_ip, c.untagged_ip)
    if fields == (HeaderField.PORT, HeaderField.PORT):
        return ["trust upstream none"]
    upstream = [] if domain is None else [f"trust upstream {domain}"]
    if fields == (HeaderField.DSCP, HeaderField.DSCP):
        own = [] if p.routed else ["trust dscp"]
    elif fields == (HeaderField.PCP, HeaderField.PORT):
        if p.routed:
            raise CannotExpress(f"{p.name}: a routed port of VRP trusts DSCP; it cannot read 802.1p")
        own = ["trust 8021p outer"]
    else:
        raise CannotExpress(f"{p.name}: VRP cannot read {fields[0]} of tagged and {fields[1]} of untagged packets at once")
    marking = ["qos phb marking dscp enable"] if p.qos.rewrite_dscp else []
    return [*own, *upstream, *marking]


def _in_order(q: PortQos) -> list[Queue]:
    return sorted(q.queues.values(), key=lambda x: x.id.id)


def _schedule(q: PortQos, what: str) -> list[str]:
    """`qos pq`, `qos drr` and the weights."""
    strict: list[int] = []
    shared: list[int] = []
    weights: list[str] = []
    for x in _in_order(q):
        if x.id.kind is not QueueKind.UNICAST:
            raise CannotExpress(f"{what}: VRP has no queues for {x.id.kind} traffic of their own")
        s = x.scheduler
        if s is None:
            continue
        if isinstance(s, Unknown) or isinstance(s.kind, Unknown):
            raise CannotExpress(f"{what} queue {x.id.id}: scheduler is not known")
        if s.guarantee is not None or s.cap is not None:
            raise CannotExpress(f"{what} queue {x.id.id}: guarantees and shapers of a queue are not rendered in VRP")
        if s.kind is SchedulerKind.STRICT:
            strict.append(x.id.id)
            continue
        shared.append(x.id.id)
        weights.append(f"qos queue {x.id.id} drr weight {_weight(s, f'{what} queue {x.id.id}')}")
    return [*(f"qos pq {r}" for r in _ranges(strict)), *(f"qos drr {r}" for r in _ranges(shared)), *weights]


def _weight(s: Scheduler, what: str) -> str:
    share = s.share
    if not isinstance(share, Quantity) or share.unit is not Unit.WEIGHT or share.amount.denominator != 1:
        raise CannotExpress(f"{what}: share {share} cannot be said; VRP takes a weight")
    if not 1 <= share.amount <= 100:
        raise CannotExpress(f"{what}: weight {share.plain}: VRP takes 1 to 100")
    return share.plain


def _ranges(numbers: Iterable[int]) -> list[str]:
    """Runs as VRP writes them: `0 to 5`, `7`."""
    runs: list[list[int]] = []
    for n in numbers:
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return [str(r[0]) if len(r) == 1 else f"{r[0]} to {r[-1]}" for r in runs]


def _queue(x: Queue, drops: Mapping[tuple[str, ...], str], what: str) -> list[str]:
    n = x.id.id
    ramp, marks = ramp_lines(x.curves, what)
    out = [f"qos queue {n} wred {drops[ramp]}"] if ramp else []
    if marks:
        out.append(f"qos queue {n} ecn")
    if x.limit is None or isinstance(x.limit, Unknown):
        return out
    if isinstance(x.limit, Alpha) or x.limit.limit is None:
        raise CannotExpress(f"{what}: which dynamic level stands for {x.limit} is published nowhere; VRP takes a fixed limit")
    size = x.limit.limit
    units = {**SIZES, Unit.BYTES: "bytes"}
    if size.unit not in units or size.amount.denominator != 1:
        raise CannotExpress(f"{what}: limit {size} cannot be said; VRP takes bytes, kbytes or mbytes")
    return [*out, f"qos buffer queue {n} shared-threshold static {size.plain} {units[size.unit]}"]


def _pfc(q: PortQos, pfc_names: Mapping[frozenset[int], str], what: str) -> list[str]:
    mode = q.pfc.mode
    if isinstance(mode, Unknown):
        raise CannotExpress(f"{what}: whether PFC is on is {mode}")
    if mode is PfcMode.OFF:
        return []
    if not q.pfc.no_drop:
        raise CannotExpress(f"{what}: PFC without a priority has no line in VRP")
    name = pfc_names[q.pfc.no_drop]
    profile = "" if name == DEFAULT else f" {name}"
    return [f"dcb pfc enable{profile} mode {'auto' if mode is PfcMode.AUTO else 'manual'}"]


def _group(g: PriorityGroup, family: Family, notes: Notes, what: str) -> list[str]:
    out: list[str] = []
    limit = g.threshold
    if isinstance(limit, Alpha):
        raise CannotExpress(f"{what}: which dynamic level stands for alpha {limit.alpha.plain} is published nowhere")
    if isinstance(limit, Unknown) or limit is None:
        for name, value in (("XOFF threshold", limit), ("XON", g.xon)):
            if isinstance(value, Unknown):
                notes.add(NoteKind.DEVICE, name, value.reason)
        if isinstance(g.xon, Quantity) or isinstance(g.xon_offset, Quantity):
            raise CannotExpress(f"{what}: VRP says XON beside a fixed XOFF threshold only")
    elif family is Family.A:
        offset = "" if not isinstance(g.xon_offset, Quantity) else f" xon offset {_kbytes(g.xon_offset, what, 1, MOST[family])}"
        out.append(f"dcb pfc buffer {g.id} xoff static {_static(limit, what, family)}{offset}")
    else:
        if not isinstance(g.xon, Quantity):
            raise CannotExpress(f"{what}: family B says XOFF and XON in one line, and XON is {g.xon}")
        xon = _kbytes(g.xon, what, 1, MOST[family])
        out.append(f"dcb pfc buffer {g.id} xon static {xon} xoff static {_static(limit, what, family)}")
    out += _kept(g, family, notes, what)
    return out


def _static(limit: Static, what: str, family: Family) -> str:
    if limit.limit is None:
        raise CannotExpress(f"{what}: a threshold without limit has no line in VRP")
    return _kbytes(limit.limit, what, 1, MOST[family])


def _kept(g: PriorityGroup, family: Family, notes: Notes, what: str) -> list[str]:
    """Headroom and guaranteed buffer, which family A alone has lines for."""
    out: list[str] = []
    for value, name in ((g.headroom, "headroom"), (g.reserved, "guaranteed buffer")):
        if isinstance(value, Unknown):
            notes.add(NoteKind.DEVICE, name, value.reason)
        elif value is not None and family is not Family.A:
            raise CannotExpress(f"{what}: {name} {value}: this family has no line for it")
    if isinstance(g.headroom, Quantity):
        out.append(f"dcb pfc buffer {g.id} hdrm {_kbytes(g.headroom, what, 16, MOST[Family.A])}")
    if isinstance(g.reserved, Quantity):
        r = g.reserved
        if r.unit is not Unit.BYTES or r.amount.denominator != 1 or not 640 <= r.amount <= 25_600:
            raise CannotExpress(f"{what}: guaranteed buffer {r}: VRP takes 640 to 25600 bytes")
        out.append(f"dcb pfc buffer {g.id} guaranteed {r.plain} bytes")
    return out


def _kbytes(q: Quantity, what: str, low: int, high: int) -> str:
    if q.unit is not Unit.KBYTES or q.amount.denominator != 1 or not low <= q.amount <= high:
        raise CannotExpress(f"{what}: {q} cannot be said; VRP takes {low} to {high} kbytes")
    return f"{q.plain} kbytes"
