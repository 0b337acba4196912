"""The base configuration gives the model that its lines mean, with the line of each value."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from xoff.model.origin import BodyLine, Default, Line
from xoff.model.path import path
from xoff.model.qos import Colour, HeaderField, NotEct, PfcMode, QueueId, QueueKind, Scheduler, SchedulerKind, WatchdogAction
from xoff.model.quantity import Context, Quantity, Unit, Unknown, quantity
from xoff.model.switch import Form, Port, PortKind, SwitchModel

Read = Callable[..., SwitchModel]
Q3 = QueueId(QueueKind.UNICAST, 3)


@pytest.fixture(scope="module")
def model(read: Read, base: str) -> SwitchModel:
    return read(base)


@pytest.fixture(scope="module")
def port(model: SwitchModel) -> Port:
    return model.ports["Eth1/49"]


def test_device(model: SwitchModel) -> None:
    assert (model.hostname, model.nos, model.form) == ("LEAF-1", "enterprise_sonic", Form.RUNNING)
    assert list(model.ports) == ["Management0", "Eth1/1", "Eth1/49"]
    assert (model.platform, model.release, model.asic) == ("Z9664F-ON", "4.1.0", "tomahawk4")
    assert (model.remarks, model.other_lines) == ((), 0)
    assert [(p.name, str(p.size)) for p in model.pools] == [("ingress_lossless_pool.xoff", "50653696 bytes")]


def test_port(port: Port, model: SwitchModel) -> None:
    assert (port.kind, port.mtu, port.speed, port.admin, port.cable_m) == (PortKind.FRONT, 9216, 400_000, True, 40)
    assert port.description == "spine-1 port 1"
    assert port.routed is None  # neither an address nor a VLAN
    assert (model.ports["Management0"].kind, model.ports["Management0"].addresses) == (PortKind.MANAGEMENT, ("192.0.2.10/24",))


def test_a_packet_of_the_class_goes_where_it_should(port: Port) -> None:
    for tagged in (False, True):
        roce = path(port.qos, dscp=26, pcp=0, tagged=tagged)
        assert (roce.tc, roce.queue, roce.group, roce.protected, roce.marks) == (3, 3, 3, True, True)
        assert (roce.pause_sent_as, roce.obeys) == ({3}, {3})
    best_effort = path(port.qos, dscp=0)
    assert (best_effort.tc, best_effort.queue, best_effort.group, best_effort.protected) == (0, 0, 7, False)
    assert path(port.qos, dscp=48).tc == 6
    # A frame without IP is told apart by its tag, and DSCP is preferred to it where there is one (HLD 2.2.1.1).
    assert path(port.qos, dscp=None, pcp=3, tagged=True).tc == 3
    assert port.qos.classify.tagged_ip is HeaderField.DSCP


def test_pfc_and_groups(port: Port) -> None:
    pfc = port.qos.pfc
    assert (pfc.mode, pfc.no_drop, dict(pfc.send), dict(pfc.obey)) == (PfcMode.ON, {3}, {3: {3}}, {3: {3}})
    groups = port.qos.groups
    assert {n: g.lossless for n, g in groups.items()} == {3: True, 4: True, 7: False}
    assert (groups[3].headroom_by_device, groups[3].headroom_for_m, groups[3].pool) == (True, 40, "ingress_lossless_pool")
    assert isinstance(groups[3].headroom, Unknown)


def test_queue(port: Port) -> None:
    queue = port.qos.queues[Q3]
    curve = queue.curves[Colour.GREEN]
    assert (str(curve.kmin), str(curve.kmax), str(curve.pmax)) == ("1048 KB", "2097 KB", "5 %")
    assert isinstance(curve.kmin, Quantity)
    assert curve.kmin.bytes(Context()) == 1_048_000  # KB of 1,000 bytes
    assert (curve.marks, curve.drops, queue.not_ect, queue.lossless) == (True, False, NotEct.DROP, True)
    assert queue.scheduler == Scheduler(SchedulerKind.DWRR, quantity(50, Unit.WEIGHT), name="ROCE")
    kinds = {q.id.id: q.scheduler.kind for q in port.qos.queues.values() if isinstance(q.scheduler, Scheduler)}
    assert kinds == {0: SchedulerKind.DWRR, 3: SchedulerKind.DWRR, 6: SchedulerKind.STRICT}


def test_watchdog(port: Port) -> None:
    dog = port.qos.watchdog
    assert (dog.available, dog.enabled, dog.priorities, dog.action) == (True, True, {3}, WatchdogAction.DROP)
    assert [str(t) for t in (dog.detect, dog.restore, dog.poll)] == ["200 ms", "400 ms", "100 ms"]


def test_origins_name_the_lines(port: Port, base: str) -> None:
    rows = base.split("\n")

    def text(field: str) -> str:
        place = port.place(port.origins.of(field))
        assert place is not None
        return rows[place.line - 1].strip()

    for field, line in {
        "classify.trust": "qos-map dscp-tc ROCE",
        "classify.dscp.26": "dscp 24,26 traffic-class 3",
        "classify.pcp.3": "dot1p 3 traffic-class 3",
        "tc_to_queue.3": "traffic-class 3 queue 3",
        "tc_to_group.0": "traffic-class 0-2,4-7 priority-group 7",
        "pfc.mode": "priority-flow-control priority 3",
        "pfc.no_drop.3": "priority-flow-control priority 3",
        "pfc.obey.3": "pfc-priority 3 queue 3",
        "group.3.headroom": "buffer init lossless",
        "queue.unicast.3": "queue 3",
        "queue.unicast.3.scheduler": "type dwrr",
        "queue.unicast.3.share": "weight 50",
        "queue.unicast.3.kmin": "green minimum-threshold 1048 maximum-threshold 2097 drop-probability 5",
        "queue.unicast.3.marks": "ecn green",
        "queue.unicast.3.curve_profile": "queue 3 wred-policy ROCE",
        "watchdog.enabled": "priority-flow-control watchdog on detect-time 200",
        "watchdog.detect": "priority-flow-control watchdog on detect-time 200",
        "watchdog.restore": "priority-flow-control watchdog restore-time 400",
        "watchdog.poll": "priority-flow-control watchdog polling-interval 100",
    }.items():
        assert text(field) == line, field
    assert isinstance(port.origins["pfc.send.3"], Default)
    for field, line in {"cable_m": " cable-length 40m", "speed": " speed 400000", "admin": " no shutdown"}.items():
        place = port.place(port.own[field])
        assert place is not None
        assert rows[place.line - 1] == line


def test_causes_hold_no_identity(model: SwitchModel) -> None:
    for port in model.ports.values():
        for origin in [*port.origins.values(), *port.own.values()]:
            if isinstance(origin, (Line, BodyLine)):
                shown = " ".join((*origin.path, origin.text))
                assert "Eth1" not in shown
                assert "server-1" not in shown
                assert "192.0.2" not in shown
    line = model.ports["Eth1/1"].origins["queue.unicast.3.share"]
    assert isinstance(line, Line)
    assert line.path == ("qos scheduler-policy *", "queue 3")


def test_file_forms_that_mean_the_same(read: Read, base: str, model: SwitchModel) -> None:
    deeper = "\n".join(" " * (3 * (len(r) - len(r.lstrip()))) + r.lstrip() for r in base.split("\n"))
    spaced = base.replace("interface Eth1/", "interface Eth 1/")
    banner = base.replace("!\nqos wred", "!\nbanner motd ^\ninterface Eth1/1\n mtu 1500\n^\n!\nqos wred", 1)
    twice = base + "interface Eth1/1\n mtu 1500\n mtu 9216\n"
    older = base.replace("buffer init", "qos buffer init").replace("buffer pool", "qos buffer pool")
    older = older.replace("priority-flow-control priority 3", "pfc priority 3").replace("priority-group", "pg")
    split = base.replace("watchdog on detect-time 200", "watchdog on\n priority-flow-control watchdog detect-time 200")
    flat = "\n".join(r.strip() for r in base.split("\n"))
    for text in (base.replace("\n", "\r\n"), deeper, spaced, banner, twice, older, split, flat):
        assert read(text) == model, text[:200]


def test_equal_ports_share_their_body(read: Read, base: str) -> None:
    model = read(base.replace("cable-length 40m", "cable-length 5m"))
    a, b = model.ports["Eth1/1"], model.ports["Eth1/49"]
    assert a.qos is b.qos
    assert a.origins is b.origins
    assert a.own is b.own
    assert a.place(a.own["mtu"]) != b.place(b.own["mtu"])


def test_the_first_port_of_a_range_and_breakouts(read: Read) -> None:
    model = read(
        "interface range Eth 1/1-1/3\n mtu 9100\n!\ninterface Eth1/5/1\n!\ninterface Eth1/5/2\n!\ninterface Eth1/6/1\n"
    )
    assert list(model.ports) == ["Eth1/1", "Eth1/2", "Eth1/3", "Eth1/5/1", "Eth1/5/2", "Eth1/6/1"]
    assert {p.mtu for n, p in model.ports.items() if n.count("/") == 1} == {9100}
    assert (model.ports["Eth1/5/2"].kind, model.ports["Eth1/5/2"].breakout_parent) == (PortKind.BREAKOUT, "Eth1/5")
    assert model.ports["Eth1/6/1"].kind is PortKind.FRONT  # standard extended: whole ports have three parts too


def test_bundles(read: Read) -> None:
    model = read("interface PortChannel10\n mtu 9100\n!\ninterface Eth1/1\n channel-group 10\n!\n")
    assert model.bundles["PortChannel10"].members == ("Eth1/1",)
    assert (model.ports["Eth1/1"].kind, model.ports["PortChannel10"].kind) == (PortKind.MEMBER, PortKind.BUNDLE)


def test_alpha_of_profiles(read: Read, base: str) -> None:
    profile = "buffer profile P ingress_lossless_pool 1248 dynamic-threshold -3 pause pause-threshold 177632 "
    profile += "resume-threshold 2288 resume-offset-threshold 2288\n"
    bound = base.replace("buffer init lossless\n", "buffer init lossless\n" + profile)
    bound = bound.replace(" cable-length 5m\n", " cable-length 5m\n buffer priority-group 3-4 P\n")
    for text in (bound, bound.replace("pause pause-threshold", "pause-threshold")):
        group = read(text).ports["Eth1/1"].qos.groups[4]
        assert (group.lossless, str(group.headroom), str(group.reserved)) == (True, "177632 bytes", "1248 bytes")
        assert (str(group.xon), str(group.xon_offset), group.profile) == ("2288 bytes", "2288 bytes", "P")
        assert group.threshold.alpha.amount == Fraction(1, 8)  # type: ignore[union-attr]
        assert not group.headroom_by_device
    plain = read(bound.replace(" pause pause-threshold 177632 resume-threshold 2288 resume-offset-threshold 2288", ""))
    assert plain.ports["Eth1/1"].qos.groups[3].lossless is False
