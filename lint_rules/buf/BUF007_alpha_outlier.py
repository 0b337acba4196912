"""BUF007: ports of one role and speed share memory by different alphas, or one alpha serves very different speeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from xoff.lint.rules import (
    Alpha,
    DeviceView,
    FabricView,
    Fact,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    Origin,
    PortView,
    PriorityGroup,
    Rule,
    Scope,
    Severity,
    planned_group,
    threshold_said,
)

#: From this ratio of port speeds on one alpha for all of them is worth a note.
VERY_DIFFERENT = 8
_WHY = (
    "The smaller alpha pauses its senders with less in the buffer. Where it differs between switches of one role, the same "
    "traffic "
    "is paused through some of them and not through the others, and pauses reach servers that others never see paused."
)
_SPEEDS = (
    "A port's burst grows with its speed: at one alpha for all, the fast ports pause early for their speed, or the slow ones "
    "keep "
    "memory that they cannot use."
)


@dataclass(slots=True)
class _Seen:
    """A lossless group of some ports that share memory by an alpha."""

    device: DeviceView
    port: PortView
    group: PriorityGroup
    alpha: Fraction
    speed: int

    @property
    def at(self) -> Origin | None:
        return self.port.origin(f"group.{self.group.id}.threshold", f"group.{self.group.id}.profile", f"group.{self.group.id}")


class AlphaOutlier(Rule):
    code = "BUF007"
    name = "alpha-outlier"
    severity = Severity.WARNING
    impact = Impact.LOSS
    scope = Scope.FABRIC
    explains = ("DRF001",)

    def check_fabric(self, fabric: FabricView) -> Iterator[Hit]:
        seen = [s for device in fabric.devices for s in _seen(device)]
        if not seen:
            raise NotApplicable("no lossless group shares memory by an alpha that is known")
        alike: dict[tuple[object, ...], list[_Seen]] = {}
        for s in seen:
            role = s.device.maybe.role or s.device.name
            kind = str(s.device.maybe.architecture)  # an alpha of a VOQ switch is no share of a pool as elsewhere
            alike.setdefault((role, kind, s.port.role, s.speed, s.group.id), []).append(s)
        undecided: NotAssessed | None = None
        for members in alike.values():
            if all(planned_group(s.port, s.group) for s in members):
                continue  # unlike chips, and each has the alpha that the intent's own calculation gives it
            try:
                yield from self._outliers(members)
            except NotAssessed as why:
                undecided = why
        for device in fabric.devices:
            yield from self._speeds([s for s in seen if s.device is device])
        if undecided is not None:
            raise undecided

    def _outliers(self, members: list[_Seen]) -> Iterator[Hit]:
        counts: Counter[Fraction] = Counter()
        for s in members:
            counts[s.alpha] += len(s.port.ports)
        if len(counts) < 2:
            return
        best, votes = counts.most_common(1)[0]
        total = sum(counts.values())
        if total >= 3 and votes * 3 >= total * 2:
            usual, odd = best, [s for s in members if s.alpha != best]
        elif len(counts) == 2:
            usual, low = max(counts), min(counts)
            odd = [s for s in members if s.alpha == low]
        else:
            raise NotAssessed(f"{len(counts)} alphas among ports of one role and speed, none of them of two thirds", Fact.ROLE)
        other = next(s for s in members if s.alpha == usual)
        for s in odd:
            where = "on other ports" if other.device is s.device else f"on {other.device.name}"
            role = f"{s.device.maybe.role} " if s.device.maybe.role else ""
            yield self.hit(
                f"{threshold_said(s.group.threshold)} for priority group {s.group.id} of {role}ports of {s.speed / 1000:g}G, "
                f"{threshold_said(other.group.threshold)} {where}",
                at=s.at,
                port=s.port,
                observed=_plain(s.alpha),
                expected=_plain(usual),
                unit="alpha",
                why=_WHY,
                basis=(f"{counts[usual]} of {total} ports of this role and speed have alpha {_plain(usual)}",),
                related=((other.port, other.at, f"alpha {where}"),),
            )

    def _speeds(self, seen: list[_Seen]) -> Iterator[Hit]:
        """One alpha for ports whose speeds lie far apart; not where the intent's own calculation says the same."""
        by_alpha: dict[tuple[int, Fraction], list[_Seen]] = {}
        for s in seen:
            if not planned_group(s.port, s.group):
                by_alpha.setdefault((s.group.id, s.alpha), []).append(s)
        for (group, alpha), members in by_alpha.items():
            slow, fast = min(members, key=lambda s: s.speed), max(members, key=lambda s: s.speed)
            if fast.speed < VERY_DIFFERENT * slow.speed:
                continue
            yield self.hit(
                f"alpha {_plain(alpha)} serves priority group {group} of ports of {slow.speed / 1000:g}G and of "
                f"{fast.speed / 1000:g}G alike",
                at=fast.at,
                port=fast.port,
                severity=Severity.NOTE,
                observed=_plain(alpha),
                expected="an alpha by speed",
                unit="alpha",
                why=_SPEEDS,
                basis=("published for its own switches: HPCC doubles alpha with every doubling of the port's speed",),
                related=((slow.port, slow.at, "the slowest port with this alpha"),),
                object=f"speeds of group {group}",
            )


def _plain(alpha: Fraction) -> str:
    return str(alpha)


def _seen(device: DeviceView) -> Iterator[_Seen]:
    for port in device.ports:
        if not port.maybe.carrying_kind or port.maybe.admin is False or not isinstance(port.maybe.speed, int):
            continue
        try:
            protected = sorted(port.protected_groups())
        except NotAssessed:
            continue
        for n in protected:
            group = port.maybe.qos.groups.get(n)
            if group is not None and isinstance(group.threshold, Alpha):
                yield _Seen(device, port, group, group.threshold.alpha.amount, port.maybe.speed)
