"""One port's QoS from its rows: `PortQos` and `Origins`, made once for all ports whose rows say the same."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, Default, Evidence, Origin, Origins
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
)
from xoff.model.quantity import Fact, Unknown
from xoff.nos.sonic import maps
from xoff.nos.sonic.check import Resolved
from xoff.nos.sonic.env import Bound, Env, buffer_group, pool_of, span
from xoff.nos.sonic.load import Row, field_text
from xoff.nos.sonic.schema import TABLES

SAI = "opencomputeproject/SAI inc/saiport.h"
#: Why a missing tc_to_pg_map is no identity: the register of one chip was read back as group 7 for classes that no map listed.
_NO_PG_MAP = "no tc_to_pg_map: the ASIC's own register decides; a Trident 3 was read back with every class in group 7"
_NO_PG_SOURCE = "sonic-net/sonic-buildimage issue 28832"


class Body:
    """Builds one body: values on one side, origins by field path on the other."""

    def __init__(self, env: Env, bound: Bound) -> None:
        self.env, self.bound = env, bound
        self.origins: dict[str, Origin] = {}

    def say(self, path: str, table: str, sub: str, row: Row, fname: str) -> None:
        """The origin of `path` is a field in the port's own row."""
        where = (table, f"*|{sub}" if sub else "*")
        key = f"{table}/{sub}/{fname}" if sub else f"{table}/{fname}"
        self.origins[path] = BodyLine(where, field_text(table, fname, row.fields.get(fname, "")), key)

    def resolve(self, row: Row, fname: str) -> Resolved | None:
        """What a field of the port's row refers to; None where the field is absent."""
        text = row.fields.get(fname)
        if text is None:
            return None
        return self.env.checker.resolve(TABLES[row.table].fields[fname], text)

    # --- classification and maps --------------------------------------------------------------------------------------

    def classify(self) -> Classify:
        """The choice of map is the trust: SONiC has no other statement of it."""
        row = self.bound.qos
        steps: list[Match] = []
        read: dict[MatchKind, bool | Unknown] = {MatchKind.DSCP: False, MatchKind.PCP: False}
        for fname, kind in (("dscp_to_tc_map", MatchKind.DSCP), ("dot1p_to_tc_map", MatchKind.PCP)):
            found = None if row is None else self.resolve(row, fname)
            if found is None or row is None:
                continue
            self.say("classify.trust", "PORT_QOS_MAP", "", row, fname)
            read[kind] = True
            if found.row is None:
                assert found.unknown is not None
                everything = frozenset(range(64 if kind is MatchKind.DSCP else 8))
                steps.append(Match(kind, everything, found.unknown))
                self.say(f"classify.{kind.value}", "PORT_QOS_MAP", "", row, fname)
                continue
            more, lines = self.env.once(kind.value, found.row, partial(maps.matches, kind=kind))
            steps += more
            self.origins |= lines
        if read[MatchKind.DSCP] is False and read[MatchKind.PCP] is False:
            return self._switch_level()
        both = Unknown("the port has a DSCP and an 802.1p map; which one a tagged IP packet takes is not confirmed")
        dscp, pcp = read[MatchKind.DSCP] is True, read[MatchKind.PCP] is True
        self.origins["classify.default"] = Default(
            "port default traffic class 0", Evidence.READ, f"{SAI} SAI_PORT_ATTR_QOS_DEFAULT_TC"
        )
        return Classify(
            tuple(steps),
            tagged_ip=both if dscp and pcp else HeaderField.DSCP if dscp else HeaderField.PCP,
            untagged_ip=HeaderField.DSCP if dscp else HeaderField.PORT,
            non_ip=HeaderField.PCP if pcp else HeaderField.PORT,
            default_tc=0,
        )

    def _switch_level(self) -> Classify:
        """A port without a map of its own: PORT_QOS_MAP|global classifies it, if it is there."""
        missing = self.env.absent("PORT_QOS_MAP")
        row = self.env.config.row("PORT_QOS_MAP", "global")
        found = None if row is None else self.resolve(row, "dscp_to_tc_map")
        if found is None or row is None:
            why = missing or Unknown("the port names no map, and how the ASIC then classifies is not confirmed")
            return Classify((), why, why, why, why)
        self.origins["classify.trust"] = row.line("dscp_to_tc_map")
        if found.row is None:
            assert found.unknown is not None
            return Classify((), found.unknown, found.unknown, found.unknown, found.unknown)
        steps, lines = self.env.once("dscp", found.row, lambda r: maps.matches(r, MatchKind.DSCP))
        self.origins |= lines
        why = Unknown("no map of the port tells how frames without an IP header are classified")
        return Classify(steps, HeaderField.DSCP, HeaderField.DSCP, why, why)

    def map(self, fname: str, path: str) -> dict[int, int | Unknown] | Unknown | None:
        """A map of the port by number. None: the port has none; Unknown: it names one that cannot be read."""
        row = self.bound.qos
        found = None if row is None else self.resolve(row, fname)
        if found is None or row is None:
            return self.env.absent("PORT_QOS_MAP")
        if found.row is None:
            self.say(path, "PORT_QOS_MAP", "", row, fname)
            return found.unknown
        values, lines = self.env.once(path, found.row, maps.pairs)
        self.origins[path] = found.row.line()
        for n, line in lines.items():
            self.origins[f"{path}.{n}"] = line
        return dict(values)

    def tc_to_queue(self) -> FrozenMap[int, int | Unknown]:
        found = self.map("tc_to_queue_map", "tc_to_queue")
        if found is None:
            source = f"{SAI} SAI_PORT_ATTR_QOS_TC_TO_QUEUE_MAP"
            self.origins["tc_to_queue"] = Default("no tc_to_queue_map: all packets to queue 0", Evidence.READ, source)
            return FrozenMap(dict.fromkeys(range(8), 0))
        return FrozenMap(dict.fromkeys(range(8), found) if isinstance(found, Unknown) else found)

    def tc_to_group(self) -> FrozenMap[int, int | Unknown]:
        found = self.map("tc_to_pg_map", "tc_to_group")
        if found is None:
            self.origins["tc_to_group"] = Default(_NO_PG_MAP, Evidence.SECONDARY, _NO_PG_SOURCE)
            found = Unknown(_NO_PG_MAP, Fact.DEFAULT)
        return FrozenMap(dict.fromkeys(range(8), found) if isinstance(found, Unknown) else found)

    # --- PFC ----------------------------------------------------------------------------------------------------------

    def pfc(self, asymmetric: bool | Unknown | None) -> Pfc:
        row = self.bound.qos
        text = None if row is None else row.fields.get("pfc_enable")
        if row is None or text is None:
            missing = self.env.absent("PORT_QOS_MAP")
            if missing is not None:
                return Pfc(mode=missing, asymmetric=asymmetric)
            source = f"{SAI} SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL"
            self.origins["pfc.mode"] = Default("no pfc_enable: no priority is paused", Evidence.READ, source)
            return Pfc(mode=PfcMode.OFF, asymmetric=asymmetric)
        self.say("pfc.mode", "PORT_QOS_MAP", "", row, "pfc_enable")
        if not TABLES["PORT_QOS_MAP"].fields["pfc_enable"].kind.holds(text):
            return Pfc(mode=Unknown(f"pfc_enable is {text!r}, which SONiC cannot read"), asymmetric=asymmetric)
        enabled = frozenset(int(p) for p in text.split(",") if p)
        for p in enabled:
            self.say(f"pfc.no_drop.{p}", "PORT_QOS_MAP", "", row, "pfc_enable")
        return Pfc(
            mode=PfcMode.ON if enabled else PfcMode.OFF,
            no_drop=enabled,
            send=self._send(enabled),
            obey=self._obey(frozenset(range(8)) if asymmetric is True else enabled),
            asymmetric=asymmetric,
        )

    def _send(self, enabled: frozenset[int]) -> FrozenMap[int, frozenset[int]]:
        """Group -> priorities. Without pfc_to_pg_map group n pauses priority n: so SONiC runs all but two ASIC families."""
        found = self.map("pfc_to_pg_map", "pfc.group_of")
        said = {k: o for k, o in self.origins.items() if k.startswith("pfc.group_of")}
        for k in said:
            del self.origins[k]
        send: dict[int, frozenset[int]] = {}
        if isinstance(found, dict):
            for p in enabled:
                group = found.get(p)
                if isinstance(group, int):
                    send[group] = send.get(group, frozenset()) | {p}
                    self.origins[f"pfc.send.{group}"] = said[f"pfc.group_of.{p}"]
            return FrozenMap(send)
        needs = getattr(getattr(self.env.asic, "pfc_to_pg_map", None), "value", None)
        evidence = Evidence.SECONDARY if needs is True or isinstance(found, Unknown) else Evidence.READ
        note = "no pfc_to_pg_map: priority group n pauses priority n"
        source = "sonic-net/sonic-buildimage@086b03bd70f9 files/build_templates/qos_config.j2 (pfc_to_pg_map_supported_asics)"
        for p in enabled:
            send[p] = frozenset({p})
            self.origins[f"pfc.send.{p}"] = Default(note, evidence, source)
        return FrozenMap(send)

    def _obey(self, priorities: frozenset[int]) -> FrozenMap[int, frozenset[int]]:
        """Priority received -> the queue that it stops, by pfc_to_queue_map."""
        found = self.map("pfc_to_queue_map", "pfc.obey")
        for path in [k for k in self.origins if k.startswith("pfc.obey.") and int(k[9:]) not in priorities]:
            del self.origins[path]
        if isinstance(found, dict):
            return FrozenMap({p: frozenset({q}) for p in sorted(priorities) if isinstance(q := found.get(p), int)})
        note = "no pfc_to_queue_map: taken to stop the queue of the priority's own number; SAI says only that there is no map"
        if isinstance(found, Unknown):
            note = f"pfc_to_queue_map cannot be read ({found.reason}): taken to stop the queue of the priority's own number"
        for p in priorities:
            self.origins[f"pfc.obey.{p}"] = Default(
                note, Evidence.SECONDARY, f"{SAI} SAI_PORT_ATTR_QOS_PFC_PRIORITY_TO_QUEUE_MAP"
            )
        return FrozenMap({p: frozenset({p}) for p in sorted(priorities)})

    # --- groups and queues --------------------------------------------------------------------------------------------

    def groups(self) -> dict[int, PriorityGroup]:
        out: dict[int, PriorityGroup] = {}
        for sub, row in self.bound.groups:
            group = self._group(sub, row)
            for n in span(row, sub):
                for path, origin in group[1].items():
                    self.origins[f"group.{n}{path}"] = origin
                out[n] = replace(group[0], id=n)
        return out

    def _group(self, sub: str, row: Row) -> tuple[PriorityGroup, dict[str, Origin]]:
        key = f"BUFFER_PG/{sub}/profile"
        where = BodyLine(("BUFFER_PG", f"*|{sub}"), field_text("BUFFER_PG", "profile", row.fields.get("profile", "")), key)
        origins: dict[str, Origin] = {"": where, ".profile": where}
        if row.fields.get("profile") == "NULL":
            return self._by_device(origins)
        broken = self.env.checker.joined(row)
        found = broken or self.resolve(row, "profile")
        if found is None:
            return PriorityGroup(0, Unknown("the row names no profile")), origins
        if found.row is None:
            why = found.unknown
            assert why is not None
            return PriorityGroup(0, why, why, why, why, why, None, why, found.name), origins
        return buffer_group(found.row, self.env, origins)

    def _by_device(self, origins: dict[str, Origin]) -> tuple[PriorityGroup, dict[str, Origin]]:
        if not self.env.dynamic:
            why = Unknown("profile NULL asks the device to compute the headroom, which only the dynamic buffer model does")
            return PriorityGroup(0, why, headroom=why), origins
        why = Unknown("the device computes it at run time (dynamic buffer model)", Fact.TABLE)
        default = next(iter(self.env.config.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER").values()), None)
        exponent = None if default is None else maps.number(default, "default_dynamic_th")
        threshold = maps.alpha(exponent) if isinstance(exponent, int) else exponent if exponent is not None else why
        if default is not None and exponent is not None:
            origins[".threshold"] = default.line("default_dynamic_th")
        pool = "ingress_lossless_pool" if self.env.config.row("BUFFER_POOL", "ingress_lossless_pool") else why
        return PriorityGroup(0, True, why, why, threshold, why, None, pool, None, headroom_by_device=True), origins

    def queues(self) -> dict[QueueId, Queue]:
        kind = QueueKind.VOQ if self.bound.voq else QueueKind.UNICAST
        out: dict[QueueId, Queue] = {}
        for sub, row in self.bound.queues:
            for n in span(row, sub):
                qid = QueueId(kind, n)
                out[qid] = self._served(out.get(qid) or maps.empty_queue(qid), sub, row)
        for sub, row in self.bound.buffers:
            for n in span(row, sub):
                qid = QueueId(kind, n)
                out[qid] = self._held(out.get(qid) or maps.empty_queue(qid), sub, row)
        return out

    def _served(self, queue: Queue, sub: str, row: Row) -> Queue:
        """Scheduler and WRED of a QUEUE row."""
        path = f"queue.{queue.id}"
        self.origins[path] = BodyLine(("QUEUE",), f'"*|{sub}"', f"QUEUE/{sub}")
        found = self.resolve(row, "scheduler")
        if found is not None:
            if found.row is None:
                self.say(f"{path}.scheduler", "QUEUE", sub, row, "scheduler")
                assert found.unknown is not None
                queue = replace(queue, scheduler=found.unknown)
            else:
                made, origins = self.env.once("scheduler", found.row, maps.scheduler)
                queue = replace(queue, scheduler=made)
                self.origins |= {f"{path}.{k}": o for k, o in origins.items()}
        found = self.resolve(row, "wred_profile")
        if found is not None:
            self.say(f"{path}.curve_profile", "QUEUE", sub, row, "wred_profile")
            if found.row is None:
                why = found.unknown
                assert why is not None
                curve = Curve(why, why, why, why, why)
                queue = replace(queue, curves=FrozenMap({Colour.GREEN: curve}), curve_profile=found.name)
            else:
                ramps, not_ect, origins = self.env.once("wred", found.row, maps.curves)
                queue = replace(queue, curves=ramps, not_ect=not_ect, curve_profile=found.row.key)
                self.origins |= {f"{path}.{k}": o for k, o in origins.items()}
        return queue

    def _held(self, queue: Queue, sub: str, row: Row) -> Queue:
        """Buffer profile of a BUFFER_QUEUE row. SONiC has no statement that a queue never drops; only its limit."""
        path = f"queue.{queue.id}"
        self.say(f"{path}.profile", "BUFFER_QUEUE", sub, row, "profile")
        self.origins.setdefault(path, BodyLine(("BUFFER_QUEUE",), f'"*|{sub}"', f"BUFFER_QUEUE/{sub}"))
        found = self.env.checker.joined(row) or self.resolve(row, "profile")
        if found is None:
            return queue
        if found.row is None:
            why = found.unknown
            return replace(queue, limit=why, reserved=why, pool=why, profile=found.name)
        profile = found.row
        line = maps.threshold_line(profile)
        if line is not None:
            self.origins[f"{path}.limit"] = line
        for key, fname in (("reserved", "size"), ("pool", "pool")):
            if fname in profile.fields:
                self.origins[f"{path}.{key}"] = profile.line(fname)
        return replace(
            queue,
            limit=maps.threshold(profile),
            reserved=maps.amount(profile, "size"),
            pool=pool_of(profile, self.env),
            profile=profile.key,
        )

    def done(self, **values: Any) -> tuple[PortQos, Origins]:
        return PortQos(**values), Origins(self.origins)
