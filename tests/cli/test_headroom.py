"""`xoff headroom`: text and JSON against golden files, the contract, sweeps, numbers by hand, errors that name the range."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from xoff.cli.headroom import command
from xoff.data import SCHEMAS
from xoff.errors import InputError, UnknownPlatform, UsageError
from xoff.report import schema

GOLDEN = Path(__file__).parent / "golden"
TH5 = ("--speed", "400G", "--cable", "40m", "--asic", "tomahawk5")
TABLE = """# speed cable size xon xoff threshold xon_offset
400000 5m 18796 0 393192 0 3556
400000 40m 18796 0 612140 0 3556
400000 40m 18796 0 445770 0 3556
"""


def said(*args: str) -> str:
    result = CliRunner().invoke(command, list(args), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*args: str) -> str:
    """The message of the error, without quotation marks of the exception."""
    with pytest.raises((UsageError, UnknownPlatform, InputError)) as e:
        CliRunner().invoke(command, list(args), catch_exceptions=False)
    assert e.value.exit_code in (2, 3)
    return str(e.value)


def answer(*args: str) -> dict[str, Any]:
    out: dict[str, Any] = json.loads(said(*args, "--format", "json"))
    jsonschema.Draft202012Validator(json.loads(schema.text("headroom"))).validate(out)
    return out


CASES = {
    "tomahawk5": TH5,
    "spectrum4_nvidia": ("--speed", "400G", "--cable", "300m", "--asic", "SN5600", "--preset", "nvidia", "--lanes", "8"),
    "spectrum2_gearbox": (
        "--speed",
        "100G",
        "--cable",
        "40m",
        "--asic",
        "MSN3800",
        "--preset",
        "nvidia",
        "--release",
        "202311",
    ),
    "ieee": ("--speed", "100G", "--cable", "100m", "--preset", "ieee"),
    "by_hand": ("--speed", "100G", "--cable", "300m", "--cell", "256", "--response", "3us", "--gearbox", "400ns"),
    "peer": ("--speed", "800G", "--cable", "30m", "--asic", "tomahawk5", "--peer-asic", "NH-4210-F-O256"),
    "own_table": ("--speed", "100G", "--cable", "300m", "--asic", "DCS-7050CX3-32S", "--preset", "table"),
    "sweep_cable": ("--speed", "400G", "--asic", "SN5600", "--sweep", "cable=3m..300m"),
    "sweep_speed": ("--cable", "40m", "--asic", "tomahawk5", "--sweep", "speed=10G..800G"),
}


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("name", CASES)
def test_golden(name: str, form: str, update_goldens: bool) -> None:
    found = said(*CASES[name], "--format", form)
    file = GOLDEN / f"headroom_{name}.{'txt' if form == 'text' else 'json'}"
    if update_goldens:
        file.write_text(found, encoding="utf-8")
    assert found == file.read_text(encoding="utf-8")


# --- the contract -------------------------------------------------------------------------------------------------------


def test_the_schema_file_is_what_the_types_say() -> None:
    assert (SCHEMAS / "headroom.schema.json").read_text(encoding="utf-8") == schema.text("headroom"), (
        "stale: run `make schemas`"
    )


def test_every_field_is_described() -> None:
    for name, body in schema.headroom_schema()["$defs"].items():
        assert [k for k, v in body["properties"].items() if "description" not in v] == [], name


@pytest.mark.parametrize("name", CASES)
def test_json_is_valid_and_has_what_was_promised(name: str) -> None:
    out = answer(*CASES[name])
    assert out["version"] in ("headroom/1", "headroom-sweep/1")
    if "points" in out:
        return
    assert {"headroom_bytes", "terms", "preset", "sources", "presets"} <= set(out)
    assert out["presets"][out["preset"]] == out["headroom_bytes"]
    assert set(out["presets"]) == {"floor", "strict", "nvidia", "ieee", "table"}
    for preset, value in out["presets"].items():
        assert (value is None) == (preset in out["unavailable"])
    assert all(t["source"] for t in out["terms"])
    assert {t["source"] for t in out["terms"]} == set(out["sources"])


def test_the_terms_of_strict_add_up() -> None:
    from fractions import Fraction

    out = answer(*TH5)
    value = {t["name"]: Fraction(t["value"]) for t in out["terms"]}
    factor, rounding = value.pop("cell factor"), value.pop("cells")
    assert factor == Fraction(254, 84)
    assert sum(value.values()) * factor + rounding == out["headroom_bytes"]


# --- what the options do --------------------------------------------------------------------------------------------------


def test_headroom_says_what_render_writes() -> None:
    from tests.derive.plans import pair
    from xoff.derive import derive

    chosen = derive(pair(speed="400G", spine="nos: eos, model: DCS-7260CX3-64"), "leaf1").numbers["Ethernet64"].chosen
    assert chosen is not None
    out = answer(*TH5, "--peer-asic", "DCS-7260CX3-64")
    assert out["headroom_bytes"] == chosen.value
    assert [t["value"] for t in out["terms"]] == [t.value for t in chosen.terms]


def test_a_table_is_looked_up_exactly_and_its_last_row_counts(tmp_path: Path) -> None:
    file = tmp_path / "pg_profile_lookup.ini"
    file.write_text(TABLE, encoding="utf-8")
    out = answer(*TH5, "--preset", "table", "--table", str(file))
    assert out["headroom_bytes"] == 445_770
    assert out["terms"][0]["source"] == f"{file}:4"
    why = refused("--speed", "400G", "--cable", "30m", "--asic", "tomahawk5", "--preset", "table", "--table", str(file))
    assert "no row for 400G and 30 m" in why
    assert "at 400G it has 5 m, 40 m" in why


def test_a_wrong_table_names_its_line(tmp_path: Path) -> None:
    file = tmp_path / "pg_profile_lookup.ini"
    file.write_text(TABLE + "400000 x 1 2 3 0\n", encoding="utf-8")
    assert f"{file}:5" in refused(*TH5, "--table", str(file))
    file.write_text("# nothing\n", encoding="utf-8")
    assert "has no row of a headroom table" in refused(*TH5, "--table", str(file))


def test_a_chip_by_hand_is_as_good_as_a_known_one() -> None:
    known = answer("--speed", "400G", "--cable", "40m", "--asic", "tomahawk5", "--response", "2.2us")
    hand = answer("--speed", "400G", "--cable", "40m", "--cell", "254", "--response", "2.2us")
    assert known["headroom_bytes"] == hand["headroom_bytes"]
    assert (
        answer("--speed", "400G", "--cable", "40m", "--cell", "254", "--cell-factor", "4/3")["headroom_bytes"]
        < hand["headroom_bytes"]
    )


def test_the_floor_needs_no_chip_and_takes_a_gearbox_both_ways() -> None:
    plain = answer("--speed", "100G", "--cable", "5m", "--preset", "floor")["headroom_bytes"]
    assert (
        answer("--speed", "100G", "--cable", "5m", "--preset", "floor", "--gearbox", "400ns")["headroom_bytes"] - plain
        == 10_000
    )


def test_the_release_decides_the_script_and_its_share_of_small_packets() -> None:
    old = answer("--speed", "400G", "--cable", "300m", "--asic", "MSN4700", "--preset", "nvidia", "--release", "202311")
    new = answer("--speed", "400G", "--cable", "300m", "--asic", "MSN4700", "--preset", "nvidia")
    assert (old["link"]["small_packets"], new["link"]["small_packets"]) == (100, 50)
    assert (old["script"]["version"], new["script"]["version"]) == ("script of 202211", "script of 202605")
    assert old["headroom_bytes"] > new["headroom_bytes"]


def test_the_roce_mtu_settles_on_what_fits() -> None:
    assert (
        answer("--speed", "100G", "--cable", "5m", "--preset", "floor", "--mtu", "1500")["link"]["lossless_frame"] == 1024 + 102
    )


def test_sweeps_have_both_ends_and_rise() -> None:
    out = answer("--speed", "400G", "--asic", "tomahawk5", "--sweep", "cable=3m..123m/20m")
    assert [p["cable_m"] for p in out["points"]] == [3, 23, 43, 63, 83, 103, 123]
    values = [p["headroom_bytes"] for p in out["points"]]
    assert values == sorted(values)
    speeds = [p["speed_mbps"] for p in answer("--cable", "5m", "--asic", "tomahawk5", "--sweep", "speed")["points"]]
    assert (speeds[0], speeds[-1]) == (1_000, 1_600_000)


def test_a_sweep_may_have_holes() -> None:
    out = answer("--cable", "5m", "--preset", "ieee", "--sweep", "speed=100G..400G")
    assert [p["headroom_bytes"] is None for p in out["points"]] == [False, True, True]


def test_a_picture_needs_matplotlib_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    args = ("--speed", "400G", "--asic", "tomahawk5", "--sweep", "cable=3m..300m", "--plot")
    assert "pip install 'xoff[plot]'" in refused(*args, str(tmp_path / "a.svg"))
    assert ".svg, .png, .pdf" in refused(*args, str(tmp_path / "a.doc"))
    assert "add --sweep" in refused(*TH5, "--plot", str(tmp_path / "a.svg"))


def test_a_picture_is_the_same_bytes_twice(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    args = ("--speed", "400G", "--asic", "SN5600", "--sweep", "cable=3m..300m", "--plot")
    for name in ("a.svg", "b.svg"):
        said(*args, str(tmp_path / name))
    first = (tmp_path / "a.svg").read_bytes()
    assert first == (tmp_path / "b.svg").read_bytes()
    for preset in ("floor", "strict", "nvidia", "shipped"):
        assert preset.encode() in first


def test_an_unverified_platform_is_said_to_be_so() -> None:
    result = CliRunner().invoke(command, ["--speed", "400G", "--cable", "40m", "--asic", "Z9664F-ON"])
    assert "unverified" in result.stderr
    assert "unverified" not in result.stdout


# --- errors -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (("--speed", "400G", "--cable", "-5m", "--asic", "tomahawk5"), "Valid: more than 0 m, at most 120 km"),
        (("--speed", "400G", "--cable", "0m", "--asic", "tomahawk5"), "Valid: more than 0 m, at most 120 km"),
        (("--speed", "400G", "--cable", "500km", "--asic", "tomahawk5"), "Valid: more than 0 m, at most 120 km"),
        (("--speed", "400G", "--cable", "40", "--asic", "tomahawk5"), "needs its unit: 30m"),
        (("--speed", "123G", "--cable", "40m", "--asic", "tomahawk5"), "known are 1G, 10G"),
        (("--speed", "400", "--cable", "40m", "--asic", "tomahawk5"), "Valid: an Ethernet speed from 1G to 1.6T"),
        ((*TH5, "--mtu", "0"), "Valid: 64 to 10240 B"),
        ((*TH5, "--mtu", "-9100"), "Valid: 64 to 10240 B"),
        ((*TH5, "--mtu", "9.1k"), "Valid: 64 to 10240 B"),
        ((*TH5, "--roce-mtu", "3000"), "one of 256, 512, 1024, 2048, 4096"),
        ((*TH5, "--mtu", "1500", "--roce-mtu", "4096"), "the largest that fits is 1024"),
        ((*TH5, "--small-packets", "120"), "Valid: 0 to 100 %"),
        ((*TH5, "--response", "0ns"), "Valid: 1ns to 1ms"),
        ((*TH5, "--response", "2s"), "Valid: 1ns to 1ms"),
        ((*TH5, "--gearbox", "5"), "Valid: 1ns to 1ms"),
        ((*TH5, "--lanes", "0"), "Valid: 1 to 16"),
        ((*TH5, "--cell", "254"), "exclude each other"),
        ((*TH5, "--preset", "magic"), "does not exist. floor: "),
        ((*TH5, "--preset", "nvidia"), "looks it up in a table; with a number here: --preset floor or strict"),
        ((*TH5, "--peer-asic", "SN5600", "--response", "1us"), "exclude each other"),
        (("--speed", "400G", "--cable", "40m"), "--asic NAME, or --cell BYTES by hand"),
        (("--speed", "400G", "--cable", "40m", "--cell", "0"), "Valid: 16 to 16384 B"),
        (("--speed", "400G", "--cable", "40m", "--cell", "254", "--cell-factor", "0.5"), "Valid: 1 to 20"),
        (("--speed", "400G", "--cable", "40m", "--cell", "254", "--cell-factor", "1/0"), "Valid: 1 to 20"),
        (("--speed", "400G", "--cable", "40m", "--asic", "tomahawk55"), "near: tomahawk5"),
        (("--speed", "400G", "--cable", "40m", "--asic", "tomahawk5", "--peer-asic", "nosuch"), "--response TIME"),
        (("--cable", "40m", "--asic", "tomahawk5"), "--speed is missing"),
        (("--speed", "400G", "--asic", "tomahawk5"), "--cable is missing"),
        ((*TH5, "--sweep", "cable=3m..300m"), "exclude each other"),
        (("--speed", "400G", "--asic", "tomahawk5", "--sweep", "mtu"), "expected cable=3m..300m"),
        (("--speed", "400G", "--asic", "tomahawk5", "--sweep", "cable"), "expected cable=3m..300m"),
        (("--speed", "400G", "--asic", "tomahawk5", "--sweep", "cable=9m..3m"), "the range is empty"),
        (("--speed", "400G", "--asic", "tomahawk5", "--sweep", "cable=1m..20km/1m"), "at most 1000"),
        (
            ("--speed", "400G", "--cable", "40m", "--asic", "MSN4700", "--preset", "nvidia", "--release", "4.2"),
            "no SONiC release",
        ),
        (("--speed", "400G", "--cable", "40m", "--asic", "tomahawk5", "--table", "nosuch.ini"), "cannot be read"),
    ],
)
def test_bad_input_is_an_error_that_names_what_is_valid(args: tuple[str, ...], named: str) -> None:
    assert named in refused(*args)


UNITS = st.sampled_from(("m", "km", "cm", "G", "T", "M", "ns", "us", "ms", "B", "KB", "%", ""))


@settings(max_examples=120, deadline=None)
@given(
    st.integers(1, 1000), UNITS, st.sampled_from(("--speed", "--cable", "--response", "--gearbox", "--mtu", "--small-packets"))
)
def test_units_cannot_be_mixed(number: int, unit: str, option: str) -> None:
    """Whatever unit an option is given, either it is one of its own or the option is refused by name."""
    own = {
        "--speed": ("G", "T", "M"),
        "--cable": ("m", "km", "cm"),
        "--response": ("ns", "us", "ms"),
        "--gearbox": ("ns", "us", "ms"),
        "--mtu": ("B", ""),
        "--small-packets": ("%", ""),
    }[option]
    args = {"--speed": "400G", "--cable": "40m", option: f"{number}{unit}"}
    flat = [x for pair in args.items() for x in pair]
    result = CliRunner().invoke(command, [*flat, "--asic", "tomahawk5"])
    if unit not in own:
        assert isinstance(result.exception, UsageError)
        assert str(result.exception).startswith(f"{option} {number}{unit}:")
    elif result.exception is not None:
        assert isinstance(result.exception, UsageError)
