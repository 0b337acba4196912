"""YAML with places: what a value is, where it stands, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xoff.errors import IntentError
from xoff.intent.document import Document


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", "on"), ("off", "off"), ("yes", "yes"), ("no", "no"), ("true", True), ("FALSE", False), ("~", None),
        ("null", None),
        ("26", 26), ("0x1a", 26), ("0o17", 15), ("017", 17), ("1_000", "1_000"), ("1:30", "1:30"), ("4.33", "4.33"),
        ("2024-01-01", "2024-01-01"), ("'26'", "26"), ('"a\\tb"', "a\tb"), ("99999999999999999999", "99999999999999999999"),
    ],
)  # fmt: skip
def test_scalars_as_yaml_1_2_means_them(text: str, value: Any) -> None:
    assert Document(f"a: {text}\n", "x").data == {"a": value}


def test_places_of_values_and_keys() -> None:
    d = Document("a:\n  b: [1, {c: 2}]\n  d: x\n", "x")
    assert d.where(("a", "b", 1, "c")) == (2, 14)
    assert d.where(("a", "b", 1, "c"), key=True) == (2, 11)
    assert d.where(("a", "d"), key=True) == (3, 3)
    assert d.where(("a", "nothing", "more")) == (1, 1)  # the key around it


def test_merges_are_laid_under_and_keep_their_places() -> None:
    d = Document("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\n", "x")
    assert d.data["use"] == {"y": 3, "x": 1}
    assert d.where(("use", "x")) == (1, 14)


def test_a_merge_of_itself_ends() -> None:
    d = Document("a: &a\n  <<: *a\n  b: 1\n", "x")
    assert d.data == {"a": {"b": 1}}
    assert len(d.problems) == 1


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [*a]\n",
        "[" * 2000,
        "{a: " * 500 + "1" + "}" * 500,
        "\n".join(" " * i + "a:" for i in range(1200)),
        "a: &a {b: &b {c: *a}}\n",
        "--- 1\n--- 2\n",
        "a: b: c\n",
        "a: [1\n",
        "\x00",
        "a: \x1b\n",
        "%YAML 9.9\n---\na: 1\n",
        "".join(
            f"x{i}: &x{i} {{<<: [{', '.join([f'*x{i - 1}'] * 9)}], k{i}: 1}}\n" if i else "x0: &x0 {k: 1}\n" for i in range(9)
        )
        + "".join(f"y{i}: &y{i} [{', '.join([f'*y{i - 1}'] * 20)}]\n" if i else "y0: &y0 [1]\n" for i in range(9)),
    ],
)
def test_hostile_yaml_is_refused_with_a_place(text: str) -> None:
    with pytest.raises(IntentError) as caught:
        Document(text, "x.yaml")
    problem = caught.value.problems[0]
    assert problem.file == "x.yaml"
    assert problem.line >= 1


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        Document(text, "x")
    except IntentError as e:
        assert all(c.isprintable() or c == "\n" for c in str(e))  # noqa: PT017


@given(st.text(alphabet="ab:-{}[]&*!<, \n'\"#|>?%@", max_size=40))
def test_yaml_like_text_is_read_or_refused(text: str) -> None:
    try:
        Document(text, "x")
    except IntentError as e:
        assert e.problems  # noqa: PT017
