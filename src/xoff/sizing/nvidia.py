"""Headroom as SONiC computes it on NVIDIA chips (buffer_headroom_mellanox.lua), in the versions behind the shipped tables."""

from __future__ import annotations

import math
from fractions import Fraction

from xoff.model.origin import Evidence
from xoff.model.quantity import Fact, Unknown
from xoff.model.record import dataclass
from xoff.platforms.facts import Asic
from xoff.sizing.headroom import LinkInput
from xoff.sizing.number import Number, ceil, check, number, term, up_to

LUA = "sonic-swss@e6b0c5b5 cfgmgr/buffer_headroom_mellanox.lua"
LIGHT_IN_FIBRE = 198_000_000  # m/s
KIB = 1024


@dataclass(frozen=True, slots=True)
class Version:
    """What changed between releases. `whole_cells`: the worst-case factor is rounded up. `by_bytes`: the small-packet share is
    taken as a share of bytes. `quanta`: the peer's response by IEEE quanta, else the chip's own. `quanta_800g`: for 800G.
    `extra`: bytes added at the end.
    """

    name: str
    whole_cells: bool
    by_bytes: bool
    quanta: bool
    quanta_800g: int = 905
    extra: int = 0


#: The calculations behind shipped tables (TABLE_*) and the present script (LUA_2024).
TABLE_FIXED = Version("table, fixed peer response", whole_cells=False, by_bytes=False, quanta=False)
TABLE_QUANTA = Version("table, IEEE quanta", whole_cells=False, by_bytes=True, quanta=True)
TABLE_WHOLE = Version("table, IEEE quanta, whole cells", whole_cells=True, by_bytes=True, quanta=True)
TABLE_800G = Version("table, 800G quanta doubled", whole_cells=True, by_bytes=True, quanta=True, quanta_800g=1810)
LUA_2024 = Version("script since 2024-09", whole_cells=True, by_bytes=True, quanta=True)
LUA_SPECTRUM6 = Version("script since 2026-07", whole_cells=True, by_bytes=True, quanta=True, extra=18 * KIB)

_LUA_QUANTA = {
    100: 1,
    1_000: 2,
    10_000: 67,
    25_000: 80,
    40_000: 118,
    50_000: 147,
    100_000: 394,
    200_000: 453,
    400_000: 905,
}


def version_of(asic: Asic) -> Version:
    """The version a current release runs on this chip."""
    return LUA_SPECTRUM6 if asic.name == "spectrum6" else LUA_2024


def nvidia_headroom(
    link: LinkInput, asic: Asic, version: Version | None = None, lossless_mtu: int = 1024, gearbox_ns: int = 0
) -> Number | Unknown:
    """xoff of one lossless group as SONiC's script computes it. Bytes, a multiple of 1024.

    `link.max_frame` is taken as the port's MTU, as the script does. Only chips whose constants are sourced (Spectrum);
    Unknown elsewhere. Raises UsageError for impossible inputs.
    """
    check(link.speed, link.cable_m, link.max_frame, lossless_mtu)
    v = version or version_of(asic)
    cell, mac_phy, tile = asic.cell.value, asic.mac_phy_delay.value, asic.tile_ns.value
    fixed = asic.peer_response.value
    if isinstance(cell, Unknown) or isinstance(mac_phy, Unknown) or isinstance(tile, Unknown) or isinstance(fixed, Unknown):
        return Unknown(f"the NVIDIA formula's constants are not sourced for {asic.title}", Fact.ASIC)
    wc: Fraction = Fraction(cell, 64) if cell > 128 else Fraction(2 * cell, 1 + cell)
    if v.whole_cells:
        wc = Fraction(math.ceil(wc))
    p = link.small_packets
    share = Fraction(100 * 64 * 100, p * 64 + (100 - p) * lossless_mtu) if v.by_bytes else Fraction(p)
    occupancy = (100 - share + share * wc) / 100
    speed = link.speed
    cable = Fraction(2 * link.cable_m * speed * 10**9, LIGHT_IN_FIBRE * 8 * 1000)
    gearbox = Fraction(2 * speed * gearbox_ns, 8 * KIB)
    quanta = v.quanta_800g if speed == 800_000 else _LUA_QUANTA.get(speed)
    if v.quanta and quanta is not None:
        response, why = Fraction(quanta * 64), f"{quanta} quanta of 64 B"
    else:
        response, why = fixed, "the chip's own peer_response"
    on_tile = Fraction(speed // 1000 * tile, 8)
    prop = link.max_frame + cable + gearbox + mac_phy + response + on_tile
    raw = lossless_mtu + prop * occupancy
    terms = (
        term("port MTU", link.max_frame, "one frame of any class in the way", LUA),
        term("cable, both ways", cable, f"{link.cable_m} m at 198,000 km/s", LUA),
        *((term("gearbox, both ways", gearbox, f"{gearbox_ns} ns", LUA),) if gearbox_ns else ()),
        term("MAC and PHY", mac_phy, "mac_phy_delay", asic.mac_phy_delay.source),
        term("response", response, why, LUA if v.quanta else asic.peer_response.source),
        *((term("tile", on_tile, f"{tile} ns on the chip", asic.tile_ns.source),) if tile else ()),
        term("occupancy", occupancy, f"{p} % small packets, worst factor {wc}", asic.cell.source, unit="x"),
        term("lossless MTU", lossless_mtu, "LOSSLESS_TRAFFIC_PATTERN.mtu", LUA),
        *((term("extra", v.extra, "Spectrum-6 since 2026-07", LUA),) if v.extra else ()),
        term("rounding", up_to(raw, KIB) - ceil(raw), "up to 1,024 B", LUA, Evidence.COMPUTED),
    )
    formula = f"lossless MTU + occupancy x (MTU + cable + MAC/PHY + response + tile), up to KiB ({v.name})"
    return number(up_to(raw, KIB) + v.extra, formula, terms, "nvidia")


def nvidia_xon(asic: Asic, lanes: int | None = None) -> Number | Unknown:
    """xon of a lossless group: the chip's pipeline latency, doubled on 8-lane ports. Bytes."""
    latency = asic.pipeline_latency.value
    if isinstance(latency, Unknown):
        return latency
    twice = lanes == 8
    terms = (term("pipeline latency", latency, "resume level", asic.pipeline_latency.source),)
    return number(
        up_to(latency * (2 if twice else 1), KIB), "pipeline latency" + (" x 2 (8 lanes)" if twice else ""), terms, "nvidia"
    )
