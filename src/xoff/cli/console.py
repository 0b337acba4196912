"""What commands share when they talk to a terminal: colours where they are wanted, hostile strings made harmless."""

from __future__ import annotations

import os
from typing import IO, Any

import click

#: Role -> click style. Colours are never the only carrier of a meaning.
STYLES: dict[str, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "note": {"fg": "cyan", "bold": True},
    "head": {"bold": True},
    "dim": {"dim": True},
    "good": {"fg": "green"},
}


def wants_colour(stream: IO[str]) -> bool:
    """Colours only on terminals; NO_COLOR (set to anything) and TERM=dumb turn them off."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and bool(getattr(stream, "isatty", bool)())


def styled(text: str, role: str, *, stream: IO[str]) -> str:
    """`text` in the role's colours where `stream` wants them."""
    return click.style(text, **STYLES[role]) if wants_colour(stream) else text


def safe(text: str, *, keep_newlines: bool = False) -> str:
    """Control characters, bidi overrides and line separators as visible escapes: strings from devices may not steer a terminal."""
    from xoff.report.escape import visible

    return "\n".join(visible(line) for line in text.split("\n")) if keep_newlines else visible(text)
