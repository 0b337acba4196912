"""The shape of headroom: monotonic, floor below strict, clear errors for impossible inputs."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xoff.errors import UsageError
from xoff.model.quantity import Unknown
from xoff.platforms import load
from xoff.platforms.facts import Asic
from xoff.sizing.headroom import QUANTA, LinkInput, floor_headroom, frame_of_mtu, frame_of_roce, strict_headroom
from xoff.sizing.limits import limits
from xoff.sizing.nvidia import nvidia_headroom, nvidia_xon

CHIPS = ("trident3", "tomahawk", "tomahawk2", "tomahawk3", "tomahawk4", "tomahawk5", "spectrum1", "spectrum4")
SPEEDS = tuple(sorted(QUANTA))
links = st.builds(
    LinkInput,
    speed=st.sampled_from(SPEEDS),
    cable_m=st.integers(0, 120_000),
    max_frame=st.integers(1518, 9600),
    lossless_frame=st.integers(1024, 9600),
)


def chip(name: str) -> Asic:
    found = load(name)
    assert found is not None
    return found


def value(got: object) -> int:
    assert not isinstance(got, Unknown), got
    return int(got.value)  # type: ignore[attr-defined]


@settings(max_examples=80, deadline=None)
@given(links, st.sampled_from(CHIPS))
def test_monotonic_in_cable_and_mtu(link: LinkInput, name: str) -> None:
    asic = chip(name)
    longer = dataclasses.replace(link, cable_m=min(link.cable_m + 40, 120_000))
    bigger = dataclasses.replace(link, max_frame=link.max_frame + 100)
    for size in (floor_headroom, strict_headroom):
        here = value(size(link, asic))
        assert value(size(longer, asic)) >= here
        assert value(size(bigger, asic)) >= here
    if name.startswith("spectrum"):
        assert value(nvidia_headroom(longer, asic)) >= value(nvidia_headroom(link, asic))


@settings(max_examples=80, deadline=None)
@given(links, st.sampled_from(CHIPS))
def test_floor_is_below_strict_and_strict_is_whole_cells(link: LinkInput, name: str) -> None:
    asic = chip(name)
    strict = value(strict_headroom(link, asic))
    assert value(floor_headroom(link, asic)) <= strict
    assert strict % value_of_cell(asic) == 0


def value_of_cell(asic: Asic) -> int:
    assert isinstance(asic.cell.value, int)
    return asic.cell.value


@pytest.mark.parametrize("name", CHIPS)
def test_monotonic_in_speed_within_a_class(name: str) -> None:
    # below 10G and at 100G the IEEE response is longer in time, so bytes still rise with speed
    sizes = [value(strict_headroom(LinkInput(s, 40), chip(name))) for s in SPEEDS]
    assert sizes == sorted(sizes)


def test_floor_by_hand() -> None:
    got = floor_headroom(LinkInput(400_000, 40, frame_of_mtu(9100), frame_of_roce(4096)))
    # 9142 + 84 + 4198 + 1100 ns x 400G / 8 = 55000 + 400 ns x 400G / 8 = 20000
    assert got.value == 9142 + 84 + 4198 + 55_000 + 20_000
    assert [t.name for t in got.terms] == [
        "own frame in the way",
        "pause frame",
        "last lossless frame",
        "response",
        "cable, both ways",
    ]


def test_a_peer_that_reacts_slowly_and_a_gearbox_cost_headroom() -> None:
    link = LinkInput(100_000, 5)
    slow = dataclasses.replace(link, response_ns=5_000)
    assert value(floor_headroom(slow)) - value(floor_headroom(link)) == 3_900 * 100 // 8
    gearbox = dataclasses.replace(link, delay_ns=400)
    assert value(floor_headroom(gearbox)) - value(floor_headroom(link)) == 2 * 400 * 100 // 8


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        (LinkInput(400_000, -1), "0 to 120000 m"),
        (LinkInput(400_000, 500_000), "0 to 120000 m"),
        (LinkInput(10, 5), "100 to 1600000 Mb/s"),
        (LinkInput(400_000, 5, max_frame=0), "64 to 16384 bytes"),
    ],
)
def test_impossible_inputs_name_the_valid_range(bad: LinkInput, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        floor_headroom(bad, chip("tomahawk5"))


def test_voq_without_a_proven_factor_has_only_the_floor() -> None:
    got = limits(chip("q3d"), LinkInput(400_000, 300))
    assert isinstance(got.strict, Unknown)
    assert "accounting unit" in got.strict.reason
    assert got.floor.value > 0
    assert nvidia_headroom(LinkInput(400_000, 300), chip("tomahawk5")).__class__ is Unknown


def test_limits_take_the_longest_listed_cable_that_is_not_longer() -> None:
    asic = chip("spectrum4")
    got = limits(asic, LinkInput(400_000, 100))
    assert got.shipped_cable_m == 40
    assert got.shipped is not None
    assert got.lowest_shipped == got.shipped.low.xoff <= got.shipped.high.xoff
    assert limits(asic, LinkInput(400_000, 2)).shipped is None


def test_xon_doubles_on_eight_lanes() -> None:
    assert value(nvidia_xon(chip("spectrum4"))) == 19 * 1024
    assert value(nvidia_xon(chip("spectrum4"), lanes=8)) == 38 * 1024
    assert value(nvidia_xon(chip("spectrum6"))) == 42 * 1024


def test_floor_and_strict_of_a_link_of_which_only_speed_and_cable_are_known() -> None:
    got = limits(chip("tomahawk5"), LinkInput(400_000, 40))
    # 9236 + 84 + 4198 + 55000 + 20000: the lossless frame is RoCE's, not a jumbo
    assert got.floor.value == 88_518
    assert value(got.strict) == value(strict_headroom(LinkInput(400_000, 40, 9216, 9216), chip("tomahawk5"))) == 451_866
