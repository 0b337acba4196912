"""What a switch promises of its memory: reserved, headroom and shared bytes against what is there, at ingress and at egress."""

from __future__ import annotations

from collections.abc import Iterable

from xoff.model.origin import Evidence, Term
from xoff.model.qos import Alpha, Static, Threshold
from xoff.model.quantity import Context, Fact, Quantity, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Architecture, Direction, Pool, PoolKind, SwitchModel
from xoff.platforms.facts import Asic
from xoff.sizing.number import Number, number, term
from xoff.sizing.static import ALIKE
from xoff.sizing.thresholds import UNLIMITED_ALPHA


@dataclass(frozen=True, slots=True)
class Budget:
    """One view of the memory. Bytes.

    `low`: what is promised if pools hold the headroom and the minimums of groups; `high`: if those come on top. Equal where it
    is sourced (`sourced`; at egress, which has no headroom, it is always so, and `high` adds the minimums of queues).
    `memory`: of the chip, or of one domain where pools name one (`domain`). `pools`: those counted.
    `missing`: parts without a number, so both sums are lower bounds.
    """

    direction: Direction
    domain: int | None
    low: Number
    high: Number
    memory: int
    sourced: bool
    evidence: Evidence
    pools: tuple[Pool, ...]
    missing: tuple[str, ...]

    @property
    def left(self) -> tuple[int, int]:
        """Bytes to spare by the two readings (low, high); negative where promised twice."""
        return self.memory - self.low.value, self.memory - self.high.value


def unlimited(limit: Threshold | Unknown | None, pool: int | Unknown, ctx: Context) -> bool:
    """Whether a limit means none: its own word, alpha 128 or more, or at least the whole pool."""
    if isinstance(limit, Alpha):
        return limit.alpha.amount >= UNLIMITED_ALPHA
    if not isinstance(limit, Static):
        return False
    if limit.unlimited or limit.limit is None:
        return True
    size = limit.limit.bytes(ctx)
    return isinstance(size, int) and isinstance(pool, int) and size >= pool


def budgets(model: SwitchModel, asic: Asic | None) -> tuple[Budget, ...] | Unknown:
    """The views of one switch. Unknown without ASIC or memory, on VOQ chips, and where the NOS names no pool."""
    if asic is None:
        return Unknown("ASIC not known, so neither is its memory", Fact.ASIC)
    if asic.architecture.value is Architecture.VOQ:
        return Unknown(
            f"{asic.title} queues at ingress per destination (VOQ): its pools are not shares of one memory", Fact.ASIC
        )
    if isinstance(asic.buffer.value, Unknown):
        return asic.buffer.value
    if not model.pools:
        return Unknown("no buffer pool is stated")
    cell = asic.cell.value
    ctx = Context(cell=cell if isinstance(cell, int) else None, kilo=model.kilo)
    out: list[Budget] = []
    for domain in sorted({p.domain for p in model.pools}, key=lambda d: -1 if d is None else d):
        for direction in (Direction.INGRESS, Direction.EGRESS):
            pools = [p for p in model.pools if p.direction is direction and p.domain == domain]
            if pools:
                out.append(_view(model, asic, asic.buffer.value, direction, domain, pools, ctx))
    return tuple(out)


def _view(
    model: SwitchModel, asic: Asic, memory: int, direction: Direction, domain: int | None, pools: list[Pool], ctx: Context
) -> Budget:
    domains = asic.domains.value
    parts = domains if domain is not None and isinstance(domains, int) else 1
    missing: list[str] = []
    shared, kept = 0, 0
    counted: list[Pool] = []
    for pool in pools:
        size = pool.size.bytes(ctx) if isinstance(pool.size, Quantity) else pool.size
        if not isinstance(size, int):
            missing.append(f"pool {pool.name}: {size.reason if isinstance(size, Unknown) else 'the device computes its size'}")
        elif pool.kind is PoolKind.HEADROOM:
            kept += size
            counted.append(pool)
        elif direction is Direction.INGRESS or not _means_unlimited(model, asic, pool, size, ctx):
            shared += size
            counted.append(pool)
    reserved = 0 if domain is not None else _reserved(model, direction, ctx, missing)
    includes: bool | Unknown = asic.pool_size_includes_headroom.value
    said = [p.includes_headroom for p in pools if p.kind is PoolKind.SHARED and isinstance(p.includes_headroom, bool)]
    if said:
        includes = said[0]
    if direction is Direction.EGRESS:  # has no headroom; whether the minimums of queues are inside no source says
        includes = Unknown("whether an egress pool's size holds the minimums of queues is not sourced")
    at = term("shared pools", shared, _names(counted, PoolKind.SHARED), "the configuration")
    whose = "groups" if direction is Direction.INGRESS else "queues"
    more = (
        term("headroom pools", kept, _names(counted, PoolKind.HEADROOM), "the configuration"),
        term("reserved", reserved, f"minimums of {whose}", "the configuration"),
    )
    low = _sum((at, *more) if includes is False else (at,))
    high = _sum((at,) if includes is True else (at, *more))
    sourced = direction is Direction.EGRESS or not isinstance(includes, Unknown)
    fact = asic.pool_size_includes_headroom
    evidence = max((asic.buffer.evidence, *((fact.evidence,) if kept else ())), key=list(Evidence).index)
    return Budget(direction, domain, low, high, memory // parts, sourced, evidence, tuple(counted), tuple(missing))


def _sum(terms: tuple[Term, ...]) -> Number:
    found = tuple(t for t in terms if t.value) or terms[:1]
    return number(sum(int(t.value) for t in terms), " + ".join(t.name for t in found), found)


def _names(pools: Iterable[Pool], kind: PoolKind) -> str:
    return ", ".join(p.name for p in pools if p.kind is kind) or "none that limits anything"


def _means_unlimited(model: SwitchModel, asic: Asic, pool: Pool, size: int, ctx: Context) -> bool:
    """Whether a queue or profile that draws on the pool may take all of it: then its size is no promise (or nothing draws)."""
    limits = [
        q.limit
        for qos in {id(p.qos): p.qos for p in model.ports.values()}.values()
        for q in qos.queues.values()
        if q.pool == pool.name
    ]
    limits += [p.threshold for p in model.profiles.values() if p.pool == pool.name]
    domains = asic.domains.value if isinstance(asic.domains.value, int) else 1
    # One domain's part of the pool: the whole of it, where a limit counts per domain (BUF003 tells where it does not).
    whole = int(size * ALIKE) // domains
    return not limits or any(unlimited(limit, whole, ctx) for limit in limits)


def _reserved(model: SwitchModel, direction: Direction, ctx: Context, missing: list[str]) -> int:
    """Minimums of all groups (ingress) or queues (egress) of ports in use."""
    total = 0
    per_body: dict[int, tuple[int, int]] = {}
    for port in model.ports.values():
        if port.admin is False:
            continue
        if id(port.qos) not in per_body:
            things = port.qos.groups.values() if direction is Direction.INGRESS else port.qos.queues.values()
            sizes = [t.reserved.bytes(ctx) if isinstance(t.reserved, Quantity) else t.reserved for t in things]
            unknown = sum(isinstance(s, Unknown) for s in sizes)
            per_body[id(port.qos)] = sum(s for s in sizes if isinstance(s, int)), unknown
        found, unknown = per_body[id(port.qos)]
        total += found
        if unknown:
            missing.append(f"{unknown} minimums of {port.name}")
    return total
