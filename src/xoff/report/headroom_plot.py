"""A picture of a headroom sweep. Needs matplotlib, which the extra `plot` brings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from xoff.errors import OutputError, UsageError
from xoff.model.quantity import Unknown
from xoff.sizing.answer import Answer
from xoff.sizing.presets import PRESETS

#: Colour-blind safe (Okabe and Ito); the line's style tells presets apart without colours.
_STYLES = {
    "floor": ("#000000", ":"),
    "strict": ("#D55E00", "-"),
    "nvidia": ("#009E73", "--"),
    "ieee": ("#0072B2", "-."),
    "table": ("#CC79A7", "None"),
}
SUFFIXES = (".svg", ".png", ".pdf")


def plot(what: str, answers: Sequence[Answer], file: Path) -> None:
    """Draw bytes over cable length or speed, one line a preset, what vendors ship as bars. Same input, same bytes.

    Raises UsageError without matplotlib or for a suffix that is no picture, OutputError where the file cannot be written.
    """
    if file.suffix not in SUFFIXES:
        raise UsageError(f"--plot {file}: the name of a picture ends in {', '.join(SUFFIXES)}")
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as why:
        raise UsageError(
            "--plot needs matplotlib, which is not installed: pip install 'xoff[plot]' (or leave --plot out for the table)"
        ) from why
    with matplotlib.rc_context({"svg.hashsalt": "xoff", "svg.fonttype": "none", "font.family": "DejaVu Sans"}):
        figure = Figure(figsize=(8, 5), layout="constrained")
        _draw(figure.subplots(), what, answers)
        metadata = {".svg": {"Date": None, "Creator": "xoff"}, ".pdf": {"CreationDate": None}, ".png": {"Software": None}}
        try:
            figure.savefig(file, metadata=metadata[file.suffix], dpi=120)
        except OSError as why:
            raise OutputError(f"--plot {file}: cannot be written: {why.strerror or why}") from why


def _draw(axes: Any, what: str, answers: Sequence[Answer]) -> None:
    first = answers[0]
    x = [a.link.cable_m if what == "cable" else a.link.speed / 1000 for a in answers]
    _draw_shipped(axes, what, x, answers)
    for name in PRESETS:
        numbers = [a.presets[name] for a in answers]
        # a hole stays a hole: no line leads across a speed for which a preset has no number
        y = [math.nan if isinstance(n, Unknown) else n.value / 1000 for n in numbers]
        if not all(map(math.isnan, y)):
            colour, style = _STYLES[name]
            width = 2.4 if name == first.preset else 1.4
            marker = "o" if name == "table" or what == "speed" else None
            axes.plot(x, y, color=colour, linestyle=style, linewidth=width, marker=marker, label=name)
    fixed = f"{first.link.speed / 1000:g}G" if what == "cable" else f"{first.link.cable_m} m"
    chip = f", {first.switch.asic.title}" if first.switch.asic else ""
    axes.set_title(f"PFC headroom of one priority: {fixed}{chip}")
    axes.set_xlabel("cable (m)" if what == "cable" else "speed (Gb/s)")
    axes.set_ylabel("headroom (kB)")
    if what == "speed" and len(x) > 1:
        axes.set_xscale("log")
        axes.set_xticks(x, [f"{g:g}" for g in x])
        axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.margins(x=0.02)
    axes.grid(alpha=0.3)
    axes.legend(loc="upper left", frameon=False)


def _draw_shipped(axes: Any, what: str, x: Sequence[float], answers: Sequence[Answer]) -> None:
    """From lowest to highest as one bar at each length or speed that the tables list; nothing between them is claimed."""
    bars: dict[float, tuple[float, float]] = {}
    for at, a in zip(x, answers, strict=True):
        if a.shipped is not None:
            where = a.shipped.cable_m if what == "cable" else at
            if where >= x[0]:
                bars[where] = (a.shipped.low.xoff / 1000, a.shipped.high.xoff / 1000)
    if bars:
        low, high = zip(*bars.values(), strict=True)
        axes.vlines(list(bars), low, high, color="#BBBBBB", linewidth=7, label="shipped: lowest to highest")
        axes.plot([*bars, *bars], [*low, *high], color="#777777", linestyle="None", marker="_", markersize=11)
