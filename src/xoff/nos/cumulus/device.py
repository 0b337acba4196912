"""What holds for every port of a Cumulus Linux switch: RoCE mode, queue map, pools, thresholds, watchdog times."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from xoff.model.origin import Default, Evidence, Origin
from xoff.model.quantity import Fact, Quantity, Unit, Unknown
from xoff.nos.cumulus.buffers import ALL, Layout, Limits, alpha, default_limits, percent
from xoff.nos.cumulus.state import PFC, Said, State
from xoff.nos.cumulus.words import LOSSLESS_POOLS, MODES, POOLS
from xoff.nos.registry import Implicit, Nos
from xoff.platforms.watchdog import of as watchdog_limits

#: The first release with the PFC watchdog (R).
WATCHDOG_SINCE = (5, 6)
#: Service pools of the flat files by NVUE's names (G514: mappings between traffic pools and advanced buffer properties).
_NUMBERED = {0: "default-lossy", 1: "default-lossless", 2: "mc-lossy"}
NO_INFRA = Unknown("qos_infra.conf, which has the pools, is not in the input", Fact.CONFIG)
NO_POOL = Unknown("which pool RoCE mode lossy uses is not sourced", Fact.DEFAULT)


class Device:
    """The switch-wide part of a state. `flat`: it comes from the flat files alone, without NVUE."""

    def __init__(self, nos: Nos, state: State, release: tuple[int, ...] | None) -> None:
        self.nos, self.state, self.release = nos, state, release
        self.flat = not state.kinds & {"nvue"}
        self.old = bool(state.kinds & {"traffic.conf", "datapath.conf"}) and self.flat
        self.mode, self.mode_origin = self._roce()
        what = "a release before 5.0" if self.old else f"RoCE mode {self.mode}"
        self.unknown_mode = Unknown(f"what {what} sets by itself is not sourced", Fact.DEFAULT)
        self.queue_of, self.queue_origins = self._queue_map()
        self.limits = self._limits()

    def _roce(self) -> tuple[str, Origin | None]:
        on, mode = self.state.device.get("roce"), self.state.device.get("roce.mode")
        first = mode or on or self.state.device.get("roce.cable")
        if first is None or (on is not None and on.value is False):
            return "off", None
        # `nv set qos roce` and `nv set qos roce mode lossless` are equivalent (G514).
        return ("lossless" if mode is None else str(mode.value)), (on or first).origin if mode is None else mode.origin

    @property
    def has_watchdog(self) -> bool:
        return self.release is None or self.release[:2] >= WATCHDOG_SINCE or len(self.release) < 2

    def default(self, path: str) -> Implicit | None:
        """What holds for `path` in this RoCE mode where nothing is said. Releases before 5.0 are sourced for maps only."""
        if self.old and path in ("queue.curve", "queue.scheduler", "device.pools"):
            return None
        later = self.release is not None and self.release[:2] >= (5, 17)
        for context in ({"feature": self.mode, "release": "from-5.17" if later else "before-5.17"}, {"feature": self.mode}):
            found = self.nos.default(path, **context)
            if found is not None:
                return found
        return None

    def _queue_map(self) -> tuple[dict[int, int], dict[str, Origin]]:
        entry = self.default("tc_to_queue") or self.nos.default("tc_to_queue", feature="off")
        assert entry is not None
        origins: dict[str, Origin] = {
            "tc_to_queue": entry.origin("Cumulus Linux's own map of switch priority to traffic class")
        }
        of = {p: int(entry.value[p]) for p in ALL}
        for p in ALL:
            said = self.state.device.get(f"queue.{p}")
            if said is not None:
                of[p] = int(said.value)
                origins[f"tc_to_queue.{p}"] = said.origin
        return of, origins

    def _limits(self) -> Limits:
        found = default_limits(self.nos)
        if self.flat and "qos_infra.conf" not in self.state.kinds:
            found = replace(found, egress=(NO_INFRA, found.egress[1]), ingress=(NO_INFRA, found.ingress[1]))
        ingress, egress = (self.state.device.get(f"buffer.{way}-lossless-buffer.shared-alpha") for way in ("ingress", "egress"))
        if ingress is not None:
            found = replace(found, ingress=(alpha(ingress.value), ingress.origin))
        if egress is not None:
            found = replace(found, egress=(alpha(egress.value), egress.origin))
        by_tc = {}
        for tc in range(16):
            said = self.state.device.get(f"buffer.egress-lossy-buffer.{tc}.shared-alpha")
            if said is not None:
                by_tc[tc] = (alpha(said.value), said.origin)
        return replace(found, by_tc=by_tc)

    # --- pools ---

    @functools.cache  # noqa: B019 - one Device per switch, and it dies with it
    def layout(self, protected: frozenset[int]) -> Layout:
        """Pools of the switch priorities on a port where PFC protects these."""
        return self._flat_layout(protected) if self.flat else self._nvue_layout(protected)

    def _nvue_layout(self, protected: frozenset[int]) -> Layout:
        entry = self.default("device.pools")
        given: Mapping[str, tuple[int, list[int]]] = {} if entry is None else entry.value
        where: Origin = (
            Default("no pool is set", Evidence.RECALLED, "")
            if entry is None
            else entry.origin(f"pools of {'a switch without RoCE' if self.mode == 'off' else f'RoCE mode {self.mode}'}")
        )
        pool: dict[int, str | Unknown] = dict.fromkeys(ALL, NO_POOL)
        origins: dict[int, Origin] = dict.fromkeys(ALL, where)
        for name, (_, priorities) in given.items():
            pool.update(dict.fromkeys(priorities, name))
        stated: dict[int, Origin] = {}
        for name in POOLS:
            profile = self.state.profiles.get(("traffic-pool", name))
            for p, said in profile.indexed("priority") if profile is not None else ():
                if p not in stated or name in LOSSLESS_POOLS:
                    pool[p], stated[p] = name, said.origin
        origins |= stated
        listed = {pool[p] for p in stated}
        for p in ALL:
            if p not in stated and pool[p] in listed and pool[p] != "default-lossy":
                # A pool that lists its priorities has those alone (secondary: X shows whole lists, never a part of one).
                pool[p] = "default-lossy"
                origins[p] = Default("its pool lists other switch priorities", Evidence.SECONDARY, "X")
        size: dict[str, tuple[Quantity | Unknown | None, Origin]] = {
            name: (percent(part), where) for name, (part, _) in given.items()
        }
        own = [n for n in LOSSLESS_POOLS if ("traffic-pool", n) in self.state.profiles]
        for name in POOLS:
            profile = self.state.profiles.get(("traffic-pool", name))
            if profile is not None:
                share, before = profile.values.get("memory-percent"), size.get(name, (None, where))[0]
                size[name] = (before, profile.at) if share is None else (percent(share.value), share.origin)
        lossless: dict[int, bool | Unknown] = {p: pool[p] in LOSSLESS_POOLS for p in ALL}
        for p in protected:
            if lossless[p] is True:
                continue
            if self.mode == "lossless-single-ipool":
                lossless[p] = True  # one ingress pool for all (G514)
            elif self.mode == "off" and own and not stated:
                # `default-lossless` is the pool of whatever has PFC (G514 Traffic Pools).
                profile = self.state.profiles["traffic-pool", own[0]]
                pool[p], lossless[p], origins[p] = own[0], True, profile.at
            elif self.mode not in ("off", "lossy") and p not in stated:
                # Nothing says that NVUE moves the pool with PFC, and the recipe of the user guide does not (secondary).
                lossless[p] = False
                origins[p] = Default(
                    "the pool has no switch-priority line", Evidence.SECONDARY, "cumulus.md, reading of G514's recipe"
                )
            elif self.mode == "lossy":
                lossless[p] = NO_POOL
        return Layout(pool, lossless, origins, size)

    def _flat_layout(self, protected: frozenset[int]) -> Layout:
        none = Default("no pool is said", Evidence.READ, "G514: pools are in qos_infra.conf")
        size: dict[str, tuple[Quantity | Unknown | None, Origin]] = {}
        for number in range(16):
            said = self.state.device.get(f"pool.ingress.{number}") or self.state.device.get(f"pool.egress.{number}")
            if said is not None:
                size[_NUMBERED.get(number, f"service-pool-{number}")] = (percent(said.value), said.origin)
        flow = self.state.device.get("flow.ingress.pool")
        infra = "qos_infra.conf" in self.state.kinds
        pool: dict[int, str | Unknown] = dict.fromkeys(ALL, "default-lossy" if infra else NO_INFRA)
        lossless: dict[int, bool | Unknown] = dict.fromkeys(ALL, False)
        origins: dict[int, Origin] = dict.fromkeys(ALL, none)
        for p in protected:
            if flow is None:
                pool[p], lossless[p] = NO_INFRA, NO_INFRA
            else:
                pool[p], lossless[p], origins[p] = _NUMBERED.get(flow.value, f"service-pool-{flow.value}"), True, flow.origin
        return Layout(pool, lossless, origins, size)

    # --- watchdog, cable ---

    def watchdog_times(self) -> tuple[dict[str, Quantity], dict[str, Origin]]:
        """Detection, restoration and polling in milliseconds, and what says them."""
        limits = watchdog_limits("cumulus", self.nos.watchdog)
        poll_said, count_said = (self.state.device.get(f"watchdog.{k}") for k in ("polling-interval", "robustness"))
        poll = limits.poll.default if poll_said is None else int(poll_said.value)
        count = limits.detect.default if count_said is None else int(count_said.value)
        assert poll is not None
        assert count is not None
        by_poll = (
            poll_said.origin if poll_said else Default("no polling-interval is set: 100 ms", Evidence.READ, limits.poll.source)
        )
        by_count = count_said.origin if count_said else by_poll if poll_said else Default(
            "no robustness is set: 3 polling intervals", Evidence.READ, limits.detect.source
        )  # fmt: skip
        times = {"detect": poll * count, "restore": poll, "poll": poll}
        lines: dict[str, Origin] = {"watchdog.detect": by_count, "watchdog.restore": by_poll, "watchdog.poll": by_poll}
        lines["watchdog.action"] = Default("the watchdog drops; there is no other action", Evidence.READ, "G514")
        return {k: Quantity(Fraction(v), Unit.MILLISECONDS) for k, v in times.items()}, lines

    def cable(self, bound: str) -> Said | None:
        """Metres that the switch is told for the cable of a port with this PFC profile."""
        profile = self.state.profiles.get((PFC, bound))
        said = None if profile is None else profile.values.get("cable-length")
        return said or (self.state.device.get("roce.cable") if self.mode != "off" else None)

    def assumed_cable(self) -> tuple[int, Origin] | None:
        """Metres that the switch takes where it is told none."""
        entry = self.nos.default("port.cable", feature="roce" if self.mode != "off" else "pfc")
        if entry is None or self.old:
            return None
        return int(entry.value), entry.origin(f"no cable-length is set: headroom is made for {entry.value} m")

    def wrong_mode(self, asic: str | Unknown) -> str | None:
        """Why the RoCE mode cannot be on this chip; None where it can, or the chip is not known."""
        chips = MODES.get(self.mode)
        if chips is None or isinstance(asic, Unknown) or asic in chips:
            return None
        return f"RoCE mode {self.mode} is for {', '.join(sorted(chips))} only; this switch has {asic}"


__all__ = ["Device", "Said"]
