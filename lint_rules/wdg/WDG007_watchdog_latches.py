"""WDG007: the action of the watchdog outlasts the storm."""

from __future__ import annotations

from typing import ClassVar

from xoff.lint.rules import (
    Hit,
    Impact,
    Iterator,
    NotApplicable,
    PortView,
    Rule,
    Scope,
    Severity,
    Unknown,
    WatchdogAction,
)


class WatchdogLatches(Rule):
    code = "WDG007"
    name = "watchdog-latches"
    severity = Severity.WARNING
    impact = Impact.STALL
    scope = Scope.PORT
    explains: ClassVar[tuple[str, ...]] = ("DRF001",)

    def check_port(self, port: PortView) -> Iterator[Hit]:
        body = port.maybe
        if not body.carrying_kind or body.admin is False:
            raise NotApplicable("no port that carries a class")
        if not body.qos.pfc.no_drop:
            raise NotApplicable("no no-drop priority on the port")
        watchdog = port.qos.watchdog
        if not watchdog.available:
            raise NotApplicable("this NOS or platform has no PFC watchdog")
        if not watchdog.enabled:
            raise NotApplicable("the watchdog is off")
        if not watchdog.latch:
            return
        action = watchdog.maybe.action
        shut = action is WatchdogAction.ERRDISABLE
        said = "error-disables the port" if shut else "turns PFC off"
        origin = port.origin("watchdog.action", "watchdog.latch", "watchdog.enabled")
        yield self.hit(
            f"the PFC watchdog {said} and leaves it so until someone resets it",
            at=origin,
            port=port,
            observed="latches" if action is None or isinstance(action, Unknown) else f"{action.value}, latches",
            expected="drop or forward while the storm lasts, then restore",
            why="One storm of a second takes the link out for good."
            if shut
            else "After one storm of a second the priority stays lossy for good.",
        )
