"""BUF009: the lossless buffer belongs to another priority than the one that PFC protects."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    PortView,
    Rule,
    Scope,
    Severity,
    Unknown,
)

_WHY = (
    "The group that pauses its senders has no headroom, so it drops what arrives after the pause; the group that has the "
    "headroom "
    "never pauses anybody."
)


class LosslessPoolNotMoved(Rule):
    code = "BUF009"
    name = "lossless-pool-not-moved"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.SWITCH
    explains = ("HDR002", "PFC002", "DRF001")

    def check_port(self, port: PortView) -> Iterator[Hit]:
        if not port.maybe.carrying_kind or port.maybe.admin is False:
            raise NotApplicable("no port in use that can carry a lossless class")
        protected = port.protected_groups()
        groups = port.maybe.qos.groups
        kept = frozenset(g.id for g in groups.values() if g.lossless is True and not isinstance(g.pool, Unknown))
        if not protected or not kept:
            raise NotApplicable("PFC protects no group, or no group has a lossless buffer")
        unread = [g for g in sorted(protected) if g in groups and isinstance(groups[g].lossless, Unknown)]
        if unread:
            why = groups[unread[0]].lossless
            assert isinstance(why, Unknown)
            raise NotAssessed(why.reason, why.fact)
        bare, idle = sorted(protected - kept), sorted(kept - protected)
        if not bare or not idle:
            return
        at = port.origin(f"group.{idle[0]}.profile", f"group.{idle[0]}.headroom", f"group.{idle[0]}")
        yield self.hit(
            f"the lossless buffer is that of priority group {_list(idle)}, and PFC protects {_list(bare)}, which has none",
            at=at,
            port=port,
            observed=f"lossless buffer: group {_list(idle)}",
            expected=f"lossless buffer: group {_list(bare)}",
            why=_WHY,
            related=((port, port.origin(f"pfc.send.{bare[0]}", f"pfc.no_drop.{bare[0]}", "pfc.mode"), "what PFC protects"),),
            rests_on=tuple(port.origin(f"group.{g}") for g in bare),
            object=f"group {_list(idle)}",
        )


def _list(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
