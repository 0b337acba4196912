"""How messages call the model's fields and values, the same in every rule."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from fractions import Fraction

from xoff.model.qos import Alpha, Static
from xoff.model.quantity import Unknown

#: What each field is called in a message; `{}` is what it belongs to (a DSCP, a queue, a group).
_WORDS: Mapping[str, str] = {
    "classify.dscp": "DSCP {}: traffic class",
    "classify.pcp": "PCP {}: traffic class",
    "classify.trust": "field read for {} frames",
    "tc_to_queue": "traffic class {}: queue",
    "tc_to_group": "traffic class {}: priority group",
    "rewrite.dscp": "traffic class {}: DSCP written",
    "pfc.mode": "PFC",
    "pfc.no_drop": "no-drop priorities",
    "pfc.send": "group {}: priorities paused",
    "pfc.obey": "priority {}: queues its pause stops",
    "group.lossless": "group {}: lossless",
    "group.headroom": "group {}: headroom",
    "group.reserved": "group {}: reserved",
    "group.threshold": "group {}: threshold",
    "group.xon": "group {}: XON",
    "group.xon_offset": "group {}: XON offset",
    "group.pool": "group {}: pool",
    "queue.kmin": "queue {}: Kmin",
    "queue.kmax": "queue {}: Kmax",
    "queue.pmax": "queue {}: marking probability",
    "queue.weight": "queue {}: weight of the average",
    "queue.marks": "queue {}: ECN marking",
    "queue.drops": "queue {}: early drop",
    "queue.scheduler": "queue {}: scheduler",
    "queue.share": "queue {}: share",
    "queue.limit": "queue {}: limit",
    "queue.reserved": "queue {}: reserved",
    "queue.lossless": "queue {}: lossless",
    "queue.pool": "queue {}: pool",
    "watchdog.enabled": "PFC watchdog",
    "watchdog.priorities": "priorities under the PFC watchdog",
    "watchdog.detect": "watchdog detection time",
    "watchdog.restore": "watchdog restoration time",
    "watchdog.poll": "watchdog polling interval",
    "watchdog.action": "watchdog action",
    "port.speed": "speed",
    "port.mtu": "MTU",
    "port.cable": "cable length",
    "port.admin": "administratively up",
    "port.routed": "routed",
    "device.pfc_off": "PFC switched off switch-wide",
    "device.pools": "buffer pool {}",
    "device.lossless_mtu": "MTU that headroom is computed for",
}
_UNITS: Mapping[str, str] = {"port.speed": " Mb/s", "port.mtu": " bytes", "port.cable": " m", "device.lossless_mtu": " bytes"}


def field_words(name: str, *keys: str) -> str:
    """What a field of these keys (DSCPs, queues, groups) is called: `queue 3: Kmin`, `queue 3 (yellow): Kmin`."""
    shown = dict.fromkeys(k.replace("unicast.", "").replace("_", " ") for k in keys)
    # Of a queue's ramps the green one stands for all where it is among them.
    kept = [k for k in shown if k.partition(".")[0] == k or k.partition(".")[0] not in shown]
    said = [f"{n} ({colour})" if dot and not n.isalpha() else k for k in kept for n, dot, colour in [k.partition(".")]]
    return _WORDS.get(name, name).format(", ".join(said))


def value_said(name: str, value: object) -> str:
    """A value of the field `name` as people write it."""
    if value is None:
        return "not said"
    if isinstance(value, Unknown):
        return "not said, and the default is not confirmed"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Alpha):
        return f"alpha {value.alpha.plain}"
    if isinstance(value, Static):
        return "unlimited" if value.unlimited else str(value.limit)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, frozenset):
        return ", ".join(str(v) for v in sorted(value)) or "none"
    if isinstance(value, tuple):
        return ", ".join(value_said(name, v) for v in value)
    if isinstance(value, Fraction):
        return str(value)
    return f"{value}{_UNITS.get(name, '')}"
