"""Compute PFC headroom for one link, with the reason for every byte.

xoff headroom --speed 400G --cable 40m --asic tomahawk5
xoff headroom --speed 400G --asic SN5600 --sweep cable=3m..300m
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from xoff.model.headroom_table import HeadroomRow
    from xoff.platforms import Platform
    from xoff.sizing.answer import Answer, Switch
    from xoff.sizing.link import LinkInput

ROCE_MTUS = (4096, 2048, 1024, 512, 256)
MTU_RANGE = (64, 10240)
CELL_RANGE = (16, 16384)
FACTOR_RANGE = (1, 20)
#: Lengths at which a sweep looks where no step is given.
LENGTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 500, 750)
MOST_POINTS = 1000
EXAMPLES = """\b
Examples:
  xoff headroom --speed 400G --cable 40m --asic tomahawk5
  xoff headroom --speed 100G --cable 300m --asic DCS-7260CX3-64 --peer-asic SN5600
  xoff headroom --speed 400G --cable 40m --asic SN5600 --preset nvidia --release 202405
  xoff headroom --speed 400G --cable 40m --cell 254 --response 2.1us
  xoff headroom --speed 100G --cable 40m --asic tomahawk2 --preset table --table pg_profile_lookup.ini
  xoff headroom --speed 400G --asic tomahawk5 --sweep cable=3m..300m --plot cables.svg
  xoff headroom --cable 40m --asic tomahawk5 --sweep speed --format json
"""


@click.command("headroom", short_help="Compute PFC headroom for one link, with the reason for every byte.", epilog=EXAMPLES)
@click.option("--speed", metavar="SPEED", help="Speed of the link: 400G.")
@click.option("--cable", metavar="LENGTH", help="Length of the cable: 40m, 2km. At most 120 km.")
@click.option("--asic", metavar="NAME", help="Switch chip, switch model or SONiC hwsku whose buffer is sized.")
@click.option("--peer-asic", metavar="NAME", help="Chip or model at the other end: it has to stop sending.")
@click.option("--response", metavar="TIME", help="Instead: how long the peer takes to stop, by hand: 1100ns, 2.2us.")
@click.option("--mtu", metavar="BYTES", default="9100", show_default=True, help="MTU of the port, as the NOS says it.")
@click.option(
    "--roce-mtu", metavar="BYTES", help="RDMA path MTU of the lossless class (256 to 4096).  [default: largest that fits]"
)
@click.option("--small-packets", metavar="PERCENT", help="Share of small packets, for `nvidia`.  [default: SONiC's]")
@click.option("--gearbox", metavar="TIME", help="Delay of gearbox, retimer or MACsec, one way: 400ns.  [default: the model's]")
@click.option("--lanes", metavar="N", help="SerDes lanes of the port: SONiC's script sets another xon on 8.")
@click.option(
    "--preset",
    metavar="NAME",
    default="strict",
    show_default=True,
    help="floor, strict, nvidia, ieee or table: what is assumed about packets and the peer.",
)
@click.option("--table", type=click.Path(path_type=Path), metavar="FILE", help="A pg_profile_lookup.ini, for `table`.")
@click.option("--release", metavar="NAME", help="SONiC release, for the script behind `nvidia`: 202405.  [default: newest]")
@click.option("--shared-pool", is_flag=True, help="The switch has a shared headroom pool (for `nvidia`).")
@click.option("--cell", metavar="BYTES", help="Cell of the buffer, for a chip that xoff does not know.")
@click.option("--cell-factor", metavar="X", help="Buffer bytes per byte on the wire, instead of the worst packet size.")
@click.option(
    "--sweep", metavar="WHAT", help="A table over cable=3m..300m (or cable=3m..300m/10m), speed, or speed=100G..800G."
)
@click.option(
    "--plot", type=click.Path(path_type=Path), metavar="FILE", help="Draw the sweep into FILE.svg (needs xoff[plot])."
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output format.")
def command(form: str, sweep: str | None, plot: Path | None, **given: Any) -> None:
    """Compute how many bytes one lossless priority of one port must still take after it has asked its peer to stop.

    Prints the number, its terms one per line with what each rests on, the same link under the other presets, and what vendors
    ship for the chip. Unknown facts are never guessed: a preset that lacks one says which.
    """
    from xoff.errors import UsageError
    from xoff.report import headroom as report
    from xoff.sizing.answer import answer

    preset = _preset(given["preset"])
    if plot is not None and sweep is None:
        raise UsageError("--plot draws a sweep: add --sweep cable=3m..300m or --sweep speed")
    what, points = ("", []) if sweep is None else _sweep(sweep)
    for option, like in _LIKE.items():
        if option == what and given[option] is not None:
            raise UsageError(f"--{option} and --sweep {what} exclude each other")
        if option != what and given[option] is None:
            raise UsageError(f"--{option} is missing: {like}")
    link = _link(given, what, points)
    switch = _switch(given, preset)
    links = [replace(link, cable_m=p) if what == "cable" else replace(link, speed=p) for p in points] or [link]
    answers = [answer(x, switch, preset) for x in links]
    _must_have_one(answers)
    _say_unverified(given)
    if not what:
        click.echo(report.json(answers[0]) if form == "json" else report.text(answers[0]))
        return
    if plot is not None:
        from xoff.report.headroom_plot import plot as draw

        draw(what, answers, plot)
        click.echo(f"wrote {plot}", err=True)
    click.echo(report.sweep_json(what, answers) if form == "json" else report.sweep_text(what, answers))


_LIKE = {"speed": "the speed of the link, such as --speed 400G", "cable": "the length of the cable, such as --cable 40m"}


def _preset(name: str) -> str:
    from xoff.errors import UsageError
    from xoff.sizing.presets import PRESETS

    if name not in PRESETS:
        known = "; ".join(f"{p}: {what}" for p, what in PRESETS.items())
        raise UsageError(f"--preset {name!r} does not exist. {known}")
    return name


def _must_have_one(answers: list[Answer]) -> None:
    """A sweep may have holes; nothing at all is an error that names what is missing."""
    from xoff.errors import UsageError
    from xoff.model.quantity import Unknown

    found = [a.chosen for a in answers]
    if all(isinstance(n, Unknown) for n in found):
        first = found[0]
        assert isinstance(first, Unknown)
        others = [p for p, n in answers[0].presets.items() if not isinstance(n, Unknown)]
        listed = ", ".join(others[:-1]) + (" or " if len(others) > 1 else "") + others[-1] if others else ""
        hint = f"; with a number here: --preset {listed}" if others else ""
        raise UsageError(f"--preset {answers[0].preset} gives no number: {first.reason}{hint}")


def _say_unverified(given: dict[str, Any]) -> None:
    from xoff.model.origin import Evidence
    from xoff.report.style import paint_for

    for option in ("asic", "peer_asic"):
        found = _platform(option, given[option])
        if found is not None and found.evidence is Evidence.SECONDARY:
            note = f"{given[option]} as {found.asic.title} is unverified: {found.source}"
            click.echo(paint_for(sys.stderr)("note: ", "note") + note, err=True)


# --- reading options ----------------------------------------------------------------------------------------------------


def _parsed(option: str, text: str, parse: Callable[[str], int], valid: str) -> int:
    """The option's value. Raises UsageError that names the option, what is wrong, and the valid range."""
    from xoff.errors import UsageError

    try:
        return parse(text)
    except ValueError as why:
        raise UsageError(f"--{option} {text}: {why}. Valid: {valid}") from why


def _whole(option: str, text: str | None, low: int, high: int, unit: str) -> int | None:
    if text is None:
        return None

    def parse(said: str) -> int:
        number = said.strip().removesuffix(unit).strip() if unit else said.strip()
        if not number.isascii() or not number.lstrip("-").isdigit():
            raise ValueError("is no whole number")
        if not low <= int(number) <= high:
            raise ValueError("is out of range")
        return int(number)

    return _parsed(option, text, parse, f"{low} to {high}" + (f" {unit}" if unit else ""))


def _speed(text: str) -> int:
    from xoff.intent import units

    return _parsed("speed", text, units.speed, "an Ethernet speed from 1G to 1.6T")


def _cable(text: str) -> int:
    from xoff.intent import units
    from xoff.sizing.number import MAX_CABLE_M

    return _parsed("cable", text, lambda t: units.cable(t, MAX_CABLE_M), f"more than 0 m, at most {MAX_CABLE_M // 1000} km")


def _time(option: str, text: str | None) -> int | None:
    from xoff.intent import units
    from xoff.sizing.link import MAX_DELAY_NS

    def parse(said: str) -> int:
        ns = units.nanoseconds(said)
        if ns > MAX_DELAY_NS:
            raise ValueError("is out of range")
        return ns

    return None if text is None else _parsed(option, text, parse, "1ns to 1ms")


def _factor(text: str | None) -> Any:
    from fractions import Fraction

    from xoff.errors import UsageError

    if text is None:
        return None
    low, high = FACTOR_RANGE
    try:
        value = Fraction(text) if len(text) <= 20 else None
    except (ValueError, ZeroDivisionError):
        value = None
    if value is None or not low <= value <= high:
        raise UsageError(f"--cell-factor {text}: expected a number such as 1.33 or 4/3. Valid: {low} to {high}")
    return value


def _platform(option: str, name: str | None) -> Platform | None:
    """The platform of that name; raises UnknownPlatform, on the command line's own terms, for one that is not held."""
    if name is None:
        return None
    from xoff import platforms
    from xoff.errors import UnknownPlatform

    found = platforms.find(name)
    if found is not None:
        return found
    near = platforms.suggestions(name)
    hint = f"; near: {', '.join(near)}" if near else ""
    instead = "--cell BYTES and --response TIME" if option == "asic" else "--response TIME"
    raise UnknownPlatform(
        f"--{option.replace('_', '-')} {name!r} is no chip, switch model or hwsku that is confirmed in platforms/{hint}. "
        f"Use one that is there, or give its facts by hand: {instead}"
    )


def _switch(given: dict[str, Any], preset: str) -> Switch:
    from xoff.errors import UsageError
    from xoff.sizing.answer import Switch, by_hand
    from xoff.sizing.presets import own_rows

    platform = _platform("asic", given["asic"])
    cell = _whole("cell", given["cell"], *CELL_RANGE, "B")
    if platform is not None and cell is not None:
        raise UsageError("--asic and --cell exclude each other: the chip's cell is known")
    factor = _factor(given["cell_factor"])
    if platform is None and cell is None:
        if preset in ("strict", "nvidia"):
            raise UsageError(f"--preset {preset} needs the chip: --asic NAME, or --cell BYTES by hand")
        if factor is not None:
            raise UsageError("--cell-factor goes with --asic or --cell")
    rows = own_rows(platform) if given["table"] is None else _rows(given["table"])
    return Switch(by_hand(platform.asic if platform else None, cell, factor), rows, given["release"], given["shared_pool"])


def _rows(file: Path) -> tuple[HeadroomRow, ...]:
    from xoff.errors import InputError
    from xoff.nos.sonic.lookup import read_table
    from xoff.nos.source import read_source

    table = read_table(read_source(file))
    if table.problems:
        raise InputError(str(file), table.problems[0].line, "\n".join(str(p) for p in table.problems))
    if not table.rows:
        raise InputError(str(file), 0, "has no row of a headroom table (speed, cable, size, xon, xoff, threshold)")
    return table.rows


def _link(given: dict[str, Any], what: str, points: list[int]) -> LinkInput:
    from xoff.errors import UsageError
    from xoff.sizing.link import BY_HAND, LinkInput, frame_of_mtu, frame_of_roce
    from xoff.sizing.nvidia import default_small_packets

    mtu = _whole("mtu", given["mtu"], *MTU_RANGE, "B")
    assert mtu is not None
    roce = _roce_mtu(given["roce_mtu"], mtu)
    small = _whole("small-packets", given["small_packets"], 0, 100, "%")
    gearbox, source = _time("gearbox", given["gearbox"]), BY_HAND
    platform = _platform("asic", given["asic"])
    if gearbox is None and platform is not None and platform.model is not None:
        fact = platform.asic.gearbox_ns.get(platform.model.casefold())
        if fact is not None and isinstance(fact.value, int):
            gearbox, source = fact.value, fact.source
    peer = _platform("peer_asic", given["peer_asic"])
    if peer is not None and given["response"] is not None:
        raise UsageError("--peer-asic and --response exclude each other: both say how long the peer takes to stop")
    return LinkInput(
        speed=points[0] if what == "speed" else _speed(given["speed"]),
        cable_m=points[0] if what == "cable" else _cable(given["cable"]),
        max_frame=frame_of_mtu(mtu),
        lossless_frame=min(frame_of_roce(roce), frame_of_mtu(mtu)),
        delay_ns=gearbox or 0,
        response_ns=_time("response", given["response"]),
        small_packets=default_small_packets(given["release"]) if small is None else small,
        lanes=_whole("lanes", given["lanes"], 1, 16, ""),
        port_mtu=mtu,
        peer=peer.asic if peer else None,
        delay_source=source,
    )


def _roce_mtu(text: str | None, mtu: int) -> int:
    """The RDMA path MTU; without one the largest whose frame the port takes, which is what a NIC settles on."""
    from xoff.errors import UsageError
    from xoff.sizing.link import frame_of_mtu, frame_of_roce

    fits = [m for m in ROCE_MTUS if frame_of_roce(m) <= frame_of_mtu(mtu)]
    if text is None:
        return fits[0] if fits else min(ROCE_MTUS)
    roce = _whole("roce-mtu", text, min(ROCE_MTUS), max(ROCE_MTUS), "B")
    assert roce is not None
    if roce not in ROCE_MTUS:
        raise UsageError(f"--roce-mtu {roce}: an RDMA path MTU is one of {', '.join(map(str, reversed(ROCE_MTUS)))} bytes")
    if roce not in fits:
        fit = f"the largest that fits is {fits[0]}" if fits else "none fits"
        raise UsageError(f"--roce-mtu {roce}: its frame of {frame_of_roce(roce)} B does not fit a port MTU of {mtu}; {fit}")
    return roce


def _sweep(text: str) -> tuple[str, list[int]]:
    """(cable | speed, points in rising order) of `cable=3m..300m`, `cable=3m..300m/10m`, `speed`, `speed=100G..800G`."""
    from xoff.errors import UsageError
    from xoff.intent import units

    what, _, span = text.partition("=")
    if what not in ("cable", "speed") or (what == "cable" and not span) or (span and ".." not in span):
        raise UsageError(f"--sweep {text}: expected cable=3m..300m, cable=3m..300m/10m, speed, or speed=100G..800G")
    if what == "speed":
        low, _, high = span.partition("..") if span else ("1G", "..", "1.6T")
        first, last = _speed(low), _speed(high)
        return what, _rising(text, [s for s in units.SPEEDS if first <= s <= last])
    ends, _, step = span.partition("/")
    low, _, high = ends.partition("..")
    first, last = _cable(low), _cable(high)
    if step:
        return what, _rising(text, [*range(first, last, _cable(step)), last] if first <= last else [])
    lengths = [n * 1000**k for k in range(3) for n in LENGTHS]
    return what, _rising(text, sorted({first, last, *(n for n in lengths if first < n < last)}) if first <= last else [])


def _rising(text: str, points: list[int]) -> list[int]:
    from xoff.errors import UsageError

    if not points:
        raise UsageError(f"--sweep {text}: the range is empty: its first end is the smaller one")
    if len(points) > MOST_POINTS:
        raise UsageError(f"--sweep {text}: {len(points)} points; at most {MOST_POINTS}, so take a larger step")
    return points
