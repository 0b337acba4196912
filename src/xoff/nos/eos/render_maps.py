"""EOS: the maps that stand once for the whole switch (`qos map …`). Ports that want different ones are refused by name."""

from __future__ import annotations

from collections import defaultdict

from xoff.errors import CannotExpress
from xoff.model.qos import Colour, HeaderField, MatchKind
from xoff.model.quantity import Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Architecture, Port, SwitchModel


@dataclass(frozen=True, slots=True)
class MapLine:
    """`values` (space-separated) go to `target`."""

    values: str
    target: int


def one_per_body(ports: list[Port]) -> list[Port]:
    """The first port of each body: equal ports share one, and what they say need be looked at once."""
    seen: dict[int, Port] = {}
    for p in ports:
        seen.setdefault(id(p.qos), p)
    return list(seen.values())


def _switch_wide(ports: list[Port], what: str, of: dict[str, dict[int, int]]) -> dict[int, int]:
    """The one map that all ports share. EOS keeps these maps once for the switch."""
    first = ports[0].name if ports else ""
    for name, values in of.items():
        if values != of[first]:
            key = next(k for k in sorted(set(values) | set(of[first])) if values.get(k) != of[first].get(k))
            raise CannotExpress(
                f"{name}: {what} {key} goes to {values.get(key)}, on {first} to {of[first].get(key)}; "
                "EOS has one such map for the whole switch"
            )
    return of[first] if ports else {}


def classification(ports: list[Port], kind: MatchKind, what: str) -> list[MapLine]:
    """DSCP or CoS -> traffic class. `what` names the field in errors."""
    of: dict[str, dict[int, int]] = {}
    for p in ports:
        values: dict[int, int] = {}
        for m in p.qos.classify.matches:
            if m.kind in (MatchKind.OPAQUE, MatchKind.DEFAULT):
                raise CannotExpress(f"{p.name}: a classification step of kind {m.kind} is not rendered in EOS")
            if isinstance(m.tc, Unknown) or m.colour is not Colour.GREEN:
                raise CannotExpress(
                    f"{p.name}: {what} {sorted(m.values)}: traffic class {m.tc}, colour {m.colour} is not rendered in EOS"
                )
            if m.kind is kind:
                for v in m.values:
                    values.setdefault(v, m.tc)
        of[p.name] = values
    return _lines(_switch_wide(ports, what, of))


def cos_map(ports: list[Port], default: dict[int, int]) -> list[MapLine]:
    """The CoS map, where a port reads it or it is not EOS's own: other ports of the switch may trust CoS, so it is not touched
    without need."""
    lines = classification(ports, MatchKind.PCP, "CoS")
    read = any(HeaderField.PCP in (p.qos.classify.tagged_ip, p.qos.classify.non_ip) for p in ports)
    return lines if read or lines != _lines(default) else []


def _lines(values: dict[int, int]) -> list[MapLine]:
    """One line per target, its values in order."""
    by: dict[int, list[int]] = defaultdict(list)
    for v in sorted(values):
        by[values[v]].append(v)
    return [MapLine(" ".join(map(str, by[t])), t) for t in sorted(by)]


def queue_map(model: SwitchModel, ports: list[Port]) -> list[MapLine]:
    """Traffic class -> queue. Groups have no map of their own: in EOS the group is the traffic class."""
    of: dict[str, dict[int, int]] = {}
    for p in ports:
        of[p.name] = {}
        for tc, queue in p.qos.tc_to_queue.items():
            if isinstance(queue, Unknown):
                raise CannotExpress(f"{p.name}: queue of traffic class {tc} is {queue}")
            of[p.name][tc] = queue
        for tc, group in p.qos.tc_to_group.items():
            if group != tc:
                raise CannotExpress(f"{p.name}: traffic class {tc} goes to group {group}; in EOS they are one number")
    lines = sorted(_switch_wide(ports, "traffic class", of).items())
    # VOQ switches keep traffic class 7 on queue 7 for control traffic and let nobody map it (EOS manual, by the 4.36 guide).
    fixed = {(7, 7)} if model.architecture is Architecture.VOQ else set()
    return [MapLine(str(tc), queue) for tc, queue in lines if (tc, queue) not in fixed]


def rewrite(ports: list[Port]) -> list[MapLine]:
    """Egress rewrite: traffic class -> DSCP."""
    of = {p.name: dict(p.qos.rewrite_dscp) for p in ports}
    return [MapLine(str(tc), dscp) for tc, dscp in sorted(_switch_wide(ports, "rewrite of traffic class", of).items())]
