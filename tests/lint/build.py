"""Switches built by hand, in the shape that readers give them: traffic class n = group n = priority n = queue n."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, Default, Evidence, FileLine, Line, Origin, Origins
from xoff.model.qos import Classify, HeaderField, Match, MatchKind, Pfc, PfcMode, PortQos
from xoff.model.quantity import Unknown
from xoff.model.switch import Bundle, Form, Port, PortKind, SwitchModel

IDENTITY = FrozenMap({n: n for n in range(8)})
#: The default map that the test's NOS has: eight DSCPs a class, classes 0 and 1 changed over.
DEFAULT_TC = {d: (1, 0, 2, 3, 4, 5, 6, 7)[d // 8] for d in range(64)}
STANZA = ("interface *",)


def qos(
    dscp: Mapping[int, int] | None = None,
    no_drop: Iterable[int] = (),
    *,
    pcp: Mapping[int, int] | None = None,
    trust: HeaderField | Unknown = HeaderField.DSCP,
    on: bool = True,
    trust_said: bool = True,
    groups: Mapping[int, int] = IDENTITY,
    file: str = "leaf1.cfg",
) -> tuple[PortQos, Origins]:
    """A port body. dscp / pcp: explicit map lines (of the whole switch); no_drop: priorities marked on the port."""
    origins: dict[str, Origin] = {"": BodyLine(STANZA, "interface *", 0)}
    matches = []
    for kind, table in ((MatchKind.DSCP, dscp or {}), (MatchKind.PCP, pcp or {})):
        for value, tc in table.items():
            matches.append(Match(kind, frozenset({value}), tc))
            origins[f"classify.{kind.value}.{value}"] = Line(
                (), f"qos map {kind.value} {value} to traffic-class {tc}", FileLine(file, 2 + value)
            )
    default = Default("default map", Evidence.READ, "test")
    for value, tc in DEFAULT_TC.items():
        if value not in (dscp or {}):
            matches.append(Match(MatchKind.DSCP, frozenset({value}), tc))
            origins[f"classify.dscp.{value}"] = default
    if trust_said:
        origins["classify.trust"] = BodyLine(STANZA, f"qos trust {trust}", 1)
    else:
        origins["classify.trust"] = Default("trust of a switched port", Evidence.READ, "test")
    marked = frozenset(no_drop)
    if marked and on:
        origins["pfc.mode"] = BodyLine(STANZA, "priority-flow-control on", 2)
    for p in marked:
        origins[f"pfc.no_drop.{p}"] = BodyLine(STANZA, f"priority-flow-control priority {p} no-drop", 3)
    each = FrozenMap({p: frozenset({p}) for p in marked})
    body = PortQos(
        classify=Classify(tuple(matches), trust, trust, trust, 1),
        tc_to_queue=IDENTITY,
        tc_to_group=FrozenMap(groups),
        pfc=Pfc(PfcMode.ON if marked and on else PfcMode.OFF, marked, each, each),
    )
    return body, Origins(origins)


def port(name: str, body: tuple[PortQos, Origins], *, line: int = 100, **more: object) -> Port:
    values: dict[str, object] = {"kind": PortKind.FRONT, "speed": 400_000, "routed": True, **more}
    at = FileLine("leaf1.cfg", line)
    lines = {k: FileLine("leaf1.cfg", line + k) for k in range(8)}
    return Port(name=name, qos=body[0], origins=body[1], at=at, lines=lines, **values)  # type: ignore[arg-type]


def ports(count: int, body: tuple[PortQos, Origins], *, first: int = 1, **more: object) -> list[Port]:
    """Ports `Ethernet<first>` … with one shared body, each in its own stanza."""
    return [port(f"Ethernet{n}", body, line=100 + 10 * n, **more) for n in range(first, first + count)]


def switch(name: str, all_ports: Iterable[Port], *, bundles: Iterable[Bundle] = (), **more: object) -> SwitchModel:
    values: dict[str, object] = {"form": Form.RUNNING, "files": (f"{name}.cfg",), **more}
    return SwitchModel(
        hostname=name,
        nos=str(values.pop("nos", "test")),
        ports=FrozenMap({p.name: p for p in all_ports}),
        bundles=FrozenMap({b.name: b for b in bundles}),
        **values,  # type: ignore[arg-type]
    )
