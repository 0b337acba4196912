"""BUF002: pools, headroom and minimums together are more than the chip's memory."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Budget,
    Confidence,
    DeviceView,
    Direction,
    Evidence,
    Fact,
    Hit,
    Impact,
    NotAssessed,
    PoolKind,
    Rule,
    Scope,
    Severity,
    memory_budgets,
    pool_size,
    shipped_promise,
    terms,
)

_WHY = (
    "The chip cannot keep what is promised. The driver refuses the profiles that come last, and their groups stay lossy; or it "
    "takes them, and headroom that is counted on is taken when the pause goes out."
)


class PoolOvercommitted(Rule):
    code = "BUF002"
    name = "pool-overcommitted"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.SWITCH
    explains = ("HDR006", "BUF001", "DRF001")

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        stopped: list[NotAssessed] = []
        for view in memory_budgets(device):
            over = view.low.value > view.memory
            if not over and view.high.value <= view.memory:
                if view.missing:
                    stopped.append(NotAssessed(f"{view.direction} view: {view.missing[0]}", Fact.CONFIG))
                continue
            egress = view.direction is Direction.EGRESS
            if not over:
                ships = shipped_promise(device, view.direction)
                pooled = sum(int(t.value) for t in view.high.terms if t.name != "reserved")
                if egress or (ships is not None and ships[0] >= pooled):
                    why = (
                        "whether minimums of queues are inside"
                        if egress
                        else f"for {ships[1] if ships else ''} as much is shipped"
                    )
                    said = f"whether the {view.direction} pools fit the memory rests on a fact not sourced ({why})"
                    stopped.append(NotAssessed(said, Fact.ASIC))
                    continue
            yield self._hit(device, view, over and view.sourced)
        if stopped:
            raise stopped[0]

    def _hit(self, device: DeviceView, v: Budget, certain: bool) -> Hit:
        pools = v.pools
        shared = [p for p in pools if p.kind is PoolKind.SHARED]
        first = max(shared or pools, key=lambda p: pool_size(device, p) or 0)
        where = "" if v.domain is None else f" of memory domain {v.domain}"
        doubtful = v.evidence is Evidence.SECONDARY
        if certain:
            message = f"{v.direction} pools, headroom and minimums promise {v.low.value:,} B of {v.memory:,} B of memory{where}"
        else:
            message = (
                f"{v.direction} pools promise {v.low.value:,} B, or {v.high.value:,} B if headroom and minimums are not "
                f"inside their "
                f"size (not sourced for this ASIC), of {v.memory:,} B of memory{where}"
            )
        severity = Severity.ERROR if certain and v.direction is Direction.INGRESS else Severity.WARNING
        others = [p for p in pools if p is not first]
        return self.hit(
            message,
            at=first.origins.get("size") or first.origins.get(""),
            device=device,
            severity=severity.lower() if doubtful else severity,
            confidence=Confidence.INFERRED if doubtful or not certain else None,
            observed=f"{(v.low if certain else v.high).value:,} B",
            expected=f"at most {v.memory:,} B",
            unit="bytes",
            why=_WHY,
            basis=(*terms(v.high), f"memory: {device.asic.buffer.source}", *(f"not counted: {m}" for m in v.missing)),
            related=tuple((None, p.origins.get("size") or p.origins.get(""), f"size of {p.name}") for p in others),
            object=f"{v.direction} memory",
        )
