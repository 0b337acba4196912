"""The objects that the engine hands to rules: ports (by body), devices, links, the fabric.

A `PortView` stands for all ports of one device that no port rule could tell apart; so equal ports are judged once and
every finding already lists them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Any

from xoff.lint.ports import PortView
from xoff.lint.view import NotAssessed
from xoff.model.fabric import CERTAIN_LINKS, ClassInForce, ClassKind, Fabric, Link, LinkEvidence
from xoff.model.fields import Difference, same
from xoff.model.finding import Confidence
from xoff.model.headroom_table import HeadroomRow, LookupTable
from xoff.model.origin import Derived, Line
from xoff.model.quantity import Context, Fact, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Form, Port, SwitchModel

if TYPE_CHECKING:
    from xoff.errors import InputError
    from xoff.fabric.planned import PlannedDevice, PlannedFabric
    from xoff.nos.registry import Can
    from xoff.platforms import Asic


@dataclass(slots=True)
class DeviceView:
    """One switch as rules see it."""

    maybe: SwitchModel
    fabric: FabricView
    ports: tuple[PortView, ...] = ()
    planned: PlannedDevice | None = None
    expected: SwitchModel | None = None
    asic_facts: Asic | None = None
    _differences: tuple[Difference, ...] | None = None

    def __repr__(self) -> str:
        return f"DeviceView({self.maybe.hostname})"

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Where the device is not what the intent makes of it: `ours` is the intent's value, `theirs` the device's.

        Only fields that the NOS can express (`can` in nos.yaml), on ports that the intent names. Raises NotAssessed where
        there is no model to compare with.
        """
        if self.expected is None:
            raise NotAssessed("the intent gives no model of this device", Fact.ASIC)
        if self._differences is None:
            from xoff.nos import registry

            can = registry.load(self.maybe.nos).can
            found = [d for d in same(self.expected, self.maybe, can) if not self._only_intent(d)]
            found += self._left_to_intent(self.expected) if "port.cable" in can else []
            # A length that this NOS says on no such port (only where it pauses) is no difference.
            said = (d for d in found if d.field != "port.cable" or d.ours is not None)
            self._differences = tuple(d for d in said if d.port is None or d.port in self.expected.ports)
        return self._differences

    def _left_to_intent(self, expected: SwitchModel) -> list[Difference]:
        """Cable lengths that only the intent says: the switch itself then goes by its own default.

        Not where they may stand in another file: no length at all in a golden or partial one.
        """
        if self.maybe.form is not Form.RUNNING and not any(p.own.said("cable_m") for p in self.maybe.ports.values()):
            return []
        return [
            Difference(self.name, p.name, "port.cable", "", expected.ports[p.name].cable_m, None)
            for p in self.maybe.ports.values()
            if p.name in expected.ports
            and expected.ports[p.name].cable_m is not None
            and isinstance(p.own.get("cable_m"), Derived)
        ]

    def _only_intent(self, d: Difference) -> bool:
        """A length that the intent gave to the port, where the intent's own model of it needs none (no PFC, no headroom)."""
        port = self.maybe.ports.get(d.port or "")
        return d.field == "port.cable" and d.ours is None and port is not None and isinstance(port.own.get("cable_m"), Derived)

    def definition_of(self, line: Line) -> Line | None:
        """The header of the named object that a line stands in; None where it stands in none."""
        found = [
            d.at
            for d in self.maybe.definitions
            if d.at.at.file == line.at.file and d.at.at.line <= line.at.line
            and (*d.at.path, d.at.text.strip('"')) == line.path[: len(d.at.path) + 1]
        ]  # fmt: skip
        return max(found, key=lambda at: at.at.line, default=None)

    @property
    def name(self) -> str:
        return self.maybe.hostname

    @property
    def asic(self) -> Asic:
        """Platform facts of the ASIC. Raises NotAssessed where the ASIC is not known or not in platforms/."""
        if self.asic_facts is None:
            found = self.maybe.asic
            if isinstance(found, Unknown):
                raise NotAssessed(found.reason, Fact.ASIC)
            raise NotAssessed(f"no facts on ASIC {found} in platforms/", Fact.ASIC)
        return self.asic_facts

    def context(self, port: PortView | None = None) -> Context:
        """What turns this device's quantities into bytes, as far as known."""
        from xoff.platforms import context

        speed = port.maybe.speed if port else None
        return context(self.asic_facts, self.maybe.kilo, speed if isinstance(speed, int) else None)

    def can(self, field: str) -> Can | None:
        """How the NOS can say a field of the model (scope, granularity, source); None where it cannot."""
        from xoff.nos import registry

        return registry.load(self.maybe.nos).can.get(field)

    @property
    def carrying(self) -> Iterator[PortView]:
        """Ports that carry at least one lossless class in force; ports of unknown role are left out."""
        names = {c.name for c in self.fabric.lossless}
        return (p for p in self.ports if not isinstance(p.carried, Unknown) and p.carried & names)


@dataclass(slots=True)
class LinkView:
    """A link whose two ends are both in the input; `b` is None for a host end."""

    link: Link
    fabric: FabricView
    a: PortView
    b: PortView | None

    def __repr__(self) -> str:
        return f"LinkView({self.link.a.device} {self.link.a.port} - {self.link.b.device} {self.link.b.port})"

    @property
    def inferred(self) -> bool:
        return self.link.evidence not in CERTAIN_LINKS

    @property
    def evidence(self) -> LinkEvidence:
        return self.link.evidence


@dataclass(slots=True)
class TableView:
    """A headroom lookup table of the input. `device`: the switch that reads it; None where that is none, or several."""

    maybe: LookupTable
    fabric: FabricView
    device: DeviceView | None = None

    def __repr__(self) -> str:
        return f"TableView({self.maybe.name})"

    @property
    def name(self) -> str:
        return self.maybe.name

    @property
    def file(self) -> str:
        """The file's own name, without its folder: what may stand in a cause."""
        return self.maybe.file.replace("\\", "/").rpartition("/")[2]

    @property
    def rows(self) -> tuple[HeadroomRow, ...]:
        """In file order."""
        return self.maybe.rows


@dataclass(slots=True)
class Siblings:
    """Ports that should be alike, and on what ground. `of` lists (device, port)."""

    of: tuple[tuple[DeviceView, Port], ...]
    ground: str

    def majority(self, value: Callable[[Port], Any]) -> tuple[Any, int, int]:
        """The value that at least two thirds of at least three siblings have, its count and the total.

        value: reads a port's body (`port.qos`) and nothing else, so that it is asked once per body.
        Raises NotAssessed where there are fewer than three, or no such majority.
        """
        if len(self.of) < 3:
            raise NotAssessed(f"fewer than three siblings ({self.ground})", Fact.ROLE)
        counts: dict[Any, int] = {}
        asked: dict[int, Any] = {}
        for _, port in self.of:
            body = id(port.qos)
            if body not in asked:
                asked[body] = value(port)
            v = asked[body]
            counts[v] = counts.get(v, 0) + 1
        best = max(counts, key=lambda v: counts[v])
        if counts[best] * 3 < len(self.of) * 2:
            raise NotAssessed(f"siblings ({self.ground}) do not agree by two thirds", Fact.ROLE)
        return best, counts[best], len(self.of)


@dataclass(slots=True)
class FabricView:
    """The whole fabric: devices, links, lookup tables, classes in force, siblings. `memo`: what was computed once a run."""

    maybe: Fabric
    classes: tuple[ClassInForce, ...]
    classes_note: str
    plan: PlannedFabric | None = None
    problems: tuple[InputError, ...] = ()
    devices: tuple[DeviceView, ...] = ()
    links: tuple[LinkView, ...] = ()
    tables: tuple[TableView, ...] = ()
    find_siblings: Callable[[FabricView, PortView], Siblings] | None = None
    memo: dict[tuple[object, ...], Any] = field(default_factory=dict)
    _siblings: dict[tuple[str, str], Siblings] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"FabricView({self.maybe.name}: {len(self.devices)} devices)"

    @property
    def lossless(self) -> tuple[ClassInForce, ...]:
        """Data classes in force that are to be lossless."""
        return tuple(c for c in self.classes if c.lossless and c.kind is ClassKind.DATA)

    def of_kind(self, kind: ClassKind) -> tuple[ClassInForce, ...]:
        return tuple(c for c in self.classes if c.kind is kind)

    def siblings(self, port: PortView) -> Siblings:
        """Ports of the same role, else of the same kind and speed on this device, else on devices of one role."""
        key = (port.device.name, port.maybe.name)
        if key not in self._siblings:
            if self.find_siblings is None:
                raise NotAssessed("siblings were not looked for")
            self._siblings[key] = self.find_siblings(self, port)
        return self._siblings[key]

    def all_ports(self) -> Iterator[PortView]:
        for d in self.devices:
            yield from d.ports


def confidence_of(cls: ClassInForce | None, link: LinkView | None) -> Confidence:
    """Inferred where the class or the link is."""
    if (cls is not None and cls.confidence is Confidence.INFERRED) or (link is not None and link.inferred):
        return Confidence.INFERRED
    return Confidence.CERTAIN
