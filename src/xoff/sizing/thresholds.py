"""Where a group pauses and a queue drops: static and dynamic thresholds, per memory domain, with n groups congested.

Dynamic threshold (Choudhury-Hahne): a group may hold alpha x the free part of its pool, so n equal groups get
alpha B / (1 + n alpha) each. Memories may be split: every B is one domain's.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from xoff.model.origin import Evidence, Term
from xoff.model.qos import Alpha, PriorityGroup, Queue, Static, Threshold
from xoff.model.quantity import Context, Fact, Quantity, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Architecture, Pool, PoolKind
from xoff.platforms.facts import Asic
from xoff.sizing.number import Number, number, term

#: An egress alpha from here on counts as unlimited (SONiC ships 128 = 2^7 for it).
UNLIMITED_ALPHA = 128
DT = "Choudhury-Hahne dynamic threshold; 16 published XOFF points of Tomahawk5 match to a cell"


@dataclass(frozen=True, slots=True)
class Shared:
    """Shared bytes of a pool in one memory domain, by the two readings where a source leaves them open.

    `low`: headroom is inside the pool's size and the memory is split; `high`: it is not. Equal where sourced.
    `low` is Unknown where the number of domains is not sourced.
    """

    low: Fraction | Unknown
    high: Fraction
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class XoffPoint:
    """Bytes in a group at which it sends XOFF. `low` and `high` differ where a source leaves two readings open."""

    low: Number | Unknown
    high: Number

    @property
    def certain(self) -> bool:
        return not isinstance(self.low, Unknown) and self.low.value == self.high.value


def dynamic_share(alpha: Fraction, pool: Fraction | int, n: int = 1) -> Fraction:
    """Bytes that each of n equally congested groups or queues gets of a pool (bytes, one domain)."""
    share: Fraction = Fraction(pool) * alpha / (1 + n * alpha)
    return share


def sequential_share(pool: Fraction | int, k: int) -> Fraction:
    """With alpha = 1, what the k-th group gets while the ones before it stay full: half of what is left, k times."""
    return Fraction(pool, 2**k)


def _size(pool: Pool, ctx: Context) -> int | Unknown:
    if pool.size is None:
        return Unknown(f"pool {pool.name} has no size here: the device computes it")
    return pool.size if isinstance(pool.size, Unknown) else pool.size.bytes(ctx)


def shared_of(
    name: str | Unknown | None, pools: Iterable[Pool], asic: Asic | None, kilo: int | None = None
) -> Shared | Unknown:
    """Shared bytes per memory domain of the pool `name`. Unknown for VOQ chips and where size or pool is not known."""
    if asic is None:
        return Unknown("ASIC not known, so neither are its memory domains", Fact.ASIC)
    if asic.architecture.value is Architecture.VOQ:
        return Unknown(
            f"{asic.title} queues at ingress per destination (VOQ): a shared-pool threshold does not hold there", Fact.ASIC
        )
    if not isinstance(name, str):
        return name or Unknown("the group's pool is not said")
    ctx = Context(cell=None if isinstance(asic.cell.value, Unknown) else asic.cell.value, kilo=kilo)
    all_pools = list(pools)
    pool = next((p for p in all_pools if p.name == name and p.kind is PoolKind.SHARED), None)
    if pool is None:
        return Unknown(f"pool {name} is not defined here", Fact.CONFIG)
    size = _size(pool, ctx)
    if isinstance(size, Unknown):
        return size
    headroom = next((p for p in all_pools if p.kind is PoolKind.HEADROOM and p.direction is pool.direction), None)
    inside = 0
    if headroom is not None:
        found = _size(headroom, ctx)
        inside = 0 if isinstance(found, Unknown) else found
    includes = pool.includes_headroom
    if isinstance(includes, Unknown):
        includes = asic.pool_size_includes_headroom.value
    low, high = (size - inside if includes is not False else size), (size - inside if includes is True else size)
    terms = [term("pool", size, f"size of {name}", "the configuration")]
    if inside:
        word = "inside" if includes is True else "outside" if includes is False else "inside or outside (not sourced)"
        fact = asic.pool_size_includes_headroom
        terms.append(term("headroom pool", inside, f"{word} that size", fact.source, fact.evidence))
    domains = asic.domains.value
    if pool.domain is not None:
        domains = 1
    if isinstance(domains, Unknown):
        terms.append(term("memory domains", "unknown", "one is assumed for the upper reading", asic.domains.source, unit=""))
        return Shared(domains, Fraction(high), tuple(terms))
    if domains != 1:
        terms.append(term("memory domains", domains, "each has its share", asic.domains.source, asic.domains.evidence, ""))
    return Shared(Fraction(low, domains), Fraction(high, domains), tuple(terms))


def _bytes(q: Quantity | Unknown | None, ctx: Context, default: int = 0) -> int | Unknown:
    if q is None:
        return default
    return q if isinstance(q, Unknown) else q.bytes(ctx)


def xoff_point(
    group: PriorityGroup, pools: Iterable[Pool], asic: Asic | None, n: int = 1, kilo: int | None = None
) -> XoffPoint | Unknown:
    """At how many bytes the group pauses its sender while n equal groups are congested. Bytes.

    Static: reserved + the limit (one domain's part of it where limits count for the chip). Dynamic: reserved + alpha B / (1 +
    n alpha), B one domain's shared part.
    """
    cell = None if asic is None or isinstance(asic.cell.value, Unknown) else asic.cell.value
    ctx = Context(cell=cell, kilo=kilo)
    reserved = _bytes(group.reserved, ctx)
    if isinstance(reserved, Unknown):
        return reserved
    t = group.threshold
    if t is None:
        return Unknown("the group's threshold is not said and no default is sourced")
    if isinstance(t, Unknown):
        return t
    base = term("reserved", reserved, "the group's own minimum", "the configuration")
    if isinstance(t, Static):
        if t.unlimited or t.limit is None:
            return Unknown("the group's threshold is unlimited: it never pauses by itself")
        limit = t.limit.bytes(ctx)
        if isinstance(limit, Unknown):
            return limit
        return _static_xoff(reserved, limit, base, asic)
    shared = shared_of(group.pool, pools, asic, kilo)
    if isinstance(shared, Unknown):
        return shared
    return dynamic_xoff(t.alpha.amount, shared, reserved, n)


def _static_xoff(reserved: int, limit: int, base: Term, asic: Asic | None) -> XoffPoint:
    """reserved + the limit, of which one memory domain has its part where static limits count for the chip.

    Two readings where that, or the number of domains, is not sourced.
    """
    said = term("static threshold", limit, "as configured", "the configuration")
    whole = number(reserved + limit, "reserved + static threshold", (base, said))
    domains = Unknown("ASIC not known, so neither are its memory domains", Fact.ASIC) if asic is None else asic.domains.value
    if domains == 1:
        return XoffPoint(whole, whole)
    if asic is None or isinstance(domains, Unknown):
        return XoffPoint(domains if isinstance(domains, Unknown) else whole, whole)
    scale = asic.static_threshold_scale
    parts = term("memory domains", domains, "the limit counts for all of them", scale.source or asic.domains.source, unit="")
    part = number(reserved + limit // domains, "reserved + static threshold / domains", (base, said, parts))
    if isinstance(scale.value, Unknown):
        return XoffPoint(part, whole)
    return XoffPoint(part, part) if scale.value == "chip" else XoffPoint(whole, whole)


def dynamic_xoff(alpha: Fraction, shared: Shared, reserved: int = 0, n: int = 1) -> XoffPoint:
    """reserved + alpha B / (1 + n alpha) for both readings of B, rounded down to bytes."""
    tail = (
        term("reserved", reserved, "the group's own minimum", "the configuration"),
        term("alpha", alpha, f"{n} group{'s' if n > 1 else ''} congested", DT, unit="x"),
    )
    formula = f"reserved + alpha B / (1 + {n} alpha)" if n > 1 else "reserved + alpha B / (1 + alpha)"

    def at(pool: Fraction) -> Number:
        return number(reserved + int(dynamic_share(alpha, pool, n)), formula, (*shared.terms, *tail))

    return XoffPoint(shared.low if isinstance(shared.low, Unknown) else at(shared.low), at(shared.high))


def xoff_to_drop(headroom: int, cell: int) -> int:
    """Cells between the first pause and the first drop: headroom / cell, whole cells."""
    return headroom // cell


@dataclass(frozen=True, slots=True)
class EgressVerdict:
    """Whether a lossless egress queue can fill before ingress pauses.

    `drops_alone`: one paused group is enough to overflow it. `drops_from`: smallest number of groups feeding it that is
    (None: none up to `up_to`). `limit`, `need`: bytes for one group, on one scale (one memory domain). `need_at`: bytes for
    `drops_from` groups.
    """

    unlimited: bool
    drops_alone: bool
    drops_from: int | None
    limit: int | None
    need: int | None
    up_to: int
    why: str
    terms: tuple[Term, ...] = ()
    need_at: int | None = None


def egress_never_drops(
    queue: Queue,
    group: PriorityGroup,
    pools: Iterable[Pool],
    asic: Asic | None,
    headroom: int,
    up_to: int = 64,
    kilo: int | None = None,
) -> EgressVerdict | Unknown:
    """Compare what a lossless queue may hold with what n ingress groups may send it before and after XOFF.

    Limit: static, or alpha_e B_e / (1 + alpha_e). Need: n alpha_i B / (1 + n alpha_i) + n headroom, per memory domain.
    Unlimited by convention (inf, static at or above the pool, alpha 128) never drops. Unknown where a part is not known.
    """
    all_pools = list(pools)
    t = queue.limit
    if t is None or isinstance(t, Unknown):
        return t or Unknown("the egress queue's limit is not said and no default is sourced")
    egress = shared_of(queue.pool, all_pools, asic, kilo)
    limit = _egress_limit(t, egress, asic, kilo)
    if isinstance(limit, (Unknown, EgressVerdict)):
        return limit
    ingress = shared_of(group.pool, all_pools, asic, kilo)
    if isinstance(ingress, Unknown) or not isinstance(group.threshold, Alpha):
        point = xoff_point(group, all_pools, asic, 1, kilo)
        if isinstance(point, Unknown):
            return point
        need = point.high.value + headroom
        over = limit < need
        return EgressVerdict(
            False, over, 1 if over else None, int(limit), need, up_to, "static ingress threshold", point.high.terms, need
        )
    if isinstance(ingress.low, Unknown):
        return ingress.low
    alpha = group.threshold.alpha.amount
    needs = [int(n * dynamic_share(alpha, ingress.low, n)) + n * headroom for n in range(1, up_to + 1)]
    first = next((n for n, need in enumerate(needs, 1) if need > limit), None)
    return EgressVerdict(
        False, first == 1, first, int(limit), needs[0], up_to, "n alpha B / (1 + n alpha) + n headroom", ingress.terms,
        None if first is None else needs[first - 1],
    )  # fmt: skip


def _egress_limit(
    t: Threshold, egress: Shared | Unknown, asic: Asic | None, kilo: int | None
) -> Fraction | Unknown | EgressVerdict:
    def unlimited(why: str) -> EgressVerdict:
        return EgressVerdict(True, False, None, None, None, 0, why)

    if isinstance(t, Static):
        if t.unlimited or t.limit is None:
            return unlimited("the queue's limit is unlimited by its own word")
        limit = t.limit.bytes(Context(kilo=kilo, cell=None if asic is None else _known(asic.cell.value)))
        if isinstance(limit, Unknown):
            return limit
        if asic is None or isinstance(egress, Unknown):
            return egress if isinstance(egress, Unknown) else Unknown("ASIC not known", Fact.ASIC)
        pool = next(x for x in egress.terms if x.name == "pool")
        if limit >= int(pool.value):
            return unlimited("the static limit is not below the pool")
        domains = asic.domains.value
        if domains == 1:
            return Fraction(limit)
        scale = asic.static_threshold_scale.value
        if isinstance(domains, Unknown):
            return domains
        if isinstance(scale, Unknown):
            return Unknown(f"whether a static threshold of {asic.title} is for the chip or one domain is not sourced")
        return Fraction(limit, domains) if scale == "chip" else Fraction(limit)
    alpha = t.alpha.amount
    if alpha >= UNLIMITED_ALPHA:
        return unlimited(f"alpha {t.alpha.plain} is unlimited in effect")
    if isinstance(egress, Unknown):
        return egress
    return egress.low if isinstance(egress.low, Unknown) else dynamic_share(alpha, egress.low)


def _known(value: int | Unknown) -> int | None:
    return None if isinstance(value, Unknown) else value


def evidence_of(shared: Shared) -> Evidence:
    """The weakest evidence that a pool's size rests on."""
    order = [Evidence.READ, Evidence.COMPUTED, Evidence.SECONDARY, Evidence.RECALLED]
    return max((t.evidence for t in shared.terms), key=order.index)


def xoff_from_above(
    group: PriorityGroup, pools: Iterable[Pool], asic: Asic | None, kilo: int | None = None, n: int = 1
) -> XoffPoint | Unknown:
    """An upper bound of the XOFF point where the NOS names no pools: alpha of one memory domain, all of it shared. Bytes.

    A stated headroom pool is taken off. `low` is Unknown. Unknown where the group has no alpha, on VOQ chips, and where the
    chip's memory is not sourced.
    """
    if not isinstance(group.threshold, Alpha):
        return group.threshold if isinstance(group.threshold, Unknown) else Unknown("the group's alpha is not said")
    if asic is None:
        return Unknown("ASIC not known, so neither is its memory", Fact.ASIC)
    if asic.architecture.value is Architecture.VOQ:
        return Unknown(f"{asic.title} queues at ingress per destination (VOQ): no shared-pool threshold holds there", Fact.ASIC)
    memory, domains = asic.buffer.value, asic.domains.value
    if isinstance(memory, Unknown):
        return memory
    ctx = Context(cell=_known(asic.cell.value), kilo=kilo)
    reserved = _bytes(group.reserved, ctx)
    if isinstance(reserved, Unknown):
        return reserved
    kept = [_size(p, ctx) for p in pools if p.kind is PoolKind.HEADROOM]
    inside = sum(k for k in kept if isinstance(k, int))
    terms = (
        term("memory", memory, "whole chip", asic.buffer.source, asic.buffer.evidence),
        term("headroom pool", inside, "taken from it", "the configuration"),
    )
    parts = 1 if isinstance(domains, Unknown) else domains
    why = Unknown("the NOS names no pools, so how much of the memory is shared is not known", Fact.DEFAULT)
    shared = Shared(why, Fraction(max(0, memory - inside), parts), terms)
    return dynamic_xoff(group.threshold.alpha.amount, shared, reserved, n)
