"""The presets by name, and all of them beside one another for one link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xoff.errors import UsageError
from xoff.model.headroom_table import HeadroomRow
from xoff.model.origin import Evidence, FileLine
from xoff.model.quantity import Fact, Unknown
from xoff.platforms.facts import Asic, Platform, ShippedRow
from xoff.sizing.headroom import floor_headroom, strict_headroom
from xoff.sizing.ieee import ieee_headroom
from xoff.sizing.link import EVERY, JUMBO, LinkInput, holds_for
from xoff.sizing.number import Number, number, term
from xoff.sizing.nvidia import nvidia_headroom, version_of

#: What each preset assumes, in the order in which they are shown.
PRESETS = {
    "floor": "what nobody disputes: no chip can be lossless with less",
    "strict": "every packet of the size that fills the buffer worst; what xoff renders",
    "nvidia": "what SONiC's script computes on NVIDIA Spectrum and Intel Tofino2",
    "ieee": "the delay budget of IEEE 802.1Qbb, in bytes on the wire",
    "table": "the row of a headroom table, as the device looks it up",
}


def by_preset(
    preset: str,
    link: LinkInput,
    asic: Asic | None,
    *,
    rows: Sequence[HeadroomRow] = (),
    release: str | None = None,
    shared_pool: bool = False,
) -> Number | Unknown:
    """One preset's headroom for a link. Bytes; Unknown, with the reason, where the preset does not hold or a fact is missing.

    `strict` takes any frame of the port for a lossless one and none below the published default of 9,216 B: whoever later reads
    the configuration alone does not know the MTU and assumes that default. `rows`: the table for `table`. `release`: SONiC's,
    for the version of `nvidia`'s script (None: the newest); `shared_pool`: whether there is a shared headroom pool.

    Raises UsageError for impossible inputs and for a preset that does not exist.
    """
    if preset == "floor":
        return floor_headroom(link, asic)
    if preset == "ieee":
        return ieee_headroom(link, asic)
    if preset == "table":
        return table_headroom(link, rows)
    if preset not in PRESETS:
        raise UsageError(f"there is no headroom preset {preset!r}; there are {', '.join(PRESETS)}")
    link.check()
    if asic is None:
        return Unknown("ASIC not known, so neither is its cell", Fact.ASIC)
    if preset == "strict":
        return strict_headroom(link.all_lossless(JUMBO), asic)
    return nvidia_headroom(link, asic, version_of(asic, release), lossless_mtu=link.lossless_frame, shared_pool=shared_pool)


@holds_for(*EVERY)
def table_headroom(link: LinkInput, rows: Sequence[HeadroomRow]) -> Number | Unknown:
    """The xoff of the row for exactly this speed and cable, the last one if repeated: what SONiC's buffer manager takes. Bytes.

    Unknown where no row matches: the device then has no lossless buffer at all, so nothing is interpolated.
    """
    link.check()
    if not rows:
        return Unknown("no headroom table is given", Fact.TABLE)
    cables = sorted({r.cable_m for r in rows if r.speed == link.speed})
    found = next((r for r in reversed(rows) if r.speed == link.speed and r.cable_m == link.cable_m), None)
    if found is None:
        speed = f"{link.speed / 1000:g}G"
        has = f"at {speed} it has {', '.join(f'{c} m' for c in cables)}" if cables else f"it has no row at {speed}"
        return Unknown(
            f"the table has no row for {speed} and {link.cable_m} m, and a device looks up exactly; {has}", Fact.TABLE
        )
    where = str(found.at) if found.at is not None else "the table"
    why = f"row {link.speed / 1000:g}G, {link.cable_m} m: size {found.size}, xon {found.xon}, threshold {found.threshold}"
    return number(found.xoff, "xoff of the table's row", (term("xoff", found.xoff, why, where, Evidence.READ),), "table")


def own_rows(platform: Platform | None) -> tuple[HeadroomRow, ...]:
    """The headroom table that the vendor ships for a switch model or hwsku; empty where none is known."""
    if platform is None or not platform.headroom_table:
        return ()
    return tuple(_row(r) for r in platform.asic.table(platform.headroom_table))


def _row(r: ShippedRow) -> HeadroomRow:
    return HeadroomRow(r.speed, r.cable_m, r.size, r.xon, r.xoff, int(r.threshold), r.xon_offset, FileLine(r.source, 0))


def all_presets(
    link: LinkInput,
    asic: Asic | None,
    *,
    rows: Sequence[HeadroomRow] = (),
    release: str | None = None,
    shared_pool: bool = False,
    small_packets: int | None = None,
) -> dict[str, Number | Unknown]:
    """The link under every preset. `small_packets`: percent for `nvidia`, where it differs from the link's."""
    if small_packets is not None:
        link = replace(link, small_packets=small_packets)
    return {p: by_preset(p, link, asic, rows=rows, release=release, shared_pool=shared_pool) for p in PRESETS}
