"""HDR005: a group resumes where it pauses, or has no resume point at all."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    Absent,
    Derived,
    Fact,
    Form,
    Hit,
    Impact,
    Line,
    NotApplicable,
    NotAssessed,
    Origin,
    PortView,
    PriorityGroup,
    Quantity,
    Rule,
    Scope,
    Severity,
    Unknown,
    absent,
    headroom_line,
    known,
    link_needs,
    resume_of,
    terms,
)

_NONE = (
    "Neither a level nor a distance says when the peer may go on. What the chip then does is its own affair: it may resume "
    "with the first frame that leaves, so that each further frame is a pause and a resume, or only when the group is empty, so "
    "that the link idles after every pause."
)
_FLAPS = (
    "The group is below its resume point the moment it pauses: pause and resume follow each other frame by frame, and between "
    "them the peer sends into a full buffer."
)
_EMPTY = (
    "The resume point lies below zero: the peer may go on only when the group has run empty, and by then the link has idled "
    "for a whole round trip. Pauses reach far upstream meanwhile."
)


class NoPauseHysteresis(Rule):
    code = "HDR005"
    name = "no-pause-hysteresis"
    severity = Severity.WARNING
    impact = Impact.STALL
    scope = Scope.PORT
    explains = ("DRF001",)

    def check_port(self, port: PortView) -> Iterator[Hit]:
        if not port.maybe.carrying_kind or port.maybe.admin is False:
            raise NotApplicable("no port in use that can carry a lossless class")
        groups = sorted(port.protected_groups())
        if not groups:
            raise NotApplicable("PFC protects no group on this port")
        sayable = port.device.can("group.xon") is not None
        stopped: list[NotAssessed] = []
        judged = 0
        for g in groups:
            group = port.maybe.qos.groups.get(g)
            if group is None:
                if port.device.maybe.form is Form.FRAGMENT:
                    stopped.append(NotAssessed("the buffers of this group are not in the input", Fact.CONFIG))
                continue
            if group.xon is None and group.xon_offset is None and not sayable:
                continue
            if group.lossless is False:
                continue  # HDR002
            judged += 1
            try:
                yield from self._judge(port, g, group)
            except NotAssessed as why:
                stopped.append(why)
        if stopped:
            raise stopped[0]
        if not judged:
            raise NotApplicable("no resume point can be stated here (the chip's own holds), or no lossless group has a profile")

    def _judge(self, port: PortView, g: int, group: PriorityGroup) -> Iterator[Hit]:
        xon = _bytes(port, group.xon)
        offset = None if group.xon_offset is None else _bytes(port, group.xon_offset)
        if not xon and not offset:
            said = "XON 0" if group.xon is not None else "no XON"
            but = "an offset of 0" if offset == 0 else "no XON offset"
            yield self._hit(port, g, f"{said} and {but}: nothing says when the peer may go on", _NONE, f"{said}, {but}")
            return
        resume = resume_of(port.device, group, xon, offset)
        xoff = resume.xoff.high.value
        basis = terms(resume.xoff.high)
        if resume.level >= xoff:
            yield self._hit(
                port, g, f"resumes at {resume.level:,} B, not below the {xoff:,} B at which it pauses", _FLAPS,
                f"XON {resume.level:,} B", f"below {xoff:,} B", basis,
            )  # fmt: skip
        elif offset is not None and not xon and offset >= xoff:
            yield self._hit(
                port, g, f"XON offset {offset:,} B is not below the {xoff:,} B at which it pauses: it resumes only when empty",
                _EMPTY, f"XON offset {offset:,} B", f"below {xoff:,} B", basis, "xon_offset",
            )  # fmt: skip

    def _hit(
        self,
        port: PortView,
        g: int,
        what: str,
        why: str,
        observed: str,
        expected: str = "XON, or an offset below XOFF",
        basis: tuple[str, ...] = (),
        field: str = "xon",
    ) -> Hit:
        origins = port.maybe.origins
        at = next((origins[p] for p in (f"group.{g}.{field}", f"group.{g}.xon_offset") if origins.said(p)), None)
        return self.hit(
            f"priority group {g}: {what}", at=at or _parent(port, g), port=port, observed=observed, expected=expected, why=why,
            basis=basis,
        )  # fmt: skip


def _parent(port: PortView, g: int) -> Origin | Absent | None:
    """Where the resume point should stand: the row that the device looks up, or the profile that says the headroom."""
    at = port.origin(f"group.{g}.headroom")
    if isinstance(at, Derived):
        return headroom_line(port, link_needs(port)[0], g)
    if isinstance(at, Line):
        home = port.device.definition_of(at) or at
        return Absent("xon", path=(*home.path, home.text), at=home)
    return absent(port, "xon", "group")


def _bytes(port: PortView, q: Quantity | Unknown | None) -> int:
    said = known(q)
    return 0 if said is None else int(known(said.bytes(port.device.context(port))))
