"""NX-OS: qos-group, queue and priority group of a class are one number; no-drop classes are said once for the switch.

Up to 100 m of cable the switch's own no-drop buffers hold and are left alone. Above, Cisco asks for `pause buffer-size`: the
headroom of the preset on top of a level from which the peer is back before the group has run empty.
"""

from __future__ import annotations

from dataclasses import replace

from xoff.derive import body
from xoff.derive.device import switch_model
from xoff.derive.headroom import all_numbers, link_of
from xoff.derive.notes import Derivation, PortNumbers
from xoff.derive.setting import Setting, as_intended, classify, in_bytes, marks_by_pcp, pfc
from xoff.errors import CannotExpress
from xoff.fabric.planned import PlannedPort, TrafficClass
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Evidence, Origin, Origins
from xoff.model.qos import (
    Colour,
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
from xoff.model.quantity import Fact, Unit, Unknown, quantity
from xoff.model.switch import Interner, Port
from xoff.nos.nxos.ports import HIDDEN, TIMES
from xoff.sizing.headroom import cable_term
from xoff.sizing.number import Number, ceil, number, term, total
from xoff.sizing.thresholds import XoffPoint

#: MTU that a network-qos class takes at most (terraform-provider-nxos network_qos.yaml).
MOST_MTU = 9216
#: Largest pause buffer (ibid.).
MOST_BUFFER = 268_435_456
#: Frames between the level at which the group pauses and that at which it resumes.
APART = 2


def build(s: Setting) -> Derivation:
    """The door: one NX-OS switch."""
    nxos = Nxos(s)
    ports = nxos.build(Interner())
    mtu = nxos.mtu()
    model = switch_model(s, ports, lossless_mtu=mtu if nxos.no_drop else None, class_mtus=nxos.class_mtus(mtu))
    return Derivation(model, tuple(s.notes), nxos.numbers, s.asic, s.platform)


class Nxos:
    """Derives the parts of an NX-OS switch. `no_drop`: lossless classes of any port, which all its ports then have."""

    def __init__(self, s: Setting) -> None:
        self.s = s
        self.ports = list(s.device.ports.values())
        self.no_drop = tuple(sorted({c for p in self.ports for c in s.lossless(p)}, key=lambda c: c.priority))
        wish = s.device.watchdog
        if wish.enabled and wish.action not in (None, WatchdogAction.DROP):
            raise CannotExpress(f"{s.device.name}: watchdog action {wish.action}: NX-OS drops the packets of the stuck queue")
        for name, said in (("detect", wish.detect_ms), ("restore", wish.restore_ms), ("poll", wish.poll_ms)):
            if wish.enabled and said is not None:
                s.note(
                    f"watchdog {name}",
                    f"{said} ms of the intent: no source has the spelling of the line; the switch's own holds",
                )
        entry = s.nos.default("port.cable")
        self.own_m: int | None = None if entry is None else int(entry.value)
        self._own_origin = None if entry is None else entry.origin(f"the switch's own buffers, made for {entry.value} m")
        # Only where something has to be said is a number asked for: the chip may be one of which little is known.
        self.numbers: dict[str, PortNumbers] = all_numbers(s) if any(self._stated(p) for p in self.ports) else {}
        self.marks = body.marking_of(s, self.ports, self._point)
        for p in self.ports:
            more = {c.name for c in self.no_drop} - {c.name for c in s.lossless(p)}
            if more and s.lossless(p):
                s.note(
                    f"{', '.join(sorted(more))} on {p.name}",
                    "no-drop on this port too, though it does not carry it: NX-OS says no-drop classes once for the switch",
                )

    # --- numbers ---

    def _stated(self, p: PlannedPort) -> bool:
        """Whether the port needs `pause buffer-size`: its cable is longer than the switch's own buffers are made for."""
        return bool(self.s.lossless(p)) and (p.headroom is not None or self.own_m is None or p.cable_m > self.own_m)

    def _point(self, p: PlannedPort, c: TrafficClass) -> XoffPoint | Unknown:
        if not c.lossless:
            return Unknown("the class is not lossless: nothing pauses it")
        if not self._stated(p):
            return Unknown("NX-OS does not show at what level its own buffers pause", Fact.DEFAULT)
        xoff, _ = self._levels(p)
        return XoffPoint(xoff, xoff)

    def _levels(self, p: PlannedPort) -> tuple[Number, Number]:
        """(pause threshold, resume threshold): the peer is back before the group is empty, and two frames lie between them."""
        link = link_of(self.s, p)
        frame = term("largest frame", link.max_frame, "begun by the peer when it may go on", "the intent")
        terms = (cable_term(link), frame)
        low = number(ceil(total(terms)), "cable both ways + frame: what the group gives away meanwhile", terms)
        resume = term("resume threshold", low.value, "below it", "computed", Evidence.COMPUTED)
        why = f"{APART} frames, so that not each frame pauses and resumes"
        apart = term("distance", APART * link.max_frame, why, "derived", Evidence.COMPUTED)
        least = number(low.value + APART * link.max_frame, "resume threshold + distance", (resume, apart))
        return self._wished(least), low

    def _wished(self, least: Number) -> Number:
        """The intent's own pause threshold (`options: {pause_threshold: BYTES}`), where it is not below what the link needs."""
        said = self.s.device.options.get("pause_threshold")
        if said is None:
            return least
        if not said.isdecimal() or not least.value <= int(said) <= MOST_BUFFER:
            raise CannotExpress(
                f"{self.s.device.name}: option pause_threshold is {said!r}; this link takes {least.value} to {MOST_BUFFER} B"
            )
        given = term("pause threshold", int(said), "fixed by the intent", "the intent")
        return number(int(said), "as the intent says", (given,), "intent")

    def mtu(self) -> int:
        """One MTU for all classes: that of the largest port."""
        largest = max((p.mtu for p in self.ports), default=1500)
        if largest > MOST_MTU:
            raise CannotExpress(f"{self.s.device.name}: MTU {largest}: a network-qos class takes 576 to {MOST_MTU}")
        return largest

    def class_mtus(self, mtu: int) -> FrozenMap[int, int | Unknown]:
        """Every class of the intent, and the default class."""
        return FrozenMap(dict.fromkeys(sorted({0, *(c.priority for c in self.s.plan.classes)}), mtu))

    # --- ports ---

    def build(self, intern: Interner) -> dict[str, Port]:
        """All ports; equal bodies are one object."""
        made: dict[tuple[object, ...], tuple[PortQos, Origins]] = {}
        owns: dict[object, Origins] = {}
        out: dict[str, Port] = {}
        for p in self.ports:
            stated = (p.speed, p.cable_m, p.mtu, p.headroom) if self._stated(p) else None
            marks = tuple(sorted((n, id(t)) for n, t in self.marks[p.name].items()))
            key = (p.carries, marks, marks_by_pcp(self.s, p), stated)
            if key not in made:
                made[key] = intern(*self._body(p))
            qos, origins = made[key]
            if p.at not in owns:
                owns[p.at] = body.own_origins(p)
            out[p.name] = body.port(p, qos, origins, owns[p.at])
        return out

    def _body(self, p: PlannedPort) -> tuple[PortQos, Origins]:
        s = self.s
        origins: dict[str, Origin] = {}
        lossless = s.lossless(p)
        queues, more = body.queues(s, p.carries, self.marks[p.name], Unit.PERCENT, (Colour.GREEN,), QueueKind.UNICAST)
        qos = PortQos(
            classify=classify(s, p, origins),
            tc_to_queue=body.identity(s, "tc_to_queue", origins),
            tc_to_group=body.identity(s, "tc_to_group", origins),
            pfc=self._pfc(lossless, origins),
            groups=FrozenMap((c.priority, self._group(p, c, bool(lossless), origins)) for c in self.no_drop),
            queues=FrozenMap(self._all_queues(queues, more)),
            watchdog=self._watchdog(lossless, origins),
        )
        return qos, Origins(origins | more)

    def _pfc(self, lossless: tuple[TrafficClass, ...], origins: dict[str, Origin]) -> Pfc:
        """No-drop classes of the switch; the port's mode says whether it takes part."""
        found = pfc(self.no_drop, origins)
        if lossless:
            return found
        origins["pfc.mode"] = as_intended("the port carries no lossless class; NX-OS would negotiate PFC by itself (auto)")
        return replace(found, mode=PfcMode.OFF)

    def _group(self, p: PlannedPort, c: TrafficClass, on: bool, origins: dict[str, Origin]) -> PriorityGroup:
        path = f"group.{c.priority}"
        origins[path] = as_intended(f"class {c.name} is lossless", c.at)
        if not on:
            return PriorityGroup(c.priority, lossless=False)
        if not self._stated(p):
            if self._own_origin is not None:
                origins[f"{path}.headroom"] = self._own_origin
            return PriorityGroup(
                c.priority,
                True,
                headroom=HIDDEN,
                threshold=HIDDEN,
                xon=HIDDEN,
                headroom_by_device=True,
                headroom_for_m=self.own_m,
            )
        chosen = self.numbers[p.name].chosen
        assert chosen is not None
        xoff, xon = self._levels(p)
        for what, n in (("headroom", chosen), ("threshold", xoff), ("xon", xon)):
            origins[f"{path}.{what}"] = n.origin
        return PriorityGroup(c.priority, True, headroom=in_bytes(chosen), threshold=Static(in_bytes(xoff)), xon=in_bytes(xon))

    def _all_queues(self, queues: dict[QueueId, Queue], origins: dict[str, Origin]) -> dict[QueueId, Queue]:
        """All eight: what a queuing policy leaves out keeps the default's scheduling, in which queue 7 is served first."""
        out: dict[QueueId, Queue] = {}
        for n in range(8):
            q = QueueId(QueueKind.UNICAST, n)
            out[q] = queues.get(q) or Queue(
                q,
                scheduler=Scheduler(SchedulerKind.DWRR, quantity(0, Unit.PERCENT)),
                not_ect=Unknown("the queue does not mark"),
            )
            if q not in queues:
                origins[f"queue.{q}"] = as_intended("no class uses the queue")
        return out

    def _watchdog(self, lossless: tuple[TrafficClass, ...], origins: dict[str, Origin]) -> Watchdog:
        if not lossless or not self.s.device.watchdog.enabled:
            why = "the intent turns the watchdog off" if lossless else "the port carries no lossless class"
            origins["watchdog.enabled"] = as_intended(why)
            return Watchdog(available=True, enabled=False)
        origins["watchdog.enabled"] = origins["watchdog.priorities"] = as_intended("every lossless priority is guarded")
        origins["watchdog.action"] = as_intended("drop: the storm costs its own queue, not the port")
        return Watchdog(
            available=True,
            enabled=True,
            priorities=frozenset(c.priority for c in self.no_drop),
            detect=TIMES,
            restore=TIMES,
            poll=TIMES,
            action=WatchdogAction.DROP,
        )
