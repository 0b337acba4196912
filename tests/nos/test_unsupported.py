"""Systems that xoff names and does not judge: their files are recognised, listed with their name, and give no model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from xoff.errors import UsageError
from xoff.nos import registry
from xoff.nos.inputs import gather
from xoff.nos.source import read_source

FILES = {
    "corpus/aos_cx/canu-sw-spine-001-aoscx-no-qos.cfg": ("aos_cx", "AOS-CX"),
    "corpus/brocade_vdx/vdx-cee-map-default.cfg": ("vdx", "Brocade Network OS"),
    "corpus/srlinux/eda-qos-ingresspolicy.yaml": ("eda", "EDA"),
}
AOS_CX = """\
hostname leaf1
aruba-central
    disable
ssh server vrf mgmt
qos trust dscp
interface 1/1/1
    flow-control priority 3
"""


@pytest.mark.parametrize(("name", "who"), FILES.items())
def test_reference_files_are_named_and_never_judged(shared: Callable[[str], Path], name: str, who: tuple[str, str]) -> None:
    file = shared(name)
    found = registry.detect(str(file), read_source(file).text)
    assert found is not None
    assert (found.nos, found.supported) == (who[0], False)
    with pytest.raises(UsageError, match=f"{who[1]}.*cannot read yet"):
        gather([str(file)])


def test_beside_other_files_it_is_a_problem_where_it_was_named_and_skipped_where_not(tmp_path: Path) -> None:
    (tmp_path / "leaf1.cfg").write_text(AOS_CX, encoding="utf-8")
    (tmp_path / "leaf2.cfg").write_text("hostname leaf2\nqos map dscp 26 to traffic-class 3\n", encoding="utf-8")
    whole = gather([str(tmp_path)])
    assert [d.hostname for f in whole.fabrics for d in f.devices] == ["leaf2"]
    assert ["AOS-CX" in why for f in whole.fabrics for _, why in f.skipped] == [True]
    assert not whole.incomplete
    named = gather([str(tmp_path / "leaf1.cfg"), str(tmp_path / "leaf2.cfg")])
    assert [d.hostname for f in named.fabrics for d in f.devices] == ["leaf2"]
    assert named.incomplete
