"""The simulation itself, against times and counts worked out by hand, and its adversary against exhaustive choice."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.simulation.links import Case
from tests.simulation.model import Frame, Pool, Port, Wire, cells_of, on_line, run
from tests.simulation.peers import Adversary, Aimed, Listed, Steady, densest, head, packing, sizes_worth_sending


def test_one_pause_by_hand() -> None:
    """100G (80 ps a byte), 10 m (50 ns), cell 256, 1,000 B frames: 4 cells each, 1,020 byte times or 81.6 ns apart."""
    port = Port(Wire(100_000, 10), Steady(1_000), cell=256, xoff=5, response=500_000, own_frame=1_500, mac_phy=100)
    run(port)
    # cell 6 is the second of the second frame: 1,020 + 8 + 256 + 100 byte times and the cable
    crossed = (1_020 + 8 + 256 + 100) * 80 + 50_000
    assert port.crossed == crossed == 160_720
    # own frame 8 + 1,500 + 12, pause frame 8 + 64, cable
    assert port.heard == crossed + (1_520 + 72) * 80 + 50_000 == 338_080
    assert port.stop == 838_080
    # frames begin every 81.6 ns: the eleventh at 816,000 is the last; its last cell opens 768 bytes into it
    assert (port.sent, port.last_began) == (11, 816_000)
    assert port.last_counted == 816_000 + (8 + 768 + 100) * 80 + 50_000
    assert (port.held, port.over) == (44, 39)


def test_a_frame_that_begins_in_the_last_picosecond_is_sent_and_one_after_it_is_not() -> None:
    def sent(response: int) -> int:
        port = Port(Wire(100_000, 0), Steady(1_000), 256, 0, response, None)
        run(port)
        return port.sent

    # crossed at 8 bytes, pause out 72 later, at 6,400 ps; frames begin at 0, 81,600, 163,200
    assert (sent(163_200 - 6_401), sent(163_200 - 6_400)) == (2, 3)


def test_pause_waits_for_what_is_left_of_the_own_frame() -> None:
    def heard(own: int | None, age: int) -> int | None:
        port = Port(Wire(100_000, 0), Steady(1_000), 256, 0, 1_000, own, own_age=age)
        run(port)
        return port.heard

    alone = heard(None, 0)
    assert alone == (8 + 72) * 80
    assert heard(9_216, 0) == alone + 9_236 * 80
    assert heard(9_216, 9_000 * 80) == alone + 236 * 80
    assert heard(9_216, 9_236 * 80) == heard(9_216, 20_000 * 80) == alone


def test_other_classes_hold_the_line_and_no_cell() -> None:
    port = Port(Wire(100_000, 0), Listed([Frame(1_000), Frame(9_000, lossless=False)]), 256, 0, 720_000, None)
    run(port)
    # crossed at 0.64 ns, paused from 726.4 ns on; the next lossless frame would begin at 803.2 ns
    assert (port.sent, port.held) == (1, 4)


def test_a_lost_frame_gives_its_cells_back() -> None:
    port = Port(Wire(100_000, 0), Steady(1_000), 256, 4, 100_000, None, headroom=Pool(6))
    run(port)
    # 4 below, 4 of the second frame, 2 of the third, which is lost; the fourth starts at 244.8 ns, after the pause
    assert (port.sent, port.lost, port.over, port.held) == (3, 1, 4, 8)


@pytest.mark.parametrize(("cell", "size"), [(96, 97), (144, 145), (168, 64), (192, 64), (254, 64), (420, 64)])
def test_the_densest_frame(cell: int, size: int) -> None:
    """64 B in a cell of its own or a byte more than a cell, from 147 B cells on the former: cell + 21 against 2 x 84."""
    assert densest(cell, 9_216) == size


@pytest.mark.parametrize("cell", [96, 144, 192, 254, 420])
@pytest.mark.parametrize(("speed", "cable_m"), [(25_000, 3), (100_000, 40)])
def test_no_choice_of_frames_takes_more_cells_than_the_adversarys(cell: int, speed: int, cable_m: int) -> None:
    """All frames from the crossing to the stop, chosen together and exactly, and the largest at the end."""
    case = Case(speed, cable_m, 1_522, 1_522, cell)
    port = case.port(500_000 + 84 * case.wire.byte)
    run(port)
    assert port.stop is not None
    # the first frame is over after preamble, cell + 1 bytes and gap
    free = on_line(head(cell, 1_522)) * case.wire.byte
    best, _ = packing(cell, 1_522, (port.stop - free) // case.wire.byte)
    assert port.over == 1 + best + cells_of(1_522, cell)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(cell=st.integers(64, 200), budget=st.integers(0, 2_000), data=st.data())
def test_packing_is_not_beaten_by_any_frames_drawn(cell: int, budget: int, data: st.DataObject) -> None:
    best, sizes = packing(cell, 600, budget)
    assert sum(on_line(s) for s in sizes) <= budget
    assert sum(cells_of(s, cell) for s in sizes) == best
    left, got = budget, 0
    while left >= on_line(64):
        size = data.draw(st.integers(64, min(600, left - 20)))
        left, got = left - on_line(size), got + cells_of(size, cell)
    assert got <= best


frames = st.builds(Frame, st.integers(64, 4_198), st.booleans() | st.just(True))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    drawn=st.lists(frames | st.builds(Frame, st.sampled_from(sizes_worth_sending(254, 4_198))), min_size=1, max_size=30),
    age=st.integers(0, 400_000),
    xoff=st.integers(0, 200),
    whole_line=st.booleans(),
)
def test_no_random_peer_takes_more_cells_than_the_adversary(drawn: list[Frame], age: int, xoff: int, whole_line: bool) -> None:
    case = Case(100_000, 20, 9_216, 4_198, 254)
    drawn = [*drawn, Frame(64)] if not any(f.lossless for f in drawn) else drawn
    port = case.port(case.strict_response, peer=Listed(drawn))
    port.xoff, port.own_age = xoff, age
    port.own_frame = 9_216 if whole_line else None
    run(port)
    assert port.over <= case.need(case.strict_response)


def test_the_aimed_peer_hits_the_instant() -> None:
    for target in range(20_000, 24_000, 7):
        peer, now = Aimed(1_522, 80, target * 80), 0
        while now < target:
            size = peer.next(now * 80, None).size
            assert 64 <= size <= 1_522
            now += on_line(size)
        assert now == target


def test_the_adversary_keeps_to_the_largest_frame_of_its_class() -> None:
    peer = Adversary(254, 1_126, 80)
    got = [peer.next(0, None).size, *(peer.next(t, 200_000).size for t in range(0, 200_000, 84 * 80))]
    assert max(got) <= 1_126
