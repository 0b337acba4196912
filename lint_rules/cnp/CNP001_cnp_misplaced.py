"""CNP001: congestion notification packets land in the default queue, or in another than the one meant."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Basis,
    ClassInForce,
    ClassKind,
    FabricView,
    Fact,
    HeaderField,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    Port,
    PortView,
    Rule,
    Scope,
    Severity,
    Unknown,
    packet_path,
)


class CnpMisplaced(Rule):
    code = "CNP001"
    name = "cnp-misplaced"
    severity = Severity.WARNING
    impact = Impact.THROUGHPUT
    scope = Scope.PORT
    explains = ("DRF001",)

    def check_port(self, port: PortView) -> Iterator[Hit]:
        classes = [c for c in port.device.fabric.of_kind(ClassKind.CNP) if c.dscp]
        if not classes:
            raise _no_class(port)
        if not port.maybe.carrying_kind or port.maybe.admin is False:
            raise NotApplicable("the port is down, or of a kind that carries no class")
        if not any(port.carries(c) for c in port.device.fabric.lossless):
            raise NotApplicable("no lossless class runs over the port, so no CNPs do")
        if len(set(port.maybe.qos.tc_to_queue.values())) == 1:
            raise NotApplicable("all traffic classes of the port share one queue")
        if all(c.basis is Basis.CONVENTION for c in classes) and not _marks(port.device.fabric):
            raise NotAssessed("nothing in the input marks, and nobody says that there are CNPs", Fact.CLASSES)
        for cls in classes:
            if port.field_of(cls) is not HeaderField.DSCP:
                raise NotApplicable("the host marks 802.1p priorities, not the DSCP of CNPs")
            if port.reads_field_of(cls):
                yield from self._judge(port, cls)
            else:
                raise NotApplicable("the port classifies by another field: MAP005")

    def _judge(self, port: PortView, cls: ClassInForce) -> Iterator[Hit]:
        default = port.path(dscp=0)
        for value in sorted(cls.dscp):
            path = port.path(dscp=value)
            queue = path.queue
            at = port.origin(path.origin)
            if path.tc == cls.priority and cls.basis is not Basis.CONVENTION:
                continue  # as the class says, even where that is the default class
            if path.tc == default.tc or queue == default.queue:
                what = f"the default queue {queue}"
            elif path.maybe.protected is True:
                continue  # CNP002: shares the lossless priority
            else:
                meant = _meant(port, cls)
                if meant is None or meant == queue:
                    continue
                what = f"queue {queue}, not in queue {meant} as meant"
            yield self.hit(
                f"CNPs (DSCP {value}) land in {what}",
                at=at,
                port=port,
                cls=cls,
                priority=cls.priority if isinstance(cls.priority, int) else None,
                observed=f"queue {queue}",
                expected=f"traffic class {cls.priority}" if isinstance(cls.priority, int) else "a queue of their own",
                why="CNPs tell senders to slow down. Behind bulk traffic they come late or are dropped, so senders slow "
                "down too late, "
                "queues grow to XOFF, and pauses spread.",
                related=(
                    (port, port.origin(default.origin), "where unmarked traffic goes"),
                    *((port, *found) for found in port.comes_into(_own_class(cls), port.field_of(cls))),
                ),
                rests_on=(at,),
            )


def _own_class(cls: ClassInForce) -> frozenset[int]:
    return frozenset({cls.priority}) if isinstance(cls.priority, int) else frozenset()


def _marks(fabric: FabricView) -> bool:
    """Whether some queue of the fabric marks, so that there is something to notify of (or whether it does is not known)."""
    queues = (q for view in fabric.all_ports() for q in view.maybe.qos.queues.values())
    return any(c.marks is not False for q in queues for c in q.curves.values())


def _meant(port: PortView, cls: ClassInForce) -> int | None:
    """The queue that the class's own priority uses here; None where only a convention names that priority."""
    if cls.basis is Basis.CONVENTION or isinstance(cls.priority, Unknown):
        return _usual(port, cls)
    found = port.maybe.qos.tc_to_queue.get(cls.priority)
    return None if found is None or isinstance(found, Unknown) else found


def _usual(port: PortView, cls: ClassInForce) -> int | None:
    """The queue that CNPs use on two thirds of the ports like this one; None where there is no such majority."""
    value = min(cls.dscp)

    def queue(other: Port) -> int | None:
        found = packet_path(other.qos, dscp=value).queue
        return None if isinstance(found, Unknown) else found

    try:
        usual, _, _ = port.device.fabric.siblings(port).majority(queue)
    except NotAssessed:
        return None
    return usual if isinstance(usual, int) else None


def _no_class(port: PortView) -> Exception:
    if port.device.fabric.lossless:
        return NotAssessed("the DSCP of CNPs is not known: no intent, project file or host says it", Fact.CLASSES)
    return NotApplicable("no lossless class in force")
