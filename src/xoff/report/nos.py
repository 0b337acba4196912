"""What xoff can do with each NOS, as text, JSON and pages of docs/: all of it from nos.yaml."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from xoff.model.fields import ALL_FIELDS
from xoff.model.origin import Evidence
from xoff.nos import registry
from xoff.nos.registry import Nos
from xoff.report.style import Paint, plain

#: What is used freely; the rest is marked wherever it is used, or not used.
_SURE = (Evidence.READ, Evidence.COMPUTED)
_TITLES = {
    "classify": "classification", "tc_to_queue": "traffic class to queue", "tc_to_group": "traffic class to priority group",
    "rewrite": "rewriting", "pfc": "PFC", "group": "priority groups", "queue": "queues", "watchdog": "PFC watchdog",
    "port": "ports", "device": "the switch",
}  # fmt: skip


def all_nos() -> list[Nos]:
    """Every NOS, by name."""
    return [registry.load(name) for name in registry.names()]


def renders(nos: Nos) -> bool:
    """Whether configurations are written for it, and not only read."""
    # By the file: asking the import system would load the reader as well.
    return (Path(registry.__file__).parent / nos.name.replace("-", "_") / "render.py").is_file()


def unconfirmed(nos: Nos) -> list[tuple[str, str, str]]:
    """(what, evidence, source) of everything that is used with a mark or not at all."""
    out = [(f"can say {name}", c.evidence.value, c.source) for name, c in nos.can.items() if c.evidence not in _SURE]
    out += [(s.text, s.evidence.value, s.source) for s in nos.structure if s.evidence not in _SURE]
    for path, entries in nos.defaults.items():
        for e in entries:
            if e.evidence not in _SURE:
                out.append((f"default of {path}: {_value(e.value)}{_when(e.when)}", e.evidence.value, e.source))
    return out


def list_text(paint: Paint = plain) -> str:
    """One line a NOS, aligned."""
    rows = [("NAME", "TITLE", "MATURITY", "READ", "WRITTEN", "FIELDS", "ALSO CALLED")]
    for n in all_nos():
        written = "yes" if renders(n) else "no"
        rows.append((n.name, n.title, n.maturity, "yes", written, f"{len(n.can)}/{len(ALL_FIELDS)}", ", ".join(n.aliases)))
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in rows]
    return "\n".join([paint(lines[0], "head"), *lines[1:]])


def as_data(nos: Nos) -> dict[str, Any]:
    """One NOS as plain data (`nos/1`)."""
    return {
        "name": nos.name, "title": nos.title, "maturity": nos.maturity, "aliases": list(nos.aliases), "netmiko": nos.netmiko,
        "reads": True, "renders": renders(nos),
        "can": {k: {"scope": c.scope, "granularity": c.granularity, "evidence": c.evidence.value, "source": c.source}
                for k, c in sorted(nos.can.items())},
        "cannot": {k: {"why": c.why, "source": c.source} for k, c in sorted(nos.cannot.items())},
        "defaults": {k: [{"when": dict(e.when), "value": e.value, "evidence": e.evidence.value, "source": e.source} for e in v]
                     for k, v in sorted(nos.defaults.items())},
        "structure": [{"text": s.text, "evidence": s.evidence.value, "source": s.source} for s in nos.structure],
        "bundles": dict(nos.bundle_qos),
        "entry": dict(nos.entry),
        "unconfirmed": [{"what": w, "evidence": e, "source": s} for w, e, s in unconfirmed(nos)],
    }  # fmt: skip


def page(nos: Nos) -> str:
    """docs/nos/<name>.md."""
    out = [
        f"# {nos.title}", "",
        "<!-- Written by `make docs` from templates/. Do not edit: change nos.yaml and run it again. -->", "",
        f"`{nos.name}`" + (f" (also {', '.join(f'`{a}`' for a in nos.aliases)})" if nos.aliases else "")
        + f". Maturity: **{nos.maturity or 'not stated'}**. "
        + ("Configurations are read and written." if renders(nos) else "Configurations are read, not written."), "",
        "Evidence: **read** at the source; **computed** from what was read; **secondary**: one indirect source, used and",
        "marked; **recalled**: not used, the value counts as unknown.", "",
    ]  # fmt: skip
    out += _section("What it can say", ("field", "for", "step", "evidence", "source"), _can(nos))
    out += _section(
        "What it has no words for", ("field", "why", "source"), ((k, c.why, c.source) for k, c in sorted(nos.cannot.items()))
    )
    out += _section("What holds where nothing is said", ("of", "value", "evidence", "source"), _defaults(nos))
    out += _section(
        "How its statements relate",
        ("reading", "evidence", "source"),
        ((s.text, s.evidence.value, s.source) for s in nos.structure),
    )
    out += _section("Bundles", ("of", "judged at"), ((k, str(v)) for k, v in nos.bundle_qos.items()))
    out += _section("Entering a rendered file", ("", ""), ((k, str(v)) for k, v in nos.entry.items()))
    out += _section("Not confirmed", ("what", "evidence", "source"), unconfirmed(nos))
    return "\n".join(out).rstrip("\n") + "\n"


def index() -> str:
    """docs/nos/README.md: all of them."""
    rows = []
    for n in all_nos():
        fields = f"{len(n.can)} of {len(ALL_FIELDS)}"
        rows.append(
            (
                f"[{n.title}]({n.name}.md)",
                f"`{n.name}`",
                n.maturity,
                "yes" if renders(n) else "no",
                fields,
                str(len(unconfirmed(n))),
            )
        )
    head = ("NOS", "name", "maturity", "rendered", "fields it can say", "not confirmed")
    intro = (
        "# Network operating systems\n\n<!-- Written by `make docs` from templates/. -->\n\n"
        "All are read and linted; `xoff nos` prints this list.\n"
    )
    return "\n".join([intro, *_table(head, rows)]).rstrip("\n") + "\n"


def _can(nos: Nos) -> Iterable[tuple[str, ...]]:
    for name, c in sorted(nos.can.items()):
        step = "" if c.granularity is None else str(c.granularity)
        yield f"`{name}` ({_TITLES.get(name.partition('.')[0], '')})", c.scope, step, c.evidence.value, c.source


def _defaults(nos: Nos) -> Iterable[tuple[str, ...]]:
    for path, entries in sorted(nos.defaults.items()):
        for e in entries:
            yield f"`{path}`", _value(e.value) + _when(e.when), e.evidence.value, e.source


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{k}: {v}" for k, v in value.items())
    return str(value)


def _when(when: Mapping[str, str]) -> str:
    return f" (where {', '.join(f'{k} is {v}' for k, v in when.items())})" if when else ""


def _section(title: str, head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    found = list(rows)
    return [f"## {title}", "", *_table(head, found)] if found else []


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    return [_row(head), "|" + "---|" * len(head), *map(_row, rows), ""]


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(" ".join(c.split()).replace("|", "\\|").replace("<", "&lt;") for c in cells) + " |"


def one_text(nos: Nos, paint: Paint = plain) -> str:
    """One NOS for a terminal: the page's sections, shorter."""
    from textwrap import wrap

    out = [
        paint(f"{nos.title} ({nos.name}), {nos.maturity}", "head")
        + f"; read{' and written' if renders(nos) else ', not written'}"
    ]

    def block(title: str, items: Iterable[str]) -> None:
        found = list(items)
        if found:
            out.extend(["", paint(title, "head")])
            for item in found:
                out.extend(wrap(" ".join(item.split()), 110, initial_indent="  ", subsequent_indent="      "))

    mark: Callable[[Evidence], str] = lambda e: "" if e in _SURE else f"  [{e.value}]"  # noqa: E731
    block("can say", (f"{k}  per {c.scope}{mark(c.evidence)}" for k, c in sorted(nos.can.items())))
    block("has no words for", (f"{k}: {c.why}" for k, c in sorted(nos.cannot.items())))
    block(
        "where nothing is said",
        (f"{k}: {_value(e.value)}{_when(e.when)}{mark(e.evidence)}" for k, v in sorted(nos.defaults.items()) for e in v),
    )
    block("readings rest on", (f"{s.text}{mark(s.evidence)}" for s in nos.structure))
    block("not confirmed", (f"{what} ({source})" for what, _, source in unconfirmed(nos)))
    return "\n".join(out)


def write(folder: str) -> None:
    """All pages into a folder (make docs)."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    (target / "README.md").write_text(index(), encoding="utf-8")
    for nos in all_nos():
        (target / f"{nos.name}.md").write_text(page(nos), encoding="utf-8")


if __name__ == "__main__":
    import sys

    write(sys.argv[1])
