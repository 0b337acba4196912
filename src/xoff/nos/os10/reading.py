"""Dell OS10: from a running configuration to the model. Facts and sources: templates/os10/README.md."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import PurePath

from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, Derived, FileLine, Line, Origin, Origins
from xoff.model.qos import PortQos
from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import (
    Bundle,
    Form,
    Interner,
    Named,
    Port,
    PortKind,
    Reference,
    Remark,
    Routing,
    SwitchModel,
)
from xoff.nos import chip, facts, registry
from xoff.nos.facts import Facts, from_comments
from xoff.nos.numbers import whole
from xoff.nos.os10 import names
from xoff.nos.os10.objects import QUEUE_MAP, TRUST, ObjectReader
from xoff.nos.os10.ports import PortBuilder
from xoff.nos.os10.statements import DIRECTION, of_interface, of_system, together
from xoff.nos.portlines import PortLines
from xoff.nos.reader import Block, Reader, Reading
from xoff.nos.registry import BlockSpec, Nos
from xoff.nos.settings import Settings
from xoff.nos.source import Source
from xoff.nos.splitter import Node, Tree

_OWN = {"speed": "speed", "mtu": "mtu", "admin": "admin", "routed": "routed"}
#: The header of Microsoft's configuration tools: `! Model: s5248f-on`.
_MODEL = re.compile(r"!\s*Model:\s*(?P<value>[a-z]\d[\w-]*)\s*\Z")
_PHYSICAL = (PortKind.FRONT, PortKind.BREAKOUT, PortKind.MEMBER, PortKind.PEER_LINK)
#: Setting -> (kind of the object that it names, what it would fill).
_NAMED = {
    "trust.dot1p": (TRUST["dot1p"], ("classify",)),
    "trust.dscp": (TRUST["dscp"], ("classify",)),
    "queue_map": (QUEUE_MAP, ("tc_to_queue", "queue", "pfc.obey")),
} | {
    f"policy.{way}.{kind}": (f"policy-map type {kind}", fills)
    for way in ("input", "output")
    for kind, fills in (("network-qos", ("pfc", "group", "tc_to_group")), ("queuing", ("queue",)), ("qos", ("classify",)))
}


def parse(sources: Sequence[Source], nos: Nos, given: Facts = facts.NONE) -> list[SwitchModel]:
    """One model per configuration. Never raises for what a file says; what is not understood becomes remarks."""
    reader = _reader(nos.name) if nos is registry.load(nos.name) else LooseReader(nos, names.port_names)
    return [_Device(reader.read(source), nos, given).model() for source in sources]


@functools.cache
def _reader(name: str) -> Reader:
    return LooseReader(registry.load(name), names.port_names)


class LooseReader(Reader):
    """OS10 goes by words, not by columns: what stands deeper under a line that opens no block is its neighbour.

    Only lines that are known where they stand are taken so; what is deeper under a line that nobody knows stays unread.
    """

    def _splitter(self) -> Callable[[str], Tree]:
        plain = super()._splitter()

        def loose(text: str) -> Tree:
            tree = plain(text)
            self._hoist(tree.root)
            return tree

        return loose

    def _hoist(self, root: Node) -> None:
        stack: list[tuple[Node, tuple[str, ...]]] = [(root, ())]
        specs = {b.path: b for b in self.nos.blocks}
        while stack:
            node, path = stack.pop()
            level = self.level(specs.get(path, BlockSpec(path)))
            left, out = node.children[::-1], []
            while left:
                child = left.pop()
                out.append(child)
                if not child.children:
                    continue
                inner = level.opens(child.text)
                if inner is not None:
                    stack.append((child, inner.path))
                elif level.knows(child.text):
                    left.extend(child.children[::-1])
                    child.children = []
            node.children = out


class _Device:
    """One configuration on its way to a model."""

    def __init__(self, reading: Reading, nos: Nos, given: Facts) -> None:
        self.reading = reading
        self.nos = nos
        self._file = reading.source.path
        self._objects_read = ObjectReader(reading)
        self.objects = self._objects_read.read()
        root = reading.root
        self.globals = {s.group: s for s in root.body.said if not s.negated}
        comments = from_comments(self._file, reading.comments)
        for comment in reading.comments:
            found = _MODEL.match(comment.text)
            if found:
                at = FileLine(self._file, comment.line)
                comments.setdefault("model", Named(found["value"].upper(), "header comment of a configuration tool", at))
        said = self.globals.get("hostname")
        self.hostname: str = said.values["hostname"] if said else PurePath(self._file).stem
        self.facts: dict[str, Named] = given.about(self.hostname, self._file, comments)
        self.system = Settings()
        self._system_block: Block | None = None
        for block in root.below("system"):
            self.system, self._system_block = of_system(block, reading), block
            for wrong in self.system.wrong:
                self._objects_read.bad(block, wrong.place[1], wrong.message, wrong.expected)
        self._builder = PortBuilder(nos, self.objects)
        self._intern = Interner()
        self._shapes: dict[int, Settings] = {}
        self._bodies: dict[int, tuple[PortQos, Origins]] = {}
        self._owns: dict[object, Origins] = {}
        self._uses: dict[tuple[str, str, str, str], tuple[Line, tuple[str, ...], list[str]]] = {}
        self._speeds = self._breakouts()
        self._peer_links = self._vlti()

    def model(self) -> SwitchModel:
        blocks = {b.name: b for b in self.reading.root.below("interface") if b.spec.path == ("interface **",)}
        bundles = self._members(blocks)
        in_bundle = {port: bundle for bundle, ports in bundles.items() for port in ports}
        ports = {name: self._port(block, in_bundle.get(name), blocks) for name, block in blocks.items()}
        asic, architecture, platform = chip.of_facts(self.facts)
        references = self._references()
        origins: dict[str, Origin] = {}
        if "hostname" in self.globals:
            origins["hostname"] = self.reading.line(self.reading.root, self.globals["hostname"])
        release, role = self.facts.get("release"), self.facts.get("role")
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
            kilo=self.nos.kilo,
            routing=self._routing(),
            definitions=tuple(self.objects.definitions),
            references=references,
            remarks=self._remarks(references),
            facts=FrozenMap(self.facts),
            structure=tuple(s.text for s in self.nos.structure if s.key in self._builder.rests_on),
            other_lines=self.reading.other,
            files=(self._file,),
            origins=Origins(origins),
        )

    # --- ports ---

    def _breakouts(self) -> dict[str, tuple[int, Line]]:
        """Socket -> Mb/s of each of its ports, by `interface breakout`."""
        out: dict[str, tuple[int, Line]] = {}
        for block in self.reading.root.below("interface"):
            if block.spec.path != ("interface breakout * map *",) or len(block.names) < 2:
                continue
            found = names.breakout(block.names[0], block.names[1])
            if found is not None:
                out[found[0]] = (found[1], self.reading.header(block))
        return out

    def _vlti(self) -> frozenset[str]:
        """Ports of the VLT interconnect, by `discovery-interface`."""
        found: set[str] = set()
        for block in self.reading.root.below("vlt-domain"):
            for said in block.body.said:
                if said.group == "peer_link" and not said.negated:
                    found |= set(names.full(said.values["ports"]))
        return frozenset(found)

    def _members(self, blocks: dict[str, Block]) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {n: [] for n in blocks if names.kind_of(n) is PortKind.BUNDLE}
        for name, block in blocks.items():
            for number, _, _ in block.identity.get("channel", ())[-1:]:
                found.setdefault(f"port-channel{number}", []).append(name)
        return {bundle: tuple(members) for bundle, members in found.items()}

    def _settings(self, block: Block) -> Settings:
        found = self._shapes.get(id(block.body))
        if found is None:
            found = self._shapes[id(block.body)] = of_interface(block)
        for wrong in found.wrong:
            self._objects_read.bad(block, wrong.place[1], wrong.message, wrong.expected)
        return found

    def _kind(self, block: Block, bundle: str | None) -> PortKind:
        """A port of the VLT interconnect is one by `discovery-interface`, or by what its description calls it."""
        kind = names.kind_of(block.name)
        described = "description" in block.identity and names.describes_vlti(block.identity["description"][-1][0])
        if kind in (PortKind.FRONT, PortKind.BREAKOUT) and (block.name in self._peer_links or described):
            return PortKind.PEER_LINK
        return PortKind.MEMBER if bundle else kind

    def _port(self, block: Block, bundle: str | None, blocks: dict[str, Block]) -> Port:
        own = self._settings(block)
        name, kind = block.name, self._kind(block, bundle)
        body = self._bodies.get(id(block.body))
        if body is None:
            body = self._bodies[id(block.body)] = self._intern(*self._builder.build(together(self.system, own)))
        for setting in _NAMED:
            self._use(own, block, setting)
        identity = block.identity
        socket = names.socket(name)
        speed, cable, mtu = own.value("speed"), None, own.value("mtu")
        broken = self._speeds.get(socket or name)
        if kind in _PHYSICAL:
            speed = speed or (broken[0] if broken else self._number("speed", facts.speed_mbps))
            cable = self._number("cable", facts.metres)
            entry = self.nos.default("port.mtu")
            mtu = mtu if mtu is not None or entry is None else int(entry.value)
        return Port(
            name,
            kind,
            body[0],
            speed,
            mtu,
            own.value("admin", True),
            self._routed(own, kind, bundle, blocks),
            own.value("vrf"),
            bundle,
            socket,
            cable_m=cable,
            description=identity["description"][-1][0] if "description" in identity else None,
            addresses=tuple(a for a, _, _ in identity.get("address", ())),
            at=self.reading.at(block.line),
            origins=body[1],
            own=self._own(own, tuple(identity), block, kind, broken),
            lines=PortLines(self._file, block.lines, {k: v[-1][1] for k, v in identity.items()}),
        )

    def _routed(self, own: Settings, kind: PortKind, bundle: str | None, blocks: dict[str, Block]) -> bool | None:
        if kind in (PortKind.SVI, PortKind.LOOPBACK, PortKind.MANAGEMENT):
            return True
        if kind is PortKind.PEER_LINK:
            return None  # `no switchport` stands there by rule; frames of all VLANs cross it
        if bundle and bundle in blocks:
            # The bundle's mode holds for its members.
            return bool(self._settings(blocks[bundle]).value("routed"))
        return bool(own.value("routed"))

    def _own(
        self, own: Settings, identity: tuple[str, ...], block: Block, kind: PortKind, broken: tuple[int, Line] | None
    ) -> Origins:
        """Origins of the port's own values; shared by ports whose bodies and kinds of identity lines are equal."""
        key = (id(block.body), identity, kind, broken)
        cached = self._owns.get(key)
        if cached is not None:
            return cached
        found: dict[str, Origin] = {}
        for name, setting in _OWN.items():
            where = own.origin(setting)
            if where is not None and own.value(setting) is not None:
                found[name] = where
        if kind in _PHYSICAL:
            entry = self.nos.default("port.mtu")
            if entry is not None:
                found.setdefault("mtu", entry.origin(f"no mtu line: {entry.value}"))
            if broken is not None:
                found.setdefault("speed", broken[1])
        for name in identity:
            label = {"channel": "bundle", "address": "addresses"}.get(name, name)
            found[label] = BodyLine(block.cause, block.identity[name][-1][2], name)
        for name, field in (("speed", "speed"), ("cable", "cable_m")):
            if name in self.facts:
                fact = self.facts[name]
                found.setdefault(field, Derived(f"given: {fact.value}", sources=(fact.origin,), intent_at=fact.at))
        self._owns[key] = Origins(found)
        return self._owns[key]

    def _number(self, fact: str, read: Callable[[str], int | None]) -> int | None:
        named = self.facts.get(fact)
        return read(named.value) if named else None

    # --- references ---

    def _use(self, own: Settings, block: Block, setting: str) -> None:
        """A reference on a port, once per kind and name, with all its ports."""
        name, origin = own.value(setting), own.origin(setting)
        if not isinstance(name, str) or not isinstance(origin, BodyLine) or not isinstance(origin.key, int):
            return
        kind, fills = _NAMED[setting]
        key = (kind, name, origin.text, setting)
        if key not in self._uses:
            line = Line(origin.path, origin.text, self.reading.at(block.lines[origin.key]))
            self._uses[key] = (line, fills, [])
        self._uses[key][2].append(block.name)

    def _references(self) -> tuple[Reference, ...]:
        out = list(self.objects.references)
        for (kind, name, _, setting), (line, fills, ports) in self._uses.items():
            out.append(self._reference(kind, name, line, setting, fills, tuple(ports)))
        for setting, (kind, fills) in _NAMED.items():
            name, where = self.system.value(setting), self.system.origin(setting)
            if isinstance(name, str) and isinstance(where, Line):
                out.append(self._reference(kind, name, where, setting, fills, ()))
        return tuple(sorted(out, key=lambda r: r.origin.at.line))

    def _reference(
        self, kind: str, name: str, line: Line, setting: str, fills: tuple[str, ...], ports: tuple[str, ...]
    ) -> Reference:
        known = name in self.objects.known(kind) or (kind in TRUST.values() and name == "default")
        idle = ""
        if setting.startswith("policy."):
            _, way, of = setting.split(".")
            if DIRECTION[of] != way:
                idle = f"a policy of type {of} acts on {DIRECTION[of]} only"
        detail = self._other_kind(kind, name)
        return Reference(kind, name, line, known, detail=detail, ports=ports, fills=fills, idle=idle)

    def _other_kind(self, kind: str, name: str) -> str:
        """An object of that name, or nearly, of another kind: said beside a reference that does not resolve."""
        if name in self.objects.known(kind):
            return ""
        alike = [d for d in self.objects.definitions if _plain(d.name) == _plain(name) and (d.kind, d.name) != (kind, name)]
        return f"{alike[0].kind} {alike[0].name} is defined" if alike else ""

    # --- device ---

    def _remarks(self, references: tuple[Reference, ...]) -> tuple[Remark, ...]:
        """Remarks in a block that no port reaches are marked so."""
        used = {(r.kind, r.name) for r in references}
        spans: list[tuple[int, int, bool]] = []
        for block in self.reading.root.below("policy-map", "class-map", "wred", "trust", "qos-map"):
            kind = block.spec.path[0].rpartition(" ")[0]
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
            asn = whole(block.name, 1, 2**32 - 1)
            for peer in block.children:
                for said in peer.body.said:
                    remote = whole(said.values.get("asn", ""), 1, 2**32 - 1)
                    if said.group == "asn" and not said.negated and remote is not None:
                        peers[peer.name] = remote
        aging = self.globals.get("mac_aging")
        return Routing(asn, FrozenMap(peers), whole(aging.values["seconds"], 0, 10**9) if aging else None)


def _plain(name: str) -> str:
    return re.sub(r"[-_]", "", name).casefold()
