"""ECN002: Kmin is not below Kmax once both are in bytes."""

from __future__ import annotations

from typing import ClassVar

from xoff.lint.rules import (
    Colour,
    Hit,
    Impact,
    Iterator,
    NotApplicable,
    NotAssessed,
    PortView,
    Quantity,
    Queue,
    Rule,
    Scope,
    Severity,
    Unknown,
    compare_sizes,
)

_STEP = "Below the threshold nothing is marked, above it ECT packets are at the full probability: senders learn it all at once."
_INVERTED = (
    "A ramp that ends before it begins is refused, or marks at one of the two thresholds only, as the device likes: senders "
    "are told too late or not at all, and PFC does the work."
)


class EcnMinNotBelowMax(Rule):
    code = "ECN002"
    name = "ecn-min-not-below-max"
    severity = Severity.ERROR
    impact = Impact.THROUGHPUT
    scope = Scope.SWITCH
    explains: ClassVar[tuple[str, ...]] = ("DRF001",)

    def check_port(self, port: PortView) -> Iterator[Hit]:
        ctx = port.device.context(port)
        stopped: NotAssessed | None = None
        ramps = 0
        for queue in port.maybe.qos.queues.values():
            for colour, curve in queue.curves.items():
                if curve.kmin is None or curve.kmax is None:
                    continue
                ramps += 1
                if isinstance(curve.kmin, Unknown) or isinstance(curve.kmax, Unknown):
                    unknown = curve.kmin if isinstance(curve.kmin, Unknown) else curve.kmax
                    assert isinstance(unknown, Unknown)
                    stopped = NotAssessed(unknown.reason, unknown.fact)
                    continue
                try:
                    order = compare_sizes(curve.kmin, curve.kmax, ctx)
                except NotAssessed as why:
                    stopped = why
                    continue
                if order != "below":
                    yield self._hit(port, queue, colour, curve.kmin, curve.kmax, order)
        if stopped is not None:
            raise stopped
        if not ramps:
            raise NotApplicable("no queue has both thresholds")

    def _hit(self, port: PortView, queue: Queue, colour: Colour, kmin: Quantity, kmax: Quantity, order: str) -> Hit:
        which = "" if list(queue.curves) == [Colour.GREEN] else f"{colour} "
        base = f"queue.{queue.id}" if colour is Colour.GREEN else f"queue.{queue.id}.{colour}"
        low, high = port.origin(f"{base}.kmin"), port.origin(f"{base}.kmax")
        equal = order == "equal to"
        return self.hit(
            f"{which}Kmin {kmin} is {order} Kmax {kmax}" + (": step marking, no ramp" if equal else ""),
            at=low,
            port=port,
            severity=Severity.NOTE if equal else Severity.ERROR,
            observed=f"{kmin} .. {kmax}",
            expected="Kmin below Kmax",
            why=_STEP if equal else _INVERTED,
            related=((None, high, "Kmax"),),
        )
