"""Headroom by the delay budget of IEEE 802.1Qbb, as far as its components are published; and the Linux drivers' versions of it.

The budget adds what each part of the link may take at most: MAC and PHY (the interface), the cable, the answer to a pause
frame, and the frames in the way. It counts bytes on the wire: how a buffer's cells are filled is no part of it.
"""

from __future__ import annotations

from fractions import Fraction

from xoff.errors import UsageError
from xoff.model.origin import Evidence
from xoff.model.quantity import Fact, Unknown
from xoff.platforms.facts import Asic
from xoff.sizing.headroom import GAP, LAST_FRAME, OWN_FRAME, PAUSE, QUANTA, cable_term, delay_terms
from xoff.sizing.link import EVERY, LinkInput, holds_for
from xoff.sizing.number import IEEE, QBB, Number, ceil, check, number, term, total

CISCO = "Cisco Press, PFC chapter (D-Intf, D-Resp), as summarised at besthub.dev how-to-compute-headroom part 2"
#: D-Intf, the longest that MAC and PHY may take, in bit times by speed in Mb/s.
INTERFACE_BITS = {10_000: 8_192, 25_000: 6_144, 40_000: 24_576, 100_000: 122_880}
#: Pause quanta of 10GBASE-R; SONiC's scripts take 67.
QUANTA_10G = 60


def pause_quanta(speed: int) -> tuple[int, str, Evidence] | None:
    """Pause quanta (512 bit times) that the standard grants the peer at a speed in Mb/s, with source; None where none was read.

    800G is None: the value of 802.3df was not seen, and the two in use (905, 1810) contradict each other.
    """
    if speed == 10_000:
        return QUANTA_10G, CISCO, Evidence.SECONDARY
    quanta = None if speed >= 800_000 else QUANTA.get(speed)
    return None if quanta is None else (quanta, IEEE, Evidence.READ)


@holds_for(*EVERY)
def ieee_headroom(link: LinkInput, asic: Asic | None = None) -> Number | Unknown:
    """Own frame + pause frame + interface + 2 x cable + response + one lossless frame, by the standard's components.

    Bytes on the wire. A peer is taken to answer within the standard's time; its chip does not enter. Unknown for speeds of
    which a component has no source: interface delays were read for 10, 25, 40 and 100G only. Raises UsageError for impossible
    inputs.
    """
    link.check()
    quanta, interface = pause_quanta(link.speed), INTERFACE_BITS.get(link.speed)
    if quanta is None or interface is None:
        missing = " and ".join(
            what for what, value in (("pause quanta", quanta), ("interface delay", interface)) if value is None
        )
        known = ", ".join(f"{s // 1000}" for s in INTERFACE_BITS)
        return Unknown(
            f"no source gives the IEEE {missing} at {link.speed / 1000:g}G; the whole budget is known at {known}G", Fact.SPEED
        )
    n, source, evidence = quanta
    terms = (
        term("own frame in the way", link.max_frame + GAP, "PFC cannot interrupt a frame being sent", OWN_FRAME),
        term("pause frame", PAUSE, "64 B + preamble and gap", QBB),
        term("interface", Fraction(interface, 8), f"{interface:,} bit times for MAC and PHY", CISCO, Evidence.SECONDARY),
        cable_term(link),
        term("response", n * 64, f"{n} pause quanta", source, evidence),
        term("last lossless frame", link.lossless_frame + GAP, "the peer finishes the frame it has begun", LAST_FRAME),
        *delay_terms(link),
    )
    return number(ceil(total(terms)), "frame + pause + interface + 2 x cable + response + lossless frame", terms, "ieee")


#: Interface delays of Linux's drivers for Intel NICs at 10G, bit times: MAC, XAUI and PHY.
IXGBE_INTERFACE = 4_096 + 2 * 1_024 + 12_800
X540_INTERFACE = 8_192 + 2 * 2_048 + 25_600
COPPER_100M, HIGHER_LAYERS = 5_556, 6_144


def linux_delay_value(max_frame: int, lossless_frame: int, interface_bits: int = IXGBE_INTERFACE) -> int:
    """The delay value that Linux's ixgbe driver programs for 100 m of copper at 10G, in bit times; whole numbers as there.

    36/25 is the driver's allowance for its buffer's cells, 6,144 bit times its higher layers. `interface_bits`: 18,944 (82599)
    or 37,888 (X540, 10GBASE-T). Frames in bytes; raises UsageError for impossible ones.
    Source: torvalds/linux drivers/net/ethernet/intel/ixgbe/ixgbe_type.h IXGBE_DV (802.1bb Annex O).
    """
    check(10_000, 100, max_frame, lossless_frame)
    one_way = 8 * max_frame + 8 * PAUSE + 2 * COPPER_100M + 2 * interface_bits + HIGHER_LAYERS
    return 36 * one_way // 25 + 1 + 2 * 8 * lossless_frame


def connectx_xoff(speed: int, cable_m: int, mtu: int) -> int:
    """Bytes that a ConnectX NIC keeps free above XOFF for one priority, as Linux's mlx5 driver computes it; MTU in bytes.

    (301 + 2.16 x metres) x Gb/s + 2.72 x MTU in whole numbers; the driver takes no speed below 40G, and 7 m if not told.
    Raises UsageError for impossible inputs.
    Source: torvalds/linux drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c calculate_xoff.
    """
    check(speed, cable_m, mtu)
    if speed < 40_000:
        raise UsageError(f"speed {speed} Mb/s is out of range: the driver's formula begins at 40000 Mb/s")
    return (301 + 216 * cable_m // 100) * speed // 1000 + 272 * mtu // 100
