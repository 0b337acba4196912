"""Too little headroom that follows from a wrong cable length or another link's profile is shown under that cause."""

from __future__ import annotations

from pathlib import Path

import yaml

from tests.rules.case import BASES, HERE, run
from xoff.model.finding import Severity


def test_the_wrong_profile_explains_the_small_headroom(tmp_path: Path) -> None:
    text = BASES["sonic"].read_text(encoding="utf-8").replace('"Ethernet8": "5m"', '"Ethernet8": "2000m"')
    got = run(tmp_path, {"config_db.json": text}, select=("HDR001", "HDR009"))
    cause = next(f for f in got.findings if f.code == "HDR009")
    effect = next(f for f in got.findings if f.code == "HDR001")
    assert (cause.severity, effect.severity) == (Severity.WARNING, Severity.ERROR)
    assert effect.implied_by == cause.fingerprint
    assert cause.implied_by is None
    assert got.result.fails(Severity.ERROR), "a cause counts with the highest severity of what it implies"


def test_the_wrong_length_explains_the_small_headroom(tmp_path: Path) -> None:
    case = yaml.safe_load((HERE / "HDR008.yml").read_text(encoding="utf-8"))["cases"][0]
    text = case["files"]["config_db.json"].replace('"177632"', '"28000"')
    got = run(tmp_path, {"config_db.json": text}, select=("HDR001", "HDR008"), intent=case["intent"])
    cause = next(f for f in got.findings if f.code == "HDR008")
    effect = next(f for f in got.findings if f.code == "HDR001")
    assert effect.severity is Severity.ERROR
    assert effect.implied_by == cause.fingerprint


def test_a_profile_for_a_longer_link_explains_nothing(tmp_path: Path) -> None:
    text = BASES["sonic"].read_text(encoding="utf-8")
    text = text.replace('"5m"', '"1m"').replace('"xoff": "165568"', '"xoff": "20800"')
    got = run(tmp_path, {"config_db.json": text}, select=("HDR001", "HDR009"))
    assert {f.code: f.implied_by for f in got.findings} == {"HDR001": None, "HDR009": None}
