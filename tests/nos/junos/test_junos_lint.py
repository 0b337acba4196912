"""What rules say of Junos: rendered fabrics are clean, a line left out is judged by Junos's own default."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nos.junos.conftest import BASE, swapped, without
from tests.rules.case import run
from xoff.derive import derive, derive_all
from xoff.errors import CannotExpress
from xoff.intent.expand import plan
from xoff.model.finding import Finding, Severity
from xoff.nos import registry
from xoff.nos.renderer import render

HERE = Path(__file__).parent
INTENT = HERE / "goldens" / "leaf-qfx5240" / "intent.yaml"


def lint(folder: Path, text: str) -> list[tuple[str, int | None, str]]:
    """(code, line, message) of unimplied findings above a note."""
    found = [f for f in run(folder, {"leaf1.cfg": text}).findings if f.severity is not Severity.NOTE and f.implied_by is None]
    return [(f.code, f.location.at.line if f.location else None, f.message) for f in found]


def test_the_base_is_clean(tmp_path: Path) -> None:
    assert lint(tmp_path, BASE) == []


LEFT_OUT = [
    # What is left out, the finding that follows, its line (None: any) and words of the message.
    ("class-of-service interfaces et-0/0/0 congestion", "PFC001", 26, "PFC has no no-drop priority"),
    ("class-of-service congestion-notification-profile PFC output", "MAP002", None, "a pause of priority 3 stops queue 3"),
    ("class-of-service congestion-notification-profile PFC pfc-watchdog", "WDG001", None, "watchdog is off"),
    ("class-of-service interfaces et-0/0/0 unit", "PFC001", None, "no no-drop priority"),
    ("class-of-service classifiers dscp ROCE forwarding-class NO-LOSS", "CFG004", 15, "the classifier does not list it"),
    ("class-of-service schedulers S-ROCE explicit", "ECN004", 22, "WRED without ECN drops in queue 4"),
    ("class-of-service scheduler-maps MAP forwarding-class NO-LOSS", "ECN001", None, "applies it nowhere"),
    ("class-of-service drop-profiles", "CFG001", None, "drop-profile ECN is used and defined nowhere"),
]


@pytest.mark.parametrize(("left", "code", "line", "words"), LEFT_OUT, ids=[x[0][-40:] for x in LEFT_OUT])
def test_a_line_left_out_is_judged_by_the_default(tmp_path: Path, left: str, code: str, line: int | None, words: str) -> None:
    found = lint(tmp_path, without(left))
    assert any(c == code and words in m and line in (None, n) for c, n, m in found), found


CHANGED = [
    (" no-loss pfc-priority 3", " pfc-priority 3", "CFG004", "class NO-LOSS is not no-loss"),
    (" no-loss pfc-priority 3", " no-loss", "CFG004", "class NO-LOSS has no pfc-priority"),
    ("flow-control-queue 4", "flow-control-queue 3", "MAP002", "a pause of priority 3 stops queue 3"),
    ("input dscp code-point 011010 pfc", "input ieee-802.1 code-point 011 pfc", "MAP002", "by their 802.1p tag"),
    ("fill-level 90", "fill-level 50", "ECN002", "Kmin 55 % of limit is above Kmax 50 % of limit"),
    ("ingress buffer-partition lossy percent 10", "ingress buffer-partition lossy percent 5", "CFG004", "95 percent"),
    ("lossless-headroom percent 24", "lossless-headroom percent 0", "HDR002", "no headroom"),
    ("drop-profile ECN\n", "drop-profile EC\n", "CFG001", "drop-profile EC"),
    ("et-0/0/0 congestion-notification-profile PFC", "et-0/0/0 congestion-notification-profile PFX", "CFG001", "PFX"),
    ("queue-num 4 no-loss", "queue-num 14 no-loss", "CFG004", "queue 14 does not exist"),
]


@pytest.mark.parametrize(("old", "new", "code", "words"), CHANGED, ids=[x[1][-40:].strip() for x in CHANGED])
def test_a_changed_line(tmp_path: Path, old: str, new: str, code: str, words: str) -> None:
    found = lint(tmp_path, swapped(old, new))
    assert any(c == code and words in m for c, _, m in found), found


def test_a_code_point_that_is_not_counted(tmp_path: Path) -> None:
    more = "set class-of-service classifiers dscp ROCE forwarding-class NO-LOSS loss-priority low code-points 011000\n"
    assert [(c, n) for c, n, _ in lint(tmp_path, BASE + more)][:1] == [("MAP002", 26)]


def test_an_unused_profile(tmp_path: Path) -> None:
    text = without("class-of-service interfaces et-0/0/0 congestion", "class-of-service interfaces et-0/0/30 congestion")
    assert ("ATT001", 15) in [(c, n) for c, n, _ in lint(tmp_path, text)]


# --- what is rendered ---------------------------------------------------------------------------------------------------


def rendered() -> dict[str, str]:
    out = {}
    for made in derive_all(plan(INTENT)).values():
        out |= render(made.model, registry.load("junos")).files
    return out


@pytest.mark.parametrize("intent", [True, False])
def test_a_rendered_fabric_is_clean(tmp_path: Path, intent: bool) -> None:
    said = INTENT.read_text(encoding="utf-8") if intent else None
    found: list[Finding] = [f for f in run(tmp_path, dict(rendered()), intent=said).findings if intent or f.severity.rank < 2]
    assert [(f.code, f.device, f.message) for f in found] == []


def test_a_lossy_port_says_no_cable_and_that_is_no_drift(tmp_path: Path) -> None:
    folder = HERE / "goldens" / "leaf-qfx5120"
    files = {}
    for made in derive_all(plan(folder / "intent.yaml")).values():
        files |= render(made.model, registry.load("junos")).files
    got = run(tmp_path, files, intent=(folder / "intent.yaml").read_text(encoding="utf-8"))
    assert [(f.code, f.device, f.message) for f in got.findings] == []


def test_a_line_of_the_rendered_file_changed_is_drift(tmp_path: Path) -> None:
    files = rendered()
    files["leaf1.set"] = files["leaf1.set"].replace("input cable-length 3\n", "input cable-length 1\n")
    got = run(tmp_path, files, intent=INTENT.read_text(encoding="utf-8"))
    assert {f.code for f in got.findings} & {"DRF001", "HDR008"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("model: QFX5240-64OD", "model: DCS-7060X6-64PE"), "no QFX"),
        (("ecn: auto", "ecn: {kmin: 200KB}"), "percent of the queue's buffer"),
        (("defaults: {", "defaults: {watchdog: {action: alert}, "), "drop, forward"),
        (("defaults: {", "defaults: {watchdog: {detect: 250ms}, "), "whole number of polling intervals"),
    ],
)
def test_what_junos_has_no_word_for_is_refused(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    file = tmp_path / "intent.yaml"
    file.write_text(INTENT.read_text(encoding="utf-8").replace(*change), encoding="utf-8")

    def made() -> object:
        return render(derive(plan(file), "leaf1").model, registry.load("junos"))

    with pytest.raises(CannotExpress, match=words):
        made()


def test_the_header_names_what_is_not_said() -> None:
    text = rendered()["leaf1.set"]
    head = [line for line in text.split("\n") if line.startswith("#")]
    assert head[0] == "# device: leaf1 (QFX5240-64OD)"
    assert any("group.headroom" in line for line in head)
    assert any("buffer re-carve" in line for line in head)
    assert all(line.startswith(("#", "set ")) or not line for line in text.split("\n"))
