"""Marking thresholds: published rows, rounding in hardware, unlike units; partitions and thresholds of other NOSes."""

from __future__ import annotations

import csv
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizing.buffers import alpha, shared, static
from xoff.errors import UsageError
from xoff.model.qos import Queue, QueueId, QueueKind
from xoff.model.quantity import Context, Unit, Unknown, quantity
from xoff.model.switch import Direction
from xoff.platforms import load
from xoff.sizing.compare import Order, compare, in_hardware, queue_limit, threshold_bytes
from xoff.sizing.ecn import dynamic_bound, ecn_thresholds, static_bound
from xoff.sizing.ecn_table import TABLE, published_for, same_digits, scaled_for
from xoff.sizing.partitions import (
    DEFAULTS,
    comware_alpha,
    junos_alpha,
    junos_bytes,
    junos_family,
    junos_faults,
    vrp_alpha,
)

SharedFile = Callable[[str], Path]


def rows(path: Path, topic: str) -> list[dict[str, str]]:
    with path.open(newline="") as f:
        return [r for r in csv.DictReader(f) if r["topic"] == topic]


# --- published ----------------------------------------------------------------------------------------------------------


def test_hardware_rounding_as_published(shared: SharedFile) -> None:
    (row,) = rows(shared("knowledge/worked_examples.csv"), "ecn-rounding")
    spectrum4 = load("spectrum4")
    assert spectrum4 is not None
    step = spectrum4.ecn_granularity.value
    assert step == 64 * int(row["cell_bytes"])
    assert in_hardware(150_000, step) == int(row["published_output"])
    assert in_hardware(150_000, 9_216) == 156_672, "the same page, Spectrum-3"
    assert in_hardware(step, step) == step


def test_bounds_of_dcqcn(shared: SharedFile) -> None:
    found = {r["id"]: float(r["published_output"]) for r in rows(shared("knowledge/worked_examples.csv"), "dcqcn-bound")}
    assert dynamic_bound(Fraction(8), 12_000_000, 32, 22_400) / 1000 == pytest.approx(found["W320"], abs=0.01)
    xoff, kmin = static_bound(12_000_000, 32, 22_400)
    assert float(xoff) / 1000 == pytest.approx(24.47, abs=0.01)
    assert kmin < 1_500, "the paper's conclusion: below one MTU (it prints 0.85 KB, its own arithmetic gives 0.76)"
    assert float(kmin) / 1000 == pytest.approx(0.765, abs=0.001)
    assert kmin < found["W319"] * 1000


def test_scaled_rows_give_the_published_pairs(shared: SharedFile) -> None:
    for r in rows(shared("knowledge/worked_examples.csv"), "ecn-hpcc"):
        low, high = (int(x) * 1000 for x in r["published_output"].split("/"))
        speed = int(r["speed_gbps"]) * 1000
        assert (TABLE[0], speed) in scaled_for(low, high)
        assert TABLE[0].at(speed) == (low, high)


def test_what_a_row_was_published_for() -> None:
    (th5,) = published_for(131_072, 262_144)
    assert [s for s in (100_000, 200_000, 800_000) if th5.fits(s)] == [200_000, 800_000]
    (azure,) = published_for(1_048_576, 2_097_152)
    assert azure.fits(10_000)
    assert azure.fits(800_000)
    assert published_for(250_001, 1_048_576) == ()
    assert all(r.source and r.kmin <= r.kmax for r in TABLE)


def test_bare_numbers_that_are_a_published_pair_in_another_unit() -> None:
    found = same_digits(Fraction(150), Fraction(1500))
    assert found is not None
    assert (found[0].kmin, found[1]) == (150_000, "kbytes")
    assert same_digits(Fraction(128), Fraction(256)) is not None, "KiB"
    assert same_digits(Fraction(1600), Fraction(6400)) is not None, "HPCC at 400G"
    assert same_digits(Fraction(320), Fraction(320)) is None
    assert same_digits(Fraction(3000), Fraction(9000)) is None


def test_defaults_by_workload_and_speed_are_rows_of_the_table() -> None:
    none = Unknown("no pool")
    for workload in ("training", "inference", "storage"):
        for speed in (25_000, 100_000, 200_000, 400_000, 800_000):
            got = ecn_thresholds(workload, speed, none)
            pair = (got.kmin.value, got.kmax.value)
            assert any(r.fits(speed) for r in published_for(*pair)) or any(s == speed for _, s in scaled_for(*pair)), pair


# --- unlike units -------------------------------------------------------------------------------------------------------


def test_comparing_units() -> None:
    kb, by, cells = quantity(150, Unit.KBYTES), quantity(151_000, Unit.BYTES), quantity(700, Unit.CELLS)
    assert compare(quantity(8, Unit.MBYTES), quantity(890, Unit.KBYTES), Context()) is Order.ABOVE
    assert compare(kb, kb, Context()) is Order.EQUAL
    open_k = compare(kb, by, Context())
    assert isinstance(open_k, Unknown)
    assert "1,024" in open_k.reason
    assert compare(kb, by, Context(kilo=1000)) is Order.BELOW
    assert isinstance(compare(cells, by, Context()), Unknown)
    assert compare(cells, by, Context(cell=208)) is Order.BELOW
    assert isinstance(compare(quantity(5, Unit.SEGMENTS), by, Context(cell=208)), Unknown), "a segment is no cell"
    late = quantity(10, Unit.MICROSECONDS)
    assert isinstance(compare(late, by, Context()), Unknown)
    assert compare(late, by, Context(speed_mbps=100_000)) is Order.BELOW
    assert isinstance(compare(quantity(5, Unit.PERCENT), by, Context(limit=10)), Unknown), "a probability is no size"


def test_percent_of_a_dynamic_limit_moves_with_the_load() -> None:
    td3 = load("trident3")
    pools = (shared("out", Direction.EGRESS, 9_000_000),)
    queue = Queue(QueueId(QueueKind.UNICAST, 3), limit=alpha("8"), pool="out")
    half = quantity(50, Unit.PERCENT_OF_LIMIT)
    alone, four = (threshold_bytes(half, Context(), queue_limit(queue, pools, td3, n)) for n in (1, 4))
    assert alone == (4_000_000, 4_000_000)
    assert four == (1_090_909, 1_090_909)
    assert isinstance(threshold_bytes(half, Context()), Unknown)
    assert isinstance(threshold_bytes(half, Context(), queue_limit(queue, (), td3)), Unknown)
    fixed = Queue(QueueId(QueueKind.UNICAST, 3), limit=static(1_000), pool="out")
    assert queue_limit(fixed, (), td3, 9) == (1_000, 1_000)
    assert threshold_bytes(quantity(10, Unit.KB), Context()) == (10_000, 10_000)


SIZE = st.integers(0, 10**9)


@settings(max_examples=80, deadline=None)
@given(SIZE, st.integers(1, 100_000))
def test_rounding_goes_up_by_less_than_a_step_and_stays(said: int, step: int) -> None:
    got = in_hardware(said, step)
    assert said <= got < said + step
    assert got % step == 0
    assert in_hardware(got, step) == got


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 10**6), st.sampled_from(list(Unit)), st.integers(1, 10**6), st.sampled_from(list(Unit)))
def test_units_are_never_mixed(a: int, ua: Unit, b: int, ub: Unit) -> None:
    """Without a fact to convert by, only sizes whose bytes are known compare with each other; the answer mirrors."""
    sizes = {Unit.BYTES, Unit.KB, Unit.KIB, Unit.MB, Unit.MIB, Unit.KBYTES, Unit.MBYTES}
    there, back = (compare(quantity(x, ux), quantity(y, uy), Context()) for x, ux, y, uy in ((a, ua, b, ub), (b, ub, a, ua)))
    if ua is not ub and not {ua, ub} <= sizes:
        assert isinstance(there, Unknown)
    mirror = {Order.BELOW: Order.ABOVE, Order.ABOVE: Order.BELOW, Order.EQUAL: Order.EQUAL}
    assert isinstance(there, Unknown) == isinstance(back, Unknown)
    if not isinstance(there, Unknown) and not isinstance(back, Unknown):
        assert mirror[there] is back


# --- other NOSes --------------------------------------------------------------------------------------------------------


def test_junos_sums_by_platform() -> None:
    validated = ({"lossless": 66, "lossless-headroom": 24, "lossy": 10}, {"lossless": 66, "lossy": 10})
    assert junos_family("QFX5240-64OD") == "uniform"
    assert junos_faults(*validated, "uniform") == ()
    assert [f.what for f in junos_faults(*validated, "classic")] == ["egress lossless + lossy + multicast"]
    broken = junos_faults({"lossless": 80, "lossless-headroom": 10, "lossy": 10}, {"lossless": 80, "lossy": 20}, "uniform")
    assert [(f.what, f.found, f.wanted) for f in broken] == [("egress lossy (as at ingress)", 20, 10)]
    short = junos_faults({"lossless": 50, "lossless-headroom": 20, "lossy": 10}, {}, "classic")
    assert [(f.found, f.wanted) for f in short] == [(80, 100)]
    for family in DEFAULTS:
        assert junos_faults({}, {}, family) == (), "what Junos does unasked adds up"
    assert isinstance(junos_family("MX960"), Unknown)
    for bad in ({"lossy": 101}, {"lossy": -1}, {"lossy": True}):
        with pytest.raises(UsageError, match="0 to 100"):
            junos_faults(bad, {}, "classic")


def test_junos_bytes_of_the_default_partitions() -> None:
    """Techpost, QFX5130: of 111,263 KB shared, 22,252 lossless, 11,126 headroom, 77,884 lossy."""
    got = junos_bytes(111_263, DEFAULTS["uniform"][0])
    assert got == {"lossless": 22_252, "lossless-headroom": 11_126, "lossy": 77_884}
    assert junos_bytes(1000, {"lossless": 50}, percent=80, domains=2) == {"lossless": 200}


@given(SIZE, st.lists(st.integers(0, 33), min_size=3, max_size=3), st.integers(5, 100))
def test_partitions_never_exceed_what_they_part(size: int, shares: list[int], percent: int) -> None:
    assert sum(junos_bytes(size, dict(zip("abc", shares, strict=True)), percent).values()) <= size


def test_alphas_of_other_noses() -> None:
    assert [junos_alpha(n) for n in (0, 7, 10)] == [Fraction(1, 128), 1, 8]
    assert [comware_alpha(n) for n in (0, 6, 11, 12, 50, 100)] == [
        Fraction(1, 128), Fraction(1, 8), Fraction(1, 8), Fraction(1, 4), 1, 8,
    ]  # fmt: skip
    for ratio in range(101):  # the share that an alpha stands for lies in the range of ratios that mean it
        share = comware_alpha(ratio) / (1 + comware_alpha(ratio)) * 100
        assert abs(share - ratio) <= 17
    assert vrp_alpha(10, "egress") == 8
    assert isinstance(vrp_alpha(3, "ingress"), Unknown)
    for alpha_of, bad in ((junos_alpha, 11), (comware_alpha, 101), (comware_alpha, -1)):
        with pytest.raises(UsageError, match="out of range"):
            alpha_of(bad)
