"""Switches built by hand for the tests of pools and thresholds."""

from __future__ import annotations

from xoff.model.frozen import FrozenMap
from xoff.model.qos import Alpha, Pfc, PfcMode, PortQos, PriorityGroup, Queue, QueueId, QueueKind, Static, Threshold
from xoff.model.quantity import Quantity, Unit, Unknown, quantity
from xoff.model.switch import Direction, Pool, PoolKind, PoolMode, Port, PortKind, SwitchModel


def b(n: int | None) -> Quantity | None:
    return None if n is None else quantity(n, Unit.BYTES)


def alpha(text: str) -> Alpha:
    return Alpha(quantity(text, Unit.ALPHA))


def static(n: int) -> Static:
    return Static(quantity(n, Unit.BYTES))


def shared(name: str, direction: Direction, size: int | None, domain: int | None = None) -> Pool:
    return Pool(name, direction, PoolKind.SHARED, PoolMode.DYNAMIC, b(size), domain)


def headroom(size: int) -> Pool:
    return Pool("in.headroom", Direction.INGRESS, PoolKind.HEADROOM, PoolMode.STATIC, b(size))


def switch(
    ports: int,
    pools: tuple[Pool, ...],
    *,
    groups: tuple[int, ...] = (3,),
    reserved: int | None = 0,
    room: int | None = 0,
    threshold: Threshold | Unknown | None = None,
    limit: Threshold | Unknown | None = None,
    xon: int | None = 0,
    offset: int | None = None,
    pool: str | None = "in",
    queue_reserved: int | None = 0,
) -> SwitchModel:
    """`ports` equal ports, PFC on, one group and queue for each number in `groups`; sizes in bytes."""
    pfc = Pfc(PfcMode.ON, frozenset(groups), FrozenMap({g: frozenset({g}) for g in groups}))
    same: FrozenMap[int, int | Unknown] = FrozenMap({g: g for g in groups})
    made = {g: PriorityGroup(g, True, b(reserved), b(room), threshold or alpha("1"), b(xon), b(offset), pool) for g in groups}
    queues = {
        QueueId(QueueKind.UNICAST, g): Queue(
            QueueId(QueueKind.UNICAST, g), limit=limit or alpha("128"), reserved=b(queue_reserved), pool="out"
        )
        for g in groups
    }
    qos = PortQos(tc_to_queue=same, tc_to_group=same, pfc=pfc, groups=FrozenMap(made), queues=FrozenMap(queues))
    return SwitchModel(
        "s", "sonic", FrozenMap({f"E{i}": Port(f"E{i}", PortKind.FRONT, qos) for i in range(ports)}), pools=pools
    )
