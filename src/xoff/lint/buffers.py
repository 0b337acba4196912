"""Numbers for rules on memory, thresholds and marking: budgets, scales, shares, published ramps. All of them from sizing/.

Everything is imported when it is first asked for, so that a run whose rules need no number does not load them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from xoff.lint.objects import DeviceView
from xoff.lint.ports import PortView
from xoff.lint.view import NotAssessed
from xoff.model.origin import Evidence
from xoff.model.qos import Alpha, Curve, PriorityGroup, Queue, Static, Threshold
from xoff.model.quantity import Context, Fact, Quantity, Unit, Unknown
from xoff.model.switch import Architecture, Direction, Pool, PoolKind

if TYPE_CHECKING:
    from xoff.sizing.budget import Budget
    from xoff.sizing.compare import Order
    from xoff.sizing.ecn_table import Published
    from xoff.sizing.static import OffScale, StaticScale


def memory_budgets(device: DeviceView) -> tuple[Budget, ...]:
    """What the switch promises of its memory, by view (see `sizing.budget`). Raises NotAssessed."""
    from xoff.sizing.budget import budgets

    found = budgets(device.maybe, device.asic_facts)
    if isinstance(found, Unknown):
        raise NotAssessed(found.reason, found.fact)
    return found


def shipped_promise(device: DeviceView, direction: Direction) -> tuple[int, str] | None:
    """The most that the pools of one direction add up to with headroom in what is shipped for this ASIC (bytes); for whom."""
    best: tuple[int, str] | None = None
    for name, shipped in device.asic_facts.buffers.items() if device.asic_facts else ():
        sizes = [
            int(text)
            for pool in shipped.pools.values()
            for text in (pool.get("size", ""), pool.get("xoff", ""))
            if pool.get("type") == direction and text.isdigit()
        ]
        if sizes and (best is None or sum(sizes) > best[0]):
            best = sum(sizes), name.rpartition(".")[0] or name
    return best


def pool_size(device: DeviceView, pool: Pool) -> int | None:
    """Bytes of a pool, None where that is not a number here."""
    found = pool.size.bytes(device.context()) if isinstance(pool.size, Quantity) else None
    return found if isinstance(found, int) else None


def pool_named(device: DeviceView, name: str | Unknown | None) -> Pool | None:
    """The shared pool of this name."""
    return next((p for p in device.maybe.pools if p.name == name and p.kind is PoolKind.SHARED), None)


def scale_of(device: DeviceView) -> StaticScale:
    """What a static threshold of this switch counts: the chip or one memory domain. Raises NotAssessed."""
    from xoff import platforms
    from xoff.sizing.static import static_scale

    model = device.maybe.platform
    platform = platforms.find(model) if isinstance(model, str) else None
    sets = (None,) if platform is None else (platform.buffers(leaf=True), platform.buffers(leaf=False))
    found = [static_scale(device.asic_facts, s) for s in sets]
    known = [f for f in found if not isinstance(f, Unknown)]
    if not known or len({f.scale for f in known}) > 1:
        why = next((f for f in found if isinstance(f, Unknown)), Unknown("the vendor ships both scales for this switch"))
        raise NotAssessed(why.reason, why.fact or Fact.ASIC)
    return known[0]


def off_scale(device: DeviceView, limit: int, pool: int, scale: StaticScale) -> OffScale | None:
    """Whether a static threshold is the pool's size on another scale (see `sizing.static`). Bytes."""
    from xoff.sizing.static import off_scale as judge

    return judge(limit, pool, device.asic, scale.scale)


def share_alone(device: DeviceView, threshold: Threshold | Unknown | None, pool: str | Unknown | None) -> Fraction:
    """The part (0 to 1) of its pool that a group or queue may take when nobody else wants any. Raises NotAssessed."""
    if threshold is None:
        raise NotAssessed("the threshold is not said, and the default is not confirmed", Fact.DEFAULT)
    if isinstance(threshold, Unknown):
        raise NotAssessed(threshold.reason, threshold.fact)
    if isinstance(threshold, Alpha):
        a = threshold.alpha.amount
        return a / (1 + a)
    if threshold.unlimited or threshold.limit is None:
        return Fraction(1)
    limit = threshold.limit.bytes(device.context())
    found = pool_named(device, pool)
    size = None if found is None else pool_size(device, found)
    if isinstance(limit, Unknown) or not size:
        raise NotAssessed(limit.reason if isinstance(limit, Unknown) else "the size of the pool is not known here")
    if limit >= size:
        return Fraction(1)
    parts = 1 if device.asic_facts is None else device.asic_facts.domains.value
    if parts != 1 and scale_of(device).scale == "domain" and isinstance(parts, int):
        limit *= parts
    return min(Fraction(1), Fraction(limit, size))


def shipped_share(device: DeviceView, name: str) -> Fraction | None:
    """The largest part (0 to 1) of its pool that a profile of this name may take in what vendors ship for this ASIC."""
    best: Fraction | None = None
    for shipped in device.asic_facts.buffers.values() if device.asic_facts else ():
        profile = shipped.profiles.get(name)
        if profile is None:
            continue
        exponent, limit = profile.get("dynamic_th", ""), profile.get("static_th", "")
        pool = shipped.pools.get(profile.get("pool", "").strip("[]").rpartition("|")[2])
        size = "" if pool is None else pool.get("size", "")
        share = None
        if exponent.lstrip("-").isdigit():
            a = Fraction(2) ** int(exponent)
            share = a / (1 + a)
        elif limit.isdigit() and size.isdigit() and int(size):
            share = min(Fraction(1), Fraction(int(limit), int(size)))
        if share is not None and (best is None or share > best):
            best = share
    return best


def compare_sizes(left: Quantity, right: Quantity, ctx: Context) -> Order:
    """How one threshold lies to another, each in its own unit (see `sizing.compare`). Raises NotAssessed."""
    from xoff.sizing.compare import compare

    found = compare(left, right, ctx)
    if isinstance(found, Unknown):
        raise NotAssessed(found.reason, found.fact)
    return found


def ecn_step(device: DeviceView) -> tuple[int, str]:
    """Bytes to which this chip rounds marking thresholds, with its source. Raises NotAssessed."""
    if device.maybe.architecture is Architecture.VOQ:
        raise NotAssessed("a VOQ switch marks by its own counts, whose step is not sourced")
    step = device.asic.ecn_granularity
    if isinstance(step.value, Unknown):
        raise NotAssessed(step.value.reason, Fact.ASIC)
    return step.value, step.source


def in_hardware(said: int, step: int) -> int:
    """What the chip makes of a threshold of so many bytes."""
    from xoff.sizing.compare import in_hardware as rounded

    return rounded(said, step)


def published_for(kmin: int, kmax: int) -> tuple[Published, ...]:
    """Published ramps with just these thresholds (bytes)."""
    from xoff.sizing.ecn_table import published_for as rows

    return rows(kmin, kmax)


def scaled_for(kmin: int, kmax: int) -> tuple[tuple[Published, int], ...]:
    """Published ramps that give these thresholds (bytes) at a speed (Mb/s), with that speed."""
    from xoff.sizing.ecn_table import scaled_for as rows

    return rows(kmin, kmax)


def as_published(curve: Curve) -> tuple[Published, str] | None:
    """The published ramp that the two bare numbers of a curve are in kbytes or in bytes, and which; None where there is
    none."""
    from xoff.sizing.ecn_table import same_digits

    if not isinstance(curve.kmin, Quantity) or not isinstance(curve.kmax, Quantity) or curve.kmin.unit is not curve.kmax.unit:
        return None
    return same_digits(curve.kmin.amount, curve.kmax.amount)


def threshold_units(device: DeviceView) -> tuple[str, ...]:
    """Units in which this NOS takes marking thresholds, in its own words."""
    from xoff.nos import registry

    return tuple(registry.load(device.maybe.nos).units.get("ecn") or ())


def memory_bytes(device: DeviceView) -> tuple[int, str] | None:
    """The chip's memory in bytes and its source; None where that is not known or only secondary."""
    fact = device.asic_facts.buffer if device.asic_facts else None
    if fact is None or not isinstance(fact.value, int) or fact.evidence is Evidence.SECONDARY:
        return None
    return fact.value, fact.source


def planned_group(port: PortView, group: PriorityGroup) -> bool:
    """Whether the intent's own calculation gives the group just this threshold (or another that the intent stands for)."""
    expected = port.device.expected
    found = None if expected is None else expected.ports.get(port.maybe.name)
    theirs = None if found is None else found.qos.groups.get(group.id)
    return theirs is not None and theirs.threshold == group.threshold


def planned_curve(port: PortView, queue: Queue) -> bool:
    """Whether the intent's own calculation gives the queue just these curves."""
    expected = port.device.expected
    found = None if expected is None else expected.ports.get(port.maybe.name)
    theirs = None if found is None else found.qos.queues.get(queue.id)
    return theirs is not None and theirs.curves == queue.curves


def threshold_said(threshold: Threshold | Unknown | None) -> str:
    """A threshold as people write it: `alpha 1/8`, `12,766,208 B`, `unlimited`."""
    if threshold is None or isinstance(threshold, Unknown):
        return "a threshold that is not known"
    if isinstance(threshold, Alpha):
        return f"alpha {threshold.alpha.plain}"
    assert isinstance(threshold, Static)
    if threshold.unlimited or threshold.limit is None:
        return "unlimited"
    q = threshold.limit
    return f"{int(q.amount):,} B" if q.unit is Unit.BYTES else str(q)


__all__ = [
    "as_published",
    "compare_sizes",
    "ecn_step",
    "in_hardware",
    "memory_budgets",
    "memory_bytes",
    "off_scale",
    "planned_curve",
    "planned_group",
    "pool_named",
    "pool_size",
    "published_for",
    "scale_of",
    "scaled_for",
    "share_alone",
    "shipped_promise",
    "shipped_share",
    "threshold_said",
    "threshold_units",
]  # fmt: skip
