"""`xoff render`: what it writes, what it says, and that it writes nothing when something cannot be expressed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from xoff.cli import run

pytestmark = pytest.mark.usefixtures("real_platforms")
INTENT = """\
version: 1
fabric: {{name: small, workload: training}}
classes:
  roce: {{dscp: [26], priority: 3, lossless: true, bandwidth: 50%}}
switches:
  leaf1:  {{role: leaf, nos: sonic, model: DellEMC-Z9332f-O32{leaf}}}
  spine1: {{role: spine, nos: eos, model: {spine}}}
links:
  - {{from: leaf1, to: spine1, ports: {{from: Ethernet192, to: Ethernet1/1}}, speed: 400G, cable: 40m}}
"""


@pytest.fixture
def intent(tmp_path: Path) -> Path:
    return write(tmp_path)


def write(folder: Path, spine: str = "DCS-7060X6-64PE", leaf: str = "") -> Path:
    file = folder / "intent.yaml"
    file.write_text(INTENT.format(spine=spine, leaf=leaf), encoding="utf-8")
    return file


def test_one_file_per_switch_and_notes_on_stderr(intent: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert run(["render", str(intent), "-o", str(out)]) == 0
    assert sorted(p.name for p in out.iterdir()) == ["leaf1.README.txt", "leaf1.json", "spine1.cfg"]
    said = capsys.readouterr()
    assert said.out == ""
    assert f"wrote {out / 'spine1.cfg'}" in said.err
    assert "note: unverified: uc-tx-queue" in said.err
    assert said.err.rstrip().endswith(f"2 switches, 3 files in {out}")


def test_every_file_says_what_it_is_and_how_it_is_entered(intent: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(["render", str(intent), "-o", str(out)])
    for name, lead in (("spine1.cfg", "! "), ("leaf1.README.txt", "")):
        text = (out / name).read_text(encoding="utf-8")
        for word in ("Extent: a fragment", "Order: ", "Enter: ", "Worst cost of entering: unknown."):
            assert f"\n{lead}{word}" in text


def test_device_globs(intent: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["render", str(intent), "-o", str(tmp_path / "out"), "--device", "sp*"]) == 0
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["spine1.cfg"]
    assert run(["render", str(intent), "-o", str(tmp_path / "other"), "--device", "core*"]) == 2
    assert "matches no switch of the intent; there are: leaf1, spine1" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


def test_stdout_of_one_switch(intent: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["render", str(intent), "--device", "leaf1", "--stdout"]) == 0
    assert json.loads(capsys.readouterr().out)["DEVICE_METADATA"]["localhost"]["hostname"] == "leaf1"
    assert run(["render", str(intent), "--stdout"]) == 2
    assert "--stdout prints one switch, and 2 match" in capsys.readouterr().err


def test_either_folder_or_stdout(intent: Path, tmp_path: Path) -> None:
    assert run(["render", str(intent)]) == 2
    assert run(["render", str(intent), "-o", str(tmp_path / "out"), "--stdout"]) == 2
    assert not (tmp_path / "out").exists()


def test_golden_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path)
    assert run(["render", str(file), "--device", "leaf1", "--form", "golden", "--stdout"]) == 0
    tables = json.loads(capsys.readouterr().out)
    assert "Ethernet192|3" not in tables["BUFFER_PG"]
    assert tables["CABLE_LENGTH"]["AZURE"] == {"Ethernet192": "40m"}


def test_all_reasons_at_once_and_nothing_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tomahawk3 under EOS: no source has its queue stanza. The leaf could be rendered; it is not either."""
    file = write(tmp_path, spine="tomahawk3")
    assert run(["render", str(file), "-o", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "nothing was written, because\nspine1: no source says whether tomahawk3 takes tx-queue or uc-tx-queue" in said
    assert "options: {queue: uc-tx-queue}" in said
    assert not (tmp_path / "out").exists()


def test_the_option_settles_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, spine="tomahawk3, options: {queue: tx-queue}")
    assert run(["render", str(file), "--device", "spine1", "--stdout"]) == 0
    said = capsys.readouterr()
    assert "\n   tx-queue 3\n" in said.out
    assert "! as the intent says: tx-queue: intent: options.queue" in said.out


def test_unknown_platform(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, spine="DCS-7060X9-1")
    assert run(["render", str(file), "-o", str(tmp_path / "out")]) == 2
    assert "DCS-7060X9-1" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_wrong_intent_is_exit_2_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "intent.yaml"
    file.write_text("version: 1\nfabric: {name: x}\nswitchs: {}\n", encoding="utf-8")
    assert run(["render", str(file), "-o", str(tmp_path / "out")]) == 2
    assert "intent.yaml:3:1" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_rendering_twice_gives_the_same_bytes_and_leaves_other_files(intent: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(["render", str(intent), "-o", str(out)])
    first = {p.name: p.read_bytes() for p in out.iterdir()}
    (out / "mine.txt").write_text("mine", encoding="utf-8")
    run(["render", str(intent), "-o", str(out)])
    again = {p.name: p.read_bytes() for p in out.iterdir()}
    assert again == first | {"mine.txt": b"mine"}
