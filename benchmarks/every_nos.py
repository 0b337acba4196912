"""Reading and rendering one device of every NOS that renders: time per line of its own file, as a multiple of EOS.

Run as a child (`python -m benchmarks.every_nos ROUNDS`): prints one JSON object. The devices are those of
examples/six-vendors.yaml, read in a process that has read others; the NOSes take turns, so that a slow moment hits all alike.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measure import Line, Machine, timed

_INTENT = Path(__file__).resolve().parents[1] / "examples" / "six-vendors.yaml"
#: How often a device is read or rendered in one timing: one alone is too short to be timed well.
_TIMES = 5


def lines(machine: Machine, rounds: int) -> Iterator[Line]:
    out, _ = machine.output(["-m", "benchmarks.every_nos", str(rounds)])
    got: dict[str, Any] = json.loads(out)
    for what in ("read", "render"):
        floor = got["eos"][what]
        for nos, costs in got.items():
            detail = f"{costs['ms_' + what]:.2f} ms for {costs['lines']} lines, {costs[what] * 1e3:.1f} us a line"
            yield Line(f"{what} a device of {nos}, per line, as a multiple of EOS", costs[what] / floor, "x", 2, detail)


def _measure(rounds: int) -> dict[str, dict[str, float]]:
    from xoff.derive import derive_all
    from xoff.intent.expand import plan
    from xoff.nos import registry
    from xoff.nos.facts import Facts
    from xoff.nos.renderer import render
    from xoff.nos.source import Source

    gc.set_threshold(200_000, 20, 100)  # as the command line does
    asked = plan(str(_INTENT))
    chosen: dict[str, Any] = {}
    for derived in derive_all(asked).values():
        chosen.setdefault(derived.model.nos, derived.model)
    texts: dict[str, tuple[str, str]] = {}
    for nos, model in chosen.items():
        files = render(model, registry.load(nos)).files
        texts[nos] = next((name, text) for name, text in files.items() if not name.endswith(".README.txt"))
    times: dict[str, dict[str, list[float]]] = {nos: {"read": [], "render": []} for nos in texts}
    for _ in range(max(rounds, 3) + 1):
        for nos, (name, text) in texts.items():
            known, source = registry.load(nos), Source(name, text)

            def read(known: Any = known, source: Any = source) -> None:
                for _ in range(_TIMES):
                    registry.module(known).parse([source], known, Facts())

            def write(known: Any = known, model: Any = chosen[nos]) -> None:
                for _ in range(_TIMES):
                    render(model, known)

            times[nos]["read"].append(timed(read).cpu)
            times[nos]["render"].append(timed(write).cpu)
    out: dict[str, dict[str, float]] = {}
    for nos in sorted(texts):
        count = sum(1 for row in texts[nos][1].splitlines() if row.strip() and not row.lstrip().startswith(("!", "#")))
        # The first round compiles templates; it is no figure of a warm process.
        ms = {what: median(values[1:]) * 1e3 / _TIMES for what, values in times[nos].items()}
        out[nos] = {"lines": count, "ms_read": ms["read"], "ms_render": ms["render"], "read": ms["read"] / count,
                    "render": ms["render"] / count}  # fmt: skip
    return out


if __name__ == "__main__":
    print(json.dumps(_measure(int(sys.argv[1]))))
