"""config_db.json as the YANG modules want it (RFC 7951), and the call of yanglint.

A SONiC list is `module:module / TABLE / TABLE_LIST`, its keys are leaves; a map table holds an inner list of the same name.
PORT is made up here from the ports that the file names, because a rendered file leaves it to the device.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Rows = Mapping[str, Mapping[str, str]]
#: table -> (module, key leaves)
LISTS = {
    "BUFFER_POOL": ("sonic-buffer-pool", ("name",)),
    "BUFFER_PROFILE": ("sonic-buffer-profile", ("name",)),
    "BUFFER_PG": ("sonic-buffer-pg", ("port", "pg_num")),
    "BUFFER_QUEUE": ("sonic-buffer-queue", ("port", "qindex")),
    "BUFFER_PORT_INGRESS_PROFILE_LIST": ("sonic-buffer-port-ingress-profile-list", ("port",)),
    "BUFFER_PORT_EGRESS_PROFILE_LIST": ("sonic-buffer-port-egress-profile-list", ("port",)),
    "PORT_QOS_MAP": ("sonic-port-qos-map", ("ifname",)),
    "QUEUE": ("sonic-queue", ("ifname", "qindex")),
    "SCHEDULER": ("sonic-scheduler", ("name",)),
    "WRED_PROFILE": ("sonic-wred-profile", ("name",)),
    "PFC_WD": ("sonic-pfcwd", ("ifname",)),
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER": ("sonic-default-lossless-buffer-parameter", ("name",)),
    "LOSSLESS_TRAFFIC_PATTERN": ("sonic-lossless-traffic-pattern", ("name",)),
}
#: table -> (module, leaf of the entry, leaf of its value)
MAPS = {
    "DSCP_TO_TC_MAP": ("sonic-dscp-tc-map", "dscp", "tc"),
    "DOT1P_TO_TC_MAP": ("sonic-dot1p-tc-map", "dot1p", "tc"),
    "TC_TO_QUEUE_MAP": ("sonic-tc-queue-map", "tc", "qindex"),
    "TC_TO_PRIORITY_GROUP_MAP": ("sonic-tc-priority-group-map", "tc", "pg"),
    "MAP_PFC_PRIORITY_TO_QUEUE": ("sonic-pfc-priority-queue-map", "pfc_priority", "qindex"),
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": ("sonic-pfc-priority-priority-group-map", "pfc_priority", "pg"),
    "TC_TO_DSCP_MAP": ("sonic-tc-dscp-map", "tc", "dscp"),
    "CABLE_LENGTH": ("sonic-cable-length", "port", "length"),
}
#: Leaves of a numeric YANG type up to 32 bits, which JSON writes as numbers (64-bit ones stay text).
NUMBERS = frozenset(
    [
        "weight",
        "priority",
        "cbs",
        "pbs",
        "dynamic_th",
        "percentage",
        "detection_time",
        "restoration_time",
        "POLL_INTERVAL",
        "default_dynamic_th",
        "over_subscribe_ratio",
        "mtu",
        "small_packet_percentage",
        "tc",
    ]
)
BOOLEANS = frozenset({"wred_green_enable", "wred_yellow_enable", "wred_red_enable"})


def _leaf(name: str, value: str) -> Any:
    if name in NUMBERS:
        return int(value)
    if name in BOOLEANS:
        return value == "true"
    if name == "profile_list":
        return value.split(",")
    return value


def reshape(tables: Mapping[str, Rows]) -> dict[str, Any]:
    """All tables of one config_db as one RFC 7951 document. Raises KeyError for a table that no module here knows."""
    out: dict[str, Any] = {}
    for table, rows in tables.items():
        if table == "DEVICE_METADATA":
            out["sonic-device_metadata:sonic-device_metadata"] = {table: {"localhost": dict(rows["localhost"])}}
        elif table in MAPS:
            module, entry, value = MAPS[table]
            out[f"{module}:{module}"] = {
                table: {
                    f"{table}_LIST": [
                        {"name": n, table: [{entry: _leaf(entry, a), value: _leaf(value, b)} for a, b in row.items()]}
                        for n, row in rows.items()
                    ]
                }
            }
        else:
            module, keys = LISTS[table]
            items = []
            for key, row in rows.items():
                parts = key.split("|")
                assert len(parts) == len(keys), (table, key)
                items.append(dict(zip(keys, parts, strict=True)) | {k: _leaf(k, v) for k, v in row.items()})
            out[f"{module}:{module}"] = {table: {f"{table}_LIST": items}}
    ports = sorted({k.split("|")[0] for t in ("PORT_QOS_MAP", "QUEUE", "BUFFER_PG") for k in tables.get(t, {})} - {"global"})
    out["sonic-port:sonic-port"] = {
        "PORT": {
            "PORT_LIST": [
                {"name": p, "alias": f"alias{i}", "lanes": str(i + 1), "speed": 100000, "admin_status": "up"}
                for i, p in enumerate(ports)
            ]
        }
    }
    return out


def yanglint(tables: Mapping[str, Rows], modules: Path, folder: Path) -> list[str]:
    """What yanglint finds wrong: its error lines, empty when the document is valid."""
    program = shutil.which("yanglint")
    assert program is not None
    data = folder / "data.json"
    data.write_text(json.dumps(reshape(tables)), encoding="utf-8")
    files = [str(f) for f in sorted(modules.glob("sonic-*.yang"))]
    done = subprocess.run(
        [program, "-p", str(modules), "-f", "json", "-t", "config", *files, str(data)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    errors = [x for x in done.stderr.splitlines() if x.startswith("libyang err")]
    return errors or ([f"yanglint ended with {done.returncode}: {done.stderr[-500:]}"] if done.returncode else [])
