"""NVUE leaves (and the older NCLU) into the state of a switch."""

from __future__ import annotations

from collections.abc import Iterable

from xoff.nos.cumulus.claims import Claims
from xoff.nos.cumulus.port_leaves import NetLeaves, PortLeaves, RootLeaves
from xoff.nos.cumulus.qos_leaves import QosLeaves
from xoff.nos.cumulus.state import State
from xoff.nos.nvue.leaf import Leaf
from xoff.nos.nvue.values import interfaces


def read_leaves(state: State, claims: Claims, leaves: Iterable[Leaf]) -> None:
    """All leaves of one file, in its order."""
    port = PortLeaves(state, claims)
    of = {("qos",): QosLeaves(state, claims), ("net",): NetLeaves(state, claims), (): RootLeaves(state, claims)}
    for claim in claims.of(in_force(leaves)):
        of.get(claim.path, port).read(claim)


def in_force(leaves: Iterable[Leaf]) -> list[Leaf]:
    """Leaves without those that a later `unset` (or `net del`) takes back; the take-backs themselves are left out.

    An interface's leaf is split where only some of its ports lose it.
    """
    out: list[Leaf] = []
    found = list(leaves)
    if not any(leaf.verb in ("unset", "del") for leaf in found):
        return found
    for leaf in found:
        if leaf.verb in ("set", "add"):
            out.append(leaf)
        else:
            out = [kept for old in out for kept in _without(old, leaf)]
    return out


def _without(old: Leaf, gone: Leaf) -> Iterable[Leaf]:
    a, b = old.words, gone.words
    if a[0] == "interface" and b[0] == "interface" and len(a) > 1 and len(b) > 1 and a[1] != b[1]:
        if a[2 : len(b)] != b[2:]:
            return (old,)
        ours, theirs = interfaces(a[1]) or (a[1],), set(interfaces(b[1]) or (b[1],))
        left = [n for n in ours if n not in theirs]
        if len(left) == len(ours):
            return (old,)
        return (Leaf((a[0], ",".join(left), *a[2:]), old.line, old.verb, old.end_line),) if left else ()
    return () if a[: len(b)] == b else (old,)
