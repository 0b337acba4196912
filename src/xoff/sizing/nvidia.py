"""Headroom as SONiC's buffer manager computes it by script: NVIDIA Spectrum and Intel Tofino2, every shipped version.

The dynamic buffer model runs `buffer_headroom_<vendor>.lua` for each lossless profile. The script has changed six times; which
version a device runs follows from its SONiC release. The tables that NVIDIA ships for the traditional model come from older or
mixed calculations (`TABLE_*`), each of which reproduces its tables to the byte.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Evidence
from xoff.model.quantity import Fact, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Architecture
from xoff.platforms.facts import Asic
from xoff.sizing.link import LinkInput, holds_for
from xoff.sizing.number import Number, check, number, term, up_to

LUA = "sonic-swss@e6b0c5b5 cfgmgr/buffer_headroom_mellanox.lua"
TOFINO = "sonic-swss@e6b0c5b5 cfgmgr/buffer_headroom_barefoot.lua"
LIGHT_IN_FIBRE = 198_000_000  # m/s
KIB = 1024

#: IEEE 802.3 31B.3.7 as the scripts have it, by Mb/s, without 800G.
_QUANTA = FrozenMap(
    {
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
)
_WITH_800G = FrozenMap({**_QUANTA, 800_000: 905})


@dataclass(frozen=True, slots=True)
class Version:
    """One calculation.

    `whole_cells`: the worst-case factor is rounded up. `by_bytes`: the small-packet share becomes a share of bytes.
    `quanta`: the peer's response by speed (Mb/s); a speed that is not there takes the chip's own `peer_response`.
    `cable_kib`: bytes on the cable are divided by 1,024 where 1,000 is meant (2.4 % low). `tile`: the chip's tile delay counts.
    `compensation`: bytes added without a shared headroom pool and below 100 % small packets, if the result stays more than that
    below the worst case. `extra`: bytes added on the chips named. `doubled`: speeds whose response counts twice.
    `lanes_less`: bytes taken off xon after it is doubled on 8-lane ports; None: it is never doubled.
    """

    name: str
    source: str
    whole_cells: bool = False
    by_bytes: bool = False
    quanta: FrozenMap[int, int] = _WITH_800G
    cable_kib: bool = False
    tile: bool = True
    compensation: int = 0
    extra: FrozenMap[str, int] = FrozenMap()
    doubled: frozenset[int] = frozenset()
    lanes_less: int | None = 0


_NONE: FrozenMap[int, int] = FrozenMap()
_TABLES = "tables of sonic-net/sonic-buildimage@086b03b, reproduced to the byte"

#: The calculations behind shipped tables.
TABLE_FIXED = Version("table, fixed peer response", _TABLES, quanta=_NONE)
TABLE_QUANTA = Version("table, IEEE quanta", _TABLES, by_bytes=True)
TABLE_WHOLE = Version("table, IEEE quanta, whole cells", _TABLES, by_bytes=True, whole_cells=True)
TABLE_800G = replace(TABLE_WHOLE, name="table, 800G quanta doubled", quanta=FrozenMap({**_QUANTA, 800_000: 1810}))

#: The script, by the release that first had it. The source names the commit of the release branch that was read.
SCRIPT_202012 = Version(
    "script of 202012",
    "sonic-swss@f1418806 (202012), @03a082be (202106) cfgmgr/buffer_headroom_mellanox.lua",
    quanta=_NONE,
    cable_kib=True,
    tile=False,
    lanes_less=KIB,
)
SCRIPT_202111 = replace(
    SCRIPT_202012,
    name="script of 202111",
    source="sonic-swss@7f244480 (202111), @dbe70dae (202205) cfgmgr/buffer_headroom_mellanox.lua",
    quanta=_QUANTA,
)
SCRIPT_202211 = replace(
    SCRIPT_202111,
    name="script of 202211",
    source="sonic-swss@178166e4 (202211), @ea9f11fd (202305), @8bc9a27f (202311) cfgmgr/buffer_headroom_mellanox.lua",
    quanta=_WITH_800G,
)
SCRIPT_202405 = Version(
    "script of 202405",
    "sonic-swss@6785d662 (202405), @8aa8f0f9 (202411), @4ea5c3ad (202511) cfgmgr/buffer_headroom_mellanox.lua",
    whole_cells=True,
    by_bytes=True,
)
SCRIPT_202605 = replace(
    SCRIPT_202405,
    name="script of 202605",
    source=LUA,
    compensation=2 * KIB,
    extra=FrozenMap({"spectrum6": 18 * KIB}),
)
SCRIPT_TOFINO = Version(
    "script of 202211, Tofino2",
    TOFINO,
    quanta=_QUANTA,
    cable_kib=True,
    tile=False,
    doubled=frozenset({400_000}),
    lanes_less=None,
)

#: First release (year and month) -> version, oldest first.
SCRIPTS = (
    (202012, SCRIPT_202012),
    (202111, SCRIPT_202111),
    (202211, SCRIPT_202211),
    (202405, SCRIPT_202405),
    (202605, SCRIPT_202605),
)
TOFINO_SCRIPTS = ((202211, SCRIPT_TOFINO),)
_RELEASE = re.compile(r"(?:SONiC[.-])?(?:OS-)?(20[0-9]{2}(?:0[1-9]|1[0-2]))(?:[^0-9].*|[0-9]{2}(?:[^0-9].*)?)?", re.IGNORECASE)


def version_of(asic: Asic, release: str | None = None) -> Version | Unknown:
    """The version that a SONiC release runs on this chip; without a release (or on `master`) the newest.

    Releases are `202405`, `202405.1`, `20240531.12`, `SONiC.202405…`. Unknown for other texts, for releases before the script
    and for chips that have none.
    """
    scripts = TOFINO_SCRIPTS if is_tofino(asic) else SCRIPTS if asic.family == "Spectrum" else ()
    if not scripts:
        return Unknown(f"SONiC computes no headroom on {asic.title}: it looks it up in a table", Fact.ASIC)
    if release is None or release.casefold() == "master":
        return scripts[-1][1]
    found = _RELEASE.fullmatch(release)
    if found is None:
        return Unknown(
            f"{release!r} is no SONiC release such as 202405, so the version of its script is not known", Fact.RELEASE
        )
    fits = [v for first, v in scripts if first <= int(found[1])]
    if not fits:
        return Unknown(
            f"SONiC {release} computes no headroom on {asic.title}: the script came with {scripts[0][0]}", Fact.RELEASE
        )
    return fits[-1]


def is_tofino(asic: Asic) -> bool:
    """Whether the chip runs the Barefoot script."""
    return asic.name.startswith("tofino")


def default_small_packets(release: str | None = None) -> int:
    """Percent of small packets in SONiC's stock LOSSLESS_TRAFFIC_PATTERN: 50 since 202411, 100 before.

    Source: sonic-buildimage files/build_templates/buffers_config.j2 of each release branch.
    """
    found = _RELEASE.fullmatch(release) if release else None
    return 100 if found is not None and int(found[1]) < 202411 else 50


@holds_for(Architecture.SHARED)
def nvidia_headroom(
    link: LinkInput,
    asic: Asic,
    version: Version | Unknown | None = None,
    lossless_mtu: int = 1024,
    gearbox_ns: int | None = None,
    shared_pool: bool = False,
) -> Number | Unknown:
    """xoff of one lossless group as SONiC's script computes it. Bytes, a multiple of 1,024.

    `lossless_mtu` is LOSSLESS_TRAFFIC_PATTERN.mtu; the port's MTU is the link's `port_mtu`, else its largest frame. The peer's
    own response time does not enter: the script takes the IEEE quanta. `gearbox_ns` None: the link's delay. `shared_pool`:
    whether the switch has a shared headroom pool. Unknown for chips without such a script or with constants not sourced.
    Raises UsageError for impossible inputs.
    """
    mtu = link.port_mtu if link.port_mtu is not None else link.max_frame
    link.check()
    check(link.speed, link.cable_m, mtu, lossless_mtu)
    v = version_of(asic) if version is None else version
    if isinstance(v, Unknown):
        return v
    delay = link.delay_ns if gearbox_ns is None else gearbox_ns
    delay_source = link.delay_source if gearbox_ns is None else v.source
    cell, mac_phy, fixed = asic.cell.value, asic.mac_phy_delay.value, asic.peer_response.value
    tile_ns = asic.tile_ns.value if v.tile else 0
    if isinstance(cell, Unknown) or isinstance(mac_phy, Unknown) or isinstance(tile_ns, Unknown) or isinstance(fixed, Unknown):
        return Unknown(f"the constants of SONiC's headroom script are not sourced for {asic.title}", Fact.ASIC)
    wc = worst_factor(cell, v)
    p, speed = link.small_packets, link.speed
    occupancy = _occupancy(p, lossless_mtu, wc, v)
    cable = Fraction(2 * link.cable_m * speed * 10**9, LIGHT_IN_FIBRE * 8 * (KIB if v.cable_kib else 1000))
    gearbox = Fraction(2 * speed * delay, 8 * KIB)
    response, why = _response(speed, fixed, v)
    on_tile = Fraction(speed * tile_ns, 8000)
    prop = mtu + cable + gearbox + mac_phy + response + on_tile
    raw = lossless_mtu + prop * occupancy
    extra = v.extra.get(asic.name, 0)
    xoff = up_to(raw, KIB) + extra
    added = 0
    if v.compensation and not shared_pool and p != 100 and xoff + v.compensation < up_to(lossless_mtu + prop * wc, KIB):
        added = v.compensation
    terms = (
        term("port MTU", mtu, "one frame of any class in the way", v.source),
        term("cable, both ways", cable, f"{link.cable_m} m at 198,000 km/s" + (", divided by 1,024" * v.cable_kib), v.source),
        *((term("gearbox, both ways", gearbox, f"{delay} ns each way", delay_source),) if delay else ()),
        term("MAC and PHY", mac_phy, "mac_phy_delay", asic.mac_phy_delay.source, asic.mac_phy_delay.evidence),
        term("response", response, why, v.source if speed in v.quanta else asic.peer_response.source),
        *((term("tile", on_tile, f"{tile_ns} ns on the chip", asic.tile_ns.source),) if tile_ns else ()),
        term(
            "occupancy", occupancy, f"{p} % small packets, worst factor {_plain(wc)}", asic.cell.source, asic.cell.evidence, "x"
        ),
        term("lossless MTU", lossless_mtu, "LOSSLESS_TRAFFIC_PATTERN.mtu", v.source),
        term("rounding", up_to(raw, KIB) - raw, "up to 1,024 B", v.source, Evidence.COMPUTED),
        *((term("chip's extra", extra, "packet-buffer accounting of this chip", v.source),) if extra else ()),
        *((term("compensation", added, "no shared headroom pool, fewer than 100 % small packets", v.source),) if added else ()),
    )
    formula = f"lossless MTU + occupancy x (MTU + cable + MAC/PHY + response + tile), up to KiB ({v.name})"
    return number(xoff + added, formula, terms, "nvidia")


def worst_factor(cell: int, v: Version) -> Fraction:
    """Cells' bytes per byte of the worst packet: one of 64 B on large cells, one byte more than a cell on small ones."""
    wc: Fraction = Fraction(cell, 64) if cell > 128 else Fraction(2 * cell, 1 + cell)
    return Fraction(math.ceil(wc)) if v.whole_cells else wc


def _occupancy(p: int, lossless_mtu: int, wc: Fraction, v: Version) -> Fraction:
    # The script's share by bytes lacks the factor p in its numerator: with 50 % it counts twice the true share.
    share = Fraction(100 * 64 * 100, p * 64 + (100 - p) * lossless_mtu) if v.by_bytes else Fraction(p)
    return (100 - share + share * wc) / 100


def _response(speed: int, fixed: Fraction, v: Version) -> tuple[Fraction, str]:
    quanta = v.quanta.get(speed)
    response, why = (
        (fixed, "the chip's own peer_response") if quanta is None else (Fraction(quanta * 64), f"{quanta} quanta of 64 B")
    )
    return (2 * response, f"{why}, twice") if speed in v.doubled else (response, why)


def _plain(x: Fraction) -> str:
    return f"{float(x):.4g}"


@holds_for(Architecture.SHARED)
def nvidia_xon(asic: Asic, lanes: int | None = None, version: Version | Unknown | None = None) -> Number | Unknown:
    """xon of a lossless group: the chip's pipeline latency, doubled on 8-lane ports (202311 and before: less 1 KiB). Bytes."""
    latency = asic.pipeline_latency.value
    if isinstance(latency, Unknown):
        return latency
    v = version_of(asic) if version is None else version
    if isinstance(v, Unknown):
        return v
    base = term("pipeline latency", latency, "resume level", asic.pipeline_latency.source, asic.pipeline_latency.evidence)
    if lanes != 8 or v.lanes_less is None:
        return number(up_to(latency, KIB), "pipeline latency", (base,), "nvidia")
    less = f" - {v.lanes_less:,} B" if v.lanes_less else ""
    double = term("8 lanes", latency - v.lanes_less, "such a port uses two buffer units", v.source)
    return number(up_to(2 * latency - v.lanes_less, KIB), f"pipeline latency x 2{less} (8 lanes)", (base, double), "nvidia")
