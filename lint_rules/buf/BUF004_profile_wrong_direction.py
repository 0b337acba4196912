"""BUF004: a buffer profile of one direction is used in the other."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Absent,
    Architecture,
    BufferProfile,
    BufferUse,
    DeviceView,
    Direction,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    Origin,
    PortView,
    Rule,
    Scope,
    Severity,
    Unknown,
)

_WANTED = {
    BufferUse.GROUP: Direction.INGRESS,
    BufferUse.PORT_INGRESS: Direction.INGRESS,
    BufferUse.QUEUE: Direction.EGRESS,
    BufferUse.PORT_EGRESS: Direction.EGRESS,
}
_WHY = (
    "The object is accounted in a pool of the other direction, or the driver refuses the profile: its threshold and headroom "
    "are not in force, and the switch keeps whatever it had."
)


class ProfileWrongDirection(Rule):
    code = "BUF004"
    name = "profile-wrong-direction"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.SWITCH
    explains = ("BUF001", "DRF001")

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        used = [p for p in device.maybe.profiles.values() if p.used_as and p.direction is not Direction.BOTH]
        if not used:
            raise NotApplicable("no buffer profile of one direction is in use")
        stopped: list[NotAssessed] = []
        by_pool: dict[str, list[list[Hit]]] = {}
        for profile in used:
            try:
                by_pool.setdefault(str(profile.pool), []).append(list(self._judge(device, profile)))
            except NotAssessed as why:
                stopped.append(why)
        for pool, found in by_pool.items():
            if len(found) > 1 and all(found):
                yield self._pool(device, pool, found)
            else:
                yield from (hit for hits in found for hit in hits)
        if stopped:
            raise stopped[0]

    def _pool(self, device: DeviceView, name: str, found: list[list[Hit]]) -> Hit:
        """Every profile of a pool is used for the other direction: it is the pool that is turned round."""
        pool = next((p for p in device.maybe.pools if p.name == name), None)
        first = found[0][0]
        return self.hit(
            f"pool {name} is of the other direction than all {len(found)} profiles that take from it",
            at=(pool.origins.get("type") or pool.origins.get("")) if pool is not None else first.at,
            device=device,
            observed=first.observed,
            expected=first.expected,
            why=_WHY,
            related=tuple((h.port, h.at, h.object) for hits in found for h in hits[:1] if not isinstance(h.at, Absent)),
            object=name,
        )

    def _judge(self, device: DeviceView, profile: BufferProfile) -> Iterator[Hit]:
        for use in sorted(profile.used_as):
            if isinstance(profile.direction, Unknown):
                raise NotAssessed(profile.direction.reason, profile.direction.fact)
            if profile.direction is _WANTED[use]:
                continue
            if use in (BufferUse.QUEUE, BufferUse.PORT_EGRESS):
                architecture = device.maybe.architecture
                if architecture is Architecture.VOQ:
                    continue  # packets wait in the ingress buffer, so queues take an ingress pool
                if isinstance(architecture, Unknown) and profile.direction is Direction.INGRESS and _voq(device):
                    raise NotAssessed(f"{architecture.reason}: on a VOQ chip queues use an ingress pool", architecture.fact)
            places = list(_uses(device, profile.name, use))
            for port, origin in places:
                yield self._hit(profile, use, origin, device, port)
            if not places:
                yield self._hit(profile, use, profile.origins.get("pool") or profile.origins.get(""), device, None)

    def _hit(self, profile: BufferProfile, use: BufferUse, at: Origin | None, device: DeviceView, port: PortView | None) -> Hit:
        wanted = _WANTED[use]
        return self.hit(
            f"profile {profile.name} takes from {profile.direction} pool {profile.pool} and is used for a {use}, which "
            f"is {wanted}",
            at=at,
            port=port,
            device=device,
            observed=f"{profile.direction} pool {profile.pool}",
            expected=f"a pool of type {wanted}",
            why=_WHY,
            related=((None, profile.origins.get("pool"), f"pool of profile {profile.name}"),),
            object=f"{profile.name} as {use}",
        )


def _uses(device: DeviceView, name: str, use: BufferUse) -> Iterator[tuple[PortView, Origin | None]]:
    """Port bodies that use the profile so, each with the line that binds it."""
    for port in device.ports:
        qos = port.maybe.qos
        if use is BufferUse.GROUP:
            found = [f"group.{g.id}.profile" for g in qos.groups.values() if g.profile == name]
        elif use is BufferUse.QUEUE:
            found = [f"queue.{q.id}.profile" for q in qos.queues.values() if q.profile == name]
        else:
            return
        for path in found:
            if port.said(path):
                yield port, port.origin(path)


def _voq(device: DeviceView) -> bool:
    """Whether some port has virtual output queues."""
    return any(q.kind == "voq" for p in device.ports for q in p.maybe.qos.queues)
