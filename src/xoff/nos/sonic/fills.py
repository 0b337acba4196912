"""What of a port's body a field or row of config_db sets: how far a fault in it reaches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

#: What of a port's body a reference would have filled, by field of PORT_QOS_MAP or by table.
REFERENCE_FILLS: Mapping[str, tuple[str, ...]] = {
    "dscp_to_tc_map": ("classify",),
    "dot1p_to_tc_map": ("classify",),
    "tc_to_queue_map": ("tc_to_queue",),
    "tc_to_pg_map": ("tc_to_group",),
    "pfc_to_queue_map": ("pfc.obey",),
    "pfc_to_pg_map": ("pfc.send",),
    "tc_to_dscp_map": ("rewrite",),
    "QUEUE": ("queue",),
    "BUFFER_QUEUE": ("queue",),
    "BUFFER_PG": ("group",),
}
#: The same for values: by field, else by table. What is in neither may matter to anything.
_VALUE_FILLS: Mapping[str, tuple[str, ...]] = {
    **REFERENCE_FILLS,
    "scheduler": ("scheduler",),
    "wred_profile": ("queue",),
    "pfc_enable": ("pfc",),
    "pfcwd_sw_enable": ("watchdog",),
    "PFC_WD": ("watchdog",),
    "SCHEDULER": ("scheduler",),
    "WRED_PROFILE": ("queue",),
    "CABLE_LENGTH": ("group",),
    "DSCP_TO_TC_MAP": ("classify",),
    "DOT1P_TO_TC_MAP": ("classify",),
    "TC_TO_QUEUE_MAP": ("tc_to_queue",),
    "TC_TO_PRIORITY_GROUP_MAP": ("tc_to_group",),
    "MAP_PFC_PRIORITY_TO_QUEUE": ("pfc.obey",),
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": ("pfc.send",),
    "TC_TO_DSCP_MAP": ("rewrite",),
}


def value_fills(table: str, fields: Iterable[str]) -> tuple[str, ...]:
    """What of a port's body these fields of a row would have filled; empty where one of them may matter to anything."""
    found = [_VALUE_FILLS.get(f) or _VALUE_FILLS.get(table) for f in fields] or [_VALUE_FILLS.get(table)]
    return () if None in found else tuple(dict.fromkeys(x for each in found for x in each or ()))
