"""The forms in which one configuration may be written, parts of it, and parts that contradict each other."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from xoff.errors import InputError
from xoff.model.quantity import Unknown
from xoff.model.switch import Form, SwitchModel

One = Callable[..., SwitchModel]
Parse = Callable[..., list[SwitchModel]]
QOS = (
    "DSCP_TO_TC_MAP",
    "TC_TO_QUEUE_MAP",
    "TC_TO_PRIORITY_GROUP_MAP",
    "MAP_PFC_PRIORITY_TO_QUEUE",
    "PORT_QOS_MAP",
    "SCHEDULER",
)


def flat(base: dict[str, Any], wrapped: bool = False) -> dict[str, Any]:
    rows = {f"{t}|{k}": row for t, keys in base.items() for k, row in keys.items()}
    return {k: {"type": "hash", "ttl": -1, "value": v} for k, v in rows.items()} if wrapped else rows


@pytest.mark.parametrize("wrapped", [False, True])
def test_flat_and_nested_mean_the_same(base: dict[str, Any], one: One, wrapped: bool) -> None:
    assert one(flat(base, wrapped)) == one(base)


def test_lists_as_redis_and_json_write_them(base: dict[str, Any], one: One) -> None:
    base["BUFFER_PORT_INGRESS_PROFILE_LIST"] = {"Ethernet0": {"profile_list": "ingress_lossy_profile,egress_lossless_profile"}}
    text = one(base)
    base["BUFFER_PORT_INGRESS_PROFILE_LIST"] = {
        "Ethernet0": {"profile_list": ["ingress_lossy_profile", "egress_lossless_profile"]}
    }
    assert one(base) == text
    base["BUFFER_PORT_INGRESS_PROFILE_LIST"] = {"Ethernet0": {"profile_list@": "ingress_lossy_profile,egress_lossless_profile"}}
    m = one(base)
    assert m == text
    assert m.remarks == ()
    assert {r.name for r in m.references if r.origin.path[0] == "BUFFER_PORT_INGRESS_PROFILE_LIST"} == {
        "ingress_lossy_profile", "egress_lossless_profile",
    }  # fmt: skip


def test_a_capture_with_prompts_is_the_same_file(base: dict[str, Any], one: One) -> None:
    text = json.dumps(base, indent=4)
    assert one(f"admin@leaf9:~$ show runningconfiguration all\n{text}\nadmin@leaf9:~$ \n") == one(text)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_parts_of_one_device_are_merged_and_keep_their_file(base: dict[str, Any], one: One, order: tuple[int, int]) -> None:
    qos = {t: base[t] for t in QOS}
    rest = {t: v for t, v in base.items() if t not in QOS}
    parts, names = [qos, rest], ["qos.json", "buffers.json"]
    m = one(*(parts[i] for i in order), paths=tuple(names[i] for i in order))
    whole = one(base)
    assert m == whole
    port = m.ports["Ethernet0"]
    assert port.place(port.origins["pfc.no_drop.3"]).file == "qos.json"  # type: ignore[union-attr]
    assert port.place(port.origins["group.3.headroom"]).file == "buffers.json"  # type: ignore[union-attr]


def test_parts_that_say_the_same_twice_are_one(base: dict[str, Any], one: One) -> None:
    assert one(
        base, {"SCHEDULER": base["SCHEDULER"], "BUFFER_PG": {"Ethernet0|0": {"profile": "ingress_lossy_profile"}}}
    ) == one(base)


def test_parts_that_contradict_each_other_are_refused_with_both_places(base: dict[str, Any], one: One) -> None:
    other = {"SCHEDULER": {"s": {"weight": "60"}}}
    with pytest.raises(InputError) as e:
        one(base, other, paths=("a.json", "b.json"))
    message = str(e.value)
    assert e.value.file == "b.json"
    assert e.value.line == 4
    assert "SCHEDULER|s weight" in message
    assert "'60'" in message
    assert "'50'" in message
    assert "a.json:" in message


def test_the_two_spellings_of_a_reference_do_not_contradict(base: dict[str, Any], one: One) -> None:
    old = {"QUEUE": {"Ethernet0|3": {"scheduler": "[SCHEDULER|s]"}}}
    assert one(base, old).ports["Ethernet0"].qos.queues


def test_a_configlet_is_applied_in_its_order(base: dict[str, Any], one: One) -> None:
    clet = [{"PORT": {"Ethernet0": {"admin_status": "down"}}}, {"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3"}}},
            {"PORT": {"Ethernet0": {"admin_status": "up"}}}]  # fmt: skip
    m = one(clet)
    assert m.form is Form.FRAGMENT
    assert m.ports["Ethernet0"].admin is True
    assert isinstance(m.ports["Ethernet0"].qos.tc_to_group[3], Unknown)


def test_namespaces_in_one_file_and_in_several(base: dict[str, Any], parse: Parse) -> None:
    host = {"DEVICE_METADATA": {"localhost": {"hostname": "big", "hwsku": "none-such"}}}
    asics = {f"asic{n}": {t: v for t, v in base.items() if t != "DEVICE_METADATA"} for n in (0, 1)}
    together = parse({"localhost": host, **asics})
    apart = parse(host, asics["asic0"], asics["asic1"], paths=("config_db.json", "config_db0.json", "config_db1.json"))
    folders = parse(
        host, asics["asic0"], asics["asic1"], paths=("c/config_db.json", "c/asic0/config_db.json", "c/asic1/c.json")
    )
    for models in (together, apart, folders):
        assert [m.hostname for m in models] == ["big-asic0", "big-asic1"]
        assert models[0].ports == together[0].ports
        assert models[0].platform == "none-such"
    assert apart[1].files == ("config_db1.json",)


def test_without_a_name_the_file_names_the_device(base: dict[str, Any], one: One) -> None:
    del base["DEVICE_METADATA"]
    assert one(base, paths=("lab/tor7.json",)).hostname == "tor7"


@pytest.mark.parametrize(
    ("drop", "form"),
    [
        ((), Form.RUNNING),
        (("PORT",), Form.FRAGMENT),
        (("BUFFER_POOL", "BUFFER_PROFILE"), Form.FRAGMENT),
        (("BUFFER_POOL",), Form.RUNNING),
        (("BUFFER_PG",), Form.GOLDEN),
        (("PFC_WD", "QUEUE"), Form.RUNNING),
    ],
)
def test_form(base: dict[str, Any], one: One, drop: tuple[str, ...], form: Form) -> None:
    for t in drop:
        del base[t]
    m = one(base)
    assert m.form is form
    assert m.tables == frozenset(base)
    assert str(getattr(m.origins["form"], "note", ""))


def test_what_a_fragment_does_not_hold_is_unknown(base: dict[str, Any], one: One) -> None:
    for t in ("PORT", "PFC_WD", "BUFFER_PG", "TC_TO_PRIORITY_GROUP_MAP", "CABLE_LENGTH"):
        del base[t]
    m = one(base)
    port = m.ports["Ethernet0"]
    for value in (
        port.speed, port.admin, port.cable_m, port.qos.watchdog.enabled, port.qos.groups[3].lossless, port.qos.tc_to_group[3],
    ):  # fmt: skip
        assert isinstance(value, Unknown), value
    assert [r.resolves for r in m.references if r.kind == "TC_TO_PRIORITY_GROUP_MAP"] == [None]


def test_a_key_said_twice_is_reported_and_the_last_one_holds(base: dict[str, Any], one: One) -> None:
    text = json.dumps(base, indent=1)
    first, second = (
        '"Ethernet0|3": {\n   "scheduler": "s",\n',
        '"Ethernet0|3": {"wred_profile": "W"},\n  "Ethernet0|3": {\n   "scheduler": "s",\n',
    )
    assert first in text
    m = one(text.replace(first, second, 1))
    (remark,) = m.remarks
    assert "wred_profile" in remark.message
    assert f"line {remark.origin.at.line - 1} " in remark.message
    assert remark.ports == ("Ethernet0",)
    assert m.ports == one(text).ports


@pytest.mark.parametrize("text", ["", "hostname leaf1\n", "null", '"text"', "# comment only\n"])
def test_what_is_neither_json_nor_a_table_is_refused(one: One, text: str) -> None:
    with pytest.raises(InputError):
        one(text)


def test_a_table_alone_makes_no_device(parse: Parse) -> None:
    assert parse("100000 5m 1248 2288 165568 -3 2288\n", paths=("pg_profile_lookup.ini",)) == []


def test_lines_of_the_table_that_are_no_rows_are_remarks(base: dict[str, Any], one: One) -> None:
    m = one(base, "100000 5m 1248 2288 165568 -3 2288\n100000 40m 1 2\n", paths=("c.json", "t.ini"))
    assert [(r.origin.at.file, r.origin.at.line) for r in m.remarks] == [("t.ini", 2)]
    assert len(m.headroom_table) == 1


def test_the_old_name_of_the_watchdog_table(base: dict[str, Any], one: One) -> None:
    new = one(base)
    base["PFC_WD_TABLE"] = base.pop("PFC_WD")
    assert one(base).ports == new.ports


def test_each_namespace_has_its_own_lookup_table(base: dict[str, Any], parse: Parse) -> None:
    base["BUFFER_PG"] = {k: v for k, v in base["BUFFER_PG"].items() if k.endswith("|0")}
    rows = ("100000 5m 1 2 3000 0\n", "100000 5m 1 2 4000 0\n")
    models = parse(
        base, base, *rows,
        paths=("asic0/config_db.json", "asic1/config_db.json", "asic0/pg_profile_lookup.ini", "asic1/pg_profile_lookup.ini"),
    )  # fmt: skip
    assert [str(m.ports["Ethernet0"].qos.groups[3].headroom) for m in models] == ["3000 bytes", "4000 bytes"]
    with pytest.raises(InputError, match="both would be the lookup table"):
        parse(base, *rows, paths=("config_db.json", "a.ini", "b.ini"))


def test_queues_of_the_cpu_are_no_ports(base: dict[str, Any], one: One) -> None:
    base["QUEUE"]["CPU|1"] = {"scheduler": "s"}
    m = one(base)
    assert set(m.ports) == {"Ethernet0", "Ethernet4"}
    assert all(r.resolves for r in m.references)


@pytest.mark.parametrize(
    ("text", "nos"),
    [
        ('{"PORT": {"Ethernet0": {"lanes": "1"}}}', "sonic"),
        ('{"PORT|Ethernet0": {\n  "speed": "100000"}}', "sonic"),
        ("# speed cable\n100000 5m 1248 2288 165568 -3\n", "sonic"),
        ('{"PORT": {"a": 1}}', None),
        ('{"name": "x", "version": 3}', None),
        ("<html>PORT_QOS_MAP</html>", None),
    ],
)
def test_recognised_by_content(text: str, nos: str | None) -> None:
    from xoff.nos import registry

    found = registry.detect("part.json", text)
    assert (found.nos if found else None) == nos
