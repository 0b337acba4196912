"""Switch entries -> one set of values per switch: ranges expanded, overrides laid over, models and NOSes looked up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any

from xoff.fabric.planned import AsicFacts, WatchdogWish
from xoff.intent import ranges, vocabulary, written
from xoff.intent.document import Path, Problems
from xoff.intent.load import Intent
from xoff.intent.schema import AsicPart, PortPart, SwitchPart, WatchdogPart
from xoff.intent.suggest import did_you_mean
from xoff.intent.units import show
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Evidence
from xoff.model.record import dataclass
from xoff.platforms import Platform

_HOSTNAME = re.compile(written.HOSTNAME + r"\Z")
_PORT = re.compile(written.PORT_NAME + r"\Z")

#: An override may name at most what exists; a fabric may not outgrow this many switches.
MAX_SWITCHES = 100_000


@dataclass(slots=True)
class Values:
    """Values that entries gave, each with the place where it stands: key -> (value, path)."""

    of: dict[str, tuple[Any, Path]] = field(default_factory=dict)

    def take(self, part: Any, path: Path, skip: Iterable[str] = ()) -> None:
        """Lay what `part` says over what is here."""
        for name in sorted(part.model_fields_set):
            if name not in skip:
                self.of[name] = (getattr(part, name), (*path, name.rstrip("_")))

    def get(self, name: str, default: Any = None) -> Any:
        found = self.of.get(name)
        return default if found is None else found[0]

    def path(self, name: str) -> Path:
        return self.of[name][1]


@dataclass(slots=True)
class Switch:
    """A switch as all entries together describe it. `path`: the entry that defined it."""

    name: str
    path: Path
    values: Values = field(default_factory=Values)
    ports: dict[str, Values] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    platform: Platform | None = None
    nos: vocabulary.NosName | None = None


def plan_switches(intent: Intent, generated: Iterable[tuple[tuple[str, ...], SwitchPart, Path]]) -> dict[str, Switch]:
    """All switches by name, generated ones first. What is wrong goes to the intent's problems."""
    out: dict[str, Switch] = {}
    for names, part, path in (*generated, *_written(intent)):
        old = [n for n in names if n in out]
        new = [n for n in names if n not in out]
        if old and new:
            intent.problems.add(
                path,
                f"{old[0]} is defined before, {new[0]} is not",
                "an entry either defines switches or overrides some; split the range",
                key=True,
            )
            continue
        if len(out) + len(new) > MAX_SWITCHES:
            intent.problems.add(path, f"more than {MAX_SWITCHES:,} switches", key=True)
            return out
        ports = _port_values(intent, part, path)
        for name in names:
            switch = out.setdefault(name, Switch(name, path))
            switch.values.take(part, path, skip=("ports", "options", "up", "down"))
            switch.options |= part.options or {}
            for port, port_part, port_path in ports:
                switch.ports.setdefault(port, Values()).take(port_part, port_path)
    judged = _Judge(intent)
    for switch in out.values():
        judged(switch)
    return out


def _written(intent: Intent) -> Iterator[tuple[tuple[str, ...], SwitchPart, Path]]:
    for pattern, part in (intent.part.switches or {}).items():
        path: Path = ("switches", pattern)
        names = ranges.expand(pattern)
        if bad := next((n for n in names if not _HOSTNAME.match(n)), None):
            intent.problems.add(path, f"{show(bad)} is no name for a switch: {written.HOSTNAME_RULE}", key=True)
            intent.problems.poison(path)
            continue
        yield names, part, path


def _port_values(intent: Intent, part: SwitchPart, path: Path) -> list[tuple[str, PortPart, Path]]:
    out = []
    for pattern, port in (part.ports or {}).items():
        at: Path = (*path, "ports", pattern)
        for name in ranges.expand(pattern):
            if not good_port(name):
                intent.problems.add(at, f"{show(name)} is no name for a port: {written.PORT_RULE}", key=True)
                break
            out.append((name, port, at))
    return out


def good_port(name: str) -> bool:
    """Whether `name` can be a port's on any NOS."""
    return bool(_PORT.match(name))


class _Judge:
    """Looks up NOS, model and ASIC; says each fault once per entry, however many switches share it."""

    def __init__(self, intent: Intent) -> None:
        self.problems: Problems = intent.problems
        self._said: set[tuple[Path, str]] = set()
        self._platforms: dict[str, Platform | None] = {}

    def __call__(self, switch: Switch) -> None:
        for key in ("nos", "model"):
            if switch.values.get(key) is None and not self.problems.poisoned((*switch.path, key)):
                hint = {
                    "nos": "for example nos: sonic",
                    "model": "vendor model or SONiC hwsku",
                }
                self._once(switch.path, f"{_entry(switch)} has no {key}", hint[key], key=True)
        self._nos(switch)
        self._platform(switch)

    def _once(self, path: Path, message: str, hint: str = "", *, key: bool = False) -> None:
        if (path, message) not in self._said:
            self._said.add((path, message))
            self.problems.add(path, message, hint, key=key)

    def _nos(self, switch: Switch) -> None:
        name = switch.values.get("nos")
        known = vocabulary.known()
        if name is None or not known:  # without templates/ nothing can be rendered, and the renderer says so
            return
        switch.nos = known.get(name.lower())
        if switch.nos is None:
            self._once(
                switch.values.path("nos"),
                f"{show(name)} is no NOS that xoff knows",
                did_you_mean(name, {n.name for n in known.values()}),
            )
            return
        if pattern := switch.nos.refuses("hostname", switch.name):
            self._once(switch.path, f"{switch.name} is no hostname on {switch.nos.name}: it must match {pattern}", key=True)

    def _platform(self, switch: Switch) -> None:
        asic = switch.values.get("asic")
        model = switch.values.get("model")
        if isinstance(asic, str):
            switch.platform = self._find(asic)
            if switch.platform is None:
                self._once(switch.values.path("asic"), f"{show(asic)} is no ASIC that platforms/ holds", _near(asic))
        elif model is not None:
            switch.platform = self._find(model)
            if switch.platform is None and not isinstance(asic, AsicPart):
                self._once(
                    switch.values.path("model"),
                    f"{show(model)} is no model that platforms/ holds, so nothing can be sized for it",
                    _near(model) or "name its ASIC (asic: tomahawk3), or give the facts: asic: {cell: 254B, buffer: 64MiB, …}",
                )

    def _find(self, name: str) -> Platform | None:
        if name not in self._platforms:
            from xoff import platforms

            self._platforms[name] = platforms.find(name)
        return self._platforms[name]


def _near(name: str) -> str:
    from xoff import platforms

    found = platforms.suggestions(name)
    return f"did you mean {' or '.join(found)}?" if found else ""


def _entry(switch: Switch) -> str:
    return str(switch.path[-1])


def lossless_room(switch: Switch) -> tuple[int, str] | None:
    """How many lossless classes the switch has buffers for, and who says so; None where no source tells."""
    by_hand = switch.values.get("asic")
    if isinstance(by_hand, AsicPart) and by_hand.lossless is not None:
        return by_hand.lossless, "the intent's own number"
    if switch.platform is None:
        return None
    fact = switch.platform.asic.lossless_classes
    if isinstance(fact.value, int) and fact.evidence in (Evidence.READ, Evidence.COMPUTED):
        return fact.value, "; ".join(t for t in (fact.source, fact.note) if t)
    return None


def asic_of(switch: Switch) -> tuple[str | None, AsicFacts | None]:
    """Name of the ASIC and facts by hand, for the plan."""
    asic = switch.values.get("asic")
    name = switch.platform.asic.name if switch.platform else None
    if isinstance(asic, AsicPart):
        facts = AsicFacts(asic.cell, asic.buffer, asic.response, asic.domains)
        return asic.name or name, None if facts == AsicFacts() else facts
    return name, None


def watchdog_of(wish: str | WatchdogPart | None, path: Path, problems: Problems) -> WatchdogWish:
    """The watchdog wish; times that contradict each other are problems."""
    if wish is None or wish == "auto":
        return WatchdogWish()
    if not isinstance(wish, WatchdogPart):
        return WatchdogWish(enabled=False)
    if wish.detect and wish.poll and wish.detect < wish.poll:
        problems.add(
            (*path, "detect"), f"detect ({wish.detect} ms) is shorter than poll ({wish.poll} ms): it could never be kept"
        )
    if wish.detect and wish.restore and wish.restore < wish.detect:
        problems.add((*path, "restore"), f"restore ({wish.restore} ms) is shorter than detect ({wish.detect} ms)",
                     "a queue that comes back before the storm is over stalls again")  # fmt: skip
    return WatchdogWish(True, wish.detect, wish.restore, wish.poll, wish.action)


def options_of(switch: Switch) -> FrozenMap[str, str]:
    """Options in a fixed order."""
    return FrozenMap(dict(sorted(switch.options.items())))
