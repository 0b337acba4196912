"""CFG004: a value that the NOS cannot mean."""

from __future__ import annotations

from xoff.lint.rules import ALL_EFFECTS, DeviceView, Hit, Impact, Iterator, RemarkKind, Rule, Scope, Severity, effects


class InvalidValue(Rule):
    code = "CFG004"
    name = "invalid-value"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.SWITCH
    explains = ALL_EFFECTS

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        for remark in device.maybe.remarks:
            if remark.kind is not RemarkKind.INVALID:
                continue
            yield self.hit(
                remark.message or f"the NOS cannot mean this value: {remark.shape}",
                at=remark.origin,
                device=device,
                severity=Severity.ERROR if remark.reached else Severity.WARNING,
                only_ports=remark.ports,
                observed=remark.origin.text,
                expected=remark.expected or None,
                why="The device refuses the value or drops the whole entry, so the object keeps its default; what reads the "
                "file more strictly than the device fails altogether.",
                # Without ports nothing says whom the value hurts: then only the same line counts as its effect.
                explains=effects(remark.fills) if remark.ports else (),
            )
