"""Reads a split configuration block by block: known lines become statements, QoS lines that nobody knows become remarks.

One block at a time means: the lines directly under one header, never the lines under those. Equal bodies (lines that only
name or address the port taken out) are parsed once, whatever their number. Each statement keeps the index of its line in
the body, each block the file line of each index.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import Enum

from xoff.errors import InputError
from xoff.model.origin import FileLine, Line
from xoff.model.record import dataclass
from xoff.model.switch import RemarkKind
from xoff.nos.linetemplate import LineTemplate, Said, load_template
from xoff.nos.registry import BlockSpec, Nos
from xoff.nos.remarks import Remarks
from xoff.nos.source import Source
from xoff.nos.splitter import Comment, Node, Tree, below, split
from xoff.nos.wording import QosWords, empty_word, one_edit, unfilled

#: Parsed bodies kept between files, so that fifty equal leaves cost one.
_BODIES = 4096

#: Ports that ranges in one file may stand for; a range beyond is a name as it stands (a kilobyte could mean millions).
_EXPANDED = 16384

#: Names of a block's header as the NOS means them (an interface range gives several); None: no name of a port.
NameOf = Callable[[str, Sequence[str]], "tuple[str, ...] | None"]


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """The lines of one block, parsed. Shared by all blocks with equal lines; compared by identity.

    `problems`: (index, kind, message, expected) of lines that are no statement.
    """

    texts: tuple[str, ...]
    said: tuple[Said, ...]
    problems: tuple[tuple[int, RemarkKind, str, str], ...]
    other: int


@dataclass(slots=True)
class Block:
    """One block, all its pieces merged. `lines[i]` is the file line of body index i; `line` that of its first header.

    `cause`: headers from the top down, names as `*`. `names`: what stood for the `*` of its own header.
    `identity`: name -> (value, file line, masked text) of the lines that differ from port to port.
    """

    spec: BlockSpec
    header: str
    line: int
    cause: tuple[str, ...]
    names: tuple[str, ...]
    values: Mapping[str, str]
    body: Body
    lines: tuple[int, ...]
    identity: dict[str, list[tuple[str, int, str]]]
    ports: tuple[str, ...] = ()
    children: list[Block] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.names[0] if self.names else ""

    def below(self, *last: str) -> Iterator[Block]:
        """Direct child blocks whose own path pattern begins with one of the words."""
        for child in self.children:
            if child.spec.path[-1].split()[0] in last:
                yield child


@dataclass(slots=True)
class Reading:
    """A file, read. `other`: lines that are no concern of ours, counted. `remarks`: see `Remark`, one per shape."""

    source: Source
    tree: Tree
    root: Block
    remarks: Remarks
    other: int

    def at(self, line: int, end: int | None = None) -> FileLine:
        return FileLine(self.source.path, line, end)

    def line(self, block: Block, said: Said) -> Line:
        """The absolute origin of a statement."""
        return Line(block.cause, block.body.texts[said.index], self.at(block.lines[said.index]))

    def header(self, block: Block) -> Line:
        return Line(block.cause[:-1], block.cause[-1] if block.cause else "", self.at(block.line))

    @property
    def comments(self) -> list[Comment]:
        return self.tree.comments


@dataclass(frozen=True, slots=True)
class _Header:
    spec: BlockSpec
    cause: str
    names: tuple[str, ...]
    values: Mapping[str, str]


_NEVER_FILLED = "template output that was never filled in"


class _Do(Enum):
    FEED = "feed"
    OTHER = "other"
    RESIDUE = "residue"


_FEED, _OTHER, _RESIDUE = _Do.FEED, _Do.OTHER, _Do.RESIDUE
_Act = _Do | _Header | tuple[str, str, str]


class _Level:
    """Everything that depends on the path alone: which child paths there are, which lines are fed, which identify."""

    def __init__(self, spec: BlockSpec, nos: Nos, words: QosWords) -> None:
        self.spec = spec
        self.template: LineTemplate | None = None
        if spec.template is not None:
            self.template = load_template(nos.folder / "parse" / spec.template)
        self.children: dict[str, list[BlockSpec]] = {}
        for child in nos.blocks:
            if child.path and child.path[:-1] == spec.path:
                first = child.path[-1].split()[0]
                # A header may be nothing but a name, or begin with a value.
                self.children.setdefault("*" if first.startswith("{") else first, []).append(child)
        #: Words that open blocks about QoS here, where a slip of one letter would hide a whole block.
        self._openers = [w for w, known in self.children.items() if len(w) >= 5 and any(c.qos != "none" for c in known)]
        self.identity = [re.compile(p) for p in spec.identity]
        self._words = words
        self._negation = nos.negation
        self._acts: dict[str, _Act] = {}
        self.bodies: dict[tuple[str, ...], Body] = {}

    def act(self, text: str) -> _Act:
        """What to do with a line: a header, an identity (name, value, masked), to be fed, or not ours. Remembered by text."""
        found = self._acts.get(text)
        if found is None:
            found = self._decide(text)
            if len(self._acts) > 8 * _BODIES:
                self._acts.clear()
            self._acts[text] = found
        return found

    def _decide(self, text: str) -> _Act:
        if unfilled(text):
            return _RESIDUE
        first = _first(text)
        for spec in (*self.children.get(first, ()), *self.children.get("*", ())):
            pattern, kinds = _header_pattern(spec.path[-1])
            matched = pattern.fullmatch(text)
            if matched:
                return _as_header(spec, kinds, matched.groups())
        for known in self.identity:
            matched = known.fullmatch(text)
            if matched and matched.lastgroup:
                name = matched.lastgroup
                return name, matched.group(name), text[: matched.start(name)] + "*" + text[matched.end(name) :]
        if self.spec.qos == "all":
            return _FEED
        bare = _bare(text, self._negation)[1]
        word = _first(bare)
        if self.template is not None and (self.template.first_words is None or word in self.template.first_words):
            return _FEED
        if self.template is not None and first in (self.template.first_words or ()):
            return _FEED
        return _FEED if self.is_qos(text) else _OTHER

    def opens(self, text: str) -> BlockSpec | None:
        """The block that a line opens here; None where it opens none."""
        act = self.act(text)
        return act.spec if isinstance(act, _Header) else None

    def knows(self, text: str) -> bool:
        """Whether the line is one of this block's own, by template or as identity."""
        if any(known.fullmatch(text) for known in self.identity):
            return True
        return self.template is not None and (self.template.knows(text) or self.template.knows(_bare(text, self._negation)[1]))

    def is_qos(self, text: str) -> bool:
        """Whether the line must be understood here; a mistyped header of a known block counts too."""
        if self.spec.qos != "words":
            return self.spec.qos == "all"
        bare = _bare(text, self._negation)[1]
        return self._words.near(bare) or any(one_edit(_first(bare), w) for w in self._openers)

    def body(self, texts: tuple[str, ...]) -> Body:
        found = self.bodies.get(texts)
        if found is None:
            found = self._parse(texts)
            if len(self.bodies) >= _BODIES:
                self.bodies.clear()
            self.bodies[texts] = found
        return found

    def _parse(self, texts: tuple[str, ...]) -> Body:
        clean = [not (unfilled(t) or empty_word(t)) for t in texts]
        fed = [i for i, ok in enumerate(clean) if ok]
        claims: dict[int, list[Said]] = {}
        if self.template is not None and fed:
            for at, said in zip(fed, self.template.claim([texts[i] for i in fed]), strict=True):
                claims[at] = [Said(s.group, s.values, at) for s in said]
        said_all: list[Said] = []
        problems: list[tuple[int, RemarkKind, str, str]] = []
        other = 0
        for at, text in enumerate(texts):
            if not clean[at]:
                problems.append((at, RemarkKind.RESIDUE, _NEVER_FILLED, "a value"))
                continue
            found = claims.get(at) or self._taken_back(text, at)
            if found:
                said_all += found
                continue
            if not self.is_qos(text):
                other += 1
                continue
            missing = self.template.gap(text) if self.template is not None else None
            if missing:
                problems.append((at, RemarkKind.RESIDUE, f"the {missing.replace('_', ' ')} is missing", "a value"))
            else:
                problems.append((at, RemarkKind.UNCLAIMED, "line not understood", ""))
        return Body(texts, tuple(said_all), tuple(problems), other)

    def _taken_back(self, text: str, at: int) -> list[Said]:
        negated, rest = _bare(text, self._negation)
        if not negated or not rest or self.template is None:
            return []
        return [Said(group, values, at, negated) for group, values in self.template.negation(rest)]


class Reader:
    """Reads configurations of one NOS. Keeps compiled templates and parsed bodies; holds nothing of a file."""

    def __init__(self, nos: Nos, names: NameOf | None = None) -> None:
        self.nos = nos
        self._names = names or (lambda _path, _names: None)
        self._words = QosWords(nos.qos_words)
        self._levels: dict[tuple[str, ...], _Level] = {}
        self._root = next((b for b in nos.blocks if b.path == ()), BlockSpec((), qos="words"))
        self._split = self._splitter()

    def _splitter(self) -> Callable[[str], Tree]:
        """How text of this NOS's syntax becomes a tree."""
        nos = self.nos
        if nos.syntax in ("junos", "yang", "inline"):
            from xoff.nos import inlinetext, junostext, yangtext  # cost the other NOSes nothing

            grammar = junostext.Grammar(nos.blocks, lambda spec: self.level(spec).template)
            if nos.syntax == "inline":
                return lambda text: inlinetext.split(text, grammar, nos.comment, nos.opaque)
            syntax = junostext if nos.syntax == "junos" else yangtext
            return lambda text: syntax.split(text, grammar, nos.opaque)
        return lambda text: split(text, nos.comment, nos.opaque, nos.separator)

    def read(self, source: Source) -> Reading:
        """Split and read one file. Raises InputError where its syntax lets it grow beyond all bounds (groups in Junos)."""
        try:
            tree = self._split(source.text)
        except InputError as e:
            raise InputError(source.path, e.line, e.message) from e
        run = _Run(self, source)
        root = run.block(self._root, "", [tree.root], (), (), {}, ())
        spans = sum(s.last - s.first + 1 for s in tree.spans)
        run.problems(root)
        return Reading(source, tree, root, run.remarks, run.other + spans)

    def level(self, spec: BlockSpec) -> _Level:
        found = self._levels.get(spec.path)
        if found is None:
            found = self._levels[spec.path] = _Level(spec, self.nos, self._words)
        return found

    def names(self, path: str, names: Sequence[str]) -> tuple[str, ...] | None:
        return self._names(path, names)

    @property
    def words(self) -> QosWords:
        return self._words


class _Run:
    """One file's worth of state."""

    def __init__(self, reader: Reader, source: Source) -> None:
        self.reader = reader
        self.source = source
        self.other = 0
        self.remarks = Remarks()
        self._expanded = 0

    def block(
        self,
        spec: BlockSpec,
        header: str,
        nodes: Sequence[Node],
        cause: tuple[str, ...],
        names: tuple[str, ...],
        values: Mapping[str, str],
        ports: tuple[str, ...],
    ) -> Block:
        level = self.reader.level(spec)
        texts: list[str] = []
        lines: list[int] = []
        identity: dict[str, list[tuple[str, int, str]]] = {}
        inner: dict[tuple[tuple[str, ...], str, tuple[str, ...]], tuple[_Header, list[Node]]] = {}
        acts = level._acts
        for piece in nodes:
            for node in piece.children:
                text = node.text
                act = acts.get(text) or level.act(text)
                if isinstance(act, _Header):
                    self._header(act, node, inner)
                elif node.children:
                    self._unknown(level, node, cause, ports)
                elif act is _FEED:
                    texts.append(text)
                    lines.append(node.line)
                elif act is _OTHER:
                    self.other += 1
                elif isinstance(act, _Do):
                    self._residue(node, cause, ports)
                else:
                    name, value, masked = act
                    identity.setdefault(name, []).append((value, node.line, masked))
        block = Block(
            spec, header, nodes[0].line, cause, names, values, level.body(tuple(texts)), tuple(lines), identity, ports
        )
        self.other += block.body.other
        for (_, shown, own), (head, pieces) in inner.items():
            child_ports = ports or (self.reader.names(head.spec.path[-1], own) or ())
            block.children.append(self.block(head.spec, pieces[0].text, pieces, (*cause, shown), own, head.values, child_ports))
        return block

    def _header(
        self,
        head: _Header,
        node: Node,
        inner: dict[tuple[tuple[str, ...], str, tuple[str, ...]], tuple[_Header, list[Node]]],
    ) -> None:
        if head.spec.opaque or head.spec.ignore:
            self.other += 1 + sum(1 for _ in below(node))
            if head.spec.opaque:
                return
        several = self.reader.names(head.spec.path[-1], head.names)
        if several is not None and len(several) > 1:
            self._expanded += len(several)
            if self._expanded > _EXPANDED:
                several = None
        for own in [head.names] if several is None else [(n, *head.names[1:]) for n in several]:
            pieces = inner.setdefault((head.spec.path, head.cause, own), (head, []))[1]
            # An ignored block keeps its name (it may be referred to), not its content.
            pieces.append(Node(node.line, node.text) if head.spec.ignore else node)

    def _unknown(self, level: _Level, node: Node, cause: tuple[str, ...], ports: tuple[str, ...]) -> None:
        """A header that no path knows: reported whole where QoS is concerned, never parsed."""
        count, last = 1, node.line
        qos = level.is_qos(node.text)
        for inner in below(node):
            count, last = count + 1, inner.line
            qos = qos or (level.spec.qos == "words" and self.reader.words.exact(_bare(inner.text, self.reader.nos.negation)[1]))
        if unfilled(node.text):
            self._residue(node, cause, ports)
        elif qos:
            message = "block not understood, nothing in it was read"
            at = FileLine(self.source.path, node.line, last)
            self.remarks.add(RemarkKind.UNCLAIMED, cause, node.text, at, message, "", ports)
        else:
            self.other += count

    def _residue(self, node: Node, cause: tuple[str, ...], ports: tuple[str, ...]) -> None:
        at = FileLine(self.source.path, node.line)
        self.remarks.add(RemarkKind.RESIDUE, cause, node.text, at, _NEVER_FILLED, "a value", ports)

    def problems(self, root: Block) -> None:
        """Turn the problems of all bodies into remarks."""
        stack = [root]
        while stack:
            block = stack.pop()
            for index, kind, message, expected in block.body.problems:
                at = FileLine(self.source.path, block.lines[index])
                self.remarks.add(kind, block.cause, block.body.texts[index], at, message, expected, block.ports)
            stack.extend(reversed(block.children))


def _bare(text: str, negation: Sequence[str]) -> tuple[str, str]:
    """(`no`, `default` or whatever the NOS takes statements back with, or empty; the rest)."""
    for word in negation:
        if text.startswith(word) and text[len(word) : len(word) + 1] in (" ", "\t"):
            return word, text[len(word) :].lstrip(" \t")
    return "", text


def _first(text: str) -> str:
    """The first word; empty where the line is made of blanks that only Unicode knows."""
    return (text.split(None, 1) or [""])[0]


@functools.cache
def _header_pattern(path: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    out: list[str] = []
    kinds: list[str] = []
    for token in path.split():
        if token == "**":
            out.append(r"(\S.*?)")
            kinds.append("*")
        elif token == "*":
            out.append(r"(\S+)")
            kinds.append("*")
        elif token.startswith("{"):
            out.append(r"(\S+)")
            kinds.append(token[1:-1])
        else:
            out.append(re.escape(token))
            continue
    return re.compile(r"[ \t]+".join(out)), tuple(kinds)


def _as_header(spec: BlockSpec, kinds: Sequence[str], groups: Sequence[str]) -> _Header:
    names = tuple(g for k, g in zip(kinds, groups, strict=True) if k == "*")
    values = {k: g for k, g in zip(kinds, groups, strict=True) if k != "*"}
    cause = " ".join("*" if t == "**" else values.get(t[1:-1], t) if t.startswith("{") else t for t in spec.path[-1].split())
    return _Header(spec, cause, names, values)
