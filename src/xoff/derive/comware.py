"""Comware: a class is its 802.1p priority; sizes and marking thresholds are cells, headroom stands on every port by itself.

What has no source is left to the chip and said: the ingress threshold, the offset of XON, the size of headroom pools.
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
from xoff.model.origin import Default, Origin, Origins
from xoff.model.qos import (
    Classify,
    Colour,
    Curve,
    HeaderField,
    Match,
    MatchKind,
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
from xoff.model.switch import Interner, Named, Port
from xoff.nos.comware.ports import NON_IP
from xoff.sizing.number import Number
from xoff.sizing.thresholds import XoffPoint

COLOURS = (Colour.GREEN, Colour.YELLOW, Colour.RED)
#: Lines of deadlock detection that an intent may choose, and what is taken where it does not.
OPTIONS = {"deadlock_interval": "10", "deadlock_delay": "10", "deadlock_precision": "high"}
STEPS = "the one example seen: interval 10, delay 10, precision high (S9825/S9827 leaf template)"
NO_XOFF = Unknown("no source gives the ingress threshold of this chip", Fact.ASIC)
_ACTIONS = {WatchdogAction.DROP, WatchdogAction.FORWARD}


def build(s: Setting) -> Derivation:
    """The door: one Comware switch."""
    comware = Comware(s)
    model = switch_model(s, comware.build(Interner()), facts=comware.facts())
    return Derivation(model, tuple(s.notes), comware.numbers, s.asic, s.platform)


class Comware:
    """Derives the parts of a Comware switch. `numbers` by port."""

    def __init__(self, s: Setting) -> None:
        self.s = s
        self.ports = list(s.device.ports.values())
        self.cell = self._cell()
        self.numbers: dict[str, PortNumbers] = all_numbers(s)
        self.marks = body.marking_of(s, self.ports, self._point)
        if any(s.lossless(p) for p in self.ports):
            s.note("ingress threshold, XON offset", f"no source gives them for {s.asic.title}; the chip's own hold")
            s.note(
                "headroom pool",
                "which releases take `priority-flow-control poolID … headroom`, and how much the chip has, is in no source; "
                "the sum of the headroom must fit the device's own pool",
            )
            self._watchdog_notes()

    def _cell(self) -> int:
        cell = self.s.asic.cell.value
        if isinstance(cell, int):
            return cell
        raise CannotExpress(
            f"{self.s.device.name}: Comware takes headroom and marking thresholds in cells, and the cell of "
            f"{self.s.asic.title} is not sourced; give it in the intent: asic_facts: {{cell: 256}}"
        )

    def _watchdog_notes(self) -> None:
        wish = self.s.device.watchdog
        if not wish.enabled:
            return
        if wish.action is not None and wish.action not in _ACTIONS:
            raise CannotExpress(
                f"{self.s.device.name}: watchdog action {wish.action}: Comware's deadlock detection discards (drop) or "
                "forwards; change the intent's watchdog"
            )
        for what, ms in (("detect", wish.detect_ms), ("restore", wish.restore_ms), ("poll", wish.poll_ms)):
            if ms is not None:
                self.s.note(
                    f"watchdog {what} of {ms} ms",
                    "Comware counts steps whose length no text gives; choose the number of steps with options: "
                    "{deadlock_interval: …, deadlock_delay: …}",
                )

    def facts(self) -> FrozenMap[str, Named]:
        """What the renderer needs beside the ports: how many steps deadlock detection counts."""
        out = {}
        for name, usual in OPTIONS.items():
            chosen = self.s.device.options.get(name)
            out[name] = Named(chosen or usual, f"intent: options.{name}" if chosen else STEPS, self.s.device.at)
        return FrozenMap(out)

    def _point(self, p: PlannedPort, c: TrafficClass) -> XoffPoint | Unknown:
        return NO_XOFF if c.lossless else Unknown("the class is not lossless: nothing pauses it")

    # --- ports --------------------------------------------------------------------------------------------------------

    def build(self, intern: Interner) -> dict[str, Port]:
        """All ports; equal bodies are one object."""
        made: dict[tuple[object, ...], tuple[PortQos, Origins]] = {}
        owns: dict[object, Origins] = {}
        out: dict[str, Port] = {}
        for p in self.ports:
            chosen = self.numbers[p.name].chosen
            marks = tuple(sorted((n, id(t)) for n, t in self.marks[p.name].items()))
            key = (p.carries, None if chosen is None else chosen.value, marks, marks_by_pcp(self.s, p))
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
        queues, more = body.queues(s, p.carries, self.marks[p.name], Unit.WEIGHT, COLOURS, QueueKind.UNICAST)
        qos = PortQos(
            classify=self._classify(p, origins),
            tc_to_queue=body.identity(s, "tc_to_queue", origins),
            tc_to_group=body.identity(s, "tc_to_group", origins),
            pfc=pfc(lossless, origins),
            groups=FrozenMap({c.priority: self._group(p, c, origins) for c in lossless}),
            queues=FrozenMap(self._queues(queues, more)),
            watchdog=self._watchdog(lossless, origins),
        )
        return qos, Origins(origins | more)

    def _classify(self, p: PlannedPort, origins: dict[str, Origin]) -> Classify:
        """DSCP to priority as the classes want it; 802.1p is what it is."""
        found = classify(self.s, p, origins)
        structure = next(x for x in self.s.nos.structure if x.key == "dot1p")
        origins["classify.pcp"] = Default(structure.text, structure.evidence, structure.source)
        # The table of DSCPs is the switch's, so a port towards a host that marks 802.1p has it too.
        steps = [m for m in found.matches if m.kind is MatchKind.DSCP]
        matches = (*steps, *(Match(MatchKind.PCP, frozenset({n}), n) for n in range(8)))
        if found.tagged_ip is HeaderField.DSCP:
            return replace(found, matches=matches, non_ip=NON_IP)
        return replace(found, matches=matches)

    def _group(self, p: PlannedPort, c: TrafficClass, origins: dict[str, Origin]) -> PriorityGroup:
        path = f"group.{c.priority}"
        origins[path] = as_intended(f"class {c.name} is lossless", c.at)
        chosen = self.numbers[p.name].chosen
        assert chosen is not None  # the port carries a lossless class
        origins[f"{path}.headroom"] = chosen.origin
        return PriorityGroup(c.priority, lossless=True, headroom=self._cells(chosen, up=True))

    def _cells(self, n: Number, up: bool) -> Quantity:
        """Bytes as whole cells: headroom up, marking thresholds down (one cell at least)."""
        cells = -(-n.value // self.cell) if up else max(1, n.value // self.cell)
        return Quantity(Fraction(cells), Unit.CELLS)

    def _queues(self, queues: dict[QueueId, Queue], origins: dict[str, Origin]) -> dict[QueueId, Queue]:
        """Thresholds as cells; the queues of no class are scheduled as the mode has them, which the mode line says."""
        out = {}
        for n in range(8):
            qid = QueueId(QueueKind.UNICAST, n)
            queue = queues.get(qid)
            if queue is None:
                origins[f"queue.{qid}.scheduler"] = as_intended("no class uses it; the scheduling mode has it anyway")
                queue = Queue(qid, scheduler=Scheduler(SchedulerKind.DWRR))
            out[qid] = replace(queue, curves=FrozenMap({c: self._in_cells(curve) for c, curve in queue.curves.items()}))
        return out

    def _in_cells(self, curve: Curve) -> Curve:
        low, high = (int(q.amount) if isinstance(q, Quantity) else 0 for q in (curve.kmin, curve.kmax))
        small, large = (Quantity(Fraction(max(1, n // self.cell)), Unit.CELLS) for n in (low, high))
        return replace(curve, kmin=small, kmax=large, weight=0)

    def _watchdog(self, lossless: tuple[TrafficClass, ...], origins: dict[str, Origin]) -> Watchdog:
        s = self.s
        if not lossless or not s.device.watchdog.enabled:
            why = "the intent turns the watchdog off" if lossless else "the port carries no lossless class"
            origins["watchdog.enabled"] = as_intended(why)
            return Watchdog(available=True, enabled=False)
        wish = s.device.watchdog.action
        origins["watchdog.enabled"] = origins["watchdog.priorities"] = as_intended("every lossless priority is guarded")
        origins["watchdog.action"] = as_intended(
            "as the intent says" if wish else "drop: what waits behind a storm must not spread it"
        )
        steps = Unknown("Comware counts steps whose length no text gives", Fact.DEFAULT)
        return Watchdog(
            available=True,
            enabled=True,
            priorities=frozenset(c.priority for c in lossless),
            detect=steps,
            restore=steps,
            action=wish or WatchdogAction.DROP,
        )
