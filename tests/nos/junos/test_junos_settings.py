"""Statements one by one: what each means, what its absence means by Junos's own default, and near misses."""

from __future__ import annotations

import pytest

from tests.nos.junos.conftest import BASE, parse, swapped, without
from xoff.model.path import path
from xoff.model.qos import (
    Alpha,
    Colour,
    HeaderField,
    MatchKind,
    PfcMode,
    PortQos,
    QueueId,
    QueueKind,
    Scheduler,
    SchedulerKind,
    WatchdogAction,
)
from xoff.model.quantity import Unknown
from xoff.model.switch import PortKind, RemarkKind, SwitchModel
from xoff.nos.junos.family import NOT_KNOWN, of_lines, of_model

Q4 = QueueId(QueueKind.UNICAST, 4)


def qos(text: str, port: str = "et-0/0/0", **given: str) -> PortQos:
    return parse(text, **given).ports[port].qos


def invalid(model: SwitchModel) -> list[str]:
    return [r.message for r in model.remarks if r.kind is RemarkKind.INVALID]


# --- defaults: what a missing line means ----------------------------------------


def test_without_a_profile_nothing_is_sent_and_queues_3_and_4_stop() -> None:
    q = qos(without("class-of-service interfaces et-0/0/0 congestion"))
    assert (q.pfc.mode, q.pfc.no_drop, dict(q.pfc.send)) == (PfcMode.ON, frozenset(), {})
    assert dict(q.pfc.obey) == {3: {3}, 4: {4}}
    assert not parse(without("class-of-service interfaces et-0/0/0 congestion")).ports["et-0/0/0"].origins.said("pfc.mode")


def test_without_an_output_stanza_the_default_stops_the_wrong_queue() -> None:
    """RoCE waits in queue 4 and pauses as 3; unasked, priority 3 stops queue 3."""
    q = qos(without("class-of-service congestion-notification-profile PFC output"))
    assert (dict(q.pfc.send), dict(q.pfc.obey)) == ({3: {3}}, {3: {3}, 4: {4}})
    assert path(q, dscp=26).obeys == {4}


def test_an_explicit_output_replaces_the_default() -> None:
    assert dict(qos(BASE).pfc.obey) == {3: {4}}


def test_without_input_no_pause_is_sent() -> None:
    q = qos(without("class-of-service congestion-notification-profile PFC input"))
    assert (q.pfc.mode, dict(q.pfc.send), q.pfc.no_drop, dict(q.pfc.obey)) == (PfcMode.ON, {}, frozenset(), {3: {4}})


def test_without_a_watchdog_none_runs() -> None:
    w = qos(without("class-of-service congestion-notification-profile PFC pfc-watchdog")).watchdog
    assert (w.available, w.enabled) == (True, False)


def test_without_a_classifier_a_routed_port_reads_the_switchs_own_dscp_map() -> None:
    model = parse(without("class-of-service interfaces et-0/0/0 unit"))
    found = path(model.ports["et-0/0/0"].qos, dscp=26)
    assert (found.field, found.queue, found.protected) == (HeaderField.DSCP, 0, False)
    assert path(model.ports["et-0/0/0"].qos, dscp=48).queue == 7
    assert not model.ports["et-0/0/0"].origins.said("classify.dscp.26")


def test_without_a_classifier_a_trunk_reads_802_1p_with_two_lossless_classes() -> None:
    cos = [f"class-of-service {x}" for x in ("forwarding-classes", "classifiers", "scheduler", "congestion", "interfaces")]
    text = without("interfaces et-0/0/0 unit", *cos)
    text += "set interfaces et-0/0/0 unit 0 family ethernet-switching interface-mode trunk\n"
    q = qos(text)
    assert q.classify.tagged_ip is HeaderField.PCP
    assert [path(q, dscp=0, pcp=n, tagged=True).queue for n in range(8)] == [0, 0, 0, 3, 4, 0, 7, 7]
    assert [q.queues[QueueId(QueueKind.UNICAST, n)].lossless for n in (0, 3, 4, 7)] == [False, True, True, False]


def test_an_access_port_without_a_classifier_puts_all_into_best_effort() -> None:
    text = without("class-of-service interfaces et-0/0/0 unit", "interfaces et-0/0/0 unit")
    q = qos(text + "set interfaces et-0/0/0 unit 0 family ethernet-switching\n")
    assert q.classify.tagged_ip is HeaderField.PORT
    assert path(q, dscp=26).queue == 0


def test_the_classes_fcoe_and_no_loss_need_no_definition() -> None:
    text = swapped("forwarding-class NO-LOSS loss-priority", "forwarding-class no-loss loss-priority")
    model = parse(text)
    assert path(model.ports["et-0/0/0"].qos, dscp=26).queue == 4
    assert [r.name for r in model.references if r.resolves is False] == []


def test_routers_have_other_classes_and_no_lossless_one() -> None:
    lines = "set class-of-service classifiers dscp C forwarding-class ef loss-priority low code-points ef\n" \
            "set class-of-service interfaces et-0/0/0 unit 0 classifiers dscp C\n" \
            "set interfaces et-0/0/0 unit 0 family inet\n"  # fmt: skip
    q = qos(lines, model="MX480")
    assert path(q, dscp=46).queue == 1
    assert (q.pfc.mode, dict(q.pfc.obey)) == (PfcMode.OFF, {})
    assert not any(x.lossless for x in q.queues.values())


def test_cable_and_mru_are_the_switchs_own_where_not_said() -> None:
    model = parse(without("class-of-service congestion-notification-profile PFC input cable"))
    assert model.ports["et-0/0/0"].cable_m is None
    assert model.lossless_mtu == 2500
    at_4 = swapped("pfc-priority 3", "pfc-priority 4").replace("code-point 011 flow", "code-point 100 flow")
    assert parse(at_4).lossless_mtu == 9216, "priority 4 alone has the large default"
    for line in ("code-point 011010 pfc mru 9000", "code-point 011010 mru 9000"):
        said = parse(BASE + f"set class-of-service congestion-notification-profile PFC input dscp {line}\n")
        assert said.lossless_mtu == 9000


def test_a_queue_without_an_entry_has_no_scheduler_and_marks_nothing() -> None:
    q = qos(without("class-of-service scheduler-maps MAP forwarding-class NO-LOSS"))
    assert q.queues[Q4].scheduler is None
    assert path(q, dscp=26).marks is False


def test_no_ecn_line_drops_instead_of_marking() -> None:
    curve = qos(without("class-of-service schedulers S-ROCE explicit")).queues[Q4].curves[Colour.GREEN]
    assert (curve.marks, curve.drops) == (False, True)


def test_dynamic_thresholds_by_default_and_as_said() -> None:
    assert qos(BASE).groups[3].threshold == _alpha("1")
    said = BASE + "set class-of-service shared-buffer ingress buffer-partition lossless dynamic-threshold 10\n"
    assert qos(said).groups[3].threshold == _alpha("8")
    said = BASE + "set class-of-service shared-buffer egress buffer-partition lossy dynamic-threshold 4\n"
    assert qos(said).queues[QueueId(QueueKind.UNICAST, 3)].limit == _alpha("1/8")
    own = BASE + "set class-of-service schedulers S-CNP buffer-dynamic-threshold 9\n"
    assert qos(own).queues[QueueId(QueueKind.UNICAST, 3)].limit == _alpha("4")


def _alpha(text: str) -> Alpha:
    from fractions import Fraction

    from xoff.model.quantity import Quantity, Unit

    return Alpha(Quantity(Fraction(text), Unit.ALPHA))


def test_a_threshold_of_its_own_does_not_hold_for_a_lossless_queue() -> None:
    limit = qos(BASE + "set class-of-service schedulers S-ROCE buffer-dynamic-threshold 9\n").queues[Q4].limit
    assert isinstance(limit, Unknown)


# --- classification ------------------------------------------------------------


def test_code_points_by_alias() -> None:
    assert path(qos(swapped("code-points 011010", "code-points af31")), dscp=26).queue == 4
    own = swapped("code-points 011010", "code-points mine") + "set class-of-service code-point-aliases dscp mine 011010\n"
    assert path(qos(own), dscp=26).queue == 4
    for wrong in ("nope", "0110102"):
        assert f"{wrong!r} is no code point here" in invalid(parse(swapped("code-points 011010", f"code-points {wrong}")))


def test_import_default_fills_the_rest() -> None:
    q = qos(BASE + "set class-of-service classifiers dscp ROCE import default\n")
    assert (path(q, dscp=26).queue, path(q, dscp=56).queue, path(q, dscp=0).queue) == (4, 7, 0)


def test_the_loss_priority_is_the_colour() -> None:
    q = qos(swapped("NO-LOSS loss-priority low", "NO-LOSS loss-priority high"))
    assert path(q, dscp=26).colour is Colour.RED


def test_classifier_on_the_interface_or_on_its_unit() -> None:
    on_port = swapped("interfaces et-0/0/0 unit 0 classifiers", "interfaces et-0/0/0 classifiers")
    assert path(qos(on_port), dscp=26).queue == 4
    twice = BASE + "set class-of-service interfaces et-0/0/0 classifiers dscp ROCE\n"
    assert path(qos(twice), dscp=26).queue == 4
    differs = BASE + "set class-of-service interfaces et-0/0/0 classifiers dscp default\n"
    assert isinstance(path(qos(differs), dscp=26).tc, Unknown)
    elsewhere = swapped("interfaces et-0/0/0 unit 0 classifiers", "interfaces et-0/0/0 unit 7 classifiers")
    assert path(qos(elsewhere), dscp=26).queue == 0, "the interface has no unit 7"


def test_a_fixed_class_and_a_filter_come_first() -> None:
    fixed = BASE + "set class-of-service interfaces et-0/0/0 unit 0 forwarding-class CNP\n"
    assert path(qos(fixed), dscp=26).queue == 3
    text = BASE + "set interfaces et-0/0/0 unit 0 family inet filter input MF\n"
    assert path(qos(text), dscp=26).queue == 4, "a filter that classifies nothing"
    text += "set firewall family inet filter MF term 1 then forwarding-class CNP\n"
    q = qos(text)
    assert q.classify.matches[0].kind is MatchKind.OPAQUE
    assert isinstance(path(q, dscp=26).tc, Unknown)


def test_an_undefined_classifier_is_a_reference_that_fails() -> None:
    model = parse(swapped("et-0/0/0 unit 0 classifiers dscp ROCE", "et-0/0/0 unit 0 classifiers dscp ROEC"))
    (found,) = [r for r in model.references if r.resolves is False]
    assert (found.kind, found.name, found.ports, found.origin.at.line) == ("classifier", "ROEC", ("et-0/0/0",), 28)


# --- wildcards ------------------------------------------------------------


def wild(text: str) -> str:
    return text.replace("class-of-service interfaces et-0/0/0 ", "class-of-service interfaces et-* ").replace(
        "class-of-service interfaces et-* unit 0", "class-of-service interfaces et-* unit *"
    )


def test_a_wildcard_means_all_that_it_matches() -> None:
    text = wild(without("class-of-service interfaces et-0/0/30")) + "set interfaces xe-0/0/1 unit 0 family inet\n"
    text += "set interfaces et-0/0/9:1 unit 0 family inet\n"
    model = parse(text)
    assert [n for n, p in model.ports.items() if p.qos.pfc.send] == ["et-0/0/0", "et-0/0/30", "et-0/0/9:1"]
    assert model.ports["et-0/0/9:1"].kind is PortKind.BREAKOUT


def test_beside_an_own_entry_a_wildcard_is_not_certain() -> None:
    text = wild(BASE).replace("set class-of-service interfaces et-0/0/30 congestion-notification-profile PFC\n", "")
    model = parse(text)
    assert model.ports["et-0/0/0"].qos.pfc.no_drop == {3}
    assert isinstance(model.ports["et-0/0/30"].qos.pfc.mode, Unknown), "it has an entry, and only the wildcard names a profile"


# --- PFC ------------------------------------------------------------


def test_what_is_classified_but_not_counted_is_another_class() -> None:
    """DSCP 24 shares the queue of DSCP 26, and the profile counts only 26: 24 fills a lossy group."""
    q = qos(BASE + "set class-of-service classifiers dscp ROCE forwarding-class NO-LOSS loss-priority low code-points 011000\n")
    counted, other = path(q, dscp=26), path(q, dscp=24)
    assert (counted.queue, other.queue) == (4, 4)
    assert (counted.protected, other.protected) == (True, False)
    assert counted.tc != other.tc


@pytest.mark.parametrize(
    ("old", "new", "lacks"),
    [
        (" no-loss pfc-priority 3", " pfc-priority 3", "NO-LOSS is not no-loss"),
        (" no-loss pfc-priority 3", " no-loss", "NO-LOSS has no pfc-priority"),
    ],
)
def test_a_class_that_cannot_pause_is_named(old: str, new: str, lacks: str) -> None:
    model = parse(swapped(old, new))
    (message,) = invalid(model)
    assert lacks in message
    assert (model.remarks[0].origin.at.line, model.remarks[0].ports) == (16, ("et-0/0/0", "et-0/0/30"))
    assert not any(p.qos.pfc.send for p in model.ports.values())


def test_pfc_by_802_1p_beside_a_dscp_classifier_counts_by_the_tag() -> None:
    text = swapped("input dscp code-point 011010 pfc", "input ieee-802.1 code-point 011 pfc")
    q = qos(text)
    assert (q.pfc.counts_by, dict(q.pfc.send), path(q, dscp=26).protected) == (HeaderField.PCP, {3: {3}}, False)
    tagged = qos(text + "set interfaces et-0/0/0 vlan-tagging\n")
    assert isinstance(tagged.pfc.counts_by, Unknown)


def test_both_kinds_in_one_profile_are_refused() -> None:
    more = "set class-of-service congestion-notification-profile PFC input ieee-802.1 code-point 011 pfc\n"
    assert any("one profile says PFC for DSCP and for 802.1p" in m for m in invalid(parse(BASE + more)))


def test_link_pause_is_read() -> None:
    q = qos(BASE + "set interfaces et-0/0/0 ether-options flow-control\n")
    assert (q.pfc.link_pause_rx, q.pfc.link_pause_tx) == (True, True)
    assert qos(BASE).pfc.link_pause_rx is None


def test_watchdog_times() -> None:
    text = BASE + "".join(
        f"set class-of-service congestion-notification-profile PFC pfc-watchdog {x}\n"
        for x in ("poll-interval 50", "detection 4", "recovery 900", "watchdog-action forward")
    )
    w = qos(text).watchdog
    assert (str(w.poll), str(w.detect), str(w.restore), w.action) == ("50 ms", "200 ms", "900 ms", WatchdogAction.FORWARD)


# --- queues ------------------------------------------------------------


def test_unequal_points_are_no_ramp() -> None:
    model = parse(without("class-of-service drop-profiles ECN interpolate drop-probability 100"))
    assert invalid(model) == ["2 fill levels and 1 probabilities"]
    assert isinstance(model.ports["et-0/0/0"].qos.queues[Q4].curves[Colour.GREEN].kmin, Unknown)


def test_several_slopes_keep_the_ends_only() -> None:
    text = BASE + "".join(f"set class-of-service drop-profiles ECN interpolate {x}\n" for x in ("fill-level 95",))
    text = text.replace("drop-probability 100\n", "drop-probability 10\nset class-of-service drop-profiles ECN interpolate "
                        "drop-probability 100\n")  # fmt: skip
    curve = qos(text).queues[Q4].curves[Colour.GREEN]
    assert (str(curve.kmin), str(curve.kmax)) == ("55 % of limit", "95 % of limit")
    assert isinstance(curve.pmax, Unknown)


def test_steps_begin_where_the_probability_does() -> None:
    text = (
        without("class-of-service drop-profiles") + "set class-of-service drop-profiles ECN fill-level 30 drop-probability 0\n"
    )
    text += "set class-of-service drop-profiles ECN fill-level 60 drop-probability 40\n"
    curve = qos(text).queues[Q4].curves[Colour.GREEN]
    assert (str(curve.kmin), str(curve.kmax), str(curve.pmax)) == ("60 % of limit", "60 % of limit", "40 %")


def test_a_ramp_that_begins_above_zero_has_no_known_beginning() -> None:
    curve = qos(swapped("drop-probability 0\n", "drop-probability 5\n")).queues[Q4].curves[Colour.GREEN]
    assert isinstance(curve.kmin, Unknown)


def test_a_profile_for_tcp_does_nothing_for_roce() -> None:
    assert qos(swapped("protocol any", "protocol tcp")).queues[Q4].curves == {}


@pytest.mark.parametrize(("word", "kind"), [("low", SchedulerKind.DWRR), ("strict-high", SchedulerKind.STRICT)])
def test_priorities(word: str, kind: SchedulerKind) -> None:
    s = qos(swapped("S-CNP priority strict-high", f"S-CNP priority {word}")).queues[QueueId(QueueKind.UNICAST, 3)].scheduler
    assert isinstance(s, Scheduler)
    assert s.kind is kind


# --- buffers and families ------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("ingress buffer-partition lossy percent 10", "ingress buffer-partition lossy percent 5", "ingress lossless"),
        (
            "egress buffer-partition lossy percent 10",
            "egress buffer-partition lossy percent 20",
            "egress lossy (as at ingress)",
        ),
    ],
)
def test_sums_of_partitions(old: str, new: str, what: str) -> None:
    assert any(m.startswith(what) for m in invalid(parse(swapped(old, new), model="QFX5240-64OD")))
    assert invalid(parse(BASE, model="QFX5240-64OD")) == []


def test_another_family_has_another_sum() -> None:
    assert any("multicast" in m for m in invalid(parse(BASE, model="QFX5120")))
    classic = swapped("egress buffer-partition lossy percent 10", "egress buffer-partition lossy percent 14")
    classic += "set class-of-service shared-buffer egress buffer-partition multicast percent 20\n"
    assert invalid(parse(classic, model="QFX5120")) == []
    assert invalid(parse(classic)) == [], "the multicast partition tells the family"


def test_no_headroom_share_is_no_headroom() -> None:
    text = swapped("lossless-headroom percent 24", "lossless-headroom percent 0").replace(
        "ingress buffer-partition lossy percent 10", "ingress buffer-partition lossy percent 34"
    )
    group = qos(text).groups[3]
    assert (str(group.headroom), group.headroom_by_device) == ("0 bytes", False)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("QFX5240-64OD", ("qfx", "uniform")), ("qfx5120-48y", ("qfx", "classic")), ("QFX10002-60C", ("qfx10000", None)),
        ("PTX10001-36MR", ("ptx", None)), ("MX480", ("router", None)), ("EX9214", (None, None)), ("QFX5999", ("qfx", None)),
    ],
)  # fmt: skip
def test_families_by_model(model: str, expected: tuple[str | None, str | None]) -> None:
    found = of_model(model)
    assert (found.name, found.buffers) == expected


def test_families_by_lines() -> None:
    inn, out = {"lossless": 66, "lossless-headroom": 24, "lossy": 10}, {"lossless": 66, "lossy": 10}
    assert of_lines(inn, out, True, False, True, None).buffers == "uniform"
    assert of_lines(inn, {**out, "multicast": 24}, True, False, True, None).buffers == "classic"
    assert of_lines({}, {}, True, False, False, "23.4R2-EVO").buffers == "uniform"
    assert of_lines({}, {}, True, False, False, "21.4R3").buffers is None
    assert of_lines({}, {}, False, True, True, None).name == "ptx"
    assert of_lines({}, {}, False, False, False, None) == NOT_KNOWN


def test_where_the_family_is_not_known_its_defaults_are_not() -> None:
    text = "set class-of-service interfaces et-0/0/0 scheduler-map X\nset interfaces et-0/0/0 unit 0 family inet\n"
    q = qos(text)
    assert isinstance(q.classify.untagged_ip, Unknown)
    assert (q.pfc.mode, dict(q.pfc.obey)) == (PfcMode.OFF, {})


# --- interfaces ------------------------------------------------------------


def test_bundles_vrfs_ranges_and_subinterfaces() -> None:
    text = (
        BASE
        + """\
set interfaces et-0/0/5 ether-options 802.3ad ae0
set interfaces ae0 unit 0 family inet address 10.3.0.0/31
set interfaces et-0/0/6 unit 100 vlan-id 100
set interfaces et-0/0/6 unit 100 family inet address 10.4.0.0/31
set interfaces lo0 unit 0 family inet address 10.9.9.9/32
set interfaces irb unit 7 family inet address 10.7.0.1/24
set interfaces et-0/0/7 disable
set interfaces interface-range SPARE member-range et-0/0/40 to et-0/0/41
set interfaces interface-range SPARE mtu 4000
set routing-instances T instance-type vrf
set routing-instances T interface et-0/0/0.0
"""
    )
    ports = parse(text).ports
    assert (ports["et-0/0/5"].kind, ports["et-0/0/5"].bundle, ports["et-0/0/5"].routed) == (PortKind.MEMBER, "ae0", True)
    assert (ports["et-0/0/6.100"].kind, ports["et-0/0/6.100"].addresses) == (PortKind.SUBINTERFACE, ("10.4.0.0/31",))
    assert (ports["lo0"].kind, ports["irb.7"].kind, ports["et-0/0/7"].admin) == (PortKind.LOOPBACK, PortKind.SVI, False)
    assert (ports["et-0/0/41"].mtu, ports["et-0/0/0"].vrf) == (4000, "T")


def test_a_wildcard_under_interfaces_is_no_port() -> None:
    text = BASE + "set interfaces et-0/*/9 mtu 9000\nset interfaces all unit 0 family inet\n"
    assert parse(text).ports == parse(BASE).ports


def test_unknown_lines_are_reported_and_change_nothing() -> None:
    before = parse(BASE)
    for line in ("set class-of-service xyzzy 7", "set class-of-service interfaces et-0/0/0 xyzzy 7",
                 "set class-of-service forwarding-classes class NO-LOSS xyzzy", "class-of-service { xyzzy 7; }"):  # fmt: skip
        after = parse(BASE + line + "\n")
        assert after.ports == before.ports
        assert [r.kind for r in after.remarks] == [RemarkKind.UNCLAIMED]
        assert after.remarks[0].origin.at.line == BASE.count("\n") + 1
