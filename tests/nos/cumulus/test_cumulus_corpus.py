"""Real and documented files: all are read, and what is not understood in them is exactly what should not be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.nos.cumulus.conftest import COMMANDS, DOCUMENT, Read
from xoff.errors import InputError
from xoff.model.qos import PfcMode
from xoff.model.switch import PortKind, SwitchModel
from xoff.nos import cumulus, registry, shows, yaml12
from xoff.nos.portshows import read_port_show
from xoff.nos.source import Source, read_source

Shared = Callable[[str], Path]
GOLDEN: dict[str, list[dict[str, Any]]] = yaml12.load((Path(__file__).parent / "unclaimed.yml").read_text(encoding="utf-8"))


def parse(file: Path) -> SwitchModel:
    (model,) = cumulus.parse([read_source(file)], registry.load("cumulus"))
    return model


def test_every_configuration_is_listed_and_recognised(shared: Shared) -> None:
    folder = shared("corpus/cumulus")
    found = [f.name for f in folder.glob("*") if not f.name.startswith(("nv_show", "SOURCES"))]
    assert sorted(found) == sorted(GOLDEN)
    for file in folder.glob("*"):
        seen = registry.detect(str(file), file.read_text(encoding="utf-8"))
        assert (seen is not None and seen.nos == "cumulus") == (file.name in GOLDEN), file.name


@pytest.mark.parametrize("name", GOLDEN)
def test_remarks_are_the_listed_ones(shared: Shared, name: str) -> None:
    remarks = parse(shared(f"corpus/cumulus/{name}")).remarks
    found = [{"line": r.origin.at.line, "kind": r.kind.value, "shape": r.shape} for r in remarks]
    assert found == [{k: v for k, v in entry.items() if k != "why"} for entry in GOLDEN[name]]
    assert all(entry["why"] for entry in GOLDEN[name])


def test_a_reference_core_with_ranges(shared: Shared) -> None:
    """NVIDIA's: ranges of ranges, parents of breakouts, watchdog on access ports only."""
    model = parse(shared("corpus/cumulus/nvidia-core-01-nv-set-ranges.txt"))
    assert model.hostname == "core-01"
    assert "swp6" not in model.ports
    assert model.ports["swp6s0"].kind is PortKind.BREAKOUT
    assert (model.ports["swp2"].admin, model.ports["swp49s7"].admin) == (False, True)
    watched = {n for n, p in model.ports.items() if p.qos.watchdog.enabled is True}
    assert ("swp6s0" in watched, "swp25s1" in watched, "swp28s0" in watched) == (True, True, False)
    assert {p.name: str(p.size) for p in model.pools} == {"default-lossy": "10 %", "roce-lossless": "90 %"}
    assert [(t.encap_dscp_mode, t.decap_dscp_mode) for t in model.tunnels] == [("copy", "preserve")]


def test_a_banner_in_quotes_hides_nothing(shared: Shared) -> None:
    model = parse(shared("corpus/cumulus/nvidia-gsl-plane1-02-gpu-leaf-nv-set.txt"))
    assert (model.hostname, model.routing.asn) == ("gsl-plane1-02", 4260395888)
    fronts = [p for p in model.ports.values() if p.kind in (PortKind.FRONT, PortKind.BREAKOUT)]
    assert len(fronts) == 96
    assert all(p.qos.pfc.no_drop == {3} for p in fronts)


def test_a_switch_without_roce(shared: Shared) -> None:
    model = parse(shared("corpus/cumulus/nvue-applied-default-qos-5.5.1.yaml"))
    assert (model.release, model.platform) == ("5.5.1", "VX")
    assert [p.qos.pfc.mode for p in model.ports.values()] == [PfcMode.OFF]


def test_nclu_gives_ports_and_says_that_it_says_nothing_of_qos(shared: Shared) -> None:
    model = parse(shared("corpus/cumulus/sdn-nclu-tor2.txt"))
    assert (model.hostname, model.bundles["peerlink"].members) == ("TOR2", ("swp17", "swp18"))
    assert model.ports["swp31"].qos.unread is not None
    assert (model.ports["swp1"].routed, model.ports["swp1"].mtu) == (False, 9216)


# --- show outputs beside the configuration


def test_what_nv_show_says_of_the_device() -> None:
    text = "nv show system version\n   operational  applied\n--\nproduct-release  5.14.0  5.14.0\nsystem-type  MSN4700\n"
    found = shows.read_version(Source("leaf1-version.txt", text))
    assert found is not None
    assert (found.nos, found.release[0], found.model) == ("cumulus", "5.14.0", ("MSN4700", 5))


def test_the_table_of_interfaces() -> None:
    text = (
        "Interface  Admin Status  Oper Status  Speed  MTU    Type      Remote Host  Remote Port  Summary\n"
        "---------  ------------  -----------  -----  -----  --------  -----------  -----------  -------------------\n"
        "swp1       up            up           400G   9216   swp       spine01      swp7\n"
        "swp2s0     up            up           200G   9216   swp                                 IP Address: 192.0.2.1/31\n"
    )
    found = read_port_show(Source("leaf1-interfaces.txt", text))
    assert found is not None
    assert {e.port: e.speed for e in found.entries} == {"swp1": 400_000, "swp2s0": 200_000}
    assert all((e.peer, e.peer_port) == ("spine01", "swp7") for e in found.entries if e.peer)


# --- unknown leaves, hostile input, speed


def test_an_unknown_command_after_each_known_one_never_changes_the_model(read: Read) -> None:
    before, rows = read(COMMANDS), COMMANDS.split("\n")
    for at in range(1, len(rows)):
        for line in (
            "nv set qos pfc default-global xyzzy 7",
            "nv set interface swp1-4 qos xyzzy 7",
            "nv set qos xyzzy p dscp 26",
        ):
            after = read("\n".join([*rows[:at], line, *rows[at:]]))
            assert after == before
            assert [r.origin.at.line for r in after.remarks] == [at + 1]


def test_an_unknown_branch_beside_each_known_one_never_changes_the_model(read: Read) -> None:
    before, rows = read(DOCUMENT), DOCUMENT.split("\n")
    below = rows.index("    qos:")
    put = 0
    for at in range(below + 1, len(rows)):
        row = rows[at - 1]
        if not row.strip():
            continue
        inner = rows[at] if at < len(rows) and len(rows[at]) - len(rows[at].lstrip()) > len(row) - len(row.lstrip()) else row
        pad = inner[: len(inner) - len(inner.lstrip())]
        after = read("\n".join([*rows[:at], f"{pad}xyzzy:", f"{pad}  switch-priority: 7", *rows[at:]]))
        assert after.ports == {**after.ports, **before.ports}, f"after line {at}"
        put += bool(after.remarks)
    assert put > 10


WORDS = st.sampled_from(
    ["nv", "set", "unset", "net", "add", "qos", "roce", "mode", "lossless", "interface", "swp1-4", "swp1-9999999", "pfc",
     "default-global", "switch-priority", "3", "3,4", "99999999999999", "-1", "profile", "P", "mapping", "trust", "l3", "dscp",
     "26", "'", '"', "#", "=", "[1,2]", "pfc.port_group_list", "traffic.cos_3.priority_source.dscp", "- set:", "qos:",
     "{{ x }}", "None", "\u0663", "\xa0", "\x85"]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.lists(WORDS, min_size=1, max_size=7)), max_size=20))
def test_any_mixture_of_words_is_read_or_refused(read: Read, rows: list[tuple[int, list[str]]]) -> None:
    text = "\n".join(" " * depth + " ".join(words) for depth, words in rows)
    try:
        read(text)
    except InputError as err:
        assert err.message  # noqa: PT017


def test_a_few_lines_cannot_mean_millions_of_ports(read: Read) -> None:
    lines = (f"nv set interface swp1-4000s{n} link mtu 9000\nnv set interface swp{n}-4000 type swp\n" for n in range(1, 20))
    assert len(read("".join(lines)).ports) < 10_000


@pytest.mark.parametrize(
    "text",
    ["nv set qos mapping default-global dscp " + "1," * 20_000 + " switch-priority 3", "nv set a '" + "x\nnv set b '" * 3000,
     "a" * 50_000 + " = 1", "pfc." * 9000 + "x = [1]"],
    ids=["list", "quotes", "key", "dots"],
)  # fmt: skip
def test_long_lines_do_not_hang(read: Read, text: str) -> None:
    import time

    start = time.process_time()
    read(text)
    assert time.process_time() - start < 3
