"""Which port is cabled to which: what was told, and what the configurations themselves let one conclude.

Sources, strongest first: intent or cabling file, LLDP, DEVICE_NEIGHBOR, descriptions (by a pattern of the project file; none by
default), address pairs. Two sources that name different ends for one port are a conflict: it is reported, and no link of that
port is used. Pure: models in, links out.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from ipaddress import ip_interface

from xoff.model.fabric import End, Link, LinkConflict, LinkEvidence
from xoff.model.origin import FileLine
from xoff.model.record import dataclass
from xoff.model.switch import Port, SwitchModel

_STRENGTH = {e: i for i, e in enumerate(LinkEvidence)}
_SHORT_NAME = re.compile(r"^([A-Za-z-]+)\s*(\d[\w/.:-]*)$")


@dataclass(frozen=True, slots=True)
class _Claim:
    """One source's word that a port leads to another. `b.port` empty: the source names the device only."""

    evidence: LinkEvidence
    a: End
    b: End
    link: Link | None = None
    at: FileLine | None = None

    def as_link(self, devices: Mapping[str, SwitchModel]) -> Link:
        """The told link with names as in the input; else one of evidence alone, ends in order, a device of the input first."""
        if self.link is not None:
            return replace(self.link, a=self.a, b=self.b)
        a, b = sorted((self.a, self.b), key=lambda e: (e.device not in devices, _key(e)))
        return Link(a, b, self.evidence, at=self.at)


def find_links(
    devices: Mapping[str, SwitchModel], told: Sequence[Link] = (), description: str | re.Pattern[str] | None = None
) -> tuple[tuple[Link, ...], tuple[LinkConflict, ...]]:
    """Links of one fabric and the conflicts between their sources, both sorted.

    devices: by hostname. told: links of the intent, a cabling file or LLDP, used as they are.
    description: a regular expression with the groups `device` and, if it can, `port`, searched in port descriptions.
    Raises ValueError for a pattern that has no group `device`.
    """
    names = _Names(devices)
    claims = [_Claim(link.evidence, names.end(link.a), names.end(link.b), link, link.at) for link in told]
    claims += _neighbours(devices, names)
    if description is not None:
        claims += _descriptions(devices, names, re.compile(description))
    claims += _address_pairs(devices)
    return _settle(claims, devices)


# ---- the sources


def _neighbours(devices: Mapping[str, SwitchModel], names: _Names) -> Iterator[_Claim]:
    for device in devices.values():
        for port, (peer, peer_port) in device.neighbours.items():
            own = device.ports.get(port)
            at = own.at if own is not None else None
            yield _Claim(LinkEvidence.NEIGHBOUR, End(device.hostname, port), names.end(End(peer, peer_port or "")), at=at)


def _descriptions(devices: Mapping[str, SwitchModel], names: _Names, pattern: re.Pattern[str]) -> Iterator[_Claim]:
    if "device" not in pattern.groupindex:
        raise ValueError(f"the description pattern {pattern.pattern!r} needs a group (?P<device>…)")
    for device in devices.values():
        for port in device.ports.values():
            found = pattern.search(port.description) if port.description else None
            if found is None or not found["device"]:
                continue
            peer_port = found["port"] if "port" in pattern.groupindex else None
            # A description may speak of anything; only a device of this fabric makes it a link.
            end = names.end(End(found["device"], peer_port or ""))
            if end.device in devices:
                yield _Claim(LinkEvidence.DESCRIPTION, End(device.hostname, port.name), end, at=port.at)


@dataclass(frozen=True, slots=True)
class _Address:
    """An interface address as numbers; `low` and `high` are the ends of its subnet."""

    version: int
    ip: int
    low: int
    high: int


def _address_pairs(devices: Mapping[str, SwitchModel]) -> Iterator[_Claim]:
    """Interfaces that share a subnet with exactly one other one: same VRF, both up, speeds not contradicting."""
    subnets: dict[tuple[str, int, int, int], list[tuple[str, Port, _Address]]] = {}
    inside: dict[tuple[str, int], list[int]] = {}
    for device in devices.values():
        for port in device.ports.values():
            vrf = port.vrf or "default"
            for text in port.addresses:
                x = _address(text)
                if x is not None:
                    subnets.setdefault((vrf, x.version, x.low, x.high), []).append((device.hostname, port, x))
                    inside.setdefault((vrf, x.version), []).append(x.ip)
    for ips in inside.values():
        ips.sort()
    for (vrf, version, low, high), members in subnets.items():
        if len(members) != 2:
            continue
        # A third interface with another mask may lie in the subnet as well.
        ips = inside[vrf, version]
        if bisect_right(ips, high) - bisect_left(ips, low) != 2:
            continue
        (a_name, a, a_at), (b_name, b, b_at) = members
        if a_name != b_name and a_at.ip != b_at.ip and _can_meet(a, b):
            yield _Claim(LinkEvidence.ADDRESSES, End(a_name, a.name), End(b_name, b.name), at=a.at)


_V4 = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})/(\d{1,2})", re.ASCII)


def _address(text: str) -> _Address | None:
    """An address that can tell a link: not a host route, not link-local, not what is no address.

    The usual `a.b.c.d/n` is read by hand: a fabric has thousands, and `ipaddress` takes 30 us for each.
    """
    plain = _V4.fullmatch(text)
    if plain is not None:
        a, b, c, d, length = map(int, plain.groups())
        if max(a, b, c, d) > 255 or length > 31 or (a, b) == (169, 254):
            return None
        ip, size = (a << 24) | (b << 16) | (c << 8) | d, 1 << (32 - length)
        return _Address(4, ip, ip & -size, (ip & -size) + size - 1)
    try:
        found = ip_interface(text)
    except ValueError:
        return None
    network = found.network
    if "/" not in text or network.prefixlen == found.max_prefixlen or found.ip.is_link_local:
        return None
    return _Address(found.version, int(found.ip), int(network.network_address), int(network.broadcast_address))


def _can_meet(a: Port, b: Port) -> bool:
    if not (a.carrying_kind and b.carrying_kind and a.admin is True and b.admin is True):
        return False
    return not (isinstance(a.speed, int) and isinstance(b.speed, int) and a.speed != b.speed)


# ---- names


class _Names:
    """Brings the names that neighbours and descriptions use to those of the input: domains cut, `Et1/1` written out."""

    def __init__(self, devices: Mapping[str, SwitchModel]) -> None:
        self._devices = devices
        self._by_name: dict[str, str | None] = {}
        for name in devices:
            for form in {name.casefold(), name.partition(".")[0].casefold()}:
                # Two devices with one short name: the short name says nothing.
                self._by_name[form] = name if form not in self._by_name or form == name.casefold() else None

    def end(self, end: End) -> End:
        name = end.device
        if name not in self._devices:
            name = self._by_name.get(name.casefold()) or self._by_name.get(name.partition(".")[0].casefold()) or name
        device = self._devices.get(name)
        return End(name, self._port(device, end.port)) if device is not None else End(name, end.port)

    @staticmethod
    def _port(device: SwitchModel, said: str) -> str:
        if not said or said in device.ports:
            return said
        match = _SHORT_NAME.match(said.strip())
        if match is None:
            return said
        prefix, number = match[1].casefold(), match[2]
        found = [
            name
            for name in device.ports
            if (m := _SHORT_NAME.match(name)) and m[2] == number and m[1].casefold().startswith(prefix)
        ]
        return found[0] if len(found) == 1 else said


# ---- agreement


def _settle(claims: Sequence[_Claim], devices: Mapping[str, SwitchModel]) -> tuple[tuple[Link, ...], tuple[LinkConflict, ...]]:
    claims = _complete(claims)
    ends: dict[End, dict[End, set[LinkEvidence]]] = {}
    for c in claims:
        ends.setdefault(c.a, {}).setdefault(c.b, set()).add(c.evidence)
        ends.setdefault(c.b, {}).setdefault(c.a, set()).add(c.evidence)
    conflicts = {
        port: LinkConflict(
            port,
            tuple(sorted(((e, peer) for peer, es in peers.items() for e in es), key=lambda x: (_STRENGTH[x[0]], _key(x[1])))),
        )
        for port, peers in ends.items()
        if len(peers) > 1
    }
    links: dict[frozenset[End], Link] = {}
    for c in sorted(claims, key=lambda c: _STRENGTH[c.evidence]):
        pair = frozenset((c.a, c.b))
        if c.a in conflicts or c.b in conflicts or pair in links or len(pair) != 2:
            continue
        links[pair] = c.as_link(devices)
    return (
        tuple(sorted(links.values(), key=lambda x: (_key(x.a), _key(x.b)))),
        tuple(conflicts[p] for p in sorted(conflicts, key=_key)),
    )


def _complete(claims: Sequence[_Claim]) -> list[_Claim]:
    """Claims with both ports. A claim that names only a device agrees with any other that leads from its port to that device;
    else it is completed where exactly one port of that device points back at this one."""
    whole = [c for c in claims if c.a.port and c.b.port]
    leads: dict[End, set[str]] = {}
    for c in whole:
        leads.setdefault(c.a, set()).add(c.b.device)
        leads.setdefault(c.b, set()).add(c.a.device)
    partial = [c for c in claims if c.a.port and not c.b.port and c.b.device not in leads.get(c.a, ())]
    by_device: dict[tuple[str, str], list[_Claim]] = {}
    for c in partial:
        by_device.setdefault((c.a.device, c.b.device), []).append(c)
    for (here, there), ones in by_device.items():
        back = by_device.get((there, here), [])
        if len(ones) == 1 and len(back) == 1:
            whole.append(_Claim(ones[0].evidence, ones[0].a, back[0].a, at=ones[0].at))
        elif any(c.a in leads for c in ones):
            # The port is known to lead elsewhere: a contradiction, even though this source does not name the far port.
            whole += [_Claim(c.evidence, c.a, c.b, at=c.at) for c in ones if c.a in leads]
    return whole


def _key(end: End) -> tuple[str, tuple[tuple[int, int, str], ...]]:
    parts = re.split(r"(\d+)", end.port)
    return end.device, tuple((1, int(p), p) if p.isdigit() else (0, 0, p) for p in parts if p)
