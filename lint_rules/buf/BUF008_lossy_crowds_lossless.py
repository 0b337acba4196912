"""BUF008: lossy classes may take as much of the shared memory as the lossless class."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from xoff.lint.rules import (
    Architecture,
    DeviceView,
    Fact,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    PortView,
    PriorityGroup,
    Rule,
    Scope,
    Severity,
    planned_group,
    pool_named,
    pool_size,
    share_alone,
    shipped_share,
    threshold_said,
)

_WHY = (
    "Lossy queues that are full take the shared memory, and with a dynamic threshold the lossless group gets a share of what "
    "is "
    "left: it pauses its senders although nothing of its own is congested."
)


class LossyCrowdsLossless(Rule):
    code = "BUF008"
    name = "lossy-crowds-lossless"
    severity = Severity.WARNING
    impact = Impact.LOSS
    scope = Scope.SWITCH
    explains = ("DRF001",)

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        lossless, lossy = _kinds(device)
        if not lossless:
            raise NotApplicable("PFC protects no group with a threshold")
        if device.maybe.architecture is Architecture.VOQ:
            raise NotAssessed("a VOQ switch queues at ingress per destination: an alpha is no share of one pool there")
        pairs = [(g, o) for g in lossless for o in lossy if g.pool == o.pool and g.id != o.id]
        if not pairs:
            raise NotApplicable("no lossy group with a threshold shares a pool with a lossless one")
        stopped: list[NotAssessed] = []
        for group, other in pairs:
            try:
                yield from self._judge(device, group, other, (lossless[group], lossy[other]))
            except NotAssessed as why:
                stopped.append(why)
        if stopped:
            raise stopped[0]

    def _judge(
        self, device: DeviceView, group: PriorityGroup, other: PriorityGroup, ports: tuple[PortView, PortView]
    ) -> Iterator[Hit]:
        own, theirs = share_alone(device, group.threshold, group.pool), share_alone(device, other.threshold, other.pool)
        bound = _egress_bound(device, ports[1], other)
        if min(theirs, bound) < own or (planned_group(ports[0], group) and planned_group(ports[1], other)):
            return
        shipped = None
        if group.pool is not None:
            if device.asic_facts is None:
                raise NotAssessed("the ASIC is not known, so neither is what its vendor lets lossy traffic take", Fact.ASIC)
            shipped = max((s for p in _profiles(other) if (s := shipped_share(device, p)) is not None), default=None)
        usual = shipped is not None and shipped >= theirs
        yield self.hit(
            f"lossy priority group {other.id} may take {_percent(theirs)} of the shared memory ({_said(other)}), lossless "
            f"group "
            f"{group.id} {_percent(own)} ({_said(group)})" + ("; so shipped for this ASIC" if usual else ""),
            at=ports[1].origin(f"group.{other.id}.threshold", f"group.{other.id}"),
            port=ports[1],
            severity=Severity.NOTE if usual else Severity.WARNING,
            observed=f"{_said(other)} against {_said(group)}",
            expected="a smaller share for lossy traffic",
            why=_WHY,
            basis=("share of a lone group: alpha / (1 + alpha)",),
            related=((ports[0], ports[0].origin(f"group.{group.id}.threshold", f"group.{group.id}"), "the lossless group"),),
            object=f"groups {other.id} and {group.id}",
        )


def _kinds(device: DeviceView) -> tuple[dict[PriorityGroup, PortView], dict[PriorityGroup, PortView]]:
    """Lossless and lossy groups with a threshold, each once, with a port that has it."""
    lossless: dict[PriorityGroup, PortView] = {}
    lossy: dict[PriorityGroup, PortView] = {}
    for port in device.ports:
        if not port.maybe.carrying_kind or port.maybe.admin is False:
            continue
        try:
            protected = port.protected_groups()
        except NotAssessed:
            continue
        for group in port.maybe.qos.groups.values():
            if group.threshold is not None:
                (lossless if group.id in protected else lossy).setdefault(group, port)
    return lossless, lossy


def _egress_bound(device: DeviceView, port: PortView, group: PriorityGroup) -> Fraction:
    """What the egress pools let the group's traffic hold, as a part of its ingress pool; 1 where that is not known."""
    ingress = pool_named(device, group.pool)
    size = None if ingress is None else pool_size(device, ingress)
    qos = port.maybe.qos
    names = set()
    for tc, g in qos.tc_to_group.items():
        number = qos.tc_to_queue.get(tc)
        if g == group.id:
            names |= {q.pool for q in qos.queues.values() if q.id.id == number}
    pools = [pool_named(device, n) for n in names]
    sizes = [None if p is None else pool_size(device, p) for p in pools]
    if not size or not sizes or any(s is None for s in sizes):
        return Fraction(1)
    return min(Fraction(1), Fraction(sum(s for s in sizes if s is not None), size))


def _profiles(group: PriorityGroup) -> tuple[str, ...]:
    return (group.profile,) if group.profile else ()


def _said(group: PriorityGroup) -> str:
    return threshold_said(group.threshold)


def _percent(share: Fraction) -> str:
    return f"{float(share * 100):.0f} %"
