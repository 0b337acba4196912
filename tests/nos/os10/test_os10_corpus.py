"""OS10 files of the corpus: all are read, what is not understood is exactly what should not be; hostile input; cost."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xoff.model.path import path
from xoff.model.qos import Colour, HeaderField, PfcMode, QueueId, QueueKind
from xoff.model.switch import PortKind, SwitchModel
from xoff.nos import os10, registry, yaml12
from xoff.nos.inputs import gather
from xoff.nos.portshows import read_port_show
from xoff.nos.shows import read_version
from xoff.nos.source import Source, read_source

from .conftest import HEAD, PORT

Read = Callable[..., SwitchModel]
Shared = Callable[[str], Path]
HERE = Path(__file__).parent
GOLDEN: dict[str, list[dict[str, Any]]] = yaml12.load((HERE / "unclaimed.yml").read_text(encoding="utf-8"))
GUIDES = [n for n in GOLDEN if n.startswith("dell-guide-") or n[:2] in ("01", "02")]


def parse(file: Path) -> SwitchModel:
    (model,) = os10.parse([read_source(file)], registry.load("os10"))
    return model


def test_every_configuration_is_listed(shared: Shared) -> None:
    assert sorted(f.name for f in shared("corpus/os10").glob("*.cfg")) == sorted(GOLDEN)


@pytest.mark.parametrize("name", GOLDEN)
def test_remarks_are_the_listed_ones(shared: Shared, name: str) -> None:
    found = [
        {"line": r.origin.at.line, "kind": r.kind.value, "shape": r.shape} for r in parse(shared(f"corpus/os10/{name}")).remarks
    ]
    assert found == [{k: v for k, v in entry.items() if k != "why"} for entry in GOLDEN[name]]
    assert all(entry["why"] for entry in GOLDEN[name])


@pytest.mark.parametrize("name", GOLDEN)
def test_every_file_is_recognised(shared: Shared, name: str) -> None:
    text = shared(f"corpus/os10/{name}").read_text(encoding="utf-8")
    detection = registry.detect(name, text)
    assert detection is not None
    assert detection.nos == "os10"


@pytest.mark.parametrize("name", GUIDES)
def test_dells_guides_do_what_they_are_for(shared: Shared, name: str) -> None:
    """802.1p 3 is lossless on every port with PFC, VLT interconnect included; the uplink has link-level pause instead."""
    model = parse(shared(f"corpus/os10/{name}"))
    on = [p for p in model.ports.values() if p.qos.pfc.mode is PfcMode.ON]
    assert {p.kind for p in on} <= {PortKind.FRONT, PortKind.PEER_LINK, PortKind.MEMBER}
    assert on
    for port in on:
        smb = path(port.qos, dscp=0, pcp=3, tagged=True)
        assert (smb.tc, smb.queue, smb.protected, smb.pause_sent_as, smb.obeys) == (3, 3, True, {3}, {3})
        assert (path(port.qos, dscp=0, pcp=5, tagged=True).tc, path(port.qos, dscp=0, pcp=1, tagged=True).tc) == (5, 0)
        assert port.qos.classify.tagged_ip is HeaderField.PCP
        assert port.mtu == 9216
    # The S4148F chapters give ports 30 and 31 to the VLT interconnect and to the uplink, so they have both kinds of pause.
    both = sorted(p.name for p in on if p.qos.pfc.link_pause_rx)
    assert both == (["ethernet1/1/30", "ethernet1/1/31"] if "s4148f" in name else [])
    assert [r for r in model.references if r.resolves is False] == []


def test_the_later_of_two_policies_of_one_name_holds(shared: Shared) -> None:
    """The guide prints ets-policy for 10 and for 25 GbE; whoever pastes both ends with the second, class by class."""
    model = parse(shared("corpus/os10/dell-guide-s5212f-tor1-converged.cfg"))
    queues = model.ports["ethernet1/1/1"].qos.queues
    shares = {q.id.id: str(q.scheduler.share) for q in queues.values()}  # type: ignore[union-attr]
    assert shares == {0: "49 %", 3: "50 %", 5: "1 %"}


def test_the_generators_broken_file(shared: Shared) -> None:
    """A policy name that is a qos-map's, no PFC on the hosts' ports, a queuing policy that nothing attaches."""
    model = parse(shared("corpus/os10/04_s5248f_azurestack_generator_broken_qos.cfg"))
    host = model.ports["ethernet1/1/1"]
    assert (host.qos.pfc.mode, host.qos.pfc.no_drop, host.qos.queues) == (PfcMode.OFF, frozenset(), {})
    (lost,) = [r for r in model.references if not r.resolves]
    assert (lost.name, len(lost.ports), lost.detail) == (
        "AZLOCAL-QOS-MAP",
        18,
        "qos-map traffic-class AZLOCAL_QOS_MAP is defined",
    )
    lossless = [d.name for d in model.definitions if d.lossless]
    assert lossless == ["AZLOCAL_PFC"]
    assert not any(r.name in ("AZLOCAL_PFC", "AZLOCAL_ETS") for r in model.references)
    assert model.platform == "S5248F-ON"
    member = model.ports["ethernet1/1/49"]  # its lines below channel-group stand deeper than the rest
    assert (member.bundle, member.mtu, member.qos.pfc.link_pause_rx) == ("port-channel101", 9216, False)


def test_the_guides_wred_profile(shared: Shared, read: Read) -> None:
    text = shared("corpus/os10/05_userguide_10_5_roce_wred_ecn_excerpt.cfg").read_text(encoding="utf-8")
    attached = "interface ethernet1/1/1\n service-policy output type queuing policy_2Q\n qos-map traffic-class 2Q\n"
    qos = read(text + attached).ports["ethernet1/1/1"].qos
    green = qos.queues[QueueId(QueueKind.UNICAST, 3)].curves[Colour.GREEN]
    assert (str(green.kmin), str(green.kmax), str(green.pmax), green.marks) == ("1000 kbytes", "2000 kbytes", "100 %", True)
    assert dict(qos.tc_to_queue) == {0: 0, 1: 0, 2: 0, 3: 3, 4: 0, 5: 0, 6: 0, 7: 0}


def test_a_real_running_configuration_without_qos(shared: Shared) -> None:
    model = parse(shared("corpus/os10/09_show_running-config_10.4_baseline_no_qos.cfg"))
    assert (model.hostname, model.release) == ("os10", "10.4.0E(R1)")
    front = [p for p in model.ports.values() if p.kind is PortKind.FRONT]
    assert {(p.speed, p.mtu) for p in front} == {(40_000, 1532)}
    assert model.ports["ethernet1/1/12"].kind is PortKind.PEER_LINK


def test_show_version() -> None:
    """Wording as OS10 prints it (10.5.1.3)."""
    text = (
        "leaf1# show version\nDell EMC Networking OS10 Enterprise\nCopyright (c) 1999-2020 by Dell Inc. All Rights Reserved.\n"
        "OS Version: 10.5.1.3\nBuild Version: 10.5.1.3.190\nBuild Time: 2020-06-19T21:48:07+0000\nSystem Type: S4112F-ON\n"
        "Architecture: x86_64\nUp Time: 1 day 01:29:03\n"
    )
    found = read_version(Source("leaf1-version.txt", text))
    assert found is not None
    assert (found.nos, found.prompt, found.model, found.release) == ("os10", "leaf1", ("S4112F-ON", 7), ("10.5.1.3", 4))


# --- hostile input


LINES = st.sampled_from([line for line in (HEAD + PORT.format(n=1, to="x")).split("\n") if line.strip("! ")])
WOUNDS = st.sampled_from(["", " ", "\t", "no ", "default ", "\x00", "\u2028", "9" * 30, "{{ x }}", "None", ",", "-", ":", "/"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(LINES, WOUNDS, st.integers(0, 60), st.integers(0, 4)), max_size=30))
def test_shuffled_and_wounded_lines_never_crash(read: Read, rows: list[tuple[str, str, int, int]]) -> None:
    text = "\n".join(" " * indent + line[:at] + wound + line[at:] for line, wound, at, indent in rows)
    model = read(text)
    for port in model.ports.values():
        for dscp in (0, 26):
            path(port.qos, dscp=dscp, pcp=3, tagged=True)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=300))
def test_any_text_is_read(read: Read, text: str) -> None:
    read("interface range ethernet1/1/" + text + "\n" + text)


def test_deep_nesting_and_long_ranges(read: Read) -> None:
    deep = "\n".join(" " * n + "ets mode on" for n in range(2000))
    assert read("interface ethernet1/1/1\n" + deep.replace("ets", " ets")).ports["ethernet1/1/1"].qos.pfc.mode is PfcMode.OFF
    assert len(read("interface range ethernet1/1/1-1/1/99999999\n mtu 9216\n").ports) == 1


def test_objects_do_not_grow_with_the_lines_of_equal_ports(read: Read) -> None:
    def objects(ports: int) -> int:
        gc.collect()
        before = len(gc.get_objects())
        kept = read(HEAD + "".join(PORT.format(n=n, to=f"s{n}") for n in range(1, ports + 1)))
        gc.collect()
        count = len(gc.get_objects()) - before
        assert len({id(p.qos) for p in kept.ports.values()}) == 1
        return count

    read(HEAD + PORT.format(n=1, to="x"))
    assert (objects(88) - objects(8)) / 80 < 14


XML = """\
<?xml version="1.0"?>
<rpc-reply>
      <interface>
        <name>ethernet1/1/1</name>
        <speed>100000000000</speed>
{neighbour}      </interface>
</rpc-reply>
"""
NEIGHBOUR = """\
        <lldp-rem-neighbor-info>
            <rem-lldp-chassis-id>FBh3Ca4A
</rem-lldp-chassis-id>
            <rem-lldp-port-id>{port}
</rem-lldp-port-id>
            <rem-system-name>SPINE-1</rem-system-name>
"""


def test_show_outputs_in_xml() -> None:
    """`| display-xml`, with names in base64; a MAC address in a name's place names no port."""
    plain = read_port_show(Source("x.xml", XML.format(neighbour="")))
    assert plain is not None
    assert (plain.nos, plain.kind, [(e.port, e.speed) for e in plain.entries]) == (
        "os10",
        "interfaces",
        [("ethernet1/1/1", 100_000)],
    )
    for port, name in (("ZXRoZXJuZXQxLzEvMw==", "ethernet1/1/3"), ("FBh3Ca4A", None)):
        lldp = read_port_show(Source("x.xml", XML.format(neighbour=NEIGHBOUR.format(port=port))))
        assert lldp is not None
        assert lldp.kind == "lldp"
        assert [(e.port, e.peer, e.peer_port) for e in lldp.entries] == [("ethernet1/1/1", "SPINE-1", name)]


def test_real_show_outputs(shared: Shared) -> None:
    speeds = read_port_show(read_source(shared("corpus/os10/show_interface_ethernet1-1-1__display-xml_10.4.xml")))
    assert speeds is not None
    assert [(e.port, e.speed) for e in speeds.entries] == [("ethernet1/1/1", 40_000)]
    lldp = read_port_show(read_source(shared("corpus/os10/show_lldp_neighbors__display-xml_10.4.xml")))
    assert lldp is not None
    assert [(e.port, e.peer, e.peer_port) for e in lldp.entries] == [
        ("ethernet1/1/1", "os10", "ethernet1/1/3"),
        ("ethernet1/1/2", "os10", "ethernet1/1/4"),
    ]


def test_show_outputs_beside_a_configuration_give_speeds(tmp_path: Path) -> None:
    (tmp_path / "leaf1.cfg").write_text(HEAD + PORT.format(n=1, to="x"), encoding="utf-8")
    (tmp_path / "leaf1-interfaces.xml").write_text(XML.format(neighbour=""), encoding="utf-8")
    (fabric,) = gather([str(tmp_path)]).fabrics
    (device,) = fabric.devices
    assert device.ports["ethernet1/1/1"].speed == 100_000
    assert fabric.skipped == ()
