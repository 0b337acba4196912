"""What a configuration means: values and origins, absent / empty / unknown, derived parts, references."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from xoff.model.origin import BodyLine, Default, Derived, Evidence
from xoff.model.path import path
from xoff.model.qos import Alpha, Colour, HeaderField, NotEct, PfcMode, QueueId, QueueKind, SchedulerKind, Static
from xoff.model.quantity import Fact, Unit, Unknown, quantity
from xoff.model.switch import Form, PoolKind, PortKind, RefProblem, RemarkKind, SwitchModel

One = Callable[..., SwitchModel]
LOSSLESS = "pg_lossless_100000_5m_profile"
INI = "100000 5m 1248 2288 165568 -3 2288\n"


def _bytes(n: int) -> object:
    return quantity(n, Unit.BYTES)


def q(n: int, kind: QueueKind = QueueKind.UNICAST) -> QueueId:
    return QueueId(kind, n)


def test_the_way_of_a_roce_packet(base: dict[str, Any], one: One) -> None:
    m = one(base)
    assert (m.hostname, m.form, m.remarks) == ("leaf9", Form.RUNNING, ())
    port = m.ports["Ethernet0"]
    p = path(port.qos, dscp=26)
    assert (p.field, p.tc, p.queue, p.group, p.protected) == (HeaderField.DSCP, 3, 3, 3, True)
    assert (p.pause_sent_as, p.obeys, p.marks) == (frozenset({3}), frozenset({3}), True)
    lossy = path(port.qos, dscp=10)
    assert (lossy.group, lossy.protected, lossy.marks) == (0, False, False)


def test_values_of_groups_queues_and_watchdog(base: dict[str, Any], one: One) -> None:
    qos = one(base).ports["Ethernet4"].qos
    g = qos.groups[3]
    assert (g.lossless, g.reserved, g.headroom, g.xon, g.xon_offset) == (
        True, _bytes(1248), _bytes(165568), _bytes(2288), _bytes(2288),
    )  # fmt: skip
    assert g.threshold == Alpha(quantity(Fraction(1, 8), Unit.ALPHA))
    assert (g.pool, g.profile, g.headroom_by_device) == ("ingress_lossless_pool", LOSSLESS, False)
    assert qos.groups[0].lossless is False
    assert qos.groups[0].headroom is None
    queue = qos.queues[q(3)]
    green = queue.curves[Colour.GREEN]
    assert (green.kmin, green.kmax, green.pmax) == (_bytes(250000), _bytes(1048576), quantity(5, Unit.PERCENT))
    assert (green.marks, green.drops, queue.not_ect) == (True, False, NotEct.DROP)
    assert queue.scheduler is not None
    assert not isinstance(queue.scheduler, Unknown)
    assert (queue.scheduler.kind, queue.scheduler.share) == (SchedulerKind.DWRR, quantity(50, Unit.WEIGHT))
    assert queue.limit == Static(quantity(15982720, Unit.BYTES))
    assert qos.queues[q(4)].limit == queue.limit
    assert qos.queues[q(4)].scheduler is None
    w = qos.watchdog
    assert (w.enabled, w.priorities, w.by_device) == (True, frozenset({3}), False)
    assert [str(t) for t in (w.detect, w.restore, w.poll)] == ["200 ms", "400 ms", "200 ms"]


def test_origins_name_the_line_of_each_port(base: dict[str, Any], one: One) -> None:
    import json

    text = json.dumps(base, indent=2)
    m = one(text)
    lines = text.split("\n")
    for name in ("Ethernet0", "Ethernet4"):
        port = m.ports[name]
        assert f'"{name}"' in lines[port.at.line - 1]  # type: ignore[union-attr]
        said = 0
        for field, origin in port.origins.items():
            at = port.place(origin)
            assert at is not None
            if isinstance(origin, (Default, Derived)):
                continue
            if not field:  # the row itself: its text has the port's name taken out
                assert lines[at.line - 1].strip() == f'"{name}": {{'
                continue
            line = lines[at.line - 1].strip()
            if line.endswith("{"):  # a row as a whole: a map, or a queue of this port
                assert line == origin.text.replace("*", name) + ": {", field
                continue
            assert line.rstrip(",") == origin.text, field
            said += 1
            if isinstance(origin, BodyLine):
                header = max(n for n in range(at.line - 1) if lines[n].startswith("    ") and lines[n][4] == '"')
                assert name in lines[header], field
        assert said > 90
        assert lines[port.place(port.own["speed"]).line - 1].strip() == '"speed": "100000",'  # type: ignore[union-attr]
        assert lines[port.place(port.own["cable_m"]).line - 1].strip().startswith(f'"{name}": "5m"')  # type: ignore[union-attr]


def test_no_origin_holds_a_port_name(base: dict[str, Any], one: One) -> None:
    m = one(base)
    for port in m.ports.values():
        for origins in (port.origins, port.own):
            for origin in origins.values():
                if not isinstance(origin, (Default, Derived)):
                    assert "Ethernet" not in " ".join((*origin.path, origin.text))
    for r in m.references:
        assert "Ethernet" not in " ".join((*r.origin.path, r.origin.text, r.name))


def test_equal_ports_share_one_body(base: dict[str, Any], one: One) -> None:
    from .conftest_data import tables

    small, large = one(tables(2)), one(tables(100))
    for m in (small, large):
        assert len({id(p.qos) for p in m.ports.values()}) == 1
        assert len({id(p.origins) for p in m.ports.values()}) == 1
        assert len({id(p.own) for p in m.ports.values()}) == 1
    assert len(small.references) == len(large.references)
    assert {len(r.ports) for r in large.references if r.kind == "SCHEDULER"} == {100}


def test_a_database_keeps_no_order_so_none_matters(base: dict[str, Any], one: One) -> None:
    turned = {t: dict(reversed([(k, dict(reversed(r.items()))) for k, r in rows.items()])) for t, rows in base.items()}
    assert one(turned) == one(base)
    assert len({id(p.qos) for p in one(turned).ports.values()}) == 1


# --- absent, empty, unknown -------------------------------------------------------------------------------------------


def test_no_group_map_is_unknown_and_never_the_identity(base: dict[str, Any], one: One) -> None:
    for row in base["PORT_QOS_MAP"].values():
        del row["tc_to_pg_map"]
    port = one(base).ports["Ethernet0"]
    assert isinstance(port.qos.tc_to_group[3], Unknown)
    assert isinstance(port.origins.of("tc_to_group.3"), Default)
    assert isinstance(path(port.qos, dscp=26).protected, Unknown)


def test_no_queue_map_is_queue_0_as_sai_says(base: dict[str, Any], one: One) -> None:
    for row in base["PORT_QOS_MAP"].values():
        del row["tc_to_queue_map"]
    port = one(base).ports["Ethernet0"]
    assert path(port.qos, dscp=26).queue == 0
    origin = port.origins.of("tc_to_queue.3")
    assert isinstance(origin, Default)
    assert origin.evidence is Evidence.READ


def test_a_class_that_the_map_does_not_list_is_unknown(base: dict[str, Any], one: One) -> None:
    del base["TC_TO_PRIORITY_GROUP_MAP"]["R"]["3"]
    del base["DSCP_TO_TC_MAP"]["R"]["27"]
    qos = one(base).ports["Ethernet0"].qos
    assert isinstance(path(qos, dscp=26).group, Unknown)
    assert isinstance(path(qos, dscp=27).tc, Unknown)
    assert path(qos, dscp=28).tc == 0


def test_pfc_absent_empty_and_said(base: dict[str, Any], one: One) -> None:
    base["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] = ""
    del base["PORT_QOS_MAP"]["Ethernet4"]["pfc_enable"]
    m = one(base)
    empty, absent = m.ports["Ethernet0"], m.ports["Ethernet4"]
    assert empty.qos.pfc.mode is absent.qos.pfc.mode is PfcMode.OFF
    assert empty.origins.said("pfc.mode")
    assert not absent.origins.said("pfc.mode")


def test_group_n_pauses_priority_n_unless_a_map_says_else(base: dict[str, Any], one: One) -> None:
    assert one(base).ports["Ethernet0"].qos.pfc.send == {3: frozenset({3})}
    base["PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"] = {"R": {"3": "5"}}
    base["PORT_QOS_MAP"]["Ethernet0"]["pfc_to_pg_map"] = "R"
    port = one(base).ports["Ethernet0"]
    assert port.qos.pfc.send == {5: frozenset({3})}
    assert port.origins.said("pfc.send.5")


def test_asymmetric_pfc_obeys_every_priority(base: dict[str, Any], one: One) -> None:
    base["PORT"]["Ethernet0"]["pfc_asym"] = "on"
    pfc = one(base).ports["Ethernet0"].qos.pfc
    assert set(pfc.obey) == set(range(8))
    assert pfc.send == {3: frozenset({3})}
    assert pfc.no_drop == frozenset({3})


def test_trust_is_the_choice_of_map(base: dict[str, Any], one: One) -> None:
    base["DOT1P_TO_TC_MAP"] = {"R": {str(n): str(n) for n in range(8)}}
    row = base["PORT_QOS_MAP"]["Ethernet0"]
    row["dot1p_to_tc_map"] = "R"
    both = one(base).ports["Ethernet0"].qos.classify
    assert isinstance(both.tagged_ip, Unknown)
    assert (both.untagged_ip, both.non_ip) == (HeaderField.DSCP, HeaderField.PCP)
    del row["dscp_to_tc_map"]
    pcp = one(base).ports["Ethernet0"].qos.classify
    assert (pcp.tagged_ip, pcp.untagged_ip, pcp.default_tc) == (HeaderField.PCP, HeaderField.PORT, 0)
    del row["dot1p_to_tc_map"]
    assert isinstance(one(base).ports["Ethernet0"].qos.classify.untagged_ip, Unknown)
    base["PORT_QOS_MAP"]["global"] = {"dscp_to_tc_map": "R"}
    assert one(base).ports["Ethernet0"].qos.classify.untagged_ip is HeaderField.DSCP


@pytest.mark.parametrize(
    ("change", "marks", "drops"),
    [
        ({}, True, False),
        ({"ecn": "ecn_none"}, False, True),
        ({"ecn": "ecn_yellow_red"}, False, True),
        ({"wred_green_enable": "false"}, False, False),
        ({"wred_green_enable": None}, False, False),
        ({"ecn": None}, False, True),
        ({"ecn": "ecn_on"}, Unknown, Unknown),
    ],
)
def test_marking_needs_enable_and_ecn(base: dict[str, Any], one: One, change: dict[str, Any], marks: Any, drops: Any) -> None:
    row = base["WRED_PROFILE"]["W"]
    for k, v in change.items():
        row.pop(k) if v is None else row.update({k: v})
    green = one(base).ports["Ethernet0"].qos.queues[q(3)].curves[Colour.GREEN]
    assert [v if isinstance(v, bool) else type(v) for v in (green.marks, green.drops)] == [marks, drops]


def test_probability_that_is_not_said_is_100(base: dict[str, Any], one: One) -> None:
    del base["WRED_PROFILE"]["W"]["green_drop_probability"]
    port = one(base).ports["Ethernet0"]
    assert port.qos.queues[q(3)].curves[Colour.GREEN].pmax == quantity(100, Unit.PERCENT)
    assert isinstance(port.origins["queue.unicast.3.pmax"], Default)


def test_xoff_0_is_lossless_without_headroom_and_no_xoff_is_lossy(base: dict[str, Any], one: One) -> None:
    base["BUFFER_PROFILE"][LOSSLESS]["xoff"] = "0"
    base["BUFFER_PG"]["Ethernet4|3"]["profile"] = "ingress_lossy_profile"
    m = one(base)
    assert (m.ports["Ethernet0"].qos.groups[3].lossless, m.ports["Ethernet0"].qos.groups[3].headroom) == (True, _bytes(0))
    assert (m.ports["Ethernet4"].qos.groups[3].lossless, m.ports["Ethernet4"].qos.groups[3].headroom) == (False, None)


def test_a_running_file_does_not_derive(base: dict[str, Any], one: One) -> None:
    del base["BUFFER_PG"]["Ethernet4|3"]
    del base["PFC_WD"]["Ethernet4"]
    qos = one(base, INI, paths=("c.json", "pg_profile_lookup.ini")).ports["Ethernet4"].qos
    assert 3 not in qos.groups
    assert qos.watchdog.enabled is False


# --- golden files: what the device adds -------------------------------------------------------------------------------


def golden(base: dict[str, Any]) -> dict[str, Any]:
    base["BUFFER_PG"] = {k: v for k, v in base["BUFFER_PG"].items() if k.endswith("|0")}
    del base["BUFFER_PROFILE"][LOSSLESS]
    return base


def test_golden_without_a_table_has_groups_of_unknown_size(base: dict[str, Any], one: One) -> None:
    m = one(golden(base))
    assert m.form is Form.GOLDEN
    port = m.ports["Ethernet0"]
    g = port.qos.groups[3]
    assert (g.lossless, g.headroom_by_device, g.profile) == (True, True, LOSSLESS)
    assert isinstance(g.headroom, Unknown)
    assert g.headroom.fact is Fact.TABLE
    assert isinstance(port.origins["group.3"], Derived)


def test_golden_with_its_table_equals_what_the_device_makes_of_it(base: dict[str, Any], one: One) -> None:
    running = one(base).ports["Ethernet0"].qos.groups[3]
    m = one(golden(base), INI, paths=("c.json", "pg_profile_lookup.ini"))
    g = m.ports["Ethernet0"].qos.groups[3]
    assert g.headroom_by_device
    assert (g.reserved, g.headroom, g.threshold, g.xon, g.xon_offset, g.pool, g.profile) == (
        running.reserved, running.headroom, running.threshold, running.xon, running.xon_offset, running.pool, running.profile,
    )  # fmt: skip
    assert len(m.headroom_table) == 1
    assert m.files == ("c.json", "pg_profile_lookup.ini")


@pytest.mark.parametrize(
    ("change", "lossless"),
    [
        (("CABLE_LENGTH", "AZURE", "Ethernet0", "0m"), False),
        (("CABLE_LENGTH", "AZURE", "Ethernet0", None), False),
        (("CABLE_LENGTH", "AZURE", "Ethernet0", "7m"), False),
        (("PORT", "Ethernet0", "speed", "25000"), False),
        (("PORT", "Ethernet0", "admin_status", None), Unknown),
        (("PORT", "Ethernet0", "admin_status", "down"), True),
    ],
)
def test_golden_binds_only_what_the_buffer_manager_binds(
    base: dict[str, Any], one: One, change: tuple[str, str, str, str | None], lossless: Any
) -> None:
    table, key, field, value = change
    golden(base)[table][key].pop(field) if value is None else golden(base)[table][key].update({field: value})
    group = one(base, INI, paths=("c.json", "t.ini")).ports["Ethernet0"].qos.groups[3]
    assert (group.lossless if isinstance(group.lossless, bool) else type(group.lossless)) == lossless


def test_golden_watchdog_starts_where_a_neighbour_is(base: dict[str, Any], one: One) -> None:
    """UT:pfcwd/main.py: k = (ports - 1) // 32 + 1; detection = restoration = 200 k ms, polling min(200 k, 1000) ms."""
    from .conftest_data import tables

    big = golden(tables(40))
    del big["PFC_WD"]
    big["DEVICE_METADATA"]["localhost"]["default_pfcwd_status"] = "enable"
    unknown = one(big).ports["Ethernet0"].qos.watchdog
    assert isinstance(unknown.enabled, Unknown)
    big["DEVICE_NEIGHBOR"] = {"Ethernet0": {"name": "spine1", "port": "Ethernet9"}}
    m = one(big)
    w = m.ports["Ethernet0"].qos.watchdog
    assert (w.enabled, w.by_device, str(w.detect), str(w.restore), str(w.poll)) == (True, True, "400 ms", "400 ms", "400 ms")
    assert m.ports["Ethernet4"].qos.watchdog.enabled is False
    assert m.ports["Ethernet0"].peer == ("spine1", "Ethernet9")
    assert m.neighbours["Ethernet0"] == ("spine1", "Ethernet9")
    big["DEVICE_METADATA"]["localhost"]["default_pfcwd_status"] = "disable"
    assert one(big).ports["Ethernet0"].qos.watchdog.enabled is False


def test_dynamic_model(base: dict[str, Any], one: One) -> None:
    base["DEVICE_METADATA"]["localhost"]["buffer_model"] = "dynamic"
    base["BUFFER_PG"]["Ethernet0|3"] = {"profile": "NULL"}
    base["DEFAULT_LOSSLESS_BUFFER_PARAMETER"] = {"AZURE": {"default_dynamic_th": "0", "over_subscribe_ratio": "2"}}
    base["LOSSLESS_TRAFFIC_PATTERN"] = {"AZURE": {"mtu": "1024", "small_packet_percentage": "50"}}
    m = one(base)
    g = m.ports["Ethernet0"].qos.groups[3]
    assert (g.lossless, g.headroom_by_device, g.threshold) == (True, True, Alpha(quantity(1, Unit.ALPHA)))
    assert isinstance(g.headroom, Unknown)
    assert m.lossless_mtu == 1024
    assert m.facts["buffer_model"].value == "dynamic"
    pool = next(p for p in m.pools if p.kind is PoolKind.HEADROOM)
    assert (pool.name, pool.over_subscription) == ("ingress_lossless_pool.xoff", quantity(2, Unit.WEIGHT))
    base["DEVICE_METADATA"]["localhost"]["buffer_model"] = "traditional"
    assert isinstance(one(base).ports["Ethernet0"].qos.groups[3].lossless, Unknown)


# --- references -------------------------------------------------------------------------------------------------------


def bad(m: SwitchModel) -> list[tuple[str, str, RefProblem | None, bool | None]]:
    return [(r.kind, r.name, r.problem, r.resolves) for r in m.references if r.resolves is not True]


def bracketed(base: dict[str, Any]) -> dict[str, Any]:
    from xoff.nos.sonic.schema import TABLES

    for name, rows in base.items():
        for row in rows.values():
            for field, value in row.items():
                spec = TABLES[name].fields.get(field)
                if spec and spec.ref:
                    row[field] = f"[{spec.ref[0]}|{value}]"
    return base


def test_old_form_throughout_is_right_and_means_the_same(base: dict[str, Any], one: One) -> None:
    bare = one(base)
    old = one(bracketed(base))
    assert bad(old) == []
    assert old == bare


@pytest.mark.parametrize("version", ["version_3_0_2", "version_202311_03", "version_4_0_0"])
def test_old_form_on_a_new_database_does_not_resolve(base: dict[str, Any], one: One, version: str) -> None:
    bracketed(base)["VERSIONS"] = {"DATABASE": {"VERSION": version}}
    m = one(base)
    assert {p for _, _, p, _ in bad(m)} == {RefProblem.BRACKET}
    assert isinstance(m.ports["Ethernet0"].qos.groups[3].headroom, Unknown)


@pytest.mark.parametrize(("version", "problems"), [("version_3_0_1", 0), ("version_1_0_6", 0)])
def test_old_form_on_an_old_database_resolves(base: dict[str, Any], one: One, version: str, problems: int) -> None:
    bracketed(base)["VERSIONS"] = {"DATABASE": {"VERSION": version}}
    assert len(bad(one(base))) == problems


def test_the_release_decides_over_everything(base: dict[str, Any], one: One) -> None:
    from xoff.nos.facts import Facts, Given

    bracketed(base)
    new = Facts([Given("leaf*", "xoff.toml", {"release": "SONiC.202205.1"})])
    old = Facts([Given("leaf*", "xoff.toml", {"release": "202012"})])
    assert {p for _, _, p, _ in bad(one(base, facts=new))} == {RefProblem.BRACKET}
    assert bad(one(base, facts=old)) == []


def test_one_bracket_among_bare_names(base: dict[str, Any], one: One) -> None:
    base["BUFFER_PG"]["Ethernet0|3"]["profile"] = f"[BUFFER_PROFILE|{LOSSLESS}]"
    m = one(base)
    assert bad(m) == [("BUFFER_PROFILE", LOSSLESS, RefProblem.BRACKET, False)]
    assert next(r for r in m.references if r.problem).ports == ("Ethernet0",)


def test_case_table_and_undefined(base: dict[str, Any], one: One) -> None:
    base["QUEUE"]["Ethernet0|3"]["wred_profile"] = "w"
    base["QUEUE"]["Ethernet4|3"]["scheduler"] = "nobody"
    assert sorted(bad(one(base)), key=str) == [
        ("SCHEDULER", "nobody", None, False),
        ("WRED_PROFILE", "w", RefProblem.CASE, False),
    ]
    base["QUEUE"]["Ethernet0|3"]["scheduler"] = "[SCHEDULAR|s]"
    assert ("SCHEDULER", "s", RefProblem.TABLE, False) in bad(one(base))


def test_joined_keys_reach_no_port_in_the_buffer_tables_only(base: dict[str, Any], one: One) -> None:
    row = base["BUFFER_QUEUE"].pop("Ethernet4|3-4")
    base["BUFFER_QUEUE"] = {"Ethernet0,Ethernet4|3-4": row, "Ethernet0|0": row}
    base["QUEUE"]["Ethernet0,Ethernet4|5"] = {"scheduler": "s"}
    m = one(base)
    assert bad(m) == [("PORT", "*|3-4", RefProblem.JOINED, False)]
    qos = m.ports["Ethernet4"].qos
    assert isinstance(qos.queues[q(3)].limit, Unknown)
    assert qos.queues[q(5)].scheduler is not None


def test_rows_for_ports_that_do_not_exist_are_in_force_nowhere(base: dict[str, Any], one: One) -> None:
    base["QUEUE"]["Ethernet99|3"] = {"scheduler": "s"}
    m = one(base)
    assert "Ethernet99" not in m.ports
    assert bad(m) == [("PORT", "*", None, False)]
    assert m.references[-1].ports == ("Ethernet99",) or any(r.ports == ("Ethernet99",) for r in m.references)


# --- remarks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "key", "field", "value", "kind"),
    [
        ("WRED_PROFILE", "W", "green_min_threshold", " 250000", RemarkKind.INVALID),
        ("WRED_PROFILE", "W", "green_min_threshold", "", RemarkKind.RESIDUE),
        ("WRED_PROFILE", "W", "green_min_threshold", "{{ kmin }}", RemarkKind.RESIDUE),
        ("WRED_PROFILE", "W", "green_min_threshold", None, RemarkKind.RESIDUE),
        ("WRED_PROFILE", "W", "green_min_thresh", "5", RemarkKind.UNCLAIMED),
        ("SCHEDULER", "s", "type", "PRIORITY", RemarkKind.INVALID),
        ("SCHEDULER", "s", "weight", "None", RemarkKind.RESIDUE),
        ("PORT_QOS_MAP", "Ethernet0", "pfc_to_queue_map", "", RemarkKind.INVALID),
        ("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "3, 4", RemarkKind.INVALID),
        ("PFC_WD", "Ethernet0", "detection_time", "3200.0", RemarkKind.INVALID),
        ("CABLE_LENGTH", "AZURE", "Ethernet0", "5", RemarkKind.INVALID),
        ("DSCP_TO_TC_MAP", "R", "64", "0", RemarkKind.INVALID),
        ("DSCP_TO_TC_MAP", "R", "26", "undefined", RemarkKind.RESIDUE),
        ("BUFFER_POOL", "ingress_lossless_pool", "type", {"a": 1}, RemarkKind.INVALID),
        ("TUNNEL", "T", "dscp_mode", "both", RemarkKind.INVALID),
    ],
)
def test_remarks(base: dict[str, Any], one: One, table: str, key: str, field: str, value: Any, kind: RemarkKind) -> None:
    import json

    base.setdefault(table, {}).setdefault(key, {})[field] = value
    text = json.dumps(base, indent=2)
    m = one(text)
    assert [r.kind for r in m.remarks] == [kind], [r.message for r in m.remarks]
    (remark,) = m.remarks
    assert f'"{field}"' in text.split("\n")[remark.origin.at.line - 1]
    assert table in remark.message or table in remark.shape


def test_equal_remarks_of_many_ports_are_one(base: dict[str, Any], one: One) -> None:
    for row in base["PORT_QOS_MAP"].values():
        row["pfc_enable"] = "3;4"
    (remark,) = one(base).remarks
    assert remark.ports == ("Ethernet0", "Ethernet4")


def test_tables_with_a_slip_in_their_name_light_up_and_others_do_not(base: dict[str, Any], one: One) -> None:
    base |= {"SCHEDULAR": {"a": {}}, "BUFFER_PORT": {}, "ACL_TABLE": {"x": {"type": "L3"}}, "MUX_CABLE": {}, "NTP": {}}
    m = one(base)
    assert [(r.kind, r.shape) for r in m.remarks] == [
        (RemarkKind.UNCLAIMED, "table SCHEDULAR"),
        (RemarkKind.UNCLAIMED, "table BUFFER_PORT"),
    ]
    assert "SCHEDULER" in m.remarks[0].message
    assert m.other_lines >= 3


def test_a_profile_nobody_refers_to_is_not_reached(base: dict[str, Any], one: One) -> None:
    base["WRED_PROFILE"]["V"] = {"odd": "1"}
    base["WRED_PROFILE"]["W"]["odd"] = "1"
    assert {r.origin.path[1]: r.reached for r in one(base).remarks} == {"V": False, "W": True}


def test_switch_wide_debug_switch_is_a_fact(base: dict[str, Any], one: One) -> None:
    base["PFC_WD"]["GLOBAL"]["BIG_RED_SWITCH"] = "enable"
    m = one(base)
    assert m.facts["pfcwd_big_red_switch"].value == "enable"
    assert m.remarks == ()


# --- ports ------------------------------------------------------------------------------------------------------------


def test_kinds_bundles_routing_and_addresses(base: dict[str, Any], one: One) -> None:
    base["PORT"] |= {
        "Ethernet8": {"speed": "100000", "admin_status": "up"},
        "Ethernet-BP0": {"speed": "100000", "admin_status": "up", "role": "Int"},
        "Ethernet224": {"speed": "200000", "role": "Dpc"},
    }
    base["PORTCHANNEL"] = {"PortChannel1": {"admin_status": "up", "mtu": "9100"}}
    base["PORTCHANNEL_MEMBER"] = {"PortChannel1|Ethernet8": {"NULL": "NULL"}}
    base["PORTCHANNEL_INTERFACE"] = {"PortChannel1": {}, "PortChannel1|10.0.0.0/31": {}}
    base["INTERFACE"] = {"Ethernet0": {"vrf_name": "Vrf1"}, "Ethernet0|10.0.1.0/31": {}, "Ethernet0|fc00::1/126": {}}
    base["VLAN_MEMBER"] = {"Vlan10|Ethernet4": {"tagging_mode": "untagged"}}
    base["VLAN_INTERFACE"] = {"Vlan10": {}, "Vlan10|10.1.0.1/24": {}}
    base["MGMT_PORT"] = {"eth0": {"admin_status": "up"}}
    m = one(base)
    kinds = {n: p.kind for n, p in m.ports.items()}
    assert kinds == {
        "Ethernet0": PortKind.FRONT,
        "Ethernet4": PortKind.FRONT,
        "Ethernet8": PortKind.MEMBER,
        "Ethernet-BP0": PortKind.BACKPLANE,
        "Ethernet224": PortKind.INTERNAL,
        "PortChannel1": PortKind.BUNDLE,
        "Vlan10": PortKind.SVI,
        "eth0": PortKind.MANAGEMENT,
    }
    assert m.bundles["PortChannel1"].members == ("Ethernet8",)
    first = m.ports["Ethernet0"]
    assert (first.routed, first.vrf, first.addresses) == (True, "Vrf1", ("10.0.1.0/31", "fc00::1/126"))
    assert m.ports["Ethernet4"].routed is False
    assert m.ports["Ethernet8"].routed is True
    assert m.ports["PortChannel1"].addresses == ("10.0.0.0/31",)


@pytest.mark.parametrize(
    "how",
    [
        {"BREAKOUT_CFG": {"Ethernet0": {"brkout_mode": "4x25G"}}},
        {"index": "1"},
        {"alias": ("Eth1", "Eth1/2", "Eth1/3", "Eth1/4")},
        {"alias": ("etp1a", "etp1b", "etp1c", "etp1d")},
    ],
)
def test_breakout_children_know_their_cage(base: dict[str, Any], one: One, how: dict[str, Any]) -> None:
    for n in range(4):
        row = base["PORT"].setdefault(f"Ethernet{n}", {"speed": "25000", "lanes": str(n)})
        if "index" in how:
            row["index"] = how["index"]
        if "alias" in how:
            row["alias"] = how["alias"][n]
    base["PORT"]["Ethernet4"] |= {"index": "2", "alias": "Eth2" if "Eth1" in str(how) else "etp2"}
    base |= {k: v for k, v in how.items() if k == "BREAKOUT_CFG"}
    base["BREAKOUT_CFG"] = {**base.get("BREAKOUT_CFG", {}), "Ethernet4": {"brkout_mode": "1x100G"}}
    m = one(base)
    assert {n: (p.kind, p.breakout_parent) for n, p in m.ports.items()} == {
        **{f"Ethernet{n}": (PortKind.BREAKOUT, "Ethernet0") for n in range(4)},
        "Ethernet4": (PortKind.FRONT, None),
    }


def test_slot_and_port_in_an_alias_are_no_breakout(base: dict[str, Any], one: One) -> None:
    for i, row in enumerate(base["PORT"].values()):
        row["alias"] = f"Ethernet1/{i + 1}"
    assert {p.kind for p in one(base).ports.values()} == {PortKind.FRONT}


def test_speed_and_cable_from_outside_fill_only_what_the_file_leaves_open(base: dict[str, Any], one: One) -> None:
    from xoff.nos.facts import Facts, Given

    del base["CABLE_LENGTH"]["AZURE"]["Ethernet4"]
    given = Facts([Given("leaf9", "xoff.toml", {"cable": "30m", "speed": "400G", "role": "leaf"})])
    m = one(base, facts=given)
    assert [(p.cable_m, p.speed) for p in m.ports.values()] == [(5, 100000), (30, 100000)]
    assert isinstance(m.ports["Ethernet4"].own["cable_m"], Default)
    assert m.role == "leaf"


def test_platform_facts_come_from_the_hwsku(base: dict[str, Any], one: One) -> None:
    base["DEVICE_METADATA"]["localhost"]["hwsku"] = "Mellanox-SN4600C-C64"
    m = one(base)
    assert (m.platform, m.asic) == ("Mellanox-SN4600C-C64", "spectrum3")
    del base["DEVICE_METADATA"]["localhost"]["hwsku"]
    assert isinstance(one(base).asic, Unknown)


def test_no_pause_map_takes_the_queue_of_the_same_number_and_says_that_this_is_secondary(
    base: dict[str, Any], one: One
) -> None:
    del base["PORT_QOS_MAP"]["Ethernet0"]["pfc_to_queue_map"]
    port = one(base).ports["Ethernet0"]
    assert port.qos.pfc.obey == {3: frozenset({3})}
    origin = port.origins["pfc.obey.3"]
    assert isinstance(origin, Default)
    assert origin.evidence is Evidence.SECONDARY


def test_the_inband_port_of_a_chassis_is_internal(base: dict[str, Any], one: One) -> None:
    base["VOQ_INBAND_INTERFACE"] = {"Ethernet4": {"inband_type": "port"}, "Ethernet4|10.0.0.1/32": {}}
    assert [p.kind for p in one(base).ports.values()] == [PortKind.FRONT, PortKind.INTERNAL]


def test_a_part_that_names_a_port_only_by_its_cable_makes_no_port(base: dict[str, Any], one: One) -> None:
    del base["PORT"]
    base["CABLE_LENGTH"]["AZURE"]["Ethernet64"] = "300m"
    assert set(one(base).ports) == {"Ethernet0", "Ethernet4"}
