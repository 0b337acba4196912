"""Writing: fields that the golden intents do not use come back as they went, and what VRP cannot say is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from xoff.derive import derive, derive_all
from xoff.errors import CannotExpress
from xoff.fabric.planned import PlannedFabric
from xoff.intent.expand import plan
from xoff.model.fields import same
from xoff.model.frozen import FrozenMap
from xoff.model.qos import (
    Alpha,
    Classify,
    Colour,
    Curve,
    HeaderField,
    Match,
    MatchKind,
    PfcMode,
    PortQos,
    PriorityGroup,
    Queue,
    QueueId,
    QueueKind,
    Scheduler,
    SchedulerKind,
    Static,
    WatchdogAction,
)
from xoff.model.quantity import Quantity, Unit, Unknown, quantity
from xoff.model.switch import SwitchModel
from xoff.nos import registry, vrp
from xoff.nos.renderer import NoteKind, Rendered, render
from xoff.nos.source import Source

HERE = Path(__file__).parent
THREE = QueueId(QueueKind.UNICAST, 3)
Read = Callable[..., SwitchModel]


@lru_cache(maxsize=2)
def derived(case: str) -> SwitchModel:
    return derive(plan(HERE / "goldens" / case / "intent.yaml"), "leaf1").model


def changed(case: str, change: Callable[[PortQos], PortQos], **port: Any) -> SwitchModel:
    """The golden switch with every port's body changed."""
    model = derived(case)
    done: dict[int, PortQos] = {}
    ports = {}
    for name, p in model.ports.items():
        q = done.setdefault(id(p.qos), replace(change(p.qos), _hash=0) if p.qos.pfc.no_drop else p.qos)
        ports[name] = replace(p, qos=q, **port)
    return replace(model, ports=FrozenMap(ports))


def back(model: SwitchModel) -> tuple[SwitchModel, Rendered]:
    nos = registry.load("vrp")
    made = render(model, nos)
    (found,) = vrp.parse([Source(n, t) for n, t in made.files.items()], nos)
    return found, made


def group(**values: Any) -> Callable[[PortQos], PortQos]:
    return lambda q: replace(q, groups=FrozenMap({n: replace(g, **values) for n, g in q.groups.items()}))


def three(**values: Any) -> Callable[[PortQos], PortQos]:
    return lambda q: replace(q, queues=FrozenMap({**q.queues, THREE: replace(q.queues[THREE], **values)}))


def kbytes(n: int) -> Quantity:
    return quantity(n, Unit.KBYTES)


def ramp(low: int, high: int, pmax: int, unit: Unit, *, marks: bool) -> Curve:
    return Curve(quantity(low, unit), quantity(high, unit), quantity(pmax, Unit.PERCENT), marks, not marks)


DROPPING = {
    Colour.GREEN: ramp(80, 100, 10, Unit.PERCENT_OF_LIMIT, marks=False),
    Colour.RED: ramp(40, 60, 40, Unit.PERCENT_OF_LIMIT, marks=False),
}
MARKING = ramp(400, 800, 5, Unit.CELLS, marks=True)
CELLS = {Colour.GREEN: MARKING}
ACROSS = QueueId(QueueKind.MULTICAST, 1)
MULTICAST = Queue(ACROSS, scheduler=Scheduler(SchedulerKind.STRICT))


def marking(**values: Any) -> Callable[[PortQos], PortQos]:
    return three(curves=FrozenMap({Colour.GREEN: replace(MARKING, **values)}))


def watchdog(**values: Any) -> Callable[[PortQos], PortQos]:
    return lambda q: replace(q, watchdog=replace(q.watchdog, **values))


REWRITE = FrozenMap(enumerate([0, 10, 18, 24, 34, 46, 48, 56]))


@pytest.mark.parametrize(
    ("case", "change"),
    [
        ("leaf-a", group(threshold=Static(kbytes(600)), xon=None, xon_offset=kbytes(20))),
        ("leaf-a", group(reserved=quantity(1600, Unit.BYTES))),
        ("leaf-b", group(threshold=Static(kbytes(125)), xon=kbytes(100))),
        ("leaf-a", three(limit=Static(quantity(2, Unit.MBYTES)))),
        ("leaf-a", three(curves=FrozenMap(DROPPING))),
        ("leaf-a", three(curves=FrozenMap(CELLS))),
        ("leaf-a", three(scheduler=Scheduler(SchedulerKind.STRICT))),
        ("leaf-a", lambda q: replace(q, rewrite_dscp=REWRITE)),
        ("leaf-a", lambda q: replace(q, pfc=replace(q.pfc, mode=PfcMode.AUTO))),
        ("leaf-a", lambda q: replace(q, pfc=replace(q.pfc, counts_by=HeaderField.PCP))),
        ("leaf-a", watchdog(action=WatchdogAction.FORWARD)),
        ("leaf-a", watchdog(detect=quantity(1, Unit.SECONDS), restore=quantity(0, Unit.SECONDS))),
    ],
)  # fmt: skip
def test_more_fields_come_back(case: str, change: Callable[[PortQos], PortQos]) -> None:
    model = changed(case, change)
    found, _ = back(model)
    assert found.remarks == ()
    can = [f for f in registry.load("vrp").can if not f.startswith("watchdog.detect") and not f.startswith("watchdog.restore")]
    assert same(model, found, can) == []
    for name, p in model.ports.items():
        ours, theirs = p.qos.watchdog, found.ports[name].qos.watchdog
        for a, b in ((ours.detect, theirs.detect), (ours.restore, theirs.restore)):
            assert a == b or (isinstance(a, Quantity) and isinstance(b, Quantity) and a.ns() == b.ns())
        assert found.ports[name].qos.pfc.counts_by == p.qos.pfc.counts_by


def test_a_switched_port_says_its_trust() -> None:
    model = changed("leaf-a", lambda q: q, routed=False, mtu=9216)
    found, made = back(model)
    assert same(model, found, registry.load("vrp").can) == []
    assert " trust dscp\n" in made.files["leaf1.cfg"]
    assert " jumboframe enable 9216\n" in made.files["leaf1.cfg"]


def test_a_port_that_reads_the_tag() -> None:
    pcp = tuple(Match(MatchKind.PCP, frozenset({v}), 3 if v == 3 else 0) for v in range(8))
    own = tuple(m for m in derived("leaf-a").ports["25GE1/0/1"].qos.classify.matches if m.kind is MatchKind.DSCP)
    by_tag = Classify(own + pcp, HeaderField.PCP, HeaderField.PORT, HeaderField.PCP, 0)
    model = changed("leaf-a", lambda q: replace(q, classify=by_tag), routed=False, mtu=9216)
    model = replace(model, ports=FrozenMap({n: p for n, p in model.ports.items() if p.qos.pfc.no_drop}))
    found, made = back(model)
    assert same(model, found, registry.load("vrp").can) == []
    assert " trust 8021p outer\n" in made.files["leaf1.cfg"]
    with pytest.raises(CannotExpress, match="routed port of VRP trusts DSCP"):
        back(replace(model, ports=FrozenMap({n: replace(p, routed=True) for n, p in model.ports.items()})))


def test_two_sets_of_priorities_are_two_profiles() -> None:
    model = derived("leaf-b")
    name = "25GE1/0/1"
    only = model.ports[name].qos
    four = replace(
        only,
        pfc=replace(only.pfc, no_drop=frozenset({4}), send=FrozenMap({4: frozenset({4})}), obey=FrozenMap({4: frozenset({4})})),
        groups=FrozenMap({4: only.groups[4]}),
        watchdog=replace(only.watchdog, priorities=frozenset({4})),
        _hash=0,
    )
    model = replace(model, ports=FrozenMap({**model.ports, name: replace(model.ports[name], qos=four)}))
    found, made = back(model)
    assert same(model, found, registry.load("vrp").can) == []
    assert "dcb pfc enable XOFF mode manual" in made.files["leaf1.cfg"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (group(threshold=Alpha(quantity("1/4", Unit.ALPHA))), "dynamic level"),
        (group(headroom=quantity(1000, Unit.BYTES)), "16 to 30720 kbytes"),
        (group(headroom=kbytes(40_000)), "16 to 30720 kbytes"),
        (group(xon_offset=kbytes(20)), "beside a fixed XOFF"),
        (group(reserved=quantity(1, Unit.BYTES)), "640 to 25600"),
        (three(scheduler=Scheduler(SchedulerKind.DWRR, quantity(60, Unit.PERCENT))), "takes a weight"),
        (three(scheduler=Scheduler(SchedulerKind.DWRR, quantity(101, Unit.WEIGHT))), "1 to 100"),
        (three(scheduler=Scheduler(SchedulerKind.STRICT, cap=quantity(1, Unit.KBPS))), "shapers"),
        (three(scheduler=Unknown("a hole")), "scheduler is not known"),
        (three(limit=Alpha(quantity(1, Unit.ALPHA))), "dynamic level"),
        (three(curves=FrozenMap({Colour.RED: MARKING})), "one ramp of marking"),
        (marking(drops=True), "not both"),
        (marking(pmax=quantity(0, Unit.PERCENT)), "1 to 100 percent"),
        (marking(kmin=quantity(1, Unit.KBYTES)), "bytes, cells or percent"),
        (lambda q: replace(q, tc_to_queue=FrozenMap({**q.tc_to_queue, 3: 4})), "one number"),
        (lambda q: replace(q, tc_to_group=FrozenMap({**q.tc_to_group, 3: 4})), "one number"),
        (lambda q: replace(q, pfc=replace(q.pfc, send=FrozenMap({3: frozenset({4})}))), "one number"),
        (lambda q: replace(q, pfc=replace(q.pfc, asymmetric=True)), "the same priorities"),
        (lambda q: replace(q, pfc=replace(q.pfc, mode=Unknown("a hole"))), "a hole"),
        (lambda q: replace(q, rewrite_dscp=FrozenMap({3: 24})), "of all classes or of none"),
        (watchdog(action=WatchdogAction.ERRDISABLE), "drops or forwards"),
        (watchdog(detect=quantity(155, Unit.MILLISECONDS)), "1 to 15"),
        (lambda q: replace(q, unread=Unknown("not read")), "not read"),
        (lambda q: replace(q, queues=FrozenMap({ACROSS: MULTICAST})), "of their own"),
    ],
)  # fmt: skip
def test_what_cannot_be_said_is_refused(change: Callable[[PortQos], PortQos], message: str) -> None:
    with pytest.raises(CannotExpress, match=message) as refused:
        back(changed("leaf-a", change))
    assert any(name in str(refused.value) for name in ("GE1/0/", "leaf1", "slot 1"))


def test_family_b_has_no_line_for_headroom() -> None:
    with pytest.raises(CannotExpress, match="no line for it"):
        back(changed("leaf-b", group(headroom=kbytes(100))))


def test_the_family_has_to_be_known() -> None:
    lost = replace(derived("leaf-a"), facts=FrozenMap(), asic=Unknown("x"), platform=Unknown("y"))
    with pytest.raises(CannotExpress, match="family of CloudEngine is not known"):
        render(lost, registry.load("vrp"))
    with pytest.raises(CannotExpress, match="V200"):
        render(replace(lost, platform="CE6865-48S8CQ-EI"), registry.load("vrp"))


def test_notes_name_what_is_left_to_the_device() -> None:
    _, made = back(derived("leaf-b"))
    kinds = {(n.kind, n.what) for n in made.notes}
    assert (NoteKind.DEVICE, "headroom") in kinds
    assert (NoteKind.UNVERIFIED, "undo priority 3") in kinds
    assert (NoteKind.CANNOT, "port.cable") in kinds


# --- intents that VRP cannot express

INTENT = """\
version: 1
fabric: {{name: x, workload: training}}
classes:
  roce: {{dscp: [26], priority: {priority}, lossless: true, bandwidth: 60%}}
{classes}
defaults: {{mtu: {mtu}, roce_mtu: 4096{defaults}}}
switches:
  leaf1:  {{role: leaf, nos: vrp, model: {model}{more}}}
  spine1: {{role: spine, nos: eos, model: DCS-7060X6-64PE}}
hosts: {{name: "gpu[1-2]", nics: 1, nic: cx7, marking: {marking}}}
links:
  - {{from: leaf1, to: spine1, ports: {{from: "{up}", to: "Ethernet1/1"}}, speed: 100G, cable: 30m}}
  - {{from: leaf1, to: hosts, ports: {{from: "25GE1/0/[1-2]"}}, speed: 25G, cable: 3m, carries: [roce{carries}]}}
"""


def intent(folder: Path, **changes: str) -> PlannedFabric:
    values = {"priority": "3", "classes": "", "mtu": "9000", "defaults": "", "model": "CE6885", "more": "", "marking": "dscp",
              "up": "100GE1/0/49", "carries": ""} | changes  # fmt: skip
    file = folder / "intent.yaml"
    file.write_text(INTENT.format(**values), encoding="utf-8")
    return plan(file)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "CE6865"}, "read but not rendered"),
        ({"model": "CE6885-LL"}, "low-latency mode"),
        ({"model": "tomahawk5"}, "no source says to which family"),
        ({"up": "40GE1/0/49"}, "runs at 40G by its name"),
        ({"marking": "pcp"}, "routed port of VRP trusts DSCP"),
        ({"model": "CE6866", "priority": "6"}, "priorities from 0 to 5"),
        ({"defaults": ", watchdog: {detect: 20s}"}, "takes 10 to 15000 ms"),
    ],
)
def test_intents_that_cannot_be_expressed(tmp_path: Path, changes: dict[str, str], message: str) -> None:
    with pytest.raises(CannotExpress, match=message) as refused:
        derive(intent(tmp_path, **changes), "leaf1")
    assert "leaf1" in str(refused.value)


def test_times_fit_a_precision(tmp_path: Path) -> None:
    made = derive(intent(tmp_path, defaults=", watchdog: {detect: 400ms, restore: 1200ms}"), "leaf1").model
    watchdog = made.ports["25GE1/0/1"].qos.watchdog
    assert (watchdog.detect, watchdog.restore) == (quantity(400, Unit.MILLISECONDS), quantity(1200, Unit.MILLISECONDS))
    text = render(made, registry.load("vrp")).files["leaf1.cfg"]
    assert "deadlock-detect interval 100" in text
    assert "turn-off" not in text  # 12 deadlocks of 1.6 s at most, 30 are needed


def test_the_watchdog_cannot_be_turned_off(tmp_path: Path) -> None:
    made = derive(intent(tmp_path, defaults=", watchdog: off"), "leaf1")
    assert any("cannot be turned off" in n.why for n in made.notes)
    assert made.model.ports["25GE1/0/1"].qos.watchdog.enabled is True


def test_an_even_pool_is_over_subscribed_where_the_line_ends(tmp_path: Path) -> None:
    text = (HERE / "goldens/leaf-a/intent.yaml").read_text(encoding="utf-8").replace("cable: 30m", "cable: 20km")
    (tmp_path / "i.yaml").write_text(text, encoding="utf-8")
    made = derive_all(plan(tmp_path / "i.yaml"))["leaf1"]
    (pool,) = made.model.pools
    assert isinstance(pool.size, Quantity)
    assert pool.size.amount <= 30_720
    sizes = [g.headroom for p in made.model.ports.values() for g in p.qos.groups.values()]
    assert all(isinstance(s, Quantity) and s.unit is Unit.KBYTES for s in sizes)


def test_groups_keep_what_they_say() -> None:
    """Headroom covers the need: whole kbytes, rounded up."""
    made = derive(plan(HERE / "goldens/leaf-a/intent.yaml"), "leaf1")
    for name, numbers in made.numbers.items():
        for g in made.model.ports[name].qos.groups.values():
            assert isinstance(g, PriorityGroup)
            assert isinstance(g.headroom, Quantity)
            assert numbers.chosen is not None
            assert 0 <= g.headroom.amount * 1024 - numbers.chosen.value < 1024
