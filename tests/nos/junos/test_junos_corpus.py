"""Junos files of the corpus: all are read, what is not understood is exactly what should not be; hostile input."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.nos.junos.conftest import BASE, parse
from xoff.errors import InputError
from xoff.model.fields import ALL_FIELDS, same
from xoff.model.switch import RemarkKind, SwitchModel
from xoff.nos import junos, registry, yaml12
from xoff.nos.shows import read_version
from xoff.nos.source import Source, read_source

Shared = Callable[[str], Path]
HERE = Path(__file__).parent
GOLDEN: dict[str, list[dict[str, Any]]] = yaml12.load((HERE / "unclaimed.yml").read_text(encoding="utf-8"))


def real(file: Path) -> SwitchModel:
    (model,) = junos.parse([read_source(file)], registry.load("junos"))
    return model


def test_every_configuration_is_recognised_and_listed(shared: Shared) -> None:
    found = {}
    for file in sorted(shared("corpus/junos").iterdir()):
        detected = registry.detect(str(file), read_source(file).text)
        found[file.name] = None if detected is None else detected.nos
    assert {n for n, nos in found.items() if nos == "junos" and not n.endswith(".md")} == set(GOLDEN)
    assert not [n for n, nos in found.items() if nos is None and n.endswith((".conf", ".set"))]
    assert {nos for n, nos in found.items() if n.startswith("show_")} == {None}


@pytest.mark.parametrize("name", GOLDEN)
def test_remarks_are_the_listed_ones(shared: Shared, name: str) -> None:
    found = [
        {"line": r.origin.at.line, "kind": r.kind.value, "shape": r.shape} for r in real(shared(f"corpus/junos/{name}")).remarks
    ]
    assert found == [{k: v for k, v in entry.items() if k != "why"} for entry in GOLDEN[name]]
    assert all(entry["why"] for entry in GOLDEN[name])


def test_a_file_that_is_wrong_on_purpose_lights_up(shared: Shared) -> None:
    model = real(shared("corpus/junos/13_wrong_ieee8021_cnp_with_dscp_classifier.set"))
    assert any(r.kind is RemarkKind.UNCLAIMED for r in model.remarks)


def test_the_wildcard_of_a_validated_fabric_reaches_every_port(shared: Shared) -> None:
    model = real(shared("corpus/junos/02_qfx5240_ai_spine_full.conf"))
    fronts = [p for p in model.ports.values() if p.name.startswith("et-") and p.carrying_kind]
    assert len(fronts) > 20
    assert all(p.qos.pfc.no_drop == {3} for p in fronts)
    assert len({id(p.qos) for p in fronts}) == 1


def test_show_version() -> None:
    """As networktocode/ntc-templates has it of a QFX5100, and an Evolved one after it."""
    text = "Hostname: leaf1\nModel: qfx5100-48t-6q\nJunos: 21.4R3-S3.4\nJUNOS Base OS boot [21.4R3-S3.4]\n"
    found = read_version(Source("leaf1-version.txt", "leaf1> show version\n" + text))
    assert found is not None
    assert (found.nos, found.release, found.model, found.prompt) == (
        "junos",
        ("21.4R3-S3.4", 4),
        ("qfx5100-48t-6q", 3),
        "leaf1",
    )


# --- unknown blocks, hostile input ------------------------------------------------------------------------------------------

UNKNOWN = "xyzzy 7 { queue-num 6; no-loss; pfc; priority strict-high; dscp ROCE; percent 1; flow-control-queue 6; }"


def test_an_unknown_line_after_every_line_changes_nothing() -> None:
    before = parse(BASE)
    rows = BASE.rstrip("\n").split("\n")
    for at, row in enumerate(rows):
        words = row.split()
        for place in range(2, len(words)):
            line = " ".join((*words[:place], "xyzzy", "7", "queue-num", "6"))
            after = parse("\n".join([*rows[: at + 1], line, *rows[at + 1 :]]))
            assert same(before, after, ALL_FIELDS) == [], line
            assert words[1] != "class-of-service" or at + 2 in _places(after), line


def _places(model: SwitchModel) -> set[int]:
    return {r.origin.at.line for r in model.remarks} | {m.line for r in model.remarks for m in r.more}


def test_an_unknown_block_in_every_block_is_reported_and_changes_nothing(shared: Shared) -> None:
    text = shared("corpus/junos/jvd-snip-rdma-lossless-evo.conf").read_text(encoding="utf-8")
    rows = text.split("\n")
    (before,) = junos.parse([Source("a.conf", text)], registry.load("junos"))
    for at, row in enumerate(rows):
        if not row.rstrip().endswith("{"):
            continue
        changed = "\n".join([*rows[: at + 1], UNKNOWN, *rows[at + 1 :]])
        (after,) = junos.parse([Source("a.conf", changed)], registry.load("junos"))
        assert after.ports == before.ports, row
        assert at + 2 in _places(after), row


def test_every_block_of_qos_claims_its_own_lines() -> None:
    """Nothing below class-of-service is passed over in silence."""
    blocks = [b for b in registry.load("junos").blocks if b.path[:1] == ("class-of-service",)]
    assert {b.qos for b in blocks} == {"all"}


SEEDS = [BASE, "groups { <*> { a; } }\napply-groups G;\ninterfaces { et-0/0/0 { unit 0 { family inet; } } }\n"]


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_damaged_text_never_crashes(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(SEEDS))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        end = min(len(text), at + data.draw(st.integers(0, 120)))
        put = data.draw(
            st.sampled_from(["{", "}", ";", "[", "/*", '"', "\n", " ", "<*>", "inactive: ", "deactivate ", "999", "011", "é"])
        )
        text = data.draw(st.sampled_from([text[:at] + put + text[end:], text[:at], text[:at] + text[at:end] * 2 + text[end:]]))
    with contextlib.suppress(InputError):
        parse(text)


WORDS = st.sampled_from([w for line in BASE.split("\n") for w in line.split()] + ["x", "*", "[", "]", "101"])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(WORDS, max_size=9).map(" ".join), max_size=12))
def test_shuffled_words_never_crash(lines: list[str]) -> None:
    parse("\n".join(f"set class-of-service {line}" for line in lines))
    parse("\n".join(f"set {line}" for line in lines))
