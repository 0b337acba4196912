"""Every value and reference of a configuration against the typed tables: impossible, unresolved, or unknown to us.

The generation of the file decides how references are judged. Up to 202106 a reference is `[TABLE|name]`, from 202111 a bare
name (db_migrator version_3_0_2 strips the brackets, sonic-utilities@691b1bbc scripts/db_migrator.py); a file in the old form
throughout is right on its release, a bracket among bare names resolves on none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from xoff.model.origin import FileLine, Line
from xoff.model.quantity import Fact, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Definition, Reference, RefProblem, Remark, RemarkKind
from xoff.nos.sonic.fills import REFERENCE_FILLS, value_fills
from xoff.nos.sonic.load import Config, Row, fold, folded_key, row_ports
from xoff.nos.sonic.schema import QUEUE_RANGE, TABLES, Field, Kind, Table
from xoff.nos.sonic.typed_tables import NOT_A_PORT, bare, range_kind, residue, split_key

_VERSION = re.compile(r"version_(\d+)_(\d+)(?:_(\d+))?$")
_RELEASE = re.compile(r"(20\d{4})")
#: Queues of Enterprise SONiC: multicast 10-17, those of the CPU port 0-24 (SONiC RoCEv2 HLD 2.2.7, 3.3.2.1).
_MORE_QUEUES = re.compile(r"(?:1?[0-9]|2[0-4])(?:-(?:1?[0-9]|2[0-4]))?")
#: Profiles that the buffer manager writes by itself: left over, they are litter, no forgotten policy.
_AUTOMATIC = re.compile(r"pg_lossless_\d+_\d+m_.*")
#: A table whose name has one of these in it is about QoS even if we do not know it.
_QOS_NAME = re.compile(r"QOS|PFC|WRED|ECN(?!MP)|BUFFER|SCHEDUL|QUEUE|DSCP|DOT1P|PRIORITY|TC_TO|_TO_TC|HEADROOM|LOSSLESS")
#: Known tables with such a word in their name that decide nothing about how packets are treated.
_NOT_QOS = frozenset({"QUEUE_COUNTER", "PFC_WD_STATE", "BUFFER_DROP", "PRIORITY_GROUP_COUNTER"})


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a reference leads to. `row` None and `unknown` set: nothing that can be read, and why."""

    name: str
    row: Row | None
    unknown: Unknown | None
    resolves: bool | None
    problem: RefProblem | None = None
    detail: str = ""


class Checker:
    """Judges one namespace. `fragment`: what is absent from the input may be elsewhere.

    `enterprise`: Enterprise SONiC's tables. Its own examples mix both forms of reference, and its queues are numbered on beyond
    those of unicast (multicast, CPU), so neither is held against a file.
    """

    def __init__(
        self, config: Config, fragment: bool, release: str | None, qos_words: Iterable[str] = (), enterprise: bool = False
    ) -> None:
        self.config, self.fragment, self.enterprise = config, fragment, enterprise
        self.old = self._old_generation(release)
        self._qos_words = tuple(w.upper() for w in qos_words)
        self._good: set[tuple[str, str]] = set()
        self._resolved: dict[tuple[tuple[str, ...], str], Resolved] = {}
        self._remarks: dict[tuple[str, ...], tuple[Remark, list[str], list[FileLine]]] = {}
        self._references: dict[tuple[str, ...], tuple[Reference, list[str]]] = {}

    # --- references ---------------------------------------------------------------------------------------------------

    def _old_generation(self, release: str | None) -> bool:
        """Whether references in brackets are right: by release, database version, else by what the file does throughout."""
        m = _RELEASE.search(release or "")
        if m:
            return int(m.group(1)) < 202111
        version = _VERSION.match(self.config.value("VERSIONS", "DATABASE", "VERSION") or "")
        if version:
            major, minor, build = (int(g or 0) for g in version.groups())
            if major > 1000 or (major, minor, build) >= (3, 0, 2):
                return False
        bracketed = bare_ones = 0
        for name, table in TABLES.items():
            refs = [f for f, spec in table.fields.items() if spec.ref]
            for row in self.config.rows(name).values() if refs else ():
                for f in refs:
                    value = row.fields.get(f)
                    if value and value not in table.fields[f].words:
                        if value.startswith("["):
                            bracketed += 1
                        else:
                            bare_ones += 1
        return bracketed > 0 and (version is not None or not bare_ones)

    def resolve(self, spec: Field, text: str) -> Resolved:
        """The row that a reference leads to on this release."""
        found = self._resolved.get((spec.ref, text))
        if found is None:
            found = self._resolved[spec.ref, text] = self._resolve(spec, text)
        return found

    def _resolve(self, spec: Field, text: str) -> Resolved:
        table, name = bare(text)
        target = spec.ref[0]
        if table is not None and table not in spec.ref:
            near = f"; the table is {target}"
            return self._broken(name, RefProblem.TABLE, f"{text} names a table {table} that this field cannot refer to{near}")
        if table is not None and not self.old and not self.enterprise:
            return self._broken(
                name,
                RefProblem.BRACKET,
                f"{text} is the form of 202106 and before; from 202111 on the bare name {name} is what resolves",
            )
        present = [t for t in spec.ref if t in self.config.tables]
        for t in present:
            row = self.config.row(t, name)
            if row is not None:
                return Resolved(name, row, None, True)
        for t in present:
            for other in self.config.rows(t):
                if other.lower() == name.lower():
                    return self._broken(name, RefProblem.CASE, f"{t} has {other}; names are told apart by case")
        if self.config.listed or (self.fragment and not present):
            why = Unknown(f"{name} of {target} is not in the input", Fact.CONFIG)
            return Resolved(name, None, why, None, detail=f"{target} is not in the input")
        return Resolved(name, None, Unknown(f"{target} has no {name}, so the reference leads nowhere"), False)

    @staticmethod
    def _broken(name: str, problem: RefProblem, detail: str) -> Resolved:
        return Resolved(name, None, Unknown(f"the reference to {name} does not resolve: {detail}"), False, problem, detail)

    def joined(self, row: Row) -> Resolved | None:
        """Why a key with several ports joined by commas reaches none of them; None where it does (or names one port).

        QUEUE and PORT_QOS_MAP take such keys (orchagent/qosorch.cpp splits them); the buffer tables do not from 202111 on.
        """
        if "," not in row.key or not row.table.startswith("BUFFER_") or self.old:
            return None
        if all("," in k for k in self.config.rows(row.table)):
            return None  # the file does so throughout: the old templates' form, not a slip
        return self._broken(
            folded_key(row.table, row.key),
            RefProblem.JOINED,
            f"{row.table} takes one port per key from 202111 on; ports joined by commas name none",
        )

    # --- the whole file -----------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Judge everything once; results by `remarks`, `references`, `definitions`."""
        for name, table in TABLES.items():
            for row in self.config.rows(name).values():
                self._row(table, row)
        for name, at in self.config.unknown.items():
            self._unknown_table(name, Line((), f'"{name}"', at))

    def remarks(self) -> tuple[Remark, ...]:
        out = [replace(r, ports=tuple(dict.fromkeys(p)), more=tuple(more)) for r, p, more in self._remarks.values()]
        return (*self.config.remarks, *out)

    def references(self) -> tuple[Reference, ...]:
        return tuple(replace(r, ports=tuple(dict.fromkeys(ports))) for r, ports in self._references.values())

    def definitions(self) -> tuple[Definition, ...]:
        """Every named object of QoS. Lossless: it keeps headroom and was written by hand, so unused it means loss."""
        out = []
        for name, table in TABLES.items():
            if (
                table.key != ("name",)
                or name in ("CABLE_LENGTH", "DEVICE_METADATA", "TUNNEL")
                or name.endswith(("_PARAMETER", "_PATTERN"))
            ):
                continue
            for key, row in self.config.rows(name).items():
                lossless = name == "BUFFER_PROFILE" and "xoff" in row.fields and not _AUTOMATIC.fullmatch(key)
                marks = name == "WRED_PROFILE" and row.fields.get("ecn", "ecn_none") != "ecn_none"
                out.append(Definition(name, key, row.line(), lossless, marks=marks))
        return tuple(out)

    def _row(self, table: Table, row: Row) -> None:
        ports = row_ports(table.name, row.key)
        self._key(table, row, ports)
        if not self.config.listed:
            for fname in table.required:
                if fname not in row.fields:
                    self._remark(
                        RemarkKind.INVALID, row, None, ports, f"{fname} missing",
                        f"{table.name} {'row' if ports else row.key} has no {fname}; SONiC refuses the row without it",
                        f"a {fname}",
                    )  # fmt: skip
        for fname, value in row.fields.items():
            if table.entries is not None:
                if not (table.entries[0].holds(fname) and table.entries[1].holds(value)):
                    self._entry(table, row, fname, value)
                continue
            spec = table.fields.get(fname)
            if spec is None:
                if table.closed:
                    self._remark(
                        RemarkKind.UNCLAIMED,
                        row,
                        fname,
                        ports,
                        f"field {fname}",
                        f"{table.name} has no field {fname} that we know",
                    )
                continue
            if spec.ref:
                self._reference(table, row, fname, value, spec, ports)
            elif not spec.kind.holds(value):
                self._bad(row, fname, value, spec.kind, ports)

    def _entry(self, table: Table, row: Row, fname: str, value: str) -> None:
        assert table.entries is not None
        key_kind, value_kind = table.entries
        ports = (fname,) if table.name == "CABLE_LENGTH" else ()
        if not key_kind.holds(fname):
            self._bad(row, fname, fname, key_kind, ports)
        if not value_kind.holds(value):
            self._bad(row, fname, value, value_kind, ports)

    def _key(self, table: Table, row: Row, ports: tuple[str, ...]) -> None:
        parts = split_key(table, row.key)
        if parts is None:
            self._remark(
                RemarkKind.INVALID,
                row,
                None,
                ports,
                "key",
                f"the key {row.key!r} of {table.name} has to be {'|'.join(table.key)}",
            )
            return
        kind = range_kind(table) or (table.name_kind if table.key == ("name",) else None)
        if kind is not None and (table.name, parts[-1]) not in self._good:
            if kind.holds(parts[-1]) or (self.enterprise and kind is QUEUE_RANGE and _MORE_QUEUES.fullmatch(parts[-1])):
                self._good.add((table.name, parts[-1]))
            else:
                self._bad(row, None, parts[-1], kind, ports)
        if not ports:
            return
        broken = self.joined(row) if "," in row.key else None
        if broken is not None:
            self._refer(("PORT", row.table, folded_key(row.table, row.key)), "PORT", broken, row.line(), ports)
        elif len(parts) < 4 and table.name != "PORT" and self.config.rows("PORT"):
            missing = [p for p in ports if p not in self.config.rows("PORT") and p not in self.config.rows("PORTCHANNEL")]
            if missing and not self.config.listed:
                why = Unknown("PORT does not have this port")
                found = Resolved("*", None, why, False, detail=f"PORT does not have {', '.join(missing[:3])}")
                self._refer(("PORT", row.table), "PORT", found, row.line(), tuple(missing))

    def _reference(self, table: Table, row: Row, fname: str, value: str, spec: Field, ports: tuple[str, ...]) -> None:
        if value in spec.words:
            return
        key = (table.name, fname, value, "" if ports else row.key)
        seen = self._references.get(key)
        if seen is not None:
            seen[1].extend(ports)
            return
        if not value or residue(value):
            self._bad(row, fname, value, Kind(f"the name of a row in {' or '.join(spec.ref)}"), ports)
            return
        if spec.many and "," in value:
            for item in _items(value):
                self._reference(table, row, fname, item, spec, ports)
            return
        line = row.line(fname)
        self._refer(key, spec.ref[0], self.resolve(spec, value), line, ports)

    def _refer(self, key: tuple[str, ...], kind: str, found: Resolved, line: Line, ports: tuple[str, ...]) -> None:
        seen = self._references.get(key)
        if seen is not None:
            seen[1].extend(ports)
            return
        fills = REFERENCE_FILLS.get(key[0] if len(key) < 2 or key[0] != "PORT_QOS_MAP" else key[1], ())
        reference = Reference(kind, found.name, line, found.resolves, found.problem, found.detail, (), fills)
        self._references[key] = (reference, list(ports))

    # --- remarks ------------------------------------------------------------------------------------------------------

    def _bad(self, row: Row, fname: str | None, value: str, kind: Kind, ports: tuple[str, ...]) -> None:
        left_over = residue(value) or (not value and kind.number)
        what = f"{row.table} {fname}" if fname is not None else row.table
        if left_over:
            said = "is empty" if not value else f"is {value!r}, what a template leaves behind"
            self._remark(RemarkKind.RESIDUE, row, fname, ports, f"{fname} not filled in", f"{what} {said}", kind.expected)
            return
        hint = "; the blank belongs to the value" if kind.number and value != value.strip() else ""
        said = "is an empty string" if not value else f"is {value!r}"
        self._remark(
            RemarkKind.INVALID,
            row,
            fname,
            ports,
            f"{fname}={fold(value)}",
            f"{what} {said}, not {kind.expected}{hint}",
            kind.expected,
        )

    def _remark(
        self,
        kind: RemarkKind,
        row: Row,
        fname: str | None,
        ports: tuple[str, ...],
        shape: str,
        message: str,
        expected: str = "",
    ) -> None:
        shape = f"{row.table}: {shape}"
        key = (kind.value, shape, "" if ports else row.key)
        seen = self._remarks.get(key)
        if seen is not None:
            seen[1].extend(ports)
            seen[2].append(row.at(fname))
            return
        fills = value_fills(row.table, () if fname is None else (fname,))
        remark = Remark(kind, row.line(fname), shape, message, expected, self._reached(row), fills=fills)
        self._remarks[key] = (remark, list(ports), [])

    def _reached(self, row: Row) -> bool:
        """Whether something in force leads to the row: rows of ports and of the switch always, named objects by reference."""
        table = TABLES[row.table]
        if table.key != ("name",) or not any(row.table in f.ref for t in TABLES.values() for f in t.fields.values()):
            return True
        name = row.key
        for other in TABLES.values():
            fields = [f for f, spec in other.fields.items() if row.table in spec.ref]
            for r in self.config.rows(other.name).values() if fields else ():
                for f in fields:
                    value = r.fields.get(f)
                    if value is not None and any(bare(i)[1] == name for i in _items(value)):
                        return True
        return False

    def _unknown_table(self, name: str, line: Line) -> None:
        from difflib import get_close_matches

        near = get_close_matches(name.upper(), list(TABLES), 1, 0.8)
        if name in _NOT_QOS or not (near or _QOS_NAME.search(name) or any(w in name.upper() for w in self._qos_words)):
            return
        hint = f"; {near[0]} is meant?" if near else ""
        remark = Remark(RemarkKind.UNCLAIMED, line, f"table {fold(name)}", f"a table {name} is not known to us{hint}")
        self._remarks["table", name] = (remark, [], [])


def _items(value: str) -> list[str]:
    """Names of a list `a,b` or `[T|a],[T|b]`."""
    return [i for i in (p.strip() for p in value.split(",")) if i]


def not_a_port(key: str) -> bool:
    """Whether a row key stands for the switch or its CPU."""
    return key in NOT_A_PORT
