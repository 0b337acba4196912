"""H3C Comware: from a running configuration to the model. Facts and sources: templates/comware/README.md."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, Default, Derived, Line, Origin, Origins
from xoff.model.qos import Alpha, PortQos
from xoff.model.quantity import Fact, Unknown
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
    Remark,
    RemarkKind,
    Routing,
    SwitchModel,
)
from xoff.nos import chip, facts, prompts, registry
from xoff.nos.comware import names
from xoff.nos.comware import policy as policies
from xoff.nos.comware.globals import GlobalReader, Globals
from xoff.nos.comware.ports import PortBuilder
from xoff.nos.comware.statements import marks, of_interface, of_wred_table
from xoff.nos.facts import Facts
from xoff.nos.portlines import PortLines
from xoff.nos.reader import Block, Reader, Reading
from xoff.nos.registry import Nos
from xoff.nos.settings import Settings
from xoff.nos.source import Source

WRED, BUFFER = "qos wred queue table", "buffer"
_OWN = {"speed": "speed", "admin": "admin", "routed": "routed"}
_CARRY = (PortKind.FRONT, PortKind.BREAKOUT, PortKind.MEMBER, PortKind.PEER_LINK)
#: Series of which a default is known by its own text: S12500 and its relatives, once sold as 12500.
_FAMILIES = ((re.compile(r"S?125\d\d", re.I), "s12500"),)


def parse(sources: Sequence[Source], nos: Nos, given: Facts = facts.NONE) -> list[SwitchModel]:
    """One model per configuration. Never raises for what a file says; what is not understood becomes remarks."""
    reader = _reader(nos.name) if nos is registry.load(nos.name) else Reader(nos, names.port_names)
    return [_Device(reader.read(_printed(source)), nos, given).model() for source in sources]


#: Commands that print configuration.
_SHOWS = re.compile(r"dis\w* (?:cu\w*|sa\w*|this)", re.I)


def _printed(source: Source) -> Source:
    """A terminal session as a switch would print it; what it printed comes back as it is."""
    if "[" not in source.text:
        return source
    rows = source.text.split("\n")
    found = prompts.matches(rows)
    if not prompts.is_session(found):
        return source
    if not any(p is not None and _SHOWS.match(p["said"]) for p in found):
        # What has no prompt is the output of some other command, and states nothing.
        rows = [row if p is not None else "" for row, p in zip(rows, found, strict=True)]
    return Source(source.path, "\n".join(prompts.by_view(rows, found)))


@functools.cache
def _reader(name: str) -> Reader:
    return Reader(registry.load(name), names.port_names)


def family_of(model: str | Unknown) -> str | None:
    """The series of a model, where a default is known for it alone."""
    if isinstance(model, Unknown):
        return None
    return next((family for pattern, family in _FAMILIES if pattern.match(model)), None)


def _by_series(known: dict[str, Named]) -> None:
    """The chip of S6850-56HF is that of the series S6850, where platforms/ holds the series and not the model."""
    model = known.get("model")
    if model is None or "asic" in known or "-" not in model.value:
        return
    from xoff import platforms

    series = model.value.partition("-")[0]
    found = platforms.find(series)
    if found is not None and platforms.find(model.value) is None:
        known["asic"] = Named(found.asic.name, f"series {series} of model {model.value}", model.at)


class _Device:
    """One configuration on its way to a model."""

    def __init__(self, reading: Reading, nos: Nos, given: Facts) -> None:
        self.reading = reading
        self.nos = nos
        self._file = reading.source.path
        self.shared: Globals = GlobalReader(reading, nos).read()
        self.policies = policies.read(reading)
        settings = self.shared.settings
        self.hostname: str = settings.value("hostname") or PurePath(self._file).stem
        said: dict[str, Named] = {}
        release, where = settings.value("release"), settings.origin("release")
        if release and isinstance(where, Line):
            said["release"] = Named(release, "version line of the configuration", where.at)
        self.facts: dict[str, Named] = given.about(self.hostname, self._file, said)
        _by_series(self.facts)
        self.asic, self.architecture, self.platform = chip.of_facts(self.facts)
        self.tables: dict[str, tuple[Settings, Block]] = {}
        for block in reading.root.below("qos"):
            if block.spec.path[0].startswith(WRED):
                self.tables[block.name] = (of_wred_table(block, reading), block)
        only = {name: s for name, (s, _) in self.tables.items()}
        self._builder = PortBuilder(nos, self.shared, self.policies, only, family_of(self.platform))
        self._intern = Interner()
        self._shapes: dict[int, Settings] = {}
        self._bodies: dict[int, tuple[PortQos, Origins]] = {}
        self._owns: dict[object, Origins] = {}
        self._uses: dict[tuple[str, str, str], tuple[Line, list[str]]] = {}

    def model(self) -> SwitchModel:
        blocks = {b.name: b for b in self.reading.root.below("interface")}
        stack = dict(self._stack())
        bundles = self._members(blocks)
        in_bundle = {port: bundle for bundle, ports in bundles.items() for port in ports}
        ports: dict[str, Port] = {}
        for name, block in blocks.items():
            ports[name] = self._port(block, in_bundle.get(name), name in stack)
        for name, line in stack.items():
            if name not in ports:
                ports[name] = self._bare(name, line)
        origins = {"hostname": at} if (at := self.shared.settings.origin("hostname")) is not None else {}
        definitions, references = self._objects()
        release, role = self.facts.get("release"), self.facts.get("role")
        return SwitchModel(
            hostname=self.hostname,
            nos=self.nos.name,
            ports=FrozenMap(ports),
            form=Form.RUNNING,
            role=role.value if role else None,
            release=release.value if release else Unknown("release not stated", Fact.RELEASE),
            platform=self.platform,
            asic=self.asic,
            architecture=self.architecture,
            bundles=FrozenMap(
                (n, Bundle(n, members, self.reading.at(blocks[n].line) if n in blocks else None))
                for n, members in bundles.items()
            ),
            pools=self._pools(),
            kilo=self.nos.kilo,
            routing=self._routing(),
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

    def _stack(self) -> Iterator[tuple[str, Line]]:
        """Ports of the stack (IRF), with the line that makes each one."""
        for block in self.reading.root.below("irf-port"):
            for said in block.body.said:
                if not said.negated and said.group == "member":
                    yield names.full(said.values["port"]), self.reading.line(block, said)

    def _members(self, blocks: dict[str, Block]) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {n: [] for n in blocks if names.kind_of(n) is PortKind.BUNDLE}
        for name, block in blocks.items():
            for number, _, _ in block.identity.get("channel", ())[-1:]:
                routed = bool(self._settings(block).value("routed"))
                found.setdefault(names.bundle_of(number, routed, blocks), []).append(name)
        return {bundle: tuple(members) for bundle, members in found.items()}

    def _settings(self, block: Block) -> Settings:
        found = self._shapes.get(id(block.body))
        if found is None:
            found = self._shapes[id(block.body)] = of_interface(block)
        return found

    def _wrong(self, block: Block, said: Settings) -> None:
        for wrong in said.wrong:
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

    def _port(self, block: Block, bundle: str | None, stacked: bool) -> Port:
        own = self._settings(block)
        if own.wrong:
            self._wrong(block, own)
        name, identity = block.name, block.identity
        kind = PortKind.PEER_LINK if stacked else PortKind.MEMBER if bundle else names.kind_of(name)
        body = self._bodies.get(id(block.body))
        if body is None:
            body = self._bodies[id(block.body)] = self._intern(*self._builder.build(own))
        for setting, what in (("wred", WRED), ("policy.inbound", policies.POLICY), ("policy.outbound", policies.POLICY)):
            self._use(own, block, setting, what)
        routed = self._routed(own, kind, block)
        mtu, mtu_at = self._mtu(own, kind, routed)
        speed = own.value("speed")
        if speed is None and kind in _CARRY:
            speed = names.speed_of(name)
        return Port(
            name,
            kind,
            body[0],
            speed,
            mtu,
            own.value("admin", True),
            routed,
            own.value("vrf"),
            bundle,
            names.socket_of(name),
            cable_m=facts.metres(self.facts["cable"].value) if "cable" in self.facts and kind in _CARRY else None,
            description=identity["description"][-1][0] if "description" in identity else None,
            addresses=tuple(_prefix(a) for a, _, _ in identity.get("address", ())),
            at=self.reading.at(block.line),
            origins=body[1],
            own=self._own(own, block, kind, mtu_at),
            lines=PortLines(self._file, block.lines, {k: v[-1][1] for k, v in identity.items()}),
        )

    def _bare(self, name: str, line: Line) -> Port:
        """A port of the stack that the file names only there."""
        qos, origins = self._intern(*self._builder.build(Settings()))
        return Port(name, PortKind.PEER_LINK, qos, names.speed_of(name), at=line.at, origins=origins)

    @staticmethod
    def _routed(own: Settings, kind: PortKind, block: Block) -> bool | None:
        if kind in (PortKind.SVI, PortKind.SUBINTERFACE, PortKind.LOOPBACK, PortKind.MANAGEMENT):
            return True
        said = own.value("routed")
        if said is not None:
            return bool(said)
        if block.name.startswith("Route-Aggregation") or "address" in block.identity:
            return True
        return False if block.name.startswith("Bridge-Aggregation") else None

    def _mtu(self, own: Settings, kind: PortKind, routed: bool | None) -> tuple[int | None, Origin | None]:
        """`mtu` of a routed port, the longest frame (`jumboframe enable N`) of a switched one."""
        for name in ("mtu",) if routed else ("jumbo",) if routed is False else ("mtu", "jumbo"):
            if own.value(name) is not None:
                return own.value(name), own.origin(name)
        entry = self.nos.default("port.mtu", port_mode="routed") if routed and kind in (*_CARRY, PortKind.BUNDLE) else None
        return (entry.value, entry.origin("no `mtu` on a routed port")) if entry else (None, None)

    def _own(self, own: Settings, block: Block, kind: PortKind, mtu_at: Origin | None) -> Origins:
        """Origins of the port's own values; shared by ports whose bodies, kinds and kinds of identity lines are equal."""
        identity = tuple(block.identity)
        key = (id(block.body), kind, identity, names.speed_of(block.name))
        cached = self._owns.get(key)
        if cached is not None:
            return cached
        found: dict[str, Origin] = {} if mtu_at is None else {"mtu": mtu_at}
        for field, setting in _OWN.items():
            where = own.origin(setting)
            if where is not None and own.value(setting) is not None:
                found[field] = where
        for name in identity:
            label = {"channel": "bundle", "address": "addresses"}.get(name, name)
            found[label] = BodyLine(block.cause, block.identity[name][-1][2], name)
        if "speed" not in found and names.speed_of(block.name) is not None:
            found["speed"] = Derived("the interface's name says its speed")
        if "cable" in self.facts:
            fact = self.facts["cable"]
            found["cable_m"] = Derived(f"given: {fact.value}", sources=(fact.origin,), intent_at=fact.at)
        cached = self._owns[key] = Origins(found)
        return cached

    def _use(self, own: Settings, block: Block, setting: str, kind: str) -> None:
        """A reference on a port, once per kind and name, with all its ports."""
        name, origin = own.value(setting), own.origin(setting)
        if not name or not isinstance(origin, BodyLine) or not isinstance(origin.key, int):
            return
        key = (kind, name, origin.text)
        if key not in self._uses:
            self._uses[key] = (Line(origin.path, origin.text, self.reading.at(block.lines[origin.key])), [])
        self._uses[key][1].append(block.name)

    # --- device ---

    def _pools(self) -> tuple[Pool, ...]:
        return tuple(
            Pool(
                f"headroom-{number}",
                Direction.INGRESS,
                PoolKind.HEADROOM,
                PoolMode.STATIC,
                setting.value,
                origins=Origins({"": setting.origin, "size": setting.origin}),
            )
            for number, setting in sorted(self.shared.pools.items(), key=lambda x: int(x[0]))
        )

    def _objects(self) -> tuple[tuple[Definition, ...], tuple[Reference, ...]]:
        definitions = list(self.policies.definitions)
        references = list(self.policies.references)
        for name, (said, block) in self.tables.items():
            definitions.append(Definition(WRED, name, self.reading.header(block), marks=marks(said)))
            if said.wrong:
                self._wrong(block, said)
        if self.shared.buffers and not self.shared.settings.value("burst"):
            first = next(iter(self.shared.buffers.values())).origin
            if isinstance(first, Line):
                applied = bool(self.shared.settings.value("buffer.apply"))
                definitions.append(Definition(BUFFER, "settings", first, applied=applied, how_applied="buffer apply"))
                if applied:
                    references.append(Reference(BUFFER, "settings", first, True))
        known = {WRED: self.tables.keys(), policies.POLICY: self.policies.steps.keys()}
        fills = {WRED: ("queue",), policies.POLICY: ("classify",)}
        for (kind, name, _), (line, ports) in self._uses.items():
            references.append(Reference(kind, name, line, name in known[kind], ports=tuple(ports), fills=fills[kind]))
        for name, _, line in self.shared.policies:
            # Files are seen that name a VLAN policy which is nowhere in them; what the device makes of it is not known.
            references.append(Reference(policies.POLICY, name, line, name in known[policies.POLICY] or None))
        return tuple(definitions), tuple(sorted(references, key=lambda r: r.origin.at.line))

    def _remarks(self, references: tuple[Reference, ...]) -> tuple[Remark, ...]:
        """Remarks in an object that nothing uses are marked so."""
        used = {(r.kind, r.name) for r in references}
        spans: list[tuple[int, int, bool]] = []
        for block in self.reading.root.children:
            kind = next(
                (
                    k
                    for k in (WRED, policies.POLICY, policies.CLASSIFIER, policies.BEHAVIOR)
                    if block.spec.path[0].startswith(k)
                ),
                None,
            )
            if kind is not None:
                spans.append((block.line, max([block.line, *block.lines]), (kind, block.name) in used))
        out = []
        for remark in self.reading.remarks.result():
            line = remark.origin.at.line
            dead = bool(remark.origin.path) and any(first <= line <= last and not use for first, last, use in spans)
            out.append(replace(remark, reached=False) if dead else remark)
        return tuple(out)

    def _rests_on(self, ports: dict[str, Port]) -> tuple[str, ...]:
        """The assumptions of nos.yaml that this reading made use of."""
        paths = {p for port in ports.values() for p in port.origins if not isinstance(port.origins[p], Default)}
        keys = set()
        if any(p.startswith(("pfc.no_drop.", "group.")) for p in paths):
            keys |= {"dot1p"}
        if any(p.endswith((".headroom", ".kmin", ".xon_offset", ".reserved")) for p in paths):
            keys.add("cells")
        if any(isinstance(said.value(f"group.{n}.threshold"), Alpha) for said in self._shapes.values() for n in range(8)):
            keys.add("dynamic-ratio")
        if any(p.endswith(".pmax") for p in paths):
            keys.add("probability")
        if any(n.startswith("pfc.") for n in self.shared.settings.said):
            keys.add("system-and-interface")
        if any(p.startswith("pfc.link_pause.") for p in paths) and "pfc.mode" in paths:
            keys.add("pfc-over-pause")
        return tuple(s.text for s in self.nos.structure if s.key in keys)

    def _routing(self) -> Routing:
        asn: int | None = None
        peers: dict[str, int] = {}
        for block in self.reading.root.below("bgp"):
            asn = int(block.name) if block.name.isdecimal() and len(block.name) < 11 else None
            for said in block.body.said:
                if not said.negated and said.values["asn"].isdecimal() and len(said.values["asn"]) < 11:
                    peers[said.values["peer"]] = int(said.values["asn"])
        return Routing(asn, FrozenMap(peers), self.shared.settings.value("mac_aging"))


def _prefix(text: str) -> str:
    """`10.1.1.1 255.255.255.0`, `10.1.1.1 24` and `2001:db8::1 64` as address/length; other masks as they are."""
    address, _, mask = text.replace("/", " ").partition(" ")
    if "." not in mask:
        return f"{address}/{mask}"
    parts = mask.split(".")
    if all(p.isdecimal() and int(p) < 256 for p in parts):
        bits = "".join(f"{int(p):08b}" for p in parts)
        if "01" not in bits:
            return f"{address}/{bits.count('1')}"
    return f"{address} {mask}"
