"""Junos interface names: what kind of port a name is, and which names a wildcard of class-of-service means."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache

from xoff.model.switch import PortKind

_FRONT = re.compile(r"(?:et|xe|ge|mge|fte|hte)-")
_KINDS = (
    (re.compile(r"(?:irb|vlan)(?:\.\d+)?\Z"), PortKind.SVI),
    (re.compile(r"lo\d+(?:\.\d+)?\Z"), PortKind.LOOPBACK),
    (re.compile(r"(?:em|fxp|me|vme)\d*(?:\.\d+)?\Z|re\d+:mgmt-\d+(?:\.\d+)?\Z"), PortKind.MANAGEMENT),
)
#: One sub-port of a socket: `et-0/0/1:0` of `et-0/0/1`.
_SUB_PORT = re.compile(r"(.+):\d+\Z")


def kind_of(name: str) -> PortKind:
    """What a name says of the port; bundle membership and sockets that are split are not in the name alone."""
    for pattern, kind in _KINDS:
        if pattern.match(name):
            return kind
    if "." in name:
        return PortKind.SUBINTERFACE
    if _FRONT.match(name):
        return PortKind.BREAKOUT if _SUB_PORT.match(name) else PortKind.FRONT
    return PortKind.BUNDLE if re.match(r"ae\d+\Z", name) else PortKind.INTERNAL


def is_interface(name: str) -> bool:
    """Whether Junos has interfaces that are called so: a type and a number, or one of the names without."""
    return "*" not in name and re.match(r"(?:[a-z]+-?\d|(?:irb|vlan|vme|vtep)(?:\.|\Z)|[a-z]+\d*:)", name) is not None


def socket_of(name: str) -> str | None:
    """The socket that a sub-port belongs to."""
    found = _SUB_PORT.match(name)
    return found[1] if found and _FRONT.match(name) else None


def is_wildcard(name: str) -> bool:
    """Whether a name under `class-of-service interfaces` stands for many: `et-*`, `all`."""
    return "*" in name or name == "all"


def means(pattern: str, name: str) -> bool:
    """Whether the wildcard means the interface. `all` means Ethernet interfaces and bundles."""
    if pattern == "all":
        return kind_of(name) in (PortKind.FRONT, PortKind.BREAKOUT, PortKind.BUNDLE)
    return _compiled(pattern).match(name) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern.replace("[", "[[]").replace("?", "[?]")))
