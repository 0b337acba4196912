"""What the linter says of Cumulus Linux: fabrics that we render, faults in them, cases that need more than their own file."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tests.nos.cumulus.test_cumulus_corpus import GOLDEN
from tests.nos.test_goldens import fields, read_back
from tests.rules.case import Run, run
from xoff.derive import derive, derive_all
from xoff.errors import CannotExpress
from xoff.intent.expand import plan
from xoff.model.fields import same
from xoff.model.finding import Severity
from xoff.model.frozen import FrozenMap
from xoff.nos import registry
from xoff.nos.nvue import read_commands, read_document
from xoff.nos.renderer import Rendered, render

INTENT = """\
version: 1
fabric: {{name: pod, workload: {workload}}}
congestion_control: {control}
classes:
  roce: {{dscp: [26], priority: 3, lossless: true, bandwidth: 50%, ecn: {ecn}}}
  cnp:  {{dscp: [48], priority: 6, scheduler: strict}}
{classes}
defaults: {{mtu: 9100, watchdog: {watchdog}}}
switches:
  leaf1: {{role: leaf, nos: cumulus, model: {model}, release: {release}, ports: {{swp31: {{{port}}}}}, options: {{{options}}}}}
  leaf2: {{role: leaf, nos: cumulus, model: {model}, release: {release}}}
hosts: {{name: "gpu[1-2]", nics: 1, marking: {marking}}}
links:
  - {{from: leaf1, to: leaf2, ports: {{from: swp31, to: swp31}}, speed: 200G, cable: 30m}}
  - {{from: leaf1, to: hosts, ports: {{from: "swp[1-2]"}}, speed: 200G, cable: 3m, carries: [{carries}]}}
"""
PLAIN = {
    "workload": "training", "control": "dcqcn", "ecn": "auto", "classes": "", "watchdog": "auto", "model": "MSN4700",
    "release": "5.14.0", "port": "", "options": "", "marking": "dscp", "carries": "roce, cnp",
}  # fmt: skip
VARIATIONS = [
    {},
    {"options": "format: yaml"},
    {"options": 'roce: "off"'},
    {"release": "5.16.0"},
    {"release": "5.5.1"},
    {"model": "SN5600", "options": "format: yaml"},
    {"model": "MSN2700"},
    {"watchdog": "off"},
    {"watchdog": "{detect: 400ms, poll: 200ms, action: drop}"},
    {"control": "none", "ecn": "off"},
    {"ecn": "{kmin: 200KB, kmax: 2MB, pmax: 20%}"},
    {"classes": "  nvme: {dscp: [28], priority: 4, lossless: true, bandwidth: 20%}"},
    {"classes": "  bulk: {dscp: [8, 10], priority: 1, bandwidth: 10%}", "options": "format: yaml"},
    {"carries": "cnp"},
    {"marking": "pcp"},
    {"port": 'admin: false, description: "spare, its \\"quoted\\" # no comment"'},
    {"port": "headroom: 900KB"},
    {"port": "mtu: 4200"},
]


def intent(**changes: str) -> str:
    return INTENT.format(**(PLAIN | changes))


def rendered(folder: Path, **changes: str) -> dict[str, Rendered]:
    file = folder / "intent.yaml"
    file.write_text(intent(**changes), encoding="utf-8")
    return {n: render(d.model, registry.load("cumulus")) for n, d in derive_all(plan(file)).items()}


def linted(folder: Path, with_intent: bool = True, swap: tuple[str, str] | None = None, **changes: str) -> Run:
    files = {name: text for r in rendered(folder, **changes).values() for name, text in r.files.items()}
    if swap is not None:
        assert swap[0] in files["leaf1.nv"]
        files["leaf1.nv"] = files["leaf1.nv"].replace(*swap)
    return run(folder / "run", files, intent=intent(**changes) if with_intent else None)


@pytest.mark.parametrize("changes", VARIATIONS, ids=lambda v: "-".join(v) or "plain")
def test_comes_back_as_it_went(tmp_path: Path, changes: dict[str, str]) -> None:
    file = tmp_path / "intent.yaml"
    file.write_text(intent(**changes), encoding="utf-8")
    fabric = plan(file)
    for device in fabric.devices:
        model = derive(fabric, device).model
        text = render(model, registry.load("cumulus")).files
        assert same(model, read_back(model, text), fields(model, "running")) == []
        assert [r.shape for r in read_back(model, text).remarks] == []


@pytest.mark.parametrize("changes", [{}, {"options": "format: yaml"}, {"release": "5.16.0"}, {"options": 'roce: "off"'}])
def test_what_we_render_is_clean(tmp_path: Path, changes: dict[str, str]) -> None:
    for with_intent in (True, False):
        got = (
            linted(tmp_path / str(with_intent), with_intent, **changes)
            if (tmp_path / str(with_intent)).mkdir() is None
            else None
        )
        assert got is not None
        loud = [f.message for f in got.findings if f.severity is not Severity.NOTE]
        assert loud == []
        assert got.problems == ()


def test_the_word_for_on_goes_by_release(tmp_path: Path) -> None:
    lines = {r: rendered(tmp_path, release=r)["leaf1"].files["leaf1.nv"] for r in ("5.14.0", "5.15.0")}
    assert "nv set qos roce enable on\n" in lines["5.14.0"]
    assert "nv set qos roce state enabled\n" in lines["5.15.0"]
    assert all("nv set qos roce mode lossless\n" in text for text in lines.values())


def test_both_forms_are_one_model(tmp_path: Path) -> None:
    fabric = {form: rendered(tmp_path, options=f"format: {form}")["leaf1"] for form in ("commands", "yaml")}
    file = tmp_path / "intent.yaml"
    model = derive(plan(file), "leaf1").model
    commands, document = (read_back(model, r.files) for r in fabric.values())
    assert same(commands, document, fields(model, "running")) == []


def test_what_the_watchdog_cannot_do_is_said(tmp_path: Path) -> None:
    with pytest.raises(CannotExpress, match="alert"):
        rendered(tmp_path, watchdog="{action: alert}")
    fabric = tmp_path / "intent.yaml"
    fabric.write_text(intent(watchdog="{restore: 900ms}"), encoding="utf-8")
    assert any("restoration of 900 ms" in str(n) for n in derive(plan(fabric), "leaf1").notes)


@pytest.mark.parametrize("options", ["format: xml", "roce: maybe"])
def test_options_that_do_not_exist(tmp_path: Path, options: str) -> None:
    with pytest.raises(CannotExpress, match="Cumulus Linux has"):
        rendered(tmp_path, options=options)


@pytest.mark.parametrize(
    ("swap", "code"),
    [
        (("dscp 26 switch-priority 3", "dscp 26 switch-priority 2"), "MAP001"),
        (("pfc default-global rx enable", "pfc default-global rx disable"), "PFC004"),
        (("trust both", "trust l2"), "MAP005"),
        (("traffic-class 3 red disable", "traffic-class 3 red enable"), "ECN004"),
        (("traffic-class 3 ecn enable", "traffic-class 3 ecn disable"), "ECN001"),
        (("roce-lossless switch-priority 3", "roce-lossless switch-priority 4"), "BUF009"),
        (("qos pfc profile pfc-30m", "qos pfc profile pfc-3m"), "CFG001"),
        (("qos pfc-watchdog state enable", "qos pfc-watchdog state disable"), "WDG001"),
        (("cable-length 30", "cable-length 3"), "HDR008"),
    ],
)
def test_faults_are_found(tmp_path: Path, swap: tuple[str, str], code: str) -> None:
    got = linted(tmp_path, True, swap)
    assert code in {f.code for f in got.findings if f.implied_by is None}, [f"{f.code} {f.message}" for f in got.findings]


def test_a_cable_longer_than_the_switch_assumes(tmp_path: Path) -> None:
    text = "nv set system hostname leaf1\nnv set interface swp31 link state up\nnv set qos roce\n"
    wish = intent().replace("cable: 30m", "cable: 300m")
    found = {f.code: f.message for f in run(tmp_path, {"leaf1.nv": text}, intent=wish).findings}
    assert "up to 100 m, and the cable is 300 m" in found["HDR008"]


# --- cases that lack something of their own


def test_sample_buffers_are_too_small_at_the_speed_that_the_case_names(shared: Callable[[str], Path], tmp_path: Path) -> None:
    """D14: xoff 10000 B, buffer 25000 B at 100G and 50 m."""
    text = shared("cases/files/D14-cumulus.txt").read_text(encoding="utf-8")
    got = run(tmp_path, {"leaf1.conf": text}, project='[[devices]]\nmatch = "*"\nspeed = "100G"\n')
    (found,) = [f for f in got.findings if f.code == "HDR001"]
    assert (found.severity, found.observed) == (Severity.ERROR, "15,000 B")


def test_a_finite_egress_quota_beside_the_file_that_has_the_priorities(shared: Callable[[str], Path], tmp_path: Path) -> None:
    """E11 is qos_infra.conf alone, in which nothing is lossless yet."""
    files = {"sw1/qos_features.conf": "base-cumulus.txt", "sw1/qos_infra.conf": "E11-cumulus.txt"}
    got = run(tmp_path, {n: shared(f"cases/files/{f}").read_text(encoding="utf-8") for n, f in files.items()})
    (found,) = [f for f in got.findings if f.severity is not Severity.NOTE]
    assert (found.code, found.location.at.line if found.location else 0) == ("BUF001", 5)


# --- findings on the corpus

FINDINGS = yaml.safe_load((Path(__file__).parents[2] / "corpus" / "findings_cumulus.yml").read_text(encoding="utf-8"))["files"]


@pytest.mark.parametrize("name", GOLDEN)
def test_errors_on_the_corpus_are_the_golden_list(shared: Callable[[str], Path], tmp_path: Path, name: str) -> None:
    got = run(tmp_path, {name: shared(f"corpus/cumulus/{name}").read_text(encoding="utf-8")})
    errors = [f for f in got.findings if f.severity is Severity.ERROR and f.implied_by is None]
    found = {(f.code, f.location.at.line if f.location else None): f.message for f in errors}
    listed = {(e["code"], e["line"]): e for e in FINDINGS.get(name, ())}
    assert sorted(found) == sorted(listed), found
    assert all(e["message"] in found[k] and len(e["reason"].split()) >= 6 for k, e in listed.items())


def test_watchdog_on_access_ports_only_is_a_warning_on_the_links_between_switches(
    shared: Callable[[str], Path], tmp_path: Path
) -> None:
    """SOURCES: the one fault of NVIDIA's reference core and leaf."""
    for name, ports in (
        ("nvidia-core-01-nv-set-ranges.txt", "swp28s0"),
        ("nvidia-gsl-plane1-02-gpu-leaf-nv-set.txt", "swp33s0"),
    ):
        got = run(tmp_path / name, {name: shared(f"corpus/cumulus/{name}").read_text(encoding="utf-8")})
        (found,) = [f for f in got.findings if f.severity is not Severity.NOTE]
        assert (found.code, found.severity, ports in found.ports) == ("WDG001", Severity.WARNING, True)


# --- strings that come from elsewhere

HOSTILE = [
    "it's",
    '"quoted"',
    "a # b",
    "$(reboot)",
    "`id`",
    "a; nv unset qos",
    "on",
    "yes: no",
    "- set: {}",
    "{{ x }}",
    "'",
    "\\",
    "0x10",
    "[a]",
    "*a",
]


@pytest.mark.parametrize("form", ["commands", "yaml"])
@pytest.mark.parametrize("text", HOSTILE)
def test_a_description_stays_one_word(tmp_path: Path, form: str, text: str) -> None:
    file = tmp_path / "intent.yaml"
    file.write_text(intent(options=f"format: {form}"), encoding="utf-8")
    model = derive(plan(file), "leaf1").model
    ports = FrozenMap({n: replace(p, description=text) for n, p in model.ports.items()})
    (written,) = render(replace(model, ports=ports), registry.load("cumulus")).files.values()
    read = read_document("a.yaml", written) if form == "yaml" else read_commands(written)
    assert {leaf.words[3] for leaf in read.found if leaf.words[2:3] == ("description",)} == {text}
    if form == "commands":
        line = next(row for row in written.split("\n") if " description " in row)
        assert shlex.split(line)[-1] == text


@pytest.mark.parametrize("text", ["a\nnv unset qos", "a\r", "a\x1b[2J", "a\u2028b", "\u00e9"])
def test_what_could_slip_a_line_in_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "intent.yaml"
    for form in ("commands", "yaml"):
        file.write_text(intent(options=f"format: {form}"), encoding="utf-8")
        model = derive(plan(file), "leaf1").model
        ports = FrozenMap({n: replace(p, description=text) for n, p in model.ports.items()})
        for odd in (replace(model, ports=ports), replace(model, platform=text)):
            with pytest.raises(CannotExpress):
                render(odd, registry.load("cumulus"))
