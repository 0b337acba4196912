"""NVIDIA Onyx: statements on single lines, ranges, what is known of real files and what is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xoff.model.path import path
from xoff.model.qos import Colour, HeaderField, PfcMode, QueueId, QueueKind
from xoff.model.quantity import Unknown
from xoff.model.switch import PortKind, SwitchModel
from xoff.nos import onyx, registry, yaml12
from xoff.nos.source import Source, read_source

GOLDEN: dict[str, list[dict[str, Any]]] = yaml12.load((Path(__file__).parent / "unclaimed.yml").read_text(encoding="utf-8"))
LEAF = """\
no cli default prefix-modes enable
   hostname leaf1
   dcb priority-flow-control enable force
   dcb priority-flow-control priority 3 enable
   interface ethernet 1/1-1/3 dcb priority-flow-control mode on force
   interface ethernet 1/1-1/3 qos trust L3
   interface ethernet 1/1-1/2 pfc-wd
   interface ethernet 1/1-1/3 traffic-class 3 congestion-control ecn minimum-absolute 150 maximum-absolute 1500
   interface ethernet 1/3 mtu 9216 force
no interface ethernet 1/3 qos trust L3
"""


def read(text: str) -> SwitchModel:
    (model,) = onyx.parse([Source("leaf1.cfg", text)], registry.load("onyx"))
    return model


def test_ranges_and_lines_taken_back() -> None:
    model = read(LEAF)
    assert list(model.ports) == ["ethernet 1/1", "ethernet 1/2", "ethernet 1/3"]
    one, three = model.ports["ethernet 1/1"], model.ports["ethernet 1/3"]
    assert one.qos is model.ports["ethernet 1/2"].qos
    way = path(one.qos, dscp=26)
    assert (way.tc, way.queue, way.protected, way.marks, one.qos.watchdog.enabled) == (3, 3, True, True, True)
    curve = one.qos.queues[QueueId(QueueKind.UNICAST, 3)].curves[Colour.GREEN]
    assert (str(curve.kmin), str(curve.kmax)) == ("150 kbytes", "1500 kbytes")
    assert three.mtu == 9216
    assert isinstance(three.qos.classify.untagged_ip, Unknown)  # trust taken back
    gone = read(LEAF + "no interface ethernet 1/1 traffic-class 3 congestion-control\n").ports["ethernet 1/1"]
    assert path(gone.qos, dscp=26).marks is False
    at = three.place(three.origins["pfc.mode"])
    assert at is not None
    assert at.line == 5
    assert model.remarks == ()


@pytest.mark.parametrize(
    ("line", "open_"),
    [
        ("   dcb priority-flow-control enable force\n", "mode"),
        ("   interface ethernet 1/1-1/3 dcb priority-flow-control mode on force\n", "mode"),
        ("   interface ethernet 1/1-1/3 qos trust L3\n", "trust"),
        ("   interface ethernet 1/1-1/2 pfc-wd\n", "watchdog"),
    ],
)
def test_a_line_left_out_is_unknown_where_no_source_tells_the_default(line: str, open_: str) -> None:
    assert line in LEAF
    qos = read(LEAF.replace(line, "")).ports["ethernet 1/1"].qos
    value = {"mode": qos.pfc.mode, "trust": qos.classify.untagged_ip, "watchdog": qos.watchdog.enabled}[open_]
    assert isinstance(value, Unknown)


def test_priorities_are_off_by_default() -> None:
    """SX: after enabling 3 the switch shows all others as disabled."""
    qos = read(LEAF.replace("   dcb priority-flow-control priority 3 enable\n", "")).ports["ethernet 1/1"].qos
    assert (qos.pfc.mode, qos.pfc.no_drop, path(qos, dscp=26).protected) == (PfcMode.ON, frozenset(), False)


def test_qos_behind_an_interface_is_never_lost_in_silence() -> None:
    for more in (
        "interface ethernet 1/1 qos xyzzy 7",
        "dcb xyzzy",
        "interface port-channel 1 traffic-class 3 xyzzy",
        "roce lossless",
    ):
        found = read(LEAF + more + "\n").remarks
        assert [(r.kind.value, r.origin.at.line) for r in found] == [("unclaimed", 11)], more
    assert read(LEAF + "interface ethernet 1/1 switchport mode hybrid\n").remarks == ()


def test_impossible_values_are_told() -> None:
    ecn = "interface ethernet 1/1 traffic-class 12 congestion-control ecn minimum-absolute 1 maximum-absolute 2"
    for line in ("dcb priority-flow-control priority 9 enable", ecn):
        assert [r.kind.value for r in read(LEAF + line + "\n").remarks] == ["invalid"], line


def test_real_files(shared: Callable[[str], Path]) -> None:
    def model(name: str) -> SwitchModel:
        (found,) = onyx.parse([read_source(shared(f"corpus/onyx/{name}"))], registry.load("onyx"))
        return found

    session = model("smartx-nvmeof-lossless-session.txt")
    assert {n: (p.qos.pfc.mode, set(p.qos.pfc.no_drop)) for n, p in session.ports.items()} == {
        "ethernet 1/1": (PfcMode.ON, {3}), "ethernet 1/2": (PfcMode.ON, {3}),
    }  # fmt: skip
    converter = model("startup-config-media-converter-lossless-pool-no-pfc.cfg")
    assert (len(converter.ports), [(p.name, str(p.size)) for p in converter.pools]) == (32, [("roce", "50 % of pool")])
    qos = converter.ports["ethernet 1/32"].qos
    assert (qos.groups[5].pool, qos.pfc.no_drop, qos.classify.untagged_ip) == ("roce", frozenset(), HeaderField.DSCP)
    spine = model("canu-sw-spine-001-pfc-ipl-only.cfg")
    assert (spine.hostname, spine.ports["port-channel 256"].kind) == ("sw-spine-001", PortKind.PEER_LINK)
    assert (spine.ports["ethernet 1/31"].speed, spine.ports["ethernet 1/1"].bundle) == (40_000, "mlag-port-channel 9")


@pytest.mark.parametrize("name", GOLDEN)
def test_remarks_are_the_listed_ones(shared: Callable[[str], Path], name: str) -> None:
    source = read_source(shared(f"corpus/onyx/{name}"))
    found = registry.detect(name, source.text)
    assert found is not None
    assert found.nos == "onyx"
    rows = [{"line": r.origin.at.line, "kind": r.kind.value, "shape": r.shape} for r in read(source.text).remarks]
    assert rows == [{k: v for k, v in entry.items() if k != "why"} for entry in GOLDEN[name]]


WORDS = st.sampled_from(
    ["interface", "ethernet", "1/1", "1/1-1/99999", "1/1-2/3", "no", "dcb", "priority-flow-control", "mode", "on", "force",
     "priority", "3", "9", "enable", "qos", "trust", "L3", "traffic", "pool", "x", "map", "switch-priority", "#", "\u0663"]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(WORDS, min_size=1, max_size=8), max_size=20))
def test_any_mixture_of_words_is_read(rows: list[list[str]]) -> None:
    read("\n".join(" ".join(words) for words in rows))
