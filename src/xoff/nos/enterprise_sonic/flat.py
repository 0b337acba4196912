"""Enterprise SONiC text that lost its blanks: command lists as people paste them, copies out of a guide.

The CLI itself goes by words: a header enters a mode, and what this mode knows stays in it. So does this, as far as the lines
are known. A line that no open block knows closes them all, since it may have entered a mode of its own; what stands behind it
counts as root until the next header.
"""

from __future__ import annotations

from xoff.nos.reader import Reader
from xoff.nos.registry import BlockSpec


def indented(text: str, reader: Reader) -> str:
    """The same lines, each as deep as the header that opens it; text with any indentation of its own comes back as it is."""
    rows = text.split("\n")
    if any(row[:1] in (" ", "\t") and row.strip() for row in rows):
        return text
    root = reader.level(next((b for b in reader.nos.blocks if b.path == ()), BlockSpec((), qos="words")))
    open_ = [root]
    out: list[str] = []
    for row in rows:
        line = row.strip()
        if not line or line.startswith(reader.nos.comment):
            out.append(row)
            continue
        depth = next((n for n in range(len(open_) - 1, -1, -1) if open_[n].opens(line) or open_[n].knows(line)), 0)
        spec = open_[depth].opens(line)
        del open_[depth + 1 :]
        if spec is not None:
            open_.append(reader.level(spec))
        out.append(" " * depth + line)
    return "\n".join(out)
