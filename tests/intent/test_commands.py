"""`xoff validate` and `xoff init` as a user sees them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from xoff.cli import init, validate
from xoff.errors import OutputError, UsageError
from xoff.intent import loads, plan
from xoff.intent.expand import expand
from xoff.intent.starter import KITS, starter

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ERRORS = Path(__file__).parent / "errors"


def test_validate_prints_the_plan() -> None:
    result = CliRunner().invoke(validate.command, [str(EXAMPLES / "mixed-leaf-spine.yaml")])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "pod1 (training)"
    assert "leaf[01-04]: leaf, sonic on DellEMC-Z9332f-O32, tomahawk3, headroom strict" in lines  # alike but for the far ends
    assert any(line.split()[:3] == ["Ethernet[0-56:8]", "400G", "5"] for line in lines)
    assert lines[-1] == "6 switches, 48 ports, 40 links, 8 hosts, 4 classes: the intent is valid"


def test_validate_names_every_port_on_request() -> None:
    result = CliRunner().invoke(validate.command, ["--ports", str(EXAMPLES / "explicit-cabling.yaml")])
    assert any(
        line.split() == ["Ethernet248", "400G", "5", "m", "9100", "-", "fw1:eth0"] for line in result.stdout.splitlines()
    )


def test_validate_lists_all_errors_and_fails_with_2() -> None:
    result = CliRunner().invoke(validate.command, [str(ERRORS / "many-at-once.yaml")])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("many-at-once.yaml:") == 8
    assert result.stderr.rstrip().endswith("8 errors in " + str(ERRORS / "many-at-once.yaml"))


def test_validate_of_no_file() -> None:
    result = CliRunner().invoke(validate.command, ["/nowhere/intent.yaml"])
    assert result.exit_code == 2
    assert "cannot be read" in result.stderr


@pytest.mark.parametrize("leaf", sorted(KITS))
@pytest.mark.parametrize("spine", sorted(KITS))
@pytest.mark.parametrize(("leaves", "spines"), [(1, 1), (4, 2), (32, 16)])
def test_every_starter_is_valid(tmp_path: Path, leaf: str, spine: str, leaves: int, spines: int) -> None:
    file = tmp_path / "i.yaml"
    file.write_text(starter("x", leaf, spine, leaves, spines))
    f = plan(file)
    assert (len(f.devices), len(f.links)) == (leaves + spines, leaves * spines + leaves * 8)


def test_what_the_starter_has_in_comments_is_valid_too() -> None:
    text = starter()
    for comment in ("# storage:", "# leaf01:"):
        assert comment in text
        text = text.replace(comment, comment[2:])
    f = expand(loads(text))
    assert sum(c.lossless for c in f.classes) == 2
    assert f.devices["leaf01"].ports["Ethernet0"].cable_m == 10


def test_init_writes_once(tmp_path: Path) -> None:
    file = tmp_path / "pod.yaml"
    result = CliRunner().invoke(init.command, ["-o", str(file), "--nos", "eos", "--leaves", "3"])
    assert result.exit_code == 0
    assert {d.nos for d in plan(file).devices.values()} == {"eos"}
    before = file.read_bytes()
    result = CliRunner().invoke(init.command, ["-o", str(file)])
    assert isinstance(result.exception, OutputError)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "args",
    [["--nos", "ios"], ["--leaves", "0"], ["--spines", "17"], ["--leaves", "65"], ["--name", "a b"], ["--name", "a\nb: c"]],
)
def test_init_refuses(tmp_path: Path, args: list[str]) -> None:
    result = CliRunner().invoke(init.command, ["-o", str(tmp_path / "x.yaml"), *args])
    assert isinstance(result.exception, UsageError)
    assert not (tmp_path / "x.yaml").exists()
