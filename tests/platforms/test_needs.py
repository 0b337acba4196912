"""What a missing fact is said to block is what it blocks: the sizing functions are asked without it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from xoff.model.qos import Alpha, PriorityGroup
from xoff.model.quantity import Unit, Unknown, quantity
from xoff.model.switch import Direction, Pool, PoolKind, PoolMode
from xoff.platforms import Asic, Sourced, load
from xoff.platforms.needs import NEEDS
from xoff.sizing.headroom import LinkInput, floor_headroom, strict_headroom
from xoff.sizing.nvidia import nvidia_headroom, nvidia_xon
from xoff.sizing.thresholds import XoffPoint, xoff_point
from xoff.sizing.watchdog import drain_ms

LINK = LinkInput(400_000, 40, 9216, 4200)
NOTHING: Sourced[int] = Sourced(Unknown("not sourced"))


def chip(name: str, *without: str) -> Asic:
    asic = load(name)
    assert asic is not None
    return replace(asic, **dict.fromkeys(without, NOTHING))  # type: ignore[arg-type]


def point(asic: Asic, in_cells: bool = False) -> XoffPoint | Unknown:
    size = quantity(100_000, Unit.CELLS) if in_cells else quantity(20_000_000, Unit.BYTES)
    pool = Pool("in", Direction.INGRESS, PoolKind.SHARED, PoolMode.DYNAMIC, size, includes_headroom=False)
    group = PriorityGroup(3, True, threshold=Alpha(quantity(Fraction(1), Unit.ALPHA)), pool="in")
    return xoff_point(group, (pool,), asic)


@pytest.mark.parametrize(
    ("name", "fact", "ask"),
    [
        ("tomahawk5", "cell", lambda a: strict_headroom(LINK, a)),
        ("tomahawk5", "cell", lambda a: point(a, in_cells=True)),
        ("tomahawk5", "buffer", lambda a: drain_ms(a, 400_000)),
        ("spectrum4", "cell", lambda a: nvidia_headroom(LINK, a)),
        ("spectrum4", "mac_phy_delay", lambda a: nvidia_headroom(LINK, a)),
        ("spectrum4", "peer_response", lambda a: nvidia_headroom(LINK, a)),
        ("spectrum4", "tile_ns", lambda a: nvidia_headroom(LINK, a)),
        ("spectrum4", "pipeline_latency", lambda a: nvidia_xon(a)),
    ],
)
def test_without_the_fact_there_is_no_number(name: str, fact: str, ask: Callable[[Asic], object]) -> None:
    assert not isinstance(ask(chip(name)), Unknown), "with the fact there is a number"
    assert isinstance(ask(chip(name, fact)), Unknown)
    assert fact in NEEDS


def test_what_is_assumed_instead_is_what_the_text_says() -> None:
    blind = chip("tomahawk5", "response_ns")
    floor, strict = floor_headroom(LINK, blind), strict_headroom(LINK, blind)
    assert not isinstance(strict, Unknown)
    response = [next(t.value for t in n.terms if t.name == "response") for n in (floor, strict)]
    assert response == [1_100 * 400 // 8, 2_200 * 400 // 8]
    one, two = point(chip("tomahawk5", "domains")), point(chip("tomahawk5"))
    assert isinstance(one, XoffPoint)
    assert isinstance(two, XoffPoint)
    assert one.high.value == 2 * two.high.value


def test_rules_that_are_named_are_in_the_catalogue(shared: Callable[[str], Path]) -> None:
    known = set(re.findall(r"^\| ([A-Z]{3}\d{3}) ", shared("RULES.md").read_text(encoding="utf-8"), re.M))
    assert len(known) > 50
    assert {c for n in NEEDS.values() for c in n.codes} <= known
