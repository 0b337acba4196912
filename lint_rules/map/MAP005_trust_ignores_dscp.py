"""MAP005: the port does not classify by DSCP, while the lossless class is told apart by DSCP."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Basis,
    ClassInForce,
    Default,
    FabricView,
    Fact,
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

_WORDS = {HeaderField.PCP: "PCP (802.1p)", HeaderField.PORT: "its own default priority", HeaderField.DSCP: "DSCP"}


class TrustIgnoresDscp(Rule):
    code = "MAP005"
    name = "trust-ignores-dscp"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.PORT
    explains = (
        "MAP001", "PFC001", "MAP002", "MAP003", "MAP004", "PFC002", "PFC003", "PFC004", "HDR", "BUF", "ECN", "CNP", "WDG",
        "HST001", "DRF001",
    )  # fmt: skip

    def check_port_class(self, port: PortView, cls: ClassInForce) -> Iterator[Hit]:
        if port.field_of(cls) is not HeaderField.DSCP:
            raise NotApplicable(f"class {cls.name} is not told apart by DSCP here")
        if port.opaque_policy:
            raise NotAssessed(f"an access list or policy ({port.opaque_policy}) classifies before the trust mode does")
        c = port.maybe.qos.classify
        untagged, tagged = known(c.untagged_ip), known(c.tagged_ip)
        # Frames on a routed port bear no tag; on a switched one both kinds may arrive.
        relevant = {untagged} if port.maybe.routed is True else {untagged, tagged}
        if HeaderField.DSCP in relevant and len(relevant) > 1:
            raise NotAssessed(
                "tagged and untagged frames are classified by different fields, and which ones RoCE uses is not known"
            )
        if relevant == {HeaderField.DSCP}:
            return
        if cls.basis is Basis.CONVENTION and _all_by_pcp(port.device.fabric):
            raise NotAssessed(
                "all no-drop ports classify by PCP, and nothing says that RoCE is told apart by DSCP", Fact.CLASSES
            )
        value = min(cls.dscp)
        landing = port.path(dscp=value)
        if not isinstance(landing.maybe.protected, Unknown) and landing.maybe.protected:
            raise NotApplicable("the port reads no DSCP, but all its untagged traffic is lossless")
        values = ", ".join(str(v) for v in sorted(cls.dscp))
        origin = port.origin("classify.trust")
        read = (
            _WORDS[untagged]
            if tagged is untagged or port.maybe.routed is True
            else f"{_WORDS[tagged]}, untagged frames by its default priority"
        )
        tc = landing.maybe.tc
        lands = "" if isinstance(tc, Unknown) else f"; untagged RoCE lands in traffic class {tc}"
        default = " by default" if isinstance(origin, Default) else ""
        yield self.hit(
            f"the port classifies by {read}{default}, so DSCP {values} is not read{lands}",
            at=origin,
            port=port,
            cls=cls,
            priority=cls.priority if isinstance(cls.priority, int) else None,
            observed=read,
            expected=_WORDS[HeaderField.DSCP],
            why=f"Class {cls.name} is told apart by DSCP. A port that does not read it puts these packets where "
            "everything untagged "
            "goes: they share a lossy queue with all other traffic and are dropped under load.",
            related=((port, port.origin(f"pfc.no_drop.{cls.priority}"), "no-drop"),),
        )


def _all_by_pcp(fabric: FabricView) -> bool:
    """Whether every port with a no-drop statement reads PCP on tagged frames: then a DSCP class by convention is a guess."""
    ports = [p for v in fabric.all_ports() for p in v.ports if p.carrying_kind and p.qos.pfc.no_drop]
    return bool(ports) and all(p.qos.classify.tagged_ip is HeaderField.PCP for p in ports)
