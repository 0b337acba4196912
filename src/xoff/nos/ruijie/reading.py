"""Ruijie RGOS: what can be read of a configuration without guessing. Facts and sources: templates/ruijie/README.md."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import PurePath

from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, Derived, Line, Origin, Origins
from xoff.model.qos import Classify, Colour, Curve, Pfc, PortQos, Queue, QueueId, QueueKind, Watchdog
from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import (
    Bundle,
    Definition,
    Interner,
    Named,
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
from xoff.nos.source import Source

POLICY, CLASS = "policy-map", "class-map"
PFC = Unknown("no statement of RGOS about PFC is confirmed by a source", Fact.DEFAULT)
TRUST = Unknown("what an RGOS port trusts is not sourced", Fact.DEFAULT)
MARKS = Unknown("what `qos queue N ecn` does stands in one public document alone, without thresholds", Fact.DEFAULT)
_KINDS = {
    "aggregateport": PortKind.BUNDLE, "vlan": PortKind.SVI, "loopback": PortKind.LOOPBACK, "mgmt": PortKind.MANAGEMENT,
}  # fmt: skip
#: `! System software version : S_RGOS 11.0(1)`, as `show version` has it and collectors keep it.
_RELEASE = re.compile(r"! ?System software version\s*:\s*\S*_RGOS (?P<release>\S+)")
_PORT = re.compile(r"(?P<kind>[A-Za-z]+) (?P<number>\d+(?:/\d+){0,2})")


def parse(sources: Sequence[Source], nos: Nos, given: Facts = facts.NONE) -> list[SwitchModel]:
    """One model per configuration. Never raises for what a file says."""
    reader = _reader(nos.name) if nos is registry.load(nos.name) else Reader(nos)
    return [_Device(reader.read(source), nos, given).model() for source in sources]


@functools.cache
def _reader(name: str) -> Reader:
    return Reader(registry.load(name))


class _Device:
    """One configuration on its way to a model."""

    def __init__(self, reading: Reading, nos: Nos, given: Facts) -> None:
        self.reading, self.nos = reading, nos
        file = reading.source.path
        said: dict[str, Named] = {}
        self.hostname = PurePath(file).stem
        for line in reading.root.body.said:
            at = reading.at(reading.root.lines[line.index])
            if line.group == "hostname" and not line.negated:
                self.hostname = line.values["hostname"]
            elif line.group == "release" and not line.negated:
                said["release"] = Named(line.values["release"], "version line", at)
        for comment in reading.comments:
            found = _RELEASE.match(comment.text)
            if found:
                said.setdefault("release", Named(found["release"], "header comment", reading.at(comment.line)))
        self.facts = given.about(self.hostname, file, said)
        self._intern = Interner()
        self._bodies: dict[object, tuple[PortQos, Origins]] = {}
        self._uses: dict[str, tuple[Line, list[str]]] = {}

    def model(self) -> SwitchModel:
        ports: dict[str, Port] = {}
        for block in self.reading.root.below("interface"):
            if _PORT.fullmatch(block.name) is None:
                at = self.reading.at(block.line)
                message = f"{block.name} is no name of an interface, so nothing in the block holds anywhere"
                expected = "a name such as TFGigabitEthernet 0/1"
                self.reading.remarks.add(RemarkKind.RESIDUE, (), block.header, at, message, expected)
                continue
            ports[block.name] = self._port(block)
        bundles: dict[str, list[str]] = {n: [] for n, p in ports.items() if p.kind is PortKind.BUNDLE}
        for p in ports.values():
            if p.bundle is not None:
                bundles.setdefault(p.bundle, []).append(p.name)
        asic, architecture, platform = chip.of_facts(self.facts)
        release, role = self.facts.get("release"), self.facts.get("role")
        return SwitchModel(
            hostname=self.hostname,
            nos=self.nos.name,
            ports=FrozenMap(ports),
            role=role.value if role else None,
            release=release.value if release else Unknown("release not stated", Fact.RELEASE),
            platform=platform,
            asic=asic,
            architecture=architecture,
            bundles=FrozenMap((n, Bundle(n, tuple(m), ports[n].at if n in ports else None)) for n, m in bundles.items()),
            pfc_off=PFC,
            definitions=self._definitions(),
            references=self._references(),
            remarks=tuple(self.reading.remarks.result()),
            facts=FrozenMap(self.facts),
            structure=tuple(s.text for s in self.nos.structure),
            other_lines=self.reading.other,
            files=(self.reading.source.path,),
        )

    def _port(self, block: Block) -> Port:
        body = self._bodies.get(id(block.body))
        if body is None:
            body = self._bodies[id(block.body)] = self._intern(*_body(block))
        for said in block.body.said:
            if said.group == "policy" and not said.negated:
                line = self.reading.line(block, said)
                self._uses.setdefault(said.values["policy"], (line, []))[1].append(block.name)
        identity = block.identity
        channel = identity["channel"][-1][0] if "channel" in identity else None
        own: dict[str, Origin] = {
            {"channel": "bundle", "address": "addresses"}.get(n, n): BodyLine(block.cause, rows[-1][2], n)
            for n, rows in identity.items()
        }
        found = _PORT.fullmatch(block.name)
        kind = _KINDS.get(found["kind"].lower(), PortKind.FRONT) if found is not None else PortKind.INTERNAL
        front = kind is PortKind.FRONT
        for name, label in (("speed", "speed"), ("cable", "cable_m")):
            if front and name in self.facts:
                fact = self.facts[name]
                own[label] = Derived(f"given: {fact.value}", sources=(fact.origin,), intent_at=fact.at)
        return Port(
            block.name,
            PortKind.MEMBER if channel else kind,
            body[0],
            speed=facts.speed_mbps(self.facts["speed"].value) if front and "speed" in self.facts else None,
            bundle=f"AggregatePort {channel}" if channel else None,
            cable_m=facts.metres(self.facts["cable"].value) if front and "cable" in self.facts else None,
            description=identity["description"][-1][0] if "description" in identity else None,
            at=self.reading.at(block.line),
            origins=body[1],
            own=Origins(own),
            lines=PortLines(self.reading.source.path, block.lines, {k: v[-1][1] for k, v in identity.items()}),
        )

    def _definitions(self) -> tuple[Definition, ...]:
        found = [(word, b) for word in (CLASS, POLICY) for b in self.reading.root.below(word)]
        return tuple(Definition(word, b.name, self.reading.header(b)) for word, b in sorted(found, key=lambda f: f[1].line))

    def _references(self) -> tuple[Reference, ...]:
        classes = {b.name for b in self.reading.root.below(CLASS)}
        policies = {b.name: b for b in self.reading.root.below(POLICY)}
        out = [
            Reference(POLICY, name, line, name in policies, ports=tuple(ports), fills=("classify",))
            for name, (line, ports) in self._uses.items()
        ]
        for policy in policies.values():
            out += [Reference(CLASS, c.name, self.reading.header(c), c.name in classes) for c in policy.below("class")]
        return tuple(sorted(out, key=lambda r: r.origin.at.line))


def _body(block: Block) -> tuple[PortQos, Origins]:
    """A body of unknowns, with the queues that the port names."""
    queues: dict[QueueId, Queue] = {}
    origins: dict[str, Origin] = {}
    for said in block.body.said:
        number = whole(said.values.get("queue", ""), 0, 7)
        if said.group != "ecn" or said.negated or number is None:
            continue
        key = QueueId(QueueKind.UNICAST, number)
        queues[key] = Queue(key, FrozenMap({Colour.GREEN: Curve(MARKS, MARKS, MARKS, MARKS, MARKS)}))
        where = BodyLine(block.cause, block.body.texts[said.index], said.index)
        origins |= {f"queue.{key}": where, f"queue.{key}.marks": where}
    qos = PortQos(
        classify=Classify((), TRUST, TRUST, TRUST, TRUST),
        pfc=Pfc(PFC),
        queues=FrozenMap(queues),
        watchdog=Watchdog(available=PFC, enabled=PFC, priorities=PFC),
    )
    return qos, Origins(origins)
