"""Junos: PFC of a port: its congestion-notification-profile, or what it obeys unasked; groups and watchdog."""

from __future__ import annotations

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Default, Evidence, Line, Origin
from xoff.model.qos import (
    Alpha,
    HeaderField,
    MatchKind,
    Pfc,
    PfcMode,
    PriorityGroup,
    Watchdog,
    WatchdogAction,
)
from xoff.model.quantity import Fact, Quantity, Unit, Unknown, quantity
from xoff.nos.junos import words
from xoff.nos.junos.base import (
    BY_SWITCH,
    PAUSE,
    RESUME,
    TAGGED,
    WATCHED,
    Facing,
    Shared,
    Value,
)
from xoff.nos.junos.family import UNIFORM
from xoff.nos.junos.objects import Pausing
from xoff.nos.settings import Settings


class PausingPart(Shared):
    """Pause sent and obeyed, groups that pause, the watchdog."""

    def _pfc(
        self,
        bound: Settings,
        facing: Facing,
        values: dict[MatchKind, dict[int, Value | Unknown]],
        origins: dict[str, Origin],
    ) -> tuple[Pfc, dict[tuple[MatchKind, int], int]]:
        """PFC, and for each (field, value) whose frames count against a lossless group, the priority."""
        name, where = bound.value("cnp"), bound.origin("cnp")
        pause = facing.pause
        if pause is not None:
            origins["pfc.link_pause.rx"] = origins["pfc.link_pause.tx"] = PAUSE
        if isinstance(name, Unknown):
            return Pfc(name, link_pause_rx=pause, link_pause_tx=pause), {}
        made = self.objects.pausing.get(name) if name is not None else None
        if name is not None and made is None:
            self._note(origins, "pfc.mode", where)
            gone = Unknown(f"congestion-notification-profile {name} is not defined", Fact.CONFIG)
            return Pfc(gone, link_pause_rx=pause, link_pause_tx=pause), {}
        if made is None:
            return self._unpaused(pause, origins), {}
        self._note(origins, "pfc.mode", where)
        counted: dict[tuple[MatchKind, int], int] = {}
        sent: dict[int, Origin] = {}
        counts_by: HeaderField | Unknown | None = None
        if made.kind is HeaderField.DSCP:
            for point in made.points.values():
                priority = self._priority(made, point.value, values.get(MatchKind.DSCP, {}))
                if point.pfc is not None and priority is not None:
                    counted[MatchKind.DSCP, point.value] = priority
                    sent.setdefault(priority, point.pfc)
        elif made.kind is HeaderField.PCP:
            for point in made.points.values():
                if point.pfc is not None:
                    counted[MatchKind.PCP, point.value] = point.value
                    sent.setdefault(point.value, point.pfc)
            if MatchKind.DSCP in values:
                counts_by = TAGGED if facing.tagged else HeaderField.PCP
                origins["pfc.counts_by"] = next((p.pfc or p.at for p in made.points.values()), made.at)
        if made.mixed:
            return Pfc(Unknown(f"profile {name} mixes DSCP and 802.1p, which Junos refuses"), counts_by=counts_by), counted
        obey = self._obey(made, origins)
        for priority, line in sent.items():
            for path in ("no_drop", "send"):
                origins[f"pfc.{path}.{priority}"] = line
            origins[f"group.{priority}"] = line
        send = FrozenMap((p, frozenset({p})) for p in sorted(sent))
        return Pfc(PfcMode.ON, frozenset(sent), send, FrozenMap(obey), counts_by, pause, pause), counted

    def _priority(self, made: Pausing, dscp: int, rows: dict[int, Value | Unknown]) -> int | None:
        """The priority of the pause for a DSCP: that of its class, which has to be no-loss and to have one."""
        value = rows.get(dscp)
        if not isinstance(value, Value):
            if any(isinstance(v, Value) and isinstance(v.at, Line) for v in rows.values()):
                self.lacking.setdefault((made.name, dscp, "the classifier does not list it"))
            return None
        found = self.classes.get(value.fc)
        if found is None:
            return None
        if not found.lossless:
            if isinstance(value.at, Line):  # else nothing classifies here, which is another fault
                self.lacking.setdefault((made.name, dscp, f"its class {value.fc} is not no-loss"))
            return None
        if found.pfc is None:
            self.lacking.setdefault((made.name, dscp, f"its class {value.fc} has no pfc-priority"))
        return found.pfc

    def _unpaused(self, pause: bool | None, origins: dict[str, Origin]) -> Pfc:
        """No profile is bound: nothing is sent; a QFX still stops queues 3 and 4 for priorities 3 and 4."""
        nothing = self.nos.default("pfc.send")
        if nothing is not None:
            origins["pfc.mode"] = nothing.origin("no congestion-notification-profile is bound, so no pause is sent")
        obey = self._own_obey(origins)
        return Pfc(PfcMode.ON if obey else PfcMode.OFF, obey=FrozenMap(obey), link_pause_rx=pause, link_pause_tx=pause)

    def _own_obey(self, origins: dict[str, Origin]) -> dict[int, frozenset[int]]:
        entry = self.nos.default("pfc.obey", family=self.context)
        if entry is None:
            return {}
        for priority, _ in entry.value:
            origins[f"pfc.obey.{priority}"] = entry.origin(
                "no output stanza is in force: priorities 3 and 4 stop queues 3 and 4"
            )
        return {p: frozenset({q}) for p, q in entry.value}

    def _obey(self, made: Pausing, origins: dict[str, Origin]) -> dict[int, frozenset[int]]:
        if made.output is None:
            return self._own_obey(origins)
        for priority, (_, line) in made.output.items():
            origins[f"pfc.obey.{priority}"] = line
        return {p: queues for p, (queues, _) in sorted(made.output.items()) if queues}

    # --- buffers ---

    def _groups(self, bound: Settings, pfc: Pfc, origins: dict[str, Origin]) -> dict[int, PriorityGroup]:
        name = bound.value("cnp")
        made = self.objects.pausing.get(name) if isinstance(name, str) else None
        out: dict[int, PriorityGroup] = {}
        for p in pfc.send:
            headroom: Quantity | Unknown = BY_SWITCH
            share = self.objects.parts.get(("ingress", "lossless-headroom"))
            if share is not None and share[0] == 0:
                headroom = quantity(0, Unit.BYTES)
                origins[f"group.{p}.headroom"] = share[1]
            out[p] = PriorityGroup(
                p,
                lossless=True,
                headroom=headroom,
                threshold=self._threshold("ingress", p, origins),
                xon_offset=self._resume(made, p, origins),
                pool="ingress lossless",
                headroom_by_device=headroom is BY_SWITCH,
            )
        return out

    def _threshold(self, direction: str, group: int, origins: dict[str, Origin]) -> Alpha | Unknown | None:
        said = self.objects.thresholds.get((direction, "lossless"))
        if said is not None:
            origins[f"group.{group}.threshold"] = said[1]
            return said[0]
        entry = self.nos.default("group.threshold", family=self.context)
        if entry is None:
            return None
        origins[f"group.{group}.threshold"] = entry.origin("no dynamic-threshold of the ingress lossless partition")
        return words.alpha_of(entry.value)

    def _resume(self, made: Pausing | None, group: int, origins: dict[str, Origin]) -> Quantity | Unknown | None:
        for point in made.points.values() if made is not None else ():
            if point.xon is not None and origins.get(f"pfc.send.{group}") == point.pfc:
                origins[f"group.{group}.xon_offset"] = point.xon[1]
                return point.xon[0]
        entry = self.nos.default("group.xon_offset", family=self.context, feature=self.family.buffers)
        if entry is None:
            return RESUME
        origins[f"group.{group}.xon_offset"] = entry.origin("no xon is said")
        return quantity(entry.value, Unit.CELLS)

    # --- watchdog ---

    def _watchdog(self, bound: Settings, pfc: Pfc, origins: dict[str, Origin]) -> Watchdog:
        name = bound.value("cnp")
        made = self.objects.pausing.get(name) if isinstance(name, str) else None
        if isinstance(pfc.mode, Unknown):
            return Watchdog(available=WATCHED, enabled=pfc.mode, priorities=pfc.mode)
        if made is None or made.watchdog is None:
            entry = self.nos.default("watchdog.enabled")
            if entry is not None:
                origins["watchdog.enabled"] = entry.origin("no pfc-watchdog is said")
            return Watchdog(available=True if self.family.buffers == UNIFORM else WATCHED, enabled=False)
        origins["watchdog.enabled"] = origins["watchdog.priorities"] = made.watchdog
        limits = self.nos.watchdog
        poll = self._time(made, "poll", limits["poll"]["default"], origins)
        restore = self._time(made, "restore", limits["restore"]["default"], origins)
        count, line = made.times.get("detect", (limits["detect"]["default"], None))
        origins["watchdog.detect"] = line or Default("2 polling intervals", Evidence.READ, limits["detect"]["source"])
        action, line = made.times.get("action", (None, None))
        if line is not None:
            origins["watchdog.action"] = line
        else:
            entry = self.nos.default("watchdog.action")
            action = WatchdogAction(entry.value) if entry else None
            if entry is not None:
                origins["watchdog.action"] = entry.origin("no watchdog-action is said")
        detect = Quantity(poll.amount * count, Unit.MILLISECONDS)  # type: ignore[operator]
        return Watchdog(
            available=True,
            enabled=True,
            priorities=frozenset(made.output or ()),
            detect=detect,
            restore=restore,
            poll=poll,
            action=action,  # type: ignore[arg-type]
            latch=False,
        )

    def _time(self, made: Pausing, what: str, default: int, origins: dict[str, Origin]) -> Quantity:
        value, line = made.times.get(what, (quantity(default, Unit.MILLISECONDS), None))
        origins[f"watchdog.{what}"] = line or Default(f"{default} ms", Evidence.READ, self.nos.watchdog[what]["source"])
        return value  # type: ignore[return-value]
