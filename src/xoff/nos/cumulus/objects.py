"""Named objects of a Cumulus Linux switch: profiles and their uses, buffer regions, the VXLAN tunnel."""

from __future__ import annotations

from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, Line, Origin, Origins
from xoff.model.switch import BufferProfile, BufferUse, Definition, Direction, Reference, Tunnel
from xoff.nos.cumulus.buffers import alpha
from xoff.nos.cumulus.state import ECN, GLOBAL, KINDS, PFC, State


def named(state: State) -> tuple[tuple[Definition, ...], tuple[Reference, ...]]:
    definitions = []
    for (kind, name), profile in state.profiles.items():
        if kind in KINDS and name != GLOBAL and kind != "traffic-pool":
            lossless = kind == PFC and any(True for _ in profile.indexed("priority")) and bool(profile.value("tx", True))
            marks = kind == ECN and any(s.value for _, s in profile.indexed("ecn"))
            applied = None if profile.listed else False
            definitions.append(
                Definition(
                    kind, name, profile.at, lossless, applied, "" if profile.listed else f"{kind} port_group_list", marks
                )
            )
    uses: dict[tuple[str, str, str], tuple[Line, list[str]]] = {}
    for port in state.ports.values():
        for kind, said in port.bound.items():
            line = said.origin
            if isinstance(line, BodyLine):
                line = Line(line.path, line.text, port.lines.get(str(line.key), port.at))
            if isinstance(line, Line):
                uses.setdefault((kind, str(said.value), line.text), (line, []))[1].append(port.name)
    fills = {
        "mapping": ("classify",),
        "pfc": ("pfc", "group"),
        "congestion-control": ("queue",),
        "egress-scheduler": ("queue",),
    }
    references = [
        Reference(
            kind,
            name,
            line,
            name == GLOBAL or (kind, name) in state.profiles,
            ports=tuple(ports),
            fills=fills.get(kind, ()),
        )
        for (kind, name, _), (line, ports) in uses.items()
    ]
    return tuple(definitions), tuple(sorted(references, key=lambda r: (r.origin.at.file, r.origin.at.line)))


def buffer_profiles(state: State) -> dict[str, BufferProfile]:
    """The switch-wide regions for lossless traffic, where a line sets them."""
    out = {}
    for region, direction, use in (
        ("ingress-lossless-buffer", Direction.INGRESS, BufferUse.GROUP),
        ("egress-lossless-buffer", Direction.EGRESS, BufferUse.QUEUE),
    ):
        said = state.device.get(f"buffer.{region}.shared-alpha")
        if said is None:
            continue
        flow = state.device.get(f"flow.{direction.value}.pool")
        pool = None if flow is None else str(flow.value)
        values = FrozenMap({"shared-alpha": str(said.value)})
        origins = Origins({"": said.origin, "threshold": said.origin})
        out[region] = BufferProfile(region, pool, direction, values, frozenset({use}), origins, alpha(said.value))
    return out


def tunnels(state: State) -> tuple[Tunnel, ...]:
    encap, decap = (state.device.get(f"vxlan.{k}") for k in ("encap", "decap"))
    if encap is None and decap is None and "vxlan.state" not in state.device:
        return ()
    origins: dict[str, Origin] = {}
    if encap is not None:
        origins["encap_dscp_mode"] = encap.origin
    if decap is not None:
        origins["decap_dscp_mode"] = decap.origin
    first = encap or decap or state.device["vxlan.state"]
    origins[""] = first.origin
    modes = [None if s is None else str(s.value) for s in (encap, decap)]
    return (Tunnel("vxlan", encap_dscp_mode=modes[0], decap_dscp_mode=modes[1], origins=Origins(origins)),)
