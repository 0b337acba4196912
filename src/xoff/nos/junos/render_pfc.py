"""Junos: the congestion-notification-profile of a port."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from xoff.errors import CannotExpress
from xoff.model.qos import HeaderField, MatchKind, PfcMode, PortQos, Watchdog, WatchdogAction
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Port, SwitchModel
from xoff.nos.junos.family import Family

if TYPE_CHECKING:
    from xoff.nos.registry import Nos

_ACTIONS = {WatchdogAction.DROP: "drop", WatchdogAction.FORWARD: "forward"}
_MS = {Unit.SECONDS: Fraction(1000), Unit.MILLISECONDS: Fraction(1), Unit.MICROSECONDS: Fraction(1, 1000)}


@dataclass(frozen=True, slots=True)
class Watched:
    """Watchdog times as Junos prints them: ms, polling intervals, ms. None: not said."""

    poll: int | None
    detect: int | None
    restore: int | None
    action: str | None


@dataclass(frozen=True, slots=True)
class Profile:
    """`type` and `codes`: the input code points in bits; `output`: (code point in bits, queue); `xon` in cells."""

    cable: int | None
    type: str
    codes: tuple[str, ...]
    mru: int | None
    xon: int | None
    output: tuple[tuple[str, int], ...]
    watchdog: Watched | None


def default_obey(nos: Nos, family: Family) -> dict[int, frozenset[int]]:
    """What a port obeys without an output stanza; empty where that is not known."""
    entry = nos.default("pfc.obey", family="qfx") if family.qfx else None
    return {p: frozenset({q}) for p, q in entry.value} if entry is not None else {}


def profile(p: Port, model: SwitchModel, unasked: dict[int, frozenset[int]]) -> Profile | None:
    """The profile of a port; None where it pauses nobody and obeys what it obeys anyway."""
    q = p.qos
    if q.pfc.asymmetric is True:
        raise CannotExpress(f"{p.name}: asymmetric PFC has no line in Junos")
    if not q.pfc.send and (q.pfc.mode is PfcMode.OFF or dict(q.pfc.obey) == unasked):
        return None
    if p.cable_m is not None and not isinstance(p.cable_m, int):
        raise CannotExpress(f"{p.name}: cable length is {p.cable_m}")
    type_, codes = _input(p)
    return Profile(
        p.cable_m,
        type_,
        codes,
        model.lossless_mtu if codes and isinstance(model.lossless_mtu, int) else None,
        _xon(p),
        tuple((format(n, "03b"), queue) for n, queues in sorted(q.pfc.obey.items()) for queue in sorted(queues)),
        _watched(q.watchdog, q, p.name),
    )


def _input(p: Port) -> tuple[str, tuple[str, ...]]:
    """Code points whose frames count against a group that pauses."""
    q = p.qos
    if q.classify.untagged_ip is HeaderField.DSCP:
        found = {
            v
            for m in q.classify.matches
            if m.kind is MatchKind.DSCP and isinstance(m.tc, int) and q.pfc.send.get(_group(q, m.tc))
            for v in m.values
        }
        if q.pfc.send and not found:
            raise CannotExpress(
                f"{p.name}: no DSCP reaches the groups that pause ({sorted(q.pfc.send)}); Junos pauses by code point"
            )
        return "dscp", tuple(format(v, "06b") for v in sorted(found))
    return "ieee-802.1", tuple(format(n, "03b") for sent in q.pfc.send.values() for n in sorted(sent))


def _group(q: PortQos, tc: int) -> int:
    found = q.tc_to_group.get(tc)
    return found if isinstance(found, int) else -1


def _xon(p: Port) -> int | None:
    """Cells of the resume offset, where it is not the switch's own."""
    found = {g.xon_offset for g in p.qos.groups.values() if g.id in p.qos.pfc.send}
    if len(found) != 1:
        return None
    said = found.pop()
    if not isinstance(said, Quantity) or said.unit is not Unit.CELLS or said.amount == 20 or said.amount.denominator != 1:
        return None
    return int(said.amount)


def _watched(w: Watchdog, q: PortQos, what: str) -> Watched | None:
    if isinstance(w.enabled, Unknown):
        raise CannotExpress(f"{what}: whether the watchdog runs is {w.enabled}")
    if not w.enabled:
        return None
    if w.priorities != frozenset(q.pfc.obey):
        raise CannotExpress(f"{what}: Junos watches every priority that the port obeys ({sorted(q.pfc.obey)})")
    if w.action is not None and (isinstance(w.action, Unknown) or w.action not in _ACTIONS):
        raise CannotExpress(f"{what}: watchdog action {w.action} has no word in Junos (drop, forward)")
    poll = _ms(w.poll, f"{what}: watchdog polling")
    detect = _ms(w.detect, f"{what}: watchdog detection")
    if detect is not None and (poll is None or detect % poll):
        raise CannotExpress(f"{what}: detection of {detect} ms is no whole number of polling intervals ({poll} ms)")
    return Watched(
        poll,
        detect // poll if detect is not None and poll else None,
        _ms(w.restore, f"{what}: watchdog restoration"),
        _ACTIONS[w.action] if isinstance(w.action, WatchdogAction) else None,
    )


def _ms(q: Quantity | Unknown | None, what: str) -> int | None:
    if q is None:
        return None
    if isinstance(q, Unknown) or q.unit not in _MS:
        raise CannotExpress(f"{what}: {q} is no time that Junos can be told")
    value = q.amount * _MS[q.unit]
    if value < 1 or value.denominator != 1:
        raise CannotExpress(f"{what}: {q} cannot be said; Junos takes whole milliseconds")
    return int(value)
