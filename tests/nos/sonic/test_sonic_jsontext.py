"""JSON as configuration text: lines, keys said twice, what is no JSON."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xoff.errors import InputError
from xoff.model.origin import FileLine
from xoff.nos.jsontext import read

TEXT = """{
  "QUEUE": {
    "Ethernet0|3": {
      "scheduler": "a"
    },
    "Ethernet0|4": {"scheduler": "b", "wred_profile":
        "w"}
  },
  "LIST": [
    "x",
    {"deep": 1},
    [2, 3]
  ]
}
"""


def test_lines_of_tables_rows_and_fields() -> None:
    d = read("f", TEXT)
    assert d.data["QUEUE"]["Ethernet0|4"] == {"scheduler": "b", "wred_profile": "w"}
    assert [d.line(p) for p in ((), ("QUEUE",), ("QUEUE", "Ethernet0|3"), ("QUEUE", "Ethernet0|3", "scheduler"))] == [
        1,
        2,
        3,
        4,
    ]
    assert d.line(("QUEUE", "Ethernet0|4", "wred_profile")) == 6
    assert [d.line(("LIST", i)) for i in range(3)] == [10, 11, 12]
    assert d.line(("LIST", 1, "deep")) == 11


def test_what_is_not_there_has_the_line_of_its_closest_parent() -> None:
    assert read("f", TEXT).line(("QUEUE", "Ethernet0|3", "wred_profile")) == 3


def test_numbers_stay_as_written() -> None:
    assert read("f", '{"a": 1e400, "b": 00000, "c": NaN}'.replace("00000", "5")).data == {"a": "1e400", "b": "5", "c": "NaN"}
    assert read("f", '{"a": ' + "9" * 5000 + "}").data["a"] == "9" * 5000


def test_a_key_said_twice_is_told_with_both_lines_and_what_is_lost() -> None:
    text = '{\n "A": {"x": "1"},\n "B": {\n  "k": {"f": "1"},\n  "k": {"g": "2"}\n },\n "A": {"y": "2"}\n}'
    d = read("f", text)
    assert d.data == {"A": {"y": "2"}, "B": {"k": {"g": "2"}}}
    inner, outer = d.duplicates()
    assert (inner.path, inner.first.line, inner.second.line, inner.lost) == (("B", "k"), 4, 5, {"f": "1"})
    assert (outer.path, outer.first.line, outer.second.line, outer.lost) == (("A",), 2, 7, {"x": "1"})


def test_a_key_said_three_times() -> None:
    found = read("f", '{"a": 1,\n"a": 2,\n"a": 3}').duplicates()
    assert [(d.first.line, d.second.line, d.lost) for d in found] == [(1, 2, "1"), (2, 3, "2")]


def test_equal_keys_of_different_objects_are_no_duplicates() -> None:
    assert read("f", '[{"a": 1}, {"a": 2}, {"b": {"a": 3}}]').duplicates() == []


@pytest.mark.parametrize("cut", [1, 20, 60, len(TEXT) - 3])
def test_cut_off_is_said_so_with_its_line(cut: int) -> None:
    with pytest.raises(InputError, match="cut off") as e:
        read("f.json", TEXT[:cut])
    assert e.value.line == max(TEXT[:cut].rstrip().count("\n") + 1, 1)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('{\n"a": 1,\n}', 3, "comma"),
        ('{\n"a" 1}', 2, "comma or a colon is missing"),
        ("{\n'a': 1}", 2, "property name"),
        ("{} {}", 1, "something else follows"),
        ('{"a": 1}\n\nand more\n', 3, "something else follows"),
        ("hostname leaf1\n", 1, "no JSON"),
        ("", 1, "no JSON"),
        ("[" * 100_000, 1, "nested deeper"),
    ],
)
def test_errors_say_what_and_where(text: str, line: int, words: str) -> None:
    with pytest.raises(InputError, match=words) as e:
        read("f.json", text)
    assert e.value.line == line


def test_a_captured_output_keeps_its_prompts_and_right_lines() -> None:
    text = "admin@leaf1:~$ show runningconfiguration all\n" + TEXT + "admin@leaf1:~$ \n"
    d = read("f", text)
    assert d.line(("QUEUE",)) == 3


def test_a_late_line_is_a_file_line_in_every_respect() -> None:
    late = read("f", TEXT).at(("QUEUE", "Ethernet0|3"))
    plain = FileLine("f", 3)
    assert late == plain
    assert plain == late
    assert hash(late) == hash(plain)
    assert len({late, plain}) == 1
    assert str(late) == "f:3"
    assert pickle.loads(pickle.dumps(late)) == plain
    assert late != FileLine("f", 4)


LEAF = st.one_of(st.text(max_size=6), st.integers(-99, 99), st.booleans(), st.none())
TREE = st.recursive(LEAF, lambda c: st.one_of(st.lists(c, max_size=4), st.dictionaries(st.text(max_size=5), c, max_size=4)))


def _paths(data: Any, base: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [base] + [p for k, v in items for p in _paths(v, (*base, k))]


@given(st.dictionaries(st.text(max_size=5), TREE, max_size=4), st.sampled_from([None, 1, 3]), st.booleans())
def test_every_key_is_on_the_line_where_it_stands(data: dict[str, Any], indent: int | None, ascii_: bool) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=ascii_)
    d = read("f", text)
    lines = text.split("\n")
    for path in _paths(data):
        if path and isinstance(path[-1], str):
            assert json.dumps(path[-1], ensure_ascii=ascii_) in lines[d.line(path) - 1]
    assert d.duplicates() == []


@given(st.text(alphabet='{}[]",:\\ \n\t01ae', max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        d = read("f", text)
    except InputError as e:
        line = e.line
    else:
        d.duplicates()
        line = d.line(("a", 0, "b"))
    assert 1 <= line <= text.count("\n") + 1
