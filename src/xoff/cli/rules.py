"""List the lint rules.

xoff rules                   code, name, severity, impact and scope of every rule, by family
xoff rules --format json     the same as data
"""

from __future__ import annotations

import sys

import click


@click.command("rules", short_help="List the lint rules.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output format.")
def command(form: str) -> None:
    """List the lint rules: code, name, severity, impact and the smallest thing each one needs.

    `xoff explain CODE` prints the page of one rule.
    """
    from xoff.lint.load import rules

    rows = [
        {
            "code": r.code,
            "name": r.name,
            "severity": r.severity.value,
            "impact": r.impact.value,
            "scope": r.scope.value,
            "since": r.since,
            "explains": list(r.explains),
            "help": f"xoff explain {r.code}",
        }
        for r in rules()
    ]
    if form == "json":
        import json

        click.echo(json.dumps({"version": "rules/1", "rules": rows}, indent=2))
        return
    from xoff.report.style import paint_for

    paint = paint_for(sys.stdout)
    widths = {k: max((len(str(r[k])) for r in rows), default=0) for k in ("code", "name", "severity", "impact", "scope")}
    for r in rows:
        severity = str(r["severity"])
        click.echo(
            f"{paint(str(r['code']), 'head')}  {r['name']!s:{widths['name']}}  "
            f"{paint(severity.ljust(widths['severity']), severity)}  {r['impact']!s:{widths['impact']}}  {r['scope']}"
        )
    click.echo(f"{len(rows)} rules; `xoff explain CODE` says what a rule looks at and why", err=True)
