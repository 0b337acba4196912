"""`xoff lint` from outside: formats, exit codes and their precedence, options, project file, imports."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cli.conftest import SRC, Run
from xoff.data import SCHEMAS

REPO = SRC.parent
BROKEN = REPO / "examples" / "broken"
LAST = r"\d+ errors, \d+ warnings; assessed \d+ of \d+ checks; missing: .+"

CLEAN = """hostname leaf1
!
qos map dscp 26 to traffic-class 3
qos map dscp 48 to traffic-class 6
!
priority-flow-control pause watchdog default timeout 0.2
priority-flow-control pause watchdog default recovery-time 1.0
priority-flow-control pause watchdog default polling-interval 0.1
priority-flow-control pause watchdog action drop
!
"""
PORT = """interface Ethernet{n}/1
   no switchport
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control pause watchdog
   !
   uc-tx-queue 3
      no priority
      bandwidth percent 50
      random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes max-mark-probability 100
!
"""


def eos(*without: str, ports: int = 4) -> str:
    """A clean switch, whose last port lacks the lines `without`."""
    blocks = [PORT.format(n=n) for n in range(1, ports + 1)]
    for line in without:
        assert line in blocks[-1]
        blocks[-1] = re.sub(rf"(?m)^ *{re.escape(line)}\n", "", blocks[-1])
    return CLEAN + "".join(blocks) + "end\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "clean.cfg").write_text(eos())
    (tmp_path / "bad.cfg").write_text(eos("priority-flow-control priority 3 no-drop").replace("leaf1", "leaf2"))
    (tmp_path / "note.txt").write_text("nothing of ours")
    (tmp_path / "cut.json").write_text('{"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3"}, "DSCP_TO_TC_MAP": {')
    return tmp_path


def doc(xoff: Run, *args: str) -> dict[str, Any]:
    found = xoff("lint", "--format", "json", *args)
    out: dict[str, Any] = json.loads(found.stdout)
    assert out["summary"]["exit_code"] == found.returncode
    return out


def test_clean_is_0_and_ends_with_the_line(xoff: Run, tree: Path) -> None:
    found = xoff("lint", "clean.cfg")
    assert found.returncode == 0, found.stdout
    assert re.fullmatch(LAST, found.stdout.splitlines()[-1])
    assert found.stdout.splitlines()[-1].startswith("0 errors, 0 warnings")
    assert found.stderr == ""
    assert "\x1b" not in found.stdout


def test_findings_are_1_and_quote_the_line(xoff: Run, tree: Path) -> None:
    found = xoff("lint", "bad.cfg")
    assert found.returncode == 1
    assert "ATT002" in found.stdout
    assert re.search(r"^ +\d+ \| interface Ethernet4/1", found.stdout, re.M)


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["clean.cfg"], 0),
        (["clean.cfg", "bad.cfg"], 1),
        (["clean.cfg", "note.txt"], 3),
        (["clean.cfg", "nowhere.cfg"], 3),
        (["bad.cfg", "note.txt"], 3),
        (["clean.cfg", "cut.json"], 3),
        (["note.txt"], 2),
        (["nowhere.cfg"], 2),
        (["bad.cfg", "note.txt", "--intent", "nowhere.yaml"], 2),
        (["clean.cfg", "--config", "nowhere.toml"], 2),
        (["clean.cfg", "--ignore", "MAP01"], 2),
        (["clean.cfg", "--select", "XYZ"], 2),
        (["clean.cfg", "--require", "HDR"], 2),
        (["clean.cfg", "--assume", "nobody"], 2),
        (["bad.cfg", "--ignore", "ATT,PFC,ECN"], 0),
        (["bad.cfg", "--select", "map001,CFG"], 0),
        (["bad.cfg", "--select", "port-left-out"], 1),
    ],
)
def test_exit_codes_and_their_precedence(xoff: Run, tree: Path, args: list[str], code: int) -> None:
    found = xoff("lint", *args)
    assert found.returncode == code, found.stdout + found.stderr
    assert "Traceback" not in found.stderr
    assert (found.stderr != "") == (code == 2)
    assert (found.stdout == "") == (code == 2)


def test_an_unreadable_file_leaves_the_others_judged(xoff: Run, tree: Path) -> None:
    out = doc(xoff, "bad.cfg", "cut.json", "nowhere.cfg")
    codes = {f["code"] for f in out["findings"]}
    assert "ATT002" in codes
    assert "CFG008" in codes
    assert {s["file"]: s["problem"] for s in out["coverage"]["skipped"]} == {"cut.json": True, "nowhere.cfg": True}


def test_unrecognised_files_of_a_folder_are_skipped_with_code_0(xoff: Run, tree: Path) -> None:
    (tree / "bad.cfg").unlink()
    (tree / "cut.json").unlink()
    out = doc(xoff, ".")
    assert out["summary"]["exit_code"] == 0
    assert [(s["file"], s["problem"]) for s in out["coverage"]["skipped"]] == [("./note.txt", False)]


def test_json_is_valid_and_nothing_else_is_on_stdout(xoff: Run, tree: Path) -> None:
    schema = json.loads((SCHEMAS / "findings.schema.json").read_text(encoding="utf-8"))
    for args in (["bad.cfg"], [str(BROKEN)], ["clean.cfg"]):
        jsonschema.Draft202012Validator(schema).validate(doc(xoff, *args))


def test_same_input_same_bytes(xoff: Run, tree: Path) -> None:
    for form in ("text", "json"):
        first = xoff("lint", str(BROKEN), "--format", form, PYTHONHASHSEED="1")
        assert first.stdout == xoff("lint", str(BROKEN), "--format", form, PYTHONHASHSEED="2").stdout


def test_options_come_from_the_project_file_and_give_way_to_the_command_line(xoff: Run, tree: Path) -> None:
    (tree / "xoff.toml").write_text('ignore = ["ATT", "PFC", "ECN"]\nrequire = ["HDR001"]\n')
    if (REPO / "lint_rules/hdr").exists():
        out = doc(xoff, "bad.cfg")
        assert "COV001" in {f["code"] for f in out["findings"]}
    (tree / "xoff.toml").write_text('ignore = ["ATT", "PFC", "ECN"]\n')
    assert doc(xoff, "bad.cfg")["findings"] == []
    assert doc(xoff, "bad.cfg", "--ignore", "CNP")["summary"]["errors"] == 1
    (tree / "other.toml").write_text('fail_on = "note"\nselect = ["ATT"]\n')
    assert {f["code"] for f in doc(xoff, "bad.cfg", "--config", "other.toml")["findings"]} == {"ATT002"}


def test_a_wrong_project_file_is_2_with_its_place(xoff: Run, tree: Path) -> None:
    (tree / "xoff.toml").write_text('[[devices]]\nmatch = "*"\nmodell = "x"\n')
    found = xoff("lint", "clean.cfg")
    assert found.returncode == 2
    assert re.search(r"xoff\.toml:3:\d+: unknown key", found.stderr)


def test_classes_of_the_project_file_are_in_force(xoff: Run, tree: Path) -> None:
    (tree / "xoff.toml").write_text("[classes.rdma]\ndscp = [10]\npriority = 3\nlossless = true\n")
    out = doc(xoff, "clean.cfg")
    assert [(c["name"], c["dscp"], c["basis"]) for c in out["classes"] if c["lossless"]] == [("rdma", [10], "project file")]
    assert "MAP001" in {f["code"] for f in out["findings"]}


def test_two_fabrics_in_one_document(xoff: Run, tmp_path: Path) -> None:
    for pod in ("pod1", "pod2"):
        (tmp_path / pod).mkdir()
        (tmp_path / pod / "x.cfg").write_text(eos())
    out = doc(xoff, ".")
    assert out["fabric"]["name"] is None
    assert [s["name"] for s in out["fabric"]["sets"]] == ["pod1", "pod2"]
    assert {c["fabric"] for c in out["classes"]} == {"pod1", "pod2"}


def test_the_broken_example_shows_its_faults(xoff: Run) -> None:
    """examples/broken: what is wrong there on purpose, and nothing that is not."""
    out = doc(xoff, str(BROKEN))
    found = {(f["code"], f["device"], tuple(f["ports"])[:4]) for f in out["findings"] if not f["implied_by"]}
    uplinks = ("Ethernet116", "Ethernet120", "Ethernet124")
    assert ("MAP001", "leaf1", uplinks) in found
    assert ("ECN002", "leaf1", ("Ethernet0", "Ethernet4", "Ethernet12", "Ethernet16")) in found
    assert ("CFG001", "leaf1", ("Ethernet8",)) in found
    assert ("WDG001", "leaf1", ("Ethernet36",)) in found
    assert ("ATT002", "leaf1", ("Ethernet20",)) in found
    assert ("ATT002", "spine1", ("Ethernet7/1",)) in found
    assert ("CFG003", "spine1", ("Ethernet5/1",)) in found
    assert [
        x for s in out["fabric"]["sets"] for x in s["links"] if {"leaf1 Ethernet112", "spine1 Ethernet1/1"} == {x["a"], x["b"]}
    ]


def test_lint_imports_no_more_than_it_needs(tmp_path: Path) -> None:
    """Cold start is what a pre-commit hook pays each time."""
    (tmp_path / "a.cfg").write_text(eos())
    code = "import sys; from xoff.cli import run; run(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    for form in ("json", "text"):
        out = subprocess.run(
            [sys.executable, "-c", code, "lint", str(tmp_path / "a.cfg"), "--format", form],
            env={**os.environ, "PYTHONPATH": str(SRC)},
            capture_output=True,
            text=True,
            check=True,
        )
        loaded = set(out.stderr.split())
        assert "xoff.lint.engine" in loaded
        assert not loaded & {"jinja2", "netmiko", "rich", "pydantic", "numpy", "ruamel", "hypothesis", "jsonschema", "asyncio"}
        assert not loaded & {"xoff.nos.renderer", "xoff.nos.sonic", "xoff.intent.load", "xoff.derive", "xoff.report.contract"}


def test_hostile_names_in_files_and_paths(xoff: Run, tmp_path: Path) -> None:
    (tmp_path / "a\x1b[2J\n.cfg").write_text(
        eos("priority-flow-control priority 3 no-drop").replace("leaf1", "x\x1b]0;pwn\x07")
    )
    for form in ("text", "json"):
        found = xoff("lint", ".", "--format", form)
        assert found.returncode == 1, found.stderr
        assert not set("\x1b\x07") & set(found.stdout + found.stderr)
