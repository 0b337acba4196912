"""Comware: one port body, from settings of the interface, the WRED table it applies and the switch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Origin, Origins
from xoff.model.qos import (
    Classify,
    Colour,
    HeaderField,
    Match,
    MatchKind,
    Pfc,
    PfcMode,
    PortQos,
    PriorityGroup,
    Watchdog,
    WatchdogAction,
)
from xoff.model.quantity import Fact, Unknown
from xoff.nos.comware.globals import Globals
from xoff.nos.comware.policy import Policies
from xoff.nos.comware.queues import queues
from xoff.nos.registry import Nos
from xoff.nos.settings import Setting, Settings

ALL = range(8)
CHIP = Unknown("no headroom is stated, and what the chip takes by default is not published", Fact.DEFAULT)
NON_IP = Unknown("what a port that trusts DSCP reads of frames that are not IP is not confirmed", Fact.DEFAULT)
LATER = "PFC is said in system view and on the interface, and they differ: the later command holds, which a file does not show"
NO_DELAY = Unknown(
    "auto-recover has no delay for a watched priority; whether it then recovers by itself is not confirmed", Fact.DEFAULT
)
THRESHOLD = Unknown("what a deadlock threshold without error-down does is not confirmed", Fact.DEFAULT)
BY_LOCAL = Unknown(
    "whether a deadlock cos counts 802.1p or local precedence decides here, and that is not confirmed", Fact.DEFAULT
)


class PortBuilder:
    """Builds bodies. One per file; `nos` gives defaults, `shared` what holds for the switch, `tables` the WRED tables."""

    def __init__(
        self, nos: Nos, shared: Globals, policies: Policies, tables: Mapping[str, Settings], family: str | None
    ) -> None:
        self.nos = nos
        self.shared = shared
        self.policies = policies
        self.tables = tables
        self.family = family
        by: dict[tuple[int | Unknown, Colour], set[int]] = {}
        for dscp, target in shared.dscp.items():
            by.setdefault(target, set()).add(dscp)
        self._dscp = tuple(Match(MatchKind.DSCP, frozenset(v), tc, colour) for (tc, colour), v in by.items())
        self._pcp = tuple(Match(MatchKind.PCP, frozenset({n}), n) for n in ALL)

    def build(self, said: Settings) -> tuple[PortQos, Origins]:
        """The body of a port with these settings."""
        origins: dict[str, Origin] = dict(self.shared.origins)
        structure = next((s for s in self.nos.structure if s.key == "dot1p"), None)
        if structure is not None:
            origins["tc_to_group"] = origins["classify.pcp"] = _structure(structure)
        classify = self._classify(said, origins)
        pfc = self._pfc(said, origins)
        groups = self._groups(said, pfc.no_drop, origins)
        found = queues(said, self.tables, self.shared, self.nos, origins)
        qos = PortQos(
            classify=classify,
            tc_to_queue=FrozenMap(self.shared.queue),
            tc_to_group=FrozenMap((n, n) for n in ALL),
            pfc=pfc,
            groups=FrozenMap(groups),
            queues=FrozenMap(found),
            watchdog=self._watchdog(said, pfc, origins),
        )
        return qos, Origins(origins)

    # --- classification ---

    def _classify(self, said: Settings, origins: dict[str, Origin]) -> Classify:
        trust, where = said.value("trust"), said.origin("trust")
        if trust is None:
            entry = self.nos.default("classify.trust", family=self.family)
            if entry is None:
                trust = Unknown("what a port without `qos trust` reads depends on the model", Fact.DEFAULT)
            else:
                trust, where = HeaderField(entry.value), entry.origin("no `qos trust` on the port")
        if where is not None:
            origins["classify.trust"] = where
        tagged: HeaderField | Unknown = trust
        untagged: HeaderField | Unknown = HeaderField.PORT if trust is HeaderField.PCP else trust
        non_ip: HeaderField | Unknown = NON_IP if trust is HeaderField.DSCP else trust
        matches: list[Match] = []
        inbound = [(name, line) for name, way, line in self.shared.policies if way == "inbound"]
        policy, at = said.value("policy.inbound"), said.origin("policy.inbound")
        for name, line in [*([(policy, at)] if policy else []), *inbound]:
            for match, step in self.policies.matches(name, trust is HeaderField.DSCP):
                matches.append(match)
                by = step or line
                if by is not None:
                    origins.setdefault("classify", by)
                    for value in match.values:
                        origins[f"classify.dscp.{value}"] = by
        if self.shared.remapped:
            why = Unknown("a dscp-dscp table changes DSCPs, and whether before or after they are mapped is not confirmed")
            matches.append(Match(MatchKind.OPAQUE, frozenset(), why, name="dscp-dscp"))
        matches += [*self._dscp, *self._pcp]
        return Classify(tuple(matches), tagged, untagged, non_ip, self._default_tc(said, origins))

    def _default_tc(self, said: Settings, origins: dict[str, Origin]) -> int | Unknown:
        """The port's own priority, for frames of which nothing is read."""
        value: int | Unknown | None = said.value("priority")
        where = said.origin("priority")
        if value is None:
            entry = self.nos.default("classify.default", family=self.family)
            if entry is None:
                return Unknown("the port priority where none is set is not known", Fact.DEFAULT)
            value, where = entry.value, entry.origin("no `qos priority` on the port")
        if where is not None:
            origins["classify.default"] = where
        return value

    # --- PFC ---

    def _both(self, said: Settings, name: str) -> tuple[Any, Origin | None, bool]:
        """(value, origin, whether system view and interface differ). The later command holds, and a file does not show it."""
        own, shared = said.said.get(name), self.shared.settings.said.get(name)
        if own is None or own.value is None:
            return (shared.value, shared.origin, False) if shared is not None else (None, None, False)
        if shared is None or shared.value is None or shared.value == own.value:
            return own.value, own.origin, False
        return own.value, own.origin, True

    def _pfc(self, said: Settings, origins: dict[str, Origin]) -> Pfc:
        mode, where, differ = self._both(said, "pfc.mode")
        found, listed, differ_too = self._both(said, "pfc.no_drop")
        no_drop: frozenset[int] = found if found is not None else frozenset()
        if where is None:
            entry = self.nos.default("pfc.mode")
            mode = PfcMode(entry.value) if entry else Unknown("Comware's default of PFC is not known", Fact.DEFAULT)
            where = entry.origin("no `priority-flow-control enable`") if entry else None
        if where is not None:
            origins["pfc.mode"] = where
        if mode is None:
            mode = PfcMode.OFF
        if differ or (differ_too and mode is not PfcMode.OFF):
            mode = Unknown(LATER)
        if listed is None:
            entry = self.nos.default("pfc.no_drop")
            listed = entry.origin("no `priority-flow-control no-drop dot1p`") if entry else None
        if listed is not None:
            origins["pfc.no_drop"] = listed
            for n in no_drop:
                origins[f"pfc.no_drop.{n}"] = origins[f"pfc.send.{n}"] = origins[f"pfc.obey.{n}"] = listed
        for way in ("rx", "tx"):
            pause = said.origin(f"pause.{way}")
            if pause is not None:
                origins[f"pfc.link_pause.{way}"] = pause
        send = FrozenMap((n, frozenset({n})) for n in sorted(no_drop))
        obey = {}
        for n in sorted(no_drop):
            queue = self.shared.queue.get(n)
            obey[n] = frozenset({queue}) if isinstance(queue, int) else frozenset()
        return Pfc(mode, no_drop, send, FrozenMap(obey), None, said.value("pause.rx"), said.value("pause.tx"))

    # --- buffers ---

    def _groups(self, said: Settings, no_drop: frozenset[int], origins: dict[str, Origin]) -> dict[int, PriorityGroup]:
        sized: dict[int, dict[str, Setting]] = {}
        for name, setting in said.said.items():
            if name.startswith("group.") and setting.value is not None:
                _, number, what = name.split(".")
                sized.setdefault(int(number), {})[what] = setting
        out: dict[int, PriorityGroup] = {}
        for g in sorted(set(sized) | no_drop):
            values: dict[str, Any] = {what: s.value for what, s in sized.get(g, {}).items()}
            for what, s in sized.get(g, {}).items():
                origins[f"group.{g}.{what}"] = s.origin
            if g in no_drop and "headroom" not in values:
                values |= {"headroom": CHIP, "headroom_by_device": True}
            at = origins.get(f"pfc.no_drop.{g}") or next((s.origin for s in sized.get(g, {}).values()), None)
            if at is not None:
                origins[f"group.{g}"] = at
            out[g] = PriorityGroup(g, g in no_drop, **values)
        return out

    # --- deadlock detection ---

    def _watched(self, no_drop: frozenset[int], origins: dict[str, Origin]) -> frozenset[int] | Unknown:
        """No-drop priorities that some `deadlock cos … interval` names."""
        found: set[int] = set()
        for n in sorted(no_drop):
            local = self.shared.queue.get(n)
            own = self.shared.cos.get((n, "interval"))
            other = self.shared.cos.get((local, "interval")) if isinstance(local, int) else own
            if (own is None) != (other is None):
                return BY_LOCAL
            if own is not None:
                found.add(n)
                origins.setdefault("watchdog.priorities", own.origin)
        if not found:
            entry = self.nos.default("watchdog.priorities")
            if entry is not None:
                origins["watchdog.priorities"] = entry.origin("no `deadlock cos … interval` names a no-drop priority")
        return frozenset(found)

    def _watchdog(self, said: Settings, pfc: Pfc, origins: dict[str, Origin]) -> Watchdog:
        """Both the interface and an interval for the priority in system view are needed."""
        where = said.origin("watchdog.enabled")
        if not said.value("watchdog.enabled"):
            entry = self.nos.default("watchdog.enabled")
            if where is None and entry is not None:
                where = entry.origin("no `priority-flow-control deadlock enable`")
            if where is not None:
                origins["watchdog.enabled"] = where
            return Watchdog(available=True, enabled=False)
        watched = self._watched(pfc.no_drop, origins)
        if pfc.mode is PfcMode.OFF or watched == frozenset():
            return Watchdog(available=True, enabled=False)
        if where is not None:
            origins["watchdog.enabled"] = where
        if isinstance(watched, Unknown):
            return Watchdog(available=True, enabled=watched, priorities=watched, latch=watched)
        return Watchdog(
            available=True,
            enabled=pfc.mode if isinstance(pfc.mode, Unknown) else True,
            priorities=watched,
            detect=self._steps(watched, "interval", origins, "watchdog.detect"),
            restore=self._steps(watched, "delay", origins, "watchdog.restore"),
            action=self._action(origins),
            latch=self._latch(said, watched, origins),
        )

    def _steps(self, watched: frozenset[int], what: str, origins: dict[str, Origin], path: str) -> Unknown | None:
        """A number of steps: what a step lasts stands in no text, so no time can be told."""
        found = [s for n in sorted(watched) if (s := self.shared.cos.get((n, what))) is not None]
        if not found:
            return None
        origins[path] = found[0].origin
        precision = self.shared.settings.value("watchdog.precision", "normal")
        counts = ", ".join(dict.fromkeys(str(s.value) for s in found))
        return Unknown(f"{what} {counts}: how long a step of precision {precision} is stands in no text", Fact.DEFAULT)

    def _action(self, origins: dict[str, Origin]) -> WatchdogAction | Unknown:
        settings = self.shared.settings
        action: WatchdogAction | Unknown | None = settings.value("watchdog.action")
        where = settings.origin("watchdog.action")
        if action is None:
            entry = self.nos.default("watchdog.action")
            if entry is None:
                return Unknown("Comware's default action is not known", Fact.DEFAULT)
            action, where = _ACTIONS[entry.value], entry.origin("no `deadlock auto-recover action`")
        if where is not None:
            origins["watchdog.action"] = where
        return action

    def _latch(self, said: Settings, watched: frozenset[int], origins: dict[str, Origin]) -> bool | Unknown:
        recover, where = said.value("watchdog.recover"), said.origin("watchdog.recover")
        if recover is None:
            entry = self.nos.default("watchdog.recover")
            recover, where = (entry.value, entry.origin("no `recover-mode`")) if entry else ("auto", None)
        if where is not None:
            origins["watchdog.latch"] = where
        if recover == "manual":
            return True
        limits = [s for n in sorted(watched) if (s := self.shared.cos.get((n, "threshold"))) is not None]
        for s in limits:
            origins["watchdog.latch"] = s.origin
            if s.value == "error-down":
                return True
        if limits:
            return THRESHOLD
        return False if all((n, "delay") in self.shared.cos for n in watched) else NO_DELAY


_ACTIONS = {"forwarding": WatchdogAction.FORWARD, "discard": WatchdogAction.DROP}


def _structure(found: Any) -> Origin:
    from xoff.model.origin import Default

    return Default(found.text, found.evidence, found.source)
