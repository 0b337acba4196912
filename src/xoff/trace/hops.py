"""What each switch on the way does to the packet.

Ingress decides field, traffic class, group and pause; egress decides queue, marking, which pause stops it, and the DSCP that
leaves. Unknown is shown with its reason and never counts as right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from xoff.model.fabric import ClassInForce, Link
from xoff.model.path import classify, path_of_tc, queue_marks, unicast_queue
from xoff.model.quantity import Unknown
from xoff.model.switch import Port, SwitchModel
from xoff.trace.need import need_of
from xoff.trace.result import Hop, Trace, TunnelView, Wrong
from xoff.trace.route import Crossing, Route, far_end
from xoff.trace.verdict import judge


def follow(
    devices: Mapping[str, SwitchModel],
    links: Sequence[Link],
    classes: Sequence[ClassInForce],
    dscp: int,
    way: Route | None = None,
    start: str | None = None,
    end: str | None = None,
) -> Trace:
    """Follow one DSCP along a route, or through every switch by itself where there is none.

    classes: those in force; the packet belongs to the one that has the DSCP. dscp: 0-63, as the sender marks it.
    """
    crossings = way.crossings if way is not None else _everywhere(devices)
    cls = next((c for c in classes if dscp in c.dscp), None)
    hops: list[Hop] = []
    arriving: dict[tuple[str, str], int] = {}
    stopped_by: dict[tuple[str, str], frozenset[int] | Unknown] = {}
    for crossing in crossings:
        for hop in _hops(devices[crossing.device], crossing, links, cls, dscp, arriving, stopped_by, way is not None):
            hops.append(hop)
            for port in hop.outs:
                far = far_end(links, hop.device, port)
                if far is not None:
                    arriving[far.device, far.port] = hop.dscp_out
                    stopped_by[far.device, far.port] = hop.obeys
    return Trace(dscp, cls, start, end, way.paths if way is not None else 0, tuple(hops))


def _everywhere(devices: Mapping[str, SwitchModel]) -> tuple[Crossing, ...]:
    """Each switch, packets in and out by each of its bodies in use."""
    out = []
    for name, model in devices.items():
        seen: dict[int, list[str | None]] = {}
        for port in model.ports.values():
            if port.carrying_kind and port.admin is not False:
                seen.setdefault(id(port.qos), []).append(port.name)
        out += [Crossing(name, 0, tuple(ports), tuple(ports)) for ports in seen.values()]
    return tuple(out)


def _hops(
    model: SwitchModel,
    crossing: Crossing,
    links: Sequence[Link],
    cls: ClassInForce | None,
    dscp: int,
    arriving: Mapping[tuple[str, str], int],
    stopped_by: Mapping[tuple[str, str], frozenset[int] | Unknown],
    along: bool,
) -> Iterable[Hop]:
    """One hop per distinguishable pair of ports; without a route every body only with itself."""
    ins = _alike(model, crossing.ins, lambda p: (arriving.get((model.hostname, p), dscp), stopped_by.get((model.hostname, p))))
    outs = _alike(model, crossing.outs, lambda p: None)
    for came, entry in ins:
        for left, leave in outs:
            if not along and entry is not leave:
                continue
            value = arriving.get((model.hostname, came[0]), dscp) if came else dscp
            before = stopped_by.get((model.hostname, came[0])) if came else None
            peers = tuple(dict.fromkeys(f.device for p in came if (f := far_end(links, model.hostname, p)) is not None))
            hop = _hop(model, entry, leave, came, left, peers, crossing.distance, cls, value, before)
            if hop is not None:
                yield hop


def _alike(
    model: SwitchModel, names: Sequence[str | None], more: Callable[[str], object]
) -> list[tuple[tuple[str, ...], Port | None]]:
    """Ports grouped by body, cable and speed; a way that begins or ends here has one group without ports."""
    found: dict[object, tuple[list[str], Port | None]] = {}
    for name in names or (None,):
        port = model.ports.get(name) if name is not None else None
        if port is None:
            found.setdefault(name, ([] if name is None else [name], None))
            continue
        key = (id(port.qos), port.speed, port.cable_m, more(port.name))
        found.setdefault(key, ([], port))[0].append(port.name)
    return [(tuple(ports), port) for ports, port in found.values()]


def _hop(
    model: SwitchModel,
    entry: Port | None,
    leave: Port | None,
    came: tuple[str, ...],
    left: tuple[str, ...],
    peers: tuple[str, ...],
    distance: int,
    cls: ClassInForce | None,
    dscp: int,
    stopped_by: frozenset[int] | Unknown | None,
) -> Hop | None:
    inward, outward = entry or leave, leave or entry
    if inward is None or outward is None:
        return None  # a port that the configuration does not have: the way is known from elsewhere
    untagged = inward.routed is not False
    tc, colour, field, decided = classify(inward.qos.classify, dscp, _priority(cls), not untagged)
    if inward.qos.unread is not None:
        tc = inward.qos.unread
    wrong: list[Wrong] = []
    if isinstance(tc, Unknown):
        wrong.append(Wrong(f"its traffic class cannot be known: {tc.reason}", inward.place(inward.origins.of(decided)), False))
        return Hop(
            model.hostname, model.nos, distance, came, left, peers, field, tc, tc, tc, tc, None, None, tc, None, tc, None, tc,
            dscp, dscp, (), tuple(wrong),
        )  # fmt: skip
    off = model.pfc_off
    arrived = path_of_tc(inward.qos, tc, colour, field, decided)
    leaving = path_of_tc(outward.qos, tc, colour, field, decided)
    lossless = _and_not(arrived.protected, off)
    sent = _none_if(arrived.pause_sent_as, off)
    obeys = _none_if(leaving.obeys, off)
    group = inward.qos.groups.get(arrived.group) if isinstance(arrived.group, int) else None
    headroom = group.headroom if group is not None else None
    need = need_of(model, inward) if lossless is True else None
    queue = unicast_queue(outward.qos, leaving.queue) if isinstance(leaving.queue, int) else None
    curve = (queue.curves.get(colour) or next(iter(queue.curves.values()), None)) if queue is not None else None
    out = outward.qos.rewrite_dscp.get(tc, dscp)
    hop = Hop(
        model.hostname, model.nos, distance, came, left, peers, field, tc, arrived.group, lossless, sent, headroom, need,
        leaving.queue, queue.scheduler if queue is not None else None, queue_marks(queue, colour), curve, obeys, dscp, out,
        tuple(_tunnel(model, t.name, dscp) for t in model.tunnels), (),
    )  # fmt: skip
    return replace(hop, wrong=tuple(judge(hop, model, inward, outward, cls, decided, stopped_by)))


def _priority(cls: ClassInForce | None) -> int:
    return cls.priority if cls is not None and isinstance(cls.priority, int) else 0


def _and_not(value: bool | Unknown, off: bool | Unknown) -> bool | Unknown:
    return False if off is True else off if isinstance(off, Unknown) and value is not False else value


def _none_if(value: frozenset[int] | Unknown, off: bool | Unknown) -> frozenset[int] | Unknown:
    return frozenset() if off is True else value


def _tunnel(model: SwitchModel, name: str, dscp: int) -> TunnelView:
    tunnel = next(t for t in model.tunnels if t.name == name)
    mode = tunnel.encap_dscp_mode
    outer: int | Unknown | None = dscp if mode == "uniform" else mode if isinstance(mode, Unknown) else None
    return TunnelView(name, outer, tunnel.encap_ecn)
