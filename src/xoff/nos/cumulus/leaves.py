"""What reading NVUE leaves takes everywhere: numbers, switches, lists, the place of a statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from xoff.nos.cumulus.claims import Claim, Claims
from xoff.nos.cumulus.state import Said, State
from xoff.nos.nvue.values import interfaces, numbers, on_off, whole


class Leaves:
    """Reads claims into a state. A subclass has one method per group of its template, in `OF`."""

    OF: ClassVar[Mapping[str, Callable[[Any, Claim], None]]] = {}

    def __init__(self, state: State, claims: Claims) -> None:
        self.state = state
        self.claims = claims

    def read(self, claim: Claim) -> None:
        handler = self.OF.get(claim.group)
        if handler is not None:
            handler(self, claim)

    def _bad(self, claim: Claim, message: str, expected: str) -> None:
        self.claims.bad(claim, message, expected, interfaces(claim.name) or ())

    def _number(self, claim: Claim, name: str, low: int, high: int) -> int | None:
        found = whole(claim.values[name], low, high)
        if found is None:
            self._bad(claim, f"{claim.values[name]!r} is no number that stands here", f"{low} to {high}")
        return found

    def _numbers(self, claim: Claim, name: str, high: int = 7) -> frozenset[int]:
        found = numbers(claim.values[name], high)
        if not found:
            self._bad(claim, f"{claim.values[name]!r} is no list of numbers that stands here", f"numbers from 0 to {high}")
        return found or frozenset()

    def _switch(self, claim: Claim, name: str) -> bool | None:
        found = on_off(claim.values[name])
        if found is None:
            self._bad(claim, f"{claim.values[name]!r} is neither on nor off", "on, off, enable, disable, enabled or disabled")
        return found

    def _device(self, key: str, value: object, claim: Claim) -> None:
        self.state.device[key] = Said(value, claim.line(claim.text))


def masked(claim: Claim) -> str:
    """The leaf without what names something."""
    named = {v for k, v in claim.values.items() if k in ("name", "ports", "vrf", "domain", "rest", "address", "hostname")}
    return " ".join("*" if w in named else w for w in claim.text.split())
