"""What holds for one switch while its ports are derived: classes, maps, shares, platform, and the fields its NOS can say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace
from fractions import Fraction

from xoff import platforms
from xoff.derive.notes import DerivationNote
from xoff.errors import CannotExpress
from xoff.fabric.planned import AsicFacts, PlannedDevice, PlannedFabric, PlannedPort, TrafficClass
from xoff.model.fabric import ClassKind
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Derived, Evidence, Origin, Term
from xoff.model.qos import Classify, Curve, HeaderField, Match, MatchKind, Pfc, PfcMode, SchedulerKind
from xoff.model.quantity import Context, Quantity, Unit, Unknown, quantity
from xoff.model.record import dataclass
from xoff.model.switch import Architecture, Form
from xoff.nos import registry
from xoff.nos.registry import Nos
from xoff.platforms import Asic, Platform, Sourced
from xoff.sizing.ecn import EcnThresholds, ecn_thresholds
from xoff.sizing.number import Number
from xoff.sizing.thresholds import XoffPoint

BY_HAND = "given by hand in the intent"


@dataclass(slots=True)
class Setting:
    """One switch's surroundings. `leaf`: some port faces a host. `pcp_hosts`: hosts that mark 802.1p instead of the DSCP."""

    plan: PlannedFabric
    device: PlannedDevice
    nos: Nos
    platform: Platform | None
    asic: Asic
    form: Form
    pcp_hosts: frozenset[str] = frozenset()
    notes: dict[DerivationNote, None] = field(default_factory=dict)
    _lossless: dict[frozenset[str], tuple[TrafficClass, ...]] = field(default_factory=dict)

    @property
    def leaf(self) -> bool:
        return any(p.peer is None or p.peer.device not in self.plan.devices for p in self.device.ports.values())

    @property
    def port_count(self) -> int:
        """Front-panel ports of the switch: as its hwsku has them where that is sourced, at least those of the plan."""
        known = sum(len(g.names) for g in self.platform.front_panel()) if self.platform else 0
        return max(known, len(self.device.ports))

    def note(self, what: str, why: str) -> None:
        self.notes.setdefault(DerivationNote(what, why), None)

    def scope(self, name: str, default: str) -> str:
        """The smallest thing for which the NOS can say this field (queue | group | port | profile | device)."""
        found = self.nos.can.get(name)
        return found.scope if found else default

    def lossless(self, port: PlannedPort) -> tuple[TrafficClass, ...]:
        """Lossless classes that the port carries, by priority."""
        found = self._lossless.get(port.carries)
        if found is None:
            found = tuple(sorted((c for c in self.plan.carried(port) if c.lossless), key=lambda c: c.priority))
            self._lossless[port.carries] = found
        return found

    def marking(self, port: PlannedPort) -> tuple[TrafficClass, ...]:
        """Classes whose queue marks on this port."""
        if self.plan.congestion_control == "none":
            return ()
        return tuple(c for c in self.plan.carried(port) if c.ecn)


def setting(plan: PlannedFabric, device: PlannedDevice, form: Form) -> Setting:
    """Look up NOS and platform. Raises UnknownPlatform where neither platforms/ nor the intent knows the chip."""
    nos = registry.load(device.nos)
    platform = platforms.find(device.model)
    if device.asic:
        named = platforms.get(device.asic)
        platform = platform if platform is not None and platform.asic.name == named.asic.name else named
    asic = None if platform is None else platform.asic
    if device.asic_facts is not None:
        asic = by_hand(asic, device.asic_facts, device.model)
    if asic is None:
        platforms.get(device.model)  # raises, with what is near
        raise AssertionError(device.model)
    s = Setting(plan, device, nos, platform, asic, form, frozenset(h.name for h in plan.hosts if h.marking == "pcp"))
    if platform is not None and platform.evidence is Evidence.SECONDARY:
        s.note(f"{device.model} as {asic.title}", f"unverified: {platform.source}")
    return s


def by_hand(asic: Asic | None, facts: AsicFacts, model: str) -> Asic:
    """The chip with the facts that the intent gives laid over it."""
    base = asic or Asic("by-hand", f"the ASIC of {model}", "", "")
    given: dict[str, Sourced[int]] = {}
    for name in ("cell", "buffer", "response_ns", "domains"):
        value = getattr(facts, name)
        if value is not None:
            given[name] = Sourced(value, BY_HAND, Evidence.READ)
    return replace(base, **given)  # type: ignore[arg-type]


def as_intended(formula: str, at: object = None, *terms: Term) -> Derived:
    """The origin of a value that the intent says itself."""
    return Derived(formula, terms, "intent", ("the intent",), at)  # type: ignore[arg-type]


# --- classification, maps, PFC ----------------------------------------------------------------------------------------


def default_priority(classes: Iterable[TrafficClass]) -> int:
    """Where everything goes that no class names: the default class, priority 0 where there is none."""
    return next((c.priority for c in classes if c.kind is ClassKind.DEFAULT), 0)


def marks_by_pcp(s: Setting, port: PlannedPort) -> bool:
    """Whether the host at the other end marks the 802.1p priority instead of the DSCP."""
    return port.peer is not None and port.peer.device in s.pcp_hosts


def classify(s: Setting, port: PlannedPort, origins: dict[str, Origin]) -> Classify:
    """A total map: every class's own values, all others to the default class.

    IP packets are read by DSCP; towards a host that marks 802.1p, tagged frames by their priority. A NOS that holds its maps
    once for the switch gets all of them on every port.
    """
    pcp = marks_by_pcp(s, port)
    shared = s.scope("classify.dscp", "port") == "device"
    steps: list[Match] = []
    if shared or not pcp:
        steps += _dscp(s, origins)
    if pcp or (shared and any(marks_by_pcp(s, p) for p in s.device.ports.values())):
        steps += _pcp(s, origins)
    if pcp:
        origins["classify.trust"] = as_intended("the host marks the 802.1p priority")
        return Classify(tuple(steps), HeaderField.PCP, HeaderField.PORT, HeaderField.PCP, 0)
    origins["classify.trust"] = as_intended("classes are told apart by DSCP")
    return Classify(tuple(steps), HeaderField.DSCP, HeaderField.DSCP, HeaderField.PORT, 0)


def _dscp(s: Setting, origins: dict[str, Origin]) -> list[Match]:
    rest = default_priority(s.plan.classes)
    of = dict.fromkeys(range(64), rest)
    for c in s.plan.classes:
        why = as_intended(f"class {c.name}: DSCP {_list(c.dscp)} to traffic class {c.priority}", c.at)
        for v in c.dscp:
            of[v] = c.priority
            origins[f"classify.dscp.{v}"] = why
    origins["classify.dscp"] = as_intended(f"no class names it: default class, traffic class {rest}")
    return _steps(MatchKind.DSCP, of)


def _pcp(s: Setting, origins: dict[str, Origin]) -> list[Match]:
    rest = default_priority(s.plan.classes)
    of = dict.fromkeys(range(8), rest)
    for c in s.plan.classes:
        of[c.priority] = c.priority
        origins[f"classify.pcp.{c.priority}"] = as_intended(f"class {c.name}: 802.1p {c.priority} to its traffic class", c.at)
    origins["classify.pcp"] = as_intended(f"no class has it: default class, traffic class {rest}")
    return _steps(MatchKind.PCP, of)


def _steps(kind: MatchKind, of: dict[int, int]) -> list[Match]:
    """One step per traffic class."""
    by: dict[int, set[int]] = {}
    for v, tc in of.items():
        by.setdefault(tc, set()).add(v)
    return [Match(kind, frozenset(by[tc]), tc) for tc in sorted(by)]


def _list(values: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(values))) or "none"


def pfc(lossless: tuple[TrafficClass, ...], origins: dict[str, Origin]) -> Pfc:
    """Pause for every lossless class under its own priority, both ways; off where the port carries none."""
    if not lossless:
        origins["pfc.mode"] = as_intended("the port carries no lossless class")
        return Pfc()
    origins["pfc.mode"] = as_intended("the port carries " + ", ".join(c.name for c in lossless))
    for c in lossless:
        why = as_intended(f"class {c.name} is lossless under priority {c.priority}", c.at)
        for path in ("no_drop", "send", "obey"):
            origins[f"pfc.{path}.{c.priority}"] = why
    numbers = [c.priority for c in lossless]
    own = FrozenMap({n: frozenset({n}) for n in numbers})
    return Pfc(PfcMode.ON, frozenset(numbers), own, own)


# --- shares -----------------------------------------------------------------------------------------------------------


def shares(classes: Iterable[TrafficClass]) -> dict[str, tuple[SchedulerKind, int | None]]:
    """Scheduler of each class: strict, or whole percents that add up to 100.

    Classes without a share take what is left in equal parts; what rounding leaves goes to the last of them.
    """
    all_classes = list(classes)
    weighted = [c for c in all_classes if not c.strict]
    said = {c.name: c.bandwidth for c in weighted if c.bandwidth is not None}
    rest = [c for c in weighted if c.bandwidth is None]
    left = max(Fraction(0), 100 - sum(said.values(), Fraction(0)))
    out: dict[str, tuple[SchedulerKind, int | None]] = {c.name: (SchedulerKind.STRICT, None) for c in all_classes if c.strict}
    whole = {n: max(1, int(b)) for n, b in said.items()}
    whole |= {c.name: max(1, int(left / len(rest))) for c in rest}
    missing = 100 - sum(whole.values())
    if weighted and missing > 0 and (rest or sum(said.values(), Fraction(0)) == 100):
        whole[(rest or weighted)[-1].name] += missing
    return out | {n: (SchedulerKind.DWRR, v) for n, v in whole.items()}


def share_origin(c: TrafficClass, percent: int | None) -> Derived:
    """Why the class is served like that."""
    if c.strict:
        return as_intended(f"class {c.name} is served first", c.at)
    if c.bandwidth is None:
        return as_intended(f"class {c.name} takes an equal part of what is left: {percent} %", c.at)
    return as_intended(f"class {c.name}: {float(c.bandwidth):g} % of the port", c.at)


# --- ECN --------------------------------------------------------------------------------------------------------------


def thresholds(s: Setting, c: TrafficClass, speed: int, xoff: XoffPoint | Unknown, where: str) -> EcnThresholds:
    """Marking thresholds of a class at a port speed. Raises CannotExpress for a wish that is no number of bytes."""
    ctx = Context(cell=s.asic.cell.value if isinstance(s.asic.cell.value, int) else None, kilo=s.nos.kilo, speed_mbps=speed)
    wish = c.ecn_wish
    low, high = (_wish(q, ctx, f"{where}: class {c.name}, {n}") for q, n in ((wish.kmin, "kmin"), (wish.kmax, "kmax")))
    return ecn_thresholds(s.plan.workload, speed, xoff, *granularity(s.asic), low, high, wish.pmax)


def _wish(q: Quantity | None, ctx: Context, what: str) -> int | None:
    if q is None:
        return None
    found = q.bytes(ctx)
    if isinstance(found, Unknown):
        raise CannotExpress(f"{what}: {q} is no number of bytes here: {found.reason}")
    return found


def granularity(asic: Asic) -> tuple[int, str]:
    """Bytes to which marking thresholds are rounded down, and whence: the chip's own step where sourced, else its cell."""
    if isinstance(asic.ecn_granularity.value, int):
        return asic.ecn_granularity.value, asic.ecn_granularity.source
    if asic.architecture.value is Architecture.VOQ or not isinstance(asic.cell.value, int):
        return 1, ""
    return asic.cell.value, f"cell: {asic.cell.source}"


def curve(t: EcnThresholds) -> Curve:
    """The ramp in bytes and percent."""
    return Curve(in_bytes(t.kmin), in_bytes(t.kmax), quantity(t.pmax.value, Unit.PERCENT), marks=True)


def curve_origins(path: str, c: TrafficClass, t: EcnThresholds, origins: dict[str, Origin]) -> None:
    """Origins of one ramp below `path` (`queue.unicast.3`)."""
    for name, n in (("kmin", t.kmin), ("kmax", t.kmax), ("pmax", t.pmax)):
        origins[f"{path}.{name}"] = n.origin
    origins[f"{path}.marks"] = as_intended(f"class {c.name} asks for marking", c.at)


def in_bytes(n: Number) -> Quantity:
    return quantity(n.value, Unit.BYTES)
