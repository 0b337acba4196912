"""The shape of headroom: monotonic, floor below strict, clear errors for impossible inputs."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xoff.errors import UsageError
from xoff.model.origin import Evidence
from xoff.model.quantity import Context, Unit, Unknown, quantity
from xoff.model.switch import Architecture
from xoff.platforms import load
from xoff.platforms.facts import Asic, Sourced
from xoff.sizing.headroom import QUANTA, floor_headroom, strict_headroom
from xoff.sizing.ieee import ieee_headroom
from xoff.sizing.limits import limits
from xoff.sizing.link import LinkInput, architectures_of, frame_of_mtu, frame_of_roce
from xoff.sizing.number import term, total
from xoff.sizing.nvidia import nvidia_headroom, nvidia_xon
from xoff.sizing.presets import all_presets, by_preset, table_headroom

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


@pytest.mark.parametrize("asic", ["tomahawk5", "spectrum4"])
def test_terms_name_every_summand(asic: str) -> None:
    chip = load(asic)
    assert chip is not None
    got = strict_headroom(LinkInput(400_000, 40), chip)
    assert not isinstance(got, Unknown)
    names = [t.name for t in got.terms]
    assert names[:3] == ["own frame in the way", "pause frame", "MAC and PHY"]
    assert all(t.source and t.why for t in got.terms)
    assert got.origin.preset == "strict"


# --- every preset ---------------------------------------------------------------------------------------------------------


def all_of(link: LinkInput, asic: Asic) -> dict[str, int]:
    """Numbers of every preset that has one, the script also in its oldest version."""
    found = {**all_presets(link, asic), "nvidia 202012": by_preset("nvidia", link, asic, release="202012")}
    return {name: n.value for name, n in found.items() if not isinstance(n, Unknown)}


@settings(max_examples=60, deadline=None)
@given(links, st.sampled_from(CHIPS), st.integers(0, 100), st.integers(1, 5000), st.integers(1, 400))
def test_more_of_anything_never_needs_less(link: LinkInput, name: str, small: int, metres: int, bytes_: int) -> None:
    asic = chip(name)
    here = dataclasses.replace(link, small_packets=small, cable_m=min(link.cable_m, 100_000))
    for more in (
        dataclasses.replace(here, cable_m=here.cable_m + metres),
        dataclasses.replace(here, max_frame=here.max_frame + bytes_),
        dataclasses.replace(here, lossless_frame=here.lossless_frame + bytes_),
        dataclasses.replace(here, delay_ns=metres),
    ):
        less, much = all_of(here, asic), all_of(more, asic)
        assert less.keys() == much.keys()
        if more.lossless_frame != here.lossless_frame:
            # the script turns packets into bytes by the lossless MTU: with larger packets small ones are a smaller share
            less = {k: v for k, v in less.items() if not k.startswith("nvidia")}
        assert {k: (v, much[k]) for k, v in less.items() if v > much[k]} == {}


@pytest.mark.parametrize("name", CHIPS)
@pytest.mark.parametrize("speeds", [SPEEDS[:3], SPEEDS[2:]], ids=["to 10G", "from 10G"])
def test_every_preset_rises_with_speed_within_a_class(name: str, speeds: tuple[int, ...]) -> None:
    asic = chip(name)
    by_speed = [all_of(LinkInput(s, 40, small_packets=50), asic) for s in speeds]
    for preset in set().union(*by_speed):
        sizes = [found[preset] for found in by_speed if preset in found]
        assert sizes == sorted(sizes), preset


@settings(max_examples=60, deadline=None)
@given(links, st.sampled_from(CHIPS))
def test_rounding_is_up_and_by_less_than_one_step(link: LinkInput, name: str) -> None:
    asic = chip(name)
    for preset, step in (("strict", value_of_cell(asic)), ("nvidia", 1024)):
        n = by_preset(preset, link, asic)
        if isinstance(n, Unknown):
            continue
        rounding = next(Fraction(t.value) for t in n.terms if t.name in ("cells", "rounding"))
        assert 0 <= rounding < step
        assert n.value % step == 0


@settings(max_examples=60, deadline=None)
@given(links, st.sampled_from(CHIPS), st.integers(1, 20_000))
def test_the_peer_never_lowers_the_own_table_and_a_slow_one_raises_it(link: LinkInput, name: str, ns: int) -> None:
    asic = chip(name)
    peer = dataclasses.replace(chip("tomahawk6"), response_ns=Sourced(ns, "a test", Evidence.COMPUTED))
    alone = value(strict_headroom(link, asic))
    beside = value(strict_headroom(dataclasses.replace(link, peer=peer), asic))
    assert beside >= alone
    assert value(floor_headroom(dataclasses.replace(link, peer=peer), asic)) == value(floor_headroom(link, asic))


def test_a_read_response_of_the_peer_decides_the_floor() -> None:
    peer = dataclasses.replace(chip("tomahawk6"), response_ns=Sourced(4_000, "a data sheet", Evidence.READ))
    got = floor_headroom(LinkInput(100_000, 5, peer=peer))
    assert (
        next(t for t in got.terms if t.name == "response").why
        == "4000 ns at 100G: the peer's chip, Broadcom Tomahawk6 (BCM78910)"
    )


# --- units ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"speed": "400G"},
        {"speed": 400.0},
        {"cable_m": "40m"},
        {"cable_m": 1.5},
        {"cable_m": True},
        {"max_frame": quantity(9, Unit.KB)},
        {"lossless_frame": "4KB"},
        {"small_packets": Fraction(1, 2)},
        {"response_ns": "2us"},
        {"delay_ns": 0.4},
    ],
)
def test_only_plain_numbers_of_the_named_unit_are_taken(wrong: dict[str, object]) -> None:
    link = dataclasses.replace(LinkInput(400_000, 40), **wrong)  # type: ignore[arg-type]
    for preset in ("floor", "strict", "nvidia", "ieee", "table"):
        with pytest.raises(UsageError):
            by_preset(preset, link, chip("spectrum4"))


def test_terms_of_another_unit_are_not_summed() -> None:
    nanoseconds = term("response", 2_200, "a time", "a test", unit="ns")
    with pytest.raises(ValueError, match="response is in ns, not in B"):
        total((term("frame", 9_216, "a frame", "a test"), nanoseconds))


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(list(Unit)), st.integers(1, 10_000))
def test_a_quantity_is_bytes_only_where_its_unit_says_how(unit: Unit, amount: int) -> None:
    """Without cell, K, speed, limit and pool only units of bytes mean bytes; with a speed also times; no share or alpha."""
    fixed = {Unit.BYTES, Unit.KB, Unit.KIB, Unit.MB, Unit.MIB}
    times = {Unit.SECONDS, Unit.MILLISECONDS, Unit.MICROSECONDS, Unit.NANOSECONDS}
    q = quantity(amount, unit)
    assert isinstance(q.bytes(Context()), Unknown) is (unit not in fixed)
    assert isinstance(q.bytes(Context(speed_mbps=100_000)), Unknown) is (unit not in fixed | times)
    assert isinstance(q.ns(), Unknown) is (unit not in times)


# --- what holds where -----------------------------------------------------------------------------------------------------


def test_every_formula_declares_its_architectures() -> None:
    every = frozenset(Architecture)
    for function in (floor_headroom, strict_headroom, ieee_headroom, table_headroom):
        assert architectures_of(function) == every
    for function in (nvidia_headroom, nvidia_xon):
        assert architectures_of(function) == {Architecture.SHARED}


@pytest.mark.parametrize("name", ["jericho2", "q3d", "tomahawk5", "spectrum4"])
def test_no_number_where_a_formula_does_not_hold(name: str) -> None:
    asic = chip(name)
    for function, got in (
        (nvidia_headroom, by_preset("nvidia", LinkInput(400_000, 40), asic)),
        (strict_headroom, by_preset("strict", LinkInput(400_000, 40), asic)),
    ):
        if asic.architecture.value not in architectures_of(function):
            assert isinstance(got, Unknown)


@pytest.mark.parametrize(("speed", "missing"), [(400_000, "interface delay"), (800_000, "pause quanta and interface delay")])
def test_ieee_says_which_component_has_no_source(speed: int, missing: str) -> None:
    got = ieee_headroom(LinkInput(speed, 40))
    assert isinstance(got, Unknown)
    assert f"no source gives the IEEE {missing} at {speed // 1000}G" in got.reason


def test_ieee_by_hand() -> None:
    # 9236 + 84 + 122880 / 8 + 2 x 100 m x 5 ns x 100G / 8 + 394 x 64 + 4218
    got = ieee_headroom(LinkInput(100_000, 100))
    assert value(got) == 9_236 + 84 + 15_360 + 12_500 + 25_216 + 4_218


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"small_packets": 120}, "share of small packets 120 % is out of range: 0 to 100 %"),
        ({"small_packets": -1}, "0 to 100 %"),
        ({"delay_ns": -1}, "delay -1 ns is out of range: 0 to 1000000 ns"),
        ({"response_ns": 0}, "response time 0 ns is out of range: 1 to 1000000 ns"),
        ({"lanes": 99}, "lanes 99 is out of range: 1 to 16"),
        ({"port_mtu": 0}, "64 to 16384 bytes"),
    ],
)
def test_impossible_details_name_the_valid_range(wrong: dict[str, int], named: str) -> None:
    link = dataclasses.replace(LinkInput(400_000, 40), **wrong)
    with pytest.raises(UsageError) as e:
        by_preset("nvidia", link, chip("spectrum4"))
    assert named in str(e.value)


def test_a_preset_that_does_not_exist_lists_those_that_do() -> None:
    with pytest.raises(UsageError, match="there are floor, strict, nvidia, ieee, table"):
        by_preset("relaxed", LinkInput(400_000, 40), chip("spectrum4"))
