"""Invariant 3: no QoS line is lost in silence, and what nobody knows never changes the model.

An unknown line, an unknown block with known-looking content, an unknown field, row or table is put after every known one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.invariants.fabrics import NAMES, fabric, one_of_each, read
from tests.mutation import indented
from tests.mutation.judge import FAMILIES
from xoff.model.fields import ALL_FIELDS, same
from xoff.model.qos import Classify, MatchKind
from xoff.model.quantity import Unknown
from xoff.model.switch import RemarkKind, SwitchModel
from xoff.nos import registry
from xoff.nos.registry import BlockSpec

BASES = Path(__file__).resolve().parents[1] / "rules" / "base"
#: Words that no NOS has, and below them lines that mean much where they belong.
CLASSIFIED = frozenset({"classify.dscp", "classify.pcp"})
LINE = "qos xyzzy 7 frobnicate 6"
TAIL = ("xyzzy", "6", "frobnicate")
BLOCK = ("uc-xyzzy-queue 6", "random-detect ecn minimum-threshold 7 kbytes maximum-threshold 8 kbytes", "priority strict",
         "priority-flow-control on", "no priority")  # fmt: skip

#: Blocks that neither the examples nor the base have.
EOS_BLOCKS = """\
hostname leaf1
!
class-map type qos match-any ROCE
   match dscp 26
!
class-map type qos match-all CNP
   match dscp 48
!
policy-map type quality-of-service IN
   class ROCE
      set traffic-class 3
   class CNP
      set traffic-class 6
!
qos profile LOSSLESS
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   !
   tx-queue 3
      no priority
      bandwidth percent 50
   !
   uc-tx-queue 4
      priority strict
   !
   mc-tx-queue 5
      priority strict
!
interface Ethernet1/1
   service-policy type qos input IN
   service-profile LOSSLESS
!
interface Ethernet2/1
   qos trust dscp
   !
   tx-queue 3
      random-detect ecn minimum-threshold 256 kbytes maximum-threshold 512 kbytes max-mark-probability 100 weight 0
   !
   uc-tx-queue 4
      no priority
   !
   mc-tx-queue 5
      bandwidth percent 10
!
platform trident mmu queue profile LOSSLESS
   ingress headroom bytes 100000
   ingress priority-group 3 threshold 1/4
!
platform trident mmu queue profile LOSSLESS apply
!
"""


#: The system-defined classes of NX-OS, each a block of its own.
_NQ = [*(f"c-8q-nq{n}" for n in range(7, 0, -1)), "c-8q-nq-default", "c-nq3", "c-nq2", "c-nq1", "c-nq-default", "class-default"]
_QUEUES = [
    *(f"c-out-8q-q{n}" for n in range(7, 0, -1)), "c-out-8q-q-default", "c-out-q3", "c-out-q2", "c-out-q1", "c-out-q-default",
    *(f"c-in-q{n}" for n in range(7, 0, -1)), "c-in-q-default", "class-default",
]  # fmt: skip
_HOW = (" type qos match-any", " type qos match-all", " type qos", " match-any", " match-all", "")
OS10_BLOCKS = """\
hostname leaf1
!
class-map type qos ANY
 match ip-any dscp 26
!
policy-map type qos IN
 class ANY
  set qos-group 3
!
trust dot1p-map TAGS
 qos-group 3 dot1p 3
!
system qos
 trust-map dot1p TAGS
 pfc-shared-buffer-size 10240
!
interface ethernet1/1/1
 service-policy input type qos IN
!
interface ethernet1/1/2
 mtu 9216
!
"""
NXOS_BLOCKS = "\n".join(
    ["hostname leaf1"]
    + [f"class-map{how} A{n}\n  match dscp {n}" for n, how in enumerate(_HOW, 10)]
    + [f"class-map type {t}{how} {t}-{n}\n  match qos-group {n}"
       for t in ("network-qos", "queuing") for n, how in enumerate((" match-any", " match-all", ""), 1)]
    + ["policy-map type qos IN", "  class A10\n    set qos-group 3", "  class type qos A11\n    set qos-group 6"]
    + ["policy-map PLAIN", "  class A12\n    set qos-group 3", "  class type qos A13\n    set qos-group 6"]
    + ["policy-map type network-qos NQ", *(f"  class type network-qos {c}\n    mtu 9216" for c in (*_NQ, "network-qos-1"))]
    + ["policy-map type queuing OUT", *(f"  class type queuing {c}\n    priority" for c in (*_QUEUES, "queuing-1"))]
    + ["system qos\n  service-policy type network-qos NQ\n  service-policy type queuing output OUT"]
    + ["interface Ethernet1/1\n  service-policy type qos input IN", "interface Ethernet1/2\n  service-policy input PLAIN", ""]
)  # fmt: skip


#: Kinds of map, and the port of a scheduler policy, that neither the examples nor the base have.
ENTERPRISE_SONIC_BLOCKS = """\
hostname leaf1
!
buffer init lossless
!
qos wred-policy LOSSY
 green minimum-threshold 100 maximum-threshold 200 drop-probability 10
 ecn none
!
qos scheduler-policy SHAPED
 !
 queue 3
  type dwrr
  weight 40
 !
 port
  pir 100000
!
qos map tc-dscp OUT
 traffic-class 3 dscp 26
!
qos map tc-dot1p OUT
 traffic-class 3 dot1p 3
!
qos map pfc-priority-pg PAUSES
 pfc-priority 3 pg 3
!
interface Eth1/1
 queue 3 wred-policy LOSSY
 scheduler-policy SHAPED
 qos-map tc-dscp OUT
 qos-map tc-dot1p OUT
 qos-map pfc-priority-pg PAUSES
 priority-flow-control priority 3
!
"""


#: PFC by name, ETS, application and uplink profiles, and the AI service of VRP.
VRP_BLOCKS = """\
sysname leaf1
#
dcb pfc
 priority 3
#
dcb pfc STORAGE
 priority 4
#
dcb ets-profile ETS
 priority-group 0 queue 0 to 2
 priority-group 0 drr weight 40
#
dcb app-profile APPS
 application fcoe priority 3
#
dcb pfc uplink group UP
 adjust original-dscp 26 to priority 3 dscp 28
#
ai-service
 ai-ecn
  ai-ecn enable
  assign queue 3
#
interface 100GE1/0/1
 undo portswitch
 mtu 9100
 dcb pfc enable STORAGE mode manual
#
interface 100GE1/0/2
 undo portswitch
 mtu 9100
#
return
"""
#: Classification by policy, which neither the examples nor the base of Comware have.
COMWARE_BLOCKS = """\
sysname leaf1
#
traffic classifier ROCE operator or
 if-match dscp 26
#
traffic classifier CNP
 if-match dscp 48
#
traffic behavior MARK
 remark dscp af31
#
traffic behavior COUNT
 accounting byte
#
qos policy IN
 classifier ROCE behavior MARK
 classifier CNP behavior COUNT
#
interface HundredGigE1/0/1
 port link-mode route
 qos apply policy IN inbound
 qos trust dscp
#
interface HundredGigE1/0/2
 port link-mode route
 priority-flow-control no-drop dot1p 3
#
return
"""


def _indented() -> Iterator[tuple[str, str, str]]:
    for name in NAMES:
        for file in one_of_each(name):
            if registry.load(file.nos).syntax == "indented":
                yield f"{name}-{file.device}", file.nos, file.text
    yield "base-eos", "eos", (BASES / "eos.cfg").read_text(encoding="utf-8")
    yield "blocks-eos", "eos", EOS_BLOCKS
    yield "base-nxos", "nxos", (BASES / "nxos.cfg").read_text(encoding="utf-8")
    yield "blocks-nxos", "nxos", NXOS_BLOCKS
    yield "base-os10", "os10", (BASES / "os10.cfg").read_text(encoding="utf-8")
    yield "blocks-os10", "os10", OS10_BLOCKS
    yield "base-enterprise_sonic", "enterprise_sonic", (BASES / "enterprise_sonic.cfg").read_text(encoding="utf-8")
    yield "blocks-enterprise_sonic", "enterprise_sonic", ENTERPRISE_SONIC_BLOCKS
    yield "base-vrp", "vrp", (BASES / "vrp.cfg").read_text(encoding="utf-8")
    yield "blocks-vrp", "vrp", VRP_BLOCKS
    yield "blocks-comware", "comware", COMWARE_BLOCKS


def _flat() -> Iterator[tuple[str, str, str, str]]:
    """Lists of whole commands, and the words with which a line about QoS begins."""
    begin = {"nvue": "nv set qos", "junos": "set class-of-service"}
    for name in NAMES:
        for file in one_of_each(name):
            if (syntax := registry.load(file.nos).syntax) in begin:
                yield f"{name}-{file.device}", file.nos, file.text, begin[syntax]


def _tables() -> Iterator[tuple[str, str, str]]:
    for name in NAMES:
        for file in one_of_each(name):
            if registry.load(file.nos).syntax == "json":
                yield f"{name}-{file.device}", file.nos, file.text
    yield "base-sonic", "sonic", (BASES / "sonic.json").read_text(encoding="utf-8")


def _places(text: str) -> Iterator[tuple[int, int]]:
    """(line index to insert before, indentation): after every line or block at its own level, and first inside every block."""
    for row in indented.rows(text):
        yield row.end, row.indent
        if row.end > row.index + 1:
            lines = text.split("\n")
            yield row.index + 1, len(lines[row.index + 1]) - len(lines[row.index + 1].lstrip())


@pytest.mark.parametrize(("nos", "text"), [pytest.param(n, t, id=i) for i, n, t in _indented()])
def test_an_unknown_line_or_block_after_every_known_one(nos: str, text: str) -> None:
    before = read(nos, "leaf1.cfg", text)
    lines = text.split("\n")
    places = sorted(set(_places(text)))
    assert len(places) > 20
    for at, indent in places:
        pad = " " * indent
        line = "\n".join([*lines[:at], pad + LINE, *lines[at:]])
        block = "\n".join([*lines[:at], pad + BLOCK[0], *(f"{pad}   {x}" for x in BLOCK[1:]), *lines[at:]])
        for changed in (line, block):
            after = read(nos, "leaf1.cfg", changed)
            assert after == before or _less_known(before, after), f"before line {at + 1}, indented by {indent}"
        _reported(nos, read(nos, "leaf1.cfg", line), at + 1)


def _less_known(before: SwitchModel, after: SwitchModel) -> bool:
    """Whether all that changed is that a classification by names became unknown.

    A line that nobody knows inside a class of packets may change which packets it is; to keep the old answer would be a pass.
    """
    if same(before, after, ALL_FIELDS - CLASSIFIED):
        return False
    pairs = [(p.qos.classify, after.ports[n].qos.classify) for n, p in before.ports.items()]
    return all(a == b or _less_matched(a, b) for a, b in pairs)


def _less_matched(before: Classify, after: Classify) -> bool:
    """Whether matches became unknown, or unknown ones came in front of those that were there."""
    unknown = [m for m in after.matches if m.kind is MatchKind.OPAQUE or isinstance(m.tc, Unknown)]
    more = len(after.matches) - len(before.matches)
    known = [m for m in after.matches if m not in unknown]
    return bool(unknown) and (more == 0 or (more > 0 and all(m in before.matches for m in known)))


def _reported(nos: str, model: object, line: int) -> None:
    """A line that begins with a QoS word is never lost in silence, wherever it stands."""
    remarks = getattr(model, "remarks")  # noqa: B009
    places = {r.origin.at.line for r in remarks} | {m.line for r in remarks for m in r.more}
    kinds = {r.kind for r in remarks if line in {r.origin.at.line, *(m.line for m in r.more)}}
    assert line in places, f"line {line} is reported nowhere"
    assert RemarkKind.UNCLAIMED in kinds


@pytest.mark.parametrize(("nos", "text"), [pytest.param(n, t, id=i) for i, n, t in _tables()])
def test_an_unknown_field_row_or_table_after_every_known_one(nos: str, text: str) -> None:
    before = read(nos, "leaf1.json", text)
    data = json.loads(text)
    for table in list(data):
        changed = {}
        for t, content in data.items():
            changed[t] = content
            if t == table:
                changed["XYZZY_TABLE"] = {"Ethernet0": {"pfc_enable": "6"}, "AZURE": {"3": "6"}}
        _same(nos, before, changed, f"a table after {table}")
        seen: set[str] = set()
        for row, fields in data[table].items():
            kind = "".join(c for c in row if not c.isdigit())
            if not isinstance(fields, dict) or kind in seen:
                continue  # rows of one kind are read alike
            seen.add(kind)
            for name in fields:
                more = {k: v for key, value in fields.items() for k, v in _after(key, value, name)}
                _same(nos, before, {**data, table: {**data[table], row: more}}, f"a field after {table}|{row} {name}")


def _after(key: str, value: object, name: str) -> Iterator[tuple[str, object]]:
    yield key, value
    if key == name:
        yield "xyzzy_map", "6"


def _same(nos: str, before: object, data: object, what: str) -> None:
    after = read(nos, "leaf1.json", json.dumps(data, indent=4))
    assert after == before, what


def test_every_block_that_claims_all_its_lines_was_met() -> None:
    """The texts above hold every block of every NOS whose unclaimed lines are all reported, or the test proves too little."""
    met: dict[str, set[tuple[str, ...]]] = {}
    for _, nos, text in _indented():
        found = {r.index: r for r in indented.rows(text)}
        for r in found.values():
            path = (*(found[p].text for p in r.parents), r.text)
            met.setdefault(nos, set()).update(s.path for s in registry.load(nos).blocks if s.qos == "all" and _fits(s, path))
    for nos, paths in met.items():
        assert sorted({s.path for s in registry.load(nos).blocks if s.qos == "all"} - paths) == []


def _fits(spec: BlockSpec, path: tuple[str, ...]) -> bool:
    if len(spec.path) != len(path):
        return False
    for pattern, text in zip(spec.path, path, strict=True):
        words, said = pattern.split(), text.split()
        if not pattern.endswith("**") and len(words) != len(said):
            return False
        if any(w != t for w, t in zip(words, said, strict=False) if not w.startswith(("*", "{"))):
            return False
    return True


@pytest.mark.parametrize(("nos", "text", "begin"), [pytest.param(n, t, b, id=i) for i, n, t, b in _flat()])
def test_an_unknown_command_after_every_known_one(nos: str, text: str, begin: str) -> None:
    """An unknown statement at the top, and an unknown end of every command, below each of its words."""
    before = read(nos, "leaf1.cfg", text)
    lines = text.split("\n")
    tops = [i for i, line in enumerate(lines) if line.startswith(begin)]
    assert len(tops) > 20
    seen: set[tuple[str, ...]] = set()
    for i in tops:
        words = lines[i].split()
        for deep in range(len(begin.split()), len(words)):
            head = tuple(words[:deep])
            if head in seen:
                continue
            seen.add(head)
            after = read(nos, "leaf1.cfg", "\n".join([*lines[: i + 1], " ".join((*head, *TAIL)), *lines[i + 1 :]]))
            assert after == before or _less_known(before, after), " ".join(head)
            _reported(nos, after, i + 2)


def test_every_syntax_of_the_examples_is_tested_here() -> None:
    """JSON trees of YANG (SR Linux, no example yet) have a test of their own in tests/nos/srlinux."""
    here = {registry.load(nos).syntax for _, nos, *_ in (*_indented(), *_flat(), *_tables())}
    assert {registry.load(f.nos).syntax for n in NAMES for f in fabric(n).files} <= here
    assert here == set(FAMILIES) - {"yang"}
