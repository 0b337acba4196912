"""Golden survivors: each with a reason that can be checked, and the numbers that may only get better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.mutation.run import Record, survivors

HERE = Path(__file__).resolve().parent
#: `equivalent`: the mutant means the same; `gap`: it does not, and `closes` names the rule that will see it;
#: `unseen`: only an intent can tell the value from a wish.
KINDS = ("equivalent", "gap", "unseen")
#: Survivors nobody has judged yet: a group with `unreviewed: N` in the place of kind and reason. N may only go down.
UNREVIEWED = "unreviewed"
TO_DO = "why does this survive?"


@dataclass(frozen=True, slots=True)
class Entry:
    """Survivors of one shape and change. `mutants`: how many of all."""

    what: str
    line: str
    mutants: int
    kind: str
    reason: str
    closes: str = ""


def path(nos: str, intent: bool) -> Path:
    return HERE / f"survivors_{'with' if intent else 'without'}_intent_{nos}.yml"


def _groups(nos: str, intent: bool) -> list[dict[str, Any]]:
    file = path(nos, intent)
    return yaml.safe_load(file.read_text(encoding="utf-8")) or [] if file.exists() else []


def load(nos: str, intent: bool) -> dict[tuple[str, str], Entry]:
    """Entries by (line, what); none where there is no file."""
    out: dict[tuple[str, str], Entry] = {}
    for group in _groups(nos, intent):
        kind = UNREVIEWED if UNREVIEWED in group else group["kind"]
        for s in group["survivors"]:
            for what, n in s["mutants"].items():
                out[(s["line"], what)] = Entry(what, s["line"], n, kind, group.get("reason", ""), group.get("closes", ""))
    return out


def unreviewed(nos: str, intent: bool) -> int:
    """How many survivors may be without a reason."""
    return sum(group.get(UNREVIEWED, 0) for group in _groups(nos, intent))


def save(nos: str, intent: bool, records: Iterable[Record]) -> None:
    """Write the survivors anew; reasons stay with their shapes, new shapes ask for one."""
    known = load(nos, intent)
    beside = {key: e for key, e in load(nos, True).items() if e.kind == "equivalent"}
    groups: dict[tuple[str, str, str], dict[str, dict[str, int]]] = {}
    for (line, what), n in sorted(survivors(records).items()):
        same = beside.get((line, what))
        e = known.get((line, what)) or (same if same is not None and same.mutants == n else None)
        key = (e.reason, e.kind, e.closes) if e is not None else (TO_DO, "gap", "")
        groups.setdefault(key, {}).setdefault(line, {})[what] = n
    data = []
    for (reason, kind, closes), lines in groups.items():
        group: dict[str, Any] = {"kind": kind, "reason": reason}
        if kind == UNREVIEWED:
            count = sum(n for whats in lines.values() for n in whats.values())
            group = {UNREVIEWED: min(count, unreviewed(nos, intent))}
        if closes:
            group["closes"] = closes
        data.append({**group, "survivors": [{"line": line, "mutants": whats} for line, whats in lines.items()]})
    path(nos, intent).write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120), encoding="utf-8")


def numbers() -> dict[str, Any]:
    """The golden numbers by NOS and `with` or `without`."""
    found: dict[str, Any] = yaml.safe_load((HERE / "numbers.yml").read_text(encoding="utf-8"))
    return found


def equivalent(records: Iterable[Record], nos: str) -> Counter[str]:
    """Places of the mutants that mean the same, by the golden file of the NOS."""
    known = load(nos, True)
    return Counter(
        r.place
        for r in records
        if r.nos == nos and r.intent and not r.killed
        and (e := known.get((r.shape, r.what))) is not None and e.kind == "equivalent"
    )  # fmt: skip
