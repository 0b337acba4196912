"""Mutants of a YANG tree as JSON (SR Linux): every leaf and entry deleted, every number changed, every switch turned.

The tree is changed as data and written again, so that each mutant is a whole configuration.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

from tests.mutation.mutant import Mutant, Step, changed, misspelt
from xoff.nos import jsontext

Path = tuple[str | int, ...]
#: Leaves that say which entry of a list it is, or who the device is; entries are deleted whole.
IDENTITY = frozenset(
    {"name", "interface-id", "interface", "subinterface", "index", "queue-name", "pfc-queue-name", "value", "slot", "sequence",
     "id", "traffic-type", "drop-probability", "enable-ecn", "host-name", "description", "interface-ref",
     "srl_nokia-system:system"}
)  # fmt: skip
#: Leaves that name an object of the file.
_NAMING = re.compile(r"(?:-profile|-policy|forwarding-class|unicast-queue)\Z")
_PORT = re.compile(r"ethernet-\d+/\d+(?:/\d+)?")


def mutants(text: str, step: Step) -> Iterator[Mutant]:
    """All mutants of one file; those that are equal on equal ports are left to the judge."""
    data = json.loads(text)
    seen: set[tuple[object, ...]] = set()
    for path, where, value in _places(data, (), ()):
        for mutant in _of(data, path, where, value, step):
            if mutant.key not in seen:
                seen.add(mutant.key)
                yield mutant


def _places(node: Any, path: Path, where: tuple[str, ...]) -> Iterator[tuple[Path, tuple[str, ...], Any]]:
    """(path, words down to it, value) of everything that may be changed."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        if isinstance(key, str) and key in IDENTITY and not isinstance(value, list):
            continue
        here = (*where, _key(value) if isinstance(key, int) else str(key).rpartition(":")[2])
        yield (*path, key), here, value
        yield from _places(value, (*path, key), here)


def _key(entry: Any) -> str:
    """What tells an entry of a list, names of ports as `*`."""
    found = next((str(v) for k, v in entry.items() if k in IDENTITY), "") if isinstance(entry, dict) else str(entry)
    return _PORT.sub("*", found)


def _of(data: Any, path: Path, where: tuple[str, ...], value: Any, step: Step) -> Iterator[Mutant]:
    said = _PORT.sub("*", json.dumps(value)) if not isinstance(value, (dict, list)) else ""
    if len(path) > 1:
        yield _made(data, path, where, said, "delete")
    if isinstance(value, bool):
        yield _made(data, path, where, said, "direction", not value)
    elif isinstance(value, int):
        for what, word in changed(str(value), step(where, "", where[-1])):
            if word.isdecimal():
                yield _made(data, path, where, said, what, int(word))
    elif isinstance(value, str) and isinstance(path[-1], str) and _NAMING.search(path[-1]):
        yield _made(data, path, where, said, "misspell", misspelt(value))


def _made(data: Any, path: Path, where: tuple[str, ...], said: str, what: str, new: Any = None) -> Mutant:
    tree = copy.deepcopy(data)
    at = tree
    for key in path[:-1]:
        at = at[key]
    if what == "delete":
        del at[path[-1]]
    else:
        at[path[-1]] = new
    text = json.dumps(tree, indent=2) + "\n"
    line = jsontext.read("mutant", text).line(path[:-1] if what == "delete" else path)
    return Mutant(what, where[:-1], f"{where[-1]} {said}".strip(), text, line, detail="" if new is None else json.dumps(new))
