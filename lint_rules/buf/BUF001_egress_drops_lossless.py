"""BUF001: a lossless egress queue can fill, and drop, before the ingress group that feeds it pauses anybody."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Absent,
    Alpha,
    DeviceView,
    Direction,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    Pool,
    PoolKind,
    PortView,
    PriorityGroup,
    Quantity,
    Queue,
    Rule,
    Scope,
    Severity,
    Static,
    Unknown,
    egress_verdict,
    known,
    pool_bytes,
    terms,
    unicast_queue,
    xoff_of,
)

_WHY = (
    "PFC acts at ingress. When the egress queue reaches its own limit first, it drops packets of a class for which no pause "
    "has been sent yet; headroom stays empty and PFC counters stay at zero."
)


class EgressDropsLossless(Rule):
    code = "BUF001"
    name = "egress-drops-lossless"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.SWITCH
    explains = ("DRF001",)

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        pairs = dict(_pairs(device))
        if not pairs:
            raise NotApplicable("no queue serves a priority group that PFC protects")
        feeding = max(1, sum(len(v.ports) for v in device.ports if _protects(v)) - 1)
        stopped: list[NotAssessed] = []
        judged: dict[tuple[object, ...], list[Hit]] = {}
        for (_, group, queue), ports in pairs.items():
            for port in ports:
                try:
                    yield from self._limit(port, group, queue, feeding)
                except NotAssessed as why:
                    stopped.append(why)
            try:
                key = (group.pool, queue.pool, queue.limit)
                if key not in judged:
                    judged[key] = list(self._pool(device, group, queue))
                    yield from judged[key]
            except NotAssessed as why:
                stopped.append(why)
        if stopped:
            raise stopped[0]

    def _limit(self, port: PortView, group: PriorityGroup, queue: Queue, feeding: int) -> Iterator[Hit]:
        device = port.device
        said = group.headroom
        size = said.bytes(device.context(port)) if isinstance(said, Quantity) else said
        headroom = size if isinstance(size, int) else 0
        if _no_larger(queue, group) and (headroom or group.headroom_by_device):
            yield self._by_alpha(port, group, queue)
            return
        verdict = egress_verdict(device, queue, group, headroom, feeding)
        if verdict.unlimited or verdict.limit is None or verdict.need is None:
            return
        if verdict.drops_from is None or (not verdict.drops_alone and not isinstance(size, int)):
            if isinstance(size, Unknown):
                raise NotAssessed(size.reason, size.fact)
            return
        if verdict.drops_alone:
            message = (
                f"queue {queue.id.id} may hold {verdict.limit:,} B, less than the {verdict.need:,} B that one priority group "
                f"({group.id}) lets in before and after its pause"
            )
        else:
            message = (
                f"queue {queue.id.id} may hold {verdict.limit:,} B; from {verdict.drops_from} congested priority groups on "
                f"(of {feeding} that can feed it) it drops before they have paused"
            )
        yield self.hit(
            message,
            at=port.origin(f"queue.{queue.id}.limit", f"queue.{queue.id}.profile") or Absent(f"limit of queue {queue.id.id}"),
            port=port,
            severity=Severity.ERROR if verdict.drops_alone else Severity.WARNING,
            observed=f"{verdict.limit:,} B",
            expected=f"more than {verdict.need:,} B, or unlimited",
            unit="bytes",
            why=_WHY,
            basis=(f"{verdict.why}, per memory domain", *terms(xoff_of(device, group).high)),
            related=((port, port.origin(f"group.{group.id}.threshold", f"group.{group.id}"), "threshold of the group"),),
            object=f"queue {queue.id.id}",
        )

    def _by_alpha(self, port: PortView, group: PriorityGroup, queue: Queue) -> Hit:
        """One pool for both, and a queue that may take no larger part of it than its group: whatever the pool's size is."""
        assert isinstance(queue.limit, Alpha)
        assert isinstance(group.threshold, Alpha)
        out, into = queue.limit.alpha.plain, group.threshold.alpha.plain
        return self.hit(
            f"queue {queue.id.id} may take alpha {out} of pool {queue.pool}, no more than priority group {group.id} takes "
            f"(alpha {into}) before it pauses; what then comes into its headroom is dropped",
            at=port.origin(f"queue.{queue.id}.limit", f"queue.{queue.id}.profile") or Absent(f"limit of queue {queue.id.id}"),
            port=port,
            observed=f"alpha {out}",
            expected=f"above alpha {into}, or unlimited",
            why=_WHY,
            basis=("alpha B / (1 + alpha) for queue and group, B the same pool, headroom on top of the group's",),
            related=((port, port.origin(f"group.{group.id}.threshold", f"group.{group.id}"), "threshold of the group"),),
            object=f"queue {queue.id.id}",
        )

    def _pool(self, device: DeviceView, group: PriorityGroup, queue: Queue) -> Iterator[Hit]:
        """An egress pool that cannot hold all that the ingress pool lets in."""
        limit = queue.limit
        ingress, egress = _named(device, group.pool), _named(device, queue.pool)
        if not isinstance(limit, Static) or limit.unlimited or limit.limit is None:
            return  # an alpha is judged by its limit alone; unlimited is never reported
        if ingress is None or egress is None or ingress.direction is not Direction.INGRESS or egress is ingress:
            return
        includes = ingress.includes_headroom
        if isinstance(includes, Unknown) and device.asic_facts is not None:
            includes = device.asic_facts.pool_size_includes_headroom.value
        holds, lets_in = pool_bytes(device, egress.size), pool_bytes(device, ingress.size)
        allowed = max(holds, pool_bytes(device, limit.limit))
        if allowed >= lets_in:
            return
        if isinstance(includes, Unknown):
            raise NotAssessed(f"the pools are not compared: {includes.reason}", includes.fact)
        what = "shared buffer and headroom" if includes else "shared buffer"
        yield self.hit(
            f"egress pool {egress.name} holds {holds:,} B, less than the {lets_in:,} B ({what}) that ingress pool "
            f"{ingress.name} lets in",
            at=egress.origins.get("size") or egress.origins.get(""),
            device=device,
            severity=Severity.WARNING,
            observed=f"{holds:,} B",
            expected=f"at least {lets_in:,} B",
            unit="bytes",
            why=_WHY,
            basis=_basis(device),
            related=((None, ingress.origins.get("size") or ingress.origins.get(""), "the ingress pool"),),
            object=egress.name,
        )


def _no_larger(queue: Queue, group: PriorityGroup) -> bool:
    """Whether both take alphas of one pool, the queue's not above the group's."""
    return (
        isinstance(queue.pool, str)
        and queue.pool == group.pool
        and isinstance(queue.limit, Alpha)
        and isinstance(group.threshold, Alpha)
        and queue.limit.alpha.amount <= group.threshold.alpha.amount
    )


def _basis(device: DeviceView) -> tuple[str, ...]:
    fact = device.asic_facts.pool_size_includes_headroom if device.asic_facts else None
    return (f"whether size includes headroom: {fact.source}",) if fact else ()


def _named(device: DeviceView, name: str | Unknown | None) -> Pool | None:
    if name is None:
        return None
    wanted = known(name)
    return next((p for p in device.maybe.pools if p.name == wanted and p.kind is PoolKind.SHARED), None)


def _protects(port: PortView) -> bool:
    try:
        return port.maybe.carrying_kind and port.maybe.admin is not False and bool(port.protected_groups())
    except NotAssessed:
        return False


def _pairs(device: DeviceView) -> Iterator[tuple[tuple[str, PriorityGroup, Queue], list[PortView]]]:
    """Each protected group with the queue that its packets wait in, and the port bodies that have just this pair."""
    found: dict[tuple[str, PriorityGroup, Queue], list[PortView]] = {}
    for port in device.ports:
        if not _protects(port):
            continue
        qos = port.maybe.qos
        for g in sorted(port.protected_groups()):
            group = qos.groups.get(g)
            numbers = {qos.tc_to_queue.get(tc) for tc in port.classes_into(frozenset({g}))}
            for n in sorted(n for n in numbers if isinstance(n, int)):
                queue = unicast_queue(qos, n)
                if group is not None and queue is not None:
                    found.setdefault(("", group, queue), []).append(port)
    yield from found.items()
