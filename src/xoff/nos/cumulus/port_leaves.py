"""Leaves of interfaces, and of what stands outside qos and interface, into the state of a switch; the older NCLU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from xoff.model.origin import BodyLine
from xoff.model.switch import RemarkKind
from xoff.nos.cumulus.claims import Claim, Claims
from xoff.nos.cumulus.leaves import Leaves, masked
from xoff.nos.cumulus.state import Said, State
from xoff.nos.facts import speed_mbps
from xoff.nos.nvue.values import interfaces, whole


class PortLeaves(Leaves):
    """`interface X …`, with or without `qos`."""

    def __init__(self, state: State, claims: Claims) -> None:
        super().__init__(state, claims)
        self._same: dict[tuple[tuple[str, ...], str], Said] = {}

    def _ports(self, claim: Claim) -> tuple[str, ...]:
        found = interfaces(claim.name)
        if found is None:
            self.claims.bad(claim, f"{claim.name!r} names no interface", "names like swp1-4,swp6")
        return found or ()

    def _set(self, claim: Claim, key: str, value: object, bound: bool = False) -> None:
        said = self._same.get((claim.path, claim.text))
        if said is None:  # the same words on many ports are one statement
            said = self._same[claim.path, claim.text] = Said(value, BodyLine(claim.path, masked(claim), claim.text))
        at = claim.at
        for name in self._ports(claim):
            port = self.state.port(name, at)
            port.lines[claim.text] = at
            (port.bound if bound else port.values)[key] = said

    def _bind(self, claim: Claim) -> None:
        self._set(claim, claim.values["kind"], claim.values["name"], bound=True)

    def _port_watchdog(self, claim: Claim) -> None:
        on = self._switch(claim, "state")
        if on is not None:
            self._set(claim, "watchdog", on)

    def _admin(self, claim: Claim) -> None:
        if claim.values["state"] not in ("up", "down"):
            self._bad(claim, f"link state {claim.values['state']!r} does not exist", "up or down")
            return
        self._set(claim, "admin", claim.values["state"] == "up")

    def _mtu(self, claim: Claim) -> None:
        mtu = self._number(claim, "mtu", 64, 65_535)
        if mtu is not None:
            self._set(claim, "mtu", mtu)

    def _speed(self, claim: Claim) -> None:
        if claim.values["speed"] == "auto":
            return
        speed = speed_mbps(claim.values["speed"])
        if speed is None:
            self._bad(claim, f"speed {claim.values['speed']!r} is none", "a speed like 400G, or auto")
        else:
            self._set(claim, "speed", speed)

    def _breakout(self, claim: Claim) -> None:
        self._set(claim, "breakout", claim.values["way"])

    def _members(self, claim: Claim) -> None:
        members = interfaces(claim.values["ports"])
        for bond in self._ports(claim):
            self.state.port(bond, claim.at).lines.setdefault(claim.text, claim.at)
            self.state.members[bond] = tuple(dict.fromkeys((*self.state.members.get(bond, ()), *(members or ()))))
            for name in members or ():
                self.state.port(name, claim.at)

    def _type(self, claim: Claim) -> None:
        self._set(claim, "type", claim.values["kind"])

    def _bridge(self, claim: Claim) -> None:
        self._set(claim, "bridged", True)

    def _address(self, claim: Claim) -> None:
        for name in self._ports(claim):
            port = self.state.port(name, claim.at)
            port.addresses.append(claim.values["address"])

    def _vrf(self, claim: Claim) -> None:
        self._set(claim, "vrf", claim.values["vrf"])

    OF: ClassVar[Mapping[str, Callable[[Any, Claim], None]]] = {
        "profile": _bind,
        "watchdog": _port_watchdog,
        "admin": _admin,
        "mtu": _mtu,
        "speed": _speed,
        "breakout": _breakout,
        "members": _members,
        "type": _type,
        "bridge": _bridge,
        "address": _address,
        "vrf": _vrf,
    }


class RootLeaves(Leaves):
    """What stands outside qos and interface."""

    def _hostname(self, claim: Claim) -> None:
        self.state.device["hostname"] = Said(claim.values["hostname"], claim.line("hostname *"))

    def _asn(self, claim: Claim) -> None:
        asn = whole(claim.values["asn"], 1, 2**32 - 1)
        if asn is not None:
            self._device("asn", asn, claim)

    def _peer(self, claim: Claim) -> None:
        asn = whole(claim.values["asn"], 1, 2**32 - 1)
        if asn is not None:
            self.state.peers[claim.values["peer"]] = asn

    def _vxlan(self, claim: Claim) -> None:
        self._device(claim.group.replace("_", "."), claim.values.get("action") or claim.values.get("state"), claim)

    OF: ClassVar[Mapping[str, Callable[[Any, Claim], None]]] = {
        "hostname": _hostname,
        "asn": _asn,
        "peer": _peer,
        "vxlan_state": _vxlan,
        "vxlan_encap": _vxlan,
        "vxlan_decap": _vxlan,
    }


class NetLeaves(RootLeaves):
    """`net add …`."""

    def _net(self, claim: Claim, key: str, value: object) -> None:
        line = BodyLine(("net", "interface *"), masked(claim), claim.text)
        for name in interfaces(claim.values["ports"]) or ():
            port = self.state.port(name, claim.at)
            port.lines[claim.text] = claim.at
            port.values[key] = Said(value, line)

    def _net_mtu(self, claim: Claim) -> None:
        mtu = self._number(claim, "mtu", 64, 65_535)
        if mtu is not None:
            self._net(claim, "mtu", mtu)

    def _net_speed(self, claim: Claim) -> None:
        speed = speed_mbps(claim.values["speed"])
        if speed is not None:
            self._net(claim, "speed", speed)

    def _net_admin(self, claim: Claim) -> None:
        if claim.values["state"] in ("up", "down"):
            self._net(claim, "admin", claim.values["state"] == "up")

    def _net_breakout(self, claim: Claim) -> None:
        self._net(claim, "breakout", claim.values["way"])

    def _net_members(self, claim: Claim) -> None:
        members = interfaces(claim.values["ports"]) or ()
        bond = claim.values["bond"]
        self.state.port(bond, claim.at)
        self.state.members[bond] = tuple(dict.fromkeys((*self.state.members.get(bond, ()), *members)))
        for name in members:
            self.state.port(name, claim.at)

    def _net_bridged(self, claim: Claim) -> None:
        self._net(claim, "bridged", True)

    def _net_address(self, claim: Claim) -> None:
        for name in interfaces(claim.values["ports"]) or ():
            self.state.port(name, claim.at).addresses.append(claim.values["address"])

    def _net_vlan(self, claim: Claim) -> None:
        self.state.port(f"vlan{claim.values['vlan']}", claim.at).addresses.append(claim.values["address"])

    def _net_storage(self, claim: Claim) -> None:
        why = "NCLU's RoCE command is not read: what it sets is in no source"
        self.claims.remarks.add(
            RemarkKind.UNCLAIMED, ("net",), masked(claim), claim.at, why, "", interfaces(claim.values["ports"]) or ()
        )

    OF: ClassVar[Mapping[str, Callable[[Any, Claim], None]]] = {
        "hostname": RootLeaves._hostname,
        "asn": RootLeaves._asn,
        "mtu": _net_mtu,
        "speed": _net_speed,
        "admin": _net_admin,
        "breakout": _net_breakout,
        "members": _net_members,
        "bridged": _net_bridged,
        "address": _net_address,
        "vlan": _net_vlan,
        "storage": _net_storage,
    }
