"""TTP templates, read line by line: each template line claims whole lines of one block and says which it claimed.

TTP knows no line numbers and drops what it does not match. So each template line gets, on loading, one more capture at its
end: the number that the reader puts behind each line it feeds. That capture also carries what `set` would have set, because
TTP drops `set` without a word on any line that captures something. Macros, lookups and the like are refused: they share one
module-global in TTP and give wrong values as soon as two templates are in use.
"""

from __future__ import annotations

import functools
import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from xoff.data import cache_folder
from xoff.errors import UsageError
from xoff.model.record import dataclass

_CAPTURE = re.compile(r"\{\{\s*(.*?)\s*\}\}")
_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
_RE_CALL = re.compile(r're\(\s*"([A-Za-z_][A-Za-z0-9_]*)"\s*\)\Z')
_SET_CALL = re.compile(r'set\(\s*"([^"|{}]*)"\s*\)\Z')
#: TTP's own patterns that a capture may name; one token where nothing is named.
_BUILT_IN = {"WORD": r"\S+", "DIGIT": r"\d+", "PHRASE": r"\S+(?: +\S+)+", "ORPHRASE": r"\S+(?: +\S+)*"}
#: Texts of which it is remembered what they say.
_CLAIMS = 16384
#: Parsers per template before all its lines are compiled into one.
_PARSERS = 3
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Said:
    """What one line of a block says. `index` counts the fed lines of the block from 0.

    `group`: the template group's name. `negated`: `no` or `default` where the line takes such a statement back; `values`
    then holds what the line names, which may be a part only.
    """

    group: str
    values: Mapping[str, str]
    index: int
    negated: str = ""


@dataclass(frozen=True, slots=True)
class TemplateLine:
    """One line of a template. `parts`: literal text and (name, pattern) captures in turn; `sets`: values it stands for."""

    group: str
    number: int
    text: str
    parts: tuple[str | tuple[str, str, str], ...]
    sets: tuple[tuple[str, str], ...]

    @property
    def names(self) -> frozenset[str]:
        """Names of all values that a claimed line must have."""
        return frozenset([p[0] for p in self.parts if not isinstance(p, str)] + [n for n, _ in self.sets])

    @property
    def first_word(self) -> str | None:
        """The literal word that the line begins with; None where it begins with a capture, or one is glued to that word."""
        first = self.parts[0]
        words = first.split() if isinstance(first, str) else []
        glued = len(words) == 1 and len(self.parts) > 1 and not str(first)[-1].isspace()
        return words[0] if words and not glued else None


class LineTemplate:
    """A parsed .ttp file. TTP is imported, and a template line compiled, when the first text looks like it."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.lines = tuple(_read(file, text))
        self._vars = _vars(file, text)
        self._lock = threading.Lock()
        self._claims: dict[str, list[Said]] = {}
        #: Compiled parsers with the template lines that each holds. A line is compiled when text first looks like it.
        self._parsers: list[tuple[frozenset[int], Any]] = []
        self._starts: dict[str, list[tuple[str, int]]] = {}
        for number, line in enumerate(self.lines):
            head = str(line.parts[0]).split() if line.first_word is not None else []
            self._starts.setdefault(line.first_word or "", []).append((" ".join(head), number))
        self._negations: list[tuple[str, re.Pattern[str]]] | None = None
        self._gaps: list[tuple[str, re.Pattern[str]]] | None = None
        self._wholes: dict[str | None, list[re.Pattern[str]]] | None = None
        words = [line.first_word for line in self.lines]
        #: First words of all template lines; None: a line may begin with anything.
        self.first_words: frozenset[str] | None = None if None in words else frozenset(w for w in words if w)

    def claim(self, texts: Sequence[str]) -> list[list[Said]]:
        """For each text what it says; an empty list where no template line claims it.

        Texts are single lines without indentation. A line that TTP matched only in part (a value missing) is not claimed.
        """
        with self._lock:
            # What a line says depends on nothing but the line: TTP sees each text once, in however many bodies it stands.
            new = [t for t in dict.fromkeys(texts) if t not in self._claims]
            if new:
                if len(self._claims) > _CLAIMS:
                    self._claims.clear()
                    new = list(dict.fromkeys(texts))
                self._claims.update(zip(new, self._claim(new), strict=True))
            return [[Said(s.group, s.values, i) for s in self._claims[t]] for i, t in enumerate(texts)]

    def _claim(self, texts: Sequence[str]) -> list[list[Said]]:
        """`claim`, by TTP."""
        out: list[list[Said]] = [[] for _ in texts]
        rows = [f"{t} @{i}" for i, t in enumerate(texts) if not _CONTROL.search(t)]
        if not rows:
            return out
        # TTP opens input that is a path. A NUL in front keeps text from a device from ever being one.
        data = "\0\n" + "\n".join(rows) + "\n"
        wanted = self._wanted(texts)
        self._compile(wanted)
        for lines, parser in self._parsers:
            if not lines & wanted:
                continue
            parser.set_input(data=data)
            parser.parse(one=True)
            for result in parser.result(structure="flat_list"):
                for records in result.values():
                    for record in records if isinstance(records, list) else [records]:
                        self._keep(record, out)
            parser.clear_result()
        return out

    def _wanted(self, texts: Sequence[str]) -> set[int]:
        """Template lines whose beginning is the beginning of one of the texts: only those can claim any."""
        wanted = {number for _, number in self._starts.get("", ())}
        for text in texts:
            words = text.split()
            starts = self._starts.get(words[0]) if words else None
            if starts:
                plain = " ".join(words)
                wanted.update(number for start, number in starts if plain.startswith(start))
        return wanted

    def _compile(self, wanted: set[int]) -> None:
        """See that each wanted line is in a parser: compiling is what costs, so what no input looks like is left out."""
        missing = wanted.difference(*(lines for lines, _ in self._parsers))
        if not missing:
            return
        if len(self._parsers) >= _PARSERS:
            # Line by line does not pay any more: all at once, and only one pass over each text from now on.
            self._parsers, missing = [], set(range(len(self.lines)))
        chosen = [(i, line) for i, line in enumerate(self.lines) if i in missing]
        self._parsers.append((frozenset(missing), _compile(chosen, self._vars)))

    def _keep(self, record: Mapping[str, Any], out: list[list[Said]]) -> None:
        at, which = record.get("_ln"), record.get("_t")
        if not isinstance(at, int) or not 0 <= at < len(out) or which is None:
            return
        line = self.lines[int(which)]
        values = {k: v for k, v in record.items() if not k.startswith("_")}
        if values.keys() >= line.names and all(isinstance(v, str) for v in values.values()):
            out[at].append(Said(line.group, values, at))

    def negation(self, rest: str) -> list[tuple[str, dict[str, str]]]:
        """Statements that `no <rest>` takes back: (group, values named), for each template line that `rest` begins or is."""
        if self._negations is None:
            self._negations = [(line.group, _prefix_pattern(line)) for line in self.lines]
        found: dict[str, dict[str, str]] = {}
        for group, pattern in self._negations:
            matched = pattern.fullmatch(rest)
            if matched and group not in found:
                found[group] = {k: v for k, v in matched.groupdict().items() if v is not None}
        return list(found.items())

    def knows(self, text: str) -> bool:
        """Whether the text is a line of the template, whole. By pattern alone, without TTP."""
        if self._wholes is None:
            self._wholes = {}
            for line in self.lines:
                self._wholes.setdefault(line.first_word, []).append(re.compile(_pattern(line.parts)))
        first = (text.split(None, 1) or [""])[0]
        return any(p.fullmatch(text) for key in (first, None) for p in self._wholes.get(key, ()))

    def gap(self, text: str) -> str | None:
        """The name of the value that is missing, where `text` is a template line with one capture left empty."""
        if self._gaps is None:
            self._gaps = [
                (skip[0], re.compile(_pattern(line.parts, without=i)))
                for line in self.lines
                for i, skip in enumerate(line.parts)
                if not isinstance(skip, str)
            ]
        for name, pattern in self._gaps:
            if pattern.fullmatch(text):
                return name
        return None


@functools.cache
def load_template(file: Path) -> LineTemplate:
    """Read a .ttp file. Raises UsageError where it holds more than groups, vars and plain line templates."""
    return LineTemplate(str(file), file.read_text(encoding="utf-8"))


# --- reading a template ------------------------------------------------------------------------------------------------


def _rows(file: str, text: str) -> Iterator[tuple[int, str, str]]:
    """(line number, section, text) for each line inside a group or vars; sections are group names or `<vars>`."""
    section = ""
    for number, row in enumerate(text.splitlines(), 1):
        line = row.strip()
        if not line or line.startswith("##"):
            continue
        opened = re.fullmatch(r'<group name="([a-z][a-z0-9_.]*)\*">', line)
        if opened or line == "<vars>":
            if section:
                raise UsageError(f"{file}:{number}: a section inside a section; close {section!r} first")
            section = opened.group(1) if opened else "<vars>"
        elif line in ("</group>", "</vars>"):
            if not section or (line == "</vars>") != (section == "<vars>"):
                raise UsageError(f"{file}:{number}: {line} closes nothing")
            section = ""
        elif line.startswith("<"):
            raise UsageError(f'{file}:{number}: only <vars> and <group name="x*"> may stand in a template, not {line}')
        elif not section:
            raise UsageError(f"{file}:{number}: text outside any group is lost by TTP; put it in a group")
        else:
            yield number, section, line
    if section:
        raise UsageError(f"{file}: section {section!r} is not closed")


def _vars(file: str, text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, section, line in _rows(file, text):
        if section == "<vars>":
            said = re.fullmatch(r'([A-Za-z_][A-Za-z0-9_]*)\s*=\s*r?"([^"]*)"', line)
            if said is None:
                raise UsageError(f'{file}:{number}: expected name = "pattern", found {line}')
            found[said.group(1)] = said.group(2)
    return found


def _read(file: str, text: str) -> Iterator[TemplateLine]:
    patterns = _vars(file, text)
    for number, section, line in _rows(file, text):
        if section == "<vars>":
            continue
        parts: list[str | tuple[str, str, str]] = []
        sets: list[tuple[str, str]] = []
        at = 0
        for capture in _CAPTURE.finditer(line):
            literal = line[at : capture.start()]
            if literal:
                parts.append(literal)
            at = capture.end()
            name, *steps = [step.strip() for step in capture.group(1).split("|")]
            if not _NAME.match(name):
                raise UsageError(f"{file}:{number}: {name!r} is no name for a value (lower case, no leading underscore)")
            fixed = _SET_CALL.match(steps[0]) if len(steps) == 1 else None
            if fixed:
                if line[at:].strip() and not _CAPTURE.fullmatch(line[at:].strip()):
                    raise UsageError(f"{file}:{number}: set() must stand at the end of the line")
                sets.append((name, fixed.group(1)))
                continue
            parts.append((name, *_capture(file, number, steps, patterns)))
        if line[at:]:
            parts.append(line[at:])
        if parts and isinstance(parts[-1], str):
            parts[-1] = parts[-1].rstrip()
        yield TemplateLine(section, number, line, tuple(p for p in parts if p), tuple(sets))


def _capture(file: str, number: int, steps: Sequence[str], patterns: Mapping[str, str]) -> tuple[str, str]:
    """(TTP's filter, the pattern it means) of a capture."""
    if not steps:
        return "WORD", _BUILT_IN["WORD"]
    if len(steps) == 1 and steps[0] in _BUILT_IN:
        return steps[0], _BUILT_IN[steps[0]]
    named = _RE_CALL.match(steps[0]) if len(steps) == 1 else None
    if named and named.group(1) in patterns:
        return f're("{named.group(1)}")', patterns[named.group(1)]
    raise UsageError(
        f'{file}:{number}: a capture may use {", ".join(_BUILT_IN)}, set("…") or re("name") with the pattern in <vars>, '
        f"not {' | '.join(steps)}"
    )


def _literal(text: str) -> str:
    return r"[ \t]+".join(re.escape(word) for word in re.split(r"[ \t]+", text))


def _pattern(parts: Sequence[str | tuple[str, str, str]], without: int | None = None) -> str:
    """The regular expression of a whole line; capture number `without` left empty, blanks around it collapsed."""
    kept = [p for i, p in enumerate(parts) if i != without]
    out = "".join(_literal(p) if isinstance(p, str) else f"(?:{p[2]})" for p in kept)
    return out.replace(r"[ \t]+[ \t]+", r"[ \t]+").removesuffix(r"[ \t]+")


def _prefix_pattern(line: TemplateLine) -> re.Pattern[str]:
    """Matches the line and each shorter form of it that ends after a word: what may stand behind `no`."""
    words: list[str] = []
    seen: set[str] = set()
    for part in line.parts:
        if isinstance(part, str):
            words += [re.escape(w) for w in part.split()]
        elif part[0] in seen:
            words.append(f"(?:{part[2]})")
        else:
            seen.add(part[0])
            words.append(f"(?P<{part[0]}>{part[2]})")
    out = ""
    for word in reversed(words[1:]):
        out = rf"(?:[ \t]+{word}{out})?"
    return re.compile(words[0] + out)


# --- compiling ---------------------------------------------------------------------------------------------------------


def _compile(lines: Sequence[tuple[int, TemplateLine]], patterns: Mapping[str, str]) -> Any:
    out = ["<vars>", *(f"{k} = {v!r}" for k, v in patterns.items()), "</vars>"] if patterns else []
    group = None
    for index, line in lines:
        if line.group != group:
            out += ["</group>"] if group else []
            out.append(f'<group name="{line.group}*">')
            group = line.group
        text = "".join(p if isinstance(p, str) else f"{{{{ {p[0]} | {p[1]} }}}}" for p in line.parts)
        lets = "".join(f' | let("{n}","{v}")' for n, v in line.sets)
        out.append(f'{_escape(text)} @{{{{ _ln | _start_ | _exact_ | to_int | let("_t","{index}"){lets} }}}}')
    out.append("</group>")
    with _private_cache():
        from ttp import ttp

        return ttp(template="\n" + "\n".join(out) + "\n", log_level="CRITICAL")


def _escape(text: str) -> str:
    # Not xml.sax.saxutils: importing that pulls in urllib.request and http.client, a fifth of a cold start.
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@contextmanager
def _private_cache() -> Iterator[None]:
    """TTP unpickles a cache of its function table; keep that file where only this user can write."""
    before = os.environ.get("TTPCACHEFOLDER")
    os.environ["TTPCACHEFOLDER"] = cache_folder("ttp") or _own_temporary()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TTPCACHEFOLDER"]
        else:
            os.environ["TTPCACHEFOLDER"] = before


@functools.cache
def _own_temporary() -> str:
    import atexit
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="xoff-ttp-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
