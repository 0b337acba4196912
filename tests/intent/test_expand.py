"""The plan: who is joined to whom on which port, what each port carries, and overrides."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.intent.strategies import Drawn, intents
from xoff.errors import IntentError
from xoff.fabric.planned import PlannedFabric
from xoff.intent import loads, plan
from xoff.intent.expand import expand
from xoff.model.fabric import ClassKind, End, LinkEvidence
from xoff.model.qos import WatchdogAction

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
HEAD = """\
version: 1
fabric: {name: pod1}
classes:
  roce: {dscp: [26], priority: 3, lossless: true, bandwidth: 60%}
  cnp: {dscp: [48], priority: 6, scheduler: strict}
"""
SWITCH = "{nos: eos, model: DCS-7060X6-64PE}"


def of(text: str) -> PlannedFabric:
    return expand(loads(HEAD + text))


def test_group_ports_follow_the_formula() -> None:
    """Link k of p between the i-th `from` and the j-th `to`: port (j-1)p+k there, (i-1)p+k here."""
    f = of(f"""
switches: {{"leaf[1-3]": {SWITCH}, "spine[1-2]": {SWITCH}}}
links:
  - from: leaf[1-3]
    to: spine[1-2]
    ports: {{from: "Ethernet[11-14]/1", to: "Ethernet[1-6]/1"}}
    count: 2
    speed: 400G
    cable: 30m
""")
    assert len(f.links) == 12
    # leaf2 (i=2) to spine2 (j=2), both links (k = 1, 2): ports 3 and 4 there, 3 and 4 here.
    assert f.devices["leaf2"].ports["Ethernet13/1"].peer == End("spine2", "Ethernet3/1")
    assert f.devices["leaf2"].ports["Ethernet14/1"].peer == End("spine2", "Ethernet4/1")
    assert f.devices["leaf3"].ports["Ethernet11/1"].peer == End("spine1", "Ethernet5/1")


def test_rails_of_the_example_in_the_plan() -> None:
    """128 hosts with 8 NICs on 32 leaves with 32 host ports: four blocks of eight leaves."""
    f = of(f"""
switches: {{"leaf[01-32]": {SWITCH}}}
hosts: {{name: "gpu[001-128]", nics: 8, nic: cx7, attach: rail}}
links:
  - {{from: "leaf[01-32]", to: hosts, ports: {{from: "Ethernet[1-32]/1"}}, speed: 400G, cable: 3m}}
""")
    assert len(f.links) == 1024
    assert f.devices["leaf01"].ports["Ethernet1/1"].peer == End("gpu001", "nic0")
    assert f.devices["leaf08"].ports["Ethernet32/1"].peer == End("gpu032", "nic7")
    assert f.devices["leaf09"].ports["Ethernet1/1"].peer == End("gpu033", "nic0")  # block 1, NIC 0: leaf 1 * 8 + 0
    assert f.devices["leaf32"].ports["Ethernet32/1"].peer == End("gpu128", "nic7")
    assert f.devices["leaf01"].ports["Ethernet1/1"].peer_model == "cx7"


def test_tor_keeps_a_host_on_one_leaf() -> None:
    f = of(f"""
switches: {{"leaf[1-2]": {SWITCH}}}
hosts: {{name: "h[1-3]", nics: 2, attach: tor}}
links: [{{from: "leaf[1-2]", to: hosts, ports: {{from: "Ethernet[1-5]/1"}}, speed: 100G, cable: 3m}}]
""")
    assert [(e.peer.device, e.peer.port) for e in f.devices["leaf1"].ports.values() if e.peer] == [
        ("h1", "nic0"), ("h1", "nic1"), ("h2", "nic0"), ("h2", "nic1")]  # fmt: skip
    assert {e.peer.device for e in f.devices["leaf2"].ports.values() if e.peer} == {"h3"}


def test_classes_always_have_control_and_default() -> None:
    f = of(f"switches: {{sw1: {SWITCH}}}")
    kinds = {c.name: (c.kind, c.priority, c.strict) for c in f.classes}
    assert kinds["control"] == (ClassKind.CONTROL, 7, True)
    assert kinds["default"] == (ClassKind.DEFAULT, 0, False)
    assert f.class_named("roce").ecn is True
    assert f.class_named("cnp").ecn is False


def test_a_port_carries_control_and_default_besides_what_the_link_says() -> None:
    f = of(f"""
switches: {{"s[1-2]": {SWITCH}}}
links:
  - {{a: "s1:Ethernet1/1", b: "s2:Ethernet1/1", speed: 100G, cable: 3m, carries: []}}
  - {{a: "s1:Ethernet2/1", b: "s2:Ethernet2/1", speed: 100G, cable: 3m, carries: [roce]}}
  - {{a: "s1:Ethernet3/1", b: "s2:Ethernet3/1", speed: 100G, cable: 3m}}
""")
    ports = f.devices["s1"].ports
    assert ports["Ethernet1/1"].carries == {"control", "default"}
    assert ports["Ethernet2/1"].carries == {"control", "default", "roce"}
    assert ports["Ethernet3/1"].carries == {"control", "default", "roce", "cnp"}


def test_overrides_of_devices_and_ports() -> None:
    """speed, cable and carries of a port are the link's; mtu, headroom, description and admin are the port's own."""
    f = of(f"""
defaults: {{mtu: 9000, watchdog: off}}
switches:
  s[1-2]: {SWITCH}
  s2:
    release: 4.33.1F
    mtu: 9100
    watchdog: {{detect: 400ms, restore: 1s, action: drop}}
    options: {{b: true, a: 3}}
    ports:
      Ethernet[1-2]/1: {{mtu: 9214, cable: 0.5m, headroom: 96KiB, description: "x y", switched: true}}
      Ethernet2/1: {{admin: false, carries: [cnp]}}
links: [{{from: s1, to: s2, count: 2, ports: {{from: "Ethernet[1-2]/1", to: "Ethernet[1-2]/1"}}, speed: 100G, cable: 3m}}]
""")
    one, two = f.devices["s1"], f.devices["s2"]
    assert (one.watchdog.enabled, one.release, one.ports["Ethernet1/1"].mtu) == (False, None, 9000)
    assert (two.watchdog.detect_ms, two.watchdog.restore_ms, two.watchdog.action) == (400, 1000, WatchdogAction.DROP)
    assert dict(two.options) == {"a": "3", "b": "true"}
    assert one.ports["Ethernet1/1"].cable_m == two.ports["Ethernet1/1"].cable_m == 1  # rounded up, at both ends
    assert one.ports["Ethernet2/1"].carries == two.ports["Ethernet2/1"].carries == {"cnp", "control", "default"}
    port = two.ports["Ethernet1/1"]
    assert (port.mtu, port.headroom, port.description, port.routed, port.admin) == (9214, 96 * 1024, "x y", False, True)
    assert one.ports["Ethernet1/1"].routed
    assert not two.ports["Ethernet2/1"].admin


def test_asic_facts_by_hand_stand_for_an_unknown_model() -> None:
    f = of("""
switches:
  s1: {nos: eos, model: HOMEBREW-1, asic: {cell: 254B, buffer: 64MiB, response: 1.1us, domains: 2}}
  s2: {nos: eos, model: HOMEBREW-2, asic: tomahawk3}
""")
    facts = f.devices["s1"].asic_facts
    assert facts is not None
    assert (facts.cell, facts.buffer, facts.response_ns, facts.domains) == (254, 64 * 2**20, 1100, 2)
    assert f.devices["s1"].asic is None
    assert f.devices["s2"].asic == "tomahawk3"


def test_lossless_classes_are_counted_where_they_meet() -> None:
    """Three in the fabric are fine while no switch carries more than two, and where the user vouches for three."""
    more = HEAD + "  a: {dscp: [30], priority: 4, lossless: true}\n  b: {dscp: [34], priority: 5, lossless: true}\n"
    port = "ports: {Ethernet1/1: {speed: 100G, cable: 3m%s}}"
    switch = "switches: {s1: {nos: eos, model: DCS-7060X6-64PE, %s%s}}"
    with pytest.raises(IntentError, match=r"3 lossless classes \(roce, a, b\) meet on one switch, .* has buffers for 2"):
        expand(loads(more + switch % (port % "", "")))
    assert expand(loads(more + switch % (port % ", carries: [a, b]", "")))
    f = expand(loads(more + switch % (port % "", ", asic: {lossless: 3}")))
    assert f.devices["s1"].asic == "tomahawk5"


def test_cabling_file_gives_links_with_their_own_evidence(tmp_path: Path) -> None:
    (tmp_path / "cables").mkdir()
    (tmp_path / "cables" / "a.csv").write_text(
        "a,a_port,b,b_port,speed,cable_m\n\n# x\ns1,Ethernet1/1,s2,Ethernet4/1,100000,1.5\n"
    )
    intent = tmp_path / "i.yaml"
    intent.write_text(HEAD + f"cabling: cables/a.csv\nswitches: {{'s[1-2]': {SWITCH}}}")
    link = plan(intent).links[0]
    assert (link.a, link.b, link.evidence) == (End("s1", "Ethernet1/1"), End("s2", "Ethernet4/1"), LinkEvidence.CABLING)
    assert (link.speed, link.cable_m) == (100_000, 2)
    assert link.at is not None
    assert (link.at.file, link.at.line) == (str(tmp_path / "cables" / "a.csv"), 4)


def test_a_cabling_file_behind_a_symlink_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "outside.csv").write_text("a,a_port,b,b_port,speed,cable_m\n")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "c.csv").symlink_to(tmp_path / "outside.csv")
    (tmp_path / "in" / "i.yaml").write_text(HEAD + f"cabling: c.csv\nswitches: {{s1: {SWITCH}}}")
    with pytest.raises(IntentError, match="outside the intent's folder"):
        plan(tmp_path / "in" / "i.yaml")


def test_generated_fabric_has_predictable_names_and_can_be_overridden() -> None:
    f = plan(EXAMPLES / "leaf-spine-generator.yaml")
    assert list(f.devices) == [*(f"leaf{n:02d}" for n in range(1, 9)), *(f"spine{n:02d}" for n in range(1, 5))]
    assert f.devices["spine04"].release == "4.33.1F"
    assert f.devices["spine01"].release is None
    assert f.devices["leaf03"].ports["Ethernet136"].peer == End("spine02", "Ethernet3/1")
    assert {d.role for d in f.devices.values()} == {"leaf", "spine"}


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.yaml")), ids=lambda p: p.stem)
def test_examples_are_valid(example: Path) -> None:
    f = plan(example)
    assert f.devices
    assert f.links
    assert all(p.speed and p.cable_m for d in f.devices.values() for p in d.ports.values())


def test_mixed_example_mixes_systems_and_chips() -> None:
    f = plan(EXAMPLES / "mixed-leaf-spine.yaml")
    assert {d.nos for d in f.devices.values()} == {"sonic", "eos"}
    assert len({d.asic for d in f.devices.values()}) == 2


def test_carries_of_no_congestion_control() -> None:
    f = plan(EXAMPLES / "no-congestion-control.yaml")
    assert f.congestion_control == "none"
    assert not any(c.ecn for c in f.classes)
    assert any(not {"roce"} & p.carries for d in f.devices.values() for p in d.ports.values())


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(intents())
def test_random_intents_expand_to_what_they_say(drawn: Drawn) -> None:
    f = expand(loads(drawn.text))
    assert f == expand(loads(drawn.text))
    assert len(f.links) == drawn.leaves * drawn.spines * drawn.count + drawn.hosts * drawn.nics
    ends = [e for link in f.links for e in (link.a, link.b)]
    assert len(set(ends)) == len(ends)
    for device in f.devices.values():
        for port in device.ports.values():
            assert port.peer is not None
            back = f.devices.get(port.peer.device)
            if back is not None:
                other = back.ports[port.peer.port]
                assert other.peer == End(device.name, port.name)
                assert (other.speed, other.cable_m, other.carries) == (port.speed, port.cable_m, port.carries)
            assert {c.name for c in f.classes if c.kind in (ClassKind.CONTROL, ClassKind.DEFAULT)} <= port.carries
    assert len({c.priority for c in f.classes}) == len(f.classes)


def test_twelve_thousand_lines_are_read_in_a_fraction_of_yaml_itself() -> None:
    """Measured against PyYAML's own safe C loader on the same text, so that the machine does not matter."""
    import yaml

    lines = [f'  - {{a: "s{i // 60}:Ethernet{i % 60 + 1}/1", b: "t{i // 60}:Ethernet{i % 60 + 1}/1", speed: 400G, cable: 30m}}'
             for i in range(12_000)]  # fmt: skip
    text = HEAD + f"switches: {{'s[0-199]': {SWITCH}, 't[0-199]': {SWITCH}}}\nlinks:\n" + "\n".join(lines)
    floor, took = [], []
    for _ in range(2):
        started = time.process_time()
        yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        floor.append(time.process_time() - started)
        started = time.process_time()
        f = expand(loads(text))
        took.append(time.process_time() - started)
    assert len(f.links) == 12_000
    assert min(took) < 4 * min(floor)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for k, v in value.items():
            yield from (*_strings(k), *_strings(v))
    elif isinstance(value, (tuple, list, frozenset)):
        for v in value:
            yield from _strings(v)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _strings(getattr(value, field.name))


_PLACES = ("fabric", "class", "switch", "role", "model", "release", "option", "option value", "port", "description", "peer",
           "host",            "nic", "link port")  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(_PLACES), st.text(min_size=1, max_size=12))
def test_no_string_of_the_intent_can_break_a_line(place: str, hostile: str) -> None:
    """Whatever text stands wherever text may stand: the plan holds printable ASCII, or there is none."""
    import yaml

    def at(name: str, usual: str) -> str:
        return hostile if name == place else usual

    data = {
        "version": 1,
        "fabric": {"name": at("fabric", "f")},
        "classes": {at("class", "roce"): {"dscp": [26], "priority": 3, "lossless": True}},
        "switches": {
            at("switch", "s1"): {
                "nos": "eos", "model": at("model", "X"), "asic": "tomahawk5", "role": at("role", "leaf"),
                "release": at("release", "4"), "options": {at("option", "o"): at("option value", "v")},
                "ports": {at("port", "Ethernet7/1"): {"speed": "100G", "cable": "1m", "description": at("description", "d"),
                                                      "peer": at("peer", "x:y")}},
            },
            "s2": {"nos": "eos", "model": "DCS-7060X6-64PE"},
        },
        "hosts": {"name": at("host", "h1"), "nic": at("nic", "cx7")},
        "links": [{"a": "s2:" + at("link port", "Ethernet1/1"), "b": at("host", "h1") + ":nic0", "speed": "1G", "cable": "1m"}],
    }  # fmt: skip
    try:
        fabric = expand(loads(yaml.safe_dump(data, allow_unicode=True)))
    except IntentError as e:
        assert all(c.isprintable() or c == "\n" for c in str(e))  # noqa: PT017
        return
    assert all(" " <= c <= "~" for text in _strings(fabric) for c in text)


_JUNK = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-5, 99999), st.text(max_size=6), st.sampled_from(["3m", "400G", "roce", "[1-2]"])
    ),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "from", "nos", "kmin", "speed"]), inner),
    max_leaves=4,
)


def _nodes(data: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from _nodes(value, (*path, key))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_value_in_any_place_is_read_or_refused_with_a_place(data: st.DataObject) -> None:
    """One to three values (or keys) of an example are replaced by anything: a plan or an IntentError, never a traceback."""
    import yaml

    file = data.draw(st.sampled_from(sorted(EXAMPLES.glob("*.yaml"))))
    spec = yaml.safe_load(file.read_text(encoding="utf-8"))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(_nodes(spec))[1:] or [()]))
        node = spec
        for part in path[:-1]:
            node = node[part]
        if not path:
            break
        if isinstance(node, dict) and data.draw(st.booleans()):
            node[data.draw(st.text(max_size=5))] = node.pop(path[-1])
        else:
            node[path[-1]] = data.draw(_JUNK)
    try:
        expand(loads(yaml.safe_dump(spec, sort_keys=False), "i.yaml", folder=EXAMPLES))
    except IntentError as e:
        assert e.problems  # noqa: PT017
        assert all(p.line >= 1 and p.column >= 1 for p in e.problems)  # noqa: PT017
