"""docs/platforms.md, written from platforms/: `python -m xoff.report.platforms_page > docs/platforms.md` (make docs).

A test compares the page with what this writes.
"""

from __future__ import annotations

from collections.abc import Iterable

from xoff import platforms
from xoff.model.origin import Evidence
from xoff.model.quantity import Unknown
from xoff.nos import registry
from xoff.platforms import Asic
from xoff.platforms.needs import NEEDS, completeness, missing
from xoff.platforms.watchdog import TimeLimit, WatchdogLimits, of, table
from xoff.report.platforms import chips, text

INTRO = """# Platforms

<!-- Written by `make docs` from platforms/. Do not edit: change the data and run it again. -->

What xoff knows of switch chips and of the switches that use them. `xoff platforms` prints the list, `xoff platforms NAME` one
chip, vendor model or SONiC hwsku with every source; this page is the same data.

Evidence: **read** at the source; **computed** from what was read; **secondary**: one indirect source, used and marked;
what is only recalled is not used, and stands here as missing. Bytes are bytes; KiB and MiB are powers of 1,024.
"""

JSON = """## Machine output

`xoff platforms --format json` is `{"version": "platforms/1", "asics": […]}`; an entry has `name`, `title`, `vendor`, `family`,
`architecture` (`shared`, `split`, `voq`), `cell_bytes`, `buffer_bytes`, `domains`, `models` (names that lead to the chip),
`facts_known`, `facts_possible`. `null` is: not sourced.

`xoff platforms NAME --format json` is `{"version": "platform/1", …}`:

| key | holds |
|---|---|
| `model` | the model or hwsku that was asked for; `null` where NAME is a chip |
| `asic` | `name`, `title`, `vendor`, `family` |
| `asic_evidence`, `asic_source` | how sure it is that the model has this chip, and where it was read |
| `facts` | by name: `value`, `unit`, `evidence`, `source`, `note`; `unknown` (why), `applicable` (false: cannot have it) |
| `gearbox_ns` | delay of the gearbox by model |
| `missing` | `fact`, `why`, `without` (what is not possible or is assumed), `checks` (rules that are then not assessed) |
| `front_panel` | `speed_mbps` and `ports` of a hwsku |
| `headroom_table`, `shipped_tables`, `buffers` | names in platforms/shipped/ |
| `models` | `name`, `kind` (`model`, `hwsku`), `evidence`, `source`; `recalled`: listed, not held |

Keys are only added within a version. An unknown name ends with exit code 2 and the nearest names.
"""


def page() -> str:
    """The whole page."""
    found = chips()
    parts = [INTRO, *_overview(found), *_watchdog(), JSON, *_not_held(), "## Chips\n"]
    for a in found:
        parts += _chip(a)
    return "\n".join(parts).rstrip("\n") + "\n"


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    return [_row(head), "|" + "---|" * len(head), *map(_row, rows), ""]


def _overview(found: list[Asic]) -> list[str]:
    def cell(a: Asic, name: str) -> str:
        fact = a.facts()[name]
        if not fact.known:
            return "n/a" if not fact.applies else "?"
        weak = f" ({fact.evidence.value})" if fact.evidence is Evidence.SECONDARY else ""
        return text(fact, NEEDS[name].unit) + weak

    rows = []
    for a in found:
        known, could = completeness(a)
        columns = ("architecture", "cell", "buffer", "domains", "response_ns")
        link = f"[{a.title}](#{a.name})"
        held = sum(m.evidence is not Evidence.RECALLED for m in platforms.models(a.name))
        rows.append((link, *(cell(a, n) for n in columns), str(held), f"{known}/{could}"))
    head = ("chip", "architecture", "cell", "memory", "domains", "pause response", "models", "facts")
    return _table(head, rows)


def _chip(a: Asic) -> list[str]:
    facts = a.facts()
    out = [f'### <a id="{a.name}"></a>{a.title}', "", f"`{a.name}`, {a.vendor} {a.family}", ""]
    rows = []
    for name, need in NEEDS.items():
        fact = facts[name]
        if fact.known:
            said = text(fact, need.unit) + (f"<br>{fact.note}" if fact.note else "")
            rows.append((need.label, said, fact.evidence.value, fact.source))
    rows += [(f"gearbox of {m}", text(f, "ns"), f.evidence.value, f.source) for m, f in a.gearbox_ns.items()]
    out += _table(("fact", "value", "evidence", "source"), rows)
    gaps = missing(a)
    if gaps:
        lacking = []
        for name in gaps:
            value = facts[name].value
            why = value.reason if isinstance(value, Unknown) else ""
            codes = f" ({', '.join(NEEDS[name].codes)})" if NEEDS[name].codes else ""
            lacking.append((NEEDS[name].label, why, NEEDS[name].without + codes))
        out += _table(("missing", "why", "so"), lacking)
    for kind, label in (("model", "Models"), ("hwsku", "SONiC hwskus")):
        names = [
            m.name + (" (secondary)" if m.evidence is Evidence.SECONDARY else "")
            for m in platforms.models(a.name)
            if m.kind == kind and m.evidence is not Evidence.RECALLED
        ]
        if names:
            out += [f"{label}: {', '.join(names)}.", ""]
    unsure = [m for m in platforms.models(a.name) if m.evidence is Evidence.RECALLED]
    if unsure:
        listed = (m.name + (f" ({m.source})" if m.source.startswith("conflict") else "") for m in unsure)
        out += [f"Not held, the chip is only inferred or in conflict: {', '.join(listed)}.", ""]
    return out


def _watchdog() -> list[str]:
    limits = dict(table())
    for name in registry.names():
        nos = registry.load(name)
        if nos.watchdog:
            limits[name] = of(name, nos.watchdog)
    rows = [_limits(limits[n]) for n in sorted(limits)]
    return [
        "## PFC watchdog by NOS",
        "",
        "Milliseconds; `n polls` counts polling intervals; `?` is not sourced, `~` from one indirect source.",
        "Detection that `xoff` renders is the largest of the NOS's default (else 200 ms), ten drain times of the largest",
        "memory domain at either end, and two polls.",
        "",
        *_table(("NOS", "polling", "detection", "restoration", "actions", "sources"), rows),
    ]


def _limits(w: WatchdogLimits) -> tuple[str, ...]:
    if isinstance(w.available, Unknown):
        return (w.nos, "?", "?", "?", "?", w.available.reason)
    times = (w.poll, w.detect, w.restore)
    sources = dict.fromkeys(s for s in (*(t.source for t in times), w.source) if s)
    scaled = f"; default for each begun {w.ports_per_step} ports" if w.ports_per_step else ""
    return (w.nos, *(_time(t) for t in times), ", ".join(w.actions) or "?", "; ".join(sources) + scaled)


def _time(t: TimeLimit) -> str:
    unit = " polls" if t.polls else ""
    said = [", ".join(map(str, t.choices)) + unit] if t.choices else []
    if not t.choices and (t.low is not None or t.high is not None):
        said.append(f"{t.low if t.low is not None else '?'} to {t.high if t.high is not None else '?'}{unit}")
    if t.default is not None:
        said.append(f"default {t.default}{unit}")
    if t.evidence is Evidence.SECONDARY:
        said[-1] += " ~"
    return ", ".join(said) or "?"


def _not_held() -> list[str]:
    return ["## Not held", "", *_table(("chip", "vendor", "why"), platforms.not_held())]


if __name__ == "__main__":
    print(page(), end="")
