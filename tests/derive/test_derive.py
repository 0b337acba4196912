"""derive: numbers with reasons, scopes collapsed, what cannot be said refused by name, both NOSes and the way back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xoff.derive import Derivation, classes_of, derive, derive_all
from xoff.errors import CannotExpress, UnknownPlatform
from xoff.fabric.planned import PlannedFabric
from xoff.model.fabric import Basis, ClassKind
from xoff.model.fields import same
from xoff.model.origin import Derived
from xoff.model.path import path
from xoff.model.qos import Alpha, MatchKind, NotEct, PfcMode, Queue, QueueId, QueueKind, SchedulerKind, WatchdogAction
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.switch import Form, PoolKind, Port
from xoff.nos import facts, registry
from xoff.nos.renderer import render
from xoff.nos.source import Source
from xoff.sizing.thresholds import XoffPoint, egress_never_drops, xoff_point

from .plans import CLASSES, pair

Q3 = QueueId(QueueKind.UNICAST, 3)


def number(q: object) -> int:
    assert isinstance(q, Quantity), q
    assert q.amount.denominator == 1
    return int(q.amount)


def queue3(port: Port) -> Queue:
    found: Queue = port.qos.queues[Q3]
    return found


def round_trip(d: Derivation) -> None:
    nos = registry.load(d.model.nos)
    files = render(d.model, nos).files
    sources = [Source(f, t) for f, t in files.items() if not f.endswith(".txt")]
    (back,) = registry.module(nos).parse(sources, nos, facts.NONE)
    assert same(d.model, back, nos.can) == []
    assert not back.remarks


# --- classification, PFC, schedulers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("device", ["leaf1", "spine1"])
def test_every_dscp_has_a_place_and_roce_is_lossless_both_ways(device: str) -> None:
    for p in derive(pair(), device).model.ports.values():
        values = [v for m in p.qos.classify.matches if m.kind is MatchKind.DSCP for v in m.values]
        assert sorted(values) == list(range(64))
        roce = path(p.qos, dscp=26)
        assert (roce.tc, roce.queue, roce.protected, roce.marks) == (3, 3, True, True)
        assert roce.pause_sent_as == frozenset({3}) == roce.obeys
        cnp = path(p.qos, dscp=48)
        assert (cnp.tc, cnp.protected, cnp.marks) == (6, False, False)
        rest = path(p.qos, dscp=46)
        assert (rest.tc, rest.protected) == (0, False)


def test_shares_add_up_and_strict_classes_have_none() -> None:
    p = derive(pair(), "leaf1").model.ports["Ethernet0"]
    found = {q.id.id: q.scheduler for q in p.qos.queues.values()}
    assert {n: s.kind for n, s in found.items()} == {
        0: SchedulerKind.DWRR,
        3: SchedulerKind.DWRR,
        6: SchedulerKind.STRICT,
        7: SchedulerKind.STRICT,
    }
    assert sum(number(s.share) for s in found.values() if s.share is not None) == 100


def test_what_rounding_leaves_goes_to_the_rest() -> None:
    classes = """
  a: {dscp: [26], priority: 3, lossless: true, bandwidth: 33.4%}
  b: {dscp: [10], priority: 1, bandwidth: rest}
  default: {priority: 0, bandwidth: rest}
"""
    p = derive(pair(classes=classes), "leaf1").model.ports["Ethernet0"]
    shares = {q.id.id: number(q.scheduler.share) for q in p.qos.queues.values() if q.scheduler.share is not None}
    assert shares[3] == 33
    assert sum(shares.values()) == 100


def test_a_port_that_does_not_carry_the_class_is_lossy_there() -> None:
    d = derive(pair(links=", carries: [cnp]"), "leaf1")
    host, up = d.model.ports["Ethernet0"], d.model.ports["Ethernet64"]
    assert host.qos.pfc.mode is PfcMode.OFF
    assert host.qos.watchdog.enabled is False
    assert not queue3(host).curves
    assert 3 not in host.qos.groups
    assert up.qos.pfc.no_drop == frozenset({3})
    assert d.numbers["Ethernet0"].chosen is None


def test_no_marking_where_the_intent_rules_it_out() -> None:
    plan = pair(more="congestion_control: none\n", classes=CLASSES.replace(", ecn: auto", ""))
    assert all(not q.curves for p in derive(plan, "leaf1").model.ports.values() for q in p.qos.queues.values())
    (roce,) = [c for c in classes_of(plan) if c.name == "roce"]
    assert roce.ecn is False


# --- headroom and scopes ----------------------------------------------------------------------------------------------


def test_sonic_sizes_by_speed_and_cable_and_names_the_profile_so() -> None:
    d = derive(pair(), "leaf1")
    near, far = d.model.ports["Ethernet0"].qos.groups[3], d.model.ports["Ethernet64"].qos.groups[3]
    assert (near.profile, far.profile) == ("pg_lossless_100000_3m_profile", "pg_lossless_100000_40m_profile")
    assert number(near.headroom) < number(far.headroom)
    assert number(far.headroom) % 254 == 0
    for name, p in d.model.ports.items():
        chosen = d.numbers[name].chosen
        assert chosen is not None
        assert number(p.qos.groups[3].headroom) == chosen.value
        assert isinstance(p.origins.of("group.3.headroom"), Derived)


def test_the_device_s_own_shipped_row_decides_where_it_is_larger() -> None:
    # Arista's 7050CX3 ships a flat 160,000 B after interop; strict gives less at 40 m
    d = derive(pair(leaf="nos: sonic, model: DCS-7050CX3-32S"), "leaf1")
    up = d.model.ports["Ethernet64"]
    assert number(up.qos.groups[3].headroom) == 160_000
    origin = up.origins.of("group.3.headroom")
    assert isinstance(origin, Derived)
    assert origin.preset == "table"
    assert any(t.name == "preset" for t in origin.terms)


def test_eos_says_headroom_once_and_the_longest_cable_decides() -> None:
    d = derive(pair(leaf="nos: eos, model: DCS-7260CX3-64"), "leaf1")
    values = {p.qos.groups[3].headroom for p in d.model.ports.values()}
    assert len(values) == 1
    chosen = {n: x.chosen.value for n, x in d.numbers.items() if x.chosen is not None}
    assert number(values.pop()) == max(chosen.values()) == chosen["Ethernet10/1"]
    origin = next(iter(d.model.ports.values())).origins.of("group.3.headroom")
    assert isinstance(origin, Derived)
    assert [t.value for t in origin.terms if t.name == "deciding port"] == ["Ethernet10/1"]


def test_an_override_is_taken_as_it_is_and_shared_by_its_profile() -> None:
    leaf = "nos: sonic, model: DCS-7060X6-64PE, ports: {Ethernet0: {headroom: 300000B}}"
    d = derive(pair(leaf=leaf), "leaf1")
    assert {number(d.model.ports[p].qos.groups[3].headroom) for p in ("Ethernet0", "Ethernet4")} == {300_000}


@pytest.mark.parametrize("preset", ["floor", "strict"])
def test_presets(preset: str) -> None:
    leaf = f"nos: sonic, model: DCS-7060X6-64PE, headroom: {{preset: {preset}}}"
    d = derive(pair(leaf=leaf), "leaf1")
    chosen = d.numbers["Ethernet64"].chosen
    assert chosen is not None
    assert chosen.origin.preset == preset


def test_a_preset_that_does_not_hold_for_the_chip_is_refused_by_name() -> None:
    leaf = "nos: sonic, model: DCS-7060X6-64PE, headroom: {preset: nvidia}"
    with pytest.raises(CannotExpress, match=r"leaf1 Ethernet\d+: headroom preset 'nvidia' gives no number"):
        derive(pair(leaf=leaf), "leaf1")


def test_pools_give_every_group_its_headroom() -> None:
    for model in ("DCS-7060X6-64PE", "DCS-7050CX3-32S", "DCS-7260CX3-64", "Z9332F-ON", "DCS-7060CX-32S"):
        d = derive(pair(leaf=f"nos: sonic, model: {model}"), "leaf1")
        need = sum(number(p.qos.groups[3].headroom) for p in d.model.ports.values())
        (headroom,) = [p for p in d.model.pools if p.kind is PoolKind.HEADROOM]
        assert number(headroom.size) >= need, model


def test_private_headroom_of_the_traditional_nvidia_model_is_xon_plus_xoff() -> None:
    d = derive(pair(leaf="nos: sonic, model: MSN4700, options: {buffer_model: traditional}"), "leaf1")
    g = d.model.ports["Ethernet64"].qos.groups[3]
    assert number(g.reserved) == number(g.xon) + number(g.headroom)
    assert not [p for p in d.model.pools if p.kind is PoolKind.HEADROOM]
    round_trip(d)


def test_the_dynamic_model_leaves_headroom_to_the_device() -> None:
    d = derive(pair(leaf="nos: sonic, model: SN5600"), "leaf1")
    g = d.model.ports["Ethernet64"].qos.groups[3]
    assert g.headroom_by_device
    assert isinstance(g.headroom, Unknown)
    assert d.model.lossless_mtu == 4096 + 102
    assert d.model.facts["buffer_model"].value == "dynamic"
    round_trip(d)


def test_dynamic_where_sonic_has_none_is_refused() -> None:
    with pytest.raises(CannotExpress, match="no dynamic buffer model on Broadcom Tomahawk5"):
        derive(pair(leaf="nos: sonic, model: DCS-7060X6-64PE, options: {buffer_model: dynamic}"), "leaf1")


def test_golden_leaves_headroom_to_the_switch_s_table() -> None:
    d = derive(pair(), "leaf1", form=Form.GOLDEN)
    g = d.model.ports["Ethernet64"].qos.groups[3]
    assert g.headroom_by_device
    assert isinstance(g.headroom, Unknown)
    assert d.model.form is Form.GOLDEN


def test_chips_without_mmu_profiles_say_so() -> None:
    d = derive(pair(spine="nos: eos, model: 7800R3-48CQ2-LC"), "spine1")
    assert [n.what for n in d.notes] == ["headroom and XOFF thresholds"]
    assert isinstance(d.model.ports["Ethernet1/1"].qos.groups[3].headroom, Unknown)
    round_trip(d)


# --- platforms --------------------------------------------------------------------------------------------------------


def test_a_platform_that_is_not_held_is_refused_unless_the_intent_gives_the_facts() -> None:
    from xoff.fabric.planned import AsicFacts

    plan = pair(spine="nos: eos, model: DCS-7260CX3-64")
    unknown = replace(plan.devices["spine1"], model="WHITEBOX-1", asic=None)
    with pytest.raises(UnknownPlatform, match="WHITEBOX-1"):
        derive(plan, unknown)
    given_by_hand = replace(unknown, asic_facts=AsicFacts(cell=254, buffer=64_000_000, domains=2))
    d = derive(plan, given_by_hand)
    assert d.asic is not None
    assert d.asic.cell.value == 254
    assert any("MMU profiles" in str(n) for n in d.notes)


def test_a_secondary_platform_is_marked_unverified() -> None:
    d = derive(pair(leaf="nos: sonic, model: Z9664F-ON"), "leaf1")
    assert any("unverified" in n.why for n in d.notes)


def test_a_nos_that_is_not_derived_is_refused_by_name() -> None:
    plan = pair()
    with pytest.raises(Exception, match="cannot derive"):
        derive(plan, replace(plan.devices["leaf1"], nos="ruijie"))


# --- ECN and watchdog -------------------------------------------------------------------------------------------------

SONIC = ("DCS-7060X6-64PE", "DCS-7050CX3-32S", "DCS-7260CX3-64", "Z9332F-ON", "DCS-7060CX-32S", "MSN2700", "MSN4700", "SN5600")


@settings(max_examples=25, deadline=None)
@given(
    model=st.sampled_from(SONIC),
    workload=st.sampled_from(("training", "inference", "storage")),
    speed=st.sampled_from(("25G", "100G", "200G", "400G", "800G")),
    cable=st.sampled_from(("5m", "40m", "300m")),
)
def test_marking_comes_before_pause_and_thresholds_are_whole_cells(model: str, workload: str, speed: str, cable: str) -> None:
    leaf = f"nos: sonic, model: {model}, options: {{buffer_model: traditional}}"
    d = derive(pair(leaf=leaf, workload=workload, speed=speed, cable=cable), "leaf1")
    assert d.asic is not None
    for p in d.model.ports.values():
        curve = next(iter(queue3(p).curves.values()))
        kmin, kmax = number(curve.kmin), number(curve.kmax)
        step = d.asic.ecn_granularity.value if isinstance(d.asic.ecn_granularity.value, int) else d.asic.cell.value
        assert kmin % step == 0 == kmax % step
        assert 0 < kmin <= kmax
        point = xoff_point(p.qos.groups[3], d.model.pools, d.asic)
        assert isinstance(point, XoffPoint)
        assert kmax <= point.high.value
        if not isinstance(point.low, Unknown):
            assert kmax <= point.low.value
        assert queue3(p).not_ect is NotEct.DROP
        verdict = egress_never_drops(queue3(p), p.qos.groups[3], d.model.pools, d.asic, number(p.qos.groups[3].headroom))
        assert isinstance(verdict, Unknown) or not verdict.drops_alone


def test_a_wish_of_the_intent_is_kept() -> None:
    classes = CLASSES.replace("ecn: auto", "ecn: {kmin: 100000B, kmax: 400000B, pmax: 50%}")
    curve = next(iter(queue3(derive(pair(classes=classes), "leaf1").model.ports["Ethernet0"]).curves.values()))
    assert (number(curve.kmin), number(curve.kmax), number(curve.pmax)) == (100_000, 400_000, 50)


def test_watchdog_units_and_defaults() -> None:
    sonic = derive(pair(), "leaf1").model.ports["Ethernet0"].qos.watchdog
    assert (str(sonic.detect), str(sonic.restore), str(sonic.poll)) == ("200 ms", "200 ms", "100 ms")
    eos = derive(pair(), "spine1").model.ports["Ethernet1/1"].qos.watchdog
    assert (str(eos.detect), str(eos.restore), str(eos.poll)) == ("0.2 s", "0.4 s", "0.1 s")
    assert eos.action is WatchdogAction.DROP
    assert eos.priorities == frozenset({3})


def test_watchdog_of_sonic_counts_the_ports_of_the_box() -> None:
    # 130 front-panel ports: five begun 32s, whatever the plan uses of them; two polls within detection
    w = derive(pair(leaf="nos: sonic, model: Arista-7060X6-64PE-O128S2"), "leaf1").model.ports["Ethernet0"].qos.watchdog
    assert (str(w.detect), str(w.restore), str(w.poll)) == ("1000 ms", "1000 ms", "500 ms")


def test_watchdog_outlasts_the_memory_of_the_switch_that_pauses() -> None:
    times = []
    for spine in ("nos: eos, model: DCS-7260CX3-64", "nos: eos, model: 7800R3-48CQ2-LC"):
        port = derive(pair(spine=spine), "leaf1").model.ports["Ethernet0"]
        times.append(str(port.qos.watchdog.detect))
        derived = port.origins["watchdog.detect"]
        assert isinstance(derived, Derived)
    assert times == ["200 ms", "400 ms"]
    assert any("deep-buffer" in t.why for t in derived.terms)


def test_watchdog_wishes_and_their_limits() -> None:
    off = derive(pair(leaf="nos: sonic, model: DCS-7060X6-64PE, watchdog: off"), "leaf1")
    assert off.model.ports["Ethernet0"].qos.watchdog.enabled is False
    own = "nos: eos, model: DCS-7260CX3-64, watchdog: {detect: 500ms, restore: 1s}"
    w = derive(pair(spine=own), "spine1").model.ports["Ethernet1/1"].qos.watchdog
    assert (str(w.detect), str(w.restore), str(w.poll)) == ("0.5 s", "1 s", "0.1 s")
    long = "nos: sonic, model: DCS-7060X6-64PE, watchdog: {detect: 9s, restore: 10s}"
    with pytest.raises(CannotExpress, match="SONiC takes 100 to 5000 ms"):
        derive(pair(leaf=long), "leaf1")


# --- the whole --------------------------------------------------------------------------------------------------------


PAIRS = [
    ("nos: sonic, model: DCS-7060X6-64PE", "nos: eos, model: DCS-7260CX3-64"),
    ("nos: sonic, model: SN5600", "nos: eos, model: DCS-7050CX3-32S"),
    ("nos: eos, model: DCS-7060CX-32S", "nos: sonic, model: Z9332F-ON"),
    ("nos: eos, model: DCS-7060X6-64PE", "nos: sonic, model: DCS-7060CX-32S"),
]
TWO = """
  roce: {dscp: [26], priority: 3, lossless: true, bandwidth: 50%, ecn: auto}
  nvme: {dscp: [34, 36], priority: 4, lossless: true, bandwidth: 20%, ecn: auto}
  cnp:  {dscp: [48], priority: 6, scheduler: strict}
"""


@pytest.mark.parametrize("classes", [CLASSES, TWO], ids=["one", "two"])
@pytest.mark.parametrize(("leaf", "spine"), PAIRS)
def test_what_is_rendered_reads_back_equal(leaf: str, spine: str, classes: str) -> None:
    for d in derive_all(pair(leaf, spine, classes=classes)).values():
        round_trip(d)


@pytest.mark.parametrize(("leaf", "spine"), PAIRS)
def test_hosts_that_mark_802_1p_are_read_by_it(leaf: str, spine: str) -> None:
    plan = pair(leaf, spine)
    plan = replace(plan, hosts=tuple(replace(h, marking="pcp") for h in plan.hosts))
    d = derive(plan, "leaf1")
    for name, p in d.model.ports.items():
        planned = plan.devices["leaf1"].ports[name]
        if planned.peer is not None and planned.peer.device == "spine1":
            assert path(p.qos, dscp=26).tc == 3
        else:
            assert path(p.qos, dscp=0, pcp=3, tagged=True).protected is True
            assert path(p.qos, dscp=26, pcp=0, tagged=True).tc == 0
    round_trip(d)


def test_deriving_twice_gives_the_same() -> None:
    a, b = derive_all(pair()), derive_all(pair())
    assert {n: d.model for n, d in a.items()} == {n: d.model for n, d in b.items()}
    assert [d.notes for d in a.values()] == [d.notes for d in b.values()]


def test_equal_ports_share_one_body() -> None:
    ports = derive(pair(), "leaf1").model.ports
    assert ports["Ethernet0"].qos is ports["Ethernet4"].qos
    assert ports["Ethernet0"].origins is ports["Ethernet4"].origins
    assert ports["Ethernet0"].qos is not ports["Ethernet64"].qos


def _numeric_paths(p: Port) -> list[str]:
    out = []
    for g in p.qos.groups.values():
        out += [f"group.{g.id}.{f}" for f in ("headroom", "reserved", "xon") if isinstance(getattr(g, f), Quantity)]
        if isinstance(g.threshold, Alpha):
            out.append(f"group.{g.id}.threshold")
    for q in p.qos.queues.values():
        if q.curves:
            out += [f"queue.{q.id}.{f}" for f in ("kmin", "kmax", "pmax")]
        if q.scheduler is not None and q.scheduler.share is not None:
            out.append(f"queue.{q.id}.share")
    if p.qos.watchdog.enabled:
        out += [f"watchdog.{f}" for f in ("detect", "restore", "poll")]
    return out


@pytest.mark.parametrize(("leaf", "spine"), PAIRS)
def test_every_number_has_a_reason_with_sources(leaf: str, spine: str) -> None:
    for d in derive_all(pair(leaf, spine)).values():
        for p in d.model.ports.values():
            for where in _numeric_paths(p):
                origin = p.origins.of(where)
                assert isinstance(origin, Derived), (d.model.hostname, p.name, where)
                assert origin.formula
                assert origin.sources or origin.preset == "intent", (where, origin)


def test_classes_of_the_intent_are_certain() -> None:
    found = {c.name: c for c in classes_of(pair())}
    assert set(found) == {"roce", "cnp", "default", "control"}
    assert found["roce"].lossless
    assert (found["roce"].dscp, found["roce"].priority) == (frozenset({26}), 3)
    assert found["roce"].ecn is True
    assert found["cnp"].kind is ClassKind.CNP
    assert {c.basis for c in found.values()} == {Basis.INTENT}
    assert found["roce"].at is not None


def test_cables_and_mtus_in_the_model_are_the_plan_s() -> None:
    plan: PlannedFabric = pair()
    for name, device in plan.devices.items():
        for port, planned in device.ports.items():
            p = derive(plan, name).model.ports[port]
            assert (p.speed, p.cable_m, p.mtu, p.routed) == (planned.speed, planned.cable_m, planned.mtu, planned.routed)
            assert p.own.of("cable_m") is not None


def test_units_are_the_nos_s_own() -> None:
    share = queue3(derive(pair(), "spine1").model.ports["Ethernet1/1"]).scheduler
    assert share is not None
    assert not isinstance(share, Unknown)
    assert share.share is not None
    assert share.share.unit is Unit.PERCENT
    sonic = queue3(derive(pair(), "leaf1").model.ports["Ethernet0"]).scheduler
    assert sonic is not None
    assert not isinstance(sonic, Unknown)
    assert sonic.share is not None
    assert sonic.share.unit is Unit.WEIGHT


def test_an_intents_word_on_marking_is_final_either_way() -> None:
    """`ecn: off` is a policy of the class, as `congestion_control: none` is one of the fabric: no gap for a rule to find."""
    plan = pair()
    (roce,) = (c for c in plan.classes if c.lossless)

    def asked(ecn: bool, control: str) -> bool | None:
        classes = tuple(replace(c, ecn=ecn) if c is roce else c for c in plan.classes)
        found = classes_of(replace(plan, classes=classes, congestion_control=control))
        return next(c.ecn for c in found if c.name == roce.name)

    assert asked(True, "dcqcn") is True
    assert asked(False, "dcqcn") is False
    assert asked(True, "none") is False
