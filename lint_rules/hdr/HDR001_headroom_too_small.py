"""HDR001: a lossless priority has headroom, but less than the link needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xoff.lint.rules import (
    Confidence,
    Fact,
    Hit,
    Impact,
    Line,
    LinkNeed,
    NotApplicable,
    NotAssessed,
    Origin,
    PortView,
    Rule,
    Scope,
    Severity,
    Unknown,
    group_headroom,
    headroom_line,
    link_needs,
    row_line,
    secondary,
    terms,
)

_WHY = (
    "After the group sends its pause, the peer's frames keep coming for the time of two cables, a response and the frames "
    "already begun. What does not fit the headroom is dropped, although PFC works."
)


@dataclass(frozen=True, slots=True)
class _Sized:
    """Groups whose headroom stands on one line, and its size in bytes."""

    groups: tuple[int, ...]
    size: int
    at: Origin | None


class HeadroomTooSmall(Rule):
    code = "HDR001"
    name = "headroom-too-small"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.PORT
    explains = ("DRF001",)

    def check_port(self, port: PortView) -> Iterator[Hit]:
        if not port.maybe.carrying_kind or port.maybe.admin is False:
            raise NotApplicable("no port in use that can carry a lossless class")
        groups = sorted(port.protected_groups())
        if not groups:
            raise NotApplicable("PFC protects no group on this port")
        sizes: dict[int, int] = {}
        stopped: list[NotAssessed] = []
        for g in groups:
            try:
                size = group_headroom(port, g)
            except NotAssessed as why:
                stopped.append(why)
                continue
            if size:
                sizes[g] = size
        for need in link_needs(port) if sizes else ():
            for of in _alike({g: (headroom_line(port, need, g), size) for g, size in sizes.items()}):
                yield from self._judge(port, need, of, stopped)
        if stopped:
            raise stopped[0]
        if not sizes:
            raise NotApplicable("no headroom at all: HDR002")

    def _judge(self, port: PortView, need: LinkNeed, of: _Sized, stopped: list[NotAssessed]) -> Iterator[Hit]:
        size = of.size
        floor, strict, shipped = need.limits.floor, need.limits.strict, need.limits.shipped
        if size < floor.value:
            rests = (need.mtu_at,) if size >= need.least else ()
            yield self._hit(port, need, of, Severity.ERROR, "the floor", floor.value, terms(floor), rests=rests)
            return
        if need.cable_m is None:
            stopped.append(NotAssessed("the cable's length is not known: judged by the floor of no cable only", Fact.CABLE))
            return
        wanted = need.wanted
        if wanted is not None:
            if isinstance(wanted, Unknown):
                stopped.append(NotAssessed(f"the intent's headroom has no number: {wanted.reason}", wanted.fact))
            elif size < wanted.number.value:
                number = wanted.number
                yield self._hit(
                    port, need, of, Severity.WARNING, wanted.name, number.value, terms(number), secondary(number)
                )  # fmt: skip
            return
        if need.row is not None and size < need.row.xoff:
            what = f"the table's row for {need.row.cable_m} m"
            yield self._hit(port, need, of, Severity.WARNING, what, need.row.xoff, (), row=row_line(need.row))
            return
        if isinstance(strict, Unknown):
            stopped.append(NotAssessed(f"only the floor was judged: {strict.reason}", strict.fact))
            return
        if size >= strict.value:
            return
        if need.row is None and shipped is not None and size < shipped.low.xoff:
            what = f"the lowest number shipped for {shipped.cable_m} m"
            basis = (f"{shipped.low.xoff:,} B: {shipped.low.source}", *terms(strict))
            yield self._hit(port, need, of, Severity.WARNING, what, shipped.low.xoff, basis, secondary(strict))
        else:
            yield self._hit(port, need, of, Severity.NOTE, "strict", strict.value, terms(strict), secondary(strict))

    def _hit(
        self,
        port: PortView,
        need: LinkNeed,
        of: _Sized,
        severity: Severity,
        limit: str,
        value: int,
        basis: tuple[str, ...],
        doubtful: bool = False,
        rests: tuple[Origin | None, ...] = (),
        row: Line | None = None,
    ) -> Hit:
        cable = "without any cable" if need.cable_m is None else f"{need.cable_m} m"
        return self.hit(
            f"{of.size:,} B of headroom for priority {_groups(of.groups)}, below {limit}: {value:,} B at "
            f"{need.speed / 1000:g}G, {cable} ({_others(need, limit)})",
            at=of.at,
            port=port,
            severity=severity.lower() if doubtful else severity,
            confidence=Confidence.INFERRED if doubtful else None,
            observed=f"{of.size:,} B",
            expected=f"{value:,} B",
            unit="bytes",
            why=_WHY,
            basis=(*basis, need.frames),
            related=((None, row, "the row of the table that is longest without being longer than the cable"),),
            rests_on=rests,
            only_ports=need.ports,
        )


def _alike(sizes: dict[int, tuple[Origin | None, int]]) -> list[_Sized]:
    """Groups of one line and size together. Compared, not hashed: a hash needs line numbers, and for these a JSON file is read
    a second time."""
    found: list[tuple[Origin | None, int, list[int]]] = []
    for group, (at, size) in sizes.items():
        same = next((groups for a, s, groups in found if s == size and a == at), None)
        if same is None:
            found.append((at, size, [group]))
        else:
            same.append(group)
    return [_Sized(tuple(groups), size, at) for at, size, groups in found]


def _groups(numbers: tuple[int, ...]) -> str:
    return f"group{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _others(need: LinkNeed, limit: str) -> str:
    """The limits that are not the one passed, each with its number or why it has none."""
    strict, shipped = need.limits.strict, need.limits.shipped
    out = [] if limit == "the floor" else [f"floor {need.limits.floor.value:,} B"]
    if limit != "strict":
        out.append("strict unknown" if isinstance(strict, Unknown) else f"strict {strict.value:,} B")
    if shipped is None:
        out.append("none shipped")
    elif not limit.startswith("the lowest"):
        out.append(f"lowest shipped {shipped.low.xoff:,} B for {shipped.cable_m} m")
    return ", ".join(out)
