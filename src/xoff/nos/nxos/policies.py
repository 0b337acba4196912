"""NX-OS: class-maps and policy-maps of the three types, as data. Origins are absolute: a policy is said once for all its users.

Type qos says which qos-group a packet is in, network-qos which groups are no-drop and under which priority, queuing how a
queue is served and marks (output) and how much a no-drop group may hold (input).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from xoff.model.origin import Line
from xoff.model.qos import Curve, SchedulerKind, Static
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Definition, Reference, RemarkKind
from xoff.nos.linetemplate import Said
from xoff.nos.nxos import words
from xoff.nos.reader import Block, Reading
from xoff.nos.settings import Setting

QOS, NETWORK, QUEUING = "policy-map type qos", "policy-map type network-qos", "policy-map type queuing"
CLASS_QOS, CLASS_NETWORK, CLASS_QUEUING = "class-map type qos", "class-map type network-qos", "class-map type queuing"
ACL = "access-list"
#: Policies that the system itself defines; nothing in a configuration does.
SYSTEM_POLICIES = ("default-", "fcoe-default-")
NO_ALPHA = Unknown("which alpha this index of `queue-limit dynamic` means differs by ASIC and is not sourced", Fact.ASIC)
NO_PMAX = Unknown("NX-OS's drop-probability where none is said is not confirmed", Fact.DEFAULT)
NO_COS = Unknown("`pause no-drop` names no priority, and which one the group pauses under is not confirmed", Fact.DEFAULT)


@dataclass(frozen=True, slots=True)
class Match:
    """What a class of type qos looks at: code points, 802.1p priorities, or either; neither: something that is not followed."""

    dscp: frozenset[int] | None = None
    pcp: frozenset[int] | None = None
    anything: bool = False
    #: The last line that names values of the field (`dscp`, `pcp`).
    lines: Mapping[str, Line] = field(default_factory=dict, compare=False)

    @property
    def followed(self) -> bool:
        return self.dscp is not None or self.pcp is not None or self.anything


@dataclass(frozen=True, slots=True)
class Step:
    """One class of a policy of type qos. `group` None: it sets none, so its packets stay in group 0."""

    name: str
    match: Match
    group: int | Unknown | None
    at: Line
    set_dscp: int | None = None


@dataclass(frozen=True, slots=True)
class NetworkClass:
    """One class of a network-qos policy. `group` None: which qos-group the name stands for is not known here.

    `cos`: priorities that it is no-drop under; Unknown: no-drop, and under which is not known. `sends` False: it only obeys.
    """

    group: int | None
    at: Line
    cos: frozenset[int] | Unknown = frozenset()
    sends: bool = True
    pause_at: Line | None = None
    mtu: Setting | None = None


@dataclass(frozen=True, slots=True)
class QueuingClass:
    """One class of a queuing policy. Settings: kind, share, guarantee, curve, limit, headroom, threshold, xon."""

    group: int | None
    at: Line
    said: Mapping[str, Setting] = field(default_factory=dict)


@dataclass(slots=True)
class Policies:
    qos: dict[str, tuple[Step, ...]] = field(default_factory=dict)
    network: dict[str, tuple[NetworkClass, ...]] = field(default_factory=dict)
    queuing: dict[str, tuple[QueuingClass, ...]] = field(default_factory=dict)
    #: Headers of the policies, by kind and name.
    headers: dict[tuple[str, str], Line] = field(default_factory=dict)
    definitions: list[Definition] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    #: Names of classes that policies use, system-defined ones too: they tell how many queues the switch has.
    class_names: set[str] = field(default_factory=set)

    def known(self, kind: str, name: str) -> bool:
        """Whether a policy of this kind and name is defined, by the file or by the system."""
        own: dict[str, Mapping[str, object]] = {QOS: self.qos, NETWORK: self.network, QUEUING: self.queuing}
        return name in own[kind] or (kind != QOS and name.startswith(SYSTEM_POLICIES))


def read(reading: Reading, whole: bool) -> Policies:
    """All policies of the file. `whole` False: an excerpt, in which what is not defined may be defined elsewhere."""
    return _Reader(reading, whole).out


class _Reader:
    def __init__(self, reading: Reading, whole: bool) -> None:
        self.reading = reading
        self.whole = whole
        self.out = Policies()
        self._acls = {b.name for b in reading.root.below("ip", "ipv6", "mac")}
        self._matches: dict[str, Match] = {}
        self._groups: dict[tuple[str, str], int | None] = {}
        for block in reading.root.below("class-map"):
            self._class_map(block)
        for block in reading.root.below("policy-map"):
            kind = _kind(block)
            if kind is not None:
                self.out.headers[kind, block.name] = reading.header(block)
            if kind == NETWORK:
                self.out.network[block.name] = tuple(self._network(child) for child in block.children)
            elif kind == QUEUING:
                self.out.queuing[block.name] = tuple(self._queuing(child) for child in block.children)
            elif kind == QOS:
                self.out.qos[block.name] = tuple(self._step(child) for child in block.children)
        self._define()

    def _bad(self, block: Block, index: int, message: str, expected: str) -> None:
        self.reading.remarks.add(
            RemarkKind.INVALID, block.cause, block.body.texts[index], self.reading.at(block.lines[index]), message, expected
        )

    def _line(self, block: Block, said: Said) -> Line:
        return self.reading.line(block, said)

    # --- class-maps ---

    def _class_map(self, block: Block) -> None:
        path = block.spec.path[-1]
        if "control-plane" in path or "psp" in path or "pbr" in path:
            return
        kind = CLASS_NETWORK if "network-qos" in path else CLASS_QUEUING if "queuing" in path else CLASS_QOS
        name = block.name
        if kind == CLASS_QOS:
            self._matches[name] = self._match(block, any_of="match-any" in path)
        else:
            group: int | None = None
            for said in block.body.said:
                if said.group == "match_group" and not said.negated:
                    group = words.whole(said.values["group"], 0, 7)
                    if group is None:
                        self._bad(block, said.index, f"qos-group {said.values['group']} does not exist", "0 to 7")
            self._groups[kind, name] = group
        if kind == CLASS_QOS or words.system_class(name) is None:
            self.out.definitions.append(Definition(kind, name, self.reading.header(block)))

    def _match(self, block: Block, any_of: bool) -> Match:
        """Without match-any all conditions must hold; a condition that is not followed leaves the class unknown."""
        sets: list[tuple[str, frozenset[int]]] = []
        lines: dict[str, Line] = {}
        followed = not block.body.problems
        for said in block.body.said:
            if said.group == "known":
                continue
            if said.negated or said.group in ("match_acl", "match_other"):
                followed = False
                if said.group == "match_acl" and not said.negated:
                    acl = said.values["acl"]
                    resolves = True if acl in self._acls else False if self.whole else None
                    self.out.references.append(Reference(ACL, acl, self._line(block, said), resolves))
                continue
            found = self._values(block, said)
            if found is None:
                followed = False
            else:
                sets.append(found)
                lines[found[0]] = self._line(block, said)
        if not followed or not sets:
            return Match()
        kinds = {kind for kind, _ in sets}
        if any_of:
            of = {k: frozenset[int]().union(*(v for kind, v in sets if kind == k)) for k in kinds}
            return Match(of.get("dscp"), of.get("pcp"), lines=lines)
        if len(kinds) > 1:
            return Match()  # CoS and DSCP at once
        values = [v for _, v in sets]
        common = values[0].intersection(*values[1:])
        if not common:
            last = max(s.index for s in block.body.said if s.group.startswith("match"))
            self._bad(block, last, "no packet can match all of these lines, so the class is empty", "match-any, or one line")
        return Match(dscp=common, lines=lines) if kinds == {"dscp"} else Match(pcp=common, lines=lines)

    def _values(self, block: Block, said: Said) -> tuple[str, frozenset[int]] | None:
        if said.group == "match_dscp":
            found, text, what = words.numbers(said.values["dscp"], 63, words.DSCP_NAMES), said.values["dscp"], "DSCPs"
            expected, kind = "0 to 63 or names like cs3, af31, ef", "dscp"
        elif said.group == "match_cos":
            found, text, what = words.numbers(said.values["cos"], 7), said.values["cos"], "CoS values"
            expected, kind = "0 to 7", "pcp"
        else:
            text, what, expected, kind = said.values["precedence"], "precedences", "0 to 7 or names like critical", "dscp"
            found = words.numbers(text, 7, words.PRECEDENCE_NAMES)
            # The precedence is the upper half of the code point (RFC 2474).
            found = None if found is None else frozenset(8 * p + low for p in found for low in range(8))
        if found is None:
            self._bad(block, said.index, f"{text!r} is no list of {what}", expected)
            return None
        return kind, found

    # --- policies ---

    def _step(self, child: Block) -> Step:
        default = child.name == "class-default"
        if not default:
            self._class_used(CLASS_QOS, child, child.name in self._matches)
        match = Match(anything=True) if default else self._matches.get(child.name, Match())
        group: int | Unknown | None = None
        at, dscp = self.reading.header(child), None
        for said in child.body.said:
            if said.group == "set_group":
                group = None if said.negated else words.whole(said.values["group"], 0, 7)
                at = self._line(child, said)
                if group is None and not said.negated:
                    self._bad(child, said.index, f"qos-group {said.values['group']} does not exist", "0 to 7")
                    group = Unknown(f"class {child.name} sets no valid qos-group")
            elif said.group == "set_dscp" and not said.negated:
                values = words.numbers(said.values["dscp"], 63, words.DSCP_NAMES)
                if values is None or len(values) != 1:
                    self._bad(child, said.index, f"{said.values['dscp']!r} is no DSCP", "0 to 63 or a name like cs3, af31, ef")
                else:
                    dscp = min(values)
        if child.body.problems and group is None:
            group = Unknown(f"a line of class {child.name} is not understood")
        return Step(child.name, match, group, at, dscp)

    def _class_used(self, kind: str, child: Block, defined: bool) -> None:
        """A class named in a policy. One of another type's system names can never be right, not even in an excerpt."""
        resolves: bool | None = defined
        if not defined and not self.whole and words.system_class(child.name) is None:
            resolves = None
        self.out.references.append(Reference(kind, child.name, self.reading.header(child), resolves))

    def _group_of(self, kind: str, child: Block, system: tuple[str, ...]) -> int | None:
        """The qos-group of a class of type network-qos or queuing; remembers its name and its use."""
        literal = child.spec.path[-1].rpartition(" ")[2]
        name = child.name or literal
        self.out.class_names.add(name)
        group = words.system_class(name)
        if group is not None and (name == "class-default" or name.startswith(system)):
            return group
        self._class_used(kind, child, (kind, name) in self._groups)
        return self._groups.get((kind, name))

    def _network(self, child: Block) -> NetworkClass:
        group = self._group_of(CLASS_NETWORK, child, ("c-8q-nq", "c-nq"))
        cos: frozenset[int] | Unknown = frozenset()
        sends, pause_at, mtu = True, None, None
        for said in child.body.said:
            where = self._line(child, said)
            if said.group in ("pause", "pause_receive", "pause_no_drop"):
                if said.negated:
                    cos, pause_at, sends = frozenset(), where, True
                    continue
                if said.group == "pause_no_drop":
                    cos, pause_at = (cos or NO_COS), pause_at or where
                    continue
                found = words.numbers(said.values["cos"], 7)
                if found is None:
                    self._bad(child, said.index, f"pfc-cos {said.values['cos']} does not exist", "0 to 7, or a list of these")
                    found_or: frozenset[int] | Unknown = Unknown("the pfc-cos of this class is no value that NX-OS has")
                    cos, pause_at = found_or, where
                else:
                    cos, pause_at, sends = found, where, said.group == "pause"
            elif said.group == "mtu":
                value = None if said.negated else words.whole(said.values["mtu"], 576, 9216)
                if value is None and not said.negated:
                    self._bad(
                        child, said.index, f"mtu {said.values['mtu']} is no value that a network-qos class has", "576 to 9216"
                    )
                mtu = None if value is None else Setting(value, where)
        return NetworkClass(group, self.reading.header(child), cos, sends, pause_at, mtu)

    def _queuing(self, child: Block) -> QueuingClass:
        group = self._group_of(CLASS_QUEUING, child, ("c-out-", "c-in-"))
        said_all: dict[str, Setting] = {}
        for said in child.body.said:
            handler = _QUEUING.get(said.group)
            if handler is None:
                continue
            where = self._line(child, said)
            if said.negated:
                for name in _TAKEN_BACK[said.group]:
                    said_all.pop(name, None)
                continue
            found = handler(said.values)
            if isinstance(found, str):
                self._bad(child, said.index, found, _EXPECTED[said.group])
                continue
            said_all |= {name: Setting(value, where) for name, value in found.items()}
        return QueuingClass(group, self.reading.header(child), said_all)

    def _define(self) -> None:
        no_drop = {c.group for classes in self.out.network.values() for c in classes if _pauses(c)}
        for block in self.reading.root.below("policy-map"):
            kind, at = _kind(block), self.reading.header(block)
            if kind is None:
                continue
            lossless = marks = False
            if kind == NETWORK:
                lossless = any(_pauses(c) for c in self.out.network[block.name])
            elif kind == QUEUING:
                classes = self.out.queuing[block.name]
                marks = any(c.said["curve"].value.marks is True for c in classes if "curve" in c.said)
            else:
                groups = {s.group for s in self.out.qos[block.name]}
                lossless = any(isinstance(g, int) and g in no_drop for g in groups)
            self.out.definitions.append(Definition(kind, block.name, at, lossless, marks=marks))


def _pauses(c: NetworkClass) -> bool:
    return isinstance(c.cos, Unknown) or bool(c.cos)


def _kind(block: Block) -> str | None:
    path = block.spec.path[-1]
    if "network-qos" in path:
        return NETWORK
    if "queuing" in path:
        return QUEUING
    return None if any(word in path for word in ("control-plane", "psp", "pbr")) else QOS


# --- statements of a queuing class: values by name, or what is wrong ---------------------------------------------------

Found = dict[str, Any] | str


def _priority(v: Mapping[str, str]) -> Found:
    if "level" in v and words.whole(v["level"], 1, 8) is None:
        return f"priority level {v['level']} does not exist"
    return {"kind": SchedulerKind.STRICT}


def _bandwidth(name: str) -> Callable[[Mapping[str, str]], Found]:
    def read(v: Mapping[str, str]) -> Found:
        value = words.percent(v["percent"])
        return f"{v['percent']} is no share of the bandwidth" if value is None else {name: value}

    return read


def _curve(marks: bool) -> Callable[[Mapping[str, str]], Found]:
    def read(v: Mapping[str, str]) -> Found:
        kmin, kmax = words.threshold(v["kmin"], v["kmin_unit"]), words.threshold(v["kmax"], v["kmax_unit"])
        pmax = words.percent(v["pmax"]) if "pmax" in v else NO_PMAX
        weight = words.whole(v["weight"], 0, 10**6) if "weight" in v else None
        for value, what in (
            (kmin, f"threshold {v['kmin']} {v['kmin_unit']}"),
            (kmax, f"threshold {v['kmax']} {v['kmax_unit']}"),
            (pmax, f"drop-probability {v.get('pmax')}"),
            (weight if "weight" in v else 0, f"weight {v.get('weight')}"),
        ):
            if value is None:
                return f"{what} is no value that NX-OS has"
        return {"curve": Curve(kmin, kmax, pmax, marks=marks, drops=not marks, weight=weight)}

    return read


def _pause(v: Mapping[str, str]) -> Found:
    size, xoff, xon = (words.size(v[k]) for k in ("size", "xoff", "xon"))
    if size is None or xoff is None or xon is None:
        return "a size of the pause buffer is no number of bytes"
    if not size.amount > xoff.amount >= xon.amount:
        return f"pause buffer {v['size']}, pause at {v['xoff']}, resume at {v['xon']}: not in falling order"
    return {
        "headroom": Quantity(size.amount - xoff.amount, Unit.BYTES),
        "threshold": Static(xoff),
        "xon": xon,
    }


def _limit(v: Mapping[str, str]) -> Found:
    value = words.size(v["limit"], v.get("limit_unit", "bytes"))
    return f"queue-limit {v['limit']} is no size" if value is None else {"limit": Static(value)}


def _limit_dynamic(v: Mapping[str, str]) -> Found:
    return f"queue-limit dynamic {v['index']} does not exist" if words.whole(v["index"], 0, 10) is None else {"limit": NO_ALPHA}


def _limit_percent(v: Mapping[str, str]) -> Found:
    value = words.percent(v["percent"])
    if value is None:
        return f"queue-limit percent {v['percent']} is no share of the buffer"
    return {"limit": Static(Quantity(value.amount, Unit.PERCENT_OF_POOL))}


_QUEUING: Mapping[str, Callable[[Mapping[str, str]], Found]] = {
    "priority": _priority,
    "percent": _bandwidth("guarantee"),
    "remaining": _bandwidth("share"),
    "wred": _curve(marks=False),
    "ecn": _curve(marks=True),
    "pause": _pause,
    "limit": _limit,
    "limit_dynamic": _limit_dynamic,
    "limit_percent": _limit_percent,
}
_PAUSE = ("headroom", "threshold", "xon")
_TAKEN_BACK: Mapping[str, tuple[str, ...]] = {
    "priority": ("kind",), "percent": ("guarantee",), "remaining": ("share",), "wred": ("curve",), "ecn": ("curve",),
    "pause": _PAUSE, "limit": ("limit",), "limit_dynamic": ("limit",), "limit_percent": ("limit",),
}  # fmt: skip
_RAMP = "whole numbers of packets, bytes, kbytes or mbytes; a probability of 0 to 100"
_EXPECTED: Mapping[str, str] = {
    "priority": "level 1 to 8",
    "percent": "0 to 100",
    "remaining": "0 to 100",
    "wred": _RAMP,
    "ecn": _RAMP,
    "pause": "bytes; buffer-size above pause-threshold, that not below resume-threshold",
    "limit": "a number of packets, bytes, kbytes, mbytes, ms or us",
    "limit_dynamic": "0 to 10",
    "limit_percent": "0 to 100",
}
