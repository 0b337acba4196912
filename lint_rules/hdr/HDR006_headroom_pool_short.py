"""HDR006: the pool that all headroom is taken from is short: of one group's need, or of the ratio stated or shipped."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from xoff.lint.rules import (
    DeviceView,
    Fact,
    Hit,
    Impact,
    NotApplicable,
    NotAssessed,
    Origin,
    Pool,
    PoolKind,
    PortView,
    Quantity,
    Rule,
    Scope,
    Severity,
    Unknown,
    headroom_pools,
    known,
    pool_bytes,
    pool_needs,
    ships_pool,
    stated_pool,
    terms,
)

_ONE = (
    "A single congested group fills the pool before its peer has stopped: what comes after is dropped, whatever the group's "
    "own headroom says."
)
_MANY = (
    "Headroom is promised more than once. While few ports pause at a time it is there; when more do, as in an incast or after "
    "a failure, the last ones drop."
)


class HeadroomPoolShort(Rule):
    code = "HDR006"
    name = "headroom-pool-short"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.SWITCH
    explains = ("DRF001",)

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        pools = list(headroom_pools(device))
        if not pools:
            raise NotApplicable("no headroom pool is stated")
        if known(device.maybe.pfc_off):
            raise NotApplicable("PFC is off on the whole switch: PFC009")
        needs = pool_needs(device)
        if not any(n.claims for n in needs):
            if not any(n.unknown for n in needs):
                raise NotApplicable("no lossless group takes headroom from it")
            raise NotAssessed("the headroom of no lossless group is a number in the input", Fact.TABLE)
        for pool in pools:
            yield from self._judge(device, pool)

    def _judge(self, device: DeviceView, pool: Pool) -> Iterator[Hit]:
        needs = pool_needs(device)
        size = pool_bytes(device, pool.size)
        domains = len(needs) if pool.domain is None else 1
        share = size // domains
        each = f" in each of {domains} memory domains" if domains > 1 else ""
        stated = pool.over_subscription
        worst = max(needs, key=lambda n: n.total.value)
        largest = max((n.largest for n in needs if n.largest), key=lambda c: c.headroom)
        partly = f"; {len(worst.unknown)} groups are of unknown size" if worst.unknown else ""
        at = pool.origins.get("size") or pool.origins.get("")
        where = _of(device, largest.port, largest.group)
        basis = (*terms(worst.total), *self._split(device, domains))
        if share < largest.headroom:
            yield self.hit(
                f"headroom pool {pool.name} keeps {share:,} B{each}, less than the {largest.headroom:,} B that one single "
                f"priority group may take",
                at=at, device=device, observed=f"{share:,} B", expected=f"at least {largest.headroom:,} B", unit="bytes",
                why=_ONE, basis=basis, related=(where,), object=pool.name,
            )  # fmt: skip
            return
        if isinstance(stated, Quantity) and stated.amount:
            least = stated_pool(device, worst, stated.amount)
            if share < least:
                yield self.hit(
                    f"headroom pool {pool.name} keeps {share:,} B{each}; an over-subscription of {stated.plain}, as "
                    f"stated, takes {least:,} B for {worst.claims} lossless groups{partly}",
                    at=at, device=device, observed=f"{share:,} B", expected=f"at least {least:,} B", unit="bytes", why=_MANY,
                    basis=basis,
                    related=((None, pool.origins.get("over_subscription"), "the ratio stated"), where), object=pool.name,
                )  # fmt: skip
                return
        ratio = worst.ratio(share)
        if ratio is None or ratio <= 1 or _as_intended(device, pool):
            return
        yield self._promised(device, pool, share, size, ratio, each, partly, at, where, basis)

    def _promised(
        self,
        device: DeviceView,
        pool: Pool,
        share: int,
        size: int,
        ratio: Fraction,
        each: str,
        partly: str,
        at: Origin | None,
        where: tuple[PortView | None, Origin | None, str],
        basis: tuple[str, ...],
    ) -> Hit:
        needs = pool_needs(device)
        worst = max(needs, key=lambda n: n.total.value)
        ships = device.asic_facts.shipped_oversubscription if device.asic_facts else None
        usual = None if ships is None or isinstance(ships.value, Unknown) else ships.value
        like = ships_pool(device, size)
        above = usual is not None and ratio > usual and like is None
        compare = f"; the vendor ships {float(usual):g} for this ASIC" if usual is not None and above else ""
        shipped = f"; so shipped for {like}" if like else ""
        return self.hit(
            f"headroom pool {pool.name} promises {float(ratio):.1f} times the {share:,} B that it keeps{each}: "
            f"{worst.at_once(share)} of the largest groups may be congested at once{compare}{shipped}{partly}",
            at=at,
            device=device,
            severity=Severity.WARNING if above else Severity.NOTE,
            observed=f"ratio {float(ratio):.1f}",
            expected=f"ratio {float(usual):g}" if usual is not None and above else None,
            why=_MANY,
            basis=(*basis, *((f"shipped ratio: {ships.source}",) if ships is not None and above else ())),
            related=(where,),
            object=pool.name,
        )

    @staticmethod
    def _split(device: DeviceView, domains: int) -> tuple[str, ...]:
        asic = device.asic_facts
        if asic is None:
            return ("ASIC not known: the pool is taken as one memory",)
        if isinstance(asic.domains.value, Unknown):
            return (f"{asic.domains.value.reason}: the pool is taken as one memory, so the least that must hold",)
        return (f"{domains} memory domains: {asic.domains.source}",) if domains > 1 else ()


def _of(device: DeviceView, port: str, group: int) -> tuple[PortView | None, Origin | None, str]:
    view = next((v for v in device.ports if port in v.names), None)
    return view, view.origin(f"group.{group}.headroom") if view else None, "the largest headroom"


def _as_intended(device: DeviceView, pool: Pool) -> bool:
    """Whether the intent's own calculation made the pool just as large."""
    expected = device.expected
    return expected is not None and any(
        p.kind is PoolKind.HEADROOM and p.name == pool.name and p.size == pool.size for p in expected.pools
    )
