"""NX-OS interface names: short and long forms, ranges, what kind of port a name is."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence

from xoff.model.switch import PortKind
from xoff.nos import portnames

_FULL = {
    "ethernet": "Ethernet",
    "port-channel": "port-channel",
    "vlan": "Vlan",
    "loopback": "loopback",
    "mgmt": "mgmt",
    "nve": "nve",
    "tunnel": "Tunnel",
}
#: From this number on the first part of a name is a fabric extender, not a slot (`Ethernet101/1/1`).
_FEX = 100


@functools.lru_cache(maxsize=65536)
def expand(text: str) -> tuple[str, ...]:
    """Full names of what stands behind `interface`: `Eth1/1/1-2,Eth1/2/1-2` gives four. Others come back as they are."""
    return portnames.expand(text, _kind)


def _kind(word: str) -> str:
    low = word.lower()
    if low in _FULL:
        return _FULL[low]
    near = [full for key, full in _FULL.items() if len(low) >= 2 and key.startswith(low)]
    return near[0] if len(near) == 1 else word


def kind_of(name: str) -> PortKind:
    """What a name says of the port; bundle membership, breakout and peer links are not in the name alone."""
    if "." in name:
        return PortKind.SUBINTERFACE
    for start, kind in (
        ("Ethernet", PortKind.FRONT),
        ("port-channel", PortKind.BUNDLE),
        ("Vlan", PortKind.SVI),
        ("loopback", PortKind.LOOPBACK),
        ("mgmt", PortKind.MANAGEMENT),
    ):
        if name.startswith(start):
            return kind
    return PortKind.INTERNAL


def parents(names: Iterable[str]) -> dict[str, str]:
    """Breakout children -> the port that was split: `Ethernet1/5/2` -> `Ethernet1/5`. Ports of fabric extenders are none."""
    out: dict[str, str] = {}
    for name in names:
        if not name.startswith("Ethernet") or "." in name or name.count("/") != 2:
            continue
        slot = name.removeprefix("Ethernet").partition("/")[0]
        if slot.isdecimal() and len(slot) < 4 and int(slot) < _FEX:
            out[name] = name.rpartition("/")[0]
    return out


def port_names(path: str, names: Sequence[str]) -> tuple[str, ...] | None:
    """For the reader: full names of an interface header; None for other headers."""
    return expand(names[0]) if path == "interface **" and names else None


def model_name(text: str) -> str:
    """A model as Cisco orders it: `93180YC-FX3`, `C93180YC-FX3` (as `show version` prints it) are N9K-C93180YC-FX3."""
    found = re.fullmatch(r"(?:N9K-)?C?(9\d{2,}[A-Z0-9-]*)", text.strip().upper())
    return f"N9K-C{found[1]}" if found else text
