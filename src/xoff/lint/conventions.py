"""Named conventions for the values of lossless classes, used only where nothing in the input says more (DESIGN 8, stage 5).

Sources: knowledge collected from vendor documents; each entry names its own.
"""

from __future__ import annotations

from xoff.model.record import dataclass


@dataclass(frozen=True, slots=True)
class Convention:
    """`data`: (DSCP, priority) of the lossless class(es). `cnp`: the same for CNPs, None where the source names none."""

    name: str
    data: tuple[tuple[int, int], ...]
    cnp: tuple[int, int] | None
    source: str


CONVENTIONS: tuple[Convention, ...] = (
    Convention(
        "nvidia",
        ((26, 3), (24, 3)),
        (48, 6),
        "NVIDIA Cumulus Linux 5.15, RDMA over Converged Ethernet: lossless mode defaults",
    ),
    Convention(
        "azure",
        ((3, 3), (4, 4)),
        None,
        "sonic-buildimage files/build_templates/qos_config.j2 (master, 2026-08): AZURE maps",
    ),
)


def named(name: str) -> Convention | None:
    """The convention of that name."""
    return next((c for c in CONVENTIONS if c.name == name), None)


def cnp_for(pairs: frozenset[tuple[int, int]]) -> tuple[Convention, tuple[int, int]] | None:
    """The CNP value of the convention that owns at least one of these (DSCP, priority) pairs, if its source names one."""
    for c in CONVENTIONS:
        if c.cnp is not None and pairs & set(c.data):
            return c, c.cnp
    return None
