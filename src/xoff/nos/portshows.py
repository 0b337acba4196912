"""Show outputs with something to say of each port: LLDP neighbours, and speeds.

templates/<nos>/show/{lldp,interfaces}.ttp read them. A line of group `begins` opens the entry of a port, one of `row` is a
whole entry of a table whose `head` stands above it; lines of other groups add to the entry opened last, the first value of a
name holds. Values: `port`, `peer`, `peer_port` (or `peer_port_base64`), `kind` (of the peer port's name), `speed` (with its
unit), `gbps` or `bps`.
"""

from __future__ import annotations

import binascii
import re
from functools import cache

from xoff.data import TEMPLATES
from xoff.model.origin import FileLine
from xoff.model.record import dataclass
from xoff.nos.facts import speed_mbps
from xoff.nos.linetemplate import load_template
from xoff.nos.source import Source

#: Larger texts are no show output that anyone keeps beside a configuration.
_MOST = 4 * 1024 * 1024
_PROMPT = re.compile(
    r"^(?:[AB]:(?=[\w.-]+[#>]))?[<\[]?(?:[\w.-]+@)?([A-Za-z0-9][\w.-]*?)(?:\([\w-]+\))?(?::[^\s#$]*)?[#$>\]]\s*"
    r"(?:sudo )?(?:sh(?:ow?)?|dis(?:play)?)\s+(?:lldp|int)",
    re.M,
)
_CHEAP = {"lldp": re.compile(r"(?i)lldp|neighbor|localport|chassis"), "interfaces": re.compile(r"(?i)interface|ethernet")}
#: How this NOS writes that nothing is known.
_NOTHING = frozenset({"", "-", "--", "n/a", "unknown", "not advertised", "null", "localhost"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One port's entry. `speed` Mb/s. `peer_port` None: the output does not name it."""

    port: str
    at: FileLine
    peer: str | None = None
    peer_port: str | None = None
    speed: int | None = None


@dataclass(frozen=True, slots=True)
class PortShow:
    """One output. `prompt`: the hostname in it, where it has one."""

    path: str
    nos: str
    kind: str
    prompt: str | None
    entries: tuple[Entry, ...]


def read_port_show(source: Source) -> PortShow | None:
    """The output, where it is one of these; None for anything else."""
    if len(source.text) > _MOST:
        return None
    best: PortShow | None = None
    for nos, kind in _known():
        if not _CHEAP[kind].search(source.text):
            continue
        entries = _entries(source, nos, kind)
        # What names neighbours is an output of LLDP, whatever else it says of the ports (XML of OS10).
        if entries and (best is None or (kind == "lldp", len(entries)) > (best.kind == "lldp", len(best.entries))):
            prompt = _PROMPT.search(source.text)
            best = PortShow(source.path, nos, kind, prompt[1] if prompt else None, entries)
    return best


def _entries(source: Source, nos: str, kind: str) -> tuple[Entry, ...]:
    template = load_template(TEMPLATES / nos / "show" / f"{kind}.ttp")
    lines = [line.strip() for line in source.text.split("\n")]
    entries: list[tuple[int, dict[str, str]]] = []
    headed = False
    for number, said in enumerate(template.claim(lines), 1):
        # A line that several lines of the template claim is what the first of them says.
        for one in said[:1]:
            headed = headed or one.group == "head"
            if one.group == "begins" or (one.group == "row" and headed):
                entries.append((number, {}))
            if entries and (one.group != "row" or headed):
                for name, value in one.values.items():
                    entries[-1][1].setdefault(name, value.strip().strip('"'))
    found = (_entry(FileLine(source.path, number), values, kind) for number, values in entries)
    return tuple(e for e in found if e is not None)


def _entry(at: FileLine, values: dict[str, str], kind: str) -> Entry | None:
    port = values.get("port", "")
    peer = values.get("peer", "")
    speed = speed_mbps(values["speed"]) if "speed" in values else speed_mbps(f"{values.get('gbps', '')}G")
    if values.get("bps", "").isdecimal():
        speed = int(values["bps"]) // 1_000_000 or None
    if not port or (kind == "lldp" and peer.casefold() in _NOTHING) or (kind == "interfaces" and speed is None):
        return None
    # A MAC address or a local number names no interface.
    named = "kind" not in values or "name" in values["kind"].casefold()
    far = values.get("peer_port", _decoded(values.get("peer_port_base64", ""))) if named else ""
    return Entry(port, at, peer or None, None if far.casefold() in _NOTHING else far, speed)


def _decoded(text: str) -> str:
    """The name in a base64 value; empty where it holds none (a MAC address)."""
    try:
        found = binascii.a2b_base64(text).decode("ascii")
    except ValueError:
        return ""
    return found if found.isprintable() else ""


@cache
def _known() -> tuple[tuple[str, str], ...]:
    files = [f for kind in _CHEAP for f in TEMPLATES.glob(f"*/show/{kind}.ttp")]
    return tuple(sorted((f.parent.parent.name, f.stem) for f in files))
