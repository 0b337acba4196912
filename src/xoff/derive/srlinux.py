"""SR Linux on 7220 (Broadcom XGS): class, queue, pfc-queue and priority are one number; headroom per pfc-queue, in bytes.

XOFF (a pfc-queue's maximum-burst-size), the reservation and the egress queue's size are those that Nokia's fabric manager
writes for lossless fabrics: no source says what the burst size counts against, so none can be calculated.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from xoff.derive import body
from xoff.derive.device import switch_model
from xoff.derive.headroom import all_numbers
from xoff.derive.notes import Derivation
from xoff.derive.setting import Setting, as_intended, classify, in_bytes, marks_by_pcp, pfc
from xoff.errors import CannotExpress
from xoff.fabric.planned import PlannedPort, TrafficClass
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Derived, Evidence, Origin, Origins, Term
from xoff.model.qos import (
    Colour,
    PortQos,
    PriorityGroup,
    QueueKind,
    Scheduler,
    SchedulerKind,
    Static,
    Watchdog,
    WatchdogAction,
)
from xoff.model.quantity import Quantity, Unit, Unknown, quantity
from xoff.model.switch import Direction, Interner, Pool, PoolKind, PoolMode, Port
from xoff.nos.srlinux.ports import NO_GROUP, NON_IP
from xoff.sizing.number import Number, number, term
from xoff.sizing.thresholds import XoffPoint

EDA = "Nokia EDA 25.12 (AI fabric, Backend resource): the configuration that it wrote to a spine"
#: Bytes of a pfc-queue before it pauses, of a marking queue and of the other queues, and percent of the buffer kept for PFC.
XOFF, LOSSLESS_QUEUE, RESERVATION = 1_024_000, 52_110_640, 10
#: Most bytes of the reservation that one pfc-queue may be given ([Y] maximum-pfc-reserved-share-bytes).
MOST_SHARE = 104_857_600


def build(s: Setting) -> Derivation:
    """The door: one SR Linux switch. Raises CannotExpress for what is no 7220 with PFC."""
    made = SrLinux(s)
    return Derivation(
        switch_model(s, made.build(Interner()), pools=made.pools), tuple(s.notes), made.numbers, s.asic, s.platform
    )


class SrLinux:
    """Derives the parts of a 7220. `numbers` by port."""

    def __init__(self, s: Setting) -> None:
        self.s = s
        self.ports = list(s.device.ports.values())
        self._check()
        self.numbers = all_numbers(s)
        self.headroom = {name: n.chosen for name, n in self.numbers.items() if n.chosen is not None}
        for name, n in self.headroom.items():
            if n.value > MOST_SHARE:
                raise CannotExpress(f"{s.device.name} {name}: headroom of {n.value} B; SR Linux takes {MOST_SHARE} B at most")
        self.pools = self._pools()
        self.xoff = number(XOFF, "as Nokia's fabric manager has it", (_eda("maximum-burst-size of a pfc-queue", XOFF),))
        self.marks = body.marking_of(s, self.ports, self._point)
        self.times = body.times(s)

    def _check(self) -> None:
        s = self.s
        if "7250" in s.device.model:
            raise CannotExpress(
                f"{s.device.name}: {s.device.model} counts PFC in another way than a 7220, and how it assigns priorities is "
                "not sourced; xoff writes 7220 only"
            )
        action = s.device.watchdog.action
        if s.device.watchdog.enabled and action not in (None, WatchdogAction.FORWARD):
            raise CannotExpress(
                f"{s.device.name}: watchdog action {action}: SR Linux ignores the pause (forward) and has no other; "
                "say action: forward or leave it out"
            )
        for p in self.ports:
            if marks_by_pcp(s, p):
                raise CannotExpress(f"{s.device.name} {p.name}: SR Linux classifies by 802.1p on bridged sub-interfaces only")
            if p.routed is False:
                raise CannotExpress(
                    f"{s.device.name} {p.name}: how a switched port classifies is not sourced, so none is written"
                )

    def _pools(self) -> tuple[Pool, ...]:
        if not self.headroom:
            return ()
        total = sum(self.headroom[p.name].value * len(self.s.lossless(p)) for p in self.ports if p.name in self.headroom)
        memory = self.s.asic.buffer.value
        most = f", {total * 100 / memory:.1f} % of the chip's {memory} B" if isinstance(memory, int) else ""
        self.s.note(
            "pfc-buffer-reservation",
            f"{RESERVATION} percent as in {EDA}; all lossless groups together could need {total} B{most}, and which buffer the "
            "percentage is of is not sourced",
        )
        self.s.note("maximum-burst-size", f"{XOFF} B of a pfc-queue and {LOSSLESS_QUEUE} B of a marking queue as in {EDA}")
        origin = Derived("as Nokia's fabric manager has it", (_eda("pfc-buffer-reservation", RESERVATION),), None, (EDA,))
        size = Quantity(Fraction(RESERVATION), Unit.PERCENT_OF_POOL)
        name = "pfc-buffer-reservation 1/0"
        pool = Pool(name, Direction.INGRESS, PoolKind.HEADROOM, PoolMode.STATIC, size, origins=Origins({"size": origin}))
        return (pool,)

    def _point(self, _port: PlannedPort, c: TrafficClass) -> XoffPoint | Unknown:
        return XoffPoint(self.xoff, self.xoff) if c.lossless else Unknown("the class is not lossless: nothing pauses it")

    def build(self, intern: Interner) -> dict[str, Port]:
        """All ports; equal bodies are one object."""
        made: dict[object, tuple[PortQos, Origins]] = {}
        out: dict[str, Port] = {}
        for p in self.ports:
            room = self.headroom.get(p.name)
            key = (p.carries, None if room is None else room.value, tuple((n, id(t)) for n, t in self.marks[p.name].items()))
            if key not in made:
                made[key] = intern(*self._body(p, room))
            out[p.name] = replace(body.port(p, *made[key], body.own_origins(p)), routed=None)
        return out

    def _body(self, p: PlannedPort, room: Number | None) -> tuple[PortQos, Origins]:
        s = self.s
        origins: dict[str, Origin] = {}
        lossless = s.lossless(p)
        queues, more = body.queues(s, p.carries, self.marks[p.name], Unit.WEIGHT, tuple(Colour), QueueKind.UNICAST)
        queues = {
            k: replace(
                q,
                scheduler=_round_robin(q.scheduler),
                limit=Static(quantity(LOSSLESS_QUEUE, Unit.BYTES)) if q.curves else None,
                curves=FrozenMap({c: replace(ramp, weight=0) for c, ramp in q.curves.items()}),
            )
            for k, q in queues.items()
        }
        for k, q in queues.items():
            if q.limit is not None:
                origins[f"queue.{k}.limit"] = Derived(
                    "as Nokia's fabric manager has it", (_eda("maximum-burst-size", LOSSLESS_QUEUE),), None, (EDA,)
                )
        paused = {c.priority for c in lossless}
        origins["tc_to_group"] = as_intended("a lossless class has the pfc-queue of its number, the others none")
        qos = PortQos(
            classify=replace(classify(s, p, origins), non_ip=NON_IP),
            tc_to_queue=body.identity(s, "tc_to_queue", origins),
            tc_to_group=FrozenMap({n: n if n in paused else NO_GROUP for n in range(8)}),
            pfc=pfc(lossless, origins),
            groups=FrozenMap({c.priority: self._group(c, room, origins) for c in lossless}),
            queues=FrozenMap(queues),
            watchdog=self._watchdog(lossless, origins),
        )
        return qos, Origins(origins | more)

    def _group(self, c: TrafficClass, room: Number | None, origins: dict[str, Origin]) -> PriorityGroup:
        path = f"group.{c.priority}"
        origins[path] = as_intended(f"class {c.name} is lossless", c.at)
        origins[f"{path}.threshold"] = self.xoff.origin
        headroom = None
        if room is not None:
            headroom, origins[f"{path}.headroom"] = in_bytes(room), room.origin
        return PriorityGroup(c.priority, lossless=True, headroom=headroom, threshold=Static(in_bytes(self.xoff)))

    def _watchdog(self, lossless: tuple[TrafficClass, ...], origins: dict[str, Origin]) -> Watchdog:
        """The deadlock timers; a pause is ignored while the second runs, and nothing polls."""
        found = body.watchdog(self.s, lossless, self.times, Unit.MILLISECONDS, origins)
        if found.enabled is not True:
            return found
        origins.pop("watchdog.poll", None)
        origins["watchdog.action"] = as_intended("the only action that SR Linux has: pause frames are ignored for a while")
        return replace(found, action=WatchdogAction.FORWARD, poll=None)


def _round_robin(scheduler: Scheduler | Unknown | None) -> Scheduler | Unknown | None:
    """What is shared by weights here is shared by weighted round robin."""
    if isinstance(scheduler, Scheduler) and scheduler.kind is SchedulerKind.DWRR:
        return replace(scheduler, kind=SchedulerKind.WRR)
    return scheduler


def _eda(name: str, value: int) -> Term:
    return term(name, value, "what Nokia's fabric manager writes for a lossless class", EDA, Evidence.READ)
