"""BUF005: a byte count stands where an alpha is meant or the reverse, or a group's threshold is not of its pool's kind."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Alpha,
    BufferProfile,
    BufferUse,
    DeviceView,
    Direction,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    PoolMode,
    Rule,
    Scope,
    Severity,
    Static,
    Unit,
    Unknown,
    pool_named,
    threshold_said,
)

#: A limit below the smallest frame (bytes): no such limit is meant, an exponent of alpha is.
SMALLEST_FRAME = 64
_WHY = (
    "The profile is refused, and what uses it keeps the limit it had; or the number is taken as it stands, and the group has "
    "no "
    "limit, or pauses and drops at its first packet."
)
_MODE = (
    "Where the SDK does not let a profile differ from its pool, the profile is refused and the group keeps the limit it had, "
    "or "
    "none; profiles that the device makes by itself take the pool's kind."
)


class ThresholdModeMismatch(Rule):
    code = "BUF005"
    name = "threshold-mode-mismatch"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.SWITCH
    explains = ("BUF001", "BUF003", "BUF008", "ECN003", "DRF001")

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        used = [p for p in device.maybe.profiles.values() if p.used_as and p.threshold is not None]
        if not used:
            raise NotApplicable("no buffer profile with a threshold is in use")
        stopped: list[NotAssessed] = []
        for profile in used:
            hit = self._number(device, profile)
            if hit is not None:
                yield hit
                continue
            try:
                hit = self._mode(device, profile)
            except NotAssessed as why:
                stopped.append(why)
            if hit is not None:
                yield hit
        if stopped:
            raise stopped[0]

    def _number(self, device: DeviceView, profile: BufferProfile) -> Hit | None:
        """A number that makes sense only as the other kind of threshold."""
        said = profile.threshold
        if isinstance(said, Alpha) and said.alpha.unit is not Unit.ALPHA:
            what = f"{int(said.alpha.amount):,} stands where the exponent of an alpha belongs: it is a number of bytes"
            observed, expected = said.alpha.plain, "an exponent of alpha, or a static threshold"
        elif isinstance(said, Static) and said.limit is not None and 0 < said.limit.amount < SMALLEST_FRAME:
            if said.limit.unit is not Unit.BYTES:
                return None
            what = f"a static threshold of {said.limit.plain} B is less than one frame: it is an exponent of alpha"
            observed, expected = f"{said.limit.plain} B", "a number of bytes, or an alpha"
        else:
            return None
        return self.hit(
            f"profile {profile.name}: {what}",
            at=profile.origins.get("threshold") or profile.origins.get(""),
            device=device,
            observed=observed,
            expected=expected,
            why=_WHY,
            related=((None, profile.origins.get("pool"), "its pool"),),
            object=profile.name,
        )

    def _mode(self, device: DeviceView, profile: BufferProfile) -> Hit | None:
        """A lossless group with a threshold of another kind than its pool. Queues and lossy groups differ in what vendors
        ship."""
        if BufferUse.GROUP not in profile.used_as or profile.direction is Direction.EGRESS or not _lossless(device, profile):
            return None
        pool = pool_named(device, profile.pool)
        if pool is None or isinstance(profile.threshold, Unknown) or profile.threshold is None:
            return None
        if isinstance(pool.mode, Unknown):
            raise NotAssessed(pool.mode.reason, pool.mode.fact)
        if isinstance(profile.threshold, Alpha) is (pool.mode is PoolMode.DYNAMIC):
            return None
        return self.hit(
            f"profile {profile.name} of a lossless group has {threshold_said(profile.threshold)} in pool {pool.name}, which is "
            f"{pool.mode}",
            at=profile.origins.get("threshold") or profile.origins.get(""),
            device=device,
            severity=Severity.WARNING,
            observed=threshold_said(profile.threshold),
            expected="an alpha" if pool.mode is PoolMode.DYNAMIC else "a number of bytes",
            why=_MODE,
            related=((None, pool.origins.get("mode") or pool.origins.get(""), "kind of the pool"),),
            object=profile.name,
        )


def _lossless(device: DeviceView, profile: BufferProfile) -> bool:
    """Whether a group with this profile is lossless by its buffer."""
    return any(
        g.profile == profile.name and g.lossless is True for port in device.ports for g in port.maybe.qos.groups.values()
    )
