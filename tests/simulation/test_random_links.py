"""Headroom against the adversary for links that nobody thought of."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.simulation.links import STRICT_PS, Case, chip
from tests.simulation.model import IEEE_QUANTA
from tests.simulation.test_headroom import last_frame
from xoff.model.quantity import Unknown
from xoff.sizing.headroom import strict_headroom

#: Metres by speed, so that no link has more than about 50 KB on its cable each way.
LONGEST = {25_000: 2_000, 50_000: 1_000, 100_000: 800, 200_000: 400, 400_000: 200, 800_000: 80}


@st.composite
def cases(draw: st.DrawFn) -> Case:
    speed = draw(st.sampled_from(sorted(IEEE_QUANTA)))
    return Case(
        speed,
        draw(st.integers(0, LONGEST[speed])),
        draw(st.integers(64, 9_600)),
        draw(st.integers(64, 9_600)),
        draw(st.integers(64, 512)),
        draw(st.sampled_from([0, 0, 365, 400])),
    )


@settings(max_examples=40, deadline=None, derandomize=True)
@given(cases())
def test_strict_holds_and_the_need_is_tight(case: Case) -> None:
    need, lost = case.in_strict()
    assert lost == 0
    assert case.loses(need - 1, case.strict_response)
    if case.lossless > case.cell:
        assert -1 < case.strict() - need - last_frame(case) < 3


@settings(max_examples=40, deadline=None, derandomize=True)
@given(cases(), st.integers(300, 6_000))
def test_a_response_that_is_given_holds(case: Case, ns: int) -> None:
    """A time by hand replaces the 2.2 us, never the standard's: the peer may take either."""
    got = strict_headroom(replace(case.link(), response_ns=ns), chip(case.cell))
    assert not isinstance(got, Unknown)
    assert not case.loses(got.value // case.cell, max(ns * 1_000, case.wire.ieee_response()))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(cases())
def test_floor_is_not_above_the_need(case: Case) -> None:
    """Against sizes that fill cells badly every chip needs more than the floor; so less than it is an error for all."""
    if case.lossless > case.cell:
        assert case.need(STRICT_PS // 2, 0) * case.cell >= case.floor()
