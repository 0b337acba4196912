"""SONiC's own headroom scripts as an oracle: what each release branch's script answered when it was run, row by row.

`sonic_scripts.csv` holds inputs and answers of `buffer_headroom_mellanox.lua` and `buffer_headroom_barefoot.lua` of the release
branches of sonic-net/sonic-swss, run in a Lua interpreter with the databases answered by hand. Only numbers were kept.
"""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import pytest

from xoff.model.origin import Evidence
from xoff.model.quantity import Unknown
from xoff.model.switch import Architecture
from xoff.platforms import load
from xoff.platforms.facts import Asic, Sourced
from xoff.sizing.link import LinkInput
from xoff.sizing.number import Number
from xoff.sizing.nvidia import SCRIPT_TOFINO, SCRIPTS, Version, default_small_packets, nvidia_headroom, nvidia_xon, version_of

with (Path(__file__).parent / "sonic_scripts.csv").open(newline="") as f:
    ROWS = list(csv.DictReader(f))


def tofino2() -> Asic:
    """Constants of sonic-buildimage platform/barefoot/asic_table.j2, whether or not platforms/ holds the chip."""

    def read(value: object) -> Sourced[object]:
        return Sourced(value, "platform/barefoot/asic_table.j2", Evidence.READ)

    facts = {
        "cell": 176,
        "architecture": Architecture.SHARED,
        "pipeline_latency": 68 * 1024,
        "mac_phy_delay": Fraction(4096, 5),
        "peer_response": Fraction(9 * 1024),
    }
    return Asic("tofino2", "Intel Tofino2", "Intel", "Tofino", **{k: read(v) for k, v in facts.items()})  # type: ignore[arg-type]


def asic_of(name: str) -> Asic:
    found = tofino2() if name == "tofino2" else load(name)
    assert found is not None
    return found


def version(asic: Asic, release: str) -> Version:
    found = version_of(asic, release)
    assert not isinstance(found, Unknown), found
    return found


@pytest.mark.parametrize("release", sorted({r["release"] for r in ROWS}))
def test_every_answer_of_the_release_s_script(release: str) -> None:
    wrong, checked = [], 0
    for r in (r for r in ROWS if r["release"] == release):
        asic = asic_of(r["asic"])
        v = version(asic, release)
        link = LinkInput(
            int(r["speed_mbps"]),
            int(r["cable_m"]),
            delay_ns=int(r["gearbox_ns"]),
            small_packets=int(r["small_packets"]),
            lanes=int(r["lanes"]),
            port_mtu=int(r["port_mtu"]),
        )
        lossless = int(r["lossless_mtu"])
        xoff = nvidia_headroom(link, asic, v, lossless, shared_pool=r["shared_pool"] == "1")
        xon = nvidia_xon(asic, link.lanes, v)
        assert isinstance(xoff, Number), xoff
        assert isinstance(xon, Number), xon
        checked += 1
        if (xoff.value, xon.value) != (int(r["xoff"]), int(r["xon"])):
            wrong.append((r, xoff.value, xon.value))
    assert wrong == []
    assert checked >= 30


def test_the_rows_reach_every_version() -> None:
    names = {version(asic_of(r["asic"]), r["release"]).name for r in ROWS}
    assert names == {v.name for _, v in SCRIPTS} | {SCRIPT_TOFINO.name}


@pytest.mark.parametrize(
    ("speed", "cable", "asic", "lanes", "xon", "xoff"),
    [
        (400_000, 300, "spectrum3", 8, 38_912, 272_384),
        (100_000, 40, "spectrum3", 4, 19_456, 51_200),
        (800_000, 300, "spectrum4", 8, 38_912, 474_112),
        (200_000, 40, "spectrum4", 4, 19_456, 65_536),
    ],
)
def test_the_author_s_own_results(speed: int, cable: int, asic: str, lanes: int, xon: int, xoff: int) -> None:
    """sonic-net/sonic-swss#3235: manual test by the script's author, port MTU 9100, RDMA MTU 1024, 50 % small packets."""
    chip = asic_of(asic)
    link = LinkInput(speed, cable, small_packets=50, lanes=lanes, port_mtu=9100)
    got = nvidia_headroom(link, chip, version(chip, "202405"), 1024)
    assert isinstance(got, Number)
    assert got.value == xoff
    resume = nvidia_xon(chip, lanes, version(chip, "202405"))
    assert isinstance(resume, Number)
    assert resume.value == xon


def test_the_terms_add_up_to_the_number() -> None:
    for r in ROWS[::7]:
        asic = asic_of(r["asic"])
        link = LinkInput(int(r["speed_mbps"]), int(r["cable_m"]), small_packets=int(r["small_packets"]), port_mtu=9100)
        got = nvidia_headroom(link, asic, version(asic, r["release"]), 4198)
        assert isinstance(got, Number)
        t = {x.name: Fraction(x.value) for x in got.terms}
        after = {"occupancy", "lossless MTU", "rounding", "chip's extra", "compensation"}
        wire = sum(v for k, v in t.items() if k not in after)
        rest = sum(v for k, v in t.items() if k in after - {"occupancy"})
        assert wire * t["occupancy"] + rest == got.value


@pytest.mark.parametrize(
    ("release", "name"),
    [
        (None, "script of 202605"),
        ("master", "script of 202605"),
        ("202012", "script of 202012"),
        ("202106.3", "script of 202012"),
        ("20231110.24", "script of 202211"),
        ("SONiC.202405_foo", "script of 202405"),
        ("202411", "script of 202405"),
    ],
)
def test_release_decides_the_version(release: str | None, name: str) -> None:
    assert version(asic_of("spectrum4"), release or "master").name == name


@pytest.mark.parametrize(
    ("release", "asic", "why"),
    [
        ("201911", "spectrum1", "the script came with 202012"),
        ("202205", "tofino2", "the script came with 202211"),
        ("4.2.1", "spectrum1", "no SONiC release"),
        ("202413", "spectrum1", "no SONiC release"),
        ("202405", "tomahawk5", "looks it up in a table"),
    ],
)
def test_no_version_is_guessed(release: str, asic: str, why: str) -> None:
    found = version_of(asic_of(asic), release)
    assert isinstance(found, Unknown)
    assert why in found.reason
    got = nvidia_headroom(LinkInput(100_000, 5), asic_of(asic), found)
    assert isinstance(got, Unknown)


def test_stock_share_of_small_packets_by_release() -> None:
    assert [default_small_packets(r) for r in ("202405", "202411", None, "master")] == [100, 50, 50, 50]
