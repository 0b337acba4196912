"""MAP002: queue, priority group and PFC priority of one lossless class do not meet."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Absent,
    ClassInForce,
    Default,
    Fact,
    Form,
    HeaderField,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    PortView,
    Rule,
    Scope,
    Severity,
    Unknown,
    known,
    unicast_queue,
)


class ClassPathBroken(Rule):
    code = "MAP002"
    name = "class-path-broken"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.PORT
    explains = ("PFC002", "PFC003", "PFC004", "HDR", "BUF", "ECN", "CNP", "WDG", "HST001", "DRF001")

    def check_port_class(self, port: PortView, cls: ClassInForce) -> Iterator[Hit]:
        if not port.reads_field_of(cls):
            raise NotApplicable("the port classifies by another field: MAP005")
        own = port.own_groups(cls)
        if not own:
            raise NotApplicable("the class's priority is not protected on this port: PFC001 or MAP001")
        counts_by = known(port.maybe.qos.pfc.counts_by)
        if counts_by is not None and counts_by is not port.field_of(cls):
            if counts_by is HeaderField.PCP and port.maybe.routed is True:
                yield self._untagged(port, cls, own)
                return
            raise NotAssessed(f"frames count against a lossless group by their {counts_by}, and which they bear is not known")
        open_ones: list[NotAssessed] = []
        found = False
        for tc in dict.fromkeys(path.maybe.tc for _, path in port.class_paths(cls)):
            try:
                for hit in self._judge(port, cls, own, known(tc)):
                    found = True
                    yield hit
            except NotAssessed as why:
                open_ones.append(why)
        if open_ones and not found:
            raise open_ones[0]

    def _untagged(self, port: PortView, cls: ClassInForce, own: frozenset[int]) -> Hit:
        """PFC looks at a tag that frames of a routed port do not have."""
        said = port.origin("pfc.counts_by")
        return self.hit(
            f"PFC counts frames by their 802.1p tag, which frames of a routed port do not bear: none of class {cls.name} is "
            f"counted in group {_list(own)}",
            at=Absent("PFC counting by the priority that the DSCP stands for"),
            port=port,
            cls=cls,
            observed="counted by 802.1p",
            expected="counted by the class's own field",
            why=f"The class waits in the right queue, but at ingress nothing fills group {_list(own)}: no pause is ever sent "
            "for it, and its packets are dropped where others are.",
            related=((port, port.origin(f"pfc.no_drop.{cls.priority}"), "no-drop"),),
            rests_on=(said,),
        )

    def _judge(self, port: PortView, cls: ClassInForce, own: frozenset[int], tc: int) -> Iterator[Hit]:
        path = port.path_of_tc(tc)
        # A class that is classified elsewhere altogether is MAP001's matter; here it is the one meant, or it is in the group.
        meant = port.right_class(cls, path)
        if meant and _no_group_map(port, tc):
            if isinstance(port.origin(f"tc_to_queue.{tc}"), Default):
                # Neither map: some switches are shipped so, and everything rests on what the ASIC does by itself.
                raise NotAssessed("the port names no map from traffic class to queue or group", Fact.DEFAULT)
            yield self._no_map(port, cls, own, tc)
            return
        if tc not in port.maybe.qos.tc_to_queue:
            raise NotAssessed(
                f"no line maps traffic class {tc} to a queue, and what the NOS does then is not known", Fact.DEFAULT
            )
        if path.group not in own and not path.protected:
            if meant:
                yield self._group(port, cls, own, tc, path.group)
            return
        if path.group not in own:
            if meant:
                yield self._group(port, cls, own, tc, path.group)
            return  # else in another class altogether: not lossy, and not broken
        yield from self._queue(port, cls, tc)

    def _no_map(self, port: PortView, cls: ClassInForce, own: frozenset[int], tc: int) -> Hit:
        # Where a default stands, the reader has seen the row that lacks the map; else the row may be in another file.
        if port.device.maybe.form is Form.FRAGMENT and port.maybe.qos.tc_to_group.get(tc) is None:
            raise NotAssessed("the map from traffic class to priority group is not in this file", Fact.CONFIG)
        return self.hit(
            f"no line maps traffic class {tc} to a priority group, while PFC protects group {_list(own)}; what the ASIC "
            "does without "
            "a map is not neutral",
            at=Absent(f"map from traffic class {tc} to a priority group"),
            port=port,
            cls=cls,
            priority=tc,
            observed="no map",
            expected=f"traffic class {tc} -> group {_list(own)}",
            why=f"PFC and headroom stand on group {_list(own)}, but nothing says that class {cls.name} is counted there. "
            "The ASIC puts "
            "an unmapped class where its own default says (groups 0 and 7 have been seen); its packets are dropped there.",
            related=((port, port.origin(f"pfc.no_drop.{cls.priority}"), "no-drop"),),
            rests_on=(port.origin(f"tc_to_group.{tc}"),),
        )

    def _group(self, port: PortView, cls: ClassInForce, own: frozenset[int], tc: int, group: int) -> Hit:
        groups = _list(own)
        no_drop = port.origin(f"pfc.no_drop.{cls.priority}")
        sent = _list(port.sent_by(group))
        which, fate = "lossy", "sends no pause and is cut off at its limit"
        if group in port.protected_groups():
            which = f"another class's (its pauses stop priority {sent})"
            fate = f"pauses priority {sent}, so the peer goes on sending this class"
        return self.hit(
            f"traffic class {tc} is counted in priority group {group}, which is {which}; PFC protects group {groups}",
            at=port.origin(f"tc_to_group.{tc}"),
            port=port,
            cls=cls,
            priority=tc,
            observed=f"traffic class {tc} -> group {group}",
            expected=f"traffic class {tc} -> group {groups}",
            why=f"Class {cls.name} has the right queue at egress, but at ingress its packets fill group {group}: that "
            f"group {fate}, while group {groups} with its headroom stays empty.",
            related=((port, no_drop, "no-drop"),),
            rests_on=(port.origin(f"tc_to_group.{tc}"),),
        )

    def _queue(self, port: PortView, cls: ClassInForce, tc: int) -> Iterator[Hit]:
        path = port.path_of_tc(tc)
        queue, sent = path.queue, path.pause_sent_as
        obey = port.maybe.qos.pfc.obey
        stopped = frozenset(q for p in sent for q in obey.get(p, frozenset()))
        if stopped and queue not in stopped:
            at = port.origin(f"tc_to_queue.{tc}")
            obeyed = port.origin(*(f"pfc.obey.{p}" for p in sorted(sent)))
            if not port.said(f"tc_to_queue.{tc}") and port.said(*(f"pfc.obey.{p}" for p in sent)):
                at, obeyed = obeyed, at
            yield self.hit(
                f"traffic class {tc} waits in queue {queue}, but a pause of priority {_list(sent)} stops queue "
                f"{_list(stopped)}",
                at=at,
                port=port,
                cls=cls,
                priority=tc,
                observed=f"queue {queue}",
                expected=f"queue {_list(stopped)}",
                why=f"When the peer pauses class {cls.name}, this port stops another queue and goes on sending: the "
                "peer's headroom "
                "overflows and it drops.",
                related=((port, obeyed, "which queue a pause stops"),),
                rests_on=(port.origin(f"tc_to_queue.{tc}"), port.origin(*(f"pfc.obey.{p}" for p in sorted(sent)))),
            )
            return
        mine = unicast_queue(port.maybe.qos, queue)
        others = [q for q in port.maybe.qos.queues.values() if q.lossless is True]
        if mine is not None and mine.lossless is False and others:
            name = ", ".join(str(q.id.id) for q in others)
            yield self.hit(
                f"traffic class {tc} waits in queue {queue}, which the device may drop from; its no-drop queue is {name}",
                at=port.origin(f"queue.{mine.id}.profile", f"queue.{mine.id}.limit", f"tc_to_queue.{tc}"),
                port=port,
                cls=cls,
                priority=tc,
                observed=f"queue {queue}, lossy",
                expected=f"a no-drop queue ({name})",
                why=f"Class {cls.name} is lossless on its way in and lossy on its way out: the egress queue is cut off "
                "at its limit "
                "before the ingress group reaches XOFF, so packets are dropped and no pause is sent.",
                related=((port, port.origin(f"tc_to_queue.{tc}"), "traffic class to queue"),),
            )


def _no_group_map(port: PortView, tc: int) -> bool:
    """Whether nothing maps the traffic class to a group, so that a default of the ASIC decides which nobody can name."""
    found = port.maybe.qos.tc_to_group.get(tc)
    return found is None or (isinstance(found, Unknown) and isinstance(port.origin(f"tc_to_group.{tc}"), Default))


def _list(numbers: frozenset[int]) -> str:
    return ", ".join(str(n) for n in sorted(numbers)) or "none"
