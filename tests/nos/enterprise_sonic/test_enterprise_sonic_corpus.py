"""Texts of the corpus: recognised, read, and what is not understood is exactly what should not be; hostile input; cost."""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xoff.model.path import path
from xoff.model.qos import Colour, HeaderField, PfcMode, QueueId, QueueKind, WatchdogAction
from xoff.model.quantity import Unknown
from xoff.model.switch import Form, PortKind, RemarkKind, SwitchModel
from xoff.nos import enterprise_sonic, facts, registry, sonic, yaml12
from xoff.nos.enterprise_sonic import words
from xoff.nos.linetemplate import load_template
from xoff.nos.source import Source, read_source
from xoff.nos.splitter import below, split

from .conftest import BASE

Read = Callable[..., SwitchModel]
Shared = Callable[[str], Path]
HERE = Path(__file__).parent
GOLDEN: dict[str, list[dict[str, Any]]] = yaml12.load((HERE / "unclaimed.yml").read_text(encoding="utf-8"))
CORPUS = "corpus/enterprise_sonic"
Q3, Q4 = QueueId(QueueKind.UNICAST, 3), QueueId(QueueKind.UNICAST, 4)


def parse(file: Path) -> SwitchModel:
    (model,) = enterprise_sonic.parse([read_source(file)], registry.load("enterprise_sonic"))
    return model


def test_every_text_that_is_ours_is_listed(shared: Shared) -> None:
    """Configurations are recognised by content; show outputs, payloads of an API and module pages without lines are not."""
    found = {}
    for file in sorted(shared(CORPUS).iterdir()):
        detection = registry.detect(file.name, file.read_text(encoding="utf-8"))
        found[file.name] = detection.nos if detection is not None else None
    assert sorted(n for n, nos in found.items() if nos == "enterprise_sonic") == sorted(GOLDEN)
    assert found.pop("roce-enable-default-config_db.json") == "sonic"
    assert set(found.values()) == {"enterprise_sonic", None}


def test_the_case_text_is_recognised(shared: Shared) -> None:
    file = shared("cases/files/R03-esonic.txt")
    detection = registry.detect(file.name, file.read_text(encoding="utf-8"))
    assert detection is not None
    assert detection.nos == "enterprise_sonic"
    model = parse(file)
    assert [str(p.size) for p in model.pools] == ["4194112 bytes"]
    assert model.remarks == ()


@pytest.mark.parametrize("name", GOLDEN)
def test_remarks_are_the_listed_ones(shared: Shared, name: str) -> None:
    remarks = parse(shared(f"{CORPUS}/{name}")).remarks
    found = [{"line": r.origin.at.line, "kind": r.kind.value, "shape": r.shape} for r in remarks]
    assert found == [{k: v for k, v in entry.items() if k != "why"} for entry in GOLDEN[name]]
    assert all(len(entry["why"].split()) > 5 for entry in GOLDEN[name])


@pytest.mark.parametrize("name", ["amd-guide-z9664f-roce-running-config.txt", "z9664f_roce_dcqcn_indent_stripped.cfg"])
def test_the_guides_z9664f_without_blanks(shared: Shared, name: str) -> None:
    model = parse(shared(f"{CORPUS}/{name}"))
    front = [p for p in model.ports.values() if p.kind is PortKind.FRONT]
    assert {p.name for p in front} >= {"Eth1/1", "Eth1/2"}
    port = front[0]
    assert (port.mtu, port.speed, port.admin, port.description) == (9216, 400_000, True, "Spine-Eth1/1")
    for dscp, tc in {26: 3, 24: 3, 4: 4, 48: 6, 0: 0}.items():
        assert path(port.qos, dscp=dscp).tc == tc
    roce = path(port.qos, dscp=26)
    assert (roce.queue, roce.group, roce.protected, roce.marks, roce.obeys) == (3, 3, True, True, {3})
    assert path(port.qos, dscp=0).group == 7
    for q in (Q3, Q4):
        curve = port.qos.queues[q].curves[Colour.GREEN]
        assert [str(x) for x in (curve.kmin, curve.kmax, curve.pmax)] == ["2048 KB", "12480 KB", "15 %"]
    dog = port.qos.watchdog
    assert (dog.enabled, str(dog.detect), str(dog.restore), dog.action) == (True, "200 ms", "400 ms", WatchdogAction.DROP)
    assert port.qos.classify.tagged_ip is HeaderField.DSCP
    # It prints neither `roce enable` nor a hostname: a part, so whether buffers are lossless cannot be known.
    assert (model.form, isinstance(port.qos.groups[3].lossless, Unknown)) == (Form.FRAGMENT, True)
    assert {r.resolves for r in model.references} == {True}


def test_the_reference_leaf(shared: Shared) -> None:
    model = parse(shared(f"{CORPUS}/REFERENCE-leaf.cli.txt"))
    port = model.ports["Eth1/1"]
    assert (port.cable_m, port.mtu, port.qos.pfc.no_drop) == (5, 9100, {3})
    assert path(port.qos, dscp=26).protected is True
    assert {n: g.lossless for n, g in port.qos.groups.items()} == {3: True, 4: True, 7: False}
    assert {n for n, q in port.qos.tc_to_queue.items() if isinstance(q, Unknown)} == {1, 2, 5, 7}
    assert isinstance(port.admin, Unknown)


def test_the_run_on_hardware_has_pfc_and_nothing_that_leads_to_it(shared: Shared) -> None:
    model = parse(shared(f"{CORPUS}/running-config-pfc-pg.txt"))
    port = model.ports["Ethernet272"]
    assert (port.speed, port.mtu, port.routed, port.qos.pfc.mode) == (100_000, 9100, False, PfcMode.ON)
    assert dict(port.qos.pfc.send) == {3: {3}, 4: {4}}
    assert (port.qos.watchdog.enabled, str(port.qos.watchdog.detect)) == (True, "100 ms")
    assert model.ports["Ethernet513"].qos.watchdog.enabled is False
    assert isinstance(path(port.qos, dscp=26).tc, Unknown)


def test_buffer_lines_as_the_module_documents_them(shared: Shared) -> None:
    model = parse(shared(f"{CORPUS}/ansible-doc-cli-qos_buffer.txt"))
    assert [str(p.size) for p in model.pools] == ["3500000 bytes"]
    # Its states follow one another in one text; the last word on each profile holds.
    assert {n: (p.pool, p.values.get("xoff")) for n, p in model.profiles.items()} == {
        "profile1": ("ingress_lossless_pool", None),
        "profile2": ("egress_lossy_pool", None),
        "profile3": ("egress_lossless_pool", None),
    }


# --- the module's own ranges: what its payloads hold can be said in lines and read


def _walk(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from _walk(value)
    elif isinstance(node, list):
        for value in node:
            yield from _walk(value)


def _fixture(shared: Shared, name: str) -> list[dict[str, Any]]:
    data = yaml12.load(shared(f"{CORPUS}/ansible-fixture-{name}.yaml").read_text(encoding="utf-8"))
    return [d for case in data.values() for d in _walk((case.get("module_args") or {}).get("config") or {})]


def test_values_of_the_modules_fixtures_are_all_taken(shared: Shared, read: Read) -> None:
    lines: list[str] = []
    for port in _fixture(shared, "qos_interfaces"):
        pfc = port.get("pfc") or {}
        if not pfc:
            continue
        lines += [f" cable-length {port['cable_length']}"] if "cable_length" in port else []
        lines += [f" priority-flow-control watchdog action {pfc['watchdog_action']}"] if "watchdog_action" in pfc else []
        if "watchdog_detect_time" in pfc:
            lines.append(f" priority-flow-control watchdog on detect-time {pfc['watchdog_detect_time']}")
        if "watchdog_restore_time" in pfc:
            lines.append(f" priority-flow-control watchdog restore-time {pfc['watchdog_restore_time']}")
        lines += [f" priority-flow-control priority {p['dot1p']}" for p in pfc.get("priorities") or ()]
    assert len(lines) > 8
    model = read("interface Eth1/5\n" + "\n".join(lines) + "\n")
    assert model.remarks == ()
    for number, policy in enumerate(p for p in _fixture(shared, "qos_scheduler") if "scheduler_type" in p):
        text = f"qos scheduler-policy P{number}\n queue {policy['sequence']}\n  type {policy['scheduler_type']}\n"
        text += "".join(f"  {k} {policy[k]}\n" for k in ("weight", "cir", "pir", "cbs", "pbs") if k in policy)
        assert read(text).remarks == (), text
    for profile in (p for p in _fixture(shared, "qos_buffer") if "dynamic_threshold" in p or "static_threshold" in p):
        kind = "dynamic" if "dynamic_threshold" in profile else "static"
        text = f"buffer profile {profile['name']} {profile.get('pool', 'egress_lossy_pool')} {profile.get('size', 0)} "
        text += f"{kind}-threshold {profile[f'{kind}_threshold']}"
        assert read(text + "\n").remarks == (), text


def test_every_line_of_the_modules_interface_examples_is_a_template_line(shared: Shared) -> None:
    template = load_template(registry.load("enterprise_sonic").folder / "parse" / "interface.ttp")
    rows = shared(f"{CORPUS}/ansible-doc-cli-qos_interfaces.txt").read_text(encoding="utf-8").split("\n")
    said = [r.strip() for r in rows if re.match(r" \S", r)]
    assert len(said) > 40
    assert [r for r in said if not template.knows(r)] == []


# --- config_db.json of Enterprise SONiC is SONiC's form


def test_the_config_db_of_roce_enable(shared: Shared) -> None:
    source = read_source(shared(f"{CORPUS}/roce-enable-default-config_db.json"))
    detection = registry.detect("config_db.json", source.text)
    assert detection is not None
    assert "Enterprise SONiC" in detection.why
    (model,) = sonic.parse([source], registry.load("sonic"), facts.NONE)
    assert model.remarks == ()
    assert [r.name for r in model.references if r.resolves is False] == []
    assert model.facts["roce_enable"].value == "true"


def test_both_forms_of_roce_enable_say_the_same(shared: Shared, read: Read) -> None:
    """The defaults of nos.yaml against the tables that the design document prints."""
    (tables,) = sonic.parse(
        [read_source(shared(f"{CORPUS}/roce-enable-default-config_db.json"))], registry.load("sonic"), facts.NONE
    )
    theirs = tables.ports["Ethernet0"].qos
    ours = read("hostname x\nroce enable\n!\ninterface Ethernet0\n!\n").ports["Ethernet0"].qos
    assert dict(ours.tc_to_queue) == dict(theirs.tc_to_queue)
    assert dict(ours.tc_to_group) == dict(theirs.tc_to_group)
    assert (ours.pfc.no_drop, dict(ours.pfc.obey), dict(ours.pfc.send)) == (
        theirs.pfc.no_drop,
        dict(theirs.pfc.obey),
        dict(theirs.pfc.send),
    )
    for dscp in (4, 24, 26, 48):  # the others stand in no table
        assert path(ours, dscp=dscp).tc == path(theirs, dscp=dscp).tc
    a, b = ours.queues[Q3].curves[Colour.GREEN], theirs.queues[Q3].curves[Colour.GREEN]
    assert (a.kmin, a.kmax, a.pmax, a.marks) == (b.kmin, b.kmax, b.pmax, b.marks)
    for n in (0, 3, 4, 6):
        x, y = (q.queues[QueueId(QueueKind.UNICAST, n)].scheduler for q in (ours, theirs))
        assert (x.kind, x.share) == (y.kind, y.share)  # type: ignore[union-attr]


# --- unknown blocks and lines change nothing, in printed text and in text without blanks

INSIDE = ("priority-flow-control priority 5", "green minimum-threshold 7 maximum-threshold 8 drop-probability 9", "mtu 1500",
          "traffic-class 3 queue 5", "type strict", "weight 7", "dscp 26 traffic-class 5", "shutdown")  # fmt: skip


def with_unknown_blocks(text: str) -> Iterator[str]:
    """The text with one unknown sub-block behind each known one, at the level of its header and of its lines."""
    nos = registry.load("enterprise_sonic")
    rows = text.split("\n")
    for node in split(text, nos.comment, nos.opaque).lines():
        if not node.children:
            continue
        last = max(n.line for n in below(node))
        for row in (rows[node.line - 1], rows[node.children[0].line - 1]):
            start = row[: len(row) - len(row.lstrip())]
            block = [f"{start}qos frobnicator 9", *(f"{start}  {line}" for line in INSIDE)]
            yield "\n".join(rows[:last] + block + rows[last:])


def test_an_unknown_block_after_each_known_one_never_changes_the_model(read: Read) -> None:
    model = read(BASE)
    count = 0
    for text in with_unknown_blocks(BASE):
        changed = read(text)
        assert changed == model
        assert [(r.kind, r.shape) for r in changed.remarks] == [(RemarkKind.UNCLAIMED, "qos frobnicator #")]
        count += 1
    assert count > 20


def test_without_blanks_an_unknown_block_lends_no_line_to_a_known_one(read: Read) -> None:
    """Its header closes what is open; what it holds is reported, and so is what the block around it said after it."""
    flat = [row.strip() for row in BASE.split("\n")]
    model = read("\n".join(flat))
    assert model == read(BASE)
    for at in range(len(flat)):
        if not flat[at].startswith(("interface Eth1/1", "queue 3", "qos wred", "qos map")):
            continue
        changed = read("\n".join([*flat[: at + 1], "qos frobnicator 9", *INSIDE[:6], *flat[at + 1 :]]))
        port = changed.ports["Eth1/1"]
        assert 5 not in port.qos.pfc.no_drop
        assert path(port.qos, dscp=26).tc != 5
        assert path(port.qos, dscp=26).queue != 5
        lines = {r.origin.at.line for r in changed.remarks} | {m.line for r in changed.remarks for m in r.more}
        assert at + 2 in lines


# --- hostile input and cost

WORDS = st.sampled_from(
    ["interface", "Eth1/1", "Ethernet0", "range", "Eth1/1-1/99999", "qos", "map", "dscp-tc", "tc-pg", "dscp", "traffic-class",
     "priority-group", "queue", "wred-policy", "scheduler-policy", "qos-map", "ROCE", "priority-flow-control", "priority",
     "watchdog", "on", "off", "detect-time", "no", "default", "3", "3,4", "0-63", "99999999999999999999", "-1", "\u0663",
     "buffer", "init", "lossless", "pool", "profile", "ingress_lossless_pool", "dynamic-threshold", "pause", "roce", "enable",
     "green", "minimum-threshold", "maximum-threshold", "ecn", "all", "type", "weight", "cable-length", "5m", "{{", "None",
     "@1", "\xa0", "\x85", "banner", "leaf1#", "!"]
)  # fmt: skip
few = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@few
@given(st.lists(st.tuples(st.integers(0, 6), st.lists(WORDS, min_size=1, max_size=6)), max_size=25))
def test_any_mixture_of_words_is_read(read: Read, rows: list[tuple[int, list[str]]]) -> None:
    read("\n".join(" " * depth + " ".join(words) for depth, words in rows))
    read("\n".join(" ".join(words) for _, words in rows))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read(read: Read, data: bytes) -> None:
    read(data.decode("latin-1"))


@few
@given(st.integers(0, 63), st.integers(0, 7), st.integers(0, 7), st.integers(0, 7))
def test_any_map_leads_where_it_says(read: Read, dscp: int, tc: int, queue: int, group: int) -> None:
    text = f"qos map dscp-tc A\n dscp {dscp} traffic-class {tc}\n!\nqos map tc-queue A\n traffic-class {tc} queue {queue}\n!\n"
    text += f"qos map tc-pg A\n traffic-class {tc} priority-group {group}\n!\n"
    text += "interface Eth1/1\n qos-map dscp-tc A\n qos-map tc-queue A\n qos-map tc-pg A\n"
    found = path(read(text).ports["Eth1/1"].qos, dscp=dscp)
    assert (found.tc, found.queue, found.group) == (tc, queue, group)


@few
@given(st.integers(-99, 99))
def test_alphas(n: int) -> None:
    found = words.exponent(str(n))
    assert (found is not None) == (-6 <= n <= 3)
    if found is not None:
        assert float(found.alpha.amount) == 2.0**n


def test_a_few_lines_cannot_mean_millions_of_ports(read: Read) -> None:
    model = read("".join(f"interface range Eth {n}/1-{n}/4000\n" for n in range(1, 200)))
    assert len(model.ports) < 20_000


@pytest.mark.parametrize(
    "line",
    ["qos map dscp-tc " + "A " * 20_000, "buffer profile " + "x " * 20_000, "no priority-flow-control " + "1,2 " * 9000,
     "x#" * 30_000],
    ids=lambda v: v[:16],
)  # fmt: skip
def test_long_lines_do_not_hang(read: Read, line: str) -> None:
    start = time.process_time()
    read(line + "\n")
    assert time.process_time() - start < 2


def leaf(ports: int) -> str:
    head, _, rest = BASE.partition("interface Eth1/1\n")
    body = rest.partition("interface Eth1/49")[0]
    return head + "".join(f"interface Eth1/{n}\n" + body.replace("server-1", f"host-{n}") for n in range(1, ports + 1))


def test_equal_ports_share_all_and_objects_do_not_grow(read: Read) -> None:
    def objects(ports: int) -> int:
        gc.collect()
        before = len(gc.get_objects())
        kept = read(leaf(ports))
        gc.collect()
        count = len(gc.get_objects()) - before
        assert len(kept.ports) == ports + 1
        return count

    model = read(leaf(80))
    ports = [p for p in model.ports.values() if p.kind is PortKind.FRONT]
    for part in ("qos", "origins", "own"):
        assert len({id(getattr(p, part)) for p in ports}) == 1, part
    read(leaf(8))
    assert (objects(88) - objects(8)) / 80 < 12


def test_source_is_kept_by_name(read: Read) -> None:
    (model,) = enterprise_sonic.parse([Source("x/y.cfg", BASE)], registry.load("enterprise_sonic"))
    assert model.files == ("x/y.cfg",)
