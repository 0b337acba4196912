"""Enterprise SONiC: from a running configuration to the model. Facts and sources: templates/enterprise_sonic/README.md."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, Default, Derived, Line, Origin, Origins
from xoff.model.qos import PortQos
from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import (
    BufferProfile,
    BufferUse,
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
    Remark,
    RemarkKind,
    Routing,
    SwitchModel,
)
from xoff.nos import chip, facts, registry
from xoff.nos.enterprise_sonic import names
from xoff.nos.enterprise_sonic.flat import indented
from xoff.nos.enterprise_sonic.globals import LOSSLESS, GlobalReader, Globals
from xoff.nos.enterprise_sonic.mode import PART, Mode, mode_of
from xoff.nos.enterprise_sonic.ports import PortBuilder
from xoff.nos.enterprise_sonic.statements import of_interface
from xoff.nos.facts import Facts, from_comments
from xoff.nos.portlines import PortLines
from xoff.nos.reader import Block, Reader, Reading
from xoff.nos.registry import Nos
from xoff.nos.settings import Settings
from xoff.nos.sonic.typed_tables import headroom_pool_name
from xoff.nos.source import Source

MAP, WRED, POLICY, PROFILE = "qos map", "qos wred-policy", "qos scheduler-policy", "buffer profile"
#: Settings of a port that name an object, by the object's kind, and the field paths that it fills.
_USES = {
    "map.dscp-tc": (f"{MAP} dscp-tc", ("classify",)),
    "map.dot1p-tc": (f"{MAP} dot1p-tc", ("classify",)),
    "map.tc-queue": (f"{MAP} tc-queue", ("tc_to_queue",)),
    "map.tc-pg": (f"{MAP} tc-pg", ("tc_to_group",)),
    "map.tc-dscp": (f"{MAP} tc-dscp", ("rewrite",)),
    "map.tc-dot1p": (f"{MAP} tc-dot1p", ("rewrite",)),
    "map.pfc-priority-queue": (f"{MAP} pfc-priority-queue", ("pfc",)),
    "map.pfc-priority-pg": (f"{MAP} pfc-priority-pg", ("pfc",)),
    "scheduler": (POLICY, ("queue",)),
} | {f"wred.{n}": (WRED, ("queue",)) for n in range(8)}
_USES |= {f"buffer.group.{n}": (PROFILE, ("group",)) for n in range(8)}
_USES |= {f"buffer.queue.{n}": (PROFILE, ("queue",)) for n in range(20)}
_OWN = {"speed": "speed", "mtu": "mtu", "admin": "admin", "cable": "cable_m", "switched": "routed"}
_CARRY = (PortKind.FRONT, PortKind.BREAKOUT, PortKind.MEMBER)
ADMIN = Unknown("neither `shutdown` nor `no shutdown` is said, and which of them is printed is not confirmed", Fact.DEFAULT)


def parse(sources: Sequence[Source], nos: Nos, given: Facts = facts.NONE) -> list[SwitchModel]:
    """One model per configuration. Never raises for what a file says; what is not understood becomes remarks."""
    reader = _reader(nos.name) if nos is registry.load(nos.name) else Reader(nos, names.port_names)
    return [_Device(reader.read(Source(s.path, indented(s.text, reader))), nos, given).model() for s in sources]


@functools.cache
def _reader(name: str) -> Reader:
    return Reader(registry.load(name), names.port_names)


class _Device:
    """One configuration on its way to a model."""

    def __init__(self, reading: Reading, nos: Nos, given: Facts) -> None:
        self.reading = reading
        self.nos = nos
        self._file = reading.source.path
        self.shared: Globals = GlobalReader(reading).read()
        comments = from_comments(self._file, reading.comments)
        named = comments.pop("hostname", None)
        said = self.shared.settings.value("hostname")
        self.hostname: str = said or (named.value if named else None) or PurePath(self._file).stem
        self.facts: dict[str, Named] = given.about(self.hostname, self._file, comments)
        self.asic, self.architecture, self.platform = chip.of_facts(self.facts)
        self.blocks = {b.name: b for b in reading.root.below("interface")}
        self._shapes: dict[int, Settings] = {}
        release = self.facts.get("release")
        everything = [self._settings(b) for b in self.blocks.values()]
        whole = self.shared.whole or any(names.kind_of(n) is PortKind.MANAGEMENT for n in self.blocks)
        self.mode: Mode = mode_of(self.shared, everything, whole, release.value if release else None)
        self._builder = PortBuilder(nos, self.shared, self.mode)
        self._intern = Interner()
        self._bodies: dict[int, tuple[PortQos, Origins]] = {}
        self._owns: dict[object, Origins] = {}
        self._uses: dict[tuple[str, str, str], tuple[Line, list[str], tuple[str, ...]]] = {}

    def model(self) -> SwitchModel:
        bundles = self._members()
        in_bundle = {port: bundle for bundle, ports in bundles.items() for port in ports}
        sockets = names.parents(self.blocks)
        ports = {
            n: self._port(b, in_bundle.get(n), sockets.get(n)) for n, b in self.blocks.items() if not n.startswith("vxlan")
        }
        origins: dict[str, Origin] = {}
        where = self.shared.settings.origin("hostname")
        if where is not None:
            origins["hostname"] = where
        definitions, references = self._objects()
        release, role = self.facts.get("release"), self.facts.get("role")
        return SwitchModel(
            hostname=self.hostname,
            nos=self.nos.name,
            ports=FrozenMap(ports),
            form=Form.FRAGMENT if self.mode.lossless is PART else Form.RUNNING,
            role=role.value if role else None,
            release=release.value if release else Unknown("release not stated", Fact.RELEASE),
            platform=self.platform,
            asic=self.asic,
            architecture=self.architecture,
            bundles=FrozenMap(
                (n, Bundle(n, members, self.reading.at(self.blocks[n].line) if n in self.blocks else None))
                for n, members in bundles.items()
            ),
            pools=self._pools(),
            profiles=FrozenMap(self._profiles(ports)),
            kilo=self.nos.kilo,
            routing=Routing(mac_aging_s=self.shared.settings.value("mac_aging")),
            definitions=definitions,
            references=references,
            remarks=self._remarks(references),
            facts=FrozenMap(self.facts),
            structure=self._rests_on(ports),
            other_lines=self.reading.other,
            files=(self._file,),
            origins=Origins(origins),
        )

    # --- ports ---

    def _members(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {n: [] for n in self.blocks if names.kind_of(n) is PortKind.BUNDLE}
        for name, block in self.blocks.items():
            for number, _, _ in block.identity.get("channel", ())[-1:]:
                found.setdefault(f"PortChannel{number}", []).append(name)
        return {bundle: tuple(members) for bundle, members in found.items()}

    def _settings(self, block: Block) -> Settings:
        found = self._shapes.get(id(block.body))
        if found is None:
            found = self._shapes[id(block.body)] = of_interface(block)
        return found

    def _port(self, block: Block, bundle: str | None, socket: str | None) -> Port:
        own = self._settings(block)
        for wrong in own.wrong:
            index = wrong.place[1]
            self.reading.remarks.add(
                RemarkKind.INVALID,
                block.cause,
                block.body.texts[index],
                self.reading.at(block.lines[index]),
                wrong.message,
                wrong.expected,
                block.ports,
            )
        name, identity = block.name, block.identity
        kind = PortKind.MEMBER if bundle else names.kind_of(name)
        if kind is PortKind.FRONT and socket:
            kind = PortKind.BREAKOUT
        body = self._bodies.get(id(block.body))
        if body is None:
            body = self._bodies[id(block.body)] = self._intern(*self._builder.build(own))
        for setting in own.said:
            if setting in _USES:
                self._use(own, block, setting)
        speed, cable = own.value("speed"), own.value("cable")
        if kind in _CARRY:
            speed = speed or self._given("speed")
            cable = cable or self._given("cable")
        return Port(
            name,
            kind,
            body[0],
            speed,
            own.value("mtu"),
            own.value("admin", ADMIN),
            self._routed(own, kind, block),
            own.value("vrf"),
            bundle,
            socket,
            cable_m=cable,
            description=identity["description"][-1][0].strip('"') if "description" in identity else None,
            addresses=tuple(a for a, _, _ in identity.get("address", ())),
            at=self.reading.at(block.line),
            origins=body[1],
            own=self._own(own, block, kind),
            lines=PortLines(self._file, block.lines, {k: v[-1][1] for k, v in identity.items()}),
        )

    @staticmethod
    def _routed(own: Settings, kind: PortKind, block: Block) -> bool | None:
        if kind in (PortKind.SVI, PortKind.SUBINTERFACE, PortKind.LOOPBACK, PortKind.MANAGEMENT):
            return True
        if own.value("switched"):
            return False
        return True if "address" in block.identity else None

    def _given(self, fact: str) -> int | None:
        named = self.facts.get(fact)
        read = facts.speed_mbps if fact == "speed" else facts.metres
        return read(named.value) if named else None

    def _own(self, own: Settings, block: Block, kind: PortKind) -> Origins:
        """Origins of the port's own values; shared by ports whose bodies, kinds and kinds of identity lines are equal."""
        identity = tuple(block.identity)
        key = (id(block.body), kind, identity)
        cached = self._owns.get(key)
        if cached is not None:
            return cached
        found: dict[str, Origin] = {}
        for setting, field in _OWN.items():
            where = own.origin(setting)
            if where is not None and own.value(setting) is not None:
                found[field] = where
        for name in identity:
            label = {"channel": "bundle", "address": "addresses"}.get(name, name)
            found[label] = BodyLine(block.cause, block.identity[name][-1][2], name)
        for name, field in (("speed", "speed"), ("cable", "cable_m")) if kind in _CARRY else ():
            if name in self.facts:
                fact = self.facts[name]
                found.setdefault(field, Derived(f"given: {fact.value}", sources=(fact.origin,), intent_at=fact.at))
        cached = self._owns[key] = Origins(found)
        return cached

    def _use(self, own: Settings, block: Block, setting: str) -> None:
        """A reference on a port, once per kind and name, with all its ports."""
        name, origin = own.value(setting), own.origin(setting)
        if not isinstance(name, str) or not isinstance(origin, BodyLine) or not isinstance(origin.key, int):
            return
        kind, fills = _USES[setting]
        key = (kind, name, origin.text)
        if key not in self._uses:
            self._uses[key] = (Line(origin.path, origin.text, self.reading.at(block.lines[origin.key])), [], fills)
        if self._uses[key][1][-1:] != [block.name]:
            self._uses[key][1].append(block.name)

    # --- device ---

    def _pools(self) -> tuple[Pool, ...]:
        """The shared headroom; sizes of the pools themselves are the device's own and stand in no line."""
        found = self.shared.headroom_pool
        if found is None:
            return ()
        return (
            Pool(
                headroom_pool_name(LOSSLESS),
                Direction.INGRESS,
                PoolKind.HEADROOM,
                PoolMode.STATIC,
                found.value,
                origins=Origins({"": found.origin, "size": found.origin}),
            ),
        )

    def _profiles(self, ports: dict[str, Port]) -> dict[str, BufferProfile]:
        out: dict[str, BufferProfile] = {}
        groups = {g.profile for p in ports.values() for g in p.qos.groups.values()}
        queues = {q.profile for p in ports.values() for q in p.qos.queues.values()}
        for name, p in self.shared.profiles.items():
            used = ({BufferUse.GROUP} if name in groups else set()) | ({BufferUse.QUEUE} if name in queues else set())
            direction: Direction | Unknown = Unknown("the profile's pool does not exist")
            if isinstance(p.pool, str):
                direction = Direction.INGRESS if p.pool.startswith("ingress") else Direction.EGRESS
            out[name] = BufferProfile(
                name,
                p.pool,
                direction,
                FrozenMap(p.said),
                frozenset(used),
                Origins(dict.fromkeys(("", *p.said, *(("threshold",) if p.threshold is not None else ())), p.at)),
                p.threshold,
            )
        return out

    def _objects(self) -> tuple[tuple[Definition, ...], tuple[Reference, ...]]:
        shared = self.shared
        definitions = [Definition(f"{MAP} {kind}", name, m.at) for (kind, name), m in shared.maps.items()]
        for name, wred in shared.wreds.items():
            marks = bool(wred.settings.value("ecn")) and any(
                wred.settings.value(f"{c}.kmin") for c in ("green", "yellow", "red")
            )
            definitions.append(Definition(WRED, name, wred.at, marks=marks))
        definitions += [Definition(POLICY, name, p.at) for name, p in shared.policies.items()]
        definitions += [Definition(PROFILE, name, p.at, lossless=p.pause) for name, p in shared.profiles.items()]
        known = {(d.kind, d.name) for d in definitions}
        # `show running-configuration interface X` prints no object at all: then a name is not missing, it is elsewhere.
        elsewhere = None if not known and self.mode.lossless is PART else False
        references = [
            Reference(kind, name, line, (kind, name) in known or elsewhere, ports=tuple(ports), fills=fills)
            for (kind, name, _), (line, ports, fills) in self._uses.items()
        ]
        return tuple(definitions), tuple(sorted(references, key=lambda r: r.origin.at.line))

    def _remarks(self, references: tuple[Reference, ...]) -> tuple[Remark, ...]:
        """Remarks in an object that nothing uses are marked so."""
        used = {(r.kind, r.name) for r in references}
        spans: list[tuple[int, int, bool]] = []
        for block in self.reading.root.below("qos"):
            kind = " ".join(block.spec.path[-1].split()[:-1])
            last = max([block.line, *block.lines, *(n for c in block.children for n in (c.line, *c.lines))])
            spans.append((block.line, last, (kind, block.name) in used))
        out = []
        for remark in self.reading.remarks.result():
            line = remark.origin.at.line
            dead = bool(remark.origin.path) and any(first <= line <= last and not use for first, last, use in spans)
            out.append(replace(remark, reached=False) if dead else remark)
        return tuple(out)

    def _rests_on(self, ports: dict[str, Port]) -> tuple[str, ...]:
        """The assumptions of nos.yaml that this reading made use of."""
        bodies = {id(p.qos): p for p in ports.values()}.values()
        keys: set[str] = set()
        for p in bodies:
            said = {path for path, origin in p.origins.items() if not isinstance(origin, Default)}
            keys |= {"config-db"} if said else set()
            if any(path.endswith((".kmin", ".kmax")) for path in said):
                keys |= {"kilobyte", "wred-drops-not-ect"}
            if self.mode.lossless is True:
                keys.add("lossless-mode")
            if any(isinstance(o, Default) and path.startswith("pfc.send.") for path, o in p.origins.items()):
                keys.add("group-pauses-priority")
            if {"classify.dscp", "classify.pcp"} <= set(p.origins):
                keys.add("dscp-before-dot1p")
        return tuple(s.text for s in self.nos.structure if s.key in keys)
