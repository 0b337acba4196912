"""What single lines mean, and what holds where they are not there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from xoff.model.origin import Default, Evidence
from xoff.model.path import path
from xoff.model.qos import Colour, HeaderField, PfcMode, QueueId, QueueKind, Scheduler, SchedulerKind, Static, WatchdogAction
from xoff.model.quantity import Unit, Unknown, quantity
from xoff.model.switch import PortKind, RemarkKind, SwitchModel

Read = Callable[..., SwitchModel]
HOST, UP = "25GE1/0/1", "100GE1/0/49"


def queue(model: SwitchModel, n: int = 3, port: str = HOST) -> object:
    return model.ports[port].qos.queues[QueueId(QueueKind.UNICAST, n)]


def without(text: str, *lines: str) -> str:
    for line in lines:
        assert f"{line}\n" in text, line
    return "\n".join(row for row in text.split("\n") if row.strip() not in {x.strip() for x in lines})


def said(base: str, line: str, instead: str) -> str:
    assert line in base
    return base.replace(line, instead)


# --- leaving a line out


def test_no_trust_on_a_switched_port_reads_the_tag(base: str, read: Read) -> None:
    qos = read(without(base, " trust dscp")).ports[HOST].qos
    assert (qos.classify.tagged_ip, qos.classify.untagged_ip) == (HeaderField.PCP, HeaderField.PORT)
    assert path(qos, dscp=26).tc == 0
    assert path(qos, dscp=26, pcp=3, tagged=True).tc == 3


def test_a_routed_port_trusts_dscp_whatever_a_trust_line_says(base: str, read: Read) -> None:
    model = read(said(base, " mtu 9000\n", " mtu 9000\n trust 8021p outer\n"))
    assert model.ports[UP].qos.classify.untagged_ip is HeaderField.DSCP


def test_the_port_priority_stands_for_a_tag(base: str, read: Read) -> None:
    qos = read(said(base, " trust dscp\n", " port priority 3\n")).ports[HOST].qos
    assert path(qos, dscp=26).tc == 3


def test_no_domain_is_the_default_domain(base: str, read: Read) -> None:
    qos = read(without(base, " trust upstream roce")).ports[HOST].qos
    assert [path(qos, dscp=v).tc for v in (0, 8, 26, 34, 46, 48, 63)] == [0, 1, 3, 4, 5, 6, 7]
    assert isinstance(read(without(base, " trust upstream roce")).ports[HOST].origins.of("classify.dscp.26"), Default)


def test_no_domain_at_all_is_the_port_priority(base: str, read: Read) -> None:
    qos = read(said(base, "trust upstream roce", "trust upstream none")).ports[HOST].qos
    assert (qos.classify.tagged_ip, path(qos, dscp=26).tc) == (HeaderField.PORT, 0)


def test_a_domain_that_is_nowhere(base: str, read: Read) -> None:
    model = read(said(base, "diffserv domain roce", "diffserv domain roc"))
    assert isinstance(path(model.ports[HOST].qos, dscp=26).tc, Unknown)
    assert [r.name for r in model.references if r.resolves is False] == ["roce"]


def test_no_pfc_line_is_no_pfc(base: str, read: Read) -> None:
    model = read(without(base, " dcb pfc enable mode manual"))
    qos = model.ports[HOST].qos
    assert (qos.pfc.mode, qos.pfc.no_drop, qos.watchdog.enabled) == (PfcMode.OFF, frozenset(), False)
    origin = model.ports[HOST].origins["pfc.mode"]
    assert isinstance(origin, Default)
    assert origin.evidence is Evidence.READ


def test_without_mode_pfc_is_manual(base: str, read: Read) -> None:
    assert read(said(base, "dcb pfc enable mode manual", "dcb pfc enable")).ports[HOST].qos.pfc.mode is PfcMode.ON
    assert read(said(base, "dcb pfc enable mode manual", "dcb pfc enable mode auto")).ports[HOST].qos.pfc.mode is PfcMode.AUTO
    assert read(base + "undo dcb pfc global disable\n").pfc_off is False
    assert read(base + "dcb pfc global disable\n").pfc_off is True


def test_the_default_profile_begins_with_priority_3(base: str, read: Read) -> None:
    bare = read(without(base, " priority 3"))
    assert bare.ports[HOST].qos.pfc.no_drop == frozenset({3})
    assert isinstance(bare.ports[HOST].origins["pfc.no_drop.3"], Default)
    more = read(said(base, " priority 3\n", " priority 4\n"))
    assert more.ports[HOST].qos.pfc.no_drop == frozenset({3, 4})
    kept = more.ports[HOST].origins["pfc.no_drop.3"]
    assert isinstance(kept, Default)
    assert kept.evidence is Evidence.SECONDARY
    gone = read(said(base, " priority 3\n", " priority 4\n undo priority 3\n"))
    assert gone.ports[HOST].qos.pfc.no_drop == frozenset({4})


def test_priorities_add_up(base: str, read: Read) -> None:
    assert read(said(base, " priority 3\n", " priority 3 4\n priority 5\n")).ports[HOST].qos.pfc.no_drop == {3, 4, 5}


def test_a_named_profile_holds_its_own(base: str, read: Read) -> None:
    text = said(
        said(base, "dcb pfc\n priority 3\n", "dcb pfc server\n priority 4\n"),
        "dcb pfc enable mode",
        "dcb pfc enable server mode",
    )
    model = read(text)
    assert model.ports[HOST].qos.pfc.no_drop == frozenset({4})
    assert ("PFC profile", "server", True) in {(d.kind, d.name, d.lossless) for d in model.definitions}
    lost = read(said(base, "dcb pfc enable mode", "dcb pfc enable servr mode"))
    assert isinstance(lost.ports[HOST].qos.pfc.mode, Unknown)


def test_no_mapping_line_counts_by_the_tag_on_family_a(base: str, read: Read) -> None:
    model = read(without(base, "dcb pfc dscp-mapping enable slot 1"))
    assert model.ports[HOST].qos.pfc.counts_by is HeaderField.PCP
    other = read(said(base, "dscp-mapping enable slot 1", "dscp-mapping enable slot 2"))
    assert other.ports[HOST].qos.pfc.counts_by is HeaderField.PCP


def test_no_pool_is_no_headroom_on_family_a(base: str, read: Read) -> None:
    group = read(without(base, "qos buffer headroom-pool size 4 mbytes slot 1")).ports[HOST].qos.groups[3]
    assert (group.headroom, group.headroom_by_device) == (None, False)


def test_headroom_that_is_not_said_is_not_known(base: str, read: Read) -> None:
    group = read(without(base, " dcb pfc buffer 3 hdrm 100 kbytes")).ports[HOST].qos.groups[3]
    assert isinstance(group.headroom, Unknown)
    assert group.headroom_by_device


def test_xon_offset_has_a_default_beside_xoff_alone(base: str, read: Read) -> None:
    group = read(said(base, " xon offset 20 kbytes", "")).ports[HOST].qos.groups[3]
    assert group.xon_offset == quantity(6, Unit.KBYTES)
    bare = read(without(base, " dcb pfc buffer 3 xoff static 600 kbytes xon offset 20 kbytes")).ports[HOST].qos.groups[3]
    assert (bare.threshold, bare.xon_offset) == (None, None)
    assert isinstance(bare.xon, Unknown)


def test_all_queues_are_strict_by_default(base: str, read: Read) -> None:
    model = read(without(base, " qos pq 6 to 7", " qos drr 0 to 5"))
    assert {q.scheduler for q in model.ports[HOST].qos.queues.values()} == {Scheduler(SchedulerKind.STRICT)}


def test_without_the_ecn_line_nothing_marks(base: str, read: Read) -> None:
    assert queue(read(without(base, " qos queue 3 ecn"))).curves == {}  # type: ignore[attr-defined]
    dropping = said(without(base, " qos queue 3 ecn"), "ecn buffer-size", "color green buffer-size")
    curve = queue(read(dropping)).curves[Colour.GREEN]  # type: ignore[attr-defined]
    assert (curve.marks, curve.drops) == (False, True)


def test_colours_alone_mark_on_v200_only(base: str, read: Read) -> None:
    text = said(base, "ecn buffer-size", "color green buffer-size")
    assert isinstance(queue(read(text)).curves[Colour.GREEN].marks, Unknown)  # type: ignore[attr-defined]
    assert queue(read(text, model="CE6865-48S8CQ-EI")).curves[Colour.GREEN].marks is True  # type: ignore[attr-defined]


@pytest.mark.parametrize(("form", "unit"), [("low-limit", Unit.PERCENT_OF_LIMIT), ("buffer-size cell low-limit", Unit.CELLS)])
def test_forms_of_thresholds(base: str, read: Read, form: str, unit: Unit) -> None:
    text = said(base, "ecn buffer-size low-limit 249600 high-limit 499200", f"ecn {form} 30 high-limit 50")
    curve = queue(read(text)).curves[Colour.GREEN]  # type: ignore[attr-defined]
    assert (curve.kmin, curve.kmax) == (quantity(30, unit), quantity(50, unit))


def test_deadlock_defaults_latch(base: str, read: Read) -> None:
    text = without(
        base, " priority 3 deadlock-detect time 10 deadlock-recovery time 20", " priority 3 turn-off threshold 300",
        "dcb pfc deadlock-detect interval 10", "dcb pfc deadlock recovery-behavior discard slot 1",
    )  # fmt: skip
    watchdog = read(text).ports[HOST].qos.watchdog
    assert (watchdog.detect, watchdog.restore) == (quantity(100, Unit.MILLISECONDS),) * 2
    # 100 deadlocks of 200 ms fit into 20 s, and PFC goes off for good after 30.
    assert (watchdog.action, watchdog.latch) == (WatchdogAction.FORWARD, True)


def test_precision_times_count(base: str, read: Read) -> None:
    watchdog = read(said(base, "deadlock-detect interval 10", "deadlock-detect interval 100")).ports[HOST].qos.watchdog
    assert (watchdog.detect, watchdog.restore) == (quantity(1000, Unit.MILLISECONDS), quantity(2000, Unit.MILLISECONDS))
    down = read(said(base, " dcb pfc enable mode manual", " dcb pfc enable mode manual\n port pfc-deadlock trigger error-down"))
    assert down.ports[HOST].qos.watchdog.latch is True


def test_ai_ecn_sets_thresholds_by_itself(base: str, read: Read) -> None:
    text = base.replace("return\n", "ai-service\n #\n ai-ecn\n  ai-ecn enable\n  assign queue 3\n#\nreturn\n")
    curve = queue(read(text)).curves[Colour.GREEN]  # type: ignore[attr-defined]
    assert curve.marks is True
    assert isinstance(curve.kmin, Unknown)
    off = queue(read(text.replace("  ai-ecn enable\n", ""))).curves[Colour.GREEN]  # type: ignore[attr-defined]
    assert off.kmin == quantity(249_600, Unit.BYTES)


ETS = "dcb ets-profile e\n priority-group 0 queue 0 to 2 4 to 7\n priority-group 1 drr weight 80\n#\n"


def test_ets_groups(base: str, read: Read) -> None:
    text = without(base, " qos pq 6 to 7", " qos drr 0 to 5").replace("interface 25GE", ETS + "interface 25GE", 1)
    text = text.replace(" dcb pfc enable", " dcb ets enable e\n dcb pfc enable", 1)
    model = read(text)
    three, zero, seven = (queue(model, n).scheduler for n in (3, 0, 7))  # type: ignore[attr-defined]
    assert (three.kind, three.share, three.name) == (SchedulerKind.DWRR, quantity(80, Unit.WEIGHT), "priority-group 1")
    assert (zero.kind, zero.share, seven.name) == (SchedulerKind.DWRR, None, "priority-group 0")
    both = read(base.replace(" dcb pfc enable", " dcb ets enable\n dcb pfc enable", 1))
    assert isinstance(queue(both).scheduler, Unknown)  # type: ignore[attr-defined]
    default = read(text.replace("dcb ets enable e", "dcb ets enable"))
    assert queue(default, 7).scheduler.kind is SchedulerKind.STRICT  # type: ignore[attr-defined]


def test_policies(base: str, read: Read) -> None:
    marking = "traffic behavior b\n remark dscp 10\n#\ntraffic policy p\n classifier c behavior b\n#\n"
    text = base.replace(" trust dscp", " trust dscp\n traffic-policy p inbound")
    assert isinstance(path(read(text).ports[HOST].qos, dscp=26).tc, Unknown)
    assert isinstance(path(read(marking + text).ports[HOST].qos, dscp=26).tc, Unknown)
    assert path(read(marking.replace("remark dscp 10", "car cir 10") + text).ports[HOST].qos, dscp=26).tc == 3
    assert path(read(text.replace("inbound", "outbound")).ports[HOST].qos, dscp=26).tc == 3


def test_rewriting(base: str, read: Read) -> None:
    assert dict(read(base).ports[HOST].qos.rewrite_dscp) == {}
    text = base.replace(" trust dscp", " trust dscp\n qos phb marking dscp enable")
    assert read(text).ports[HOST].qos.rewrite_dscp[3] == 26
    own = text.replace(" ip-dscp-inbound 48", " ip-dscp-outbound af3 green map 24\n ip-dscp-inbound 48")
    assert read(own).ports[HOST].qos.rewrite_dscp[3] == 24


def test_undo(base: str, read: Read) -> None:
    model = read(base.replace(" dcb pfc buffer 3 hdrm 100 kbytes", " undo dcb pfc enable\n undo qos queue 3 ecn\n undo trust"))
    qos = model.ports[HOST].qos
    assert model.remarks == ()
    assert (qos.pfc.mode, qos.classify.tagged_ip) == (PfcMode.OFF, HeaderField.PCP)
    assert queue(model).curves == {}  # type: ignore[attr-defined]


def test_bundles(base: str, read: Read) -> None:
    text = base.replace(
        "interface 25GE1/0/1\n", "interface Eth-Trunk1\n undo portswitch\n#\ninterface 25GE1/0/1\n eth-trunk 1\n"
    )
    model = read(text)
    assert model.bundles["Eth-Trunk1"].members == (HOST,)
    assert (model.ports[HOST].kind, model.ports[HOST].bundle, model.ports[HOST].routed) == (PortKind.MEMBER, "Eth-Trunk1", True)


# --- families

FAMILY_B = """\
sysname leaf
dcb pfc
 priority 3
dcb pfc deadlock-detect timer 200
drop-profile p
 ecn buffer-size low-limit 128000 high-limit 256000 discard-percentage 20
interface 100GE1/0/1
 trust dscp
 qos queue 3 wred p
 qos queue 3 ecn
 dcb pfc enable
 dcb pfc buffer 3 xon static 100 kbytes xoff static 125 kbytes
"""


def test_family_b_needs_the_global_switch(read: Read) -> None:
    model = read(FAMILY_B)
    assert model.asic == "huaweib"
    assert queue(model, port="100GE1/0/1").curves[Colour.GREEN].marks is False  # type: ignore[attr-defined]
    on = read(FAMILY_B + "qos ecn enable\n")
    assert queue(on, port="100GE1/0/1").curves[Colour.GREEN].marks is True  # type: ignore[attr-defined]


def test_family_b_buffers_and_times(read: Read) -> None:
    qos = read(FAMILY_B).ports["100GE1/0/1"].qos
    group = qos.groups[3]
    assert (group.threshold, group.xon) == (Static(quantity(125, Unit.KBYTES)), quantity(100, Unit.KBYTES))
    assert isinstance(group.headroom, Unknown)
    assert "simulates" in group.headroom.reason
    assert (qos.watchdog.detect, qos.watchdog.restore) == (quantity(200, Unit.MILLISECONDS), quantity(100, Unit.MILLISECONDS))
    assert (qos.watchdog.action, qos.watchdog.latch) == (WatchdogAction.DROP, True)
    assert isinstance(qos.pfc.counts_by, Unknown)


def test_cells_are_v200(base: str, read: Read) -> None:
    text = FAMILY_B.replace("xon static 100 kbytes xoff static 125 kbytes", "xoff static 1500 cells")
    model = read(text)
    assert model.asic == "huaweic"
    assert model.ports["100GE1/0/1"].qos.groups[3].threshold == Static(quantity(1500, Unit.CELLS))
    assert isinstance(model.ports["100GE1/0/1"].qos.watchdog.detect, Unknown)


def test_undetermined_is_unknown(read: Read) -> None:
    text = "".join(r for r in FAMILY_B.splitlines(True) if "xon static" not in r and "timer" not in r)
    model = read(text)
    qos = model.ports["100GE1/0/1"].qos
    assert isinstance(model.asic, Unknown)
    for value in (queue(model, port="100GE1/0/1").curves[Colour.GREEN].marks, qos.groups[3].headroom,  # type: ignore[attr-defined]
                  qos.pfc.counts_by, qos.watchdog.detect, qos.watchdog.action, qos.watchdog.latch):  # fmt: skip
        assert isinstance(value, Unknown)
    assert qos.pfc.no_drop == frozenset({3})


def test_lines_of_two_families_settle_nothing(read: Read) -> None:
    model = read(FAMILY_B + " dcb pfc buffer 3 hdrm 100 kbytes\n")
    assert isinstance(model.asic, Unknown)
    headroom = model.ports["100GE1/0/1"].qos.pfc.counts_by
    assert isinstance(headroom, Unknown)
    assert "different families" in headroom.reason


def test_lines_narrow_the_choice_together(base: str, read: Read) -> None:
    """Counts of deadlock times are of A or V200, the precision of A alone."""
    text = "\n".join(r for r in base.split("\n") if "buffer 3" not in r and "dscp-mapping" not in r)
    assert read(text).asic == "huaweia"
    assert isinstance(read(text.replace("dcb pfc deadlock-detect interval 10\n", "")).asic, Unknown)


@pytest.mark.parametrize(
    ("model", "asic"),
    [("CE6885", "huaweia"), ("CE8851-32CQ8DQ-P", "huaweib"), ("CE8851-32CQ4BQ", "huaweia"), ("CE6865", "huaweic"),
     ("CE6866-48S8CQ-P", None)],
)  # fmt: skip
def test_the_model_decides(base: str, read: Read, model: str, asic: str | None) -> None:
    found = read("sysname x\ninterface 100GE1/0/1\n dcb pfc enable\n", model=model)
    assert found.asic == asic or asic is None
    assert not isinstance(found.ports["100GE1/0/1"].qos.groups[3].headroom, str)


def test_lines_of_another_family_are_invalid(base: str, read: Read) -> None:
    model = read(base, model="CE6866")
    wrong = {r.origin.text for r in model.remarks if r.kind is RemarkKind.INVALID}
    assert {"dcb pfc dscp-mapping enable slot #", "dcb pfc buffer # hdrm # kbytes"} <= wrong
    assert model.asic == "huaweib"
    assert read(base, model="CE6885").remarks == ()


def test_board_line_and_header(read: Read) -> None:
    text = "!Software Version V200R002C50SPC800\n#\nsysname x\n#\ndevice board 1 board-type CE8850-32CQ-EI\n#\ndcb pfc\n#\n"
    model = read(text)
    assert (model.platform, model.release) == ("CE8850-32CQ-EI", "V200R002C50SPC800")


# --- values that VRP cannot mean


@pytest.mark.parametrize(
    ("line", "instead", "message"),
    [
        (" dcb pfc buffer 3 hdrm 100 kbytes", " dcb pfc buffer 3 hdrm 12 kbytes", "headroom 12 kbytes"),
        (" dcb pfc buffer 3 hdrm 100 kbytes", " dcb pfc buffer 8 hdrm 100 kbytes", "queue 8"),
        (" qos queue 3 drr weight 50", " qos queue 3 drr weight 0", "weight 0"),
        (" qos pq 6 to 7", " qos pq 7 to 6", "queues 7 to 6"),
        (" ip-dscp-inbound 26 phb af3 green", " ip-dscp-inbound 64 phb af3 green", "64"),
        (" ip-dscp-inbound 26 phb af3 green", " ip-dscp-inbound 26 phb af5 green", "service class af5"),
        (" priority 3 turn-off threshold 300", " priority 3 turn-off threshold 301", "threshold 301"),
        ("deadlock-detect time 10 ", "deadlock-detect time 16 ", "16"),
        ("deadlock-detect interval 10", "deadlock-detect interval 20", "precision 20"),
        ("size 4 mbytes", "size 31 mbytes", "headroom pool of 31"),
        ("discard-percentage 20", "discard-percentage 101", "discard-percentage 101"),
        (" priority 3\n", " priority 8\n", "priorities 8"),
    ],
)
def test_invalid_values(base: str, read: Read, line: str, instead: str, message: str) -> None:
    assert line in base
    remarks = [r for r in read(base.replace(line, instead, 1)).remarks if r.kind is RemarkKind.INVALID]
    assert remarks
    assert any(message in r.message for r in remarks)
    assert all(r.expected for r in remarks)


def test_residue(base: str, read: Read) -> None:
    for line, instead in ((" qos queue 3 drr weight 50", " qos queue 3 drr weight {{ w }}"),
                          (" qos queue 3 drr weight 50", " qos queue 3 drr weight None"),
                          (" qos queue 3 drr weight 50", " qos queue 3 drr weight")):  # fmt: skip
        kinds = {r.kind for r in read(base.replace(line, instead, 1)).remarks}
        assert kinds == {RemarkKind.RESIDUE}, instead
