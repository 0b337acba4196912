"""Reading one device into the model, in a process that has read others; and how the model grows with equal ports.

Run as a child (`python -m benchmarks.warm ROUNDS PORTS`): prints one JSON object.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Iterator
from statistics import median
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from benchmarks import inputs
from benchmarks.measure import Cost, Line, Machine, middle, paired, timed

#: Growth is measured between a small, a usual and a large switch; equal bodies are counted at these sizes.
_GROW = (16, 80, 320)
_COUNT = (8, 80, 160)


def lines(machine: Machine, rounds: int, ports: int) -> Iterator[Line]:
    out, _ = machine.output(["-m", "benchmarks.warm", str(rounds), str(ports)])
    got: dict[str, Any] = json.loads(out)
    peer = (
        f"; hier_config, no meaning: {got['peer']:.1f} ms, ratio {got['ratio']:.2f}" if got["peer"] else "; peer not installed"
    )
    yield Line(
        f"EOS file of {ports} ports to the model, body new, warm", got["new"], "ms", 8, f"wall {got['wall']:.1f} ms" + peer
    )
    if got["peer"]:
        yield Line("  the same as a multiple of hier_config", got["ratio"], "x", 1)
    yield Line(f"EOS file of {ports} ports to the model, body seen before", got["seen"], "ms", 8)
    yield Line("  statements repeated on every port", got["inline"], "ms", None, "12 lines more a port")
    small, mid, large = _GROW
    times = got["growth"]
    first, second = (times[1] - times[0]) / (mid - small), (times[2] - times[1]) / (large - mid)
    detail = "; ".join(f"{n}: {t:.1f} ms" for n, t in zip(_GROW, times, strict=True))
    yield Line(
        f"growth of reading over {small}, {mid}, {large} ports (1 = linear)", second / max(first, 1e-9), "x", 1.3, detail
    )
    counts = got["objects"]
    grown = max(counts) - min(counts)
    detail = ", ".join(f"{n} ports: {c}" for n, c in zip(_COUNT, counts, strict=True))
    yield Line("objects in port bodies added by equal ports", grown, "", 0, detail)
    yield Line("objects in all per port beyond its body", got["per_port"], "", None, "name, lines, description, address")


def _measure(rounds: int, ports: int) -> dict[str, Any]:
    gc.set_threshold(200_000, 20, 100)  # as the command line does; for the peer too
    parse = _parser()
    number = iter(range(1, 1 << 30))

    def read(ports: int = ports, kmin: int = 150, inline: bool = False) -> Cost:
        text = inputs.eos_leaf(ports, number=next(number), kmin=kmin, inline=inline)
        return timed(lambda: parse(text))

    thresholds = iter(range(151, 1 << 30))
    peer = _peer()
    text = inputs.eos_leaf(ports)
    # The floor of a pair is never nothing: without the peer the text is split into words.
    other = (lambda: timed(lambda: peer(text))) if peer else (lambda: timed(text.split))
    rounds = max(rounds, 5)
    ratio, _, new, theirs = paired(lambda: read(kmin=next(thresholds)), other, rounds)
    seen = middle([read() for _ in range(rounds)])
    inline = middle([read(kmin=next(thresholds), inline=True) for _ in range(rounds)])
    grow = [median(read(size, next(thresholds)).cpu for _ in range(rounds)) * 1e3 for size in _GROW]
    models = [parse(inputs.eos_leaf(size))[0] for size in _COUNT]
    every = [len(_below([m])) for m in models]
    return {
        "new": new.cpu * 1e3,
        "wall": new.wall * 1e3,
        "peer": theirs.cpu * 1e3 if peer else None,
        "ratio": ratio,
        "seen": seen.cpu * 1e3,
        "inline": inline.cpu * 1e3,
        "growth": grow,
        "objects": [len(_below([p.qos for p in m.ports.values()])) for m in models],
        "per_port": (every[-1] - every[0]) / (_COUNT[-1] - _COUNT[0]),
    }


def _parser() -> Callable[[str], Any]:
    """Text -> models, by the same doors that `xoff lint` uses, detection included."""
    from xoff.nos import registry
    from xoff.nos.facts import Facts
    from xoff.nos.source import Source

    def parse(text: str) -> Any:
        found = registry.detect("leaf.cfg", text)
        if found is None:
            raise RuntimeError("the generated file is not recognised")
        nos = registry.load(found.nos)
        return registry.module(nos).parse([Source("leaf.cfg", text)], nos, Facts())

    return parse


def _peer() -> Callable[[str], Any] | None:
    """hier_config, the usual tree of lines: what a reader costs that understands nothing."""
    try:
        from hier_config import Platform, get_hconfig
    except ImportError:
        return None
    return lambda text: get_hconfig(Platform.ARISTA_EOS, text)


def _below(roots: list[Any]) -> set[int]:
    """Ids of all objects that can be reached, apart from what belongs to the program."""
    program = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
    found: set[int] = set()
    stack = list(roots)
    while stack:
        thing = stack.pop()
        if id(thing) in found or thing is None or isinstance(thing, program):
            continue
        found.add(id(thing))
        stack += gc.get_referents(thing)
    return found


if __name__ == "__main__":
    print(json.dumps(_measure(int(sys.argv[1]), int(sys.argv[2]))))
