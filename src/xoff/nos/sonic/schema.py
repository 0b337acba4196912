"""The config_db tables that decide QoS: fields, what their values may be, and what they refer to.

Ranges and words are those of SONiC's YANG modules (sonic-net/sonic-buildimage@086b03bd70f9,
src/sonic-yang-models/yang-models); fields that the modules lack are those that orchagent reads (sonic-net/sonic-swss,
orchagent/qosorch.h, pfcwdorch.cpp) and say so below.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field

from xoff.model.record import dataclass

#: A whole number as text, short enough that turning it into an int costs nothing.
NUMBER = re.compile(r"-?[0-9]{1,20}")


@dataclass(frozen=True, slots=True)
class Kind:
    """What one value may be. `expected` says it in words, with the unit. Numbers: `low`..`high` inclusive."""

    expected: str
    pattern: re.Pattern[str] | None = None
    low: int | None = None
    high: int | None = None

    @property
    def number(self) -> bool:
        return self.pattern is None and self.low is not None

    def holds(self, text: str) -> bool:
        """Whether `text` is such a value, exactly as written (no blanks are forgiven)."""
        if self.pattern is not None:
            return self.pattern.fullmatch(text) is not None
        if self.low is None:
            return True
        if not text.isascii() or NUMBER.fullmatch(text) is None:
            return False
        return self.low <= int(text) and (self.high is None or int(text) <= self.high)


def _num(low: int, high: int | None, words: str) -> Kind:
    return Kind(words, None, low, high)


def _one_of(*words: str) -> Kind:
    return Kind("one of " + ", ".join(words), re.compile("|".join(map(re.escape, words))))


def _like(pattern: str, words: str) -> Kind:
    return Kind(words, re.compile(pattern, re.ASCII))


_U64 = _num(0, 2**64 - 1, "a number of bytes")
_TC = _num(0, 15, "a traffic class, 0-15")
_DSCP = _num(0, 63, "a DSCP, 0-63")
_PRIORITY = _num(0, 7, "a priority, 0-7")
_GROUP = _num(0, 7, "a priority group, 0-7")
_QUEUE = _num(0, 9, "a queue, 0-9")
_ANY = Kind("any text")
_BOOL = _one_of("true", "false")
_ON = _one_of("enable", "disable")
_LIST = _like(r"([0-7](,[0-7])*)?", "priorities 0-7 joined by commas, such as 3,4; empty for none")
_NAME = _like(r"[a-zA-Z0-9][-a-zA-Z0-9_]{0,31}", "1 to 32 letters, digits, - and _, beginning with a letter or digit")
PG_RANGE = _like(r"[0-7](-[0-7])?", "one priority group or a range, such as 3 or 3-4")
QUEUE_RANGE = _like(r"(1[0-5]|[0-9])(-(1[0-5]|[0-9]))?", "one queue or a range, such as 3 or 3-4")


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `ref`: tables one of which must hold the name; `many`: names, by commas; `words`: no name, but allowed."""

    kind: Kind = _ANY
    ref: tuple[str, ...] = ()
    many: bool = False
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Table:
    """One table. `key`: what its parts are (name, port, groups, queues).

    `entries`: the fields are themselves entries, (what the field is, what its value is). `closed`: a field that is not listed
    is not understood; others hold much that has nothing to do with QoS. `required`: fields without which a row is refused.
    """

    name: str
    key: tuple[str, ...]
    fields: Mapping[str, Field] = field(default_factory=dict)
    entries: tuple[Kind, Kind] | None = None
    closed: bool = True
    required: tuple[str, ...] = ()
    name_kind: Kind | None = None


def _ref(*tables: str, many: bool = False, words: tuple[str, ...] = ()) -> Field:
    return Field(_ANY, tables, many, frozenset(words))


def _wred() -> dict[str, Field]:
    out = {
        "ecn": Field(
            _one_of(
                "ecn_none",
                "ecn_green",
                "ecn_yellow",
                "ecn_red",
                "ecn_green_yellow",
                "ecn_green_red",
                "ecn_yellow_red",
                "ecn_all",
            )
        )
    }
    for colour in ("green", "yellow", "red"):
        out[f"wred_{colour}_enable"] = Field(_BOOL)
        out[f"{colour}_min_threshold"] = Field(_U64)
        out[f"{colour}_max_threshold"] = Field(_U64)
        out[f"{colour}_drop_probability"] = Field(_num(0, 100, "a percentage, 0-100"))
    return out


def _map(name: str, key: Kind, value: Kind) -> Table:
    return Table(name, ("name",), entries=(key, value), name_kind=_NAME)


_MS = "milliseconds, {}-{}"
_ALL = (
    _map("DSCP_TO_TC_MAP", _DSCP, _TC),
    _map("DOT1P_TO_TC_MAP", _num(0, 7, "an 802.1p priority, 0-7"), _TC),
    _map("TC_TO_QUEUE_MAP", _TC, _QUEUE),
    _map("TC_TO_PRIORITY_GROUP_MAP", _TC, _GROUP),
    _map("MAP_PFC_PRIORITY_TO_QUEUE", _PRIORITY, _num(0, 7, "a queue, 0-7")),
    _map("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", _PRIORITY, _GROUP),
    _map("TC_TO_DSCP_MAP", _TC, _DSCP),
    # Maps of other header fields and of forwarding classes: understood as such, no part of the path of a RoCE packet.
    _map("MPLS_TC_TO_TC_MAP", _num(0, 7, "an MPLS traffic class, 0-7"), _TC),
    _map("DSCP_TO_FC_MAP", _DSCP, _num(0, 63, "a forwarding class")),
    _map("EXP_TO_FC_MAP", _num(0, 7, "an MPLS EXP value, 0-7"), _num(0, 63, "a forwarding class")),
    _map("TC_TO_DOT1P_MAP", _TC, _num(0, 7, "an 802.1p priority, 0-7")),
    Table(
        "PORT_QOS_MAP",
        ("port",),
        {
            "dscp_to_tc_map": _ref("DSCP_TO_TC_MAP"),
            "dot1p_to_tc_map": _ref("DOT1P_TO_TC_MAP"),
            "tc_to_queue_map": _ref("TC_TO_QUEUE_MAP"),
            "tc_to_pg_map": _ref("TC_TO_PRIORITY_GROUP_MAP"),
            "pfc_to_queue_map": _ref("MAP_PFC_PRIORITY_TO_QUEUE"),
            "pfc_to_pg_map": _ref("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"),
            "tc_to_dscp_map": _ref("TC_TO_DSCP_MAP"),
            "scheduler": _ref("SCHEDULER"),
            "pfc_enable": Field(_LIST),
            "pfcwd_sw_enable": Field(_LIST),
            # not in the YANG module; orchagent/qosorch.h
            "mpls_tc_to_tc_map": _ref("MPLS_TC_TO_TC_MAP"),
            "dscp_to_fc_map": _ref("DSCP_TO_FC_MAP"),
            "exp_to_fc_map": _ref("EXP_TO_FC_MAP"),
            "tc_to_dot1p_map": _ref("TC_TO_DOT1P_MAP"),
        },
    ),
    Table(
        "SCHEDULER",
        ("name",),
        {
            "type": Field(_one_of("DWRR", "WRR", "STRICT")),
            "weight": Field(_num(1, 100, "a weight, 1-100")),
            "priority": Field(_num(0, 9, "0-9")),
            "meter_type": Field(_one_of("packets", "bytes")),
            "cir": Field(_num(0, 2**64 - 1, "a rate per second")),
            "pir": Field(_num(0, 2**64 - 1, "a rate per second")),
            "cbs": Field(_num(0, 2**32 - 1, "a burst")),
            "pbs": Field(_num(0, 2**32 - 1, "a burst")),
        },
    ),
    Table("WRED_PROFILE", ("name",), _wred(), name_kind=_NAME),
    Table("QUEUE", ("port", "queues"), {"scheduler": _ref("SCHEDULER"), "wred_profile": _ref("WRED_PROFILE")}),
    Table(
        "BUFFER_POOL",
        ("name",),
        {
            "type": Field(_one_of("ingress", "egress", "both")),
            "mode": Field(_one_of("static", "dynamic")),
            "size": Field(_U64),
            "xoff": Field(_U64),
            "percentage": Field(_num(0, 255, "a percentage")),
        },
        required=("type", "mode"),
    ),
    Table(
        "BUFFER_PROFILE",
        ("name",),
        {
            "pool": _ref("BUFFER_POOL"),
            "size": Field(_U64),
            "xon": Field(_U64),
            "xoff": Field(_U64),
            "xon_offset": Field(_U64),
            "static_th": Field(_U64),
            "dynamic_th": Field(_num(-8, 7, "the exponent of alpha, -8 to 7")),
            "headroom_type": Field(_one_of("static", "dynamic")),
            "packet_discard_action": Field(_one_of("drop", "trim")),
        },
        required=("pool",),
    ),
    Table("BUFFER_PG", ("port", "groups"), {"profile": _ref("BUFFER_PROFILE", words=("NULL",))}, required=("profile",)),
    Table("BUFFER_QUEUE", ("port", "queues"), {"profile": _ref("BUFFER_PROFILE")}, required=("profile",)),
    Table("BUFFER_PORT_INGRESS_PROFILE_LIST", ("port",), {"profile_list": _ref("BUFFER_PROFILE", many=True)}),
    Table("BUFFER_PORT_EGRESS_PROFILE_LIST", ("port",), {"profile_list": _ref("BUFFER_PROFILE", many=True)}),
    Table("CABLE_LENGTH", ("name",), entries=(_ANY, _like(r"[0-9]{1,9}m", "whole metres with an m, such as 5m"))),
    Table(
        "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
        ("name",),
        {
            "default_dynamic_th": Field(_num(-8, 7, "the exponent of alpha, -8 to 7")),
            "over_subscribe_ratio": Field(_num(0, 65535, "a ratio, 0 for none")),
            "max_headroom_size": Field(_U64),  # not in the YANG module; files/build_templates/buffers_config.j2
        },
    ),
    Table(
        "LOSSLESS_TRAFFIC_PATTERN",
        ("name",),
        {
            "mtu": Field(_num(1, 9216, "bytes, 1-9216")),
            "small_packet_percentage": Field(_num(0, 100, "a percentage, 0-100")),
        },
    ),
    Table(
        "PFC_WD",
        ("port",),
        {
            "action": Field(_one_of("drop", "forward", "alert")),
            "detection_time": Field(_num(100, 5000, _MS.format(100, 5000))),
            "restoration_time": Field(_num(100, 60000, _MS.format(100, 60000))),
            "pfc_stat_history": Field(_ON),
            "POLL_INTERVAL": Field(_num(100, 1000, _MS.format(100, 1000))),
            "BIG_RED_SWITCH": Field(_ON),  # not in the YANG module; orchagent/pfcwdorch.cpp
        },
    ),
    Table(
        "TUNNEL",
        ("name",),
        {
            "dscp_mode": Field(_one_of("uniform", "pipe")),
            "ecn_mode": Field(),
            "encap_ecn_mode": Field(),
            "ttl_mode": Field(),
            "decap_dscp_to_tc_map": _ref("DSCP_TO_TC_MAP"),
            "decap_tc_to_pg_map": _ref("TC_TO_PRIORITY_GROUP_MAP"),
            "encap_tc_to_queue_map": _ref("TC_TO_QUEUE_MAP"),
            "encap_tc_color_to_dscp_map": _ref("TC_TO_DSCP_MAP"),
        },
        closed=False,
    ),
    Table(
        "PORT",
        ("port",),
        {
            "speed": Field(_num(1, 10_000_000, "Mb/s")),
            "mtu": Field(_num(68, 9216, "bytes, 68-9216")),
            "admin_status": Field(_one_of("up", "down")),
            "pfc_asym": Field(_one_of("on", "off")),
        },
        closed=False,
    ),
    Table(
        "DEVICE_METADATA",
        ("name",),
        {
            "buffer_model": Field(_one_of("traditional", "dynamic")),
            "default_pfcwd_status": Field(_ON),
        },
        closed=False,
    ),
)

#: Every table that is read for QoS, by name.
TABLES: Mapping[str, Table] = {t.name: t for t in _ALL}
