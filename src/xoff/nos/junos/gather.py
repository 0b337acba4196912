"""Junos: reads the objects of `class-of-service` out of the blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from xoff.model.origin import Line
from xoff.model.qos import Colour, HeaderField, WatchdogAction
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.switch import RemarkKind
from xoff.nos.junos import words
from xoff.nos.junos.objects import (
    CLASS,
    DROP,
    MAP,
    MULTICAST,
    QUEUES,
    SCHEDULER,
    Class,
    Drop,
    Objects,
    Pausing,
    Point,
    Rows,
    Schedule,
)
from xoff.nos.linetemplate import Said
from xoff.nos.reader import Block, Reading

#: What of a packet a classifier reads, or a rewrite rule writes.
TYPES = ("dscp", "dscp-ipv6", "exp", "ieee-802.1", "ieee-802.1ad", "inet-precedence")


class Gatherer:
    """Reads the objects out of the blocks. Values that Junos cannot mean become remarks."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.out = Objects()
        self._aliases: dict[str, dict[str, int]] = {}

    def read(self) -> Objects:
        cos = next(self.reading.root.below("class-of-service"), None)
        if cos is None:
            return self.out
        sections = {b.spec.path[-1].split()[0]: b for b in cos.children}
        self.out.sections = set(sections)
        for name, read in (
            ("code-point-aliases", self._alias),
            ("forwarding-classes", self._classes),
            ("classifiers", self._classifiers),
            ("rewrite-rules", self._rewrites),
            ("drop-profiles", self._drops),
            ("schedulers", self._schedulers),
            ("scheduler-maps", self._maps),
            ("traffic-control-profiles", self._controls),
            ("shared-buffer", self._shared),
            ("congestion-notification-profile", self._pausing),
        ):
            for block in cos.children:
                if block.spec.path[-1].split()[0] == name:
                    read(block)
        return self.out

    def bad(self, block: Block, said: Said | None, message: str, expected: str, ports: Sequence[str] = ()) -> None:
        """A value that Junos cannot mean, on a line of the block (None: on its header)."""
        line = self.reading.header(block) if said is None else self.reading.line(block, said)
        self.reading.remarks.add(RemarkKind.INVALID, line.path, line.text, line.at, message, expected, ports)

    # --- code points ---

    def _alias(self, block: Block) -> None:
        for kind in block.children:
            known = self._aliases.setdefault(kind.values["type"], {})
            for said in kind.body.said:
                known[said.values["alias"]] = int(said.values["bits"], 2)

    def _code(self, block: Block, said: Said, text: str, kind: str) -> int | None:
        bits = 6 if kind.startswith("dscp") else 3
        value = words.code_point(text, bits, self._aliases.get(kind, {}))
        if value is None:
            self.bad(block, said, f"{text!r} is no code point here", f"{bits} bits, or an alias")
        return value

    # --- classes, classifiers, rewrite rules ---

    def _classes(self, block: Block) -> None:
        for said in block.body.said:
            self._queue(self._class(said.values["fc"], self.reading.line(block, said)), block, said)
        for child in block.below("class"):
            made = self._class(child.name, self.reading.header(child))
            for said in child.body.said:
                line = self.reading.line(child, said)
                if said.group == "queue":
                    self._queue(made, child, said)
                elif said.group == "no_loss":
                    made.lossless = True
                    made.lines["lossless"] = line
                elif said.group == "pfc":
                    made.pfc = words.whole(said.values["priority"], 0, 7)
                    made.lines["pfc"] = line
                    if made.pfc is None:
                        self.bad(child, said, f"pfc-priority {said.values['priority']} does not exist", "0 to 7")
            if made.lossless and made.queue is not None and made.queue >= MULTICAST:
                self.bad(child, None, f"class {made.name} is no-loss in queue {made.queue}", "a unicast queue, 0 to 7")

    def _class(self, name: str, at: Line) -> Class:
        return self.out.classes.setdefault(name, Class(name, at))

    def _queue(self, made: Class, block: Block, said: Said) -> None:
        made.queue = words.whole(said.values["queue"], 0, QUEUES - 1)
        made.lines["queue"] = self.reading.line(block, said)
        if made.queue is None:
            self.bad(block, said, f"queue {said.values['queue']} does not exist", f"0 to {QUEUES - 1}")

    def _rows(self, block: Block) -> Iterator[tuple[Rows, Block]]:
        for child in block.children:
            if child.values["type"] in TYPES:
                yield Rows(child.values["type"], child.name, self.reading.header(child)), child
            else:
                at, told = self.reading.at(child.line), f"no type of classifier or rewrite rule; known: {', '.join(TYPES)}"
                self.reading.remarks.add(RemarkKind.UNCLAIMED, child.cause, child.header, at, told)

    def _classifiers(self, block: Block) -> None:
        for made, child in self._rows(block):
            for said in child.body.said:
                made.imports = (said.values["from"], self.reading.line(child, said))
            for fc in child.children:
                self.out.used.append((CLASS, fc.name, self.reading.header(fc)))
                for loss in fc.children:
                    colour = self._colour(loss)
                    for said in loss.body.said:
                        value = self._code(loss, said, said.values["code"], made.kind)
                        if value is not None and colour is not None:
                            made.rows[value] = (fc.name, colour, self.reading.line(loss, said))
            self.out.classifiers[made.kind, made.name] = made

    def _colour(self, loss: Block) -> Colour | None:
        found = words.COLOURS.get(loss.values["level"])
        if found is None:
            self.bad(loss, None, f"loss-priority {loss.values['level']} does not exist", ", ".join(words.COLOURS))
        return found

    def _rewrites(self, block: Block) -> None:
        for made, child in self._rows(block):
            for fc in child.children:
                self.out.used.append((CLASS, fc.name, self.reading.header(fc)))
                for loss in fc.children:
                    colour = self._colour(loss)
                    for said in loss.body.said:
                        value = self._code(loss, said, said.values["code"], made.kind)
                        if value is not None and colour is Colour.GREEN:
                            made.written[fc.name] = (value, self.reading.line(loss, said))
            self.out.rewrites[made.kind, made.name] = made

    # --- queues ---

    def _drops(self, block: Block) -> None:
        for child in block.children:
            made = self.out.drops[child.name] = Drop(child.name, self.reading.header(child))
            steps = [(self._percent(child, s, "fill"), self._percent(child, s, "probability"), s) for s in child.body.said]
            if steps:
                made.steps = True
                made.low, made.high = (self.reading.line(child, steps[i][2]) for i in (0, -1))
                made.points = _points((f, p) for f, p, _ in steps)
            for inner in child.below("interpolate"):
                fills = [(self._percent(inner, s, "fill"), s) for s in inner.body.said if s.group == "fill"]
                chances = [(self._percent(inner, s, "probability"), s) for s in inner.body.said if s.group == "probability"]
                made.steps = False
                if len(fills) != len(chances):
                    self.bad(
                        inner,
                        None,
                        f"{len(fills)} fill levels and {len(chances)} probabilities",
                        "as many of one as of the other",
                    )
                    continue
                if fills:
                    made.points = _points((f, p) for (f, _), (p, _) in zip(fills, chances, strict=True))
                    made.low, made.high = (self.reading.line(inner, fills[i][1]) for i in (0, -1))

    def _percent(self, block: Block, said: Said, what: str) -> int | None:
        value = words.whole(said.values[what], 0, 100)
        if value is None:
            self.bad(block, said, f"{what} {said.values[what]} is no percentage", "0 to 100")
        return value

    def _schedulers(self, block: Block) -> None:
        for child in block.children:
            made = self.out.schedulers[child.name] = Schedule(child.name, self.reading.header(child))
            for said in child.body.said:
                line = self.reading.line(child, said)
                if said.group == "profile":
                    made.profiles.append((said.values["loss"], said.values["protocol"], said.values["profile"], line))
                    self.out.used.append((DROP, said.values["profile"], line))
                    continue
                if said.group == "known":
                    continue
                value: object = said.values.get("priority") or said.values.get("ecn")
                if said.group in ("share", "cap", "rate"):
                    share = said.values.get("percent")
                    value = words.percent(share) if share is not None else words.rate(said.values["rate"])
                elif said.group == "threshold":
                    value = words.alpha(said.values["threshold"])
                if value is None:
                    self.bad(child, said, f"{' '.join(said.values.values())} is no value that Junos has here", "see the schema")
                    value = Unknown(f"a value of scheduler {child.name} is none that Junos has")
                made.values[said.group] = (value, line)

    def _maps(self, block: Block) -> None:
        for child in block.children:
            entries = self.out.maps.setdefault(child.name, {})
            self.out.map_at[child.name] = self.reading.header(child)
            for said in child.body.said:
                line = self.reading.line(child, said)
                entries[said.values["fc"]] = (said.values["scheduler"], line)
                self.out.used += [(CLASS, said.values["fc"], line), (SCHEDULER, said.values["scheduler"], line)]

    def _controls(self, block: Block) -> None:
        for child in block.children:
            name: str | None = None
            for said in child.body.said:
                if said.group == "map":
                    name = said.values["map"]
                    self.out.used.append((MAP, name, self.reading.line(child, said)))
            self.out.controls[child.name] = (name, self.reading.header(child))

    # --- buffers ---

    def _shared(self, block: Block) -> None:
        self.out.shared = True
        for way in block.children:
            direction = way.spec.path[-1]
            for part in way.children:
                name = part.values["part"]
                for said in part.body.said:
                    line = self.reading.line(part, said)
                    if said.group == "threshold":
                        ratio = words.alpha(said.values["threshold"])
                        if ratio is None:
                            self.bad(part, said, f"dynamic-threshold {said.values['threshold']} does not exist", "0 to 10")
                        else:
                            self.out.thresholds[direction, name] = (ratio, line)
                        continue
                    share = self._percent(part, said, "percent")
                    if share is not None:
                        self.out.parts[direction, name] = (share, line)

    def percents(self, direction: str) -> Mapping[str, int]:
        return {name: share for (way, name), (share, _) in self.out.parts.items() if way == direction}

    # --- PFC ---

    def _pausing(self, block: Block) -> None:
        for child in block.children:
            made = self.out.pausing[child.name] = Pausing(child.name, self.reading.header(child))
            for part in child.children:
                what = part.spec.path[-1]
                if what == "pfc-watchdog":
                    made.watchdog = self.reading.header(part)
                    self._watchdog(made, part)
                elif what == "input":
                    self._input(made, part)
                elif what == "output":
                    self._output(made, part)

    def _watchdog(self, made: Pausing, part: Block) -> None:
        for said in part.body.said:
            text = said.values.get("poll") or said.values.get("restore") or said.values.get("detect") or said.values["action"]
            value: Quantity | int | WatchdogAction | None
            if said.group == "action":
                value, expected = words.ACTIONS.get(text), ", ".join(words.ACTIONS)
            elif said.group == "detect":
                value, expected = words.whole(text, 1, 65535), "a number of polling intervals, 1 or more"
            else:
                value, expected = words.milliseconds(text), "milliseconds, 1 or more"
            if value is None:
                self.bad(part, said, f"{text} is no value that the watchdog has", expected)
            else:
                made.times[said.group] = (value, self.reading.line(part, said))

    def _input(self, made: Pausing, part: Block) -> None:
        for said in part.body.said:
            length = words.whole(said.values["cable"], 0, 10**6)
            if length is None:
                self.bad(part, said, f"cable-length {said.values['cable']} is no length", "metres")
            else:
                made.cable = (length, self.reading.line(part, said))
        for field_ in part.children:
            kind = field_.spec.path[-1].split()[0]
            if kind == "pfc-account":
                self.out.accounts = True
                continue
            of = HeaderField.DSCP if kind == "dscp" else HeaderField.PCP
            if made.kind is not None and made.kind is not of:
                made.mixed = True
                self.bad(
                    field_, None, "one profile says PFC for DSCP and for 802.1p code points", "one of the two in a profile"
                )
            made.kind = of
            for point in field_.children:
                value = words.code_point(point.values["code"], 6 if kind == "dscp" else 3, self._aliases.get(kind, {}))
                if value is None:
                    self.bad(point, None, f"{point.values['code']!r} is no code point here", "6 bits of DSCP, 3 of 802.1p")
                    continue
                self._point(made.points.setdefault(value, Point(value, self.reading.header(point))), point)

    def _point(self, made: Point, block: Block) -> None:
        for said in block.body.said:
            line = self.reading.line(block, said)
            if said.group == "pfc":
                made.pfc = line
            elif said.group == "account":
                self.out.accounts = True
            else:
                size = words.whole(said.values[said.group], 0, 10**6)
                if size is None:
                    self.bad(
                        block, said, f"{said.group} {said.values[said.group]} is no number here", "bytes of mru, cells of xon"
                    )
                elif said.group == "mru":
                    made.mru = (size, line)
                else:
                    made.xon = (Quantity(Fraction(size), Unit.CELLS), line)

    def _output(self, made: Pausing, part: Block) -> None:
        made.output = made.output or {}
        for field_ in part.children:
            for point in field_.children:
                value = words.code_point(point.values["code"], 3, self._aliases.get("ieee-802.1", {}))
                if value is None:
                    self.bad(point, None, f"{point.values['code']!r} is no code point here", "3 bits of 802.1p")
                    continue
                queues: set[int] = set()
                at = self.reading.header(point)
                for said in point.body.said:
                    queue = words.whole(said.values["queue"], 0, QUEUES - 1)
                    if queue is None:
                        self.bad(point, said, f"queue {said.values['queue']} does not exist", f"0 to {QUEUES - 1}")
                    else:
                        queues.add(queue)
                        at = self.reading.line(point, said)
                made.output[value] = (frozenset(queues), at)


def _points(found: Iterator[tuple[int | None, int | None]]) -> tuple[tuple[int, int], ...] | None:
    out: list[tuple[int, int]] = []
    for fill, probability in found:
        if fill is None or probability is None:
            return None
        out.append((fill, probability))
    return tuple(out) or None
