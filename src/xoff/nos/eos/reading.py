"""Arista EOS: from a running configuration to the model. Facts and sources: templates/eos/README.md."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import PurePath

from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, Derived, Line, Origin, Origins
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
    Tunnel,
)
from xoff.nos import chip, facts, registry
from xoff.nos.eos import names
from xoff.nos.eos import policy as eos_policy
from xoff.nos.eos.globals import MMU, GlobalReader, Globals
from xoff.nos.eos.ports import PortBuilder
from xoff.nos.eos.statements import AMBIGUOUS, of_interface, of_profile, together
from xoff.nos.facts import Facts, from_comments
from xoff.nos.portlines import PortLines
from xoff.nos.reader import Block, Reader, Reading
from xoff.nos.registry import Nos
from xoff.nos.settings import Settings, flat
from xoff.nos.source import Source

PROFILE = "qos profile"
ROUTED = Unknown("an address stands on a port without `no switchport`, so whether it is routed is not certain")
_OWN = {"speed": "speed", "mtu": "mtu", "admin": "admin", "routed": "routed"}


def parse(sources: Sequence[Source], nos: Nos, given: Facts = facts.NONE) -> list[SwitchModel]:
    """One model per configuration. Never raises for what a file says; what is not understood becomes remarks."""
    reader = _reader(nos.name) if nos is registry.load(nos.name) else Reader(nos, names.port_names)
    return [_Device(reader.read(source), nos, given).model() for source in sources]


@functools.cache
def _reader(name: str) -> Reader:
    return Reader(registry.load(name), names.port_names)


class _Device:
    """One configuration on its way to a model."""

    def __init__(self, reading: Reading, nos: Nos, given: Facts) -> None:
        self.reading = reading
        self.nos = nos
        self._file = reading.source.path
        globals_ = GlobalReader(reading, nos)
        self.shared: Globals = globals_.read()
        self.policies = eos_policy.read(reading, globals_)
        comments = from_comments(self._file, reading.comments)
        said = self.shared.settings.value("hostname")
        named = comments.pop("hostname", None)
        self.hostname: str = said or (named.value if named else None) or PurePath(self._file).stem
        self.facts: dict[str, Named] = given.about(self.hostname, self._file, comments)
        self._profiles: dict[str, tuple[Settings, Block]] = {}
        for block in reading.root.below("qos"):
            self._profiles[block.name] = (of_profile(block, reading), block)
        self._builder = PortBuilder(nos, self.shared, self.policies)
        self._intern = Interner()
        self._shapes: dict[object, Settings] = {}
        self._bodies: dict[object, tuple[PortQos, Origins]] = {}
        self._owns: dict[object, Origins] = {}
        self._uses: dict[tuple[str, str, str], tuple[Line, list[str]]] = {}
        self._tunnels: list[Tunnel] = []
        self._arp: int | None = None
        #: Keys of the structure in nos.yaml that this reading made use of.
        self._rests_on: set[str] = set()

    def model(self) -> SwitchModel:
        blocks = {b.name: b for b in self.reading.root.below("interface")}
        bundles = self._members(blocks)
        in_bundle = {port: bundle for bundle, ports in bundles.items() for port in ports}
        sockets = names.parents(blocks)
        ports: dict[str, Port] = {}
        for name, block in blocks.items():
            if name.startswith("Vxlan"):
                self._tunnel(block)
                continue
            ports[name] = self._port(block, in_bundle.get(name), blocks, sockets.get(name))
        asic, architecture, platform = chip.of_facts(self.facts)
        shared = self.shared.settings
        origins: dict[str, Origin] = {}
        for key in ("pfc_off", "hostname"):
            where = shared.origin(key)
            if where is not None:
                origins[key] = where
        definitions, references = self._objects()
        release = self.facts.get("release")
        role = self.facts.get("role")
        return SwitchModel(
            hostname=self.hostname,
            nos=self.nos.name,
            ports=FrozenMap(ports),
            form=Form.RUNNING,
            role=role.value if role else None,
            release=release.value if release else Unknown("release not stated", Fact.RELEASE),
            platform=platform,
            asic=asic,
            architecture=architecture,
            bundles=FrozenMap(
                (n, Bundle(n, members, self.reading.at(blocks[n].line) if n in blocks else None))
                for n, members in bundles.items()
            ),
            pools=self._pools(),
            profiles=FrozenMap(self._buffer_profiles()),
            tunnels=tuple(self._tunnels),
            pfc_off=bool(shared.value("pfc_off", False)),
            kilo=self.nos.kilo,
            routing=self._routing(),
            definitions=definitions,
            references=references,
            remarks=self._remarks(references),
            facts=FrozenMap(self.facts),
            structure=tuple(s.text for s in self.nos.structure if s.key in self._rests_on),
            other_lines=self.reading.other,
            files=(self._file,),
            origins=Origins(origins),
        )

    # --- ports ---

    def _members(self, blocks: dict[str, Block]) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {n: [] for n in blocks if names.kind_of(n) is PortKind.BUNDLE}
        for name, block in blocks.items():
            for number, _, _ in block.identity.get("channel", ())[-1:]:
                found.setdefault(f"Port-Channel{number}", []).append(name)
        return {bundle: tuple(members) for bundle, members in found.items()}

    def _settings(self, block: Block) -> tuple[object, Settings]:
        key = (id(block.body), tuple((c.cause[-1], id(c.body)) for c in block.children))
        found = self._shapes.get(key)
        if found is None:
            found = self._shapes[key] = of_interface(block)
        if found.wrong:
            self._wrong(block, found)
        return key, found

    def _wrong(self, block: Block, said: Settings) -> None:
        parts = [block, *block.children]
        for wrong in said.wrong:
            number, index = wrong.place
            part = parts[number]
            text = part.cause[-1] if index < 0 else part.body.texts[index]
            line = part.line if index < 0 else part.lines[index]
            cause = part.cause[:-1] if index < 0 else part.cause
            self.reading.remarks.add(
                RemarkKind.INVALID, cause, text, self.reading.at(line), wrong.message, wrong.expected, block.ports
            )

    def _port(self, block: Block, bundle: str | None, blocks: dict[str, Block], socket: str | None) -> Port:
        key, own = self._settings(block)
        name = block.name
        kind = PortKind.MEMBER if bundle else names.kind_of(name)
        if kind is PortKind.FRONT and socket:
            kind = PortKind.BREAKOUT
        routed = self._routed(block, own, kind, bundle, blocks)
        profile = own.value("profile")
        body_key = (key, routed)
        body = self._bodies.get(body_key)
        if body is None:
            said = own
            if isinstance(profile, str) and profile in self._profiles:
                said = together(self._profiles[profile][0], own)
            if any(isinstance(s.value, Unknown) and s.value.reason == AMBIGUOUS for s in said.said.values()):
                self._rests_on.add("profile-and-interface")
            if any(said.value(f"pfc.priority.{n}") for n in range(8)):
                self._rests_on.add("one-number")
            body = self._bodies[body_key] = self._intern(*self._builder.build(said, routed))
        self._use(own, block, "profile", PROFILE)
        self._use(own, block, "policy", eos_policy.POLICY)
        arp = own.value("arp")
        if isinstance(arp, int):
            self._arp = max(arp, self._arp or 0)
        identity = block.identity
        speed, cable = own.value("speed"), None
        if kind in (PortKind.FRONT, PortKind.BREAKOUT, PortKind.MEMBER):
            speed = speed or self._number("speed", facts.speed_mbps)
            cable = self._number("cable", facts.metres)
        description = identity["description"][-1][0] if "description" in identity else None
        return Port(
            name,
            kind,
            body[0],
            speed,
            own.value("mtu"),
            own.value("admin", True),
            routed,
            own.value("vrf"),
            bundle,
            socket,
            cable_m=cable,
            description=description,
            addresses=tuple(a for a, _, _ in identity.get("address", ())),
            at=self.reading.at(block.line),
            origins=body[1],
            own=self._own(key, own, tuple(identity), block),
            lines=PortLines(self._file, flat(block), {k: v[-1][1] for k, v in identity.items()}),
        )

    def _routed(
        self, block: Block, own: Settings, kind: PortKind, bundle: str | None, blocks: dict[str, Block]
    ) -> bool | Unknown | None:
        if kind in (PortKind.SVI, PortKind.SUBINTERFACE, PortKind.LOOPBACK, PortKind.MANAGEMENT):
            return True
        said = own.value("routed")
        if said is None and bundle and bundle in blocks:
            # The bundle's mode holds for its members; a member's own lines are not in force.
            said = self._settings(blocks[bundle])[1].value("routed")
        if said is not None:
            return bool(said)
        if self.shared.settings.value("routed"):
            return True
        return ROUTED if "address" in block.identity else False

    def _own(self, key: object, own: Settings, identity: tuple[str, ...], block: Block) -> Origins:
        """Origins of the port's own values; shared by ports whose bodies and kinds of identity lines are equal."""
        cached = self._owns.get((key, identity))
        if cached is None:
            found: dict[str, Origin] = {}
            for field, setting in _OWN.items():
                where = own.origin(setting)
                if where is not None:
                    found[field] = where
            for name in identity:
                label = {"channel": "bundle", "address": "addresses"}.get(name, name)
                found[label] = BodyLine(block.cause, block.identity[name][-1][2], name)
            for name, field in (("speed", "speed"), ("cable", "cable_m")):
                if name in self.facts:
                    fact = self.facts[name]
                    found.setdefault(field, Derived(f"given: {fact.value}", sources=(fact.origin,), intent_at=fact.at))
            cached = self._owns[key, identity] = Origins(found)
        return cached

    def _number(self, fact: str, read: Callable[[str], int | None]) -> int | None:
        named = self.facts.get(fact)
        return read(named.value) if named else None

    def _use(self, own: Settings, block: Block, setting: str, kind: str) -> None:
        """A reference on a port, once per kind and name, with all its ports."""
        name = own.value(setting)
        origin = own.origin(setting)
        if not isinstance(name, str) or not isinstance(origin, BodyLine):
            return
        key = (kind, name, origin.text)
        if key not in self._uses:
            index = origin.key if isinstance(origin.key, int) else 0
            self._uses[key] = (Line(origin.path, origin.text, self.reading.at(flat(block)[index])), [])
        self._uses[key][1].append(block.name)

    def _tunnel(self, block: Block) -> None:
        own = self._settings(block)[1]
        origins: dict[str, Origin] = {}
        for setting, fields in (
            ("vxlan.ecn", ("encap_ecn", "decap_ecn")),
            ("vxlan.encap", ("encap_dscp_mode",)),
            ("vxlan.decap", ("maps.decap",)),
        ):
            where = own.origin(setting)
            if isinstance(where, BodyLine) and isinstance(where.key, int):
                line = Line(where.path, where.text, self.reading.at(flat(block)[where.key]))
                origins.update(dict.fromkeys(fields, line))
        decap = own.value("vxlan.decap")
        origins[""] = self.reading.header(block)
        self._tunnels.append(
            Tunnel(
                block.name,
                encap_dscp_mode=own.value("vxlan.encap"),
                encap_ecn=own.value("vxlan.ecn"),
                decap_ecn=own.value("vxlan.ecn"),
                maps=FrozenMap({"decap": decap} if decap else {}),
                origins=Origins(origins),
            )
        )

    # --- device ---

    def _pools(self) -> tuple[Pool, ...]:
        limit = self.shared.headroom_pool
        if limit is None:
            return ()
        return (
            Pool(
                "headroom-pool",
                Direction.INGRESS,
                PoolKind.HEADROOM,
                PoolMode.STATIC,
                limit.value,
                origins=Origins({"": limit.origin, "size": limit.origin}),
            ),
        )

    def _buffer_profiles(self) -> dict[str, BufferProfile]:
        out: dict[str, BufferProfile] = {}
        for name, mmu in self.shared.mmus.items():
            uses = ({BufferUse.GROUP} if mmu.groups or mmu.ingress else set()) | ({BufferUse.QUEUE} if mmu.queues else set())
            origins: dict[str, Origin] = {"": mmu.at}
            origins |= {k: s.origin for k, s in mmu.ingress.items()}
            out[name] = BufferProfile(name, None, Direction.BOTH, FrozenMap(mmu.values()), frozenset(uses), Origins(origins))
        return out

    def _objects(self) -> tuple[tuple[Definition, ...], tuple[Reference, ...]]:
        definitions = list(self.policies.definitions)
        references = list(self.policies.references)
        for name, (said, block) in self._profiles.items():
            wanted = any(said.value(f"pfc.priority.{n}") for n in range(8))
            definitions.append(Definition(PROFILE, name, self.reading.header(block), lossless=wanted))
            policy, where = said.value("policy"), said.origin("policy")
            if isinstance(policy, str) and isinstance(where, Line):
                references.append(Reference(eos_policy.POLICY, policy, where, policy in self.policies.steps))
            if said.wrong:
                self._wrong(block, said)
        applied = {name for name, _ in self.shared.apply_lines}
        for name, mmu in self.shared.mmus.items():
            how = f"{MMU} {name} apply"
            definitions.append(Definition(MMU, name, mmu.at, "headroom" in mmu.ingress, name in applied, how))
        references += [Reference(MMU, name, line, name in self.shared.mmus) for name, line in self.shared.apply_lines]
        known = {PROFILE: self._profiles.keys(), eos_policy.POLICY: self.policies.steps.keys()}
        for (kind, name, _), (line, ports) in self._uses.items():
            references.append(Reference(kind, name, line, name in known[kind], ports=tuple(ports)))
        return tuple(definitions), tuple(sorted(references, key=lambda r: r.origin.at.line))

    def _remarks(self, references: tuple[Reference, ...]) -> tuple[Remark, ...]:
        """Remarks in a block that no port reaches are marked so."""
        used = {(r.kind, r.name) for r in references}
        spans: list[tuple[int, int, bool]] = []
        for block in self.reading.root.children:
            kind = {"qos": PROFILE, "policy-map": eos_policy.POLICY, "class-map": eos_policy.CLASS, "platform": MMU}.get(
                block.spec.path[0].split()[0]
            )
            if kind is None:
                continue
            last = max([block.line, *block.lines, *(n for c in block.children for n in (c.line, *c.lines))])
            spans.append((block.line, last, (kind, block.name) in used))
        out = []
        for remark in self.reading.remarks.result():
            line = remark.origin.at.line
            dead = bool(remark.origin.path) and any(first <= line <= last and not use for first, last, use in spans)
            out.append(replace(remark, reached=False) if dead else remark)
        return tuple(out)

    def _routing(self) -> Routing:
        asn: int | None = None
        peers: dict[str, int] = {}
        for block in self.reading.root.below("router"):
            asn = int(block.name) if block.name.isdecimal() and len(block.name) < 11 else None
            groups: dict[str, int] = {}
            members: dict[str, str] = {}
            for said in block.body.said:
                if said.negated:
                    continue
                if said.group == "peer" and said.values["asn"].isdecimal() and len(said.values["asn"]) < 11:
                    groups[said.values["peer"]] = int(said.values["asn"])
                elif said.group == "member":
                    members[said.values["peer"]] = said.values["of"]
            peers = {p: groups[g] for p, g in members.items() if g in groups}
            peers |= {p: n for p, n in groups.items() if p not in members.values()}
        return Routing(asn, FrozenMap(peers), self.shared.settings.value("mac_aging"), self._arp)
