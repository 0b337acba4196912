"""PFC watchdog times: what a storm must last to count as one, from the NOS's own scaling and the pausable buffer."""

from __future__ import annotations

from fractions import Fraction

from xoff.model.origin import Evidence, Term
from xoff.model.quantity import Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Architecture
from xoff.platforms.facts import Asic
from xoff.sizing.number import Number, ceil, number, term

#: Milliseconds that a NOS accepts: (low, high) for detection, restoration, polling.
RANGES: dict[str, dict[str, tuple[int, int]]] = {
    "sonic": {"detect": (100, 5_000), "restore": (100, 60_000), "poll": (100, 1_000)},
    "eos": {"detect": (10, 60_000), "restore": (10, 60_000), "poll": (5, 30_000)},
}
SONIC = "sonic-utilities@691b1bbc pfcwd/main.py start_default"
BASE_MS = 200


@dataclass(frozen=True, slots=True)
class WatchdogTimes:
    """Milliseconds."""

    detect: Number
    restore: Number
    poll: Number


def drain_ms(asic: Asic | None, speed: int) -> tuple[int, Term] | Unknown:
    """Longest legitimate pause: the time a port at `speed` Mb/s needs to empty one memory domain. Milliseconds, rounded up."""
    if asic is None or isinstance(asic.buffer.value, Unknown):
        return Unknown("the buffer of this ASIC is not sourced")
    domains = 1 if isinstance(asic.domains.value, Unknown) else asic.domains.value
    ms = ceil(Fraction(asic.buffer.value * 8, domains * speed * 1000))
    what = f"{asic.buffer.value // domains} B of one memory domain at {speed / 1000:g}G"
    return ms, term("drain time", ms, what, asic.buffer.source, asic.buffer.evidence, "ms")


def watchdog_times(nos: str, ports: int, asic: Asic | None, slowest: int) -> WatchdogTimes:
    """Detection, restoration and polling for a switch with so many ports; `slowest`: Mb/s of its slowest lossless port.

    SONiC scales by port count: 200 ms per begun 32 ports, polling not above 1,000 ms. Elsewhere detection is at least
    200 ms and ten drain times, restoration twice that, polling half of detection. Clamped to the NOS's range.
    """
    if nos == "sonic":
        return _sonic(ports)
    terms = [term("base", BASE_MS, "shorter than any transport timeout, longer than any normal pause", SONIC, unit="ms")]
    detect = BASE_MS
    drain = drain_ms(asic, slowest)
    if not isinstance(drain, Unknown):
        ms, why = drain
        terms.append(why)
        detect = max(detect, 10 * ms)
    if asic is not None and asic.architecture.value is Architecture.VOQ:
        terms.append(
            term(
                "deep buffer",
                400,
                "ports on deep-buffer chips pause longer",
                "8 GB of HBM (Jericho2) drain at 400G in 160 ms",
                Evidence.COMPUTED,
                "ms",
            )
        )
        detect = max(detect, 400)
    low, high = RANGES.get(nos, RANGES["eos"])["detect"]
    detect = min(max(-(-detect // 10) * 10, low), high)
    restore = min(2 * detect, RANGES.get(nos, RANGES["eos"])["restore"][1])
    t = tuple(terms)
    return WatchdogTimes(
        number(detect, "max(200 ms, 10 x drain time)", t, unit="ms"),
        number(restore, "2 x detection", t, unit="ms"),
        number(max(detect // 2, RANGES.get(nos, RANGES["eos"])["poll"][0]), "detection / 2", t, unit="ms"),
    )


def _sonic(ports: int) -> WatchdogTimes:
    m = max(1, (ports - 1) // 32 + 1)
    ms = BASE_MS * m
    terms = (
        term("base", BASE_MS, "per begun 32 ports", SONIC, unit="ms"),
        term("ports", ports, f"{m} x 32", "the plan", unit=""),
    )
    formula = "200 ms x ((ports - 1) // 32 + 1)"
    top = RANGES["sonic"]
    return WatchdogTimes(
        number(min(ms, top["detect"][1]), formula, terms, unit="ms"),
        number(min(ms, top["restore"][1]), formula, terms, unit="ms"),
        number(min(ms, top["poll"][1]), formula + ", at most 1,000 ms", terms, unit="ms"),
    )
