"""From files to tables: every form in which config_db is written down, several files of one device merged, places kept.

Forms: nested {TABLE: {key: {field: value}}}, flat {"TABLE|key": {field: value}} (also as redis-dump writes it), a list of such
objects applied in order (configlet), {localhost: …, asic0: …} and one file per ASIC namespace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from xoff.errors import InputError
from xoff.model.origin import FileLine, Line
from xoff.model.switch import Remark, RemarkKind
from xoff.nos.jsontext import Document, Step
from xoff.nos.sonic.fills import value_fills
from xoff.nos.sonic.schema import TABLES
from xoff.nos.sonic.typed_tables import NOT_A_PORT, OLD_NAMES, bare, split_key

#: Tables that are read for something else than QoS: names, links, addresses, roles.
USED = frozenset(
    {
        "VERSIONS", "DEVICE_NEIGHBOR", "DEVICE_NEIGHBOR_METADATA", "INTERFACE", "PORTCHANNEL", "PORTCHANNEL_MEMBER",
        "PORTCHANNEL_INTERFACE", "VLAN_MEMBER", "VLAN_INTERFACE", "VLAN_SUB_INTERFACE", "LOOPBACK_INTERFACE", "MGMT_PORT",
        "MGMT_INTERFACE", "VOQ_INBAND_INTERFACE", "BREAKOUT_CFG", "SYSTEM_DEFAULTS", "VXLAN_TUNNEL", "BGP_NEIGHBOR",
        "SWITCH",
    }
)  # fmt: skip
_NAMESPACE = re.compile(r"asic(\d+)", re.IGNORECASE)
_NUMBERED = re.compile(r"config_db(\d+)\.json$")
_DIGITS = re.compile(r"\d+")


def fold(text: str) -> str:
    """Text with every number as `#`: what makes remarks of one shape equal."""
    return _DIGITS.sub("#", text)


class Row:
    """One row of a table: its fields as text, and where each was said. `key` is as written in the file."""

    __slots__ = ("fields", "key", "said", "table")

    def __init__(self, table: str, key: str, fields: dict[str, str], doc: Document, path: tuple[Step, ...]) -> None:
        self.table, self.key, self.fields = table, key, fields
        self.said: list[tuple[Document, tuple[Step, ...], Iterable[str]]] = [(doc, path, fields)]

    def at(self, fname: str | None = None) -> FileLine:
        """The place of a field, or of the row; the last that said it, since that one holds."""
        for doc, path, fields in reversed(self.said):
            if fname is None:
                return doc.at(path)
            if fname in fields:
                return doc.at((*path, fname))
        doc, path, _ = self.said[0]
        return doc.at(path)

    def line(self, fname: str | None = None) -> Line:
        """The origin of a field, or of the row itself, identity taken out."""
        key = folded_key(self.table, self.key)
        if fname is None:
            return Line((self.table,), f'"{key}"', self.at())
        return Line((self.table, key), field_text(self.table, fname, self.fields.get(fname, "")), self.at(fname))


def field_text(table: str, fname: str, value: str) -> str:
    """`"field": "value"` as it stands in the file, without what differs from port to port."""
    if table == "CABLE_LENGTH":
        return f'"*": "{value}"'
    if table == "PORT" and fname in ("alias", "lanes", "description", "index"):
        return f'"{fname}": "*"'
    return f'"{fname}": "{value}"'


def folded_key(table: str, key: str) -> str:
    """A row's key with the port as `*`; names of maps and profiles stay, for they say which line it is."""
    spec = TABLES.get(table)
    if spec is None:
        return "*"
    if spec.key[0] != "port":
        return "*" if table in ("DEVICE_METADATA",) else key
    if key in NOT_A_PORT:
        return key
    parts = split_key(spec, key)
    if parts is None or len(spec.key) == 1:
        return "*"
    return "|".join(["*"] * (len(parts) - 1) + [parts[-1]])


class Config:
    """The tables of one namespace of one device. `listed`: a configlet, a patch to a configuration that is not here."""

    def __init__(self, namespace: str | None) -> None:
        self.namespace = namespace
        self.tables: dict[str, dict[str, Row]] = {}
        self.unknown: dict[str, FileLine] = {}
        self.files: list[str] = []
        self.remarks: list[Remark] = []
        self.listed = False
        self.other_lines = 0

    def rows(self, table: str) -> Mapping[str, Row]:
        return self.tables.get(table, {})

    def row(self, table: str, key: str) -> Row | None:
        return self.tables.get(table, {}).get(key)

    def value(self, table: str, key: str, fname: str) -> str | None:
        """One field, None where table, row or field is absent."""
        row = self.row(table, key)
        return None if row is None else row.fields.get(fname)

    def add(self, doc: Document, data: Any, base: tuple[Step, ...]) -> None:
        """Lay one object of tables over what is there. Raises InputError where another file contradicts."""
        if not isinstance(data, dict):
            self.other_lines += 1
            return
        for name, content in data.items():
            table, _, key = name.partition("|")
            real = OLD_NAMES.get(table, table)
            known = real in TABLES or real in USED
            if not known:
                self.unknown.setdefault(table, doc.at((*base, name)))
                self.other_lines += _size(content)
                continue
            rows = self.tables.setdefault(real, {})
            if key:
                self._row(rows, doc, real, key, _hash(content), (*base, name))
            elif isinstance(content, dict):
                for row_key, fields in content.items():
                    self._row(rows, doc, real, row_key, fields, (*base, name, row_key))
            else:
                self._broken(doc, (*base, name), real, f"{real} is {_word(content)}; a table is an object of rows")

    def _row(self, rows: dict[str, Row], doc: Document, table: str, key: str, content: Any, path: tuple[Step, ...]) -> None:
        if not isinstance(content, dict):
            self._broken(doc, path, table, f"a row of {table} is {_word(content)}; a row is an object of fields")
            return
        fields = _texts(content)
        old = rows.get(key)
        if old is None:
            rows[key] = Row(table, key, fields, doc, path)
            return
        for fname, value in fields.items():
            before = old.fields.get(fname)
            if before is not None and bare(before)[1] != bare(value)[1]:
                where = next((d, p) for d, p, f in reversed(old.said) if fname in f)
                if where[0] is not doc:
                    first = where[0].at((*where[1], fname))
                    raise InputError(
                        doc.file,
                        doc.line((*path, fname)),
                        f"{table}|{key} {fname} is {value!r} here and {before!r} at {first}, and both files are of one device; "
                        "leave out the file that is older, or name them as different devices",
                    )
        old.fields.update(fields)
        old.said.append((doc, path, fields))

    def _broken(self, doc: Document, path: tuple[Step, ...], table: str, message: str) -> None:
        origin = Line((table,), "…", doc.at(path))
        self.remarks.append(Remark(RemarkKind.INVALID, origin, f"{table}: no object", message, "an object in braces"))


def load(documents: Iterable[Document]) -> list[Config]:
    """The namespaces of one device, the host's first (namespace None), then by number."""
    found: dict[str | None, Config] = {}

    def config(namespace: str | None, doc: Document) -> Config:
        out = found.setdefault(namespace, Config(namespace))
        if doc.file not in out.files:
            out.files.append(doc.file)
        return out

    for doc in documents:
        parts = _namespaces(doc.data)
        if parts:
            for name, key in parts.items():
                config(name, doc).add(doc, doc.data[key], (key,))
            out = config(next(iter(parts)), doc)
        else:
            out = config(_namespace(doc), doc)
            if isinstance(doc.data, list):
                out.listed = True
                for i, item in enumerate(doc.data):
                    out.add(doc, item, (i,))
            else:
                out.add(doc, doc.data, ())
        out.remarks += _duplicates(doc)
    return [found[n] for n in sorted(found, key=lambda n: (n is not None, len(n or ""), n or ""))]


def _namespaces(data: Any) -> dict[str | None, str]:
    """Namespace -> top-level key, where one file holds all namespaces; empty where it does not."""
    if not isinstance(data, dict):
        return {}
    asics = {k.lower(): k for k, v in data.items() if _NAMESPACE.fullmatch(k) and isinstance(v, dict)}
    if not asics:
        return {}
    host = next((k for k in ("localhost", "host") if isinstance(data.get(k), dict)), None)
    return {None: host, **asics} if host is not None else {**asics}


def named_namespace(file: str) -> str | None:
    """The ASIC namespace that a file's name or folder says: config_db0.json, asic0/config_db.json, leaf1-asic0.json."""
    parts = file.replace("\\", "/").split("/")
    numbered = _NUMBERED.search(parts[-1])
    if numbered:
        return f"asic{numbered.group(1)}"
    for part in reversed(parts[-2:]):
        m = _NAMESPACE.search(part)
        if m:
            return f"asic{m.group(1)}"
    return None


def _namespace(doc: Document) -> str | None:
    """The ASIC namespace of a file: by its name, else by what its DEVICE_METADATA says of itself."""
    named = named_namespace(doc.file)
    if named is not None:
        return named
    data = doc.data if isinstance(doc.data, dict) else {}
    nested = data.get("DEVICE_METADATA")
    meta = nested.get("localhost") if isinstance(nested, dict) else data.get("DEVICE_METADATA|localhost")
    if isinstance(meta, dict) and meta.get("sub_role") in ("FrontEnd", "BackEnd") and "multi" in str(meta.get("platform", "")):
        m = _NAMESPACE.fullmatch(str(meta.get("asic_name", "")))
        return f"asic{m.group(1)}" if m else None
    return None


def _duplicates(doc: Document) -> Iterator[Remark]:
    for d in doc.duplicates():
        steps = [s for s in d.path if isinstance(s, str)]
        if len(steps) > 1 and steps[0] not in TABLES and _NAMESPACE.fullmatch(steps[0]):
            steps = steps[1:]
        table = steps[0].partition("|")[0] if steps else ""
        key = "|".join(steps[:2]).partition("|")[2]
        what = folded_key(table, key) if len(steps) < 3 and key else steps[-1]
        lost = (", ".join(d.lost) if isinstance(d.lost, dict) else _text(d.lost))[:120]
        path = (table,) if len(steps) < 3 else (table, folded_key(table, key))
        yield Remark(
            RemarkKind.INVALID,
            Line(path if len(steps) > 1 else (), f'"{what}"', d.second),
            f"{table}: key said twice",
            f"this key stands at line {d.first.line} too; a JSON reader keeps the second, what the first says is lost ({lost})",
            "each key once: put the fields of both into one object",
            reached=table in TABLES,
            ports=row_ports(table, key),
            fills=value_fills(table, d.lost if isinstance(d.lost, dict) else ()),
        )


def row_ports(table: str, key: str) -> tuple[str, ...]:
    """The ports that a row's key names; empty for rows of the switch and for named objects."""
    spec = TABLES.get(table)
    if spec is None or spec.key[0] != "port" or key in NOT_A_PORT or not key:
        return ()
    parts = split_key(spec, key)
    if parts is None:
        return ()
    port = parts[-2] if len(spec.key) == 2 else parts[-1]
    if "," not in port:
        return (port,) if port and port not in NOT_A_PORT else ()
    return tuple(p for p in port.split(",") if p and p not in NOT_A_PORT)


def _texts(content: dict[str, Any]) -> dict[str, str]:
    """Fields as text: lists joined by commas, `field@` (redis's list mark) without its mark, the NULL placeholder left out."""
    for value in content.values():
        if type(value) is not str:
            break
    else:
        if "NULL" not in content and not any(k.endswith("@") for k in content):
            return content
    return {k.removesuffix("@"): _text(v) for k, v in content.items() if k != "NULL"}


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, list):
        return ",".join(_text(v) for v in value)
    return "an object"


def _hash(content: Any) -> Any:
    """The fields of a row as redis-dump wraps them."""
    if isinstance(content, dict) and content.get("type") == "hash" and isinstance(content.get("value"), dict):
        return content["value"]
    return content


def _size(content: Any) -> int:
    """About how many lines a part has that is not read."""
    if isinstance(content, dict):
        return 1 + sum(_size(v) for v in content.values())
    return 1


def _word(content: Any) -> str:
    return "null" if content is None else "a list" if isinstance(content, list) else f"the text {_text(content)[:40]!r}"
