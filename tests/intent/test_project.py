"""xoff.toml and [tool.xoff]."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xoff.errors import ProjectError
from xoff.intent.project import find_project, load_project
from xoff.intent.tomlplace import Places
from xoff.model.fabric import Basis, ClassKind
from xoff.model.finding import Severity
from xoff.model.quantity import Unknown

GOOD = """\
fail_on = "warning"
select = ["PFC", "HDR001"]
ignore = ["HDR010"]
require = ["HDR001"]

[classes]
roce = {dscp = [26, "cs3"], priority = 3, lossless = true, ecn = true}
cnp = {dscp = 48}

[classes.storage]
pcp = [4]
lossless = true
priority = 4

[[devices]]
match = "leaf*"
nos = "eos"
model = "DCS-7060X6-64PE"
cable = "30m"

[[devices]]
match = "leaf0[1-3]"
cable = "0.5m"
speed = "400G"

[fabrics]
pod1 = ["pod1/*.cfg", "shared.json"]
pod2 = "pod2"
"""


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    file = tmp_path / "xoff.toml"
    file.write_text(GOOD)
    p = load_project(file)
    assert (p.fail_on, p.select, p.ignore, p.require) == (Severity.WARNING, ("PFC", "HDR001"), ("HDR010",), ("HDR001",))
    roce, cnp, storage = p.classes
    assert (roce.dscp, roce.priority, roce.lossless, roce.ecn, roce.basis) == (
        frozenset({24, 26}),
        3,
        True,
        True,
        Basis.PROJECT,
    )
    assert (cnp.kind, cnp.dscp, isinstance(cnp.priority, Unknown), cnp.ecn) == (ClassKind.CNP, frozenset({48}), True, None)
    assert (storage.pcp, storage.lossless) == (frozenset({4}), True)
    assert storage.at is not None
    assert storage.at.line == 10
    assert dict(p.fabrics) == {"pod1": ("pod1/*.cfg", "shared.json"), "pod2": ("pod2",)}
    facts = p.facts("leaf02")
    assert {k: v.value for k, v in facts.items()} == {
        "nos": "eos", "model": "DCS-7060X6-64PE", "cable": 1, "speed": 400_000}  # fmt: skip
    assert (facts["nos"].at.line, facts["cable"].at.line) == (17, 23)
    assert p.facts("leaf09")["cable"].value == 30
    assert p.facts("spine1") == {}


def test_all_errors_at_once_with_places(tmp_path: Path) -> None:
    file = tmp_path / "xoff.toml"
    file.write_text("""\
fail_on = "warn"
selct = ["PFC"]
require = ["HDR"]
[classes]
roce = {dscp = [26], priority = 9, losless = true}
copy = {dscp = [26]}
none = {}
[[devices]]
match = "leaf*"
cable = "300km"
[[devices]]
mach = "x"
speed = 400
[fabrics]
up = ["../other"]
""")
    with pytest.raises(ProjectError) as caught:
        load_project(file)
    text = str(caught.value)
    places = [line.removeprefix(f"{file}:").split(": ")[0] for line in text.splitlines() if line.startswith(str(file))]
    assert places == ["1:1", "2:1", "3:13", "5:22", "5:36", "6:9", "7:1", "10:1", "11:3", "12:1", "13:1", "15:1"]
    for said in ("did you mean select?", "did you mean lossless?", "did you mean match?", "belongs to class roce", "40 km"):
        assert said in text


@pytest.mark.parametrize(
    "text",
    ["a = ", "classes = 3", "devices = {}", "fabrics = []", "devices = [1]", "[classes]\nroce = 3", "select = 'PFC'",
     "[classes]\n'a b' = {dscp = [1]}", "[classes]\nroce = {dscp = [70]}", "[fabrics]\na = ['/etc']",
     "[[devices]]\nmatch = ''"],
)  # fmt: skip
def test_wrong_shapes(tmp_path: Path, text: str) -> None:
    (tmp_path / "xoff.toml").write_text(text)
    with pytest.raises(ProjectError, match=r"xoff\.toml:1|xoff\.toml:2"):
        load_project(tmp_path / "xoff.toml")


def test_nearest_above_the_first_path(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "leaf1.cfg").write_text("")
    assert find_project([deep / "leaf1.cfg"]) != tmp_path / "xoff.toml"
    (tmp_path / "xoff.toml").write_text("")
    assert find_project([deep / "leaf1.cfg", "/"]) == tmp_path / "xoff.toml"
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\n")
    assert find_project([deep]) == tmp_path / "xoff.toml"
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.xoff]\nfail_on = 'note'\n")
    assert find_project([deep]) == tmp_path / "a" / "pyproject.toml"
    assert load_project(tmp_path / "a" / "pyproject.toml").fail_on is Severity.NOTE
    (deep / "xoff.toml").write_text("")
    assert find_project([deep]) == deep / "xoff.toml"


def test_errors_in_pyproject_point_into_the_table(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[project]\nname = 'x'\n[tool.xoff]\nfial_on = 'note'\n")
    with pytest.raises(ProjectError, match=r"pyproject\.toml:4:1: unknown key 'fial_on'"):
        load_project(file)


@given(st.text(max_size=80))
def test_places_of_any_text(text: str) -> None:
    line, column = Places(text).find(("classes", "roce", "dscp"))
    assert line >= 1
    assert column >= 1
