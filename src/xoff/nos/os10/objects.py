"""OS10: named objects (maps, wred profiles, class-maps and policy-maps), as data. Their origins are absolute lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from xoff.model.origin import Line
from xoff.model.qos import Alpha, Colour, Curve, SchedulerKind, Static
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Definition, Reference, RemarkKind
from xoff.nos.linetemplate import Said
from xoff.nos.numbers import listed, whole
from xoff.nos.os10 import words
from xoff.nos.reader import Block, Reading
from xoff.nos.settings import Setting

NETWORK, QUEUING, QOS = "policy-map type network-qos", "policy-map type queuing", "policy-map type qos"
CLASS_OF = {NETWORK: "class-map type network-qos", QUEUING: "class-map type queuing", QOS: "class-map type qos"}
TRUST = {"dot1p": "trust dot1p-map", "dscp": "trust dscp-map"}
QUEUE_MAP, WRED = "qos-map traffic-class", "wred"
#: Made by the system; a running configuration shows it without content.
CLASS_TRUST = "class-trust"
NO_WEIGHT = Unknown("which share of the pool the numbers 0 to 10 of queue-limit stand for is not sourced", Fact.DEFAULT)
NO_CURVE = Unknown("the profile says no threshold for this colour, and what OS10 does then is not sourced", Fact.DEFAULT)
BOTH = Unknown("a pause-threshold and a queue-limit are both set, and which of them sends XOFF is not sourced", Fact.DEFAULT)


@dataclass(frozen=True, slots=True)
class TrustMap:
    """Value of the header -> (traffic class, line)."""

    at: Line
    rows: Mapping[int, tuple[int, Line]]


@dataclass(frozen=True, slots=True)
class QueueMap:
    """Traffic class -> (queue of unicast packets, line)."""

    at: Line
    rows: Mapping[int, tuple[int, Line]]


@dataclass(frozen=True, slots=True)
class ClassMap:
    """What a class matches. `followed` False: by something that is not followed, or by nothing."""

    at: Line
    groups: frozenset[int] = frozenset()
    queue: int | None = None
    followed: bool = False


@dataclass(frozen=True, slots=True)
class Wred:
    """A wred profile: ramps by colour with their lines, and the line that makes them mark."""

    at: Line
    curves: Mapping[Colour, tuple[Curve, Line]]
    ecn: Line | None = None


@dataclass(slots=True)
class NetworkClass:
    """A class of a network-qos policy. Sizes in KB as said."""

    name: str
    at: Line
    pause: Line | None = None
    sizes: dict[str, Quantity] = field(default_factory=dict)
    cos: frozenset[int] = frozenset()
    cos_at: Line | None = None
    limit: Setting | None = None


@dataclass(slots=True)
class QueuingClass:
    """A class of a queuing policy. Settings by name: kind, share, wred, limit, reserved."""

    name: str
    at: Line
    said: dict[str, Setting] = field(default_factory=dict)


@dataclass(slots=True)
class QosClass:
    """A class of an ingress policy of type qos. `trust`: what class-trust honours."""

    name: str
    at: Line
    group: int | None = None
    trust: str | None = None


@dataclass(slots=True)
class Objects:
    """All named objects of a file, by name."""

    trusts: dict[str, dict[str, TrustMap]] = field(default_factory=lambda: {"dot1p": {}, "dscp": {}})
    queue_maps: dict[str, QueueMap] = field(default_factory=dict)
    classes: dict[str, dict[str, ClassMap]] = field(default_factory=lambda: {k: {} for k in CLASS_OF.values()})
    wreds: dict[str, Wred] = field(default_factory=dict)
    network: dict[str, list[NetworkClass]] = field(default_factory=dict)
    queuing: dict[str, list[QueuingClass]] = field(default_factory=dict)
    qos: dict[str, list[QosClass]] = field(default_factory=dict)
    definitions: list[Definition] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)

    def known(self, kind: str) -> Mapping[str, Any]:
        """Names of one kind of object."""
        found: Mapping[str, Mapping[str, Any]] = {
            NETWORK: self.network,
            QUEUING: self.queuing,
            QOS: self.qos,
            QUEUE_MAP: self.queue_maps,
            WRED: self.wreds,
            TRUST["dot1p"]: self.trusts["dot1p"],
            TRUST["dscp"]: self.trusts["dscp"],
            **self.classes,
        }
        return found[kind]


class ObjectReader:
    """Reads the objects. Values that OS10 cannot mean become remarks."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.out = Objects()

    def read(self) -> Objects:
        root = self.reading.root
        for block in root.below("trust"):
            self._trust(block)
        for block in root.below("qos-map"):
            self._queue_map(block)
        for block in root.below("wred"):
            self._wred(block)
        for block in root.below("class-map"):
            kind = _kind(block)
            if kind in self.out.classes:
                self.out.classes[kind][block.name] = self._class_map(block)
                self._define(kind, block)
        for block in root.below("policy-map"):
            read = self._POLICIES.get(_kind(block))
            if read is not None:
                read(self, block)
        return self.out

    def bad(self, block: Block, index: int, message: str, expected: str) -> None:
        """A remark on a line of the block; index -1 is its header."""
        text = block.cause[-1] if index < 0 else block.body.texts[index]
        line = block.line if index < 0 else block.lines[index]
        cause = block.cause[:-1] if index < 0 else block.cause
        self.reading.remarks.add(RemarkKind.INVALID, cause, text, self.reading.at(line), message, expected, block.ports)

    def _define(self, kind: str, block: Block, lossless: bool = False, marks: bool = False) -> None:
        self.out.definitions.append(Definition(kind, block.name, self.reading.header(block), lossless, marks=marks))

    # --- maps ---

    def _trust(self, block: Block) -> None:
        header = "dot1p" if "dot1p-map" in block.spec.path[0] else "dscp"
        rows = self._rows(block, "group", 7, "values", 7 if header == "dot1p" else 63, "traffic class")
        self.out.trusts[header][block.name] = TrustMap(self.reading.header(block), rows)
        self._define(TRUST[header], block)

    def _queue_map(self, block: Block) -> None:
        rows = self._rows(block, "queue", 7, "groups", 7, "queue", lambda s: s.values.get("cast") != "mcast")
        self.out.queue_maps[block.name] = QueueMap(self.reading.header(block), rows)
        self._define(QUEUE_MAP, block)

    def _rows(
        self, block: Block, to: str, high: int, of: str, most: int, what: str, wanted: Callable[[Said], bool] = lambda _: True
    ) -> dict[int, tuple[int, Line]]:
        """Rows `<to> N … <list>` turned round: each listed value -> (N, line). The later line wins."""
        out: dict[int, tuple[int, Line]] = {}
        for said in block.body.said:
            if said.group != "row" or not wanted(said):
                continue
            target = whole(said.values.get(to, ""), 0, high)
            if said.negated:
                out = {v: row for v, row in out.items() if row[0] != target}
                continue
            values = listed(said.values[of], most)
            if target is None:
                self.bad(block, said.index, f"{what} {said.values[to]} does not exist", f"0 to {high}")
            elif values is None:
                self.bad(block, said.index, f"{said.values[of]!r} is no list of values that OS10 has here", f"0 to {most}")
            else:
                out |= dict.fromkeys(sorted(values), (target, self.reading.line(block, said)))
        return out

    def _wred(self, block: Block) -> None:
        curves: dict[Colour, tuple[Curve, Line]] = {}
        ecn: Line | None = None
        weight: int | None = None
        for said in block.body.said:
            line = self.reading.line(block, said)
            if said.group == "ecn":
                ecn = None if said.negated else line
            elif said.group == "weight":
                weight = None if said.negated else whole(said.values["weight"], 0, 15)
                if weight is None and not said.negated:
                    self.bad(block, said.index, f"weight {said.values['weight']} does not exist", "0 to 15")
            elif said.group == "curve" and said.negated:
                for colour in [Colour(said.values["colour"])] if "colour" in said.values else list(Colour):
                    curves.pop(colour, None)
            elif said.group == "curve":
                found = self._curve(block, said)
                if found is not None:
                    curves[Colour(said.values["colour"])] = (found, line)
        done = {
            c: (Curve(x.kmin, x.kmax, x.pmax, marks=ecn is not None, drops=ecn is None, weight=weight), at)
            for c, (x, at) in curves.items()
        }
        self.out.wreds[block.name] = Wred(self.reading.header(block), done, ecn)
        self._define(WRED, block, marks=ecn is not None)

    def _curve(self, block: Block, said: Said) -> Curve | None:
        v = said.values
        kmin = words.kilobytes(v["kmin"], words.WRED_LOW, words.WRED_HIGH)
        kmax = words.kilobytes(v["kmax"], words.WRED_LOW, words.WRED_HIGH)
        pmax = words.percent(v["pmax"])
        sizes = f"{words.WRED_LOW} to {words.WRED_HIGH} KB"
        for value, what, expected in (
            (kmin, f"minimum-threshold {v['kmin']}", sizes),
            (kmax, f"maximum-threshold {v['kmax']}", sizes),
            (pmax, f"drop-probability {v['pmax']}", "0 to 100"),
        ):
            if value is None:
                self.bad(block, said.index, f"{what} is no value that OS10 has", expected)
                return None
        return Curve(kmin, kmax, pmax, marks=False)

    # --- classes and policies ---

    def _class_map(self, block: Block) -> ClassMap:
        groups: set[int] = set()
        queue: int | None = None
        followed = bool(block.body.said) and not block.body.problems
        for said in block.body.said:
            if said.negated or said.group == "other":
                followed = False
            elif said.group == "group":
                found = listed(said.values["groups"], 7)
                if found is None:
                    self.bad(block, said.index, f"{said.values['groups']!r} is no list of qos-groups", "0 to 7")
                    followed = False
                groups |= found or set()
            elif said.group == "queue":
                queue = whole(said.values["queue"], 0, 7)
                if queue is None:
                    self.bad(block, said.index, f"queue {said.values['queue']} does not exist", "0 to 7")
                    followed = False
        return ClassMap(self.reading.header(block), frozenset(groups), queue, followed)

    def _children(self, kind: str, block: Block) -> list[Block]:
        """Classes of a policy; each is a reference to its class-map."""
        of = CLASS_OF[kind]
        for child in block.children:
            if child.name != CLASS_TRUST:
                header = self.reading.header(child)
                self.out.references.append(Reference(of, child.name, header, child.name in self.out.classes[of]))
        return block.children

    def _network(self, block: Block) -> None:
        found = [self._network_class(child) for child in self._children(NETWORK, block)]
        self.out.network[block.name] = found
        self._define(NETWORK, block, lossless=any(c.pause for c in found))

    def _network_class(self, block: Block) -> NetworkClass:
        out = NetworkClass(block.name, self.reading.header(block))
        for said in block.body.said:
            line = self.reading.line(block, said)
            if said.group == "pause":
                out.pause = None if said.negated else line
                out.sizes = {} if said.negated or "buffer" not in said.values else self._sizes(block, said)
            elif said.group == "cos":
                cos = frozenset() if said.negated else listed(said.values["cos"], 7)
                if cos is None:
                    self.bad(block, said.index, f"{said.values['cos']!r} is no list of priorities", "0 to 7")
                    continue
                # Several pfc-cos lines of one class add up, as several classes of a policy do.
                out.cos = frozenset() if said.negated else out.cos | cos
                out.cos_at = line
            elif said.group == "limit":
                out.limit = self._limit(block, said)
        return out

    def _sizes(self, block: Block, said: Said) -> dict[str, Quantity]:
        out: dict[str, Quantity] = {}
        for name, word in (("buffer", "buffer-size"), ("xoff", "pause-threshold"), ("xon", "resume-threshold")):
            value = words.kilobytes(said.values[name])
            if value is None:
                self.bad(block, said.index, f"{word} {said.values[name]} is no size", "a number of KB")
                return {}
            out[name] = value
        if out["buffer"].amount < out["xoff"].amount:
            message = (
                f"buffer-size {out['buffer'].plain} is smaller than pause-threshold {out['xoff'].plain}: XOFF is never sent"
            )
            self.bad(block, said.index, message, "a buffer-size that holds the pause-threshold and the headroom above it")
        return out

    def _limit(self, block: Block, said: Said) -> Setting | None:
        if said.negated:
            return None
        line = self.reading.line(block, said)
        if "weight" in said.values:
            if whole(said.values["weight"], 0, 10) is None:
                self.bad(block, said.index, f"threshold {said.values['weight']} does not exist", "0 to 10")
                return None
            return Setting(NO_WEIGHT, line)
        size = words.kilobytes(said.values["kb"])
        if size is None:
            self.bad(block, said.index, f"{said.values['kb']!r} is no size", "a number of KB")
            return None
        return Setting(Static(size), line)

    def _queuing(self, block: Block) -> None:
        found = [self._queuing_class(child) for child in self._children(QUEUING, block)]
        self.out.queuing[block.name] = found
        wreds = (c.said["wred"].value for c in found if "wred" in c.said)
        marks = any(w in self.out.wreds and self.out.wreds[w].ecn is not None for w in wreds)
        self._define(QUEUING, block, marks=marks)

    def _queuing_class(self, block: Block) -> QueuingClass:
        out = QueuingClass(block.name, self.reading.header(block))
        for said in block.body.said:
            line = self.reading.line(block, said)
            if said.group == "priority":
                out.said["kind"] = Setting(None if said.negated else SchedulerKind.STRICT, line)
            elif said.group == "share":
                share = None if said.negated else words.percent(said.values["percent"], 1)
                if share is None and not said.negated:
                    self.bad(block, said.index, f"bandwidth percent {said.values['percent']} does not exist", "1 to 100")
                    continue
                out.said["share"] = Setting(share, line)
            elif said.group == "wred" and said.negated:
                out.said.pop("wred", None)
            elif said.group == "wred":
                name = said.values["wred"]
                out.said["wred"] = Setting(name, line)
                self.out.references.append(Reference(WRED, name, line, name in self.out.wreds, fills=("queue",)))
            elif said.group == "limit":
                if "reserved" in said.values and not said.negated:
                    size = words.kilobytes(said.values["reserved"])
                    if size is None:
                        self.bad(block, said.index, f"queue-len {said.values['reserved']} is no size", "a number of KB")
                    else:
                        out.said["reserved"] = Setting(size, line)
                if said.negated or {"weight", "kb"} & said.values.keys():
                    found = self._limit(block, said)
                    out.said["limit"] = Setting(None, line) if found is None else found
        return out

    def _qos(self, block: Block) -> None:
        found: list[QosClass] = []
        for child in self._children(QOS, block):
            step = QosClass(child.name, self.reading.header(child))
            for said in child.body.said:
                if said.group == "group":
                    step.group = None if said.negated else whole(said.values["group"], 0, 7)
                    step.at = self.reading.line(child, said)
                    if step.group is None and not said.negated:
                        self.bad(child, said.index, f"qos-group {said.values['group']} does not exist", "0 to 7")
                elif said.group == "trust":
                    step.trust = None if said.negated else said.values["header"]
                    step.at = self.reading.line(child, said)
            found.append(step)
        self.out.qos[block.name] = found
        self._define(QOS, block)

    _POLICIES: Mapping[str, Callable[[ObjectReader, Block], None]] = {NETWORK: _network, QUEUING: _queuing, QOS: _qos}


def _kind(block: Block) -> str:
    """`policy-map type queuing` of a block's path."""
    return block.spec.path[0].rpartition(" ")[0]


def threshold(c: NetworkClass) -> Static | Alpha | Unknown | None:
    """Where the class's group sends XOFF."""
    xoff = c.sizes.get("xoff")
    if c.limit is not None:
        value: Static | Unknown = c.limit.value
        return value if xoff is None else BOTH
    return None if xoff is None else Static(xoff)


def headroom(c: NetworkClass) -> Quantity | None:
    """What fits above the XOFF threshold; None where OS10's own sizes hold, or the numbers make none."""
    if not c.sizes or c.sizes["buffer"].amount < c.sizes["xoff"].amount:
        return None
    return Quantity(c.sizes["buffer"].amount - c.sizes["xoff"].amount, Unit.KBYTES)
