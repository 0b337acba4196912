"""OS10: numbers and units of single statements. Each function gives a value of the model, or None where OS10 cannot mean it."""

from __future__ import annotations

from fractions import Fraction

from xoff.model.quantity import Quantity, Unit
from xoff.nos.numbers import whole

#: Thresholds of a wred profile (API guide p. 1245).
WRED_LOW, WRED_HIGH = 1, 12480


def kilobytes(text: str, low: int = 0, high: int = 2**31) -> Quantity | None:
    """A size in OS10's KB."""
    n = whole(text, low, high)
    return None if n is None else Quantity(Fraction(n), Unit.KBYTES)


def percent(text: str, low: int = 0) -> Quantity | None:
    n = whole(text, low, 100)
    return None if n is None else Quantity(Fraction(n), Unit.PERCENT)
