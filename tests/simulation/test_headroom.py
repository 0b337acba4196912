"""Headroom against an adversary: what is computed holds, what is a cell less than needed does not, and what lies between."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from tests.simulation.links import CASES, FLOOR_PS, Case, chip, name
from tests.simulation.model import cells_of, run
from tests.simulation.peers import Adversary
from xoff.model.quantity import Unknown
from xoff.sizing.headroom import strict_headroom

GOLDEN = Path(__file__).with_name("golden_headroom.txt")
HEAD = """\
# Headroom by formula and by simulation. Cells unless said otherwise; written by --update-goldens.
# need      cells that the adversary takes; one less loses a frame. Peer: 2.2 us or the standard's response, the longer
# strict    computed for the same link
# slack     strict - need
# last      of it: the last frame counted as if it were small ones, CF x M / cell - ceil(M / cell); strict cannot know better
# rest      of it: 12 B gap after the pause frame less 8 B preamble of the last, whole frames, up to a whole cell
# ieee      need if the peer responds in the standard's time: what the 2.2 us cost is need - ieee
# floor     bytes computed: factor 1, peer 1.1 us, no bytes in MAC and PHY
# full      bytes that a peer takes which sends full-size frames only, under the floor's terms
# worst     bytes that the adversary takes under the floor's terms
"""
COLUMNS = ("need", "strict", "slack", "last", "rest", "ieee", "floor", "full", "worst")


def factor(cell: int) -> Fraction:
    """Cells per byte time of the worst packet size, by hand: 64 B in a cell, or a cell and a byte in two."""
    return max(Fraction(1, 84), Fraction(2, cell + 21))


def last_frame(case: Case) -> Fraction:
    """Cells that a formula with one factor counts too many for the last frame, which is one frame."""
    return factor(case.cell) * case.lossless - cells_of(case.lossless, case.cell)


def row(case: Case) -> tuple[str, ...]:
    need, strict = case.in_strict()[0], case.strict()
    last = last_frame(case)
    full = case.need_full_size(FLOOR_PS) * case.cell
    worst = case.need(FLOOR_PS, 0) * case.cell
    return (
        str(need),
        str(strict),
        str(strict - need),
        f"{float(last):.1f}",
        f"{float(strict - need - last):.1f}",
        str(case.need(case.wire.ieee_response())),
        str(case.floor()),
        str(full),
        str(worst),
    )


@pytest.mark.parametrize("case", CASES, ids=name)
def test_strict_holds_and_a_cell_less_than_the_need_does_not(case: Case) -> None:
    need, lost = case.in_strict()
    assert lost == 0
    assert need <= case.strict()
    assert case.loses(need - 1, case.strict_response)


@pytest.mark.parametrize("case", CASES, ids=name)
def test_strict_has_no_slack_that_is_not_explained(case: Case) -> None:
    slack = case.strict() - case.in_strict()[0]
    assert -1 < slack - last_frame(case) < 3


@pytest.mark.parametrize("case", CASES, ids=name)
def test_a_peer_in_the_standards_time_needs_no_more(case: Case) -> None:
    shorter = case.strict_response - case.wire.ieee_response()
    saved = case.in_strict()[0] - case.need(case.wire.ieee_response())
    assert shorter >= 0
    assert abs(saved - factor(case.cell) * Fraction(shorter, case.wire.byte)) < 3


@pytest.mark.parametrize("case", CASES, ids=name)
def test_floor_is_never_enough_against_the_adversary(case: Case) -> None:
    assert case.loses(case.floor() // case.cell, FLOOR_PS, 0)


@pytest.mark.parametrize("case", CASES, ids=name)
def test_floor_is_what_even_full_size_frames_need(case: Case) -> None:
    """No small packets at all: what the formula counts beyond the need is the 20 B of preamble and gap of each frame."""
    frames = case.floor() // (case.lossless + 20) + 3
    assert case.need_full_size(FLOOR_PS) * case.cell >= case.floor() - 20 * frames


@pytest.mark.parametrize(
    ("speed", "cable_m", "any_frame", "lossless"),
    [(25_000, 5, 9216, 1126), (100_000, 3, 9216, 4198), (100_000, 40, 1522, 1522), (400_000, 3, 9216, 9216)],
)
def test_floor_in_a_memory_of_single_bytes(speed: int, cable_m: int, any_frame: int, lossless: int) -> None:
    """With cells of one byte nothing is wasted: the floor is enough for full-size frames, and but the gaps all needed."""
    case = Case(speed, cable_m, any_frame, lossless, cell=1)
    frames = case.floor() // (lossless + 20) + 3
    assert case.floor() - 20 * frames <= case.need_full_size(FLOOR_PS) <= case.floor()


def test_the_table_of_all_cases(update_goldens: bool) -> None:
    lines = [f"{'link':<34}" + "".join(f"{c:>10}" for c in COLUMNS)]
    lines += [f"{name(case):<34}" + "".join(f"{v:>10}" for v in row(case)) for case in CASES]
    text = HEAD + "\n".join(lines) + "\n"
    if update_goldens:
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()


JUMBOS = Case(400_000, 100, 9216, 9216, 254, box_ns=400)
ROCE = JUMBOS.but(lossless=1126)


@pytest.mark.parametrize(
    ("case", "forgotten"),
    [
        (ROCE, {"any_frame": 4198}),
        (JUMBOS, {"lossless": 1126}),
        (JUMBOS, {"cable_m": 40}),
        (JUMBOS, {"box_ns": 0}),
        (JUMBOS, {"speed": 200_000}),
        (JUMBOS, {"cell": 144}),
    ],
    ids=["own jumbo", "lossless jumbo", "cable", "gearbox", "speed", "cell"],
)
def test_a_term_that_is_forgotten_loses_frames(case: Case, forgotten: dict[str, int]) -> None:
    said = case.but(**forgotten)
    assert not case.loses(case.strict(), case.strict_response)
    assert case.loses(said.strict() * said.cell // case.cell, case.strict_response)


def test_a_slow_peer_loses_unless_its_response_is_given() -> None:
    case, slow = Case(100_000, 40, 9216, 4198, 254), 4_000_000
    assert case.loses(case.strict(), slow)
    told = strict_headroom(replace(case.link(), response_ns=4_000), chip(case.cell))
    assert not isinstance(told, Unknown)
    assert not case.loses(told.value // case.cell, slow)


class JumboFirst(Adversary):
    """A largest frame first, then as the adversary."""

    def __init__(self, case: Case) -> None:
        super().__init__(case.cell, case.lossless, case.wire.byte)
        self.first = case.lossless


@pytest.mark.parametrize(("cell", "covered"), [(96, False), (144, False), (192, True), (254, True), (318, True), (420, True)])
def test_a_memory_that_counts_whole_frames(cell: int, covered: bool) -> None:
    """Counted when its last byte is there, a jumbo crosses with all its cells at once. Not what the formulas assume.

    From 192 B cells on the slack of `strict` covers that too; for 96 and 144 B it does not.
    """
    case = Case(400_000, 40, 9216, 9216, cell)
    port = case.port(case.strict_response, peer=JumboFirst(case))
    port.whole, port.xoff = True, 0
    run(port)
    assert (port.over <= case.strict()) is covered
