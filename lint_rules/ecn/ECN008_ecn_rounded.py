"""ECN008: the chip rounds marking thresholds, so what is read back differs from what was written."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Colour,
    Curve,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    PortView,
    Quantity,
    Queue,
    Rule,
    Scope,
    Severity,
    Unknown,
    ecn_step,
    in_hardware,
)

_WHY = (
    "What the switch reports later is the rounded number: comparing it with the configuration finds a difference for ever. "
    "Thresholds that round to one number are a step instead of a ramp, and may be refused when they are applied again."
)


class EcnRounded(Rule):
    code = "ECN008"
    name = "ecn-rounded"
    severity = Severity.NOTE
    impact = Impact.THROUGHPUT
    scope = Scope.SWITCH
    explains = ("DRF001",)

    def check_port(self, port: PortView) -> Iterator[Hit]:
        curves = [(q, c, curve) for q in port.maybe.qos.queues.values() for c, curve in q.curves.items() if curve.marks is True]
        if not curves:
            raise NotApplicable("no queue marks")
        step, source = ecn_step(port.device)
        stopped: NotAssessed | None = None
        for queue, colour, curve in curves:
            try:
                yield from self._judge(port, queue, colour, curve, step, source)
            except NotAssessed as why:
                stopped = why
        if stopped is not None:
            raise stopped

    def _judge(self, port: PortView, queue: Queue, colour: Colour, curve: Curve, step: int, source: str) -> Iterator[Hit]:
        sizes = []
        for said in (curve.kmin, curve.kmax):
            found = said.bytes(port.device.context(port)) if isinstance(said, Quantity) else said
            if not isinstance(found, int):
                reason = found.reason if isinstance(found, Unknown) else "a threshold is not said"
                raise NotAssessed(reason, found.fact if isinstance(found, Unknown) else None)
            sizes.append(found)
        low, high = (in_hardware(n, step) for n in sizes)
        if [low, high] == sizes:
            return
        path = f"queue.{queue.id}" if colour is Colour.GREEN else f"queue.{queue.id}.{colour}"
        moved = "kmin" if low != sizes[0] else "kmax"
        which = "" if list(queue.curves) == [Colour.GREEN] else f"{colour} "
        both = f" become one, {low:,} B" if low == high and sizes[0] != sizes[1] else f" become {low:,} B and {high:,} B"
        yield self.hit(
            f"{which}Kmin {sizes[0]:,} B and Kmax {sizes[1]:,} B{both}: the chip takes multiples of {step:,} B",
            at=port.origin(f"{path}.{moved}", f"queue.{queue.id}.curve_profile"),
            port=port,
            observed=f"{sizes[0]:,} B and {sizes[1]:,} B",
            expected=f"multiples of {step:,} B",
            unit="bytes",
            why=_WHY,
            basis=(f"step: {source}",),
            related=((port, port.origin(f"{path}.{'kmax' if moved == 'kmin' else 'kmin'}"), "the other threshold"),),
            object=f"queue {queue.id.id}",
        )
