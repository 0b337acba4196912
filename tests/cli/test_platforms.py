"""`xoff platforms` as a user runs it."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Run


def test_list(xoff: Run) -> None:
    done = xoff("platforms")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].split()[:3] == ["NAME", "VENDOR", "ARCHITECTURE"]
    assert "\x1b" not in done.stdout
    assert "? not sourced" in done.stderr
    data = json.loads(xoff("platforms", "--format", "json").stdout)
    assert len(data["asics"]) == len(done.stdout.splitlines()) - 1


@pytest.mark.parametrize("name", ["tomahawk5", "Tomahawk 5", "dcs-7060x6-64pe", "Arista-7060X6-64PE-O128S2", "QFX5240"])
def test_one_by_chip_model_or_hwsku(xoff: Run, name: str) -> None:
    done = xoff("platforms", name)
    assert done.returncode == 0
    assert done.stdout.startswith("Broadcom Tomahawk5 (BCM78900)")
    assert "missing (" in done.stdout
    assert "HDR006" in done.stdout


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("DCS-7060X6-64PX", "near: DCS-7060X6-64PE"),
        ("tomahauk5", "near: tomahawk5"),
        ("QFX5130", "conflict: QFX5130-32CD has cells of 254 B"),
        ("Tomahawk Ultra", "only its features"),
        ("Nokia-IXR7220-H5-32D", "not confirmed"),
        ("", "is not in platforms/"),
        ("../../etc/passwd", "is not in platforms/"),
    ],
)
def test_unknown_names(xoff: Run, name: str, says: str) -> None:
    done = xoff("platforms", name)
    assert done.returncode == 2
    assert done.stdout == ""
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_help_has_examples(xoff: Run) -> None:
    shown = xoff("platforms", "--help").stdout
    assert "xoff platforms QFX5240-64OD" in " ".join(shown.split())
