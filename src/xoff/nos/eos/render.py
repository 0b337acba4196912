"""EOS: from the model to what templates/eos/render/config.j2 prints.

EOS says classification once for the switch (`qos map`), queues and PFC in a `qos profile` that ports share, headroom once per
MMU profile, watchdog timers once for the switch with per-port exceptions. Ports with equal bodies share one profile.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from xoff import platforms
from xoff.errors import CannotExpress
from xoff.model.qos import (
    Colour,
    HeaderField,
    MatchKind,
    PfcMode,
    PortQos,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    WatchdogAction,
)
from xoff.model.qos import Watchdog as WatchdogModel
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Port, SwitchModel
from xoff.nos.eos import render_maps, render_mmu
from xoff.nos.natural import natural
from xoff.nos.renderer import NoteKind, Notes, environment, header, one_line, trusted

if TYPE_CHECKING:
    from xoff.nos.registry import Nos

STANZAS = ("tx-queue", "uc-tx-queue")
#: Units EOS takes for ECN thresholds everywhere (knowledge: AVD 6.4 schema; microseconds only in a profile's tx-queue).
_ECN_UNITS = {
    Unit.BYTES: "bytes",
    Unit.KBYTES: "kbytes",
    Unit.MBYTES: "mbytes",
    Unit.SEGMENTS: "segments",
    Unit.MILLISECONDS: "milliseconds",
}
_ACTIONS = {WatchdogAction.DROP: "drop", WatchdogAction.ERRDISABLE: "errdisable", WatchdogAction.ALERT: "notify-only"}
_SECONDS = {
    Unit.SECONDS: Fraction(1),
    Unit.MILLISECONDS: Fraction(1, 1000),
    Unit.MICROSECONDS: Fraction(1, 10**6),
    Unit.NANOSECONDS: Fraction(1, 10**9),
}


@dataclass(frozen=True, slots=True)
class Ramp:
    """An ECN or WRED line: thresholds with their units, probability in percent, weight of the average."""

    low: str
    high: str
    probability: str
    weight: int


@dataclass(frozen=True, slots=True)
class QueueBody:
    stanza: str
    strict: bool | None
    percent: str | None
    guaranteed: str | None
    cap: str | None
    ecn: Ramp | None
    wred: Ramp | None
    count: bool


@dataclass(frozen=True, slots=True)
class Timer:
    """Watchdog times in seconds as EOS prints them, and the action. None: not said."""

    timeout: str | None
    recovery: str | None
    polling: str | None
    action: str | None


@dataclass(frozen=True, slots=True)
class Body:
    """What one `qos profile` says. `watchdog` None: nothing is said. `timer`: only where it differs from the switch's own."""

    trust: str
    pfc: bool
    no_drop: tuple[int, ...]
    watchdog: bool | None
    timer: Timer | None
    queues: tuple[QueueBody, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    name: str
    body: Body


@dataclass(frozen=True, slots=True)
class Interface:
    name: str
    description: str | None
    mtu: int | None
    routed: bool | None
    addresses: tuple[str, ...]
    shutdown: bool
    profile: str


def build(model: SwitchModel, nos: Nos, form: str, notes: Notes) -> dict[str, str]:
    """The one file of an EOS switch. Raises CannotExpress, naming port and field."""
    if form != "running":
        notes.add(NoteKind.CANNOT, f"form {form}", "EOS has one form, its running configuration; that is written")
    ports = sorted(model.ports.values(), key=lambda p: natural(p.name))
    stanza = _stanza(model, notes)
    timer = _common_timer(ports)
    first = render_maps.one_per_body(ports)
    by_body = {id(p.qos): _body(p, stanza, timer) for p in first}
    bodies = {p.name: by_body[id(p.qos)] for p in ports}
    profiles = _profiles(ports, bodies)
    names = {x.body: x.name for x in profiles}
    mmu = render_mmu.build(model, first, notes)
    if model.pfc_off is True:
        raise CannotExpress(f"{model.hostname}: a model with PFC off switch-wide is not rendered as a lossless configuration")
    view = {
        "device_line": _device_line(model),
        "hostname": model.hostname,
        "profiles": profiles,
        "interfaces": [_interface(p, names[bodies[p.name]]) for p in ports],
        "dscp_map": render_maps.classification(first, MatchKind.DSCP, "DSCP"),
        "cos_map": render_maps.cos_map(first, _own_cos_map(nos)),
        "queue_map": render_maps.queue_map(model, first),
        "rewrite": render_maps.rewrite(first),
        "timer": timer,
        "mmu": mmu,
        "head": header(nos, f"Form: running configuration, QoS part, {model.nos.upper()}.", notes),
    }
    text = environment(nos.name).get_template("config.j2").render(view)
    return {f"{model.hostname}.cfg": text}


def _own_cos_map(nos: Nos) -> dict[int, int]:
    default = nos.default("classify.pcp")
    ranges = [] if default is None else default.value
    return {v: tc for first, last, tc in ranges for v in range(first, last + 1)}


def _device_line(model: SwitchModel) -> str | None:
    """The comment that EOS itself puts on top of a configuration; readers take model and release from it."""
    if isinstance(model.platform, Unknown):
        return None
    release = "" if isinstance(model.release, Unknown) else f", EOS-{model.release.removeprefix('EOS-')}"
    return one_line(f"{model.hostname} ({model.platform}{release})", "platform")


def _stanza(model: SwitchModel, notes: Notes) -> str | None:
    """`tx-queue` or `uc-tx-queue`: from the intent's options, else from the platform; None where no port has queues."""
    if not any(q.id.kind is QueueKind.UNICAST for p in model.ports.values() for q in p.qos.queues.values()):
        return None
    chosen = model.facts.get("queue")
    asic = None if isinstance(model.asic, Unknown) else platforms.load(model.asic)
    fact = asic.eos_queue if asic else None
    if chosen is not None:
        if chosen.value not in STANZAS:
            raise CannotExpress(f"{model.hostname}: option queue is {chosen.value!r}; EOS has {' and '.join(STANZAS)}")
        if fact is None or fact.value != chosen.value:
            notes.add(NoteKind.CHOSEN, chosen.value, f"{chosen.origin}; no source names the queue stanza of this model")
        return chosen.value
    if fact is None or isinstance(fact.value, Unknown):
        raise CannotExpress(
            f"{model.hostname}: no source says whether {_named(model)} takes {STANZAS[0]} or {STANZAS[1]}; see "
            "`show running-config all` "
            "under an interface of this switch and say so in the intent: options: {queue: uc-tx-queue}"
        )
    if not trusted(fact.evidence):
        notes.unverified(fact.value, f"queue stanza of this platform by a {fact.evidence} source: {fact.source}")
    return fact.value


def _named(model: SwitchModel) -> str:
    return "this model" if isinstance(model.platform, Unknown) else str(model.platform)


def _whole(q: Quantity | Unknown | None, unit: Unit, what: str, low: int, high: int) -> str:
    """A whole number in the one unit that EOS takes here."""
    if not isinstance(q, Quantity) or q.unit is not unit or q.amount.denominator != 1 or not low <= q.amount <= high:
        raise CannotExpress(f"{what}: {q} cannot be said; EOS takes a whole number of {unit} from {low} to {high}")
    return q.plain


def seconds(q: Quantity | Unknown | None, what: str, decimals: int) -> str | None:
    """A time as EOS writes it: seconds with so many decimals at most. None where nothing is said."""
    if q is None:
        return None
    if isinstance(q, Unknown) or q.unit not in _SECONDS:
        raise CannotExpress(f"{what}: {q} is no time that EOS can be told")
    value = q.amount * _SECONDS[q.unit]
    if value <= 0 or (value * 10**decimals).denominator != 1:
        raise CannotExpress(f"{what}: {q} cannot be said; EOS takes seconds above 0 with at most {decimals} decimals")
    text = f"{float(value):.{decimals}f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def _timer(w: WatchdogModel, what: str) -> Timer:
    action = w.action
    if action is not None and (isinstance(action, Unknown) or action not in _ACTIONS):
        raise CannotExpress(f"{what}: watchdog action {action} has no word in EOS (drop, errdisable, notify-only)")
    return Timer(
        seconds(w.detect, f"{what}: watchdog detection", 2),
        seconds(w.restore, f"{what}: watchdog restoration", 2),
        seconds(w.poll, f"{what}: watchdog polling", 3),
        _ACTIONS[action] if isinstance(action, WatchdogAction) else None,
    )


def _common_timer(ports: Iterable[Port]) -> Timer | None:
    """The timers of most ports (the first met among equals) go to the switch; other ports say their own."""
    counts: dict[Timer, int] = defaultdict(int)
    seen: dict[int, Timer] = {}
    for p in ports:
        if p.qos.watchdog.enabled is True:
            if id(p.qos) not in seen:
                seen[id(p.qos)] = _timer(p.qos.watchdog, p.name)
            counts[seen[id(p.qos)]] += 1
    return max(counts, key=lambda t: counts[t]) if counts else None


def _trust(q: PortQos, what: str) -> str:
    fields = (q.classify.tagged_ip, q.classify.untagged_ip)
    if fields == (HeaderField.DSCP, HeaderField.DSCP):
        return "qos trust dscp"
    if fields[0] is HeaderField.PCP:
        return "qos trust cos"
    if fields == (HeaderField.PORT, HeaderField.PORT):
        return "no qos trust"
    raise CannotExpress(f"{what}: EOS cannot read {fields[0]} of tagged and {fields[1]} of untagged packets at once")


def _body(p: Port, stanza: str | None, common: Timer | None) -> Body:
    q, what = p.qos, p.name
    if q.unread is not None:
        raise CannotExpress(f"{what}: {q.unread.reason}")
    mode = q.pfc.mode
    if mode not in (PfcMode.ON, PfcMode.OFF):
        raise CannotExpress(f"{what}: PFC mode {mode} has no line in EOS; use on or off")
    pfc = mode is PfcMode.ON
    for group, sent in q.pfc.send.items() if pfc else ():
        if sent != {group}:
            raise CannotExpress(
                f"{what}: group {group} pauses {sorted(sent)}; in EOS traffic class, group and priority are one number"
            )
    for priority, queues in q.pfc.obey.items() if pfc else ():
        if queues and queues != {priority}:
            raise CannotExpress(
                f"{what}: pause of {priority} stops queues {sorted(queues)}; in EOS priority and queue are one number"
            )
    if q.pfc.asymmetric is True:
        raise CannotExpress(f"{what}: asymmetric PFC has no line in EOS")
    on = q.watchdog.enabled
    if isinstance(on, Unknown):
        raise CannotExpress(f"{what}: whether the watchdog runs is {on}")
    own = _timer(q.watchdog, what) if on else None
    if own is not None and own != common and (own.timeout is None) != (own.recovery is None):
        raise CannotExpress(f"{what}: a watchdog timer of one port needs detection and restoration time in EOS")
    if own is not None and own != common and own.action == "errdisable" and common and common.action != "errdisable":
        raise CannotExpress(f"{what}: EOS cannot ask for errdisable on one port; it is the switch-wide default")
    return Body(
        _trust(q, what),
        pfc,
        tuple(sorted(q.pfc.no_drop)) if pfc else (),
        on if pfc else None,
        own if own != common else None,
        tuple(
            _queue(x, stanza, f"{what} queue {x.id.id}") for x in sorted(q.queues.values(), key=lambda x: (x.id.kind, x.id.id))
        ),
    )


def _queue(q: Queue, stanza: str | None, what: str) -> QueueBody:
    kinds = {QueueKind.UNICAST: stanza, QueueKind.VOQ: "tx-queue", QueueKind.MULTICAST: "mc-tx-queue"}
    s = q.scheduler
    strict: bool | None = None
    percent = guaranteed = cap = None
    if isinstance(s, Scheduler):
        if isinstance(s.kind, Unknown):
            raise CannotExpress(f"{what}: scheduler is {s.kind}")
        strict = s.kind is SchedulerKind.STRICT
        percent = None if strict or s.share is None else _whole(s.share, Unit.PERCENT, f"{what}: bandwidth", 1, 100)
        guaranteed = None if s.guarantee is None else _whole(s.guarantee, Unit.PERCENT, f"{what}: guaranteed bandwidth", 1, 100)
        cap = None if s.cap is None else _whole(s.cap, Unit.PERCENT, f"{what}: shaper", 1, 100)
    elif isinstance(s, Unknown):
        raise CannotExpress(f"{what}: scheduler is {s}")
    ecn, wred = _ramps(q, what)
    return QueueBody(f"{kinds[q.id.kind]} {q.id.id}", strict, percent, guaranteed, cap, ecn, wred, q.counts_marks is True)


def _ramps(q: Queue, what: str) -> tuple[Ramp | None, Ramp | None]:
    for colour in q.curves:
        if colour is not Colour.GREEN:
            raise CannotExpress(f"{what}: a marking ramp for {colour} packets alone has no line in EOS")
    curve = q.curves.get(Colour.GREEN)
    if curve is None or (curve.marks is False and curve.drops is False):
        return None, None
    if curve.marks is True and curve.drops is True:
        raise CannotExpress(f"{what}: EOS either marks or drops early in a queue, not both")
    ramp = Ramp(
        _threshold(curve.kmin, f"{what}: minimum threshold"),
        _threshold(curve.kmax, f"{what}: maximum threshold"),
        _whole(curve.pmax, Unit.PERCENT, f"{what}: marking probability", 1, 100),
        curve.weight or 0,
    )
    return (ramp, None) if curve.marks is True else (None, ramp)


def _threshold(q: Quantity | Unknown | None, what: str) -> str:
    if not isinstance(q, Quantity) or q.unit not in _ECN_UNITS or q.amount.denominator != 1 or not 1 <= q.amount <= 256_000_000:
        raise CannotExpress(f"{what}: {q} cannot be said; EOS takes 1 to 256000000 {', '.join(_ECN_UNITS.values())}")
    return f"{q.plain} {_ECN_UNITS[q.unit]}"


def _profiles(ports: list[Port], bodies: dict[str, Body]) -> list[Profile]:
    """One profile per distinct body, named by speed (where all its ports share one) and no-drop priorities."""
    members: dict[Body, list[Port]] = {}
    for p in ports:
        members.setdefault(bodies[p.name], []).append(p)
    wanted: dict[str, list[Body]] = defaultdict(list)
    for body, users in members.items():
        speeds = {p.speed for p in users}
        speed = next(iter(speeds)) if len(speeds) == 1 else None
        parts = ["XOFF"] + ([f"{speed // 1000}G"] if isinstance(speed, int) else [])
        parts.append("P" + "-".join(map(str, body.no_drop)) if body.no_drop else "LOSSY")
        wanted["-".join(parts)].append(body)
    named = {
        body: name if len(same) == 1 else f"{name}-{i}" for name, same in wanted.items() for i, body in enumerate(same, start=1)
    }
    return sorted((Profile(named[b], b) for b in members), key=lambda p: natural(p.name))


def _interface(p: Port, profile: str) -> Interface:
    if isinstance(p.admin, Unknown) or isinstance(p.routed, Unknown):
        raise CannotExpress(f"{p.name}: whether the port is up and routed is not known")
    if p.mtu is not None and not isinstance(p.mtu, int):
        raise CannotExpress(f"{p.name}: MTU is {p.mtu}")
    return Interface(
        p.name,
        one_line(p.description, f"{p.name}: description") if p.description else None,
        p.mtu,
        p.routed,
        tuple(one_line(a, f"{p.name}: address") for a in p.addresses),
        not p.admin,
        profile,
    )
