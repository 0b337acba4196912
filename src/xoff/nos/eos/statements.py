"""EOS: the statements of an interface or a qos profile as settings by name, and what comes of both together.

A setting is a value with its origin. The value None means: taken back by `no` or `default`, so the device's own default holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xoff.model.origin import BodyLine, Line, Origin
from xoff.model.qos import Colour, Curve, HeaderField, PfcMode, QueueKind, SchedulerKind
from xoff.model.quantity import Fact, Unknown
from xoff.nos.eos import words
from xoff.nos.linetemplate import Said
from xoff.nos.reader import Block, Reading
from xoff.nos.settings import Bad, Setting, Settings, Wrong, offsets

QUEUES = {"tx-queue": QueueKind.UNICAST, "uc-tx-queue": QueueKind.UNICAST, "mc-tx-queue": QueueKind.MULTICAST}
NO_PMAX = Unknown("EOS's max-mark-probability where none is said is not confirmed", Fact.DEFAULT)
AMBIGUOUS = (
    "the qos profile and the interface (or tx-queue and uc-tx-queue) say different things, and which wins is not confirmed"
)


Put = Callable[[str, Any, str], None]


def of_interface(block: Block) -> Settings:
    """Settings of an interface; origins are places inside the body, so equal bodies have equal settings."""
    starts = offsets(block)

    def origin(number: int, part: Block, index: int) -> Origin:
        # Index -1 is the child's own header.
        text = part.cause[-1] if index < 0 else part.body.texts[index]
        return BodyLine(part.cause if index >= 0 else part.cause[:-1], text, starts[number] + index)

    return _settings(block, origin)


def of_profile(block: Block, reading: Reading) -> Settings:
    """Settings of a qos profile; origins are absolute."""

    def origin(_number: int, part: Block, index: int) -> Origin:
        if index < 0:
            return reading.header(part)
        return Line(part.cause, part.body.texts[index], reading.at(part.lines[index]))

    return _settings(block, origin)


def _settings(block: Block, origin: Callable[[int, Block, int], Origin]) -> Settings:
    out = Settings()
    for number, part in enumerate([block, *block.children]):
        prefix = ""
        if number:
            stanza = part.spec.path[-1].split()[0]
            which = words.whole(part.values.get("queue", ""), 0, 7)
            if which is None:
                out.wrong.append(Wrong((number, -1), f"{stanza} {part.values.get('queue')} does not exist", "0 to 7"))
                continue
            prefix = f"queue.{QUEUES[stanza]}.{which}"
            _put(out, prefix, stanza, origin(number, part, -1))
            prefix += "."
        own = Settings() if number else out
        for said in part.body.said:
            place = (number, said.index)
            where = origin(number, part, said.index)
            handler = _QUEUE.get(said.group) if number else _INTERFACE.get(said.group)
            if handler is None:
                continue
            found = handler(said)
            for name, value in found.items():
                if isinstance(value, Bad):
                    out.wrong.append(Wrong(place, value.message, value.expected))
                elif name:
                    own.said[prefix + name] = Setting(value, where)
        if number:
            # tx-queue 3 and uc-tx-queue 3 are one queue; two stanzas that differ decide nothing.
            for name, setting in own.said.items():
                out.said[name] = _both(out.said[name], setting) if name in out.said else setting
    return out


def _put(out: Settings, name: str, value: Any, origin: Origin) -> None:
    out.said.setdefault(name, Setting(value, origin))


def _both(a: Setting, b: Setting) -> Setting:
    return b if a.value == b.value else Setting(Unknown(AMBIGUOUS, Fact.DEFAULT), b.origin)


def together(profile: Settings, interface: Settings) -> Settings:
    """What holds on a port with a profile and lines of its own.

    For a policy-map the interface is known to win. Everything else must agree, or it is unknown which statement holds.
    """
    out = Settings(dict(profile.said), [])
    for name, setting in interface.said.items():
        before = profile.said.get(name)
        if before is None or name == "policy" or _is_header(name):
            out.said[name] = setting
        else:
            out.said[name] = _both(before, setting)
    return out


def _is_header(name: str) -> bool:
    return name.startswith("queue.") and name.count(".") == 2


# --- statements --------------------------------------------------------------------------------------------------------


Found = dict[str, Any]


def _is(name: str, value: Any, said: Mapping[str, str], what: str, expected: str) -> Found:
    if value is None:
        return {name: Bad(f"{what} {' '.join(said.values())} is no value that EOS has", expected)}
    return {name: value}


def _trust(s: Said) -> Found:
    return {"trust": None if s.negated else HeaderField.PORT if s.values["trust"] == "none" else _FIELDS[s.values["trust"]]}


_FIELDS = {"dscp": HeaderField.DSCP, "cos": HeaderField.PCP}


def _cos(s: Said) -> Found:
    return {"cos": None} if s.negated else _is("cos", words.whole(s.values["cos"], 0, 7), s.values, "qos cos", "0 to 7")


def _dscp(s: Said) -> Found:
    return {"dscp": None} if s.negated else _is("dscp", words.whole(s.values["dscp"], 0, 63), s.values, "qos dscp", "0 to 63")


def _pfc_mode(s: Said) -> Found:
    return {"pfc.mode": None if s.negated else PfcMode(s.values["mode"])}


def _pfc_priority(s: Said) -> Found:
    if s.negated and "priority" not in s.values:
        return {f"pfc.priority.{n}": None for n in range(8)}
    priority = words.whole(s.values["priority"], 0, 7)
    if priority is None:
        return {"": Bad(f"PFC priority {s.values['priority']} does not exist", "0 to 7")}
    return {f"pfc.priority.{priority}": None if s.negated else s.values["drop"] == "no-drop"}


def _watchdog(s: Said) -> Found:
    return {"watchdog.enabled": None if s.negated else s.values["watchdog"] == "on"}


def timers(s: Said) -> Found:
    """Watchdog times, of the switch or of a port: `detect`, `restore`, `poll` as far as the line names them."""
    if s.negated:
        return {f"watchdog.{n}": None for n in _TIMERS.get(s.group, ("detect", "restore", "poll"))}
    out: Found = {}
    for name, text in s.values.items():
        if name == "poll" and text == "auto":
            out["watchdog.poll"] = Unknown("EOS chooses the polling interval by itself (auto)")
            continue
        decimals = 3 if name == "poll" else 2
        value = words.seconds(text, decimals)
        out |= _is(f"watchdog.{name}", value, {name: text}, "watchdog time", f"seconds above 0, at most {decimals} decimals")
    return out


_TIMERS = {"watchdog_detect": ("detect",), "watchdog_restore": ("restore",), "watchdog_poll": ("poll",)}


def _port_action(s: Said) -> Found:
    if s.negated:
        return {"watchdog.action": None}
    known = words.ACTIONS[s.values["action"]] if s.values["action"] in words.PORT_ACTIONS else None
    return _is("watchdog.action", known, s.values, "watchdog action of a port", "drop or notify-only")


def _text(name: str, key: str) -> Callable[[Said], Found]:
    return lambda s: {name: None if s.negated else s.values[key]}


def _pause(way: str) -> Callable[[Said], Found]:
    def read(s: Said) -> Found:
        if s.negated:
            return {f"pause.{way}": None}
        value: Any = {"on": True, "off": False, "desired": Unknown("802.3x is negotiated (desired)")}.get(s.values["state"])
        return _is(f"pause.{way}", value, s.values, "flowcontrol", "on, off or desired")

    return read


def _mtu(s: Said) -> Found:
    return {"mtu": None} if s.negated else _is("mtu", words.whole(s.values["mtu"], 68, 65535), s.values, "mtu", "68 to 65535")


def _speed(s: Said) -> Found:
    # `speed auto` alone says nothing of the number.
    return {"speed": None if s.negated else words.speed(s.values["speed"])}


def _admin(s: Said) -> Found:
    return {"admin": None if s.negated else s.values["admin"] == "up"}


def _switchport(s: Said) -> Found:
    return {"routed": None if s.negated else s.values["switched"] == "off"}


def _arp(s: Said) -> Found:
    value = None if s.negated else words.whole(s.values["seconds"], 1, 10**9)
    return {"arp": None} if s.negated else _is("arp", value, s.values, "ARP timeout", "seconds")


def _scheduler(s: Said) -> Found:
    return {"kind": None if s.negated else SchedulerKind(s.values["kind"])}


def _share(s: Said) -> Found:
    if s.negated:
        return {"share": None}
    return _is("share", words.percent(s.values["percent"]), s.values, "bandwidth percent", "0 to 100")


def _guarantee(s: Said) -> Found:
    if s.negated:
        return {"guarantee": None}
    if "percent" in s.values:
        return _is("guarantee", words.percent(s.values["percent"]), s.values, "guaranteed bandwidth", "0 to 100 percent")
    return _is("guarantee", words.rate(s.values["rate"], None), s.values, "guaranteed bandwidth", "a rate in kbps")


def _cap(s: Said) -> Found:
    if s.negated:
        return {"cap": None}
    value = words.rate(s.values["rate"], s.values.get("rate_unit"))
    return _is("cap", value, s.values, "shape rate", "1 to 100 percent, or a rate in kbps or pps")


def _ecn(s: Said) -> Found:
    return {"ecn": None} if s.negated else _curve("ecn", s, marks=True)


def _wred(s: Said) -> Found:
    if s.negated and "precedence" not in s.values:
        return {f"wred.{c}": None for c in Colour}
    precedence = words.whole(s.values.get("precedence", "0"), 0, 2)
    if precedence is None:
        return {"": Bad(f"drop-precedence {s.values['precedence']} does not exist", "0 to 2")}
    name = f"wred.{words.COLOURS[precedence]}"
    return {name: None} if s.negated else _curve(name, s, marks=False)


def _curve(name: str, s: Said, marks: bool) -> Found:
    v = s.values
    kmin, kmax = words.threshold(v["kmin"], v["kmin_unit"]), words.threshold(v["kmax"], v["kmax_unit"])
    pmax = words.percent(v["pmax"], 1) if "pmax" in v else NO_PMAX
    weight = words.whole(v["weight"], 0, 15) if "weight" in v else None
    for value, what, expected in (
        (kmin, f"threshold {v['kmin']} {v['kmin_unit']}", f"1 or more {words.ECN_UNITS}"),
        (kmax, f"threshold {v['kmax']} {v['kmax_unit']}", f"1 or more {words.ECN_UNITS}"),
        (pmax, f"probability {v.get('pmax')}", "1 to 100"),
        (weight if "weight" in v else 0, f"weight {v.get('weight')}", "0 to 15"),
    ):
        if value is None:
            return {name: Bad(f"{what} is no value that EOS has", expected)}
    return {name: Curve(kmin, kmax, pmax, marks=marks, drops=not marks, weight=weight)}


def _count(s: Said) -> Found:
    return {"count": None if s.negated else True}


_INTERFACE: Mapping[str, Callable[[Said], Found]] = {
    "trust": _trust,
    "port_cos": _cos,
    "port_dscp": _dscp,
    "pfc_mode": _pfc_mode,
    "pfc_priority": _pfc_priority,
    "watchdog": _watchdog,
    "watchdog_timer": timers,
    "watchdog_action": _port_action,
    "profile": _text("profile", "profile"),
    "policy": _text("policy", "policy"),
    "pause_rx": _pause("rx"),
    "pause_tx": _pause("tx"),
    "mtu": _mtu,
    "speed": _speed,
    "admin": _admin,
    "switchport": _switchport,
    "vrf": _text("vrf", "vrf"),
    "arp": _arp,
    "vxlan_ecn": _text("vxlan.ecn", "mode"),
    "vxlan_encap": _text("vxlan.encap", "mode"),
    "vxlan_decap": _text("vxlan.decap", "mode"),
}
_QUEUE: Mapping[str, Callable[[Said], Found]] = {
    "priority": _scheduler,
    "share": _share,
    "guarantee": _guarantee,
    "shape": _cap,
    "ecn": _ecn,
    "count": _count,
    "wred": _wred,
}
