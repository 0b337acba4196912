"""Comware: the statements of an interface and of a WRED table as settings by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xoff.model.origin import BodyLine, Origin
from xoff.model.qos import Alpha, HeaderField, PfcMode, SchedulerKind, Static
from xoff.model.quantity import Unknown
from xoff.nos.comware import words
from xoff.nos.linetemplate import Said
from xoff.nos.reader import Block, Reading
from xoff.nos.settings import Bad, Setting, Settings, Wrong

Found = dict[str, Any]
#: What `qos trust` reads; the others are known words whose reading is not confirmed.
TRUST: Mapping[str, HeaderField | Unknown] = {
    "dscp": HeaderField.DSCP,
    "dot1p": HeaderField.PCP,
    "none": HeaderField.PORT,
    "auto": Unknown("what `qos trust auto` reads of which frame is not confirmed"),
    "exp": Unknown("the port trusts MPLS EXP; what it reads of other frames is not confirmed"),
}


def of_interface(block: Block) -> Settings:
    """Settings of an interface; origins are places inside its body, so equal bodies have equal settings."""
    return _settings(block, lambda s: BodyLine(block.cause, block.body.texts[s.index], s.index), _INTERFACE)


def of_wred_table(block: Block, reading: Reading) -> Settings:
    """Settings of a WRED table; origins are absolute."""
    return _settings(block, lambda s: reading.line(block, s), _WRED)


def _settings(block: Block, origin: Callable[[Said], Origin], handlers: Mapping[str, Callable[[Said], Found]]) -> Settings:
    out = Settings()
    for said in block.body.said:
        handler = handlers.get(said.group)
        if handler is None or (said.negated and said.group in _BY_QUEUE and "queue" not in said.values):
            continue
        for name, value in handler(said).items():
            if isinstance(value, Bad):
                out.wrong.append(Wrong((0, said.index), value.message, value.expected))
            elif name in ("wrr", "wfq", "sp"):
                _scheduler(out, name, value, origin(said))
            elif name:
                out.said[name] = Setting(value, origin(said))
    return out


def _scheduler(out: Settings, mode: str, back: bool, origin: Origin) -> None:
    """A mode line: shares of the mode before are gone, the later mode holds."""
    was = out.value("scheduler")
    if was is not None and (was != mode or back):
        for name in [n for n in out.said if n.startswith("scheduler.")]:
            del out.said[name]
    out.said["scheduler"] = Setting(None if back else mode, origin)


def _is(name: str, value: Any, what: str, expected: str) -> Found:
    return {name: Bad(f"{what} is no value that Comware has here", expected) if value is None else value}


def _text(name: str, key: str) -> Callable[[Said], Found]:
    return lambda s: {name: None if s.negated else s.values[key]}


def _flag(name: str) -> Callable[[Said], Found]:
    return lambda s: {name: not s.negated or None}


def _number(name: str, key: str, low: int, high: int) -> Callable[[Said], Found]:
    def read(s: Said) -> Found:
        if s.negated:
            return {name: None}
        return _is(name, words.whole(s.values[key], low, high), f"{key} {s.values[key]}", f"{low} to {high}")

    return read


# --- trust, PFC -------------------------------------------------------------------------------------------------------


def _trust(s: Said) -> Found:
    return {"trust": None} if s.negated else _is("trust", TRUST.get(s.values["trust"]), f"qos trust {s.values['trust']}",
                                                 ", ".join(TRUST))  # fmt: skip


def _priority(s: Said) -> Found:
    """The port's own 802.1p priority; DSCP, EXP and drop priority of the port are not followed."""
    of = s.values.get("of", "dot1p")
    if of != "dot1p":
        doubt = Unknown(
            f"`qos priority {of}` is set, and what it decides for frames that the port does not trust is not confirmed"
        )
        return {} if of == "dp" else {"priority": None if s.negated else doubt}
    if s.negated:
        return {"priority": None}
    return _is("priority", words.whole(s.values["priority"], 0, 7), f"port priority {s.values['priority']}", "0 to 7")


PFC_MODES = {"enable": PfcMode.ON, "auto": PfcMode.AUTO, "off": PfcMode.OFF}


def pfc_mode(s: Said) -> Found:
    """`enable`, `auto` or `undo`, in system view or on an interface."""
    return {"pfc.mode": None if s.negated else PFC_MODES[s.values["mode"]]}


def no_drop(s: Said) -> Found:
    """The list of no-drop priorities, in system view or on an interface."""
    if s.negated:
        return {"pfc.no_drop": None}
    what, expected = f"no-drop dot1p {s.values['list']}", "priorities 0 to 7 as 1,3-5: commas and hyphens, no blanks"
    return _is("pfc.no_drop", words.priorities(s.values["list"]), what, expected)


def _buffer(name: str, key: str, read: Callable[[str], Any], expected: str) -> Callable[[Said], Found]:
    def handle(s: Said) -> Found:
        priority = words.whole(s.values.get("priority", ""), 0, 7)
        if priority is None:
            if s.negated and "priority" not in s.values:
                return {f"group.{n}.{name}": None for n in range(8)}
            return {"": Bad(f"priority {s.values.get('priority')} does not exist", "0 to 7")}
        if s.negated:
            return {f"group.{priority}.{name}": None}
        return _is(f"group.{priority}.{name}", read(s.values[key]), f"{name} {s.values[key]}", expected)

    return handle


def _dynamic(text: str) -> Alpha | None:
    value = words.alpha(text)
    return None if value is None else Alpha(value)


def _static(text: str) -> Static | None:
    value = words.cells(text)
    return None if value is None else Static(value)


def _pause(s: Said) -> Found:
    way = s.values.get("way", "both")
    return {f"pause.{w}": None if s.negated else True for w in ("rx", "tx") if way in (w, "both")}


# --- WRED, on an interface and in a table -----------------------------------------------------------------------------


def _queue_of(s: Said) -> int | Bad:
    found = words.queue(s.values.get("queue", ""))
    return (
        Bad(f"queue {s.values.get('queue')} does not exist", "0 to 7 or " + ", ".join(words.QUEUES)) if found is None else found
    )


def _wred(s: Said) -> Found:
    queue = _queue_of(s)
    if isinstance(queue, Bad):
        return {"": queue}
    level = words.whole(s.values.get("level", "0"), 0, 2)
    if level is None:
        return {"": Bad(f"drop-level {s.values['level']} does not exist", "0 to 2")}
    colours = words.COLOURS if "level" not in s.values else (words.COLOURS[level],)
    if s.negated:
        return {f"wred.{queue}.{c}": None for c in colours}
    low, high = words.cells(s.values["low"]), words.cells(s.values["high"])
    pmax = words.percent(s.values["probability"]) if "probability" in s.values else None
    for value, what, expected in (
        (low, f"low-limit {s.values['low']}", "a number of cells"),
        (high, f"high-limit {s.values['high']}", "a number of cells"),
        (pmax if "probability" in s.values else low, f"discard-probability {s.values.get('probability')}", "0 to 100"),
    ):
        if value is None:
            return {"": Bad(f"{what} is no value that Comware has here", expected)}
    return {f"wred.{queue}.{c}": (low, high, pmax) for c in colours}


def _ecn(s: Said) -> Found:
    queue = _queue_of(s)
    return {"": queue} if isinstance(queue, Bad) else {f"ecn.{queue}": not s.negated or None}


def _weighting(s: Said) -> Found:
    queue = _queue_of(s)
    if isinstance(queue, Bad):
        return {"": queue}
    if s.negated:
        return {f"weight.{queue}": None}
    exponent = words.whole(s.values["exponent"], 0, 99)
    return _is(f"weight.{queue}", exponent, f"weighting-constant {s.values['exponent']}", "a whole number")


# --- scheduling -------------------------------------------------------------------------------------------------------


def _mode(mode: str) -> Callable[[Said], Found]:
    return lambda s: {mode: bool(s.negated)}


def _share(mode: str) -> Callable[[Said], Found]:
    def read(s: Said) -> Found:
        queue = _queue_of(s)
        if isinstance(queue, Bad):
            return {"": queue}
        if s.negated:
            return {f"scheduler.{mode}.{queue}": None}
        if s.values["group"] not in ("1", "2"):
            return {"": Bad(f"group {s.values['group']} does not exist", "1, 2 or sp")}
        value = words.weight(s.values["share"])
        return _is(f"scheduler.{mode}.{queue}", value, f"{s.values['unit']} {s.values['share']}", "a whole number")

    return read


def _strict(mode: str) -> Callable[[Said], Found]:
    def read(s: Said) -> Found:
        queue = _queue_of(s)
        return {"": queue} if isinstance(queue, Bad) else {
            f"scheduler.{mode}.{queue}": None if s.negated else SchedulerKind.STRICT
        }  # fmt: skip

    return read


def _rate(name: str) -> Callable[[Said], Found]:
    def read(s: Said) -> Found:
        queue = _queue_of(s)
        if isinstance(queue, Bad):
            return {"": queue}
        if s.negated:
            return {f"{name}.{queue}": None}
        return _is(f"{name}.{queue}", words.rate(s.values["rate"]), f"{name} {s.values['rate']}", "kbps")

    return read


# --- the port itself --------------------------------------------------------------------------------------------------


def _policy(s: Said) -> Found:
    if s.negated and "direction" not in s.values:
        return {"policy.inbound": None, "policy.outbound": None}
    if s.values["direction"] not in ("inbound", "outbound"):
        return {"": Bad(f"direction {s.values['direction']} does not exist", "inbound or outbound")}
    return {f"policy.{s.values['direction']}": None if s.negated else s.values["policy"]}


def _speed(s: Said) -> Found:
    # `speed auto` says nothing of the number.
    return {"speed": None if s.negated else words.whole(s.values["speed"], 10, 1_600_000)}


def _admin(s: Said) -> Found:
    return {"admin": s.negated != ""}


def _link_mode(s: Said) -> Found:
    return {"routed": None if s.negated else s.values["link_mode"] == "route"}


_BY_QUEUE = frozenset({"wred", "ecn", "weighting", "wrr_queue", "wfq_queue", "wrr_strict", "wfq_strict", "guarantee", "shape"})
_WRED: Mapping[str, Callable[[Said], Found]] = {"wred": _wred, "ecn": _ecn, "weighting": _weighting}
_INTERFACE: Mapping[str, Callable[[Said], Found]] = {
    **_WRED,
    "trust": _trust,
    "priority": _priority,
    "pfc_mode": pfc_mode,
    "no_drop": no_drop,
    "headroom": _buffer("headroom", "cells", words.cells, "a number of cells"),
    "reserved": _buffer("reserved", "cells", words.cells, "a number of cells"),
    "dynamic": _buffer("threshold", "ratio", _dynamic, "0 to 100"),
    "static": _buffer("threshold", "cells", _static, "a number of cells"),
    "offset": _buffer("xon_offset", "cells", words.cells, "a number of cells"),
    "deadlock": _flag("watchdog.enabled"),
    "recover_mode": _text("watchdog.recover", "recover"),
    "pause": _pause,
    "wred_apply": _text("wred", "table"),
    "wred_default": _text("wred", "table"),
    "sp": _mode("sp"),
    "wrr": _mode("wrr"),
    "wfq": _mode("wfq"),
    "wrr_queue": _share("wrr"),
    "wfq_queue": _share("wfq"),
    "wrr_strict": _strict("wrr"),
    "wfq_strict": _strict("wfq"),
    "guarantee": _rate("guarantee"),
    "shape": _rate("cap"),
    "policy": _policy,
    "mtu": _number("mtu", "mtu", 1, 65535),
    "jumbo": _number("jumbo", "jumbo", 1, 65535),
    "speed": _speed,
    "admin": _admin,
    "link_mode": _link_mode,
    "vrf": _text("vrf", "vrf"),
}


def marks(said: Settings) -> bool:
    """Whether some queue of a WRED table marks."""
    return any(name.startswith("ecn.") and s.value for name, s in said.said.items())


def wred_queues(said: Settings) -> frozenset[int]:
    """Queues of which WRED lines speak."""
    return frozenset(
        int(name.split(".")[1])
        for name, s in said.said.items()
        if s.value is not None and name.startswith(("ecn.", "wred.", "weight."))
    )
