"""Check an intent and print the fabric it describes.

xoff validate pod1.yaml              the switches, their ports and the classes; or everything that is wrong
xoff validate pod1.yaml --ports      one line for every port
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from xoff.fabric.planned import PlannedDevice, PlannedFabric, TrafficClass


@click.command("validate", short_help="Check an intent and print the fabric it describes.")
@click.argument("file", type=click.Path(), metavar="FILE")
@click.option("--ports", "every_port", is_flag=True, help="Print a line for every port instead of ranges.")
def command(file: str, every_port: bool) -> None:
    """Check an intent and print what it describes: classes, switches, ports.

    Every error is listed at once, each with file, line and column; then the exit code is 2.
    """
    from xoff.errors import IntentError
    from xoff.intent import plan

    try:
        fabric = plan(file)
    except IntentError as e:
        click.echo(str(e), err=True)
        count = len(e.problems)
        click.echo(f"\n{count} error{'s' if count != 1 else ''} in {file}", err=True)
        sys.exit(e.exit_code)
    click.echo(summary(fabric, every_port=every_port))


def summary(fabric: PlannedFabric, *, every_port: bool = False) -> str:
    """The plan as text: classes, then per switch its ports, like ports in one line; a last line with the totals."""
    marking = "" if fabric.congestion_control != "none" else ", nothing marks (congestion_control: none)"
    out = [f"{fabric.name} ({fabric.workload}{marking})", ""]
    out += _table(("class", "priority", "dscp", "lossless", "share", "ecn"), [_class(fabric, c) for c in fabric.classes])
    for names, device, rows in _alike(fabric, every_port=every_port):
        release = f" {device.release}" if device.release else ""
        asic = f", {device.asic}" if device.asic else ""
        out += ["", f"{names}: {device.role}, {device.nos}{release} on {device.model}{asic}, headroom {device.preset}"]
        out += [f"  {line}" for line in _table(("ports", "speed", "cable", "mtu", "lossless", "to"), rows)] or ["  no ports"]
    totals = (
        _count(len(fabric.devices), "switch"),
        _count(sum(len(d.ports) for d in fabric.devices.values()), "port"),
        _count(len(fabric.links), "link"),
        _count(len(fabric.hosts), "host"),
        _count(len(fabric.classes), "class"),
    )
    out += ["", f"{', '.join(totals)}: the intent is valid"]
    return "\n".join(out)


def _alike(fabric: PlannedFabric, *, every_port: bool) -> Iterable[tuple[str, PlannedDevice, list[tuple[str, ...]]]]:
    """Switches whose rows differ in the far ends only, as one; in the order of the first of them."""
    from xoff.intent.ranges import compress

    groups: dict[tuple[object, ...], list[PlannedDevice]] = {}
    for device in fabric.devices.values():
        rows = [row[:-1] for row in _ports(fabric, [device], every_port=every_port)]
        own: object = device.name if every_port else ""
        key = (device.role, device.nos, device.release, device.model, device.asic, device.preset, own, *rows)
        groups.setdefault(key, []).append(device)
    for devices in groups.values():
        yield compress(d.name for d in devices), devices[0], list(_ports(fabric, devices, every_port=every_port))


def _count(n: int, what: str) -> str:
    plural = f"{what}es" if what.endswith(("s", "ch")) else f"{what}s"
    return f"{n:,} {what if n == 1 else plural}"


def _class(fabric: PlannedFabric, c: TrafficClass) -> tuple[str, ...]:
    share = "strict" if c.strict else "rest" if c.bandwidth is None else f"{float(c.bandwidth):g}%"
    wish = c.ecn_wish
    ecn = "-"
    if c.ecn:
        said = [f"{k} {v}" for k, v in (("kmin", wish.kmin), ("kmax", wish.kmax)) if v is not None]
        said += [f"pmax {wish.pmax}%"] if wish.pmax is not None else []
        ecn = ", ".join(said) or "auto"
    dscp = ", ".join(_runs(sorted(c.dscp))) or ("all others" if c.kind == "default" else "-")
    return c.name, str(c.priority), dscp, "yes" if c.lossless else "-", share, ecn


def _runs(values: list[int]) -> Iterable[str]:
    start = 0
    for i in range(1, len(values) + 1):
        if i == len(values) or values[i] != values[i - 1] + 1:
            run = values[start:i]
            yield from [f"{run[0]}-{run[-1]}"] if len(run) > 2 else map(str, run)
            start = i


def _ports(fabric: PlannedFabric, devices: Sequence[PlannedDevice], *, every_port: bool) -> Iterable[tuple[str, ...]]:
    """Rows of ports that are alike, for devices that are alike: the last cell names the far ends of all of them."""
    from xoff.intent.ranges import compress
    from xoff.intent.units import speed_text

    names: dict[tuple[str, ...], dict[str, None]] = {}
    far: dict[tuple[str, ...], dict[str, None]] = {}
    for port in (p for d in devices for p in d.ports.values()):
        lossless = ", ".join(c.name for c in fabric.carried(port) if c.lossless) or "-"
        kind = "none" if port.peer is None else "switch" if port.peer.device in fabric.devices else "host"
        shut = "" if port.admin else " (shut down)"
        key = (
            speed_text(port.speed),
            f"{port.cable_m} m",
            str(port.mtu),
            lossless,
            kind,
            shut,
            port.name if every_port else "",
        )
        names.setdefault(key, {})[port.name] = None
        if port.peer is not None:
            end = f"{port.peer.device}:{port.peer.port}" if every_port else port.peer.device
            far.setdefault(key, {})[end] = None
    for alike, ports in names.items():
        yield compress(ports) + alike[5], *alike[:4], compress(far.get(alike, ())) or "-"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    if not rows:
        return []
    widths = [max(len(r[i]) for r in (head, *rows)) for i in range(len(head))]
    return ["  ".join(cell.ljust(w) for cell, w in zip(r, widths, strict=True)).rstrip() for r in (head, *rows)]
