"""Find what would make a lossless fabric drop or deadlock.

xoff lint configs/                               every switch below a folder
xoff lint leaf1.cfg spine1/config_db.json        these files as one fabric
xoff lint out/ --intent pod1.yaml                against what was asked for
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from xoff.errors import UsageError

if TYPE_CHECKING:
    from xoff.fabric.planned import PlannedFabric
    from xoff.intent.project import Project
    from xoff.lint.result import LintRequest
    from xoff.nos.inputs import Inputs


def _codes(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Codes, names and families, given several times or joined by commas."""
    return tuple(item.strip() for text in value for item in text.split(",") if item.strip())


@click.command("lint", short_help="Find what would make a lossless fabric drop or deadlock.")
@click.argument("paths", metavar="PATH...", nargs=-1, type=click.Path(), required=True)
@click.option("--intent", type=click.Path(dir_okay=False), metavar="FILE", help="Judge against this intent.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output format.")
@click.option(
    "--select",
    multiple=True,
    callback=_codes,
    metavar="CODE,...",
    help="Only these rules: codes, families (HDR), names or ALL.",
)
@click.option(
    "--ignore", multiple=True, callback=_codes, metavar="CODE,...", help="All but these rules; the longest match wins."
)
@click.option(
    "--fail-on", type=click.Choice(["error", "warning", "note"]), help="Exit with 1 from this severity on.  [default: error]"
)
@click.option("--assume", metavar="CONVENTION", help="Classes where nothing else says: nvidia, azure ...  [default: nvidia]")
@click.option(
    "--require",
    multiple=True,
    callback=_codes,
    metavar="CODE,...",
    help="Rules that must be judged: COV001 (error) where they cannot.",
)
@click.option(
    "--config",
    type=click.Path(dir_okay=False),
    metavar="xoff.toml",
    help="Project file; else the nearest one above the first PATH.",
)
def command(
    paths: tuple[str, ...],
    intent: str | None,
    form: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str | None,
    assume: str | None,
    require: tuple[str, ...],
    config: str | None,
) -> int:
    """Read switch configurations and report what would make a lossless RoCEv2 fabric drop, stall or deadlock.

    PATHs are configuration files (together one fabric) or folders. Nothing is changed and nothing is connected to.

    \b
    Exit codes: 0  nothing at or above --fail-on
                1  findings
                2  usage, project file or intent wrong; nothing to judge
                3  some input could not be read; the rest was judged
    """
    from xoff.lint.engine import lint
    from xoff.model.finding import Severity
    from xoff.nos.inputs import gather

    project = _project(paths, config)
    plan = _plan(intent) if intent else None
    inputs = gather(paths, plan=plan, project=project)
    request = _request(inputs, plan, project, select, ignore, assume, require)
    result = lint(request, inputs.line)
    floor = Severity(fail_on) if fail_on else (project.fail_on if project and project.fail_on else Severity.ERROR)
    code = 3 if inputs.incomplete else 1 if result.fails(floor) else 0
    if form == "json":
        from xoff.report import json

        _write(json.text(result, code))
    else:
        from xoff.report import text
        from xoff.report.style import paint_for

        _write(text.text(result, paint_for(sys.stdout)))
    return code


def _project(paths: tuple[str, ...], config: str | None) -> Project | None:
    if config is None and not _may_have_project(paths[0]):
        return None
    from xoff.intent.project import find_project, load_project

    path = config if config is not None else find_project(paths)
    return load_project(path) if path is not None else None


def _may_have_project(path: str) -> bool:
    """Whether a file that may be a project file lies in or above the path: asked first, for the reader costs its import."""
    at = os.path.abspath(path)
    while True:
        if any(os.path.isfile(os.path.join(at, name)) for name in ("xoff.toml", "pyproject.toml")):
            return True
        above = os.path.dirname(at)
        if above == at:
            return False
        at = above


def _plan(intent: str) -> PlannedFabric:
    from xoff.intent.expand import plan

    return plan(intent)


def _request(
    inputs: Inputs,
    plan: PlannedFabric | None,
    project: Project | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    assume: str | None,
    require: tuple[str, ...],
) -> LintRequest:
    """Options of the command line over those of the project file; every name checked before anything runs."""
    from xoff.lint.result import FabricInput, LintRequest

    chosen = select or (project.select if project else ())
    without = ignore or (project.ignore if project else ())
    wanted = tuple(dict.fromkeys((*require, *(project.require if project else ()))))
    for option, codes in (("--select", chosen), ("--ignore", without), ("--require", wanted)):
        _known(option, codes, families=option != "--require")
    return LintRequest(
        fabrics=tuple(
            FabricInput(f.name, f.devices, f.links, f.conflicts, f.problems, f.skipped, f.host_classes, f.tables)
            for f in inputs.fabrics
        ),
        plan=plan,
        project_classes=project.classes if project else (),
        assume=_convention(assume),
        select=chosen,
        ignore=without,
        require=wanted,
    )


def _known(option: str, codes: tuple[str, ...], *, families: bool) -> None:
    """Refuse what names no rule: a misspelt --ignore would silently ignore nothing, a misspelt --require require nothing."""
    if not codes:
        return
    import difflib

    from xoff.lint.load import rule_files, rules

    files = rule_files()
    names = {r.name for r in rules()}
    for code in codes:
        prefix = code.upper()
        if prefix in files or code in names or (families and (prefix == "ALL" or any(f.startswith(prefix) for f in files))):
            continue
        near = difflib.get_close_matches(prefix, files, 1) or difflib.get_close_matches(code, names, 1)
        hint = f"; did you mean {near[0]}?" if near else "; `xoff rules` lists them"
        raise UsageError(f"{option} {code}: there is no such rule{hint}")


def _convention(assume: str | None) -> str:
    if assume is None:
        return "nvidia"
    from xoff.lint.conventions import CONVENTIONS, named

    if named(assume) is None:
        raise UsageError(f"--assume {assume}: known conventions are {', '.join(sorted(c.name for c in CONVENTIONS))}")
    return assume


def _write(text: str) -> None:
    """To stdout; what its encoding cannot hold is written as an escape."""
    out = sys.stdout
    encoding = getattr(out, "encoding", None) or "utf-8"
    out.write(text.encode(encoding, "backslashreplace").decode(encoding))
    out.flush()
