"""What `xoff headroom` says, as text and as JSON."""

from __future__ import annotations

import json as _json
from collections.abc import Sequence
from fractions import Fraction

from xoff.model.origin import Term
from xoff.model.quantity import Unknown
from xoff.platforms.facts import ShippedRange, ShippedRow
from xoff.report.headroom_contract import (
    SWEEP_VERSION,
    VERSION,
    HeadroomOut,
    LinkOut,
    PointOut,
    RowOut,
    ShippedOut,
    SweepOut,
    TermOut,
)
from xoff.sizing.answer import Answer, reasons
from xoff.sizing.number import Number
from xoff.sizing.presets import PRESETS


def _bytes(n: Number | Unknown) -> int | None:
    return None if isinstance(n, Unknown) else n.value


# --- JSON -------------------------------------------------------------------------------------------------------------


def json(a: Answer) -> str:
    """One answer under contract headroom/1. The chosen preset must have a number."""
    n = a.chosen
    assert isinstance(n, Number)
    out: HeadroomOut = {
        "version": VERSION,
        "headroom_bytes": n.value,
        "preset": a.preset,
        "formula": n.origin.formula,
        "terms": [_term(t) for t in n.terms],
        "sources": list(n.origin.sources),
        "presets": {name: _bytes(x) for name, x in a.presets.items()},
        "unavailable": reasons([a]),
        "shipped": _shipped(a.shipped),
        "script": None if a.script is None else {"version": a.script.version, "xon_bytes": a.script.xon.value},
        "link": _link(a),
    }
    return _json.dumps(out, indent=2)


def sweep_json(what: str, answers: Sequence[Answer]) -> str:
    """Many answers under contract headroom-sweep/1. `what`: cable | speed."""
    out: SweepOut = {
        "version": SWEEP_VERSION,
        "sweep": "cable" if what == "cable" else "speed",
        "preset": answers[0].preset,
        "points": [_point(a) for a in answers],
        "unavailable": reasons(answers),
        "link": _link(answers[0]),
    }
    return _json.dumps(out, indent=2)


def _term(t: Term) -> TermOut:
    return {"name": t.name, "value": t.value, "unit": t.unit, "why": t.why, "source": t.source, "evidence": t.evidence.value}


def _link(a: Answer) -> LinkOut:
    link = a.link
    return {
        "speed_mbps": link.speed,
        "cable_m": link.cable_m,
        "mtu": link.port_mtu,
        "max_frame": link.max_frame,
        "lossless_frame": link.lossless_frame,
        "small_packets": link.small_packets,
        "delay_ns": link.delay_ns,
        "response_ns": link.response_ns,
        "lanes": link.lanes,
        "asic": a.switch.asic.title if a.switch.asic else None,
        "peer_asic": link.peer.title if link.peer else None,
    }


def _point(a: Answer) -> PointOut:
    return {
        "speed_mbps": a.link.speed,
        "cable_m": a.link.cable_m,
        "headroom_bytes": _bytes(a.chosen),
        "presets": {name: _bytes(n) for name, n in a.presets.items()},
        "shipped": _shipped(a.shipped),
    }


def _shipped(found: ShippedRange | None) -> ShippedOut | None:
    if found is None:
        return None
    return {"cable_m": found.cable_m, "rows": found.tables, "low": _row(found.low), "high": _row(found.high)}


def _row(r: ShippedRow) -> RowOut:
    return {"table": r.table, "xoff": r.xoff, "source": r.source}


# --- text -------------------------------------------------------------------------------------------------------------


def text(a: Answer) -> str:
    """One answer for people: the number, its terms one per line with what each rests on, the other presets, sources."""
    n = a.chosen
    assert isinstance(n, Number)
    sources: dict[str, int] = {}
    out = [f"headroom {n.value:,} B", "", f"{a.preset}: {', '.join(_about(a))}", f"    {n.origin.formula}", ""]
    out += [_term_line(t, sources) for t in n.terms]
    out += ["", "the same link under every preset"]
    for name, what in PRESETS.items():
        found = a.presets[name]
        mark = ">" if name == a.preset else " "
        said = f"{found.value:>12,} B   {what}" if isinstance(found, Number) else f"{'-':>12}     {found.reason}"
        out.append(f"  {mark} {name:<10}{said}")
    out += _shipped_lines(a, sources)
    if a.script is not None:
        why = f"{a.script.version}: {a.script.xon.origin.formula}"
        out += ["", f"xon beside `nvidia`{a.script.xon.value:>9,} B   {why}"]
    out += ["", "sources", *(f"    [{k}] {source}" for source, k in sources.items())]
    return "\n".join(out)


def _about(a: Answer) -> list[str]:
    """Speed, cable, and what else was asked."""
    link = a.link
    parts = [f"{link.speed / 1000:g}G", f"{link.cable_m} m"]
    if link.port_mtu is not None:
        parts.append(f"MTU {link.port_mtu}")
    parts.append(f"RoCE frame {link.lossless_frame}")
    if a.switch.asic is not None:
        parts.append(a.switch.asic.title)
    if link.peer is not None:
        parts.append(f"to {link.peer.title}")
    return parts


def amount(t: Term) -> str:
    """A term's amount as people read it: fractions with two decimals."""
    if isinstance(t.value, int):
        return f"{t.value:,}"
    try:
        return f"{float(Fraction(t.value)):,.2f}"
    except ValueError:
        return t.value


def _term_line(t: Term, sources: dict[str, int]) -> str:
    weak = "" if t.evidence.value in ("read", "computed") else f" ({t.evidence.value})"
    mark = f" [{sources.setdefault(t.source, len(sources) + 1)}]" if t.source and t.source != "computed" else ""
    return f"    {t.name:<40}{amount(t):>12} {t.unit:<2} {t.why}{weak}{mark}".rstrip()


def _shipped_lines(a: Answer, sources: dict[str, int]) -> list[str]:
    if a.shipped is None:
        return []
    s = a.shipped
    tables = "one table" if s.tables == 1 else f"{s.tables} tables"
    out = ["", f"shipped for this chip, {s.speed / 1000:g}G and {s.cable_m} m ({tables})"]
    for name, row in (("lowest", s.low), ("highest", s.high)):
        mark = sources.setdefault(row.source, len(sources) + 1)
        out.append(f"    {name:<10}{row.xoff:>12,} B   table {row.table} [{mark}]")
    return out


def sweep_text(what: str, answers: Sequence[Answer]) -> str:
    """Many answers as a table: one link a line, one preset a column, `-` where a preset has no number."""
    first = answers[0]
    shipped = any(a.shipped for a in answers)
    heads = [what, *(f"{p}*" if p == first.preset else p for p in PRESETS), *(("lowest", "highest") if shipped else ())]
    rows = [heads]
    for a in answers:
        key = f"{a.link.cable_m} m" if what == "cable" else f"{a.link.speed / 1000:g}G"
        cells = [_cell(_bytes(n)) for n in a.presets.values()]
        if shipped:
            cells += [_cell(a.shipped.low.xoff), _cell(a.shipped.high.xoff)] if a.shipped else ["-", "-"]
        rows.append([key, *cells])
    fixed = f"{first.link.speed / 1000:g}G" if what == "cable" else f"{first.link.cable_m} m"
    about = ", ".join(_about(first)[2:])
    widths = [max(len(r[i]) for r in rows) for i in range(len(heads))]
    out = [f"headroom in bytes by {what}: {fixed}, {about}; * {first.preset} was asked for", ""]
    out += ["  ".join(c.rjust(w) for c, w in zip(r, widths, strict=True)) for r in rows]
    if shipped:
        out += ["", "lowest, highest: shipped for this chip and speed, for the longest listed cable that is not longer"]
    out += ["", *(f"{name}: {why}" for name, why in reasons(answers).items())]
    return "\n".join(out).rstrip()


def _cell(n: int | None) -> str:
    return "-" if n is None else f"{n:,}"
