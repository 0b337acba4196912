"""Huawei VRP: internal priority, queue and PFC priority are one number; headroom per port and priority, on family A.

Families are told apart (see xoff.nos.vrp.family). XOFF thresholds are left to the device: neither what its dynamic levels mean
nor the memory of its chips is published, so no threshold could be calculated.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from xoff.derive import body
from xoff.derive.device import switch_model
from xoff.derive.headroom import all_numbers
from xoff.derive.notes import Derivation, PortNumbers
from xoff.derive.setting import Setting, as_intended, classify, marks_by_pcp, pfc
from xoff.errors import CannotExpress
from xoff.fabric.planned import PlannedPort, TrafficClass
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Evidence, Origin, Origins
from xoff.model.qos import (
    Classify,
    Colour,
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
    Watchdog,
    WatchdogAction,
)
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.model.switch import Direction, Interner, Named, Pool, PoolKind, PoolMode, Port
from xoff.nos.vrp import names
from xoff.nos.vrp.deadlock import WINDOW_MS
from xoff.nos.vrp.family import CHIPS, OF_CHIP, Family, of_model
from xoff.nos.vrp.globals import PRECISIONS
from xoff.nos.vrp.ports import COUNTS_B, HIDDEN, NON_IP, RESUME
from xoff.platforms.watchdog import of as watchdog_limits
from xoff.sizing.number import Number, number, term, up_to
from xoff.sizing.watchdog import WatchdogTimes

KBYTE = 1024
#: Kbytes that one PFC queue, and one headroom pool, may have (MANUAL dcb pfc buffer, qos buffer headroom-pool).
LEAST, MOST = 16, 30_720
#: PFC priorities of a switch: how many, and up to which (MANUAL Enabling PFC).
PRIORITIES = {Family.A: (4, 7), Family.B: (3, 5)}
#: Largest count of deadlocks in 20 s after which PFC goes off.
MOST_DEADLOCKS = 300
OWN_POINT = Unknown("VRP's XOFF thresholds are the device's own, and the memory of its chips is not published", Fact.ASIC)


def build(s: Setting) -> Derivation:
    """The door: one VRP switch."""
    vrp = Vrp(s)
    model = switch_model(s, vrp.build(Interner()), pools=vrp.pools(), facts=vrp.facts())
    return Derivation(model, tuple(s.notes), vrp.numbers, s.asic, s.platform)


class Vrp:
    """Derives the parts of a VRP switch. `numbers` by port."""

    def __init__(self, s: Setting) -> None:
        self.s = s
        self.ports = list(s.device.ports.values())
        self.family = self._family()
        self._check()
        self.numbers: dict[str, PortNumbers] = {}
        self.headroom: dict[str, Number] = {}
        if self.family is Family.A:
            self.numbers = all_numbers(s)
            self.headroom = {name: self._kbytes(name, n.chosen) for name, n in self.numbers.items() if n.chosen is not None}
        else:
            s.note("headroom", f"{HIDDEN[self.family].reason} (MANUAL dcb pfc buffer)")
        s.note("XOFF and XON thresholds", f"the device's own hold: {OWN_POINT.reason}")
        self.marks = body.marking_of(s, self.ports, lambda _p, _c: OWN_POINT)
        self.times = self._times()
        self.latch = self._latch()

    def _family(self) -> Family:
        d = self.s.device
        if self.s.asic.name == "huaweill":
            raise CannotExpress(
                f"{d.name}: {d.model} in low-latency mode has no `dcb pfc dscp-mapping`, so PFC would not see routed RoCE; "
                "if it runs in standard forwarding mode, say so in the intent: asic: huaweia"
            )
        found = OF_CHIP.get(self.s.asic.name) or of_model(d.model)
        if found is None:
            raise CannotExpress(
                f"{d.name}: no source says to which family of CloudEngine {d.model} belongs, and their lines differ; name the "
                f"chip in the intent (asic: {' or asic: '.join(CHIPS[f] for f in PRIORITIES)})"
            )
        if found is Family.C:
            raise CannotExpress(
                f"{d.name}: {d.model} is read but not rendered: how V200 models count deadlocks and frames for PFC stands in "
                "no source that could be relied on"
            )
        return found

    def _check(self) -> None:
        """Limits of the family. Raises CannotExpress where the intent asks for more."""
        s, name = self.s, self.s.device.name
        many, last = PRIORITIES[self.family]
        lossless = {c.priority for p in self.ports for c in s.lossless(p)}
        if len(lossless) > many or any(p > last for p in lossless):
            raise CannotExpress(
                f"{name}: {s.device.model} takes PFC on {many} priorities from 0 to {last} (MANUAL Enabling PFC), the intent "
                f"asks for {', '.join(map(str, sorted(lossless)))}"
            )
        if len({frozenset(c.priority for c in s.lossless(p)) for p in self.ports if s.lossless(p)}) > 2:
            raise CannotExpress(f"{name}: ports carry more than two sets of lossless classes; VRP holds two PFC profiles")
        for p in self.ports:
            if self.family is Family.B and any(c.priority > last for c in s.marking(p)):
                raise CannotExpress(f"{name} {p.name}: {s.device.model} marks in queues 0 to {last} alone (MANUAL)")
            if p.routed and marks_by_pcp(s, p):
                raise CannotExpress(f"{name} {p.name}: a routed port of VRP trusts DSCP, and its host marks 802.1p")
            by_name = names.speed_of(p.name)
            if by_name is not None and by_name != p.speed:
                raise CannotExpress(
                    f"{name}: {p.name} runs at {by_name // 1000}G by its name, the intent says {p.speed / 1000:g}G; name "
                    "the port as the switch does"
                )
            if not p.routed and p.mtu > 9500:
                raise CannotExpress(f"{name} {p.name}: MTU {p.mtu}: VRP takes frames of 9500 bytes at most (jumboframe enable)")

    # --- buffers ---

    def _kbytes(self, port: str, n: Number) -> Number:
        """The headroom in whole kbytes, which is what VRP takes."""
        whole = n.rounded(up_to(n.value, KBYTE), f"up to whole kbytes of {KBYTE} B")
        if whole.value > MOST * KBYTE:
            raise CannotExpress(
                f"{self.s.device.name} {port}: headroom of {whole.value:,} B; VRP takes at most {MOST} kbytes for a queue"
            )
        return whole if whole.value >= LEAST * KBYTE else whole.rounded(LEAST * KBYTE, f"VRP takes {LEAST} kbytes at least")

    def pools(self) -> tuple[Pool, ...]:
        """The headroom pool of each slot: the sum of what its ports need (MANUAL Enabling PFC), as far as the line goes."""
        out: list[Pool] = []
        for slot, ports in self._slots().items():
            needs = [self.headroom[p.name].value for p in ports for _ in self.s.lossless(p) if p.name in self.headroom]
            if not needs:
                continue
            terms = [
                term("lossless (port, group) pairs", len(needs), f"slot {slot}, in this plan", "the intent", unit=""),
                term("headroom", sum(needs), "of all of them", "derived", Evidence.COMPUTED),
            ]
            total, formula = sum(needs), "sum of the headroom of the slot's lossless queues"
            if total > MOST * KBYTE:
                terms.append(term("most", MOST * KBYTE, "that the line takes", "MANUAL qos buffer headroom-pool"))
                total, formula = MOST * KBYTE, "what the line takes (over-subscribed)"
                self.s.note(
                    f"headroom pool of slot {slot}",
                    f"{len(needs)} lossless queues want {sum(needs):,} B, the line takes {MOST} kbytes: over-subscribed, "
                    f"{total // max(needs)} of them may be congested at once",
                )
            size = number(total, formula, tuple(terms))
            out.append(
                Pool(
                    f"headroom-pool slot {slot}",
                    Direction.INGRESS,
                    PoolKind.HEADROOM,
                    PoolMode.STATIC,
                    in_kbytes(size),
                    origins=Origins({"size": size.origin}),
                )
            )
        return tuple(out)

    def _slots(self) -> dict[str, list[PlannedPort]]:
        out: dict[str, list[PlannedPort]] = {}
        for p in self.ports:
            out.setdefault(names.slot_of(p.name) or "1", []).append(p)
        return dict(sorted(out.items()))

    # --- deadlock ---

    def _times(self) -> WatchdogTimes:
        s = self.s
        if not s.device.watchdog.enabled:
            s.note("watchdog", "deadlock detection of VRP cannot be turned off (MANUAL Enabling PFC)")
        t = body.times(s, watchdog_limits(s.nos.name, s.nos.watchdog["families"][self.family.value]))
        if self.family is Family.B:
            return t
        for step in PRECISIONS:
            detect, restore = (up_to(n.value, step) for n in (t.detect, t.restore))
            if detect <= 15 * step and restore <= 31 * step:
                why = f"up to whole units of {step} ms, the precision that both fit"
                return replace(t, detect=t.detect.rounded(detect, why), restore=t.restore.rounded(restore, why))
        raise CannotExpress(
            f"{s.device.name}: deadlock times of {t.detect.value} and {t.restore.value} ms; VRP takes 15 and 31 s"
        )

    def _latch(self) -> bool:
        """Whether so many deadlocks can be counted that PFC stays off."""
        cycle = self.times.detect.value + self.times.restore.value
        if cycle * MOST_DEADLOCKS > WINDOW_MS:
            return False
        self.s.note(
            "watchdog",
            f"a storm can be counted {WINDOW_MS // cycle} times in 20 s, and VRP turns PFC off for good after "
            f"{MOST_DEADLOCKS}: ask for longer times in the intent",
        )
        return True

    def _watchdog(self, lossless: tuple[TrafficClass, ...], origins: dict[str, Origin]) -> Watchdog:
        s = self.s
        on = replace(s, device=replace(s.device, watchdog=replace(s.device.watchdog, enabled=True)))
        found = body.watchdog(on, lossless, self.times, Unit.MILLISECONDS, origins)
        if found.enabled is not True:
            return found
        if found.action not in (WatchdogAction.DROP, WatchdogAction.FORWARD):
            raise CannotExpress(f"{s.device.name}: watchdog action {found.action}: VRP drops or forwards while it recovers")
        if found.action is WatchdogAction.FORWARD and any(_is_b(d.asic or d.model) for d in s.plan.devices.values()):
            s.note("watchdog action", "the vendor wants `discard` on all switches where one of family B is in the network")
        origins.pop("watchdog.poll", None)
        return replace(found, poll=None, latch=self.latch)

    # --- ports ---

    def build(self, intern: Interner) -> dict[str, Port]:
        """All ports; equal bodies are one object."""
        made: dict[tuple[object, ...], tuple[PortQos, Origins]] = {}
        owns: dict[object, Origins] = {}
        out: dict[str, Port] = {}
        for p in self.ports:
            need = self.headroom.get(p.name)
            key = (p.carries, self._marks_key(p), marks_by_pcp(self.s, p), need.value if need else None, p.headroom)
            if key not in made:
                made[key] = intern(*self._body(p))
            qos, origins = made[key]
            if p.at not in owns:
                owns[p.at] = body.own_origins(p)
            out[p.name] = body.port(p, qos, origins, owns[p.at])
        return out

    def _marks_key(self, p: PlannedPort) -> tuple[object, ...]:
        return tuple(sorted((n, id(t)) for n, t in self.marks[p.name].items()))

    def _body(self, p: PlannedPort) -> tuple[PortQos, Origins]:
        s = self.s
        origins: dict[str, Origin] = {}
        lossless = s.lossless(p)
        served, more = body.queues(s, p.carries, self.marks[p.name], Unit.WEIGHT, (Colour.GREEN,), QueueKind.UNICAST)
        qos = PortQos(
            classify=self._classify(p, origins),
            tc_to_queue=body.identity(s, "tc_to_queue", origins),
            tc_to_group=body.identity(s, "tc_to_group", origins),
            pfc=self._pfc(lossless, origins),
            groups=FrozenMap({c.priority: self._group(p, c, origins) for c in lossless}),
            queues=FrozenMap(self._all_queues(served, origins)),
            watchdog=self._watchdog(lossless, origins),
        )
        return qos, Origins(origins | more)

    def _pfc(self, lossless: tuple[TrafficClass, ...], origins: dict[str, Origin]) -> Pfc:
        found = pfc(lossless, origins)
        return replace(found, counts_by=COUNTS_B) if self.family is Family.B and found.mode is PfcMode.ON else found

    def _classify(self, p: PlannedPort, origins: dict[str, Origin]) -> Classify:
        """The map of the field that the port reads, and beside it the other one as every DiffServ domain begins."""
        found = classify(self.s, p, origins)
        nos = self.s.nos
        steps = list(found.matches)
        if found.tagged_ip is HeaderField.PCP:
            entry, colours = nos.default("classify.dscp"), nos.default("classify.dscp.colour")
            of: dict[tuple[int, Colour], set[int]] = {}
            coloured = {v: Colour(n) for n, vs in (colours.value if colours else {}).items() for v in vs}
            for first, last, tc in entry.value if entry else ():
                for v in range(first, last + 1):
                    of.setdefault((tc, coloured.get(v, Colour.GREEN)), set()).add(v)
            steps += [Match(MatchKind.DSCP, frozenset(values), tc, colour) for (tc, colour), values in of.items()]
            key = "classify.dscp"
        else:
            entry = nos.default("classify.pcp")
            for first, last, tc in entry.value if entry else ():
                steps.append(Match(MatchKind.PCP, frozenset(range(first, last + 1)), tc))
            key = "classify.pcp"
        if entry is not None:
            origins[key] = entry.origin("the map that a DiffServ domain begins with")
        non_ip = NON_IP if found.tagged_ip is HeaderField.DSCP else found.non_ip
        return replace(found, matches=tuple(steps), non_ip=non_ip)

    def _group(self, p: PlannedPort, c: TrafficClass, origins: dict[str, Origin]) -> PriorityGroup:
        path = f"group.{c.priority}"
        origins[path] = as_intended(f"class {c.name} is lossless", c.at)
        need = self.headroom.get(p.name)
        if need is None:
            return PriorityGroup(c.priority, lossless=True, headroom=HIDDEN[self.family], xon=RESUME, headroom_by_device=True)
        origins[f"{path}.headroom"] = need.origin
        return PriorityGroup(c.priority, lossless=True, headroom=in_kbytes(need), xon=RESUME)

    def _all_queues(self, served: dict[QueueId, Queue], origins: dict[str, Origin]) -> dict[QueueId, Queue]:
        """All eight: a queue that no class has would be strict by VRP's default and go before the others."""
        out: dict[QueueId, Queue] = {}
        for n in range(8):
            q = QueueId(QueueKind.UNICAST, n)
            if q in served:
                out[q] = served[q]
                continue
            why = as_intended("no class has the queue; the least weight, so that nothing that strays there goes first")
            origins[f"queue.{q}"] = origins[f"queue.{q}.scheduler"] = origins[f"queue.{q}.share"] = why
            out[q] = Queue(
                q,
                scheduler=Scheduler(SchedulerKind.DWRR, Quantity(Fraction(1), Unit.WEIGHT)),
                not_ect=Unknown("the queue does not mark"),
            )
        return out

    def facts(self) -> FrozenMap[str, Named]:
        """What the renderer needs beside the ports: the family."""
        return FrozenMap({"family": Named(self.family.value, f"model {self.s.device.model}", self.s.device.at)})


def in_kbytes(n: Number) -> Quantity:
    """Bytes, a multiple of 1,024, in VRP's own unit."""
    return Quantity(Fraction(n.value, KBYTE), Unit.KBYTES)


def _is_b(model: str) -> bool:
    return (OF_CHIP.get(model) or of_model(model)) is Family.B
