"""PFC009: one line turns PFC off on the whole switch."""

from __future__ import annotations

from collections.abc import Iterator

from xoff.lint.rules import DeviceView, Fact, Hit, Impact, NotApplicable, NotAssessed, Rule, Scope, Severity, Unknown, known


class PfcGloballyOff(Rule):
    code = "PFC009"
    name = "pfc-globally-off"
    severity = Severity.ERROR
    impact = Impact.LOSS
    scope = Scope.SWITCH
    explains = ("PFC001", "PFC002", "PFC003", "PFC004", "WDG", "HST001")

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        if not known(device.maybe.pfc_off):
            return
        ports = [p for d in device.ports for p in d.ports if p.carrying_kind and p.admin is not False]
        stating = [p for p in ports if p.qos.pfc.no_drop]
        carrying = [n for view in device.carrying for n in view.names]
        if not stating and not carrying:
            if not device.fabric.lossless:
                raise NotApplicable("nothing on this switch or in its fabric is to be lossless")
            if any(isinstance(view.carried, Unknown) for view in device.ports):
                raise NotAssessed(
                    "PFC is off on the whole switch; whether a lossless class runs over it is not known", Fact.ROLE
                )
            raise NotApplicable("no lossless class runs over this switch")
        affected = carrying or [p.name for p in stating]
        count = len(affected)
        priorities = ", ".join(str(n) for n in sorted({n for p in stating for n in p.qos.pfc.no_drop}))
        marked = f" and overrides no-drop priority {priorities} on {len(stating)} of them" if stating else ""
        yield self.hit(
            f"PFC is turned off for the whole switch; this concerns {count} port{'s' if count != 1 else ''} that carry a "
            "lossless class"
            f"{marked}",
            at=device.maybe.origins.of("pfc_off"),
            device=device,
            observed="PFC off on every interface",
            expected="no such line",
            why="Whatever the interfaces say, the switch neither sends nor obeys pauses: every lossless queue drops at "
            "its limit, and "
            "the headroom is never used.",
        )
