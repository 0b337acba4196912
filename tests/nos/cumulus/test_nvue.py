"""Commands and documents as leaves: every statement once, with its line, whatever the form."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.nos.cumulus.conftest import COMMANDS, DOCUMENT
from xoff.errors import InputError
from xoff.nos.cumulus.commands import in_force
from xoff.nos.nvue import is_document, read_commands, read_document
from xoff.nos.nvue.values import interfaces, numbers, on_off


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("swp1-4,swp6", "swp1 swp2 swp3 swp4 swp6"),
        ("swp2-3,10-11,48", "swp2 swp3 swp10 swp11 swp48"),
        ("swp6s0-1,swp7s0", "swp6s0 swp6s1 swp7s0"),
        ("swp1-swp3", "swp1 swp2 swp3"),
        ("[swp1,swp3]", "swp1 swp3"),
        ("swp50s0-swp50s1", "swp50s0 swp50s1"),
        ("peerlink.4094", "peerlink.4094"),
        ("lo,eth0,br_default", "lo eth0 br_default"),
        ("bond-a1", "bond-a1"),
    ],
)
def test_names_of_a_range(text: str, names: str) -> None:
    assert interfaces(text) == tuple(names.split())


@pytest.mark.parametrize("text", ["", "swp4-1", "swp1-99999", "1-4", "swp1-9,{{ x }}", "[]", "swp1-4000000"])
def test_what_is_no_range(text: str) -> None:
    assert interfaces(text) is None


@pytest.mark.parametrize(
    ("text", "high", "found"),
    [("3,4", 7, {3, 4}), ("0-2,4", 7, {0, 1, 2, 4}), ("[24, 26]", 63, {24, 26}), ("[]", 7, set()), ("8", 7, None),
     ("", 7, None), ("4-2", 7, None), ("3;4", 7, None)],
)  # fmt: skip
def test_lists_of_numbers(text: str, high: int, found: set[int] | None) -> None:
    assert numbers(text, high) == (None if found is None else frozenset(found))


def test_words_for_on_and_off_of_all_releases() -> None:
    assert [on_off(w) for w in ("on", "enable", "enabled", "true", "off", "disable", "disabled", "perhaps")] == [
        True, True, True, True, False, False, False, None,
    ]  # fmt: skip


def test_both_forms_say_the_same() -> None:
    commands, document = read_commands(COMMANDS), read_document("leaf1.yaml", DOCUMENT)
    assert not is_document(COMMANDS)
    assert is_document(DOCUMENT)
    assert {leaf.words for leaf in document.found} == {leaf.words for leaf in commands.found}
    assert {leaf.words: leaf.line for leaf in document.found}["qos", "pfc", "uplink", "switch-priority", "3"] == 16
    assert ("version", "Cumulus Linux 5.12.0") in {leaf.words for leaf in document.header}


@pytest.mark.parametrize("word", ["on", "off", "yes", "'on'", '"on"', "010", "1_000", "1:30", "~"])
def test_scalars_stay_as_written(word: str) -> None:
    (leaf,) = read_document("a.yaml", f"- set:\n    qos:\n      roce:\n        enable: {word}\n").found
    assert leaf.words[:3] == ("qos", "roce", "enable")
    assert leaf.words[3:] == (() if word == "~" else (word.strip("'\""),))


def test_a_section_with_nothing_below_it_says_nothing() -> None:
    for text in ("- set:\n", "- set: {}\n", "- header:\n- set: ~\n", ""):
        assert read_document("a.yaml", text).found == []


def test_json_is_a_document_too() -> None:
    text = '[{"header": {"version": "Cumulus Linux 5.12.0"}}, {"set": {"qos": {"roce": {"enable": "on"}}}}]'
    found = read_document("a.json", text)
    assert [leaf.text for leaf in found.found] == ["qos roce enable on"]
    assert [leaf.text for leaf in found.header] == ["version Cumulus Linux 5.12.0"]


def test_a_quoted_value_of_many_lines_is_one_leaf_and_its_hashes_are_no_comments() -> None:
    text = "nv set system message pre-login '####\n# not a comment\n####'\nnv set qos roce\n"
    found = read_commands(text)
    assert [(leaf.line, leaf.end_line, leaf.words[-1]) for leaf in found.found] == [
        (1, 3, "####\n# not a comment\n####"),
        (4, None, "roce"),
    ]
    assert found.comments == []


def test_an_open_quote_swallows_nothing() -> None:
    found = read_commands("nv set interface swp1 description it's\nnv set qos roce\n")
    assert [leaf.words[-1] for leaf in found.found] == ["it's", "roce"]


def test_prompts_comments_and_other_commands() -> None:
    found = read_commands("cumulus@leaf01:mgmt:~$ nv set qos roce # RoCE\n# c\nnv config apply\nsudo nv unset qos roce\nblah\n")
    assert [(leaf.verb, leaf.text) for leaf in found.found] == [("set", "qos roce"), ("unset", "qos roce")]
    assert (found.other, found.strange, found.comments) == (1, [(5, "blah")], [(2, "# c")])


def test_unset_takes_back_what_stands_before_it_port_by_port() -> None:
    found = read_commands(
        "nv set interface swp1-4 qos pfc profile P\nnv set qos roce mode lossy\nnv unset qos roce\nnv set qos roce\n"
        "nv unset interface swp2-3 qos pfc\nnv unset interface swp9 qos\n"
    )
    assert [leaf.text for leaf in in_force(found.found)] == ["interface swp1,swp4 qos pfc profile P", "qos roce"]


@pytest.mark.parametrize("text", ["- set:\n  qos: [\n", "- set: {qos: {a: 1}\n", "just text", "- 3\n", "- set:\n\tqos: 1\n"])
def test_what_is_no_document_is_an_error_with_its_line(text: str) -> None:
    with pytest.raises(InputError) as raised:
        read_document("leaf1.yaml", text)
    assert str(raised.value).startswith("leaf1.yaml:")


def test_aliases_of_aliases_end() -> None:
    rows = ["- set:", "    a0: &a0 {x: 1}"]
    rows += [f"    a{n}: &a{n} {{{', '.join(f'k{i}: *a{n - 1}' for i in range(10))}}}" for n in range(1, 9)]
    with pytest.raises(InputError, match="says more than"):
        read_document("leaf1.yaml", "\n".join(rows) + "\n")


LINES = st.lists(st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\r"), max_size=20), max_size=12)


@settings(max_examples=150, deadline=None)
@given(LINES)
def test_no_line_of_commands_is_lost(rows: list[str]) -> None:
    text = "\n".join(rows)
    found = read_commands(text)
    lines = {n for leaf in found.found for n in range(leaf.line, (leaf.end_line or leaf.line) + 1)}
    lines |= {n for n, _ in (*found.comments, *found.strange)}
    said = {n for n, row in enumerate(text.split("\n"), 1) if row.strip(" \t\r")}
    assert lines <= said | {n for leaf in found.found if leaf.end_line for n in range(leaf.line, leaf.end_line + 1)}
    assert len(said - lines) == found.other


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_a_document_or_an_error(text: str) -> None:
    with contextlib.suppress(InputError):
        assert all(leaf.line >= 1 for leaf in read_document("a.yaml", text).found)
