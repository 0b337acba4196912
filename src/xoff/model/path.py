"""The way of a packet through a port body: from header field to queue, group and pause. Pure; Unknown where it cannot be known.

Used by the classes in force, the rules' view, trace and drift, so that all of them mean the same by "lossless".
"""

from __future__ import annotations

from xoff.model.qos import Classify, Colour, HeaderField, MatchKind, PfcMode, PortQos, Queue, QueueId, QueueKind
from xoff.model.quantity import Unknown
from xoff.model.record import dataclass


@dataclass(frozen=True, slots=True)
class Path:
    """Where a packet lands. Any field may be Unknown, with the reason.

    `field`: the header field that decided. `origin`: field path (see `Origins`) of the line that decided the class.
    `pause_sent_as`: priorities written when its group passes XOFF (empty: none is sent).
    `obeys`: priorities whose pause stops its queue. `protected`: group sends pauses and PFC is on.
    `marks`: its queue marks ECT packets.
    """

    field: HeaderField | Unknown
    tc: int | Unknown
    colour: Colour
    queue: int | Unknown
    group: int | Unknown
    protected: bool | Unknown
    pause_sent_as: frozenset[int] | Unknown
    obeys: frozenset[int] | Unknown
    marks: bool | Unknown
    origin: str


def classify(
    c: Classify, dscp: int | None, pcp: int | None, tagged: bool
) -> tuple[int | Unknown, Colour, HeaderField | Unknown, str]:
    """Traffic class, colour, field read and deciding field path for one frame. `dscp` None: not IP."""
    field = c.non_ip if dscp is None else c.tagged_ip if tagged else c.untagged_ip
    for match in c.matches:
        if match.kind is MatchKind.OPAQUE:
            return Unknown(f"an access list ({match.name or 'unnamed'}) decides first"), match.colour, field, "classify"
        if match.kind is MatchKind.DEFAULT:
            return match.tc, match.colour, field, "classify.default"
        if match.kind is MatchKind.DSCP and (field is HeaderField.DSCP or match.own_field) and dscp in match.values:
            return match.tc, match.colour, HeaderField.DSCP, f"classify.dscp.{dscp}"
        if match.kind is MatchKind.PCP and (field is HeaderField.PCP or match.own_field) and tagged and pcp in match.values:
            return match.tc, match.colour, HeaderField.PCP, f"classify.pcp.{pcp}"
    if isinstance(field, Unknown):
        return field, Colour.GREEN, field, "classify.trust"
    return c.default_tc, Colour.GREEN, field, "classify.default"


def protected_groups(qos: PortQos) -> frozenset[int] | Unknown:
    """Groups that pause their sender: PFC is on (or negotiated) and the group sends for at least one priority."""
    mode = qos.pfc.mode
    if isinstance(mode, Unknown):
        return mode
    if mode is PfcMode.OFF:
        return frozenset()
    return frozenset(g for g, sent in qos.pfc.send.items() if sent)


def path(qos: PortQos, dscp: int | None = None, pcp: int | None = None, tagged: bool = False) -> Path:
    """Follow one frame through the body."""
    tc, colour, field, origin = classify(qos.classify, dscp, pcp, tagged)
    if qos.unread is not None:
        tc = qos.unread
    if isinstance(tc, Unknown):
        return Path(field, tc, colour, tc, tc, tc, tc, tc, tc, origin)
    return path_of_tc(qos, tc, colour, field, origin)


def path_of_tc(qos: PortQos, tc: int, colour: Colour, field: HeaderField | Unknown, origin: str) -> Path:
    """The rest of the way, once the traffic class is known."""
    queue = qos.tc_to_queue.get(tc, Unknown(f"no line and no known default maps traffic class {tc} to a queue"))
    group = qos.tc_to_group.get(tc, Unknown(f"no line and no known default maps traffic class {tc} to a priority group"))
    protected: bool | Unknown
    sent: frozenset[int] | Unknown
    if isinstance(group, Unknown):
        protected, sent = group, group
    else:
        groups = protected_groups(qos)
        protected = groups if isinstance(groups, Unknown) else group in groups
        sent = (
            groups if isinstance(groups, Unknown) else qos.pfc.send.get(group, frozenset()) if group in groups else frozenset()
        )
    obeys: frozenset[int] | Unknown
    marks: bool | Unknown
    if isinstance(queue, Unknown):
        obeys, marks = queue, queue
    else:
        mode = qos.pfc.mode
        if isinstance(mode, Unknown):
            obeys = mode
        elif mode is PfcMode.OFF:
            obeys = frozenset()
        else:
            obeys = frozenset(p for p, queues in qos.pfc.obey.items() if queue in queues)
        marks = queue_marks(unicast_queue(qos, queue), colour)
    return Path(field, tc, colour, queue, group, protected, sent, obeys, marks, origin)


def unicast_queue(qos: PortQos, number: int) -> Queue | None:
    """The queue that unicast traffic of this number uses; a VOQ where the port has those."""
    for kind in (QueueKind.UNICAST, QueueKind.VOQ):
        found = qos.queues.get(QueueId(kind, number))
        if found is not None:
            return found
    return None


def queue_marks(queue: Queue | None, colour: Colour = Colour.GREEN) -> bool | Unknown:
    """Whether ECT packets of this colour are marked in the queue."""
    if queue is None:
        return False
    curve = queue.curves.get(colour) or queue.curves.get(Colour.GREEN)
    return False if curve is None else curve.marks
