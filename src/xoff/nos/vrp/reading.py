"""Huawei VRP8: from a configuration to the model. Facts and sources: templates/vrp/README.md."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from pathlib import PurePath

from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, Derived, FileLine, Line, Origin, Origins
from xoff.model.qos import PortQos
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
    RemarkKind,
    Routing,
    SwitchModel,
    Tunnel,
)
from xoff.nos import chip, facts, registry
from xoff.nos.facts import Facts, from_comments
from xoff.nos.portlines import PortLines
from xoff.nos.reader import Block, Reader, Reading
from xoff.nos.registry import Nos
from xoff.nos.settings import Settings, flat
from xoff.nos.source import Source
from xoff.nos.vrp import family, names
from xoff.nos.vrp.family import Hint
from xoff.nos.vrp.globals import DEFAULT, GlobalReader, Globals
from xoff.nos.vrp.ports import PortBuilder
from xoff.nos.vrp.session import excerpt, plain
from xoff.nos.vrp.statements import families_of, of_interface

PFC, DROP, DOMAIN, ETS, POLICY = "PFC profile", "drop-profile", "diffserv domain", "ETS profile", "traffic policy"
ROUTED = Unknown("an address stands on a port without `undo portswitch`, so whether it is routed is not certain")
_HEADER = re.compile(r"!\s*Software Version (\S+)")
#: Settings that use an object by name: what it is, and what of the port it would have filled.
_USES = (
    ("pfc.profile", PFC, ("pfc",)),
    ("domain", DOMAIN, ("classify", "rewrite")),
    ("ets", ETS, ("queue",)),
    ("policy", POLICY, ("classify",)),
    *((f"queue.{n}.profile", DROP, ("queue",)) for n in range(8)),
)
#: Names that are there without a line, or are no names at all.
_BUILT_IN = {PFC: {DEFAULT}, DOMAIN: {DEFAULT, "none"}, ETS: {DEFAULT}, DROP: {DEFAULT}, POLICY: set[str]()}


def parse(sources: Sequence[Source], nos: Nos, given: Facts = facts.NONE) -> list[SwitchModel]:
    """One model per configuration. Never raises for what a file says; what is not understood becomes remarks."""
    reader = _reader(nos.name) if nos is registry.load(nos.name) else Reader(nos, names.port_names)
    return [
        _Device(
            reader.read(Source(s.path, plain(s.text))), nos, given, Form.FRAGMENT if excerpt(s.text) else Form.RUNNING
        ).model()
        for s in sources
    ]


@functools.cache
def _reader(name: str) -> Reader:
    return Reader(registry.load(name), names.port_names)


class _Device:
    """One configuration on its way to a model."""

    def __init__(self, reading: Reading, nos: Nos, given: Facts, form: Form) -> None:
        self.reading = reading
        self.nos = nos
        self.form = form
        self._file = reading.source.path
        self._globals = GlobalReader(reading)
        self.shared: Globals = self._globals.read()
        comments = from_comments(self._file, reading.comments)
        for comment in reading.comments:
            found = _HEADER.match(comment.text)
            if found:
                comments.setdefault("release", Named(found[1], "device's header comment", reading.at(comment.line)))
        if self.shared.board is not None:
            model, line = self.shared.board
            comments.setdefault("model", Named(model, "device board line", line.at))
        named = comments.pop("hostname", None)
        said = self.shared.settings.value("hostname")
        self.hostname: str = said or (named.value if named else None) or PurePath(self._file).stem
        self.facts: dict[str, Named] = given.about(self.hostname, self._file, comments)
        self._blocks = {b.name: b for b in reading.root.below("interface")}
        self._shapes: dict[int, Settings] = {}
        self._hints()
        self.family = self._family()
        self._builder = PortBuilder(nos, self.shared, self.family)
        self._intern = Interner()
        self._bodies: dict[object, tuple[PortQos, Origins]] = {}
        self._owns: dict[object, Origins] = {}
        self._uses: dict[tuple[str, str, str], tuple[Line, list[str], tuple[str, ...]]] = {}

    def model(self) -> SwitchModel:
        bundles = self._members()
        in_bundle = {port: bundle for bundle, ports in bundles.items() for port in ports}
        ports: dict[str, Port] = {}
        tunnels: list[Tunnel] = []
        for name, block in self._blocks.items():
            if name.startswith("Nve"):
                tunnels.append(self._tunnel(block))
            else:
                ports[name] = self._port(block, in_bundle.get(name))
        asic, architecture, platform = chip.of_facts(self.facts)
        shared = self.shared.settings
        origins: dict[str, Origin] = {}
        for key in ("pfc_off", "hostname"):
            where = shared.origin(key)
            if where is not None:
                origins[key] = where
        definitions, references = self._objects()
        release, role = self.facts.get("release"), self.facts.get("role")
        rests_on = self._builder.rests_on
        return SwitchModel(
            hostname=self.hostname,
            nos=self.nos.name,
            ports=FrozenMap(ports),
            form=self.form,
            role=role.value if role else None,
            release=release.value if release else Unknown("release not stated", Fact.RELEASE),
            platform=platform,
            asic=asic,
            architecture=architecture,
            bundles=FrozenMap(
                (n, Bundle(n, members, self.reading.at(self._blocks[n].line) if n in self._blocks else None))
                for n, members in bundles.items()
            ),
            pools=self._pools(),
            tunnels=tuple(tunnels),
            pfc_off=bool(shared.value("pfc_off", False)),
            kilo=self.nos.kilo,
            routing=self._routing(),
            definitions=definitions,
            references=references,
            remarks=tuple(self.reading.remarks.result()),
            facts=FrozenMap(self.facts),
            structure=tuple(s.text for s in self.nos.structure if s.key in rests_on),
            other_lines=self.reading.other,
            files=(self._file,),
            origins=Origins(origins),
        )

    # --- family ---

    def _hints(self) -> None:
        """Lines of interfaces that only some families have, each kind once."""
        seen: set[tuple[frozenset[family.Family], str]] = set()
        for block in self._blocks.values():
            for said in block.body.said:
                families = families_of(said)
                text = block.body.texts[said.index]
                if families is not None and (families, text) not in seen:
                    seen.add((families, text))
                    self.shared.hints.append(Hint(families, self.reading.line(block, said)))

    def _family(self) -> family.Found:
        model, asic = self.facts.get("model"), self.facts.get("asic")
        entry = None
        if asic is not None or model is not None:
            from xoff import platforms  # a quarter of a reader's import

            entry = platforms.find(asic.value) if asic else None
            entry = entry or (platforms.find(model.value) if model else None)
        found = family.find(model.value if model else None, entry.asic.name if entry else None, self.shared.hints)
        if found.known is None:
            return found
        if entry is None and "asic" not in self.facts:
            self.facts["asic"] = Named(family.CHIPS[found.known], f"family {found.known.value}: {found.by}", found.at)
        if found.certain and found.known is not family.Family.C:
            self._foreign(found)
        return found

    def _foreign(self, found: family.Found) -> None:
        """Lines that a switch of this family does not have. (What V200 models had is not documented well enough.)"""
        for hint in self.shared.hints:
            if found.known not in hint.families:
                line = hint.line
                self.reading.remarks.add(
                    RemarkKind.INVALID, line.path, line.text, line.at,
                    f"the line belongs to another family of CloudEngine; this one ({found.by}) does not have it",
                    "the form that the command reference gives for this model",
                )  # fmt: skip

    # --- ports ---

    def _members(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {n: [] for n in self._blocks if names.kind_of(n) is PortKind.BUNDLE}
        for name, block in self._blocks.items():
            for number, _, _ in block.identity.get("channel", ())[-1:]:
                found.setdefault(f"Eth-Trunk{number}", []).append(name)
        return {bundle: tuple(members) for bundle, members in found.items()}

    def _settings(self, block: Block) -> Settings:
        found = self._shapes.get(id(block.body))
        if found is None:
            found = self._shapes[id(block.body)] = of_interface(block)
        for wrong in found.wrong:
            self._globals.bad(block, wrong.place[1], wrong.message, wrong.expected)
        return found

    def _port(self, block: Block, bundle: str | None) -> Port:
        own = self._settings(block)
        name = block.name
        kind = PortKind.MEMBER if bundle else names.kind_of(name)
        routed = self._routed(block, own, kind, bundle)
        slot = names.slot_of(name)
        body = self._bodies.get((id(block.body), routed, slot))
        if body is None:
            body = self._bodies[id(block.body), routed, slot] = self._intern(*self._builder.build(own, routed, slot))
        for setting, what, fills in _USES:
            self._use(own, block, setting, what, fills)
        identity = block.identity
        physical = kind in (PortKind.FRONT, PortKind.BREAKOUT, PortKind.MEMBER)
        speed = own.value("speed") or names.speed_of(name)
        if physical and speed is None:
            speed = self._number("speed", facts.speed_mbps)
        mtu, mtu_path = self._mtu(own, routed)
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
            name.partition(":")[0] if kind is PortKind.BREAKOUT else None,
            cable_m=self._number("cable", facts.metres) if physical else None,
            description=identity["description"][-1][0] if "description" in identity else None,
            addresses=tuple(_address(a) for a, _, _ in identity.get("address", ())),
            at=self.reading.at(block.line),
            origins=body[1],
            own=self._own(own, tuple(identity), block, mtu_path),
            lines=PortLines(self._file, flat(block), {k: v[-1][1] for k, v in identity.items()}),
        )

    def _mtu(self, own: Settings, routed: bool | Unknown | None) -> tuple[int | Unknown | None, str]:
        """(bytes, setting): the IP MTU of a routed port, else the largest frame of a switched one."""
        path = "mtu.ip" if routed is True else "mtu.frame"
        found: int | None = own.value(path)
        if found is None and routed is False:
            entry = self.nos.default("port.mtu", port_mode="switched")
            found = entry.value if entry is not None else None
        return found, path

    def _routed(self, block: Block, own: Settings, kind: PortKind, bundle: str | None) -> bool | Unknown | None:
        if kind in (PortKind.SVI, PortKind.SUBINTERFACE, PortKind.LOOPBACK, PortKind.MANAGEMENT):
            return True
        said = own.value("routed")
        if said is None and bundle and bundle in self._blocks:
            # The trunk's mode holds for its members.
            head = self._blocks[bundle]
            said = self._settings(head).value("routed")
            return bool(said) if said is not None else (ROUTED if "address" in head.identity else False)
        if said is not None:
            return bool(said)
        return ROUTED if "address" in block.identity else False

    def _own(self, own: Settings, identity: tuple[str, ...], block: Block, mtu_path: str) -> Origins:
        """Origins of the port's own values; shared by ports whose bodies and kinds of identity lines are equal."""
        key = (id(block.body), identity, mtu_path)
        cached = self._owns.get(key)
        if cached is None:
            found: dict[str, Origin] = {}
            for label, setting in (("speed", "speed"), ("mtu", mtu_path), ("admin", "admin"), ("routed", "routed")):
                where = own.origin(setting)
                if where is not None:
                    found[label] = where
            entry = self.nos.default("port.mtu", port_mode="switched")
            if "mtu" not in found and mtu_path == "mtu.frame" and entry is not None:
                found["mtu"] = entry.origin("no `jumboframe enable`")
            for name in identity:
                label = {"channel": "bundle", "address": "addresses"}.get(name, name)
                found[label] = BodyLine(block.cause, block.identity[name][-1][2], name)
            for name, label in (("speed", "speed"), ("cable", "cable_m")):
                if name in self.facts:
                    fact = self.facts[name]
                    found.setdefault(label, Derived(f"given: {fact.value}", sources=(fact.origin,), intent_at=fact.at))
            cached = self._owns[key] = Origins(found)
        return cached

    def _number(self, fact: str, read: Callable[[str], int | None]) -> int | None:
        named = self.facts.get(fact)
        return read(named.value) if named else None

    def _use(self, own: Settings, block: Block, setting: str, kind: str, fills: tuple[str, ...]) -> None:
        """A reference on a port, once per kind and line, with all its ports."""
        name, origin = own.value(setting), own.origin(setting)
        if not isinstance(name, str) or not isinstance(origin, BodyLine) or not isinstance(origin.key, int):
            return
        key = (kind, name, origin.text)
        if key not in self._uses:
            at: FileLine = self.reading.at(flat(block)[origin.key])
            self._uses[key] = (Line(origin.path, origin.text, at), [], fills)
        self._uses[key][1].append(block.name)

    def _tunnel(self, block: Block) -> Tunnel:
        shared = self.shared.settings
        origins: dict[str, Origin] = {"": self.reading.header(block)}
        where = shared.origin("nvo3_egress")
        if where is not None:
            origins["decap_ecn"] = where
        return Tunnel(block.name, decap_ecn=shared.value("nvo3_egress"), origins=Origins(origins))

    # --- device ---

    def _pools(self) -> tuple[Pool, ...]:
        return tuple(
            Pool(
                f"headroom-pool slot {slot}",
                Direction.INGRESS,
                PoolKind.HEADROOM,
                PoolMode.STATIC,
                found.value,
                origins=Origins({"": found.origin, "size": found.origin}),
            )
            for slot, found in sorted(self.shared.pools.items())
        )

    def _objects(self) -> tuple[tuple[Definition, ...], tuple[Reference, ...]]:
        shared = self.shared
        definitions: list[Definition] = []
        for profile in shared.pfc.values():
            if profile.name != DEFAULT:
                definitions.append(Definition(PFC, profile.name, profile.at, lossless=True))
        for drop in shared.drops.values():
            if drop.name != DEFAULT:
                definitions.append(Definition(DROP, drop.name, drop.at, marks=drop.ecn is not None))
        for domain in shared.domains.values():
            if domain.name != DEFAULT and domain.at is not None:
                definitions.append(Definition(DOMAIN, domain.name, domain.at))
        for ets in shared.ets.values():
            if ets.name != DEFAULT:
                definitions.append(Definition(ETS, ets.name, ets.at))
        there = {
            PFC: set(shared.pfc),
            DROP: set(shared.drops),
            DOMAIN: set(shared.domains),
            ETS: set(shared.ets),
            POLICY: set(shared.remarking),
        }
        partial = self.form is Form.FRAGMENT
        references = [
            Reference(kind, name, line, name in there[kind] or (None if partial else False), ports=tuple(ports), fills=fills)
            for (kind, name, _), (line, ports, fills) in self._uses.items()
            if name not in _BUILT_IN[kind]
        ]
        return tuple(definitions), tuple(references)

    def _routing(self) -> Routing:
        asn: int | None = None
        peers: dict[str, int] = {}
        for block in self.reading.root.below("bgp"):
            asn = int(block.name) if block.name.isdecimal() and len(block.name) < 11 else None
            groups: dict[str, int] = {}
            members: dict[str, str] = {}
            for said in block.body.said:
                if said.negated:
                    continue
                number = said.values.get("asn", "")
                if said.group == "peer" and number.isdecimal() and len(number) < 11:
                    groups[said.values["peer"]] = int(number)
                elif said.group == "member":
                    members[said.values["peer"]] = said.values["of"]
            peers = {p: groups[g] for p, g in members.items() if g in groups}
            peers |= {p: n for p, n in groups.items() if p not in members.values()}
        return Routing(asn, FrozenMap(peers))


def _address(text: str) -> str:
    """`10.0.0.1 255.255.255.254` as `10.0.0.1/31`; what has no such form as it stands."""
    address, _, mask = text.replace("/", " ").partition(" ")
    if mask.isdecimal() and int(mask) <= 128:
        return f"{address}/{int(mask)}"
    octets = mask.split(".")
    if len(octets) == 4 and all(o.isdecimal() and int(o) < 256 for o in octets):
        bits = "".join(f"{int(o):08b}" for o in octets)
        if "01" not in bits:
            return f"{address}/{bits.count('1')}"
    return text
