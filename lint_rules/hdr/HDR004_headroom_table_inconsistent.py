"""HDR004: a headroom lookup table contradicts itself: rows out of order, repeated, with swapped columns or one odd XON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from statistics import median

from xoff.lint.rules import (
    Fact,
    FileLine,
    HeadroomRow,
    Hit,
    Impact,
    Line,
    NotAssessed,
    Rule,
    Scope,
    Severity,
    TableView,
    row_floor,
    row_line,
)

#: So many other rows must agree before one that differs is called odd.
AGREE = 3

_ORDER = (
    "Headroom grows with the cable and with the speed, since more is on the way when the pause goes out. Where a row breaks "
    "the order, either it is too small and ports of its kind drop, or the other takes buffer for nothing."
)
_NO_ROW = (
    "The switch reads a line word by word and checks none. What it takes for speed and cable fits no port, so ports of the "
    "link that was meant stay without lossless buffer."
)
_REPEAT = "The switch keeps the last of two rows for one speed and cable. Whoever corrects the first one changes nothing."
_SWAP = (
    "The columns are size, xon, xoff. With size and xoff exchanged the group reserves the headroom for everyday use and keeps "
    "too little for what comes after the pause."
)
_ODD = (
    "The resume point decides when a paused peer may send again. A single row that differs makes ports of this one speed and "
    "cable flap or idle where all others do not; as a rule it is a slip of the pen."
)


class HeadroomTableInconsistent(Rule):
    code = "HDR004"
    name = "headroom-table-inconsistent"
    severity = Severity.WARNING
    impact = Impact.LOSS
    scope = Scope.TABLE

    def check_table(self, table: TableView) -> Iterator[Hit]:
        if not table.maybe.devices:
            yield from self._no_rows(table)  # beside a configuration they are CFG004
        if not table.rows:
            raise NotAssessed("the table has no row that can be read", Fact.TABLE)
        yield from self._repeats(table)
        rows = list({(r.speed, r.cable_m): r for r in table.rows}.values())  # the last one counts
        swapped = [r for r in rows if _swapped(r, rows)]
        yield from self._swapped(table, swapped)
        good = [r for r in rows if r not in swapped]
        yield from self._order(table, good)
        yield from self._odd(table, good, "xon", lambda r: r.xon)
        yield from self._odd(table, good, "xon_offset", lambda r: r.xon_offset)

    def _no_rows(self, table: TableView) -> Iterator[Hit]:
        by_kind: dict[str, list[FileLine]] = {}
        for bad in table.maybe.no_rows:
            by_kind.setdefault(bad.kind, []).append(bad.at)
        for kind, (first, *more) in by_kind.items():
            bad = next(b for b in table.maybe.no_rows if b.at == first)
            others = f", and so in {len(more)} more line{'s' if len(more) > 1 else ''}" if more else ""
            yield self.hit(
                f"no row: {bad.why}{others}",
                at=Line((table.file,), kind, first),
                table=table,
                observed=bad.text,
                expected="speed cable size xon xoff threshold",
                why=_NO_ROW,
                related=tuple((None, at, "no row either") for at in more[:5]),
            )

    def _repeats(self, table: TableView) -> Iterator[Hit]:
        by_key: dict[tuple[int, int], list[HeadroomRow]] = {}
        for row in table.rows:
            by_key.setdefault((row.speed, row.cable_m), []).append(row)
        for rows in by_key.values():
            *dead, last = rows
            for row in dead:
                differs = row != last
                yield self.hit(
                    f"a second row for {_key(row)} with "
                    + (f"other numbers: {_cells(row)} here, {_cells(last)} in force" if differs else "the same numbers"),
                    at=row_line(row),
                    table=table,
                    severity=Severity.WARNING if differs else Severity.NOTE,
                    observed=_cells(row),
                    expected="one row",
                    why=_REPEAT,
                    related=((None, row_line(last), "the row in force"),),
                )

    def _swapped(self, table: TableView, rows: Sequence[HeadroomRow]) -> Iterator[Hit]:
        if not rows:
            return
        first, *more = rows
        others = f", and so in {len(more)} more row{'s' if len(more) > 1 else ''}" if more else ""
        yield self.hit(
            f"size and xoff look swapped for {_key(first)}: size {first.size:,} B, xoff {first.xoff:,} B{others}",
            at=row_line(first),
            table=table,
            observed=_cells(first),
            expected="a size that is small, is xon, or holds the headroom",
            why=_SWAP,
            related=tuple((None, row_line(r), "swapped too") for r in more[:5]),
        )

    def _order(self, table: TableView, rows: Sequence[HeadroomRow]) -> Iterator[Hit]:
        """One finding a row: the rows that have to go so that the rest is in order, those with most contradictions first."""
        against: dict[HeadroomRow, list[HeadroomRow]] = {}
        for less, more in _pairs(rows):
            if less.xoff > more.xoff:
                against.setdefault(less, []).append(more)
                against.setdefault(more, []).append(less)
        ratio = {r: Fraction(r.xoff, floor) for r in rows if (floor := row_floor(r)) is not None}
        usual = median(ratio.values()) if ratio else Fraction(0)
        while any(against.values()):
            worst = max(against, key=lambda r: (len(against[r]), r not in ratio, abs(ratio.get(r, usual) - usual)))
            others = against.pop(worst)
            for other in others:
                against[other].remove(worst)
            yield self._out_of_order(table, worst, others)

    def _out_of_order(self, table: TableView, row: HeadroomRow, others: Sequence[HeadroomRow]) -> Hit:
        nearest = min(others, key=lambda o: (abs(o.cable_m - row.cable_m), abs(o.speed - row.speed)))
        is_more = row.xoff > nearest.xoff
        word = "more" if is_more else "less"
        if nearest.speed == row.speed:
            than = "longer" if is_more else "shorter"
            what = f"the {than} cable of {nearest.cable_m} m"
        else:
            than = "faster" if is_more else "slower"
            what = f"the {than} speed of {nearest.speed / 1000:g}G"
        rest = f" (and {len(others) - 1} other rows contradict it)" if len(others) > 1 else ""
        return self.hit(
            f"{_key(row)} has {row.xoff:,} B of headroom, {word} than {nearest.xoff:,} B for {what}{rest}",
            at=row_line(row),
            table=table,
            observed=f"{row.xoff:,} B",
            expected=f"{'at most' if is_more else 'at least'} {nearest.xoff:,} B",
            why=_ORDER,
            related=tuple((None, row_line(o), "out of order with it") for o in others[:5]),
        )

    def _odd(
        self, table: TableView, rows: Sequence[HeadroomRow], what: str, value: Callable[[HeadroomRow], int | None]
    ) -> Iterator[Hit]:
        for row in rows:
            # Ports of one speed resume alike; a speed of its own may have its own reason (eight lanes).
            alike = [r for r in rows if r is not row and r.speed == row.speed]
            others = [r for r in rows if r is not row]
            for group in (alike, others if alike else []):
                values = {value(r) for r in group}
                if len(group) >= AGREE and len(values) == 1 and value(row) not in values:
                    usual = values.pop()
                    yield self.hit(
                        f"{_key(row)} has {what} {_said(value(row))}, while {len(group)} other rows have {_said(usual)}",
                        at=row_line(row),
                        table=table,
                        observed=f"{what} {_said(value(row))}",
                        expected=f"{what} {_said(usual)}",
                        why=_ODD,
                        related=((None, row_line(group[0]), "as the others"),),
                    )
                    break


def _pairs(rows: Sequence[HeadroomRow]) -> Iterator[tuple[HeadroomRow, HeadroomRow]]:
    """(row, row that needs as much at least): the same speed over a longer cable, the same cable at a higher speed."""
    for a in rows:
        for b in rows:
            if (a.speed == b.speed and a.cable_m < b.cable_m) or (a.cable_m == b.cable_m and a.speed < b.speed):
                yield a, b


def _swapped(row: HeadroomRow, rows: Sequence[HeadroomRow]) -> bool:
    """Whether size and xoff of a row stand in each other's place.

    Size is a small minimum, xon (the headroom is in a shared pool), or holds all of the headroom; of the headroom's kind and
    below it, it is none of these. Or the row's xoff is what all the other rows have for a size.
    """
    if row.size != row.xon and row.size < row.xoff < 2 * row.size:
        return True
    sizes = Counter(r.size for r in rows if r is not row)
    if len(sizes) != 1 or sum(sizes.values()) < AGREE:
        return False
    return row.xoff in sizes and row.size > row.xoff and all(r.size < r.xoff for r in rows if r is not row)


def _key(row: HeadroomRow) -> str:
    return f"{row.speed / 1000:g}G, {row.cable_m} m"


def _cells(row: HeadroomRow) -> str:
    return f"size {row.size:,}, xon {row.xon:,}, xoff {row.xoff:,}"


def _said(n: int | None) -> str:
    return "none" if n is None else f"{n:,}"
