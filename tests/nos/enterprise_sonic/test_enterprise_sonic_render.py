"""Writing: what an intent becomes, what is left to the device, what is refused by name; clean under the linter both ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.rules.case import run
from xoff.derive import Derivation, derive, derive_all
from xoff.errors import CannotExpress
from xoff.intent.expand import plan
from xoff.model.fields import same
from xoff.model.finding import Severity
from xoff.model.frozen import FrozenMap
from xoff.model.qos import Colour, Queue, QueueId, QueueKind
from xoff.model.quantity import Quantity, Unit, Unknown, quantity
from xoff.model.switch import Port, SwitchModel
from xoff.nos import registry
from xoff.nos.renderer import NoteKind, Rendered, render

Read = Callable[..., SwitchModel]
HERE = Path(__file__).parent
INTENT = """\
version: 1
fabric: {{name: pod, workload: training}}
classes:
  roce: {{dscp: [26], priority: {priority}, lossless: true, bandwidth: 60%{ecn}}}
  cnp:  {{dscp: [48], priority: 6, scheduler: strict}}
switches:
  leaf1:  {{role: leaf, nos: enterprise_sonic, model: {model}{options}}}
  spine1: {{role: spine, nos: enterprise_sonic, model: {model}{options}}}
hosts: {{name: "gpu[1-2]", nics: 1, nic: cx7}}
links:
  - {{from: leaf1, to: spine1, ports: {{from: "Eth1/31", to: "Eth1/1"}}, speed: {speed}, cable: {cable}}}
  - {{from: leaf1, to: hosts, ports: {{from: "Eth1/[1-2]"}}, speed: {speed}, cable: 3m, carries: [roce, cnp]}}
"""
USUAL = {"priority": "3", "ecn": "", "model": "Z9332F-ON", "options": "", "speed": "400G", "cable": "30m"}


def intent(folder: Path, **changed: str) -> Path:
    file = folder / "intent.yaml"
    file.write_text(INTENT.format(**(USUAL | changed)), encoding="utf-8")
    return file


def derived(folder: Path, **changed: str) -> Derivation:
    return derive(plan(intent(folder, **changed)), "leaf1")


def rendered(made: Derivation | SwitchModel) -> Rendered:
    model = made if isinstance(made, SwitchModel) else made.model
    return render(model, registry.load("enterprise_sonic"))


def text(made: Derivation | SwitchModel) -> str:
    return rendered(made).files["leaf1.cfg"]


def test_headroom_has_a_profile_of_its_own_by_speed_and_cable_class(tmp_path: Path) -> None:
    made = derived(tmp_path)
    groups = {n: p.qos.groups[3] for n, p in made.model.ports.items()}
    assert {n: g.profile for n, g in groups.items()} == {
        "Eth1/31": "xoff_400000_40m",
        "Eth1/1": "xoff_400000_5m",
        "Eth1/2": "xoff_400000_5m",
    }
    assert {n: p.cable_m for n, p in made.model.ports.items()} == {"Eth1/31": 40, "Eth1/1": 5, "Eth1/2": 5}
    out = text(made)
    assert "\nbuffer init lossless\n" in out
    assert " cable-length 40m\n buffer priority-group 3 xoff_400000_40m\n" in out
    assert [n.what for n in rendered(made).notes if n.kind is NoteKind.UNVERIFIED] == [
        "buffer profile ... pause pause-threshold"
    ]


def test_the_longer_cable_is_what_headroom_is_for(tmp_path: Path) -> None:
    short, long = (derived(tmp_path, cable=c).model.ports["Eth1/31"].qos.groups[3].headroom for c in ("40m", "41m"))
    same_class = derived(tmp_path, cable="6m").model.ports["Eth1/31"].qos.groups[3].headroom
    assert isinstance(short, Quantity)
    assert isinstance(long, Quantity)
    assert same_class == short
    assert long.amount > short.amount


def test_headroom_is_never_below_what_the_line_takes(tmp_path: Path) -> None:
    made = derived(tmp_path, model="S5232F-ON", speed="10G", cable="5m")
    headroom = made.model.ports["Eth1/31"].qos.groups[3].headroom
    assert isinstance(headroom, Quantity)
    assert headroom.amount >= 46080


def test_shared_headroom_follows_the_devices_own_pools(tmp_path: Path) -> None:
    """Tomahawk3: 66394076 B of ingress pool less 50665436 B of egress pool, in whole cells of both memory domains."""
    (pool,) = derived(tmp_path).model.pools
    assert str(pool.size) == "15728696 bytes"
    assert "shared-headroom-size 15728696" in text(derived(tmp_path))
    other = derived(tmp_path, model="Z9664F-ON")
    assert any("Enterprise SONiC's own are not sourced" in n.why for n in other.notes)


#: A chip of which the intent gives the facts, but nobody the pools.
BY_HAND = {"model": "AC-1", "options": ", asic: {cell: 254B, buffer: 64MB, response: 2000ns}"}


@pytest.mark.parametrize("how", [{"options": ", options: {headroom: device}"}, BY_HAND], ids=["option", "unsourced"])
def test_headroom_left_to_the_device(tmp_path: Path, how: dict[str, str]) -> None:
    """By the intent's option, and by itself where no profile of the chip is sourced."""
    made = derived(tmp_path, **how)
    out = text(made).partition("\nhostname")[2]
    assert "buffer init lossless" in out
    assert "buffer profile" not in out
    assert "shared-headroom-size" not in out
    group = made.model.ports["Eth1/31"].qos.groups[3]
    assert (group.headroom_by_device, group.headroom_for_m) == (True, 40)
    assert any(n.what == "headroom" and "left to the device" in n.why for n in made.notes) == (how is BY_HAND)


def test_a_switch_without_lossless_class_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "intent.yaml"
    file.write_text(INTENT.format(**USUAL).replace("lossless: true", "lossless: false"), encoding="utf-8")
    out = text(derive(plan(file), "leaf1"))
    assert "\nbuffer " not in out
    assert "priority-flow-control" not in out.partition("hostname")[2]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"priority": "5"}, "lossless mode of Enterprise SONiC has priorities 3 and 4"),
        ({"cable": "400m"}, "cable-length takes at most 300 m"),
        ({"options": ", options: {headroom: none}"}, "option headroom is 'none'"),
        ({**BY_HAND, "options": BY_HAND["options"] + ", options: {headroom: explicit}"}, "leave it to the device"),
        ({"ecn": ", ecn: {kmin: 2MB, kmax: 20MB}"}, "kmax of 20000000 B; a WRED policy takes 1 to 12480 KB"),
    ],
)
def test_what_cannot_be_said_is_refused_by_name(tmp_path: Path, changed: dict[str, str], said: str) -> None:
    with pytest.raises(CannotExpress, match="leaf1") as caught:
        derived(tmp_path, **changed)
    assert said in str(caught.value)


def test_marking_in_whole_kilobytes_never_above_what_was_meant(tmp_path: Path) -> None:
    made = derived(tmp_path, ecn=", ecn: {kmin: 1234567B, kmax: 2345678B}")
    curve = made.model.ports["Eth1/31"].qos.queues[QueueId(QueueKind.UNICAST, 3)].curves[Colour.GREEN]
    assert (curve.kmin, curve.kmax) == (quantity(1234, Unit.KB), quantity(2345, Unit.KB))
    assert "green minimum-threshold 1234 maximum-threshold 2345" in text(made)


# --- models by hand


def changed(made: Derivation, **body: Any) -> SwitchModel:
    """The model with every body's fields replaced."""
    ports: dict[str, Port] = {n: replace(p, qos=replace(p.qos, **body)) for n, p in made.model.ports.items()}
    return replace(made.model, ports=FrozenMap(ports))


def with_queue(made: Derivation, change: Callable[[Queue], Queue]) -> SwitchModel:
    q3 = QueueId(QueueKind.UNICAST, 3)
    queues = made.model.ports["Eth1/31"].qos.queues
    return changed(made, queues=FrozenMap({**queues, q3: change(queues[q3])}))


def test_models_that_have_no_words(tmp_path: Path) -> None:
    made = derived(tmp_path)
    port = made.model.ports["Eth1/31"]
    pfc, groups, q = port.qos.pfc, port.qos.groups, port.qos
    refused: list[tuple[SwitchModel, str]] = [
        (changed(made, pfc=replace(pfc, no_drop=frozenset({2, 3, 4}))), "two at most"),
        (changed(made, pfc=replace(pfc, send=FrozenMap({3: frozenset({4})}))), "pfc-priority-pg"),
        (changed(made, pfc=replace(pfc, obey=FrozenMap({3: frozenset({3, 4})}))), "gives each priority one"),
        (changed(made, groups=FrozenMap({5: replace(groups[3], id=5)})), "groups 3 and 4"),
        (changed(made, groups=FrozenMap({3: replace(groups[3], headroom=quantity(1, Unit.CELLS))})), "headroom"),
        (changed(made, groups=FrozenMap({3: replace(groups[3], threshold=None)})), "alphas of 2^-6 to 2^3"),
        (changed(made, tc_to_queue=FrozenMap({3: Unknown("x")})), "queue of traffic class 3"),
        (changed(made, watchdog=replace(q.watchdog, detect=quantity(50, Unit.MILLISECONDS))), "100 to 5000"),
        (changed(made, unread=Unknown("an opaque policy")), "an opaque policy"),
        (with_queue(made, lambda x: replace(x, scheduler=replace(x.scheduler, cap=quantity(5, Unit.KBPS)))), "rates"),  # type: ignore[arg-type, type-var]
        (
            with_queue(made, lambda x: replace(x, curves=FrozenMap({Colour.RED: x.curves[Colour.GREEN]}))),
            "a ramp for red packets",
        ),
        (
            with_queue(
                made,
                lambda x: replace(
                    x, curves=FrozenMap({Colour.GREEN: replace(x.curves[Colour.GREEN], kmin=quantity(1500, Unit.BYTES))})
                ),
            ),
            "whole KB of 1,000 bytes",
        ),
        (replace(made.model, pfc_off=True), "switch-wide"),
        (replace(made.model, ports=FrozenMap({"Eth1/31": replace(port, cable_m=10)})), "cable of 10 m"),
        (replace(made.model, ports=FrozenMap({"Eth1/31": replace(port, description='say "hi"')})), "quotation mark"),
        (replace(made.model, ports=FrozenMap({"Eth1/31": replace(port, description="a\n shutdown")})), "printable ASCII"),
        (replace(made.model, ports=FrozenMap({"Eth1/31\nshutdown": replace(port, name="Eth1/31\nshutdown")})), "takes names"),
    ]
    for model, said in refused:
        with pytest.raises(CannotExpress) as caught:
            rendered(model)
        assert said in str(caught.value)


def test_two_contents_of_one_profile_are_refused(tmp_path: Path) -> None:
    made = derived(tmp_path)
    port = made.model.ports["Eth1/1"]
    group = replace(port.qos.groups[3], headroom=quantity(99_999, Unit.BYTES))
    other = replace(port, qos=replace(port.qos, groups=FrozenMap({**port.qos.groups, 3: group})))
    with pytest.raises(CannotExpress, match="xoff_400000_5m has two contents"):
        rendered(replace(made.model, ports=FrozenMap({**made.model.ports, "Eth1/1": other})))


def test_rewriting_asymmetry_and_drops_come_back(tmp_path: Path, read: Read) -> None:
    made = derived(tmp_path)
    q3 = QueueId(QueueKind.UNICAST, 3)
    port = made.model.ports["Eth1/31"]
    queue = port.qos.queues[q3]
    dropping = replace(queue, curves=FrozenMap({Colour.GREEN: replace(queue.curves[Colour.GREEN], marks=False, drops=True)}))
    model = changed(made, rewrite_dscp=FrozenMap({3: 26, 6: 48}), queues=FrozenMap({**port.qos.queues, q3: dropping}))
    again = read(text(model))
    assert same(model, again, registry.load("enterprise_sonic").can) == []
    assert " ecn none\n" in text(model)
    assert "qos map tc-dscp XOFF\n traffic-class 3 dscp 26\n traffic-class 6 dscp 48\n" in text(model)


def test_description_and_addresses_come_back(tmp_path: Path, read: Read) -> None:
    made = derived(tmp_path)
    port = replace(made.model.ports["Eth1/31"], description="to the spine", addresses=("192.0.2.0/31", "2001:db8::1/127"))
    again = read(text(replace(made.model, ports=FrozenMap({"Eth1/31": port})))).ports["Eth1/31"]
    assert (again.description, again.addresses) == (port.description, port.addresses)


# --- under the linter


@pytest.mark.parametrize("case", sorted(p.name for p in (HERE / "goldens").iterdir()))
def test_golden_fabrics_are_clean(case: str, tmp_path: Path) -> None:
    file = HERE / "goldens" / case / "intent.yaml"
    files = {}
    for made in derive_all(plan(file)).values():
        files |= {k: v for k, v in render(made.model, registry.load(made.model.nos)).files.items() if not k.endswith(".txt")}
    got = run(tmp_path, files, intent=file.read_text(encoding="utf-8"))
    assert {(f.code, f.message) for f in got.findings if f.code not in _BY_POLICY[case]} == set()
    assert got.result.fabrics[0].coverage["DRF001"].assessed > 0


#: What the intents do without on purpose: marking of the storage class; the watchdog, and DSCP where a host marks 802.1p.
_BY_POLICY = {"leaf-tomahawk3": {"ECN001"}, "spine-device": {"WDG001", "MAP005", "ECN001"}}


def test_the_base_is_clean(base: str, tmp_path: Path) -> None:
    got = run(tmp_path, {"leaf1.cfg": base})
    assert [(f.code, f.message) for f in got.findings if f.severity is not Severity.NOTE] == []


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("dscp 24,26 traffic-class 3", "dscp 24 traffic-class 3", "MAP001"),
        (" qos-map tc-pg ROCE\n", "", "MAP002"),
        ("traffic-class 3 priority-group 3", "traffic-class 3 priority-group 7", "MAP002"),
        ("buffer init lossless\n", "", "HDR002"),
        (" qos-map dscp-tc ROCE\n", " qos-map dscp-tc ROEC\n", "CFG001"),
        (" ecn green\n", " ecn none\n", "ECN001"),
        (" queue 3 wred-policy ROCE\n", "", "ECN001"),
        (" priority-flow-control watchdog on detect-time 200\n", "", "WDG001"),
        ("minimum-threshold 1048", "minimum-threshold 2097", "ECN002"),
        (" qos-map tc-pg ROCE\n", " qos-map tc-pg ROCE\n qos-mapp tc-pg OTHER\n", "CFG003"),
    ],
)
def test_one_wrong_line_is_found(base: str, tmp_path: Path, old: str, new: str, code: str) -> None:
    """With the intent that the base stands for, so that what all ports share is not taken for what is meant."""
    assert old in base
    stated = INTENT.format(**USUAL).replace("leaf1", "LEAF-1").replace("model: Z9332F-ON", "model: Z9664F-ON")
    stated = stated.replace("dscp: [26]", "dscp: [24, 26]").replace("Eth1/31", "Eth1/49").replace("Eth1/[1-2]", "Eth1/1")
    stated = stated.replace('"gpu[1-2]"', '"gpu1"').replace('Eth1/1", to: ', 'Eth1/1", to: ')
    got = run(tmp_path, {"leaf1.cfg": base.replace(old, new)}, intent=stated)
    assert code in {f.code for f in got.findings}, sorted((f.code, f.message) for f in got.findings)
