"""Comware: round trip over what an intent may say and over every field of `can`; what is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.nos.test_goldens import read_back
from tests.nos.test_variations import VARIATIONS, intent
from xoff.derive import derive
from xoff.errors import CannotExpress
from xoff.intent.expand import plan
from xoff.model.fields import DEVICE_FIELDS, PORT_FIELDS, same
from xoff.model.frozen import FrozenMap
from xoff.model.qos import (
    Alpha,
    Colour,
    Curve,
    HeaderField,
    Match,
    MatchKind,
    Pfc,
    PfcMode,
    PortQos,
    QueueId,
    QueueKind,
    Scheduler,
    SchedulerKind,
    Static,
    WatchdogAction,
)
from xoff.model.quantity import Unit, Unknown, quantity
from xoff.model.switch import SwitchModel
from xoff.nos import registry
from xoff.nos.renderer import NoteKind, Rendered, render

PLATFORM = ("comware", "S6850", "FourHundredGigE1/0/33", "FourHundredGigE1/0/[1-2]")
Read = Callable[..., SwitchModel]
Q5, Q6 = QueueId(QueueKind.UNICAST, 5), QueueId(QueueKind.UNICAST, 6)


def rendered(model: SwitchModel) -> Rendered:
    return render(model, registry.load("comware"))


def lines(model: SwitchModel) -> list[str]:
    return rendered(model).files[f"{model.hostname}.cfg"].splitlines()


@pytest.mark.parametrize("changes", VARIATIONS, ids=lambda v: "-".join(v) or "plain")
def test_an_intent_comes_back_as_it_went(tmp_path: Path, changes: dict[str, str]) -> None:
    fabric = plan(intent(tmp_path, *PLATFORM, **changes))
    if "alert" in changes.get("watchdog", ""):
        with pytest.raises(CannotExpress, match="alert"):
            derive(fabric, "leaf1")
        return
    for device in fabric.devices:
        model = derive(fabric, device).model
        assert same(model, read_back(model, rendered(model).files), registry.load("comware").can) == []


def rich(read: Read, base: str) -> SwitchModel:
    """The base with every field set that Comware has a line for."""
    shares = "buffer egress cell queue 5 shared ratio 60\nbuffer egress cell queue 5 guaranteed ratio 7\nbuffer apply\n#\n"
    rates = " qos bandwidth queue be min 500000\n qos gts queue 6 cir 9000\n"
    text = base.replace("#\nreturn", f"#\n{shares}return").replace(" qos wrr 7 group sp\n", f" qos wrr 7 group sp\n{rates}")
    text = text.replace("weighting-constant 0", "weighting-constant 4")
    model = read(text + "#\npriority-flow-control deadlock auto-recover action discard\n")
    facts = dict(model.facts)
    for name, value in (("deadlock_interval", "10"), ("deadlock_delay", "10"), ("deadlock_precision", "normal")):
        facts[name] = replace(model.facts["release"], value=value)
    return replace(model, facts=FrozenMap(facts))


def test_what_is_read_is_written_again_field_by_field(read: Read, base: str) -> None:
    model = rich(read, base)
    can = registry.load("comware").can
    empty = [
        f
        for f in can
        if not any((PORT_FIELDS[f](p) if f in PORT_FIELDS else DEVICE_FIELDS[f](model)) for p in model.ports.values())
    ]
    assert empty == []
    assert same(model, read_back(model, rendered(model).files), can) == []
    scheduler = (
        read_back(model, rendered(model).files).ports["HundredGigE1/0/1"].qos.queues[QueueId(QueueKind.UNICAST, 0)].scheduler
    )
    assert isinstance(scheduler, Scheduler)
    assert str(scheduler.guarantee) == "500000 kbps"


def test_forms_of_thresholds(read: Read, base: str) -> None:
    text = lines(rich(read, base))
    assert " priority-flow-control dot1p 5 headroom 491" in text
    assert " priority-flow-control dot1p 5 ingress-buffer dynamic 4" in text  # the least percent that is 1/16
    assert " queue 5 low-limit 1000 high-limit 2000 discard-probability 20" in text  # three equal levels are one line
    assert "priority-flow-control poolID 0 headroom 80000" in text
    static = with_qos(rich(read, base), lambda q: _group(q, threshold=Static(quantity(13000, Unit.CELLS))))
    assert " priority-flow-control dot1p 5 ingress-buffer static 13000" in lines(static)


def with_qos(model: SwitchModel, change: Callable[[PortQos], PortQos], only: str | None = None) -> SwitchModel:
    done: dict[int, PortQos] = {}
    ports = {
        n: replace(p, qos=done.setdefault(id(p.qos), replace(change(p.qos), _hash=0))) if only in (None, n) else p
        for n, p in model.ports.items()
    }
    return replace(model, ports=FrozenMap(ports))


def _group(q: PortQos, **values: Any) -> PortQos:
    return replace(q, groups=FrozenMap({5: replace(q.groups[5], **values)}))


def _queue(q: PortQos, key: QueueId = Q5, **values: Any) -> PortQos:
    return replace(q, queues=FrozenMap({**q.queues, key: replace(q.queues[key], **values)}))


def _curve(q: PortQos, **values: Any) -> PortQos:
    queue = q.queues[Q5]
    curves = {c: replace(x, **values) if c is Colour.GREEN else x for c, x in queue.curves.items()}
    return _queue(q, curves=FrozenMap(curves))


def _classify(q: PortQos, **values: Any) -> PortQos:
    return replace(q, classify=replace(q.classify, **values))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda q: _group(q, headroom=quantity(125696, Unit.BYTES)), "whole cells"),
        (lambda q: _group(q, threshold=Alpha(quantity("1/3", Unit.ALPHA))), "1/128 to 8"),
        (lambda q: _group(q, threshold=Unknown("not read")), "threshold is unknown"),
        (lambda q: _curve(q, kmin=quantity(10, Unit.KBYTES)), "whole cells"),
        (lambda q: _curve(q, pmax=quantity("0.5", Unit.PERCENT)), "whole percents"),
        (lambda q: _curve(q, marks=False, drops=True), "all drop levels"),
        (lambda q: _curve(q, kmin=Unknown("not read")), "not known"),
        (lambda q: _queue(q, scheduler=Unknown("not read")), "scheduler is unknown"),
        (lambda q: _queue(q, scheduler=Scheduler(SchedulerKind.WRR, quantity(50, Unit.PERCENT))), "whole weights"),
        (lambda q: _queue(q, scheduler=Scheduler(SchedulerKind.DWRR)), "one mode per port"),
        (lambda q: _queue(q, limit=Static(quantity(5, Unit.BYTES))), "whole percents"),
        (lambda q: _classify(q, tagged_ip=HeaderField.PCP, untagged_ip=HeaderField.DSCP), "at once"),
        (lambda q: _classify(q, matches=(Match(MatchKind.OPAQUE, frozenset(), 3),)), "kind opaque"),
        (lambda q: _classify(q, matches=(Match(MatchKind.PCP, frozenset({1}), 2),)), "is the 802.1p"),
        (lambda q: _classify(q, matches=(Match(MatchKind.DSCP, frozenset({1}), 2, Colour.RED),)), "colour red"),
        (lambda q: replace(q, tc_to_group=FrozenMap({3: 4})), "one number"),
        (lambda q: replace(q, pfc=Pfc(PfcMode.ON, frozenset({5}), FrozenMap({5: frozenset({4})}))), "one number"),
        (lambda q: replace(q, pfc=replace(q.pfc, obey=FrozenMap({5: frozenset({2})}))), "stops queues [2]"),
        (lambda q: replace(q, watchdog=replace(q.watchdog, action=WatchdogAction.ERRDISABLE)), "errdisable"),
        (lambda q: replace(q, watchdog=replace(q.watchdog, latch=True)), "until someone resets"),
        (lambda q: replace(q, unread=Unknown("an access list decides")), "an access list decides"),
    ],
)  # fmt: skip
def test_what_comware_cannot_say_is_refused_by_name(
    read: Read, base: str, change: Callable[[PortQos], PortQos], says: str
) -> None:
    with pytest.raises(CannotExpress) as error:
        rendered(with_qos(rich(read, base), change))
    assert says in str(error.value)


def test_what_stands_once_for_the_switch_must_be_one(read: Read, base: str) -> None:
    model, only = rich(read, base), "HundredGigE1/0/49"
    for change, says in (
        (lambda q: replace(q, tc_to_queue=FrozenMap({**q.tc_to_queue, 1: 1})), "one such map"),
        (lambda q: replace(q, watchdog=replace(q.watchdog, action=WatchdogAction.FORWARD)), "says it once"),
        (lambda q: _queue(q, limit=Static(quantity(5, Unit.PERCENT_OF_POOL))), "differ"),
    ):
        with pytest.raises(CannotExpress, match=says):
            rendered(with_qos(model, change, only))


def test_tables_are_shared_by_equal_ports_and_numbered_where_they_differ(read: Read, base: str) -> None:
    model = rich(read, base)
    assert [x for x in lines(model) if x.startswith("qos wred queue table")] == ["qos wred queue table XOFF-100G"]
    ramp = Curve(quantity(1, Unit.CELLS), quantity(2, Unit.CELLS), quantity(3, Unit.PERCENT), marks=True)
    flat = FrozenMap(dict.fromkeys(Colour, ramp))
    other = with_qos(model, lambda q: _queue(q, curves=flat), "HundredGigE1/0/49")
    assert [x for x in lines(other) if "XOFF-100G" in x] == [
        "qos wred queue table XOFF-100G-1",
        "qos wred queue table XOFF-100G-2",
        " qos wred apply XOFF-100G-1",
        " qos wred apply XOFF-100G-2",
    ]


def test_remarks_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    """Whether Comware takes text behind `#` is in no source, so the configuration holds none."""
    model = derive(plan(intent(tmp_path, *PLATFORM)), "leaf1").model
    out = rendered(model)
    assert sorted(out.files) == ["leaf1.README.txt", "leaf1.cfg"]
    assert not [x for x in out.files["leaf1.cfg"].splitlines() if x.startswith("#") and x != "#"]
    unverified = [n for n in out.notes if n.kind is NoteKind.UNVERIFIED]
    assert "deadlock interval 10, delay 10, precision high" in {n.what for n in unverified}
    assert all(str(n) in out.files["leaf1.README.txt"] for n in unverified)


def test_steps_of_deadlock_detection_are_the_intents_where_it_says_them(tmp_path: Path) -> None:
    file = intent(tmp_path, *PLATFORM)
    options = "options: {deadlock_interval: 7, deadlock_precision: normal}"
    said = file.read_text(encoding="utf-8").replace("role: leaf, nos: comware", f"role: leaf, {options}, nos: comware", 1)
    file.write_text(said, encoding="utf-8")
    text = lines(derive(plan(file), "leaf1").model)
    assert "priority-flow-control deadlock cos 3 interval 7" in text
    assert "priority-flow-control deadlock precision normal" in text
    file.write_text(said.replace("deadlock_interval: 7", "deadlock_interval: soon"), encoding="utf-8")
    with pytest.raises(CannotExpress, match="deadlock_interval is 'soon'"):
        lines(derive(plan(file), "leaf1").model)


def test_without_the_size_of_a_cell_nothing_is_sized(tmp_path: Path) -> None:
    with pytest.raises(CannotExpress, match="cell"):
        derive(plan(intent(tmp_path, "comware", "teralynx7", *PLATFORM[2:])), "leaf1")


def test_headroom_is_cells_rounded_up_and_thresholds_down(tmp_path: Path) -> None:
    made = derive(plan(intent(tmp_path, *PLATFORM, ecn="{kmin: 200KB, kmax: 2MB, pmax: 20%}")), "leaf1")
    port = made.model.ports["FourHundredGigE1/0/33"]
    need = made.numbers["FourHundredGigE1/0/33"].chosen
    assert need is not None
    assert port.qos.groups[3].headroom == quantity(-(-need.value // 256), Unit.CELLS)
    curve = port.qos.queues[QueueId(QueueKind.UNICAST, 3)].curves[Colour.RED]
    assert (curve.kmin, curve.kmax) == (quantity(200_000 // 256, Unit.CELLS), quantity(2_000_000 // 256, Unit.CELLS))
    assert {n.what for n in made.notes} >= {"ingress threshold, XON offset", "headroom pool"}
