"""Strings from devices are untrusted: what could steer a terminal or hide in a log becomes visible text."""

from __future__ import annotations

import re

# C0, DEL and C1 controls; line and paragraph separators; zero-width and bidi controls; BOM; lone surrogates; tag characters.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code == 9:
        return "    "
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    """`text` on one line with every control, bidi and zero-width character written out (`\\x1b`); a tab becomes four blanks."""
    return _UNSAFE.sub(_escape, text)


def visible_lines(text: str) -> str:
    """`visible`, line breaks kept."""
    return "\n".join(visible(line) for line in text.split("\n"))


# A word that announces a secret, an optional type digit, then the secret itself (`username x secret sha512 $6$…`).
_SECRET = re.compile(
    r"(?i)\b((?:password|passphrase|secret|community|auth-key|pre-shared-key|key-string|shared-secret)"
    r"[\"']?[\s:=]+(?:(?:\d|sha\d*|md5|encrypted|hash)\s+)?)(\S+)"
)


def quoted(line: str) -> str:
    """A line of the input, fit to be shown: secrets masked, control characters visible, no trailing blanks."""
    return visible(_SECRET.sub(r"\1***", line.rstrip()))
