"""The text report, against a golden file; colours, hostile strings and folding over devices apart."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import click
import pytest

from xoff.lint.result import LintResult
from xoff.model.finding import Place
from xoff.model.origin import FileLine
from xoff.report import style, text

GOLDEN = Path(__file__).parent / "golden" / "report.txt"


def test_golden(result: LintResult, update_goldens: bool) -> None:
    found = text.text(result)
    if update_goldens:
        GOLDEN.write_text(found, encoding="utf-8")
    assert found == GOLDEN.read_text(encoding="utf-8")


def test_the_last_line_is_for_machines_too(result: LintResult) -> None:
    assert re.fullmatch(
        r"\d+ errors, \d+ warnings; assessed \d+ of \d+ checks; missing: ASIC 40, cable 26", text.text(result).splitlines()[-1]
    )


def test_nothing_to_say_is_one_head_and_one_line(result: LintResult) -> None:
    quiet = replace(
        result.fabrics[0],
        findings=(),
        facts_missing=(),
        conflicts=(),
        problems=(),
        skipped=(),
        structure=(),
        coverage={},
        classes_note="",
    )
    lines = text.text(LintResult((quiet,))).splitlines()
    assert lines[0].startswith("pod1: 3 switches")
    assert lines[-1] == "0 errors, 0 warnings; assessed 0 of 0 checks; missing: nothing"
    assert len(lines) == 5


def test_colours_add_nothing_but_colours(result: LintResult) -> None:
    coloured = text.text(result, style.ansi)
    assert coloured != text.text(result)
    assert click.unstyle(coloured) == text.text(result)


def test_same_finding_on_devices_of_unknown_role_stays_apart(result: LintResult) -> None:
    fabric = result.fabrics[0]
    roleless = replace(fabric, devices=tuple(replace(d, role=None) for d in fabric.devices))
    assert text.text(result).count("error MAP001") == 1
    assert text.text(LintResult((roleless,))).count("error MAP001") == 2


def test_findings_that_differ_in_value_do_not_fold(result: LintResult) -> None:
    fabric = result.fabrics[0]
    changed = tuple(replace(f, observed="2") if (f.code, f.device) == ("MAP001", "leaf2") else f for f in fabric.findings)
    assert text.text(LintResult((replace(fabric, findings=changed),))).count("error MAP001") == 2


def test_implied_findings_stand_below_their_cause_only(result: LintResult) -> None:
    report = text.text(result)
    assert report.count("MAP002") == 1
    assert re.search(r"^    -> error MAP002", report, re.M)


@pytest.mark.parametrize("hostile", ["\x1b]0;owned\x07", "a\nfake: 0 errors", "\u202egnirts", "\x9b31m", "\r"])
def test_devices_cannot_steer_the_terminal(result: LintResult, hostile: str) -> None:
    fabric = result.fabrics[0]
    bad = replace(
        fabric.findings[0],
        message=hostile,
        device=hostile,
        ports=(hostile,),
        observed=hostile,
        why=hostile,
        location=Place(FileLine(hostile, 1), hostile, hostile),
        related=(Place(FileLine(hostile, 2), hostile, hostile),),
    )
    devices = (replace(fabric.devices[0], hostname=hostile, nos=hostile),)
    skipped = ((hostile, hostile),)
    report = text.text(
        LintResult((replace(fabric, findings=(bad,), name=hostile, devices=devices, skipped=skipped, structure=(hostile,)),))
    )
    assert not [c for c in report if c != "\n" and (ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or ord(c) in (0x202E, 0x2028))]
    assert not [line for line in report.splitlines() if line.startswith("fake")]
