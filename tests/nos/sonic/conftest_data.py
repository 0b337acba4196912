"""A small, whole SONiC configuration as data."""

from __future__ import annotations

from typing import Any

LOSSLESS = "pg_lossless_100000_5m_profile"


def tables(ports: int = 2) -> dict[str, Any]:
    """A running configuration: DSCP 26 -> 3, PFC 3, headroom on group 3, marking on queue 3, watchdog."""
    names = [f"Ethernet{4 * n}" for n in range(ports)]
    return {
        "DEVICE_METADATA": {
            "localhost": {"hostname": "leaf9", "hwsku": "none-such", "type": "ToRRouter", "buffer_model": "traditional"}
        },
        "PORT": {n: {"lanes": "1", "speed": "100000", "mtu": "9100", "admin_status": "up"} for n in names},
        "CABLE_LENGTH": {"AZURE": dict.fromkeys(names, "5m")},
        "DSCP_TO_TC_MAP": {"R": {str(d): "3" if d == 26 else "6" if d == 48 else "0" for d in range(64)}},
        "TC_TO_QUEUE_MAP": {"R": {str(n): str(n) for n in range(8)}},
        "TC_TO_PRIORITY_GROUP_MAP": {"R": {str(n): "3" if n == 3 else "0" for n in range(8)}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"R": {str(n): str(n) for n in range(8)}},
        "PORT_QOS_MAP": {
            n: {
                "dscp_to_tc_map": "R",
                "tc_to_queue_map": "R",
                "tc_to_pg_map": "R",
                "pfc_to_queue_map": "R",
                "pfc_enable": "3",
                "pfcwd_sw_enable": "3",
            }
            for n in names
        },
        "SCHEDULER": {"s": {"type": "DWRR", "weight": "50"}, "strict": {"type": "STRICT"}},
        "WRED_PROFILE": {
            "W": {
                "ecn": "ecn_all",
                "wred_green_enable": "true",
                "green_min_threshold": "250000",
                "green_max_threshold": "1048576",
                "green_drop_probability": "5",
            }
        },
        "QUEUE": {f"{n}|3": {"scheduler": "s", "wred_profile": "W"} for n in names}
        | {f"{n}|6": {"scheduler": "strict"} for n in names},
        "BUFFER_POOL": {
            "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "10875072", "xoff": "4194112"},
            "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "15982720"},
        },
        "BUFFER_PROFILE": {
            "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
            "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "15982720"},
            LOSSLESS: {
                "pool": "ingress_lossless_pool",
                "size": "1248",
                "xon": "2288",
                "xoff": "165568",
                "dynamic_th": "-3",
                "xon_offset": "2288",
            },
        },
        "BUFFER_PG": {f"{n}|0": {"profile": "ingress_lossy_profile"} for n in names}
        | {f"{n}|3": {"profile": LOSSLESS} for n in names},
        "BUFFER_QUEUE": {f"{n}|3-4": {"profile": "egress_lossless_profile"} for n in names},
        "PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}}
        | {n: {"action": "drop", "detection_time": "200", "restoration_time": "400"} for n in names},
    }
