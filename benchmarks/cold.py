"""Cold starts and whole fabrics: what somebody at a prompt or a commit hook waits for. Each run is a new process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from statistics import median

from benchmarks import inputs
from benchmarks.measure import Cost, Line, Machine, paired

#: What xoff cannot do without, or what a tool of its kind would load: the floor of a cold start.
_FLOOR = ["-c", "import pydantic, yaml, ttp"]
_XOFF = ["-m", "xoff"]
#: Never loaded by `xoff lint` of files: rendering, live access, validation of intents.
_NOT_FOR_LINT = ("jinja2", "netmiko", "pydantic", "rich", "yaml")


def start(machine: Machine, rounds: int, ports: int) -> Iterator[Line]:
    """Cold `xoff lint` of one file, as a multiple of the floor; what it imports."""
    (machine.folder / "leaf1.cfg").write_text(inputs.eos_leaf(ports), encoding="utf-8")
    for form, target in (("json", 1.8), ("text", 2.1)):
        lint = [*_XOFF, "lint", "--format", form, "leaf1.cfg"]
        cpu, wall, mine, floor = paired(partial(machine.run, lint, (0, 1)), lambda: machine.run(_FLOOR), rounds)
        yield Line(
            f"cold xoff lint --format {form}, one file, by import of libraries",
            cpu,
            "x",
            target,
            f"{mine.cpu * 1e3:.0f} / {floor.cpu * 1e3:.0f} ms; wall {wall:.2f}x",
        )
    # A read-only home, a container thrown away after each run: data files are parsed, TTP looks through its own sources.
    lint = [*_XOFF, "lint", "--format", "json", "leaf1.cfg"]
    nowhere = {"XDG_CACHE_HOME": str(machine.folder / "leaf1.cfg")}
    cpu, _, mine, _ = paired(lambda: machine.run(lint, (0, 1), nowhere), lambda: machine.run(_FLOOR), max(1, rounds // 3))
    yield Line("  the same where no cache can be written", cpu, "x", None, f"{mine.cpu * 1e3:.0f} ms")
    _, log = machine.output(["-X", "importtime", *_XOFF, "lint", "--format", "json", "leaf1.cfg"])
    names = {row.rpartition("|")[2].strip().partition(".")[0] for row in log.splitlines() if row.startswith("import time:")}
    found = sorted(names & set(_NOT_FOR_LINT))
    yield Line(
        "modules loaded that lint must not need", len(found), "", 0, ", ".join(found) or f"none of {', '.join(_NOT_FOR_LINT)}"
    )


def fabrics(machine: Machine, rounds: int, leaves: int, ports: int) -> Iterator[Line]:
    """Lint and render of a whole fabric, in processor seconds and multiples of the floor."""
    fleet = machine.folder / f"fleet{leaves}"
    inputs.fleet(fleet, leaves, ports)
    (machine.folder / "intent.yaml").write_text(inputs.intent(leaves, ports), encoding="utf-8")
    out = machine.folder / "out"

    def lint() -> Cost:
        return machine.run([*_XOFF, "lint", "--format", "json", fleet.name], (0, 1))

    def render() -> Cost:
        shutil.rmtree(out, ignore_errors=True)
        return machine.run([*_XOFF, "render", "intent.yaml", "-o", out.name])

    def lint_rendered() -> Cost:
        return machine.run([*_XOFF, "lint", "--format", "json", out.name, "--intent", "intent.yaml"], (0, 1))

    size = f"{leaves} leaves x {ports} ports"
    for what, job, target in (
        (f"lint, {size}", lint, 1.5),
        (f"render, {size} and their spines", render, 1.0),
        ("lint --intent of what was rendered", lint_rendered, None),
    ):
        cpu, _, mine, _ = paired(job, lambda: machine.run(_FLOOR), rounds)
        yield Line(f"cold xoff {what}", mine.cpu, "s", target, f"wall {mine.wall:.2f} s; {cpu:.1f}x the import of libraries")


def growth(machine: Machine, rounds: int, sizes: tuple[int, int, int], ports: int) -> Iterator[Line]:
    """Cost of one more leaf between three sizes of a fabric: the second step may not cost more than the first."""
    costs: dict[int, float] = {}
    for leaves in sizes:
        folder = machine.folder / f"grow{leaves}"
        inputs.fleet(folder, leaves, ports)
        costs[leaves] = median(
            machine.run([*_XOFF, "lint", "--format", "json", folder.name], (0, 1)).cpu for _ in range(max(2, rounds // 2))
        )
    small, mid, large = sizes
    first = (costs[mid] - costs[small]) / (mid - small)
    second = (costs[large] - costs[mid]) / (large - mid)
    detail = "; ".join(f"{n}: {costs[n]:.2f} s" for n in sizes) + f"; {first * 1e3:.1f} then {second * 1e3:.1f} ms a leaf"
    yield Line(f"growth of lint over {small}, {mid}, {large} leaves (1 = linear)", second / max(first, 1e-9), "x", 1.3, detail)
