"""Watchdog times against published defaults and pause durations, and what must hold of them on every NOS."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xoff.errors import UsageError
from xoff.model.origin import Evidence
from xoff.model.quantity import Unknown
from xoff.nos import registry
from xoff.platforms import Asic, load
from xoff.platforms.facts import Sourced
from xoff.platforms.watchdog import WatchdogLimits, of, table
from xoff.sizing.watchdog import (
    DRAINS,
    POLLS,
    WatchdogTimes,
    default_times,
    drain_ms,
    longest_pause_us,
    watchdog_times,
)

Shared = Callable[[str], Path]


def limits(nos: str) -> WatchdogLimits:
    return table()[nos] if nos in table() else of(nos, registry.load(nos).watchdog)


def ms(t: WatchdogTimes) -> tuple[int, int, int]:
    return t.detect.value, t.restore.value, t.poll.value


def rows(shared: Shared, topic: str) -> list[dict[str, str]]:
    with shared("knowledge/worked_examples.csv").open(newline="") as f:
        return [r for r in csv.DictReader(f) if r["topic"] == topic]


def test_sonic_starts_with_published_defaults(shared: Shared) -> None:
    found = rows(shared, "pfcwd-default")
    assert len(found) == 5
    for r in found:
        n = re.search(r"ports=(\d+)", r["other_inputs"])
        assert n
        t = default_times(limits("sonic"), int(n[1]))
        assert isinstance(t, WatchdogTimes)
        assert f"det={t.detect.value} rest={t.restore.value} poll={t.poll.value}" == r["published_output"], r["id"]


@pytest.mark.parametrize(("ports", "expected"), [(1, (200, 200, 200)), (32, (200, 200, 200)), (33, (400, 400, 400))])
def test_sonic_steps_at_begun_32_ports(ports: int, expected: tuple[int, int, int]) -> None:
    t = default_times(limits("sonic"), ports)
    assert isinstance(t, WatchdogTimes)
    assert ms(t) == expected


@pytest.mark.parametrize(
    ("nos", "expected"), [("junos", (200, 200, 100)), ("cumulus", (300, 100, 100)), ("enterprise_sonic", (400, 400, 400))]
)
def test_published_defaults_of_others(nos: str, expected: tuple[int, int, int]) -> None:
    t = default_times(limits(nos), 64)
    assert isinstance(t, WatchdogTimes)
    assert ms(t) == expected


@pytest.mark.parametrize("nos", ["eos", "nxos", "comware", "os10"])
def test_defaults_that_no_source_gives_are_unknown(nos: str) -> None:
    found = default_times(limits(nos), 64)
    assert isinstance(found, Unknown)
    assert nos in found.reason


def test_longest_pause_of_one_frame(shared: Shared) -> None:
    found = rows(shared, "pause-duration")
    assert len(found) == 5
    for r in found:
        us = longest_pause_us(int(float(r["speed_gbps"]) * 1000))
        assert float(us) == pytest.approx(float(r["published_output"]), abs=0.1), r["id"]


def test_drain_times_of_the_published_arithmetic() -> None:
    # one ITM of Tomahawk5 holds 86.6 MB: 1.7 ms at 400G; one XPE of Tomahawk 4.2 MB: 1.3 ms at 25G; rounded up
    for chip, speed, expected in (("tomahawk5", 400_000, 2), ("tomahawk5", 10_000, 70), ("tomahawk", 25_000, 2)):
        found = drain_ms(load(chip), speed)
        assert not isinstance(found, Unknown)
        assert found[0] == expected, chip


def test_ten_drain_times_of_the_own_memory() -> None:
    assert ms(watchdog_times(limits("eos"), 64, load("tomahawk5"), 10_000)) == (700, 1400, 350)
    assert ms(watchdog_times(limits("eos"), 64, load("tomahawk5"), 400_000)) == (200, 400, 100)
    assert ms(watchdog_times(limits("sonic"), 32, load("tomahawk5"), 10_000)) == (700, 700, 200)


def test_the_peer_is_who_pauses() -> None:
    own, deep = load("trident3"), load("jericho2")
    assert own is not None
    assert deep is not None
    alone = watchdog_times(limits("eos"), 32, own, 100_000)
    assert alone.detect.value == 200
    facing = watchdog_times(limits("eos"), 32, own, 100_000, (own, deep))
    assert facing.detect.value == 400
    assert any("Jericho2 (BCM88690) is a deep-buffer chip" in t.why for t in facing.detect.terms)
    big = watchdog_times(limits("eos"), 32, own, 10_000, (load("tomahawk5"),))  # type: ignore[arg-type]
    assert big.detect.value == 700 > watchdog_times(limits("eos"), 32, own, 10_000).detect.value


def test_a_memory_that_drains_for_seconds_is_said_where_the_nos_ends() -> None:
    hbm = Asic("hbm", "a chip with 8 GB", "", "", buffer=Sourced(8 * 10**9, "test", Evidence.READ))
    t = watchdog_times(limits("srlinux"), 32, hbm, 100_000)
    assert (t.detect.value, t.restore.value) == (1500, 1500)
    assert t.short == ("detection should be 6400 ms, srlinux takes at most 1500 ms",)
    assert watchdog_times(limits("eos"), 32, hbm, 100_000).short == ()


def test_counted_polls_are_whole() -> None:
    t = watchdog_times(limits("junos"), 64, load("tomahawk5"), 10_000)
    assert ms(t) == (700, 700, 100)


def test_speeds_out_of_range_are_refused() -> None:
    with pytest.raises(UsageError, match="100 to 1600000"):
        longest_pause_us(0)
    with pytest.raises(UsageError, match="100 to 1600000"):
        watchdog_times(limits("eos"), 1, load("tomahawk5"), -1)


CHIPS = [None, *(load(n) for n in ("tomahawk5", "trident3", "tomahawk", "jericho2", "spectrum3", "tomahawk6"))]
NOSES = ["sonic", "eos", *sorted(n for n in table() if table()[n].available is True)]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(NOSES),
    st.integers(1, 512),
    st.sampled_from(CHIPS),
    st.sampled_from([1_000, 10_000, 25_000, 100_000, 400_000, 800_000]),
)
def test_what_holds_everywhere(nos: str, ports: int, asic: Asic | None, speed: int) -> None:
    lim = limits(nos)
    t = watchdog_times(lim, ports, asic, speed)
    detect, restore, poll = ms(t)
    for limit, value in ((lim.detect, detect), (lim.restore, restore), (lim.poll, poll)):
        said = value // poll if limit.polls else value
        assert (limit.low or 0) <= said <= (limit.high or said), limit
        assert not limit.choices or value in limit.choices
        assert not limit.polls or value % poll == 0
    assert all(n.terms for n in (t.detect, t.restore, t.poll))
    if not t.short:
        assert restore >= detect >= POLLS * poll
        drain = drain_ms(asic, speed)
        assert isinstance(drain, Unknown) or detect >= DRAINS * drain[0]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["sonic", "eos"]), st.integers(1, 511), st.sampled_from(CHIPS), st.sampled_from([10_000, 100_000]))
def test_more_ports_and_slower_ports_never_detect_sooner(nos: str, ports: int, asic: Asic | None, speed: int) -> None:
    t = watchdog_times(limits(nos), ports, asic, speed)
    assert watchdog_times(limits(nos), ports + 1, asic, speed).detect.value >= t.detect.value
    assert watchdog_times(limits(nos), ports, asic, speed * 4).detect.value <= t.detect.value
