"""Comware: from the model to what templates/comware/render/config.j2 prints.

Priority maps, pools, shares of the buffer and deadlock timers stand once for the switch, marking in WRED tables that ports
share; PFC, headroom and scheduling stand on each interface. Remarks go to a file of their own: whether Comware takes a line
of text behind `#` is in no source.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.errors import CannotExpress
from xoff.model.qos import Static
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import PoolKind, Port, SwitchModel
from xoff.nos.comware import render_body, render_maps
from xoff.nos.comware.render_body import Body, Ramps
from xoff.nos.natural import natural
from xoff.nos.renderer import NoteKind, Notes, environment, header, one_line, trusted

if TYPE_CHECKING:
    from xoff.nos.registry import Nos


@dataclass(frozen=True, slots=True)
class Interface:
    name: str
    description: str | None
    mtu: int | None
    routed: bool | None
    addresses: tuple[str, ...]
    shutdown: bool
    body: Body
    table: str | None


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    queues: tuple[Ramps, ...]


@dataclass(frozen=True, slots=True)
class PoolLine:
    number: str
    cells: str


@dataclass(frozen=True, slots=True)
class Share:
    queue: int
    what: str
    ratio: str


@dataclass(frozen=True, slots=True)
class Deadlock:
    """Deadlock detection in system view. `cos`: watched priorities; the counts are steps."""

    cos: tuple[int, ...]
    interval: str
    delay: str
    precision: str
    action: str


def build(model: SwitchModel, nos: Nos, form: str, notes: Notes) -> dict[str, str]:
    """The configuration of a Comware switch, and the remarks on it. Raises CannotExpress, naming port and field."""
    if form != "running":
        notes.add(NoteKind.CANNOT, f"form {form}", "Comware has one form, its running configuration; that is written")
    if model.pfc_off is True:
        raise CannotExpress(f"{model.hostname}: a model with PFC off switch-wide is not rendered as a lossless configuration")
    ports = sorted(model.ports.values(), key=lambda p: natural(p.name))
    first = render_maps.one_per_body(ports)
    queue_map = render_maps.queue_map(first)
    bodies = {id(p.qos): render_body.body(p, queue_map) for p in first}
    ramps = {id(p.qos): render_body.ramps(p) for p in first}
    tables = _tables(ports, {p.name: ramps[id(p.qos)] for p in ports})
    names = {t.queues: t.name for t in tables}
    _remarks(model, nos, ports, tables, notes)
    view = {
        "hostname": model.hostname,
        "pools": _pools(model, notes),
        "buffers": _shares(first),
        "queue_map": render_maps.lines(queue_map),
        "dscp_map": render_maps.lines(render_maps.dscp_map(first)),
        "tables": tables,
        "interfaces": [_interface(p, bodies[id(p.qos)], names.get(ramps[id(p.qos)])) for p in ports],
        "deadlock": _deadlock(model, first, notes),
    }
    text = environment(nos.name).get_template("config.j2").render(view)
    said = header(nos, "Form: running configuration, QoS part, Comware.", notes)
    return {f"{model.hostname}.cfg": text, f"{model.hostname}.README.txt": "\n".join(said) + "\n"}


def _remarks(model: SwitchModel, nos: Nos, ports: list[Port], tables: list[Table], notes: Notes) -> None:
    """What a reader has to know of lines that no source settles."""
    for name in ("group.threshold", "queue.pmax"):
        used = tables if name == "queue.pmax" else [g for p in ports for g in p.qos.groups.values() if g.threshold is not None]
        key = {"group.threshold": "dynamic-ratio", "queue.pmax": "probability"}[name]
        structure = next(s for s in nos.structure if s.key == key)
        if used and not trusted(structure.evidence):
            notes.unverified(structure.text, f"by a {structure.evidence} source: {structure.source}")
    if any(g.headroom is not None and isinstance(g.headroom, Unknown) for p in ports for g in p.qos.groups.values()):
        notes.add(NoteKind.DEVICE, "headroom", "a lossless group states none; the chip's own holds")
    if any(p.qos.queues for p in ports):
        notes.unverified("byte-count of qos wfq", "its range is in no source read; 60, 64 and 96 are seen in configurations")
    if any(":" in p.name for p in ports):
        notes.add(NoteKind.CANNOT, "breakout", "the line that splits a port is in no source read; split the ports before")
    if any(isinstance(g.headroom, Quantity) for p in ports for g in p.qos.groups.values()):
        notes.add(
            NoteKind.CHOSEN, "headroom in cells", f"one cell is taken as platforms/ or the intent has it for {model.platform}"
        )


def _deadlock(model: SwitchModel, ports: list[Port], notes: Notes) -> Deadlock:
    on = [p for p in ports if p.qos.watchdog.enabled is True]
    watched: set[int] = set()
    actions: dict[str, str] = {}
    for p in on:
        w = p.qos.watchdog
        if isinstance(w.priorities, Unknown) or isinstance(w.action, Unknown):
            raise CannotExpress(f"{p.name}: what the watchdog watches or does is not known")
        watched |= w.priorities
        actions[render_body.action(w.action, p.name)] = p.name
    for p in on:
        missing = (p.qos.pfc.no_drop & watched) - (p.qos.watchdog.priorities if not isinstance(
            p.qos.watchdog.priorities, Unknown) else frozenset())  # fmt: skip
        if missing:
            raise CannotExpress(
                f"{p.name}: the watchdog leaves out priority {sorted(missing)}, which other ports watch; Comware says the "
                "priorities once for the switch"
            )
    if len(actions) > 1:
        raise CannotExpress(f"{model.hostname}: watchdog actions differ ({', '.join(actions)}); Comware says it once")
    values = {}
    for name in ("deadlock_interval", "deadlock_delay", "deadlock_precision"):
        fact = model.facts.get(name)
        pattern = "high|normal|low" if name.endswith("precision") else r"[1-9]\d{0,4}"
        if watched and (fact is None or not re.fullmatch(pattern, fact.value)):
            given = "not given" if fact is None else repr(fact.value)
            raise CannotExpress(
                f"{model.hostname}: {name} is {given}; say it in the intent: options: {{deadlock_interval: 10, "
                "deadlock_delay: 10, deadlock_precision: high}"
            )
        values[name] = fact.value if fact is not None else ""
    if watched:
        said = ", ".join(f"{name.removeprefix('deadlock_')} {value}" for name, value in values.items())
        origins = "; ".join(dict.fromkeys(fact.origin for name in values if (fact := model.facts.get(name)) is not None))
        notes.unverified(f"deadlock {said}", f"{origins}; how long a step is stands in no text")
    return Deadlock(
        tuple(sorted(watched)),
        values["deadlock_interval"],
        values["deadlock_delay"],
        values["deadlock_precision"],
        next(iter(actions), ""),
    )


def _tables(ports: list[Port], of: dict[str, tuple[Ramps, ...]]) -> list[Table]:
    """One table per distinct set of ramps, named by speed where all its ports share one."""
    members: dict[tuple[Ramps, ...], list[Port]] = {}
    for p in ports:
        if of[p.name]:
            members.setdefault(of[p.name], []).append(p)
    wanted: dict[str, list[tuple[Ramps, ...]]] = defaultdict(list)
    for queues, users in members.items():
        speeds = {p.speed for p in users}
        speed = next(iter(speeds)) if len(speeds) == 1 else None
        wanted[f"XOFF-{speed // 1000}G" if isinstance(speed, int) else "XOFF"].append(queues)
    out = []
    for name, same in wanted.items():
        for i, queues in enumerate(same, start=1):
            out.append(Table(name if len(same) == 1 else f"{name}-{i}", queues))
    return sorted(out, key=lambda t: natural(t.name))


def _pools(model: SwitchModel, notes: Notes) -> list[PoolLine]:
    out = []
    for pool in model.pools:
        number = re.fullmatch(r"headroom-(\d+)", pool.name)
        if pool.kind is not PoolKind.HEADROOM or number is None:
            raise CannotExpress(f"pool {pool.name}: Comware has headroom pools by number only (headroom-0)")
        cells = render_body.cells(pool.size, f"pool {pool.name}")
        if cells is not None:
            notes.unverified("priority-flow-control poolID", "newer releases only, in some written poolid (PFC-X)")
            out.append(PoolLine(number[1], cells))
    return out


def _shares(ports: list[Port]) -> list[Share]:
    """Shares of the buffer by queue; they stand once for the switch."""
    found: dict[tuple[int, str], tuple[str, str]] = {}
    for p in ports:
        for q in p.qos.queues.values():
            for what, value in (("shared", q.limit), ("guaranteed", q.reserved)):
                if value is None:
                    continue
                size = value.limit if isinstance(value, Static) else value
                if not isinstance(size, Quantity) or size.unit is not Unit.PERCENT_OF_POOL or size.amount.denominator != 1:
                    raise CannotExpress(
                        f"{p.name} queue {q.id.id}: {what} {value} cannot be said; Comware takes whole percents"
                    )
                was = found.setdefault((q.id.id, what), (size.plain, p.name))
                if was[0] != size.plain:
                    raise CannotExpress(f"queue {q.id.id}: {what} of {p.name} and {was[1]} differ; Comware says it once")
    return [Share(queue, what, ratio) for (queue, what), (ratio, _) in sorted(found.items())]


def _interface(p: Port, body: Body, table: str | None) -> Interface:
    if isinstance(p.admin, Unknown) or isinstance(p.routed, Unknown):
        raise CannotExpress(f"{p.name}: whether the port is up and routed is not known")
    if p.mtu is not None and not isinstance(p.mtu, int):
        raise CannotExpress(f"{p.name}: MTU is {p.mtu}")
    return Interface(
        p.name,
        one_line(p.description, f"{p.name}: description") if p.description else None,
        p.mtu,
        p.routed,
        tuple(render_body.address(a, p.name) for a in p.addresses),
        not p.admin,
        body,
        table,
    )
