"""Objects, system qos, buffers, ECN, ports: what each statement does, and where OS10 leaves open what holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from xoff.model.path import path
from xoff.model.qos import Colour, HeaderField, MatchKind, PfcMode, QueueId, QueueKind
from xoff.model.quantity import Unknown
from xoff.model.switch import PortKind, RemarkKind, SwitchModel
from xoff.nos.os10 import names

Read = Callable[..., SwitchModel]
PORT = "ethernet1/1/1"
Q3 = QueueId(QueueKind.UNICAST, 3)


def change(base: str, old: str, new: str) -> str:
    assert old in base
    return base.replace(old, new)


# --- names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ethernet1/1/1", ["ethernet1/1/1"]),
        ("Ethernet 1/1/44", ["ethernet1/1/44"]),
        ("range ethernet1/1/11-1/1/13", ["ethernet1/1/11", "ethernet1/1/12", "ethernet1/1/13"]),
        ("range Ethernet 1/1/1-1/1/2,1/1/9", ["ethernet1/1/1", "ethernet1/1/2", "ethernet1/1/9"]),
        ("ethernet1/1/25,1/1/26", ["ethernet1/1/25", "ethernet1/1/26"]),
        ("ethernet1/1/1:2", ["ethernet1/1/1:2"]),
        ("range ethernet1/1/1:1-1/1/2:2", ["ethernet1/1/1:1", "ethernet1/1/1:2", "ethernet1/1/2:1", "ethernet1/1/2:2"]),
        ("range ethernet1/1/3:1-1/1/3:3", ["ethernet1/1/3:1", "ethernet1/1/3:2", "ethernet1/1/3:3"]),
        ("Vlan 200", ["vlan200"]),
        ("vlan200", ["vlan200"]),
        ("port-channel10", ["port-channel10"]),
        ("mgmt1/1/1", ["mgmt1/1/1"]),
        ("loopbackloopback0", ["loopbackloopback0"]),
    ],
)
def test_names(text: str, found: list[str]) -> None:
    assert list(names.full(text)) == found


def test_kinds_of_ports(read: Read) -> None:
    text = (
        "interface breakout 1/1/1 map 25g-4x\ninterface breakout 1/1/2 map 40g-1x\n"
        "interface ethernet1/1/1:1\n mtu 9216\ninterface ethernet1/1/2\n mtu 9216\ninterface ethernet1/1/3\n speed 10000\n"
        "interface ethernet1/1/4\n channel-group 7 mode active\ninterface port-channel7\n no switchport\n"
        "interface ethernet1/1/5\n description VLTiLink to the twin\ninterface range ethernet1/1/6-1/1/7\n no switchport\n"
        "interface ethernet1/1/8\n description not a VLTish port\n"
        "interface vlan10\n mtu 9216\ninterface mgmt1/1/1\n no shutdown\n"
        "vlt-domain 1\n discovery-interface ethernet1/1/6-1/1/7\n"
    )
    model = read(text)
    kinds = {n.removeprefix("ethernet1/1/"): p.kind for n, p in model.ports.items()}
    assert kinds == {
        "1:1": PortKind.BREAKOUT,
        "2": PortKind.FRONT,
        "3": PortKind.FRONT,
        "4": PortKind.MEMBER,
        "port-channel7": PortKind.BUNDLE,
        "5": PortKind.PEER_LINK,
        "6": PortKind.PEER_LINK,
        "7": PortKind.PEER_LINK,
        "8": PortKind.FRONT,
        "vlan10": PortKind.SVI,
        "mgmt1/1/1": PortKind.MANAGEMENT,
    }
    speeds = {n.removeprefix("ethernet1/1/"): p.speed for n, p in model.ports.items() if p.speed}
    assert speeds == {"1:1": 25_000, "2": 40_000, "3": 10_000}
    assert model.ports["ethernet1/1/1:1"].breakout_parent == "ethernet1/1/1"
    assert model.ports["ethernet1/1/4"].routed is True  # as its bundle
    assert model.ports["ethernet1/1/6"].routed is None  # `no switchport` stands on a VLT interconnect by rule
    assert model.bundles["port-channel7"].members == ("ethernet1/1/4",)
    assert model.ports["ethernet1/1/1:1"].place(model.ports["ethernet1/1/1:1"].own["speed"]).line == 1  # type: ignore[union-attr]


# --- system qos and ports


def test_system_qos_holds_where_the_port_says_nothing(read: Read, base: str) -> None:
    text = change(base, " trust-map dscp ROCE-DSCP\n", "") + "system qos\n trust-map dscp ROCE-DSCP\n"
    model = read(text)
    port = model.ports[PORT]
    assert path(port.qos, dscp=26).tc == 3
    assert port.place(port.origins["classify.trust"]).line == len(text.split("\n")) - 1  # type: ignore[union-attr]
    assert [(r.name, r.ports) for r in model.references if r.kind == "trust dscp-map"] == [("ROCE-DSCP", ())]


def test_a_port_comes_before_system_qos(read: Read, base: str) -> None:
    other = "qos-map traffic-class OTHER\n queue 5 qos-group 3\n"
    model = read(base + other + "system qos\n qos-map traffic-class OTHER\n service-policy output type queuing NONE\n")
    assert path(model.ports[PORT].qos, dscp=26).queue == 3
    assert model.ports[PORT].qos.queues[Q3].curve_profile == "ROCE-ECN"
    silent = read(change(base, " qos-map traffic-class ROCE-QMAP\n", "") + other + "system qos\n qos-map traffic-class OTHER\n")
    assert path(silent.ports[PORT].qos, dscp=26).queue == 5
    back = read(
        base + "interface ethernet1/1/1\n no qos-map traffic-class\n" + other + "system qos\n qos-map traffic-class OTHER\n"
    )
    assert path(back.ports[PORT].qos, dscp=26).queue == 5


def test_two_maps_leave_tagged_packets_open(read: Read, base: str) -> None:
    text = base + "trust dot1p-map T\n qos-group 4 dot1p 4\nsystem qos\n trust-map dot1p T\n"
    qos = read(text).ports[PORT].qos
    assert isinstance(qos.classify.tagged_ip, Unknown)
    assert (qos.classify.untagged_ip, path(qos, dscp=26).tc) == (HeaderField.DSCP, 3)


def test_dot1p_maps(read: Read, base: str) -> None:
    text = change(base, " trust-map dscp ROCE-DSCP\n", " trust-map dot1p T\n") + "trust dot1p-map T\n qos-group 3 dot1p 3,4\n"
    qos = read(text).ports[PORT].qos
    assert (qos.classify.tagged_ip, qos.classify.untagged_ip) == (HeaderField.PCP, HeaderField.PORT)
    assert [path(qos, dscp=26, pcp=p, tagged=True).tc for p in range(8)] == [0, 0, 0, 3, 3, 0, 0, 0]
    assert path(qos, dscp=26).tc == 0  # no tag, no 802.1p
    own = read(change(base, " trust-map dscp ROCE-DSCP\n", " trust-map dot1p default\n"))
    found = own.ports[PORT].qos
    assert [path(found, dscp=0, pcp=p, tagged=True).tc for p in range(8)] == [1, 0, 2, 3, 4, 5, 6, 7]  # users guide, table 135
    assert [r.resolves for r in own.references if r.name == "default"] == [True]


def test_a_map_that_is_nowhere_decides_nothing_known(read: Read, base: str) -> None:
    model = read(change(base, " trust-map dscp ROCE-DSCP\n", " trust-map dscp NOPE\n"))
    assert isinstance(path(model.ports[PORT].qos, dscp=26).tc, Unknown)
    assert [(r.name, r.ports) for r in model.references if not r.resolves] == [("NOPE", (PORT, "ethernet1/1/49"))]
    lost = read(change(base, " qos-map traffic-class ROCE-QMAP\n ", " qos-map traffic-class NOPE\n "))
    assert isinstance(path(lost.ports[PORT].qos, dscp=26).queue, Unknown)


def test_a_reference_of_the_wrong_kind_says_what_there_is(read: Read, base: str) -> None:
    model = read(change(base, "network-qos PFC3\n service", "network-qos ROCE_QMAP\n service"))
    (lost,) = [r for r in model.references if not r.resolves]
    assert (lost.kind, lost.detail) == ("policy-map type network-qos", "qos-map traffic-class ROCE-QMAP is defined")
    assert model.ports[PORT].qos.pfc.no_drop == frozenset()


def test_the_wrong_direction_does_nothing_and_is_said(read: Read, base: str) -> None:
    text = change(base, "service-policy input type network-qos PFC3", "service-policy output type network-qos PFC3")
    model = read(change(text, "service-policy output type queuing ETS-OUT", "service-policy input type queuing ETS-OUT"))
    qos = model.ports[PORT].qos
    assert (qos.pfc.mode, qos.pfc.no_drop, qos.queues, qos.groups) == (PfcMode.ON, frozenset(), {}, {})
    idle = {r.name: r.idle for r in model.references if r.idle}
    assert idle == {
        "PFC3": "a policy of type network-qos acts on input only",
        "ETS-OUT": "a policy of type queuing acts on output only",
    }


def test_an_ingress_policy_is_not_followed(read: Read, base: str) -> None:
    policy = (
        "class-map type qos C\n match ip dscp 26\npolicy-map type qos IN\n class C\n  set qos-group 3\n"
        "interface ethernet1/1/1\n service-policy input type qos IN\n"
    )
    qos = read(base + policy).ports[PORT].qos
    assert (qos.classify.matches[0].kind, qos.classify.matches[0].tc) == (MatchKind.OPAQUE, 3)
    assert isinstance(path(qos, dscp=26).tc, Unknown)


# --- PFC and buffers


def test_sizes_of_the_platform_are_not_known(read: Read, base: str) -> None:
    text = change(base, "pause buffer-size 300 pause-threshold 200 resume-threshold 100", "pause")
    group = read(text).ports[PORT].qos.groups[3]
    assert (group.lossless, group.headroom_by_device) == (True, True)
    assert all(isinstance(v, Unknown) for v in (group.headroom, group.threshold, group.xon))


def test_queue_limit_leaves_the_threshold_open(read: Read, base: str) -> None:
    """The guide's own example sets both; which of them pauses stands nowhere."""
    text = change(base, "  pfc-cos 3\n", "  pfc-cos 3\n  queue-limit thresh-mode dynamic 5\n")
    group = read(text).ports[PORT].qos.groups[3]
    assert isinstance(group.threshold, Unknown)
    assert str(group.headroom) == "100 kbytes"
    fixed = read(change(change(base, "pause buffer-size 300 pause-threshold 200 resume-threshold 100", "pause"),
                        "  pfc-cos 3\n", "  pfc-cos 3\n  queue-limit thresh-mode static 80\n"))  # fmt: skip
    assert str(fixed.ports[PORT].qos.groups[3].threshold.limit) == "80 kbytes"  # type: ignore[union-attr]


def test_a_pause_without_a_priority(read: Read, base: str) -> None:
    qos = read(change(base, "  pfc-cos 3\n", "")).ports[PORT].qos
    assert isinstance(qos.pfc.mode, Unknown)
    assert isinstance(path(qos, dscp=26).protected, Unknown)


def test_a_priority_without_a_pause_protects_nothing(read: Read, base: str) -> None:
    text = change(base, "  pause buffer-size 300 pause-threshold 200 resume-threshold 100\n", "")
    qos = read(text).ports[PORT].qos
    assert (qos.pfc.no_drop, qos.groups, path(qos, dscp=26).protected) == (frozenset(), {}, False)


def test_another_priority_than_the_class(read: Read, base: str) -> None:
    roce = path(read(change(base, "pfc-cos 3", "pfc-cos 4")).ports[PORT].qos, dscp=26)
    assert (roce.pause_sent_as, roce.obeys) == ({4}, frozenset())  # what is sent is not what stops its queue


def test_a_class_of_several_groups(read: Read, base: str) -> None:
    qos = read(change(change(base, " match qos-group 3", " match qos-group 3,4"), "pfc-cos 3", "pfc-cos 3,4")).ports[PORT].qos
    assert (dict(qos.pfc.send), qos.tc_to_group[4], list(qos.groups)) == ({3: {3, 4}}, 3, [3])


def test_a_lossless_class_in_group_7_moves_the_default_group(read: Read, base: str) -> None:
    qos = read(change(change(base, " match qos-group 3", " match qos-group 7"), "pfc-cos 3", "pfc-cos 7")).ports[PORT].qos
    assert (list(qos.groups), qos.tc_to_group[7], qos.tc_to_group[0]) == ([7], 7, 0)


# --- ECN


def test_the_word_behind_random_detect_is_a_name_in_a_class(read: Read, base: str) -> None:
    text = change(base, "  random-detect ROCE-ECN\n", "  random-detect ecn\n")
    lost = read(text)
    assert [(r.kind, r.name) for r in lost.references if not r.resolves] == [("wred", "ecn")]
    assert lost.ports[PORT].qos.queues[Q3].curves == {}
    named = read(change(text, "wred ROCE-ECN", "wred ecn"))
    assert path(named.ports[PORT].qos, dscp=26).marks is True


def test_a_profile_without_ecn_drops(read: Read, base: str) -> None:
    curve = read(change(base, " random-detect ecn\n", "")).ports[PORT].qos.queues[Q3].curves[Colour.GREEN]
    assert (curve.marks, curve.drops) == (False, True)


def test_colours(read: Read, base: str) -> None:
    """The guide's own profile: three colours, each with its ramp."""
    more = (
        " random-detect ecn\n random-detect color yellow minimum-threshold 500 maximum-threshold 1000 drop-probability 100\n"
        " random-detect color red minimum-threshold 100 maximum-threshold 500 drop-probability 100\n"
    )
    curves = read(change(base, " random-detect ecn\n", more)).ports[PORT].qos.queues[Q3].curves
    assert {c: (str(x.kmin), str(x.kmax), x.marks) for c, x in curves.items()} == {
        Colour.GREEN: ("500 kbytes", "1500 kbytes", True),
        Colour.YELLOW: ("500 kbytes", "1000 kbytes", True),
        Colour.RED: ("100 kbytes", "500 kbytes", True),
    }
    lone = read(change(base, "color green", "color red")).ports[PORT].qos.queues[Q3].curves
    assert isinstance(lone[Colour.GREEN].marks, Unknown)


# --- values that OS10 cannot mean


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("minimum-threshold 500", "minimum-threshold 0", "minimum-threshold 0"),
        ("maximum-threshold 1500", "maximum-threshold 12481", "maximum-threshold 12481"),
        ("drop-probability 20", "drop-probability 101", "drop-probability 101"),
        ("qos-group 3 dscp 26", "qos-group 3 dscp 64", "'64' is no list"),
        ("qos-group 3 dscp 26", "qos-group 8 dscp 26", "traffic class 8"),
        ("queue 3 qos-group 3", "queue 8 qos-group 3", "queue 8"),
        ("pfc-cos 3", "pfc-cos 8", "'8' is no list of priorities"),
        ("bandwidth percent 55", "bandwidth percent 0", "bandwidth percent 0"),
        ("bandwidth percent 55", "bandwidth percent 101", "bandwidth percent 101"),
        ("match queue 3", "match queue 9", "queue 9"),
        ("buffer-size 300 pause-threshold 200", "buffer-size 100 pause-threshold 200", "XOFF"),
        (" mtu 9216\n", " mtu 99999\n", "mtu 99999"),
    ],
)
def test_impossible_values_are_named(read: Read, base: str, old: str, new: str, message: str) -> None:
    model = read(change(base, old, new))
    found = [r for r in model.remarks if r.kind is RemarkKind.INVALID]
    assert len(found) == 1
    assert message in found[0].message
    assert found[0].expected


def test_what_nobody_knows_is_reported_and_changes_nothing(read: Read, base: str) -> None:
    model = read(base)
    for line in ("trust dscp", "priority-flow-control priority 3 no-drop", "pfc mode on", "flowcontrol rx on tx off"):
        text = change(base, " ets mode on\n", f" ets mode on\n {line}\n")
        found = read(text)
        assert found == model
        assert [r.kind for r in found.remarks] == [RemarkKind.UNCLAIMED], line
    inner = read(change(base, "  pfc-cos 3\n", "  pfc-cos 3\n  pause no-drop\n"))
    assert (inner, [r.shape for r in inner.remarks]) == (model, ["pause no-drop"])
