"""Headroom tables that vendors ship with SONiC, as configurations: one port for each row, with just that row's headroom."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

#: How the chip of a table was told: these are read from a list of chips, not guessed from a name.
SURE = ("asic_table.j2", "sonic-mgmt hwsku list", "platform_asic file")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a shipped table: Mb/s, metres, bytes."""

    speed: int
    cable_m: int
    size: int
    xon: int
    xoff: int

    def __str__(self) -> str:
        return f"{self.speed} {self.cable_m}m {self.xoff}"


def tables(shared: Callable[[str], Path]) -> Iterator[tuple[str, str, list[Row]]]:
    """(name, hwsku, rows) of every shipped table whose chip is sure."""
    with shared("knowledge/pg_profile_asic_evidence.csv").open(encoding="utf-8", newline="") as file:
        sure = {(r["platform"], r["hwsku"]) for r in csv.DictReader(file) if r["evidence"].partition(":")[0].strip() in SURE}
    found: dict[tuple[str, str], list[Row]] = {}
    with shared("knowledge/pg_profile_lookup.csv").open(encoding="utf-8", newline="") as file:
        for r in csv.DictReader(file):
            key = (r["platform"], r["hwsku"])
            if key in sure and "not resolved" not in r["asic"]:
                numbers = (int(r[n]) for n in ("speed_mbps", "cable_m", "size_bytes", "xon_bytes", "xoff_bytes"))
                found.setdefault(key, []).append(Row(*numbers))
    for (platform, hwsku), rows in found.items():
        yield f"{platform}/{hwsku}", hwsku, list(dict.fromkeys(rows))


def config(hwsku: str, rows: list[Row]) -> str:
    """A running configuration with one port for each row."""
    ports = [f"Ethernet{4 * i}" for i in range(len(rows))]
    maps = {"dscp_to_tc_map": "M", "tc_to_queue_map": "M", "tc_to_pg_map": "M", "pfc_to_queue_map": "M", "pfc_enable": "3"}
    return json.dumps(
        {
            "DEVICE_METADATA": {"localhost": {"hostname": "table", "hwsku": hwsku}},
            "PORT": {p: {"speed": str(r.speed), "mtu": "9100", "admin_status": "up"} for p, r in zip(ports, rows, strict=True)},
            "CABLE_LENGTH": {"AZURE": {p: f"{r.cable_m}m" for p, r in zip(ports, rows, strict=True)}},
            "DSCP_TO_TC_MAP": {"M": {str(v): "3" if v == 26 else "0" for v in range(64)}},
            "TC_TO_QUEUE_MAP": {"M": {str(n): str(n) for n in range(8)}},
            "TC_TO_PRIORITY_GROUP_MAP": {"M": {str(n): "3" if n == 3 else "0" for n in range(8)}},
            "MAP_PFC_PRIORITY_TO_QUEUE": {"M": {str(n): str(n) for n in range(8)}},
            "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1", "xoff": "1"}},
            "BUFFER_PROFILE": {
                str(i): {
                    "pool": "ingress_lossless_pool", "size": str(r.size), "xon": str(r.xon), "xoff": str(r.xoff),
                    "dynamic_th": "0",
                }
                for i, r in enumerate(rows)
            },
            "BUFFER_PG": {f"{p}|3": {"profile": str(i)} for i, p in enumerate(ports)},
            "PORT_QOS_MAP": dict.fromkeys(ports, maps),
        },
        indent=1,
    )  # fmt: skip
