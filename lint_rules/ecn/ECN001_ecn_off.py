"""ECN001: the queue of a lossless class does not mark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xoff.lint.rules import (
    Absent,
    BodyLine,
    ClassInForce,
    Definition,
    DeviceView,
    FabricView,
    Fact,
    FileLine,
    Form,
    Hit,
    Impact,
    Iterator,
    Line,
    NotApplicable,
    NotAssessed,
    Origin,
    PortView,
    Queue,
    Rule,
    Scope,
    Severity,
    absent,
    unicast_queue,
)

_WHY = (
    "Congestion at this queue is told to nobody: senders keep their rate until the ingress group passes XOFF, and pauses, not "
    "marks, do the work of congestion control and spread upstream."
)


@dataclass(slots=True)
class _Others:
    """What is known of the class elsewhere in the fabric: views whose queue marks it, and those whose queue does not."""

    fabric: FabricView
    marking: list[PortView]
    silent: list[PortView]


class EcnOff(Rule):
    code = "ECN001"
    name = "ecn-off"
    severity = Severity.ERROR
    impact = Impact.THROUGHPUT
    scope = Scope.PORT
    explains: ClassVar[tuple[str, ...]] = ("DRF001",)

    def __init__(self) -> None:
        self._others: dict[str, _Others] = {}

    def check_port_class(self, port: PortView, cls: ClassInForce) -> Iterator[Hit]:
        if cls.ecn is False:
            raise NotApplicable(f"the intent rules congestion control out for class {cls.name}")
        if not cls.dscp and not port.reads_field_of(cls):
            raise NotApplicable("the port does not read the PCP, so the class lands where all traffic does")
        silent: dict[int, list[str]] = {}
        for label, path in port.class_paths(cls):
            if not path.marks:
                _known_absence(port, path.queue)
                silent.setdefault(path.queue, []).append(label)
        for queue, labels in silent.items():
            yield self._judge(port, cls, queue, labels)

    def _judge(self, port: PortView, cls: ClassInForce, queue: int, labels: list[str]) -> Hit:
        found = unicast_queue(port.maybe.qos, queue)
        others = self._elsewhere(port.device.fabric, cls)
        what = f"queue {queue}, where {', '.join(labels)} of class {cls.name} wait{'s' if len(labels) == 1 else ''},"
        if found is not None and found.curves:
            drops = all(c.drops is True for c in found.curves.values())
            said = (
                "drops early instead of marking"
                if drops
                else "has ECN thresholds and does not mark: marking is not switched on"
            )
            at = _unsaid(port, found) or _line(port, found_paths(port, queue)) or _absent(port, queue)
            return self._hit(port, cls, f"{what} {said}", at)
        if others.marking:
            n = sum(len(v.ports) for v in others.marking)
            first = others.marking[0]
            return self._hit(
                port, cls, f"{what} does not mark; {n} other port{'s do' if n > 1 else ' does'}",
                _line(port, found_paths(port, queue)) or _absent(port, queue),
                related=((first, _queue_origin(first, cls), f"marks ({first.device.name})"),),
            )  # fmt: skip
        idle = _idle_profile(port.device)
        if idle is not None:
            return self._hit(
                port, cls, f"{what} does not mark; the device defines {idle.kind} {idle.name} and applies it nowhere",
                _absent(port, queue),
                related=((None, idle.at, "defined, not in force"),),
            )  # fmt: skip
        if cls.ecn:
            return self._hit(port, cls, f"{what} does not mark; the intent asks for ECN", _absent(port, queue))
        if any(port.misplaced(cls, path) for _, path in port.class_paths(cls)):
            raise NotApplicable("the class waits in a queue that is not meant for it: MAP001")
        n = sum(len(v.ports) for v in others.silent)
        devices = sorted({v.device.name for v in others.silent})
        return self.hit(
            f"nothing in the input marks class {cls.name} ({n} port{'s' if n != 1 else ''} of {len(devices)} "
            f"device{'s' if len(devices) != 1 else ''}); if that is meant, say congestion_control: none in an intent",
            at=None,
            cls=cls,
            severity=Severity.WARNING,
            observed="no ECN marking",
            expected="ECN marking, or congestion_control: none",
            why=_WHY,
            related=tuple((v, _queue_origin(v, cls), f"does not mark ({v.device.name})") for v in others.silent[:5]),
        )

    def _hit(
        self,
        port: PortView,
        cls: ClassInForce,
        message: str,
        at: Origin | Absent,
        related: tuple[tuple[PortView | None, Origin | FileLine | None, str], ...] = (),
    ) -> Hit:
        return self.hit(
            message, at=at, port=port, cls=cls, observed="no ECN marking", expected="ECN marking", why=_WHY, related=related
        )

    def _elsewhere(self, fabric: FabricView, cls: ClassInForce) -> _Others:
        known = self._others.get(cls.name)
        if known is None or known.fabric is not fabric:
            known = _Others(fabric, [], [])
            for view in fabric.all_ports():
                try:
                    if not view.maybe.carrying_kind or view.maybe.admin is False or not view.carries(cls):
                        continue
                    marks = [p.marks for _, p in view.class_paths(cls)]
                except NotAssessed:
                    continue
                (known.marking if marks and all(marks) else known.silent).append(view)
            self._others[cls.name] = known
        return known


def found_paths(port: PortView, queue: int) -> tuple[str, ...]:
    """Field paths under which a statement about marking on this queue would stand."""
    found = unicast_queue(port.maybe.qos, queue)
    base = f"queue.{found.id if found is not None else f'unicast.{queue}'}"
    return tuple(f"{base}.{leaf}" for leaf in ("marks", "curve_profile", "kmin", "kmax"))


def _line(port: PortView, paths: tuple[str, ...]) -> Origin | None:
    """The line that says something of marking here, if one does."""
    for path in paths:
        if port.said(path):
            return port.origin(path)
    return None


def _unsaid(port: PortView, queue: Queue) -> Absent | None:
    """The profile that gives the thresholds, where it is the place that lacks the line which switches marking on."""
    low = port.maybe.origins.get(f"queue.{queue.id}.kmin")
    if port.said(f"queue.{queue.id}.marks") or not isinstance(low, Line):
        return None
    definitions = port.device.maybe.definitions
    found = next((d for d in definitions if d.name == queue.curve_profile and d.at.path == low.path[:-1]), None)
    return None if found is None else Absent("marking switched on", path=(*found.at.path, found.at.text), at=found.at)


def _absent(port: PortView, queue: int) -> Absent:
    """The ECN line missing under the queue's own header, or under the port's where the queue has none."""
    found = unicast_queue(port.maybe.qos, queue)
    header = port.maybe.origins.get(f"queue.{found.id}") if found is not None else None
    if isinstance(header, (Line, BodyLine)):
        return Absent(f"ECN on queue {queue}", path=(*header.path, header.text), at=header)
    return absent(port, f"ECN on queue {queue}", "queue")


def _queue_origin(port: PortView, cls: ClassInForce) -> Origin | None:
    for _, path in port.class_paths(cls):
        queue = path.maybe.queue
        if isinstance(queue, int):
            return _line(port, found_paths(port, queue)) or port.origin(f"queue.unicast.{queue}", f"queue.voq.{queue}")
    return None


def _known_absence(port: PortView, queue: int) -> None:
    """In a fragment a queue that nothing says anything of may be configured in the part that is not here.

    Where the queues of other ports mark, that part is here.
    """
    queues = (q for p in port.device.ports for q in p.maybe.qos.queues.values())
    here = any(c.marks is True for q in queues for c in q.curves.values())
    if port.device.maybe.form is Form.FRAGMENT and not here and _line(port, found_paths(port, queue)) is None:
        raise NotAssessed("a fragment that says nothing of ECN on this queue", Fact.CONFIG)


def _idle_profile(device: DeviceView) -> Definition | None:
    """An object that asks for marking and that nothing on the device refers to."""
    used = {(r.kind, r.name) for r in device.maybe.references}
    return next((d for d in device.maybe.definitions if d.marks and (d.kind, d.name) not in used), None)
