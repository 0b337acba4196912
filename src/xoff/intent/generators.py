"""Generated fabrics: predictable names, then treated like written ones. So far: leaf-spine."""

from __future__ import annotations

from xoff.intent import ranges
from xoff.intent.document import Path
from xoff.intent.ends import Group
from xoff.intent.load import Intent
from xoff.intent.schema import SpeedPair, SwitchPart, TierPart, TopologyPart
from xoff.model.record import dataclass

_TIERS = ("leaf", "spine")
_NEEDED = {
    "kind": "leaf-spine",
    "leaves": "4",
    "spines": "2",
    "leaf": "{nos: …, model: …, up: …, down: …}",
    "spine": "{nos: …, model: …, down: …}",
}


@dataclass(frozen=True, slots=True)
class Generated:
    """Switch entries and link groups, as if the intent had written them."""

    switches: tuple[tuple[tuple[str, ...], SwitchPart, Path], ...] = ()
    groups: tuple[Group, ...] = ()


def numbered(tier: str, count: int) -> tuple[str, ...]:
    """`leaf01` … : two digits, more where the count needs them."""
    width = max(2, len(str(count)))
    return tuple(f"{tier}{n:0{width}d}" for n in range(1, count + 1))


def generate(intent: Intent) -> Generated:
    """What `topology` asks for; nothing without one. What is missing goes to the intent's problems."""
    part, problems = intent.part.topology, intent.problems
    top: Path = ("topology",)
    if part is None or problems.poisoned(top):
        return Generated()
    good = True
    for key, example in _NEEDED.items():
        if getattr(part, key) is None:
            good = False
            if not problems.poisoned((*top, key)):
                problems.add(top, f"the topology has no {key}", f"for example {key}: {example}", key=True)
    if not good or part.leaf is None or part.spine is None or part.leaves is None or part.spines is None:
        return Generated()
    names = numbered("leaf", part.leaves), numbered("spine", part.spines)
    entries = []
    for tier, tier_names, tier_part in zip(_TIERS, names, (part.leaf, part.spine), strict=True):
        if "role" not in tier_part.model_fields_set:
            tier_part = tier_part.model_copy(update={"role": tier})
        entries.append((tier_names, tier_part, (*top, tier)))
    groups = [g for g in (_fabric(intent, part, *names), _hosts(intent, part, names[0])) if g is not None]
    return Generated(tuple(entries), tuple(groups))


def _ports(intent: Intent, part: TierPart, tier: str, side: str, what: str) -> tuple[str, ...]:
    patterns = getattr(part, side)
    path: Path = ("topology", tier, side)
    if patterns is None:
        if not intent.problems.poisoned(path):
            intent.problems.add(("topology", tier), f"the {tier} has no {side}: which ports go {what}?",
                                f'for example {side}: "Ethernet[1-16]/1"', key=True)  # fmt: skip
        return ()
    return tuple(name for p in patterns for name in ranges.expand(p))


def _speed(part: TopologyPart, side: str) -> int | None:
    if isinstance(part.speed, SpeedPair):
        found = getattr(part.speed, side)
        return found if isinstance(found, int) else None
    return part.speed


def _fabric(intent: Intent, part: TopologyPart, leaves: tuple[str, ...], spines: tuple[str, ...]) -> Group | None:
    assert part.leaf is not None
    assert part.spine is not None
    up = _ports(intent, part.leaf, "leaf", "up", "to the spines")
    down = _ports(intent, part.spine, "spine", "down", "to the leaves")
    if not up or not down:
        return None
    cable = part.cables.fabric if part.cables else None
    carries = frozenset(part.carries.fabric) if part.carries and part.carries.fabric is not None else None
    return Group(leaves, spines, up, down, part.count, _speed(part, "fabric"), cable, carries, ("topology",),
                 ("topology", "leaf", "up"), ("topology", "spine", "down"), exact=False)  # fmt: skip


def _hosts(intent: Intent, part: TopologyPart, leaves: tuple[str, ...]) -> Group | None:
    assert part.leaf is not None
    hosts = intent.part.hosts
    groups = hosts if isinstance(hosts, list) else [hosts] if hosts else []
    names = tuple(n for g in groups if g.name for n in ranges.expand(g.name))
    if part.leaf.down is None and not names:
        return None
    down = _ports(intent, part.leaf, "leaf", "down", "to the hosts")
    if not names or not down:
        return None
    cable = part.cables.host if part.cables else None
    carries = frozenset(part.carries.host) if part.carries and part.carries.host is not None else None
    return Group(leaves, names, down, (), 1, _speed(part, "host"), cable, carries, ("topology",), ("topology", "leaf", "down"),
                 ("topology",), exact=False)  # fmt: skip
