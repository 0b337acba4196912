"""Junos: the `interfaces` stanza: what a port is, apart from its class of service."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field

from xoff.model.record import dataclass
from xoff.nos.junos import words
from xoff.nos.linetemplate import Said
from xoff.nos.reader import Block, Reading

_NAMED = re.compile(r"(.*?)(\d+)\Z")
#: Members that one range may stand for; a range beyond is not followed.
_MOST = 512


@dataclass(slots=True)
class Wire:
    """One interface. `routed` None: no family says. `units`: those it has. `subs`: units of their own (`unit` set).

    `said`: field -> (path, text) of the lines of its own, `lines`: field -> file line.
    """

    name: str
    at: int = 0
    mtu: int | None = None
    speed: int | None = None
    admin: bool = True
    routed: bool | None = None
    trunk: bool | None = None
    tagged: bool = False
    filter: str | None = None
    pause: bool | None = None
    bundle: str | None = None
    vrf: str | None = None
    description: str | None = None
    sub_ports: bool = False
    addresses: tuple[str, ...] = ()
    units: frozenset[str] = frozenset()
    unit: str | None = None
    subs: dict[str, Wire] = field(default_factory=dict)
    said: dict[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def note(self, what: str, block: Block, index: int, text: str | None = None) -> None:
        self.said[what] = (block.cause, block.body.texts[index] if text is None else text)
        self.lines[what] = block.lines[index] if text is None else index


def wires(reading: Reading) -> dict[str, Wire]:
    """All interfaces of the file by name."""
    root = {b.spec.path[-1].split()[0]: b for b in reading.root.children}
    stanza = root.get("interfaces")
    if stanza is None:
        return {}
    classifying = _classifying(root.get("firewall"))
    instances = _instances(root.get("routing-instances"))
    out: dict[str, Wire] = {}
    for block in stanza.below("*"):
        wire = out.setdefault(block.name, Wire(block.name))
        _interface(wire, block)
        for unit in block.below("unit"):
            _unit(wire, unit, classifying, instances)
    for block in stanza.below("interface-range"):
        for name in _members(block):
            _interface(out.setdefault(name, Wire(name)), block, weak=True)
    return out


def _interface(wire: Wire, block: Block, weak: bool = False) -> None:
    """The lines of an interface, or (weak) of a range that it is a member of: its own lines come first."""
    wire.at = wire.at or block.line
    for said in block.body.said:
        _line(wire, block, said, weak)
    for value, line, masked in block.identity.get("description", ())[-1:]:
        wire.description = value.strip('"')
        wire.note("description", block, line, masked)


def _line(wire: Wire, block: Block, said: Said, weak: bool) -> None:
    v = said.values
    fields: dict[str, tuple[str, object]] = {
        "mtu": ("mtu", words.whole(v.get("mtu", ""), 1, 65535)),
        "speed": ("speed", words.speed(v.get("speed", ""))),
        "admin": ("admin", False),
        "bundle": ("bundle", v.get("bundle")),
        "pause": ("pause", v.get("pause") == "on"),
        "sub_ports": ("sub_ports", True),
        "tagging": ("tagged", True),
    }
    if said.group not in fields:
        return
    name, value = fields[said.group]
    if value is None or (weak and name in wire.said):
        return
    setattr(wire, name, value)
    wire.note(name, block, said.index)


def _unit(wire: Wire, block: Block, classifying: frozenset[str], instances: Mapping[str, str]) -> None:
    """Unit 0 is the interface itself; another one is a sub-interface, and where it is the only one both."""
    number = block.values["unit"]
    if not number.isdecimal():
        return  # `*` stands in groups only, and nothing else is a unit
    wire.units |= {number}
    own = wire if number == "0" else Wire(wire.name, block.line, unit=number)
    if own is not wire:
        wire.subs[number] = own
        wire.tagged = wire.tagged or any(s.group == "vlan" for s in block.body.said)
    own.vrf = instances.get(f"{wire.name}.{number}", own.vrf)
    for said in block.body.said:
        if said.group == "admin" and own is not wire:
            own.admin = False
    for family in block.below("family"):
        kind = family.values["family"]
        if kind in ("inet", "inet6"):
            wire.routed = own.routed = True
        elif kind in ("ethernet-switching", "bridge"):
            wire.routed = own.routed = False
        else:
            continue
        wire.note("routed", family, family.line, "")
        wire.said["routed"] = (family.cause[:-1], family.cause[-1])
        for said in family.body.said:
            if said.group == "filter" and said.values["filter"] in classifying:
                wire.filter = wire.filter or said.values["filter"]
            elif said.group == "mode":
                wire.trunk = said.values["mode"] in ("trunk", "tagged-access")
        found = family.identity.get("address", ())
        own.addresses += tuple(a for a, _, _ in found)
        for _, line, masked in found[-1:]:
            own.note("addresses", family, line, masked)


def _classifying(firewall: Block | None) -> frozenset[str]:
    """Filters that put packets into a forwarding class."""
    return frozenset(s.values["filter"] for s in firewall.body.said) if firewall is not None else frozenset()


def _instances(block: Block | None) -> dict[str, str]:
    """Unit -> routing instance."""
    return {
        s.values["interface"]: child.name for child in (block.below("*") if block is not None else ()) for s in child.body.said
    }


def _members(block: Block) -> list[str]:
    out: list[str] = []
    for said in block.body.said:
        if said.group == "member":
            out.append(said.values["member"].strip('"'))
        elif said.group == "member_range":
            first, last = _NAMED.match(said.values["first"]), _NAMED.match(said.values["last"])
            if first and last and first[1] == last[1] and 0 <= int(last[2]) - int(first[2]) < _MOST:
                out += [f"{first[1]}{n}" for n in range(int(first[2]), int(last[2]) + 1)]
    return [n for n in out if "*" not in n and "[" not in n]
