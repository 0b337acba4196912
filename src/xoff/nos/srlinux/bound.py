"""SR Linux: what one port says and binds, with the place of each leaf inside the port's own lines.

The lines of a port stand in several blocks: the interface, its entry under /qos/interfaces, and the entries of its
sub-interfaces. They are counted through in that order, so that equal ports have equal places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

from xoff.model.origin import BodyLine, Line, Origin
from xoff.model.record import dataclass
from xoff.nos.reader import Block
from xoff.nos.settings import Setting

#: Blocks that differ from port to port without meaning for QoS.
_IDENTITY = frozenset({"interface-ref", "ipv4", "ipv6"})


@dataclass(slots=True)
class Sub:
    """A sub-interface: its settings (`dscp`, `dscp4`, `dscp6`, `pcp`, `rewrite`, `type`)."""

    index: str
    said: dict[str, Setting] = field(default_factory=dict)

    def value(self, name: str) -> Any:
        found = self.said.get(name)
        return None if found is None else found.value


@dataclass(slots=True)
class Bound:
    """Everything that stands at one port. `said`: settings by name; `queues`: queue name -> (curve profile, header)."""

    name: str
    said: dict[str, Setting] = field(default_factory=dict)
    queues: dict[str, tuple[Setting | None, Origin]] = field(default_factory=dict)
    subs: dict[str, Sub] = field(default_factory=dict)
    lines: tuple[int, ...] = ()
    shape: tuple[object, ...] = ()
    header: Line | None = None

    def value(self, name: str, default: Any = None) -> Any:
        found = self.said.get(name)
        return default if found is None else found.value

    def origin(self, name: str) -> Origin | None:
        found = self.said.get(name)
        return None if found is None else found.origin


@dataclass(slots=True)
class Blocks:
    """The blocks of one port: under `interface`, under /qos/interfaces, and of the sub-interfaces there (index, block)."""

    interface: Block | None = None
    qos: list[Block] = field(default_factory=list)
    subs: list[tuple[str, Block]] = field(default_factory=list)


def flat(block: Block) -> Iterator[Block]:
    """The block and those below it that say something of QoS, in file order."""
    yield block
    for child in block.children:
        if child.spec.path[-1].split()[0] not in _IDENTITY:
            yield from flat(child)


def bind(name: str, blocks: Blocks) -> Bound:
    """The settings of a port, the later line winning."""
    out = Bound(name)
    lines: list[int] = []
    shape: list[object] = []
    parts: list[tuple[str | None, Block]] = []
    if blocks.interface is not None:
        parts += [(None, b) for b in flat(blocks.interface) if b.spec.path[-1] != "subinterface *"]
        parts += [(b.name, b) for b in blocks.interface.below("subinterface")]
    parts += [(None, b) for top in blocks.qos for b in flat(top)]
    parts += [(index, b) for index, top in blocks.subs for b in flat(top)]
    for index, block in parts:
        start = len(lines) + 1
        lines += [block.line, *block.lines]
        shape.append((index, block.cause, id(block.body)))
        into = out.said if index is None else out.subs.setdefault(index, Sub(index)).said
        _take(block, start, into, out)
    out.lines, out.shape = tuple(lines), tuple(shape)
    return out


def _take(block: Block, start: int, into: dict[str, Setting], out: Bound) -> None:
    kind = _PREFIX.get(block.spec.path[1:] if block.spec.path[0] != "qos" else block.spec.path[3:], "")
    if kind == "queue":
        header = BodyLine(block.cause[:-1], block.cause[-1], start - 1)
        curve = next((s for s in block.body.said if s.group == "curve"), None)
        where = BodyLine(block.cause, block.body.texts[curve.index], start + curve.index) if curve is not None else header
        out.queues[block.values["name"]] = (Setting(curve.values["profile"], where) if curve else None, header)
        return
    for said in block.body.said:
        if len(said.values) == 1:
            (text,) = said.values.values()
            into[kind + said.group] = Setting(text, BodyLine(block.cause, block.body.texts[said.index], start + said.index))
    if kind == "breakout":
        into["breakout"] = Setting(True, BodyLine(block.cause[:-1], block.cause[-1], start - 1))


#: Path below the port -> what stands in front of the names of its leaves; `input/classifiers` of a sub-interface has none.
_PREFIX: dict[Sequence[str], str] = {
    ("breakout-mode",): "breakout",
    ("pfc",): "pfc.",
    ("input",): "in.",
    ("output",): "out.",
    ("output", "queues", "queue {name}"): "queue",
}
