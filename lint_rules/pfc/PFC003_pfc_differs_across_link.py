"""PFC003: the two ends of a link do not protect a lossless class alike."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import Absent, ClassInForce, Hit, Impact, LinkView, NotApplicable, PfcMode, PortView, Rule, Scope, Severity


class PfcDiffersAcrossLink(Rule):
    code = "PFC003"
    name = "pfc-differs-across-link"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.LINK
    explains = ("DRF001",)

    def check_link_class(self, link: LinkView, cls: ClassInForce) -> Iterator[Hit]:
        a, b = link.a, link.b
        if b is None:
            raise NotApplicable("the other end is not in the input")
        if a.maybe.admin is False or b.maybe.admin is False:
            raise NotApplicable("the link is administratively down")
        pauses = {id(end): _pauses(end, cls) for end in (a, b)}
        if not pauses[id(a)] and not pauses[id(b)]:
            raise NotApplicable("neither end protects the class: PFC001 or MAP001 at each of them")
        for here, there in ((a, b), (b, a)):
            if not pauses[id(here)]:
                yield self._one_end(link, here, there, cls, pauses[id(there)])
                return
        if not pauses[id(a)] & pauses[id(b)]:
            yield self._crossed(link, a, b, cls, pauses[id(a)], pauses[id(b)])
            return
        # The surplus has nothing to do with one class; it is said with the first.
        if cls == link.fabric.lossless[0]:
            for here, there in ((a, b), (b, a)):
                surplus = _all(here) - _all(there) - frozenset(c.priority for c in link.fabric.lossless)
                if surplus:
                    yield self._surplus(link, here, there, surplus)

    def _one_end(self, link: LinkView, here: PortView, there: PortView, cls: ClassInForce, pauses: frozenset[int]) -> Hit:
        far = f"{there.device.name} {there.maybe.name}"
        listed = _list(pauses)
        off = here.maybe.qos.pfc.mode is PfcMode.OFF and here.said("pfc.mode")
        at = here.origin("pfc.mode") if off else None
        return self.hit(
            f"class {cls.name} is protected at the other end of the link ({far}, priority {listed}) and not at this one",
            at=at or Absent(f"PFC for priority {listed}"),
            port=here,
            cls=cls,
            link=link,
            priority=min(pauses),
            observed="not protected",
            expected=f"priority {listed}, as at the other end",
            why="A link is lossless in neither direction by one end alone: this end drops when it fills, and it goes on "
            "sending while "
            "the other end asks it to stop.",
            related=((there, there.origin(*(f"pfc.no_drop.{p}" for p in sorted(pauses))), f"protected on {far}"),),
            object=f"{here.maybe.name} - {far}",
        )

    def _crossed(
        self, link: LinkView, a: PortView, b: PortView, cls: ClassInForce, ours: frozenset[int], theirs: frozenset[int]
    ) -> Hit:
        # The end that disagrees with the class in force is the one to blame; else the first.
        here, there, mine, far_ones = (a, b, ours, theirs) if cls.priority not in ours else (b, a, theirs, ours)
        if cls.priority in ours and cls.priority in theirs:
            here, there, mine, far_ones = a, b, ours, theirs
        far = f"{there.device.name} {there.maybe.name}"
        at = here.origin(*(f"pfc.no_drop.{p}" for p in sorted(mine)))
        # Where its own priority is protected too, the fault is the line that brings the class into the other one's group.
        misled = cls.priority not in mine and bool(here.own_groups(cls))
        if misled:
            at = next((here.origin(p.maybe.origin) for _, p in here.class_paths(cls) if p.pause_sent_as), at)
        other = "at the other end of its link" if misled else f"on {far}"
        return self.hit(
            f"class {cls.name} is paused under priority {_list(mine)} here and under priority {_list(far_ones)} {other}",
            at=at,
            port=here,
            cls=cls,
            link=link,
            priority=min(mine),
            observed=f"priority {_list(mine)}",
            expected=f"priority {_list(far_ones)}, as at the other end",
            why="A pause names a priority. The one that this end sends stops another queue of the peer, while the queue "
            "that overfills "
            "this end goes on sending, and the other way round.",
            related=((there, there.origin(*(f"pfc.no_drop.{p}" for p in sorted(far_ones))), f"priority on {far}"),),
            object="" if misled else f"{here.maybe.name} - {far}",
        )

    def _surplus(self, link: LinkView, here: PortView, there: PortView, surplus: frozenset[int]) -> Hit:
        far = f"{there.device.name} {there.maybe.name}"
        return self.hit(
            f"priority {_list(surplus)} is protected here and not at the other end of the link ({far}); no class in "
            "force uses it",
            at=here.origin(*(f"pfc.no_drop.{p}" for p in sorted(surplus))),
            port=here,
            link=link,
            severity=Severity.NOTE,
            priority=min(surplus),
            observed=f"no-drop: {_list(_all(here))}",
            expected=f"no-drop: {_list(_all(there))}",
            why="Pauses for this priority are ignored by the peer. As long as no lossless class uses it, only headroom "
            "is wasted.",
            related=((there, there.origin("pfc.no_drop", "pfc.mode"), f"PFC on {far}"),),
            object=f"{here.maybe.name} - {far}",
        )


def _pauses(end: PortView, cls: ClassInForce) -> frozenset[int]:
    """Priorities under which this end pauses its peer for frames of the class. Raises NotAssessed where that is not known."""
    if not end.protected_groups():
        return frozenset()
    return frozenset(p for _, path in end.class_paths(cls) for p in path.pause_sent_as)


def _all(end: PortView) -> frozenset[int]:
    return frozenset(p for g in end.protected_groups() for p in end.sent_by(g))


def _list(numbers: frozenset[int]) -> str:
    return ", ".join(str(n) for n in sorted(numbers)) or "none"
