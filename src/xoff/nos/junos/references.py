"""Junos: which objects are defined, what refers to them, and which remarks concern nothing in force."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from xoff.model.origin import Line
from xoff.model.switch import Definition, Form, Port, Reference, Remark, RemarkKind
from xoff.nos.junos import names
from xoff.nos.junos.bindings import Entries, lines_of, used_names
from xoff.nos.junos.family import Family
from xoff.nos.junos.objects import CLASS, CLASSIFIER, CNP, CONTROL, DROP, GROUP, MAP, REWRITE, SCHEDULER, Objects
from xoff.nos.reader import Block, Reading

#: What each kind of object would have filled, and the section that defines it.
KINDS = {
    CLASSIFIER: (("classify",), "classifiers"),
    CLASS: (("classify", "queue"), "forwarding-classes"),
    DROP: (("queue",), "drop-profiles"),
    SCHEDULER: (("queue", "scheduler"), "schedulers"),
    MAP: (("queue", "scheduler"), "scheduler-maps"),
    CNP: (("pfc", "group", "watchdog"), "congestion-notification-profile"),
    REWRITE: (("rewrite",), "rewrite-rules"),
    CONTROL: (("queue", "scheduler"), "traffic-control-profiles"),
}
_BOUND = {"map": MAP, "cnp": CNP, "class": CLASS, "control": CONTROL, "classifier": CLASSIFIER, "rewrite": REWRITE}
#: Classes that one family or another has by itself.
_SOMEWHERE = frozenset(
    {"best-effort", "be", "fcoe", "no-loss", "network-control", "nc", "mcast", "expedited-forwarding", "ef",
     "assured-forwarding", "af"}
)  # fmt: skip


class References:
    """Definitions and references of one configuration. `built_in`: classes that its family has by itself."""

    def __init__(
        self, reading: Reading, objects: Objects, entries: Entries, family: Family, form: Form, built_in: set[str]
    ) -> None:
        self.reading = reading
        self.objects = objects
        self.entries = entries
        self.family = family
        self.form = form
        o = objects
        self._known: Mapping[str, set[str]] = {
            CLASS: set(o.classes) | built_in,
            DROP: set(o.drops),
            SCHEDULER: set(o.schedulers),
            MAP: set(o.maps),
            CNP: set(o.pausing),
            CONTROL: set(o.controls),
        }

    def definitions(self) -> tuple[Definition, ...]:
        o = self.objects
        out = [Definition(CLASS, n, c.at) for n, c in o.classes.items()]
        out += [Definition(CLASSIFIER, n, c.at) for (_, n), c in o.classifiers.items()]
        out += [Definition(REWRITE, n, c.at) for (_, n), c in o.rewrites.items()]
        out += [Definition(DROP, n, d.at) for n, d in o.drops.items()]
        out += [Definition(SCHEDULER, n, s.at, marks="ecn" in s.values and bool(s.profiles)) for n, s in o.schedulers.items()]
        out += [Definition(MAP, n, at) for n, at in o.map_at.items()]
        out += [Definition(CONTROL, n, at) for n, (_, at) in o.controls.items()]
        out += [
            Definition(CNP, n, c.at, lossless=any(p.pfc is not None for p in c.points.values())) for n, c in o.pausing.items()
        ]
        return tuple(out)

    def references(self, ports: Mapping[str, Port]) -> tuple[Reference, ...]:
        """All references, in file order. `ports`: by name, for whom each binding is."""
        out = [self._reference(kind, name, line, ()) for kind, name, line in self.objects.used]
        out += [
            self._reference(CLASSIFIER, rows.imports[0], rows.imports[1], (), rows.kind)
            for rows in self.objects.classifiers.values()
            if rows.imports is not None and rows.imports[0] != "default"
        ]
        out += self._bindings(ports)
        out += self._groups()
        return tuple(sorted(out, key=lambda r: r.origin.at.line))

    def _groups(self) -> list[Reference]:
        root = self.reading.root
        known = {b.name for b in root.below("groups")}
        # In an excerpt without groups they may stand in the part that is not here.
        absent = False if self.form is Form.RUNNING or known else None
        return [
            Reference(GROUP, said.values["group"], self.reading.line(root, said), said.values["group"] in known or absent)
            for said in root.body.said
            if said.group == "apply_groups"
        ]

    def _bindings(self, ports: Mapping[str, Port]) -> list[Reference]:
        out: dict[tuple[str, str, str, tuple[str, ...]], tuple[Line, dict[str, None], str]] = {}
        for entry, part, what, name, index in used_names([*self.entries.own.values(), *self.entries.wild.values()]):
            kind, _, of = what.partition(".")
            text = part.body.texts[index]
            line = Line(part.cause, text, self.reading.at(part.lines[index]))
            meant = [entry.name] if entry.name in ports else []
            if names.is_wildcard(entry.name):
                meant += [n for n in ports if names.means(entry.name, n)]
            out.setdefault((_BOUND[kind], name, text, part.cause), (line, {}, of))[1].update(dict.fromkeys(meant))
        return [
            self._reference(kind, name, line, tuple(users), of)
            for (kind, name, _, _), (line, users, of) in out.items()
            if name != "default"
        ]

    def _reference(self, kind: str, name: str, line: Line, ports: tuple[str, ...], of: str = "") -> Reference:
        fills, section = KINDS[kind]
        tables = {CLASSIFIER: self.objects.classifiers, REWRITE: self.objects.rewrites}
        resolves: bool | None = (of, name) in tables[kind] if kind in tables else name in self._known[kind]
        elsewhere = self.form is Form.FRAGMENT and section not in self.objects.sections
        built_in = kind == CLASS and self.family.name not in ("qfx", "router") and name in _SOMEWHERE
        if not resolves and (elsewhere or built_in):
            resolves = None
        return Reference(kind, name, line, resolves, ports=ports, fills=fills)


def placed(remarks: list[Remark], references: tuple[Reference, ...], cos: Block | None) -> tuple[Remark, ...]:
    """Remarks in an object that nothing refers to are marked so; those in an interface's entry name the interface."""
    used = {(r.kind, r.name) for r in references}
    dead: set[int] = set()
    at: dict[int, str] = {}
    for section in cos.children if cos is not None else ():
        name = section.spec.path[-1].split()[0]
        kind = next((k for k, (_, s) in KINDS.items() if s == name), None)
        for child in section.children:
            if kind not in (None, CLASS) and child.names and (kind, child.name) not in used:
                dead.update(lines_of(child))
            elif name == "interfaces":
                at |= dict.fromkeys(lines_of(child), child.name)
    out = []
    for remark in remarks:
        line = remark.origin.at.line
        if remark.kind is RemarkKind.UNCLAIMED and line in dead:
            remark = replace(remark, reached=False)
        if line in at and not remark.ports:
            remark = replace(remark, ports=(at[line],))
        out.append(remark)
    return tuple(out)
