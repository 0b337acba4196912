"""The examples of the rule pages are run: what stands under Wrong raises the rule, what stands under Right does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.rules.case import file_name, run
from xoff.lint.load import rule_files

_SECTION = re.compile(r"^## (Wrong|Right)\n(.*?)(?=^## |\Z)", re.M | re.S)
_BLOCK = re.compile(r"^```(eos|json|yaml)(?: +(\S+))?\n(.*?)^```", re.M | re.S)
_NOS = {"eos": "eos", "json": "sonic"}


def _examples() -> list[tuple[str, str, int, dict[str, str], str | None]]:
    """(code, section, number, files, intent).

    Blocks with a file name after the language belong to one example; a yaml block is its intent.
    """
    out = []
    for code, path in rule_files().items():
        page = path.with_suffix(".md")
        for section, body in _SECTION.findall(page.read_text(encoding="utf-8")) if page.is_file() else []:
            named: dict[str, str] = {}
            intent = None
            single = []
            for language, name, text in _BLOCK.findall(body):
                if language == "yaml":
                    intent = text
                elif name:
                    named[name] = text
                else:
                    single.append({file_name(_NOS[language]): text})
            examples = [*([named] if named else []), *single]
            out += [(code, section, i, files, intent) for i, files in enumerate(examples, 1)]
    return out


_ALL = _examples()


@pytest.mark.parametrize(("code", "section", "number", "files", "intent"), _ALL, ids=[f"{c}-{s}-{n}" for c, s, n, _, _ in _ALL])
def test_example(code: str, section: str, number: int, files: dict[str, str], intent: str | None, tmp_path: Path) -> None:
    got = run(tmp_path, files, select=(code,), intent=intent)
    if code != "CFG008":
        assert got.problems == ()
    raised = [f for f in got.findings if f.code == code]
    coverage = [c for r in got.result.fabrics for c in [r.coverage.get(code)]]
    if section == "Wrong":
        assert raised, f"nothing was raised; coverage: {coverage}"
    else:
        assert [f.message for f in raised] == []
        assert not any(c and c.not_assessed for c in coverage), f"right, but not judged: {coverage}"


@pytest.mark.parametrize("code", sorted(c for c, p in rule_files().items() if p.with_suffix(".md").is_file()))
def test_a_page_shows_wrong_and_right(code: str) -> None:
    shown = {section for c, section, *_ in _ALL if c == code}
    assert shown in ({"Wrong", "Right"}, set()), "an example of one kind needs one of the other"
    if not shown:  # rules that need more than configurations (an intent, an option) have theirs in the cases file
        assert code in ("COV001", "DRF001")
