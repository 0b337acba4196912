"""The state of a switch's buffers: published sums, hand-made switches, and laws that hold for all of them."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizing.buffers import alpha, headroom, shared, static, switch
from xoff.errors import UsageError
from xoff.model.quantity import Unknown
from xoff.model.switch import Direction, SwitchModel
from xoff.platforms import Asic, find, load
from xoff.sizing.budget import Budget, budgets
from xoff.sizing.resume import resume_level
from xoff.sizing.state import BufferState, state_of
from xoff.sizing.static import Scale, StaticScale, off_scale, static_scale
from xoff.sizing.thresholds import XoffPoint

IN, OUT = Direction.INGRESS, Direction.EGRESS


def asic(name: str) -> Asic:
    found = load(name)
    assert found is not None
    return found


def state(model: SwitchModel, name: str, n: int = 1) -> BufferState:
    found = state_of(model, asic(name), n)
    assert isinstance(found, BufferState), found
    return found


def only(model: SwitchModel, name: str) -> Budget:
    found = budgets(model, asic(name))
    assert not isinstance(found, Unknown)
    return found[0]


def low(point: XoffPoint | Unknown) -> int:
    assert isinstance(point, XoffPoint)
    assert not isinstance(point.low, Unknown)
    return point.low.value


# --- sums of the memory ------------------------------------------------------------------------------------------------


def test_sums_of_a_published_switch_guide(request: pytest.FixtureRequest) -> None:
    """Dell S6100, tables 20-22: 12 ports, 2 groups, 18 KB minimum, 76 KB headroom each or 35 KB on average, 208 KB shared."""
    path: Path = request.getfixturevalue("shared")("knowledge/worked_examples.csv")
    with path.open(newline="") as f:
        rows = {r["id"]: int(r["published_output"]) for r in csv.DictReader(f) if r["topic"] == "pool-accounting"}
    assert len(rows) == 3
    sums = []
    for each in (76, 35):
        pools = (shared("in", IN, 208_000), headroom(12 * 2 * each * 1000))
        sums.append(only(switch(12, pools, groups=(3, 4), reserved=18_000), "tomahawk").low.value // 1000)
    assert sums == [rows["W340"], rows["W341"]]
    assert sums[0] - sums[1] == rows["W342"]


def test_a_shipped_pool_that_no_memory_holds() -> None:
    """NH-4210 (Tomahawk6), sonic-buildimage issue 28657: 614,370 + 194,176 cells in a memory of 636,183."""
    found = only(switch(2, (shared("in", IN, 258_035_400), headroom(81_553_920))), "tomahawk6")
    assert found.sourced
    assert found.low.value == found.high.value == (614_370 + 194_176) * 420
    assert found.memory == 636_183 * 420
    assert found.left[0] < 0
    repaired = only(switch(2, (shared("in", IN, 176_481_480), headroom(81_553_920))), "tomahawk6")
    assert repaired.left[0] > 0


def test_headroom_is_inside_on_one_chip_on_top_on_another_and_open_on_a_third() -> None:
    pools = (shared("in", IN, 1_000_000), headroom(200_000))
    model = switch(1, pools, reserved=5_000)
    assert [only(model, n).low.value for n in ("trident3", "tomahawk", "tomahawk2")] == [1_000_000, 1_205_000, 1_000_000]
    assert [only(model, n).high.value for n in ("trident3", "tomahawk", "tomahawk2")] == [1_000_000, 1_205_000, 1_205_000]
    assert [only(model, n).sourced for n in ("trident3", "tomahawk", "tomahawk2")] == [True, True, False]


def test_an_egress_pool_that_limits_nothing_promises_nothing() -> None:
    for limit in (alpha("128"), static(9_000_000)):
        model = switch(1, (shared("out", OUT, 9_000_000),), limit=limit, queue_reserved=1_500)
        assert (only(model, "tomahawk").low.value, only(model, "tomahawk").high.value) == (0, 1_500)
    model = switch(1, (shared("out", OUT, 9_000_000),), limit=alpha("8"), queue_reserved=1_500)
    assert (only(model, "tomahawk").low.value, only(model, "tomahawk").high.value) == (9_000_000, 9_001_500)


def test_what_is_not_known_is_named_and_the_sum_is_a_lower_bound() -> None:
    found = only(switch(2, (shared("in", IN, None),)), "tomahawk")
    assert found.missing == ("pool in: the device computes its size",)
    for chip, why in (("jericho2", "VOQ"), ("spectrum1", "buffer")):
        unknown = budgets(switch(1, (shared("in", IN, 1),)), asic(chip))
        assert isinstance(unknown, Unknown)
        assert why in unknown.reason


# --- n groups congested ------------------------------------------------------------------------------------------------


def test_state_of_a_tomahawk_with_published_numbers() -> None:
    """sonic-mgmt qos_params.th.yaml: XOFF at 6,542 cells; 10 groups of 520 cells fit one domain's part of the headroom pool."""
    pools = (shared("in", IN, 10_875_072), headroom(4_194_112))
    got = state(switch(64, pools, reserved=1_248, room=108_160), "tomahawk")
    assert abs(low(got.groups[0].xoff) / 208 - 6542) < 1
    assert got.domain.headroom_pool == 5_041 * 208 + 4_194_112 // 4 % 208
    assert got.first is not None
    assert not isinstance(got.first, Unknown)
    assert (got.first.what, got.first.groups) == ("headroom pool", 10)
    assert got.overflowing == ()
    assert [o.what for o in state(switch(64, pools, reserved=1_248, room=108_160), "tomahawk", 10).overflowing] == [
        "headroom pool"
    ]


def test_a_queue_that_fills_before_the_headroom_pool_is_first() -> None:
    pools = (shared("in", IN, 9_000_000), shared("out", OUT, 9_000_000), headroom(2_000_000))
    got = state(switch(64, pools, room=100_000, limit=static(5_000_000)), "trident3")
    assert got.first is not None
    assert not isinstance(got.first, Unknown)
    # ingress holds 7 of 9 MB (headroom inside): 3.5 + 0.1 MB alone, 2 x 7 / 3 + 0.2 = 4.87 MB, 3 x 7 / 4 + 0.3 = 5.55 MB
    assert (got.first.what, got.first.groups, got.first.limit, got.first.need) == ("egress queue", 3, 5_000_000, 5_550_000)
    assert "egress queue" in str(got.first)


def test_more_headroom_than_groups_can_take_never_overflows() -> None:
    pools = (shared("in", IN, 8_000_000), headroom(4 * 8 * 10_000))
    got = state(switch(8, pools, room=10_000), "tomahawk")
    assert got.groups[0].per_domain == 2
    assert not [o for o in got.overflows if o.what == "headroom pool"]


def test_a_nos_without_pools_gives_a_bound_and_says_so() -> None:
    got = state(switch(4, (), room=10_000, pool=None), "tomahawk", 2)
    point = got.groups[0].xoff
    assert isinstance(point, XoffPoint)
    assert isinstance(point.low, Unknown)
    assert point.high.value == 16_777_216 // 4 // 3
    assert isinstance(got.first, Unknown)
    assert isinstance(got.domain.shared, Unknown)


def test_no_answer_instead_of_a_wrong_one() -> None:
    model = switch(4, (shared("in", IN, 1_000_000),))
    for chip, why in ((asic("jericho2"), "VOQ"), (None, "ASIC")):
        found = state_of(model, chip)
        assert isinstance(found, Unknown)
        assert why in found.reason
    for n in (0, -1, 100_000, True):
        with pytest.raises(UsageError, match="1 to 8192"):
            state_of(model, asic("tomahawk"), n)


SIZES = st.integers(1_000, 10**8)
ALPHAS = st.sampled_from(["1/128", "1/16", "1/8", "1/4", "1/2", "1", "2", "4", "8"])


@settings(max_examples=80, deadline=None)
@given(SIZES, ALPHAS, st.integers(1, 40), st.sampled_from(["tomahawk", "trident3", "tomahawk5", "spectrum3"]))
def test_groups_at_their_point_never_hold_more_than_the_pool(size: int, a: str, n: int, chip: str) -> None:
    model = switch(40, (shared("in", IN, size), headroom(size // 4)), threshold=alpha(a), reserved=0, room=1_000)
    got = state(model, chip, n)
    assert not isinstance(got.domain.shared, Unknown)
    assert not isinstance(got.domain.left, Unknown)
    held = n * low(got.groups[0].xoff)
    assert 0 <= got.domain.left.value <= got.domain.shared.value
    assert held + got.domain.left.value <= got.domain.shared.value + n + 1  # whole bytes
    more = state(model, chip, n + 1)
    assert low(more.groups[0].xoff) <= low(got.groups[0].xoff), "falls with every further group"


@settings(max_examples=60, deadline=None)
@given(SIZES, st.integers(0, 7), st.integers(1, 16))
def test_the_point_grows_with_alpha(size: int, code: int, n: int) -> None:
    points = [
        low(
            state(switch(2, (shared("in", IN, size),), threshold=alpha(str(Fraction(2) ** (c - 7)))), "trident3", n)
            .groups[0]
            .xoff
        )
        for c in (code, code + 1)
    ]
    assert points[0] <= points[1]


# --- resume and static thresholds --------------------------------------------------------------------------------------


def test_resume_level_is_the_higher_of_the_two() -> None:
    assert resume_level(10_000, 2_000, 2_500).value == 7_500
    assert resume_level(3_000, 2_000, 2_500).value == 2_000
    assert resume_level(3_000, 0, 5_000).value == 0, "an offset above the point: not before the group is empty"
    assert resume_level(3_000, 0).value == 0
    with pytest.raises(UsageError, match="xon"):
        resume_level(3_000, -1)


def test_scale_of_static_thresholds_by_chip_and_by_what_is_shipped() -> None:
    def scale(chip: str, model: str | None = None) -> object:
        platform = find(model) if model else None
        found = static_scale(asic(chip), platform.buffers(leaf=True) if platform else None)
        return found.scale if isinstance(found, StaticScale) else found

    assert scale("tomahawk") is Scale.CHIP
    assert scale("trident2") is Scale.CHIP, "one domain: both scales are one"
    assert isinstance(scale("tomahawk5"), Unknown)
    assert scale("tomahawk5", "Arista-7060X6-16PE-384C-B-O128S2") is Scale.DOMAIN
    assert scale("tomahawk5", "Arista-7060X6-64PE-256x200G") is Scale.CHIP
    assert isinstance(static_scale(None), Unknown)


def test_thresholds_off_their_scale() -> None:
    th, th5 = asic("tomahawk"), asic("tomahawk5")
    quarter = off_scale(3_995_680, 15_982_720, th, Scale.CHIP)
    assert quarter is not None
    assert quarter.meant == 15_982_720
    assert off_scale(15_982_720, 15_982_720, th, Scale.CHIP) is None
    assert off_scale(5_000_000, 15_982_720, th, Scale.CHIP) is None, "a limit of one's own is not off the scale"
    cells = off_scale(15_982_720 // 208, 15_982_720, th, Scale.CHIP)
    assert cells is not None
    assert "cells of 208 B" in cells.what
    whole = off_scale(165_364_160, 164_075_364, th5, Scale.DOMAIN)
    assert whole is not None
    assert whole.meant == 82_037_682
    assert off_scale(82_682_080, 164_110_924, th5, Scale.DOMAIN) is None
    assert off_scale(3_000_000, 12_000_000, asic("trident3"), Scale.CHIP) is None, "one memory domain"
