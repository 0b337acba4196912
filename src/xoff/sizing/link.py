"""What the headroom of one link and priority depends on: one input for every preset, and for what each formula holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from xoff.errors import UsageError
from xoff.model.record import dataclass
from xoff.model.switch import Architecture
from xoff.platforms.facts import Asic
from xoff.sizing.number import check

L2_HEADER = 22  # Ethernet 14, VLAN tag 4, FCS 4
ROCE_HEADERS = 102  # L2 22, IPv6 40, UDP 8, BTH 12, RETH 16, ICRC 4
JUMBO = 9216
BY_HAND = "given by hand"
ROCE_MTU = 4096
#: Delays of boxes outside MAC and PHY and of a peer's answer, in nanoseconds: a millisecond is longer than any that is sold.
MAX_DELAY_NS = 1_000_000
MAX_LANES = 16

F = TypeVar("F", bound=Callable[..., Any])
_HOLDS: dict[Any, frozenset[Architecture]] = {}
EVERY = frozenset(Architecture)


def holds_for(*architectures: Architecture) -> Callable[[F], F]:
    """Declare the memory architectures for which a formula holds; `architectures_of` reads it."""

    def declare(function: F) -> F:
        _HOLDS[function] = frozenset(architectures)
        return function

    return declare


def architectures_of(function: Callable[..., Any]) -> frozenset[Architecture]:
    """Where a sizing function holds; KeyError for one that does not declare it."""
    return _HOLDS[function]


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
    4096). `delay_ns`: gearbox, retimer or MACsec outside the MAC and PHY, one way. `response_ns`: the peer's, given by hand.
    `small_packets`: percent of 64 B packets that `nvidia` assumes. `lanes`: SerDes lanes of the port, where known.
    `port_mtu`: the port's MTU as the NOS says it, which `nvidia` takes instead of the frame. `peer`: the peer's chip, where
    it is known. `delay_source`: where the delay was read.
    """

    speed: int
    cable_m: int
    max_frame: int = JUMBO
    lossless_frame: int = ROCE_MTU + ROCE_HEADERS
    delay_ns: int = 0
    response_ns: int | None = None
    small_packets: int = 100
    lanes: int | None = None
    port_mtu: int | None = None
    peer: Asic | None = None
    delay_source: str = BY_HAND

    def check(self) -> None:
        """Raises UsageError, naming the valid range, for values that cannot be."""
        check(self.speed, self.cable_m, self.max_frame, self.lossless_frame)
        if self.port_mtu is not None:
            check(self.speed, self.cable_m, self.port_mtu)
        _within("delay", self.delay_ns, 0, MAX_DELAY_NS, "ns")
        _within("response time", self.response_ns, 1, MAX_DELAY_NS, "ns")
        _within("share of small packets", self.small_packets, 0, 100, "%")
        _within("lanes", self.lanes, 1, MAX_LANES, "")

    def all_lossless(self, at_least: int = 0) -> LinkInput:
        """The link as `strict` takes it: any frame of the port may be a lossless one. `at_least`: bytes for both frames."""
        frame = max(self.max_frame, self.lossless_frame, at_least)
        return replace(self, max_frame=frame, lossless_frame=frame)


def _within(what: str, value: int | None, low: int, high: int, unit: str) -> None:
    if value is not None and not (type(value) is int and low <= value <= high):
        unit = f" {unit}" if unit else ""
        raise UsageError(f"{what} {value}{unit} is out of range: {low} to {high}{unit}")
