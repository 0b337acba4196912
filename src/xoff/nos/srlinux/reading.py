"""Nokia SR Linux: from a configuration to the model. Facts and sources: templates/srlinux/README.md."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, Derived, Line, Origin, Origins
from xoff.model.qos import PortQos
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.model.switch import (
    Bundle,
    Definition,
    Direction,
    Form,
    Interner,
    Named,
    Pool,
    PoolKind,
    PoolMode,
    Port,
    PortKind,
    Reference,
    RemarkKind,
    SwitchModel,
)
from xoff.nos import chip, facts, registry
from xoff.nos.facts import Facts
from xoff.nos.numbers import whole
from xoff.nos.portlines import PortLines
from xoff.nos.reader import Block, Reader, Reading
from xoff.nos.registry import Nos
from xoff.nos.settings import Setting
from xoff.nos.source import Source
from xoff.nos.srlinux import family, words
from xoff.nos.srlinux.bound import Blocks, Bound, bind
from xoff.nos.srlinux.objects import BAD, ObjectReader
from xoff.nos.srlinux.ports import PortBuilder

#: Setting of a port -> (kind of the object it names, what the object fills).
_USES = {
    "pfc.profile": ("pfc-mapping-profile", ("pfc", "watchdog")),
    "in.buffer": ("buffer-allocation-profile", ("group",)),
    "out.buffer": ("buffer-allocation-profile", ("queue",)),
    "scheduler": ("scheduler-policy", ("queue",)),
}
_NO_ADMIN = {"enable": True, "disable": False}


def parse(sources: Sequence[Source], nos: Nos, given: Facts = facts.NONE) -> list[SwitchModel]:
    """One model per configuration. Raises InputError for JSON that is cut off; what is not understood becomes remarks."""
    reader = _reader(nos.name) if nos is registry.load(nos.name) else Reader(nos, _names)
    return [_Device(reader.read(source), nos, given).model() for source in sources]


@functools.cache
def _reader(name: str) -> Reader:
    return Reader(registry.load(name), _names)


def _names(path: str, found: Sequence[str]) -> tuple[str, ...] | None:
    return (found[0],) if path == "interface *" and found else None


class _Device:
    """One configuration on its way to a model."""

    def __init__(self, reading: Reading, nos: Nos, given: Facts) -> None:
        self.reading, self.nos = reading, nos
        self._file = reading.source.path
        self._system = self._of_system()
        said = self._system.get("hostname")
        self.hostname: str = words.plain(said.value) if said else PurePath(self._file).stem
        self.facts: dict[str, Named] = given.about(self.hostname, self._file)
        self.objects = ObjectReader(reading).read()
        self._interfaces = {b.name: b for b in reading.root.below("interface")}
        self.whole = bool(self._interfaces)
        model = self.facts.get("model")
        self.family = family.of(model.value if model else None, self.objects)
        self._builder = PortBuilder(nos, self.objects, self.family, self.whole)
        self._intern = Interner()
        self._bodies: dict[object, tuple[PortQos, Origins]] = {}
        self._owns: dict[Origins, Origins] = {}
        self._uses: dict[tuple[str, str, str], tuple[Line, list[str], tuple[str, ...]]] = {}

    def _of_system(self) -> dict[str, Setting]:
        out: dict[str, Setting] = {}
        for block in self.reading.root.below("system"):
            for said in block.body.said:
                (text,) = said.values.values()
                out[said.group] = Setting(text, self.reading.line(block, said))
        return out

    def model(self) -> SwitchModel:
        ports = {name: self._port(name, blocks) for name, blocks in self._blocks().items()}
        members: dict[str, list[str]] = {n: [] for n, p in ports.items() if p.kind is PortKind.BUNDLE}
        for p in ports.values():
            if p.bundle is not None:
                members.setdefault(p.bundle, []).append(p.name)
        asic, architecture, platform = chip.of_facts(self.facts)
        release, role = self.facts.get("release"), self.facts.get("role")
        origins: dict[str, Origin] = {}
        if "hostname" in self._system:
            origins["hostname"] = self._system["hostname"].origin
        return SwitchModel(
            hostname=self.hostname,
            nos=self.nos.name,
            ports=FrozenMap(ports),
            form=Form.RUNNING if self.whole else Form.FRAGMENT,
            role=role.value if role else None,
            release=release.value if release else Unknown("release not stated", Fact.RELEASE),
            platform=platform,
            asic=asic,
            architecture=architecture,
            bundles=FrozenMap((n, Bundle(n, tuple(m), ports[n].at if n in ports else None)) for n, m in members.items()),
            pools=self._pools(),
            kilo=self.nos.kilo,
            definitions=self._definitions(),
            references=self._references(),
            remarks=tuple(self.reading.remarks.result()),
            facts=FrozenMap(self.facts),
            structure=tuple(s.text for s in self.nos.structure if s.key != "per-priority" or self._per_priority()),
            other_lines=self.reading.other,
            files=(self._file,),
            origins=Origins(origins),
        )

    def _per_priority(self) -> bool:
        return any(True for p in self.objects.pfc.values() for _ in p.of("pfc-priority"))

    # --- ports ---

    def _blocks(self) -> dict[str, Blocks]:
        out = {name: Blocks(block) for name, block in self._interfaces.items()}
        for qos in self.reading.root.below("qos"):
            for group in qos.below("interfaces"):
                for block in group.below("interface"):
                    name, sub = _referred(block)
                    into = out.setdefault(name, Blocks())
                    if sub is None:
                        into.qos.append(block)
                    else:
                        into.subs.append((sub, block))
        return out

    def _port(self, name: str, blocks: Blocks) -> Port:
        bound = bind(name, blocks)
        key = bound.shape
        body = self._bodies.get(key)
        if body is None:
            body = self._bodies[key] = self._intern(*self._builder.build(bound))
        self._use(bound)
        head = blocks.interface or (blocks.qos or [b for _, b in blocks.subs])[0]
        bundle = bound.value("bundle")
        kind = PortKind.MEMBER if bundle else words.kind_of(name)
        if kind is PortKind.FRONT and "breakout" in bound.said:
            kind = PortKind.INTERNAL  # the connector; its ports stand for it
        identity = blocks.interface.identity if blocks.interface is not None else {}
        front = kind in (PortKind.FRONT, PortKind.BREAKOUT, PortKind.MEMBER)
        speed = self._checked(bound, "speed", words.speed, "a speed such as 400G", blocks)
        if speed is None and front:
            speed = self._fact("speed", facts.speed_mbps)
        mtu = self._checked(bound, "mtu", lambda t: whole(t, 1450, 9500), "1450 to 9500", blocks)
        own = self._own(bound, identity)
        if mtu is None and "mtu" not in bound.said and kind in (PortKind.FRONT, PortKind.BREAKOUT, PortKind.BUNDLE):
            mtu = self._default_mtu(own)
        admin = _NO_ADMIN.get(bound.value("admin", "enable"))
        return Port(
            name,
            kind,
            body[0],
            speed,
            mtu,
            BAD if admin is None else admin,
            _routed(bound),
            bundle=bundle,
            breakout_parent=name.rpartition("/")[0] if kind is PortKind.BREAKOUT else None,
            cable_m=self._fact("cable", facts.metres) if front else None,
            description=words.plain(identity["description"][-1][0]) if "description" in identity else None,
            addresses=tuple(_addresses(blocks.interface)),
            at=self.reading.at(head.line),
            origins=body[1],
            own=self._shared(own),
            lines=PortLines(self._file, bound.lines, {k: v[-1][1] for k, v in identity.items()}),
        )

    def _checked(self, bound: Bound, name: str, read: Callable[[str], int | None], expected: str, blocks: Blocks) -> Any:
        said = bound.said.get(name)
        if said is None:
            return None
        value = read(said.value)
        if value is None and isinstance(said.origin, BodyLine) and isinstance(said.origin.key, int):
            at = self.reading.at(bound.lines[said.origin.key])
            message = f"{said.value} is no {name} that SR Linux has"
            self.reading.remarks.add(
                RemarkKind.INVALID, said.origin.path, said.origin.text, at, message, expected, (bound.name,)
            )
        return BAD if value is None else value

    def _default_mtu(self, own: dict[str, Origin]) -> int | Unknown | None:
        said = self._system.get("default_mtu")
        if said is not None:
            own["mtu"] = said.origin
            return whole(said.value, 1500, 9500) or BAD
        entry = self.nos.default("mtu")
        if entry is None or not self.whole:
            return None
        own["mtu"] = entry.origin("no mtu at the interface, no default-port-mtu")
        return int(entry.value)

    def _own(self, bound: Bound, identity: dict[str, list[tuple[str, int, str]]]) -> dict[str, Origin]:
        out: dict[str, Origin] = {}
        for name in ("speed", "mtu", "admin", "bundle"):
            where = bound.origin(name)
            if where is not None:
                out[name] = where
        for name in identity:
            out[name] = BodyLine(("interface *",), identity[name][-1][2], name)
        for fact, label in (("speed", "speed"), ("cable", "cable_m")):
            if fact in self.facts:
                known = self.facts[fact]
                out.setdefault(label, Derived(f"given: {known.value}", sources=(known.origin,), intent_at=known.at))
        return out

    def _shared(self, own: dict[str, Origin]) -> Origins:
        """One object for equal origins."""
        found = Origins(own)
        return self._owns.setdefault(found, found)

    def _fact(self, name: str, read: Callable[[str], int | None]) -> int | None:
        named = self.facts.get(name)
        return read(named.value) if named else None

    # --- objects and their use ---

    def _use(self, bound: Bound) -> None:
        found = [(kind, setting, fills) for name, (kind, fills) in _USES.items() if (setting := bound.said.get(name))]
        for sub in bound.subs.values():
            for name in ("dscp", "dscp4", "dscp6"):
                if name in sub.said:
                    found.append(("dscp-policy", sub.said[name], ("classify",)))
            if "pcp" in sub.said:
                found.append(("dot1p-policy", sub.said["pcp"], ("classify",)))
            if "rewrite" in sub.said:
                found.append(("rewrite dscp-policy", sub.said["rewrite"], ()))
        for curve, _ in bound.queues.values():
            if curve is not None:
                found.append(("queue-management-profile", curve, ("queue",)))
        for kind, setting, fills in found:
            origin = setting.origin
            if not isinstance(origin, BodyLine) or not isinstance(origin.key, int):
                continue
            key = (kind, setting.value, origin.text)
            if key not in self._uses:
                self._uses[key] = (Line(origin.path, origin.text, self.reading.at(bound.lines[origin.key])), [], fills)
            self._uses[key][1].append(bound.name)

    def _tables(self) -> dict[str, dict[str, Any]]:
        o = self.objects
        return {
            "pfc-mapping-profile": o.pfc,
            "buffer-allocation-profile": o.buffers,
            "queue-management-profile": o.curves,
            "scheduler-policy": o.schedulers,
            "dscp-policy": o.dscp,
            "dot1p-policy": o.pcp,
            "rewrite dscp-policy": o.rewrite,
        }

    def _definitions(self) -> tuple[Definition, ...]:
        out = []
        for kind, table in self._tables().items():
            for name, made in table.items():
                lossless = (kind == "pfc-mapping-profile" and any(True for _ in made.of("send"))) or (
                    kind == "buffer-allocation-profile" and any(True for _ in made.of("pfc-queue"))
                )
                marks = any(key.endswith(" true") for key, _ in made.of("slope"))
                out.append(Definition(kind, name, made.at, lossless=lossless, marks=marks))
        return tuple(sorted(out, key=lambda d: d.at.at.line))

    def _references(self) -> tuple[Reference, ...]:
        tables = self._tables()
        out = []
        for (kind, name, _), (line, ports, fills) in self._uses.items():
            there = name in tables[kind] or name == "default"
            out.append(
                Reference(kind, name, line, there or (None if not self.whole else False), ports=tuple(ports), fills=fills)
            )
        return tuple(sorted(out, key=lambda r: r.origin.at.line))

    def _pools(self) -> tuple[Pool, ...]:
        """What each forwarding complex keeps for frames behind a pause."""
        out = []
        for (slot, number), entry in self.objects.reservations.items():
            size = entry.value("reservation")
            if size is not None:
                origins = Origins({"": entry.at, "size": entry.line("reservation")})
                name = f"pfc-buffer-reservation {slot}/{number}"
                out.append(Pool(name, Direction.INGRESS, PoolKind.HEADROOM, PoolMode.STATIC, size, origins=origins))
        default = self.nos.default("device.pools", family="xgs" if self.family is family.Family.XGS else None)
        if not out and default is not None and self.whole and self.objects.pfc:
            where = Origins({"size": default.origin("no pfc-buffer-reservation")})
            size = Quantity(default.value, Unit.PERCENT_OF_POOL)
            out.append(
                Pool("pfc-buffer-reservation", Direction.INGRESS, PoolKind.HEADROOM, PoolMode.STATIC, size, origins=where)
            )
        return tuple(out)


def _referred(block: Block) -> tuple[str, str | None]:
    """(interface, sub-interface) that an entry of /qos/interfaces is for; its own name where no reference stands."""
    name: str | None = None
    sub: str | None = None
    for ref in block.below("interface-ref"):
        for said in ref.body.said:
            name = said.values.get("interface", name)
            sub = said.values.get("subinterface", sub)
    if name is not None:
        return name, sub
    base, dot, index = block.name.rpartition(".")
    return (base, index) if dot else (block.name, None)


def _routed(bound: Bound) -> bool | Unknown | None:
    """Routed or bridged, where the sub-interfaces say so and agree."""
    types = {str(s.value("type")).rpartition(":")[2] for s in bound.subs.values() if s.value("type") is not None}
    if types == {"bridged"}:
        return False
    if types == {"routed"}:
        return True
    return Unknown("some sub-interfaces are bridged, others routed") if len(types) > 1 else None


def _addresses(block: Block | None) -> list[str]:
    if block is None:
        return []
    found = [a for sub in block.below("subinterface") for f in sub.below("ipv4", "ipv6") for a in f.below("address")]
    return [a.name for a in found]
