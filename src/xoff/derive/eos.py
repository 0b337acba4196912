"""EOS: traffic class, group, queue and priority are one number; headroom is one value for the whole switch.

The MMU profile exists on Trident and Tomahawk chips only; elsewhere the chip's own headroom holds, and a note says so.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from xoff.derive import body
from xoff.derive.device import switch_model
from xoff.derive.headroom import all_numbers, base_row, widest
from xoff.derive.notes import Derivation, PortNumbers
from xoff.derive.setting import Setting, as_intended, classify, in_bytes, marks_by_pcp, pfc
from xoff.errors import CannotExpress
from xoff.fabric.planned import PlannedPort, TrafficClass
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Derived, Evidence, Origin, Origins
from xoff.model.qos import Alpha, Classify, Colour, Match, MatchKind, PortQos, PriorityGroup, QueueKind
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.model.switch import Architecture, Direction, Interner, Named, Pool, PoolKind, PoolMode, Port
from xoff.nos.eos.ports import HIDDEN
from xoff.sizing.number import Number, number, term, up_to
from xoff.sizing.thresholds import Shared, XoffPoint, dynamic_xoff

#: Share of the memory that dedicated headroom may take before it is over-subscribed instead.
HALF = Fraction(1, 2)


def build(s: Setting) -> Derivation:
    """The door: one EOS switch."""
    eos = Eos(s)
    model = switch_model(s, eos.build(Interner()), pools=eos.pools, facts=eos.facts())
    return Derivation(model, tuple(s.notes), eos.numbers, s.asic, s.platform)


class Eos:
    """Derives the parts of an EOS switch. `numbers` by port, before the device-wide collapse."""

    def __init__(self, s: Setting) -> None:
        self.s = s
        self.ports = list(s.device.ports.values())
        self.has_mmu = self._mmu()
        self.numbers: dict[str, PortNumbers] = {}
        self.headroom: Number | None = None
        self.alpha: tuple[Alpha, Derived] | None = None
        self.pools: tuple[Pool, ...] = ()
        if self.has_mmu:
            self._size()
        self.marks = body.marking_of(s, self.ports, self._point)
        self.times = body.times(s)

    def _mmu(self) -> bool:
        fact = self.s.asic.eos_mmu
        if fact.value is True:
            return True
        if fact.value is False:
            self.s.note(
                "headroom and XOFF thresholds",
                f"EOS has no MMU profile on {self.s.asic.title} ({fact.source}); the chip's own hold",
            )
        else:
            self.s.note(
                "headroom and XOFF thresholds",
                f"no source says whether EOS has MMU profiles on {self.s.asic.title}; none are stated",
            )
        return False

    def _size(self) -> None:
        s = self.s
        self.numbers = all_numbers(s)
        needs = {name: n.chosen for name, n in self.numbers.items() if n.chosen is not None}
        if not needs:
            return
        self.headroom = widest(needs, s.scope("group.headroom", "device"))
        self.alpha = self._shipped_alpha()
        self.pools = (self._pool(self.headroom),)

    def _shipped_alpha(self) -> tuple[Alpha, Derived] | None:
        """The alpha that the chip's lossless groups have in the tables shipped with SONiC, if EOS has a word for it."""
        fastest = max(self.ports, key=lambda p: p.speed)
        row = base_row(self.s.platform, self.s.asic, fastest.speed, fastest.cable_m)
        if row is None:
            self.s.note("ingress threshold (alpha)", f"no alpha is sourced for {self.s.asic.title}; the chip's own holds")
            return None
        exponent = int(row.threshold)
        if not -7 <= exponent <= 3:
            self.s.note("ingress threshold (alpha)", f"shipped alpha 2^{exponent} has no word in EOS (1/128 to 8)")
            return None
        shipped = term("exponent", exponent, "dynamic_th shipped with SONiC for this chip", row.source, unit="")
        alpha = Alpha(Quantity(Fraction(2) ** exponent, Unit.ALPHA))
        return alpha, Derived(f"alpha = 2^{exponent}", (shipped,), "table", (row.source,))

    def _pool(self, headroom: Number) -> Pool:
        """The shared headroom: room for every lossless group at once, but not more than half of the memory."""
        s = self.s
        pairs = sum(len(s.lossless(p)) for p in self.ports)
        domains = s.asic.domains.value
        least = domains if isinstance(domains, int) else 1  # a pool is split evenly: each part has to hold one group
        total = max(pairs, least) * headroom.value
        cell = s.asic.cell.value
        step = cell if isinstance(cell, int) else 1
        terms = [term("lossless (port, group) pairs", pairs, "in this plan", "the intent", unit=""),
                 term("headroom", headroom.value, "each", "derived", Evidence.COMPUTED)]  # fmt: skip
        if pairs < least:
            terms.append(term("memory domains", least, "each keeps room for one group", s.asic.domains.source, unit=""))
        memory = s.asic.buffer.value
        formula = "pairs x headroom"
        if isinstance(memory, int) and total > memory * HALF:
            terms.append(term("half of the memory", int(memory * HALF), "a cap: the rest stays shared", s.asic.buffer.source))
            total, formula = int(memory * HALF), "half of the memory (over-subscribed)"
            at_once = total // headroom.value
            s.note(
                "headroom pool",
                f"{pairs} lossless groups of {headroom.value} B do not fit half of the memory: over-subscribed, "
                f"{at_once} of them may be congested at once",
            )
            size = number(total // step * step, formula, tuple(terms))
        else:
            size = number(up_to(total, step), formula, tuple(terms))
        origins = Origins({"size": size.origin})
        return Pool("headroom-pool", Direction.INGRESS, PoolKind.HEADROOM, PoolMode.STATIC, in_bytes(size), origins=origins)

    def _point(self, p: PlannedPort, c: TrafficClass) -> XoffPoint | Unknown:
        """An upper bound of the XOFF point: alpha of what the headroom pool leaves of one domain. EOS names no pools."""
        s = self.s
        if s.asic.architecture.value is Architecture.VOQ:
            return Unknown(f"{s.asic.title} queues per destination at ingress: no shared-pool threshold holds there", Fact.ASIC)
        if self.alpha is None or not c.lossless:
            return Unknown("the group's alpha is not stated" if c.lossless else "the class is not lossless: nothing pauses it")
        memory, domains = s.asic.buffer.value, s.asic.domains.value
        if not isinstance(memory, int):
            return Unknown(f"the buffer of {s.asic.title} is not sourced")
        inside = int(self.pools[0].size.amount) if self.pools and isinstance(self.pools[0].size, Quantity) else 0
        terms = (term("memory", memory, "whole chip", s.asic.buffer.source, s.asic.buffer.evidence),
                 term("headroom pool", inside, "taken from it", "derived", Evidence.COMPUTED))  # fmt: skip
        left = Fraction(memory - inside)
        if isinstance(domains, Unknown):
            return dynamic_xoff(self.alpha[0].alpha.amount, Shared(domains, left, terms))
        return dynamic_xoff(self.alpha[0].alpha.amount, Shared(left / domains, left / domains, terms))

    def build(self, intern: Interner) -> dict[str, Port]:
        """All ports; equal bodies are one object."""
        made: dict[tuple[object, ...], tuple[PortQos, Origins]] = {}
        owns: dict[object, Origins] = {}
        out: dict[str, Port] = {}
        for p in self.ports:
            key = (p.carries, self._marks_key(p), marks_by_pcp(self.s, p))
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
        queues, more = body.queues(s, p.carries, self.marks[p.name], Unit.PERCENT, (Colour.GREEN,), QueueKind.UNICAST)
        qos = PortQos(
            classify=self._classify(p, origins),
            tc_to_queue=body.identity(s, "tc_to_queue", origins),
            tc_to_group=body.identity(s, "tc_to_group", origins),
            pfc=pfc(lossless, origins),
            groups=FrozenMap(
                {c.priority: self._group(c, origins) for c in lossless} | self._others(lossless, origins),
            ),
            queues=FrozenMap(queues),
            watchdog=body.watchdog(s, lossless, self.times, Unit.SECONDS, origins),
        )
        return qos, Origins(origins | more)

    def _classify(self, p: PlannedPort, origins: dict[str, Origin]) -> Classify:
        """DSCP as the classes want it; beside it EOS's own CoS map, left as it is where no port reads it."""
        found = classify(self.s, p, origins)
        default = self.s.nos.default("classify.pcp")
        if default is None or any(m.kind is MatchKind.PCP for m in found.matches):
            return found
        by: dict[int, set[int]] = {}
        for first, last, tc in default.value:
            by.setdefault(tc, set()).update(range(first, last + 1))
        origins["classify.pcp"] = default.origin("EOS's own map of CoS to traffic class")
        steps = tuple(Match(MatchKind.PCP, frozenset(by[tc]), tc) for tc in sorted(by))
        return replace(found, matches=found.matches + steps)

    def _group(self, c: TrafficClass, origins: dict[str, Origin]) -> PriorityGroup:
        path = f"group.{c.priority}"
        origins[path] = as_intended(f"class {c.name} is lossless", c.at)
        if self.headroom is None:
            return PriorityGroup(c.priority, lossless=True, headroom=HIDDEN)
        origins[f"{path}.headroom"] = self.headroom.origin
        if self.alpha is None:
            return PriorityGroup(c.priority, lossless=True, headroom=in_bytes(self.headroom))
        origins[f"{path}.threshold"] = self.alpha[1]
        return PriorityGroup(c.priority, lossless=True, headroom=in_bytes(self.headroom), threshold=self.alpha[0])

    def _others(self, lossless: tuple[TrafficClass, ...], origins: dict[str, Origin]) -> dict[int, PriorityGroup]:
        """Groups that are lossless on other ports: the MMU profile gives its alpha to the group of every port."""
        if self.headroom is None or self.alpha is None:
            return {}
        out = {}
        for c in sorted({c for p in self.ports for c in self.s.lossless(p)} - set(lossless), key=lambda c: c.priority):
            origins[f"group.{c.priority}.threshold"] = self.alpha[1]
            out[c.priority] = PriorityGroup(c.priority, lossless=False, threshold=self.alpha[0])
        return out

    def facts(self) -> FrozenMap[str, Named]:
        """What the renderer needs beside the ports: the queue stanza, where the intent says which."""
        option = self.s.device.options.get("queue")
        if option is None:
            return FrozenMap()
        if option not in ("tx-queue", "uc-tx-queue"):
            raise CannotExpress(f"{self.s.device.name}: option queue is {option!r}; EOS has tx-queue and uc-tx-queue")
        return FrozenMap({"queue": Named(option, "intent: options.queue", self.s.device.at)})
