"""HDR003: headroom is enough for this switch's own kind of chip, not for the time that the switch at the other end takes."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Confidence,
    DeviceView,
    Fact,
    Hit,
    Impact,
    LinkNeed,
    LinkView,
    NotApplicable,
    NotAssessed,
    PeerNeed,
    PortView,
    Rule,
    Scope,
    Severity,
    Unknown,
    group_headroom,
    headroom_line,
    link_needs,
    need_with_peer,
    terms,
)

_WHY = (
    "The frames that arrive after the pause are those of the peer: they stop when it has read the pause and acted on it. While "
    "it takes longer than the headroom was made for, the rest is dropped."
)


class PeerReactsSlowly(Rule):
    code = "HDR003"
    name = "peer-reacts-slowly"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.LINK
    explains = ("DRF001",)

    def check_link(self, link: LinkView) -> Iterator[Hit]:
        if link.a.maybe.admin is False or (link.b is not None and link.b.maybe.admin is False):
            raise NotApplicable("the link is down by configuration")
        if link.b is None:
            if not link.a.protected_groups():
                raise NotApplicable("PFC protects no group on the link")
            raise NotAssessed("the other end is no switch of the input, so the time that it takes to stop is not known")
        stopped: list[NotAssessed] = []
        sized = 0
        for mine, peer in ((link.a, link.b.device), (link.b, link.a.device)):
            try:
                sizes = {g: n for g in sorted(mine.protected_groups()) if (n := group_headroom(mine, g))}
                sized += len(sizes)
                for need in link_needs(mine) if sizes else ():
                    yield from self._judge(link, mine, peer, need, sizes, stopped)
            except NotAssessed as why:
                stopped.append(why)
        if stopped:
            raise stopped[0]
        if not sized:
            raise NotApplicable("PFC protects no group on the link, or none has headroom (HDR002)")

    def _judge(
        self,
        link: LinkView,
        port: PortView,
        peer: DeviceView,
        need: LinkNeed,
        sizes: dict[int, int],
        stopped: list[NotAssessed],
    ) -> Iterator[Hit]:
        theirs = need_with_peer(need, port.device, peer)
        if need.cable_m is None:
            stopped.append(NotAssessed("the cable's length is not known: judged as if there were none", Fact.CABLE))
        if not theirs.read and (theirs.no_slower or _as_wanted(need, min(sizes.values()))):
            return
        for g, size in sizes.items():
            if need.limits.floor.value <= size < theirs.floor.value:
                yield self._hit(link, port, need, theirs, g, size)

    def _hit(self, link: LinkView, port: PortView, need: LinkNeed, theirs: PeerNeed, g: int, size: int) -> Hit:
        cable = "without any cable" if need.cable_m is None else f"{need.cable_m} m"
        time = f"{theirs.fact.value:,} ns"
        concluded = "" if theirs.read else ", as its maker's headroom tables imply"
        return self.hit(
            f"{size:,} B of headroom for priority group {g} at {need.speed / 1000:g}G, {cable}: {theirs.chip} at the other end "
            f"takes {time} to stop{concluded}, which needs {theirs.floor.value:,} B at least "
            f"({need.limits.floor.value:,} B with a peer of no known time)",
            at=headroom_line(port, need, g),
            port=port,
            link=link,
            severity=Severity.ERROR if theirs.read else Severity.WARNING,
            confidence=None if theirs.read else Confidence.INFERRED,
            observed=f"{size:,} B",
            expected=f"{theirs.floor.value:,} B",
            why=_WHY,
            basis=(*terms(theirs.floor), f"{time}: {theirs.fact.source}", need.frames),
        )


def _as_wanted(need: LinkNeed, size: int) -> bool:
    """Whether the headroom keeps what the intent asks for: its author's choice, unless a time that was read says no."""
    return need.wanted is not None and not isinstance(need.wanted, Unknown) and size >= need.wanted.number.value
