"""xoff trace: the way of a packet over intents and over configurations, and the first wrong hop."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from xoff.derive import classes_of, derive_all
from xoff.errors import UsageError
from xoff.intent.expand import plan
from xoff.model.fabric import End, Link, LinkEvidence
from xoff.nos import registry
from xoff.nos.renderer import render
from xoff.trace.hops import follow
from xoff.trace.result import Trace
from xoff.trace.route import route

REPO = Path(__file__).resolve().parents[2]
MIXED = REPO / "examples" / "mixed-leaf-spine.yaml"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def xoff() -> Run:
    def run(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "xoff", *args], capture_output=True, text=True, check=False, cwd=REPO)

    return run


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("configs")
    for derived in derive_all(plan(str(MIXED))).values():
        for name, text in render(derived.model, registry.load(derived.model.nos)).files.items():
            (folder / name).write_text(text, encoding="utf-8")
    return folder


def _of_intent(dscp: int, start: str, end: str) -> Trace:
    asked = plan(str(MIXED))
    models = {name: d.model for name, d in derive_all(asked).items()}
    return follow(models, asked.links, classes_of(asked), dscp, route(asked.links, models, start, end), start, end)


def test_a_lossless_class_is_lossless_on_every_hop_of_an_intent() -> None:
    trace = _of_intent(26, "leaf01:Ethernet0", "leaf02:Ethernet8")
    assert trace.first_wrong is None
    assert trace.open == 0
    assert trace.paths == 2
    assert [h.device for h in trace.hops] == ["leaf01", "spine01", "spine02", "leaf02"]
    assert {(h.tc, h.group, h.queue, h.pause_sent_as, h.obeys) for h in trace.hops} == {
        (3, 3, 3, frozenset({3}), frozenset({3}))
    }


def test_other_classes_are_shown_and_not_judged() -> None:
    trace = _of_intent(48, "gpu01", "gpu08")
    assert trace.cls is not None
    assert trace.cls.name == "cnp"
    assert {h.tc for h in trace.hops} == {6}
    assert trace.first_wrong is None
    nobody = _of_intent(11, "gpu01", "gpu08")
    assert nobody.cls is None
    assert {h.lossless for h in nobody.hops} == {False}


def test_configurations_are_traced_as_their_intent(rendered: Path, xoff: Run) -> None:
    way = ("--dscp", "26", "--from", "leaf01:Ethernet0", "--to", "leaf03:Ethernet8", "--format", "json")
    asked = json.loads(xoff("trace", *way, str(MIXED)).stdout)
    found = xoff("trace", *way, "--intent", str(MIXED), str(rendered))
    assert found.returncode == 0, found.stdout + found.stderr
    read = json.loads(found.stdout)
    keys = ("device", "ins", "outs", "traffic_class", "group", "lossless", "queue", "pauses_obeyed", "headroom", "dscp_out")
    assert [[h[k] for k in keys] for h in read["hops"]] == [[h[k] for k in keys] for h in asked["hops"]]
    assert read["lossless"] is True


def test_the_first_wrong_hop_is_named_at_file_and_line(rendered: Path, xoff: Run, tmp_path: Path) -> None:
    for file in rendered.iterdir():
        (tmp_path / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    spine = tmp_path / "spine02.cfg"
    text = spine.read_text(encoding="utf-8")
    line = text[: text.index("qos map dscp 26 to")].count("\n") + 1
    spine.write_text(text.replace("qos map dscp 26 to traffic-class 3", "qos map dscp 26 to traffic-class 1"), encoding="utf-8")
    args = ("--dscp", "26", "--from", "leaf01:Ethernet0", "--to", "leaf02:Ethernet8", "--intent", str(MIXED), str(tmp_path))
    found = xoff("trace", *args)
    assert found.returncode == 1
    assert re.search(
        rf"first wrong hop: spine02: .*\n.*spine02\.cfg:{line}\n +qos map dscp 26 to traffic-class 1", found.stdout
    )
    wrong = json.loads(xoff("trace", "--format", "json", *args).stdout)
    assert wrong["first_wrong"]["location"]["line"] == line
    # The other way round over spine01 stays right, and the hop behind the wrong one is not blamed for it.
    assert [h["device"] for h in wrong["hops"] if h["wrong"]] == ["spine02"]


def test_a_pause_under_another_priority_is_wrong_at_the_switch_that_sends_it(rendered: Path, xoff: Run, tmp_path: Path) -> None:
    for file in rendered.iterdir():
        (tmp_path / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    spine = tmp_path / "spine01.cfg"
    spine.write_text(
        spine.read_text(encoding="utf-8")
        .replace("priority 3 no-drop", "priority 4 no-drop")
        .replace("dscp 26 to traffic-class 3", "dscp 26 to traffic-class 4"),
        encoding="utf-8",
    )
    args = ("--dscp", "26", "--from", "leaf01:Ethernet0", "--to", "leaf02:Ethernet8", "--intent", str(MIXED), str(tmp_path))
    found = json.loads(xoff("trace", "--format", "json", *args).stdout)
    assert found["first_wrong"]["device"] == "spine01"
    assert "pauses with priority 4, but the queue before it is stopped by priority 3" in found["first_wrong"]["what"]


def test_without_a_way_every_switch_is_shown_by_itself(xoff: Run) -> None:
    found = xoff("trace", "--dscp", "26", "examples/broken")
    assert found.returncode == 1
    assert "at every switch by itself" in found.stdout
    assert "leaf1 (sonic)" in found.stdout
    assert "spine1 (eos)" in found.stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--dscp", "64", "examples/broken"), "64 is not in the range"),
        (("--dscp", "26", "--from", "gpu01", str(MIXED)), "--from and --to go together"),
        (("--dscp", "26", "--from", "gpu01", "--to", "gpu99", str(MIXED)), "no such host or switch"),
        (("--dscp", "26", "--from", "gpu01:nic7", "--to", "gpu02", str(MIXED)), "has no NIC nic7"),
        (("--dscp", "26", "--assume", "nobody", "examples/broken"), "no such convention"),
        (("--dscp", "26", "nowhere"), "nowhere"),
    ],
)
def test_wrong_usage_is_said(args: tuple[str, ...], said: str, xoff: Run) -> None:
    found = xoff("trace", *args)
    assert found.returncode == 2
    assert said in found.stderr
    assert "Traceback" not in found.stderr


def _link(a: str, b: str) -> Link:
    (ad, ap), (bd, bp) = a.split(":"), b.split(":")
    return Link(End(ad, ap), End(bd, bp), LinkEvidence.CABLING)


def test_parallel_links_and_equal_spines_are_all_counted() -> None:
    links = [_link(f"l1:{s}{k}", f"s{s}:1{k}") for s in (1, 2) for k in (0, 1)]
    links += [_link(f"l2:{s}{k}", f"s{s}:2{k}") for s in (1, 2) for k in (0, 1)]
    links += [_link("l1:h", "a:nic0"), _link("b:nic0", "l2:h")]
    way = route(links, ["l1", "l2", "s1", "s2"], "a", "b")
    assert way.paths == 8  # two spines, two links up, two down
    assert [(c.device, c.distance) for c in way.crossings] == [("l1", 0), ("s1", 1), ("s2", 1), ("l2", 2)]
    assert way.crossings[0].ins == ("h",)
    assert set(way.crossings[0].outs) == {"10", "11", "20", "21"}


def test_places_that_are_not_joined_are_an_error() -> None:
    links = [_link("l1:h", "a:nic0"), _link("b:nic0", "l2:h")]
    with pytest.raises(UsageError, match="no way from a to b"):
        route(links, ["l1", "l2"], "a", "b")
