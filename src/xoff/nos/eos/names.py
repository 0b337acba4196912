"""EOS interface names: short and long forms, ranges, what kind of port a name is."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence

from xoff.model.switch import PortKind

_FULL = {
    "ethernet": "Ethernet",
    "port-channel": "Port-Channel",
    "vlan": "Vlan",
    "loopback": "Loopback",
    "management": "Management",
    "vxlan": "Vxlan",
    "tunnel": "Tunnel",
    "recirc-channel": "Recirc-Channel",
}
_SHORT = {
    "et": "ethernet",
    "po": "port-channel",
    "vl": "vlan",
    "lo": "loopback",
    "ma": "management",
    "vx": "vxlan",
    "tu": "tunnel",
}
_NAME = re.compile(r"([A-Za-z][A-Za-z-]*?)\s*(\d[\d/.,\s-]*)\Z")
#: A range that gives more than this is not expanded: no switch has so many ports.
_MOST = 4096
#: Lanes of one socket at most (OSFP-XD has 16); larger last numbers are ports of a line card.
_LANES = 16


@functools.lru_cache(maxsize=65536)
def expand(text: str) -> tuple[str, ...]:
    """Full names of what stands behind `interface`: `Et1/1` gives `Ethernet1/1`, `Ethernet1/1-3,5` gives four.

    A name that is none of EOS's comes back as it is.
    """
    found = _NAME.match(text.strip())
    if found is None:
        return (text.strip(),)
    kind = _kind(found[1])
    out: list[str] = []
    base = ""
    for part in re.split(r"\s*,\s*", found[2].strip()):
        if "/" not in part and "/" in base:
            part = base + part
        base = part[: part.rfind("/") + 1]
        low, dash, high = part.partition("-")
        head, start = _last(low.strip())
        end = high.strip().rsplit("/", 1)[-1]
        if not dash or start is None or not end.isdecimal() or not 0 <= int(end) - start < _MOST:
            out.append(kind + part.strip())
        else:
            out += [f"{kind}{head}{n}" for n in range(start, int(end) + 1)]
        if len(out) > _MOST:
            return (text.strip(),)
    return tuple(dict.fromkeys(out))


def _kind(word: str) -> str:
    low = word.lower()
    low = _SHORT.get(low, low)
    if low in _FULL:
        return _FULL[low]
    near = [full for key, full in _FULL.items() if len(low) >= 2 and key.startswith(low)]
    return near[0] if len(near) == 1 else word


def _last(text: str) -> tuple[str, int | None]:
    head, sep, tail = text.rpartition("/") if "/" in text else text.rpartition(".")
    return head + sep, int(tail) if tail.isdecimal() and len(tail) <= 9 else None


def kind_of(name: str) -> PortKind:
    """What a name says of the port; bundle membership and breakout are not in the name alone."""
    if "." in name:
        return PortKind.SUBINTERFACE
    for start, kind in (
        ("Ethernet", PortKind.FRONT),
        ("Port-Channel", PortKind.BUNDLE),
        ("Vlan", PortKind.SVI),
        ("Loopback", PortKind.LOOPBACK),
        ("Management", PortKind.MANAGEMENT),
    ):
        if name.startswith(start):
            return kind
    return PortKind.INTERNAL


def parents(names: Iterable[str]) -> dict[str, str]:
    """Breakout children -> the socket they share.

    `Ethernet1/2` is lane 2 of socket 1 on a fixed switch and port 2 of card 1 in a chassis. It counts as a lane only where no
    name of that depth has a last number above what a socket has lanes; a socket with one lane in use is no breakout.
    """
    groups: dict[str, list[tuple[int, str]]] = {}
    too_many: set[int] = set()
    for name in names:
        if not name.startswith("Ethernet") or "." in name or "/" not in name:
            continue
        socket, _, lane = name.rpartition("/")
        if not lane.isdecimal():
            continue
        groups.setdefault(socket, []).append((int(lane), name))
        if int(lane) > _LANES:
            too_many.add(name.count("/"))
    out: dict[str, str] = {}
    for socket, lanes in groups.items():
        if len(lanes) > 1 and socket.count("/") + 1 not in too_many:
            out.update((name, socket) for _, name in lanes)
    return out


def port_names(path: str, names: Sequence[str]) -> tuple[str, ...] | None:
    """For the reader: full names of an interface header; None for other headers."""
    return expand(names[0]) if path.startswith("interface ") and names else None
