"""ECN thresholds: published defaults by workload and speed, capped so that marking comes before PFC, rounded down."""

from __future__ import annotations

from fractions import Fraction

from xoff.model.origin import Evidence, Term
from xoff.model.quantity import Unknown
from xoff.model.record import dataclass
from xoff.sizing.number import Number, down_to, number, term
from xoff.sizing.thresholds import XoffPoint

KIB = 1024


@dataclass(frozen=True, slots=True)
class Ramp:
    """Kmin, Kmax in bytes, Pmax in percent, as published. `scaled`: thresholds are per 25G of port speed."""

    kmin: int
    kmax: int
    pmax: int
    scaled: bool
    source: str


HPCC = Ramp(100_000, 400_000, 20, True, "HPCC repository run.py: DCQCN baseline, 100 and 400 KB per 25G, 20 %")
AZURE_STORAGE = Ramp(
    1024 * KIB, 2048 * KIB, 5, False, "sonic-buildimage@086b03b qos_config.j2: AZURE_LOSSLESS 1 and 2 MiB, 5 %"
)
AZURE_TRAINING = Ramp(
    128 * KIB, 256 * KIB, 5, False, "sonic-buildimage@086b03b Arista 7060X6: 128 and 256 KiB, 5 %, 200 to 800G"
)
NVIDIA = Ramp(150_000, 1_500_000, 100, False, "Cumulus Linux 5.15 RoCE page: lossless default 150 KB, 1.5 MB, 100 %")

#: workload -> (lowest speed in Mb/s, ramp), first that fits.
DEFAULTS: dict[str, tuple[tuple[int, Ramp], ...]] = {
    "training": ((200_000, AZURE_TRAINING), (0, NVIDIA)),
    "inference": ((0, HPCC),),
    "storage": ((0, AZURE_STORAGE),),
}


@dataclass(frozen=True, slots=True)
class EcnThresholds:
    """What the queue is told. `pmax` percent; `capped`: the XOFF point pushed the published values down."""

    kmin: Number
    kmax: Number
    pmax: Number
    capped: bool


def ramp_for(workload: str, speed: int) -> Ramp:
    """The published ramp for a workload at a port speed (Mb/s). Unknown workloads take the speed-scaled one."""
    for lowest, ramp in DEFAULTS.get(workload, ((0, HPCC),)):
        if speed >= lowest:
            return ramp
    return HPCC


def ecn_thresholds(
    workload: str,
    speed: int,
    xoff: XoffPoint | Unknown,
    granularity: int = 1,
    granularity_source: str = "",
    kmin: int | None = None,
    kmax: int | None = None,
    pmax: int | None = None,
) -> EcnThresholds:
    """Thresholds for a queue of a port at `speed` Mb/s. Bytes, rounded down to `granularity`.

    A value given (kmin, kmax, pmax) is kept as it is. A published Kmax that lies above the XOFF point of a lone congested group
    is lowered to it, and Kmin in the same proportion, so that marking is complete before PFC starts.
    """
    ramp = ramp_for(workload, speed)
    scale = Fraction(speed, 25_000) if ramp.scaled else Fraction(1)
    why = f"{workload}, {speed / 1000:g}G"
    low = Fraction(ramp.kmin) * scale
    high = Fraction(ramp.kmax) * scale
    base_low = term("published Kmin", low, why, ramp.source)
    base_high = term("published Kmax", high, why, ramp.source)
    limit = None if isinstance(xoff, Unknown) else _limit(xoff)
    capped = limit is not None and kmax is None and high > limit
    cap: tuple[Term, ...] = ()
    if limit is not None and capped:
        low, high = low * limit / high, Fraction(limit)
        cap = (
            term("cap", limit, "XOFF point of a lone group: ECN comes before PFC", "DCQCN condition, n = 1", Evidence.COMPUTED),
        )
    elif isinstance(xoff, Unknown):
        cap = (term("cap", "none", f"the XOFF point is unknown: {xoff.reason}", "", Evidence.COMPUTED, ""),)
    formula = "published, capped by the XOFF point, down to the granularity" if capped else "published, down to the granularity"
    step = (term("granularity", granularity, "rounded down", granularity_source),) if granularity > 1 else ()
    k_low = _given("Kmin", kmin) or number(max(granularity, down_to(low, granularity)), formula, (base_low, *cap, *step))
    k_high = _given("Kmax", kmax) or number(max(granularity, down_to(high, granularity)), formula, (base_high, *cap, *step))
    p = _given("Pmax", pmax, "%") or number(
        ramp.pmax, "published", (term("Pmax", ramp.pmax, why, ramp.source, unit="%"),), None, "%"
    )
    if k_low.value > k_high.value and kmin is None:
        k_low = k_low.rounded(k_high.value, "not above Kmax")
    return EcnThresholds(k_low, k_high, p, capped)


def _given(name: str, value: int | None, unit: str = "B") -> Number | None:
    if value is None:
        return None
    return number(
        value, "as the intent says", (term(name, value, "fixed by the intent", "the intent", unit=unit),), "intent", unit
    )


def _limit(xoff: XoffPoint) -> int:
    low = xoff.low
    return xoff.high.value if isinstance(low, Unknown) else low.value


def marking_probability(kmin: int, kmax: int, pmax: Fraction, at: int) -> Fraction:
    """Percent of packets marked when the queue holds `at` bytes: 0 below Kmin, Pmax from Kmax on, linear between."""
    if at < kmin:
        return Fraction(0)
    if at >= kmax:
        return pmax
    return pmax * (at - kmin) / (kmax - kmin)


def dynamic_bound(alpha: Fraction, memory: int, ports: int, headroom: int, classes: int = 8) -> Fraction:
    """Largest Kmin (bytes) that lets marking begin before any pause in the worst case of DCQCN section 4, with a dynamic XOFF.

    All `ports` egress queues stand just below Kmin, all filled from one ingress: alpha (B - c n H) / (c n (1 + alpha)), c
    priority classes of headroom H on each of n ports.
    """
    free = memory - classes * ports * headroom
    return Fraction(alpha) * free / (classes * ports * (1 + Fraction(alpha)))


def static_bound(memory: int, ports: int, headroom: int, classes: int = 8) -> tuple[Fraction, Fraction]:
    """Highest static XOFF that keeps headroom whole, (B - c n H) / (c n), and the Kmin below it, XOFF / n. Bytes."""
    xoff = Fraction(memory - classes * ports * headroom, classes * ports)
    return xoff, xoff / ports
