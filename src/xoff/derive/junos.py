"""Junos on QFX switches: class, queue and priority are one number; the switch sizes headroom itself, from cable length and MRU.

Marking thresholds are percentages of a queue's buffer, so no number of bytes is derived: the ramp and the partitions are those
that Juniper validated for this purpose.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from xoff.derive import body
from xoff.derive.device import switch_model
from xoff.derive.notes import Derivation
from xoff.derive.setting import Setting, as_intended, classify, marks_by_pcp, pfc
from xoff.errors import CannotExpress
from xoff.fabric.planned import PlannedPort, TrafficClass
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Derived, Evidence, Origin, Origins
from xoff.model.qos import Alpha, Colour, Curve, HeaderField, Pfc, PfcMode, PortQos, PriorityGroup, Queue, QueueId, QueueKind
from xoff.model.quantity import Quantity, Unit, quantity
from xoff.model.switch import Direction, Interner, Pool, PoolKind, PoolMode, Port
from xoff.nos.junos.family import UNIFORM, of_model
from xoff.nos.junos.ports import BY_SWITCH, NON_IP, RESUME
from xoff.nos.junos.words import alpha_of
from xoff.sizing.number import term

JVD = "Juniper/jvd aiml_multitenancy_backend, leaf and spine QFX5240-64OD (validated design)"
#: Marking ramp, shares of the shared buffer and ingress threshold of that design.
KMIN, KMAX, PMAX = 55, 90, 100
PARTITIONS = {("ingress", "lossless"): 66, ("ingress", "lossless-headroom"): 24, ("ingress", "lossy"): 10,
              ("egress", "lossless"): 66, ("egress", "lossy"): 10}  # fmt: skip
THRESHOLD = 10
#: Lossless classes that a QFX takes ([TP1]).
MOST = 6


def build(s: Setting) -> Derivation:
    """The model of a QFX. Raises CannotExpress for families whose lossless configuration has no source."""
    junos = Junos(s)
    ports = junos.build(Interner())
    model = switch_model(s, ports, pools=junos.pools, lossless_mtu=junos.mtu)
    return Derivation(model, tuple(s.notes), {}, s.asic, s.platform)


class Junos:
    """Derives the parts of a QFX."""

    def __init__(self, s: Setting) -> None:
        self.s = s
        self.ports = list(s.device.ports.values())
        self.family = of_model(s.device.model)
        if not self.family.qfx:
            raise CannotExpress(
                f"{s.device.name}: {s.device.model} is no QFX of the 5000 line; the lossless configuration of other Junos "
                "families is not confirmed enough to be written"
            )
        lossless = [p for p in self.ports if s.lossless(p)]
        if len({c.name for p in lossless for c in s.lossless(p)}) > MOST:
            raise CannotExpress(f"{s.device.name}: a QFX takes {MOST} lossless classes at most")
        self.mtu = max((p.mtu for p in lossless), default=None)
        self.uniform = self.family.buffers == UNIFORM
        self.pools = self._pools() if lossless and self.uniform else ()
        self.threshold, self.threshold_origin = self._threshold()
        self.times = body.times(s)
        self._say(lossless)

    def _say(self, lossless: list[PlannedPort]) -> None:
        if not lossless:
            return
        self.s.note(
            "headroom", "the switch computes it from cable-length and mru, and takes it from the lossless-headroom share"
        )
        if not self.uniform:
            self.s.note("shared buffer", "no partitions are validated for this family; the switch's own shares hold")
        for p in lossless:
            if p.headroom is not None:
                self.s.note("headroom of a port", f"{p.name}: {p.headroom} B cannot be said; cable-length and mru decide")

    def _pools(self) -> tuple[Pool, ...]:
        out = []
        for (direction, part), share in PARTITIONS.items():
            headroom = part == "lossless-headroom"
            why = Derived("share of the validated design", (term("share", share, "percent", JVD, unit="%"),), "table", (JVD,))
            out.append(
                Pool(
                    f"{direction} {part}",
                    Direction(direction),
                    PoolKind.HEADROOM if headroom else PoolKind.SHARED,
                    PoolMode.STATIC if headroom else PoolMode.DYNAMIC,
                    Quantity(Fraction(share), Unit.PERCENT_OF_POOL),
                    includes_headroom=False,
                    origins=Origins({"size": why}),
                )
            )
        return tuple(out)

    def _threshold(self) -> tuple[Alpha | None, Origin]:
        """The ingress lossless alpha: high enough that marking comes first ([JVD]); else the family's own."""
        if self.pools:
            why = term("dynamic-threshold", THRESHOLD, "so that queues mark before groups pause", JVD, unit="")
            return alpha_of(THRESHOLD), Derived("threshold of the validated design", (why,), "table", (JVD,))
        entry = self.s.nos.default("group.threshold", family="qfx")
        if entry is None:
            return None, as_intended("no threshold is stated")
        return alpha_of(entry.value), entry.origin("the switch's own dynamic-threshold")

    # --- ports ---

    def build(self, intern: Interner) -> dict[str, Port]:
        """All ports; equal bodies are one object. Only a port that pauses says its cable length."""
        made: dict[tuple[object, ...], tuple[PortQos, Origins]] = {}
        owns: dict[object, Origins] = {}
        out: dict[str, Port] = {}
        for p in self.ports:
            key = (p.carries, marks_by_pcp(self.s, p))
            if key not in made:
                made[key] = intern(*self._body(p))
            qos, origins = made[key]
            if p.at not in owns:
                owns[p.at] = body.own_origins(p)
            port = body.port(p, qos, origins, owns[p.at])
            out[p.name] = port if qos.pfc.send else replace(port, cable_m=None)
        return out

    def _body(self, p: PlannedPort) -> tuple[PortQos, Origins]:
        s = self.s
        origins: dict[str, Origin] = {}
        lossless = s.lossless(p)
        found = classify(s, p, origins)
        if found.untagged_ip is HeaderField.DSCP:
            found = replace(found, non_ip=NON_IP)
        numbers = {c.priority for c in lossless}
        lossy = max(set(range(8)) - numbers)
        origins["tc_to_group"] = as_intended("a class that pauses is counted under its priority, all others are lossy")
        qos = PortQos(
            classify=found,
            tc_to_queue=body.identity(s, "tc_to_queue", origins),
            tc_to_group=FrozenMap({n: n if n in numbers else lossy for n in range(8)}),
            pfc=self._pfc(lossless, origins),
            groups=FrozenMap({c.priority: self._group(c, origins) for c in lossless}),
            queues=FrozenMap(self._queues(p, origins)),
            watchdog=body.watchdog(s, lossless, self.times, Unit.MILLISECONDS, origins),
        )
        return qos, Origins(origins)

    def _pfc(self, lossless: tuple[TrafficClass, ...], origins: dict[str, Origin]) -> Pfc:
        if lossless:
            return pfc(lossless, origins)
        entry = self.s.nos.default("pfc.obey", family="qfx")
        if entry is None:
            return pfc(lossless, origins)
        origins["pfc.mode"] = origins["pfc.obey"] = entry.origin("the port carries no lossless class; the switch's own holds")
        return Pfc(PfcMode.ON, obey=FrozenMap({p: frozenset({q}) for p, q in entry.value}))

    def _group(self, c: TrafficClass, origins: dict[str, Origin]) -> PriorityGroup:
        path = f"group.{c.priority}"
        origins[path] = as_intended(f"class {c.name} is lossless", c.at)
        origins[f"{path}.threshold"] = self.threshold_origin
        entry = self.s.nos.default("group.xon_offset", family="qfx", feature=self.family.buffers)
        if entry is not None:
            origins[f"{path}.xon_offset"] = entry.origin("the switch's own xon")
        return PriorityGroup(
            c.priority,
            lossless=True,
            headroom=BY_SWITCH,
            threshold=self.threshold,
            xon_offset=RESUME if entry is None else quantity(entry.value, Unit.CELLS),
            pool="ingress lossless",
            headroom_by_device=True,
        )

    # --- queues ---

    def _queues(self, p: PlannedPort, origins: dict[str, Origin]) -> dict[QueueId, Queue]:
        s = self.s
        queues, more = body.queues(s, p.carries, {}, Unit.PERCENT, (Colour.GREEN,), QueueKind.UNICAST)
        origins |= more
        marking = {c.priority: c for c in s.marking(p)}
        for c in s.plan.classes:
            qid = QueueId(QueueKind.UNICAST, c.priority)
            path = f"queue.{qid}"
            feature = "lossless" if c.lossless else "lossy"
            entry = s.nos.default("queue.limit", family="qfx", feature=feature)
            origins[f"{path}.lossless"] = as_intended(f"class {c.name} is {feature}", c.at)
            if entry is not None:
                origins[f"{path}.limit"] = entry.origin(f"the switch's own egress {feature} dynamic-threshold")
            queues[qid] = replace(
                queues[qid],
                lossless=c.lossless,
                limit=None if entry is None else alpha_of(entry.value),
                pool=f"egress {feature}",
                curves=FrozenMap({Colour.GREEN: self._curve(c, path, origins)} if c.priority in marking else {}),
            )
        return queues

    def _curve(self, c: TrafficClass, path: str, origins: dict[str, Origin]) -> Curve:
        """The validated ramp, or what the intent fixes in percent of the limit."""
        wish = c.ecn_wish
        out: dict[str, Quantity] = {}
        for name, own, said in (("kmin", KMIN, wish.kmin), ("kmax", KMAX, wish.kmax)):
            if said is None:
                out[name] = Quantity(Fraction(own), Unit.PERCENT_OF_LIMIT)
                step = term(name, own, "percent of the queue's buffer", JVD, unit="%")
                origins[f"{path}.{name}"] = Derived("ramp of the validated design", (step,), "table", (JVD,))
                continue
            if said.unit is not Unit.PERCENT_OF_LIMIT:
                raise CannotExpress(
                    f"{self.s.device.name}: class {c.name}: {name} of {said} cannot be said; Junos takes marking thresholds in "
                    "percent of the queue's buffer, which has no fixed size; leave ecn: auto on this switch"
                )
            out[name] = said
            origins[f"{path}.{name}"] = as_intended("as the intent says", c.at)
        pmax = PMAX if wish.pmax is None else wish.pmax
        if wish.pmax is None:
            top = term("pmax", PMAX, "percent", JVD, Evidence.READ, unit="%")
            origins[f"{path}.pmax"] = Derived("ramp of the validated design", (top,), "table", (JVD,))
        else:
            origins[f"{path}.pmax"] = as_intended("as the intent says", c.at)
        origins[f"{path}.marks"] = as_intended(f"class {c.name} asks for marking", c.at)
        return Curve(out["kmin"], out["kmax"], quantity(pmax, Unit.PERCENT), marks=True)
