"""Real, tool-made and invented NX-OS files: all are read, and what is not understood in them is exactly what should not be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.case import run
from xoff.model.finding import Severity
from xoff.model.path import path
from xoff.model.qos import HeaderField, PfcMode, Scheduler, SchedulerKind
from xoff.model.quantity import Unknown
from xoff.model.switch import Form, PortKind, RemarkKind, SwitchModel
from xoff.nos import nxos, registry, yaml12
from xoff.nos.nxos.terminal import unwrapped
from xoff.nos.source import Source, read_source
from xoff.nos.splitter import below, split

Read = Callable[..., SwitchModel]
Shared = Callable[[str], Path]
HERE = Path(__file__).parent
GOLDEN: dict[str, list[dict[str, Any]]] = yaml12.load((HERE / "unclaimed.yml").read_text(encoding="utf-8"))
NOS = registry.load("nxos")
SWITCHED = "azurelocal-real-93180yc-switched-tor1a-10.4.1-80col.cfg"
CONVERGED = "azurelocal-real-93180yc-hyperconverged-tor1a.cfg"


def parse(file: Path) -> SwitchModel:
    (model,) = nxos.parse([read_source(file)], NOS)
    return model


def test_every_configuration_is_listed(shared: Shared) -> None:
    assert sorted(f.name for f in shared("corpus/nxos").glob("*.cfg")) == sorted(GOLDEN)


@pytest.mark.parametrize("name", GOLDEN)
def test_remarks_are_the_listed_ones(shared: Shared, name: str) -> None:
    found = [
        {"line": r.origin.at.line, "kind": r.kind.value, "shape": r.shape} for r in parse(shared(f"corpus/nxos/{name}")).remarks
    ]
    assert found == [{k: v for k, v in entry.items() if k != "why"} for entry in GOLDEN[name]]
    assert all(entry["why"] for entry in GOLDEN[name])


def test_bad_files_light_up(shared: Shared, tmp_path: Path) -> None:
    for file in shared("corpus/nxos").glob("BAD-*.cfg"):
        found = run(tmp_path / file.stem, {file.name: file.read_text(encoding="utf-8")}).findings
        assert [f.code for f in found if f.severity is not Severity.NOTE], file.name


def test_every_line_is_somewhere(shared: Shared) -> None:
    """Claimed, remarked, counted, a header or a comment: the numbers add up to the file."""
    reader = nxos.reading._reader("nxos")
    for file in shared("corpus/nxos").glob("*.cfg"):
        source = Source(str(file), unwrapped(read_source(file).text))
        reading = reader.read(source)
        lines: set[int] = set()
        bodies_other = 0
        stack = [reading.root]
        while stack:
            block = stack.pop()
            lines |= {block.line, *block.lines, *(n for rows in block.identity.values() for _, n, _ in rows)}
            bodies_other += block.body.other
            stack += block.children
        tree = split(source.text, NOS.comment, NOS.opaque)
        nodes = sum(1 for _ in tree.lines())
        spans = sum(s.last - s.first + 1 for s in tree.spans)
        whole_blocks = sum(
            (r.origin.at.end_line or r.origin.at.line) - r.origin.at.line + 1
            for r in reading.remarks.result()
            if r.message.startswith("block")
        )
        # Several headers of one merged block, and ignored blocks counted with their header, keep this from being equality.
        assert len(lines - {0}) + reading.other - bodies_other - spans + whole_blocks >= nodes, file.name


# --- what the collection says of its files (SOURCES.md)


def test_switched_storage(shared: Shared) -> None:
    """Ethernet1/1-20 compute without PFC lines, 1/21-40 storage by CoS 3, the peer link with PFC and without a policy."""
    model = parse(shared(f"corpus/nxos/{SWITCHED}"))
    assert (model.hostname, model.release, model.form) == ("site1-n42-r24-93180hl-7-1a", "10.4(1)", Form.RUNNING)
    storage, compute = model.ports["Ethernet1/21"].qos, model.ports["Ethernet1/1"].qos
    assert (storage.pfc.mode, storage.classify.tagged_ip) == (PfcMode.ON, HeaderField.PCP)
    assert path(storage, dscp=0, pcp=3, tagged=True).protected is True
    assert path(storage, dscp=26).protected is False  # untagged: nothing is read
    assert (compute.pfc.mode, compute.classify.tagged_ip) == (PfcMode.AUTO, HeaderField.PORT)
    assert (model.ports["port-channel101"].kind, model.ports["port-channel101"].qos.pfc.mode) == (
        PortKind.PEER_LINK,
        PfcMode.ON,
    )
    assert model.ports["port-channel101"].qos.classify.tagged_ip is HeaderField.PORT
    assert storage.watchdog.enabled is False


def test_a_line_that_the_terminal_wrapped(shared: Shared) -> None:
    model = parse(shared(f"corpus/nxos/{SWITCHED}"))
    port = model.ports["Ethernet1/21"]
    (curve,) = (c for q in port.qos.queues.values() for c in q.curves.values())
    assert (str(curve.kmin), str(curve.kmax), str(curve.pmax), curve.marks) == ("300 kbytes", "300 kbytes", "100 %", True)
    where = port.place(port.origins["queue.unicast.3.kmin"])
    assert where is not None
    assert where.line == 93
    idle = {d.name for d in model.definitions} - {r.name for r in model.references}
    assert "jumbo-queuing" in idle


def test_findings_on_the_real_switches(shared: Shared, tmp_path: Path) -> None:
    """Warnings that the collection calls sure, no error, and nothing of the ports that it calls clean but the watchdog."""
    for name, clean, silent in ((SWITCHED, "Ethernet1/21", "Ethernet1/1"), (CONVERGED, "Ethernet1/1", "Ethernet1/47")):
        found = run(tmp_path / name, {name: shared(f"corpus/nxos/{name}").read_text(encoding="utf-8")}).findings
        assert [f.message for f in found if f.severity is Severity.ERROR] == []
        (peer,) = [f for f in found if f.code == "PFC002"]
        assert "port-channel101" in peer.ports
        assert {f.code for f in found if clean in f.ports and f.severity is not Severity.NOTE} == {"WDG001"}
        assert {f.code for f in found if silent in f.ports and f.severity is not Severity.NOTE} == set()


def test_twins_are_alike(shared: Shared) -> None:
    for a in (SWITCHED, CONVERGED):
        one, other = (parse(shared(f"corpus/nxos/{n}")) for n in (a, a.replace("tor1a", "tor1b")))
        assert {n: p.qos for n, p in one.ports.items()} == {n: p.qos for n, p in other.ports.items()}


@pytest.mark.parametrize("name", ["azurelocal-real-93108-tor1a-no-qos.cfg", "azurelocal-real-9336-storage-switch-no-qos.cfg"])
def test_no_lossless_configuration_is_one_line_of_coverage(shared: Shared, tmp_path: Path, name: str) -> None:
    got = run(tmp_path, {name: shared(f"corpus/nxos/{name}").read_text(encoding="utf-8")})
    assert got.findings == ()
    assert got.result.fabrics[0].classes_note.startswith("no lossless class found")


def test_no_pause_pfc_cos_0_is_no_pause(shared: Shared) -> None:
    model = parse(shared("corpus/nxos/napalm-n9k1-checkpoint-7.0.3.I2.1-nq-no-pause.cfg"))
    assert all(not p.qos.pfc.no_drop for p in model.ports.values())
    assert model.remarks == ()
    port = model.ports["Ethernet1/1"]
    assert [q.id for q in port.qos.queues] == [3, 2, 1, 0]  # a system of four queues


def test_run_all_prints_the_defaults(shared: Shared) -> None:
    for name, port in (("1", "Ethernet1/21"), ("2", "Ethernet1/2")):
        model = parse(shared(f"corpus/nxos/batfish-nxos_interface_show_all_{name}.cfg"))
        found = model.ports[port]
        assert (found.qos.pfc.mode, found.mtu, found.qos.pfc.link_pause_rx) == (PfcMode.AUTO, 1500, False)
        assert found.qos.watchdog.enabled is False
        assert (found.description or "").startswith("Made it to the end")


def test_the_engineers_script_starves_nobody(shared: Shared) -> None:
    model = parse(shared("corpus/nxos/paregupta-roce_enable-commands.cfg"))
    qos = model.ports["Ethernet1/1/1"].qos
    assert sorted(v for v in range(64) if path(qos, dscp=v).protected) == list(range(24, 32))
    schedulers = {q.id: s for q, x in qos.queues.items() if isinstance(s := x.scheduler, Scheduler)}
    assert (schedulers[7].kind, schedulers[3].share and schedulers[3].share.plain) == (SchedulerKind.STRICT, "50")
    assert qos.watchdog.enabled is True


def test_a_cut_file_is_a_fragment(shared: Shared) -> None:
    model = parse(shared("corpus/nxos/azurelocal-submission-example-cisco-tor1.cfg"))
    assert (model.form, model.platform) == (Form.FRAGMENT, "N9K-C93180YC-FX3")
    assert [r.name for r in model.references if r.resolves is False] == []


def test_pause_buffers_bound_to_an_interface(shared: Shared) -> None:
    """The excerpt does not say which group RDMA is; so neither the headroom nor its absence is claimed."""
    model = parse(shared("corpus/nxos/n3132-input-queuing-interface-bound.cfg"))
    assert [(r.name, r.resolves) for r in model.references] == [("RDMA", None), ("INPUT_QUEUING", True)]


def test_a_network_qos_class_that_nothing_defines_leaves_pfc_unknown(shared: Shared) -> None:
    model = parse(shared("corpus/nxos/azurelocal-tool-fc-expected-full.cfg"))
    assert isinstance(model.ports["Ethernet1/1"].qos.pfc.mode, Unknown)


# --- B10: what only an intent can tell

INTENT = """version: 1
fabric: {name: pod, workload: storage}
classes:
  roce: {dscp: [26], priority: 3, lossless: true, bandwidth: 60%, ecn: auto}
  cnp: {dscp: [48], priority: 7, scheduler: strict}
  control: {priority: 6, scheduler: strict}
switches:
  LEAF-1: {role: leaf, nos: nxos, model: N9K-C9336C-FX2}
hosts: {name: "srv[1-3]", nics: 1, attach: rail}
defaults: {mtu: 9216}
links:
  - {from: LEAF-1, to: srv1, ports: {from: "Ethernet1/1"}, speed: 100G, cable: 3m, carries: [roce, cnp]}
  - {from: LEAF-1, to: srv2, ports: {from: "Ethernet1/49"}, speed: 100G, cable: 3m, carries: [roce, cnp]}
  - {from: LEAF-1, to: srv3, ports: {from: "Ethernet1/10"}, speed: 100G, cable: 3m, carries: [cnp]}
"""


def test_pfc_left_to_negotiation_on_a_compute_port_is_drift(shared: Shared, tmp_path: Path) -> None:
    text = shared("cases/files/B10-nxos.cfg").read_text(encoding="utf-8")
    found = [f for f in run(tmp_path, {"leaf1.cfg": text}, intent=INTENT).findings if "Ethernet1/10" in f.ports]
    lines = {f.location.text.strip() for f in found if f.location and f.code == "DRF001"}
    assert "priority-flow-control mode auto" in lines


# --- an unknown sub-block changes nothing; nothing crashes

UNKNOWN = ("zz-frobnicator 9", ("pause pfc-cos 5", "random-detect ecn", "mtu 1500", "bandwidth percent 7", "match dscp 1"))


def with_unknown_blocks(text: str) -> list[str]:
    """The text with one unknown sub-block behind each known block, one text per block and place."""
    rows = text.split("\n")
    out = []
    for node in split(text, NOS.comment, NOS.opaque).lines():
        if not node.children:
            continue
        last = max(n.line for n in below(node))
        row, inside = rows[node.line - 1], rows[node.children[0].line - 1]
        for start in (row[: len(row) - len(row.lstrip())], inside[: len(inside) - len(inside.lstrip())]):
            header, lines = UNKNOWN
            out.append("\n".join([*rows[:last], start + header, *(f"{start}      {line}" for line in lines), *rows[last:]]))
    return out


def test_an_unknown_block_after_each_known_one_never_changes_the_model(base: str, read: Read) -> None:
    model = read(base)
    changed = with_unknown_blocks(base)
    assert len(changed) > 20
    for text in changed:
        assert read(text).ports == model.ports
        assert [r.shape for r in read(text).remarks] == ["zz-frobnicator #"]


@pytest.mark.parametrize("name", ["azurelocal-doc-qos-policy.cfg", "n5k-ucs-system-level-net-qos.cfg"])
def test_unknown_blocks_in_real_files(shared: Shared, read: Read, name: str) -> None:
    text = read_source(shared(f"corpus/nxos/{name}")).text
    before = read(text)
    for changed in with_unknown_blocks(text):
        assert read(changed).ports == before.ports


_TEXT = """interface Ethernet1/1 eth 1/1-4 port-channel1 priority-flow-control mode on auto watch-dog-interval
service-policy type qos queuing network-qos input output class-map match-any match dscp cos 26 3 99999999999999999999 -1
policy-map class c-8q-nq3 c-out-8q-q3 class-default set qos-group pause pfc-cos no-drop buffer-size pause-threshold
resume-threshold random-detect ecn minimum-threshold kbytes system no default mtu {{ None @1 banner # ! $"""
WORDS = st.sampled_from([*_TEXT.split(), "\u0663", "\xa0", "\x85"])
ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.lists(WORDS, max_size=8)).map(lambda r: " " * (2 * r[0]) + " ".join(r[1])), max_size=30
)


@settings(max_examples=150, deadline=None)
@given(ROWS)
def test_nothing_crashes_and_no_line_is_lost(rows: list[str]) -> None:
    text = "\n".join(rows)
    (model,) = nxos.parse([Source("x.cfg", text)], NOS)
    assert model.nos == "nxos"
    assert all(1 <= r.origin.at.line <= len(rows) for r in model.remarks)
    assert nxos.parse([Source("x.cfg", text)], NOS) == [model]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(st.characters(codec="ascii", exclude_characters="\n\r"), max_size=90), max_size=12))
def test_unwrapping_keeps_line_numbers_and_text(rows: list[str]) -> None:
    text = "\n".join(rows)
    found = unwrapped(text)
    assert found.count("\n") == text.count("\n")
    assert found.replace("\n", "") == text.replace("\n", "")


def test_kinds_of_remark(read: Read, base: str) -> None:
    text = base.replace("remaining percent 60", "remaining percent {{ share }}").replace("pause pfc-cos 3", "pause pfc-cos")
    assert {r.kind for r in read(text).remarks} == {RemarkKind.RESIDUE}
