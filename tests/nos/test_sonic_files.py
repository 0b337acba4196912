"""Which SONiC files make one device."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from xoff.nos.sonic import files as sonic_files
from xoff.nos.source import Source


def config(hostname: str | None = None, asic: str | None = None, **tables: object) -> str:
    metadata = {k: v for k, v in (("hostname", hostname), ("asic_name", asic)) if v}
    return json.dumps(({"DEVICE_METADATA": {"localhost": metadata}} if metadata else {}) | tables)


def groups(**files: str) -> list[tuple[str, list[str]]]:
    found, _ = sonic_files.group(
        [Source(name.replace("__", "/").replace("_json", ".json").replace("_ini", ".ini"), t) for name, t in files.items()]
    )
    return [(g.name, [s.path for s in g.sources]) for g in found]


@pytest.mark.parametrize(
    ("path", "rest"),
    [
        ("qos.json", ""),
        ("buffers.json", ""),
        ("pg_profile_lookup.ini", ""),
        ("config_db.json", ""),
        ("config_db3.json", ""),
        ("leaf1-qos.json", "leaf1"),
        ("buffers-dell-s6100-th.json", "dell-s6100-th"),
        ("leaf1.config_db.json", "leaf1"),
        ("port-leaf-7.json", "leaf-7"),
        ("airport.json", "airport"),
        ("qosleaf.json", "qosleaf"),
    ],
)
def test_what_a_name_says_besides_the_part(path: str, rest: str) -> None:
    assert sonic_files.rest_of_stem(path) == rest


def test_parts_in_one_folder_are_one_device_named_by_the_folder() -> None:
    found = groups(
        leaf1__qos_json=config(PORT_QOS_MAP={"Ethernet0": {}}),
        leaf1__buffers_json=config(BUFFER_POOL={"p": {}}),
        leaf1__pg_profile_lookup_ini="100000 5m 1248 2288 165568 0 2288\n",
    )
    assert found == [("leaf1", ["leaf1/qos.json", "leaf1/buffers.json", "leaf1/pg_profile_lookup.ini"])]


def test_parts_join_the_file_that_says_the_hostname() -> None:
    found = groups(sw__config_db_json=config("tor-7", PORT={"Ethernet0": {}}), sw__buffers_json=config(BUFFER_POOL={"p": {}}))
    assert found == [("tor-7", ["sw/config_db.json", "sw/buffers.json"])]


def test_two_devices_in_one_folder_stay_apart_by_stem() -> None:
    found, unclear = sonic_files.group(
        [
            Source("c/leaf1.json", config("leaf1", PORT={"Ethernet0": {}})),
            Source("c/leaf2.json", config("leaf2", PORT={"Ethernet0": {}})),
            Source("c/leaf2-buffers.json", config(BUFFER_POOL={"p": {}})),
            Source("c/pg_profile_lookup.ini", "100000 5m 1 2 3 0\n"),
        ]
    )
    assert [(g.name, len(g.sources)) for g in found] == [("leaf1", 1), ("leaf2", 2)]
    assert [p for p, _ in unclear] == ["c/pg_profile_lookup.ini"]
    assert "leaf1, leaf2" in unclear[0][1]


def test_nameless_parts_that_say_the_same_row_are_not_one_device() -> None:
    found = groups(
        x__qos_json=config(PORT_QOS_MAP={"Ethernet0": {}}), x__config_qos_json=config(PORT_QOS_MAP={"Ethernet0": {}})
    )
    assert [name for name, _ in found] == ["qos", "config_qos"]


def test_fragments_of_one_hostname_may_not_overlap() -> None:
    a = Source("a.json", config("leaf1", PORT={"Ethernet0": {}}))
    apart = Source("b.json", config("leaf1", PORT={"Ethernet4": {}}))
    twice = Source("c.json", json.dumps({"DEVICE_METADATA|localhost": {"hostname": "leaf1"}, "PORT|Ethernet0": {}}))
    assert sonic_files.contradiction(sonic_files.Group("leaf1", True, (a, apart))) is None
    assert sonic_files.contradiction(sonic_files.Group("leaf1", True, (a, twice))) == ("a.json", "c.json")


def test_asics_of_one_switch_may_say_the_same_rows() -> None:
    found, _ = sonic_files.group(
        [
            Source("s/config_db.json", config("tor", PORT={"Ethernet0": {}})),
            Source("s/config_db0.json", config("tor", "asic0", PORT={"Ethernet0": {}})),
            Source("s/asic1/config_db.json", config("tor", PORT={"Ethernet0": {}})),
        ]
    )
    assert [(g.name, len(g.sources)) for g in found] == [("tor", 3)]
    assert sonic_files.contradiction(found[0]) is None


def test_hostname_of_another_table_is_none() -> None:
    assert sonic_files.hostname('{"DEVICE_NEIGHBOR": {"Ethernet0": {"hostname": "spine"}}}') is None
    assert sonic_files.hostname('{"hostname": "x", "DEVICE_METADATA": {"localhost": {"hostname": "leaf"}}}') == "leaf"


@pytest.mark.parametrize("text", ["", "[]", "nul", '{"a": 1}', '{"DEVICE_METADATA": 3}', "[" * 100_000])
def test_what_is_no_config_db_has_no_rows(text: str) -> None:
    assert sonic_files.rows(text) == []


def test_shipped_pairs_are_found(shared: Callable[[str], Path]) -> None:
    """Every qos + buffers pair of the corpus with one stem is one device; nothing else is thrown together."""
    folder = shared("corpus/sonic")
    sources = [Source(str(p), p.read_text(encoding="utf-8")) for p in sorted(folder.glob("*.json"))]
    found, unclear = sonic_files.group(sources)
    merged = {g.name: sorted(Path(s.path).name for s in g.sources) for g in found if len(g.sources) > 1}
    # The two forms of one reference configuration are one hostname twice, which `gather` refuses.
    assert merged.pop("leaf01") == ["REFERENCE-leaf-config_db.intent.json", "REFERENCE-leaf-config_db.running.json"]
    assert sonic_files.contradiction(next(g for g in found if g.name == "leaf01")) is not None
    assert merged == {
        "arista7260-t1-tunnel-remap": ["buffers-arista7260-t1-tunnel-remap.json", "qos-arista7260-t1-tunnel-remap.json"],
        "arista7800r3a-voq-lc": ["buffers-arista7800r3a-voq-lc.json", "qos-arista7800r3a-voq-lc.json"],
        "dell-s6100-th": ["buffers-dell-s6100-th.json", "qos-dell-s6100-th.json"],
    }
    assert unclear == []
