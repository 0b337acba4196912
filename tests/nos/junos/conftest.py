"""A small complete Junos configuration in set form (after the clean base of the case collection), and a way to read text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from xoff.model.switch import SwitchModel
from xoff.nos import facts, junos, registry
from xoff.nos.source import Source

BASE = """\
set system host-name leaf-1
set class-of-service classifiers dscp ROCE forwarding-class CNP loss-priority low code-points 110000
set class-of-service classifiers dscp ROCE forwarding-class NO-LOSS loss-priority low code-points 011010
set class-of-service drop-profiles ECN interpolate fill-level 55
set class-of-service drop-profiles ECN interpolate fill-level 90
set class-of-service drop-profiles ECN interpolate drop-probability 0
set class-of-service drop-profiles ECN interpolate drop-probability 100
set class-of-service shared-buffer ingress buffer-partition lossless percent 66
set class-of-service shared-buffer ingress buffer-partition lossless-headroom percent 24
set class-of-service shared-buffer ingress buffer-partition lossy percent 10
set class-of-service shared-buffer egress buffer-partition lossless percent 66
set class-of-service shared-buffer egress buffer-partition lossy percent 10
set class-of-service forwarding-classes class CNP queue-num 3
set class-of-service forwarding-classes class NO-LOSS queue-num 4 no-loss pfc-priority 3
set class-of-service congestion-notification-profile PFC pfc-watchdog
set class-of-service congestion-notification-profile PFC input dscp code-point 011010 pfc
set class-of-service congestion-notification-profile PFC input cable-length 40
set class-of-service congestion-notification-profile PFC output ieee-802.1 code-point 011 flow-control-queue 4
set class-of-service scheduler-maps MAP forwarding-class CNP scheduler S-CNP
set class-of-service scheduler-maps MAP forwarding-class NO-LOSS scheduler S-ROCE
set class-of-service schedulers S-ROCE transmit-rate percent 50
set class-of-service schedulers S-ROCE drop-profile-map loss-priority any protocol any drop-profile ECN
set class-of-service schedulers S-ROCE explicit-congestion-notification
set class-of-service schedulers S-CNP transmit-rate percent 5
set class-of-service schedulers S-CNP priority strict-high
set class-of-service interfaces et-0/0/0 congestion-notification-profile PFC
set class-of-service interfaces et-0/0/0 scheduler-map MAP
set class-of-service interfaces et-0/0/0 unit 0 classifiers dscp ROCE
set class-of-service interfaces et-0/0/30 congestion-notification-profile PFC
set class-of-service interfaces et-0/0/30 scheduler-map MAP
set class-of-service interfaces et-0/0/30 unit 0 classifiers dscp ROCE
set interfaces et-0/0/0 description server-1
set interfaces et-0/0/0 mtu 9216
set interfaces et-0/0/0 unit 0 family inet address 10.1.0.0/31
set interfaces et-0/0/30 description spine-1
set interfaces et-0/0/30 mtu 9216
set interfaces et-0/0/30 unit 0 family inet address 10.2.0.0/31
"""

Read = Callable[..., SwitchModel]


def parse(text: str, **given: str) -> SwitchModel:
    known = facts.Facts([facts.Given("", "the test", given)] if given else ())
    (model,) = junos.parse([Source("leaf1.cfg", text)], registry.load("junos"), known)
    return model


def without(*starts: str) -> str:
    """The base less the lines that begin so (behind `set `)."""
    kept = [line for line in BASE.split("\n") if not line.removeprefix("set ").startswith(starts)]
    assert len(kept) < len(BASE.split("\n"))
    return "\n".join(kept)


def swapped(old: str, new: str) -> str:
    assert old in BASE
    return BASE.replace(old, new)


@pytest.fixture
def base() -> SwitchModel:
    return parse(BASE)
