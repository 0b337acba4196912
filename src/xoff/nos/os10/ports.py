"""OS10: one port body, from settings of the interface and of system qos and the objects they name, with its origins."""

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
)
from xoff.model.quantity import Fact, Unknown
from xoff.nos.os10.objects import NO_CURVE, NetworkClass, Objects, QueuingClass, headroom, threshold
from xoff.nos.registry import Nos
from xoff.nos.settings import Setting, Settings

ALL = range(8)
#: Priority group of all traffic that no network-qos policy names.
DEFAULT_GROUP = 7
BY_DEVICE = Unknown("`pause` without sizes takes those that OS10 has for the platform, and they are not sourced", Fact.DEFAULT)
NO_WATCHDOG = Unknown("no command or page of OS10 names a PFC watchdog")
UNLISTED = Unknown("the qos-map does not list this qos-group, and what OS10 does then is not sourced", Fact.DEFAULT)
TWO_MAPS = Unknown("a dot1p map and a DSCP map are both trusted, and which one a tagged packet is read by is not sourced")
NO_COS = Unknown("a class pauses without pfc-cos, and under which priority it then does is not sourced", Fact.DEFAULT)
NO_MAP = "trust map {} is defined nowhere"


def group_ids(lossless: list[int]) -> tuple[dict[int, int], int]:
    """(lossless class -> group number, number of the group of all other traffic).

    lossless: the lowest qos-group of each class. OS10 shows no numbers of the groups that it makes, so a class keeps this one,
    and the default group gives way.
    """
    taken = set(lossless)
    rest = DEFAULT_GROUP if DEFAULT_GROUP not in taken else next(n for n in (*ALL, 8) if n not in taken)
    return {n: n for n in lossless}, rest


class PortBuilder:
    """Builds bodies. One per file; `nos` gives defaults, `objects` what the names stand for."""

    def __init__(self, nos: Nos, objects: Objects) -> None:
        self.nos = nos
        self.objects = objects
        #: Keys of the structure in nos.yaml that the bodies made use of.
        self.rests_on: set[str] = set()

    def build(self, said: Settings) -> tuple[PortQos, Origins]:
        """The body of a port with these settings (interface over system qos)."""
        origins: dict[str, Origin] = {}
        queue_of = self._queue_map(said, origins)
        classes = self._classes(said)
        queuing = self._queuing(said, queue_of)
        group_of, ids = self._groups_of(classes, origins)
        pfc = self._pfc(said, classes, ids, queue_of, origins)
        qos = PortQos(
            classify=self._classify(said, origins),
            tc_to_queue=FrozenMap(queue_of),
            tc_to_group=FrozenMap(group_of),
            pfc=pfc,
            groups=FrozenMap((ids[id(c)], self._group(c, ids[id(c)], origins)) for c in classes),
            queues=FrozenMap((q, self._queue(q, c, origins)) for q, c in queuing.items()),
            watchdog=Watchdog(available=NO_WATCHDOG, enabled=False),
        )
        return qos, Origins(origins)

    # --- classification ---

    def _classify(self, said: Settings, origins: dict[str, Origin]) -> Classify:
        matches: list[Match] = self._ingress(said, origins)
        dot1p, dscp = said.value("trust.dot1p"), said.value("trust.dscp")
        default = self.nos.default("classify.default")
        if default is not None:
            origins["classify.default"] = default.origin("traffic class 0 unless something says another")
        where = said.origin("trust.dscp") if dscp else said.origin("trust.dot1p") if dot1p else None
        if where is not None:
            origins["classify.trust"] = where
        else:
            trust = self.nos.default("classify.trust")
            if trust is not None:
                origins["classify.trust"] = trust.origin("no trust-map on the port nor in system qos")
        if dscp:
            matches += self._mapped("dscp", dscp, MatchKind.DSCP, 64, said, origins)
        if dot1p:
            matches += self._mapped("dot1p", dot1p, MatchKind.PCP, 8, said, origins)
        tagged: HeaderField | Unknown = (
            TWO_MAPS if dscp and dot1p else HeaderField.DSCP if dscp else HeaderField.PCP if dot1p else HeaderField.PORT
        )
        untagged = HeaderField.DSCP if dscp else HeaderField.PORT
        return Classify(tuple(matches), tagged, untagged, HeaderField.PCP if dot1p else HeaderField.PORT, 0)

    def _mapped(
        self, header: str, name: str, kind: MatchKind, size: int, said: Settings, origins: dict[str, Origin]
    ) -> list[Match]:
        """The steps of a trust map, total. A map that is defined nowhere decides nothing that could be known."""
        path = f"classify.{kind}"
        found = self.objects.trusts[header].get(name)
        where = said.origin(f"trust.{header}")
        if found is None:
            own = self.nos.default(f"{path}.{name}")
            if own is None:
                if where is not None:
                    origins[path] = where
                why = (
                    Unknown(NO_MAP.format(name))
                    if name != "default"
                    else Unknown("OS10's own map is not sourced", Fact.DEFAULT)
                )
                return [Match(kind, frozenset(range(size)), why, name=name)]
            origins[path] = own.origin(f"OS10's own map of {header}")
            return _steps(kind, {v: tc for a, b, tc in own.value for v in range(a, b + 1)})
        rest = self.nos.default(path)
        of: dict[int, int] = {}
        if rest is not None:
            origins[path] = rest.origin(f"trust map {name} does not list it: traffic class 0")
            of = {v: tc for a, b, tc in rest.value for v in range(a, b + 1)}
        for value, (tc, line) in sorted(found.rows.items()):
            of[value] = tc
            origins[f"{path}.{value}"] = line
        return _steps(kind, of)

    def _ingress(self, said: Settings, origins: dict[str, Origin]) -> list[Match]:
        """An ingress policy of type qos decides first. What its classes match is not followed, so nor is where packets land."""
        name = said.value("policy.input.qos")
        if not isinstance(name, str):
            return []
        where = said.origin("policy.input.qos")
        if where is not None:
            origins["classify"] = where
        if name not in self.objects.qos:
            return [Match(MatchKind.OPAQUE, frozenset(), Unknown(f"policy-map {name} is defined nowhere"), name=name)]
        return [
            Match(
                MatchKind.OPAQUE,
                frozenset(),
                step.group if step.group is not None else Unknown(f"class {step.name} of {name} sets no qos-group"),
                name=step.name,
            )
            for step in self.objects.qos[name]
        ]

    def _queue_map(self, said: Settings, origins: dict[str, Origin]) -> dict[int, int | Unknown]:
        name = said.value("queue_map")
        if name is None:
            identity = self.nos.default("tc_to_queue")
            if identity is not None:
                origins["tc_to_queue"] = identity.origin("no qos-map: qos-group n goes to queue n")
            return {n: n for n in ALL}
        where = said.origin("queue_map")
        if where is not None:
            origins["tc_to_queue"] = where
        found = self.objects.queue_maps.get(name)
        if found is None:
            return dict.fromkeys(ALL, Unknown(f"qos-map {name} is defined nowhere"))
        out: dict[int, int | Unknown] = dict.fromkeys(ALL, UNLISTED)
        for group, (queue, line) in found.rows.items():
            out[group] = queue
            origins[f"tc_to_queue.{group}"] = line
        return out

    # --- PFC and groups ---

    def _classes(self, said: Settings) -> list[NetworkClass]:
        """Classes of the network-qos policy in force that pause, where it is known which qos-groups they are."""
        name = said.value("policy.input.network-qos")
        known = self.objects.classes["class-map type network-qos"]
        policy = self.objects.network.get(name, []) if isinstance(name, str) else []
        return [c for c in policy if c.pause is not None and c.name in known and known[c.name].groups]

    def _groups_of(
        self, classes: list[NetworkClass], origins: dict[str, Origin]
    ) -> tuple[dict[int, int | Unknown], dict[int, int]]:
        """(qos-group -> priority group, identity of a class -> its group)."""
        known = self.objects.classes["class-map type network-qos"]
        numbers, rest = group_ids(list(dict.fromkeys(min(known[c.name].groups) for c in classes)))
        default = self.nos.default("tc_to_group")
        if default is not None:
            origins["tc_to_group"] = default.origin("no network-qos class names it: the default group")
        out: dict[int, int | Unknown] = dict.fromkeys(ALL, rest)
        ids: dict[int, int] = {}
        for c in classes:
            self.rests_on.add("classes-are-groups")
            matched = known[c.name]
            ids[id(c)] = numbers[min(matched.groups)]
            for n in sorted(matched.groups):
                out[n] = ids[id(c)]
                origins[f"tc_to_group.{n}"] = matched.at
        return out, ids

    def _pfc(
        self,
        said: Settings,
        classes: list[NetworkClass],
        ids: dict[int, int],
        queue_of: dict[int, int | Unknown],
        origins: dict[str, Origin],
    ) -> Pfc:
        mode: PfcMode | Unknown | None = said.value("pfc.mode")
        where = said.origin("pfc.mode")
        if where is not None and mode is not None:
            origins["pfc.mode"] = where
        else:
            entry = self.nos.default("pfc.mode")
            origins["pfc.mode"] = entry.origin("no `priority-flow-control mode on`") if entry else _unsourced()
            mode = PfcMode.OFF
        send: dict[int, frozenset[int]] = {}
        for c in classes:
            group = ids[id(c)]
            send[group] = send.get(group, frozenset()) | c.cos
            line = c.cos_at or c.pause
            if line is not None:
                origins[f"pfc.send.{group}"] = line
            for p in c.cos:
                origins[f"pfc.no_drop.{p}"] = origins[f"pfc.obey.{p}"] = line or c.at
            if not c.cos and mode is PfcMode.ON:
                mode = NO_COS
        sent = sorted(p for priorities in send.values() for p in priorities)
        if sent:
            self.rests_on.add("received-priority")
        obey = {p: frozenset({queue}) if isinstance(queue := queue_of[p], int) else frozenset() for p in sent}
        pauses: dict[str, bool | None] = {}
        for way in ("rx", "tx"):
            own = said.origin(f"pause.{way}")
            pauses[way] = said.value(f"pause.{way}")
            if own is not None and pauses[way] is not None:
                origins[f"pfc.link_pause.{way}"] = own
            else:
                entry = self.nos.default("pfc.link_pause")
                if entry is not None:
                    pauses[way] = bool(entry.value)
                    origins[f"pfc.link_pause.{way}"] = entry.origin("no flowcontrol line")
        return Pfc(mode, frozenset(sent), FrozenMap(send), FrozenMap(obey), None, pauses["rx"], pauses["tx"])

    def _group(self, c: NetworkClass, number: int, origins: dict[str, Origin]) -> PriorityGroup:
        path = f"group.{number}"
        line = c.pause or c.at
        origins[path] = line
        values: dict[str, Any] = {}
        room, xoff = headroom(c), threshold(c)
        if room is None:
            values |= {"headroom": BY_DEVICE, "headroom_by_device": True, "threshold": BY_DEVICE, "xon": BY_DEVICE}
        else:
            values["headroom"] = room
            self.rests_on.add("pause-sizes")
        if xoff is not None:
            values["threshold"] = xoff
            origins[f"{path}.threshold"] = c.limit.origin if c.limit is not None else line
        if "xon" in c.sizes:
            values["xon"] = c.sizes["xon"]
            origins[f"{path}.xon"] = line
        origins[f"{path}.headroom"] = line
        return PriorityGroup(number, lossless=True, **values)

    # --- queues ---

    def _queuing(self, said: Settings, queue_of: dict[int, int | Unknown]) -> dict[QueueId, QueuingClass]:
        """Queue -> its class of the queuing policy in force."""
        name = said.value("policy.output.queuing")
        known = self.objects.classes["class-map type queuing"]
        out: dict[QueueId, QueuingClass] = {}
        for c in self.objects.queuing.get(name, []) if isinstance(name, str) else []:
            matched = known.get(c.name)
            if matched is None:
                continue
            numbers = {matched.queue} if matched.queue is not None else {queue_of[g] for g in matched.groups}
            out |= {QueueId(QueueKind.UNICAST, n): c for n in numbers if isinstance(n, int)}
        return dict(sorted(out.items(), key=lambda x: x[0].id))

    def _queue(self, q: QueueId, c: QueuingClass, origins: dict[str, Origin]) -> Queue:
        path = f"queue.{q}"
        origins[path] = c.at
        curves, profile = self._curves(path, c, origins)
        limit, reserved = c.said.get("limit"), c.said.get("reserved")
        if limit is not None:
            origins[f"{path}.limit"] = limit.origin
        return Queue(
            q,
            FrozenMap(curves),
            scheduler=self._scheduler(path, c, origins),
            limit=limit.value if limit else None,
            reserved=reserved.value if reserved else None,
            curve_profile=profile,
        )

    def _curves(
        self, path: str, c: QueuingClass, origins: dict[str, Origin]
    ) -> tuple[dict[Colour, Curve], str | None]:  # fmt: skip
        wred: Setting | None = c.said.get("wred")
        if wred is None:
            return {}, None
        origins[f"{path}.curve_profile"] = wred.origin
        profile = self.objects.wreds.get(wred.value)
        if profile is None:
            origins[f"{path}.marks"] = wred.origin
            return {}, wred.value
        curves = {colour: curve for colour, (curve, _) in profile.curves.items()}
        green = profile.curves.get(Colour.GREEN)
        if green is None:
            marks = profile.ecn is not None
            curves[Colour.GREEN] = Curve(NO_CURVE, NO_CURVE, NO_CURVE, marks=marks and NO_CURVE, drops=NO_CURVE)
        at = green[1] if green else profile.at
        for part in ("kmin", "kmax", "pmax", "weight"):
            origins[f"{path}.{part}"] = at
        origins[f"{path}.marks"] = profile.ecn or at
        origins[f"{path}.drops"] = at
        return curves, wred.value

    def _scheduler(self, path: str, c: QueuingClass, origins: dict[str, Origin]) -> Scheduler:
        kind, share = c.said.get("kind"), c.said.get("share")
        strict = kind is not None and kind.value is not None
        if kind is not None and strict:
            # Strict priority supersedes a share of the same class (REF640).
            origins[f"{path}.scheduler"] = kind.origin
            return Scheduler(SchedulerKind.STRICT)
        entry = self.nos.default("queue.scheduler")
        if share is not None and share.value is not None:
            origins[f"{path}.scheduler"] = origins[f"{path}.share"] = share.origin
        elif entry is not None:
            origins[f"{path}.scheduler"] = entry.origin("no `priority`: the queue is served by WDRR")
        return Scheduler(SchedulerKind.DWRR, share=share.value if share else None)


def _steps(kind: MatchKind, of: dict[int, int]) -> list[Match]:
    """One step per traffic class."""
    by: dict[int, set[int]] = {}
    for v, tc in of.items():
        by.setdefault(tc, set()).add(v)
    return [Match(kind, frozenset(by[tc]), tc) for tc in sorted(by)]


def _unsourced() -> Default:
    return Default("nothing is said", Evidence.RECALLED, "")
