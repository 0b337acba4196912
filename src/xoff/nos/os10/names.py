"""OS10 interface names: case, blanks, ranges, breakout, what kind of port a name is."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from xoff.model.switch import PortKind
from xoff.nos.portnames import MOST, expand

_WORDS = ("ethernet", "port-channel", "vlan", "loopback", "mgmt", "virtual-network", "null")
#: `ethernet1/1/1:1-1/1/4:1`, `1/1/1:1-1/1/1:4`: ports of broken-out sockets.
_BREAKOUT = re.compile(r"([A-Za-z-]*)\s*(\d+/\d+)/(\d+):(\d+)(?:\s*-\s*(?:(\d+/\d+)/(\d+):)?(\d+))?\Z")
_MODE = re.compile(r"(\d+)g-(\d+)x\Z", re.I)
#: How Dell's guides describe the ports of a VLT interconnect (`VLTi`, `VLTiLink`); the certain sign is `discovery-interface`.
_VLTI = re.compile(r"(?<![A-Za-z])VLTi(?:[ _-]?Link)?(?![a-z])")


@functools.lru_cache(maxsize=65536)
def full(text: str) -> tuple[str, ...]:
    """Full names of what stands behind `interface`: `Ethernet 1/1/44` and `range ethernet1/1/1-1/1/8` alike.

    A name that is none of OS10's comes back as it is, in lower case.
    """
    whole = text.strip()
    if whole[:6].lower() == "range ":
        whole = whole[6:].strip()
    if ":" not in whole:
        return expand(whole, _word)
    out: list[str] = []
    word = ""
    for piece in whole.split(","):
        found = _BREAKOUT.match(piece.strip())
        if found is None:
            return (whole.lower(),)
        word = _word(found[1]) if found[1] else word
        out += _children(word, found)
        if len(out) > MOST:
            return (whole,)
    return tuple(dict.fromkeys(out))


def _children(word: str, found: re.Match[str]) -> list[str]:
    """The lanes of one piece: within a socket, or the lanes of each socket from the first to the last."""
    base, first, lane = found[2], int(found[3]), int(found[4])
    if found[7] is None:
        return [f"{word}{base}/{first}:{lane}"]
    last, end = int(found[6] or first), int(found[7])
    if (found[5] or base) != base or last < first or last - first > MOST or not 0 <= end - lane < 64:
        return [f"{word}{base}/{first}:{lane}"]
    return [f"{word}{base}/{s}:{n}" for s in range(first, last + 1) for n in range(lane, end + 1)]


def _word(word: str) -> str:
    low = word.lower()
    return next((w for w in _WORDS if len(low) > 1 and w.startswith(low)), low)


def port_names(path: str, names: Sequence[str]) -> tuple[str, ...] | None:
    """For the reader: full names of an interface header; None for other headers."""
    return full(names[0]) if path == "interface **" and names else None


def kind_of(name: str) -> PortKind:
    """What a name says of the port; bundle membership is not in the name."""
    for start, kind in (
        ("ethernet", PortKind.FRONT),
        ("port-channel", PortKind.BUNDLE),
        ("vlan", PortKind.SVI),
        ("loopback", PortKind.LOOPBACK),
        ("mgmt", PortKind.MANAGEMENT),
    ):
        if name.startswith(start):
            return PortKind.BREAKOUT if kind is PortKind.FRONT and ":" in name else kind
    return PortKind.INTERNAL


def socket(name: str) -> str | None:
    """The socket of a broken-out port: `ethernet1/1/1` of `ethernet1/1/1:2`."""
    return name.rpartition(":")[0] or None if name.startswith("ethernet") else None


def breakout(port: str, mode: str) -> tuple[str, int] | None:
    """(name of the socket, Mb/s of each port) of `interface breakout 1/1/1 map 25g-4x`; None for another mode."""
    found = _MODE.match(mode)
    return (f"ethernet{port}", int(found[1]) * 1000) if found and len(found[1]) < 5 else None


def describes_vlti(description: str) -> bool:
    """Whether a description calls the port a VLT interconnect."""
    return _VLTI.search(description) is not None
