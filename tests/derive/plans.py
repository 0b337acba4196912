"""Small intents for the tests of derive."""

from __future__ import annotations

from xoff.fabric.planned import PlannedFabric
from xoff.intent.expand import expand
from xoff.intent.load import loads

CLASSES = """
  roce:    {dscp: [26], priority: 3, lossless: true, bandwidth: 60%, ecn: auto}
  cnp:     {dscp: [48], priority: 6, scheduler: strict}
  default: {priority: 0, bandwidth: rest}
"""


def pair(
    leaf: str = "nos: sonic, model: DCS-7060X6-64PE",
    spine: str = "nos: eos, model: DCS-7260CX3-64",
    *,
    workload: str = "training",
    classes: str = CLASSES,
    speed: str = "100G",
    cable: str = "40m",
    more: str = "",
    links: str = "",
) -> PlannedFabric:
    """Two leaves with two host ports each, one spine."""
    spine_port = "Ethernet" if "sonic" in spine else ""
    up = '"Ethernet[0-4:4]"' if spine_port else '"Ethernet[1-2]/1"'
    down = '"Ethernet[1-2]/1"' if "eos" in leaf else '"Ethernet[0-4:4]"'
    first = "Ethernet10/1" if "eos" in leaf else "Ethernet64"
    text = f"""version: 1
fabric: {{name: t, workload: {workload}}}
classes:{classes}
switches:
  leaf[1-2]: {{role: leaf, {leaf}}}
  spine1: {{role: spine, {spine}}}
hosts: {{name: "gpu[1-2]", nics: 2, attach: rail}}
links:
  - {{from: "leaf[1-2]", to: spine1, ports: {{from: "{first}", to: {up}}}, speed: {speed}, cable: {cable}}}
  - {{from: "leaf[1-2]", to: hosts, ports: {{from: {down}}}, speed: {speed}, cable: 3m{links}}}
{more}"""
    return expand(loads(text, "t.yaml"))
