"""Words that NVUE and the flat files of Cumulus Linux share: interface ranges, lists of numbers, switches."""

from __future__ import annotations

import functools
import re

#: Ports that one range or list may name; more is no switch.
MOST_PORTS = 4096
_RANGE = re.compile(
    r"(?P<stem>[A-Za-z][A-Za-z_.-]*|[A-Za-z][\w.-]*?\d+s)?(?P<low>\d{1,4})(?:-(?P<stem2>[A-Za-z][\w.-]*?)?(?P<high>\d{1,4}))?\Z"
)
_ON = frozenset({"on", "enable", "enabled", "true", "yes"})
_OFF = frozenset({"off", "disable", "disabled", "false", "no"})


def on_off(word: str) -> bool | None:
    """What an on/off word of any release means; None for no such word."""
    low = word.lower()
    return True if low in _ON else False if low in _OFF else None


@functools.lru_cache(maxsize=4096)
def numbers(text: str, high: int) -> frozenset[int] | None:
    """`3`, `0,1,3-7`, `[24, 26]`; None where it is no list of numbers from 0 to `high`. `[]` is the empty set."""
    bare = text.strip().removeprefix("[").removesuffix("]").strip()
    if not bare:
        return frozenset() if text.strip() == "[]" else None
    out: set[int] = set()
    for part in bare.split(","):
        found = re.fullmatch(r"\s*([0-9]{1,4})(?:\s*-\s*([0-9]{1,4}))?\s*", part)
        if found is None:
            return None
        low = int(found[1])
        last = int(found[2]) if found[2] is not None else low
        if last < low or last > high:
            return None
        out.update(range(low, last + 1))
    return frozenset(out)


def whole(text: str, low: int, high: int) -> int | None:
    """A whole number in a range; None for anything else."""
    return int(text) if re.fullmatch(r"[0-9]{1,10}", text) and low <= int(text) <= high else None


@functools.lru_cache(maxsize=8192)
def interfaces(text: str) -> tuple[str, ...] | None:
    """The names of a range: `swp1-4,swp6`, `swp6-9,28-47`, `swp6s0-1`, `swp1-swp4`, `[swp1,swp3]`; None where it is none.

    A name without a number (`lo`, `peerlink`) or with a part behind it (`peerlink.4094`, `bond-a`) is taken as it is.
    """
    out: dict[str, None] = {}
    stem = ""
    for part in text.strip().removeprefix("[").removesuffix("]").split(","):
        name = part.strip()
        if not name:
            continue
        found = _RANGE.fullmatch(name)
        if found is None:
            if not re.fullmatch(r"[A-Za-z][\w./-]*", name) or re.search(r"\d-\d+\Z", name):
                return None
            out[name] = None
            continue
        own = found["stem"]
        stem = own if own is not None else stem
        if not stem or (found["stem2"] is not None and found["stem2"] != stem):
            if re.fullmatch(r"[A-Za-z][\w./-]*", name):
                out[name] = None
                continue
            return None
        if stem.endswith(("-", ".")):
            out[name] = None
            continue
        low = int(found["low"])
        high = int(found["high"]) if found["high"] is not None else low
        if high < low or high - low >= MOST_PORTS or len(out) > MOST_PORTS:
            return None
        out.update(dict.fromkeys(f"{stem}{n}" for n in range(low, high + 1)))
    return tuple(out) or None
