"""The buffer of a switch with n groups congested: where groups pause, what is left, and what overflows first.

One call answers it for a model of a switch, whatever NOS it came from: `state_of(model, asic, congested=n)`.
"""

from __future__ import annotations

from fractions import Fraction

from xoff.errors import UsageError
from xoff.model.origin import Term
from xoff.model.path import protected_groups, unicast_queue
from xoff.model.qos import Alpha, PortQos, PriorityGroup, Queue
from xoff.model.quantity import Context, Fact, Quantity, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Architecture, PoolKind, Port, SwitchModel
from xoff.platforms.facts import Asic
from xoff.sizing.budget import Budget, budgets
from xoff.sizing.number import Number, number, term
from xoff.sizing.resume import resume_level
from xoff.sizing.thresholds import (
    EgressVerdict,
    Shared,
    XoffPoint,
    egress_never_drops,
    shared_of,
    xoff_from_above,
    xoff_point,
)

MAX_GROUPS = 8 * 1024


@dataclass(frozen=True, slots=True)
class GroupState:
    """Lossless groups that are set up alike. Bytes.

    `count`: how many (port, group) pairs of the switch are so, `per_domain` how many of them one memory domain has (even split,
    rounded up, where no source maps ports). `xoff`: where each pauses with n of them congested. `xon`: where it resumes.
    `headroom`: what it takes after that. `egress`: whether the queue it feeds can drop first.
    """

    group: int
    count: int
    per_domain: int
    xoff: XoffPoint | Unknown
    xon: Number | Unknown
    headroom: int | Unknown
    egress: EgressVerdict | Unknown
    profile: str | None


@dataclass(frozen=True, slots=True)
class DomainState:
    """One memory domain with n equal groups congested. Bytes.

    `shared`: the pool's part here. `left`: what n groups at their XOFF point leave of it. `headroom_pool`: kept for what
    arrives afterwards; None where groups keep it themselves or the NOS names no pool. `headroom_left`: of that, after n of the
    largest.
    """

    domains: int | Unknown
    shared: Number | Unknown
    left: Number | Unknown
    headroom_pool: int | Unknown | None
    headroom_left: Number | Unknown | None


@dataclass(frozen=True, slots=True)
class Overflow:
    """What gives way first: `memory` (promised twice), `headroom pool`, `egress queue`; from how many groups on. Bytes."""

    what: str
    groups: int
    limit: int
    need: int
    terms: tuple[Term, ...] = ()

    def __str__(self) -> str:
        if self.what == "memory":
            return f"the memory of {self.limit:,} B is promised {self.need:,} B"
        word = "group" if self.groups == 1 else "groups"
        return f"the {self.what} ({self.limit:,} B) overflows with {self.groups} congested {word} ({self.need:,} B)"


@dataclass(frozen=True, slots=True)
class BufferState:
    """`first`: what overflows first as more groups become congested, None: nothing can. Unknown where a part is not known.

    `budget`: the views of the memory. `unknown`: what could not be taken into account, in words.
    """

    congested: int
    groups: tuple[GroupState, ...]
    domain: DomainState
    budget: tuple[Budget, ...] | Unknown
    overflows: tuple[Overflow, ...]
    unknown: tuple[str, ...]

    @property
    def first(self) -> Overflow | Unknown | None:
        """The overflow that needs the fewest congested groups; Unknown where none is found and something could not be
        judged."""
        if self.overflows:
            return min(self.overflows, key=lambda o: o.groups)
        return Unknown(self.unknown[0]) if self.unknown else None

    @property
    def overflowing(self) -> tuple[Overflow, ...]:
        """What overflows with the groups that are congested now."""
        return tuple(o for o in self.overflows if o.groups <= self.congested)


def state_of(model: SwitchModel, asic: Asic | None, congested: int = 1) -> BufferState | Unknown:
    """The state of the buffers with `congested` equal lossless groups congested in one memory domain.

    Unknown on VOQ chips (their thresholds are of another kind) and where no group is protected. Raises UsageError where
    `congested` is not 1 to 8,192.
    """
    if type(congested) is not int or not 1 <= congested <= MAX_GROUPS:
        raise UsageError(f"{congested!r} congested groups are out of range: 1 to {MAX_GROUPS}")
    if asic is None:
        return Unknown("ASIC not known, so neither are its memory and domains", Fact.ASIC)
    if asic.architecture.value is Architecture.VOQ:
        return Unknown(f"{asic.title} queues at ingress per destination (VOQ): no shared-pool threshold holds there", Fact.ASIC)
    found, unread = _kinds(model)
    if not found:
        return Unknown(unread[0] if unread else "PFC protects no group of this switch")
    domains = asic.domains.value
    parts = domains if isinstance(domains, int) else 1
    ctx = Context(cell=asic.cell.value if isinstance(asic.cell.value, int) else None, kilo=model.kilo)
    total = sum(len(ports) for ports in found.values())
    up_to = min(-(-total // parts), MAX_GROUPS)
    groups = tuple(_group(model, asic, g, q, ports, congested, up_to, parts, ctx) for (g, q), ports in found.items())
    lead = next(g for g, _ in found)
    budget = budgets(model, asic)
    domain = _domain(model, asic, lead, groups, congested, parts, ctx)
    overflows, unknown = _overflows(groups, domain, budget, up_to)
    return BufferState(congested, groups, domain, budget, tuple(overflows), (*unread, *unknown))


def _kinds(model: SwitchModel) -> tuple[dict[tuple[PriorityGroup, Queue | None], list[Port]], list[str]]:
    """Protected groups with the queue their packets wait in, each with the ports that have just this pair."""
    found: dict[tuple[PriorityGroup, Queue | None], list[Port]] = {}
    unread: list[str] = []
    if isinstance(model.pfc_off, Unknown):
        return {}, [model.pfc_off.reason]
    for port in model.ports.values():
        if port.admin is False or model.pfc_off or not port.carrying_kind:
            continue
        sends = protected_groups(port.qos)
        if isinstance(sends, Unknown):
            unread.append(sends.reason)
            continue
        for n in sorted(sends):
            group = port.qos.groups.get(n)
            if group is None:
                unread.append(f"nothing is said of the buffer of priority group {n}")
            else:
                found.setdefault((group, _queue_of(port.qos, n)), []).append(port)
    return found, list(dict.fromkeys(unread))


def _queue_of(qos: PortQos, group: int) -> Queue | None:
    numbers = {qos.tc_to_queue.get(tc) for tc, g in qos.tc_to_group.items() if g == group}
    found = (unicast_queue(qos, n) for n in sorted(n for n in numbers if isinstance(n, int)))
    return next((q for q in found if q is not None), None)


def _group(
    model: SwitchModel,
    asic: Asic,
    group: PriorityGroup,
    queue: Queue | None,
    ports: list[Port],
    n: int,
    up_to: int,
    parts: int,
    ctx: Context,
) -> GroupState:
    xoff = _xoff(model, asic, group, n)
    said = group.headroom
    headroom = said.bytes(ctx) if isinstance(said, Quantity) else said or Unknown("the group's headroom is not said")
    egress: EgressVerdict | Unknown
    if queue is None:
        egress = Unknown("which queue the group feeds is not known")
    else:
        egress = egress_never_drops(
            queue, group, model.pools, asic, headroom if isinstance(headroom, int) else 0, up_to, model.kilo
        )
    return GroupState(
        group.id, len(ports), -(-len(ports) // parts), xoff, _xon(group, xoff, ctx), headroom, egress, group.profile
    )


def _xoff(model: SwitchModel, asic: Asic, group: PriorityGroup, n: int) -> XoffPoint | Unknown:
    if group.pool is None and isinstance(group.threshold, Alpha):
        return xoff_from_above(group, model.pools, asic, model.kilo, n)
    return xoff_point(group, model.pools, asic, n, model.kilo)


def _xon(group: PriorityGroup, xoff: XoffPoint | Unknown, ctx: Context) -> Number | Unknown:
    if isinstance(xoff, Unknown):
        return xoff
    if isinstance(xoff.low, Unknown):
        return xoff.low
    if group.xon is None and group.xon_offset is None:
        return Unknown("neither XON nor an offset is said, and the default is not confirmed", Fact.DEFAULT)
    sizes = []
    for said in (group.xon, group.xon_offset):
        found = said.bytes(ctx) if isinstance(said, Quantity) else said
        if isinstance(found, Unknown):
            return found
        sizes.append(found)
    return resume_level(xoff.low.value, sizes[0] or 0, sizes[1])


def _domain(
    model: SwitchModel, asic: Asic, lead: PriorityGroup, groups: tuple[GroupState, ...], n: int, parts: int, ctx: Context
) -> DomainState:
    shared = shared_of(lead.pool, model.pools, asic, model.kilo)
    pool: Number | Unknown
    left: Number | Unknown
    if isinstance(shared, Unknown):
        pool = left = shared
    elif isinstance(shared.low, Unknown):
        pool = left = shared.low
    else:
        pool = number(int(shared.low), "pool / domains", shared.terms)
        left = _left(lead, groups[0], shared, n, ctx)
    kept = [p for p in model.pools if p.kind is PoolKind.HEADROOM]
    if not kept:
        return DomainState(asic.domains.value, pool, left, None, None)
    sizes = [p.size.bytes(ctx) if isinstance(p.size, Quantity) else p.size for p in kept]
    known = [s for s in sizes if isinstance(s, int)]
    if len(known) < len(sizes):
        why = next((s for s in sizes if isinstance(s, Unknown)), Unknown("the device computes its headroom pool"))
        return DomainState(asic.domains.value, pool, left, why, why)
    share = sum(known) // parts
    heads = [g.headroom for g in groups if isinstance(g.headroom, int)]
    if not heads:
        return DomainState(asic.domains.value, pool, left, share, Unknown("no group's headroom is a number here", Fact.TABLE))
    terms = (
        term("headroom pool", share, "one domain's part", "the configuration"),
        term("largest headroom", max(heads), f"{n} of them", "the configuration"),
    )
    return DomainState(asic.domains.value, pool, left, share, number(share - n * max(heads), "pool - n headroom", terms))


def _left(lead: PriorityGroup, state: GroupState, shared: Shared, n: int, ctx: Context) -> Number | Unknown:
    """Of the shared part, what n groups at their XOFF point leave to everybody else."""
    if isinstance(state.xoff, Unknown):
        return state.xoff
    if isinstance(state.xoff.low, Unknown) or isinstance(shared.low, Unknown):
        return state.xoff.low if isinstance(state.xoff.low, Unknown) else Unknown("not known")
    own = lead.reserved.bytes(ctx) if isinstance(lead.reserved, Quantity) else 0
    each = state.xoff.low.value - (own if isinstance(own, int) else 0)
    held = n * each
    terms = (*shared.terms, term("held", held, f"{n} group{'s' if n > 1 else ''} of {each} B above their minimum", "computed"))
    return number(max(0, int(shared.low - Fraction(held))), "shared - n x (XOFF - reserved)", terms)


def _overflows(
    groups: tuple[GroupState, ...], domain: DomainState, budget: tuple[Budget, ...] | Unknown, up_to: int
) -> tuple[list[Overflow], list[str]]:
    out: list[Overflow] = []
    unknown: list[str] = []
    if isinstance(budget, Unknown):
        unknown.append(budget.reason)
    else:
        out += [Overflow("memory", 0, b.memory, b.low.value, b.low.terms) for b in budget if b.low.value > b.memory]
    heads = [g.headroom for g in groups if isinstance(g.headroom, int)]
    if isinstance(domain.headroom_pool, int) and heads:
        fit = domain.headroom_pool // max(heads) if max(heads) else up_to
        if fit < up_to:
            terms = domain.headroom_left.terms if isinstance(domain.headroom_left, Number) else ()
            out.append(Overflow("headroom pool", fit + 1, domain.headroom_pool, (fit + 1) * max(heads), terms))
    elif isinstance(domain.headroom_pool, Unknown):
        unknown.append(domain.headroom_pool.reason)
    for g in groups:
        if isinstance(g.headroom, Unknown):
            unknown.append(g.headroom.reason)
        if isinstance(g.egress, Unknown):
            unknown.append(g.egress.reason)
        elif g.egress.drops_from is not None and g.egress.limit is not None:
            out.append(Overflow("egress queue", g.egress.drops_from, g.egress.limit, g.egress.need_at or 0, g.egress.terms))
        if isinstance(g.xoff, Unknown):
            unknown.append(g.xoff.reason)
    return out, list(dict.fromkeys(unknown))
