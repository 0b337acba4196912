"""ECN006: marking thresholds look like numbers of another unit."""

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
    Unit,
    Unknown,
    as_published,
    memory_bytes,
    threshold_units,
)

#: A queue of fewer bytes than two plain frames marks every packet that has to wait at all.
TWO_FRAMES = 2 * 1522
#: No chip counts in larger cells than these (bytes), and so few bytes are ten jumbo frames: less than a burst.
LARGEST_CELL = 420
TEN_FRAMES = 92_160
_UNITS = (
    "Thresholds in a smaller unit than is meant mark almost every packet and throughput collapses; in a larger one nothing is "
    "marked before the group pauses."
)


class EcnUnitSuspect(Rule):
    code = "ECN006"
    name = "ecn-unit-suspect"
    severity = Severity.WARNING
    impact = Impact.THROUGHPUT
    scope = Scope.SWITCH
    explains = ("ECN003", "ECN007", "ECN008", "DRF001")

    def check_port(self, port: PortView) -> Iterator[Hit]:
        curves = list(_marking(port))
        if not curves:
            raise NotApplicable("no queue marks by thresholds of a size")
        stopped: NotAssessed | None = None
        for queue, colour, curve in curves:
            try:
                yield from self._judge(port, queue, colour, curve)
            except NotAssessed as why:
                stopped = why
        if stopped is not None:
            raise stopped

    def _judge(self, port: PortView, queue: Queue, colour: Colour, curve: Curve) -> Iterator[Hit]:
        assert isinstance(curve.kmin, Quantity)
        assert isinstance(curve.kmax, Quantity)
        said = f"{curve.kmin} to {curve.kmax}"
        if curve.kmin.unit in (Unit.SEGMENTS, Unit.CELLS):
            found = as_published(curve)
            few = curve.kmin.amount * LARGEST_CELL < TEN_FRAMES
            if few and found is not None and found[1] in threshold_units(port.device):
                row, unit = found
                yield self._hit(
                    port, queue, colour, "kmin", f"{said} are the numbers that {row.what} has in {unit}", said,
                    f"{curve.kmin.plain} and {curve.kmax.plain} {unit}, if those are meant", (f"{row.what}: {row.source}",),
                )  # fmt: skip
                return
        low, high = curve.kmin.bytes_range(port.device.context(port)), curve.kmax.bytes_range(port.device.context(port))
        if isinstance(low, Unknown) or isinstance(high, Unknown):
            why = low if isinstance(low, Unknown) else high
            assert isinstance(why, Unknown)
            raise NotAssessed(f"{said}: {why.reason}", why.fact)
        if high[1] < TWO_FRAMES:
            yield self._hit(
                port, queue, colour, "kmax", f"{said} is less than two frames of {TWO_FRAMES // 2:,} B: a larger unit is meant",
                said, "thresholds of many frames", (),
            )  # fmt: skip
            return
        memory = memory_bytes(port.device)
        if memory is not None and low[0] >= memory[0]:
            yield self._hit(
                port, queue, colour, "kmin", f"Kmin {curve.kmin} is more than the whole memory of the chip ({memory[0]:,} B): "
                "a smaller unit is meant",
                said, f"below {memory[0]:,} B", (f"memory: {memory[1]}",),
            )  # fmt: skip

    def _hit(
        self,
        port: PortView,
        queue: Queue,
        colour: Colour,
        leaf: str,
        message: str,
        observed: str,
        expected: str,
        basis: tuple[str, ...],
    ) -> Hit:
        path = f"queue.{queue.id}" if colour is Colour.GREEN else f"queue.{queue.id}.{colour}"
        return self.hit(
            message,
            at=port.origin(f"{path}.{leaf}", f"{path}.kmin", f"queue.{queue.id}.curve_profile"),
            port=port,
            observed=observed,
            expected=expected,
            why=_UNITS,
            basis=basis,
            object=f"queue {queue.id.id}",
        )


def _marking(port: PortView) -> Iterator[tuple[Queue, Colour, Curve]]:
    """Ramps that mark, whose thresholds are both said and are no times."""
    for queue in port.maybe.qos.queues.values():
        for colour, curve in queue.curves.items():
            if curve.marks is not True or not isinstance(curve.kmin, Quantity) or not isinstance(curve.kmax, Quantity):
                continue
            if isinstance(curve.kmin.ns(), Unknown):
                yield queue, colour, curve
