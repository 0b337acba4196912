"""A headroom pool that is smaller than the sum of what it promises: how many ports may be paused at once."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.simulation.links import Case
from tests.simulation.model import Pool, run
from xoff.sizing.number import number
from xoff.sizing.pools import Claim, PoolNeed, shared_headroom_pool

CASE = Case(100_000, 40, 9_216, 4_198, 254)
PORTS = 8


def lost(congested: int, pool_bytes: int, apart: int = 0) -> int:
    """Frames lost when so many of the ports are blocked, `apart` ps after one another."""
    pool = Pool(pool_bytes // CASE.cell)
    ports = [CASE.port(CASE.strict_response) for _ in range(congested)]
    for n, port in enumerate(ports):
        port.headroom, port.begins = pool, n * apart
    run(*ports)
    assert pool.taken == sum(p.over for p in ports) <= pool.cells
    return sum(p.lost for p in ports)


def at_once(headroom: int, pool: int) -> int:
    claim = Claim("port", 3, headroom, None)
    need = PoolNeed(None, number(PORTS * headroom, "sum", ()), claim, PORTS, False, ())
    assert need.ratio(pool) == Fraction(PORTS * headroom, pool)
    return need.at_once(pool)


@pytest.mark.parametrize("apart", [0, 3_000_000], ids=["together", "3 us apart"])
@pytest.mark.parametrize("ratio", [1, 2, 4, 8])
def test_a_pool_holds_as_many_as_its_ratio_says_and_no_more(ratio: int, apart: int) -> None:
    headroom = CASE.need(CASE.strict_response) * CASE.cell
    pool = shared_headroom_pool([headroom] * PORTS, PORTS, Fraction(ratio), private=0)
    k = at_once(headroom, pool)
    assert k == PORTS // ratio
    assert lost(k, pool, apart) == 0
    if k < PORTS:
        assert lost(k + 1, pool, apart) > 0
    assert lost(k, pool - CASE.cell, apart) > 0


@pytest.mark.parametrize("ratio", [1, Fraction(217, 100), 4])
def test_a_pool_made_of_strict_headroom(ratio: Fraction) -> None:
    """Its slack is about 6 % here, so one port more than it promises still loses."""
    headroom = CASE.strict() * CASE.cell
    pool = shared_headroom_pool([headroom] * PORTS, PORTS, Fraction(ratio), private=0)
    k = at_once(headroom, pool)
    assert lost(k, pool) == 0
    if k < PORTS:
        assert lost(k + 1, pool) > 0
