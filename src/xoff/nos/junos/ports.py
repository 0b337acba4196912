"""Junos: one port body, from what is bound to the port and the objects of the switch, to a PortQos with its origins."""

from __future__ import annotations

from dataclasses import replace

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Origin, Origins
from xoff.model.qos import (
    PortQos,
)
from xoff.nos.junos.base import (
    BY_SWITCH,
    NON_IP,
    RESUME,
    Facing,
)
from xoff.nos.junos.classify import Classifying
from xoff.nos.junos.pausing import PausingPart
from xoff.nos.junos.queues import Queueing
from xoff.nos.settings import Settings


class PortBuilder(Classifying, PausingPart, Queueing):
    """Builds bodies. One per file."""

    def build(self, bound: Settings, facing: Facing) -> tuple[PortQos, Origins]:
        origins: dict[str, Origin] = {}
        values, classify = self._classify(bound, facing, origins)
        pfc, counted = self._pfc(bound, facing, values, origins)
        matches, to_queue, to_group = self._treatments(values, counted, pfc, origins)
        qos = PortQos(
            classify=replace(classify, matches=(*classify.matches, *matches)),
            tc_to_queue=FrozenMap(to_queue),
            tc_to_group=FrozenMap(to_group),
            rewrite_dscp=FrozenMap(self._rewrite(bound, origins)),
            pfc=pfc,
            groups=FrozenMap(self._groups(bound, pfc, origins)),
            queues=FrozenMap(self._queues(bound, values, origins)),
            watchdog=self._watchdog(bound, pfc, origins),
        )
        return qos, Origins(origins)


__all__ = ["BY_SWITCH", "NON_IP", "RESUME", "Facing", "PortBuilder"]
