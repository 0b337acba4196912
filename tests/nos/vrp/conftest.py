"""A complete small VRP configuration of family A (after the clean base of the case collection), and a way to read text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from xoff.model.switch import SwitchModel
from xoff.nos import registry, vrp
from xoff.nos.facts import Facts, Given
from xoff.nos.source import Source

BASE = """\
!Software Version V300R023C00SPC500
#
sysname LEAF-1
#
qos buffer headroom-pool size 4 mbytes slot 1
#
dcb pfc
 priority 3
 priority 3 deadlock-detect time 10 deadlock-recovery time 20
 priority 3 turn-off threshold 300
#
dcb pfc deadlock-detect interval 10
dcb pfc deadlock recovery-behavior discard slot 1
dcb pfc dscp-mapping enable slot 1
#
drop-profile roce
 ecn buffer-size low-limit 249600 high-limit 499200 discard-percentage 20
#
diffserv domain roce
 ip-dscp-inbound 26 phb af3 green
 ip-dscp-inbound 48 phb cs6 green
#
interface 25GE1/0/1
 description server-1
 jumboframe enable 9216
 trust upstream roce
 trust dscp
 qos pq 6 to 7
 qos drr 0 to 5
 qos queue 3 drr weight 50
 qos queue 3 wred roce
 qos queue 3 ecn
 dcb pfc enable mode manual
 dcb pfc buffer 3 xoff static 600 kbytes xon offset 20 kbytes
 dcb pfc buffer 3 hdrm 100 kbytes
#
interface 100GE1/0/49
 undo portswitch
 description spine-1
 ip address 10.0.0.1 255.255.255.254
 mtu 9000
 trust upstream roce
 qos pq 6 to 7
 qos drr 0 to 5
 qos queue 3 drr weight 50
 qos queue 3 wred roce
 qos queue 3 ecn
 dcb pfc enable mode manual
 dcb pfc buffer 3 xoff static 600 kbytes xon offset 20 kbytes
 dcb pfc buffer 3 hdrm 256 kbytes
#
return
"""

Read = Callable[..., SwitchModel]


@pytest.fixture(scope="session")
def base() -> str:
    return BASE


@pytest.fixture(scope="session")
def read() -> Read:
    def model(text: str, path: str = "leaf1.cfg", model: str | None = None) -> SwitchModel:
        facts = Facts([Given("", "test", {"model": model})]) if model else Facts()
        (found,) = vrp.parse([Source(path, text)], registry.load("vrp"), facts)
        return found

    return model
