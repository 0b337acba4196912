"""Cumulus Linux: a class is its switch priority; headroom is the switch's own, made for the cable length of the port.

RoCE mode lossless is taken as the ground where anything is lossless, and everything it would choose by itself is said too.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from xoff.derive import body
from xoff.derive.device import switch_model
from xoff.derive.notes import Derivation
from xoff.derive.setting import Setting, as_intended, classify, default_priority, marks_by_pcp, pfc
from xoff.errors import CannotExpress
from xoff.fabric.planned import PlannedPort, TrafficClass
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Default, Derived, Origin, Origins
from xoff.model.qos import (
    Alpha,
    Classify,
    Colour,
    HeaderField,
    Match,
    MatchKind,
    NotEct,
    PortQos,
    Queue,
    QueueId,
    QueueKind,
    Watchdog,
    WatchdogAction,
)
from xoff.model.quantity import Fact, Unit, Unknown
from xoff.model.switch import Interner, Named, Port
from xoff.nos.cumulus.buffers import ALL, Fixed, Layout, default_limits, groups, percent, with_limit
from xoff.nos.cumulus.device import WATCHDOG_SINCE
from xoff.nos.cumulus.words import release_of
from xoff.sizing.number import Number, number, term
from xoff.sizing.thresholds import Shared, XoffPoint, dynamic_xoff
from xoff.sizing.watchdog import WatchdogTimes

#: What an intent may choose: `options` of a switch, with what is taken where it does not.
OPTIONS: dict[str, tuple[str, ...]] = {"format": ("commands", "yaml"), "roce": ("lossless", "off")}


def build(s: Setting) -> Derivation:
    """The door: one Cumulus Linux switch."""
    cumulus = Cumulus(s)
    model = switch_model(s, cumulus.build(Interner()), pools=cumulus.layout.pools(), facts=cumulus.facts())
    return Derivation(model, tuple(s.notes), {}, s.asic, s.platform)


class Cumulus:
    """Derives the parts of a Cumulus Linux switch."""

    def __init__(self, s: Setting) -> None:
        self.s = s
        self.ports = list(s.device.ports.values())
        self.options = {name: self._option(name) for name in OPTIONS}
        self.lossless = sorted({c for p in self.ports for c in s.lossless(p)}, key=lambda c: c.priority)
        self.roce = "lossless" if self.lossless and self.options["roce"] == "lossless" else "off"
        self.layout = self._layout()
        self.limits = default_limits(s.nos)
        structure = next(x for x in s.nos.structure if x.key == "priority-group")
        self.structure = Default(structure.text, structure.evidence, structure.source)
        self.marks = body.marking_of(s, self.ports, self._point)
        self.times = self._times()
        if self.lossless:
            s.note(
                "headroom",
                "the switch computes it from cable-length, speed and MTU (its formula is not published); none is set",
            )
        for p in self.ports:
            if p.headroom is not None:
                s.note(
                    f"headroom of {p.name}",
                    f"{p.headroom} B are not set: a fixed port-buffer would take the port out of the shared pool",
                )

    def _option(self, name: str) -> str:
        known = OPTIONS[name]
        wish = self.s.device.options.get(name, known[0])
        if wish not in known:
            raise CannotExpress(f"{self.s.device.name}: option {name} is {wish!r}; Cumulus Linux has {' and '.join(known)}")
        return wish

    # --- pools ---

    def _layout(self) -> Layout:
        """The lossless priorities in one pool, all others in default-lossy; sizes as the RoCE mode has them."""
        entry = self.s.nos.default("device.pools", feature="lossless" if self.lossless else "off")
        assert entry is not None
        shares = {name: share for name, (share, _) in entry.value.items()}
        kept = "roce-lossless" if self.roce == "lossless" else "default-lossless"
        own = {c.priority for c in self.lossless}
        why: Origin = Derived(
            f"memory as RoCE mode {'lossless' if self.lossless else 'off'} divides it", (), "table", (entry.source,)
        )
        size = {"default-lossy": (percent(shares["default-lossy"]), why)}
        if own:
            size[kept] = (percent(shares["roce-lossless"]), why)
        of = {p: kept if p in own else "default-lossy" for p in ALL}
        said = as_intended("lossless classes share the one lossless pool")
        return Layout(of, {p: p in own for p in ALL}, dict.fromkeys(ALL, said), size)

    def _point(self, p: PlannedPort, c: TrafficClass) -> XoffPoint | Unknown:
        """An upper bound of the XOFF point: alpha of the lossless pool, headroom not taken off."""
        if not c.lossless:
            return Unknown("the class is not lossless: nothing pauses it")
        memory = self.s.asic.buffer.value
        threshold = self.limits.ingress[0]
        if not isinstance(memory, int) or not isinstance(threshold, Alpha):
            return Unknown(f"the buffer of {self.s.asic.title} is not sourced", Fact.ASIC)
        share = next(q.amount for name, (q, _) in self.layout.size.items() if name != "default-lossy")  # type: ignore[union-attr]
        pool = Fraction(memory) * share / 100
        terms = (
            term(
                "memory",
                memory,
                f"{share} % of it is the lossless pool",
                self.s.asic.buffer.source,
                self.s.asic.buffer.evidence,
            ),
        )
        below = Unknown("how much of the pool headroom takes is the switch's own matter", Fact.TABLE)
        return dynamic_xoff(threshold.alpha.amount, Shared(below, pool, terms))

    # --- watchdog ---

    def _times(self) -> WatchdogTimes:
        """Detection in whole polling intervals; restoration is one interval, which no line changes."""
        t = body.times(self.s)
        poll = t.poll.value
        count = -(-t.detect.value // poll)
        detect = t.detect.rounded(count * poll, "whole polling intervals (robustness)")
        why = term(
            "polling interval", poll, "the switch restores after one without a pause frame", "nos.yaml watchdog", unit="ms"
        )
        wish = self.s.device.watchdog
        if wish.enabled and wish.restore_ms not in (None, poll):
            self.s.note("watchdog", f"restoration of {wish.restore_ms} ms cannot be set: it is one polling interval, {poll} ms")
        return WatchdogTimes(detect, number(poll, "one polling interval", (why,), unit="ms"), t.poll)

    def _watchdog(self, lossless: tuple[TrafficClass, ...], origins: dict[str, Origin]) -> Watchdog:
        wish, release = self.s.device.watchdog, self.s.device.release
        known = None if release is None else release_of(release)
        if known is not None and known[:2] < WATCHDOG_SINCE and lossless and wish.enabled:
            self.s.note("watchdog", f"release {release} has no PFC watchdog (since 5.6.0); it is left out")
            origins["watchdog.enabled"] = as_intended("this release has no PFC watchdog")
            return Watchdog(available=False, enabled=False)
        if lossless and wish.enabled and wish.action not in (None, WatchdogAction.DROP):
            raise CannotExpress(
                f"{self.s.device.name}: watchdog action {wish.action} has no word in Cumulus Linux, whose watchdog drops; "
                "use action: drop or leave it out"
            )
        return body.watchdog(self.s, lossless, self.times, Unit.MILLISECONDS, origins)

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
            made_port = body.port(p, qos, origins, owns[p.at])
            # Without PFC the switch is told no cable length: it stands in the PFC profile.
            out[p.name] = made_port if self.s.lossless(p) else replace(made_port, cable_m=None)
        return out

    def _body(self, p: PlannedPort) -> tuple[PortQos, Origins]:
        s = self.s
        origins: dict[str, Origin] = {}
        lossless = s.lossless(p)
        own = frozenset(c.priority for c in lossless)
        queue_of = self._queue_map(origins)
        found, of = groups(self.layout, own, self.limits, Fixed(), origins, self.structure)
        queues, more = body.queues(s, p.carries, self.marks[p.name], Unit.PERCENT, (Colour.GREEN,), QueueKind.UNICAST)
        qos = PortQos(
            classify=self._classify(p, origins),
            tc_to_queue=FrozenMap(queue_of),
            tc_to_group=FrozenMap(of),
            pfc=pfc(lossless, origins),
            groups=FrozenMap(found),
            queues=FrozenMap(self._with_limits(queues, queue_of, own, origins)),
            watchdog=self._watchdog(lossless, origins),
        )
        return qos, Origins(origins | more)

    def _queue_map(self, origins: dict[str, Origin]) -> dict[int, int | Unknown]:
        rest = default_priority(self.s.plan.classes)
        of: dict[int, int | Unknown] = dict.fromkeys(ALL, rest)
        for c in self.s.plan.classes:
            of[c.priority] = c.priority
            origins[f"tc_to_queue.{c.priority}"] = as_intended(f"class {c.name} has the traffic class of its number", c.at)
        origins["tc_to_queue"] = as_intended(f"no class has it: traffic class {rest}, that of the default class")
        return of

    def _with_limits(
        self, queues: dict[QueueId, Queue], queue_of: dict[int, int | Unknown], own: frozenset[int], origins: dict[str, Origin]
    ) -> dict[QueueId, Queue]:
        out = {}
        for qid, queue in queues.items():
            using = frozenset(p for p, q in queue_of.items() if q == qid.id)
            found = with_limit(queue, self.layout, using, own, self.limits, origins)
            if found.curves:
                found = replace(found, not_ect=NotEct.FORWARD)  # RED stays off, so nothing is dropped early
            out[qid] = found
        return out

    def _classify(self, p: PlannedPort, origins: dict[str, Origin]) -> Classify:
        """DSCP for IP packets; what is no IP goes by its 802.1p priority (trust both, as RoCE has it)."""
        found = classify(self.s, p, origins)
        if found.tagged_ip is HeaderField.PCP:
            return found
        rest = default_priority(self.s.plan.classes)
        of = dict.fromkeys(range(8), rest) | {c.priority: c.priority for c in self.s.plan.classes}
        by: dict[int, set[int]] = {}
        for value, tc in of.items():
            by.setdefault(tc, set()).add(value)
        origins["classify.pcp"] = as_intended("802.1p n to the class of priority n, others to the default class")
        steps = tuple(Match(MatchKind.PCP, frozenset(values), tc) for tc, values in sorted(by.items()))
        return replace(found, matches=found.matches + steps, non_ip=HeaderField.PCP)

    def facts(self) -> FrozenMap[str, Named]:
        """What the renderer needs beside the ports."""
        out = {"format": Named(self.options["format"], "intent: options.format"), "roce_mode": Named(self.roce, "derived")}
        return FrozenMap(out)


__all__ = ["Cumulus", "Number", "build"]
