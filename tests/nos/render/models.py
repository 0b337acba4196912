"""Hand-built models, so that rendering is tested on its own: what derive would give for one leaf with hosts and uplinks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.qos import (
    Alpha,
    Classify,
    Colour,
    Curve,
    HeaderField,
    Match,
    MatchKind,
    Pfc,
    PfcMode,
    PortQos,
    PriorityGroup,
    Queue,
    QueueId,
    QueueKind,
    Scheduler,
    SchedulerKind,
    Static,
    Watchdog,
    WatchdogAction,
)
from xoff.model.quantity import Quantity, Unit, quantity
from xoff.model.switch import Architecture, Direction, Named, Pool, PoolKind, PoolMode, Port, PortKind, SwitchModel

DSCP = HeaderField.DSCP


def b(n: int) -> Quantity:
    return quantity(n, Unit.BYTES)


def dscp_map(special: dict[int, int], rest: int) -> tuple[Match, ...]:
    by: dict[int, set[int]] = {}
    for v in range(64):
        by.setdefault(special.get(v, rest), set()).add(v)
    return tuple(Match(MatchKind.DSCP, frozenset(vs), tc) for tc, vs in sorted(by.items()))


def classify(rest: int = 0) -> Classify:
    return Classify(dscp_map({26: 3, 48: 6}, rest), DSCP, DSCP, DSCP, 0)


def scheduler(queue: int) -> Scheduler:
    if queue in (6, 7):
        return Scheduler(SchedulerKind.STRICT)
    return Scheduler(SchedulerKind.DWRR, quantity(60 if queue == 3 else 8, Unit.PERCENT))


def queues(kmin: int | None, buffers: bool) -> FrozenMap[QueueId, Queue]:
    out = {}
    for n in range(8):
        curve = {Colour.GREEN: Curve(b(kmin), b(10 * kmin), quantity(100, Unit.PERCENT), True)} if n == 3 and kmin else {}
        out[QueueId(QueueKind.UNICAST, n)] = Queue(
            QueueId(QueueKind.UNICAST, n),
            FrozenMap(curve),
            scheduler=scheduler(n),
            limit=(Static(b(67117468)) if n == 3 else Alpha(quantity(2, Unit.ALPHA))) if buffers else None,
            reserved=b(0 if n == 3 else 1778) if buffers else None,
            pool="egress_lossless_pool" if buffers else None,
            lossless=(n == 3) if buffers else None,
        )
    return FrozenMap(out)


def watchdog(unit: Unit, on: bool = True) -> Watchdog:
    ms = {Unit.SECONDS: Fraction(1, 1000), Unit.MILLISECONDS: Fraction(1)}[unit]
    if not on:
        return Watchdog(True, False)
    return Watchdog(
        True,
        True,
        frozenset({3}),
        Quantity(200 * ms, unit),
        Quantity(400 * ms, unit),
        Quantity(100 * ms, unit),
        WatchdogAction.DROP,
    )


def eos_qos(kmin: int | None = 614400, lossless: bool = True, mmu: bool = True) -> PortQos:
    group = PriorityGroup(3, True, headroom=b(201930), threshold=Alpha(quantity("1/4", Unit.ALPHA)), xon_offset=b(2048))
    return PortQos(
        classify(),
        FrozenMap((n, n) for n in range(8)),
        FrozenMap((n, n) for n in range(8)),
        pfc=Pfc(PfcMode.ON, frozenset({3}), FrozenMap({3: frozenset({3})}), FrozenMap({3: frozenset({3})}))
        if lossless
        else Pfc(),
        groups=FrozenMap({3: group}) if mmu and lossless else FrozenMap(),
        queues=queues(kmin if lossless else None, buffers=False),
        watchdog=watchdog(Unit.SECONDS, lossless),
    )


def eos(*, mmu: bool = True, **changes: Any) -> SwitchModel:
    """A Tomahawk2 leaf: two 100G host ports, one 400G uplink, one port that carries nothing lossless."""
    host, up, lossy = eos_qos(153600, mmu=mmu), eos_qos(mmu=mmu), eos_qos(lossless=False)
    ports = [
        Port("Ethernet10/1", PortKind.FRONT, host, 100_000, 9214, routed=True, cable_m=3, description="gpu-2 nic0"),
        Port("Ethernet2/1", PortKind.FRONT, host, 100_000, 9214, routed=True, cable_m=3, description="gpu-1 nic0"),
        Port("Ethernet33/1", PortKind.FRONT, up, 400_000, 9214, routed=True, cable_m=30),
        Port("Ethernet40", PortKind.FRONT, lossy, 100_000, 9214, routed=False, admin=False),
    ]
    model = SwitchModel(
        "leaf1",
        "eos",
        FrozenMap((p.name, p) for p in ports),
        platform="DCS-7260CX3-64",
        asic="tomahawk2",
        architecture=Architecture.SPLIT,
        pools=(Pool("headroom-pool", Direction.INGRESS, PoolKind.HEADROOM, PoolMode.STATIC, b(7_827_456)),) if mmu else (),
        facts=FrozenMap({"queue": Named("uc-tx-queue", "intent: options.queue")}),
    )
    return replace(model, **changes)


def sonic_qos(headroom: int, kmin: int | None, lossless: bool = True, dynamic: bool = False) -> PortQos:
    pg0 = PriorityGroup(0, False, reserved=b(0), threshold=Static(b(66394076)), pool="ingress_lossless_pool")
    if dynamic:
        pg3 = PriorityGroup(3, True, threshold=Alpha(quantity(1, Unit.ALPHA)), headroom_by_device=True)
    else:
        pg3 = PriorityGroup(
            3, True, b(2540), b(headroom), Alpha(quantity("1/4", Unit.ALPHA)), b(2540), b(2540), "ingress_lossless_pool"
        )
    return PortQos(
        classify(),
        FrozenMap((n, n) for n in range(8)),
        FrozenMap((n, 3 if n == 3 and lossless else 0) for n in range(8)),
        pfc=Pfc(PfcMode.ON, frozenset({3}), FrozenMap({3: frozenset({3})}), FrozenMap({3: frozenset({3})}))
        if lossless
        else Pfc(),
        groups=FrozenMap({0: pg0, 3: pg3} if lossless else {0: pg0}),
        queues=queues(kmin if lossless else None, buffers=True),
        watchdog=watchdog(Unit.MILLISECONDS, lossless),
    )


def sonic(*, dynamic: bool = False, **changes: Any) -> SwitchModel:
    """The Z9332F of the reference leaf: two 100G host ports, one 400G uplink, one port that carries nothing lossless."""
    host, up = sonic_qos(68580, 153600, dynamic=dynamic), sonic_qos(201930, 614400, dynamic=dynamic)
    lossy = sonic_qos(0, None, lossless=False)
    ports = [
        Port("Ethernet12", PortKind.FRONT, host, 100_000, 9100, routed=True, cable_m=5, description="gpu-2 nic0"),
        Port("Ethernet0", PortKind.FRONT, host, 100_000, 9100, routed=True, cable_m=5),
        Port("Ethernet192", PortKind.FRONT, up, 400_000, 9100, routed=True, cable_m=40),
        Port("Ethernet200", PortKind.FRONT, lossy, 400_000, 9100, routed=True, cable_m=40),
    ]
    model = SwitchModel(
        "leaf01",
        "sonic",
        FrozenMap((p.name, p) for p in ports),
        platform="DellEMC-Z9332f-O32",
        asic="tomahawk3",
        architecture=Architecture.SPLIT,
        pools=(
            Pool(
                "ingress_lossless_pool", Direction.INGRESS, PoolKind.SHARED, PoolMode.DYNAMIC, None if dynamic else b(66394076)
            ),
            Pool("egress_lossless_pool", Direction.EGRESS, PoolKind.SHARED, PoolMode.STATIC, b(38462204)),
        )
        + (
            ()
            if dynamic
            else (Pool("ingress_lossless_pool.xoff", Direction.INGRESS, PoolKind.HEADROOM, PoolMode.STATIC, b(27200352)),)
        ),
        lossless_mtu=4096 if dynamic else None,
        facts=FrozenMap(
            {"buffer_model": Named("dynamic", "test"), "small_packet_percentage": Named("100", "test")} if dynamic else {}
        ),
    )
    return replace(model, **changes)
