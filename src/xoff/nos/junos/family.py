"""Which family of switch a Junos configuration is for: by the model, or by lines that only one family has or takes.

Families differ in default classes, in what a port obeys unasked, and in how the shared buffer is split (Trident and Tomahawk 1
and 2: `classic`; Junos Evolved QFX: `uniform`). What depends on a family that is not known is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from xoff.model.quantity import Unknown
from xoff.model.record import dataclass
from xoff.sizing.partitions import junos_family, junos_faults

UNIFORM, CLASSIC = "uniform", "classic"


@dataclass(frozen=True, slots=True)
class Family:
    """`name`: qfx | qfx10000 | ptx | router, None where not known; `why`: what tells.

    `buffers`: how a QFX splits its buffer: classic | uniform, None where not known.
    """

    name: str | None
    buffers: str | None = None
    why: str = ""

    @property
    def qfx(self) -> bool:
        return self.name == "qfx"


NOT_KNOWN = Family(None, None, "neither the model nor a line tells which family this is")


def of_model(model: str) -> Family:
    """The family of a model (`QFX5240-64OD`, `ptx10001-36mr`), NOT_KNOWN for others."""
    name = model.upper()
    said = f"model {model}"
    if re.match(r"QFX10\d{3}", name):
        return Family("qfx10000", None, said)
    found = junos_family(name)
    if not isinstance(found, Unknown):
        return Family("qfx", found, said)
    if name.startswith("QFX"):
        return Family("qfx", None, said)
    if name.startswith("PTX"):
        return Family("ptx", None, said)
    return Family("router", None, said) if re.match(r"(?:MX|ACX|T|M)\d", name) else NOT_KNOWN


def of_lines(
    ingress: Mapping[str, int], egress: Mapping[str, int], shared: bool, accounts: bool, pauses: bool, release: str | None
) -> Family:
    """The family by what the configuration says.

    ingress, egress: percents of the partitions. shared: there is a `shared-buffer` or `buffer-partition` line (QFX schema
    only). accounts: `pfc-account` (PTX). pauses: input code points with `pfc` that name no account (the QFX form).
    """
    if accounts:
        return Family("ptx", None, "pfc-account")
    if not shared:
        return Family("qfx", None, "pfc without an account") if pauses else NOT_KNOWN
    if "multicast" in egress:
        return Family("qfx", CLASSIC, "a multicast partition")
    if release is not None and release.upper().endswith("EVO"):
        return Family("qfx", UNIFORM, f"shared-buffer under release {release}")
    if ingress and egress:
        fits = [b for b in (CLASSIC, UNIFORM) if not junos_faults(ingress, egress, b)]
        if len(fits) == 1:
            return Family("qfx", fits[0], "partitions that only this family takes")
    return Family("qfx", None, "shared-buffer")
