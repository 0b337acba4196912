"""One wrong line is one finding, however many ports it reaches and whatever else it upsets (DESIGN 8 "Root cause")."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.rules.case import Run, run
from xoff.model.finding import Finding, Severity

INTENT = """
version: 1
fabric: {name: pod, workload: training}
classes:
  roce: {dscp: [26], priority: 3, lossless: true, bandwidth: 60%}
  cnp:  {dscp: [48], priority: 6, scheduler: strict}
  default: {priority: 1, bandwidth: rest}
switches:
  leaf1: {role: leaf, nos: NOS, model: DCS-7060X6-64PE}
hosts: {name: "gpu[1-80]", nics: 1, nic: cx7}
links:
  - {from: leaf1, to: hosts, ports: {from: "PORTS"}, speed: 400G, cable: 3m, carries: [roce, cnp]}
"""
PORTS = {"eos": "Ethernet[1-40]/[1-2]", "sonic": "Ethernet[0-316:4]"}


def _intent(nos: str) -> str:
    return INTENT.replace("NOS", nos).replace("PORTS", PORTS[nos])


def _rendered(nos: str, folder: Path) -> dict[str, str]:
    from xoff.derive import derive
    from xoff.intent.expand import plan
    from xoff.model.switch import Form
    from xoff.nos.registry import load
    from xoff.nos.renderer import render

    path = folder / "rendered.yaml"
    path.write_text(_intent(nos), encoding="utf-8")
    model = derive(plan(path), "leaf1", Form.RUNNING).model
    return dict(render(model, load(nos), form="running").files)


def _loud(got: Run) -> list[Finding]:
    return [f for f in got.findings if f.severity is not Severity.NOTE and f.implied_by is None]


def _shown(findings: list[Finding]) -> list[str]:
    return [f"{f.code} {f.location.text.strip() if f.location else ''} {f.message}" for f in findings]


WRONG = {
    "eos": ("qos map dscp 26 to traffic-class 3", "qos map dscp 26 to traffic-class 2"),
    "sonic": ('"26": "3"', '"26": "2"'),
}


@pytest.mark.parametrize("nos", sorted(PORTS))
def test_the_only_roce_map_line_on_eighty_ports_with_the_intent(nos: str, tmp_path: Path) -> None:
    files = _rendered(nos, tmp_path)
    right = run(tmp_path / "right", files, intent=_intent(nos))
    assert right.problems == ()
    assert _shown(list(right.findings)) == []
    old, new = WRONG[nos]
    assert sum(t.count(old) for t in files.values()) == 1
    got = run(tmp_path / "wrong", {name: t.replace(old, new) for name, t in files.items()}, intent=_intent(nos))
    assert len(_loud(got)) == 1, _shown(_loud(got))
    (found,) = _loud(got)
    assert (found.code, found.severity, len(found.ports)) == ("MAP001", Severity.ERROR, 80)
    assert found.location is not None
    assert new in found.location.text


HEAD = """\
hostname leaf1
!
qos map dscp 26 to traffic-class 3
qos map dscp 48 to traffic-class 6
!
class-map type qos match-any ROCE
   match dscp 26
!
policy-map type quality-of-service OLD
   class ROCE
      set traffic-class {wrong}
!
priority-flow-control pause watchdog default timeout 0.2
priority-flow-control pause watchdog default recovery-time 0.4
priority-flow-control pause watchdog default polling-interval 0.1
priority-flow-control pause watchdog action drop
!
qos profile ROCE
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control pause watchdog
   !
   uc-tx-queue 3
      no priority
      bandwidth percent 60
      random-detect ecn minimum-threshold 256 kbytes maximum-threshold 512 kbytes max-mark-probability 100 weight 0
!
"""


def _eos(wrong: str) -> str:
    """Eighty routed ports, ten of them with a service policy of their own that puts RoCE elsewhere."""
    out = [HEAD.format(wrong=wrong)]
    for n in range(1, 81):
        own = "   service-policy type qos input OLD\n" if n > 70 else ""
        out.append(f"interface Ethernet{n}/1\n   description gpu-{n}\n   no switchport\n   service-profile ROCE\n{own}!\n")
    return "".join([*out, "end\n"])


def _sonic(wrong: str) -> str:
    """Eighty ports, ten of them bound to a second map."""
    ports = [f"Ethernet{4 * n}" for n in range(80)]
    identity = {str(n): str(n) for n in range(8)}
    right = {str(d): {26: "3", 48: "6"}.get(d, "0") for d in range(64)}
    data = {
        "DEVICE_METADATA": {"localhost": {"hostname": "leaf1", "default_pfcwd_status": "enable"}},
        "PORT": {p: {"lanes": str(i), "speed": "100000", "mtu": "9100", "admin_status": "up"} for i, p in enumerate(ports)},
        "CABLE_LENGTH": {"AZURE": dict.fromkeys(ports, "5m")},
        "DSCP_TO_TC_MAP": {"ROCE": right, "OLD": {**right, "26": wrong}},
        "TC_TO_QUEUE_MAP": {"ROCE": identity},
        "TC_TO_PRIORITY_GROUP_MAP": {"ROCE": {k: "3" if k == "3" else "0" for k in identity}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"ROCE": identity},
        "PORT_QOS_MAP": {
            p: {
                "dscp_to_tc_map": "OLD" if i >= 70 else "ROCE", "tc_to_queue_map": "ROCE", "tc_to_pg_map": "ROCE",
                "pfc_to_queue_map": "ROCE", "pfc_enable": "3", "pfcwd_sw_enable": "3",
            }
            for i, p in enumerate(ports)
        },
        "WRED_PROFILE": {
            "ROCE": {
                "wred_green_enable": "true", "ecn": "ecn_green", "green_min_threshold": "250000",
                "green_max_threshold": "1048576", "green_drop_probability": "5",
            }
        },
        "QUEUE": {f"{p}|3": {"wred_profile": "ROCE"} for p in ports},
        "BUFFER_PG": {f"{p}|3": {"profile": "pg_lossless"} for p in ports},
        "BUFFER_POOL": {
            "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "10875072", "xoff": "4194112"},
        },
        "BUFFER_PROFILE": {
            "pg_lossless": {
                "pool": "ingress_lossless_pool", "size": "1248", "xon": "2288", "xoff": "165568", "dynamic_th": "0",
                "xon_offset": "2288",
            }
        },
        "PFC_WD": {
            "GLOBAL": {"POLL_INTERVAL": "200"},
            **{p: {"action": "drop", "detection_time": "200", "restoration_time": "200"} for p in ports},
        },
    }  # fmt: skip
    return json.dumps(data, indent=2)


@pytest.mark.parametrize(
    ("name", "make", "right", "wrong"), [("leaf1.cfg", _eos, "3", "2"), ("config_db.json", _sonic, "3", "2")]
)
def test_the_same_line_on_ten_of_eighty_ports_without_an_intent(
    name: str, make: object, right: str, wrong: str, tmp_path: Path
) -> None:
    clean = run(tmp_path / "right", {name: make(right)})  # type: ignore[operator]
    assert clean.problems == ()
    assert _shown(_loud(clean)) == []
    got = run(tmp_path / "wrong", {name: make(wrong)})  # type: ignore[operator]
    assert len(_loud(got)) == 1, _shown(_loud(got))
    (found,) = _loud(got)
    assert (found.code, len(found.ports), str(found.confidence)) == ("MAP001", 10, "inferred")
