"""SR Linux: numbers, names and words of single leaves. Each gives a value, or None where SR Linux cannot mean it."""

from __future__ import annotations

import re
from fractions import Fraction

from xoff.model.qos import Colour
from xoff.model.quantity import Quantity, Unit
from xoff.model.switch import PortKind
from xoff.nos.numbers import whole

COLOURS = {"low": Colour.GREEN, "medium": Colour.YELLOW, "high": Colour.RED}
_KINDS = (
    (re.compile(r"ethernet-\d+/\d+/\d+"), PortKind.BREAKOUT),
    (re.compile(r"ethernet-\d+/[a-z]?\d+"), PortKind.FRONT),
    (re.compile(r"lag\d+"), PortKind.BUNDLE),
    (re.compile(r"mgmt\d(?:-standby)?"), PortKind.MANAGEMENT),
    (re.compile(r"(?:lo\d+|system0)"), PortKind.LOOPBACK),
    (re.compile(r"irb\d*"), PortKind.SVI),
)
_SPEED = re.compile(r"(\d{1,3})([MGT])")


def kind_of(name: str) -> PortKind:
    """What kind of port an interface name is; a name of no known form is internal and never judged."""
    return next((kind for pattern, kind in _KINDS if pattern.fullmatch(name)), PortKind.INTERNAL)


def boolean(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text)


def size(text: str, low: int = 0, high: int = 2**32 - 1) -> Quantity | None:
    """Bytes."""
    n = whole(text, low, high)
    return None if n is None else Quantity(Fraction(n), Unit.BYTES)


def percent(text: str, unit: Unit) -> Quantity | None:
    n = whole(text, 0, 100)
    return None if n is None else Quantity(Fraction(n), unit)


def milliseconds(text: str, low: int, high: int) -> Quantity | None:
    n = whole(text, low, high)
    return None if n is None else Quantity(Fraction(n), Unit.MILLISECONDS)


def speed(text: str) -> int | None:
    """Mb/s of `400G`, `1T`, `10M`."""
    found = _SPEED.fullmatch(text)
    return None if found is None else int(found[1]) * {"M": 1, "G": 1000, "T": 1_000_000}[found[2]]


def built_in(kind: str, name: str) -> int | None:
    """The number of a name that the system has by itself (`fc3`, `unicast-3`, `pfc3`)."""
    stem = {"forwarding-class": "fc", "queue": "unicast-", "pfc-queue": "pfc"}[kind]
    found = re.fullmatch(re.escape(stem) + r"([0-7])", name)
    return int(found[1]) if found else None


def plain(text: str) -> str:
    """A text without its quotes."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
