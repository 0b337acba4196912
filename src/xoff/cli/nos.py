"""List the network operating systems: what is read, written, and not confirmed.

xoff nos             every NOS with its maturity
xoff nos eos         what it can say, its defaults, what is not confirmed and the sources
"""

from __future__ import annotations

import sys

import click


@click.command("nos", short_help="List the network operating systems: what is read, written, and not confirmed.")
@click.argument("name", required=False)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output format.")
def command(name: str | None, form: str) -> None:
    """List every NOS that xoff reads, or show one: what it can say, what it has no words for, its own defaults, how its
    statements relate, and what is not confirmed. NAME may be an alias (arista, arista_eos)."""
    import json

    from xoff.nos import registry
    from xoff.report import nos as report
    from xoff.report.style import paint_for

    if name is not None:
        found = registry.load(name)
        click.echo(
            json.dumps(report.as_data(found), indent=2) if form == "json" else report.one_text(found, paint_for(sys.stdout))
        )
        return
    if form == "json":
        rows = [report.as_data(n) for n in report.all_nos()]
        keys = ("name", "title", "maturity", "aliases", "netmiko", "reads", "renders")
        click.echo(json.dumps({"version": "nos/1", "nos": [{k: r[k] for k in keys} for r in rows]}, indent=2))
    else:
        click.echo(report.list_text(paint_for(sys.stdout)))
