"""EOS: what is said once for the switch: maps, watchdog timers, MMU profiles, the kill switch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from xoff.model.origin import Line, Origin
from xoff.model.qos import Alpha, Colour, WatchdogAction
from xoff.model.quantity import Fact, Quantity, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import RemarkKind
from xoff.nos.eos import words
from xoff.nos.eos.statements import timers
from xoff.nos.linetemplate import Said
from xoff.nos.reader import Block, Reading
from xoff.nos.registry import Nos
from xoff.nos.settings import Setting, Settings

MMU = "platform trident mmu queue profile"
RESUME = Unknown("whether EOS's `ingress resume` is a level or an offset is not confirmed", Fact.DEFAULT)


@dataclass(slots=True)
class Mmu:
    """An MMU queue profile.

    `ingress`: headroom, reserved, threshold, resume; `groups` by (group, what), `queues` by (kind, queue, what).
    """

    name: str
    at: Line
    ingress: dict[str, Setting] = field(default_factory=dict)
    groups: dict[tuple[int, str], Setting] = field(default_factory=dict)
    queues: dict[tuple[str, int, str], Setting] = field(default_factory=dict)

    def values(self) -> dict[str, str]:
        """All statements as text, by words of the profile."""
        out = {k: text(s.value) for k, s in self.ingress.items()}
        out |= {f"priority-group {g} {k}": text(s.value) for (g, k), s in self.groups.items()}
        out |= {f"{kind} queue {q} {k}": text(s.value) for (kind, q, k), s in self.queues.items()}
        return out


def text(value: object) -> str:
    return str(value.alpha.plain) if isinstance(value, Alpha) else str(value)


@dataclass(slots=True)
class Globals:
    """Everything that holds for all ports. Maps are total where EOS has a known default."""

    dscp: dict[int, tuple[int, Colour]] = field(default_factory=dict)
    cos: dict[int, int] = field(default_factory=dict)
    queue: dict[int, int] = field(default_factory=dict)
    rewrite_dscp: dict[int, int] = field(default_factory=dict)
    rewrite_cos: dict[int, int] = field(default_factory=dict)
    origins: dict[str, Origin] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    mmus: dict[str, Mmu] = field(default_factory=dict)
    applied: Mmu | None = None
    apply_lines: list[tuple[str, Line]] = field(default_factory=list)
    headroom_pool: Setting | None = None


class GlobalReader:
    """Reads the root block and the MMU profiles. Values that EOS cannot mean become remarks."""

    def __init__(self, reading: Reading, nos: Nos) -> None:
        self.reading = reading
        self.nos = nos
        self.out = Globals()
        self._map_rows: dict[str, dict[int, tuple[Any, Line]]] = {"dscp": {}, "cos": {}, "queue": {}, "rdscp": {}, "rcos": {}}
        self._rewrites: dict[str, Line | None] = {"dscp": None, "cos": None}

    def read(self) -> Globals:
        root = self.reading.root
        for block in root.below("platform"):
            self._mmu(block)
        for said in root.body.said:
            handler = self._HANDLERS.get(said.group)
            if handler is not None:
                handler(self, said)
        self._fill()
        return self.out

    def bad(self, block: Block, index: int, message: str, expected: str) -> None:
        self.reading.remarks.add(
            RemarkKind.INVALID,
            block.cause,
            block.body.texts[index],
            self.reading.at(block.lines[index]),
            message,
            expected,
            block.ports,
        )

    def _bad(self, said: Said, message: str, expected: str) -> None:
        self.bad(self.reading.root, said.index, message, expected)

    def _line(self, said: Said) -> Line:
        return self.reading.line(self.reading.root, said)

    # --- maps ---

    def _map(self, said: Said, kind: str, left: str, high: int, right: str, limit: int) -> None:
        rows = self._map_rows[kind]
        if said.negated:
            named = words.numbers(said.values[left], high) if left in said.values else frozenset(range(high + 1))
            for value in named or ():
                rows.pop(value, None)
            return
        values = words.numbers(said.values[left], high)
        target = words.whole(said.values[right], 0, limit)
        if values is None:
            self._bad(said, f"{said.values[left]!r} is no list of values that EOS has here", f"numbers from 0 to {high}")
            return
        if target is None:
            self._bad(said, f"{said.values[right]!r} does not exist here", f"0 to {limit}")
            return
        colour = Colour.GREEN
        if kind == "dscp" and "precedence" in said.values:
            precedence = words.whole(said.values["precedence"], 0, 2)
            if precedence is None:
                self._bad(said, f"drop-precedence {said.values['precedence']} does not exist", "0 to 2")
                return
            colour = words.COLOURS[precedence]
        line = self._line(said)
        for value in values:
            rows[value] = ((target, colour) if kind == "dscp" else target, line)

    def _dscp_map(self, said: Said) -> None:
        self._map(said, "dscp", "dscp", 63, "tc", 7)

    def _cos_map(self, said: Said) -> None:
        self._map(said, "cos", "cos", 7, "tc", 7)

    def _queue_map(self, said: Said) -> None:
        self._map(said, "queue", "tc", 7, "queue", 7)

    def _rewrite_dscp(self, said: Said) -> None:
        self._map(said, "rdscp", "tc", 7, "dscp", 63)

    def _rewrite_cos(self, said: Said) -> None:
        self._map(said, "rcos", "tc", 7, "cos", 7)

    def _rewrite_dscp_on(self, said: Said) -> None:
        self._rewrites["dscp"] = None if said.negated else self._line(said)

    def _rewrite_cos_on(self, said: Said) -> None:
        self._rewrites["cos"] = None if said.negated else self._line(said)

    def _fill(self) -> None:
        """Maps made total by EOS's defaults, rewriting only where it is switched on."""
        out = self.out
        for kind, key, origin in (("dscp", "classify.dscp", "classify.dscp"), ("cos", "classify.pcp", "classify.pcp")):
            entry = self.nos.default(key)
            if entry is None:
                continue
            out.origins[origin] = entry.origin(f"EOS's own map of {'DSCP' if kind == 'dscp' else 'CoS'} to traffic class")
            for first, last, tc in entry.value:
                for value in range(first, last + 1):
                    if kind == "dscp":
                        out.dscp[value] = (tc, Colour.GREEN)
                    else:
                        out.cos[value] = tc
        identity = self.nos.default("tc_to_queue")
        if identity is not None:
            out.queue = {n: n for n in range(8)}
            out.origins["tc_to_queue"] = identity.origin("traffic class n goes to queue n")
        for kind, target, name in (
            ("dscp", out.dscp, "classify.dscp"),
            ("cos", out.cos, "classify.pcp"),
            ("queue", out.queue, "tc_to_queue"),
        ):
            for value, (to, line) in sorted(self._map_rows[kind].items()):
                target[value] = to
                out.origins[f"{name}.{value}"] = line
        if self._rewrites["dscp"] is not None:
            for tc, (to, line) in sorted(self._map_rows["rdscp"].items()):
                out.rewrite_dscp[tc] = to
                out.origins[f"rewrite.dscp.{tc}"] = line
        if self._rewrites["cos"] is not None:
            for tc, (to, line) in sorted(self._map_rows["rcos"].items()):
                out.rewrite_cos[tc] = to
                out.origins[f"rewrite.pcp.{tc}"] = line

    # --- watchdog, kill switch, ECN of the whole pool ---

    def _timer(self, said: Said) -> None:
        for name, value in timers(said).items():
            if hasattr(value, "expected"):
                self._bad(said, value.message, value.expected)
            else:
                self.out.settings.said[name] = Setting(value, self._line(said))

    def _action(self, said: Said) -> None:
        key = "watchdog.action" if said.group == "watchdog_action" else "watchdog.override"
        value: WatchdogAction | None = None
        if not said.negated:
            value = words.ACTIONS.get(said.values["action"])
            if value is None:
                self._bad(said, f"watchdog action {said.values['action']} does not exist", "drop, errdisable or notify-only")
                self.out.settings.said[key] = Setting(Unknown("the watchdog action is no word of EOS"), self._line(said))
                return
        self.out.settings.said[key] = Setting(value, self._line(said))

    def _all_off(self, said: Said) -> None:
        self.out.settings.said["pfc_off"] = Setting(not said.negated, self._line(said))

    def _ecn_pool(self, said: Said) -> None:
        if said.negated:
            self.out.settings.said.pop("ecn_pool", None)
            return
        for side in ("kmin", "kmax"):
            if words.threshold(said.values[side], said.values[f"{side}_unit"]) is None:
                amount = f"{said.values[side]} {said.values[f'{side}_unit']}"
                self._bad(said, f"threshold {amount} is no value that EOS has", "1 or more segments, bytes, kbytes, mbytes")
                return
        self.out.settings.said["ecn_pool"] = Setting(True, self._line(said))

    def _number(self, key: str, low: int, high: int) -> Callable[[Said], None]:
        def read(said: Said) -> None:
            value = None if said.negated else words.whole(said.values["seconds"], low, high)
            if value is None and not said.negated:
                self._bad(said, f"{said.values['seconds']!r} is no number of seconds", f"{low} to {high}")
                return
            self.out.settings.said[key] = Setting(value, self._line(said))

        return read

    def _mac_aging(self, said: Said) -> None:
        self._number("mac_aging", 0, 10**6)(said)

    def _port_default(self, said: Said) -> None:
        known = None if said.negated else said.values["mode"] == "routed"
        self.out.settings.said["routed"] = Setting(known, self._line(said))

    def _hostname(self, said: Said) -> None:
        self.out.settings.said["hostname"] = Setting(None if said.negated else said.values["hostname"], self._line(said))

    # --- MMU ---

    def _apply(self, said: Said) -> None:
        if said.negated:
            self.out.applied = None
            return
        name = said.values["profile"]
        self.out.apply_lines.append((name, self._line(said)))
        self.out.applied = self.out.mmus.get(name)

    def _headroom_pool(self, said: Said) -> None:
        if said.negated:
            self.out.headroom_pool = None
            return
        value = words.size(said.values["size"], said.values.get("size_unit"))
        if value is None:
            self._bad(said, f"{said.values['size']!r} is no size", "a number of bytes or cells")
            return
        self.out.headroom_pool = Setting(value, self._line(said))

    def _mmu(self, block: Block) -> None:
        mmu = Mmu(block.name, self.reading.header(block))
        for said in block.body.said:
            if said.group == "known":
                continue
            v = dict(said.values)
            where = self.reading.line(block, said)
            for what in ("headroom", "reserved", "threshold", "resume"):
                if what not in v:
                    continue
                value: Quantity | Alpha | None
                if what == "threshold":
                    ratio = words.alpha(v[what])
                    value, expected = (None if ratio is None else Alpha(ratio)), ", ".join(words.ALPHAS)
                else:
                    value, expected = words.size(v[what], v.get(f"{what}_unit")), "a number of bytes or cells"
                if value is None:
                    self.bad(block, said.index, f"{what} {v[what]} is no value that EOS has", expected)
                    continue
                number = words.whole(v.get("group") or v.get("queue") or "0", 0, 7)
                if number is None:
                    self.bad(block, said.index, f"{said.group} {v.get(said.group)} does not exist", "0 to 7")
                elif said.negated:
                    continue
                elif said.group == "group":
                    mmu.groups[number, what] = Setting(value, where)
                elif said.group == "queue":
                    mmu.queues[v["cast"], number, what] = Setting(value, where)
                else:
                    mmu.ingress[what] = Setting(value, where)
        self.out.mmus[block.name] = mmu

    _HANDLERS: Mapping[str, Callable[[GlobalReader, Said], None]] = {
        "hostname": _hostname,
        "dscp_map": _dscp_map,
        "cos_map": _cos_map,
        "queue_map": _queue_map,
        "rewrite_dscp": _rewrite_dscp,
        "rewrite_cos": _rewrite_cos,
        "rewrite_dscp_on": _rewrite_dscp_on,
        "rewrite_cos_on": _rewrite_cos_on,
        "pfc_all_off": _all_off,
        "watchdog_detect": _timer,
        "watchdog_restore": _timer,
        "watchdog_poll": _timer,
        "watchdog_action": _action,
        "watchdog_override": _action,
        "mmu_apply": _apply,
        "headroom_pool": _headroom_pool,
        "ecn_pool": _ecn_pool,
        "mac_aging": _mac_aging,
        "port_default": _port_default,
    }
