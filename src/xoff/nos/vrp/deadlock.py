"""VRP: deadlock detection of a port, and whether PFC stays off once it has found too many.

Detection is in hardware and always on where PFC is. A deadlock takes a detection time, and what follows a recovery time, so
there are at most 20 s / (both) of them in the window of 20 s that is counted: a threshold above that is never reached.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from xoff.model.origin import Line, Origin
from xoff.model.qos import Pfc, PfcMode, Watchdog, WatchdogAction
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.nos.registry import Nos
from xoff.nos.settings import Settings
from xoff.nos.vrp.family import Family, Found
from xoff.nos.vrp.globals import DEFAULT, Globals, PfcProfile

#: Milliseconds in which deadlocks are counted (MANUAL Configuring PFC Deadlock Detection).
WINDOW_MS = 20_000
V200 = Unknown("how V200 models count time and deadlocks is in no source but one", Fact.DEFAULT)
_ACTIONS = {"discard": WatchdogAction.DROP, "forwarding": WatchdogAction.FORWARD}


def watchdog(
    nos: Nos, shared: Globals, family: Found, said: Settings, pfc: Pfc, slot: str | None, origins: dict[str, Origin]
) -> Watchdog:
    """The deadlock detection of one port."""
    if pfc.mode is PfcMode.OFF or (not pfc.no_drop and not isinstance(pfc.mode, Unknown)):
        return Watchdog(available=True, enabled=False)
    entry = nos.default("watchdog.enabled")
    if entry is not None:
        origins["watchdog.enabled"] = origins["watchdog.priorities"] = entry.origin("it is on wherever PFC is")
    if isinstance(pfc.mode, Unknown) and not pfc.no_drop:
        why = pfc.mode  # whose times are meant is not known either
        return Watchdog(True, True, why, why, why, action=_action(nos, shared, family, slot, origins), latch=why)
    profile = shared.pfc.get(said.value("pfc.profile", DEFAULT))
    times = {what: _time(nos, shared, family, profile, pfc.no_drop, what, origins) for what in ("detect", "restore")}
    latch = _latch(nos, family, said, profile, pfc.no_drop, times, origins)
    return Watchdog(
        available=True,
        enabled=True,
        priorities=pfc.mode if isinstance(pfc.mode, Unknown) else pfc.no_drop,
        detect=times["detect"],
        restore=times["restore"],
        action=_action(nos, shared, family, slot, origins),
        latch=latch,
    )


def _unknown(family: Found) -> Unknown:
    return family.family if isinstance(family.family, Unknown) else V200


def _time(
    nos: Nos,
    shared: Globals,
    family: Found,
    profile: PfcProfile | None,
    no_drop: frozenset[int],
    what: str,
    origins: dict[str, Origin],
) -> Quantity | Unknown:
    """Detection or recovery time of the port: the product of count and precision (A), or the switch's timer (B)."""
    path = f"watchdog.{what}"
    known = family.known
    entry = nos.default(path, family=known.value if known else None)
    if known is Family.B:
        found, where = shared.settings.value(path), shared.settings.origin(path)
        if found is None or where is None:
            if entry is None:
                return V200
            found, where = Quantity(Fraction(entry.value), Unit.MILLISECONDS), entry.origin("no timer is set")
        origins[path] = where
        return found  # type: ignore[no-any-return]
    if known is not Family.A or entry is None:
        _place(profile, no_drop, what, path, origins)
        return _unknown(family)
    counts: set[int] = set()
    for p in sorted(no_drop):
        said = profile.times.get((p, what)) if profile is not None else None
        counts.add(said.value if said is not None else entry.value)
        if said is not None or path not in origins:
            origins[path] = said.origin if said is not None else entry.origin("no time is set for the priority")
    if len(counts) > 1:
        return Unknown("the priorities of the port have different deadlock times")
    step = nos.default("watchdog.precision", family=known.value)
    precision = shared.settings.value("watchdog.precision", step.value if step else 0)
    return Quantity(Fraction(counts.pop() * precision), Unit.MILLISECONDS)


def _place(profile: PfcProfile | None, no_drop: frozenset[int], what: str, path: str, origins: dict[str, Origin]) -> None:
    for p in sorted(no_drop):
        said = profile.times.get((p, what)) if profile is not None else None
        if said is not None:
            origins[path] = said.origin


def _action(nos: Nos, shared: Globals, family: Found, slot: str | None, origins: dict[str, Origin]) -> WatchdogAction | Unknown:
    said = shared.behaviour.get(slot or "")
    if said is not None:
        origins["watchdog.action"] = said.origin
        return _ACTIONS[said.value]
    known = family.known
    entry = nos.default("watchdog.action", family=known.value if known else None)
    if entry is None:
        return _unknown(family)
    origins["watchdog.action"] = entry.origin("no `dcb pfc deadlock recovery-behavior`")
    return WatchdogAction(entry.value)


def _latch(
    nos: Nos,
    family: Found,
    said: Settings,
    profile: PfcProfile | None,
    no_drop: frozenset[int],
    times: dict[str, Quantity | Unknown],
    origins: dict[str, Origin],
) -> bool | Unknown:
    """Whether PFC goes off, or the port down, for good after so many deadlocks as can happen."""
    trigger = said.origin("trigger")
    if said.value("trigger") == "error-down" and trigger is not None:
        origins["watchdog.latch"] = trigger
        return True
    known = family.known
    entry = nos.default("watchdog.turn_off", family=known.value if known else None)
    if entry is None:
        return _unknown(family)
    cycle = _cycle(times)
    if isinstance(cycle, Unknown):
        return cycle
    latches: Any = False
    for p in sorted(no_drop):
        found = profile.turn_off.get(p) if profile is not None else None
        threshold = found.value if found is not None else entry.value
        where: Line | Origin = (
            found.origin
            if found is not None
            else entry.origin(f"PFC goes off after {threshold} deadlocks in 20 s and stays off")
        )
        if Fraction(WINDOW_MS) / cycle >= threshold:
            origins["watchdog.latch"] = where
            latches = True
        else:
            origins.setdefault("watchdog.latch", where)
    return bool(latches)


def _cycle(times: dict[str, Quantity | Unknown]) -> Fraction | Unknown:
    """Milliseconds from one deadlock to the next at least."""
    total = Fraction(0)
    for found in times.values():
        if isinstance(found, Unknown):
            return found
        total += found.amount
    return total if total else Unknown("no deadlock time is known")
