"""What is not said is judged by NX-OS's own defaults; what is said is said in its own words, or refused with the range."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from xoff.model.origin import Default, Evidence
from xoff.model.path import path
from xoff.model.qos import HeaderField, MatchKind, PfcMode, QueueId, QueueKind, Scheduler, SchedulerKind, Static, WatchdogAction
from xoff.model.quantity import Quantity, Unknown
from xoff.model.switch import Port, PortKind, RemarkKind, SwitchModel
from xoff.nos.nxos import names

Read = Callable[..., SwitchModel]


def qos_of(model: SwitchModel, port: str = "Ethernet1/1") -> Port:
    return model.ports[port]


def without(base: str, line: str, times: int = -1) -> str:
    assert f"{line}\n" in base
    return base.replace(f"{line}\n", "", times)


# --- defaults: leaving a line out


def test_no_pfc_line_is_auto(read: Read, base: str) -> None:
    port = qos_of(read(without(base, "  priority-flow-control mode on")))
    assert port.qos.pfc.mode is PfcMode.AUTO
    assert isinstance(port.origins["pfc.mode"], Default)
    assert port.origins["pfc.mode"].evidence is Evidence.READ


def test_no_qos_policy_reads_nothing(read: Read, base: str) -> None:
    port = qos_of(read(without(base, "  service-policy type qos input PM-IN")))
    c = port.qos.classify
    assert (c.tagged_ip, c.untagged_ip, c.default_tc) == (HeaderField.PORT, HeaderField.PORT, 0)
    assert path(port.qos, dscp=26).protected is False
    assert isinstance(port.origins["classify.trust"], Default)


def test_no_network_qos_is_nothing_no_drop(read: Read, base: str) -> None:
    port = qos_of(read(without(base, "  service-policy type network-qos NQ-ROCE")))
    assert (port.qos.pfc.mode, port.qos.pfc.no_drop, dict(port.qos.groups)) == (PfcMode.ON, frozenset(), {})
    named = qos_of(read(base.replace("network-qos NQ-ROCE\n  service", "network-qos default-8q-nq-policy\n  service")))
    assert named.qos.pfc.no_drop == frozenset()


def test_no_queuing_policy_is_the_systems_own(read: Read, base: str) -> None:
    """Queue 7 strict, queue 0 all that remains, all others nothing: RoCE in queue 3 starves."""
    for text in (
        without(base, "  service-policy type queuing output Q-OUT"),
        base.replace("queuing output Q-OUT", "queuing output default-8q-out-policy"),
    ):
        port = qos_of(read(text))
        kinds = {q.id: x.scheduler for q, x in port.qos.queues.items()}
        shares = {n: s.share.plain for n, s in kinds.items() if isinstance(s, Scheduler) and s.share is not None}
        assert isinstance(kinds[7], Scheduler)
        assert kinds[7].kind is SchedulerKind.STRICT
        assert shares == dict.fromkeys(range(1, 7), "0") | {0: "100"}
        assert isinstance(port.origins["queue"], Default)
        assert port.origins["queue"].evidence is Evidence.SECONDARY


def test_the_default_queues_of_an_unknown_family_are_unknown(read: Read) -> None:
    text = "hostname x\ninterface Ethernet1/1\n  mtu 9216\n"
    schedulers = {str(q.scheduler) for q in qos_of(read(text)).qos.queues.values()}
    assert schedulers == {"unknown: how many queues this switch has, and so its default queuing policy, is not known"}
    by_model = read("! Model: 93180YC-FX3\n" + text)
    assert len({str(q.scheduler) for q in qos_of(by_model).qos.queues.values()}) == 3


def test_four_queues_by_the_names_of_their_classes(read: Read) -> None:
    text = (
        "hostname x\npolicy-map type network-qos N\n  class type network-qos c-nq3\n    pause pfc-cos 3\n"
        "system qos\n  service-policy type network-qos N\ninterface Ethernet1/1\n  priority-flow-control mode on\n"
    )
    port = qos_of(read(text))
    assert [q.id for q in port.qos.queues] == [3, 2, 1, 0]
    assert dict(port.qos.pfc.send) == {3: {3}}


def test_watchdog_needs_switch_and_port(read: Read, base: str) -> None:
    on = "priority-flow-control watch-dog-interval on"
    assert qos_of(read(without(base, f"  {on}"))).qos.watchdog.enabled is False
    assert qos_of(read(base.replace(f"\n{on}", f"\n{on[:-2]}off"))).qos.watchdog.enabled is False
    unsaid = qos_of(read(base.replace(f"\n{on}\n", "\n")))
    origin = unsaid.origins["watchdog.enabled"]
    assert isinstance(origin, Default)
    assert (unsaid.qos.watchdog.enabled, origin.evidence) == (False, Evidence.SECONDARY)
    alert = qos_of(read(base.replace(f"  {on}", f"  {on} disable-action"))).qos.watchdog
    assert (alert.enabled, alert.action) == (True, WatchdogAction.ALERT)


def test_no_mtu_is_1500(read: Read, base: str) -> None:
    port = qos_of(read(base.replace("  switchport\n  mtu 9216\n", "  switchport\n")))
    assert (port.mtu, isinstance(port.own["mtu"], Default)) == (1500, True)


def test_silent_ports_of_a_device_that_prints_no_shutdown_are_down(read: Read, base: str) -> None:
    more = base + "interface Ethernet1/5\n  description spare\ninterface port-channel5\n  description bundle\n"
    assert qos_of(read(more), "Ethernet1/5").admin is True  # a file that people wrote prints what they thought of
    found = read("!Command: show running-config\n" + more)
    assert (qos_of(found, "Ethernet1/5").admin, qos_of(found, "port-channel5").admin) == (False, True)


def test_a_port_that_says_nothing_does_not_ask_for_the_switchs_no_drop_classes(read: Read, base: str) -> None:
    model = read(base + "interface Ethernet1/5\n  no shutdown\n")
    port = qos_of(model, "Ethernet1/5")
    assert (port.qos.pfc.mode, port.qos.pfc.no_drop) == (PfcMode.AUTO, {3})
    assert not port.origins.said("pfc.no_drop.3")
    assert qos_of(model).origins.said("pfc.no_drop.3")


# --- classification


def test_classes_by_cos(read: Read, base: str) -> None:
    text = base.replace("match dscp 26", "match cos 3").replace("match dscp 48", "match cos 7")
    port = qos_of(read(text))
    c = port.qos.classify
    assert (c.tagged_ip, c.untagged_ip, c.non_ip) == (HeaderField.PCP, HeaderField.PORT, HeaderField.PCP)
    assert path(port.qos, dscp=26).tc == 0
    assert path(port.qos, dscp=26, pcp=3, tagged=True).protected is True
    assert path(port.qos, pcp=3, tagged=True).tc == 3  # any frame with the tag, IP or not


def test_classes_by_cos_and_by_dscp_in_one_policy(read: Read, base: str) -> None:
    """Each class looks at its own field, and the first that fits decides."""
    port = qos_of(read(base.replace("match dscp 26", "match cos 3")))
    assert isinstance(port.qos.classify.tagged_ip, Unknown)
    assert port.qos.classify.untagged_ip is HeaderField.DSCP
    for dscp, pcp, tagged, tc, field in (
        (48, None, False, 7, HeaderField.DSCP),
        (26, None, False, 0, None),
        (48, 3, True, 3, HeaderField.PCP),
        (48, 5, True, 7, HeaderField.DSCP),
        (0, 5, True, 0, None),
    ):
        found = path(port.qos, dscp=dscp, pcp=pcp, tagged=tagged)
        assert (found.tc, found.field if field else None) == (tc, field), (dscp, pcp, tagged)


def test_any_of_two_fields_and_all_of_two(read: Read, base: str) -> None:
    any_of = qos_of(read(base.replace("  match dscp 26\n", "  match dscp 26\n  match cos 3\n")))
    assert path(any_of.qos, dscp=26).tc == path(any_of.qos, dscp=0, pcp=3, tagged=True).tc == 3
    both = base.replace("match-any CM-ROCE\n  match dscp 26\n", "match-all CM-ROCE\n  match dscp 26\n  match cos 3\n")
    assert isinstance(path(qos_of(read(both)).qos, dscp=26).tc, Unknown)


@pytest.mark.parametrize(
    ("match", "values"),
    [
        ("match dscp 24,26", {24, 26}),
        ("match dscp 24-31", set(range(24, 32))),
        ("match dscp af31, cs4 ef", {26, 32, 46}),
        ("match dscp cs3, af31-af33", None),
        ("match ip dscp 26", {26}),
        ("match precedence 3", set(range(24, 32))),
        ("match precedence flash", set(range(24, 32))),
        ("match dscp 64", None),
        ("match dscp 26-24", None),
    ],
)
def test_lists_of_values(read: Read, base: str, match: str, values: set[int] | None) -> None:
    model = read(base.replace("match dscp 26", match))
    if values is None:
        assert [r.kind for r in model.remarks] == [RemarkKind.INVALID]
        assert isinstance(path(qos_of(model).qos, dscp=26).tc, Unknown)
    else:
        assert {v for v in range(64) if path(qos_of(model).qos, dscp=v).tc == 3} == values


def test_all_of_two_lists_that_share_nothing_can_never_match(read: Read, base: str) -> None:
    model = read(base.replace("match-any CM-ROCE\n  match dscp 26\n", "match-all CM-ROCE\n  match dscp 26\n  match dscp 24\n"))
    assert [(r.kind, r.message) for r in model.remarks] == [
        (RemarkKind.INVALID, "no packet can match all of these lines, so the class is empty")
    ]
    assert path(qos_of(model).qos, dscp=26).tc == 0


def test_the_first_class_wins_and_class_default_ends_the_policy(read: Read, base: str) -> None:
    overlap = base.replace("match dscp 48", "match dscp 26,48")
    assert path(qos_of(read(overlap)).qos, dscp=26).tc == 3
    early = base.replace("  class CM-ROCE\n    set", "  class class-default\n    set qos-group 1\n  class CM-ROCE\n    set")
    found = qos_of(read(early)).qos
    assert {path(found, dscp=v).tc for v in (0, 26, 48)} == {1}


def test_an_access_list_is_not_followed(read: Read, base: str) -> None:
    model = read(base.replace("match dscp 26", "match access-group name ROCE-ACL"))
    found = path(qos_of(model).qos, dscp=26)
    assert isinstance(found.tc, Unknown)
    assert any(m.kind is MatchKind.OPAQUE for m in qos_of(model).qos.classify.matches)
    assert [(r.kind, r.resolves) for r in model.references if r.name == "ROCE-ACL"] == [("access-list", False)]


def test_a_policy_for_the_whole_switch_and_one_of_the_port(read: Read, base: str) -> None:
    text = without(base, "  service-policy type qos input PM-IN").replace(
        "system qos\n",
        "policy-map type qos OTHER\n  class CM-ROCE\n    set qos-group 5\nsystem qos\n  service-policy type qos input PM-IN\n",
    )
    assert path(qos_of(read(text)).qos, dscp=26).tc == 3
    own = text + "interface Ethernet1/1\n  service-policy type qos input OTHER\n"
    assert path(qos_of(read(own)).qos, dscp=26).tc == 5


def test_an_undefined_policy_decides_nothing_that_could_be_known(read: Read, base: str) -> None:
    model = read(base.replace("qos input PM-IN", "qos input GONE"))
    assert isinstance(path(qos_of(model).qos, dscp=26).tc, Unknown)
    (gone,) = [r for r in model.references if r.name == "GONE"]
    assert (gone.resolves, gone.ports, gone.fills) == (False, ("Ethernet1/1", "Ethernet1/49"), ("classify",))


# --- no-drop classes and buffers


def test_pfc_cos_may_differ_from_the_group(read: Read, base: str) -> None:
    pfc = qos_of(read(base.replace("pause pfc-cos 3", "pause pfc-cos 4"))).qos.pfc
    assert (pfc.no_drop, dict(pfc.send), dict(pfc.obey)) == ({4}, {3: {4}}, {4: {3}})


@pytest.mark.parametrize("line", ["pause no-drop pfc-cos 3", "pause pfc-cos 3"])
def test_spellings_of_pause(read: Read, base: str, line: str) -> None:
    assert qos_of(read(base.replace("pause pfc-cos 3", line))).qos.pfc == qos_of(read(base)).qos.pfc


def test_pause_receive_only_obeys(read: Read, base: str) -> None:
    pfc = qos_of(read(base.replace("pause pfc-cos 3", "pause pfc-cos 3 receive"))).qos.pfc
    assert (dict(pfc.send), dict(pfc.obey)) == ({}, {3: {3}})


def test_no_pause_is_no_pause(read: Read, base: str) -> None:
    assert qos_of(read(base.replace("pause pfc-cos 3", "no pause pfc-cos 0"))).qos.pfc.no_drop == frozenset()


def test_no_drop_without_a_priority_is_not_known(read: Read, base: str) -> None:
    assert isinstance(qos_of(read(base.replace("pause pfc-cos 3", "pause no-drop"))).qos.pfc.mode, Unknown)


def test_classes_that_people_named(read: Read, base: str) -> None:
    """N3K and N5K: a class-map of type network-qos gives a group a name; on a system-defined name nothing has to be defined."""
    named = base.replace("c-8q-nq3", "RDMA").replace(
        "policy-map type network-qos", "class-map type network-qos RDMA\n  match qos-group 3\npolicy-map type network-qos"
    )
    assert qos_of(read(named)).qos.pfc == qos_of(read(base)).qos.pfc
    lost = read(base.replace("c-8q-nq3", "RDMA"))
    assert [(r.kind, r.resolves) for r in lost.references if r.name == "RDMA"] == [("class-map type network-qos", False)]
    assert isinstance(qos_of(lost).qos.pfc.mode, Unknown)


SIZES = "147456 pause-threshold 114688 resume-threshold 107688"
INPUT = f"policy-map type queuing QIN\n  class type queuing c-in-q3\n    pause buffer-size {SIZES}\n"


def test_pause_buffers_of_the_switch_and_of_a_port(read: Read, base: str) -> None:
    """Sizes as ZB configured them: headroom is what lies between the pause threshold and the end of the buffer."""
    everywhere = base.replace("system qos\n", INPUT + "system qos\n  service-policy type queuing input QIN\n")
    group = qos_of(read(everywhere)).qos.groups[3]
    assert isinstance(group.headroom, Quantity)
    assert isinstance(group.threshold, Static)
    assert [str(x) for x in (group.headroom, group.threshold.limit, group.xon)] == [
        "32768 bytes",
        "114688 bytes",
        "107688 bytes",
    ]
    assert (group.headroom_by_device, group.headroom_for_m) == (False, None)
    one = (
        base.replace("system qos\n", INPUT + "system qos\n")
        + "interface Ethernet1/1\n  service-policy type queuing input QIN\n"
    )
    model = read(one)
    assert isinstance(qos_of(model).qos.groups[3].headroom, Quantity)
    assert qos_of(model, "Ethernet1/49").qos.groups[3].headroom_by_device is True


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ("100000 pause-threshold 100000 resume-threshold 50000", "not in falling order"),
        ("100000 pause-threshold 50000 resume-threshold 60000", "not in falling order"),
        ("many pause-threshold 50000 resume-threshold 40000", "is no number of bytes"),
    ],
)
def test_pause_buffers_that_cannot_be(read: Read, base: str, sizes: str, said: str) -> None:
    text = base.replace("system qos\n", INPUT.replace(SIZES, sizes) + "system qos\n")
    (remark,) = read(text).remarks
    assert remark.kind is RemarkKind.INVALID
    assert said in remark.message


def test_equal_pause_and_resume_thresholds_are_read_as_they_are(read: Read, base: str) -> None:
    """SASP: 27456 / 12480 / 12480 was configured on a 93180YC-EX; that it flaps is a rule's matter."""
    sizes = "27456 pause-threshold 12480 resume-threshold 12480"
    text = base.replace("system qos\n", INPUT.replace(SIZES, sizes)
                        + "system qos\n  service-policy type queuing input QIN\n")  # fmt: skip
    group = qos_of(read(text)).qos.groups[3]
    assert [str(x) for x in (group.headroom, group.xon)] == ["14976 bytes", "12480 bytes"]


# --- queues


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("queue-limit 100000 bytes", "100000 bytes"),
        ("queue-limit 100 kbytes", "100 kbytes"),
        ("queue-limit percent 50", "50 % of pool"),
    ],
)
def test_queue_limits(read: Read, base: str, line: str, value: str) -> None:
    limit = (
        qos_of(read(base.replace("remaining percent 60", f"remaining percent 60\n    {line}")))
        .qos.queues[QueueId(QueueKind.UNICAST, 3)]
        .limit
    )
    assert isinstance(limit, Static)
    assert str(limit.limit) == value


def test_an_index_of_alpha_is_no_alpha(read: Read, base: str) -> None:
    """Three tables in Cisco's reference, and no word on which ASIC has which."""
    queue = qos_of(read(base.replace("remaining percent 60", "remaining percent 60\n    queue-limit dynamic 9"))).qos.queues[
        QueueId(QueueKind.UNICAST, 3)
    ]
    assert isinstance(queue.limit, Unknown)


def test_wred_without_ecn_drops(read: Read, base: str) -> None:
    curve = qos_of(read(base.replace("weight 0 ecn", "weight 0"))).qos.queues[QueueId(QueueKind.UNICAST, 3)].curves["green"]  # type: ignore[index]
    assert (curve.marks, curve.drops) == (False, True)


def test_percent_and_remaining_percent_are_two_things(read: Read, base: str) -> None:
    queue = qos_of(read(base.replace("bandwidth remaining percent 60", "bandwidth percent 60"))).qos.queues[
        QueueId(QueueKind.UNICAST, 3)
    ]
    assert isinstance(queue.scheduler, Scheduler)
    assert (queue.scheduler.share, str(queue.scheduler.guarantee)) == (None, "60 %")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  priority-flow-control watch-dog-interval on", "  priority-flow-control watch-dog-interval 100", "100 is no value"),
        ("\npriority-flow-control watch-dog-interval on", "\npriority-flow-control watch-dog-interval 200", "200 is no value"),
        ("mode on", "mode always", "always is no value"),
        ("set qos-group 3", "set qos-group 8", "qos-group 8 does not exist"),
        ("pause pfc-cos 3", "pause pfc-cos 9", "pfc-cos 9 does not exist"),
        ("    mtu 9216", "    mtu 9217", "mtu 9217 is no value"),
        ("  mtu 9216\n  prio", "  mtu 92160\n  prio", "mtu 92160 is no value"),
        ("priority level 1", "priority level 9", "priority level 9 does not exist"),
        ("remaining percent 60", "remaining percent 101", "101 is no share"),
        ("150 kbytes", "150 parsecs", "150 parsecs is no value"),
        ("drop-probability 7", "drop-probability 700", "drop-probability 700 is no value"),
    ],
)
def test_values_that_nx_os_cannot_mean(read: Read, base: str, old: str, new: str, message: str) -> None:
    assert old in base
    found = [r for r in read(base.replace(old, new)).remarks if r.kind is RemarkKind.INVALID]
    assert any(message in r.message for r in found), [r.message for r in found]
    assert all(r.expected for r in found)


@pytest.mark.parametrize(
    "line",
    [
        "feature qos",
        "hardware qos ecn threshold 20 80",
        "hardware qos nodrop-queue-thresholds queue-green 1000",
        "hardware qos pfc-watchdog on",
        "congestion-control ecn",
        "priority-flow-control priority 3 no-drop",
    ],
)
def test_invented_lines_light_up(read: Read, base: str, line: str) -> None:
    model = read(base + line + "\n")
    assert [(r.kind, r.shape != "") for r in model.remarks] == [(RemarkKind.UNCLAIMED, True)]
    assert model.ports == read(base).ports


@pytest.mark.parametrize(
    "line",
    [
        "hardware qos pfc mc-drop",
        "hardware qos dynamic-buffer-sharing",
        "platform qos ing-pg-share",
        "lldp tlv-select dcbxp egress-queuing",
        "priority-flow-control watch-dog shutdown-multiplier 1",
    ],
)
def test_known_lines_that_the_model_does_not_hold(read: Read, base: str, line: str) -> None:
    assert read(base + line + "\n").remarks == ()


def test_the_global_override_is_not_confirmed(read: Read, base: str) -> None:
    assert isinstance(read(base + "priority-flow-control override-interface mode off\n").pfc_off, Unknown)


# --- names and bundles


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ethernet1/1", ("Ethernet1/1",)),
        ("Ethernet 1/1-1/3", ("Ethernet1/1", "Ethernet1/2", "Ethernet1/3")),
        ("Ethernet1/51-54", ("Ethernet1/51", "Ethernet1/52", "Ethernet1/53", "Ethernet1/54")),
        ("Eth1/1/1-2,Eth1/2/1-2", ("Ethernet1/1/1", "Ethernet1/1/2", "Ethernet1/2/1", "Ethernet1/2/2")),
        ("e1/1,3", ("e1/1", "e1/3")),
        ("port-channel 10", ("port-channel10",)),
        ("Port-channel10", ("port-channel10",)),
        ("po10", ("port-channel10",)),
        ("vlan6", ("Vlan6",)),
        ("mgmt0", ("mgmt0",)),
        ("nve1", ("nve1",)),
        ("Ethernet1/1.100", ("Ethernet1/1.100",)),
        ("breakout module 1", ("breakout module 1",)),
        ("Ethernet1/1-999999", ("Ethernet1/1-999999",)),
        ("", ("",)),
    ],
)
def test_names(text: str, expected: tuple[str, ...]) -> None:
    assert names.expand(text) == expected


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("93180YC-FX3", "N9K-C93180YC-FX3"), ("C9336C-FX2", "N9K-C9336C-FX2"), ("93180yc-fx3", "N9K-C93180YC-FX3"),
        ("N9K-C9364C", "N9K-C9364C"), ("N3K-C3064PQ", "N3K-C3064PQ"),
    ],
)  # fmt: skip
def test_models(text: str, model: str) -> None:
    assert names.model_name(text) == model


def test_bundles_peer_links_and_breakouts(read: Read, base: str) -> None:
    model = read(
        base
        + "interface port-channel10\n  vpc peer-link\n  switchport\ninterface Ethernet1/50\n  channel-group 10 mode active\n"
        "interface Ethernet1/3/1\n  no shutdown\ninterface Ethernet101/1/1\n  no shutdown\ninterface Vlan5\n  mtu 9216\n"
        "interface breakout module 1 port 3 map 10g-4x\n"
    )
    assert {n: p.kind for n, p in model.ports.items() if n not in ("Ethernet1/1", "Ethernet1/49")} == {
        "port-channel10": PortKind.PEER_LINK, "Ethernet1/50": PortKind.MEMBER, "Ethernet1/3/1": PortKind.BREAKOUT,
        "Ethernet101/1/1": PortKind.FRONT, "Vlan5": PortKind.SVI,
    }  # fmt: skip
    assert dict(model.bundles)["port-channel10"].members == ("Ethernet1/50",)
    assert model.ports["Ethernet1/50"].routed is False  # the bundle's mode
    assert model.ports["Ethernet1/3/1"].breakout_parent == "Ethernet1/3"
    assert dict(model.ports["Vlan5"].qos.queues) == {}


def test_a_cable_in_a_description(read: Read, base: str) -> None:
    port = qos_of(read(base.replace("spine-1", "dci cable=800m")), "Ethernet1/49")
    assert (port.cable_m, port.own.said("cable_m")) == (800, True)
    for text in ("cable 800 m away", "fiber800m", "cablelength=800m"):
        assert qos_of(read(base.replace("spine-1", text)), "Ethernet1/49").cable_m is None


def test_tunnels_and_routing(read: Read, base: str) -> None:
    model = read(
        base + "interface nve1\n  source-interface loopback1\n  member vni 10711\n    suppress-arp\nrouter bgp 65001\n"
        "  neighbor 192.0.2.1 remote-as 65002\n    description x\n  neighbor 192.0.2.3\n    remote-as 65003\n"
        "  vrf A\n    neighbor 192.0.2.5\n      remote-as 65004\n"
    )
    assert [t.name for t in model.tunnels] == ["nve1"]
    assert "nve1" not in model.ports
    assert model.routing.asn == 65001
    assert dict(model.routing.peers) == {"192.0.2.1": 65002, "192.0.2.3": 65003, "192.0.2.5": 65004}
