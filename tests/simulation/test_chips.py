"""The presets with the facts of real chips, each under the assumptions that it makes and under the adversary's."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from tests.simulation.links import MAC_PHY, NS, STRICT_PS, Case, chip
from tests.simulation.model import Port, cells_of, on_line, run
from tests.simulation.peers import Steady
from tests.simulation.test_headroom import factor, last_frame
from xoff import data, platforms
from xoff.model.quantity import Unknown
from xoff.model.switch import Architecture
from xoff.platforms.facts import Asic
from xoff.sizing.headroom import strict_headroom
from xoff.sizing.ieee import INTERFACE_BITS, ieee_headroom
from xoff.sizing.nvidia import nvidia_headroom

LOADED = [platforms.load(file.stem) for file in sorted(data.PLATFORMS.glob("*.yaml"))]
#: The cell of a VOQ chip is an accounting unit: there is nothing to play with.
CELLS = [a for a in LOADED if a and isinstance(a.cell.value, int) and a.architecture.value is not Architecture.VOQ]


def by_table(asic: Asic) -> bool:
    """Whether the chip's factor is taken from the slope of a shipped table and lies below that of its own cell."""
    stated = asic.cell_factor.value
    assert isinstance(asic.cell.value, int)
    return not isinstance(stated, Unknown) and stated < asic.cell.value * factor(asic.cell.value)


def case_of(asic: Asic) -> Case:
    assert isinstance(asic.cell.value, int)
    return Case(100_000, 40, 9_216, 4_198, asic.cell.value)


def cells(asic: Asic, case: Case) -> int:
    got = strict_headroom(case.link(), asic)
    assert not isinstance(got, Unknown), got
    return got.value // case.cell


@pytest.mark.parametrize("asic", CELLS, ids=lambda a: a.name)
def test_strict_with_each_chips_facts(asic: Asic) -> None:
    """It holds but for chips whose factor is the vendor's (Tomahawk3 and others): below the worst case of their cells."""
    case = case_of(asic)
    own = asic.response_ns.value
    response = max(case.strict_response, 0 if isinstance(own, Unknown) else own * NS)
    assert case.loses(cells(asic, case), response) is by_table(asic)


def test_a_factor_by_table_stands_for_larger_packets() -> None:
    """Tomahawk3: 254/192 is what 172 B packets need in 254 B cells, 254 of them and none with a byte more.

    64 B packets need 254/84, and its `strict` loses them: it is what the vendor ships, not the worst case.
    """
    asic = platforms.load("tomahawk3")
    assert asic is not None
    assert asic.cell_factor.value == Fraction(254, 192)
    assert by_table(asic)
    case = case_of(asic)
    have = cells(asic, case)
    holds = {s: not case.loses(have, STRICT_PS, peer=Steady(s)) for s in (64, 128, 140, 172, 254, 255, 300, 380, 4_198)}
    assert holds == {64: False, 128: False, 140: False, 172: True, 254: True, 255: False, 300: False, 380: True, 4_198: True}


SPECTRUM = [f"spectrum{n}" for n in range(1, 7)]


def nvidia(name: str, speed: int, cable_m: int, small: int) -> tuple[Case, int, int, int]:
    """(link, cells that the preset gives, response in ps, bytes in MAC and PHY), by the constants that the script has."""
    asic = platforms.load(name)
    assert asic is not None
    case = case_of(asic).but(speed=speed, cable_m=cable_m)
    got = nvidia_headroom(replace(case.link(), small_packets=small), asic, lossless_mtu=case.lossless)
    assert not isinstance(got, Unknown)
    quanta = 905 if speed == 800_000 else 0
    response = quanta * 64 * case.wire.byte or case.wire.ieee_response()
    tile = asic.tile_ns.value
    assert isinstance(tile, int)
    return case, got.value // case.cell, response, 820 + -(-tile * speed // 8_000)


@pytest.mark.parametrize("name", SPECTRUM)
@pytest.mark.parametrize(("speed", "cable_m"), [(100_000, 5), (400_000, 40), (800_000, 300)])
def test_nvidia_with_all_small_packets_holds(name: str, speed: int, cable_m: int) -> None:
    """It counts no pause frame and no gap, but its factor counts no preamble and gap either: cell/64, rounded up."""
    case, have, response, mac_phy = nvidia(name, speed, cable_m, 100)
    need = case.need(response, mac_phy)
    assert need < have
    assert not case.loses(have, response, mac_phy)


@pytest.mark.parametrize("name", SPECTRUM)
@pytest.mark.parametrize(("speed", "cable_m"), [(100_000, 5), (400_000, 40), (800_000, 300)])
def test_nvidia_with_half_small_packets_holds_for_that_mix_and_not_for_the_adversary(
    name: str, speed: int, cable_m: int
) -> None:
    case, have, response, mac_phy = nvidia(name, speed, cable_m, 50)
    assert not case.loses(have, response, mac_phy, Steady(64, case.lossless))
    assert case.loses(have, response, mac_phy)


def test_nvidia_at_800g_rests_on_905_quanta() -> None:
    """A peer that takes twice that, as NVIDIA's own table for the SN6600 allows, loses at short cables."""
    case, have, response, mac_phy = nvidia("spectrum4", 800_000, 5, 100)
    assert not case.loses(have, response, mac_phy)
    assert case.loses(have, 2 * response, mac_phy)


@pytest.mark.parametrize("speed", [25_000, 100_000])
def test_ieee_holds_in_bytes_and_not_in_cells(speed: int) -> None:
    """A budget on the wire: enough in a memory of single bytes for full-size frames, too little for small ones in cells."""
    case = Case(speed, 20, 9_216, 1_522, 1)
    got = ieee_headroom(case.link())
    assert not isinstance(got, Unknown)
    interface = INTERFACE_BITS[speed] // 8
    response = case.wire.ieee_response()
    need = case.need_full_size(response, interface)
    frames = got.value // on_line(case.lossless) + 3
    # the interface's bytes come after the crossing only where they had not been counted: all of them here
    assert got.value - interface - 20 * frames <= need <= got.value
    assert case.but(cell=254).loses(got.value // 254, response, interface)


def test_a_full_size_frame_needs_its_cells() -> None:
    port = Port(Case(100_000, 1, 9_216, 4_198, 254).wire, Steady(4_198), 254, 0, 0, None)
    run(port)
    assert port.over == cells_of(4_198, 254) == 17
    assert chip(254).cell.value == 254


@pytest.mark.parametrize("name", SPECTRUM)
@pytest.mark.parametrize("speed", [100_000, 400_000, 800_000])
def test_strict_counts_the_bytes_on_the_way_across_the_chip(name: str, speed: int) -> None:
    """Spectrum-4 and -5 state 120 ns: at 800G 12 KB that arrive before the buffer counts them."""
    asic = platforms.load(name)
    assert asic is not None
    assert isinstance(asic.tile_ns.value, int)
    case = case_of(asic).but(speed=speed, lossless=9_216)
    mac_phy = MAC_PHY + asic.tile_ns.value * speed // 8_000
    need, slack = case.need(case.strict_response, mac_phy), last_frame(case)
    assert -1 < cells(asic, case) - need - slack < 3
