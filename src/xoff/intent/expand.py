"""Intent -> PlannedFabric: every device, port and link by name; every fault of the intent at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from xoff.fabric.planned import PlannedDevice, PlannedFabric, PlannedPort
from xoff.intent.classes import plan_classes
from xoff.intent.document import Path, Problems, no_collection
from xoff.intent.ends import Hosts, Wire, always
from xoff.intent.generators import generate
from xoff.intent.load import Intent, load
from xoff.intent.schema import HeadroomPart
from xoff.intent.suggest import did_you_mean
from xoff.intent.switches import Switch, Values, asic_of, lossless_room, options_of, plan_switches, watchdog_of
from xoff.intent.units import show
from xoff.intent.wires import Wiring
from xoff.model.fabric import ClassKind, End, Link
from xoff.model.frozen import FrozenMap

#: IPv4 (20) + UDP (8) + base transport header (12) + ICRC (4): the least that a RoCEv2 packet adds to its payload.
ROCE_HEADERS = 44
#: What a port without overrides says of itself.
_NOTHING = Values()


def plan(path: str | os.PathLike[str]) -> PlannedFabric:
    """Read, check and expand an intent file. Raises IntentError with all that is wrong."""
    with no_collection():
        return expand(load(path))


def expand(intent: Intent) -> PlannedFabric:
    """The plan of an intent. Deterministic. Raises IntentError with all that is wrong, in reading and in meaning."""
    with no_collection():
        fabric = _Expansion(intent).fabric()
    intent.problems.raise_any()
    return fabric


class _Expansion:
    def __init__(self, intent: Intent) -> None:
        self.intent, self.part, self.problems = intent, intent.part, intent.problems
        self._said: set[tuple[Path | None, str]] = set()

    def fabric(self) -> PlannedFabric:
        self._top()
        self.classes = plan_classes(self.intent)
        self.always = always(self.classes)
        self.known = {c.name for c in self.classes}
        self._check_carries()
        generated = generate(self.intent)
        self.switches = plan_switches(self.intent, generated.switches)
        self.hosts = Hosts(self.intent)
        for name in self.hosts.by_name:
            if name in self.switches:
                self.problems.add(("hosts",), f"{name} is a switch already; a host needs a name of its own", key=True)
        lost = any(self.problems.poisoned_below(k) for k in ("switches", "topology"))
        if not self.switches and not lost and self.part.topology is None:
            self.problems.add((), "no switches: write them under switches, or a topology")
        wires = Wiring(self.intent, self.switches, self.hosts).build(list(generated.groups))
        ends, links = self._links(wires)
        devices = {name: self._device(s, ends.get(name, {})) for name, s in self.switches.items()}
        title = self.part.fabric.name if self.part.fabric else None
        return PlannedFabric(
            name=title or "",
            workload=self.part.fabric.workload if self.part.fabric else "training",
            classes=self.classes,
            devices=FrozenMap(devices),
            links=links,
            hosts=tuple(self.hosts.by_name.values()),
            congestion_control=self.part.congestion_control,
            mtu=self.part.defaults.mtu,
            roce_mtu=self.part.defaults.roce_mtu,
            valley_free=self.part.routing.valley_free if self.part.routing else None,
            file=self.intent.file,
        )

    def _top(self) -> None:
        if self.part.version is None:
            if not self.problems.poisoned(("version",)):
                self.problems.add((), "the intent has no version", "begin with version: 1")
        elif self.part.version != 1:
            self.problems.add(("version",), f"version {self.part.version} is not known; this xoff reads version 1")
        fabric = self.part.fabric
        if fabric is None or fabric.name is None:
            lost = self.problems.poisoned(("fabric",)) or self.problems.poisoned(("fabric", "name"))
            if not lost:
                self.problems.add(("fabric",), "the fabric has no name", "for example fabric: {name: pod1}", key=True)

    # classes on links

    def _check_carries(self) -> None:
        part = self.part
        for i, link in enumerate(part.links or []):
            self._known_classes(link.carries, ("links", i, "carries"))
        if part.topology and part.topology.carries:
            for side in ("fabric", "host"):
                self._known_classes(getattr(part.topology.carries, side), ("topology", "carries", side))
        for name, switch in (part.switches or {}).items():
            for port, values in (switch.ports or {}).items():
                self._known_classes(values.carries, ("switches", name, "ports", port, "carries"))

    def _known_classes(self, carries: Iterable[str] | None, path: Path) -> None:
        for i, name in enumerate(carries or ()):
            if name not in self.known and not self.problems.poisoned_below("classes"):
                self.problems.add((*path, i), f"{show(name)} is no class of this intent", did_you_mean(name, self.known))

    def _carried(self, carries: Iterable[str] | None) -> frozenset[str]:
        if carries is None:
            return frozenset(self.known)
        return frozenset(c for c in carries if c in self.known) | self.always

    # links and ports

    def _links(self, wires: list[Wire]) -> tuple[dict[str, dict[str, tuple[Wire, End, Link]]], tuple[Link, ...]]:
        """Per device and port: its wire, the far end, and the link with the overrides of both ends."""
        ends: dict[str, dict[str, tuple[Wire, End, Link]]] = {}
        links = []
        for wire in wires:
            speed = self._shared(wire, "speed", wire.speed)
            cable = self._shared(wire, "cable", wire.cable_m)
            carries = self._shared(wire, "carries", wire.carries)
            link = Link(wire.a, wire.b, wire.evidence, speed, cable, self._carried(carries), wire.at)
            links.append(link)
            ends.setdefault(wire.a.device, {})[wire.a.port] = (wire, wire.b, link)
            if wire.b.device in self.switches:
                ends.setdefault(wire.b.device, {})[wire.b.port] = (wire, wire.a, link)
        return ends, tuple(links)

    def _shared(self, wire: Wire, key: str, value: Any) -> Any:
        """A value of the link, where an override of either end may set it; the ends may not contradict each other."""
        said = []
        for end in (wire.a, wire.b):
            port = self._port_values(end)
            if port is not None and key in port.of:
                said.append((port.get(key), port.path(key), end))
        if len(said) == 2 and said[0][0] != said[1][0] and not (key == "carries" and set(said[0][0]) == set(said[1][0])):
            (_, _, one), (_, path, other) = said
            message = (
                f"{key} of the link between {one.device}:{one.port} and {other.device}:{other.port} is said twice, differently"
            )
            self._once(path, message, f"{key} belongs to the link: say it once")
        if said:
            return said[0][0]
        if value is None and key != "carries":
            lost = wire.path is not None and (
                self.problems.poisoned((*wire.path, key))
                or self.problems.poisoned_below(*wire.path, "speed" if key == "speed" else "cables")
            )
            if wire.path is not None and not lost:
                self._once(
                    wire.path,
                    f"the link has no {key}",
                    {"speed": "for example speed: 400G", "cable": "for example cable: 30m"}[key],
                )
        return value

    def _port_values(self, end: End) -> Values | None:
        switch = self.switches.get(end.device)
        return None if switch is None else switch.ports.get(end.port)

    def _once(self, path: Path, message: str, hint: str = "") -> None:
        if (path, message) not in self._said:
            self._said.add((path, message))
            self.problems.add(path, message, hint, key=True)

    # devices

    def _device(self, switch: Switch, wired: Mapping[str, tuple[Wire, End, Link]]) -> PlannedDevice:
        get = switch.values.get
        defaults = self.part.defaults
        asic, facts = asic_of(switch)
        roce_mtu = get("roce_mtu", defaults.roce_mtu)
        mtu = get("mtu", defaults.mtu)
        ports = {}
        for port, (wire, far, link) in wired.items():
            ports[port] = self._port(switch, port, switch.ports.get(port, _NOTHING), mtu, wire, far, link)
        for port, values in switch.ports.items():
            if port not in wired:
                ports[port] = self._lone_port(switch, port, values, mtu)
        self._frames(switch, ports, roce_mtu)
        self._lossless(switch, ports)
        preset = get("headroom") or defaults.headroom or HeadroomPart()
        base = defaults.headroom.preset if defaults.headroom else None
        if "watchdog" in switch.values.of:
            watchdog = self._watchdog(get("watchdog"), switch.values.path("watchdog"))
        else:
            watchdog = self._watchdog(defaults.watchdog, ("defaults", "watchdog"))
        return PlannedDevice(
            name=switch.name,
            role=get("role") or "switch",
            nos=switch.nos.name if switch.nos else get("nos") or "",
            model=get("model") or "",
            ports=FrozenMap(ports),
            release=get("release"),
            asic=asic,
            asic_facts=facts,
            watchdog=watchdog,
            preset=preset.preset or base or "strict",
            roce_mtu=roce_mtu,
            options=options_of(switch),
            at=self.intent.document.line(switch.path),
        )

    def _watchdog(self, wish: Any, path: Path) -> Any:
        probe = Problems(self.intent.document)
        probe.items.clear()
        found = watchdog_of(wish, path, probe)
        for problem in probe.items:
            if problem not in self.problems.items:
                self.problems.add_problem(problem)
        return found

    def _port(self, switch: Switch, name: str, own: Values, mtu: int, wire: Wire, far: End, link: Link) -> PlannedPort:
        peer = self.switches.get(far.device)
        host = self.hosts.by_name.get(far.device)
        switched = own.get("switched", wire.switched)
        return PlannedPort(
            name=name,
            peer=far,
            peer_model=peer.values.get("model") if peer else host.nic_model if host else None,
            speed=link.speed or 0,
            cable_m=link.cable_m or 0,
            mtu=own.get("mtu") or mtu,
            carries=link.carries or self.always,
            routed=not switched,
            admin=own.get("admin", True),
            description=own.get("description", ""),
            headroom=own.get("headroom"),
            lanes=own.get("lanes") or wire.lanes,
            at=wire.at,
        )

    def _lone_port(self, switch: Switch, name: str, own: Values, mtu: int) -> PlannedPort:
        """A port that no link reaches: it says itself how fast it is and how long its cable."""
        path = next(iter(own.of.values()))[1][:-1] if own.of else switch.path
        for key, example in (("speed", "100G"), ("cable", "3m")):
            if own.get(key) is None and not self.problems.poisoned((*path, key)):
                message = f"the port is in no link, so it needs a {key} of its own"
                self._once(path, message, f"for example {key}: {example}; or is the port's name misspelt?")
        peer = None
        if (text := own.get("peer")) is not None:
            device, colon, port = text.partition(":")
            if not colon or not device or not port:
                self._once(own.path("peer"), f"expected device:port, such as fw1:eth0, not {show(text)}")
            else:
                peer = End(device, port)
        if switch.nos is not None and (pattern := switch.nos.refuses("port", name)):
            self._once(path, f"{show(name)} is no port of {switch.nos.name}: it must match {pattern}")
        return PlannedPort(
            name=name,
            peer=peer,
            peer_model=None,
            speed=own.get("speed") or 0,
            cable_m=own.get("cable") or 0,
            mtu=own.get("mtu") or mtu,
            carries=self._carried(own.get("carries")),
            routed=not own.get("switched", False),
            admin=own.get("admin", True),
            description=own.get("description", ""),
            headroom=own.get("headroom"),
            lanes=own.get("lanes"),
            at=self.intent.document.line(path),
        )

    def _lossless(self, switch: Switch, ports: Mapping[str, PlannedPort]) -> None:
        """No more lossless classes on a switch than its chip has buffers for; said once per chip."""
        room = lossless_room(switch)
        carried = frozenset().union(*(p.carries for p in ports.values()))
        here = [c.name for c in self.classes if c.lossless and c.kind is ClassKind.DATA and c.name in carried]
        if room is None or len(here) <= room[0]:
            return
        chip = switch.platform.asic.title if switch.platform else "the ASIC"
        self._once(
            ("classes",),
            f"{len(here)} lossless classes ({', '.join(here)}) meet on one switch, but {chip} has buffers for {room[0]}",
            f"source: {room[1]}. Let links carry fewer, or vouch for more with asic: {{lossless: {len(here)}}}",
        )

    def _frames(self, switch: Switch, ports: Mapping[str, PlannedPort], roce_mtu: int) -> None:
        """A RoCE frame must fit the MTU of every port that carries a lossless class."""
        lossless = {c.name for c in self.classes if c.lossless}
        for port in ports.values():
            if port.mtu < roce_mtu + ROCE_HEADERS and port.carries & lossless:
                values = switch.ports.get(port.name, _NOTHING)
                if "mtu" in values.of:
                    path = values.path("mtu")
                elif "mtu" in switch.values.of:
                    path = switch.values.path("mtu")
                else:
                    path = ("defaults", "mtu") if "mtu" in self.part.defaults.model_fields_set else ("defaults",)
                self._once(path, f"mtu {port.mtu} is too small for a RoCE MTU of {roce_mtu}: with headers it needs at least "
                                 f"{roce_mtu + ROCE_HEADERS}", "raise mtu, or lower roce_mtu")  # fmt: skip
                return
