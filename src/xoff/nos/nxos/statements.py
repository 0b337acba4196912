"""NX-OS: the statements of an interface and of `system qos` as settings by name.

Names: `pfc.mode`, `watchdog`, `watchdog.alert`, `qos_in`, `queuing_in`, `queuing_out`, `network_qos`, `mtu`, `routed` …
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xoff.model.origin import BodyLine
from xoff.model.qos import PfcMode
from xoff.nos.linetemplate import Said
from xoff.nos.nxos import words
from xoff.nos.reader import Block, Reading
from xoff.nos.settings import Bad, Setting, Settings, Wrong

Found = dict[str, Any]


def of_interface(block: Block) -> Settings:
    """Settings of an interface; origins are places inside the body, so equal bodies have equal settings."""
    out = Settings()
    for said in block.body.said:
        handler = _INTERFACE.get(said.group)
        if handler is None:
            continue
        where = BodyLine(block.cause, block.body.texts[said.index], said.index)
        for name, value in handler(said).items():
            if isinstance(value, Bad):
                out.wrong.append(Wrong((0, said.index), value.message, value.expected))
            else:
                out.said[name] = Setting(value, where)
    return out


def of_system(block: Block, reading: Reading, into: Settings) -> None:
    """Policies that hold for every port; origins are absolute."""
    for said in block.body.said:
        into.said[said.group] = Setting(None if said.negated else said.values["policy"], reading.line(block, said))


def _is(name: str, value: Any, said: Mapping[str, str], what: str, expected: str) -> Found:
    if value is None:
        return {name: Bad(f"{what} {' '.join(said.values())} is no value that NX-OS has", expected)}
    return {name: value}


def _pfc_mode(s: Said) -> Found:
    if s.negated:
        return {"pfc.mode": None}
    known = {m.value: m for m in PfcMode}.get(s.values["mode"])
    return _is("pfc.mode", known, s.values, "priority-flow-control mode", "on, off or auto")


def watchdog(s: Said) -> Found:
    """`watch-dog-interval on` or off, of the switch or of a port."""
    if s.negated:
        return {"watchdog": None}
    state = {"on": True, "off": False}.get(s.values["state"])
    return _is("watchdog", state, {"": s.values["state"]}, "priority-flow-control watch-dog-interval", "on or off")


def _alert(s: Said) -> Found:
    found = watchdog(s)
    if not any(isinstance(v, Bad) for v in found.values()):
        found["watchdog.alert"] = None if s.negated else True
    return found


def _policy(name: str) -> Callable[[Said], Found]:
    return lambda s: {name: None if s.negated else s.values["policy"]}


def _pause(way: str) -> Callable[[Said], Found]:
    def read(s: Said) -> Found:
        if s.negated:
            return {f"pause.{way}": None}
        return _is(f"pause.{way}", {"on": True, "off": False}.get(s.values["state"]), s.values, "flowcontrol", "on or off")

    return read


def _mtu(s: Said) -> Found:
    return {"mtu": None} if s.negated else _is("mtu", words.whole(s.values["mtu"], 68, 9216), s.values, "mtu", "up to 9216")


def _speed(s: Said) -> Found:
    # `speed auto` says nothing of the number.
    return {"speed": None if s.negated else words.speed(s.values["speed"])}


def _admin(s: Said) -> Found:
    return {"admin": None if s.negated else s.values["admin"] == "up"}


def _switchport(s: Said) -> Found:
    if s.negated:
        return {}  # `no switchport access vlan` leaves the port what it is
    return {"routed": s.values["switched"] == "off"}


def _arp(s: Said) -> Found:
    value = None if s.negated else words.whole(s.values["seconds"], 1, 10**9)
    return {"arp": None} if s.negated else _is("arp", value, s.values, "ARP timeout", "seconds")


_INTERFACE: Mapping[str, Callable[[Said], Found]] = {
    "pfc_mode": _pfc_mode,
    "watchdog": watchdog,
    "watchdog_alert": _alert,
    "qos_in": _policy("qos_in"),
    "qos_out": _policy("qos_out"),
    "queuing_in": _policy("queuing_in"),
    "queuing_out": _policy("queuing_out"),
    "pause_rx": _pause("rx"),
    "pause_tx": _pause("tx"),
    "mtu": _mtu,
    "speed": _speed,
    "admin": _admin,
    "switchport": _switchport,
    "vrf": lambda s: {"vrf": None if s.negated else s.values["vrf"]},
    "peer_link": lambda s: {"peer_link": None if s.negated else True},
    "arp": _arp,
}
