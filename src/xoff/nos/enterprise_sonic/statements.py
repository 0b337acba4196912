"""Enterprise SONiC: the statements of an interface, a WRED policy and a scheduler's queue as settings by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xoff.model.origin import BodyLine, Origin
from xoff.model.qos import Colour
from xoff.model.quantity import Unit, quantity
from xoff.nos.enterprise_sonic import words
from xoff.nos.linetemplate import Said
from xoff.nos.numbers import listed, whole
from xoff.nos.reader import Block, Reading
from xoff.nos.settings import Bad, Setting, Settings, Wrong

Found = dict[str, Any]


def of_interface(block: Block) -> Settings:
    """Settings of an interface; origins are places inside its body, so equal bodies have equal settings."""
    return _settings(block, lambda s: BodyLine(block.cause, block.body.texts[s.index], s.index), _INTERFACE)


def of_wred(block: Block, reading: Reading) -> Settings:
    """Settings of a WRED policy; origins are absolute."""
    return _settings(block, lambda s: reading.line(block, s), _WRED)


def of_scheduler(block: Block, reading: Reading) -> Settings:
    """Settings of one queue (or the port) of a scheduler policy; origins are absolute."""
    return _settings(block, lambda s: reading.line(block, s), _SCHEDULER)


def _settings(block: Block, origin: Callable[[Said], Origin], handlers: Mapping[str, Callable[[Said], Found]]) -> Settings:
    out = Settings()
    for said in block.body.said:
        handler = handlers.get(said.group)
        if handler is None:
            continue
        for name, value in handler(said).items():
            if isinstance(value, Bad):
                out.wrong.append(Wrong((0, said.index), value.message, value.expected))
            elif name.endswith("*"):
                for own in [n for n in out.said if n.startswith(name[:-1])]:
                    out.said[own] = Setting(None, origin(said))
            else:
                out.said[name] = Setting(value, origin(said))
    return out


def _is(name: str, value: Any, what: str, expected: str) -> Found:
    return {name: Bad(f"{what} is no value that Enterprise SONiC has here", expected) if value is None else value}


def _text(name: str, key: str) -> Callable[[Said], Found]:
    return lambda s: {name: None if s.negated else s.values[key]}


def _number(name: str, key: str, low: int, high: int) -> Callable[[Said], Found]:
    def read(s: Said) -> Found:
        if s.negated:
            return {name: None}
        return _is(name, whole(s.values[key], low, high), f"{key} {s.values[key]}", f"{low} to {high}")

    return read


def _pfc_priority(s: Said) -> Found:
    if s.negated and "priority" not in s.values:
        return {"pfc.priority.*": None}
    found = listed(s.values["priority"], 7)
    if found is None:
        return {"pfc.priority": Bad(f"PFC priority {s.values['priority']} does not exist", "0 to 7, or a list such as 3,4")}
    return {f"pfc.priority.{n}": None if s.negated else True for n in sorted(found)}


def _flag(name: str) -> Callable[[Said], Found]:
    return lambda s: {name: not s.negated}


def _watchdog(s: Said) -> Found:
    if s.negated:
        return {"watchdog.on": None}
    on = s.values["watchdog"] == "on"
    return {"watchdog.on": on} | (_time("watchdog.detect", s.values["detect"], 100, 5000) if "detect" in s.values else {})


def _time(name: str, text: str, low: int, high: int) -> Found:
    return _is(name, words.milliseconds(text, low, high), f"watchdog time {text}", f"{low} to {high} ms")


def _timer(name: str, key: str, high: int) -> Callable[[Said], Found]:
    return lambda s: {name: None} if s.negated else _time(name, s.values[key], 100, high)


def _action(s: Said) -> Found:
    if s.negated:
        return {"watchdog.action": None}
    text = s.values["action"]
    return _is("watchdog.action", words.ACTIONS.get(text), f"watchdog action {text}", ", ".join(words.ACTIONS))


def _wred(s: Said) -> Found:
    if s.negated and "queue" not in s.values:
        return {}
    queue = whole(s.values["queue"], 0, 7)
    if queue is None:
        return {"wred": Bad(f"queue {s.values['queue']} does not exist", "0 to 7")}
    return {f"wred.{queue}": None if s.negated else s.values["policy"]}


def _bound(name: str, key: str, high: int) -> Callable[[Said], Found]:
    """`buffer priority-group 3-4 P`, `buffer queue 0-2 P`: each number by itself."""

    def read(s: Said) -> Found:
        if s.negated and key not in s.values:
            return {}
        found = listed(s.values[key], high)
        if found is None:
            return {name: Bad(f"{key} {s.values[key]} does not exist", f"0 to {high}, or a range such as 3-4")}
        return {f"{name}.{n}": None if s.negated else s.values["profile"] for n in sorted(found)}

    return read


def _cable(s: Said) -> Found:
    if s.negated:
        return {"cable": None}
    text = s.values["cable"]
    metres = whole(text.removesuffix("m"), 0, 9999)
    known = metres if metres in words.CABLES and text.endswith("m") else None
    return _is("cable", known, f"cable-length {text}", "5m, 40m or 300m")


def _admin(s: Said) -> Found:
    return {"admin": None if s.negated else s.values["admin"] == "up"}


def _switchport(s: Said) -> Found:
    return {"switched": None if s.negated else True}


_INTERFACE: Mapping[str, Callable[[Said], Found]] = {
    **{f"map_{kind.replace('-', '_')}": _text(f"map.{kind}", "name") for kind in words.MAPS},
    "pfc_priority": _pfc_priority,
    "asymmetric": _flag("pfc.asymmetric"),
    "watchdog": _watchdog,
    "watchdog_detect": _timer("watchdog.detect", "detect", 5000),
    "watchdog_restore": _timer("watchdog.restore", "restore", 60000),
    "watchdog_action": _action,
    "wred": _wred,
    "scheduler": _text("scheduler", "policy"),
    "buffer_group": _bound("buffer.group", "group", 7),
    "buffer_queue": _bound("buffer.queue", "queue", 19),
    "buffer_default": _flag("buffer.default"),
    "cable": _cable,
    "policy": _text("policy", "policy"),
    "mtu": _number("mtu", "mtu", 1, 65535),
    "speed": _number("speed", "speed", 10, 1_600_000),
    "admin": _admin,
    "switchport": _switchport,
    "vrf": _text("vrf", "vrf"),
}


# --- policies ----------------------------------------------------------------------------------------------------------


def _ramp(colour: Colour) -> Callable[[Said], Found]:
    def read(s: Said) -> Found:
        if s.negated:
            return {f"{colour}.{k}": None for k in ("kmin", "kmax", "pmax")}
        v = s.values
        found = {"kmin": words.kilobytes(v["kmin"]), "kmax": words.kilobytes(v["kmax"]), "pmax": words.percent(v["pmax"])}
        for key, what, expected in (
            ("kmin", "minimum-threshold", f"0 to {words.WRED_HIGH} KB"),
            ("kmax", "maximum-threshold", f"0 to {words.WRED_HIGH} KB"),
            ("pmax", "drop-probability", "0 to 100"),
        ):
            if found[key] is None:
                return _is(f"{colour}.{key}", None, f"{what} {v[key]}", expected)
        return {f"{colour}.{key}": value for key, value in found.items()}

    return read


def _ecn(s: Said) -> Found:
    if s.negated:
        return {"ecn": None}
    return _is("ecn", words.MARKS.get(s.values["ecn"]), f"ecn {s.values['ecn']}", ", ".join(words.MARKS))


def _type(s: Said) -> Found:
    if s.negated:
        return {"type": None}
    return _is("type", words.TYPES.get(s.values["type"]), f"type {s.values['type']}", "dwrr, wrr or strict")


def _weight(s: Said) -> Found:
    if s.negated:
        return {"weight": None}
    n = whole(s.values["weight"], 1, 100)
    return _is("weight", None if n is None else quantity(n, Unit.WEIGHT), f"weight {s.values['weight']}", "1 to 100")


def _rate(name: str) -> Callable[[Said], Found]:
    return _number(name, name, 0, 10**12)


_WRED: Mapping[str, Callable[[Said], Found]] = {**{f"ramp_{c}": _ramp(c) for c in Colour}, "ecn": _ecn}
_SCHEDULER: Mapping[str, Callable[[Said], Found]] = {
    "type": _type,
    "weight": _weight,
    "meter": _text("meter", "meter"),
    "cir": _rate("cir"),
    "pir": _rate("pir"),
}
