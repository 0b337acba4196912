"""Numbers with units."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xoff.intent import units
from xoff.model.quantity import Unit


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (units.speed, "400G", 400_000),
        (units.speed, "1.6T", 1_600_000),
        (units.speed, "100Gb/s", 100_000),
        (units.cable, "30m", 30),
        (units.cable, "0.5m", 1),
        (units.cable, "30.01m", 31),
        (units.cable, "50cm", 1),
        (units.cable, "40km", 40_000),
        (units.size_bytes, "150KB", 150_000),
        (units.size_bytes, "150kB", 150_000),
        (units.size_bytes, "128KiB", 131_072),
        (units.size_bytes, "1.5MB", 1_500_000),
        (units.size_bytes, "512B", 512),
        (units.milliseconds, "0.2s", 200),
        (units.milliseconds, "200 ms", 200),
        (units.nanoseconds, "2.1us", 2_100),
        (units.percent, "60%", Fraction(60)),
        (units.percent, "12.5 %", Fraction(25, 2)),
        (units.dscp, 26, (26,)),
        (units.dscp, "cs3", (24,)),
        (units.dscp, "AF31", (26,)),
        (units.dscp, "ef", (46,)),
        (units.dscp, "8-10", (8, 9, 10)),
    ],
)
def test_values(parse: Callable[[Any], Any], text: Any, value: Any) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (units.speed, "400"), (units.speed, 400), (units.speed, "400g"), (units.speed, "300G"), (units.speed, "400GB"),
        (units.speed, True), (units.cable, 30), (units.cable, "0m"), (units.cable, "40001m"), (units.cable, "-3m"),
        (units.cable, "3M"), (units.cable, "10ft"), (units.size, "150"), (units.size, "150Kb"), (units.size, "150 cells"),
        (units.size, "0.5B"), (units.milliseconds, "0ms"), (units.milliseconds, "0.5ms"), (units.milliseconds, "3h"),
        (units.percent, "0%"), (units.percent, "101%"), (units.percent, "60"), (units.percent, "60 percent"),
        (units.dscp, 64), (units.dscp, -1), (units.dscp, "9-8"), (units.dscp, "cs8"), (units.dscp, True), (units.cable, "1e3m"),
    ],
)  # fmt: skip
def test_what_is_refused(parse: Callable[[Any], Any], text: Any) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse(text)


def test_a_size_keeps_what_was_said() -> None:
    assert (units.size("150KB").unit, units.size("150KiB").unit) == (Unit.KB, Unit.KIB)
    assert str(units.size("150KB")) == "150 KB"


@given(st.text(max_size=30))
def test_any_text_is_a_value_or_an_error(text: str) -> None:
    for parse in (units.speed, units.cable, units.size, units.milliseconds, units.percent, units.dscp):
        try:
            parse(text)
        except ValueError as e:
            assert all(" " <= c <= "~" for c in str(e))  # noqa: PT017
