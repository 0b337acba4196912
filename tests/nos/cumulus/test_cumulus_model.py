"""NVUE: values of the model, defaults by RoCE mode, and leaving a line out."""

from __future__ import annotations

import pytest

from tests.nos.cumulus.conftest import COMMANDS, DOCUMENT, Read
from xoff.model.origin import Default
from xoff.model.path import path
from xoff.model.qos import HeaderField, MatchKind, NotEct, PfcMode, QueueId, QueueKind, Scheduler, SchedulerKind, Static
from xoff.model.quantity import Unit as U
from xoff.model.quantity import Unknown, quantity
from xoff.model.switch import Form, PortKind, RemarkKind, SwitchModel

PORT = "nv set interface swp1 link state up\n"


def tc(model: SwitchModel, port: str = "swp1", **packet: int) -> object:
    return path(model.ports[port].qos, **packet).tc


def queue(model: SwitchModel, n: int, port: str = "swp1") -> object:
    return model.ports[port].qos.queues[QueueId(QueueKind.UNICAST, n)]


def ramps(model: SwitchModel) -> dict[int, str]:
    return {
        q.id.id: f"{c.kmin} {c.kmax} {c.pmax} {c.marks} {c.drops}"
        for q in model.ports["swp1"].qos.queues.values()
        for c in q.curves.values()
    }


def schedule(model: SwitchModel) -> dict[int, str]:
    out = {}
    for q in model.ports["swp1"].qos.queues.values():
        s = q.scheduler
        assert isinstance(s, Scheduler)
        out[q.id.id] = "strict" if s.kind is SchedulerKind.STRICT else str(s.share)
    return out


def test_commands_and_document_give_one_model(read: Read) -> None:
    commands, document = read(COMMANDS), read(DOCUMENT)
    assert commands == document
    assert [(r.kind, r.shape) for r in (*commands.remarks, *document.remarks)] == []


def test_the_small_leaf(read: Read) -> None:
    model = read(COMMANDS)
    assert (model.hostname, model.platform, model.release, model.asic) == ("leaf1", "MSN4700", "5.12.0", "spectrum3")
    assert (model.form, sorted(model.ports)) == (Form.RUNNING, ["swp1", "swp2", "swp3", "swp4", "swp49", "swp50"])
    leaf, uplink = model.ports["swp1"], model.ports["swp49"]
    assert (leaf.mtu, uplink.mtu) == (9216, 9216)
    assert isinstance(uplink.own["mtu"], Default)
    assert (leaf.cable_m, uplink.cable_m) == (None, 40)
    assert (leaf.qos.groups[3].headroom_for_m, uplink.qos.groups[3].headroom_for_m) == (100, None)
    assert uplink.place(uplink.own["cable_m"]).line == 5  # type: ignore[union-attr]
    assert leaf.qos.watchdog.enabled is True
    assert str(leaf.qos.watchdog.detect) == "300 ms"
    assert (leaf.place(leaf.origins["watchdog.enabled"]).line, uplink.place(uplink.origins["watchdog.enabled"]).line) == (8, 10)  # type: ignore[union-attr]
    assert {r.name: (r.resolves, r.ports) for r in model.references} == {"uplink": (True, ("swp49", "swp50"))}


@pytest.mark.parametrize("text", ["nv set qos roce\n", "nv set qos roce mode lossless\n", "nv set qos roce state enabled\n"])
def test_roce_lossless_by_default(read: Read, text: str) -> None:
    """G514, G518: what `qos roce` sets without any further line."""
    model = read(PORT + text)
    qos = model.ports["swp1"].qos
    assert (qos.classify.tagged_ip, qos.classify.non_ip) == (HeaderField.DSCP, HeaderField.PCP)
    assert [tc(model, dscp=d) for d in (0, 23, 24, 26, 31, 48, 63)] == [0, 2, 3, 3, 3, 6, 7]
    assert dict(qos.tc_to_queue) == {0: 0, 1: 0, 2: 0, 3: 3, 4: 0, 5: 0, 6: 6, 7: 0}
    assert (qos.pfc.mode, qos.pfc.no_drop, dict(qos.pfc.send), dict(qos.pfc.obey)) == (PfcMode.ON, {3}, {3: {3}}, {3: {3}})
    assert ramps(model) == dict.fromkeys((0, 3), "150000 bytes 1500000 bytes 100 % True False")
    assert schedule(model) == {0: "50 %", 3: "50 %", 6: "strict"}
    assert {g.id: (g.lossless, g.pool) for g in qos.groups.values()} == {
        0: (False, "default-lossy"),
        3: (True, "roce-lossless"),
    }
    assert {p.name: str(p.size) for p in model.pools} == {"default-lossy": "50 %", "roce-lossless": "50 %"}
    assert queue(model, 3).limit == Static(None, unlimited=True)  # type: ignore[attr-defined]
    assert queue(model, 3).not_ect is NotEct.FORWARD  # type: ignore[attr-defined]
    assert (qos.watchdog.enabled, qos.watchdog.available) == (False, True)


def test_lossy_keeps_everything_but_pfc_and_does_not_name_its_pool(read: Read) -> None:
    model = read(PORT + "nv set qos roce mode lossy\n")
    qos = model.ports["swp1"].qos
    assert (qos.pfc.mode, qos.pfc.no_drop) == (PfcMode.OFF, frozenset())
    assert sorted(ramps(model)) == [0, 3]
    assert isinstance(qos.groups[0].pool, Unknown)
    assert model.facts["roce_mode"].value == "lossy"


def test_one_ingress_pool_is_lossless_too(read: Read) -> None:
    qos = read(PORT + "nv set qos roce mode lossless-single-ipool\n").ports["swp1"].qos
    assert (qos.groups[3].lossless, qos.groups[3].pool) == (True, "default-lossy")


def test_lossy_multi_tc_has_a_map_of_its_own_by_release(read: Read) -> None:
    """G515: DSCP 26 is priority 4, 48 priority 0; G517: 41 to 50 are priority 5."""
    old = read("# device: a (SN5600, Cumulus Linux 5.15.0)\n" + PORT + "nv set qos roce mode lossy-multi-tc\n")
    new = read("# device: a (SN5600, Cumulus Linux 5.17.0)\n" + PORT + "nv set qos roce mode lossy-multi-tc\n")
    assert [tc(old, dscp=d) for d in (1, 4, 6, 26, 48)] == [1, 2, 3, 4, 0]
    assert [tc(new, dscp=d) for d in (26, 48, 51)] == [4, 5, 0]
    assert ramps(old) == dict.fromkeys((1, 2, 3), "166912 bytes 239616 bytes 5 % True False")
    assert schedule(old) == {0: "4 %", 1: "8 %", 2: "18 %", 3: "22 %", 4: "22 %", 5: "22 %", 6: "4 %", 7: "0 %"}
    assert old.ports["swp1"].qos.pfc.mode is PfcMode.OFF


def test_a_mode_that_the_chip_has_not(read: Read) -> None:
    text = PORT + "nv set qos roce mode lossy-multi-tc\n"
    for model, wrong in (("MSN4700", 1), ("SN5600", 0)):
        found = read(f"# device: a ({model}, Cumulus Linux 5.15.0)\n{text}").remarks
        assert [r.kind for r in found] == [RemarkKind.INVALID] * wrong


def test_a_mode_whose_settings_have_no_source_is_unknown(read: Read) -> None:
    qos = read(PORT + "nv set qos roce mode dci-1\n").ports["swp1"].qos
    assert isinstance(qos.pfc.mode, Unknown)
    assert isinstance(qos.classify.untagged_ip, Unknown)


def test_without_roce_a_switch_trusts_layer_2_and_has_no_pfc(read: Read) -> None:
    """X: the applied tree of a 5.5.1 box without RoCE."""
    model = read(PORT + "nv set qos pfc-watchdog robustness 3\n")
    qos = model.ports["swp1"].qos
    assert (qos.classify.tagged_ip, qos.classify.untagged_ip) == (HeaderField.PCP, HeaderField.PORT)
    assert (tc(model, dscp=26), tc(model, dscp=26, pcp=3, tagged=True)) == (0, 3)
    assert qos.pfc.mode is PfcMode.OFF
    assert sorted(ramps(model)) == [0]
    assert schedule(model)[0] == "12 %"
    assert {p.name: str(p.size) for p in model.pools} == {"default-lossy": "100 %"}


@pytest.mark.parametrize(
    ("trust", "fields"),
    [
        ("l2", (HeaderField.PCP, HeaderField.PORT, HeaderField.PCP)),
        ("l3", (HeaderField.DSCP, HeaderField.DSCP, HeaderField.PORT)),
        ("both", (HeaderField.DSCP, HeaderField.DSCP, HeaderField.PCP)),
        ("port", (HeaderField.PORT, HeaderField.PORT, HeaderField.PORT)),
    ],
)
def test_what_each_trust_reads(read: Read, trust: str, fields: tuple[HeaderField, ...]) -> None:
    """G514's table of classifications."""
    c = read(f"{PORT}nv set qos mapping default-global trust {trust}\n").ports["swp1"].qos.classify
    assert (c.tagged_ip, c.untagged_ip, c.non_ip) == fields


def test_a_profile_of_one_port(read: Read) -> None:
    model = read(
        "nv set interface swp1-2 type swp\nnv set qos roce\nnv set qos mapping m trust l3\n"
        "nv set qos mapping m dscp 26,28-29 switch-priority 5\nnv set interface swp1 qos mapping profile m\n"
    )
    assert [tc(model, p, dscp=d) for p, d in (("swp1", 26), ("swp1", 29), ("swp1", 27), ("swp2", 26))] == [5, 5, 3, 3]
    assert {m.kind for m in model.ports["swp1"].qos.classify.matches} == {MatchKind.DSCP}


def test_a_profile_that_is_not_there_makes_what_it_would_say_unknown(read: Read) -> None:
    model = read(PORT + "nv set qos roce\nnv set interface swp1 qos pfc profile nowhere\n")
    assert isinstance(model.ports["swp1"].qos.pfc.mode, Unknown)
    assert [(r.name, r.resolves) for r in model.references] == [("nowhere", False)]


def test_pfc_set_on_another_priority_leaves_the_pool_where_it_was(read: Read) -> None:
    qos = read(PORT + "nv set qos roce\nnv set qos pfc default-global switch-priority 2\n").ports["swp1"].qos
    assert qos.pfc.no_drop == {2}
    assert {g.id: g.lossless for g in qos.groups.values()} == {0: False, 2: False, 3: True}
    moved = read(
        PORT + "nv set qos roce\nnv set qos pfc default-global switch-priority 2\n"
        "nv set qos traffic-pool roce-lossless switch-priority 2\n"
        "nv set qos traffic-pool default-lossy switch-priority 0,1,3-7\n"
    )
    assert {g.id: g.lossless for g in moved.ports["swp1"].qos.groups.values()} == {0: False, 2: True}


def test_pfc_without_roce_needs_the_pool(read: Read) -> None:
    """G514 Flow Control Buffers: configure the pool before PFC."""
    pfc = PORT + "nv set qos pfc default-global switch-priority 3\n"
    assert read(pfc).ports["swp1"].qos.groups[3].lossless is False
    pool = pfc + "nv set qos traffic-pool default-lossless memory-percent 50\n"
    group = read(pool).ports["swp1"].qos.groups[3]
    assert (group.lossless, group.pool, group.headroom_for_m) == (True, "default-lossless", 10)


def test_rx_and_tx(read: Read) -> None:
    """G514: tx sends pause frames, rx receives them."""
    text = PORT + "nv set qos pfc default-global switch-priority 3\nnv set qos pfc default-global {} disable\n"
    send, obey = (read(text.format(way)).ports["swp1"].qos.pfc for way in ("rx", "tx"))
    assert (dict(send.send), dict(send.obey)) == ({3: {3}}, {})
    assert (dict(obey.send), dict(obey.obey)) == ({}, {3: {3}})


def test_fixed_buffers_are_bytes_after_xoff(read: Read) -> None:
    text = PORT + "nv set qos pfc default-global switch-priority 3\n"
    text += "".join(
        f"nv set qos pfc default-global {k} {v}\n"
        for k, v in (("port-buffer", 25000), ("xoff-threshold", 10000), ("xon-threshold", 2000))
    )
    group = read(text).ports["swp1"].qos.groups[3]
    assert (group.headroom, group.threshold, group.xon_offset) == (
        quantity(15000, U.BYTES), Static(quantity(10000, U.BYTES)), quantity(2000, U.BYTES),
    )  # fmt: skip
    several = read(text + "nv set qos pfc default-global switch-priority 4\n").ports["swp1"].qos.groups[3]
    assert isinstance(several.headroom, Unknown)


def test_named_traffic_classes_replace_those_of_default_global(read: Read) -> None:
    """G514: after `traffic-class 4,5,7` the profile shows these alone; under RoCE it is not confirmed."""
    text = PORT + "nv set qos congestion-control default-global traffic-class 4,5 min-threshold 40000\n"
    assert ramps(read(text)) == dict.fromkeys((4, 5), "40000 bytes 1500000 bytes 100 % True False")
    roce = read(text + "nv set qos roce\nnv set qos egress-queue-mapping default-global switch-priority 4 traffic-class 4\n")
    assert isinstance(next(iter(queue(roce, 3).curves.values())).marks, Unknown)  # type: ignore[attr-defined]
    assert next(iter(queue(roce, 4).curves.values())).marks is True  # type: ignore[attr-defined]


def test_red_drops_and_ecn_disable_leaves_nothing(read: Read) -> None:
    red = read(PORT + "nv set qos congestion-control default-global traffic-class 0 red enable\n")
    assert next(iter(queue(red, 0).curves.values())).drops is True  # type: ignore[attr-defined]
    off = read(PORT + "nv set qos congestion-control default-global traffic-class 0 ecn disable\n")
    assert ramps(off) == {}


def test_relative_thresholds_are_parts_of_the_quota(read: Read) -> None:
    path_ = "nv set qos congestion-control default-global traffic-class 0 "
    model = read(PORT + f"{path_}mode relative\n{path_}min-threshold-percent 35\n{path_}min-threshold 7\n")
    assert ramps(model)[0].startswith("35 % of limit 100 % of limit")


def test_a_queue_without_bandwidth_is_served_best_effort(read: Read) -> None:
    """G514 Egress Scheduler: no value is DWRR 0."""
    text = PORT + "nv set qos egress-scheduler default-global traffic-class 3 bw-percent 60\n"
    text += "nv set qos egress-scheduler default-global traffic-class 7 mode strict\n"
    assert schedule(read(text)) == {3: "60 %", 7: "strict"} | dict.fromkeys((0, 1, 2, 4, 5, 6), "0 %")


def test_remarking_needs_its_switch(read: Read) -> None:
    row = PORT + "nv set qos remark default-global switch-priority 1 dscp 37\n"
    assert dict(read(row).ports["swp1"].qos.rewrite_dscp) == {}
    assert dict(read(row + "nv set qos remark default-global rewrite l3\n").ports["swp1"].qos.rewrite_dscp) == {1: 37}


def test_watchdog(read: Read) -> None:
    text = PORT + "nv set qos roce\nnv set interface swp1 qos pfc-watchdog\nnv set qos pfc-watchdog polling-interval 200\n"
    w = read(text + "nv set qos pfc-watchdog robustness 5\n").ports["swp1"].qos.watchdog
    assert (w.enabled, w.priorities, str(w.detect), str(w.restore), str(w.poll), w.latch) == (
        True,
        {3},
        "1000 ms",
        "200 ms",
        "200 ms",
        False,
    )
    assert read(text + "nv set interface swp1 qos pfc-watchdog state disable\n").ports["swp1"].qos.watchdog.enabled is False
    old = read("# device: a (MSN2700, Cumulus Linux 5.5.1)\n" + text).ports["swp1"].qos.watchdog
    assert old.available is False


def test_bond_members_have_the_bonds_profiles_and_their_own_watchdog(read: Read) -> None:
    model = read(
        "nv set interface bond1 bond member swp1-2\nnv set qos pfc p switch-priority 4\nnv set qos pfc p cable-length 7\n"
        "nv set interface bond1 qos pfc profile p\nnv set interface swp1 qos pfc-watchdog\n"
        "nv set interface bond1 bridge domain br_default\n"
    )
    bond, first, second = (model.ports[n] for n in ("bond1", "swp1", "swp2"))
    assert (bond.kind, first.kind, first.bundle, model.bundles["bond1"].members) == (
        PortKind.BUNDLE,
        PortKind.MEMBER,
        "bond1",
        ("swp1", "swp2"),
    )
    assert (first.qos.pfc.no_drop, first.cable_m, first.routed) == ({4}, 7, False)
    assert (first.qos.watchdog.enabled, second.qos.watchdog.enabled) == (True, False)


def test_breakout_children_stand_in_their_parents_place(read: Read) -> None:
    model = read(
        "nv set interface swp1 link breakout 4x\nnv set interface swp1s0 link mtu 4200\n"
        "nv set interface swp2 link breakout 1x\nnv set qos roce\n"
    )
    assert sorted(model.ports) == ["swp1s0", "swp1s1", "swp1s2", "swp1s3", "swp2"]
    assert (model.ports["swp1s3"].kind, model.ports["swp1s3"].breakout_parent) == (PortKind.BREAKOUT, "swp1")
    assert (model.ports["swp1s0"].mtu, model.ports["swp1s3"].mtu) == (4200, 9216)


def test_a_file_without_ports_is_judged_by_one_that_stands_for_all(read: Read) -> None:
    model = read("nv set qos roce\n")
    assert (model.form, list(model.ports)) == (Form.FRAGMENT, ["default-global"])
    port = model.ports["default-global"]
    assert port.qos.pfc.no_drop == {3}
    assert isinstance(port.qos.watchdog.enabled, Unknown)
    assert isinstance(port.mtu, Unknown)


def test_unset_and_the_last_word(read: Read) -> None:
    text = PORT + "nv set qos roce\nnv unset qos roce\n"
    assert read(text).ports["swp1"].qos.pfc.mode is PfcMode.OFF
    assert read(PORT + "nv set qos roce enable on\nnv set qos roce enable off\n").ports["swp1"].qos.pfc.mode is PfcMode.OFF


@pytest.mark.parametrize(
    "line",
    [
        "qos roce mode lossles",
        "qos roce enable perhaps",
        "qos mapping default-global trust dscp",
        "qos mapping default-global dscp 64 switch-priority 3",
        "qos mapping default-global pcp 3 switch-priority 8",
        "qos pfc default-global switch-priority 8",
        "qos pfc default-global cable-length 0",
        "qos traffic-pool roce-losless memory-percent 50",
        "qos traffic-pool default-lossy memory-percent 101",
        "qos congestion-control default-global traffic-class 3 probability 101",
        "qos egress-scheduler default-global traffic-class 3 mode wrr",
        "qos egress-queue-mapping p switch-priority 3 traffic-class 3",
        "qos advance-buffer-config default-global ingress-lossless-buffer shared-alpha alpha_3",
        "interface swp1 link mtu lots",
        "interface swp1 qos pfc-watchdog state maybe",
    ],
)
def test_values_that_nvue_cannot_mean(read: Read, line: str) -> None:
    found = read(f"{PORT}nv set {line}\n").remarks
    assert [(r.kind, r.origin.at.line) for r in found] == [(RemarkKind.INVALID, 2)]
    assert found[0].expected


@pytest.mark.parametrize(
    "line",
    [
        "nv set qos xyzzy 7",
        "nv set qos pfc default-global frobnicate 6",
        "nv set interface swp1 qos pfc-watchdogs state enable",
        "nv set qoss roce",
        "set qos roce",
        "qos roce mode lossless",
    ],
)
def test_lines_about_qos_that_nobody_knows_are_reported(read: Read, line: str) -> None:
    before = read(PORT + "nv set qos roce\n")
    found = read(f"{PORT}{line}\nnv set qos roce\n")
    assert [(r.kind, r.origin.at.line) for r in found.remarks] == [(RemarkKind.UNCLAIMED, 2)]
    assert found == before


def test_alphas_of_the_lossless_regions(read: Read) -> None:
    text = PORT + "nv set qos roce\nnv set qos advance-buffer-config default-global {}-lossless-buffer shared-alpha alpha_1_2\n"
    group = read(text.format("ingress")).ports["swp1"].qos.groups[3]
    assert str(group.threshold.alpha) == "1/2 alpha"  # type: ignore[union-attr]
    assert str(queue(read(text.format("egress")), 3).limit.alpha) == "1/2 alpha"  # type: ignore[attr-defined]


def test_equal_ports_share_their_body(read: Read) -> None:
    model = read(
        "nv set qos roce\nnv set interface swp1-64 qos pfc-watchdog state enable\nnv set interface swp1-64 link mtu 9216\n"
    )
    assert len({id(p.qos) for p in model.ports.values()}) == len({id(p.origins) for p in model.ports.values()}) == 1
