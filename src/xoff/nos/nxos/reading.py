"""Cisco NX-OS: from a running configuration to the model. Facts and sources: templates/nxos/README.md."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, Default, Derived, Evidence, Line, Origin, Origins
from xoff.model.qos import PortQos
from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import (
    CARRYING,
    Bundle,
    Definition,
    Form,
    Interner,
    Named,
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
from xoff.nos.facts import Facts, from_comments
from xoff.nos.linetemplate import Said
from xoff.nos.nxos import names, policies, statements, terminal, words
from xoff.nos.nxos.policies import NETWORK, QOS, QUEUING, Policies
from xoff.nos.nxos.ports import PortBuilder
from xoff.nos.portlines import PortLines
from xoff.nos.reader import Block, Reader, Reading
from xoff.nos.registry import Nos
from xoff.nos.settings import Bad, Setting, Settings
from xoff.nos.source import Source

ROUTED = Unknown("neither `switchport` nor `no switchport` nor an address says whether the port is routed")
OVERRIDE = Unknown("what `override-interface mode off` does is in no source that was read", Fact.DEFAULT)
_OWN = {"speed": "speed", "mtu": "mtu", "admin": "admin", "routed": "routed"}
#: Settings that bind a policy: (kind of the policy, what of the model it fills).
_BINDS = {
    "qos_in": (QOS, ("classify",)),
    "qos_out": (QOS, ("rewrite",)),
    "queuing_in": (QUEUING, ("group",)),
    "queuing_out": (QUEUING, ("queue",)),
    "network_qos": (NETWORK, ("pfc", "group")),
}
_PHYSICAL = (PortKind.FRONT, PortKind.BREAKOUT, PortKind.MEMBER)
_WITH_MTU = (*_PHYSICAL, PortKind.BUNDLE, PortKind.PEER_LINK)
#: A key and its value in a description; anything less plain is not taken for a length.
_CABLE = re.compile(r"(?<![\w-])cable[=:]\s?(\d{1,5}) ?m\b")
_MODEL = re.compile(r"!\s*Model:\s*(?P<model>(?:N\dK-)?C?\d[\w-]+)\s*$")


def parse(sources: Sequence[Source], nos: Nos, given: Facts = facts.NONE) -> list[SwitchModel]:
    """One model per configuration. Never raises for what a file says; what is not understood becomes remarks."""
    reader = _reader(nos.name) if nos is registry.load(nos.name) else Reader(nos, names.port_names)
    return [_Device(reader.read(Source(s.path, terminal.unwrapped(s.text))), nos, given).model() for s in sources]


@functools.cache
def _reader(name: str) -> Reader:
    return Reader(registry.load(name), names.port_names)


class _Device:
    """One configuration on its way to a model."""

    def __init__(self, reading: Reading, nos: Nos, given: Facts) -> None:
        self.reading = reading
        self.nos = nos
        self._file = reading.source.path
        self.shared = Settings()
        self._release: Setting | None = None
        #: Whether a device wrote the file: then what it does not print is at its default.
        self._by_device = False
        self._read_root()
        self._whole = self._is_whole()
        self.policies: Policies = policies.read(reading, self._whole)
        comments = from_comments(self._file, reading.comments)
        for comment in reading.comments:
            found = _MODEL.match(comment.text)
            if found and "model" not in comments:
                comments["model"] = Named(found["model"], "header comment", reading.at(comment.line))
        if self._release is not None and isinstance(self._release.origin, Line):
            comments["release"] = Named(self._release.value, "version line", self._release.origin.at)
        self._by_device = self._release is not None or any(c.text.startswith("!Command:") for c in reading.comments)
        named = comments.pop("hostname", None)
        self.hostname: str = self.shared.value("hostname") or (named.value if named else None) or PurePath(self._file).stem
        self.facts: dict[str, Named] = given.about(self.hostname, self._file, comments)
        if "model" in self.facts:
            model = self.facts["model"]
            self.facts["model"] = replace(model, value=names.model_name(model.value))
        self._builder = PortBuilder(nos, self.shared, self.policies, self._family())
        self._logical = PortBuilder(nos, Settings(), self.policies, logical=True)
        self._intern = Interner()
        self._shapes: dict[int, Settings] = {}
        self._bodies: dict[object, tuple[PortQos, Origins]] = {}
        self._owns: dict[object, Origins] = {}
        self._uses: dict[tuple[str, str, str], tuple[Line, list[str], tuple[str, ...]]] = {}
        self._arp: int | None = None
        self._silent_is_down = False

    # --- root ---

    def _read_root(self) -> None:
        root = self.reading.root
        for said in root.body.said:
            handler = self._ROOT.get(said.group)
            if handler is not None:
                handler(self, said)
        for block in root.below("system"):
            statements.of_system(block, self.reading, self.shared)

    def _line(self, said: Said) -> Line:
        return self.reading.line(self.reading.root, said)

    def _bad(self, said: Said, message: str, expected: str) -> None:
        root = self.reading.root
        at = self.reading.at(root.lines[said.index])
        self.reading.remarks.add(RemarkKind.INVALID, root.cause, root.body.texts[said.index], at, message, expected)

    def _hostname(self, said: Said) -> None:
        self.shared.said["hostname"] = Setting(None if said.negated else said.values["hostname"], self._line(said))

    def _version(self, said: Said) -> None:
        if not said.negated:
            self._release = Setting(said.values["release"], self._line(said))

    def _watchdog(self, said: Said) -> None:
        for name, value in statements.watchdog(said).items():
            if isinstance(value, Bad):
                self._bad(said, value.message, value.expected)
            else:
                self.shared.said[name] = Setting(value, self._line(said))

    def _override(self, said: Said) -> None:
        off = not said.negated and said.values["state"] == "off"
        self.shared.said["pfc_off"] = Setting(OVERRIDE if off else None, self._line(said))

    def _port_default(self, said: Said) -> None:
        self.shared.said["routed"] = Setting(bool(said.negated), self._line(said))

    def _mac_aging(self, said: Said) -> None:
        value = None if said.negated else words.whole(said.values["seconds"], 0, 10**6)
        if value is None and not said.negated:
            self._bad(said, f"{said.values['seconds']!r} is no number of seconds", "0 to 1000000")
        self.shared.said["mac_aging"] = Setting(value, self._line(said))

    _ROOT: Mapping[str, Callable[[_Device, Said], None]] = {
        "hostname": _hostname,
        "version": _version,
        "watchdog": _watchdog,
        "pfc_override": _override,
        "port_default": _port_default,
        "mac_aging": _mac_aging,
    }

    def _is_whole(self) -> bool:
        """Whether the file is a whole configuration: it names its switch and its ports and is not cut off."""
        named = self.shared.value("hostname") is not None or self._release is not None
        ports = any(self.reading.root.below("interface"))
        return named and ports and not terminal.cut_off(self.reading.source.text)

    def _family(self) -> str | None:
        """`8q` (Cloud Scale and newer Nexus 9000) or `4q`, by the names of system-defined classes, else by the model."""
        said = {words.eight_queues(n) for n in self.policies.class_names} - {None}
        if len(said) == 1:
            return "8q" if said.pop() else "4q"
        model = self.facts.get("model")
        if not said and model is not None and re.search(r"-(?:EX|FX\d?P?|GX\d?[AB]?|H\d?R?)\Z", model.value):
            return "8q"
        return None

    # --- model ---

    def model(self) -> SwitchModel:
        blocks = {b.name: b for b in self.reading.root.below("interface") if not b.spec.ignore}
        bundles = self._members(blocks)
        in_bundle = {port: bundle for bundle, ports in bundles.items() for port in ports}
        sockets = names.parents(blocks)
        self._silent_is_down = self._by_device and any(
            self._settings(b).value("admin") and names.kind_of(n) is PortKind.FRONT for n, b in blocks.items()
        )
        ports: dict[str, Port] = {}
        tunnels: list[Tunnel] = []
        for name, block in blocks.items():
            if name.startswith("nve"):
                tunnels.append(Tunnel(name, origins=Origins({"": self.reading.header(block)})))
                continue
            ports[name] = self._port(block, in_bundle.get(name), blocks, sockets.get(name))
        asic, architecture, platform = chip.of_facts(self.facts)
        definitions, references = self._objects()
        release, role = self.facts.get("release"), self.facts.get("role")
        mtus, mtu, origins = self._class_mtus()
        for key in ("pfc_off", "hostname"):
            where = self.shared.origin(key)
            if where is not None:
                origins[key] = where
        return SwitchModel(
            hostname=self.hostname,
            nos=self.nos.name,
            ports=FrozenMap(ports),
            form=Form.RUNNING if self._whole else Form.FRAGMENT,
            role=role.value if role else None,
            release=release.value if release else Unknown("release not stated", Fact.RELEASE),
            platform=platform,
            asic=asic,
            architecture=architecture,
            bundles=FrozenMap(
                (n, Bundle(n, members, self.reading.at(blocks[n].line) if n in blocks else None))
                for n, members in bundles.items()
            ),
            tunnels=tuple(tunnels),
            pfc_off=self.shared.value("pfc_off", False),
            kilo=self.nos.kilo,
            lossless_mtu=mtu,
            routing=self._routing(),
            definitions=definitions,
            references=references,
            remarks=self._remarks(references),
            facts=FrozenMap(self.facts),
            structure=self._structure(ports),
            other_lines=self.reading.other,
            files=(self._file,),
            origins=Origins(origins),
            class_mtus=mtus,
        )

    def _structure(self, ports: dict[str, Port]) -> tuple[str, ...]:
        no_drop = any(p.qos.pfc.no_drop for p in ports.values())
        policy = any(p.qos.classify.matches for p in ports.values())
        used = {"one-number": no_drop or policy, "pfc-cos": no_drop, "system-wide": no_drop, "first-class": policy}
        return tuple(s.text for s in self.nos.structure if used.get(s.key))

    def _class_mtus(self) -> tuple[FrozenMap[int, int | Unknown], int | None, dict[str, Origin]]:
        """MTU by class, the smallest of the no-drop classes, and their lines."""
        mtus: dict[int, int | Unknown] = {}
        origins: dict[str, Origin] = {}
        stated: list[Setting] = []
        silent: list[Line] = []
        network = self._builder.network
        for c in network if not isinstance(network, Unknown) else ():
            if c.group is not None and c.mtu is not None:
                mtus[c.group] = c.mtu.value
                origins[f"class_mtus.{c.group}"] = c.mtu.origin
            if isinstance(c.cos, Unknown) or c.cos:
                stated += [] if c.mtu is None else [c.mtu]
                silent += [c.at] if c.mtu is None else []
        least = min(stated, key=lambda s: s.value, default=None)
        # The MTU of a class by default is in no source, so one that says nothing leaves the smallest open.
        if silent:
            origins["lossless_mtu"] = silent[0]
        elif least is not None:
            origins["lossless_mtu"] = least.origin
        return FrozenMap(mtus), None if least is None or silent else least.value, origins

    # --- ports ---

    def _members(self, blocks: dict[str, Block]) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {n: [] for n in blocks if names.kind_of(n) is PortKind.BUNDLE}
        for name, block in blocks.items():
            for number, _, _ in block.identity.get("channel", ())[-1:]:
                found.setdefault(f"port-channel{number}", []).append(name)
        return {bundle: tuple(members) for bundle, members in found.items()}

    def _settings(self, block: Block) -> Settings:
        found = self._shapes.get(id(block.body))
        if found is None:
            found = self._shapes[id(block.body)] = statements.of_interface(block)
        return found

    def _port(self, block: Block, bundle: str | None, blocks: dict[str, Block], socket: str | None) -> Port:
        own = self._settings(block)
        for wrong in own.wrong:
            index = wrong.place[1]
            at = self.reading.at(block.lines[index])
            self.reading.remarks.add(
                RemarkKind.INVALID, block.cause, block.body.texts[index], at, wrong.message, wrong.expected, block.ports
            )
        kind = PortKind.MEMBER if bundle else names.kind_of(block.name)
        if kind is PortKind.FRONT and socket:
            kind = PortKind.BREAKOUT
        if kind is PortKind.BUNDLE and own.value("peer_link"):
            kind = PortKind.PEER_LINK
        routed = self._routed(block, own, kind, bundle, blocks)
        body_key = (id(block.body), kind in CARRYING)
        body = self._bodies.get(body_key)
        if body is None:
            builder = self._builder if kind in CARRYING else self._logical
            body = self._bodies[body_key] = self._intern(*builder.build(own))
        for setting in ("qos_in", "qos_out", "queuing_in", "queuing_out"):
            self._use(own, block, setting)
        arp = own.value("arp")
        if isinstance(arp, int):
            self._arp = max(arp, self._arp or 0)
        identity = block.identity
        description = identity["description"][-1][0] if "description" in identity else None
        speed, cable = own.value("speed"), None
        if kind in _PHYSICAL:
            speed = speed or self._number("speed", facts.speed_mbps)
            said = _CABLE.search(description) if description else None
            cable = int(said[1]) if said else self._number("cable", facts.metres)
        return Port(
            block.name,
            kind,
            body[0],
            speed,
            self._mtu(own, kind, bundle),
            self._admin(own, kind),
            routed,
            own.value("vrf"),
            bundle,
            socket,
            cable_m=cable,
            description=description,
            addresses=tuple(a for a, _, _ in identity.get("address", ())),
            at=self.reading.at(block.line),
            origins=body[1],
            own=self._own(own, tuple(identity), block, kind, bundle, description),
            lines=PortLines(self._file, block.lines, {k: v[-1][1] for k, v in identity.items()}),
        )

    def _mtu(self, own: Settings, kind: PortKind, bundle: str | None) -> int | None:
        said: int | None = own.value("mtu")
        if said is None and kind in _WITH_MTU and bundle is None:
            entry = self.nos.default("port.mtu")
            return None if entry is None else int(entry.value)
        return said

    def _admin(self, own: Settings, kind: PortKind) -> bool:
        said = own.value("admin")
        return bool(said) if said is not None else not (self._silent_is_down and kind in _PHYSICAL)

    def _routed(
        self, block: Block, own: Settings, kind: PortKind, bundle: str | None, blocks: dict[str, Block]
    ) -> bool | Unknown | None:
        if kind in (PortKind.SVI, PortKind.SUBINTERFACE, PortKind.LOOPBACK, PortKind.MANAGEMENT):
            return True
        said = own.value("routed")
        if said is None and bundle and bundle in blocks:
            # The bundle's mode holds for its members.
            said = self._settings(blocks[bundle]).value("routed")
        if said is not None:
            return bool(said)
        shared: bool | None = self.shared.value("routed")
        if shared is not None:
            return shared
        return True if "address" in block.identity else ROUTED

    def _own(
        self,
        own: Settings,
        identity: tuple[str, ...],
        block: Block,
        kind: PortKind,
        bundle: str | None,
        description: str | None,
    ) -> Origins:
        """Origins of the port's own values; shared by ports whose bodies and kinds of identity lines are equal."""
        cable = bool(description and _CABLE.search(description))
        key = (id(block.body), identity, kind, bundle is None, cable)
        cached = self._owns.get(key)
        if cached is None:
            found: dict[str, Origin] = {}
            for field, setting in _OWN.items():
                where = own.origin(setting)
                if where is not None:
                    found[field] = where
            entry = self.nos.default("port.mtu")
            if "mtu" not in found and kind in _WITH_MTU and bundle is None and entry is not None:
                found["mtu"] = entry.origin("no `mtu`")
            if "admin" not in found and self._silent_is_down and kind in _PHYSICAL:
                found["admin"] = Default(
                    "shut down by default: the configuration prints `no shutdown` where a port is up",
                    Evidence.COMPUTED,
                    "a running configuration prints only what is not the default",
                )
            for name in identity:
                label = {"channel": "bundle", "address": "addresses"}.get(name, name)
                found[label] = BodyLine(block.cause, block.identity[name][-1][2], name)
            if cable:
                found["cable_m"] = found["description"]
            for name, field in (("speed", "speed"), ("cable", "cable_m")):
                if name in self.facts:
                    fact = self.facts[name]
                    found.setdefault(field, Derived(f"given: {fact.value}", sources=(fact.origin,), intent_at=fact.at))
            cached = self._owns[key] = Origins(found)
        return cached

    def _number(self, fact: str, read: Callable[[str], int | None]) -> int | None:
        named = self.facts.get(fact)
        return read(named.value) if named else None

    # --- objects ---

    def _use(self, own: Settings, block: Block, setting: str) -> None:
        """A policy on a port, once per kind and name, with all its ports."""
        name, origin = own.value(setting), own.origin(setting)
        if not isinstance(name, str) or not isinstance(origin, BodyLine) or not isinstance(origin.key, int):
            return
        kind, fills = _BINDS[setting]
        line = Line(origin.path, origin.text, self.reading.at(block.lines[origin.key]))
        self._uses.setdefault((kind, name, origin.text), (line, [], fills))[1].append(block.name)

    def _objects(self) -> tuple[tuple[Definition, ...], tuple[Reference, ...]]:
        references = list(self.policies.references)
        for setting, (kind, fills) in _BINDS.items():
            name, where = self.shared.value(setting), self.shared.origin(setting)
            if isinstance(name, str) and isinstance(where, Line):
                references.append(Reference(kind, name, where, self._resolves(kind, name), fills=fills))
        for (kind, name, _), (line, ports, fills) in self._uses.items():
            references.append(Reference(kind, name, line, self._resolves(kind, name), ports=tuple(ports), fills=fills))
        return tuple(self.policies.definitions), tuple(sorted(references, key=lambda r: r.origin.at.line))

    def _resolves(self, kind: str, name: str) -> bool | None:
        return True if self.policies.known(kind, name) else False if self._whole else None

    def _remarks(self, references: tuple[Reference, ...]) -> tuple[Remark, ...]:
        """Remarks in a policy or class that no port reaches are marked so."""
        used = {(r.kind, r.name) for r in references}
        spans: list[tuple[int, int, bool]] = []
        for block in self.reading.root.below("policy-map", "class-map"):
            last = max([block.line, *block.lines, *(n for c in block.children for n in (c.line, *c.lines))])
            kinds = (k for k, name in used if name == block.name and k.startswith(block.spec.path[0].split()[0]))
            spans.append((block.line, last, any(kinds)))
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
            asn = _asn(block.name)
            stack = list(block.children)
            while stack:
                child = stack.pop(0)
                stack += child.children
                if child.spec.path[-1].startswith("vrf"):
                    continue
                said = [s.values["asn"] for s in child.body.said if s.group == "peer" and not s.negated]
                number = _asn(child.names[1] if len(child.names) > 1 else said[-1] if said else "")
                if number is not None:
                    peers[child.name.partition("/")[0]] = number
        return Routing(asn, FrozenMap(peers), self.shared.value("mac_aging"), self._arp)


def _asn(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 11 else None
