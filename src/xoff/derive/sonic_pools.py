"""SONiC's buffer pools and profiles: as the vendor ships them, moved only so far that every lossless group has its headroom.

Where headroom is shared (`xoff` of the ingress pool), the shared part shrinks by what the headroom pool grows, which holds
by either reading of whether the pool's size includes it. Where headroom is private (NVIDIA's traditional model), the ingress
pools shrink by what the profiles take beyond what the vendor's sizes leave.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xoff.derive.setting import Setting
from xoff.errors import CannotExpress
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Derived, Evidence, Origin, Origins
from xoff.model.quantity import Unit, Unknown, quantity
from xoff.model.switch import BufferProfile, BufferUse, Direction, Pool, PoolKind, PoolMode
from xoff.platforms import ShippedBuffers
from xoff.sizing.number import Number, down_to, number, term, up_to

LOSSLESS = "ingress_lossless_pool"
EGRESS = "egress_lossless_pool"
_DIRECTIONS = {"ingress": Direction.INGRESS, "egress": Direction.EGRESS, "both": Direction.BOTH}
_LISTS = {
    "ingress_lossless_profile": BufferUse.PORT_INGRESS,
    "ingress_lossy_profile": BufferUse.PORT_INGRESS,
    "egress_lossless_profile": BufferUse.PORT_EGRESS,
    "egress_lossy_profile": BufferUse.PORT_EGRESS,
}


class Pools:
    """Pools and profiles of one switch. `claims`: (headroom, size) of every lossless (port, group).

    `pools`: as they are configured; `shipped`: with the vendor's sizes where the device computes them (for ECN's cap).
    Raises CannotExpress where the chip's pools are not sourced or cannot hold the headroom.
    """

    def __init__(self, s: Setting, dynamic: bool, claims: list[tuple[int, int]]) -> None:
        self.s = s
        self.dynamic = dynamic
        self.source = self._find()
        self.sizes: dict[str, Number] = {}
        self.xoff: Number | None = None
        for name, row in self.source.pools.items():
            if row.get("size", "").isdigit():
                at = term("shipped size", int(row["size"]), f"pool {name}", self.source.source)
                self.sizes[name] = number(int(row["size"]), "as shipped", (at,), "table")
        if LOSSLESS not in self.source.pools:
            raise CannotExpress(f"{s.device.name}: the shipped pools ({self.source.source}) have no {LOSSLESS}")
        self._within_egress()
        shipped_xoff = self.source.pools[LOSSLESS].get("xoff")
        if shipped_xoff is not None:
            self._shared_headroom(int(shipped_xoff), [h for h, _ in claims])
        elif claims:
            self._private_headroom(claims)
        self.shipped = tuple(self._pools(sized=True))
        self.pools = tuple(self._pools(sized=not dynamic))

    def _find(self) -> ShippedBuffers:
        s = self.s
        found = s.platform.buffers(s.leaf) if s.platform else None
        if found is None:
            near = sorted({n.partition(".")[0] for n in s.asic.buffers})
            hint = f"; hwskus of this chip whose pools are sourced: {', '.join(near[:6])}" if near else ""
            raise CannotExpress(
                f"{s.device.name}: no shipped buffer pools are sourced for {s.device.model} ({s.asic.title}){hint}. "
                "Name such a model, or keep the switch's own buffer tables"
            )
        return found

    # --- sizes --------------------------------------------------------------------------------------------------------

    def _shared_headroom(self, shipped: int, claims: list[int]) -> None:
        s = self.s
        at = term("shipped xoff", shipped, f"pool {LOSSLESS}", self.source.source)
        least = self._egress_balance(shipped)
        domains = s.asic.domains.value
        parts = domains if isinstance(domains, int) else 1  # a pool is split evenly: each part has to hold the largest group
        wanted = max(sum(claims), parts * max(claims, default=0))
        if wanted <= least:
            if least == shipped:
                self.xoff = number(shipped, "as shipped: every lossless group has its headroom", (at,), "table")
            else:
                egress = term(
                    "egress lossless pool", self.sizes[EGRESS].value, "what ingress shares must fit it", self.source.source
                )
                self.xoff = number(least, "ingress pool less egress pool: egress holds all that ingress shares", (at, egress))
            return
        cell = s.asic.cell.value
        step = (cell if isinstance(cell, int) else 1) * parts
        need = up_to(wanted, step)
        whole = self.sizes[LOSSLESS].value
        includes = s.asic.pool_size_includes_headroom.value
        top = down_to(whole // 2 if includes is True else shipped + whole // 2, step)
        terms = [
            at,
            term("sum of headroom", sum(claims), f"{len(claims)} lossless (port, group) pairs", "derived", Evidence.COMPUTED),
        ]
        formula = "sum of headroom"
        if need > top:
            s.note(
                "headroom pool",
                f"{len(claims)} lossless groups need {need} B of headroom, the pool can give {top} B: over-subscribed, "
                f"{top // max(claims)} of the largest may be congested at once",
            )
            terms.append(term("cap", top, "half of the shared pool stays shared", "computed", Evidence.COMPUTED))
            need, formula = top, "half of the shared pool (over-subscribed)"
        self.xoff = number(need, formula, tuple(terms))
        if includes is not True:
            taken = need - shipped
            self.sizes[LOSSLESS] = self._less(LOSSLESS, taken, "given to the headroom pool")

    def _within_egress(self) -> None:
        """The ingress pool, where its size holds the headroom, is cut to what the lossless egress queue may hold.

        Else the queue fills before the headroom does (sonic-net/sonic-buildimage pull 21320, 24156).
        """
        s, egress, ingress = self.s, self.sizes.get(EGRESS), self.sizes.get(LOSSLESS)
        profile = self.source.profiles.get("egress_lossless_profile")
        limit = profile.get("static_th", "") if profile is not None else ""
        if s.asic.pool_size_includes_headroom.value is not True or egress is None or ingress is None or not limit.isdigit():
            return
        cell = s.asic.cell.value
        holds = down_to(max(egress.value, int(limit)), cell if isinstance(cell, int) else 1)
        if holds < ingress.value:
            why = f"the lossless egress queue holds {holds} B, and this pool's size includes its headroom"
            self.sizes[LOSSLESS] = self._less(LOSSLESS, ingress.value - holds, why)

    def _egress_balance(self, shipped: int) -> int:
        """At least the shipped headroom pool, and so much that what ingress shares fits the egress lossless pool.

        Judged only where it is sourced that the ingress pool's size holds the headroom.
        """
        egress = self.sizes.get(EGRESS)
        if self.s.asic.pool_size_includes_headroom.value is not True or egress is None:
            return shipped
        cell = self.s.asic.cell.value
        return max(shipped, up_to(self.sizes[LOSSLESS].value - egress.value, cell if isinstance(cell, int) else 1))

    def _private_headroom(self, claims: list[tuple[int, int]]) -> None:
        """Profiles hold the headroom themselves: what they take beyond the vendor's spare room comes off the ingress pools."""
        ingress = [n for n, p in self.source.pools.items() if p.get("type") == "ingress" and n in self.sizes]
        total = max((n.value for name, n in self.sizes.items() if name.startswith("egress")), default=0)
        room = total - sum(self.sizes[n].value for n in ingress)
        taken = sum(size for _, size in claims)
        if taken <= room:
            return
        each = up_to((taken - room + len(ingress) - 1) // len(ingress), 1024)
        for name in ingress:
            if each >= self.sizes[name].value:
                raise CannotExpress(
                    f"{self.s.device.name}: {len(claims)} lossless groups take {taken} B, more than the memory of "
                    f"{self.s.asic.title} leaves ({total} B in all); shorten cables, "
                    "take a smaller preset, or the dynamic model"
                )
        for name in ingress:
            self.sizes[name] = self._less(
                name, each, f"{len(claims)} lossless groups take {taken} B, the shipped sizes leave {room} B"
            )

    def _less(self, name: str, by: int, why: str) -> Number:
        old = self.sizes[name]
        terms = (*old.terms, term("less", -by, why, "computed", Evidence.COMPUTED))
        return number(old.value - by, "shipped size, less what headroom takes", terms)

    # --- objects ------------------------------------------------------------------------------------------------------

    def _pools(self, sized: bool) -> Iterable[Pool]:
        includes: bool | Unknown = self.s.asic.pool_size_includes_headroom.value
        for name, row in self.source.pools.items():
            size = self.sizes.get(name)
            said = size is not None and (sized or name == EGRESS)
            yield Pool(
                name,
                _DIRECTIONS[row["type"]],
                PoolKind.SHARED,
                PoolMode(row["mode"]),
                quantity(size.value, Unit.BYTES) if said and size is not None else None,
                includes_headroom=includes,
                origins=Origins({"size": size.origin} if said and size is not None else {}),
            )
        if self.xoff is not None:
            yield Pool(
                f"{LOSSLESS}.xoff",
                Direction.INGRESS,
                PoolKind.HEADROOM,
                PoolMode.STATIC,
                quantity(self.xoff.value, Unit.BYTES),
                origins=Origins({"size": self.xoff.origin}),
            )

    def profile(self, name: str) -> BufferProfile:
        """A shipped profile by name. Raises CannotExpress where the vendor ships none."""
        row = self.source.profiles.get(name)
        if row is None:
            raise CannotExpress(f"{self.s.device.name}: the shipped profiles ({self.source.source}) have no {name}")
        return BufferProfile(
            name, row.get("pool"), self._direction(row), FrozenMap(row), self._uses(name), Origins({"": self.origin(name)})
        )

    def _direction(self, row: Mapping[str, str]) -> Direction | Unknown:
        pool = self.source.pools.get(row.get("pool", ""))
        return _DIRECTIONS[pool["type"]] if pool else Unknown("the profile's pool is not shipped")

    def _uses(self, name: str) -> frozenset[BufferUse]:
        uses = {BufferUse.QUEUE if name.startswith(("egress", "q_")) else BufferUse.GROUP}
        if self.lists and name in _LISTS:
            uses.add(_LISTS[name])
        if name == "ingress_lossless_profile":
            uses.discard(BufferUse.GROUP)
        return frozenset(uses)

    @property
    def lists(self) -> bool:
        """Whether ports have profile lists: where the vendor ships a profile for the port as a whole."""
        return "ingress_lossless_profile" in self.source.profiles

    def egress(self, lossless: bool) -> BufferProfile:
        """The queue profile of a lossless or lossy class."""
        if lossless:
            return self.profile("egress_lossless_profile")
        return self.profile("q_lossy_profile" if "q_lossy_profile" in self.source.profiles else "egress_lossy_profile")

    def used_profiles(self) -> dict[str, BufferProfile]:
        """The shipped profiles that a port, group or queue uses."""
        names = {"ingress_lossy_profile", "egress_lossless_profile", self.egress(False).name}
        names |= set(_LISTS) & set(self.source.profiles) if self.lists else set()
        return {n: self.profile(n) for n in sorted(names) if n in self.source.profiles}

    def origin(self, name: str) -> Origin:
        """Where a shipped profile comes from."""
        row = self.source.profiles[name]
        said = ", ".join(f"{k} {v}" for k, v in sorted(row.items()))
        return Derived(
            f"shipped profile {name}",
            (term(name, said, "as shipped", self.source.source, unit=""),),
            "table",
            (self.source.source,),
        )
