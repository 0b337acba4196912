"""The JSON contract `findings/1`: additive changes only. `schemas/findings.schema.json` is generated from here.

The string beside each type is the field's description in the schema. Lists are sorted, so equal input gives equal bytes.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from typing_extensions import TypedDict

VERSION: Final = "findings/1"

SeverityWord = Literal["error", "warning", "note"]
ConfidenceWord = Literal["certain", "inferred"]
ImpactWord = Literal["loss", "deadlock", "stall", "throughput", "hygiene"]
CostWord = Literal["nothing", "blip", "buffer re-carve", "reload", "unknown"]


class ToolOut(TypedDict):
    """What wrote the document."""

    name: Annotated[str, "always `xoff`"]
    version: Annotated[str, "version of xoff"]


class PlaceOut(TypedDict):
    """A place in the input."""

    file: Annotated[str, "path as given on the command line or found below it"]
    line: Annotated[int, "counted from 1; 0: the file as a whole"]
    end_line: Annotated[int | None, "last line, where the place is a span"]
    text: Annotated[str, "the line itself, secrets masked and control characters escaped"]


class RelatedOut(PlaceOut):
    """A further place: the other end of a link, a sibling, the other half of a contradiction."""

    what: Annotated[str, "what stands there, in words"]


class FixOut(TypedDict):
    """What to enter. Never entered by xoff itself."""

    lines: Annotated[list[str], "configuration lines, in order"]
    cost: Annotated[CostWord, "the worst that entering them does to traffic"]


class SuppressedOut(TypedDict):
    """Why the finding does not count."""

    by: Annotated[str, "exceptions file, inline comment or baseline"]
    reason: Annotated[str, "as written there"]
    until: Annotated[str | None, "ISO date after which it counts again"]


FindingOut = TypedDict(
    "FindingOut",
    {
        "code": Annotated[str, "rule code, e.g. MAP001; never renumbered"],
        "name": Annotated[str, "rule name, e.g. roce-dscp-lossy"],
        "severity": Annotated[SeverityWord, "after overrides and evidence"],
        "confidence": Annotated[ConfidenceWord, "`inferred` where a class, link or consensus is not stated but concluded"],
        "impact": Annotated[ImpactWord, "what the fault costs"],
        "message": Annotated[str, "one line with the numbers"],
        "fabric": Annotated[str, "name of the set of devices it belongs to"],
        "device": Annotated[
            str | None, "null: the fabric as a whole (`related` names the devices), or a lookup table that is not one device's"
        ],
        "ports": Annotated[list[str], "every port, unfolded, in natural order"],
        "priority": Annotated[int | None, "PFC / 802.1p priority concerned"],
        "class": Annotated[str | None, "name of the class in force concerned"],
        "location": Annotated[PlaceOut | None, "first place; for what is missing, the parent's header"],
        "related": Annotated[list[RelatedOut], "up to five further places"],
        "related_more": Annotated[int, "places beyond those"],
        "observed": Annotated[str | None, "value found"],
        "expected": Annotated[str | None, "value that would be right"],
        "unit": Annotated[str | None, "unit of both"],
        "why": Annotated[str, "the consequence, in words"],
        "basis": Annotated[list[str], "what the judgement rests on: classes, links, defaults, structure"],
        "fix": Annotated[FixOut | None, "null: there is no single right line"],
        "implied_by": Annotated[str | None, "fingerprint of the finding that explains this one"],
        "fingerprint": Annotated[str, "stable over reordering, renumbering and the list of ports"],
        "suppressed": Annotated[SuppressedOut | None, "null: it counts"],
        "help": Annotated[str, "command that prints the rule's page"],
    },
)
FindingOut.__doc__ = "One finding after folding."


class ClassOut(TypedDict):
    """A class in force: what the rules judged against."""

    fabric: Annotated[str, "name of the set of devices it holds for"]
    name: Annotated[str, "as in the intent or project file, else a conventional one"]
    kind: Annotated[Literal["data", "cnp", "control", "default"], "what the class is for"]
    lossless: Annotated[bool, "packets of it must never be dropped for want of buffer"]
    dscp: Annotated[list[int], "DSCP values that tell its packets apart"]
    pcp: Annotated[list[int], "802.1p values that tell its packets apart"]
    priority: Annotated[int | None, "PFC priority; null: unknown"]
    ecn: Annotated[bool | None, "marking asked for, ruled out, or not stated"]
    basis: Annotated[
        Literal["intent", "project file", "host facts", "the fabric's own lines", "convention"], "where it is from"
    ]
    confidence: Annotated[ConfidenceWord, "`inferred` from the fabric's own lines or a convention"]
    said: Annotated[str, "the origin in words"]
    location: Annotated[PlaceOut | None, "where it is said"]


class DeviceOut(TypedDict):
    """A device that was judged."""

    name: Annotated[str, "hostname"]
    nos: Annotated[str, "network operating system"]
    role: Annotated[str | None, "null: not known"]
    form: Annotated[Literal["golden", "running", "fragment"], "how complete its files are"]
    platform: Annotated[str | None, "model; null: not known"]
    asic: Annotated[str | None, "ASIC; null: not known"]
    ports: Annotated[int, "number of interfaces"]
    files: Annotated[list[str], "what it was read from"]


class LinkOut(TypedDict):
    """A link that rules used, with its evidence."""

    a: Annotated[str, "device and port"]
    b: Annotated[str, "device and port"]
    evidence: Annotated[str, "intent, cabling file, LLDP, DEVICE_NEIGHBOR, description or address pair"]


class ClaimOut(TypedDict):
    """One source's word on where a port leads."""

    evidence: Annotated[str, "the source"]
    end: Annotated[str, "device and port"]


class ConflictOut(TypedDict):
    """A port for which sources name different ends; no link of it was used."""

    port: Annotated[str, "device and port"]
    claims: Annotated[list[ClaimOut], "who says what"]


class TableOut(TypedDict):
    """A headroom lookup table that was judged."""

    file: Annotated[str, "path"]
    nos: Annotated[str, "network operating system whose form it has"]
    rows: Annotated[int, "number of rows"]
    devices: Annotated[list[str], "switches that look up in it; empty: it was judged for itself"]


class SetOut(TypedDict):
    """One fabric: links, consensus and duplicates never cross it."""

    name: Annotated[str, "from the intent, the project file or the folder"]
    devices: Annotated[list[DeviceOut], "sorted by name"]
    tables: Annotated[list[TableOut], "headroom lookup tables, sorted by file"]
    links: Annotated[list[LinkOut], "known links"]
    conflicts: Annotated[list[ConflictOut], "contradictions between sources of links"]
    structure: Annotated[list[str], "assumptions about how a NOS's own statements relate, with evidence"]


class FabricOut(TypedDict):
    """What was linted."""

    name: Annotated[str | None, "the fabric's name; null where the input holds several"]
    sets: Annotated[list[SetOut], "the fabrics"]


class RuleCoverageOut(TypedDict):
    """How often one rule could judge."""

    assessed: Annotated[int, "objects judged, whether or not there is a finding"]
    not_applicable: Annotated[dict[str, int], "reason -> number of objects that cannot have the fault"]
    not_assessed: Annotated[dict[str, int], "reason -> number of objects that could not be judged"]


class SkippedOut(TypedDict):
    """A file that was not judged."""

    file: Annotated[str, "path"]
    reason: Annotated[str, "why, in words"]
    problem: Annotated[bool, "true: it should have been read, and the exit code is 3"]


class CoverageOut(TypedDict):
    """What was judged and what was not: unknown is never a pass."""

    assessed: Annotated[int, "checks made"]
    total: Annotated[int, "checks that apply"]
    rules: Annotated[dict[str, RuleCoverageOut], "by rule code"]
    skipped: Annotated[list[SkippedOut], "files not judged"]


class MissingOut(TypedDict):
    """A fact whose absence stopped checks."""

    fabric: Annotated[str, "name of the set of devices"]
    fact: Annotated[str, "asic, cable, speed, …"]
    checks: Annotated[int, "checks that it stopped"]
    devices: Annotated[list[str], "devices that lack it"]
    add: Annotated[str, "the line to add, and where"]


class SummaryOut(TypedDict):
    """Counts of what is neither implied nor suppressed; a cause counts with the worst severity that it explains."""

    errors: int
    warnings: int
    notes: int
    implied: Annotated[int, "findings explained by another one"]
    suppressed: Annotated[int, "findings that do not count"]
    exit_code: Annotated[int, "exit code of the run"]
    line: Annotated[str, "the text report's last line"]


class Document(TypedDict):
    """What `xoff lint --format json` writes."""

    version: Annotated[Literal["findings/1"], "version of this contract"]
    tool: ToolOut
    fabric: FabricOut
    classes: Annotated[list[ClassOut], "classes in force"]
    findings: Annotated[list[FindingOut], "sorted by fabric, file, line, code and device"]
    coverage: CoverageOut
    facts_missing: Annotated[list[MissingOut], "per fabric the facts whose absence stopped checks, most first"]
    summary: SummaryOut
