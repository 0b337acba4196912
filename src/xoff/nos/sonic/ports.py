"""Ports of a SONiC device: which there are, of what kind, their own values, and the rows that concern each."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import field

from xoff.model.origin import BodyLine, Default, Evidence, Origin, Origins
from xoff.model.quantity import Fact, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import PortKind
from xoff.nos.sonic import maps
from xoff.nos.sonic.env import Bound
from xoff.nos.sonic.load import Config, Row, field_text
from xoff.nos.sonic.typed_tables import NOT_A_PORT

_ETHERNET = re.compile(r"Ethernet(\d+)$")
_ALIAS = re.compile(r"(.*\d)(?:/(\d+)|([a-h]))$")
_YANG_PORT = f"{maps.YANG}/sonic-port.yang"
_ROLES = {"Int": PortKind.BACKPLANE, "Inb": PortKind.INTERNAL, "Rec": PortKind.INTERNAL, "Dpc": PortKind.INTERNAL}


@dataclass(slots=True)
class Layout:
    """What the other tables say of the ports: bundles, breakouts, addresses, routing, cables, neighbours."""

    bundle_of: dict[str, str] = field(default_factory=dict)
    members: dict[str, list[str]] = field(default_factory=dict)
    cage: dict[str, str] = field(default_factory=dict)
    inband: set[str] = field(default_factory=set)
    addresses: dict[str, list[str]] = field(default_factory=dict)
    vrf: dict[str, str] = field(default_factory=dict)
    routed: dict[str, bool] = field(default_factory=dict)
    cables: dict[str, Row] = field(default_factory=dict)
    neighbours: dict[str, tuple[str, str | None]] = field(default_factory=dict)


def layout(config: Config) -> Layout:
    out = Layout()
    for key in config.rows("PORTCHANNEL_MEMBER"):
        bundle, _, port = key.partition("|")
        if port:
            out.bundle_of[port] = bundle
            out.members.setdefault(bundle, []).append(port)
    for name, row in config.rows("PORTCHANNEL").items():
        for port in row.fields.get("members", "").split(","):
            if port and port not in out.bundle_of:
                out.bundle_of[port] = name
                out.members.setdefault(name, []).append(port)
        if row.fields.get("mode") in ("routed", "trunk", "access"):
            out.routed[name] = row.fields["mode"] == "routed"
    for name, row in config.rows("PORT").items():
        if row.fields.get("mode") in ("routed", "trunk", "access"):
            out.routed[name] = row.fields["mode"] == "routed"
    for key in config.rows("VLAN_MEMBER"):
        out.routed[key.partition("|")[2]] = False
    for table in (
        "INTERFACE",
        "PORTCHANNEL_INTERFACE",
        "VLAN_INTERFACE",
        "VLAN_SUB_INTERFACE",
        "LOOPBACK_INTERFACE",
        "MGMT_INTERFACE",
    ):
        for key, row in config.rows(table).items():
            name, bar, address = key.partition("|")
            out.routed[name] = True
            if bar:
                out.addresses.setdefault(name, []).append(address)
            if row.fields.get("vrf_name"):
                out.vrf[name] = row.fields["vrf_name"]
    for row in config.rows("CABLE_LENGTH").values():
        for port in row.fields:
            out.cables[port] = row
    for key, row in config.rows("DEVICE_NEIGHBOR").items():
        if row.fields.get("name"):
            out.neighbours[row.fields.get("local_port") or key] = (row.fields["name"], row.fields.get("port"))
    out.inband = {key.partition("|")[0] for key in config.rows("VOQ_INBAND_INTERFACE")}
    out.cage = cages(config)
    return out


def cages(config: Config) -> dict[str, str]:
    """Port -> first port of its cage, for the ports of a broken-out cage.

    By BREAKOUT_CFG; else by PORT.index, the number of the front-panel cage, which its children share; else by aliases such as
    Eth1, Eth1/2 or etp1a, etp1b.
    """
    ports = config.rows("PORT")
    numbers = {p: int(m.group(1)) for p in ports if (m := _ETHERNET.match(p))}
    out: dict[str, str] = {}
    parents = sorted((numbers[p], p) for p in config.rows("BREAKOUT_CFG") if p in numbers)
    for i, (first, parent) in enumerate(parents):
        mode = config.value("BREAKOUT_CFG", parent, "brkout_mode") or ""
        count = mode.partition("x")[0]
        end = parents[i + 1][0] if i + 1 < len(parents) else first + 8
        if count.isdigit() and int(count) > 1:
            out |= {p: parent for p, n in numbers.items() if first <= n < min(end, first + 8)}
    by_index: dict[str, list[str]] = {}
    by_alias: dict[str, list[str]] = {}
    aliases = {row.fields.get("alias", "") for row in ports.values()}
    for p, row in ports.items():
        if row.fields.get("index", "").isdigit():
            by_index.setdefault(row.fields["index"], []).append(p)
        alias = row.fields.get("alias", "")
        m = _ALIAS.match(alias)
        if m and (m.group(3) or m.group(1) in aliases):
            by_alias.setdefault(m.group(1), []).append(p)
        elif alias:
            by_alias.setdefault(alias, []).append(p)
    for group in (*by_index.values(), *by_alias.values()):
        known = [p for p in group if p in numbers and p not in out]
        if len(known) > 1 and max(numbers[p] for p in known) - min(numbers[p] for p in known) < 8:
            first_port = min(known, key=numbers.__getitem__)
            out |= dict.fromkeys(known, first_port)
    return out


def kind(name: str, role: str | None, plan: Layout) -> PortKind:
    """What a port is, by its name and PORT.role (sonic-port.yang)."""
    if name.startswith("PortChannel"):
        return PortKind.SUBINTERFACE if "." in name else PortKind.BUNDLE
    if name.startswith("Vlan"):
        return PortKind.SVI
    if name.startswith("Loopback"):
        return PortKind.LOOPBACK
    if name.startswith("eth"):
        return PortKind.MANAGEMENT
    if "|" in name or name in plan.inband or name.startswith(("Ethernet-IB", "Ethernet-Rec")):
        return PortKind.INTERNAL
    if name.startswith("Ethernet-BP"):
        return PortKind.BACKPLANE
    if role in _ROLES:
        return _ROLES[role]
    if "." in name:
        return PortKind.SUBINTERFACE
    if name in plan.bundle_of:
        return PortKind.MEMBER
    return PortKind.BREAKOUT if name in plan.cage else PortKind.FRONT


def bind(config: Config, hostname: str | None, asic: str | None) -> dict[str, Bound]:
    """The rows of every port, in the order in which ports are first named. Rows for the switch are left out.

    On a VOQ chassis rows carry host and ASIC; those of other line cards are kept under `host|asic|port`, a system port.
    """
    out: dict[str, Bound] = {p: Bound() for p in config.rows("PORT")}
    here = _local(config, hostname, asic)

    def of(name: str) -> Bound:
        found = out.get(name)
        if found is None:
            found = out[name] = Bound()
        return found

    def each(key: str) -> list[str]:
        return [key] if "," not in key else [p for p in key.split(",") if p]

    for key, row in config.rows("PORT_QOS_MAP").items():
        if key not in NOT_A_PORT:
            for port in each(key):
                of(port).qos = row
    for table, where in (("BUFFER_PG", "groups"), ("QUEUE", "queues"), ("BUFFER_QUEUE", "buffers")):
        for key, row in config.rows(table).items():
            parts = key.split("|")
            if len(parts) == 2:
                for port in each(parts[0]):
                    if port not in NOT_A_PORT:
                        getattr(of(port), where).append((parts[1], row))
            elif len(parts) == 4:
                name = parts[2] if (parts[0], parts[1].lower()) == here else "|".join(parts[:3])
                bound = of(name)
                bound.voq = True
                getattr(bound, where).append((parts[3], row))
    for key, row in config.rows("PFC_WD").items():
        if key not in NOT_A_PORT:
            for port in each(key):
                of(port).watchdog = row
    for table in ("BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST"):
        for key, row in config.rows(table).items():
            for port in each(key):
                of(port).lists.append(row)
    for bound in out.values():  # a database keeps no order, so none may matter: ports that say the same are the same
        for rows in (bound.groups, bound.queues, bound.buffers):
            rows.sort(key=_by_sub)
    return out


def _by_sub(item: tuple[str, Row]) -> str:
    return item[0]


def _local(config: Config, hostname: str | None, asic: str | None) -> tuple[str, str] | None:
    """(host, asic) of this line card in four-part keys: by DEVICE_METADATA, else by a scheduler, which only local ones have."""
    seen: Counter[tuple[str, str]] = Counter()
    served: Counter[tuple[str, str]] = Counter()
    for table in ("QUEUE", "BUFFER_QUEUE"):
        for key, row in config.rows(table).items():
            parts = key.split("|")
            if len(parts) == 4:
                pair = (parts[0], parts[1].lower())
                seen[pair] += 1
                if "scheduler" in row.fields:
                    served[pair] += 1
    for pair in seen:
        if hostname is not None and pair[0] == hostname and (asic is None or pair[1] == asic.lower()):
            return pair
    if len(seen) == 1:
        return next(iter(seen))
    return next(iter(served)) if len(served) == 1 else None


@dataclass(frozen=True, slots=True)
class Own:
    """A port's own values; None where not said, Unknown where a part of the configuration that would say it is not here."""

    speed: int | Unknown | None
    mtu: int | Unknown | None
    admin: bool | Unknown
    cable_m: int | Unknown | None
    admin_said: bool | Unknown
    asymmetric: bool | Unknown | None
    origins: Origins


class Owns:
    """Own values of ports, with origins shared by ports that say the same."""

    def __init__(self, config: Config, plan: Layout, fragment: bool) -> None:
        self.config, self.plan, self.fragment = config, plan, fragment
        self._seen: dict[tuple[str | None, ...], Own] = {}

    def of(self, name: str) -> Own:
        row = self.config.row("PORT", name) or self.config.row("PORTCHANNEL", name)
        said = {} if row is None else row.fields
        cable_row = self.plan.cables.get(name)
        cable = None if cable_row is None else cable_row.fields.get(name)
        named = ("speed", "mtu", "admin_status", "pfc_asym", "description")
        key = (None if row is None else row.table, cable, *(said.get(f) for f in named[:4]), str("description" in said))
        found = self._seen.get(key)
        if found is None:
            found = self._seen[key] = self._read(row, cable)
        return found

    def _read(self, row: Row | None, cable: str | None) -> Own:
        origins: dict[str, Origin] = {}
        absent = Unknown("PORT is not in the input", Fact.SPEED) if row is None and not self.config.rows("PORT") else None
        values: dict[str, int | Unknown | None] = {}
        for path, fname in (("speed", "speed"), ("mtu", "mtu")):
            values[path] = absent if row is None else _number(row, fname)
            if row is not None and fname in row.fields:
                origins[path] = self._line(row, fname)
        if row is not None and values["mtu"] is None:
            values["mtu"] = 9100
            origins["mtu"] = Default("mtu is not said: 9100", Evidence.SECONDARY, "sonic-net/sonic-swss@e6b0c5b5 (PORT mtu)")
        admin: bool | Unknown
        admin_said: bool | Unknown = row is not None and "admin_status" in row.fields
        text = None if row is None else row.fields.get("admin_status")
        if row is None:
            admin = admin_said = Unknown("PORT is not in the input" if absent else "PORT does not have this port", Fact.CONFIG)
        elif text is None and (self.config.listed or row.table != "PORT"):
            admin = admin_said = Unknown("admin_status is not said", Fact.CONFIG)
        elif text is None:
            admin = False
            origins["admin"] = Default("admin_status is not said: down", Evidence.READ, _YANG_PORT)
        else:
            admin = text == "up" if text in ("up", "down") else Unknown(f"admin_status is {text!r}, which SONiC cannot read")
            origins["admin"] = self._line(row, "admin_status")
        if row is not None and "description" in row.fields:
            origins["description"] = self._line(row, "description")
        asymmetric: bool | Unknown | None = absent
        if row is not None and "pfc_asym" in row.fields:
            text = row.fields["pfc_asym"]
            asymmetric = text == "on" if text in ("on", "off") else Unknown(f"pfc_asym is {text!r}, which SONiC cannot read")
            origins["pfc_asym"] = self._line(row, "pfc_asym")
        cable_m: int | Unknown | None = None
        if cable is not None:
            origins["cable_m"] = BodyLine(("CABLE_LENGTH", "*"), f'"*": "{cable}"', "CABLE_LENGTH/length")
            digits = cable[:-1]
            good = cable.endswith("m") and digits.isascii() and digits.isdigit() and len(digits) < 10
            cable_m = int(digits) if good else Unknown(f"CABLE_LENGTH is {cable!r}, which SONiC cannot read", Fact.CABLE)
        elif self.fragment:
            cable_m = Unknown("the port's CABLE_LENGTH is not in the input", Fact.CABLE)
        return Own(values["speed"], values["mtu"], admin, cable_m, admin_said, asymmetric, Origins(origins))

    @staticmethod
    def _line(row: Row, fname: str) -> BodyLine:
        return BodyLine((row.table, "*"), field_text(row.table, fname, row.fields[fname]), f"{row.table}/{fname}")


def _number(row: Row, fname: str) -> int | Unknown | None:
    if row.table == "PORT":
        return maps.number(row, fname)
    text = row.fields.get(fname)
    if text is None:
        return None
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else Unknown(f"{fname} is {text!r}")
