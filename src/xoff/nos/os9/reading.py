"""Dell OS9 (FTOS): from a running configuration to the model. Facts and sources: templates/os9/README.md."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, FileLine, Line, Origin, Origins
from xoff.model.qos import PortQos
from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import (
    Bundle,
    Definition,
    Form,
    Interner,
    Named,
    Port,
    PortKind,
    Reference,
    RemarkKind,
    SwitchModel,
)
from xoff.nos import chip, facts, registry
from xoff.nos.facts import Facts, from_comments
from xoff.nos.linetemplate import Said
from xoff.nos.numbers import listed, whole
from xoff.nos.os9.ports import DcbMap, Shared, build
from xoff.nos.portlines import PortLines
from xoff.nos.portnames import expand
from xoff.nos.reader import Block, Reader, Reading
from xoff.nos.registry import Nos
from xoff.nos.settings import Setting, Settings
from xoff.nos.source import Source

DCB_MAP = "dcb-map"
_WORDS = {
    w.lower(): w
    for w in ("TenGigabitEthernet", "fortyGigE", "hundredGigE", "twentyFiveGigE", "fiftyGigE", "GigabitEthernet",
              "Port-channel", "Vlan", "Loopback", "ManagementEthernet")
}  # fmt: skip
_SPEEDS = {
    "GigabitEthernet": 1000,
    "TenGigabitEthernet": 10_000,
    "twentyFiveGigE": 25_000,
    "fortyGigE": 40_000,
    "fiftyGigE": 50_000,
    "hundredGigE": 100_000,
}
_KINDS = {
    "Port-channel": PortKind.BUNDLE,
    "Vlan": PortKind.SVI,
    "Loopback": PortKind.LOOPBACK,
    "ManagementEthernet": PortKind.MANAGEMENT,
}
#: Statement -> (setting, value that it names, the word that means yes; None: the value itself).
_VALUES: dict[str, tuple[str, str, str | None]] = {
    "dcb_map": ("dcb_map", "map", None),
    "trust": ("trust", "header", "dot1p"),
    "pfc_mode": ("pfc.mode", "mode", "on"),
    "policy": ("policy", "policy", None),
    "admin": ("admin", "admin", "up"),
    "switchport": ("routed", "switched", "off"),
}


def parse(sources: Sequence[Source], nos: Nos, given: Facts = facts.NONE) -> list[SwitchModel]:
    """One model per configuration. Never raises for what a file says; what is not understood becomes remarks."""
    reader = _reader(nos.name) if nos is registry.load(nos.name) else Reader(nos, port_names)
    return [_Device(reader.read(source), nos, given).model() for source in sources]


@functools.cache
def _reader(name: str) -> Reader:
    return Reader(registry.load(name), port_names)


def full(text: str) -> tuple[str, ...]:
    """Full names: `tengigabitethernet 0/45-47` gives `TenGigabitEthernet 0/45` and two more."""
    return expand(re.sub(r"\s*,\s*", ",", text.strip()), lambda word: _WORDS.get(word.lower(), word) + " ")


def port_names(path: str, names: Sequence[str]) -> tuple[str, ...] | None:
    """For the reader: full names of an interface header; None for other headers."""
    return full(names[0]) if path == "interface **" and names else None


class _Device:
    """One configuration on its way to a model."""

    def __init__(self, reading: Reading, nos: Nos, given: Facts) -> None:
        self.reading = reading
        self.nos = nos
        self._file = reading.source.path
        self.globals = {s.group: s for s in reading.root.body.said}
        said = self.globals.get("hostname")
        self.hostname: str = said.values["hostname"] if said and not said.negated else PurePath(self._file).stem
        comments = from_comments(self._file, reading.comments)
        provision = self.globals.get("provision")
        if provision is not None and not provision.negated:
            at = self.reading.line(reading.root, provision).at
            comments.setdefault("model", Named(provision.values["model"], "stack-unit provision", at))
        self.facts: dict[str, Named] = given.about(self.hostname, self._file, comments)
        self.maps = {b.name: self._dcb_map(b) for b in reading.root.below("dcb-map")}
        self.shared = self._shared()
        self._intern = Interner()
        self._bodies: dict[int, tuple[PortQos, Origins]] = {}
        self._shapes: dict[int, Settings] = {}
        self._uses: dict[str, tuple[Line, list[str]]] = {}

    def model(self) -> SwitchModel:
        blocks = {b.name: b for b in self.reading.root.below("interface")}
        bundles = self._members(blocks)
        in_bundle = {port: bundle for bundle, ports in bundles.items() for port in ports}
        ports = {name: self._port(block, in_bundle.get(name)) for name, block in blocks.items()}
        asic, architecture, platform = chip.of_facts(self.facts)
        references = tuple(
            Reference(DCB_MAP, name, line, name in self.maps, ports=tuple(users), fills=("pfc", "group"))
            for name, (line, users) in self._uses.items()
        )
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
            definitions=tuple(Definition(DCB_MAP, n, m.at, lossless=bool(m.pauses)) for n, m in self.maps.items()),
            references=references,
            remarks=tuple(self.reading.remarks.result()),
            facts=FrozenMap(self.facts),
            structure=tuple(s.text for s in self.nos.structure) if self.maps else (),
            other_lines=self.reading.other,
            files=(self._file,),
        )

    def _bad(self, block: Block, index: int, message: str, expected: str) -> None:
        at = self.reading.at(block.lines[index])
        self.reading.remarks.add(
            RemarkKind.INVALID, block.cause, block.body.texts[index], at, message, expected, block.ports
        )  # fmt: skip

    def _dcb_map(self, block: Block) -> DcbMap:
        on: dict[int, Line] = {}
        pgid: tuple[tuple[int, ...], Line] | None = None
        for said in block.body.said:
            line = self.reading.line(block, said)
            if said.group == "group":
                number = whole(said.values.get("group", ""), 0, 7)
                if number is None:
                    self._bad(block, said.index, f"priority group {said.values.get('group')} does not exist", "0 to 7")
                elif said.negated or said.values["pfc"] == "off":
                    on.pop(number, None)
                else:
                    on[number] = line
            elif said.group == "pgid":
                numbers = [whole(x, 0, 7) for x in said.values["groups"].split()] if not said.negated else []
                known = tuple(n for n in numbers if n is not None)
                if not said.negated and (len(known) != 8 or len(numbers) != 8):
                    self._bad(
                        block, said.index, "priority-pgid names a group for each of the eight priorities", "eight numbers"
                    )
                    continue
                pgid = None if said.negated else (known, line)
        found = DcbMap(self.reading.header(block))
        if pgid is not None:
            found.pauses = {p: on[g] for p, g in enumerate(pgid[0]) if g in on}
        return found

    def _shared(self) -> Shared:
        root = self.reading.root
        dcb, trust = self.globals.get("dcb"), self.globals.get("trust")
        on = dcb is None or (dcb.values.get("dcb", "on") == "on") is not bool(dcb.negated)
        family = self.nos.default("family")
        model = self.facts.get("model")
        queues: tuple[int, ...] | None = None
        origin: Origin | None = None
        if family is not None and model is not None and model.value.upper().split("-")[0] in family.value:
            entry = self.nos.default("tc_to_queue", family="four-queues")
            if entry is not None:
                queues, origin = tuple(entry.value), entry.origin(f"four data queues of {model.value}")
        return Shared(
            on,
            None if dcb is None else self.reading.line(root, dcb),
            None if trust is None or trust.negated else self.reading.line(root, trust),
            self.maps,
            queues,
            origin,
        )

    # --- ports ---

    def _members(self, blocks: dict[str, Block]) -> dict[str, tuple[str, ...]]:
        """Members of bundles: named by the bundle (channel-member) or by the port (port-channel-protocol LACP)."""
        found: dict[str, list[str]] = {n: [] for n in blocks if n.startswith("Port-channel")}
        for name, block in blocks.items():
            for text, _, _ in block.identity.get("members", ()):
                found.setdefault(name, []).extend(full(text))
            for child in block.children:
                for number, _, _ in child.identity.get("channel", ())[-1:]:
                    found.setdefault(f"Port-channel {number}", []).append(name)
        return {bundle: tuple(dict.fromkeys(members)) for bundle, members in found.items()}

    def _settings(self, block: Block) -> Settings:
        found = self._shapes.get(id(block.body))
        if found is not None:
            return found
        out = Settings()
        for said in block.body.said:
            origin = BodyLine(block.cause, block.body.texts[said.index], said.index)
            for name, value in self._values(block, said).items():
                out.said[name] = Setting(value, origin)
        self._shapes[id(block.body)] = out
        return out

    def _values(self, block: Block, said: Said) -> dict[str, Any]:
        v, no = said.values, bool(said.negated)
        if said.group in ("pfc_priority", "no_drop"):
            key = "pfc.priority" if said.group == "pfc_priority" else "no_drop"
            numbers = None if no else listed(v.get("priorities") or v.get("queues") or "", 7)
            if numbers is None and not no:
                self._bad(block, said.index, "no list of numbers that OS9 has here", "0 to 7")
                return {}
            return {key: numbers}
        if said.group in ("mtu", "speed"):
            number = None if no else whole(v[said.group], 1, 1_600_000)
            if number is None and not no and v[said.group] != "auto":
                self._bad(block, said.index, f"{said.group} {v[said.group]} does not exist", "a number")
                return {}
            return {said.group: number}
        if said.group == "pause":
            return {f"pause.{w}": None if no else v[w] == "on" for w in ("rx", "tx")}
        named = _VALUES.get(said.group)
        if named is None:
            return {}
        name, key, yes = named
        return {name: None if no else v[key] if yes is None else v[key] == yes}

    def _peer_links(self) -> frozenset[str]:
        return frozenset(
            f"Port-channel {said.values['number']}"
            for block in self.reading.root.below("vlt")
            for said in block.body.said
            if said.group == "peer_link" and not said.negated
        )

    def _port(self, block: Block, bundle: str | None) -> Port:
        own = self._settings(block)
        body = self._bodies.get(id(block.body))
        if body is None:
            body = self._bodies[id(block.body)] = self._intern(*build(own, self.shared, self.nos))
        name, identity = block.name, block.identity
        word = name.partition(" ")[0]
        kind = _KINDS.get(word, PortKind.FRONT if word in _SPEEDS else PortKind.INTERNAL)
        if kind is PortKind.FRONT and bundle:
            kind = PortKind.PEER_LINK if bundle in self._peer_links() else PortKind.MEMBER
        used, where = own.value("dcb_map"), own.origin("dcb_map")
        if isinstance(used, str) and isinstance(where, BodyLine) and isinstance(where.key, int):
            line = Line(where.path, where.text, self.reading.at(block.lines[where.key]))
            self._uses.setdefault(used, (line, []))[1].append(name)
        origins: dict[str, Origin] = {
            n: o for n in ("mtu", "speed", "admin", "routed") if (o := own.origin(n)) is not None and own.value(n) is not None
        }
        origins |= {n: BodyLine(block.cause, rows[-1][2], n) for n, rows in identity.items()}
        return Port(
            name,
            kind,
            body[0],
            own.value("speed") or _SPEEDS.get(word),
            own.value("mtu"),
            own.value("admin", True),
            own.value("routed", "address" in identity) if kind is not PortKind.PEER_LINK else None,
            bundle=bundle,
            description=identity["description"][-1][0] if "description" in identity else None,
            addresses=tuple(a for a, _, _ in identity.get("address", ())),
            at=FileLine(self._file, block.line),
            origins=body[1],
            own=Origins(origins),
            lines=PortLines(self._file, block.lines, {k: v[-1][1] for k, v in identity.items()}),
        )
