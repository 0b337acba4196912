"""CFG003: a line or block inside QoS context that no template claims."""

from __future__ import annotations

from xoff.lint.rules import (
    DeviceView,
    FileLine,
    Hit,
    Impact,
    Iterator,
    Line,
    PortView,
    Remark,
    RemarkKind,
    Rule,
    Scope,
    Severity,
)

_SHOWN = 5


class LineNotUnderstood(Rule):
    code = "CFG003"
    name = "line-not-understood"
    severity = Severity.WARNING
    impact = Impact.HYGIENE
    scope = Scope.FILE

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        shapes: dict[tuple[tuple[str, ...], str], list[Remark]] = {}
        for remark in device.maybe.remarks:
            if remark.kind is RemarkKind.UNCLAIMED:
                shapes.setdefault((remark.origin.path, remark.shape), []).append(remark)
        for (path, shape), remarks in shapes.items():
            places = sorted({p for r in remarks for p in (r.origin.at, *r.more)}, key=lambda at: (at.file, at.line))
            first, count = remarks[0], len(places)
            block = f" in {' > '.join(path)}" if path else ""
            message = f"not understood{block}: {shape}" if count == 1 else f"{count} lines not understood{block}: {shape}"
            more: list[tuple[PortView | None, FileLine, str]] = [(None, at, "same shape") for at in places[1 : _SHOWN + 1]]
            yield self.hit(
                message + (f" ({first.message})" if first.message else ""),
                at=Line(path, shape, places[0]),
                device=device,
                severity=Severity.WARNING if any(r.reached for r in remarks) else Severity.NOTE,
                only_ports=tuple(dict.fromkeys(p for r in remarks for p in r.ports)),
                observed=f"{count} line{'s' if count != 1 else ''} of this shape",
                expected=first.expected or "a line that the NOS knows here",
                why="A device refuses such a line and goes on, or takes it and means something that was not judged here: "
                "either way what the line should do is not known to be in force.",
                related=tuple(more),
            )
