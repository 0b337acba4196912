"""ECN004: WRED is active on the queue of a lossless class and drops instead of marking."""

from __future__ import annotations

from typing import ClassVar

from xoff.lint.rules import (
    Absent,
    ClassInForce,
    Colour,
    Curve,
    Default,
    Hit,
    Impact,
    Iterator,
    Origin,
    PortView,
    Rule,
    Scope,
    Severity,
    absent,
    known,
    unicast_queue,
)


class WredDropsLossless(Rule):
    code = "ECN004"
    name = "wred-drops-lossless"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.PORT
    explains: ClassVar[tuple[str, ...]] = ("ECN001", "DRF001")

    def check_port_class(self, port: PortView, cls: ClassInForce) -> Iterator[Hit]:
        dropping: dict[int, tuple[Curve, list[str]]] = {}
        for label, path in port.class_paths(cls):
            queue = unicast_queue(port.maybe.qos, path.queue)
            if queue is None:
                continue
            curve = queue.curves.get(path.colour) or queue.curves.get(Colour.GREEN)
            if curve is not None and known(curve.drops):
                dropping.setdefault(path.queue, (curve, []))[1].append(label)
        for number, (curve, labels) in dropping.items():
            queue = unicast_queue(port.maybe.qos, number)
            assert queue is not None
            base = f"queue.{queue.id}"
            marks = known(curve.marks)
            yield self.hit(
                f"WRED {'beside' if marks else 'without'} ECN drops in queue {number} (class {cls.name}, {', '.join(labels)})"
                + (f" from {curve.kmin} on" if curve.kmin is not None else ""),
                at=_place(port, base),
                port=port,
                cls=cls,
                observed="early drop" + (" and marking" if marks else ", no marking"),
                expected="ECN marking, no early drop",
                related=((port, port.origin(f"{base}.drops"), "early drop"),),
                why="A packet of the class is dropped at random long before the queue is full, so the loss that PFC is to "
                "prevent happens here, and a go-back-N transport resends all that followed.",
            )


def _place(port: PortView, base: str) -> Origin | Absent | None:
    """The line that makes the ramp drop; else any line of the ramp; else the queue's header.

    Where marking has a line of its own and the NOS does not mark without it, that line is what is missing.
    """
    if isinstance(port.maybe.origins.get(f"{base}.marks"), Default):
        return absent(port, "marking of the queue", "queue")
    said = (f"{base}.{leaf}" for leaf in ("drops", "marks", "kmin") if port.said(f"{base}.{leaf}"))
    return port.origin(next(said, base))
