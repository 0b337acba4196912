"""SR Linux: which chips count in which way: 7220 (Broadcom XGS) and 7250 (Broadcom DNX), by model or by lines that one has."""

from __future__ import annotations

import re
from enum import Enum

from xoff.nos.srlinux.objects import Objects


class Family(Enum):
    XGS = "7220"
    DNX = "7250"


def of(model: str | None, objects: Objects) -> Family | None:
    """The family; None where neither the model nor any line tells, or lines of both stand in one file."""
    if model is not None:
        found = re.search(r"\b(7220|7250)\b", model)
        if found is not None:
            return Family(found[1])
    xgs = any(True for p in objects.pfc.values() for _ in p.of("send")) or bool(objects.reservations)
    dnx = False
    for profile in objects.buffers.values():
        for _, entry in profile.of("pfc-queue"):
            xgs = xgs or bool(entry.values.keys() & {"xoff", "dynamic"})
            dnx = dnx or bool(entry.values.keys() & {"committed", "on", "off"})
    return None if xgs == dnx else Family.XGS if xgs else Family.DNX
