"""Queues of a Cumulus Linux port: marking, scheduling, shaping; and the profiles that a port is bound to."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Default, Evidence, Origin
from xoff.model.qos import Colour, Curve, NotEct, Queue, QueueId, QueueKind, Scheduler, SchedulerKind
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.nos.cumulus.device import Device
from xoff.nos.cumulus.state import ECN, GLOBAL, SCHEDULER, SHAPER, PortSaid, Profile, Said
from xoff.nos.registry import Implicit

PART = Unknown(
    "default-global names other traffic classes; whether those it does not name keep what the RoCE mode gives them is not "
    "confirmed",
    Fact.DEFAULT,
)


class Bound:
    """The profiles in force on a port, and what holds where they are silent."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.nos, self.state = device.nos, device.state

    def _name(self, port: PortSaid, kind: str) -> str:
        said = port.bound.get(kind) or self.state.device.get(f"all.{kind}")
        return GLOBAL if said is None else str(said.value)

    def _profile(self, port: PortSaid, kind: str) -> Profile | None:
        """The profile in force; None where nothing of the kind is said. One that is not defined is Unknown's matter."""
        return self.state.profiles.get((kind, self._name(port, kind)))

    def _missing(self, port: PortSaid, kind: str) -> Unknown | None:
        name = self._name(port, kind)
        if name == GLOBAL or (kind, name) in self.state.profiles:
            return None
        return Unknown(f"the port is bound to {kind} profile {name}, which is defined nowhere", Fact.CONFIG)

    def _default(self, path: str) -> Implicit | None:
        return self.device.default(path)


class Queues(Bound):
    """Builds the queues of a port."""

    def queue(self, port: PortSaid, tc: int, origins: dict[str, Origin]) -> Queue:
        qid = QueueId(QueueKind.UNICAST, tc)
        path = f"queue.{qid}"
        curve = self._curve(port, tc, path, origins)
        forwards: NotEct | Unknown = Unknown("the queue does not mark")
        if curve is not None:
            drops = curve.drops
            forwards = drops if isinstance(drops, Unknown) else NotEct.DROP if drops else NotEct.FORWARD
        return Queue(
            qid,
            FrozenMap({} if curve is None else {Colour.GREEN: curve}),
            not_ect=forwards,
            scheduler=self._scheduler(port, tc, path, origins),
        )

    def _curve(self, port: PortSaid, tc: int, path: str, origins: dict[str, Origin]) -> Curve | None:
        missing = self._missing(port, ECN)
        if missing is not None:
            origins[f"{path}.marks"] = port.bound[ECN].origin
            return Curve(missing, missing, missing, missing, missing)
        profile = self._profile(port, ECN)
        said = {} if profile is None else {k.partition(".")[2]: s for k, s in profile.values.items() if k.startswith(f"{tc}.")}
        named = profile is not None and any(k[0].isdigit() for k in profile.values)
        entry = self._default("queue.curve")
        if not said:
            if self._name(port, ECN) != GLOBAL or (named and self.device.mode == "off") or (self.device.flat and named):
                return None
            given = None if entry is None else entry.value.get(str(tc))
            if entry is None:
                return Curve(self.device.unknown_mode, None, None, self.device.unknown_mode, self.device.unknown_mode)
            where: Origin = entry.origin(f"ECN that {self._mode_says()} gives to traffic class {tc}")
            if given is None:
                return None
            for leaf in ("kmin", "kmax", "pmax", "marks", "drops"):
                origins[f"{path}.{leaf}"] = where
            if named:
                return Curve(PART, PART, PART, PART, PART)
            low, high, top = given
            return Curve(_bytes(low), _bytes(high), _percent(top), True)
        marks, drops = (_value(said, "ecn", True), _value(said, "red", False))
        for leaf, key in (
            ("marks", "ecn"),
            ("drops", "red"),
            ("kmin", "min-threshold"),
            ("kmax", "max-threshold"),
            ("pmax", "probability"),
        ):
            at = said.get(key)
            if at is not None:
                origins[f"{path}.{leaf}"] = at.origin
        if "ecn" not in said and "listed" in said:
            origins[f"{path}.marks"] = said["listed"].origin
        origins.setdefault(f"{path}.marks", next(iter(said.values())).origin)
        if not marks and not drops:
            return None
        defaults = self.nos.default("queue.curve", feature="off")
        low, high, top = (150000, 1500000, 100) if defaults is None else defaults.value["0"]
        if _value(said, "mode", "absolute") == "relative":
            unit = Unit.PERCENT_OF_LIMIT
            kmin = Quantity(Fraction(_value(said, "min-threshold-percent", 0)), unit)
            kmax = Quantity(Fraction(_value(said, "max-threshold-percent", 100)), unit)
        else:
            kmin, kmax = _bytes(_value(said, "min-threshold", low)), _bytes(_value(said, "max-threshold", high))
        if defaults is not None:
            for leaf in ("kmin", "kmax", "pmax"):
                origins.setdefault(
                    f"{path}.{leaf}", defaults.origin("what a named traffic class has where nothing else is said")
                )
        return Curve(kmin, kmax, _percent(_value(said, "probability", top)), bool(marks), bool(drops))

    def _mode_says(self) -> str:
        return "default-global" if self.device.mode == "off" else f"RoCE mode {self.device.mode}"

    def _scheduler(self, port: PortSaid, tc: int, path: str, origins: dict[str, Origin]) -> Scheduler | Unknown | None:
        missing = self._missing(port, SCHEDULER)
        if missing is not None:
            origins[f"{path}.scheduler"] = port.bound[SCHEDULER].origin
            return missing
        cap, guarantee = self._shaper(port, tc, path, origins)
        profile = self._profile(port, SCHEDULER)
        values: Mapping[str, Said] = {} if profile is None else profile.values
        mode, share = values.get(f"{tc}.mode"), values.get(f"{tc}.bw-percent")
        if mode is not None or share is not None:
            origins[f"{path}.scheduler"] = origins[path] = (mode or share).origin  # type: ignore[union-attr]
            if mode is not None and mode.value == "strict":
                return Scheduler(SchedulerKind.STRICT, None, guarantee, cap)
            if share is not None:
                origins[f"{path}.share"] = share.origin
            return Scheduler(SchedulerKind.DWRR, _percent(0 if share is None else share.value), guarantee, cap)
        if values:
            if self.device.mode != "off" and self._name(port, SCHEDULER) == GLOBAL:
                return PART
            source = "G514 Egress Scheduler: an egress queue without a value has DWRR 0, best effort"
            origins[f"{path}.scheduler"] = origins[f"{path}.share"] = Default("no bandwidth is given", Evidence.READ, source)
            return Scheduler(SchedulerKind.DWRR, _percent(0), guarantee, cap)
        entry = self._default("queue.scheduler")
        if entry is None:
            return self.device.unknown_mode
        given = entry.value.get(str(tc), None)
        origins[f"{path}.scheduler"] = origins[f"{path}.share"] = entry.origin(f"scheduling that {self._mode_says()} gives")
        if given == 0:
            return Scheduler(SchedulerKind.STRICT, None, guarantee, cap)
        return Scheduler(SchedulerKind.DWRR, _percent(given or 0), guarantee, cap)

    def _shaper(
        self, port: PortSaid, tc: int, path: str, origins: dict[str, Origin]
    ) -> tuple[Quantity | None, Quantity | None]:
        """(cap, guarantee) in kbps."""
        profile = self._profile(port, SHAPER) if SHAPER in port.bound else None
        out = []
        for leaf, what in (("max-rate", "cap"), ("min-rate", "guarantee")):
            said = None if profile is None else profile.values.get(f"{tc}.{leaf}")
            out.append(None if said is None else Quantity(Fraction(said.value), Unit.KBPS))
            if said is not None:
                origins[f"{path}.{what}"] = said.origin
        return out[0], out[1]


def _value(said: Mapping[str, Said], key: str, default: Any) -> Any:
    found = said.get(key)
    return default if found is None else found.value


def _bytes(n: int) -> Quantity:
    return Quantity(Fraction(n), Unit.BYTES)


def _percent(n: int) -> Quantity:
    return Quantity(Fraction(n), Unit.PERCENT)
