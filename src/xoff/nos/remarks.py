"""Collecting what is said about a file besides its values: equal remarks once, with all their ports."""

from __future__ import annotations

from collections.abc import Sequence

from xoff.model.origin import FileLine, Line
from xoff.model.switch import Remark, RemarkKind
from xoff.nos.wording import shape


class Remarks:
    """Collects remarks, one per kind, place and shape; the ports of equal ones are gathered."""

    def __init__(self) -> None:
        self._found: dict[
            tuple[RemarkKind, tuple[str, ...], str], tuple[Line, str, str, dict[str, None], dict[FileLine, None]]
        ] = {}

    def add(
        self,
        kind: RemarkKind,
        cause: tuple[str, ...],
        text: str,
        at: FileLine,
        message: str,
        expected: str = "",
        ports: Sequence[str] = (),
    ) -> None:
        """`text`: the line as it stands; its shape tells it from others."""
        key = (kind, cause, shape(text))
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = (Line(cause, key[2], at), message, expected, {}, {})
        found[3].update(dict.fromkeys(ports))
        found[4][at] = None

    def result(self) -> list[Remark]:
        """All remarks, in file order."""
        out = [
            Remark(kind, line, folded, message, expected, True, tuple(ports), tuple(a for a in places if a != line.at))
            for (kind, _, folded), (line, message, expected, ports, places) in self._found.items()
        ]
        return sorted(out, key=lambda r: (r.origin.at.line, r.shape))
