"""Enterprise SONiC: SONiC's own profiles and maps, said by its CLI.

Lossless buffer mode is one line for the switch: it makes groups and queues 3 and 4 lossless on every port and takes headroom
from the device's own table by speed and cable length. Ports that carry a lossless class get a profile of their own with the
calculated headroom instead, where the chip's resume point and alpha are sourced; `options: {headroom: device}` leaves it to the
device. Cable lengths are 5, 40 and 300 m, so each cable counts as the next longer one.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from xoff.derive import body
from xoff.derive.device import switch_model
from xoff.derive.headroom import base_row
from xoff.derive.notes import Derivation
from xoff.derive.setting import Setting, as_intended, classify, pfc
from xoff.derive.sonic import Sonic
from xoff.derive.sonic_pools import Pools
from xoff.errors import CannotExpress
from xoff.fabric.planned import PlannedPort, TrafficClass
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Origin, Origins
from xoff.model.qos import Colour, Curve, PortQos, PriorityGroup, Queue, QueueId, QueueKind
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.switch import BufferProfile, Interner, Pool, PoolKind, Port
from xoff.nos.enterprise_sonic import words
from xoff.nos.enterprise_sonic.ports import BY_DEVICE
from xoff.nos.sonic.maps import empty_queue
from xoff.platforms import ShippedBuffers
from xoff.sizing.ecn import EcnThresholds
from xoff.sizing.number import Number
from xoff.sizing.thresholds import XoffPoint

#: Groups and queues that lossless mode makes lossless, and the group of everything else (HLD 2.2.2.5, 2.2.2.7, 2.2.2.8).
LOSSLESS_GROUPS = (3, 4)
LOSSY_GROUP = 7
KB = 1000
HEADROOM = ("device", "explicit")


def build(s: Setting) -> Derivation:
    """The door: one switch. Raises CannotExpress, naming device, port and field."""
    s = _with_cables(s)
    sonic = EnterpriseSonic(s)
    ports = sonic.build(Interner())
    model = switch_model(s, ports, pools=sonic.all_pools(), profiles=sonic.profiles(ports))
    return Derivation(model, tuple(s.notes), sonic.numbers, s.asic, s.platform)


def _with_cables(s: Setting) -> Setting:
    """The switch with each cable as long as the CLI can say it: the next longer of 5, 40 and 300 m."""
    ports: dict[str, PlannedPort] = {}
    for name, p in s.device.ports.items():
        length = next((c for c in words.CABLES if c >= p.cable_m), None)
        if length is None:
            raise CannotExpress(
                f"{s.device.name} {name}: cable of {p.cable_m} m; cable-length takes at most {words.CABLES[-1]} m"
            )
        if length != p.cable_m:
            s.note(
                "cable length", f"cable-length takes 5m, 40m and 300m: {p.cable_m} m is said as {length} m, headroom follows it"
            )
        ports[name] = p if length == p.cable_m else replace(p, cable_m=length)
    return replace(s, device=replace(s.device, ports=FrozenMap(ports)))


class EnterpriseSonic(Sonic):
    """Derives the parts of an Enterprise SONiC switch. `lossless_mode`: whether some port carries a lossless class."""

    def __init__(self, s: Setting) -> None:
        self.lossless_mode = any(s.lossless(p) for p in s.device.ports.values())
        self._check(s)
        super().__init__(s)
        made: dict[int, EcnThresholds] = {}
        for port, found in self.marks.items():
            for name, t in found.items():
                if id(t) not in made:
                    made[id(t)] = self._in_kilobytes(t, name, port)
                self.marks[port][name] = made[id(t)]

    @staticmethod
    def _check(s: Setting) -> None:
        for p in s.device.ports.values():
            for c in s.lossless(p):
                if c.priority not in LOSSLESS_GROUPS:
                    raise CannotExpress(
                        f"{s.device.name} {p.name}: class {c.name} is lossless under priority {c.priority}; lossless mode of "
                        "Enterprise SONiC has priorities 3 and 4 (SONiC RoCEv2 HLD 2.2.2.7). Give the class one of them"
                    )

    def _model(self) -> str:
        return "traditional"

    def _left_to_device(self) -> bool:
        """The intent's option, else explicit where the chip's profile is sourced."""
        s = self.s
        wish = s.device.options.get("headroom")
        if wish is not None and wish not in HEADROOM:
            raise CannotExpress(f"{s.device.name}: option headroom is {wish!r}; there are {' and '.join(HEADROOM)}")
        lacking = self._lacking()
        if wish == "device" or not self.lossless_mode:
            return True
        if lacking is None:
            return False
        if wish == "explicit":
            raise CannotExpress(f"{s.device.name}: no buffer profile of its own: {lacking}; leave it to the device")
        s.note("headroom", f"left to the device, by its own table of speed and cable length: {lacking}")
        return True

    def _lacking(self) -> str | None:
        """Why no profile of our own can be written, in words."""
        s = self.s
        if _own_pools(s) is None and (s.platform is None or s.platform.buffers(s.leaf) is None):
            return f"no shipped buffer pools are sourced for {s.device.model}"
        for p in s.device.ports.values():
            if not s.lossless(p):
                continue
            row = base_row(s.platform, s.asic, p.speed, p.cable_m)
            if row is None:
                return f"no shipped table of {s.asic.title} tells resume point, size and alpha of a lossless profile"
            if not words.ALPHA_LOW <= int(row.threshold) <= words.ALPHA_HIGH:
                return f"the shipped alpha 2^{row.threshold} is none that dynamic-threshold takes (-6 to 3)"
        return None

    # --- headroom -----------------------------------------------------------------------------------------------------

    def profile_name(self, p: PlannedPort) -> str:
        """A name of its own: the device keeps `pg_lossless_<speed>_<cable>_profile` for itself."""
        return f"xoff_{p.speed}_{p.cable_m}m"

    def _size(self) -> None:
        super()._size()
        for name, n in self.headroom.items():
            self.headroom[name] = self._in_range(n, name)

    def _in_range(self, n: Number, port: str) -> Number:
        if n.value > words.PAUSE_HIGH:
            raise CannotExpress(
                f"{self.s.device.name} {port}: headroom of {n.value} B; pause-threshold takes at most {words.PAUSE_HIGH}"
            )
        return n.rounded(max(n.value, words.PAUSE_LOW), f"pause-threshold takes {words.PAUSE_LOW} and more")

    def _lossless_group(self, p: PlannedPort) -> tuple[PriorityGroup, dict[str, Origin]]:
        if self.by_device:
            return self._device_group(p), {"": self._mode()}
        group, origins = super()._lossless_group(p)
        if isinstance(group.xon, Quantity) and not group.xon.amount:
            del origins[".xon"]
            group = replace(group, xon=None)  # a resume point of 0 is none: the offset alone decides
        return group, origins

    @staticmethod
    def _device_group(p: PlannedPort) -> PriorityGroup:
        group = PriorityGroup(0, True, BY_DEVICE, BY_DEVICE, BY_DEVICE, BY_DEVICE, None, "ingress_lossless_pool")
        return replace(group, headroom_by_device=True, headroom_for_m=p.cable_m)

    @staticmethod
    def _mode() -> Origin:
        return as_intended("lossless buffer mode: the device's own profile for the speed and cable length")

    def _make_pools(self) -> None:
        if not self.by_device:
            self.pools = DevicePools(self.s, False, self._claims())

    def _point(self, p: PlannedPort, c: TrafficClass) -> XoffPoint | Unknown:
        if self.by_device:
            return BY_DEVICE if c.lossless else Unknown("the class is not lossless: nothing pauses it")
        return super()._point(p, c)

    # --- ports --------------------------------------------------------------------------------------------------------

    def _in_kilobytes(self, t: EcnThresholds, name: str, port: str) -> EcnThresholds:
        """Marking thresholds in whole KB of 1,000 bytes, within what the CLI takes."""
        highest = words.WRED_HIGH * KB
        wish = next(c for c in self.s.plan.classes if c.name == name).ecn_wish
        for what, n, wished in (("kmin", t.kmin, wish.kmin), ("kmax", t.kmax, wish.kmax)):
            if n.value < KB or (n.value > highest and (wished is not None or what == "kmin")):
                raise CannotExpress(
                    f"{self.s.device.name} {port}: class {name}: {what} of {n.value} B; a WRED policy takes 1 to "
                    f"{words.WRED_HIGH} KB; change the class's ecn"
                )
        low, high = t.kmin, t.kmax
        if high.value > highest:
            self.s.note(
                "maximum-threshold", f"{high.value} B by calculation, {words.WRED_HIGH} KB is the largest that is taken"
            )
            high = high.rounded(highest, f"a WRED policy takes at most {words.WRED_HIGH} KB")
        low, high = (n.rounded(n.value // KB * KB, "down to whole KB of 1,000 bytes") for n in (low, high))
        return replace(t, kmin=low, kmax=high)

    def _body(self, p: PlannedPort) -> tuple[PortQos, Origins]:
        s = self.s
        origins: dict[str, Origin] = {}
        lossless = s.lossless(p)
        queues, more = body.queues(s, p.carries, self.marks[p.name], Unit.WEIGHT, (Colour.GREEN,), QueueKind.UNICAST)
        own = {c.priority for c in lossless}
        origins["tc_to_group"] = as_intended("a lossless class has the group of its number, all others share group 7")
        qos = PortQos(
            classify=classify(s, p, origins),
            tc_to_queue=body.identity(s, "tc_to_queue", origins),
            tc_to_group=FrozenMap({n: n if n in own else LOSSY_GROUP for n in range(8)}),
            pfc=pfc(lossless, origins),
            groups=FrozenMap(self._groups(p, lossless, origins)),
            queues=FrozenMap(self._queues(queues, origins)),
            watchdog=body.watchdog(s, lossless, self.times, Unit.MILLISECONDS, origins),
        )
        return qos, Origins(origins | more)

    def _groups(
        self, p: PlannedPort, lossless: tuple[TrafficClass, ...], origins: dict[str, Origin]
    ) -> dict[int, PriorityGroup]:
        """Lossless mode gives every port groups 3 and 4; those of the port's classes have a profile of their own."""
        if not self.lossless_mode:
            return {}
        out: dict[int, PriorityGroup] = {}
        for n in LOSSLESS_GROUPS:
            out[n] = replace(self._device_group(p), id=n)
            origins[f"group.{n}"] = self._mode()
        for c in lossless:
            group, parts = self.groups[p.name]
            out[c.priority] = replace(group, id=c.priority)
            origins[f"group.{c.priority}"] = as_intended(f"class {c.name} is lossless", c.at)
            origins |= {f"group.{c.priority}{k}": o for k, o in parts.items() if k}
        out[LOSSY_GROUP] = PriorityGroup(LOSSY_GROUP, lossless=False, pool="ingress_lossless_pool")
        origins[f"group.{LOSSY_GROUP}"] = self._mode()
        return out

    def _queues(self, queues: dict[QueueId, Queue], origins: dict[str, Origin]) -> dict[QueueId, Queue]:
        out = {qid: replace(q, curves=FrozenMap({c: _kilobytes(r) for c, r in q.curves.items()})) for qid, q in queues.items()}
        for n in LOSSLESS_GROUPS if self.lossless_mode else ():
            qid = QueueId(QueueKind.UNICAST, n)
            out[qid] = replace(out.get(qid) or empty_queue(qid), lossless=True)
            origins[f"queue.{qid}.lossless"] = self._mode()
        return dict(sorted(out.items(), key=lambda item: item[0].id))

    # --- the device ---------------------------------------------------------------------------------------------------

    def profiles(self, ports: dict[str, Port]) -> FrozenMap[str, BufferProfile]:
        """The profiles of our own; the shipped ones stand in no line."""
        if self.by_device:
            return FrozenMap({})
        own = {self.profile_name(p) for p in self.ports}
        return FrozenMap({name: profile for name, profile in super().profiles(ports).items() if name in own})

    def all_pools(self) -> tuple[Pool, ...]:
        """The shared headroom, the one size that the CLI takes."""
        return () if self.by_device else tuple(p for p in self.pools.pools if p.kind is PoolKind.HEADROOM)


class DevicePools(Pools):
    """Pools by Enterprise SONiC's own sizes of the chip where those are sourced, else by those shipped with SONiC."""

    def _find(self) -> ShippedBuffers:
        own = _own_pools(self.s)
        if own is not None:
            return own
        self.s.note(
            "shared headroom",
            f"unverified: by the pool sizes that SONiC ships for {self.s.device.model}; Enterprise SONiC's own are not sourced",
        )
        return super()._find()


def _own_pools(s: Setting) -> ShippedBuffers | None:
    entry = s.nos.default("device.pools", asic=s.asic.name)
    if entry is None:
        return None
    pools, profiles = (FrozenMap({n: FrozenMap(row) for n, row in entry.value[k].items()}) for k in ("pools", "profiles"))
    return ShippedBuffers(s.asic.name, pools, profiles, entry.source)


def _kilobytes(ramp: Curve) -> Curve:
    """The ramp in the CLI's KB; its bytes are whole KB already."""
    return replace(ramp, kmin=_in_kb(ramp.kmin), kmax=_in_kb(ramp.kmax))


def _in_kb(q: Quantity | Unknown | None) -> Quantity | Unknown | None:
    return Quantity(Fraction(q.amount, KB), Unit.KB) if isinstance(q, Quantity) else q
