"""A trace for people and as JSON (`trace/1`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xoff.model.fabric import ClassInForce
from xoff.model.fields import plain
from xoff.model.origin import FileLine
from xoff.model.qos import HeaderField, Scheduler
from xoff.model.quantity import Quantity, Unknown
from xoff.report.escape import quoted, visible
from xoff.report.ranges import fold
from xoff.report.style import Paint
from xoff.trace.result import Hop, Trace, Wrong

TextOf = Callable[[FileLine], str]
_READS = {HeaderField.DSCP: "DSCP", HeaderField.PCP: "PCP", HeaderField.PORT: "nothing of the packet (port default)"}


def text(trace: Trace, text_of: TextOf, paint: Paint) -> str:
    """The way, hop by hop, then the first wrong one with its line."""
    out = [paint(_head(trace), "head"), ""]
    for group in _folded(trace.hops):
        out += _hop(group, trace.paths > 0, paint)
    out += _verdict(trace, text_of, paint)
    return visible_join(out)


def visible_join(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"


def _head(trace: Trace) -> str:
    what = f"DSCP {trace.dscp}"
    if trace.cls is None:
        what += " (no class in force has it)"
    else:
        what += f" ({_class(trace.cls)})"
    if trace.start is None:
        return f"{what} at every switch by itself; --from and --to follow it through the fabric"
    ways = f"{trace.paths} shortest way{'s' if trace.paths != 1 else ''}"
    return visible(f"{what} from {trace.start} to {trace.end}: {ways}")


def _class(cls: ClassInForce) -> str:
    kind = "lossless" if cls.lossless else "lossy"
    return f"class {visible(cls.name)}, {kind}, priority {_n(cls.priority)}, from {cls.basis}"


def _folded(hops: Sequence[Hop]) -> list[list[Hop]]:
    """Hops of one distance that differ in names only, together."""
    found: dict[object, list[Hop]] = {}
    for hop in hops:
        key = (hop.distance, hop.nos, _said(hop), tuple((w.what, w.certain) for w in hop.wrong))
        found.setdefault(key, []).append(hop)
    return list(found.values())


def _said(hop: Hop) -> tuple[object, ...]:
    return tuple(_rows(hop))


def _hop(group: Sequence[Hop], along: bool, paint: Paint) -> list[str]:
    hop = group[0]
    devices = visible(fold(h.device for h in group))
    if len(group) == 1 or len({(h.ins, h.outs) for h in group}) == 1:
        ins, outs = hop.ins, hop.outs
        where = f"in {_ports(ins)}, out {_ports(outs)}" if along else f"ports {_ports(ins)}"
    else:
        ports = {p for h in group for p in (*h.ins, *h.outs)}
        where = f"{len(ports)} ports in all" if len({h.device for h in group}) == 1 else f"{len(group)} pairs of ports"
    out = [paint(f"{hop.distance + 1:>2}  {devices} ({hop.nos})", "head") + f"  {where}" if along else
           paint(f"{devices} ({hop.nos})", "head") + f"  {where}"]  # fmt: skip
    out += [f"      {name:<10} {visible(value)}" for name, value in _rows(hop)]
    for w in hop.wrong:
        mark = paint("wrong     ", "error") if w.certain else paint("unknown   ", "warning")
        out.append(f"      {mark} {visible(w.what)}")
    out.append("")
    return out


def _ports(names: Sequence[str]) -> str:
    return visible(fold(names)) if names else "(an end of the way)"


def _rows(hop: Hop) -> list[tuple[str, str]]:
    reads = f"unknown: {hop.field.reason}" if isinstance(hop.field, Unknown) else _READS[hop.field]
    rows = [("reads", f"{reads} -> traffic class {_n(hop.tc)}")]
    if isinstance(hop.tc, Unknown):
        return rows
    lossless = {True: "lossless", False: "lossy"}.get(hop.lossless, "unknown") if isinstance(hop.lossless, bool) else "unknown"
    counts = f"priority group {_n(hop.group)}, {lossless}"
    if isinstance(hop.pause_sent_as, frozenset) and hop.pause_sent_as:
        counts += f"; pauses the sender with priority {_list(hop.pause_sent_as)}"
    rows.append(("counts in", counts))
    if hop.lossless is True:
        rows.append(("headroom", _headroom(hop)))
    waits = f"queue {_n(hop.queue)}{_served(hop.scheduler)}"
    if isinstance(hop.obeys, Unknown):
        waits += f"; which pause stops it is unknown: {hop.obeys.reason}"
    else:
        waits += f"; stopped by pause of priority {_list(hop.obeys)}" if hop.obeys else "; no pause stops it"
    rows.append(("waits in", waits))
    rows.append(("marks", _marks(hop)))
    rows.append(("leaves as", f"DSCP {hop.dscp_out}"))
    for t in hop.tunnels:
        outer = "not said" if t.outer_dscp is None else _n(t.outer_dscp)
        rows.append(("tunnel", f"{t.name}: outer DSCP {outer}, ECN {'not said' if t.ecn is None else _n(t.ecn)}"))
    return rows


def _headroom(hop: Hop) -> str:
    said = "none stated" if hop.headroom is None else str(hop.headroom)
    if hop.need is None:
        return f"{said}; what the link needs is unknown (speed)"
    strict = f", strict {hop.need.strict:,} B" if isinstance(hop.need.strict, int) else ""
    cable = "cable unknown, taken as 0 m" if hop.need.cable_m is None else f"{hop.need.cable_m} m"
    return f"{said}; needs at least {hop.need.floor:,} B{strict} ({cable})"


def _served(scheduler: Scheduler | Unknown | None) -> str:
    if scheduler is None:
        return ""
    if isinstance(scheduler, Unknown):
        return ", served in an unknown way"
    share = f" {scheduler.share}" if scheduler.share is not None else ""
    return f", {_n(scheduler.kind)}{share}"


def _marks(hop: Hop) -> str:
    if isinstance(hop.marks, Unknown):
        return f"unknown: {hop.marks.reason}"
    if not hop.marks or hop.curve is None:
        return "no"
    c = hop.curve
    return f"from {_n(c.kmin)} to {_n(c.kmax)}" + (f", up to {c.pmax}" if isinstance(c.pmax, Quantity) else "")


def _verdict(trace: Trace, text_of: TextOf, paint: Paint) -> list[str]:
    found = trace.first_wrong
    if found is None:
        if trace.cls is None or not trace.cls.lossless:
            return ["No lossless class has this DSCP, so there is nothing to be wrong: it may be dropped anywhere."]
        if trace.open:
            return [paint(f"Nothing is certainly wrong; {trace.open} things could not be known.", "warning")]
        return [paint("Lossless on every hop.", "good")]
    hop, wrong = found
    out = [paint("first wrong hop", "error") + f": {visible(hop.device)}: {visible(wrong.what)}"]
    if wrong.at is not None:
        out.append(f"  {visible(str(wrong.at))}")
        line = quoted(text_of(wrong.at))
        if line:
            out.append(f"    {line.strip()}")
    return out


def as_json(trace: Trace) -> dict[str, Any]:
    """The trace as plain data; unknown values are texts that begin with `unknown:`."""
    found = trace.first_wrong
    return {
        "version": "trace/1",
        "dscp": trace.dscp,
        "class": None if trace.cls is None else {
            "name": trace.cls.name, "lossless": trace.cls.lossless, "priority": plain(trace.cls.priority),
            "basis": str(trace.cls.basis), "said": trace.cls.said,
        },
        "from": trace.start,
        "to": trace.end,
        "paths": trace.paths,
        "hops": [_json_hop(h) for h in trace.hops],
        "first_wrong": None if found is None else {"device": found[0].device, **_json_wrong(found[1])},
        "lossless": None if trace.cls is None or not trace.cls.lossless else False if found else None if trace.open else True,
    }  # fmt: skip


def _json_hop(h: Hop) -> dict[str, Any]:
    return {
        "device": h.device, "nos": h.nos, "distance": h.distance, "ins": list(h.ins), "outs": list(h.outs),
        "peers": list(h.peers), "field": plain(h.field), "traffic_class": plain(h.tc), "group": plain(h.group),
        "lossless": plain(h.lossless), "pause_sent_as": plain(h.pause_sent_as), "headroom": plain(h.headroom),
        "need": plain(h.need), "queue": plain(h.queue), "scheduler": plain(h.scheduler), "marks": plain(h.marks),
        "ecn": plain(h.curve), "pauses_obeyed": plain(h.obeys), "dscp_in": h.dscp_in, "dscp_out": h.dscp_out,
        "tunnels": [plain(t) for t in h.tunnels], "wrong": [_json_wrong(w) for w in h.wrong],
    }  # fmt: skip


def _json_wrong(w: Wrong) -> dict[str, Any]:
    at = None if w.at is None else {"file": w.at.file, "line": w.at.line}
    return {"what": w.what, "certain": w.certain, "location": at}


def _list(values: frozenset[int]) -> str:
    return ", ".join(map(str, sorted(values)))


def _n(value: object) -> str:
    return f"unknown ({value.reason})" if isinstance(value, Unknown) else str(value)
