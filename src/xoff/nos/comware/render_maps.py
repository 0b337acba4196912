"""Comware: the priority maps, which stand once for the switch. Ports that want different ones are refused by name."""

from __future__ import annotations

from xoff.errors import CannotExpress
from xoff.model.qos import Colour, MatchKind
from xoff.model.quantity import Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Port


@dataclass(frozen=True, slots=True)
class MapLine:
    value: int
    target: int


def lines(of: dict[int, int]) -> list[MapLine]:
    """One line per value, all of them: what a device has from before must not be left standing."""
    return [MapLine(v, of[v]) for v in sorted(of)]


def one_per_body(ports: list[Port]) -> list[Port]:
    """The first port of each body: equal ports share one, and what they say need be looked at once."""
    seen: dict[int, Port] = {}
    for p in ports:
        seen.setdefault(id(p.qos), p)
    return list(seen.values())


def dscp_map(ports: list[Port]) -> dict[int, int]:
    """DSCP -> 802.1p priority."""
    of: dict[str, dict[int, int]] = {}
    for p in ports:
        values: dict[int, int] = {}
        for m in p.qos.classify.matches:
            if m.kind in (MatchKind.OPAQUE, MatchKind.DEFAULT):
                raise CannotExpress(f"{p.name}: a classification step of kind {m.kind} is not rendered in Comware")
            if isinstance(m.tc, Unknown) or m.colour is not Colour.GREEN:
                raise CannotExpress(
                    f"{p.name}: {m.kind} {sorted(m.values)}: traffic class {m.tc}, colour {m.colour} is not rendered in Comware"
                )
            if m.kind is MatchKind.DSCP:
                for v in m.values:
                    values.setdefault(v, m.tc)
            elif any(v != m.tc for v in m.values):
                raise CannotExpress(
                    f"{p.name}: 802.1p {sorted(m.values)} to traffic class {m.tc}: in Comware the traffic class is the 802.1p "
                    "priority"
                )
        of[p.name] = values
    return _switch_wide(of, "DSCP")


def queue_map(ports: list[Port]) -> dict[int, int]:
    """802.1p priority -> local precedence. The group is the priority."""
    of: dict[str, dict[int, int]] = {}
    for p in ports:
        of[p.name] = {}
        for tc, queue in p.qos.tc_to_queue.items():
            if isinstance(queue, Unknown):
                raise CannotExpress(f"{p.name}: queue of traffic class {tc} is {queue}")
            of[p.name][tc] = queue
        for tc, group in p.qos.tc_to_group.items():
            if group != tc:
                raise CannotExpress(f"{p.name}: traffic class {tc} goes to group {group}; in Comware they are one number")
    return _switch_wide(of, "traffic class")


def _switch_wide(of: dict[str, dict[int, int]], what: str) -> dict[int, int]:
    first = next(iter(of), "")
    for name, values in of.items():
        if values != of[first]:
            key = next(k for k in sorted(set(values) | set(of[first])) if values.get(k) != of[first].get(k))
            raise CannotExpress(
                f"{name}: {what} {key} goes to {values.get(key)}, on {first} to {of[first].get(key)}; "
                "Comware has one such map for the whole switch"
            )
    return of.get(first, {})
