"""NVUE documents (startup.yaml, `nv config show` in YAML or JSON, a REST tree) as leaves with their lines.

Scalars are taken as they are written, so `on` and `off` stay words and `010` stays three characters (YAML 1.2 and more).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from xoff.errors import InputError
from xoff.nos.nvue.leaf import Leaf, Leaves

#: More leaves than any switch has: aliases of aliases would give any number of them.
MOST_LEAVES = 400_000
_MOST_DEPTH = 60
_SECTIONS = frozenset({"header", "set", "unset"})
#: How a document of NVUE begins; a REST tree begins with one of its top-level names.
_START = re.compile(
    r"\s*(?:---[^\n]*\n)?(?:[ \t]*(?:#[^\n]*)?\n)*(?:- (?:header|set|unset)[ \t]*:|[\[{]|(?:header|set|qos|interface)[ \t]*:)"
)


def is_document(text: str) -> bool:
    """Whether the text is a document (YAML or JSON) and no list of commands."""
    return _START.match(text) is not None


def read_document(path: str, text: str) -> Leaves:
    """All leaves of a document. Raises InputError, with line and reason, for what is no YAML or no NVUE tree."""
    out = Leaves()
    out.comments += [(n, row.strip()) for n, row in enumerate(text.split("\n"), 1) if row.lstrip(" \t").startswith("#")]
    root = _compose(path, text)
    if root is None:
        return out
    for verb, node in _sections(path, root):
        into = out.header if verb == "header" else out.found
        room = MOST_LEAVES - len(out.found)
        for leaf in _walk(node, "set" if verb == "header" else verb):
            if room <= 0:
                raise InputError(
                    path, leaf.line, f"says more than {MOST_LEAVES:,} things, which no switch has; is it an alias of aliases?"
                )
            room -= 1
            if verb != "header" and leaf.words[0] == "header":
                out.header.append(Leaf(leaf.words[1:], leaf.line))
            else:
                into.append(leaf)
    return out


def _compose(path: str, text: str) -> Any:
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as err:
        mark = err.problem_mark or err.context_mark
        line = mark.line + 1 if mark is not None else 1
        raise InputError(path, line, f"is no YAML: {err.problem or err.context}") from err
    except yaml.YAMLError as err:
        raise InputError(path, 1, f"is no YAML: {err}") from err
    except RecursionError as err:
        raise InputError(path, 1, "is nested too deeply to be a configuration") from err


def _sections(path: str, root: Any) -> Iterator[tuple[str, Any]]:
    """(`set`, `unset` or `header`, tree) of a document: a list of sections, or one tree."""
    if root.id == "mapping":
        keys = {k.value for k, _ in root.value if k.id == "scalar"}
        if keys and keys <= _SECTIONS:
            yield from ((k.value, v) for k, v in root.value)
        else:
            yield "set", root
        return
    if root.id != "sequence":
        raise InputError(path, root.start_mark.line + 1, "is no NVUE document: a list with `- set:`, or a tree, is expected")
    for item in root.value:
        if item.id != "mapping":
            raise InputError(path, item.start_mark.line + 1, "`- header:`, `- set:` or `- unset:` is expected here")
        yield from ((str(k.value), v) for k, v in item.value if k.id == "scalar" and k.value in _SECTIONS)


def _walk(root: Any, verb: str) -> Iterator[Leaf]:
    """Leaves below a node in file order, without recursion (a hostile file may be deep)."""
    stack: list[tuple[Any, tuple[str, ...], int]] = [(root, (), root.start_mark.line + 1)]
    while stack:
        node, words, line = stack.pop()
        if node.id == "mapping" and node.value and len(words) < _MOST_DEPTH:
            for key, value in reversed(node.value):
                stack.append((value, (*words, _scalar(key)), key.start_mark.line + 1))
        elif node.id == "sequence" and node.value and len(words) < _MOST_DEPTH:
            for value in reversed(node.value):
                stack.append((value, words, value.start_mark.line + 1))
        elif node.id == "scalar":
            value = "" if not node.style and node.value in ("", "~", "null") else node.value
            end = node.end_mark.line + 1
            spaced = " " in value or "\n" in value or "\t" in value
            if not value and not words:
                continue  # `- set:` with nothing below it
            yield Leaf((*words, value) if value else words, line, verb, end if end > line else None, spaced)
        elif words:
            yield Leaf(words, line, verb)


def _scalar(node: Any) -> str:
    return str(node.value) if node.id == "scalar" else "?"
