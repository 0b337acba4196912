"""`python -m tests.cases`: recall per class of fault and NOS over the real cases, and what is raised beside them."""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from tests.cases.real import judge, loud, open_cases
from tests.conftest import SHARED


def main() -> int:
    """Print the table; exit code 1 where a case does not count."""
    folder = SHARED / "cases"
    if not (folder / "cases.yaml").is_file():
        print("the cases lie in ../shared/cases, which is not beside this checkout: nothing to run")
        return 0
    cases, not_run = open_cases(folder)
    tally: dict[tuple[str, str], list[bool]] = defaultdict(list)
    missed, alarms = [], []
    for case in cases:
        with tempfile.TemporaryDirectory() as scratch:
            found = judge(case, folder, Path(scratch))
        tally[(case.id[0], case.nos)].append(bool(found.counted))
        if not found.counted:
            missed.append((case, found))
        alarms += [(case, f) for f in loud(found)]
    rows = sorted({key[0] for key in tally})
    print("class  EOS      SONiC")
    for row in rows:
        cells = [f"{sum(t)}/{len(t)}" if (t := tally.get((row, nos))) else "-" for nos in ("EOS", "SONiC")]
        print(f"{row:<6} {cells[0]:<8} {cells[1]}")
    done = sum(sum(t) for t in tally.values())
    print(f"recall {done} of {len(cases)}; {len(not_run)} more are not run")
    for case, found in missed:
        print(f"missed  {case} (expected {', '.join(case.expect)})")
        for line in found.short:
            print(f"        {line}")
    for id_, why in not_run:
        print(f"not run {id_}: {why}")
    print(f"{len(alarms)} unimplied findings above a note beside the expected ones:")
    for case, f in alarms:
        print(f"beside  {case.id}: {f.code} {f.severity} {f.message}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
