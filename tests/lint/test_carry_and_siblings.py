"""Which ports carry a class, on what ground; who is whose sibling; what a bundle's members hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.lint.build import ports, qos, switch
from xoff.lint.engine import build
from xoff.lint.objects import FabricView
from xoff.lint.ports import PortView
from xoff.lint.result import FabricInput, LintRequest
from xoff.lint.view import NotAssessed
from xoff.model.fabric import End, Link, LinkEvidence
from xoff.model.origin import BodyLine, Default, Evidence, Origins
from xoff.model.qos import HeaderField, PfcMode
from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import Bundle, PortKind, SwitchModel

ROCE, PLAIN = qos({26: 3}, [3]), qos({26: 3})


def _fabric(*models: SwitchModel, links: tuple[Link, ...] = ()) -> FabricView:
    given = FabricInput("pod", models, links)
    return build(LintRequest((given,)), given)


def _view(fabric: FabricView, port: str, device: str = "leaf1") -> PortView:
    return next(v for d in fabric.devices if d.name == device for v in d.ports if port in v.names)


def _carried(fabric: FabricView, port: str, device: str = "leaf1") -> object:
    found = _view(fabric, port, device).carried
    return sorted(found & {c.name for c in fabric.lossless}) if isinstance(found, frozenset) else found


def test_equal_ports_are_one_object() -> None:
    fabric = _fabric(switch("leaf1", ports(80, ROCE)))
    assert [len(v.names) for v in fabric.devices[0].ports] == [80]


def test_a_statement_of_its_own() -> None:
    fabric = _fabric(switch("leaf1", [*ports(1, ROCE), *ports(9, PLAIN, first=2)]))
    assert _carried(fabric, "Ethernet1") == ["lossless"]
    assert isinstance(_carried(fabric, "Ethernet2"), Unknown)


def test_half_of_the_ports_of_its_speed() -> None:
    half = _fabric(switch("leaf1", [*ports(4, ROCE), *ports(4, PLAIN, first=5)]))
    assert _carried(half, "Ethernet5") == ["lossless"]
    fewer = _fabric(switch("leaf1", [*ports(3, ROCE), *ports(5, PLAIN, first=4)]))
    assert isinstance(_carried(fewer, "Ethernet5"), Unknown)
    slower = _fabric(switch("leaf1", [*ports(8, ROCE), *ports(1, PLAIN, first=9, speed=10_000)]))
    assert isinstance(_carried(slower, "Ethernet9"), Unknown)


def test_ports_that_are_down_neither_carry_nor_count() -> None:
    fabric = _fabric(switch("leaf1", [*ports(2, ROCE), *ports(6, PLAIN, first=3, admin=False), *ports(1, PLAIN, first=9)]))
    assert _carried(fabric, "Ethernet3") == []
    assert _carried(fabric, "Ethernet9") == ["lossless"]


def test_a_speed_that_cannot_be_known_makes_no_share() -> None:
    why = Unknown("PORT is not in the input", Fact.CONFIG)
    fabric = _fabric(switch("leaf1", [*ports(8, ROCE, speed=why), *ports(1, PLAIN, first=9, speed=why)]))
    found = _carried(fabric, "Ethernet9")
    assert isinstance(found, Unknown)
    assert found.fact is Fact.CONFIG


def test_the_other_end_of_a_link() -> None:
    leaf = switch("leaf1", [*ports(1, ROCE), *ports(9, PLAIN, first=2)])
    spine = switch("spine1", ports(8, ROCE))
    link = Link(End("leaf1", "Ethernet2"), End("spine1", "Ethernet1"), LinkEvidence.LLDP)
    assert _carried(_fabric(leaf, spine, links=(link,)), "Ethernet2") == ["lossless"]


@pytest.mark.parametrize("kind", [PortKind.MANAGEMENT, PortKind.SVI, PortKind.SUBINTERFACE, PortKind.LOOPBACK])
def test_kinds_that_never_carry(kind: PortKind) -> None:
    fabric = _fabric(switch("leaf1", [*ports(8, ROCE), *ports(1, ROCE, first=9, kind=kind)]))
    assert _carried(fabric, "Ethernet9") == []


def test_a_device_without_any_statement_in_a_fabric_with_a_class() -> None:
    fabric = _fabric(switch("leaf1", ports(8, ROCE)), switch("leaf2", ports(8, PLAIN)))
    assert isinstance(_carried(fabric, "Ethernet1", "leaf2"), Unknown)


def test_a_switch_left_out_altogether_is_measured_by_its_role() -> None:
    leaves = [switch(f"leaf{i}", ports(8, ROCE), role="leaf") for i in (1, 2, 3)]
    fabric = _fabric(*leaves, switch("leaf4", ports(8, PLAIN), role="leaf"), switch("oob1", ports(8, PLAIN), role="oob"))
    assert _carried(fabric, "Ethernet1", "leaf4") == ["lossless"]
    assert isinstance(_carried(fabric, "Ethernet1", "oob1"), Unknown)
    found = fabric.siblings(_view(fabric, "Ethernet1", "leaf4"))
    assert found.majority(lambda p: p.qos.pfc.no_drop) == (frozenset({3}), 24, 32)


def test_pfc_on_without_a_priority_is_a_statement_too() -> None:
    """The class is known from other ports; here somebody switched PFC on and forgot the priority."""
    from dataclasses import replace

    from xoff.model.origin import BodyLine, Origins

    body, origins = PLAIN
    bare = (
        replace(body, pfc=replace(body.pfc, mode=PfcMode.ON)),
        Origins({**origins, "pfc.mode": BodyLine(("interface *",), "priority-flow-control on", 2)}),
    )
    fabric = _fabric(switch("leaf1", [*ports(4, ROCE), *ports(9, bare, first=5, speed=100_000)]))
    assert _carried(fabric, "Ethernet5") == ["lossless"]


def test_inferred_classes_are_carried_by_the_list_a_port_states() -> None:
    """Ports with 3 and 4 and ports with 3 alone: what the smaller list leaves out is no fault, unless nearly all have it."""
    both, one = qos({26: 3, 34: 4}, [3, 4]), qos({26: 3, 34: 4}, [3])
    mixed = _fabric(switch("leaf1", [*ports(20, both), *ports(8, one, first=21)]))
    assert _carried(mixed, "Ethernet21") == ["lossless3"]
    odd = _fabric(switch("leaf1", [*ports(19, both), *ports(1, one, first=20)]))
    assert _carried(odd, "Ethernet20") == ["lossless3", "lossless4"]


def test_a_list_that_names_no_class_at_all_is_meant_for_one() -> None:
    fabric = _fabric(switch("leaf1", [*ports(7, ROCE), *ports(1, qos({26: 3}, [4]), first=8)]))
    assert _carried(fabric, "Ethernet8") == ["lossless"]


def test_siblings_need_three_and_two_thirds() -> None:
    fabric = _fabric(switch("leaf1", [*ports(2, ROCE), *ports(1, PLAIN, first=3)]))
    siblings = fabric.siblings(_view(fabric, "Ethernet3"))
    assert siblings.majority(lambda p: p.qos.pfc.no_drop) == (frozenset({3}), 2, 3)
    two = _fabric(switch("leaf1", [*ports(1, ROCE), *ports(1, PLAIN, first=2)]))
    with pytest.raises(NotAssessed, match="fewer than three"):
        two.siblings(_view(two, "Ethernet1")).majority(lambda p: p.qos.pfc.mode)
    split = _fabric(switch("leaf1", [*ports(3, ROCE), *ports(2, PLAIN, first=4)]))
    with pytest.raises(NotAssessed, match="two thirds"):
        split.siblings(_view(split, "Ethernet1")).majority(lambda p: p.qos.pfc.no_drop)


def test_siblings_are_of_one_speed_and_then_of_one_role() -> None:
    uplinks = [switch(f"leaf{i}", [*ports(8, PLAIN), *ports(2, ROCE, first=9, speed=800_000)], role="leaf") for i in (1, 2)]
    fabric = _fabric(*uplinks)
    found = fabric.siblings(_view(fabric, "Ethernet9"))
    assert sorted((d.name, p.name) for d, p in found.of) == [
        (f"leaf{i}", p) for i in (1, 2) for p in ("Ethernet10", "Ethernet9")
    ]  # fmt: skip
    assert "role leaf" in found.ground
    here = fabric.siblings(_view(fabric, "Ethernet1"))
    assert {d.name for d, _ in here.of} == {"leaf1"}
    assert len(here.of) == 8


def _bundled(head: tuple[object, object], member: tuple[object, object]) -> SwitchModel:
    members = ports(2, member, first=9, kind=PortKind.MEMBER, bundle="Port-Channel1", routed=None)  # type: ignore[arg-type]
    top = ports(1, head, first=99, kind=PortKind.BUNDLE)[0]  # type: ignore[arg-type]
    from dataclasses import replace

    bundle = Bundle("Port-Channel1", ("Ethernet9", "Ethernet10"))
    return switch("leaf1", [*ports(4, ROCE), *members, replace(top, name="Port-Channel1")], bundles=[bundle])


def test_a_statement_on_the_bundle_counts_for_its_members() -> None:
    fabric = _fabric(_bundled(ROCE, PLAIN))
    view = _view(fabric, "Ethernet9")
    assert view.protected_groups() == {3}
    assert view.maybe.routed is True
    origin = view.origin("pfc.no_drop.3")
    assert view.maybe.place(origin).line == 1093  # type: ignore[union-attr]  # the bundle's own line
    assert _carried(fabric, "Port-Channel1") == [], "a bundle is judged at its members"


def test_a_members_own_statement_wins_and_neither_stays_a_fault() -> None:
    assert _view(_fabric(_bundled(PLAIN, ROCE)), "Ethernet9").protected_groups() == {3}
    assert _view(_fabric(_bundled(PLAIN, PLAIN)), "Ethernet9").protected_groups() == frozenset()


def test_a_port_with_link_pause_of_its_own_is_no_port_of_pfc() -> None:
    """Of the two a port has one; a line that turns the older one on says which."""
    body, origins = PLAIN
    pausing = replace(body, pfc=replace(body.pfc, link_pause_rx=True), _hash=0)
    said = Origins({**origins, "pfc.link_pause.rx": BodyLine(("interface *",), "flowcontrol receive on", 4)})
    by_default = Origins({**origins, "pfc.link_pause.rx": Default("pause is on by itself", Evidence.READ, "test")})
    fabric = _fabric(
        switch("leaf1", [*ports(6, ROCE), *ports(1, (pausing, said), first=7), *ports(1, (pausing, by_default), first=8)])
    )
    assert _carried(fabric, "Ethernet7") == []
    assert "link-level pause" in _view(fabric, "Ethernet7").why_carried
    assert _carried(fabric, "Ethernet8") == ["lossless"]


def test_what_crosses_a_peer_link_is_not_told_by_the_other_ports() -> None:
    fabric = _fabric(switch("leaf1", [*ports(8, ROCE), *ports(1, PLAIN, first=9, kind=PortKind.PEER_LINK)]))
    assert isinstance(_carried(fabric, "Ethernet9"), Unknown)
    stating = _fabric(switch("leaf1", [*ports(8, PLAIN), *ports(1, ROCE, first=9, kind=PortKind.PEER_LINK)]))
    assert _carried(stating, "Ethernet9") == ["lossless"]


def test_a_class_told_by_its_tag_is_not_on_routed_ports_by_majority() -> None:
    tagged = qos({}, [3], pcp={3: 3}, trust=HeaderField.PCP)
    silent = qos({}, pcp={3: 3}, trust=HeaderField.PCP)
    fabric = _fabric(
        switch(
            "leaf1",
            [
                *ports(8, tagged, routed=False),
                *ports(1, silent, first=9, routed=True),
                *ports(1, silent, first=10, routed=False),
            ],
        )
    )
    assert [c.dscp for c in fabric.lossless] == [frozenset()]
    assert _carried(fabric, "Ethernet9") == []
    assert _carried(fabric, "Ethernet10") == ["lossless"]
