"""Real misconfigurations (../shared/cases): which count as found, and what is raised beside them.

A case counts when an expected code is raised on its files and not on the same object of its base, on a line that differs from
the base or on the parent of a line that the case lacks (cases.md).
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.rules.case import run
from xoff.lint.load import rule_files
from xoff.model.finding import Finding, Severity

#: Suffix of a case's file -> (NOS, base, name under which it is read). A lookup table has no base: all of it is the case.
FORMS: dict[str, tuple[str, str | None, str]] = {
    "-eos.cfg": ("EOS", "base-eos.cfg", "leaf1.cfg"),
    "-sonic.json": ("SONiC", "base-sonic.json", "config_db.json"),
    "-sonic_ini.txt": ("SONiC", None, "pg_profile_lookup.ini"),
    "-comware.cfg": ("Comware", "base-comware.cfg", "leaf1.cfg"),
    "-vrp.cfg": ("VRP", "base-vrp.cfg", "leaf1.cfg"),
    "-nxos.cfg": ("NX-OS", "base-nxos.cfg", "leaf1.cfg"),
    "-junos.cfg": ("Junos", "base-junos.cfg", "leaf1.cfg"),
    "-os10.cfg": ("OS10", "base-os10.cfg", "leaf1.cfg"),
    "-cumulus.txt": ("Cumulus", "base-cumulus.txt", "leaf1.conf"),
    "-cumulus.yaml": ("Cumulus", None, "leaf1.yaml"),
}

#: Cases whose diagnosis a vendor's own text contradicts: id -> what it says.
REFUTED: dict[str, str] = {
    "A12": "queue 3 is in priority group 1 of an ETS profile by default, with half of the bandwidth (Huawei V300R023C00, "
    "Configuring an ETS Profile), and an APP TLV moves no packet",
}
#: Cases whose files say too little to be judged alone: id -> what is missing, and where it is added.
LACKS: dict[str, str] = {
    "E11": "qos_features.conf, which says what is lossless: in its own file nothing is (tests/nos/cumulus)",
    "S03": "a configuration: it is an output of counters",
}
#: What a case says in its text and not in its files, as a project file has it.
STATED: dict[str, str] = {
    "D14": '[[devices]]\nmatch = "*"\nspeed = "100G"\n',
}
#: What a rule judges by besides the device's own configuration; a case whose only rule it is has to bring that.
BESIDE: dict[str, str] = {
    "DRF001": "an intent (B10: tests/nos/nxos)",
    "PFC003": "the configuration of the other end; a host's sheet is not read yet",
}


@dataclass(frozen=True, slots=True)
class RealCase:
    """One case on files that can be read. `left_out`: its files in forms that nothing reads yet (a host's sheet)."""

    id: str
    title: str
    severity: str
    nos: str
    files: tuple[str, ...]
    expect: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.id} {self.title}"


@dataclass(slots=True)
class Outcome:
    """Findings that count, findings of the expected codes that do not (with the reason), and all others."""

    counted: list[Finding] = field(default_factory=list)
    short: list[str] = field(default_factory=list)
    beside: list[Finding] = field(default_factory=list)


def open_cases(folder: Path) -> tuple[list[RealCase], list[tuple[str, str]]]:
    """Cases of EOS and SONiC whose expected codes are implemented, and (id, why) of those that are not run."""
    known = set(rule_files())
    out: list[RealCase] = []
    not_run: list[tuple[str, str]] = []
    for raw in yaml.safe_load((folder / "cases.yaml").read_text(encoding="utf-8")):
        files = tuple(f for f in raw.get("files") or () if _form(f))
        if not files:
            continue
        codes = tuple(c for c in raw["expect_any"] if c in known)
        if raw["id"] in REFUTED:
            not_run.append((raw["id"], f"refuted: {REFUTED[raw['id']]}"))
        elif raw["id"] in LACKS:
            not_run.append((raw["id"], f"lacks {LACKS[raw['id']]}"))
        elif raw.get("needs"):
            not_run.append((raw["id"], f"a description: needs {raw['needs']}"))
        elif not codes:
            not_run.append((raw["id"], f"no rule yet: {', '.join(raw['expect_any'])}"))
        elif len(files) == 1 and set(codes) <= set(BESIDE):
            not_run.append((raw["id"], f"without {' or '.join(BESIDE[c] for c in codes)} it cannot be judged"))
        else:
            left = tuple(f for f in raw["files"] if f not in files)
            nos = FORMS[_form(files[0])][0]
            out.append(RealCase(raw["id"], raw["title"], raw["severity"], nos, files, codes, left))
    return out, not_run


def _form(file: str) -> str:
    return next((s for s in FORMS if file.endswith(s)), "")


def judge(case: RealCase, folder: Path, scratch: Path) -> Outcome:
    """Lint the case's files and its base, and sort the findings."""
    _, base_file, as_name = FORMS[_form(case.files[0])]
    base_text = "" if base_file is None else (folder / "files" / base_file).read_text(encoding="utf-8")
    names = {f: (as_name if len(case.files) == 1 else f) for f in case.files}
    texts = {names[f]: (folder / "files" / f).read_text(encoding="utf-8") for f in case.files}
    texts |= {f: (folder / "files" / f).read_text(encoding="utf-8") for f in case.left_out}
    got = run(scratch / "case", texts, project=STATED.get(case.id))
    before = {_object(f) for f in run(scratch / "base", {as_name: base_text}).findings} if base_text else set()
    out = Outcome()
    for f in got.findings:
        if f.code not in case.expect:
            out.beside.append(f)
            continue
        if _object(f) in before:
            out.short.append(f"{f.code} is raised on the base too: {f.message}")
            continue
        text = texts.get(Path(f.location.at.file).name, "") if f.location else ""
        if f.location and _concerns(f, text, base_text):
            out.counted.append(f)
        else:
            where = f"{f.location.at.line}: {f.location.text.strip()}" if f.location else "no place"
            out.short.append(f"{f.code} stands on a line as in the base ({where}): {f.message}")
    return out


def _object(f: Finding) -> tuple[object, ...]:
    """The same fault on the same object: the device's name may differ, its ports and the cause do not."""
    return (f.code, f.class_, f.cause, f.object, f.observed)


def _concerns(f: Finding, text: str, base: str) -> bool:
    """Whether the finding stands on a line that differs from the base, or on the parent of one that is missing here.

    A line under a changed header is another object's line, though its words are the same.
    """
    assert f.location is not None
    line = f.location.at.line
    changed, parents = differing(text, base)
    return line in changed or line in parents or bool(changed & set(_headers(text.splitlines(), line)))


def _headers(lines: Sequence[str], line: int) -> Iterator[int]:
    """Headers that line number `line` stands under, innermost first."""
    return _parents(lines, line - 1, lines[line - 1]) if 0 < line <= len(lines) and not lines[0].startswith("{") else iter(())


def differing(text: str, base: str) -> tuple[set[int], set[int]]:
    """Lines of `text` that differ from `base`, and lines that are parents of what is missing in `text` (counted from 1)."""
    ours, theirs = text.splitlines(), base.splitlines()
    changed: set[int] = set()
    parents: set[int] = set()
    for tag, low, high, a, b in difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if tag in ("replace", "delete"):
            changed |= set(range(low + 1, high + 1))
        if tag in ("replace", "insert"):
            for missing in theirs[a:b]:
                parents |= set(_parents(ours, low, missing))
    if text.lstrip().startswith("{"):
        parents |= set(_json_parents(ours, _loads(text), _loads(base)))
    return changed, parents


def _parents(lines: Sequence[str], at: int, missing: str) -> Iterator[int]:
    """Headers above place `at` that are indented less than the missing line."""
    depth = len(missing) - len(missing.lstrip())
    for n in range(at - 1, -1, -1):
        own = len(lines[n]) - len(lines[n].lstrip())
        if lines[n].strip().strip("!#") and own < depth:
            yield n + 1
            depth = own
        if not depth:
            return


def _json_parents(lines: Sequence[str], ours: Any, base: Any) -> Iterator[int]:
    """Lines of the key under which something of the base is missing: its row, or the same port's row in another table.

    A port that lacks whole rows has its PORT row as the one place that still names it.
    """
    if not isinstance(ours, dict) or not isinstance(base, dict):
        return
    lost = {
        key.split("|")[0]
        for table, rows in base.items()
        if isinstance(rows, dict)
        for key in rows
        if key not in _rows(ours, table)
    }
    lost |= {
        key.split("|")[0]
        for table, rows in base.items()
        if isinstance(rows, dict)
        for key, fields in rows.items()
        if isinstance(fields, dict) and key in _rows(ours, table) and set(fields) - set(_rows(ours, table)[key])
    }
    for n, line in enumerate(lines, 1):
        if any(f'"{name}' in line and line.rstrip().endswith("{") for name in lost):
            yield n


def _rows(data: dict[str, Any], table: str) -> dict[str, Any]:
    rows = data.get(table)
    return rows if isinstance(rows, dict) else {}


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def loud(outcome: Outcome) -> list[Finding]:
    """Findings beside the expected ones that count for the exit code: possible false alarms, to be looked at."""
    return [f for f in outcome.beside if f.severity is not Severity.NOTE and f.implied_by is None]
