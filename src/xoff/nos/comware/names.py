"""Comware interface names: full and short forms, the speed that a name says, what kind of port it is."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence

from xoff.model.switch import PortKind

#: Kinds of front-panel interfaces and the speed that the name says, Mb/s.
SPEEDS = {
    "GigabitEthernet": 1_000,
    "Ten-GigabitEthernet": 10_000,
    "Twenty-FiveGigE": 25_000,
    "FortyGigE": 40_000,
    "FiftyGigE": 50_000,
    "HundredGigE": 100_000,
    "TwoHundredGigE": 200_000,
    "FourHundredGigE": 400_000,
    "EightHundredGigE": 800_000,
}
_OTHERS = {
    "Bridge-Aggregation": PortKind.BUNDLE,
    "Route-Aggregation": PortKind.BUNDLE,
    "Vlan-interface": PortKind.SVI,
    "Vsi-interface": PortKind.SVI,
    "LoopBack": PortKind.LOOPBACK,
    "InLoopBack": PortKind.LOOPBACK,
    "NULL": PortKind.LOOPBACK,
    "M-GigabitEthernet": PortKind.MANAGEMENT,
    "M-Ethernet": PortKind.MANAGEMENT,
    "Tunnel": PortKind.INTERNAL,
}
#: As the device abbreviates them in its outputs.
_SHORT = {
    "ge": "GigabitEthernet",
    "xge": "Ten-GigabitEthernet",
    "wge": "Twenty-FiveGigE",
    "fge": "FortyGigE",
    "hge": "HundredGigE",
    "200ge": "TwoHundredGigE",
    "400ge": "FourHundredGigE",
    "800ge": "EightHundredGigE",
    "bagg": "Bridge-Aggregation",
    "ragg": "Route-Aggregation",
    "vlan": "Vlan-interface",
    "mge": "M-GigabitEthernet",
}
_FULL = {name.lower(): name for name in (*SPEEDS, *_OTHERS)}
_NAME = re.compile(r"((?:\d+)?[A-Za-z][A-Za-z-]*)\s*(\d+(?:/\d+)*(?::\d+)?(?:\.\d+)?)\Z", re.ASCII)


@functools.lru_cache(maxsize=65536)
def full(text: str) -> str:
    """`HGE1/0/1`, `hundredgige 1/0/1` give `HundredGigE1/0/1`; a name that is none of Comware's comes back as it is."""
    found = _NAME.match(text.strip())
    if found is None:
        return text.strip()
    word = found[1].lower()
    kind = _SHORT.get(word) or _FULL.get(word)
    return text.strip() if kind is None else f"{kind}{found[2]}"


def _kind(name: str) -> str:
    return re.match(r"(?:\d+)?[A-Za-z-]*", name)[0]  # type: ignore[index]


def kind_of(name: str) -> PortKind:
    """What a name says of the port; membership in a bundle or a stack is not in the name."""
    if "." in name:
        return PortKind.SUBINTERFACE
    kind = _kind(name)
    if kind in SPEEDS:
        return PortKind.BREAKOUT if ":" in name else PortKind.FRONT
    return _OTHERS.get(kind, PortKind.INTERNAL)


def speed_of(name: str) -> int | None:
    """Mb/s that the name of a front-panel interface says."""
    return SPEEDS.get(_kind(name))


def socket_of(name: str) -> str | None:
    """The port that a breakout child is a part of: `TwoHundredGigE1/0/1:1` is of `TwoHundredGigE1/0/1`."""
    return name.partition(":")[0] if ":" in name and "." not in name else None


def bundle_of(number: str, routed: bool, there: Iterable[str]) -> str:
    """The aggregation that `port link-aggregation group N` means: the one that is there, else by the port's mode."""
    both = [f"{kind}-Aggregation{number}" for kind in ("Bridge", "Route")]
    found = [n for n in both if n in there]
    return found[0] if len(found) == 1 else both[routed]


def port_names(path: str, names: Sequence[str]) -> tuple[str, ...] | None:
    """For the reader: the full name of an interface header; None for other headers."""
    return (full(names[0]),) if path.startswith("interface ") and names else None
