"""Thresholds said in unlike units, compared only where that can be done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction

from xoff.model.qos import Alpha, Queue, Static
from xoff.model.quantity import Context, Fact, Quantity, Unit, Unknown
from xoff.model.switch import Pool
from xoff.platforms.facts import Asic
from xoff.sizing.number import ceil
from xoff.sizing.thresholds import dynamic_share, shared_of


class Order(StrEnum):
    BELOW = "below"
    EQUAL = "equal to"
    ABOVE = "above"


def compare(left: Quantity, right: Quantity, ctx: Context) -> Order | Unknown:
    """How `left` lies to `right`, where that is the same in every reading of the NOS's units.

    Equal units are compared as said. Unknown where a conversion needs what is not known (cell, segment, limit, speed, K).
    """
    if left.unit is right.unit:
        return order(left.amount, right.amount)
    readings = set()
    for kilo in (ctx.kilo,) if ctx.kilo else (1000, 1024):
        here = replace(ctx, kilo=kilo)
        a, b = left.bytes(here), right.bytes(here)
        if isinstance(a, Unknown):
            return a
        if isinstance(b, Unknown):
            return b
        readings.add(order(a, b))
    if len(readings) > 1:
        return Unknown(f"whether {left} is below {right} depends on the NOS's K (1,000 or 1,024 bytes)")
    return readings.pop()


def order(left: int | Fraction, right: int | Fraction) -> Order:
    return Order.BELOW if left < right else Order.EQUAL if left == right else Order.ABOVE


def queue_limit(
    queue: Queue, pools: Iterable[Pool], asic: Asic | None, n: int = 1, kilo: int | None = None
) -> tuple[int, int] | Unknown:
    """Bytes that a queue may hold with n equal queues congested, lowest and highest reading. Static limits do not move with
    n."""
    t = queue.limit
    if t is None or isinstance(t, Unknown):
        return t or Unknown("the queue's limit is not said and no default is sourced", Fact.DEFAULT)
    if isinstance(t, Static):
        if t.unlimited or t.limit is None:
            return Unknown("the queue's limit is unlimited, so a share of it is no number")
        cell = None if asic is None or not isinstance(asic.cell.value, int) else asic.cell.value
        return t.limit.bytes_range(Context(cell=cell, kilo=kilo))
    assert isinstance(t, Alpha)
    shared = shared_of(queue.pool, pools, asic, kilo)
    if isinstance(shared, Unknown):
        return shared
    if isinstance(shared.low, Unknown):
        return shared.low
    return int(dynamic_share(t.alpha.amount, shared.low, n)), int(dynamic_share(t.alpha.amount, shared.high, n))


def threshold_bytes(q: Quantity, ctx: Context, limit: tuple[int, int] | Unknown | None = None) -> tuple[int, int] | Unknown:
    """Lowest and highest number of bytes that a marking threshold means.

    A percentage of the queue's limit takes `limit` (see `queue_limit`): with a dynamic one it moves with the load, so the
    answer holds for the number of congested queues that the limit was asked for. A time needs the speed in `ctx`.
    """
    if q.unit is not Unit.PERCENT_OF_LIMIT:
        return q.bytes_range(ctx)
    if isinstance(limit, Unknown):
        return limit
    if limit is None:
        return q.bytes_range(ctx)
    share = q.amount / 100
    return int(share * limit[0]), int(share * limit[1])


def in_hardware(said: int, step: int) -> int:
    """What a chip that takes thresholds in multiples of `step` bytes makes of `said`: the next multiple up.

    Published: 150,000 B become 159,744 B on Spectrum-4 (12,288 B a step) and 156,672 B on Spectrum-3 (9,216 B); Cumulus Linux
    5.15.
    """
    return ceil(Fraction(said, step)) * step
