"""EOS: the MMU profile of Trident and Tomahawk switches (`platform trident mmu …`).

One profile serves the whole switch (it is applied once), and headroom stands once in it, not per group: derive has
collapsed both to the device before they come here, and what is still different is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xoff import platforms
from xoff.errors import CannotExpress
from xoff.model.qos import Alpha, PriorityGroup, QueueKind, Threshold
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import PoolKind, Port, SwitchModel
from xoff.nos.renderer import NoteKind, Notes, trusted

#: Alphas that EOS has words for (AVD 6.4 schema of `platform trident mmu`).
ALPHAS = frozenset({"1/128", "1/64", "1/32", "1/16", "1/8", "1/4", "1/2", "1", "2", "4", "8"})
NAME = "XOFF"


@dataclass(frozen=True, slots=True)
class GroupLines:
    id: int
    reserved: str | None
    threshold: str | None


@dataclass(frozen=True, slots=True)
class Mmu:
    """The lines of the profile; sizes as `bytes 4096` or `cells 12`. `pool_limit`: the shared headroom.

    No `ingress resume`: whether it is a level or an offset no source says, so neither XON nor its offset can be put there.
    """

    name: str
    headroom: str | None
    groups: tuple[GroupLines, ...]
    queues: tuple[GroupLines, ...]
    pool_limit: str | None


def build(model: SwitchModel, ports: list[Port], notes: Notes) -> Mmu | None:
    """The MMU profile, or None where the model states no buffers or the platform has no such profile (then a note says so)."""
    groups = [(p.name, g) for p in ports for g in p.qos.groups.values()]
    for _, g in groups:
        if isinstance(g.headroom, Unknown):
            notes.add(NoteKind.DEVICE, "headroom", g.headroom.reason)
    groups = [(n, g) for n, g in groups if _states(g)]
    queues = _queues(ports)
    limit = _pool_limit(model)
    if not groups and not queues and limit is None:
        return None
    if not _available(model, notes):
        return None
    lossless = [(n, g) for n, g in groups if isinstance(g.headroom, Quantity)]
    by_id: dict[int, list[tuple[str, PriorityGroup]]] = {}
    for n, g in groups:
        by_id.setdefault(g.id, []).append((n, g))
    return Mmu(
        NAME,
        _size(_one(lossless, lambda g: g.headroom, "headroom"), "headroom"),
        tuple(
            GroupLines(
                i,
                _size(_one(by_id[i], lambda g: g.reserved, f"reserved of group {i}"), f"reserved of group {i}"),
                _alpha(_one(by_id[i], lambda g: g.threshold, f"threshold of group {i}"), f"threshold of group {i}"),
            )
            for i in sorted(by_id)
        ),
        queues,
        limit,
    )


def _states(g: PriorityGroup) -> bool:
    return isinstance(g.headroom, Quantity) or g.reserved is not None or g.threshold is not None


def _available(model: SwitchModel, notes: Notes) -> bool:
    asic = None if isinstance(model.asic, Unknown) else platforms.load(model.asic)
    fact = asic.eos_mmu if asic else None
    if fact is None or isinstance(fact.value, Unknown):
        raise CannotExpress(
            f"{model.hostname}: no source says whether EOS has MMU profiles on {model.asic}, so headroom cannot be written; "
            "name an ASIC that platforms/ knows"
        )
    if fact.value is not True:
        notes.add(NoteKind.DEVICE, "headroom and thresholds", f"EOS has no MMU profile on {model.asic} ({fact.source})")
        return False
    if not trusted(fact.evidence):
        notes.unverified("platform trident mmu", f"MMU profiles on this platform by a {fact.evidence} source: {fact.source}")
    return True


def _one(groups: Iterable[tuple[str, PriorityGroup]], get: Callable[[PriorityGroup], object], what: str) -> object:
    """The value that all of them share; refuses two different ones by name of the ports."""
    first: tuple[str, object] | None = None
    for name, group in groups:
        value = get(group)
        if first is None:
            first = (name, value)
        elif value != first[1]:
            raise CannotExpress(f"{what}: {value} on {name}, {first[1]} on {first[0]}; EOS says it once for the whole switch")
    return first[1] if first else None


def _size(q: object, what: str) -> str | None:
    if q is None:
        return None
    if not isinstance(q, Quantity) or q.unit not in (Unit.BYTES, Unit.CELLS) or q.amount.denominator != 1 or q.amount < 0:
        raise CannotExpress(f"{what}: {q} cannot be said; EOS takes whole bytes or cells")
    return f"{q.unit} {q.plain}"


def _alpha(t: object, what: str) -> str | None:
    if t is None:
        return None
    if not isinstance(t, Alpha) or t.alpha.plain not in ALPHAS:
        raise CannotExpress(f"{what}: {_said(t)} cannot be said; EOS takes an alpha of {', '.join(sorted(ALPHAS))}")
    return t.alpha.plain


def _said(t: object) -> str:
    return str(t.alpha) if isinstance(t, Alpha) else str(t)


def _queues(ports: list[Port]) -> tuple[GroupLines, ...]:
    found: dict[int, tuple[str, Threshold | Unknown | None, Quantity | Unknown | None]] = {}
    for p in ports:
        for q in p.qos.queues.values():
            if q.id.kind is not QueueKind.UNICAST or (q.limit is None and q.reserved is None):
                continue
            was = found.setdefault(q.id.id, (p.name, q.limit, q.reserved))
            if was[1:] != (q.limit, q.reserved):
                raise CannotExpress(
                    f"queue {q.id.id}: buffer of {p.name} and {was[0]} differ; EOS says it once for the whole switch"
                )
    return tuple(
        GroupLines(i, _size(found[i][2], f"reserved of queue {i}"), _alpha(found[i][1], f"threshold of queue {i}"))
        for i in sorted(found)
    )


def _pool_limit(model: SwitchModel) -> str | None:
    """Shared headroom of the switch, where the model has a headroom pool."""
    for pool in model.pools:
        if pool.kind is PoolKind.HEADROOM and pool.size is not None:
            return _size(pool.size, "headroom pool")
    return None
