"""SONiC: from config_db.json (in any of its forms and parts) to the model. The door is `parse`.

JSON needs no template: `load` brings every form to tables, `check` judges values and references against the typed
tables of `typed_tables`, `body` reads one port, once for all ports whose rows say the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from xoff.errors import InputError
from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, Default, Evidence, FileLine, Line, Origin, Origins
from xoff.model.qos import PortQos
from xoff.model.quantity import Fact, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Architecture, Bundle, Form, Named, Port, PortKind, Remark, RemarkKind, SwitchModel
from xoff.nos.facts import Facts, metres, speed_mbps
from xoff.nos.jsontext import looks_like_json, read
from xoff.nos.registry import Nos
from xoff.nos.sonic import derived, device
from xoff.nos.sonic import ports as ports_of
from xoff.nos.sonic.body import Body
from xoff.nos.sonic.check import Checker
from xoff.nos.sonic.env import Bound, Env, PortLines
from xoff.nos.sonic.load import Config, Row, load, named_namespace
from xoff.nos.sonic.lookup import HeadroomTable, looks_like_table, read_table
from xoff.nos.source import Source

#: Kinds of port that have rows of QoS at all; the others get an empty body.
_HAVE_QOS = frozenset(
    {PortKind.FRONT, PortKind.BREAKOUT, PortKind.MEMBER, PortKind.BACKPLANE, PortKind.INTERNAL, PortKind.PEER_LINK}
)


def parse(sources: Sequence[Source], nos: Nos, facts: Facts, name: str | None = None) -> list[SwitchModel]:
    """The switch that these files describe together, one model per ASIC namespace.

    Files: config_db.json or parts of it in any form, and pg_profile_lookup.ini. `name`: what to call the device if no file
    says it. Without a JSON file among them there is no device, and the list is empty.
    Raises InputError, with file and line, for what is no JSON, is cut off, or is contradicted by another of the files.
    """
    documents, tables = [], []
    for s in sources:
        if looks_like_json(s.text):
            documents.append(read(s.path, s.text))
        elif looks_like_table(s.text, s.path):
            tables.append(read_table(s))
        else:
            raise InputError(
                s.path, 1, "neither JSON nor a headroom lookup table; a SONiC device is config_db.json or parts of it"
            )
    if not documents:
        return []
    configs = load(documents)
    host = next((c for c in configs if c.namespace is None), None)
    if host is not None and len(configs) > 1 and not host.rows("PORT") and not host.rows("PORT_QOS_MAP"):
        configs.remove(host)  # the host of a multi-ASIC switch: names and facts, no port of its own
    else:
        host = None
    fallback = name or _stem(documents[0].file)
    return [_Reader(c, host, _table_of(c, tables), nos, facts, fallback).read() for c in configs]


def tables(sources: Sequence[Source]) -> list[HeadroomTable]:
    """The headroom lookup tables among the files, whether or not a configuration is beside them."""
    return [read_table(s) for s in sources if not looks_like_json(s.text) and looks_like_table(s.text, s.path)]


def _table_of(config: Config, tables: Sequence[HeadroomTable]) -> HeadroomTable | None:
    """The lookup table of one namespace: its own by name or folder, else the one that names none.

    Raises InputError where two tables that differ would serve one namespace.
    """
    own = [t for t in tables if named_namespace(t.file) == config.namespace]
    found = own or [t for t in tables if named_namespace(t.file) is None]
    for t in found[1:]:
        if t.rows != found[0].rows:
            raise InputError(t.file, 1, f"differs from {found[0].file}, and both would be the lookup table of one device")
    return found[0] if found else None


def _stem(path: str) -> str:
    base = path.replace("\\", "/").rpartition("/")[2]
    return base.rpartition(".")[0] or base or "sonic"


@dataclass(frozen=True, slots=True)
class _Site:
    """What holds for every port."""

    form: Form
    golden: bool
    fronts: int
    no_groups: Unknown | None


class _Reader:
    """Reads one namespace."""

    def __init__(
        self, config: Config, host: Config | None, table: HeadroomTable | None, nos: Nos, facts: Facts, fallback: str
    ) -> None:
        self.config, self.table, self.nos = config, table, nos
        self.said_name = config.value("DEVICE_METADATA", "localhost", "hostname")
        if not self.said_name and host is not None:
            self.said_name = host.value("DEVICE_METADATA", "localhost", "hostname")
        self.hostname = self.said_name or fallback
        if config.namespace and config.namespace not in self.hostname:
            self.hostname = f"{self.hostname}-{config.namespace}"
        own = device.facts(config)
        if host is not None:
            own = {**device.facts(host), **own}
        # The model of a SONiC switch is its hwsku, as platforms/ knows it.
        weaker = {**own, **({"model": own["hwsku"]} if "hwsku" in own else {})}
        self.facts = facts.about(self.said_name or self.hostname, config.files[0], weaker)
        self.platform = self._platform()
        fragment = device.is_fragment(config)
        release = self.facts.get("release")
        self.checker = Checker(
            config, fragment, release.value if release else None, nos.qos_words, device.is_enterprise(config)
        )
        dynamic, self.dynamic_at = device.is_dynamic(config)
        self.env = Env(config, self.checker, fragment, dynamic, None if self.platform is None else self.platform.asic)
        self.plan = ports_of.layout(config)
        self.owns = ports_of.Owns(config, self.plan, fragment)
        self._bodies: dict[Any, tuple[PortQos, Origins]] = {}
        self._plain: PortQos | None = None

    def _platform(self) -> Any:
        """The platform by ASIC, model or hwsku; loaded only here, since most callers need none."""
        from xoff import platforms

        for fact in ("asic", "model"):
            if fact in self.facts:
                found = platforms.find(self.facts[fact].value)
                if found is not None:
                    return found
        return None

    def read(self) -> SwitchModel:
        config = self.config
        self.checker.run()
        form, form_at = device.form(config)
        bound = ports_of.bind(config, self.said_name, config.value("DEVICE_METADATA", "localhost", "asic_name"))
        fronts = sum(1 for p in config.rows("PORT") if p.startswith("Ethernet") and "-" not in p)
        golden = form is Form.GOLDEN or (form is Form.FRAGMENT and not device.has_lossless_groups(config))
        site = _Site(form, golden, fronts, self.env.absent("BUFFER_PG") if form is Form.FRAGMENT else None)
        ports = self._ports(bound, site)
        # Only the dynamic model computes headroom; in the other the row lies there unread.
        mtu, mtu_at = device.lossless_mtu(config) if self.env.dynamic else (None, None)
        origins: dict[str, Origin] = {"form": form_at, "buffer_model": self.dynamic_at}
        if mtu_at is not None:
            origins["lossless_mtu"] = mtu_at
        meta = config.row("DEVICE_METADATA", "localhost")
        if meta is not None and "hostname" in meta.fields:
            origins["hostname"] = Line(("DEVICE_METADATA",), '"hostname": "*"', meta.at("hostname"))
        role, release = self.facts.get("role") or self.facts.get("type"), self.facts.get("release")
        platform, asic = self.facts.get("model"), self.facts.get("asic")
        architecture: Architecture | Unknown = Unknown("ASIC not stated", Fact.ASIC)
        if self.platform is not None:
            architecture = self.platform.asic.architecture.value
            asic = Named(self.platform.asic.name, self.platform.source)
        elif config.value("DEVICE_METADATA", "localhost", "switch_type") == "voq":
            architecture = Architecture.VOQ
        extra = {} if asic is None else {"asic": asic}
        return SwitchModel(
            hostname=self.hostname,
            nos=self.nos.name,
            ports=FrozenMap(ports),
            form=form,
            role=None if role is None else role.value,
            release=release.value if release else Unknown("release not stated", Fact.RELEASE),
            platform=platform.value if platform else Unknown("model not stated", Fact.ASIC),
            asic=asic.value if asic else Unknown("ASIC not stated", Fact.ASIC),
            architecture=architecture,
            bundles=self._bundles(),
            pools=device.pools(self.env),
            profiles=device.profiles(self.env),
            tunnels=device.tunnels(self.env),
            pfc_off=False,
            kilo=self.nos.kilo,
            lossless_mtu=mtu,
            routing=device.routing(config),
            definitions=self.checker.definitions(),
            references=self.checker.references(),
            remarks=(*self.checker.remarks(), *device.unfilled_headroom(self.env), *self._table_remarks()),
            facts=FrozenMap({**self.facts, **extra}),
            tables=frozenset(config.tables),
            structure=tuple(s.text for s in self.nos.structure),
            other_lines=config.other_lines,
            files=tuple(dict.fromkeys((*config.files, *((self.table.file,) if self.table else ())))),
            origins=Origins(origins),
            neighbours=FrozenMap(self.plan.neighbours),
            headroom_table=self.table.rows if self.table else (),
            without=device.without(config),
        )

    # --- ports --------------------------------------------------------------------------------------------------------

    def _ports(self, bound: Mapping[str, Bound], site: _Site) -> dict[str, Port]:
        known = self.config.rows("PORT")
        others = {
            n: None
            for table in ("PORTCHANNEL", "MGMT_PORT")
            for n in self.config.rows(table)
        } | dict.fromkeys(self.plan.addresses)  # fmt: skip
        out: dict[str, Port] = {}
        for name, rows in bound.items():
            if known and name not in known and name not in others and "|" not in name and not self.config.listed:
                continue  # rows for a port that does not exist are in force nowhere; the check has reported them
            out[name] = self._port(name, rows, site)
        for name in others:
            if name not in out:
                out[name] = self._port(name, Bound(), site)
        return out

    def _port(self, name: str, rows: Bound, site: _Site) -> Port:
        config, plan = self.config, self.plan
        own = self.owns.of(name)
        row = config.row("PORT", name) or config.row("PORTCHANNEL", name)
        fields = {} if row is None else row.fields
        kind = ports_of.kind(name, fields.get("role"), plan)
        speed, cable, own_origins = self._given(own, kind)
        if kind in _HAVE_QOS:
            key = self._signature(name, rows, own, speed, cable, site)
            found = self._bodies.get(key)
            if found is None:
                found = self._bodies[key] = self._body(name, rows, own, speed, cable, site)
            qos, origins = found
        else:
            qos, origins = self._empty(), Origins()
        bundle = plan.bundle_of.get(name)
        routed = plan.routed.get(name, plan.routed.get(bundle) if bundle else None)
        return Port(
            name=name,
            kind=kind,
            qos=qos,
            speed=speed,
            mtu=own.mtu,
            admin=own.admin,
            routed=routed,
            vrf=plan.vrf.get(name),
            bundle=bundle,
            breakout_parent=plan.cage.get(name),
            cable_m=cable,
            description=fields.get("description") or None,
            addresses=tuple(plan.addresses.get(name, ())),
            peer=_peer(plan.neighbours.get(name)),
            at=self._at(row, rows),
            origins=origins,
            own=own_origins,
            lines=self._lines(name, row, rows),
        )

    def _given(self, own: ports_of.Own, kind: PortKind) -> tuple[int | Unknown | None, int | Unknown | None, Origins]:
        """Speed and cable of the file, else those given from outside for front ports."""
        speed, cable, origins = own.speed, own.cable_m, own.origins
        if kind not in (PortKind.FRONT, PortKind.BREAKOUT, PortKind.MEMBER):
            return speed, cable, origins
        more: dict[str, Origin] = {}
        for what, value, convert in (("speed", speed, speed_mbps), ("cable", cable, metres)):
            if isinstance(value, int) or what not in self.facts:
                continue
            given = self.facts[what]
            found = convert(given.value)
            if found is None:
                continue
            if what == "speed":
                speed = found
            else:
                cable = found
            path = "speed" if what == "speed" else "cable_m"
            more[path] = Default(f"{what} {given.value} from {given.origin}", Evidence.READ, given.origin)
        return speed, cable, Origins({**origins, **more}) if more else origins

    def _signature(
        self, name: str, rows: Bound, own: ports_of.Own, speed: int | Unknown | None, cable: int | Unknown | None, site: _Site
    ) -> tuple[Any, ...]:
        """Everything of a port that its body depends on: equal signatures, one body."""
        out: list[Any] = [
            rows.voq,
            own.asymmetric,
            None if rows.qos is None else frozenset(rows.qos.fields.items()),
            None if rows.watchdog is None else frozenset(rows.watchdog.fields.items()),
        ]
        for listed in (rows.groups, rows.queues, rows.buffers):
            out.append(tuple([(sub, "," in r.key, frozenset(r.fields.items())) for sub, r in listed]))
        if site.golden:
            out += [speed, cable, own.admin_said, name in self.plan.neighbours]
        return tuple(out)

    def _body(
        self, name: str, rows: Bound, own: ports_of.Own, speed: int | Unknown | None, cable: int | Unknown | None, site: _Site
    ) -> tuple[PortQos, Origins]:
        body = Body(self.env, rows)
        classify = body.classify()
        queue_map, group_map = body.tc_to_queue(), body.tc_to_group()
        pfc = body.pfc(own.asymmetric)
        groups = body.groups()
        if site.no_groups is not None:
            groups = {**derived.without_table(body, pfc, site.no_groups), **groups}
        elif site.golden:
            missing = replace(pfc, no_drop=pfc.no_drop - set(groups))
            groups |= derived.lossless_groups(body, missing, speed, cable, own.admin_said, self.table)
        watchdog = derived.watchdog(body, pfc, site.golden, name in self.plan.neighbours, site.fronts)
        if rows.qos is not None:
            body.origins[""] = BodyLine(("PORT_QOS_MAP", "*"), '"*"', "PORT_QOS_MAP")
        return body.done(
            classify=classify,
            tc_to_queue=queue_map,
            tc_to_group=group_map,
            rewrite_dscp=self._rewrite(body),
            pfc=pfc,
            groups=FrozenMap(dict(sorted(groups.items()))),
            queues=FrozenMap(dict(sorted(body.queues().items(), key=lambda i: i[0].id))),
            watchdog=watchdog,
        )

    @staticmethod
    def _rewrite(body: Body) -> FrozenMap[int, int]:
        if body.bound.qos is None or "tc_to_dscp_map" not in body.bound.qos.fields:
            return FrozenMap()
        found = body.map("tc_to_dscp_map", "rewrite.dscp")
        return FrozenMap({k: v for k, v in found.items() if isinstance(v, int)}) if isinstance(found, dict) else FrozenMap()

    def _empty(self) -> PortQos:
        if self._plain is None:
            self._plain = PortQos()
        return self._plain

    @staticmethod
    def _at(row: Row | None, rows: Bound) -> FileLine | None:
        """Where a port begins: its row in PORT, else the first row that names it."""
        for first in (row, rows.qos, *(r for _, r in (*rows.groups, *rows.queues, *rows.buffers)), rows.watchdog, *rows.lists):
            if first is not None:
                return first.at()
        return None

    def _lines(self, name: str, row: Row | None, rows: Bound) -> PortLines:
        out: dict[str, tuple[Row, str | None]] = {}
        if row is not None:
            out[row.table] = (row, None)
        if rows.qos is not None:
            out["PORT_QOS_MAP"] = (rows.qos, None)
        if rows.watchdog is not None:
            out["PFC_WD"] = (rows.watchdog, None)
        for table, listed in (("BUFFER_PG", rows.groups), ("QUEUE", rows.queues), ("BUFFER_QUEUE", rows.buffers)):
            for sub, r in listed:
                out[f"{table}/{sub}"] = (r, None)
        cable = self.plan.cables.get(name)
        if cable is not None:
            out["CABLE_LENGTH/length"] = (cable, name)
        return PortLines(out)

    def _bundles(self) -> FrozenMap[str, Bundle]:
        out = {}
        for name in dict.fromkeys((*self.config.rows("PORTCHANNEL"), *self.plan.members)):
            row = self.config.row("PORTCHANNEL", name)
            out[name] = Bundle(name, tuple(self.plan.members.get(name, ())), None if row is None else row.at())
        return FrozenMap(out)

    def _table_remarks(self) -> list[Remark]:
        """Lines of the lookup table that are no rows."""
        if self.table is None:
            return []
        out = []
        for p in self.table.problems:
            origin = Line(("pg_profile_lookup.ini",), p.source_line.strip(), FileLine(p.file, p.line))
            out.append(
                Remark(
                    RemarkKind.INVALID,
                    origin,
                    "pg_profile_lookup.ini: no row",
                    p.message,
                    "speed cable size xon xoff threshold",
                )
            )
        return out


def _peer(found: tuple[str, str | None] | None) -> tuple[str, str] | None:
    return None if found is None or found[1] is None else (found[0], found[1])
