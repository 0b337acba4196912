"""SR Linux: from the model to the JSON tree that a switch takes, as `info | as json` and startup files have it.

JSON because its spelling is the one that real files show; the tree is built as data and dumped once, ports in natural order.
Ports with equal bodies share one set of profiles. JSON takes no comments; what a person has to know stands in
`<hostname>.README.txt` beside the file.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from xoff.errors import CannotExpress
from xoff.model.qos import (
    Colour,
    Curve,
    HeaderField,
    MatchKind,
    PfcMode,
    PortQos,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    Static,
    WatchdogAction,
)
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.switch import Port, SwitchModel
from xoff.nos.natural import natural
from xoff.nos.renderer import NoteKind, Notes, header, one_line
from xoff.nos.srlinux.ports import NO_GROUP

if TYPE_CHECKING:
    from xoff.nos.registry import Nos

Tree = dict[str, Any]
#: Speeds that SR Linux has words for ([YI] port-speed).
_SPEEDS = {10_000: "10G", 25_000: "25G", 40_000: "40G", 50_000: "50G", 100_000: "100G", 200_000: "200G", 400_000: "400G",
           800_000: "800G"}  # fmt: skip
#: pfc-mapping-profiles that a switch takes ([Y] max-elements 7).
_MOST_PROFILES = 7
#: From this release on a priority is enabled by `pfc-priority`; before, by enable-pfc at the queue.
_PER_PRIORITY = (25, 10)


def build(model: SwitchModel, nos: Nos, form: str, notes: Notes) -> dict[str, str]:
    """`<hostname>.json` and `<hostname>.README.txt`. Raises CannotExpress, naming port and field."""
    if form != "running":
        notes.add(NoteKind.CANNOT, f"form {form}", "SR Linux has one form, its running configuration; that is written")
    ports = sorted(model.ports.values(), key=lambda p: natural(p.name))
    bodies: dict[int, Body] = {}
    for p in ports:
        if id(p.qos) not in bodies:
            bodies[id(p.qos)] = Body(p, f"xoff-{len(bodies) + 1}", _per_priority(model, notes))
    if sum(1 for b in bodies.values() if b.paused) > _MOST_PROFILES:
        raise CannotExpress(f"{model.hostname}: SR Linux takes {_MOST_PROFILES} PFC profiles, and the ports need more")
    tree = {
        "srl_nokia-interfaces:interface": [_interface(p) for p in ports],
        "srl_nokia-system:system": {"srl_nokia-system-name:name": {"host-name": model.hostname}},
        "srl_nokia-qos:qos": _qos(model, ports, list(bodies.values()), bodies),
    }
    said = "Form: running configuration, QoS part, SR Linux JSON."
    about = [f"{model.hostname}.json", "", *header(nos, said, notes)]
    return {
        f"{model.hostname}.json": json.dumps(tree, indent=2) + "\n",
        f"{model.hostname}.README.txt": "\n".join(about) + "\n",
    }


def _per_priority(model: SwitchModel, notes: Notes) -> bool:
    """Whether this release enables priorities by `pfc-priority`."""
    found = None if isinstance(model.release, Unknown) else re.match(r"v?(\d+)\.(\d+)", model.release)
    if found is None:
        notes.unverified(
            "enable-pfc", "the intent names no release; releases 24.3 to 25.3 have it, 25.10 has pfc-priority instead"
        )
        return False
    if (int(found[1]), int(found[2])) < _PER_PRIORITY:
        return False
    notes.unverified("pfc-priority", "as Nokia EDA 25.12 writes it; the YANG of this release was not read")
    return True


class Body:
    """What ports with one body share, checked: the profiles of one name."""

    def __init__(self, port: Port, name: str, per_priority: bool) -> None:
        self.q: PortQos = port.qos
        self.what, self.name, self._per_priority = port.name, name, per_priority
        if self.q.unread is not None:
            raise CannotExpress(f"{self.what}: {self.q.unread.reason}")
        if self.q.pfc.mode not in (PfcMode.ON, PfcMode.OFF):
            raise CannotExpress(f"{self.what}: PFC mode {self.q.pfc.mode} has no leaf in SR Linux; use on or off")
        self.paused = self.q.pfc.mode is PfcMode.ON
        if (self.q.classify.tagged_ip, self.q.classify.untagged_ip) != (HeaderField.DSCP, HeaderField.DSCP):
            raise CannotExpress(f"{self.what}: SR Linux classifies IP packets of a routed port by DSCP only")

    def dscp(self) -> list[Tree]:
        of: dict[int, int] = {}
        for m in self.q.classify.matches:
            if m.kind is not MatchKind.DSCP or m.colour is not Colour.GREEN or isinstance(m.tc, Unknown):
                raise CannotExpress(f"{self.what}: a classification step of kind {m.kind}, colour {m.colour} is not rendered")
            for v in m.values:
                of.setdefault(v, m.tc)
        return [{"value": v, "forwarding-class": f"fc{tc}", "drop-probability": "low"} for v, tc in sorted(of.items())]

    def pfc(self) -> Tree:
        """The pfc-mapping-profile."""
        q = self.q
        groups: dict[int, list[str]] = {}
        for tc, group in sorted(q.tc_to_group.items()):
            if isinstance(group, Unknown):
                raise CannotExpress(f"{self.what}: the group of traffic class {tc} is {group}")
            if group != NO_GROUP:
                groups.setdefault(group, []).append(f"fc{tc}")
        send = []
        for group, sent in sorted(q.pfc.send.items()):
            if len(sent) != 1:
                raise CannotExpress(f"{self.what}: group {group} pauses {sorted(sent)}; a pfc-queue pauses one priority")
            entry: Tree = {"pfc-queue-name": f"pfc-{group}", "forwarding-class": groups.get(group, [])}
            send.append(entry | {"pfc-pause-frame-priority": min(sent)})
        obey: list[Tree] = []
        for priority, stopped in sorted(q.pfc.obey.items()):
            if len(stopped) != 1:
                raise CannotExpress(f"{self.what}: pause of {priority} stops queues {sorted(stopped)}; SR Linux stops one each")
            entry = {"queue-name": f"unicast-{min(stopped)}", "pfc-pause-frame-priority": priority}
            obey.append(entry if self._per_priority else entry | {"enable-pfc": True})
        out: Tree = {"name": self.name}
        if self._per_priority:
            numbers = sorted({*q.pfc.obey, *(p for sent in q.pfc.send.values() for p in sent)})
            out["pfc-priority"] = [{"index": n, "pfc-enable": True} for n in numbers]
        out["received-traffic"] = {"unicast-mapping": {"pfc-queue": send}}
        out["received-pfc-pause-frames"] = {"deadlock": self._deadlock(), "queue": obey}
        return out

    def _deadlock(self) -> Tree:
        w = self.q.watchdog
        if isinstance(w.enabled, Unknown):
            raise CannotExpress(f"{self.what}: whether the watchdog runs is {w.enabled}")
        if not w.enabled:
            return {"enable": False}
        if w.action is not WatchdogAction.FORWARD:
            raise CannotExpress(f"{self.what}: watchdog action {w.action}: SR Linux has forward alone")
        return {
            "enable": True,
            "detection-timer": _whole(w.detect, Unit.MILLISECONDS, f"{self.what}: watchdog detection", 10, 1500),
            "recovery-timer": _whole(w.restore, Unit.MILLISECONDS, f"{self.what}: watchdog restoration", 100, 1500),
        }

    def ingress(self) -> list[Tree]:
        """Sizes of the pfc-queues."""
        out = []
        for n, g in sorted(self.q.groups.items()):
            entry: Tree = {"pfc-queue-name": f"pfc-{n}"}
            if isinstance(g.threshold, Static):
                entry["maximum-burst-size"] = _whole(
                    g.threshold.limit, Unit.BYTES, f"{self.what}: XOFF of group {n}", 0, 2**32 - 1
                )
            elif g.threshold is not None:
                raise CannotExpress(f"{self.what}: threshold of group {n} is {g.threshold}; SR Linux takes a number of bytes")
            if g.headroom is not None:
                room = _whole(g.headroom, Unit.BYTES, f"{self.what}: headroom of group {n}", 0, 104_857_600)
                entry["maximum-pfc-reserved-share-bytes"] = room
            out.append(entry)
        return out

    def egress(self) -> list[Tree]:
        """Sizes of the queues."""
        out = []
        for q in self._queues():
            if q.limit is None:
                continue
            limit = q.limit.limit if isinstance(q.limit, Static) else None
            size = _whole(limit, Unit.BYTES, f"{self.what}: limit of queue {q.id.id}", 1, 2**32 - 1)
            out.append({"queue-name": f"unicast-{q.id.id}", "maximum-burst-size": size})
        return out

    def curves(self) -> list[tuple[str, Tree]]:
        """(queue, queue-management-profile) of each queue that marks."""
        out = []
        for q in self._queues():
            ramps = set(q.curves.values())
            if not ramps:
                continue
            what = f"{self.what} queue {q.id.id}"
            if len(ramps) != 1 or set(q.curves) != set(Colour):
                raise CannotExpress(f"{what}: a ramp for some colours only is not rendered for SR Linux")
            if q.limit is None:
                raise CannotExpress(f"{what}: SR Linux refuses a ramp without a maximum-burst-size for the queue")
            (ramp,) = ramps
            slope = _slope(ramp, what)
            profile = {"name": f"{self.name}-q{q.id.id}", "weight-factor": ramp.weight or 0, "wred": {"wred-slope": [slope]}}
            out.append((f"unicast-{q.id.id}", profile))
        return out

    def schedulers(self) -> list[Tree]:
        """Scheduler 0: strict priority; 1: weighted round robin."""
        strict, shared = [], []
        for q in self._queues():
            s, what, name = q.scheduler, f"{self.what} queue {q.id.id}", f"unicast-{q.id.id}"
            if s is None:
                continue
            if not isinstance(s, Scheduler) or s.kind not in (SchedulerKind.STRICT, SchedulerKind.WRR):
                raise CannotExpress(f"{what}: scheduler {s} has no words in SR Linux: strict or weighted round robin")
            entry: Tree = {"id": name, "queue-name": name}
            if s.cap is not None:
                entry["peak-rate-percent"] = _whole(s.cap, Unit.PERCENT, f"{what}: peak rate", 1, 100)
            if s.kind is SchedulerKind.STRICT:
                strict.append(entry)
            else:
                shared.append(entry | {"weight": _whole(s.share, Unit.WEIGHT, f"{what}: weight", 1, 127)})
        out: list[Tree] = [{"sequence": 0, "priority": "strict", "input": strict}] if strict else []
        return [*out, {"sequence": 1, "input": shared}] if shared else out

    def _queues(self) -> list[Queue]:
        found = sorted(self.q.queues.values(), key=lambda x: x.id.id)
        for q in found:
            if q.id.kind is not QueueKind.UNICAST:
                raise CannotExpress(f"{self.what}: a queue of kind {q.id.kind} is not rendered for SR Linux")
        return found


def _slope(ramp: Curve, what: str) -> Tree:
    if ramp.marks is not True or ramp.drops is not False:
        raise CannotExpress(f"{what}: a ramp that does not mark is not rendered for SR Linux")
    return {
        "traffic-type": "all",
        "drop-probability": "all",
        "enable-ecn": True,
        "min-threshold": _whole(ramp.kmin, Unit.BYTES, f"{what}: minimum threshold", 0, 2**32 - 1),
        "max-threshold": _whole(ramp.kmax, Unit.BYTES, f"{what}: maximum threshold", 0, 2**32 - 1),
        "max-drop-probability-percent": _whole(ramp.pmax, Unit.PERCENT, f"{what}: marking probability", 0, 100),
    }


def _whole(q: Quantity | Unknown | None, unit: Unit, what: str, low: int, high: int) -> int:
    if not isinstance(q, Quantity) or q.unit is not unit or q.amount.denominator != 1 or not low <= q.amount <= high:
        raise CannotExpress(f"{what}: {q} cannot be said; SR Linux takes a whole number of {unit} from {low} to {high}")
    return int(q.amount)


def _interface(p: Port) -> Tree:
    if isinstance(p.admin, Unknown):
        raise CannotExpress(f"{p.name}: whether the port is up is not known")
    out: Tree = {"name": p.name}
    if p.description:
        out["description"] = one_line(p.description, f"{p.name}: description")
    out["admin-state"] = "enable" if p.admin else "disable"
    if p.mtu is not None:
        if not isinstance(p.mtu, int) or not 1500 <= p.mtu <= 9500:
            raise CannotExpress(f"{p.name}: MTU {p.mtu}; SR Linux takes 1500 to 9500 bytes with the Ethernet header")
        out["mtu"] = p.mtu
    ethernet: Tree = {"flow-control": {"receive": False}}
    if p.speed is not None:
        if p.speed not in _SPEEDS:
            raise CannotExpress(f"{p.name}: speed {p.speed} Mb/s has no word in SR Linux")
        ethernet = {"port-speed": _SPEEDS[p.speed], **ethernet}
    out["ethernet"] = ethernet
    out["subinterface"] = [{"index": 0, "admin-state": "enable"}]
    return out


def _qos(model: SwitchModel, ports: list[Port], bodies: list[Body], by_body: dict[int, Body]) -> Tree:
    for port in ports:
        if any(tc != queue for tc, queue in port.qos.tc_to_queue.items()):
            raise CannotExpress(f"{port.name}: SR Linux is written with one number for class and queue")
    queues = sorted({q.id.id for b in bodies for q in b.q.queues.values()})
    paused = sorted({g for b in bodies if b.paused for g in b.q.groups})
    out: Tree = {}
    if any(b.curves() for b in bodies):
        out["explicit-congestion-notification"] = {}
    out["queues"] = {
        "queue": [{"name": f"unicast-{n}", "queue-index": n} for n in queues],
        "pfc-queue": [{"pfc-queue-name": f"pfc-{n}", "queue-index": n} for n in paused],
    }
    classes = [{"name": f"fc{n}", "output": {"unicast-queue": f"unicast-{n}"}} for n in queues]
    out["forwarding-classes"] = {"forwarding-class": classes}
    out["pfc-mapping-profile"] = [b.pfc() for b in bodies if b.paused]
    out["classifiers"] = {"dscp-policy": [{"name": b.name, "dscp": b.dscp()} for b in bodies]}
    out["scheduler-policies"] = {"scheduler-policy": [{"name": b.name, "scheduler": b.schedulers()} for b in bodies]}
    out["buffer-management"] = {
        "queue-management-profile": [profile for b in bodies for _, profile in b.curves()],
        "buffer-allocation-profile": [e for b in bodies for e in _allocations(b)],
    }
    size = model.pools[0].size if model.pools else None
    if size is not None:
        percent = _whole(size, Unit.PERCENT_OF_POOL, f"{model.hostname}: pfc-buffer-reservation", 0, 100)
        complex_ = [{"name": "0", "input": {"pfc-buffer-reservation": percent}}]
        out["linecard"] = [{"slot": 1, "forwarding-complex": complex_}]
    out["interfaces"] = {"interface": [e for p in ports for e in _bindings(p, by_body[id(p.qos)])]}
    return out


def _allocations(b: Body) -> list[Tree]:
    out = []
    for side, kind, entries in (("in", "pfc-queue", b.ingress() if b.paused else []), ("out", "queue", b.egress())):
        if entries:
            out.append({"name": f"{b.name}-{side}", "queues": {kind: entries}})
    return out


def _bindings(p: Port, b: Body) -> list[Tree]:
    """The entries of the port and of its sub-interface under /qos/interfaces."""
    port: Tree = {"interface-id": p.name, "interface-ref": {"interface": p.name}}
    port["pfc"] = {"pfc-mapping-profile": b.name, "pfc-enable": True} if b.paused else {"pfc-enable": False}
    if b.paused and b.q.groups:
        port["input"] = {"pfc-buffer-allocation-profile": f"{b.name}-in"}
    output: Tree = {}
    if b.egress():
        output["buffer-allocation-profile"] = f"{b.name}-out"
    marked = [{"queue-name": queue, "queue-management-profile": profile["name"]} for queue, profile in b.curves()]
    if marked:
        output["queues"] = {"queue": marked}
    output["scheduler"] = {"scheduler-policy": b.name}
    port["output"] = output
    sub = {
        "interface-id": f"{p.name}.0",
        "interface-ref": {"interface": p.name, "subinterface": 0},
        "input": {"classifiers": {"dscp-policy": b.name}},
    }
    return [port, sub]
