"""The measurements run and say what they should. Nothing here is timed: figures of a busy machine prove nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks import inputs  # noqa: E402
from benchmarks.measure import Cost, Line, paired  # noqa: E402


def test_the_whole_of_it_on_tiny_inputs() -> None:
    done = subprocess.run([sys.executable, "-m", "benchmarks", "--tiny"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = done.stdout.splitlines()
    for what, figure in (
        ("cold xoff lint --format json", r"\d+\.\d\dx .*\d+ / \d+ ms; wall \d+\.\d\dx"),
        ("cold xoff lint --format text", r"\d+\.\d\dx "),
        ("modules loaded that lint must not need", r" 0\.00 .*none of jinja2, netmiko, pydantic, rich, yaml"),
        ("EOS file of 8 ports to the model, body new", r"\d+\.\d\dms"),
        ("objects in port bodies added by equal ports", r" 0\.00 .*8 ports: (\d+), 80 ports: \1, 160 ports: \1"),
        ("cold xoff lint, 2 leaves x 8 ports", r"\d+\.\d\ds .*x the import of libraries"),
        ("cold xoff render, 2 leaves x 8 ports", r"\d+\.\d\ds "),
        ("cold xoff lint --intent of what was rendered", r"\d+\.\d\ds "),
        ("growth of lint over 2, 3, 4 leaves", r"ms a leaf"),
    ):
        row = next((r for r in rows if r.startswith(what)), "")
        assert re.search(figure, row), f"{what}: {row!r}"
    assert "MISSED" not in done.stdout


@pytest.mark.parametrize(("value", "target", "said"), [(1.7, 1.8, "ok"), (1.9, 1.8, "MISSED"), (9.0, None, "")])
def test_verdicts(value: float, target: float | None, said: str) -> None:
    line = Line("what", value, "x", target)
    assert line.missed is (said == "MISSED")
    assert str(line).endswith(said or "x")


def test_pairs_take_the_median_of_ratios_and_turn_about() -> None:
    order: list[str] = []
    costs = {"one": iter([9.0, 2.0, 6.0, 3.0]), "other": iter([9.0, 1.0, 2.0, 3.0])}

    def side(name: str) -> Cost:
        order.append(name)
        seconds = next(costs[name])
        return Cost(seconds, seconds)

    cpu, wall, mine, theirs = paired(lambda: side("one"), lambda: side("other"), 3)
    assert (cpu, wall) == (2.0, 2.0)  # of 2/1, 6/2 and 3/3; the first pair only warms up
    assert (mine.cpu, theirs.cpu) == (3.0, 2.0)
    assert order == ["one", "other", "one", "other", "other", "one", "one", "other"]


@pytest.mark.parametrize("inline", [False, True])
def test_the_generated_leaf_is_read_whole(inline: bool) -> None:
    from xoff.nos import registry
    from xoff.nos.source import Source

    text = inputs.eos_leaf(80, inline=inline)
    nos = registry.load("eos")
    (model,) = registry.module(nos).parse([Source("leaf1.cfg", text)], nos)
    assert (model.hostname, len(model.ports)) == ("leaf1", 80)
    assert 500 < len(inputs.eos_leaf(80).splitlines()) < 700
    assert model.remarks == ()
    assert len({id(p.qos) for p in model.ports.values()}) == 1
