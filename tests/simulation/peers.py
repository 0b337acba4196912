"""Peers: the adversary, and friendlier ones. Each sees what a peer's MAC sees: its own clock, and pause once it is heard."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from tests.simulation.model import SMALLEST, Frame, cells_of, on_line

#: The last stretch that the adversary packs exactly, in wires of its densest frame.
TAIL = 4


def densest(cell: int, largest: int) -> int:
    """The frame that fills most cells per byte time among all sizes that the class may have."""
    return max(range(SMALLEST, largest + 1), key=lambda s: cells_of(s, cell) / on_line(s))


def sizes_worth_sending(cell: int, largest: int) -> list[int]:
    """The smallest frame of each number of cells: any other takes longer for the same cells."""
    return [SMALLEST, *(s for s in range(cell + 1, largest + 1, cell) if s > SMALLEST)]


@lru_cache(maxsize=256)
def packing(cell: int, largest: int, budget: int) -> tuple[int, tuple[int, ...]]:
    """Most cells that frames take whose line times add up to at most `budget` byte times; and their sizes. Exact."""
    sizes = [s for s in sizes_worth_sending(cell, largest) if on_line(s) <= budget]
    best = [0] * (budget + 1)
    chosen = [0] * (budget + 1)
    for b in range(1, budget + 1):
        best[b] = best[b - 1]
        for s in sizes:
            if on_line(s) > b:
                break
            got = best[b - on_line(s)] + cells_of(s, cell)
            if got > best[b]:
                best[b], chosen[b] = got, s
    out, b = [], budget
    while b > 0:
        if chosen[b]:
            out.append(chosen[b])
            b -= on_line(chosen[b])
        else:
            b -= 1
    return best[budget], tuple(out)


class Adversary:
    """Fills most cells: a first frame whose last cell crosses with its last byte, then the densest frames back to back, the
    last stretch packed exactly, and a largest frame that begins as late as the pause response allows.
    """

    def __init__(self, cell: int, largest: int, byte: int) -> None:
        self.cell, self.largest, self.byte = cell, largest, byte
        self.dense = densest(cell, largest)
        self.first = head(cell, largest)
        self.begun = False
        self.plan: list[int] | None = None

    def next(self, now: int, stop: int | None) -> Frame:
        if not self.begun:
            self.begun = True
            return Frame(self.first)
        if stop is None or (self.plan is None and (stop - now) // self.byte > TAIL * on_line(self.dense)):
            return Frame(self.dense)
        if self.plan is None:
            _, sizes = packing(self.cell, self.largest, (stop - now) // self.byte)
            self.plan = [self.largest, *sizes]
        return Frame(self.plan.pop())


def head(cell: int, largest: int) -> int:
    """The adversary's first frame: one byte into its second cell, where a frame of the class may be that long."""
    return cell + 1 if SMALLEST <= cell + 1 <= largest else SMALLEST


class Steady:
    """Frames of the given sizes in turn, for ever."""

    def __init__(self, *sizes: int) -> None:
        self.frames, self.at = tuple(Frame(s) for s in sizes), 0

    def next(self, now: int, stop: int | None) -> Frame:
        frame = self.frames[self.at % len(self.frames)]
        self.at += 1
        return frame


class Aimed:
    """Full-size frames, the friendliest that use the line. One or two before the last are cut so that it begins at `at`."""

    def __init__(self, size: int, byte: int, at: int) -> None:
        self.size, self.byte, self.at = size, byte, at

    def next(self, now: int, stop: int | None) -> Frame:
        left = (self.at - now) // self.byte
        full, least = on_line(self.size), on_line(SMALLEST)
        if left < least or left == full or left >= full + least:
            return Frame(self.size)
        return Frame((left if left < full else left - least) - on_line(0))


class Listed(Steady):
    """Frames as listed, again from the start when the list ends."""

    def __init__(self, frames: Sequence[Frame]) -> None:
        super().__init__()
        self.frames = tuple(frames)
