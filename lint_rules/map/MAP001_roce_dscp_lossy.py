"""MAP001: a value of a lossless class reaches a lossy traffic class although the port has a lossless group for it."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import (
    BodyLine,
    ClassInForce,
    Hit,
    Impact,
    Line,
    NotApplicable,
    NotAssessed,
    Origin,
    PortView,
    Rule,
    Scope,
    Severity,
    Unknown,
)


class RoceDscpLossy(Rule):
    code = "MAP001"
    name = "roce-dscp-lossy"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.PORT
    explains = (
        "MAP002", "MAP003", "MAP004", "PFC002", "PFC003", "PFC004", "HDR", "BUF", "ECN", "CNP", "WDG", "HST001", "DRF001",
    )  # fmt: skip

    def check_port_class(self, port: PortView, cls: ClassInForce) -> Iterator[Hit]:
        groups = port.groups_for(cls)
        if not groups:
            raise NotApplicable("the port has no lossless group for the class: PFC001")
        if not port.reads_field_of(cls):
            raise NotApplicable("the port classifies by another field: MAP005")
        open_ones: list[NotAssessed] = []
        wrong: dict[tuple[int, Origin | None], list[str]] = {}
        for label, path in port.class_paths(cls):
            try:
                # Else classified as meant (what comes after that is MAP002's matter), or lossless after all.
                if port.misplaced(cls, path):
                    wrong.setdefault((path.tc, port.origin(path.maybe.origin)), []).append(label)
            except NotAssessed as why:
                open_ones.append(why)
        if open_ones and not wrong:
            raise open_ones[0]
        for (tc, origin), labels in wrong.items():
            yield self._hit(port, cls, groups, tc, origin, labels)

    def _hit(
        self, port: PortView, cls: ClassInForce, groups: frozenset[int], tc: int, origin: Origin | None, labels: list[str]
    ) -> Hit:
        path = port.path_of_tc(tc)
        meant = port.classes_into(groups)
        values = f"{labels[0]}{''.join(', ' + x.split()[-1] for x in labels[1:])}"
        lossless = _words("traffic class", "traffic classes", meant) if meant else _words("group", "groups", groups)
        no_drop = port.origin(*(f"pfc.no_drop.{p}" for g in sorted(groups) for p in sorted(port.sent_by(g))))
        # Where the classification is the class's own or a default, protecting another priority is the odd line.
        conforms = tc == cls.priority or not isinstance(origin, (Line, BodyLine))
        at = no_drop if conforms and isinstance(no_drop, (Line, BodyLine)) else origin
        queue = path.maybe.queue
        where = f"traffic class {tc}" + ("" if isinstance(queue, Unknown) else f" (queue {queue})")
        return self.hit(
            f"{values} reach{'es' if len(labels) == 1 else ''} {where}, which is lossy; lossless on this port: {lossless}",
            at=at,
            port=port,
            cls=cls,
            priority=cls.priority if isinstance(cls.priority, int) else None,
            observed=f"traffic class {tc}",
            expected=lossless,
            why=f"Packets of class {cls.name} wait in a queue that no pause protects: when its share of the buffer is "
            "used up they "
            "are dropped, while the lossless group beside it stays empty. RoCE answers each drop by sending the window again.",
            related=(
                (port, origin if at is not origin else no_drop, "where the class goes" if at is not origin else "no-drop"),
                *((port, *found) for found in port.comes_into(meant, port.field_of(cls))),
            ),
            rests_on=(origin,),
        )


def _words(one: str, many: str, numbers: frozenset[int]) -> str:
    return f"{one if len(numbers) == 1 else many} {', '.join(str(n) for n in sorted(numbers))}"
