"""Enterprise SONiC: what is said once for the switch: maps, policies, buffer mode, pool and profiles, watchdog polling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from xoff.model.origin import Line
from xoff.model.qos import Alpha, Static
from xoff.model.quantity import Quantity, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import RemarkKind
from xoff.nos.enterprise_sonic import words
from xoff.nos.enterprise_sonic.statements import of_scheduler, of_wred
from xoff.nos.linetemplate import Said
from xoff.nos.numbers import listed, whole
from xoff.nos.reader import Block, Reading
from xoff.nos.settings import Setting, Settings

#: The only pool whose headroom the CLI names.
LOSSLESS = "ingress_lossless_pool"
POOLS = (LOSSLESS, "egress_lossless_pool", "egress_lossy_pool")


@dataclass(slots=True)
class MapTable:
    """A map: value -> (target, its line)."""

    kind: words.MapKind
    name: str
    at: Line
    rows: dict[int, tuple[int, Line]] = field(default_factory=dict)


@dataclass(slots=True)
class Wred:
    at: Line
    settings: Settings


@dataclass(slots=True)
class Policy:
    """A scheduler policy: settings by queue; -1 is the port."""

    at: Line
    queues: dict[int, tuple[Line, Settings]] = field(default_factory=dict)


@dataclass(slots=True)
class Profile:
    """A buffer profile. `pause`: it is one for lossless traffic. A value that cannot be meant is Unknown."""

    name: str
    at: Line
    pool: str | Unknown
    pause: bool
    reserved: Quantity | Unknown
    threshold: Alpha | Static | Unknown | None = None
    headroom: Quantity | Unknown | None = None
    xon: Quantity | Unknown | None = None
    xon_offset: Quantity | Unknown | None = None
    said: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Globals:
    """Everything that holds for all ports. `priorities`: those of `roce enable pfc-priority`, empty where it names none."""

    maps: dict[tuple[str, str], MapTable] = field(default_factory=dict)
    wreds: dict[str, Wred] = field(default_factory=dict)
    policies: dict[str, Policy] = field(default_factory=dict)
    profiles: dict[str, Profile] = field(default_factory=dict)
    headroom_pool: Setting | None = None
    init: Line | None = None
    roce: Line | None = None
    priorities: frozenset[int] = frozenset()
    whole: bool = False
    settings: Settings = field(default_factory=Settings)


class GlobalReader:
    """Reads the root block, maps and policies. Values that the CLI cannot mean become remarks."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.out = Globals()

    def read(self) -> Globals:
        root = self.reading.root
        for said in root.body.said:
            handler = self._HANDLERS.get(said.group)
            if handler is not None:
                handler(self, said)
        for block in root.below("qos"):
            kind = block.spec.path[-1].split()[1:-1]
            if kind == ["wred-policy"]:
                self.out.wreds[block.name] = Wred(self.reading.header(block), self._own(block, of_wred(block, self.reading)))
            elif kind == ["scheduler-policy"]:
                self._policy(block)
            else:
                self._map(block, words.MAPS[kind[-1]])
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

    def _own(self, block: Block, settings: Settings) -> Settings:
        for wrong in settings.wrong:
            self.bad(block, wrong.place[1], wrong.message, wrong.expected)
        return settings

    # --- maps and policies ---

    def _map(self, block: Block, kind: words.MapKind) -> None:
        out = MapTable(kind, block.name, self.reading.header(block))
        for said in block.body.said:
            values = listed(said.values.get("values", f"0-{kind.keys}"), kind.keys)
            if values is None:
                self.bad(block, said.index, f"{said.values['values']!r} is no list of {kind.key}s", f"0 to {kind.keys}")
                continue
            if said.negated:
                for value in values:
                    out.rows.pop(value, None)
                continue
            target = whole(said.values["target"], 0, kind.targets)
            if target is None:
                self.bad(
                    block, said.index, f"{kind.target} {said.values['target']} does not exist here", f"0 to {kind.targets}"
                )
                continue
            out.rows |= dict.fromkeys(values, (target, self.reading.line(block, said)))
        self.out.maps[kind.name, block.name] = out

    def _policy(self, block: Block) -> None:
        policy = self.out.policies[block.name] = Policy(self.reading.header(block))
        for child in block.children:
            text = child.values.get("queue", "255")
            number = -1 if text == "255" else whole(text, 0, 7)  # 255 stands for the port
            if number is None:
                message = f"queue {text} does not exist"
                where = self.reading.header(child)
                self.reading.remarks.add(RemarkKind.INVALID, where.path, where.text, where.at, message, "0 to 7")
                continue
            policy.queues[number] = (self.reading.header(child), self._own(child, of_scheduler(child, self.reading)))

    # --- buffers ---

    def _init(self, said: Said) -> None:
        self.out.init = None if said.negated else self._line(said)

    def _roce(self, said: Said) -> None:
        self.out.roce = None if said.negated else self._line(said)
        self.out.priorities = frozenset()
        if "priorities" in said.values and not said.negated:
            found = listed(said.values["priorities"], 7)
            if found is None or len(found) > 2:
                self._bad(said, f"pfc-priority {said.values['priorities']} is no choice of priorities", "one or two of 0 to 7")
            else:
                self.out.priorities = found

    def _pool(self, said: Said) -> None:
        if said.negated:
            self.out.headroom_pool = None
            return
        value = words.size(said.values["xoff"])
        if said.values["pool"] != LOSSLESS:
            self._bad(said, f"{said.values['pool']} has no shared headroom", LOSSLESS)
        elif value is None:
            self._bad(said, f"shared-headroom-size {said.values['xoff']} is no size", "a number of bytes")
        else:
            self.out.headroom_pool = Setting(value, self._line(said))

    def _profile(self, said: Said) -> None:
        v = said.values
        if said.negated:
            self.out.profiles.pop(v.get("profile", ""), None)
            return
        pool: str | Unknown = v["pool"]
        if v["pool"] not in POOLS:
            self._bad(said, f"there is no pool {v['pool']}", ", ".join(POOLS))
            pool = Unknown(f"there is no pool {v['pool']}")
        sizes: dict[str, Quantity | Unknown | None] = {
            key: self._size(said, key, what)
            for key, what in (("size", "reserved size"), ("xoff", "pause-threshold"), ("xon", "resume-threshold"),
                              ("offset", "resume-offset-threshold"))
        }  # fmt: skip
        reserved = sizes["size"]
        assert reserved is not None
        self.out.profiles[v["profile"]] = Profile(
            v["profile"],
            self._line(said),
            pool,
            "pause" in v or "xoff" in v,
            reserved,
            self._threshold(said),
            sizes["xoff"],
            sizes["xon"],
            sizes["offset"],
            {name: v[key] for key, name in _FIELDS.items() if key in v},
        )

    def _size(self, said: Said, key: str, what: str) -> Quantity | Unknown | None:
        text = said.values.get(key)
        if text is None:
            return None
        found = words.size(text)
        if found is None:
            self._bad(said, f"{what} {text} is no size", "a number of bytes")
            return Unknown(f"{what} is {text!r}, which is no size")
        return found

    def _threshold(self, said: Said) -> Alpha | Static | Unknown | None:
        if "dynamic" in said.values:
            found = words.exponent(said.values["dynamic"])
            if found is None:
                self._bad(said, f"dynamic-threshold {said.values['dynamic']} does not exist", "-6 to 3")
                return Unknown("the dynamic threshold is none that the CLI takes")
            return found
        static = self._size(said, "static", "static-threshold")
        return Static(static) if isinstance(static, Quantity) else static

    # --- the rest ---

    def _poll(self, said: Said) -> None:
        value = None if said.negated else words.milliseconds(said.values["poll"], 100, 3000)
        if value is None and not said.negated:
            self._bad(said, f"polling-interval {said.values['poll']} is no time that it takes", "100 to 3000 ms")
            value = Unknown("the polling interval is none that the CLI takes")  # type: ignore[assignment]
        self.out.settings.said["watchdog.poll"] = Setting(value, self._line(said))

    def _hostname(self, said: Said) -> None:
        self.out.whole = True
        self.out.settings.said["hostname"] = Setting(None if said.negated else said.values["hostname"], self._line(said))

    def _whole(self, said: Said) -> None:
        self.out.whole = True

    def _mac_aging(self, said: Said) -> None:
        value = None if said.negated else whole(said.values["seconds"], 0, 10**6)
        self.out.settings.said["mac_aging"] = Setting(value, self._line(said))

    _HANDLERS: Mapping[str, Callable[[GlobalReader, Said], None]] = {
        "hostname": _hostname,
        "whole": _whole,
        "init": _init,
        "roce": _roce,
        "pool": _pool,
        "profile": _profile,
        "poll": _poll,
        "mac_aging": _mac_aging,
    }


#: Fields of a profile as SONiC's own table calls them, so that profiles of both forms read alike.
_FIELDS = {
    "pool": "pool",
    "size": "size",
    "static": "static_th",
    "dynamic": "dynamic_th",
    "xoff": "xoff",
    "xon": "xon",
    "offset": "xon_offset",
}
