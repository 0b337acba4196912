"""Pause, drain, resume, over and over: one group whose queue drains slower than its peer sends. Same units as `model`.

Rules beyond those of `model`: a frame leaves when it is whole and the one before it has left, at `drain` Mb/s, and frees its
cells then. The group pauses above `xoff` cells and resumes at or below max(xon, xoff - offset). Every pause and every resume
frame finds an own frame just begun in its way, and the peer takes its whole response to obey either.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass
from itertools import count

from tests.simulation.model import LINE_BITS_PER_PS, PREAMBLE, SMALLEST, Wire, cells_of, on_line

# at one instant: a frame that begins as the pause takes effect still begins
_FREE, _CELL, _LEFT, _OFF, _ON = range(5)


@dataclass(slots=True)
class Group:
    """Cells, bytes, Mb/s, ps. `headroom` None: endless. `blocked`: the queue does not drain before this time."""

    wire: Wire
    sizes: tuple[int, ...]
    cell: int
    xoff: int
    offset: int
    drain: int
    response: int
    own_frame: int
    xon: int = 0
    headroom: int | None = None
    blocked: int = 0
    # what is observed
    held: int = 0
    peak: int = 0
    lost: int = 0
    pauses: int = 0
    delivered: int = 0
    starved: int = 0

    @property
    def resume_at(self) -> int:
        """Cells at or below which the peer is let go."""
        return max(self.xon, self.xoff - self.offset)

    @property
    def control(self) -> int:
        """Picoseconds from a decision here until the peer has obeyed it."""
        return (on_line(self.own_frame) + PREAMBLE + SMALLEST) * self.wire.byte + self.wire.one_way + self.response

    @property
    def round_trip(self) -> int:
        """Picoseconds from a decision here until the first byte that it lets through can leave again, at the latest."""
        return self.control + self.wire.one_way + 2 * on_line(max(self.sizes)) * self.wire.byte


def play(g: Group, until: int) -> None:
    """Plays to `until` (ps). The peer always has something to send."""
    order = count()
    events: list[tuple[int, int, int, int, int]] = []

    def at(time: int, what: int, size: int = 0, part: int = 0) -> None:
        heapq.heappush(events, (time, what, next(order), size, part))

    queue: deque[int] = deque()
    out_byte, rest = divmod(LINE_BITS_PER_PS, g.drain)
    assert rest == 0, f"{g.drain} Mb/s has no whole byte time in ps"
    allowed, sending, paused, leaving = True, True, False, False
    idle_since: int | None = None
    sent = 0
    at(0, _FREE)
    if g.blocked:
        leaving = True
        at(g.blocked, _LEFT)
    while events and events[0][0] <= until:
        now, what, _, size, part = heapq.heappop(events)
        if what in (_FREE, _ON):
            if what == _ON:
                allowed = True
                if sending:
                    continue
            sending = allowed
            if not allowed:
                continue
            size = g.sizes[sent % len(g.sizes)]
            sent += 1
            at(now + on_line(size) * g.wire.byte, _FREE)
            at(now + PREAMBLE * g.wire.byte + g.wire.one_way, _CELL, size)
        elif what == _OFF:
            allowed = False
        elif what == _CELL:
            stored = part
            if g.headroom is not None and g.held >= g.xoff + g.headroom:
                g.lost += 1
                g.held -= stored
                continue
            g.held += 1
            g.peak = max(g.peak, g.held)
            if g.held > g.xoff and not paused:
                paused = True
                g.pauses += 1
                at(now + g.control, _OFF)
            if stored + 1 < cells_of(size, g.cell):
                at(now + g.cell * g.wire.byte, _CELL, size, stored + 1)
            else:
                queue.append(size)
        else:
            leaving = False
            if size:
                g.held -= cells_of(size, g.cell)
                g.delivered += size
            if paused and g.held <= g.resume_at:
                paused = False
                at(now + g.control, _ON)
        if not leaving and queue:
            if idle_since is not None:
                g.starved += now - idle_since
            idle_since = None
            leaving = True
            size = queue.popleft()
            at(now + on_line(size) * out_byte, _LEFT, size)
        elif not leaving and not queue and idle_since is None and g.delivered:
            idle_since = now
    if idle_since is not None:
        g.starved += until - idle_since
