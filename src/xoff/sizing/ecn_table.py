"""Published marking thresholds, each with its source: what they were published for decides whether a port's thresholds fit."""

from __future__ import annotations

from fractions import Fraction

from xoff.model.origin import Evidence
from xoff.model.record import dataclass

KIB = 1024
MIB = 1024 * 1024
G = 1000
_BI = "sonic-net/sonic-buildimage@086b03b"
_CUMULUS = "Cumulus Linux 5.15 RoCE page"
_HPCC = "alibaba-edu/High-Precision-Congestion-Control@9f4be2a9 simulation/run.py"
_HUAWEI = "Huawei EDOC1100155250, static ECN, table 2-12"


@dataclass(frozen=True, slots=True)
class Published:
    """One published ramp. Bytes, percent (`pmax` None: not stated), Mb/s.

    `speeds`: what it was published for, lowest and highest; None: any. `per`: the thresholds are for this speed and grow with
    it.
    """

    kmin: int
    kmax: int
    pmax: int | None
    what: str
    source: str
    speeds: tuple[int, int] | None = None
    per: int | None = None
    evidence: Evidence = Evidence.READ

    def fits(self, speed: int) -> bool:
        """Whether it was published for a port of this speed (Mb/s) as it stands."""
        if self.per is not None:
            return False
        return self.speeds is None or self.speeds[0] <= speed <= self.speeds[1]

    def at(self, speed: int) -> tuple[int, int]:
        """Kmin and Kmax for a port of this speed."""
        if self.per is None:
            return self.kmin, self.kmax
        return int(Fraction(self.kmin * speed, self.per)), int(Fraction(self.kmax * speed, self.per))


#: Table C of the references, rows that were read at their source (one is secondary and says so).
TABLE: tuple[Published, ...] = (
    Published(100_000, 400_000, 20, "DCQCN baseline of HPCC", _HPCC, per=25 * G),
    Published(30_000, 30_000, 100, "DCTCP", _HPCC, per=10 * G),
    Published(1 * MIB, 2 * MIB, 5, "AZURE_LOSSLESS of SONiC", f"{_BI} files/build_templates/qos_config.j2"),
    Published(2_000_000, 10_000_000, 5, "Azure SONiC on Tomahawk2 and Jericho2", f"{_BI} qos.json.j2", (100 * G, 400 * G)),
    Published(1 * MIB, 12_000_000, 5, "Azure SONiC on Trident2", f"{_BI} td2 BALANCED", (40 * G, 40 * G)),
    Published(250_000, 1 * MIB, 5, "Azure SONiC on Tomahawk", f"{_BI} pull 4564", (25 * G, 100 * G)),
    Published(250_000, 2 * MIB, 5, "SONiC on 7050SX3-48C8", f"{_BI} qos.json.j2", (25 * G, 100 * G)),
    Published(128 * KIB, 256 * KIB, 5, "Azure SONiC on 7060X6, AI back-end", f"{_BI} qos.json.j2", (200 * G, 800 * G)),
    Published(104_000, 312_000, None, "SONiC on Inventec", f"{_BI} qos.json", (25 * G, 100 * G)),
    Published(150_000, 1_500_000, 100, "lossless default of Cumulus Linux", _CUMULUS),
    Published(163_000, 234_000, 5, "lossy queues with packet trimming on Cumulus Linux", _CUMULUS),
    Published(
        150_000, 3_000_000, 7, "Cisco AI/ML blueprint", "quoted by third parties", (100 * G, 100 * G),
        evidence=Evidence.SECONDARY
    ),
    Published(7_000, 150_000, 30, "Huawei CE6865, latency", _HUAWEI, (25 * G, 25 * G)),
    Published(7_000, 200_000, 10, "Huawei CE6865, throughput", _HUAWEI, (25 * G, 25 * G)),
    Published(7_000, 500_000, 30, "Huawei CE6865 and CE8850, latency", _HUAWEI, (100 * G, 100 * G)),
    Published(7_000, 750_000, 10, "Huawei CE6865 and CE8850, throughput", _HUAWEI, (100 * G, 100 * G)),
    Published(7_000, 18_000_000, 100, "Huawei CE16800", _HUAWEI, (100 * G, 100 * G)),
)  # fmt: skip
#: Speeds that thresholds scaled by speed are published or used for (Mb/s).
SCALED_SPEEDS = (10 * G, 25 * G, 40 * G, 50 * G, 100 * G, 200 * G, 400 * G, 800 * G)


def published_for(kmin: int, kmax: int) -> tuple[Published, ...]:
    """Rows with just these thresholds (bytes), as they stand; scaled rows have none."""
    return tuple(r for r in TABLE if r.per is None and (r.kmin, r.kmax) == (kmin, kmax))


def scaled_for(kmin: int, kmax: int) -> tuple[tuple[Published, int], ...]:
    """Scaled rows that give these thresholds (bytes), each with the speed (Mb/s) at which they do."""
    return tuple((r, s) for r in TABLE if r.per is not None for s in SCALED_SPEEDS if r.at(s) == (kmin, kmax))


def same_digits(low: Fraction, high: Fraction) -> tuple[Published, str] | None:
    """A row whose thresholds these two bare numbers are in kbytes or in bytes; None where no row's are."""
    for unit, size in (("kbytes", 1000), ("kbytes", KIB), ("bytes", 1)):
        for row in TABLE:
            pairs = [(row.kmin, row.kmax)] if row.per is None else [row.at(s) for s in SCALED_SPEEDS]
            if any(low * size == kmin and high * size == kmax for kmin, kmax in pairs):
                return row, unit
    return None
