"""What a misspelt word may have meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def near(word: str, known: Iterable[str]) -> list[str]:
    """At most two known words that `word` may be a misspelling of."""
    from difflib import get_close_matches

    options = sorted(set(known))
    found = get_close_matches(word.lower(), [k.lower() for k in options], n=2, cutoff=0.6)
    return [k for k in options if k.lower() in found]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known words, or lists what there is."""
    options: Sequence[str] = sorted(set(known))
    found = near(word, options)
    if found:
        return f"did you mean {' or '.join(found)}?"
    if options and len(options) <= 24:
        return f"known are: {', '.join(options)}"
    return ""
