"""A complete small Comware configuration (after the clean base of the case collection), and a way to read text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from xoff.model.switch import SwitchModel
from xoff.nos import comware, registry
from xoff.nos.facts import Facts
from xoff.nos.source import Source

PORT = """\
#
interface HundredGigE1/0/{n}
 port link-mode route
 description {to}
 mtu 9216
 ip address 10.0.{n}.1 255.255.255.254
 priority-flow-control deadlock enable
 priority-flow-control enable
 priority-flow-control no-drop dot1p 5
 priority-flow-control dot1p 5 headroom 491
 priority-flow-control dot1p 5 reserved-buffer 17
 priority-flow-control dot1p 5 ingress-buffer dynamic 5
 priority-flow-control dot1p 5 ingress-threshold-offset 12
 qos trust dscp
 qos wrr byte-count
 qos wrr 5 group 1 byte-count 60
 qos wrr 6 group sp
 qos wrr 7 group sp
 qos wred apply ROCE
"""
BASE = (
    """\
#
 version 7.1.070, Release 6710
#
 sysname LEAF-1
#
priority-flow-control poolID 0 headroom 80000
priority-flow-control deadlock cos 5 interval 10
priority-flow-control deadlock auto-recover cos 5 delay 10
#
qos map-table dscp-lp
 import 26 export 5
 import 48 export 6
#
qos map-table dscp-dot1p
 import 26 export 5
 import 48 export 6
#
qos wred queue table ROCE
 queue 5 drop-level 0 low-limit 1000 high-limit 2000 discard-probability 20
 queue 5 drop-level 1 low-limit 1000 high-limit 2000 discard-probability 20
 queue 5 drop-level 2 low-limit 1000 high-limit 2000 discard-probability 20
 queue 5 weighting-constant 0
 queue 5 ecn
"""
    + PORT.format(n=1, to="server-1")
    + PORT.format(n=49, to="spine-1")
    + "#\nreturn\n"
)

Read = Callable[..., SwitchModel]


@pytest.fixture(scope="session")
def base() -> str:
    return BASE


@pytest.fixture(scope="session")
def read() -> Read:
    def model(text: str, path: str = "leaf1.cfg", facts: Facts | None = None) -> SwitchModel:
        (found,) = comware.parse([Source(path, text)], registry.load("comware"), facts or Facts())
        return found

    return model
