"""DRF001: the device's configuration and the intent differ in what matters for a class; value against value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction

from xoff.lint.rules import (
    Absent,
    Alpha,
    BodyLine,
    ClassKind,
    Default,
    DeviceView,
    Difference,
    Fact,
    Form,
    Hit,
    Impact,
    Iterator,
    Line,
    NotApplicable,
    NotAssessed,
    Origin,
    Port,
    PortView,
    Quantity,
    Rule,
    Scope,
    Severity,
    Static,
    Unknown,
)

#: What each field is called in a message; `{}` is what it belongs to (a DSCP, a queue, a group).
_WORDS = {
    "classify.dscp": "DSCP {}: traffic class",
    "classify.pcp": "PCP {}: traffic class",
    "classify.trust": "field read for {} frames",
    "tc_to_queue": "traffic class {}: queue",
    "tc_to_group": "traffic class {}: priority group",
    "rewrite.dscp": "traffic class {}: DSCP written",
    "pfc.mode": "PFC",
    "pfc.no_drop": "no-drop priorities",
    "pfc.send": "group {}: priorities paused",
    "pfc.obey": "priority {}: queues its pause stops",
    "group.lossless": "group {}: lossless",
    "group.headroom": "group {}: headroom",
    "group.reserved": "group {}: reserved",
    "group.threshold": "group {}: threshold",
    "group.xon": "group {}: XON",
    "group.xon_offset": "group {}: XON offset",
    "group.pool": "group {}: pool",
    "queue.kmin": "queue {}: Kmin",
    "queue.kmax": "queue {}: Kmax",
    "queue.pmax": "queue {}: marking probability",
    "queue.marks": "queue {}: ECN marking",
    "queue.drops": "queue {}: early drop",
    "queue.scheduler": "queue {}: scheduler",
    "queue.share": "queue {}: share",
    "queue.limit": "queue {}: limit",
    "queue.lossless": "queue {}: lossless",
    "queue.pool": "queue {}: pool",
    "watchdog.enabled": "PFC watchdog",
    "watchdog.priorities": "priorities under the PFC watchdog",
    "watchdog.detect": "watchdog detection time",
    "watchdog.restore": "watchdog restoration time",
    "watchdog.poll": "watchdog polling interval",
    "watchdog.action": "watchdog action",
    "port.speed": "speed",
    "port.mtu": "MTU",
    "port.cable": "cable length",
    "port.admin": "administratively up",
    "port.routed": "routed",
    "device.pfc_off": "PFC switched off switch-wide",
    "device.pools": "buffer pool {}",
    "device.lossless_mtu": "MTU that headroom is computed for",
}
_UNITS = {"port.speed": " Mb/s", "port.mtu": " bytes", "port.cable": " m", "device.lossless_mtu": " bytes"}
#: Field paths of origins where they are not called as the field itself.
_AT = {
    "classify.trust": "classify.trust",
    "pfc.mode": "pfc.mode",
    "device.pfc_off": "pfc_off",
    "device.lossless_mtu": "lossless_mtu",
}
_QUEUE = (
    "queue.kmin",
    "queue.kmax",
    "queue.pmax",
    "queue.marks",
    "queue.drops",
    "queue.scheduler",
    "queue.share",
    "queue.lossless",
)
_WHY = "The device does not do what the fabric was designed and sized for: {}"
_WHAT = {
    "classify": "packets of the class may land in a queue that drops, or others in the one that must not.",
    "tc_to": "packets of the class may land in a queue that drops, or others in the one that must not.",
    "rewrite": "the next hop classifies by another value than the one planned.",
    "pfc": "a priority that should be paused drops, or one is paused that nobody planned for.",
    "group": "what arrives after XOFF may find no room, or the pause comes at another fill than planned.",
    "queue": "marking, pausing and sharing no longer come in the planned order.",
    "watchdog": "a pause that never ends is ended later than planned, or not at all.",
    "port": "headroom and thresholds were computed for another link.",
    "device": "it holds for every port of the device.",
}


@dataclass(slots=True)
class _Lossless:
    """Numbers that the intent gives to the lossless classes on one port."""

    dscps: frozenset[int] = frozenset()
    tcs: frozenset[int] = frozenset()
    queues: frozenset[int] = frozenset()
    groups: frozenset[int] = frozenset()


@dataclass(slots=True)
class _Group:
    """Differences that are one: same field, same place, same two values."""

    first: Difference
    severity: Severity
    at: Origin | Absent
    port: PortView | None
    keys: list[str] = field(default_factory=list)
    ports: list[str] = field(default_factory=list)
    ours: dict[str, None] = field(default_factory=dict)
    theirs: dict[str, None] = field(default_factory=dict)
    rests_on: Origin | None = None


class Drift(Rule):
    code = "DRF001"
    name = "drift"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.SWITCH

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        if device.fabric.plan is None:
            raise NotApplicable("no intent to compare with")
        if device.planned is None:
            raise NotApplicable("the intent does not name the device")
        differences = device.differences
        assert device.expected is not None
        views = {name: view for view in device.ports for name in view.names}
        numbers: dict[tuple[int, frozenset[str]], _Lossless] = {}
        groups: dict[tuple[object, ...], _Group] = {}
        stopped: list[NotAssessed] = []
        for d in differences:
            if d.port is not None and d.field == "port":
                if device.maybe.form is Form.FRAGMENT:
                    stopped.append(NotAssessed("ports of the intent that this fragment does not hold", Fact.CONFIG))
                else:
                    self._add(groups, d, Severity.ERROR, Absent("port", path=()), None, None)
                continue
            view = views[d.port] if d.port is not None else None
            mine = _Lossless()
            if view is not None and d.port is not None:
                planned = device.expected.ports[d.port]
                carried = frozenset() if isinstance(view.carried, Unknown) else view.carried
                key = (id(planned.qos), carried)
                if key not in numbers:
                    numbers[key] = _numbers(device, planned, carried)
                mine = numbers[key]
            severity = _weigh(device, view, d, mine)
            if isinstance(severity, NotAssessed):
                stopped.append(severity)
            elif severity is not None:
                at, default = _place(device, view, d)
                self._add(groups, d, severity, at, view, default)
        for group in groups.values():
            yield self._hit(device, group)
        if stopped:
            raise stopped[0]

    @staticmethod
    def _add(
        groups: dict[tuple[object, ...], _Group],
        d: Difference,
        severity: Severity,
        at: Origin | Absent,
        view: PortView | None,
        default: Origin | None,
    ) -> None:
        place = (at.path, at.what) if isinstance(at, Absent) else (getattr(at, "path", ()), getattr(at, "text", ""))
        ours, theirs = _said(d.field, d.ours), _said(d.field, d.theirs)
        # What no line says falls to the NOS's default, value by value: one missing line, one finding.
        values = () if isinstance(default, Default) else (ours, theirs)
        key = (d.field, place, values, severity, id(view))
        group = groups.setdefault(key, _Group(d, severity, at, view, rests_on=default))
        group.ours[ours] = group.theirs[theirs] = None
        if d.key not in group.keys:
            group.keys.append(d.key)
        if d.port is not None and d.port not in group.ports:
            group.ports.append(d.port)

    def _hit(self, device: DeviceView, group: _Group) -> Hit:
        d = group.first
        if d.field == "port":
            message, ours, theirs = "the intent uses this port and the configuration does not have it", "there", "absent"
        else:
            what = _WORDS.get(d.field, d.field).format(", ".join(_key(k) for k in sorted(group.keys, key=_natural)))
            ours, theirs = " / ".join(group.ours), " / ".join(group.theirs)
            by = " by default" if isinstance(group.rests_on, Default) else ""
            message = f"{what}: {theirs}{by}; the intent makes it {ours}"
        return self.hit(
            message,
            at=group.at,
            port=group.port,
            device=device,
            severity=group.severity,
            observed=theirs,
            expected=ours,
            why=_WHY.format(_WHAT.get(next((w for w in _WHAT if d.field.startswith(w)), ""), "see the rule's page.")),
            only_ports=tuple(group.ports),
            rests_on=(group.rests_on,),
            object=d.field
            if not group.keys or not group.keys[0]
            else f"{d.field} {' '.join(sorted(group.keys, key=_natural))}",
        )


def _numbers(device: DeviceView, planned: Port, carried: frozenset[str]) -> _Lossless:
    """Where the intent puts the lossless classes that the port carries."""
    view = PortView(device, (planned,), carried, "intent")
    dscps: set[int] = set()
    tcs: set[int] = set()
    queues: set[int] = set()
    groups: set[int] = set()
    for cls in device.fabric.lossless:
        if cls.name not in carried:
            continue
        dscps |= cls.dscp
        for _, path in view.class_paths(cls):
            for found, value in ((tcs, path.maybe.tc), (queues, path.maybe.queue), (groups, path.maybe.group)):
                if isinstance(value, int):
                    found.add(value)
    return _Lossless(frozenset(dscps), frozenset(tcs), frozenset(queues), frozenset(groups))


def _weigh(device: DeviceView, view: PortView | None, d: Difference, mine: _Lossless) -> Severity | NotAssessed | None:
    """How much a difference matters: error where it touches a lossless class, note where it does not; None: no fault at all."""
    if isinstance(d.theirs, Unknown):
        # What the input lacks may stand elsewhere; what only the NOS's default would tell is a line left out, and a difference.
        if d.theirs.fact in (None, Fact.DEFAULT) and view is not None and not view.said(_path(d)):
            found = _weigh(device, view, replace(d, theirs=None), mine)
            return Severity.WARNING if found is Severity.ERROR else found
        return NotAssessed(d.theirs.reason, d.theirs.fact)
    if isinstance(d.ours, Unknown):
        return None  # the intent leaves it to the device
    name, key = d.field, d.key
    if view is None:
        return Severity.ERROR if name == "device.pfc_off" else Severity.WARNING
    if name == "classify.dscp":
        return _weigh_dscp(device, view, d, mine)
    if name == "classify.trust":
        return Severity.ERROR if mine.dscps and key != "non_ip" else Severity.NOTE
    if name in ("tc_to_queue", "tc_to_group"):
        meant = mine.queues if name == "tc_to_queue" else mine.groups
        return Severity.ERROR if int(key) in mine.tcs or d.theirs in meant else Severity.NOTE
    if name == "rewrite.dscp":
        return Severity.ERROR if int(key) in mine.tcs else Severity.NOTE
    if name.startswith("pfc.") or name in ("watchdog.enabled", "watchdog.priorities", "watchdog.action"):
        return Severity.ERROR
    if name.startswith("watchdog."):
        return Severity.WARNING
    if name == "group.headroom":
        return _weigh_headroom(device, view, d, mine)
    if name.startswith("group."):
        matters = int(key) in mine.groups
        return Severity.NOTE if not matters else Severity.ERROR if name == "group.lossless" else Severity.WARNING
    if name.startswith("queue."):
        number = int(key.rpartition(".")[2])
        if number in mine.queues:
            return Severity.ERROR if name in _QUEUE else Severity.WARNING
        return Severity.NOTE
    return Severity.WARNING if name in ("port.speed", "port.mtu", "port.admin", "port.cable") else Severity.NOTE


def _weigh_dscp(device: DeviceView, view: PortView, d: Difference, mine: _Lossless) -> Severity | None:
    """A value that no explicit line maps still lands somewhere: what counts is where."""
    value = int(d.key)
    if d.theirs is None:
        landed = view.path(dscp=value).maybe.tc
        if landed == d.ours:
            return None
    if value in mine.dscps or (d.theirs in mine.tcs and mine.tcs):
        return Severity.ERROR
    stated = {v for c in device.fabric.classes if c.kind is not ClassKind.DEFAULT for v in c.dscp}
    return Severity.WARNING if value in stated else Severity.NOTE


def _weigh_headroom(device: DeviceView, view: PortView, d: Difference, mine: _Lossless) -> Severity | NotAssessed | None:
    """Less headroom than the intent's need is loss; more is a matter of taste."""
    number = int(d.key)
    if d.theirs is None and device.maybe.form is not Form.RUNNING:
        return NotAssessed("the device computes the headroom by itself, so no number stands in the file", Fact.TABLE)
    if number not in mine.groups:
        return Severity.NOTE
    if not isinstance(d.ours, Quantity) or not isinstance(d.theirs, Quantity):
        return Severity.ERROR
    ctx = device.context(view)
    need, found = d.ours.bytes_range(ctx), d.theirs.bytes_range(ctx)
    if d.ours.unit is d.theirs.unit:
        return Severity.ERROR if d.theirs.amount < d.ours.amount else Severity.NOTE
    if isinstance(need, Unknown) or isinstance(found, Unknown):
        unknown = need if isinstance(need, Unknown) else found
        assert isinstance(unknown, Unknown)
        return NotAssessed(unknown.reason, unknown.fact)
    if need == found:
        return None
    return Severity.ERROR if found[1] < need[0] else Severity.NOTE


def _place(device: DeviceView, view: PortView | None, d: Difference) -> tuple[Origin | Absent, Origin | None]:
    """The line that says the device's value, or what is missing under the nearest line around it; and a default it rests on."""
    path = _AT.get(d.field) or _path(d)
    words = _WORDS.get(d.field, d.field).format(d.key)
    if view is None:
        origins = device.maybe.origins
        found = origins.get(path)
        if d.field == "device.pools":
            pool = next((p for p in device.maybe.pools if p.name == d.key), None)
            found = next((o for o in pool.origins.values() if isinstance(o, Line)), None) if pool else None
        if isinstance(found, (Line, BodyLine)):
            return found, None
        return Absent(words, path=()), found
    name = path.removeprefix("port.")
    body = view.maybe
    exact = body.own.get(name) if d.field.startswith("port.") else body.origins.get(path)
    if exact is None and isinstance(around := body.origins.of(path), Default):
        exact = around
    if d.field == "pfc.no_drop" and isinstance(d.theirs, frozenset) and isinstance(d.ours, frozenset):
        exact = next((body.origins.get(f"pfc.no_drop.{p}") for p in sorted(d.theirs - d.ours)), exact)
    if isinstance(exact, (Line, BodyLine)):
        return exact, None
    parent = body.origins.of(path.rpartition(".")[0]) if "." in path else None
    if isinstance(parent, (Line, BodyLine)) and d.theirs is None:
        return Absent(words, path=(*parent.path, parent.text), at=parent), exact
    if isinstance(exact, Default):
        return Absent(d.field), exact
    return Absent(words), None


def _path(d: Difference) -> str:
    """The origin's field path: `group.headroom` of group 3 is `group.3.headroom`."""
    if not d.key:
        return d.field
    root, _, leaf = d.field.partition(".")
    if root in ("group", "queue"):
        return f"{root}.{d.key}.{leaf}"
    return f"{d.field}.{d.key}"


def _said(name: str, value: object) -> str:
    if value is None:
        return "not said"
    if isinstance(value, Unknown):
        return "not said, and the default is not confirmed"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Alpha):
        return f"alpha {value.alpha.plain}"
    if isinstance(value, Static):
        return "unlimited" if value.unlimited else str(value.limit)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, frozenset):
        return ", ".join(str(v) for v in sorted(value)) or "none"
    if isinstance(value, tuple):
        return ", ".join(_said(name, v) for v in value)
    if isinstance(value, Fraction):
        return str(value)
    return f"{value}{_UNITS.get(name, '')}"


def _key(key: str) -> str:
    return key.replace("unicast.", "").replace("_", " ")


def _natural(key: str) -> tuple[int, str]:
    return (int(key), "") if key.isdigit() else (-1, key)
