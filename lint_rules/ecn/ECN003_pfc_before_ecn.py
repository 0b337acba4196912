"""ECN003: the ingress group pauses before the egress queue marks."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from xoff.lint.rules import (
    Architecture,
    ClassInForce,
    Colour,
    Confidence,
    Curve,
    Fact,
    Form,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    PortView,
    PriorityGroup,
    Quantity,
    Queue,
    Rule,
    Scope,
    Severity,
    Unknown,
    known,
    marked_at,
    secondary,
    size_range,
    terms,
    unicast_queue,
    xoff_of,
)

#: Marking probability (percent) at the XOFF point below which marking does not slow anybody in time.
LEAST = Fraction(1)
_WHY = (
    "Senders learn of congestion from pauses only: the group passes XOFF while hardly a packet is marked, the rate stays, and "
    "the pause spreads upstream."
)


class PfcBeforeEcn(Rule):
    code = "ECN003"
    name = "pfc-before-ecn"
    severity = Severity.ERROR
    impact = Impact.STALL
    scope = Scope.PORT
    explains = ("DRF001",)

    def check_port_class(self, port: PortView, cls: ClassInForce) -> Iterator[Hit]:
        stopped: list[NotAssessed] = []
        pairs: dict[tuple[int, int, Colour], None] = {}
        for _, path in port.class_paths(cls):
            if not path.protected:
                continue
            pairs[path.queue, path.group, path.colour] = None
        if not pairs:
            raise NotApplicable("the class is not paused on this port: PFC001 or MAP001")
        marking = 0
        for queue_id, group_id, colour in pairs:
            queue = unicast_queue(port.maybe.qos, queue_id)
            curve = None if queue is None else queue.curves.get(colour) or queue.curves.get(Colour.GREEN)
            if queue is None or curve is None or not known(curve.marks):
                continue
            marking += 1
            try:
                yield from self._judge(port, cls, queue, curve, _group(port, group_id))
            except NotAssessed as why:
                stopped.append(why)
        if stopped:
            raise stopped[0]
        if not marking:
            raise NotApplicable("the queue does not mark: ECN001")

    def _judge(self, port: PortView, cls: ClassInForce, queue: Queue, curve: Curve, group: PriorityGroup) -> Iterator[Hit]:
        device = port.device
        if device.maybe.architecture is Architecture.VOQ:
            raise NotAssessed("a VOQ switch queues at ingress per destination: thresholds of queue and group do not compare")
        ctx = device.context(port)
        kmin, kmax = size_range(curve.kmin, ctx), size_range(curve.kmax, ctx)
        point = xoff_of(device, group)
        xoff, doubtful = point.high.value, secondary(point.high)
        pmax = curve.pmax.amount if isinstance(curve.pmax, Quantity) else None
        if kmin[0] >= xoff:
            yield self._hit(
                port, cls, queue, group, "kmin",
                f"queue {queue.id.id} begins to mark at {kmin[0]:,} B, but priority group {group.id} pauses at {xoff:,} B even "
                "when it is congested alone",
                kmin[0], xoff, Severity.ERROR, doubtful, terms(point.high),
            )  # fmt: skip
            return
        at = None if pmax is None else marked_at(kmin[1], max(kmax[0], kmin[1] + 1), pmax, xoff)
        little = at is not None and at < LEAST
        if kmax[0] > xoff or little:
            share = "" if at is None else f": {float(at):.1f} % of packets are marked by then"
            yield self._hit(
                port, cls, queue, group, "kmax" if kmax[0] > xoff else "pmax",
                f"queue {queue.id.id} marks in full only at {kmax[0]:,} B, and priority group {group.id} pauses at {xoff:,} B "
                f"when it is congested alone{share}",
                kmax[0], xoff, Severity.WARNING, doubtful, terms(point.high),
            )  # fmt: skip
            return
        low = point.low
        if isinstance(low, Unknown):
            raise NotAssessed(f"the XOFF point is known only from above: {low.reason}", low.fact or Fact.ASIC)
        if kmax[1] > low.value:
            raise NotAssessed(
                f"the XOFF point lies between {low.value:,} and {xoff:,} B: whether the pool's size includes headroom is not "
                "sourced, or K may be 1,000 or 1,024",
                Fact.ASIC,
            )

    def _hit(
        self,
        port: PortView,
        cls: ClassInForce,
        queue: Queue,
        group: PriorityGroup,
        leaf: str,
        message: str,
        observed: int,
        xoff: int,
        severity: Severity,
        doubtful: bool,
        basis: tuple[str, ...],
    ) -> Hit:
        path = f"queue.{queue.id}"
        return self.hit(
            message,
            at=port.origin(f"{path}.{leaf}", f"{path}.kmin", f"{path}.curve_profile"),
            port=port,
            cls=cls,
            severity=severity.lower() if doubtful else severity,
            confidence=Confidence.INFERRED if doubtful else None,
            observed=f"{observed:,} B",
            expected=f"below {xoff:,} B",
            unit="bytes",
            why=_WHY,
            basis=basis,
            related=((port, port.origin(f"group.{group.id}.threshold", f"group.{group.id}"), "threshold of the group"),),
        )


def _group(port: PortView, number: int) -> PriorityGroup:
    found = port.maybe.qos.groups.get(number)
    if found is None:
        fact = Fact.CONFIG if port.device.maybe.form is Form.FRAGMENT else Fact.DEFAULT
        raise NotAssessed(f"nothing is said of the buffer of priority group {number}", fact)
    return found
