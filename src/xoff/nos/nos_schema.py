"""What may stand in a nos.yaml. Run by a test over every folder, not at run time: a slip there must not cost every start."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from xoff.model.fields import ALL_FIELDS
from xoff.model.origin import Evidence
from xoff.nos import yaml12
from xoff.nos.linetemplate import load_template

_IDENTITY = {"kind", "name", "title", "aliases", "netmiko", "maturity", "syntax", "comment", "detect", "name_pattern"}
_FACTS = {"units", "structure", "can", "cannot", "defaults", "bundle_qos", "entry", "watchdog"}
_READING = {"blocks", "qos_words", "opaque", "separator", "negation"}
_KEYS = _IDENTITY | _FACTS | _READING
_KINDS = {"nos", "host", "table"}
_SCOPES = {"queue", "group", "port", "profile", "device"}
_WHEN = {"family", "release", "port_mode", "feature", "form", "asic"}
_COSTS = {"nothing", "blip", "buffer re-carve", "reload", "unknown"}
_BUNDLE = {"members", "bundle", "both", "unknown"}
_EVIDENCE = {e.value for e in Evidence}
#: Keys of the entries of each list or table: (must, may).
_ENTRY: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "detect": (frozenset({"pattern", "why", "weight"}), frozenset({"on"})),
    "structure": (frozenset({"text", "evidence", "source"}), frozenset({"key"})),
    "can": (frozenset({"scope", "evidence", "source"}), frozenset({"granularity"})),
    "cannot": (frozenset({"why", "source"}), frozenset()),
    "defaults": (frozenset({"value", "evidence", "source"}), frozenset({"when"})),
    "blocks": (frozenset({"path"}), frozenset({"template", "qos", "opaque", "ignore", "identity"})),
    "opaque": (frozenset({"start"}), frozenset({"end", "what"})),
}


def problems(folder: Path) -> list[str]:
    """Everything wrong with the nos.yaml of one folder and the templates it names, in words; empty when it is right."""
    data = yaml12.load((folder / "nos.yaml").read_text(encoding="utf-8"))
    if not isinstance(data, dict):
        return ["nos.yaml is no mapping"]
    return list(_problems(data, folder))


def _problems(data: Mapping[str, Any], folder: Path) -> Iterator[str]:
    for key in sorted(set(data) - _KEYS):
        yield f"unknown key {key!r}"
    for key in ("kind", "name", "title", "detect"):
        if key not in data:
            yield f"{key} is missing"
    if data.get("name") != folder.name:
        yield f"name {data.get('name')!r} is not the folder's ({folder.name})"
    if data.get("kind") not in _KINDS:
        yield f"kind {data.get('kind')!r} is none of {sorted(_KINDS)}"
    for name in _ENTRY:
        yield from _entries(name, data.get(name) or [])
    yield from _detect(data.get("detect") or [])
    yield from _fields(data)
    yield from _blocks(data.get("blocks") or [], folder)
    for entry in data.get("opaque") or []:
        for key in ("start", "end"):
            yield from _pattern(f"opaque {key}", (entry.get(key) or "").replace("{delim}", "x"))
    if (data.get("entry") or {}).get("cost", "unknown") not in _COSTS:
        yield f"entry cost {data['entry']['cost']!r} is none of {sorted(_COSTS)}"
    for key, value in (data.get("bundle_qos") or {}).items():
        if key not in ("classify", "queue", "pfc", "source") or (key != "source" and value not in _BUNDLE):
            yield f"bundle_qos {key}: {value!r}"
    if data.get("bundle_qos") and "source" not in data["bundle_qos"]:
        yield "bundle_qos has no source"


def _entries(name: str, found: Any) -> Iterator[str]:
    must, may = _ENTRY[name]
    if isinstance(found, dict):
        items = [(k, e) for k, v in found.items() for e in (v if isinstance(v, list) else [v])]
    else:
        items = [(str(i), e) for i, e in enumerate(found, 1)]
    for label, entry in items:
        if not isinstance(entry, dict):
            yield f"{name} {label} is no mapping"
            continue
        for key in sorted(must - set(entry)):
            yield f"{name} {label}: {key} is missing"
        for key in sorted(set(entry) - must - may):
            yield f"{name} {label}: unknown key {key!r}"
        if "evidence" in entry and entry["evidence"] not in _EVIDENCE:
            yield f"{name} {label}: evidence {entry['evidence']!r} is none of {sorted(_EVIDENCE)}"
        for key in sorted(set(entry.get("when") or {}) - _WHEN):
            yield f"{name} {label}: unknown condition {key!r}"


def _detect(found: list[dict[str, Any]]) -> Iterator[str]:
    for entry in found:
        yield from _pattern("detect", str(entry.get("pattern", "")))
        if not isinstance(entry.get("weight"), int):
            yield f"detect {entry.get('pattern')}: weight is no number"
        if entry.get("on", "text") not in ("text", "path"):
            yield f"detect {entry.get('pattern')}: on is text or path"


def _fields(data: Mapping[str, Any]) -> Iterator[str]:
    can, cannot = data.get("can") or {}, data.get("cannot") or {}
    for name, entry in can.items():
        if name not in ALL_FIELDS:
            yield f"can: the model has no field {name!r}"
        if isinstance(entry, dict) and entry.get("scope") not in _SCOPES:
            yield f"can {name}: scope {entry.get('scope')!r} is none of {sorted(_SCOPES)}"
    for name in cannot:
        if name not in ALL_FIELDS:
            yield f"cannot: the model has no field {name!r}"
        if name in can:
            yield f"{name} stands under can and cannot"
    if data.get("kind") == "nos" and can:
        for name in sorted(ALL_FIELDS - set(can) - set(cannot)):
            yield f"{name} stands neither under can nor under cannot"


def _blocks(found: list[dict[str, Any]], folder: Path) -> Iterator[str]:
    seen: set[str] = set()
    for entry in found:
        for path in entry["path"] if isinstance(entry.get("path"), list) else [entry.get("path")]:
            if path in seen:
                yield f"block {path!r} stands twice"
            seen.add(str(path))
            parent = str(path).rpartition(" > ")[0]
            if parent and parent not in seen:
                yield f"block {path!r}: its parent {parent!r} is not listed before it"
        if entry.get("qos", "none") not in ("all", "words", "none"):
            yield f"block {entry.get('path')!r}: qos is all, words or none"
        for pattern in entry.get("identity") or []:
            yield from _pattern("identity", pattern)
            if len(re.findall(r"[(][?]P<", pattern)) != 1:
                yield f"identity {pattern!r}: exactly one named group tells what is identity"
        if entry.get("template"):
            file = folder / "parse" / entry["template"]
            if not file.is_file():
                yield f"template {entry['template']} does not exist"
            else:
                load_template(file)


def _pattern(what: str, pattern: str) -> Iterator[str]:
    try:
        re.compile(pattern, re.M)
    except re.error as err:
        yield f"{what}: {pattern!r} is no regular expression: {err}"
