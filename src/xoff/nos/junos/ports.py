"""Junos: one port body, from what is bound to the port and the objects of the switch, to a PortQos with its origins."""

from __future__ import annotations

from dataclasses import replace

from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, Default, Evidence, FileLine, Line, Origin, Origins
from xoff.model.qos import (
    Alpha,
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
from xoff.model.quantity import Fact, Quantity, Unit, Unknown, quantity
from xoff.model.record import dataclass
from xoff.nos.junos import words
from xoff.nos.junos.family import UNIFORM, Family
from xoff.nos.junos.objects import MULTICAST, Class, Objects, Pausing, Rows
from xoff.nos.registry import Nos
from xoff.nos.settings import Settings

UNLISTED = Unknown("where a code point goes that the classifier does not list is not confirmed", Fact.DEFAULT)
NON_IP = Unknown("how frames that are no IP are classified beside a DSCP classifier is not confirmed", Fact.DEFAULT)
BOTH = Unknown("classifiers for DSCP and 802.1p are bound; which reads a tagged IP frame is not confirmed", Fact.DEFAULT)
NO_FAMILY = Unknown("no classifier is bound, and the default one depends on the family, which is not known", Fact.ASIC)
ROUTER = Unknown("no classifier is bound, so the router's IP precedence classifier holds, which is not modelled", Fact.DEFAULT)
BY_SWITCH = Unknown("the switch computes headroom from cable-length and MRU; how is not published", Fact.DEFAULT)
RESUME = Unknown("from where this family resumes is not published", Fact.DEFAULT)
WATCHED = Unknown("whether this model has a PFC watchdog is not confirmed", Fact.ASIC)
TAGGED = Unknown("PFC counts frames by their 802.1p tag, and which one frames of the class bear is not known", Fact.CLASSES)
ALL = range(8)
_TYPE = {MatchKind.DSCP: "dscp", MatchKind.PCP: "ieee-802.1"}
_NOWHERE = FileLine("", 0)
_PAUSE = BodyLine(("interfaces", "*"), "ether-options flow-control", "pause")


@dataclass(frozen=True, slots=True)
class Facing:
    """What of a port, besides its bindings, decides its body."""

    routed: bool | Unknown | None
    tagged: bool
    trunk: bool | None
    filter: str | None
    pause: bool | None


@dataclass(frozen=True, slots=True)
class Value:
    """Where one code point goes: its class, colour and the origin that says so."""

    fc: str
    colour: Colour
    at: Origin


class PortBuilder:
    """Builds bodies. One per file; `nos` gives defaults, `objects` what is defined, `family` which defaults hold."""

    def __init__(self, nos: Nos, objects: Objects, family: Family) -> None:
        self.nos = nos
        self.objects = objects
        self.family = family
        self.context = "qfx" if family.qfx else "router" if family.name == "router" else None
        self.classes: dict[str, Class] = dict(objects.classes)
        entry = nos.default("classes", family=self.context)
        self.built_in = {name for name, _, _ in entry.value} if entry else set()
        for name, queue, lossless in entry.value if entry else ():
            if name not in self.classes:
                at = Line((), f"class {name}", _NOWHERE)
                self.classes[name] = Class(name, at, queue, lossless)
        self._default_origin = entry.origin("a class that Junos has by itself") if entry else None
        #: (profile, DSCP, what is missing) that pausing needs; remarks are made of them by the reader.
        self.lacking: dict[tuple[str, int, str], None] = {}

    # --- classes ---

    def queue_of(self, fc: str) -> int | Unknown:
        made = self.classes.get(fc)
        if made is None:
            return Unknown(f"forwarding class {fc} is not defined", Fact.CONFIG)
        return Unknown(f"forwarding class {fc} has no valid queue") if made.queue is None else made.queue

    def queue_origin(self, fc: str) -> Origin | None:
        made = self.classes.get(fc)
        if made is None:
            return None
        if fc not in self.objects.classes:
            return self._default_origin
        return made.lines.get("queue") or made.at

    # --- the body ---

    def build(self, bound: Settings, facing: Facing) -> tuple[PortQos, Origins]:
        origins: dict[str, Origin] = {}
        values, classify = self._classify(bound, facing, origins)
        pfc, counted = self._pfc(bound, facing, values, origins)
        matches, to_queue, to_group = self._treatments(values, counted, pfc, origins)
        qos = PortQos(
            classify=replace(classify, matches=(*classify.matches, *matches)),
            tc_to_queue=FrozenMap(to_queue),
            tc_to_group=FrozenMap(to_group),
            rewrite_dscp=FrozenMap(self._rewrite(bound, origins)),
            pfc=pfc,
            groups=FrozenMap(self._groups(bound, pfc, origins)),
            queues=FrozenMap(self._queues(bound, values, origins)),
            watchdog=self._watchdog(bound, pfc, origins),
        )
        return qos, Origins(origins)

    # --- classification ---

    def _classify(
        self, bound: Settings, facing: Facing, origins: dict[str, Origin]
    ) -> tuple[dict[MatchKind, dict[int, Value | Unknown]], Classify]:
        fixed = bound.value("class")
        first: list[Match] = []
        if facing.filter is not None:
            first.append(
                Match(MatchKind.OPAQUE, frozenset(), Unknown(f"filter {facing.filter} classifies"), name=facing.filter)
            )
        if fixed is not None:
            tc = fixed if isinstance(fixed, Unknown) else self.queue_of(fixed)
            self._note(origins, "classify.default", bound.origin("class"))
            self._note(origins, "classify.trust", bound.origin("class"))
            return {}, Classify(
                (*first, Match(MatchKind.DEFAULT, frozenset(), tc)), HeaderField.PORT, HeaderField.PORT, HeaderField.PORT, tc
            )
        values: dict[MatchKind, dict[int, Value | Unknown]] = {}
        said = {k: bound.value(f"classifier.{n}") for k, n in ((MatchKind.DSCP, "dscp"), (MatchKind.PCP, "ieee-802.1"))}
        for kind, name in said.items():
            where = bound.origin(f"classifier.{_TYPE[kind]}")
            if name is not None:
                values[kind] = self._rows(kind, name)
                self._note(origins, "classify.trust", where)
        dscp, pcp = said[MatchKind.DSCP], said[MatchKind.PCP]
        tagged: HeaderField | Unknown
        untagged: HeaderField | Unknown
        non_ip: HeaderField | Unknown
        if dscp is not None:
            tagged, untagged = (BOTH if pcp is not None else HeaderField.DSCP), HeaderField.DSCP
            non_ip = HeaderField.PCP if pcp is not None else NON_IP
        elif pcp is not None:
            tagged, untagged, non_ip = HeaderField.PCP, HeaderField.PORT, HeaderField.PCP
        else:
            tagged, untagged, non_ip = self._unbound(bound, facing, values, origins)
        for unknown in (dscp, pcp):
            if isinstance(unknown, Unknown):
                tagged = untagged = unknown
        return values, Classify(tuple(first), tagged, untagged, non_ip, self._unlisted(origins))

    def _unlisted(self, origins: dict[str, Origin]) -> int | Unknown:
        """Where a packet goes that its classifier does not list."""
        entry = self.nos.default("classify.default")
        if entry is None:
            return UNLISTED
        origins["classify.default"] = entry.origin("the classifier does not list it: the class of queue 0")
        return int(entry.value)

    def _unbound(
        self,
        bound: Settings,
        facing: Facing,
        values: dict[MatchKind, dict[int, Value | Unknown]],
        origins: dict[str, Origin],
    ) -> tuple[HeaderField | Unknown, HeaderField | Unknown, HeaderField | Unknown]:
        """No classifier of DSCP or 802.1p is bound: what the switch does by itself."""
        other = bound.value("classifier.inet-precedence") or bound.value("classifier.dscp-ipv6")
        if other is not None:
            odd = Unknown("classified by IP precedence, or by the DSCP of IPv6 alone, which is not modelled")
            return odd, odd, odd
        if not self.family.qfx:
            why = ROUTER if self.family.name in ("router", "ptx") else NO_FAMILY
            return why, why, why
        values[MatchKind.PCP] = self._default_rows(MatchKind.PCP, "a trunk port without a classifier")
        if facing.routed is True:
            values[MatchKind.DSCP] = self._default_rows(MatchKind.DSCP, "a routed port without a classifier")
            entry = self.nos.default("classify.dscp", family=self.context)
            if entry is not None:
                origins["classify.trust"] = entry.origin("no classifier is bound: the switch's own holds")
            return HeaderField.PCP if facing.tagged else BOTH, HeaderField.DSCP, NON_IP
        entry = self.nos.default("classify.pcp", family=self.context)
        if facing.routed is False and entry is not None:
            origins["classify.trust"] = entry.origin("no classifier is bound: the switch's own holds")
            return (HeaderField.PCP if facing.trunk else HeaderField.PORT), HeaderField.PORT, HeaderField.PCP
        open_ = Unknown("no classifier is bound, and whether the port is routed or switched is not in the input", Fact.CONFIG)
        return open_, open_, open_

    def _default_rows(self, kind: MatchKind, note: str) -> dict[int, Value | Unknown]:
        entry = self.nos.default(f"classify.{kind.value}", family=self.context)
        out: dict[int, Value | Unknown] = {}
        for first, last, fc in entry.value if entry else ():
            for v in range(first, last + 1):
                out[v] = Value(fc, Colour.GREEN, entry.origin(f"{note}: {fc}"))  # type: ignore[union-attr]
        return out

    def _rows(self, kind: MatchKind, name: str | Unknown) -> dict[int, Value | Unknown]:
        """All values that a classifier by name decides; with `import`, on top of what it imports."""
        if isinstance(name, Unknown):
            return {}
        if name == "default":
            return self._default_rows(kind, "classifier default")
        found = self.objects.classifiers.get((_TYPE[kind], name))
        if found is None:
            return {}
        out: dict[int, Value | Unknown] = {}
        seen: set[str] = set()
        chain: list[Rows] = []
        at: Rows | None = found
        while at is not None and at.name not in seen:
            seen.add(at.name)
            chain.append(at)
            start = at.imports[0] if at.imports else None
            if start == "default":
                out = self._default_rows(kind, "import default")
            at = self.objects.classifiers.get((_TYPE[kind], start)) if start else None
        for part in reversed(chain):
            out |= {v: Value(fc, colour, line) for v, (fc, colour, line) in part.rows.items()}
        return out

    # --- PFC ---

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
            origins["pfc.link_pause.rx"] = origins["pfc.link_pause.tx"] = _PAUSE
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
            return None
        found = self.classes.get(value.fc)
        if found is None:
            return None
        if not found.lossless:
            self.lacking.setdefault((made.name, dscp, f"class {value.fc}, which is not no-loss"))
            return None
        if found.pfc is None:
            self.lacking.setdefault((made.name, dscp, f"class {value.fc}, which has no pfc-priority"))
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

    # --- treatments: (queue, group) ---

    def _treatments(
        self,
        values: dict[MatchKind, dict[int, Value | Unknown]],
        counted: dict[tuple[MatchKind, int], int],
        pfc: Pfc,
        origins: dict[str, Origin],
    ) -> tuple[list[Match], dict[int, int | Unknown], dict[int, int | Unknown]]:
        """Traffic class n stands for queue n. Frames of one queue that count against different groups are different classes:
        what is counted (or most of it) keeps the number of the queue."""
        lossy = max(set(ALL) - set(pfc.send), default=7)
        wanted: dict[tuple[int, int], None] = {}
        for kind, rows in values.items():
            for v, value in sorted(rows.items()):
                queue = self.queue_of(value.fc) if isinstance(value, Value) else value
                if isinstance(queue, int):
                    wanted.setdefault((queue, counted.get((kind, v), lossy)))
        numbers: dict[tuple[int, int], int] = {}
        for queue, group in sorted(wanted, key=lambda t: (t[0], t[1] == lossy, t[1])):
            number = queue
            while number in numbers.values():
                number += 10
            numbers[queue, group] = number
        to_queue: dict[int, int | Unknown] = {n: n for n in ALL}
        to_group: dict[int, int | Unknown] = dict.fromkeys(ALL, lossy)
        for (queue, group), number in numbers.items():
            to_queue[number] = queue
            to_group[number] = group
        matches = self._matches(values, counted, lossy, numbers, origins)
        self._map_origins(numbers, pfc, origins)
        return matches, to_queue, to_group

    def _matches(
        self,
        values: dict[MatchKind, dict[int, Value | Unknown]],
        counted: dict[tuple[MatchKind, int], int],
        lossy: int,
        numbers: dict[tuple[int, int], int],
        origins: dict[str, Origin],
    ) -> list[Match]:
        out: list[Match] = []
        for kind, rows in values.items():
            by: dict[tuple[int | Unknown, Colour], set[int]] = {}
            for v, value in sorted(rows.items()):
                if not isinstance(value, Value):
                    continue
                queue = self.queue_of(value.fc)
                tc = queue if isinstance(queue, Unknown) else numbers[queue, counted.get((kind, v), lossy)]
                by.setdefault((tc, value.colour), set()).add(v)
                origins[f"classify.{kind.value}.{v}"] = value.at
            ordered = sorted(by.items(), key=lambda e: (str(e[0][0]).zfill(3), e[0][1]))
            out += [Match(kind, frozenset(vs), tc, colour) for (tc, colour), vs in ordered]
        return out

    def _map_origins(self, numbers: dict[tuple[int, int], int], pfc: Pfc, origins: dict[str, Origin]) -> None:
        by_queue: dict[int, Origin] = {}
        for fc, made in self.objects.classes.items():
            where = self.queue_origin(fc)
            if made.queue is not None and where is not None:
                by_queue.setdefault(made.queue, where)
        for (queue, group), number in numbers.items():
            if queue in by_queue:
                origins[f"tc_to_queue.{number}"] = by_queue[queue]
            if group in pfc.send:
                origins[f"tc_to_group.{number}"] = origins[f"group.{group}"]
        for key, path in (("queue-is-class", "tc_to_queue"), ("group-is-priority", "tc_to_group")):
            found = next((s for s in self.nos.structure if s.key == key), None)
            if found is not None:
                origins.setdefault(path, Default(found.text, found.evidence, found.source))

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

    # --- queues ---

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

    @staticmethod
    def _note(origins: dict[str, Origin], path: str, where: Origin | None) -> None:
        if where is not None:
            origins.setdefault(path, where)
