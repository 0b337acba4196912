"""From hits to findings: place, cause, confidence, severity, fingerprint; equal ones become one; causes explain effects.

The cause of a finding is (device, block path with names as `*`, the line's text with identity taken out), or what is absent
there; never a line number. Fingerprint = code + device + class + cause + object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from xoff.lint.objects import confidence_of
from xoff.lint.ports import PortView
from xoff.lint.rules import Absent, Hit, Rule
from xoff.model.fabric import Basis
from xoff.model.finding import Cause, Confidence, Finding, Place, Severity
from xoff.model.origin import BodyLine, Default, Derived, Evidence, FileLine, Line, Origin
from xoff.model.record import dataclass

RELATED = 5
#: Difference from the intent: implied by every finding on the same line, whatever that finding's rule explains (DESIGN 8).
DRIFT = "DRF001"


@dataclass(frozen=True, slots=True)
class Raw:
    """A hit with its rule."""

    rule: Rule
    hit: Hit


def findings(raws: Iterable[Raw], text_of: Callable[[FileLine], str]) -> tuple[Finding, ...]:
    """Fold hits into findings, sorted by place, and mark what is implied by what.

    text_of: the source text of a file line ("" where it is not at hand).
    """
    folded: dict[tuple[object, ...], list[Raw]] = {}
    for raw in raws:
        hit = raw.hit
        device = hit.device.name if hit.device else None
        key = (
            raw.rule.code, device, _cause(hit), hit.cls.name if hit.cls else None, hit.observed, hit.expected, hit.severity,
            hit.object, hit.priority, hit.table.maybe.file if hit.table else None,
        )  # fmt: skip
        folded.setdefault(key, []).append(raw)
    built = [(_finding(group, text_of), group[0]) for group in folded.values()]
    built = _explain(built)
    return tuple(sorted((f for f, _ in built), key=_order))


def _order(f: Finding) -> tuple[object, ...]:
    at = f.location.at if f.location else FileLine("", 0)
    return (at.file, at.line, f.severity.rank, f.code, f.device or "", f.ports)


def _cause(hit: Hit) -> Cause:
    at = hit.at
    if isinstance(at, Absent):
        return Cause(at.path if at.path is not None else _block(hit.port), f"absent: {at.what}")
    if isinstance(at, (Line, BodyLine)):
        return Cause(at.path, at.text)
    if isinstance(at, Default):
        return Cause(_block(hit.port), f"default: {at.note}")
    if isinstance(at, Derived):
        return Cause(_block(hit.port), f"derived: {at.formula}")
    return Cause(_block(hit.port), hit.object)


def _block(port: PortView | None) -> tuple[str, ...]:
    return port.block if port else ()


def _places(hit: Hit) -> list[FileLine]:
    """Every place of the hit: one a port for lines of a port's body, else one."""
    at = hit.at
    if isinstance(at, Line):
        return [at.at]
    anchor: Origin | FileLine | None = at.at if isinstance(at, Absent) else at
    if isinstance(anchor, FileLine):
        return [anchor]
    if isinstance(anchor, Line):
        return [anchor.at]
    if hit.table is not None:
        return [FileLine(hit.table.maybe.file, 0)]
    if hit.port is None:
        if hit.device is None or not hit.device.maybe.files:
            return []
        return [FileLine(hit.device.maybe.files[0], 0)]
    wanted = set(hit.only_ports) if hit.only_ports is not None else None
    ports = [p for p in hit.port.ports if wanted is None or p.name in wanted]
    found = [p.place(anchor if isinstance(anchor, BodyLine) else p.origins.get("")) for p in ports]
    return list(dict.fromkeys(p for p in found if p is not None))


def _severity(hit: Hit) -> tuple[Severity, Confidence]:
    """Lowered by one where the judgement rests on a default of secondary evidence; no error on a bare convention."""
    severity = hit.severity
    confidence = hit.confidence or confidence_of(hit.cls, hit.link)
    rests = [o for o in (hit.at, *hit.rests_on) if isinstance(o, Default)]
    if any(o.evidence is Evidence.SECONDARY for o in rests):
        severity, confidence = severity.lower(), Confidence.INFERRED
    if hit.cls is not None and hit.cls.basis is Basis.CONVENTION and not hit.own_contradiction and severity is Severity.ERROR:
        severity = Severity.WARNING
    return severity, confidence


def _finding(group: Sequence[Raw], text_of: Callable[[FileLine], str]) -> Finding:
    rule, hit = group[0].rule, group[0].hit
    places = sorted({p for raw in group for p in _places(raw.hit)}, key=lambda p: (p.file, p.line))
    ports = tuple(dict.fromkeys(n for raw in group for n in _port_names(raw.hit)))
    device = hit.device.name if hit.device else None
    cause = _cause(hit)
    severity, confidence = _severity(hit)
    location = Place(places[0], _text(places[0], text_of)) if places else None
    related = [Place(p, _text(p, text_of), "same on another port") for p in places[1 : RELATED + 1]]
    for port, origin, what in hit.related:
        at = _related_place(port or hit.port, origin)
        if at is not None and at not in (r.at for r in related) and (location is None or at != location.at):
            related.append(Place(at, _text(at, text_of), what))
    defaults = tuple(f"{o.note} ({o.evidence}, {o.source})" for o in (hit.at, *hit.rests_on) if isinstance(o, Default))
    basis = tuple(dict.fromkeys((*hit.basis, *defaults, *((f"class {hit.cls.name}: {hit.cls.said}",) if hit.cls else ()),
                                 *((f"link known from {hit.link.evidence}",) if hit.link else ()))))  # fmt: skip
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=severity,
        confidence=confidence,
        impact=rule.impact,
        message=hit.message,
        device=device,
        ports=ports,
        cause=cause,
        location=location,
        priority=hit.priority,
        class_=hit.cls.name if hit.cls else None,
        related=tuple(related),
        related_more=max(0, len(places) - 1 - RELATED),
        observed=hit.observed,
        expected=hit.expected,
        unit=hit.unit,
        why=hit.why,
        basis=basis,
        fix=hit.fix,
        fingerprint=_fingerprint(rule.code, device, hit.cls.name if hit.cls else "", cause, hit.object),
        object=hit.object,
    )


def _port_names(hit: Hit) -> tuple[str, ...]:
    if hit.only_ports is not None:
        return hit.only_ports
    return hit.port.names if hit.port else ()


def _text(at: FileLine, text_of: Callable[[FileLine], str]) -> str:
    return text_of(at) if at.line else ""


def _related_place(port: PortView | None, origin: Origin | FileLine | None) -> FileLine | None:
    if isinstance(origin, FileLine):
        return origin
    if isinstance(origin, Line):
        return origin.at
    return port.maybe.place(origin) if port is not None else None


def _fingerprint(code: str, device: str | None, cls: str, cause: Cause, obj: str) -> str:
    import hashlib  # loads OpenSSL: only where there is a finding to name

    text = "\x1f".join((code, device or "", cls, *cause.path, cause.text, obj))
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def explained(rule: Rule, hit: Hit, code: str) -> bool:
    """Whether a finding of this rule explains one of that code (on the same object)."""
    return any(code.startswith(prefix) for prefix in (rule.explains if hit.explains is None else hit.explains))


def _explain(built: list[tuple[Finding, Raw]]) -> list[tuple[Finding, Raw]]:
    """Set `implied_by` to the fingerprint of the uppermost cause."""
    by_device: dict[str | None, list[tuple[Finding, Raw]]] = {}
    for item in built:
        by_device.setdefault(item[0].device, []).append(item)
    parents: dict[int, Finding] = {}
    for group in by_device.values():
        causes = [(f, raw) for f, raw in group if (raw.rule.explains if raw.hit.explains is None else raw.hit.explains)]
        for effect, _ in group:
            for cause, raw in group if effect.code == DRIFT else causes:
                if cause is not effect and _explains(raw, cause, effect):
                    known = parents.get(id(effect))
                    if known is None or _rank(cause) < _rank(known):
                        parents[id(effect)] = cause
    out = []
    for finding, raw in built:
        top = parents.get(id(finding))
        seen = {id(finding)}
        while top is not None and id(top) in parents and id(top) not in seen:
            seen.add(id(top))
            top = parents[id(top)]
        out.append((replace(finding, implied_by=top.fingerprint) if top is not None else finding, raw))
    return out


def _explains(raw: Raw, cause: Finding, effect: Finding) -> bool:
    if effect.code == DRIFT and cause.code not in (DRIFT, "CFG003") and cause.cause == effect.cause:
        return True
    return explained(raw.rule, raw.hit, effect.code) and _same_object(cause, effect)


def _rank(f: Finding) -> tuple[int, str]:
    return f.severity.rank, f.code


def _same_object(cause: Finding, effect: Finding) -> bool:
    """Same class (or one of them none), and the effect's ports within the cause's, or the same line to blame.

    What befalls the CNPs of a port is an effect of what befalls its data class, though they are a class of their own.
    """
    differ = cause.class_ is not None and effect.class_ is not None and cause.class_ != effect.class_
    if differ and not (effect.code.startswith("CNP") and not cause.code.startswith("CNP")):
        return False
    if not cause.ports or cause.cause == effect.cause:
        return True
    return bool(effect.ports) and set(effect.ports) <= set(cause.ports)
