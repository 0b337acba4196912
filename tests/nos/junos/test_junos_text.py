"""Braces and set lines as one tree: the same leaves from both, exact lines, nothing lost, whatever the text holds."""

from __future__ import annotations

import functools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xoff.errors import InputError
from xoff.nos import junostext, registry
from xoff.nos.linetemplate import load_template
from xoff.nos.splitter import Node, Tree, below

NOS = registry.load("junos")


@functools.cache
def grammar() -> junostext.Grammar:
    return junostext.Grammar(NOS.blocks, lambda s: load_template(NOS.folder / "parse" / s.template) if s.template else None)


def tree(text: str) -> Tree:
    return junostext.split(text, grammar(), NOS.opaque)


def leaves(text: str) -> list[tuple[tuple[str, ...], int]]:
    """(path with the leaf, line) of every node without children, in order."""
    out: list[tuple[tuple[str, ...], int]] = []

    def walk(node: Node, path: tuple[str, ...]) -> None:
        for child in node.children:
            if child.children:
                walk(child, (*path, child.text))
            else:
                out.append(((*path, child.text), child.line))

    walk(tree(text).root, ())
    return out


def paths(text: str) -> set[str]:
    return {" > ".join(p) for p, _ in leaves(text)}


COS = "class-of-service > "


def test_one_line_of_several_leaves_is_several_leaves() -> None:
    line = "class NO-LOSS queue-num 4 no-loss pfc-priority 3"
    brace = f"class-of-service {{\n    forwarding-classes {{\n        {line};\n    }}\n}}\n"
    want = {f"{COS}forwarding-classes > class NO-LOSS > {x}" for x in ("queue-num 4", "no-loss", "pfc-priority 3")}
    assert paths(brace) == paths(f"set class-of-service forwarding-classes {line}\n") == want
    assert {n for _, n in leaves(brace)} == {3}


def test_a_line_that_is_known_in_part_stays_whole() -> None:
    """A device refuses the whole line, so no part of it is taken."""
    got = paths("set class-of-service forwarding-classes class A queue-num 4 xyzzy 7\n")
    assert got == {f"{COS}forwarding-classes > class A > queue-num 4 xyzzy 7"}
    profile = "drop-profile-map loss-priority any protocol any drop-profile X"
    assert paths(f"set class-of-service schedulers S {profile}\n") == {f"{COS}schedulers > S > {profile}"}


def test_lists_are_one_leaf_per_value_with_the_line_of_each() -> None:
    text = "class-of-service { drop-profiles { D { interpolate { fill-level [ 55\n 90 ]; drop-probability [ 0 100 ]; } } } }\n"
    assert leaves(text) == [
        ((*_path("drop-profiles", "D", "interpolate"), leaf), n)
        for leaf, n in (("fill-level 55", 1), ("fill-level 90", 2), ("drop-probability 0", 2), ("drop-probability 100", 2))
    ]
    inline = "set class-of-service drop-profiles D interpolate fill-level [ 55 90 ]\n"
    assert [p[-1] for p, _ in leaves(inline)] == ["fill-level 55", "fill-level 90"]


def _path(*names: str) -> tuple[str, ...]:
    return ("class-of-service", *names)


def test_headers_have_their_own_lines() -> None:
    text = (
        "class-of-service {\n  interfaces {\n    et-* {\n      unit * {\n        classifiers {\n          dscp X;\n} } } } }\n"
    )
    assert [(n.text, n.line) for n in tree(text).lines()] == [
        ("class-of-service", 1), ("interfaces", 2), ("et-*", 3), ("unit *", 4), ("classifiers", 5), ("dscp X", 6),
    ]  # fmt: skip


def test_comments_and_annotations_are_kept_and_mean_nothing() -> None:
    text = "/* one\n two */\nsystem {\n    host-name a; ## SECRET-DATA\n    /* b */\n    # c\n}\n"
    found = tree(text)
    assert [c.line for c in found.comments] == [1, 2, 4, 5, 6]
    assert paths(text) == {"system > host-name a"}
    assert tree('annotate system "why"\nset system host-name a\n').comments[0].line == 1
    assert paths("/* never closed\nset system host-name a\n") >= {"system > host-name a"}


@pytest.mark.parametrize(
    "text",
    [
        "system {\n    inactive: host-name a;\n    host-name b;\n}\n",
        "system {\n    host-name b;\n    inactive: services {\n        ssh;\n    }\n}\n",
        "set system host-name a\ndelete system host-name a\nset system host-name b\n",
        "set system host-name b\nset system services ssh\ndeactivate system services\n",
        "set system host-name b\ndeactivate system host-name b\nactivate system host-name b\n",
        "edit system\nset host-name b\ntop\n",
        "[edit system]\nhost-name b;\n",
    ],
)
def test_what_is_taken_away_or_relative(text: str) -> None:
    assert paths(text) == {"system > host-name b"}


def test_deactivating_one_leaf_of_a_line() -> None:
    text = "set class-of-service forwarding-classes class A queue-num 4 no-loss\n" \
           "deactivate class-of-service forwarding-classes class A no-loss\n"  # fmt: skip
    assert paths(text) == {f"{COS}forwarding-classes > class A > queue-num 4"}


GROUPS = """\
groups {
    FIRST { interfaces { <et-*> { mtu 9216; } } }
    SECOND { interfaces { <*> { mtu 1500; } lo0 { mtu 1400; } } }
}
"""


def test_groups_reach_the_names_that_are_there_and_the_first_wins() -> None:
    text = GROUPS + "apply-groups [ FIRST SECOND ];\ninterfaces {\n    et-0/0/1 { unit 0; }\n    xe-0/0/1 { unit 0; }\n}\n"
    order = [(p[-1], n) for p, n in leaves(text) if p[:2] == ("interfaces", "et-0/0/1")]
    assert order[:2] == [("mtu 1500", 3), ("mtu 9216", 2)], "the strongest stands last, with the line of its group"
    got = paths(text)
    assert "interfaces > xe-0/0/1 > mtu 1500" in got
    assert "interfaces > xe-0/0/1 > mtu 9216" not in got
    assert "interfaces > lo0 > mtu 1400" in got, "without a wildcard a group makes the name"
    assert {"apply-groups FIRST", "apply-groups SECOND"} <= got


def test_own_statements_come_before_those_of_groups() -> None:
    text = GROUPS + "apply-groups FIRST;\ninterfaces {\n    et-0/0/1 { mtu 4000; }\n}\n"
    assert [p[-1] for p, _ in leaves(text) if p[1:2] == ("et-0/0/1",)] == ["mtu 9216", "mtu 4000"]
    header = next(n for n in tree(text).lines() if n.text == "et-0/0/1" and n.line > 4)
    assert header.line == 7, "the interface's own header, not the group's"


def test_groups_of_one_level_and_exceptions() -> None:
    text = GROUPS + "interfaces {\n    et-0/0/1 { apply-groups FIRST; unit 0; }\n    et-0/0/2 { unit 0; }\n}\n"
    assert "interfaces > et-0/0/1 > mtu 9216" in paths(text)
    assert "interfaces > et-0/0/2 > mtu 9216" not in paths(text)
    text = GROUPS + "apply-groups FIRST;\ninterfaces {\n    et-0/0/1 { apply-groups-except FIRST; unit 0; }\n"
    text += "    et-0/0/2 { unit 0; }\n}\n"
    assert "interfaces > et-0/0/1 > mtu 9216" not in paths(text)
    assert "interfaces > et-0/0/2 > mtu 9216" in paths(text)


def test_a_group_that_is_not_applied_does_nothing() -> None:
    assert not any("mtu" in p for p in paths(GROUPS + "interfaces { et-0/0/1 { unit 0; } }\n") if p.startswith("interfaces"))


def test_groups_that_grow_beyond_all_bounds_are_refused() -> None:
    names = "\n".join(f"set interfaces et-0/0/{n} unit 0" for n in range(1000))
    body = "\n".join(f"set groups G interfaces <*> m{n} 1" for n in range(300))
    with pytest.raises(InputError, match="wildcards"):
        tree(f"{names}\n{body}\nset apply-groups G\n")


def test_set_lines_after_a_stray_line_are_read() -> None:
    assert "system > host-name a" in paths("qos xyzzy 7\nset system host-name a\n")
    assert "qos xyzzy 7" in paths("qos xyzzy 7\nset system host-name a\n")


# --- nothing is lost -----------------------------------------------------------------------------------------------------


def accounted(text: str) -> set[int]:
    found = tree(text)
    lines = {n.line for n in found.lines()} | {c.line for c in found.comments}
    for span in found.spans:
        lines |= set(range(span.first, span.last + 1))
    return lines


def missing(text: str) -> list[int]:
    rows = text.split("\n")
    have = accounted(text)
    return [n for n, row in enumerate(rows, 1) if row.strip(" \t\r{}[];\x0b\x0c") and row.strip() and n not in have]


WORD = st.sampled_from(
    ["class-of-service", "interfaces", "et-0/0/0", "<*>", "unit", "0", "groups", "G", "apply-groups", "dscp", "x", '"a b"', "*",
     "classifiers", "forwarding-class", "no-loss", "queue-num", "7", "inactive:", "schedulers", "set", "delete"]
)  # fmt: skip
PIECE = WORD | st.sampled_from(["{", "}", ";", "[", "]", "/*", "*/", "#", '"', "\n", "\n", " ", "\t", "deactivate ", "\nset "])


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECE, max_size=60).map(" ".join))
def test_no_line_is_lost(text: str) -> None:
    assert missing(text) == []


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200))
def test_arbitrary_text_never_crashes(text: str) -> None:
    total = text.count("\n") + 1
    assert all(1 <= n.line <= total for n in tree(text).lines())


NAME = st.sampled_from(["a", "b-1", "et-0/0/0", "x"])
LEAF = st.sampled_from(["percent 5", "no-loss", "dscp x", "foo bar baz", "queue-num 3"])
BRANCH = st.recursive(
    st.lists(LEAF, min_size=1, max_size=3, unique=True),
    lambda inner: st.dictionaries(NAME, inner, min_size=1, max_size=3),
    max_leaves=12,
)


def as_braces(found: object, depth: int = 0) -> str:
    pad = "    " * depth
    if isinstance(found, dict):
        return "".join(f"{pad}{name} {{\n{as_braces(inner, depth + 1)}{pad}}}\n" for name, inner in found.items())
    assert isinstance(found, list)
    return "".join(f"{pad}{leaf};\n" for leaf in found)


def as_sets(found: object, above: str = "") -> str:
    if isinstance(found, dict):
        return "".join(as_sets(inner, f"{above}{name} ") for name, inner in found.items())
    assert isinstance(found, list)
    return "".join(f"set {above}{leaf}\n" for leaf in found)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(["class-of-service", "interfaces", "system"]), BRANCH, min_size=1))
def test_both_forms_give_the_same_tree(found: dict[str, object]) -> None:
    one, other = leaves(as_braces(found)), leaves(as_sets(found))
    assert [p for p, _ in one] == [p for p, _ in other]
    assert [n for _, n in other] == list(range(1, len(other) + 1))


def test_deep_and_long_text_costs_little() -> None:
    deep = "a {" * 5000 + "b;" + "}" * 5000
    assert sum(1 for _ in below(tree(deep).root)) == 1
    assert len(leaves("x [ " + "y " * 20000 + "];")) == 20000
