"""Whatever is in the file: no crash but InputError, and nothing unknown changes what is known."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xoff.errors import InputError
from xoff.model.switch import SwitchModel
from xoff.nos import registry, sonic
from xoff.nos.facts import NONE
from xoff.nos.sonic.schema import TABLES
from xoff.nos.source import Source, decode

from .conftest_data import tables

BASE = tables()
WORDS = st.one_of(
    st.sampled_from(
        [
            "",
            "3",
            "3-4",
            "3,4",
            "NULL",
            "R",
            "s",
            "W",
            "up",
            "5m",
            "true",
            "[SCHEDULER|s]",
            "Ethernet0",
            "-1",
            "9" * 400,
            "٣",
            " 3",
        ]
    ),
    st.text(max_size=6),
)
VALUES = st.one_of(WORDS, st.integers(), st.none(), st.booleans(), st.lists(WORDS, max_size=2), st.just({}))
KEYS = st.one_of(
    st.sampled_from(
        ["Ethernet0", "Ethernet0|3", "Ethernet0,Ethernet4|3-4", "a|b|Ethernet0|3", "global", "GLOBAL", "localhost", "AZURE"]
    ),
    st.text(max_size=8),
)
NAMES = st.one_of(
    st.sampled_from(
        [*TABLES, "DEVICE_NEIGHBOR", "INTERFACE", "PORTCHANNEL", "PORTCHANNEL_MEMBER", "BREAKOUT_CFG", "VERSIONS", "asic0"]
    ),
    st.text(max_size=8),
)
FIELDS = st.one_of(
    st.sampled_from(sorted({f for t in TABLES.values() for f in t.fields} | {"26", "members", "alias", "index"})),
    st.text(max_size=5),
)
ROWS = st.one_of(st.dictionaries(FIELDS, VALUES, max_size=4), VALUES)
CONFIG = st.dictionaries(NAMES, st.one_of(st.dictionaries(KEYS, ROWS, max_size=4), VALUES), max_size=6)


def _read(*texts: str) -> list[SwitchModel]:
    return sonic.parse([Source(f"f{i}.json", t) for i, t in enumerate(texts)], registry.load("sonic"), NONE)


def _look_at(models: list[SwitchModel]) -> None:
    """Everything that a rule or a report would touch."""
    for m in models:
        hash(m.ports)
        for port in m.ports.values():
            for origin in port.origins.values():
                port.place(origin)
        for thing in (*m.references, *m.remarks):
            str(thing.origin.at)
        for d in m.definitions:
            str(d.at.at)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(CONFIG, st.lists(CONFIG, max_size=3)))
def test_any_tables_are_read(config: Any) -> None:
    _look_at(_read(json.dumps(config)))


@settings(max_examples=100, deadline=None)
@given(CONFIG)
def test_any_change_to_a_good_file_is_read(config: dict[str, Any]) -> None:
    data = copy.deepcopy(BASE)
    for table, rows in config.items():
        if not isinstance(rows, dict):
            data[table] = rows
            continue
        for key, row in rows.items():
            mine = data.setdefault(table, {})
            if isinstance(mine, dict):
                old = mine.get(key)
                mine[key] = {**old, **row} if isinstance(old, dict) and isinstance(row, dict) else row
    _look_at(_read(json.dumps(data)))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(InputError):
        _look_at(_read(decode(data)))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 6000), st.sampled_from(["", "}", '"', "{", "\\", ",", "x", "\n"]))
def test_a_damaged_file_is_read_or_refused_with_a_line(at: int, put: str) -> None:
    text = json.dumps(BASE, indent=2)
    at %= len(text)
    damaged = text[:at] + put + text[at + 1 :]
    try:
        _look_at(_read(damaged))
    except InputError as e:
        line = e.line
    else:
        line = 1
    assert 1 <= line <= damaged.count("\n") + 1


STRANGE = st.text(alphabet="abcxyz_ABC", min_size=3, max_size=12).map(lambda s: f"zz_{s}")


@settings(max_examples=15, deadline=None)
@given(STRANGE, STRANGE, STRANGE, WORDS)
def test_an_unknown_table_or_field_never_changes_the_model(table: str, key: str, field: str, value: str) -> None:
    (plain,) = _read(json.dumps(BASE))
    data = copy.deepcopy(BASE)
    data[table] = {key: {field: value}}
    (m,) = _read(json.dumps(data))
    assert m == plain
    for name, rows in BASE.items():
        if TABLES[name].entries is not None or name == "BUFFER_PROFILE":
            continue  # there a field is an entry; a profile keeps its fields as written
        data = copy.deepcopy(BASE)
        for row in data[name].values():
            row[field] = value
        (m,) = _read(json.dumps(data))
        assert m == plain, name
        if TABLES[name].closed:
            assert {r.kind.value for r in m.remarks} == {"unclaimed"}, name
        assert rows


@settings(max_examples=25, deadline=None)
@given(st.permutations(sorted(BASE)))
def test_the_order_of_tables_does_not_matter(order: list[str]) -> None:
    (plain,), (m,) = _read(json.dumps(BASE)), _read(json.dumps({t: BASE[t] for t in order}))
    assert m == plain


@settings(max_examples=30, deadline=None)
@given(st.sets(st.sampled_from(sorted(set(BASE) - {"PORT", "BUFFER_POOL", "DEVICE_METADATA"}))))
def test_any_split_into_two_files_gives_the_whole(part: set[str]) -> None:
    a = {t: v for t, v in BASE.items() if t in part}
    b = {t: v for t, v in BASE.items() if t not in part}
    (plain,), (m,) = _read(json.dumps(BASE)), _read(json.dumps(a), json.dumps(b))
    assert m == plain


def test_a_line_lost_from_a_row_changes_only_that_row(one: Callable[..., SwitchModel]) -> None:
    """Deleting any single field of PORT_QOS_MAP of one port leaves the other port as it was."""
    (plain,) = _read(json.dumps(BASE))
    for field in BASE["PORT_QOS_MAP"]["Ethernet0"]:
        data = copy.deepcopy(BASE)
        del data["PORT_QOS_MAP"]["Ethernet0"][field]
        m = one(data)
        assert m.ports["Ethernet4"] == plain.ports["Ethernet4"]
        mine, before = m.ports["Ethernet0"], plain.ports["Ethernet0"]
        assert mine != before or mine.origins != before.origins, field
