"""The classes in force that an intent states."""

from __future__ import annotations

from xoff.fabric.planned import PlannedFabric, TrafficClass
from xoff.model.fabric import Basis, ClassInForce, ClassKind
from xoff.model.finding import Confidence


def classes_of(plan: PlannedFabric) -> tuple[ClassInForce, ...]:
    """Every class of the plan, as rules judge against it. Basis INTENT, certain."""
    return tuple(_class(plan, c) for c in plan.classes)


def _class(plan: PlannedFabric, c: TrafficClass) -> ClassInForce:
    marking = None if c.kind is not ClassKind.DATA else c.ecn and plan.congestion_control != "none"
    values = ", ".join(map(str, sorted(c.dscp))) or "no DSCP of its own"
    return ClassInForce(
        name=c.name,
        kind=c.kind,
        lossless=c.lossless,
        dscp=c.dscp,
        pcp=frozenset(),
        priority=c.priority,
        basis=Basis.INTENT,
        confidence=Confidence.CERTAIN,
        said=f"{plan.file or 'the intent'}: class {c.name}, DSCP {values}, priority {c.priority}",
        ecn=marking,
        at=c.at,
    )
