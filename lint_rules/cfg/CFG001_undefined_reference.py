"""CFG001: a QoS object is referenced but defined nowhere on the device."""

from __future__ import annotations

from xoff.lint.rules import (
    ALL_EFFECTS,
    DeviceView,
    Fact,
    Hit,
    Impact,
    Iterator,
    NotAssessed,
    Reference,
    Rule,
    Scope,
    Severity,
    effects,
)


class UndefinedReference(Rule):
    code = "CFG001"
    name = "undefined-reference"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.SWITCH
    explains = ALL_EFFECTS

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        absent: dict[str, int] = {}
        for ref in device.maybe.references:
            if ref.resolves is None:
                absent[ref.kind] = absent.get(ref.kind, 0) + 1
            elif not ref.resolves and ref.problem is None:
                yield self.hit(
                    _message(ref),
                    at=ref.origin,
                    device=device,
                    only_ports=ref.ports,
                    observed=ref.name,
                    expected=f"a {ref.kind} of that name",
                    why="The device ignores the line or refuses it, so what the object should have set keeps its default: "
                    "nothing is mapped, protected or marked by it.",
                    # Without ports nothing says whom it hurts: then only what stands on the same line is its effect.
                    explains=effects(ref.fills) if ref.ports else (),
                    object=f"{ref.kind} {ref.name}",
                )
        if absent:
            parts = ", ".join(f"{n} to a {kind}" for kind, n in sorted(absent.items()))
            raise NotAssessed(f"references whose definitions are not in this fragment: {parts}", Fact.CONFIG)


def _message(ref: Reference) -> str:
    if ref.name == "*":  # a row for a port: the engine names the ports
        return f"a row names a port that {ref.kind} does not have" + (f": {ref.detail}" if ref.detail else "")
    return f"{ref.kind} {ref.name} is used and defined nowhere on this device" + (f" ({ref.detail})" if ref.detail else "")
