"""Show how every number of one port came about: formula, inputs, sources, and the other presets beside it.

xoff explain-port pod1.yaml leaf01 Ethernet0
xoff explain-port pod1.yaml leaf01 Ethernet0 --format json
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from xoff.derive.explain import Explanation, Value


@click.command("explain-port", short_help="Show how every number of one port came about.")
@click.argument("intent", type=click.Path(), metavar="INTENT")
@click.argument("device", metavar="DEVICE")
@click.argument("port", metavar="PORT")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output format.")
def command(intent: str, device: str, port: str, form: str) -> None:
    """Derive one switch of the intent and print what stands behind PORT.

    Every number comes with its formula, its terms and their sources; headroom also with what the other presets and the
    vendors' shipped tables would give for the same link.
    """
    from xoff.derive.explain import explain_port
    from xoff.errors import IntentError
    from xoff.intent import plan

    try:
        fabric = plan(intent)
    except IntentError as e:
        click.echo(str(e), err=True)
        sys.exit(e.exit_code)
    found = explain_port(fabric, device, port)
    click.echo(as_json(found) if form == "json" else as_text(found))


def as_json(e: Explanation) -> str:
    """The explanation as one JSON object; amounts of terms are numbers where they are whole."""
    import json

    def value(v: Value) -> dict[str, Any]:
        return {
            "field": v.field,
            "value": v.value,
            "formula": v.formula,
            "preset": v.preset,
            "terms": [
                {
                    "name": t.name,
                    "value": t.value,
                    "unit": t.unit,
                    "why": t.why,
                    "source": t.source,
                    "evidence": str(t.evidence),
                }
                for t in v.terms
            ],
            "sources": list(v.sources),
        }

    out = {
        "device": e.device,
        "port": e.port,
        **e.head,
        "values": [value(v) for v in e.values],
        "presets": e.presets,
        "shipped": e.shipped,
        "pools": [value(v) for v in e.pools],
        "notes": list(e.notes),
    }
    return json.dumps(out, indent=2)


def as_text(e: Explanation) -> str:
    """The explanation for people: one origin per paragraph with its terms, sources as numbers that the end resolves."""
    h = e.head
    sources: dict[str, int] = {}
    out = [
        f"{e.device} {e.port}: {h['speed_mbps'] / 1000:g}G, {h['cable_m']} m, MTU {h['mtu']}, RoCE MTU {h['roce_mtu']}"
        + (f", to {h['peer']}" if h["peer"] else ""),
        f"{h['model']}, {h['asic']}, {h['nos']}, preset {h['preset']}; carries {', '.join(h['carries']) or 'nothing'}",
    ]
    for values in _together((*e.values, *e.pools)):
        out += ["", *_paragraph(values, sources)]
    if e.presets:
        out += ["", "headroom of this link under each preset"]
        out += [f"    {name:<28} {_amount(n)}" for name, n in e.presets.items()]
    rows = {name: row for name, row in e.shipped.items() if isinstance(row, dict)}
    if rows:
        out += ["", f"headroom shipped for this chip and speed, {next(iter(rows.values()))['cable_m']} m"]
        out += [
            f"    {n:<28} {r['xoff']:>14,} B   table {r['table']} [{_number(r['source'], sources)}]" for n, r in rows.items()
        ]
    if e.notes:
        out += ["", "notes", *(f"    {n}" for n in e.notes)]
    if sources:
        out += ["", "sources", *(f"    [{n}] {text}" for text, n in sources.items())]
    return "\n".join(out)


def _amount(n: int | str) -> str:
    return f"{n:>14,} B" if isinstance(n, int) else n


def _number(source: str, sources: dict[str, int]) -> int:
    return sources.setdefault(source, len(sources) + 1)


def _together(values: tuple[Value, ...]) -> list[list[Value]]:
    """Neighbours that rest on the very same derivation: DSCPs of one class, the fields of one shipped profile."""
    out: list[list[Value]] = []
    for v in values:
        last = out[-1][-1] if out else None
        if last is not None and (last.formula, last.terms) == (v.formula, v.terms) and _parent(last) == _parent(v):
            out[-1].append(v)
        else:
            out.append([v])
    return out


def _parent(v: Value) -> str:
    return v.field.rpartition(".")[0]


def _paragraph(values: list[Value], sources: dict[str, int]) -> list[str]:
    from xoff.derive.explain import term_value

    first = values[0]
    preset = f"   ({first.preset})" if first.preset not in (None, "intent") else ""
    if len(values) == 1:
        out = [f"{first.field} = {first.value}{preset}"]
    elif len({v.value for v in values}) == 1:
        out = [f"{_parent(first)}.{','.join(v.field.rpartition('.')[2] for v in values)} = {first.value}{preset}"]
    else:
        out = [f"{_parent(first)}: " + ", ".join(f"{v.field.rpartition('.')[2]} {v.value}" for v in values) + preset]
    out.append(f"    {first.formula}")
    for t in first.terms:
        own = t.source not in ("", "the intent", "computed", "derived", "the plan", "the configuration")
        mark = f" [{_number(t.source, sources)}]" if own else ""
        weak = "" if t.evidence in ("read", "computed") else f" ({t.evidence})"
        if isinstance(t.value, str) and len(t.value) > 14 and not t.unit:
            out.append(f"    {t.name}: {t.value}{weak}{mark}")
        else:
            out.append(f"    {t.name:<28} {term_value(t):>14} {t.unit:<3} {t.why}{weak}{mark}".rstrip())
    return out
