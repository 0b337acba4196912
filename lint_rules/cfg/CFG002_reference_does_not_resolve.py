"""CFG002: the way a reference is written cannot resolve on this release."""

from __future__ import annotations

from xoff.lint.rules import (
    ALL_EFFECTS,
    Definition,
    DeviceView,
    Fact,
    Hit,
    Impact,
    Iterator,
    NotAssessed,
    Reference,
    RefProblem,
    Rule,
    Scope,
    Severity,
    effects,
)

_SAID = {
    RefProblem.BRACKET: "is written in the old bracket form, which this release does not resolve",
    RefProblem.CASE: "differs in case from the name that is defined",
    RefProblem.JOINED: "joins several keys in one, which this release does not split",
    RefProblem.TABLE: "names another table than the one that this field looks in",
}


class ReferenceDoesNotResolve(Rule):
    code = "CFG002"
    name = "reference-does-not-resolve"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.SWITCH
    explains = ALL_EFFECTS

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        open_: dict[RefProblem, int] = {}
        for ref in device.maybe.references:
            if ref.problem is None or ref.resolves:
                continue  # no fault of spelling, or one that this release accepts
            if ref.resolves is None:
                open_[ref.problem] = open_.get(ref.problem, 0) + 1
                continue
            odd = _odd_definition(device, ref) if ref.problem is RefProblem.CASE else None
            yield self.hit(
                f"{ref.kind} reference {ref.name} {_SAID[ref.problem]}" + (f": {ref.detail}" if ref.detail else ""),
                at=odd.at if odd is not None else ref.origin,
                device=device,
                only_ports=ref.ports,
                observed=ref.name,
                expected=ref.detail or f"the bare, exact name of a {ref.kind}",
                why="The device logs a malformed or missing reference and leaves the object unbound; the port keeps the "
                "default instead, usually lossy.",
                # Without ports nothing says whom it hurts: then only what stands on the same line is its effect.
                explains=effects(ref.fills) if ref.ports else (),
                related=((None, ref.origin, "refers to it"),) if odd is not None else (),
                object=f"{ref.kind} {ref.name}",
            )
        if open_:
            parts = ", ".join(f"{p.value} ({n})" for p, n in sorted(open_.items()))
            raise NotAssessed(f"whether this release still resolves references of that form: {parts}", Fact.RELEASE)


def _odd_definition(device: DeviceView, ref: Reference) -> Definition | None:
    """The definition that differs in case from every reference to it, so that it is the one line to blame."""
    found = next((d for d in device.maybe.definitions if d.kind == ref.kind and d.name.lower() == ref.name.lower()), None)
    if found is None or any(r.kind == found.kind and r.name == found.name for r in device.maybe.references):
        return None
    return found
