"""ECN002: Kmin is not below Kmax once both are in bytes."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from fractions import Fraction
from typing import ClassVar

from xoff.lint.rules import (
    Colour,
    Context,
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
)

_STEP = "Below the threshold nothing is marked, above it ECT packets are at the full probability: senders learn it all at once."
_INVERTED = (
    "A ramp that ends before it begins is refused, or marks at one of the two thresholds only, as the device likes: senders "
    "are told too late or not at all, and PFC does the work."
)


class _Order(Enum):
    BELOW = "below"
    EQUAL = "equal to"
    ABOVE = "above"


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
                order = _compare(curve.kmin, curve.kmax, ctx)
                if isinstance(order, Unknown):
                    stopped = NotAssessed(order.reason, order.fact)
                elif order is not _Order.BELOW:
                    yield self._hit(port, queue, colour, curve.kmin, curve.kmax, order)
        if stopped is not None:
            raise stopped
        if not ramps:
            raise NotApplicable("no queue has both thresholds")

    def _hit(self, port: PortView, queue: Queue, colour: Colour, kmin: Quantity, kmax: Quantity, order: _Order) -> Hit:
        which = "" if list(queue.curves) == [Colour.GREEN] else f"{colour} "
        base = f"queue.{queue.id}" if colour is Colour.GREEN else f"queue.{queue.id}.{colour}"
        low, high = port.origin(f"{base}.kmin"), port.origin(f"{base}.kmax")
        equal = order is _Order.EQUAL
        return self.hit(
            f"{which}Kmin {kmin} is {order.value} Kmax {kmax}" + (": step marking, no ramp" if equal else ""),
            at=low,
            port=port,
            severity=Severity.NOTE if equal else Severity.ERROR,
            observed=f"{kmin} .. {kmax}",
            expected="Kmin below Kmax",
            why=_STEP if equal else _INVERTED,
            related=((None, high, "Kmax"),),
        )


def _compare(kmin: Quantity, kmax: Quantity, ctx: Context) -> _Order | Unknown:
    """How Kmin lies to Kmax, where that is the same in every reading of the NOS's units."""
    if kmin.unit is kmax.unit:
        return _order(kmin.amount, kmax.amount)
    readings = set()
    for kilo in (ctx.kilo,) if ctx.kilo else (1000, 1024):
        here = replace(ctx, kilo=kilo)
        low, high = kmin.bytes(here), kmax.bytes(here)
        if isinstance(low, Unknown):
            return low
        if isinstance(high, Unknown):
            return high
        readings.add(_order(low, high))
    if len(readings) > 1:
        return Unknown(f"whether {kmin} is below {kmax} depends on the NOS's K (1,000 or 1,024 bytes)")
    return readings.pop()


def _order(low: int | Fraction, high: int | Fraction) -> _Order:
    return _Order.BELOW if low < high else _Order.EQUAL if low == high else _Order.ABOVE
