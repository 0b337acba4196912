"""Headroom of one (link, priority): what still arrives after XOFF is decided. Presets `floor` and `strict`; `nvidia` beside.

`floor` is what nobody disputes and the only one that may call a configured value an error. `strict` assumes the worst
packet size and is what we render. Both count one pause at a time and a peer that answers within the named response time.
"""

from __future__ import annotations

from fractions import Fraction

from xoff.model.origin import Evidence, Term
from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import Architecture
from xoff.platforms.facts import Asic
from xoff.sizing.link import BY_HAND, EVERY, JUMBO, LinkInput, frame_of_mtu, frame_of_roce, holds_for
from xoff.sizing.number import IEEE, QBB, TABLES, Number, ceil, number, term, total, up_to

__all__ = ["JUMBO", "LinkInput", "cell_factor", "floor_headroom", "frame_of_mtu", "frame_of_roce", "strict_headroom"]

#: Pause quanta (512 bit times) a receiver may take, by speed in Mb/s. 800G: what NVIDIA's SN6600 table needs (Lua has 905).
QUANTA = {
    100: 1,
    1_000: 2,
    10_000: 67,
    25_000: 80,
    40_000: 118,
    50_000: 147,
    100_000: 394,
    200_000: 453,
    400_000: 905,
    800_000: 1810,
}
OWN_FRAME = "Linux ixgbe IXGBE_DV (802.1bb Annex O): max_frame_link; Cisco D-MaxFrame"
LAST_FRAME = "Linux ixgbe IXGBE_DV (802.1bb Annex O): max_frame_tc; Cisco D-MaxNoDropFrame"
GAP = 20  # preamble and inter-frame gap
PAUSE = 64 + GAP
MAC_PHY = 819  # NVIDIA mac_phy_delay 0.8 KiB, rounded down as the published fits do
FLOOR_RESPONSE_NS = 1_100
STRICT_RESPONSE_NS = 2_200
NS_PER_M = 5


def line_bytes(ns: int, speed: int) -> Fraction:
    """Bytes that arrive in `ns` at `speed` Mb/s."""
    return Fraction(ns * speed, 8000)


def cable_term(link: LinkInput) -> Term:
    both = 2 * NS_PER_M * link.cable_m
    return term(
        "cable, both ways",
        line_bytes(both, link.speed),
        f"{link.cable_m} m x {NS_PER_M} ns/m x 2 = {both} ns at {link.speed / 1000:g}G",
        "Cisco: 5000 bit times per 100 m at 10G; Linux ixgbe optical",
    )


def delay_terms(link: LinkInput) -> tuple[Term, ...]:
    if not link.delay_ns:
        return ()
    both = 2 * link.delay_ns
    return (
        term(
            "gearbox / retimer / MACsec, both ways",
            line_bytes(both, link.speed),
            f"{link.delay_ns} ns each way",
            link.delay_source,
        ),
    )


@holds_for(*EVERY)
def floor_headroom(link: LinkInput, asic: Asic | None = None) -> Number:
    """The least that can be lossless on this link, in wire bytes, cell factor 1. Holds for every architecture.

    Own largest frame + pause frame + one lossless frame + response + cable both ways.
    Raises UsageError for impossible inputs.
    """
    link.check()
    terms = (
        term("own frame in the way", link.max_frame + GAP, "PFC cannot interrupt a frame being sent", OWN_FRAME),
        term("pause frame", PAUSE, "64 B + preamble and gap", QBB),
        term("last lossless frame", link.lossless_frame, "the peer finishes the frame it has begun", LAST_FRAME),
        _floor_response(link, asic),
        cable_term(link),
        *delay_terms(link),
    )
    return number(ceil(total(terms)), "frame + pause + lossless frame + response + 2 x cable", terms, "floor")


#: (nanoseconds, why, source, evidence) of one candidate for the time in which the peer stops.
Response = tuple[int, str, str, Evidence]


def _floor_response(link: LinkInput, asic: Asic | None) -> Term:
    """By hand, else what was read of the peer's chip, else of the own, else the IEEE time that is least disputed."""
    ns, why, source, evidence = (
        _by_hand(link)
        or _of_chip(link.peer, "peer's", read_only=True)
        or _of_chip(asic, "own", read_only=True)
        or (FLOOR_RESPONSE_NS, "no response time was read: below the IEEE quanta at 200 and 400G", IEEE, Evidence.READ)
    )
    return term("response", line_bytes(ns, link.speed), f"{ns} ns at {link.speed / 1000:g}G: {why}", source, evidence)


def _strict_response(link: LinkInput, asic: Asic) -> Term:
    """The largest of the IEEE quanta, the chip's own table (it assumes a peer of its kind) and the peer's chip.

    A time given by hand replaces the tables, never the quanta.
    """
    hand = _by_hand(link)
    choices: list[Response] = [hand] if hand else [GENERIC]
    if hand is None:
        choices += [c for c in (_of_chip(asic, "own"), _of_chip(link.peer, "peer's")) if c is not None]
    ns, why, source, evidence = max(choices, key=lambda c: c[0])
    quanta = QUANTA.get(link.speed)
    # quanta are exact in bytes (64 each); through whole nanoseconds they would gain up to one byte per 8 ns
    if quanta is not None and quanta * 64 > line_bytes(ns, link.speed):
        ns, why, source, evidence = (
            ceil(Fraction(quanta * 512 * 1000, link.speed)),
            f"{quanta} pause quanta",
            IEEE,
            Evidence.READ,
        )
        return term("response", quanta * 64, f"{ns} ns at {link.speed / 1000:g}G: {why}", source, evidence)
    others = "" if hand or len(choices) == 1 else f"; the largest of {', '.join(f'{c[0]:,}' for c in choices)}"
    why = f"{ns} ns at {link.speed / 1000:g}G: {why}{others}"
    return term("response", line_bytes(ns, link.speed), why, source, evidence)


GENERIC: Response = (STRICT_RESPONSE_NS, "five Broadcom and Marvell tables give 1.9 to 2.3 us", TABLES, Evidence.COMPUTED)


def _by_hand(link: LinkInput) -> Response | None:
    return None if link.response_ns is None else (link.response_ns, "the peer's response time", BY_HAND, Evidence.READ)


def _of_chip(asic: Asic | None, whose: str, read_only: bool = False) -> Response | None:
    if asic is None or isinstance(asic.response_ns.value, Unknown):
        return None
    fact = asic.response_ns
    if read_only and fact.evidence is not Evidence.READ:
        return None
    return fact.value, f"the {whose} chip, {asic.title}", fact.source, fact.evidence  # type: ignore[return-value]


def cell_factor(asic: Asic) -> tuple[Fraction, Term] | Unknown:
    """Buffer bytes per wire byte in the worst packet size: the chip's proven factor, else the larger of two bad packet sizes.

    Unknown for a VOQ chip without a proven factor: its cell is an accounting unit.
    """
    if not isinstance(asic.cell_factor.value, Unknown):
        cf = asic.cell_factor.value
        return cf, term(
            "cell factor", cf, "slope of the shipped table", asic.cell_factor.source, asic.cell_factor.evidence, "x"
        )
    cell = asic.cell.value
    if isinstance(cell, Unknown):
        return cell
    if asic.architecture.value is Architecture.VOQ:
        return Unknown(f"{asic.title} is a VOQ chip: its cell of {cell} B is an accounting unit, not a buffer cell", Fact.ASIC)
    small, over = Fraction(cell, 64 + GAP), Fraction(2 * cell, cell + 1 + GAP)
    cf = max(small, over)
    why = f"64 B packets: {cell}/84" if small >= over else f"{cell + 1} B packets take two cells: {2 * cell}/{cell + 21}"
    return cf, term("cell factor", cf, why, asic.cell.source, asic.cell.evidence, "x")


def _tile_terms(link: LinkInput, asic: Asic) -> tuple[Term, ...]:
    """More bytes that the buffer has not counted: those on the way across the chip, where its source states the time."""
    fact = asic.tile_ns
    if isinstance(fact.value, Unknown) or not fact.value:
        return ()
    why = f"{fact.value} ns across the chip at {link.speed / 1000:g}G"
    return (term("tile", line_bytes(fact.value, link.speed), why, fact.source, fact.evidence),)


@holds_for(*EVERY)
def strict_headroom(link: LinkInput, asic: Asic) -> Number | Unknown:
    """Generic worst case: small packets of the worst size fill the cells. Rounded up to the chip's cell.

    Shared and split memories; for VOQ chips only where a shipped table proves the factor. Where only the factor is known and
    not the cell, up to whole bytes.
    Raises UsageError for impossible inputs.
    """
    link.check()
    factor = cell_factor(asic)
    if isinstance(factor, Unknown):
        return factor
    cf, cf_term = factor
    terms = (
        term("own frame in the way", link.max_frame + GAP, "PFC cannot interrupt a frame being sent", OWN_FRAME),
        term("pause frame", PAUSE, "64 B + preamble and gap", QBB),
        term(
            "MAC and PHY",
            MAC_PHY,
            "bytes not yet counted by the buffer",
            "sonic-buildimage@086b03b platform/mellanox/asic_table.j2",
        ),
        *_tile_terms(link, asic),
        term("last lossless frame", link.lossless_frame, "the peer finishes the frame it has begun", LAST_FRAME),
        _strict_response(link, asic),
        cable_term(link),
        *delay_terms(link),
    )
    wire = total(terms)
    cell, rounding = asic.cell.value, "whole cells of {} B"
    source, evidence = asic.cell.source, asic.cell.evidence
    if isinstance(cell, Unknown):  # the factor is proven without it, as for Teralynx: less than a cell is open
        cell, rounding = 1, "whole bytes: the cell is not sourced"
        source, evidence = asic.cell_factor.source, asic.cell_factor.evidence
    out = up_to(cf * wire, cell)
    rounded = term("cells", out - cf * wire, f"rounded up to {rounding.format(cell)}", source, evidence)
    return number(
        out,
        "cell factor x (frame + pause + MAC/PHY + lossless frame + response + 2 x cable), up to cells",
        (*terms, cf_term, rounded),
        "strict",
    )
