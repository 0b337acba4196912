"""The base configuration gives the model that its lines mean, each with its place; a line left out, OS10's own default."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from xoff.model.origin import BodyLine, Default, Evidence, Line
from xoff.model.path import path
from xoff.model.qos import Colour, HeaderField, PfcMode, QueueId, QueueKind, Scheduler, SchedulerKind, Static
from xoff.model.quantity import Unknown
from xoff.model.switch import Port, PortKind, SwitchModel
from xoff.nos.facts import Facts, Given

Read = Callable[..., SwitchModel]
Q3, Q6 = QueueId(QueueKind.UNICAST, 3), QueueId(QueueKind.UNICAST, 6)


@pytest.fixture(scope="module")
def model(read: Read, base: str) -> SwitchModel:
    return read(base)


@pytest.fixture(scope="module")
def port(model: SwitchModel) -> Port:
    return model.ports["ethernet1/1/49"]


def without(text: str, line: str) -> str:
    assert line in text
    return "".join(row for row in text.splitlines(keepends=True) if row.strip() != line)


def test_device(model: SwitchModel) -> None:
    assert (model.hostname, model.nos, model.pfc_off, model.kilo) == ("LEAF-1", "os10", False, None)
    assert list(model.ports) == ["ethernet1/1/1", "ethernet1/1/49"]
    assert model.remarks == ()
    assert model.other_lines == 0
    assert [r for r in model.references if not r.resolves or r.idle] == []


def test_port(port: Port, model: SwitchModel) -> None:
    assert (port.kind, port.mtu, port.admin, port.routed, port.description) == (PortKind.FRONT, 9216, True, True, "spine-1")
    assert model.ports["ethernet1/1/1"].routed is False
    assert port.speed is None


def test_a_packet_of_the_class_goes_where_it_should(port: Port) -> None:
    roce = path(port.qos, dscp=26)
    assert (roce.tc, roce.queue, roce.group, roce.protected, roce.marks) == (3, 3, 3, True, True)
    assert (roce.pause_sent_as, roce.obeys) == ({3}, {3})
    assert (path(port.qos, dscp=48).tc, path(port.qos, dscp=48).queue) == (6, 6)
    rest = path(port.qos, dscp=8)
    assert (rest.tc, rest.queue, rest.group, rest.protected) == (0, 0, 7, False)  # a map that lists little sends the rest to 0


def test_pfc_and_groups(port: Port) -> None:
    pfc = port.qos.pfc
    assert (pfc.mode, pfc.no_drop, dict(pfc.send), dict(pfc.obey)) == (PfcMode.ON, {3}, {3: {3}}, {3: {3}})
    assert (pfc.link_pause_rx, pfc.link_pause_tx) == (False, False)
    (group,) = port.qos.groups.values()
    assert (group.id, group.lossless, str(group.headroom), str(group.xon)) == (3, True, "100 kbytes", "100 kbytes")
    assert isinstance(group.threshold, Static)
    assert str(group.threshold.limit) == "200 kbytes"


def test_queues(port: Port) -> None:
    queue = port.qos.queues[Q3]
    curve = queue.curves[Colour.GREEN]
    assert (str(curve.kmin), str(curve.kmax), str(curve.pmax)) == ("500 kbytes", "1500 kbytes", "20 %")
    assert (curve.marks, curve.drops, queue.curve_profile) == (True, False, "ROCE-ECN")
    assert isinstance(queue.scheduler, Scheduler)
    assert (queue.scheduler.kind, str(queue.scheduler.share)) == (SchedulerKind.DWRR, "55 %")
    strict = port.qos.queues[Q6].scheduler
    assert isinstance(strict, Scheduler)
    assert (strict.kind, strict.share) == (SchedulerKind.STRICT, None)


def test_no_watchdog_is_known_of(port: Port) -> None:
    assert isinstance(port.qos.watchdog.available, Unknown)
    assert port.qos.watchdog.enabled is False


def test_origins_name_the_lines(port: Port, base: str) -> None:
    rows = base.split("\n")

    def text(field: str) -> str:
        place = port.place(port.origins.of(field))
        assert place is not None
        return rows[place.line - 1].strip()

    for field, line in {
        "classify.trust": "trust-map dscp ROCE-DSCP",
        "classify.dscp.26": "qos-group 3 dscp 26",
        "tc_to_queue.3": "queue 3 qos-group 3",
        "tc_to_group.3": "class-map type network-qos NQ-ROCE",
        "pfc.mode": "priority-flow-control mode on",
        "pfc.no_drop.3": "pfc-cos 3",
        "pfc.send.3": "pfc-cos 3",
        "pfc.link_pause.rx": "flowcontrol receive off",
        "group.3": "pause buffer-size 300 pause-threshold 200 resume-threshold 100",
        "group.3.headroom": "pause buffer-size 300 pause-threshold 200 resume-threshold 100",
        "group.3.threshold": "pause buffer-size 300 pause-threshold 200 resume-threshold 100",
        "queue.unicast.3": "class Q3",
        "queue.unicast.3.share": "bandwidth percent 55",
        "queue.unicast.3.curve_profile": "random-detect ROCE-ECN",
        "queue.unicast.3.kmin": rows[3].strip(),
        "queue.unicast.3.marks": "random-detect ecn",
        "queue.unicast.6.scheduler": "priority",
    }.items():
        assert text(field) == line, field
    assert port.place(port.origins.of("pfc.mode")).line > 60  # type: ignore[union-attr]
    assert rows[port.at.line - 1] == "interface ethernet1/1/49"  # type: ignore[union-attr]
    assert rows[port.place(port.own["description"]).line - 1] == " description spine-1"  # type: ignore[union-attr]


def test_causes_hold_no_identity(model: SwitchModel) -> None:
    for port in model.ports.values():
        for origin in [*port.origins.values(), *port.own.values()]:
            if isinstance(origin, (Line, BodyLine)):
                shown = " ".join((*origin.path, origin.text))
                assert "ethernet1" not in shown
                assert "server-1" not in shown
                assert "spine-1" not in shown


DEFAULTS = [
    ("trust-map dscp ROCE-DSCP", "classify.trust"),
    ("qos-map traffic-class ROCE-QMAP", "tc_to_queue"),
    ("priority-flow-control mode on", "pfc.mode"),
    ("flowcontrol receive off", "pfc.link_pause.rx"),
    ("priority", "queue.unicast.6.scheduler"),
]


@pytest.mark.parametrize(("line", "field"), DEFAULTS, ids=[f for _, f in DEFAULTS])
def test_a_line_left_out_is_oss_own_default_with_its_source(read: Read, base: str, line: str, field: str) -> None:
    text = base.replace("\nqos-map traffic-class ROCE-QMAP", "\nqos-map traffic-class OTHER") if "qos-map" in line else base
    found = read(without(text, line)).ports["ethernet1/1/49"]
    origin = found.origins.of(field)
    assert isinstance(origin, Default)
    assert (origin.evidence, bool(origin.source)) == (Evidence.READ, True)
    qos = found.qos
    scheduler = qos.queues[Q6].scheduler
    assert isinstance(scheduler, Scheduler)
    values = {
        "classify.trust": (qos.classify.tagged_ip, qos.classify.untagged_ip, path(qos, dscp=26).tc)
        == (HeaderField.PORT, HeaderField.PORT, 0),
        "tc_to_queue": dict(qos.tc_to_queue) == {n: n for n in range(8)},
        "pfc.mode": qos.pfc.mode is PfcMode.OFF and qos.pfc.no_drop == {3},
        "pfc.link_pause.rx": qos.pfc.link_pause_rx is False,
        "queue.unicast.6.scheduler": scheduler.kind is SchedulerKind.DWRR,
    }
    assert values[field]


def test_other_defaults(read: Read, base: str) -> None:
    found = read(without(without(base, "mtu 9216"), "no shutdown")).ports["ethernet1/1/49"]
    assert (found.mtu, found.admin) == (1532, True)
    assert isinstance(found.own["mtu"], Default)
    bare = read("interface ethernet1/1/1\n").ports["ethernet1/1/1"].qos
    assert (bare.pfc.mode, bare.pfc.no_drop, bare.groups, bare.queues) == (PfcMode.OFF, frozenset(), {}, {})
    assert {path(bare, dscp=d, pcp=3, tagged=True).tc for d in range(64)} == {0}
    assert set(bare.tc_to_group.values()) == {7}


def test_unlisted_values_of_maps(read: Read, base: str) -> None:
    """A DSCP that a map does not list is class 0, by the guide's word for dot1p maps; a qos-group not listed is not known."""
    port = read(base).ports["ethernet1/1/1"]
    origin = port.origins["classify.dscp"]
    assert isinstance(origin, Default)
    assert origin.evidence is Evidence.SECONDARY
    short = read(base.replace(" queue 0 qos-group 0-2,4-5,7\n", "")).ports["ethernet1/1/1"]
    assert isinstance(path(short.qos, dscp=8).queue, Unknown)
    assert path(short.qos, dscp=26).queue == 3


def test_file_forms_that_mean_the_same(read: Read, base: str, model: SwitchModel) -> None:
    deeper = "\n".join(" " * (4 * (len(r) - len(r.lstrip()))) + r.lstrip() for r in base.split("\n"))
    separators = base.replace(" class Q3\n", " !\n class Q3\n").replace("  priority\n", "  priority\n  exit\n")
    capital = base.replace("interface ethernet1/1/1\n", "interface Ethernet 1/1/1\n")
    ranged = base.replace("interface ethernet1/1/49\n", "interface range ethernet1/1/49-1/1/49\n")
    uneven = base.replace(" ets mode on\n", "    ets mode on\n").replace(" qos-group 6 dscp 48", "   qos-group 6 dscp 48")
    banner = base.replace("!\nwred", "!\nbanner motd #\ninterface ethernet1/1/1\n no priority-flow-control\n#\n!\nwred", 1)
    twice = base + "interface ethernet1/1/1\n mtu 1500\n mtu 9216\n"
    policy = "policy-map type queuing ETS-OUT"
    blocks = base.replace(policy, f"{policy}\n class Q3\n  bandwidth percent 9\n{policy}")
    blanks = base.replace("0-2,4-5,7", "0-2, 4-5, 7")
    typed = base.replace("queue 3 qos-group 3\n", "queue 3 qos-group 3 type ucast\n queue 5 qos-group 3 type mcast\n")
    for text in (base.replace("\n", "\r\n"), deeper, separators, capital, ranged, uneven, banner, twice, blocks, blanks, typed):
        assert read(text) == model


def test_the_later_line_wins(read: Read, base: str) -> None:
    model = read(base + "interface ethernet1/1/1\n mtu 1500\n no priority-flow-control\n")
    port = model.ports["ethernet1/1/1"]
    assert (port.mtu, port.qos.pfc.mode, port.qos.pfc.no_drop) == (1500, PfcMode.OFF, {3})


def test_facts_from_outside_and_from_the_header(read: Read, base: str) -> None:
    tool = read("! Version 10.5.4.4\n! Model: z9332f-on\n!\n" + base)
    assert (tool.platform, tool.release, tool.asic) == ("Z9332F-ON", "10.5.4.4", "tomahawk3")
    given = Facts([Given("LEAF*", "xoff.toml [[devices]]", {"model": "S5232F-ON", "role": "leaf", "cable": "3m"})])
    model = read("! Model: z9332f-on\n" + base, facts=given)
    assert (model.platform, model.role, model.asic) == ("S5232F-ON", "leaf", "trident3")
    assert {p.cable_m for p in model.ports.values()} == {3}
