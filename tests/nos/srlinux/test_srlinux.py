"""SR Linux: four forms with one meaning, values of the sources, defaults, and what is not known."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xoff.errors import InputError
from xoff.lint.engine import lint
from xoff.lint.result import FabricInput, LintRequest
from xoff.model.fields import ALL_FIELDS, same
from xoff.model.origin import Default
from xoff.model.path import path
from xoff.model.qos import Colour, PfcMode, Queue, QueueId, QueueKind, Scheduler, SchedulerKind, Static, WatchdogAction
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.switch import Form, Port, PortKind, SwitchModel
from xoff.nos import facts, registry, srlinux, yaml12
from xoff.nos.portshows import read_port_show
from xoff.nos.source import Source, read_source
from xoff.nos.srlinux.ports import NO_GROUP

HERE = Path(__file__).parent
GOLDEN: dict[str, list[dict[str, Any]]] = yaml12.load((HERE / "unclaimed.yml").read_text(encoding="utf-8"))
LEAF = json.loads((HERE / "goldens" / "leaf" / "files" / "leaf1.json").read_text(encoding="utf-8"))

#: A leaf by the leaves of YANG v25.3.1, several on one line in places, as people type it.
BRACES = """\
--{ running }--[  ]--
# info
    interface ethernet-1/1 {
        description "to { gpu1"
        mtu 9100
        ethernet {
            port-speed 400G
            flow-control { receive false }
        }
        subinterface 0 {
            ipv4 { address 192.0.2.0/31 { } }
        }
    }
qos {
    explicit-congestion-notification {
    }
    forwarding-classes {
        forwarding-class roce { forwarding-class-index 3
            output { unicast-queue q-roce } }
        forwarding-class cnp { forwarding-class-index 6
            output { unicast-queue q-cnp } }
    }
    queues {
        queue q-roce { queue-index 3 }
        queue q-cnp { queue-index 6 }
        pfc-queue pfc-roce { queue-index 2 }
    }
    classifiers {
        dscp-policy ai {
            dscp 24 { forwarding-class roce }
            dscp 26 { forwarding-class roce drop-probability low }
            dscp 48 { forwarding-class cnp }
        }
    }
    pfc-mapping-profile ai-pfc {
        received-traffic {
            unicast-mapping {
                pfc-queue pfc-roce {
                    forwarding-class [
                        roce
                    ]
                    pfc-pause-frame-priority 3
                }
            }
        }
        received-pfc-pause-frames {
            deadlock { enable true detection-timer 200 }
            queue q-roce { pfc-pause-frame-priority 3 enable-pfc true }
        }
    }
    linecard 1 { forwarding-complex 0 { input { pfc-buffer-reservation 10 } } }
    buffer-management {
        queue-management-profile roce-ecn {
            wred {
                wred-slope all drop-probability all enable-ecn true {
                    min-threshold-percent 5
                    max-threshold-percent 80
                    max-drop-probability-percent 100
                }
            }
        }
        buffer-allocation-profile ai-out { queues { queue q-roce { maximum-burst-size 52110640 } } }
        buffer-allocation-profile ai-in {
            queues { pfc-queue pfc-roce { maximum-burst-size 2000000 maximum-pfc-reserved-share-percentage 25 } }
        }
    }
    interfaces {
        interface ethernet-1/1 {
            interface-ref { interface ethernet-1/1 }
            pfc { pfc-mapping-profile ai-pfc pfc-enable true }
            input { pfc-buffer-allocation-profile ai-in }
            output {
                buffer-allocation-profile ai-out
                queues { queue q-roce { queue-management-profile roce-ecn } }
            }
        }
        interface ethernet-1/1.0 {
            interface-ref { interface ethernet-1/1 subinterface 0 }
            input { classifiers { dscp-policy ai } }
        }
    }
}
"""


def read(text: str, name: str = "leaf1.cfg", **known: str) -> SwitchModel:
    given = facts.Facts([facts.Given("", "test", known)]) if known else facts.NONE
    (model,) = srlinux.parse([Source(name, text)], registry.load("srlinux"), given)
    return model


def port(text: str, **known: str) -> Port:
    return read(text, **known).ports["ethernet-1/1"]


def queue(p: Port, number: int) -> Queue:
    return p.qos.queues[QueueId(QueueKind.UNICAST, number)]


# --- forms


def words_of(node: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """(path with keys in brackets, value) of each leaf of a JSON tree, in order."""
    if isinstance(node, dict):
        if not node:
            yield words, ""
        for key, value in node.items():
            name = key.rpartition(":")[2]
            for item in value if isinstance(value, list) else [value]:
                if isinstance(value, list) and isinstance(item, dict):
                    keys = ("traffic-type", "drop-probability", "enable-ecn") if name == "wred-slope" else (next(iter(item)),)
                    said = "".join(f"[{k}={text(item[k])}]" for k in keys)
                    yield from words_of({k: v for k, v in item.items() if k not in keys}, (*words, name + said))
                else:
                    yield from words_of(item, (*words, name))
    else:
        yield words, text(node)


def text(value: Any) -> str:
    return "true" if value is True else "false" if value is False else f'"{value}"' if " " in str(value) else str(value)


def flat(step: str) -> str:
    """`wred-slope[traffic-type=all][drop-probability=all]` as the command line has it."""
    name, *keys = step.replace("]", "").split("[")
    return " ".join([name, *(k.partition("=")[2] if not i else k.replace("=", " ") for i, k in enumerate(keys))])


def as_paths(tree: Any) -> str:
    return "".join(f"/{'/'.join(w)} {v}\n" for w, v in words_of(tree))


def as_set(tree: Any) -> str:
    return "".join(f"set / {' '.join(flat(s) for s in w)} {v}\n" for w, v in words_of(tree))


def as_braces(tree: Any) -> str:
    out = []
    for words, value in words_of(tree):
        steps = [flat(s) for s in words]
        keep = steps[:-1] if value else steps
        out += [f"{'  ' * i}{s} {{" for i, s in enumerate(keep)]
        out += [f"{'  ' * len(keep)}{steps[-1]} {value}"] if value else []
        out += ["  " * i + "}" for i in reversed(range(len(keep)))]
    return "\n".join(out) + "\n"


@pytest.mark.parametrize("form", [as_paths, as_set, as_braces], ids=lambda f: f.__name__)
def test_every_form_says_the_same(form: Callable[[Any], str]) -> None:
    tree = json.loads(json.dumps(LEAF))
    tree["srl_nokia-system:system"] = {"name": {"host-name": "leaf1"}}
    expected, found = read(json.dumps(tree), "leaf1.json"), read(form(tree))
    assert registry.detect("x.cfg", form(tree)).nos == "srlinux"  # type: ignore[union-attr]
    assert found.remarks == ()
    assert same(expected, found, ALL_FIELDS) == []
    assert len(found.ports) == 3


def test_lines_of_json_braces_and_set_are_the_files_own() -> None:
    for written in (json.dumps(LEAF, indent=1), as_braces(LEAF), as_set(LEAF), BRACES):
        p = port(written)
        at = p.place(p.origins["pfc.mode"])
        assert at is not None
        assert "pfc-enable" in written.split("\n")[at.line - 1]


def test_json_cut_off_is_told_and_not_judged() -> None:
    with pytest.raises(InputError, match=r"leaf1.json:\d+: .*cut off"):
        read(json.dumps(LEAF, indent=1)[:-200], "leaf1.json")


def test_delete_takes_back_what_stands_before_it_only() -> None:
    line = "set / interface ethernet-1/1 mtu 9000\n"
    assert (
        port(line + "delete / interface ethernet-1/1 mtu\n" + "set / interface ethernet-1/1 admin-state enable\n").mtu == 9232
    )
    assert port("delete / interface ethernet-1/1 mtu\n" + line).mtu == 9000


def test_a_banner_over_several_lines_is_no_configuration() -> None:
    banner = 'system {\n  banner {\n    login-banner "hello {\n qos {\n  }\n bye"\n  }\n}\n'
    assert same(read(BRACES), read(banner + BRACES), ALL_FIELDS) == []


# --- values


def test_the_reference_leaf() -> None:
    model = read(BRACES)
    p = model.ports["ethernet-1/1"]
    assert model.remarks == ()
    assert (model.form, p.kind, p.mtu, p.speed, p.description, p.addresses) == (
        Form.RUNNING, PortKind.FRONT, 9100, 400_000, "to { gpu1", ("192.0.2.0/31",),
    )  # fmt: skip
    way = path(p.qos, dscp=26)
    assert (way.tc, way.queue, way.group, way.protected, way.pause_sent_as, way.obeys, way.marks) == (
        3, 3, 2, True, frozenset({3}), frozenset({3}), True,
    )  # fmt: skip
    assert (path(p.qos, dscp=48).queue, path(p.qos, dscp=48).group) == (6, NO_GROUP)
    assert (path(p.qos, dscp=10).tc, path(p.qos, dscp=10).protected) == (0, False)  # [C]: no match is class 0
    group = p.qos.groups[2]
    assert group.threshold == Static(Quantity(Fraction(2_000_000), Unit.BYTES))
    assert group.headroom == Quantity(Fraction(25), Unit.PERCENT_OF_POOL)
    curve = queue(p, 3).curves[Colour.GREEN]
    assert (str(curve.kmin), str(curve.kmax), str(curve.pmax), curve.marks) == ("5 % of limit", "80 % of limit", "100 %", True)
    assert queue(p, 3).limit == Static(Quantity(Fraction(52110640), Unit.BYTES))
    w = p.qos.watchdog
    assert (w.enabled, str(w.detect), str(w.restore), w.action) == (True, "200 ms", "750 ms", WatchdogAction.FORWARD)
    assert isinstance(p.origins["watchdog.restore"], Default)
    assert [str(x.size) for x in model.pools] == ["10 % of pool"]


def test_the_configuration_of_the_fabric_manager(shared: Callable[[str], Path]) -> None:
    model = read(read_source(shared("corpus/srlinux/eda-2tier-spine01-config.json")).text)
    p = model.ports["ethernet-1/1"]
    way = path(p.qos, dscp=26)
    assert (way.queue, way.pause_sent_as, way.obeys, way.marks, way.protected) == (
        3,
        frozenset({3}),
        frozenset({3}),
        True,
        True,
    )
    assert queue(p, 3).scheduler == Scheduler(SchedulerKind.WRR, Quantity(Fraction(50), Unit.WEIGHT))
    assert queue(p, 6).scheduler == Scheduler(SchedulerKind.STRICT, cap=Quantity(Fraction(10), Unit.PERCENT))
    assert len({id(x.qos) for x in model.ports.values() if x.kind is PortKind.FRONT}) == 1
    findings = lint(LintRequest((FabricInput("f", (model,)),))).findings
    assert [(f.code, f.message) for f in findings if f.severity.rank < 2] == []


# --- defaults, and what is not known


def without(line: str, instead: str = "") -> str:
    assert line in BRACES
    return BRACES.replace(line, instead)


def test_pfc_is_off_unless_enabled() -> None:
    p = port(without(" pfc-enable true"))
    assert (p.qos.pfc.mode, path(p.qos, dscp=26).protected) == (PfcMode.OFF, False)
    assert isinstance(p.origins["pfc.mode"], Default)


def test_a_queue_obeys_only_with_enable_pfc_or_an_enabled_priority() -> None:
    assert path(port(without(" enable-pfc true")).qos, dscp=26).obeys == frozenset()
    newer = without(" enable-pfc true").replace("received-traffic {", "pfc-priority 3 { pfc-enable true }\nreceived-traffic {")
    assert path(port(newer).qos, dscp=26).obeys == frozenset({3})
    other = without(" enable-pfc true").replace("received-traffic {", "pfc-priority 4 { pfc-enable true }\nreceived-traffic {")
    assert isinstance(port(other).qos.pfc.mode, Unknown)


def test_nothing_marks_without_the_global_switch() -> None:
    p = port(without("    explicit-congestion-notification {\n    }\n"))
    assert path(p.qos, dscp=26).marks is False
    assert isinstance(p.origins["queue.unicast.3.marks"], Default)
    bare = without("    explicit-congestion-notification {\n    }\n")
    part = bare[: bare.index("    interface ethernet-1/1 {")] + bare[bare.index("qos {") :]
    assert isinstance(path(port(part).qos, dscp=26).marks, Unknown)  # a part of a configuration


def test_the_deadlock_timers_are_off_by_default() -> None:
    assert port(without("enable true detection", "detection")).qos.watchdog.enabled is False


def test_burst_size_and_share_by_default() -> None:
    p = port(without(" maximum-burst-size 2000000 maximum-pfc-reserved-share-percentage 25", " "))
    assert p.qos.groups[2].threshold == Static(Quantity(Fraction(51200), Unit.BYTES))
    assert p.qos.groups[2].headroom == Quantity(Fraction(10), Unit.PERCENT_OF_POOL)


def test_bytes_win_over_the_percentage() -> None:
    p = port(without("percentage 25", "percentage 25 maximum-pfc-reserved-share-bytes 400000"))
    assert p.qos.groups[2].headroom == Quantity(Fraction(400_000), Unit.BYTES)


def test_no_classifier_is_not_taken_for_class_0() -> None:
    """A sample shows the policy `default` bound then, and no source says what it maps."""
    assert isinstance(path(port(without("input { classifiers { dscp-policy ai } }")).qos, dscp=26).tc, Unknown)


def test_sub_interfaces_that_disagree_leave_it_open() -> None:
    two = BRACES.replace("        subinterface 0 {", "        subinterface 1 {\n        }\n        subinterface 0 {")
    assert isinstance(path(port(two).qos, dscp=26).tc, Unknown)


def test_tagged_ports_count_by_dot1p() -> None:
    tagged = BRACES.replace("        mtu 9100", "        vlan-tagging true\n        mtu 9100")
    assert isinstance(path(port(tagged).qos, dscp=26).group, Unknown)
    by_pcp = without("forwarding-class [\n                        roce\n                    ]", "dot1p [ 3 ]")
    assert path(port(by_pcp).qos, dscp=26).protected is False  # untagged: no forwarding class, no pfc-queue


def test_a_7250_is_not_judged_as_a_7220() -> None:
    p = port(BRACES, model="7250 IXR-10e")
    assert isinstance(p.qos.pfc.mode, Unknown)
    assert isinstance(path(p.qos, dscp=26).group, Unknown)


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("pfc-pause-frame-priority 3 enable", "pfc-pause-frame-priority 9 enable"),
        ("detection-timer 200", "detection-timer 5"),
        ("mtu 9100", "mtu 20000"),
        ("port-speed 400G", "port-speed fast"),
        ("maximum-burst-size 2000000", "maximum-burst-size many"),
        ("dscp 24 {", "dscp 64 {"),
    ],
)
def test_impossible_values_are_told(line: str, instead: str) -> None:
    (remark,) = read(without(line, instead)).remarks
    assert remark.kind.value == "invalid"
    assert remark.expected


def test_a_reference_to_nothing_is_kept_and_leaves_the_value_open() -> None:
    model = read(without("pfc-buffer-allocation-profile ai-in", "pfc-buffer-allocation-profile ai-inn"))
    gone = [r for r in model.references if r.resolves is False]
    assert [(r.kind, r.name, r.ports) for r in gone] == [("buffer-allocation-profile", "ai-inn", ("ethernet-1/1",))]
    assert isinstance(model.ports["ethernet-1/1"].qos.groups[2].headroom, Unknown)


# --- nothing is lost, nothing crashes


def test_an_unknown_leaf_or_block_after_each_line_of_qos_never_changes_the_model() -> None:
    before = read(BRACES)
    rows = BRACES.split("\n")
    start = rows.index("qos {")
    tried = 0
    for at in range(start + 1, len(rows) - 1):
        if "[" in rows[at - 1] or rows[at - 1].strip() == "roce" or rows[at].strip() in ("roce", "]"):
            continue  # inside a list of values
        for more in ("xyzzy 7", "xyzzy-queue 6 {\n pfc-enable false\n maximum-burst-size 7\n}"):
            found = read("\n".join([*rows[:at], more, *rows[at:]]))
            assert same(before, found, ALL_FIELDS) == [], (at, more)
            assert any(r.kind.value == "unclaimed" and r.shape.startswith("xyzzy") for r in found.remarks), (at, more)
            tried += 1
    assert tried > 80


@pytest.mark.parametrize("name", GOLDEN)
def test_remarks_are_the_listed_ones(shared: Callable[[str], Path], name: str) -> None:
    found = read(read_source(shared(f"corpus/srlinux/{name}")).text).remarks
    rows = [{"line": r.origin.at.line, "kind": r.kind.value, "shape": r.shape} for r in found]
    assert rows == [{k: v for k, v in entry.items() if k != "why"} for entry in GOLDEN[name]]


def test_corpus_is_recognised_and_eda_resources_are_named(shared: Callable[[str], Path]) -> None:
    for file in shared("corpus/srlinux").iterdir():
        found = registry.detect(str(file), read_source(file).text)
        if file.name in GOLDEN:
            assert found is not None, file.name
            assert found.nos == "srlinux"
        elif file.suffix == ".yaml":
            assert found is not None, file.name
            assert (found.nos, found.supported) == ("eda", False)
        else:
            assert found is None, file.name


WORDS = st.sampled_from(
    ["qos", "interface", "ethernet-1/1", "interfaces", "{", "}", "[", "]", "set /", "delete /", "/qos/queues/queue[name=x]",
     "queues", "queue", "x", "queue-index", "9", "pfc", "pfc-enable", "true", '"', '"a b"', "\n", "#", "!!!", "--{", "\u0663"]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(WORDS, max_size=50).map(" ".join))
def test_any_mixture_of_words_is_read(written: str) -> None:
    with suppress(InputError):  # what begins as JSON and is none
        read(written)


NAMES = st.sampled_from(["qos", "interfaces", "interface", "name", "queue", "queues", "pfc", "classifiers", "wred-slope"])
TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(NAMES, below, max_size=3),
)


@settings(max_examples=60, deadline=None)
@given(TREES)
def test_any_json_is_read(tree: Any) -> None:
    read(json.dumps({"srl_nokia-qos:qos": tree}), "a.json")


def test_a_deep_or_long_text_takes_no_longer_than_its_length() -> None:
    began = time.process_time()
    for written in ("{ " * 20_000, "a {\n" * 20_000, "[ " * 20_000, 'x "\n' * 20_000, "set / " + "a " * 60_000):
        with suppress(InputError):
            read("qos " + written)
    assert time.process_time() - began < 10


def test_speeds_stand_in_show_interface(shared: Callable[[str], Path]) -> None:
    for name, prompt, speed in (
        ("show_interface_detail__7220_learn-srlinux.txt", "srl-a", 25_000),
        ("show_interface_queue-detail__7250_r21-11.txt", None, 100_000),
    ):
        found = read_port_show(read_source(shared(f"corpus/srlinux/{name}")))
        assert found is not None, name
        assert (found.nos, found.prompt) == ("srlinux", prompt)
        assert [(e.port, e.speed) for e in found.entries] == [("ethernet-1/1", speed)]
