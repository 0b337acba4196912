"""The base configuration gives the model that its lines mean, with the line of each value."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from xoff.model.origin import BodyLine, Default, Evidence, Line
from xoff.model.path import path
from xoff.model.qos import Colour, HeaderField, PfcMode, QueueId, QueueKind, Scheduler, SchedulerKind, WatchdogAction
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.switch import Form, Port, PortKind, SwitchModel
from xoff.nos.facts import Facts, Given

Read = Callable[..., SwitchModel]
Q3 = QueueId(QueueKind.UNICAST, 3)


@pytest.fixture(scope="module")
def model(read: Read, base: str) -> SwitchModel:
    return read(base)


@pytest.fixture(scope="module")
def port(model: SwitchModel) -> Port:
    return model.ports["Ethernet1/49"]


def test_device(model: SwitchModel) -> None:
    assert (model.hostname, model.nos, model.pfc_off, model.kilo, model.form) == ("LEAF-1", "nxos", False, None, Form.RUNNING)
    assert list(model.ports) == ["Ethernet1/1", "Ethernet1/49"]
    assert (model.remarks, model.other_lines) == ((), 0)
    assert (dict(model.class_mtus), model.lossless_mtu) == ({3: 9216, 7: 9216, 0: 9216}, 9216)
    assert all(r.resolves for r in model.references)


def test_port(port: Port, model: SwitchModel) -> None:
    assert (port.kind, port.mtu, port.admin, port.routed, port.description) == (PortKind.FRONT, 9216, True, True, "spine-1")
    assert model.ports["Ethernet1/1"].routed is False
    assert port.speed is None


def test_a_packet_of_the_class_goes_where_it_should(port: Port) -> None:
    roce = path(port.qos, dscp=26)
    assert (roce.tc, roce.queue, roce.group, roce.protected, roce.marks) == (3, 3, 3, True, True)
    assert (roce.pause_sent_as, roce.obeys) == ({3}, {3})
    assert path(port.qos, dscp=48).tc == 7
    rest = path(port.qos, dscp=0)
    assert (rest.tc, rest.protected) == (0, False)
    assert path(port.qos, dscp=26, pcp=5, tagged=True).tc == 3  # the class looks at the DSCP, tag or no tag


def test_pfc_and_groups(port: Port) -> None:
    pfc = port.qos.pfc
    assert (pfc.mode, pfc.no_drop, dict(pfc.send), dict(pfc.obey)) == (PfcMode.ON, {3}, {3: {3}}, {3: {3}})
    assert (pfc.link_pause_rx, pfc.link_pause_tx) == (False, False)
    group = port.qos.groups[3]
    assert (list(port.qos.groups), group.lossless, group.headroom_by_device, group.headroom_for_m) == ([3], True, True, 100)
    assert isinstance(group.headroom, Unknown)
    assert isinstance(group.xon, Unknown)


def test_queues(port: Port) -> None:
    assert [q.id for q in port.qos.queues] == list(range(8))
    queue = port.qos.queues[Q3]
    curve = queue.curves[Colour.GREEN]
    assert (str(curve.kmin), str(curve.kmax), str(curve.pmax)) == ("150 kbytes", "3000 kbytes", "7 %")
    assert (curve.marks, curve.drops, curve.weight) == (True, False, 0)
    assert queue.scheduler == Scheduler(SchedulerKind.DWRR, Quantity(Fraction(60), Unit.PERCENT))
    assert port.qos.queues[QueueId(QueueKind.UNICAST, 7)].scheduler == Scheduler(SchedulerKind.STRICT)
    # The policy says nothing of queue 5, and what such a queue gets is not confirmed.
    assert isinstance(port.qos.queues[QueueId(QueueKind.UNICAST, 5)].scheduler, Unknown)


def test_watchdog(port: Port) -> None:
    dog = port.qos.watchdog
    assert (dog.available, dog.enabled, dog.priorities, dog.action, dog.latch) == (True, True, {3}, WatchdogAction.DROP, False)
    assert all(isinstance(t, Unknown) for t in (dog.detect, dog.restore, dog.poll))


def test_origins_name_the_lines(port: Port, base: str) -> None:
    rows = base.split("\n")

    def text(field: str) -> str:
        place = port.place(port.origins.of(field))
        assert place is not None
        return rows[place.line - 1].strip()

    for field, line in {
        "classify.trust": "service-policy type qos input PM-IN",
        "classify.dscp.26": "set qos-group 3",
        "classify.dscp.48": "set qos-group 7",
        "classify.dscp.48.values": "match dscp 48",
        "classify.dscp.0": "policy-map type qos PM-IN",
        "pfc.mode": "priority-flow-control mode on",
        "pfc.no_drop.3": "pause pfc-cos 3",
        "pfc.send.3": "pause pfc-cos 3",
        "pfc.obey.3": "pause pfc-cos 3",
        "group.3": "pause pfc-cos 3",
        "queue.unicast.3": "class type queuing c-out-8q-q3",
        "queue.unicast.3.share": "bandwidth remaining percent 60",
        "queue.unicast.3.kmin": next(r.strip() for r in rows if "random-detect" in r),
        "queue.unicast.7.scheduler": "priority level 1",
        "watchdog.enabled": "priority-flow-control watch-dog-interval on",
    }.items():
        assert text(field) == line, field
    assert rows[port.at.line - 1] == "interface Ethernet1/49"  # type: ignore[union-attr]
    assert port.place(port.own["description"]).line == rows.index("  description spine-1") + 1  # type: ignore[union-attr]


def test_causes_hold_no_identity(model: SwitchModel) -> None:
    for port in model.ports.values():
        for origin in [*port.origins.values(), *port.own.values()]:
            if isinstance(origin, (Line, BodyLine)):
                shown = " ".join((*origin.path, origin.text))
                assert not any(word in shown for word in ("Ethernet", "server-1", "spine-1"))
    where = model.ports["Ethernet1/1"].origins["queue.unicast.3.kmin"]
    assert where.path == ("policy-map type queuing *", "class type queuing c-out-8q-q3")  # type: ignore[union-attr]


def test_what_is_not_said_is_a_default_with_its_evidence(port: Port) -> None:
    for field in ("classify.default", "tc_to_queue", "group.3.headroom", "watchdog.action", "pfc.link_pause.rx"):
        origin = port.origins[field]
        assert isinstance(origin, Default)
        assert (origin.evidence, origin.source != "") == (Evidence.READ, True), field


def test_equal_ports_share_one_body(read: Read, base: str) -> None:
    more = base + base[base.index("interface Ethernet1/49") :].replace("1/49", "1/50").replace("spine-1", "spine-2")
    model = read(more)
    assert model.ports["Ethernet1/49"].qos is model.ports["Ethernet1/50"].qos
    assert model.ports["Ethernet1/49"].origins is model.ports["Ethernet1/50"].origins


def test_file_forms_that_mean_the_same(read: Read, base: str, model: SwitchModel) -> None:
    deeper = "\n".join(" " * (2 * (len(r) - len(r.lstrip()))) + r.lstrip() for r in base.split("\n"))
    commented = base.replace("  mtu 9216\n  priority", "  ! priority-flow-control mode off\n  mtu 9216\n  priority")
    banner = "banner motd #\ninterface Ethernet1/1\n  priority-flow-control mode off\n#\n" + base
    spaced = base.replace("interface Ethernet1/", "interface Ethernet 1/")
    short = base.replace("interface Ethernet1/", "interface eth1/")
    twice = base + "interface Ethernet1/1\n  mtu 1500\n  mtu 9216\n"
    untyped = base.replace("policy-map type qos PM", "policy-map PM").replace("class-map type qos match", "class-map match")
    no_stats = base.replace("input PM-IN", "input PM-IN no-stats")
    for text in (base.replace("\n", "\r\n"), deeper, commented, banner, spaced, short, twice, untyped, no_stats):
        found = read(text)
        assert found.remarks == ()
        assert found.ports == model.ports


def test_the_later_line_wins(read: Read, base: str) -> None:
    model = read(
        base
        + "interface Ethernet1/1\n  mtu 1500\n  no priority-flow-control mode on\n  no service-policy type qos input PM-IN\n"
    )
    qos = model.ports["Ethernet1/1"].qos
    assert (model.ports["Ethernet1/1"].mtu, qos.pfc.mode, qos.classify.untagged_ip) == (1500, PfcMode.AUTO, HeaderField.PORT)


def test_facts_from_outside_and_from_the_file(read: Read, base: str) -> None:
    model = read("!Command: show running-config\nversion 10.4(1) Bios:version 01.08\n! Model: 9336C-FX2\n" + base)
    assert (model.platform, model.release, model.asic) == ("N9K-C9336C-FX2", "10.4(1)", "ls3600fx2")
    given = Facts([Given("LEAF*", "xoff.toml [[devices]]", {"role": "leaf", "cable": "3m", "speed": "100G"})])
    model = read(base, facts=given)
    assert (model.role, {(p.speed, p.cable_m) for p in model.ports.values()}) == ("leaf", {(100_000, 3)})


def test_a_terminal_of_80_columns(read: Read, base: str) -> None:
    """Lines that fill the terminal go on at the left edge of the next row; line numbers stay those of the file."""
    wrapped = "\n".join(part for row in base.split("\n") for part in ([row[:80], row[80:]] if len(row) > 80 else [row]))
    assert wrapped != base
    found = read(wrapped)
    assert (found.remarks, found.ports) == ((), read(base).ports)
    last = found.ports["Ethernet1/49"]
    assert wrapped.split("\n")[last.at.line - 1] == "interface Ethernet1/49"  # type: ignore[union-attr]
    place = last.place(last.origins["queue.unicast.3.kmin"])
    assert wrapped.split("\n")[place.line - 1].startswith("    random-detect minimum-threshold")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "line",
    [
        "  description " + "x" * 66,  # fills the row, and what follows is a line of its own
        "! " + "x" * 78,
        "x" * 81,  # not from such a terminal
    ],
)
def test_a_full_row_alone_is_no_wrapped_line(read: Read, base: str, line: str) -> None:
    assert read(line + "\n" + base).ports == read(base).ports


def test_an_excerpt_is_no_whole_configuration(read: Read, base: str) -> None:
    for text in (base.replace("hostname LEAF-1\n", ""), base[: base.index("interface")], base + "... (truncated)\n"):
        assert read(text).form is Form.FRAGMENT
    excerpt = read(base.replace("hostname LEAF-1\n", "").replace("input PM-IN", "input OTHER"))
    (dangling,) = [r for r in excerpt.references if r.name == "OTHER"]
    assert dangling.resolves is None
