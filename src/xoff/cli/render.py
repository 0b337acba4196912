"""Write switch configurations from an intent.

xoff render INTENT -o DIR                    one file per switch, and for SONiC a README beside it
xoff render INTENT -o DIR --device 'leaf*'   only switches that match
xoff render INTENT --device leaf1 --stdout   one switch to standard output
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from xoff.fabric.planned import PlannedFabric
    from xoff.nos.renderer import Rendered


@click.command("render", short_help="Write switch configurations from an intent.")
@click.argument("intent", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder for the files; made if it is not there.")
@click.option("--device", "globs", multiple=True, metavar="GLOB", help="Only switches whose name matches; may be repeated.")
@click.option(
    "--form",
    type=click.Choice(["running", "golden"]),
    default="running",
    show_default=True,
    help="golden (SONiC): leave lossless buffers to the switch's own lookup table.",
)
@click.option("--stdout", is_flag=True, help="Print the configuration of the one matching switch instead of writing files.")
def command(intent: Path, output: Path | None, globs: tuple[str, ...], form: str, stdout: bool) -> None:
    """Calculate and write the configuration of every switch of INTENT, one file each.

    Each file says on top whether it is a whole configuration or a fragment, how to enter it and what that may cost (SONiC: in
    NAME.README.txt beside it, because JSON has no comments). What a NOS or platform cannot express is said by name. If anything
    that matters for packets cannot be expressed, or a platform is unknown, nothing is written and the exit code is 2.
    """
    from xoff.errors import UsageError

    if stdout == (output is not None):
        raise UsageError("say where the configuration goes: either -o DIR, or --stdout for one switch")
    from xoff.intent.expand import plan

    fabric = plan(intent)
    names = _chosen(fabric, globs)
    if stdout and len(names) != 1:
        raise UsageError(f"--stdout prints one switch, and {len(names)} match ({_few(names)}); name one with --device")
    rendered = _render_all(fabric, names, form)
    if stdout:
        click.echo(next(iter(rendered[0].files.values())), nl=False)
    else:
        assert output is not None
        from xoff.nos.writing import write_files

        written = write_files(output, {name: text for r in rendered for name, text in r.files.items()})
        for path in written:
            click.echo(f"wrote {path}", err=True)
    _say_notes(rendered)
    if not stdout:
        files = sum(len(r.files) for r in rendered)
        click.echo(f"{len(rendered)} switches, {files} files in {output}", err=True)


def _chosen(fabric: PlannedFabric, globs: Sequence[str]) -> list[str]:
    """Names of the wanted switches in natural order. Raises UsageError for a pattern that matches none."""
    from fnmatch import fnmatchcase

    from xoff.errors import UsageError
    from xoff.nos.natural import natural

    for g in globs:
        if not any(fnmatchcase(name, g) for name in fabric.devices):
            raise UsageError(
                f"--device {g!r} matches no switch of the intent; there are: {_few(sorted(fabric.devices, key=natural))}"
            )
    names = [n for n in fabric.devices if not globs or any(fnmatchcase(n, g) for g in globs)]
    return sorted(names, key=natural)


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _render_all(fabric: PlannedFabric, names: Iterable[str], form: str) -> list[Rendered]:
    """Every switch, or one error that holds all the reasons why some cannot be rendered."""
    from xoff.derive import derive
    from xoff.errors import CannotExpress, UnknownPlatform
    from xoff.model.switch import Form
    from xoff.nos.registry import load
    from xoff.nos.renderer import NoteKind, RenderNote, render

    out: list[Rendered] = []
    reasons: dict[str, list[str]] = {}
    for name in names:
        try:
            derived = derive(fabric, name, Form(form))
            known = [RenderNote(NoteKind.DERIVED, n.what, n.why) for n in derived.notes]
            out.append(render(derived.model, load(derived.model.nos), form=form, known=known))
        except (CannotExpress, UnknownPlatform) as e:
            reasons.setdefault(str(e).removeprefix(f"{name}: "), []).append(name)
    if reasons:
        lines = [f"{_few(devices)}: {why}" for why, devices in reasons.items()]
        raise CannotExpress("nothing was written, because\n" + "\n".join(lines))
    return out


def _say_notes(rendered: Iterable[Rendered]) -> None:
    """Each note once, with the switches that it is about."""
    from xoff.report.escape import visible_lines
    from xoff.report.style import paint_for

    about: dict[str, list[str]] = {}
    for r in rendered:
        for note in r.notes:
            about.setdefault(str(note), []).append(r.device)
    paint = paint_for(sys.stderr)
    for text, devices in about.items():
        click.echo(paint("note: ", "note") + visible_lines(f"{text} [{_few(devices)}]"), err=True)
