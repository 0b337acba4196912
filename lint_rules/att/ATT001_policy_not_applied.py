"""ATT001: a lossless QoS object is complete, but bound nowhere or never applied."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Definition,
    DeviceView,
    Fact,
    Form,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    Rule,
    Scope,
    Severity,
    Unknown,
    protected_groups,
)


class PolicyNotApplied(Rule):
    code = "ATT001"
    name = "policy-not-applied"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.SWITCH
    explains = ("MAP", "PFC001", "PFC002", "PFC003", "PFC004", "HDR", "BUF", "ECN", "CNP", "WDG", "HST001", "DRF001")

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        lossless = [d for d in device.maybe.definitions if d.lossless]
        if not lossless:
            raise NotApplicable("no named lossless object on this switch")
        idle = [d for d in lossless if not _in_force(device, d)]
        for definition in idle:
            if any(d.kind == definition.kind and _in_force(device, d) for d in lossless):
                continue  # left over beside one that is in force: CFG006
            if definition.applied is False:
                yield self._hit(device, definition)
            elif device.maybe.form is Form.FRAGMENT:
                raise NotAssessed(f"where {definition.kind} {definition.name} is bound is not in this file", Fact.CONFIG)
            elif device.maybe.form is Form.RUNNING and _needed(device):
                yield self._hit(device, definition)

    def _hit(self, device: DeviceView, definition: Definition) -> Hit:
        bound = definition.applied is not False
        how = f" ({definition.how_applied})" if definition.how_applied else ""
        what = "no interface uses it" if bound else f"it is never applied{how}"
        return self.hit(
            f"{definition.kind} {definition.name} is complete, but {what}",
            at=definition.at,
            device=device,
            observed="bound nowhere" if bound else "not applied",
            expected=f"bound to the ports of the lossless class{how}" if bound else f"applied{how}",
            why="The configuration only looks lossless. The hardware runs with its defaults: no pause is sent, and the "
            "queue that was "
            "to be lossless drops at its limit."
            if bound
            else "Until it is applied the hardware keeps its own thresholds and headroom, whatever stands in the profile.",
            explains=self.explains if bound else ("HDR", "BUF", "DRF001"),
            object=f"{definition.kind} {definition.name}",
        )


def _in_force(device: DeviceView, definition: Definition) -> bool:
    if definition.applied is not None:
        return definition.applied
    return any(r.name == definition.name and r.kind == definition.kind for r in device.maybe.references)


def _needed(device: DeviceView) -> bool:
    """Whether some port in use lacks what the object would give it: no port has PFC, or a port of a lossless class has none."""
    ports = [p for p in device.maybe.ports.values() if p.carrying_kind and p.admin is not False]
    groups = {id(p.qos): protected_groups(p.qos) for p in ports}
    unprotected = [p for p in ports if not isinstance(groups[id(p.qos)], Unknown) and not groups[id(p.qos)]]
    if len(unprotected) == len(ports):
        return bool(ports)
    carrying = {n for view in device.carrying for n in view.names}
    return any(p.name in carrying for p in unprotected)
