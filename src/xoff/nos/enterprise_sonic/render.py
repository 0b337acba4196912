"""Enterprise SONiC: from the model to what templates/enterprise_sonic/render/config.j2 prints.

Maps, WRED policies, scheduler policies and buffer profiles stand once under a name; ports bind them by name, a line each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.errors import CannotExpress
from xoff.model.quantity import Unknown
from xoff.model.record import dataclass
from xoff.model.switch import PoolKind, Port, SwitchModel
from xoff.nos.enterprise_sonic import render_body
from xoff.nos.enterprise_sonic.render_body import Body, Objects
from xoff.nos.natural import natural
from xoff.nos.renderer import NoteKind, Notes, environment, header, one_line

if TYPE_CHECKING:
    from xoff.nos.registry import Nos


@dataclass(frozen=True, slots=True)
class Interface:
    name: str
    description: str | None
    mtu: int | None
    cable: int | None
    shutdown: bool
    addresses: tuple[str, ...]
    body: Body


def build(model: SwitchModel, nos: Nos, form: str, notes: Notes) -> dict[str, str]:
    """The one file of a switch. Raises CannotExpress, naming port and field."""
    if form != "running":
        notes.add(NoteKind.CANNOT, f"form {form}", "the CLI has one form, its running configuration; that is written")
    if model.pfc_off is True:
        raise CannotExpress(f"{model.hostname}: a model with PFC off switch-wide is not rendered as a lossless configuration")
    ports = sorted(model.ports.values(), key=lambda p: natural(p.name))
    objects = Objects()
    bodies: dict[int, Body] = {}
    for p in ports:
        if id(p.qos) not in bodies:
            bodies[id(p.qos)] = render_body.body(p, objects)
    lossless = _lossless_mode(ports)
    if lossless:
        notes.add(
            NoteKind.DEVICE,
            "buffer pools, lossy groups and queues",
            "buffer init lossless takes them from the device's own settings (SONiC RoCEv2 HLD 2.2.4)",
        )
    if objects.profiles:
        notes.unverified(
            "buffer profile ... pause pause-threshold",
            "Dell's module documents this form (dellemc.enterprise_sonic sonic_qos_buffer), Broadcom's tests leave out `pause` "
            "(sonic-mgmt spytest apis/qos/qos.py); take the one that the switch takes",
        )
    view = {
        "device_line": _device_line(model),
        "hostname": model.hostname,
        "lossless": lossless,
        "pool": _pool(model),
        "profiles": sorted(objects.profiles.values(), key=lambda p: natural(p.name)),
        "maps": objects.all_maps(),
        "wreds": objects.all_wreds(),
        "policies": objects.all_policies(),
        "poll": _poll(ports),
        "interfaces": [_interface(p, bodies[id(p.qos)]) for p in ports],
        "head": header(nos, f"Form: running configuration, QoS part, {nos.title}.", notes),
    }
    text = environment(nos.name).get_template("config.j2").render(view)
    return {f"{model.hostname}.cfg": text}


def _device_line(model: SwitchModel) -> str | None:
    """A comment of which readers take the model and the release."""
    if isinstance(model.platform, Unknown):
        return None
    release = "" if isinstance(model.release, Unknown) else f", {model.release}"
    return one_line(f"{model.hostname} ({model.platform}{release})", "platform")


def _lossless_mode(ports: list[Port]) -> bool:
    """Whether any port has a lossless group: then the switch needs lossless buffers. Groups other than 3 and 4 are refused."""
    found = False
    for p in ports:
        for g in p.qos.groups.values():
            if isinstance(g.lossless, Unknown):
                raise CannotExpress(f"{p.name}: whether group {g.id} is lossless is {g.lossless}")
            if g.lossless and g.id not in render_body.LOSSLESS:
                raise CannotExpress(f"{p.name}: group {g.id} is lossless; lossless mode has groups 3 and 4 (HLD 2.2.2.7)")
            found = found or g.lossless
    return found


def _pool(model: SwitchModel) -> str | None:
    """Bytes of the shared headroom, where the model has them."""
    for pool in model.pools:
        if pool.kind is PoolKind.HEADROOM and pool.size is not None:
            return render_body.size(pool.size, f"{model.hostname}: shared headroom")
    return None


def _poll(ports: list[Port]) -> str | None:
    """The one polling interval of the switch."""
    found: dict[str, str] = {}
    for p in ports:
        w = p.qos.watchdog
        if w.enabled is True and w.poll is not None:
            found.setdefault(render_body.milliseconds(w.poll, f"{p.name}: watchdog polling", 100, 3000), p.name)
    if len(found) > 1:
        said = ", ".join(f"{ms} ms on {name}" for ms, name in found.items())
        raise CannotExpress(f"watchdog polling: {said}; there is one interval for the whole switch")
    return next(iter(found), None)


def _interface(p: Port, body: Body) -> Interface:
    if isinstance(p.admin, Unknown):
        raise CannotExpress(f"{p.name}: whether the port is up is {p.admin}")
    if p.mtu is not None and not isinstance(p.mtu, int):
        raise CannotExpress(f"{p.name}: MTU is {p.mtu}")
    cable = p.cable_m
    if isinstance(cable, Unknown) or (cable is not None and cable not in render_body.CABLES):
        raise CannotExpress(f"{p.name}: cable of {cable} m; cable-length takes 5m, 40m and 300m")
    return Interface(
        p.name,
        _description(p),
        p.mtu,
        cable,
        not p.admin,
        tuple(one_line(a, f"{p.name}: address") for a in p.addresses),
        body,
    )


def _description(p: Port) -> str | None:
    """One word as it is, several in quotes."""
    if not p.description:
        return None
    text = one_line(p.description, f"{p.name}: description")
    if '"' in text:
        raise CannotExpress(f"{p.name}: description {text!r}: the CLI quotes it, so it cannot hold a quotation mark")
    return f'"{text}"' if " " in text else text
