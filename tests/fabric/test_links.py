"""Links from what was told and from the configurations themselves; near misses give no link, contradictions a conflict."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xoff.fabric import links as links_module
from xoff.fabric.links import find_links
from xoff.model.fabric import End, Link, LinkEvidence
from xoff.model.frozen import FrozenMap
from xoff.model.qos import PortQos
from xoff.model.switch import Port, PortKind, SwitchModel


def port(name: str, *addresses: str, **more: Any) -> Port:
    return Port(name, more.pop("kind", PortKind.FRONT), PortQos(), addresses=addresses, **more)


def switch(name: str, *ports: Port, neighbours: dict[str, tuple[str, str | None]] | None = None) -> SwitchModel:
    return SwitchModel(name, "eos", FrozenMap({p.name: p for p in ports}), neighbours=FrozenMap(neighbours or {}))


def find(*switches: SwitchModel, **more: Any) -> tuple[tuple[Link, ...], tuple[Any, ...]]:
    return find_links({s.hostname: s for s in switches}, **more)


def ends(links: tuple[Link, ...]) -> list[tuple[str, str]]:
    return [(f"{x.a.device}:{x.a.port}", f"{x.b.device}:{x.b.port}") for x in links]


PAIR = [("leaf1:Ethernet1", "spine1:Ethernet9")]


def test_a_shared_slash_31_is_a_link() -> None:
    links, conflicts = find(
        switch("spine1", port("Ethernet9", "10.0.0.1/31")), switch("leaf1", port("Ethernet1", "10.0.0.0/31"))
    )
    assert ends(links) == PAIR
    assert links[0].evidence is LinkEvidence.ADDRESSES
    assert conflicts == ()


def test_ipv6_pair_and_ipv4_pair_of_one_cable_are_one_link() -> None:
    links, conflicts = find(
        switch("leaf1", port("Ethernet1", "10.0.0.0/31", "2001:db8::/127")),
        switch("spine1", port("Ethernet9", "10.0.0.1/31", "2001:db8::1/127")),
    )
    assert ends(links) == PAIR
    assert not conflicts


@pytest.mark.parametrize(
    ("why", "there"),
    [
        ("other subnet", port("Ethernet9", "10.0.0.3/31")),
        ("other mask", port("Ethernet9", "10.0.0.1/30")),
        ("other VRF", port("Ethernet9", "10.0.0.1/31", vrf="storage")),
        ("down", port("Ethernet9", "10.0.0.1/31", admin=False)),
        ("speeds contradict", port("Ethernet9", "10.0.0.1/31", speed=100_000)),
        ("same address twice", port("Ethernet9", "10.0.0.0/31")),
        ("not a port", port("Vlan9", "10.0.0.1/31", kind=PortKind.SVI)),
        ("loopback", port("Loopback0", "10.0.0.1/31", kind=PortKind.LOOPBACK)),
        ("no mask", port("Ethernet9", "10.0.0.1")),
        ("no address", port("Ethernet9", "dhcp")),
    ],
)
def test_near_misses_of_an_address_pair(why: str, there: Port) -> None:
    links, conflicts = find(switch("leaf1", port("Ethernet1", "10.0.0.0/31", speed=400_000)), switch("spine1", there))
    assert (links, conflicts) == ((), ()), why


def test_speed_known_at_one_end_only_does_not_contradict() -> None:
    links, _ = find(
        switch("leaf1", port("Ethernet1", "10.0.0.0/31", speed=400_000)), switch("spine1", port("Ethernet9", "10.0.0.1/31"))
    )
    assert ends(links) == PAIR


def test_three_interfaces_in_a_subnet_are_no_link_even_with_another_mask() -> None:
    two = (switch("leaf1", port("Ethernet1", "10.0.0.1/29")), switch("spine1", port("Ethernet9", "10.0.0.2/29")))
    assert ends(find(*two)[0]) == PAIR
    assert find(*two, switch("leaf2", port("Ethernet1", "10.0.0.3/29")))[0] == ()
    assert find(*two, switch("leaf2", port("Ethernet1", "10.0.0.3/24")))[0] == ()
    assert ends(find(*two, switch("leaf2", port("Ethernet1", "10.0.0.9/24")))[0]) == PAIR


def test_link_local_and_host_addresses_tell_nothing() -> None:
    for a, b in (("fe80::1/64", "fe80::2/64"), ("10.0.0.1/32", "10.0.0.1/32"), ("169.254.0.0/31", "169.254.0.1/31")):
        assert find(switch("leaf1", port("Ethernet1", a)), switch("spine1", port("Ethernet9", b)))[0] == ()


def test_neighbours_resolve_domains_and_short_port_names() -> None:
    links, conflicts = find(
        switch("leaf1", port("Ethernet1"), neighbours={"Ethernet1": ("SPINE1.dc.example.net", "Et9")}),
        switch("spine1", port("Ethernet9")),
    )
    assert ends(links) == PAIR
    assert links[0].evidence is LinkEvidence.NEIGHBOUR
    assert not conflicts


def test_neighbour_outside_the_input_stays_as_said_and_second() -> None:
    links, _ = find(switch("leaf1", port("Ethernet1"), neighbours={"Ethernet1": ("ARISTA01T1", "Ethernet1")}))
    assert ends(links) == [("leaf1:Ethernet1", "ARISTA01T1:Ethernet1")]


def test_neighbour_without_port_is_completed_only_where_it_is_unambiguous() -> None:
    here = switch("leaf1", port("Ethernet1"), neighbours={"Ethernet1": ("spine1", None)})
    there = switch("spine1", port("Ethernet9"), neighbours={"Ethernet9": ("leaf1", None)})
    assert ends(find(here, there)[0]) == PAIR
    two = switch(
        "spine1",
        port("Ethernet9"),
        port("Ethernet10"),
        neighbours={"Ethernet9": ("leaf1", None), "Ethernet10": ("leaf1", None)},
    )
    assert find(here, two) == ((), ())


def test_stronger_source_gives_the_evidence_and_its_data() -> None:
    told = Link(End("leaf1", "Ethernet1"), End("spine1", "Ethernet9"), LinkEvidence.INTENT, 400_000, 30, frozenset({"roce"}))
    links, conflicts = find(
        switch("leaf1", port("Ethernet1", "10.0.0.0/31"), neighbours={"Ethernet1": ("spine1", "Ethernet9")}),
        switch("spine1", port("Ethernet9", "10.0.0.1/31")),
        told=[told],
    )
    assert links == (told,)
    assert not conflicts


def test_two_sources_that_disagree_are_a_conflict_and_no_link_of_the_port_is_used() -> None:
    told = Link(End("leaf1", "Ethernet1"), End("spine1", "Ethernet9"), LinkEvidence.CABLING)
    links, conflicts = find(
        switch("leaf1", port("Ethernet1"), port("Ethernet2"), neighbours={"Ethernet1": ("spine2", "Ethernet9")}),
        switch("spine1", port("Ethernet9")),
        switch("spine2", port("Ethernet9")),
        told=[told, Link(End("leaf1", "Ethernet2"), End("spine2", "Ethernet8"), LinkEvidence.CABLING)],
    )
    assert ends(links) == [("leaf1:Ethernet2", "spine2:Ethernet8")]
    assert [c.port for c in conflicts] == [End("leaf1", "Ethernet1")]
    assert conflicts[0].claims == (
        (LinkEvidence.CABLING, End("spine1", "Ethernet9")),
        (LinkEvidence.NEIGHBOUR, End("spine2", "Ethernet9")),
    )


def test_two_ports_that_claim_one_far_port_are_a_conflict_there() -> None:
    links, conflicts = find(
        switch("leaf1", port("Ethernet1"), neighbours={"Ethernet1": ("spine1", "Ethernet9")}),
        switch("leaf2", port("Ethernet1"), neighbours={"Ethernet1": ("spine1", "Ethernet9")}),
        switch("spine1", port("Ethernet9")),
    )
    assert links == ()
    assert [c.port for c in conflicts] == [End("spine1", "Ethernet9")]


def test_descriptions_count_only_with_a_pattern_and_only_for_devices_of_the_fabric() -> None:
    switches = (
        switch("leaf1", port("Ethernet1", description="to spine1 Ethernet9"), port("Ethernet2", description="to fw1 eth0")),
        switch("spine1", port("Ethernet9")),
    )
    assert find(*switches) == ((), ())
    links, _ = find(*switches, description=r"^to (?P<device>\S+) (?P<port>\S+)")
    assert ends(links) == PAIR
    assert links[0].evidence is LinkEvidence.DESCRIPTION
    with pytest.raises(ValueError, match=r"\(\?P<device>"):
        find(*switches, description=r"to (\S+)")


def test_order_of_the_input_does_not_matter() -> None:
    a = switch("leaf1", port("Ethernet1", "10.0.0.0/31"), port("Ethernet10", "10.0.0.4/31"), port("Ethernet2", "10.0.0.2/31"))
    b = switch("spine1", port("Ethernet9", "10.0.0.1/31"), port("Ethernet3", "10.0.0.3/31"), port("Ethernet4", "10.0.0.5/31"))
    assert find(a, b) == find(b, a)
    assert [x.a.port for x in find(a, b)[0]] == ["Ethernet1", "Ethernet2", "Ethernet10"]


@given(st.ip_addresses(v=4), st.integers(0, 32))
def test_addresses_read_by_hand_are_what_the_library_reads(ip: IPv4Address, length: int) -> None:
    found = links_module._address(f"{ip}/{length}")
    network = IPv4Interface((ip, length)).network
    if length == 32 or ip.is_link_local:
        assert found is None
    else:
        assert found is not None
        assert (found.ip, found.low, found.high) == (int(ip), int(network[0]), int(network[-1]))


@pytest.mark.parametrize(
    "text", ["256.0.0.1/24", "10.0.0.1/33", "10.0.0/24", "10.0.0.1", "", "x/24", "fe80::1/64", "::1/128", "1.2.3.4/"]
)
def test_what_is_no_address_of_a_link(text: str) -> None:
    assert links_module._address(text) is None


def test_a_mask_written_out_is_read() -> None:
    assert links_module._address("10.0.0.1/255.255.255.254") == links_module._address("10.0.0.1/31")
