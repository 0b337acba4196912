"""Shortest ways between two places of a fabric: the hops of all of them, in order of distance. No routing policy is applied.

A place is `host`, `host:nic`, `device` or `device:port`. Of links that are parallel all are used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from xoff.errors import UsageError
from xoff.model.fabric import End, Link
from xoff.model.record import dataclass

Passage: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Crossing:
    """One switch on the way: where the packet may come in and where it may leave. None: at an end of the way, not known.

    `distance`: switches before this one.
    """

    device: str
    distance: int
    ins: tuple[str | None, ...]
    outs: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Route:
    """All shortest ways between two places. `paths`: how many there are, counted port by port."""

    crossings: tuple[Crossing, ...]
    paths: int


def route(links: Sequence[Link], devices: Iterable[str], start: str, end: str) -> Route:
    """The shortest ways from `start` to `end`. Raises UsageError for a place nobody knows, or places that are not joined."""
    known = frozenset(devices)
    starts, ends = _doors(links, known, start), _doors(links, known, end)
    near: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for link in links:
        if link.a.device in known and link.b.device in known:
            for x, y in ((link.a, link.b), (link.b, link.a)):
                near.setdefault(x.device, {}).setdefault(y.device, []).append((x.port, y.port))
    away = _distances(near, {d for d, _ in ends})
    reach = [d for d, _ in starts if d in away]
    if not reach:
        raise UsageError(f"no way from {start} to {end} over the links known; --intent or a cabling file gives links")
    least = min(away[d] for d in reach)
    first = {d for d in reach if away[d] == least}
    return _walk(near, away, first, starts, ends, least)


def _walk(
    near: Mapping[str, Mapping[str, list[tuple[str, str]]]],
    away: Mapping[str, int],
    first: set[str],
    starts: Sequence[tuple[str, str | None]],
    ends: Sequence[tuple[str, str | None]],
    least: int,
) -> Route:
    """Layer by layer towards the end, keeping the ports by which each switch is entered and left."""
    ins: dict[str, dict[str | None, int]] = {d: {p: 1 for dev, p in starts if dev == d} for d in sorted(first)}
    crossings: list[Crossing] = []
    paths = 0
    layer = sorted(first)
    for distance in range(least + 1):
        following: dict[str, dict[str | None, int]] = {}
        for device in layer:
            ways = sum(ins[device].values())
            outs: dict[str | None, None] = {}
            if away[device] == 0:
                outs = {p: None for dev, p in ends if dev == device}
                paths += ways * len(outs)
            else:
                for other, pairs in near[device].items():
                    if away.get(other) == away[device] - 1:
                        for own, far in pairs:
                            outs[own] = None
                            entered = following.setdefault(other, {})
                            entered[far] = entered.get(far, 0) + ways
            crossings.append(Crossing(device, distance, tuple(ins[device]), tuple(outs)))
        ins, layer = following, sorted(following)
    return Route(tuple(crossings), paths)


def _distances(near: Mapping[str, Mapping[str, object]], goals: Iterable[str]) -> dict[str, int]:
    out = dict.fromkeys(goals, 0)
    layer = list(out)
    while layer:
        following = [n for d in layer for n in near.get(d, ()) if n not in out]
        for n in following:
            out.setdefault(n, out[next(d for d in layer if n in near.get(d, ()))] + 1)
        layer = list(dict.fromkeys(following))
    return out


def _doors(links: Sequence[Link], devices: frozenset[str], place: str) -> list[tuple[str, str | None]]:
    """The switches (and ports) at which a place is attached."""
    name, _, port = place.partition(":")
    if name in devices:
        return [(name, port or None)]
    found: list[tuple[str, str | None]] = []
    nics: dict[str, list[tuple[str, str | None]]] = {}
    for link in links:
        for own, far in ((link.a, link.b), (link.b, link.a)):
            if far.device == name and own.device in devices:
                nics.setdefault(far.port, []).append((own.device, own.port))
    if port:
        found = nics.get(port, [])
        if nics and not found:
            raise UsageError(f"{name} has no NIC {port}; it has {', '.join(sorted(nics))}")
    elif nics:
        found = nics[min(nics)]
    if not found:
        raise UsageError(f"{place}: no such host or switch on the links known{_near(place, links, devices)}")
    return found


def _near(place: str, links: Sequence[Link], devices: frozenset[str]) -> str:
    import difflib

    names = {e.device for k in links for e in (k.a, k.b)} | devices
    close = difflib.get_close_matches(place.partition(":")[0], sorted(names), 1)
    return f"; did you mean {close[0]}?" if close else ""


def far_end(links: Sequence[Link], device: str, port: str | None) -> End | None:
    """What is at the other end of a port."""
    for link in links:
        if (link.a.device, link.a.port) == (device, port):
            return link.b
        if (link.b.device, link.b.port) == (device, port):
            return link.a
    return None
