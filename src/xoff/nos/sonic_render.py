"""SONiC: from the model to the tables of config_db.json.

The vendor's form is JSON tables, so no text template prints them: tables are built as data, every reference and range is
checked, and one deterministic dump writes them. Equal contents share one map, scheduler or profile.
JSON takes no comments; what a person has to know stands in `<hostname>.README.txt` beside the file.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xoff import platforms
from xoff.errors import CannotExpress
from xoff.model.qos import Colour, Curve, HeaderField, MatchKind, PfcMode, Queue, Scheduler, SchedulerKind, WatchdogAction
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.switch import Port, SwitchModel
from xoff.nos import sonic_render_buffers as buffers
from xoff.nos import sonic_tables
from xoff.nos.natural import natural
from xoff.nos.renderer import NoteKind, Notes, header

if TYPE_CHECKING:
    from xoff.nos.registry import Nos

Tables = dict[str, dict[str, dict[str, str]]]
#: The name of everything xoff defines begins so.
PREFIX = "XOFF"
_MS = {Unit.MILLISECONDS: 1, Unit.SECONDS: 1000}
_ACTIONS = {WatchdogAction.DROP: "drop", WatchdogAction.FORWARD: "forward", WatchdogAction.ALERT: "alert"}
_TYPES = {SchedulerKind.STRICT: "STRICT", SchedulerKind.DWRR: "DWRR", SchedulerKind.WRR: "WRR"}
_LEVELS = (Colour.GREEN, Colour.YELLOW, Colour.RED)


@dataclass(slots=True)
class Names:
    """Gives one name per distinct content: the wished one, with `_2`, `_3` … where another content has it already."""

    known: dict[tuple[str, Hashable], str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def of(self, wish: str, content: Hashable) -> str:
        key = (wish, content)
        if key not in self.known:
            name, n = wish, 1
            while name in self.used:
                n += 1
                name = f"{wish}_{n}"
            self.used.add(name)
            self.known[key] = name
        return self.known[key]


def build(model: SwitchModel, nos: Nos, form: str, notes: Notes) -> dict[str, str]:
    """`<hostname>.json` and `<hostname>.README.txt`. Raises CannotExpress, naming port and field."""
    if model.pfc_off is True:
        raise CannotExpress(f"{model.hostname}: a model with PFC off switch-wide is not rendered as a lossless configuration")
    ports = sorted(model.ports.values(), key=lambda p: natural(p.name))
    dynamic = buffers.is_dynamic(model)
    if form == "golden" and dynamic:
        raise CannotExpress(f"{model.hostname}: the dynamic buffer model has one form; leave --form golden out")
    tables: Tables = {
        "DEVICE_METADATA": {"localhost": {"hostname": model.hostname, "buffer_model": "dynamic" if dynamic else "traditional"}}
    }
    _maps(tables, model, ports, notes)
    _queues(tables, ports)
    _watchdog(tables, ports)
    buffers.build(tables, model, ports, form, notes)
    tables = {t: rows for t, rows in tables.items() if rows}
    _check(tables, model)
    said = f"Form: {form}, {'dynamic' if dynamic else 'traditional'} buffer model, SONiC config_db."
    text = _dump(tables)
    about = [f"{model.hostname}.json", "", *header(nos, said, notes)]
    return {f"{model.hostname}.json": text, f"{model.hostname}.README.txt": "\n".join(about) + "\n"}


def _dump(tables: Tables) -> str:
    """As `json.dumps(…, indent=4)` with sorted tables, but several times faster: three levels of text are all there is."""
    quote = json.encoder.encode_basestring_ascii
    out = []
    for table in sorted(tables):
        rows = []
        for key, row in tables[table].items():
            fields = ",\n".join(f"            {quote(k)}: {quote(v)}" for k, v in row.items())
            rows.append(f"        {quote(key)}: {{\n{fields}\n        }}" if fields else f"        {quote(key)}: {{}}")
        out.append(f"    {quote(table)}: {{\n" + ",\n".join(rows) + "\n    }")
    return "{\n" + ",\n".join(out) + "\n}\n"


def _check(tables: Tables, model: SwitchModel) -> None:
    """Every reference resolves and every value is in range, by the typed tables that reading uses too."""
    problems = list(sonic_tables.problems(tables))
    if problems:
        raise CannotExpress(f"{model.hostname}: the tables would not load: " + "; ".join(str(p) for p in problems))


def _int_map(values: dict[int, int]) -> dict[str, str]:
    return {str(k): str(values[k]) for k in sorted(values)}


def _map_name(tables: Tables, names: Names, table: str, values: dict[int, int]) -> str | None:
    """Name of the map with these values in `table`, made where it is new; None for an empty map."""
    if not values:
        return None
    rows = _int_map(values)
    name = names.of(PREFIX, tuple(rows.items()))
    tables.setdefault(table, {})[name] = rows
    return name


def _known(values: Iterable[tuple[int, int | Unknown]], what: str) -> dict[int, int]:
    out = {}
    for key, value in values:
        if isinstance(value, Unknown):
            raise CannotExpress(f"{what} of {key} is {value}")
        out[key] = value
    return out


def _classification(p: Port, kind: MatchKind) -> dict[int, int]:
    out: dict[int, int] = {}
    for m in p.qos.classify.matches:
        if m.kind in (MatchKind.OPAQUE, MatchKind.DEFAULT) or m.colour is not Colour.GREEN or isinstance(m.tc, Unknown):
            raise CannotExpress(
                f"{p.name}: a classification step of kind {m.kind} to {m.tc}, {m.colour}, has no place in config_db maps"
            )
        if m.kind is kind:
            for v in m.values:
                out.setdefault(v, m.tc)
    return out


def _fields_read(p: Port) -> tuple[bool, bool]:
    """Whether the port classifies by DSCP and by PCP: in SONiC the choice of map is the trust."""
    read = {p.qos.classify.tagged_ip, p.qos.classify.untagged_ip}
    if HeaderField.DSCP in read and HeaderField.PCP in read:
        raise CannotExpress(
            f"{p.name}: SONiC reads DSCP or PCP of IP packets, not one of tagged and the other of untagged ones"
        )
    return HeaderField.DSCP in read, HeaderField.PCP in read


def _maps(tables: Tables, model: SwitchModel, ports: list[Port], notes: Notes) -> None:
    names = {t: Names() for t in ("dscp", "pcp", "queue", "pg", "pfc", "pfc_pg", "rewrite")}
    rows: dict[str, dict[str, str]] = {}
    by_body: dict[int, dict[str, str]] = {}
    for p in ports:
        if id(p.qos) not in by_body:
            by_body[id(p.qos)] = _map_row(tables, names, model, p)
        rows[p.name] = by_body[id(p.qos)]
    dscp_maps = tables.get("DSCP_TO_TC_MAP", {})
    if len(dscp_maps) == 1:
        rows = {"global": {"dscp_to_tc_map": next(iter(dscp_maps))}, **rows}
    elif dscp_maps:
        notes.add(NoteKind.CANNOT, "PORT_QOS_MAP|global", "ports classify by different maps, so none is the switch's own")
    tables["PORT_QOS_MAP"] = rows


def _map_row(tables: Tables, names: dict[str, Names], model: SwitchModel, p: Port) -> dict[str, str]:
    """The PORT_QOS_MAP row of a port, its maps made where they are new. It depends on the port's body alone."""
    q, what = p.qos, p.name
    if q.unread is not None:
        raise CannotExpress(f"{what}: {q.unread.reason}")
    if q.pfc.mode not in (PfcMode.ON, PfcMode.OFF):
        raise CannotExpress(f"{what}: PFC mode {q.pfc.mode} has no field in SONiC; use on or off")
    if q.pfc.asymmetric is True:
        raise CannotExpress(
            f"{what}: asymmetric PFC stands in PORT, which belongs to the device; set `config interface pfc asymmetric`"
        )
    by_dscp, by_pcp = _fields_read(p)
    on = q.pfc.mode is PfcMode.ON
    found = {
        "dscp_to_tc_map": _map_name(tables, names["dscp"], "DSCP_TO_TC_MAP", _classification(p, MatchKind.DSCP))
        if by_dscp
        else None,
        "dot1p_to_tc_map": _map_name(tables, names["pcp"], "DOT1P_TO_TC_MAP", _classification(p, MatchKind.PCP))
        if by_pcp
        else None,
        "tc_to_queue_map": _map_name(
            tables, names["queue"], "TC_TO_QUEUE_MAP", _known(q.tc_to_queue.items(), f"{what}: queue")
        ),
        "tc_to_pg_map": _map_name(
            tables, names["pg"], "TC_TO_PRIORITY_GROUP_MAP", _known(q.tc_to_group.items(), f"{what}: group")
        ),
        "pfc_to_queue_map": _map_name(tables, names["pfc"], "MAP_PFC_PRIORITY_TO_QUEUE", _pause_queues(p)) if on else None,
        "pfc_to_pg_map": _map_name(tables, names["pfc_pg"], "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", _pause_groups(p, model))
        if on
        else None,
        "tc_to_dscp_map": _map_name(tables, names["rewrite"], "TC_TO_DSCP_MAP", dict(q.rewrite_dscp)),
        "pfc_enable": ",".join(map(str, sorted(_sent(p)))) if on else None,
        "pfcwd_sw_enable": _watched(p),
    }
    return {k: v for k, v in found.items() if v}


def _sent(p: Port) -> frozenset[int]:
    """Priorities for pfc_enable: those that a group pauses, and they must be the stated no-drop ones."""
    sent = frozenset().union(*p.qos.pfc.send.values()) if p.qos.pfc.send else frozenset()
    if p.qos.pfc.no_drop and sent and sent != p.qos.pfc.no_drop:
        raise CannotExpress(
            f"{p.name}: pauses are sent for {sorted(sent)}, no-drop are {sorted(p.qos.pfc.no_drop)}; "
            "SONiC has one list for both"
        )
    return sent or p.qos.pfc.no_drop


def _pause_queues(p: Port) -> dict[int, int]:
    """Priority received -> the queue that it stops: what the model says, each other priority its own number."""
    out = {n: n for n in range(8)}
    for priority, queues in p.qos.pfc.obey.items():
        if len(queues) > 1:
            raise CannotExpress(
                f"{p.name}: a pause of {priority} stops queues {sorted(queues)}; SONiC maps a priority to one queue"
            )
        for queue in queues:
            out[priority] = queue
    return out


def _pause_groups(p: Port, model: SwitchModel) -> dict[int, int]:
    """Priority written -> group, on chips where SONiC has that map; elsewhere group n pauses priority n."""
    asic = None if isinstance(model.asic, Unknown) else platforms.load(model.asic)
    has = asic.pfc_to_pg_map.value if asic else None
    out = {priority: group for group, sent in p.qos.pfc.send.items() for priority in sent}
    if has is True:
        return out
    if any(g != n for n, g in out.items()):
        raise CannotExpress(
            f"{p.name}: group and pause priority differ ({out}), and no source says that {model.asic} maps one to the other"
        )
    return {}


def _watched(p: Port) -> str | None:
    w = p.qos.watchdog
    if isinstance(w.enabled, Unknown) or isinstance(w.priorities, Unknown):
        raise CannotExpress(f"{p.name}: whether the watchdog runs is not known")
    return ",".join(map(str, sorted(w.priorities))) if w.enabled and w.priorities else None


def _queues(tables: Tables, ports: list[Port]) -> None:
    """SCHEDULER, WRED_PROFILE and QUEUE."""
    names, wred_names = Names(), Names()
    rows: dict[str, dict[str, str]] = {}
    bodies: dict[int, list[_QueueRow]] = {}
    speeds: dict[Hashable, set[int]] = {}  # by marking profile, Mb/s; 0 where a port's speed is not known
    for p in ports:
        if id(p.qos) not in bodies:
            bodies[id(p.qos)] = [
                _queue_row(q, f"{p.name} queue {q.id.id}") for q in sorted(p.qos.queues.values(), key=lambda q: q.id.id)
            ]
        for q in bodies[id(p.qos)]:
            if q.ramp:
                speeds.setdefault(tuple(q.ramp.items()), set()).add(p.speed if isinstance(p.speed, int) else 0)
    for p in ports:
        for q in bodies[id(p.qos)]:
            if q.row is None:
                q.row = {}
                if q.scheduler is not None:
                    wish, content = q.scheduler
                    q.row["scheduler"] = names.of(wish, tuple(content.items()))
                    tables.setdefault("SCHEDULER", {})[q.row["scheduler"]] = content
                if q.ramp:
                    same = speeds[tuple(q.ramp.items())]
                    wish = f"{PREFIX}_{next(iter(same)) // 1000}G" if len(same) == 1 and 0 not in same else PREFIX
                    q.row["wred_profile"] = wred_names.of(wish, tuple(q.ramp.items()))
                    tables.setdefault("WRED_PROFILE", {})[q.row["wred_profile"]] = q.ramp
            if q.row:
                rows[f"{p.name}|{q.id}"] = q.row
    tables["QUEUE"] = rows


@dataclass(slots=True)
class _QueueRow:
    """One queue of a body: scheduler (wished name, fields), WRED fields, and the QUEUE row once names are given."""

    id: int
    scheduler: tuple[str, dict[str, str]] | None
    ramp: dict[str, str]
    row: dict[str, str] | None = None


def _queue_row(q: Queue, what: str) -> _QueueRow:
    return _QueueRow(q.id.id, None if q.scheduler is None else _scheduler(q.scheduler, what), _wred(q, what))


def _scheduler(s: Scheduler | Unknown, what: str) -> tuple[str, dict[str, str]]:
    if isinstance(s, Unknown) or isinstance(s.kind, Unknown):
        raise CannotExpress(f"{what}: scheduler is {s if isinstance(s, Unknown) else s.kind}")
    if s.guarantee is not None or s.cap is not None:
        raise CannotExpress(f"{what}: guaranteed or capped rates of a queue are not rendered for SONiC")
    kind = _TYPES[s.kind]
    if s.kind is SchedulerKind.STRICT:
        return f"{PREFIX}_STRICT", {"type": kind}
    share = s.share
    if (
        share is None
        or share.amount.denominator != 1
        or not 1 <= share.amount <= 100
        or share.unit not in (Unit.PERCENT, Unit.WEIGHT)
    ):
        raise CannotExpress(f"{what}: a share of {share} cannot be said; SONiC takes a weight from 1 to 100")
    return f"{PREFIX}_{kind}_{share.plain}", {"type": kind, "weight": share.plain}


def _wred(q: Queue, what: str) -> dict[str, str]:
    """One WRED_PROFILE row. A queue with one ramp gives it to all colours, as the shipped profiles do."""
    curves = {c: k for c, k in q.curves.items() if k.marks is not False or k.drops is not False}
    if not curves:
        return {}
    if set(curves) == {Colour.GREEN}:
        curves = dict.fromkeys(_LEVELS, curves[Colour.GREEN])
    marks = {c for c, k in curves.items() if k.marks is True}
    ecn = {
        frozenset(): "ecn_none",
        frozenset(_LEVELS): "ecn_all",
        frozenset({Colour.GREEN, Colour.YELLOW}): "ecn_green_yellow",
        frozenset({Colour.GREEN, Colour.RED}): "ecn_green_red",
        frozenset({Colour.YELLOW, Colour.RED}): "ecn_yellow_red",
    }.get(frozenset(marks)) or f"ecn_{next(iter(marks))}"
    row = {"ecn": ecn}
    for colour in _LEVELS:
        curve = curves.get(colour)
        if curve is None:
            continue
        row |= _ramp(colour, curve, what)
    return row


def _ramp(colour: Colour, curve: Curve, what: str) -> dict[str, str]:
    if isinstance(curve.marks, Unknown) or isinstance(curve.drops, Unknown):
        raise CannotExpress(f"{what}: whether {colour} packets are marked is not known")
    return {
        f"wred_{colour}_enable": "true",
        f"{colour}_min_threshold": whole_bytes(curve.kmin, f"{what}: {colour} minimum threshold"),
        f"{colour}_max_threshold": whole_bytes(curve.kmax, f"{what}: {colour} maximum threshold"),
        f"{colour}_drop_probability": _percent(curve.pmax, f"{what}: {colour} probability"),
    }


def whole_bytes(q: Quantity | Unknown | None, what: str) -> str:
    """A number of bytes as config_db writes it. Raises CannotExpress for anything else."""
    if not isinstance(q, Quantity) or q.unit is not Unit.BYTES or q.amount.denominator != 1 or q.amount < 0:
        raise CannotExpress(f"{what}: {q} cannot be said; SONiC takes whole bytes")
    return q.plain


def _percent(q: Quantity | Unknown | None, what: str) -> str:
    if not isinstance(q, Quantity) or q.unit is not Unit.PERCENT or q.amount.denominator != 1 or not 0 <= q.amount <= 100:
        raise CannotExpress(f"{what}: {q} cannot be said; SONiC takes whole percent")
    return q.plain


def milliseconds(q: Quantity | Unknown | None, what: str) -> str | None:
    """A time as config_db writes it: whole milliseconds. None where nothing is said."""
    if q is None:
        return None
    if isinstance(q, Unknown) or q.unit not in _MS or (q.amount * _MS[q.unit]).denominator != 1:
        raise CannotExpress(f"{what}: {q} cannot be said; SONiC takes whole milliseconds")
    return str(int(q.amount * _MS[q.unit]))


def _watchdog(tables: Tables, ports: list[Port]) -> None:
    rows: dict[str, dict[str, str]] = {}
    polls: dict[str, str] = {}
    for p in ports:
        w = p.qos.watchdog
        if w.enabled is not True or w.by_device:
            continue
        if w.action is not None and (isinstance(w.action, Unknown) or w.action not in _ACTIONS):
            raise CannotExpress(f"{p.name}: watchdog action {w.action} has no word in SONiC (drop, forward, alert)")
        row = {
            "action": _ACTIONS[w.action] if isinstance(w.action, WatchdogAction) else None,
            "detection_time": milliseconds(w.detect, f"{p.name}: watchdog detection"),
            "restoration_time": milliseconds(w.restore, f"{p.name}: watchdog restoration"),
        }
        rows[p.name] = {k: v for k, v in row.items() if v is not None}
        poll = milliseconds(w.poll, f"{p.name}: watchdog polling")
        if poll is not None:
            polls.setdefault(poll, p.name)
    if len(polls) > 1:
        raise CannotExpress(f"watchdog polling differs between ports ({polls}); SONiC has one interval for the switch")
    if rows:
        tables["PFC_WD"] = ({"GLOBAL": {"POLL_INTERVAL": next(iter(polls))}} if polls else {}) | rows
