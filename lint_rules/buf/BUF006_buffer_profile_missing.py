"""BUF006: a queue or priority group in use has no buffer profile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from xoff.lint.rules import (
    Absent,
    BodyLine,
    Confidence,
    DeviceView,
    Fact,
    Form,
    Hit,
    Impact,
    MatchKind,
    NotApplicable,
    NotAssessed,
    PortView,
    QueueId,
    QueueKind,
    Rule,
    Scope,
    Severity,
    Unknown,
    unicast_queue,
)

#: So many queues with a profile to one without: then that one was left out.
MANY = 6
_WHY = (
    "Without a profile the object has no share of any pool: it keeps its reserved minimum, if it has one, and drops all that "
    "comes "
    "beyond."
)
_NOTHING = (
    "The device makes QoS and buffers in one step. Where that step found no buffer template for the model, the maps are in "
    "force and "
    "no group has headroom: PFC is on and packets are lost."
)


class BufferProfileMissing(Rule):
    code = "BUF006"
    name = "buffer-profile-missing"
    severity = Severity.WARNING
    impact = Impact.LOSS
    scope = Scope.PORT
    explains = ("DRF001",)

    def check_port(self, port: PortView) -> Iterator[Hit]:
        if not port.maybe.carrying_kind or port.maybe.admin is False:
            raise NotApplicable("no port in use that can carry a lossless class")
        if "buffers" in port.device.maybe.without:
            yield from self._nothing(port)
            return
        groups, queues = _binds(port.device, "group"), _binds(port.device, "queue")
        if not groups and not queues:
            raise NotApplicable("no buffer profiles are bound to single groups or queues on this switch")
        if groups:
            yield from self._groups(port)
        if queues:
            yield from self._queues(port)

    def _nothing(self, port: PortView) -> Iterator[Hit]:
        protected = sorted(port.protected_groups())
        if not protected:
            raise NotApplicable("PFC protects no group on this port")
        named = ", ".join(map(str, protected))
        yield self.hit(
            f"PFC protects priority group {named}, and the configuration has no buffers at all: no pool, no profile, nothing "
            f"bound",
            at=Absent("buffer pools and profiles"),
            port=port,
            confidence=Confidence.INFERRED,
            observed="no buffer pool or profile",
            expected="pools, profiles, and a profile for every group and queue in use",
            why=_NOTHING,
            basis=("maps, schedulers and PFC are in the input, so it is no part of a configuration",),
            related=((port, port.origin(f"pfc.send.{protected[0]}", "pfc.mode"), "PFC is on here"),),
        )

    def _groups(self, port: PortView) -> Iterator[Hit]:
        qos = port.maybe.qos
        own = [n for n in qos.groups if isinstance(port.maybe.origins.get(f"group.{n}.profile"), BodyLine)]
        if not own and port.device.maybe.form is Form.FRAGMENT:
            raise NotAssessed("nothing is bound to groups of this port, and the file is part of a configuration", Fact.CONFIG)
        elsewhere = _protected(port.device)  # HDR002's here, PFC001's and ATT002's on ports that lack PFC
        if not any(port.maybe.qos.groups[n].lossless is False for n in own):
            return  # only lossless groups are bound on this port: what the others have is left to the device
        bare: dict[int, list[int]] = {}
        for tc in sorted(_classified(port)):
            number = qos.tc_to_group.get(tc)
            if isinstance(number, int) and number not in elsewhere and number not in qos.groups:
                bare.setdefault(number, []).append(tc)
        for number, tcs in bare.items():
            missing = Absent(f"buffer profile of priority group {number}")
            line = port.origin(f"tc_to_group.{tcs[0]}") if len(tcs) == 1 else None
            many = len(tcs) > 1
            yield self.hit(
                f"traffic class{'es' if many else ''} {', '.join(map(str, tcs))} {'are' if many else 'is'} counted in priority "
                f"group {number}, which has no buffer profile",
                at=line or missing,
                port=port,
                observed="no profile",
                expected=f"a profile for priority group {number}, or a group that has one",
                why=_WHY,
                related=(
                    (port, port.origin(f"tc_to_group.{tcs[0]}", "tc_to_group"), "what uses the group"),
                    (port, port.origin(f"group.{own[0]}.profile") if own else None, "a group of the port that has one"),
                ),
                object=f"priority group {number}",
            )

    def _queues(self, port: PortView) -> Iterator[Hit]:
        qos = port.maybe.qos
        bound = sorted(q.id.id for q in qos.queues.values() if q.profile is not None and q.id.kind is not QueueKind.MULTICAST)
        if not bound:
            if port.device.maybe.form is Form.FRAGMENT:
                return
            raise NotApplicable("no queue of the port has a profile: its ports are not used, or all queues share one")
        reached = _classified(port)
        holes = frozenset(range(bound[0], bound[-1])) & set(qos.tc_to_queue.values()) - set(bound)
        gap = len(holes) * MANY <= len(bound)  # one left out of many; where several have none, those are not used
        for tc, number in sorted(qos.tc_to_queue.items()):
            if isinstance(number, Unknown):
                continue
            queue = unicast_queue(qos, number)
            if queue is not None and queue.profile is not None:
                continue
            if tc not in reached and not (gap and number in holes):
                continue  # not used; the last one is left to what the switch sends itself
            how = f"traffic class {tc} uses" if tc in reached else f"traffic class {tc} is mapped to"
            yield self.hit(
                f"{how} queue {number}, which has no buffer profile; queues {_spans(bound)} of the port have one",
                at=Absent(f"buffer profile of queue {number}"),
                port=port,
                observed="no profile",
                expected=f"a profile for queue {number}",
                why=_WHY,
                related=(
                    (port, port.origin(f"queue.{QueueId(QueueKind.UNICAST, bound[0])}.profile"), "a queue that has one"),
                    (port, port.origin(f"tc_to_queue.{tc}", "tc_to_queue"), "what uses the queue"),
                ),
                object=f"queue {number}",
            )


def _binds(device: DeviceView, kind: str) -> bool:
    """Whether profiles are bound to single groups (queues) in the blocks of ports; a device-wide profile fills all of them."""
    key = ("BUF006 binds", device.name, kind)
    if key not in device.fabric.memo:
        device.fabric.memo[key] = any(
            isinstance(port.maybe.origins.get(f"{kind}.{n}.profile"), BodyLine)
            for port in device.ports
            for n in (port.maybe.qos.groups if kind == "group" else port.maybe.qos.queues)
        )
    return bool(device.fabric.memo[key])


def _protected(device: DeviceView) -> frozenset[int]:
    """Groups that PFC protects on some port of the switch."""
    key = ("BUF006 protected", device.name)
    if key not in device.fabric.memo:
        found: set[int] = set()
        for port in device.ports:
            with suppress(NotAssessed):
                found |= port.protected_groups()
        device.fabric.memo[key] = frozenset(found)
    protected: frozenset[int] = device.fabric.memo[key]
    return protected


def _classified(port: PortView) -> frozenset[int]:
    """Traffic classes that some arriving frame is put into by the port's own classification."""
    reads = {str(f) for f in port.reads()}
    return frozenset(
        m.tc
        for m in port.maybe.qos.classify.matches
        if isinstance(m.tc, int) and (m.kind not in (MatchKind.DSCP, MatchKind.PCP) or str(m.kind) in reads)
    )


def _spans(numbers: list[int]) -> str:
    """`0-1, 3-7`."""
    out: list[list[int]] = []
    for n in numbers:
        if out and n == out[-1][1] + 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in out)
