"""Colours for terminals. Colours are never the only carrier of a meaning."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import IO, Any, TypeAlias

#: Paints a text in the colours of a role (`error`, `warning`, `note`, `head`, `dim`, `good`).
Paint: TypeAlias = Callable[[str, str], str]

_STYLES: dict[str, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "note": {"fg": "cyan", "bold": True},
    "head": {"bold": True},
    "dim": {"dim": True},
    "good": {"fg": "green"},
}


def plain(text: str, role: str) -> str:
    """No colours."""
    return text


def ansi(text: str, role: str) -> str:
    """ANSI colours."""
    import click

    return click.style(text, **_STYLES[role])


def paint_for(stream: IO[str]) -> Paint:
    """Colours only on terminals; NO_COLOR (set to anything) and TERM=dumb turn them off."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and bool(getattr(stream, "isatty", bool)())
    return ansi if wanted else plain
