"""Natural order of names: Ethernet2 before Ethernet10, Ethernet1/2 before Ethernet1/10."""

from __future__ import annotations

import re
from functools import lru_cache

_DIGITS = re.compile(r"([0-9]+)")


@lru_cache(maxsize=65536)
def natural(name: str) -> tuple[tuple[int, str], ...]:
    """Sort key of a name; digits count as numbers. Total: names that compare equal are equal but for leading zeros."""
    parts = _DIGITS.split(name)
    return (*((int(p), "") if i % 2 else (-1, p) for i, p in enumerate(parts)), (0, name))
