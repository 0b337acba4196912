"""Headroom in derive: the peer's chip, the release's script, the model's own table; refusals by name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from xoff.derive import Derivation, derive
from xoff.derive.explain import explain_port
from xoff.errors import CannotExpress
from xoff.fabric.planned import AsicFacts
from xoff.model.frozen import FrozenMap
from xoff.model.origin import Term
from xoff.platforms import load
from xoff.sizing.link import LinkInput
from xoff.sizing.number import Number
from xoff.sizing.nvidia import nvidia_headroom, version_of

from .plans import pair


def response(d: Derivation, port: str) -> Term:
    chosen = d.numbers[port].chosen
    assert chosen is not None
    return next(t for t in chosen.terms if t.name == "response")


def test_a_peer_that_answers_later_than_the_own_table_assumes_decides() -> None:
    # Tomahawk6's tables need 2,217 ns, Tomahawk5's 2,112 ns, the generic worst case is 2,200 ns
    near = derive(pair(spine="nos: sonic, model: DCS-7060X6-64PE"), "leaf1")
    far = derive(pair(spine="nos: sonic, model: NH-4210-F-O256"), "leaf1")
    assert "2200 ns" in response(near, "Ethernet64").why
    assert "2217 ns at 100G: the peer's chip, Broadcom Tomahawk6" in response(far, "Ethernet64").why
    assert "the largest of 2,200, 2,112, 2,217" in response(far, "Ethernet64").why
    assert far.numbers["Ethernet64"].chosen.value >= near.numbers["Ethernet64"].chosen.value  # type: ignore[union-attr]
    # hosts have no chip that we know
    assert response(far, "Ethernet0") == response(near, "Ethernet0")


def test_facts_of_the_peer_by_hand_count_too() -> None:
    plan = pair()
    slow = replace(plan.devices["spine1"], asic_facts=AsicFacts(response_ns=5_000))
    d = derive(replace(plan, devices=FrozenMap({**plan.devices, "spine1": slow})), "leaf1")
    t = response(d, "Ethernet64")
    assert "5000 ns" in t.why
    assert t.source == "given by hand in the intent"


def test_the_table_preset_takes_the_model_s_own_row_as_it_is() -> None:
    leaf = "nos: sonic, model: DCS-7050CX3-32S, headroom: {preset: table}"
    chosen = derive(pair(leaf=leaf, cable="300m", links=", carries: [cnp]"), "leaf1").numbers["Ethernet64"].chosen
    assert chosen is not None
    assert (chosen.value, chosen.origin.preset) == (160_000, "table")
    assert chosen.terms[0].source.endswith("pg_profile_lookup.ini")
    with pytest.raises(CannotExpress, match="no row for 100G and 3 m, and a device looks up exactly; at 100G it has"):
        derive(pair(leaf=leaf), "leaf1")


def test_the_ieee_preset_is_refused_where_the_standard_s_parts_are_not_sourced() -> None:
    leaf = "nos: sonic, model: DCS-7060X6-64PE, headroom: {preset: ieee}"
    assert derive(pair(leaf=leaf), "leaf1").numbers["Ethernet64"].chosen is not None
    with pytest.raises(CannotExpress, match="no source gives the IEEE interface delay at 400G"):
        derive(pair(leaf=leaf, speed="400G"), "leaf1")


def test_nvidia_takes_the_release_s_script_and_the_port_s_mtu() -> None:
    chip = load("spectrum3")
    assert chip is not None
    link = LinkInput(400_000, 300, small_packets=100, port_mtu=9100)
    for release in ("202111", "202405", "202605"):
        leaf = f"nos: sonic, model: MSN4700, release: '{release}', options: {{buffer_model: traditional}}"
        got = explain_port(pair(leaf=leaf, speed="400G", cable="300m"), "leaf1", "Ethernet64").presets["nvidia"]
        want = nvidia_headroom(link, chip, version_of(chip, release), 4096 + 102)
        assert isinstance(want, Number)
        assert got == want.value
