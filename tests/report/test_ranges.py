"""Names folded to ranges, and back: no name is lost or invented."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xoff.report.ranges import fold, natural


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        ([], ""),
        (["Ethernet4"], "Ethernet4"),
        (["Ethernet12", "Ethernet4"], "Ethernet4,12"),
        ([f"Ethernet{n}" for n in range(1, 13)] + ["Ethernet20"], "Ethernet1-12,20"),
        ([f"Ethernet{n}" for n in range(0, 128, 4)], "Ethernet0-124:4"),
        ([f"Ethernet{n}/1" for n in range(1, 33)], "Ethernet[1-32]/1"),
        ([f"Ethernet{n}/{k}" for n in (1, 2, 3) for k in (1, 2, 3, 4)], "Ethernet[1-3]/1-4"),
        ([f"Ethernet1/{k}" for k in (1, 2, 3)] + ["Ethernet2/1"], "Ethernet1/1-3, Ethernet2/1"),
        (["Ethernet1", "Port-Channel1"], "Ethernet1, Port-Channel1"),
        ([f"leaf{n:02}" for n in (1, 2, 3)], "leaf01,02,03"),
        (["leaf9", "leaf10", "leaf11"], "leaf9-11"),
        (["3", "4"], "3,4"),
        (["nic0", "nic"], "nic, nic0"),
        (["a1b2c", "a1b3c", "a1b4c"], "a1b[2-4]c"),
    ],
)
def test_folding(names: list[str], folded: str) -> None:
    assert fold(names) == folded
    assert fold(list(reversed(names))) == folded


def unfold(text: str) -> set[str]:
    """The inverse, for the names this test makes: letters, number, optionally slash and number."""
    out: set[str] = set()
    for part in text.split(", ") if text else []:
        match = re.fullmatch(r"([a-z]+)(\[?)([\d,:-]+?)(\]?)(?:/([\d,:-]+))?", part)
        assert match, part
        for a in numbers(match[3]):
            out |= {f"{match[1]}{a}/{b}" for b in numbers(match[5])} if match[5] else {f"{match[1]}{a}"}
    return out


def numbers(text: str) -> list[str]:
    out: list[str] = []
    for item in text.split(","):
        match = re.fullmatch(r"(\d+)-(\d+)(?::(\d+))?", item)
        out += [str(n) for n in range(int(match[1]), int(match[2]) + 1, int(match[3] or 1))] if match else [item]
    return out


names = st.builds(
    lambda p, a, b: f"{p}{a}" if b is None else f"{p}{a}/{b}",
    st.sampled_from(["et", "po"]),
    st.integers(0, 40),
    st.none() | st.integers(1, 4),
)


@given(st.sets(names, max_size=40))
def test_no_name_is_lost_or_invented(given_names: set[str]) -> None:
    assert unfold(fold(given_names)) == given_names


def test_natural_order_never_compares_text_with_numbers() -> None:
    assert sorted(["Ethernet10", "Ethernet2", "1", "Ethernet", ""], key=natural) == [
        "",
        "Ethernet",
        "Ethernet2",
        "Ethernet10",
        "1",
    ]
