"""VRP: one port body, from the settings of the interface and of the switch to a PortQos with its origins."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Default, Evidence, Origin, Origins
from xoff.model.qos import (
    Classify,
    Colour,
    HeaderField,
    Match,
    MatchKind,
    Pfc,
    PfcMode,
    PortQos,
    PriorityGroup,
    Queue,
    QueueId,
    QueueKind,
)
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.nos.registry import Nos
from xoff.nos.settings import Settings
from xoff.nos.vrp import deadlock, queues
from xoff.nos.vrp.family import Family, Found
from xoff.nos.vrp.globals import DEFAULT, Domain, Globals

ALL = range(8)
NON_IP = Unknown("what VRP reads of frames without an IP header on a port that trusts DSCP is not documented", Fact.DEFAULT)
ROUTED = Unknown("whether the port is routed is not certain, and with it its trust")
#: Headroom where no line states it, by family.
HIDDEN: Mapping[Family | None, Unknown] = {
    Family.A: Unknown("VRP does not show the headroom that a PFC queue has by default", Fact.DEFAULT),
    Family.B: Unknown("this family simulates headroom; no line sets or shows it", Fact.DEFAULT),
    Family.C: Unknown("no source tells the headroom of PFC queues on V200 models", Fact.DEFAULT),
    None: Unknown("the headroom of a PFC queue depends on the family of CloudEngine, which is not known", Fact.ASIC),
}
#: When a paused peer may go on, where no line states it.
RESUME = Unknown("`display dcb pfc buffer` alone shows when a queue resumes by default", Fact.DEFAULT)
COUNTS_B = Unknown("by what field this family counts frames for PFC is not confirmed", Fact.DEFAULT)
COUNTS_C = Unknown("by what field V200 models count frames for PFC is not confirmed", Fact.DEFAULT)


class PortBuilder:
    """Builds bodies. One per file; `nos` gives defaults, `shared` what holds for the switch, `family` what it may be."""

    def __init__(self, nos: Nos, shared: Globals, family: Found) -> None:
        self.nos = nos
        self.shared = shared
        self.family = family
        #: Keys of the structure in nos.yaml that bodies rest on.
        self.rests_on: set[str] = set()

    def build(self, said: Settings, routed: bool | Unknown | None, slot: str | None) -> tuple[PortQos, Origins]:
        """The body of a port with these settings, in this slot."""
        origins: dict[str, Origin] = {}
        domain = self._domain(said)
        classify = self._classify(said, routed, domain, origins)
        pfc = self._pfc(said, routed, slot, origins)
        qos = PortQos(
            classify=classify,
            tc_to_queue=FrozenMap((n, n) for n in ALL),
            tc_to_group=FrozenMap((n, n) for n in ALL),
            rewrite_dscp=FrozenMap(self._rewrite(said, domain, origins)),
            rewrite_pcp=FrozenMap(self._rewrite_pcp(said, domain, origins)),
            pfc=pfc,
            groups=FrozenMap(self._groups(said, pfc, slot, origins)),
            queues=FrozenMap(self._queues(said, pfc, origins)),
            watchdog=deadlock.watchdog(self.nos, self.shared, self.family, said, pfc, slot, origins),
        )
        number = next((s for s in self.nos.structure if s.key == "one-number"), None)
        if number is not None:
            origins["tc_to_queue"] = origins["tc_to_group"] = Default(number.text, number.evidence, number.source)
        if pfc.no_drop:
            self.rests_on.add("one-number")
        return qos, Origins(origins)

    def _default(self, key: str, **when: str) -> Any:
        family = self.family.known
        return self.nos.default(key, family=family.value if family else None, **when)

    # --- classification ---

    def _domain(self, said: Settings) -> Domain | Unknown | None:
        """The DiffServ domain of the port; None where `trust upstream none` takes it away."""
        name = said.value("domain", DEFAULT)
        if name == "none":
            return None
        found = self.shared.domains.get(name)
        if found is None and name != DEFAULT:
            return Unknown(f"DiffServ domain {name} is not defined", Fact.CONFIG)
        return found or Domain(DEFAULT, None)

    def _classify(
        self, said: Settings, routed: bool | Unknown | None, domain: Domain | Unknown | None, origins: dict[str, Origin]
    ) -> Classify:
        trust = self._trust(said, routed, origins)
        priority = said.value("port_priority", 0)
        where = said.origin("port_priority")
        entry = self.nos.default("classify.default")
        if where is not None:
            origins["classify.default"] = where
        elif entry is not None:
            origins["classify.default"] = entry.origin("no `port priority`")
        steps = self._remarked(said, origins)
        applied = said.origin("domain")
        if domain is None:
            if applied is not None:
                origins["classify.trust"] = applied
            return Classify(tuple(steps), HeaderField.PORT, HeaderField.PORT, HeaderField.PORT, priority)
        if isinstance(domain, Unknown):
            for path in ("classify.dscp", "classify.pcp"):
                if applied is not None:
                    origins[path] = applied
            steps += [Match(MatchKind.DSCP, frozenset(range(64)), domain), Match(MatchKind.PCP, frozenset(ALL), domain)]
            default_tc: int | Unknown = domain
        else:
            dscp, pcp = self._maps(domain, origins)
            steps += [Match(MatchKind.DSCP, values, tc, colour) for (tc, colour), values in _grouped(dscp).items()]
            steps += [Match(MatchKind.PCP, values, tc, colour) for (tc, colour), values in _grouped(pcp).items()]
            default_tc = pcp[priority][0]  # an untagged frame gets a tag of that priority
        untagged = HeaderField.PORT if trust is HeaderField.PCP else trust
        non_ip = NON_IP if trust is HeaderField.DSCP else trust
        return Classify(tuple(steps), trust, untagged, non_ip, default_tc)

    def _trust(self, said: Settings, routed: bool | Unknown | None, origins: dict[str, Origin]) -> HeaderField | Unknown:
        found = said.value("trust")
        where = said.origin("trust")
        if found is not None and where is not None and routed is not True:
            origins["classify.trust"] = where
            return found  # type: ignore[no-any-return]
        if isinstance(routed, Unknown):
            return ROUTED
        entry = self.nos.default("classify.trust", port_mode="routed" if routed else "switched")
        if entry is None:
            return Unknown("VRP's default trust is not known here", Fact.DEFAULT)
        origins["classify.trust"] = entry.origin(
            "a routed port trusts DSCP" if routed else "no `trust` on a switched port: the outer 802.1p priority counts"
        )
        return HeaderField(entry.value)

    def _remarked(self, said: Settings, origins: dict[str, Origin]) -> list[Match]:
        """A step that cannot be followed, where a traffic policy puts packets into other queues or may do so."""
        name = said.value("policy")
        if name is None:
            return []
        if name in self.shared.remarking:
            line = self.shared.remarking[name]
            if line is None:
                return []
            why = Unknown(f"traffic policy {name} marks some packets anew, and which ones is not followed")
        else:
            why = Unknown(f"traffic policy {name} is not defined", Fact.CONFIG)
        where = said.origin("policy")
        if where is not None:
            origins["classify"] = where
        return [Match(MatchKind.OPAQUE, frozenset(), why, name=name)]

    def _maps(
        self, domain: Domain, origins: dict[str, Origin]
    ) -> tuple[dict[int, tuple[int, Colour]], dict[int, tuple[int, Colour]]]:
        """DSCP and 802.1p to (class, colour): the map that every domain begins with, and what this one changes."""
        dscp: dict[int, tuple[int, Colour]] = {}
        pcp: dict[int, tuple[int, Colour]] = {}
        colours = self.nos.default("classify.dscp.colour")
        for key, out, what in (("classify.dscp", dscp, "DSCP"), ("classify.pcp", pcp, "802.1p")):
            entry = self.nos.default(key)
            if entry is None:
                continue
            origins[key] = entry.origin(f"the map of {what} that a DiffServ domain begins with")
            for first, last, tc in entry.value:
                out.update((v, (tc, Colour.GREEN)) for v in range(first, last + 1))
        for name, values in (colours.value if colours is not None else {}).items():
            dscp.update((v, (dscp[v][0], Colour(name))) for v in values)
        for value, (tc, colour, line) in domain.dscp.items():
            dscp[value] = (tc, colour)
            origins[f"classify.dscp.{value}"] = line
        for value, (tc, colour, line) in domain.pcp.items():
            pcp[value] = (tc, colour)
            origins[f"classify.pcp.{value}"] = line
        return dscp, pcp

    # --- rewriting ---

    def _rewrite(self, said: Settings, domain: Domain | Unknown | None, origins: dict[str, Origin]) -> dict[int, int]:
        entry = self.nos.default("rewrite.dscp")
        if not said.value("marking.dscp") or not isinstance(domain, Domain) or entry is None:
            return {}
        where = said.origin("marking.dscp")
        if where is not None:
            origins["rewrite.dscp"] = where
        out = dict(enumerate(entry.value))
        for tc, (dscp, line) in domain.dscp_out.items():
            out[tc] = dscp
            origins[f"rewrite.dscp.{tc}"] = line
        return out

    def _rewrite_pcp(self, said: Settings, domain: Domain | Unknown | None, origins: dict[str, Origin]) -> dict[int, int]:
        if said.value("marking.pcp") is False or not isinstance(domain, Domain):
            return {}
        out = {n: n for n in ALL}
        for tc, (pcp, line) in domain.pcp_out.items():
            out[tc] = pcp
            origins[f"rewrite.pcp.{tc}"] = line
        return out

    # --- PFC ---

    def _pfc(self, said: Settings, routed: bool | Unknown | None, slot: str | None, origins: dict[str, Origin]) -> Pfc:
        pause: bool | None = said.value("pause")
        where = said.origin("pause")
        if where is not None and pause is not None:
            origins["pfc.link_pause.rx"] = origins["pfc.link_pause.tx"] = where
        mode: PfcMode | Unknown | None = said.value("pfc.mode")
        where = said.origin("pfc.mode")
        if mode is None:
            entry = self.nos.default("pfc.mode")
            origins["pfc.mode"] = where or (entry.origin("no `dcb pfc enable`") if entry else _unsourced())
            return Pfc(PfcMode.OFF, link_pause_rx=pause, link_pause_tx=pause)
        if where is not None:
            origins["pfc.mode"] = where
        no_drop = self._no_drop(said.value("pfc.profile", DEFAULT), origins)
        if isinstance(no_drop, Unknown):
            return Pfc(no_drop, link_pause_rx=pause, link_pause_tx=pause)
        own = FrozenMap((n, frozenset({n})) for n in sorted(no_drop))
        return Pfc(mode, no_drop, own, own, self._counts_by(slot, origins), pause, pause)

    def _no_drop(self, name: str, origins: dict[str, Origin]) -> frozenset[int] | Unknown:
        profile = self.shared.pfc.get(name)
        if profile is None and name != DEFAULT:
            return Unknown(f"PFC profile {name} is not defined", Fact.CONFIG)
        out: set[int] = set()
        entry = self.nos.default("pfc.no_drop")
        if name == DEFAULT and entry is not None:
            # Said or not, the default profile begins with priority 3; what is listed comes to it.
            listed = profile is not None and bool(profile.listed)
            gone = profile.without if profile is not None else {}
            for p in entry.value:
                if p not in gone:
                    out.add(p)
                    origins[f"pfc.no_drop.{p}"] = entry.origin("the default PFC profile begins with it")
            if listed and profile is not None and not set(entry.value) <= set(profile.listed):
                adds = next((s for s in self.nos.structure if s.key == "default-profile-adds"), None)
                for p in out if adds is not None else ():
                    assert adds is not None
                    origins[f"pfc.no_drop.{p}"] = Default(adds.text, adds.evidence, adds.source)
                self.rests_on.add("default-profile-adds")
        elif name != DEFAULT:
            self.rests_on.add("named-profile-own")
        for p, line in (profile.listed if profile is not None else {}).items():
            out.add(p)
            origins[f"pfc.no_drop.{p}"] = line
        for p in out:
            origins[f"pfc.send.{p}"] = origins[f"pfc.obey.{p}"] = origins[f"pfc.no_drop.{p}"]
        return frozenset(out)

    def _counts_by(self, slot: str | None, origins: dict[str, Origin]) -> HeaderField | Unknown | None:
        """By what an arriving frame counts for PFC, where that is not its internal priority."""
        mapped = self.shared.mapping.get(slot or "") or (
            next(iter(self.shared.mapping.values()), None) if slot is None else None
        )
        if mapped is not None:
            origins["pfc.counts_by"] = mapped
            return None
        if self.family.known is Family.A:
            entry = self._default("pfc.counts_by")
            if entry is not None:
                origins["pfc.counts_by"] = entry.origin(
                    "no `dcb pfc dscp-mapping enable`: PFC counts frames by their 802.1p tag"
                )
                return HeaderField(entry.value)
        if isinstance(self.family.family, Unknown):
            return self.family.family
        return COUNTS_B if self.family.known is Family.B else COUNTS_C

    # --- buffers ---

    def _groups(self, said: Settings, pfc: Pfc, slot: str | None, origins: dict[str, Origin]) -> dict[int, PriorityGroup]:
        ids = set(pfc.no_drop) | {int(name.split(".")[1]) for name in said.said if name.startswith("group.")}
        family = self.family.known
        # Family A keeps no headroom at all without a pool (MANUAL Enabling PFC: mandatory, none by default).
        unbacked = family is Family.A and not (self.shared.pools if slot is None else slot in self.shared.pools)
        out: dict[int, PriorityGroup] = {}
        for g in sorted(ids):
            values: dict[str, Any] = {}
            for what in ("reserved", "headroom", "threshold", "xon", "xon_offset"):
                value, where = said.value(f"group.{g}.{what}"), said.origin(f"group.{g}.{what}")
                if value is not None and where is not None:
                    values[what] = value
                    origins[f"group.{g}.{what}"] = where
            lossless = g in pfc.no_drop
            if lossless and unbacked:
                values.pop("headroom", None)
            elif lossless and "headroom" not in values:
                values["headroom"] = HIDDEN[family]
                values["headroom_by_device"] = True
            if lossless:
                self._resume(g, values, origins)
            stated = (origins[f"group.{g}.{what}"] for what in values if f"group.{g}.{what}" in origins)
            origins.setdefault(f"group.{g}", origins.get(f"pfc.no_drop.{g}") or next(stated, _unsourced()))
            # Headroom is a buffer statement of its own: it says what is meant even where PFC is off.
            out[g] = PriorityGroup(g, lossless or said.value(f"group.{g}.headroom") is not None, **values)
        return out

    def _resume(self, g: int, values: dict[str, Any], origins: dict[str, Origin]) -> None:
        """When the peer may go on, where that is not said: a documented distance beside an XOFF line of family A."""
        if "xon" in values or "xon_offset" in values:
            return
        entry = self._default("group.xon_offset")
        if entry is None or "threshold" not in values:
            values["xon"] = RESUME
            return
        values["xon_offset"] = Quantity(Fraction(entry.value), Unit.KBYTES)
        origins[f"group.{g}.xon_offset"] = entry.origin("no `xon offset` beside the XOFF threshold")

    # --- queues ---

    def _queues(self, said: Settings, pfc: Pfc, origins: dict[str, Origin]) -> dict[QueueId, Queue]:
        context = queues.Context(self.nos, self.shared, self.family)
        served = queues.schedulers(context, said, origins)
        out: dict[QueueId, Queue] = {}
        for n in ALL:
            found = QueueId(QueueKind.UNICAST, n)
            curves, profile = queues.curves(context, said, n, n in pfc.no_drop, origins)
            limit = said.value(f"queue.{n}.limit")
            where = said.origin(f"queue.{n}.limit")
            if limit is not None and where is not None:
                origins[f"queue.{found}.limit"] = where
            out[found] = Queue(
                found, FrozenMap(curves), scheduler=served[n], limit=limit, curve_profile=profile,
                not_ect=queues.NOT_ECT,
            )  # fmt: skip
        self.rests_on |= context.rests_on
        return out


def _grouped(values: Mapping[int, tuple[int, Colour]]) -> dict[tuple[int, Colour], frozenset[int]]:
    """value -> target, turned round, in the order of the first value."""
    out: dict[tuple[int, Colour], set[int]] = {}
    for value in sorted(values):
        out.setdefault(values[value], set()).add(value)
    return {k: frozenset(v) for k, v in out.items()}


def _unsourced() -> Default:
    return Default("nothing is said", Evidence.RECALLED, "")
