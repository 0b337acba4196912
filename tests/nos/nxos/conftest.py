"""A complete small NX-OS configuration (after the clean base of the case collection), and a way to read text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from xoff.model.switch import SwitchModel
from xoff.nos import nxos, registry
from xoff.nos.facts import Facts
from xoff.nos.source import Source

BASE = """\
hostname LEAF-1
class-map type qos match-any CM-ROCE
  match dscp 26
class-map type qos match-any CM-CNP
  match dscp 48
policy-map type qos PM-IN
  class CM-ROCE
    set qos-group 3
  class CM-CNP
    set qos-group 7
policy-map type network-qos NQ-ROCE
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
  class type network-qos c-8q-nq7
    mtu 9216
  class type network-qos c-8q-nq-default
    mtu 9216
policy-map type queuing Q-OUT
  class type queuing c-out-8q-q7
    priority level 1
  class type queuing c-out-8q-q3
    bandwidth remaining percent 60
    random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 40
system qos
  service-policy type network-qos NQ-ROCE
  service-policy type queuing output Q-OUT
priority-flow-control watch-dog-interval on
interface Ethernet1/1
  description server-1
  switchport
  mtu 9216
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  service-policy type qos input PM-IN
  no shutdown
interface Ethernet1/49
  description spine-1
  no switchport
  mtu 9216
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  service-policy type qos input PM-IN
  no shutdown
"""

Read = Callable[..., SwitchModel]


@pytest.fixture(scope="session")
def base() -> str:
    return BASE


@pytest.fixture(scope="session")
def read() -> Read:
    def model(text: str, path: str = "leaf1.cfg", facts: Facts | None = None) -> SwitchModel:
        (found,) = nxos.parse([Source(path, text)], registry.load("nxos"), facts or Facts())
        return found

    return model
