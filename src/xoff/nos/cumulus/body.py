"""One port of Cumulus Linux: from what is said of it, its profiles and the switch to a PortQos with its origins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Default, Evidence, Origin, Origins
from xoff.model.qos import (
    Classify,
    HeaderField,
    Match,
    MatchKind,
    Pfc,
    PfcMode,
    PortQos,
    QueueId,
    QueueKind,
    Static,
    Watchdog,
    WatchdogAction,
)
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.nos.cumulus.buffers import Fixed, groups, with_limit
from xoff.nos.cumulus.device import Device
from xoff.nos.cumulus.queues import Queues
from xoff.nos.cumulus.state import GLOBAL, MAPPING, PAUSE, PFC, REMARK, PortSaid, Profile, Said

#: Trust mode -> (tagged IP, untagged IP, non-IP); G514's table of classifications.
READS = {
    "l2": (HeaderField.PCP, HeaderField.PORT, HeaderField.PCP),
    "l3": (HeaderField.DSCP, HeaderField.DSCP, HeaderField.PORT),
    "both": (HeaderField.DSCP, HeaderField.DSCP, HeaderField.PCP),
    "port": (HeaderField.PORT, HeaderField.PORT, HeaderField.PORT),
}
OLD = Unknown("NCLU says nothing of QoS; it stands in traffic.conf and datapath.conf, which are not in the input", Fact.CONFIG)


class Bodies(Queues):
    """Builds the bodies of one switch; equal ports get one object."""

    def __init__(self, device: Device) -> None:
        super().__init__(device)
        self._made: dict[object, tuple[PortQos, Origins]] = {}
        structure = next(s for s in self.nos.structure if s.key == "priority-group")
        self._structure = Default(structure.text, structure.evidence, structure.source)

    def of(self, port: PortSaid) -> tuple[PortQos, Origins]:
        """The body of a port, made once for all ports that are bound and watched alike."""
        watched = port.values.get("watchdog")
        key = (*((k, s.value, s.origin) for k, s in sorted(port.bound.items())), watched)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._build(port)
        return found

    def of_all(self, port: PortSaid) -> tuple[PortQos, Origins]:
        """The body of every port that is bound to nothing; whether it is watched stands on the ports, which are not here."""
        qos, origins = self._build(port)
        why = Unknown("no port is named in the input, and the PFC watchdog is set per port", Fact.CONFIG)
        return replace(qos, watchdog=Watchdog(self.device.has_watchdog, why, why), _hash=0), Origins(origins)

    def _build(self, port: PortSaid) -> tuple[PortQos, Origins]:
        device = self.device
        if self.state.kinds == {"nclu"}:
            w = Watchdog(available=False)
            return PortQos(Classify((), OLD, OLD, OLD, OLD), pfc=Pfc(OLD), watchdog=w, unread=OLD), Origins()
        origins: dict[str, Origin] = {}
        classify = self._classify(port, origins)
        origins.update(device.queue_origins)
        queue_of = device.queue_of
        pfc, sends = self._pfc(port, origins)
        layout = device.layout(pfc.no_drop)
        group, of = groups(layout, sends, device.limits, self._fixed(port, pfc.no_drop), origins, self._structure)
        queues = {}
        for n in sorted(set(queue_of.values())):
            using = frozenset(p for p, q in queue_of.items() if q == n)
            queues[QueueId(QueueKind.UNICAST, n)] = with_limit(
                self.queue(port, n, origins), layout, using, pfc.no_drop, device.limits, origins
            )
        rewrite = self._profile(port, REMARK)
        dscp, pcp = self._remark(rewrite, "l3", "dscp", origins), self._remark(rewrite, "l2", "pcp", origins)
        qos = PortQos(
            classify=classify,
            tc_to_queue=FrozenMap(queue_of),
            tc_to_group=FrozenMap(of),
            rewrite_dscp=FrozenMap(dscp),
            rewrite_pcp=FrozenMap(pcp),
            pfc=pfc,
            groups=FrozenMap(group),
            queues=FrozenMap(queues),
            watchdog=self._watchdog(port, pfc.no_drop, origins),
            unread=None,
        )
        return qos, Origins(origins)

    # --- classification ---

    def _classify(self, port: PortSaid, origins: dict[str, Origin]) -> Classify:
        missing = self._missing(port, MAPPING)
        if missing is not None:
            origins["classify"] = port.bound[MAPPING].origin if MAPPING in port.bound else self._structure
            return Classify((), missing, missing, missing, missing)
        profile = self._profile(port, MAPPING)
        values: Mapping[str, Said] = {} if profile is None else profile.values
        trust = self._said(values.get("trust"), "classify.trust", "no trust is set", origins)
        default: Any = self._said(values.get("port-default-sp"), "classify.default", "no port-default-sp is set", origins)
        if default is None:
            default = Unknown("the default switch priority of a port is not known", Fact.DEFAULT)
        fields = READS.get(trust) if isinstance(trust, str) else None
        if fields is None:
            why = trust if isinstance(trust, Unknown) else self.device.unknown_mode
            return Classify((), why, why, why, default)
        matches: list[Match] = []
        if HeaderField.DSCP in fields:
            matches += self._map(values, MatchKind.DSCP, "dscp", 64, default, origins)
        if HeaderField.PCP in fields:
            matches += self._map(values, MatchKind.PCP, "pcp", 8, default, origins)
        return Classify(tuple(matches), *fields, default)

    def _said(self, said: Said | None, path: str, note: str, origins: dict[str, Origin]) -> Any:
        """A value as said, else its default (None where none is sourced)."""
        if said is not None:
            origins[path] = said.origin
            return said.value
        entry = self._default(path)
        if entry is None:
            return None
        origins[path] = entry.origin(note)
        return entry.value

    def _map(
        self, values: Mapping[str, Said], kind: MatchKind, field: str, count: int, default: Any, origins: dict[str, Origin]
    ) -> list[Match]:
        path = f"classify.{kind.value}"
        of: dict[int, int | Unknown] = {}
        explicit = values.get(f"map.{field}")
        if explicit is not None:
            # A flat file's lists are the whole map: what none of them names gets the port's own priority.
            of = dict.fromkeys(range(count), default)
            empty = values.get(f"empty.{field}")
            origins[path] = (empty or explicit).origin
        elif self.device.flat and kind is MatchKind.DSCP:
            of = dict.fromkeys(
                range(count),
                Unknown("no dscp line is in force in qos_features.conf; what holds then is not confirmed", Fact.DEFAULT),
            )
        else:
            entry = self._default(path)
            if entry is None:
                of = dict.fromkeys(range(count), self.device.unknown_mode)
            else:
                ranges = [[n, n, n] for n in range(8)] if entry.value == "identity" else entry.value
                of = {v: p for first, last, p in ranges for v in range(first, last + 1)}
                origins[path] = entry.origin(
                    f"Cumulus Linux's own map of {'DSCP' if count == 64 else '802.1p'} to switch priority"
                )
        for value in range(count):
            said = values.get(f"{value}.{field}")
            if said is not None:
                of[value] = said.value
                origins[f"{path}.{value}"] = said.origin
        by: dict[int | Unknown, set[int]] = {}
        for value, priority in sorted(of.items()):
            by.setdefault(priority, set()).add(value)
        return [Match(kind, frozenset(found), priority) for priority, found in sorted(by.items(), key=lambda x: min(x[1]))]

    def _remark(self, profile: Profile | None, layer: str, field: str, origins: dict[str, Origin]) -> dict[int, int]:
        if profile is None or not profile.value(layer):
            return {}
        out = {}
        for priority, said in sorted(profile.indexed(field), key=lambda x: x[0]):
            out[priority] = int(said.value)
            origins[f"rewrite.{field}.{priority}"] = said.origin
        return out

    # --- PFC ---

    def _pfc(self, port: PortSaid, origins: dict[str, Origin]) -> tuple[Pfc, frozenset[int]]:
        """PFC of the port, and the switch priorities that pause their sender."""
        rx_pause, tx_pause = self._pause(port, origins)
        missing = self._missing(port, PFC)
        if missing is not None:
            origins["pfc.mode"] = port.bound[PFC].origin
            return Pfc(missing, link_pause_rx=rx_pause, link_pause_tx=tx_pause), frozenset()
        profile = self._profile(port, PFC)
        said = {} if profile is None else dict(profile.indexed("priority"))
        lines: dict[int, Origin] = {p: s.origin for p, s in said.items()}
        if not said and self._name(port, PFC) == GLOBAL:
            entry = None if self.device.flat else self._default("pfc.no_drop")
            if entry is None and not self.device.flat:
                return Pfc(self.device.unknown_mode, link_pause_rx=rx_pause, link_pause_tx=tx_pause), frozenset()
            note = f"RoCE mode {self.device.mode}" if self.device.mode != "off" else "no PFC is configured"
            given = () if entry is None else entry.value
            where: Origin = (
                entry.origin(note)
                if entry is not None
                else Default(note, Evidence.READ, "G514: PFC is off until a port group has it")
            )
            origins["pfc.mode"] = self.device.mode_origin or where
            lines = dict.fromkeys(given, self.device.mode_origin or where)
        priorities = frozenset(lines)
        tx, rx = (True if profile is None else profile.value(way, True) for way in ("tx", "rx"))
        if not priorities or not (tx or rx):
            if profile is not None:
                off = profile.values.get("tx") or profile.values.get("rx") or profile.values.get("priorities")
                if off is not None:
                    origins["pfc.mode"] = off.origin
            return Pfc(link_pause_rx=rx_pause, link_pause_tx=tx_pause), frozenset()
        origins.setdefault("pfc.mode", lines[min(priorities)])
        for p in sorted(priorities):
            origins[f"pfc.no_drop.{p}"] = lines[p]
            for path, way in (("send", "tx"), ("obey", "rx")):
                own = None if profile is None else profile.values.get(way)
                origins[f"pfc.{path}.{p}"] = lines[p] if own is None else own.origin
        queue_of = self.device.queue_of
        send = {p: frozenset({p}) for p in sorted(priorities)} if tx else {}
        obey = {p: frozenset({queue_of[p]}) for p in sorted(priorities)} if rx else {}
        pfc = Pfc(
            PfcMode.ON, priorities, FrozenMap(send), FrozenMap(obey), link_pause_rx=rx_pause, link_pause_tx=tx_pause
        )  # fmt: skip
        return pfc, frozenset(send)

    def _pause(self, port: PortSaid, origins: dict[str, Origin]) -> tuple[bool | None, bool | None]:
        bound = port.bound.get(PAUSE) or self.state.device.get(f"all.{PAUSE}")
        if bound is None:
            return None, None
        profile = self._profile(port, PAUSE)
        found = []
        for way in ("rx", "tx"):
            said = None if profile is None else profile.values.get(way)
            found.append(True if said is None else bool(said.value))
            origins[f"pfc.link_pause.{way}"] = bound.origin if said is None else said.origin
        return found[0], found[1]

    def _fixed(self, port: PortSaid, priorities: frozenset[int]) -> Fixed:
        """The profile's own buffer numbers, which replace what the switch computes."""
        profile = self._profile(port, PFC)
        own = Fixed() if self.device.cable(self._name(port, PFC)) else Fixed(made_for=self.device.assumed_cable())
        if profile is None:
            return own
        size, xoff, xon = (profile.values.get(k) for k in ("port-buffer", "xoff-threshold", "xon-threshold"))
        if size is None and xoff is None:
            return own
        headroom: Quantity | Unknown
        if size is None or xoff is None:
            headroom = Unknown(
                "only one of port-buffer and xoff-threshold is set; what the switch takes for the other is not confirmed"
            )
        elif len(priorities) > 1:
            headroom = Unknown("how port-buffer is divided among several lossless priorities is not confirmed", Fact.DEFAULT)
        else:
            headroom = Quantity(Fraction(max(0, size.value - xoff.value)), Unit.BYTES)
        at = (size or xoff).origin  # type: ignore[union-attr]
        return Fixed(
            (headroom, at),
            None if xoff is None else (Static(Quantity(Fraction(xoff.value), Unit.BYTES)), xoff.origin),
            None if xon is None else (Quantity(Fraction(xon.value), Unit.BYTES), xon.origin),
        )

    # --- watchdog ---

    def _watchdog(self, port: PortSaid, priorities: frozenset[int], origins: dict[str, Origin]) -> Watchdog:
        said = port.values.get("watchdog")
        available = self.device.has_watchdog
        if said is None or not said.value:
            entry = self.nos.default("watchdog.enabled")
            if said is not None:
                origins["watchdog.enabled"] = said.origin
            elif entry is not None:
                origins["watchdog.enabled"] = entry.origin("the PFC watchdog is off on a port unless it is enabled there")
            return Watchdog(available=available, enabled=False)
        origins["watchdog.enabled"] = origins["watchdog.priorities"] = said.origin
        times, lines = self.device.watchdog_times()
        origins.update(lines)
        return Watchdog(
            available, True, priorities, times["detect"], times["restore"], times["poll"], WatchdogAction.DROP
        )  # fmt: skip
