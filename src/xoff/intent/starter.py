"""The commented intent that `xoff init` writes: small, valid, and a guide to the rest of the format."""

from __future__ import annotations

import re

from xoff.errors import UsageError
from xoff.intent.units import show
from xoff.intent.written import HOSTNAME, HOSTNAME_RULE
from xoff.model.record import dataclass


@dataclass(frozen=True, slots=True)
class Kit:
    """A switch that the starter can use. Ports are patterns with `{n}` for the last number; `first`, `step`: numbering.

    `slots`: front ports; hosts take the lower half, uplinks the upper one.
    """

    nos: str
    model: str
    port: str
    first: int
    step: int
    slots: int
    host_m: int
    fabric_m: int

    def ports(self, offset: int, count: int) -> str:
        """`count` ports from the `offset`-th (from 0) as a range."""
        low = self.first + offset * self.step
        high = low + (count - 1) * self.step
        body = f"[{low}-{high}{f':{self.step}' if self.step > 1 else ''}]" if count > 1 else str(low)
        return self.port.format(n=body)


#: Models whose chips platforms/ knows from sources; 400G front ports.
KITS = {
    "sonic": Kit("sonic", "DellEMC-Z9332f-O32", "Ethernet{n}", 0, 8, 32, 5, 40),
    "eos": Kit("eos", "DCS-7060X6-64PE", "Ethernet{n}/1", 1, 1, 64, 5, 40),
}

_TEXT = """\
# Intent of a lossless RoCEv2 fabric. Check it with `xoff validate`, write the configurations with `xoff render -o DIR`.
# An editor that knows YAML schemas completes this file with schemas/intent.schema.json.
version: 1

fabric:
  name: {name}
  workload: training            # training | inference | storage

# DSCP in, priority out: one priority is traffic class, 802.1p priority and PFC priority alike.
classes:
  roce:    {{dscp: [26], priority: 3, lossless: true, bandwidth: 60%, ecn: auto}}
  cnp:     {{dscp: [48], priority: 6, scheduler: strict}}     # congestion notification packets
  control: {{priority: 7, scheduler: strict}}                 # what the switches themselves send
  default: {{priority: 0, bandwidth: rest}}                   # every DSCP that no class names
  # storage: {{dscp: [28], priority: 4, lossless: true, bandwidth: 20%, ecn: {{kmin: 150KB, kmax: 600KB, pmax: 20%}}}}

# congestion_control: none      # if nothing shall mark, and that is meant

defaults:
  mtu: 9100                     # bytes, as the NOS's own `mtu` counts them
  roce_mtu: 4096                # RDMA path MTU of the hosts
  watchdog: auto                # or off, or {{detect: 200ms, restore: 400ms, poll: 100ms, action: drop}}
  headroom: {{preset: strict}}    # strict | nvidia | ieee | table | floor

# [a-b] is a range of names, [a-b:step] every step-th. A later entry for some of the names overrides them.
switches:
  {leaf_names}: {{role: leaf, nos: {leaf.nos}, model: {leaf.model}}}
  {spine_names}: {{role: spine, nos: {spine.nos}, model: {spine.model}}}
  # {leaf_one}: {{ports: {{{leaf_port}: {{cable: 10m, description: "the long one"}}}}}}

hosts: {{name: "{host_names}", nics: 1, nic: cx7, attach: rail, marking: dscp}}

links:
  # Every leaf to every spine: port by port in the order of the names.
  - from: {leaf_names}
    to: {spine_names}
    ports: {{from: "{up}", to: "{down}"}}
    speed: 400G
    cable: {fabric_m}m
  # Hosts, leaf after leaf. `carries` lists the classes besides default and control.
  - from: {leaf_names}
    to: hosts
    ports: {{from: "{host_ports}"}}
    speed: 400G
    cable: {host_m}m
    carries: [roce, cnp]

routing: {{protocol: ebgp, valley_free: true}}
"""


def starter(name: str = "pod1", leaf_nos: str = "sonic", spine_nos: str = "eos", leaves: int = 4, spines: int = 2) -> str:
    """The text of a starter intent, ready for `xoff validate` and `xoff render`.

    Raises UsageError for a name that no fabric can have, a NOS without a starter, or more switches than its models have ports.
    """
    if not re.fullmatch(HOSTNAME, name):
        raise UsageError(f"{show(name)} is no name for a fabric: {HOSTNAME_RULE}")
    for nos in (leaf_nos, spine_nos):
        if nos not in KITS:
            raise UsageError(f"there is no starter for {nos!r}; there is one for {' and '.join(sorted(KITS))}")
    leaf, spine = KITS[leaf_nos], KITS[spine_nos]
    half = leaf.slots // 2
    if not 1 <= spines <= half:
        raise UsageError(f"{leaf.model} keeps {half} ports for spines: --spines lies between 1 and {half}, not {spines}")
    if not 1 <= leaves <= spine.slots:
        raise UsageError(f"{spine.model} has {spine.slots} ports: --leaves lies between 1 and {spine.slots}, not {leaves}")
    per_leaf = min(half, 8)
    return _TEXT.format(
        name=name,
        leaf=leaf,
        spine=spine,
        leaf_names=_names("leaf", leaves),
        spine_names=_names("spine", spines),
        leaf_one="leaf01",
        leaf_port=leaf.ports(0, 1),
        host_names=_names("gpu", leaves * per_leaf),
        up=leaf.ports(half, spines),
        down=spine.ports(0, leaves),
        host_ports=leaf.ports(0, per_leaf),
        host_m=leaf.host_m,
        fabric_m=leaf.fabric_m,
    )


def _names(stem: str, count: int) -> str:
    width = max(2, len(str(count)))
    first, last = f"{1:0{width}d}", f"{count:0{width}d}"
    return f"{stem}{first}" if count == 1 else f"{stem}[{first}-{last}]"
