"""qos_features.conf, qos_infra.conf, switchd.conf and traffic.conf: values, defaults, several files of one device."""

from __future__ import annotations

import pytest

from tests.nos.cumulus.conftest import Read
from xoff.model.path import path
from xoff.model.qos import Alpha, PfcMode, Scheduler, SchedulerKind, Static
from xoff.model.quantity import Unknown
from xoff.model.switch import Form, PortKind, RemarkKind
from xoff.nos.cumulus import files, flat
from xoff.nos.source import Source

FEATURES = """\
# /etc/cumulus/datapath/qos/qos_features.conf
traffic.packet_priority_source_set = [dscp]
traffic.cos_0.priority_source.dscp = [0,1,2]
traffic.cos_3.priority_source.dscp = [24, 26]
traffic.cos_6.priority_source.dscp = [48]
pfc.port_group_list = [roce]
pfc.roce.port_set = swp1-swp2,swp3s0-swp3s1
pfc.roce.cos_list = [3]
pfc.roce.cable_length = 40
ecn_red.port_group_list = [roce_ecn]
ecn_red.roce_ecn.port_set = swp1
ecn_red.roce_ecn.egress_queue_list = [3]
ecn_red.roce_ecn.ecn_enable = true
ecn_red.roce_ecn.red_enable = false
ecn_red.roce_ecn.min_threshold_bytes = 150000
default_egress_sched.egr_queue_3.bw_percent = 50
default_egress_sched.egr_queue_6.bw_percent = 0
pfc_watchdog.port_group_list = [wd]
pfc_watchdog.wd.port_set = swp1
"""
INFRA = """\
ingress_service_pool.0.percent = 50
ingress_service_pool.1.percent = 50.0
egress_service_pool.1.infinite_flag = TRUE
flow_control.ingress_service_pool = 1
flow_control.egress_service_pool = 1
flow_control.ingress_buffer.dynamic_quota = ALPHA_1
flow_control.egress_buffer.dynamic_quota = ALPHA_INFINITY
"""


def test_the_features(read: Read) -> None:
    model = read(FEATURES)
    assert (model.form, list(model.ports)) == (Form.FRAGMENT, ["swp1", "swp2", "swp3s0", "swp3s1"])
    port = model.ports["swp1"]
    qos = port.qos
    assert [path(qos, dscp=d).tc for d in (1, 24, 26, 48, 25)] == [0, 3, 3, 6, 0]
    assert (qos.pfc.mode, qos.pfc.no_drop, port.cable_m) == (PfcMode.ON, {3}, 40)
    (curve,) = next(q for q in qos.queues.values() if q.id.id == 3).curves.values()
    assert (str(curve.kmin), str(curve.kmax), curve.marks, curve.drops) == ("150000 bytes", "1500000 bytes", True, False)
    kinds = {q.id.id: q.scheduler for q in qos.queues.values()}
    assert [s.kind for s in (kinds[3], kinds[6]) if isinstance(s, Scheduler)] == [SchedulerKind.DWRR, SchedulerKind.STRICT]
    assert (qos.watchdog.enabled, model.ports["swp2"].qos.watchdog.enabled) == (True, False)
    assert model.ports["swp3s0"].kind is PortKind.BREAKOUT
    assert port.origins["pfc.no_drop.3"].at.line == 8  # type: ignore[union-attr]
    assert port.origins["classify.dscp.26"].at.line == 4  # type: ignore[union-attr]
    assert model.remarks == ()


def test_pools_and_interfaces_that_are_not_there_are_unknown(read: Read) -> None:
    port = read(FEATURES).ports["swp1"]
    assert isinstance(port.qos.groups[3].pool, Unknown)
    assert isinstance(port.qos.groups[3].lossless, Unknown)
    assert isinstance(port.mtu, Unknown)


def test_with_qos_infra_the_pool_is_known(read: Read) -> None:
    model = read(FEATURES, INFRA, paths=("qos_features.conf", "qos_infra.conf"))
    group = model.ports["swp1"].qos.groups[3]
    assert (group.lossless, group.pool, isinstance(group.threshold, Alpha)) == (True, "default-lossless", True)
    queue = next(q for q in model.ports["swp1"].qos.queues.values() if q.id.id == 3)
    assert queue.limit == Static(None, unlimited=True)
    assert {p.name: str(p.size) for p in model.pools} == {"default-lossy": "50 %", "default-lossless": "50 %"}


def test_a_commented_line_and_an_empty_list_say_nothing(read: Read) -> None:
    empty = FEATURES.replace("= [24, 26]", "= []")
    assert path(read(empty).ports["swp1"].qos, dscp=26).tc == 0
    off = FEATURES.replace("traffic.cos", "# traffic.cos")
    assert isinstance(path(read(off).ports["swp1"].qos, dscp=26).tc, Unknown)


def test_a_group_that_no_list_names_is_not_in_force(read: Read) -> None:
    model = read(FEATURES.replace("pfc.port_group_list = [roce]", "pfc.port_group_list = [other]"))
    assert model.ports["swp1"].qos.pfc.mode is PfcMode.OFF
    assert [(d.name, d.applied) for d in model.definitions if d.kind == "pfc"] == [("roce", False)]


def test_all_ports(read: Read) -> None:
    """G514's example: pfc.default-global.port_set = allports."""
    text = "pfc.port_group_list = [default-global]\npfc.default-global.port_set = allports\npfc.default-global.cos_list = [0]\n"
    text += "pfc.default-global.tx_enable = true\npfc.default-global.rx_enable = false\n"
    (port,) = read(text).ports.values()
    assert (port.name, port.qos.pfc.no_drop, dict(port.qos.pfc.obey)) == ("default-global", {0}, {})


def test_groups_as_the_guide_writes_them_without_their_section(read: Read) -> None:
    text = "ecn_red.port_group_list = [mine]\nmine.egress_queue_list = [1,2]\nmine.port_set = swp1\nmine.red_enable = true\n"
    model = read(text)
    assert model.remarks == ()
    assert [q.id.id for q in model.ports["swp1"].qos.queues.values() if q.curves] == [1, 2]


def test_one_dscp_in_two_lists(read: Read) -> None:
    model = read(FEATURES.replace("[0,1,2]", "[0,1,2,26]"))
    assert isinstance(path(model.ports["swp1"].qos, dscp=26).tc, Unknown)
    assert [(r.kind, r.origin.at.line) for r in model.remarks] == [(RemarkKind.INVALID, 4)]


def test_switchd(read: Read) -> None:
    switchd = "# /etc/cumulus/switchd.conf\npfc_wd.poll_interval = 200\npfc_wd.robustness = 5\nlogging = syslog=INFO\n"
    switchd += "vxlan.def_encap_dscp_action = copy\nvxlan.def_decap_dscp_action = preserve\nvxlan.default_ttl = 64\n"
    model = read(FEATURES, switchd, paths=("qos_features.conf", "switchd.conf"))
    assert str(model.ports["swp1"].qos.watchdog.detect) == "1000 ms"
    assert [(t.encap_dscp_mode, t.decap_dscp_mode) for t in model.tunnels] == [("copy", "preserve")]
    assert (model.remarks, model.other_lines) == ((), 2)
    wrong = read("# switchd.conf\nxlan.def_decap_dscp_action = copy\n")
    assert [(r.kind, r.origin.at.line) for r in wrong.remarks] == [(RemarkKind.UNCLAIMED, 2)]


def test_an_old_file_is_read_by_old_releases_only(read: Read) -> None:
    text = "# traffic.conf\n" + FEATURES.split("\n", 1)[1]
    assert read(text).ports["swp1"].qos.pfc.no_drop == {3}
    for found in (
        read("# traffic.conf (release 5.x: not read)\n" + FEATURES.split("\n", 1)[1]),
        read(
            text,
            "nv set interface swp1 link state up\nnv set qos pfc-watchdog robustness 3\n",
            paths=("traffic.conf", "leaf1.nv"),
        ),
    ):
        assert [r.kind for r in found.remarks] == [RemarkKind.UNREAD]
        assert all(p.qos.pfc.mode is PfcMode.OFF for p in found.ports.values())


def test_unknown_keys_are_reported_and_change_nothing(read: Read) -> None:
    before = read(FEATURES)
    for line in (
        "pfc.roce.xoff_sise = 3",
        "traffic.cos_3.priority_sorce.dscp = [3]",
        "qos.xyzzy = 7",
        "traffic.cos_x.priority_source.dscp = [1]",
    ):
        found = read(f"{FEATURES}{line}\n")
        assert found == before
        assert [(r.kind, r.origin.at.line) for r in found.remarks] == [(RemarkKind.UNCLAIMED, 20)]


@pytest.mark.parametrize(
    ("path_", "text", "kind"),
    [
        ("a/qos_infra.conf", "", "qos_infra.conf"),
        ("leaf1-traffic.conf", "", "traffic.conf"),
        ("x.txt", "# /etc/cumulus/switchd.conf\n", "switchd.conf"),
        ("x", "flow_control.ingress_service_pool = 0\n", "qos_infra.conf"),
        ("x", "scheduling.algorithm = dwrr\npfc.port_group_list = []\n", "traffic.conf"),
        ("x", "pfc.port_group_list = []\n", "qos_features.conf"),
    ],
)
def test_which_file_it_is(path_: str, text: str, kind: str) -> None:
    assert flat.kind_of(path_, text) == kind


def groups(**sources: str) -> list[tuple[str, bool, list[str]]]:
    found, unclear = files.group([Source(n.replace("__", "/").replace("_dot_", "."), t) for n, t in sources.items()])
    assert unclear == []
    return [(g.name, g.said, [s.path for s in g.sources]) for g in found]


def test_the_flat_files_of_a_folder_are_one_device() -> None:
    found = groups(sw1__qos_features_dot_conf=FEATURES, sw1__qos_infra_dot_conf=INFRA, sw2__qos_features_dot_conf=FEATURES)
    assert found == [
        ("sw1", False, ["sw1/qos_features.conf", "sw1/qos_infra.conf"]),
        ("qos_features", False, ["sw2/qos_features.conf"]),
    ]


def test_flat_files_join_the_nvue_file_of_their_name_or_folder() -> None:
    nvue = "nv set system hostname leaf1\n"
    assert groups(leaf1_dot_nv=nvue, switchd_dot_conf="pfc_wd.robustness = 3\n") == [
        ("leaf1", True, ["leaf1.nv", "switchd.conf"])
    ]
    other = "- set:\n    system:\n      hostname: leaf2\n"
    found = groups(leaf1_dot_nv=nvue, leaf2_dot_yaml=other, **{"leaf2-switchd_dot_conf": "pfc_wd.robustness = 3\n"})
    assert found == [("leaf1", True, ["leaf1.nv"]), ("leaf2", True, ["leaf2.yaml", "leaf2-switchd.conf"])]


def test_two_files_of_one_kind_are_two_devices() -> None:
    assert [g[0] for g in groups(a_dot_conf=FEATURES, b_dot_conf=FEATURES)] == ["a", "b"]
