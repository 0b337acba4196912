"""Arbitrary bytes, and configurations cut, doubled or overwritten at any place, never crash the reader."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xoff.errors import XoffError
from xoff.nos.inputs import gather

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "broken"
SEEDS = {"spine1.cfg": (EXAMPLES / "spine1.cfg").read_bytes(), "leaf1.json": (EXAMPLES / "leaf1.json").read_bytes()}

few = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, bytes]:
    """A file of the example with one to three wounds."""
    name = draw(st.sampled_from(sorted(SEEDS)))
    data = SEEDS[name]
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.integers(0, 200)))
        put = draw(
            st.binary(max_size=20) | st.sampled_from([b"\n", b"{", b'"', b"\x1b[", b"\xff\xfe", b"   ", b"no ", b"|", b"null"])
        )
        data = draw(st.sampled_from([data[:at] + put + data[end:], data[:at], data[:at] + data[at:end] * 2 + data[end:]]))
    return name, data


def read(name: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        try:
            found = gather([str(path)])
        except XoffError:
            return
        for fabric in found.fabrics:
            assert fabric.devices or fabric.problems or fabric.skipped


@few
@given(damaged())
def test_damaged_configurations(monkeypatch: pytest.MonkeyPatch, file: tuple[str, bytes]) -> None:
    monkeypatch.setenv("XOFF_DEBUG", "1")  # an unexpected exception is raised, not turned into a problem
    read(*file)


@few
@given(st.sampled_from(["a.cfg", "a.json", "a.ini", "a"]), st.binary(max_size=400))
def test_arbitrary_bytes(monkeypatch: pytest.MonkeyPatch, name: str, data: bytes) -> None:
    monkeypatch.setenv("XOFF_DEBUG", "1")
    read(name, data)
