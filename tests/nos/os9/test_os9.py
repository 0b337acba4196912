"""Dell OS9: DCB maps, queues by model, defaults, real files, hostile input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xoff.model.origin import Default
from xoff.model.path import path
from xoff.model.qos import HeaderField, PfcMode, QueueId, QueueKind
from xoff.model.quantity import Unknown
from xoff.model.switch import PortKind, RemarkKind, SwitchModel
from xoff.nos import os9, registry
from xoff.nos.os9.reading import full
from xoff.nos.source import Source, read_source

Shared = Callable[[str], Path]
PORT = "TenGigabitEthernet 0/1"
BASE = """\
hostname TOR
!
dcb enable
!
stack-unit 0 provision S4810
!
interface TenGigabitEthernet 0/1
 no ip address
 portmode hybrid
 switchport
 dcb-map RDMA
 no shutdown
!
interface TenGigabitEthernet 0/2
 no ip address
 switchport
 no shutdown
!
service-class dynamic dot1p
!
dcb-map RDMA
 priority-group 0 bandwidth 50 pfc on
 priority-group 1 bandwidth 50 pfc off
 priority-pgid 1 1 1 0 1 1 1 1
!
"""


def read(text: str, name: str = "tor.cfg") -> SwitchModel:
    (model,) = os9.parse([Source(name, text)], registry.load("os9"))
    return model


def test_a_dcb_map_pauses_the_priorities_of_its_groups() -> None:
    model = read(BASE)
    port = model.ports[PORT]
    smb = path(port.qos, dscp=0, pcp=3, tagged=True)
    assert (smb.tc, smb.queue, smb.protected, smb.pause_sent_as, smb.obeys) == (3, 1, True, {3}, {3})
    assert path(port.qos, dscp=0, pcp=4, tagged=True).protected is False
    assert path(port.qos, dscp=0).tc == 0  # untagged is priority 0
    assert (port.speed, port.qos.pfc.mode, port.qos.pfc.no_drop) == (10_000, PfcMode.AUTO, {3})
    assert (model.platform, model.remarks) == ("S4810", ())
    assert [(r.name, r.resolves, r.ports) for r in model.references] == [("RDMA", True, (PORT,))]
    assert [(d.name, d.lossless) for d in model.definitions] == [("RDMA", True)]
    assert port.place(port.origins["pfc.no_drop.3"]).line == 22  # type: ignore[union-attr]


def test_a_port_without_a_map_pauses_nothing_by_default() -> None:
    port = read(BASE).ports["TenGigabitEthernet 0/2"]
    assert (port.qos.pfc.mode, port.qos.pfc.no_drop) == (PfcMode.OFF, frozenset())
    assert isinstance(port.origins["pfc.mode"], Default)


@pytest.mark.parametrize(
    ("old", "new"),
    [("dcb enable", "no dcb enable"), (" dcb-map RDMA\n no", " dcb-map RDMA\n no pfc mode on\n no")],
)
def test_what_turns_pfc_off(old: str, new: str) -> None:
    qos = read(BASE.replace(old, new, 1)).ports[PORT].qos
    assert (qos.pfc.mode, qos.pfc.no_drop) == (PfcMode.OFF, {3})


def test_queues_differ_by_model() -> None:
    four = read(BASE).ports[PORT].qos.tc_to_queue
    assert [four[p] for p in range(8)] == [0, 0, 0, 1, 2, 3, 3, 3]
    for other in ("S6000", "S4048-ON"):
        assert isinstance(read(BASE.replace("S4810", other)).ports[PORT].qos.tc_to_queue[3], Unknown)


def test_trust_where_no_line_says_it_is_not_known() -> None:
    qos = read(BASE.replace("service-class dynamic dot1p\n", "")).ports[PORT].qos
    assert isinstance(qos.classify.tagged_ip, Unknown)
    own = read(BASE.replace("service-class dynamic dot1p\n", "").replace(" switchport\n", " service-class dynamic dot1p\n", 1))
    assert own.ports[PORT].qos.classify.tagged_ip is HeaderField.PCP
    assert isinstance(own.ports["TenGigabitEthernet 0/2"].qos.classify.tagged_ip, Unknown)


def test_pfc_without_a_map() -> None:
    text = BASE.replace(" dcb-map RDMA\n", " pfc priority 3,4\n pfc no-drop queues 1,2\n", 1)
    qos = read(text).ports[PORT].qos
    assert qos.pfc.no_drop == {3, 4}
    assert {q.id for q in qos.queues.values() if q.lossless} == {QueueId(QueueKind.UNICAST, n) for n in (1, 2)}


def test_maps_that_are_wrong_or_missing() -> None:
    lost = read(BASE.replace(" dcb-map RDMA\n", " dcb-map RMDA\n", 1))
    assert [r.resolves for r in lost.references] == [False]
    short = read(BASE.replace("1 1 1 0 1 1 1 1", "1 1 1 0"))
    assert [r.kind for r in short.remarks] == [RemarkKind.INVALID]
    assert short.ports[PORT].qos.pfc.no_drop == frozenset()
    foreign = read(BASE.replace(" dcb-map RDMA\n", " dcb-map RDMA\n priority-flow-control mode on\n pfc mode always\n", 1))
    assert [r.shape for r in foreign.remarks] == ["pfc mode always"]
    assert foreign == read(BASE)


def test_names() -> None:
    assert full("tengigabitethernet 0/45-47") == tuple(f"TenGigabitEthernet 0/{n}" for n in (45, 46, 47))
    assert full("TenGigabitEthernet 0/1,0/5") == ("TenGigabitEthernet 0/1", "TenGigabitEthernet 0/5")
    assert full("Port-channel 50") == ("Port-channel 50",)


@pytest.mark.parametrize(("name", "on"), [("agg1", 0), ("tor1", 36), ("tor2", 36)])
def test_real_files(shared: Shared, name: str, on: int) -> None:
    source = read_source(shared(f"corpus/os9/s4810-sdn-{name}-ftos-9.9.cfg"))
    (model,) = os9.parse([source], registry.load("os9"))
    detection = registry.detect(source.path, source.text)
    assert detection is not None
    assert (detection.nos, model.platform, model.release, model.remarks) == ("os9", "S4810", "9.9(0.0)", ())
    carrying = [p for p in model.ports.values() if p.qos.pfc.no_drop]
    assert len(carrying) == on
    assert {p.qos.pfc.no_drop for p in carrying} <= {frozenset({3})}
    if name != "agg1":
        peers = [p.name for p in model.ports.values() if p.kind is PortKind.PEER_LINK]
        assert len(peers) == 3
        assert model.bundles["Port-channel 100"].members == tuple(peers)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from([*BASE.split("\n"), " priority-pgid 9", "\x00", " {{ x }}", "no dcb-map RDMA"]), max_size=30))
def test_shuffled_lines_never_crash(rows: list[str]) -> None:
    for port in read("\n".join(rows)).ports.values():
        path(port.qos, dscp=26, pcp=3, tagged=True)
