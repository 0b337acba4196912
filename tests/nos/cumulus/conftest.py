"""A complete small leaf in both forms of NVUE, and a way to read text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from xoff.model.switch import SwitchModel
from xoff.nos import cumulus, registry
from xoff.nos.facts import Facts
from xoff.nos.source import Source

COMMANDS = """\
# device: leaf1 (MSN4700, Cumulus Linux 5.12.0)
nv set system hostname leaf1
nv set qos roce enable on
nv set qos roce mode lossless
nv set qos pfc uplink cable-length 40
nv set qos pfc uplink switch-priority 3
nv set interface swp1-4 link mtu 9216
nv set interface swp1-4 qos pfc-watchdog state enable
nv set interface swp49-50 qos pfc profile uplink
nv set interface swp49-50 qos pfc-watchdog
"""

DOCUMENT = """\
- header:
    model: MSN4700
    nvue-api-version: nvue_v1
    version: Cumulus Linux 5.12.0
- set:
    system:
      hostname: leaf1
    qos:
      roce:
        enable: on
        mode: lossless
      pfc:
        uplink:
          cable-length: 40
          switch-priority:
            '3': {}
    interface:
      swp1-4:
        link:
          mtu: 9216
        qos:
          pfc-watchdog:
            state: enable
      swp49-50:
        qos:
          pfc:
            profile: uplink
          pfc-watchdog: {}
"""

Read = Callable[..., SwitchModel]


@pytest.fixture(scope="session")
def read() -> Read:
    def model(*texts: str, paths: tuple[str, ...] = (), facts: Facts | None = None) -> SwitchModel:
        names = paths or tuple(f"leaf{i}" for i in range(1, len(texts) + 1))
        sources = [Source(p, t) for p, t in zip(names, texts, strict=True)]
        (found,) = cumulus.parse(sources, registry.load("cumulus"), facts or Facts())
        return found

    return model
