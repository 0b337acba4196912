"""SONiC: tables, names, forms, and what is refused by name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from xoff.errors import CannotExpress
from xoff.model.frozen import FrozenMap
from xoff.model.qos import Pfc, PfcMode, PortQos, Static
from xoff.model.quantity import Unit, Unknown, quantity
from xoff.model.switch import Direction, Pool, PoolKind, PoolMode, SwitchModel
from xoff.nos.registry import Nos
from xoff.nos.renderer import NoteKind, Rendered, render

from . import models
from .test_eos import swap, with_qos


@pytest.fixture
def sonic(nos: Callable[[str], Nos]) -> Callable[..., Rendered]:
    return lambda model, form="running": render(model, nos("sonic"), form=form)


def db(r: Rendered) -> Any:
    return json.loads(r.files[f"{r.device}.json"])


def test_maps_are_total_and_bound(sonic: Callable[..., Rendered]) -> None:
    d = db(sonic(models.sonic()))
    dscp = d["DSCP_TO_TC_MAP"]["XOFF"]
    assert sorted(map(int, dscp)) == list(range(64))
    assert {k: v for k, v in dscp.items() if v != "0"} == {"26": "3", "48": "6"}
    assert d["PORT_QOS_MAP"]["global"] == {"dscp_to_tc_map": "XOFF"}
    row = d["PORT_QOS_MAP"]["Ethernet0"]
    assert row["pfc_enable"] == row["pfcwd_sw_enable"] == "3"
    assert d["TC_TO_PRIORITY_GROUP_MAP"][row["tc_to_pg_map"]]["3"] == "3"
    assert d["MAP_PFC_PRIORITY_TO_QUEUE"][row["pfc_to_queue_map"]] == {str(n): str(n) for n in range(8)}


def test_a_port_without_lossless_class_has_neither_pfc_nor_lossless_group(sonic: Callable[..., Rendered]) -> None:
    d = db(sonic(models.sonic()))
    row = d["PORT_QOS_MAP"]["Ethernet200"]
    assert "pfc_enable" not in row
    assert "pfcwd_sw_enable" not in row
    assert set(d["TC_TO_PRIORITY_GROUP_MAP"][row["tc_to_pg_map"]].values()) == {"0"}
    assert "Ethernet200|3" not in d["BUFFER_PG"]
    assert "Ethernet200" not in d["PFC_WD"]
    assert "wred_profile" not in d["QUEUE"]["Ethernet200|3"]


def test_running_form_binds_the_profile_that_the_buffer_manager_would_make(sonic: Callable[..., Rendered]) -> None:
    """The reference leaf (shipped Z9332f pools); sonic-swss buffermgr.cpp names the profile by speed and cable."""
    d = db(sonic(models.sonic()))
    assert d["BUFFER_PG"]["Ethernet0|3"] == {"profile": "pg_lossless_100000_5m_profile"}
    assert d["BUFFER_PROFILE"]["pg_lossless_400000_40m_profile"] == {
        "pool": "ingress_lossless_pool",
        "size": "2540",
        "xon": "2540",
        "xoff": "201930",
        "dynamic_th": "-2",
        "xon_offset": "2540",
    }
    assert d["CABLE_LENGTH"]["AZURE"]["Ethernet192"] == "40m"
    assert d["BUFFER_POOL"]["ingress_lossless_pool"] == {
        "type": "ingress",
        "mode": "dynamic",
        "size": "66394076",
        "xoff": "27200352",
    }


def test_golden_form_leaves_lossless_groups_to_the_switch_and_says_so(sonic: Callable[..., Rendered]) -> None:
    r = sonic(models.sonic(), "golden")
    d = db(r)
    assert set(d["BUFFER_PG"]) == {"Ethernet0|0", "Ethernet12|0", "Ethernet192|0", "Ethernet200|0"}
    assert not [n for n in d["BUFFER_PROFILE"] if n.startswith("pg_lossless")]
    assert d["CABLE_LENGTH"]["AZURE"]["Ethernet0"] == "5m"  # the buffer manager looks its row up by this
    assert any(n.kind is NoteKind.DEVICE and "pg_profile_lookup.ini" in n.why for n in r.notes)
    assert "pg_profile_lookup.ini" in r.files["leaf01.README.txt"]


def test_dynamic_model(sonic: Callable[..., Rendered]) -> None:
    d = db(sonic(models.sonic(dynamic=True)))
    assert d["BUFFER_PG"]["Ethernet0|3"] == {"profile": "NULL"}
    assert d["LOSSLESS_TRAFFIC_PATTERN"] == {"AZURE": {"mtu": "4096", "small_packet_percentage": "100"}}
    assert d["DEFAULT_LOSSLESS_BUFFER_PARAMETER"] == {"AZURE": {"default_dynamic_th": "0"}}
    assert d["DEVICE_METADATA"]["localhost"]["buffer_model"] == "dynamic"
    assert "size" not in d["BUFFER_POOL"]["ingress_lossless_pool"]
    golden = sonic(models.sonic(dynamic=True), "golden")
    assert db(golden) == d
    assert [n for n in golden.notes if n.what == "form golden"]


def test_neighbouring_groups_and_queues_share_a_row(sonic: Callable[..., Rendered]) -> None:
    def two(q: PortQos) -> PortQos:
        both = frozenset({3, 4})
        return replace(
            q,
            tc_to_group=FrozenMap({**q.tc_to_group, 4: 4}),
            pfc=Pfc(
                PfcMode.ON, both, FrozenMap({n: frozenset({n}) for n in both}), FrozenMap({n: frozenset({n}) for n in both})
            ),
            groups=FrozenMap({**q.groups, 4: replace(q.groups[3], id=4)}),
        )

    d = db(sonic(with_qos(models.sonic(), "Ethernet192", two)))
    assert d["BUFFER_PG"]["Ethernet192|3-4"] == {"profile": "pg_lossless_400000_40m_profile"}
    assert d["PORT_QOS_MAP"]["Ethernet192"]["pfc_enable"] == "3,4"
    assert d["BUFFER_QUEUE"]["Ethernet192|0-2"] == {"profile": "egress_lossy_profile"}


def test_watchdog_rows(sonic: Callable[..., Rendered]) -> None:
    d = db(sonic(models.sonic()))
    assert d["PFC_WD"]["GLOBAL"] == {"POLL_INTERVAL": "100"}
    assert d["PFC_WD"]["Ethernet0"] == {"action": "drop", "detection_time": "200", "restoration_time": "400"}


def test_pause_map_only_where_sonic_writes_one(sonic: Callable[..., Rendered], asic: Callable[..., None]) -> None:
    assert "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP" not in db(sonic(models.sonic()))
    asic(pfc_to_pg_map=True)
    d = db(sonic(models.sonic()))
    assert d["PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"] == {"XOFF": {"3": "3"}}
    assert d["PORT_QOS_MAP"]["Ethernet0"]["pfc_to_pg_map"] == "XOFF"


def test_no_port_table_and_every_value_a_string(sonic: Callable[..., Rendered]) -> None:
    d = db(sonic(models.sonic()))
    assert "PORT" not in d
    assert all(isinstance(v, str) for t in d.values() for row in t.values() for v in row.values())


def with_pg3(**changes: Any) -> Callable[[PortQos], PortQos]:
    return lambda q: replace(q, groups=FrozenMap({**q.groups, 3: replace(q.groups[3], **changes)}))


def fast_poll(q: PortQos) -> PortQos:
    return replace(q, watchdog=replace(q.watchdog, poll=quantity(300, Unit.MILLISECONDS)))


@pytest.mark.parametrize(
    ("port", "change", "says"),
    [
        ("Ethernet12", with_pg3(headroom=quantity(1, Unit.BYTES)), "SONiC sizes headroom by speed and cable length alone"),
        ("Ethernet192", with_pg3(headroom=None), "xoff (headroom): None cannot be said"),
        ("Ethernet192", with_pg3(xon=quantity(3, Unit.CELLS)), "xon: 3 cells cannot be said"),
        ("Ethernet192", with_pg3(headroom_by_device=True), "--form golden"),
        ("Ethernet192", with_pg3(threshold=Static(None, True)), "threshold"),
        ("Ethernet192", with_pg3(pool=None), "needs the pool"),
        ("Ethernet192", with_pg3(lossless=Unknown("no table")), "whether it is lossless"),
        ("Ethernet192", fast_poll, "one interval for the switch"),
        ("Ethernet192", swap(pfc=Pfc(PfcMode.ON, frozenset({4}), FrozenMap({3: frozenset({3})}))), "one list for both"),
        ("Ethernet192", swap(pfc=Pfc(PfcMode.ON, frozenset({4}), FrozenMap({3: frozenset({4})}))), "no source says that"),
        ("Ethernet192", swap(pfc=Pfc(PfcMode.AUTO)), "PFC mode auto"),
        (
            "Ethernet192",
            swap(watchdog=replace(models.watchdog(Unit.MILLISECONDS), detect=quantity(50, Unit.MILLISECONDS))),
            "the tables would not load: PFC_WD|Ethernet192 detection_time",
        ),
    ],
)
def test_what_sonic_cannot_say_is_refused_by_name(
    sonic: Callable[..., Rendered], port: str, change: Callable[[PortQos], PortQos], says: str
) -> None:
    with pytest.raises(CannotExpress, match=re.escape(says)):
        sonic(with_qos(models.sonic(), port, change))


def test_a_zero_metre_cable_on_a_lossless_port_is_refused(sonic: Callable[..., Rendered]) -> None:
    """SONiC takes 0 m for an unused port and makes no lossless profile (sonic-swss pull 3548)."""
    model: SwitchModel = models.sonic()
    ports = FrozenMap((n, replace(p, cable_m=0) if n == "Ethernet192" else p) for n, p in model.ports.items())
    with pytest.raises(CannotExpress, match="0 m means an unused port"):
        sonic(replace(model, ports=ports))


def test_a_headroom_pool_without_a_home_is_refused(sonic: Callable[..., Rendered]) -> None:
    stray = Pool("other.xoff", Direction.INGRESS, PoolKind.HEADROOM, PoolMode.STATIC, models.b(1))
    model = models.sonic()
    with pytest.raises(CannotExpress, match=r"pool other\.xoff"):
        sonic(replace(model, pools=(*model.pools, stray)))


def test_same_model_same_bytes_whatever_the_order_of_ports(sonic: Callable[..., Rendered]) -> None:
    model = models.sonic()
    other = replace(model, ports=FrozenMap(reversed(list(model.ports.items()))))
    assert sonic(model).files == sonic(other).files
