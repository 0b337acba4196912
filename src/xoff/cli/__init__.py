"""The command line. One module per command below this package; each exposes `command`, a click command.

`main` knows the commands by the files that are there and imports only the one that is called, so that `xoff lint` never
pays for what `xoff render` needs. The one-line help of a command is the first line of its module's docstring, read
without importing the module. Machine output goes to stdout, everything said to people about the run to stderr.

Exit codes: 0 fine, 1 findings, 2 usage, project file or intent wrong (and internal errors), 3 some input could not be read.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from pathlib import Path
from typing import Any

import click

from xoff import __version__
from xoff.errors import XoffError

_HERE = Path(__file__).resolve().parent
#: Modules of this package that help commands and are none themselves.
_HELPERS = frozenset({"render_files"})


def _command_files() -> dict[str, Path]:
    """Command name -> file, by scanning the folder. `explain_port.py` is the command `explain-port`."""
    return {
        f.stem.replace("_", "-"): f for f in sorted(_HERE.glob("*.py")) if not f.stem.startswith("_") and f.stem not in _HELPERS
    }


def _short_help(file: Path) -> str:
    """First line of a module's docstring, from its text alone."""
    import ast

    doc = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return doc.partition("\n")[0].rstrip(".")


class CommandFolder(click.Group):
    """A click group whose commands are the modules beside this file, imported when called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_command_files())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        file = _command_files().get(cmd_name)
        if file is None:
            return None
        command = importlib.import_module(f"xoff.cli.{file.stem}").command
        if not isinstance(command, click.Command):
            raise TypeError(f"xoff.cli.{file.stem}.command is no click command")
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if args and not name.startswith("-") and name not in _command_files():
            import difflib

            close = difflib.get_close_matches(name, _command_files(), 1)
            hint = f" Did you mean {close[0]!r}?" if close else " `xoff --help` lists the commands."
            ctx.fail(f"There is no command {name!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, _short_help(file)) for name, file in sorted(_command_files().items())]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


@click.command(
    cls=CommandFolder,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Exit codes: 0 fine, 1 findings, 2 wrong usage, project file or intent, 3 some input could not be read.",
)
@click.version_option(__version__, "-V", "--version", prog_name="xoff", message="%(prog)s %(version)s")
def group() -> None:
    """Design, render and lint lossless RoCEv2 fabrics: one intent, many network operating systems, both ways."""


def main(args: list[str] | None = None) -> None:
    """Entry point of the `xoff` script. Ends the process; no traceback reaches a user (XOFF_DEBUG=1 asks for it)."""
    # Little of what a run makes is ever garbage, so looking for it often is time lost: a sixth of a cold start, with the
    # last search at the end of the process, which freezing spares.
    gc.set_threshold(200_000, 20, 100)
    code = run(sys.argv[1:] if args is None else args)
    gc.freeze()
    sys.exit(code)


def run(args: list[str]) -> int:
    """Run one command line and return the exit code, every error turned into a message on stderr."""
    try:
        code: Any = group.main(args=args, prog_name="xoff", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as e:
        return e.exit_code
    except click.ClickException as e:
        e.show(file=sys.stderr)
        return 2
    except click.Abort:
        click.echo("xoff: stopped", err=True)
        return 130
    except BrokenPipeError:
        _close_stdout()
        return 141
    except XoffError as e:
        _say_error(str(e))
        return e.exit_code
    except Exception as e:  # the last line of defence: a user gets a sentence, never a traceback
        return _internal_error(e)


def _say_error(message: str) -> None:
    from xoff.report.escape import visible_lines
    from xoff.report.style import paint_for

    click.echo(paint_for(sys.stderr)("xoff: ", "error") + visible_lines(message), err=True)


def _internal_error(e: Exception) -> int:
    if os.environ.get("XOFF_DEBUG"):
        import traceback

        traceback.print_exc(file=sys.stderr)
    where = ""
    if e.__traceback__ is not None:
        last = e.__traceback__
        while last.tb_next is not None:
            last = last.tb_next
        where = f" (in {Path(last.tb_frame.f_code.co_filename).name}:{last.tb_lineno})"
    _say_error(
        f"internal error: {type(e).__name__}: {e}{where}\n"
        "This is a fault in xoff, not in your files. Please report it with the command and, if you may share it, the input;\n"
        "XOFF_DEBUG=1 prints the traceback to add."
    )
    return 2


def _close_stdout() -> None:
    """The reader went away (`xoff lint … | head`): leave quietly, and keep Python from complaining at shutdown."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
