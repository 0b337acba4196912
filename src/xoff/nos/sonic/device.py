"""What a SONiC file says of the switch as a whole: form, pools, profiles, tunnels, facts, routing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Default, Evidence, Line, Origin, Origins
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.model.switch import (
    BufferProfile,
    BufferUse,
    Direction,
    Form,
    Named,
    Pool,
    PoolKind,
    PoolMode,
    Remark,
    RemarkKind,
    Routing,
    Tunnel,
)
from xoff.nos.sonic import maps
from xoff.nos.sonic.env import Env, pool_of
from xoff.nos.sonic.load import Config
from xoff.nos.sonic.schema import TABLES
from xoff.nos.sonic.typed_tables import bare, headroom_pool_name

DESIGN = "how SONiC's buffer manager works (cfgmgr/buffermgr.cpp)"
_BUFFERS = ("BUFFER_POOL", "BUFFER_PROFILE")
_META = (
    "hwsku", "platform", "type", "buffer_model", "default_pfcwd_status", "switch_type", "sub_role", "asic_name", "subtype",
    "mac", "cloudtype",
)  # fmt: skip
#: Uses of a buffer profile, by the table that refers to it.
_USES = {
    "BUFFER_PG": BufferUse.GROUP,
    "BUFFER_QUEUE": BufferUse.QUEUE,
    "BUFFER_PORT_INGRESS_PROFILE_LIST": BufferUse.PORT_INGRESS,
    "BUFFER_PORT_EGRESS_PROFILE_LIST": BufferUse.PORT_EGRESS,
}


def is_fragment(config: Config) -> bool:
    """Whether this is a part of a configuration: a configlet, no PORT, or neither BUFFER_POOL nor BUFFER_PROFILE."""
    return config.listed or not config.rows("PORT") or not any(t in config.tables for t in _BUFFERS)


def is_enterprise(config: Config) -> bool:
    """Whether this is Enterprise SONiC's config_db: its buffer modes stand in SWITCH, where the community's has no such field
    (SONiC RoCEv2 HLD 3.2.1)."""
    row = config.row("SWITCH", "switch")
    return row is not None and not {"roce_enable", "buffer_mode_lossless"}.isdisjoint(row.fields)


def without(config: Config) -> frozenset[str]:
    """`buffers`, where a whole configuration has none: QoS, buffers and cable lengths are written by one step of the device
    (`config qos reload`), so where maps, queues and PFC of named ports are there, buffers are not just elsewhere."""
    whole = ("DEVICE_METADATA", "PORT", "CABLE_LENGTH", "PORT_QOS_MAP", "QUEUE")
    if config.listed or any(t.startswith("BUFFER_") for t in config.tables) or not all(config.rows(t) for t in whole):
        return frozenset()
    return frozenset({"buffers"})


def has_lossless_groups(config: Config) -> bool:
    """Whether a BUFFER_PG of any port is bound to a profile for lossless traffic (one with `xoff`, or `NULL`)."""
    profiles = config.rows("BUFFER_PROFILE")
    for row in config.rows("BUFFER_PG").values():
        text = row.fields.get("profile", "")
        if text == "NULL":
            return True
        _, name = bare(text)
        found = profiles.get(name)
        if found is not None and ("xoff" in found.fields or found.fields.get("headroom_type") == "dynamic"):
            return True
        if found is None and name.startswith("pg_lossless_"):
            return True
    return False


def form(config: Config) -> tuple[Form, Origin]:
    """The form of the file, and why."""
    if config.listed:
        return Form.FRAGMENT, Default(
            "a list of objects is a configlet, a patch", Evidence.READ, "sonic-utilities config patch form"
        )
    if not config.rows("PORT"):
        return Form.FRAGMENT, Default("no PORT table: a part of a configuration", Evidence.READ, DESIGN)
    if not any(t in config.tables for t in _BUFFERS):
        return Form.FRAGMENT, Default(
            "neither BUFFER_POOL nor BUFFER_PROFILE: a part of a configuration", Evidence.READ, DESIGN
        )
    if has_lossless_groups(config):
        return Form.RUNNING, Default("lossless groups are bound in BUFFER_PG: everything is there", Evidence.READ, DESIGN)
    note = "pools and profiles, but no lossless group in BUFFER_PG: kept before the buffer manager added them"
    return Form.GOLDEN, Default(note, Evidence.READ, DESIGN)


def is_dynamic(config: Config) -> tuple[bool, Origin]:
    """Whether the device computes its buffers: DEVICE_METADATA buffer_model, absent = traditional; in a part without
    DEVICE_METADATA by what only the dynamic model has."""
    meta = config.row("DEVICE_METADATA", "localhost")
    text = None if meta is None else meta.fields.get("buffer_model")
    if meta is not None and text is not None:
        return text == "dynamic", meta.line("buffer_model")
    signs = [r for r in config.rows("BUFFER_PG").values() if r.fields.get("profile") == "NULL"]
    signs += list(config.rows("LOSSLESS_TRAFFIC_PATTERN").values())
    if signs:
        return True, signs[0].line()
    return False, Default("buffer_model is not said: traditional", Evidence.READ, f"{maps.YANG}/sonic-device_metadata.yang")


def pools(env: Env) -> tuple[Pool, ...]:
    """Pools as BUFFER_POOL says them; `xoff` is a headroom pool of its own beside its pool."""
    out: list[Pool] = []
    parameter = next(iter(env.config.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER").values()), None)
    ratio = None if parameter is None else maps.amount(parameter, "over_subscribe_ratio", Unit.WEIGHT)
    if isinstance(ratio, Quantity) and not ratio.amount:
        ratio = None  # 0: no shared headroom
    includes = getattr(getattr(env.asic, "pool_size_includes_headroom", None), "value", None)
    for name, row in sorted(env.config.rows("BUFFER_POOL").items()):
        directions = {d.value: d for d in Direction}
        direction = directions.get(row.fields.get("type", ""), Direction.BOTH)
        mode_text = row.fields.get("mode")
        mode: PoolMode | Unknown = Unknown("BUFFER_POOL mode is not said or cannot be read")
        if mode_text in ("static", "dynamic"):
            mode = PoolMode(mode_text)
        origins: dict[str, Origin] = {"": row.line(), **{f: row.line(f) for f in row.fields}}
        pool = Pool(name, direction, PoolKind.SHARED, mode, maps.amount(row, "size"), origins=Origins(origins))
        if includes is not None:
            pool = replace(pool, includes_headroom=includes)
        out.append(pool)
        xoff = maps.amount(row, "xoff")
        lossless = name == "ingress_lossless_pool"
        if xoff is None and not (lossless and ratio is not None):
            continue
        if isinstance(xoff, Quantity) and not xoff.amount and ratio is None:
            continue  # 0 is the default and means no shared headroom pool
        own = {"": row.line("xoff" if "xoff" in row.fields else None)}
        if "xoff" in row.fields:
            own["size"] = row.line("xoff")
        if lossless and ratio is not None and parameter is not None:
            own["over_subscription"] = parameter.line("over_subscribe_ratio")
        out.append(
            Pool(
                headroom_pool_name(name), direction, PoolKind.HEADROOM, PoolMode.STATIC, xoff,
                over_subscription=ratio if lossless else None, origins=Origins(own),
            )
        )  # fmt: skip
    return tuple(out)


def profiles(env: Env) -> FrozenMap[str, BufferProfile]:
    """Every buffer profile as written, and what refers to it."""
    uses: dict[str, set[BufferUse]] = {}
    for table, use in _USES.items():
        fname = next(iter(TABLES[table].fields))
        seen = {row.fields.get(fname, "") for row in env.config.rows(table).values()}
        for text in seen:
            for item in text.split(","):
                uses.setdefault(bare(item.strip())[1], set()).add(use)
    directions = {p.name: p.direction for p in pools(env)}
    out = {}
    for name, row in env.config.rows("BUFFER_PROFILE").items():
        pool = pool_of(row, env)
        direction: Direction | Unknown = Unknown("the profile's pool is not in the input", Fact.CONFIG)
        if isinstance(pool, str) and pool in directions:
            direction = directions[pool]
        known = TABLES["BUFFER_PROFILE"].fields
        values = {f: (bare(v)[1] if f == "pool" else v) for f, v in row.fields.items() if f in known}
        origins: dict[str, Origin] = {"": row.line(), **{f: row.line(f) for f in row.fields}}
        line = maps.threshold_line(row)
        if line is not None:
            origins["threshold"] = line
        used, said = frozenset(uses.get(name, ())), maps.stated_threshold(row)
        out[name] = BufferProfile(name, pool, direction, FrozenMap(values), used, Origins(origins), said)
    return FrozenMap(out)


def tunnels(env: Env) -> tuple[Tunnel, ...]:
    """TUNNEL rows (`dscp_mode` and `ecn_mode` are those of decapsulation) and VXLAN tunnels, which say nothing of QoS."""
    out = []
    for name, row in sorted(env.config.rows("TUNNEL").items()):
        known = TABLES["TUNNEL"].fields
        named = {f: bare(v)[1] for f, v in row.fields.items() if f.endswith("_map") and f in known}
        origins: dict[str, Origin] = {"": row.line(), **{f: row.line(f) for f in row.fields}}
        mode = row.fields.get("dscp_mode")
        out.append(
            Tunnel(
                name,
                decap_dscp_mode=mode,
                encap_ecn=row.fields.get("encap_ecn_mode"),
                decap_ecn=row.fields.get("ecn_mode"),
                maps=FrozenMap(named),
                origins=Origins(origins),
            )
        )
    for name, row in sorted(env.config.rows("VXLAN_TUNNEL").items()):
        out.append(Tunnel(name, origins=Origins({"": row.line()})))
    return tuple(out)


def facts(config: Config) -> dict[str, Named]:
    """Facts that stand in the file, each with its place: DEVICE_METADATA, database version, switch-wide switches of PFC_WD."""
    out: dict[str, Named] = {}

    def add(name: str, table: str, key: str, fname: str) -> None:
        row = config.row(table, key)
        if row is not None and fname in row.fields:
            out[name] = Named(row.fields[fname], f"{table} {fname}", row.at(fname))

    for fname in _META:
        add(fname, "DEVICE_METADATA", "localhost", fname)
    add("database_version", "VERSIONS", "DATABASE", "VERSION")
    add("pfcwd_big_red_switch", "PFC_WD", "GLOBAL", "BIG_RED_SWITCH")
    for fname in ("roce_enable", "buffer_mode_lossless"):
        add(fname, "SWITCH", "switch", fname)
    add("tunnel_qos_remap", "SYSTEM_DEFAULTS", "tunnel_qos_remap", "status")
    for key in config.rows("LOSSLESS_TRAFFIC_PATTERN"):
        add("small_packet_percentage", "LOSSLESS_TRAFFIC_PATTERN", key, "small_packet_percentage")
    return out


def lossless_mtu(config: Config) -> tuple[int | Unknown | None, Line | None]:
    """The frame for which the device computes headroom (bytes), where it says so."""
    for row in config.rows("LOSSLESS_TRAFFIC_PATTERN").values():
        if "mtu" in row.fields:
            return maps.number(row, "mtu"), row.line("mtu")
    return None, None


def routing(config: Config) -> Routing:
    """ASN and BGP peers."""

    def asn(text: str | None) -> int | None:
        return int(text) if text and text.isascii() and text.isdigit() and len(text) < 11 else None

    peers = {
        key.rpartition("|")[2]: n
        for key, row in config.rows("BGP_NEIGHBOR").items()
        if (n := asn(row.fields.get("asn"))) is not None
    }
    return Routing(asn=asn(config.value("DEVICE_METADATA", "localhost", "bgp_asn")), peers=FrozenMap(peers))


def unfilled_headroom(env: Env) -> list[Remark]:
    """A lossless pool without `xoff` beside profiles whose size leaves no room for theirs: a template variable was not filled.

    On Spectrum `size` = xon + xoff where headroom is private, and size = xon where a shared pool keeps it; the second without a
    pool keeps nothing (sonic-buildimage pull 9537, sonic-swss cfgmgr/buffer_check_headroom_mellanox.lua).
    """
    row = env.config.row("BUFFER_POOL", "ingress_lossless_pool")
    if row is None or env.dynamic or "xoff" in row.fields or getattr(env.asic, "family", None) != "Spectrum":
        return []
    sizes, names = [], set()
    for name, p in env.config.rows("BUFFER_PROFILE").items():
        if "xoff" in p.fields:
            sizes.append(tuple(maps.number(p, f) for f in ("size", "xon", "xoff")))
            names.add(name)
    short = [s for s in sizes if all(isinstance(n, int) for n in s) and s[0] < s[1] + s[2]]  # type: ignore[operator]
    if not short or len(short) < len(sizes):
        return []
    bound = [key for key, pg in env.config.rows("BUFFER_PG").items() if bare(pg.fields.get("profile", ""))[1] in names]
    message = "ingress_lossless_pool has no xoff, while every lossless profile counts on a shared headroom pool (size = xon)"
    return [
        Remark(
            RemarkKind.RESIDUE,
            row.line(),
            "BUFFER_POOL: xoff not filled in",
            message,
            "xoff: bytes of the shared headroom pool",
            ports=tuple(dict.fromkeys(p for key in bound for p in key.partition("|")[0].split(","))),
            fills=("group",),
        )
    ]


def named(value: Any, origin: str) -> Named:
    return Named(str(value), origin)
