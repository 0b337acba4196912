"""Pause and resume over many cycles: headroom holds in each, an offset calms, and too low a resume level starves."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.simulation.links import STRICT_PS, Case
from tests.simulation.model import Wire, cells_of, on_line
from tests.simulation.resume import Group, play

US = 1_000_000
CASE = Case(100_000, 40, 9_216, 4_198, 254)


def group(offset: int, drain: int = 80_000, sizes: tuple[int, ...] = (4_198,), **more: int) -> Group:
    """100G, 40 m, pausing above 400 cells (about 100 KB) after the queue was blocked for 20 us."""
    g = Group(CASE.wire, sizes, 254, 400, offset, drain, STRICT_PS, 9_216, blocked=20 * US)
    return replace(g, **more)  # type: ignore[arg-type]


def after(g: Group, us: int = 1_000) -> Group:
    play(g, us * US)
    return g


@pytest.mark.parametrize("sizes", [(64,), (4_198,), (64, 4_198), (255, 64, 1_126)], ids=str)
@pytest.mark.parametrize("drain", [20_000, 50_000, 80_000])
def test_headroom_holds_in_every_cycle(sizes: tuple[int, ...], drain: int) -> None:
    g = after(group(34, drain, sizes, headroom=CASE.strict()), 400)
    assert g.pauses >= 5
    assert g.lost == 0
    short = after(group(34, drain, sizes, headroom=g.peak - g.xoff - 1), 400)
    assert short.lost > 0


def test_without_an_offset_the_link_flaps() -> None:
    """Two full frames of offset: a pause every 24 us instead of every 4.4, which is about as fast as pauses can travel here."""
    flapping, calm = after(group(0)), after(group(2 * cells_of(4_198, 254)))
    assert (flapping.pauses, calm.pauses) == (221, 41)
    assert 980 * US / flapping.pauses < 1.2 * flapping.round_trip
    assert flapping.starved == calm.starved == 0
    assert flapping.delivered == calm.delivered


def test_an_offset_as_large_as_the_threshold_starves_the_queue() -> None:
    """The peer is let go when the buffer is empty: nothing leaves until its first frame is here."""
    calm, starving = after(group(34)), after(group(400))
    assert starving.resume_at == 0
    assert calm.starved == 0
    assert starving.starved > 30 * US
    assert starving.delivered < calm.delivered


def test_xon_keeps_the_resume_level_up() -> None:
    assert after(group(400, xon=366)).starved == 0
    assert after(group(400, xon=366)).pauses == after(group(34)).pauses


def test_a_queue_that_drains_at_line_rate_pauses_once() -> None:
    g = after(group(0, 100_000))
    assert (g.pauses, g.starved) == (1, 0)


def round_trips_worth(g: Group, slower: int) -> int:
    """Cells that drain from the decision to resume until a frame that it let through can leave, and one frame leaving."""
    drained = -(-g.round_trip // (g.wire.byte * slower))
    size = g.sizes[0]
    return (-(-drained // on_line(size)) + 1) * cells_of(size, g.cell)


def resumed_at(g: Group, level: int, slower: int) -> Group:
    """The group after several cycles with this resume level, first blocked until it is paused and full."""
    g.xoff = level + g.offset
    g.blocked = (g.xoff + 1) * on_line(g.sizes[0]) * g.wire.byte + 2 * g.control
    assert g.resume_at == level
    play(g, g.blocked + 6 * (g.round_trip + g.xoff * g.cell * g.wire.byte * slower))
    assert g.pauses >= 1
    return g


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    size=st.integers(64, 9_216),
    cell=st.sampled_from([96, 144, 192, 254, 420]),
    link=st.sampled_from([(25_000, 100), (100_000, 3), (100_000, 300), (400_000, 40)]),
    slower=st.sampled_from([2, 4, 5]),
    offset=st.integers(0, 200),
)
def test_a_resume_level_of_one_round_trip_never_starves(
    size: int, cell: int, link: tuple[int, int], slower: int, offset: int
) -> None:
    wire = Wire(*link)
    g = Group(wire, (size,), cell, 0, offset, wire.speed // slower, STRICT_PS, 9_216)
    assert resumed_at(g, round_trips_worth(g, slower), slower).starved == 0


@pytest.mark.parametrize("link", [(25_000, 100), (100_000, 300), (400_000, 40)])
def test_half_a_round_trip_starves(link: tuple[int, int]) -> None:
    wire = Wire(*link)
    g = Group(wire, (1_126,), 254, 0, 100, wire.speed // 2, STRICT_PS, 9_216)
    assert resumed_at(g, round_trips_worth(g, 2) // 2, 2).starved > 0
