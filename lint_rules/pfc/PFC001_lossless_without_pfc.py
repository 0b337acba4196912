"""PFC001: a port carries a lossless class, and PFC protects nothing for it there."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Absent,
    ClassInForce,
    Hit,
    Impact,
    Origin,
    PfcMode,
    PortView,
    Rule,
    Scope,
    Severity,
    absent,
    known,
)


class LosslessWithoutPfc(Rule):
    code = "PFC001"
    name = "lossless-without-pfc"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.PORT
    explains = (
        "MAP002", "MAP003", "MAP004", "PFC002", "PFC003", "PFC004", "HDR", "BUF", "ECN", "CNP", "WDG", "HST001", "DRF001",
    )  # fmt: skip

    def check_port_class(self, port: PortView, cls: ClassInForce) -> Iterator[Hit]:
        if port.groups_for(cls):
            return
        what, at, missing = _missing(port, cls)
        priority = cls.priority if isinstance(cls.priority, int) else None
        buffers = next((g for g in port.maybe.qos.groups.values() if g.lossless is True and g.id == priority), None)
        half = ""
        related: list[tuple[PortView | None, Origin | None, str]] = []
        if buffers is not None:
            half = f", although group {buffers.id} has lossless buffers"
            related.append((port, port.origin(f"group.{buffers.id}.profile", f"group.{buffers.id}.headroom"), "its buffers"))
        yield self.hit(
            f"class {cls.name} runs over the port, but {what}{half}",
            at=at,
            port=port,
            cls=cls,
            priority=priority,
            observed=missing,
            expected=f"PFC on, priority {priority} no-drop" if priority is not None else "PFC on, a no-drop priority",
            why=f"Nothing here asks the sender to stop: when the queues of class {cls.name} fill, the port drops, and "
            "pauses from the "
            "other end are not obeyed. Buffers or maps without PFC do not change that.",
            basis=(f"carries {cls.name}: {port.why_carried}",),
            related=tuple(related),
        )


def _missing(port: PortView, cls: ClassInForce) -> tuple[str, Origin | Absent | None, str]:
    """What is missing in words, the line to blame, and the observed value."""
    pfc = port.maybe.qos.pfc
    device = port.device.maybe
    if device.pfc_off is True:
        return "PFC is turned off for the whole switch", device.origins.of("pfc_off"), "PFC off on the switch"
    no_drop = sorted(pfc.no_drop)
    wish = f"priority {cls.priority} no-drop" if isinstance(cls.priority, int) else "a no-drop priority"
    if known(pfc.mode) is PfcMode.OFF:
        said = port.origin("pfc.mode") if port.said("pfc.mode") else None
        if no_drop:
            listed = ", ".join(str(p) for p in no_drop)
            return (
                f"PFC is off (priority {listed} is marked no-drop, to no effect)",
                said or absent(port, "PFC on", "pfc"),
                "PFC off",
            )
        whole = port.origin("pfc.no_drop") if port.said("pfc.no_drop") else None
        return "PFC is off", said or whole or absent(port, f"PFC on, {wish}", "pfc"), "PFC off"
    protected = sorted({p for g in pfc.send for p in port.sent_by(g)} | pfc.no_drop)
    if not protected:
        whole = port.origin("pfc.no_drop") if port.said("pfc.no_drop") else None
        return "PFC has no no-drop priority", whole or absent(port, wish, "pfc"), "no no-drop priority"
    listed = ", ".join(str(p) for p in protected)
    if cls.priority in pfc.no_drop:
        at = port.origin(f"pfc.no_drop.{cls.priority}")
        return f"no priority group sends pauses for it, although priority {cls.priority} is no-drop", at, "no group pauses"
    # One line may say it all (a list of priorities); then it is the line that lacks one.
    whole = port.origin("pfc.mode") if port.said("pfc.mode") else None
    at = whole if whole is not None and whole == port.origin(f"pfc.no_drop.{protected[0]}") else None
    return (
        f"PFC protects priority {listed} only, which other classes use",
        at or absent(port, wish, "pfc"),
        f"no-drop: {listed}",
    )
