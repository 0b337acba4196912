"""VRP: from the model to what templates/vrp/render/config.j2 prints.

VRP says queues, headroom and PFC on each port, and keeps classification (DiffServ domains), ramps (drop profiles) and no-drop
priorities (PFC profiles) under names. Deadlock times stand once for the switch here, although family A has them per profile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.errors import CannotExpress
from xoff.model.qos import HeaderField, PfcMode, WatchdogAction
from xoff.model.quantity import Quantity, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import PoolKind, Port, SwitchModel
from xoff.nos.natural import natural
from xoff.nos.renderer import NoteKind, Notes, environment, header, one_line
from xoff.nos.vrp import names, render_classes, render_ports
from xoff.nos.vrp.family import OF_CHIP, Family, of_model
from xoff.nos.vrp.render_classes import DomainLines, DropLines

if TYPE_CHECKING:
    from xoff.nos.registry import Nos

_ACTIONS = {WatchdogAction.DROP: "discard", WatchdogAction.FORWARD: "forwarding"}
#: Distinct headroom sizes that a device holds (MANUAL dcb pfc buffer).
HEADROOMS = 31


@dataclass(frozen=True, slots=True)
class PoolLine:
    size: str
    slot: str


@dataclass(frozen=True, slots=True)
class Behaviour:
    action: str
    slot: str


@dataclass(frozen=True, slots=True)
class Deadlock:
    """Times of the switch: a precision (A) or two timers (B); None: not said."""

    precision: int | None
    detect: int | None
    restore: int | None
    behaviours: tuple[Behaviour, ...]


@dataclass(frozen=True, slots=True)
class Interface:
    name: str
    description: str | None
    mtu: int | None
    routed: bool | None
    addresses: tuple[str, ...]
    shutdown: bool
    lines: tuple[str, ...]


def build(model: SwitchModel, nos: Nos, form: str, notes: Notes) -> dict[str, str]:
    """The one file of a VRP switch. Raises CannotExpress, naming port and field."""
    if form != "running":
        notes.add(NoteKind.CANNOT, f"form {form}", "VRP has one form, its configuration; that is written")
    if model.pfc_off is True:
        raise CannotExpress(f"{model.hostname}: a model with PFC off switch-wide is not rendered as a lossless configuration")
    device = model.hostname
    family = family_of(model)
    ports = sorted(model.ports.values(), key=lambda p: natural(p.name))
    pair = render_classes.times(ports, device)
    step = render_classes.precision(pair, device) if pair is not None and family is Family.A else None
    entry = nos.default("watchdog.turn_off", family=family.value)
    profiles, pfc_names = render_classes.profiles(ports, pair, step, entry.value if entry else 1, notes, device)
    domains = {id(p.qos): render_classes.domain(p.qos, nos, p.name) for p in ports}
    domain_names = render_classes.named((domains[id(p.qos)] for p in ports), device)
    drops = _drops(ports, family, device)
    _headrooms(ports, device)
    interfaces = [
        _interface(p, render_ports.lines(p, family, domain_names.get(domains[id(p.qos)]), drops, pfc_names, notes))
        for p in ports
    ]
    slots = _slots(ports)
    view = {
        "device_line": _device_line(model),
        "hostname": device,
        "head": header(nos, f"Form: configuration, QoS part, family {family.value.upper()} of CloudEngine.", notes),
        "pools": _pools(model, family),
        "pfc": profiles,
        "deadlock": _deadlock(ports, slots, pair, step),
        "mapping": _mapping(ports, slots, family),
        "ecn_enable": family is Family.B and any(q.curves for p in ports for q in p.qos.queues.values()),
        "drops": [DropLines(name, lines) for lines, name in drops.items()],
        "domains": [DomainLines(d.dscp, d.pcp, d.out, name) for d, name in domain_names.items()],
        "interfaces": interfaces,
    }
    text = environment(nos.name).get_template("config.j2").render(view)
    return {f"{device}.cfg": text}


def family_of(model: SwitchModel) -> Family:
    """The family by what derive says, the chip or the model. Raises CannotExpress where none tells, and for V200."""
    said = model.facts.get("family")
    found: Family | None = Family(said.value) if said is not None else None
    if found is None and isinstance(model.asic, str):
        found = OF_CHIP.get(model.asic)
    if found is None and isinstance(model.platform, str):
        found = of_model(model.platform)
    if found is None:
        raise CannotExpress(f"{model.hostname}: the family of CloudEngine is not known, and their lines differ; name the model")
    if found is Family.C:
        raise CannotExpress(f"{model.hostname}: models of V200 are read but not rendered; see templates/vrp/README.md")
    return found


def _device_line(model: SwitchModel) -> str | None:
    """A comment by which a reader finds model and release again."""
    if isinstance(model.platform, Unknown):
        return None
    release = "" if isinstance(model.release, Unknown) else f", {model.release}"
    return one_line(f"{model.hostname} ({model.platform}{release})", "platform")


def _slots(ports: list[Port]) -> dict[str, list[Port]]:
    """Ports with PFC by slot."""
    out: dict[str, list[Port]] = {}
    for p in ports:
        if p.qos.pfc.mode is not PfcMode.OFF and p.qos.pfc.no_drop:
            out.setdefault(names.slot_of(p.name) or "1", []).append(p)
    return dict(sorted(out.items()))


def _pools(model: SwitchModel, family: Family) -> list[PoolLine]:
    out: list[PoolLine] = []
    for pool in model.pools:
        if pool.kind is not PoolKind.HEADROOM or pool.size is None:
            continue
        slot = pool.name.rpartition(" ")[2]
        size = pool.size
        if not isinstance(size, Quantity) or size.unit not in render_ports.SIZES or size.amount.denominator != 1:
            raise CannotExpress(f"{model.hostname}: {pool.name}: {size} cannot be said; VRP takes whole kbytes or mbytes")
        if family is not Family.A:
            raise CannotExpress(f"{model.hostname}: {pool.name}: headroom is simulated on family B; no pool is rendered")
        out.append(PoolLine(f"{size.plain} {render_ports.SIZES[size.unit]}", slot if slot.isdecimal() else "1"))
    return out


def _deadlock(ports: list[Port], slots: dict[str, list[Port]], pair: tuple[int, int] | None, step: int | None) -> Deadlock:
    behaviours: list[Behaviour] = []
    for slot, members in slots.items():
        actions = {p.qos.watchdog.action: p.name for p in members if p.qos.watchdog.enabled is True}
        if len(actions) > 1:
            raise CannotExpress(
                f"slot {slot}: {' and '.join(map(str, actions))} as action of the watchdog; VRP has one per slot"
            )
        for action, name in actions.items():
            if not isinstance(action, WatchdogAction) or action not in _ACTIONS:
                raise CannotExpress(f"{name}: watchdog action {action}: VRP drops or forwards while it recovers")
            behaviours.append(Behaviour(_ACTIONS[action], slot))
    detect, restore = pair if pair is not None and step is None else (None, None)
    if detect is not None and restore is not None and not (10 <= detect <= 1500 and 10 <= restore <= 1500):
        raise CannotExpress(f"{ports[0].name}: deadlock times of {detect} and {restore} ms: VRP takes 10 to 1500 ms here")
    return Deadlock(step, detect, restore, tuple(behaviours))


def _mapping(ports: list[Port], slots: dict[str, list[Port]], family: Family) -> list[str]:
    """Slots whose PFC counts frames by their internal priority."""
    if family is not Family.A:
        return []
    out: list[str] = []
    for slot, members in slots.items():
        ways = {p.qos.pfc.counts_by: p.name for p in members}
        if len(ways) > 1 or any(w not in (None, HeaderField.PCP) for w in ways):
            raise CannotExpress(f"slot {slot}: VRP counts frames for PFC by one field per slot: internal priority or 802.1p")
        if None in ways:
            out.append(slot)
    return out


def _drops(ports: list[Port], family: Family, device: str) -> dict[tuple[str, ...], str]:
    users: dict[tuple[str, ...], set[int]] = {}
    for p in ports:
        for q in p.qos.queues.values():
            lines, _ = render_classes.ramp_lines(q.curves, f"{p.name} queue {q.id.id}")
            if lines:
                users.setdefault(lines, set()).add(p.speed if isinstance(p.speed, int) else 0)
    return render_classes.drop_names(users, family, device)


def _headrooms(ports: list[Port], device: str) -> None:
    sizes = {g.headroom for p in ports for g in p.qos.groups.values() if isinstance(g.headroom, Quantity)}
    if len(sizes) > HEADROOMS:
        raise CannotExpress(f"{device}: its ports want {len(sizes)} sizes of headroom; VRP holds {HEADROOMS} (dcb pfc buffer)")


def _interface(p: Port, lines: tuple[str, ...]) -> Interface:
    if isinstance(p.admin, Unknown) or isinstance(p.routed, Unknown):
        raise CannotExpress(f"{p.name}: whether the port is up and routed is not known")
    if p.mtu is not None and not isinstance(p.mtu, int):
        raise CannotExpress(f"{p.name}: MTU is {p.mtu}")
    by_name = names.speed_of(p.name)
    if isinstance(p.speed, int) and by_name is not None and p.speed != by_name:
        raise CannotExpress(f"{p.name}: a port of {by_name // 1000}G by its name cannot run at {p.speed / 1000:g}G here")
    return Interface(
        p.name,
        one_line(p.description, f"{p.name}: description") if p.description else None,
        p.mtu,
        p.routed,
        tuple(_mask(one_line(a, f"{p.name}: address")) for a in p.addresses),
        not p.admin,
        lines,
    )


def _mask(address: str) -> str:
    """`10.0.0.1/31` as VRP writes it."""
    host, _, bits = address.partition("/")
    return f"{host} {bits}" if bits else host
