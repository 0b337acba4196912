"""LLDP and interface outputs beside configurations: entries with their lines, links and speeds from them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xoff.fabric.links import find_links
from xoff.model.fabric import LinkEvidence
from xoff.nos.inputs import gather
from xoff.nos.portshows import read_port_show
from xoff.nos.source import Source, read_source

#: file -> (nos, kind, entries, one of them: port, peer, peer port, speed in Mb/s, line).
OUTPUTS = {
    "eos/show_lldp_neighbors.txt": ("eos", "lldp", 2, ("Et3/1", "tg104.sjc.example.com", "Ethernet3/2", None, 10)),
    "eos/show_lldp_neighbors_detail.txt": ("eos", "lldp", 14, ("Ethernet2", "spine2.company.com", "Ethernet2", None, 25)),
    "sonic/show_lldp_table.txt": ("sonic", "lldp", 3, ("Ethernet112", "T1-1", "hundredGigE1/2", None, 4)),
    "sonic/show_interfaces_status.txt": ("sonic", "interfaces", 10, ("Ethernet32", None, None, 40_000, 7)),
    "nxos/show_lldp_neighbors_detail.txt": ("nxos", "lldp", 3, ("Eth1/1", "ROUTER_Y", "Te0/1/0/4/0", None, 1)),
    "nxos/show_interface-n6004-7.3.3.txt": ("nxos", "interfaces", 1, ("Ethernet1/1", None, None, 40_000, 2)),
    "junos/show_lldp_neighbors__ntc1.txt": ("junos", "lldp", 2, ("ge-0/0/0", "vmx3", "ge-0/0/0", None, 3)),
    "huawei_vrp/show_lldp_neighbor.txt": ("vrp", "lldp", 1, ("100GE1/0/1", "232.167", "100GE1/0/1", None, 2)),
    "h3c_comware/show_lldp_neighbor_dcbx_verbose.txt": (
        "comware", "lldp", 1, ("GigabitEthernet1/0/1", "Sysname", "GigabitEthernet1/0/1", None, 2),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_are_read_with_their_lines(name: str, shared: Callable[[str], Path]) -> None:
    nos, kind, count, one = OUTPUTS[name]
    found = read_port_show(read_source(str(shared(f"corpus/{name}"))))
    assert found is not None
    assert (found.nos, found.kind, len(found.entries)) == (nos, kind, count)
    assert one in [(e.port, e.peer, e.peer_port, e.speed, e.at.line) for e in found.entries]


def test_a_neighbour_without_a_name_is_none(shared: Callable[[str], Path]) -> None:
    """`localhost` in the sample names nobody."""
    found = read_port_show(read_source(str(shared("corpus/eos/show_lldp_neighbors.txt"))))
    assert found is not None
    assert "localhost" not in {e.peer for e in found.entries}


def test_rows_without_their_head_are_no_table() -> None:
    assert read_port_show(Source("x.txt", "lldp\nEt1 spine1 Ethernet1 120\n")) is None


LEAF = """\
hostname leaf1
!
interface Ethernet1/1
   no switchport
   priority-flow-control on
   priority-flow-control priority 3 no-drop
!
qos map dscp 26 to traffic-class 3
"""
LLDP = """\
{prompt}show lldp neighbors
Port       Neighbor Device ID             Neighbor Port ID           TTL
Et1/1      {peer}                         Ethernet1/1                120
"""


def _fabric(folder: Path, outputs: dict[str, str]):
    for name in ("leaf1", "spine1"):
        (folder / f"{name}.cfg").write_text(LEAF.replace("leaf1", name), encoding="utf-8")
    for name, text in outputs.items():
        (folder / name).write_text(text, encoding="utf-8")
    return gather([str(folder)]).fabrics[0]


def test_lldp_makes_a_link_by_prompt_or_file_name(tmp_path: Path) -> None:
    for i, (file, prompt) in enumerate((("anything.txt", "leaf1#"), ("leaf1-lldp.txt", ""))):
        folder = tmp_path / str(i)
        folder.mkdir()
        (link,) = _fabric(folder, {file: LLDP.format(prompt=prompt, peer="spine1.example.net")}).links
        assert {(e.device, e.port) for e in (link.a, link.b)} == {("leaf1", "Ethernet1/1"), ("spine1", "Ethernet1/1")}
        assert link.evidence is LinkEvidence.LLDP
        assert link.at is not None
        assert link.at.line == 3


def test_two_switches_that_disagree_make_a_conflict(tmp_path: Path) -> None:
    fabric = _fabric(tmp_path, {
        "leaf1-lldp.txt": LLDP.format(prompt="", peer="spine1"),
        "spine1-lldp.txt": LLDP.format(prompt="", peer="leaf2"),
    })  # fmt: skip
    assert fabric.links == ()
    assert fabric.conflicts


def test_an_output_of_nobody_is_said(tmp_path: Path) -> None:
    fabric = _fabric(tmp_path, {"other9-lldp.txt": LLDP.format(prompt="other9#", peer="spine1")})
    assert fabric.links == ()
    assert any("of which device is not clear" in why for _, why in fabric.skipped)


def test_interface_status_gives_speeds_only_where_nothing_else_does(tmp_path: Path) -> None:
    (tmp_path / "config_db.json").write_text(
        '{"DEVICE_METADATA": {"localhost": {"hostname": "leaf1"}},'
        ' "PORT": {"Ethernet0": {"admin_status": "up"}, "Ethernet4": {"speed": "100000", "admin_status": "up"}},'
        ' "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3"}, "Ethernet4": {"pfc_enable": "3"}}}',
        encoding="utf-8",
    )
    (tmp_path / "leaf1-status.txt").write_text(
        "  Interface   Lanes    Speed    MTU    FEC    Alias    Vlan    Oper    Admin\n"
        "  Ethernet0   0,1,2,3  400G     9100   rs     etp1     routed  up      up\n"
        "  Ethernet4   4,5,6,7  400G     9100   rs     etp2     routed  up      up\n",
        encoding="utf-8",
    )
    (model,) = gather([str(tmp_path)]).fabrics[0].devices
    assert {n: p.speed for n, p in model.ports.items()} == {"Ethernet0": 400_000, "Ethernet4": 100_000}
    at = model.ports["Ethernet0"].place(model.ports["Ethernet0"].own["speed"])
    assert at is not None
    assert (at.file.endswith("leaf1-status.txt"), at.line) == (True, 2)


@given(st.text())
def test_no_text_crashes_the_reader(text: str) -> None:
    read_port_show(Source("x.txt", text))
    read_port_show(Source("x.txt", "LocalPort RemoteDevice RemotePortID Capability RemotePortDescr\n" + text))


def test_links_of_lldp_need_no_plan() -> None:
    assert find_links({}, ()) == ((), ())
