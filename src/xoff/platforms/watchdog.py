"""What each NOS takes for the times of its PFC watchdog: ranges, defaults, and how it counts them.

The data of a NOS stands in its own templates/<nos>/nos.yaml (key `watchdog`); of NOSes without a folder in
platforms/nos/watchdog.yaml. Both have one form, read by `of`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from xoff import data
from xoff.model.origin import Evidence
from xoff.model.quantity import Unknown
from xoff.model.record import dataclass


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """What a NOS takes for one time, and its default: milliseconds, or polling intervals where `polls`. None: not sourced."""

    low: int | None = None
    high: int | None = None
    default: int | None = None
    polls: bool = False
    choices: tuple[int, ...] = ()
    source: str = ""
    evidence: Evidence = Evidence.RECALLED


NOTHING = TimeLimit()


@dataclass(frozen=True, slots=True)
class WatchdogLimits:
    """The watchdog of one NOS.

    `ports_per_step`: the defaults grow by themselves for each begun so many ports (SONiC: 32); None: they do not grow.
    `polls`: least polling intervals that detection must span for the NOS to take it.
    """

    nos: str
    available: bool | Unknown
    detect: TimeLimit = NOTHING
    restore: TimeLimit = NOTHING
    poll: TimeLimit = NOTHING
    ports_per_step: int | None = None
    polls: int = 1
    actions: tuple[str, ...] = ()
    source: str = ""


def of(nos: str, raw: Mapping[str, Any]) -> WatchdogLimits:
    """The limits in the `watchdog` section of a NOS's data. What is only recalled is left out."""
    said = raw.get("available")
    available = said if isinstance(said, bool) else Unknown((said or {}).get("unknown", f"no source tells of {nos}'s watchdog"))
    return WatchdogLimits(
        nos,
        available,
        _time(raw.get("detect")),
        _time(raw.get("restore")),
        _time(raw.get("poll")),
        raw.get("ports_per_step"),
        raw.get("polls", 1),
        tuple(raw.get("actions") or ()),
        str(raw.get("source", "")),
    )


def _time(raw: Mapping[str, Any] | None) -> TimeLimit:
    if raw is None:
        return NOTHING
    evidence = Evidence(raw.get("evidence", "recalled"))
    if evidence is Evidence.RECALLED:
        return NOTHING
    choices = tuple(raw.get("choices") or ())
    low = raw.get("low", min(choices, default=None))
    high = raw.get("high", max(choices, default=None))
    return TimeLimit(low, high, raw.get("default"), bool(raw.get("polls")), choices, str(raw["source"]), evidence)


@lru_cache(maxsize=1)
def table() -> Mapping[str, WatchdogLimits]:
    """The NOSes of platforms/nos/watchdog.yaml, by name."""
    import yaml

    raw = yaml.safe_load((data.PLATFORMS / "nos" / "watchdog.yaml").read_text(encoding="utf-8"))
    return {name: of(name, entry) for name, entry in raw.items()}
