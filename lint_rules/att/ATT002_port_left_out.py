"""ATT002: a port lacks what its siblings have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from xoff.lint.rules import (
    Colour,
    Confidence,
    Fact,
    HeaderField,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    PfcMode,
    Port,
    PortView,
    QueueKind,
    Rule,
    Scope,
    Severity,
    Siblings,
    Unknown,
    absent,
    known,
)


@dataclass(frozen=True, slots=True)
class _Gap:
    """Something most siblings have and the port has not: in words, how many have it, and which findings it accounts for."""

    what: str
    count: int
    total: int
    explains: tuple[str, ...]
    root: str = "pfc"


_PFC = (
    "MAP001", "MAP002", "MAP003", "MAP004", "PFC001", "PFC002", "PFC003", "PFC004", "HDR", "BUF", "WDG", "HST001", "DRF001",
)  # fmt: skip


_ECN = ("ECN", "DRF001")
_WHY = (
    "Traffic of the lossless class is spread over all of these ports; on this one it is not protected and drops under the load "
    "that the others survive."
)
_WHY_ECN = (
    "Traffic of the lossless class is spread over all of these ports; on this one nobody tells the senders to slow down: its "
    "queue grows until PFC stops the neighbours."
)


class PortLeftOut(Rule):
    code = "ATT002"
    name = "port-left-out"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.PORT
    explains = ("MAP", "PFC001", "PFC002", "PFC003", "PFC004", "HDR", "BUF", "ECN", "CNP", "WDG", "HST001", "DRF001")

    def check_port(self, port: PortView) -> Iterator[Hit]:
        if not port.maybe.carrying_kind or port.maybe.admin is False:
            raise NotApplicable("the port is down, or of a kind that carries no class")
        lossless = port.device.fabric.lossless
        if not lossless:
            raise NotApplicable("no lossless class in force")
        if not isinstance(port.carried, Unknown) and not any(port.carries(c) for c in lossless):
            raise NotApplicable(f"the port carries no lossless class: {port.why_carried}")
        if isinstance(port.carried, Unknown) and port.turned_off:
            raise NotAssessed(port.carried.reason, port.carried.fact)
        siblings = port.device.fabric.siblings(port)
        port.protected_groups()  # raises where the port's own PFC cannot be known
        found, unsettled = [], []
        for look in (_no_drop, _trust, _buffers, _marking):
            try:
                gap = look(port, siblings)
            except NotAssessed as why:
                unsettled.append(why)
                continue
            if gap is not None:
                found.append(gap)
        if not found:
            if unsettled:
                yield from self._unclassified(port)
                raise unsettled[0]
            return
        what = ", ".join(g.what for g in found)
        count, total = min(g.count for g in found), found[0].total
        yield self.hit(
            f"the port has no {', no '.join(g.what for g in found)}; {count} of {total} {siblings.ground} have",
            at=absent(port, what, found[0].root),
            port=port,
            observed="absent",
            expected=what,
            why=_WHY_ECN if all(g.explains is _ECN for g in found) else _WHY,
            basis=(f"siblings: {siblings.ground}, {count} of {total} alike",),
            related=tuple(_example(port, siblings)),
            # Where no intent says what the ports are for, their majority stands in for it.
            confidence=Confidence.CERTAIN if port.device.fabric.plan is not None else Confidence.INFERRED,
            explains=tuple(dict.fromkeys(code for g in found for code in g.explains)),
        )

    def _unclassified(self, port: PortView) -> Iterator[Hit]:
        """Too few siblings for a majority, but the port speaks for itself: PFC by its own line, and nothing can use it.

        All other ports of the switch that turn PFC on classify into the class; this one classifies nothing at all.
        """
        if not _pfc_for_nothing(port):
            return
        others = [v for v in port.device.ports if v is not port and _turns_pfc_on(v)]
        count = sum(len(v.ports) for v in others)
        if not others or not all(_classifies(v) for v in others):
            return
        yield self.hit(
            f"the port turns PFC on and classifies nothing, so nothing reaches its no-drop class; "
            f"{count} of {count} other ports of the switch with PFC do",
            at=absent(port, "classification", "classify"),
            port=port,
            severity=Severity.WARNING,
            observed="no classification",
            expected="classification as on the other ports with PFC",
            why=_WHY,
            basis=("its own line that turns PFC on",),
            related=((others[0], others[0].origin("classify.trust"), f"a port that has it ({others[0].maybe.name})"),),
            confidence=Confidence.INFERRED,
            explains=("MAP", "PFC001", "PFC002", "PFC003", "ECN", "CNP", "HST001", "DRF001"),
        )


def _turns_pfc_on(port: PortView) -> bool:
    body = port.maybe
    if not body.carrying_kind or body.admin is False or not port.said("pfc.mode"):
        return False
    return body.qos.pfc.mode in (PfcMode.ON, PfcMode.AUTO) and any(body.qos.pfc.send.values())


def _pfc_for_nothing(port: PortView) -> bool:
    """Whether a line turns PFC on and no frame can come into a group that pauses, as nothing classifies here."""
    c = port.maybe.qos.classify
    if not _turns_pfc_on(port) or c.matches or port.said("classify.trust") or port.opaque_policy:
        return False
    return {c.tagged_ip, c.untagged_ip} == {HeaderField.PORT} and c.default_tc not in port.protected_groups()


def _classifies(port: PortView) -> bool:
    """Whether some DSCP or PCP comes into a group that pauses."""
    groups = port.protected_groups()
    return any(isinstance(m.tc, int) and m.tc in groups for m in port.maybe.qos.classify.matches)


def _no_drop(port: PortView, siblings: Siblings) -> _Gap | None:
    usual, count, total = siblings.majority(_sent)
    if isinstance(usual, Unknown):
        raise NotAssessed(usual.reason, usual.fact)
    mine = known(_sent(port.maybe))
    missing = usual - mine - _not_carried(port)
    if not missing:
        return None
    what = f"PFC for priority {_list(missing)}"
    return _Gap(what, count, total, _PFC)


def _trust(port: PortView, siblings: Siblings) -> _Gap | None:
    if not any(c.dscp for c in port.device.fabric.lossless):
        return None
    usual, count, total = siblings.majority(_reads_dscp)
    mine = port.maybe.qos.classify.untagged_ip
    if usual is not True or port.opaque_policy or mine is HeaderField.DSCP:
        return None
    if isinstance(mine, Unknown) and (mine.fact is Fact.CONFIG or port.said("classify.trust")):
        raise NotAssessed(mine.reason, mine.fact)  # else the port says nothing, whatever its NOS makes of that
    return _Gap(
        "classification by DSCP", count, total, ("MAP", "PFC001", "PFC002", "PFC003", "CNP", "HST001", "DRF001"), "classify"
    )


def _buffers(port: PortView, siblings: Siblings) -> _Gap | None:
    usual, count, total = siblings.majority(_lossless_groups)
    missing = usual - _lossless_groups(port.maybe) - _not_carried(port)
    pfc = siblings.majority(_sent)[0]
    if not isinstance(pfc, Unknown):
        missing -= pfc - known(_sent(port.maybe))  # said already: without PFC for it, its buffers are no question
    unknown = {g.id for g in port.maybe.qos.groups.values() if isinstance(g.lossless, Unknown)}
    if not missing or missing & unknown:
        return None
    return _Gap(f"lossless buffers for group {_list(missing)}", count, total, ("MAP002", "HDR", "BUF", "DRF001"))


def _marking(port: PortView, siblings: Siblings) -> _Gap | None:
    usual, count, total = siblings.majority(_marking_queues)
    elsewhere = {port.maybe.qos.tc_to_queue.get(p) for p in _not_carried(port)}
    # A curve that cannot be read (its profile is not defined) is that fault's matter, not a port left out.
    unread = {q.id.id for q in port.maybe.qos.queues.values() if any(isinstance(c.marks, Unknown) for c in q.curves.values())}
    missing = usual - _marking_queues(port.maybe) - elsewhere - unread
    if not missing:
        return None
    return _Gap(f"ECN marking on queue {_list(missing)}", count, total, _ECN, "queue")


def _sent(port: Port) -> Any:
    """Priorities that this port pauses for; Unknown where its PFC mode cannot be known."""
    pfc = port.qos.pfc
    if isinstance(pfc.mode, Unknown):
        return pfc.mode
    if pfc.mode is PfcMode.OFF:
        return frozenset()
    return frozenset(p for sent in pfc.send.values() for p in sent)


def _reads_dscp(port: Port) -> bool | None:
    field = port.qos.classify.untagged_ip
    return None if isinstance(field, Unknown) else field is HeaderField.DSCP


def _lossless_groups(port: Port) -> frozenset[int]:
    return frozenset(g.id for g in port.qos.groups.values() if g.lossless is True)


def _marking_queues(port: Port) -> frozenset[int]:
    return frozenset(
        q.id.id
        for q in port.qos.queues.values()
        if q.id.kind is not QueueKind.MULTICAST and (c := q.curves.get(Colour.GREEN)) is not None and c.marks is True
    )


def _not_carried(port: PortView) -> frozenset[int]:
    """Priorities of lossless classes that do not run over this port: lacking them is no fault."""
    if isinstance(port.carried, Unknown):
        return frozenset()
    return frozenset(
        c.priority for c in port.device.fabric.lossless if c.name not in port.carried and isinstance(c.priority, int)
    )


def _example(port: PortView, siblings: Siblings) -> Iterator[tuple[PortView | None, Any, str]]:
    """The statement of one sibling that has it, for people to compare."""
    usual, _, _ = siblings.majority(_sent)
    for device, other in siblings.of:
        if _sent(other) == usual and other.at is not None and other.name not in port.names:
            yield None, other.at, f"a sibling that has it ({device.name} {other.name})"
            return


def _list(numbers: frozenset[int]) -> str:
    return ", ".join(str(n) for n in sorted(numbers))
