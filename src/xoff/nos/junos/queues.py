"""Junos: queues of a port: the scheduler map in force, its schedulers, drop profiles and dynamic thresholds."""

from __future__ import annotations

from dataclasses import replace

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Default, Evidence, Line, Origin
from xoff.model.qos import (
    Alpha,
    Colour,
    Curve,
    MatchKind,
    Queue,
    QueueId,
    QueueKind,
    Scheduler,
    SchedulerKind,
)
from xoff.model.quantity import Fact, Quantity, Unknown
from xoff.nos.junos import words
from xoff.nos.junos.base import (
    Shared,
    Value,
)
from xoff.nos.junos.objects import MULTICAST
from xoff.nos.settings import Settings


class Queueing(Shared):
    """Queues by the classes that use them."""

    def _queues(
        self, bound: Settings, values: dict[MatchKind, dict[int, Value | Unknown]], origins: dict[str, Origin]
    ) -> dict[QueueId, Queue]:
        entries, at = self._map(bound, origins)
        used = {v.fc for rows in values.values() for v in rows.values() if isinstance(v, Value)} | set(entries)
        by_queue: dict[int, list[str]] = {}
        for fc, made in self.classes.items():
            if made.queue is not None and (fc in self.objects.classes or fc in used):
                by_queue.setdefault(made.queue, []).append(fc)
        out: dict[QueueId, Queue] = {}
        for number in sorted(by_queue):
            kind = QueueKind.MULTICAST if number >= MULTICAST else QueueKind.UNICAST
            queue = self._queue(QueueId(kind, number), by_queue[number], entries, at, origins)
            out[queue.id] = queue
        return out

    def _map(self, bound: Settings, origins: dict[str, Origin]) -> tuple[dict[str, tuple[str, Line]], Unknown | None]:
        """Entries of the scheduler map in force; Unknown: which one is, or what it says, cannot be known."""
        name = bound.value("map")
        if name is None and bound.value("control") is not None:
            control = self.objects.controls.get(str(bound.value("control")))
            if control is None:
                return {}, Unknown("the traffic-control-profile of the port is not in the input", Fact.CONFIG)
            name = control[0]
        if name is None:
            return {}, None
        if isinstance(name, Unknown):
            return {}, name
        if name not in self.objects.maps:
            return {}, Unknown(f"scheduler-map {name} is not defined", Fact.CONFIG)
        return self.objects.maps[name], None

    def _queue(
        self,
        q: QueueId,
        fcs: list[str],
        entries: dict[str, tuple[str, Line]],
        lost: Unknown | None,
        origins: dict[str, Origin],
    ) -> Queue:
        path = f"queue.{q}"
        lossless = {self.classes[fc].lossless for fc in fcs if fc in self.objects.classes} or {self.classes[fcs[0]].lossless}
        one: bool | Unknown = next(iter(lossless)) if len(lossless) == 1 else Unknown("classes of one queue differ in no-loss")
        origins[path] = self._class_origin(fcs)
        for fc in fcs:
            self._note(origins, f"{path}.lossless", self.classes[fc].lines.get("lossless"))
        found = next((entries[fc] for fc in fcs if fc in entries), None)
        queue = Queue(
            q,
            lossless=one,
            limit=self._limit(q, one, None, origins),
            pool="egress lossless" if one is True else "egress lossy" if one is False else one,
        )
        if lost is not None:
            return replace(queue, scheduler=lost, curves=FrozenMap({Colour.GREEN: Curve(lost, lost, lost, lost)}))
        if found is None:
            return queue
        name, line = found
        origins[path] = line
        scheduler = self.objects.schedulers.get(name)
        if scheduler is None:
            gone = Unknown(f"scheduler {name} is not defined", Fact.CONFIG)
            return replace(queue, scheduler=gone, curves=FrozenMap({Colour.GREEN: Curve(gone, gone, gone, gone)}))
        curves, profile = self._curves(q, name, origins)
        return replace(
            queue,
            scheduler=self._scheduler(q, name, origins),
            curves=FrozenMap(curves),
            curve_profile=profile,
            limit=self._limit(q, one, name, origins),
        )

    def _class_origin(self, fcs: list[str]) -> Origin:
        for fc in fcs:
            where = self.queue_origin(fc)
            if where is not None:
                return where
        return Default("a class of the switch", Evidence.RECALLED, "")

    def _limit(
        self, q: QueueId, lossless: bool | Unknown, scheduler: str | None, origins: dict[str, Origin]
    ) -> Alpha | Unknown | None:
        said = self.objects.schedulers[scheduler].values.get("threshold") if scheduler else None
        path = f"queue.{q}.limit"
        if said is not None:
            value, line = said
            origins[path] = line
            if lossless is True:
                return Unknown("buffer-dynamic-threshold is not supported for lossless queues", Fact.DEFAULT)
            return value  # type: ignore[return-value]
        if isinstance(lossless, Unknown) or q.kind is QueueKind.MULTICAST:
            return lossless if isinstance(lossless, Unknown) else None
        part = "lossless" if lossless else "lossy"
        stated = self.objects.thresholds.get(("egress", part))
        if stated is not None:
            origins[path] = stated[1]
            return stated[0]
        entry = self.nos.default("queue.limit", family=self.context, feature=part)
        if entry is None:
            return None
        origins[path] = entry.origin(f"no dynamic-threshold of the egress {part} partition")
        return words.alpha_of(entry.value)

    def _scheduler(self, q: QueueId, name: str, origins: dict[str, Origin]) -> Scheduler | Unknown:
        said = self.objects.schedulers[name]
        path = f"queue.{q}"
        origins[f"{path}.scheduler"] = said.at
        kind: SchedulerKind | Unknown = SchedulerKind.DWRR
        if "priority" in said.values:
            word, line = said.values["priority"]
            origins[f"{path}.scheduler"] = line
            if word == "strict-high":
                kind = SchedulerKind.STRICT
            elif word != "low":
                kind = Unknown(f"priority {word} is served by the guaranteed part first, which is not modelled")
        out: dict[str, Quantity] = {}
        for what, setting in (("share", "share"), ("cap", "cap")):
            if setting in said.values:
                value, line = said.values[setting]
                if isinstance(value, Unknown):
                    return value
                # A rate of a strict queue caps it ([JVDs]); else it is the queue's share.
                part = "cap" if kind is SchedulerKind.STRICT else what
                out[part] = value  # type: ignore[assignment]
                origins[f"{path}.{part}"] = line
        if "rate" in said.values and "share" not in out:
            value, line = said.values["rate"]
            if isinstance(value, Unknown):
                return value
            out["guarantee"] = value  # type: ignore[assignment]
            origins[f"{path}.guarantee"] = line
        return Scheduler(kind, **out, name=name)

    def _curves(self, q: QueueId, name: str, origins: dict[str, Origin]) -> tuple[dict[Colour, Curve], str | None]:
        said = self.objects.schedulers[name]
        path = f"queue.{q}"
        ecn = said.values.get("ecn")
        out: dict[Colour, Curve] = {}
        profile: str | None = None
        for loss, protocol, drop, line in sorted(said.profiles, key=lambda p: p[0] != "any"):
            if protocol == "tcp":
                continue  # RoCE is UDP
            found = self.objects.drops.get(drop)
            colour = Colour.GREEN if loss == "any" else words.COLOURS[loss]
            profile = drop if colour is Colour.GREEN else profile
            base = path if colour is Colour.GREEN else f"{path}.{colour}"
            if found is None:
                gone = Unknown(f"drop profile {drop} is not defined", Fact.CONFIG)
                out[colour] = Curve(gone, gone, gone, gone, gone)
            else:
                out[colour] = found.curve(ecn is not None)
                self._note(origins, f"{base}.kmin", found.low)
                self._note(origins, f"{base}.kmax", found.high)
                self._note(origins, f"{base}.pmax", found.high)
            origins[f"{base}.curve_profile"] = origins[f"{base}.drops"] = line
            if ecn is not None:
                origins[f"{base}.marks"] = ecn[1]
        return out, profile

    def _rewrite(self, bound: Settings, origins: dict[str, Origin]) -> dict[int, int]:
        name = bound.value("rewrite.dscp")
        found = self.objects.rewrites.get(("dscp", name)) if isinstance(name, str) else None
        out: dict[int, int] = {}
        for fc, (value, line) in found.written.items() if found else ():
            queue = self.queue_of(fc)
            if isinstance(queue, int):
                out[queue] = value
                origins[f"rewrite.dscp.{queue}"] = line
        return dict(sorted(out.items()))
