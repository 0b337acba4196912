"""Leaves of `qos` in NVUE into the state of a switch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from xoff.model.origin import Line
from xoff.nos.cumulus.claims import Claim
from xoff.nos.cumulus.leaves import Leaves
from xoff.nos.cumulus.state import ECN, GLOBAL, MAPPING, PAUSE, PFC, REMARK, SCHEDULER, SHAPER, Profile, Said
from xoff.nos.cumulus.words import ALPHAS, MODES, POOLS, TRUST

_BYTES = 2**32


class QosLeaves(Leaves):
    """`qos …`: RoCE, mappings, PFC, ECN, schedulers, pools."""

    def _profile(self, claim: Claim, kind: str) -> tuple[Profile, Line]:
        """The profile of a leaf, and the leaf's line below it."""
        name = claim.values["profile"]
        shown = name if name == GLOBAL else "*"
        words = claim.text.split()
        profile = self.state.profile(kind, name, claim.line(f"{words[0]} {shown}"))
        return profile, claim.line(" ".join(words[2:]), "qos", f"{words[0]} {shown}")

    def _roce(self, claim: Claim) -> None:
        on = self._switch(claim, "state")
        if on is not None:
            self._device("roce", on, claim)

    def _roce_mode(self, claim: Claim) -> None:
        mode = claim.values["mode"]
        if mode not in MODES:
            self._bad(claim, f"RoCE mode {mode!r} does not exist", ", ".join(MODES))
        else:
            self._device("roce.mode", mode, claim)

    def _roce_cable(self, claim: Claim) -> None:
        metres = self._number(claim, "metres", 1, 100_000)
        if metres is not None:
            self._device("roce.cable", metres, claim)

    def _trust(self, claim: Claim) -> None:
        profile, line = self._profile(claim, MAPPING)
        if claim.values["trust"] not in TRUST:
            self._bad(claim, f"trust {claim.values['trust']!r} does not exist", ", ".join(TRUST))
            return
        profile.values["trust"] = Said(claim.values["trust"], line)

    def _row(self, field: str, high: int) -> Callable[[Claim], None]:
        def read(claim: Claim) -> None:
            profile, line = self._profile(claim, MAPPING)
            priority = self._number(claim, "priority", 0, 7)
            if priority is not None:
                for value in sorted(self._numbers(claim, field, high)):
                    profile.values[f"{value}.{field}"] = Said(priority, line)

        return read

    def _dscp(self, claim: Claim) -> None:
        self._row("dscp", 63)(claim)

    def _pcp(self, claim: Claim) -> None:
        self._row("pcp", 7)(claim)

    def _port_default(self, claim: Claim) -> None:
        profile, line = self._profile(claim, MAPPING)
        priority = self._number(claim, "priority", 0, 7)
        if priority is not None:
            profile.values["port-default-sp"] = Said(priority, line)

    def _queue_map(self, claim: Claim) -> None:
        if claim.values["profile"] != GLOBAL:
            self._bad(claim, f"egress-queue-mapping has no profile {claim.values['profile']!r}", f"{GLOBAL}, the only one")
            return
        tc = self._number(claim, "tc", 0, 7)
        if tc is not None:
            for priority in sorted(self._numbers(claim, "priority")):
                self._device(f"queue.{priority}", tc, claim)

    def _pfc_priority(self, claim: Claim) -> None:
        profile, line = self._profile(claim, PFC)
        for priority in sorted(self._numbers(claim, "priority")):
            profile.values[f"{priority}.priority"] = Said(True, line)

    def _pfc(self, claim: Claim) -> None:
        profile, line = self._profile(claim, PFC)
        leaf = claim.values["leaf"]
        if leaf in ("tx", "rx"):
            found: int | bool | None = self._switch(claim, "value")
        else:
            found = self._number(
                claim, "value", 1 if leaf == "cable-length" else 0, 100_000 if leaf == "cable-length" else _BYTES
            )
        if found is not None:
            profile.values[leaf] = Said(found, line)

    def _ecn(self, claim: Claim) -> None:
        profile, line = self._profile(claim, ECN)
        leaf = claim.values["leaf"]
        found: bool | int | str | None
        if leaf in ("ecn", "red"):
            found = self._switch(claim, "value")
        elif leaf == "mode":
            found = claim.values["value"] if claim.values["value"] in ("absolute", "relative") else None
            if found is None:
                self._bad(claim, f"ECN mode {claim.values['value']!r} does not exist", "absolute or relative")
        elif leaf in ("min-threshold", "max-threshold"):
            found = self._number(claim, "value", 0, _BYTES)
        else:
            found = self._number(claim, "value", 0, 100)
        if found is not None:
            for tc in sorted(self._numbers(claim, "tc")):
                profile.values[f"{tc}.{leaf}"] = Said(found, line)

    def _scheduler(self, claim: Claim) -> None:
        profile, line = self._profile(claim, SCHEDULER)
        leaf = claim.values["leaf"]
        if leaf == "mode":
            found: int | str | None = claim.values["value"] if claim.values["value"] in ("dwrr", "strict") else None
            if found is None:
                self._bad(claim, f"scheduler mode {claim.values['value']!r} does not exist", "dwrr or strict")
        else:
            found = self._number(claim, "value", 0, 100)
        if found is not None:
            for tc in sorted(self._numbers(claim, "tc")):
                profile.values[f"{tc}.{leaf}"] = Said(found, line)

    def _pool(self, claim: Claim) -> None:
        pool = claim.values["pool"]
        if pool not in POOLS:
            self._bad(claim, f"traffic pool {pool!r} does not exist", ", ".join(POOLS))
            return
        line = claim.line(claim.text)
        profile = self.state.profile("traffic-pool", pool, line)
        if claim.values["leaf"] == "switch-priority":
            for priority in sorted(self._numbers(claim, "value")):
                profile.values[f"{priority}.priority"] = Said(True, line)
            return
        percent = self._number(claim, "value", 0, 100)
        if percent is not None:
            profile.values["memory-percent"] = Said(percent, line)

    def _watchdog(self, claim: Claim) -> None:
        found = self._number(claim, "value", 1, 10**6)
        if found is not None:
            self._device(f"watchdog.{claim.values['leaf']}", found, claim)

    def _remark(self, claim: Claim) -> None:
        profile, line = self._profile(claim, REMARK)
        layers = set(claim.values["layers"].split(","))
        if not layers <= {"l2", "l3"}:
            self._bad(claim, f"rewrite {claim.values['layers']!r} does not exist", "l2 and l3")
            return
        for layer in layers:
            profile.values[layer] = Said(True, line)

    def _remark_row(self, claim: Claim) -> None:
        profile, line = self._profile(claim, REMARK)
        layer = claim.values["layer"]
        found = self._number(claim, "value", 0, 63 if layer == "dscp" else 7)
        if found is not None:
            for priority in sorted(self._numbers(claim, "priority")):
                profile.values[f"{priority}.{layer}"] = Said(found, line)

    def _pause(self, claim: Claim) -> None:
        profile, line = self._profile(claim, PAUSE)
        on = self._switch(claim, "value")
        if on is not None:
            profile.values[claim.values["leaf"]] = Said(on, line)

    def _shaper(self, claim: Claim) -> None:
        profile, line = self._profile(claim, SHAPER)
        found = self._number(claim, "value", 0, 2**31)
        if found is not None:
            for tc in sorted(self._numbers(claim, "tc")):
                profile.values[f"{tc}.{claim.values['leaf']}"] = Said(found, line)

    def _buffer(self, claim: Claim) -> None:
        self._alpha(claim, claim.values["region"])

    def _buffer_queue(self, claim: Claim) -> None:
        for tc in sorted(self._numbers(claim, "tc", 15)):
            self._alpha(claim, f"egress-lossy-buffer.{tc}")

    def _alpha(self, claim: Claim, region: str) -> None:
        what, value = claim.values["property"], claim.values["value"]
        if what == "shared-alpha":
            found: object = ALPHAS.get(value.lower())
            if found is None:
                self._bad(claim, f"alpha {value!r} does not exist", ", ".join(ALPHAS))
                return
        elif what == "shared-bytes":
            found = self._number(claim, "value", 0, _BYTES)
        else:
            return
        if found is not None:
            self._device(f"buffer.{region}.{what}", found, claim)

    def _bare(self, claim: Claim) -> None:
        self._profile(claim, claim.values["kind"])

    OF: ClassVar[Mapping[str, Callable[[Any, Claim], None]]] = {
        "roce": _roce,
        "roce_mode": _roce_mode,
        "roce_cable": _roce_cable,
        "trust": _trust,
        "dscp": _dscp,
        "pcp": _pcp,
        "port_default": _port_default,
        "queue_map": _queue_map,
        "pfc_priority": _pfc_priority,
        "pfc": _pfc,
        "ecn": _ecn,
        "scheduler": _scheduler,
        "pool": _pool,
        "watchdog": _watchdog,
        "remark": _remark,
        "remark_row": _remark_row,
        "pause": _pause,
        "shaper": _shaper,
        "buffer": _buffer,
        "buffer_queue": _buffer_queue,
        "bare": _bare,
    }
