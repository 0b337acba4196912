"""What is known of a device from outside its configuration, brought to the reader, strongest first.

Intent, project file, header comments (the reader's own business), interface names (likewise), `show version` beside the files.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Derived, Line, Origins
from xoff.model.quantity import Unknown
from xoff.model.switch import Named, Port, SwitchModel
from xoff.nos.facts import Facts, Given

if TYPE_CHECKING:
    from xoff.fabric.planned import PlannedDevice, PlannedFabric, PlannedPort
    from xoff.intent.project import Project
    from xoff.nos.grouping import Device
    from xoff.nos.portshows import PortShow
    from xoff.nos.shows import Version

_AIRFLOW = ("-F", "-R", "-#")


class DeviceFacts(Facts):
    """Facts of one device: what is given from outside, then what its files say, then what the device itself shows."""

    def __init__(self, given: Sequence[Given], shown: Mapping[str, Named]) -> None:
        super().__init__(given)
        self._shown = shown

    def about(self, hostname: str, file: str = "", *weaker: Mapping[str, Named]) -> dict[str, Named]:
        return super().about(hostname, file, *weaker, self._shown)


def known_facts(
    device: Device, versions: Sequence[Version] = (), plan: PlannedFabric | None = None, project: Project | None = None
) -> Facts:
    """All outside facts of one device."""
    given: list[Given] = []
    planned = plan.devices.get(device.name) if plan is not None else None
    if planned is not None:
        said = {
            "nos": planned.nos,
            "model": planned.model,
            "asic": planned.asic,
            "role": planned.role,
            "release": planned.release,
        }
        given.append(Given("", "intent", {k: v for k, v in said.items() if v}, planned.at))
    if project is not None:
        stated = project.facts(os.path.splitext(os.path.basename(device.paths[0]))[0]) | project.facts(device.name)
        if stated:
            values = {k: f"{s.value}m" if k == "cable" else str(s.value) for k, s in stated.items()}
            given.append(Given("", "project file", values, lines={k: s.at for k, s in stated.items()}))
    shown: dict[str, Named] = {}
    for v in versions:
        for name, value, at in v.facts():
            shown.setdefault(name, Named(_model(value) if name == "model" else value, "show version", at))
    return DeviceFacts(given, shown)


def _model(text: str) -> str:
    """The model without the letter of its airflow: DCS-7060CX-32S-F is a DCS-7060CX-32S."""
    return next((text.removesuffix(a) for a in _AIRFLOW if text.endswith(a)), text)


def complete(model: SwitchModel, planned: PlannedDevice | None) -> SwitchModel:
    """The model with the intent's role, speeds and cables where its own files do not say them."""
    if planned is None:
        return model
    ports = {name: _complete(port, planned.ports.get(name)) for name, port in model.ports.items()}
    if model.role is None:
        model = replace(model, role=planned.role)
    if all(ports[name] is port for name, port in model.ports.items()):
        return model
    return replace(model, ports=FrozenMap(ports))


def _complete(port: Port, planned: PlannedPort | None) -> Port:
    if planned is None:
        return port
    speed = planned.speed if port.speed is None or isinstance(port.speed, Unknown) else port.speed
    cable = planned.cable_m if port.cable_m is None or isinstance(port.cable_m, Unknown) else port.cable_m
    changed = {
        k: Derived("as the intent says", intent_at=planned.at)
        for k, v in (("speed", speed), ("cable_m", cable))
        if v is not getattr(port, k)
    }
    if not changed:
        return port
    return replace(port, speed=speed, cable_m=cable, own=Origins({**port.own, **changed}))


def with_speeds(model: SwitchModel, shows: Sequence[PortShow]) -> SwitchModel:
    """The model with the speeds that outputs on interfaces show, where nothing stronger says them."""
    speeds = {e.port: e for shown in shows for e in shown.entries if e.speed is not None}
    found = {n: e for n, e in speeds.items() if n in model.ports and not isinstance(model.ports[n].speed, int)}
    if not found:
        return model
    ports = {
        name: port
        if name not in found
        else replace(
            port,
            speed=found[name].speed,
            own=Origins({**port.own, "speed": Line(("show",), "speed of *", found[name].at)}),
        )
        for name, port in model.ports.items()
    }
    return replace(model, ports=FrozenMap(ports))
