"""The indented splitter: nothing lost, nothing invented, right depth, linear time."""

from __future__ import annotations

import gc
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xoff.nos.splitter import Opaque, Tree, merge, split

BANNER = Opaque(re.compile(r"banner \S+$"), "^EOF$", "banner")
DELIMITED = Opaque(re.compile(r"banner motd (?P<delim>\S)"), "{delim}$", "banner")
PAGER = Opaque(re.compile(r"--More--"), None, "pager remnant")


def accounted(tree: Tree) -> list[int]:
    numbers = [n.line for n in tree.lines()] + [c.line for c in tree.comments]
    for span in tree.spans:
        numbers += range(span.first, span.last + 1)
    return sorted(numbers)


def parents(tree: Tree) -> dict[str, str]:
    return {child.text: node.text for node in [tree.root, *tree.lines()] for child in node.children}


def test_depth_is_relative_not_by_columns() -> None:
    tree = split("a\n  b\n     c\n  d\ne\n\tf\n")
    assert parents(tree) == {"a": "", "b": "a", "c": "b", "d": "a", "e": "", "f": "e"}


def test_dedent_to_a_column_nobody_used_goes_to_the_nearest_outer_line() -> None:
    assert parents(split("a\n    b\n  c\n")) == {"a": "", "b": "a", "c": "a"}


def test_stripped_indentation_leaves_every_line_at_the_root() -> None:
    tree = split("interface Ethernet1\nmtu 9214\npriority-flow-control on\n")
    assert [n.text for n in tree.root.children] == ["interface Ethernet1", "mtu 9214", "priority-flow-control on"]


def test_comments_close_nothing() -> None:
    tree = split("a\n   !\n   b\n   !! two marks\n   c\n!\nd\n")
    assert parents(tree) == {"a": "", "b": "a", "c": "a", "d": ""}
    assert [(c.line, c.text) for c in tree.comments] == [(2, "!"), (4, "!! two marks"), (6, "!")]


def test_a_separator_closes_what_is_not_indented_less() -> None:
    """VRP and Comware: lines of the system view may be indented, and `#` alone ends the view before them."""
    text = "version 7\n#\n sysname LEAF\n#\nbgp 1\n #\n vpn a\n  peer b\n  #\n  peer c\n#\n stp\n"
    assert parents(split(text, comments=("#",), separator="#")) == {
        "version 7": "", "sysname LEAF": "", "bgp 1": "", "vpn a": "bgp 1", "peer b": "vpn a", "peer c": "vpn a", "stp": "",
    }  # fmt: skip
    assert parents(split(text, comments=("#",)))["sysname LEAF"] == "version 7"


def test_banner_is_kept_and_not_parsed() -> None:
    tree = split("banner login\ninterface Ethernet1\n   mtu 1\nEOF\nhostname x\n", opaque=[BANNER])
    assert [n.text for n in tree.lines()] == ["hostname x"]
    assert [(s.first, s.last, s.what) for s in tree.spans] == [(1, 4, "banner")]


@pytest.mark.parametrize("delim", ["#", "^", "$", "é", "("])
def test_banner_with_any_delimiter(delim: str) -> None:
    tree = split(f"banner motd {delim}\nqos map dscp 1\nbye {delim}\nhostname x\n", opaque=[DELIMITED])
    assert [n.text for n in tree.lines()] == ["hostname x"]


def test_a_banner_that_never_ends_swallows_nothing() -> None:
    tree = split("banner login\nhostname x\n", opaque=[BANNER])
    assert [n.text for n in tree.lines()] == ["banner login", "hostname x"]


def test_pager_remnant_is_one_line() -> None:
    tree = split("a\n --More--\n  b\n", opaque=[PAGER])
    assert parents(tree) == {"a": "", "b": "a"}
    assert [(s.first, s.last) for s in tree.spans] == [(2, 2)]


def test_line_numbers_survive_blank_lines_and_carriage_returns() -> None:
    tree = split("\r\na\r\n\r\n  b\r\n")
    assert [(n.line, n.text) for n in tree.lines()] == [(2, "a"), (4, "b")]


def test_merge_keeps_all_pieces_in_file_order() -> None:
    tree = split("x\n 1\ny\n 2\nx\n 3\n")
    merged = merge(tree.root.children, lambda n: n.text)
    assert [(k, [n.line for n in nodes]) for k, nodes in merged] == [("x", [1, 5]), ("y", [3])]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=400))
def test_no_line_is_lost_or_invented(text: str) -> None:
    tree = split(text, opaque=[BANNER, DELIMITED, PAGER])
    rows = text.split("\n")
    assert accounted(tree) == [i for i, row in enumerate(rows, 1) if row.strip(" \t\r") or in_span(tree, i)]
    for node in tree.lines():
        assert node.text == rows[node.line - 1].strip(" \t\r")


@given(st.lists(st.sampled_from(["a", " a", "  b", "banner x", "EOF", "!", "", "\tc", "banner motd #", "x #", "--More--"])))
def test_no_line_is_lost_among_spans(rows: list[str]) -> None:
    tree = split("\n".join(rows), opaque=[BANNER, DELIMITED, PAGER])
    assert accounted(tree) == [i for i, row in enumerate(rows, 1) if row.strip() or in_span(tree, i)]


def in_span(tree: Tree, line: int) -> bool:
    return any(s.first <= line <= s.last for s in tree.spans)


@given(st.binary(max_size=300))
def test_arbitrary_bytes_never_crash(data: bytes) -> None:
    split(data.decode("latin-1"), opaque=[BANNER, DELIMITED, PAGER])


@pytest.mark.parametrize(
    "text",
    [
        "banner x\n" * 20_000,
        "\n".join(" " * (i % 3000) + "a" for i in range(20_000)),
        "\n".join(f"banner motd {chr(0x4E00 + i)}" for i in range(20_000)),
    ],
    ids=["openers without an end", "deep", "openers with ever new delimiters"],
)
def test_hostile_text_costs_linear_time(text: str) -> None:
    def cost(of: str) -> float:
        """Least of several: what a busy machine or the garbage of other tests adds is no cost of the text."""
        spent = []
        for _ in range(4):
            start = time.process_time()
            split(of, opaque=[BANNER, DELIMITED, PAGER])
            spent.append(time.process_time() - start)
        return min(spent)

    gc.collect()
    gc.disable()
    try:
        small, whole = cost(text[: len(text) // 8]), cost(text)
    finally:
        gc.enable()
    assert whole < 24 * small + 0.1  # linear: eight times; quadratic would be sixty-four times
