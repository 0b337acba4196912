"""NX-OS: one port body, from the port's own lines, the policies that it or `system qos` binds, and the network-qos policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Default, Evidence, Line, Origin, Origins
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
    Queue,
    QueueId,
    QueueKind,
    Scheduler,
    SchedulerKind,
    Watchdog,
    WatchdogAction,
)
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.nos.nxos.policies import NETWORK, QOS, QUEUING, SYSTEM_POLICIES, NetworkClass, Policies, QueuingClass, Step
from xoff.nos.registry import Nos
from xoff.nos.settings import Setting, Settings

ALL = range(8)
HIDDEN = Unknown("NX-OS does not show the buffer that a no-drop class has by default", Fact.DEFAULT)
ELSEWHERE = Unknown("the input queuing policy is not defined in this file", Fact.CONFIG)
TIMES = Unknown("multiples of the 100 ms poll; how many is not said in a spelling that is confirmed", Fact.DEFAULT)
GLOBAL_DOG = Unknown(
    "the watchdog is on for the port; for the switch nothing is said, and its default is not confirmed", Fact.DEFAULT
)
NO_SCHEDULER = Unknown("how many queues this switch has, and so its default queuing policy, is not known", Fact.ASIC)
UNSAID_QUEUE = Unknown("what a queue gets that a queuing policy leaves out is not confirmed", Fact.DEFAULT)
BOTH_FIELDS = Unknown("the policy looks at the CoS and the DSCP of tagged packets, class by class")
OPAQUE = Unknown("what the classes of the policy look at is not followed")
NOT_ECT = Unknown("what NX-OS does with packets without ECT in a marking queue is not confirmed", Fact.DEFAULT)
SYSTEM = "said once for the switch under `system qos`; the port says nothing of PFC or QoS itself"


class PortBuilder:
    """Builds bodies. One per file. `shared`: settings of `system qos` and of the root; `family`: `8q`, `4q` or not known.

    `logical`: for interfaces that have neither queues nor buffers (VLANs, loopbacks, management, sub-interfaces).
    """

    def __init__(
        self, nos: Nos, shared: Settings, policies: Policies, family: str | None = None, logical: bool = False
    ) -> None:
        self.nos = nos
        self.shared = shared
        self.policies = policies
        self.family = family
        self.logical = logical
        name = shared.value("network_qos")
        self.network: tuple[NetworkClass, ...] | Unknown = ()
        if isinstance(name, str):
            found = policies.network.get(name)
            if found is not None:
                self.network = found
            elif not policies.known("policy-map type network-qos", name):
                self.network = Unknown(f"network-qos policy {name} is not defined in this file", Fact.CONFIG)

    def build(self, own: Settings) -> tuple[PortQos, Origins]:
        """The body of a port with these lines of its own."""
        origins: dict[str, Origin] = {}
        classify, rewrite = self._classify(own, origins)
        pfc = self._pfc(own, origins)
        groups = self._groups(own, pfc, origins)
        queues = self._queues(own, origins)
        watchdog = self._watchdog(own, pfc, origins)
        identity = self.nos.default("tc_to_queue")
        if identity is not None:
            origins["tc_to_queue"] = identity.origin("qos-group n is queue n")
        structure = next((s for s in self.nos.structure if s.key == "one-number"), None)
        if structure is not None:
            origins["tc_to_group"] = Default(structure.text, structure.evidence, structure.source)
        qos = PortQos(
            classify=classify,
            tc_to_queue=FrozenMap((n, n) for n in ALL),
            tc_to_group=FrozenMap((n, n) for n in ALL),
            rewrite_dscp=FrozenMap(rewrite),
            pfc=pfc,
            groups=FrozenMap(groups),
            queues=FrozenMap(queues),
            watchdog=watchdog,
        )
        return qos, Origins(origins)

    def bound(self, own: Settings, what: str) -> Setting | None:
        """The policy in force on a port: its own, else the system's."""
        for settings in (own, self.shared):
            if settings.value(what) is not None:
                return settings.said[what]
        return None

    # --- classification ---

    def _classify(self, own: Settings, origins: dict[str, Origin]) -> tuple[Classify, dict[int, int]]:
        found = self.bound(own, "qos_in")
        if found is None:
            for key, note in (("classify.trust", "no type qos policy is bound"), ("classify.default", "no class decides")):
                entry = self.nos.default(key)
                if entry is not None:
                    origins[key] = entry.origin(f"{note}: everything is in qos-group 0")
            return Classify((), HeaderField.PORT, HeaderField.PORT, HeaderField.PORT, 0), {}
        origins["classify.trust"] = origins["classify"] = found.origin
        steps = self.policies.qos.get(found.value)
        if steps is None:
            why = Unknown(f"policy-map {found.value} is not defined in this file", Fact.CONFIG)
            match = Match(MatchKind.OPAQUE, frozenset(), why, name=str(found.value))
            return Classify((match,), why, why, why, why), {}
        return self._steps(steps, self.policies.headers[QOS, found.value], origins)

    def _steps(self, steps: tuple[Step, ...], header: Line, origins: dict[str, Origin]) -> tuple[Classify, dict[int, int]]:
        default_tc: int | Unknown = 0
        entry = self.nos.default("classify.default")
        if entry is not None:
            origins["classify.default"] = entry.origin("no class decides: qos-group 0")
        matches: list[Match] = []
        rewrite: dict[int, set[int | None]] = {}
        dscp: set[int] = set()
        pcp: set[int] = set()
        both = _fields(steps) == {HeaderField.DSCP, HeaderField.PCP}
        opaque = False
        for step in steps:
            tc = 0 if step.group is None else step.group
            if isinstance(tc, int):
                rewrite.setdefault(tc, set()).add(step.set_dscp)
            if step.match.anything:
                default_tc = tc
                origins["classify.default"] = step.at
                break  # class-default takes the rest, so nothing behind it is reached
            if not step.match.followed:
                opaque = True
                matches.append(Match(MatchKind.OPAQUE, frozenset(), tc, name=step.name))
                continue
            for kind, values, seen, field in (
                (MatchKind.DSCP, step.match.dscp, dscp, "dscp"),
                (MatchKind.PCP, step.match.pcp, pcp, "pcp"),
            ):
                if values is None:
                    continue
                matches.append(Match(kind, values, tc, name=step.name, own_field=both))
                for value in values - seen:
                    origins[f"classify.{field}.{value}"] = step.at
                    origins[f"classify.{field}.{value}.values"] = step.match.lines.get(field, step.at)
                seen |= values
        # What no class names is in force too, so the map is written out whole.
        for kind, high, seen, there in (
            (MatchKind.DSCP, 64, dscp, HeaderField.DSCP in _fields(steps)),
            (MatchKind.PCP, 8, pcp, HeaderField.PCP in _fields(steps)),
        ):
            rest = frozenset(range(high)) - seen
            if there and rest and not both and not opaque:
                matches.append(Match(kind, rest, default_tc))
                # No class names them: that is the policy's matter, unless its class-default takes them elsewhere.
                where = origins["classify.default"] if default_tc != 0 else header
                origins[f"classify.{'dscp' if kind is MatchKind.DSCP else 'pcp'}"] = where
        if both or opaque:
            matches.append(Match(MatchKind.DEFAULT, frozenset(), default_tc, name="class-default"))
        marks = {tc: v for tc, (v, *more) in ((t, tuple(s)) for t, s in rewrite.items()) if not more and v is not None}
        return Classify(tuple(matches), *_trust(steps), default_tc), marks

    # --- PFC ---

    def _pfc(self, own: Settings, origins: dict[str, Origin]) -> Pfc:
        mode: PfcMode | Unknown = own.value("pfc.mode")
        where = own.origin("pfc.mode")
        if mode is None:
            entry = self.nos.default("pfc.mode")
            mode = PfcMode(entry.value) if entry else Unknown("NX-OS's default of PFC is not known", Fact.DEFAULT)
            where = entry.origin("no `priority-flow-control mode`: negotiated with the peer") if entry else None
        if where is not None:
            origins["pfc.mode"] = where
        rx, tx = (self._link_pause(own, way, origins) for way in ("rx", "tx"))
        if isinstance(self.network, Unknown):
            return Pfc(self.network, link_pause_rx=rx, link_pause_tx=tx)
        takes_part = self._takes_part(own, mode)
        header = self.policies.headers.get((NETWORK, self.shared.value("network_qos", "")))
        if takes_part and header is not None:
            origins["pfc.no_drop"] = header
        send: dict[int, frozenset[int]] = {}
        obey: dict[int, set[int]] = {}
        for c in self.network:
            if isinstance(c.cos, Unknown) or (c.cos and c.group is None):
                # Which priority, or which group: the whole of PFC is what is not known.
                why = (
                    c.cos
                    if isinstance(c.cos, Unknown)
                    else Unknown("the qos-group of a no-drop class is not in this file", Fact.CONFIG)
                )
                if mode is not PfcMode.OFF:
                    mode = why
                continue
            if not c.cos or c.group is None:
                continue
            if c.sends:
                send[c.group] = send.get(c.group, frozenset()) | c.cos
            line = c.pause_at or c.at
            for p in sorted(c.cos):
                obey.setdefault(p, set()).add(c.group)
                said: Origin = line if takes_part else _system_wide(line)
                for path in ("no_drop", "send", "obey"):
                    origins[f"pfc.{path}.{c.group if path == 'send' else p}"] = said
        return Pfc(
            mode,
            frozenset(obey),
            FrozenMap(send),
            FrozenMap((p, frozenset(groups)) for p, groups in sorted(obey.items())),
            None,
            rx,
            tx,
        )

    def _takes_part(self, own: Settings, mode: PfcMode | Unknown) -> bool:
        """Whether lines of the port itself show that the no-drop classes are meant for it."""
        return mode is not PfcMode.OFF and any(own.value(n) is not None for n in ("pfc.mode", "qos_in", "queuing_in"))

    def _link_pause(self, own: Settings, way: str, origins: dict[str, Origin]) -> bool | None:
        value: bool | None = own.value(f"pause.{way}")
        where = own.origin(f"pause.{way}")
        if value is None:
            entry = self.nos.default("pfc.link_pause")
            if entry is None:
                return None
            value, where = entry.value == "on", entry.origin("no `flowcontrol`")
        if where is not None:
            origins[f"pfc.link_pause.{way}"] = where
        return value

    # --- buffers ---

    def _groups(self, own: Settings, pfc: Pfc, origins: dict[str, Origin]) -> dict[int, PriorityGroup]:
        if isinstance(self.network, Unknown):
            return {}
        said = self._classes(self.bound(own, "queuing_in"))
        out: dict[int, PriorityGroup] = {}
        for c in self.network:
            if c.group is None or (not isinstance(c.cos, Unknown) and not c.cos):
                continue
            path = f"group.{c.group}"
            off = pfc.mode is PfcMode.OFF
            origins[path] = origins.get(f"pfc.send.{c.group}") or c.pause_at or c.at
            values: dict[str, Any] = {}
            stated = None if said is None else said.get(c.group)
            for what in ("headroom", "threshold", "xon") if stated is not None and not off else ():
                if what in stated.said:  # type: ignore[union-attr]
                    values[what] = stated.said[what].value  # type: ignore[union-attr]
                    origins[f"{path}.{what}"] = stated.said[what].origin  # type: ignore[union-attr]
            if "headroom" not in values and not off:
                values |= self._own_headroom(path, isinstance(said, dict), origins)
            out[c.group] = PriorityGroup(c.group, not off, **values)
        return out

    def _own_headroom(self, path: str, known: bool, origins: dict[str, Origin]) -> dict[str, Any]:
        """What the switch keeps by itself where no `pause buffer-size` says more."""
        if not known:
            return dict.fromkeys(("headroom", "threshold", "xon"), ELSEWHERE)
        entry = self.nos.default("port.cable")
        if entry is not None:
            origins[f"{path}.headroom"] = entry.origin(
                f"no `pause buffer-size`: the switch's own buffers, made for {entry.value} m"
            )
        metres = entry.value if entry is not None else None
        return {"headroom": HIDDEN, "threshold": HIDDEN, "xon": HIDDEN, "headroom_by_device": True, "headroom_for_m": metres}

    def _classes(self, policy: Setting | None) -> dict[int, QueuingClass] | None:
        """Classes of a queuing policy by qos-group; empty where none is bound, None where it is not in the file."""
        if policy is None:
            return {}
        name = str(policy.value)
        if name.startswith(SYSTEM_POLICIES) and name not in self.policies.queuing:
            return {}
        classes = self.policies.queuing.get(policy.value)
        return None if classes is None else {c.group: c for c in classes if c.group is not None}

    # --- queues ---

    def _queues(self, own: Settings, origins: dict[str, Origin]) -> dict[QueueId, Queue]:
        if self.logical:
            return {}
        policy = self.bound(own, "queuing_out")
        classes = self._classes(policy)
        if classes is None:
            return {QueueId(QueueKind.UNICAST, n): Queue(QueueId(QueueKind.UNICAST, n), scheduler=UNSAID_QUEUE) for n in ALL}
        if policy is None or (not classes and policy.value not in self.policies.queuing):
            return self._default_queues(origins)
        out: dict[QueueId, Queue] = {}
        for group in sorted(set(classes) | set(ALL)):
            q = QueueId(QueueKind.UNICAST, group)
            found = classes.get(group)
            if found is None:
                origins[f"queue.{q}"] = self.policies.headers[QUEUING, policy.value]
                out[q] = Queue(q, scheduler=UNSAID_QUEUE, not_ect=Unknown("the queue does not mark"))
            else:
                out[q] = self._queue(q, found, origins)
        return out

    def _queue(self, q: QueueId, c: QueuingClass, origins: dict[str, Origin]) -> Queue:
        path = f"queue.{q}"
        origins[path] = c.at
        curve = c.said.get("curve")
        if curve is not None:
            for part in ("kmin", "kmax", "pmax", "weight", "marks", "drops"):
                origins[f"{path}.{part}"] = curve.origin
        limit = c.said.get("limit")
        if limit is not None:
            origins[f"{path}.limit"] = limit.origin
        return Queue(
            q,
            FrozenMap({} if curve is None else {Colour.GREEN: curve.value}),
            not_ect=NOT_ECT if curve is not None else Unknown("the queue does not mark"),
            scheduler=_scheduler(path, c.said, origins),
            limit=None if limit is None else limit.value,
        )

    def _default_queues(self, origins: dict[str, Origin]) -> dict[QueueId, Queue]:
        entry = self.nos.default("queue.scheduler", family=self.family)
        rows = entry.value if entry is not None else []
        out: dict[QueueId, Queue] = {}
        if entry is not None:
            origins["queue"] = entry.origin("no output queuing policy is bound: the system's default one")
        for number, how in rows:
            q = QueueId(QueueKind.UNICAST, number)
            scheduler = (
                Scheduler(SchedulerKind.STRICT)
                if how == "strict"
                else Scheduler(SchedulerKind.DWRR, Quantity(_fraction(how), Unit.PERCENT))
            )
            out[q] = Queue(q, scheduler=scheduler, not_ect=Unknown("the queue does not mark"))
        if not rows:
            for number in ALL:
                q = QueueId(QueueKind.UNICAST, number)
                out[q] = Queue(q, scheduler=NO_SCHEDULER, not_ect=Unknown("the queue does not mark"))
        return out

    # --- watchdog ---

    def _watchdog(self, own: Settings, pfc: Pfc, origins: dict[str, Origin]) -> Watchdog:
        """On where it is on for the port and for the switch; by default it is off for the port."""
        port, switch = own.value("watchdog"), self.shared.value("watchdog")
        where = own.origin("watchdog")
        if port is None:
            entry = self.nos.default("watchdog.enabled")
            port = entry is not None and entry.value == "on"
            where = entry.origin("no `priority-flow-control watch-dog-interval on` under the interface") if entry else None
        enabled: bool | Unknown = bool(port)
        if port and switch is None:
            entry = self.nos.default("watchdog.global")
            enabled = GLOBAL_DOG if entry is None else entry.value == "on"
            where = where if entry is None else entry.origin("no `priority-flow-control watch-dog-interval on` for the switch")
        elif port and switch is False:
            enabled, where = False, self.shared.origin("watchdog")
        if where is not None:
            origins["watchdog.enabled"] = origins["watchdog.priorities"] = where
        if enabled is False or pfc.mode is PfcMode.OFF or (not pfc.no_drop and not isinstance(pfc.mode, Unknown)):
            return Watchdog(available=True, enabled=False)
        action: WatchdogAction | Unknown = WatchdogAction.DROP
        entry = self.nos.default("watchdog.action")
        if entry is not None:
            origins["watchdog.action"] = entry.origin("no `disable-action`")
        if own.value("watchdog.alert"):
            action = WatchdogAction.ALERT
            alert = own.origin("watchdog.alert")
            if alert is not None:
                origins["watchdog.action"] = alert
        return Watchdog(
            available=True,
            enabled=enabled,
            priorities=pfc.mode if isinstance(pfc.mode, Unknown) else pfc.no_drop,
            detect=TIMES,
            restore=TIMES,
            poll=TIMES,
            action=action,
        )


def _fields(steps: tuple[Step, ...]) -> set[HeaderField]:
    found = {HeaderField.DSCP for s in steps if s.match.dscp is not None}
    return found | {HeaderField.PCP for s in steps if s.match.pcp is not None}


def _trust(steps: tuple[Step, ...]) -> tuple[HeaderField | Unknown, HeaderField | Unknown, HeaderField | Unknown]:
    """The field that decides for tagged IP, untagged IP and other frames."""
    fields = _fields(steps)
    if fields == {HeaderField.DSCP}:
        return HeaderField.DSCP, HeaderField.DSCP, HeaderField.PORT
    if fields == {HeaderField.PCP}:
        return HeaderField.PCP, HeaderField.PORT, HeaderField.PCP
    if fields:
        return BOTH_FIELDS, HeaderField.DSCP, HeaderField.PCP
    if any(not s.match.followed for s in steps):
        return OPAQUE, OPAQUE, OPAQUE
    return HeaderField.PORT, HeaderField.PORT, HeaderField.PORT


def _scheduler(path: str, said: Mapping[str, Setting], origins: dict[str, Origin]) -> Scheduler | Unknown | None:
    kind, share, guarantee = said.get("kind"), said.get("share"), said.get("guarantee")
    for name, setting in (("scheduler", kind or share or guarantee), ("share", share), ("guarantee", guarantee)):
        if setting is not None:
            origins[f"{path}.{name}"] = setting.origin
    if kind is None and share is None and guarantee is None:
        return UNSAID_QUEUE
    return Scheduler(
        SchedulerKind.DWRR if kind is None else kind.value,
        None if share is None else share.value,
        None if guarantee is None else guarantee.value,
    )


def _system_wide(line: Line) -> Default:
    """A no-drop class that the switch has and that no line of this port asks for."""
    return Default(SYSTEM, Evidence.READ, line.text)


def _fraction(value: int) -> Any:
    from fractions import Fraction

    return Fraction(value)
