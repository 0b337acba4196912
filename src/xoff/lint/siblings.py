"""Siblings: the ports that should be alike (DESIGN 8 "Siblings and consensus")."""

from __future__ import annotations

from xoff.lint.carry import states_anything
from xoff.lint.objects import DeviceView, FabricView, Siblings
from xoff.lint.ports import PortView, front_ports
from xoff.lint.view import NotAssessed
from xoff.model.quantity import Unknown
from xoff.model.switch import CARRYING, Port, PortKind

_PHYSICAL = frozenset({PortKind.FRONT, PortKind.BREAKOUT, PortKind.MEMBER})


def siblings(fabric: FabricView, view: PortView) -> Siblings:
    """Same role; else same kind and speed on this device; else the same on the devices of this device's role.

    A switch that has no statement at all is no measure for its own ports: there those of its role are asked at once.
    """
    device, port = view.device, view.maybe
    if isinstance(port.speed, Unknown) and not view.role:
        raise NotAssessed(f"siblings cannot be told: {port.speed.reason}", port.speed.fact)
    here = [(device, p) for p in _alike(device, port, view.role, fabric)]
    ground = f"{view.role}-facing ports of {device.name}" if view.role else f"{_kind(port)} on {device.name}"
    if device.maybe.role is None or (len(here) >= 3 and states_anything(device.maybe)):
        return Siblings(tuple(here), ground)
    everywhere = [
        (d, p) for d in fabric.devices if d.maybe.role == device.maybe.role for p in _alike(d, port, view.role, fabric)
    ]
    return Siblings(tuple(everywhere), f"{_kind(port)} on devices of role {device.maybe.role}")


def _alike(device: DeviceView, port: Port, role: str | None, fabric: FabricView) -> list[Port]:
    roles = {p.name: v.role for v in device.ports for p in v.ports} if role else {}
    if port.kind in _PHYSICAL:
        return [p for p in front_ports(device.maybe) if p.speed == port.speed and (not role or roles.get(p.name) == role)]
    return [p for p in device.maybe.ports.values() if p.kind is port.kind and p.kind in CARRYING and p.admin is not False]


def _kind(port: Port) -> str:
    speed = f"{port.speed // 1000}G " if isinstance(port.speed, int) else ""
    return f"{speed}{'front' if port.kind in _PHYSICAL else port.kind} ports"
