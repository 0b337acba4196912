"""The block-wise reader and the line templates under it, on a toy NOS and on every shipped template."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from xoff.data import TEMPLATES
from xoff.errors import UsageError
from xoff.model.switch import RemarkKind
from xoff.nos import registry
from xoff.nos.linetemplate import LineTemplate, TemplateLine, load_template
from xoff.nos.reader import Block, Reader, Reading
from xoff.nos.registry import Nos
from xoff.nos.source import Source
from xoff.nos.wording import one_edit, shape, unfilled

PORT_TTP = """
<vars>
dropping = "no-drop|drop"
</vars>
<group name="pfc*">
pfc {{ mode | set("on") }}
pfc priority {{ priority }} {{ drop | re("dropping") }}
no pfc {{ mode | set("off") }}
</group>
<group name="mtu*">
mtu {{ mtu }}
</group>
"""
QUEUE_TTP = """
<group name="ecn*">
ecn min {{ kmin }} max {{ kmax }} {{ kind | set("ecn") }}
</group>
"""
ROOT_TTP = """
<group name="map*">
qos map {{ values | ORPHRASE }} to {{ tc }}
</group>
"""


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    folder = tmp_path_factory.mktemp("toy")
    (folder / "parse").mkdir()
    for name, text in (("root.ttp", ROOT_TTP), ("port.ttp", PORT_TTP), ("queue.ttp", QUEUE_TTP)):
        (folder / "parse" / name).write_text(text, encoding="utf-8")
    data = {
        "name": "toy",
        "comment": ["!"],
        "blocks": [
            {"path": "root", "template": "root.ttp", "qos": "words"},
            {
                "path": "interface **",
                "template": "port.ttp",
                "qos": "words",
                "identity": ["description (?P<description>.+)", "address (?P<address>\\S+)"],
            },
            {"path": "interface ** > queue {queue}", "template": "queue.ttp", "qos": "all"},
            {"path": "secret **", "opaque": True},
            {"path": "list *", "ignore": True},
        ],
        "qos_words": ["qos", "pfc", "ecn", "queue", "platform mmu"],
    }
    nos: Nos = registry.build(data, folder)
    return Reader(nos, lambda path, names: tuple(names[0].split(",")) if path.startswith("interface") else None)


def read(reader: Reader, text: str) -> Reading:
    return reader.read(Source("f.cfg", text))


def said(block: Block) -> list[tuple[int, str, dict[str, str], str]]:
    return [(block.lines[s.index], s.group, dict(s.values), s.negated) for s in block.body.said]


def remarks(reading: Reading) -> list[tuple[int, RemarkKind, str]]:
    return [(r.origin.at.line, r.kind, r.shape) for r in reading.remarks.result()]


def test_statements_have_exact_lines_and_file_order(toy: Reader) -> None:
    text = "interface e1\n  pfc priority 4 no-drop\n\n  mtu 9000\n  pfc\n  pfc priority 3 no-drop\n"
    port = read(toy, text).root.children[0]
    assert said(port) == [
        (2, "pfc", {"priority": "4", "drop": "no-drop"}, ""),
        (4, "mtu", {"mtu": "9000"}, ""),
        (5, "pfc", {"mode": "on"}, ""),
        (6, "pfc", {"priority": "3", "drop": "no-drop"}, ""),
    ]


def test_an_unknown_sub_block_gives_its_lines_to_nobody(toy: Reader) -> None:
    known = "interface e1\n  mtu 9000\n  queue 3\n    ecn min 1 max 2\n"
    reading = read(toy, known + "  mc-queue 6\n    ecn min 8 max 9\n    mtu 1\n")
    port = reading.root.children[0]
    assert said(port) == [(2, "mtu", {"mtu": "9000"}, "")]
    assert [said(c) for c in port.children] == [[(4, "ecn", {"kmin": "1", "kmax": "2", "kind": "ecn"}, "")]]
    assert remarks(reading) == [(5, RemarkKind.UNCLAIMED, "mc-queue #")]
    assert reading.remarks.result()[0].origin.at.end_line == 7


def test_a_header_without_children_is_a_block(toy: Reader) -> None:
    reading = read(toy, "interface e1\ninterface e2\n  pfc\n")
    assert [(b.name, b.line, b.body.said != ()) for b in reading.root.children] == [("e1", 1, False), ("e2", 2, True)]


def test_same_header_merges_and_later_lines_come_later(toy: Reader) -> None:
    first = "interface e1\n  mtu 1\n  queue 3\n    ecn min 1 max 2\nqos map 1 to 2\n"
    reading = read(toy, first + "interface e1\n  mtu 2\n  queue 3\n    ecn min 3 max 4\n")
    (port,) = reading.root.children
    assert [(n, v["mtu"]) for n, _, v, _ in said(port)] == [(2, "1"), (7, "2")]
    (queue,) = port.children
    assert [(n, v["kmin"]) for n, _, v, _ in said(queue)] == [(4, "1"), (9, "3")]


def test_ranges_are_expanded_before_merging(toy: Reader) -> None:
    reading = read(toy, "interface e1,e2\n  mtu 1\ninterface e2\n  mtu 2\n")
    assert [(b.name, [n for n, *_ in said(b)]) for b in reading.root.children] == [("e1", [2]), ("e2", [2, 4])]


def test_equal_bodies_are_one_object_whatever_their_identity(toy: Reader) -> None:
    text = "".join(f"interface e{i}\n  description to {i}\n  address 10.0.0.{i}\n  pfc\n  mtu 9000\n" for i in range(1, 50))
    blocks = read(toy, text).root.children
    assert len(blocks) == 49
    assert len({id(b.body) for b in blocks}) == 1
    assert blocks[9].identity == {"description": [("to 10", 47, "description *")], "address": [("10.0.0.10", 48, "address *")]}
    assert blocks[9].lines == (49, 50)


def test_unclaimed_qos_lines_are_remarks_with_all_ports(toy: Reader) -> None:
    text = "".join(f"interface e{i}\n  pfc mode auto{i}\n  ip address 1.2.3.4\n" for i in (1, 2, 3))
    reading = read(toy, text)
    (remark,) = reading.remarks.result()
    assert (remark.shape, remark.ports, remark.origin.path) == ("pfc mode auto#", ("e1", "e2", "e3"), ("interface *",))
    assert reading.other == 3


@pytest.mark.parametrize(
    ("line", "is_remark"),
    [("pcf on", True), ("pf on", True), ("pfcc on", True), ("qoss map", True), ("ip pfc", False), ("platform mmu x", True),
     ("platform other x", False), ("intreface e1", True), ("interfac e1", True), ("shutdown", False)],
)  # fmt: skip
def test_a_word_one_slip_away_from_qos_is_reported(toy: Reader, line: str, is_remark: bool) -> None:
    assert bool(remarks(read(toy, line + "\n"))) is is_remark


def test_negations_of_known_lines_are_claimed_by_the_reader(toy: Reader) -> None:
    text = "interface e1\n  no pfc\n  no pfc priority 3\n  default mtu\n  no pfc priority 3 no-drop\n  no pfc watch\n"
    reading = read(toy, text)
    assert said(reading.root.children[0]) == [
        (2, "pfc", {"mode": "off"}, ""),  # a line of its own in the template comes first
        (3, "pfc", {"priority": "3"}, "no"),
        (4, "mtu", {}, "default"),
        (5, "pfc", {"priority": "3", "drop": "no-drop"}, "no"),
    ]
    assert remarks(reading) == [(6, RemarkKind.UNCLAIMED, "no pfc watch")]


def test_residue_of_templates_is_no_value(toy: Reader) -> None:
    text = "interface e1\n  mtu {{ mtu }}\n  mtu None\n  mtu undefined\n  mtu\n  description {{ x }}\n  pfc priority no-drop\n"
    reading = read(toy, text)
    assert said(reading.root.children[0]) == []
    assert {(n, k) for n, k, _ in remarks(reading)} == {(n, RemarkKind.RESIDUE) for n in (2, 3, 4, 6, 7)}


def test_opaque_and_ignored_blocks(toy: Reader) -> None:
    reading = read(toy, "secret key\n  pfc on\n  qos map 1 to 2\nlist A\n  10 qos\n")
    assert remarks(reading) == []
    assert [(b.name, b.body.texts) for b in reading.root.children] == [("A", ())]
    assert reading.other == 5


def test_lines_after_stripped_indentation_count_as_root(toy: Reader) -> None:
    reading = read(toy, "interface e1\npfc\nmtu 1\nqos map 1 2 to 3\n")
    assert said(reading.root) == [(4, "map", {"values": "1 2", "tc": "3"}, "")]
    assert remarks(reading) == [(2, RemarkKind.UNCLAIMED, "pfc")]


def test_input_that_is_a_path_is_not_opened(toy: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "qos map 7 to 7 @0").write_text("qos map 1 to 1 @0\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert said(read(toy, "qos map 7 to 7\n").root) == [(1, "map", {"values": "7", "tc": "7"}, "")]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["pfc", "pfc priority 3 no-drop", "mtu 1", "mtu 2", "pfc x", "no pfc", "hello", "mtu 1 @0"])))
def test_every_fed_line_is_kept_reported_or_counted(lines: list[str]) -> None:
    template = LineTemplate("t", PORT_TTP)
    claims = template.claim(lines)
    assert len(claims) == len(lines)
    for line, found in zip(lines, claims, strict=True):
        assert len(found) == (line in ("pfc", "pfc priority 3 no-drop", "mtu 1", "mtu 2", "no pfc"))


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_without_a_crash(toy: Reader, text: str) -> None:
    read(toy, text)
    read(toy, "interface e1\n" + "\n".join("  " + row for row in text.split("\n")))


# --- line templates ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("<macro>\ndef f(x): return x\n</macro>", "only <vars>"),
        ('<lookup name="x">\n</lookup>', "only <vars>"),
        ('<group name="x">\na {{ b }}\n</group>', "only <vars>"),
        ('<group name="x*">\na {{ b | macro("f") }}\n</group>', "a capture may use"),
        ('<group name="x*">\na {{ b | re("on|off") }}\n</group>', "a capture may use"),
        ('<group name="x*">\na {{ b | re("c") }}\n</group>', "a capture may use"),
        ('<group name="x*">\n{{ _line_ }}\n</group>', "no name"),
        ('<group name="x*">\na {{ b | set("c") }} d\n</group>', "end of the line"),
        ('<group name="x*">\na {{ b }}', "not closed"),
        ("a {{ b }}", "outside any group"),
        ('<group name="x*">\n<group name="y*">\n</group>\n</group>', "inside a section"),
    ],
)
def test_what_ttp_would_get_wrong_is_refused(template: str, why: str) -> None:
    with pytest.raises(UsageError, match=re.escape(why)):
        LineTemplate("t.ttp", template)


SHIPPED = sorted(TEMPLATES.glob("*/parse/*.ttp")) + sorted(TEMPLATES.glob("*/show/*.ttp"))
#: What a capture with this pattern is fed.
SAMPLES = {r"\S+": "7x-a/b", r"\d+": "42", r"\S+(?: +\S+)*": "11 12 x13", r"\S+(?: +\S+)+": "11 12"}


@functools.cache
def of_pattern(pattern: str) -> str:
    """The simplest text that a capture's own pattern means."""
    return find(
        st.from_regex(re.compile(pattern, re.ASCII), fullmatch=True),
        lambda text: text.isprintable() and text.isascii() and text == text.strip() != "" and "  " not in text,
        settings=settings(derandomize=True, database=None, max_examples=5000, deadline=None),
    )


def sample(line: TemplateLine) -> tuple[str, dict[str, str]]:
    """A line that the template line means, and the values it names."""
    text, values = "", dict(line.sets)
    for part in line.parts:
        if isinstance(part, str):
            text += part
        else:
            name, _, pattern = part
            value = SAMPLES.get(pattern) or next(
                (a for a in pattern.split("|") if re.fullmatch(pattern, a) and a.isalnum()), None
            )
            value = value or of_pattern(pattern)
            values[name] = value
            text += value
    return text.strip(), values


def shipped_lines() -> list[tuple[Path, TemplateLine]]:
    return [(f, line) for f in SHIPPED for line in load_template(f).lines]


def label(value: object) -> str:
    return value.text[:60] if isinstance(value, TemplateLine) else "-".join(Path(str(value)).with_suffix("").parts[-3:])


@pytest.mark.parametrize(("file", "line"), shipped_lines(), ids=label)
def test_each_template_line_gives_exactly_its_values(file: Path, line: TemplateLine) -> None:
    template = load_template(file)
    text, values = sample(line)
    first, other, second = template.claim([text, "zz top", text])
    assert [(s.group, dict(s.values), s.index) for s in first] == [(line.group, values, 0)]
    assert [(s.group, dict(s.values), s.index) for s in second] == [(line.group, values, 2)]
    assert other == []
    (longer,) = template.claim([text + " surplus"])
    assert all(dict(s.values) != values for s in longer), "a line with a word more means something else"


def test_parsers_do_not_disturb_each_other() -> None:
    a, b = LineTemplate("a", PORT_TTP), LineTemplate("b", QUEUE_TTP)
    for _ in range(3):
        assert [s.group for s in a.claim(["mtu 1"])[0]] == ["mtu"]
        assert [s.group for s in b.claim(["ecn min 1 max 2"])[0]] == ["ecn"]


def test_shapes_and_edits() -> None:
    assert shape('qos map dscp 26 to ROCE_MAP "x y" e1') == "qos map dscp # to * * e#"
    assert one_edit("pfc", "pcf")
    assert one_edit("qos", "qoss")
    assert not one_edit("qos", "qos")
    assert not one_edit("shape", "sharp")
    assert unfilled("mtu {{ mtu }}")
    assert unfilled("{% if x %}")
    assert not unfilled("banner 100%")
