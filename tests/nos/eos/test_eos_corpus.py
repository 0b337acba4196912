"""Real, tool-made and invented EOS files: all are read, and what is not understood in them is exactly what should not be."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xoff.model.path import path
from xoff.model.qos import HeaderField, PfcMode, SchedulerKind
from xoff.model.switch import PortKind, RemarkKind, SwitchModel
from xoff.nos import eos, registry, yaml12
from xoff.nos.eos import reading as reading_of_eos
from xoff.nos.source import read_source
from xoff.nos.splitter import below, split

Read = Callable[..., SwitchModel]
Shared = Callable[[str], Path]
HERE = Path(__file__).parent
GOLDEN: dict[str, list[dict[str, Any]]] = yaml12.load((HERE / "unclaimed.yml").read_text(encoding="utf-8"))


def parse(file: Path) -> SwitchModel:
    (model,) = eos.parse([read_source(file)], registry.load("eos"))
    return model


def test_every_configuration_is_listed(shared: Shared) -> None:
    assert sorted(f.name for f in shared("corpus/eos").glob("*.cfg")) == sorted(GOLDEN)


@pytest.mark.parametrize("name", GOLDEN)
def test_remarks_are_the_listed_ones(shared: Shared, name: str) -> None:
    found = [
        {"line": r.origin.at.line, "kind": r.kind.value, "shape": r.shape} for r in parse(shared(f"corpus/eos/{name}")).remarks
    ]
    assert found == [{k: v for k, v in entry.items() if k != "why"} for entry in GOLDEN[name]]
    assert all(entry["why"] for entry in GOLDEN[name])


def test_bad_files_light_up_and_run_all_files_stay_quiet(shared: Shared) -> None:
    for file in shared("corpus/eos").glob("*.cfg"):
        unclaimed = [r for r in parse(file).remarks if r.kind is RemarkKind.UNCLAIMED]
        if file.name.startswith("BAD-"):
            assert unclaimed, file.name
        if file.name.startswith("show-run-all"):
            assert len(unclaimed) <= 8, file.name


def test_every_line_is_somewhere(shared: Shared) -> None:
    """Claimed, remarked, counted, a header or a comment: the numbers add up to the file."""
    reader = reading_of_eos._reader("eos")
    for file in shared("corpus/eos").glob("*.cfg"):
        source = read_source(file)
        reading = reader.read(source)
        lines: set[int] = set()
        stack = [reading.root]
        while stack:
            block = stack.pop()
            lines |= {block.line, *block.lines, *(n for rows in block.identity.values() for _, n, _ in rows)}
            stack += block.children
        tree = split(source.text, registry.load("eos").comment, registry.load("eos").opaque)
        nodes = sum(1 for _ in tree.lines())
        spans = sum(s.last - s.first + 1 for s in tree.spans)
        whole_blocks = sum(
            (r.origin.at.end_line or r.origin.at.line) - r.origin.at.line + 1
            for r in reading.remarks.result()
            if r.message.startswith("block")
        )
        bodies_other = sum(b.body.other for b in walk(reading.root))
        outside = reading.other - bodies_other - spans
        # Several headers of one merged block, and ignored blocks counted with their header, keep this from being equality.
        assert len(lines - {0}) + outside + whole_blocks >= nodes, file.name


def walk(block: Any) -> Any:
    yield block
    for child in block.children:
        yield from walk(child)


def test_show_run_all_gives_the_defaults_it_prints(shared: Shared) -> None:
    model = parse(shared("corpus/eos/show-run-all-7260cx-64-eos4.19.1F.cfg"))
    assert (model.hostname, model.platform, model.release) == ("arista_interface_show_run_all", "DCS-7260CX-64", "4.19.1F")
    routed, switched = model.ports["Ethernet1/1"], model.ports["Ethernet1/2"]
    assert (routed.routed, routed.qos.classify.tagged_ip, routed.mtu) == (True, HeaderField.DSCP, 9212)
    assert (switched.routed, switched.qos.classify.tagged_ip) == (False, HeaderField.PCP)
    assert (routed.qos.pfc.mode, routed.qos.pfc.no_drop) == (PfcMode.OFF, frozenset())
    kinds = [q.scheduler.kind for q in routed.qos.queues.values()]  # type: ignore[union-attr]
    assert kinds == [SchedulerKind.DWRR] * 3 + [SchedulerKind.STRICT, SchedulerKind.DWRR] + [SchedulerKind.STRICT] * 3
    assert all(not q.curves for q in routed.qos.queues.values())
    assert (routed.description, routed.addresses) == ("Made it to the end of Ethernet1/1", ("192.0.2.1/24", "2001:db8::/32"))


def test_storage_ports_without_trust_put_untagged_roce_into_class_1(shared: Shared) -> None:
    model = parse(shared("corpus/eos/7050-azurelocal-storage-ports-show-run.cfg"))
    qos = model.ports["Ethernet9/1"].qos
    assert (path(qos, dscp=26).tc, path(qos, dscp=26, pcp=3, tagged=True).tc) == (1, 3)
    assert path(qos, dscp=26, pcp=3, tagged=True).protected is True


def test_rewrite_lines_are_not_taken_for_classification(shared: Shared) -> None:
    model = parse(shared("corpus/eos/7388_dcqcn.cfg"))
    qos = model.ports["Ethernet2/5/1"].qos
    assert (path(qos, dscp=48).tc, path(qos, dscp=26).tc, dict(qos.rewrite_dscp)) == (6, 3, {})
    assert (model.ports["Ethernet2/5/1"].kind, model.ports["Ethernet2/5/1"].speed) == (PortKind.BREAKOUT, 200_000)


def test_unused_mmu_profile_and_the_applied_one(shared: Shared) -> None:
    model = parse(shared("corpus/eos/avd-molecule-platform-mmu.cfg"))
    assert {d.name: d.applied for d in model.definitions} == {"mc_example_profile": True, "unused_profile": False}


# --- an unknown sub-block changes nothing

UNKNOWN = (
    "zz-frobnicator 9",
    ("priority-flow-control priority 5 no-drop", "random-detect ecn count", "mtu 1500", "bandwidth percent 7"),
)


def with_unknown_blocks(text: str) -> list[str]:
    """The text with one unknown sub-block behind each known block, one text per block."""
    rows = text.split("\n")
    tree = split(text, registry.load("eos").comment, registry.load("eos").opaque)
    out = []
    for node in tree.lines():
        if not node.children:
            continue
        last = max(n.line for n in below(node))
        row = rows[node.line - 1]
        inside = rows[node.children[0].line - 1]
        for start in (row[: len(row) - len(row.lstrip())], inside[: len(inside) - len(inside.lstrip())]):
            header, lines = UNKNOWN
            block = [start + header, *(f"{start}      {line}" for line in lines)]
            out.append("\n".join(rows[:last] + block + rows[last:]))
    return out


def test_an_unknown_block_after_each_known_one_never_changes_the_model(base: str, read: Read) -> None:
    model = read(base)
    changed = with_unknown_blocks(base)
    assert len(changed) == 8
    for text in changed:
        assert read(text) == model
        assert [r.shape for r in read(text).remarks] == ["zz-frobnicator #"]


@pytest.mark.parametrize("name", ["avd-molecule-qos.cfg", "avd6.4-rendered-trident-headroom.cfg", "7388_dcqcn.cfg"])
def test_unknown_blocks_in_real_files(shared: Shared, read: Read, name: str) -> None:
    text = read_source(shared(f"corpus/eos/{name}")).text
    model = read(text)
    for changed in with_unknown_blocks(text):
        assert read(changed) == model


# --- hostile input and speed

WORDS = st.sampled_from(
    ["interface", "Ethernet1", "Ethernet1-9999999", "qos", "profile", "map", "dscp", "to", "traffic-class", "tx-queue",
     "uc-tx-queue",
     "priority-flow-control", "priority", "no-drop", "no", "default", "3", "99999999999999999999", "-1", "\u0663", "platform",
     "trident", "mmu", "queue", "apply", "random-detect", "ecn", "minimum-threshold", "kbytes", "{{", "None", "service-profile",
     "policy-map", "type", "quality-of-service", "class", "set", "@1", "\xa0", "\x85", "banner", "EOF", "leaf1#"]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.lists(WORDS, min_size=1, max_size=6)), max_size=25))
def test_any_mixture_of_words_is_read(read: Read, rows: list[tuple[int, list[str]]]) -> None:
    read("\n".join(" " * depth + " ".join(words) for depth, words in rows))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read(read: Read, data: bytes) -> None:
    read(data.decode("latin-1"))


def test_a_few_lines_cannot_mean_millions_of_ports(read: Read) -> None:
    model = read("".join(f"interface Ethernet{n}/1-4000\n" for n in range(1, 200)))
    assert len(model.ports) < 20_000


@pytest.mark.parametrize(
    "line",
    ["qos map dscp " + "1 " * 20_000, "no qos map dscp " + "1 " * 20_000 + "x", "qos map dscp " + "to traffic-class " * 9000,
     "x#" * 30_000],
    ids=lambda v: v[:16],
)  # fmt: skip
def test_long_lines_do_not_hang(read: Read, line: str) -> None:
    import time

    start = time.process_time()
    read(line)
    assert time.process_time() - start < 2


def leaf(ports: int) -> str:
    out = [
        "hostname leaf1",
        "qos map dscp 24 26 to traffic-class 3",
        "priority-flow-control pause watchdog default timeout 0.2",
    ]
    for n in range(1, ports + 1):
        mode = ["no switchport", f"ip address 10.0.{n}.0/31"] if n % 2 else ["switchport", f"speed {100}g"]
        out += [f"interface Ethernet{n}/1", f"   description to host-{n}", "   mtu 9214", *(f"   {m}" for m in mode)]
        out += ["   qos trust dscp", "   priority-flow-control on", "   priority-flow-control priority 3 no-drop", "   !"]
        out += [
            "   uc-tx-queue 1",
            "      no priority",
            "      bandwidth percent 10",
            "   !",
            "   uc-tx-queue 3",
            "      no priority",
        ]
        out += [
            "      random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes max-mark-probability 100",
            "!",
        ]
    return "\n".join(out) + "\n"


def test_equal_ports_share_their_body_origins_and_own_origins(read: Read) -> None:
    model = read(leaf(80))
    ports = list(model.ports.values())
    assert len(ports) == 80
    for part in ("qos", "origins", "own"):
        assert len({id(getattr(p, part)) for p in ports}) == 2, part
    place = ports[79].place(ports[79].origins["pfc.mode"])
    assert place is not None
    assert place.line == max(i for i, row in enumerate(leaf(80).split("\n"), 1) if row == "   priority-flow-control on")


def test_objects_do_not_grow_with_the_lines_of_equal_ports(read: Read) -> None:
    def objects(ports: int) -> int:
        gc.collect()
        before = len(gc.get_objects())
        kept = read(leaf(ports))
        gc.collect()
        count = len(gc.get_objects()) - before
        assert len(kept.ports) == ports
        return count

    read(leaf(8))  # compile and fill caches
    # A port costs itself, its place, its line table and a few small containers: far fewer than its 16 lines.
    assert (objects(88) - objects(8)) / 80 < 12
