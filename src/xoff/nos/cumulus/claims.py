"""Leaves meet the templates of nos.yaml: which template line claims a leaf, and what becomes of those that none claims."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from pathlib import Path

from xoff.model.origin import FileLine, Line
from xoff.model.record import dataclass
from xoff.model.switch import RemarkKind
from xoff.nos.linetemplate import LineTemplate, load_template
from xoff.nos.nvue.leaf import Leaf
from xoff.nos.registry import BlockSpec, Nos
from xoff.nos.remarks import Remarks
from xoff.nos.wording import QosWords, empty_word, unfilled


@dataclass(frozen=True, slots=True)
class Claim:
    """One leaf, claimed. `path`: its block with names as `*`; `text`: the rest of its words; `name`: what stood for the `*`."""

    leaf: Leaf
    group: str
    values: dict[str, str]
    path: tuple[str, ...]
    text: str
    name: str
    file: str

    @property
    def at(self) -> FileLine:
        return FileLine(self.file, self.leaf.line, self.leaf.end_line)

    def line(self, text: str, *path: str) -> Line:
        """The place of the leaf; `text` and `path` are free of names."""
        return Line(path or self.path, text, self.at)


class Claims:
    """Claims the leaves of one file. Blocks, templates and QoS context come from nos.yaml."""

    def __init__(self, nos: Nos, file: str, remarks: Remarks) -> None:
        self.nos, self.file, self.remarks = nos, file, remarks
        self.other = 0
        self._specs = {spec.path: spec for spec in nos.blocks}

    def of(self, leaves: Iterable[Leaf], whole: str = "") -> Iterator[Claim]:
        """Claims in the order of the leaves. whole: the block that the whole file is (a flat file)."""
        placed = [(leaf, *self._place(leaf, whole)) for leaf in leaves]
        texts: dict[int, dict[str, None]] = {}
        blocks: dict[int, BlockSpec] = {}
        for _, spec, _, text, _ in placed:
            texts.setdefault(id(spec), {})[text] = None
            blocks[id(spec)] = spec
        said: dict[tuple[int, str], tuple[str, dict[str, str]] | None] = {}
        empty: set[tuple[int, str]] = set()
        for key, found in texts.items():
            template = _template(self.nos.folder, blocks[key].template)
            lines = list(found)
            claimed = template.claim(lines) if template is not None else [[] for _ in lines]
            for text, of in zip(lines, claimed, strict=True):
                said[key, text] = (of[-1].group, dict(of[-1].values)) if of else None
                if unfilled(text) or (blocks[key].qos == "all" and empty_word(text)):
                    empty.add((key, text))
        for leaf, spec, path, text, name in placed:
            if (id(spec), text) in empty or unfilled(name):
                self._remark(RemarkKind.RESIDUE, path, text, leaf, "template output that was never filled in", "a value")
                continue
            claim = None if leaf.spaced else said[id(spec), text]
            if claim is not None:
                yield Claim(leaf, claim[0], claim[1], path, text, name, self.file)
            elif leaf.verb not in ("set", "add") or not self._concerns(spec, text):
                self.other += 1
            else:
                self._remark(RemarkKind.UNCLAIMED, path, text, leaf, "line not understood", "")

    def strange(self, lines: Iterable[tuple[int, str]]) -> None:
        """Lines that are no command: reported where they look like QoS."""
        words = _words(self.nos.qos_words)
        for number, text in lines:
            if unfilled(text):
                self._remark(
                    RemarkKind.RESIDUE, (), text, Leaf((text,), number), "template output that was never filled in", "a value"
                )
            elif words.near(text) or words.near(text.removeprefix("set ")):
                self._remark(RemarkKind.UNCLAIMED, (), text, Leaf((text,), number), "line not understood", "")
            else:
                self.other += 1

    def bad(self, claim: Claim, message: str, expected: str, ports: tuple[str, ...] = ()) -> None:
        """A value that the NOS cannot mean (CFG004)."""
        self.remarks.add(RemarkKind.INVALID, claim.path, claim.text, claim.at, message, expected, ports)

    def _remark(self, kind: RemarkKind, path: tuple[str, ...], text: str, leaf: Leaf, message: str, expected: str) -> None:
        self.remarks.add(kind, path, text, FileLine(self.file, leaf.line, leaf.end_line), message, expected)

    def _concerns(self, spec: BlockSpec, text: str) -> bool:
        return spec.qos == "all" or (spec.qos == "words" and _words(self.nos.qos_words).near(text))

    def _place(self, leaf: Leaf, whole: str) -> tuple[BlockSpec, tuple[str, ...], str, str]:
        """(block, its path with names as `*`, the rest of the words, the name)."""
        words = leaf.words
        specs = self._specs
        if whole:
            return specs[(whole,)], (whole,), leaf.text, ""
        if words[0] == "interface" and len(words) > 1:
            if len(words) > 2 and words[2] == "qos":
                return specs[("interface *", "qos")], ("interface *", "qos"), " ".join(words[3:]), words[1]
            return specs[("interface *",)], ("interface *",), " ".join(words[2:]), words[1]
        if words[0] in ("qos", "net") and len(words) > 1:
            return specs[(words[0],)], (words[0],), " ".join(words[1:]), ""
        return specs[()], (), leaf.text, ""


@functools.lru_cache(maxsize=4)
def _words(phrases: tuple[str, ...]) -> QosWords:
    return QosWords(phrases)


def _template(folder: Path, name: str | None) -> LineTemplate | None:
    return None if name is None else load_template(folder / "parse" / name)
