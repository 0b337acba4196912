"""The ports of a device as rules see them: one view for all that no port rule could tell apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xoff.lint.view import NotAssessed, View, known
from xoff.model.fabric import ClassInForce
from xoff.model.origin import BodyLine, Line, Origin
from xoff.model.path import path, path_of_tc, protected_groups
from xoff.model.qos import Colour, HeaderField, MatchKind
from xoff.model.quantity import Fact, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Port, PortKind, SwitchModel

if TYPE_CHECKING:
    from xoff.lint.objects import DeviceView


@dataclass(slots=True)
class PortView:
    """One or more ports of one device with the same body, kind, speed, cable, MTU, state and carried classes."""

    device: DeviceView
    ports: tuple[Port, ...]
    carried: frozenset[str] | Unknown
    why_carried: str
    role: str | None = None

    def __repr__(self) -> str:
        # A view leads to its device, the fabric and back: written out, one view is all of them.
        return f"PortView({self.device.name}: {', '.join(self.names)})"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.ports)

    @property
    def maybe(self) -> Port:
        """The first port's model object; fields may be Unknown."""
        return self.ports[0]

    @property
    def kind(self) -> PortKind:
        return self.ports[0].kind

    @property
    def qos(self) -> Any:
        if self.maybe.qos.unread is not None:
            known(self.maybe.qos.unread)
        return View(self.maybe.qos)

    @property
    def speed(self) -> int:
        """Mb/s. Raises NotAssessed where it is not known."""
        value = known(self.maybe.speed)
        if value is None:
            raise NotAssessed("the port's speed is not known", Fact.SPEED)
        return int(value)

    @property
    def cable_m(self) -> int:
        """Metres. Raises NotAssessed where it is not known."""
        value = known(self.maybe.cable_m)
        if value is None:
            raise NotAssessed("the cable's length is not known", Fact.CABLE)
        return int(value)

    def carries(self, cls: ClassInForce) -> bool:
        """Whether the class runs over these ports. Raises NotAssessed where the port's role is not known."""
        if isinstance(self.carried, Unknown):
            raise NotAssessed(self.carried.reason, self.carried.fact)
        return cls.name in self.carried

    def path(self, dscp: int | None = None, pcp: int | None = None, tagged: bool = False) -> Any:
        """Where such a frame lands (a view on `model.path.Path`)."""
        return View(path(self.maybe.qos, dscp, pcp, tagged))

    def marked(self, cls: ClassInForce) -> ClassInForce:
        """The class as its packets are told apart on this port: by the 802.1p priority where the intent's host marks that."""
        expected = self.device.expected
        port = expected.ports.get(self.maybe.name) if expected is not None else None
        if port is None or port.qos.classify.tagged_ip is not HeaderField.PCP or not isinstance(cls.priority, int):
            return cls
        return replace(cls, dscp=frozenset(), pcp=frozenset({cls.priority}))

    def class_paths(self, cls: ClassInForce) -> list[tuple[str, Any]]:
        """The path of every value that tells the class apart, with a label (`DSCP 10`). Untagged for DSCP, tagged for PCP.

        A class with DSCP values on a port that reads another field is MAP005's matter: its paths are those of the PCP then.
        """
        cls = self.marked(cls)
        if cls.dscp:
            return [(f"DSCP {v}", self.path(dscp=v)) for v in sorted(cls.dscp)]
        return [(f"PCP {v}", self.path(dscp=0, pcp=v, tagged=True)) for v in sorted(cls.pcp)]

    def reads(self) -> frozenset[HeaderField]:
        """The fields read for IP frames, tagged and untagged. Raises NotAssessed."""
        c = self.maybe.qos.classify
        return frozenset((known(c.tagged_ip), known(c.untagged_ip)))

    def protected_groups(self) -> frozenset[int]:
        """Groups that pause their sender; empty where a switch-wide statement turns PFC off. Raises NotAssessed."""
        if known(self.device.maybe.pfc_off):
            return frozenset()
        return frozenset(known(protected_groups(self.maybe.qos)))

    def path_of_tc(self, tc: int) -> Any:
        """Where a traffic class lands (a view on `model.path.Path`), whatever brought a frame into it."""
        return View(path_of_tc(self.maybe.qos, tc, Colour.GREEN, HeaderField.DSCP, ""))

    def field_of(self, cls: ClassInForce) -> HeaderField:
        """The header field that tells the class apart."""
        return HeaderField.DSCP if self.marked(cls).dscp else HeaderField.PCP

    def reads_field_of(self, cls: ClassInForce) -> bool:
        """Whether frames of the class are classified by the field that tells it apart: DSCP on untagged frames, PCP on tagged.

        True where a policy with its own matches decides first. Raises NotAssessed where the trust mode is not known.
        """
        c = self.maybe.qos.classify
        if self.opaque_policy:
            return True
        field = self.field_of(cls)
        return known(c.untagged_ip if field is HeaderField.DSCP else c.tagged_ip) is field

    @property
    def opaque_policy(self) -> str:
        """Name of an access list or the like that decides the class before any field is read ("" if there is none)."""
        found = next((m for m in self.maybe.qos.classify.matches if m.kind is MatchKind.OPAQUE), None)
        return "" if found is None else found.name or "unnamed"

    def right_class(self, cls: ClassInForce, path: Any) -> bool:
        """Whether a frame on this path was put into the traffic class meant for `cls`, whatever group it is counted in.

        It is where the queue is the one that pauses of the class's priority stop; where that cannot be told, where the traffic
        class bears the priority's number.
        """
        found = path.maybe
        obeyed = found.obeys
        if isinstance(obeyed, Unknown) or not any(self.maybe.qos.pfc.obey.values()):
            return bool(found.tc == cls.priority)
        return cls.priority in obeyed or (not obeyed and found.tc == cls.priority)

    def misplaced(self, cls: ClassInForce, path: Any) -> bool:
        """Whether a frame of the class on this path landed in a lossy class although PFC protects another (MAP001)."""
        if isinstance(cls.priority, int) and self.own_groups(cls) and self.right_class(cls, path):
            return False
        return not path.protected and bool(self.groups_for(cls))

    def classes_into(self, groups: frozenset[int]) -> frozenset[int]:
        """Traffic classes that are counted in one of these groups."""
        return frozenset(tc for tc, g in self.maybe.qos.tc_to_group.items() if g in groups)

    def comes_into(self, classes: frozenset[int], by: HeaderField) -> Iterator[tuple[Origin | None, str]]:
        """The line that brings a value of this field into one of these traffic classes, and what it is; empty if none does."""
        for match in self.maybe.qos.classify.matches:
            for value in sorted(match.values) if match.tc in classes and match.kind.value == by.value else ():
                path = f"classify.{by.value}.{value}"
                if self.said(path):
                    yield self.origin(f"{path}.values"), f"what comes into it: {by.value.upper()} {value}"
                    return

    def sent_by(self, group: int) -> frozenset[int]:
        """Priorities written into the pauses of a group."""
        return self.maybe.qos.pfc.send.get(group, frozenset())

    def own_groups(self, cls: ClassInForce) -> frozenset[int]:
        """Protected groups that pause under the class's own priority. Raises NotAssessed where one of them is not known."""
        priority = known(cls.priority)
        return frozenset(g for g in self.protected_groups() if priority in self.maybe.qos.pfc.send.get(g, frozenset()))

    def groups_for(self, cls: ClassInForce) -> frozenset[int]:
        """Protected groups that can be meant for the class: its own, and those that no other lossless class in force owns.

        Empty: PFC protects nothing for this class here (PFC001). Raises NotAssessed.
        """
        protected = self.protected_groups()
        send = self.maybe.qos.pfc.send
        own = frozenset(g for g in protected if cls.priority in send.get(g, frozenset()))
        taken = frozenset(c.priority for c in self.device.fabric.lossless if c.name != cls.name)
        return own | frozenset(g for g in protected if not (send.get(g, frozenset()) & taken))

    def origin(self, *paths: str) -> Origin | None:
        """The first origin found among field paths of the body, then of the port's own values."""
        for p in paths:
            found = self.maybe.origins.of(p) or self.maybe.own.get(p)
            if found is not None:
                return found
        return None

    def said(self, *paths: str) -> bool:
        """Whether the input itself says at least one of these fields."""
        return any(self.maybe.origins.said(p) or self.maybe.own.said(p) for p in paths)

    @property
    def asks_for_pfc(self) -> bool:
        """Whether a line of the input gives the port PFC or a no-drop priority, not only what its NOS does by default."""
        return self.said("pfc.mode", "pfc.no_drop", *(f"pfc.no_drop.{p}" for p in self.maybe.qos.pfc.no_drop))

    @property
    def turned_off(self) -> bool:
        """Whether a line turns PFC off here, where the NOS would not leave it off (see `carry.turned_off`)."""
        from xoff.lint.carry import turned_off

        return turned_off(self.maybe, self.device.maybe.nos)

    def home(self, root: str) -> Line | None:
        """The header of the named object (a profile) that holds all statements of this kind in the port's stead.

        root: beginning of the field path (`pfc`, `queue`). None where the port's own block has them, or nothing has.
        """
        lines = [(p, o) for p, o in self.maybe.origins.items() if isinstance(o, (Line, BodyLine)) and o.path and p]
        held = [o for p, o in lines if p.partition(".")[0] == root] or [o for p, o in lines if not p.startswith("group.")]
        if any(isinstance(o, BodyLine) for o in held):
            return None
        homes = Counter(h for o in held if isinstance(o, Line) and (h := self.device.definition_of(o)) is not None)
        return homes.most_common(1)[0][0] if homes else None

    @property
    def block(self) -> tuple[str, ...]:
        """Path of the port's own block, names as `*`."""
        root = self.maybe.origins.get("")
        return tuple(getattr(root, "path", ())) or ("interface *",)


def port_key(port: Port, carried: frozenset[str] | Unknown, role: str | None, extra: object) -> tuple[object, ...]:
    """Ports with equal keys cannot be told apart by a port rule."""
    return (
        id(port.qos), id(port.origins), port.kind, port.speed, port.mtu, port.admin, port.routed, port.cable_m, port.domain,
        port.bundle is None, carried, role, extra,
    )  # fmt: skip


def group_ports(
    device: DeviceView,
    carried: Callable[[Port], tuple[frozenset[str] | Unknown, str, str | None]],
    extra: Callable[[Port], object],
) -> tuple[PortView, ...]:
    """The device's ports as views, one per distinguishable body, in file order of their first port."""
    groups: dict[tuple[object, ...], list[Port]] = {}
    why: dict[tuple[object, ...], tuple[frozenset[str] | Unknown, str, str | None]] = {}
    for port in device.maybe.ports.values():
        found = carried(port)
        key = port_key(port, found[0], found[2], extra(port))
        groups.setdefault(key, []).append(port)
        why.setdefault(key, found)
    return tuple(PortView(device, tuple(ports), *why[key]) for key, ports in groups.items())


def front_ports(device: SwitchModel) -> Iterable[Port]:
    """Physical ports in use that could carry a class: neither administratively down nor management, loopback or logical."""
    physical = (PortKind.FRONT, PortKind.BREAKOUT, PortKind.MEMBER)
    return (p for p in device.ports.values() if p.kind in physical and p.admin is not False)


def names_of(ports: Sequence[PortView]) -> tuple[str, ...]:
    return tuple(n for p in ports for n in p.names)
