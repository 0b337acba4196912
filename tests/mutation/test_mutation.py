"""Each mutant of a rendered configuration raises a finding, or its survival has a written reason.

The normal run judges a spread (one of EVERY of each shape and change); `make mutate` judges all, compares the golden survivors
in both directions and holds the numbers. `pytest -m slow --update-goldens tests/mutation` writes the survivors anew: read the
difference, and give each new one its reason.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from tests.mutation import golden
from tests.mutation.judge import EXAMPLES
from tests.mutation.run import Record, all_records, grave, judge_spread, of, report, summary, survivors
from xoff.intent.expand import plan as load_plan
from xoff.lint.load import rule_files

#: One of so many mutants of each shape and change in the normal run, by NOS: forty and more of each NOS.
EVERY = {"sonic": 30, "eos": 20, "vrp": 8, "comware": 7, "enterprise_sonic": 8, "junos": 5, "cumulus": 5, "os10": 4, "": 3}
FEWEST = 35
SLICES = 2
#: Those that an example renders; that every NOS that renders has one is a test of tests/invariants.
NOSES = sorted({d.nos for path in EXAMPLES.values() for d in load_plan(path).devices.values()})


@cache
def _all() -> list[Record]:
    return all_records()


@pytest.mark.parametrize("part", range(SLICES))
def test_a_spread_of_mutants(part: int) -> None:
    records = judge_spread(EVERY, part, SLICES)
    judged = Counter(r.nos for r in records if r.intent)
    assert {nos: n for nos in NOSES if (n := judged[nos]) < FEWEST // SLICES} == {}
    for r in records:
        if not r.killed:
            known = golden.load(r.nos, r.intent)
            assert (r.shape, r.what) in known, (
                f"{'with' if r.intent else 'without'} the intent nobody sees {r.what} at {r.place}; "
                "make a rule see it, or write in the golden survivors why it cannot"
            )


@pytest.mark.parametrize("intent", [True, False], ids=["with intent", "without"])
@pytest.mark.parametrize("nos", NOSES)
def test_every_survivor_has_a_reason(nos: str, intent: bool) -> None:
    entries = golden.load(nos, intent)
    assert entries, f"{golden.path(nos, intent).name} is missing"
    without = sum(e.mutants for e in entries.values() if e.kind == golden.UNREVIEWED)
    assert without == golden.unreviewed(nos, intent), "`unreviewed` is the sum of its group: lower it with each reason given"
    assert without <= golden.numbers()[nos]["with" if intent else "without"].get("unreviewed", 0), "this may only go down"
    for e in entries.values():
        if e.kind == golden.UNREVIEWED:
            continue
        assert e.kind in golden.KINDS, e
        assert e.reason != golden.TO_DO, f"{e.line}: {e.what}: say why it survives"
        assert len(e.reason) > 30, e
        if e.kind == "gap":
            assert e.closes, f"{e.line}: {e.what}: which rule will see it?"
        assert not (intent and e.kind == "unseen"), f"{e.line}: the intent is there to be compared with"


@pytest.mark.slow
@pytest.mark.parametrize("intent", [True, False], ids=["with intent", "without"])
@pytest.mark.parametrize("nos", NOSES)
def test_the_survivors_are_the_golden_ones(nos: str, intent: bool, update_goldens: bool) -> None:
    mine = of(_all(), nos, intent)
    if update_goldens:
        golden.save(nos, intent, mine)
    listed = Counter({key: e.mutants for key, e in golden.load(nos, intent).items()})
    found = survivors(mine)
    assert sorted((found - listed).items()) == [], "new survivors"
    assert sorted((listed - found).items()) == [], "killed by now: take them out of the golden file"


@pytest.mark.slow
@pytest.mark.parametrize("nos", NOSES)
def test_the_numbers_only_get_better(nos: str) -> None:
    records = _all()
    print("\n".join(report(records)))
    same = golden.equivalent(records, nos)
    weight = grave(records, nos)
    for intent in (True, False):
        held = golden.numbers()[nos]["with" if intent else "without"]
        s = summary([r for r in of(records, nos, intent) if r.place not in same], weight)
        said = f"{nos}, {'with' if intent else 'without'} the intent: {s}"
        assert s.rate >= held["rate"], said
        assert s.grave_rate >= held["grave"], said
        assert s.median <= held["median"], said
        assert s.worst <= held["worst"], said
        assert s.named >= held["named"], said


@pytest.mark.slow
def test_no_rule_that_nothing_triggers() -> None:
    """A rule that no mutant raises is listed with what raises it instead; one that some mutant raises is not."""
    raised = {c for r in _all() for c in r.codes}
    elsewhere = golden.numbers()["raised_only_by_cases"]
    assert sorted(set(rule_files()) - raised - set(elsewhere)) == []
    assert sorted(raised & set(elsewhere)) == []
