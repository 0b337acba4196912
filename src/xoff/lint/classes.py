"""Classes in force: which DSCPs are to be lossless, and who says so. Resolved once per fabric, before any rule (DESIGN 8).

Strongest first: intent, project file, host facts, the fabric's own explicit lines, a named convention.
CNP and control are resolved one by one in the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from xoff.lint.conventions import Convention, cnp_for, named
from xoff.model.fabric import Basis, ClassInForce, ClassKind
from xoff.model.finding import Confidence
from xoff.model.path import path_of_tc
from xoff.model.qos import Colour, HeaderField, MatchKind
from xoff.model.quantity import Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Port, SwitchModel


@dataclass(frozen=True, slots=True)
class ClassSet:
    """`classes` in force and, where there is no lossless one, the note that says so."""

    classes: tuple[ClassInForce, ...]
    note: str = ""


def resolve(
    devices: Sequence[SwitchModel],
    stated: Sequence[Sequence[ClassInForce]],
    assume: str = "nvidia",
) -> ClassSet:
    """Classes in force of one fabric.

    devices: the fabric's switches. stated: classes by intent, by project file and by host facts, in this order
    (each may be empty).
    assume: name of the convention for stage 5. Raises KeyError for a convention nobody knows.
    """
    convention = named(assume)
    if convention is None:
        raise KeyError(assume)
    data: tuple[ClassInForce, ...] = ()
    for source in stated:
        data = tuple(c for c in source if c.kind is ClassKind.DATA)
        if data:
            break
    ports = [p for d in devices for p in d.ports.values() if p.carrying_kind]
    if not data:
        data = _from_fabric(ports)
    if not data and any(states_no_drop(p) for p in ports):
        data = _from_convention(convention)
    if not any(c.lossless for c in data):
        return ClassSet(data + _others(data, stated), "no lossless class found: no intent, no host facts and no no-drop line")
    return ClassSet(data + _others(data, stated))


def states_no_drop(port: Port) -> bool:
    """Whether a line of the input makes some priority of this port no-drop."""
    return bool(port.qos.pfc.no_drop) and any(
        port.origins.said(f"pfc.no_drop.{p}") or port.origins.said("pfc.no_drop") for p in port.qos.pfc.no_drop
    )


def _from_fabric(ports: Iterable[Port]) -> tuple[ClassInForce, ...]:
    """Values that explicit lines map to a no-drop class on more than half of the ports that carry any no-drop statement.

    The values are DSCPs, whatever a single port reads (a port that ignores its DSCP map is a fault, not another class);
    PCPs only where most of these ports read the PCP and explicit lines map it, or where they are told to read it.
    """
    judged: dict[tuple[int, int], tuple[bool, bool, frozenset[tuple[int, int]], frozenset[tuple[int, int]]]] = {}
    counts: dict[HeaderField, Counter[tuple[int, int]]] = {HeaderField.DSCP: Counter(), HeaderField.PCP: Counter()}
    total = reading_pcp = told_pcp = 0
    for port in ports:
        if not states_no_drop(port):
            continue
        total += 1
        key = (id(port.qos), id(port.origins))
        if key not in judged:
            by_pcp = _reads(port) is HeaderField.PCP
            told = by_pcp and port.origins.said("classify.trust")
            judged[key] = by_pcp, told, _explicit(port, MatchKind.DSCP), _explicit(port, MatchKind.PCP)
        by_pcp, told, dscps, pcps = judged[key]
        reading_pcp += by_pcp
        told_pcp += told
        counts[HeaderField.DSCP].update(dscps)
        if by_pcp:
            counts[HeaderField.PCP].update(pcps)
    common = {f: {pair for pair, n in c.items() if n * 2 > total} for f, c in counts.items()}
    by_pcp = told_pcp * 2 > total or (reading_pcp * 2 > total and bool(common[HeaderField.PCP]))
    field = HeaderField.PCP if by_pcp else HeaderField.DSCP
    found = common[field]
    by_priority: dict[int, set[int]] = {}
    for value, priority in found:
        by_priority.setdefault(priority, set()).add(value)
    return tuple(
        ClassInForce(
            name="lossless" if len(by_priority) == 1 else f"lossless{priority}",
            kind=ClassKind.DATA,
            lossless=True,
            dscp=frozenset(values) if field is HeaderField.DSCP else frozenset(),
            pcp=frozenset(values) if field is HeaderField.PCP else frozenset(),
            priority=priority,
            basis=Basis.FABRIC,
            confidence=Confidence.INFERRED,
            said=f"{field.value.upper()} {_listed(values)} mapped to no-drop priority {priority} by explicit lines "
            f"on more than half of {total} no-drop port{'s' if total != 1 else ''}",
        )
        for priority, values in sorted(by_priority.items())
    )


def _reads(port: Port) -> HeaderField | Unknown:
    """The field that decides for the IP frames this port usually sees: untagged where routed, tagged where switched."""
    c = port.qos.classify
    return c.tagged_ip if port.routed is False else c.untagged_ip


def _explicit(port: Port, kind: MatchKind) -> frozenset[tuple[int, int]]:
    """(value, priority) of the explicit lines of one kind that end in a no-drop priority."""
    out: set[tuple[int, int]] = set()
    seen: set[int] = set()
    for match in port.qos.classify.matches:
        if match.kind is not kind:
            continue
        for value in match.values - seen:
            seen.add(value)
            if isinstance(match.tc, Unknown) or not port.origins.said(f"classify.{kind.value}.{value}"):
                continue
            priority = _no_drop_priority(port, match.tc)
            if priority is not None:
                out.add((value, priority))
    return frozenset(out)


def _no_drop_priority(port: Port, tc: int) -> int | None:
    """The no-drop priority that a traffic class of this port ends in: by its group, else by its queue.

    A class whose group is lossy while pauses stop its queue was meant to be lossless (MAP002).
    """
    found = path_of_tc(port.qos, tc, Colour.GREEN, HeaderField.DSCP, "")
    if not isinstance(found.group, Unknown):
        sent = port.qos.pfc.send.get(found.group, frozenset({found.group})) & port.qos.pfc.no_drop
        if sent:
            return min(sent)
    if not isinstance(found.queue, Unknown):
        obeyed = frozenset(p for p, queues in port.qos.pfc.obey.items() if found.queue in queues) & port.qos.pfc.no_drop
        if obeyed:
            return min(obeyed)
    return None


def _from_convention(c: Convention) -> tuple[ClassInForce, ...]:
    by_priority: dict[int, set[int]] = {}
    for value, priority in c.data:
        by_priority.setdefault(priority, set()).add(value)
    return tuple(
        ClassInForce(
            name="lossless" if len(by_priority) == 1 else f"lossless{priority}",
            kind=ClassKind.DATA,
            lossless=True,
            dscp=frozenset(values),
            pcp=frozenset(),
            priority=priority,
            basis=Basis.CONVENTION,
            confidence=Confidence.INFERRED,
            said=f"convention {c.name!r} (DSCP {_listed(values)} in priority {priority}); nothing in the input says more",
        )
        for priority, values in sorted(by_priority.items())
    )


def _others(data: Sequence[ClassInForce], stated: Sequence[Sequence[ClassInForce]]) -> tuple[ClassInForce, ...]:
    """CNP, control and default, each from the strongest source that states it; CNP last by the data's convention."""
    out: list[ClassInForce] = []
    for kind in (ClassKind.CNP, ClassKind.CONTROL, ClassKind.DEFAULT):
        for source in stated:
            found = [c for c in source if c.kind is kind]
            if found:
                out += found
                break
        else:
            if kind is ClassKind.CNP:
                out += _cnp_by_convention(data)
    return tuple(out)


def _cnp_by_convention(data: Sequence[ClassInForce]) -> list[ClassInForce]:
    # Where marking is ruled out (congestion_control: none) there is nothing to notify of.
    owners = (c for c in data if c.lossless and c.ecn is not False)
    found = cnp_for(frozenset((v, c.priority) for c in owners if isinstance(c.priority, int) for v in c.dscp))
    if found is None:
        return []
    convention, (dscp, priority) = found
    return [
        ClassInForce(
            name="cnp",
            kind=ClassKind.CNP,
            lossless=False,
            dscp=frozenset({dscp}),
            pcp=frozenset(),
            priority=priority,
            basis=Basis.CONVENTION,
            confidence=Confidence.INFERRED,
            said=f"convention {convention.name!r}, which owns the values of the lossless class",
        )
    ]


def _listed(values: Iterable[int]) -> str:
    return ", ".join(str(v) for v in sorted(values))
