"""Intent file -> checked parts with their places. Nothing is judged alone: `expand` finds what does not fit together."""

from __future__ import annotations

import os
from pathlib import Path as FilePath
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from xoff.errors import IntentError, Problem
from xoff.intent.document import Document, Path, Problems, no_collection
from xoff.intent.schema import IntentPart
from xoff.intent.suggest import did_you_mean, near
from xoff.intent.units import show
from xoff.model.record import dataclass

#: How often wrong values are taken out and the rest is tried again, before the rest is given up.
_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class Intent:
    """A read intent. `problems` holds what is wrong so far; `expand` adds to it and raises everything at once.

    `folder`: where the file stands, None for text without a file (then no cabling file can be named).
    """

    part: IntentPart
    document: Document
    problems: Problems
    folder: FilePath | None

    @property
    def file(self) -> str:
        return self.document.file


def load(path: str | os.PathLike[str]) -> Intent:
    """Read an intent file. Raises IntentError where it cannot be read or is no YAML mapping; other faults wait for `expand`."""
    file = os.fspath(path)
    try:
        raw = FilePath(path).read_bytes()
    except OSError as e:
        raise IntentError([Problem(file, 1, 1, f"cannot be read: {e.strerror or e}")]) from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        line = raw.count(b"\n", 0, e.start) + 1
        raise IntentError([Problem(file, line, 1, "is no UTF-8 text; save it as UTF-8")]) from None
    return loads(text, file, folder=FilePath(path).parent)


def loads(text: str, file: str = "intent.yaml", *, folder: FilePath | None = None) -> Intent:
    """Read an intent from text; `file` is the name in messages. Raises IntentError as `load` does."""
    document = Document(text.replace("\r\n", "\n"), file)
    problems = Problems(document)
    if not isinstance(document.data, dict):
        what = "is empty" if document.data is None else f"is {show(document.data)}"
        problems.add((), f"the intent {what}; expected a mapping with version, fabric, classes, switches, links")
        problems.raise_any()
    with no_collection():
        _drop_nulls(document.data, (), problems)
        part = _validate(document.data, problems)
    return Intent(part, document, problems, folder)


def _drop_nulls(node: Any, path: Path, problems: Problems) -> None:
    """An empty value is neither a value nor its absence: say so, and go on without it."""
    if isinstance(node, dict):
        for key in [k for k, v in node.items() if v is None]:
            problems.add(
                (*path, key),
                f"{show(key)} has no value",
                "write a value ({} for an empty mapping), or take the line out",
                key=True,
            )
            problems.poison((*path, key))
            del node[key]
        for key, value in node.items():
            if isinstance(value, (dict, list)):
                _drop_nulls(value, (*path, key), problems)
    elif isinstance(node, list):
        if any(v is None for v in node):
            problems.add(path, "the list has an empty item", "take the lonely - out")
            for i in [i for i, v in enumerate(node) if v is None]:
                problems.poison((*path, i))
                node[i] = {}
        for i, value in enumerate(node):
            if isinstance(value, (dict, list)):
                _drop_nulls(value, (*path, i), problems)


def _validate(data: Any, problems: Problems) -> IntentPart:
    for _ in range(_ROUNDS):
        try:
            return IntentPart.model_validate(data)
        except ValidationError as e:
            wrong: dict[Path, None] = {}
            for error in e.errors(include_url=False, include_input=True):
                path, key = _path(error["loc"])
                _report(error, path, key, problems)
                wrong[_leaf(data, path)] = None
            for path in wrong:
                _take_out(data, path)
                problems.poison(path)
    problems.raise_any()
    raise AssertionError("unreachable: every round reports")


def _path(loc: tuple[int | str, ...]) -> tuple[Path, bool]:
    """Pydantic's location without its marks for union arms and keys; whether the key itself is wrong."""
    return tuple(p for p in loc if not (isinstance(p, str) and (p[:1] == "(" or p == "[key]"))), "[key]" in loc


def _report(error: Any, path: Path, key: bool, problems: Problems) -> None:
    kind, given, ctx = error["type"], error["input"], error.get("ctx") or {}
    if kind == "extra_forbidden":
        known = _keys(IntentPart, path[:-1])
        problems.add(path, f"unknown key {show(path[-1])}", did_you_mean(str(path[-1]), known), key=True)
        for meant in near(str(path[-1]), known):
            problems.poison((*path[:-1], meant))  # that it is missing is no second fault
        return
    hint = ""
    if kind == "value_error":
        message = str(ctx["error"])
    elif kind == "literal_error":
        options = ctx["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        message = f"expected one of {', '.join(options)}, not {show(given)}"
        hint = did_you_mean(given, options) if isinstance(given, str) else ""
        hint = "" if hint.startswith("known") else hint
        if given is True or given is False:
            hint = "quotes are not needed: on and off are words here" if "off" in options else ""
    elif kind in ("model_type", "model_attributes_type", "dict_type"):
        message = f"expected a mapping (key: value), not {show(given)}"
    elif kind == "list_type":
        message = f"expected a list, not {show(given)}"
    elif kind in ("int_type", "int_from_float"):
        message = f"expected a whole number, not {show(given)}"
        hint = "without quotes" if isinstance(given, str) and given.isdigit() else ""
    elif kind == "bool_type":
        message = f"expected true or false, not {show(given)}"
    elif kind in ("greater_than_equal", "less_than_equal"):
        limit = f"at least {ctx['ge']}" if "ge" in ctx else f"at most {ctx['le']}"
        message = f"expected {limit}, not {show(given)}"
    else:
        message = f"{error['msg'][:1].lower()}{error['msg'][1:]}, not {show(given)}"
    problems.add(path, message, hint, key=key)


def _leaf(data: Any, path: Path) -> Path:
    """What is taken out for a wrong `path`: the value; in a list of plain values the whole list."""
    node, parents = data, []
    for i, part in enumerate(path):
        inside = part in node if isinstance(node, dict) else isinstance(node, list) and isinstance(part, int)
        if not inside:  # a mark of the validator's own, not a place of the file
            path = path[:i]
            break
        parents.append(node)
        node = node[part]
    if parents and isinstance(parents[-1], list) and not _mappings(path):
        return path[:-1]
    return path


def _mappings(path: Path) -> bool:
    """Whether the list at `path` is one of mappings (links, hosts), whose items keep their places."""
    return len(path) == 2 and path[0] in ("links", "hosts")


def _take_out(data: Any, path: Path) -> None:
    node = data
    for part in path[:-1]:
        if isinstance(node, dict) and part not in node:
            return  # already gone with something around it
        node = node[part]
    if not path:
        return
    if isinstance(node, list):
        node[int(path[-1])] = {}
    else:
        node.pop(path[-1], None)


def _keys(model: type[BaseModel], path: Path) -> list[str]:
    """Keys allowed in the mapping at `path`."""
    at: Any = model
    for part in path:
        at = _arm(at, want_list=isinstance(part, int))
        if isinstance(at, type) and issubclass(at, BaseModel):
            field = next((f for n, f in at.model_fields.items() if (f.alias or n) == part), None)
            if field is None:
                return []
            at = field.annotation
        elif get_origin(at) in (dict, list):
            at = get_args(at)[-1]
    at = _arm(at, want_list=False)
    if isinstance(at, type) and issubclass(at, BaseModel):
        return [f.alias or n for n, f in at.model_fields.items()]
    return []


def _arm(annotation: Any, *, want_list: bool) -> Any:
    """The arm of a union, or inside Annotated, that a mapping (or list) would take."""
    origin = get_origin(annotation)
    if isinstance(annotation, type) and origin is None:
        return annotation
    if origin in (dict, list):
        return annotation
    arms = [_arm(a, want_list=want_list) for a in get_args(annotation)]
    fits = [a for a in arms if (get_origin(a) is list if want_list else _is_mapping(a))]
    return fits[0] if fits else annotation


def _is_mapping(annotation: Any) -> bool:
    return get_origin(annotation) is dict or (isinstance(annotation, type) and issubclass(annotation, BaseModel))
