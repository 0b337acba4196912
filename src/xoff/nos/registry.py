"""Which NOSes there are, what their nos.yaml says, and which one a file belongs to.

There is no list to edit: the folders of templates/ are scanned.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from types import ModuleType
from typing import Any

from xoff.data import TEMPLATES, parsed
from xoff.errors import UsageError
from xoff.model.origin import Default, Evidence
from xoff.model.record import dataclass
from xoff.nos import yaml12
from xoff.nos.splitter import Opaque

#: A file is claimed from this sum of weights on.
CLAIM = 10
#: From here on no other system is asked whether the file is its own.
CERTAIN = 50
#: Characters of a file that detection looks at: the first part first, all of it where that does not settle the matter.
_GLANCE, _LOOK = 16 * 1024, 256 * 1024
#: What detection needs; the rest of nos.yaml stays unread until the NOS is used.
_HEAD = frozenset({"kind", "name", "title", "aliases", "detect", "syntax"})


@dataclass(frozen=True, slots=True)
class Sign:
    """One thing by which a file is recognised. A negative weight speaks against. `on`: `text` or `path`.

    `literal`: text that every match begins with, blanks apart; most files do not hold it, and then the pattern is not even
    compiled. There are hundreds of signs.
    """

    pattern: str
    why: str
    weight: int
    on: str = "text"
    literal: str = ""

    def seen(self, path: str, text: str) -> bool:
        """Whether a file has it. A newline stands in front of `text`."""
        if self.on == "path":
            return re.search(self.pattern, path) is not None
        return self.literal in text and _compiled(self.pattern).search(text) is not None


@dataclass(frozen=True, slots=True)
class Detection:
    """Whose file it is. `supported` False: recognised as another NOS (or host tool) that cannot be read yet."""

    nos: str
    title: str
    why: str
    score: int
    supported: bool = True


@dataclass(frozen=True, slots=True)
class Structure:
    """How the NOS's own statements relate, on which every reading rests."""

    text: str
    evidence: Evidence
    source: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class Can:
    """A field of the model that the NOS can express: the smallest thing it holds for, and the step of its numbers."""

    scope: str
    granularity: str | int | None
    evidence: Evidence
    source: str


@dataclass(frozen=True, slots=True)
class Cannot:
    why: str
    source: str


@dataclass(frozen=True, slots=True)
class Implicit:
    """A value that holds where nothing is said. `when` empty: always."""

    when: Mapping[str, str]
    value: Any
    evidence: Evidence
    source: str

    def origin(self, note: str) -> Default:
        return Default(note, self.evidence, self.source)


@dataclass(frozen=True, slots=True)
class BlockSpec:
    """How blocks of one path are read.

    `path`: one pattern per level (`*` one token, `**` the rest, `{x}` one token that is a value, no name); () is the root.
    `qos`: `all` every unclaimed line is reported, `words` those with a QoS word, `none` no line. `opaque`: kept, never read;
    `ignore`: nothing below belongs to the model. `identity`: patterns with named groups of lines that differ from port to
    port without meaning for QoS.
    """

    path: tuple[str, ...]
    template: str | None = None
    qos: str = "none"
    opaque: bool = False
    ignore: bool = False
    identity: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Nos:
    """One folder of templates/. See CONTRIBUTING for what each key means."""

    name: str
    title: str
    kind: str
    folder: Path
    aliases: tuple[str, ...] = ()
    netmiko: str | None = None
    maturity: str = ""
    syntax: str = ""
    comment: tuple[str, ...] = ()
    separator: str | None = None  # a line of nothing else ends the blocks before it (VRP, Comware: #)
    negation: tuple[str, ...] = ("no", "default")  # words that take a statement back
    units: Mapping[str, Any] = field(default_factory=dict)
    structure: tuple[Structure, ...] = ()
    can: Mapping[str, Can] = field(default_factory=dict)
    cannot: Mapping[str, Cannot] = field(default_factory=dict)
    defaults: Mapping[str, tuple[Implicit, ...]] = field(default_factory=dict)
    bundle_qos: Mapping[str, str] = field(default_factory=dict)
    blocks: tuple[BlockSpec, ...] = ()
    qos_words: tuple[str, ...] = ()
    opaque: tuple[Opaque, ...] = ()
    entry: Mapping[str, Any] = field(default_factory=dict)
    watchdog: Mapping[str, Any] = field(default_factory=dict)
    name_pattern: str | Mapping[str, str] = ""  # one for all names, or one by kind: hostname, port

    @property
    def kilo(self) -> int | None:
        """Bytes in the NOS's own K: 1000, 1024, or None where no source says."""
        found = self.units.get("kilo")
        return found if isinstance(found, int) else None

    def default(self, path: str, **context: str | None) -> Implicit | None:
        """The first implicit value of `path` whose conditions hold in `context`; None: not known."""
        for entry in self.defaults.get(path, ()):
            if all(context.get(k) == v for k, v in entry.when.items()):
                return entry
        return None

    def relies_on(self, key: str) -> bool:
        """Whether the structure named `key` may be used: it is there and not merely recalled."""
        return any(s.key == key and s.evidence is not Evidence.RECALLED for s in self.structure)


def names() -> tuple[str, ...]:
    """Names of all NOSes (kind `nos`), sorted."""
    return tuple(sorted(n for n, (head, _) in _heads(TEMPLATES).items() if head.get("kind", "nos") == "nos"))


def load(name: str) -> Nos:
    """The NOS of that name or alias. Raises UsageError with the nearest names if there is none."""
    return _load(TEMPLATES, name.strip().lower())


def module(nos: Nos | str) -> ModuleType:
    """`xoff.nos.<name>`: the code that turns groups into a model."""
    return importlib.import_module(f"xoff.nos.{nos if isinstance(nos, str) else nos.name}")


def detect(path: str, text: str) -> Detection | None:
    """Whose file this is, by its content; None: nobody's that we know.

    The highest sum of weights wins if it reaches CLAIM and is not shared by two.
    """
    for length in (_GLANCE, _LOOK):
        head = "\n" + text[:length]
        own = [_judge(who, data, path, head) for who, (data, _) in _heads(TEMPLATES).items()]
        best, *rest = sorted((d.score for d in own), reverse=True) or [0]
        if len(text) <= length or (best >= CERTAIN and all(score < CLAIM for score in rest)):
            break
    if best < CERTAIN:
        # Only then is it worth asking whether it belongs to a system that cannot be read.
        own += [_judge(who, data, path, head) for who, data in _others(TEMPLATES).items()]
    claims = sorted((d for d in own if d.score >= CLAIM), key=lambda d: -d.score)
    if not claims or (len(claims) > 1 and claims[0].score == claims[1].score):
        return None
    return claims[0]


def _judge(who: str, data: Mapping[str, Any], path: str, text: str) -> Detection:
    score, why = 0, []
    for sign in _signs(TEMPLATES, who):
        if sign.seen(path, text):
            score += sign.weight
            if sign.weight > 0:
                why.append(sign.why)
    return Detection(who, str(data.get("title", who)), "; ".join(why), score, "_unsupported" not in data)


# --- reading nos.yaml -------------------------------------------------------------------------------------------------


@functools.cache
def _heads(root: Path) -> dict[str, tuple[dict[str, Any], Path]]:
    """Name -> (head of nos.yaml, the file)."""
    found: dict[str, tuple[dict[str, Any], Path]] = {}
    for file in sorted(root.glob("*/nos.yaml")):
        head = parsed(file, lambda text: yaml12.load(_head(text)), "head") or {}
        found[str(head.get("name", file.parent.name))] = (head, file)
    return found


def _head(text: str) -> str:
    """The top-level sections that detection needs, cut out by their names so that the rest need not be parsed."""
    starts = [(m.start(), m.group(1)) for m in re.finditer(r"^(\w+):", text, re.M)]
    ends = [at for at, _ in starts[1:]] + [len(text)]
    return "".join(text[at:end] for (at, name), end in zip(starts, ends, strict=True) if name in _HEAD)


@functools.cache
def _others(root: Path) -> dict[str, dict[str, Any]]:
    """Systems that are recognised and cannot be read; a NOS that has come since speaks for itself."""
    file = root / "unsupported.yaml"
    found = parsed(file, yaml12.load) if file.is_file() else []
    return {e["name"]: {**e, "_unsupported": True} for e in found or [] if e["name"] not in _heads(root)}


@functools.cache
def _signs(root: Path, who: str) -> tuple[Sign, ...]:
    heads = _heads(root)
    entries = (heads[who][0] if who in heads else _others(root)[who]).get("detect") or []
    return tuple(Sign(e["pattern"], e["why"], int(e["weight"]), e.get("on", "text"), _literal(e["pattern"])) for e in entries)


def _literal(pattern: str) -> str:
    """The text that every match of the pattern begins with, after blanks at the start of a line; "" where there is none."""
    if _alternatives(pattern):
        return ""
    rest = re.sub(r"^(?:\^|\\A)?(?:\\s[*+])?", "", pattern)
    plain = re.match(r"""[\w "'!#:/<>=-]*""", rest)[0]  # type: ignore[index]
    return plain[:-1] if rest[len(plain) :].startswith(("?", "*", "{")) else plain


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """The pattern of a sign, as `detect` uses it: on text with a newline put in front.

    `^x` becomes a newline and x: a search then jumps from newline to newline, where `^` is tried at each character. Blanks at
    the start of a line are those of this line, taken whole (`++`); as `\\s` they would run over empty lines, again from each.
    """
    pattern = pattern.replace(r"\A", r"\A\n")
    if pattern.startswith("^") and not _alternatives(pattern):
        pattern = r"\n" + re.sub(r"^\\s([*+])", r"[ \\t]\1+", pattern[1:])
    return re.compile(pattern, re.M)


def _alternatives(pattern: str) -> bool:
    """Whether a `|` stands outside all groups, so that the beginning is not that of the whole."""
    depth = 0
    for token in re.findall(r"\\.|\[\^?\]?(?:\\.|[^\]])*\]|[()|]", pattern):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if token == "|" and depth == 0:
            return True
    return False


@functools.cache
def _load(root: Path, name: str) -> Nos:
    heads = _heads(root)
    for own, (head, file) in heads.items():
        if name == own or name in (head.get("aliases") or []):
            return build(parsed(file, yaml12.load), root / own)
    import difflib

    known = sorted({*heads, *(a for head, _ in heads.values() for a in head.get("aliases") or [])})
    near = difflib.get_close_matches(name, known, 3)
    hint = f"; did you mean {' or '.join(near)}?" if near else f"; known: {', '.join(known)}"
    raise UsageError(f"no NOS is called {name!r}{hint}")


def build(data: Mapping[str, Any], folder: Path) -> Nos:
    """A Nos from the content of nos.yaml. Keys are not checked here; `nos_schema.problems` does that in a test."""
    return Nos(
        name=data["name"],
        title=data.get("title", data["name"]),
        kind=data.get("kind", "nos"),
        folder=folder,
        aliases=tuple(data.get("aliases") or ()),
        netmiko=data.get("netmiko"),
        maturity=data.get("maturity", ""),
        syntax=data.get("syntax", ""),
        comment=tuple(data.get("comment") or ()),
        separator=data.get("separator"),
        negation=tuple(data.get("negation") or ("no", "default")),
        units=data.get("units") or {},
        structure=tuple(
            Structure(s["text"], Evidence(s["evidence"]), s["source"], s.get("key", "")) for s in data.get("structure") or ()
        ),
        can={
            k: Can(v["scope"], v.get("granularity"), Evidence(v["evidence"]), v["source"])
            for k, v in (data.get("can") or {}).items()
        },
        cannot={k: Cannot(v["why"], v["source"]) for k, v in (data.get("cannot") or {}).items()},
        defaults={
            k: tuple(Implicit(e.get("when") or {}, e["value"], Evidence(e["evidence"]), e["source"]) for e in v)
            for k, v in (data.get("defaults") or {}).items()
        },
        bundle_qos=data.get("bundle_qos") or {},
        blocks=tuple(spec for entry in data.get("blocks") or () for spec in _blocks(entry)),
        qos_words=tuple(data.get("qos_words") or ()),
        opaque=tuple(
            Opaque(re.compile(o["start"]), o.get("end"), o.get("what", "opaque text")) for o in data.get("opaque") or ()
        ),
        entry=data.get("entry") or {},
        watchdog=data.get("watchdog") or {},
        name_pattern=data.get("name_pattern", ""),
    )


def _blocks(entry: Mapping[str, Any]) -> list[BlockSpec]:
    paths = entry["path"] if isinstance(entry["path"], list) else [entry["path"]]
    return [
        BlockSpec(
            path=() if path == "root" else tuple(part.strip() for part in path.split(" > ")),
            template=entry.get("template"),
            qos=entry.get("qos", "none"),
            opaque=bool(entry.get("opaque")),
            ignore=bool(entry.get("ignore")),
            identity=tuple(entry.get("identity") or ()),
        )
        for path in paths
    ]
