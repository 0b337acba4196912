"""`python -m tests.mutation [every]`: the report, with every survivor and the worst answers."""

from __future__ import annotations

import sys

from tests.mutation.run import all_records, report, survivors

if __name__ == "__main__":
    records = all_records(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    for nos in sorted({r.nos for r in records}):
        for intent in (True, False):
            mine = [r for r in records if r.nos == nos and r.intent is intent]
            print(f"--- {nos}, {'with' if intent else 'without'} the intent: survivors")
            for (shape, what), n in sorted(survivors(mine).items()):
                print(f"{n:5}  {what:9}  {shape}")
            print("--- worst answers")
            for r in sorted(mine, key=lambda r: -r.count)[:12]:
                print(f"{r.count:5}  {r.what:9}  {r.place}  {' '.join(r.alone[:12])}")
            print("--- first finding elsewhere")
            elsewhere = {}
            for r in mine:
                if r.killed and not r.names_line:
                    elsewhere.setdefault((r.shape, r.what, r.first), []).append(r)
            for (shape, what, first), rs in sorted(elsewhere.items()):
                print(f"{len(rs):5}  {what:9}  {first}  {shape}   e.g. {rs[0].place}")
    print("\n".join(report(records)))
