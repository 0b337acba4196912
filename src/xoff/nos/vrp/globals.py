"""VRP: what is said once for the switch: system view, PFC and drop profiles, DiffServ domains, ETS, AI ECN, policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from xoff.model.origin import Line
from xoff.model.qos import Colour
from xoff.model.quantity import Quantity, Unit, quantity
from xoff.model.record import dataclass
from xoff.model.switch import RemarkKind
from xoff.nos.linetemplate import Said
from xoff.nos.reader import Block, Reading
from xoff.nos.settings import Setting, Settings
from xoff.nos.vrp import family as fam
from xoff.nos.vrp import words
from xoff.nos.vrp.family import Hint

DEFAULT = "default"
#: Precisions of the deadlock times (MANUAL dcb pfc deadlock-detect interval).
PRECISIONS = (10, 100, 500, 1000)
#: Words of interface lines that somebody put into the system view, where they would name a profile.
_NO_PROFILE = frozenset({"enable", "buffer", "priority", "mode"})


@dataclass(slots=True)
class PfcProfile:
    """A PFC profile as far as lines say it.

    `times`: (priority, `detect` or `restore`) -> count; `turn_off`: priority -> count.
    """

    name: str
    at: Line
    listed: dict[int, Line] = field(default_factory=dict)
    without: dict[int, Line] = field(default_factory=dict)
    times: dict[tuple[int, str], Setting] = field(default_factory=dict)
    turn_off: dict[int, Setting] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ramp:
    """Thresholds of a drop profile: `ecn`, or one colour's."""

    low: Quantity
    high: Quantity
    pmax: Quantity
    at: Line


@dataclass(slots=True)
class DropProfile:
    name: str
    at: Line
    ecn: Ramp | None = None
    colours: dict[Colour, Ramp] = field(default_factory=dict)


@dataclass(slots=True)
class Domain:
    """A DiffServ domain: what differs from the map that every domain begins with."""

    name: str
    at: Line | None
    dscp: dict[int, tuple[int, Colour, Line]] = field(default_factory=dict)
    pcp: dict[int, tuple[int, Colour, Line]] = field(default_factory=dict)
    dscp_out: dict[int, tuple[int, Line]] = field(default_factory=dict)
    pcp_out: dict[int, tuple[int, Line]] = field(default_factory=dict)


@dataclass(slots=True)
class Ets:
    name: str
    at: Line
    groups: dict[int, tuple[int, Line]] = field(default_factory=dict)
    weights: dict[int, tuple[int, Line]] = field(default_factory=dict)


@dataclass(slots=True)
class Globals:
    """All that holds for more than one port."""

    settings: Settings = field(default_factory=Settings)
    pfc: dict[str, PfcProfile] = field(default_factory=dict)
    drops: dict[str, DropProfile] = field(default_factory=dict)
    domains: dict[str, Domain] = field(default_factory=dict)
    ets: dict[str, Ets] = field(default_factory=dict)
    pools: dict[str, Setting] = field(default_factory=dict)
    mapping: dict[str, Line] = field(default_factory=dict)
    behaviour: dict[str, Setting] = field(default_factory=dict)
    ai_ecn: dict[int, Line] = field(default_factory=dict)
    uplinks: dict[str, Line] = field(default_factory=dict)
    remarking: dict[str, Line | None] = field(default_factory=dict)
    hints: list[Hint] = field(default_factory=list)
    board: tuple[str, Line] | None = None


class GlobalReader:
    """Reads everything but the interfaces. Values that VRP cannot mean become remarks."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.out = Globals()

    def read(self) -> Globals:
        root = self.reading.root
        for said in root.body.said:
            handler = self._ROOT.get(said.group)
            if handler is not None:
                handler(self, said)
        for block in root.children:
            reader = self._BLOCKS.get(block.spec.path[-1])
            if reader is not None:
                reader(self, block)
        self._policies()
        return self.out

    def bad(self, block: Block, index: int, message: str, expected: str) -> None:
        at = self.reading.at(block.lines[index] if index >= 0 else block.line)
        cause = block.cause if index >= 0 else block.cause[:-1]
        text = block.body.texts[index] if index >= 0 else block.header
        self.reading.remarks.add(RemarkKind.INVALID, cause, text, at, message, expected, block.ports)

    def number(self, block: Block, said: Said, key: str, low: int, high: int, what: str) -> int | None:
        """The number behind `key`; None, and a remark, where it is out of range."""
        found = words.whole(said.values[key], low, high)
        if found is None:
            self.bad(block, said.index, f"{what} {said.values[key]} is no value that VRP has", f"{low} to {high}")
        return found

    # --- system view ---

    def _line(self, said: Said) -> Line:
        return self.reading.line(self.reading.root, said)

    def _hostname(self, said: Said) -> None:
        self._set("hostname", None if said.negated else said.values["hostname"], said)

    def _set(self, name: str, value: object, said: Said) -> None:
        self.out.settings.said[name] = Setting(value, self._line(said))

    def _pfc_off(self, said: Said) -> None:
        self._set("pfc_off", said.values.get("off") == "on", said)

    def _mapping(self, said: Said) -> None:
        if said.negated:
            self.out.mapping.pop(said.values.get("slot", ""), None)
            return
        self.out.mapping[said.values["slot"]] = self._line(said)
        self._hint(fam.A, said)

    def _hint(self, families: frozenset[fam.Family], said: Said) -> None:
        self.out.hints.append(Hint(families, self._line(said)))

    def _pool(self, said: Said) -> None:
        if said.negated:
            self.out.pools.pop(said.values.get("slot", ""), None)
            return
        high = 30720 if said.values["unit"] == "kbytes" else 30
        amount = self.number(self.reading.root, said, "size", 1, high, "headroom pool of")
        if amount is not None:
            size = words.size(said.values["size"], said.values["unit"], 1, high)
            self.out.pools[said.values["slot"]] = Setting(size, self._line(said))

    def _lossless_pool(self, said: Said) -> None:
        if not said.negated:
            self._hint(fam.C, said)

    def _ecn_enable(self, said: Said) -> None:
        self._set("ecn_enable", None if said.negated else True, said)
        if not said.negated:
            self._hint(fam.B_OR_C, said)

    def _precision(self, said: Said) -> None:
        value = None if said.negated else words.whole(said.values["ms"], 1, 1000)
        if not said.negated and value not in PRECISIONS:
            expected = ", ".join(map(str, PRECISIONS)) + " ms"
            self.bad(self.reading.root, said.index, f"precision {said.values['ms']} is no value that VRP has", expected)
            return
        self._set("watchdog.precision", value, said)
        if not said.negated:
            self._hint(fam.A, said)

    def _timer(self, said: Said) -> None:
        name = "watchdog.detect" if said.group == "detect_timer" else "watchdog.restore"
        if said.negated:
            self._set(name, None, said)
            return
        ms = self.number(self.reading.root, said, "ms", 10, 1500, "deadlock timer of")
        self._set(name, None if ms is None else words.milliseconds(ms), said)
        self._hint(fam.B_OR_C, said)

    def _behaviour(self, said: Said) -> None:
        if said.negated:
            self.out.behaviour.pop(said.values.get("slot", ""), None)
        else:
            self.out.behaviour[said.values["slot"]] = Setting(said.values["behaviour"], self._line(said))

    def _tunnel(self, said: Said) -> None:
        self._set(said.group, None if said.negated else said.values["what"], said)

    def _board(self, said: Said) -> None:
        if self.out.board is None and not said.negated:
            self.out.board = (said.values["model"], self._line(said))

    _ROOT: Mapping[str, Callable[[GlobalReader, Said], None]] = {
        "hostname": _hostname,
        "pfc_off": _pfc_off,
        "dscp_mapping": _mapping,
        "headroom_pool": _pool,
        "lossless_pool": _lossless_pool,
        "ecn_enable": _ecn_enable,
        "precision": _precision,
        "detect_timer": _timer,
        "restore_timer": _timer,
        "behaviour": _behaviour,
        "nvo3_egress": _tunnel,
        "nvo3_transit": _tunnel,
        "board": _board,
    }

    # --- PFC profiles ---

    def _pfc(self, block: Block) -> None:
        name = block.name or DEFAULT
        if name in _NO_PROFILE:
            self.bad(block, -1, f"`dcb pfc {name}` is no line of the system view, where it names a PFC profile",
                     "a line of an interface, or another name")  # fmt: skip
            return
        profile = self.out.pfc.setdefault(name, PfcProfile(name, self.reading.header(block)))
        for said in block.body.said:
            if said.group in ("priorities", "without"):
                self._priorities(block, said, profile)
                continue
            priority = self.number(block, said, "priority", 0, 7, "priority") if "priority" in said.values else None
            if priority is None:
                continue
            line = self.reading.line(block, said)
            if said.group == "times":
                self._times(block, said, profile, priority, line)
            elif said.group == "turn_off":
                if said.negated:
                    profile.turn_off.pop(priority, None)
                else:
                    count = self.number(block, said, "count", 1, 300, "threshold")
                    if count is not None:
                        profile.turn_off[priority] = Setting(count, line)

    def _priorities(self, block: Block, said: Said, profile: PfcProfile) -> None:
        found = words.numbers(said.values.get("priorities", ""), 7)
        if found is None:
            self.bad(block, said.index, f"priorities {said.values.get('priorities')} do not exist", "0 to 7")
            return
        line = self.reading.line(block, said)
        for p in found:
            if said.group == "without" or said.negated:
                profile.listed.pop(p, None)
                profile.without[p] = line
            else:
                profile.without.pop(p, None)
                profile.listed[p] = line

    def _times(self, block: Block, said: Said, profile: PfcProfile, priority: int, line: Line) -> None:
        if said.negated:
            for what in ("detect", "restore"):
                profile.times.pop((priority, what), None)
            return
        for what, low, high in (("detect", 1, 15), ("restore", 0, 31)):
            if what in said.values:
                count = self.number(block, said, what, low, high, f"deadlock {what} time")
                if count is not None:
                    profile.times[priority, what] = Setting(count, line)
        self.out.hints.append(Hint(fam.A_OR_C, line))

    # --- drop profiles ---

    def _drop(self, block: Block) -> None:
        profile = self.out.drops.setdefault(block.name, DropProfile(block.name, self.reading.header(block)))
        for said in block.body.said:
            if said.negated:
                self._undone(profile, said)
                continue
            ramp = self._ramp(block, said)
            if ramp is None:
                continue
            if said.group == "ecn":
                profile.ecn = ramp
            else:
                profile.colours[Colour(said.values["colour"])] = ramp

    @staticmethod
    def _undone(profile: DropProfile, said: Said) -> None:
        if said.group == "ecn":
            profile.ecn = None
        elif "colour" in said.values:
            profile.colours.pop(Colour(said.values["colour"]), None)

    def _ramp(self, block: Block, said: Said) -> Ramp | None:
        v = said.values
        high = 100 if v["unit"] == "percent" else 10**9
        low_q, high_q = (words.size(v[k], v["unit"], 0, high) for k in ("low", "high"))
        pmax = words.whole(v["pmax"], 0, 100)
        for key, value, expected in (
            ("low", low_q, f"0 to {high}"),
            ("high", high_q, f"0 to {high}"),
            ("pmax", pmax, "1 to 100 percent"),
        ):
            if value is None:
                what = "discard-percentage" if key == "pmax" else f"{key}-limit"
                self.bad(block, said.index, f"{what} {v[key]} is no value that VRP has", expected)
                return None
        assert low_q is not None
        assert high_q is not None
        return Ramp(low_q, high_q, quantity(pmax or 0, Unit.PERCENT), self.reading.line(block, said))

    # --- DiffServ domains ---

    def _domain(self, block: Block) -> None:
        domain = self.out.domains.setdefault(block.name, Domain(block.name, self.reading.header(block)))
        for said in block.body.said:
            line = self.reading.line(block, said)
            high = 63 if said.group.startswith("dscp") else 7
            value = words.whole(said.values.get("value", ""), 0, high)
            phb = said.values.get("phb", "")
            if said.negated:
                own = {"dscp": domain.dscp, "pcp": domain.pcp}.get(said.group)
                if own is not None and value is not None:
                    own.pop(value, None)
                continue
            if value is None:
                self.bad(block, said.index, f"{said.values['value']} does not exist here", f"0 to {high}")
                continue
            if phb not in words.PHBS:
                self.bad(block, said.index, f"service class {phb} does not exist", ", ".join(words.PHBS))
                continue
            tc, colour = words.PHBS.index(phb), Colour(said.values.get("colour", "green"))
            if said.group == "dscp":
                domain.dscp[value] = (tc, colour, line)
            elif said.group == "pcp":
                domain.pcp[value] = (tc, colour, line)
            elif colour is Colour.GREEN:
                (domain.dscp_out if said.group == "dscp_out" else domain.pcp_out)[tc] = (value, line)

    # --- ETS, AI ECN, uplink groups ---

    def _ets(self, block: Block) -> None:
        ets = self.out.ets.setdefault(block.name, Ets(block.name, self.reading.header(block)))
        for said in block.body.said:
            if said.negated or said.group == "known":
                continue
            number = self.number(block, said, "number", 0, 15, "priority group")
            line = self.reading.line(block, said)
            if number is None:
                continue
            if said.group == "weight":
                weight = self.number(block, said, "weight", 1, 100, "weight")
                if weight is not None:
                    ets.weights[number] = (weight, line)
                continue
            queues = words.numbers(said.values["queues"], 7)
            if queues is None:
                self.bad(block, said.index, f"queues {said.values['queues']} do not exist", "0 to 7")
                continue
            ets.groups.update(dict.fromkeys(queues, (number, line)))

    def _ai(self, block: Block) -> None:
        for child in block.children:
            if child.spec.path[-1] != "ai-ecn":
                continue
            if not any(s.group == "enable" and not s.negated for s in child.body.said):
                continue
            for said in child.body.said:
                if said.group == "queue" and not said.negated:
                    queue = self.number(child, said, "queue", 0, 7, "queue")
                    if queue is not None:
                        self.out.ai_ecn[queue] = self.reading.line(child, said)

    def _uplink(self, block: Block) -> None:
        for said in block.body.said:
            if said.group == "adjust" and not said.negated:
                self.number(block, said, "dscp", 0, 63, "DSCP")
                self.number(block, said, "new", 0, 63, "DSCP")
                self.number(block, said, "priority", 0, 7, "priority")
        self.out.uplinks[block.name] = self.reading.header(block)

    # --- traffic policies ---

    def _policies(self) -> None:
        """Which policies move packets to other queues: those with a behaviour that marks."""
        behaviors: dict[str, Line] = {}
        for block in self.reading.root.below("traffic"):
            if block.spec.path[-1].startswith("traffic behavior"):
                for said in block.body.said:
                    if not said.negated:
                        behaviors[block.name] = self.reading.line(block, said)
        for block in self.reading.root.below("traffic"):
            if block.spec.path[-1].startswith("traffic policy"):
                used = [s.values["behavior"] for s in block.body.said if not s.negated]
                self.out.remarking[block.name] = next((behaviors[b] for b in used if b in behaviors), None)

    _BLOCKS: Mapping[str, Callable[[GlobalReader, Block], None]] = {
        "dcb pfc": _pfc,
        "dcb pfc *": _pfc,
        "drop-profile *": _drop,
        "diffserv domain *": _domain,
        "dcb ets-profile *": _ets,
        "dcb pfc uplink group *": _uplink,
        "ai-service": _ai,
    }
