"""Reads a host's fact sheet: the shell commands that set its NIC up, as people keep them in a repository.

Only what states a class in force is taken: the traffic class byte that RDMA queue pairs leave with, the priorities that the
NIC pauses, the DSCP of its CNPs. The byte is DSCP << 2 | ECN; the NIC's priority is DSCP >> 3 unless a `dscp2prio` says
otherwise (mlx5's default table; mlnx-tools). Values out of range are left out: they state no class.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from xoff.model.fabric import Basis, ClassInForce, ClassKind
from xoff.model.finding import Confidence
from xoff.model.origin import FileLine
from xoff.model.record import dataclass

_SYSFS_TC = re.compile(r"/tc/\d+/traffic_class$")
_SYSFS_CNP = re.compile(r"/roce_np/cnp_dscp$")
_SYSFS_CNP_PRIO = re.compile(r"/roce_np/cnp_802p_prio$")


@dataclass(frozen=True, slots=True)
class Said:
    """One number that the sheet states, and where."""

    value: int
    at: FileLine
    what: str


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What a sheet says. `tos`: traffic class bytes (0-255). `pfc`: priorities paused. `dscp2prio`: stated mappings."""

    file: str
    tos: tuple[Said, ...] = ()
    pfc: tuple[tuple[frozenset[int], FileLine], ...] = ()
    cnp_dscp: tuple[Said, ...] = ()
    cnp_priority: tuple[Said, ...] = ()
    dscp2prio: tuple[tuple[int, int], ...] = ()

    def priority_of(self, dscp: int) -> int:
        """The priority the NIC gives this DSCP."""
        return dict(self.dscp2prio).get(dscp, dscp >> 3)


def read(path: str, text: str) -> HostFacts:
    """Facts of one sheet. Lines that no shell could split are passed over; nothing is executed."""
    tos: list[Said] = []
    pfc: list[tuple[frozenset[int], FileLine]] = []
    cnp: list[Said] = []
    cnp_priority: list[Said] = []
    mapping: list[tuple[int, int]] = []
    for number, words in _commands(text):
        at = FileLine(path, number)
        name, options = words[0], words[1:]
        if name == "export" or "=" in name:
            for variable, value in (w.partition("=")[::2] for w in (options if name == "export" else words)):
                if variable in ("NCCL_IB_TC", "UCX_IB_TRAFFIC_CLASS"):
                    tos += _number(value, 255, at, variable)
        elif name == "echo" and ">" in options and options[0] != ">":
            target = options[-1]
            if _SYSFS_TC.search(target):
                tos += _number(options[0], 255, at, "sysfs traffic_class")
            elif _SYSFS_CNP.search(target):
                cnp += _number(options[0], 63, at, "sysfs cnp_dscp")
            elif _SYSFS_CNP_PRIO.search(target):
                cnp_priority += _number(options[0], 7, at, "sysfs cnp_802p_prio")
        elif name == "cma_roce_tos":
            tos += _number(_option(options, "-t", "--tos"), 255, at, "cma_roce_tos")
        elif name == "mlnx_qos":
            bits = _option(options, "-f", "--pfc").split(",")
            if len(bits) == 8 and set(bits) <= {"0", "1"}:
                pfc.append((frozenset(i for i, b in enumerate(bits) if b == "1"), at))
            parts = _option(options, "", "--dscp2prio").split(",")
            if len(parts) == 3 and parts[0] == "set" and parts[1].isdigit() and parts[2].isdigit():
                mapping.append((int(parts[1]), int(parts[2])))
    return HostFacts(path, tuple(tos), tuple(pfc), tuple(cnp), tuple(cnp_priority), tuple(mapping))


def classes(sheets: Sequence[HostFacts]) -> tuple[ClassInForce, ...]:
    """The classes that these sheets state: a lossless one per priority that is both sent with and paused, and CNP.

    A byte whose priority the same sheet does not pause states no lossless class.
    """
    data: dict[int, dict[int, Said]] = {}
    cnps: dict[tuple[int, int], Said] = {}
    for sheet in sheets:
        paused = frozenset().union(*(p for p, _ in sheet.pfc)) if sheet.pfc else frozenset()
        for said in sheet.tos:
            dscp = said.value >> 2
            priority = sheet.priority_of(dscp)
            if priority in paused:
                data.setdefault(priority, {}).setdefault(dscp, said)
        for said in sheet.cnp_dscp:
            priority = sheet.cnp_priority[0].value if sheet.cnp_priority else sheet.priority_of(said.value)
            cnps.setdefault((said.value, priority), said)
    out = [
        ClassInForce(
            name="lossless" if len(data) == 1 else f"lossless{priority}",
            kind=ClassKind.DATA,
            lossless=True,
            dscp=frozenset(values),
            pcp=frozenset(),
            priority=priority,
            basis=Basis.HOST,
            confidence=Confidence.CERTAIN,
            said="; ".join(f"{s.what} {s.value} = DSCP {d}, priority {priority} paused" for d, s in sorted(values.items())),
            at=next(iter(values.values())).at,
        )
        for priority, values in sorted(data.items())
    ]
    out += [
        ClassInForce(
            name="cnp" if len(cnps) == 1 else f"cnp{dscp}",
            kind=ClassKind.CNP,
            lossless=False,
            dscp=frozenset({dscp}),
            pcp=frozenset(),
            priority=priority,
            basis=Basis.HOST,
            confidence=Confidence.CERTAIN,
            said=f"{said.what} {dscp}",
            at=said.at,
        )
        for (dscp, priority), said in sorted(cnps.items())
    ]
    return tuple(out)


def _commands(text: str) -> Iterator[tuple[int, list[str]]]:
    import shlex

    for number, line in enumerate(text.splitlines(), 1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            continue
        if words:
            yield number, words


def _option(words: Sequence[str], short: str, long: str) -> str:
    """The value of an option in any of its three spellings; "" where it is not there."""
    for i, word in enumerate(words):
        if word.startswith(f"{long}="):
            return word.partition("=")[2]
        if word in (short, long) and word and i + 1 < len(words):
            return words[i + 1]
    return ""


def _number(text: str, top: int, at: FileLine, what: str) -> list[Said]:
    """The number, if it is one that the setting can hold."""
    return [Said(int(text), at, what)] if text.isascii() and text.isdigit() and int(text) <= top else []
