"""The base configuration as a model, value by value; what braces and set lines say is one model; real files."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from tests.nos.junos.conftest import BASE, parse
from xoff.model.fields import ALL_FIELDS, same
from xoff.model.origin import BodyLine, Line
from xoff.model.path import path
from xoff.model.qos import Alpha, Colour, HeaderField, PfcMode, QueueId, QueueKind, Scheduler, SchedulerKind, WatchdogAction
from xoff.model.quantity import Quantity, Unit
from xoff.model.switch import Form, PoolKind, PortKind, SwitchModel
from xoff.nos import junos, registry
from xoff.nos.source import read_source

Shared = Callable[[str], Path]
Q3, Q4 = QueueId(QueueKind.UNICAST, 3), QueueId(QueueKind.UNICAST, 4)


def real(file: Path) -> SwitchModel:
    (model,) = junos.parse([read_source(file)], registry.load("junos"))
    return model


def test_device(base: SwitchModel) -> None:
    assert (base.hostname, base.form, set(base.ports)) == ("leaf-1", Form.RUNNING, {"et-0/0/0", "et-0/0/30"})
    assert base.lossless_mtu == 2500, "no mru: the switch sizes headroom for 2,500 bytes whatever the MTU"
    assert {(p.name, p.kind, str(p.size)) for p in base.pools} == {
        ("ingress lossless", PoolKind.SHARED, "66 % of pool"),
        ("ingress lossless-headroom", PoolKind.HEADROOM, "24 % of pool"),
        ("ingress lossy", PoolKind.SHARED, "10 % of pool"),
        ("egress lossless", PoolKind.SHARED, "66 % of pool"),
        ("egress lossy", PoolKind.SHARED, "10 % of pool"),
    }
    assert base.remarks == ()
    assert [r.name for r in base.references if r.resolves is not True] == []


def test_equal_ports_share_one_body(base: SwitchModel) -> None:
    one, other = base.ports.values()
    assert one.qos is other.qos
    assert one.origins is other.origins


def test_port(base: SwitchModel) -> None:
    p = base.ports["et-0/0/0"]
    assert (p.kind, p.mtu, p.routed, p.cable_m, p.description, p.addresses) == (
        PortKind.FRONT, 9216, True, 40, "server-1", ("10.1.0.0/31",),
    )  # fmt: skip
    assert str(p.place(p.own.get("mtu"))) == "leaf1.cfg:33"
    assert str(p.place(p.own.get("cable_m"))) == "leaf1.cfg:17"


def test_path_of_a_packet(base: SwitchModel) -> None:
    q = base.ports["et-0/0/0"].qos
    roce, cnp = path(q, dscp=26), path(q, dscp=48)
    assert (roce.tc, roce.queue, roce.group, roce.protected) == (4, 4, 3, True)
    assert (roce.pause_sent_as, roce.obeys, roce.marks) == ({3}, {3}, True)
    assert (cnp.queue, cnp.protected, cnp.obeys) == (3, False, frozenset())
    assert q.classify.untagged_ip is HeaderField.DSCP
    assert path(q, dscp=0).queue == 0, "what the classifier does not list goes to queue 0"
    assert not base.ports["et-0/0/0"].origins.said("classify.dscp.0")


def test_pfc_and_watchdog(base: SwitchModel) -> None:
    q = base.ports["et-0/0/0"].qos
    assert (q.pfc.mode, q.pfc.no_drop, dict(q.pfc.send), dict(q.pfc.obey)) == (PfcMode.ON, {3}, {3: {3}}, {3: {4}})
    w = q.watchdog
    assert (w.enabled, w.priorities, str(w.detect), str(w.restore), str(w.poll), w.action) == (
        True, {3}, "200 ms", "200 ms", "100 ms", WatchdogAction.DROP,
    )  # fmt: skip


def test_queues_and_thresholds(base: SwitchModel) -> None:
    q = base.ports["et-0/0/0"].qos
    roce, cnp = q.queues[Q4], q.queues[Q3]
    curve = roce.curves[Colour.GREEN]
    assert (str(curve.kmin), str(curve.kmax), str(curve.pmax)) == ("55 % of limit", "90 % of limit", "100 %")
    assert isinstance(roce.scheduler, Scheduler)
    assert isinstance(cnp.scheduler, Scheduler)
    assert (roce.scheduler.kind, str(roce.scheduler.share)) == (SchedulerKind.DWRR, "50 %")
    assert (cnp.scheduler.kind, cnp.scheduler.share, str(cnp.scheduler.cap)) == (SchedulerKind.STRICT, None, "5 %")
    assert (roce.lossless, cnp.lossless, cnp.curves) == (True, False, {})
    # Table of the vendor's own article: 7 is 1, 10 is 8.
    assert (q.groups[3].threshold, roce.limit, cnp.limit) == (_alpha(1), _alpha(8), _alpha(1))
    assert q.groups[3].xon_offset == Quantity(Fraction(20), Unit.CELLS)
    assert q.groups[3].headroom_by_device


def _alpha(n: int) -> Alpha:
    return Alpha(Quantity(Fraction(n), Unit.ALPHA))


def test_origins_name_the_lines(base: SwitchModel) -> None:
    p = base.ports["et-0/0/30"]
    lines = {
        k: str(p.place(p.origins.of(k)))
        for k in ("classify.dscp.26", "classify.trust", "pfc.mode", "pfc.no_drop.3", "pfc.obey.3", "tc_to_queue.4",
                  "queue.unicast.4.kmin", "queue.unicast.4.kmax", "queue.unicast.4.marks", "queue.unicast.4.share")
    }  # fmt: skip
    assert {k: int(v.rpartition(":")[2]) for k, v in lines.items()} == {
        "classify.dscp.26": 3, "classify.trust": 31, "pfc.mode": 29, "pfc.no_drop.3": 16, "pfc.obey.3": 18, "tc_to_queue.4": 14,
        "queue.unicast.4.kmin": 4, "queue.unicast.4.kmax": 5, "queue.unicast.4.marks": 23, "queue.unicast.4.share": 21,
    }  # fmt: skip
    assert isinstance(p.origins["classify.trust"], BodyLine)
    assert isinstance(p.origins["classify.dscp.26"], Line)


def test_causes_hold_no_names_of_ports(base: SwitchModel) -> None:
    for p in base.ports.values():
        for origin in (*p.origins.values(), *p.own.values()):
            if isinstance(origin, (Line, BodyLine)):
                said = " ".join((*origin.path, origin.text))
                assert "et-0" not in said
                assert "10." not in said
                assert "server-1" not in said


def to_braces(text: str) -> str:
    """The set lines as one nested block, an inner block per word but the last two."""
    return "".join(
        " { ".join(line.removeprefix("set ").split()[:-1])
        + " { "
        + line.split()[-1]
        + "; "
        + "} " * (len(line.split()) - 2)
        + "\n"
        for line in text.strip().split("\n")
    )


def test_any_grouping_of_braces_is_the_same(base: SwitchModel) -> None:
    """However the words are nested, the statement is the same."""
    assert same(base, parse(to_braces(BASE)), ALL_FIELDS) == []


def test_a_validated_leaf_and_its_set_form_agree(shared: Shared) -> None:
    brace = real(shared("corpus/junos/01_qfx5240_ai_leaf_full.conf"))
    sets = real(shared("corpus/junos/06_qfx5240_ai_leaf_cos.set"))
    assert len({id(p.qos) for p in brace.ports.values()}) <= 4
    port = brace.ports["et-0/0/12:0"]
    assert (port.kind, port.speed, port.breakout_parent, port.mtu) == (PortKind.BREAKOUT, 400_000, "et-0/0/12", 9216)
    assert brace.ports["et-0/0/12"].kind is PortKind.INTERNAL, "a split socket is no port"
    assert port.qos == sets.ports["et-0/0/12:0"].qos
    assert port.qos.groups[3].threshold == _alpha(8)
    roce = path(port.qos, dscp=26)
    assert (roce.queue, roce.pause_sent_as, roce.obeys, roce.marks) == (4, {3}, {3}, True)


def test_a_fragment_is_judged_by_its_wildcard(shared: Shared) -> None:
    model = real(shared("corpus/junos/jvd-snip-rdma-lossless-evo.conf"))
    assert (model.form, set(model.ports)) == (Form.FRAGMENT, {"et-*"})
    assert path(model.ports["et-*"].qos, dscp=26).protected is True


def test_release_of_the_version_statement(shared: Shared) -> None:
    model = real(shared("corpus/junos/jvd-storage-spine1-qfx5220-full-no-pfc.conf"))
    assert model.release == "23.4R2-S3-202409180120.0-EVO"
    assert not any(p.qos.pfc.send for p in model.ports.values())
