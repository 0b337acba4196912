"""Headroom lookup tables: a row as a device looks it up by speed and cable, and a table as an object of its own."""

from __future__ import annotations

from dataclasses import field

from xoff.model.origin import FileLine
from xoff.model.record import dataclass


@dataclass(frozen=True, slots=True)
class HeadroomRow:
    """`speed` Mb/s, `cable_m` metres, `size` (reserved), `xon`, `xoff` (headroom), `xon_offset` in bytes.

    `threshold`: the exponent of alpha where the pool is dynamic, bytes where it is static. `xon_offset` None: no such column.
    """

    speed: int
    cable_m: int
    size: int
    xon: int
    xoff: int
    threshold: int
    xon_offset: int | None = None
    at: FileLine | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class NoRow:
    """A line of a table that is no row: `why` with what stands there, `kind` without."""

    at: FileLine
    text: str
    why: str
    kind: str


@dataclass(frozen=True, slots=True)
class LookupTable:
    """A lookup table of the input, whether or not a device is there that reads it.

    `rows` in file order. `devices`: hostnames of the switches that look up in it. `name`: the switch where it is one, else
    folder and file. `nos`: whose form it has. `no_rows`: lines that cannot be read.
    """

    name: str
    file: str
    nos: str
    rows: tuple[HeadroomRow, ...]
    devices: tuple[str, ...] = ()
    no_rows: tuple[NoRow, ...] = ()
