"""SONiC: pools, profiles, priority groups, queues' buffers and cable lengths.

Traditional model, form `running`: lossless profiles and their BUFFER_PG rows are written under the very names that the buffer
manager would give them, because it keeps a profile that exists. Form `golden` leaves both to the switch's own lookup table.
Dynamic model: `NULL` profiles, and the numbers from which the device computes.
"""

from __future__ import annotations

from collections.abc import Iterable

from xoff.errors import CannotExpress
from xoff.model.qos import Alpha, PriorityGroup, Queue, QueueKind, Static, Threshold
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.switch import BufferUse, Pool, PoolKind, PoolMode, Port, SwitchModel
from xoff.nos.renderer import NoteKind, Notes
from xoff.nos.sonic.typed_tables import headroom_pool_name

Tables = dict[str, dict[str, dict[str, str]]]
Row = dict[str, str]
LOSSY_PG = "ingress_lossy_profile"
LOSSLESS_QUEUE = "egress_lossless_profile"
LOSSY_QUEUE = "egress_lossy_profile"
#: The name under which SONiC keeps its single row of cable lengths and buffer parameters.
ROW = "AZURE"


def is_dynamic(model: SwitchModel) -> bool:
    """Whether the device computes its buffers (fact `buffer_model`); absent means traditional, as in SONiC itself."""
    found = model.facts.get("buffer_model")
    return found is not None and found.value == "dynamic"


def build(tables: Tables, model: SwitchModel, ports: list[Port], form: str, notes: Notes) -> None:
    """Add the buffer tables. Raises CannotExpress, naming port and field."""
    dynamic = is_dynamic(model)
    pools = _pools(model, dynamic)
    profiles: dict[str, Row] = {name: dict(p.values) for name, p in sorted(model.profiles.items())}
    tables["BUFFER_POOL"] = pools
    tables["BUFFER_PG"] = {}
    tables["BUFFER_QUEUE"] = {}
    made: dict[str, tuple[Row, str]] = {}
    bound: dict[tuple[int, object, object], tuple[dict[int, str], dict[int, str]]] = {}
    for p in ports:
        key = (id(p.qos), p.speed, p.cable_m)  # all that names and sizes depend on
        if key not in bound:
            bound[key] = _profiles_of(p, form, dynamic, profiles, made)
        groups, queues = bound[key]
        _bind(tables["BUFFER_PG"], p.name, groups)
        _bind(tables["BUFFER_QUEUE"], p.name, queues)
    if form == "golden":
        for name in [n for n in profiles if n.startswith("pg_lossless_")]:
            del profiles[name]
        notes.add(
            NoteKind.DEVICE, "BUFFER_PG of lossless groups and their profiles", "the switch's own pg_profile_lookup.ini decides"
        )
    tables["BUFFER_PROFILE"] = {n: profiles[n] for n in sorted(profiles)}
    _profile_lists(tables, model, ports)
    _cables(tables, ports)
    if dynamic:
        _parameters(tables, model, ports)
        notes.add(
            NoteKind.DEVICE,
            "headroom of lossless groups",
            "dynamic buffer model: the device computes it from speed, cable and MTU",
        )


def _profiles_of(
    p: Port, form: str, dynamic: bool, profiles: dict[str, Row], made: dict[str, tuple[Row, str]]
) -> tuple[dict[int, str], dict[int, str]]:
    """Profile names of a port's groups and queues, the profiles made where they are new."""
    groups = {
        g.id: _group_profile(p, g, form, dynamic, profiles, made) for g in sorted(p.qos.groups.values(), key=lambda g: g.id)
    }
    queues = {q.id.id: _queue_profile(p, q, profiles, made) for q in sorted(p.qos.queues.values(), key=lambda q: q.id.id)}
    return {k: v for k, v in groups.items() if v is not None}, {k: v for k, v in queues.items() if v is not None}


def _bind(rows: dict[str, Row], port: str, by_id: dict[int, str]) -> None:
    """`<port>|3-4`: neighbouring numbers of one profile are one row, as the buffer manager itself writes them."""
    ids = sorted(by_id)
    start = 0
    for i in range(1, len(ids) + 1):
        if i == len(ids) or ids[i] != ids[i - 1] + 1 or by_id[ids[i]] != by_id[ids[start]]:
            span = str(ids[start]) if start == i - 1 else f"{ids[start]}-{ids[i - 1]}"
            rows[f"{port}|{span}"] = {"profile": by_id[ids[start]]}
            start = i


def _pools(model: SwitchModel, dynamic: bool) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    shared = [p for p in model.pools if p.kind is PoolKind.SHARED]
    for p in sorted(shared, key=lambda p: p.name):
        if isinstance(p.mode, Unknown) or p.domain is not None:
            raise CannotExpress(f"pool {p.name}: mode {p.mode}, domain {p.domain}; SONiC needs a mode and has no domains")
        rows[p.name] = {"type": str(p.direction), "mode": "static" if p.mode is PoolMode.STATIC else "dynamic"}
        if p.size is not None:
            rows[p.name]["size"] = _bytes(p.size, f"pool {p.name}: size")
    for p in model.pools:
        if p.kind is PoolKind.HEADROOM and p.size is not None:
            rows[_headroom_home(p, rows)]["xoff"] = _bytes(p.size, f"pool {p.name}: xoff")
    return rows


def _headroom_home(pool: Pool, rows: dict[str, Row]) -> str:
    """The BUFFER_POOL row whose `xoff` this shared headroom pool is."""
    for name in rows:
        if headroom_pool_name(name) == pool.name:
            return name
    raise CannotExpress(f"pool {pool.name}: it has to be the `xoff` of a shared pool, and belongs to none of {sorted(rows)}")


def _bytes(q: Quantity | Unknown | None, what: str) -> str:
    if not isinstance(q, Quantity) or q.unit is not Unit.BYTES or q.amount.denominator != 1 or q.amount < 0:
        raise CannotExpress(f"{what}: {q} cannot be said; SONiC takes whole bytes")
    return q.plain


def _threshold(t: Threshold | Unknown | None, what: str) -> Row:
    if t is None:
        return {}
    if isinstance(t, Static) and t.limit is not None and not t.unlimited:
        return {"static_th": _bytes(t.limit, f"{what}: static threshold")}
    if isinstance(t, Alpha):
        return {"dynamic_th": exponent(t.alpha, what)}
    raise CannotExpress(f"{what}: threshold {t} cannot be said; SONiC takes bytes or an alpha that is a power of two")


def exponent(alpha: Quantity, what: str) -> str:
    """The n of `dynamic_th` for alpha = 2^n, n from -8 to 7."""
    value = alpha.amount
    for n in range(-8, 8):
        if value == (2**n if n >= 0 else type(value)(1, 2**-n)):
            return str(n)
    raise CannotExpress(f"{what}: alpha {alpha.plain} cannot be said; SONiC takes powers of two from 1/256 to 128")


def _add(profiles: dict[str, Row], made: dict[str, tuple[Row, str]], name: str, row: Row, what: str, free: bool) -> str:
    """Put a profile under its name. `free`: another name may be taken where the content differs; else that is refused."""
    given = profiles.get(name, {}) if name not in made else {}
    for k in set(given) & set(row):
        if given[k] != row[k]:
            raise CannotExpress(f"{what}: profile {name} is defined with {k} {given[k]}, the port needs {row[k]}")
    row = {**given, **row}
    wish, n = name, 1
    while name in made and made[name][0] != row:
        if not free:
            other, where = made[name]
            k = next(k for k in sorted(set(row) | set(other)) if row.get(k) != other.get(k))
            raise CannotExpress(
                f"{what}: {k} {row.get(k)} here and {other.get(k)} on {where}, but both share profile {name}: "
                "SONiC sizes headroom by speed and cable length alone"
            )
        n += 1
        name = f"{wish}_{n}"
    made.setdefault(name, (row, what))
    profiles[name] = row
    return name


def _group_profile(
    p: Port, g: PriorityGroup, form: str, dynamic: bool, profiles: dict[str, Row], made: dict[str, tuple[Row, str]]
) -> str | None:
    what = f"{p.name} group {g.id}"
    if isinstance(g.lossless, Unknown):
        raise CannotExpress(f"{what}: whether it is lossless is {g.lossless}")
    if g.lossless:
        if form == "golden":
            return None
        if dynamic:
            return "NULL"
        if g.headroom_by_device:
            raise CannotExpress(
                f"{what}: no headroom is computed for it; render with --form golden, so that the switch's table decides"
            )
    elif g.pool is None and g.profile is None:
        return None
    if g.profile is not None and g.profile in profiles and g.pool is None and g.threshold is None:
        return g.profile
    row: Row = {"pool": _pool(g.pool, what), "size": _bytes(g.reserved, f"{what}: size")}
    if g.lossless:
        row["xon"] = _bytes(g.xon, f"{what}: xon")
        row["xoff"] = _bytes(g.headroom, f"{what}: xoff (headroom)")
        if g.xon_offset is not None:
            row["xon_offset"] = _bytes(g.xon_offset, f"{what}: xon_offset")
    row |= _threshold(g.threshold, what)
    return _add(profiles, made, g.profile or (_lossless_name(p) if g.lossless else LOSSY_PG), row, what, free=not g.lossless)


def _lossless_name(p: Port) -> str:
    """The name that the buffer manager gives: speed and cable length of the port."""
    if not isinstance(p.speed, int) or not isinstance(p.cable_m, int) or p.cable_m <= 0:
        raise CannotExpress(
            f"{p.name}: lossless without known speed ({p.speed}) and cable length ({p.cable_m}); "
            "SONiC names the headroom profile by both, and 0 m means an unused port"
        )
    return f"pg_lossless_{p.speed}_{p.cable_m}m_profile"


def _pool(pool: str | Unknown | None, what: str) -> str:
    if not isinstance(pool, str):
        raise CannotExpress(f"{what}: SONiC needs the pool of every profile, here it is {pool}")
    return pool


def _queue_profile(p: Port, q: Queue, profiles: dict[str, Row], made: dict[str, tuple[Row, str]]) -> str | None:
    what = f"{p.name} queue {q.id.id}"
    if q.id.kind is not QueueKind.UNICAST and (q.pool or q.profile):
        raise CannotExpress(f"{what}: buffers of {q.id.kind} queues are not rendered")
    if q.pool is None and q.profile is None:
        return None
    if isinstance(q.lossless, Unknown):
        raise CannotExpress(f"{what}: whether it is lossless is {q.lossless}")
    name = q.profile or (LOSSLESS_QUEUE if q.lossless else LOSSY_QUEUE)
    if q.pool is None and name in profiles:
        return name
    row = {"pool": _pool(q.pool, what), "size": _bytes(q.reserved, f"{what}: size")} | _threshold(q.limit, what)
    return _add(profiles, made, name, row, what, free=True)


def _profile_lists(tables: Tables, model: SwitchModel, ports: list[Port]) -> None:
    """BUFFER_PORT_*_PROFILE_LIST, where the model has profiles of such use (Mellanox, Marvell)."""
    for use, table in (
        (BufferUse.PORT_INGRESS, "BUFFER_PORT_INGRESS_PROFILE_LIST"),
        (BufferUse.PORT_EGRESS, "BUFFER_PORT_EGRESS_PROFILE_LIST"),
    ):
        names = sorted(n for n, p in model.profiles.items() if use in p.used_as)
        if names:
            tables[table] = {p.name: {"profile_list": ",".join(names)} for p in ports}


def _cables(tables: Tables, ports: Iterable[Port]) -> None:
    lengths: Row = {}
    for p in ports:
        if isinstance(p.cable_m, int):
            lengths[p.name] = f"{p.cable_m}m"
    tables["CABLE_LENGTH"] = {ROW: lengths} if lengths else {}


def _parameters(tables: Tables, model: SwitchModel, ports: list[Port]) -> None:
    """What the dynamic model computes from: default alpha, over-subscription, packet mix."""
    lossless = [(p.name, g) for p in ports for g in p.qos.groups.values() if g.lossless is True]
    alphas = {exponent(g.threshold.alpha, n) for n, g in lossless if isinstance(g.threshold, Alpha)}
    if len(alphas) > 1:
        raise CannotExpress(
            f"lossless groups have dynamic_th {', '.join(sorted(alphas))}; the dynamic model has one default for all"
        )
    row = {"default_dynamic_th": alphas.pop()} if alphas else {}
    ratios = {p.over_subscription.plain for p in model.pools if isinstance(p.over_subscription, Quantity)}
    if len(ratios) == 1 and (ratio := ratios.pop()).isdigit():
        row["over_subscribe_ratio"] = ratio
    elif ratios:
        raise CannotExpress(f"over-subscription {', '.join(sorted(ratios))} cannot be said; SONiC takes one whole ratio")
    if row:
        tables["DEFAULT_LOSSLESS_BUFFER_PARAMETER"] = {ROW: row}
    small = model.facts.get("small_packet_percentage")
    if not isinstance(model.lossless_mtu, int) or small is None:
        raise CannotExpress(
            f"{model.hostname}: the dynamic model needs the lossless MTU ({model.lossless_mtu}) and the share of small packets "
            f"({small.value if small else None})"
        )
    tables["LOSSLESS_TRAFFIC_PATTERN"] = {ROW: {"mtu": str(model.lossless_mtu), "small_packet_percentage": small.value}}
