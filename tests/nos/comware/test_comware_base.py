"""The base configuration gives the model that its lines mean, with the line of each value; each default is Comware's own."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from xoff.model.origin import BodyLine, Default, Evidence, Line
from xoff.model.path import path
from xoff.model.qos import (
    Alpha,
    Colour,
    HeaderField,
    PfcMode,
    QueueId,
    QueueKind,
    Scheduler,
    SchedulerKind,
    Static,
    WatchdogAction,
)
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.switch import Port, PortKind, RemarkKind, SwitchModel
from xoff.nos.comware import names, words
from xoff.nos.facts import Facts, Given

Read = Callable[..., SwitchModel]
Q5 = QueueId(QueueKind.UNICAST, 5)
FIRST = "HundredGigE1/0/1"
BOTH = ("priority-flow-control enable", "priority-flow-control no-drop dot1p 5")


@pytest.fixture(scope="module")
def model(read: Read, base: str) -> SwitchModel:
    return read(base)


@pytest.fixture(scope="module")
def port(model: SwitchModel) -> Port:
    return model.ports["HundredGigE1/0/49"]


def cells(n: int) -> Quantity:
    return Quantity(Fraction(n), Unit.CELLS)


def without(base: str, *lines: str) -> str:
    for line in lines:
        assert f"{line}\n" in base
        base = base.replace(f"{line}\n", "")
    return base


def system(base: str, *lines: str) -> str:
    """The base with more lines in system view."""
    return base.replace("#\nqos map-table dscp-lp", "#\n" + "".join(f"{x}\n" for x in lines) + "#\nqos map-table dscp-lp")


def test_device(model: SwitchModel) -> None:
    assert (model.hostname, model.nos, model.release) == ("LEAF-1", "comware", "7.1.070, Release 6710")
    assert list(model.ports) == [FIRST, "HundredGigE1/0/49"]
    assert model.remarks == ()
    assert model.other_lines == 1  # `return`
    (pool,) = model.pools
    assert (pool.name, pool.size) == ("headroom-0", cells(80000))
    assert [(r.name, r.resolves, r.ports) for r in model.references] == [("ROCE", True, tuple(model.ports))]
    assert isinstance(model.asic, Unknown)


def test_port(port: Port) -> None:
    assert (port.kind, port.speed, port.mtu, port.routed, port.description) == (PortKind.FRONT, 100_000, 9216, True, "spine-1")
    assert port.addresses == ("10.0.49.1/31",)


def test_a_packet_of_the_class_goes_where_it_should(port: Port) -> None:
    roce = path(port.qos, dscp=26)
    assert (roce.tc, roce.queue, roce.group, roce.protected, roce.marks) == (5, 5, 5, True, True)
    assert roce.pause_sent_as == roce.obeys == frozenset({5})
    assert (path(port.qos, dscp=48).tc, path(port.qos, dscp=46).tc) == (6, 5)


def test_the_default_map_of_priorities_to_queues_is_not_the_identity(port: Port, read: Read, base: str) -> None:
    """Best effort is in queue 2, 802.1p 1 in queue 0 and 2 in queue 1; 3 to 7 stay what they are."""
    assert [path(port.qos, dscp=8 * n).queue for n in range(8)] == [2, 0, 1, 3, 4, 5, 6, 7]
    origin = port.origins["tc_to_queue"]
    assert isinstance(origin, Default)
    assert origin.evidence is Evidence.READ
    said = read(system(base, "qos map-table dot1p-lp", " import 0 export 0"))
    assert path(said.ports[FIRST].qos, dscp=0).queue == 0
    assert isinstance(said.ports[FIRST].origins["tc_to_queue.0"], Line)


def test_pfc_and_group(port: Port) -> None:
    pfc = port.qos.pfc
    assert (pfc.mode, pfc.no_drop) == (PfcMode.ON, frozenset({5}))
    assert dict(pfc.send) == dict(pfc.obey) == {5: {5}}
    group = port.qos.groups[5]
    assert (group.lossless, group.headroom, group.reserved, group.xon_offset) == (True, cells(491), cells(17), cells(12))
    assert group.threshold == Alpha(Quantity(Fraction(1, 16), Unit.ALPHA))


def test_queue(port: Port) -> None:
    queue = port.qos.queues[Q5]
    assert set(queue.curves) == set(Colour)
    for curve in queue.curves.values():
        assert (curve.kmin, curve.kmax, str(curve.pmax), curve.weight) == (cells(1000), cells(2000), "20 %", 0)
        assert (curve.marks, curve.drops) == (True, False)
    kinds = {q.id: v.scheduler.kind for q, v in port.qos.queues.items() if isinstance(v.scheduler, Scheduler)}
    assert kinds == dict.fromkeys(range(6), SchedulerKind.WRR) | {6: SchedulerKind.STRICT, 7: SchedulerKind.STRICT}
    assert isinstance(queue.scheduler, Scheduler)
    assert str(queue.scheduler.share) == "60 weight"


def test_watchdog(port: Port) -> None:
    w = port.qos.watchdog
    assert (w.enabled, w.priorities, w.action, w.latch) == (True, frozenset({5}), WatchdogAction.FORWARD, False)
    assert isinstance(w.detect, Unknown)
    assert "interval 10" in w.detect.reason


def test_every_value_has_its_line(port: Port, base: str) -> None:
    rows = base.split("\n")
    for field, line in {
        "classify.trust": " qos trust dscp",
        "classify.dscp.26": " import 26 export 5",
        "pfc.mode": " priority-flow-control enable",
        "pfc.no_drop.5": " priority-flow-control no-drop dot1p 5",
        "group.5.headroom": " priority-flow-control dot1p 5 headroom 491",
        "group.5.threshold": " priority-flow-control dot1p 5 ingress-buffer dynamic 5",
        "group.5.xon_offset": " priority-flow-control dot1p 5 ingress-threshold-offset 12",
        "queue.unicast.5.kmin": " queue 5 drop-level 0 low-limit 1000 high-limit 2000 discard-probability 20",
        "queue.unicast.5.marks": " queue 5 ecn",
        "queue.unicast.5.weight": " queue 5 weighting-constant 0",
        "queue.unicast.5.share": " qos wrr 5 group 1 byte-count 60",
        "watchdog.enabled": " priority-flow-control deadlock enable",
        "watchdog.priorities": "priority-flow-control deadlock cos 5 interval 10",
    }.items():
        place = port.place(port.origins[field])
        assert place is not None
        assert rows[place.line - 1] == line, field
    assert rows[port.at.line - 1] == "interface HundredGigE1/0/49"  # type: ignore[union-attr]
    assert rows[port.place(port.own["mtu"]).line - 1] == " mtu 9216"  # type: ignore[union-attr]


def test_causes_hold_no_identity(model: SwitchModel) -> None:
    for port in model.ports.values():
        for origin in [*port.origins.values(), *port.own.values()]:
            if isinstance(origin, (Line, BodyLine)):
                shown = " ".join((*origin.path, origin.text))
                assert not any(name in shown for name in ("HundredGigE", "server-1", "spine-1", "10.0.", "ROCE low")), shown


# --- what leaving a line out means is Comware's own default


def test_without_trust_the_port_priority_counts(read: Read, base: str) -> None:
    silent = read(without(base, " qos trust dscp")).ports[FIRST]
    assert silent.qos.classify.untagged_ip is HeaderField.PORT
    assert (path(silent.qos, dscp=26).tc, path(silent.qos, dscp=26).queue) == (0, 2)
    origin = silent.origins["classify.trust"]
    assert isinstance(origin, Default)
    assert origin.evidence is Evidence.SECONDARY
    known = read(without(base, " qos trust dscp"), facts=Facts([Given("", "test", {"model": "S12508X-AF"})]))
    origin = known.ports[FIRST].origins["classify.trust"]
    assert isinstance(origin, Default)
    assert origin.evidence is Evidence.READ  # the text of its own series says so


def test_without_enable_pfc_is_off_and_without_no_drop_it_protects_nothing(read: Read, base: str) -> None:
    off = read(without(base, " priority-flow-control enable")).ports[FIRST]
    assert (off.qos.pfc.mode, off.qos.pfc.no_drop, path(off.qos, dscp=26).protected) == (PfcMode.OFF, frozenset({5}), False)
    assert isinstance(off.origins["pfc.mode"], Default)
    none = read(without(base, " priority-flow-control no-drop dot1p 5")).ports[FIRST]
    assert (none.qos.pfc.mode, none.qos.pfc.no_drop, path(none.qos, dscp=26).protected) == (PfcMode.ON, frozenset(), False)


def test_without_headroom_the_chip_decides(read: Read, base: str) -> None:
    group = read(without(base, " priority-flow-control dot1p 5 headroom 491")).ports[FIRST].qos.groups[5]
    assert (group.lossless, group.headroom_by_device) == (True, True)
    assert isinstance(group.headroom, Unknown)


@pytest.mark.parametrize("line", [" priority-flow-control deadlock enable", "priority-flow-control deadlock cos 5 interval 10"])
def test_deadlock_detection_needs_both_views(read: Read, base: str, line: str) -> None:
    assert read(without(base, line)).ports[FIRST].qos.watchdog.enabled is False


def test_without_a_delay_it_is_not_known_how_it_ends(read: Read, base: str) -> None:
    port = read(without(base, "priority-flow-control deadlock auto-recover cos 5 delay 10")).ports[FIRST]
    assert isinstance(port.qos.watchdog.latch, Unknown)


@pytest.mark.parametrize(
    ("where", "line", "latch"),
    [
        (" qos trust dscp\n", " priority-flow-control deadlock recover-mode manual\n", True),
        ("#\nqos map-table dscp-lp", "priority-flow-control deadlock threshold cos 5 period 60 count 3 error-down\n", True),
        ("#\nqos map-table dscp-lp", "priority-flow-control deadlock threshold cos 6 period 60 count 3 error-down\n", False),
    ],
)
def test_what_makes_it_latch(read: Read, base: str, where: str, line: str, latch: bool) -> None:
    assert read(base.replace(where, line + where)).ports[FIRST].qos.watchdog.latch is latch


def test_without_ecn_the_table_drops_and_without_a_table_nothing_marks(read: Read, base: str) -> None:
    curve = read(without(base, " queue 5 ecn")).ports[FIRST].qos.queues[Q5].curves[Colour.GREEN]
    assert (curve.marks, curve.drops) == (False, True)
    assert not read(without(base, " qos wred apply ROCE")).ports[FIRST].qos.queues[Q5].curves
    weight = read(without(base, " queue 5 weighting-constant 0")).ports[FIRST]
    assert weight.qos.queues[Q5].curves[Colour.GREEN].weight == 9
    assert isinstance(weight.origins["queue.unicast.5.weight"], Default)


def test_the_default_table_drops_in_every_queue(read: Read, base: str) -> None:
    queues = read(base.replace("qos wred apply ROCE", "qos wred apply")).ports[FIRST].qos.queues
    curve = queues[Q5].curves[Colour.GREEN]
    assert (curve.marks, curve.drops) == (False, True)
    assert isinstance(curve.kmin, Unknown)


def test_a_routed_port_without_mtu_has_1500(read: Read, base: str) -> None:
    port = read(without(base, " mtu 9216")).ports[FIRST]
    assert port.mtu == 1500
    assert isinstance(port.own["mtu"], Default)
    switched = read(without(base, " mtu 9216").replace("link-mode route", "link-mode bridge\n jumboframe enable 9416"))
    assert (switched.ports[FIRST].routed, switched.ports[FIRST].mtu) == (False, 9416)


def test_without_scheduling_lines_the_model_decides(read: Read, base: str) -> None:
    lines = [x for x in base.split("\n") if " qos wrr " not in f"{x} "]
    assert isinstance(read("\n".join(lines)).ports[FIRST].qos.queues[Q5].scheduler, Unknown)


# --- statements that relate


def test_two_tables_that_disagree_decide_nothing(read: Read, base: str) -> None:
    """DSCP 26 by dscp-lp in queue 5, by dscp-dot1p and dot1p-lp in queue 3."""
    text = base.replace("qos map-table dscp-dot1p\n import 26 export 5\n", "qos map-table dscp-dot1p\n")
    roce = path(read(text).ports[FIRST].qos, dscp=26)
    assert isinstance(roce.tc, Unknown)
    assert "dscp-lp" in roce.tc.reason
    assert path(read(text).ports[FIRST].qos, dscp=48).tc == 6


def test_system_view_holds_where_the_interface_is_silent(read: Read, base: str) -> None:
    text = without(base, " priority-flow-control enable", " priority-flow-control no-drop dot1p 5").replace(
        "#\nqos map-table dscp-lp",
        "priority-flow-control enable\npriority-flow-control no-drop dot1p 5\n#\nqos map-table dscp-lp",
    )
    port = read(text).ports[FIRST]
    assert (port.qos.pfc.mode, port.qos.pfc.no_drop) == (PfcMode.ON, frozenset({5}))
    assert isinstance(port.origins["pfc.no_drop.5"], Line)


@pytest.mark.parametrize(
    "line", ["priority-flow-control auto", "undo priority-flow-control", "priority-flow-control no-drop dot1p 4"]
)
def test_where_both_views_differ_the_later_command_is_not_seen(read: Read, base: str, line: str) -> None:
    text = system(base, *BOTH)
    assert read(text).ports[FIRST].qos.pfc.mode is PfcMode.ON  # both say the same
    mode = read(text.replace(" qos trust dscp", f" {line}\n qos trust dscp")).ports[FIRST].qos.pfc.mode
    assert isinstance(mode, Unknown)
    assert "later" in mode.reason


def test_a_table_and_lines_of_the_interface_together_are_unknown(read: Read, base: str) -> None:
    port = read(base.replace(" qos trust dscp", " qos trust dscp\n qos wred queue 5 ecn")).ports[FIRST]
    assert isinstance(port.qos.queues[Q5].curves[Colour.GREEN].marks, Unknown)


def test_a_list_with_blanks_is_no_list(read: Read, base: str) -> None:
    model = read(base.replace("no-drop dot1p 5", "no-drop dot1p 0 1 2 3"))
    assert [(r.kind, r.ports) for r in model.remarks] == [(RemarkKind.INVALID, tuple(model.ports))]
    assert model.ports[FIRST].qos.pfc.no_drop == frozenset()
    assert read(base.replace("no-drop dot1p 5", "no-drop dot1p 1,3-5")).ports[FIRST].qos.pfc.no_drop == {1, 3, 4, 5}


def test_buffer_lines_wait_for_apply(read: Read, base: str) -> None:
    lines = "buffer egress cell queue 5 shared ratio 60\n"
    text = base.replace("#\nqos map-table dscp-lp", f"{lines}#\nqos map-table dscp-lp")
    idle = read(text)
    assert idle.ports[FIRST].qos.queues[Q5].limit is None
    assert [(d.kind, d.applied) for d in idle.definitions if d.kind == "buffer"] == [("buffer", False)]
    applied = read(text.replace(lines, f"{lines}buffer apply\n"))
    assert applied.ports[FIRST].qos.queues[Q5].limit == Static(Quantity(Fraction(60), Unit.PERCENT_OF_POOL))
    assert read(text.replace(lines, f"{lines}buffer apply\nburst-mode enable\n")).ports[FIRST].qos.queues[Q5].limit is None


@pytest.mark.parametrize(
    ("behavior", "dscp", "known"),
    [("remark dot1p 5", 26, False), ("remark dot1p 5", 27, True), ("accounting packet", 26, True), ("frobnicate", 26, False)],
)
def test_a_policy_on_the_way_in_that_remarks_leaves_its_packets_unknown(
    read: Read, base: str, behavior: str, dscp: int, known: bool
) -> None:
    text = system(
        base,
        "traffic classifier C operator or",
        " if-match dscp 26",
        "traffic behavior B",
        f" {behavior}",
        "qos policy P",
        " classifier C behavior B",
    )
    inbound = read(text.replace(" qos trust dscp", " qos trust dscp\n qos apply policy P inbound")).ports[FIRST]
    assert isinstance(path(inbound.qos, dscp=dscp).tc, int) is known
    outbound = read(text.replace(" qos trust dscp", " qos trust dscp\n qos apply policy P outbound")).ports[FIRST]
    assert path(outbound.qos, dscp=26).tc == 5


def test_undo_takes_a_statement_back(read: Read, base: str) -> None:
    text = base.replace(
        " qos trust dscp", " qos trust dscp\n undo qos trust\n undo priority-flow-control dot1p 5 headroom\n undo shutdown"
    )
    port = read(text).ports[FIRST]
    assert port.qos.classify.untagged_ip is HeaderField.PORT
    assert port.qos.groups[5].headroom_by_device is True
    assert port.admin is True
    assert read(text).remarks == ()


def test_a_later_mode_forgets_the_shares_of_the_one_before(read: Read, base: str) -> None:
    port = read(base.replace(" qos wred apply", " qos wfq weight\n qos wfq af3 group 1 weight 4\n qos wred apply")).ports[FIRST]
    shares = {
        q.id: (v.scheduler.kind, v.scheduler.share) for q, v in port.qos.queues.items() if isinstance(v.scheduler, Scheduler)
    }
    assert shares[5] == (SchedulerKind.DWRR, None)
    assert shares[3] == (SchedulerKind.DWRR, Quantity(Fraction(4), Unit.WEIGHT))


def test_link_pause(read: Read, base: str) -> None:
    pfc = read(base.replace(" qos trust dscp", " flow-control receive enable\n qos trust dscp")).ports[FIRST].qos.pfc
    assert (pfc.link_pause_rx, pfc.link_pause_tx) == (True, None)


def test_bundles_and_stack(read: Read, base: str) -> None:
    text = base.replace(" qos trust dscp", " port link-aggregation group 7\n qos trust dscp").replace(
        "#\nreturn", "#\ninterface Route-Aggregation7\n#\nirf-port 1/1\n port group interface FortyGigE1/0/53\n#\nreturn"
    )
    model = read(text)
    assert dict(model.bundles)["Route-Aggregation7"].members == (FIRST, "HundredGigE1/0/49")
    assert model.ports[FIRST].kind is PortKind.MEMBER
    stacked = model.ports["FortyGigE1/0/53"]
    assert (stacked.kind, stacked.speed) == (PortKind.PEER_LINK, 40_000)


# --- forms of a file


def test_file_forms_that_mean_the_same(read: Read, base: str, model: SwitchModel) -> None:
    lines = base.split("\n")
    no_blank = "\n".join(x.lstrip() if x.startswith((" sysname", " version")) else x for x in lines)
    indented = "\n".join(f" {x}" if x.startswith(("priority-flow-control",)) else x for x in lines)
    banner = base.replace(
        "#\nqos map-table dscp-lp", "#\n header motd %\ninterface HundredGigE1/0/1\n shutdown\n%\n#\nqos map-table dscp-lp"
    )
    spelled = base.replace("poolID", "poolid").replace("interface HundredGigE1/0/1\n", "interface HGE1/0/1\n")
    for text in (base.replace("\n", "\r\n"), no_blank, indented, banner, spelled):
        assert read(text) == model


@pytest.mark.parametrize(
    ("text", "full", "kind", "speed"),
    [
        ("hge 1/0/1", "HundredGigE1/0/1", PortKind.FRONT, 100_000),
        ("TwoHundredGigE1/0/1:1", "TwoHundredGigE1/0/1:1", PortKind.BREAKOUT, 200_000),
        ("WGE1/0/1", "Twenty-FiveGigE1/0/1", PortKind.FRONT, 25_000),
        ("400GE1/0/33", "FourHundredGigE1/0/33", PortKind.FRONT, 400_000),
        ("ten-gigabitethernet1/0/1", "Ten-GigabitEthernet1/0/1", PortKind.FRONT, 10_000),
        ("Bridge-Aggregation1", "Bridge-Aggregation1", PortKind.BUNDLE, None),
        ("Vlan-interface10", "Vlan-interface10", PortKind.SVI, None),
        ("HundredGigE1/0/1.100", "HundredGigE1/0/1.100", PortKind.SUBINTERFACE, 100_000),
        ("gigbitethernet1/0/1", "gigbitethernet1/0/1", PortKind.INTERNAL, None),
        ("M-GigabitEthernet0/0/0", "M-GigabitEthernet0/0/0", PortKind.MANAGEMENT, None),
    ],
)
def test_names(text: str, full: str, kind: PortKind, speed: int | None) -> None:
    assert (names.full(text), names.kind_of(full), names.speed_of(full)) == (full, kind, speed)


@pytest.mark.parametrize(
    ("percent", "alpha"),
    [("0", "1/128"), ("1", "1/64"), ("3", "1/32"), ("5", "1/16"), ("6", "1/8"), ("11", "1/8"), ("12", "1/4"), ("33", "1/2"),
     ("50", "1"), ("66", "2"), ("80", "4"), ("81", "8"), ("100", "8")],
)  # fmt: skip
def test_alphas(percent: str, alpha: str) -> None:
    found = words.alpha(percent)
    assert found == Quantity(Fraction(alpha), Unit.ALPHA)
    least = words.ratio(found)
    assert least is not None
    assert words.alpha(str(least)) == found
    assert words.alpha("101") is None


@pytest.mark.parametrize(
    ("model", "asic"),
    [("S6850", "h3cs6850"), ("S6850-56HF", "h3cs6850"), ("S9820-64H", "h3cs982064h"), ("S9820-8C", None), ("S12508X-AF", None)],
)
def test_the_chip_by_model_or_series(read: Read, base: str, model: str, asic: str | None) -> None:
    found = read(base, facts=Facts([Given("", "test", {"model": model})])).asic
    assert found == asic if asic else isinstance(found, Unknown)
