"""Cases of rules, as data: files, what they must raise, and the run that judges them. Format: see `Case`.

A case file `tests/rules/CODE.yml` holds `rule:` and `cases:`; tests/rules/base/<nos> are whole clean configurations that a case
may start from and change by `replace`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from xoff.lint.engine import lint
from xoff.lint.result import FabricInput, LintRequest, LintResult
from xoff.model.finding import Finding

HERE = Path(__file__).resolve().parent
BASES = {
    "eos": HERE / "base" / "eos.cfg",
    "sonic": HERE / "base" / "sonic.json",
    "nxos": HERE / "base" / "nxos.cfg",
    "vrp": HERE / "base" / "vrp.cfg",
}
KINDS = ("fail", "pass", "fix", "near-miss", "not-assessed", "not-applicable")
_KEYS = {
    "name", "nos", "config", "files", "base", "replace", "intent", "project", "assume", "expect", "kind", "reason", "require",
    "only", "same",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One case.

    files: name -> text. expect: findings of the rule that must be there, and no others; each may give `line`, `file`,
    `severity`, `ports`, `message` (part of it), `confidence`, `implied` (bool), `device`, `class`, `observed`, `count`.
    kind: what the case shows; for `not-assessed` and `not-applicable`, `reason` is part of the reason that coverage gives.
    only: no finding of another rule at or above a warning stands unimplied beside it.
    """

    rule: str
    name: str
    kind: str
    nos: str
    files: Mapping[str, str]
    expect: tuple[Mapping[str, Any], ...]
    intent: str | None = None
    project: str | None = None
    assume: str = "nvidia"
    reason: str = ""
    require: tuple[str, ...] = ()
    only: bool = False

    def __str__(self) -> str:
        return f"{self.rule}: {self.name}"


@dataclass(slots=True)
class Run:
    """What a case's run gave. `problems`: input that could not be read."""

    result: LintResult
    problems: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = field(default=())


def case_files() -> dict[str, Path]:
    return {p.stem: p for p in sorted(HERE.glob("*.yml")) if p.stem.isupper() or p.stem[:3].isupper()}


@cache
def cases(path: Path) -> tuple[Case, ...]:
    """The cases of a file. Raises ValueError, naming file and case, for what is malformed."""
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(data, dict) or data.get("rule") != path.stem:
        raise ValueError(f"{path.name}: `rule:` must be {path.stem}")
    return tuple(_case(path, i, raw) for i, raw in enumerate(data.get("cases") or ()))


def _case(path: Path, index: int, raw: Mapping[str, Any]) -> Case:
    where = f"{path.name}, case {index + 1} ({raw.get('name', 'unnamed')})"
    strange = set(raw) - _KEYS
    if strange:
        raise ValueError(f"{where}: unknown key {', '.join(sorted(strange))}")
    if not raw.get("name") or raw.get("kind") not in KINDS:
        raise ValueError(f"{where}: needs a name and a kind of {', '.join(KINDS)}")
    expect = tuple(raw.get("expect") or ())
    if raw["kind"] == "fail" and not expect:
        raise ValueError(f"{where}: a case of kind fail expects at least one finding")
    if raw["kind"] in ("pass", "fix", "not-assessed", "not-applicable") and expect:
        raise ValueError(f"{where}: a case of kind {raw['kind']} expects none")
    if raw["kind"] in ("not-assessed", "not-applicable") and not raw.get("reason"):
        raise ValueError(f"{where}: say the `reason` that coverage must give")
    return Case(
        rule=path.stem,
        name=str(raw["name"]),
        kind=raw["kind"],
        nos=str(raw.get("nos") or raw.get("base") or ""),
        files=_files(where, raw),
        expect=expect,
        intent=raw.get("intent"),
        project=raw.get("project"),
        assume=raw.get("assume") or "nvidia",
        reason=str(raw.get("reason") or ""),
        require=tuple(raw.get("require") or ()),
        only=bool(raw.get("only")),
    )


def _files(where: str, raw: Mapping[str, Any]) -> dict[str, str]:
    if "files" in raw:
        files = dict(raw["files"])
    elif "config" in raw:
        files = {file_name(str(raw.get("nos"))): str(raw["config"])}
    elif "base" in raw:
        files = {file_name(str(raw["base"])): BASES[raw["base"]].read_text(encoding="utf-8")}
    else:
        raise ValueError(f"{where}: needs `config`, `files` or `base`")
    for pair in raw.get("replace") or ():
        old, new = pair
        if not any(old in text for text in files.values()):
            raise ValueError(f"{where}: {old!r} is in none of its files")
        files = {name: text.replace(old, new) for name, text in files.items()}
    return files


def file_name(nos: str) -> str:
    return {"eos": "leaf1.cfg", "vrp": "leaf1.cfg", "nxos": "leaf1.cfg", "sonic": "config_db.json"}.get(nos, f"leaf1.{nos}")


def run(
    folder: Path,
    files: Mapping[str, str],
    *,
    select: Sequence[str] = (),
    intent: str | None = None,
    project: str | None = None,
    assume: str = "nvidia",
    require: Sequence[str] = (),
) -> Run:
    """Write the files into `folder` and lint them, as `xoff lint` would."""
    from xoff.nos.inputs import gather

    inputs = folder / "configs"
    for name, text in files.items():
        path = inputs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    plan = None
    if intent is not None:
        from xoff.intent.expand import plan as load_plan

        (folder / "intent.yaml").write_text(intent, encoding="utf-8")
        plan = load_plan(folder / "intent.yaml")
    stated = None
    if project is not None:
        from xoff.intent.project import load_project

        (folder / "xoff.toml").write_text(project, encoding="utf-8")
        stated = load_project(folder / "xoff.toml")
    read = gather([str(inputs)], plan=plan, project=stated)
    request = LintRequest(
        fabrics=tuple(
            FabricInput(f.name, f.devices, f.links, f.conflicts, f.problems, f.skipped, f.host_classes, f.tables)
            for f in read.fabrics
        ),
        plan=plan,
        project_classes=stated.classes if stated is not None else (),
        assume=assume,
        select=tuple(select),
        require=tuple(require),
    )
    result = lint(request, read.line)
    return Run(result, tuple(str(p) for f in read.fabrics for p in f.problems), result.findings)


def misses(case: Case, got: Run) -> list[str]:
    """What of the case did not come true, in words; empty: all of it did."""
    own = [f for f in got.findings if f.code == case.rule]
    out: list[str] = []
    left = list(own)
    for want in case.expect:
        found = next((f for f in left if not list(_differs(want, f))), None)
        if found is None:
            near = sorted(left, key=lambda f: len(list(_differs(want, f))))[:1]
            said = "".join(f"{_show(f)} ({'; '.join(_differs(want, f))})" for f in near) or "nothing"
            out.append(f"expected {dict(want)}; nearest: {said}")
        else:
            left.remove(found)
    out += [f"not expected: {_show(f)}" for f in left]
    if case.kind in ("not-assessed", "not-applicable"):
        reasons = [r for f in got.result.fabrics if (c := f.coverage.get(case.rule)) for r in _reasons(case.kind, c)]
        if not any(case.reason in r for r in reasons):
            out.append(f"no coverage entry ({case.kind}) says {case.reason!r}; there are: {reasons}")
    if case.only:
        others = [f for f in got.findings if f.code != case.rule]
        out += [f"not alone: {_show(f)}" for f in others if f.severity.rank < 2 and not f.implied_by]
    return out


def _reasons(kind: str, coverage: Any) -> Iterator[str]:
    if kind == "not-applicable":
        yield from coverage.not_applicable
    else:
        yield from (reason for reason, _ in coverage.not_assessed)


def _differs(want: Mapping[str, Any], f: Finding) -> Iterator[str]:
    at = f.location.at if f.location else None
    actual: dict[str, Any] = {
        "line": at.line if at else None,
        "file": Path(at.file).name if at else None,
        "severity": str(f.severity),
        "confidence": str(f.confidence),
        "ports": sorted(f.ports),
        "implied": f.implied_by is not None,
        "device": f.device,
        "class": f.class_,
        "observed": f.observed,
        "count": len(f.ports),
    }
    for key, value in want.items():
        if key in ("message", "text", "why"):
            said = {"message": f.message, "text": f.location.text if f.location else "", "why": f.why}[key]
            if str(value) not in said:
                yield f"{key} is {said!r}"
        elif key not in actual:
            yield f"no such key as {key}"
        elif (sorted(value) if key == "ports" else value) != actual[key]:
            yield f"{key} is {actual[key]!r}"


def _show(f: Finding) -> str:
    at = f"{Path(f.location.at.file).name}:{f.location.at.line}" if f.location else "nowhere"
    return f"{f.code} {f.severity} {f.confidence} at {at} {list(f.ports)} {f.message!r}"
