"""HDR009: the buffer profile was made for another speed or cable than the port has: by name, row, or a slower port's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from xoff.lint.rules import (
    BodyLine,
    Confidence,
    Fact,
    HeadroomRow,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    PortView,
    PriorityGroup,
    Quantity,
    Rule,
    Scope,
    Severity,
    Unknown,
    group_headroom,
    link_needs,
    model_for_speed,
    row_line,
)

_WHY = (
    "The port keeps the headroom of another link. Where that one is slower or shorter, what arrives after the pause does not "
    "fit and is dropped; where it is faster or longer, buffer that others could use lies idle."
)
_MODEL_WHY = (
    "The parameters that come with a model of the switch are computed for the speed in its name. Ports that run at another "
    "speed take them too: under PFC a line card of 400G ports was seen to drop everything on ports of 100G."
)
_NUMBER_WHY = (
    "What arrives between the pause and its effect grows with the speed of the port. A number that is right for the slower "
    "port is too small here; one that is right here leaves buffer idle there."
)
#: `pg_lossless_100000_40m_profile`, `ROCE-100G-40m`: a speed in Mb/s or in G, then a length.
_NAME = re.compile(r"(?:^|[^A-Za-z0-9])(?:(\d{4,7})|(\d{1,4})[gG])[_-](\d{1,6})m(?![A-Za-z0-9])", re.ASCII)


@dataclass(frozen=True, slots=True)
class _MadeFor:
    """The link of which a profile's name or numbers speak. `how`: by what. `row`: the row with its numbers."""

    speed: int
    cable_m: int
    how: str
    row: HeadroomRow | None = None

    def __str__(self) -> str:
        return f"{self.speed / 1000:g}G, {self.cable_m} m"


class ProfileForOtherLink(Rule):
    code = "HDR009"
    name = "profile-for-other-link"
    severity = Severity.WARNING
    impact = Impact.LOSS
    scope = Scope.PORT
    explains = ("HDR001", "DRF001")

    def check_port(self, port: PortView) -> Iterator[Hit]:
        if not port.maybe.carrying_kind or port.maybe.admin is False:
            raise NotApplicable("no port in use that can carry a lossless class")
        groups = sorted(port.protected_groups())
        if not groups:
            raise NotApplicable("PFC protects no group on this port")
        if isinstance(port.maybe.speed, int):
            yield from self._model(port)
        yield from self._slower_port(port, groups)
        bound = {g: port.maybe.qos.groups[g] for g in groups if g in port.maybe.qos.groups}
        mine = {g: group for g, group in bound.items() if group.profile and not group.headroom_by_device}
        names = {g: _by_name(group.profile or "") for g, group in mine.items()}
        if not any(names.values()) and not port.device.maybe.headroom_table:
            raise NotApplicable("no profile's name speaks of a link, and no lookup table is in the input")
        cable = port.cable_m if port.said("cable_m") else None
        if cable is None:
            lengths = {need.cable_m for need in link_needs(port)}
            cable = lengths.pop() if len(lengths) == 1 else None
        unknown = False
        by_profile: dict[tuple[str, _MadeFor], list[int]] = {}
        for g, group in mine.items():
            made = names[g] or _by_row(port, g, group, cable)
            unknown = unknown or (made is not None and cable is None)
            if made is not None and (made.speed != port.speed or (cable is not None and made.cable_m != cable)):
                by_profile.setdefault((group.profile or "", made), []).append(g)
        for (profile, made), numbers in by_profile.items():
            yield self._hit(port, profile, made, cable, numbers)
        if unknown:
            raise NotAssessed("the cable's length is not known: profiles were judged by speed only", Fact.CABLE)

    def _hit(self, port: PortView, profile: str, made: _MadeFor, cable: int | None, groups: list[int]) -> Hit:
        less = made.speed < port.speed or (cable is not None and made.cable_m < cable)
        link = f"{port.speed / 1000:g}G, " + ("cable not known" if cable is None else f"{cable} m")
        related = () if made.row is None else ((None, row_line(made.row), "the row with its numbers"),)
        return self.hit(
            f"priority group{'s' if len(groups) > 1 else ''} {', '.join(map(str, groups))}: profile {profile} is for {made} "
            f"({made.how}), and the port has {link}",
            at=port.origin(f"group.{groups[0]}.profile"),
            port=port,
            severity=Severity.WARNING if less else Severity.NOTE,
            observed=str(made),
            expected=link,
            why=_WHY,
            related=related,
            explains=None if less else (),
        )

    def _slower_port(self, port: PortView, groups: list[int]) -> Iterator[Hit]:
        """Headroom that the port's own line says, and a slower port's own line too: one of them has another link's number."""
        for g in groups:
            mine = _own_headroom(port, g)
            if mine is None or _enough(port, g):
                continue
            slower = [p for p in port.device.ports if _own_headroom(p, g) == mine and _faster(port, p)]
            if not slower:
                continue
            other = min(slower, key=_speed)
            yield self.hit(
                f"priority group {g}: {mine} of headroom at {_speed(port) / 1000:g}G, the number that ports of "
                f"{_speed(other) / 1000:g}G have too",
                at=port.maybe.origins.get(f"group.{g}.headroom"),
                port=port,
                severity=Severity.NOTE,
                confidence=Confidence.INFERRED,
                observed=str(mine),
                expected=f"more than at {_speed(other) / 1000:g}G: what arrives after the pause grows with the speed",
                why=_NUMBER_WHY,
                related=((other, other.maybe.origins.get(f"group.{g}.headroom"), "the slower port's"),),
            )

    def _model(self, port: PortView) -> Iterator[Hit]:
        found = model_for_speed(port.device, port.speed)
        if found is None:
            return
        other, named, at = found
        yield self.hit(
            f"the switch's model is the one for ports of {named / 1000:g}G, and the ports run at {port.speed / 1000:g}G, for "
            f"which its maker has {other}",
            at=at,
            port=port,
            observed=f"{named / 1000:g}G",
            expected=f"{port.speed / 1000:g}G",
            why=_MODEL_WHY,
            basis=("https://github.com/sonic-net/sonic-buildimage/issues/23727",),
            explains=(),
        )


def _own_headroom(port: PortView, g: int) -> Quantity | None:
    """The headroom that a line of the port's own block states; None where it comes from elsewhere, or the port is down."""
    body = port.maybe
    group = body.qos.groups.get(g)
    if not body.carrying_kind or body.admin is False or group is None:
        return None
    own = isinstance(body.origins.get(f"group.{g}.headroom"), BodyLine)
    return group.headroom if own and isinstance(group.headroom, Quantity) and group.headroom.amount else None


def _speed(port: PortView) -> int:
    speed = port.maybe.speed
    return speed if isinstance(speed, int) else 0


def _faster(port: PortView, other: PortView) -> bool:
    """Whether the port has at least twice the speed; nearer ones may share a number for their cables' sake."""
    return 0 < 2 * _speed(other) <= _speed(port)


def _enough(port: PortView, g: int) -> bool:
    """Whether the number is known to hold for this port whatever the packets."""
    try:
        size = group_headroom(port, g)
        strict = [need.limits.strict for need in link_needs(port) if need.cable_m is not None]
    except NotAssessed:
        return False
    return bool(strict) and all(not isinstance(s, Unknown) and size >= s.value for s in strict)


def _by_name(profile: str) -> _MadeFor | None:
    found = _NAME.search(profile)
    if found is None:
        return None
    speed = int(found[1]) if found[1] else int(found[2]) * 1000
    return _MadeFor(speed, int(found[3]), "by its name")


def _by_row(port: PortView, g: int, group: PriorityGroup, cable: int | None) -> _MadeFor | None:
    """The only row of the lookup table whose numbers the profile has, where it is not the port's own."""
    rows = {(r.speed, r.cable_m): r for r in port.device.maybe.headroom_table}
    own = None if cable is None else rows.get((port.speed, cable))
    if own is None or not isinstance(group.headroom, Quantity):
        return None
    size = group_headroom(port, g)
    if own.xoff == size:
        return None
    same = [r for r in rows.values() if r.xoff == size]
    return _MadeFor(same[0].speed, same[0].cable_m, "by its numbers", same[0]) if len(same) == 1 else None
