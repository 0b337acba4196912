"""What is wrong with a packet of a lossless class at one hop, each with the line to blame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xoff.model.fabric import ClassInForce
from xoff.model.origin import FileLine
from xoff.model.path import protected_groups
from xoff.model.qos import HeaderField
from xoff.model.quantity import Context, Quantity, Unknown
from xoff.model.switch import Port, SwitchModel
from xoff.trace.result import Hop, Wrong


def judge(
    hop: Hop,
    model: SwitchModel,
    inward: Port,
    outward: Port,
    cls: ClassInForce | None,
    decided: str,
    stopped_by: frozenset[int] | Unknown | None,
) -> Iterator[Wrong]:
    """Wrongs in the order in which the packet meets them. Only for a DSCP of a lossless class; others are merely shown.

    decided: field path of the line that gave the traffic class. stopped_by: priorities that stop the sender before this hop.
    """
    if cls is None or not cls.lossless:
        return
    if cls.dscp and hop.field is not HeaderField.DSCP:
        known = not isinstance(hop.field, Unknown)
        what = f"the port reads {hop.field}, not the DSCP" if known else f"what the port reads cannot be known: {hop.field}"
        yield Wrong(what, _place(inward, "classify.trust"), known)
        if known:
            return
    yield from _ingress(hop, model, inward, decided, stopped_by)
    yield from _egress(hop, outward, cls)


def _ingress(
    hop: Hop, model: SwitchModel, port: Port, decided: str, stopped_by: frozenset[int] | Unknown | None
) -> Iterator[Wrong]:
    if isinstance(hop.lossless, Unknown):
        yield Wrong(f"whether group {_n(hop.group)} is lossless cannot be known: {hop.lossless.reason}", port.at, False)
        return
    if not hop.lossless:
        if model.pfc_off is True:
            yield Wrong("PFC is off on the whole switch", port.place(model.origins.of("pfc_off")))
        else:
            what = f"it counts in priority group {_n(hop.group)}, which sends no pause"
            # Where no group of the port pauses, the port is to blame; else the line that brought the packet to this one.
            blamed = (decided, f"tc_to_group.{hop.tc}") if protected_groups(port.qos) else ("pfc.mode",)
            yield Wrong(what, _place(port, *blamed))
        return
    # An empty set means that nothing stops the queue before it, which is that hop's fault and said there.
    if (
        isinstance(hop.pause_sent_as, frozenset)
        and isinstance(stopped_by, frozenset)
        and stopped_by
        and not hop.pause_sent_as & stopped_by
    ):
        sent = ", ".join(map(str, sorted(hop.pause_sent_as)))
        obeyed = ", ".join(map(str, sorted(stopped_by)))
        what = f"it pauses with priority {sent}, but the queue before it is stopped by priority {obeyed}"
        yield Wrong(what, _place(port, f"pfc.send.{hop.group}", "pfc.mode"))
    yield from _headroom(hop, model, port)


def _headroom(hop: Hop, model: SwitchModel, port: Port) -> Iterator[Wrong]:
    group = port.qos.groups.get(hop.group) if isinstance(hop.group, int) else None
    where = _place(port, f"group.{hop.group}.headroom", f"group.{hop.group}.profile", f"pfc.no_drop.{hop.group}")
    if isinstance(hop.headroom, Quantity):
        size = hop.headroom.bytes(Context(kilo=model.kilo, cell=_cell(model)))
        if isinstance(size, Unknown):
            yield Wrong(f"its headroom of {hop.headroom} is no known number of bytes: {size.reason}", where, False)
        elif hop.need is None:
            yield Wrong("what headroom the link needs cannot be known: its speed is not", where, False)
        elif size < hop.need.floor:
            yield Wrong(f"its headroom of {size:,} B is below the {hop.need.floor:,} B that no chip can do without", where)
    elif group is not None and group.headroom_by_device:
        yield Wrong("the switch computes its headroom by itself, so no number stands here", where, False)
    elif isinstance(hop.headroom, Unknown):
        yield Wrong(f"its headroom cannot be known: {hop.headroom.reason}", where, False)
    else:
        yield Wrong("no headroom is stated for its group", where, False)


def _egress(hop: Hop, port: Port, cls: ClassInForce) -> Iterator[Wrong]:
    if isinstance(hop.obeys, Unknown):
        yield Wrong(f"which pause stops its queue cannot be known: {hop.obeys.reason}", port.at, False)
    elif not hop.obeys:
        what = f"no pause stops queue {_n(hop.queue)}, so the next switch cannot hold it back"
        yield Wrong(what, _place(port, f"pfc.obey.{hop.queue}", "pfc.mode", f"tc_to_queue.{hop.tc}"))
    if cls.ecn is True and hop.marks is False:
        yield Wrong(f"queue {_n(hop.queue)} does not mark", _place(port, f"queue.unicast.{hop.queue}"))
    if hop.dscp_out != hop.dscp_in and hop.dscp_out not in cls.dscp:
        what = f"it leaves as DSCP {hop.dscp_out}, which is not of class {cls.name}"
        yield Wrong(what, _place(port, f"rewrite.dscp.{hop.tc}"))


def _cell(model: SwitchModel) -> int | None:
    from xoff.platforms import find

    platform = find(model.asic) if isinstance(model.asic, str) else None
    cell = platform.asic.cell.value if platform else None
    return cell if isinstance(cell, int) else None


def _place(port: Port, *paths: str) -> FileLine | None:
    for path in paths:
        origin = port.origins.of(path)
        if origin is not None:
            return port.place(origin)
    return port.at


def _n(value: Any) -> str:
    return "?" if isinstance(value, Unknown) else str(value)
