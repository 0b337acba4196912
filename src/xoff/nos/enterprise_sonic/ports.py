"""Enterprise SONiC: one port body, from the settings of the interface and of the switch to a PortQos with its origins."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Origin, Origins
from xoff.model.qos import (
    Classify,
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
from xoff.model.quantity import Fact, Quantity, Unit, Unknown, quantity
from xoff.nos.enterprise_sonic import words
from xoff.nos.enterprise_sonic.globals import LOSSLESS, Globals
from xoff.nos.enterprise_sonic.mode import Mode
from xoff.nos.enterprise_sonic.queues import QueueBuilder
from xoff.nos.registry import Implicit, Nos
from xoff.nos.settings import Settings

NO_MAP = Unknown("the port names no map, and how the ASIC then classifies is not confirmed", Fact.DEFAULT)
BY_DEVICE = Unknown("the device takes it from its own table by speed and cable length", Fact.TABLE)
NO_TIME = Unknown("the time is not said, and the default is not confirmed", Fact.DEFAULT)
LATER = Unknown(
    "release 4.1 has lossless groups 3 and 4 only, later releases are not confirmed; the release is not stated", Fact.RELEASE
)
NOT_MAPPED = "the map does not list it, and what the ASIC then does is not confirmed"
ALL = range(8)
Table = dict[int, int]


class PortBuilder:
    """Builds bodies. One per file; `nos` gives defaults, `shared` what holds for the switch, `mode` its buffers."""

    def __init__(self, nos: Nos, shared: Globals, mode: Mode) -> None:
        self.nos = nos
        self.shared = shared
        self.mode = mode
        self.queues = QueueBuilder(nos, shared, mode)

    def build(self, said: Settings) -> tuple[PortQos, Origins]:
        """The body of a port with these settings."""
        origins: dict[str, Origin] = {}
        classify = self._classify(said, origins)
        queue_map = self._queue_map(said, origins)
        group_map = self._group_map(said, origins)
        pfc = self._pfc(said, origins)
        groups = self._groups(said, pfc, origins)
        return (
            PortQos(
                classify=classify,
                tc_to_queue=queue_map,
                tc_to_group=group_map,
                rewrite_dscp=self._rewrite(said, "tc-dscp", origins),
                rewrite_pcp=self._rewrite(said, "tc-dot1p", origins),
                pfc=pfc,
                groups=FrozenMap(dict(sorted(groups.items()))),
                queues=FrozenMap(self.queues.build(said, origins)),
                watchdog=self._watchdog(said, pfc, origins),
            ),
            Origins(origins),
        )

    # --- maps ---

    def _default(self, path: str) -> Implicit | None:
        return self.nos.default(path, feature="roce" if self.mode.generated else None)

    def _table(self, said: Settings, kind: str, origins: dict[str, Origin]) -> Table | Unknown | None:
        """The map of the port. None: it names none; Unknown: the one it names is defined nowhere."""
        name, path = said.value(f"map.{kind}"), words.MAPS[kind].path
        if name is None:
            return None
        found = self.shared.maps.get((kind, name))
        if found is None:
            where = said.origin(f"map.{kind}")
            if where is not None:
                origins[path] = where
            return Unknown(f"qos map {kind} {name} is not defined")
        origins[path] = found.at
        for value, (_, line) in sorted(found.rows.items()):
            origins[f"{path}.{value}"] = line
        return {value: target for value, (target, _) in sorted(found.rows.items())}

    def _classify(self, said: Settings, origins: dict[str, Origin]) -> Classify:
        """The map that the port has is its trust: there is no other statement of it."""
        steps: list[Match] = []
        policy = said.value("policy")
        if isinstance(policy, str):
            where = said.origin("policy")
            if where is not None:
                origins["classify"] = where
            steps.append(Match(MatchKind.OPAQUE, frozenset(), Unknown(f"policy {policy} is not followed"), name=policy))
        read = {}
        for kind, match in (("dscp-tc", MatchKind.DSCP), ("dot1p-tc", MatchKind.PCP)):
            found = self._steps(said, kind, match, origins)
            read[match] = found is not None
            steps += found or ()
            where = said.origin(f"map.{kind}")
            if found is not None and where is not None:
                origins.setdefault("classify.trust", where)
        entry = self.nos.default("classify.default")
        if entry is not None:
            origins["classify.default"] = entry.origin("port default traffic class 0")
        dscp, pcp = read[MatchKind.DSCP], read[MatchKind.PCP]
        if not dscp and not pcp:
            return Classify(tuple(steps), NO_MAP, NO_MAP, NO_MAP, NO_MAP)
        tagged: HeaderField | Unknown = HeaderField.DSCP if dscp else HeaderField.PCP
        if dscp and pcp and not self.nos.relies_on("dscp-before-dot1p"):
            tagged = Unknown("which of a DSCP and an 802.1p map a tagged IP packet takes is not confirmed", Fact.DEFAULT)
        return Classify(
            tuple(steps),
            tagged_ip=tagged,
            untagged_ip=HeaderField.DSCP if dscp else HeaderField.PORT,
            non_ip=HeaderField.PCP if pcp else HeaderField.PORT,
            default_tc=0,
        )

    def _steps(self, said: Settings, kind: str, match: MatchKind, origins: dict[str, Origin]) -> list[Match] | None:
        """One step per traffic class; what the map leaves out goes where the NOS's own default puts it."""
        table, path = self._table(said, kind, origins), words.MAPS[kind].path
        everything = frozenset(range(words.MAPS[kind].keys + 1))
        if isinstance(table, Unknown):
            return [Match(match, everything, table)]
        if table is None:
            entry = self._default(path) if said.origin(f"map.{kind}") is None else None
            if entry is None:
                return None
            table = _ranges(entry)
            origins[path] = entry.origin("`roce enable`: its own map")
        steps = _grouped(match, table)
        rest = everything - set(table)
        entry = self.nos.default("classify.unlisted")
        if rest:
            steps.append(Match(match, rest, Unknown(NOT_MAPPED, Fact.DEFAULT) if entry is None else entry.value))
            if entry is not None:
                note = entry.origin("the map does not list it: traffic class 0")
                origins |= {f"{path}.{value}": note for value in sorted(rest)}
        return steps

    def _queue_map(self, said: Settings, origins: dict[str, Origin]) -> FrozenMap[int, int | Unknown]:
        table = self._table(said, "tc-queue", origins)
        if table is None:
            entry = self._default("tc_to_queue")
            if entry is None:
                return FrozenMap(dict.fromkeys(ALL, Unknown("no tc-queue map", Fact.DEFAULT)))
            generated = entry.value == "identity"
            origins["tc_to_queue"] = entry.origin(
                "`roce enable`: traffic class n to queue n" if generated else "no tc-queue map: all packets to queue 0"
            )
            return FrozenMap({n: n if generated else 0 for n in ALL})
        return _total(table)

    def _group_map(self, said: Settings, origins: dict[str, Origin]) -> FrozenMap[int, int | Unknown]:
        table = self._table(said, "tc-pg", origins)
        if isinstance(table, Unknown):
            return _total(table)
        entry = self._default("tc_to_group") if table is None else self.nos.default("tc_to_group")
        if entry is None:
            return _total(table or {})
        unlisted = {n: group for n, group in _ranges(entry).items() if n not in (table or {})}
        note = entry.origin("no tc-pg map" if table is None else "the map does not list it")
        if table is None:
            origins["tc_to_group"] = note
        else:
            origins |= {f"tc_to_group.{n}": note for n in unlisted}
        return FrozenMap(dict(sorted({**unlisted, **(table or {})}.items())))

    def _rewrite(self, said: Settings, kind: str, origins: dict[str, Origin]) -> FrozenMap[int, int]:
        table = self._table(said, kind, origins)
        return FrozenMap(table if isinstance(table, dict) else {})

    # --- PFC ---

    def _pfc(self, said: Settings, origins: dict[str, Origin]) -> Pfc:
        on = frozenset(n for n in ALL if said.value(f"pfc.priority.{n}"))
        for n in ALL:
            where = said.origin(f"pfc.priority.{n}")
            if where is not None:
                origins[f"pfc.no_drop.{n}"] = where
                origins.setdefault("pfc.mode", where)
        if not on and not any(said.origin(f"pfc.priority.{n}") for n in ALL):
            entry = self._default("pfc.no_drop")
            if entry is not None:
                on = self.shared.priorities if self.mode.generated and self.shared.priorities else frozenset(entry.value)
                note = entry.origin("`roce enable`: PFC on its priorities" if on else "no priority-flow-control priority")
                origins["pfc.mode"] = note
                origins |= {f"pfc.no_drop.{n}": note for n in sorted(on)}
        asymmetric = said.value("pfc.asymmetric")
        mode = PfcMode.ON if on else PfcMode.OFF
        return Pfc(
            mode,
            on,
            self._send(said, on, origins),
            self._obey(said, frozenset(ALL) if asymmetric else on, origins),
            asymmetric=asymmetric,
        )

    def _send(self, said: Settings, on: frozenset[int], origins: dict[str, Origin]) -> FrozenMap[int, frozenset[int]]:
        """Group -> priorities. Without a pfc-priority-pg map group n pauses priority n."""
        lines: dict[str, Origin] = {}
        table = self._table(said, "pfc-priority-pg", lines)
        send: dict[int, frozenset[int]] = {}
        for p in sorted(on):
            group = table.get(p) if isinstance(table, dict) else p
            if group is None:
                continue
            send[group] = send.get(group, frozenset()) | {p}
            where = lines.get(f"pfc.send.{p}")
            if where is None:
                rest = next((s for s in self.nos.structure if s.key == "group-pauses-priority"), None)
                where = None if rest is None else Implicit({}, None, rest.evidence, rest.source).origin(rest.text)
            if where is not None:
                origins[f"pfc.send.{group}"] = where
        return FrozenMap(send)

    def _obey(self, said: Settings, on: frozenset[int], origins: dict[str, Origin]) -> FrozenMap[int, frozenset[int]]:
        """Priority received -> the queue that it stops, by the pfc-priority-queue map."""
        lines: dict[str, Origin] = {}
        table = self._table(said, "pfc-priority-queue", lines)
        if isinstance(table, dict):
            origins |= {k: o for k, o in lines.items() if k == "pfc.obey" or int(k.rpartition(".")[2]) in on}
            return FrozenMap({p: frozenset({table[p]}) for p in sorted(on) if p in table})
        entry = self._default("pfc.obey")
        note = "no pfc-priority-queue map: taken to stop the queue of the priority's own number"
        if entry is None:
            rest = next((s for s in self.nos.structure if s.key == "config-db"), None)
            entry = None if rest is None else Implicit({}, None, rest.evidence, rest.source)
        if entry is not None:
            origins |= {f"pfc.obey.{p}": entry.origin(note) for p in sorted(on)}
        return FrozenMap({p: frozenset({p}) for p in sorted(on)})

    # --- groups ---

    def _groups(self, said: Settings, pfc: Pfc, origins: dict[str, Origin]) -> dict[int, PriorityGroup]:
        out: dict[int, PriorityGroup] = {}
        for n in ALL:
            name = said.value(f"buffer.group.{n}")
            where = said.origin(f"buffer.group.{n}")
            if name is not None and where is not None:
                out[n] = self._bound(n, name, where, origins)
        mode = self.mode.lossless
        if isinstance(mode, Unknown):
            return {g: PriorityGroup(g, mode, mode, mode, mode, mode, None, mode) for g in pfc.send if g not in out} | out
        entry = self.nos.default("group.lossless", feature="lossless" if mode else "lossy")
        if entry is None:
            return out
        own = self.shared.priorities or frozenset(entry.value)
        where = self.mode.at or entry.origin("neither `buffer init lossless` nor `roce enable`: the SDK's own lossy buffers")
        for g in sorted({*(own if mode else ()), *pfc.send, *out}):
            if g in out:
                if not mode:
                    # The pool of its profile exists in lossless mode only, so nothing of the profile holds.
                    for path in [path for path in origins if path.startswith(f"group.{g}.")]:
                        del origins[path]
                    origins[f"group.{g}"] = where
                    out[g] = PriorityGroup(g, False, profile=out[g].profile)
                continue
            origins[f"group.{g}"] = where
            if g in own and mode:
                out[g] = self._by_device(g, said, origins)
            else:
                out[g] = PriorityGroup(g, False if not mode or self.mode.four_one else LATER)
        if mode and 7 not in out:
            origins["group.7"] = where
            out[7] = PriorityGroup(7, False, pool=LOSSLESS)
        return out

    def _bound(self, n: int, name: str, where: Origin, origins: dict[str, Origin]) -> PriorityGroup:
        path = f"group.{n}"
        origins[path] = origins[f"{path}.profile"] = where
        profile = self.shared.profiles.get(name)
        if profile is None:
            why = Unknown(f"buffer profile {name} is not defined")
            return PriorityGroup(n, why, why, why, why, why, None, why, name)
        for part, value in (
            ("reserved", profile.reserved),
            ("threshold", profile.threshold),
            ("headroom", profile.headroom),
            ("xon", profile.xon),
            ("xon_offset", profile.xon_offset),
            ("pool", profile.pool),
        ):
            if value is not None:
                origins[f"{path}.{part}"] = profile.at
        return PriorityGroup(
            n,
            profile.pause,
            profile.reserved,
            profile.headroom,
            profile.threshold,
            profile.xon,
            profile.xon_offset,
            profile.pool,
            name,
        )

    def _by_device(self, n: int, said: Settings, origins: dict[str, Origin]) -> PriorityGroup:
        """The device's own profile for the port's speed and cable length, unless the port asks for none."""
        if said.value("buffer.default") is False:
            where = said.origin("buffer.default")
            if where is not None:
                origins[f"group.{n}"] = where
            return PriorityGroup(n, False)
        metres = said.value("cable")
        entry = self.nos.default("port.cable", feature="lossless")
        if metres is None and entry is not None:
            metres = entry.value
        group = PriorityGroup(n, True, BY_DEVICE, BY_DEVICE, BY_DEVICE, BY_DEVICE, None, LOSSLESS, headroom_by_device=True)
        return replace(group, headroom_for_m=metres)

    # --- watchdog ---

    def _watchdog(self, said: Settings, pfc: Pfc, origins: dict[str, Origin]) -> Watchdog:
        on, where = said.value("watchdog.on"), said.origin("watchdog.on")
        if where is not None:
            origins["watchdog.enabled"] = where
        else:
            entry = self.nos.default("watchdog.enabled")
            if entry is not None:
                origins["watchdog.enabled"] = entry.origin("no `priority-flow-control watchdog on`")
        if not on or not pfc.no_drop:
            return Watchdog(available=True, enabled=False)
        times: dict[str, Any] = {}
        for what in ("detect", "restore"):
            times[what] = said.value(f"watchdog.{what}", NO_TIME)
            at = said.origin(f"watchdog.{what}")
            if at is not None:
                origins[f"watchdog.{what}"] = at
        action = said.value("watchdog.action")
        at = said.origin("watchdog.action")
        if action is None:
            entry = self.nos.default("watchdog.action")
            action = Unknown("the action is not said", Fact.DEFAULT) if entry is None else WatchdogAction(entry.value)
            at = at or (None if entry is None else entry.origin("no watchdog action is said"))
        if at is not None:
            origins["watchdog.action"] = at
        return Watchdog(True, True, pfc.no_drop, times["detect"], times["restore"], self._poll(origins), action)

    def _poll(self, origins: dict[str, Origin]) -> Quantity | Unknown:
        shared = self.shared.settings
        said = shared.value("watchdog.poll")
        if said is not None:
            where = shared.origin("watchdog.poll")
            if where is not None:
                origins["watchdog.poll"] = where
            return said  # type: ignore[no-any-return]
        entry = self.nos.default("watchdog.poll")
        if entry is None:
            return NO_TIME
        origins["watchdog.poll"] = entry.origin("no polling-interval is said")
        return quantity(entry.value, Unit.MILLISECONDS)


def _ranges(entry: Implicit) -> Table:
    """`[first, last, target]` rows as a table."""
    return {n: to for first, last, to in entry.value for n in range(first, last + 1)}


def _grouped(kind: MatchKind, table: Table) -> list[Match]:
    by: dict[int, set[int]] = {}
    for value, tc in table.items():
        by.setdefault(tc, set()).add(value)
    return [Match(kind, frozenset(by[tc]), tc) for tc in sorted(by)]


def _total(table: Table | Unknown) -> FrozenMap[int, int | Unknown]:
    """All eight; what the map leaves out is unknown."""
    if isinstance(table, Unknown):
        return FrozenMap(dict.fromkeys(ALL, table))
    missing = Unknown(NOT_MAPPED, Fact.DEFAULT)
    return FrozenMap({n: table.get(n, missing) for n in ALL})
