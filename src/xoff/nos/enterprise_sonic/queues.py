"""Enterprise SONiC: the queues of a port, from its WRED and scheduler policies and the buffer mode."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Origin
from xoff.model.qos import Colour, Curve, NotEct, Queue, QueueId, QueueKind, Scheduler, SchedulerKind
from xoff.model.quantity import Fact, Quantity, Unit, Unknown, quantity
from xoff.nos.enterprise_sonic import words
from xoff.nos.enterprise_sonic.globals import Globals, Wred
from xoff.nos.enterprise_sonic.mode import Mode
from xoff.nos.registry import Nos
from xoff.nos.settings import Settings
from xoff.nos.sonic.maps import empty_queue

ALL = range(8)
TWO_TEXTS = Unknown("whether `roce enable` binds its WRED profile to queue 4 too: two texts say different things", Fact.DEFAULT)


class QueueBuilder:
    """Builds the queues of bodies. One per file."""

    def __init__(self, nos: Nos, shared: Globals, mode: Mode) -> None:
        self.nos, self.shared, self.mode = nos, shared, mode

    def build(self, said: Settings, origins: dict[str, Origin]) -> dict[QueueId, Queue]:
        """All queues of which something is said, by number."""
        out: dict[int, Queue] = {}
        self._scheduled(said, out, origins)
        self._marked(said, out, origins)
        if self.mode.generated:
            self._generated(out, origins)
        self._buffers(said, out, origins)
        return {q.id: q for _, q in sorted(out.items())}

    @staticmethod
    def _of(out: dict[int, Queue], n: int) -> Queue:
        return out.get(n) or empty_queue(QueueId(QueueKind.UNICAST, n))

    # --- scheduling ---

    def _scheduled(self, said: Settings, out: dict[int, Queue], origins: dict[str, Origin]) -> None:
        name, where = said.value("scheduler"), said.origin("scheduler")
        if name is None:
            return
        policy = self.shared.policies.get(name)
        if policy is None:
            why = Unknown(f"qos scheduler-policy {name} is not defined")
            for n in ALL:
                out[n] = replace(self._of(out, n), scheduler=why)
                if where is not None:
                    origins[f"queue.unicast.{n}.scheduler"] = where
            return
        for n, (at, own) in sorted(policy.queues.items()):
            if n < 0:
                continue
            origins[f"queue.unicast.{n}"] = at
            out[n] = replace(self._of(out, n), scheduler=self._scheduler(n, name, own, origins))

    def _scheduler(self, n: int, name: str, own: Settings, origins: dict[str, Origin]) -> Scheduler:
        path = f"queue.unicast.{n}"
        kind: SchedulerKind | Unknown | None = own.value("type")
        share: Quantity | None = own.value("weight")
        for field, setting in (("scheduler", "type"), ("share", "weight")):
            where = own.origin(setting)
            if where is not None:
                origins[f"{path}.{field}"] = where
        if kind is None:
            kind, note = self._implied("queue.type", "type is not said")
            kind = SchedulerKind(kind) if isinstance(kind, str) else Unknown("the type is not said", Fact.DEFAULT)
            if note is not None:
                origins[f"{path}.scheduler"] = note
        if kind is SchedulerKind.STRICT:
            share = None
        elif share is None:
            weight, note = self._implied("queue.share", "weight is not said")
            share = None if weight is None else quantity(weight, Unit.WEIGHT)
            if note is not None:
                origins[f"{path}.share"] = note
        unit = Unit.PPS if own.value("meter") == "packets" else Unit.KBPS
        rates = {k: quantity(v, unit) if (v := own.value(k)) else None for k in ("cir", "pir")}
        return Scheduler(kind, share, rates["cir"], rates["pir"], name)

    def _implied(self, path: str, note: str) -> tuple[Any, Origin | None]:
        entry = self.nos.default(path)
        return (None, None) if entry is None else (entry.value, entry.origin(f"{note}: {entry.value}"))

    # --- marking ---

    def _marked(self, said: Settings, out: dict[int, Queue], origins: dict[str, Origin]) -> None:
        for n in ALL:
            name, where = said.value(f"wred.{n}"), said.origin(f"wred.{n}")
            if name is None or where is None:
                continue
            path = f"queue.unicast.{n}"
            origins.setdefault(path, where)
            origins[f"{path}.curve_profile"] = where
            wred = self.shared.wreds.get(name)
            queue = replace(self._of(out, n), curve_profile=name)
            if wred is None:
                why = Unknown(f"qos wred-policy {name} is not defined")
                out[n] = replace(queue, curves=FrozenMap({Colour.GREEN: Curve(why, why, why, why, why)}))
                continue
            curves = self._curves(wred, path, origins)
            marks = any(c.marks is True for c in curves.values())
            out[n] = replace(queue, curves=FrozenMap(curves), not_ect=NotEct.DROP if marks else queue.not_ect)

    def _curves(self, wred: Wred, path: str, origins: dict[str, Origin]) -> dict[Colour, Curve]:
        """Ramps by colour, as in SONiC's WRED_PROFILE: a colour with a ramp marks if `ecn` names it, else it drops."""
        said = wred.settings
        marking: frozenset[Colour] = said.value("ecn", words.MARKS["none"])
        ecn_at = said.origin("ecn")
        if ecn_at is None:
            ecn_at = self._implied("queue.marks", "ecn is not said")[1]
        out: dict[Colour, Curve] = {}
        for colour in Colour:
            prefix = f"{path}." if colour is Colour.GREEN else f"{path}.{colour}."
            if said.value(f"{colour}.kmin") is None:
                if colour is Colour.GREEN:
                    # A policy without ramp marks nothing; what leaves it out is the policy itself.
                    origins[f"{prefix}marks"] = wred.at
                continue
            for field in ("kmin", "kmax", "pmax"):
                where = said.origin(f"{colour}.{field}")
                if where is not None:
                    origins[prefix + field] = where
            if ecn_at is not None:
                origins[f"{prefix}marks"] = origins[f"{prefix}drops"] = ecn_at
            out[colour] = Curve(
                said.value(f"{colour}.kmin"),
                said.value(f"{colour}.kmax"),
                said.value(f"{colour}.pmax"),
                marks=colour in marking,
                drops=colour not in marking,
            )
        return out

    # --- what the switch adds by itself ---

    def _generated(self, out: dict[int, Queue], origins: dict[str, Origin]) -> None:
        """Schedulers and marking of `roce enable`."""
        entry = self.nos.default("queue.scheduler", feature="roce")
        for n, how in (entry.value if entry is not None else {}).items():
            strict = how == "strict"
            share = None if strict else quantity(how, Unit.WEIGHT)
            scheduler = Scheduler(SchedulerKind.STRICT if strict else SchedulerKind.DWRR, share)
            out[int(n)] = replace(self._of(out, int(n)), scheduler=scheduler)
            if entry is not None:
                note = entry.origin("`roce enable`: its own scheduler")
                origins[f"queue.unicast.{n}.scheduler"] = origins[f"queue.unicast.{n}.share"] = note
        entry = self.nos.default("queue.ecn", feature="roce")
        if entry is None:
            return
        v, note = entry.value, entry.origin("`roce enable`: WRED profile ROCE")
        low, high = (quantity(v[k], Unit.BYTES) for k in ("kmin", "kmax"))
        for n in (*v["queues"], *v["unsure"]):
            sure = n in v["queues"]
            curve = Curve(low, high, quantity(v["pmax"], Unit.PERCENT), True)
            if not sure:
                curve = Curve(TWO_TEXTS, TWO_TEXTS, TWO_TEXTS, TWO_TEXTS, TWO_TEXTS)
            queue = replace(self._of(out, n), curves=FrozenMap({Colour.GREEN: curve}))
            out[n] = replace(queue, not_ect=NotEct.DROP if sure else TWO_TEXTS)
            origins |= {f"queue.unicast.{n}.{k}": note for k in ("kmin", "kmax", "pmax", "marks")}

    def _buffers(self, said: Settings, out: dict[int, Queue], origins: dict[str, Origin]) -> None:
        """Buffer profiles of queues: those bound by a line, and that lossless mode makes two queues lossless."""
        for n in ALL:
            name, where = said.value(f"buffer.queue.{n}"), said.origin(f"buffer.queue.{n}")
            if name is None or where is None:
                continue
            path = f"queue.unicast.{n}"
            origins.setdefault(path, where)
            origins[f"{path}.profile"] = where
            profile = self.shared.profiles.get(name)
            if profile is None:
                why = Unknown(f"buffer profile {name} is not defined")
                out[n] = replace(self._of(out, n), limit=why, reserved=why, pool=why, profile=name)
                continue
            origins |= {f"{path}.{k}": profile.at for k in ("limit", "reserved", "pool")}
            out[n] = replace(
                self._of(out, n), limit=profile.threshold, reserved=profile.reserved, pool=profile.pool, profile=name
            )
        entry = self.nos.default("queue.lossless", feature="lossless")
        if self.mode.lossless is not True or entry is None:
            return
        for n in sorted(self.shared.priorities or entry.value):
            queue = self._of(out, n)
            if queue.profile is None:
                out[n] = replace(queue, lossless=True)
                where = self.mode.at
                origins[f"queue.unicast.{n}.lossless"] = where or entry.origin("lossless mode")
                origins.setdefault(f"queue.unicast.{n}", origins[f"queue.unicast.{n}.lossless"])
