"""Platform facts for people and machines: the list of chips, one chip with all it rests on, and the page in docs/."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from xoff import platforms
from xoff.model.origin import Evidence
from xoff.model.quantity import Unknown
from xoff.platforms import Asic, Model, Platform, Sourced
from xoff.platforms.needs import NEEDS, completeness, missing, relevant
from xoff.report.escape import visible
from xoff.report.style import Paint, plain

MIB = 2**20
WIDTH = 110
#: Marks of the list: what is not sourced, and what rests on one indirect source.
NOT_SOURCED, INDIRECT = "?", "~"


def chips() -> list[Asic]:
    """Every chip of platforms/, by vendor, family, and age as far as names tell."""
    found = [a for n in platforms.asics() if (a := platforms.load(n)) is not None]
    return sorted(found, key=lambda a: (a.vendor, a.family, _natural(a.name)))


def _natural(name: str) -> tuple[object, ...]:
    head = name.rstrip("0123456789")
    return (head, int(name[len(head) :] or 0))


def text(fact: Sourced[Any], unit: str) -> str:
    """A value as people read it; `not sourced` and `n/a` where there is none."""
    value = fact.value
    if isinstance(value, Unknown):
        return "not sourced" if fact.applies else "n/a"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction):
        exact = value.denominator in (1, 2, 4, 5, 8, 10)
        value = f"{float(value):,g}" if exact else f"{value.numerator}/{value.denominator}"
    elif isinstance(value, int):
        return f"{value:,} {unit}{f' ({value / MIB:.1f} MiB)' if unit == 'B' and value >= MIB else ''}".rstrip()
    return f"{getattr(value, 'value', value)} {unit}".rstrip()


# --- the list ---------------------------------------------------------------------------------------------------------


def list_json() -> str:
    """All chips as `platforms/1`; what is not sourced is null."""
    rows = []
    for a in chips():
        known, could = completeness(a)
        rows.append(
            {
                "name": a.name,
                "title": a.title,
                "vendor": a.vendor,
                "family": a.family,
                "architecture": _plain(a.architecture),
                "cell_bytes": _plain(a.cell),
                "buffer_bytes": _plain(a.buffer),
                "domains": _plain(a.domains),
                "models": len(_held(platforms.models(a.name))),
                "facts_known": known,
                "facts_possible": could,
            }
        )
    return json.dumps({"version": "platforms/1", "asics": rows}, indent=2)


def list_text(paint: Paint = plain) -> str:
    """The chips as a table: one line each, widths by content."""
    head = ("NAME", "VENDOR", "ARCHITECTURE", "CELL", "BUFFER", "DOMAINS", "MODELS", "FACTS")
    rows = [_row(a) for a in chips()]
    widths = [max(len(head[i]), *(len(r[i]) for r in rows)) for i in range(len(head))]
    right = {3, 4, 5, 6, 7}

    def line(cells: tuple[str, ...]) -> str:
        padded = [c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True))]
        return "  ".join(padded).rstrip()

    out = [paint(line(head), "head")]
    for r in rows:
        name, rest = line(r)[: widths[0]], line(r)[widths[0] :]
        out.append(paint(name, "head") + rest)
    return "\n".join(out)


def _row(a: Asic) -> tuple[str, ...]:
    known, could = completeness(a)
    return (
        a.name,
        a.vendor,
        _short(a.architecture),
        _short(a.cell, "{} B"),
        _mib(a.buffer),
        _short(a.domains),
        str(len(_held(platforms.models(a.name)))),
        f"{known}/{could}",
    )


def _short(fact: Sourced[Any], form: str = "{}") -> str:
    if isinstance(fact.value, Unknown):
        return NOT_SOURCED
    return form.format(getattr(fact.value, "value", fact.value)) + (INDIRECT if fact.evidence is Evidence.SECONDARY else "")


def _mib(fact: Sourced[int]) -> str:
    if isinstance(fact.value, Unknown):
        return NOT_SOURCED
    return f"{fact.value / MIB:.1f} MiB" + (INDIRECT if fact.evidence is Evidence.SECONDARY else "")


def _plain(fact: Sourced[Any]) -> Any:
    value = fact.value
    if isinstance(value, Unknown):
        return None
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return getattr(value, "value", value)


def _held(found: Iterable[Model]) -> list[Model]:
    return [m for m in found if m.evidence is not Evidence.RECALLED]


# --- one platform -----------------------------------------------------------------------------------------------------


def one_json(p: Platform) -> str:
    """One platform as `platform/1`: every fact with its unit, evidence and source, and what is missing."""
    a = p.asic
    facts = {
        name: {
            "value": _plain(fact),
            "unit": NEEDS[name].unit or None,
            "evidence": str(fact.evidence.value) if fact.known else None,
            "source": fact.source or None,
            "note": fact.note or None,
            "unknown": fact.value.reason if isinstance(fact.value, Unknown) else None,
            "applicable": fact.applies,
        }
        for name, fact in _ordered(a)
    }
    known, could = completeness(a)
    out = {
        "version": "platform/1",
        "model": p.model,
        "asic": {"name": a.name, "title": a.title, "vendor": a.vendor, "family": a.family},
        "asic_evidence": str(p.evidence.value) if p.model else None,
        "asic_source": p.source if p.model else None,
        "facts": facts,
        "gearbox_ns": {m: _plain(f) for m, f in a.gearbox_ns.items()},
        "facts_known": known,
        "facts_possible": could,
        "missing": [
            {
                "fact": n,
                "why": _reason(a.facts()[n]),
                "without": NEEDS[n].without,
                "checks": list(NEEDS[n].codes),
            }
            for n in missing(a)
        ],
        "front_panel": [{"speed_mbps": g.speed, "ports": list(g.names)} for g in p.front_panel()],
        "headroom_table": p.headroom_table or None,
        "shipped_tables": sorted({r.table for r in a.shipped}),
        "buffers": {"leaf": p.buffers_leaf or None, "spine": p.buffers_spine or None},
        "models": [
            {"name": m.name, "kind": m.kind, "evidence": str(m.evidence.value), "source": m.source}
            for m in platforms.models(a.name)
        ],
    }
    return json.dumps(out, indent=2)


def one_text(p: Platform, paint: Paint = plain) -> str:
    """One platform for people: facts with evidence and numbered sources, what is missing, its models, the sources."""
    a = p.asic
    sources: dict[str, int] = {}
    known, could = completeness(a)
    out = [paint(a.title, "head") + f"   {a.name}, {a.vendor} {a.family}"]
    if p.model is not None:
        out.append(f"{visible(p.model)} has this chip ({p.evidence.value}): {visible(p.source)}")
    out += ["", paint(f"facts ({known} of {could} that this chip could have)", "head")]
    width = max(len(n.label) for n in NEEDS.values())
    for name, fact in _ordered(a):
        if not fact.known:
            continue
        mark = paint(fact.evidence.value, "warning" if fact.evidence is Evidence.SECONDARY else "dim")
        out.append(f"  {NEEDS[name].label:<{width}}  {text(fact, NEEDS[name].unit):<32} {mark} {_cited(fact.source, sources)}")
        out += _indented(fact.note, width + 4)
    for model, fact in a.gearbox_ns.items():
        label = f"gearbox of {model}"
        out.append(f"  {label:<{width}}  {text(fact, 'ns'):<32} {fact.evidence.value} {_cited(fact.source, sources)}")
    out += _missing_text(a, width, paint)
    out += _shipped_text(p, paint)
    out += _models_text(a, paint)
    out += ["", paint("sources", "head"), *(_source(n, s) for s, n in sources.items())]
    return "\n".join(out)


def _ordered(a: Asic) -> list[tuple[str, Sourced[Any]]]:
    """Facts that the chip could have or that say why it cannot, in the order of NEEDS."""
    facts = a.facts()
    return [(n, facts[n]) for n in NEEDS if facts[n].known or relevant(a, n) or not facts[n].applies]


def _reason(fact: Sourced[Any]) -> str:
    return fact.value.reason if isinstance(fact.value, Unknown) else ""


def _cited(source: str, sources: dict[str, int]) -> str:
    return f"[{sources.setdefault(source, len(sources) + 1)}]"


def _source(number: int, source: str) -> str:
    first = f"  [{number}] ".ljust(7)
    return textwrap.fill(visible(source), WIDTH, initial_indent=first, subsequent_indent=" " * 7, break_on_hyphens=False)


def _indented(said: str, indent: int) -> list[str]:
    if not said:
        return []
    return textwrap.wrap(said, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent)


def _missing_text(a: Asic, width: int, paint: Paint) -> list[str]:
    gaps = missing(a)
    if not gaps:
        return ["", paint("nothing is missing", "good")]
    out = ["", paint(f"missing ({len(gaps)})", "head")]
    for name in gaps:
        need = NEEDS[name]
        checks = f" ({', '.join(need.codes)})" if need.codes else ""
        out.append(f"  {paint(f'{need.label:<{width}}', 'warning')}  {_reason(a.facts()[name])}")
        out += _indented(f"so: {need.without}{checks}", width + 4)
    return out


def _shipped_text(p: Platform, paint: Paint) -> list[str]:
    a = p.asic
    out: list[str] = []
    tables = sorted({r.table for r in a.shipped})
    if p.headroom_table:
        rows = a.table(p.headroom_table)
        speeds = sorted({r.speed for r in rows})
        cables = sorted({r.cable_m for r in rows})
        span = f"{_g(speeds[0])} to {_g(speeds[-1])}, {cables[0]} to {cables[-1]} m"
        out.append(f"  headroom table {p.headroom_table}: {len(rows)} rows, {span}")
    elif tables:
        out.append(f"  {len(tables)} headroom table{'s' * (len(tables) > 1)} for this chip, {len(a.shipped)} rows")
    for role, name in (("leaf", p.buffers_leaf), ("above", p.buffers_spine)):
        if name:
            out.append(f"  pools and profiles as {role}: {name}")
    for g in p.front_panel():
        out.append(f"  front panel: {len(g.names)} x {_g(g.speed)} ({g.names[0]} … {g.names[-1]})")
    return ["", paint("shipped with SONiC", "head"), *out] if out else []


def _g(speed: int) -> str:
    return f"{speed / 1000:g}G"


def _models_text(a: Asic, paint: Paint) -> list[str]:
    found = platforms.models(a.name)
    if not found:
        return ["", "no switch model is known to have this chip"]
    out = ["", paint("used by", "head")]
    for kind, label in (("model", "models"), ("hwsku", "SONiC hwskus")):
        names = [m.name + (INDIRECT if m.evidence is Evidence.SECONDARY else "") for m in _held(found) if m.kind == kind]
        out += _list(f"{label}: ", names)
    unsure = [m for m in found if m.evidence is Evidence.RECALLED]
    out += _list("chip only inferred, not held: ", [m.name for m in unsure if not m.source.startswith("conflict")])
    for m in unsure:
        if m.source.startswith("conflict"):
            out += _list(f"not held: {m.name}: ", [m.source])
    return out


def _list(label: str, names: list[str]) -> list[str]:
    if not names:
        return []
    said = label + ", ".join(names)
    return textwrap.wrap(said, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
