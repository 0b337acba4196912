"""A complete small EOS configuration (after the clean base of the case collection), and a way to read text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from xoff.model.switch import SwitchModel
from xoff.nos import eos, registry
from xoff.nos.facts import Facts
from xoff.nos.source import Source

BASE = """\
hostname LEAF-1
!
qos map dscp 26 to traffic-class 3
qos map dscp 48 to traffic-class 6
!
priority-flow-control pause watchdog default timeout 0.2
priority-flow-control pause watchdog default recovery-time 1.0
priority-flow-control pause watchdog default polling-interval 0.1
priority-flow-control pause watchdog action drop
!
interface Ethernet1/1
   description server-1
   mtu 9214
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control pause watchdog
   !
   uc-tx-queue 3
      no priority
      bandwidth percent 50
      random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes max-mark-probability 100
!
interface Ethernet49/1
   description spine-1
   mtu 9214
   no switchport
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control pause watchdog
   !
   uc-tx-queue 3
      no priority
      bandwidth percent 50
      random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes max-mark-probability 100
!
end
"""

Read = Callable[..., SwitchModel]


@pytest.fixture(scope="session")
def base() -> str:
    return BASE


@pytest.fixture(scope="session")
def read() -> Read:
    def model(text: str, path: str = "leaf1.cfg", facts: Facts | None = None) -> SwitchModel:
        (found,) = eos.parse([Source(path, text)], registry.load("eos"), facts or Facts())
        return found

    return model
