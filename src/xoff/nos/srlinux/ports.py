"""SR Linux: one port body, from what the port binds and the objects below /qos to a PortQos with its origins."""

from __future__ import annotations

from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Default, Origin, Origins
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
    Static,
    Watchdog,
    WatchdogAction,
)
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.nos.numbers import whole
from xoff.nos.registry import Nos
from xoff.nos.srlinux import words
from xoff.nos.srlinux.bound import Bound, Sub
from xoff.nos.srlinux.family import Family
from xoff.nos.srlinux.objects import BAD, Named, Objects
from xoff.nos.srlinux.queues import ALL, FRAGMENT, QueueBuilder

#: The group of all traffic that no pfc-queue takes (structure group-is-pfc-queue).
NO_GROUP = 8
NON_IP = Unknown("what SR Linux does with frames that are not IP is not sourced", Fact.DEFAULT)
UNBOUND = Unknown("no DSCP classifier is bound, and what SR Linux's own policy `default` maps is not sourced", Fact.DEFAULT)
DISAGREE = Unknown("the sub-interfaces of the port bind different classifiers")
NO_SUB = Unknown("the port has no sub-interface in the input, and classifiers stand there", Fact.CONFIG)
DNX = Unknown("how a 7250 assigns priorities to its pfc-queues is not sourced")
NO_FAMILY = Unknown("whether this is a 7220 or a 7250 is not known, and they count differently", Fact.ASIC)
NOT_LISTED = Unknown("the profile enables other priorities by pfc-priority; whether this one runs without is not sourced")
BY_TAG = Unknown("tagged frames come into pfc-queues by their dot1p value, whatever their forwarding class")


class PortBuilder:
    """Builds bodies. One per device. `whole`: the input is a whole configuration, so what is absent is missing."""

    def __init__(self, nos: Nos, objects: Objects, family: Family | None, whole: bool) -> None:
        self.nos, self.objects, self.family, self.whole = nos, objects, family, whole
        self._maps: dict[str, Origin] = {}
        self._queues = QueueBuilder(nos, objects, whole)
        self.tc_to_queue = self._queues_of_classes()

    def build(self, port: Bound) -> tuple[PortQos, Origins]:
        origins: dict[str, Origin] = dict(self._maps)
        classify, rewrite = self._classify(port, origins)
        profile = self._profile(port)
        pfc, to_group = self._pfc(port, profile, origins)
        qos = PortQos(
            classify=classify,
            tc_to_queue=FrozenMap(self.tc_to_queue),
            tc_to_group=FrozenMap(to_group),
            rewrite_dscp=FrozenMap(rewrite),
            pfc=pfc,
            groups=FrozenMap(self._groups(port, pfc, origins)),
            queues=FrozenMap(self._queues.build(port, origins)),
            watchdog=self._watchdog(profile, pfc, origins),
        )
        return qos, Origins(origins)

    # --- classes ---

    def _queues_of_classes(self) -> dict[int, int | Unknown]:
        entry = self.nos.default("tc_to_queue")
        out: dict[int, int | Unknown] = dict.fromkeys(ALL, Unknown("no known default"))
        if entry is not None:
            out = {n: n for n in ALL}
            self._maps["tc_to_queue"] = entry.origin("fc0 to fc7 use unicast-0 to unicast-7")
        for name, made in self.objects.classes.items():
            index, queue = self.objects.index("forwarding-class", name), made.values.get("queue")
            if isinstance(index, Unknown) or queue is None:
                continue
            number = self.objects.index("queue", queue.value)
            before = out.get(index) if f"tc_to_queue.{index}" in self._maps else None
            twice = before is not None and before != number
            out[index] = Unknown(f"two forwarding classes of index {index} have different queues") if twice else number
            self._maps[f"tc_to_queue.{index}"] = queue.origin
        return out

    def _tc(self, name: object) -> int | Unknown:
        return name if isinstance(name, Unknown) else self.objects.index("forwarding-class", str(name))

    def _classify(self, port: Bound, origins: dict[str, Origin]) -> tuple[Classify, dict[int, int]]:
        subs = [s for s in port.subs.values() if s.value("type") != "local-mirror-dest"]
        if not subs:
            return Classify((), NO_SUB, NO_SUB, NON_IP, NO_SUB), {}
        first = subs[0]
        if any(_bindings(s) != _bindings(first) for s in subs):
            return Classify((), DISAGREE, DISAGREE, NON_IP, DISAGREE), {}
        rewrite = self._rewrite(first, origins)
        name = first.value("dscp")
        if name is None and first.value("dscp4") is not None and first.value("dscp4") == first.value("dscp6"):
            name = first.value("dscp4")
        elif name is None and (first.value("dscp4") or first.value("dscp6")):
            split = Unknown("IPv4 and IPv6 are classified differently")
            return Classify((), split, split, NON_IP, split), rewrite
        where = first.said.get("dscp") or first.said.get("dscp4")
        if name is None or where is None or name == "default":
            return Classify((), UNBOUND, UNBOUND, NON_IP, UNBOUND), rewrite
        origins["classify.trust"] = where.origin
        policy = self.objects.dscp.get(name)
        if policy is None:
            gone = Unknown(f"dscp-policy {name} is defined nowhere in the input", Fact.CONFIG)
            return Classify((), HeaderField.DSCP, HeaderField.DSCP, NON_IP, gone), rewrite
        tagged: HeaderField | Unknown = HeaderField.DSCP
        if first.value("pcp") is not None:
            tagged = Unknown("a dot1p-policy is bound too, and which one wins is not sourced", Fact.DEFAULT)
        origins["classify.default"] = policy.at
        return Classify(self._matches(policy, origins), tagged, HeaderField.DSCP, NON_IP, 0), rewrite

    def _matches(self, policy: Named, origins: dict[str, Origin]) -> tuple[Match, ...]:
        by: dict[tuple[int | Unknown, Colour], set[int]] = {}
        for key, entry in policy.of("dscp"):
            value = whole(key, 0, 63)
            if value is None:
                continue
            colour = entry.value("drop", Colour.GREEN)
            by.setdefault(
                (self._tc(entry.value("class", BAD)), colour if isinstance(colour, Colour) else Colour.GREEN), set()
            ).add(value)
            origins[f"classify.dscp.{value}"] = entry.line("class")
        return tuple(Match(MatchKind.DSCP, frozenset(v), tc, colour) for (tc, colour), v in by.items())

    def _rewrite(self, sub: Sub, origins: dict[str, Origin]) -> dict[int, int]:
        out: dict[int, int] = {}
        policy = self.objects.rewrite.get(str(sub.value("rewrite")))
        for name, entry in policy.of("map") if policy is not None else ():
            tc, dscp = self._tc(name), entry.value("dscp")
            if isinstance(tc, int) and isinstance(dscp, int):
                out[tc] = dscp
                origins[f"rewrite.dscp.{tc}"] = entry.line("dscp")
        return out

    # --- PFC ---

    def _profile(self, port: Bound) -> Named | None:
        return self.objects.pfc.get(port.value("pfc.profile", ""))

    def _pfc(self, port: Bound, profile: Named | None, origins: dict[str, Origin]) -> tuple[Pfc, dict[int, int | Unknown]]:
        mode = self._mode(port, origins)
        groups: dict[int, int | Unknown] = dict.fromkeys(ALL, NO_GROUP)
        structure = next((s for s in self.nos.structure if s.key == "group-is-pfc-queue"), None)
        if structure is not None:
            origins["tc_to_group"] = Default(structure.text, structure.evidence, structure.source)
        rx, tx = (words.boolean(port.value(f"pause_{way}", "")) for way in ("rx", "tx"))
        for way in ("rx", "tx"):
            pause = port.origin(f"pause_{way}")
            if pause is not None:
                origins[f"pfc.link_pause.{way}"] = pause
        named = port.value("pfc.profile")
        if named not in (None, "default") and profile is None:
            gone = Unknown(f"pfc-mapping-profile {named} is defined nowhere in the input", Fact.CONFIG)
            return Pfc(mode if mode is PfcMode.OFF else gone, link_pause_rx=rx, link_pause_tx=tx), dict.fromkeys(ALL, gone)
        if profile is None:
            return Pfc(mode, link_pause_rx=rx, link_pause_tx=tx), groups
        doubt: list[Unknown] = []
        send = self._send(profile, groups, origins, doubt)
        by = self._by_tag(port, profile, groups, origins)
        obey = self._obey(profile, origins, doubt)
        if self.family is Family.DNX:
            doubt.append(DNX)
            groups = dict.fromkeys(ALL, DNX)
        if doubt and mode is not PfcMode.OFF:
            mode = doubt[0]
        if "pfc.profile" in port.said:
            origins.setdefault("pfc", port.said["pfc.profile"].origin)
        no_drop = frozenset(p for sent in send.values() for p in sent)
        return Pfc(mode, no_drop, FrozenMap(send), FrozenMap(obey), by, rx, tx), groups

    def _mode(self, port: Bound, origins: dict[str, Origin]) -> PfcMode | Unknown:
        said = port.said.get("pfc.enable")
        if said is not None:
            origins["pfc.mode"] = said.origin
            on = words.boolean(said.value)
            return BAD if on is None else PfcMode.ON if on else PfcMode.OFF
        entry = self.nos.default("pfc.mode")
        if entry is None or (not self.whole and not port.said.keys() & {"pfc.profile", "in.buffer"}):
            return FRAGMENT
        origins["pfc.mode"] = entry.origin("no `pfc-enable true` on the port")
        return PfcMode(entry.value)

    def _enabled(self, profile: Named, priority: int) -> bool | Unknown | None:
        """What `pfc-priority` of newer releases says of a priority; None where the profile has no such list."""
        listed = dict(profile.of("pfc-priority"))
        if not listed:
            return None
        entry = listed.get(str(priority))
        return NOT_LISTED if entry is None else entry.value("enable", NOT_LISTED)

    def _send(
        self, profile: Named, groups: dict[int, int | Unknown], origins: dict[str, Origin], doubt: list[Unknown]
    ) -> dict[int, frozenset[int]]:
        send: dict[int, frozenset[int]] = {}
        for name, entry in profile.of("send"):
            group, priority = self.objects.index("pfc-queue", name), entry.value("priority")
            if isinstance(group, Unknown):
                doubt.append(group)
                continue
            for class_name in entry.value("class", ()) if not isinstance(entry.value("class"), Unknown) else ():
                tc = self._tc(class_name)
                if isinstance(tc, int):
                    groups[tc] = group
                    origins[f"tc_to_group.{tc}"] = entry.line("class")
                else:
                    doubt.append(tc)
            if not isinstance(priority, int):
                doubt.append(
                    priority if isinstance(priority, Unknown) else Unknown(f"pfc-queue {name} names no priority to pause")
                )
                continue
            on = self._enabled(profile, priority)
            if isinstance(on, Unknown):
                doubt.append(on)
            elif on is not False:
                send[group] = send.get(group, frozenset()) | {priority}
                origins[f"pfc.send.{group}"] = origins[f"pfc.no_drop.{priority}"] = entry.line("priority")
        return send

    def _by_tag(
        self, port: Bound, profile: Named, groups: dict[int, int | Unknown], origins: dict[str, Origin]
    ) -> HeaderField | Unknown | None:
        """Forwarding classes put frames of untagged ports into pfc-queues, dot1p those of tagged ones ([Y])."""
        by_pcp = next((e for _, e in profile.of("send") if "pcp" in e.values), None)
        tagged = words.boolean(port.value("tagging", "false" if self.whole else ""))
        if tagged is False or (tagged is None and by_pcp is None):
            return None
        groups.update(dict.fromkeys(ALL, BY_TAG))
        if by_pcp is not None:
            origins["pfc.counts_by"] = by_pcp.line("pcp")
        return HeaderField.PCP if tagged else BY_TAG

    def _obey(self, profile: Named, origins: dict[str, Origin], doubt: list[Unknown]) -> dict[int, frozenset[int]]:
        obey: dict[int, frozenset[int]] = {}
        for name, entry in profile.of("obey"):
            queue, priority = self.objects.index("queue", name), entry.value("priority")
            if isinstance(queue, Unknown) or not isinstance(priority, int):
                doubt.append(queue if isinstance(queue, Unknown) else Unknown(f"queue {name} names no priority that stops it"))
                continue
            on = entry.value("enable")
            if on is None:
                on = self._enabled(profile, priority)  # absent in both: [Y] enable-pfc default false
            if isinstance(on, Unknown):
                doubt.append(on)
            elif on:
                obey[priority] = obey.get(priority, frozenset()) | {queue}
                origins[f"pfc.obey.{priority}"] = entry.line("enable" if "enable" in entry.values else "priority")
        return obey

    # --- buffers ---

    def _groups(self, port: Bound, pfc: Pfc, origins: dict[str, Origin]) -> dict[int, PriorityGroup]:
        named = port.value("in.buffer")
        profile = self.objects.buffers.get(named or "")
        out: dict[int, PriorityGroup] = {}
        entries = dict(profile.of("pfc-queue")) if profile is not None else {}
        by_number = {self.objects.index("pfc-queue", name): entry for name, entry in entries.items()}
        gone = None
        if named is not None and profile is None:
            gone = Unknown(f"buffer-allocation-profile {named} is defined nowhere in the input", Fact.CONFIG)
        for g in sorted({*pfc.send, *(n for n in by_number if isinstance(n, int))}):
            path, entry = f"group.{g}", by_number.get(g)
            where = origins.get(f"pfc.send.{g}") or (entry.at if entry is not None else None)
            if where is not None:
                origins[path] = where
            values: dict[str, Any] = {}
            if gone is not None:
                values = {"threshold": gone, "headroom": gone}
            elif self.family is Family.DNX:
                values = self._dnx(path, entry, origins)
            else:
                values = {
                    "threshold": self._xoff(path, entry, origins),
                    "headroom": self._share(path, entry, origins),
                }
            if profile is not None:
                origins[f"{path}.profile"] = profile.at
                values["profile"] = profile.name
            out[g] = PriorityGroup(g, lossless=True, **values)
        return out

    def _xoff(self, path: str, entry: Any, origins: dict[str, Origin]) -> Static | Unknown:
        """A 7220 pauses when the pfc-queue passes its maximum-burst-size ([P])."""
        if entry is not None:
            if entry.value("dynamic") is True:
                origins[f"{path}.threshold"] = entry.line("dynamic")
                return Unknown("use-dynamic-allocation: the chip sizes the pfc-queue by itself")
            if "xoff" in entry.values:
                origins[f"{path}.threshold"] = entry.line("xoff")
                value = entry.value("xoff")
                return value if isinstance(value, Unknown) else Static(value)
        default = self.nos.default("group.threshold", family="xgs" if self.family is Family.XGS else None)
        if default is None:
            return NO_FAMILY
        origins[f"{path}.threshold"] = default.origin("no maximum-burst-size for the pfc-queue")
        return Static(words.size(str(default.value)))

    def _share(self, path: str, entry: Any, origins: dict[str, Origin]) -> Quantity | Unknown:
        """What the pfc-queue may take of the reservation once it has paused: bytes, or a share of it."""
        for name in ("share_bytes", "share"):
            if entry is not None and name in entry.values:
                origins[f"{path}.headroom"] = entry.line(name)
                return entry.value(name)  # type: ignore[no-any-return]
        default = self.nos.default("group.headroom")
        if default is None:
            return Unknown("the default share of the reservation is not known", Fact.DEFAULT)
        origins[f"{path}.headroom"] = default.origin("no maximum-pfc-reserved-share for the pfc-queue")
        return words.percent(str(default.value), Unit.PERCENT_OF_POOL) or BAD

    def _dnx(self, path: str, entry: Any, origins: dict[str, Origin]) -> dict[str, Any]:
        """A 7250 pauses at a share of the pfc-queue's committed size, and resumes at another."""
        if entry is None:
            return {"threshold": Unknown("the pfc-queue's size is not said", Fact.DEFAULT)}
        values: dict[str, Any] = {"headroom": self._share(path, entry, origins)}
        for name, what in (("committed", "reserved"), ("off", "xon")):
            if name in entry.values:
                values[what] = entry.value(name)
                origins[f"{path}.{what}"] = entry.line(name)
        if "on" in entry.values:
            values["threshold"] = Static(entry.value("on")) if isinstance(entry.value("on"), Quantity) else BAD
            origins[f"{path}.threshold"] = entry.line("on")
        return values

    # --- watchdog ---

    def _watchdog(self, profile: Named | None, pfc: Pfc, origins: dict[str, Origin]) -> Watchdog:
        """The deadlock timers of the profile; while the second runs, pause frames are ignored."""
        if pfc.mode is PfcMode.OFF:
            return Watchdog(available=True, enabled=False)
        if profile is None:
            return Watchdog(available=True, enabled=pfc.mode if isinstance(pfc.mode, Unknown) else False)
        entry = dict(profile.of("deadlock")).get("")
        enabled = entry.value("enable") if entry is not None else None
        if enabled is None:
            default = self.nos.default("watchdog.enabled")
            if default is not None:
                origins["watchdog.enabled"] = default.origin("no `deadlock enable true` in the profile")
            enabled = bool(default.value) if default is not None else Unknown("not known", Fact.DEFAULT)
        elif entry is not None:
            origins["watchdog.enabled"] = entry.line("enable")
        if enabled is False:
            return Watchdog(available=True, enabled=False)
        values: dict[str, Any] = {}
        for name in ("detect", "restore"):
            if entry is not None and name in entry.values:
                values[name], origins[f"watchdog.{name}"] = entry.value(name), entry.line(name)
                continue
            default = self.nos.default(f"watchdog.{name}")
            if default is not None:
                values[name] = words.milliseconds(str(default.value), 10, 1500)
                origins[f"watchdog.{name}"] = default.origin("the timer is not said")
        origins["watchdog.priorities"] = origins["watchdog.action"] = origins["watchdog.enabled"]
        return Watchdog(
            available=True,
            enabled=enabled,
            priorities=pfc.mode if isinstance(pfc.mode, Unknown) else frozenset(pfc.obey),
            action=WatchdogAction.FORWARD,
            **values,
        )


def _bindings(sub: Sub) -> tuple[Any, ...]:
    return tuple(sub.value(name) for name in ("dscp", "dscp4", "dscp6", "pcp", "rewrite"))
