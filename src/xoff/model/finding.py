"""A finding, in the shape of the JSON contract (`findings/1`)."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from xoff.model.origin import FileLine
from xoff.model.record import dataclass


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 error, 1 warning, 2 note: lower is worse."""
        return ("error", "warning", "note").index(self.value)

    def lower(self) -> Severity:
        """One step milder; a note stays a note."""
        return (Severity.WARNING, Severity.NOTE, Severity.NOTE)[self.rank]


class Confidence(StrEnum):
    CERTAIN = "certain"
    INFERRED = "inferred"


class Impact(StrEnum):
    """What the fault costs."""

    LOSS = "loss"
    DEADLOCK = "deadlock"
    STALL = "stall"
    THROUGHPUT = "throughput"
    HYGIENE = "hygiene"


class Scope(StrEnum):
    """The smallest thing a rule needs."""

    PORT = "port"
    SWITCH = "switch"
    LINK = "link"
    FABRIC = "fabric"
    HOST = "host"
    TABLE = "table"
    FILE = "file"
    LIVE = "live"


class Cost(StrEnum):
    """What entering the fix costs."""

    NOTHING = "nothing"
    BLIP = "blip"
    RECARVE = "buffer re-carve"
    RELOAD = "reload"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Fix:
    lines: tuple[str, ...]
    cost: Cost = Cost.UNKNOWN


@dataclass(frozen=True, slots=True)
class Place:
    """A location with the line's own text, for people and for annotations."""

    at: FileLine
    text: str = ""
    what: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """What makes two findings the same: the block path and the line's text, identity taken out; never a line number."""

    path: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return " > ".join((*self.path, self.text))


@dataclass(frozen=True, slots=True)
class Suppressed:
    by: str
    reason: str
    until: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding after folding. `device` None: the fabric as a whole. `ports` lists every port, unfolded.

    `class_` is the class in force it is about; `implied_by` the fingerprint of the finding that explains it.
    """

    code: str
    name: str
    severity: Severity
    confidence: Confidence
    impact: Impact
    message: str
    device: str | None
    ports: tuple[str, ...]
    cause: Cause
    location: Place | None
    priority: int | None = None
    class_: str | None = None
    related: tuple[Place, ...] = ()
    related_more: int = 0
    observed: str | None = None
    expected: str | None = None
    unit: str | None = None
    why: str = ""
    basis: tuple[str, ...] = ()
    fix: Fix | None = None
    implied_by: str | None = None
    fingerprint: str = ""
    suppressed: Suppressed | None = field(default=None)
    object: str = ""
