"""SR Linux: the objects below /qos that ports bind: classes, queues, classifiers, PFC profiles, buffers, slopes, schedulers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from xoff.model.origin import Line
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import RemarkKind
from xoff.nos.linetemplate import Said
from xoff.nos.numbers import whole
from xoff.nos.reader import Block, Reading
from xoff.nos.settings import Setting
from xoff.nos.srlinux import words

BAD = Unknown("a value in the file is none that SR Linux has")


@dataclass(slots=True)
class Named:
    """An object with a name. `values`: its leaves by name. `parts`: its list entries by (kind, key), each with leaves."""

    kind: str
    name: str
    at: Line
    values: dict[str, Setting] = field(default_factory=dict)
    parts: dict[tuple[str, str], Entry] = field(default_factory=dict)

    def of(self, kind: str) -> Iterator[tuple[str, Entry]]:
        """Entries of one kind: (key, entry), in file order."""
        for (which, key), entry in self.parts.items():
            if which == kind:
                yield key, entry


@dataclass(slots=True)
class Entry:
    """One entry of a list: its header and leaves. A leaf-list is a setting with a tuple."""

    at: Line
    values: dict[str, Setting] = field(default_factory=dict)

    def value(self, name: str, default: Any = None) -> Any:
        found = self.values.get(name)
        return default if found is None else found.value

    def line(self, name: str) -> Line:
        """The line of a leaf, else the entry's own."""
        found = self.values.get(name)
        return found.origin if found is not None and isinstance(found.origin, Line) else self.at


@dataclass(slots=True)
class Objects:
    """All of /qos but its interfaces, by name. `ecn`: the line that turns marking on; `there`: the file has a /qos at all."""

    classes: dict[str, Named] = field(default_factory=dict)
    queues: dict[str, Named] = field(default_factory=dict)
    pfc_queues: dict[str, Named] = field(default_factory=dict)
    dscp: dict[str, Named] = field(default_factory=dict)
    pcp: dict[str, Named] = field(default_factory=dict)
    rewrite: dict[str, Named] = field(default_factory=dict)
    pfc: dict[str, Named] = field(default_factory=dict)
    buffers: dict[str, Named] = field(default_factory=dict)
    curves: dict[str, Named] = field(default_factory=dict)
    schedulers: dict[str, Named] = field(default_factory=dict)
    reservations: dict[tuple[str, str], Entry] = field(default_factory=dict)
    ecn: Line | None = None
    there: bool = False

    def index(self, kind: str, name: str) -> int | Unknown:
        """The number of a class, queue or pfc-queue by its name."""
        table = {"forwarding-class": self.classes, "queue": self.queues, "pfc-queue": self.pfc_queues}[kind]
        said = table[name].values.get("index") if name in table else None
        number = said.value if said is not None else words.built_in(kind, name)
        if number is None:
            what = "has no index" if name in table else "is defined nowhere"
            return Unknown(f"{kind} {name} {what}, so its number is not known")
        return number


class ObjectReader:
    """Reads the objects. What SR Linux cannot mean becomes a remark, and the value Unknown."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.out = Objects()

    def read(self) -> Objects:
        for qos in self.reading.root.below("qos"):
            self.out.there = True
            for block in qos.children:
                head = block.spec.path[-1].split()[0]
                reader = getattr(self, "_" + head.replace("-", "_"), None)
                if reader is not None:
                    reader(block)
        return self.out

    def bad(self, block: Block, said: Said, expected: str) -> None:
        text = block.body.texts[said.index]
        at = self.reading.at(block.lines[said.index])
        message = f"{text.split()[-1]} is no value that SR Linux has here"
        self.reading.remarks.add(RemarkKind.INVALID, block.cause, text, at, message, expected, block.ports)

    # --- leaves ---

    def leaves(self, block: Block, kinds: dict[str, Any]) -> dict[str, Setting]:
        """Leaves of a block by the template's groups. `kinds`: group -> (reader of the text, what is expected); None: text."""
        out: dict[str, Setting] = {}
        for said in block.body.said:
            if said.group not in kinds:
                continue
            (text,) = said.values.values()
            read, expected = kinds[said.group] or (words.plain, "")
            value = read(text)
            if value is None:
                self.bad(block, said, expected)
                value = BAD
            out[said.group] = Setting(value, self.reading.line(block, said))
        return out

    def lists(self, block: Block, group: str, read: Any, expected: str) -> Setting | None:
        """A leaf-list: all its values; Unknown where one of them is none."""
        values: list[Any] = []
        where: Line | None = None
        for said in block.body.said:
            if said.group == group:
                (text,) = said.values.values()
                value = read(text)
                if value is None:
                    self.bad(block, said, expected)
                values.append(value)
                where = where or self.reading.line(block, said)
        if where is None:
            return None
        return Setting(BAD if None in values else tuple(values), where)

    def _named(self, block: Block, name: str, table: dict[str, Named], **kinds: Any) -> Named:
        made = table[name] = Named(block.spec.path[-1].split()[0], name, self.reading.header(block), self.leaves(block, kinds))
        return made

    def _entry(self, of: Named, kind: str, key: str, block: Block, **kinds: Any) -> Entry:
        made = of.parts[kind, key] = Entry(self.reading.header(block), self.leaves(block, kinds))
        return made

    # --- /qos ---

    def _explicit_congestion_notification(self, block: Block) -> None:
        self.out.ecn = self.reading.header(block)

    def _queues(self, block: Block) -> None:
        for child in block.below("queue"):
            self._named(child, child.values["name"], self.out.queues, index=(_number(11), "0 to 11"))
        for child in block.below("pfc-queue"):
            self._named(child, child.values["name"], self.out.pfc_queues, index=(_number(7), "0 to 7"))

    def _forwarding_classes(self, block: Block) -> None:
        for child in block.below("forwarding-class"):
            made = self._named(child, child.values["name"], self.out.classes, index=(_number(15), "0 to 15"))
            for output in child.below("output"):
                made.values |= self.leaves(output, {"queue": None})

    def _classifiers(self, block: Block) -> None:
        for kind, table, high in (("dscp", self.out.dscp, 63), ("dot1p", self.out.pcp, 7)):
            for child in block.below(f"{kind}-policy"):
                policy = self._named(child, child.name, table)
                for entry in child.below(kind):
                    key = entry.values["value"]
                    made = self._entry(
                        policy, kind, key, entry, **{"class": None, "drop": (words.COLOURS.get, "low, medium, high")}
                    )
                    if whole(key, 0, high) is None:
                        self._bad_key(entry, f"{kind} {key} does not exist", f"0 to {high}")
                        made.values["class"] = Setting(BAD, made.at)

    def _rewrite_rules(self, block: Block) -> None:
        for child in block.below("dscp-policy"):
            policy = self._named(child, child.name, self.out.rewrite)
            for entry in child.below("map"):
                self._entry(policy, "map", entry.values["name"], entry, dscp=(_number(63), "0 to 63"))

    def _bad_key(self, block: Block, message: str, expected: str) -> None:
        at = self.reading.at(block.line)
        self.reading.remarks.add(RemarkKind.INVALID, block.cause[:-1], block.header, at, message, expected, block.ports)

    def _pfc_mapping_profile(self, block: Block) -> None:
        profile = self._named(block, block.name, self.out.pfc)
        priority = (_number(7), "0 to 7")
        for child in block.below("pfc-priority"):
            self._entry(profile, "pfc-priority", child.values["index"], child, enable=_BOOLEAN)
        for child in block.below("received-traffic"):
            for mapping in child.children:
                for queue in mapping.below("pfc-queue"):
                    made = self._entry(profile, "send", queue.values["name"], queue, priority=priority)
                    for name, read, expected in (("pcp", _number(7), "0 to 7"), ("class", words.plain, "")):
                        values = self.lists(queue, name, read, expected)
                        if values is not None:
                            made.values[name] = values
        for child in block.below("received-pfc-pause-frames"):
            for queue in child.below("queue"):
                self._entry(profile, "obey", queue.values["name"], queue, priority=priority, enable=_BOOLEAN)
            for deadlock in child.below("deadlock"):
                times = {"detect": (_time(10), "10 to 1500 ms"), "restore": (_time(100), "100 to 1500 ms")}
                self._entry(profile, "deadlock", "", deadlock, enable=_BOOLEAN, **times)

    def _linecard(self, block: Block) -> None:
        for complex_ in block.below("forwarding-complex"):
            for child in complex_.below("input"):
                read = {"reservation": (lambda t: words.percent(t, Unit.PERCENT_OF_POOL), "0 to 100")}
                key = (block.values["slot"], complex_.values["name"])
                self.out.reservations[key] = Entry(self.reading.header(child), self.leaves(child, read))

    def _buffer_management(self, block: Block) -> None:
        for child in block.below("queue-management-profile"):
            profile = self._named(child, child.name, self.out.curves, weight=(_number(15), "0 to 15"))
            for wred in child.below("wred"):
                for slope in wred.below("wred-slope"):
                    self._slope(profile, slope)
        for child in block.below("buffer-allocation-profile"):
            profile = self._named(child, child.name, self.out.buffers)
            for queues in child.below("queues"):
                for queue in queues.below("queue"):
                    self._entry(profile, "queue", queue.values["name"], queue, limit=_SIZE, reserved=_SIZE)
                for queue in queues.below("pfc-queue"):
                    self._pfc_buffer(profile, queue)

    def _pfc_buffer(self, profile: Named, queue: Block) -> None:
        share = (lambda t: words.percent(t, Unit.PERCENT_OF_POOL), "0 to 100")
        limit = (lambda t: words.percent(t, Unit.PERCENT_OF_LIMIT), "0 to 100")
        self._entry(
            profile, "pfc-queue", queue.values["name"], queue,
            xoff=_SIZE,
            dynamic=_BOOLEAN,
            committed=(lambda t: words.size(t, 1536, 262144), "1536 to 262144 bytes"),
            share=share,
            share_bytes=(lambda t: words.size(t, 0, 104857600), "0 to 104857600 bytes"),
            on=limit,
            off=limit,
        )  # fmt: skip

    def _slope(self, profile: Named, slope: Block) -> None:
        of_limit = (lambda t: words.percent(t, Unit.PERCENT_OF_LIMIT), "0 to 100")
        key = " ".join(slope.values[k] for k in ("traffic", "drop", "ecn"))
        self._entry(
            profile, "slope", key, slope,
            kmin=_WIDE, kmax=_WIDE, kmin_percent=of_limit, kmax_percent=of_limit,
            pmax=(lambda t: words.percent(t, Unit.PERCENT), "0 to 100"), enabled=_BOOLEAN,
        )  # fmt: skip

    def _scheduler_policies(self, block: Block) -> None:
        for child in block.below("scheduler-policy"):
            policy = self._named(child, child.name, self.out.schedulers)
            for scheduler in child.below("scheduler"):
                strict = self.leaves(scheduler, {"strict": (lambda t: True if t == "strict" else None, "strict")})
                for number in scheduler.below("input"):
                    made = self._entry(
                        policy, "input", f"{scheduler.values['sequence']} {number.name}", number,
                        queue=None,
                        peak=(_rate, "1 to 100"),
                        weight=(lambda t: whole(t, 1, 255), "1 to 255"),
                    )  # fmt: skip
                    made.values |= strict


def _number(high: int) -> Any:
    return lambda text: whole(text, 0, high)


def _time(low: int) -> Any:
    return lambda text: words.milliseconds(text, low, 1500)


def _rate(text: str) -> Quantity | None:
    return None if whole(text, 1, 100) is None else words.percent(text, Unit.PERCENT)


_BOOLEAN = (words.boolean, "true or false")
_SIZE = (words.size, "a number of bytes")
_WIDE = (lambda text: words.size(text, 0, 2**64 - 1), "a number of bytes")
