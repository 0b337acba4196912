"""EOS: one port body, from settings of the interface, its qos profile and the switch to a PortQos with its origins."""

from __future__ import annotations

from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Default, Evidence, Origin, Origins
from xoff.model.qos import (
    Classify,
    Colour,
    Curve,
    HeaderField,
    Match,
    MatchKind,
    Pfc,
    PfcMode,
    PortQos,
    PriorityGroup,
    Queue,
    QueueId,
    QueueKind,
    Scheduler,
    SchedulerKind,
    Watchdog,
    WatchdogAction,
)
from xoff.model.quantity import Fact, Quantity, Unknown
from xoff.nos.eos.globals import RESUME, Globals
from xoff.nos.eos.policy import Policies
from xoff.nos.registry import Nos
from xoff.nos.settings import Settings

NO_TIMER = Unknown("no watchdog timer is set, and whether EOS has a default is not confirmed", Fact.DEFAULT)
HIDDEN = Unknown("EOS does not show the headroom that the ASIC takes by default", Fact.DEFAULT)
GLOBAL_ECN = Unknown("ECN is set for the whole buffer; whether this queue marks by it is not confirmed", Fact.DEFAULT)
OVERRIDE = Unknown("what `override action` does to another action is not confirmed", Fact.DEFAULT)
ALL = range(8)


class PortBuilder:
    """Builds bodies. One per file; `nos` gives defaults, `shared` what holds for the switch."""

    def __init__(self, nos: Nos, shared: Globals, policies: Policies) -> None:
        self.nos = nos
        self.shared = shared
        self.policies = policies
        self._by_dscp = _grouped(shared.dscp)

    def build(self, said: Settings, routed: bool | Unknown | None) -> tuple[PortQos, Origins]:
        """The body of a port with these settings (interface and profile together)."""
        origins: dict[str, Origin] = dict(self.shared.origins)
        classify = self._classify(said, routed, origins)
        no_drop, pfc = self._pfc(said, origins)
        groups = self._groups(no_drop, origins)
        queues = self._queues(said, origins)
        watchdog = self._watchdog(said, no_drop, pfc, origins)
        qos = PortQos(
            classify=classify,
            tc_to_queue=FrozenMap(self.shared.queue),
            tc_to_group=FrozenMap((n, n) for n in ALL),
            rewrite_dscp=FrozenMap(self.shared.rewrite_dscp),
            rewrite_pcp=FrozenMap(self.shared.rewrite_cos),
            pfc=pfc,
            groups=FrozenMap(groups),
            queues=FrozenMap(queues),
            watchdog=watchdog,
        )
        structure = next((s for s in self.nos.structure if s.key == "one-number"), None)
        if structure is not None:
            origins["tc_to_group"] = Default(structure.text, structure.evidence, structure.source)
        return qos, Origins(origins)

    # --- classification ---

    def _classify(self, said: Settings, routed: bool | Unknown | None, origins: dict[str, Origin]) -> Classify:
        trust: HeaderField | Unknown = self._trust(said, routed, origins)
        tagged, untagged = trust, trust
        if trust is HeaderField.PCP:
            untagged = HeaderField.PORT  # an untagged frame has no CoS: the port's own counts
        non_ip: HeaderField | Unknown = HeaderField.PORT if trust is HeaderField.DSCP else tagged
        matches: list[Match] = []
        policy = said.value("policy")
        if isinstance(policy, str):
            for match, line in self.policies.matches(policy, trust is HeaderField.DSCP):
                matches.append(match)
                where = line or said.origin("policy")
                if where is not None:
                    key = "classify.default" if match.kind is MatchKind.DEFAULT else "classify"
                    origins.setdefault(key, where)
                    for value in match.values:
                        origins[f"classify.dscp.{value}"] = where
        for (tc, colour), values in self._by_dscp.items():
            matches.append(Match(MatchKind.DSCP, values, tc, colour))
        for tc, values in _grouped(self.shared.cos).items():
            matches.append(Match(MatchKind.PCP, values, tc))
        return Classify(tuple(matches), tagged, untagged, non_ip, self._default_tc(said, trust, origins))

    def _trust(self, said: Settings, routed: bool | Unknown | None, origins: dict[str, Origin]) -> HeaderField | Unknown:
        found = said.value("trust")
        if found is not None:
            where = said.origin("trust")
            if where is not None:
                origins["classify.trust"] = where
            return found  # type: ignore[no-any-return]
        if isinstance(routed, Unknown):
            return Unknown("the port has an address but no `no switchport`, so its mode and with it its trust are not certain")
        entry = self.nos.default("classify.trust", port_mode="routed" if routed else "switched")
        if entry is None:
            return Unknown("EOS's default trust is not known here", Fact.DEFAULT)
        origins["classify.trust"] = entry.origin(f"no `qos trust` on a {'routed' if routed else 'switched'} port")
        return HeaderField(entry.value)

    def _default_tc(self, said: Settings, trust: HeaderField | Unknown, origins: dict[str, Origin]) -> int | Unknown:
        """Where frames go that nothing classifies: by the port's own CoS, or DSCP, where both come to the same."""
        cos, dscp = said.value("cos", 0), said.value("dscp", 0)
        where = said.origin("cos") or said.origin("dscp")
        if where is not None and said.value("cos") is not None:
            origins["classify.default"] = where
        else:
            entry = self.nos.default("classify.default")
            if entry is not None:
                origins["classify.default"] = entry.origin("port default CoS 0, DSCP 0")
        by_cos = cos if isinstance(cos, Unknown) else self.shared.cos.get(cos)
        by_dscp = dscp if isinstance(dscp, Unknown) else self.shared.dscp.get(dscp, (None,))[0]
        if trust is HeaderField.PCP:
            return by_cos if by_cos is not None else Unknown("the map of CoS is not known", Fact.DEFAULT)
        if by_cos == by_dscp and by_cos is not None:
            return by_cos
        return Unknown("whether the port's own CoS or its own DSCP decides is not confirmed", Fact.DEFAULT)

    # --- PFC ---

    def _pfc(self, said: Settings, origins: dict[str, Origin]) -> tuple[frozenset[int], Pfc]:
        no_drop: set[int] = set()
        doubtful: list[Unknown] = []
        for n in ALL:
            name = f"pfc.priority.{n}"
            value = said.value(name)
            where = said.origin(name)
            if where is not None:
                origins[f"pfc.no_drop.{n}"] = where
                origins[f"pfc.send.{n}"] = where
                origins[f"pfc.obey.{n}"] = where
            if isinstance(value, Unknown):
                doubtful.append(value)
            elif value:
                no_drop.add(n)
        mode: PfcMode | Unknown | None = said.value("pfc.mode")
        where = said.origin("pfc.mode")
        if where is not None:
            origins["pfc.mode"] = where
        else:
            entry = self.nos.default("pfc.mode")
            origins["pfc.mode"] = entry.origin("no `priority-flow-control on`") if entry else _unsourced()
        if mode is None:
            mode = PfcMode.OFF
        if doubtful and mode is not PfcMode.OFF:
            # no_drop cannot hold "perhaps 3", so the whole of PFC is what is not known.
            mode = doubtful[0]
        rx, tx = said.value("pause.rx"), said.value("pause.tx")
        for way in ("rx", "tx"):
            pause = said.origin(f"pause.{way}")
            if pause is not None:
                origins[f"pfc.link_pause.{way}"] = pause
        send = FrozenMap((n, frozenset({n})) for n in sorted(no_drop))
        obey = FrozenMap((n, frozenset({self.shared.queue.get(n, n)})) for n in sorted(no_drop))
        return frozenset(no_drop), Pfc(mode, frozenset(no_drop), send, obey, None, rx, tx)

    # --- buffers ---

    def _groups(self, no_drop: frozenset[int], origins: dict[str, Origin]) -> dict[int, PriorityGroup]:
        mmu = self.shared.applied
        out: dict[int, PriorityGroup] = {}
        ids = set(no_drop) | ({g for g, _ in mmu.groups} if mmu else set())
        for g in sorted(ids):
            lossless = g in no_drop
            values: dict[str, Any] = {}
            if mmu is not None:
                for what in ("reserved", "threshold"):
                    setting = mmu.groups.get((g, what)) or mmu.ingress.get(what)
                    if setting is not None:
                        values[what] = setting.value
                        origins[f"group.{g}.{what}"] = setting.origin
                headroom, resume = mmu.ingress.get("headroom"), mmu.ingress.get("resume")
                if lossless and headroom is not None:
                    values["headroom"] = headroom.value
                    origins[f"group.{g}.headroom"] = headroom.origin
                if lossless and resume is not None:
                    values["xon"] = RESUME
                    origins[f"group.{g}.xon"] = resume.origin
                origins[f"group.{g}.profile"] = mmu.at
                values["profile"] = mmu.name
            if lossless and "headroom" not in values:
                values["headroom"] = HIDDEN
                values["headroom_by_device"] = True
            origins.setdefault(f"group.{g}", origins.get(f"pfc.no_drop.{g}") or (mmu.at if mmu else _unsourced()))
            out[g] = PriorityGroup(g, lossless, **values)
        return out

    # --- queues ---

    def _queues(self, said: Settings, origins: dict[str, Origin]) -> dict[QueueId, Queue]:
        ids: dict[QueueId, None] = {}
        for name in said.said:
            if name.startswith("queue.") and name.count(".") == 2:
                _, kind, number = name.split(".")
                ids[QueueId(QueueKind(kind), int(number))] = None
        mmu = self.shared.applied
        if mmu is not None:
            ids.update(dict.fromkeys(QueueId(QueueKind(cast), n) for cast, n, _ in mmu.queues))
        everywhere = self.shared.settings.value("ecn_pool")
        if everywhere:
            ids.update(dict.fromkeys(QueueId(QueueKind.UNICAST, n) for n in ALL))
        return {q: self._queue(q, said, origins) for q in sorted(ids, key=lambda q: (q.kind, q.id))}

    def _queue(self, q: QueueId, said: Settings, origins: dict[str, Origin]) -> Queue:
        name = f"queue.{q.kind}.{q.id}"
        header = said.origin(name)
        if header is not None:
            origins[name] = header
        curves: dict[Colour, Curve] = {}
        ecn = said.value(f"{name}.ecn")
        where = said.origin(f"{name}.ecn")
        if isinstance(ecn, Unknown):
            curves[Colour.GREEN] = Curve(ecn, ecn, ecn, ecn, False)
        elif isinstance(ecn, Curve):
            curves[Colour.GREEN] = ecn
        elif self.shared.settings.value("ecn_pool") and q.kind is QueueKind.UNICAST:
            curves[Colour.GREEN] = Curve(None, None, None, GLOBAL_ECN)
            where = self.shared.settings.origin("ecn_pool")
        if where is not None:
            for part in ("kmin", "kmax", "pmax", "weight", "marks"):
                origins[f"{name}.{part}"] = where
        self._wred(name, said, curves, origins)
        mmu = self.shared.applied
        limit = mmu.queues.get((str(q.kind), q.id, "threshold")) if mmu else None
        reserved = mmu.queues.get((str(q.kind), q.id, "reserved")) if mmu else None
        if limit is not None:
            origins[f"{name}.limit"] = limit.origin
        return Queue(
            q,
            FrozenMap(curves),
            scheduler=self._scheduler(name, said, origins) if header is not None else None,
            limit=limit.value if limit else None,
            reserved=reserved.value if reserved else None,
            counts_marks=said.value(f"{name}.count"),
        )

    def _wred(self, name: str, said: Settings, curves: dict[Colour, Curve], origins: dict[str, Origin]) -> None:
        for colour in Colour:
            drop = said.value(f"{name}.wred.{colour}")
            where = said.origin(f"{name}.wred.{colour}")
            if drop is None:
                continue
            marking = curves.get(colour)
            if isinstance(drop, Unknown):
                curves[colour] = Curve(drop, drop, drop, marking.marks if marking else False, drop)
            elif marking is None:
                curves[colour] = drop
            else:
                both = Unknown("ECN and WRED are both set in this queue, which EOS has as alternatives", Fact.DEFAULT)
                curves[colour] = Curve(marking.kmin, marking.kmax, marking.pmax, both, both, marking.weight)
            if where is not None and (colour is Colour.GREEN or marking is None):
                for part in ("kmin", "kmax", "pmax", "weight", "drops", "marks"):
                    origins.setdefault(f"{name}.{part}", where)
                origins[f"{name}.drops"] = where

    def _scheduler(self, name: str, said: Settings, origins: dict[str, Origin]) -> Scheduler | Unknown:
        kind: SchedulerKind | Unknown | None = said.value(f"{name}.kind")
        where = said.origin(f"{name}.kind")
        if kind is None:
            entry = self.nos.default("queue.scheduler")
            if entry is None:
                return Unknown("EOS's default scheduling is not known", Fact.DEFAULT)
            kind, where = SchedulerKind(entry.value), entry.origin("strict priority unless `no priority` is said")
        if where is not None:
            origins[f"{name}.scheduler"] = where
        values: dict[str, Any] = {}
        for what in ("share", "guarantee", "cap"):
            value = said.value(f"{name}.{what}")
            if isinstance(value, Unknown):
                return value
            values[what] = value
            found = said.origin(f"{name}.{what}")
            if found is not None:
                origins[f"{name}.{what}"] = found
        return Scheduler(kind, **values)

    # --- watchdog ---

    def _watchdog(self, said: Settings, no_drop: frozenset[int], pfc: Pfc, origins: dict[str, Origin]) -> Watchdog:
        """EOS watches each port unless told not to; what the timers are where none is set is not confirmed."""
        if pfc.mode is PfcMode.OFF or (not no_drop and not isinstance(pfc.mode, Unknown)):
            return Watchdog(available=True, enabled=False)
        enabled: bool | Unknown = said.value("watchdog.enabled", True)
        where = said.origin("watchdog.enabled")
        if where is None:
            entry = self.nos.default("watchdog.enabled")
            where = entry.origin("the watchdog is on per port unless it is switched off") if entry else None
        if where is not None:
            origins["watchdog.enabled"] = origins["watchdog.priorities"] = where
        if enabled is False:
            return Watchdog(available=True, enabled=False)
        found: dict[str, Any] = {}
        for what in ("detect", "restore", "poll"):
            for settings in (said, self.shared.settings):
                value = settings.value(f"watchdog.{what}")
                place = settings.origin(f"watchdog.{what}")
                if value is not None:
                    found[what] = value
                    if place is not None:
                        origins[f"watchdog.{what}"] = place
                    break
        timed = isinstance(found.get("detect"), Quantity)
        action = self._action(said, origins, timed)
        latch: bool | Unknown
        if not timed:
            latch = NO_TIMER
        elif isinstance(action, Unknown):
            latch = action
        else:
            latch = action is WatchdogAction.ERRDISABLE
        doubtful = found.get("detect", NO_TIMER)
        return Watchdog(
            available=True,
            enabled=enabled if timed or isinstance(enabled, Unknown) else doubtful,
            priorities=pfc.mode if isinstance(pfc.mode, Unknown) else no_drop,
            detect=doubtful,
            restore=found.get("restore", NO_TIMER),
            poll=found.get("poll", NO_TIMER),
            action=action,
            latch=latch,
        )

    def _action(self, said: Settings, origins: dict[str, Origin], timed: bool) -> WatchdogAction | Unknown:
        shared = self.shared.settings
        override = shared.value("watchdog.override")
        action: WatchdogAction | Unknown | None = None
        for settings in (said, shared):
            action = settings.value("watchdog.action")
            where = settings.origin("watchdog.action")
            if action is not None:
                if where is not None:
                    origins["watchdog.action"] = where
                break
        if action is None:
            entry = self.nos.default("watchdog.action")
            if entry is None or not timed:
                action = NO_TIMER
            else:
                action = WatchdogAction(entry.value)
                origins["watchdog.action"] = entry.origin("no watchdog action is set")
        if override is not None and override != action:
            where = shared.origin("watchdog.override")
            if where is not None:
                origins["watchdog.action"] = where
            return OVERRIDE
        return action


def _grouped(values: Any) -> dict[Any, frozenset[int]]:
    """value -> target, turned round: target -> values, in the order of the first value."""
    out: dict[Any, set[int]] = {}
    for value in sorted(values):
        out.setdefault(values[value], set()).add(value)
    return {k: frozenset(v) for k, v in out.items()}


def _unsourced() -> Default:
    return Default("nothing is said", Evidence.RECALLED, "")
