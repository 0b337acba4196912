"""VRP: the statements of an interface as settings by name.

The value None means: taken back by `undo`, so the device's own default holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xoff.model.origin import BodyLine
from xoff.model.qos import HeaderField, PfcMode, Static
from xoff.model.quantity import Fact, Unknown
from xoff.nos.linetemplate import Said
from xoff.nos.reader import Block
from xoff.nos.settings import Bad, Setting, Settings, Wrong
from xoff.nos.vrp import family as fam
from xoff.nos.vrp import words
from xoff.nos.vrp.family import Family

Found = dict[str, Any]


def dynamic(level: str) -> Unknown:
    """A dynamic threshold as VRP says it."""
    return Unknown(f"what alpha VRP's dynamic level {level} stands for is published nowhere", Fact.DEFAULT)


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
            elif name:
                out.said[name] = Setting(value, where)
    return out


def families_of(said: Said) -> frozenset[Family] | None:
    """Families that have this line of an interface; None: all of them, or nobody knows."""
    if said.negated or said.group not in ("buffer", "headroom", "guaranteed"):
        return None
    v = said.values
    if "cells" in v.values():
        return fam.C
    if "xon" in v or "xon_level" in v:
        return fam.B
    if said.group in ("headroom", "guaranteed") or "offset" in v:
        return fam.A
    return None


def _number(said: Said, key: str, low: int, high: int, what: str) -> int | Bad:
    found = words.whole(said.values[key], low, high)
    return Bad(f"{what} {said.values[key]} does not exist", f"{low} to {high}") if found is None else found


def _in_queue(said: Said, build: Callable[[int], Found], prefix: str = "queue") -> Found:
    """What is said of one queue; `undo` without a number takes it back for all."""
    if said.negated and "queue" not in said.values:
        return {name: None for n in range(words.QUEUES) for name in build(n)}
    queue = _number(said, "queue", 0, 7, prefix)
    return {"": queue} if isinstance(queue, Bad) else build(queue)


def _trust(s: Said) -> Found:
    return {"trust": None if s.negated else HeaderField.DSCP if s.values["trust"] == "dscp" else HeaderField.PCP}


def _domain(s: Said) -> Found:
    return {"domain": None if s.negated else s.values["domain"]}


def _port_priority(s: Said) -> Found:
    return {"port_priority": None if s.negated else _number(s, "priority", 0, 7, "port priority")}


def _pfc(s: Said) -> Found:
    if s.negated:
        return {"pfc.mode": None, "pfc.profile": None}
    mode = PfcMode.AUTO if s.values.get("mode") == "auto" else PfcMode.ON
    return {"pfc.mode": mode, "pfc.profile": s.values.get("profile", "default")}


def _buffer(s: Said) -> Found:
    names = ("threshold", "xon", "xon_offset")

    def build(n: int) -> Found:
        if s.negated:
            return {f"group.{n}.{what}": None for what in names}
        v = s.values
        out: Found = dict.fromkeys((f"group.{n}.{what}" for what in names), None)
        if "level" in v:
            level = _number(s, "level", 0, 12, "dynamic level")
            out[f"group.{n}.threshold"] = level if isinstance(level, Bad) else dynamic(v["level"])
        else:
            found = _size(s, "xoff", "XOFF threshold", 1, 30720)
            out[f"group.{n}.threshold"] = found if isinstance(found, Bad) else Static(found)
        if "xon" in v:
            out[f"group.{n}.xon"] = _size(s, "xon", "XON threshold", 1, 30720)
        elif "xon_level" in v:
            out[f"group.{n}.xon"] = dynamic(v["xon_level"])
        if "offset" in v:
            out[f"group.{n}.xon_offset"] = _size(s, "offset", "XON offset", 1, 30720)
        return out

    return _in_queue(s, build)


def _size(s: Said, key: str, what: str, low: int, high: int, default: str = "kbytes") -> Any:
    """A size, its bounds in kbytes where it is said in those."""
    unit = s.values.get(f"{key}_unit", default)
    bounds = (low, high) if unit == default else (1, 10**9)
    found = words.size(s.values[key], unit, *bounds)
    return (
        Bad(f"{what} {s.values[key]} {unit} is no value that VRP has", f"{low} to {high} {default}") if found is None else found
    )


def _headroom(s: Said) -> Found:
    return _in_queue(s, lambda n: {f"group.{n}.headroom": None if s.negated else _size(s, "hdrm", "headroom", 16, 30720)})


def _guaranteed(s: Said) -> Found:
    def build(n: int) -> Found:
        value = None if s.negated else _size(s, "guaranteed", "guaranteed buffer", 640, 25600, "bytes")
        return {f"group.{n}.reserved": value}

    return _in_queue(s, build)


def _wred(s: Said) -> Found:
    return _in_queue(s, lambda n: {f"queue.{n}.profile": None if s.negated else s.values["profile"]})


def _ecn(s: Said) -> Found:
    return _in_queue(s, lambda n: {f"queue.{n}.ecn": None if s.negated else True})


def _weight(s: Said) -> Found:
    return _in_queue(s, lambda n: {f"queue.{n}.weight": None if s.negated else _number(s, "weight", 1, 100, "weight")})


def _scheduling(s: Said) -> Found:
    if s.negated and "queues" not in s.values:
        return {f"queue.{n}.how": None for n in range(words.QUEUES)}
    found = words.numbers(s.values["queues"], 7)
    if found is None:
        return {"": Bad(f"queues {s.values['queues']} do not exist", "0 to 7, as in `0 to 5`")}
    return {f"queue.{n}.how": None if s.negated else s.values["how"] for n in found}


def _limit(s: Said) -> Found:
    def build(n: int) -> Found:
        if s.negated:
            return {f"queue.{n}.limit": None}
        if "level" in s.values:
            level = _number(s, "level", 0, 12, "dynamic level")
            return {f"queue.{n}.limit": level if isinstance(level, Bad) else dynamic(s.values["level"])}
        found = words.size(s.values["limit"], s.values["limit_unit"], 1, 10**9)
        bad = Bad(f"threshold {s.values['limit']} is no value that VRP has", "a whole number")
        return {f"queue.{n}.limit": bad if found is None else Static(found)}

    return _in_queue(s, build)


def _ets(s: Said) -> Found:
    return {"ets": None if s.negated else s.values["profile"]}


def _trigger(s: Said) -> Found:
    return {"trigger": None if s.negated else s.values["trigger"]}


def _pause(s: Said) -> Found:
    return {"pause": s.values.get("state") == "on"}


def _mtu(name: str, high: int) -> Callable[[Said], Found]:
    return lambda s: {name: None if s.negated else _number(s, "mtu", 46, high, "MTU")}


def _flag(name: str, key: str, yes: str) -> Callable[[Said], Found]:
    return lambda s: {name: None if s.negated else s.values[key] == yes}


def _policy(s: Said) -> Found:
    if s.values.get("direction") == "outbound":
        return {}
    return {"policy": None if s.negated else s.values["policy"]}


def _vrf(s: Said) -> Found:
    return {"vrf": None if s.negated else s.values["vrf"]}


def _speed(s: Said) -> Found:
    return {"speed": None if s.negated else words.speed(s.values["speed"])}


_INTERFACE: Mapping[str, Callable[[Said], Found]] = {
    "trust": _trust,
    "domain": _domain,
    "port_priority": _port_priority,
    "pfc": _pfc,
    "buffer": _buffer,
    "headroom": _headroom,
    "guaranteed": _guaranteed,
    "wred": _wred,
    "ecn": _ecn,
    "weight": _weight,
    "scheduling": _scheduling,
    "limit": _limit,
    "ets": _ets,
    "trigger": _trigger,
    "pause": _pause,
    "jumbo": _mtu("mtu.frame", 16000),
    "mtu": _mtu("mtu.ip", 65535),
    "admin": _flag("admin", "admin", "up"),
    "portswitch": _flag("routed", "routed", "on"),
    "marking": _flag("marking.dscp", "state", "on"),
    "marking_pcp": _flag("marking.pcp", "state", "on"),
    "policy": _policy,
    "vrf": _vrf,
    "port_mode": _speed,
}
