"""The shell around the commands: help, versions, errors without tracebacks, and nothing imported that is not needed."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

import xoff.cli as cli
from tests.cli.conftest import SRC, Run
from xoff import __version__
from xoff.errors import InputError, UsageError


def test_help_lists_every_command_with_a_line(xoff: Run) -> None:
    found = xoff("--help")
    assert found.returncode == 0
    for name, file in cli._command_files().items():
        assert name in found.stdout
        line = cli._short_help(file)
        assert line, f"{file.name} has no docstring"
        assert line[:40] in found.stdout


def test_every_command_file_holds_a_command_with_help(capsys: pytest.CaptureFixture[str]) -> None:
    for name in cli._command_files():
        assert cli.run([name, "--help"]) == 0
        assert capsys.readouterr().out.startswith("Usage: xoff ")


def test_version(xoff: Run) -> None:
    assert xoff("--version").stdout == f"xoff {__version__}\n"


def test_help_and_version_import_no_command(xoff: Run) -> None:
    code = (
        "import sys; from xoff.cli import run; run(sys.argv[1:]); "
        "heavy = {'pydantic', 'yaml', 'ttp', 'jinja2', 'rich'}; "
        "print(sorted(m for m in sys.modules if m.startswith('xoff.cli.') or m in heavy))"
    )
    for args in (["--help"], ["--version"]):
        out = subprocess.run(
            [sys.executable, "-c", code, *args],
            env={**os.environ, "PYTHONPATH": str(SRC)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert out.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], ""),
        (["lnt"], "Did you mean 'lint'?"),
        (["frobnicate"], "There is no command 'frobnicate'"),
        (["lint"], "PATH"),
        (["lint", "--nosuch"], "--nosuch"),
        (["lint", "--format", "yaml", "x"], "yaml"),
        (["explain", "MAP999"], "there is no rule 'MAP999'"),
    ],
)
def test_wrong_usage_is_2_and_says_what(xoff: Run, args: list[str], said: str) -> None:
    found = xoff(*args)
    assert found.returncode == 2
    assert said in found.stderr
    assert "Traceback" not in found.stderr
    assert found.stdout == ""


class Raises(click.Command):
    def __init__(self, error: BaseException) -> None:
        super().__init__("raises")
        self.error = error

    def invoke(self, ctx: click.Context) -> None:
        raise self.error


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (UsageError("what\nwhere"), 2, "xoff: what\nwhere\n"),
        (InputError("a.cfg", 3, "bad"), 3, "xoff: a.cfg:3: bad\n"),
        (UsageError("evil\x1b[2Jname"), 2, "xoff: evil\\x1b[2Jname\n"),
        (KeyboardInterrupt(), 130, "stopped"),
        (ZeroDivisionError("division by zero"), 2, "internal error: ZeroDivisionError: division by zero (in test_main.py:"),
        (RecursionError("deep"), 2, "XOFF_DEBUG=1"),
    ],
)
def test_errors_become_sentences(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException, code: int, said: str
) -> None:
    monkeypatch.delenv("XOFF_DEBUG", raising=False)
    monkeypatch.setattr(cli.CommandFolder, "get_command", lambda *_: Raises(error))
    assert cli.run(["rules"]) == code
    err = capsys.readouterr().err
    assert said in err
    assert "Traceback" not in err


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("XOFF_DEBUG", "1")
    monkeypatch.setattr(cli.CommandFolder, "get_command", lambda *_: Raises(ZeroDivisionError()))
    assert cli.run(["rules"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    """`xoff rules --format json | true`: no traceback, no "Exception ignored" at shutdown."""
    process = subprocess.Popen(
        [sys.executable, "-m", "xoff", "rules", "--format", "json"],
        env={**os.environ, "PYTHONPATH": str(SRC)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read().decode()
    process.wait(60)
    assert "Traceback" not in err
    assert "BrokenPipe" not in err


def test_colours_only_on_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    from xoff.report.style import ansi, paint_for, plain

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert paint_for(Terminal()) is ansi
    assert paint_for(io.StringIO()) is plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert paint_for(Terminal()) is plain
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert paint_for(Terminal()) is plain


def test_rules_as_data_and_as_text(xoff: Run) -> None:
    rules = json.loads(xoff("rules", "--format", "json").stdout)["rules"]
    codes = [r["code"] for r in rules]
    assert codes == sorted(codes)
    assert {"MAP001", "PFC001", "CFG003"} <= set(codes)
    assert {r["severity"] for r in rules} <= {"error", "warning", "note"}
    text = xoff("rules")
    assert len(text.stdout.splitlines()) == len(rules)
    assert "\x1b" not in text.stdout
    for r in rules:
        assert r["name"] in text.stdout


def test_explain_by_code_and_by_name(xoff: Run) -> None:
    by_code = xoff("explain", "map001")
    assert by_code.returncode == 0
    assert "MAP001" in by_code.stdout.splitlines()[0]
    assert xoff("explain", "roce-dscp-lossy").stdout == by_code.stdout
    assert "\x1b" not in by_code.stdout
