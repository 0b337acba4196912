"""Profiles, maps, watchdog, buffers, policies: what each statement does, and where EOS leaves open what holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from xoff.model.path import path
from xoff.model.qos import (
    Alpha,
    Colour,
    HeaderField,
    MatchKind,
    PfcMode,
    QueueId,
    QueueKind,
    Scheduler,
    SchedulerKind,
    WatchdogAction,
)
from xoff.model.quantity import Unknown
from xoff.model.switch import Direction, PoolKind, PortKind, RemarkKind, SwitchModel

Read = Callable[..., SwitchModel]
PROFILE = """\
qos profile ROCE
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   !
   tx-queue 3
      no priority
      bandwidth percent 60
      random-detect ecn minimum-threshold 100 kbytes maximum-threshold 200 kbytes max-mark-probability 10 weight 0
!
"""
TIMERS = "priority-flow-control pause watchdog default timeout 0.2\n"


def port(read: Read, lines: str = "", text: str = "", name: str = "Ethernet1"):  # type: ignore[no-untyped-def]
    return read(text + f"interface {name}\n" + "".join(f"   {x}\n" for x in lines.split("\n") if x)).ports[name]


# --- profile and interface


def test_profile_gives_what_the_interface_does_not_say(read: Read) -> None:
    p = port(read, "service-profile ROCE\nuc-tx-queue 3\n   random-detect ecn count", PROFILE)
    assert (p.qos.pfc.mode, p.qos.pfc.no_drop) == (PfcMode.ON, {3})
    queue = p.qos.queues[QueueId(QueueKind.UNICAST, 3)]
    assert (str(queue.curves[Colour.GREEN].kmax), queue.counts_marks) == ("200 kbytes", True)
    assert p.place(p.origins["pfc.mode"]).line == 3
    assert p.origins["queue.unicast.3.kmin"].path == ("qos profile *", "tx-queue 3")


def test_saying_the_same_twice_leaves_nothing_open(read: Read) -> None:
    p = port(
        read,
        "service-profile ROCE\nqos trust dscp\npriority-flow-control on\npriority-flow-control priority 3 no-drop",
        PROFILE,
    )
    assert (p.qos.pfc.mode, p.qos.classify.tagged_ip) == (PfcMode.ON, HeaderField.DSCP)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("no priority-flow-control", "pfc"),
        ("priority-flow-control priority 3 drop", "pfc"),
        ("qos trust cos", "trust"),
        ("tx-queue 3\n   priority strict", "scheduler"),
        ("tx-queue 3\n   bandwidth percent 50", "scheduler"),
        ("uc-tx-queue 3\n   random-detect ecn minimum-threshold 1 mbytes maximum-threshold 2 mbytes", "ecn"),
    ],
)
def test_a_contradiction_is_unknown_not_guessed(read: Read, line: str, field: str) -> None:
    q = port(read, "service-profile ROCE\n" + line, PROFILE).qos
    queue = q.queues[QueueId(QueueKind.UNICAST, 3)]
    found = {
        "pfc": q.pfc.mode,
        "trust": q.classify.tagged_ip,
        "scheduler": queue.scheduler.kind if isinstance(queue.scheduler, Scheduler) else queue.scheduler,
        "ecn": queue.curves[Colour.GREEN].marks,
    }
    assert {k for k, v in found.items() if isinstance(v, Unknown)} == {field}


def test_a_report_names_only_the_structure_it_rests_on(read: Read) -> None:
    def keys(text: str) -> list[str]:
        return [s[:22] for s in read(text).structure]

    assert keys("interface Ethernet1\n   mtu 9214\n") == []
    assert keys(PROFILE + "interface Ethernet1\n   service-profile ROCE\n") == ["traffic class n = PFC "]
    both = keys(PROFILE + "interface Ethernet1\n   service-profile ROCE\n   no priority-flow-control\n")
    assert both == ["traffic class n = PFC ", "the same statement in "]


def test_another_priority_on_the_interface_is_no_contradiction(read: Read) -> None:
    assert port(read, "service-profile ROCE\npriority-flow-control priority 4 no-drop", PROFILE).qos.pfc.no_drop == {3, 4}


def test_for_a_policy_map_the_interface_wins(read: Read) -> None:
    text = "qos profile P\n   service-policy type qos input A\n" + "".join(
        f"class-map type qos match-any C\n   match dscp 26\npolicy-map type quality-of-service {n}\n   class C\n"
        f"      set traffic-class {tc}\n"
        for n, tc in (("A", 2), ("B", 5))
    )
    p = port(read, "no switchport\nservice-profile P\nservice-policy type qos input B", text)
    assert path(p.qos, dscp=26).tc == 5


def test_references_and_definitions(read: Read) -> None:
    model = read(
        PROFILE + "qos profile LOST\n   qos trust dscp\ninterface Ethernet1\n   service-profile ROCE\n"
        "interface Ethernet2\n   service-profile ROSE\n"
    )
    assert [(r.kind, r.name, r.resolves, r.ports, r.origin.at.line) for r in model.references] == [
        ("qos profile", "ROCE", True, ("Ethernet1",), 14),
        ("qos profile", "ROSE", False, ("Ethernet2",), 16),
    ]
    assert [(d.name, d.lossless, d.at.at.line) for d in model.definitions] == [("ROCE", True, 1), ("LOST", False, 11)]


# --- maps


def test_default_maps_have_classes_0_and_1_the_other_way_round(read: Read) -> None:
    p = port(read, "no switchport")
    assert [path(p.qos, dscp=d).tc for d in (0, 7, 8, 15, 16, 24, 26, 40, 48, 63)] == [1, 1, 0, 0, 2, 3, 3, 5, 6, 7]
    tagged = port(read, "qos trust cos")
    assert [path(tagged.qos, dscp=0, pcp=c, tagged=True).tc for c in range(8)] == [1, 0, 2, 3, 4, 5, 6, 7]


def test_map_lines_lie_over_the_defaults_and_the_later_one_wins(read: Read) -> None:
    text = (
        "qos map dscp 24 25 26 27 to traffic-class 3\nqos map dscp 26 to traffic-class 1\n"
        "qos map dscp 30-31,40 to traffic-class 0\n"
        "qos map dscp 18 to traffic-class 4 drop-precedence 2\nqos map traffic-class 6 to tx-queue 2\n"
        "qos map cos 3 to traffic-class 5\n"
    )
    p = port(read, "no switchport", text)
    assert [path(p.qos, dscp=d).tc for d in (24, 26, 28, 30, 31, 40, 41, 18)] == [3, 1, 3, 0, 0, 0, 5, 4]
    assert path(p.qos, dscp=18).colour is Colour.RED
    assert (p.qos.tc_to_queue[6], p.qos.tc_to_queue[5]) == (2, 5)
    assert p.place(p.origins["classify.dscp.26"]).line == 2


def test_rewriting_needs_to_be_switched_on(read: Read) -> None:
    line = "qos map traffic-class 3 to dscp 0\n"
    assert dict(port(read, text=line).qos.rewrite_dscp) == {}
    assert dict(port(read, text=line + "qos rewrite dscp\n").qos.rewrite_dscp) == {3: 0}
    assert dict(port(read, text="qos rewrite dscp\n" + line + "no qos rewrite dscp\n").qos.rewrite_dscp) == {}


def test_untrusted_and_port_defaults(read: Read) -> None:
    p = port(read, "no qos trust\nqos cos 3\nqos dscp 26")
    assert (p.qos.classify.tagged_ip, p.qos.classify.untagged_ip) == (HeaderField.PORT, HeaderField.PORT)
    assert path(p.qos, dscp=0).tc == 3
    both = port(read, "no qos trust\nqos cos 3\nqos dscp 4")
    assert isinstance(path(both.qos, dscp=0).tc, Unknown)  # which of the two counts is not confirmed
    assert path(port(read, "qos trust cos\nqos cos 5").qos, dscp=26).tc == 5


def test_policy_maps(read: Read) -> None:
    text = (
        "ip access-list A\n   10 permit ip any any\nclass-map type qos match-any C1\n   match ip access-group A\n"
        "class-map type qos match-any C2\n   match dscp cs3 26\npolicy-map type quality-of-service P\n"
        "   class C2\n      set traffic-class 3\n"
        "   class C1\n      set traffic-class 5\n   class class-default\n      set traffic-class 1\n"
    )
    model = read(
        text + "interface Ethernet1\n   no switchport\n   service-policy type qos input P\n"
        "interface Ethernet2\n   service-policy type qos input P\n"
    )
    q = model.ports["Ethernet1"].qos
    assert [m.kind for m in q.classify.matches[:3]] == [MatchKind.DSCP, MatchKind.OPAQUE, MatchKind.DEFAULT]
    assert path(q, dscp=24).tc == 3
    assert isinstance(path(q, dscp=48).tc, Unknown)  # the access list comes first
    assert model.ports["Ethernet2"].qos.classify.matches[0].kind is MatchKind.OPAQUE  # a CoS port: DSCP is not what it reads
    assert all(r.resolves for r in model.references)
    lost = read("interface Ethernet1\n   service-policy type qos input NOPE\n")
    assert isinstance(path(lost.ports["Ethernet1"].qos, dscp=26).tc, Unknown)
    assert [(r.name, r.resolves) for r in lost.references] == [("NOPE", False)]


# --- PFC and watchdog


def test_pfc_on_without_a_priority_protects_nothing(read: Read) -> None:
    q = port(read, "priority-flow-control on\npriority-flow-control priority 5 drop").qos
    assert (q.pfc.mode, q.pfc.no_drop, q.groups) == (PfcMode.ON, frozenset(), {})
    old = port(read, "priority-flow-control mode on\npriority-flow-control priority 3 no-drop").qos
    assert (old.pfc.mode, old.pfc.no_drop) == (PfcMode.ON, {3})


def test_the_kill_switch(read: Read) -> None:
    model = read("priority-flow-control all off\ninterface Ethernet1\n   priority-flow-control on\n")
    assert model.pfc_off is True
    assert model.origins["pfc_off"].at.line == 1  # type: ignore[union-attr]
    assert read("priority-flow-control all off\nno priority-flow-control all off\n").pfc_off is False


PFC = "priority-flow-control on\npriority-flow-control priority 3 no-drop"


def test_watchdog_without_timers_is_unknown(read: Read) -> None:
    dog = port(read, PFC).qos.watchdog
    assert all(isinstance(v, Unknown) for v in (dog.enabled, dog.detect, dog.restore, dog.poll, dog.action, dog.latch))
    assert (dog.available, dog.priorities) == (True, {3})


def test_watchdog_with_a_timer_and_no_action_errdisables(read: Read) -> None:
    dog = port(read, PFC, TIMERS).qos.watchdog
    assert (dog.enabled, dog.action, dog.latch) == (True, WatchdogAction.ERRDISABLE, True)


@pytest.mark.parametrize(
    ("text", "lines", "action", "latch"),
    [
        ("priority-flow-control pause watchdog action drop\n", "", WatchdogAction.DROP, False),
        ("priority-flow-control pause watchdog action errdisable\n", "", WatchdogAction.ERRDISABLE, True),
        ("", "priority-flow-control pause watchdog port action notify-only", WatchdogAction.ALERT, False),
        (
            "priority-flow-control pause watchdog action errdisable\n",
            "priority-flow-control pause watchdog port action drop",
            WatchdogAction.DROP,
            False,
        ),
        (
            "priority-flow-control pause watchdog action drop\npriority-flow-control pause watchdog override action drop\n",
            "",
            WatchdogAction.DROP,
            False,
        ),
    ],
)
def test_watchdog_actions(read: Read, text: str, lines: str, action: WatchdogAction, latch: bool) -> None:
    dog = port(read, f"{PFC}\n{lines}", TIMERS + text).qos.watchdog
    assert (dog.action, dog.latch) == (action, latch)


def test_override_of_another_action_is_unknown(read: Read) -> None:
    dog = port(read, PFC, TIMERS + "priority-flow-control pause watchdog override action drop\n").qos.watchdog
    assert isinstance(dog.action, Unknown)


def test_port_timers_win_over_the_switch(read: Read) -> None:
    line = "priority-flow-control pause watchdog port timer timeout 0.05 polling-interval auto recovery-time 1.11 forced"
    dog = port(read, f"{PFC}\n{line}", TIMERS).qos.watchdog
    assert (str(dog.detect), str(dog.restore), isinstance(dog.poll, Unknown)) == ("0.05 s", "1.11 s", True)


def test_watchdog_off_on_a_port_and_on_a_lossy_port(read: Read) -> None:
    assert port(read, f"{PFC}\nno priority-flow-control pause watchdog", TIMERS).qos.watchdog.enabled is False
    assert port(read, "mtu 9214", TIMERS).qos.watchdog.enabled is False


def test_link_pause(read: Read) -> None:
    q = port(read, "flowcontrol receive on\nflowcontrol send off").qos
    assert (q.pfc.link_pause_rx, q.pfc.link_pause_tx) == (True, False)
    q = port(read, "flowcontrol receive on\nno flowcontrol receive\nflowcontrol send desired").qos
    assert (q.pfc.link_pause_rx, isinstance(q.pfc.link_pause_tx, Unknown)) == (None, True)


# --- queues


def test_queue_statements(read: Read) -> None:
    q = port(
        read,
        "tx-queue 2\n   priority strict\n   shape rate 40 percent\n   bandwidth guaranteed 100\n"
        "tx-queue 4\n   bandwidth percent 30\n   random-detect drop drop-precedence 1 minimum-threshold 2 milliseconds "
        "maximum-threshold 20 milliseconds drop-probability 80 weight 3\nmc-tx-queue 7\n   no priority",
    ).qos
    two = q.queues[QueueId(QueueKind.UNICAST, 2)].scheduler
    assert isinstance(two, Scheduler)
    assert (two.kind, str(two.cap), str(two.guarantee)) == (SchedulerKind.STRICT, "40 %", "100 kbps")
    four = q.queues[QueueId(QueueKind.UNICAST, 4)]
    curve = four.curves[Colour.YELLOW]
    assert (str(curve.kmin), str(curve.kmax), str(curve.pmax), curve.weight) == ("2 ms", "20 ms", "80 %", 3)
    assert (curve.marks, curve.drops) == (False, True)
    assert isinstance(four.scheduler, Scheduler)
    assert (four.scheduler.kind, str(four.scheduler.share)) == (SchedulerKind.STRICT, "30 %")  # strict unless `no priority`
    assert QueueId(QueueKind.MULTICAST, 7) in q.queues


def test_each_side_of_a_threshold_has_its_own_unit_and_no_pmax_is_unknown(read: Read) -> None:
    q = port(read, "tx-queue 3\n   random-detect ecn minimum-threshold 890 kbytes maximum-threshold 8 mbytes").qos
    curve = q.queues[QueueId(QueueKind.UNICAST, 3)].curves[Colour.GREEN]
    assert (str(curve.kmin), str(curve.kmax), isinstance(curve.pmax, Unknown)) == ("890 kbytes", "8 mbytes", True)


def test_ecn_and_wred_in_one_queue_are_not_both_believed(read: Read) -> None:
    both = (
        "tx-queue 3\n   random-detect ecn minimum-threshold 1 kbytes maximum-threshold 2 kbytes\n"
        "   random-detect drop minimum-threshold 1 kbytes maximum-threshold 2 kbytes drop-probability 5"
    )
    curve = port(read, both).qos.queues[QueueId(QueueKind.UNICAST, 3)].curves[Colour.GREEN]
    assert isinstance(curve.marks, Unknown)
    assert isinstance(curve.drops, Unknown)


def test_ecn_taken_back(read: Read) -> None:
    lines = "tx-queue 3\n   random-detect ecn minimum-threshold 1 kbytes maximum-threshold 2 kbytes\n   no random-detect ecn"
    assert dict(port(read, lines).qos.queues[QueueId(QueueKind.UNICAST, 3)].curves) == {}


def test_global_ecn_is_not_said_to_mark_a_queue(read: Read) -> None:
    text = "qos random-detect ecn global-buffer minimum-threshold 2 mbytes maximum-threshold 5 mbytes\n"
    assert isinstance(path(port(read, "no switchport", text).qos, dscp=26).marks, Unknown)


# --- buffers

MMU = """\
platform trident mmu queue profile BIG
    ingress headroom cells 1500
    ingress resume 2048
    ingress threshold 1/8
    ingress priority-group 3 reserved cells 10
    ingress priority-group 3 threshold 1/4
    egress unicast queue 3 threshold 8
    egress multicast queue 7 threshold 1/64
"""


def test_mmu_profile_in_force(read: Read) -> None:
    text = MMU + "platform trident mmu queue profile BIG apply\nplatform trident mmu headroom-pool limit cells 9600\n"
    p = port(read, f"{PFC}\npriority-flow-control priority 4 no-drop", text)
    three, four = p.qos.groups[3], p.qos.groups[4]
    assert (str(three.headroom), str(three.reserved), three.profile, three.headroom_by_device) == (
        "1500 cells",
        "10 cells",
        "BIG",
        False,
    )
    assert isinstance(three.threshold, Alpha)
    assert isinstance(four.threshold, Alpha)
    assert (three.threshold.alpha.plain, four.threshold.alpha.plain) == ("1/4", "1/8")
    assert isinstance(three.xon, Unknown)  # `resume`: level or offset?
    assert p.place(p.origins["group.3.headroom"]).line == 2
    limit = p.qos.queues[QueueId(QueueKind.UNICAST, 3)].limit
    assert isinstance(limit, Alpha)
    assert limit.alpha.plain == "8"
    model = read(text)
    (pool,) = model.pools
    assert (pool.kind, pool.direction, str(pool.size)) == (PoolKind.HEADROOM, Direction.INGRESS, "9600 cells")
    assert model.profiles["BIG"].values["priority-group 3 threshold"] == "1/4"


def test_mmu_profile_without_its_apply_line_is_dead(read: Read) -> None:
    model = read(MMU + "interface Ethernet1\n   priority-flow-control on\n   priority-flow-control priority 3 no-drop\n")
    (found,) = model.definitions
    assert (found.name, found.lossless, found.applied, found.how_applied) == (
        "BIG",
        True,
        False,
        "platform trident mmu queue profile BIG apply",
    )
    assert isinstance(model.ports["Ethernet1"].qos.groups[3].headroom, Unknown)
    wrong = read(MMU + "platform trident mmu queue profile BIGG apply\n")
    assert [(r.name, r.resolves) for r in wrong.references] == [("BIGG", False)]


# --- ports and device


def test_port_kinds_bundles_and_breakouts(read: Read) -> None:
    text = "".join(
        f"interface {n}\n{x}"
        for n, x in (
            ("Ethernet1/1", ""),
            ("Et1/2", ""),
            ("Ethernet2/1", "   channel-group 7 mode active\n"),
            ("Port-Channel7", "   no switchport\n   qos trust cos\n"),
            ("Vlan10", "   arp aging timeout 14400\n"),
            ("Ethernet3/1.20", ""),
            ("Loopback0", ""),
            ("Management1", "   vrf MGMT\n   ip address 10.0.0.1/24\n"),
        )
    )
    model = read(text + "mac address-table aging-time 300\n")
    kinds = {n: p.kind for n, p in model.ports.items()}
    assert kinds == {
        "Ethernet1/1": PortKind.BREAKOUT,
        "Ethernet1/2": PortKind.BREAKOUT,
        "Ethernet2/1": PortKind.MEMBER,
        "Port-Channel7": PortKind.BUNDLE,
        "Vlan10": PortKind.SVI,
        "Ethernet3/1.20": PortKind.SUBINTERFACE,
        "Loopback0": PortKind.LOOPBACK,
        "Management1": PortKind.MANAGEMENT,
    }
    member = model.ports["Ethernet2/1"]
    assert (member.bundle, member.routed) == ("Port-Channel7", True)  # the bundle's mode holds for the member
    assert model.bundles["Port-Channel7"].members == ("Ethernet2/1",)
    assert model.ports["Ethernet1/2"].breakout_parent == "Ethernet1"
    assert (model.ports["Management1"].vrf, model.ports["Management1"].addresses) == ("MGMT", ("10.0.0.1/24",))
    assert (model.routing.mac_aging_s, model.routing.arp_timeout_s) == (300, 14400)


def test_an_address_without_no_switchport_leaves_the_mode_open(read: Read) -> None:
    p = port(read, "ip address 192.0.2.1/31")
    assert isinstance(p.routed, Unknown)
    assert isinstance(path(p.qos, dscp=26).tc, Unknown)
    assert port(read, "", "switchport default mode routed\n").routed is True


@pytest.mark.parametrize(
    ("line", "mbps"),
    [("speed 200g-4", 200_000), ("speed forced 100gfull", 100_000), ("speed forced 10000full", 10_000),
     ("speed auto 400g-8", 400_000),
     ("speed 1000full", 1000), ("speed auto", None), ("no speed", None)],
)  # fmt: skip
def test_speeds(read: Read, line: str, mbps: int | None) -> None:
    assert port(read, line).speed == mbps


def test_vxlan_is_a_tunnel(read: Read) -> None:
    (tunnel,) = read("interface Vxlan1\n   vxlan qos ecn propagation\n   vxlan qos dscp propagation encapsulation\n").tunnels
    assert (tunnel.encap_ecn, tunnel.decap_ecn, tunnel.encap_dscp_mode) == ("propagation", "propagation", "propagation")
    (silent,) = read("interface Vxlan1\n   vxlan source-interface Loopback1\n").tunnels
    assert (silent.encap_ecn, silent.decap_ecn) == (None, None)


def test_bgp_neighbours(read: Read) -> None:
    text = (
        "router bgp 65101\n   neighbor SPINES peer group\n   neighbor SPINES remote-as 65001\n"
        "   neighbor 10.0.0.0 peer group SPINES\n   neighbor 10.0.1.0 remote-as 65002\n"
    )
    routing = read(text).routing
    assert (routing.asn, dict(routing.peers)) == (65101, {"10.0.0.0": 65001, "10.0.1.0": 65002})


# --- what EOS cannot mean


@pytest.mark.parametrize(
    "text",
    [
        "qos map dscp 64 to traffic-class 3",
        "qos map dscp 26 to traffic-class 8",
        "qos map dscp af99 to traffic-class 3",
        "qos map cos 8 to traffic-class 1",
        "qos map traffic-class 3 to tx-queue 9",
        "priority-flow-control pause watchdog default timeout 0.2345",
        "priority-flow-control pause watchdog default timeout -1",
        "priority-flow-control pause watchdog action no-drop",
        "platform trident mmu headroom-pool limit cells many",
        "platform trident mmu queue profile P\n   ingress priority-group 3 threshold 1/3",
        "platform trident mmu queue profile P\n   ingress priority-group 8 threshold 1/4",
        "interface Ethernet1\n   priority-flow-control priority 8 no-drop",
        "interface Ethernet1\n   priority-flow-control pause watchdog port action errdisable",
        "interface Ethernet1\n   mtu 20",
        "interface Ethernet1\n   mtu 9,214",
        "interface Ethernet1\n   qos cos 9",
        "interface Ethernet1\n   flowcontrol receive maybe",
        "interface Ethernet1\n   tx-queue 3\n      bandwidth percent 101",
        "interface Ethernet1\n   tx-queue 3\n      random-detect ecn minimum-threshold 1 packets maximum-threshold 2 packets",
        "interface Ethernet1\n   tx-queue 3\n      random-detect ecn minimum-threshold 0 kbytes maximum-threshold 2 kbytes",
        "interface Ethernet1\n   tx-queue 3\n"
        "      random-detect ecn minimum-threshold 1 kbytes maximum-threshold 2 kbytes max-mark-probability 0",
        "interface Ethernet1\n   tx-queue 9\n      no priority",
        "qos profile P\n   priority-flow-control priority nine no-drop",
        "class-map type qos match-any C\n   match dscp 77",
        "policy-map type quality-of-service P\n   class C\n      set traffic-class 12",
    ],
)
def test_impossible_values_are_remarks_with_the_line(read: Read, text: str) -> None:
    model = read("hostname x\n" + text + "\n")
    (remark,) = model.remarks
    assert remark.kind is RemarkKind.INVALID
    assert remark.origin.at.line == text.count("\n") + 2 or "tx-queue 9" in text
    assert remark.message
    assert remark.expected


def test_remarks_in_an_unused_profile_are_not_reached(read: Read) -> None:
    model = read(
        "qos profile DEAD\n   frobnicate\nqos profile LIVE\n   frobnicate\ninterface Ethernet1\n   service-profile LIVE\n"
    )
    assert [(r.origin.at.line, r.reached) for r in model.remarks] == [(2, False)]
