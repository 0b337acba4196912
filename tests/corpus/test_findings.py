"""Error findings on the vendors' own files are a golden list: each is there, no other is, and each says why the file is wrong.

`findings_<nos>.yml`: file -> error findings that no other finding explains, with the reason; `not_configurations`: files of the
folder that no reader recognises. A finding that is no fault of the file is a false alarm: mend the rule, do not list it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.rules.case import run
from xoff.errors import UsageError
from xoff.model.finding import Finding, Severity

HERE = Path(__file__).resolve().parent
CORPUS = HERE.parents[2] / "shared" / "corpus"
#: Folder of the corpus by NOS.
NOSES = {
    "eos": "eos",
    "sonic": "sonic",
    "vrp": "huawei_vrp",
    "comware": "h3c_comware",
    "nxos": "nxos",
    "os10": "os10",
    "os9": "os9",
    "junos": "junos",
    "srlinux": "srlinux",
    "ruijie": "ruijie",
    "onyx": "onyx",
}
#: How configurations are called there.
SUFFIXES = (".cfg", ".json", ".conf", ".set", ".flat")
#: Buffer and QoS files that a vendor ships for one switch, and that make one device together.
PAIRS = {
    "arista7060x6": ("qos-arista7060x6-th5.json", "buffers-arista7060x6-th5-lt2.json"),
    "arista7260": ("qos-arista7260-t1-tunnel-remap.json", "buffers-arista7260-t1-tunnel-remap.json"),
    "arista7800r3a": ("qos-arista7800r3a-voq-lc.json", "buffers-arista7800r3a-voq-lc.json"),
    "dell-s6100": ("qos-dell-s6100-th.json", "buffers-dell-s6100-th.json"),
    "mellanox4600c": ("qos-mellanox4600c-c64.json", "buffers-mellanox4600c-t0-traditional-dualtor.json"),
}


def golden(nos: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((HERE / f"findings_{nos}.yml").read_text(encoding="utf-8"))
    return found


def _files() -> list[tuple[str, str]]:
    """Configurations of the corpus; where it is absent, those that the lists name (and each test then skips)."""
    out = []
    for nos in NOSES:
        folder = CORPUS / NOSES[nos]
        there = {p.name for p in folder.glob("*") if p.suffix in SUFFIXES} if folder.is_dir() else None
        # Files that a list names count too, whatever they are called.
        names = set(golden(nos)["files"]) | (there or set())
        out += [(nos, name) for name in sorted(names - set(golden(nos)["not_configurations"]))]
    return out


def _errors(findings: tuple[Finding, ...]) -> list[Finding]:
    return [f for f in findings if f.severity is Severity.ERROR and f.implied_by is None]


def _line(f: Finding) -> int | None:
    return f.location.at.line if f.location else None


@pytest.mark.parametrize(("nos", "name"), _files(), ids=[n for _, n in _files()])
def test_errors_are_the_golden_list(nos: str, name: str, shared: Callable[[str], Path], tmp_path: Path) -> None:
    text = shared(f"corpus/{NOSES[nos]}/{name}").read_text(encoding="utf-8")
    found = {(f.code, _line(f)): f for f in _errors(run(tmp_path, {name: text}).findings)}
    listed = {(e["code"], e.get("line")): e for e in golden(nos)["files"].get(name) or ()}
    assert {k: f.message for k, f in found.items() if k not in listed} == {}, "a false alarm, or a reason to write"
    assert sorted(listed.keys() - found.keys(), key=str) == [], "in the list and no longer raised"
    for key, entry in listed.items():
        assert entry["message"] in found[key].message
        assert len(entry["reason"].split()) >= 6, f"{key}: say why the file is wrong"


@pytest.mark.parametrize("nos", NOSES)
def test_what_is_not_read_is_listed(nos: str, shared: Callable[[str], Path], tmp_path: Path) -> None:
    for i, name in enumerate(golden(nos)["not_configurations"]):
        text = shared(f"corpus/{NOSES[nos]}/{name}").read_text(encoding="utf-8")
        with pytest.raises(UsageError):
            run(tmp_path / str(i), {name: text})


@pytest.mark.parametrize("pair", sorted(PAIRS))
def test_shipped_pairs_are_one_sound_device(pair: str, shared: Callable[[str], Path], tmp_path: Path) -> None:
    """The tables that a switch adds at run time are not in such a pair, and their absence is no fault."""
    qos, buffers = (shared(f"corpus/sonic/{name}").read_text(encoding="utf-8") for name in PAIRS[pair])
    got = run(tmp_path, {f"{pair}-qos.json": qos, f"{pair}-buffers.json": buffers})
    (fabric,) = got.result.fabrics
    assert [d.hostname for d in fabric.devices] == [pair]
    assert [f"{f.code} {f.message}" for f in got.findings if f.code in ("HDR002", "MAP002", "WDG001")] == []
    assert fabric.coverage["MAP002"].assessed + fabric.coverage["MAP002"].open > 0
