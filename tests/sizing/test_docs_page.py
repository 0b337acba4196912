"""docs/sizing.md: its `python` blocks are doctests against the code, its commands print what the page shows."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from xoff.model.quantity import Context, Unit, Unknown, quantity
from xoff.nos.registry import load as load_nos
from xoff.platforms import load
from xoff.platforms.watchdog import of
from xoff.sizing.ecn import ecn_thresholds, marking_probability, ramp_for
from xoff.sizing.headroom import cell_factor, line_bytes
from xoff.sizing.ieee import connectx_xoff, linux_delay_value
from xoff.sizing.link import LinkInput, frame_of_mtu, frame_of_roce
from xoff.sizing.number import up_to
from xoff.sizing.nvidia import nvidia_headroom, nvidia_xon, version_of
from xoff.sizing.pools import cells_per_domain, shared_headroom_pool
from xoff.sizing.thresholds import dynamic_share, sequential_share, xoff_to_drop
from xoff.sizing.watchdog import default_times, drain_ms, longest_pause_us

REPO = Path(__file__).resolve().parents[2]
PAGE = REPO / "docs" / "sizing.md"
#: What the page's examples may use.
NAMES = (
    *(Context, Fraction, LinkInput, Unit, Unknown, cell_factor, cells_per_domain, connectx_xoff, default_times, drain_ms),
    *(dynamic_share, ecn_thresholds, frame_of_mtu, frame_of_roce, line_bytes, linux_delay_value, load, longest_pause_us),
    *(marking_probability, nvidia_headroom, nvidia_xon, quantity, ramp_for, sequential_share, shared_headroom_pool, up_to),
    *(of, version_of, xoff_to_drop),
)


def test_python_blocks_compute_what_the_page_says() -> None:
    names: dict[str, Any] = {x.__name__: x for x in NAMES}
    names["load_nos"] = load_nos
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert len(blocks) >= 20
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), names, PAGE.name, str(PAGE), 0)
    wrong: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=wrong.append)
    assert wrong == [], "".join(wrong)


def test_commands_print_what_the_page_shows(tmp_path: Path, update_goldens: bool) -> None:
    if shutil.which("sed") is None or shutil.which("grep") is None:
        pytest.skip("the page's examples use sed and grep, which are not on this machine")
    text = PAGE.read_text(encoding="utf-8")
    played = re.sub(r"```console\n(.*?)```", lambda m: f"```console\n{_played(m[1], tmp_path)}```", text, flags=re.S)
    if update_goldens:
        PAGE.write_text(played, encoding="utf-8")
        text = played
    assert played == text, "docs/sizing.md shows other output than the commands print; --update-goldens writes it anew"


def _played(block: str, folder: Path) -> str:
    out = []
    for line in (x for x in block.splitlines() if x.startswith("$ ")):
        script = f'xoff() {{ "{sys.executable}" -m xoff "$@"; }}\n{line[2:]}'
        env = {**os.environ, "PYTHONPATH": str(REPO / "src"), "NO_COLOR": "1", "COLUMNS": "120"}
        done = subprocess.run(["sh", "-c", script], cwd=folder, env=env, capture_output=True, text=True, check=False)
        out += [line, (done.stdout + done.stderr).rstrip("\n")]
    return "\n".join(out) + "\n"
