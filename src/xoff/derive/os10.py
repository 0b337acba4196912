"""Dell OS10: qos-group, queue and priority of a class are one number; one network-qos policy serves all PFC ports.

`pause` alone takes the sizes that OS10 has for the platform, as Dell's own examples do; Dell's table of them is not sourced, so
they are said to be unknown. `options: {pause_threshold: BYTES}` in the intent, or a port's own headroom, states them: headroom
by calculation above the threshold, which without the option is the least that the links take.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from xoff.derive import body
from xoff.derive.device import switch_model
from xoff.derive.headroom import all_numbers, link_of, widest
from xoff.derive.notes import Derivation, PortNumbers
from xoff.derive.setting import Setting, as_intended, classify, marks_by_pcp, pfc
from xoff.errors import CannotExpress
from xoff.fabric.planned import PlannedPort, TrafficClass
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Evidence, Origin, Origins
from xoff.model.qos import Colour, Curve, PortQos, PriorityGroup, Queue, QueueKind, Static, Watchdog
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.model.switch import Interner, Port
from xoff.nos.os10.ports import BY_DEVICE, NO_WATCHDOG, group_ids
from xoff.nos.os10.words import WRED_HIGH, WRED_LOW
from xoff.sizing.ecn import EcnThresholds
from xoff.sizing.headroom import cable_term
from xoff.sizing.number import Number, ceil, number, term, total
from xoff.sizing.thresholds import XoffPoint

#: Frames between the level at which a group pauses and that at which it resumes.
APART = 2
#: OS10's KB may be 1,000 or 1,024 bytes: what has to hold so much is rounded by the one, what must not be more by the other.
SMALL, LARGE = 1000, 1024
OPTION = "pause_threshold"


def build(s: Setting) -> Derivation:
    """The door: one OS10 switch."""
    os10 = Os10(s)
    model = switch_model(s, os10.build(Interner()))
    return Derivation(model, tuple(s.notes), os10.numbers, s.asic, s.platform)


class Os10:
    """Derives the parts of an OS10 switch. `numbers` by port; `sizes`: headroom, threshold, xon in KB, where stated."""

    def __init__(self, s: Setting) -> None:
        self.s = s
        self.ports = list(s.device.ports.values())
        self.numbers: dict[str, PortNumbers] = {}
        self.sizes: Mapping[str, Number] = {}
        if any(s.lossless(p) for p in self.ports):
            self._notes()
            self._size()
        self.marks = body.marking_of(s, self.ports, self._point)

    def _notes(self) -> None:
        s = self.s
        if s.device.watchdog.enabled:
            s.note("PFC watchdog", "no command or page of OS10 names one, so none is configured; the rest of the fabric guards")
        sets = {tuple(c.name for c in s.lossless(p)) for p in self.ports if s.lossless(p)}
        if len(sets) > 1:
            s.note(
                "network-qos policies",
                f"ports carry {len(sets)} different sets of lossless classes, so there are as many policies; Dell asks for the "
                "same policy on all PFC ports (OS10 reference guide, PFC configuration notes)",
            )

    # --- sizes ---

    def _size(self) -> None:
        s = self.s
        lossless = [p for p in self.ports if s.lossless(p)]
        said = s.device.options.get(OPTION)
        if said is None and all(p.headroom is None for p in lossless):
            s.note(
                "headroom and XOFF thresholds",
                f"`pause` without sizes: those that OS10 has for the platform hold, and no source gives them; to state them "
                f"say options: {{{OPTION}: BYTES}} of the switch, and the headroom of the preset is put above it",
            )
            return
        self.numbers = all_numbers(s)
        needs = {p.name: n for p in lossless if (n := self.numbers[p.name].chosen) is not None}
        headroom = widest(needs, s.scope("group.headroom", "device"))
        low, least = max((self._levels(p) for p in lossless), key=lambda x: x[1].value)
        self.sizes = {
            "headroom": _up(headroom),
            "threshold": _up(least) if said is None else self._wished(said, _up(least)),
            "xon": _up(low),
        }

    def _levels(self, p: PlannedPort) -> tuple[Number, Number]:
        """(resume threshold, least pause threshold): the peer is back before the group is empty."""
        link = link_of(self.s, p)
        frame = term("largest frame", link.max_frame, "begun by the peer when it may go on", "the intent")
        terms = (cable_term(link), frame)
        low = number(ceil(total(terms)), "cable both ways + frame: what the group gives away meanwhile", terms)
        resume = term("resume threshold", low.value, "below it", "computed", Evidence.COMPUTED)
        why = f"{APART} frames, so that not each frame pauses and resumes"
        apart = term("distance", APART * link.max_frame, why, "derived", Evidence.COMPUTED)
        return low, number(low.value + APART * link.max_frame, "resume threshold + distance", (resume, apart))

    def _wished(self, said: str, least: Number) -> Number:
        if not said.isdecimal() or len(said) > 12 or int(said) // SMALL < least.value:
            raise CannotExpress(
                f"{self.s.device.name}: option {OPTION} is {said!r}; its links take {least.value * SMALL} bytes or more"
            )
        given = term("pause threshold", int(said), "fixed by the intent", "the intent")
        n = number(int(said), "as the intent says", (given,), "intent")
        return Number(n.value // SMALL, n.rounded(n.value // SMALL * SMALL, "down to whole KB").origin, "KB")

    def _point(self, _: PlannedPort, c: TrafficClass) -> XoffPoint | Unknown:
        if not c.lossless:
            return Unknown("the class is not lossless: nothing pauses it")
        xoff = self.sizes.get("threshold")
        if xoff is None:
            return Unknown("at what level OS10's own sizes pause is not sourced", Fact.DEFAULT)
        low, high = (number(xoff.value * kilo, "pause threshold", xoff.terms) for kilo in (SMALL, LARGE))
        return XoffPoint(low, high)

    # --- ports ---

    def build(self, intern: Interner) -> dict[str, Port]:
        """All ports; equal bodies are one object."""
        made: dict[tuple[object, ...], tuple[PortQos, Origins]] = {}
        owns: dict[object, Origins] = {}
        out: dict[str, Port] = {}
        for p in self.ports:
            marks = tuple(sorted((n, id(t)) for n, t in self.marks[p.name].items()))
            key = (p.carries, marks, marks_by_pcp(self.s, p))
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
        ids, rest = group_ids([c.priority for c in lossless])
        origins["tc_to_group"] = as_intended("a lossless class has a group of its own, all others share the default group")
        qos = PortQos(
            classify=classify(s, p, origins),
            tc_to_queue=body.identity(s, "tc_to_queue", origins),
            tc_to_group=FrozenMap({n: ids.get(n, rest) for n in range(8)}),
            pfc=pfc(lossless, origins),
            groups=FrozenMap({ids[c.priority]: self._group(ids[c.priority], c, origins) for c in lossless}),
            queues=FrozenMap({q: self._in_kb(queue, self.marks[p.name], more) for q, queue in queues.items()}),
            watchdog=self._watchdog(bool(lossless), origins),
        )
        return qos, Origins(origins | more)

    def _group(self, number_: int, c: TrafficClass, origins: dict[str, Origin]) -> PriorityGroup:
        path = f"group.{number_}"
        origins[path] = as_intended(f"class {c.name} is lossless", c.at)
        if not self.sizes:
            return PriorityGroup(
                number_, True, headroom=BY_DEVICE, threshold=BY_DEVICE, xon=BY_DEVICE, headroom_by_device=True
            )  # fmt: skip
        for what, n in self.sizes.items():
            origins[f"{path}.{what}"] = n.origin
        size = {what: Quantity(Fraction(n.value), Unit.KBYTES) for what, n in self.sizes.items()}
        return PriorityGroup(number_, True, headroom=size["headroom"], threshold=Static(size["threshold"]), xon=size["xon"])

    def _in_kb(self, queue: Queue, marks: Mapping[str, EcnThresholds], origins: dict[str, Origin]) -> Queue:
        """The queue with its thresholds in whole KB, down, within what a wred profile takes."""
        if not queue.curves:
            return queue
        path = f"queue.{queue.id}"
        found = next(t for n, t in marks.items() if self.s.plan.class_named(n).priority == queue.id.id)
        low, high = (_down(n) for n in (found.kmin, found.kmax))
        origins[f"{path}.kmin"], origins[f"{path}.kmax"] = low.origin, high.origin
        ramps = {
            colour: Curve(_kb(low), _kb(high), curve.pmax, curve.marks, curve.drops) for colour, curve in queue.curves.items()
        }
        return replace(queue, curves=FrozenMap(ramps))

    def _watchdog(self, lossless: bool, origins: dict[str, Origin]) -> Watchdog:
        origins["watchdog.enabled"] = as_intended(
            "OS10 has no watchdog that a source names" if lossless else "the port carries no lossless class"
        )
        return Watchdog(available=NO_WATCHDOG, enabled=False)


def _up(n: Number) -> Number:
    """Whole KB that hold so many bytes, whichever K it is."""
    return Number(-(-n.value // SMALL), n.rounded(-(-n.value // SMALL) * SMALL, f"up to whole KB of {SMALL:,} B").origin, "KB")


def _down(n: Number) -> Number:
    """Whole KB that are not more than so many bytes, whichever K it is; within what a wred profile takes."""
    value = min(max(n.value // LARGE, WRED_LOW), WRED_HIGH)
    why = f"down to whole KB of {LARGE:,} B" + (f", {WRED_HIGH} KB at most" if value == WRED_HIGH else "")
    return Number(value, n.rounded(value * LARGE, why).origin, "KB")


def _kb(n: Number) -> Quantity:
    return Quantity(Fraction(n.value), Unit.KBYTES)
