"""HDR008: the switch sizes headroom by a cable length that is not the cable's."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Confidence,
    Fact,
    Hit,
    Impact,
    LinkNeed,
    NotApplicable,
    NotAssessed,
    Origin,
    PortView,
    Rule,
    Scope,
    Severity,
    absent,
    cable_at_far_end,
    cable_lengths,
    link_needs,
)

_WHY = (
    "The switch takes headroom for the length that it is told. Each metre that the cable is longer adds ten nanoseconds of "
    "frames that arrive after the pause, and for those there is no room."
)


class CableLengthAssumed(Rule):
    code = "HDR008"
    name = "cable-length-assumed"
    severity = Severity.WARNING
    impact = Impact.LOSS
    scope = Scope.PORT
    explains = ("HDR001", "DRF001")

    def check_port(self, port: PortView) -> Iterator[Hit]:
        if not port.maybe.carrying_kind or port.maybe.admin is False:
            raise NotApplicable("no port in use that can carry a lossless class")
        if not port.protected_groups():
            raise NotApplicable("PFC protects no group on this port")
        if port.device.can("port.cable") is None or (not port.said("cable_m") and _made_for(port) is not None):
            yield from self._beyond_own(port)
            return
        if not port.said("cable_m"):
            raise NotApplicable("no cable length is configured, and this NOS assumes none (HDR002)")
        if not port.cable_m:
            raise NotApplicable("a length of 0 stands for an unused port: HDR002")
        unknown = False
        for need in link_needs(port):
            if need.known_m is not None:
                yield from self._against_known(port, need, need.known_m)
            else:
                unknown = True
                yield from self._against_far_end(port, need)
        if unknown:
            raise NotAssessed("how long the cable really is stands in no intent and no cabling file")

    def _beyond_own(self, port: PortView) -> Iterator[Hit]:
        """A NOS that is told no length: its own buffers are made for cables up to a length, above it they have to be said."""
        groups = [g for n in sorted(port.protected_groups()) if (g := port.maybe.qos.groups.get(n)) is not None]
        least = _made_for(port)
        if least is None:
            raise NotApplicable("this NOS sizes headroom by no cable length, or its buffers are stated")
        unknown = False
        for length, names in cable_lengths(port).items():
            if length is None:
                unknown = True
            elif length > least:
                missing = absent(port, "pause buffers for the length", "group")
                yield self.hit(
                    f"the switch's own no-drop buffers are made for cables of up to {least} m, and the cable is {length} m",
                    at=port.origin("cable_m") if port.said("cable_m") else missing,
                    port=port,
                    observed=f"own buffers, for {least} m",
                    expected=f"buffers stated for {length} m",
                    why=_WHY,
                    basis=("the length by intent, cabling file or description",),
                    rests_on=tuple(port.origin(f"group.{g.id}.headroom") for g in groups),
                    only_ports=names,
                )
        if unknown:
            raise NotAssessed("the cable's length is not known", Fact.CABLE)

    def _against_known(self, port: PortView, need: LinkNeed, real: int) -> Iterator[Hit]:
        if port.cable_m < real:
            yield self._hit(
                port, need.ports, f"headroom is sized for a cable of {port.cable_m} m, and the cable is {real} m", real,
                "the length by intent or cabling file",
            )  # fmt: skip

    def _against_far_end(self, port: PortView, need: LinkNeed) -> Iterator[Hit]:
        """One cable, two lengths: the ends contradict each other, and nobody says which is right."""
        by_length: dict[int, list[tuple[str, str, str, Origin | None, PortView]]] = {}
        for name in need.ports:
            far = cable_at_far_end(port, name)
            if far is not None and far.cable_m > port.cable_m:
                by_length.setdefault(far.cable_m, []).append((name, far.device, far.port, far.at, far.view))
        for length, ends in by_length.items():
            _, device, _, at, view = ends[0]
            yield self.hit(
                f"headroom is sized for a cable of {port.cable_m} m, and the other end takes the same cable for {length} m",
                at=port.origin("cable_m"),
                port=port,
                severity=Severity.NOTE,
                confidence=Confidence.INFERRED,
                observed=f"{port.cable_m} m",
                expected=f"{length} m",
                why=_WHY,
                basis=(f"the length that {device} states for the cable",),
                related=((view, at, "the other end"),),
                only_ports=tuple(e[0] for e in ends),
                explains=(),
            )

    def _hit(self, port: PortView, ports: tuple[str, ...], message: str, real: int, basis: str) -> Hit:
        return self.hit(
            message,
            at=port.origin("cable_m"),
            port=port,
            observed=f"{port.cable_m} m",
            expected=f"{real} m",
            why=_WHY,
            basis=(basis,),
            only_ports=ports,
        )


def _made_for(port: PortView) -> int | None:
    """The length of cable that the switch's own headroom is made for, where it is told none."""
    groups = [port.maybe.qos.groups.get(n) for n in port.protected_groups()]
    return min((g.headroom_for_m for g in groups if g is not None and g.headroom_for_m is not None), default=None)
