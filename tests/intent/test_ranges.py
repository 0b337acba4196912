"""Ranges in names, both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xoff.intent.ranges import MAX_NAMES, compress, expand


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("leaf1", ["leaf1"]),
        ("leaf[01-03]", ["leaf01", "leaf02", "leaf03"]),
        ("leaf[8-11]", ["leaf8", "leaf9", "leaf10", "leaf11"]),
        ("Ethernet[0-12:4]", ["Ethernet0", "Ethernet4", "Ethernet8", "Ethernet12"]),
        ("Ethernet[0-10:4]", ["Ethernet0", "Ethernet4", "Ethernet8"]),
        ("Ethernet[1-2]/[1-2]", ["Ethernet1/1", "Ethernet1/2", "Ethernet2/1", "Ethernet2/2"]),
        ("gpu[1,3,7-8]", ["gpu1", "gpu3", "gpu7", "gpu8"]),
        ("x[098-101]", ["x098", "x099", "x100", "x101"]),
        ("et-0/0/[0-1]:[0-1]", ["et-0/0/0:0", "et-0/0/0:1", "et-0/0/1:0", "et-0/0/1:1"]),
    ],
)
def test_expand(pattern: str, names: list[str]) -> None:
    assert list(expand(pattern)) == names


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("leaf[3-1]", "smaller number first"),
        ("leaf[1-", "bracket"),
        ("leaf]", "bracket"),
        ("leaf[]", "expected"),
        ("leaf[a-c]", "expected"),
        ("leaf[1-5:0]", "step"),
        ("leaf[1-01]", "widths"),
        ("leaf[1,1]", "twice"),
        ("leaf[[1-2]]", "bracket"),
        (f"x[1-{MAX_NAMES + 1}]", "stands for"),
        ("x[1-999999]y[1-999999]", "stands for"),
    ],
)
def test_what_is_no_range(pattern: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        expand(pattern)


@given(st.text(alphabet="ab[]0123456789-:,/", max_size=20))
def test_any_text_expands_or_says_why(text: str) -> None:
    try:
        names = expand(text)
    except ValueError as e:
        assert str(e)  # noqa: PT017
        return
    assert len(set(names)) == len(names) >= 1
    assert not any("[" in n or "]" in n for n in names)


@given(st.integers(0, 300), st.integers(1, 40), st.integers(1, 9), st.integers(0, 4))
def test_a_range_has_the_numbers_between_its_ends(low: int, count: int, step: int, width: int) -> None:
    high = low + (count - 1) * step
    pattern = f"p[{low:0{width}d}-{high:0{max(width, 1)}d}:{step}]"
    if len(f"{low:0{width}d}") != len(f"{high:0{max(width, 1)}d}") and f"{low:0{width}d}".startswith("0") and low:
        return  # 099-1000 under width 3 is fine, but says nothing new here
    assert [int(n[1:]) for n in expand(pattern)] == list(range(low, high + 1, step))


@given(st.lists(st.from_regex(r"[A-Z][a-z]?[0-9]{1,3}(/[0-9]{1,2})?", fullmatch=True), unique=True, max_size=30))
def test_compressing_loses_nothing(names: list[str]) -> None:
    text = compress(names)
    assert [n for part in text.split(", ") if part for n in expand(part)] == names


def test_compressed_text_is_what_people_write() -> None:
    assert compress(f"Ethernet{n}" for n in range(0, 128, 4)) == "Ethernet[0-124:4]"
    assert compress(f"Ethernet{n}/1" for n in range(1, 33)) == "Ethernet[1-32]/1"
    assert compress(["a1", "a2", "b1"]) == "a1, a2, b1"
