"""The project file: xoff.toml, or [tool.xoff] in pyproject.toml. What a team says once about its tree of configurations.

Only data: nothing it names is executed, and the paths in it stay below its own folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from xoff.errors import Problem, ProjectError
from xoff.intent import units
from xoff.intent.suggest import did_you_mean
from xoff.intent.tomlplace import Places
from xoff.model.fabric import Basis, ClassInForce, ClassKind
from xoff.model.finding import Confidence, Severity
from xoff.model.frozen import FrozenMap
from xoff.model.origin import FileLine
from xoff.model.quantity import Fact, Unknown
from xoff.model.record import dataclass

FILE = "xoff.toml"
_TOP = ("classes", "devices", "fabrics", "require", "fail_on", "select", "ignore")
_CLASS = ("kind", "dscp", "pcp", "priority", "lossless", "ecn")
_DEVICE = ("match", "nos", "release", "model", "asic", "role", "site", "cable", "speed")
_CODE = re.compile(r"[A-Z]{3}(?:[0-9]{3})?\Z")


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """One `[[devices]]` entry: facts about all devices whose name matches. Speed Mb/s, cable metres."""

    match: str
    nos: str | None = None
    release: str | None = None
    model: str | None = None
    asic: str | None = None
    role: str | None = None
    site: str | None = None
    cable_m: int | None = None
    speed: int | None = None
    lines: FrozenMap[str, FileLine] = field(default_factory=FrozenMap, compare=False)

    def matches(self, device: str) -> bool:
        """Whether the glob matches the device's name (case matters, as in hostnames of the file)."""
        return fnmatchcase(device, self.match)


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact from the project file and the line that says it."""

    value: str | int
    at: FileLine


@dataclass(frozen=True, slots=True)
class Project:
    """A read project file. `folder`: where its globs begin. `fabrics`: name -> globs of files below the folder."""

    file: str
    folder: Path
    classes: tuple[ClassInForce, ...] = ()
    devices: tuple[DeviceFacts, ...] = ()
    fabrics: FrozenMap[str, tuple[str, ...]] = field(default_factory=FrozenMap)
    require: tuple[str, ...] = ()
    fail_on: Severity | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def facts(self, device: str) -> dict[str, Stated]:
        """What the file says of a device, by fact (`nos`, `release`, `model`, `asic`, `role`, `site`, `cable`, `speed`).

        Where several entries match, the later one wins, fact by fact.
        """
        out: dict[str, Stated] = {}
        for entry in self.devices:
            if entry.matches(device):
                for key in _DEVICE[1:]:
                    value = getattr(entry, "cable_m" if key == "cable" else key)
                    if value is not None:
                        out[key] = Stated(value, entry.lines[key])
        return out


def find_project(paths: Iterable[str | os.PathLike[str]]) -> Path | None:
    """The nearest xoff.toml (or pyproject.toml with [tool.xoff]) in or above the first path; None where there is none."""
    first = next(iter(paths), ".")
    at = Path(os.path.abspath(first))
    for folder in (at, *at.parents) if at.is_dir() else at.parents:
        own = folder / FILE
        if own.is_file():
            return own
        shared = folder / "pyproject.toml"
        if shared.is_file() and _has_table(shared):
            return shared
    return None


def _has_table(path: Path) -> bool:
    """Whether a pyproject.toml has [tool.xoff]; one that cannot be read is somebody else's trouble."""
    import tomllib

    try:
        text = path.read_text(encoding="utf-8")
        return "xoff" in text and "xoff" in tomllib.loads(text).get("tool", {})
    except (OSError, ValueError, AttributeError, TypeError):
        return False


def load_project(path: str | os.PathLike[str]) -> Project:
    """Read a project file. Raises ProjectError with every problem, each with file, line and column."""
    import tomllib

    file = os.fspath(path)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as e:
        raise ProjectError(f"{file}: cannot be read: {e.strerror or e}") from None
    except UnicodeDecodeError:
        raise ProjectError(f"{file}: is no UTF-8 text") from None
    try:
        data: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        m = re.search(r"^(.*?) \(at line (\d+), column (\d+)\)$", str(e))
        said, line, column = (m[1], int(m[2]), int(m[3])) if m else (str(e), max(text.count("\n"), 1), 1)
        raise ProjectError(str(_problem(file, text.split("\n"), line, column, f"this is no TOML: {said}"))) from None
    prefix: tuple[str | int, ...] = ()
    if Path(path).name == "pyproject.toml":
        prefix = ("tool", "xoff")
        data = data.get("tool", {})
        data = data.get("xoff", {}) if isinstance(data, dict) else {}
    return _Reader(file, text, prefix).project(data)


def _problem(file: str, lines: list[str], line: int, column: int, message: str, hint: str = "") -> Problem:
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text.rstrip("\r"))[:200]
    return Problem(file, line, column, message, text if column <= len(text) + 1 else "", hint)


class _Reader:
    def __init__(self, file: str, text: str, prefix: tuple[str | int, ...]) -> None:
        self.file, self.prefix = file, prefix
        self.places = Places(text)
        self.problems: list[Problem] = []

    def project(self, data: Any) -> Project:
        if not isinstance(data, dict):
            self._wrong((), "expected a table")
            data = {}
        self._known(data, _TOP, ())
        fail_on = data.get("fail_on")
        if fail_on is not None and fail_on not in {s.value for s in Severity}:
            self._wrong(("fail_on",), f"expected one of error, warning, note, not {units.show(fail_on)}")
            fail_on = None
        out = Project(
            file=self.file,
            folder=Path(self.file).parent,
            classes=self._classes(data.get("classes", {})),
            devices=self._devices(data.get("devices", [])),
            fabrics=self._fabrics(data.get("fabrics", {})),
            require=self._codes(data, "require", families=False),
            fail_on=Severity(fail_on) if fail_on is not None else None,
            select=self._codes(data, "select", families=True),
            ignore=self._codes(data, "ignore", families=True),
        )
        if self.problems:
            ordered = sorted(dict.fromkeys(self.problems), key=lambda p: (p.line, p.column))
            raise ProjectError("\n".join(str(p) for p in ordered))
        return out

    def _wrong(self, path: tuple[str | int, ...], message: str, hint: str = "") -> None:
        line, column = self.places.find((*self.prefix, *path))
        self.problems.append(_problem(self.file, self.places.lines, line, column, message, hint))

    def _at(self, path: tuple[str | int, ...]) -> FileLine:
        return FileLine(self.file, self.places.find((*self.prefix, *path))[0])

    def _known(self, table: Mapping[str, Any], keys: tuple[str, ...], path: tuple[str | int, ...]) -> None:
        for key in table:
            if key not in keys:
                self._wrong((*path, key), f"unknown key {units.show(key)}", did_you_mean(key, keys))

    def _codes(self, data: Mapping[str, Any], key: str, *, families: bool) -> tuple[str, ...]:
        value = data.get(key, [])
        what = "rule codes or families, such as PFC001 or HDR" if families else "rule codes, such as HDR001"
        if not isinstance(value, list):
            self._wrong((key,), f"expected a list of {what}, not {units.show(value)}")
            return ()
        for item in value:
            if not (isinstance(item, str) and _CODE.match(item)) or (not families and len(item) == 3):
                self._wrong((key, str(item)), f"expected {what}, not {units.show(item)}")
        return tuple(str(i) for i in value)

    def _tables(self, value: Any, key: str) -> dict[str, dict[str, Any]]:
        if not isinstance(value, dict):
            self._wrong((key,), f"expected a table [{key}], not {units.show(value)}")
            return {}
        out = {}
        for name, table in value.items():
            if isinstance(table, dict):
                out[name] = table
            else:
                self._wrong((key, name), f"expected a table such as {{dscp = [26], priority = 3}}, not {units.show(table)}")
        return out

    def _classes(self, value: Any) -> tuple[ClassInForce, ...]:
        out: list[ClassInForce] = []
        for name, table in self._tables(value, "classes").items():
            path: tuple[str | int, ...] = ("classes", name)
            self._known(table, _CLASS, path)
            if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,31}", name):
                self._wrong(path, f"{units.show(name)} is no name for a class: letters, digits, _ and -, at most 32")
            kind = self._kind(name, table, path)
            dscp = self._values(table, "dscp", 63, path)
            pcp = self._values(table, "pcp", 7, path)
            if not dscp and not pcp and kind in (ClassKind.DATA, ClassKind.CNP) and "dscp" not in table and "pcp" not in table:
                self._wrong(path, f"class {name} has neither dscp nor pcp, so nothing tells its packets apart")
            self._overlap(out, name, dscp, pcp, path)
            at = self._at(path)
            out.append(
                ClassInForce(
                    name=name,
                    kind=kind,
                    lossless=self._flag(table, "lossless", path) or False,
                    dscp=dscp,
                    pcp=pcp,
                    priority=self._priority(table, path),
                    basis=Basis.PROJECT,
                    confidence=Confidence.CERTAIN,
                    said=str(at),
                    ecn=self._flag(table, "ecn", path),
                    at=at,
                )
            )
        return tuple(out)

    def _kind(self, name: str, table: Mapping[str, Any], path: tuple[str | int, ...]) -> ClassKind:
        kinds = {k.value for k in ClassKind}
        said = table.get("kind", name if name in kinds else "data")
        if said not in kinds:
            self._wrong((*path, "kind"), f"expected one of {', '.join(sorted(kinds))}, not {units.show(said)}")
            return ClassKind.DATA
        return ClassKind(said)

    def _overlap(
        self, before: list[ClassInForce], name: str, dscp: frozenset[int], pcp: frozenset[int], path: tuple[str | int, ...]
    ) -> None:
        for other in before:
            for key, shared in (("dscp", dscp & other.dscp), ("pcp", pcp & other.pcp)):
                if shared:
                    said = ", ".join(map(str, sorted(shared)))
                    self._wrong((*path, key), f"{key.upper()} {said} belongs to class {other.name} already, not to {name} too")

    def _values(self, table: Mapping[str, Any], key: str, top: int, path: tuple[str | int, ...]) -> frozenset[int]:
        value = table.get(key, [])
        items = value if isinstance(value, list) else [value]
        out: set[int] = set()
        for item in items:
            try:
                if key == "dscp":
                    out.update(units.dscp(item))
                elif isinstance(item, int) and not isinstance(item, bool) and 0 <= item <= top:
                    out.add(item)
                else:
                    raise ValueError(f"expected a PCP (0-{top}), not {units.show(item)}")
            except ValueError as e:
                self._wrong((*path, key), str(e))
        return frozenset(out)

    def _priority(self, table: Mapping[str, Any], path: tuple[str | int, ...]) -> int | Unknown:
        value = table.get("priority")
        if value is None:
            return Unknown(f"{self.file} gives no priority for the class", Fact.CLASSES)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 7:
            self._wrong((*path, "priority"), f"expected a priority (0-7), not {units.show(value)}")
            return 0
        return value

    def _flag(self, table: Mapping[str, Any], key: str, path: tuple[str | int, ...]) -> bool | None:
        value = table.get(key)
        if value is not None and not isinstance(value, bool):
            self._wrong((*path, key), f"expected true or false, not {units.show(value)}")
            return None
        return value

    def _devices(self, value: Any) -> tuple[DeviceFacts, ...]:
        if not isinstance(value, list) or not all(isinstance(t, dict) for t in value):
            self._wrong(("devices",), "expected [[devices]] tables, each with a match")
            return ()
        return tuple(self._device(table, ("devices", i)) for i, table in enumerate(value))

    def _device(self, table: Mapping[str, Any], path: tuple[str | int, ...]) -> DeviceFacts:
        self._known(table, _DEVICE, path)
        said: dict[str, Any] = {}
        for key in _DEVICE:
            if key not in table:
                continue
            try:
                text = _word(table[key])
                said[key] = units.cable(text) if key == "cable" else units.speed(text) if key == "speed" else text
            except ValueError as e:
                self._wrong((*path, key), str(e))
        if "match" not in table:
            self._wrong(path, "the entry has no match: which devices is it about?", 'for example match = "leaf*"')
        lines = FrozenMap({key: self._at((*path, key)) for key in said})
        cable = said.pop("cable", None)
        return DeviceFacts(said.pop("match", ""), **said, cable_m=cable, lines=lines)

    def _fabrics(self, value: Any) -> FrozenMap[str, tuple[str, ...]]:
        if not isinstance(value, dict):
            self._wrong(("fabrics",), f"expected a table [fabrics], not {units.show(value)}")
            return FrozenMap()
        out: dict[str, tuple[str, ...]] = {}
        for name, globs in value.items():
            items = globs if isinstance(globs, list) else [globs]
            for item in items:
                if not isinstance(item, str) or not item:
                    self._wrong(("fabrics", name), f"expected paths or globs, not {units.show(item)}")
                elif os.path.isabs(item) or ".." in re.split(r"[/\\]", item):
                    self._wrong(("fabrics", name), f"{units.show(item)} leaves the folder of the project file")
            out[name] = tuple(i for i in items if isinstance(i, str))
        return FrozenMap(out)


def _word(value: Any) -> str:
    if not isinstance(value, str) or not value or not (value.isascii() and value.isprintable()):
        raise ValueError(f"expected a text of printable ASCII, not {units.show(value)}")
    return value
