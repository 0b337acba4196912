"""The headroom of each port: the preset, the device's own shipped row if that is larger, or what the intent fixes."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from xoff import platforms
from xoff.derive.notes import PortNumbers
from xoff.derive.setting import Setting, by_hand
from xoff.errors import CannotExpress
from xoff.fabric.planned import AsicFacts, PlannedPort
from xoff.model.origin import Derived, Evidence
from xoff.model.quantity import Unknown
from xoff.platforms import Asic, Platform, ShippedRow
from xoff.sizing import presets as sizing
from xoff.sizing.limits import shipped_for
from xoff.sizing.link import LinkInput, frame_of_mtu, frame_of_roce
from xoff.sizing.number import Number, number, term, up_to
from xoff.sizing.presets import PRESETS, own_rows


def link_of(s: Setting, port: PlannedPort) -> LinkInput:
    """What the headroom of this port depends on; the peer's chip where the plan has the switch at the other end."""
    gearbox = s.asic.gearbox_ns.get(s.device.model.casefold())
    return _link(
        port.speed,
        port.cable_m,
        port.mtu,
        s.device.roce_mtu,
        gearbox.value if gearbox is not None and isinstance(gearbox.value, int) else 0,
        gearbox.source if gearbox is not None else "",
        port.lanes,
        s.device.preset,
        peer_chip(s, port),
    )


@lru_cache(maxsize=4096)
def _link(
    speed: int,
    cable_m: int,
    mtu: int,
    roce_mtu: int,
    gearbox: int,
    gearbox_source: str,
    lanes: int | None,
    preset: str,
    peer: Asic | None,
) -> LinkInput:
    return LinkInput(
        speed,
        cable_m,
        frame_of_mtu(mtu),
        frame_of_roce(roce_mtu),
        gearbox,
        small_packets=small_packets(preset),
        lanes=lanes,
        port_mtu=mtu,
        peer=peer,
        delay_source=gearbox_source,
    )


def small_packets(preset: str) -> int:
    """Percent of small packets that a preset assumes: all for `strict`, SONiC's default 50 else."""
    return 100 if preset == "strict" else 50


def peer_chip(s: Setting, port: PlannedPort) -> Asic | None:
    """The chip of the switch at the other end, with what the intent says of it by hand; None for hosts and unknown models."""
    far = None if port.peer is None else s.plan.devices.get(port.peer.device)
    return None if far is None else _chip(far.model, far.asic, far.asic_facts)


@lru_cache(maxsize=256)
def _chip(model: str, asic: str | None, facts: AsicFacts | None) -> Asic | None:
    found = platforms.find(asic or model)
    chip = None if found is None else found.asic
    return chip if facts is None else by_hand(chip, facts, model)


def by_preset(preset: str, link: LinkInput, s: Setting) -> Number | Unknown:
    """One preset's number for a link of this switch.

    Raises CannotExpress for a preset that does not exist.
    """
    if preset not in PRESETS:
        raise CannotExpress(f"headroom preset {preset!r} is not available here; choose one of {', '.join(PRESETS)}")
    release = s.device.release if s.nos.name == "sonic" else None
    if s.platform is not None and s.platform.asic is s.asic:
        return _cached(preset, link, s.platform, release)
    return sizing.by_preset(preset, link, s.asic, rows=own_rows(s.platform), release=release)


@lru_cache(maxsize=4096)
def _cached(preset: str, link: LinkInput, platform: Platform, release: str | None) -> Number | Unknown:
    return sizing.by_preset(preset, link, platform.asic, rows=own_rows(platform), release=release)


def all_numbers(s: Setting) -> dict[str, PortNumbers]:
    """The numbers of every port of the switch; ports whose headroom depends on the same things share one result."""
    made: dict[tuple[object, ...], PortNumbers] = {}
    out: dict[str, PortNumbers] = {}
    for p in s.device.ports.values():
        at = p.at if p.headroom is not None else None
        key = (p.speed, p.cable_m, p.mtu, p.lanes, p.headroom, bool(s.lossless(p)), at, peer_chip(s, p))
        if key not in made:
            made[key] = numbers_of(s, p, f"{s.device.name} {p.name}")
        out[p.name] = made[key]
    return out


def numbers_of(s: Setting, port: PlannedPort, where: str) -> PortNumbers:
    """The port's own headroom, with all that it was chosen from. Raises CannotExpress where no number can be found."""
    link = link_of(s, port)
    shipped = shipped_for(s.asic, port.speed, port.cable_m)
    own = s.platform.shipped_row(port.speed, port.cable_m) if s.platform else None
    base = own or base_row(s.platform, s.asic, port.speed, port.cable_m)
    if not s.lossless(port):
        return PortNumbers(link, None, own, base, shipped)
    return PortNumbers(link, _chosen(s, port, link, own, where), own, base, shipped)


def _chosen(s: Setting, port: PlannedPort, link: LinkInput, own: ShippedRow | None, where: str) -> Number:
    if port.headroom is not None:
        fixed = term("headroom", port.headroom, "fixed by the intent", "the intent")
        n = number(port.headroom, "as the intent says", (fixed,), "intent")
        return Number(n.value, replace(n.origin, intent_at=port.at))
    n = _preset(s, link, where)
    cell = s.asic.cell.value
    if isinstance(cell, int) and s.device.preset != "table":
        n = n.rounded(up_to(n.value, cell), f"up to whole cells of {cell} B")
    return n if own is None or own.xoff <= n.value else from_row(own, n)


def _preset(s: Setting, link: LinkInput, where: str) -> Number:
    preset = s.device.preset
    n = by_preset(preset, link, s)
    if isinstance(n, Unknown):
        raise CannotExpress(
            f"{where}: headroom preset {preset!r} gives no number: {n.reason}. Choose another preset "
            "(headroom: {preset: floor}), fix the port's headroom, or give the chip's facts by hand"
        )
    return n


def from_row(row: ShippedRow, less: Number) -> Number:
    """The shipped row's xoff, which is larger than the preset's number."""
    terms = (
        term("shipped xoff", row.xoff, f"table {row.table}, {row.speed / 1000:g}G, {row.cable_m} m", row.source),
        term("preset", less.value, f"{less.origin.preset} would give less", "computed", Evidence.COMPUTED),
    )
    return number(row.xoff, "larger of the preset and the device's own shipped row", terms, "table")


def base_row(platform: Platform | None, asic: Asic, speed: int, cable_m: int) -> ShippedRow | None:
    """The shipped row whose xon, offset, size and alpha the port takes: the device's own table before others of its chip.

    Same speed before others; then the longest cable that is not longer, else the shortest.
    """
    tables = [asic.table(platform.headroom_table)] if platform and platform.headroom_table else []
    for rows in (*tables, asic.shipped):
        same = [r for r in rows if r.speed == speed] or list(rows)
        if same:
            fits = [r for r in same if r.cable_m <= cable_m]
            return max(fits, key=lambda r: r.cable_m) if fits else min(same, key=lambda r: r.cable_m)
    return None


def widest(numbers: dict[str, Number], scope: str) -> Number:
    """The largest of the ports that share one value, and which port decided it."""
    name = max(numbers, key=lambda n: numbers[n].value)
    n = numbers[name]
    if len({x.value for x in numbers.values()}) == 1:
        return n
    o = n.origin
    why = f"one value for the {scope}: the largest need decides, that of {name} ({len(numbers)} ports share it)"
    decided = term("deciding port", name, why, "computed", Evidence.COMPUTED, "")
    return Number(n.value, Derived(f"max over the {scope}: {o.formula}", (*o.terms, decided), o.preset, o.sources, o.intent_at))
