"""HDR002: a priority group pauses its sender and has no headroom at all."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Absent,
    Derived,
    Fact,
    Form,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    Origin,
    PoolKind,
    PortView,
    PriorityGroup,
    Quantity,
    Rule,
    Scope,
    Severity,
    keeps_private_headroom,
    known,
    table_row,
)

_WHY = (
    "The pause goes out when the group's threshold is reached; all that the peer sends until it stops has no place to go and "
    "is dropped. PFC counters look healthy while packets are lost."
)


def _buffers_here(port: PortView) -> bool:
    """Whether lossless buffers of other ports are in the input: then what is missing here is missing."""
    return any(g.lossless is True for p in port.device.ports for g in p.maybe.qos.groups.values())


class HeadroomMissing(Rule):
    code = "HDR002"
    name = "headroom-missing"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.PORT
    explains = ("DRF001",)

    def check_port(self, port: PortView) -> Iterator[Hit]:
        if not port.maybe.carrying_kind or port.maybe.admin is False:
            raise NotApplicable("no port in use that can carry a lossless class")
        groups = sorted(port.protected_groups())
        if not groups:
            raise NotApplicable("PFC protects no group on this port")
        stopped: list[NotAssessed] = []
        missing: dict[tuple[str, Origin | None], list[int]] = {}
        for g in groups:
            try:
                group = port.maybe.qos.groups.get(g)
                if group is None and port.device.maybe.form is Form.FRAGMENT and not _buffers_here(port):
                    raise NotAssessed("the buffers of this group are not in the input", Fact.CONFIG)
                if group is None or _none(group):
                    missing.setdefault(_place(port, group, g), []).append(g)
                else:
                    yield from self._pool(port, group)
            except NotAssessed as why:
                stopped.append(why)
        for (what, at), numbers in missing.items():
            yield self._missing(port, tuple(numbers), what, at)
        if stopped:
            raise stopped[0]

    def _missing(self, port: PortView, numbers: tuple[int, ...], what: str, at: Origin | None) -> Hit:
        several = len(numbers) > 1
        named = f"group{'s' if several else ''} {', '.join(map(str, numbers))}"
        first = numbers[0]
        group = port.maybe.qos.groups.get(first)
        return self.hit(
            f"priority {named} {'send' if several else 'sends'} pauses and {'have' if several else 'has'} no headroom: "
            f"{what}{_reason(port)}",
            at=at or Absent(f"buffer of priority {named}"),
            port=port,
            observed="0 B" if group is not None and group.headroom is not None else "none",
            expected="headroom for the port's speed and cable",
            why=_WHY,
            related=(
                (port, port.origin(f"pfc.send.{first}", f"pfc.no_drop.{first}", "pfc.mode"), "PFC is on here"),
                (port, port.origin(f"group.{first}.profile"), "the group's profile"),
            ),
        )

    def _pool(self, port: PortView, group: PriorityGroup) -> Iterator[Hit]:
        """Headroom that only a shared headroom pool can keep, where no pool keeps any."""
        if group.headroom_by_device or not isinstance(group.headroom, Quantity) or not isinstance(group.pool, str):
            return
        pools = port.device.maybe.pools
        own = next((p for p in pools if p.name == group.pool and p.kind is PoolKind.SHARED), None)
        if own is None or not isinstance(own.size, Quantity):
            return
        kept = [p for p in pools if p.kind is PoolKind.HEADROOM and p.direction is own.direction]
        if any(p.size is None or not isinstance(p.size, Quantity) or p.size.amount for p in kept):
            return
        if keeps_private_headroom(port.device, group) is not False:
            return
        yield self.hit(
            f"priority group {group.id} counts on a shared headroom pool (its reserved size is its xon, headroom "
            f"{group.headroom}), and pool {own.name} keeps none",
            at=Absent(f"headroom of pool {own.name}", path=getattr(own.origins.get(""), "path", ()), at=own.origins.get("")),
            port=port,
            observed="no headroom pool",
            expected=f"a headroom pool in {own.name}",
            why=_WHY,
            related=((port, port.origin(f"group.{group.id}.headroom"), "headroom that nothing backs"),),
        )


def _none(group: PriorityGroup) -> bool:
    """Whether the group has no headroom. Raises NotAssessed where that cannot be known."""
    said = group.headroom
    if isinstance(said, Quantity):
        return not said.amount
    if group.headroom_by_device and known(group.lossless):
        return False
    return said is None or not known(said)


def _reason(port: PortView) -> str:
    """What the cable and the headroom table in the input say of it, where they say something."""
    cable, speed = port.maybe.cable_m, port.maybe.speed
    if not isinstance(cable, int):
        return ""
    if cable == 0:
        return "; its cable is 0 m, which stands for an unused port, and the port is up"
    if not isinstance(speed, int) or not port.device.maybe.headroom_table:
        return ""
    if table_row(port.device, speed, cable, exact=True) is None:
        return f"; the headroom table in the input has no row for {speed / 1000:g}G and {cable} m"
    return ""


def _place(port: PortView, group: PriorityGroup | None, g: int) -> tuple[str, Origin | None]:
    """What is wrong, and the line where it stands; None where no line does and one is missing."""
    what = _what(group)
    if port.maybe.cable_m == 0 and port.said("cable_m"):
        return what, port.origin("cable_m")
    if group is None:
        return what, None
    for path in (f"group.{g}.headroom", f"group.{g}.profile"):
        if port.said(path):
            return what, port.origin(path)
    at = port.origin(f"group.{g}")
    if isinstance(at, Derived):
        said = at.formula if port.maybe.cable_m is None else "the device binds none by itself"
        return said, port.origin("cable_m") if port.said("cable_m") else None
    return what, at


def _what(group: PriorityGroup | None) -> str:
    if group is None:
        return "no buffer profile is bound to it"
    if group.headroom is None and group.lossless is True and group.profile is None:
        return "nothing keeps any for it"
    named = f"profile {group.profile}" if group.profile else "its buffer"
    return f"{named} keeps a headroom of 0" if group.headroom is not None else f"{named} is not one for lossless traffic"
