"""Pools, ingress groups and egress limits of Cumulus Linux: what reading and deriving have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from xoff.model.origin import Default, Evidence, Origin
from xoff.model.qos import Alpha, PriorityGroup, Queue, Static, Threshold
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Direction, Pool, PoolKind, PoolMode
from xoff.nos.cumulus.words import LOSSLESS_POOLS
from xoff.nos.registry import Nos

BY_DEVICE = Unknown("the switch computes headroom from cable length, speed and MTU; its formula is not published", Fact.TABLE)
#: Ingress groups are numbered like the switch priority; the group of all others is 0, or the first free number.
ALL = range(8)


@dataclass(frozen=True, slots=True)
class Layout:
    """Which pool each switch priority is in. `lossless`: those that the pools make lossless, with Unknown where it is open.

    `origins`: by switch priority, what says the pool. `size`: percent of the memory by pool.
    """

    pool: Mapping[int, str | Unknown]
    lossless: Mapping[int, bool | Unknown]
    origins: Mapping[int, Origin]
    size: Mapping[str, tuple[Quantity | Unknown | None, Origin]]

    @property
    def own(self) -> frozenset[int]:
        """Switch priorities with an ingress group of their own by their pool."""
        return frozenset(p for p, value in self.lossless.items() if value is not False)

    def pools(self) -> tuple[Pool, ...]:
        """The pools as the model has them: percent of the memory, both ways."""
        from xoff.model.origin import Origins

        return tuple(
            Pool(
                name,
                Direction.BOTH,
                PoolKind.SHARED,
                PoolMode.DYNAMIC,
                size,
                origins=Origins({"": at, "size": at}),
            )
            for name, (size, at) in self.size.items()
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """Switch-wide thresholds of the buffer regions, with what says them."""

    ingress: tuple[Threshold | Unknown | None, Origin]
    egress: tuple[Threshold | Unknown | None, Origin]
    lossy: tuple[Threshold | Unknown | None, Origin]
    by_tc: Mapping[int, tuple[Threshold, Origin]]


@dataclass(frozen=True, slots=True)
class Fixed:
    """A PFC profile's own numbers: bytes after XOFF, XOFF and the offset to resume; None: left to the switch."""

    headroom: tuple[Quantity | Unknown, Origin] | None = None
    xoff: tuple[Static, Origin] | None = None
    xon_offset: tuple[Quantity, Origin] | None = None
    #: Metres that the switch's own headroom is made for, where it is told no length.
    made_for: tuple[int, Origin] | None = None


def percent(value: int | str) -> Quantity:
    """A share of the memory."""
    return Quantity(Fraction(value), Unit.PERCENT)


def alpha(value: Fraction | int | str) -> Threshold:
    """A dynamic threshold; `inf` is none at all."""
    return Static(None, unlimited=True) if value == "inf" else Alpha(Quantity(Fraction(value), Unit.ALPHA))


def default_limits(nos: Nos) -> Limits:
    """The thresholds that hold where nothing is said."""

    def of(path: str, feature: str, note: str) -> tuple[Threshold | Unknown | None, Origin]:
        entry = nos.default(path, feature=feature)
        if entry is None:
            return None, Default(note, Evidence.RECALLED, "")
        return alpha(entry.value), entry.origin(note)

    return Limits(
        of("group.threshold", "lossless-group", "no ingress-lossless-buffer shared-alpha: alpha 1"),
        of("queue.limit", "lossless-queue", "no egress-lossless-buffer shared-alpha: no limit"),
        of("queue.limit", "lossy-queue", "no egress-lossy-buffer shared-alpha: alpha 8"),
        {},
    )


def groups(
    layout: Layout, sends: frozenset[int], limits: Limits, fixed: Fixed, origins: dict[str, Origin], structure: Origin
) -> tuple[dict[int, PriorityGroup], dict[int, int]]:
    """The ingress groups of a port whose switch priorities `sends` pause their sender, and the group of each priority."""
    own = layout.own | sends
    rest = min(n for n in range(9) if n not in own)
    of = {p: p if p in own else rest for p in ALL}
    out: dict[int, PriorityGroup] = {}
    for p in sorted(own):
        path = f"group.{p}"
        origins[path] = origins[f"{path}.pool"] = layout.origins[p]
        threshold, where = limits.ingress if layout.lossless[p] is not False else (None, layout.origins[p])
        values: dict[str, Any] = {}
        if p in sends:
            if fixed.headroom is None:
                values = {"headroom": BY_DEVICE, "headroom_by_device": True}
                if fixed.made_for is not None:
                    values["headroom_for_m"], origins[f"{path}.headroom"] = fixed.made_for
            else:
                values["headroom"], origins[f"{path}.headroom"] = fixed.headroom
            if fixed.xoff is not None:
                threshold, where = fixed.xoff
            if fixed.xon_offset is not None:
                values["xon_offset"], origins[f"{path}.xon_offset"] = fixed.xon_offset
        if threshold is not None:
            origins[f"{path}.threshold"] = where
        out[p] = PriorityGroup(p, layout.lossless[p], threshold=threshold, pool=layout.pool[p], **values)
    lossy = sorted(p for p in ALL if p not in own)
    if lossy:
        origins[f"group.{rest}"] = origins[f"group.{rest}.pool"] = layout.origins[lossy[0]]
        out[rest] = PriorityGroup(rest, False, pool=layout.pool[lossy[0]])
    origins["tc_to_group"] = structure
    return dict(sorted(out.items())), of


def with_limit(
    queue: Queue, layout: Layout, priorities: frozenset[int], sends: frozenset[int], limits: Limits, origins: dict[str, Origin]
) -> Queue:
    """The queue with pool and limit; `priorities`: switch priorities that use it."""
    path = f"queue.{queue.id}"
    kept = sorted(priorities & sends)
    if not kept and priorities <= layout.own:
        kept = sorted(priorities)
    first = kept[0] if kept else min(priorities, default=0)
    origins[f"{path}.pool"] = layout.origins[first]
    said = limits.by_tc.get(queue.id.id) if not kept else None
    limit, where = said or (limits.egress if kept else limits.lossy)
    if kept and layout.lossless[first] is False:
        limit, where = limits.by_tc.get(queue.id.id) or limits.lossy
    if limit is not None:
        origins[f"{path}.limit"] = where
    state = layout.lossless[first] if kept else None
    return replace(queue, limit=limit, pool=layout.pool[first], lossless=state if state is not False else None)


def lossless_pool(name: str | Unknown) -> bool:
    """Whether a traffic pool is one of those for lossless traffic."""
    return name in LOSSLESS_POOLS
