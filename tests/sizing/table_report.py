"""Every row of every shipped headroom table and worked example against our presets: `python -m tests.sizing.table_report`.

Prints per table how many rows `nvidia` hits to the byte, how far `strict` is from the rows, how many rows lie below floor and
strict; then the rows that are known to be odd, each with its reason. Reads ../shared/knowledge, prints to stdout.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from xoff import platforms
from xoff.model.quantity import Unknown
from xoff.platforms import Asic
from xoff.sizing import nvidia
from xoff.sizing.headroom import floor_headroom, strict_headroom
from xoff.sizing.ieee import INTERFACE_BITS, X540_INTERFACE, connectx_xoff, linux_delay_value, pause_quanta
from xoff.sizing.link import LinkInput
from xoff.sizing.nvidia import Version, nvidia_headroom

HERE = Path(__file__).parent
KNOWLEDGE = HERE.parents[2] / "shared" / "knowledge"
VERSIONS: dict[str, Version] = {name: v for name, v in vars(nvidia).items() if isinstance(v, Version)}
#: Calculations that only tables show: no release ever ran them.
VERSIONS["TABLE_PACKETS"] = replace(nvidia.TABLE_QUANTA, name="table, IEEE quanta, share of packets", by_bytes=False)
VERSIONS["TABLE_FIXED_WHOLE"] = replace(nvidia.TABLE_FIXED, name="table, fixed response, whole cells", whole_cells=True)


@lru_cache(maxsize=1)
def listed() -> dict[str, Any]:
    """tables.yaml."""
    out: dict[str, Any] = yaml.safe_load((HERE / "tables.yaml").read_text(encoding="utf-8"))
    return out


def rows(name: str) -> list[dict[str, str]]:
    """The rows of one file of the references."""
    with (KNOWLEDGE / name).open(newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def chip(asic: str, hwsku: str) -> Asic | None:
    """The chip as the table's folder is known to have it: by the hwsku where platforms/ has it, else by the chip's name."""
    found = platforms.find(hwsku) or platforms.find(hwsku.partition("/")[0])
    if found is not None:
        return found.asic
    words = re.sub(r"^(Broadcom|NVIDIA|Intel/Barefoot|Marvell) | family$", "", asic)
    return platforms.load(words.replace("-", "").replace(" ", "").replace("+", "plus").lower())


@dataclass
class Row:
    """One row of a table with what the presets say. Bytes; None where a preset has no number."""

    speed: int
    cable: int
    published: int
    floor: int
    strict: int | None
    nvidia: int | None
    odd: str = ""

    @property
    def key(self) -> str:
        return f"{self.speed / 1000:g}G {self.cable} m"

    @property
    def error(self) -> float | None:
        """How far strict is above (+) or below the row, percent."""
        return None if self.strict is None else float(100 * Fraction(self.strict - self.published, self.published))


@dataclass
class Table:
    """One table. `calculation`: whether tables.yaml knows how it was made."""

    name: str
    asic: str
    chip: str
    calculation: bool
    rows: list[Row] = field(default_factory=list)

    def plain(self) -> list[Row]:
        return [r for r in self.rows if not r.odd]

    def missed(self) -> list[Row]:
        """Rows not odd that nvidia does not hit."""
        return [r for r in self.plain() if r.nvidia != r.published]


def tables() -> list[Table]:
    """Every table of pg_profile_lookup.csv, in its order, every row judged."""
    out: dict[tuple[str, str], Table] = {}
    for r in rows("pg_profile_lookup.csv"):
        key = (r["platform"], r["hwsku"])
        asic = chip(r["asic"], r["hwsku"])
        how = listed()["calculations"].get(r["hwsku"])
        if key not in out:
            out[key] = Table(r["hwsku"], r["asic"], asic.name if asic else "-", how is not None)
        out[key].rows.append(_row(r, asic, how))
    return list(out.values())


def _row(r: dict[str, str], asic: Asic | None, how: dict[str, Any] | None) -> Row:
    speed, cable = int(r["speed_mbps"]), int(r["cable_m"])
    link = LinkInput(speed, cable, 9216, 9216)
    strict = None if asic is None else strict_headroom(link, asic)
    made = None
    if how is not None and asic is not None:
        port = LinkInput(
            speed, cable, small_packets=how["small_packets"], port_mtu=how["port_mtu"], delay_ns=how.get("gearbox_ns", 0)
        )
        made = nvidia_headroom(port, asic, VERSIONS[how["version"]], how["lossless_mtu"])
    return Row(
        speed,
        cable,
        int(r["xoff_bytes"]),
        floor_headroom(LinkInput(speed, cable), asic).value,
        None if strict is None or isinstance(strict, Unknown) else strict.value,
        None if made is None or isinstance(made, Unknown) else made.value,
        odd_reason(r["hwsku"], asic.name if asic else "-", speed, cable),
    )


def odd_reason(table: str, chip_name: str, speed: int, cable: int) -> str:
    """Why the row is listed as odd; empty where it is not."""
    for o in listed()["odd"]:
        if o["table"] != table or o.get("chip", chip_name) != chip_name:
            continue
        if speed / 1000 in o.get("speeds", [speed / 1000]) and cable in o.get("cables", [cable]):
            return f"{o['reason']} ({o['source']})"
    return ""


# --- worked examples ------------------------------------------------------------------------------------------------------


@dataclass
class Example:
    """One worked example of a headroom topic. `got`: ours; `low`, `high`: what its advice allows in percent of published."""

    id: str
    what: str
    published: int
    got: int | None
    low: float
    high: float
    reason: str = ""

    @property
    def error(self) -> float | None:
        return None if self.got is None else 100 * (self.got - self.published) / self.published

    @property
    def within(self) -> bool:
        return self.error is not None and self.low <= self.error <= self.high


TOPICS = ("headroom-xoff", "delay-component", "delay-value", "nic-xoff", "port-headroom", "per-pg-headroom")


def examples() -> list[Example]:
    """Every worked example about headroom, in its order."""
    return [_example(r) for r in rows("worked_examples.csv") if r["topic"] in TOPICS]


def _example(r: dict[str, str]) -> Example:
    low, high = _advice(r["tolerance_advice"])
    known = listed()["examples"].get(r["id"])
    what = f"{r['topic']}: {r['asic'] or r['other_inputs']}"
    if r["topic"] == "headroom-xoff":
        what = f"{'nvidia' if r['formula'].startswith('NVIDIA') else 'strict'}: {r['asic']}"
    published = int(r["published_output"])
    return Example(r["id"], what, published, _compute(r), low, high, f"{known['reason']} ({known['source']})" if known else "")


def _advice(text: str) -> tuple[float, float]:
    found = re.match(r"\+-(\d+)%", text)
    if found:
        return -float(found[1]), float(found[1])
    above = re.search(r"0\.\.\+(\d+)%", text)
    return (0.0, float(above[1])) if above else (0.0, 0.0)


def _compute(r: dict[str, str]) -> int | None:
    speed = int(r["speed_gbps"] or 10) * 1000
    cable, mtu = int(r["cable_m"] or 0), int(r["port_mtu"] or 9216)
    topic, inputs = r["topic"], r["other_inputs"]
    if topic == "headroom-xoff":
        return _xoff(r, LinkInput(speed, cable, mtu, int(r["lossless_mtu"]), small_packets=int(r["small_packet_pct"] or 100)))
    if topic == "delay-value":
        return linux_delay_value(
            mtu, int(r["lossless_mtu"]), **({"interface_bits": X540_INTERFACE} if "X540" in r["asic"] else {})
        )
    if topic == "nic-xoff":
        return connectx_xoff(speed, cable, mtu)
    if topic == "delay-component":
        return _component(speed, inputs)
    return None


def _component(speed: int, inputs: str) -> int | None:
    """Bit times of one component of the delay budget, out of the terms that `ieee` shows."""
    from xoff.sizing.ieee import ieee_headroom

    if "quanta" in inputs:
        found = pause_quanta(speed)
        return None if found is None else found[0] * 512
    frame = re.match(r"(?:max frame )?(\d+) B", inputs)
    size = int(frame[1]) if frame and int(frame[1]) > 64 else 9216
    got = ieee_headroom(LinkInput(speed, 100, size, size))
    if isinstance(got, Unknown) or speed not in INTERFACE_BITS:
        return None
    bits = {t.name: int(Fraction(t.value) * 8) for t in got.terms}
    if "5 ns/m" in inputs:
        return bits["cable, both ways"] // 2
    return bits[
        "pause frame" if "PFC frame" in inputs else "last lossless frame" if "no-drop" in inputs else "own frame in the way"
    ]


def _xoff(r: dict[str, str], link: LinkInput) -> int | None:
    asic = example_chip(r["asic"])
    if asic is None:
        return None
    if r["formula"].startswith("NVIDIA"):
        got = nvidia_headroom(link, asic, example_version(r), int(r["lossless_mtu"]))
    else:
        got = strict_headroom(link, asic)
    return None if isinstance(got, Unknown) else got.value


def example_chip(asic: str) -> Asic | None:
    """Chip of a worked example's asic column."""
    if "d64p512t" in asic:
        return platforms.load("teralynx51t")
    return platforms.load(re.split(r"[ (]", asic)[0].replace("-", "").lower())


def example_version(r: dict[str, str]) -> Version:
    """The calculation that a worked example of NVIDIA's names."""
    inputs = r["other_inputs"]
    if "pause_quanta=none" in inputs:
        return nvidia.TABLE_FIXED
    if "cell_factor=raw" in inputs:
        return nvidia.TABLE_QUANTA
    return nvidia.TABLE_800G if "pause_quanta=1810" in inputs else nvidia.TABLE_WHOLE


# --- printing -------------------------------------------------------------------------------------------------------------


def report() -> str:
    """The whole report."""
    found = tables()
    out = [f"{len(found)} tables, {sum(len(t.rows) for t in found)} rows", ""]
    out += [
        f"{'table':<38}{'chip':<15}{'rows':>5}{'odd':>5}{'nvidia':>9}  "
        f"{'strict against the row':<24}{'<floor':>7}{'<strict':>8}"
    ]
    out += [_line(t) for t in found]
    out += ["", "nvidia: rows hit to the byte, of those not odd. strict: percent above (+) or below the row, rows not odd."]
    out += ["<floor, <strict: rows below them. `-`: no calculation known, chip not held, or no number for it.", ""]
    out += ["rows listed as odd", *(line for t in found for line in _odd(t))]
    out += ["", "rows below the floor", *(line for t in found for line in _below(t))]
    out += ["", *_examples()]
    return "\n".join(out) + "\n"


def _line(t: Table) -> str:
    plain = t.plain()
    hits = f"{len(plain) - len(t.missed())}/{len(plain)}" if t.calculation else "-"
    errors = [r.error for r in plain if r.error is not None]
    spread = f"{min(errors):+.1f} .. {max(errors):+.1f} %" if errors else "-"
    below = sum(r.published < r.floor for r in t.rows)
    short = sum(r.strict is not None and r.published < r.strict for r in t.rows)
    shown = f"{short}" if any(r.strict is not None for r in t.rows) else "-"
    return f"{t.name:<38}{t.chip:<15}{len(t.rows):>5}{len(t.rows) - len(plain):>5}{hits:>9}  {spread:<24}{below:>7}{shown:>8}"


def _odd(t: Table) -> Iterator[str]:
    for r in t.rows:
        if r.odd:
            ours = f"nvidia {r.nvidia:,}" if r.nvidia is not None else f"strict {r.strict:,}" if r.strict is not None else "-"
            yield f"    {t.name:<38}{r.key:<14}{r.published:>12,}   {ours:<20} {r.odd}"


def _below(t: Table) -> Iterator[str]:
    for r in t.rows:
        if r.published < r.floor:
            yield f"    {t.name:<38}{r.key:<14}{r.published:>12,}   floor {r.floor:,}"


def _examples() -> Iterator[str]:
    found = examples()
    yield f"{len(found)} worked examples about headroom"
    yield ""
    yield f"{'preset or topic, chip':<48}{'rows':>5}{'within':>8}  {'error':<22}advice"
    for what in dict.fromkeys(e.what for e in found):
        here = [e for e in found if e.what == what]
        errors = [e.error for e in here if e.error is not None]
        spread = f"{min(errors):+.2f} .. {max(errors):+.2f} %" if errors else "-"
        advice = ", ".join(dict.fromkeys(f"{e.low:+.0f} .. {e.high:+.0f} %" for e in here))
        yield f"{what[:46]:<48}{len(here):>5}{sum(e.within for e in here):>8}  {spread:<22}{advice}"
    yield ""
    yield "examples with a reason"
    for e in found:
        if e.reason:
            ours = "-" if e.got is None else f"{e.got:,}"
            yield f"    {e.id:<6}{e.what[:40]:<42}{e.published:>10,}   {ours:>10}   {e.reason}"


if __name__ == "__main__":
    sys.stdout.write(report())
