"""From paths to fabrics of switches: recognition, grouping, facts, what is skipped and what is a problem."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from xoff.errors import UsageError
from xoff.intent.project import load_project
from xoff.model.fabric import LinkEvidence
from xoff.model.origin import FileLine
from xoff.nos.inputs import Inputs, gather

EOS = """hostname {name}
!
qos map dscp 26 to traffic-class 3
!
interface Ethernet1/1
   no switchport
   ip address {address}
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
!
end
"""


def eos(name: str, address: str = "192.0.2.1/24") -> str:
    return EOS.format(name=name, address=address)


def sonic(name: str | None = None, **tables: object) -> str:
    base = {"DEVICE_METADATA": {"localhost": {"hostname": name, "hwsku": "ACS-MSN2700"}}} if name else {}
    return json.dumps({**base, **tables}, indent=1)


PORT = {"PORT": {"Ethernet0": {"speed": "100000", "lanes": "1,2,3,4", "mtu": "9100", "admin_status": "up"}}}
QOS = {
    "PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "ROCE", "pfc_enable": "3"}},
    "DSCP_TO_TC_MAP": {"ROCE": {"26": "3"}},
}
LOOKUP = "# speed cable size xon xoff threshold xon_offset\n100000  5m 1248 2288 165568 0 2288\n"


def write(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def shape(inputs: Inputs) -> dict[str, list[str]]:
    return {f.name: [d.hostname for d in f.devices] for f in inputs.fabrics}


# ---- fabrics


def test_files_named_are_one_fabric(tmp_path: Path) -> None:
    write(tmp_path, a__leaf1_dot_cfg=eos("leaf1"), b__leaf2_dot_cfg=eos("leaf2"))
    found = gather([str(tmp_path / "a/leaf1.cfg"), str(tmp_path / "b/leaf2.cfg")])
    assert list(shape(found).values()) == [["leaf1", "leaf2"]]


def test_a_folder_is_one_fabric_with_one_sub_folder_of_devices_or_none(tmp_path: Path) -> None:
    write(tmp_path / "pod", leaf1_dot_cfg=eos("leaf1"), more__leaf2_dot_cfg=eos("leaf2"), docs__notes_dot_txt="nothing")
    assert shape(gather([str(tmp_path / "pod")])) == {"pod": ["leaf1", "leaf2"]}


def test_two_sub_folders_of_devices_are_two_fabrics_and_names_may_repeat_across_them(tmp_path: Path) -> None:
    write(
        tmp_path,
        pod1__x_dot_cfg=eos("leaf1"),
        pod1__y_dot_cfg=eos("leaf2"),
        pod2__x_dot_cfg=eos("leaf1"),
    )
    assert shape(gather([str(tmp_path)])) == {"pod1": ["leaf1", "leaf2"], "pod2": ["leaf1"]}


def test_a_folder_per_device_is_one_fabric(tmp_path: Path) -> None:
    root = write(tmp_path / "pod", leaf1__running_dot_cfg=eos("leaf1"), leaf2__config_db_dot_json=sonic("leaf2", **PORT, **QOS))
    assert shape(gather([str(root)])) == {"pod": ["leaf1", "leaf2"]}


def test_folders_that_are_not_named_as_their_device_are_fabrics(tmp_path: Path) -> None:
    write(tmp_path, before__leaf1_dot_cfg=eos("leaf1"), after__leaf1_dot_cfg=eos("leaf1"))
    assert shape(gather([str(tmp_path)])) == {"after": ["leaf1"], "before": ["leaf1"]}


def test_the_project_file_names_fabrics(tmp_path: Path) -> None:
    write(
        tmp_path,
        a__leaf1_dot_cfg=eos("leaf1"),
        a__leaf2_dot_cfg=eos("leaf2"),
        b__leaf3_dot_cfg=eos("leaf3"),
        xoff_dot_toml='[fabrics]\neast = ["a/leaf1.cfg", "b"]\n',
    )
    project = load_project(tmp_path / "xoff.toml")
    assert shape(gather([str(tmp_path)], project=project)) == {"east": ["leaf1", "leaf3"], tmp_path.name: ["leaf2"]}
    (tmp_path / "xoff.toml").write_text('[fabrics]\neast = ["a/*"]\nwest = ["*/leaf1.cfg"]\n')
    with pytest.raises(UsageError, match="east and west"):
        gather([str(tmp_path)], project=load_project(tmp_path / "xoff.toml"))


def test_links_never_cross_fabrics(tmp_path: Path) -> None:
    write(
        tmp_path,
        pod1__leaf1_dot_cfg=eos("leaf1", "10.0.0.0/31"),
        pod1__spine1_dot_cfg=eos("spine1", "10.0.0.1/31"),
        pod2__leaf1_dot_cfg=eos("leaf1", "10.0.0.0/31"),
        pod2__leaf9_dot_cfg=eos("leaf9", "10.0.0.3/31"),
    )
    pod1, pod2 = gather([str(tmp_path)]).fabrics
    assert [(x.a.device, x.b.device, x.evidence) for x in pod1.links] == [("leaf1", "spine1", LinkEvidence.ADDRESSES)]
    assert pod2.links == ()


# ---- devices


def test_two_devices_of_one_hostname_name_both_files(tmp_path: Path) -> None:
    write(tmp_path, a_dot_cfg=eos("leaf1"), b_dot_cfg=eos("leaf1"))
    with pytest.raises(UsageError, match=r"a\.cfg and .*b\.cfg both say that they are leaf1"):
        gather([str(tmp_path)])


def test_a_device_without_hostname_is_called_by_its_file(tmp_path: Path) -> None:
    write(tmp_path, pod__tor_a_dot_cfg=eos("x").replace("hostname x\n", ""))
    assert [d.hostname for d in gather([str(tmp_path)]).fabrics[0].devices] == ["tor_a"]


def test_sonic_parts_make_one_device(tmp_path: Path) -> None:
    root = write(
        tmp_path / "leaf7",
        qos_dot_json=sonic(**QOS),
        port_dot_json=sonic(**PORT),
        pg_profile_lookup_dot_ini=LOOKUP,
    )
    (fabric,) = gather([str(root)]).fabrics
    assert [d.hostname for d in fabric.devices] == ["leaf7"]
    assert sorted(os.path.basename(f) for f in fabric.devices[0].files) == ["pg_profile_lookup.ini", "port.json", "qos.json"]
    assert fabric.devices[0].ports["Ethernet0"].speed == 100_000
    assert fabric.devices[0].ports["Ethernet0"].qos.pfc.no_drop == {3}
    assert not fabric.problems


def test_sonic_fragments_of_one_hostname_may_meet_but_not_overlap(tmp_path: Path) -> None:
    write(tmp_path, a_dot_json=sonic("leaf1", **PORT), b_dot_json=sonic("leaf1", **QOS))
    assert [d.hostname for d in gather([str(tmp_path)]).fabrics[0].devices] == ["leaf1"]
    write(tmp_path, b_dot_json=sonic("leaf1", **PORT))
    with pytest.raises(UsageError, match=r"a\.json and .*b\.json both say"):
        gather([str(tmp_path)])


# ---- facts


def test_facts_come_in_the_order_of_their_strength(tmp_path: Path) -> None:
    show = "leaf1#show version\nArista DCS-7060CX-32S-F\nSoftware image version: 4.28.3M\n"
    write(tmp_path, leaf1_dot_cfg=eos("leaf1"), any_dot_txt=show)
    device = gather([str(tmp_path)]).fabrics[0].devices[0]
    assert (device.platform, device.release) == ("DCS-7060CX-32S", "4.28.3M")
    assert device.facts["release"].origin == "show version"
    assert device.facts["release"].at == FileLine(str(tmp_path / "any.txt"), 3)

    header = "! device: leaf1 (DCS-7260CX3-64, EOS-4.22.3M)\n!\n"
    write(tmp_path, leaf1_dot_cfg=header + eos("leaf1"))
    device = gather([str(tmp_path)]).fabrics[0].devices[0]
    assert (device.platform, device.release) == ("DCS-7260CX3-64", "4.22.3M")

    write(tmp_path, xoff_dot_toml='[[devices]]\nmatch = "leaf*"\nrelease = "4.30.1F"\nrole = "leaf"\n')
    device = gather([str(tmp_path)], project=load_project(tmp_path / "xoff.toml")).fabrics[0].devices[0]
    assert (device.platform, device.release, device.role) == ("DCS-7260CX3-64", "4.30.1F", "leaf")
    assert str(device.facts["release"].at).endswith("xoff.toml:3")


def test_a_show_output_of_nobody_is_skipped_with_a_reason(tmp_path: Path) -> None:
    write(
        tmp_path,
        leaf1_dot_cfg=eos("leaf1"),
        x_dot_txt="leaf9#show version\nArista DCS-7060CX-32S\nSoftware image version: 4.28.3M\n",
    )
    (fabric,) = gather([str(tmp_path)]).fabrics
    assert [(os.path.basename(p), "of which device is not clear" in why) for p, why in fabric.skipped] == [("x.txt", True)]


def test_the_nos_can_be_said(tmp_path: Path) -> None:
    write(tmp_path, strange_dot_txt="hostname strange\n!\ninterface Ethernet1\n", other_dot_cfg=eos("other"))
    before = gather([str(tmp_path)])
    assert shape(before) == {tmp_path.name: ["other"]}
    write(tmp_path, xoff_dot_toml='[[devices]]\nmatch = "strange"\nnos = "arista"\n')
    found = gather([str(tmp_path)], project=load_project(tmp_path / "xoff.toml"))
    assert sorted(shape(found)[tmp_path.name]) == ["other", "strange"]


def test_host_sheets_state_classes(tmp_path: Path) -> None:
    write(
        tmp_path,
        leaf1_dot_cfg=eos("leaf1"),
        gpu_dot_sh="mlnx_qos -i eth2 --trust=dscp --pfc=0,0,0,1,0,0,0,0\ncma_roce_tos -d mlx5_0 -t 106\n",
    )
    (fabric,) = gather([str(tmp_path)]).fabrics
    assert [(c.dscp, c.priority) for c in fabric.host_classes] == [({26}, 3)]
    assert fabric.skipped == ()


# ---- what is not read


def test_unknown_files_are_skipped_in_a_folder_and_a_problem_by_name(tmp_path: Path) -> None:
    write(tmp_path, leaf1_dot_cfg=eos("leaf1"), README_dot_md="# notes", empty_dot_cfg="")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\x00\x01")
    (fabric,) = gather([str(tmp_path)]).fabrics
    assert sorted(os.path.basename(p) for p, _ in fabric.skipped) == ["README.md", "empty.cfg", "picture.png"]
    assert not fabric.problems

    named = gather([str(tmp_path / n) for n in ("leaf1.cfg", "README.md", "picture.png")])
    assert sorted(os.path.basename(p.file) for p in named.fabrics[0].problems) == ["README.md", "picture.png"]
    assert named.incomplete


def test_one_bad_file_does_not_hide_the_others(tmp_path: Path) -> None:
    write(tmp_path, leaf1_dot_cfg=eos("leaf1"), leaf2_dot_json=sonic("leaf2", **PORT, **QOS)[:-3])
    found = gather([str(tmp_path)])
    assert [d.hostname for d in found.fabrics[0].devices] == ["leaf1"]
    (problem,) = found.fabrics[0].problems
    assert problem.file.endswith("leaf2.json")
    assert problem.line > 0


@pytest.mark.parametrize("paths", [["nowhere"], ["README.md"], ["."]])
def test_nothing_recognised_is_an_error_that_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paths: list[str]
) -> None:
    write(tmp_path, README_dot_md="# notes")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="no switch configuration found") as e:
        gather(paths)
    assert "README.md" in str(e.value) or "nowhere" in str(e.value)


def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="hold no files"):
        gather([str(tmp_path)])


def test_other_systems_are_named(tmp_path: Path) -> None:
    write(
        tmp_path,
        vdx_dot_cfg="rbridge-id 1\ninterface TenGigabitEthernet 1/0/1\n cee default\ncee-map default\n precedence 1\n",
        a_dot_cfg=eos("a"),
    )
    (fabric,) = gather([str(tmp_path)]).fabrics
    assert "Brocade Network OS" in dict(fabric.skipped)[str(tmp_path / "vdx.cfg")]


def test_lines_for_quoting(tmp_path: Path) -> None:
    write(tmp_path, leaf1_dot_cfg=eos("leaf1"))
    path = str(tmp_path / "leaf1.cfg")
    found = gather([path])
    assert found.line(FileLine(path, 1)) == "hostname leaf1"
    assert found.line(FileLine(path, 0)) == found.line(FileLine(path, 999)) == found.line(FileLine("other", 1)) == ""


def test_same_input_same_fabrics(tmp_path: Path) -> None:
    write(tmp_path, b_dot_cfg=eos("b"), a_dot_cfg=eos("a"), c_dot_json=sonic("c", **PORT, **QOS))
    assert gather([str(tmp_path)]).fabrics == gather([str(tmp_path)]).fabrics


def test_notes_that_render_writes_are_passed_over(tmp_path: Path) -> None:
    write(
        tmp_path,
        a_dot_cfg=eos("a"),
        a_dot_README_dot_txt="a.json\n\nRendered by xoff from an intent.\n",
        b_dot_README_dot_txt="x",
    )
    (fabric,) = gather([str(tmp_path)]).fabrics
    assert [os.path.basename(p) for p, _ in fabric.skipped] == ["b.README.txt"]
