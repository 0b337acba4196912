"""PFC004: the port pauses its peer for a class and does not obey pauses for it, or the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Absent,
    ClassInForce,
    Fact,
    Form,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    PfcMode,
    PortView,
    Rule,
    Scope,
    Severity,
    known,
)


class PfcOneDirection(Rule):
    code = "PFC004"
    name = "pfc-one-direction"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.PORT
    explains = ("DRF001",)

    def check_port_class(self, port: PortView, cls: ClassInForce) -> Iterator[Hit]:
        pfc = port.maybe.qos.pfc
        priority = known(cls.priority)
        if known(port.device.maybe.pfc_off) or known(pfc.mode) is PfcMode.OFF:
            raise NotApplicable("PFC is off on the port: PFC001")
        sends = bool(port.own_groups(cls))
        obeys = bool(pfc.obey.get(priority))
        if not sends and not obeys:
            raise NotApplicable("the class's priority is not protected on this port: PFC001 or MAP001")
        if sends and obeys:
            yield from self._surplus(port, priority)
            return
        if port.device.maybe.form is Form.FRAGMENT and not port.said("pfc.mode"):
            raise NotAssessed("what a received pause stops is not in this file", Fact.CONFIG)
        if sends:
            at = port.origin(f"pfc.obey.{priority}") if port.said(f"pfc.obey.{priority}") else None
            yield self.hit(
                f"the port sends pauses for priority {priority} and obeys none",
                at=at or Absent(f"obey pauses of priority {priority}"),
                port=port,
                cls=cls,
                priority=priority,
                observed="sends only",
                expected="sends and obeys",
                why=f"When the peer runs out of buffer for class {cls.name} and asks this port to stop, it goes on "
                "sending, and the peer "
                "drops. Its own pauses work, so the fault shows at the other end.",
                related=((port, port.origin(f"pfc.send.{priority}", f"pfc.no_drop.{priority}"), "sends pauses"),),
            )
        elif port.said(f"pfc.obey.{priority}", f"pfc.no_drop.{priority}"):
            at = port.origin(f"pfc.send.{priority}") if port.said(f"pfc.send.{priority}") else None
            yield self.hit(
                f"the port obeys pauses for priority {priority} and sends none",
                at=at or Absent(f"send pauses for priority {priority}"),
                port=port,
                cls=cls,
                priority=priority,
                observed="obeys only",
                expected="sends and obeys",
                why=f"The port stops when its peer asks, but when its own buffer for class {cls.name} fills, it asks "
                "nobody to stop and "
                "drops.",
                related=((port, port.origin(f"pfc.obey.{priority}", f"pfc.no_drop.{priority}"), "obeys pauses"),),
            )
        else:
            raise NotApplicable("obeying is the NOS's default here, not a statement: PFC001")

    def _surplus(self, port: PortView, priority: int) -> Iterator[Hit]:
        """Asymmetric PFC: obeys more than it sends, on purpose. Said once per body, with its first protected class."""
        pfc = port.maybe.qos.pfc
        first = next((c.priority for c in port.device.fabric.lossless if port.own_groups(c)), None)
        if pfc.asymmetric is not True or priority != first:
            return
        sent = frozenset(p for g in port.protected_groups() for p in port.sent_by(g))
        yield self.hit(
            f"asymmetric PFC: the port sends pauses for priority {_list(sent)} and obeys them for every priority",
            at=port.origin("pfc.asymmetric", "pfc.obey", "pfc.mode"),
            port=port,
            severity=Severity.NOTE,
            priority=priority,
            observed="obeys all",
            expected=f"obeys {_list(sent)}",
            why="A peer may stop the lossy queues too, and the watchdog looks only at the lossless ones: a stuck pause "
            "on another "
            "priority is not broken up.",
        )


def _list(numbers: frozenset[int]) -> str:
    return ", ".join(str(n) for n in sorted(numbers)) or "none"
