"""Real files: every one parses, is recognised in its form, and reports exactly what is listed with its reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from xoff.model.fields import ALL_FIELDS, same
from xoff.model.path import path
from xoff.model.qos import PfcMode
from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import Form, SwitchModel
from xoff.nos import registry

Shared = Callable[[str], Path]
Parse = Callable[..., list[SwitchModel]]
LISTED = yaml.safe_load((Path(__file__).parent / "unclaimed.yml").read_text(encoding="utf-8"))
GOLDEN = {
    "REFERENCE-leaf-config_db.intent.json",
    "multiasic-asic0-misspelled-scheduler-ref.json",
    "str-s6000-acs-14-t0-config_db-with-pfcwd.json",
    "voq-linecard1-vlab-t2-01-bare-refs.json",
    "voq-supervisor-vlab-t2-sup.json",
}
RUNNING = {
    "REFERENCE-leaf-config_db.running.json",
    "buffers-msn3800-nondefault-pool-xoff.json",
    "buffers-msn4700-nondefault-lossless-pg.json",
    "buffers-msn4700-nondefault-lossy-pg.json",
    "buffers-reclaim-dynamic-single-expected.json",
    "buffers-reclaim-traditional-double-input.json",
    "buffers-sn2700-c28d8-single-pool-xoff.json",
    "buffers-sn3800-d112c8-t1-3_0_0.json",
    "config_db-mock-flat.json",
    "config_db-sn2700-d48c8-t0-bracket-v1_0_6.json",
    "config_db-yang-sample-subset.json",
    "migrator-after-bare-3_0_3.json",
    "migrator-before-bracket-3_0_1.json",
}
#: qos and buffers of one platform, as its templates render them.
PAIRS = [
    ("qos-arista7260-t1-tunnel-remap.json", "buffers-arista7260-t1-tunnel-remap.json"),
    ("qos-dell-s6100-th.json", "buffers-dell-s6100-th.json"),
    ("qos-arista7800r3a-voq-lc.json", "buffers-arista7800r3a-voq-lc.json"),
    ("qos-arista7060x6-th5.json", "buffers-arista7060x6-th5-lt2.json"),
    ("qos-no-ports-only-global.json", "buffers-no-config.json"),
]


@pytest.fixture(scope="module")
def corpus(shared: Shared, parse: Parse) -> Callable[..., list[SwitchModel]]:
    def run(*names: str) -> list[SwitchModel]:
        folder = shared("corpus/sonic")
        return parse(*((folder / n).read_text(encoding="utf-8") for n in names), paths=names)

    return run


def files(shared: Shared) -> list[Path]:
    return sorted(shared("corpus/sonic").glob("*.json"))


def test_every_file_is_recognised_by_its_content(shared: Shared) -> None:
    for file in files(shared):
        found = registry.detect("unnamed", file.read_text(encoding="utf-8"))
        assert found is not None, file.name
        assert found.nos == "sonic", file.name


def test_every_file_parses_in_its_form(shared: Shared, corpus: Parse) -> None:
    for file in files(shared):
        (m,) = corpus(file.name)
        wanted = Form.GOLDEN if file.name in GOLDEN else Form.RUNNING if file.name in RUNNING else Form.FRAGMENT
        assert m.form is wanted, file.name
        assert m.ports, file.name
        assert m.origins["form"], file.name
        assert len({id(p.qos) for p in m.ports.values()}) <= 11, file.name


def test_each_file_reports_what_is_listed_and_nothing_else(shared: Shared, corpus: Parse) -> None:
    for file in files(shared):
        (m,) = corpus(file.name)
        listed = LISTED.get(file.name, {})
        assert [[r.kind.value, r.shape] for r in m.remarks] == listed.get("remarks", []), file.name
        bad = [[r.kind, r.name, r.problem and r.problem.value] for r in m.references if r.resolves is False]
        assert sorted(bad, key=str) == listed.get("references", []), file.name
    assert all(entry["why"] for entry in LISTED.values())


def test_every_place_of_every_file_is_a_line_that_says_it(shared: Shared, corpus: Parse) -> None:
    """Each origin's line holds its own text; this is the whole corpus, every port, every field."""
    for file in files(shared):
        lines = file.read_text(encoding="utf-8").split("\n")
        (m,) = corpus(file.name)
        seen: set[tuple[int, int]] = set()
        for port in m.ports.values():
            for origin in port.origins.values():
                text = getattr(origin, "text", None)
                if text is None:
                    continue
                at = port.place(origin)
                assert at is not None
                mark = (id(port.origins), at.line)
                if mark in seen:
                    continue
                seen.add(mark)
                if ": " not in text:  # a row as a whole: a map, or a queue of a port
                    assert lines[at.line - 1].partition(": ")[0].strip().strip('"').endswith(text.strip('"').lstrip("*"))
                    continue
                key, _, value = text.replace('"', "").partition(": ")
                line = lines[at.line - 1]
                assert key in line or key == "*", (file.name, at.line, text)
                assert value in line or "*" in value, (file.name, at.line, text)


def test_migration_changes_the_spelling_and_not_the_meaning(corpus: Parse) -> None:
    (before,), (after,) = corpus("migrator-before-bracket-3_0_1.json"), corpus("migrator-after-bare-3_0_3.json")
    assert same(before, after, sorted(ALL_FIELDS)) == []
    assert before.profiles == after.profiles
    assert [(r.kind, r.name, r.resolves) for r in before.references] == [(r.kind, r.name, r.resolves) for r in after.references]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p[0])
def test_shipped_pairs_make_one_device(corpus: Parse, pair: tuple[str, str]) -> None:
    (m,) = corpus(*pair)
    assert m.files == pair
    assert m.remarks == ()
    assert all(r.resolves is not False for r in m.references)
    assert m == corpus(*reversed(pair))[0] or m.hostname != corpus(*reversed(pair))[0].hostname
    for port in m.ports.values():
        if port.qos.pfc.mode is not PfcMode.ON or port.cable_m == 0:
            continue
        for p in port.qos.pfc.no_drop:
            group = port.qos.groups[p]
            # The buffer manager binds it at run time; nothing here says how large it gets.
            assert group.lossless is True or isinstance(port.cable_m, Unknown)
            assert group.lossless is not False
            assert isinstance(group.headroom, Unknown)
        assert isinstance(port.qos.watchdog.enabled, Unknown)


def test_parts_alone_are_unknown_where_the_other_part_speaks(corpus: Parse) -> None:
    (qos,) = corpus("qos-dell-s6100-th.json")
    (buffers,) = corpus("buffers-dell-s6100-th.json")
    group = qos.ports["Ethernet0"].qos.groups[3]
    assert isinstance(group.lossless, Unknown)
    assert group.lossless.fact is Fact.CONFIG
    body = buffers.ports["Ethernet0"].qos
    assert isinstance(body.pfc.mode, Unknown)
    assert isinstance(path(body, dscp=3).tc, Unknown)


def test_a_configlet_is_never_dangling(corpus: Parse) -> None:
    (m,) = corpus("configlet-list-form-add-port-bracket.json")
    assert {r.resolves for r in m.references} == {None}
    port = m.ports["Ethernet63"]
    assert (port.admin, port.cable_m, port.bundle) == (True, 300, "PortChannel0024")  # the list's last word on it
    assert port.qos.pfc.no_drop == frozenset({3, 4})


def test_multi_asic_namespace(corpus: Parse, parse: Parse, shared: Shared) -> None:
    (m,) = corpus("multiasic-asic0-misspelled-scheduler-ref.json")
    assert m.hostname == "sonic-asic0"
    assert {p.kind.value for n, p in m.ports.items() if n.startswith("Ethernet-BP")} == {"backplane"}
    assert m.facts["pfcwd_big_red_switch"].value == "enable"
    text = (shared("corpus/sonic") / "multiasic-asic0-misspelled-scheduler-ref.json").read_text(encoding="utf-8")
    host = {"DEVICE_METADATA": {"localhost": {"hostname": "chassis", "hwsku": "multi_asic"}}}
    both = parse(
        host, text.replace('"hostname": "sonic"', '"hostname": "chassis"'), paths=("config_db.json", "config_db0.json")
    )
    assert [b.hostname for b in both] == ["chassis-asic0"]


def test_voq_rows_of_other_line_cards_are_system_ports(corpus: Parse) -> None:
    (m,) = corpus("qos-arista7800r3a-voq-lc.json", "buffers-arista7800r3a-voq-lc.json")
    own = [p for p in m.ports.values() if "|" not in p.name]
    remote = [p for p in m.ports.values() if "|" in p.name]
    assert len(own) == 18
    assert all(p.qos.pfc.mode is PfcMode.ON for p in own)
    assert remote
    assert not any(p.carrying_kind for p in remote)
    marks = path(own[0].qos, dscp=3).marks
    assert marks is True


def test_stock_azure_map_puts_26_in_a_lossy_class(corpus: Parse) -> None:
    """BI files/build_templates/qos_config.j2: 3 -> 3, 4 -> 4, 46 -> 5, 48 -> 6, others 1 (8 -> 0, 5 -> 2)."""
    (m,) = corpus("qos-dell-s6100-th.json")
    qos = m.ports["Ethernet0"].qos
    assert {d: path(qos, dscp=d).tc for d in (3, 4, 5, 8, 26, 46, 48)} == {3: 3, 4: 4, 5: 2, 8: 0, 26: 1, 46: 5, 48: 6}
    assert path(qos, dscp=26).protected is False
    assert path(qos, dscp=3).protected is True


def test_real_testbed_watchdog_and_neighbours(corpus: Parse) -> None:
    (m,) = corpus("str-s6000-acs-14-t0-config_db-with-pfcwd.json")
    w = m.ports["Ethernet4"].qos.watchdog
    assert (w.enabled, w.priorities, str(w.detect), w.by_device) == (True, frozenset({3, 4}), "200 ms", False)
    assert m.ports["Ethernet0"].qos.watchdog.enabled is False
    assert m.ports["Ethernet0"].admin is False  # admin_status is not said
    assert m.ports["Ethernet4"].peer == ("Servers0", "eth0")
    assert m.ports["Ethernet4"].qos.groups[3].headroom_by_device
    assert m.platform == "Force10-S6000"


def test_other_forms_of_the_file_family(shared: Shared, parse: Parse) -> None:
    """Enterprise SONiC keeps the same tables; what is foreign in them is reported, not fatal."""
    file = shared("corpus/enterprise_sonic/roce-enable-default-config_db.json")
    (m,) = parse(file.read_text(encoding="utf-8"), paths=(file.name,))
    assert m.ports


def test_a_128_port_file_is_read_in_one_pass_per_port(corpus: Parse) -> None:
    """Objects do not grow with equal ports: 130 ports, 1,040 QUEUE rows, two bodies, a dozen references."""
    (m,) = corpus("qos-arista7060x6-th5.json")
    assert len(m.ports) == 130
    assert len({id(p.qos) for p in m.ports.values()}) <= 2
    assert len(m.references) <= 14


def test_no_line_is_looked_up_for_a_clean_file(corpus: Parse, monkeypatch: Any) -> None:
    from xoff.nos.jsontext import Document

    def scan(self: Document) -> Any:
        raise AssertionError("the file was scanned though nobody asked for a line")

    monkeypatch.setattr(Document, "_scan", scan)
    (m,) = corpus("qos-arista7060x6-th5.json")
    assert m.ports["Ethernet0"].qos.pfc.no_drop
