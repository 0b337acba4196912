"""Thresholds, pools and ECN against published values, and the shape of the formulas."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xoff.model.frozen import FrozenMap
from xoff.model.qos import Alpha, Pfc, PfcMode, PortQos, PriorityGroup, Queue, QueueId, QueueKind, Static
from xoff.model.quantity import Unit, Unknown, quantity
from xoff.model.switch import Direction, Pool, PoolKind, PoolMode, Port, PortKind, SwitchModel
from xoff.platforms import load
from xoff.sizing.ecn import ecn_thresholds, marking_probability
from xoff.sizing.pools import cells_per_domain, headroom_pool_need, shared_headroom_pool
from xoff.sizing.thresholds import (
    EgressVerdict,
    XoffPoint,
    dynamic_share,
    egress_never_drops,
    sequential_share,
    xoff_point,
    xoff_to_drop,
)

Shared = Callable[[str], Path]


def rows(shared: Shared, topic: str) -> list[dict[str, str]]:
    with shared("knowledge/worked_examples.csv").open(newline="") as f:
        return [r for r in csv.DictReader(f) if r["topic"] == topic]


def pool(size: int, headroom: int | None = None, includes: bool | Unknown = False, name: str = "in") -> tuple[Pool, ...]:
    b = lambda n: quantity(n, Unit.BYTES)  # noqa: E731
    shared = Pool(name, Direction.INGRESS, PoolKind.SHARED, PoolMode.DYNAMIC, b(size), includes_headroom=includes)
    if headroom is None:
        return (shared,)
    return (shared, Pool(name, Direction.INGRESS, PoolKind.HEADROOM, PoolMode.DYNAMIC, b(headroom)))


def group(reserved: int, alpha: str = "1", headroom: int = 0) -> PriorityGroup:
    return PriorityGroup(
        3,
        True,
        reserved=quantity(reserved, Unit.BYTES),
        threshold=Alpha(quantity(alpha, Unit.ALPHA)),
        headroom=quantity(headroom, Unit.BYTES),
        pool="in",
    )


def test_sequential_fill_matches_sixteen_published_points(shared: Shared) -> None:
    points = [r for r in rows(shared, "dynamic-threshold") if r["asic"] == "Tomahawk5"]
    assert len(points) >= 13
    for r in points:
        k = re.search(r"\[(\d+)\]", r["source"])
        assert k
        got = 74 + int(sequential_share(240087, int(k[1]) + 1))
        assert abs(got - int(r["published_output"])) <= 1, r["id"]


def test_xoff_point_of_tomahawk_is_per_domain() -> None:
    th = load("tomahawk")
    got = xoff_point(group(1248), pool(10875072, 4194112), th)
    assert isinstance(got, XoffPoint)
    assert got.certain
    # published: 6,542 cells = 6 + floor(10875072 / 4 / 208) / 2
    assert got.high.value // 208 == 6541
    assert abs(got.high.value / 208 - 6542) < 1


def test_headroom_between_pause_and_drop(shared: Shared) -> None:
    for r in rows(shared, "xoff-to-drop"):
        xoff = re.search(r"xoff=(\d+) B", r["other_inputs"])
        assert xoff
        cells = xoff_to_drop(int(xoff[1]), int(r["cell_bytes"]))
        assert int(r["published_output"]) - 1 <= cells <= int(r["published_output"]), r["id"]


def test_cells_of_a_headroom_pool_per_domain(shared: Shared) -> None:
    found = rows(shared, "headroom-pool-per-ITM")
    assert len(found) == 8
    for r in found:
        size, domains = re.search(r"xoff=(\d+)", r["other_inputs"]), re.search(r"itm_count=(\d+)", r["other_inputs"])
        assert size
        assert domains
        asic = load(r["asic"].lower())
        assert asic is not None
        assert asic.domains.value == int(domains[1])
        assert cells_per_domain(int(size[1]), int(domains[1]), int(r["cell_bytes"])) == int(r["published_output"]), r["id"]


def test_two_readings_where_no_source_tells() -> None:
    th5 = load("tomahawk5")
    got = xoff_point(group(0), pool(100_000, 40_000, Unknown("not sourced")), th5)
    assert isinstance(got, XoffPoint)
    assert not isinstance(got.low, Unknown)
    assert (got.low.value, got.high.value) == (15_000, 25_000)
    assert not got.certain


def test_voq_has_no_shared_pool_threshold() -> None:
    got = xoff_point(group(0), pool(1_000_000), load("jericho2"))
    assert isinstance(got, Unknown)
    assert "VOQ" in got.reason


def test_static_threshold_is_the_point_itself() -> None:
    g = PriorityGroup(3, True, reserved=quantity(100, Unit.BYTES), threshold=Static(quantity(5000, Unit.BYTES)), pool="in")
    got = xoff_point(g, pool(1), load("trident3"))
    assert isinstance(got, XoffPoint)
    assert got.high.value == 5100


def test_a_static_threshold_for_the_chip_is_one_domains_part_of_it() -> None:
    g = PriorityGroup(3, True, reserved=quantity(100, Unit.BYTES), threshold=Static(quantity(8000, Unit.BYTES)), pool="in")
    chip, either, none = (xoff_point(g, pool(1), c) for c in (load("tomahawk"), load("tomahawk5"), None))
    assert isinstance(chip, XoffPoint)
    assert isinstance(either, XoffPoint)
    assert isinstance(none, XoffPoint)
    assert chip.certain
    assert chip.high.value == 2_100
    assert not isinstance(either.low, Unknown)
    assert (either.low.value, either.high.value) == (4_100, 8_100), "no source says which"
    assert isinstance(none.low, Unknown)
    assert none.high.value == 8_100


def queue(limit: Alpha | Static) -> Queue:
    return Queue(QueueId(QueueKind.UNICAST, 3), limit=limit, pool="out", lossless=True)


def egress(size: int) -> Pool:
    return Pool(
        "out",
        Direction.EGRESS,
        PoolKind.SHARED,
        PoolMode.DYNAMIC,
        quantity(size, Unit.BYTES),
        includes_headroom=False,
    )


def test_egress_alpha_eight_drops_with_many_feeders_and_128_never() -> None:
    td3 = load("trident3")
    pools = (*pool(9_000_000), egress(9_000_000))
    eight = egress_never_drops(queue(Alpha(quantity(8, Unit.ALPHA))), group(0), pools, td3, headroom=100_000)
    assert isinstance(eight, EgressVerdict)
    assert not eight.drops_alone
    # 8/9 of 9 MB against n/(1+n) of 9 MB + n x 100 KB: n = 5 gives 7.5 + 0.5 = 8.0, n = 6 gives 7.71 + 0.6 > 8.0
    assert eight.drops_from == 6
    never = egress_never_drops(queue(Alpha(quantity(128, Unit.ALPHA))), group(0), pools, td3, headroom=100_000)
    assert isinstance(never, EgressVerdict)
    assert never.unlimited


def test_egress_static_below_one_group_drops_alone() -> None:
    pools = (*pool(9_000_000), egress(9_000_000))
    got = egress_never_drops(queue(Static(quantity(4_000_000, Unit.BYTES))), group(0), pools, load("trident3"), headroom=0)
    assert isinstance(got, EgressVerdict)
    assert got.drops_alone
    whole = egress_never_drops(queue(Static(quantity(9_000_000, Unit.BYTES))), group(0), pools, load("trident3"), headroom=0)
    assert isinstance(whole, EgressVerdict)
    assert whole.unlimited


def test_shared_headroom_pool_of_the_dell_guide() -> None:
    # 12 ports x 2 groups x 76 KB, private part none, ratio as used there: 35 of 76
    assert shared_headroom_pool([76_000] * 24, 0, Fraction(76, 35), private=0) == 840_000
    assert shared_headroom_pool([30 * 1024] * 4, 4, Fraction(2)) == 40 * 1024


def model(ports: int, headroom: int | None) -> SwitchModel:
    pfc = Pfc(PfcMode.ON, frozenset({3}), FrozenMap({3: frozenset({3})}))
    said = None if headroom is None else quantity(headroom, Unit.BYTES)
    qos = PortQos(pfc=pfc, groups=FrozenMap({3: PriorityGroup(3, True, headroom=said)}))
    return SwitchModel("s", "sonic", FrozenMap({f"E{i}": Port(f"E{i}", PortKind.FRONT, qos) for i in range(ports)}))


def test_pool_need_is_split_evenly_where_no_map_is_known() -> None:
    need = headroom_pool_need(model(8, 10_000), load("tomahawk2"))
    assert [n.total.value for n in need] == [20_000] * 4
    assert all(n.even for n in need)
    assert need[0].ratio(5_000) == 4
    assert need[0].at_once(25_000) == 2


def test_pool_need_names_groups_without_a_number() -> None:
    need = headroom_pool_need(model(2, None), load("trident3"))
    assert need[0].unknown == ("E0 group 3", "E1 group 3")
    assert need[0].total.value == 0


def test_ecn_of_hpcc(shared: Shared) -> None:
    for r in rows(shared, "ecn-hpcc"):
        low, high = (int(x) * 1000 for x in r["published_output"].split("/"))
        got = ecn_thresholds("inference", int(r["speed_gbps"]) * 1000, Unknown("no pool"))
        assert (got.kmin.value, got.kmax.value, got.pmax.value) == (low, high, 20), r["id"]


def test_ecn_is_capped_by_the_pause_point_and_rounded_down() -> None:
    point = xoff_point(group(0, "1/8"), pool(9_000_000), load("trident3"))
    assert isinstance(point, XoffPoint)
    got = ecn_thresholds("storage", 100_000, point, granularity=256)
    assert got.capped
    assert got.kmax.value <= point.high.value == 1_000_000
    assert got.kmax.value % 256 == 0 == got.kmin.value % 256
    assert got.kmin.value < got.kmax.value
    assert any(t.name == "cap" for t in got.kmax.terms)
    kept = ecn_thresholds("storage", 100_000, point, kmax=5_000_000)
    assert (kept.kmax.value, kept.capped) == (5_000_000, False)


def test_marking_when_pause_fires_on_tomahawk2() -> None:
    # published arithmetic: 5 % x (4.17 - 2) / 8 = 1.35 %
    at = dynamic_share(Fraction(1), Fraction(33_329_088, 4))
    got = marking_probability(2_000_000, 10_000_000, Fraction(5), int(at))
    assert float(got) == pytest.approx(1.35, abs=0.01)


@settings(max_examples=60, deadline=None)
@given(
    st.fractions(min_value=Fraction(1, 256), max_value=128),
    st.integers(1, 10**9),
    st.integers(1, 64),
)
def test_shares_of_n_groups_never_exceed_the_pool(alpha: Fraction, size: int, n: int) -> None:
    assert n * dynamic_share(alpha, size, n) < size
    assert dynamic_share(alpha, size, n + 1) < dynamic_share(alpha, size, n)
