"""Enterprise SONiC interface names: `Ethernet0` (native), `Eth1/1`, `Eth1/1/1` (standard), with or without a blank, ranges."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence

from xoff.model.switch import PortKind
from xoff.nos import portnames

_FULL = {
    "ethernet": "Ethernet",
    "eth": "Eth",
    "portchannel": "PortChannel",
    "vlan": "Vlan",
    "loopback": "Loopback",
    "management": "Management",
    "vxlan": "vxlan",
    "subport": "Subport",
}
_RANGE = re.compile(r"range\s+", re.I)
_BREAKOUT = re.compile(r"(Eth\d+/\d+)/\d+\Z")


@functools.lru_cache(maxsize=65536)
def expand(text: str) -> tuple[str, ...]:
    """Full names of what stands behind `interface`: `Eth 1/1` gives `Eth1/1`, `range Eth 1/6-1/8` gives three ports."""
    return portnames.expand(_RANGE.sub("", text.strip(), count=1), _kind)


def _kind(word: str) -> str:
    return _FULL.get(word.lower(), word)


def kind_of(name: str) -> PortKind:
    """What a name says of the port; bundle membership and breakout are not in the name alone."""
    if "." in name:
        return PortKind.SUBINTERFACE
    for start, kind in (
        ("Eth", PortKind.FRONT),
        ("PortChannel", PortKind.BUNDLE),
        ("Vlan", PortKind.SVI),
        ("Loopback", PortKind.LOOPBACK),
        ("Management", PortKind.MANAGEMENT),
    ):
        if name.startswith(start):
            return kind
    return PortKind.INTERNAL


def parents(names: Iterable[str]) -> dict[str, str]:
    """Breakout children -> the port they share: `Eth1/1/2` -> `Eth1/1`.

    With `interface-naming standard extended` whole ports have a third part too (`Eth1/1/1`), so a port with one such name
    only is no breakout.
    """
    found: dict[str, list[str]] = {}
    for name in names:
        m = _BREAKOUT.match(name)
        if m:
            found.setdefault(m[1], []).append(name)
    return {name: parent for parent, own in found.items() if len(own) > 1 for name in own}


def port_names(path: str, names: Sequence[str]) -> tuple[str, ...] | None:
    """For the reader: full names of an interface header; None for other headers."""
    return expand(names[0]) if path == "interface **" and names else None
