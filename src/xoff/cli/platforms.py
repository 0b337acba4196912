"""Show what is known of switch chips and models, with sources, and what is missing.

xoff platforms                    every chip: architecture, cell, memory, models, how much is sourced
xoff platforms DCS-7060X6-64PE    every fact of that switch's chip, its evidence and source, and what is missing
xoff platforms tomahawk5 --format json
"""

from __future__ import annotations

import sys

import click


@click.command(
    "platforms",
    short_help="Show what is known of switch chips and models, with sources.",
    epilog="Examples: `xoff platforms`; `xoff platforms QFX5240-64OD`; `xoff platforms ACS-MSN4700`; "
    "`xoff platforms tomahawk5 --format json`.",
)
@click.argument("name", required=False)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output format.")
def command(name: str | None, form: str) -> None:
    """Show what xoff knows of switch chips and models, where it was read, and what is missing.

    NAME is a chip (tomahawk5, "Spectrum-4"), a vendor's model (DCS-7060X6-64PE, QFX5240-64OD) or a SONiC hwsku. Without it:
    one line for each chip. A missing fact names the checks that are not assessed, or what is assumed, because of it.
    """
    from xoff.report import platforms as report
    from xoff.report.style import paint_for

    if name is None:
        if form == "json":
            click.echo(report.list_json())
            return
        click.echo(report.list_text(paint_for(sys.stdout)))
        click.echo(
            f"{report.NOT_SOURCED} not sourced, {report.INDIRECT} from one indirect source; "
            "`xoff platforms NAME` (chip, model or hwsku) shows every fact and what is missing",
            err=True,
        )
        return
    from xoff import platforms

    found = platforms.get(name)
    click.echo(report.one_json(found) if form == "json" else report.one_text(found, paint_for(sys.stdout)))
