"""What the linter says of VRP configurations: the base, what leaving a line out costs, and what we render ourselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mutation import judge
from tests.rules.case import run
from xoff.model.finding import Finding, Severity

CLASSES = "[classes]\nroce = {dscp = [26], priority = 3, lossless = true}\ncnp = {dscp = [48], priority = 6}\n"


def loud(text: str, folder: Path) -> list[Finding]:
    got = run(folder, {"leaf1.cfg": text}, project=CLASSES)
    assert got.problems == ()
    return [f for f in got.findings if f.severity is not Severity.NOTE and f.implied_by is None]


def without(text: str, line: str) -> str:
    assert f"{line}\n" in text
    return text.replace(f"{line}\n", "")


def test_the_base_is_clean(base: str, tmp_path: Path) -> None:
    assert [(f.code, f.message) for f in loud(base, tmp_path)] == []


@pytest.mark.parametrize(
    ("line", "code", "ports"),
    [
        ("dcb pfc dscp-mapping enable slot 1", "MAP002", ("100GE1/0/49",)),
        ("qos buffer headroom-pool size 4 mbytes slot 1", "HDR002", ("100GE1/0/49", "25GE1/0/1")),
        (" qos queue 3 ecn", "ECN001", ("100GE1/0/49", "25GE1/0/1")),
        (" trust dscp", "MAP005", ("25GE1/0/1",)),
        (" dcb pfc enable mode manual", "PFC001", ("100GE1/0/49", "25GE1/0/1")),
        (" priority 3 turn-off threshold 300", "WDG007", ("100GE1/0/49", "25GE1/0/1")),
    ],
)
def test_a_line_left_out_is_judged_by_what_vrp_does_then(
    base: str, tmp_path: Path, line: str, code: str, ports: tuple[str, ...]
) -> None:
    found = [f for f in loud(without(base, line), tmp_path) if f.code == code]
    assert found, line
    assert tuple(sorted({p for f in found for p in f.ports} or ports)) == ports


def test_a_switched_port_may_get_tags(base: str, tmp_path: Path) -> None:
    """Without the mapping PFC counts by 802.1p: certain loss on a routed port, not judged on a switched one."""
    got = run(tmp_path, {"leaf1.cfg": without(base, "dcb pfc dscp-mapping enable slot 1")}, project=CLASSES)
    (hit,) = [f for f in got.findings if f.code == "MAP002"]
    assert (hit.severity, hit.ports) == (Severity.ERROR, ("100GE1/0/49",))
    reasons = [r for r, _ in got.result.fabrics[0].coverage["MAP002"].not_assessed]
    assert any("802.1p" in r or "pcp" in r for r in reasons)


def test_early_drop_beside_no_mark_is_the_missing_mark(base: str, tmp_path: Path) -> None:
    text = without(base, " qos queue 3 ecn").replace("ecn buffer-size", "color green buffer-size")
    (hit,) = [f for f in loud(text, tmp_path) if f.code == "ECN004"]
    assert hit.location is not None
    assert hit.location.text.strip().startswith("interface ")


# --- what we render

PODS = {
    "vrp-family-a": """\
version: 1
fabric: {name: pod-a, workload: training}
classes:
  roce: {dscp: [26], priority: 3, lossless: true, bandwidth: 60%}
  cnp:  {dscp: [48], priority: 6, scheduler: strict}
defaults: {mtu: 9000, roce_mtu: 4096}
switches:
  leaf[1-2]:  {role: leaf, nos: vrp, model: CE6885, release: V300R023C00}
  spine[1-2]: {role: spine, nos: vrp, model: CE8855}
hosts: {name: "gpu[1-4]", nics: 2, nic: cx7, attach: rail}
links:
  - {from: "leaf[1-2]", to: "spine[1-2]", ports: {from: "100GE1/0/[49-50]", to: "100GE1/0/[1-2]"}, speed: 100G, cable: 30m}
  - {from: "leaf[1-2]", to: hosts, ports: {from: "25GE1/0/[1-4]"}, speed: 25G, cable: 3m, carries: [roce, cnp]}
""",
    "vrp-family-b": """\
version: 1
fabric: {name: pod-b, workload: inference}
classes:
  roce: {dscp: [24], priority: 4, lossless: true, bandwidth: 50%}
  cnp:  {dscp: [25], priority: 6, scheduler: strict}
defaults: {mtu: 9000, roce_mtu: 4096}
switches:
  leaf[1-2]:  {role: leaf, nos: vrp, model: CE6866}
  spine[1-2]: {role: spine, nos: vrp, model: CE8851K}
hosts: {name: "gpu[1-4]", nics: 2, nic: cx7, attach: rail}
links:
  - {from: "leaf[1-2]", to: "spine[1-2]", ports: {from: "100GE1/0/[49-50]", to: "100GE1/0/[1-2]"}, speed: 100G, cable: 30m}
  - {from: "leaf[1-2]", to: hosts, ports: {from: "25GE1/0/[1-4]"}, speed: 25G, cable: 3m, carries: [roce, cnp]}
""",
}


@pytest.fixture(scope="module", params=sorted(PODS))
def pod(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[judge.Fabric]:
    file = tmp_path_factory.mktemp("intent") / f"{request.param}.yaml"
    file.write_text(PODS[request.param], encoding="utf-8")
    judge.EXAMPLES[request.param] = file
    try:
        yield judge.fabric(request.param)
    finally:
        del judge.EXAMPLES[request.param]


def test_what_we_render_is_clean(pod: judge.Fabric) -> None:
    assert [(f.code, f.message) for f in pod.lint(intent=True).findings] == []
    assert [(f.code, f.message) for f in pod.lint(intent=False).findings if f.severity is not Severity.NOTE] == []


def test_the_classes_are_found_again_without_the_intent(pod: judge.Fabric) -> None:
    found = {(c.dscp, c.priority) for c in pod.lint(intent=False).fabrics[0].classes if c.lossless}
    assert found == {(c.dscp, c.priority) for c in pod.plan.classes if c.lossless}


def test_every_line_of_the_rendered_file_counts(pod: judge.Fabric) -> None:
    """Each QoS line taken out is found with the intent, but for those that only say what holds anyway."""
    file = next(f for f in pod.files if f.role == "leaf")
    rows = file.text.split("\n")
    silent: set[str] = set()
    first = rows.index("interface 25GE1/0/2")
    for at, row in enumerate(rows[:first]):
        if not row.startswith(" ") or row.strip().startswith("!"):
            continue
        changed = "\n".join([*rows[:at], *rows[at + 1 :]])
        result, unread = pod.lint_with(file, changed, True)
        before = pod.before(True)
        if not unread and not [f for f in result.findings if f.fingerprint not in before]:
            silent.add(row.strip())
    assert {s for s in silent if not _says_what_holds(s)} == set()


def _says_what_holds(line: str) -> bool:
    """Lines whose value is the device's default, and those that name a thing."""
    return (
        line.startswith(("ip-dscp-inbound", "description", "undo priority 3"))
        or line.endswith(("drr weight 1", "deadlock-detect time 10", "deadlock-recovery time 10"))
        or line in ("qos pq 6 to 7", "priority 3", "mtu 9000")
    )
