"""Print the page of a lint rule.

xoff explain MAP001
xoff explain roce-dscp-lossy
"""

from __future__ import annotations

import sys

import click

from xoff.errors import UsageError


@click.command("explain", short_help="Print the page of a lint rule.")
@click.argument("rule", metavar="CODE")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown"]),
    default="text",
    show_default=True,
    help="markdown: the page as it is written.",
)
def command(rule: str, form: str) -> None:
    """Print the page of a lint rule: what it looks at, why that matters, a wrong and a right example, sources.

    CODE may also be the rule's name.
    """
    from xoff.lint.load import page

    code = _code(rule)
    text = page(code)
    if not text:
        raise UsageError(f"rule {code} has no page; that is a fault of xoff")
    if form == "text" and sys.stdout.isatty():
        _render(text)
    else:
        click.echo(text.rstrip("\n"))


def _code(said: str) -> str:
    """The code of a rule named by code or name. Raises UsageError with the nearest ones."""
    import difflib

    from xoff.lint.load import rule_files, rules

    files = rule_files()
    if said.upper() in files:
        return said.upper()
    names = {r.name: r.code for r in rules()}
    if said.lower() in names:
        return names[said.lower()]
    near = difflib.get_close_matches(said.upper(), files, 3) or difflib.get_close_matches(said.lower(), names, 3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`xoff rules` lists them"
    raise UsageError(f"there is no rule {said!r}; {hint}")


def _render(text: str) -> None:
    """Markdown on a terminal: headings, lists and code told apart."""
    import os

    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(no_color=bool(os.environ.get("NO_COLOR")))
    console.print(Markdown(text, code_theme="ansi_dark"), width=min(console.width, 110))
