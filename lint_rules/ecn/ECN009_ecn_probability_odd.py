"""ECN009: the marking probability is 0, or so low that PFC comes first."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from xoff.lint.rules import (
    Colour,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    PortView,
    Quantity,
    Rule,
    Scope,
    Severity,
    Unit,
    Unknown,
)

#: The lowest full probability that any published ramp has (percent): that of the DCQCN testbed.
LEAST = Fraction(1)
_WHY = (
    "Along the ramp hardly a packet is marked, so senders keep their rate while the queue grows through it, up to Kmax or to "
    "the "
    "point at which the group pauses."
)


class EcnProbabilityOdd(Rule):
    code = "ECN009"
    name = "ecn-probability-odd"
    severity = Severity.WARNING
    impact = Impact.THROUGHPUT
    scope = Scope.SWITCH
    explains = ("ECN003", "DRF001")

    def check_port(self, port: PortView) -> Iterator[Hit]:
        ramps = 0
        stopped: NotAssessed | None = None
        for queue in port.maybe.qos.queues.values():
            for colour, curve in queue.curves.items():
                if curve.marks is not True:
                    continue
                ramps += 1
                if not isinstance(curve.pmax, Quantity):
                    why = curve.pmax or Unknown("the marking probability is not said, and the default is not confirmed")
                    stopped = NotAssessed(why.reason, why.fact)
                    continue
                if curve.pmax.unit is not Unit.PERCENT or curve.pmax.amount >= LEAST:
                    continue
                path = f"queue.{queue.id}" if colour is Colour.GREEN else f"queue.{queue.id}.{colour}"
                none = not curve.pmax.amount
                which = "" if list(queue.curves) == [Colour.GREEN] else f"{colour} "
                yield self.hit(
                    f"{which}marking probability {curve.pmax.plain} %: "
                    + (
                        "between Kmin and Kmax nothing is marked"
                        if none
                        else "at Kmax fewer than one packet in a hundred is marked"
                    ),
                    at=port.origin(f"{path}.pmax", f"queue.{queue.id}.curve_profile"),
                    port=port,
                    observed=f"{curve.pmax.plain} %",
                    expected="5 % (wide ramps) to 100 % (narrow ones)",
                    unit="percent",
                    why=_WHY,
                    basis=("published ramps: 1 % (DCQCN testbed), 5 % (Azure), 20 % (HPCC), 100 % (NVIDIA)",),
                    related=((port, port.origin(f"{path}.kmin"), "Kmin"), (port, port.origin(f"{path}.kmax"), "Kmax")),
                    object=f"queue {queue.id.id}",
                )
        if stopped is not None:
            raise stopped
        if not ramps:
            raise NotApplicable("no queue marks")
