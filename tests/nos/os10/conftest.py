"""A complete small OS10 configuration (after the clean base of the case collection), and a way to read text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from xoff.model.switch import SwitchModel
from xoff.nos import os10, registry
from xoff.nos.facts import Facts
from xoff.nos.source import Source

PORT = """\
interface ethernet1/1/{n}
 description {to}
 no shutdown
 mtu 9216
 flowcontrol receive off
 flowcontrol transmit off
 priority-flow-control mode on
 service-policy input type network-qos PFC3
 service-policy output type queuing ETS-OUT
 ets mode on
 qos-map traffic-class ROCE-QMAP
 trust-map dscp ROCE-DSCP
!
"""
HEAD = """\
hostname LEAF-1
!
wred ROCE-ECN
 random-detect color green minimum-threshold 500 maximum-threshold 1500 drop-probability 20
 random-detect ecn
!
class-map type network-qos NQ-ROCE
 match qos-group 3
!
class-map type queuing Q0
 match queue 0
!
class-map type queuing Q3
 match queue 3
!
class-map type queuing Q6
 match queue 6
!
trust dscp-map ROCE-DSCP
 qos-group 3 dscp 26
 qos-group 6 dscp 48
!
qos-map traffic-class ROCE-QMAP
 queue 0 qos-group 0-2,4-5,7
 queue 3 qos-group 3
 queue 6 qos-group 6
!
policy-map type network-qos PFC3
 class NQ-ROCE
  pause buffer-size 300 pause-threshold 200 resume-threshold 100
  pfc-cos 3
!
policy-map type queuing ETS-OUT
 class Q0
  bandwidth percent 45
 class Q3
  bandwidth percent 55
  random-detect ROCE-ECN
 class Q6
  priority
!
"""
BASE = HEAD + PORT.format(n=1, to="server-1") + PORT.format(n=49, to="spine-1").replace(" mtu", " no switchport\n mtu")

Read = Callable[..., SwitchModel]


@pytest.fixture(scope="session")
def base() -> str:
    return BASE


@pytest.fixture(scope="session")
def head() -> str:
    return HEAD


@pytest.fixture(scope="session")
def read() -> Read:
    def model(text: str, path: str = "leaf1.cfg", facts: Facts | None = None) -> SwitchModel:
        (found,) = os10.parse([Source(path, text)], registry.load("os10"), facts or Facts())
        return found

    return model
