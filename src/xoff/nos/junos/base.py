"""Junos: what the parts of a port body share: classes with those that the family has by itself, and notes of origins."""

from __future__ import annotations

from xoff.model.origin import BodyLine, FileLine, Line, Origin
from xoff.model.qos import (
    Colour,
    MatchKind,
)
from xoff.model.quantity import Fact, Unknown
from xoff.model.record import dataclass
from xoff.nos.junos.family import Family
from xoff.nos.junos.objects import Class, Objects
from xoff.nos.registry import Nos

UNLISTED = Unknown("where a code point goes that the classifier does not list is not confirmed", Fact.DEFAULT)
NON_IP = Unknown("how frames that are no IP are classified beside a DSCP classifier is not confirmed", Fact.DEFAULT)
BOTH = Unknown("classifiers for DSCP and 802.1p are bound; which reads a tagged IP frame is not confirmed", Fact.DEFAULT)
NO_FAMILY = Unknown("no classifier is bound, and the default one depends on the family, which is not known", Fact.ASIC)
ROUTER = Unknown("no classifier is bound, so the router's IP precedence classifier holds, which is not modelled", Fact.DEFAULT)
BY_SWITCH = Unknown("the switch computes headroom from cable-length and MRU; how is not published", Fact.DEFAULT)
RESUME = Unknown("from where this family resumes is not published", Fact.DEFAULT)
WATCHED = Unknown("whether this model has a PFC watchdog is not confirmed", Fact.ASIC)
TAGGED = Unknown("PFC counts frames by their 802.1p tag, and which one frames of the class bear is not known", Fact.CLASSES)
ALL = range(8)
TYPE = {MatchKind.DSCP: "dscp", MatchKind.PCP: "ieee-802.1"}
NOWHERE = FileLine("", 0)
PAUSE = BodyLine(("interfaces", "*"), "ether-options flow-control", "pause")


@dataclass(frozen=True, slots=True)
class Facing:
    """What of a port, besides its bindings, decides its body."""

    routed: bool | Unknown | None
    tagged: bool
    trunk: bool | None
    filter: str | None
    pause: bool | None


@dataclass(frozen=True, slots=True)
class Value:
    """Where one code point goes: its class, colour and the origin that says so."""

    fc: str
    colour: Colour
    at: Origin


class Shared:
    """What all parts see: `nos` gives defaults, `objects` what is defined, `family` which defaults hold. One per file."""

    def __init__(self, nos: Nos, objects: Objects, family: Family) -> None:
        self.nos = nos
        self.objects = objects
        self.family = family
        self.context = "qfx" if family.qfx else "router" if family.name == "router" else None
        self.classes: dict[str, Class] = dict(objects.classes)
        entry = nos.default("classes", family=self.context)
        self.built_in = {name for name, _, _ in entry.value} if entry else set()
        for name, queue, lossless in entry.value if entry else ():
            if name not in self.classes:
                at = Line((), f"class {name}", NOWHERE)
                self.classes[name] = Class(name, at, queue, lossless)
        self._default_origin = entry.origin("a class that Junos has by itself") if entry else None
        #: (profile, DSCP, what is missing) that pausing needs; remarks are made of them by the reader.
        self.lacking: dict[tuple[str, int, str], None] = {}

    # --- classes ---

    def queue_of(self, fc: str) -> int | Unknown:
        made = self.classes.get(fc)
        if made is None:
            return Unknown(f"forwarding class {fc} is not defined", Fact.CONFIG)
        return Unknown(f"forwarding class {fc} has no valid queue") if made.queue is None else made.queue

    def queue_origin(self, fc: str) -> Origin | None:
        made = self.classes.get(fc)
        if made is None:
            return None
        if fc not in self.objects.classes:
            return self._default_origin
        return made.lines.get("queue") or made.at

    @staticmethod
    def _note(origins: dict[str, Origin], path: str, where: Origin | None) -> None:
        if where is not None:
            origins.setdefault(path, where)
