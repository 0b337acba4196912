"""The files of platforms/ hold nothing but sourced facts: a strict schema over every file, and over broken ones."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from xoff import data, platforms
from xoff.model.quantity import Unknown
from xoff.nos import registry
from xoff.platforms.schema import FACTS, index_problems, problems, watchdog_problems
from xoff.platforms.watchdog import NOTHING, of

FILES = sorted(data.PLATFORMS.glob("*.yaml"))
STEMS = frozenset(f.stem for f in FILES)
RIGHT = {
    "title": "T",
    "vendor": "V",
    "family": "F",
    "facts": {"cell": {"value": 208, "evidence": "read", "source": "s"}, "buffer": {"unknown": "why", "recalled": "16 MB"}},
}


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_every_chip(file: Path) -> None:
    assert problems(file) == []


def test_the_index() -> None:
    assert index_problems(data.PLATFORMS / "models.csv", STEMS) == []


def broken(tmp_path: Path, **change: object) -> list[str]:
    file = tmp_path / "x.yaml"
    file.write_text(yaml.safe_dump({**RIGHT, **change}))
    return problems(file)


def fact(**given: object) -> dict[str, object]:
    return {"cell": {"value": 208, "evidence": "read", "source": "s", **given}}


def test_the_right_one_is_right(tmp_path: Path) -> None:
    assert broken(tmp_path) == []


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        (fact(evidence="recalled"), "what is recalled is no value"),
        (fact(evidence="sure"), "evidence 'sure'"),
        (fact(source=""), "source is missing"),
        (fact(recalled="208"), "'recalled' has no place beside a value"),
        (fact(confidence=1), "'confidence' has no place"),
        (fact(value="208"), "no whole number"),
        (fact(value=True), "no whole number"),
        (fact(value=16), "no whole number of 32 to 8192"),
        ({"cells": fact()["cell"]}, "no such fact: 'cells'"),
        ({**fact(), "buffer": {"recalled": "16 MB"}}, "neither a value nor the reason"),
        ({**fact(), "buffer": {"unknown": "why", "source": "s"}}, "'source' has no place beside `unknown`"),
        ({**fact(), "buffer": 16_000_000}, "buffer is no mapping"),
        ({**fact(), "architecture": {"value": "fast", "evidence": "read", "source": "s"}}, "none of shared, split, voq"),
        ({**fact(), "watchdog": {"value": "yes", "evidence": "read", "source": "s"}}, "neither true nor false"),
        ({**fact(), "cell_factor": {"value": "1/0", "evidence": "read", "source": "s"}}, "no fraction"),
        ({"buffer": {"unknown": "why"}}, "no fact has a value"),
    ],
)
def test_what_is_refused(tmp_path: Path, facts: object, says: str) -> None:
    found = broken(tmp_path, facts=facts)
    assert any(says in p for p in found), found


def test_an_unknown_key_is_refused(tmp_path: Path) -> None:
    assert "unknown key 'models'" in broken(tmp_path, models=[])


def test_the_index_refuses(tmp_path: Path) -> None:
    file = tmp_path / "models.csv"
    file.write_text(
        "name,kind,asic,evidence,headroom_table,buffers_leaf,buffers_spine,ports,source\n"
        "A,model,tomahawk,read,,,,,s\na,box,nochip,sure,,,,,\nB,model\n"
    )
    found = "\n".join(index_problems(file, STEMS))
    for says in ("kind 'box'", "no nochip.yaml", "evidence 'sure'", "source is missing", "a stands twice", "2 columns"):
        assert says in found


def watchdogs() -> dict[str, object]:
    found = yaml.safe_load((data.PLATFORMS / "nos" / "watchdog.yaml").read_text(encoding="utf-8"))
    for file in sorted(data.TEMPLATES.glob("*/nos.yaml")):
        entry = yaml.safe_load(file.read_text(encoding="utf-8"))
        if entry.get("watchdog"):
            assert file.parent.name not in found, "limits of a NOS that has a folder stand there, once"
            found[file.parent.name] = entry["watchdog"]
    return dict(found)


@pytest.mark.parametrize(("nos", "raw"), watchdogs().items(), ids=lambda x: x if isinstance(x, str) else "")
def test_watchdog_limits(nos: str, raw: dict[str, object]) -> None:
    assert watchdog_problems(raw) == []
    assert of(nos, raw).nos == nos


@pytest.mark.parametrize(
    ("poll", "says"),
    [
        ({"default": 100, "evidence": "recalled", "source": "s"}, "what is recalled is no value"),
        ({"default": 100, "evidence": "read"}, "source is missing"),
        ({"default": 100, "source": "s"}, "evidence None"),
        ({"low": 200, "default": 100, "evidence": "read", "source": "s"}, "low <= default <= high"),
        ({"choices": [10, 100], "default": 50, "evidence": "read", "source": "s"}, "none of the choices"),
        ({"evidence": "read", "source": "s"}, "neither a range nor a default"),
        ({"default": 100, "unit": "ms", "evidence": "read", "source": "s"}, "unknown key 'unit'"),
    ],
)
def test_watchdog_limits_refuse(poll: dict[str, object], says: str) -> None:
    found = watchdog_problems({"available": True, "source": "s", "poll": poll})
    assert any(says in p for p in found), found


def test_recalled_watchdog_numbers_are_not_read() -> None:
    assert of("nxos", registry.load("nxos").watchdog).restore == NOTHING
    assert of("comware", registry.load("comware").watchdog).detect == NOTHING
    assert isinstance(of("os10", registry.load("os10").watchdog).available, Unknown)


def test_every_fact_of_the_schema_is_one_of_the_chip() -> None:
    asic = platforms.load("tomahawk5")
    assert asic is not None
    assert set(asic.facts()) == FACTS


@pytest.mark.parametrize(
    ("name", "asic", "cell"),
    [
        ("QFX5130-32CD", "trident4x254", 254),
        ("QFX5130-48C", "trident4", 318),
        ("QFX5240-64OD", "tomahawk5", 254),
        ("QFX5200-48Y", "tomahawkplus", 208),
        ("CE6885", "huaweia", 320),
        ("CE6885-LL", "huaweill", 96),
        ("CE8851K", "huaweib", 128),
        ("Cisco-8122-O64", "silicononeg200", 512),
        ("newport", "tofino2", 176),
        ("DCS-7160-32CQ", "xpliant", 256),
    ],
)
def test_models_of_other_vendors(name: str, asic: str, cell: int) -> None:
    found = platforms.get(name)
    assert (found.asic.name, found.asic.cell.value) == (asic, cell)


@pytest.mark.parametrize("name", ["QFX5130", "QFX5200", "8111-32EH"])
def test_a_model_with_conflicting_evidence_says_so(name: str) -> None:
    with pytest.raises(platforms.UnknownPlatform, match="conflict"):
        platforms.get(name)


def test_no_shipped_pool_is_larger_than_the_memory() -> None:
    """Sizes that were read from two places agree: what a vendor ships as one pool fits the memory that another prints."""
    for stem in sorted(STEMS):
        asic = platforms.load(stem)
        assert asic is not None
        if not isinstance(asic.buffer.value, int):
            continue
        for name, shipped in asic.buffers.items():
            for pool, given in shipped.pools.items():
                size = given.get("size") or "0"  # empty: the device fills it in
                assert int(size) <= asic.buffer.value, (stem, name, pool)
