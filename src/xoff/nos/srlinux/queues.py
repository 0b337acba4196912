"""SR Linux: the queues of a port: limits, marking ramps, schedulers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Origin
from xoff.model.qos import Colour, Curve, Queue, QueueId, QueueKind, Scheduler, SchedulerKind, Static
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.nos.registry import Nos
from xoff.nos.srlinux import words
from xoff.nos.srlinux.bound import Bound
from xoff.nos.srlinux.objects import BAD, Objects

ALL = range(8)
FRAGMENT = Unknown("the file is a part of a configuration; the statement that turns it on may stand elsewhere", Fact.CONFIG)
NO_PMAX = Unknown("max-drop-probability-percent where none is said is not sourced", Fact.DEFAULT)
OWN_LIMIT = Unknown("maximum-burst-size 0 leaves the limit to the chip")


class QueueBuilder:
    """Builds the queues of a port. `whole`: the input is a whole configuration, so what is absent is missing."""

    def __init__(self, nos: Nos, objects: Objects, whole: bool) -> None:
        self.nos, self.objects, self.whole = nos, objects, whole

    def build(self, port: Bound, origins: dict[str, Origin]) -> dict[QueueId, Queue]:
        found: dict[int, dict[str, Any]] = {n: {} for n in ALL}
        for name, (curve, header) in port.queues.items():
            number = self.objects.index("queue", name)
            if isinstance(number, int):
                path = f"queue.unicast.{number}"
                origins[path] = header
                if curve is not None:
                    found.setdefault(number, {}).update(self._curves(path, curve.value, curve.origin, origins))
        self._limits(port, found, origins)
        self._schedulers(port, found, origins)
        return {QueueId(QueueKind.UNICAST, n): Queue(QueueId(QueueKind.UNICAST, n), **v) for n, v in sorted(found.items())}

    def _limits(self, port: Bound, found: dict[int, dict[str, Any]], origins: dict[str, Origin]) -> None:
        named = port.value("out.buffer")
        profile = self.objects.buffers.get(named or "")
        if named is not None and profile is None:
            gone = Unknown(f"buffer-allocation-profile {named} is defined nowhere in the input", Fact.CONFIG)
            for values in found.values():
                values["limit"] = gone
        for name, entry in profile.of("queue") if profile is not None else ():
            number, limit = self.objects.index("queue", name), entry.value("limit")
            if isinstance(number, int) and limit is not None:
                origins[f"queue.unicast.{number}.limit"] = entry.line("limit")
                own = isinstance(limit, Quantity) and not limit.amount
                found.setdefault(number, {})["limit"] = (
                    OWN_LIMIT if own else limit if isinstance(limit, Unknown) else Static(limit)
                )

    def _curves(self, path: str, name: str, where: Origin, origins: dict[str, Origin]) -> dict[str, Any]:
        profile = self.objects.curves.get(name)
        if profile is None:
            gone = Unknown(f"queue-management-profile {name} is defined nowhere in the input", Fact.CONFIG)
            origins[f"{path}.marks"] = where
            return {"curves": FrozenMap({Colour.GREEN: Curve(gone, gone, gone, gone, gone)}), "curve_profile": name}
        curves: dict[Colour, Curve] = {}
        weight = profile.values.get("weight")
        for key, entry in profile.of("slope"):
            traffic, drop, ecn = key.split(" ")
            if traffic == "tcp":
                continue  # RoCE is UDP
            marks, drops = self._marks(ecn, entry.value("enabled", True), path, origins)
            kmin, kmax = (entry.value(side, entry.value(f"{side}_percent")) for side in ("kmin", "kmax"))
            pmax = entry.value("pmax", NO_PMAX)
            ramp = Curve(kmin, kmax, pmax, marks, drops, weight.value if weight and isinstance(weight.value, int) else None)
            for colour in tuple(Colour) if drop == "all" else (words.COLOURS[drop],) if drop in words.COLOURS else ():
                curves[colour] = _both(curves.get(colour), ramp)
            if drop in ("all", "low"):
                for side in ("kmin", "kmax"):
                    origins[f"{path}.{side}"] = entry.line(side if side in entry.values else f"{side}_percent")
                origins[f"{path}.pmax"] = entry.line("pmax")
                origins.setdefault(f"{path}.marks", entry.at)
        return {"curves": FrozenMap(curves), "curve_profile": name}

    def _marks(self, ecn: str, enabled: object, path: str, origins: dict[str, Origin]) -> tuple[bool | Unknown, bool | Unknown]:
        """Whether a slope marks and drops. It marks only where ECN is on for the switch."""
        if enabled is not True:
            off = Unknown("slope-enabled is not true, and what that does to the slope is not sourced")
            return off, off
        if ecn != "true":
            return False, ecn == "false" or BAD
        if self.objects.ecn is not None:
            return True, False
        entry = self.nos.default("queue.marks")
        if entry is None or not self.whole:
            return FRAGMENT, FRAGMENT
        origins[f"{path}.marks"] = entry.origin("no `explicit-congestion-notification` under /qos, so no slope marks")
        return bool(entry.value), Unknown("what a marking slope does while ECN is off for the switch is not sourced")

    def _schedulers(self, port: Bound, found: dict[int, dict[str, Any]], origins: dict[str, Origin]) -> None:
        name = port.value("scheduler")
        policy = self.objects.schedulers.get(name or "")
        if name is None or name == "default":
            entry = self.nos.default("queue.scheduler")
            if entry is None or (name is None and not self.whole):
                return
            for number, values in found.items():
                values["scheduler"] = Scheduler(SchedulerKind(entry.value))
                origins[f"queue.unicast.{number}.scheduler"] = entry.origin("no scheduler-policy at the port")
            return
        if policy is None:
            gone = Unknown(f"scheduler-policy {name} is defined nowhere in the input", Fact.CONFIG)
            for values in found.values():
                values["scheduler"] = gone
            return
        # A queue that no input names keeps a scheduler that no source tells of: nothing is said of it.
        for _, made in policy.of("input"):
            queue = self.objects.index("queue", str(made.value("queue", "")))
            if not isinstance(queue, int):
                continue
            path = f"queue.unicast.{queue}"
            strict = made.value("strict") is True
            weight, peak = made.value("weight"), made.value("peak")
            share = None if strict or not isinstance(weight, int) else Quantity(Fraction(weight), Unit.WEIGHT)
            cap = peak if isinstance(peak, Quantity) and peak.amount != 100 else None
            kind = SchedulerKind.STRICT if strict else SchedulerKind.WRR
            found.setdefault(queue, {})["scheduler"] = Scheduler(kind, share, None, cap)
            origins[f"{path}.scheduler"] = made.line("strict" if strict else "queue")
            origins[f"{path}.share"] = made.line("weight")


def _both(before: Curve | None, ramp: Curve) -> Curve:
    """Two slopes for one colour: one for packets with ECT that marks, one without that drops."""
    if before is None:
        return ramp
    marking, dropping = (before, ramp) if before.marks is True else (ramp, before)
    return Curve(marking.kmin, marking.kmax, marking.pmax, marking.marks, dropping.drops, marking.weight)
