"""CFG005: template output that was never filled in."""

from __future__ import annotations

from xoff.lint.rules import ALL_EFFECTS, DeviceView, Hit, Impact, Iterator, RemarkKind, Rule, Scope, Severity, effects


class TemplateResidue(Rule):
    code = "CFG005"
    name = "template-residue"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.FILE
    explains = ALL_EFFECTS

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        for remark in device.maybe.remarks:
            if remark.kind is not RemarkKind.RESIDUE:
                continue
            yield self.hit(
                remark.message or f"the template was not filled in here: {remark.shape}",
                at=remark.origin,
                device=device,
                only_ports=remark.ports,
                observed=remark.origin.text,
                expected=remark.expected or "the value that the template should have put here",
                why="The device refuses the line, or takes the residue for a name; the setting that should stand here is not "
                "in force.",
                explains=effects(remark.fills) if remark.ports else (),
            )
