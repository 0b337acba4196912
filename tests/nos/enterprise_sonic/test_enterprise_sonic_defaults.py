"""What holds where a line is left out is this NOS's own default, with its evidence, or unknown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from xoff.model.origin import Default, Evidence
from xoff.model.path import path
from xoff.model.qos import Colour, HeaderField, NotEct, PfcMode, QueueId, QueueKind, Scheduler, SchedulerKind, WatchdogAction
from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import Form, RemarkKind, SwitchModel

Read = Callable[..., SwitchModel]
Q3, Q4 = QueueId(QueueKind.UNICAST, 3), QueueId(QueueKind.UNICAST, 4)


def without(base: str, *lines: str) -> str:
    out = [row for row in base.split("\n") if row.strip() not in lines]
    assert len(out) < len(base.split("\n"))
    return "\n".join(out)


# --- buffer mode


def test_without_lossless_mode_every_group_is_lossy(read: Read, base: str) -> None:
    port = read(without(base, "buffer init lossless")).ports["Eth1/1"]
    assert {n: g.lossless for n, g in port.qos.groups.items()} == {3: False}
    origin = port.origins["group.3"]
    assert isinstance(origin, Default)
    assert (origin.evidence, "HLD" in origin.source) == (Evidence.SECONDARY, True)
    assert port.qos.queues[Q3].lossless is None


def test_a_bound_profile_keeps_nothing_without_lossless_mode(read: Read, base: str) -> None:
    """Its pool is made by `buffer init lossless` (HLD 2.2.4)."""
    profile = "buffer profile P ingress_lossless_pool 1248 dynamic-threshold -3 pause pause-threshold 177632\n"
    text = base.replace("!\nqos wred", f"{profile}!\nqos wred", 1).replace(" cable-length 5m\n", " buffer priority-group 3 P\n")
    assert read(text).ports["Eth1/1"].qos.groups[3].lossless is True
    lossy = read(without(text, "buffer init lossless")).ports["Eth1/1"]
    assert lossy.qos.groups[3].lossless is False
    assert isinstance(lossy.origins["group.3"], Default)


def test_of_a_part_the_mode_is_unknown(read: Read, base: str) -> None:
    part = without(base, "buffer init lossless", "hostname LEAF-1", "interface-naming standard", "interface Management 0")
    model = read(part.replace(" ip address 192.0.2.10/24\n", ""))
    assert model.form is Form.FRAGMENT
    lossless = model.ports["Eth1/1"].qos.groups[3].lossless
    assert isinstance(lossless, Unknown)
    assert lossless.fact is Fact.CONFIG


def test_names_of_an_interface_alone_are_elsewhere(read: Read, base: str) -> None:
    interface = base[base.index("interface Eth1/1\n") : base.index("interface Eth1/49")]
    assert {r.resolves for r in read(interface).references} == {None}
    whole = read("hostname x\n" + interface)
    assert {r.resolves for r in whole.references} == {False}


def test_other_groups_by_release(read: Read, base: str) -> None:
    five = base.replace("priority-flow-control priority 3", "priority-flow-control priority 5")
    assert read(five).ports["Eth1/1"].qos.groups[5].lossless is False  # release 4.1
    later = read(five.replace("4.1.0", "4.4.0")).ports["Eth1/1"].qos.groups[5].lossless
    assert isinstance(later, Unknown)
    assert later.fact is Fact.RELEASE


def test_no_profile_of_the_device_where_the_port_wants_none(read: Read, base: str) -> None:
    text = base.replace(" cable-length 5m\n", " cable-length 5m\n no buffer default-lossless-buffer-profile\n")
    assert read(text).ports["Eth1/1"].qos.groups[3].lossless is False
    assert read(text).ports["Eth1/49"].qos.groups[3].lossless is True


def test_cable_of_40_m_unless_said(read: Read, base: str) -> None:
    port = read(without(base, "cable-length 5m")).ports["Eth1/1"]
    assert (port.cable_m, port.qos.groups[3].headroom_for_m) == (None, 40)


# --- maps


def test_values_that_a_map_leaves_out_are_traffic_class_0(read: Read, base: str) -> None:
    port = read(without(base, "dscp 0-23,25,27-47,49-63 traffic-class 0")).ports["Eth1/1"]
    assert (path(port.qos, dscp=0).tc, path(port.qos, dscp=26).tc) == (0, 3)
    origin = port.origins["classify.dscp.0"]
    assert isinstance(origin, Default)
    assert origin.evidence is Evidence.SECONDARY


def test_classes_that_a_tc_pg_map_leaves_out_go_to_group_7(read: Read, base: str) -> None:
    port = read(without(base, "traffic-class 0-2,4-7 priority-group 7")).ports["Eth1/1"]
    assert dict(port.qos.tc_to_group) == {0: 7, 1: 7, 2: 7, 3: 3, 4: 7, 5: 7, 6: 7, 7: 7}
    none = read(without(base, "qos-map tc-pg ROCE")).ports["Eth1/1"]
    assert (path(none.qos, dscp=26).group, path(none.qos, dscp=26).protected) == (7, False)


def test_without_a_tc_queue_map_all_packets_go_to_queue_0(read: Read, base: str) -> None:
    port = read(without(base, "qos-map tc-queue ROCE")).ports["Eth1/1"]
    assert path(port.qos, dscp=26).queue == 0
    short = read(without(base, "traffic-class 3 queue 3")).ports["Eth1/1"]
    assert isinstance(path(short.qos, dscp=26).queue, Unknown)


def test_the_map_that_is_there_is_the_trust(read: Read, base: str) -> None:
    dot1p = read(without(base, "qos-map dscp-tc ROCE")).ports["Eth1/1"].qos
    assert (dot1p.classify.tagged_ip, dot1p.classify.untagged_ip) == (HeaderField.PCP, HeaderField.PORT)
    assert (path(dot1p, dscp=26).tc, path(dot1p, dscp=26, pcp=3, tagged=True).tc) == (0, 3)
    none = read(without(base, "qos-map dscp-tc ROCE", "qos-map dot1p-tc ROCE")).ports["Eth1/1"].qos
    assert isinstance(path(none, dscp=26).tc, Unknown)


def test_pauses_of_groups_follow_the_pg_map(read: Read, base: str) -> None:
    text = base.replace("qos map tc-queue", "qos map pfc-priority-pg M\n pfc-priority 3 pg 4\n!\nqos map tc-queue")
    text = text.replace(
        " priority-flow-control priority 3\n", " qos-map pfc-priority-pg M\n priority-flow-control priority 3\n"
    )
    port = read(text).ports["Eth1/1"]
    assert dict(port.qos.pfc.send) == {4: {3}}
    assert path(port.qos, dscp=26).protected is False  # traffic class 3 is in group 3


def test_a_pause_stops_the_queue_of_its_number_without_a_map(read: Read, base: str) -> None:
    port = read(without(base, "qos-map pfc-priority-queue ROCE")).ports["Eth1/1"]
    assert dict(port.qos.pfc.obey) == {3: {3}}
    origin = port.origins["pfc.obey.3"]
    assert isinstance(origin, Default)
    assert origin.evidence is Evidence.SECONDARY


def test_asymmetric_ports_obey_all_priorities(read: Read, base: str) -> None:
    text = base.replace(
        " priority-flow-control priority 3\n", " priority-flow-control priority 3\n priority-flow-control asymmetric\n"
    )
    pfc = read(text).ports["Eth1/1"].qos.pfc
    assert (pfc.asymmetric, sorted(pfc.obey), sorted(pfc.send)) == (True, list(range(8)), [3])


# --- PFC, watchdog, marking


def test_without_a_priority_pfc_is_off(read: Read, base: str) -> None:
    port = read(without(base, "priority-flow-control priority 3")).ports["Eth1/1"]
    assert (port.qos.pfc.mode, port.qos.pfc.no_drop, port.qos.watchdog.enabled) == (PfcMode.OFF, frozenset(), False)
    assert isinstance(port.origins["pfc.mode"], Default)


def test_several_priorities_in_one_line(read: Read, base: str) -> None:
    text = base.replace("priority-flow-control priority 3", "priority-flow-control priority 3,4")
    assert read(text).ports["Eth1/1"].qos.pfc.no_drop == {3, 4}


def test_watchdog_defaults(read: Read, base: str) -> None:
    off = read(without(base, "priority-flow-control watchdog on detect-time 200")).ports["Eth1/1"]
    assert off.qos.watchdog.enabled is False
    bare = read(
        without(
            base,
            "priority-flow-control watchdog action drop",
            "priority-flow-control watchdog restore-time 400",
            "priority-flow-control watchdog polling-interval 100",
        )
    ).ports["Eth1/1"]
    dog = bare.qos.watchdog
    assert (dog.enabled, dog.action, str(dog.poll)) == (True, WatchdogAction.DROP, "100 ms")
    assert isinstance(dog.restore, Unknown)
    assert {bare.origins[f"watchdog.{k}"].__class__ for k in ("action", "poll")} == {Default}
    stopped = read(base.replace("watchdog on detect-time 200", "watchdog off")).ports["Eth1/1"]
    assert stopped.qos.watchdog.enabled is False


def test_ecn_none_and_no_ecn_drop(read: Read, base: str) -> None:
    for text in (base.replace(" ecn green", " ecn none"), without(base, "ecn green")):
        queue = read(text).ports["Eth1/1"].qos.queues[Q3]
        curve = queue.curves[Colour.GREEN]
        assert (curve.marks, curve.drops, queue.not_ect is NotEct.DROP) == (False, True, False)
    both = read(base.replace(" ecn green", " ecn all")).ports["Eth1/1"].qos.queues[Q3]
    assert both.curves[Colour.GREEN].marks is True


def test_a_policy_without_ramp_marks_nothing(read: Read, base: str) -> None:
    text = without(base, "green minimum-threshold 1048 maximum-threshold 2097 drop-probability 5")
    port = read(text).ports["Eth1/1"]
    assert not port.qos.queues[Q3].curves
    assert path(port.qos, dscp=26).marks is False


def test_scheduler_defaults(read: Read, base: str) -> None:
    queue = read(without(base, "type dwrr", "weight 50")).ports["Eth1/1"].qos.queues[Q3]
    assert isinstance(queue.scheduler, Scheduler)
    assert (queue.scheduler.kind, str(queue.scheduler.share)) == (SchedulerKind.WRR, "1 weight")


def test_admin_state_is_unknown_where_nothing_is_said(read: Read, base: str) -> None:
    assert isinstance(read(without(base, "no shutdown")).ports["Eth1/1"].admin, Unknown)
    assert read(base.replace(" no shutdown", " shutdown")).ports["Eth1/1"].admin is False


def test_a_policy_of_flow_based_services_is_not_followed(read: Read, base: str) -> None:
    text = base.replace(" qos-map dscp-tc ROCE\n", " qos-map dscp-tc ROCE\n service-policy type qos in ACL\n")
    assert isinstance(path(read(text).ports["Eth1/1"].qos, dscp=26).tc, Unknown)


# --- roce enable

ROCE = "hostname LEAF-1\nroce enable\n!\ninterface Eth1/1\n mtu 9100\n no shutdown\n!\n"


def test_roce_enable_alone_is_its_defaults(read: Read) -> None:
    port = read(ROCE).ports["Eth1/1"]
    for dscp, tc in {0: 0, 4: 4, 24: 3, 26: 3, 48: 6, 63: 0}.items():
        assert path(port.qos, dscp=dscp).tc == tc
    roce = path(port.qos, dscp=26)
    assert (roce.queue, roce.group, roce.protected, roce.marks, roce.pause_sent_as) == (3, 3, True, True, {3})
    assert (path(port.qos, dscp=0).group, path(port.qos, dscp=0).queue) == (7, 0)
    assert (port.qos.pfc.no_drop, port.qos.watchdog.enabled) == ({3, 4}, False)
    curve = port.qos.queues[Q3].curves[Colour.GREEN]
    assert [str(x) for x in (curve.kmin, curve.kmax, curve.pmax)] == ["1048576 bytes", "2097152 bytes", "5 %"]
    assert isinstance(port.qos.queues[Q4].curves[Colour.GREEN].marks, Unknown)  # two texts say different things
    shares = {q.id.id: str(q.scheduler.share) for q in port.qos.queues.values() if isinstance(q.scheduler, Scheduler)}
    assert shares == {0: "50 weight", 3: "50 weight", 4: "50 weight", 6: "None"}
    assert {port.origins[p].__class__ for p in ("classify.dscp", "pfc.mode", "tc_to_queue", "tc_to_group")} == {Default}


@pytest.mark.parametrize("line", ["roce enable force-defaults", "roce enable pfc-priority 3,4"])
def test_forms_of_roce_enable(read: Read, line: str) -> None:
    assert read(ROCE.replace("roce enable", line)).ports == read(ROCE).ports


def test_other_priorities_of_roce_enable(read: Read) -> None:
    port = read(ROCE.replace("roce enable", "roce enable pfc-priority 2,5")).ports["Eth1/1"]
    assert port.qos.pfc.no_drop == {2, 5}
    assert [n for n, g in port.qos.groups.items() if g.lossless] == [2, 5]
    three = read(ROCE.replace("roce enable", "roce enable pfc-priority 2,3,5"))
    assert [r.kind for r in three.remarks] == [RemarkKind.INVALID]


def test_what_roce_enable_generated_and_is_not_printed_is_not_there(read: Read, base: str) -> None:
    text = base.replace("buffer init lossless", "roce enable").replace(" queue 3 wred-policy ROCE\n", "")
    port = read(text).ports["Eth1/1"]
    assert (port.qos.groups[3].lossless, port.qos.queues[Q3].curves, port.qos.pfc.no_drop) == (True, {}, {3})


# --- values that cannot be meant


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("maximum-threshold 2097", "maximum-threshold 2097152", "maximum-threshold 2097152"),
        ("drop-probability 5", "drop-probability 101", "drop-probability 101"),
        ("cable-length 5m", "cable-length 10m", "cable-length 10m"),
        ("dscp 24,26 traffic-class 3", "dscp 24,64 traffic-class 3", "'24,64'"),
        ("traffic-class 3 queue 3", "traffic-class 3 queue 8", "queue 8"),
        ("weight 50", "weight 0", "weight 0"),
        ("type strict", "type fair", "type fair"),
        ("ecn green", "ecn on", "ecn on"),
        ("watchdog action drop", "watchdog action errdisable", "errdisable"),
        ("detect-time 200", "detect-time 20", "20"),
        ("polling-interval 100", "polling-interval 10", "polling-interval 10"),
        ("pool ingress_lossless_pool", "pool egress_lossy_pool", "egress_lossy_pool"),
        ("priority-flow-control priority 3", "priority-flow-control priority 8", "PFC priority 8"),
        ("queue 3 wred-policy", "queue 8 wred-policy", "queue 8"),
    ],
)
def test_impossible_values_are_reported_and_never_guessed(read: Read, base: str, old: str, new: str, message: str) -> None:
    found = [r for r in read(base.replace(old, new)).remarks if r.kind is RemarkKind.INVALID]
    assert found
    assert message in found[0].message
    assert found[0].expected


def test_taken_back(read: Read, base: str) -> None:
    more = (
        "interface Eth1/1\n no qos-map dscp-tc\n no priority-flow-control priority\n no queue 3 wred-policy\n no cable-length\n"
    )
    model = read(base + more)
    port = model.ports["Eth1/1"]
    assert (port.qos.pfc.no_drop, port.qos.queues[Q3].curves, port.cable_m) == (frozenset(), {}, None)
    assert port.qos.classify.tagged_ip is HeaderField.PCP
    assert model.remarks == ()
    assert read(base + "no buffer init lossless\n").ports["Eth1/1"].qos.groups[3].lossless is False
    gone = read(base.replace(" dscp 24,26 traffic-class 3\n", " dscp 24,26 traffic-class 3\n no dscp 26\n"))
    assert (path(gone.ports["Eth1/1"].qos, dscp=24).tc, path(gone.ports["Eth1/1"].qos, dscp=26).tc) == (3, 0)
