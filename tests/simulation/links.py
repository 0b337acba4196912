"""Links under test: what the simulation plays, and the same link as the formulas are asked for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from tests.simulation.model import Peer, Pool, Port, Wire, cells_of, run
from tests.simulation.peers import Adversary, Aimed, Steady, head
from xoff.model.origin import Evidence
from xoff.model.quantity import Unknown
from xoff.model.switch import Architecture
from xoff.platforms.facts import Asic, Sourced
from xoff.sizing.headroom import floor_headroom, strict_headroom
from xoff.sizing.link import LinkInput

NS = 1_000
#: What `strict` allows a peer whose response is not known, and `floor` (docs/simulation.md).
STRICT_PS, FLOOR_PS = 2_200 * NS, 1_100 * NS
MAC_PHY = 819


@dataclass(frozen=True, slots=True)
class Case:
    """Mb/s, metres, largest frame of any class, largest of the lossless class, cell; bytes. `box_ns` each way."""

    speed: int
    cable_m: int
    any_frame: int
    lossless: int
    cell: int
    box_ns: int = 0

    @property
    def wire(self) -> Wire:
        return Wire(self.speed, self.cable_m, self.box_ns)

    @property
    def strict_response(self) -> int:
        """Picoseconds: the longer of 2.2 us and what the standard allows."""
        return max(STRICT_PS, self.wire.ieee_response())

    def link(self) -> LinkInput:
        return LinkInput(self.speed, self.cable_m, self.any_frame, self.lossless, self.box_ns)

    def strict(self) -> int:
        """The value under test, in cells."""
        got = strict_headroom(self.link(), chip(self.cell))
        assert not isinstance(got, Unknown), got
        assert got.value % self.cell == 0
        return got.value // self.cell

    def floor(self) -> int:
        """The value under test, in bytes."""
        return floor_headroom(self.link()).value

    def port(self, response: int, mac_phy: int = MAC_PHY, peer: Peer | None = None, headroom: int | None = None) -> Port:
        """The receiving port, its buffer empty but for the adversary's first cells. `headroom` in cells; None: endless."""
        peer = peer or Adversary(self.cell, self.lossless, self.wire.byte)
        xoff = cells_of(head(self.cell, self.lossless), self.cell) - 1
        pool = Pool() if headroom is None else Pool(headroom)
        return Port(self.wire, peer, self.cell, xoff, response, self.any_frame, mac_phy, headroom=pool)

    def need(self, response: int, mac_phy: int = MAC_PHY) -> int:
        """Cells of headroom that the adversary takes when there are enough."""
        return _need(self, response, mac_phy)

    def in_strict(self) -> tuple[int, int]:
        """(cells taken, frames lost) of the adversary in the headroom that `strict` computes."""
        return _in_strict(self)

    def need_full_size(self, response: int, mac_phy: int = 0) -> int:
        """The same of a peer that sends full-size frames and aims the last: it begins as late as it may."""
        first = self.port(response, mac_phy, Steady(self.lossless))
        first.xoff = 0
        run(first)
        assert first.stop is not None  # of the first frame's first byte: the same whatever follows
        port = self.port(response, mac_phy, Aimed(self.lossless, self.wire.byte, first.stop))
        port.xoff = 0
        run(port)
        assert port.stop == first.stop
        return port.over

    def loses(self, headroom: int, response: int, mac_phy: int = MAC_PHY, peer: Peer | None = None) -> bool:
        """Whether a frame is lost with so many cells of headroom."""
        port = self.port(response, mac_phy, peer, headroom)
        run(port, until_loss=True)
        return port.lost > 0

    def but(self, **changes: int) -> Case:
        return replace(self, **changes)


@lru_cache(maxsize=1024)
def _need(case: Case, response: int, mac_phy: int) -> int:
    port = case.port(response, mac_phy)
    run(port)
    assert port.lost == 0
    return port.over


@lru_cache(maxsize=1024)
def _in_strict(case: Case) -> tuple[int, int]:
    port = case.port(case.strict_response, headroom=case.strict())
    run(port)
    return port.over, port.lost


def chip(cell: int) -> Asic:
    """A shared memory of which only the cell is known."""
    by_hand = "by hand"
    return Asic(
        "hand",
        "a chip by hand",
        "none",
        "none",
        architecture=Sourced(Architecture.SHARED, by_hand, Evidence.READ),
        cell=Sourced(cell, by_hand, Evidence.READ),
    )


#: (m, largest frame of any class, of the lossless class, cell) by speed: every cable, MTU and cell of the issue's spread.
_SPREAD = {
    25_000: [
        (1, 1522, 1522, 96),
        (5, 9216, 1126, 208),
        (300, 9238, 4198, 144),
        (40_000, 9216, 4198, 208),
    ],
    50_000: [(3, 9216, 4198, 144), (40, 1522, 1126, 256), (100, 9216, 9216, 96), (2_000, 9238, 2150, 318)],
    100_000: [
        (1, 9216, 4198, 96),
        (3, 9216, 9216, 208),
        (40, 9216, 4198, 254),
        (300, 9238, 9238, 318),
        (2_000, 4222, 4198, 192),
        (10_000, 9216, 4198, 254),
    ],
    200_000: [(5, 9216, 1126, 144), (40, 9216, 9216, 192), (300, 1522, 1522, 254), (2_000, 9216, 4198, 420)],
    400_000: [
        (1, 9216, 4198, 144),
        (5, 9216, 9216, 254),
        (40, 9238, 4198, 192),
        (40, 9216, 9216, 254),
        (300, 9216, 4198, 318),
        (2_000, 9216, 9216, 96),
    ],
    800_000: [
        (1, 9216, 9216, 420),
        (3, 9216, 4198, 256),
        (40, 9216, 9216, 254),
        (100, 1522, 1126, 192),
        (300, 9600, 9600, 318),
        (2_000, 9216, 4198, 254),
    ],
}
CASES = [Case(speed, *rest) for speed, rows in _SPREAD.items() for rest in rows]


def name(case: Case) -> str:
    return f"{case.speed // 1000}G-{case.cable_m}m-{case.any_frame}-{case.lossless}-cell{case.cell}"
