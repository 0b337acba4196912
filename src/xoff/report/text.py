"""The text report: classes in force, findings by file with the lines they are about, what was not judged, the last line.

Nothing of its own beyond ASCII, so that it reads the same in a log; widths do not depend on the terminal.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from xoff.lint.result import FabricResult, LintResult
from xoff.model.fabric import ClassInForce, ClassKind, LinkEvidence
from xoff.model.finding import Confidence, Cost, Finding, Place
from xoff.model.quantity import Unknown
from xoff.model.record import dataclass
from xoff.report.escape import quoted, visible
from xoff.report.ranges import fold, natural
from xoff.report.style import Paint, plain
from xoff.report.summary import FACT_WORDS, MISSING_SHOWN, Summary, effective, explained, summarise, top_findings

_WIDTH = 110
_REASONS_SHOWN = 6
_SKIPPED_SHOWN = 8
_SAME_SHOWN = 3
_DEVICES_SHOWN = 3
_NO_FILE = "the fabric as a whole"


@dataclass(frozen=True, slots=True)
class _Shown:
    """A finding as shown once: the same on one or more devices of a role, with what it explains."""

    findings: tuple[Finding, ...]
    effects: tuple[Finding, ...]
    severity: str

    @property
    def first(self) -> Finding:
        return self.findings[0]


def text(result: LintResult, paint: Paint = plain) -> str:
    """The report, one trailing newline."""
    lines: list[str] = []
    for fabric in result.fabrics:
        lines += _head(fabric, paint)
        lines += _findings(fabric, paint)
        lines += _not_judged(fabric, paint)
    summary = summarise(result)
    lines.append(_last_line(summary, paint))
    return "\n".join(lines) + "\n"


def _last_line(summary: Summary, paint: Paint) -> str:
    return paint(summary.line, "error" if summary.errors else "warning" if summary.warnings else "good")


# ---- what the fabric is


def _head(fabric: FabricResult, paint: Paint) -> Iterator[str]:
    by_nos: dict[str, int] = {}
    for device in fabric.devices:
        by_nos[device.nos] = by_nos.get(device.nos, 0) + 1
    kinds = ", ".join(f"{n} {visible(nos)}" for nos, n in sorted(by_nos.items()))
    tables = _count(len(fabric.tables), "headroom table")
    if not fabric.devices and fabric.tables:
        yield paint(f"{visible(fabric.name)}: {tables}, no switch", "head")
        yield ""
        return
    and_tables = f", {tables}" if fabric.tables else ""
    switches = f"{visible(fabric.name)}: {_count(len(fabric.devices), 'switch', 'switches')} ({kinds}){and_tables}"
    yield paint(switches, "head") + _links(fabric)
    yield from _classes(fabric)
    yield ""


def _links(fabric: FabricResult) -> str:
    if not fabric.links:
        return ", no known links"
    counts = {e: sum(x.evidence is e for x in fabric.links) for e in LinkEvidence}
    how = ", ".join(f"{n} from {e.value}" for e, n in counts.items() if n)
    return f", {_count(len(fabric.links), 'link')} ({how})"


def _classes(fabric: FabricResult) -> Iterator[str]:
    shown = [c for c in fabric.classes if c.kind in (ClassKind.DATA, ClassKind.CNP) or c.dscp or c.pcp]
    if shown:
        yield "  classes in force"
        rows = [_class_row(c) for c in shown]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        for *cells, origin in rows:
            columns = "  ".join(cell.ljust(w) for cell, w in zip(cells, widths, strict=True))
            yield from _wrapped(origin, f"    {columns}  ", "        ")
    if fabric.classes_note:
        yield from _wrapped(visible(fabric.classes_note), "  ", "  ")


def _class_row(c: ClassInForce) -> tuple[str, str, str, str, str]:
    values = [f"DSCP {fold(map(str, c.dscp))}"] if c.dscp else []
    values += [f"PCP {fold(map(str, c.pcp))}"] if c.pcp else []
    priority = "priority ?" if isinstance(c.priority, Unknown) else f"priority {c.priority}"
    at = f" ({c.at})" if c.at else ""
    # Where the place is known it says more than the words about it.
    said = f"{c.basis.value}: {c.said}" if c.said and not at else c.basis.value
    return (
        visible(c.name),
        " and ".join(values) or "-",
        priority,
        "lossless" if c.lossless else "lossy",
        f"from {visible(said)}{visible(at)}",
    )


# ---- findings


def _findings(fabric: FabricResult, paint: Paint) -> Iterator[str]:
    by_file: dict[str, list[_Shown]] = {}
    for shown in _fold_devices(fabric):
        place = shown.first.location
        by_file.setdefault(place.at.file if place else _NO_FILE, []).append(shown)
    for file in sorted(by_file, key=natural):
        yield paint(visible(file), "head")
        for shown in by_file[file]:
            yield from _finding(shown, paint)
            yield ""


def _fold_devices(fabric: FabricResult) -> list[_Shown]:
    """Equal findings on devices of one role become one."""
    roles = {d.hostname: d.role for d in fabric.devices}
    effects = explained(fabric.findings)
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for f in top_findings(fabric):
        role = roles.get(f.device or "")
        own = tuple((e.code, e.severity, e.cause, e.observed, e.expected) for e in effects.get(f.fingerprint, ()))
        same = (
            _without_device(f.message, f.device),
            f.class_,
            f.cause,
            f.observed,
            f.expected,
            f.severity,
            f.confidence,
            f.object,
        )
        key = (f.code, role, *same, own) if role is not None and f.device is not None else (id(f),)
        groups.setdefault(key, []).append(f)
    return [_Shown(tuple(g), tuple(effects.get(g[0].fingerprint, ())), effective(g[0], effects).value) for g in groups.values()]


def _without_device(message: str, device: str | None) -> str:
    return message.replace(device, "*") if device else message


def _finding(shown: _Shown, paint: Paint) -> Iterator[str]:
    f = shown.first
    head = f"{paint(f.severity.value, f.severity.value)} {paint(f.code, 'head')} {f.name}"
    inferred = paint("  (inferred)", "dim") if f.confidence is Confidence.INFERRED else ""
    yield f"  {head}: {visible(f.message)}{inferred}"
    on = _on(shown)
    if on:
        yield from _wrapped(f"on {on}", "    ", "       ")
    yield from _places(f, paint)
    if len(shown.findings) > 1:
        yield from _wrapped("same in " + _same(shown.findings[1:]), "    ", "       ")
    if f.observed is not None or f.expected is not None:
        unit = f" {f.unit}" if f.unit else ""
        seen = [f"found {visible(f.observed)}{unit}"] if f.observed is not None else []
        seen += [f"expected {visible(f.expected)}{unit}"] if f.expected is not None else []
        yield from _wrapped(", ".join(seen), "    ", "       ")
    if f.why:
        yield from _wrapped(f"why: {visible(f.why)}", "    ", "       ")
    if f.fix is not None and f.fix.lines:
        cost = "" if f.fix.cost is Cost.UNKNOWN else f"   (entering it costs: {f.fix.cost.value})"
        yield f"    fix: {visible(f.fix.lines[0])}{cost}"
        yield from (f"         {visible(line)}" for line in f.fix.lines[1:])
    for effect in shown.effects:
        yield f"    -> {effect.severity.value} {effect.code} {effect.name}: {visible(effect.message)}"
        if len(shown.findings) == 1 and effect.ports and set(effect.ports) != set(f.ports):
            yield from _wrapped(f"on {visible(fold(effect.ports))}", "         ", "         ")


def _on(shown: _Shown) -> str:
    """`leaf1 Ethernet0-124:4 (32 ports)`, or the devices where the finding stands on several."""
    f = shown.first
    ports = visible(fold(f.ports))
    many = f" ({len(f.ports)} ports)" if len(f.ports) > 2 else ""
    if len(shown.findings) == 1:
        return " ".join(x for x in (visible(f.device or ""), ports) if x) + many
    devices = visible(_devices([x.device or "" for x in shown.findings]))
    same_ports = len({frozenset(x.ports) for x in shown.findings}) == 1
    where = (
        f", each {ports}{many}"
        if ports and same_ports
        else f", {sum(len(x.ports) for x in shown.findings)} ports"
        if ports
        else ""
    )
    return f"{devices} ({len(shown.findings)} devices){where}"


def _same(findings: Sequence[Finding]) -> str:
    places = [str(x.location.at) for x in findings if x.location]
    more = len(findings) - min(len(places), _SAME_SHOWN)
    shown = ", ".join(visible(p) for p in places[:_SAME_SHOWN])
    return shown + (f" and {more} more" if more else "")


def _places(f: Finding, paint: Paint) -> Iterator[str]:
    """The offending line, then the other places, each with its line number in front."""
    places = [p for p in (f.location, *f.related) if p is not None]
    width = max((len(str(p.at.line)) for p in places if p.at.line), default=1)
    file = f.location.at.file if f.location else ""  # the heading
    for place in places:
        if place.at.file != file:
            yield f"    {visible(place.at.file)}"
        file = place.at.file
        line = _quote(place, width, paint, note=place is not f.location)
        if line:
            yield line
    if f.related_more:
        yield f"      {' ' * width} | ... and {f.related_more} more places"


def _quote(place: Place, width: int, paint: Paint, note: bool) -> str:
    if not place.at.line:
        return f"      {' ' * width} | {visible(place.what)}" if place.what else ""
    number = paint(f"{place.at.line:>{width}} |", "dim")
    what = paint(f"   <- {visible(place.what)}", "dim") if note and place.what else ""
    return f"      {number} {quoted(place.text).strip()}{what}".rstrip()


# ---- what was not judged


def _not_judged(fabric: FabricResult, paint: Paint) -> Iterator[str]:
    sections = [
        (
            "could not be read",
            [f"{visible(p.file)}{':' + str(p.line) if p.line else ''}: {visible(p.message)}" for p in fabric.problems],
        ),
        ("skipped", _first([f"{visible(f)}: {visible(why)}" for f, why in fabric.skipped], _SKIPPED_SHOWN)),
        ("links in conflict, not used", [_conflict(fabric, i) for i in range(len(fabric.conflicts))]),
        ("not assessed", list(_reasons(fabric))),
        ("facts that would let xoff judge more", list(_facts(fabric))),
        ("this rests on", [visible(s) for s in fabric.structure]),
    ]
    for title, rows in sections:
        if rows:
            yield paint(title, "head")
            for row in rows:
                yield from _wrapped(row, "  ", "      ")
            yield ""


def _conflict(fabric: FabricResult, i: int) -> str:
    c = fabric.conflicts[i]
    claims = "; ".join(f"{e.value} says {visible(f'{end.device} {end.port}'.rstrip())}" for e, end in c.claims)
    return f"{visible(c.port.device)} {visible(c.port.port)}: {claims}"


def _reasons(fabric: FabricResult) -> Iterator[str]:
    """Reasons that stopped most checks, with the rules they stopped."""
    by_reason: dict[str, dict[str, int]] = {}
    for code, c in fabric.coverage.items():
        for (reason, _), n in c.not_assessed.items():
            codes = by_reason.setdefault(reason, {})
            codes[code] = codes.get(code, 0) + n
    ordered = sorted(by_reason.items(), key=lambda x: (-sum(x[1].values()), x[0]))
    for reason, codes in ordered[:_REASONS_SHOWN]:
        yield f"{_count(sum(codes.values()), 'check')}: {visible(reason)} ({', '.join(sorted(codes))})"
    rest = ordered[_REASONS_SHOWN:]
    if rest:
        yield (
            f"{_count(sum(n for _, codes in rest for n in codes.values()), 'check')} for "
            f"{_count(len(rest), 'other reason')}; --format json lists them all"
        )


def _facts(fabric: FabricResult) -> Iterator[str]:
    for m in fabric.facts_missing[:MISSING_SHOWN]:
        name = FACT_WORDS.get(m.fact, m.fact.value)
        yield f"{name}, {_count(m.checks, 'check')} on {visible(_devices(m.devices))}; add: {visible(m.add)}"


# ---- small things


def _devices(names: Sequence[str]) -> str:
    """A few devices by their full names, many as ranges."""
    return ", ".join(sorted(names, key=natural)) if len(names) <= _DEVICES_SHOWN else fold(names)


def _first(rows: list[str], n: int) -> list[str]:
    return rows if len(rows) <= n + 1 else [*rows[:n], f"... and {len(rows) - n} more"]


def _count(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
