"""A row of a headroom lookup table, as a device looks it up by speed and cable."""

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
