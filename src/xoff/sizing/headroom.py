"""Headroom of one (link, priority): what still arrives after XOFF is decided. Presets `floor` and `strict`; `nvidia` beside.

`floor` is what nobody disputes and the only one that may call a configured value an error. `strict` assumes the worst
packet size and is what we render. Both count one pause at a time and a peer that answers within the named response time.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from xoff.model.origin import Evidence, Term
from xoff.model.quantity import Fact, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Architecture
from xoff.platforms.facts import Asic
from xoff.sizing.number import IEEE, QBB, TABLES, Number, ceil, check, number, term

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
L2_HEADER = 22  # Ethernet 14, VLAN tag 4, FCS 4
ROCE_HEADERS = 102  # L2 22, IPv6 40, UDP 8, BTH 12, RETH 16, ICRC 4
NS_PER_M = 5
JUMBO = 9216


def frame_of_mtu(mtu: int) -> int:
    """Largest frame (bytes, FCS included) on a port whose `mtu` is the NOS's own, i.e. the IP packet."""
    return mtu + L2_HEADER


def frame_of_roce(roce_mtu: int) -> int:
    """Largest RoCEv2 frame for an RDMA MTU (256-4096 bytes of payload), tagged and over IPv6."""
    return roce_mtu + ROCE_HEADERS


@dataclass(frozen=True, slots=True)
class LinkInput:
    """What headroom depends on. Mb/s, metres, bytes (whole frames), nanoseconds.

    `max_frame`: the port's largest of any class; `lossless_frame`: of the lossless class (by default RoCE with an RDMA MTU of
    4096). `delay_ns`: gearbox, retimer or MACsec outside the MAC and PHY, one way. `response_ns`: the peer's, where known.
    `small_packets`: percent of 64 B packets that `nvidia` assumes. `lanes`: SerDes lanes of the port, where known.
    """

    speed: int
    cable_m: int
    max_frame: int = JUMBO
    lossless_frame: int = 4096 + ROCE_HEADERS
    delay_ns: int = 0
    response_ns: int | None = None
    small_packets: int = 100
    lanes: int | None = None

    def check(self) -> None:
        """Raises UsageError for values that cannot be."""
        check(self.speed, self.cable_m, self.max_frame, self.lossless_frame)

    def all_lossless(self, at_least: int = 0) -> LinkInput:
        """The link as `strict` takes it: any frame of the port may be a lossless one. `at_least`: bytes for both frames."""
        frame = max(self.max_frame, self.lossless_frame, at_least)
        return replace(self, max_frame=frame, lossless_frame=frame)


def _line(ns: int, speed: int) -> Fraction:
    """Bytes that arrive in `ns` at `speed` Mb/s."""
    return Fraction(ns * speed, 8000)


def _cable(link: LinkInput) -> Term:
    both = 2 * NS_PER_M * link.cable_m
    return term(
        "cable, both ways",
        _line(both, link.speed),
        f"{link.cable_m} m x {NS_PER_M} ns/m x 2 = {both} ns at {link.speed / 1000:g}G",
        "Cisco: 5000 bit times per 100 m at 10G; Linux ixgbe optical",
    )


def _delay(link: LinkInput) -> tuple[Term, ...]:
    if not link.delay_ns:
        return ()
    both = 2 * link.delay_ns
    return (
        term("gearbox / retimer / MACsec, both ways", _line(both, link.speed), f"{link.delay_ns} ns each way", "given by hand"),
    )


def _sum(terms: tuple[Term, ...]) -> Fraction:
    return sum((Fraction(t.value) for t in terms), Fraction(0))


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
        _cable(link),
        *_delay(link),
    )
    return number(ceil(_sum(terms)), "frame + pause + lossless frame + response + 2 x cable", terms, "floor")


def _floor_response(link: LinkInput, asic: Asic | None) -> Term:
    ns, why, source, evidence = FLOOR_RESPONSE_NS, "no sourced response time: IEEE quanta at 200/400G", IEEE, Evidence.READ
    if link.response_ns is not None:
        ns, why, source = link.response_ns, "the peer's response time", "given by hand"
    elif asic is not None and asic.response_ns.evidence is Evidence.READ and not isinstance(asic.response_ns.value, Unknown):
        ns, why, source = asic.response_ns.value, "response time of the ASIC", asic.response_ns.source
    return term("response", _line(ns, link.speed), f"{ns} ns at {link.speed / 1000:g}G: {why}", source, evidence)


def _strict_response(link: LinkInput, asic: Asic) -> Term:
    choices = [(STRICT_RESPONSE_NS, "five Broadcom and Marvell tables give 1.9 to 2.3 us", TABLES, Evidence.COMPUTED)]
    quanta = QUANTA.get(link.speed)
    if quanta is not None:
        choices.append((ceil(Fraction(quanta * 512 * 1000, link.speed)), f"{quanta} pause quanta", IEEE, Evidence.READ))
    own = asic.response_ns
    if link.response_ns is not None:
        choices.append((link.response_ns, "the peer's response time", "given by hand", Evidence.READ))
    elif not isinstance(own.value, Unknown):
        choices.append((own.value, "response time of the ASIC", own.source, own.evidence))
    ns, why, source, evidence = max(choices, key=lambda c: c[0])
    # quanta are exact in bytes (64 each); through whole nanoseconds they would gain up to one byte per 8 ns
    exact = Fraction(quanta * 64) if quanta is not None and why.endswith("pause quanta") else _line(ns, link.speed)
    return term("response", exact, f"{ns} ns at {link.speed / 1000:g}G: {why}", source, evidence)


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


def strict_headroom(link: LinkInput, asic: Asic) -> Number | Unknown:
    """Generic worst case: small packets of the worst size fill the cells. Rounded up to the chip's cell.

    Shared and split memories; for VOQ chips only where a shipped table proves the factor.
    Raises UsageError for impossible inputs.
    """
    link.check()
    factor = cell_factor(asic)
    if isinstance(factor, Unknown):
        return factor
    cf, cf_term = factor
    cell = asic.cell.value
    if isinstance(cell, Unknown):
        return cell
    terms = (
        term("own frame in the way", link.max_frame + GAP, "PFC cannot interrupt a frame being sent", OWN_FRAME),
        term("pause frame", PAUSE, "64 B + preamble and gap", QBB),
        term(
            "MAC and PHY",
            MAC_PHY,
            "bytes not yet counted by the buffer",
            "sonic-buildimage@086b03b platform/mellanox/asic_table.j2",
        ),
        term("last lossless frame", link.lossless_frame, "the peer finishes the frame it has begun", LAST_FRAME),
        _strict_response(link, asic),
        _cable(link),
        *_delay(link),
    )
    wire = _sum(terms)
    out = ceil(cf * wire / cell) * cell
    rounding = term("cells", f"{cell}", f"rounded up to whole cells of {cell} B", asic.cell.source, asic.cell.evidence)
    return number(
        out,
        "cell factor x (frame + pause + MAC/PHY + lossless frame + response + 2 x cable), up to cells",
        (*terms, cf_term, rounding),
        "strict",
    )
