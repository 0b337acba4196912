"""Runs the rules over the fabrics of a request.

A rule is called once per object, so that one stop (an Unknown) never silences the next object. Every call ends as assessed,
not applicable or not assessed, and is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from xoff.lint import fold
from xoff.lint.bundles import joined
from xoff.lint.carry import carrier
from xoff.lint.classes import resolve
from xoff.lint.coverage import Coverage
from xoff.lint.load import rules as load_rules
from xoff.lint.objects import DeviceView, FabricView, LinkView, TableView
from xoff.lint.ports import PortView, group_ports
from xoff.lint.result import FabricInput, FabricResult, LintRequest, LintResult
from xoff.lint.rules import Hit, Required, Rule
from xoff.lint.siblings import siblings
from xoff.lint.view import NotApplicable, NotAssessed
from xoff.model.fabric import ClassInForce, Fabric, Link
from xoff.model.finding import Scope
from xoff.model.frozen import FrozenMap
from xoff.model.origin import FileLine
from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import Port, SwitchModel

if TYPE_CHECKING:
    from xoff.fabric.planned import PlannedFabric
    from xoff.platforms import Asic

#: Looks at the coverage of the others and runs last; --require calls for it whatever --select says.
_LAST = "COV001"


def lint(request: LintRequest, text_of: Callable[[FileLine], str] = lambda at: "") -> LintResult:
    """Judge every fabric of the request. `text_of` gives source lines for the findings' places."""
    selected = load_rules(request.select, request.ignore)
    if request.require and not any(r.code == _LAST for r in selected):
        selected += load_rules((_LAST,))
    return LintResult(tuple(_fabric(request, f, selected, text_of) for f in request.fabrics))


def _fabric(
    request: LintRequest, given: FabricInput, selected: tuple[Rule, ...], text_of: Callable[[FileLine], str]
) -> FabricResult:
    view = build(request, given)
    coverage = Coverage()
    raws: list[fold.Raw] = []
    for rule in selected:
        if not _about_coverage(rule):
            raws += _run(rule, view, coverage)
    required = tuple(_required(code, coverage) for code in dict.fromkeys(c.upper() for c in request.require))
    for rule in selected:
        if _about_coverage(rule):
            raws += [fold.Raw(rule, hit) for hit in rule.check_coverage(required)]
            coverage.judged(rule.code, len(required))
    structure = tuple(dict.fromkeys(s for d in given.devices for s in d.structure))
    return FabricResult(
        name=given.name,
        devices=given.devices,
        classes=view.classes,
        classes_note=view.classes_note,
        findings=fold.findings(raws, text_of),
        coverage=dict(sorted(coverage.rules.items())),
        facts_missing=coverage.missing(),
        links=given.links,
        conflicts=given.conflicts,
        problems=given.problems,
        skipped=given.skipped,
        structure=structure,
        tables=given.tables,
    )


def build(request: LintRequest, given: FabricInput) -> FabricView:
    """The views of one fabric: classes resolved, carrying ports decided, links joined."""
    plan = request.plan
    stated: list[tuple[ClassInForce, ...]] = [(), request.project_classes, given.host_classes]
    if plan is not None:
        from xoff.derive import classes_of

        stated[0] = classes_of(plan)
    models = tuple(joined(d) for d in given.devices)
    classes = resolve(models, stated, request.assume)
    by_name = {d.hostname: d for d in models}
    fabric = Fabric(given.name, FrozenMap(by_name), given.links, given.conflicts)
    view = FabricView(fabric, classes.classes, classes.note, plan, given.problems, find_siblings=siblings)
    ends: dict[tuple[str, str], Link] = {}
    for link in given.links:
        ends[(link.a.device, link.a.port)] = link
        ends[(link.b.device, link.b.port)] = link
    devices = []
    for model in models:
        planned = plan.devices.get(model.hostname) if plan is not None else None
        device = DeviceView(model, view, planned=planned, asic_facts=_asic(model))
        if plan is not None and planned is not None:
            device.expected = _expected(plan, model)
        carried = carrier(
            model,
            classes.classes,
            planned,
            plan is not None,
            ends,
            by_name,
            frozenset(plan.devices) if plan is not None else (),
        )
        device.ports = group_ports(device, carried, partial(_far_end, model.hostname, ends, by_name))
        devices.append(device)
    view.devices = tuple(devices)
    view.links = tuple(_links(view, given.links))
    at = {d.name: d for d in devices}
    view.tables = tuple(TableView(t, view, at.get(t.devices[0]) if len(t.devices) == 1 else None) for t in given.tables)
    return view


def _far_end(device: str, ends: dict[tuple[str, str], Link], devices: dict[str, SwitchModel], port: Port) -> object:
    """What of the other end a port rule may look at (two uplinks to unlike peers are two objects)."""
    link = ends.get((device, port.name))
    if link is None:
        return None
    far = link.b if (link.a.device, link.a.port) == (device, port.name) else link.a
    other = devices.get(far.device)
    return None if other is None else (other.nos, other.asic)


def _asic(model: SwitchModel) -> Asic | None:
    if isinstance(model.asic, Unknown):
        return None
    from xoff.platforms import find

    found = find(model.asic)
    return found.asic if found else None


def _expected(plan: PlannedFabric, model: SwitchModel) -> SwitchModel | None:
    from xoff.derive import derive
    from xoff.errors import XoffError

    try:
        return derive(plan, model.hostname, form=model.form).model
    except XoffError:
        return None


def _links(view: FabricView, links: Iterable[Link]) -> Iterator[LinkView]:
    at = {(d.name, name): p for d in view.devices for p in d.ports for name in p.names}
    for link in links:
        a, b = at.get((link.a.device, link.a.port)), at.get((link.b.device, link.b.port))
        if a is None and b is None:
            continue
        if a is None:
            assert b is not None
            yield LinkView(Link(link.b, link.a, link.evidence, link.speed, link.cable_m, link.carries, link.at), view,
                           _one(b, link.b.port), None)  # fmt: skip
        else:
            yield LinkView(link, view, _one(a, link.a.port), _one(b, link.b.port) if b is not None else None)


def _one(view: PortView, port: str) -> PortView:
    """The view of a single port out of a group."""
    if len(view.ports) == 1:
        return view
    return PortView(view.device, tuple(p for p in view.ports if p.name == port), view.carried, view.why_carried, view.role)


Call = tuple[Callable[[], Iterator[Hit]], int, str]


def _calls(rule: Rule, fabric: FabricView) -> Iterator[Call]:
    """Every call of the rule's one hook: the bound call, its weight in objects, the device's name."""
    overridden = {h for h in _HOOKS if getattr(type(rule), h) is not getattr(Rule, h)}
    if "check_port" in overridden:
        for port in fabric.all_ports():
            yield partial(rule.check_port, port), len(port.ports), port.device.name
    if "check_port_class" in overridden:
        for port in fabric.all_ports():
            if not port.maybe.carrying_kind or port.maybe.admin is False:
                continue
            for cls in fabric.lossless:
                yield partial(_if_carried, rule, port, cls), len(port.ports), port.device.name
    if "check_device" in overridden:
        for device in fabric.devices:
            yield partial(rule.check_device, device), 1, device.name
    if "check_link" in overridden:
        for link in fabric.links:
            yield partial(rule.check_link, link), 1, link.a.device.name
    if "check_link_class" in overridden:
        for link in fabric.links:
            for cls in fabric.lossless:
                yield partial(_if_on_link, rule, link, cls), 1, link.a.device.name
    if "check_table" in overridden:
        for table in fabric.tables:
            yield partial(rule.check_table, table), 1, table.name
    if "check_fabric" in overridden:
        yield partial(rule.check_fabric, fabric), 1, fabric.maybe.name


_HOOKS = ("check_port", "check_port_class", "check_device", "check_link", "check_link_class", "check_table", "check_fabric")


def _if_carried(rule: Rule, port: PortView, cls: ClassInForce) -> Iterator[Hit]:
    if not port.carries(cls):
        raise NotApplicable(f"the port does not carry {cls.name}: {port.why_carried}")
    yield from rule.check_port_class(port, cls)


def _if_on_link(rule: Rule, link: LinkView, cls: ClassInForce) -> Iterator[Hit]:
    ends = [link.a] if link.b is None else [link.a, link.b]
    carried = [e for e in ends if not isinstance(e.carried, Unknown) and cls.name in e.carried]
    if not carried:
        for end in ends:
            end.carries(cls)  # raises where the role is what is missing
        raise NotApplicable(f"the link does not carry {cls.name}")
    yield from rule.check_link_class(link, cls)


def _run(rule: Rule, fabric: FabricView, coverage: Coverage) -> list[fold.Raw]:
    raws: list[fold.Raw] = []
    chips = {d.name for d in fabric.devices if d.asic_facts is not None}
    none = True
    for call, weight, device in _calls(rule, fabric):
        none = False
        try:
            for hit in call():
                raws.append(fold.Raw(rule, hit))
            coverage.judged(rule.code, weight)
        except (NotAssessed, NotApplicable) as why:
            if isinstance(why, NotAssessed) and why.fact is Fact.ASIC and device in chips:
                why = NotAssessed(why.reason)  # the chip is known; what is not sourced of it, no line of the user's supplies
            coverage.stopped(rule.code, why, weight, device)
    if none:
        reason = _nothing(rule, fabric)
        coverage.stopped(rule.code, NotApplicable(reason), 1, fabric.maybe.name)
    return raws


def _nothing(rule: Rule, fabric: FabricView) -> str:
    """Why a rule had no object to judge."""
    if rule.scope is Scope.TABLE:
        return "no headroom table in the input"
    return fabric.classes_note or "nothing of that kind in the input"


def _about_coverage(rule: Rule) -> bool:
    return type(rule).check_coverage is not Rule.check_coverage


def _required(code: str, coverage: Coverage) -> Required:
    entry = coverage.rules.get(code)
    if entry is None:
        return Required(code, False)
    return Required(code, True, tuple((why, fact, n) for (why, fact), n in sorted(entry.not_assessed.items(), key=str)))
