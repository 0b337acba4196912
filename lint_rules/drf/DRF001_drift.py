"""DRF001: the device's configuration and the intent differ in what matters for a class; value against value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from xoff.lint.rules import (
    Absent,
    BodyLine,
    ClassKind,
    Default,
    DeviceView,
    Difference,
    Fact,
    FileLine,
    Form,
    Hit,
    Impact,
    Iterator,
    Line,
    NotApplicable,
    NotAssessed,
    Origin,
    Pool,
    Port,
    PortView,
    Quantity,
    Rule,
    Scope,
    Severity,
    Unknown,
    absent,
    field_words,
    value_said,
)

#: Field paths of origins where they are not called as the field itself.
_AT = {
    "classify.trust": "classify.trust",
    "pfc.mode": "pfc.mode",
    "device.pfc_off": "pfc_off",
    "device.lossless_mtu": "lossless_mtu",
    "port.cable": "cable_m",
}
#: Values that one named object of the NOS gives together, by the last part of the field; and where it is bound.
_GIVEN_BY = {
    "curve_profile": ("kmin", "kmax", "pmax", "weight", "marks", "drops"),
    "profile": ("limit", "reserved", "pool", "lossless", "headroom", "threshold", "xon", "xon_offset"),
    "scheduler": ("scheduler", "share"),
}
_BY = {leaf: binding for binding, leaves in _GIVEN_BY.items() for leaf in leaves}
#: So many values of one such object that differ are one difference: another object is bound, or none.
_MANY = 3
#: A port that differs in so many places is configured as another port.
_OTHER_PORT = 4
#: So many of them are printed.
_SHOWN = 4
_QUEUE = (
    "queue.kmin",
    "queue.kmax",
    "queue.pmax",
    "queue.weight",
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
        for together in _together(groups.values()):
            yield self._hit(device, together[0]) if len(together) == 1 else self._hit_many(device, together)
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
        ours, theirs = value_said(d.field, d.ours), value_said(d.field, d.theirs)
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
            what = field_words(d.field, *sorted(group.keys, key=_natural))
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

    def _hit_many(self, device: DeviceView, groups: list[_Group]) -> Hit:
        """One finding for the values of one object, at the line that binds it."""
        first = min(groups, key=lambda g: g.severity.rank)
        said = [self._hit(device, g) for g in groups]
        part, binding = _part(first.first)
        at = first.at
        if first.port is not None and part and binding and len({g.at for g in groups}) > 1:
            bound = first.port.maybe.origins.get(f"{part}.{binding}") or first.port.maybe.origins.get(part)
            at = bound if isinstance(bound, BodyLine) else at
        whole = len({_part(g.first)[0] for g in groups}) == 1 and part
        lines = len({g.at for g in groups})
        what = part.replace("unicast.", "").replace(".", " ") if whole else "this line" if lines == 1 else "the port"
        if what == "the port":
            said_lines = [g.at for g in sorted(groups, key=lambda g: g.severity.rank) if isinstance(g.at, (Line, BodyLine))]
            part, at = "", said_lines[0] if said_lines else Absent("the port as the intent has it")
        values = [_value(g, bool(whole)) for g in groups]
        head = f"{what} differs from the intent in {len(groups)} values:"
        if all(g.first.theirs is None for g in groups):
            head = f"{what} is not there; the intent makes it"
        elif whole and all(g.first.ours is None for g in groups):
            head = f"the intent has no {what}:"
        ports = tuple(dict.fromkeys(p for g in groups for p in g.ports))
        return self.hit(
            f"{head} {', '.join(values[:_SHOWN])}{' …' if len(values) > _SHOWN else ''}",
            at=at,
            port=first.port,
            device=device,
            severity=first.severity,
            observed=", ".join(str(h.observed) for h in said),
            expected=", ".join(str(h.expected) for h in said),
            why=said[0].why,
            only_ports=ports,
            rests_on=tuple(g.rests_on for g in groups),
            related=tuple((g.port, _anchor(g.at), "differs") for g in groups),
            object=what,
        )


def _value(group: _Group, short: bool) -> str:
    """One value of several: `Kmin 10 bytes (intent: 20 bytes)`; short: without what they all belong to."""
    d = group.first
    what = field_words(d.field, *sorted(group.keys, key=_natural))
    colour = "".join(f" ({c})" for c in d.key.split(".")[2:]) if short and len(group.keys) == 1 else ""
    what = what.rpartition(": ")[2] if short else what.replace(": ", " ")
    ours, theirs = " / ".join(group.ours), " / ".join(group.theirs)
    if d.ours is None and short:
        return f"{what}{colour} {theirs}"
    return f"{what}{colour} {ours}" if d.theirs is None else f"{what}{colour} {theirs} (intent: {ours})"


def _part(d: Difference) -> tuple[str, str]:
    """What a value belongs to (`queue.unicast.3`, `group.3`, `watchdog`) and which reference gives it; "" for the rest."""
    root, _, leaf = d.field.partition(".")
    if root == "watchdog":
        return root, ""
    if root == "group":
        return f"group.{d.key}", _BY.get(leaf, "")
    if root == "queue":
        return f"queue.{'.'.join(d.key.split('.')[:2])}", _BY.get(leaf, "")
    return "", ""


def _together(groups: Iterable[_Group]) -> Iterator[list[_Group]]:
    """Differences that are one: one line says all the values, one object gives them, or one side says nothing at all there."""
    clusters: list[list[_Group]] = []
    by_line: dict[tuple[object, ...], list[_Group]] = {}
    for g in groups:
        line = (id(g.port), g.at) if isinstance(g.at, (Line, BodyLine)) else (id(g),)
        if line not in by_line:
            by_line[line] = []
            clusters.append(by_line[line])
        by_line[line].append(g)
    for one_of in (_given, _unsaid):
        bins: dict[tuple[object, ...], list[list[_Group]]] = {}
        for c in clusters:
            bins.setdefault(one_of(c) or (id(c),), []).append(c)
        clusters = []
        for key, found in bins.items():
            enough = one_of is _unsaid or len(found) >= (2 if key[-1] == "scheduler" else _MANY)
            clusters += [[g for c in found for g in c]] if enough else found
    whole: dict[int, list[list[_Group]]] = {}
    for c in clusters:
        whole.setdefault(id(c[0].port) if c[0].first.port else id(c), []).append(c)
    for parts in whole.values():
        if len(parts) >= _OTHER_PORT:
            yield [g for c in parts for g in c]
        else:
            yield from parts


def _given(cluster: list[_Group]) -> tuple[object, ...] | None:
    """The port, what the values belong to and the reference that gives them; None where they are of several."""
    found = {(id(g.port), *_part(g.first)) for g in cluster}
    return next(iter(found)) if len(found) == 1 and next(iter(found))[1] else None


def _unsaid(cluster: list[_Group]) -> tuple[object, ...] | None:
    """The port and what the values belong to, where only the intent or only the device says something of it."""
    found = {(id(g.port), _part(g.first)[0], g.first.theirs is None) for g in cluster}
    unsaid = all(g.first.theirs is None or g.first.ours is None for g in cluster)
    return next(iter(found)) if unsaid and len(found) == 1 and next(iter(found))[1] else None


def _anchor(at: Origin | Absent) -> Origin | FileLine | None:
    return at.at if isinstance(at, Absent) else at


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
        if name == "group.lossless" and not d.ours and not d.theirs:
            return None  # no statement, or one that says no
        matters = int(key) in mine.groups
        return Severity.NOTE if not matters else Severity.ERROR if name == "group.lossless" else Severity.WARNING
    if name.startswith("queue."):
        number = int(key.split(".")[1])
        if number in mine.queues:
            return Severity.ERROR if name in _QUEUE else Severity.WARNING
        return Severity.NOTE
    if name == "port.cable" and d.theirs is None and not any(p.own.said("cable_m") for p in device.maybe.ports.values()):
        return Severity.NOTE  # the file says no cable at all
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
    words = field_words(d.field, d.key)
    if view is None:
        origins = device.maybe.origins
        found = origins.get(path)
        if d.field == "device.pools":
            pool = next((p for p in device.maybe.pools if p.name == d.key), None)
            found = _in_pool(pool, d) if pool is not None else None
        if isinstance(found, (Line, BodyLine)):
            return found, None
        return Absent(words, path=()), found
    name = path.removeprefix("port.")
    body = view.maybe
    exact = body.own.get(name) if d.field.startswith("port.") else body.origins.get(path)
    if exact is None and isinstance(around := body.origins.of(path), Default):
        exact = around
    guards = d.field == "watchdog.priorities" and d.theirs == body.qos.pfc.no_drop  # what is no-drop, whatever line that is
    if (d.field == "pfc.no_drop" or guards) and isinstance(d.theirs, frozenset) and isinstance(d.ours, frozenset):
        exact = next((body.origins.get(f"pfc.no_drop.{p}") for p in sorted(d.theirs - d.ours)), exact)
    if isinstance(exact, (Line, BodyLine)):
        return exact, None
    unsaid = d.theirs is None or isinstance(d.theirs, Unknown)
    if unsaid and (block := _definition(device, body, d)) is not None:
        return Absent(d.field, path=(*block.path, block.text), at=block), exact
    if (alike := _alike(body, d)) is not None:
        return Absent(d.field, path=alike.path, at=alike), exact
    parent = body.origins.of(path.rpartition(".")[0]) if "." in path else None
    if isinstance(parent, (Line, BodyLine)) and unsaid:
        return Absent(words, path=(*parent.path, parent.text), at=parent), exact
    where = d.field.partition(".")[0]
    if isinstance(exact, Default):
        return absent(view, d.field, where), exact
    return (Absent(words) if where == "port" else absent(view, words, where)), None


def _in_pool(pool: Pool, d: Difference) -> Origin | None:
    """The line of the first value of a pool that differs, else the pool's own."""
    names = ("type", "", "mode", "size", "over_subscription")
    pairs = zip(names, d.ours, d.theirs, strict=True) if d.ours and d.theirs else ()
    return next((o for n, a, b in pairs if a != b and (o := pool.origins.get(n)) is not None), pool.origins.get(""))


def _definition(device: DeviceView, body: Port, d: Difference) -> Line | None:
    """The header of the named object that gives the values around this one, where it is the one that lacks the line."""
    part, binding = _part(d)
    if not part:
        return None
    for leaf in _GIVEN_BY.get(binding, ()):
        beside = body.origins.get(f"{part}.{leaf}")
        if isinstance(beside, Line):
            header = body.origins.get(part)  # the queue's own header within the profile, where it has one
            if isinstance(header, Line) and (*header.path, header.text) == beside.path:
                return header
            return device.definition_of(beside)
    return None


def _alike(body: Port, d: Difference) -> Line | None:
    """The line that puts other DSCPs where the intent wants this one: the list that lacks it."""
    if d.field != "classify.dscp":
        return None
    for match in body.qos.classify.matches:
        if match.tc == d.ours:
            for value in sorted(match.values):
                found = body.origins.get(f"classify.dscp.{value}")
                if isinstance(found, Line) and not found.path:
                    return found
    return None


def _path(d: Difference) -> str:
    """The origin's field path: `group.headroom` of group 3 is `group.3.headroom`."""
    if not d.key:
        return d.field
    root, _, leaf = d.field.partition(".")
    if root in ("group", "queue"):
        return f"{root}.{d.key}.{leaf}"
    return f"{d.field}.{d.key}"


def _natural(key: str) -> tuple[int, str]:
    return (int(key), "") if key.isdigit() else (-1, key)
