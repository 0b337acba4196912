"""BUF003: a static threshold is written on another scale than this chip and SDK use."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    DeviceView,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    Origin,
    Pool,
    PortView,
    Quantity,
    Rule,
    Scope,
    Severity,
    Static,
    Threshold,
    Unknown,
    off_scale,
    pool_named,
    pool_size,
    scale_of,
)

_WHY = (
    "The limit in force is a fraction or a multiple of the one that is meant: a queue that drops long before ingress pauses, "
    "or a "
    "profile that the SDK refuses, so that the old limit stays."
)


class ThresholdOutOfScale(Rule):
    code = "BUF003"
    name = "threshold-out-of-scale"
    severity = Severity.WARNING
    impact = Impact.LOSS
    scope = Scope.SWITCH
    explains = ("BUF001", "DRF001")

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        found = list(_static(device))
        if not found:
            raise NotApplicable("no static threshold in a pool of known size is in use")
        scale = scale_of(device)
        for port, origin, what, limit, pool in found:
            size, stated = pool_size(device, pool), limit.bytes(device.context())
            if isinstance(stated, Unknown):
                raise NotAssessed(stated.reason, stated.fact)
            off = off_scale(device, stated, size or 0, scale)
            if off is None:
                continue
            yield self.hit(
                f"the static threshold of {what} is {stated:,} B: {off.what}",
                at=origin,
                port=port,
                observed=f"{stated:,} B",
                expected=f"{off.meant:,} B",
                unit="bytes",
                why=_WHY,
                basis=(f"static thresholds count per {scale.scale}: {scale.source}",),
                related=((None, pool.origins.get("size") or pool.origins.get(""), f"size of pool {pool.name}"),),
                object=what,
            )


def _static(device: DeviceView) -> Iterator[tuple[PortView, Origin | None, str, Quantity, Pool]]:
    """Static thresholds of groups and queues, with the pool they are a share of."""
    for port in device.ports:
        qos = port.maybe.qos
        things: list[tuple[str, str, Threshold | Unknown | None, str | Unknown | None]] = [
            (f"group.{g.id}.threshold", f"priority group {g.id}", g.threshold, g.pool) for g in qos.groups.values()
        ]
        things += [(f"queue.{q.id}.limit", f"queue {q.id.id}", q.limit, q.pool) for q in qos.queues.values()]
        for path, what, threshold, name in things:
            pool = pool_named(device, name)
            if not isinstance(threshold, Static) or threshold.unlimited or threshold.limit is None or pool is None:
                continue
            if pool_size(device, pool):
                yield port, port.origin(path), what, threshold.limit, pool
