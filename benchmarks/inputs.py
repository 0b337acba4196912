"""Inputs of the measurements, generated: nothing to download, the same bytes each time.

The device is the leaf that peers were measured with: 80 ports (64 to hosts, 16 up), BGP, RoCE QoS, about 600 lines. Every
interface differs from the next in description and address, as on a real switch, and in nothing else.
"""

from __future__ import annotations

from pathlib import Path

#: Statements about QoS that a port repeats; once as a profile would be shorter and easier to read than real files are.
_QOS = """\
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control pause watchdog
   !
   uc-tx-queue 3
      no priority
      bandwidth percent 50
      random-detect ecn minimum-threshold {kmin} kbytes maximum-threshold 1500 kbytes max-mark-probability 100 weight 0
"""

_HEAD = """\
! device: {name} (DCS-7060X6-64PE, EOS-4.33.1F)
!
hostname {name}
!
qos map dscp 26 to traffic-class 3
qos map dscp 48 to traffic-class 6
!
priority-flow-control pause watchdog default timeout 0.2
priority-flow-control pause watchdog default recovery-time 1.0
priority-flow-control pause watchdog default polling-interval 0.1
priority-flow-control pause watchdog action drop
!
spanning-tree mode mstp
ntp server 10.255.0.1
logging host 10.255.0.2
snmp-server community public ro
ip routing
service routing protocols model multi-agent
!
qos profile HOST
{qos}!
"""


def eos_leaf(ports: int = 80, *, number: int = 1, kmin: int = 150, inline: bool = False) -> str:
    """Leaf `number` of a fleet: `ports` ports, four fifths of them to hosts.

    kmin: the marking threshold in KB, to make a body that no other file has. inline: each port repeats the statements of
    the profile instead of naming it.
    """
    hosts = ports * 4 // 5
    qos = _QOS.format(kmin=kmin)
    rows = [_HEAD.format(name=f"leaf{number}", qos=qos)]
    for port in range(1, ports + 1):
        up = port > hosts
        rows.append(f"interface Ethernet{port}\n")
        rows.append(f"   description {f'spine{port - hosts} Ethernet{number}' if up else f'gpu{number:03}-{port:02} nic0'}\n")
        rows.append("   mtu 9214\n")
        if up:
            rows.append(f"   no switchport\n   ip address 10.{number}.{port}.0/31\n")
        else:
            rows.append("   switchport access vlan 100\n")
        rows.append(qos if inline else "   service-profile HOST\n")
        rows.append("!\n")
    rows.append(f"router bgp {65000 + number}\n   router-id 10.0.0.{number}\n   maximum-paths 64\n")
    rows += [
        f"   neighbor 10.{number}.{port}.1 remote-as 65500\n   neighbor 10.{number}.{port}.1 description spine{port - hosts}\n"
        for port in range(hosts + 1, ports + 1)
    ]
    return "".join(rows) + "!\nend\n"


def fleet(folder: Path, leaves: int, ports: int = 80) -> None:
    """`leaves` EOS leaves into `folder`."""
    folder.mkdir(parents=True)
    for number in range(1, leaves + 1):
        (folder / f"leaf{number}.cfg").write_text(eos_leaf(ports, number=number), encoding="utf-8")


def intent(leaves: int, ports: int = 80, nos: str = "eos") -> str:
    """An intent for `leaves` leaves of `ports` ports each, and the spines that they need."""
    up = max(1, ports // 5)
    down = ports - up
    host, spine = f"Ethernet[1-{down}]", f"Ethernet[{down + 1}-{ports}]"
    return f"""\
version: 1
fabric: {{name: bench, workload: training}}
classes:
  roce: {{dscp: [26], priority: 3, lossless: true, bandwidth: 60%}}
  cnp:  {{dscp: [48], priority: 6, scheduler: strict}}
switches:
  leaf[1-{leaves}]: {{role: leaf, nos: {nos}, model: DCS-7060X6-64PE}}
  spine[1-{up}]: {{role: spine, nos: {nos}, model: DCS-7060X6-64PE}}
hosts: {{name: "gpu[1-{leaves * down}]", nics: 1, nic: cx7}}
links:
  - from: "leaf[1-{leaves}]"
    to: "spine[1-{up}]"
    ports: {{from: "{spine}", to: "Ethernet[1-{leaves}]"}}
    speed: 400G
    cable: 30m
  - {{from: "leaf[1-{leaves}]", to: hosts, ports: {{from: "{host}"}}, speed: 400G, cable: 3m, carries: [roce, cnp]}}
"""
