"""Buffer partitions and thresholds in the words of other NOSes: Junos percents, Comware ratios, VRP levels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from xoff.errors import UsageError
from xoff.model.quantity import Fact, Unknown
from xoff.model.record import dataclass

TECHPOST = "QFX5K-Series Switches Packet Buffer Architecture (Juniper techpost, 2025-04-25)"
STATEMENT = "Juniper CLI reference: buffer-partition (class-of-service, QFX)"
#: QFX families: Trident and Tomahawk 1-2 with a multicast partition, and the "uniform" ones of two ITMs without.
CLASSIC = ("QFX3500", "QFX5100", "QFX5110", "QFX5120", "QFX5200", "QFX5210")
UNIFORM = ("QFX5130", "QFX5220", "QFX5230", "QFX5240", "QFX5700")
INGRESS_PARTS = ("lossless", "lossless-headroom", "lossy")
#: Percent of a direction where nothing is said.
DEFAULTS: Mapping[str, tuple[Mapping[str, int], Mapping[str, int]]] = {
    "classic": (
        {"lossless": 9, "lossless-headroom": 45, "lossy": 46},
        {"lossless": 50, "lossy": 31, "multicast": 19},
    ),
    "uniform": (
        {"lossless": 20, "lossless-headroom": 10, "lossy": 70},
        {"lossless": 20, "lossy": 70},
    ),
}


def junos_family(model: str) -> str | Unknown:
    """`classic` or `uniform` for a QFX model (`QFX5240-64OD`); Unknown for one that no source sorts."""
    found = re.match(r"QFX\d{4}", model.upper())
    name = found[0] if found else model
    if name in CLASSIC:
        return "classic"
    if name in UNIFORM:
        return "uniform"
    return Unknown(f"how {model} splits its shared buffer is not sourced")


@dataclass(frozen=True, slots=True)
class SumFault:
    """A sum of partitions that the platform does not take: which one, what it adds up to, what it has to (percent)."""

    what: str
    found: int
    wanted: int
    source: str


def junos_faults(ingress: Mapping[str, int], egress: Mapping[str, int], family: str) -> tuple[SumFault, ...]:
    """What is wrong with the percents of a Junos `shared-buffer` stanza. Partitions that are not said take the defaults only
    where the whole direction is not said: Junos wants all of a direction or none.

    Classic: ingress lossless + headroom + lossy = 100, egress lossless + lossy + multicast = 100. Uniform: the ingress sum, and
    lossless and lossy alike in both directions, so that egress lossless + lossy + ingress headroom = 100.
    Raises UsageError for percents out of 0 to 100 and for an unknown family.
    """
    if family not in DEFAULTS:
        raise UsageError(f"buffer family {family!r} is none of {', '.join(DEFAULTS)}")
    for name, share in (*ingress.items(), *egress.items()):
        if type(share) is not int or not 0 <= share <= 100:
            raise UsageError(f"partition {name}: {share!r} is no percentage from 0 to 100")
    inn, out = dict(ingress) or dict(DEFAULTS[family][0]), dict(egress) or dict(DEFAULTS[family][1])
    source = STATEMENT if family == "classic" else TECHPOST
    faults = []
    total = sum(inn.get(p, 0) for p in INGRESS_PARTS)
    if total != 100:
        faults.append(SumFault("ingress lossless + lossless-headroom + lossy", total, 100, STATEMENT))
    if family == "classic":
        total = sum(out.get(p, 0) for p in ("lossless", "lossy", "multicast"))
        if total != 100:
            faults.append(SumFault("egress lossless + lossy + multicast", total, 100, source))
        return tuple(faults)
    for part in ("lossless", "lossy"):
        if inn.get(part, 0) != out.get(part, 0):
            faults.append(SumFault(f"egress {part} (as at ingress)", out.get(part, 0), inn.get(part, 0), source))
    return tuple(faults)


def junos_bytes(shared: int, percents: Mapping[str, int], percent: int = 100, domains: int = 1) -> dict[str, int]:
    """Bytes of each partition in one memory domain: `shared` bytes of the chip x `percent` x the partition's share, rounded
    down.

    Never adds up to more than `shared`.
    """
    return {name: int(Fraction(shared * percent * share, 100 * 100 * domains)) for name, share in percents.items()}


def junos_alpha(dynamic_threshold: int) -> Fraction:
    """alpha of a Junos `dynamic-threshold` 0-10: 2^(n - 7). Raises UsageError out of that range. Source: TECHPOST."""
    if type(dynamic_threshold) is not int or not 0 <= dynamic_threshold <= 10:
        raise UsageError(f"dynamic-threshold {dynamic_threshold!r} is out of range: 0 to 10")
    return Fraction(2) ** (dynamic_threshold - 7)


#: Upper end of each range of Comware's `ingress-buffer dynamic` ratio -> alpha. One source, so secondary; share = a / (1 + a).
_COMWARE = (
    (0, "1/128"), (1, "1/64"), (3, "1/32"), (5, "1/16"), (11, "1/8"), (20, "1/4"), (33, "1/2"), (50, "1"), (66, "2"), (80, "4"),
    (100, "8"),
)  # fmt: skip
COMWARE_SOURCE = "H3C RDMA technical reference as quoted by one public note (secondary)"


def comware_alpha(ratio: int) -> Fraction:
    """alpha of Comware `priority-flow-control dot1p P ingress-buffer dynamic R`, R 0-100. Raises UsageError out of that range.

    Secondary evidence (COMWARE_SOURCE): what rests on it is inferred, never an oracle.
    """
    if type(ratio) is not int or not 0 <= ratio <= 100:
        raise UsageError(f"ingress-buffer dynamic {ratio!r} is out of range: 0 to 100")
    return Fraction(next(alpha for top, alpha in _COMWARE if ratio <= top))


def vrp_alpha(level: int, direction: str) -> Fraction | Unknown:
    """alpha of a VRP `dynamic` level. Egress (`qos buffer queue … shared-threshold dynamic`): two points are published, 10 is 8
    and 6 is 1 (CE6865). Ingress (`dcb pfc buffer … dynamic`): the manual gives a range and no table, so Unknown."""
    if direction == "egress" and level in (6, 10):
        return Fraction(1 if level == 6 else 8)
    return Unknown(f"what alpha VRP's {direction} level {level} stands for is not published", Fact.DEFAULT)
