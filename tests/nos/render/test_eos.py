"""EOS: the lines, their grouping, and what is refused by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from xoff.errors import CannotExpress
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Evidence
from xoff.model.qos import (
    Alpha,
    HeaderField,
    Match,
    MatchKind,
    Pfc,
    PfcMode,
    PortQos,
    PriorityGroup,
    QueueId,
    QueueKind,
    WatchdogAction,
)
from xoff.model.quantity import Unit, Unknown, quantity
from xoff.model.switch import Architecture, Named, Port, PortKind, SwitchModel
from xoff.nos.registry import Nos
from xoff.nos.renderer import NoteKind, Rendered, render

from . import models


@pytest.fixture
def eos(nos: Callable[[str], Nos]) -> Callable[[SwitchModel], Rendered]:
    return lambda model: render(model, nos("eos"))


def lines(r: Rendered) -> list[str]:
    return next(iter(r.files.values())).splitlines()


def block(r: Rendered, header: str) -> list[str]:
    """The indented lines under a header, without separators."""
    at = lines(r).index(header)
    out = []
    for line in lines(r)[at + 1 :]:
        if not line.startswith(" "):
            break
        if line.strip() != "!":
            out.append(line.strip())
    return out


def with_qos(model: SwitchModel, port: str, change: Callable[[PortQos], PortQos]) -> SwitchModel:
    ports = {n: replace(p, qos=change(p.qos)) if n == port else p for n, p in model.ports.items()}
    return replace(model, ports=FrozenMap(ports))


def test_profile_says_what_the_port_does(eos: Callable[[SwitchModel], Rendered]) -> None:
    body = block(eos(models.eos()), "qos profile XOFF-400G-P3")
    assert body[:4] == [
        "qos trust dscp",
        "priority-flow-control on",
        "priority-flow-control priority 3 no-drop",
        "priority-flow-control pause watchdog",
    ]
    at = body.index("uc-tx-queue 3")
    assert body[at : at + 4] == [
        "uc-tx-queue 3",
        "no priority",
        "bandwidth percent 60",
        "random-detect ecn minimum-threshold 614400 bytes maximum-threshold 6144000 bytes max-mark-probability 100 weight 0",
    ]
    at = body.index("uc-tx-queue 6")
    assert body[at : at + 2] == ["uc-tx-queue 6", "priority strict"]


def test_equal_ports_share_a_profile_in_natural_order(eos: Callable[[SwitchModel], Rendered]) -> None:
    r = eos(models.eos())
    interfaces = [x for x in lines(r) if x.startswith("interface ")]
    assert interfaces == ["interface Ethernet2/1", "interface Ethernet10/1", "interface Ethernet33/1", "interface Ethernet40"]
    assert block(r, "interface Ethernet2/1")[-1] == block(r, "interface Ethernet10/1")[-1] == "service-profile XOFF-100G-P3"
    assert [x for x in lines(r) if x.startswith("qos profile ")] == [
        "qos profile XOFF-100G-LOSSY",
        "qos profile XOFF-100G-P3",
        "qos profile XOFF-400G-P3",
    ]


def test_a_port_without_lossless_class_gets_no_pfc_no_marking_no_watchdog(eos: Callable[[SwitchModel], Rendered]) -> None:
    body = block(eos(models.eos()), "qos profile XOFF-100G-LOSSY")
    assert not [x for x in body if "priority-flow-control" in x or "random-detect" in x]
    assert block(eos(models.eos()), "interface Ethernet40")[:3] == ["shutdown", "mtu 9214", "switchport"]


def test_dscp_map_is_total(eos: Callable[[SwitchModel], Rendered]) -> None:
    found: dict[int, int] = {}
    for line in lines(eos(models.eos())):
        m = re.fullmatch(r"qos map dscp ([0-9 ]+) to traffic-class (\d)", line)
        if m:
            for v in map(int, m[1].split()):
                assert v not in found
                found[v] = int(m[2])
    assert sorted(found) == list(range(64))
    assert {v: t for v, t in found.items() if t} == {26: 3, 48: 6}


def test_watchdog_times_are_seconds(eos: Callable[[SwitchModel], Rendered]) -> None:
    text = lines(eos(models.eos()))
    for line in ("default timeout 0.2", "default recovery-time 0.4", "default polling-interval 0.1", "action drop"):
        assert f"priority-flow-control pause watchdog {line}" in text


def test_a_port_with_its_own_watchdog_says_so_in_its_profile(eos: Callable[[SwitchModel], Rendered]) -> None:
    own = replace(models.watchdog(Unit.SECONDS), detect=quantity("0.5", Unit.SECONDS), restore=quantity(1, Unit.SECONDS))
    r = eos(with_qos(models.eos(), "Ethernet33/1", lambda q: replace(q, watchdog=own)))
    wanted = "priority-flow-control pause watchdog port timer timeout 0.5 polling-interval 0.1 recovery-time 1.0"
    assert wanted in block(r, "qos profile XOFF-400G-P3")
    assert not any("port timer" in x for x in block(r, "qos profile XOFF-100G-P3"))
    assert "priority-flow-control pause watchdog default timeout 0.2" in lines(r)


def test_mmu_profile_is_defined_and_applied(eos: Callable[[SwitchModel], Rendered]) -> None:
    r = eos(models.eos())
    assert block(r, "platform trident mmu queue profile XOFF") == [
        "ingress headroom bytes 201930",
        "ingress priority-group 3 threshold 1/4",
    ]
    assert "platform trident mmu queue profile XOFF apply" in lines(r)
    assert "platform trident mmu headroom-pool limit bytes 7827456" in lines(r)


def test_no_mmu_lines_without_stated_buffers(eos: Callable[[SwitchModel], Rendered]) -> None:
    assert not [x for x in lines(eos(models.eos(mmu=False))) if x.startswith("platform ")]


def test_a_platform_without_mmu_profiles_is_a_note(eos: Callable[[SwitchModel], Rendered], asic: Callable[..., None]) -> None:
    asic(eos_mmu=False)
    r = eos(models.eos())
    assert not [x for x in lines(r) if x.startswith("platform ")]
    assert [n for n in r.notes if n.kind is NoteKind.DEVICE and "headroom" in n.what]


def test_unknown_mmu_support_is_refused(eos: Callable[[SwitchModel], Rendered], asic: Callable[..., None]) -> None:
    asic()
    with pytest.raises(CannotExpress, match="no source says whether EOS has MMU profiles"):
        eos(models.eos())


def test_headroom_that_nobody_stated_is_left_to_the_chip_and_said(eos: Callable[[SwitchModel], Rendered]) -> None:
    own = replace(models.eos_qos(), groups=FrozenMap({3: PriorityGroup(3, True, headroom=Unknown("the chip's own"))}))
    model = models.eos()
    r = eos(replace(model, pools=(), ports=FrozenMap((n, replace(p, qos=own)) for n, p in model.ports.items())))
    assert not [x for x in lines(r) if x.startswith("platform ")]
    assert [n for n in r.notes if n.kind is NoteKind.DEVICE and n.why == "the chip's own"]


def test_queue_stanza_unknown_is_refused_with_the_way_out(eos: Callable[[SwitchModel], Rendered]) -> None:
    with pytest.raises(CannotExpress, match=r"options: \{queue: uc-tx-queue\}"):
        eos(models.eos(facts=FrozenMap()))


def test_queue_stanza_of_the_platform(eos: Callable[[SwitchModel], Rendered], asic: Callable[..., None]) -> None:
    asic(eos_mmu=True, eos_queue="tx-queue")
    r = eos(models.eos(facts=FrozenMap()))
    assert "tx-queue 3" in block(r, "qos profile XOFF-400G-P3")
    assert not [n for n in r.notes if n.kind is NoteKind.UNVERIFIED]


def test_secondary_evidence_is_marked_unverified_in_the_file(
    eos: Callable[[SwitchModel], Rendered], asic: Callable[..., None]
) -> None:
    asic(Evidence.SECONDARY, eos_mmu=True, eos_queue="uc-tx-queue")
    r = eos(models.eos(facts=FrozenMap()))
    assert {n.what for n in r.notes if n.kind is NoteKind.UNVERIFIED} == {"uc-tx-queue", "platform trident mmu"}
    assert [x for x in lines(r) if x.startswith("! unverified: uc-tx-queue")]


def test_option_that_is_no_stanza_is_refused(eos: Callable[[SwitchModel], Rendered]) -> None:
    with pytest.raises(CannotExpress, match="option queue is 'queue'"):
        eos(models.eos(facts=FrozenMap({"queue": Named("queue", "intent")})))


def test_voq_keeps_class_7_where_it_is(eos: Callable[[SwitchModel], Rendered]) -> None:
    shared = lines(eos(models.eos()))
    voq = lines(eos(models.eos(mmu=False, architecture=Architecture.VOQ)))
    assert "qos map traffic-class 7 to tx-queue 7" in shared
    assert "qos map traffic-class 7 to tx-queue 7" not in voq
    assert "qos map traffic-class 6 to tx-queue 6" in voq


def swap(**changes: Any) -> Callable[[PortQos], PortQos]:
    return lambda q: replace(q, **changes)


def crooked(q: PortQos) -> PortQos:
    return replace(q, pfc=Pfc(PfcMode.ON, frozenset({3}), FrozenMap({3: frozenset({4})}), FrozenMap()))


def with_group(**changes: Any) -> Callable[[PortQos], PortQos]:
    return lambda q: replace(q, groups=FrozenMap({3: replace(q.groups[3], **changes)}))


def with_queue(**changes: Any) -> Callable[[PortQos], PortQos]:
    key = QueueId(QueueKind.UNICAST, 3)
    return lambda q: replace(q, queues=FrozenMap({**q.queues, key: replace(q.queues[key], **changes)}))


def with_kmin(unit: Unit, amount: str) -> Callable[[PortQos], PortQos]:
    def change(q: PortQos) -> PortQos:
        key = QueueId(QueueKind.UNICAST, 3)
        queue = q.queues[key]
        curves = {c: replace(k, kmin=quantity(amount, unit)) for c, k in queue.curves.items()}
        return replace(q, queues=FrozenMap({**q.queues, key: replace(queue, curves=FrozenMap(curves))}))

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (swap(classify=replace(models.classify(), matches=models.dscp_map({24: 3}, 0))), "DSCP 24"),
        (swap(tc_to_queue=FrozenMap({3: 4})), "EOS has one such map"),
        (swap(tc_to_group=FrozenMap({3: 4})), "in EOS they are one number"),
        (crooked, "group 3 pauses"),
        (swap(pfc=Pfc(PfcMode.AUTO, frozenset({3}))), "PFC mode auto"),
        (swap(classify=replace(models.classify(), tagged_ip=HeaderField.PORT)), "cannot read port"),
        (swap(classify=replace(models.classify(), matches=(Match(MatchKind.OPAQUE, frozenset(), 3),))), "kind opaque"),
        (with_group(headroom=quantity(7, Unit.BYTES)), "headroom: "),
        (with_group(threshold=Alpha(quantity("1/3", Unit.ALPHA))), "threshold of group 3"),
        (with_group(threshold=Unknown("not read")), "threshold of group 3"),
        (with_kmin(Unit.PERCENT_OF_LIMIT, "10"), "minimum threshold: 10 % of limit cannot be said"),
        (with_kmin(Unit.BYTES, "0"), "minimum threshold: 0 bytes cannot be said"),
        (with_kmin(Unit.BYTES, "10.5"), "cannot be said"),
        (with_queue(scheduler=Unknown("not read")), "scheduler is unknown"),
        (swap(watchdog=replace(models.watchdog(Unit.SECONDS), detect=quantity("0.005", Unit.SECONDS))), "2 decimals"),
        (swap(watchdog=replace(models.watchdog(Unit.SECONDS), action=WatchdogAction.FORWARD)), "action forward"),
        (swap(unread=Unknown("an access list decides")), "an access list decides"),
    ],
)
def test_what_eos_cannot_say_is_refused_by_name(
    eos: Callable[[SwitchModel], Rendered], change: Callable[[PortQos], PortQos], says: str
) -> None:
    with pytest.raises(CannotExpress, match=re.escape(says)):
        eos(with_qos(models.eos(), "Ethernet33/1", change))


def test_same_model_same_bytes_whatever_the_order_of_ports(eos: Callable[[SwitchModel], Rendered]) -> None:
    model = models.eos()
    other = replace(model, ports=FrozenMap(reversed(list(model.ports.items()))))
    assert eos(model).files == eos(other).files


def test_ports_that_differ_only_in_thresholds_get_numbered_profiles(eos: Callable[[SwitchModel], Rendered]) -> None:
    r = eos(with_qos(models.eos(), "Ethernet10/1", with_kmin(Unit.BYTES, "1000")))
    assert block(r, "interface Ethernet2/1")[-1] == "service-profile XOFF-100G-P3-1"
    assert block(r, "interface Ethernet10/1")[-1] == "service-profile XOFF-100G-P3-2"


def test_golden_form_is_no_eos_form_and_said_so(nos: Callable[[str], Nos]) -> None:
    golden, running = render(models.eos(), nos("eos"), form="golden"), render(models.eos(), nos("eos"))
    assert [n for n in golden.notes if n.what == "form golden"]
    bare = [x for x in lines(golden) if not x.startswith("!")]
    assert bare == [x for x in lines(running) if not x.startswith("!")]


def test_what_has_no_line_is_noted_by_name(eos: Callable[[SwitchModel], Rendered]) -> None:
    what = {n.what for n in eos(models.eos()).notes if n.kind is NoteKind.CANNOT}
    assert {"port.speed", "port.cable"} <= what
    bare = replace(models.eos(), ports=FrozenMap({"Ethernet1": Port("Ethernet1", PortKind.FRONT, models.eos_qos())}))
    assert "port.cable" not in {n.what for n in eos(bare).notes}
