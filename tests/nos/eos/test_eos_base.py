"""The base configuration gives the model that its lines mean, with the line of each value."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from xoff.model.origin import BodyLine, Default, Evidence, Line
from xoff.model.path import path
from xoff.model.qos import Colour, HeaderField, PfcMode, QueueId, QueueKind, SchedulerKind, WatchdogAction
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.switch import Port, PortKind, SwitchModel
from xoff.nos.facts import Facts, Given

Read = Callable[..., SwitchModel]
Q3 = QueueId(QueueKind.UNICAST, 3)


@pytest.fixture(scope="module")
def model(read: Read, base: str) -> SwitchModel:
    return read(base)


@pytest.fixture(scope="module")
def port(model: SwitchModel) -> Port:
    return model.ports["Ethernet49/1"]


def test_device(model: SwitchModel) -> None:
    assert (model.hostname, model.nos, model.pfc_off, model.kilo) == ("LEAF-1", "eos", False, None)
    assert list(model.ports) == ["Ethernet1/1", "Ethernet49/1"]
    assert model.remarks == ()
    assert model.other_lines == 1  # `end`


def test_port(port: Port, model: SwitchModel) -> None:
    assert (port.kind, port.mtu, port.admin, port.routed, port.description) == (PortKind.FRONT, 9214, True, True, "spine-1")
    assert model.ports["Ethernet1/1"].routed is False
    assert port.speed is None


def test_a_packet_of_the_class_goes_where_it_should(port: Port) -> None:
    roce = path(port.qos, dscp=26)
    assert (roce.tc, roce.queue, roce.group, roce.protected, roce.marks) == (3, 3, 3, True, True)
    assert (roce.pause_sent_as, roce.obeys) == ({3}, {3})
    assert path(port.qos, dscp=48).tc == 6
    best_effort = path(port.qos, dscp=0)
    assert (best_effort.tc, best_effort.protected) == (1, False)  # EOS: DSCP 0 is traffic class 1
    assert path(port.qos, dscp=8).tc == 0


def test_pfc_and_groups(port: Port) -> None:
    pfc = port.qos.pfc
    assert (pfc.mode, pfc.no_drop, dict(pfc.send), dict(pfc.obey)) == (PfcMode.ON, {3}, {3: {3}}, {3: {3}})
    group = port.qos.groups[3]
    assert (group.lossless, group.headroom_by_device) == (True, True)
    assert isinstance(group.headroom, Unknown)


def test_queue(port: Port) -> None:
    queue = port.qos.queues[Q3]
    curve = queue.curves[Colour.GREEN]
    assert (str(curve.kmin), str(curve.kmax), str(curve.pmax)) == ("150 kbytes", "1500 kbytes", "100 %")
    assert (curve.marks, curve.drops, curve.weight) == (True, False, None)
    assert queue.scheduler is not None
    assert not isinstance(queue.scheduler, Unknown)
    assert queue.scheduler.kind is SchedulerKind.DWRR
    assert queue.scheduler.share == Quantity(Fraction(50), Unit.PERCENT)


def test_watchdog(port: Port) -> None:
    dog = port.qos.watchdog
    assert (dog.available, dog.enabled, dog.priorities, dog.action, dog.latch) == (True, True, {3}, WatchdogAction.DROP, False)
    assert [str(t) for t in (dog.detect, dog.restore, dog.poll)] == ["0.2 s", "1 s", "0.1 s"]


def test_origins_name_the_lines(port: Port, base: str) -> None:
    rows = base.split("\n")

    def text(field: str) -> str:
        place = port.place(port.origins.of(field))
        assert place is not None
        return rows[place.line - 1].strip()

    for field, line in {
        "classify.trust": "qos trust dscp",
        "classify.dscp.26": "qos map dscp 26 to traffic-class 3",
        "pfc.mode": "priority-flow-control on",
        "pfc.no_drop.3": "priority-flow-control priority 3 no-drop",
        "pfc.send.3": "priority-flow-control priority 3 no-drop",
        "group.3.headroom": "priority-flow-control priority 3 no-drop",
        "queue.unicast.3": "uc-tx-queue 3",
        "queue.unicast.3.scheduler": "no priority",
        "queue.unicast.3.share": "bandwidth percent 50",
        "queue.unicast.3.kmin": rows[21].strip(),
        "watchdog.detect": "priority-flow-control pause watchdog default timeout 0.2",
        "watchdog.action": "priority-flow-control pause watchdog action drop",
        "watchdog.enabled": "priority-flow-control pause watchdog",
    }.items():
        assert text(field) == line, field
    assert port.place(port.origins.of("pfc.mode")).line == 29  # type: ignore[union-attr]
    assert rows[port.at.line - 1] == "interface Ethernet49/1"  # type: ignore[union-attr]
    assert port.place(port.own["description"]).line == 25  # type: ignore[union-attr]
    assert port.place(port.own["mtu"]).line == 26  # type: ignore[union-attr]


def test_causes_hold_no_identity(model: SwitchModel) -> None:
    for port in model.ports.values():
        for origin in [*port.origins.values(), *port.own.values()]:
            if isinstance(origin, (Line, BodyLine)):
                shown = " ".join((*origin.path, origin.text))
                assert "Ethernet" not in shown
                assert "server-1" not in shown
                assert "spine-1" not in shown
    assert model.ports["Ethernet1/1"].origins["queue.unicast.3.kmin"].path == ("interface *", "uc-tx-queue 3")  # type: ignore[union-attr]


def test_what_is_not_said_is_a_default_with_its_evidence(port: Port) -> None:
    assert port.origins.of("classify.dscp.24") == port.origins["classify.dscp"]
    for field, evidence in (
        ("classify.dscp", Evidence.SECONDARY),
        ("tc_to_queue", Evidence.READ),
        ("tc_to_group", Evidence.SECONDARY),
    ):
        origin = port.origins[field]
        assert isinstance(origin, Default)
        assert (origin.evidence, origin.source != "") == (evidence, True)


def test_trust_by_port_mode(read: Read, base: str) -> None:
    silent = read(base.replace("   qos trust dscp\n", ""))
    routed, switched = silent.ports["Ethernet49/1"].qos.classify, silent.ports["Ethernet1/1"].qos.classify
    assert (routed.tagged_ip, routed.untagged_ip) == (HeaderField.DSCP, HeaderField.DSCP)
    assert (switched.tagged_ip, switched.untagged_ip) == (HeaderField.PCP, HeaderField.PORT)
    assert path(silent.ports["Ethernet1/1"].qos, dscp=26).tc == 1  # untagged: CoS 0, traffic class 1
    assert path(silent.ports["Ethernet1/1"].qos, dscp=26, pcp=3, tagged=True).tc == 3
    assert isinstance(silent.ports["Ethernet1/1"].origins["classify.trust"], Default)


def test_file_forms_that_mean_the_same(read: Read, base: str, model: SwitchModel) -> None:
    deeper = "\n".join(" " * (2 * (len(r) - len(r.lstrip()))) + r.lstrip() for r in base.split("\n"))
    commented = base.replace("   mtu 9214\n", "   !! priority 4 was here\n   !! no-drop\n   mtu 9214\n")
    banner = base.replace(
        "!\nqos map", "!\nbanner login\ninterface Ethernet1/1\n   no priority-flow-control\nEOF\n!\nqos map", 1
    )
    twice = base.replace("end\n", "interface Ethernet1/1\n   mtu 1500\n   mtu 9214\n")
    for text in (base.replace("\n", "\r\n"), deeper, commented, banner, twice):
        assert read(text) == model
    assert read(banner).other_lines == 5


def test_the_later_line_wins(read: Read, base: str) -> None:
    model = read(base + "interface Ethernet1/1\n   mtu 1500\n   no priority-flow-control\n")
    port = model.ports["Ethernet1/1"]
    assert (port.mtu, port.qos.pfc.mode, port.qos.pfc.no_drop) == (1500, PfcMode.OFF, {3})
    assert port.place(port.own["mtu"]).line == len(base.split("\n")) + 1  # type: ignore[union-attr]


def test_facts_from_outside_and_from_the_header(read: Read, base: str) -> None:
    header = "! device: LEAF-1 (DCS-7060X6-64PE, EOS-4.34.2F)\n!\n"
    model = read(header + base)
    assert (model.platform, model.release, model.asic) == ("DCS-7060X6-64PE", "4.34.2F", "tomahawk5")
    assert model.facts["model"].at.line == 1  # type: ignore[union-attr]
    given = Facts(
        [Given("LEAF*", "xoff.toml [[devices]]", {"release": "4.35.1F", "role": "leaf", "cable": "3m", "speed": "400G"})]
    )
    model = read(header + base, facts=given)
    assert (model.release, model.role, model.asic) == ("4.35.1F", "leaf", "tomahawk5")
    assert model.facts["release"].origin == "xoff.toml [[devices]]"
    assert {(p.speed, p.cable_m) for p in model.ports.values()} == {(400_000, 3)}
    unsaid = read(base, facts=Facts([Given("SPINE*", "xoff.toml", {"asic": "tomahawk5"})]))
    assert isinstance(unsaid.asic, Unknown)
    with pytest.raises(ValueError, match="no such fact: asci"):
        Given("x", "xoff.toml", {"asci": "th5"})
