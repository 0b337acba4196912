"""Junos: what cannot be although each line by itself is sound: sums of partitions, PFC for a class that cannot pause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xoff.model.origin import Line
from xoff.model.switch import RemarkKind
from xoff.nos.junos.family import CLASSIC, UNIFORM, Family
from xoff.nos.junos.gather import Gatherer
from xoff.sizing.partitions import SumFault, junos_faults


def check(
    into: Gatherer, family: Family, lacking: Iterable[tuple[str, int, str]], ports: Mapping[str, tuple[str, ...]]
) -> None:
    """Remarks for all of it. `lacking`: (profile, DSCP, why it cannot pause); `ports`: by profile."""
    _partitions(into, family)
    for profile, dscp, what in lacking:
        point = into.out.pausing[profile].points[dscp]
        _add(
            into,
            point.pfc or point.at,
            f"PFC for DSCP {dscp}, but {what}: no pause can be sent for it",
            "class … no-loss pfc-priority N for the class that the classifier gives this code point",
            ports.get(profile, ()),
        )


def _partitions(into: Gatherer, family: Family) -> None:
    if family.name not in ("qfx", None) or not into.out.parts:
        return
    inn, out = into.percents("ingress"), into.percents("egress")
    found: tuple[SumFault, ...]
    if family.buffers is not None:
        found = junos_faults(inn, out, family.buffers)
    else:
        # Whichever family it is, the sum has to hold; a fault of both is one.
        either = [junos_faults(inn, out, b) for b in (UNIFORM, CLASSIC)]
        found = either[0] if all(either) else ()
    sums = [f for f in found if "as at ingress" not in f.what]
    for fault in sums or found:  # where a sum is wrong, what differs from it is no second fault
        direction = fault.what.split()[0]
        lines = [line for (way, _), (_, line) in into.out.parts.items() if way == direction]
        lines = lines or [line for _, line in into.out.parts.values()]
        part = fault.what.split()[1] if "as at ingress" in fault.what else ""
        exact = into.out.parts.get((direction, part))
        at = exact[1] if exact is not None else lines[-1]
        _add(
            into,
            at,
            f"{fault.what}: {fault.found} percent, and the switch takes {fault.wanted} only",
            f"{fault.wanted} percent ({fault.source})",
            (),
        )


def _add(into: Gatherer, at: Line, message: str, expected: str, ports: tuple[str, ...]) -> None:
    into.reading.remarks.add(RemarkKind.INVALID, at.path, at.text, at.at, message, expected, ports)
