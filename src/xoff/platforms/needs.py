"""What each fact of a chip is for: its name and unit for people, and what cannot be judged or rendered without it."""

from __future__ import annotations

from xoff.model.record import dataclass
from xoff.model.switch import Architecture
from xoff.platforms import models
from xoff.platforms.facts import Asic


@dataclass(frozen=True, slots=True)
class Need:
    """`without`: what is not possible, or is assumed, while the fact is missing. `codes`: rules that are then not assessed."""

    label: str
    unit: str
    without: str
    codes: tuple[str, ...] = ()


NEEDS: dict[str, Need] = {
    "architecture": Need(
        "architecture", "", "whether shared-pool formulas hold is not known; they are taken to hold", ("ECN003", "BUF001")
    ),
    "cell": Need("cell", "B", "no headroom of preset strict, and cells are not bytes", ("HDR001", "HDR010", "ECN006")),
    "segment": Need("EOS segment", "B", "segments of EOS are not bytes: such ECN thresholds cannot be compared", ("ECN003",)),
    "buffer": Need("memory", "B", "no budget of the memory, no drain time for the watchdog", ("BUF002", "WDG002")),
    "domains": Need("memory domains", "", "one is assumed for upper limits, no sum is per domain", ("HDR006", "BUF002")),
    "port_domain": Need("ports to domains", "", "sums are split evenly: necessary, not sufficient", ("HDR006",)),
    "lossless_classes": Need("lossless classes", "", "too many lossless classes are not noticed"),
    "response_ns": Need("pause response", "ns", "1,100 ns (floor) and 2,200 ns (strict) stand in for it", ("HDR003",)),
    "cell_factor": Need("cell factor", "", "strict takes the worst packet, cell / 84 B"),
    "pool_size_includes_headroom": Need(
        "pool size includes headroom", "", "both readings are shown; an overcommitted pool is no error", ("BUF002",)
    ),
    "static_threshold_scale": Need("scale of static thresholds", "", "static limits cannot be compared", ("BUF001", "BUF003")),
    "egress_lossless_convention": Need("egress lossless convention", "", "what the SDK expects is not known", ("BUF003",)),
    "shipped_oversubscription": Need("shipped over-subscription", "x", "a headroom pool's ratio has no yardstick", ("HDR006",)),
    "ecn_granularity": Need("ECN granularity", "B", "how the chip rounds ECN thresholds is not known", ("ECN008",)),
    "watchdog": Need("PFC watchdog", "", "whether a missing watchdog can be asked for is not known", ("WDG001",)),
    "eos_queue": Need("EOS queue stanza", "", "no rendering for EOS"),
    "eos_mmu": Need("EOS MMU profiles", "", "no headroom is rendered for EOS"),
    "sonic_dynamic": Need("SONiC dynamic buffers", "", "which buffer model SONiC runs is not known"),
    "pfc_to_pg_map": Need("SONiC priority-group map", "", "whether SONiC writes the map is not known"),
    "pipeline_latency": Need("pipeline latency", "B", "no xon of preset nvidia"),
    "mac_phy_delay": Need("MAC and PHY delay", "B", "no headroom of preset nvidia"),
    "peer_response": Need("peer response", "B", "no headroom of preset nvidia"),
    "tile_ns": Need("tile delay", "ns", "no headroom of preset nvidia"),
}
#: Constants of the script behind SONiC's dynamic buffer model: only chips that have the model have them.
_DYNAMIC = frozenset({"pipeline_latency", "mac_phy_delay", "peer_response", "tile_ns"})
#: Of use only where SONiC runs on a switch with the chip.
_SONIC = frozenset({"sonic_dynamic", "pfc_to_pg_map"})
#: Refinements: without them a stricter number stands in, so nothing is blocked.
_REFINING = frozenset({"cell_factor", "shipped_oversubscription"})


def relevant(asic: Asic, name: str) -> bool:
    """Whether this chip could have the fact, so that its absence is a gap."""
    if not asic.facts()[name].applies:
        return False
    if name in _DYNAMIC:
        return asic.sonic_dynamic.value is True
    if name in _SONIC and not asic.facts()[name].known:
        return any(m.kind == "hwsku" for m in models(asic.name))
    if asic.architecture.value is Architecture.VOQ and name in ("static_threshold_scale", "shipped_oversubscription"):
        return False
    return name not in _REFINING or asic.facts()[name].known


def missing(asic: Asic) -> tuple[str, ...]:
    """Names of the facts that the chip could have and that no source settles, in the order of `NEEDS`."""
    facts = asic.facts()
    return tuple(n for n in NEEDS if relevant(asic, n) and not facts[n].known)


def completeness(asic: Asic) -> tuple[int, int]:
    """How many of the facts that the chip could have are sourced, and how many it could have."""
    could = [n for n in NEEDS if relevant(asic, n)]
    return len(could) - len(missing(asic)), len(could)
