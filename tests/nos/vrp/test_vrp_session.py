"""Text that no switch printed: sessions, scripts with `quit`, the manual's remarks, parts of a configuration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xoff.model.qos import HeaderField, PfcMode
from xoff.model.quantity import Unknown
from xoff.model.switch import Form, SwitchModel
from xoff.nos.vrp.session import excerpt, plain

Read = Callable[..., SwitchModel]
SESSION = """\
<HUAWEI> system-view
[~HUAWEI] sysname DeviceA
[*HUAWEI] commit
[~DeviceA] dcb pfc
[*DeviceA-dcb-pfc-default] priority 4
[*DeviceA-dcb-pfc-default] quit
[*DeviceA] interface 100ge 1/0/1
[*DeviceA-100GE1/0/1] trust dscp
[*DeviceA-100GE1/0/1] dcb pfc enable mode manual    //Forcible mode.
[*DeviceA-100GE1/0/1] quit
[*DeviceA] commit
"""
SCRIPT = """\
system-view
sysname DeviceA
dcb pfc
priority 4
quit
interface 100ge 1/0/1
trust dscp
dcb pfc enable mode manual
commit
quit
"""
PRINTED = """\
sysname DeviceA
dcb pfc
 priority 4
interface 100GE1/0/1
 trust dscp
 dcb pfc enable mode manual
"""


@pytest.mark.parametrize("text", [SESSION, SCRIPT], ids=["session", "script"])
def test_the_same_configuration_in_another_form(text: str, read: Read) -> None:
    found, printed = read(text), read(PRINTED)
    assert found == printed
    assert found.remarks == ()
    port = found.ports["100GE1/0/1"]
    assert (port.qos.pfc.mode, port.qos.classify.tagged_ip) == (PfcMode.ON, HeaderField.DSCP)
    place = port.place(port.origins["pfc.mode"])
    assert place is not None
    assert "dcb pfc enable" in text.split("\n")[place.line - 1]


def test_printed_text_is_left_alone(base: str) -> None:
    assert plain(base) == base


def test_a_description_with_slashes_stays(read: Read) -> None:
    model = read("interface 100GE1/0/1\n description http://rack/3\n dcb pfc enable\n")
    assert model.ports["100GE1/0/1"].description == "http://rack/3"


def test_real_sessions(shared: Callable[[str], Path], read: Read) -> None:
    ceph = read(shared("corpus/huawei_vrp/real_kunpeng_ceph_ce6863_session.txt").read_text(encoding="utf-8"))
    assert ceph.remarks == ()
    assert (ceph.asic, ceph.ports["25GE1/0/5"].qos.pfc.no_drop) == ("huaweic", frozenset({0, 3}))
    nof = read(shared("corpus/huawei_vrp/openeuler_nof_ce6865_session.txt").read_text(encoding="utf-8"))
    assert nof.remarks == ()
    port = nof.ports["25GE2/0/19"]
    assert (port.qos.pfc.mode, port.qos.pfc.link_pause_rx, port.routed) == (PfcMode.ON, False, False)


def test_what_a_part_does_not_hold_may_be_elsewhere(read: Read) -> None:
    text = "<leaf> display current-configuration interface 25ge 1/0/1\n#\ninterface 25GE1/0/1\n qos queue 0 wred x\n#\nreturn\n"
    assert excerpt(text)
    model = read(text)
    assert model.form is Form.FRAGMENT
    assert [r.resolves for r in model.references] == [None]
    assert read(text.replace(" interface 25ge 1/0/1", "", 1)).form is Form.RUNNING


def test_a_profile_named_like_an_interface_line(read: Read) -> None:
    model = read("dcb pfc enable\ninterface 100GE1/0/1\n dcb pfc enable\n")
    assert ["names a PFC profile" in r.message for r in model.remarks] == [True]
    assert not isinstance(model.ports["100GE1/0/1"].qos.pfc.mode, Unknown)


ODD = ["", "[", "[~]x", "<>", "//", " //x", "[a-b-c] [d] quit", "\t"]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([*SESSION.split("\n"), *SCRIPT.split("\n"), *PRINTED.split("\n"), *ODD]), max_size=12))
def test_lines_stay_where_they_are(rows: list[str]) -> None:
    text = "\n".join(rows)
    assert plain(text).count("\n") == text.count("\n")
