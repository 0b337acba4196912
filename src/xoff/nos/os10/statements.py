"""OS10: statements of an interface or of `system qos` as settings by name.

Names: `trust.dot1p`, `trust.dscp`, `queue_map`, `policy.input.network-qos`, `policy.output.queuing`, `pfc.mode`, `pause.rx` …
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xoff.model.origin import BodyLine, Line, Origin
from xoff.model.qos import PfcMode
from xoff.nos.linetemplate import Said
from xoff.nos.numbers import whole
from xoff.nos.reader import Block, Reading
from xoff.nos.settings import Bad, Setting, Settings, Wrong

Found = dict[str, Any]
#: The direction in which a policy of each type does something (users guide p. 1117).
DIRECTION = {"network-qos": "input", "qos": "input", "queuing": "output"}
_WAYS = ("input", "output")


def of_interface(block: Block) -> Settings:
    """Settings of an interface; origins are places inside the body, so equal bodies have equal settings."""
    return _settings(block, lambda i: BodyLine(block.cause, block.body.texts[i], i))


def of_system(block: Block, reading: Reading) -> Settings:
    """Settings that hold for all ports; origins are absolute."""
    return _settings(block, lambda i: Line(block.cause, block.body.texts[i], reading.at(block.lines[i])))


def _settings(block: Block, origin: Callable[[int], Origin]) -> Settings:
    out = Settings()
    for said in block.body.said:
        handler = _HANDLERS.get(said.group)
        if handler is None:
            continue
        for name, value in handler(said).items():
            if isinstance(value, Bad):
                out.wrong.append(Wrong((0, said.index), value.message, value.expected))
            else:
                out.said[name] = Setting(value, origin(said.index))
    return out


def _trust(s: Said) -> Found:
    if s.negated:
        return {f"trust.{h}": None for h in ([s.values["header"]] if "header" in s.values else ("dot1p", "dscp"))}
    return {f"trust.{s.values['header']}": s.values["map"]}


def _policy(s: Said) -> Found:
    if not s.negated:
        return {f"policy.{s.values['way']}.{s.values['kind']}": s.values["policy"]}
    ways = [s.values["way"]] if "way" in s.values else _WAYS
    kinds = [s.values["kind"]] if "kind" in s.values else list(DIRECTION)
    return {f"policy.{w}.{k}": None for w in ways for k in kinds}


def _text(name: str, key: str) -> Callable[[Said], Found]:
    return lambda s: {name: None if s.negated else s.values[key]}


def _pfc_mode(s: Said) -> Found:
    return {"pfc.mode": None if s.negated else PfcMode(s.values["mode"])}


def _pause(way: str) -> Callable[[Said], Found]:
    return lambda s: {f"pause.{way}": None if s.negated else s.values["state"] == "on"}


def _mtu(s: Said) -> Found:
    if s.negated:
        return {"mtu": None}
    value = whole(s.values["mtu"], 576, 65535)
    return {"mtu": Bad(f"mtu {s.values['mtu']} does not exist", "576 to 65535") if value is None else value}


def _speed(s: Said) -> Found:
    # `speed auto` says nothing of the number.
    return {"speed": None if s.negated else whole(s.values["speed"], 1, 1_600_000)}


def _admin(s: Said) -> Found:
    return {"admin": None if s.negated else s.values["admin"] == "up"}


def _switchport(s: Said) -> Found:
    if s.negated:
        return {"routed": None, "access": None}
    how = s.values["switched"]
    return {"routed": how == "off", "access": True if how == "access" else False if how == "trunk" else None}


_HANDLERS: Mapping[str, Callable[[Said], Found]] = {
    "trust": _trust,
    "queue_map": _text("queue_map", "map"),
    "policy": _policy,
    "pfc_mode": _pfc_mode,
    "pause_rx": _pause("rx"),
    "pause_tx": _pause("tx"),
    "mtu": _mtu,
    "speed": _speed,
    "admin": _admin,
    "switchport": _switchport,
    "vrf": _text("vrf", "vrf"),
}


def together(system: Settings, own: Settings) -> Settings:
    """What holds on a port: its own line, else that of system qos. Taken back on the port (`no`): the system's holds."""
    out = Settings(dict(system.said))
    for name, setting in own.said.items():
        if setting.value is not None or name not in out.said:
            out.said[name] = setting
    return out
