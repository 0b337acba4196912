"""VRP interface names: as typed (`100ge 1/0/1`) and as printed (`100GE1/0/1`), what kind of port a name is, its speed."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from xoff.model.switch import PortKind

_FULL = {
    "eth-trunk": "Eth-Trunk",
    "vlanif": "Vlanif",
    "loopback": "LoopBack",
    "meth": "MEth",
    "null": "NULL",
    "stack-port": "Stack-Port",
    "tunnel": "Tunnel",
    "nve": "Nve",
    "vbdif": "Vbdif",
    "ge": "GE",
}
_NAME = re.compile(r"(\d*[A-Za-z][A-Za-z-]*)\s*(\d[\d/.:]*)((?:\.\d+)?(?: mode l2)?)\Z")
_FRONT = re.compile(r"(\d*)GE\d+/")
_KINDS = (
    ("Eth-Trunk", PortKind.BUNDLE),
    ("Vlanif", PortKind.SVI),
    ("Vbdif", PortKind.SVI),
    ("LoopBack", PortKind.LOOPBACK),
    ("MEth", PortKind.MANAGEMENT),
    ("Stack-Port", PortKind.BACKPLANE),
)


@functools.lru_cache(maxsize=65536)
def full(text: str) -> str:
    """The name as VRP prints it; a name that is none of VRP's comes back as it is."""
    found = _NAME.match(text.strip())
    if found is None:
        return text.strip()
    word, number, rest = found.groups()
    low = word.lower()
    if low.endswith("ge") and low[:-2].isdecimal():
        return f"{low[:-2]}GE{number}{rest}"
    return f"{_FULL.get(low, word)}{number}{rest}"


def kind_of(name: str) -> PortKind:
    """What a name says of the port; membership of an Eth-Trunk is not in the name."""
    if "." in name:
        return PortKind.SUBINTERFACE
    for start, kind in _KINDS:
        if name.startswith(start):
            return kind
    if _FRONT.match(name):
        return PortKind.BREAKOUT if ":" in name else PortKind.FRONT
    return PortKind.INTERNAL


def speed_of(name: str) -> int | None:
    """Mb/s by the name: `100GE1/0/1` runs at 100G. None where it does not say.

    The parts of a split port keep the name of the whole (`100GE1/0/1:1` at 25G), so theirs say nothing.
    """
    found = _FRONT.match(name)
    if found is None or ":" in name or "." in name:
        return None
    return int(found[1] or 1) * 1000 if len(found[1]) < 5 else None


def slot_of(name: str) -> str | None:
    """The slot (member of the stack) that a physical port belongs to."""
    found = re.match(r"\d*GE(\d+)/", name)
    return found[1] if found else None


def port_names(path: str, names: Sequence[str]) -> tuple[str, ...] | None:
    """For the reader: the name of an interface header; None for other headers."""
    return (full(names[0]),) if path.startswith("interface ") and names else None
