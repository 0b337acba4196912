"""Real, documented and invented VRP files: all are read, and what is not understood in them is what should not be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xoff.model.switch import RemarkKind, SwitchModel
from xoff.nos import registry, shows, vrp, yaml12
from xoff.nos.source import Source, read_source
from xoff.nos.splitter import below, split

Read = Callable[..., SwitchModel]
Shared = Callable[[str], Path]
FOLDER = "corpus/huawei_vrp"
GOLDEN: dict[str, list[dict[str, Any]]] = yaml12.load((Path(__file__).parent / "unclaimed.yml").read_text(encoding="utf-8"))


def parse(file: Path) -> SwitchModel:
    (model,) = vrp.parse([read_source(file)], registry.load("vrp"))
    return model


def test_every_configuration_is_listed_and_recognised(shared: Shared) -> None:
    found = set()
    for file in shared(FOLDER).iterdir():
        detection = registry.detect(file.name, read_source(file).text)
        if detection is not None:
            assert detection.nos == "vrp", file.name
            found.add(file.name)
    assert {f.name for f in shared(FOLDER).glob("*.cfg")} <= found
    assert found == set(GOLDEN)


@pytest.mark.parametrize("name", GOLDEN)
def test_remarks_are_the_listed_ones(shared: Shared, name: str) -> None:
    found = [
        {"line": r.origin.at.line, "kind": r.kind.value, "shape": r.shape} for r in parse(shared(f"{FOLDER}/{name}")).remarks
    ]
    assert found == [{k: v for k, v in entry.items() if k != "why"} for entry in GOLDEN[name]]
    assert all(entry["why"] for entry in GOLDEN[name])


def test_outputs_of_display_commands_are_read_without_a_crash(shared: Shared) -> None:
    for file in shared(FOLDER).glob("*.txt"):
        parse(file)


def test_leaf2_of_the_vendor_lacks_what_leaf1_has(shared: Shared) -> None:
    one, two = (
        parse(shared(f"{FOLDER}/cfg_pfc_deadlock_prevention_{n}.cfg")) for n in ("leaf1", "leaf2_missing_headroom_pool")
    )
    for model in (one, two):
        assert (model.asic, model.ports["100GE1/0/1"].qos.pfc.no_drop) == ("huaweia", frozenset({3, 4}))
    assert one.pools
    assert not two.pools
    assert two.ports["100GE1/0/1"].qos.groups[3].headroom is None


def test_display_version() -> None:
    text = (
        "<leaf1>display version\nHuawei Versatile Routing Platform Software\n"
        "VRP (R) software, Version 8.220 (CE6857EI V200R022C00SPC500)\n"
        "Copyright (C) 2012-2022 Huawei Technologies Co., Ltd.\n"
        "HUAWEI CE6857-48S6CQ-EI uptime is 248 days, 3 hours, 14 minutes\n"
    )
    found = shows.read_version(Source("leaf1-version.txt", text))
    assert found is not None
    assert (found.nos, found.model, found.release) == ("vrp", ("CE6857-48S6CQ-EI", 5), ("V200R022C00SPC500", 3))


# --- what nobody knows changes nothing

LINE = "qos xyzzy 7 frobnicate 6"
BLOCK = ("dcb xyzzy 6", "priority 5", "dcb pfc enable", "qos queue 5 ecn", "trust 8021p outer")
#: Blocks that the base does not have.
MORE = """\
sysname leaf
#
dcb pfc
 priority 3
#
dcb pfc server
 priority 4
 priority 4 turn-off threshold 5
#
dcb ets-profile e
 priority-group 0 queue 0 to 2 4 to 5
 priority-group 1 drr weight 60
#
dcb app-profile a
 application udp port 4791 priority 3
#
dcb pfc uplink group u
 adjust original-dscp 24 to priority 4 dscp 32
 group-member interface 100GE1/0/1
#
drop-profile p
 color green low-limit 80 high-limit 100 discard-percentage 10
#
diffserv domain d
 8021p-inbound 5 phb af3 yellow
 ip-dscp-inbound 24 phb af4 green
#
interface 100GE1/0/1
 trust upstream d
 dcb ets enable e
 dcb pfc enable server mode manual
 qos queue 4 wred p
#
ai-service
 #
 ai-ecn
  ai-ecn enable
  assign queue 4
#
port-group g
 group-member 100GE1/0/1
#
return
"""


def places(text: str) -> Iterator[tuple[int, int]]:
    """(line index to insert before, indentation): behind every line and block at its own level, and first inside each block."""
    nos = registry.load("vrp")
    for node in split(text, nos.comment, nos.opaque, nos.separator).lines():
        rows = text.split("\n")
        indent = len(rows[node.line - 1]) - len(rows[node.line - 1].lstrip())
        yield max((n.line for n in below(node)), default=node.line), indent
        if node.children:
            inside = rows[node.children[0].line - 1]
            yield node.line, len(inside) - len(inside.lstrip())


@pytest.mark.parametrize("which", ["base", "more"])
def test_an_unknown_line_or_block_anywhere(which: str, base: str, read: Read) -> None:
    text = base if which == "base" else MORE
    before = read(text)
    lines = text.split("\n")
    met = sorted(set(places(text)))
    assert len(met) > 20
    for at, indent in met:
        pad = " " * indent
        line = "\n".join([*lines[:at], pad + LINE, *lines[at:]])
        block = "\n".join([*lines[:at], pad + BLOCK[0], *(f"{pad} {x}" for x in BLOCK[1:]), *lines[at:]])
        for changed in (line, block):
            after = read(changed)
            assert after == before, f"before line {at + 1}, indented by {indent}"
            told = [r for r in after.remarks if r.kind is RemarkKind.UNCLAIMED]
            assert at + 1 in {p.line for r in told for p in (r.origin.at, *r.more)}, f"line {at + 1} is reported nowhere"


def test_blocks_met_are_all_that_claim_their_lines(base: str) -> None:
    nos = registry.load("vrp")
    heads = {" ".join(n.text.split()[:2]) for t in (base, MORE) for n in split(t, nos.comment, (), nos.separator).lines()}
    for spec in nos.blocks:
        if spec.qos == "all":
            words = [w for w in spec.path[-1].split() if w != "*"][:2]
            assert any(h.startswith(" ".join(words)) for h in heads), spec.path


# --- hostile input

WORDS = st.sampled_from(
    ["interface", "100GE1/0/1", "100ge", "1/0/1", "Eth-Trunk1", "dcb", "pfc", "enable", "mode", "manual", "buffer", "hdrm",
     "xoff", "static", "dynamic", "xon", "offset", "cells", "kbytes", "priority", "3", "99999999999999999999", "-1", "\u0663",
     "to", "undo", "qos", "queue", "ecn", "wred", "drop-profile", "diffserv", "domain", "ip-dscp-inbound", "phb", "af3",
     "trust", "dscp", "upstream", "none", "#", "//", "[~X]", "<X>", "quit", "return", "{{", "None", "ai-service", "ai-ecn",
     "ets-profile", "default", "@1", "\xa0", "\x85", "deadlock-detect", "time", "interval", "device", "board"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.lists(WORDS, min_size=1, max_size=8)), max_size=25))
def test_any_mixture_of_words_is_read(read: Read, rows: list[tuple[int, list[str]]]) -> None:
    read("\n".join(" " * depth + " ".join(words) for depth, words in rows))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_lines_of_the_base_are_read(base: str, read: Read, data: st.DataObject) -> None:
    rows = base.split("\n")
    kept = data.draw(st.lists(st.sampled_from(rows), max_size=len(rows)))
    read("\n".join(kept))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read(read: Read, data: bytes) -> None:
    read(data.decode("latin-1"))


@pytest.mark.parametrize(
    "line", [" priority " + "1 " * 20_000, "qos drr " + "0 to 7 " * 9000, "[" * 30_000, "x //" * 20_000, "<" * 30_000],
    ids=lambda v: v[:12],
)  # fmt: skip
def test_long_lines_do_not_hang(read: Read, line: str) -> None:
    import time

    start = time.process_time()
    read(f"dcb pfc\n{line}\ninterface 100GE1/0/1\n{line}\n")
    assert time.process_time() - start < 2


def test_equal_ports_share_their_body(base: str, read: Read) -> None:
    head, _, rest = base.partition("interface 25GE1/0/1\n")
    body = rest.partition("#\n")[0]
    text = head + "".join(f"interface 25GE1/0/{n}\n{body.replace('server-1', f'server-{n}')}#\n" for n in range(1, 49))
    ports = list(read(text).ports.values())
    assert len(ports) == 48
    for part in ("qos", "origins", "own"):
        assert len({id(getattr(p, part)) for p in ports}) == 1, part
