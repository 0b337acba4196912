"""Junos configurations, in braces and as `set` lines, as one tree with one leaf per line.

Both forms are first brought to statements, each a list of words from the top down (what `show configuration | display set`
prints behind `set`), then placed by what is known of the hierarchy: the block paths of nos.yaml are the containers, the lines
of their templates the leaves. So `class NO-LOSS queue-num 4 no-loss;` gives three leaves below one header, from whatever form
it comes, and a list in brackets one leaf per value. What is not known stays one line below the deepest container that is.

Groups are applied before placing (`apply-groups`, `<*>` against names that are there, the first group before later ones, the
configuration's own statements before all groups); `inactive:`, `deactivate` and `delete` take statements away. Nothing is lost:
every line that is not blank is a node, a comment or part of a span, or holds nothing but brackets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import translate
from functools import lru_cache

from xoff.errors import InputError
from xoff.nos.junosscan import Scan, Statement, Words, scan
from xoff.nos.linetemplate import LineTemplate
from xoff.nos.registry import BlockSpec
from xoff.nos.splitter import Node, Opaque, Span, Tree

#: Statements that groups may add to one file; a configuration that would grow beyond is refused, not judged in part.
_INHERITED = 200_000

# --- groups, and what is taken away ------------------------------------------------------------------------------------


def applied(found: Scan, grammar: Grammar) -> tuple[list[Statement], list[Statement], list[tuple[str, int]]]:
    """(statements that groups add, weakest first; the configuration's own; (group, line) of each `apply-groups`).

    Raises InputError where groups would add more than a configuration can hold.
    """
    in_force = list(_in_force(found, grammar))
    own = [s for s in in_force if "apply-groups" not in s.words and "apply-groups-except" not in s.words]
    wishes: list[tuple[Words, str, int]] = []
    barred: set[tuple[Words, str]] = set()
    for s in in_force:
        for verb in ("apply-groups", "apply-groups-except"):
            if verb in s.words and s.words[0] != "groups":
                at = s.words.index(verb)
                for name in s.words[at + 1 :]:
                    if verb == "apply-groups":
                        wishes.append((s.words[:at], name, s.line))
                    else:
                        barred.add((s.words[:at], name))
    told = {line for _, _, line in wishes}
    found.spans += [
        Span(s.line, s.line, "groups")
        for s in in_force
        if s.line not in told and ("apply-groups" in s.words or "apply-groups-except" in s.words)
    ]
    mine = [s for s in own if s.words[0] != "groups"]
    if not wishes:
        return [], own, []
    groups: dict[str, list[Statement]] = {}
    for s in own:
        if s.words[0] == "groups" and len(s.words) > 2:
            groups.setdefault(s.words[1], []).append(s)
    names = _Names(mine)
    out: list[Statement] = []
    for level, group, _ in reversed(wishes):
        shut = tuple(path for path, name in barred if name == group)
        for s in groups.get(group, ()):
            for words in names.meant(s.words[2:], level):
                if not any(words[: len(path)] == path for path in shut):
                    out.append(Statement(words, s.line))
            if len(out) > _INHERITED:
                raise InputError(
                    "", s.line, f"group {group} adds more than {_INHERITED} statements; its wildcards match too much"
                )
    return out, own, [(group, line) for _, group, line in wishes]


def _in_force(found: Scan, grammar: Grammar) -> Iterator[Statement]:
    """Statements that no later `delete` and no `deactivate` takes away; of a line of several leaves each by itself."""
    if not found.commands:
        yield from found.statements
        return
    deleted: dict[Words, int] = {}
    off: set[Words] = set()
    for verb, words, at in found.commands:
        if verb == "delete":
            deleted[words] = at
        elif verb == "deactivate":
            off.add(words)
        else:
            off.discard(words)
    for n, s in enumerate(found.statements):
        kept = list(grammar.atoms(s.words))
        kept = [w for w in kept if not any(w[:i] in off or deleted.get(w[:i], -1) > n for i in range(len(w) + 1))]
        if not kept:
            found.spans.append(Span(s.line, s.line, "taken away"))
        for words in kept:
            yield Statement(words, s.line, s.heads)


class _Names:
    """The words of the configuration by level, for wildcards of groups: `<et-*>` means names that are there."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._root: dict[str, dict[str, object]] = {}
        for s in statements:
            at: dict[str, object] = self._root  # type: ignore[assignment]
            for word in s.words:
                at = at.setdefault(word, {})  # type: ignore[assignment]

    def meant(self, words: Words, level: Words) -> Iterator[Words]:
        """What a group's statement means below `level`; nothing where it lies elsewhere or its wildcards match no name."""
        found: list[tuple[Words, dict[str, object] | None]] = [((), self._root)]  # type: ignore[list-item]
        for n, word in enumerate(words):
            wild = _wildcard(word)
            after: list[tuple[Words, dict[str, object] | None]] = []
            for path, at in found:
                if n < len(level):
                    names: Sequence[str] = [level[n]] if (wild.match(level[n]) if wild else word == level[n]) else []
                elif wild is not None:
                    names = [w for w in at or () if wild.match(w)]
                else:
                    names = [word]
                after += [((*path, w), (at or {}).get(w)) for w in names]  # type: ignore[misc]
            found = after
            if not found:
                return
            if len(found) > _INHERITED:
                raise InputError("", 0, f"a group's wildcards match more than {_INHERITED} names")
        if len(words) >= len(level):
            yield from (path for path, _ in found)


@lru_cache(maxsize=1024)
def _wildcard(word: str) -> re.Pattern[str] | None:
    return re.compile(translate(word[1:-1])) if len(word) > 2 and word[0] == "<" and word[-1] == ">" else None


# --- placing -----------------------------------------------------------------------------------------------------------


class Grammar:
    """The hierarchy as far as it is known: containers by block paths, leaves by the templates' lines."""

    def __init__(self, blocks: Sequence[BlockSpec], template: Callable[[BlockSpec], LineTemplate | None]) -> None:
        self._below: dict[Words, dict[str, list[tuple[Words, BlockSpec]]]] = {}
        for spec in blocks:
            if spec.path:
                tokens = tuple(spec.path[-1].split())
                first = "*" if _is_any(tokens[0]) else tokens[0]
                self._below.setdefault(spec.path[:-1], {}).setdefault(first, []).append((tokens, spec))
        for by_word in self._below.values():
            for known in by_word.values():
                known.sort(key=lambda e: -len(e[0]))
        self._template = template
        self._root = next((b for b in blocks if not b.path), BlockSpec(()))
        self._split: dict[tuple[Words, Words], tuple[str, ...]] = {}
        self._placed: dict[Words, tuple[list[tuple[str, int]], tuple[str, ...]]] = {}

    def place(self, words: Words) -> tuple[list[tuple[str, int]], tuple[str, ...]]:
        """(headers with the number of words up to the end of each; leaves below the last of them).

        Remembered: classifiers and profiles are the same statements on every switch of a fabric.
        """
        found = self._placed.get(words)
        if found is None:
            if len(self._placed) > 65536:
                self._placed.clear()
            found = self._placed[words] = self._place(words)
        return found

    def _place(self, words: Words) -> tuple[list[tuple[str, int]], tuple[str, ...]]:
        headers: list[tuple[str, int]] = []
        spec, at = self._root, 0
        while at < len(words) and not (spec.opaque or spec.ignore):
            found = self._container(spec.path, words, at)
            if found is None:
                break
            size, spec = found
            headers.append((" ".join(words[at : at + size]), at + size))
            at += size
        rest = words[at:]
        if not rest:
            return headers, ()
        key = (spec.path, rest)
        leaves = self._split.get(key)
        if leaves is None:
            if len(self._split) > 65536:
                self._split.clear()
            leaves = self._split[key] = self._leaves(spec, rest)
        return headers, leaves

    def atoms(self, words: Words) -> Iterator[Words]:
        """The words of each leaf with all that stands above it."""
        headers, leaves = self.place(words)
        if len(leaves) < 2:
            yield words
            return
        at = headers[-1][1] if headers else 0
        for leaf in leaves:
            size = self._words_of(words, at, leaf)
            yield (*words[: headers[-1][1] if headers else 0], *words[at : at + size])
            at += size

    @staticmethod
    def _words_of(words: Words, at: int, leaf: str) -> int:
        """How many words from `at` on make the leaf (a word may hold blanks)."""
        size = 1
        while " ".join(words[at : at + size]) != leaf:
            size += 1
        return size

    def _container(self, path: Words, words: Words, at: int) -> tuple[int, BlockSpec] | None:
        below = self._below.get(path)
        if below is None:
            return None
        for first in (words[at], "*"):
            for tokens, spec in below.get(first, ()):
                here = words[at : at + len(tokens)]
                if len(here) == len(tokens) and all(_fits(t, w) for t, w in zip(tokens, here, strict=True)):
                    return len(tokens), spec
        return None

    def _leaves(self, spec: BlockSpec, words: Words) -> tuple[str, ...]:
        """The words as lines of the block's template, as few as can be; as one line where they do not all fit."""
        template = None if spec.opaque or spec.ignore else self._template(spec)
        whole = (" ".join(words),)
        if template is None or len(words) < 2 or template.knows(whole[0]):
            return whole
        best: list[int | None] = [None] * len(words) + [0]
        ends: list[int] = [0] * len(words)
        for start in range(len(words) - 1, -1, -1):
            for end in range(len(words), start, -1):
                rest = best[end]
                if rest is None or not template.knows(" ".join(words[start:end])):
                    continue
                known = best[start]
                if known is None or rest + 1 < known:
                    best[start], ends[start] = rest + 1, end
        if best[0] is None:
            return whole
        out, at = [], 0
        while at < len(words):
            out.append(" ".join(words[at : ends[at]]))
            at = ends[at]
        return tuple(out)


def _is_any(token: str) -> bool:
    return token == "*" or token.startswith("{")


def _fits(token: str, word: str) -> bool:
    return token == word or (_is_any(token) and not any(c.isspace() for c in word))


def split(text: str, grammar: Grammar, opaque: Sequence[Opaque] = ()) -> Tree:
    """The tree of a text: headers and leaves by the grammar, with the lines that they stand on.

    `opaque`: single lines that are no configuration (prompts, pager remnants). Raises InputError as `applied` does.
    """
    found = scan(text, opaque)
    inherited, own, groups = applied(found, grammar)
    root = Node(0, "")
    tree = Tree(root, found.comments, found.spans, text.count("\n") + 1)
    nodes: dict[Words, Node] = {}
    weak: set[Words] = set()
    plant(root, inherited, grammar, nodes, weak, strong=False)
    plant(root, own, grammar, nodes, weak)
    # Headers of blocks that are not known, and those of a block that was opened before.
    shown = {n.line for n in tree.lines()}
    tree.spans += [Span(n, n, "header") for n in sorted(found.headers - shown)]
    root.children += [Node(line, f"apply-groups {name}") for name, line in groups]
    root.children += [Node(line, raw) for raw, line in found.raw]
    return tree


def plant(
    root: Node,
    statements: Iterable[Statement],
    grammar: Grammar,
    nodes: dict[Words, Node],
    weak: set[Words],
    strong: bool = True,
) -> None:
    """Put statements under `root`: headers by the grammar, each once, and leaves.

    `nodes`: headers that are there, by path. `weak`: paths of those that only weak statements (groups) made so far; the line of
    a strong one replaces theirs.
    """
    for s in statements:
        headers, leaves = grammar.place(s.words)
        at = above = root
        path: Words = ()
        new = False
        for header, words in headers:
            path = (*path, header)
            node = nodes.get(path)
            line = _line_of(s, words)
            above, new = at, node is None
            if node is None:
                node = nodes[path] = Node(line, header)
                at.children.append(node)
                if not strong:
                    weak.add(path)
            elif strong and path in weak:
                weak.discard(path)
                node.line = line
            at = node
        at.children += [Node(s.line, leaf) for leaf in leaves]
        if not leaves and headers and not new:
            above.children.append(Node(s.line, headers[-1][0]))  # said twice: both lines are kept


def _line_of(s: Statement, words: int) -> int:
    """The line of the header whose words end there: that of the innermost written header that holds them."""
    return next((line for end, line in s.heads if end >= words), s.line)
