"""Two ports and a cable, frame by frame: an oracle for headroom that shares nothing with the formulas it judges.

Time is in whole picoseconds (a byte lasts 320 ps at 25G and 10 ps at 800G), memory in whole cells; nothing is rounded.
What happens, and the rule for each step:

1. The peer sends frames back to back. A frame of s bytes (FCS included) holds the line for 8 + s + 12 byte times: preamble,
   frame, gap. Only the s bytes are stored, in ceil(s / cell) cells of their own.
2. A byte reaches our pins after the cable and any box on it, and is counted `mac_phy` byte times after that. A cell is
   taken when the first byte of its part of the frame is counted (`whole`: all its cells when its last byte is).
3. A group pauses when it holds more than `xoff` cells: the cell that crosses is the first one of headroom. It never drains
   here: the queue that it feeds is blocked for good.
4. Our transmitter has begun a frame of another class `own_age` before that instant, and PFC does not interrupt it. The
   pause frame follows: 8 + 64 byte times until its last bit, then cable and boxes back.
5. From then on the peer may begin frames of the class for `response` more, up to and including the last picosecond of it;
   a frame that has begun is finished.
6. A cell that is not there when it is needed loses its frame.

Ports are independent but for the headroom, which they may share (`Pool`).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import count
from typing import Protocol

PREAMBLE, GAP, SMALLEST = 8, 12, 64
LINE_BITS_PER_PS = 8_000_000  # picoseconds a byte lasts at 1 Mb/s

#: IEEE 802.3 31B.3.7: pause quanta (512 bit times) that a receiver may take, by Mb/s. 800G: what NVIDIA's SN6600 table needs.
IEEE_QUANTA = {25_000: 80, 50_000: 147, 100_000: 394, 200_000: 453, 400_000: 905, 800_000: 1810}


@dataclass(frozen=True, slots=True)
class Wire:
    """A link: Mb/s, metres, nanoseconds that a gearbox or retimer adds each way."""

    speed: int
    cable_m: int
    box_ns: int = 0

    @property
    def byte(self) -> int:
        """Picoseconds a byte lasts."""
        whole, rest = divmod(LINE_BITS_PER_PS, self.speed)
        assert rest == 0, f"{self.speed} Mb/s has no whole byte time in ps"
        return whole

    @property
    def one_way(self) -> int:
        """Picoseconds from pins to pins: 5 ns per metre of fibre and the boxes."""
        return self.cable_m * 5_000 + self.box_ns * 1_000

    def ieee_response(self) -> int:
        """Picoseconds of the standard's pause response."""
        return IEEE_QUANTA[self.speed] * 64 * self.byte


@dataclass(frozen=True, slots=True)
class Frame:
    """Bytes with FCS, without preamble and gap. A frame of another class holds the line and takes no cell of the group."""

    size: int
    lossless: bool = True


def on_line(size: int) -> int:
    """Byte times a frame holds the line."""
    return PREAMBLE + size + GAP


def cells_of(size: int, cell: int) -> int:
    """Cells a frame is stored in."""
    return -(-size // cell)


class Peer(Protocol):
    """Chooses what the other end sends next. `stop`: last instant at which a frame may begin; None until pause is heard."""

    def next(self, now: int, stop: int | None) -> Frame: ...


@dataclass(slots=True)
class Pool:
    """Headroom cells, of one group or of several together."""

    cells: float = float("inf")
    taken: int = 0


@dataclass(slots=True)
class Port:
    """One receiving group, its cable and its peer. Cells, picoseconds, bytes; see the module's text for each."""

    wire: Wire
    peer: Peer
    cell: int
    xoff: int
    response: int
    own_frame: int | None
    mac_phy: int = 0
    own_age: int = 0
    whole: bool = False
    headroom: Pool = field(default_factory=Pool)
    begins: int = 0
    # what is observed
    held: int = 0
    over: int = 0
    lost: int = 0
    sent: int = 0
    crossed: int | None = None
    heard: int | None = None
    stop: int | None = None
    last_began: int | None = None
    last_counted: int | None = None


@dataclass(slots=True)
class _Arriving:
    port: Port
    size: int
    stored: int = 0
    over: int = 0


def run(*ports: Port, until_loss: bool = False) -> None:
    """Plays until no peer may send, or the first frame is lost. What was observed is in the ports."""
    order = count()
    events: list[tuple[int, int, str, Port | _Arriving]] = [(p.begins, next(order), "line is free", p) for p in ports]
    heapq.heapify(events)
    while events:
        now, _, what, who = heapq.heappop(events)
        if isinstance(who, _Arriving):
            before = who.port.crossed
            more = _cell(now, who)
            if until_loss and who.port.lost:
                return
            if before is None and who.port.crossed is not None:
                heapq.heappush(events, (_pause_heard(who.port), next(order), "pause heard", who.port))
            if more:
                step = 0 if who.port.whole else who.port.cell * who.port.wire.byte
                heapq.heappush(events, (now + step, next(order), "cell", who))
        elif what == "pause heard":
            who.heard = now
            who.stop = now + who.response
        elif who.stop is None or now <= who.stop:
            frame = who.peer.next(now, who.stop)
            byte = who.wire.byte
            heapq.heappush(events, (now + on_line(frame.size) * byte, next(order), "line is free", who))
            if frame.lossless:
                who.sent, who.last_began = who.sent + 1, now
                ahead = PREAMBLE + who.mac_phy + (frame.size if who.whole else 0)
                first = now + ahead * byte + who.wire.one_way
                heapq.heappush(events, (first, next(order), "cell", _Arriving(who, frame.size)))


def _pause_heard(p: Port) -> int:
    assert p.crossed is not None
    sent = p.crossed
    if p.own_frame is not None:
        sent = max(sent, p.crossed - p.own_age + on_line(p.own_frame) * p.wire.byte)
    return sent + (PREAMBLE + SMALLEST) * p.wire.byte + p.wire.one_way


def _cell(now: int, frame: _Arriving) -> bool:
    """Takes one cell for a frame; whether it will need another."""
    p = frame.port
    if p.held >= p.xoff:
        if p.crossed is None:
            p.crossed = now
        if p.headroom.taken >= p.headroom.cells:
            p.lost += 1
            p.held -= frame.stored
            p.over -= frame.over
            p.headroom.taken -= frame.over
            return False
        p.headroom.taken += 1
        p.over += 1
        frame.over += 1
    p.held += 1
    frame.stored += 1
    p.last_counted = now
    return frame.stored < cells_of(frame.size, p.cell)
