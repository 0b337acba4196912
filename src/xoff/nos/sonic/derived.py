"""What the device adds by itself at run time: lossless priority groups of a golden file, and the PFC watchdog.

Buffer manager (traditional model; sonic-net/sonic-swss@e6b0c5b5 cfgmgr/buffermgr.cpp): for a port with pfc_enable, a known
admin state and a cable that is not 0 m it looks up (speed, cable) in pg_profile_lookup.ini, makes that profile and binds the
groups of pfc_enable to it. Without an exact row nothing is bound. Watchdog: `pfcwd start_default`
(sonic-net/sonic-utilities@691b1bbc pfcwd/main.py).
"""

from __future__ import annotations

from dataclasses import replace

from xoff.model.headroom_table import HeadroomRow
from xoff.model.origin import BodyLine, Derived, Evidence, Line, Origin, Term
from xoff.model.qos import Pfc, PriorityGroup, Static, Watchdog, WatchdogAction
from xoff.model.quantity import Fact, Quantity, Unit, Unknown, quantity
from xoff.nos.sonic import maps
from xoff.nos.sonic.body import Body
from xoff.nos.sonic.env import Env
from xoff.nos.sonic.load import Row
from xoff.nos.sonic.lookup import HeadroomTable
from xoff.nos.sonic.schema import TABLES

BUFFERMGR = "sonic-net/sonic-swss@e6b0c5b5 cfgmgr/buffermgr.cpp"
PFCWD = "sonic-net/sonic-utilities@691b1bbc pfcwd/main.py"
_ACTIONS = {a.value: a for a in (WatchdogAction.DROP, WatchdogAction.FORWARD, WatchdogAction.ALERT)}


def lossless_groups(
    body: Body,
    pfc: Pfc,
    speed: int | Unknown | None,
    cable_m: int | Unknown | None,
    admin_said: bool | Unknown,
    table: HeadroomTable | None,
) -> dict[int, PriorityGroup]:
    """The groups that the buffer manager will bind on a port of a golden file, by the number of the priority.

    `admin_said`: whether admin_status stands in the file (the manager waits for it).
    """
    group, why = _group(body.env, speed, cable_m, admin_said, table)
    out: dict[int, PriorityGroup] = {}
    for p in sorted(pfc.no_drop):
        out[p] = replace(group, id=p)
        origin = Derived(why, _terms(group, table), "SONiC buffer manager", (BUFFERMGR,))
        for path in ("", ".headroom", ".reserved", ".threshold", ".xon", ".pool"):
            body.origins[f"group.{p}{path}"] = origin
    return out


def _group(
    env: Env,
    speed: int | Unknown | None,
    cable_m: int | Unknown | None,
    admin_said: bool | Unknown,
    table: HeadroomTable | None,
) -> tuple[PriorityGroup, str]:
    def unknown(why: Unknown) -> tuple[PriorityGroup, str]:
        return PriorityGroup(0, why, why, why, why, why, why, why, headroom_by_device=True), why.reason

    if env.dynamic:
        return unknown(Unknown("no BUFFER_PG asks the dynamic buffer model for headroom on this port", Fact.CONFIG))
    if isinstance(cable_m, Unknown) or cable_m is None:
        if cable_m is None and "CABLE_LENGTH" not in env.config.tables:
            return unknown(Unknown("CABLE_LENGTH is not in the input", Fact.CABLE))
        if cable_m is None:
            return PriorityGroup(0, False), "no CABLE_LENGTH for the port, so the buffer manager binds nothing"
        return unknown(cable_m)
    if cable_m == 0:
        return PriorityGroup(0, False), "CABLE_LENGTH 0m: the buffer manager binds no lossless profile"
    if admin_said is False:
        return unknown(Unknown("admin_status is not said, and the buffer manager waits for it", Fact.CONFIG))
    if isinstance(speed, Unknown) or speed is None or table is None:
        fact = Fact.TABLE if table is None else Fact.SPEED
        what = "pg_profile_lookup.ini is not in the input" if table is None else "the port's speed is not in the input"
        size = Unknown(f"the buffer manager takes it from its lookup table; {what}", fact)
        name = f"pg_lossless_{speed}_{cable_m}m_profile" if isinstance(speed, int) else None
        lossless: bool | Unknown = True
        if isinstance(admin_said, Unknown):
            name = None
        group = PriorityGroup(0, lossless, size, size, size, size, size, "ingress_lossless_pool", name, headroom_by_device=True)
        return group, "the buffer manager binds pg_lossless_<speed>_<cable>_profile to the priorities of pfc_enable"
    row = table.row(speed, cable_m)
    if row is None:
        return PriorityGroup(0, False), f"{table.file} has no row for {speed} Mb/s and {cable_m} m, so nothing is bound"
    return _from_row(env, row, speed, cable_m), f"the buffer manager's lookup: {speed} Mb/s, {cable_m} m in {row.at}"


def _from_row(env: Env, row: HeadroomRow, speed: int, cable_m: int) -> PriorityGroup:
    mode = env.config.value("BUFFER_POOL", "ingress_lossless_pool", "mode")

    def size(n: int) -> Quantity:
        return quantity(n, Unit.BYTES)

    return PriorityGroup(
        0,
        True,
        size(row.size),
        size(row.xoff),
        Static(size(row.threshold)) if mode == "static" else maps.alpha(row.threshold),
        size(row.xon),
        None if row.xon_offset is None else size(row.xon_offset),
        "ingress_lossless_pool",
        f"pg_lossless_{speed}_{cable_m}m_profile",
        headroom_by_device=True,
    )


def _terms(group: PriorityGroup, table: HeadroomTable | None) -> tuple[Term, ...]:
    if table is None or not isinstance(group.headroom, Quantity):
        return ()
    return (Term("xoff", int(group.headroom.amount), "bytes", "column xoff", table.file, Evidence.READ),)


def without_table(body: Body, pfc: Pfc, why: Unknown) -> dict[int, PriorityGroup]:
    """Groups of a fragment that has no BUFFER_PG: whether they are lossless stands in a part that is not here."""
    return {p: PriorityGroup(p, why, why, why, why, why, why, why) for p in sorted(pfc.no_drop)}


def watchdog(body: Body, pfc: Pfc, golden: bool, neighbour: bool, ports: int) -> Watchdog:
    """The PFC watchdog of one port. `neighbour`: the port is in DEVICE_NEIGHBOR. `ports`: front ports of the device."""
    env, row = body.env, body.bound.watchdog
    asic = getattr(getattr(env.asic, "watchdog", None), "value", None)
    available = asic is not False
    priorities = _watched(body, pfc)
    if row is not None:
        body.say("watchdog.enabled", "PFC_WD", "", row, next(iter(row.fields), "action"))
        body.origins["watchdog"] = BodyLine(("PFC_WD",), '"*"', "PFC_WD")
        return _configured(body, row, priorities, available)
    missing = env.absent("PFC_WD")
    if missing is not None:
        return Watchdog(available, missing, priorities, missing, missing, missing)
    if golden and "PFC_WD" not in env.config.tables:
        return _started(body, priorities, available, neighbour, ports)
    switch = env.config.row("DEVICE_METADATA", "localhost")
    if switch is not None and switch.fields.get("default_pfcwd_status") == "disable":
        # `pfcwd start_default` does nothing under this line, so it is the one that leaves the watchdog off.
        body.origins["watchdog.enabled"] = switch.line("default_pfcwd_status")
    return Watchdog(available, enabled=False)


def _watched(body: Body, pfc: Pfc) -> frozenset[int] | Unknown:
    """Priorities that the watchdog guards: pfcwd_sw_enable, and before that field existed those of pfc_enable."""
    row = body.bound.qos
    text = None if row is None else row.fields.get("pfcwd_sw_enable")
    if row is None or text is None:
        missing = body.env.absent("PORT_QOS_MAP")
        if missing is not None:
            return missing
        if row is not None and "pfc_enable" in row.fields:
            body.say("watchdog.priorities", "PORT_QOS_MAP", "", row, "pfc_enable")
        return pfc.no_drop
    body.say("watchdog.priorities", "PORT_QOS_MAP", "", row, "pfcwd_sw_enable")
    if not TABLES["PORT_QOS_MAP"].fields["pfcwd_sw_enable"].kind.holds(text):
        return Unknown(f"pfcwd_sw_enable is {text!r}, which SONiC cannot read")
    return frozenset(int(p) for p in text.split(",") if p)


def _configured(body: Body, row: Row, priorities: frozenset[int] | Unknown, available: bool) -> Watchdog:
    env = body.env
    times: dict[str, Quantity | Unknown | None] = {}
    for path, fname in (("detect", "detection_time"), ("restore", "restoration_time")):
        found = maps.amount(row, fname, Unit.MILLISECONDS)
        if found is None:
            found = Unknown(f"{fname} is not said, and the default is not confirmed", Fact.DEFAULT)
        else:
            body.say(f"watchdog.{path}", "PFC_WD", "", row, fname)
        times[path] = found
    action: WatchdogAction | Unknown = Unknown("action is not said, and the default is not confirmed", Fact.DEFAULT)
    text = row.fields.get("action")
    if text is not None:
        body.say("watchdog.action", "PFC_WD", "", row, "action")
        action = _ACTIONS.get(text) or Unknown(f"PFC_WD action is {text!r}, which SONiC does not know")
    switch = env.config.row("PFC_WD", "GLOBAL")
    poll = None if switch is None else maps.amount(switch, "POLL_INTERVAL", Unit.MILLISECONDS)
    if switch is None or poll is None:
        poll = env.absent("PFC_WD") or Unknown("POLL_INTERVAL is not said, and the default is not confirmed", Fact.DEFAULT)
    else:
        body.origins["watchdog.poll"] = switch.line("POLL_INTERVAL")
    return Watchdog(available, True, priorities, times["detect"], times["restore"], poll, action)


def _started(body: Body, priorities: frozenset[int] | Unknown, available: bool, neighbour: bool, ports: int) -> Watchdog:
    """A golden file without PFC_WD: the device starts the watchdog on ports with a neighbour, if DEVICE_METADATA says so."""
    config = body.env.config
    meta = config.row("DEVICE_METADATA", "localhost")
    if meta is None or meta.fields.get("default_pfcwd_status") != "enable":
        return Watchdog(available, enabled=False)
    line: Line = meta.line("default_pfcwd_status")
    if "DEVICE_NEIGHBOR" not in config.tables:
        why = Unknown("the device starts it on ports in DEVICE_NEIGHBOR, and that table is not in the input", Fact.CONFIG)
        body.origins["watchdog.enabled"] = line
        return Watchdog(available, why, priorities, why, why, why)
    if not neighbour:
        return Watchdog(available, enabled=False)
    k = (max(ports, 1) - 1) // 32 + 1
    detect, poll = 200 * k, min(200 * k, 1000)
    origin: Origin = Derived(
        f"pfcwd start_default on {ports} ports: detection = restoration = 200 ms x {k}, polling min(that, 1000 ms)",
        (Term("ports", ports, "", "200 ms per 32 ports begun", PFCWD, Evidence.READ),),
        None,
        (PFCWD,),
    )
    for path in ("enabled", "detect", "restore", "poll"):
        body.origins[f"watchdog.{path}"] = origin
    ms = quantity(detect, Unit.MILLISECONDS)
    action = Unknown("the action of pfcwd start_default is not confirmed", Fact.DEFAULT)
    return Watchdog(available, True, priorities, ms, ms, quantity(poll, Unit.MILLISECONDS), action, by_device=True)
