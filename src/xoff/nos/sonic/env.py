"""What reading one port needs to know of its device, its rows and their places, and how a buffer profile reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any

from xoff.model.origin import FileLine, Origin
from xoff.model.qos import PriorityGroup
from xoff.model.quantity import Fact, Quantity, Unknown
from xoff.model.record import dataclass
from xoff.nos.sonic import maps
from xoff.nos.sonic.check import Checker
from xoff.nos.sonic.load import Config, Row
from xoff.nos.sonic.schema import TABLES
from xoff.nos.sonic.typed_tables import range_kind


@dataclass(slots=True)
class Bound:
    """The rows that concern one port. `voq`: its queue rows carry host and ASIC (VOQ chassis)."""

    qos: Row | None = None
    groups: list[tuple[str, Row]] = field(default_factory=list)
    queues: list[tuple[str, Row]] = field(default_factory=list)
    buffers: list[tuple[str, Row]] = field(default_factory=list)
    watchdog: Row | None = None
    lists: list[Row] = field(default_factory=list)
    voq: bool = False


@dataclass(slots=True)
class Env:
    """What holds for the whole device while its ports are read."""

    config: Config
    checker: Checker
    fragment: bool
    dynamic: bool
    asic: Any = None
    cache: dict[Any, Any] = field(default_factory=dict)

    def once(self, kind: str, row: Row, read: Callable[[Row], Any]) -> Any:
        """`read(row)`, done once per row."""
        key = (kind, row.table, row.key)
        found = self.cache.get(key)
        if found is None:
            found = self.cache[key] = read(row)
        return found

    def absent(self, table: str) -> Unknown | None:
        """Unknown where what is absent may just not be in the input; None where its absence says something."""
        if self.config.listed:
            return Unknown(
                f"a configlet changes a configuration that is not in the input; {table} may say more there", Fact.CONFIG
            )
        if self.fragment and table not in self.config.tables:
            return Unknown(f"{table} is not in the input", Fact.CONFIG)
        return None


class PortLines(Mapping[int | str, FileLine]):
    """The file line of each body key of one port, looked up when asked: `PORT_QOS_MAP/pfc_enable`, `QUEUE/3-4/scheduler`."""

    __slots__ = ("_rows",)

    def __init__(self, rows: dict[str, tuple[Row, str | None]]) -> None:
        self._rows = rows

    def __getitem__(self, key: int | str) -> FileLine:
        if not isinstance(key, str):
            raise KeyError(key)
        found = self._rows.get(key)
        if found is not None:
            return found[0].at(found[1])
        head, _, fname = key.rpartition("/")
        found = self._rows.get(head)
        if found is None:
            raise KeyError(key)
        return found[0].at(fname)

    def __iter__(self) -> Iterator[int | str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def pool_of(profile: Row, env: Env) -> str | Unknown | None:
    """The pool of a buffer profile, by name where the reference resolves or its table is just not here."""
    text = profile.fields.get("pool")
    if text is None:
        return None
    found = env.checker.resolve(TABLES["BUFFER_PROFILE"].fields["pool"], text)
    return found.name if found.row is not None or found.resolves is None else found.unknown


def buffer_group(profile: Row, env: Env, origins: dict[str, Origin]) -> tuple[PriorityGroup, dict[str, Origin]]:
    """A priority group by its profile. `xoff`, even 0, is what makes a profile one for lossless traffic."""
    for path, fname in (
        (".headroom", "xoff"),
        (".reserved", "size"),
        (".xon", "xon"),
        (".xon_offset", "xon_offset"),
        (".pool", "pool"),
    ):
        if fname in profile.fields:
            origins[path] = profile.line(fname)
    line = maps.threshold_line(profile)
    if line is not None:
        origins[".threshold"] = line
    headroom: Quantity | Unknown | None = maps.amount(profile, "xoff")
    by_device = profile.fields.get("headroom_type") == "dynamic" and headroom is None
    if by_device:
        headroom = Unknown("the device computes it at run time (headroom_type dynamic)", Fact.TABLE)
    group = PriorityGroup(
        0,
        lossless=by_device or "xoff" in profile.fields,
        reserved=maps.amount(profile, "size"),
        headroom=headroom,
        threshold=maps.threshold(profile),
        xon=maps.amount(profile, "xon"),
        xon_offset=maps.amount(profile, "xon_offset"),
        pool=pool_of(profile, env),
        profile=profile.key,
        headroom_by_device=by_device,
    )
    return group, origins


def span(row: Row, sub: str) -> range:
    """Numbers of `3` or `3-4`; empty where the key cannot be meant (the check has reported it)."""
    kind = range_kind(TABLES[row.table])
    if kind is None or not kind.holds(sub):
        return range(0)
    low, _, high = sub.partition("-")
    return range(int(low), int(high or low) + 1)
