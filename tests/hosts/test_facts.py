"""Fact sheets of hosts: the byte arithmetic and what states a class."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from xoff.hosts.facts import classes, read
from xoff.model.fabric import Basis, ClassKind

SHEET = """\
# a comment
mlnx_qos -i eth2 --trust=dscp --pfc=0,0,0,1,0,0,0,0
echo 106 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class
echo 48 > /sys/class/net/eth2/ecn/roce_np/cnp_dscp
echo 6 > /sys/class/net/eth2/ecn/roce_np/cnp_802p_prio
export NCCL_IB_TC=106
"""


def test_the_byte_is_dscp_and_ecn() -> None:
    facts = read("h.txt", SHEET)
    data, cnp = classes([facts])
    assert (data.dscp, data.priority, data.basis) == (frozenset({106 >> 2}), 3, Basis.HOST)
    assert data.at is not None
    assert data.at.line == 3
    assert (cnp.kind, cnp.dscp, cnp.priority) == (ClassKind.CNP, frozenset({48}), 6)


def test_a_byte_whose_priority_is_not_paused_states_nothing() -> None:
    assert classes([read("h.txt", SHEET.replace("0,0,0,1,0", "0,0,0,0,1"))])[0].kind is ClassKind.CNP


def test_a_stated_mapping_beats_the_default_table() -> None:
    text = "mlnx_qos -i eth2 -f 0,0,0,0,0,1,0,0\nNCCL_IB_TC=104\n"
    assert not classes([read("h.txt", text)])
    (data,) = classes([read("h.txt", text + "mlnx_qos -i eth2 --dscp2prio set,26,5\n")])
    assert (data.dscp, data.priority) == (frozenset({26}), 5)


def test_values_out_of_range_state_nothing() -> None:
    facts = read("h.txt", "export NCCL_IB_TC=300\ncma_roce_tos -d mlx5_0 -t -4\nmlnx_qos -i e --pfc=0,0,0,1\n")
    assert not facts.tos
    assert not facts.pfc


@given(st.text())
def test_no_text_crashes_the_reader(text: str) -> None:
    classes([read("h.txt", text)])
