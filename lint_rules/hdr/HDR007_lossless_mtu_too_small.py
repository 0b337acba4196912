"""HDR007: the switch computes headroom for smaller lossless frames than RoCE sends, and so gets too little."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xoff.lint.rules import (
    Confidence,
    DeviceView,
    Fact,
    Hit,
    Impact,
    LinkNeed,
    NotApplicable,
    NotAssessed,
    PortView,
    Rule,
    Scope,
    Severity,
    Unknown,
    group_headroom,
    known,
    link_needs,
    script_headroom,
    small_packets,
)

_WHY = (
    "The last frame that the peer has begun when the pause arrives still comes in whole. If it is longer than the frame that "
    "the headroom was computed for, its end finds no room, and the frame is lost."
)
#: With nothing but small packets each of the switch's own formulas adds the lossless frame as it is.
_ALL_SMALL = 100


@dataclass(frozen=True, slots=True)
class _Short:
    """A group with too little: bytes found, bytes for the real frame, and whether the switch computes the first itself."""

    port: PortView
    need: LinkNeed
    found: int
    real: int
    computed: bool


class LosslessMtuTooSmall(Rule):
    code = "HDR007"
    name = "lossless-mtu-too-small"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.SWITCH
    explains = ("DRF001",)

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        said = known(device.maybe.lossless_mtu)
        if said is None:
            raise NotApplicable("no MTU is stated for which headroom would be computed")
        if known(device.maybe.pfc_off):
            raise NotApplicable("PFC is off on the whole switch: PFC009")
        stopped: list[NotAssessed] = []
        needs = list(_needs(device, stopped))
        if not needs:
            raise stopped[0] if stopped else NotApplicable("PFC protects no group on any port")
        frame = max(need.link.lossless_frame for _, need in needs)
        if said >= frame:
            return
        short: list[_Short] = []
        for port, need in needs:
            if said < need.link.lossless_frame:
                short += _judge(port, need, said, stopped)
        sure = device.planned is not None
        if short:
            yield self._hit(device, said, max(short, key=lambda s: s.real - s.found), sure)
        elif not sure and stopped and small_packets(device) == _ALL_SMALL:
            yield self._would_be(device, said, frame)
        if stopped:
            raise stopped[0]
        if not sure:
            raise NotAssessed(
                "the size of the RoCE frames is not known: judged as a note, by the largest of RoCEv2", Fact.CLASSES
            )

    def _hit(self, device: DeviceView, said: int, s: _Short, sure: bool) -> Hit:
        frame = s.need.link.lossless_frame
        # The payload is covered, the headers are not: some tens of bytes.
        payload = device.planned is not None and said >= device.planned.roce_mtu
        severity = Severity.ERROR if sure and not payload else Severity.NOTE
        whose = "the switch computes" if s.computed else "the profile has"
        frames = f"RoCE frames are {frame:,} B" if sure else f"RoCE frames may be {frame:,} B (RoCE MTU 4096; no intent says)"
        return self.hit(
            f"headroom is computed for lossless frames of {said:,} B, and {frames}: {whose} {s.found:,} B where "
            f"{s.real:,} B are needed at {s.need.speed / 1000:g}G, {s.need.link.cable_m} m",
            at=device.maybe.origins.get("lossless_mtu"),
            device=device,
            severity=severity,
            confidence=None if sure else Confidence.INFERRED,
            observed=f"{said:,} B",
            expected=f"{frame:,} B",
            why=_WHY,
            basis=(f"the switch's own formula with {frame:,} B: {s.real:,} B", s.need.frames),
            related=((s.port, s.port.maybe.origins.get(""), "a port with too little"),),
        )

    def _would_be(self, device: DeviceView, said: int, frame: int) -> Hit:
        return self.hit(
            f"headroom that the switch computes is for lossless frames of {said:,} B, and RoCE frames may be {frame:,} B (RoCE "
            f"MTU 4096; no intent says): it is then {frame - said:,} B short on every port; numbers set by hand are not",
            at=device.maybe.origins.get("lossless_mtu"),
            device=device,
            severity=Severity.NOTE,
            confidence=Confidence.INFERRED,
            observed=f"{said:,} B",
            expected=f"{frame:,} B",
            why=_WHY,
            basis=("with 100 % small packets the formula is lossless MTU + a part that does not depend on it",),
        )


def _needs(device: DeviceView, stopped: list[NotAssessed]) -> Iterator[tuple[PortView, LinkNeed]]:
    for port in device.ports:
        if not port.maybe.carrying_kind or port.maybe.admin is False:
            continue
        try:
            if port.protected_groups():
                for need in link_needs(port):
                    yield port, need
        except NotAssessed as why:
            stopped.append(why)


def _judge(port: PortView, need: LinkNeed, said: int, stopped: list[NotAssessed]) -> Iterator[_Short]:
    if need.cable_m is None:
        stopped.append(NotAssessed("the cable's length is not known", Fact.CABLE))
        return
    real = script_headroom(port, need, need.link.lossless_frame)
    stated = script_headroom(port, need, said)
    for g in sorted(port.protected_groups()):
        group = port.maybe.qos.groups.get(g)
        if group is None:
            continue
        if isinstance(real, Unknown) or isinstance(stated, Unknown):
            why = real if isinstance(real, Unknown) else stated
            assert isinstance(why, Unknown)
            fact = None if port.device.asic_facts else why.fact  # a known chip without a formula lacks no fact
            stopped.append(NotAssessed(f"the headroom cannot be recomputed: {why.reason}", fact))
            return
        try:
            found = stated.value if group.headroom_by_device else group_headroom(port, g)
        except NotAssessed as why_not:
            stopped.append(why_not)
            continue
        if found and found < real.value:
            yield _Short(port, need, found, real.value, group.headroom_by_device)
