"""Juniper Junos: from a configuration to the model. Facts and sources: templates/junos/README.md."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import PurePath

from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, Derived, Line, Origin, Origins
from xoff.model.qos import PortQos
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.model.switch import (
    Bundle,
    Direction,
    Form,
    Interner,
    Named,
    Pool,
    PoolKind,
    PoolMode,
    Port,
    PortKind,
    SwitchModel,
)
from xoff.nos import chip, facts, registry
from xoff.nos.facts import Facts, from_comments
from xoff.nos.junos import names
from xoff.nos.junos.bindings import COS, Entries, lines_of
from xoff.nos.junos.checks import check
from xoff.nos.junos.family import NOT_KNOWN, Family, of_lines, of_model
from xoff.nos.junos.gather import Gatherer
from xoff.nos.junos.ports import Facing, PortBuilder
from xoff.nos.junos.references import References, placed
from xoff.nos.junos.wires import Wire, wires
from xoff.nos.portlines import PortLines
from xoff.nos.reader import Reader, Reading
from xoff.nos.registry import Nos
from xoff.nos.source import Source


def parse(sources: Sequence[Source], nos: Nos, given: Facts = facts.NONE) -> list[SwitchModel]:
    """One model per configuration. What is not understood becomes remarks.

    Raises InputError where groups would make a configuration grow beyond all bounds.
    """
    reader = _reader(nos.name) if nos is registry.load(nos.name) else Reader(nos)
    return [_Device(reader.read(source), nos, given).model() for source in sources]


@functools.cache
def _reader(name: str) -> Reader:
    return Reader(registry.load(name))


class _Device:
    """One configuration on its way to a model."""

    def __init__(self, reading: Reading, nos: Nos, given: Facts) -> None:
        self.reading = reading
        self.nos = nos
        self._file = reading.source.path
        self._gatherer = Gatherer(reading)
        self.objects = self._gatherer.read()
        self._root = {b.spec.path[-1].split()[0]: b for b in reading.root.children}
        comments = from_comments(self._file, reading.comments)
        said = self._said("system", "hostname", "hostname")
        self.hostname = said[0].strip('"') if said else PurePath(self._file).stem
        self._hostname_at = said[1] if said else None
        release = self._release()
        if release is not None:
            comments.setdefault("release", release)
        self.facts: dict[str, Named] = given.about(self.hostname, self._file, comments)
        self.family = self._family()
        self.form = Form.RUNNING if "interfaces" in self._root else Form.FRAGMENT
        cos = self._root.get("class-of-service")
        block = next(cos.below("interfaces"), None) if cos is not None else None
        self._entries = Entries(reading, block)
        self.wires = wires(reading)
        self._builder = PortBuilder(nos, self.objects, self.family)
        self._intern = Interner()
        self._bodies: dict[object, tuple[PortQos, Origins]] = {}
        self._owns: dict[object, Origins] = {}

    def model(self) -> SwitchModel:
        ports = self._ports()
        asic, architecture, platform = chip.of_facts(self.facts)
        check(self._gatherer, self.family, self._builder.lacking, self._ports_of_profile(ports))
        named = References(self.reading, self.objects, self._entries, self.family, self.form, self._builder.built_in)
        references = named.references(ports)
        release, role = self.facts.get("release"), self.facts.get("role")
        mtu, mtu_at = self._lossless_mtu(ports)
        origins: dict[str, Origin] = {}
        for key, where in (("hostname", self._hostname_at), ("lossless_mtu", mtu_at)):
            if where is not None:
                origins[key] = where
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
            bundles=FrozenMap(self._bundles(ports)),
            pools=self._pools(),
            kilo=self.nos.kilo,
            lossless_mtu=mtu,
            definitions=named.definitions(),
            references=references,
            remarks=placed(self.reading.remarks.result(), references, self._root.get("class-of-service")),
            facts=FrozenMap(self.facts),
            structure=tuple(s.text for s in self.nos.structure if s.key in self._rests_on(ports)),
            other_lines=self.reading.other,
            files=(self._file,),
            origins=Origins(origins),
        )

    def _said(self, block: str, group: str, value: str) -> tuple[str, Line] | None:
        """The last value of a statement directly under a top-level block, with its line."""
        found = self._root.get(block)
        said = [s for s in found.body.said if s.group == group] if found is not None else []
        return (said[-1].values[value], self.reading.line(found, said[-1])) if found is not None and said else None

    def _release(self) -> Named | None:
        root = self.reading.root
        said = [s for s in root.body.said if s.group == "version"]
        if not said:
            return None
        return Named(said[-1].values["release"], "version statement", self.reading.at(root.lines[said[-1].index]))

    def _family(self) -> Family:
        model = self.facts.get("model")
        known = of_model(model.value) if model is not None else NOT_KNOWN
        if known.name is not None and (not known.qfx or known.buffers is not None):
            return known
        release = self.facts.get("release")
        pauses = any(p.pfc is not None for made in self.objects.pausing.values() for p in made.points.values())
        found = of_lines(
            self._gatherer.percents("ingress"),
            self._gatherer.percents("egress"),
            self.objects.shared,
            self.objects.accounts,
            pauses,
            release.value if release else None,
        )
        if known.name is None:
            return found
        return Family(known.name, found.buffers, known.why)

    # --- ports ---

    def _ports(self) -> dict[str, Port]:
        out: dict[str, Port] = {}
        for name in dict.fromkeys((*self.wires, *self._entries.own)):
            if not names.is_interface(name):
                continue  # no interface of Junos
            out[name] = self._port(name, self.wires.get(name) or Wire(name))
        for wire in self.wires.values():
            if wire.name not in out:
                continue
            for unit, sub in wire.subs.items():
                out[f"{wire.name}.{unit}"] = self._port(wire.name, sub)
        if self.form is Form.FRAGMENT:
            # Without the interfaces a wildcard stands for those that it means: judged as one port.
            for pattern in self._entries.wild:
                if not any(names.means(pattern, n) for n in out):
                    out[pattern] = self._port(pattern, Wire(pattern))
        return out

    def _kind(self, wire: Wire) -> PortKind:
        if wire.bundle:
            return PortKind.MEMBER
        if wire.sub_ports:
            return PortKind.INTERNAL  # a socket that is split: its sub-ports are the ports
        if names.is_wildcard(wire.name):
            return PortKind.FRONT
        return names.kind_of(wire.name if wire.unit is None else f"{wire.name}.{wire.unit}")

    def _port(self, entry: str, wire: Wire) -> Port:
        kind = self._kind(wire)
        routed = wire.routed
        if wire.bundle and wire.bundle in self.wires:
            routed = self.wires[wire.bundle].routed  # the bundle's mode holds for its members
        if kind in (PortKind.SVI, PortKind.SUBINTERFACE, PortKind.LOOPBACK, PortKind.MANAGEMENT):
            routed = True
        said: bool | Unknown | None = routed
        if routed is None and self.form is Form.FRAGMENT:
            said = Unknown("whether the port is routed or switched is not in this file", Fact.CONFIG)
        pattern = names.is_wildcard(entry)
        own, wild = (None, (self._entries.wild[entry],)) if pattern else self._entries.meaning(entry)
        facing = Facing(said, wire.tagged, wire.trunk, wire.filter, wire.pause)
        key = ((None, (entry,)) if pattern else self._entries.key(entry), facing, wire.units)
        body = self._bodies.get(key)
        if body is None:
            bound = self._entries.settings(entry, wire.units)
            qos, origins = self._builder.build(bound, facing)
            if own is not None:
                origins = Origins({**origins, "": BodyLine(COS, "", 0)})
            body = self._bodies[key] = self._intern(qos, origins)
        speed = wire.speed
        socket = names.socket_of(wire.name)
        if speed is None and socket is not None and socket in self.wires:
            speed = self.wires[socket].speed
        cable, cable_at = self._cable(body[0], body[1], entry, wire)
        if kind in (PortKind.FRONT, PortKind.BREAKOUT, PortKind.MEMBER):
            speed = speed or self._number("speed", facts.speed_mbps)
            cable = cable if cable is not None else self._number("cable", facts.metres)
        line = wire.at or (own.line if own is not None else wild[0].line if wild else 0)
        return Port(
            wire.name if wire.unit is None else f"{wire.name}.{wire.unit}",
            kind,
            body[0],
            speed,
            wire.mtu,
            wire.admin,
            said,
            wire.vrf,
            wire.bundle,
            socket if kind is PortKind.BREAKOUT else None,
            cable_m=cable,
            description=wire.description,
            addresses=wire.addresses,
            at=self.reading.at(line) if line else None,
            origins=body[1],
            own=self._own(wire, cable_at),
            lines=PortLines(self._file, lines_of(own) if own is not None else (), wire.lines),
        )

    def _cable(self, qos: PortQos, origins: Origins, entry: str, wire: Wire) -> tuple[int | None, Origin | None]:
        """The length that the profile in force sizes headroom by; None where it says none."""
        if not qos.pfc.send:
            return None, None
        name = self._entries.settings(entry, wire.units).value("cnp")
        made = self.objects.pausing.get(name) if isinstance(name, str) else None
        return made.cable if made is not None and made.cable is not None else (None, None)

    def _own(self, wire: Wire, cable_at: Origin | None) -> Origins:
        key = (tuple(wire.said.items()), cable_at)
        cached = self._owns.get(key)
        if cached is None:
            found: dict[str, Origin] = {field: BodyLine(path, text, field) for field, (path, text) in wire.said.items()}
            if cable_at is not None:
                found["cable_m"] = cable_at
            for name, field in (("speed", "speed"), ("cable", "cable_m")):
                if name in self.facts:
                    fact = self.facts[name]
                    found.setdefault(field, Derived(f"given: {fact.value}", sources=(fact.origin,), intent_at=fact.at))
            cached = self._owns[key] = Origins(found)
        return cached

    def _number(self, fact: str, read: Callable[[str], int | None]) -> int | None:
        named = self.facts.get(fact)
        return read(named.value) if named else None

    def _bundles(self, ports: dict[str, Port]) -> dict[str, Bundle]:
        found: dict[str, list[str]] = {n: [] for n, p in ports.items() if p.kind is PortKind.BUNDLE}
        for name, port in ports.items():
            if port.bundle and port.kind is PortKind.MEMBER:
                found.setdefault(port.bundle, []).append(name)
        return {n: Bundle(n, tuple(members), ports[n].at if n in ports else None) for n, members in found.items()}

    def _ports_of_profile(self, ports: dict[str, Port]) -> dict[str, tuple[str, ...]]:
        out: dict[str, list[str]] = {}
        for name, wire in self.wires.items() if self.wires else ():
            cnp = self._entries.settings(name, wire.units).value("cnp")
            if isinstance(cnp, str):
                out.setdefault(cnp, []).append(name)
        return {k: tuple(v) for k, v in out.items()}

    # --- device ---

    def _pools(self) -> tuple[Pool, ...]:
        out = []
        for (direction, part), (share, line) in sorted(
            self.objects.parts.items(), key=lambda e: (e[0][0] == "egress", e[0][1])
        ):
            headroom = part == "lossless-headroom"
            out.append(
                Pool(
                    f"{direction} {part}",
                    Direction(direction),
                    PoolKind.HEADROOM if headroom else PoolKind.SHARED,
                    PoolMode.STATIC if headroom else PoolMode.DYNAMIC,
                    Quantity(Fraction(share), Unit.PERCENT_OF_POOL),
                    includes_headroom=False,
                    origins=Origins({"": line, "size": line}),
                )
            )
        return tuple(out)

    def _lossless_mtu(self, ports: dict[str, Port]) -> tuple[int | None, Origin | None]:
        """The smallest MRU by which headroom is sized on a port that pauses: as said, else the switch's own."""
        best: tuple[int, Origin] | None = None
        for name in dict.fromkeys(n for n, p in ports.items() if p.qos.pfc.send and p.kind is not PortKind.SUBINTERFACE):
            units = self.wires[name].units if name in self.wires else frozenset()
            cnp = self._entries.settings(name, units).value("cnp")
            made = self.objects.pausing.get(cnp) if isinstance(cnp, str) else None
            for point in made.points.values() if made is not None else ():
                if point.pfc is None:
                    continue
                found: tuple[int, Origin] | None = point.mru
                if found is None:
                    of = ports[name].origins
                    priority = next((p for p in ports[name].qos.pfc.send if of.get(f"pfc.send.{p}") == point.pfc), None)
                    entry = self.nos.default("device.lossless_mtu", feature=f"priority {priority}")
                    found = (entry.value, entry.origin("no mru is said")) if entry is not None else None
                if found is not None and (best is None or found[0] < best[0]):
                    best = found
        return best if best is not None else (None, None)

    def _rests_on(self, ports: dict[str, Port]) -> set[str]:
        if not any(p.qos.queues for p in ports.values()):
            return set()
        return {"queue-is-class"} | ({"group-is-priority"} if any(p.qos.pfc.send for p in ports.values()) else set())
