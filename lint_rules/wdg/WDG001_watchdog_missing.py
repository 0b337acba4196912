"""WDG001: a no-drop priority that the PFC watchdog does not watch."""

from __future__ import annotations

from typing import ClassVar

from xoff.lint.rules import (
    Absent,
    BodyLine,
    FabricView,
    Hit,
    Impact,
    Iterator,
    Line,
    NotApplicable,
    Origin,
    PfcMode,
    Port,
    PortView,
    Rule,
    Scope,
    Severity,
    Unknown,
    known,
)


class WatchdogMissing(Rule):
    code = "WDG001"
    name = "watchdog-missing"
    severity = Severity.WARNING
    impact = Impact.DEADLOCK
    scope = Scope.PORT
    explains: ClassVar[tuple[str, ...]] = ("DRF001",)

    def __init__(self) -> None:
        self._peers: tuple[FabricView, dict[tuple[str, str], Port]] | None = None

    def check_port(self, port: PortView) -> Iterator[Hit]:
        body = port.maybe
        if not body.carrying_kind or body.admin is False:
            raise NotApplicable("no port that carries a class")
        if not body.qos.pfc.no_drop or known(port.device.maybe.pfc_off) or port.qos.pfc.mode is PfcMode.OFF:
            raise NotApplicable("PFC is not on for any priority of the port")
        if not port.asks_for_pfc:
            raise NotApplicable("PFC is there by the NOS's default only; nobody asked for it on this port")
        watchdog = port.qos.watchdog
        if not watchdog.available:
            raise NotApplicable("this NOS or platform has no PFC watchdog")
        watched = watchdog.priorities if watchdog.enabled else frozenset()
        missing = body.qos.pfc.no_drop - watched
        if not missing:
            return
        at = self._at(port)
        lone, both = self._split(port)
        off = not watchdog.enabled
        for names, severity, tail in ((lone, Severity.WARNING, ""), (both, Severity.ERROR, ", nor does the other end's")):
            if names:
                yield self.hit(
                    f"no-drop priorit{'y' if len(missing) == 1 else 'ies'} {_listed(missing)}: "
                    f"{'the PFC watchdog is off' if off else f'the PFC watchdog watches {_listed(watched)} only'}{tail}",
                    at=at,
                    port=port,
                    severity=severity,
                    only_ports=names,
                    rests_on=(port.maybe.origins.get("watchdog.enabled"),),
                    observed="off" if off else f"watched: {_listed(watched)}",
                    expected=f"watched: {_listed(body.qos.pfc.no_drop)}",
                    why="A peer that never stops pausing (a stuck NIC, a cycle of full buffers) stops this queue for good; "
                    "without the watchdog nothing ends that, and the pause spreads hop by hop.",
                )

    @staticmethod
    def _at(port: PortView) -> Origin | Absent:
        """The line that leaves the watchdog off or the priority out; else what is missing in the port's block."""
        enabled = known(port.maybe.qos.watchdog.enabled)
        found = port.maybe.origins.get("watchdog.priorities" if enabled else "watchdog.enabled")
        if isinstance(found, (Line, BodyLine)):
            return found
        return Absent("PFC watchdog")

    def _split(self, port: PortView) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Ports whose far end is not known to lack it too; ports where both ends have a watchdog to offer and none is on."""
        fabric = port.device.fabric
        if self._peers is None or self._peers[0] is not fabric:
            self._peers = (fabric, _far_ports(fabric))
        if known(port.maybe.qos.watchdog.enabled):
            return port.names, ()
        both = tuple(n for n in port.names if _unwatched(self._peers[1].get((port.device.name, n))))
        return tuple(n for n in port.names if n not in both), both


def _far_ports(fabric: FabricView) -> dict[tuple[str, str], Port]:
    found: dict[tuple[str, str], Port] = {}
    for link in fabric.links:
        if link.b is not None:
            found[link.a.device.name, link.link.a.port] = link.b.maybe
            found[link.b.device.name, link.link.b.port] = link.a.maybe
    return found


def _unwatched(far: Port | None) -> bool:
    """Whether the far end has a watchdog to offer and it is off; Unknown counts as no."""
    if far is None:
        return False
    w = far.qos.watchdog
    return w.available is True and not isinstance(w.enabled, Unknown) and not w.enabled


def _listed(values: frozenset[int]) -> str:
    return ", ".join(str(v) for v in sorted(values))
