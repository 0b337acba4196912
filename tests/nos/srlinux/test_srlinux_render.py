"""SR Linux: the round trip over what an intent may say, and what is refused by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.nos.test_goldens import fields, read_back
from tests.nos.test_variations import VARIATIONS, intent
from xoff.derive import derive
from xoff.errors import CannotExpress
from xoff.intent.expand import plan
from xoff.model.fields import same
from xoff.nos import registry
from xoff.nos.renderer import Rendered, render

PLATFORM = ("srlinux", "7220 IXR-H4, asic: tomahawk4", "ethernet-1/33", "ethernet-1/[1-2]")


def rendered(file: Path, device: str = "leaf1") -> Rendered:
    model = derive(plan(file), device).model
    return render(model, registry.load("srlinux"))


REFUSED = [{"watchdog": "{detect: 300ms, restore: 600ms, poll: 100ms, action: drop}"}, {"watchdog": "{action: alert}"},
           {"port": "switched: true"}]  # fmt: skip


@pytest.mark.parametrize("changes", [v for v in VARIATIONS if v not in REFUSED], ids=lambda v: "-".join(v) or "plain")
def test_comes_back_as_it_went(tmp_path: Path, changes: dict[str, str]) -> None:
    fabric = plan(intent(tmp_path, *PLATFORM, **changes))
    for device in fabric.devices:
        model = derive(fabric, device).model
        files = render(model, registry.load(model.nos)).files
        assert same(model, read_back(model, files), fields(model, "running")) == []


@pytest.mark.parametrize(("changes", "word"), list(zip(REFUSED, ("drop", "alert", "switched"), strict=True)))
def test_what_there_is_no_word_for_is_refused(tmp_path: Path, changes: dict[str, str], word: str) -> None:
    file = intent(tmp_path, *PLATFORM, **changes)
    with pytest.raises(CannotExpress, match=word):
        rendered(file)


def test_a_7250_is_refused(tmp_path: Path) -> None:
    file = intent(tmp_path, "srlinux", "7250 IXR-10e, asic: jericho2", *PLATFORM[2:])
    with pytest.raises(CannotExpress, match="7220 only"):
        rendered(file)


@pytest.mark.parametrize(
    ("release", "enabled"), [("", "enable-pfc"), (", release: 25.3.1", "enable-pfc"), (", release: 25.10.2", "pfc-priority")]
)
def test_the_release_decides_how_a_priority_is_enabled(tmp_path: Path, release: str, enabled: str) -> None:
    file = intent(tmp_path, "srlinux", PLATFORM[1] + release, *PLATFORM[2:])
    found = rendered(file).files["leaf1.json"]
    assert {name for name in ("enable-pfc", "pfc-priority") if f'"{name}"' in found} == {enabled}
    assert enabled in rendered(file).files["leaf1.README.txt"] or "25.3" in release


def test_what_yang_demands_of_a_marking_queue_and_of_flow_control(tmp_path: Path) -> None:
    """[Y]: a queue-management-profile needs a maximum-burst-size that is not 0; PFC excludes flow-control receive."""
    tree = json.loads(rendered(intent(tmp_path, *PLATFORM)).files["leaf1.json"])
    qos = tree["srl_nokia-qos:qos"]
    sizes = {
        (b["name"], q["queue-name"]): q["maximum-burst-size"]
        for b in qos["buffer-management"]["buffer-allocation-profile"]
        for q in b["queues"].get("queue", ())
    }
    bound = [i for i in qos["interfaces"]["interface"] if "queues" in i.get("output", {})]
    assert len(bound) == 3
    for i in bound:
        for q in i["output"]["queues"]["queue"]:
            assert sizes[i["output"]["buffer-allocation-profile"], q["queue-name"]] > 0
    assert all(i["ethernet"]["flow-control"] == {"receive": False} for i in tree["srl_nokia-interfaces:interface"])
    for policy in qos["scheduler-policies"]["scheduler-policy"]:
        for s in policy["scheduler"]:
            assert (s["sequence"] == 0) == (s.get("priority") == "strict")
            assert all(1 <= x["weight"] <= 127 for x in s["input"] if "weight" in x)
