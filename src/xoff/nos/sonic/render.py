"""SONiC: from the model to the tables of config_db.json.

The vendor's form is JSON tables, so no text template prints them: tables are built as data, every reference and range is
checked, and one deterministic dump writes them. Equal contents share one map, scheduler or profile.
JSON takes no comments; what a person has to know stands in `<hostname>.README.txt` beside the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from xoff import platforms
from xoff.errors import CannotExpress
from xoff.model.qos import Colour, HeaderField, MatchKind, PfcMode, WatchdogAction
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.switch import Port, SwitchModel
from xoff.nos.natural import natural
from xoff.nos.renderer import NoteKind, Notes, header
from xoff.nos.sonic import render_buffers as buffers
from xoff.nos.sonic import render_queues as queues
from xoff.nos.sonic import typed_tables
from xoff.nos.sonic.render_queues import PREFIX, Names

if TYPE_CHECKING:
    from xoff.nos.registry import Nos

Tables = dict[str, dict[str, dict[str, str]]]
_MS = {Unit.MILLISECONDS: 1, Unit.SECONDS: 1000}
_ACTIONS = {WatchdogAction.DROP: "drop", WatchdogAction.FORWARD: "forward", WatchdogAction.ALERT: "alert"}
#: Tables that are written even without rows: that nothing is watched or marked is a statement, not a part left out.
_EVEN_EMPTY = ("PFC_WD", "WRED_PROFILE")
#: Tables whose whole key is a port.
_BY_PORT = frozenset({"PORT_QOS_MAP", "PFC_WD", "BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST"})


def build(model: SwitchModel, nos: Nos, form: str, notes: Notes) -> dict[str, str]:
    """`<hostname>.json` and `<hostname>.README.txt`. Raises CannotExpress, naming port and field."""
    if model.pfc_off is True:
        raise CannotExpress(f"{model.hostname}: a model with PFC off switch-wide is not rendered as a lossless configuration")
    ports = sorted(model.ports.values(), key=lambda p: natural(p.name))
    dynamic = buffers.is_dynamic(model)
    if form == "golden" and dynamic:
        notes.add(
            NoteKind.CANNOT, "form golden", "the dynamic buffer model has one form: the device computes anyway; that is written"
        )
        form = "running"
    tables: Tables = {
        "DEVICE_METADATA": {"localhost": {"hostname": model.hostname, "buffer_model": "dynamic" if dynamic else "traditional"}}
    }
    _maps(tables, model, ports, notes)
    queues.build(tables, ports)
    _watchdog(tables, ports)
    buffers.build(tables, model, ports, form, notes)
    tables = {t: rows for t, rows in tables.items() if rows} | {t: tables.get(t, {}) for t in _EVEN_EMPTY}
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
        out.append(f"    {quote(table)}: {{\n" + ",\n".join(rows) + "\n    }" if rows else f"    {quote(table)}: {{}}")
    return "{\n" + ",\n".join(out) + "\n}\n"


def _check(tables: Tables, model: SwitchModel) -> None:
    """Every reference resolves and every value is in range, by the typed tables that reading uses too.

    Rows that differ in the port alone are judged once.
    """
    once: Tables = {}
    for table, rows in tables.items():
        seen: set[tuple[str, ...]] = set()
        once[table] = {}
        for key, row in rows.items():
            first, bar, rest = key.partition("|")
            by_port = bar or table in _BY_PORT
            content = (rest if by_port and first not in typed_tables.NOT_A_PORT else key, *row, *row.values())
            if content not in seen:
                seen.add(content)
                once[table][key] = row
    problems = list(typed_tables.problems(once))
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
    for priority, stopped in p.qos.pfc.obey.items():
        if len(stopped) > 1:
            raise CannotExpress(
                f"{p.name}: a pause of {priority} stops queues {sorted(stopped)}; SONiC maps a priority to one queue"
            )
        for queue in stopped:
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
    bodies: dict[int, tuple[dict[str, str], str | None] | None] = {}
    for p in ports:
        if id(p.qos) not in bodies:
            bodies[id(p.qos)] = _watchdog_row(p)
        found = bodies[id(p.qos)]
        if found is not None:
            rows[p.name], poll = found
            if poll is not None:
                polls.setdefault(poll, p.name)
    if len(polls) > 1:
        raise CannotExpress(f"watchdog polling differs between ports ({polls}); SONiC has one interval for the switch")
    if rows:
        tables["PFC_WD"] = ({"GLOBAL": {"POLL_INTERVAL": next(iter(polls))}} if polls else {}) | rows


def _watchdog_row(p: Port) -> tuple[dict[str, str], str | None] | None:
    """The PFC_WD row of a port and its polling interval; None where the watchdog is off or the device starts it by itself."""
    w = p.qos.watchdog
    if w.enabled is not True or w.by_device:
        return None
    if w.action is not None and (isinstance(w.action, Unknown) or w.action not in _ACTIONS):
        raise CannotExpress(f"{p.name}: watchdog action {w.action} has no word in SONiC (drop, forward, alert)")
    row = {
        "action": _ACTIONS[w.action] if isinstance(w.action, WatchdogAction) else None,
        "detection_time": milliseconds(w.detect, f"{p.name}: watchdog detection"),
        "restoration_time": milliseconds(w.restore, f"{p.name}: watchdog restoration"),
    }
    return {k: v for k, v in row.items() if v is not None}, milliseconds(w.poll, f"{p.name}: watchdog polling")
