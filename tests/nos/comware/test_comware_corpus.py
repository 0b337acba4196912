"""Comware files of the corpus: all are read, what is not understood is exactly what should not be; hostile input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xoff.model.path import path
from xoff.model.qos import Scheduler, SchedulerKind
from xoff.model.switch import SwitchModel
from xoff.nos import comware, registry, yaml12
from xoff.nos.shows import read_version
from xoff.nos.source import Source, read_source
from xoff.nos.splitter import below, split

Read = Callable[..., SwitchModel]
Shared = Callable[[str], Path]
HERE = Path(__file__).parent
GOLDEN: dict[str, list[dict[str, Any]]] = yaml12.load((HERE / "unclaimed.yml").read_text(encoding="utf-8"))


def parse(file: Path) -> SwitchModel:
    (model,) = comware.parse([read_source(file)], registry.load("comware"))
    return model


def test_every_configuration_is_recognised_and_listed(shared: Shared) -> None:
    found = {}
    for file in sorted(shared("corpus/h3c_comware").glob("*")):
        detected = registry.detect(str(file), read_source(file).text)
        found[file.name] = None if detected is None else detected.nos
    assert {n for n, nos in found.items() if nos == "comware"} == set(GOLDEN)
    assert set(found.values()) == {"comware", None}
    assert not [n for n, nos in found.items() if nos is None and n.endswith(".cfg")]


@pytest.mark.parametrize("name", GOLDEN)
def test_remarks_are_the_listed_ones(shared: Shared, name: str) -> None:
    found = [
        {"line": r.origin.at.line, "kind": r.kind.value, "shape": r.shape}
        for r in parse(shared(f"corpus/h3c_comware/{name}")).remarks
    ]
    assert found == [{k: v for k, v in entry.items() if k != "why"} for entry in GOLDEN[name]]
    assert all(entry["why"] for entry in GOLDEN[name])


def test_a_complete_file_without_pfc(shared: Shared) -> None:
    """A real running configuration: scheduling by name, three rows of dot1p-lp, a stack of two."""
    model = parse(shared("corpus/h3c_comware/netutils-comware-full-wfq-no-pfc.cfg"))
    assert (model.hostname, model.release) == ("NTC123456", "7.1.045, Release 2418P06")
    port = model.ports["Ten-GigabitEthernet1/0/1"]
    assert not port.qos.pfc.no_drop
    of = {q.id: v.scheduler for q, v in port.qos.queues.items() if isinstance(v.scheduler, Scheduler)}
    assert [s.kind for s in of.values()] == [SchedulerKind.DWRR] * 5 + [SchedulerKind.STRICT] * 3
    assert [str(of[n].guarantee) for n in range(5)] == [f"{n} kbps" for n in (500000, 500000, 2000000, 6500000, 100000)]
    assert dict(port.qos.tc_to_queue) == {n: n for n in range(8)}
    assert (model.routing.asn, len(model.ports)) == (65003, 8)


def test_the_leaf_template_maps_everything_to_itself(shared: Shared) -> None:
    model = parse(shared("corpus/h3c_comware/template_s9827_aidc_leaf_rendered_incomplete.cfg"))
    qos = model.ports["TwoHundredGigE1/0/1:1"].qos
    assert (path(qos, dscp=26).queue, path(qos, dscp=0).queue, path(qos, dscp=26).protected) == (3, 0, True)
    assert [(r.name, r.resolves) for r in model.references if "wred" in r.kind] == [
        ("400G-WRED-Template", False), ("200G-WRED-Template", False),
    ]  # fmt: skip


UNKNOWN = ("zz-frobnicator 9", ("priority-flow-control enable", "qos trust dot1p", "queue 5 ecn", "import 26 export 1"))


def with_unknown_blocks(text: str) -> list[str]:
    """The text with one unknown sub-block behind each known block and first inside it, one text per place."""
    rows = text.split("\n")
    nos = registry.load("comware")
    out = []
    for node in split(text, nos.comment, nos.opaque, nos.separator).lines():
        if not node.children:
            continue
        last = max(n.line for n in below(node))
        for at, start in ((last, ""), (node.line, " ")):
            header, lines = UNKNOWN
            block = [start + header, *(f"{start}   {line}" for line in lines)]
            out.append("\n".join(rows[:at] + block + rows[at:]))
    return out


def test_an_unknown_block_at_each_place_never_changes_the_model(base: str, read: Read) -> None:
    model = read(base)
    changed = with_unknown_blocks(base)
    assert len(changed) == 10
    for text in changed:
        assert read(text) == model
        assert [r.shape for r in read(text).remarks] == ["zz-frobnicator #"]


VOCABULARY = """
interface HundredGigE1/0/1 HundredGigE1/0/1:1 qos map-table dscp-dot1p dot1p-lp dscp-lp import export wred queue table apply
priority-flow-control enable auto no-drop dot1p headroom ingress-buffer dynamic static deadlock cos interval auto-recover
delay undo poolid buffer egress cell shared ratio wrr wfq group sp byte-count traffic classifier behavior policy if-match
dscp remark trust 5 9 99999999999999999999 -1 \u0663 {{ None # header motd % irf-port port inbound
"""
WORDS = st.sampled_from(VOCABULARY.split())


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.lists(WORDS, min_size=1, max_size=7)), max_size=25))
def test_any_mixture_of_words_is_read(read: Read, rows: list[tuple[int, list[str]]]) -> None:
    read("\n".join(" " * depth + " ".join(words) for depth, words in rows))


KNOWN = """
priority-flow-control
priority-flow-control enable
priority-flow-control no-drop dot1p 3-5
priority-flow-control dot1p 5 headroom 7
priority-flow-control dot1p 5
priority-flow-control deadlock enable
qos wrr
qos wfq byte-count
qos wrr 5 group 1 byte-count 6
qos wfq ef group sp
qos sp
qos wred
qos wred queue 5 ecn
qos wred apply
qos wred apply ROCE
qos trust dscp
qos priority 5
qos apply policy P inbound
qos gts queue 5 cir 5
flow-control
mtu 9
jumboframe enable
shutdown
speed auto
port link-mode bridge
""".strip().split("\n")
LINES = st.sampled_from([*KNOWN, *(f"undo {line}" for line in KNOWN)])


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, max_size=12))
def test_any_order_of_known_lines_is_read(read: Read, rows: list[str]) -> None:
    model = read("interface HundredGigE1/0/1\n" + "".join(f" {row}\n" for row in rows))
    assert "HundredGigE1/0/1" in model.ports


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read(read: Read, data: bytes) -> None:
    read(data.decode("latin-1"))


def leaf(ports: int) -> str:
    from tests.nos.comware.conftest import PORT

    return "#\n sysname leaf1\n" + "".join(PORT.format(n=n, to=f"host-{n}") for n in range(1, ports + 1)) + "#\nreturn\n"


def test_equal_ports_share_their_body_origins_and_own_origins(read: Read) -> None:
    ports = list(read(leaf(80)).ports.values())
    assert len(ports) == 80
    for part in ("qos", "origins", "own"):
        assert len({id(getattr(p, part)) for p in ports}) == 1, part
    place = ports[79].place(ports[79].origins["pfc.mode"])
    assert place is not None
    assert place.line == max(i for i, row in enumerate(leaf(80).split("\n"), 1) if row == " priority-flow-control enable")


def test_display_version_beside_a_configuration() -> None:
    text = """\
<NJ-6850>dis version
H3C Comware Software, Version 7.1.070, Release 6710
Copyright (c) 2004-2022 New H3C Technologies Co., Ltd. All rights reserved.
H3C S6850-56HF uptime is 0 weeks, 0 days, 0 hours, 15 minutes
Last reboot reason : Cold reboot
"""
    version = read_version(Source("x.txt", text))
    assert version is not None
    assert (version.nos, version.prompt) == ("comware", "NJ-6850")
    assert (version.release[0], version.model[0] if version.model else None) == ("7.1.070, Release 6710", "S6850-56HF")


OBJECTS = """\
#
 sysname x
#
traffic classifier C operator or
 if-match dscp 26
#
traffic behavior B
 remark dot1p 3
#
qos policy P
 classifier C behavior B
#
interface HundredGigE1/0/1
 qos trust dscp
 qos apply policy P inbound
#
"""
GOLDEN_LEAF = (HERE / "goldens" / "leaf" / "files" / "leaf1.cfg").read_text(encoding="utf-8")


@pytest.mark.parametrize("which", ["base", "rendered", "objects"])
def test_an_unknown_line_anywhere_is_reported_and_changes_nothing(base: str, read: Read, which: str) -> None:
    text = {"base": base, "rendered": GOLDEN_LEAF, "objects": OBJECTS}[which]
    before, lines = read(text), text.split("\n")
    for at in range(1, len(lines)):
        pad = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        after = read("\n".join([*lines[:at], f"{pad}qos xyzzy 7 frobnicate 6", *lines[at:]]))
        # In a class of packets it may change which packets they are: what was known of them is not any more.
        assert after == before or "traffic" in "".join(lines[max(0, at - 2) : at]), at
        assert at + 1 in {p.line for r in after.remarks for p in (r.origin.at, *r.more)}, at


def test_a_session_is_read_by_its_prompts(shared: Shared, read: Read) -> None:
    """Each line belongs to the view in its prompt; what the display command printed is no statement."""
    model = parse(shared("corpus/h3c_comware/blog-cx3-h3c-dot1p3-session-and-display.txt"))
    # The session's own slip: Comware writes gigabitethernet.
    assert list(model.ports) == ["gigbitethernet 1/0/1", "Ten-GigabitEthernet1/0/1"]
    assert model.ports["gigbitethernet 1/0/1"].qos.pfc.no_drop == {3}
    pause = model.ports["Ten-GigabitEthernet1/0/1"].qos.pfc
    assert (pause.link_pause_rx, pause.link_pause_tx) == (True, None)
    printed = read("#\n sysname H3C\n#\ninterface HundredGigE1/0/1\n qos trust dscp\n mtu 9000\n#\n")
    entered = read(
        "<H3C>system-view\n[H3C]sysname H3C\n[H3C]interface HundredGigE 1/0/1\n[H3C-HundredGigE1/0/1]qos trust dscp\n"
        "[H3C-HundredGigE1/0/1]mtu 9000\n[H3C-HundredGigE1/0/1]quit\n"
    )
    assert entered == printed
    lines = "#\n sysname H3C\n#\ninterface HundredGigE1/0/1\n qos trust dscp\n mtu 9000\n#\n"
    assert read(f"[LEAF-1]display current-configuration\n{lines}") == printed
