"""A computed number and why it is that number."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from xoff.errors import UsageError
from xoff.model.origin import Derived, Evidence, Term
from xoff.model.quantity import Unknown
from xoff.model.record import dataclass

MAX_CABLE_M = 120_000
MIN_SPEED, MAX_SPEED = 100, 1_600_000
MIN_FRAME, MAX_FRAME = 64, 16_384

#: Formulas, constants and their evidence are collected with the project's references; this names the collection's parts.
IEEE = "IEEE 802.3 31B.3.7, via the SONiC headroom design and sonic-swss@e6b0c5b5"
QBB = "IEEE 802.1Qbb frame: 64 B + preamble and gap"
TABLES = "fit of headroom tables shipped with sonic-buildimage@086b03b"


@dataclass(frozen=True, slots=True)
class Number:
    """A value in `unit` (bytes unless said) with its derivation."""

    value: int
    origin: Derived
    unit: str = "B"

    @property
    def terms(self) -> tuple[Term, ...]:
        return self.origin.terms

    def rounded(self, value: int, why: str) -> Number:
        """The same number after rounding, with the rounding as one more term."""
        if value == self.value:
            return self
        step = Term("rounding", value - self.value, self.unit, why, "computed", Evidence.COMPUTED)
        o = self.origin
        return Number(value, Derived(o.formula, (*o.terms, step), o.preset, o.sources, o.intent_at), self.unit)


def number(value: int, formula: str, terms: tuple[Term, ...], preset: str | None = None, unit: str = "B") -> Number:
    """A Number whose sources are those of its terms."""
    sources = tuple(dict.fromkeys(t.source for t in terms if t.source))
    return Number(value, Derived(formula, terms, preset, sources), unit)


def term(
    name: str, value: int | Fraction | str, why: str, source: str, evidence: Evidence = Evidence.READ, unit: str = "B"
) -> Term:
    """A Term; a Fraction is kept exact by its text (`127/42`), or as an int where it is whole."""
    if isinstance(value, Fraction):
        value = value.numerator if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
    return Term(name, value, unit, why, source, evidence)


def total(terms: Iterable[Term], unit: str = "B") -> Fraction:
    """The sum of terms of one unit, exact. Raises ValueError for a term of another unit: nanoseconds are not bytes."""
    out = Fraction(0)
    for t in terms:
        if t.unit != unit:
            raise ValueError(f"{t.name} is in {t.unit or 'no unit'}, not in {unit}")
        out += Fraction(t.value)
    return out


def ceil(x: Fraction | int) -> int:
    """Smallest int not below x."""
    x = Fraction(x)
    return -(-x.numerator // x.denominator)


def up_to(x: Fraction | int, step: int) -> int:
    """x rounded up to a multiple of step (bytes)."""
    return ceil(Fraction(x) / step) * step


def down_to(x: Fraction | int, step: int) -> int:
    """x rounded down to a multiple of step (bytes)."""
    return int(Fraction(x) / step) * step


def check(speed: int, cable_m: int, *frames: int) -> None:
    """Raises UsageError, naming the valid range, for a speed, cable or frame that cannot be.

    Only plain ints pass: a text or a Quantity with another unit is not taken for Mb/s, metres or bytes.
    """
    for what, said, unit in (("speed", speed, "Mb/s"), ("cable", cable_m, "metres"), *(("frame", f, "bytes") for f in frames)):
        if type(said) is not int:
            raise UsageError(f"{what} {said!r} is no whole number of {unit}")
    if not MIN_SPEED <= speed <= MAX_SPEED:
        raise UsageError(f"speed {speed} Mb/s is out of range: {MIN_SPEED} to {MAX_SPEED} Mb/s (100M to 1600G)")
    if not 0 <= cable_m <= MAX_CABLE_M:
        raise UsageError(f"cable {cable_m} m is out of range: 0 to {MAX_CABLE_M} m")
    for f in frames:
        if not MIN_FRAME <= f <= MAX_FRAME:
            raise UsageError(f"frame or MTU of {f} bytes is out of range: {MIN_FRAME} to {MAX_FRAME} bytes")


def known(value: int | Unknown | None, what: str) -> int | Unknown:
    """value, or an Unknown that names what is missing."""
    return Unknown(f"{what} is not known") if value is None else value
