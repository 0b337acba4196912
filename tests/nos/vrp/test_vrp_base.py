"""The base configuration, value by value."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from xoff.model.origin import BodyLine, Default, Line
from xoff.model.path import path
from xoff.model.qos import Colour, HeaderField, PfcMode, QueueId, QueueKind, SchedulerKind, Static, WatchdogAction
from xoff.model.quantity import Quantity, Unit, Unknown, quantity
from xoff.model.switch import PortKind, SwitchModel

Read = Callable[..., SwitchModel]


def kbytes(n: int) -> Quantity:
    return quantity(n, Unit.KBYTES)


def test_the_switch(base: str, read: Read) -> None:
    model = read(base)
    assert (model.hostname, model.release, model.asic, model.kilo) == ("LEAF-1", "V300R023C00SPC500", "huaweia", 1024)
    assert model.facts["asic"].origin.startswith("family a: `")
    assert model.remarks == ()
    (pool,) = model.pools
    assert (pool.name, pool.size) == ("headroom-pool slot 1", quantity(4, Unit.MBYTES))
    assert [(d.kind, d.name, d.marks) for d in model.definitions] == [
        ("drop-profile", "roce", True),
        ("diffserv domain", "roce", False),
    ]
    assert {(r.kind, r.name, r.resolves, r.ports) for r in model.references} == {
        ("drop-profile", "roce", True, ("25GE1/0/1", "100GE1/0/49")),
        ("diffserv domain", "roce", True, ("25GE1/0/1", "100GE1/0/49")),
    }


def test_a_switched_and_a_routed_port(base: str, read: Read) -> None:
    model = read(base)
    host, up = model.ports["25GE1/0/1"], model.ports["100GE1/0/49"]
    assert (host.kind, host.speed, host.mtu, host.routed, host.description) == (
        PortKind.FRONT, 25_000, 9216, False, "server-1",
    )  # fmt: skip
    assert (up.speed, up.mtu, up.routed, up.addresses) == (100_000, 9000, True, ("10.0.0.1/31",))
    for port, said in ((host, BodyLine), (up, Default)):
        assert (port.qos.classify.tagged_ip, port.qos.classify.untagged_ip) == (HeaderField.DSCP, HeaderField.DSCP)
        assert isinstance(port.origins["classify.trust"], said)
        assert isinstance(port.qos.classify.non_ip, Unknown)


def test_the_way_of_roce_and_of_cnp(base: str, read: Read) -> None:
    qos = read(base).ports["25GE1/0/1"].qos
    roce, cnp = path(qos, dscp=26), path(qos, dscp=48)
    assert (roce.tc, roce.queue, roce.group, roce.protected, roce.pause_sent_as, roce.obeys, roce.marks) == (
        3, 3, 3, True, frozenset({3}), frozenset({3}), True,
    )  # fmt: skip
    assert (cnp.tc, cnp.queue, cnp.protected, cnp.marks) == (6, 6, False, False)
    assert (path(qos, dscp=28).tc, path(qos, dscp=28).colour) == (3, Colour.YELLOW)
    assert path(qos, dscp=30).colour is Colour.RED


def test_pfc_and_buffers(base: str, read: Read) -> None:
    model = read(base)
    host, up = model.ports["25GE1/0/1"].qos, model.ports["100GE1/0/49"].qos
    assert (host.pfc.mode, host.pfc.no_drop, host.pfc.counts_by) == (PfcMode.ON, frozenset({3}), None)
    group = host.groups[3]
    assert (group.lossless, group.headroom, group.threshold, group.xon, group.xon_offset) == (
        True, kbytes(100), Static(kbytes(600)), None, kbytes(20),
    )  # fmt: skip
    assert up.groups[3].headroom == kbytes(256)


def test_queues(base: str, read: Read) -> None:
    queues = read(base).ports["25GE1/0/1"].qos.queues
    kinds = [queues[QueueId(QueueKind.UNICAST, n)].scheduler for n in range(8)]
    assert [s.kind for s in kinds] == [SchedulerKind.DWRR] * 6 + [SchedulerKind.STRICT] * 2  # type: ignore[union-attr]
    assert [s.share.amount for s in kinds[:6]] == [1, 1, 1, 50, 1, 1]  # type: ignore[union-attr]
    curve = queues[QueueId(QueueKind.UNICAST, 3)].curves[Colour.GREEN]
    assert (curve.kmin, curve.kmax, curve.pmax, curve.marks, curve.drops) == (
        quantity(249_600, Unit.BYTES), quantity(499_200, Unit.BYTES), quantity(20, Unit.PERCENT), True, False,
    )  # fmt: skip
    assert not queues[QueueId(QueueKind.UNICAST, 0)].curves


def test_deadlock_detection(base: str, read: Read) -> None:
    watchdog = read(base).ports["25GE1/0/1"].qos.watchdog
    assert (watchdog.enabled, watchdog.priorities, watchdog.poll) == (True, frozenset({3}), None)
    assert watchdog.detect == quantity(100, Unit.MILLISECONDS)
    assert watchdog.restore == Quantity(Fraction(200), Unit.MILLISECONDS)
    # 20 s hold 66 deadlocks of 300 ms at most; 300 are never counted.
    assert (watchdog.action, watchdog.latch) == (WatchdogAction.DROP, False)


def test_origins_name_the_lines(base: str, read: Read) -> None:
    model = read(base)
    port = model.ports["100GE1/0/49"]
    rows = base.split("\n")
    for key, text in (
        ("queue.unicast.3.kmin", " ecn buffer-size low-limit 249600 high-limit 499200 discard-percentage 20"),
        ("queue.unicast.3.marks", " qos queue 3 ecn"),
        ("classify.dscp.26", " ip-dscp-inbound 26 phb af3 green"),
        ("pfc.no_drop.3", " priority 3"),
        ("pfc.mode", " dcb pfc enable mode manual"),
        ("group.3.headroom", " dcb pfc buffer 3 hdrm 256 kbytes"),
        ("watchdog.detect", " priority 3 deadlock-detect time 10 deadlock-recovery time 20"),
        ("watchdog.action", "dcb pfc deadlock recovery-behavior discard slot 1"),
    ):
        origin = port.origins[key]
        assert isinstance(origin, (Line, BodyLine)), key
        place = port.place(origin)
        assert place is not None
        assert rows[place.line - 1] == text, key
        assert "25GE" not in origin.text
        assert "/0/" not in origin.text
