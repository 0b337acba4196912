"""SONiC: maps, profiles and pools as config_db has them.

Traditional model: every lossless group gets the profile that the buffer manager would name by speed and cable.
Dynamic model (NVIDIA): the device computes headroom and pool sizes from the packet mix; only the shape is derived here.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from xoff.derive import body
from xoff.derive.device import switch_model
from xoff.derive.headroom import all_numbers, base_row, small_packets, widest
from xoff.derive.notes import Derivation, PortNumbers
from xoff.derive.setting import Setting, as_intended, classify, in_bytes, marks_by_pcp, pfc
from xoff.derive.sonic_pools import LOSSLESS, Pools
from xoff.errors import CannotExpress
from xoff.fabric.planned import PlannedPort, TrafficClass
from xoff.model.fabric import ClassKind
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Derived, Evidence, Origin, Origins
from xoff.model.qos import Alpha, Colour, PortQos, PriorityGroup, Queue, QueueId, QueueKind, Static, Threshold
from xoff.model.quantity import Fact, Quantity, Unit, Unknown, quantity
from xoff.model.switch import BufferProfile, BufferUse, Direction, Form, Interner, Named, Pool, Port
from xoff.platforms import ShippedRow
from xoff.sizing.headroom import frame_of_roce
from xoff.sizing.number import Number, term
from xoff.sizing.thresholds import XoffPoint, xoff_point

BY_DEVICE = Unknown("the device computes it at run time (dynamic buffer model)", Fact.TABLE)
BY_TABLE = Unknown("the buffer manager takes it from its lookup table; pg_profile_lookup.ini is not in the input", Fact.TABLE)
COLOURS = (Colour.GREEN, Colour.YELLOW, Colour.RED)
MODELS = ("traditional", "dynamic")


def build(s: Setting) -> Derivation:
    """The door: one SONiC switch."""
    sonic = Sonic(s)
    ports = sonic.build(Interner())
    model = switch_model(
        s,
        ports,
        pools=sonic.all_pools(),
        profiles=sonic.profiles(ports),
        lossless_mtu=sonic.lossless_mtu(),
        facts=sonic.facts(),
    )
    return Derivation(model, tuple(s.notes), sonic.numbers, s.asic, s.platform)


class Sonic:
    """Derives the parts of a SONiC switch. `numbers` by port, before ports of one profile are brought to one value."""

    def __init__(self, s: Setting) -> None:
        self.s = s
        self.ports = list(s.device.ports.values())
        self.dynamic = self._model() == "dynamic"
        self.by_device = self._left_to_device()
        self.numbers: dict[str, PortNumbers] = {}
        self.headroom: dict[str, Number] = {}
        if not self.by_device:
            self._size()
        self.groups = {p.name: self._lossless_group(p) for p in self.ports if s.lossless(p)}
        self._make_pools()
        self.marks = body.marking_of(s, self.ports, self._point)
        self.times = body.times(s)

    def _model(self) -> str:
        """Buffer model: the intent's option, else dynamic where SONiC has it for the chip."""
        s = self.s
        can = s.asic.sonic_dynamic.value is True
        wish = s.device.options.get("buffer_model")
        if wish is None:
            return "dynamic" if can else "traditional"
        if wish not in MODELS:
            raise CannotExpress(f"{s.device.name}: option buffer_model is {wish!r}; SONiC has {' and '.join(MODELS)}")
        if wish == "dynamic" and not can:
            raise CannotExpress(
                f"{s.device.name}: SONiC has no dynamic buffer model on {s.asic.title} ({s.asic.sonic_dynamic.source}); "
                "use buffer_model: traditional"
            )
        return wish

    def _make_pools(self) -> None:
        self.pools: Pools = Pools(self.s, self.dynamic, self._claims())

    def _left_to_device(self) -> bool:
        """Whether the device sizes its lossless groups by itself."""
        return self.dynamic or self.s.form is Form.GOLDEN

    # --- headroom -----------------------------------------------------------------------------------------------------

    def _size(self) -> None:
        """Own numbers, then the largest among the ports whose profile has one name (speed and cable)."""
        self.numbers = all_numbers(self.s)
        sharers: dict[str, dict[str, Number]] = {}
        for p in self.ports:
            chosen = self.numbers[p.name].chosen
            if chosen is not None:
                sharers.setdefault(self.profile_name(p), {})[p.name] = chosen
        shared = {name: widest(of, f"profile {name}") for name, of in sharers.items()}
        for p in self.ports:
            if self.numbers[p.name].chosen is not None:
                self.headroom[p.name] = shared[self.profile_name(p)]

    def profile_name(self, p: PlannedPort) -> str:
        """The lossless profile of a port; ports of one name have one headroom."""
        return profile_name(p)

    def _claims(self) -> list[tuple[int, int]]:
        """(headroom, reserved) of every lossless (port, group); empty where the device sizes them."""
        out = []
        for p in self.ports:
            if p.name in self.headroom:
                group = self.groups[p.name][0]
                assert isinstance(group.reserved, Quantity)
                out += [(self.headroom[p.name].value, int(group.reserved.amount))] * len(self.s.lossless(p))
        return out

    def _lossless_group(self, p: PlannedPort) -> tuple[PriorityGroup, dict[str, Origin]]:
        """The lossless group of a port, numbered 0 until it is bound; origins by the part after the number."""
        if self.dynamic:
            return self._dynamic_group()
        if self.s.form is Form.GOLDEN:
            why: Origin = as_intended("the switch's own lookup table decides (form golden)")
            group = PriorityGroup(
                0, True, BY_TABLE, BY_TABLE, BY_TABLE, BY_TABLE, None, LOSSLESS, self.profile_name(p), headroom_by_device=True
            )
            return group, {"": why}
        row = self.numbers[p.name].base_row
        if row is None:
            raise CannotExpress(
                f"{self.s.device.name} {p.name}: no shipped table of {self.s.asic.title} tells xon, size and alpha of a "
                "lossless profile; use the hwsku of this switch as its model, or render with --form golden"
            )
        headroom = self.headroom[p.name]
        reserved, size_origin = _reserved(row, headroom)
        shipped = {k: _from_row(row, k) for k in ("xon", "xon_offset", "threshold")}
        group = PriorityGroup(
            0,
            lossless=True,
            reserved=quantity(reserved, Unit.BYTES),
            headroom=in_bytes(headroom),
            threshold=alpha(int(row.threshold)),
            xon=quantity(row.xon, Unit.BYTES),
            xon_offset=None if row.xon_offset is None else quantity(row.xon_offset, Unit.BYTES),
            pool=LOSSLESS,
            profile=self.profile_name(p),
        )
        origins: dict[str, Origin] = {".headroom": headroom.origin, ".reserved": size_origin}
        origins |= {f".{k}": o for k, o in shipped.items() if k != "xon_offset" or row.xon_offset is not None}
        return group, origins

    def _dynamic_group(self) -> tuple[PriorityGroup, dict[str, Origin]]:
        one = Alpha(quantity(1, Unit.ALPHA))
        source = "sonic-buildimage@086b03b files/build_templates/buffers_config.j2: default_dynamic_th 0"
        why = Derived(
            "alpha = 2^0", (term("exponent", 0, "default of the dynamic model", source, unit=""),), "table", (source,)
        )
        device: Origin = as_intended("the dynamic buffer model computes it from speed, cable, MTU and packet mix")
        group = PriorityGroup(0, True, BY_DEVICE, BY_DEVICE, one, BY_DEVICE, None, LOSSLESS, None, headroom_by_device=True)
        return group, {".threshold": why, ".headroom": device}

    def _point(self, p: PlannedPort, c: TrafficClass) -> XoffPoint | Unknown:
        """XOFF of the class's group; in the dynamic model with the pool sizes that the vendor ships for the other model."""
        if not c.lossless:
            return Unknown("the class is not lossless: nothing pauses it")
        group = self.groups[p.name][0]
        if isinstance(group.reserved, Unknown):
            threshold = alpha(int(row.threshold)) if (row := self._any_row(p)) is not None else group.threshold
            group = replace(group, reserved=None, threshold=threshold)
        return xoff_point(group, self.pools.shipped, self.s.asic)

    def _any_row(self, p: PlannedPort) -> ShippedRow | None:
        return base_row(self.s.platform, self.s.asic, p.speed, p.cable_m)

    # --- ports --------------------------------------------------------------------------------------------------------

    def build(self, intern: Interner) -> dict[str, Port]:
        """All ports; equal bodies are one object."""
        made: dict[tuple[object, ...], tuple[PortQos, Origins]] = {}
        owns: dict[object, Origins] = {}
        out: dict[str, Port] = {}
        for p in self.ports:
            marks = tuple(sorted((n, id(t)) for n, t in self.marks[p.name].items()))
            group = self.groups.get(p.name)
            key = (p.carries, p.speed, p.cable_m, None if group is None else group[0], marks, marks_by_pcp(self.s, p))
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
        own = {c.priority for c in lossless}
        origins["tc_to_group"] = as_intended("a lossless class has the group of its number, all others share group 0")
        qos = PortQos(
            classify=classify(s, p, origins),
            tc_to_queue=body.identity(s, "tc_to_queue", origins),
            tc_to_group=FrozenMap({n: n if n in own else 0 for n in range(8)}),
            pfc=pfc(lossless, origins),
            groups=FrozenMap(self._groups(p, lossless, origins)),
            queues=FrozenMap(self._buffers(queues, own, origins)),
            watchdog=body.watchdog(s, lossless, self.times, Unit.MILLISECONDS, origins),
        )
        return qos, Origins(origins | more)

    def _groups(
        self, p: PlannedPort, lossless: tuple[TrafficClass, ...], origins: dict[str, Origin]
    ) -> dict[int, PriorityGroup]:
        out: dict[int, PriorityGroup] = {}
        lossy = self.pools.profile("ingress_lossy_profile")
        if 0 not in {c.priority for c in lossless}:
            out[0] = PriorityGroup(
                0,
                lossless=False,
                reserved=_size(lossy),
                threshold=_threshold(lossy),
                pool=_pool(lossy),
                profile=lossy.name,
            )
            origins["group.0"] = self.pools.origin(lossy.name)
        for c in lossless:
            group, parts = self.groups[p.name]
            out[c.priority] = replace(group, id=c.priority)
            origins[f"group.{c.priority}"] = as_intended(f"class {c.name} is lossless", c.at)
            origins |= {f"group.{c.priority}{k}": o for k, o in parts.items() if k}
        return out

    def _buffers(self, queues: dict[QueueId, Queue], own: set[int], origins: dict[str, Origin]) -> dict[QueueId, Queue]:
        """Bind each class's queue to the shipped egress profile. A control queue 7 is left unbound, as shipped templates do."""
        out = dict(queues)
        for c in self.s.plan.classes:
            qid = QueueId(QueueKind.UNICAST, c.priority)
            if c.kind is ClassKind.CONTROL and c.priority == 7:
                continue
            profile = self.pools.egress(lossless=c.priority in own)
            out[qid] = replace(
                out[qid],
                limit=_threshold(profile),
                reserved=_size(profile),
                pool=_pool(profile),
                profile=profile.name,
            )
            for part in ("limit", "reserved", "pool", "profile"):
                origins[f"queue.{qid}.{part}"] = self.pools.origin(profile.name)
        return out

    # --- the device ---------------------------------------------------------------------------------------------------

    def profiles(self, ports: dict[str, Port]) -> FrozenMap[str, BufferProfile]:
        """Shipped profiles in use, and the lossless ones by speed and cable."""
        out = self.pools.used_profiles()
        for p in ports.values():
            for g in p.qos.groups.values():
                if g.lossless is True and g.profile and not g.headroom_by_device and g.profile not in out:
                    out[g.profile] = BufferProfile(
                        g.profile, LOSSLESS, Direction.INGRESS, FrozenMap(_row(g)), frozenset({BufferUse.GROUP}), Origins()
                    )
        return FrozenMap(out)

    def lossless_mtu(self) -> int | None:
        """LOSSLESS_TRAFFIC_PATTERN.mtu: the whole RoCE frame; only the dynamic model has it."""
        if not self.dynamic:
            return None
        return frame_of_roce(self.s.device.roce_mtu)

    def facts(self) -> FrozenMap[str, Named]:
        """What the renderer needs beside the ports."""
        out = {"buffer_model": Named("dynamic" if self.dynamic else "traditional", "derived")}
        if self.dynamic:
            out["small_packet_percentage"] = Named(str(small_packets(self.s.device.preset)), f"preset {self.s.device.preset}")
        return FrozenMap(out)

    def all_pools(self) -> tuple[Pool, ...]:
        return self.pools.pools


def profile_name(p: PlannedPort) -> str:
    """The name that the buffer manager gives to the lossless profile of a speed and cable."""
    return f"pg_lossless_{p.speed}_{p.cable_m}m_profile"


def alpha(exponent: int) -> Alpha:
    """alpha = 2^exponent."""
    return Alpha(Quantity(Fraction(2) ** exponent, Unit.ALPHA))


def _reserved(row: ShippedRow, headroom: Number) -> tuple[int, Derived]:
    """`size`: on chips whose tables hold the headroom in it, xon + xoff; else the shipped minimum guarantee."""
    why = term(
        "shipped row",
        row.size,
        f"{row.speed / 1000:g}G, {row.cable_m} m: size {row.size}, xon {row.xon}, xoff {row.xoff}",
        row.source,
    )
    if row.size == row.xon + row.xoff:
        value = row.xon + headroom.value
        more = term("headroom", headroom.value, "private to the group", "derived", Evidence.COMPUTED)
        return value, Derived("xon + headroom, as the shipped rows have it", (why, more), "table", (row.source,))
    return row.size, Derived("shipped minimum of the group", (why,), "table", (row.source,))


def _from_row(row: ShippedRow, field: str) -> Derived:
    value = getattr(row, field)
    where = f"table {row.table}: {row.speed / 1000:g}G, {row.cable_m} m"
    name, unit = ("exponent of alpha", "") if field == "threshold" else (field, "B")
    return Derived(f"shipped {field}", (term(name, value, where, row.source, unit=unit),), "table", (row.source,))


def _row(g: PriorityGroup) -> dict[str, str]:
    """The profile's fields as config_db has them."""
    out = {"pool": str(g.pool)}
    for name, value in (("size", g.reserved), ("xon", g.xon), ("xoff", g.headroom), ("xon_offset", g.xon_offset)):
        if isinstance(value, Quantity):
            out[name] = value.plain
    t = g.threshold
    if isinstance(t, Alpha):
        a = t.alpha.amount
        exponent = a.numerator.bit_length() - 1 if a >= 1 else 1 - a.denominator.bit_length()
        out["dynamic_th"] = str(exponent)
    return out


def _size(p: BufferProfile) -> Quantity:
    return quantity(p.values["size"], Unit.BYTES)


def _pool(p: BufferProfile) -> str | None:
    return p.pool if isinstance(p.pool, str) else None


def _threshold(p: BufferProfile) -> Threshold | None:
    if "dynamic_th" in p.values:
        return alpha(int(p.values["dynamic_th"]))
    return Static(quantity(p.values["static_th"], Unit.BYTES)) if "static_th" in p.values else None
