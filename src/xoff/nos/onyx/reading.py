"""NVIDIA Onyx: from a configuration of single lines to the model. Facts and sources: templates/onyx/README.md."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import PurePath
from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, Default, Derived, Line, Origin, Origins
from xoff.model.qos import (
    Classify,
    Colour,
    Curve,
    HeaderField,
    Match,
    MatchKind,
    Pfc,
    PfcMode,
    PortQos,
    PriorityGroup,
    Queue,
    QueueId,
    QueueKind,
    Watchdog,
)
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.model.switch import (
    Bundle,
    Definition,
    Direction,
    Form,
    Interner,
    Pool,
    PoolKind,
    Port,
    PortKind,
    RemarkKind,
    SwitchModel,
)
from xoff.nos import chip, facts, registry
from xoff.nos.facts import Facts
from xoff.nos.linetemplate import Said
from xoff.nos.numbers import listed, whole
from xoff.nos.portlines import PortLines
from xoff.nos.reader import Block, Reader, Reading
from xoff.nos.registry import Nos
from xoff.nos.source import Source

POOL = "traffic pool"
NO_MODE = Unknown("whether PFC runs on a port of Onyx without `dcb priority-flow-control mode` is not sourced", Fact.DEFAULT)
NO_GLOBAL = Unknown("whether PFC runs on Onyx without `dcb priority-flow-control enable` is not sourced", Fact.DEFAULT)
NO_TRUST = Unknown("what a port of Onyx trusts without `qos trust` is not sourced", Fact.DEFAULT)
NON_IP = Unknown("what Onyx does with frames that are not IP is not sourced", Fact.DEFAULT)
HIDDEN = Unknown("Onyx sizes the headroom of lossless priorities by itself")
NO_TIMES = Unknown("the times of `pfc-wd` are not sourced", Fact.DEFAULT)
NO_PMAX = Unknown("the marking probability of Onyx's ECN is not sourced", Fact.DEFAULT)
BAD = Unknown("a value in the file is none that Onyx has")
ALL = range(8)
_KINDS = {"ethernet": PortKind.FRONT, "port-channel": PortKind.BUNDLE, "mlag-port-channel": PortKind.BUNDLE}
_NAME = re.compile(r"(?P<stem>(?:\d+/)*)(?P<first>\d+)(?:-(?P<stem2>(?:\d+/)*)(?P<last>\d+))?")
_MOST = 4096


def parse(sources: Sequence[Source], nos: Nos, given: Facts = facts.NONE) -> list[SwitchModel]:
    """One model per configuration. Never raises for what a file says."""
    reader = _reader(nos.name) if nos is registry.load(nos.name) else Reader(nos, _names)
    return [_Device(reader.read(source), nos, given).model() for source in sources]


@functools.cache
def _reader(name: str) -> Reader:
    return Reader(registry.load(name), _names)


def _names(path: str, found: Sequence[str]) -> tuple[str, ...] | None:
    """`1/1-1/3` under `interface ethernet *` as three names."""
    head, _, kind = path.rpartition(" ")[0].partition(" ")
    if head != "interface" or not found:
        return None
    match = _NAME.fullmatch(found[0])
    if match is None or match["last"] is None or match["stem2"] not in ("", match["stem"]):
        return (f"{kind} {found[0]}",)
    low, high = int(match["first"][:7]), int(match["last"][:7])
    if not low <= high < low + _MOST:
        return (f"{kind} {found[0]}",)
    return tuple(f"{kind} {match['stem']}{n}" for n in range(low, high + 1))


class _Device:
    """One configuration on its way to a model."""

    def __init__(self, reading: Reading, nos: Nos, given: Facts) -> None:
        self.reading, self.nos = reading, nos
        file = reading.source.path
        self.hostname = PurePath(file).stem
        self.no_drop: dict[int, Line] = {}
        self.on: Line | None = None
        self.off = False
        self.pools: dict[str, dict[str, tuple[Any, Line]]] = {}
        for said in reading.root.body.said:
            self._global(said.group, dict(said.values), bool(said.negated), reading.line(reading.root, said))
        self.facts = given.about(self.hostname, file)
        self._intern = Interner()
        self._bodies: dict[int, tuple[PortQos, Origins]] = {}

    def _global(self, group: str, values: dict[str, str], negated: bool, line: Line) -> None:
        if group == "hostname" and not negated:
            self.hostname = values["hostname"]
        elif group == "pfc":
            self.on, self.off = (None, True) if negated else (line, False)
        elif group == "pfc_priority":
            number = whole(values.get("priority", ""), 0, 7)
            if number is None:
                self._bad(line, "there is no such priority", "0 to 7")
            elif negated:
                self.no_drop.pop(number, None)
            else:
                self.no_drop[number] = line
        elif group.startswith("pool_") and not negated and "pool" in values:
            pool = self.pools.setdefault(values["pool"], {})
            if group == "pool_type":
                pool["type"] = (values["type"], line)
            elif group == "pool_memory":
                amount = re.fullmatch(r"\d{1,3}(?:\.\d{1,2})?", values["percent"])
                pool["size"] = (Quantity(Fraction(amount[0]), Unit.PERCENT_OF_POOL) if amount else BAD, line)
            else:
                pool["map"] = (listed(values["priorities"], 7) or frozenset(), line)

    def _bad(self, line: Line, message: str, expected: str, ports: Sequence[str] = ()) -> None:
        self.reading.remarks.add(RemarkKind.INVALID, line.path, line.text, line.at, message, expected, ports)

    def model(self) -> SwitchModel:
        ports = {b.name: self._port(b) for b in self.reading.root.below("interface")}
        bundles: dict[str, list[str]] = {n: [] for n, p in ports.items() if p.kind is PortKind.BUNDLE}
        for p in ports.values():
            if p.bundle is not None:
                bundles.setdefault(p.bundle, []).append(p.name)
        asic, architecture, platform = chip.of_facts(self.facts)
        release, role = self.facts.get("release"), self.facts.get("role")
        pfc_off: bool | Unknown = self.off or (False if self.on is not None else NO_GLOBAL)
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
            bundles=FrozenMap((n, Bundle(n, tuple(m), ports[n].at if n in ports else None)) for n, m in bundles.items()),
            pools=tuple(self._pools()),
            pfc_off=pfc_off,
            definitions=tuple(
                Definition(
                    POOL, name, next(iter(said.values()))[1], lossless=said.get("type", ("",))[0] == "lossless", applied=True
                )
                for name, said in self.pools.items()
            ),
            remarks=tuple(self.reading.remarks.result()),
            facts=FrozenMap(self.facts),
            structure=tuple(s.text for s in self.nos.structure),
            other_lines=self.reading.other,
            files=(self.reading.source.path,),
            origins=Origins({"pfc_off": self.on} if self.on is not None else {}),
        )

    def _pools(self) -> list[Pool]:
        out = []
        for name, said in self.pools.items():
            size = said.get("size", (None,))[0]
            origins: dict[str, Origin] = {"": next(iter(said.values()))[1]}
            origins |= {"size": said["size"][1]} if "size" in said else {}
            mode = Unknown("whether the pools of Onyx are static or dynamic is not sourced")
            out.append(Pool(name, Direction.INGRESS, PoolKind.SHARED, mode, size, origins=Origins(origins)))
        return out

    # --- ports ---

    def _port(self, block: Block) -> Port:
        kind = _KINDS[block.spec.path[0].split()[1]]
        key = id(block.body)
        body = self._bodies.get(key)
        if body is None:
            body = self._bodies[key] = self._intern(*self._body(block))
        said = _in_force(block)
        identity = block.identity
        own: dict[str, Origin] = {
            {"channel": "bundle", "address": "addresses"}.get(n, n): BodyLine(block.cause, rows[-1][2], n)
            for n, rows in identity.items()
        }
        mtu = speed = None
        if "mtu" in said:
            mtu, own["mtu"] = whole(said["mtu"].values["mtu"], 68, 65535), self._where(block, "mtu")
        if "speed" in said:
            speed, own["speed"] = facts.speed_mbps(said["speed"].values["speed"]), self._where(block, "speed")
        for fact, label in (("speed", "speed"), ("cable", "cable_m")):
            if fact in self.facts:
                known = self.facts[fact]
                own.setdefault(label, Derived(f"given: {known.value}", sources=(known.origin,), intent_at=known.at))
        bundle = None
        if "channel" in identity:
            number, _, masked = identity["channel"][-1]
            bundle = f"{'mlag-' if masked.startswith('mlag') else ''}port-channel {number}"
        front = kind is PortKind.FRONT
        if "peer" in said:
            kind = PortKind.PEER_LINK
        return Port(
            block.name,
            PortKind.MEMBER if bundle else kind,
            body[0],
            speed=speed or (facts.speed_mbps(self.facts["speed"].value) if front and "speed" in self.facts else None),
            mtu=mtu,
            bundle=bundle,
            cable_m=facts.metres(self.facts["cable"].value) if front and "cable" in self.facts else None,
            description=identity["description"][-1][0].strip('"') if "description" in identity else None,
            addresses=tuple(a for a, _, _ in identity.get("address", ())),
            at=self.reading.at(block.line),
            origins=body[1],
            own=Origins(own),
            lines=PortLines(self.reading.source.path, block.lines, {k: v[-1][1] for k, v in identity.items()}),
        )

    def _where(self, block: Block, group: str) -> BodyLine:
        said = _in_force(block)[group]
        return BodyLine(block.cause, block.body.texts[said.index], said.index)

    def _body(self, block: Block) -> tuple[PortQos, Origins]:
        origins: dict[str, Origin] = {}
        said = _in_force(block)
        mode: PfcMode | Unknown = NO_MODE
        if "mode" in said:
            origins["pfc.mode"] = self._where(block, "mode")
            word = said["mode"].values["mode"]
            mode = PfcMode(word) if word in ("on", "auto", "off") else BAD
        if mode is PfcMode.ON and self.on is None:
            mode = NO_GLOBAL if not self.off else PfcMode.OFF
        for n, line in self.no_drop.items():
            origins |= {f"pfc.{what}.{n}": line for what in ("no_drop", "send", "obey")} | {f"group.{n}": line}
        if not self.no_drop:
            entry = self.nos.default("pfc.no_drop")
            if entry is not None:
                origins["pfc.no_drop"] = entry.origin("no `dcb priority-flow-control priority N enable`")
        own = FrozenMap({n: frozenset({n}) for n in sorted(self.no_drop)})
        structure = self.nos.structure[0]
        identity = Default(structure.text, structure.evidence, structure.source)
        origins["tc_to_group"] = identity
        queue_map = self.nos.default("tc_to_queue")
        if queue_map is not None:
            origins["tc_to_queue"] = queue_map.origin("switch priority n goes to traffic class n")
        qos = PortQos(
            classify=self._classify(block, said, origins),
            tc_to_queue=FrozenMap({n: n for n in ALL} if queue_map is not None else {}),
            tc_to_group=FrozenMap({n: n for n in ALL}),
            pfc=Pfc(mode, frozenset(self.no_drop), own, own),
            groups=FrozenMap(self._groups(origins)),
            queues=FrozenMap(self._queues(block, origins)),
            watchdog=self._watchdog(block, mode, "watchdog" in said, origins),
        )
        return qos, Origins(origins)

    def _groups(self, origins: dict[str, Origin]) -> dict[int, PriorityGroup]:
        """Groups of PFC priorities, and of those that a lossless pool takes."""
        of_pool: dict[int, str] = {}
        for name, said in self.pools.items():
            if said.get("type", ("",))[0] == "lossless" and "map" in said:
                of_pool |= dict.fromkeys(said["map"][0], name)
                origins |= {f"group.{n}.pool": said["map"][1] for n in said["map"][0]}
        out = {}
        for n in sorted({*self.no_drop, *of_pool}):
            origins.setdefault(f"group.{n}", origins.get(f"group.{n}.pool") or self.no_drop[n])
            out[n] = PriorityGroup(n, lossless=True, headroom=HIDDEN, headroom_by_device=True, pool=of_pool.get(n))
        return out

    def _classify(self, block: Block, said: dict[str, Any], origins: dict[str, Origin]) -> Classify:
        entry = self.nos.default("classify.dscp")
        matches: list[Match] = []
        if entry is not None:
            origins["classify.dscp"] = entry.origin("the map of a switch on which none was set")
            matches = [Match(MatchKind.DSCP, frozenset(range(a, b + 1)), tc) for a, b, tc in entry.value]
        trust: HeaderField | Unknown = NO_TRUST
        tagged: HeaderField | Unknown = NO_TRUST
        if "trust" in said:
            origins["classify.trust"] = self._where(block, "trust")
            word = said["trust"].values["trust"].lower()
            known = {"l3": HeaderField.DSCP, "l2": HeaderField.PCP, "port": HeaderField.PORT}
            tagged = known.get(word, Unknown(f"what `qos trust {word}` reads of a frame with both fields is not sourced"))
            trust = HeaderField.DSCP if word == "both" else tagged
            if tagged is HeaderField.PCP:
                trust = HeaderField.PORT
        default = Unknown("the default switch priority of the port is not sourced", Fact.DEFAULT)
        return Classify(tuple(matches), tagged, trust, NON_IP, default)

    def _queues(self, block: Block, origins: dict[str, Origin]) -> dict[QueueId, Queue]:
        out: dict[QueueId, Queue] = {}
        for said in block.body.said:
            if said.group != "ecn":
                continue
            if said.negated:  # of one traffic class, or of all
                gone = whole(said.values.get("queue", ""), 0, 7)
                out = {k: q for k, q in out.items() if gone is not None and k.id != gone}
                continue
            where = BodyLine(block.cause, block.body.texts[said.index], said.index)
            number = whole(said.values["queue"], 0, 7)
            low, high = (whole(said.values[side], 0, 10**9) for side in ("kmin", "kmax"))
            if number is None or low is None or high is None:
                at = Line(where.path, where.text, self.reading.at(block.lines[said.index]))
                self._bad(at, "a value is none that Onyx has", "a traffic class 0 to 7 and kilobytes", block.ports)
                continue
            key = QueueId(QueueKind.UNICAST, number)
            kmin, kmax = (Quantity(Fraction(n), Unit.KBYTES) for n in (low, high))
            out[key] = Queue(key, FrozenMap({Colour.GREEN: Curve(kmin, kmax, NO_PMAX, marks=True)}))
            origins |= {f"queue.{key}{part}": where for part in ("", ".kmin", ".kmax", ".marks")}
        return out

    def _watchdog(self, block: Block, mode: PfcMode | Unknown, said: bool, origins: dict[str, Origin]) -> Watchdog:
        if mode is PfcMode.OFF:
            return Watchdog(available=True, enabled=False)
        if not said:
            default = Unknown("whether the watchdog runs on Onyx without `pfc-wd` is not sourced", Fact.DEFAULT)
            return Watchdog(available=True, enabled=default, priorities=default)
        origins["watchdog.enabled"] = origins["watchdog.priorities"] = self._where(block, "watchdog")
        guarded = frozenset(self.no_drop)
        return Watchdog(True, True, guarded, NO_TIMES, NO_TIMES, None, NO_TIMES, NO_TIMES)


def _in_force(block: Block) -> dict[str, Said]:
    """The last statement of each kind, unless a later line takes it back."""
    out: dict[str, Said] = {}
    for said in block.body.said:
        if said.negated:
            out.pop(said.group, None)
        else:
            out[said.group] = said
    return out
