"""The door to rendering: a SwitchModel becomes the files of its NOS.

Three parts, kept apart: derive and sizing decide numbers, `<nos>/render.py` arranges the model as the NOS groups it (profiles,
maps, tables) and refuses what the NOS cannot say, `templates/<nos>/render/*.j2` hold the vendor's words and their order.
Everything comes from the model, so equal models give equal bytes. What is not written is said in `Rendered.notes`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xoff import data
from xoff.errors import CannotExpress, UsageError
from xoff.model.fields import DEVICE_FIELDS, PORT_FIELDS
from xoff.model.origin import Evidence
from xoff.model.record import dataclass
from xoff.model.switch import SwitchModel

if TYPE_CHECKING:
    from jinja2 import Environment

    from xoff.nos.registry import Nos

FORMS = ("running", "golden")
#: What one line may hold, whatever the NOS: no control characters, no separators that some reader takes for a line end.
_PRINTABLE = re.compile(r"[ -~]*")


class NoteKind(StrEnum):
    CANNOT = "cannot be said"  # in the model, with no line of this NOS (or form) for it
    UNVERIFIED = "unverified"  # written, but only a secondary source has the spelling or the choice
    DEVICE = "left to the device"  # the device computes it by itself
    CHOSEN = "as the intent says"  # no source settles it, the intent does
    DERIVED = "calculated"  # said by whoever made the model


@dataclass(frozen=True, slots=True)
class RenderNote:
    """Something a reader of the rendered file has to know. `what` names the field or line, `why` gives reason and source."""

    kind: NoteKind
    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}: {self.why}"


@dataclass(frozen=True, slots=True)
class Rendered:
    """The files of one switch: name (one path component) -> text, and what could not or not surely be expressed."""

    device: str
    files: Mapping[str, str]
    notes: tuple[RenderNote, ...] = ()


@dataclass(slots=True)
class Notes:
    """Collects notes in the order met, each once."""

    kept: dict[RenderNote, None] = field(default_factory=dict)

    def add(self, kind: NoteKind, what: str, why: str) -> None:
        self.kept.setdefault(RenderNote(kind, what, why))

    def unverified(self, what: str, why: str) -> None:
        self.add(NoteKind.UNVERIFIED, what, why)

    def __iter__(self) -> Any:
        return iter(self.kept)


def render(model: SwitchModel, nos: Nos, *, form: str = "running", known: Iterable[RenderNote] = ()) -> Rendered:
    """The configuration of one switch in its NOS's language. `form`: `running` or `golden` (SONiC: less what the device adds).

    `known`: notes that whoever made the model has for the reader of the file; they stand in its header too.

    Raises CannotExpress, naming field, port and reason, where the model asks for something that this NOS, platform or form has
    no words for and leaving it out would change what happens to packets; UsageError for a form that the NOS does not have.
    """
    if form not in FORMS:
        raise UsageError(f"there is no form {form!r}; use one of: {', '.join(FORMS)}")
    name = plain_name(nos, "hostname", model.hostname)
    for port in model.ports:
        plain_name(nos, "port", port)
    notes = Notes()
    for note in known:
        notes.add(note.kind, note.what, note.why)
    _fields_left_out(model, nos, notes)
    files = _builder(nos.name)(model, nos, form, notes)
    return Rendered(name, files, tuple(notes))


@lru_cache(maxsize=32)
def _builder(nos: str) -> Callable[[SwitchModel, Nos, str, Notes], dict[str, str]]:
    """`build` of `xoff.nos.<nos>.render`: (model, nos, form, notes) -> files."""
    from importlib import import_module
    from importlib.util import find_spec

    module = f"xoff.nos.{nos.replace('-', '_')}.render"
    if find_spec(module) is None:
        raise UsageError(f"xoff reads {nos} but does not render it yet")
    found: Callable[[SwitchModel, Nos, str, Notes], dict[str, str]] = import_module(module).build
    return found


def _fields_left_out(model: SwitchModel, nos: Nos, notes: Notes) -> None:
    """Say by name which values of the model have no line in this NOS (`cannot` of nos.yaml)."""
    for name, why in nos.cannot.items():
        of_port, of_device = PORT_FIELDS.get(name), DEVICE_FIELDS.get(name)
        if (of_port and any(_said(of_port(p)) for p in model.ports.values())) or (of_device and _said(of_device(model))):
            notes.add(NoteKind.CANNOT, name, f"{why.why} ({why.source})" if why.source else why.why)


def _said(values: Mapping[Any, Any]) -> bool:
    return any(v is not None and v is not False and v != frozenset() for v in values.values())


def plain_name(nos: Nos, kind: str, name: str) -> str:
    """`name` if this NOS can mean it; raises CannotExpress otherwise. `kind`: what it names."""
    given = nos.name_pattern
    pattern = (given if isinstance(given, str) else given.get(kind)) or r"[A-Za-z0-9][A-Za-z0-9._-]*"
    if not re.fullmatch(pattern, name) or ".." in name:
        raise CannotExpress(f"{kind} {name!r}: {nos.title} takes names like {pattern} only; rename it in the intent")
    return name


def one_line(text: str, what: str) -> str:
    """`text` if it is one line of printable ASCII; raises CannotExpress otherwise, so that nothing can slip a line in."""
    if not _PRINTABLE.fullmatch(text):
        raise CannotExpress(
            f"{what} {text!r} holds characters other than printable ASCII; a configuration line cannot carry it"
        )
    return text


def trusted(evidence: Evidence) -> bool:
    """Whether a spelling of this evidence is written without an `unverified` remark."""
    return evidence in (Evidence.READ, Evidence.COMPUTED)


@lru_cache(maxsize=32)
def environment(nos: str) -> Environment:
    """Jinja environment over templates/<nos>/render: sandboxed, undefined names are errors, every printed value is one line."""
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def finalize(value: Any) -> str:
        if value is None or isinstance(value, bool):
            raise CannotExpress(f"a template of {nos} prints {value!r} where a value belongs; this is a fault of the template")
        return one_line(str(value), "value")

    return ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(str(data.TEMPLATES / nos / "render")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=finalize,
    )


def header(nos: Nos, form_said: str, notes: Notes) -> list[str]:
    """What stands above every rendered file, one text per line: extent, order, how to enter it, at what cost."""
    entry = nos.entry
    said = "the whole configuration" if entry["whole"] else "a fragment; it adds to what the switch has and removes nothing"
    out = [
        f"Rendered by xoff from an intent. {form_said}",
        f"Extent: {said}",
        f"Order: {entry['order']}",
        f"Enter: {entry['how']}",
        f"Worst cost of entering: {entry['cost']}. {entry.get('why', '')}".rstrip(),
    ]
    return [_remark(text) for text in (*out, *map(str, notes))]


def _remark(text: str) -> str:
    """A remark in ASCII: typographic signs of our own texts are spelled out; what could end a line is refused."""
    for sign, plain in (
        ("\u2026", "..."),
        ("\u00d7", "x"),
        ("\u2192", "->"),
        ("\u2013", "-"),
        ("\u2265", ">="),
        ("\u2264", "<="),
    ):
        text = text.replace(sign, plain)
    return one_line("".join(c if c.isascii() or not c.isprintable() else "?" for c in text), "remark")
