"""NOS folders, their nos.yaml, and recognising files."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from xoff.data import TEMPLATES
from xoff.errors import UsageError
from xoff.nos import nos_schema, registry, yaml12
from xoff.nos.source import read_source

FOLDERS = sorted(f.parent for f in TEMPLATES.glob("*/nos.yaml"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_nos_yaml_is_right(folder: Path) -> None:
    assert nos_schema.problems(folder) == []


def test_slips_in_a_nos_yaml_are_found(tmp_path: Path) -> None:
    folder = tmp_path / "toy"
    (folder / "parse").mkdir(parents=True)
    (folder / "nos.yaml").write_text(
        "kind: nos\nname: other\ntitle: T\ndetct: []\n"
        "can: {queue.kmn: {scope: qeue, evidence: raed, source: s}}\n"
        "blocks: [{path: 'a > b', tempate: x}, {path: root, template: none.ttp, identity: ['x']}]\n",
        encoding="utf-8",
    )
    found = "\n".join(nos_schema.problems(folder))
    for slip in (
        "unknown key 'detct'",
        "detect is missing",
        "'other' is not the folder's",
        "no field 'queue.kmn'",
        "scope 'qeue'",
        "evidence 'raed'",
        "unknown key 'tempate'",
        "its parent 'a'",
        "template none.ttp does not exist",
        "exactly one named group",
    ):
        assert slip in found


def test_yaml_is_read_as_1_2() -> None:
    assert yaml12.load("a: on\nb: off\nc: yes\nd: no\ne: true\nf: 010\ng: 12:30\nh: 2024-01-01\ni: ~\nj: 1.5\nk: 0x1f\n") == {
        "a": "on",
        "b": "off",
        "c": "yes",
        "d": "no",
        "e": True,
        "f": 10,
        "g": "12:30",
        "h": "2024-01-01",
        "i": None,
        "j": 1.5,
        "k": 31,
    }


def test_load_by_alias_and_unknown_name() -> None:
    assert registry.load("arista_eos").name == "eos"
    assert registry.load(" EOS ") is registry.load("eos")
    with pytest.raises(UsageError, match=r"no NOS is called 'arsta'; did you mean .*arista"):
        registry.load("arsta")


def test_defaults_hold_only_under_their_conditions() -> None:
    eos = registry.load("eos")
    routed, switched = eos.default("classify.trust", port_mode="routed"), eos.default("classify.trust", port_mode="switched")
    assert routed is not None
    assert switched is not None
    assert (routed.value, switched.value) == ("dscp", "pcp")
    assert eos.default("classify.trust") is None
    assert eos.default("no.such.field") is None


def test_module_has_a_parser() -> None:
    assert callable(registry.module("eos").parse)


def test_detection_reads_no_further_than_it_must() -> None:
    head = registry._head((TEMPLATES / "eos" / "nos.yaml").read_text(encoding="utf-8"))
    assert "detect:" in head
    assert "blocks:" not in head
    assert "qos_words:" not in head


@pytest.mark.parametrize("text", ["", "hello\n", "interface Ethernet1/1\n  mtu 9216\n", "{}", "\0\xff" * 50])
def test_what_is_nobodys_is_not_claimed(text: str) -> None:
    assert registry.detect("x.cfg", text) is None


def _nos_of(file: Path) -> str | None:
    """Which NOS a reference file belongs to, by its folder or name; None for files that are no configuration."""
    if file.suffix in (".csv", ".md", ".yml") or file.name.startswith("SYNTHETIC"):
        return None
    if file.parent.name == "files":
        return file.stem.partition("-")[2].removeprefix("peer-")
    return file.parent.name


#: Folders of the corpus that do not bear the name of their NOS.
_CALLED = {"huawei_vrp": "vrp", "h3c_comware": "comware"}


#: Folders of the corpus that are not called as the NOS is.
_FOLDERS = {"huawei_vrp": "vrp", "h3c_comware": "comware"}


def test_every_configuration_is_recognised_as_what_it_is(shared: Callable[[str], Path]) -> None:
    """Every configuration of a NOS that can be read is that NOS's, and none is another's."""
    files = [*shared("corpus").glob("*/*"), *shared("cases/files").glob("*")]
    wrong = []
    for file in sorted(files):
        who = _nos_of(file)
        if who is None or not file.is_file():
            continue
        who = _FOLDERS.get(who, who)
        found = registry.detect(str(file), read_source(file).text)
        if file.suffix == ".cfg" and who in registry.names() and (found is None or found.nos != who):
            wrong.append(f"{file.name}: not recognised as {who} ({found})")
        if (
            found is not None
            and found.supported
            and who not in ("sonic", "sonic_ini")
            and found.nos != who
            and file.suffix == ".cfg"
        ):
            wrong.append(f"{file.name}: claimed as {found.nos} ({found.why})")
        if who != "eos" and found is not None and found.nos == "eos":
            wrong.append(f"{file.name}: claimed as EOS ({found.why})")
    assert wrong == []


def test_a_foreign_file_is_named(shared: Callable[[str], Path]) -> None:
    for name, nos in (
        ("base-nxos.cfg", "nxos"),
        ("base-vrp.cfg", "vrp"),
        ("base-os10.cfg", "os10"),
        ("base-junos.cfg", "junos"),
    ):
        file = shared(f"cases/files/{name}")
        found = registry.detect(str(file), read_source(file).text)
        assert found is not None, name
        assert (found.nos, found.why != "") == (nos, True)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^qos profile", "qos profile X", True),
        ("^qos profile", "!\nqos profile X", True),
        ("^qos profile", "! qos profile X", False),
        (r"^\s+qos trust", "interface 1\n\t qos trust", True),
        (r"^\s+qos trust", "interface 1\n\nqos trust", False),  # the blank line is no indentation
        (r"^\s*qos trust", "\n\nqos trust", True),
        (r"^(?:a|b) c", "b c", True),
        (r"^a|b c", "x b c", True),  # the second alternative stands anywhere
        (r"^[|(]a", "|a", True),
        (r"\A\s*\{", " {", True),
        (r"\A\s*\{", "x\n {", False),
        (r"no aaa root\s*$", "x no aaa root \ny", True),
    ],
)
def test_signs_look_at_lines(pattern: str, text: str, found: bool) -> None:
    sign = registry.Sign(pattern, "why", 1, literal=registry._literal(pattern))
    assert sign.seen("x.cfg", "\n" + text) is found


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        (r"^qos profile \S", "qos profile "),
        (r"^\s+no priority-flow-control(?: \d)?", "no priority-flow-control"),
        (r"^! ?boot system", "!"),  # the blank may be absent
        (r"^ab{2}", "a"),
        (r"^ab+c", "ab"),
        (r"^(?:a|b) c", ""),
        (r"^a|b", ""),
        (r'"PORT(?:x)?"', '"PORT'),
        (r"(?i)cisco", ""),
        (r"\A\s*\{", ""),
    ],
)
def test_literals_of_signs(pattern: str, literal: str) -> None:
    assert registry._literal(pattern) == literal


def test_detection_takes_long_blank_input_in_its_stride() -> None:
    began = time.process_time()
    assert registry.detect("x.cfg", "\n" * 60_000 + " \t" * 30_000) is None
    assert time.process_time() - began < 2  # half a minute where blanks are tried again from each empty line
