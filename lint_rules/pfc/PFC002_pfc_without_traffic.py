"""PFC002: PFC on a priority that no classified traffic reaches."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    HeaderField,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    PortView,
    Rule,
    Scope,
    Severity,
    Unknown,
    known,
)

_DSCPS = range(64)
_PCPS = range(8)


class PfcWithoutTraffic(Rule):
    code = "PFC002"
    name = "pfc-without-traffic"
    severity = Severity.WARNING
    impact = Impact.LOSS
    scope = Scope.PORT
    explains = ("DRF001",)

    def check_port(self, port: PortView) -> Iterator[Hit]:
        if not port.maybe.carrying_kind or port.maybe.admin is False:
            raise NotApplicable("the port is down, or of a kind that carries no class")
        groups = port.protected_groups()
        if not groups:
            raise NotApplicable("the port has no PFC")
        if not port.asks_for_pfc:
            raise NotApplicable("PFC is there by the NOS's default only; nobody asked for it on this port")
        reached = _reached(port)
        for group in sorted(groups - reached):
            sent = sorted(port.sent_by(group))
            listed = ", ".join(str(p) for p in sent)
            into = sorted(port.classes_into(frozenset({group})))
            via = (
                f"traffic class {', '.join(str(t) for t in into)} is empty"
                if into
                else "no traffic class is counted in its group"
            )
            buffers = port.maybe.qos.groups.get(group)
            yield self.hit(
                f"PFC protects priority {listed}, but no DSCP or PCP reaches it: {via}",
                at=port.origin(*(f"pfc.no_drop.{p}" for p in sent), "pfc.no_drop", "pfc.mode"),
                port=port,
                priority=sent[0] if sent else None,
                observed="no value classified into it",
                expected="traffic, or no PFC on it",
                why="Its headroom is taken from the shared buffer for nothing. More often the class that was meant to "
                "be here sits in "
                "another priority, which is not protected.",
                related=((port, port.origin(f"group.{group}.profile", f"group.{group}.headroom"), "its buffers"),)
                if buffers is not None
                else (),
            )


def _reached(port: PortView) -> frozenset[int]:
    """Groups that some arriving frame is counted in. Raises NotAssessed."""
    if port.opaque_policy:
        raise NotAssessed(f"an access list or policy ({port.opaque_policy}) decides what reaches which class")
    c = port.maybe.qos.classify
    classes: set[int] = set()
    fields = {known(c.untagged_ip), known(c.tagged_ip)}
    if HeaderField.DSCP in fields:
        tagged = known(c.untagged_ip) is not HeaderField.DSCP
        classes |= {int(port.path(dscp=v, tagged=tagged).tc) for v in _DSCPS}
    if HeaderField.PCP in fields:
        classes |= {int(port.path(dscp=0, pcp=v, tagged=True).tc) for v in _PCPS}
    if not isinstance(c.default_tc, Unknown):
        classes.add(c.default_tc)
    return frozenset(int(port.path_of_tc(tc).group) for tc in classes)
