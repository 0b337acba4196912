"""No false alarms: errors over the files that vendors ship or validate are a list, each with the reason why it is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.conftest import SHARED
from tests.rules.case import run
from xoff.errors import UsageError
from xoff.model.finding import Severity
from xoff.nos import registry

_GOLDEN = yaml.safe_load((Path(__file__).parent / "corpus.yml").read_text(encoding="utf-8"))
_FILES = sorted(
    p.relative_to(SHARED / "corpus").as_posix()
    for pattern in ("eos/*.cfg", "sonic/*.json")
    for p in (SHARED / "corpus").glob(pattern)
    if not p.name.startswith("BAD-")
)
#: QoS and buffers of one switch, as its image ships them.
_PAIRS = {
    "qos-arista7260-t1-tunnel-remap": "buffers-arista7260-t1-tunnel-remap",
    "qos-arista7060x6-th5": "buffers-arista7060x6-th5-lt2",
    "qos-arista7800r3a-voq-lc": "buffers-arista7800r3a-voq-lc",
    "qos-dell-s6100-th": "buffers-dell-s6100-th",
    "qos-mellanox4600c-c64": "buffers-mellanox4600c-t0-traditional-dualtor",
}


@pytest.mark.parametrize("name", _FILES)
def test_errors_are_those_with_a_reason(name: str, tmp_path: Path) -> None:
    text = (SHARED / "corpus" / name).read_text(encoding="utf-8")
    try:
        got = run(tmp_path, {Path(name).name: text}, select=_GOLDEN["codes"])
    except UsageError:
        found = registry.detect(name, text)
        assert found is None or not found.supported, f"recognised as {found.nos}, and yet nothing was read"
        pytest.skip("a show output or the like: nobody's configuration, so there is nothing to judge")
    known = _GOLDEN["errors"].get(name) or []
    assert all(e["reason"] for e in known)
    errors = [f for f in got.findings if f.severity is Severity.ERROR]
    raised = Counter((f.code, f.location.text.strip() if f.location else "") for f in errors)
    assert raised == Counter((e["code"], e["text"]) for e in known), [f.message for f in errors]


@pytest.mark.parametrize("qos", sorted(_PAIRS))
def test_shipped_pairs(qos: str, shared: Callable[[str], Path], tmp_path: Path) -> None:
    files = {f"sw1/{kind}.json": shared(f"corpus/sonic/{name}.json") for kind, name in (("qos", qos), ("buffers", _PAIRS[qos]))}
    got = run(tmp_path, {name: p.read_text(encoding="utf-8") for name, p in files.items()})
    assert [d.hostname for f in got.result.fabrics for d in f.devices] == ["sw1"]
    assert got.result.assessed > 0
    raised = [(f.code, f.message) for f in got.findings if f.code in (*_GOLDEN["codes"], "HDR002", "WDG001")]
    assert raised == []
