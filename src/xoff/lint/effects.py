"""Which rules look at what a named object would have set: how far the absence of one object explains other findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

#: By the beginning of a field path (see `Origins`): codes or prefixes of the rules that read the field.
_READ_BY: Mapping[str, tuple[str, ...]] = {
    "classify": ("MAP", "PFC001", "PFC002", "CNP", "HST001"),
    "tc_to_queue": ("MAP", "PFC001", "PFC002", "PFC004", "ECN", "CNP"),
    "tc_to_group": ("MAP", "PFC001", "PFC002", "HDR"),
    "rewrite": (),
    "pfc": ("PFC001", "PFC002", "PFC003", "PFC004", "MAP002", "MAP003"),
    "group": ("MAP002", "HDR", "BUF"),
    "queue": ("ECN", "BUF"),
    "scheduler": ("SCH",),
    "watchdog": ("WDG",),
}

#: What a fault of references, values or filling may lead to: every rule that judges what is in force.
ALL_EFFECTS = ("ATT", "MAP", "PFC001", "PFC002", "PFC003", "PFC004", "HDR", "BUF", "ECN", "CNP", "WDG", "HST001", "DRF001")


def effects(fills: Iterable[str]) -> tuple[str, ...] | None:
    """Codes that a missing object explains, by the fields that it would have filled; None where it may be anything."""
    roots = dict.fromkeys(f.partition(".")[0] for f in fills)
    if not roots or not roots.keys() <= _READ_BY.keys():
        return None
    return (*dict.fromkeys(code for r in roots for code in _READ_BY[r]), "DRF001")
