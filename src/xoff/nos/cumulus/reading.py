"""Cumulus Linux: from NVUE and the flat files to the model. The door is `parse`; sources: templates/cumulus/README.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePath

from xoff.errors import InputError
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Derived, FileLine, Line, Origin, Origins
from xoff.model.qos import PortQos
from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import (
    Architecture,
    Bundle,
    Form,
    Named,
    Port,
    PortKind,
    RemarkKind,
    Routing,
    SwitchModel,
)
from xoff.nos import facts
from xoff.nos.cumulus import flat, objects
from xoff.nos.cumulus.body import Bodies
from xoff.nos.cumulus.claims import Claims
from xoff.nos.cumulus.commands import read_leaves
from xoff.nos.cumulus.device import Device
from xoff.nos.cumulus.state import GLOBAL, KINDS, PFC, PortSaid, State
from xoff.nos.cumulus.words import release_of
from xoff.nos.facts import Facts, metres, speed_mbps
from xoff.nos.nvue import Leaves, is_document, read_commands, read_document
from xoff.nos.registry import Nos
from xoff.nos.remarks import Remarks
from xoff.nos.source import Source

_COMMANDS = re.compile(r"(?m)^[ \t]*(?:\S+[$#][ \t]*)?(?:sudo[ \t]+)?(?:nv|net)[ \t]")
#: `# device: leaf1 (MSN4700, Cumulus Linux 5.12.0)`, as xoff writes it; `(release 5.x: …)` in a note of the file's keeper.
_DEVICE = re.compile(r"#\s*device:\s*(?P<name>\S+)\s*\((?P<model>[^,()]+?)(?:,\s*Cumulus Linux (?P<release>[^()]+?))?\)\s*$")
_RELEASE = re.compile(r"(?i)\b(?:release|cumulus linux)\s+(?P<release>\d+\.[\dx]+(?:\.\d+)?)")
_KINDS = (
    (re.compile(r"swp\d+s\d+\Z"), PortKind.BREAKOUT),
    (re.compile(r"swp\d+\Z"), PortKind.FRONT),
    (re.compile(r"eth\d+\Z"), PortKind.MANAGEMENT),
    (re.compile(r"(?:lo|loopback)\d*\Z"), PortKind.LOOPBACK),
    (re.compile(r"vlan\d+\Z"), PortKind.SVI),
    (re.compile(r"\S+\.\d+\Z"), PortKind.SUBINTERFACE),
    (re.compile(r"peerlink\Z"), PortKind.PEER_LINK),
    (re.compile(r"(?:bond|po|peerlink)[\w-]*\Z"), PortKind.BUNDLE),
)
_TYPES = {
    "bond": PortKind.BUNDLE, "peerlink": PortKind.PEER_LINK, "svi": PortKind.SVI, "loopback": PortKind.LOOPBACK,
    "eth": PortKind.MANAGEMENT, "sub": PortKind.SUBINTERFACE,
}  # fmt: skip
_FRONT = frozenset({PortKind.FRONT, PortKind.BREAKOUT, PortKind.MEMBER})


def parse(sources: Sequence[Source], nos: Nos, given: Facts = facts.NONE) -> list[SwitchModel]:
    """The switch that these files describe together. Raises InputError for a document that is no YAML."""
    return [_Reader(sources, nos, given).model()] if sources else []


class _Reader:
    """The files of one switch on their way to a model."""

    def __init__(self, sources: Sequence[Source], nos: Nos, given: Facts) -> None:
        self.sources, self.nos = sources, nos
        self.state, self.remarks = State(), Remarks()
        self.other = 0
        self._interfaces = False
        self._comments: dict[str, Named] = {}
        read = [(s, *self._leaves(s)) for s in sources]
        self.hostname = self._name(read)
        weaker = (self._said(read), self._comments)
        self.facts: dict[str, Named] = given.about(self.hostname, sources[0].path, *weaker)
        release = self.facts.get("release")
        self.release = None if release is None else release_of(release.value)
        nvue = any(kind == "nvue" for _, kind, _ in read)
        for source, kind, leaves in read:
            self._take(source, kind, leaves, nvue)
        self.platform, self.asic, self.architecture = self._platform()
        self.device = Device(nos, self.state, self.release)
        self.bodies = Bodies(self.device)
        self._wrong_mode()

    # --- files ---

    def _leaves(self, source: Source) -> tuple[str, Leaves]:
        """(kind, leaves) of a file: nvue, nclu or one of the flat files."""
        if is_document(source.text):
            return "nvue", read_document(source.path, source.text)
        if _COMMANDS.search(source.text):
            found = read_commands(source.text)
            old = any(leaf.words[0] == "net" for leaf in found.found) and not any(
                leaf.words[0] != "net" for leaf in found.found
            )
            return ("nclu" if old else "nvue"), found
        return flat.kind_of(source.path, source.text), flat.read_flat(source.text)

    def _name(self, read: Sequence[tuple[Source, str, Leaves]]) -> str:
        said = named = None
        for source, _, leaves in read:
            for leaf in leaves.found:
                if leaf.words[-2:-1] == ("hostname",) and leaf.words[:-2] in (("system",), ("net",)):
                    said = leaf.words[-1]
            for line, text in leaves.comments[:20]:
                found = _DEVICE.match(text)
                if found and named is None:
                    self._comment(found, FileLine(source.path, line))
                    named = found["name"]
        return said or named or PurePath(read[0][0].path).stem

    def _comment(self, found: re.Match[str], at: FileLine) -> None:
        self._comments["model"] = Named(found["model"].strip(), "device's header comment", at)
        if found["release"]:
            self._comments["release"] = Named(found["release"].strip(), "device's header comment", at)

    def _said(self, read: Sequence[tuple[Source, str, Leaves]]) -> dict[str, Named]:
        """Facts in the files: the document's header, a release named in a comment."""
        out: dict[str, Named] = {}
        for source, _, leaves in read:
            for leaf in leaves.header:
                at = FileLine(source.path, leaf.line)
                if leaf.words[0] == "model" and len(leaf.words) > 1:
                    out.setdefault("model", Named(leaf.words[1], "header of the document", at))
                elif leaf.words[0] == "version" and len(leaf.words) > 1 and release_of(leaf.words[1]):
                    version = leaf.words[1].removeprefix("Cumulus Linux").strip()
                    out.setdefault("release", Named(version, "header of the document", at))
            for line, text in leaves.comments[:20]:
                found = _RELEASE.search(text)
                if found and not _DEVICE.match(text):
                    out.setdefault("release", Named(found["release"], "comment", FileLine(source.path, line)))
        return out

    def _take(self, source: Source, kind: str, leaves: Leaves, nvue: bool) -> None:
        claims = Claims(self.nos, source.path, self.remarks)
        if kind in flat.OLD and (nvue or (self.release is not None and self.release >= (5,))):
            release = self.facts.get("release")
            flat.unread(claims, kind, leaves, "5.0 or later, which has NVUE" if release is None else release.value)
        elif kind in ("nvue", "nclu"):
            self.state.kinds.add(kind)
            self._interfaces |= any(leaf.words[0] == "interface" for leaf in leaves.found)
            read_leaves(self.state, claims, leaves.found)
            claims.strange(leaves.strange)
        elif kind == "switchd.conf":
            self.state.kinds.add(kind)
            flat.Switchd(self.state, claims).read_file(leaves)
        else:
            self.state.kinds.add(kind)
            flat.Flat(self.state, claims, kind).read_file(leaves)
        self.other += claims.other + leaves.other

    # --- the model ---

    def model(self) -> SwitchModel:
        state, device = self.state, self.device
        bundle_of = {m: b for b, members in state.members.items() for m in members}
        parents = self._parents()
        ports: dict[str, Port] = {}
        for said in list(state.ports.values()):
            for name in self._children(said):
                if name not in parents:
                    ports[name] = self._port(state.ports.get(name, said), name, bundle_of.get(name), parents)
        if not any(p.kind in _HAVE_QOS for p in ports.values()) and self._qos_for_all():
            said = PortSaid(GLOBAL, self._global_at())
            qos, where = self.bodies.of_all(said)
            ports[GLOBAL] = Port(GLOBAL, PortKind.FRONT, qos, NO_PORT, NO_PORT, NO_PORT, NO_PORT, at=said.at, origins=where)
        origins: dict[str, Origin] = {}
        if "hostname" in state.device:
            origins["hostname"] = state.device["hostname"].origin
        definitions, references = objects.named(state)
        role, release = self.facts.get("role"), self.facts.get("release")
        pools = device.layout(frozenset()).pools() if state.kinds & {"nvue", "qos_infra.conf"} else ()
        rests = {"merge"} | ({"priority-group", "pfc-number"} if any(p.qos.pfc.no_drop for p in ports.values()) else set())
        return SwitchModel(
            hostname=self.hostname,
            nos=self.nos.name,
            ports=FrozenMap(ports),
            form=Form.RUNNING if self._ports_said else Form.FRAGMENT,
            role=role.value if role else None,
            release=release.value if release else Unknown("release not stated", Fact.RELEASE),
            platform=self.platform,
            asic=self.asic,
            architecture=self.architecture,
            bundles=FrozenMap(
                (b, Bundle(b, members, state.ports[b].at if b in state.ports else None)) for b, members in state.members.items()
            ),
            pools=pools,
            profiles=FrozenMap(objects.buffer_profiles(state)),
            tunnels=objects.tunnels(state),
            kilo=self.nos.kilo,
            routing=Routing(state.value("asn"), FrozenMap(state.peers)),
            definitions=definitions,
            references=references,
            remarks=tuple(self.remarks.result()),
            facts=FrozenMap(self._all_facts()),
            tables=frozenset(state.kinds),
            structure=tuple(s.text for s in self.nos.structure if s.key in rests),
            other_lines=self.other,
            files=tuple(s.path for s in self.sources),
            origins=Origins(origins),
        )

    def _global_at(self) -> FileLine:
        """The line that says most of what holds for all ports: RoCE, else the first profile of all."""
        first = [self.device.mode_origin, *(p.at for (_, name), p in self.state.profiles.items() if name == GLOBAL)]
        return next((o.at for o in first if isinstance(o, Line)), FileLine(self.sources[0].path, 0))

    @property
    def _ports_said(self) -> bool:
        """Whether the input is where interfaces are configured."""
        return self._interfaces or "nclu" in self.state.kinds

    def _qos_for_all(self) -> bool:
        """Whether the files say what holds for every port that is bound to no profile of its own."""
        state = self.state
        named = any(name == GLOBAL for kind, name in state.profiles if kind in KINDS) or any(
            k.startswith("all.") for k in state.device
        )
        return self.device.mode != "off" or (named and bool(state.kinds & {"nvue", "qos_features.conf"}))

    def _parents(self) -> dict[str, PortSaid]:
        """Ports that are broken out and so are none themselves."""
        return {p.name: p for p in self.state.ports.values() if _ways(p.value("breakout")) > 1}

    def _children(self, said: PortSaid) -> Sequence[str]:
        ways = _ways(said.value("breakout"))
        if ways < 2:
            return (said.name,)
        return [n for n in (f"{said.name}s{i}" for i in range(ways)) if n not in self.state.ports]

    def _kind(self, said: PortSaid, name: str, bundle: str | None) -> PortKind:
        if bundle:
            return PortKind.MEMBER
        stated = _TYPES.get(str(said.value("type"))) if said.name == name else None
        if stated is not None and not name.startswith("swp"):
            return PortKind.PEER_LINK if name == "peerlink" else stated
        if name in self.state.members and name != "peerlink":
            return PortKind.BUNDLE
        return next((kind for pattern, kind in _KINDS if pattern.match(name)), PortKind.INTERNAL)

    def _port(self, said: PortSaid, name: str, bundle: str | None, parents: dict[str, PortSaid]) -> Port:
        kind = self._kind(said, name, bundle)
        inherits = said if said.name == name else PortSaid(name, said.at, lines=said.lines)
        head = self.state.ports.get(bundle) if bundle else None
        if head is not None:
            # QoS of a bond stands on the bond; the watchdog on its members.
            inherits = PortSaid(
                name, said.at, {**inherits.bound, **head.bound}, inherits.values, lines={**head.lines, **said.lines}
            )
        qos, origins = self.bodies.of(inherits) if kind in _HAVE_QOS else (_EMPTY, Origins())
        parent = name.partition("s")[0] if kind is PortKind.FRONT else name[: name.rindex("s")] if "s" in name[3:] else None
        own: dict[str, Origin] = {}
        values = inherits.values
        for key, field in (("mtu", "mtu"), ("speed", "speed"), ("admin", "admin"), ("bridged", "routed")):
            if key in values:
                own[field] = values[key].origin
        mtu: int | Unknown | None = inherits.value("mtu")
        entry = self.nos.default("port.mtu")
        if mtu is None and not self._ports_said:
            mtu = NO_PORTS
        elif mtu is None and entry is not None and kind in _HAVE_QOS:
            mtu = int(entry.value)
            own["mtu"] = entry.origin(f"no link mtu is set: {mtu}")
        speed, cable = inherits.value("speed"), None
        if kind in _FRONT:
            speed = speed or self._outside("speed", own, speed_mbps)
            cable = self._cable(inherits, qos, own)
        return Port(
            name,
            kind,
            qos,
            speed,
            mtu,
            bool(inherits.value("admin", True)) if self._ports_said else NO_PORTS,
            self._routed(inherits, head, kind),
            inherits.value("vrf"),
            bundle,
            parent if parent in parents or kind is PortKind.BREAKOUT else None,
            cable_m=cable,
            addresses=tuple(inherits.addresses),
            at=said.at,
            origins=origins,
            own=Origins(own),
            lines=inherits.lines,
        )

    def _routed(self, said: PortSaid, head: PortSaid | None, kind: PortKind) -> bool | None:
        if kind in (PortKind.SVI, PortKind.SUBINTERFACE, PortKind.LOOPBACK, PortKind.MANAGEMENT):
            return True
        of = head or said
        if of.value("bridged"):
            return False
        return True if of.addresses else None

    def _outside(self, fact: str, own: dict[str, Origin], read: Callable[[str], int | None]) -> int | None:
        named = self.facts.get(fact)
        if named is None:
            return None
        found = read(named.value)
        if found is not None:
            own[fact] = Derived(f"given: {named.value}", sources=(named.origin,), intent_at=named.at)
        return found

    def _cable(self, said: PortSaid, qos: PortQos, own: dict[str, Origin]) -> int | None:
        """The length that the switch is told, else what the project file knows; without PFC it is told none."""
        bound = said.bound.get(PFC) or self.state.device.get(f"all.{PFC}")
        told = self.device.cable(GLOBAL if bound is None else str(bound.value)) if qos.pfc.send else None
        if told is None:
            found = self._outside("cable", own, metres)
            if "cable" in own:
                own["cable_m"] = own.pop("cable")
            return found
        own["cable_m"] = told.origin
        return int(told.value)

    # --- device ---

    def _platform(self) -> tuple[str | Unknown, str | Unknown, Architecture | Unknown]:
        model, asic = self.facts.get("model"), self.facts.get("asic")
        nothing = Unknown("ASIC not stated", Fact.ASIC)
        platform: str | Unknown = model.value if model else Unknown("model not stated", Fact.ASIC)
        if model is None and asic is None:
            return platform, nothing, nothing
        from xoff import platforms

        found = platforms.find(asic.value) if asic else None
        if found is None and model:
            found = platforms.find(model.value)
        if found is None:
            named = asic or model
            said = Unknown(f"{named.value if named else ''} is not in platforms/", Fact.ASIC)
            return platform, said, said
        if asic is None and model is not None:
            self.facts["asic"] = Named(found.asic.name, f"model {model.value}", model.at)
        return platform, found.asic.name, found.asic.architecture.value

    def _wrong_mode(self) -> None:
        """A RoCE mode that this generation of Spectrum does not have."""
        why = self.device.wrong_mode(self.asic)
        line = self.device.mode_origin
        if why is not None and isinstance(line, Line):
            self.remarks.add(RemarkKind.INVALID, line.path, line.text, line.at, why, "another RoCE mode")

    def _all_facts(self) -> dict[str, Named]:
        out = dict(self.facts)
        at = self.device.mode_origin
        place = at.at if isinstance(at, Line) else None
        if self.device.mode != "off":
            out["roce_mode"] = Named(self.device.mode, "qos roce", place)
        return out


_HAVE_QOS = _FRONT | {PortKind.BUNDLE, PortKind.PEER_LINK}
_EMPTY = PortQos()
NO_PORTS = Unknown("interfaces are configured in NVUE or /etc/network/interfaces, which is not in the input", Fact.CONFIG)
NO_PORT = Unknown("no port is named in the input: this stands for all that have no profile of their own", Fact.CONFIG)


def _ways(text: object) -> int:
    """Ports that a breakout makes: `4x`, `2x(4)`; 1 for none, `disabled` or `1x`."""
    found = re.match(r"(\d)x", str(text)) if text is not None else None
    return int(found[1]) if found else 1


__all__ = ["InputError", "parse"]
