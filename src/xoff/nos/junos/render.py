"""Junos: from the model to what templates/junos/render/config.j2 prints, as set lines.

Junos says classes once for the switch, classifiers, profiles and scheduler maps by name, and binds the names to interfaces.
Equal things get one name; what a queue does on some ports only (a scheduler) gets a number behind it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from xoff.errors import CannotExpress
from xoff.model.qos import Alpha, Colour, HeaderField, MatchKind, PfcMode, PortQos, Queue, QueueKind, Scheduler, SchedulerKind
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Port, SwitchModel
from xoff.nos.junos.family import NOT_KNOWN, UNIFORM, Family, of_lines, of_model
from xoff.nos.junos.render_pfc import Profile, default_obey, profile
from xoff.nos.junos.words import alpha_of
from xoff.nos.natural import natural
from xoff.nos.renderer import NoteKind, Notes, environment, header, one_line

if TYPE_CHECKING:
    from xoff.nos.registry import Nos

#: Models with a sourced PFC watchdog ([D-wdai]).
WATCHED = ("QFX5230", "QFX5240", "QFX5241")


@dataclass(frozen=True, slots=True)
class Class:
    name: str
    queue: int
    lossless: bool
    priority: int | None


@dataclass(frozen=True, slots=True)
class Row:
    """Values of a classifier that go to one class, in bits. `level`: the loss priority."""

    fc: str
    level: str
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A classifier or rewrite rule. `type`: dscp or ieee-802.1."""

    type: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Ramp:
    low: str
    high: str
    top: str


@dataclass(frozen=True, slots=True)
class Schedule:
    """What one scheduler says. `threshold`: buffer-dynamic-threshold, where it differs from the switch's own."""

    strict: bool
    percent: str | None
    cap: str | None
    ramp: str | None
    ecn: bool
    threshold: int | None


@dataclass(frozen=True, slots=True)
class Interface:
    name: str
    description: str | None
    mtu: int | None
    disabled: bool
    family: str | None
    addresses: tuple[str, ...]
    cnp: str | None
    map: str
    classifiers: tuple[tuple[str, str], ...]
    rewrite: str | None


class _Names:
    """Equal things under one name: `base`, then `base-2` …, in the order met."""

    def __init__(self) -> None:
        self.of: dict[object, str] = {}
        self._used: dict[str, int] = defaultdict(int)

    def __call__(self, thing: object, base: str) -> str:
        if thing not in self.of:
            self._used[base] += 1
            n = self._used[base]
            self.of[thing] = base if n == 1 else f"{base}-{n}"
        return self.of[thing]


def build(model: SwitchModel, nos: Nos, form: str, notes: Notes) -> dict[str, str]:
    """The one file of a Junos switch. Raises CannotExpress, naming port and field."""
    if form != "running":
        notes.add(NoteKind.CANNOT, f"form {form}", "Junos has one form, its configuration; that is written")
    out = _Build(model, nos, notes)
    text = environment(nos.name).get_template("config.j2").render(out.view())
    return {f"{model.hostname}.set": text}


class _Build:
    def __init__(self, model: SwitchModel, nos: Nos, notes: Notes) -> None:
        self.model, self.nos, self.notes = model, nos, notes
        self.ports = sorted(model.ports.values(), key=lambda p: natural(p.name))
        self.family = _family(model)
        if model.pfc_off is True:
            raise CannotExpress(f"{model.hostname}: Junos has no statement that turns PFC off for the whole switch")
        self.classes = self._classes()
        self.tables, self.rewrites, self.ramps, self.schedules = _Names(), _Names(), _Names(), _Names()
        self.maps, self.profiles = _Names(), _Names()

    def view(self) -> dict[str, object]:
        interfaces = [self._interface(p) for p in self.ports]
        self._watchdog()
        return {
            "device_line": _device_line(self.model),
            "hostname": self.model.hostname,
            "classes": list(self.classes.values()),
            "classifiers": [(name, table) for table, name in self.tables.of.items()],
            "rewrites": [(name, table) for table, name in self.rewrites.of.items()],
            "ramps": [(name, ramp) for ramp, name in self.ramps.of.items()],
            "schedulers": [(name, s) for s, name in self.schedules.of.items()],
            "maps": [(name, entries) for entries, name in self.maps.of.items()],
            "profiles": [(name, p) for p, name in self.profiles.of.items()],
            "partitions": self._partitions(),
            "threshold": self._threshold(),
            "interfaces": interfaces,
            "head": header(self.nos, f"Form: configuration, class-of-service part, {self.nos.title}.", self.notes),
        }

    # --- classes ---

    def _classes(self) -> dict[int, Class]:
        """One class per queue, with what all ports say of it."""
        lossless: dict[int, bool] = {}
        priority: dict[int, int] = {}
        for p in _one_per_body(self.ports):
            q = p.qos
            if q.unread is not None:
                raise CannotExpress(f"{p.name}: {q.unread.reason}")
            for number, queue in _queues(q).items():
                said = queue.lossless if queue is not None else None
                if isinstance(said, Unknown):
                    raise CannotExpress(f"{p.name}: whether queue {number} may drop is {said}")
                if said is not None and lossless.setdefault(number, said) != said:
                    raise CannotExpress(f"{p.name}: queue {number} is no-loss on some ports only; Junos says it for the switch")
            for tc, group in q.tc_to_group.items():
                queue_of = q.tc_to_queue.get(tc)
                sent = q.pfc.send.get(group, frozenset()) if isinstance(group, int) else frozenset()
                if not sent or not isinstance(queue_of, int) or not any(tc == m.tc for m in q.classify.matches):
                    continue
                (one, *more) = sorted(sent)
                if more:
                    raise CannotExpress(f"{p.name}: group {group} pauses {sorted(sent)}; a Junos class pauses one priority")
                if priority.setdefault(queue_of, one) != one:
                    raise CannotExpress(
                        f"{p.name}: queue {queue_of} pauses {one}, elsewhere {priority[queue_of]}; Junos says it once"
                    )
        used = {n for p in _one_per_body(self.ports) for n in _queues(p.qos)}
        return {
            n: Class(f"XOFF-NOLOSS-{n}" if lossless.get(n) else f"XOFF-Q{n}", n, lossless.get(n, False), priority.get(n))
            for n in sorted(used)
        }

    def _class(self, tc: int | Unknown, q: PortQos, what: str) -> str:
        queue = q.tc_to_queue.get(tc) if isinstance(tc, int) else tc
        if not isinstance(queue, int):
            raise CannotExpress(f"{what}: queue of traffic class {tc} is not known")
        return self.classes[queue].name

    # --- classification ---

    def _tables(self, p: Port) -> tuple[tuple[str, str], ...]:
        q, out = p.qos, []
        fields = {q.classify.tagged_ip, q.classify.untagged_ip}
        for kind, field, type_, bits in (
            (MatchKind.DSCP, HeaderField.DSCP, "dscp", 6),
            (MatchKind.PCP, HeaderField.PCP, "ieee-802.1", 3),
        ):
            if field not in fields:
                continue
            by: dict[tuple[str, Colour], set[int]] = defaultdict(set)
            seen: set[int] = set()
            for m in q.classify.matches:
                if m.kind in (MatchKind.OPAQUE, MatchKind.DEFAULT):
                    raise CannotExpress(f"{p.name}: a classification step of kind {m.kind} is not rendered in Junos")
                if m.kind is kind:
                    by[self._class(m.tc, q, p.name), m.colour] |= m.values - seen
                    seen |= m.values
            rows = tuple(
                Row(fc, _LEVEL[colour], tuple(format(v, f"0{bits}b") for v in sorted(vs)))
                for (fc, colour), vs in sorted(by.items(), key=lambda e: (natural(e[0][0]), e[0][1]))
                if vs
            )
            out.append((type_, self.tables(Table(type_, rows), f"XOFF-{'DSCP' if bits == 6 else 'PCP'}")))
        if not out:
            raise CannotExpress(f"{p.name}: Junos classifies by DSCP or 802.1p; the port is to read {sorted(map(str, fields))}")
        return tuple(out)

    def _rewrite(self, p: Port) -> str | None:
        if not p.qos.rewrite_dscp:
            return None
        rows = tuple(
            Row(self._class(tc, p.qos, p.name), "low", (format(v, "06b"),)) for tc, v in sorted(p.qos.rewrite_dscp.items())
        )
        return self.rewrites(Table("dscp", rows), "XOFF-REWRITE")

    # --- queues ---

    def _map(self, p: Port) -> str:
        entries = []
        for number, queue in sorted(_queues(p.qos).items()):
            if queue is None or queue.scheduler is None:
                continue
            said = self._schedule(queue, f"{p.name} queue {number}")
            name = "XOFF-STRICT" if said.strict else f"XOFF-S{number}"
            entries.append((self.classes[number].name, self.schedules(said, name)))
        return self.maps(tuple(entries), "XOFF-MAP")

    def _schedule(self, q: Queue, what: str) -> Schedule:
        s = q.scheduler
        if not isinstance(s, Scheduler) or isinstance(s.kind, Unknown):
            raise CannotExpress(f"{what}: scheduler is {s if not isinstance(s, Scheduler) else s.kind}")
        strict = s.kind is SchedulerKind.STRICT
        if s.guarantee is not None:
            raise CannotExpress(f"{what}: a guarantee of {s.guarantee} beside a share is not rendered in Junos")
        ramp = None
        for colour in q.curves:
            if colour is not Colour.GREEN:
                raise CannotExpress(f"{what}: a ramp for {colour} packets alone is not rendered in Junos")
        curve = q.curves.get(Colour.GREEN)
        if curve is not None and (curve.marks is True or curve.drops is True):
            low, high, top = (
                _percent(v, u, f"{what}: {n}")
                for v, u, n in (
                    (curve.kmin, Unit.PERCENT_OF_LIMIT, "minimum threshold"),
                    (curve.kmax, Unit.PERCENT_OF_LIMIT, "maximum threshold"),
                    (curve.pmax, Unit.PERCENT, "marking probability"),
                )
            )
            if int(low) >= int(high):
                raise CannotExpress(f"{what}: fill levels {low} and {high} do not rise")
            ramp = self.ramps(Ramp(low, high, top), f"XOFF-ECN-{low}-{high}")
        return Schedule(
            strict,
            None if strict or s.share is None else _percent(s.share, Unit.PERCENT, f"{what}: share"),
            None if s.cap is None else _percent(s.cap, Unit.PERCENT, f"{what}: cap"),
            ramp,
            curve is not None and curve.marks is True,
            self._limit(q, what),
        )

    def _limit(self, q: Queue, what: str) -> int | None:
        entry = self.nos.default("queue.limit", family="qfx", feature="lossless" if q.lossless else "lossy")
        own = alpha_of(entry.value) if entry is not None and self.family.qfx else None
        if q.limit is None or q.limit == own:
            return None
        if q.lossless:
            raise CannotExpress(f"{what}: a limit of its own is not supported for lossless queues (Junos)")
        return dynamic_threshold(q.limit, what)

    # --- interfaces ---

    def _interface(self, p: Port) -> Interface:
        if isinstance(p.admin, Unknown) or isinstance(p.routed, Unknown):
            raise CannotExpress(f"{p.name}: whether the port is up and routed is not known")
        if p.mtu is not None and not isinstance(p.mtu, int):
            raise CannotExpress(f"{p.name}: MTU is {p.mtu}")
        if p.qos.pfc.mode not in (PfcMode.ON, PfcMode.OFF):
            raise CannotExpress(f"{p.name}: PFC mode {p.qos.pfc.mode} has no line in Junos")
        made = profile(p, self.model, default_obey(self.nos, self.family))
        text = one_line(p.description, f"{p.name}: description") if p.description else None
        return Interface(
            p.name,
            None if text is None else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"',
            p.mtu,
            not p.admin,
            None if p.routed is None else "inet" if p.routed else "ethernet-switching",
            tuple(one_line(a, f"{p.name}: address") for a in p.addresses),
            None if made is None else self.profiles(made, _profile_name(made)),
            self._map(p),
            self._tables(p),
            self._rewrite(p),
        )

    def _watchdog(self) -> None:
        if not any(p.watchdog for p in self.profiles.of if isinstance(p, Profile)):
            return
        model = "" if isinstance(self.model.platform, Unknown) else self.model.platform.upper()
        if not model.startswith(WATCHED):
            self.notes.unverified(
                "pfc-watchdog", f"sources name {', '.join(WATCHED)} from 23.4R2; see Feature Explorer for {model}"
            )

    # --- buffers ---

    def _partitions(self) -> list[tuple[str, str, str]]:
        out = []
        for pool in self.model.pools:
            direction, _, part = pool.name.partition(" ")
            if pool.direction.value != direction or not part:
                raise CannotExpress(f"pool {pool.name}: Junos has partitions of ingress and egress only")
            out.append((direction, part, _percent(pool.size, Unit.PERCENT_OF_POOL, f"pool {pool.name}")))
        return out

    def _threshold(self) -> int | None:
        """The ingress lossless dynamic-threshold, where it is not the family's own."""
        found = {g.threshold for p in self.ports for g in p.qos.groups.values() if g.threshold is not None}
        if len(found) > 1:
            raise CannotExpress(f"{self.model.hostname}: thresholds of groups differ; Junos says one for the switch")
        entry = self.nos.default("group.threshold", family="qfx")
        if not found or (entry is not None and found == {alpha_of(entry.value)} and self.family.qfx):
            return None
        return dynamic_threshold(found.pop(), "ingress threshold")


_LEVEL = {Colour.GREEN: "low", Colour.YELLOW: "medium-high", Colour.RED: "high"}


def _family(model: SwitchModel) -> Family:
    known = NOT_KNOWN if isinstance(model.platform, Unknown) else of_model(model.platform)
    if known.name is not None:
        return known
    shares = {
        way: {p.name.partition(" ")[2]: int(p.size.amount) for p in model.pools
              if p.direction.value == way and isinstance(p.size, Quantity)}
        for way in ("ingress", "egress")
    }  # fmt: skip
    return of_lines(shares["ingress"], shares["egress"], bool(model.pools), False, True, None)


def _device_line(model: SwitchModel) -> str | None:
    """A comment that readers take model and release from."""
    if isinstance(model.platform, Unknown):
        return None
    release = "" if isinstance(model.release, Unknown) else f", {model.release}"
    return one_line(f"{model.hostname} ({model.platform}{release})", "platform")


def _profile_name(p: Profile) -> str:
    parts = ["XOFF", *([f"{p.cable}M"] if p.cable is not None else [])]
    return "-".join([*parts, "P" + "-".join(str(int(n, 2)) for n, _ in p.output) if p.output else "NONE"])


def _one_per_body(ports: Iterable[Port]) -> list[Port]:
    seen: dict[int, Port] = {}
    for p in ports:
        seen.setdefault(id(p.qos), p)
    return list(seen.values())


def _queues(q: PortQos) -> dict[int, Queue | None]:
    """Unicast queues that classes use or that say something."""
    out: dict[int, Queue | None] = {x.id.id: x for x in q.queues.values() if x.id.kind is QueueKind.UNICAST}
    for m in q.classify.matches:
        queue = q.tc_to_queue.get(m.tc) if isinstance(m.tc, int) else None
        if isinstance(queue, int):
            out.setdefault(queue, None)
    return out


def _percent(q: Quantity | Unknown | None, unit: Unit, what: str) -> str:
    if not isinstance(q, Quantity) or q.unit is not unit or q.amount.denominator != 1 or not 0 <= q.amount <= 100:
        raise CannotExpress(f"{what}: {q} cannot be said; Junos takes a whole {unit} from 0 to 100 here")
    return q.plain


def dynamic_threshold(limit: object, what: str) -> int:
    """The number 0 to 10 that stands for an alpha."""
    for n in range(11):
        if limit == alpha_of(n):
            return n
    said = limit.alpha.plain if isinstance(limit, Alpha) else limit
    raise CannotExpress(f"{what}: {said} cannot be said; Junos takes an alpha of 1/128 to 8, doubling")


__all__ = ["UNIFORM", "build"]
