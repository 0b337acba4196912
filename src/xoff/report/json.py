"""The JSON report, contract `findings/1`. Same input, same bytes; strings from devices are escaped and secrets masked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from xoff import __version__
from xoff.lint.result import FabricResult, LintResult
from xoff.model.fabric import ClassInForce, End
from xoff.model.finding import Finding, Place
from xoff.model.origin import FileLine
from xoff.model.quantity import Unknown
from xoff.model.switch import SwitchModel
from xoff.report.escape import quoted, visible
from xoff.report.ranges import natural
from xoff.report.summary import summarise

if TYPE_CHECKING:  # building the types costs more than writing the report
    from xoff.report.contract import (
        ClassOut,
        DeviceOut,
        Document,
        FindingOut,
        MissingOut,
        PlaceOut,
        RelatedOut,
        RuleCoverageOut,
        SetOut,
        SkippedOut,
    )


def text(result: LintResult, exit_code: int) -> str:
    """The document as JSON, one trailing newline."""
    return json.dumps(_escaped(document(result, exit_code)), indent=2, ensure_ascii=False) + "\n"


def document(result: LintResult, exit_code: int) -> Document:
    """The document as plain data, strings as they came."""
    summary = summarise(result)
    fabrics = result.fabrics
    return {
        "version": "findings/1",
        "tool": {"name": "xoff", "version": __version__},
        "fabric": {"name": fabrics[0].name if len(fabrics) == 1 else None, "sets": [_set(f) for f in fabrics]},
        "classes": [_class(f.name, c) for f in fabrics for c in f.classes],
        "findings": [finding(f.name, x) for f in fabrics for x in f.findings],
        "coverage": {
            "assessed": summary.assessed,
            "total": summary.checks,
            "rules": _rules(result),
            "skipped": _skipped(result),
        },
        "facts_missing": [m for f in fabrics for m in _missing(f)],
        "summary": {
            "errors": summary.errors,
            "warnings": summary.warnings,
            "notes": summary.notes,
            "implied": summary.implied,
            "suppressed": summary.suppressed,
            "exit_code": exit_code,
            "line": summary.line,
        },
    }


def finding(fabric: str, f: Finding) -> FindingOut:
    """One finding of the contract."""
    return {
        "code": f.code,
        "name": f.name,
        "severity": f.severity.value,
        "confidence": f.confidence.value,
        "impact": f.impact.value,
        "message": f.message,
        "fabric": fabric,
        "device": f.device,
        "ports": sorted(f.ports, key=natural),
        "priority": f.priority,
        "class": f.class_,
        "location": _place(f.location) if f.location else None,
        "related": [_related(p) for p in f.related],
        "related_more": f.related_more,
        "observed": f.observed,
        "expected": f.expected,
        "unit": f.unit,
        "why": f.why,
        "basis": list(f.basis),
        "fix": {"lines": list(f.fix.lines), "cost": f.fix.cost.value} if f.fix else None,
        "implied_by": f.implied_by,
        "fingerprint": f.fingerprint,
        "suppressed": {"by": f.suppressed.by, "reason": f.suppressed.reason, "until": f.suppressed.until}
        if f.suppressed
        else None,
        "help": f"xoff explain {f.code}",
    }


def _place(place: Place) -> PlaceOut:
    return {"file": place.at.file, "line": place.at.line, "end_line": place.at.end_line, "text": quoted(place.text)}


def _related(place: Place) -> RelatedOut:
    return {**_place(place), "what": place.what}


def _class(fabric: str, c: ClassInForce) -> ClassOut:
    return {
        "fabric": fabric,
        "name": c.name,
        "kind": c.kind.value,
        "lossless": c.lossless,
        "dscp": sorted(c.dscp),
        "pcp": sorted(c.pcp),
        "priority": None if isinstance(c.priority, Unknown) else c.priority,
        "ecn": c.ecn,
        "basis": c.basis.value,
        "confidence": c.confidence.value,
        "said": c.said,
        "location": _at(c.at),
    }


def _at(at: FileLine | None) -> PlaceOut | None:
    return {"file": at.file, "line": at.line, "end_line": at.end_line, "text": ""} if at else None


def _set(f: FabricResult) -> SetOut:
    return {
        "name": f.name,
        "devices": [_device(d) for d in sorted(f.devices, key=lambda d: natural(d.hostname))],
        "tables": [
            {"file": t.file, "nos": t.nos, "rows": len(t.rows), "devices": sorted(t.devices, key=natural)}
            for t in sorted(f.tables, key=lambda t: natural(t.file))
        ],
        "links": [{"a": _end(x.a), "b": _end(x.b), "evidence": x.evidence.value} for x in f.links],
        "conflicts": [
            {"port": _end(c.port), "claims": [{"evidence": e.value, "end": _end(end)} for e, end in c.claims]}
            for c in f.conflicts
        ],
        "structure": list(f.structure),
    }


def _end(end: End) -> str:
    return f"{end.device} {end.port}".rstrip()


def _device(d: SwitchModel) -> DeviceOut:
    return {
        "name": d.hostname,
        "nos": d.nos,
        "role": d.role,
        "form": d.form.value,
        "platform": None if isinstance(d.platform, Unknown) else d.platform,
        "asic": None if isinstance(d.asic, Unknown) else d.asic,
        "ports": len(d.ports),
        "files": list(d.files),
    }


def _rules(result: LintResult) -> dict[str, RuleCoverageOut]:
    out: dict[str, RuleCoverageOut] = {}
    for fabric in result.fabrics:
        for code, c in fabric.coverage.items():
            entry = out.setdefault(code, {"assessed": 0, "not_applicable": {}, "not_assessed": {}})
            entry["assessed"] += c.assessed
            for reason, n in c.not_applicable.items():
                entry["not_applicable"][reason] = entry["not_applicable"].get(reason, 0) + n
            for (reason, _), n in c.not_assessed.items():
                entry["not_assessed"][reason] = entry["not_assessed"].get(reason, 0) + n
    for entry in out.values():
        entry["not_applicable"] = dict(sorted(entry["not_applicable"].items()))
        entry["not_assessed"] = dict(sorted(entry["not_assessed"].items()))
    return dict(sorted(out.items()))


def _skipped(result: LintResult) -> list[SkippedOut]:
    out: list[SkippedOut] = []
    for f in result.fabrics:
        out += [{"file": file, "reason": reason, "problem": False} for file, reason in f.skipped]
        out += [{"file": p.file, "reason": p.message, "problem": True} for p in f.problems]
    return sorted(out, key=lambda s: (s["file"], s["reason"]))


def _missing(f: FabricResult) -> list[MissingOut]:
    return [
        {"fabric": f.name, "fact": m.fact.value, "checks": m.checks, "devices": list(m.devices), "add": m.add}
        for m in f.facts_missing
    ]


def _escaped(value: Any) -> Any:
    """Every string, keys too, with control characters visible."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(k): _escaped(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_escaped(v) for v in value]
    return value
