"""Comware: what is said once for the switch: priority maps, PFC of the system view, deadlock detection, pools, buffers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from xoff.model.origin import Line, Origin
from xoff.model.qos import Colour
from xoff.model.quantity import Fact, Quantity, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import RemarkKind
from xoff.nos.comware import words
from xoff.nos.comware.statements import no_drop, pfc_mode
from xoff.nos.linetemplate import Said
from xoff.nos.reader import Block, Reading
from xoff.nos.registry import Nos
from xoff.nos.settings import Bad, Setting, Settings

#: Tables of `qos map-table`: (highest value of the field, highest target). Others are known by name alone.
TABLES = {
    "dot1p-lp": (7, 7),
    "dscp-dot1p": (63, 7),
    "dscp-lp": (63, 7),
    "dscp-dp": (63, 2),
    "dot1p-dp": (7, 2),
    "dscp-dscp": (63, 63),
}
TWO_TABLES = (
    "dscp-lp and dscp-dot1p with dot1p-lp give this DSCP different queues; which of them the model looks up is not known"
)
Mapped = tuple[int, Line]


@dataclass(slots=True)
class Globals:
    """Everything that holds for all ports.

    `dscp`: DSCP -> (802.1p priority, drop level), `queue`: 802.1p priority -> local precedence, both total where Comware has a
    known default. `cos`: what deadlock lines say, by (cos, interval | delay | threshold).
    `buffers`: (queue, shared | guaranteed) as `buffer egress` says.
    """

    dscp: dict[int, tuple[int | Unknown, Colour]] = field(default_factory=dict)
    queue: dict[int, int | Unknown] = field(default_factory=dict)
    origins: dict[str, Origin] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    cos: dict[tuple[int, str], Setting] = field(default_factory=dict)
    pools: dict[str, Setting] = field(default_factory=dict)
    buffers: dict[tuple[int, str], Setting] = field(default_factory=dict)
    policies: list[tuple[str, str, Line]] = field(default_factory=list)
    remapped: bool = False


class GlobalReader:
    """Reads the system view and the priority maps. Values that Comware cannot mean become remarks."""

    def __init__(self, reading: Reading, nos: Nos) -> None:
        self.reading = reading
        self.nos = nos
        self.out = Globals()
        self._rows: dict[str, dict[int, Mapped]] = {name: {} for name in TABLES}

    def read(self) -> Globals:
        root = self.reading.root
        for block in root.below("qos"):
            if block.spec.path[0].startswith("qos map-table"):
                self._map(block)
        for said in root.body.said:
            handler = self._HANDLERS.get(said.group)
            if handler is not None:
                handler(self, said)
        self._fill()
        return self.out

    def bad(self, block: Block, index: int, message: str, expected: str) -> None:
        at = self.reading.at(block.lines[index])
        self.reading.remarks.add(
            RemarkKind.INVALID, block.cause, block.body.texts[index], at, message, expected, block.ports
        )  # fmt: skip

    def _bad(self, said: Said, message: str, expected: str) -> None:
        self.bad(self.reading.root, said.index, message, expected)

    def _line(self, said: Said) -> Line:
        return self.reading.line(self.reading.root, said)

    # --- maps ---

    def _map(self, block: Block) -> None:
        if block.name not in TABLES:
            return
        high, limit = TABLES[block.name]
        rows = self._rows[block.name]
        for said in block.body.said:
            if said.negated:
                named = words.numbers(said.values["values"], high) if "values" in said.values else frozenset(range(high + 1))
                for value in named or ():
                    rows.pop(value, None)
                continue
            values, target = words.numbers(said.values["values"], high), words.whole(said.values["target"], 0, limit)
            if values is None:
                self.bad(block, said.index, f"{said.values['values']!r} is no list of values of {block.name}", f"0 to {high}")
            elif target is None:
                self.bad(block, said.index, f"{block.name} has no target {said.values['target']!r}", f"0 to {limit}")
            else:
                rows.update(dict.fromkeys(values, (target, self.reading.line(block, said))))

    def _default(self, key: str, what: str) -> dict[int, int]:
        entry = self.nos.default(key)
        if entry is None:
            return {}
        self.out.origins[key] = entry.origin(f"Comware's own map of {what}")
        return {v: to for first, last, to in entry.value for v in range(first, last + 1)}

    def _fill(self) -> None:
        """The maps made total by Comware's defaults."""
        out, rows = self.out, self._rows
        queue: dict[int, int] = self._default("tc_to_queue", "802.1p priority to local precedence")
        for dot1p, (to, line) in rows["dot1p-lp"].items():
            queue[dot1p] = to
            out.origins[f"tc_to_queue.{dot1p}"] = line
        out.queue.update(sorted(queue.items()))
        by_dscp = self._default("classify.dscp", "DSCP to 802.1p priority")
        for dscp in range(64):
            priority: int | Unknown | None = by_dscp.get(dscp)
            row = rows["dscp-dot1p"].get(dscp)
            if row is not None:
                priority = row[0]
                out.origins[f"classify.dscp.{dscp}"] = row[1]
            local = rows["dscp-lp"].get(dscp)
            if local is not None and isinstance(priority, int) and queue.get(priority) != local[0]:
                priority = Unknown(TWO_TABLES, Fact.DEFAULT)
                out.origins[f"classify.dscp.{dscp}"] = local[1]
            if priority is None:
                priority = Unknown("Comware's own map of DSCP to 802.1p priority is not known here", Fact.DEFAULT)
            level = rows["dscp-dp"].get(dscp)
            out.dscp[dscp] = (priority, words.COLOURS[level[0]] if level else Colour.GREEN)
        out.remapped = bool(rows["dscp-dscp"])

    # --- PFC, deadlock detection ---

    def _setting(self, read: Callable[[Said], dict[str, Any]]) -> Callable[[Said], None]:
        def handle(said: Said) -> None:
            for name, value in read(said).items():
                if isinstance(value, Bad):
                    self._bad(said, value.message, value.expected)
                else:
                    self.out.settings.said[name] = Setting(value, self._line(said))

        return handle

    def _pfc_mode(self, said: Said) -> None:
        self._setting(pfc_mode)(said)

    def _no_drop(self, said: Said) -> None:
        self._setting(no_drop)(said)

    def _cos(self, said: Said) -> None:
        """`deadlock cos`, `auto-recover cos`, `threshold cos`."""
        what = {"deadlock_interval": "interval", "deadlock_delay": "delay", "deadlock_threshold": "threshold"}[said.group]
        if said.negated and "cos" not in said.values:
            for key in [k for k in self.out.cos if k[1] == what]:
                del self.out.cos[key]
            return
        cos = words.whole(said.values["cos"], 0, 7)
        if cos is None:
            self._bad(said, f"cos {said.values['cos']} does not exist", "0 to 7")
            return
        if said.negated:
            self.out.cos.pop((cos, what), None)
            return
        for name, number in said.values.items():
            if name not in ("cos", "then") and words.whole(number, 0, 10**9) is None:
                self._bad(said, f"{name} {number} is no number", "a whole number")
                return
        value: Any = said.values.get(what) if what != "threshold" else said.values.get("then", "")
        self.out.cos[cos, what] = Setting(value, self._line(said))

    def _action(self, said: Said) -> None:
        if not said.negated and said.values["action"] not in words.ACTIONS:
            self._bad(said, f"action {said.values['action']} does not exist", " or ".join(words.ACTIONS))
            self.out.settings.said["watchdog.action"] = Setting(Unknown("the action is no word of Comware"), self._line(said))
            return
        value = None if said.negated else words.ACTIONS[said.values["action"]]
        self.out.settings.said["watchdog.action"] = Setting(value, self._line(said))

    def _precision(self, said: Said) -> None:
        if not said.negated and said.values["precision"] not in ("high", "normal", "low"):
            self._bad(said, f"precision {said.values['precision']} does not exist", "high, normal or low")
            return
        value = None if said.negated else said.values["precision"]
        self.out.settings.said["watchdog.precision"] = Setting(value, self._line(said))

    # --- pools and buffers ---

    def _pool(self, said: Said) -> None:
        if said.negated:
            if "pool" in said.values:
                self.out.pools.pop(said.values["pool"], None)
            return
        pool, size = words.whole(said.values["pool"], 0, 10**6), words.cells(said.values["size"])
        if pool is None or size is None:
            self._bad(
                said, f"pool {said.values['pool']} of {said.values['size']} is no pool", "whole numbers; the size is cells"
            )
            return
        self.out.pools[str(pool)] = Setting(size, self._line(said))

    def _buffer_queue(self, said: Said) -> None:
        what = "shared" if "shared" in said.values else "guaranteed"
        queue = words.queue(said.values.get("queue", ""))
        if said.negated:
            for key in [k for k in self.out.buffers if queue in (None, k[0])]:
                del self.out.buffers[key]
            return
        value: Quantity | None = words.share_of_pool(said.values[what])
        if queue is None or value is None:
            self._bad(said, f"queue {said.values['queue']}, ratio {said.values[what]} is no value that Comware has",
                      "queue 0 to 7, ratio 0 to 100")  # fmt: skip
        elif said.values["side"] == "egress" and said.values["kind"] == "cell":
            self.out.buffers[queue, what] = Setting(value, self._line(said))

    def _buffer_apply(self, said: Said) -> None:
        self.out.settings.said["buffer.apply"] = Setting(
            (not said.negated and said.values["apply"] == "on") or None, self._line(said)
        )

    def _flag(self, said: Said) -> None:
        name = {"burst_mode": "burst", "lldp": "lldp"}[said.group]
        self.out.settings.said[name] = Setting(not said.negated or None, self._line(said))

    # --- the rest ---

    def _policy(self, said: Said) -> None:
        if said.negated or said.values["direction"] not in ("inbound", "outbound"):
            return
        self.out.policies.append((said.values["policy"], said.values["direction"], self._line(said)))

    def _text(self, said: Said) -> None:
        key = next(iter(said.values), "")
        if key:
            self.out.settings.said[key] = Setting(None if said.negated else said.values[key], self._line(said))

    def _mac_aging(self, said: Said) -> None:
        value = None if said.negated else words.whole(said.values["seconds"], 0, 10**7)
        self.out.settings.said["mac_aging"] = Setting(value, self._line(said))

    _HANDLERS: Mapping[str, Callable[[GlobalReader, Said], None]] = {
        "hostname": _text,
        "version": _text,
        "pfc_mode": _pfc_mode,
        "no_drop": _no_drop,
        "headroom_pool": _pool,
        "deadlock_interval": _cos,
        "deadlock_delay": _cos,
        "deadlock_threshold": _cos,
        "deadlock_precision": _precision,
        "deadlock_action": _action,
        "buffer_queue": _buffer_queue,
        "buffer_apply": _buffer_apply,
        "burst_mode": _flag,
        "lldp": _flag,
        "policy": _policy,
        "mac_aging": _mac_aging,
    }
