"""What the files of one Cumulus Linux switch say, before defaults: profiles, who is bound to them, ports, switch-wide values.

NVUE and the flat files meet here. A value keeps the line that says it; what nobody says is absent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from xoff.model.origin import FileLine, Line, Origin
from xoff.model.record import dataclass

GLOBAL = "default-global"
#: Kinds of profile that a port may be bound to, by NVUE's names.
MAPPING, PFC, ECN, SCHEDULER, SHAPER, PAUSE, REMARK = (
    "mapping", "pfc", "congestion-control", "egress-scheduler", "egress-shaper", "link-pause", "remark",
)  # fmt: skip
KINDS = (MAPPING, PFC, ECN, SCHEDULER, SHAPER, PAUSE, REMARK)


@dataclass(frozen=True, slots=True)
class Said:
    """A value and the line that says it."""

    value: Any
    origin: Origin


@dataclass(slots=True)
class Profile:
    """A named set of values of one kind; `at` is the first line that names it. Flat files: a port group."""

    kind: str
    name: str
    at: Line
    values: dict[str, Said] = field(default_factory=dict)
    listed: bool = True  # flat files: whether port_group_list names it

    def value(self, key: str, default: Any = None) -> Any:
        found = self.values.get(key)
        return default if found is None else found.value

    def indexed(self, leaf: str) -> Iterator[tuple[int, Said]]:
        """(number, value) of `<number>.<leaf>`."""
        for key, said in self.values.items():
            number, dot, rest = key.partition(".")
            if dot and rest == leaf and number.isdigit():
                yield int(number), said


@dataclass(slots=True)
class PortSaid:
    """What is said of one port. `bound`: kind of profile -> its name. `values`: mtu, speed, admin, watchdog, bundle …"""

    name: str
    at: FileLine
    bound: dict[str, Said] = field(default_factory=dict)
    values: dict[str, Said] = field(default_factory=dict)
    addresses: list[str] = field(default_factory=list)
    lines: dict[int | str, FileLine] = field(default_factory=dict)

    def value(self, key: str, default: Any = None) -> Any:
        found = self.values.get(key)
        return default if found is None else found.value


@dataclass(slots=True)
class State:
    """One switch. `device`: switch-wide values by name (`roce.mode`, `queue.3`, `watchdog.polling-interval` …)."""

    profiles: dict[tuple[str, str], Profile] = field(default_factory=dict)
    ports: dict[str, PortSaid] = field(default_factory=dict)
    device: dict[str, Said] = field(default_factory=dict)
    members: dict[str, tuple[str, ...]] = field(default_factory=dict)
    facts: dict[str, tuple[str, str, FileLine]] = field(default_factory=dict)
    peers: dict[str, int] = field(default_factory=dict)
    #: Kinds of file that were read: nvue, nclu, qos_features.conf …
    kinds: set[str] = field(default_factory=set)

    def value(self, key: str, default: Any = None) -> Any:
        found = self.device.get(key)
        return default if found is None else found.value

    def profile(self, kind: str, name: str, at: Line) -> Profile:
        """The profile of this name, made where it is new."""
        return self.profiles.setdefault((kind, name), Profile(kind, name, at))

    def port(self, name: str, at: FileLine) -> PortSaid:
        found = self.ports.get(name)
        if found is None:
            found = self.ports[name] = PortSaid(name, at)
        return found
