"""Every kind of bad intent: the whole text of its errors is golden. `XOFF_GOLDEN=write` writes the texts anew, to be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from xoff.errors import IntentError
from xoff.intent import plan

HERE = Path(__file__).parent / "errors"
CASES = sorted(f.stem for f in HERE.glob("*.yaml"))


@pytest.mark.parametrize("case", CASES)
def test_errors_read_like_this(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE)
    with pytest.raises(IntentError) as caught:
        plan(f"{case}.yaml")
    text = str(caught.value) + "\n"
    golden = HERE / f"{case}.txt"
    if os.environ.get("XOFF_GOLDEN") == "write":
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES)
def test_every_error_has_a_place_in_its_file(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Line and column exist, the shown line is the file's, and no control character gets through."""
    monkeypatch.chdir(HERE)
    with pytest.raises(IntentError) as caught:
        plan(f"{case}.yaml")
    for problem in caught.value.problems:
        if not Path(problem.file).exists():
            continue
        lines = Path(problem.file).read_text(encoding="utf-8").split("\n")
        assert 1 <= problem.line <= max(len(lines), 1)
        assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1
        assert all(c.isprintable() or c == "\n" for c in str(problem))


def test_golden_texts_have_their_intents() -> None:
    assert {f.stem for f in HERE.glob("*.txt")} == set(CASES)
