"""Follow a packet hop by hop: where does this DSCP land?

xoff trace --dscp 26 --from gpu001 --to gpu128 pod1.yaml             as the intent wants it
xoff trace --dscp 26 --from gpu001 --to gpu128 --intent pod1.yaml configs/
xoff trace --dscp 26 --from leaf1:Ethernet0 --to leaf2:Ethernet4 configs/
xoff trace --dscp 26 configs/                                        every switch by itself
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from xoff.errors import UsageError

if TYPE_CHECKING:
    from xoff.fabric.planned import PlannedFabric
    from xoff.model.fabric import ClassInForce, Link
    from xoff.model.origin import FileLine
    from xoff.model.switch import SwitchModel


@click.command("trace", short_help="Follow a packet hop by hop: where does this DSCP land?")
@click.argument("paths", metavar="PATH...|INTENT", nargs=-1, type=click.Path(), required=True)
@click.option("--dscp", type=click.IntRange(0, 63), required=True, help="The DSCP that the sender writes.")
@click.option("--from", "start", metavar="PLACE", help="host, host:nic, switch or switch:port where the packet starts.")
@click.option("--to", "end", metavar="PLACE", help="Where it goes to.")
@click.option("--intent", type=click.Path(dir_okay=False), metavar="FILE", help="Links, hosts and classes for configurations.")
@click.option("--assume", metavar="CONVENTION", default="nvidia", help="Classes where nothing else says.  [default: nvidia]")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output format.")
def command(
    paths: tuple[str, ...], dscp: int, start: str | None, end: str | None, intent: str | None, assume: str, form: str
) -> int:
    """Show at every hop what a packet with this DSCP meets: the field read, traffic class, priority group, pause sent and
    obeyed, headroom against need, queue, marking, the DSCP on leaving; and name the first hop that is wrong, at file and line.

    PATHs are configurations, or one intent file: then what the intent asks for is followed.

    \b
    Exit codes: 0  lossless on every hop as far as known (or the DSCP is of no lossless class)
                1  a hop is wrong
                2  usage or intent wrong
                3  some input could not be read
    """
    from xoff.report import trace as report
    from xoff.trace.hops import follow
    from xoff.trace.route import route

    if (start is None) != (end is None):
        raise UsageError("--from and --to go together; without both, every switch is shown by itself")
    devices, links, classes, text_of, incomplete = _input(paths, intent, assume)
    way = route(links, devices, start, end) if start is not None and end is not None else None
    found = follow(devices, links, classes, dscp, way, start, end)
    if form == "json":
        import json

        click.echo(json.dumps(report.as_json(found), indent=2))
    else:
        from xoff.report.style import paint_for

        click.echo(report.text(found, text_of, paint_for(sys.stdout)), nl=False)
    return 3 if incomplete else 1 if found.first_wrong is not None else 0


def _input(
    paths: Sequence[str], intent: str | None, assume: str
) -> tuple[dict[str, SwitchModel], Sequence[Link], Sequence[ClassInForce], Callable[[FileLine], str], bool]:
    """Switches, links, classes in force, the text of lines, and whether something could not be read."""
    from xoff.derive import classes_of, derive_all

    if len(paths) == 1 and intent is None and _is_intent(paths[0]):
        plan = _plan(paths[0])
        derived = {name: d.model for name, d in derive_all(plan).items()}
        return derived, plan.links, classes_of(plan), _no_text, False
    from xoff.lint.classes import resolve
    from xoff.nos.inputs import gather

    asked = _plan(intent) if intent else None
    inputs = gather(paths, plan=asked)
    if len(inputs.fabrics) > 1:
        names = ", ".join(f.name for f in inputs.fabrics)
        raise UsageError(f"the paths hold {len(inputs.fabrics)} fabrics ({names}); name the files of one")
    fabric = inputs.fabrics[0]
    stated = [classes_of(asked) if asked else (), (), fabric.host_classes]
    try:
        classes = resolve(fabric.devices, stated, assume).classes
    except KeyError:
        raise UsageError(f"--assume {assume}: no such convention") from None
    links = fabric.links if asked is None else tuple(dict.fromkeys((*fabric.links, *asked.links)))
    return {d.hostname: d for d in fabric.devices}, links, classes, inputs.line, inputs.incomplete


def _is_intent(path: str) -> bool:
    """Whether a file is an intent: YAML that no NOS claims."""
    if not path.endswith((".yaml", ".yml")):
        return False
    from xoff.nos import registry
    from xoff.nos.source import read_source

    return registry.detect(path, read_source(path).text) is None


def _plan(path: str) -> PlannedFabric:
    from xoff.intent.expand import plan

    return plan(path)


def _no_text(at: FileLine) -> str:
    return ""
