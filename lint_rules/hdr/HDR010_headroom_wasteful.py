"""HDR010: a group keeps several times the headroom that its link needs."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Fact,
    Hit,
    Impact,
    LinkNeed,
    NotApplicable,
    NotAssessed,
    PortView,
    Rule,
    Scope,
    Severity,
    Unknown,
    group_headroom,
    headroom_line,
    link_needs,
    secondary,
    sharing,
    terms,
)

#: From so many times the largest of all needs on.
SEVERAL = 3
#: Scopes that are not wider than what one kind of link needs.
_NARROW = ("port", "group", "profile")

_WHY = (
    "Headroom is taken from the memory that all ports share, for as long as the switch runs. What the link never fills is "
    "missing where bursts are absorbed, so the groups pause earlier than they need to."
)


class HeadroomWasteful(Rule):
    code = "HDR010"
    name = "headroom-wasteful"
    severity = Severity.NOTE
    impact = Impact.THROUGHPUT
    scope = Scope.PORT

    def check_port(self, port: PortView) -> Iterator[Hit]:
        if not port.maybe.carrying_kind or port.maybe.admin is False:
            raise NotApplicable("no port in use that can carry a lossless class")
        groups = sorted(port.protected_groups())
        if not groups:
            raise NotApplicable("PFC protects no group on this port")
        can = port.device.can("group.headroom")
        if can is not None and can.scope not in _NARROW:
            raise NotAssessed("headroom is one number for the whole switch here, so a port may have more than it needs")
        stopped: list[NotAssessed] = []
        for g in groups:
            try:
                size = group_headroom(port, g)
                for need in link_needs(port) if size else ():
                    yield from self._judge(port, need, g, size)
            except NotAssessed as why:
                stopped.append(why)
        if stopped:
            raise stopped[0]

    def _judge(self, port: PortView, need: LinkNeed, g: int, size: int) -> Iterator[Hit]:
        most, what, basis = _most(need)
        if size < SEVERAL * most:
            return
        for other in sharing(port, g):
            for theirs in link_needs(other):
                if size < SEVERAL * _most(theirs)[0]:
                    raise NotAssessed("the profile also serves ports whose link needs more")
        yield self.hit(
            f"{size:,} B of headroom for priority group {g}, {size / most:.1f} times the {most:,} B that {what} takes at "
            f"{need.speed / 1000:g}G, {need.cable_m} m",
            at=headroom_line(port, need, g),
            port=port,
            observed=f"{size:,} B",
            expected=f"{most:,} B",
            why=_WHY,
            basis=basis,
            only_ports=need.ports,
        )


def _most(need: LinkNeed) -> tuple[int, str, tuple[str, ...]]:
    """The largest of all that anybody takes for this link: bytes, whose it is, terms. Raises NotAssessed."""
    if need.cable_m is None:
        raise NotAssessed("the cable's length is not known", Fact.CABLE)
    strict, shipped, wanted = need.limits.strict, need.limits.shipped, need.wanted
    if isinstance(strict, Unknown):
        raise NotAssessed(f"the need is not known: {strict.reason}", strict.fact)
    if secondary(strict):
        raise NotAssessed("the need rests on a fact of secondary evidence", Fact.ASIC)
    if isinstance(wanted, Unknown):
        raise NotAssessed(f"the intent's headroom has no number: {wanted.reason}", wanted.fact)
    found = [(strict.value, "strict", terms(strict))]
    if shipped is not None:
        found.append((shipped.high.xoff, f"the highest number shipped for {shipped.cable_m} m", (shipped.high.source,)))
    if need.row is not None:
        found.append((need.row.xoff, "the row of the table", ()))
    if wanted is not None:
        found.append((wanted.number.value, wanted.name, terms(wanted.number)))
    return max(found, key=lambda f: f[0])
