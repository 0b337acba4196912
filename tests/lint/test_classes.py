"""Classes in force: the five stages, and what counts as evidence (DESIGN 8)."""

from __future__ import annotations

import pytest

from tests.lint.build import ports, qos, switch
from xoff.lint.classes import resolve
from xoff.model.fabric import Basis, ClassInForce, ClassKind
from xoff.model.finding import Confidence
from xoff.model.qos import HeaderField
from xoff.model.quantity import Unknown
from xoff.model.switch import PortKind


def _stated(basis: Basis, dscp: int, priority: int = 3, kind: ClassKind = ClassKind.DATA) -> ClassInForce:
    return ClassInForce(
        f"{kind}-{dscp}", kind, kind is ClassKind.DATA, frozenset({dscp}), frozenset(), priority, basis, Confidence.CERTAIN,
        "test",
    )  # fmt: skip


def _lossless(found) -> list[tuple[set[int], set[int], object, Basis]]:
    return [(set(c.dscp), set(c.pcp), c.priority, c.basis) for c in found.classes if c.lossless and c.kind is ClassKind.DATA]


def _cnp(found) -> list[tuple[set[int], Basis]]:
    return [(set(c.dscp), c.basis) for c in found.classes if c.kind is ClassKind.CNP]


ROCE = switch("leaf1", ports(8, qos({10: 3}, [3])))


def test_the_strongest_source_wins() -> None:
    intent, project, host = (_stated(b, d) for b, d in ((Basis.INTENT, 11), (Basis.PROJECT, 12), (Basis.HOST, 13)))
    assert _lossless(resolve([ROCE], [[intent], [project], [host]]))[0][3] is Basis.INTENT
    assert _lossless(resolve([ROCE], [[], [project], [host]]))[0][3] is Basis.PROJECT
    assert _lossless(resolve([ROCE], [[], [], [host]]))[0][3] is Basis.HOST
    assert _lossless(resolve([ROCE], [[], [], []])) == [({10}, set(), 3, Basis.FABRIC)]
    silent = switch("leaf1", ports(8, qos({}, [3])))
    assert _lossless(resolve([silent], [[], [], []])) == [({24, 26}, set(), 3, Basis.CONVENTION)]
    assert _lossless(resolve([silent], [[], [], []], "azure")) == [
        ({3}, set(), 3, Basis.CONVENTION),
        ({4}, set(), 4, Basis.CONVENTION),
    ]


def test_a_class_by_the_fabric_or_a_convention_is_inferred() -> None:
    assert {c.confidence for c in resolve([ROCE], []).classes} == {Confidence.INFERRED}


def test_the_fabric_says_which_values_even_against_every_convention() -> None:
    """DSCP 24 in priority 4, CNPs in 25: the fabric's own lines decide, and no convention owns that pair."""
    found = resolve([switch("leaf1", ports(8, qos({24: 4, 25: 6}, [4])))], [])
    assert _lossless(found) == [({24}, set(), 4, Basis.FABRIC)]
    assert _cnp(found) == []


def test_dscp_46_in_priority_5() -> None:
    assert _lossless(resolve([switch("leaf1", ports(8, qos({46: 5}, [5])))], [])) == [({46}, set(), 5, Basis.FABRIC)]


def test_the_azure_values_bring_no_cnp() -> None:
    found = resolve([switch("leaf1", ports(8, qos({3: 3, 4: 4, 48: 6}, [3, 4])))], [])
    assert _lossless(found) == [({3}, set(), 3, Basis.FABRIC), ({4}, set(), 4, Basis.FABRIC)]
    assert [c.name for c in found.classes] == ["lossless3", "lossless4"]
    assert _cnp(found) == []


def test_the_convention_that_owns_the_values_brings_its_cnp() -> None:
    assert _cnp(resolve([switch("leaf1", ports(8, qos({26: 3}, [3])))], [])) == [({48}, Basis.CONVENTION)]


def test_cnp_is_resolved_on_its_own() -> None:
    """RoCE by the intent, CNP by a host: each from the strongest source that states it."""
    cnp = _stated(Basis.HOST, 50, 6, ClassKind.CNP)
    found = resolve([ROCE], [[_stated(Basis.INTENT, 26)], [], [cnp]])
    assert _cnp(found) == [({50}, Basis.HOST)]
    assert _cnp(resolve([ROCE], [[_stated(Basis.INTENT, 26)], [], []])) == [({48}, Basis.CONVENTION)]


def test_classes_told_apart_by_pcp() -> None:
    body = qos({26: 3}, [3], pcp={3: 3}, trust=HeaderField.PCP)
    model = switch("leaf1", ports(8, body, routed=False))
    assert _lossless(resolve([model], [])) == [(set(), {3}, 3, Basis.FABRIC)]


def test_two_lossless_classes() -> None:
    found = resolve([switch("leaf1", ports(8, qos({26: 3, 34: 4}, [3, 4])))], [])
    assert _lossless(found) == [({26}, set(), 3, Basis.FABRIC), ({34}, set(), 4, Basis.FABRIC)]


def test_a_default_is_no_evidence() -> None:
    """DSCP 24-31 reach priority 3 by the NOS's own map: nobody has said that they are RoCE."""
    assert _lossless(resolve([switch("leaf1", ports(8, qos({}, [3])))], []))[0][3] is Basis.CONVENTION


def test_half_of_the_ports_is_not_more_than_half() -> None:
    right, wrong = qos({26: 3}, [3]), qos({26: 1}, [3])
    five_of_ten = switch("leaf1", [*ports(5, right), *ports(5, wrong, first=6)])
    six_of_ten = switch("leaf1", [*ports(6, right), *ports(4, wrong, first=7)])
    assert _lossless(resolve([five_of_ten], []))[0][3] is Basis.CONVENTION
    assert _lossless(resolve([six_of_ten], [])) == [({26}, set(), 3, Basis.FABRIC)]


def test_ports_without_a_no_drop_statement_have_no_vote() -> None:
    model = switch("leaf1", [*ports(2, qos({26: 3}, [3])), *ports(20, qos({26: 1}), first=3)])
    assert _lossless(resolve([model], [])) == [({26}, set(), 3, Basis.FABRIC)]


def test_a_no_drop_priority_with_pfc_off_is_still_a_statement() -> None:
    assert _lossless(resolve([switch("leaf1", ports(8, qos({26: 3}, [3], on=False)))], [])) == [({26}, set(), 3, Basis.FABRIC)]


@pytest.mark.parametrize("kind", [PortKind.MANAGEMENT, PortKind.SVI, PortKind.SUBINTERFACE, PortKind.LOOPBACK])
def test_ports_that_never_carry_have_no_vote(kind: PortKind) -> None:
    model = switch("leaf1", ports(8, qos({26: 3}, [3]), kind=kind))
    found = resolve([model], [])
    assert _lossless(found) == []
    assert found.note


def test_nothing_lossless_at_all() -> None:
    found = resolve([switch("leaf1", ports(8, qos({26: 3})))], [])
    assert found.classes == ()
    assert "no lossless class found" in found.note


def test_an_intent_without_a_lossless_class_rules_the_lines_out() -> None:
    lossy = ClassInForce(
        "bulk", ClassKind.DATA, False, frozenset({10}), frozenset(), 1, Basis.INTENT, Confidence.CERTAIN, "test"
    )
    found = resolve([ROCE], [[lossy]])
    assert _lossless(found) == []
    assert found.note


def test_a_port_that_ignores_its_dscp_map_does_not_make_another_class() -> None:
    """What a port reads is judged against the class (MAP005); the class itself stands in the map lines."""
    for trust in (Unknown("not read"), HeaderField.PCP):
        model = switch("leaf1", ports(8, qos({26: 3}, [3], trust=trust, trust_said=False)))
        (found,) = _lossless(resolve([model], []))
        assert found[3] is Basis.FABRIC


def test_an_unknown_convention_is_refused() -> None:
    with pytest.raises(KeyError):
        resolve([ROCE], [], "nobody")
