"""Write a commented starter intent.

xoff init                                     intent.yaml: SONiC leaves, EOS spines
xoff init -o pod1.yaml --nos eos --leaves 8   all EOS, eight leaves
"""

from __future__ import annotations

import click


@click.command("init", short_help="Write a commented starter intent.")
@click.option(
    "-o", "--output", type=click.Path(), default="intent.yaml", show_default=True, help="The file to write; - for stdout."
)
@click.option("--nos", help="NOS of leaves and spines alike: sonic or eos.")
@click.option("--leaf-nos", default=None, help="NOS of the leaves.  [default: sonic]")
@click.option("--spine-nos", default=None, help="NOS of the spines.  [default: eos]")
@click.option("--leaves", type=int, default=4, show_default=True, help="Number of leaves.")
@click.option("--spines", type=int, default=2, show_default=True, help="Number of spines.")
@click.option("--name", default="pod1", show_default=True, help="Name of the fabric.")
def command(
    output: str, nos: str | None, leaf_nos: str | None, spine_nos: str | None, leaves: int, spines: int, name: str
) -> None:
    """Write a commented starter intent, ready for `xoff validate` and `xoff render`.

    An existing file is never overwritten.
    """
    from xoff.errors import OutputError
    from xoff.intent import loads
    from xoff.intent.expand import expand
    from xoff.intent.starter import starter

    text = starter(name, leaf_nos or nos or "sonic", spine_nos or nos or "eos", leaves, spines)
    expand(loads(text, output))  # what is written is valid, whatever --name holds
    if output == "-":
        click.echo(text, nl=False)
        return
    try:
        with open(output, "x", encoding="utf-8", newline="\n") as handle:
            handle.write(text)
    except FileExistsError:
        raise OutputError(f"{output} exists already and is left as it is; name another file with -o") from None
    except OSError as e:
        raise OutputError(f"{output} cannot be written: {e.strerror or e}") from None
    click.echo(f"wrote {output}; next: xoff validate {output}")
